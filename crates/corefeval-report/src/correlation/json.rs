//! Correlations as JSON: one object with all results, described by `schema/correlate.schema.json`.

use corefeval_core::reports::correlation::CorrelationReport;
use corefeval_core::significance::{COEFFICIENTS, Closeness, INTERVAL_FIELD, MapChoice, PartCorrelation};
use corefeval_core::tally::SCORE_PARTS;
use serde_json::{Map, Value, json};

use crate::json::{document, ends, extend, sizes};

/// Returns the object.
pub(super) fn json(report: &CorrelationReport) -> Value {
    let rows = report.correlations.iter().map(|row| {
        let parts = SCORE_PARTS.iter().zip(&row.parts);
        let parts =
            parts.filter_map(|(name, part)| Some((name.id.to_owned(), value(report, part.as_ref()?))));
        let parts: Map<String, Value> = parts.collect();
        let used = report.method.interval.used_for(row.over).name();
        let mut object = json!({ "over": row.over.name(), "interval_used": used });
        if let Some((name, _)) = row.system.and_then(|system| report.systems.get(system)) {
            object["system"] = json!(name);
        }
        object["parts"] = Value::Object(parts);
        object
    });
    let systems = report.systems.iter().zip(&report.sizes).map(
        |((name, response), counts)| json!({ "name": name, "response": response, "counts": sizes(counts) }),
    );
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
    if let Some(third) = report.than {
        object["than"] = json!(third.to_string());
        object["tests"] = json!(report.tests());
        object["correction"] = json!("none");
    }
    if let Some(left_out) = report.left_out {
        object["documents_left_out"] = json!(left_out);
    }
    object
}

fn value(report: &CorrelationReport, part: &PartCorrelation) -> Value {
    let mut object = json!({ "points": part.points(), "left_out": part.left_out });
    if report.points {
        object["list"] = points(report, part);
    }
    if let Some(why) = part.undefined() {
        object["undefined"] = json!(why);
        return object;
    }
    for (name, coefficient) in COEFFICIENTS.iter().zip(&part.coefficients) {
        let Some(coefficient) = coefficient else { continue };
        object[*name] = json!({
            "value": coefficient.value,
            "interval": ends(coefficient.interval),
            "fisher": ends(coefficient.fisher),
        });
    }
    object["reading"] = json!(part.reading().ok());
    if let Err(why) = part.reading() {
        object["unread"] = json!(why);
    }
    if let Some(found) = &part.maps {
        object["maps"] = maps(found);
    }
    if let Some(found) = &part.closeness {
        object["closeness"] = closeness(found);
    }
    object
}

fn closeness(found: &Closeness) -> Value {
    let mut object = json!({ "points": found.points, "williams": found.williams });
    for (name, closer) in COEFFICIENTS.iter().zip(&found.coefficients) {
        let Some(closer) = closer else { continue };
        object[*name] = json!({
            "first": closer.first,
            "third": closer.third,
            "difference": closer.first - closer.third,
            "interval": ends(closer.interval),
            "p": closer.p,
        });
    }
    if let Some(found) = &found.maps {
        object["maps"] = maps(found);
    }
    object
}

fn maps(found: &MapChoice) -> Value {
    json!({ "ambiguous": found.ambiguous, "pearson": ends(found.pearson), "pearson_bounds": ends(Some(found.bounds)) })
}

/// The points, each with its system, document and entity.
fn points(report: &CorrelationReport, part: &PartCorrelation) -> Value {
    let labels = part.labels.iter().flatten();
    let mut bounds = part.bounds.iter().flatten();
    let points = part.groups.iter().flatten().zip(labels).map(|(&(x, y), label)| {
        let mut object =
            json!({ "system": report.systems.get(label.system).map(|system| &system.0), "x": x, "y": y });
        if let Some(id) = label.document.and_then(|document| report.ids.get(document)) {
            object["document"] = json!(id);
        }
        if let Some(entity) = label.entity {
            object["entity"] = json!(entity + 1);
        }
        for (name, ends) in ["x_bounds", "y_bounds"].into_iter().zip(bounds.next().into_iter().flatten()) {
            if ends[0] < ends[1] {
                object[name] = json!(ends);
            }
        }
        object
    });
    points.collect()
}
