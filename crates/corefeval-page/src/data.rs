//! The data of a page: results as the JSON that the viewer reads.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;

use corefeval_core::analysis::{
    COREF_ERRORS, CorefErrorKind, CorefErrorSpec, DocumentView, ErrorAnalysis, ErrorCorrection, ErrorReport,
    ErrorRow, Language, LinkCounts, Outcome, OutcomeTable, RowMention, SideView, Step, Tree, TypeRule,
    WordsAre,
};
use corefeval_core::diagnostic::{Diagnostics, FindingGroup};
use corefeval_core::formats::{FormatSpec, Side};
use corefeval_core::groups::By;
use corefeval_core::metrics::{Metric, headline};
use corefeval_core::reports::comparison::ComparisonReport;
use corefeval_core::results::{MetricResult, Report, SystemReport};
use corefeval_core::settings::{OPTIONS, OptionSpec, Settings};
use corefeval_core::significance::{Estimate, Interval, METHOD_FIELDS};
use corefeval_core::threads::side_by_side;
use corefeval_report::json::finding_in;
use corefeval_report::{
    count_lines, label_of_first_step, label_of_step, language_note, note_of_first_step,
    reason_for_insignificance,
};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::body::{Body, BodyError};
use super::chunk::chunk;
use super::{Page, Texts};

/// The largest number of rows of a table of errors.
const TABLE_ROWS: usize = 25;

pub(super) fn title(report: &Report) -> String {
    let names: Vec<&str> = report.systems.iter().map(|system| system.name.as_str()).collect();
    match key_name(report) {
        // Documents of a program have no name.
        "" => names.join(", "),
        key => format!("{} against {key}", names.join(", ")),
    }
}

fn key_name(report: &Report) -> &str {
    let path = report.systems.first().map(|system| system.key.as_str()).unwrap_or_default();
    path.trim_end_matches('/').rsplit('/').next().unwrap_or(path)
}

pub(super) fn data(page: &Page<'_>) -> Value {
    let report = page.report;
    let metrics: Vec<Metric> =
        report.systems.first().map(|system| metrics_of(&system.results)).unwrap_or_default();
    let (page_errors, bodies) = chunks(page);
    let mut data = json!({
        "kind": "corefeval-viewer",
        "version": 1,
        "corefeval": corefeval_core::VERSION,
        "signature": signature(page),
        "settings": settings(&report.settings, &report.format, &metrics),
        "key": source(key_name(report), report.systems.first().map_or("", |system| system.key.as_str())),
        "systems": systems(page),
        "metrics": metrics.iter().map(metric).collect::<Vec<_>>(),
        "documents": documents(page, bodies),
        "warnings": warnings(page),
    });
    data["counts"] = json!(count_lines(&report.systems));
    if let Some(title) = page.title {
        data["title"] = json!(title);
    }
    if let Some(metric) = metrics.get(headline(&metrics)) {
        data["headline"] = json!(metric.to_string());
    }
    if let Some(comparison) = page.comparison {
        data["confidence"] = json!(comparison.comparison.method.confidence);
        if comparison.systems.len() > 1 {
            data["comparison"] = tests(comparison);
        }
    }
    if let Some(error) = page.not_compared {
        data["not_compared"] = json!({ "message": error.message_text().worded(page.wording) });
        if let Some(hint) = error.remedy_text() {
            data["not_compared"]["remedy"] = json!(hint.worded(page.wording));
        }
    }
    if !page.groups.is_empty() {
        data["groups"] = page.groups.iter().map(groups).collect();
    }
    if let (Some(report), Some(found)) = (page.errors, page_errors) {
        data["analysis"] = analysis(report);
        data["kinds"] = COREF_ERRORS.iter().map(kind).collect();
        data["errors"] = found;
    }
    if page.texts == Texts::None {
        data["without_text"] = json!(true);
    } else {
        let has = |(place, document): &(usize, &DocumentView)| page.texts.has(*place, &document.id);
        let shown = page.documents.iter().enumerate().filter(has).count();
        data["bodies"] = json!({ "shown": shown, "total": page.documents.len() });
    }
    data
}

