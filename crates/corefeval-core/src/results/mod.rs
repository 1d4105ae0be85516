//! The results of scoring, as data: the scores of systems ([`Report`]). The results of the other tasks, which build on
//! them, are in [`reports`](crate::reports).

pub mod average;
mod rows;
mod spool;

use std::ops::Range;

pub(crate) use self::rows::Scoring;
pub use self::rows::{DigestOfRows, DocumentReports, counted_metrics};
pub(crate) use self::spool::{Row, Spool};
use crate::diagnostic::Diagnostics;
use crate::groups::By;
use crate::metrics::{Metric, ValueTable};
use crate::model::Document;
use crate::named::NamedCounts;
use crate::pairing::DocumentPair;
use crate::selection::Selected;
use crate::settings::Settings;
use crate::signature::signature;
use corefeval_metrics::tally::{Counts, Score, Tally};

/// The scores of one or more responses, with everything that they depend on.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// The settings that the scores depend on.
    pub settings: Settings,
    /// The formats of the inputs: the key's, and the response's if it differs.
    pub format: String,
    /// The findings.
    pub diagnostics: Diagnostics,
    /// A row for each response or, if files are paired, for each response and pair; the rows of a response are
    /// adjacent.
    pub systems: Vec<SystemReport>,
    /// The macro average of each response, if files are paired.
    pub averages: Vec<AverageReport>,
}

/// The scores of one response.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SystemReport {
    /// The name of the row: the response, or the pair of files.
    pub name: String,
    /// The pair of files, if files are paired.
    pub pair: Option<String>,
    /// The key as it was named.
    pub key: String,
    /// The response as it was named; empty if a pair has none.
    pub response: String,
    /// Mention identification, which does not depend on the metrics.
    pub mentions: Counts,
    /// The sizes of the key and of the response, after selection.
    pub sizes: [SideSize; 2],
    /// Scores over the whole corpus.
    pub results: Vec<MetricResult>,
    /// The grouping of the rows below, if any.
    pub by: Option<By>,
    /// Scores by document or by group of documents, if requested.
    pub documents: DocumentReports,
    /// The numbers of named mentions, if requested.
    pub named: Option<NamedCounts>,
}

/// The size of one side, after selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SideSize {
    /// The key's documents that the side has.
    pub documents: u64,
    /// Words of the text, without empty nodes; `None` if a document does not contain its words.
    pub words: Option<u64>,
    /// Scored mentions.
    pub mentions: u64,
    /// Scored entities.
    pub entities: u64,
    /// Entities of one mention.
    pub singletons: u64,
    /// Mentions that match a mention of the other side but have no correct link: no other mention of their entity
    /// matches a mention of the same entity there. A singleton that matches a singleton has a correct link to itself.
    pub unlinked: u64,
}

impl Default for SideSize {
    fn default() -> SideSize {
        SideSize { documents: 0, words: Some(0), mentions: 0, entities: 0, singletons: 0, unlinked: 0 }
    }
}

impl SideSize {
    /// Adds the size of other documents.
    pub fn add(&mut self, other: &SideSize) {
        self.documents += other.documents;
        self.words = self.words.zip(other.words).map(|(ours, theirs)| ours + theirs);
        self.mentions += other.mentions;
        self.entities += other.entities;
        self.singletons += other.singletons;
        self.unlinked += other.unlinked;
    }

    /// Adds the selected mentions of a document.
    pub(crate) fn add_selected(&mut self, selected: &Selected) {
        self.mentions += selected.mentions.len() as u64;
        self.entities += selected.sizes.iter().filter(|&&size| size > 0).count() as u64;
        self.singletons += selected.sizes.iter().filter(|&&size| size == 1).count() as u64;
    }

    /// Adds the entities of a document, given their numbers of mentions.
    pub(crate) fn add_entities(&mut self, sizes: &[u32]) {
        self.mentions += sizes.iter().copied().map(u64::from).sum::<u64>();
        self.entities += sizes.len() as u64;
        self.singletons += sizes.iter().filter(|&&size| size == 1).count() as u64;
    }

    /// Adds a document and its words.
    pub(crate) fn add_document(&mut self, document: &Document) {
        let words = document.words();
        let known = !words.are_names() && words.fingerprint().is_some();
        self.documents += 1;
        self.words = self.words.filter(|_| known).map(|sum| sum + u64::from(words.count_in_text()));
    }

