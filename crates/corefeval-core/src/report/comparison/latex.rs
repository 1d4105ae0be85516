//! LaTeX: one booktabs table, a row a system; a group of columns a metric, that of the order first.

use std::fmt::Write as _;

use super::super::latex::{escape, metric_label};
use super::{Cells, ComparisonOutput, ComparisonReport, Style};

/// `latex`.
pub(super) const SPEC: ComparisonOutput =
    ComparisonOutput { id: "latex", summary: "a booktabs table for a paper, in percent", render };

fn render(report: &ComparisonReport, _: Style) -> String {
    let (metrics, order) = (report.metrics(), report.order());
    let several = order.len() > 1;
    let width = if several { 5 } else { 2 };
    let mut text = format!("% {}\n% needs \\usepackage{{booktabs}}\n", report.signature());
    for note in report.notes() {
        let _ = writeln!(text, "% {}", note.replace('\n', " "));
    }
    let columns = if several { "rlrrr" } else { "rl" };
    let _ = writeln!(text, "\\begin{{tabular}}{{l{}}}\n\\toprule", columns.repeat(metrics.len()));
    let mut rules = String::new();
    for (place, (_, metric)) in metrics.iter().enumerate() {
        let _ = write!(text, " & \\multicolumn{{{width}}}{{c}}{{{}}}", metric_label(metric));
        let first = 2 + place * width;
        let _ = write!(rules, "\\cmidrule(lr){{{first}-{}}}", first + width - 1);
    }
    let _ = writeln!(text, " \\\\\n{rules}");
    text.push_str("System");
    let level = report.level().replace(" %", "\\,\\%");
    for _ in &metrics {
        let _ = write!(text, " & F$_1$ & {level} interval");
        if several {
            text.push_str(" & Rank & $\\Delta$ & $p$");
        }
    }
    text.push_str(" \\\\\n\\midrule\n");
    for &system in &order {
        text.push_str(&escape(&report.systems[system].name));
        for &(metric, _) in &metrics {
            let Some(estimate) = report.estimate(metric, system) else { continue };
            let cells = Cells::of(estimate);
            let best = several && report.is_best(metric, system);
            let f1 = if best { format!("\\textbf{{{}}}", cells.f1) } else { cells.f1 };
            // A bracket after the end of a row would be its argument; in a group it is not.
            let _ = write!(text, " & {f1} & {{{}}}", cells.interval);
            if several {
                let (difference, p) = match cells.difference {
                    Some([difference, _, p, _]) => (format!("${difference}$"), p.replace('<', "$<$")),
                    None => ("--".to_owned(), "--".to_owned()),
                };
                let _ = write!(text, " & {} & {difference} & {p}", cells.rank);
            }
        }
        text.push_str(" \\\\\n");
    }
    text.push_str("\\bottomrule\n\\end{tabular}\n");
    text
}
