//! Markdown: a table for each metric, that of the order first; the best score in bold.

use std::fmt::Write as _;

use super::super::markdown::escape;
use super::{ComparisonOutput, ComparisonReport, Style};

/// `markdown`.
pub(super) const SPEC: ComparisonOutput =
    ComparisonOutput { id: "markdown", summary: "a table in Markdown for each metric, in percent", render };

fn render(report: &ComparisonReport, _: Style) -> String {
    let mut text = String::new();
    let order = report.order();
    let several = order.len() > 1;
    for (metric, named) in report.metrics() {
        let level = report.level();
        let _ = write!(text, "| {} | F1 | {level} interval |", escape(&named.label()));
        if several {
            let _ = write!(text, " rank | difference | {level} interval | p | detectable |");
        }
        let _ = writeln!(text, "\n|---|{}", "---:|".repeat(if several { 7 } else { 2 }));
        for &system in &order {
            let Some(cells) = report.cells(metric, system) else { continue };
            let best = several && report.is_best(metric, system);
            let f1 = if best { format!("**{}**", cells.f1) } else { cells.f1 };
            let name = escape(&report.systems[system].name);
            let _ = write!(text, "| {name} | {f1} | {} |", cells.interval);
            if several {
                let difference = cells.difference.join(" | ").replace('<', "&lt;");
                let _ = write!(text, " {} | {difference} |", cells.rank);
            }
            text.push('\n');
        }
        text.push('\n');
    }
    for ratios in report.ratios() {
        for (place, row) in ratios.iter().enumerate() {
            let cells: Vec<String> = row.iter().map(|cell| escape(cell)).collect();
            let _ = writeln!(text, "| {} |", cells.join(" | "));
            if place == 0 {
                let _ = writeln!(text, "|---|{}", "---:|".repeat(row.len() - 1));
            }
        }
        text.push('\n');
    }
    for note in report.notes().into_iter().chain(report.note_on_detectable()) {
        let _ = writeln!(text, "{}", escape(&note));
    }
    let _ = writeln!(text, "\n`{}`", report.signature());
    text
}