/// The signature of the scores or of their comparison, with the choices of the analysis of errors.
fn signature(page: &Page<'_>) -> String {
    let mut signature = page.comparison.map_or_else(|| page.report.signature(), ComparisonReport::signature);
    let analysis = page.errors.map(ErrorReport::signature).unwrap_or_default();
    for (name, value) in ErrorReport::split_signature(&analysis).1 {
        signature += &format!("|{name}:{value}");
    }
    signature
}

fn source(name: &str, path: &str) -> Value {
    json!({ "name": name, "path": path })
}

/// The metrics that a page shows: those with an F1.
fn metrics_of(results: &[MetricResult]) -> Vec<Metric> {
    results.iter().filter(|result| is_shown(result)).map(|result| result.metric).collect()
}

/// Returns whether a page shows a metric. ACE-value is not an F1 and has separate tables.
fn is_shown(result: &MetricResult) -> bool {
    result.values.is_none() && result.value.is_none()
}

fn metric(metric: &Metric) -> Value {
    let spec = metric.spec();
    let mut object = json!({ "id": metric.to_string(), "label": metric.label(), "summary": spec.summary });
    if metric.is_mean() {
        object["f1_only"] = json!(true);
    }
    object["explanation"] = json!(spec.explanation());
    object
}

/// The settings that affect the page, with the meaning of their values.
fn settings(settings: &Settings, format: &str, metrics: &[Metric]) -> Value {
    let usual = Settings::of(settings.profile);
    let infos: Vec<_> = metrics.iter().map(|metric| metric.spec().info).collect();
    let formats = FormatSpec::traits_of(format);
    let has_effect = |option: &&OptionSpec| {
        let changed = option.value(settings) != option.value(&usual);
        changed
            || (!option.concerns_files()
                && !option.concerns_names()
                && option.is_idle_on(&formats, &infos).is_none())
    };
    let profile = json!({
        "name": "profile",
        "value": settings.profile.id,
        "about": "Profile",
        "words": sentence(settings.profile.summary),
        "default": true,
    });
    let options = OPTIONS.iter().filter(has_effect).map(|option| {
        let value = option.value(settings);
        let meaning = option.values.iter().find(|known| known.0 == value).map_or("", |known| known.1);
        json!({
            "name": option.name,
            "value": value,
            "about": capitalised(option.summary),
            "words": sentence(meaning),
            "default": value == option.value(&usual),
        })
    });
    std::iter::once(profile).chain(options).collect()
}

/// The choices of the analysis of errors: the antecedents, the rule for types, and the list of pronouns if one was used.
fn analysis(report: &ErrorReport) -> Value {
    let choice = |name: &str, value: &str, about: &str, words: String, default: bool| json!({ "name": name, "value": value, "about": about, "words": words, "default": default });
    let meaning = |rows: &[(&str, &str)], id: &str| {
        sentence(rows.iter().find(|row| row.0 == id).map_or("", |row| row.1))
    };
    let (tree, types) = (report.tree, report.types);
    let trees = Tree::ALL.map(|(_, id, summary)| (id, summary));
    let rules = TypeRule::ALL.map(|(_, id, summary)| (id, summary));
    let is_default = tree == Tree::default();
    let mut choices = vec![choice("tree", tree.id(), Tree::SUMMARY, meaning(&trees, tree.id()), is_default)];
    if report.systems.iter().any(|system| system.has_types) {
        let is_default = types == TypeRule::default();
        let meaning = meaning(&rules, types.id());
        choices.push(choice("types", types.id(), TypeRule::SUMMARY, meaning, is_default));
    }
    let language = report.systems.iter().find_map(|system| system.language);
    if let (Some(language), Some(note)) = (language, language_note(report)) {
        choices.push(choice("language", language.code, Language::SUMMARY, note, report.language.is_none()));
    }
    choices.into()
}

