//! Error analysis against its plain twin and against what must hold of any input.

use std::collections::{BTreeMap, BTreeSet};

use corefeval_core::analysis::{
    AnalysisTask, CommonErrors, CorefErrorKind, Correction, ErrorAnalysis, LinkCounts, Outcome,
    ResponseCorrector, Tree, TypeRule, analyse,
};
use corefeval_core::diagnostic::Diagnostics;
use corefeval_core::evaluation::score_documents;
use corefeval_core::formats::{FormatSpec, ReadOptions};
use corefeval_core::metrics::Metric;
use corefeval_core::model::{Corpus, Document};
use corefeval_core::pairing::DocumentPair;
use corefeval_core::profiles::Profile;
use corefeval_core::score::Task;
use corefeval_core::settings::Settings;
use proptest::collection::{btree_map, vec};
use proptest::option::weighted;
use proptest::prelude::*;

use crate::generators::check;
use crate::twins::errors::{Annotated, Counts, Entities};

const WORDS: [&str; 12] =
    ["he", "it", "this", "their", "Ada", "Bergen", "ferry", "old", "the", ",", "'s", "island"];

/// Random texts: some sentences, and up to a dozen spans, each in some entity of either side or in none.
fn annotated() -> impl Strategy<Value = Annotated> {
    let sentence = vec(proptest::sample::select(&WORDS[..]), 1..8);
    let places = || weighted(0.75, 0..4usize);
    let mention = (0..3usize, 0..7usize, 1..5usize);
    (vec(sentence, 1..4), btree_map(mention, (places(), places()), 0..14)).prop_map(
        |(sentences, mentions)| {
            let (mut key, mut response) = (vec![BTreeSet::new(); 4], vec![BTreeSet::new(); 4]);
            for ((sentence, start, length), (in_key, in_response)) in mentions {
                let sentence = sentence % sentences.len();
                let start = start % sentences[sentence].len();
                let mention = (sentence, start, (start + length).min(sentences[sentence].len()));
                let is_new = |side: &Entities| !side.iter().any(|entity| entity.contains(&mention));
                if let Some(entity) = in_key.filter(|_| is_new(&key)) {
                    key[entity].insert(mention);
                }
                if let Some(entity) = in_response.filter(|_| is_new(&response)) {
                    response[entity].insert(mention);
                }
            }
            key.retain(|entity| !entity.is_empty());
            response.retain(|entity| !entity.is_empty());
            Annotated { sentences, key, response }
        },
    )
}

/// One side as a line of JSON lines.
fn line(id: usize, text: &Annotated, entities: &Entities) -> String {
    let starts: Vec<usize> = text
        .sentences
        .iter()
        .scan(0, |next, sentence| {
            let start = *next;
            *next += sentence.len();
            Some(start)
        })
        .collect();
    let clusters: Vec<Vec<[usize; 2]>> = entities
        .iter()
        .map(|entity| entity.iter().map(|m| [starts[m.0] + m.1, starts[m.0] + m.2 - 1]).collect())
        .collect();
    let value =
        serde_json::json!({"doc_key": format!("d{id}"), "sentences": text.sentences, "clusters": clusters});
    format!("{value}\n")
}

fn corpus(lines: &str) -> Corpus {
    let options = ReadOptions { keep_layers: true, ..ReadOptions::default() };
    let format = FormatSpec::named("jsonlines").expect("there is the format");
    format.read(lines.as_bytes(), "test", options).expect("the lines are right")
}

fn corpora(texts: &[Annotated]) -> [Corpus; 2] {
    let side = |of: fn(&Annotated) -> &Entities| {
        let lines: String = texts.iter().enumerate().map(|(id, text)| line(id, text, of(text))).collect();
        corpus(&lines)
    };
    [side(|text| &text.key), side(|text| &text.response)]
}

fn pairs<'c>([key, response]: &'c [Corpus; 2]) -> Vec<DocumentPair<'c>> {
    let sides = key.documents.iter().zip(&response.documents);
    sides.map(|(key, response)| DocumentPair { key, response: Some(response) }).collect()
}

fn settings(singletons: &str) -> Settings {
    let mut settings = Settings::of(Profile::for_format("conll"));
    settings.set("singletons", singletons).expect("there is the option");
    settings
}

const METRICS: [&str; 7] = ["mentions", "muc", "b_cubed", "ceaf_m", "ceaf_e", "blanc", "lea"];

fn metrics() -> Vec<Metric> {
    METRICS.iter().map(|id| Metric::parse(id).expect("there is the metric")).collect()
}

