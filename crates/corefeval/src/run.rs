//! `corefeval score`: reads, pairs, scores, and gives back the report.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use corefeval_core::diagnostic::{Code, Diagnostics};
use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::formats::{FormatSpec, ReadOptions, Side};
use corefeval_core::input::Input;
use corefeval_core::model::Corpus;
use corefeval_core::pairing::{self, DocumentPair};
use corefeval_core::report::Report;
use corefeval_core::score::{Task, score_pairs};
use corefeval_core::settings::Settings;

use crate::plan::Plan;
use crate::terminal::with_progress;

type Loaded = (Corpus, &'static FormatSpec);

/// Scores all responses of a plan.
pub fn score(plan: &Plan) -> Result<Report> {
    let before = plan.settings(None)?;
    // A wrong metric should not wait for a large file.
    plan.metrics(&before)?;
    let inputs: Vec<(&Input, Side)> = std::iter::once((&plan.key.input, Side::Key))
        .chain(plan.responses.iter().map(|response| (&response.input, Side::Response)))
        .collect();
    let mut loaded = read_all(plan, &before, &inputs)?;
    let (key, key_format) = loaded.remove(0);
    let settings = plan.settings(Some(key_format.id))?;
    let task = Task {
        settings,
        metrics: plan.metrics(&settings)?,
        by_document: plan.by_document,
        threads: plan.threads,
    };
    let mut report = Report {
        settings,
        format: key_format.id.to_owned(),
        diagnostics: key.diagnostics.clone(),
        systems: Vec::new(),
    };
    for (named, (response, format)) in plan.responses.iter().zip(loaded) {
        if format.id != key_format.id && !report.format.contains('+') {
            report.format = format!("{}+{}", key_format.id, format.id);
        }
        let mut diagnostics = response.diagnostics.clone();
        let pairs = pairing::pair(&key, &response, &mut diagnostics)?;
        check_words(plan, &settings, &pairs, &named.input, &mut diagnostics)?;
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

/// Reads the inputs side by side, in their order.
fn read_all(plan: &Plan, settings: &Settings, inputs: &[(&Input, Side)]) -> Result<Vec<Loaded>> {
    let read = AtomicU64::new(0);
    let next = AtomicUsize::new(0);
    let slots: Vec<Mutex<Option<Result<Loaded>>>> = inputs.iter().map(|_| Mutex::new(None)).collect();
    let work = || {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(&(input, side)) = inputs.get(place) else { return };
            let result = read_one(plan, settings, input, side, settings.needs_layers(), &read);
            *slots[place].lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(result);
        }
    };
    let total = || inputs.iter().map(|(input, _)| input.size()).sum();
    with_progress(plan.talk, total, &read, || {
        std::thread::scope(|scope| {
            for _ in 1..plan.threads.min(inputs.len()) {
                scope.spawn(work);
            }
            work();
        });
    });
    slots
        .into_iter()
        .map(|slot| {
            let slot = slot.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
            slot.unwrap_or_else(|| Err(Error::new(ErrorKind::Io, "an input was not read")))
        })
        .collect()
}

fn read_one(
    plan: &Plan,
    settings: &Settings,
    input: &Input,
    side: Side,
    keep_layers: bool,
    progress: &AtomicU64,
) -> Result<Loaded> {
    let format = match side {
        Side::Key => plan.key_format,
        Side::Response => plan.response_format,
    };
    let options = ReadOptions { keep_layers, side, span_end: settings.span_end, default_id: String::new() };
    input.read(format, &options, progress)
}

/// Compares the words of all pairs. Where they differ both sides are read again, with their words,
/// so that the message can show the first difference.
fn check_words(
    plan: &Plan,
    settings: &Settings,
    pairs: &[DocumentPair<'_>],
    response: &Input,
    diagnostics: &mut Diagnostics,
) -> Result<()> {
    let different = match pairing::check_words(pairs, settings, diagnostics) {
        Ok(different) if different.is_empty() => return Ok(()),
        Ok(different) => different,
        Err(pair) => {
            let words = read_words(plan, settings, response)?;
            let difference = words.first_difference(pair);
            return Err(pairing::words_error(pair, difference.as_ref()));
        }
    };
    let words = read_words(plan, settings, response)?;
    for pair in different {
        let Some(document) = pair.response else { continue };
        let difference = words.first_difference(pair);
        let mut position = document.position();
        let text = |side: &Option<(String, u32)>| {
            side.as_ref().map_or("nothing".to_owned(), |word| format!("`{}`", word.0))
        };
        let message = match &difference {
            Some(difference) => {
                position.line = difference.response.as_ref().map_or(position.line, |word| word.1);
                let line = difference.key.as_ref().map_or(0, |word| word.1);
                format!(
                    "the words of `{}` differ first here: the response has {}, the key has {} (line {line} there)",
                    pair.key.id(),
                    text(&difference.response),
                    text(&difference.key),
                )
            }
            None => format!("the words of `{}` differ", pair.key.id()),
        };
        diagnostics.add(Code::WordsDiffer, Some(position), Some(pair.key.id().to_string()), || message);
    }
    Ok(())
}

/// Both sides with their words.
struct WithWords {
    key: Corpus,
    response: Corpus,
}

fn read_words(plan: &Plan, settings: &Settings, response: &Input) -> Result<WithWords> {
    let unseen = AtomicU64::new(0);
    let (key, _) = read_one(plan, settings, &plan.key.input, Side::Key, true, &unseen)?;
    let (response, _) = read_one(plan, settings, response, Side::Response, true, &unseen)?;
    Ok(WithWords { key, response })
}

impl WithWords {
    fn first_difference(&self, pair: DocumentPair<'_>) -> Option<pairing::WordDifference> {
        let find =
            |corpus: &Corpus| corpus.documents.iter().position(|document| document.id() == pair.key.id());
        let (key, response) = (find(&self.key)?, find(&self.response)?);
        pairing::first_difference(&self.key.documents[key], &self.response.documents[response])
    }
}

/// Under `--strict` the first warning is an error that counts them all.
fn refuse_warnings(diagnostics: &Diagnostics) -> Result<()> {
    let warnings = diagnostics.warnings();
    let warning = diagnostics
        .groups()
        .iter()
        .find(|group| group.code.severity() == corefeval_core::diagnostic::Severity::Warning);
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
