//! Scores as JSON: one object with everything, as scripts rely on it; `schema/report.schema.json` describes it.

use std::sync::Arc;

use corefeval_core::diagnostic::Diagnostics;
use corefeval_core::groups::By;
use corefeval_core::results::{AverageReport, DocumentReport, MetricResult, Report, SystemReport};
use serde_json::{Map, Value, json};

use crate::json::{document, metric, metrics, named, sizes, weights};

/// The object.
pub(super) fn json(report: &Report) -> Value {
    let system = |(place, row)| {
        let mut object = system(report, place, row);
        object.extend(rows(row));
        Value::Object(object)
    };
    object(report, &report.diagnostics, report.systems.iter().enumerate().map(system).collect())
}

/// Returns the scores as JSON, without findings and without rows by document or group.
pub fn scores_in_brief(report: &Report) -> Value {
    let system = |(place, row)| Value::Object(system(report, place, row));
    object(report, &Diagnostics::default(), report.systems.iter().enumerate().map(system).collect())
}

fn object(report: &Report, diagnostics: &Diagnostics, systems: Value) -> Value {
    let mut object = document(report.signature(), &report.settings, diagnostics);
    object["systems"] = systems;
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
    object.insert("name".to_owned(), json!(system.name));
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

/// The rows of a system, if there are any, as an object: its `documents`, or its `groups`.
pub fn rows_of_scores(system: &SystemReport) -> Value {
    Value::Object(rows(system))
}

fn rows(system: &SystemReport) -> Map<String, Value> {
    let crossed = system.by.is_some_and(|by| by.specs().count() > 1);
    let row = |document: &Arc<DocumentReport>| {
        let mut row = json!({ "id": document.id, "metrics": metrics(&document.results) });
        if crossed {
            row["labels"] = json!(document.labels);
        }
        row
    };
    let name = if is_by_document(system) { "documents" } else { "groups" };
    let rows =
        (!system.documents.is_empty()).then(|| (name.to_owned(), system.documents.iter().map(row).collect()));
    rows.into_iter().collect()
}

/// The macro average of a response, with the rows that it is the mean of.
fn average(report: &Report, average: &AverageReport) -> Value {
    let pairs: Vec<&str> = report.rows(average).iter().map(SystemReport::pair_name).collect();
    let results = average.results.iter().zip(&average.pairs).map(|(result, &pairs)| {
        // An average has no counts; those that mark it as undefined are empty.
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
