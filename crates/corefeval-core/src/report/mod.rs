//! The result as data ([`Report`]) and as text: one renderer a file, one row each in [`OUTPUTS`].

pub mod agreement;
pub mod check;
pub mod comparison;
mod conll;
pub mod correlation;
mod csv;
mod grid;
mod json;
mod latex;
mod markdown;
mod number;
mod table;

use std::ops::Range;

use crate::diagnostic::Diagnostics;
use crate::error::{Error, ErrorKind, Result};
use crate::metrics::{Kind, Metric, ValueCounts, ValueRow, ValueTable};
use crate::named::NamedCounts;
use crate::settings::Settings;
use crate::suggest::nearest;
use crate::tally::{Counts, Score, Tally};

/// The scores of one or more responses, with everything they depend on.
#[derive(Clone, Debug)]
pub struct Report {
    /// The choices that the scores depend on.
    pub settings: Settings,
    /// The formats that were read: of the key, and of the response where it is another.
    pub format: String,
    /// What was noticed.
    pub diagnostics: Diagnostics,
    /// A row for each response; where files are paired one for each response and pair, the pairs of a
    /// response side by side.
    pub systems: Vec<SystemReport>,
    /// Where files are paired, the macro average of each response.
    pub averages: Vec<AverageReport>,
}

/// The scores of one response.
#[derive(Clone, Debug, Default)]
pub struct SystemReport {
    /// What the row is called: the response, or the pair of files.
    pub name: String,
    /// The pair of files, where they are paired.
    pub pair: Option<String>,
    /// The key as it was named.
    pub key: String,
    /// The response as it was named; empty where a pair has none.
    pub response: String,
    /// Mention identification, whatever metrics were asked for.
    pub mentions: Counts,
    /// Scores over the whole corpus.
    pub results: Vec<MetricResult>,
    /// What the rows below are of: a row of [`GROUPS`](crate::groups::GROUPS), or nothing.
    pub by: &'static str,
    /// Scores by document or by group of documents, where they were asked for.
    pub documents: Vec<DocumentReport>,
    /// Which mentions are named, where that was asked for.
    pub named: Option<NamedCounts>,
}

/// The mean of the scores of a response over its pairs of files.
#[derive(Clone, Debug)]
pub struct AverageReport {
    /// What the response is called.
    pub name: String,
    /// The rows of the report that it is the mean of.
    pub rows: Range<usize>,
    /// The means, without counts; with empty ones where the metric is defined in no pair.
    pub results: Vec<MetricResult>,
    /// For each of them the number of pairs where the metric is defined.
    pub pairs: Vec<u32>,
}

/// The scores of one document, or of a group.
#[derive(Clone, Debug)]
pub struct DocumentReport {
    /// The document's id, or what the group is called.
    pub id: String,
    /// Its scores.
    pub results: Vec<MetricResult>,
}

/// The score of one metric, with the counts it comes from.
#[derive(Clone, Debug)]
pub struct MetricResult {
    /// The metric.
    pub metric: Metric,
    /// Its score.
    pub score: Score,
    /// Its counts; none for means of other metrics and for macro averages.
    pub tally: Option<Tally>,
    /// Its value, where it has one: that of the table's total, or a mean of such.
    pub value: Option<f64>,
    /// Its table, where it is of the whole corpus; the score is that of the table's total.
    pub values: Option<Box<ValueTable>>,
    /// Whether it is a mean to which a metric without anything to count adds 0.
    pub partial: bool,
}

impl MetricResult {
    /// Whether the metric has an F1 only.
    pub fn is_mean(&self) -> bool {
        matches!(self.metric.spec().kind, Kind::Mean(_))
    }

    /// The one figure that stands for it: the F1, or the value of metrics that have one.
    pub fn figure(&self) -> f64 {
        self.value.unwrap_or(self.score.f1)
    }

    /// Whether there was anything to count; what has neither counts nor a table is taken for defined.
    pub fn is_defined(&self) -> bool {
        let counts = |tally: &Tally| {
            let all = [&tally.first, &tally.second];
            all.iter().any(|counts| !counts.recall_den.is_zero() || !counts.precision_den.is_zero())
        };
        let entities = |table: &ValueTable| table.total.reference + table.total.false_alarm > 0;
        self.tally.as_ref().is_none_or(counts) && self.values.as_deref().is_none_or(entities)
    }
}

/// The head of a table of values.
const VALUE_COLUMNS: [&str; 12] = [
    "Key",
    "FA",
    "Miss",
    "Error",
    "FA cost",
    "Miss cost",
    "Error cost",
    "Value",
    "Recall",
    "Precision",
    "F1",
    "Share",
];

/// The rows of a table of values under [`VALUE_COLUMNS`]: all entities, then those of each type. Ratios are
/// in percent.
fn value_rows(table: &ValueTable) -> Vec<(&str, [String; VALUE_COLUMNS.len()])> {
    let [types, ..] = &table.groups;
    let types = types.iter().map(|(name, counts)| (name.as_str(), counts));
    let rows = std::iter::once(("total", &table.total)).chain(types);
    let cells = |counts: &ValueCounts| {
        let ValueRow { costs, value, score, .. } = counts.row();
        let [false_alarm, miss, error] = costs.map(percent);
        [
            counts.reference.to_string(),
            counts.false_alarm.to_string(),
            counts.miss.to_string(),
            counts.error.to_string(),
            false_alarm,
            miss,
            error,
            percent(value),
            percent(score.recall),
            percent(score.precision),
            percent(score.f1),
            percent(counts.share(&table.total)),
        ]
    };
    rows.map(|(name, counts)| (name, cells(counts))).collect()
}

