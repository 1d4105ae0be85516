//! LaTeX: one booktabs table, a group of rows each for recall, precision and F1.

use std::fmt::Write as _;

use super::super::latex::{escape, metric_label};
use super::{COEFFICIENT_LABELS, Cells, CorrelationOutput, CorrelationReport, PART_LABELS, Style};

/// `latex`.
pub(super) const SPEC: CorrelationOutput =
    CorrelationOutput { id: "latex", summary: "a booktabs table for a paper", render };

fn render(report: &CorrelationReport, _: Style) -> String {
    let [x, y] = &report.metrics;
    let mut text = format!("% {}\n% needs \\usepackage{{booktabs}}\n", report.signature());
    for note in report.notes() {
        let _ = writeln!(text, "% {}", note.replace('\n', " "));
    }
    text.push_str("\\begin{tabular}{lrrlrlrl}\n\\toprule\n");
    let _ = write!(text, "{} against {} & Points", metric_label(x), metric_label(y));
    let level = report.level().replace(" %", "\\,\\%");
    for label in COEFFICIENT_LABELS {
        let _ = write!(text, " & {label} & {level} interval");
    }
    text.push_str(" \\\\\n");
    for (part, name) in PART_LABELS.iter().enumerate() {
        if report.rows(part).next().is_none() {
            continue;
        }
        let name = name.replace("F1", "F$_1$");
        let _ = writeln!(text, "\\midrule\n\\multicolumn{{8}}{{l}}{{{name}}} \\\\");
        for (row, found) in report.rows(part) {
            let cells = Cells::of(found);
            let _ = write!(text, "\\quad {} & {}", escape(&report.label(row)), cells.points);
            for (value, interval) in &cells.coefficients {
                // A bracket after the end of a row would be its argument; in a group it is not.
                let _ = match value.as_str() {
                    "-" => write!(text, " & -- & --"),
                    value => write!(text, " & ${value}$ & {{${}$}}", interval.replace('-', "{-}")),
                };
            }
            text.push_str(" \\\\\n");
        }
    }
    text.push_str("\\bottomrule\n\\end{tabular}\n");
    text
}
