//! Markdown: a table for each metric, that of the order first; the best score in bold.

use std::fmt::Write as _;

use super::super::grid;
use super::super::markdown::escape;
use super::{ComparisonOutput, ComparisonReport, Section, Style};
use crate::metrics::Metric;

/// `markdown`.
pub(super) const SPEC: ComparisonOutput =
    ComparisonOutput { id: "markdown", summary: "a table in Markdown for each metric, in percent", render };

fn render(report: &ComparisonReport, _: Style) -> String {
    let mut text = String::new();
    let metrics = report.metrics();
    for &metric in &metrics {
        table(&mut text, report, &report.whole(), metric);
    }
    for section in report.groups() {
        metrics.iter().take(1).for_each(|&metric| table(&mut text, report, &section, metric));
    }
    report.ratios().iter().for_each(|ratios| grid::markdown(&mut text, ratios));
    let only = report.note_on_groups();
    for note in report.notes().into_iter().chain(report.note_on_detectable()).chain(only) {
        let _ = writeln!(text, "{}", escape(&note));
    }
    let _ = writeln!(text, "\n`{}`", report.signature());
    text
}

fn table(
    text: &mut String,
    report: &ComparisonReport,
    section: &Section<'_>,
    (metric, named): (usize, Metric),
) {
    let order = report.order();
    let several = order.len() > 1;
    let level = report.level();
    let title = section.title().map_or_else(String::new, |title| format!(": {title}"));
    let _ = write!(text, "| {}{} | F1 | {level} interval |", escape(&named.label()), escape(&title));
    if several {
        let _ = write!(text, " rank | difference | {level} interval | p | detectable |");
    }
    let _ = writeln!(text, "\n|---|{}", "---:|".repeat(if several { 7 } else { 2 }));
    for &system in &order {
        let cells = section.cells(metric, system);
        let best = several && section.is_best(metric, system);
        let f1 = if best { format!("**{}**", cells.f1) } else { cells.f1 };
        let name = escape(&report.systems[system].name);
        let _ = write!(text, "| {name} | {f1} | {} |", cells.interval);
        if several {
            let difference = cells.difference.join(" | ").replace('<', "&lt;");
            let _ = write!(text, " {} | {difference} |", cells.rank);
        }
        text.push('\n');
    }
    text.push('\n');
}
