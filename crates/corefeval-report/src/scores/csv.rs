//! Scores as CSV: a row for each document and metric, and then for each system and metric.

use std::io::{self, Write};

use corefeval_core::groups::By;
use corefeval_core::metrics::{VALUE_GROUPS, ValueCounts, ValueRow, ValueTable};
use corefeval_core::results::{MetricResult, Report, SystemReport};

use super::follows_others;
use crate::csv::Table;

/// The columns of reports with values, before the signature.
const VALUE_COLUMNS: [&str; 10] = [
    "group", "value", "reference", "false_alarm", "miss", "error", "false_alarm_cost", "miss_cost",
    "error_cost", "max_value_share",
];

/// The columns of reports with bounds, after the counts: the bounds of an inexact score, and of a group's score over all
/// best maps of entities.
const BOUND_COLUMNS: [&str; 6] =
    ["recall_low", "recall_high", "precision_low", "precision_high", "f1_low", "f1_high"];

/// Writes the table, row by row. If its first rows were already written, writes the others.
pub(super) fn write(report: &Report, to: &mut dyn Write) -> io::Result<()> {
    let mut rows = CsvRows::of(report, to);
    if report.averages.is_empty() {
        report.systems.iter().for_each(|system| rows.system(&[&system.name], system));
    }
    for average in &report.averages {
        for system in report.rows(average) {
            rows.system(&[&average.name, system.pair_name()], system);
        }
        let names = [&[average.name.as_str(), MACRO], &vec![""; rows.labels][..]].concat();
        average.results.iter().for_each(|result| rows.result(&names, result, false));
    }
    rows.table.end()
}

/// Writes the rows of documents of an incomplete report, the first ones with the header.
pub(super) fn write_first(begun: &Report, to: &mut dyn Write) -> io::Result<()> {
    let mut rows = CsvRows::of(begun, to);
    begun.systems.iter().for_each(|system| rows.documents(&[&system.name], system));
    rows.table.end()
}

/// Returns whether the table has columns for bounds: `--ceaf-bound` allows them, or groups of mentions differ between the
/// best maps of entities. Groups of other reports have no other bounds.
fn has_bounds(report: &Report) -> bool {
    let of_mentions = report.systems.iter().filter(|system| system.by.is_some_and(By::is_of_mentions));
    let mut groups = of_mentions.flat_map(|system| system.documents.iter());
    report.settings.ceaf_bound.is_some()
        || groups.any(|group| group.results.iter().any(|result| result.over_maps.is_some()))
}

/// The name of the pair in the rows of the average.
const MACRO: &str = "(macro average)";

/// The group of all entities.
const TOTAL: &str = "total";

struct CsvRows<W: Write> {
    table: Table<W>,
    has_values: bool,
    has_bounds: bool,
    /// The number of columns that name the group.
    labels: usize,
    signature: String,
}

impl<W: Write> CsvRows<W> {
    /// Creates the table, with its header unless the report continues an earlier one.
    fn of(report: &Report, to: W) -> CsvRows<W> {
        let systems = &report.systems;
        let has_values = systems.iter().flat_map(|system| &system.results).any(|r| r.value.is_some());
        let has_bounds = has_bounds(report);
        // Rows are systems and documents, unless other groups were requested.
        let by = systems.iter().find_map(|system| system.by);
        let by = by.map_or_else(|| vec!["document"], |by| by.specs().map(|spec| spec.id).collect());
        let labels = by.len();
        let mut head = vec!["system"];
        // The column for the pair exists only if files are paired.
        head.extend((!report.averages.is_empty()).then_some("pair"));
        head.extend(by);
        head.extend(["metric", "recall", "precision", "f1"]);
        head.extend(["recall_num", "recall_den", "precision_num", "precision_den"]);
        if has_bounds {
            head.extend(BOUND_COLUMNS);
        }
        if has_values {
            head.extend(VALUE_COLUMNS);
        }
        head.push("signature");
        let table = if follows_others(report) { Table::after_others(to) } else { Table::to(to, head) };
        CsvRows { table, has_values, has_bounds, labels, signature: report.signature() }
    }

