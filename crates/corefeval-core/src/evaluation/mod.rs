//! Evaluates a request: the only path from inputs to a report.
//!
//! A front end builds a [`Request`], creates an [`Evaluation`] from it, and calls one of [`score`](Evaluation::score),
//! [`compare`](Evaluation::compare), [`agree`](Evaluation::agree), [`correlate`](Evaluation::correlate),
//! [`cone`](Evaluation::cone), [`probe`](Evaluation::probe), [`errors`](Evaluation::errors),
//! [`explain`](Evaluation::explain), [`validate`](Evaluation::validate), [`stats`](Evaluation::stats),
//! [`show`](Evaluation::show), [`convert`](Evaluation::convert), [`prompts`](Evaluation::prompts) or
//! [`merge`](Evaluation::merge). The methods that score share their first steps, so every setting in a report's signature
//! was applied:
//!
//! 1. settings and metrics are resolved as far as possible, so that a wrong option is reported before a large file is
//!    read;
//! 2. the inputs are read in parallel;
//! 3. the format of the key determines the remaining settings and metrics;
//! 4. unsupported metrics are an error if they were requested by name, otherwise they are left out with a warning;
//! 5. the source of names is chosen, and options without effect are reported;
//! 6. documents are paired by id, their words are compared, and they are joined by topic or corpus if the scope
//!    requires it.
//!
//! ```
//! use corefeval_core::evaluation::{Evaluation, Request};
//! # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
//! # let (key, response) = (format!("{folder}/key.conll"), format!("{folder}/alder.conll"));
//! let report = Evaluation::new(Request::files(&key, [response.as_str()])?.metrics("conll")?)?.score()?;
//! assert_eq!(format!("{:.4}", report.systems[0].results[0].score.f1), "0.8709");
//! # Ok::<(), corefeval_core::Error>(())
//! ```

mod agree;
mod annotated;
mod compare;
mod cone;
mod cone_correlations;
mod convert;
mod correlate;
mod counts;
mod distinct;
mod errors;
mod explain;
mod growing;
mod labels;
mod one_key;
mod options;
mod overview;
mod pairs;
mod probe;
mod prompt;
mod reading;
mod request;
mod runs;
mod show;
mod stats;
mod streamed;
mod systems;
mod tasks;
mod validate;

use crate::wording::{option, switch, text};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use crate::diagnostic::{Code, Diagnostics, Severity};
use crate::error::{Error, ErrorKind, Result};
use crate::formats::FormatSpec;
use crate::matching::check_cost;
use crate::metrics::{self, Metric};
use crate::model::{Corpus, Document, Side, TextAlignment};
use crate::named::{self, NamedCounts};
use crate::pairing::{self, DocumentPair};
use crate::results::{Report, SideSize, SystemReport};
use crate::scope::{self, JoinedPair};
use crate::score::{Past, Task, score_pairs};
use crate::settings::{NamedSource, Scope, Settings, Switch};
use crate::{alignment, input};

pub use agree::Agree;
pub use annotated::Annotated;
use annotated::warn_if_empty;
pub use compare::Compare;
pub use cone::{Cone, ConeReport, ConeResult};
pub use cone_correlations::ConeCorrelate;
pub use convert::{Conversion, PutText, WrittenForm};
pub use correlate::Correlate;
pub use errors::Errors;
pub use explain::Explain;
pub use growing::Growing;
pub use options::{Values, format_and_notation, limits, no_effect, settings_of_files};
pub use overview::Overview;
pub use probe::probe_profile;
pub use prompt::Prompts;
pub use request::{Inputs, NamedInput, Request};
use request::{check_system_names, check_weights};
pub use show::DocumentViews;
pub use stats::Stats;
pub use tasks::TaskKind;
pub use validate::{Validate, WriteFixes};

use labels::note_by_row;
use one_key::{name_system, sides};
use reading::{Kept, Loaded, Reading};

/// Observes how much of the inputs has been read.
pub trait Progress: Send + Sync {
    /// Runs `work`, which reads inputs of `total` bytes and counts the bytes read so far in `read`. It must call `work`
    /// once.
    fn observe(&self, total: &dyn Fn() -> u64, read: &AtomicU64, work: &mut dyn FnMut());
}

/// Receives rows of a report before it is complete: a report without findings, which has only the first system, with the
/// next of its [`documents`](SystemReport::documents), but no scores.
pub type EachRows<'r> = dyn FnMut(&Report) -> Result<()> + 'r;

