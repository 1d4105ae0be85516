//! Scores by document or by group. Counts are packed, and scores are computed when a row is requested. If documents are
//! scored while they are read, many rows are stored in a temporary file.

use std::borrow::Cow;
use std::fmt;

use corefeval_metrics::tally::{Score, Tally};

use super::spool::{Row, Spool};
use super::{DocumentReport, MetricResult};
use crate::digest::Digester;
use crate::groups::name_of;
use crate::metrics::{Metric, ValueTable};
use crate::settings::{Rules, Settings};

/// A system's rows, each a [`DocumentReport`].
#[derive(Clone, Default)]
pub struct DocumentReports {
    scoring: Scoring,
    rows: Stored,
    /// The number of first rows that were removed.
    removed: usize,
    /// The number of the system's rows before these.
    before: usize,
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

/// The number and a digest of rows, with the computation of their scores. Rows with tables differ from all others.
#[derive(Clone, Default)]
pub struct DigestOfRows {
    count: usize,
    scoring: Option<Scoring>,
    digester: Digester,
}

impl DigestOfRows {
    /// Adds rows, whose scores are computed like those of the rows before.
    pub fn add(&mut self, rows: &DocumentReports) {
        self.add_first(rows, rows.len());
    }

    /// Returns the number of rows.
    pub fn count(&self) -> usize {
        self.count
    }

    fn add_first(&mut self, rows: &DocumentReports, count: usize) {
        self.scoring = Some(rows.scoring.clone()).filter(|_| rows.tables.is_empty());
        for row in rows.stored().take(count) {
            let Row { labels, tallies } = row.as_ref();
            let names = labels.iter().map(|(_, name)| name.as_bytes());
            self.digester.update(&(labels.len() as u64).to_le_bytes());
            for piece in names.chain([tallies.as_bytes()]) {
                self.digester.update(&(piece.len() as u64).to_le_bytes());
                self.digester.update(piece);
            }
            self.count += 1;
        }
    }
}

impl PartialEq for DigestOfRows {
    fn eq(&self, other: &DigestOfRows) -> bool {
        let digests = [self, other].map(|rows| rows.digester.clone().finish());
        self.scoring.is_some()
            && self.scoring == other.scoring
            && self.count == other.count
            && digests[0] == digests[1]
    }
}

/// The computation of scores from tallies.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Scoring {
    /// The metrics, in display order.
    pub(crate) metrics: Vec<Metric>,
    /// The metrics with tallies.
    pub(crate) counted: Vec<Metric>,
    /// The rules of the settings.
    pub(crate) rules: Rules,
    /// True if the groups consist of mentions, so that F1 needs both sides.
    pub(crate) of_mentions: bool,
}

impl DocumentReports {
    /// Creates reports from rows in the order of their labels.
    pub(crate) fn new(scoring: Scoring, rows: Vec<Row>) -> DocumentReports {
        DocumentReports { scoring, rows: Stored::Memory(rows), ..DocumentReports::default() }
    }

    /// Creates reports from the rows after the first `before` ones.
    pub(crate) fn after(before: usize, scoring: Scoring, rows: Vec<Row>) -> DocumentReports {
        DocumentReports { before, ..DocumentReports::new(scoring, rows) }
    }

    /// Creates reports from rows in the order of appending.
    pub(crate) fn of_spool(scoring: Scoring, rows: Spool) -> DocumentReports {
        DocumentReports { scoring, rows: Stored::Spool(rows), ..DocumentReports::default() }
    }

    /// Adds the tables of the metric at `place`, one for each row.
    pub(crate) fn add_tables(&mut self, place: usize, tables: Vec<ValueTable>) {
        self.tables.push((place, tables));
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        let stored = match &self.rows {
            Stored::Memory(rows) => rows.len(),
            Stored::Spool(rows) => rows.len(),
        };
        stored - self.removed
    }

    /// Returns whether the system has rows before these, which were removed or passed on earlier.
    pub fn follow_others(&self) -> bool {
        self.before > 0
    }

    /// Returns the metrics of the rows, in display order.
    pub fn metrics(&self) -> &[Metric] {
        &self.scoring.metrics
    }

    /// Removes the first rows, if they are those of a digest and their scores are computed in the same way. Otherwise
    /// returns false and removes nothing.
    pub fn remove_first(&mut self, first: &DigestOfRows) -> bool {
        let mut own = DigestOfRows::default();
        own.add_first(self, first.count);
        let are_same = own == *first;
        if are_same {
            self.removed += first.count;
            self.before += first.count;
        }
        are_same
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the row at a place. Rows in a temporary file are always read from the beginning, so use
    /// [`iter`](Self::iter) for several rows.
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
            Stored::Memory(rows) => Box::new(rows[self.removed..].iter().map(Cow::Borrowed)),
            Stored::Spool(rows) => Box::new(rows.iter().skip(self.removed).map(Cow::Owned)),
        }
    }

    fn report(&self, place: usize, Row { labels, tallies }: &Row) -> DocumentReport {
        let mut results = self.scoring.results(&tallies.unpack());
        for (metric, tables) in &self.tables {
            let table = tables.get(self.removed + place);
            if let (Some(result), Some(table)) = (results.get_mut(*metric), table) {
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use corefeval_metrics::packed::PackedTallies;

    use super::*;
    use crate::groups::Label;
    use crate::profiles::Profile;

    fn rows(metrics: &[&str], ids: &[&str]) -> Vec<DocumentReports> {
        let metrics: Vec<Metric> =
            metrics.iter().map(|name| Metric::parse(name).expect("a metric")).collect();
        let scoring = Scoring::of(&metrics, &Settings::of(Profile::for_format("conll")), false);
        let row = |(place, id): (usize, &&str)| {
            let mut tally = Tally::default();
            tally.first.add_integers((id.len() as u64, 9), (1, 3));
            let labels: Arc<[Label]> = [(place, (*id).to_owned())].into();
            Row { labels, tallies: PackedTallies::new(&[tally]) }
        };
        let all: Vec<Row> = ids.iter().enumerate().map(row).collect();
        let mut spool = Spool::default();
        all.iter().for_each(|row| spool.push(&row.labels, &row.tallies));
        vec![DocumentReports::new(scoring.clone(), all), DocumentReports::of_spool(scoring, spool)]
    }

    #[test]
    fn only_equal_rows_are_removed() {
        for mut all in rows(&["muc"], &["a", "bb", "ccc"]) {
            let mut digest = DigestOfRows::default();
            for (ids, metric) in [(&["a", "b"][..], "muc"), (&["bb"], "muc"), (&["a", "bb"], "lea")] {
                let mut other = DigestOfRows::default();
                rows(&[metric], ids).iter().take(1).for_each(|rows| other.add(rows));
                assert!(!all.remove_first(&other), "{ids:?}");
            }
            let scores: Vec<_> = all.iter().map(|row| row.results[0].score).collect();
            for ids in [["a"], ["bb"]] {
                digest.add(&rows(&["muc"], &ids)[0]);
            }
            assert!(!all.follow_others());
            assert!(digest.count() == 2 && all.remove_first(&digest) && all.follow_others());
            let left: Vec<_> = all.iter().map(|row| (row.id, row.results[0].score)).collect();
            assert_eq!(left, [("ccc".to_owned(), scores[2])]);
            assert_eq!((all.len(), all.get(0).map(|row| row.id)), (1, Some("ccc".to_owned())));
        }
    }
}
