//! JSON: one object with everything, as scripts rely on it; `schema/report.schema.json` describes it.

use serde_json::{Map, Value, json};

use super::{AverageReport, MetricResult, OutputSpec, Report, Style, SystemReport};
use crate::diagnostic::{Diagnostic, Group};
use crate::fraction::FractionSum;
use crate::metrics::{VALUE_GROUPS, ValueCounts, ValueRow, ValueTable};
use crate::named::{NamedCounts, SideNames};
use crate::settings::Settings;
use crate::tally::Counts;
use crate::weights::Weights;

/// `json`.
pub(super) const SPEC: OutputSpec = OutputSpec {
    id: "json",
    summary: "one object with scores as fractions, counts, warnings and the signature",
    render,
    in_rows: None,
};

fn render(report: &Report, _: Style) -> String {
    let systems: Vec<Value> = report
        .systems
        .iter()
        .enumerate()
        .map(|(place, system)| {
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
            object.insert("metrics".to_owned(), metrics(&system.results));
            if let Some(named) = &system.named {
                object.insert("named".to_owned(), self::named(named));
            }
            if !system.documents.is_empty() {
                let documents = system.documents.iter();
                let documents = documents
                    .map(|document| json!({"id": document.id, "metrics": metrics(&document.results)}));
                if system.by == "document" {
                    object.insert("documents".to_owned(), documents.collect());
                } else {
                    object.insert("by".to_owned(), json!(system.by));
                    object.insert("groups".to_owned(), documents.collect());
                }
            }
            Value::Object(object)
        })
        .collect();
    let mut document = json!({
        "corefeval": crate::VERSION,
        "signature": report.signature(),
        "settings": settings(&report.settings),
        "warnings": report.diagnostics.groups().iter().map(warning).collect::<Vec<_>>(),
        "systems": systems,
    });
    if let Some(weights) = &report.settings.weights {
        document["weights"] = self::weights(weights);
    }
    if !report.averages.is_empty() {
        document["averages"] = report.averages.iter().map(|average| self::average(report, average)).collect();
    }
    format!("{document:#}\n")
}

/// All settings, each with its value as typed.
pub(super) fn settings(settings: &Settings) -> Value {
    settings
        .list()
        .into_iter()
        .map(|(name, value)| (name.to_owned(), json!(value)))
        .collect::<Map<_, _>>()
        .into()
}

/// The weights of types, as a file has them.
pub(super) fn weights(weights: &Weights) -> Value {
    let mut tables = Map::new();
    for (names, weight) in weights.rows() {
        let Some((last, tables_of)) = names.split_last() else { continue };
        let mut table = &mut tables;
        for name in tables_of {
            let inner = table.entry(*name).or_insert_with(|| json!({}));
            let Value::Object(inner) = inner else { unreachable!("tables hold tables or weights") };
            table = inner;
        }
        table.insert((*last).to_owned(), json!(weight.parse::<f64>().unwrap_or_default()));
    }
    tables.into()
}

/// The macro average of a response, with the rows that it is the mean of.
fn average(report: &Report, average: &AverageReport) -> Value {
    let pairs: Vec<&str> = report.rows(average).iter().map(SystemReport::pair_name).collect();
    let results = average.results.iter().zip(&average.pairs).map(|(result, &pairs)| {
        let mut object = metric(&MetricResult { tally: None, ..result.clone() });
        if let Some(value) = result.value {
            object["value"] = json!(value);
        }
        object["pairs"] = json!(pairs);
        (result.metric.to_string(), object)
    });
    let metrics: Map<String, Value> = results.collect();
    json!({ "name": average.name, "average": "macro", "pairs": pairs, "metrics": metrics })
}

/// Which mentions are named.
pub(super) fn named(named: &NamedCounts) -> Value {
    let side = |side: &SideNames| json!({ "mentions": side.mentions, "named": side.named, "entities": side.entities });
    json!({ "source": named.source.as_str(), "key": side(&named.key), "response": side(&named.response) })
}

