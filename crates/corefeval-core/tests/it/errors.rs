//! Error analysis against its plain twin, and properties that hold for any input.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use corefeval_core::analysis::{
    AnalysisTask, CommonErrors, CorefErrorKind, ErrorAnalysis, ErrorCorrection, ErrorRow, LANGUAGES,
    LinkCounts, Outcome, ResponseCorrector, Tree, TypeRule, Viewer, analyse,
};
use corefeval_core::diagnostic::Diagnostics;
use corefeval_core::evaluation::score_documents;
use corefeval_core::formats::{FormatSpec, ReadOptions};
use corefeval_core::metrics::Metric;
use corefeval_core::model::{
    Corpus, Document, DocumentBuilder, DocumentId, EntityId, Mention, MentionDetails, Span, WordsBuilder,
};
use corefeval_core::pairing::DocumentPair;
use corefeval_core::profiles::Profile;
use corefeval_core::results::{MetricResult, SideSize};
use corefeval_core::score::Task;
use corefeval_core::settings::Settings;
use proptest::collection::{btree_map, vec};
use proptest::option::weighted;
use proptest::prelude::*;

use crate::generators::{check, runs_of};
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

/// Writes one side as a line of JSON lines.
fn line<'m, E>(id: usize, text: &Annotated, entities: impl IntoIterator<Item = E>) -> String
where
    E: IntoIterator<Item = &'m (usize, usize, usize)>,
{
    let starts: Vec<usize> = text
        .sentences
        .iter()
        .scan(0, |next, sentence| {
            let start = *next;
            *next += sentence.len();
            Some(start)
        })
        .collect();
    let mention = |m: &(usize, usize, usize)| [starts[m.0] + m.1, starts[m.0] + m.2 - 1];
    let clusters: Vec<Vec<[usize; 2]>> =
        entities.into_iter().map(|entity| entity.into_iter().map(mention).collect()).collect();
    let value =
        serde_json::json!({"doc_key": format!("d{id}"), "sentences": text.sentences, "clusters": clusters});
    format!("{value}\n")
}

fn corpus(lines: &str) -> Corpus {
    let options = ReadOptions::with_layers();
    let format = FormatSpec::named("jsonlines").expect("the format exists");
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
    settings.set("singletons", singletons).expect("the option exists");
    settings
}

const METRICS: [&str; 7] = ["mentions", "muc", "b_cubed", "ceaf_m", "ceaf_e", "blanc", "lea"];

fn metrics() -> Vec<Metric> {
    METRICS.iter().map(|id| Metric::parse(id).expect("the metric exists")).collect()
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
        compared: true,
        threads: 1,
    }
}

/// Like [`task`], under the profile of CorefUD.
fn corefud_task() -> AnalysisTask {
    AnalysisTask {
        settings: Settings::of(Profile::for_format("corefud")),
        ..task("keep", Tree::Accessibility)
    }
}

/// Reads a file in CorefUD, with its words.
fn corefud(text: &str) -> Corpus {
    let options = ReadOptions::with_layers();
    let format = FormatSpec::named("corefud").expect("the format exists");
    format.read(text.as_bytes(), "x", options).expect("right")
}

/// Writes a word in CorefUD.
fn corefud_word(id: &str, form: &str, misc: &str) -> String {
    format!("{id}\t{form}\t_\tX\t_\t_\t0\troot\t_\t{misc}\n")
}

/// Writes an empty node in CorefUD, with its parents.
fn corefud_zero(id: &str, deps: &str, misc: &str) -> String {
    format!("{id}\t_\t_\tX\t_\t_\t_\t_\t{deps}\t{misc}\n")
}

/// The lines before the first sentence of a document in CorefUD.
const COREFUD_HEAD: &str = "# global.Entity = eid-etype-head-other\n# newdoc id = d\n# sent_id = 1\n";

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

/// Returns the entities of a document as sets of spans, without empty ones.
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
        let whole = corrector.response(pair, ErrorCorrection::All);
        assert_eq!(entities(&whole), entities(pair.key));
        // Before the last step only extra mentions remain, as singletons.
        let last = CorefErrorKind::TRANSFORM[6];
        let left = entities(&corrector.response(pair, ErrorCorrection::UpTo(last)));
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
        let muc = vec![Metric::parse("muc").expect("MUC")];
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
            // Outcomes by mention agree with this.
            let types = found.outcomes.iter().find(|table| table.by == "type");
            let of = |outcome: Outcome| -> u64 {
                types.iter().flat_map(|table| &table.rows).map(|(_, counts)| counts.of(outcome)).sum()
            };
            assert_eq!(of(Outcome::Wrong) + of(Outcome::Missing), found.recall.total);
            assert_eq!(of(Outcome::Wrong) + of(Outcome::Spurious), found.precision.total);
        }
    });
}

