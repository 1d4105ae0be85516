//! Scores as JSON: one object with all results, described by `schema/report.schema.json`, or the same in lines.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};

use corefeval_core::diagnostic::Diagnostics;
use corefeval_core::groups::By;
use corefeval_core::results::{AverageReport, DocumentReport, Report, SystemReport};
use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};
use serde_json::{Map, Value, json};

use super::follows_others;
use crate::json::{WARNINGS, metric, metrics, named, origin, sizes, warnings, weights};

/// Returns the object.
pub(super) fn json(report: &Report) -> Value {
    let system = |(place, system)| {
        let mut object = before_rows(report, place, system);
        if has_rows(system) {
            let rows = system.documents.iter().map(|document| row(system, document).into());
            object.insert(name_of_rows(system).to_owned(), rows.collect::<Vec<Value>>().into());
        }
        object.extend(after_rows(system));
        Value::Object(object)
    };
    let systems = report.systems.iter().enumerate().map(system).collect();
    object(report, Some(systems), &report.diagnostics)
}

/// Writes the object, row by row. If its first rows were already written, writes the rest.
pub(super) fn write(report: &Report, to: &mut dyn Write) -> io::Result<()> {
    let mut object = Nested::of(report, buffered(to))?;
    for (place, system) in report.systems.iter().enumerate() {
        if place > 0 || !follows_others(report) {
            object.begin_system(report, place, system)?;
        }
        if has_rows(system) {
            object.rows(system)?;
            object.end(NestingForm::Array)?;
        }
        object.entries(&after_rows(system))?;
        object.end(NestingForm::Object)?;
    }
    object.end(NestingForm::Array)?;
    object.entries(&after_systems(report, &report.diagnostics))?;
    object.end(NestingForm::Object)?;
    object.to.write_all(b"\n")?;
    object.to.flush()
}

/// Writes the object of an incomplete report up to its last row, without rows that were already written.
pub(super) fn write_first(begun: &Report, to: &mut dyn Write) -> io::Result<()> {
    let mut object = Nested::of(begun, buffered(to))?;
    for (place, system) in begun.systems.iter().enumerate() {
        if !follows_others(begun) {
            object.begin_system(begun, place, system)?;
        }
        object.rows(system)?;
    }
    object.to.flush()
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
    let mut to = buffered(to);
    for (place, row) in report.systems.iter().enumerate() {
        write_rows(row, &mut to)?;
        write_line(&system(report, place, row), &mut to)?;
    }
    write_line(&object(report, None, &report.diagnostics), &mut to)?;
    to.flush()
}

/// Writes the lines of the rows of an incomplete report.
pub(super) fn write_first_lines(begun: &Report, to: &mut dyn Write) -> io::Result<()> {
    let mut to = buffered(to);
    begun.systems.iter().try_for_each(|system| write_rows(system, &mut to))?;
    to.flush()
}

fn buffered(to: &mut dyn Write) -> BufWriter<&mut dyn Write> {
    BufWriter::with_capacity(1 << 16, to)
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

/// Returns the scores as JSON, without findings and without rows by document or group.
pub fn scores_in_brief(report: &Report) -> Value {
    let system = |(place, row)| Value::Object(system(report, place, row));
    let systems = report.systems.iter().enumerate().map(system).collect();
    object(report, Some(systems), &Diagnostics::default())
}

/// The key of the systems.
const SYSTEMS: &str = "systems";

/// The key of a system's name.
const NAME: &str = "name";

fn object(report: &Report, systems: Option<Value>, diagnostics: &Diagnostics) -> Value {
    let mut object = before_systems(report);
    object.extend(systems.map(|systems| (SYSTEMS.to_owned(), systems)));
    object.extend(after_systems(report, diagnostics));
    object.into()
}

/// The members that are known before documents are scored.
fn before_systems(report: &Report) -> Map<String, Value> {
    let mut object = origin(report.signature(), &report.settings);
    if let Some(of_types) = &report.settings.weights {
        object.insert("weights".to_owned(), weights(of_types));
    }
    object
}

fn after_systems(report: &Report, diagnostics: &Diagnostics) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert(WARNINGS.to_owned(), warnings(diagnostics));
    if !report.averages.is_empty() {
        let averages = report.averages.iter().map(|average| self::average(report, average));
        object.insert("averages".to_owned(), averages.collect());
    }
    object
}

/// A system without its rows.
fn system(report: &Report, place: usize, system: &SystemReport) -> Map<String, Value> {
    let mut object = before_rows(report, place, system);
    object.extend(after_rows(system));
    object
}

/// The members of a system that are known before documents are scored.
fn before_rows(report: &Report, place: usize, system: &SystemReport) -> Map<String, Value> {
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
    if has_rows(system) && !is_by_document(system) {
        object.insert("by".to_owned(), json!(system.by.map(By::id)));
    }
    object
}

fn after_rows(system: &SystemReport) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("counts".to_owned(), sizes(&system.sizes));
    object.insert("metrics".to_owned(), metrics(&system.results));
    if let Some(names) = &system.named {
        object.insert("named".to_owned(), named(names));
    }
    object
}

/// Returns whether a system has rows, written or not.
fn has_rows(system: &SystemReport) -> bool {
    !system.documents.is_empty() || system.documents.follow_others()
}

