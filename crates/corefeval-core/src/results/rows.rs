//! Scores by document or by group. Counts are packed, and scores are computed when a row is requested. If documents are
//! scored while they are read, many rows are stored in a temporary file.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use corefeval_metrics::packed::PackedTallies;
use corefeval_metrics::tally::{Score, Tally};

use super::spool::Spool;
use super::{DocumentReport, MetricResult};
use crate::groups::{Label, name_of};
use crate::metrics::{Metric, ValueTable};
use crate::settings::{Rules, Settings};

/// A system's rows, each a [`DocumentReport`].
#[derive(Clone, Default)]
pub struct DocumentReports {
    scoring: Scoring,
    rows: Stored,
    /// For each metric with tables, its place and the table of each row.
    tables: Vec<(usize, Vec<ValueTable>)>,
}

/// The storage of the rows.
#[derive(Clone)]
enum Stored {
    Memory(Vec<Row>),
    Spool(Spool),
}

impl Default for Stored {
    fn default() -> Stored {
        Stored::Memory(Vec::new())
    }
}

impl fmt::Debug for DocumentReports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// The computation of scores from tallies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scoring {
    /// The metrics, in display order.
    pub(crate) metrics: Vec<Metric>,
    /// The metrics with tallies.
    pub(crate) counted: Vec<Metric>,
    /// The rules of the settings.
    pub(crate) rules: Rules,
    /// Whether the groups consist of mentions, so that F1 needs both sides.
    pub(crate) of_mentions: bool,
}

/// The counts of a document or a group.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) labels: Arc<[Label]>,
    pub(crate) tallies: PackedTallies,
}

impl DocumentReports {
    /// Creates reports from rows in the order of their labels.
    pub(crate) fn new(scoring: Scoring, rows: Vec<Row>) -> DocumentReports {
        DocumentReports { scoring, rows: Stored::Memory(rows), tables: Vec::new() }
    }

    /// Creates reports from rows in the order of appending.
    pub(crate) fn of_spool(scoring: Scoring, rows: Spool) -> DocumentReports {
        DocumentReports { scoring, rows: Stored::Spool(rows), tables: Vec::new() }
    }

    /// Adds the tables of the metric at `place`, one for each row.
    pub(crate) fn add_tables(&mut self, place: usize, tables: Vec<ValueTable>) {
        self.tables.push((place, tables));
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        match &self.rows {
            Stored::Memory(rows) => rows.len(),
            Stored::Spool(rows) => rows.len(),
        }
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the row at a place. Rows in a temporary file are read from the first one on, so use [`iter`](Self::iter)
    /// for several rows.
    pub fn get(&self, place: usize) -> Option<DocumentReport> {
        self.stored().nth(place).map(|row| self.report(place, &row))
    }

    /// Returns the rows in order.
    pub fn iter(&self) -> impl Iterator<Item = DocumentReport> {
        self.stored().enumerate().map(|(place, row)| self.report(place, &row))
    }

    /// Returns the ids of the rows, without their scores.
    pub fn ids(&self) -> impl Iterator<Item = String> {
        self.stored().map(|row| name_of(&row.labels))
    }

    fn stored(&self) -> Box<dyn Iterator<Item = Cow<'_, Row>> + '_> {
        match &self.rows {
            Stored::Memory(rows) => Box::new(rows.iter().map(Cow::Borrowed)),
            Stored::Spool(rows) => Box::new(rows.iter().map(Cow::Owned)),
        }
    }

    fn report(&self, place: usize, Row { labels, tallies }: &Row) -> DocumentReport {
        let mut results = self.scoring.results(&tallies.unpack());
        for (metric, tables) in &self.tables {
            if let (Some(result), Some(table)) = (results.get_mut(*metric), tables.get(place)) {
                result.set_table(table.clone());
            }
        }
        let each = labels.iter().map(|label| label.1.clone()).collect();
        DocumentReport { id: name_of(labels), labels: each, results }
    }
}

/// Returns the metrics with counts: the requested ones, and the parts of requested means.
pub fn counted_metrics(metrics: &[Metric]) -> Vec<Metric> {
    let mut counted: Vec<Metric> = Vec::new();
    for metric in metrics {
        for part in metric.parts().unwrap_or_else(|| vec![*metric]) {
            if !counted.contains(&part) {
                counted.push(part);
            }
        }
    }
    counted
}

impl Scoring {
    /// Creates the computation for metrics; `of_mentions` for groups of mentions.
    pub(crate) fn of(metrics: &[Metric], settings: &Settings, of_mentions: bool) -> Scoring {
        let (counted, rules) = (counted_metrics(metrics), settings.rules());
        Scoring { metrics: metrics.to_vec(), counted, rules, of_mentions }
    }

    /// Returns the results of the metrics.
    pub(crate) fn results(&self, tallies: &[Tally]) -> Vec<MetricResult> {
        let mut results = self.of_one_map(tallies);
        if !self.of_mentions || tallies.len() == self.counted.len() {
            return results;
        }
        // The counts of metrics that pair entities follow, under the worst and under the best of several maps.
        let extreme = |end: usize| {
            let mut tallies = tallies.to_vec();
            let pairing = self.counted.iter().enumerate().filter(|(_, metric)| metric.maps_entities());
            for (number, (place, _)) in pairing.enumerate() {
                tallies.swap(place, self.counted.len() + 2 * number + end);
            }
            self.of_one_map(&tallies)
        };
        for ((result, low), high) in results.iter_mut().zip(extreme(0)).zip(extreme(1)) {
            result.over_maps = Some([low.score, high.score]).filter(|_| low.score != high.score);
        }
        results
    }

    fn of_one_map(&self, tallies: &[Tally]) -> Vec<MetricResult> {
        let is_defined = |tally: &Tally| match (self.of_mentions, tally.defined()) {
            (true, [recall, precision, _]) => recall && precision,
            (false, [_, _, any]) => any,
        };
        let place = |metric: &Metric| self.counted.iter().position(|other| other == metric);
        let tally = |metric: &Metric| place(metric).map(|place| &tallies[place]);
        let score = |metric: &Metric| {
            tally(metric).map_or(Score::default(), |tally| metric.score(tally, &self.rules))
        };
        let upper_of = |metric: &Metric| tally(metric).and_then(|tally| metric.upper_score(tally));
        // In the bound of a mean, exact scores are their own bounds.
        let upper_of_mean = |parts: &[Metric]| {
            let mean = || Score::mean(parts.iter().map(|part| upper_of(part).unwrap_or_else(|| score(part))));
            parts.iter().any(|part| upper_of(part).is_some()).then(mean)
        };
        let result = |metric: &Metric| match metric.parts() {
            None => MetricResult {
                upper: upper_of(metric),
                tally: tally(metric).cloned(),
                needs_both: self.of_mentions,
                ..MetricResult::new(*metric, score(metric))
            },
            Some(parts) => MetricResult {
                upper: upper_of_mean(&parts),
                partial: !parts.iter().filter_map(tally).all(is_defined),
                ..MetricResult::new(*metric, Score::mean(parts.iter().map(score)))
            },
        };
        self.metrics.iter().map(result).collect()
    }
}
