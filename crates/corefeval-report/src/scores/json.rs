//! Scores as JSON: one object with everything, as scripts rely on it; `schema/report.schema.json` describes it.

use corefeval_core::groups::By;
use corefeval_core::results::{AverageReport, MetricResult, Report, SystemReport};
use serde_json::{Map, Value, json};

use crate::json::{document, metric, metrics, named, sizes, weights};

/// The object.
pub(super) fn json(report: &Report) -> Value {
    let systems = report.systems.iter().enumerate().map(|(place, row)| system(report, place, row));
    let mut object = document(report.signature(), &report.settings, &report.diagnostics);
    object["systems"] = systems.collect();
    if let Some(of_types) = &report.settings.weights {
        object["weights"] = weights(of_types);
    }
    if !report.averages.is_empty() {
        object["averages"] = report.averages.iter().map(|average| self::average(report, average)).collect();
    }
    object
}

fn system(report: &Report, place: usize, system: &SystemReport) -> Value {
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
    if !system.documents.is_empty() {
        let documents = system.documents.iter();
        let crossed = system.by.is_some_and(|by| by.specs().count() > 1);
        let documents = documents.map(|document| {
            let mut row = json!({ "id": document.id, "metrics": metrics(&document.results) });
            if crossed {
                row["labels"] = json!(document.labels);
            }
            row
        });
        if system.by.is_none_or(|by| by.is("document")) {
            object.insert("documents".to_owned(), documents.collect());
        } else {
            object.insert("by".to_owned(), json!(system.by.map(By::id)));
            object.insert("groups".to_owned(), documents.collect());
        }
    }
    Value::Object(object)
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
