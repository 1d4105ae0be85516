//! LaTeX: one booktabs table, a row a system; a group of columns a metric, that of the order first.

use std::fmt::Write as _;

use super::super::latex::{escape, metric_label};
use super::{ComparisonOutput, ComparisonReport, DASH, Section, Style};
use crate::metrics::Metric;
use crate::report::{percent, percents};

/// `latex`.
pub(super) const SPEC: ComparisonOutput =
    ComparisonOutput { id: "latex", summary: "a booktabs table for a paper, in percent", render };

fn render(report: &ComparisonReport, _: Style) -> String {
    let (metrics, order) = (report.metrics(), report.order());
    let several = order.len() > 1;
    // Recall and precision of metrics that have them, then F1 and its interval, rank, difference and p.
    let width = |metric: usize| if is_mean(report, metric) { 0 } else { 2 } + if several { 5 } else { 2 };
    let mut text = format!("% {}\n% needs \\usepackage{{booktabs}}\n", report.signature());
    for note in report.notes() {
        let _ = writeln!(text, "% {}", note.replace('\n', " "));
    }
    for line in detectable(report) {
        let _ = writeln!(text, "% {line}");
    }
    let columns = metrics.iter().map(|&(metric, _)| {
        let ratios = if is_mean(report, metric) { "" } else { "rr" };
        format!("{ratios}{}", if several { "rlrrr" } else { "rl" })
    });
    let _ = writeln!(text, "\\begin{{tabular}}{{l{}}}\n\\toprule", columns.collect::<String>());
    let mut rules = String::new();
    let mut first = 2;
    for &(place, metric) in &metrics {
        let width = width(place);
        let _ = write!(text, " & \\multicolumn{{{width}}}{{c}}{{{}}}", metric_label(&metric));
        let _ = write!(rules, "\\cmidrule(lr){{{first}-{}}}", first + width - 1);
        first += width;
    }
    let _ = writeln!(text, " \\\\\n{rules}");
    text.push_str("System");
    let level = report.level().replace(" %", "\\,\\%");
    for &(metric, _) in &metrics {
        if !is_mean(report, metric) {
            text.push_str(" & R & P");
        }
        let _ = write!(text, " & F$_1$ & {level} interval");
        if several {
            text.push_str(" & Rank & $\\Delta$ & $p$");
        }
    }
    text.push_str(" \\\\\n\\midrule\n");
    rows(&mut text, report, &report.whole());
    for section in report.groups() {
        let title = section.title().unwrap_or_default();
        let all = 1 + metrics.iter().map(|&(metric, _)| width(metric)).sum::<usize>();
        let _ = writeln!(text, "\\midrule\n\\multicolumn{{{all}}}{{l}}{{\\emph{{{}}}}} \\\\", escape(&title));
        rows(&mut text, report, &section);
    }
    text.push_str("\\bottomrule\n\\end{tabular}\n");
    text
}

/// Whether a metric is a mean of others, without recall and precision.
fn is_mean(report: &ComparisonReport, metric: usize) -> bool {
    report.systems.iter().any(|system| system.results[metric].is_mean())
}

fn rows(text: &mut String, report: &ComparisonReport, section: &Section<'_>) {
    let (metrics, order) = (report.metrics(), report.order());
    let several = order.len() > 1;
    let dash = |cell: String| if cell == DASH { "--".to_owned() } else { cell };
    for &system in &order {
        text.push_str(&escape(&report.systems[system].name));
        for &(metric, _) in &metrics {
            let cells = section.cells(metric, system);
            if let Some(result) = section.result(metric, system).filter(|result| !result.is_mean()) {
                let [recall, precision, _] = percents(result).map(dash);
                let _ = write!(text, " & {recall} & {precision}");
            }
            let best = several && section.is_best(metric, system);
            let f1 = if best { format!("\\textbf{{{}}}", cells.f1) } else { dash(cells.f1) };
            // A bracket after the end of a row would be its argument; in a group it is not.
            let _ = write!(text, " & {f1} & {{{}}}", dash(cells.interval));
            if several {
                let [difference, _, p, _] = cells.difference;
                let (difference, p) = match difference.as_str() {
                    "baseline" | DASH => ("--".to_owned(), "--".to_owned()),
                    _ => (format!("${difference}$"), dash(p).replace('<', "$<$")),
                };
                let _ = write!(text, " & {} & {difference} & {p}", dash(cells.rank));
            }
        }
        text.push_str(" \\\\\n");
    }
}

/// What is detectable has no column, and stands above the table: a line for each system but the baseline.
fn detectable(report: &ComparisonReport) -> Vec<String> {
    let mut lines: Vec<String> = report.note_on_detectable().into_iter().collect();
    for system in report.order() {
        let of = |(metric, named): (usize, Metric)| {
            let detectable = report.estimate(metric, system)?.difference.as_ref()?.detectable?;
            Some(format!("{} {}", named.label(), percent(detectable)))
        };
        let found: Vec<String> = report.metrics().into_iter().filter_map(of).collect();
        if !found.is_empty() {
            let name = report.systems[system].name.replace('\n', " ");
            lines.push(format!("Detectable, {name}: {}", found.join(", ")));
        }
    }
    lines
}
