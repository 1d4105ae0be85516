//! The result as data ([`Report`]) and as text: one renderer a file, one row each in [`OUTPUTS`].

mod conll;
mod csv;
mod json;
mod latex;
mod markdown;
mod number;
mod table;

use crate::diagnostic::Diagnostics;
use crate::error::{Error, ErrorKind, Result};
use crate::metrics::{Kind, Metric, ValueCounts, ValueRow, ValueTable};
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
    /// A row for each response.
    pub systems: Vec<SystemReport>,
}

/// The scores of one response.
#[derive(Clone, Debug, Default)]
pub struct SystemReport {
    /// What the response is called.
    pub name: String,
    /// The key as it was named.
    pub key: String,
    /// The response as it was named.
    pub response: String,
    /// Mention identification, whatever metrics were asked for.
    pub mentions: Counts,
    /// Scores over the whole corpus.
    pub results: Vec<MetricResult>,
    /// Scores by document, where they were asked for.
    pub documents: Vec<DocumentReport>,
}

/// The scores of one document.
#[derive(Clone, Debug)]
pub struct DocumentReport {
    /// The document's id.
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
    /// Its table, where it is of the whole corpus; the score is that of the table's total.
    pub values: Option<Box<ValueTable>>,
}

impl MetricResult {
    /// Whether the metric has an F1 only.
    pub fn is_mean(&self) -> bool {
        matches!(self.metric.spec().kind, Kind::Mean(_))
    }

    /// The one figure that stands for it: the F1, or the value of metrics that have one.
    pub fn figure(&self) -> f64 {
        self.values.as_ref().map_or(self.score.f1, |table| table.total.row().value)
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
        self.settings.signature(&self.format)
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