/// Turns a line of help into a sentence.
fn sentence(line: &str) -> String {
    format!("{}.", capitalised(line.trim_end_matches([':', ' ', '.'])))
}

fn capitalised(line: &str) -> String {
    let mut letters = line.trim().chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}", letters.as_str())
}

fn warnings(page: &Page<'_>) -> Value {
    let mut all = Diagnostics::default();
    all.merge(page.report.diagnostics.clone());
    let mut seen: Vec<&str> = all.groups().iter().map(|group| group.code.id()).collect();
    let finding = |group: &FindingGroup| {
        let mut found = finding_in(group, page.wording);
        // Only reference pages need to state this.
        if !group.code.needs_remedy()
            && let Some(members) = found.as_object_mut()
        {
            members.remove("remedy");
        }
        if page.texts == Texts::None { without_words(found) } else { found }
    };
    let mut shown: Vec<Value> = all.groups().iter().map(finding).collect();
    let others = page.comparison.map(|report| &report.diagnostics).into_iter();
    for diagnostics in others.chain(page.errors.map(|report| &report.diagnostics)) {
        for group in diagnostics.groups().iter().filter(|group| !seen.contains(&group.code.id())) {
            shown.push(finding(group));
        }
        seen.extend(diagnostics.groups().iter().map(|group| group.code.id()));
    }
    shown.into()
}

/// Replaces the messages of a finding, which may quote words of the corpus, with the id of the document.
fn without_words(mut finding: Value) -> Value {
    let places = finding["places"].as_array_mut().map(std::mem::take).unwrap_or_default();
    let kept = places.into_iter().filter(|place| !place["file"].is_null() || !place["document"].is_null());
    let silent = |mut place: Value| {
        place["message"] = json!(place["document"].as_str().unwrap_or_default());
        place
    };
    finding["places"] = kept.map(silent).collect();
    finding
}

/// A number rounded to the digits that the viewer shows, and some more.
fn rounded(value: f64) -> Value {
    json!((value * 1e6).round() / 1e6)
}

/// A number with enough digits for the viewer to subtract it from others.
fn precise(value: f64) -> Value {
    json!((value * 1e12).round() / 1e12)
}

fn interval(interval: &Interval) -> Value {
    json!([rounded(interval.low), rounded(interval.high)])
}

fn score(result: &MetricResult) -> Map<String, Value> {
    let mut object = Map::new();
    let [recall, precision, _] = result.parts();
    let parts = [("recall", recall), ("precision", precision)];
    for (name, part) in parts.into_iter().filter_map(|(name, part)| Some((name, part?))) {
        object.insert(name.to_owned(), rounded(part));
    }
    let is_defined = result.is_defined();
    // Undefined scores are 0, including means with an undefined component.
    object.insert("f1".to_owned(), rounded(if is_defined { result.score.f1 } else { 0.0 }));
    if !is_defined {
        object.insert("defined".to_owned(), json!(false));
    }
    object
}

fn scores(results: &[MetricResult]) -> Value {
    let shown = results.iter().filter(|result| is_shown(result));
    shown.map(|result| (result.metric.to_string(), score(result).into())).collect::<Map<_, _>>().into()
}

/// The score of a system with its counts, interval and rank.
fn whole_score(result: &MetricResult, estimate: Option<&Estimate>) -> Value {
    let mut object = score(result);
    if result.is_defined() {
        object.insert("f1".to_owned(), precise(result.score.f1));
    }
    if let (Some(tally), None) = (&result.tally, result.metric.halves()) {
        let counts = &tally.first;
        let four = [&counts.recall_num, &counts.recall_den, &counts.precision_num, &counts.precision_den];
        object.insert("counts".to_owned(), four.map(|sum| json!(sum.to_f64())).to_vec().into());
    }
    let Some(estimate) = estimate.filter(|estimate| estimate.defined) else { return object.into() };
    let intervals = [
        ("interval", &estimate.interval),
        ("recall_interval", &estimate.ratios[0]),
        ("precision_interval", &estimate.ratios[1]),
    ];
    for (name, found) in intervals {
        if let Some(found) = found {
            object.insert(name.to_owned(), interval(found));
        }
    }
    object.insert("rank".to_owned(), json!(estimate.rank));
    object.into()
}