    /// The rows of a system: first of its documents, then of all together.
    fn system(&mut self, names: &[&str], system: &SystemReport) {
        self.documents(names, system);
        let whole = [names, &vec![""; self.labels]].concat();
        system.results.iter().for_each(|result| self.result(&whole, result, true));
    }

    fn documents(&mut self, names: &[&str], system: &SystemReport) {
        for document in system.documents.iter() {
            if self.table.has_failed() {
                return;
            }
            let labels: Vec<&str> = document.labels.iter().map(String::as_str).collect();
            let names = [names, &labels].concat();
            document.results.iter().for_each(|result| self.result(&names, result, true));
        }
    }

    /// The rows of a result: a single one, or one for each group of values. An average has no counts.
    fn result(&mut self, names: &[&str], result: &MetricResult, has_counts: bool) {
        let start = |rows: &mut CsvRows<W>| {
            names.iter().for_each(|name| rows.table.text(name));
            rows.table.text(&result.metric.to_string());
        };
        let Some(values) = &result.values else {
            start(self);
            let bounds = result.bounds();
            let parts = if bounds.is_some() { [None; 3] } else { result.parts() };
            parts.into_iter().for_each(|part| self.table.optional(part));
            match result.tally.as_ref().filter(|_| has_counts).map(|tally| &tally.first) {
                Some(counts) => {
                    let four = [
                        &counts.recall_num, &counts.recall_den, &counts.precision_num, &counts.precision_den,
                    ];
                    for (place, sum) in four.into_iter().enumerate() {
                        // The numerators of bounds are not counts.
                        let known = bounds.is_none() || place % 2 == 1;
                        self.table.optional(known.then(|| sum.to_f64()));
                    }
                }
                None => self.table.blanks(4),
            }
            if self.has_bounds {
                for bounds in bounds.or(result.range_over_maps()).unwrap_or_default() {
                    let ends = bounds.map_or([None; 2], |ends| ends.map(Some));
                    ends.into_iter().for_each(|end| self.table.optional(end));
                }
            }
            if self.has_values {
                match result.value {
                    // A mean of values of all entities has no counts.
                    Some(value) => {
                        self.table.text(TOTAL);
                        self.table.optional(Some(value).filter(|_| result.is_defined()));
                        self.table.blanks(VALUE_COLUMNS.len() - 2);
                    }
                    None => self.table.blanks(VALUE_COLUMNS.len()),
                }
            }
            return self.end();
        };
        for (group, counts) in groups(values) {
            start(self);
            self.values(&group, counts, values);
            self.end();
        }
    }

    fn values(&mut self, group: &str, counts: &ValueCounts, table: &ValueTable) {
        let ValueRow { costs: [false_alarm, miss, error], value, score, .. } = counts.row();
        let defined = |number: f64| Some(number).filter(|_| counts.reference + counts.false_alarm > 0);
        for part in [score.recall, score.precision, score.f1] {
            self.table.optional(defined(part));
        }
        self.table.blanks(4 + if self.has_bounds { BOUND_COLUMNS.len() } else { 0 });
        self.table.text(group);
        self.table.optional(defined(value));
        for count in [counts.reference, counts.false_alarm, counts.miss, counts.error] {
            self.table.number(count);
        }
        for part in [false_alarm, miss, error, counts.share(&table.total)] {
            self.table.number(part);
        }
    }

    fn end(&mut self) {
        self.table.text(&self.signature);
        self.table.end_row();
    }
}

/// All entities, and those of each group.
fn groups(table: &ValueTable) -> Vec<(String, &ValueCounts)> {
    let mut all = vec![(TOTAL.to_owned(), &table.total)];
    for (kind, groups) in VALUE_GROUPS.iter().zip(&table.groups) {
        all.extend(groups.iter().map(|(name, counts)| (format!("{kind}={name}"), counts)));
    }
    all
}
