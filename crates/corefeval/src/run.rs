//! `corefeval score`: reads, pairs, scores, and gives back the report.

use std::collections::BTreeMap;
use std::mem::ManuallyDrop;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use corefeval_core::diagnostic::{Diagnostics, Severity};
use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::formats::{FormatSpec, ReadOptions, Side};
use corefeval_core::input::Input;
use corefeval_core::model::{Corpus, DocumentId};
use corefeval_core::pairing::{self, DocumentPair};
use corefeval_core::report::Report;
use corefeval_core::scope::{self, JoinedPair};
use corefeval_core::score::{Task, score_pairs};
use corefeval_core::settings::{Average, Settings, Switch};

use crate::plan::Plan;
use crate::terminal::with_progress;

type Loaded = (Corpus, &'static FormatSpec);

/// Scores all responses of a plan.
pub fn score(plan: &Plan) -> Result<Report> {
    let format = plan.key_format.map(|spec| spec.id);
    let before = plan.settings(format)?;
    // A wrong metric should not wait for a large file.
    plan.metrics(&before, format.unwrap_or_default())?;
    let inputs: Vec<(&Input, Side)> = std::iter::once((&plan.key.input, Side::Key))
        .chain(plan.responses.iter().map(|response| (&response.input, Side::Response)))
        .collect();
    let reading = Reading { plan, settings: &before, keep_layers: before.needs_layers() };
    // The documents live until the process ends; taking them apart would be work for nothing.
    let loaded = ManuallyDrop::new(reading.read_all(&inputs)?);
    let Some(((key, key_format), responses)) = loaded.split_first() else {
        return Err(Error::new(ErrorKind::Settings, "there is nothing to score"));
    };
    let settings = plan.settings(Some(key_format.id))?;
    let task = Task {
        settings,
        metrics: plan.metrics(&settings, key_format.id)?,
        by_document: plan.by_document,
        threads: plan.threads,
    };
    if plan.output.id == "conll" && settings.average != Average::Micro {
        let message = "the reference scorer has no average over documents, so --output conll cannot show one";
        return Err(
            Error::new(ErrorKind::Settings, message).hint("leave out --average, or choose another output")
        );
    }
    let mut report = Report {
        settings,
        format: key_format.id.to_owned(),
        diagnostics: key.diagnostics.clone(),
        systems: Vec::new(),
    };
    for (named, (response, format)) in plan.responses.iter().zip(responses) {
        if format.id != key_format.id && !report.format.contains('+') {
            report.format = format!("{}+{}", key_format.id, format.id);
        }
        let mut diagnostics = response.diagnostics.clone();
        let pairs = pairing::pair(key, response, &mut diagnostics)?;
        check_words(plan, &settings, &pairs, &named.input, &mut diagnostics)?;
        let joined = scope::join(&pairs, settings.scope, &mut diagnostics)?;
        let pairs = joined.as_ref().map_or(pairs, |joined| joined.iter().map(JoinedPair::as_pair).collect());
        let mut system = score_pairs(&pairs, &task, &mut diagnostics);
        system.name.clone_from(&named.name);
        system.key.clone_from(&plan.key.path);
        system.response.clone_from(&named.path);
        report.systems.push(system);
        report.diagnostics.merge(diagnostics);
    }
    if plan.strict {
        refuse_warnings(&report.diagnostics)?;
    }
    Ok(report)
}

/// Asks the allocator for a large piece of memory and gives it back untouched, for its effect on
/// glibc, which hands memory to all threads but the first a page at a time, a system call each: once
/// a piece of this size has come and gone, a thread's memory grows by such pieces. Without it the
/// second reader spends a tenth of its time in the kernel. Other allocators do not mind.
fn reserve(bytes: usize) {
    drop(std::hint::black_box(Vec::<u8>::with_capacity(bytes)));
}

/// What [`reserve`] asks for: in the first thread the larger piece, which sets what counts as large.
const RESERVE: [usize; 2] = [8 << 20, 6 << 20];

/// How inputs are read.
struct Reading<'p> {
    plan: &'p Plan,
    settings: &'p Settings,
    keep_layers: bool,
}

