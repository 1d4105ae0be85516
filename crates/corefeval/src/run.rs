//! `corefeval score`: reads, pairs, scores, and gives back the report.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use corefeval_core::diagnostic::{Code, Diagnostics, Severity};
use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::formats::{FormatSpec, ReadOptions, Side};
use corefeval_core::groups::GroupSpec;
use corefeval_core::input::Input;
use corefeval_core::metrics::{METRICS, Metric};
use corefeval_core::model::{Corpus, Document, DocumentId};
use corefeval_core::named::{self, NamedCounts};
use corefeval_core::pairing::{self, DocumentPair};
use corefeval_core::results::{Report, SystemReport};
use corefeval_core::scope::{self, JoinedPair};
use corefeval_core::score::{Task, score_pairs};
use corefeval_core::settings::{Average, NamedSource, Settings, Switch};
use corefeval_report::OutputSpec;

use crate::pairs;
use crate::plan::{Inputs, Plan};
use crate::terminal::{Talk, with_progress};

/// What was read, and as what.
pub type Loaded = (Corpus, &'static FormatSpec);

/// What was read, until the end of the process where it is about to end: taking the documents apart would be
/// work for nothing then.
pub struct Kept {
    loaded: Vec<Loaded>,
    forget: bool,
}

impl Kept {
    /// Keeps `loaded`, beyond its own life if it is to `forget` it.
    pub fn new(loaded: Vec<Loaded>, forget: bool) -> Kept {
        Kept { loaded, forget }
    }
}

impl Deref for Kept {
    type Target = [Loaded];

    fn deref(&self) -> &[Loaded] {
        &self.loaded
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if self.forget {
            std::mem::forget(std::mem::take(&mut self.loaded));
        }
    }
}

/// Scores all responses of a plan.
pub fn score(plan: &Plan) -> Result<Report> {
    let format = plan.key_format.map(|spec| spec.id);
    let before = plan.settings(format)?;
    // A wrong metric should not wait for a large file.
    plan.metrics(&before, format.unwrap_or_default())?;
    let Inputs::OneKey { key, responses } = &plan.inputs else { return pairs::score(plan, &before) };
    if before.pair_files == Switch::Yes {
        return pairs::score(plan, &before);
    }
    let inputs: Vec<(&Input, Side)> = std::iter::once((&key.input, Side::Key))
        .chain(responses.iter().map(|response| (&response.input, Side::Response)))
        .collect();
    let reading = Reading::new(plan, &before);
    let loaded = Kept::new(reading.read_all(&inputs)?, plan.forgetful);
    let Some(((key_corpus, key_format), loaded)) = loaded.split_first() else {
        return Err(Error::new(ErrorKind::Settings, "there is nothing to score"));
    };
    let settings = plan.settings(Some(key_format.id))?;
    let mut task = task(plan, settings, key_format, plan.threads)?;
    let mut diagnostics = key_corpus.diagnostics.clone();
    keep_possible(plan, &mut task.metrics, &corpora(key_corpus, loaded), &mut diagnostics)?;
    let responses_read: Vec<&Corpus> = loaded.iter().map(|loaded| &loaded.0).collect();
    settle_names(plan, &mut task, Some(key_corpus), &responses_read, &mut diagnostics)?;
    let settings = task.settings.clone();
    check_output(plan.output, &task.metrics, &settings)?;
    let mut report = Report {
        settings,
        format: key_format.id.to_owned(),
        diagnostics,
        systems: Vec::new(),
        averages: Vec::new(),
    };
    tell_without_effect(plan, &task, key_format.id, &mut report.diagnostics);
    tell_not_shown(plan, &task, &mut report.diagnostics);
    for (named, (response, format)) in responses.iter().zip(loaded) {
        add_format(&mut report.format, format);
        let mut diagnostics = response.diagnostics.clone();
        let sides = [(&key.input, key_corpus), (&named.input, response)];
        let mut system = score_sides(&reading, &task, sides, &mut diagnostics)?;
        system.name.clone_from(&named.name);
        system.key.clone_from(&key.path);
        system.response.clone_from(&named.path);
        report.systems.push(system);
        report.diagnostics.merge(diagnostics);
    }
    if plan.strict {
        refuse_warnings(&report.diagnostics)?;
    }
    Ok(report)
}

/// The corpora of the key and of all responses.
pub fn corpora<'c>(key: &'c Corpus, loaded: &'c [Loaded]) -> Vec<&'c Corpus> {
    std::iter::once(key).chain(loaded.iter().map(|(corpus, _)| corpus)).collect()
}

/// What is to be computed where the key is in `format`.
pub fn task(plan: &Plan, settings: Settings, format: &FormatSpec, threads: usize) -> Result<Task> {
    let metrics = plan.metrics(&settings, format.id)?;
    Ok(Task { settings, metrics, by: plan.by, threads })
}

/// Sees to it that every metric can be counted in all documents of these corpora. One that was named
/// and cannot is an error; one that came with the profile or with `all` is left out, with a warning.
pub fn keep_possible(
    plan: &Plan,
    metrics: &mut Vec<Metric>,
    corpora: &[&Corpus],
    diagnostics: &mut Diagnostics,
) -> Result<()> {
    let (named, others): (Vec<Metric>, Vec<Metric>) =
        metrics.iter().partition(|metric| plan.names_metric(metric));
    check_possible(&named, corpora)?;
    for metric in others {
        let Some(document) = impossible_in(&metric, corpora) else { continue };
        let id = Some(document.id().to_string());
        diagnostics.add(Code::MetricImpossible, Some(document.position()), id, || {
            format!("{} was left out: `{}` does not say it", metric.label(), document.id())
        });
        metrics.retain(|other| *other != metric);
    }
    Ok(())
}

/// Fails where one of the metrics cannot be counted in all documents of these corpora.
pub fn check_possible(metrics: &[Metric], corpora: &[&Corpus]) -> Result<()> {
    let impossible = |metric: &Metric| Some((*metric, impossible_in(metric, corpora)?));
    let Some((metric, document)) = metrics.iter().find_map(impossible) else { return Ok(()) };
    let message = format!("{} cannot be counted: `{}` does not say it", metric.label(), document.id());
    let error = Error::new(ErrorKind::Format, message).at(document.position());
    Err(error.hint(Code::MetricImpossible.remedy()))
}

/// The first document in which a metric cannot be counted.
fn impossible_in<'c>(metric: &Metric, corpora: &[&'c Corpus]) -> Option<&'c Document> {
    let mut documents = corpora.iter().flat_map(|corpus| &corpus.documents);
    documents.find(|document| !metric.is_possible(document))
}

