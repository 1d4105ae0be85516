//! LaTeX: a booktabs table for a paper. One system gets a row a metric, several get a row a system, pairs of
//! files a row a pair and their average.

use std::fmt::Write as _;

use super::{MetricResult, OutputSpec, Report, Style, percent};

/// `latex`.
pub(super) const SPEC: OutputSpec =
    OutputSpec { id: "latex", summary: "a booktabs table for a paper, in percent", render, in_rows: None };

fn render(report: &Report, _: Style) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "% {}", report.signature());
    text.push_str("% needs \\usepackage{booktabs}\n");
    match report.systems.as_slice() {
        [system] if report.averages.is_empty() => by_metric(&mut text, &system.results),
        _ => by_system(&mut text, report),
    }
    for system in &report.systems {
        if !system.documents.is_empty() {
            by_document(&mut text, system);
        }
    }
    text
}

fn by_metric(text: &mut String, results: &[MetricResult]) {
    text.push_str("\\begin{tabular}{lrrr}\n\\toprule\nMetric & Recall & Precision & F$_1$ \\\\\n\\midrule\n");
    for result in results {
        let score = result.score;
        let _ = if result.is_mean() {
            writeln!(text, "{} & & & {} \\\\", label(result), percent(score.f1))
        } else {
            let cells = [score.recall, score.precision, score.f1].map(percent).join(" & ");
            writeln!(text, "{} & {cells} \\\\", label(result))
        };
    }
    text.push_str("\\bottomrule\n\\end{tabular}\n");
}

/// A row a system; a group of three columns a metric, one for means.
fn by_system(text: &mut String, report: &Report) {
    let Some(first) = report.systems.first() else { return };
    let widths: Vec<usize> =
        first.results.iter().map(|result| if result.is_mean() { 1 } else { 3 }).collect();
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
    for width in &widths {
        text.push_str(if *width == 1 { " & F$_1$" } else { " & R & P & F$_1$" });
    }
    text.push_str(" \\\\\n\\midrule\n");
    if report.averages.is_empty() {
        report.systems.iter().for_each(|system| row(text, &system.name, &system.results, false));
    }
    for (place, average) in report.averages.iter().enumerate() {
        if place > 0 {
            text.push_str("\\midrule\n");
        }
        report.rows(average).iter().for_each(|system| row(text, &system.name, &system.results, true));
        text.push_str("\\midrule\n");
        let several = report.averages.len() > 1;
        let title = average.title();
        let title = if several { format!("{}: {title}", average.name) } else { title };
        row(text, &title, &average.results, true);
    }
    text.push_str("\\bottomrule\n\\end{tabular}\n");
}

/// A row of scores; `dash` for what is undefined in a pair and does not enter the average.
fn row(text: &mut String, name: &str, results: &[MetricResult], dash: bool) {
    text.push_str(&escape(name));
    for result in results {
        let score = result.score;
        let cells = if result.is_mean() {
            percent(score.f1)
        } else if dash && !result.is_defined() {
            ["--"; 3].join(" & ")
        } else {
            [score.recall, score.precision, score.f1].map(percent).join(" & ")
        };
        let _ = write!(text, " & {cells}");
    }
    text.push_str(" \\\\\n");
}

fn by_document(text: &mut String, system: &super::SystemReport) {
    let _ = writeln!(text, "\n% F1 by document: {}", system.name);
    let _ = writeln!(text, "\\begin{{tabular}}{{l{}}}\n\\toprule", "r".repeat(system.results.len()));
    text.push_str("Document");
    for result in &system.results {
        let _ = write!(text, " & {}", label(result));
    }
    text.push_str(" \\\\\n\\midrule\n");
    for document in &system.documents {
        text.push_str(&escape(&document.id));
        for result in &document.results {
            let _ = write!(text, " & {}", percent(result.score.f1));
        }
        text.push_str(" \\\\\n");
    }
    text.push_str("\\bottomrule\n\\end{tabular}\n");
}

fn label(result: &MetricResult) -> String {
    escape(&result.metric.label())
        .replace('³', "$^3$")
        .replace("φ1", "$\\phi_1$")
        .replace("φ2", "$\\phi_2$")
        .replace("φ3", "$\\phi_3$")
        .replace("φ4", "$\\phi_4$")
}

/// Text without meaning to TeX.
fn escape(text: &str) -> String {
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
