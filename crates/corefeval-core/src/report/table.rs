//! The table for people: aligned columns, percentages rounded to two decimals.

use std::fmt::Write as _;

use super::{MetricResult, OutputSpec, Report, Style, VALUE_COLUMNS, percent, value_rows};

/// `table`.
pub(super) const SPEC: OutputSpec =
    OutputSpec { id: "table", summary: "an aligned table for people, in percent", render };

const BOLD: &str = "\x1b[1m";
const FAINT: &str = "\x1b[2m";
const PLAIN: &str = "\x1b[0m";

fn render(report: &Report, style: Style) -> String {
    let mut text = String::new();
    for (place, system) in report.systems.iter().enumerate() {
        if place > 0 {
            text.push('\n');
        }
        if report.systems.len() > 1 {
            let _ = writeln!(text, "{}", paint(&system.name, BOLD, style));
        }
        let (values, plain): (Vec<_>, Vec<_>) =
            system.results.iter().partition(|result| result.values.is_some());
        if !plain.is_empty() {
            scores(&mut text, &plain, style);
        }
        for (place, result) in values.iter().enumerate() {
            if place > 0 || !plain.is_empty() {
                text.push('\n');
            }
            value_table(&mut text, result, style);
        }
        if !system.documents.is_empty() {
            text.push('\n');
            documents(&mut text, system, style);
        }
    }
    let _ = writeln!(text, "\n{}", paint(&report.signature(), FAINT, style));
    text
}

fn paint(text: &str, code: &str, style: Style) -> String {
    if style.colour { format!("{code}{text}{PLAIN}") } else { text.to_owned() }
}

/// A row for each metric.
fn scores(text: &mut String, results: &[&MetricResult], style: Style) {
    let labels: Vec<String> = results.iter().map(|result| result.metric.label()).collect();
    let width = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    let header = format!("{:width$}  {:>7}  {:>9}  {:>7}", "", "Recall", "Precision", "F1");
    let _ = writeln!(text, "{}", paint(&header, BOLD, style));
    for (label, result) in labels.iter().zip(results) {
        let [recall, precision, f1] = cells(result);
        let f1 = paint(&format!("{f1:>7}"), BOLD, style);
        let _ = writeln!(text, "{label:width$}  {recall:>7}  {precision:>9}  {f1}");
    }
}

/// A row for all entities and one for each type.
fn value_table(text: &mut String, result: &MetricResult, style: Style) {
    let Some(table) = &result.values else { return };
    let label = result.metric.label();
    let rows = value_rows(table);
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let width = width.max(label.chars().count());
    let widths = VALUE_COLUMNS.map(|column| column.len().max(7));
    let mut header = format!("{label:width$}");
    for (column, width) in VALUE_COLUMNS.iter().zip(widths) {
        let _ = write!(header, "  {column:>width$}");
    }
    let _ = writeln!(text, "{}", paint(&header, BOLD, style));
    for (name, cells) in rows {
        let _ = write!(text, "{name:width$}");
        for (place, (cell, column)) in cells.iter().zip(widths).enumerate() {
            let cell = format!("{cell:>column$}");
            let strong = VALUE_COLUMNS[place] == "Value";
            let _ = write!(text, "  {}", if strong { paint(&cell, BOLD, style) } else { cell });
        }
        text.push('\n');
    }
}

/// Recall, precision and F1 in percent; a mean of F1s has no recall and precision.
fn cells(result: &MetricResult) -> [String; 3] {
    let score = result.score;
    if result.is_mean() {
        return [String::new(), String::new(), percent(score.f1)];
    }
    [percent(score.recall), percent(score.precision), percent(score.f1)]
}

/// A row for each document with the F1 (or the value) of each metric.
fn documents(text: &mut String, system: &super::SystemReport, style: Style) {
    let labels: Vec<String> = system.results.iter().map(|result| result.metric.label()).collect();
    let widths: Vec<usize> = labels.iter().map(|label| label.chars().count().max(7)).collect();
    let ids = system.documents.iter().map(|document| document.id.chars().count());
    let width = ids.max().unwrap_or(0).max("F1 by document".len());
    let mut header = format!("{:width$}", "F1 by document");
    for (label, width) in labels.iter().zip(&widths) {
        let _ = write!(header, "  {label:>width$}");
    }
    let _ = writeln!(text, "{}", paint(&header, BOLD, style));
    for document in &system.documents {
        let _ = write!(text, "{:width$}", document.id);
        for (result, width) in document.results.iter().zip(&widths) {
            let _ = write!(text, "  {:>width$}", percent(result.figure()));
        }
        text.push('\n');
    }
}