/// A checked request. Each task reads the inputs again.
#[derive(Clone)]
pub struct Evaluation {
    request: Request,
    progress: Option<Arc<dyn Progress>>,
    forget: bool,
    /// The minimum total size of a key and a response that are scored while they are read, in bytes. It does not affect
    /// results.
    least_streamed: u64,
}

impl Evaluation {
    /// Checks a request as far as possible without reading its inputs: names, settings and metrics.
    ///
    /// # Errors
    ///
    /// An option or a metric does not exist, or settings contradict each other.
    pub fn new(request: Request) -> Result<Evaluation> {
        Ok(Evaluation {
            request: request.validated()?,
            progress: None,
            forget: false,
            least_streamed: streamed::LEAST_BYTES,
        })
    }

    /// Sets the observer of reading.
    #[must_use]
    pub fn observed(self, progress: Arc<dyn Progress>) -> Evaluation {
        Evaluation { progress: Some(progress), ..self }
    }

    /// Leaves the memory of large inputs to the operating system. This is for a process that ends after the task, where
    /// freeing memory piece by piece would only take time.
    #[must_use]
    pub fn before_exit(self) -> Evaluation {
        Evaluation { forget: true, ..self }
    }

    /// Returns the request.
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// Returns the key and its responses, unless the inputs are of another kind or files are paired.
    fn one_key(&self, before: &Settings) -> Option<(&NamedInput, &[NamedInput])> {
        match &self.request.inputs {
            Inputs::OneKey { key, responses } if before.pair_files == Switch::No => Some((key, responses)),
            _ => None,
        }
    }

    /// Scores every response against the key.
    ///
    /// Named pairs of files are scored pair by pair, and so are the files of directories if the settings request it.
    /// The report then contains their macro average.
    ///
    /// # Errors
    ///
    /// The errors of reading the inputs and of pairing their documents. The format does not support a metric. With
    /// `strict`, any warning.
    pub fn score(&self) -> Result<Report> {
        self.score_with_rows(&mut |_| Ok(()))
    }

    /// Like [`score`](Self::score), and passes rows of the first response's documents to `each` as soon as they are scored,
    /// if large files are scored while they are read and rows of documents are requested.
    ///
    /// These rows are the first ones of the report, unless a later document has an error or lacks the annotation of a
    /// metric. In that case, `score` fails, or all rows of the report differ from the rows that were passed on. A strict
    /// request passes no rows on, because a later warning would refuse them.
    ///
    /// # Errors
    ///
    /// The errors of [`score`](Self::score); an error of `each`.
    pub fn score_with_rows(&self, each: &mut EachRows<'_>) -> Result<Report> {
        let mut unused = Diagnostics::default();
        self.request.warn_of_unused_fields(&[], "scores", &mut unused);
        self.refuse_warnings(&unused)?;
        let mut report = self.score_inputs(each)?;
        report.diagnostics.merge(unused);
        Ok(report)
    }

    /// Scores inputs of any kind.
    fn score_inputs(&self, each: &mut EachRows<'_>) -> Result<Report> {
        if let Inputs::Counts(tables) = &self.request.inputs {
            return self.score_counts(tables);
        }
        let before = self.settings_before()?;
        let Some((key, responses)) = self.one_key(&before) else { return self.score_files(&before) };
        check_system_names(responses.iter().map(|response| response.name.as_str()))?;
        let reading = Reading::new(self, &before);
        let by_row = match self.score_labels(&reading, key, responses)? {
            Ok(report) => return Ok(report),
            Err(reason) => reason,
        };
        let noted = |mut report: Report| {
            note_by_row(&by_row, key, responses, &mut report.diagnostics);
            report
        };
        let mut none = |_: &Report| Ok(());
        let each = if self.request.strict { &mut none } else { each };
        if let Some(report) = self.score_streamed(&reading, key, responses, each)? {
            return Ok(noted(report));
        }
        let all = self.kept(reading.read_all(&sides(key, responses))?);
        let one_key = self.settled(&reading, (key, responses), &all, |_, _| Ok(()))?;
        let done = one_key.each(|task, named, pairs, own| score_system(pairs, task, own, key, named))?;
        Ok(noted(done.report()))
    }

    /// Fails if CEAF may stop with bounds, which only [`score`](Self::score) supports.
    fn require_exact(&self) -> Result<()> {
        if self.request.settings(None)?.ceaf_bound.is_none() {
            return Ok(());
        }
        let message =
            text!("{} gives bounds instead of scores, which this task cannot use", option("ceaf-bound"));
        Err(Error::new(ErrorKind::Settings, message)
            .hint("leave it out; bounds are for scores of responses alone"))
    }