/// Texts whose sides also annotate some mentions in several entities.
fn repeated() -> impl Strategy<Value = Annotated> {
    let copies = || vec((0..4usize, 0..4usize, 0..6usize), 1..5);
    (annotated(), copies(), copies()).prop_map(|(mut text, in_key, in_response)| {
        for (side, copies) in [(&mut text.key, in_key), (&mut text.response, in_response)] {
            let copies = if side.is_empty() { Vec::new() } else { copies };
            for (from, to, nth) in copies {
                let (from, to) = (from % side.len(), to % side.len());
                let mention = side[from].iter().nth(nth % side[from].len()).copied();
                side[to].extend(mention);
            }
        }
        text
    })
}

/// Under every rule for repeated mentions, link errors are those of MUC, sizes those of the scores, and the response is
/// scored unchanged.
#[test]
fn link_errors_of_repeated_mentions_are_the_links_that_muc_misses() {
    let otherwise = Cell::new(0u32);
    check(1500, (vec(repeated(), 1..3), 0..4, 0..2), |(texts, rule, drop)| {
        let corpora = corpora(&texts);
        let pairs = pairs(&corpora);
        let mut task = task(["keep", "drop"][drop as usize], Tree::Accessibility);
        let rule = ["first", "last", "last-sets", "distinct"][rule as usize];
        task.settings.set("duplicates", rule).expect("the rule exists");
        task.metrics = metrics();
        let found = analysis(&pairs, &task);
        let scored = Task { settings: task.settings.clone(), metrics: metrics(), by: None, threads: 1 };
        let report =
            score_documents(&pairs, &scored, &mut Diagnostics::default()).expect("they can be scored");
        // Words are counted when the files have been read.
        let documents = |size: SideSize| SideSize { documents: 0, words: None, ..size };
        assert_eq!(found.sizes.map(documents), report.sizes.map(documents), "{rule}");
        let muc = report.results.iter().find(|result| result.metric.to_string() == "muc");
        let counts = muc.and_then(|muc| muc.tally.as_ref()).expect("MUC counts").first.to_real();
        assert_eq!(found.recall.total as f64, counts.recall_den - counts.recall_num, "{rule}");
        assert_eq!(found.precision.total as f64, counts.precision_den - counts.precision_num, "{rule}");
        assert_eq!(
            (found.recall.links as f64, found.precision.links as f64),
            (counts.recall_den, counts.precision_den)
        );
        let outcomes = found.outcomes.iter().find(|table| table.by == "type");
        let of = |outcome: Outcome| -> u64 {
            outcomes.iter().flat_map(|table| &table.rows).map(|(_, counts)| counts.of(outcome)).sum()
        };
        // A copy may have a right antecedent on one side only, and is correct then.
        assert!(of(Outcome::Wrong) + of(Outcome::Missing) <= found.recall.total);
        assert!(of(Outcome::Wrong) + of(Outcome::Spurious) <= found.precision.total);
        let rows = |kind: CorefErrorKind| found.rows.iter().filter(|row| row.kind == kind).count() as u64;
        assert_eq!(rows(CorefErrorKind::MissedLink), found.recall.total);
        assert_eq!(rows(CorefErrorKind::WrongLink), found.precision.total);
        let start = &found.sequence[0].results;
        let shown = found.scored.as_ref().unwrap_or(start);
        let scores = |results: &[MetricResult]| results.iter().map(|result| result.score).collect::<Vec<_>>();
        assert_eq!(scores(shown), scores(&report.results));
        otherwise.set(otherwise.get() + u32::from(scores(shown) != scores(start)));
    });
    assert!(otherwise.get() > 100, "{otherwise:?}");
}

