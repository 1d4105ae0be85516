//! The parts of JSON that all results share; `schema/` describes the objects.

use corefeval_core::diagnostic::{Diagnostic, Diagnostics, FindingGroup};
use corefeval_core::fraction::FractionSum;
use corefeval_core::metrics::{VALUE_GROUPS, ValueCounts, ValueRow, ValueTable};
use corefeval_core::named::{NamedCounts, SideNames};
use corefeval_core::results::{MetricResult, SideSize};
use corefeval_core::settings::Settings;
use corefeval_core::significance::Interval;
use corefeval_core::tally::{Counts, SCORE_PARTS, Score};
use corefeval_core::weights::Weights;
use corefeval_core::wording::{Command, Wording};
use serde_json::{Map, Value, json};

/// The object that most results start with: version, signature, all settings, warnings.
pub fn document(signature: String, settings: &Settings, diagnostics: &Diagnostics) -> Value {
    let mut object = origin(signature, settings);
    object.insert(WARNINGS.to_owned(), warnings(diagnostics));
    object.into()
}

/// The name of the findings.
pub(crate) const WARNINGS: &str = "warnings";

/// Version, signature and all settings.
pub(crate) fn origin(signature: String, settings: &Settings) -> Map<String, Value> {
    let settings = settings.list().into_iter().map(|(name, value)| (name.to_owned(), json!(value)));
    let mut object = Map::new();
    object.insert("corefeval".to_owned(), json!(corefeval_core::VERSION));
    object.insert("signature".to_owned(), json!(signature));
    object.insert("settings".to_owned(), settings.collect::<Map<_, _>>().into());
    object
}

/// The findings.
pub(crate) fn warnings(diagnostics: &Diagnostics) -> Value {
    diagnostics.groups().iter().map(finding).collect()
}

/// Adds the members of `more` to `object`.
pub(crate) fn extend(object: &mut Value, more: Value) {
    if let (Value::Object(object), Value::Object(more)) = (object, more) {
        object.extend(more);
    }
}

