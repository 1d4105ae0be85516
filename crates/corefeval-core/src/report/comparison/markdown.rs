//! Markdown: a table for each metric, that of the order first; the best score in bold.

use std::fmt::Write as _;

use super::super::markdown::escape;
use super::{Cells, ComparisonOutput, ComparisonReport, Style};

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
            let Some(estimate) = report.estimate(metric, system) else { continue };
            let cells = Cells::of(estimate);
            let best = several && report.is_best(metric, system);
            let f1 = if best { format!("**{}**", cells.f1) } else { cells.f1 };
            let name = escape(&report.systems[system].name);
            let _ = write!(text, "| {name} | {f1} | {} |", cells.interval);
            if several {
                let none = || ["baseline", "", "", ""].map(str::to_owned);
                let difference = cells.difference.unwrap_or_else(none);
                let _ = write!(text, " {} | {} |", cells.rank, difference.join(" | ").replace('<', "&lt;"));
            }
            text.push('\n');
        }
        text.push('\n');
    }
    for note in report.notes().into_iter().chain(report.note_on_detectable()) {
        let _ = writeln!(text, "{}", escape(&note));
    }
    let _ = writeln!(text, "\n`{}`", report.signature());
    text
}