    /// Returns the numbers of documents and words on both sides of paired documents.
    pub(crate) fn of_texts(pairs: &[DocumentPair<'_>]) -> [SideSize; 2] {
        let mut sizes = [SideSize::default(); 2];
        for pair in pairs {
            sizes[0].add_document(pair.key);
            pair.response.into_iter().for_each(|response| sizes[1].add_document(response));
        }
        sizes
    }

    /// Returns these mentions and entities with the documents and words of other texts.
    pub(crate) fn over(self, texts: SideSize) -> SideSize {
        SideSize { documents: texts.documents, words: texts.words, ..self }
    }
}

/// The mean of a response's scores over its pairs of files.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AverageReport {
    /// The name of the response.
    pub name: String,
    /// The rows of the report that are averaged.
    pub rows: Range<usize>,
    /// The means, without counts, or with empty counts if the metric is defined in no pair.
    pub results: Vec<MetricResult>,
    /// For each metric, the number of pairs for which it is defined.
    pub pairs: Vec<u32>,
}

/// The scores of one document, or of a group.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DocumentReport {
    /// The id of the document, or the name of the group.
    pub id: String,
    /// The group in each crossed grouping.
    pub labels: Vec<String>,
    /// Its scores.
    pub results: Vec<MetricResult>,
}

/// The score of one metric, with its counts.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MetricResult {
    /// The metric.
    pub metric: Metric,
    /// Its score, or the lower bound if there is an [`upper`](Self::upper) one.
    pub score: Score,
    /// The upper bound over all maps of entities, if the search for the best map stopped at `--ceaf-bound`. Recall,
    /// precision and F1 lie between [`score`](Self::score) and this.
    pub upper: Option<Score>,
    /// The lowest and the highest score of a group of mentions over all best maps of the entities, if they differ. The
    /// score itself is from one of the maps.
    pub over_maps: Option<[Score; 2]>,
    /// Its counts; `None` for means of other metrics and for macro averages.
    pub tally: Option<Tally>,
    /// Its value, if the metric has one: the value of the table's total, or a mean of such values.
    pub value: Option<f64>,
    /// Its table, if it covers the whole corpus; the score is the score of the table's total.
    pub values: Option<Box<ValueTable>>,
    /// True if it is a mean in which an undefined metric counts as 0.
    pub partial: bool,
    /// True if F1 is undefined if recall or precision is, as for groups of mentions. Each side has its own groups, so a
    /// response without mentions of a group may still have found the key's mentions.
    pub needs_both: bool,
    /// For a mean of scores, which has no counts: true if recall and precision, respectively, are defined anywhere.
    pub averaged: [bool; 2],
    /// The number of documents or pairs where F1 is defined, and the number of all, for a mean of scores.
    pub mean_of: Option<[u32; 2]>,
}

impl MetricResult {
    /// Creates a score without counts.
    pub fn new(metric: Metric, score: Score) -> MetricResult {
        MetricResult {
            metric,
            score,
            upper: None,
            over_maps: None,
            tally: None,
            value: None,
            values: None,
            partial: false,
            needs_both: false,
            averaged: [true; 2],
            mean_of: None,
        }
    }

    /// Sets the score and the value from a table.
    pub(crate) fn set_table(&mut self, table: ValueTable) {
        (self.score, self.tally) = (table.score(), None);
        (self.value, self.values) = (Some(table.total.row().value), Some(Box::new(table)));
    }

    /// Returns whether the metric has only an F1.
    pub fn is_mean(&self) -> bool {
        self.metric.is_mean()
    }

    /// Returns the headline score: the F1, or the value of metrics that have one.
    pub fn figure(&self) -> f64 {
        self.value.unwrap_or(self.score.f1)
    }

    /// Returns whether the score is defined: a side has items to count, or both sides if it [needs
    /// both](Self::needs_both). A mean of metrics is defined if all of them are. Without counts or a table, as in an
    /// average of documents, the score is defined. A score above 0 is also defined: scorch's BLANC is 1 if neither side
    /// has links.
    pub fn is_defined(&self) -> bool {
        let counts = |tally: &Tally| match (self.needs_both, tally.defined()) {
            (true, [recall, precision, _]) => recall && precision,
            (false, [_, _, any]) => any,
        };
        let entities = |table: &ValueTable| table.total.reference + table.total.false_alarm > 0;
        !self.partial
            && self.tally.as_ref().is_none_or(|tally| self.score.f1 > 0.0 || counts(tally))
            && self.values.as_deref().is_none_or(entities)
    }

