//! Explanations: exact scores equal the scores, steps add up to the difference, and a rule is found if it is the only
//! difference.

use std::sync::Arc;

use corefeval_core::evaluation::{Correlate, Errors, Evaluation, Explain, Inputs, NamedInput, Request};
use corefeval_core::exact::{add, difference, nothing, to_f64};
use corefeval_core::formats::{FormatSpec, ReadOptions};
use corefeval_core::groups::By;
use corefeval_core::metrics::Metric;
use corefeval_core::model::Document;
use corefeval_core::printed::WantedNumber;
use corefeval_core::reports::explain::Explanation;
use corefeval_core::settings::Settings;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::generators::check;

/// The words of a document.
const WORDS: usize = 9;

/// Mentions by entity, first word and length.
type Draft = Vec<(usize, usize, usize)>;

fn draft() -> impl Strategy<Value = Vec<Draft>> {
    vec(vec((0..4_usize, 0..WORDS, 1..4_usize), 0..9), 1..4)
}

/// Writes documents in the format of CoNLL, with some repeated mentions.
fn text(side: &[Draft]) -> String {
    let mut text = String::new();
    for (number, draft) in side.iter().enumerate() {
        text += &format!("#begin document (d{number}); part 000\n");
        for word in 0..WORDS {
            let mut cells = Vec::new();
            for &(entity, start, length) in draft {
                let end = (start + length).min(WORDS) - 1;
                match (start == word, end == word) {
                    (true, true) => cells.push(format!("({entity})")),
                    (true, false) => cells.push(format!("({entity}")),
                    (false, true) => cells.push(format!("{entity})")),
                    (false, false) => {}
                }
            }
            let cell = if cells.is_empty() { "-".to_owned() } else { cells.join("|") };
            text += &format!("d{number} 0 {word} w{word} {cell}\n");
            if word == 4 {
                text.push('\n');
            }
        }
        text += "\n#end document\n";
    }
    text
}

fn documents(text: &str) -> Vec<Arc<Document>> {
    let format = FormatSpec::named("conll").unwrap();
    let options = ReadOptions::with_layers();
    format.read(text.as_bytes(), "text", options).unwrap().documents.into_iter().map(Arc::new).collect()
}

/// Returns the request to score one text against another.
fn request(key: &str, response: &str) -> Request {
    let format = FormatSpec::named("conll").unwrap();
    let input = |name: &str, text: &str| NamedInput::documents(name, documents(text), format);
    Request::new(Inputs::OneKey { key: input("key", key), responses: vec![input("response", response)] })
}

fn explained(request: Request, explain: &Explain) -> Explanation {
    Evaluation::new(request).unwrap().explain(explain).unwrap()
}

/// Profiles, and settings that differ from them in one or two rules.
const PROFILES: [&str; 9] = [
    "conll",
    "coval",
    "e2e",
    "corefud",
    "ua",
    "scorch",
    "conll|singletons:drop|remove-nested:yes",
    "conll|average:macro|blanc:either",
    "muc",
];

const METRICS: &str = "mentions,muc,b_cubed,ceaf_m,ceaf_e,blanc,lea,pairwise,rand,adjusted_rand,conll";

#[test]
fn steps_add_up_to_the_difference_and_reach_the_scores() {
    check(120, (draft(), draft()), |(key, mut response)| {
        // Both sides have the same documents.
        response.resize(key.len(), Draft::new());
        let request = request(&text(&key), &text(&response)).metrics(METRICS).unwrap();
        let mut explain = Explain::default();
        explain.profiles = PROFILES.iter().map(|name| (*name).to_owned()).collect();
        let found = explained(request.clone(), &explain);
        for profile in &found.profiles {
            let signature = found.signature_of(profile);
            let scored =
                Evaluation::new(request.clone().signature(&signature).unwrap()).unwrap().score().unwrap();
            for (place, result) in scored.systems[0].results.iter().enumerate() {
                let score = [result.score.recall, result.score.precision, result.score.f1];
                let ours = profile.results[place].score;
                assert_eq!(
                    score,
                    [ours.recall, ours.precision, ours.f1],
                    "{} {}",
                    profile.name,
                    result.metric
                );
                for (exact, score) in profile.exact[place].iter().zip(score) {
                    assert!((to_f64(exact) - score).abs() < 1e-12, "{} {}", profile.name, result.metric);
                }
            }
        }
        for (path, to) in found.paths.iter().zip(&found.profiles[1..]) {
            assert_eq!(&path.sum(), &to.difference(&found.profiles[0]));
            for step in &path.steps {
                let names_defined =
                    step.detail.as_deref().is_some_and(|text| text.contains("defined before"));
                assert!(
                    step.change.iter().any(|change| *change != nothing()) || names_defined,
                    "{}",
                    step.name()
                );
            }
            let last = path.steps.last().map_or(&found.profiles[0].results, |step| &step.results);
            for (ours, theirs) in last.iter().zip(&to.results) {
                assert_eq!(ours.is_defined(), theirs.is_defined(), "{} {}", path.to, theirs.metric);
            }
            for step in path.steps.iter().filter(|step| step.additive) {
                for (place, change) in step.change.iter().enumerate() {
                    let mut sum = nothing();
                    step.documents.iter().for_each(|document| add(&mut sum, &document.adds[place]));
                    assert_eq!(difference(&sum, change), nothing(), "{}: {}", step.name(), place);
                }
            }
        }
    });
}

