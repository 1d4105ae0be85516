//! Markdown: a table a system; where files are paired a table of F1 by pair, and one of their average.

use std::fmt::Write as _;

use super::{MetricResult, OutputSpec, Report, Row, Style, SystemReport, f1, f1_if_defined, percent};

/// `markdown`.
pub(super) const SPEC: OutputSpec =
    OutputSpec { id: "markdown", summary: "a table in Markdown, in percent", render, in_rows: Some(in_rows) };

fn render(report: &Report, _: Style) -> String {
    let mut text = String::new();
    for average in &report.averages {
        if report.averages.len() > 1 {
            let _ = writeln!(text, "### {}\n", escape(&average.name));
        }
        let title = average.title();
        let systems = report.rows(average);
        let mut all: Vec<Row<'_>> =
            systems.iter().map(|system| (system.pair_name(), system.results.as_slice())).collect();
        all.push((&title, &average.results));
        rows(&mut text, "F1 by pair", f1_if_defined, &all);
        scores(&mut text, &title, &average.results);
        for system in systems.iter().filter(|system| !system.documents.is_empty()) {
            let _ = writeln!(text, "#### {}\n", escape(system.pair_name()));
            rows(&mut text, "F1 by document", f1, &system.document_rows());
        }
    }
    let alone = if report.averages.is_empty() { report.systems.as_slice() } else { &[] };
    for system in alone {
        if report.systems.len() > 1 {
            let _ = writeln!(text, "### {}\n", escape(&system.name));
        }
        scores(&mut text, "metric", &system.results);
        if !system.documents.is_empty() {
            rows(&mut text, "F1 by document", f1, &system.document_rows());
        }
    }
    let _ = writeln!(text, "`{}`", report.signature());
    text
}

fn in_rows(report: &Report, title: &str, _: Style) -> String {
    let mut text = String::new();
    let all: Vec<Row<'_>> = report.systems.iter().map(SystemReport::row).collect();
    rows(&mut text, title, f1, &all);
    let _ = writeln!(text, "`{}`", report.signature());
    text
}

/// A row for each metric.
fn scores(text: &mut String, title: &str, results: &[MetricResult]) {
    let _ = writeln!(text, "| {title} | recall | precision | F1 |\n|---|---:|---:|---:|");
    for result in results {
        let label = escape(&result.metric.label());
        let f1 = percent(result.score.f1);
        if result.is_mean() {
            let _ = writeln!(text, "| {label} | | | {f1} |");
        } else {
            let (recall, precision) = (percent(result.score.recall), percent(result.score.precision));
            let _ = writeln!(text, "| {label} | {recall} | {precision} | {f1} |");
        }
    }
    text.push('\n');
}

/// A row for each document or pair with the F1 of each metric.
fn rows(text: &mut String, title: &str, cell: fn(&MetricResult) -> String, rows: &[Row<'_>]) {
    let first = rows.first().map(|row| row.1).unwrap_or_default();
    let _ = write!(text, "| {title} |");
    for result in first {
        let _ = write!(text, " {} |", escape(&result.metric.label()));
    }
    text.push_str("\n|---|");
    text.push_str(&"---:|".repeat(first.len()));
    text.push('\n');
    for (name, results) in rows {
        let _ = write!(text, "| {} |", escape(name));
        for result in *results {
            let _ = write!(text, " {} |", cell(result));
        }
        text.push('\n');
    }
    text.push('\n');
}

/// Text that does not end a cell.
fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('|', "\\|").replace('\n', " ")
}
