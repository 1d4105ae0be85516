//! LaTeX: one booktabs table, a row a system; a group of columns a metric, that of the order first.

use std::fmt::Write as _;

use super::super::latex::{escape, metric_label};
use super::{ComparisonOutput, ComparisonReport, DASH, Style};
use crate::report::percents;

/// `latex`.
pub(super) const SPEC: ComparisonOutput =
    ComparisonOutput { id: "latex", summary: "a booktabs table for a paper, in percent", render };

fn render(report: &ComparisonReport, _: Style) -> String {
    let (metrics, order) = (report.metrics(), report.order());
    let several = order.len() > 1;
    // Recall and precision of metrics that have them, then F1 and its interval, rank, difference and p.
    let is_mean = |metric: usize| report.systems.iter().any(|system| system.results[metric].is_mean());
    let width = |metric: usize| if is_mean(metric) { 0 } else { 2 } + if several { 5 } else { 2 };
    let mut text = format!("% {}\n% needs \\usepackage{{booktabs}}\n", report.signature());
    for note in report.notes() {
        let _ = writeln!(text, "% {}", note.replace('\n', " "));
    }
    let columns = metrics.iter().map(|&(metric, _)| {
        let ratios = if is_mean(metric) { "" } else { "rr" };
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
        if !is_mean(metric) {
            text.push_str(" & R & P");
        }
        let _ = write!(text, " & F$_1$ & {level} interval");
        if several {
            text.push_str(" & Rank & $\\Delta$ & $p$");
        }
    }
    text.push_str(" \\\\\n\\midrule\n");
    let dash = |cell: String| if cell == DASH { "--".to_owned() } else { cell };
    for &system in &order {
        text.push_str(&escape(&report.systems[system].name));
        for &(metric, _) in &metrics {
            let Some(cells) = report.cells(metric, system) else { continue };
            if !is_mean(metric) {
                let [recall, precision, _] = percents(&report.systems[system].results[metric]).map(dash);
                let _ = write!(text, " & {recall} & {precision}");
            }
            let best = several && report.is_best(metric, system);
            let f1 = if best { format!("\\textbf{{{}}}", cells.f1) } else { dash(cells.f1) };
            // A bracket after the end of a row would be its argument; in a group it is not.
            let _ = write!(text, " & {f1} & {{{}}}", dash(cells.interval));
            if several {
                let [difference, _, p, _] = cells.difference;
                let (difference, p) = match p.as_str() {
                    "" | DASH => ("--".to_owned(), "--".to_owned()),
                    p => (format!("${difference}$"), p.replace('<', "$<$")),
                };
                let _ = write!(text, " & {} & {difference} & {p}", dash(cells.rank));
            }
        }
        text.push_str(" \\\\\n");
    }
    text.push_str("\\bottomrule\n\\end{tabular}\n");
    text
}