fn systems(page: &Page<'_>) -> Value {
    let systems = page.report.systems.iter().enumerate().map(|(place, system)| {
        let estimate = |result: &MetricResult| {
            let comparison = page.comparison?;
            let system = comparison.systems.iter().position(|other| other.name == system.name)?;
            let metric =
                comparison.systems[system].results.iter().position(|other| other.metric == result.metric)?;
            comparison.estimate(metric, system)
        };
        let shown = system.results.iter().filter(|result| is_shown(result));
        let scores: Map<String, Value> =
            shown.map(|result| (result.metric.to_string(), whole_score(result, estimate(result)))).collect();
        let mut object = json!({ "name": system.name, "path": system.response, "scores": scores });
        if let Some(analysis) = page.errors.and_then(|report| report.systems.get(place)) {
            object["error_counts"] = error_counts(analysis);
            object["costs"] = costs(analysis);
        }
        object
    });
    systems.collect()
}

fn error_counts(analysis: &ErrorAnalysis) -> Value {
    let kinds = CorefErrorKind::TRANSFORM.iter();
    let transform: Map<String, Value> =
        kinds.map(|kind| (kind.id().to_owned(), json!(analysis.counts.of(*kind)))).collect();
    let links = |counts: &LinkCounts| {
        let types = counts.by_type.iter();
        let by_type: Map<String, Value> = types
            .filter(|_| analysis.has_types)
            .map(|(types, count)| (format!("{}-{}", types.0.id(), types.1.id()), json!(count)))
            .collect();
        let distances = counts.by_distance.iter();
        let by_distance: Map<String, Value> = distances
            .filter(|_| analysis.has_sentences)
            .map(|(distance, count)| (distance.to_string(), json!(count)))
            .collect();
        json!({ "total": counts.total, "by_type": by_type, "by_distance": by_distance })
    };
    json!({
        "transform": transform,
        "links": { "recall": links(&analysis.recall), "precision": links(&analysis.precision) },
    })
}

/// The scores after each correction, from the span errors to the remaining mentions, whose id is `rest`; `null` if
/// undefined. If a side repeats
/// mentions, the scores with one copy of each come first, as `one_copy`; if errors use different settings from scores,
/// the scores with these, as `settings`.
fn costs(analysis: &ErrorAnalysis) -> Value {
    let f1 = |step: &Step| -> Value {
        let results = step.results.iter().filter(|result| is_shown(result));
        results
            .map(|result| {
                let f1 = if result.is_defined() { precise(result.score.f1) } else { Value::Null };
                (result.metric.to_string(), f1)
            })
            .collect::<Map<_, _>>()
            .into()
    };
    let uncorrected = |step: &&Step| step.correction == ErrorCorrection::None;
    let first = analysis.sequence.iter().find(uncorrected).filter(|_| analysis.scored.is_some());
    let kind = if analysis.has_other_settings { "settings" } else { "one_copy" };
    let first = first.map(|step| {
        let mut cost = json!({ "kind": kind, "label": label_of_first_step(analysis), "sequence": f1(step) });
        if let Some(note) = note_of_first_step(analysis) {
            cost["note"] = json!(note);
        }
        cost
    });
    let steps = analysis.sequence.iter().filter(|step| !uncorrected(step));
    let steps = steps.map(|step| {
        let mut cost =
            json!({ "kind": step.correction.id(), "label": label_of_step(step.correction), "sequence": f1(step) });
        let kind = step.correction.kind();
        let alone = analysis.alone.iter().find(|alone| kind.is_some() && alone.correction.kind() == kind);
        if let Some(alone) = alone {
            cost["alone"] = f1(alone);
        }
        cost
    });
    first.into_iter().chain(steps).collect()
}