fn task(singletons: &str, tree: Tree) -> AnalysisTask {
    AnalysisTask {
        settings: settings(singletons),
        metrics: Vec::new(),
        tree,
        language: None,
        types: TypeRule::default(),
        examples: 0,
        rows: true,
        threads: 1,
    }
}

fn analysis(pairs: &[DocumentPair<'_>], task: &AnalysisTask) -> ErrorAnalysis {
    analyse(pairs, task, &mut Diagnostics::default())
}

fn counts(analysis: &ErrorAnalysis) -> Counts {
    let kinds = CorefErrorKind::TRANSFORM.iter();
    kinds.map(|kind| (kind.id(), analysis.counts.of(*kind))).filter(|(_, count)| *count > 0).collect()
}

fn tables(links: &LinkCounts) -> (BTreeMap<String, u64>, BTreeMap<u32, u64>) {
    let types = links
        .by_type
        .iter()
        .map(|((anaphor, antecedent), count)| (format!("{anaphor}-{antecedent}"), *count));
    (types.collect(), links.by_distance.clone())
}

/// The entities of a document as sets of spans, without empty ones.
fn entities(document: &Document) -> BTreeSet<BTreeSet<(u32, u32)>> {
    let mut entities = vec![BTreeSet::new(); document.entities().len()];
    for mention in document.mentions() {
        entities[mention.entity().index()].insert((mention.span().start(), mention.span().end()));
    }
    entities.into_iter().filter(|entity| !entity.is_empty()).collect()
}

#[test]
fn the_twin_finds_the_same_errors() {
    check(3000, annotated(), |text| {
        let corpora = corpora(std::slice::from_ref(&text));
        for (tree, closest) in [(Tree::Accessibility, false), (Tree::Closest, true)] {
            let found = analysis(&pairs(&corpora), &task("keep", tree));
            let mut wanted = text.transform();
            wanted.retain(|_, count| *count > 0);
            assert_eq!(counts(&found), wanted);
            assert_eq!(tables(&found.recall), text.link_tables(true, closest), "recall, {tree}");
            assert_eq!(tables(&found.precision), text.link_tables(false, closest), "precision, {tree}");
        }
    });
}

#[test]
fn all_corrections_in_sequence_turn_the_response_into_the_key() {
    check(1500, annotated(), |text| {
        let corpora = corpora(std::slice::from_ref(&text));
        let pair = pairs(&corpora)[0];
        let corrector = ResponseCorrector::new(&[pair], &settings("keep"));
        let whole = corrector.response(pair, Correction::All);
        assert_eq!(entities(&whole), entities(pair.key));
        // Without the last step only extra mentions are left, each alone.
        let last = CorefErrorKind::TRANSFORM[6];
        let left = entities(&corrector.response(pair, Correction::UpTo(last)));
        let left: Vec<_> = left.difference(&entities(pair.key)).cloned().collect();
        let of_key: BTreeSet<_> = entities(pair.key).into_iter().flatten().collect();
        assert!(left.iter().all(|entity| entity.len() == 1 && entity.is_disjoint(&of_key)), "{left:?}");
    });
}

#[test]
fn link_errors_are_the_links_that_muc_misses() {
    check(1500, (vec(annotated(), 1..4), 0..2), |(texts, drop)| {
        let corpora = corpora(&texts);
        let pairs = pairs(&corpora);
        let singletons = ["keep", "drop"][drop as usize];
        let muc = vec![Metric::parse("muc").expect("there is MUC")];
        let scored = Task { settings: settings(singletons), metrics: muc, by: None, threads: 1 };
        let report =
            score_documents(&pairs, &scored, &mut Diagnostics::default()).expect("they can be scored");
        let counts = report.results[0].tally.as_ref().expect("MUC counts").first.to_real();
        for tree in [Tree::Accessibility, Tree::Closest] {
            let found = analysis(&pairs, &task(singletons, tree));
            assert_eq!(found.recall.total as f64, counts.recall_den - counts.recall_num);
            assert_eq!(found.precision.total as f64, counts.precision_den - counts.precision_num);
            assert_eq!(
                (found.recall.links as f64, found.precision.links as f64),
                (counts.recall_den, counts.precision_den)
            );
            // Outcomes say the same by mention.
            let types = found.outcomes.iter().find(|table| table.by == "type");
            let of = |outcome: Outcome| -> u64 {
                types.iter().flat_map(|table| &table.rows).map(|(_, counts)| counts.of(outcome)).sum()
            };
            assert_eq!(of(Outcome::Wrong) + of(Outcome::Missing), found.recall.total);
            assert_eq!(of(Outcome::Wrong) + of(Outcome::Spurious), found.precision.total);
        }
    });
}

#[test]
fn no_order_changes_the_counts() {
    let shuffled = |text: Annotated| {
        let (key, response) =
            (Just(text.key.clone()).prop_shuffle(), Just(text.response.clone()).prop_shuffle());
        (Just(text), key, response)
    };
    check(500, vec(annotated().prop_flat_map(shuffled), 1..4), |texts| {
        let first: Vec<Annotated> = texts.iter().map(|(text, ..)| text.clone()).collect();
        let mut second: Vec<Annotated> =
            texts.into_iter().map(|(text, key, response)| Annotated { key, response, ..text }).collect();
        second.reverse();
        let (first, second) = (corpora(&first), corpora(&second));
        let mut task = task("keep", Tree::Accessibility);
        task.metrics = metrics();
        let (one, other) = (analysis(&pairs(&first), &task), analysis(&pairs(&second), &task));
        assert_eq!(one.counts, other.counts);
        assert_eq!(one.operations, other.operations);
        assert_eq!((&one.recall, &one.precision), (&other.recall, &other.precision));
        for (one, other) in
            one.sequence.iter().chain(&one.alone).zip(other.sequence.iter().chain(&other.alone))
        {
            let scores = |step: &corefeval_core::analysis::Step| -> Vec<_> {
                step.results.iter().map(|result| result.score).collect()
            };
            assert_eq!(scores(one), scores(other), "{}", one.correction.id());
        }
    });
}

/// The costs come from the aligned mentions; the corrected documents, scored as any other, must say the same.
#[test]
fn corrected_documents_score_what_the_analysis_says() {
    check(400, (vec(annotated(), 1..4), 0..2), |(texts, drop)| {
        let corpora = corpora(&texts);
        let pairs = pairs(&corpora);
        let singletons = ["keep", "drop"][drop as usize];
        let mut task = task(singletons, Tree::Accessibility);
        task.metrics = metrics();
        let found = analysis(&pairs, &task);
        let corrector = ResponseCorrector::new(&pairs, &task.settings);
        for step in found.alone.iter().chain(&found.sequence) {
            let documents: Vec<Document> =
                pairs.iter().map(|pair| corrector.response(*pair, step.correction)).collect();
            let corrected: Vec<DocumentPair<'_>> = pairs
                .iter()
                .zip(&documents)
                .map(|(pair, response)| DocumentPair { key: pair.key, response: Some(response) })
                .collect();
            // Singletons that a correction leaves are its result: only the key's were dropped before.
            let mut settings = settings("keep");
            settings.set("singletons", "keep").expect("there is the option");
            let keys: Vec<Document>;
            let corrected = if drop == 1 {
                keys = pairs
                    .iter()
                    .map(|pair| {
                        let same = DocumentPair { key: pair.key, response: Some(pair.key) };
                        corrector.response(same, Correction::None)
                    })
                    .collect();
                corrected
                    .iter()
                    .zip(&keys)
                    .map(|(pair, key)| DocumentPair { key, response: pair.response })
                    .collect()
            } else {
                corrected
            };
            let scored = Task { settings, metrics: task.metrics.clone(), by: None, threads: 1 };
            let report = score_documents(&corrected, &scored, &mut Diagnostics::default())
                .expect("they can be scored");
            for (ours, theirs) in step.results.iter().zip(&report.results) {
                assert_eq!(ours.score, theirs.score, "{} after {:?}", ours.metric, step.correction);
            }
        }
        let last = found.sequence.last().expect("there are steps");
        for result in last.results.iter().filter(|result| result.is_defined()) {
            assert_eq!(result.score.recall, 1.0, "{}", result.metric);
            assert_eq!(result.score.precision, 1.0, "{}", result.metric);
        }
    });
}

#[test]
fn threads_change_nothing() {
    check(4, vec(annotated(), 2..6), |texts| {
        // Enough documents for two threads.
        let texts: Vec<Annotated> = std::iter::repeat_n(texts, 300).flatten().collect();
        let corpora = corpora(&texts);
        let pairs = pairs(&corpora);
        let mut task = task("keep", Tree::Accessibility);
        (task.metrics, task.examples) = (metrics(), 3);
        let one = analysis(&pairs, &task);
        task.threads = 3;
        let three = analysis(&pairs, &task);
        assert_eq!(format!("{one:?}"), format!("{three:?}"));
    });
}

#[test]
fn common_errors_are_those_that_every_system_makes() {
    check(300, (annotated(), annotated()), |(text, other)| {
        // A second response to the same key: the other text's, as far as its spans fit.
        let fits =
            |m: &(usize, usize, usize)| text.sentences.get(m.0).is_some_and(|words| m.2 <= words.len());
        let response: Entities = other
            .response
            .iter()
            .map(|entity| entity.iter().copied().filter(fits).collect::<BTreeSet<_>>())
            .filter(|entity| !entity.is_empty())
            .collect();
        let second = Annotated { response, ..text.clone() };
        let sides = [corpora(std::slice::from_ref(&text)), corpora(std::slice::from_ref(&second))];
        let found: Vec<ErrorAnalysis> =
            sides.iter().map(|side| analysis(&pairs(side), &task("keep", Tree::Accessibility))).collect();
        let common = CommonErrors::of(&found).expect("there are two systems");
        for (of_key, links) in [(true, &common.recall), (false, &common.precision)] {
            let sets =
                [&text, &second].map(|text| text.links(of_key, false).into_iter().collect::<BTreeSet<_>>());
            let shared = sets[0].intersection(&sets[1]).count() as u64;
            assert_eq!(links.all, shared);
            assert_eq!(links.alone, sets.each_ref().map(|set| set.len() as u64 - shared));
            assert_eq!(links.any, sets[0].union(&sets[1]).count() as u64);
            let rows = found[0].rows.iter().filter(|row| common.is_shared(row));
            let kind = if of_key { CorefErrorKind::MissedLink } else { CorefErrorKind::WrongLink };
            assert_eq!(rows.filter(|row| row.kind == kind).count() as u64, shared);
        }
    });
}

/// Everything in a document that the response lacks is missing.
#[test]
fn a_missing_document_is_all_missing() {
    let text = Annotated {
        sentences: vec![vec!["Ada", "met", "him", "and", "Bo"]],
        key: vec![BTreeSet::from([(0, 0, 1), (0, 2, 3)]), BTreeSet::from([(0, 4, 5)])],
        response: Vec::new(),
    };
    let corpora = corpora(&[text]);
    let pair = DocumentPair { key: &corpora[0].documents[0], response: None };
    let found = analysis(&[pair], &task("keep", Tree::Accessibility));
    assert_eq!(counts(&found), Counts::from([("missing_entity", 2)]));
    assert_eq!((found.recall.total, found.precision.total), (1, 0));
    assert!(found.documents[0].missing);
    let found = analysis(&[pair], &task("drop", Tree::Accessibility));
    assert_eq!(counts(&found), Counts::from([("missing_entity", 1)]));
}

/// A zero that the response lacks is a missing mention, and a pronoun.
#[test]
fn zeros_are_pronouns() {
    let row = |id: &str, form: &str, misc: &str| format!("{id}\t{form}\t_\tX\t_\t_\t0\troot\t_\t{misc}\n");
    let zero = |id: &str, misc: &str| format!("{id}\t_\t_\tX\t_\t_\t_\t_\t1:x\t{misc}\n");
    let head = "# global.Entity = eid-etype-head-other\n# newdoc id = d\n# sent_id = 1\n";
    let key = format!(
        "{head}{}{}{}{}{}\n",
        row("1", "Ada", "Entity=(e1-x-1-)"),
        row("2", "ran", "_"),
        zero("2.1", "Entity=(e1-x-1-)"),
        row("3", "the", "_"),
        row("4", "home", "_"),
    );
    let response = format!(
        "{head}{}{}{}{}\n",
        row("1", "Ada", "Entity=(e5-x-1-)"),
        row("2", "ran", "_"),
        row("3", "the", "_"),
        row("4", "home", "Entity=(e5-x-1-)"),
    );
    let options = ReadOptions { keep_layers: true, ..ReadOptions::default() };
    let format = FormatSpec::named("corefud").expect("there is the format");
    let [key, response] =
        [key, response].map(|text| format.read(text.as_bytes(), "x", options.clone()).expect("right"));
    let pair = DocumentPair { key: &key.documents[0], response: response.documents.first() };
    let mut task = task("keep", Tree::Accessibility);
    task.settings = Settings::of(Profile::for_format("corefud"));
    let found = analysis(&[pair], &task);
    assert_eq!(counts(&found), Counts::from([("missing_mention", 1), ("extra_mention", 1)]));
    let types: Vec<_> = found.recall.by_type.keys().map(|(a, b)| format!("{a}-{b}")).collect();
    assert_eq!(types.len(), 1);
    assert!(types[0].starts_with("pronoun-"), "{types:?}");
    assert_eq!(
        found.outcomes.iter().find(|table| table.by == "pronoun").map(|table| table.rows[0].0.as_str()),
        Some("(zero)")
    );
}
