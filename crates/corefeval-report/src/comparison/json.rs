//! A comparison as JSON: one object with all results, described by `schema/compare.schema.json`.

use corefeval_core::groups::By;
use corefeval_core::metrics::Metric;
use corefeval_core::reports::comparison::{Broken, ComparisonReport, Section};
use corefeval_core::results::SystemReport;
use corefeval_core::significance::{Comparison, Estimate, IntervalKind, RankRule};
use serde_json::{Map, Value, json};

use crate::json::{add_undefined, document, ends, extend, f1, sizes, weights};

/// Returns the object.
pub(super) fn json(report: &ComparisonReport) -> Value {
    let metrics = report.metrics();
    let comparison = &report.comparison;
    let method = &comparison.method;
    let whole = report.whole();
    let rows = report.order().into_iter().map(|system| {
        let SystemReport { name, key, response, sizes: counts, .. } = &report.systems[system];
        let metrics = results(report, &metrics, &whole, system);
        let mut row = json!({ "name": name, "key": key, "response": response, "counts": sizes(counts), "metrics": metrics });
        if let Some(paths) = report.runs.get(system).filter(|paths| !paths.is_empty()) {
            row["runs"] = json!(paths);
        }
        row
    });
    let mut object = document(report.signature(), &report.settings, &report.diagnostics);
    let more = json!({
        "documents": comparison.documents,
        "unit": method.signature_of("unit"),
        "units": comparison.units,
        "test": method.signature_of("test"),
        "tests_used": tests_used(comparison),
        "resamples": method.resamples,
        "seed": method.seed,
        "correction": method.signature_of("correction"),
        "family": method.signature_of("family"),
        "ranks": method.signature_of("ranks"),
        "interval": method.signature_of("interval"),
        "interval_used": interval_used(comparison),
        "confidence": method.confidence,
        "baseline": report.baseline(),
        "sort": metrics.first().map_or(String::new(), |(_, metric)| metric.to_string()),
        "systems": rows.collect::<Vec<_>>(),
        "pairs": pairs(report, &metrics, comparison),
        "families": families(&metrics, comparison),
    });
    extend(&mut object, more);
    if let Some(plan) = report.plan {
        object["plan"] = json!(plan);
    }
    if let Some(of_types) = &report.settings.weights {
        object["weights"] = weights(of_types);
    }
    if let Some(left_out) = report.left_out {
        object["documents_left_out"] = json!(left_out);
    }
    if !report.broken.is_empty() {
        let broken = report.broken.iter().map(|Broken { name, response, error }| {
            json!({ "name": name, "response": response, "error": error.to_string() })
        });
        object["systems_left_out"] = broken.collect();
    }
    if !report.groups.is_empty() {
        object["by"] = json!(report.by.map(By::id));
        let groups = report.groups().map(|section| {
            let rows = report.order().into_iter().map(|system| {
                json!({ "name": report.systems[system].name, "metrics": results(report, &metrics, &section, system) })
            });
            json!({
                "id": section.group.map(|group| &group.id),
                "documents": section.documents,
                "families": section.comparison.map(|found| families(&metrics, found)),
                "interval_used": section.comparison.map(interval_used),
                "systems": rows.collect::<Vec<_>>(),
                "pairs": section.comparison.map_or(Vec::new(), |found| pairs(report, &metrics, found)),
            })
        });
        object["groups"] = groups.collect();
    }
    object
}

/// The tests used for pairs of systems: the requested one, and Student's t for systems of several runs.
fn tests_used(comparison: &Comparison) -> Vec<String> {
    let [resampled, student] = comparison.tests_used();
    let resampled = resampled.then(|| comparison.method.signature_of("test"));
    resampled.into_iter().chain(student.then(|| "student".to_owned())).collect()
}

/// The kind of intervals of systems with one run, which may depend on the number of units.
fn interval_used(comparison: &Comparison) -> &'static str {
    comparison.method.interval.used_for(comparison.units).name()
}

/// The number of tests across which the p-values of each metric are corrected.
fn families(metrics: &[(usize, Metric)], comparison: &Comparison) -> Map<String, Value> {
    let sizes = metrics.iter().filter_map(|&(metric, named)| {
        let sizes = comparison.families.get(metric)?;
        let mut object = json!({ "baseline": sizes.baseline, "pairs": sizes.pairs });
        if comparison.method.ranks == RankRule::Neighbours {
            object["neighbours"] = json!(sizes.neighbours);
        }
        Some((named.to_string(), object))
    });
    sizes.collect()
}

/// The results of a system by each metric.
fn results(
    report: &ComparisonReport,
    metrics: &[(usize, Metric)],
    section: &Section<'_>,
    system: usize,
) -> Map<String, Value> {
    let results = metrics.iter().filter_map(|&(metric, named)| {
        let mut object = Map::new();
        let result = section.result(metric, system)?;
        if !result.is_mean() {
            object.insert("recall".to_owned(), json!(result.score.recall));
            object.insert("precision".to_owned(), json!(result.score.precision));
            add_undefined(&mut object, result);
        }
        match section.estimate(metric, system) {
            Some(estimate) => {
                add_estimate(&mut object, estimate);
                if let Some(difference) = object.get_mut("difference").filter(|_| report.plan.is_some()) {
                    difference["planned"] = json!(report.planned(section, metric, system));
                }
                if !result.is_mean() {
                    object.insert("recall_interval".to_owned(), ends(estimate.ratios[0]));
                    object.insert("precision_interval".to_owned(), ends(estimate.ratios[1]));
                }
            }
            None => {
                object.insert("f1".to_owned(), json!(f1(result)));
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
    // Undefined scores are 0, including means with an undefined component.
    object.insert("f1".to_owned(), json!(if estimate.defined { estimate.f1 } else { 0.0 }));
    object.insert("defined".to_owned(), json!(estimate.defined));
    object.insert("interval".to_owned(), ends(estimate.interval));
    object.insert("rank".to_owned(), json!(estimate.rank));
    object.insert("rank_set".to_owned(), json!(estimate.rank_set));
    object.insert("letters".to_owned(), json!(estimate.letters));
    if let Some(deviation) = estimate.spread() {
        let used = IntervalKind::Student.name();
        let runs = json!({ "f1": estimate.runs, "deviation": deviation, "interval_used": used });
        object.insert("runs".to_owned(), runs);
    }
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