/// The tests of all pairs of systems, and the intervals of the differences from the baseline.
fn tests(report: &ComparisonReport) -> Value {
    let comparison = &report.comparison;
    let method = &comparison.method;
    let metrics: Vec<Metric> =
        report.systems.first().map(|system| metrics_of(&system.results)).unwrap_or_default();
    let all = report.systems.first().map(|system| system.results.as_slice()).unwrap_or_default();
    let place = |metric: &Metric| all.iter().position(|result| result.metric == *metric);
    let mut pairs: BTreeMap<(usize, usize), Map<String, Value>> = BTreeMap::new();
    for metric in &metrics {
        let Some(place) = place(metric) else { continue };
        for (system, estimate) in comparison.estimates.get(place).into_iter().flatten().enumerate() {
            let Some(difference) = &estimate.difference else { continue };
            let mut object = json!({
                "f1": rounded(difference.f1),
                "p": rounded(difference.p),
                "p_corrected": rounded(difference.p_corrected),
                "detectable": difference.detectable,
                "significant": difference.p_corrected <= method.level(),
            });
            if let Some(found) = &difference.interval {
                object["interval"] = interval(found);
            }
            pairs.entry((comparison.baseline, system)).or_default().insert(metric.to_string(), object);
        }
        for test in comparison.pairs.get(place).into_iter().flatten() {
            // Tests with the baseline were added above.
            if [test.first, test.second].contains(&comparison.baseline) {
                continue;
            }
            let object = json!({
                "f1": rounded(-test.f1),
                "p": rounded(test.p),
                "p_corrected": rounded(test.p_corrected),
                "significant": test.p_corrected <= method.level(),
            });
            pairs.entry((test.first, test.second)).or_default().insert(metric.to_string(), object);
        }
    }
    let pairs = pairs.into_iter();
    let pairs: Vec<Value> = pairs
        .map(|((first, second), metrics)| json!({ "first": first, "second": second, "metrics": metrics }))
        .collect();
    let field =
        |name: &str| METHOD_FIELDS.iter().find(|field| field.name == name).map(|field| field.value(method));
    let mut tests = json!({
        "test": field("test"),
        "exact": method.is_exact(comparison.units),
        "resamples": method.resamples,
        "seed": method.seed,
        "correction": field("correction"),
        "interval": field("interval"),
        "baseline": comparison.baseline,
        "pairs": pairs,
    });
    if let Some(reason) = reason_for_insignificance(comparison) {
        tests["reason_for_insignificance"] = json!(reason);
    }
    tests
}

