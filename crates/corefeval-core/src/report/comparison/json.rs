//! JSON: one object with everything, as scripts rely on it; `schema/compare.schema.json` describes it.

use serde_json::{Map, Value, json};

use super::super::json::{warning, weights as weights_as_json};
use super::{ComparisonOutput, ComparisonReport, Style};
use crate::significance::{Estimate, Interval};

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
    let systems = report.order().into_iter().map(|system| {
        let row = &report.systems[system];
        let results = metrics.iter().filter_map(|&(metric, named)| {
            let mut object = Map::new();
            let result = row.results.get(metric)?;
            if !result.is_mean() {
                object.insert("recall".to_owned(), json!(result.score.recall));
                object.insert("precision".to_owned(), json!(result.score.precision));
            }
            add_estimate(&mut object, report.estimate(metric, system)?);
            object.insert("best".to_owned(), json!(report.is_best(metric, system)));
            Some((named.to_string(), Value::Object(object)))
        });
        let results: Map<String, Value> = results.collect();
        json!({ "name": row.name, "key": row.key, "response": row.response, "metrics": results })
    });
    let name = |system: usize| report.systems.get(system).map_or("", |system| system.name.as_str());
    let pairs = comparison.pairs.first().map(Vec::as_slice).unwrap_or_default().iter().enumerate();
    let pairs = pairs.map(|(number, pair)| {
        let tests = metrics.iter().filter_map(|&(metric, named)| {
            let test = comparison.pairs.get(metric)?.get(number)?;
            let test = json!({ "difference": test.f1, "p": test.p, "p_corrected": test.p_corrected });
            Some((named.to_string(), test))
        });
        let tests: Map<String, Value> = tests.collect();
        json!({ "first": name(pair.first), "second": name(pair.second), "metrics": tests })
    });
    let mut document = json!({
        "corefeval": crate::VERSION,
        "signature": report.signature(),
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
        "systems": systems.collect::<Vec<_>>(),
        "pairs": pairs.collect::<Vec<_>>(),
    });
    if let Some(weights) = report.settings.weights {
        document["weights"] = weights_as_json(weights);
    }
    if let Some(left_out) = report.left_out {
        document["documents_left_out"] = json!(left_out);
    }
    format!("{document:#}\n")
}

fn add_estimate(object: &mut Map<String, Value>, estimate: &Estimate) {
    object.insert("f1".to_owned(), json!(estimate.f1));
    object.insert("interval".to_owned(), ends(&estimate.interval));
    object.insert("rank".to_owned(), json!(estimate.rank));
    if let Some(difference) = &estimate.difference {
        let difference = json!({
            "f1": difference.f1,
            "interval": ends(&difference.interval),
            "p": difference.p,
            "p_corrected": difference.p_corrected,
            "detectable": difference.detectable,
        });
        object.insert("difference".to_owned(), difference);
    }
}

fn ends(interval: &Interval) -> Value {
    json!([interval.low, interval.high])
}
