//! An overview: what a page shows of one or more systems. Scores, comparison, errors and texts of the same documents.

use std::collections::BTreeSet;

use crate::analysis::{
    AnalysisTask, COREF_ERRORS, CommonErrors, DocumentView, ErrorReport, Tree, analyse,
    metrics_of_corrections, view,
};
use crate::diagnostic::Diagnostics;
use crate::error::{Error, ErrorKind, Result};
use crate::groups::GroupSpec;
use crate::input::Input;
use crate::model::Side;
use crate::pairing::DocumentPair;
use crate::results::Report;
use crate::results::comparison::ComparisonReport;
use crate::settings::{Scope, Switch};
use crate::significance::Method;

use super::compare::Compare;
use super::reading::Reading;
use super::request::Inputs;
use super::{Evaluation, Names, add_format, corpora, nothing, score_joined};

/// What a page shows of one or more systems.
#[derive(Clone, Debug)]
pub struct Overview {
    /// The scores, by document.
    pub report: Report,
    /// Intervals and tests, unless the documents cannot be resampled.
    pub comparison: Option<ComparisonReport>,
    /// Why the systems are not compared, where they are not.
    pub not_compared: Option<Error>,
    /// The scores by genre, where documents have several.
    pub groups: Vec<Report>,
    /// The errors with their rows.
    pub errors: ErrorReport,
    /// The documents of the key with the annotation of all systems.
    pub documents: Vec<DocumentView>,
}

impl Evaluation {
    /// Scores the responses by document, compares them, and finds their errors.
    pub fn overview(&self, method: &Method) -> Result<Overview> {
        let before = self.settings_before()?;
        let Inputs::OneKey { key, responses } = &self.request.inputs else { return Err(several_keys()) };
        if before.pair_files == Switch::Yes {
            return Err(several_keys());
        }
        let inputs: Vec<(&Input, Side)> = std::iter::once((&key.input, Side::Key))
            .chain(responses.iter().map(|response| (&response.input, Side::Response)))
            .collect();
        let reading = Reading::new(self, &before).with_layers();
        let loaded = self.kept(reading.read_all(&inputs)?);
        let Some(((key_corpus, key_format), loaded)) = loaded.split_first() else { return Err(nothing()) };
        let mut task = self.task(key_format)?;
        if task.settings.scope != Scope::Document {
            let error =
                Error::new(ErrorKind::Settings, "a report shows documents, whose entities do not cross them");
            return Err(error.hint("leave out --scope"));
        }
        task.by = Some(GroupSpec::named("document")?);
        let mut diagnostics = key_corpus.diagnostics.clone();
        let corpora = corpora(key_corpus, loaded);
        self.settle(&mut task, key_format, &corpora, Names::of(&corpora), &mut diagnostics)?;

        let analysis = AnalysisTask {
            settings: task.settings.clone(),
            metrics: metrics_of_corrections(&task.metrics),
            tree: Tree::default(),
            language: None,
            examples: 0,
            rows: true,
            threads: task.threads,
        };
        let mut format = key_format.id.to_owned();
        let (mut systems, mut analyses, mut all_pairs) = (Vec::new(), Vec::new(), Vec::new());
        for (named, (response, spec)) in responses.iter().zip(loaded) {
            add_format(&mut format, spec);
            let mut own = response.diagnostics.clone();
            let sides = [(&key.input, key_corpus), (&named.input, response)];
            let pairs = reading.pair(&task.settings, sides, &mut own)?;
            let mut errors = analyse(&pairs, &analysis, &mut own);
            errors.name.clone_from(&named.name);
            errors.key.clone_from(&key.path);
            errors.response.clone_from(&named.path);
            analyses.push(errors);
            all_pairs.push(pairs.clone());
            let mut system = score_joined(pairs, &task, &mut own)?;
            system.name.clone_from(&named.name);
            system.key.clone_from(&key.path);
            system.response.clone_from(&named.path);
            systems.push(system);
            diagnostics.merge(own);
        }
        self.refuse_warnings(&diagnostics)?;
        let documents = views(&all_pairs, &analysis);
        let common = CommonErrors::of(&analyses);
        let errors = ErrorReport {
            settings: task.settings.clone(),
            format: format.clone(),
            diagnostics: Diagnostics::default(),
            kinds: COREF_ERRORS.iter().map(|spec| spec.kind).collect(),
            tree: analysis.tree,
            systems: analyses,
            common,
        };
        let (comparison, not_compared) =
            match self.compare(&Compare { method: *method, ..Compare::default() }) {
                Ok(compared) => (Some(compared.report), None),
                Err(error) => (None, Some(error)),
            };
        let genres: BTreeSet<&str> =
            documents.iter().filter_map(|document| document.genre.as_deref()).collect();
        let groups = match genres.len() {
            0 | 1 => Vec::new(),
            _ => vec![self.of(self.request.clone().by(GroupSpec::named("genre")?)).score()?],
        };
        let report = Report { settings: task.settings, format, diagnostics, systems, averages: Vec::new() };
        Ok(Overview { report, comparison, not_compared, groups, errors, documents })
    }
}

/// The view of each document of the key.
fn views(all_pairs: &[Vec<DocumentPair<'_>>], task: &AnalysisTask) -> Vec<DocumentView> {
    let Some(first) = all_pairs.first() else { return Vec::new() };
    let of = |place: usize| {
        let pairs: Vec<DocumentPair<'_>> =
            all_pairs.iter().filter_map(|pairs| pairs.get(place).copied()).collect();
        view(&pairs, first, task)
    };
    (0..first.len()).filter_map(of).collect()
}

fn several_keys() -> Error {
    Error::new(ErrorKind::Settings, "a report is of responses to one key")
        .hint("leave out --pair and --pair-files")
}
