//! Scores as JSON: one object with all results, described by `schema/report.schema.json`, or the same in lines.

use std::io::{self, BufWriter, Write};

use corefeval_core::diagnostic::Diagnostics;
use corefeval_core::groups::By;
use corefeval_core::results::{AverageReport, DocumentReport, MetricResult, Report, SystemReport};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value, json};

use crate::json::{document, metric, metrics, named, sizes, weights};
use crate::text_of;

/// Returns the object.
pub(super) fn json(report: &Report) -> Value {
    serde_json::to_value(Scores(report)).expect("keys are strings")
}

/// Writes the object, row by row.
pub(super) fn write(report: &Report, to: &mut dyn Write) -> io::Result<()> {
    let mut to = BufWriter::with_capacity(1 << 16, to);
    serde_json::to_writer_pretty(&mut to, &Scores(report))?;
    to.write_all(b"\n")?;
    to.flush()
}

/// The object, which creates its rows while it is written.
struct Scores<'r>(&'r Report);

impl Serialize for Scores<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let object = object(self.0, &self.0.diagnostics, Some(Value::Null));
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in object.as_object().into_iter().flatten() {
            match name.as_str() {
                SYSTEMS => map.serialize_entry(name, &Systems(self.0))?,
                _ => map.serialize_entry(name, value)?,
            }
        }
        map.end()
    }
}

/// The systems of a report.
struct Systems<'r>(&'r Report);

impl Serialize for Systems<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let object = |(place, row)| Members { object: system(self.0, place, row), rows: row };
        serializer.collect_seq(self.0.systems.iter().enumerate().map(object))
    }
}

/// An object with the rows of a system as its last member, if there are any.
struct Members<'r> {
    object: Map<String, Value>,
    rows: &'r SystemReport,
}

impl Serialize for Members<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.object.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))?;
        if !self.rows.documents.is_empty() {
            let name = if is_by_document(self.rows) { "documents" } else { "groups" };
            map.serialize_entry(name, &Rows(self.rows))?;
        }
        map.end()
    }
}

/// The rows of a system.
struct Rows<'r>(&'r SystemReport);

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.documents.iter().map(|document| row(self.0, document)))
    }
}

/// A row of a system.
fn row(system: &SystemReport, document: DocumentReport) -> Map<String, Value> {
    let mut row = Map::new();
    row.insert("id".to_owned(), json!(document.id));
    row.insert("metrics".to_owned(), metrics(&document.results));
    if system.by.is_some_and(|by| by.specs().count() > 1) {
        row.insert("labels".to_owned(), json!(document.labels));
    }
    row
}

/// Writes one object per line: the rows of each system with its name, then the system, and at the end everything else.
pub(super) fn write_lines(report: &Report, to: &mut dyn Write) -> io::Result<()> {
    let mut to = BufWriter::with_capacity(1 << 16, to);
    for (place, row) in report.systems.iter().enumerate() {
        write_rows(row, &mut to)?;
        write_line(&system(report, place, row), &mut to)?;
    }
    write_line(&object(report, &report.diagnostics, None), &mut to)?;
    to.flush()
}

fn write_rows(system: &SystemReport, to: &mut dyn Write) -> io::Result<()> {
    for document in system.documents.iter() {
        let mut line = Map::new();
        line.insert(NAME.to_owned(), json!(system.name));
        line.extend(row(system, document));
        write_line(&line, to)?;
    }
    Ok(())
}

fn write_line(object: &impl Serialize, to: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *to, object)?;
    to.write_all(b"\n")
}

/// The lines of the rows of a system.
pub(crate) fn rows_as_lines(system: &SystemReport) -> String {
    text_of(|to| write_rows(system, to))
}

/// Returns the scores as JSON, without findings and without rows by document or group.
pub fn scores_in_brief(report: &Report) -> Value {
    let system = |(place, row)| Value::Object(system(report, place, row));
    let systems = report.systems.iter().enumerate().map(system).collect();
    object(report, &Diagnostics::default(), Some(systems))
}

/// The name of the systems.
const SYSTEMS: &str = "systems";

/// The name of the name of a system.
const NAME: &str = "name";

fn object(report: &Report, diagnostics: &Diagnostics, systems: Option<Value>) -> Value {
    let mut object = document(report.signature(), &report.settings, diagnostics);
    if let Some(systems) = systems {
        object[SYSTEMS] = systems;
    }
    if let Some(of_types) = &report.settings.weights {
        object["weights"] = weights(of_types);
    }
    if !report.averages.is_empty() {
        object["averages"] = report.averages.iter().map(|average| self::average(report, average)).collect();
    }
    object
}

/// A system without its rows.
fn system(report: &Report, place: usize, system: &SystemReport) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert(NAME.to_owned(), json!(system.name));
    if let Some(average) = report.averages.iter().find(|average| average.rows.contains(&place)) {
        object.insert("system".to_owned(), json!(average.name));
    }
    if let Some(pair) = &system.pair {
        object.insert("pair".to_owned(), json!(pair));
    }
    object.insert("key".to_owned(), json!(system.key));
    object.insert("response".to_owned(), json!(system.response));
    object.insert("counts".to_owned(), sizes(&system.sizes));
    object.insert("metrics".to_owned(), metrics(&system.results));
    if let Some(names) = &system.named {
        object.insert("named".to_owned(), named(names));
    }
    if !system.documents.is_empty() && !is_by_document(system) {
        object.insert("by".to_owned(), json!(system.by.map(By::id)));
    }
    object
}

/// Returns whether the rows of a system are documents.
fn is_by_document(system: &SystemReport) -> bool {
    system.by.is_none_or(|by| by.is("document"))
}

/// The rows of a system as JSON: an object with its `documents` or its `groups`, if there are any.
pub fn rows_of_scores(system: &SystemReport) -> String {
    let rows = Members { object: Map::new(), rows: system };
    serde_json::to_string(&rows).expect("keys are strings")
}

/// The macro average of a response, with the names of its pairs.
fn average(report: &Report, average: &AverageReport) -> Value {
    let pairs: Vec<&str> = report.rows(average).iter().map(SystemReport::pair_name).collect();
    let results = average.results.iter().zip(&average.pairs).map(|(result, &pairs)| {
        // An average has no counts. A tally without counts would mark it as undefined.
        let mut object = metric(&MetricResult { tally: None, mean_of: None, ..result.clone() });
        if !result.is_defined() {
            object["defined"] = json!(false);
        }
        if let Some(value) = result.value {
            object["value"] = json!(value);
        }
        object["pairs"] = json!(pairs);
        (result.metric.to_string(), object)
    });
    let metrics: Map<String, Value> = results.collect();
    json!({ "name": average.name, "average": "macro", "pairs": pairs, "metrics": metrics })
}
