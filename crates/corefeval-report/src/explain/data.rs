//! Explanations as JSON and CSV.

use corefeval_core::analysis::ChangedMention;
use corefeval_core::exact::{Exact, ExactScore, to_f64};
use corefeval_core::formats::report_columns;
use corefeval_core::metrics::Metric;
use corefeval_core::profiles::Print;
use corefeval_core::reports::explain::{
    Against, Explanation, Hit, RulePath, RuleStep, RuleSwitch, ScoredSettings, Search,
};
use corefeval_core::results::MetricResult;
use serde_json::{Map, Value as Json, json};

use super::{BothEnds, changes_any, of_print, part_id};
use crate::csv::Table;
use crate::json::{add_undefined, document, metrics, sizes};

/// The number of decimals of printed percentages in JSON.
const DIGITS: u8 = 2;

/// Returns the whole explanation as one JSON value.
pub fn json(report: &Explanation) -> Json {
    let Some(first) = report.profiles.first() else { return Json::Null };
    let mut object = document(report.signature_of(first), &first.settings, &report.diagnostics);
    object["name"] = json!(report.name);
    object["key"] = json!(report.key);
    object["response"] = json!(report.response);
    object["metrics"] = report.metrics.iter().map(Metric::to_string).collect();
    object["headline"] = json!(report.metrics[report.headline].to_string());
    object["profiles"] = report.profiles.iter().map(|profile| scored(report, profile)).collect();
    let end = |name: &str| report.profiles.iter().find(|profile| profile.name == name);
    let path =
        |path: &RulePath| end(&path.to).map(|to| json_path(report, path, BothEnds::of_profiles(first, to)));
    object["differences"] = report.paths.iter().filter_map(path).collect();
    if let Some(search) = &report.search {
        object["search"] = json_search(report, search);
    }
    if let Some(against) = &report.against {
        object["against"] = json_against(report, against);
    }
    object
}

/// Settings with their scores, as doubles and as exact fractions.
fn scored(report: &Explanation, scored: &ScoredSettings) -> Json {
    json!({
        "name": scored.name,
        "signature": report.signature_of(scored),
        "swapped": scored.swapped,
        "print": scored.print().id(),
        "counts": sizes(&scored.sizes),
        "metrics": metrics(&scored.results),
        "exact": scored.results.iter().zip(&scored.exact).map(exact).collect::<Map<_, _>>(),
    })
}

/// A metric with its score as fractions (`"2/3"`).
fn exact((result, score): (&MetricResult, &ExactScore)) -> (String, Json) {
    let mut object = parts(result, score, result.is_defined(), |part| json!(part.to_string()));
    add_undefined(&mut object, result);
    (result.metric.to_string(), object.into())
}

/// The parts of a metric's score; a mean has only an F1. Undefined parts are 0 and marked.
fn parts(
    result: &MetricResult,
    score: &ExactScore,
    defined: bool,
    value: impl Fn(&Exact) -> Json,
) -> Map<String, Json> {
    let zero = Exact::default();
    let first = if result.is_mean() { 2 } else { 0 };
    let part = |part: usize| (part_id(part).to_owned(), value(if defined { &score[part] } else { &zero }));
    let mark = (!defined).then(|| ("defined".to_owned(), json!(false)));
    (first..3).map(part).chain(mark).collect()
}

/// The changes between two results by metric, as doubles and as fractions. A change between undefined scores is undefined.
fn changes(ends: [&[MetricResult]; 2], scores: &[ExactScore]) -> Json {
    let change = |((from, to), score): ((&MetricResult, &MetricResult), &ExactScore)| {
        let defined = from.is_defined() || to.is_defined();
        let mut object = parts(to, score, defined, |part| json!(to_f64(part)));
        let fractions = parts(to, score, defined, |part| json!(part.to_string()));
        object.insert("exact".to_owned(), fractions.into());
        (to.metric.to_string(), Json::from(object))
    };
    ends[0].iter().zip(ends[1]).zip(scores).map(change).collect::<Map<_, _>>().into()
}

fn switch(switch: &RuleSwitch) -> Json {
    json!({
        "option": switch.option,
        "summary": switch.summary,
        "from": switch.from,
        "to": switch.to,
    })
}

