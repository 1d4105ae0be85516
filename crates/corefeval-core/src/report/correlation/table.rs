//! The tables for people: one each for recall, precision and F1.

use std::fmt::Write as _;

use super::super::comparison::aligned;
use super::super::table::{FAINT, paint};
use super::{COEFFICIENT_LABELS, Cells, CorrelationOutput, CorrelationReport, PART_LABELS, Style};

/// `table`.
pub(super) const SPEC: CorrelationOutput =
    CorrelationOutput { id: "table", summary: "aligned tables for people", render };

fn render(report: &CorrelationReport, style: Style) -> String {
    let mut text = format!("{}\n\n", report.title());
    for (part, name) in PART_LABELS.iter().enumerate() {
        let mut rows = Vec::new();
        for (row, found) in report.rows(part) {
            let cells = Cells::of(found);
            let mut line = vec![report.label(row), cells.points, cells.left_out];
            for (place, (value, interval)) in cells.coefficients.into_iter().enumerate() {
                line.extend([value, interval]);
                if place == 0 {
                    line.push(cells.reading.to_owned());
                }
            }
            rows.push(line.into_iter().map(|cell| (cell, false)).collect());
        }
        if rows.is_empty() {
            continue;
        }
        let level = format!("{} interval", report.level());
        let mut header = vec![(*name).to_owned(), "points".to_owned(), "left out".to_owned()];
        for (place, label) in COEFFICIENT_LABELS.iter().enumerate() {
            header.extend([(*label).to_owned(), level.clone()]);
            if place == 0 {
                header.push("reading".to_owned());
            }
        }
        rows.insert(0, header.into_iter().map(|cell| (cell, true)).collect::<Vec<_>>());
        aligned(&mut text, &rows, style);
        text.push('\n');
    }
    for note in report.notes() {
        let _ = writeln!(text, "{note}");
    }
    let _ = writeln!(text, "\n{}", paint(&report.signature(), FAINT, style));
    text
}