/// Returns the name of the rows of a system.
fn name_of_rows(system: &SystemReport) -> &'static str {
    if is_by_document(system) { "documents" } else { "groups" }
}

/// Returns whether the rows of a system are documents.
fn is_by_document(system: &SystemReport) -> bool {
    system.by.is_none_or(|by| by.is("document"))
}

/// The rows of a system as JSON: an object with its `documents` or its `groups`, if there are any.
pub fn rows_of_scores(system: &SystemReport) -> String {
    let named = has_rows(system).then(|| (name_of_rows(system), WrittenRows(system)));
    serde_json::to_string(&BTreeMap::from_iter(named)).expect("keys are strings")
}

/// The rows of a system, which are created while they are written.
struct WrittenRows<'r>(&'r SystemReport);

impl Serialize for WrittenRows<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.documents.iter().map(|document| row(self.0, document)))
    }
}

/// Objects and arrays that are written piece by piece, laid out like those of [`serde_json::to_writer_pretty`].
struct Nested<W> {
    to: W,
    layout: PrettyFormatter<'static>,
    /// For each open object or array, whether nothing was written into it yet.
    empty: Vec<bool>,
}

/// The two forms of nesting.
#[derive(Clone, Copy)]
enum NestingForm {
    Object,
    Array,
}

impl<W: Write> Nested<W> {
    /// Starts the object of a report, or continues it within the rows of its first system.
    fn of(report: &Report, to: W) -> io::Result<Nested<W>> {
        let continued = report.systems.first().filter(|_| follows_others(report));
        match continued {
            None => Nested::begun(report, to),
            Some(system) => {
                // The part that was already written determines the layout of the rest.
                let mut written = Nested::begun(report, io::sink())?;
                written.begin_system(report, 0, system)?;
                written.item()?;
                written.layout.end_array_value(&mut written.to)?;
                Ok(Nested { to, layout: written.layout, empty: written.empty })
            }
        }
    }

    fn begun(report: &Report, to: W) -> io::Result<Nested<W>> {
        let mut object = Nested { to, layout: PrettyFormatter::new(), empty: Vec::new() };
        object.begin(NestingForm::Object)?;
        object.entries(&before_systems(report))?;
        object.key(SYSTEMS)?;
        object.begin(NestingForm::Array)?;
        Ok(object)
    }

    /// Starts a system, up to its first row.
    fn begin_system(&mut self, report: &Report, place: usize, system: &SystemReport) -> io::Result<()> {
        self.item()?;
        self.begin(NestingForm::Object)?;
        self.entries(&before_rows(report, place, system))?;
        if has_rows(system) {
            self.key(name_of_rows(system))?;
            self.begin(NestingForm::Array)?;
        }
        Ok(())
    }

    fn rows(&mut self, system: &SystemReport) -> io::Result<()> {
        for document in system.documents.iter() {
            self.item()?;
            self.value(&row(system, document))?;
        }
        Ok(())
    }

    fn begin(&mut self, form: NestingForm) -> io::Result<()> {
        self.empty.push(true);
        match form {
            NestingForm::Object => self.layout.begin_object(&mut self.to),
            NestingForm::Array => self.layout.begin_array(&mut self.to),
        }
    }

    /// Ends the innermost object or array, and the value that it is.
    fn end(&mut self, form: NestingForm) -> io::Result<()> {
        self.empty.pop();
        match form {
            NestingForm::Object => self.layout.end_object(&mut self.to)?,
            NestingForm::Array => self.layout.end_array(&mut self.to)?,
        }
        self.layout.end_object_value(&mut self.to)
    }

    /// Starts an item of an array.
    fn item(&mut self) -> io::Result<()> {
        let first = self.is_first();
        self.layout.begin_array_value(&mut self.to, first)
    }

    /// Starts a member of an object.
    fn key(&mut self, name: &str) -> io::Result<()> {
        let first = self.is_first();
        self.layout.begin_object_key(&mut self.to, first)?;
        serde_json::to_writer(&mut self.to, name)?;
        self.layout.begin_object_value(&mut self.to)
    }

    fn is_first(&mut self) -> bool {
        self.empty.last_mut().is_some_and(|empty| std::mem::replace(empty, false))
    }

    fn entries(&mut self, object: &Map<String, Value>) -> io::Result<()> {
        object.iter().try_for_each(|(name, value)| {
            self.key(name)?;
            self.value(value)
        })
    }

    /// Writes a value and ends it.
    fn value(&mut self, value: &impl Serialize) -> io::Result<()> {
        value.serialize(&mut Serializer::with_formatter(&mut self.to, self.layout.clone()))?;
        self.layout.end_object_value(&mut self.to)
    }
}

/// The macro average of a response, with the names of its pairs.
fn average(report: &Report, average: &AverageReport) -> Value {
    let pairs: Vec<&str> = report.rows(average).iter().map(SystemReport::pair_name).collect();
    let results = average.results.iter().zip(&average.pairs).map(|(result, &pairs)| {
        // An average has no counts. A tally without counts would mark it as undefined.
        let mut without_counts = result.clone();
        (without_counts.tally, without_counts.mean_of) = (None, None);
        let mut object = metric(&without_counts);
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
