//! Markdown: a table each for recall, precision and F1.

use std::fmt::Write as _;

use super::super::markdown::escape;
use super::{COEFFICIENT_LABELS, Cells, CorrelationOutput, CorrelationReport, PART_LABELS, Style};

/// `markdown`.
pub(super) const SPEC: CorrelationOutput = CorrelationOutput {
    id: "markdown",
    summary: "a table in Markdown each for recall, precision and F1",
    render,
};

fn render(report: &CorrelationReport, _: Style) -> String {
    let mut text = format!("{}\n\n", escape(&report.title()));
    let level = report.level();
    for (part, name) in PART_LABELS.iter().enumerate() {
        if report.rows(part).next().is_none() {
            continue;
        }
        let _ = write!(text, "| {name} | points | left out |");
        for (place, label) in COEFFICIENT_LABELS.iter().enumerate() {
            let _ =
                write!(text, " {label} | {level} interval |{}", if place == 0 { " reading |" } else { "" });
        }
        let _ = writeln!(text, "\n|---|---:|---:|---:|---:|---|{}", "---:|".repeat(4));
        for (row, found) in report.rows(part) {
            let cells = Cells::of(found);
            let _ =
                write!(text, "| {} | {} | {} |", escape(&report.label(row)), cells.points, cells.left_out);
            for (place, (value, interval)) in cells.coefficients.iter().enumerate() {
                let _ = write!(text, " {value} | {interval} |");
                if place == 0 {
                    let _ = write!(text, " {} |", cells.reading);
                }
            }
            text.push('\n');
        }
        text.push('\n');
    }
    for note in report.notes() {
        let _ = writeln!(text, "{}", escape(&note));
    }
    let _ = writeln!(text, "\n`{}`", report.signature());
    text
}