/// The scores of each system by one division. Metrics without scores by group are omitted.
fn groups(report: &Report) -> Value {
    let by = report.systems.first().and_then(|system| system.by);
    let of_mentions = by.is_some_and(By::is_of_mentions);
    let mut ids: Vec<String> = Vec::new();
    for id in report.systems.iter().flat_map(|system| system.documents.ids()) {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    let rows = ids.iter().map(|id| {
        let of = |system: &SystemReport| {
            system.documents.iter().find(|group| group.id == *id).map(|group| scores(&group.results))
        };
        let scores: Vec<Option<Value>> = report.systems.iter().map(of).collect();
        json!({ "id": id, "scores": scores })
    });
    let of = if of_mentions { "mentions" } else { "documents" };
    json!({ "by": by.map_or_else(String::new, By::id), "of": of, "rows": rows.collect::<Vec<_>>() })
}

/// Builds the slowest parts: the errors, and the texts of the documents in the page.
fn chunks(page: &Page<'_>) -> (Option<Value>, Vec<Option<Value>>) {
    let mut chunks = side_by_side(page.threads, page.documents.len() + 1, |place| match place {
        0 => page.errors.map(|report| chunk(&errors(page, report))),
        _ => {
            let document = &page.documents[place - 1];
            page.texts.has(place - 1, &document.id).then(|| chunk(&Body::from(document)))
        }
    });
    let bodies = chunks.split_off(1);
    (chunks.pop().flatten(), bodies)
}

fn documents(page: &Page<'_>, bodies: Vec<Option<Value>>) -> Value {
    let places = |system: &SystemReport| system.documents.ids().zip(0..).collect::<BTreeMap<String, usize>>();
    let places: Vec<_> = page.report.systems.iter().map(|system| (system, places(system))).collect();
    let documents = page.documents.iter().zip(bodies).map(|(document, body)| {
        let scores = places.iter().map(|(system, places)| {
            let row = system.documents.get(*places.get(&document.id)?)?;
            Some(scores(&row.results))
        });
        let scores: Vec<Option<Value>> = scores.collect();
        let responses: Vec<u64> =
            document.responses.iter().flatten().map(|response| response.side.size.mentions).collect();
        let mut object = json!({
            "id": document.id,
            "counts": { "mentions": document.key.size.mentions, "entities": document.key.size.entities },
            "scores": scores,
        });
        if document.words_are == WordsAre::Words {
            // Empty nodes of all sides are among the words of the view, but not of the text.
            object["counts"]["words"] = json!(document.words.len() - document.zeros.len());
            let zeros = document.zeros.iter().filter(|zero| zero.sides.contains(&0)).count();
            if zeros > 0 {
                object["counts"]["zeros"] = json!(zeros);
            }
            object["counts"]["sentences"] = json!(document.sentences.len());
        }
        if responses.len() == document.responses.len() {
            object["counts"]["response_mentions"] = json!(responses);
        } else {
            let lacking = document.responses.iter().enumerate().filter(|(_, response)| response.is_none());
            object["missing"] = lacking.map(|(system, _)| system).collect();
        }
        if let Some(genre) = &document.genre {
            object["groups"] = json!({ "genre": genre });
        }
        if let Some(body) = body {
            object["body"] = body;
        }
        object
    });
    documents.collect()
}

/// The kinds of errors, their rows and tables.
#[derive(Serialize)]
struct ErrorData<'r> {
    kinds: Vec<Value>,
    rows: Vec<BodyError<'r>>,
    tables: Vec<Value>,
}

/// A kind of error. Words that depend on the kind come from its row, so that the viewer has no list of kinds.
fn kind(spec: &CorefErrorSpec) -> Value {
    let mut kind = json!({
        "id": spec.id,
        "label": spec.label,
        "analysis": if spec.kind.is_link() { "links" } else { "transform" },
        "summary": sentence(spec.summary),
        "side": spec.side.label(),
    });
    if let Some(relation) = spec.relation {
        kind["relation"] = json!(relation);
    }
    kind
}

fn errors<'r>(page: &Page<'r>, report: &'r ErrorReport) -> ErrorData<'r> {
    let kinds = COREF_ERRORS.iter().filter(|spec| report.shows(spec.kind)).map(kind).collect();
    let mut rows = Vec::new();
    for (system, analysis) in report.systems.iter().enumerate() {
        for row in report.rows(analysis) {
            let mut row_error = error(page, system, row);
            if let Some(common) = &report.common {
                row_error.made_by = common.made_by(row);
                row_error.shared = common.is_shared(row).then_some(true);
            }
            if !analysis.has_sentences {
                row_error.distance = None;
            }
            if !analysis.has_types {
                (row_error.mention_type, row_error.other_type) = (None, None);
            }
            rows.push(row_error);
        }
    }
    let systems = report.systems.iter().enumerate();
    let tables: Vec<Value> = systems.flat_map(|(system, analysis)| tables(page, system, analysis)).collect();
    ErrorData { kinds, rows, tables }
}

