//! The table for people: F1 and rank by every metric, then a table for each metric, that of the order first.

use std::fmt::Write as _;

use super::super::table::{BOLD, FAINT, left, paint, right, width_of};
use super::{ComparisonOutput, ComparisonReport, DASH, Section, Style};
use crate::metrics::Metric;
use crate::report::percent;
use crate::significance::Estimate;

/// `table`.
pub(super) const SPEC: ComparisonOutput =
    ComparisonOutput { id: "table", summary: "aligned tables for people, in percent", render };

fn render(report: &ComparisonReport, style: Style) -> String {
    let mut text = String::new();
    let (metrics, order) = (report.metrics(), report.order());
    if metrics.len() > 1 && order.len() > 1 {
        let mut rows = vec![vec![(format!("F1 (rank), by {}", metrics[0].1.label()), true)]];
        rows[0].extend(metrics.iter().map(|(_, metric)| (metric.label(), true)));
        for &system in &order {
            let mut row = vec![(report.systems[system].name.clone(), false)];
            for &(metric, _) in &metrics {
                let cells = report.whole().cells(metric, system);
                let cell = match cells.f1 == DASH {
                    true => cells.f1,
                    false => format!("{} ({})", cells.f1, cells.rank),
                };
                row.push((cell, report.is_best(metric, system)));
            }
            rows.push(row);
        }
        aligned(&mut text, &rows, style);
        text.push('\n');
        aligned(&mut text, &bars(report, metrics[0].0, &order), style);
        text.push('\n');
    }
    for &metric in &metrics {
        section(&mut text, report, &report.whole(), metric, style);
    }
    for group in report.groups() {
        metrics.iter().take(1).for_each(|&metric| section(&mut text, report, &group, metric, style));
    }
    for ratios in report.ratios() {
        let rows = ratios
            .into_iter()
            .enumerate()
            .map(|(place, row)| row.into_iter().map(|cell| (cell, place == 0)).collect());
        aligned(&mut text, &rows.collect::<Vec<_>>(), style);
        text.push('\n');
    }
    let only = report.note_on_groups();
    for note in report.notes().into_iter().chain(report.note_on_detectable()).chain(only) {
        let _ = writeln!(text, "{note}");
    }
    let _ = writeln!(text, "\n{}", paint(&report.signature(), FAINT, style));
    text
}

/// The table of one metric.
fn section(
    text: &mut String,
    report: &ComparisonReport,
    section: &Section<'_>,
    (metric, named): (usize, Metric),
    style: Style,
) {
    let order = report.order();
    let interval = format!("{} interval", report.level());
    let title = section.title().map_or_else(|| named.label(), |title| format!("{}: {title}", named.label()));
    let mut header = vec![title, "F1".to_owned(), interval.clone()];
    if order.len() > 1 {
        header.extend(["rank", "difference", &interval, "p", "detectable"].map(str::to_owned));
    }
    let mut rows = vec![header.into_iter().map(|cell| (cell, true)).collect::<Vec<_>>()];
    for &system in &order {
        let cells = section.cells(metric, system);
        let mut row = vec![(report.systems[system].name.clone(), false)];
        row.push((cells.f1, section.is_best(metric, system)));
        row.push((cells.interval, false));
        if order.len() > 1 {
            row.push((cells.rank, false));
            row.extend(cells.difference.map(|cell| (cell, false)));
        }
        rows.push(row);
    }
    aligned(text, &rows, style);
    text.push('\n');
}

/// How many characters a bar has.
const BAR: usize = 40;

/// F1 and interval of each system by one metric, drawn with characters on the scale that the head names.
fn bars(report: &ComparisonReport, metric: usize, order: &[usize]) -> Vec<Vec<(String, bool)>> {
    let estimates = order.iter().filter_map(|&system| Some((system, report.estimate(metric, system)?)));
    let estimates: Vec<(usize, &Estimate)> = estimates.collect();
    let ends_of = |estimate: &Estimate| match estimate.interval {
        Some(interval) => (interval.low, interval.high),
        None => (estimate.f1, estimate.f1),
    };
    let ends = estimates.iter().filter(|(_, estimate)| estimate.defined).flat_map(|(_, estimate)| {
        let (low, high) = ends_of(estimate);
        [estimate.f1, low, high]
    });
    let (low, high) = ends.fold((f64::MAX, f64::MIN), |(low, high), end| (low.min(end), high.max(end)));
    let named = report.metrics().first().map_or(String::new(), |first| first.1.label());
    let half = BAR / 2;
    let scale = match low <= high {
        true => format!("{:<half$}{:>half$}", percent(low), percent(high)),
        false => DASH.to_owned(),
    };
    let mut rows = vec![vec![(format!("{named} F1 and interval"), true), (scale, true)]];
    for (system, estimate) in estimates {
        let bar = match estimate.defined {
            true => bar(estimate.f1, ends_of(estimate), (low, high)),
            false => String::new(),
        };
        rows.push(vec![(report.systems[system].name.clone(), false), (bar, false)]);
    }
    rows
}

/// A value and its interval on a scale: `  ├──●─┤  `.
fn bar(value: f64, ends: (f64, f64), (low, high): (f64, f64)) -> String {
    let place = |value: f64| {
        let share = if high > low { (value - low) / (high - low) } else { 0.5 };
        (share.clamp(0.0, 1.0) * (BAR - 1) as f64).round() as usize
    };
    let (value, first, last) = (place(value), place(ends.0), place(ends.1));
    let character = |place: usize| match place {
        place if place == value => '●',
        place if place == first => '├',
        place if place == last => '┤',
        place if (first..last).contains(&place) => '─',
        _ => ' ',
    };
    (0..BAR).map(character).collect()
}

/// Rows of cells, some bold; the first column to the left, the others to the right.
pub(in super::super) fn aligned(text: &mut String, rows: &[Vec<(String, bool)>], style: Style) {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| width_of(&cell.0)).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in rows {
        let mut line = String::new();
        for (column, ((cell, bold), &width)) in row.iter().zip(&widths).enumerate() {
            let padded = if column == 0 { left(cell, width) } else { format!("  {}", right(cell, width)) };
            line.push_str(&if *bold { paint(&padded, BOLD, style) } else { padded });
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_have_their_ends_and_their_value() {
        let drawn = bar(0.5, (0.0, 1.0), (0.0, 1.0));
        assert_eq!(drawn.chars().count(), BAR);
        assert!(drawn.starts_with("├──") && drawn.ends_with("──┤") && drawn.matches('●').count() == 1);
        assert_eq!(bar(0.3, (0.3, 0.3), (0.3, 0.3)).trim(), "●");
        assert_eq!(bar(0.0, (0.0, 0.1), (0.0, 1.0)).trim_end(), "●───┤");
    }
}