/// Two entities, a singleton, and a mention that the response repeats.
const KEY: &str = "#begin document (d); part 000\nd 0 0 Ada (1)\nd 0 1 met -\nd 0 2 Bo (2)\nd 0 3 . -\n\nd 0 0 She (1)\n\
    d 0 1 likes -\nd 0 2 rain (3)\nd 0 3 . -\n\n#end document\n";
const RESPONSE: &str = "#begin document (d); part 000\nd 0 0 Ada (1)\nd 0 1 met -\nd 0 2 Bo (2)\nd 0 3 . -\n\nd 0 0 She (1)|(2)\n\
    d 0 1 likes -\nd 0 2 rain -\nd 0 3 . -\n\n#end document\n";

#[test]
fn singletons_that_are_dropped_are_named_with_their_text() {
    let mut explain = Explain::default();
    explain.profiles = ["conll", "conll|singletons:drop"].map(str::to_owned).to_vec();
    let found = explained(request(KEY, RESPONSE), &explain);
    let [step] = found.paths[0].steps.as_slice() else { panic!("{:?}", found.paths[0].steps) };
    assert_eq!(step.name(), "singletons keep → drop");
    let mentions: Vec<_> = step.mentions[0]
        .mentions
        .iter()
        .map(|mention| {
            (
                mention.side.label(),
                mention.change.id(),
                mention.text.as_str(),
                mention.before.as_deref(),
                mention.position.line,
            )
        })
        .collect();
    // Bo is a singleton only in the key; in the response the entity also contains She.
    assert_eq!(mentions, [("key", "dropped", "Bo", Some("Bo"), 4), ("key", "dropped", "rain", None, 9)]);
    let entities: Vec<_> = step
        .entities()
        .iter()
        .map(|entity| (entity.entity.to_owned(), entity.changed, entity.size))
        .collect();
    assert_eq!(entities, [("2".to_owned(), 1, 1), ("3".to_owned(), 1, 1)]);
}

#[test]
fn a_repeated_mention_is_matched_in_another_entity() {
    let mut explain = Explain::default();
    explain.profiles = ["conll", "conll|duplicates:distinct"].map(str::to_owned).to_vec();
    let found = explained(request(KEY, RESPONSE), &explain);
    let [step] = found.paths[0].steps.as_slice() else { panic!("{:?}", found.paths[0].steps) };
    assert!(step.mentions[0].mentions.iter().all(|mention| mention.text == "She"), "{:?}", step.mentions);
    assert_eq!(step.switches[0].option, "duplicates");
}

/// Copies stay in their entities, but are counted differently.
#[test]
fn repeated_mentions_of_the_key_are_listed_if_their_rule_is_switched() {
    let mut explain = Explain::default();
    explain.profiles = ["conll", "conll|duplicates:last"].map(str::to_owned).to_vec();
    let found = explained(request(RESPONSE, KEY), &explain);
    let [step] = found.paths[0].steps.as_slice() else { panic!("{:?}", found.paths[0].steps) };
    let mentions: Vec<_> = step.mentions[0]
        .mentions
        .iter()
        .map(|mention| (mention.side.label(), mention.text.as_str(), mention.entity.as_str()))
        .collect();
    assert_eq!(mentions, [("key", "She", "1"), ("key", "She", "2")], "{:?}", step.mentions);
}