/// Decides where names come from, if any score asks for them, and tells of what was typed for nothing.
pub fn settle_names(
    plan: &Plan,
    task: &mut Task,
    key: Option<&Corpus>,
    responses: &[&Corpus],
    diagnostics: &mut Diagnostics,
) -> Result<()> {
    let corpora = || key.into_iter().chain(responses.iter().copied());
    let first = corpora().flat_map(|corpus| &corpus.documents).next();
    settle_names_among(plan, task, first, || corpora().flat_map(named::sources).collect(), diagnostics)
}

/// As [`settle_names`], where not all corpora are at hand: from the first document and the sources that there are.
pub fn settle_names_among(
    plan: &Plan,
    task: &mut Task,
    first: Option<&Document>,
    sources: impl FnOnce() -> Vec<NamedSource>,
    diagnostics: &mut Diagnostics,
) -> Result<()> {
    if !named::are_needed(&task.settings, &task.metrics) {
        for typed in plan.about_names() {
            diagnostics.add(Code::WithoutEffect, None, None, || {
                format!("`{typed}` has no effect: no score of named mentions is asked for")
            });
        }
        return Ok(());
    }
    task.settings.named = named::resolve_among(task.settings.named, &sources(), first)?;
    named::tell_of_rules(&task.settings, diagnostics);
    Ok(())
}

/// Fails where names were asked for and there is none.
pub fn check_names(report: &SystemReport) -> Result<()> {
    report.named.as_ref().map_or(Ok(()), NamedCounts::check)
}

/// Adds the format of a response to those of the key and other responses, unless it is one of them.
pub fn add_format(formats: &mut String, format: &FormatSpec) {
    if !formats.split('+').any(|id| id == format.id) {
        formats.push('+');
        formats.push_str(format.id);
    }
}

/// Pairs the documents of key and response, and scores them.
pub fn score_sides(
    reading: &Reading<'_>,
    task: &Task,
    [(key_input, key), (response_input, response)]: [(&Input, &Corpus); 2],
    diagnostics: &mut Diagnostics,
) -> Result<SystemReport> {
    let pairs =
        pair_sides(reading, &task.settings, [(key_input, key), (response_input, response)], diagnostics)?;
    score_paired(pairs, task, diagnostics)
}