    /// Returns the bounds of recall, precision and F1 if the score is not exact, each if defined; for a mean, only the
    /// bounds of F1.
    pub fn bounds(&self) -> Option<[Option<[f64; 2]>; 3]> {
        let upper = self.upper?;
        let [recall, precision, f1] = self.parts();
        let both = |lower: Option<f64>, upper: f64| lower.map(|lower| [lower, upper.max(lower)]);
        Some([both(recall, upper.recall), both(precision, upper.precision), both(f1, upper.f1)])
    }

    /// Returns the lowest and the highest recall, precision and F1 over all best maps of the entities, each if defined
    /// and if the maps differ. F1 lies between the F1 of both lowest and the F1 of both highest values, which may be
    /// from different maps.
    pub fn range_over_maps(&self) -> Option<[Option<[f64; 2]>; 3]> {
        let [low, high] = self.over_maps?;
        let range = |part: Option<f64>, low: f64, high: f64| part.filter(|_| low < high).map(|_| [low, high]);
        let [recall, precision, f1] = self.parts();
        Some([
            range(recall, low.recall, high.recall),
            range(precision, low.precision, high.precision),
            range(f1, low.f1, high.f1),
        ])
    }

    /// Returns recall, precision and F1, each if defined; a mean of metrics has only an F1. They are lower bounds if
    /// the score has [`bounds`](Self::bounds).
    ///
    /// Recall is undefined if the key has no items to count, precision if the response has none, and F1 if the whole
    /// score is undefined.
    pub fn parts(&self) -> [Option<f64>; 3] {
        let Score { recall, precision, f1 } = self.score;
        let is_defined = self.is_defined();
        if !is_defined && self.tally.is_none() {
            return [None; 3];
        }
        if self.is_mean() {
            return [None, None, Some(f1)];
        }
        let [mut has_recall, mut has_precision] = self.averaged;
        if let Some(tally) = &self.tally {
            let [key, response, _] = tally.defined();
            (has_recall, has_precision) = (recall > 0.0 || key, precision > 0.0 || response);
        }
        let part = |value: f64, has: bool| Some(value).filter(|_| has);
        [part(recall, has_recall), part(precision, has_precision), part(f1, is_defined)]
    }
}

impl MetricResult {
    /// Like [`parts`](Self::parts), with the value instead of F1 for metrics that have one.
    pub fn figures(&self) -> [Option<f64>; 3] {
        let [recall, precision, f1] = self.parts();
        [recall, precision, f1.map(|_| self.figure())]
    }
}

impl Report {
    /// Returns the scores of systems, without averages.
    pub fn new(
        settings: Settings,
        format: String,
        diagnostics: Diagnostics,
        systems: Vec<SystemReport>,
    ) -> Report {
        Report { settings, format, diagnostics, systems, averages: Vec::new() }
    }

    /// Returns the metrics in the order requested.
    pub fn metrics(&self) -> Vec<Metric> {
        let results = self.systems.first().map(|system| system.results.as_slice()).unwrap_or_default();
        results.iter().map(|result| result.metric).collect()
    }

    /// Returns the settings that the scores depend on, in one line.
    pub fn signature(&self) -> String {
        let metrics: Vec<Metric> = self.systems.iter().flat_map(SystemReport::metrics).collect();
        signature(&self.settings, &self.format, &metrics)
    }

    /// Returns whether this incomplete report has the settings and formats of a complete one, and the names and metrics of
    /// its first systems.
    pub fn begins(&self, complete: &Report) -> bool {
        let of_system = |system: &SystemReport| {
            let names = [&system.name, &system.key, &system.response].map(String::clone);
            (names, system.metrics())
        };
        let systems = |report: &Report| report.systems.iter().map(of_system).collect::<Vec<_>>();
        self.settings == complete.settings
            && self.format == complete.format
            && systems(complete).starts_with(&systems(self))
    }

    /// Returns the rows that an average covers.
    pub fn rows(&self, average: &AverageReport) -> &[SystemReport] {
        self.systems.get(average.rows.clone()).unwrap_or_default()
    }
}

impl SystemReport {
    /// Returns the metrics of its scores, or those of its rows if its scores are not known yet.
    fn metrics(&self) -> Vec<Metric> {
        match self.results.as_slice() {
            [] => self.documents.metrics().to_vec(),
            results => results.iter().map(|result| result.metric).collect(),
        }
    }

    /// Returns the name of its pair of files, or its own name if files are not paired.
    pub fn pair_name(&self) -> &str {
        self.pair.as_deref().unwrap_or(&self.name)
    }
}