/// Every number that a variant prints is found, and the report names the rule.
#[test]
fn a_printed_number_leads_to_its_rule() {
    for (rule, metric) in
        [("singletons:drop", "conll"), ("duplicates:distinct", "b_cubed"), ("remove-nested:yes", "muc")]
    {
        let (name, value) = rule.split_once(':').unwrap();
        let request = request(KEY, RESPONSE);
        let scored = Evaluation::new(request.clone().choose(name, value).unwrap()).unwrap().score().unwrap();
        let result =
            scored.systems[0].results.iter().find(|result| result.metric.to_string() == metric).unwrap();
        let mut explain = Explain::default();
        explain.find =
            vec![WantedNumber::parse(&format!("{metric}={:.2}", 100.0 * result.score.f1)).unwrap()];
        let found = explained(request, &explain).search.unwrap();
        let hit = &found.hits[0];
        assert_eq!(hit.count(), 1);
        let settings: &Settings = &hit.scored.settings;
        let names: Vec<&str> =
            std::iter::once(&hit.scored.name).chain(&hit.same).map(String::as_str).collect();
        assert!(
            settings.list().contains(&(name, value.to_owned()))
                || names.iter().any(|other| other.contains(rule)),
            "{rule}: {names:?}"
        );
        assert!(found.chances[0].candidates > 0 && found.chances[0].probability > 0.0);
    }
}

/// The search runs for every number with one decimal: the share that the search finds is the probability that it
/// states, for settings one and two rules away.
#[test]
fn probabilities_are_the_shares_of_numbers_that_are_found() {
    for (metric, digits) in [("conll", 1), ("mentions.recall", 0), ("rand_index", 1), ("b_cubed.f1", 1)] {
        let unit = 10_i64.pow(digits);
        let all: Vec<String> = (0..=100 * unit)
            .map(|scaled| format!("{metric}={:.*}", digits as usize, scaled as f64 / unit as f64))
            .collect();
        let mut explain = Explain::default();
        explain.find = WantedNumber::list(&all.join(",")).unwrap();
        let found = explained(request(KEY, RESPONSE), &explain).search.unwrap();
        // The search finds no single setting for all, and continues with two rules.
        assert_eq!(found.rules, 2);
        let is_hit = |place: usize| found.hits.iter().any(|hit| hit.numbers[place].is_some());
        let hits: Vec<usize> = (0..all.len()).filter(|&place| is_hit(place)).collect();
        for (place, chance) in found.chances.iter().enumerate() {
            let [low, high] = chance.spread.map(|end| (end * unit as f64).round() as usize);
            let drawn = low..=high;
            let among = hits.iter().filter(|place| drawn.contains(place)).count();
            let width = (high - low + 1).max(unit as usize);
            assert_eq!(chance.candidates, among, "{metric} {place}");
            assert_eq!(chance.probability, among as f64 / width as f64, "{metric} {place}");
            assert!(!is_hit(place) || drawn.contains(&place), "{metric} {place}");
        }
    }
}

#[test]
fn unexplainable_requests_are_refused_with_a_remedy() {
    let refused = |profiles: &[&str]| {
        let mut explain = Explain::default();
        explain.profiles = profiles.iter().map(|name| (*name).to_owned()).collect();
        let error = Evaluation::new(request(KEY, RESPONSE)).unwrap().explain(&explain).unwrap_err();
        (error.message(), error.remedy().unwrap_or_default())
    };
    assert_eq!(refused(&["conl"]).1, "did you mean `conll`?");
    assert_eq!(refused(&["conll", "conll"]).0, "`conll` is named twice");
    assert!(refused(&["conll|singletons"]).1.contains("conll|singletons:drop"));
    assert!(refused(&["conll", "ace-2005"]).0.contains("no metric in common"));
}

#[test]
fn tasks_without_groups_refuse_them() {
    let by = By::named("document").unwrap();
    let evaluation = Evaluation::new(request(KEY, RESPONSE).by(by)).unwrap();
    let [muc, lea] = ["muc", "lea"].map(|name| Metric::parse(name).unwrap());
    let refused = [
        evaluation.errors(&Errors::default()).unwrap_err(),
        evaluation.explain(&Explain::default()).unwrap_err(),
        evaluation.probe().unwrap_err(),
        evaluation.correlate(&Correlate::new(muc, lea).unwrap()).unwrap_err(),
    ];
    for (error, task) in
        refused.iter().zip(["an analysis of errors", "an explanation", "a probe", "a correlation"])
    {
        assert_eq!(error.message(), format!("{task} has no scores by document"));
        assert_eq!(error.remedy().unwrap(), "leave out --by");
    }
}
