//! Correlations as JSON: one object with everything, as scripts rely on it; `schema/correlate.schema.json` describes it.

use corefeval_core::reports::correlation::CorrelationReport;
use corefeval_core::significance::{COEFFICIENTS, INTERVAL_FIELD, PartCorrelation, reading};
use serde_json::{Map, Value, json};

use super::PARTS;
use crate::json::{document, ends, extend};

/// The object.
pub(super) fn json(report: &CorrelationReport) -> Value {
    let rows = report.correlations.iter().map(|row| {
        let parts = PARTS.iter().zip(&row.parts);
        let parts = parts.filter_map(|(name, part)| Some(((*name).to_owned(), value(part.as_ref()?))));
        let parts: Map<String, Value> = parts.collect();
        let mut object = json!({ "over": row.over.name() });
        if let Some((name, _)) = row.system.and_then(|system| report.systems.get(system)) {
            object["system"] = json!(name);
        }
        object["parts"] = Value::Object(parts);
        object
    });
    let systems = report.systems.iter().map(|(name, response)| json!({ "name": name, "response": response }));
    let method = &report.method;
    let mut object = document(report.signature(), &report.settings, &report.diagnostics);
    let more = json!({
        "x": report.metrics[0].to_string(),
        "y": report.metrics[1].to_string(),
        "key": report.key,
        "systems": systems.collect::<Vec<_>>(),
        "documents": report.documents,
        "unit": method.value("unit"),
        "units": report.units,
        "interval": method.value(INTERVAL_FIELD),
        "resamples": method.resamples,
        "seed": method.seed,
        "confidence": method.confidence,
        "correlations": rows.collect::<Vec<_>>(),
    });
    extend(&mut object, more);
    if let Some(left_out) = report.left_out {
        object["documents_left_out"] = json!(left_out);
    }
    object
}

fn value(part: &PartCorrelation) -> Value {
    let mut object = json!({ "points": part.points(), "left_out": part.left_out });
    if let Some(why) = part.undefined() {
        object["undefined"] = json!(why);
        return object;
    }
    for (name, coefficient) in COEFFICIENTS.iter().zip(&part.coefficients) {
        let Some(coefficient) = coefficient else { continue };
        object[*name] = json!({ "value": coefficient.value, "interval": ends(coefficient.interval) });
    }
    object["reading"] = json!(part.coefficients[0].map(|pearson| reading(pearson.value)));
    object
}
