//! An overview of systems for a page: scores, comparison, errors and texts of the same documents.

use std::path::PathBuf;

use crate::analysis::{
    AnalysisTask, CommonErrors, DocumentView, ErrorReport, Viewer, analyse, applied_settings,
    metrics_of_corrections,
};
use crate::diagnostic::{Code, Diagnostics};
use crate::error::{Error, ErrorKind, Result};
use crate::groups::{By, GROUPS};
use crate::input::Input;
use crate::metrics::Metric;
use crate::model::DocumentId;
use crate::pairing::DocumentPair;
use crate::profiles::Profile;
use crate::reports::comparison::ComparisonReport;
use crate::results::{Report, SystemReport};
use crate::score::Task;
use crate::settings::Scope;
use crate::significance::Method;
use crate::threads::side_by_side;
use crate::wording::{option, option_value, switch, text};

use super::compare::Compare;
use super::errors::{Errors, warn_of_language};
use super::one_key::{Done, name_system, sides};
use super::reading::Reading;
use super::request::{Inputs, NamedInput, check_system_names};
use super::show::no_document;
use super::{Evaluation, score_joined, score_system};

/// The contents of a page about systems.
#[derive(Clone, Debug)]
pub struct Overview {
    /// The scores, by document.
    pub report: Report,
    /// Intervals and tests, unless the documents cannot be resampled.
    pub comparison: Option<ComparisonReport>,
    /// The reason for not comparing the systems, if any.
    pub not_compared: Option<Error>,
    /// The scores by groups of documents and of mentions: one report for each grouping with several groups.
    pub groups: Vec<Report>,
    /// The errors, with their rows.
    pub errors: ErrorReport,
    /// The key's documents, with the annotation of all systems.
    pub documents: Vec<DocumentView>,
    /// The largest number of threads for its page.
    pub threads: usize,
    /// The ids of `documents`.
    ids: Vec<DocumentId>,
}

impl Overview {
    /// Returns the ids of the documents that users mean by these ids or, for all parts of a document, by its name.
    ///
    /// # Errors
    ///
    /// The key has no document with one of them.
    pub fn named(&self, wanted: &[String]) -> Result<Vec<String>> {
        let mut named = Vec::new();
        for wanted in wanted {
            let before = named.len();
            let called = self.ids.iter().filter(|id| id.is_called(wanted));
            named.extend(called.map(ToString::to_string));
            if named.len() == before {
                let known = self.documents.iter().map(|document| document.id.as_str());
                return Err(no_document(ErrorKind::Settings, wanted, known));
            }
        }
        Ok(named)
    }
}

impl Evaluation {
    /// Returns this evaluation for a single response to the same key.
    ///
    /// # Errors
    ///
    /// The request has no single key.
    pub fn of_one(&self, name: &str, path: &str) -> Result<Evaluation> {
        let Inputs::OneKey { key, .. } = &self.request.inputs else { return Err(several_keys()) };
        let input = Input::Path(PathBuf::from(path));
        let response = NamedInput { name: name.to_owned(), named: true, path: path.to_owned(), input };
        let inputs = Inputs::OneKey { key: key.clone(), responses: vec![response] };
        Ok(self.of(self.request.clone().on(inputs)))
    }

    /// Removes ACE-value with a warning, because pages cannot show its table. If no metric is left, those of the reference
    /// scorer replace it, unless it was requested by name.
    fn keep_shown_on_pages(&self, metrics: &mut Vec<Metric>, diagnostics: &mut Diagnostics) -> Result<()> {
        let Some(left_out) = metrics.iter().find(|metric| metric.needs_corpus()).map(Metric::label) else {
            return Ok(());
        };
        metrics.retain(|metric| !metric.needs_corpus());
        let mut message = format!("{left_out} was left out: pages do not show its table");
        if metrics.is_empty() {
            if self.request.has_metrics() {
                let message = format!("a page does not show the table of {left_out}");
                let example = option_value("metrics", "muc,conll");
                let hint = text!("name other metrics too, for example {}", example);
                return Err(Error::new(ErrorKind::Settings, message).hint(hint));
            }
            let instead = Profile::named("conll")?.metrics.iter();
            *metrics = instead.map(|id| Metric::parse(id)).collect::<Result<_>>()?;
            message.push_str("; the metrics of the reference scorer are shown");
        }
        diagnostics.add(Code::MetricImpossible, None, None, || message);
        Ok(())
    }

