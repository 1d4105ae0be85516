//! Markdown: a table a system, or one table of F1 for several systems.

use std::fmt::Write as _;

use super::{MetricResult, OutputSpec, Report, Style, VALUE_COLUMNS, percent, value_rows};

/// `markdown`.
pub(super) const SPEC: OutputSpec =
    OutputSpec { id: "markdown", summary: "a table in Markdown, in percent", render };

fn render(report: &Report, _: Style) -> String {
    let mut text = String::new();
    for system in &report.systems {
        if report.systems.len() > 1 {
            let _ = writeln!(text, "### {}\n", escape(&system.name));
        }
        if system.results.iter().any(|result| result.values.is_none()) {
            text.push_str("| metric | recall | precision | F1 |\n|---|---:|---:|---:|\n");
        }
        for result in system.results.iter().filter(|result| result.values.is_none()) {
            let label = escape(&result.metric.label());
            let f1 = percent(result.score.f1);
            if result.is_mean() {
                let _ = writeln!(text, "| {label} | | | {f1} |");
            } else {
                let (recall, precision) = (percent(result.score.recall), percent(result.score.precision));
                let _ = writeln!(text, "| {label} | {recall} | {precision} | {f1} |");
            }
        }
        for (place, result) in system.results.iter().filter(|result| result.values.is_some()).enumerate() {
            if place > 0 || system.results.iter().any(|result| result.values.is_none()) {
                text.push('\n');
            }
            values(&mut text, result);
        }
        text.push('\n');
        if !system.documents.is_empty() {
            documents(&mut text, system);
        }
    }
    let _ = writeln!(text, "`{}`", report.signature());
    text
}

/// A row for all entities and one for each type.
fn values(text: &mut String, result: &MetricResult) {
    let Some(table) = &result.values else { return };
    let _ = writeln!(text, "| {} | {} |", escape(&result.metric.label()), VALUE_COLUMNS.join(" | "));
    let _ = writeln!(text, "|---|{}", "---:|".repeat(VALUE_COLUMNS.len()));
    for (name, cells) in value_rows(table) {
        let _ = writeln!(text, "| {} | {} |", escape(name), cells.join(" | "));
    }
}

fn documents(text: &mut String, system: &super::SystemReport) {
    text.push_str("| F1 by document |");
    for result in &system.results {
        let _ = write!(text, " {} |", escape(&result.metric.label()));
    }
    text.push_str("\n|---|");
    text.push_str(&"---:|".repeat(system.results.len()));
    text.push('\n');
    for document in &system.documents {
        let _ = write!(text, "| {} |", escape(&document.id));
        for result in &document.results {
            let _ = write!(text, " {} |", percent(result.figure()));
        }
        text.push('\n');
    }
    text.push('\n');
}

/// Text that does not end a cell.
fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('|', "\\|").replace('\n', " ")
}