pub(super) fn metrics(results: &[MetricResult]) -> Value {
    results.iter().map(|result| (result.metric.to_string(), metric(result))).collect::<Map<_, _>>().into()
}

fn metric(result: &MetricResult) -> Value {
    let score = result.score;
    if result.is_mean() {
        return json!({ "f1": score.f1 });
    }
    if let Some(table) = &result.values {
        return values(table);
    }
    let mut object = Map::new();
    object.insert("recall".to_owned(), json!(score.recall));
    object.insert("precision".to_owned(), json!(score.precision));
    object.insert("f1".to_owned(), json!(score.f1));
    if let Some(tally) = &result.tally {
        match result.metric.halves() {
            Some([first, second]) => {
                object.insert(first.to_owned(), half(&tally.first));
                object.insert(second.to_owned(), half(&tally.second));
            }
            None => add_counts(&mut object, &tally.first),
        }
    }
    Value::Object(object)
}

/// The rows of all entities and of each group.
fn values(table: &ValueTable) -> Value {
    let row = |counts: &ValueCounts| {
        let ValueRow { unweighted, costs: [false_alarm, miss, error], value, score } = counts.row();
        json!({
            "reference": counts.reference,
            "false_alarm": counts.false_alarm,
            "miss": counts.miss,
            "error": counts.error,
            "unweighted": {
                "precision": unweighted.precision,
                "recall": unweighted.recall,
                "f1": unweighted.f1,
            },
            "cost": { "false_alarm": false_alarm, "miss": miss, "error": error },
            "value": value,
            "precision": score.precision,
            "recall": score.recall,
            "f1": score.f1,
            "max_value_share": counts.share(&table.total),
        })
    };
    let mut object = Map::new();
    object.insert("total".to_owned(), row(&table.total));
    for (name, groups) in VALUE_GROUPS.iter().zip(&table.groups) {
        let rows: Map<String, Value> =
            groups.iter().map(|(name, counts)| (name.clone(), row(counts))).collect();
        object.insert(format!("by_{name}"), rows.into());
    }
    object.into()
}

/// One of two counts, with the score of its own.
fn half(counts: &Counts) -> Value {
    let score = counts.score();
    let mut object = Map::new();
    object.insert("recall".to_owned(), json!(score.recall));
    object.insert("precision".to_owned(), json!(score.precision));
    object.insert("f1".to_owned(), json!(score.f1));
    add_counts(&mut object, counts);
    Value::Object(object)
}

fn add_counts(object: &mut Map<String, Value>, counts: &Counts) {
    let four = [
        ("recall_num", &counts.recall_num),
        ("recall_den", &counts.recall_den),
        ("precision_num", &counts.precision_num),
        ("precision_den", &counts.precision_den),
    ];
    for (name, sum) in four {
        object.insert(name.to_owned(), number(sum));
    }
}

/// A whole number where the sum is one, else a double.
fn number(sum: &FractionSum) -> Value {
    match sum.to_integer().and_then(|whole| i64::try_from(whole).ok()) {
        Some(whole) => json!(whole),
        None => json!(sum.to_f64()),
    }
}

pub(super) fn warning(group: &Group) -> Value {
    json!({
        "code": group.code.id(),
        "severity": group.code.severity().label(),
        "count": group.count,
        "summary": group.code.summary(),
        "remedy": group.code.remedy(),
        "places": group.kept.iter().map(place).collect::<Vec<_>>(),
    })
}

fn place(diagnostic: &Diagnostic) -> Value {
    let position = diagnostic.position.as_ref();
    json!({
        "message": diagnostic.message,
        "file": position.map(|position| &*position.source),
        "line": position.map(|position| position.line).filter(|&line| line > 0),
        "column": position.map(|position| position.column).filter(|&column| column > 0),
        "document": diagnostic.document,
    })
}