    /// Scores the responses by document and by groups, compares them unless `method` is `None`, and finds their errors.
    ///
    /// # Errors
    ///
    /// The errors of reading the inputs and of pairing their documents. The request has no single key, a scope other
    /// than documents, or bounds of CEAF. With `strict`, any warning.
    pub fn overview(&self, method: Option<&Method>, errors: &Errors) -> Result<Overview> {
        self.require_exact()?;
        let before = self.settings_before()?;
        let (key, responses) = self.one_key(&before).ok_or_else(several_keys)?;
        check_system_names(responses.iter().map(|response| response.name.as_str()))?;
        let reading = Reading::new(self, &before).with_layers();
        let all = self.kept(reading.read_all(&sides(key, responses))?);
        let mut one_key = self.settled(&reading, (key, responses), &all, |task, diagnostics| {
            self.keep_shown_on_pages(&mut task.metrics, diagnostics)?;
            if task.settings.scope != Scope::Document {
                let message = "a report shows single documents, so entities cannot span several";
                let error = Error::new(ErrorKind::Settings, message);
                return Err(error.hint(text!("leave out {}", option("scope"))));
            }
            task.by = Some(By::named("document")?);
            let used = [&Compare::fields()[..], &ErrorReport::CHOICES].concat();
            self.request.warn_of_unused_fields(&used, "reports", diagnostics);
            Ok(())
        })?;
        let task = &one_key.task;
        let applied = applied_settings(&task.settings);
        self.apply(&mut task.settings.clone(), applied, "errors", &mut one_key.diagnostics);
        let analysis = AnalysisTask {
            settings: task.settings.clone(),
            metrics: metrics_of_corrections(&task.metrics),
            tree: errors.tree,
            language: errors.language,
            types: errors.types,
            examples: 0,
            rows: true,
            compared: responses.len() > 1,
            threads: task.threads,
        };
        let (mut analyses, mut all_pairs) = (Vec::new(), Vec::new());
        let done = one_key.each(|task, named, pairs, own| {
            let mut of_analysis = Diagnostics::default();
            let mut analysed = analyse(&pairs, &analysis, &mut of_analysis);
            warn_of_language(errors.language, &analysed, own);
            name_system([&mut analysed.name, &mut analysed.key, &mut analysed.response], key, named);
            analyses.push(analysed);
            all_pairs.push(pairs.clone());
            let scored = score_system(pairs, task, own, key, named)?;
            // Both align the documents, with the same findings.
            own.merge_others(of_analysis);
            Ok(scored)
        })?;
        let ids = all_pairs.iter().take(1).flatten().map(|pair| pair.key.id().clone()).collect();
        let documents = views(&all_pairs, &analysis);
        let lacking = all_pairs.iter().flatten().any(|pair| pair.response.is_none());
        let common = CommonErrors::of(&analyses);
        let groups = groups(&all_pairs, &done);
        let errors = ErrorReport {
            settings: analysis.settings,
            format: done.format.clone(),
            diagnostics: Diagnostics::default(),
            kinds: errors.kinds.clone(),
            tree: analysis.tree,
            types: analysis.types,
            language: analysis.language,
            without_cost: Vec::new(),
            systems: analyses,
            common,
        };
        let compared = self.of(self.request.clone().read_by_caller(&ErrorReport::CHOICES));
        let compare = |method: &Method| compared.compare(&Compare { method: *method, ..Compare::default() });
        let (comparison, not_compared) = match method.map(compare) {
            Some(Ok(comparison)) => (Some(comparison), None),
            Some(Err(error)) if matches!(error.kind(), ErrorKind::Io | ErrorKind::Format) => {
                return Err(error);
            }
            // A comparison can leave documents out; a page shows all.
            Some(Err(error)) if lacking => {
                let hint = "add the missing documents to the response, or leave the system out";
                (None, Some(error.hint(hint)))
            }
            Some(Err(error)) => (None, Some(error)),
            None => (None, None),
        };
        let (threads, report) = (done.task.threads, done.report());
        Ok(Overview { report, comparison, not_compared, groups, errors, documents, threads, ids })
    }
}

/// Returns the systems' scores for each grouping that has several groups in the documents.
fn groups(all_pairs: &[Vec<DocumentPair<'_>>], done: &Done<SystemReport>) -> Vec<Report> {
    let by = |by: By| -> Option<Report> {
        let task = Task { by: Some(by), ..done.task.clone() };
        // A grouping that the key lacks is left out, with its findings; the findings of the scores are shown.
        let mut discarded = Diagnostics::default();
        let scored = all_pairs.iter().map(|pairs| score_joined(pairs.clone(), &task, &mut discarded));
        let mut scored = scored.collect::<Result<Vec<SystemReport>>>().ok()?;
        if scored.iter().all(|system| system.documents.len() < 2) {
            return None;
        }
        for (scored, system) in scored.iter_mut().zip(&done.systems) {
            scored.name.clone_from(&system.name);
        }
        Some(Report::new(task.settings, done.format.clone(), discarded, scored))
    };
    GROUPS.iter().filter(|spec| spec.id != "document").map(By::one).filter_map(by).collect()
}

/// Returns the view of each document of the key.
fn views(all_pairs: &[Vec<DocumentPair<'_>>], task: &AnalysisTask) -> Vec<DocumentView> {
    let Some(first) = all_pairs.first() else { return Vec::new() };
    let viewer = Viewer::new(first, task);
    let of = |place: usize| {
        let pairs: Vec<DocumentPair<'_>> =
            all_pairs.iter().filter_map(|pairs| pairs.get(place).copied()).collect();
        viewer.view(&pairs)
    };
    side_by_side(task.threads, first.len(), of).into_iter().flatten().collect()
}

fn several_keys() -> Error {
    Error::new(ErrorKind::Settings, "a report requires a single key").hint(text!(
        "leave out {} and {}",
        option("pair"),
        switch("pair-files")
    ))
}
