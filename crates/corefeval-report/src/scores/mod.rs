//! Scores as a report.

mod conll;
mod csv;
mod json;
mod number;

use std::borrow::Cow;

use corefeval_core::metrics::{ValueCounts, ValueRow, ValueTable};
use corefeval_core::results::{AverageReport, MetricResult, Report, SystemReport};

use crate::block::{Block, Column, Form, Grid, Group, Line, Value};
use crate::{Kind, Printable};

impl Printable for Report {
    fn kind(&self) -> Kind {
        Kind::Scores
    }

    /// One system has a row for each metric; several systems, and pairs of files with their average, have a row each.
    /// Tables of values by type and scores by document follow.
    fn blocks(&self) -> Vec<Block<'_>> {
        let mut blocks = Vec::new();
        let systems = self.systems.as_slice();
        let several = systems.len() > 1 || !self.averages.is_empty();
        match systems {
            [system] if !several => blocks.extend(by_metric(&system.results).map(Block::Grid)),
            _ => blocks.push(Block::Grid(by_system(self))),
        }
        for system in systems {
            let mut own: Vec<Block<'_>> =
                system.results.iter().filter_map(by_type).map(Block::Grid).collect();
            own.extend(system.named.as_ref().map(|named| Block::Notes(vec![named.sentence()])));
            if !system.documents.is_empty() {
                own.push(Block::Grid(by_document(system)));
            }
            if several && !own.is_empty() {
                blocks.push(Block::Heading(system.name.as_str().into()));
            }
            blocks.extend(own);
        }
        blocks.push(Block::Signature(self.signature()));
        blocks
    }

    fn json(&self) -> serde_json::Value {
        json::json(self)
    }

    fn csv(&self) -> String {
        csv::csv(self)
    }

    fn conll(&self) -> Option<String> {
        Some(conll::render(self))
    }
}

/// Recall, precision and F1; a mean of F1s has an F1 alone.
fn parts<'r>(result: &MetricResult) -> [Value<'r>; 3] {
    let [recall, precision, f1] = result.parts().map(|part| Value::number(part, Form::Percent));
    if result.is_mean() { [Value::Blank, Value::Blank, f1] } else { [recall, precision, f1] }
}

/// The value, where the metric has one.
fn value<'r>(result: &MetricResult) -> Option<Value<'r>> {
    let value = result.value?;
    Some(Value::number(Some(value).filter(|_| result.is_defined()), Form::Percent))
}

/// The one number that stands for a result: F1, or the value.
pub(crate) fn figure<'r>(result: &MetricResult) -> Value<'r> {
    Value::number(Some(result.figure()).filter(|_| result.is_defined()), Form::Percent)
}

/// A row for each metric that has no table of values.
fn by_metric(results: &[MetricResult]) -> Option<Grid<'_>> {
    let plain: Vec<&MetricResult> = results.iter().filter(|result| result.values.is_none()).collect();
    let has_values = plain.iter().any(|result| result.value.is_some());
    let mut columns = vec![Column::new("Recall"), Column::new("Precision"), Column::new("F1").key()];
    columns.extend(has_values.then(|| Column::new("Value").key()));
    let row = |result: &&MetricResult| {
        let value = has_values.then(|| value(result).unwrap_or(Value::Blank));
        Line::row(result.metric.label(), parts(result).into_iter().chain(value))
    };
    let lines: Vec<Line<'_>> = plain.iter().map(row).collect();
    let grid = Grid { corner: "Metric".into(), groups: vec![Group::untitled(columns)], lines };
    (!plain.is_empty()).then_some(grid)
}

/// A row for each system, or for each pair of files and their average; columns in a group for each metric.
fn by_system(report: &Report) -> Grid<'_> {
    let first = report.systems.first().map(|system| system.results.as_slice()).unwrap_or_default();
    let group = |result: &MetricResult| {
        let columns = match (result.value, result.is_mean()) {
            (Some(_), _) => vec![Column::new("Value").key()],
            (None, true) => vec![Column::new("F1").key()],
            (None, false) => vec![Column::new("R"), Column::new("P"), Column::new("F1").key()],
        };
        Group { title: result.metric.label().into(), columns }
    };
    let mut lines = Vec::new();
    if report.averages.is_empty() {
        lines.extend(report.systems.iter().map(|system| row(system.name.as_str(), &system.results)));
    }
    for average in &report.averages {
        if report.averages.len() > 1 {
            lines.push(Line::Title(average.name.as_str().into()));
        }
        let systems = report.rows(average).iter();
        lines.extend(systems.map(|system| row(system.pair_name(), &system.results)));
        lines.push(Line::Rule);
        lines.push(row(title(average), &average.results));
    }
    let corner = if report.averages.is_empty() { "System" } else { "Pair" };
    Grid { corner: corner.into(), groups: first.iter().map(group).collect(), lines }
}

/// The scores of a system, a pair or an average, as columns of [`by_system`].
fn row<'r>(name: impl Into<Cow<'r, str>>, results: &[MetricResult]) -> Line<'r> {
    let cells = |result: &MetricResult| match (value(result), parts(result)) {
        (Some(value), _) => vec![value],
        (None, [_, _, f1]) if result.is_mean() => vec![f1],
        (None, parts) => parts.into(),
    };
    Line::row(name, results.iter().flat_map(cells))
}

/// What an average is of.
fn title(average: &AverageReport) -> String {
    let pairs = average.rows.len();
    format!("macro average of {pairs} pair{}", if pairs == 1 { "" } else { "s" })
}

/// A row for all entities and one for each type.
fn by_type(result: &MetricResult) -> Option<Grid<'_>> {
    let table = result.values.as_deref()?;
    let columns = ["Key", "FA", "Miss", "Error", "FA cost", "Miss cost", "Error cost", "Value"];
    let mut columns: Vec<Column<'_>> = columns.into_iter().map(Column::new).collect();
    columns.extend(["Recall", "Precision", "F1", "Share"].map(Column::new));
    columns[7].key = true;
    let [types, ..] = &table.groups;
    let types = types.iter().map(|(name, counts)| (name.as_str(), counts));
    let rows = std::iter::once(("total", &table.total)).chain(types);
    Some(Grid {
        corner: result.metric.label().into(),
        groups: vec![Group::untitled(columns)],
        lines: rows.map(|(name, counts)| Line::row(name, values(counts, table))).collect(),
    })
}

fn values<'r>(counts: &ValueCounts, table: &ValueTable) -> Vec<Value<'r>> {
    let ValueRow { costs, value, score, .. } = counts.row();
    let defined = counts.reference + counts.false_alarm > 0;
    let percent = |number: f64| Value::number(Some(number).filter(|_| defined), Form::Percent);
    let counted = [counts.reference, counts.false_alarm, counts.miss, counts.error];
    let ratios = [value, score.recall, score.precision, score.f1, counts.share(&table.total)];
    counted.into_iter().map(Value::Count).chain(costs.into_iter().chain(ratios).map(percent)).collect()
}

/// A row for each document or group; a column for each metric.
fn by_document(system: &SystemReport) -> Grid<'_> {
    let first = system.documents.first().map(|document| document.results.as_slice()).unwrap_or_default();
    let columns = first.iter().map(|result| Column::new(result.metric.label())).collect();
    let row = |document: &'_ corefeval_core::results::DocumentReport| -> Line<'_> {
        Line::row(document.id.clone(), document.results.iter().map(figure))
    };
    Grid {
        corner: format!("F1 by {}", system.by).into(),
        groups: vec![Group::untitled(columns)],
        lines: system.documents.iter().map(row).collect(),
    }
}
