//! Correlations of two metrics as a report.

mod csv;
mod figures;
mod json;

use corefeval_core::reports::correlation::CorrelationReport;
use corefeval_core::significance::{
    Correlation, CorrelationInterval, Over, PartCorrelation, described, reading,
};

pub use self::figures::figures;
use crate::block::{Block, Column, Form, Grid, Group, Line, Value, level};
use crate::{Kind, Printable, Style};

/// The names of the parts, in the order of [`Correlation::parts`].
const PARTS: [&str; 3] = ["recall", "precision", "f1"];
/// The same for people.
const PART_LABELS: [&str; 3] = ["Recall", "Precision", "F1"];
const COEFFICIENT_LABELS: [&str; 3] = ["Pearson", "Spearman", "Kendall"];

const THREE: Form = Form::Decimals(3);

impl Printable for CorrelationReport {
    fn kind(&self) -> Kind {
        Kind::Correlation
    }

    /// A table each for recall, precision and F1.
    fn blocks(&self, _: &Style) -> Vec<Block<'_>> {
        let mut blocks = vec![Block::Notes(vec![format!("{}.", title(self))])];
        blocks.extend((0..PARTS.len()).filter_map(|part| grid(self, part)).map(Block::Grid));
        blocks.extend([Block::Notes(notes(self)), Block::Signature(self.signature())]);
        blocks
    }

    fn json(&self) -> serde_json::Value {
        json::json(self)
    }

    fn csv(&self) -> String {
        csv::csv(self)
    }
}

/// A group of columns for each coefficient, a row for each set of points.
fn grid(report: &CorrelationReport, part: usize) -> Option<Grid<'_>> {
    let interval = level(report.method.confidence);
    let mut groups = vec![Group::untitled(vec![Column::new("points"), Column::new("left out")])];
    for (place, name) in COEFFICIENT_LABELS.into_iter().enumerate() {
        let mut columns = vec![Column::new("").key(), Column::new(interval.clone())];
        columns[0].head = ["r", "ρ", "τ"][place].into();
        columns.extend((place == 0).then(|| Column::of_text("reading")));
        groups.push(Group { title: name.into(), columns });
    }
    let lines: Vec<Line<'_>> =
        rows(report, part).map(|(row, found)| Line::row(label(report, row), cells(found))).collect();
    (!lines.is_empty()).then(|| Grid { corner: PART_LABELS[part].into(), groups, lines })
}

/// Points, those left out, and value and interval of each coefficient, with the name of r.
fn cells<'r>(part: &PartCorrelation) -> Vec<Value<'r>> {
    let mut cells = vec![Value::Count(part.points() as u64), Value::Count(part.left_out as u64)];
    for (place, coefficient) in part.coefficients.iter().enumerate() {
        cells.push(Value::number(coefficient.map(|coefficient| coefficient.value), THREE));
        let interval = coefficient.and_then(|coefficient| coefficient.interval);
        let ends = interval.map(|interval| [interval.low, interval.high]);
        cells.push(ends.map_or(Value::Undefined, |ends| Value::Interval(ends, THREE)));
        if place == 0 {
            cells.push(coefficient.map_or(Value::Undefined, |r| Value::text(reading(r.value))));
        }
    }
    cells
}

/// The points of a row, for people: `documents of alder`.
fn label(report: &CorrelationReport, row: &Correlation) -> String {
    let name = |system: usize| report.systems.get(system).map_or("", |system| system.0.as_str());
    match (row.over, row.system) {
        (Over::Pooled, _) => "documents of all systems".to_owned(),
        (Over::Systems, _) => "systems".to_owned(),
        (over, Some(system)) => format!("{} of {}", over.name(), name(system)),
        (over, None) => over.name().to_owned(),
    }
}

/// The rows that have a part.
fn rows(report: &CorrelationReport, part: usize) -> impl Iterator<Item = (&Correlation, &PartCorrelation)> {
    report.correlations.iter().filter_map(move |row| Some((row, row.parts[part].as_ref()?)))
}

/// The metrics by name: `CONE CEAF against CEAF φ3`.
fn title(report: &CorrelationReport) -> String {
    let [x, y] = &report.metrics;
    format!("{} against {}", x.label(), y.label())
}

/// The meaning of the columns, and missing values, in sentences.
fn notes(report: &CorrelationReport) -> Vec<String> {
    let mut notes = vec![match report.left_out {
        Some(left_out) => format!(
            "On {} documents that all systems have, of {}.",
            report.documents,
            report.documents + left_out
        ),
        None if report.documents == 1 => "On 1 document.".to_owned(),
        None => format!("On {} documents.", report.documents),
    }];
    let unit = report.method.unit;
    if report.units != report.documents {
        notes.push(format!("Resampling draws {}.", described(report.documents, report.units, unit)));
    }
    notes.push(match report.method.interval {
        CorrelationInterval::Percentile if report.units < 2 => {
            format!("One {} cannot be resampled: no intervals.", unit.noun(false))
        }
        CorrelationInterval::Percentile => format!(
            "Intervals are percentiles of {} samples of {}s, seed {}.",
            report.method.resamples,
            unit.noun(false),
            report.method.seed
        ),
        CorrelationInterval::Fisher => {
            "Intervals are Fisher's, as if all points were independent.".to_owned()
        }
    });
    for (part, name) in PART_LABELS.iter().enumerate() {
        for (row, found) in rows(report, part) {
            if let Some(why) = found.undefined() {
                notes.push(format!("No {name} over {}: {why}.", label(report, row)));
            }
        }
    }
    if report.correlations.iter().any(|row| row.over == Over::Entities) {
        notes.push("Key entities only have a recall.".to_owned());
    }
    notes
}