fn error<'r>(page: &Page<'_>, system: usize, row: &'r ErrorRow) -> BodyError<'r> {
    let document = page.documents.get(row.document as usize);
    let key = document.map(|document| &document.key);
    let response =
        document.and_then(|document| document.responses.get(system)?.as_ref()).map(|found| &found.side);
    let places = |side: Option<&SideView>, mentions: &[u32]| -> Vec<u32> {
        mentions.iter().map(|&mention| side.map_or(mention, |side| side.place(mention))).collect()
    };
    let own = match row.side() {
        Side::Key => key,
        Side::Response => response,
    };
    let with_text = page.texts != Texts::None;
    let other = row.other.as_ref();
    let words_are = document.map(|document| document.words_are).unwrap_or_default();
    let text = |mention: &'r RowMention| match words_are {
        WordsAre::Positions => positions(mention).into(),
        _ => Cow::Borrowed(mention.text.as_str()),
    };
    let words = |mention: &RowMention| {
        (!with_text && words_are != WordsAre::Names).then_some([mention.start, mention.end])
    };
    BodyError {
        system,
        document: row.document,
        kind: row.kind.id(),
        mention_type: Some(row.mention.mention_type.id()),
        sentence: row.mention.sentence,
        key: places(key, &row.key),
        response: places(response, &row.response),
        entity: places(own, &row.rest),
        count: (row.count > 1).then_some(row.count),
        shared: None,
        made_by: None,
        distance: row.distance,
        other_type: other.map(|other| other.mention_type.id()),
        text: with_text.then(|| text(&row.mention)),
        other: other.filter(|_| with_text).map(text),
        heads: row.different_heads().filter(|_| with_text),
        words: words(&row.mention),
        other_words: other.and_then(words),
    }
}

/// The positions of a mention whose words are not known, from 0.
fn positions(mention: &RowMention) -> String {
    let range = |start: u32, end: u32| match end - start {
        1 => start.to_string(),
        _ => format!("{start}–{}", end - 1),
    };
    match mention.parts.as_slice() {
        [] => range(mention.start, mention.end),
        parts => parts.iter().map(|part| range(part[0], part[1])).collect::<Vec<_>>().join(" … "),
    }
}

/// The label of a column of a table, and the kind of its cells.
type ErrorColumn<'c> = (&'c str, &'c str);

/// The tables of errors of a system.
struct ErrorTables {
    system: usize,
    tables: Vec<Value>,
}