/// Key: {Anna her her2} {her} {dog it}. Response: {Anna her her2} {her2} {her dog it}.
#[test]
fn sizes_include_all_copies_of_repeated_mentions() {
    let words = ["Anna", "saw", "her", "dog", "and", "it", "saw", "her"];
    let [anna, her, dog, it, her2] = [0, 2, 3, 5, 7].map(|word| (0, word, word + 1));
    let text = Annotated {
        sentences: vec![words.to_vec()],
        key: vec![[anna, her, her2].into(), [her].into(), [dog, it].into()],
        response: vec![[anna, her, her2].into(), [her2].into(), [her, dog, it].into()],
    };
    let corpora = corpora(&[text]);
    // `first`: the copies of both mentions in the response's first entity count, so that only {her} of the key has no
    // link. `last`: those in the other entities count, so that all of the key but {dog it} has none.
    for (rule, unlinked) in [("first", 1), ("last", 4)] {
        let mut task = task("keep", Tree::Accessibility);
        task.settings.set("duplicates", rule).expect("the rule exists");
        let [key, response] = analysis(&pairs(&corpora), &task).sizes;
        assert_eq!((key.mentions, key.entities, key.singletons), (6, 3, 1), "{rule}");
        assert_eq!((response.mentions, response.entities, response.singletons), (7, 3, 1), "{rule}");
        assert_eq!([key.unlinked, response.unlinked], [unlinked; 2], "{rule}");
    }
}

/// The mentions of entities in some order.
type Ordered = Vec<Vec<(usize, usize, usize)>>;

/// Returns the entities of one side, and the mentions of each, in any order.
fn reordered(side: &Entities) -> impl Strategy<Value = Ordered> + use<> {
    let mentions = |entity: &BTreeSet<_>| Just(entity.iter().copied().collect::<Vec<_>>()).prop_shuffle();
    side.iter().map(mentions).collect::<Vec<_>>().prop_shuffle()
}

