//! Markdown: a table a system; where files are paired a table of F1 by pair, and one of their average.

use std::fmt::Write as _;

use super::{
    MetricResult, OutputSpec, RATIOS, Report, Row, Style, SystemReport, VALUE_COLUMNS, figure_if_defined,
    figure_if_whole, percent, percents, value_rows,
};

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
        rows(&mut text, "F1 by pair", figure_if_defined, &all);
        scores(&mut text, &title, &average.results.iter().collect::<Vec<_>>());
        for system in systems.iter().filter(|system| !system.documents.is_empty()) {
            let _ = writeln!(text, "#### {}\n", escape(system.pair_name()));
            rows(&mut text, &system.document_title(), figure_if_whole, &system.document_rows());
        }
    }
    let alone = if report.averages.is_empty() { report.systems.as_slice() } else { &[] };
    for system in alone {
        if report.systems.len() > 1 {
            let _ = writeln!(text, "### {}\n", escape(&system.name));
        }
        let (values, plain): (Vec<_>, Vec<_>) =
            system.results.iter().partition(|result| result.values.is_some());
        if !plain.is_empty() {
            scores(&mut text, "metric", &plain);
        }
        values.iter().for_each(|result| by_type(&mut text, result));
        if let Some(named) = &system.named {
            let _ = writeln!(text, "{}\n", escape(&named.sentence()));
        }
        if !system.documents.is_empty() {
            rows(&mut text, &system.document_title(), figure_if_whole, &system.document_rows());
        }
    }
    let _ = writeln!(text, "`{}`", report.signature());
    text
}

fn in_rows(report: &Report, title: &str, _: Style) -> String {
    let mut text = String::new();
    let all: Vec<Row<'_>> = report.systems.iter().map(SystemReport::row).collect();
    rows(&mut text, title, figure_if_whole, &all);
    for (title, cell) in RATIOS {
        rows(&mut text, title, cell, &all);
    }
    let _ = writeln!(text, "`{}`", report.signature());
    text
}

/// A row for all entities and one for each type.
fn by_type(text: &mut String, result: &MetricResult) {
    let Some(table) = &result.values else { return };
    let _ = writeln!(text, "| {} | {} |", escape(&result.metric.label()), VALUE_COLUMNS.join(" | "));
    let _ = writeln!(text, "|---|{}", "---:|".repeat(VALUE_COLUMNS.len()));
    for (name, cells) in value_rows(table) {
        let _ = writeln!(text, "| {} | {} |", escape(name), cells.join(" | "));
    }
    text.push('\n');
}

/// A row for each metric; a column for values where there are any.
fn scores(text: &mut String, title: &str, results: &[&MetricResult]) {
    let with_values = results.iter().any(|result| result.value.is_some());
    let (column, line) = if with_values { (" Value |", "---:|") } else { ("", "") };
    let _ = writeln!(text, "| {title} | recall | precision | F1 |{column}\n|---|---:|---:|---:|{line}");
    for result in results {
        let label = escape(&result.metric.label());
        let [recall, precision, f1] = percents(result);
        if result.is_mean() {
            let _ = write!(text, "| {label} | | | {f1} |");
        } else {
            let _ = write!(text, "| {label} | {recall} | {precision} | {f1} |");
        }
        if with_values {
            let _ = match result.value {
                Some(value) => write!(text, " {} |", percent(value)),
                None => write!(text, " |"),
            };
        }
        text.push('\n');
    }
    text.push('\n');
}

/// A row for each document or pair with a cell for each metric that has any.
fn rows(text: &mut String, title: &str, cell: fn(&MetricResult) -> String, rows: &[Row<'_>]) {
    let first = rows.first().map(|row| row.1).unwrap_or_default();
    let shown: Vec<usize> = (0..first.len()).filter(|&place| !cell(&first[place]).is_empty()).collect();
    if shown.is_empty() {
        return;
    }
    let _ = write!(text, "| {title} |");
    for &place in &shown {
        let _ = write!(text, " {} |", escape(&first[place].metric.label()));
    }
    text.push_str("\n|---|");
    text.push_str(&"---:|".repeat(shown.len()));
    text.push('\n');
    for (name, results) in rows {
        let _ = write!(text, "| {} |", escape(name));
        for &place in &shown {
            let _ = write!(text, " {} |", results.get(place).map_or(String::new(), cell));
        }
        text.push('\n');
    }
    text.push('\n');
}

/// Text that does not end a cell.
pub(super) fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('|', "\\|").replace('\n', " ")
}