impl ErrorTables {
    /// Adds a table of the first rows, if there are any. `all` is the number of rows before the table is cut.
    fn add(
        &mut self,
        id: &str,
        [title, note]: [&str; 2],
        all: u64,
        columns: &[ErrorColumn<'_>],
        rows: impl Iterator<Item = Value>,
    ) {
        let rows: Vec<Value> = rows.take(TABLE_ROWS).collect();
        if rows.is_empty() {
            return;
        }
        let note = match all > rows.len() as u64 {
            true => format!("{note} The first {} of {all}.", rows.len()),
            false => note.to_owned(),
        };
        let columns: Vec<Value> =
            columns.iter().map(|(label, kind)| json!({ "label": label, "kind": kind })).collect();
        self.tables.push(json!({ "id": id, "title": title, "note": note, "system": self.system, "columns": columns, "rows": rows }));
    }

    fn add_outcomes(&mut self, table: &OutcomeTable) {
        let rows = table.rows.iter().map(|(group, counts)| {
            let mut row = vec![json!(group)];
            row.extend(Outcome::ALL.iter().map(|&outcome| json!(counts.of(outcome))));
            row.into()
        });
        let title = format!("Resolution by {}", table.title.to_lowercase());
        let note = "How mentions with an antecedent in key or response are resolved.";
        let columns = [
            (table.title, if table.by == "pronoun" { "words" } else { "text" }),
            ("Correct", "count"),
            ("Wrong", "count"),
            ("Missing", "count"),
            ("Spurious", "count"),
        ];
        self.add(table.by, [&title, note], table.rows.len() as u64, &columns, rows);
    }

    fn add_antecedents(&mut self, analysis: &ErrorAnalysis) {
        // Antecedents of a single wrong link are listed among the errors.
        let rows = analysis.antecedents.iter().filter(|row| row.errors > 1);
        let rows = rows.map(|row| {
            // Among anaphors with one link each, none is the most frequent.
            match row.with_anaphor {
                0 | 1 => json!([row.antecedent, row.errors, null, null]),
                links => json!([row.antecedent, row.errors, row.anaphor, links]),
            }
        });
        let note = "Mentions that others are wrongly linked to, 2 or more times.";
        let columns = [
            ("Antecedent", "words"),
            ("Wrong links", "count"),
            ("Most frequent anaphor", "words"),
            ("With it", "count"),
        ];
        let titles = ["Most frequent wrong antecedents", note];
        self.add("antecedents", titles, analysis.antecedents_repeated, &columns, rows);
    }

    fn add_entities(&mut self, page: &Page<'_>, analysis: &ErrorAnalysis, with_words: bool) {
        let id =
            |document: u32| page.documents.get(document as usize).map_or("", |document| document.id.as_str());
        let rows = analysis.entities.iter().map(|row| {
            let text = if with_words { row.text.as_str() } else { row.entity.as_str() };
            json!([text, id(row.document), row.mentions, row.missed, row.parts])
        });
        let columns = [
            ("Entity", if with_words { "words" } else { "text" }),
            ("Document", "document"),
            ("Mentions", "count"),
            ("Missed links", "count"),
            ("Response entities", "count"),
        ];
        let titles = ["Hardest entities", "Key entities with most missed links."];
        self.add("entities", titles, analysis.entities_missed, &columns, rows);
    }

    fn add_documents(&mut self, analysis: &ErrorAnalysis) {
        let mut hardest: Vec<_> =
            analysis.documents.iter().map(|document| (document.counts.transform(), document)).collect();
        hardest.retain(|(errors, _)| *errors > 0);
        hardest.sort_by_key(|(errors, _)| Reverse(*errors));
        let rows = hardest.iter().map(|(errors, document)| {
            let of = |kind| document.counts.of(kind);
            json!([document.id, errors, of(CorefErrorKind::MissedLink), of(CorefErrorKind::WrongLink)])
        });
        let note = "Errors of the seven kinds that turn the response into the key.";
        let columns = [
            ("Document", "document"),
            ("Errors", "count"),
            ("Missed links", "count"),
            ("Wrong links", "count"),
        ];
        self.add("documents", ["Documents with most errors", note], hardest.len() as u64, &columns, rows);
    }
}

/// Outcomes by group, wrong antecedents, entities and documents with the most errors.
fn tables(page: &Page<'_>, system: usize, analysis: &ErrorAnalysis) -> Vec<Value> {
    // Mentions whose words are not known have no texts to count.
    let with_words = page.texts != Texts::None
        && page.documents.iter().any(|document| document.words_are != WordsAre::Positions);
    let is_known = |by: &str| match by {
        "pronoun" => with_words,
        "type" => analysis.has_types,
        _ => true,
    };
    let mut tables = ErrorTables { system, tables: Vec::new() };
    analysis.outcomes.iter().filter(|table| is_known(table.by)).for_each(|table| tables.add_outcomes(table));
    if with_words {
        tables.add_antecedents(analysis);
    }
    tables.add_entities(page, analysis, with_words);
    tables.add_documents(analysis);
    tables.tables
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_help_become_sentences() {
        assert_eq!(sentence("which mentions match: the same words"), "Which mentions match: the same words.");
        assert_eq!(sentence("über: "), "Über.");
    }
}