fn json_path(report: &Explanation, path: &RulePath, ends: BothEnds<'_>) -> Json {
    let results = [ends.from.0, ends.to.0].map(|scored| scored.results.as_slice());
    let before = results.iter().take(1).copied().chain(path.steps.iter().map(|step| step.results.as_slice()));
    let steps = before.zip(&path.steps).map(|(before, step)| json_step(report, before, step));
    let mut object = json!({
        "from": path.from,
        "to": path.to,
        "total": changes(results, &path.total),
        "steps": steps.collect::<Vec<_>>(),
        "idle": path.idle.iter().map(switch).collect::<Vec<_>>(),
    });
    if ends.print_differs() {
        let rests: Vec<ExactScore> = (0..report.metrics.len())
            .map(|place| [0, 1, 2].map(|part| of_print(ends, place, part, DIGITS)))
            .collect();
        object["print"] = json!({
            "from": ends.from.1.id(),
            "to": ends.to.1.id(),
            "digits": DIGITS,
            "change": changes(results, &rests),
        });
    }
    object
}

/// A step, with the results before it.
fn json_step(report: &Explanation, before: &[MetricResult], step: &RuleStep) -> Json {
    let ends = [before, &step.results];
    let documents = step.documents.iter().map(|document| {
        let own = |place: usize| -> Json {
            let each = report.metrics.iter().zip(&document.own[place]);
            each.map(|(metric, f1)| (metric.to_string(), json!(f1))).collect::<Map<_, _>>().into()
        };
        let mut object = json!({ "id": document.id, "f1_before": own(0), "f1_after": own(1) });
        if step.additive {
            object["adds"] = changes(ends, &document.adds);
        }
        object
    });
    let entities = step.entities().into_iter().map(|entity| {
        json!({
            "document": entity.document,
            "side": entity.side,
            "entity": entity.entity,
            "size": entity.size,
            "changed": entity.changed,
            "text": entity.text,
        })
    });
    let mentions = step.mentions.iter().flat_map(|document| {
        document.mentions.iter().map(move |mention| json_mention(&document.id, mention))
    });
    let counts = step
        .counts()
        .into_iter()
        .map(|(change, side, count)| json!({ "change": change.id(), "side": side.label(), "count": count }));
    json!({
        "switches": step.switches.iter().map(switch).collect::<Vec<_>>(),
        "change": changes(ends, &step.change),
        "metrics": metrics(&step.results),
        "additive": step.additive,
        "detail": step.detail,
        "counts": counts.collect::<Vec<_>>(),
        "documents": documents.collect::<Vec<_>>(),
        "entities": entities.collect::<Vec<_>>(),
        "mentions": mentions.collect::<Vec<_>>(),
    })
}

fn json_mention(document: &str, mention: &ChangedMention) -> Json {
    let known = |number: u32| (number > 0).then_some(number);
    json!({
        "document": document,
        "side": mention.side.label(),
        "change": mention.change.id(),
        "text": mention.text,
        "entity": mention.entity,
        "sentence": mention.sentence,
        "file": &*mention.position.source,
        "line": known(mention.position.line),
        "column": known(mention.position.column),
        "before": mention.before,
        "after": mention.after,
        "value_before": mention.values.map(|values| values[0]),
        "value_after": mention.values.map(|values| values[1]),
    })
}

/// The metric, part and rounding with which settings print a number.
fn place(found: &Option<(Metric, usize, Print)>) -> Json {
    found.as_ref().map_or(Json::Null, |(metric, part, print)| {
        json!({ "metric": metric.to_string(), "part": part_id(*part), "print": print.id() })
    })
}

fn json_hit(report: &Explanation, hit: &Hit) -> Json {
    json!({
        "name": hit.scored.name,
        "signature": report.signature_of(&hit.scored),
        "swapped": hit.scored.swapped,
        "rules": hit.rules,
        "numbers": hit.numbers.iter().map(place).collect::<Vec<_>>(),
        "metrics": metrics(&hit.scored.results),
        "same": hit.same,
    })
}

fn json_search(report: &Explanation, search: &Search) -> Json {
    let wanted = search.wanted.iter().zip(&search.chances).map(|(wanted, chance)| {
        json!({
            "number": wanted.number.text,
            "metric": wanted.metric.map(|metric| metric.to_string()),
            "part": wanted.part.map(part_id),
            "candidates": chance.candidates,
            "low": chance.spread[0],
            "high": chance.spread[1],
            "expected_by_chance": chance.probability,
        })
    });
    json!({
        "wanted": wanted.collect::<Vec<_>>(),
        "tried": search.tried,
        "distinct": search.distinct,
        "failed": search.failed,
        "rules": search.rules,
        "hits": search.hits.iter().map(|hit| json_hit(report, hit)).collect::<Vec<_>>(),
        "nearest": search.nearest.as_ref().map(|hit| json_hit(report, hit)),
    })
}