    /// Fails if scores by groups are requested from a task that has none.
    fn refuse_groups(&self, task: &str) -> Result<()> {
        let Some(by) = self.request.by else { return Ok(()) };
        let message = format!("{task} has no scores by {}", by.id());
        Err(Error::new(ErrorKind::Settings, message).hint(text!("leave out {}", option("by"))))
    }

    /// Fails if inputs of the request are missing, and names all of them.
    fn check_present(&self) -> Result<()> {
        input::check_present(self.request.inputs.all().into_iter().map(|named| &named.input))
    }

    /// Returns the settings as far as they are known before the key is read. Fails for metrics that contradict them,
    /// and for a key without a response.
    fn settings_before(&self) -> Result<Settings> {
        if matches!(&self.request.inputs, Inputs::OneKey { responses, .. } if responses.is_empty()) {
            return Err(no_response().hint("name a response too"));
        }
        let format = self.request.key_format.map(|spec| spec.id);
        let before = self.request.settings(format)?;
        self.request.check_span_ends(&before)?;
        self.request.metrics_for(&before, format.unwrap_or_default())?;
        Ok(before)
    }

    /// Returns the metrics and settings for a key in `format`.
    fn task(&self, format: &FormatSpec) -> Result<Task> {
        self.request.task(format.id)
    }

    /// Determines the settings that depend on the documents: the supported metrics and the source of names. Also
    /// reports options without effect on the formats of the key and of the responses read.
    fn settle(
        &self,
        task: &mut Task,
        formats: &[&'static FormatSpec],
        corpora: &[&Corpus],
        names: NameSources<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Result<()> {
        let is_aligned = corpora.is_empty() || corpora.iter().any(|corpus| corpus.alignment.is_some());
        note_alignment(&mut task.settings, corpora);
        self.settle_for(task, (formats, is_aligned), &documents_of(corpora), names, diagnostics)
    }

    /// Like [`settle`](Self::settle), for documents whose alignment is recorded in the settings.
    fn settle_for(
        &self,
        task: &mut Task,
        (formats, is_aligned): (&[&'static FormatSpec], bool),
        documents: &[&Document],
        names: NameSources<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Result<()> {
        self.keep_possible(&mut task.metrics, documents, diagnostics)?;
        self.settle_names(task, names, diagnostics)?;
        self.request.warn_without_effect(task, formats, is_aligned, diagnostics);
        Ok(())
    }

    /// Replaces settings by those that a task applies, and reports other options that were chosen.
    fn apply(&self, settings: &mut Settings, applied: Settings, task: &str, diagnostics: &mut Diagnostics) {
        let chosen =
            self.request.chosen_options().map(|option| (option.name, option.value(settings), option));
        for (name, value, _) in chosen.filter(|(_, value, option)| *value != option.value(&applied)) {
            diagnostics
                .add(Code::WithoutEffect, None, None, || format!("`{name}:{value}` has no effect on {task}"));
        }
        *settings = applied;
    }

    /// Removes metrics that some document does not support, with a warning. Fails if such a metric was requested by
    /// name.
    fn keep_possible(
        &self,
        metrics: &mut Vec<Metric>,
        documents: &[&Document],
        diagnostics: &mut Diagnostics,
    ) -> Result<()> {
        let (named, others): (Vec<Metric>, Vec<Metric>) =
            metrics.iter().partition(|metric| self.request.names_metric(metric));
        check_possible(&named, documents)?;
        for metric in others {
            let Some(document) = impossible_in(&metric, documents) else { continue };
            let id = Some(document.id().to_string());
            diagnostics.add(Code::MetricImpossible, Some(document.position()), id, || {
                format!(
                    "{} was left out: `{}` lacks the annotation that it counts",
                    metric.label(),
                    document.id()
                )
            });
            metrics.retain(|other| *other != metric);
        }
        Ok(())
    }

    /// Chooses the source of names if a score needs names.
    fn settle_names(
        &self,
        task: &mut Task,
        names: NameSources<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Result<()> {
        if !metrics::need_names(&task.settings, &task.metrics) {
            return Ok(());
        }
        task.settings.named = named::resolve_among(task.settings.named, &(names.sources)(), names.first)?;
        named::warn_of_rules(&task.settings, diagnostics);
        Ok(())
    }

    /// Wraps corpora that live as long as the task.
    fn kept(&self, loaded: Vec<Loaded>) -> Kept {
        Kept::new(loaded, self.forget)
    }

    /// Fails if the request is strict and there is a warning.
    fn refuse_warnings(&self, diagnostics: &Diagnostics) -> Result<()> {
        if self.request.strict { refuse_warnings(diagnostics) } else { Ok(()) }
    }

    /// Returns an evaluation of another request with the same options.
    fn of(&self, request: Request) -> Evaluation {
        Evaluation { request, ..self.clone() }
    }
}

fn no_response() -> Error {
    Error::new(ErrorKind::Settings, "a key was given, but no response to score")
}

/// Records in the settings how the texts of responses were aligned with the key's.
fn note_alignment(settings: &mut Settings, corpora: &[&Corpus]) {
    if !corpora.is_empty() {
        let applied = corpora.iter().filter_map(|corpus| corpus.alignment).reduce(TextAlignment::and);
        alignment::note(settings, applied);
    }
}

/// The documents that are searched for the source of names.
struct NameSources<'c> {
    /// The first document, for the place of errors.
    first: Option<&'c Document>,
    /// The sources of names in the documents.
    sources: Box<dyn FnOnce() -> Vec<NamedSource> + 'c>,
}

impl<'c> NameSources<'c> {
    /// Creates the names of corpora.
    fn of(corpora: &'c [&'c Corpus]) -> NameSources<'c> {
        NameSources {
            first: corpora.iter().flat_map(|corpus| &corpus.documents).next(),
            sources: Box::new(|| corpora.iter().flat_map(|corpus| named::sources(corpus)).collect()),
        }
    }
}

/// Returns the formats of corpora that were read.
fn formats_of(loaded: &[Loaded]) -> Vec<&'static FormatSpec> {
    loaded.iter().map(|(_, format)| *format).collect()
}

/// Returns the corpora of the key and of all responses.
fn corpora<'c>(key: &'c Corpus, loaded: &'c [Loaded]) -> Vec<&'c Corpus> {
    std::iter::once(key).chain(loaded.iter().map(|(corpus, _)| corpus)).collect()
}

/// Returns the documents of corpora.
fn documents_of<'c>(corpora: &[&'c Corpus]) -> Vec<&'c Document> {
    corpora.iter().flat_map(|corpus| &corpus.documents).collect()
}

