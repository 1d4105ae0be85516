//! JSON: one object with everything, as scripts rely on it; `schema/compare.schema.json` describes it.

use serde_json::{Map, Value, json};

use super::super::json::{settings, warning, weights as weights_as_json};
use super::{Broken, ComparisonOutput, ComparisonReport, Section, Style, SystemReport};
use crate::metrics::Metric;
use crate::significance::{Comparison, Estimate, Interval};

/// `json`.
pub(super) const SPEC: ComparisonOutput = ComparisonOutput {
    id: "json",
    summary: "one object with scores as fractions, intervals, all pairs, warnings and the signature",
    render,
};

fn render(report: &ComparisonReport, _: Style) -> String {
    let metrics = report.metrics();
    let comparison = &report.comparison;
    let method = &comparison.method;
    let whole = report.whole();
    let rows = report.order().into_iter().map(|system| {
        let SystemReport { name, key, response, .. } = &report.systems[system];
        let metrics = results(&metrics, &whole, system);
        json!({ "name": name, "key": key, "response": response, "metrics": metrics })
    });
    let rows: Vec<Value> = rows.collect();
    let mut document = json!({
        "corefeval": crate::VERSION,
        "signature": report.signature(),
        "settings": settings(&report.settings),
        "warnings": report.diagnostics.groups().iter().map(warning).collect::<Vec<_>>(),
        "documents": comparison.documents,
        "test": method.signature_of("test"),
        "resamples": method.resamples,
        "seed": method.seed,
        "correction": method.signature_of("correction"),
        "interval": method.signature_of("interval"),
        "confidence": method.confidence,
        "baseline": report.baseline(),
        "sort": metrics.first().map_or(String::new(), |(_, metric)| metric.to_string()),
        "systems": rows,
        "pairs": pairs(report, &metrics, comparison),
    });
    if let Some(weights) = &report.settings.weights {
        document["weights"] = weights_as_json(weights);
    }
    if let Some(left_out) = report.left_out {
        document["documents_left_out"] = json!(left_out);
    }
    if !report.broken.is_empty() {
        let broken = report.broken.iter().map(|Broken { name, response, error }| {
            json!({ "name": name, "response": response, "error": error.to_string() })
        });
        document["systems_left_out"] = broken.collect();
    }
    if !report.groups.is_empty() {
        document["by"] = json!(report.by);
        let groups = report.groups().map(|section| {
            let rows = report.order().into_iter().map(|system| {
                json!({ "name": report.systems[system].name, "metrics": results(&metrics, &section, system) })
            });
            json!({
                "id": section.group.map(|group| &group.id),
                "documents": section.documents,
                "systems": rows.collect::<Vec<_>>(),
                "pairs": section.comparison.map_or(Vec::new(), |found| pairs(report, &metrics, found)),
            })
        });
        document["groups"] = groups.collect();
    }
    format!("{document:#}\n")
}

/// What each metric gives to a system.
fn results(metrics: &[(usize, Metric)], section: &Section<'_>, system: usize) -> Map<String, Value> {
    let results = metrics.iter().filter_map(|&(metric, named)| {
        let mut object = Map::new();
        let result = section.result(metric, system)?;
        if !result.is_mean() {
            object.insert("recall".to_owned(), json!(result.score.recall));
            object.insert("precision".to_owned(), json!(result.score.precision));
        }
        match section.estimate(metric, system) {
            Some(estimate) => {
                add_estimate(&mut object, estimate);
                if !result.is_mean() {
                    object.insert("recall_interval".to_owned(), ends(estimate.ratios[0]));
                    object.insert("precision_interval".to_owned(), ends(estimate.ratios[1]));
                }
            }
            None => {
                object.insert("f1".to_owned(), json!(result.score.f1));
                object.insert("defined".to_owned(), json!(section.is_defined(metric, system)));
                if let Some(f1) = section.difference(metric, system) {
                    object.insert("difference".to_owned(), json!({ "f1": f1 }));
                }
            }
        }
        object.insert("best".to_owned(), json!(section.is_best(metric, system)));
        Some((named.to_string(), Value::Object(object)))
    });
    results.collect()
}

/// All pairs of systems, with the metrics that are defined for both.
fn pairs(report: &ComparisonReport, metrics: &[(usize, Metric)], comparison: &Comparison) -> Vec<Value> {
    let name = |system: usize| report.systems.get(system).map_or("", |system| system.name.as_str());
    let all = 0..report.systems.len();
    let pairs = all.clone().flat_map(|first| all.clone().skip(first + 1).map(move |second| (first, second)));
    let pairs = pairs.map(|(first, second)| {
        let tests = metrics.iter().filter_map(|&(metric, named)| {
            let mut tests = comparison.pairs.get(metric)?.iter();
            let test = tests.find(|test| (test.first, test.second) == (first, second))?;
            let test = json!({ "difference": test.f1, "p": test.p, "p_corrected": test.p_corrected });
            Some((named.to_string(), test))
        });
        let tests: Map<String, Value> = tests.collect();
        json!({ "first": name(first), "second": name(second), "metrics": tests })
    });
    pairs.collect()
}

fn add_estimate(object: &mut Map<String, Value>, estimate: &Estimate) {
    object.insert("f1".to_owned(), json!(estimate.f1));
    object.insert("defined".to_owned(), json!(estimate.defined));
    object.insert("interval".to_owned(), ends(estimate.interval));
    object.insert("rank".to_owned(), json!(estimate.rank));
    if let Some(difference) = &estimate.difference {
        let difference = json!({
            "f1": difference.f1,
            "interval": ends(difference.interval),
            "p": difference.p,
            "p_corrected": difference.p_corrected,
            "detectable": difference.detectable,
        });
        object.insert("difference".to_owned(), difference);
    }
}

fn ends(interval: Option<Interval>) -> Value {
    interval.map_or(Value::Null, |interval| json!([interval.low, interval.high]))
}