/// Pairs the documents of key and response, and compares their words.
pub fn pair_sides<'c>(
    reading: &Reading<'_>,
    settings: &Settings,
    [(key_input, key), (response_input, response)]: [(&Input, &'c Corpus); 2],
    diagnostics: &mut Diagnostics,
) -> Result<Vec<DocumentPair<'c>>> {
    let pairs = pairing::pair(key, response, diagnostics)?;
    check_words(reading, settings, &pairs, [key_input, response_input], diagnostics)?;
    Ok(pairs)
}

/// Scores paired documents within their scope.
pub fn score_paired(
    pairs: Vec<DocumentPair<'_>>,
    task: &Task,
    diagnostics: &mut Diagnostics,
) -> Result<SystemReport> {
    let joined = scope::join(&pairs, task.settings.scope, diagnostics)?;
    let pairs = joined.as_ref().map_or(pairs, |joined| joined.iter().map(JoinedPair::as_pair).collect());
    let report = score_pairs(&pairs, task, diagnostics)?;
    check_names(&report)?;
    Ok(report)
}

/// Reports what was asked for and the output does not show.
pub fn tell_not_shown(plan: &Plan, task: &Task, diagnostics: &mut Diagnostics) {
    if plan.output.id != "conll" {
        return;
    }
    // Mention identification precedes every metric there.
    let shown = |metric: &&Metric| metric.spec().id == "mentions" || metric.reference_scorer().is_some();
    let asked = |metric: &&Metric| plan.names_metric(metric) || metric.needs_names();
    for metric in task.metrics.iter().filter(asked).filter(|metric| !shown(metric)) {
        diagnostics.add(Code::NotShown, None, None, || {
            format!("--output conll does not show `{metric}`, which the reference scorer does not have")
        });
    }
    if let Some(by) = plan.by {
        diagnostics.add(Code::NotShown, None, None, || {
            format!("--output conll shows totals alone, and nothing by {}", by.id)
        });
    }
}

/// Reports options that have no effect on the format, and settings that were printed for another.
pub fn tell_without_effect(plan: &Plan, task: &Task, format: &str, diagnostics: &mut Diagnostics) {
    tell_unweighted(plan, task, diagnostics);
    for message in plan.signature_differs(format) {
        diagnostics.add(Code::OtherOrigin, None, None, || format!("the settings given: {message}"));
    }
    for (name, value, what) in plan.without_effect(&task.settings, format, &task.metrics) {
        diagnostics
            .add(Code::WithoutEffect, None, None, || format!("`{name}:{value}` has no effect on {what}"));
    }
}

/// Reports weights that some metrics do not use.
pub fn tell_unweighted(plan: &Plan, task: &Task, diagnostics: &mut Diagnostics) {
    if let Some((code, message)) = plan.unweighted(&task.metrics, &task.settings) {
        diagnostics.add(code, None, None, || message);
    }
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

/// What `work` gives for each number below `count`, in order, on so many threads.
pub fn side_by_side<T: Send>(threads: usize, count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let part = || {
        let numbers =
            std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&n| n < count));
        numbers.map(|number| (number, work(number))).collect::<Vec<_>>()
    };
    let mut all = std::thread::scope(|scope| {
        let workers: Vec<_> = (1..threads.min(count)).map(|_| scope.spawn(part)).collect();
        let mut all = part();
        for worker in workers {
            all.extend(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        all
    });
    all.sort_unstable_by_key(|(number, _)| *number);
    all.into_iter().map(|(_, value)| value).collect()
}

/// Fails where an output cannot show metrics.
pub fn check_output(output: &OutputSpec, metrics: &[Metric], settings: &Settings) -> Result<()> {
    if output.id == "conll" && !metrics.iter().any(|metric| metric.reference_scorer().is_some()) {
        let ids: Vec<&str> =
            METRICS.iter().filter(|row| row.reference_scorer.is_some()).map(|row| row.id).collect();
        let message = "the reference scorer has none of these metrics, so --output conll shows nothing";
        return Err(
            Error::new(ErrorKind::Settings, message).hint(format!("its metrics are {}", ids.join(", ")))
        );
    }
    if output.id == "conll" && settings.average != Average::Micro {
        let message = "the reference scorer has no average over documents, so --output conll cannot show one";
        return Err(
            Error::new(ErrorKind::Settings, message).hint("leave out --average, or choose another output")
        );
    }
    Ok(())
}

/// How inputs are read.
#[derive(Clone)]
pub struct Reading<'p> {
    plan: &'p Plan,
    /// As far as they are known before the key is read.
    pub settings: &'p Settings,
    keep_layers: bool,
    /// Whether the key's layers are kept even where responses need none.
    keep_key_layers: bool,
    /// Threads at most.
    pub threads: usize,
    /// Whether there may be a bar of progress.
    pub talk: Talk,
    /// The id of documents that have none.
    pub default_id: String,
}