/// Fails if a metric is not possible in all of these documents.
fn check_possible(metrics: &[Metric], documents: &[&Document]) -> Result<()> {
    let impossible = |metric: &Metric| Some((*metric, impossible_in(metric, documents)?));
    let Some((metric, document)) = metrics.iter().find_map(impossible) else { return Ok(()) };
    let message = format!("{} cannot be counted: `{}` lacks the annotation", metric.label(), document.id());
    let error = Error::new(ErrorKind::Format, message).at(document.position());
    Err(error.hint(Code::MetricImpossible.remedy()))
}

/// Returns the first document that does not support a metric.
fn impossible_in<'d>(metric: &Metric, documents: &[&'d Document]) -> Option<&'d Document> {
    documents.iter().copied().find(|document| !metric.is_possible(document))
}

/// Adds the format of a response to the formats, unless it is already included.
fn add_format(formats: &mut String, format: &FormatSpec) {
    if !FormatSpec::ids_of(formats).contains(&format.id) {
        if !formats.is_empty() {
            formats.push('+');
        }
        formats.push_str(format.id);
    }
}

/// Pairs of documents, joined if the scope requires it.
struct Joined<'c> {
    /// The single documents.
    apart: Vec<DocumentPair<'c>>,
    /// The documents joined by topic or corpus, if the scope requires it.
    together: Option<Vec<JoinedPair>>,
}

impl<'c> Joined<'c> {
    /// Joins the documents of pairs according to the scope. Fails if one is too costly to score.
    fn new(
        pairs: Vec<DocumentPair<'c>>,
        settings: &Settings,
        diagnostics: &mut Diagnostics,
    ) -> Result<Joined<'c>> {
        let together = scope::join(&pairs, settings.scope, diagnostics)?;
        let joined = Joined { apart: pairs, together };
        for pair in joined.pairs() {
            check_cost(pair.key, pair.response, settings)?;
        }
        Ok(joined)
    }

    /// Returns the pairs to score.
    fn pairs(&self) -> Vec<DocumentPair<'_>> {
        match &self.together {
            None => self.apart.clone(),
            Some(joined) => joined.iter().map(JoinedPair::as_pair).collect(),
        }
    }

    /// Counts the texts before they were joined, with the mentions counted in them.
    fn count_texts(&self, sizes: &mut [SideSize; 2]) {
        let texts = SideSize::of_texts(&self.apart);
        sizes.iter_mut().zip(texts).for_each(|(size, texts)| *size = size.over(texts));
    }
}

