//! A comparison as CSV: a row for each system and metric.

use corefeval_core::diagnostic::{Code, Severity};
use corefeval_core::reports::comparison::{ComparisonReport, Section};
use corefeval_core::significance::{Estimate, Interval};

use crate::csv::Table;

const HEADER: [&str; 31] = [
    "system", "metric", "f1", "low", "high", "defined", "recall", "recall_low", "recall_high", "precision",
    "precision_low", "precision_high", "rank", "best", "baseline", "difference", "difference_low",
    "difference_high", "p", "p_corrected", "detectable", "documents", "signature", "group", "warnings",
    "rank_low", "rank_high", "letters", "planned", "runs", "deviation_of_runs",
];

/// Returns the table.
pub(super) fn csv(report: &ComparisonReport) -> String {
    let mut table = Table::new(HEADER);
    let (metrics, signature) = (report.metrics(), report.signature());
    let codes = report.diagnostics.groups().iter().map(|group| group.code);
    let warnings: Vec<&str> =
        codes.filter(|code| code.severity() == Severity::Warning).map(|code| code.id()).collect();
    let warnings = warnings.join(" ");
    for section in std::iter::once(report.whole()).chain(report.groups()) {
        for system in report.order() {
            for &(metric, named) in &metrics {
                table.text(&report.systems[system].name);
                table.text(&named.to_string());
                numbers(&mut table, report, &section, metric, system);
                table.number(section.documents);
                table.text(&signature);
                table.text(section.group.map_or("", |group| &group.id));
                table.text(&warnings);
                let estimate = section.estimate(metric, system);
                let set = estimate.and_then(|estimate| estimate.rank_set);
                table.optional(set.map(|set| set.0));
                table.optional(set.map(|set| set.1));
                table.text(estimate.and_then(|estimate| estimate.letters.as_deref()).unwrap_or_default());
                table.optional(report.planned(&section, metric, system));
                table.optional(estimate.map(|estimate| estimate.runs.len()));
                table.optional(estimate.and_then(Estimate::spread));
                table.end_row();
            }
        }
    }
    for broken in &report.broken {
        // Systems without scores have a row too.
        table.text(&broken.name);
        table.blanks(HEADER.len() - 10);
        table.text(&signature);
        table.blanks(1);
        table.text(&format!("{}: {}", Code::SystemLeftOut.id(), broken.error.message()));
        table.blanks(6);
        table.end_row();
    }
    table.finish()
}

/// The columns from `f1` to `detectable`. Values that are undefined, or do not exist for a single document, are empty.
fn numbers(
    table: &mut Table,
    report: &ComparisonReport,
    section: &Section<'_>,
    metric: usize,
    system: usize,
) {
    let estimate = section.estimate(metric, system);
    let defined = section.is_defined(metric, system);
    table.optional(Some(section.f1(metric, system)).filter(|_| defined));
    ends(table, estimate.and_then(|estimate| estimate.interval));
    table.number(defined);
    let ratios = estimate.map_or([None; 2], |estimate| estimate.ratios);
    let parts = section.result(metric, system).map_or([None; 3], |result| result.parts());
    for (part, interval) in parts.into_iter().zip(ratios) {
        table.optional(part);
        ends(table, interval);
    }
    table.optional(estimate.and_then(|estimate| estimate.rank));
    table.number(section.is_best(metric, system));
    let Some(difference) = section.difference(metric, system) else { return table.blanks(7) };
    table.text(report.baseline());
    table.number(difference);
    let more = estimate.and_then(|estimate| estimate.difference.as_ref());
    ends(table, more.and_then(|more| more.interval));
    table.optional(more.map(|more| more.p));
    table.optional(more.map(|more| more.p_corrected));
    table.optional(more.and_then(|more| more.detectable));
}

/// The ends of an interval.
fn ends(table: &mut Table, interval: Option<Interval>) {
    table.optional(interval.map(|interval| interval.low));
    table.optional(interval.map(|interval| interval.high));
}