fn json_against(report: &Explanation, against: &Against) -> Json {
    let numbers = against.printed.numbers.iter().zip(&against.best.numbers).map(|(score, hit)| {
        let of = |scored: &ScoredSettings| against.number(scored, score).map(|number| number.text);
        json!({
            "metric": score.metric.to_string(),
            "part": part_id(score.part),
            "line": score.line,
            "printed": score.number.text,
            "ours": of(&against.ours),
            "nearest": of(&against.best.scored),
            "met": hit.is_some(),
        })
    });
    let print = against.printed.peer.print;
    let path = against
        .path
        .as_ref()
        .map(|(start, path)| json_path(report, path, BothEnds::printed(start, &against.best.scored, print)));
    json!({
        "file": against.printed.source,
        "scorer": against.printed.peer.id,
        "same_layout": against.printed.alike.iter().map(|peer| peer.id).collect::<Vec<_>>(),
        "numbers": numbers.collect::<Vec<_>>(),
        "tried": against.tried,
        "met_if_swapped": against.met_if_swapped,
        "nearest": json_hit(report, &against.best),
        "difference": path,
    })
}

/// A row for each metric of each profile and of each step, of the settings that print the numbers of `--find`, and for
/// each number in the output of another scorer. The first column distinguishes them.
pub fn csv(report: &Explanation) -> String {
    let mut table = Table::new(report_columns::EXPLANATION);
    // Values that are undefined at both ends are empty cells.
    let mut rows = |what: &str, names: [&str; 3], ends: &[&ScoredSettings], scores: &[ExactScore]| {
        for (metric, score) in report.metrics.iter().zip(scores) {
            table.text(what);
            names.into_iter().for_each(|name| table.text(name));
            table.text(&metric.to_string());
            let mut results = ends.iter().flat_map(|scored| &scored.results);
            let is_defined = results.any(|result| result.metric == *metric && result.is_defined());
            if !is_defined && !ends.is_empty() {
                table.blanks(4);
                table.end_row();
                continue;
            }
            match metric.parts() {
                Some(_) => table.blanks(2),
                None => score[..2].iter().for_each(|part| table.number(to_f64(part))),
            }
            table.number(to_f64(&score[2]));
            table.number(&score[2]);
            table.end_row();
        }
    };
    for profile in &report.profiles {
        rows("scores", [&profile.name, "", ""], &[profile], &profile.exact);
    }
    let against = report.against.iter().flat_map(Against::steps);
    for path in report.paths.iter().chain(against) {
        let ends =
            [&path.from, &path.to].map(|name| report.profiles.iter().find(|profile| profile.name == *name));
        let ends: Vec<&ScoredSettings> = match ends {
            [Some(from), Some(to)] => vec![from, to],
            _ => Vec::new(),
        };
        for step in &path.steps {
            rows("change", [&path.from, &path.to, &step.name()], &ends, &step.change);
        }
        if path.steps.iter().any(|step| step.change.iter().any(changes_any)) {
            rows("total", [&path.from, &path.to, ""], &ends, &path.total);
        }
    }
    if let Some(search) = &report.search {
        // The nearest settings, with all metrics that were searched.
        let hits = search.hits.iter().map(|hit| ("hit", hit));
        for (what, hit) in hits.chain(search.nearest.iter().map(|hit| ("nearest", hit))) {
            let found = |metric: &Metric| hit.numbers.iter().flatten().any(|found| found.0 == *metric);
            let none = hit.numbers.iter().flatten().next().is_none();
            let all = hit.scored.results.iter().zip(&hit.scored.exact);
            for (result, exact) in all.filter(|(result, _)| none || found(&result.metric)) {
                for cell in [what, &hit.scored.name, "", "", &result.metric.to_string()] {
                    table.text(cell);
                }
                result.figures().into_iter().for_each(|part| table.optional(part));
                table.optional(result.is_defined().then_some(&exact[2]));
                table.end_row();
            }
        }
    }
    if let Some(against) = &report.against {
        let nearest = &against.best.scored;
        for score in &against.printed.numbers {
            let ours = [&against.ours, nearest].map(|scored| against.number(scored, score));
            let names = [against.printed.peer.id, &against.ours.name, &nearest.name];
            let numbers = std::iter::once(Some(&score.number)).chain(ours.iter().map(Option::as_ref));
            for ((what, name), number) in ["printed", "ours", "nearest"].into_iter().zip(names).zip(numbers) {
                for cell in [what, name, "", "", &score.metric.to_string()] {
                    table.text(cell);
                }
                let fraction = number.map(|number| number.scaled as f64 / (100.0 * number.unit()));
                (0..3).for_each(|part| table.optional(fraction.filter(|_| part == score.part)));
                table.blanks(1);
                table.end_row();
            }
        }
    }
    table.finish()
}