/// Scores paired documents within their scope.
fn score_joined(
    pairs: Vec<DocumentPair<'_>>,
    task: &Task,
    diagnostics: &mut Diagnostics,
) -> Result<SystemReport> {
    let joined = Joined::new(pairs, &task.settings, diagnostics)?;
    let mut report = score_pairs(&joined.pairs(), task, diagnostics)?;
    check_names(&report)?;
    joined.count_texts(&mut report.sizes);
    Ok(report)
}

/// Scores a response, and sets the names of the system and its files.
fn score_system(
    pairs: Vec<DocumentPair<'_>>,
    task: &Task,
    diagnostics: &mut Diagnostics,
    key: &NamedInput,
    response: &NamedInput,
) -> Result<SystemReport> {
    let mut system = score_joined(pairs, task, diagnostics)?;
    name_system([&mut system.name, &mut system.key, &mut system.response], key, response);
    Ok(system)
}

/// Scores documents that a program has paired, applying everything that the signature of `task.settings` names. Words
/// are compared, and documents are joined by topic or corpus if the scope requires it.
///
/// Warns if a metric scores named mentions but there are none; an [`Evaluation`] fails instead.
///
/// # Errors
///
/// The settings request pairs of files; a metric uses weights that the settings lack or cannot apply; words differ although
/// the settings require equal ones; texts have too little in common to be aligned; a document is too costly to match, or
/// joined documents are too large; or no document or mention belongs to a group.
pub fn score_documents(
    pairs: &[DocumentPair<'_>],
    task: &Task,
    diagnostics: &mut Diagnostics,
) -> Result<SystemReport> {
    if task.settings.pair_files == Switch::Yes {
        let message = "documents that are already paired cannot be paired by file";
        return Err(
            Error::new(ErrorKind::Settings, message).hint(text!("leave out {}", option("pair-files")))
        );
    }
    check_weights(&task.metrics, &task.settings)?;
    let mut carried: Vec<Option<Document>> = Vec::new();
    if task.settings.aligns_texts() {
        let options = alignment::Options::of(&task.settings);
        for pair in pairs {
            let placed = match pair.response {
                Some(response) => alignment::carried(pair.key, response, &options, diagnostics)?,
                None => None,
            };
            carried.push(placed.map(|placed| placed.0));
        }
    }
    let mut placed: Vec<DocumentPair<'_>> = pairs.to_vec();
    for (pair, carried) in placed.iter_mut().zip(&carried) {
        pair.response = carried.as_ref().or(pair.response);
    }
    pairing::leave_out_missing(&mut placed, task.settings.missing_documents);
    for pair in &placed {
        warn_if_empty(pair.key, Some(Side::Key), diagnostics);
        if let Some(response) = pair.response {
            warn_if_empty(response, Some(Side::Response), diagnostics);
        }
    }
    Past::default().check(&placed, &task.settings, diagnostics)?;
    if task.settings.scope == Scope::Document {
        return score_pairs(&placed, task, diagnostics);
    }
    let joined = Joined::new(placed, &task.settings, diagnostics)?;
    let mut report = score_pairs(&joined.pairs(), task, diagnostics)?;
    joined.count_texts(&mut report.sizes);
    Ok(report)
}

/// Fails if names are requested but the text has none.
fn check_names(report: &SystemReport) -> Result<()> {
    report.named.as_ref().map_or(Ok(()), NamedCounts::check)
}

fn nothing() -> Error {
    Error::new(ErrorKind::Settings, "there is nothing to score")
}

/// Fails if there are warnings, as `strict` requires.
///
/// # Errors
///
/// There is a warning. The error contains the first warning and their number.
pub fn refuse_warnings(diagnostics: &Diagnostics) -> Result<()> {
    let warnings = diagnostics.warnings();
    let warning = diagnostics.groups().iter().find(|group| group.code.severity() == Severity::Warning);
    let Some(group) = warning else { return Ok(()) };
    let first = group.kept.first();
    let message = first.map_or_else(|| group.code.summary().into(), |first| first.message.clone());
    let others = match warnings {
        1 => String::new(),
        more => format!(" (the first of {more} warnings)"),
    };
    let error = Error::new(ErrorKind::Strict, text!("{} [{}]{}", message, group.code.id(), others));
    let error = error.coded(group.code);
    let error = match first.and_then(|first| first.position.clone()) {
        Some(position) => error.at(position),
        None => error,
    };
    Err(error.hint(text!("{}; without {} this is a warning", group.code.remedy(), switch("strict"))))
}
