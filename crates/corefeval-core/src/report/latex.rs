//! LaTeX: a booktabs table for a paper. One system gets a row a metric, several get a row a system, pairs of
//! files a row a pair and their average.

use std::fmt::Write as _;

use super::{MetricResult, OutputSpec, Report, Style, VALUE_COLUMNS, figure_if_whole, percent, value_rows};
use crate::metrics::Metric;

/// `latex`.
pub(super) const SPEC: OutputSpec =
    OutputSpec { id: "latex", summary: "a booktabs table for a paper, in percent", render, in_rows: None };

fn render(report: &Report, _: Style) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "% {}", report.signature());
    text.push_str("% needs \\usepackage{booktabs}\n");
    match report.systems.as_slice() {
        [system] if report.averages.is_empty() => {
            let (values, plain): (Vec<_>, Vec<_>) =
                system.results.iter().partition(|result| result.values.is_some());
            if !plain.is_empty() {
                by_metric(&mut text, &plain);
            }
            values.iter().for_each(|result| by_type(&mut text, result));
        }
        _ => by_system(&mut text, report),
    }
    for system in &report.systems {
        if !system.documents.is_empty() {
            by_document(&mut text, system);
        }
    }
    text
}

fn by_metric(text: &mut String, results: &[&MetricResult]) {
    text.push_str("\\begin{tabular}{lrrr}\n\\toprule\nMetric & Recall & Precision & F$_1$ \\\\\n\\midrule\n");
    for result in results {
        let score = result.score;
        let _ = if result.is_mean() {
            writeln!(text, "{} & & & {} \\\\", label(result), percent(score.f1))
        } else {
            let cells = match result.is_defined() {
                true => [score.recall, score.precision, score.f1].map(percent).join(" & "),
                false => ["--"; 3].join(" & "),
            };
            writeln!(text, "{} & {cells} \\\\", label(result))
        };
    }
    text.push_str("\\bottomrule\n\\end{tabular}\n");
}

/// A row for all entities and one for each type.
fn by_type(text: &mut String, result: &MetricResult) {
    let Some(table) = &result.values else { return };
    let _ = writeln!(text, "\\begin{{tabular}}{{l{}}}\n\\toprule", "r".repeat(VALUE_COLUMNS.len()));
    let columns = VALUE_COLUMNS.map(|column| if column == "F1" { "F$_1$" } else { column });
    let _ = writeln!(text, "{} & {} \\\\\n\\midrule", label(result), columns.join(" & "));
    for (name, cells) in value_rows(table) {
        let _ = writeln!(text, "{} & {} \\\\", escape(name), cells.join(" & "));
    }
    text.push_str("\\bottomrule\n\\end{tabular}\n");
}

/// Whether a metric has one column beside other systems.
fn is_single(result: &MetricResult) -> bool {
    result.is_mean() || result.value.is_some()
}

/// A row a system; a group of three columns a metric, one for means and values.
fn by_system(text: &mut String, report: &Report) {
    let Some(first) = report.systems.first() else { return };
    let widths: Vec<usize> =
        first.results.iter().map(|result| if is_single(result) { 1 } else { 3 }).collect();
    let _ = writeln!(text, "\\begin{{tabular}}{{l{}}}\n\\toprule", "r".repeat(widths.iter().sum()));
    let mut rules = String::new();
    let mut next = 2;
    for (result, width) in first.results.iter().zip(&widths) {
        let _ = write!(text, " & \\multicolumn{{{width}}}{{c}}{{{}}}", label(result));
        let _ = write!(rules, "\\cmidrule(lr){{{next}-{}}}", next + width - 1);
        next += width;
    }
    let _ = writeln!(text, " \\\\\n{rules}");
    text.push_str(if report.averages.is_empty() { "System" } else { "Pair" });
    for result in &first.results {
        text.push_str(match (is_single(result), result.value) {
            (_, Some(_)) => " & Value",
            (true, None) => " & F$_1$",
            (false, None) => " & R & P & F$_1$",
        });
    }
    text.push_str(" \\\\\n\\midrule\n");
    if report.averages.is_empty() {
        report.systems.iter().for_each(|system| row(text, &system.name, &system.results));
    }
    for (place, average) in report.averages.iter().enumerate() {
        if place > 0 {
            text.push_str("\\midrule\n");
        }
        report.rows(average).iter().for_each(|system| row(text, &system.name, &system.results));
        text.push_str("\\midrule\n");
        let several = report.averages.len() > 1;
        let title = average.title();
        let title = if several { format!("{}: {title}", average.name) } else { title };
        row(text, &title, &average.results);
    }
    text.push_str("\\bottomrule\n\\end{tabular}\n");
}

/// A row of scores, with dashes for what is undefined.
fn row(text: &mut String, name: &str, results: &[MetricResult]) {
    text.push_str(&escape(name));
    for result in results {
        let score = result.score;
        let cells = match (is_single(result), !result.is_defined()) {
            (true, true) => "--".to_owned(),
            (true, false) => percent(result.figure()),
            (false, true) => ["--"; 3].join(" & "),
            (false, false) => [score.recall, score.precision, score.f1].map(percent).join(" & "),
        };
        let _ = write!(text, " & {cells}");
    }
    text.push_str(" \\\\\n");
}

fn by_document(text: &mut String, system: &super::SystemReport) {
    let shown = system.documents.first().map(|document| document.results.as_slice()).unwrap_or_default();
    let _ = writeln!(text, "\n% F1 by {}: {}", system.by, system.name);
    let _ = writeln!(text, "\\begin{{tabular}}{{l{}}}\n\\toprule", "r".repeat(shown.len()));
    let by = system.by;
    let _ = write!(text, "{}{}", by[..1].to_uppercase(), &by[1..]);
    for result in shown {
        let _ = write!(text, " & {}", label(result));
    }
    text.push_str(" \\\\\n\\midrule\n");
    for document in &system.documents {
        text.push_str(&escape(&document.id));
        for result in &document.results {
            let figure = figure_if_whole(result);
            let _ = write!(text, " & {}", if figure == "-" { "--" } else { &figure });
        }
        text.push_str(" \\\\\n");
    }
    text.push_str("\\bottomrule\n\\end{tabular}\n");
}

fn label(result: &MetricResult) -> String {
    metric_label(&result.metric)
}

/// The label of a metric, with its signs in math.
pub(super) fn metric_label(metric: &Metric) -> String {
    signs(&escape(&metric.label()))
}

/// The signs of labels in math.
pub(super) fn signs(text: &str) -> String {
    text.replace('³', "$^3$")
        .replace("φ1", "$\\phi_1$")
        .replace("φ2", "$\\phi_2$")
        .replace("φ3", "$\\phi_3$")
        .replace("φ4", "$\\phi_4$")
        .replace('α', "$\\alpha$")
        .replace('→', "$\\rightarrow$")
}

/// Text without meaning to TeX.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' => escaped.push_str("\\textbackslash{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                escaped.push('\\');
                escaped.push(character);
            }
            other => escaped.push(other),
        }
    }
    escaped
}
