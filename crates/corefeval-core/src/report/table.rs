//! The table for people: aligned columns, percentages rounded to two decimals.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr;

use super::{
    AverageReport, MetricResult, OutputSpec, RATIOS, Report, Row, Style, SystemReport, VALUE_COLUMNS,
    figure_if_defined, figure_if_whole, percent, percents, value_rows,
};

/// `table`.
pub(super) const SPEC: OutputSpec = OutputSpec {
    id: "table",
    summary: "an aligned table for people, in percent",
    render,
    in_rows: Some(in_rows),
};

pub(super) const BOLD: &str = "\x1b[1m";
pub(super) const FAINT: &str = "\x1b[2m";
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
        let (values, plain): (Vec<_>, Vec<_>) =
            system.results.iter().partition(|result| result.values.is_some());
        if !plain.is_empty() {
            scores(&mut text, "", &plain, style);
        }
        for (place, result) in values.iter().enumerate() {
            if place > 0 || !plain.is_empty() {
                text.push('\n');
            }
            value_table(&mut text, result, style);
        }
        if let Some(named) = &system.named {
            let _ = writeln!(text, "{}", paint(&named.sentence(), FAINT, style));
        }
        if !system.documents.is_empty() {
            text.push('\n');
            rows(&mut text, &system.document_title(), figure_if_whole, &system.document_rows(), style);
        }
    }
    let _ = writeln!(text, "\n{}", paint(&report.signature(), FAINT, style));
    text
}

fn in_rows(report: &Report, title: &str, style: Style) -> String {
    let mut text = String::new();
    let all: Vec<Row<'_>> = report.systems.iter().map(SystemReport::row).collect();
    rows(&mut text, title, figure_if_whole, &all, style);
    for (title, cell) in RATIOS {
        text.push('\n');
        rows(&mut text, title, cell, &all, style);
    }
    let _ = writeln!(text, "\n{}", paint(&report.signature(), FAINT, style));
    text
}

/// How many columns of a terminal a text takes: Chinese letters two each, signs above others none.
pub(super) fn width_of(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// A text with blanks after it, to a number of columns.
pub(super) fn left(text: &str, width: usize) -> String {
    format!("{text}{:1$}", "", width.saturating_sub(width_of(text)))
}

/// A text with blanks before it.
pub(super) fn right(text: &str, width: usize) -> String {
    format!("{:1$}{text}", "", width.saturating_sub(width_of(text)))
}

pub(super) fn paint(text: &str, code: &str, style: Style) -> String {
    if style.colour { format!("{code}{text}{PLAIN}") } else { text.to_owned() }
}

/// A row for each pair and their average, then all of the average, then the documents of the pairs.
fn pairs(text: &mut String, systems: &[SystemReport], average: &AverageReport, style: Style) {
    let title = average.title();
    let mut all: Vec<Row<'_>> =
        systems.iter().map(|system| (system.pair_name(), system.results.as_slice())).collect();
    all.push((&title, &average.results));
    rows(text, "F1 by pair", figure_if_defined, &all, style);
    text.push('\n');
    scores(text, &title, &average.results.iter().collect::<Vec<_>>(), style);
    for system in systems.iter().filter(|system| !system.documents.is_empty()) {
        let _ = writeln!(text, "\n{}", paint(system.pair_name(), BOLD, style));
        rows(text, &system.document_title(), figure_if_whole, &system.document_rows(), style);
    }
}

/// A row for each metric; a column for values where there are any.
fn scores(text: &mut String, title: &str, results: &[&MetricResult], style: Style) {
    let labels: Vec<String> = results.iter().map(|result| result.metric.label()).collect();
    let widths = labels.iter().map(|label| width_of(label));
    let width = widths.max().unwrap_or(0).max(width_of(title));
    let title = left(title, width);
    let mut header = format!("{title}  {:>7}  {:>9}  {:>7}", "Recall", "Precision", "F1");
    if results.iter().any(|result| result.value.is_some()) {
        let _ = write!(header, "  {:>7}", "Value");
    }
    let _ = writeln!(text, "{}", paint(&header, BOLD, style));
    for (label, result) in labels.iter().zip(results) {
        let [recall, precision, f1] = cells(result);
        let f1 = paint(&format!("{f1:>7}"), BOLD, style);
        let label = left(label, width);
        let _ = write!(text, "{label}  {recall:>7}  {precision:>9}  {f1}");
        if let Some(value) = result.value {
            let _ = write!(text, "  {}", paint(&format!("{:>7}", percent(value)), BOLD, style));
        }
        text.push('\n');
    }
}

/// A row for all entities and one for each type.
fn value_table(text: &mut String, result: &MetricResult, style: Style) {
    let Some(table) = &result.values else { return };
    let label = result.metric.label();
    let rows = value_rows(table);
    let width = rows.iter().map(|(name, _)| width_of(name)).max().unwrap_or(0);
    let width = width.max(width_of(&label));
    let widths = VALUE_COLUMNS.map(|column| column.len().max(7));
    let mut header = left(&label, width);
    for (column, width) in VALUE_COLUMNS.iter().zip(widths) {
        let _ = write!(header, "  {column:>width$}");
    }
    let _ = writeln!(text, "{}", paint(&header, BOLD, style));
    for (name, cells) in rows {
        let _ = write!(text, "{}", left(name, width));
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
    let [recall, precision, f1] = percents(result);
    match result.is_mean() {
        true => [String::new(), String::new(), f1],
        false => [recall, precision, f1],
    }
}

/// A row for each document or pair with a cell for each metric that has any.
fn rows(text: &mut String, title: &str, cell: fn(&MetricResult) -> String, rows: &[Row<'_>], style: Style) {
    let first = rows.first().map(|row| row.1).unwrap_or_default();
    let shown: Vec<usize> = (0..first.len()).filter(|&place| !cell(&first[place]).is_empty()).collect();
    if shown.is_empty() {
        return;
    }
    let labels: Vec<String> = shown.iter().map(|&place| first[place].metric.label()).collect();
    let width = |(label, &place): (&String, &usize)| {
        let cells = rows.iter().filter_map(|row| row.1.get(place)).map(|result| width_of(&cell(result)));
        cells.max().unwrap_or(0).max(width_of(label)).max(7)
    };
    let widths: Vec<usize> = labels.iter().zip(&shown).map(width).collect();
    let names = rows.iter().map(|row| width_of(row.0));
    let width = names.max().unwrap_or(0).max(width_of(title));
    let mut header = left(title, width);
    for (label, &width) in labels.iter().zip(&widths) {
        let _ = write!(header, "  {}", right(label, width));
    }
    let _ = writeln!(text, "{}", paint(&header, BOLD, style));
    for (name, results) in rows {
        let _ = write!(text, "{}", left(name, width));
        for (&place, &width) in shown.iter().zip(&widths) {
            let _ = write!(text, "  {}", right(&results.get(place).map_or(String::new(), cell), width));
        }
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_those_of_a_terminal() {
        assert_eq!([left("系统", 6), right("系统", 6)], ["系统  ", "  系统"]);
        // A mark above its letter takes no column.
        assert_eq!([left("e\u{301}", 3), right("φ4", 4), left("long", 2)], ["e\u{301}  ", "  φ4", "long"]);
    }
}