/// The weights of types, nested as in a file of weights.
pub(crate) fn weights(weights: &Weights) -> Value {
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

/// The numbers of named mentions.
pub(crate) fn named(named: &NamedCounts) -> Value {
    let side = |side: &SideNames| json!({ "mentions": side.mentions, "named": side.named, "entities": side.entities });
    json!({ "source": named.source.as_str(), "key": side(&named.key), "response": side(&named.response) })
}

/// Documents, words, mentions, entities, singletons and mentions without a correct link of each side; words are null
/// if a document does not contain them.
pub(crate) fn sizes([key, response]: &[SideSize; 2]) -> Value {
    let side = |SideSize { documents, words, mentions, entities, singletons, unlinked }: &SideSize| {
        json!({
            "documents": documents,
            "words": words,
            "mentions": mentions,
            "entities": entities,
            "singletons": singletons,
            "unlinked": unlinked,
        })
    };
    json!({ "key": side(key), "response": side(response) })
}

/// Scores by metric.
pub(crate) fn metrics(results: &[MetricResult]) -> Value {
    results.iter().map(|result| (result.metric.to_string(), metric(result))).collect::<Map<_, _>>().into()
}

/// The F1 of a score or of a mean of scores; 0 if it is undefined.
pub(crate) fn f1(result: &MetricResult) -> f64 {
    if result.is_defined() { result.score.f1 } else { 0.0 }
}

/// The score of one metric with its counts. An undefined score or mean is 0 and has `"defined": false`; if only recall or
/// only precision is undefined, it is named.
pub(crate) fn metric(result: &MetricResult) -> Value {
    let mut object = Map::new();
    if let Some(table) = &result.values {
        return values(table);
    }
    if let Some(bounds) = result.bounds() {
        return bounded(result, bounds);
    }
    match result.is_mean() {
        true => {
            object.insert("f1".to_owned(), json!(f1(result)));
        }
        false => add_score(&mut object, &result.score),
    }
    if !result.is_defined() {
        object.insert("defined".to_owned(), json!(false));
    }
    add_undefined(&mut object, result);
    if let Some([some, _]) = result.mean_of.filter(|[some, all]| some < all) {
        object.insert("mean_of".to_owned(), json!(some));
    }
    if let Some(tally) = &result.tally {
        match result.metric.halves() {
            Some([first, second]) => {
                object.insert(first.to_owned(), half(&tally.first));
                object.insert(second.to_owned(), half(&tally.second));
            }
            _ => add_counts(&mut object, &tally.first),
        }
    }
    if let Some(range) = result.range_over_maps() {
        object.insert("over_maps".to_owned(), of_parts(range));
    }
    Value::Object(object)
}

/// The lower and upper ends of recall, precision and F1, without undefined parts.
fn of_parts(parts: [Option<[f64; 2]>; 3]) -> Value {
    SCORE_PARTS
        .iter()
        .zip(parts)
        .filter_map(|(name, ends)| Some((name.id.to_owned(), json!(ends?))))
        .collect::<Map<_, _>>()
        .into()
}

/// Names recall or precision if it is undefined while F1 is defined.
pub(crate) fn add_undefined(object: &mut Map<String, Value>, result: &MetricResult) {
    if !result.is_mean() && result.is_defined() {
        let [recall, precision, _] = result.parts();
        name_undefined(object, [recall.is_some(), precision.is_some()]);
    }
}

/// Names the undefined ones of recall and precision.
fn name_undefined(object: &mut Map<String, Value>, is_defined: [bool; 2]) {
    let parts = SCORE_PARTS.iter().zip(is_defined);
    let undefined: Vec<&str> = parts.filter(|part| !part.1).map(|part| part.0.id).collect();
    if !undefined.is_empty() {
        object.insert("undefined".to_owned(), json!(undefined));
    }
}

/// Bounds under a separate name, so that scripts do not read them as exact scores; counts without numerators.
fn bounded(result: &MetricResult, bounds: [Option<[f64; 2]>; 3]) -> Value {
    let mut object = json!({ "bounds": of_parts(bounds) });
    if !result.is_defined() {
        object["defined"] = json!(false);
    }
    if let Some(tally) = &result.tally {
        object["recall_den"] = number(&tally.first.recall_den);
        object["precision_den"] = number(&tally.first.precision_den);
    }
    object
}

fn add_score(object: &mut Map<String, Value>, score: &Score) {
    object.insert("recall".to_owned(), json!(score.recall));
    object.insert("precision".to_owned(), json!(score.precision));
    object.insert("f1".to_owned(), json!(score.f1));
}

/// The rows of all entities and of each group.
fn values(table: &ValueTable) -> Value {
    let row = |counts: &ValueCounts| {
        let ValueRow { unweighted, costs: [false_alarm, miss, error], value, score } = counts.row();
        let mut object = json!({
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
        });
        if counts.reference + counts.false_alarm == 0 {
            object["defined"] = json!(false);
        }
        object
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

/// One of two counts, with its score.
fn half(counts: &Counts) -> Value {
    let mut object = Map::new();
    add_score(&mut object, &counts.score());
    match [&counts.recall_den, &counts.precision_den].map(|count| !count.is_zero()) {
        [false, false] => {
            object.insert("defined".to_owned(), json!(false));
        }
        defined => name_undefined(&mut object, defined),
    }
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

/// A whole number if the sum is one, otherwise a double.
fn number(sum: &FractionSum) -> Value {
    match sum.to_integer().and_then(|whole| i64::try_from(whole).ok()) {
        Some(whole) => json!(whole),
        None => json!(sum.to_f64()),
    }
}

/// The ends of an interval; null without one.
pub(crate) fn ends(interval: Option<Interval>) -> Value {
    interval.map_or(Value::Null, |interval| json!([interval.low, interval.high]))
}

/// The findings of one code with the first finding, in the words of the command.
pub fn finding(group: &FindingGroup) -> Value {
    finding_in(group, &Command)
}

/// The findings of one code in the words of a front end.
pub fn finding_in(group: &FindingGroup, wording: &dyn Wording) -> Value {
    json!({
        "code": group.code.id(),
        "severity": group.code.severity().label(),
        "count": group.count,
        "summary": group.code.summary(),
        "remedy": group.code.remedy().worded(wording),
        "places": group.kept.iter().map(|found| place(found, wording)).collect::<Vec<_>>(),
    })
}

fn place(diagnostic: &Diagnostic, wording: &dyn Wording) -> Value {
    let position = diagnostic.position.as_ref();
    json!({
        "message": diagnostic.message.worded(wording),
        "file": position.map(|position| &*position.source),
        "line": position.map(|position| position.line).filter(|&line| line > 0),
        "column": position.map(|position| position.column).filter(|&column| column > 0),
        "document": diagnostic.document,
    })
}
