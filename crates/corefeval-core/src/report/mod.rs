//! The results ([`Report`]) as text: one renderer a file, one row each in [`OUTPUTS`].

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

use crate::error::{Error, ErrorKind, Result};
use crate::metrics::{ValueCounts, ValueRow, ValueTable};
use crate::results::{AverageReport, MetricResult, Report, SystemReport};
use crate::suggest::nearest;

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