impl Report {
    /// Everything that the scores depend on, in one line.
    pub fn signature(&self) -> String {
        let ace =
            self.systems.iter().flat_map(|system| &system.results).any(|result| result.values.is_some());
        self.settings.signature_with(&self.format, ace)
    }

    /// The rows of an average.
    fn rows(&self, average: &AverageReport) -> &[SystemReport] {
        self.systems.get(average.rows.clone()).unwrap_or_default()
    }
}

impl AverageReport {
    /// What it is, for people.
    fn title(&self) -> String {
        let pairs = self.rows.len();
        format!("macro average of {pairs} pair{}", if pairs == 1 { "" } else { "s" })
    }
}

/// A name with the results that belong to it.
type Row<'r> = (&'r str, &'r [MetricResult]);

impl SystemReport {
    /// A row for each document.
    fn document_rows(&self) -> Vec<Row<'_>> {
        self.documents.iter().map(|document| (document.id.as_str(), document.results.as_slice())).collect()
    }

    /// What a table of documents or groups is called.
    fn document_title(&self) -> String {
        format!("F1 by {}", self.by)
    }

    /// Its name with its scores.
    fn row(&self) -> Row<'_> {
        (self.name.as_str(), self.results.as_slice())
    }

    /// What its pair is called.
    fn pair_name(&self) -> &str {
        self.pair.as_deref().unwrap_or(&self.name)
    }
}

/// How a report may be shown.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// Whether to colour, for terminals.
    pub colour: bool,
}

/// One row of the table of outputs.
pub struct OutputSpec {
    /// As typed.
    pub id: &'static str,
    /// One line of help.
    pub summary: &'static str,
    render: fn(&Report, Style) -> String,
    /// One table with a row for each system, under a title, where `render` makes a table for each.
    in_rows: Option<fn(&Report, &str, Style) -> String>,
}

/// All outputs.
pub static OUTPUTS: &[OutputSpec] =
    &[table::SPEC, json::SPEC, csv::SPEC, markdown::SPEC, latex::SPEC, conll::SPEC];

impl OutputSpec {
    /// The output called `id`.
    pub fn named(id: &str) -> Result<&'static OutputSpec> {
        if let Some(spec) = OUTPUTS.iter().find(|spec| spec.id == id) {
            return Ok(spec);
        }
        let ids = || OUTPUTS.iter().map(|spec| spec.id);
        let hint = match nearest(id, ids()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the outputs are {}", ids().collect::<Vec<_>>().join(", ")),
        };
        Err(Error::new(ErrorKind::Settings, format!("there is no output `{id}`")).hint(hint))
    }

    /// The report as text.
    pub fn render(&self, report: &Report, style: Style) -> String {
        (self.render)(report, style)
    }

    /// The report as text, with the F1 of all systems in one table called `title` where the output is
    /// made for people.
    pub fn render_in_rows(&self, report: &Report, title: &str, style: Style) -> String {
        match self.in_rows {
            Some(in_rows) => in_rows(report, title, style),
            None => self.render(report, style),
        }
    }
}

/// The F1 (or the value) of a document in percent.
fn figure(result: &MetricResult) -> String {
    percent(result.figure())
}

/// Recall, precision and F1 in percent, or dashes where there was nothing to count on either side.
fn percents(result: &MetricResult) -> [String; 3] {
    let score = result.score;
    match result.is_defined() {
        true => [score.recall, score.precision, score.f1].map(percent),
        false => ["–"; 3].map(str::to_owned),
    }
}

/// Recall in percent, a dash where there was nothing to count; nothing for what has no recall.
fn recall(result: &MetricResult) -> String {
    ratio(result, 0)
}

/// Precision, likewise.
fn precision(result: &MetricResult) -> String {
    ratio(result, 1)
}

fn ratio(result: &MetricResult, part: usize) -> String {
    match result {
        result if result.is_mean() || result.value.is_some() => String::new(),
        result if result.is_defined() => percents(result)[part].clone(),
        _ => "-".to_owned(),
    }
}

/// What a table of ratios is called, and its cell for a result.
type RatioColumn = (&'static str, fn(&MetricResult) -> String);

/// The tables of recall and precision that go with one of F1.
const RATIOS: [RatioColumn; 2] = [("Recall", recall), ("Precision", precision)];

/// The F1 (or the value) of a document or group in percent; a dash where there was nothing to count, and for a mean of
/// metrics where one of them had nothing.
fn figure_if_whole(result: &MetricResult) -> String {
    if result.partial { "-".to_owned() } else { figure_if_defined(result) }
}

/// The F1 (or the value) of a pair in percent; a dash where it does not enter the average.
fn figure_if_defined(result: &MetricResult) -> String {
    if result.is_defined() { figure(result) } else { "-".to_owned() }
}

/// Scores in percent with two decimals, rounded.
fn percent(score: f64) -> String {
    format!("{:.2}", 100.0 * score)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn rows_are_unique() {
        let ids: BTreeSet<_> = OUTPUTS.iter().map(|spec| spec.id).collect();
        assert_eq!(ids.len(), OUTPUTS.len());
        assert!(OutputSpec::named("jsn").err().and_then(|e| e.remedy().map(str::to_owned)).is_some());
    }
}