#[test]
fn counts_do_not_depend_on_the_order_of_documents_entities_and_mentions() {
    let texts_in_two_orders = vec(annotated(), 1..4).prop_flat_map(|texts| {
        let document = |(id, text): (usize, &Annotated)| {
            (Just(id), Just(text.clone()), reordered(&text.key), reordered(&text.response))
        };
        let documents: Vec<_> = texts.iter().enumerate().map(document).collect();
        (Just(texts), documents.prop_shuffle())
    });
    check(500, (texts_in_two_orders, 0..2), |((texts, documents), drop)| {
        let first = corpora(&texts);
        let side = |of: fn(&(usize, Annotated, Ordered, Ordered)) -> &Ordered| {
            let lines = documents.iter().map(|document| line(document.0, &document.1, of(document)));
            corpus(&lines.collect::<String>())
        };
        let second = [side(|document| &document.2), side(|document| &document.3)];
        let mut task = task(["keep", "drop"][drop as usize], Tree::Accessibility);
        task.metrics = metrics();
        let (one, other) = (analysis(&pairs(&first), &task), analysis(&pairs(&second), &task));
        assert_eq!(one.counts, other.counts);
        assert_eq!(one.operations, other.operations);
        assert_eq!((&one.recall, &one.precision), (&other.recall, &other.precision));
        assert_eq!(one.antecedents, other.antecedents);
        let outcomes = |found: &ErrorAnalysis| -> Vec<_> {
            found.outcomes.iter().map(|table| (table.by, table.rows.clone())).collect()
        };
        assert_eq!(outcomes(&one), outcomes(&other));
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

/// Scores the corrected documents of each step, and compares the scores with those of the analysis.
fn check_steps(
    found: &ErrorAnalysis,
    pairs: &[DocumentPair<'_>],
    keys: &[Document],
    task: &AnalysisTask,
    settings: Settings,
) {
    let corrector = ResponseCorrector::new(pairs, &task.settings);
    let scored = Task { settings, metrics: task.metrics.clone(), by: None, threads: 1 };
    for step in found.alone.iter().chain(&found.sequence) {
        let responses: Vec<Document> =
            pairs.iter().map(|pair| corrector.response(*pair, step.correction)).collect();
        let sides = keys.iter().zip(&responses);
        let corrected: Vec<DocumentPair<'_>> =
            sides.map(|(key, response)| DocumentPair { key, response: Some(response) }).collect();
        let report =
            score_documents(&corrected, &scored, &mut Diagnostics::default()).expect("they can be scored");
        for (ours, theirs) in step.results.iter().zip(&report.results) {
            assert_eq!(ours.score, theirs.score, "{} after {:?}", ours.metric, step.correction);
        }
    }
}

/// The costs come from the aligned mentions; scoring the corrected documents must give the same.
#[test]
fn corrected_documents_have_the_scores_of_the_analysis() {
    check(400, (vec(annotated(), 1..4), 0..2), |(texts, drop)| {
        let corpora = corpora(&texts);
        let pairs = pairs(&corpora);
        let singletons = ["keep", "drop"][drop as usize];
        let mut task = task(singletons, Tree::Accessibility);
        task.metrics = metrics();
        let found = analysis(&pairs, &task);
        // Singletons that result from a correction stay: only the key's singletons were dropped before.
        let corrector = ResponseCorrector::new(&pairs, &task.settings);
        let keys: Vec<Document> = pairs
            .iter()
            .map(|pair| match drop {
                1 => {
                    let same = DocumentPair { key: pair.key, response: Some(pair.key) };
                    corrector.response(same, ErrorCorrection::None)
                }
                _ => pair.key.clone(),
            })
            .collect();
        check_steps(&found, &pairs, &keys, &task, settings("keep"));
        let last = found.sequence.last().expect("steps");
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

/// The first documents only suggest the language, so that no text is read twice.
#[test]
fn the_language_is_that_of_all_documents() {
    let document = |id: usize, pronoun: &str, count: usize| {
        let words = vec![pronoun; count];
        let places: Vec<[usize; 2]> = (0..count).map(|word| [word, word]).collect();
        let line = |clusters: &[&[[usize; 2]]]| {
            let text =
                serde_json::json!({"doc_key": format!("d{id}"), "sentences": [words], "clusters": clusters});
            format!("{text}\n")
        };
        [line(&[&places]), line(&[&places[..count / 2], &places[count / 2..]])]
    };
    let german = document(0, "er", 40);
    let corpora = |documents: &[[String; 2]]| {
        [0, 1]
            .map(|side| corpus(&documents.iter().map(|document| document[side].as_str()).collect::<String>()))
    };
    let language = |analysis: &ErrorAnalysis| analysis.language.map(|language| language.code);
    let sides = corpora(std::slice::from_ref(&german));
    assert_eq!(language(&analysis(&pairs(&sides), &task("keep", Tree::Accessibility))), Some("de"));

    let sides = corpora(&[german, document(1, "he", 30), document(2, "it", 20)]);
    let pairs = pairs(&sides);
    for threads in [1, 2] {
        let task = AnalysisTask { threads, examples: 2, ..task("keep", Tree::Accessibility) };
        let found = analysis(&pairs, &task);
        assert_eq!(language(&found), Some("en"));
        let of_type = |analysis: &ErrorAnalysis, name| {
            let rows = analysis.outcomes.iter().find(|table| table.by == "type").map(|table| &table.rows);
            rows.and_then(|rows| rows.iter().find(|row| row.0 == name)).map(|row| format!("{:?}", row.1))
        };
        assert!(of_type(&found, "pronoun").is_some() && of_type(&found, "nominal").is_some());
        let english = LANGUAGES.iter().find(|language| language.code == "en");
        let told = analysis(&pairs, &AnalysisTask { language: english, ..task });
        assert_eq!(format!("{found:?}"), format!("{told:?}"));
    }
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
        let common = CommonErrors::of(&found).expect("two systems");
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

/// Responses that differ in their empty nodes, or in the order of names, number the same mentions differently.
#[test]
fn systems_share_errors_whatever_the_numbers_of_their_words() {
    let (row, zero, head) = (corefud_word, corefud_zero, COREFUD_HEAD);
    let words = |zeros: &str, second: &str, third: &str| {
        format!(
            "{head}{zeros}{}{}{}{}\n",
            row("1", "Ada", "Entity=(e1-x-1-)"),
            row("2", "met", "_"),
            row("3", "Bo", second),
            row("4", "Con", third),
        )
    };
    let (wrong, none) = ("Entity=(e1-x-1-)", "_");
    let key = words("", "Entity=(e2-x-1-)", "Entity=(e3-x-1-)");
    let nodes = zero("0.1", "2:x", "_") + &zero("0.2", "2:x", "_");
    let responses = [words("", wrong, none), words(&nodes, wrong, none), words("", none, wrong)];
    let [key, a, b, c] = [&key, &responses[0], &responses[1], &responses[2]].map(|text| corefud(text));
    let shared = |key: &Corpus, systems: [&Corpus; 3], task: &AnalysisTask| {
        let found = systems.map(|response| {
            let pair = DocumentPair { key: &key.documents[0], response: response.documents.first() };
            analysis(&[pair], task)
        });
        let common = CommonErrors::of(&found).expect("three systems");
        let wrong = |row: &&ErrorRow| row.kind == CorefErrorKind::WrongLink;
        let made_by = found.map(|system| system.rows.iter().find(wrong).and_then(|row| common.made_by(row)));
        assert_eq!(made_by, [Some(2), Some(2), Some(1)]);
        assert_eq!((common.precision.any, common.precision.all), (2, 0));
    };
    shared(&key, [&a, &b, &c], &corefud_task());
    let format = FormatSpec::named("links").unwrap();
    let names = |text: &str| format.read(text.as_bytes(), "test", ReadOptions::with_layers()).unwrap();
    let [key, a, b, c] = ["{a} {b} {c}", "{a c} {b}", "{b} {a c}", "{a b} {c}"].map(names);
    shared(&key, [&a, &b, &c], &task("keep", Tree::Closest));
}

/// Without a comparison of words, a response may have more than the key.
#[test]
fn mentions_beyond_the_words_of_the_key_have_a_head() {
    let text = |words: usize, mentions: [(usize, usize); 2]| {
        let line = |word: usize| {
            let bit = |at: usize, sign: &str| if word == at { sign.to_owned() } else { String::new() };
            let parse = if word == 0 {
                "(TOP(NP*)"
            } else if word + 1 == words {
                "*)"
            } else {
                "*"
            };
            let cell: String = (0..)
                .zip(mentions)
                .map(|(entity, (start, end))| {
                    bit(start, &format!("({entity}")) + &bit(end, &format!("{entity})"))
                })
                .filter(|cell| !cell.is_empty())
                .collect::<Vec<_>>()
                .join("|");
            let cell = if cell.is_empty() { "-".to_owned() } else { cell };
            format!("d\t0\t{word}\tw\tNN\t{parse}\t-\t-\t-\t-\t*\t{cell}\n")
        };
        let lines: String = (0..words).map(line).collect();
        let text = format!("#begin document (d); part 000\n{lines}\n#end document\n");
        FormatSpec::named("conll").unwrap().read(text.as_bytes(), "test", ReadOptions::with_layers()).unwrap()
    };
    let (key, response) = (text(5, [(0, 1), (2, 3)]), text(200, [(61, 62), (190, 191)]));
    let pair = DocumentPair { key: &key.documents[0], response: response.documents.first() };
    for types in [TypeRule::Head, TypeRule::Cort] {
        let found = analysis(&[pair], &AnalysisTask { types, ..task("keep", Tree::Accessibility) });
        assert_eq!(counts(&found), Counts::from([("extra_entity", 2), ("missing_entity", 2)]));
    }
}

/// A zero that the response lacks is a missing mention, and a pronoun.
#[test]
fn zeros_are_pronouns() {
    let (row, head) = (corefud_word, COREFUD_HEAD);
    let key = format!(
        "{head}{}{}{}{}{}\n",
        row("1", "Ada", "Entity=(e1-x-1-)"),
        row("2", "ran", "_"),
        corefud_zero("2.1", "1:x", "Entity=(e1-x-1-)"),
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
    let [key, response] = [key, response].map(|text| corefud(&text));
    let pair = DocumentPair { key: &key.documents[0], response: response.documents.first() };
    let task = corefud_task();
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

/// Metrics that need the words of mentions have costs too: from the score of the response to that of the key, even if
/// the response lacks the empty nodes of the key's zeros, and if mentions match by their heads.
#[test]
fn zeros_and_words_have_a_cost() {
    let (row, zero, head) = (corefud_word, corefud_zero, COREFUD_HEAD);
    let key = format!(
        "{head}{}{}{}{}{}{}{}\n",
        row("1", "old", "Entity=(e1-x-2-"),
        row("2", "Ada", "Entity=e1)"),
        row("3", "ran", "_"),
        zero("3.1", "3:nsubj", "Entity=(e1-x-1-)"),
        row("4", "and", "_"),
        row("5", "swam", "_"),
        zero("5.1", "5:nsubj", "Entity=(e1-x-1-)"),
    );
    let response = format!(
        "{head}{}{}{}{}{}{}\n",
        row("1", "old", "_"),
        row("2", "Ada", "Entity=(e5-x-1-)"),
        row("3", "ran", "_"),
        row("4", "and", "_"),
        row("5", "swam", "_"),
        zero("5.1", "5:nsubj", "Entity=(e5-x-1-)"),
    );
    let [key, response] = [key, response].map(|text| corefud(&text));
    let pair = DocumentPair { key: &key.documents[0], response: response.documents.first() };
    let mut task = corefud_task();
    task.metrics = ["mention_overlap", "muc", "zero_anaphora"]
        .iter()
        .map(|id| Metric::parse(id).expect("the metric exists"))
        .collect();
    let found = analysis(&[pair], &task);
    let counted =
        Task { settings: task.settings.clone(), metrics: task.metrics.clone(), by: None, threads: 1 };
    let scored = score_documents(&[pair], &counted, &mut Diagnostics::default()).expect("it can be scored");
    let [first, spans, .., last] = &found.sequence[..] else { panic!("several steps") };
    for (ours, theirs) in first.results.iter().zip(&scored.results) {
        assert_eq!((ours.metric, ours.score), (theirs.metric, theirs.score));
    }
    assert!(last.results.iter().all(|result| result.score.f1 == 1.0));
    // The heads match, so the word that the response omitted is not a span error. After the correction of spans, aligned
    // mentions have the key's words.
    assert_eq!(found.counts.of(CorefErrorKind::SpanError), 0);
    assert!(first.results[0].score.f1 < spans.results[0].score.f1, "{first:?} {spans:?}");
    // The missing zero is introduced, at a node that the response lacks.
    let before_last = &found.sequence[found.sequence.len() - 2];
    assert_eq!(before_last.results[2].score.f1, 1.0, "{before_last:?}");
}

/// A document with annotation that the published tools cannot read: discontinuous mentions, zeros, singletons on either
/// side, and possibly without a response.
#[derive(Clone, Debug)]
struct Strange {
    /// The words, and whether each is not in the text.
    words: Vec<(&'static str, bool)>,
    /// The words of each mention, and its entity on either side.
    mentions: Vec<(BTreeSet<u32>, Option<usize>, Option<usize>)>,
    /// The mentions without words: where each opens, and its entity on either side.
    unclosed: Vec<(u32, Option<usize>, Option<usize>)>,
    missing: bool,
}

fn strange() -> impl Strategy<Value = Strange> {
    const COUNT: u32 = 10;
    let word = (proptest::sample::select(&WORDS[..]), weighted(0.2, Just(())));
    let places = || weighted(0.7, 0..4usize);
    let runs = vec((0..COUNT, 1..3u32), 1..3);
    let mention = (runs, places(), places());
    (vec(word, COUNT as usize), vec(mention, 0..14), weighted(0.1, Just(()))).prop_map(
        |(words, mentions, missing)| {
            let mut seen = BTreeSet::new();
            let of_mention = |(runs, key, response): (Vec<(u32, u32)>, Option<usize>, Option<usize>)| {
                let words = runs.into_iter().flat_map(|(start, length)| start..(start + length).min(COUNT));
                (words.collect::<BTreeSet<u32>>(), key, response)
            };
            let mentions = mentions.into_iter().map(of_mention);
            Strange {
                words: words.into_iter().map(|(word, empty)| (word, empty.is_some())).collect(),
                mentions: mentions.filter(|mention| seen.insert(mention.0.clone())).collect(),
                unclosed: Vec::new(),
                missing: missing.is_some(),
            }
        },
    )
}

impl Strange {
    /// Returns one side as a document; if `turned`, mentions and entities are in the opposite order.
    fn document(&self, id: usize, of_key: bool, turned: bool) -> Document {
        let mut words = WordsBuilder::new(true);
        for &(word, empty) in &self.words {
            if empty {
                words.push_empty_node()
            } else {
                words.push(word.as_bytes())
            };
            words.layers_mut().expect("they are kept").form.push(word);
        }
        let mut document = DocumentBuilder::new(DocumentId::new(format!("d{id}")), Arc::from("d"), 1);
        document.entities = (0..4).map(|entity| format!("e{entity}").into()).collect();
        let entity = |key: &Option<usize>, response: &Option<usize>| {
            let entity = if of_key { *key } else { *response }?;
            Some(EntityId::new(if turned { 3 - entity } else { entity }))
        };
        let mentions = self.mentions.iter().filter_map(|(words, key, response)| {
            let entity = entity(key, response)?;
            let parts = runs_of(&words.iter().copied().collect::<Vec<_>>());
            let (first, last) = (parts.first()?, parts.last()?);
            let span = Span::new(first.start(), last.end()).expect("it has words");
            let parts = if parts.len() > 1 { parts } else { Vec::new() };
            let details = MentionDetails { parts, ..MentionDetails::default() };
            Some(Mention::new(span, entity, 1, 1).with_details(details).expect("parts are in order"))
        });
        let unclosed = self.unclosed.iter().filter_map(|(word, key, response)| {
            Some(Mention::without_words(*word, entity(key, response)?, 1, 1))
        });
        document.mentions = mentions.chain(unclosed).collect();
        if turned {
            document.mentions.reverse();
        }
        document.finish(words.finish()).expect("the document is valid")
    }
}

/// Returns key and response of each document, in the order of the documents or reversed.
fn strange_documents(all: &[Strange], turned: bool) -> Vec<(Document, Option<Document>)> {
    let of = |(id, one): (usize, &Strange)| {
        let response = (!one.missing).then(|| one.document(id, false, turned));
        (one.document(id, true, turned), response)
    };
    let mut documents: Vec<_> = all.iter().enumerate().map(of).collect();
    if turned {
        documents.reverse();
    }
    documents
}

fn strange_pairs(documents: &[(Document, Option<Document>)]) -> Vec<DocumentPair<'_>> {
    documents.iter().map(|(key, response)| DocumentPair { key, response: response.as_ref() }).collect()
}

/// Returns the entities of a document as sets of mentions with all their parts, without empty ones.
fn entities_of_parts(document: &Document) -> BTreeSet<BTreeSet<Vec<(u32, u32)>>> {
    let mut entities = vec![BTreeSet::new(); document.entities().len()];
    for mention in document.mentions() {
        let parts = mention.parts().iter().map(|part| (part.start(), part.end())).collect::<Vec<_>>();
        entities[mention.entity().index()].insert(parts);
    }
    entities.into_iter().filter(|entity| !entity.is_empty()).collect()
}

/// The three properties on documents that no published tool reads.
#[test]
fn documents_beyond_the_published_tools_have_the_same_properties() {
    let met = [const { Cell::new(0u32) }; 3];
    check(1500, (vec(strange(), 1..4), 0..2), |(texts, drop)| {
        let singletons = ["keep", "drop"][drop as usize];
        let settings = settings(singletons);
        let documents = strange_documents(&texts, false);
        let pairs = strange_pairs(&documents);

        // All corrections turn the response into the key.
        let corrector = ResponseCorrector::new(&pairs, &settings);
        for pair in &pairs {
            let whole = corrector.response(*pair, ErrorCorrection::All);
            let key = DocumentPair { key: pair.key, response: Some(pair.key) };
            let wanted = corrector.response(key, ErrorCorrection::None);
            assert_eq!(entities_of_parts(&whole), entities_of_parts(&wanted));
        }

        // Link errors are the links that MUC misses.
        let mut task = task(singletons, Tree::Accessibility);
        task.metrics = metrics();
        let found = analysis(&pairs, &task);
        let muc = vec![Metric::parse("muc").expect("MUC")];
        let scored = Task { settings: settings.clone(), metrics: muc, by: None, threads: 1 };
        let report =
            score_documents(&pairs, &scored, &mut Diagnostics::default()).expect("they can be scored");
        let counts = report.results[0].tally.as_ref().expect("MUC counts").first.to_real();
        assert_eq!(found.recall.total as f64, counts.recall_den - counts.recall_num);
        assert_eq!(found.precision.total as f64, counts.precision_den - counts.precision_num);

        // The costs end with the key.
        let last = found.sequence.last().expect("steps");
        for result in last.results.iter().filter(|result| result.is_defined()) {
            assert_eq!((result.score.recall, result.score.precision), (1.0, 1.0), "{}", result.metric);
        }

        // No order changes the counts.
        let turned = strange_documents(&texts, true);
        let other = analysis(&strange_pairs(&turned), &task);
        assert_eq!(found.counts, other.counts);
        assert_eq!(found.operations, other.operations);
        assert_eq!((&found.recall, &found.precision), (&other.recall, &other.precision));

        let gaps = texts.iter().flat_map(|text| &text.mentions).any(|mention| {
            mention
                .0
                .last()
                .zip(mention.0.first())
                .is_some_and(|(last, first)| last - first + 1 > mention.0.len() as u32)
        });
        let seen =
            [gaps, found.documents.iter().any(|document| document.missing), found.counts.transform() > 0];
        met.iter().zip(seen).for_each(|(met, seen)| met.set(met.get() + u32::from(seen)));
    });
    assert!(met.iter().all(|met| met.get() > 100), "{met:?}");
}

/// Mentions that a file opens but does not close are one mention, which each entity may have a copy of.
#[test]
fn documents_with_mentions_without_words_have_the_same_properties() {
    let places = || weighted(0.7, 0..4usize);
    let unclosed = vec((0..10u32, places(), places()), 1..5);
    let texts = vec((strange(), unclosed), 1..3)
        .prop_map(|texts| texts.into_iter().map(|(text, unclosed)| Strange { unclosed, ..text }).collect());
    let several = Cell::new(0u32);
    check(1000, (texts, 0..4, 0..2, 0..3), |(texts, rule, drop, matching): (Vec<Strange>, _, _, _)| {
        let mut task = task(["keep", "drop"][drop as usize], Tree::Accessibility);
        task.settings.set("boundary-crossing", "yes").expect("the option exists");
        task.settings.set("match", ["exact", "partial", "overlap"][matching as usize]).expect("a rule");
        task.settings
            .set("duplicates", ["first", "last", "last-sets", "distinct"][rule as usize])
            .expect("a rule");
        task.metrics = metrics();
        let documents = strange_documents(&texts, false);
        let pairs = strange_pairs(&documents);

        // Link errors are the links that MUC misses.
        let found = analysis(&pairs, &task);
        let scored = Task { settings: task.settings.clone(), metrics: metrics(), by: None, threads: 1 };
        let report =
            score_documents(&pairs, &scored, &mut Diagnostics::default()).expect("they can be scored");
        let muc = report.results.iter().find(|result| result.metric.to_string() == "muc");
        let muc = muc.and_then(|muc| muc.tally.as_ref()).expect("MUC counts").first.to_real();
        assert_eq!(found.recall.total as f64, muc.recall_den - muc.recall_num);
        assert_eq!(found.precision.total as f64, muc.precision_den - muc.precision_num);
        let shown = found.scored.as_ref().unwrap_or(&found.sequence[0].results);
        let scores = |results: &[MetricResult]| results.iter().map(|result| result.score).collect::<Vec<_>>();
        assert_eq!(scores(shown), scores(&report.results));

        // All corrections turn the response into the key.
        let last = found.sequence.last().expect("steps");
        for result in last.results.iter().filter(|result| result.is_defined()) {
            assert_eq!((result.score.recall, result.score.precision), (1.0, 1.0), "{}", result.metric);
        }

        // A document compared with itself has no errors, other than links that MUC misses.
        let same: Vec<_> =
            pairs.iter().map(|pair| DocumentPair { key: pair.key, response: Some(pair.key) }).collect();
        let found = analysis(&same, &task);
        assert_eq!(counts(&found), Counts::new());
        let repeats =
            texts.iter().any(|text| text.unclosed.iter().filter(|(_, key, _)| key.is_some()).count() > 1);
        several.set(several.get() + u32::from(repeats));
    });
    assert!(several.get() > 300, "{several:?}");
}

/// Costs are counted by parts of documents, and equal those of whole documents for every metric and average.
#[test]
fn costs_by_parts_equal_those_of_whole_documents() {
    let ids = ["rand", "adjusted_rand", "mention_overlap", "pairwise", "ceaf_1", "ceaf_2", "blanc", "conll"];
    let metrics: Vec<Metric> = ids.iter().map(|id| Metric::parse(id).expect("the metric exists")).collect();
    check(300, (vec(annotated(), 1..4), 0..2), |(texts, average)| {
        let corpora = corpora(&texts);
        let pairs = pairs(&corpora);
        let mut task = task("keep", Tree::Accessibility);
        task.settings.set("average", ["micro", "macro"][average as usize]).expect("the option exists");
        task.metrics.clone_from(&metrics);
        let found = analysis(&pairs, &task);
        let keys: Vec<Document> = pairs.iter().map(|pair| pair.key.clone()).collect();
        check_steps(&found, &pairs, &keys, &task, task.settings.clone());
    });
}

/// A few bytes may name any position, so the memory of a document without words depends only on its mentions.
#[test]
fn positions_without_words_are_shown_in_runs() {
    let read = |text: &str| {
        let options = ReadOptions::with_layers();
        FormatSpec::named("jsonlines").unwrap().read(text.as_bytes(), "x", options).unwrap()
    };
    let view = |key: &str, response: &str| {
        let (key, response) = (read(key), read(response));
        let pair = DocumentPair { key: &key.documents[0], response: response.documents.first() };
        Viewer::new(&[pair], &task("keep", Tree::default())).view(&[pair]).unwrap()
    };
    let key = r#"{"doc_key":"a","clusters":[[[0,9999998],[5,5]]]}"#;
    let found = view(key, r#"{"doc_key":"a","clusters":[[[3,5],[5,9]]]}"#);
    assert_eq!(found.words, ["0–2", "3–4", "5", "6–9", "10–9999998"]);
    let spans = |side: &[corefeval_core::analysis::MentionView]| {
        side.iter().map(|mention| mention.spans[0]).collect::<Vec<_>>()
    };
    assert_eq!(spans(&found.key.mentions), [[0, 5], [2, 3]]);
    assert_eq!(spans(&found.responses[0].as_ref().unwrap().side.mentions), [[1, 3], [2, 4]]);
    // The words of one side serve both.
    let words = r#"{"doc_key":"a","sentences":[["Ida","saw","it","."]],"clusters":[[[0,0],[2,2]]]}"#;
    let found = view(words, r#"{"doc_key":"a","clusters":[[[0,0],[2,2]]]}"#);
    assert_eq!(found.words, ["Ida", "saw", "it", "."]);
}
