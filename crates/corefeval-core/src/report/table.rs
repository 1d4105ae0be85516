//! The table for people: aligned columns, percentages rounded to two decimals.

use std::fmt::Write as _;

use super::{
    AverageReport, MetricResult, OutputSpec, Report, Row, Style, SystemReport, f1, f1_if_defined, percent,
};

/// `table`.
pub(super) const SPEC: OutputSpec = OutputSpec {
    id: "table",
    summary: "an aligned table for people, in percent",
    render,
    in_rows: Some(in_rows),
};

const BOLD: &str = "\x1b[1m";
const FAINT: &str = "\x1b[2m";
const PLAIN: &str = "\x1b[0m";

fn render(report: &Report, style: Style) -> String {
    let mut text = String::new();
    for (place, average) in report.averages.iter().enumerate() {
        if place > 0 {
            text.push('\n');
        }
        if report.averages.len() > 1 {
            let _ = writeln!(text, "{}", paint(&average.name, BOLD, style));
        }
        pairs(&mut text, report.rows(average), average, style);
    }
    if !report.averages.is_empty() {
        let _ = writeln!(text, "\n{}", paint(&report.signature(), FAINT, style));
        return text;
    }
    for (place, system) in report.systems.iter().enumerate() {
        if place > 0 {
            text.push('\n');
        }
        if report.systems.len() > 1 {
            let _ = writeln!(text, "{}", paint(&system.name, BOLD, style));
        }
        scores(&mut text, "", &system.results, style);
        if !system.documents.is_empty() {
            text.push('\n');
            rows(&mut text, "F1 by document", f1, &system.document_rows(), style);
        }
    }
    let _ = writeln!(text, "\n{}", paint(&report.signature(), FAINT, style));
    text
}

fn in_rows(report: &Report, title: &str, style: Style) -> String {
    let mut text = String::new();
    let all: Vec<Row<'_>> = report.systems.iter().map(SystemReport::row).collect();
    rows(&mut text, title, f1, &all, style);
    let _ = writeln!(text, "\n{}", paint(&report.signature(), FAINT, style));
    text
}

fn paint(text: &str, code: &str, style: Style) -> String {
    if style.colour { format!("{code}{text}{PLAIN}") } else { text.to_owned() }
}

/// A row for each pair and their average, then all of the average, then the documents of the pairs.
fn pairs(text: &mut String, systems: &[SystemReport], average: &AverageReport, style: Style) {
    let title = average.title();
    let mut all: Vec<Row<'_>> =
        systems.iter().map(|system| (system.pair_name(), system.results.as_slice())).collect();
    all.push((&title, &average.results));
    rows(text, "F1 by pair", f1_if_defined, &all, style);
    text.push('\n');
    scores(text, &title, &average.results, style);
    for system in systems.iter().filter(|system| !system.documents.is_empty()) {
        let _ = writeln!(text, "\n{}", paint(system.pair_name(), BOLD, style));
        rows(text, "F1 by document", f1, &system.document_rows(), style);
    }
}

/// A row for each metric.
fn scores(text: &mut String, title: &str, results: &[MetricResult], style: Style) {
    let labels: Vec<String> = results.iter().map(|result| result.metric.label()).collect();
    let widths = labels.iter().map(|label| label.chars().count());
    let width = widths.max().unwrap_or(0).max(title.chars().count());
    let header = format!("{title:width$}  {:>7}  {:>9}  {:>7}", "Recall", "Precision", "F1");
    let _ = writeln!(text, "{}", paint(&header, BOLD, style));
    for (label, result) in labels.iter().zip(results) {
        let [recall, precision, f1] = cells(result);
        let f1 = paint(&format!("{f1:>7}"), BOLD, style);
        let _ = writeln!(text, "{label:width$}  {recall:>7}  {precision:>9}  {f1}");
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

/// A row for each document or pair with the F1 of each metric.
fn rows(text: &mut String, title: &str, cell: fn(&MetricResult) -> String, rows: &[Row<'_>], style: Style) {
    let first = rows.first().map(|row| row.1).unwrap_or_default();
    let labels: Vec<String> = first.iter().map(|result| result.metric.label()).collect();
    let widths: Vec<usize> = labels.iter().map(|label| label.chars().count().max(7)).collect();
    let names = rows.iter().map(|row| row.0.chars().count());
    let width = names.max().unwrap_or(0).max(title.len());
    let mut header = format!("{title:width$}");
    for (label, width) in labels.iter().zip(&widths) {
        let _ = write!(header, "  {label:>width$}");
    }
    let _ = writeln!(text, "{}", paint(&header, BOLD, style));
    for (name, results) in rows {
        let _ = write!(text, "{name:width$}");
        for (result, width) in results.iter().zip(&widths) {
            let _ = write!(text, "  {:>width$}", cell(result));
        }
        text.push('\n');
    }
}