impl<'p> Reading<'p> {
    /// The same reading, which keeps what is known of each word of the key.
    pub fn with_key_layers(self) -> Reading<'p> {
        Reading { keep_key_layers: true, ..self }
    }

    /// As the plan says.
    pub fn new(plan: &'p Plan, settings: &'p Settings) -> Reading<'p> {
        // A metric that is not known is an error elsewhere.
        let metrics = plan.metrics(settings, "").unwrap_or_default();
        let names = named::are_needed(settings, &metrics);
        let groups = plan.by.is_some_and(GroupSpec::needs_layers);
        let types = settings.weights.is_some() || metrics.iter().any(Metric::needs_types);
        let keep_layers = settings.needs_layers() || names || types || groups;
        let (threads, talk) = (plan.threads, plan.talk);
        Reading {
            plan,
            settings,
            keep_layers,
            keep_key_layers: false,
            threads,
            talk,
            default_id: String::new(),
        }
    }

    /// Reads the inputs side by side, in their order.
    pub fn read_all(&self, inputs: &[(&Input, Side)]) -> Result<Vec<Loaded>> {
        self.read_each(inputs).into_iter().collect()
    }

    /// As [`read_all`](Self::read_all), where some may fail.
    pub fn read_each(&self, inputs: &[(&Input, Side)]) -> Vec<Result<Loaded>> {
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
        with_progress(self.talk, total, &read, || {
            // Every reader has a thread of its own while this one waits: a thread that is started by
            // one that goes on working may share its processor for several milliseconds.
            std::thread::scope(|scope| {
                for _ in 0..self.threads.min(inputs.len()) {
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

    /// Reads one input.
    pub fn read_one(&self, input: &Input, side: Side, progress: &AtomicU64) -> Result<Loaded> {
        let format = match side {
            Side::Key => self.plan.key_format,
            Side::Response => self.plan.response_format,
        };
        let options = ReadOptions {
            keep_layers: self.keep_layers || (self.keep_key_layers && side == Side::Key),
            side,
            span_end: self.settings.span_end,
            boundary_crossing: self.settings.boundary_crossing == Switch::Yes,
            annotation: self.settings.annotation,
            default_id: self.default_id.clone(),
            ids_by_file: self.settings.ids_by_file == Switch::Yes,
            ..ReadOptions::default()
        };
        let (mut corpus, format) = input.read(format, &options, progress)?;
        // Labels are of the key's text, or of the responses' where there is no key.
        let labelled = if matches!(self.plan.inputs, Inputs::NoKey(_)) { Side::Response } else { Side::Key };
        if let (Some(names), true) = (&self.plan.names, self.keep_layers && side == labelled) {
            names.label(&mut corpus)?;
        }
        Ok((corpus, format))
    }
}

/// Compares the words of all pairs. Where fingerprints differ both sides are read again, with their
/// words.
pub fn check_words(
    reading: &Reading<'_>,
    settings: &Settings,
    pairs: &[DocumentPair<'_>],
    [key, response]: [&Input; 2],
    diagnostics: &mut Diagnostics,
) -> Result<()> {
    let doubtful = pairing::doubtful_pairs(pairs, settings, diagnostics);
    if doubtful.is_empty() {
        return Ok(());
    }
    let again = Reading { settings, keep_layers: true, ..reading.clone() };
    let words = again.read_all(&[(key, Side::Key), (response, Side::Response)])?;
    let [key, response] = [0, 1].map(|place| &words[place].0);
    let by_id = |corpus: &'_ Corpus| -> BTreeMap<DocumentId, usize> {
        corpus.documents.iter().enumerate().map(|(place, document)| (document.id().clone(), place)).collect()
    };
    let (key_places, response_places) = (by_id(key), by_id(response));
    for pair in doubtful {
        // Paired documents may spell their ids differently.
        let (ours, theirs) = (pair.key.id(), pair.response.map_or(pair.key.id(), Document::id));
        if let (Some(&ours), Some(&theirs)) = (key_places.get(ours), response_places.get(theirs)) {
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