impl Reading<'_> {
    /// Reads the inputs side by side, in their order.
    fn read_all(&self, inputs: &[(&Input, Side)]) -> Result<Vec<Loaded>> {
        let read = AtomicU64::new(0);
        let next = AtomicUsize::new(0);
        let slots: Vec<Mutex<Option<Result<Loaded>>>> = inputs.iter().map(|_| Mutex::new(None)).collect();
        let work = || {
            loop {
                let place = next.fetch_add(1, Ordering::Relaxed);
                let Some(&(input, side)) = inputs.get(place) else { return };
                let result = self.read_one(input, side, &read);
                *slots[place].lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(result);
            }
        };
        let total = || inputs.iter().map(|(input, _)| input.size()).sum();
        reserve(RESERVE[0]);
        with_progress(self.plan.talk, total, &read, || {
            // Every reader has a thread of its own while this one waits: a thread that is started by
            // one that goes on working may share its processor for several milliseconds.
            std::thread::scope(|scope| {
                for _ in 0..self.plan.threads.min(inputs.len()) {
                    scope.spawn(|| {
                        reserve(RESERVE[1]);
                        work();
                    });
                }
            });
        });
        let loaded = slots.into_iter().map(|slot| {
            let slot = slot.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
            slot.unwrap_or_else(|| Err(Error::new(ErrorKind::Io, "an input was not read")))
        });
        loaded.collect()
    }

    fn read_one(&self, input: &Input, side: Side, progress: &AtomicU64) -> Result<Loaded> {
        let format = match side {
            Side::Key => self.plan.key_format,
            Side::Response => self.plan.response_format,
        };
        let options = ReadOptions {
            keep_layers: self.keep_layers,
            side,
            span_end: self.settings.span_end,
            boundary_crossing: self.settings.boundary_crossing == Switch::Yes,
            annotation: self.settings.annotation,
            default_id: String::new(),
        };
        input.read(format, &options, progress)
    }
}

/// Compares the words of all pairs. Where fingerprints differ both sides are read again, with their
/// words.
fn check_words(
    plan: &Plan,
    settings: &Settings,
    pairs: &[DocumentPair<'_>],
    response: &Input,
    diagnostics: &mut Diagnostics,
) -> Result<()> {
    let doubtful = pairing::doubtful_pairs(pairs, settings, diagnostics);
    if doubtful.is_empty() {
        return Ok(());
    }
    let again = Reading { plan, settings, keep_layers: true };
    let words = again.read_all(&[(&plan.key.input, Side::Key), (response, Side::Response)])?;
    let [key, response] = [0, 1].map(|place| &words[place].0);
    let by_id = |corpus: &'_ Corpus| -> BTreeMap<DocumentId, usize> {
        corpus.documents.iter().enumerate().map(|(place, document)| (document.id().clone(), place)).collect()
    };
    let (key_places, response_places) = (by_id(key), by_id(response));
    for pair in doubtful {
        let id = pair.key.id();
        if let (Some(&ours), Some(&theirs)) = (key_places.get(id), response_places.get(id)) {
            let (ours, theirs) = (&key.documents[ours], &response.documents[theirs]);
            pairing::compare_words(pair, ours, theirs, settings, diagnostics)?;
        }
    }
    Ok(())
}

/// Under `--strict` the first warning is an error that counts them all.
pub fn refuse_warnings(diagnostics: &Diagnostics) -> Result<()> {
    let warnings = diagnostics.warnings();
    let warning = diagnostics.groups().iter().find(|group| group.code.severity() == Severity::Warning);
    let Some(group) = warning else { return Ok(()) };
    let first = group.kept.first();
    let message = first.map_or_else(|| group.code.summary().to_owned(), |first| first.message.clone());
    let others = match warnings {
        1 => String::new(),
        more => format!(" (the first of {more} warnings)"),
    };
    let error = Error::new(ErrorKind::Strict, format!("{message} [{}]{others}", group.code.id()));
    let error = match first.and_then(|first| first.position.clone()) {
        Some(position) => error.at(position),
        None => error,
    };
    Err(error.hint(format!("{}; without --strict this is a warning", group.code.remedy())))
}
