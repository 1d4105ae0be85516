//! Metrics with weights by type agree with plain twins on thousands of random documents, keep their properties, and
//! have the scores of a case worked by hand.

use crate::adaptor;
use crate::twins;

use std::cell::Cell;
use std::sync::Arc;

use crate::generators::{check, pairs};
use crate::twins::weights::{Aligned, Table, b_cubed, ceaf, lea};
use crate::twins::{Counts, fraction};
use corefeval_core::diagnostic::{Code, Diagnostics};
use corefeval_core::evaluation::score_documents;
use corefeval_core::formats::{FormatSpec, ReadOptions};
use corefeval_core::fraction::Ratio;
use corefeval_core::matching::align;
use corefeval_core::metrics::{EntityPairView, Metric, SingleEntityView, ceaf_with};
use corefeval_core::model::{
    Document, DocumentBuilder, DocumentId, ENTITY_TYPE, EntityId, MENTION_TYPE, Mention, MentionDetails,
    Side, Span, WordsBuilder,
};
use corefeval_core::overlap::align_entities;
use corefeval_core::pairing::{self, DocumentPair};
use corefeval_core::profiles::Profile;
use corefeval_core::score::Task;
use corefeval_core::selection::select;
use corefeval_core::settings::Settings;
use corefeval_core::tally::{Score, Tally};
use corefeval_core::weights::Weights;
use num_traits::ToPrimitive;
use proptest::collection::vec;
use proptest::prelude::*;

/// Returns the settings without weights.
fn without_weights(mut settings: Settings) -> Settings {
    settings.weights = None;
    settings
}

/// The words of a document.
const WORDS: u32 = 12;

const MENTION_TYPES: [Option<&str>; 5] = [None, Some("NAM"), Some("NOM"), Some("PRO"), Some("odd")];
const ENTITY_TYPES: [Option<&str>; 4] = [None, Some("LOC"), Some("ORG"), Some("PER")];

type Mentions = Vec<twins::weights::Mention>;

/// Mentions with separate words, up to three of them.
fn mentions(longest: u32) -> impl Strategy<Value = Mentions> {
    let mention = (0..WORDS - 2, 1..=longest, 0..4u32, 0..5usize, 0..4usize);
    vec(mention, 0..9).prop_map(|drafts| {
        let mut mentions: Mentions = Vec::new();
        for (start, length, entity, kind, entity_kind) in drafts {
            let words = (start, start + length);
            if mentions.iter().all(|mention| mention.words != words) {
                let (kind, entity_kind) = (MENTION_TYPES[kind], ENTITY_TYPES[entity_kind]);
                mentions.push(twins::weights::Mention { words, entity, kind, entity_kind });
            }
        }
        mentions
    })
}

/// Generates a table, with its text in a file.
fn table() -> impl Strategy<Value = (Table, String)> {
    // Weights are quarters and tenths.
    let weight = || {
        prop_oneof![
            Just(0u32),
            Just(10_000),
            (1..9u32).prop_map(|n| n * 2_500),
            (1..20u32).prop_map(|n| n * 1_000)
        ]
    };
    let similarity = || prop_oneof![Just(0u32), Just(10_000), (1..10u32).prop_map(|n| n * 1_000)];
    let defaults = (weight(), weight(), similarity());
    (vec(weight(), 3), vec(weight(), 2), vec(similarity(), 2), defaults).prop_map(
        |(mentions, entities, similarities, defaults)| {
            let decimal = |units: u32| format!("{}.{:04}", units / 10_000, units % 10_000);
            let exact = |units: u32| fraction(units as usize, 10_000);
            let text = format!(
                "[mention-type]\nNAM = {}\nNOM = {}\nPRO = {}\n[entity-type]\nPER = {}\nLOC = {}\n\
                 [similarity.PER]\nORG = {}\n[similarity.ORG]\nLOC = {}\n\
                 [default]\nmention-type = {}\nentity-type = {}\nsimilarity = {}\n",
                decimal(mentions[0]),
                decimal(mentions[1]),
                decimal(mentions[2]),
                decimal(entities[0]),
                decimal(entities[1]),
                decimal(similarities[0]),
                decimal(similarities[1]),
                decimal(defaults.0),
                decimal(defaults.1),
                decimal(defaults.2),
            );
            let table = Table {
                mention_types: ["NAM", "NOM", "PRO"]
                    .into_iter()
                    .zip(mentions.into_iter().map(exact))
                    .collect(),
                entity_types: ["PER", "LOC"].into_iter().zip(entities.into_iter().map(exact)).collect(),
                similarities: [("PER", "ORG"), ("ORG", "LOC")]
                    .into_iter()
                    .zip(similarities.into_iter().map(exact))
                    .collect(),
                defaults: [defaults.0, defaults.1, defaults.2].map(exact),
            };
            (table, text)
        },
    )
}

fn document(mentions: &[twins::weights::Mention]) -> Document {
    let mut words = WordsBuilder::new(false);
    for word in 0..WORDS {
        words.push(&[b'a' + word as u8]);
    }
    let mut document = DocumentBuilder::new(DocumentId::new("d"), Arc::from("d"), 1);
    document.entities = (0..4).map(|entity| format!("e{entity}").into()).collect();
    for mention in mentions {
        let types = [(MENTION_TYPE, mention.kind), (ENTITY_TYPE, mention.entity_kind)];
        let attributes =
            types.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())));
        let details = MentionDetails { attributes: attributes.collect(), ..MentionDetails::default() };
        let span = Span::new(mention.words.0, mention.words.1).expect("a mention has words");
        let made =
            Mention::new(span, EntityId::new(mention.entity as usize), 1, 1).with_head(mention.words.0);
        document.mentions.push(made.with_details(details).expect("no parts"));
    }
    document.finish(words.finish()).unwrap()
}

fn settings(matching: &str, weights: Option<&str>) -> Settings {
    let mut settings = Settings::of(Profile::named("conll").expect("a profile"));
    settings.set("match", matching).expect("an option");
    settings.weights =
        weights.map(|text| Weights::read(text, "w.toml").unwrap_or_else(|error| panic!("{error}")));
    settings
}

fn try_score(
    key: &Document,
    response: &Document,
    settings: Settings,
    ids: &[String],
    diagnostics: &mut Diagnostics,
) -> corefeval_core::Result<corefeval_core::results::SystemReport> {
    let metrics = ids.iter().map(|id| Metric::parse(id).unwrap_or_else(|error| panic!("{error}"))).collect();
    let task = Task { settings, metrics, by: None, threads: 1 };
    score_documents(&[DocumentPair { key, response: Some(response) }], &task, diagnostics)
}

/// Returns the counts of the library, its scores, and its findings.
fn score(
    key: &Document,
    response: &Document,
    settings: Settings,
    ids: &[String],
) -> (Vec<(Tally, Score)>, Diagnostics) {
    let mut diagnostics = Diagnostics::default();
    let report = try_score(key, response, settings, ids, &mut diagnostics).expect("a score");
    let results =
        report.results.into_iter().map(|result| (result.tally.expect("it has counts"), result.score));
    (results.collect(), diagnostics)
}

/// The weighted metrics, by the kind of weight.
const METRICS: [(&str, &str); 4] =
    [("b_cubed", "weight"), ("lea", "importance"), ("ceaf_m", "weight"), ("ceaf_e", "weight")];
const BY: [&str; 3] = ["mention-type", "entity-type", "table"];

fn ids(credit: bool) -> Vec<String> {
    let credit = |metric: &str| if credit && metric.starts_with("ceaf") { ":credit=words" } else { "" };
    let ids = METRICS.iter().flat_map(|(metric, name)| {
        BY.iter().map(move |by| format!("{metric}:{name}={by}{}", credit(metric)))
    });
    ids.collect()
}

fn twin(id: &str, aligned: &Aligned<'_>, table: &Table) -> Counts {
    let by = BY.into_iter().find(|by| id.contains(&format!("={by}"))).unwrap_or("nothing");
    let credit = id.ends_with("credit=words");
    match id.split(':').next() {
        Some("b_cubed") => b_cubed(aligned, table, by),
        Some("lea") => lea(aligned, table, by),
        Some("ceaf_m") => ceaf(aligned, table, by, false, credit),
        _ => ceaf(aligned, table, by, true, credit),
    }
}

/// Runs twin and library on one pair.
fn agree(
    key: &Mentions,
    response: &Mentions,
    (table, text): &(Table, String),
    matching: &str,
    credits: &Cell<u32>,
) {
    let (ours, theirs) = (document(key), document(response));
    let settings = settings(matching, Some(text));
    let mut discarded = Diagnostics::default();
    let selected = [&ours, &theirs].map(|side| select(side, &ours, &settings, &mut discarded));
    let [one, two] = selected;
    let alignment = align((&ours, one), (&theirs, two), &settings, false, &mut discarded);
    let pairs: Vec<(usize, usize)> =
        alignment.pairs.iter().map(|&(one, two)| (one as usize, two as usize)).collect();
    let differ = pairs.iter().filter(|&&(one, two)| key[one].words != response[two].words).count();
    credits.set(credits.get() + u32::from(differ > 0));
    let aligned = Aligned { key, response, pairs: &pairs };
    let mut ids = ids(matching != "exact");
    if matching != "exact" {
        ids.extend(["ceaf_m:credit=words", "ceaf_e:credit=words"].map(str::to_owned));
    }
    let (results, _) = score(&ours, &theirs, settings, &ids);
    for (id, (tally, score)) in ids.iter().zip(results) {
        let wanted = twin(id, &aligned, table);
        let found = adaptor::exact(&tally).expect("small counts have exact fractions").first;
        if id.starts_with("ceaf_e") {
            // Denominators may exceed the exact range.
            let near = |one: &twins::Fraction, two: &twins::Fraction| {
                (one - two).to_f64().is_some_and(|difference| difference.abs() < 1e-15)
            };
            assert!(near(&found.recall_num, &wanted.recall_num), "{id}: {found:?} {wanted:?}");
            assert_eq!(
                (&found.recall_den, &found.precision_den),
                (&wanted.recall_den, &wanted.precision_den),
                "{id}"
            );
        } else {
            assert_eq!(found, wanted, "{id}\n{text}");
        }
        let wanted = wanted.score();
        for (number, exact) in [score.recall, score.precision, score.f1].iter().zip(wanted.parts()) {
            let exact = exact.to_f64().expect("scores are finite");
            assert!((number - exact).abs() < 1e-12, "{id}: {number} {exact}");
            assert!((0.0..=1.0).contains(number), "{id}: {number}");
        }
    }
}

#[test]
fn weights_agree_with_the_twins() {
    let discarded = Cell::new(0);
    check(1500, (mentions(1), mentions(1), table()), |(key, response, table)| {
        agree(&key, &response, &table, "exact", &discarded);
    });
    assert_eq!(discarded.get(), 0, "the same words");
}

#[test]
fn credit_for_words_agrees_with_the_twins() {
    let differ = Cell::new(0);
    check(1500, (mentions(3), mentions(3), table()), |(key, response, table)| {
        agree(&key, &response, &table, "head", &differ);
        agree(&key, &response, &table, "overlap", &differ);
    });
    assert!(differ.get() > 1000, "aligned mentions with different words: {}", differ.get());
}

/// Returns the plain metric that a weighted one equals if all weights are 1.
fn plain(id: &str) -> String {
    let (metric, rest) = id.split_once(':').expect("it has a parameter");
    if metric == "lea" && rest.contains("entity-type") {
        "lea:importance=uniform".to_owned()
    } else {
        metric.to_owned()
    }
}

#[test]
fn weights_of_one_change_nothing() {
    // Mentions may also be repeated: they have only three words, in any entity.
    let repeating = || vec((0..5u32, 0..3u32), 0..9);
    let made = |draft: Vec<(u32, u32)>| -> Mentions {
        let mention = |(start, entity)| twins::weights::Mention {
            words: (start, start + 1),
            entity,
            kind: None,
            entity_kind: None,
        };
        draft.into_iter().map(mention).collect()
    };
    let table = "mention-type.NAM = 1.0\nentity-type.PER = 1\nsimilarity.PER.ORG = 1";
    check(1000, (repeating(), repeating()), |(key, response)| {
        let (key, response) = (document(&made(key)), document(&made(response)));
        for (duplicates, ceaf) in
            [("first", "key-only"), ("first", "both"), ("last", "both"), ("distinct", "both")]
        {
            for matching in ["exact", "head"] {
                let mut with = settings(matching, Some(table));
                with.set("duplicates", duplicates).expect("an option");
                with.set("ceaf-singletons", ceaf).expect("an option");
                let ids = ids(matching == "head");
                let weighed = score(&key, &response, with.clone(), &ids).0;
                let without = without_weights(with);
                let wanted =
                    score(&key, &response, without, &ids.iter().map(|id| plain(id)).collect::<Vec<_>>()).0;
                for (place, id) in ids.iter().enumerate() {
                    let exact = |results: &[(Tally, Score)]| adaptor::exact(&results[place].0);
                    assert_eq!(exact(&weighed), exact(&wanted), "{id} {duplicates} {ceaf} {matching}");
                    assert_eq!(weighed[place].1, wanted[place].1, "{id}: equal to the last bit");
                }
            }
        }
    });
}

#[test]
fn a_perfect_response_scores_1_and_swapping_swaps() {
    let every = |credit| ids(credit);
    check(700, (mentions(3), mentions(3), table()), |(key, response, (_, text))| {
        // A response without types gets the same scores.
        let bare: Mentions = key
            .iter()
            .map(|mention| twins::weights::Mention { kind: None, entity_kind: None, ..mention.clone() })
            .collect();
        let (one, two) = (document(&key), document(&response));
        for other in [&one, &document(&bare)] {
            let ids = every(true);
            for (id, (tally, score)) in
                ids.iter().zip(score(&one, other, settings("head", Some(&text)), &ids).0)
            {
                let wanted = if tally.first.recall_den.is_zero() { 0.0 } else { 1.0 };
                assert_eq!([score.recall, score.precision], [wanted; 2], "{id}\n{text}");
            }
        }
        // Similarities have a direction, so they are left out.
        let symmetric: String = text
            .lines()
            .filter(|line| !line.starts_with("ORG") && !line.starts_with("LOC = "))
            .map(|line| format!("{line}\n"))
            .collect();
        let ids = every(false);
        let there = score(&one, &two, settings("exact", Some(&symmetric)), &ids).0;
        let back = score(&two, &one, settings("exact", Some(&symmetric)), &ids).0;
        for (id, (one, two)) in ids.iter().zip(there.iter().zip(&back)) {
            assert_eq!(
                (one.1.recall, one.1.precision, one.1.f1),
                (two.1.precision, two.1.recall, two.1.f1),
                "{id}"
            );
        }
    });
}

const KEY: &str = "mention,entity,entity_type,mention_type\n\
                   A,1,PER,NAM\nB,1,PER,NOM\nC,1,PER,PRO\nD,1,PER,PRO\nE,2,VEH,NAM\nF,2,VEH,NOM\n";
const RESPONSE: &str = "mention,entity,entity_type,mention_type\n\
                        A,x,PER,NAM\nB,x,PER,NOM\nE,x,PER,NAM\nC,y,PER,PRO\nD,y,PER,PRO\nF,z,VEH,NOM\n";

fn read(text: &str, side: Side) -> corefeval_core::model::Corpus {
    let mut options = ReadOptions::default();
    options.side = side;
    FormatSpec::named("table").unwrap().read(text.as_bytes(), side.label(), options).unwrap()
}

fn by_hand(weights: &str, key: &str, response: &str) -> (Vec<[String; 2]>, Diagnostics) {
    let (key, response) = (read(key, Side::Key), read(response, Side::Response));
    let pairs = pairing::pair(&key, &response, &mut Diagnostics::default()).unwrap();
    let ids = ["ceaf_m:weight=table", "ceaf_e:weight=table", "b_cubed:weight=table", "lea:importance=table"];
    let metrics = ids.iter().map(|id| Metric::parse(id).unwrap()).collect();
    let task = Task { settings: settings("exact", Some(weights)), metrics, by: None, threads: 1 };
    let mut diagnostics = Diagnostics::default();
    let report = score_documents(&pairs, &task, &mut diagnostics);
    let ratio = |sum: &corefeval_core::fraction::FractionSum| sum.to_string();
    let counts = |tally: &Tally| {
        let first = &tally.first;
        [
            format!("{} / {}", ratio(&first.recall_num), ratio(&first.recall_den)),
            format!("{} / {}", ratio(&first.precision_num), ratio(&first.precision_den)),
        ]
    };
    (
        report.unwrap().results.iter().map(|result| counts(result.tally.as_ref().unwrap())).collect(),
        diagnostics,
    )
}

/// In the spirit of Luo's example: key {A B C D} (a person) and {E F} (a vehicle), response {A B E}, {C D}
/// (persons) and {F} (a vehicle). A and E are names, B and F nominals, C and D pronouns.
#[test]
fn a_case_worked_by_hand() {
    let weights = "[mention-type]\nNAM = 1\nNOM = 0.5\nPRO = 0.1\n[entity-type]\nPER = 1\nVEH = 0.5\n\
                   [similarity.VEH]\nPER = 0.2\n";
    let (counts, found) = by_hand(weights, KEY, RESPONSE);
    // Weights of mentions: key 1 + 0.5 + 0.1 + 0.1 = 1.7 and 1 + 0.5 = 1.5; response 2.5, 0.2, 0.5.
    // φ3: {A B C D} with {A B E} shares 1.5, with {C D} 0.2; {E F} with {A B E} shares 1, times the lesser
    // entity weight 0.5, times the similarity 0.2: 0.1; with {F} 0.5 · 0.5 = 0.25. Best: 1.5 + 0.25 = 1.75.
    // Key 1 · 1.7 + 0.5 · 1.5 = 2.45, response 2.5 + 0.2 + 0.5 · 0.5 = 2.95.
    assert_eq!(counts[0], ["7/4 / 49/20", "7/4 / 59/20"]);
    // φ4: 2 · 1.5 / (1.7 + 2.5) = 5/7; 2 · 0.2 / 1.9; 0.5 · 0.2 · 2 · 1 / (1.5 + 2.5) = 0.05;
    // 0.5 · 2 · 0.5 / (1.5 + 0.5) = 1/4. Best: 5/7 + 1/4 = 27/28. Key 1 + 0.5, response 1 + 1 + 0.5.
    assert_eq!(counts[1], ["27/28 / 3/2", "27/28 / 5/2"]);
    // B³, recall: A and B find 2 of 4, C and D 2 of 4: (1.5 + 0.2) / 2 = 0.85; E and F find 1 of 2, at half
    // the weight: 1.5 · 0.5 / 2 = 0.375; over 1.7 + 0.75. Precision: A and B find 2 of 3, E 1 of 3:
    // 1.5 · 2/3 + 1/3 = 4/3; C and D all: 0.2; F all, at half the weight: 0.25; over 2.5 + 0.2 + 0.25.
    assert_eq!(counts[2], ["49/40 / 49/20", "107/60 / 59/20"]);
    // LEA, recall: {A B C D} has 6 links, A-B and C-D are found: 1.7 · 2/6 = 17/30; {E F} none; over 2.45.
    // Precision: {A B E} has 3 links, A-B is right: 2.5/3; {C D} all: 0.2; {F} is not a singleton of the key.
    assert_eq!(counts[3], ["17/30 / 49/20", "31/30 / 59/20"]);
    assert!(found.groups().iter().all(|group| group.code != Code::TypeMissing));
}

/// Key {A B} has a name and a pronoun, and in response {A B} A is a nominal: A counts 0.2 by the table instead of the
/// lesser weight 0.5. φ3: 0.2 + 0.1 over 1 + 0.1 and over 0.5 + 0.1; φ4: 2 · 0.3 / (1.1 + 0.6) over 1.
#[test]
fn confused_types_count_what_the_table_gives() {
    let key = "mention,entity,entity_type,mention_type\nA,1,PER,NAM\nB,1,PER,PRO\n";
    let response = "mention,entity,entity_type,mention_type\nA,x,PER,NOM\nB,x,PER,PRO\n";
    let weights = "[mention-type]\nNAM = 1\nNOM = 0.5\nPRO = 0.1\n[confusion.NAM]\nNOM = 0.2\n";
    let (counts, _) = by_hand(weights, key, response);
    assert_eq!(counts[0], ["3/10 / 11/10", "3/10 / 3/5"]);
    assert_eq!(counts[1], ["6/17 / 1", "6/17 / 1"]);
    // The table has the key's type first, so that exchanged sides have no confusion.
    let (counts, _) = by_hand(weights, response, key);
    assert_eq!(counts[0], ["3/5 / 3/5", "3/5 / 11/10"]);
}

/// Crossing mentions: words 0-2 and 2-4, of three words each, share one.
#[test]
fn crossing_mentions_have_partial_credit() {
    let mention = |start, entity| twins::weights::Mention {
        words: (start, start + 3),
        entity,
        kind: None,
        entity_kind: None,
    };
    let (key, response) =
        (document(&[mention(0, 0), mention(6, 0)]), document(&[mention(2, 0), mention(6, 0)]));
    let ids = ["ceaf_m:credit=words".to_owned(), "ceaf_m".to_owned()];
    let found = score(&key, &response, settings("overlap", None), &ids).0;
    assert_eq!(found[0].0.first.recall_num.to_ratio(), Some((4, 3)));
    assert_eq!(found[1].0.first.recall_num.to_ratio(), Some((2, 1)));
    let exact = score(&key, &response, settings("partial", None), &ids).0;
    assert_eq!(exact[0].0.first.recall_num.to_ratio(), Some((1, 1)));
}

fn count_of(diagnostics: &Diagnostics, code: Code) -> u64 {
    diagnostics.groups().iter().find(|group| group.code == code).map_or(0, |group| group.count)
}

#[test]
fn missing_and_unlisted_types_are_counted() {
    let weights = "[mention-type]\nNAM = 1\nNOM = 0.5\nPRN = 0.1\n[entity-type]\nPER = 1\n[default]\nmention-type = 0.1\nentity-type = 0.5\n";
    // The response has no types, and a mention that the key lacks; PRO is misspelt in the table.
    let bare = "mention,entity\nA,x\nB,x\nE,x\nC,y\nD,y\nF,z\nG,g\n";
    let (counts, found) = by_hand(weights, KEY, bare);
    // Seven mentions and four entities without types; the key's two pronouns, and its vehicle.
    assert_eq!((count_of(&found, Code::TypeMissing), count_of(&found, Code::TypeUnlisted)), (7 + 4, 2 + 1));
    // The counts differ from those above by the extra singleton, 0.5 · 0.1, and by {A B E}, whose type is that of two
    // of three of its mentions: {E F} is now similar to {A B E}.
    assert_eq!(counts[0], ["7/4 / 49/20", "7/4 / 3"]);
    let messages: Vec<String> =
        found.groups().iter().flat_map(|group| &group.kept).map(|kept| kept.message.to_string()).collect();
    for wanted in [
        "a mention of the response has no type; it takes the weight of `NAM`, the type of its counterpart",
        "a mention of the response has no type; it has the default weight",
        "entity `x` of the response has no type; it takes the weight of `PER`, the type of its counterpart",
        "the weights do not list the mention type `PRO`; is `PRN` meant?",
        "the weights do not list the entity type `VEH`",
    ] {
        assert!(messages.iter().any(|message| message == wanted), "{wanted}\n{messages:#?}");
    }
    // No finding concerns types that no metric or table uses.
    let (_, found) = by_hand("default.entity-type = 2", KEY, bare);
    assert_eq!((count_of(&found, Code::TypeMissing), count_of(&found, Code::TypeUnlisted)), (0, 0));
}

/// Split antecedents have no weights, so metrics with weights are refused.
#[test]
fn split_antecedents_have_no_weights() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read(root.join("testdata/formats/corefud/split-antecedents.conllu")).unwrap();
    let corpus = FormatSpec::named("corefud").unwrap().read(&text, "key", ReadOptions::default()).unwrap();
    let mut with = settings("exact", Some("default.entity-type = 3"));
    with.set("split-antecedents", "keep").unwrap();
    let document = &corpus.documents[0];
    let scored = |settings: Settings, id: &str| {
        let mut found = Diagnostics::default();
        try_score(document, document, settings, &[id.to_owned()], &mut found)
    };
    let error = scored(with.clone(), "ceaf_m:weight=table").expect_err("there are split antecedents");
    assert!(error.to_string().contains("not defined for split antecedents"), "{error}");
    scored(with.clone(), "ceaf_m").expect("it has no weights");
    with.set("split-antecedents", "drop").unwrap();
    scored(with, "ceaf_m:weight=table").expect("split antecedents are left out");
}

/// A user's own similarity reproduces φ3 and φ4; invalid similarities are refused.
#[test]
fn custom_similarities() {
    let ratio = |numerator: u64, denominator: u64| Ratio::new(numerator, denominator).expect("not over 0");
    check(700, pairs(), |pair| {
        let aligned = align_entities(&pair.key, &pair.response);
        let phi_3 =
            ceaf_with(&aligned, |pair| ratio(pair.shared.into(), 1), |entity| ratio(entity.size.into(), 1));
        let dice = |pair: &EntityPairView| {
            ratio(2 * u64::from(pair.shared), u64::from(pair.key_size + pair.response_size))
        };
        let phi_4 = ceaf_with(&aligned, dice, |_: &SingleEntityView| Ratio::ONE);
        for (id, tally) in [("ceaf_m", phi_3), ("ceaf_e", phi_4)] {
            let wanted = adaptor::score_partitions(&pair.key, &pair.response, id).0;
            assert_eq!(adaptor::exact(&tally.unwrap()), adaptor::exact(&wanted), "{id}");
        }
    });
    let pair = align_entities(&[vec![1, 2]], &[vec![1]]);
    let error = ceaf_with(&pair, |_| ratio(3, 2), |_| Ratio::ONE).unwrap_err();
    assert!(
        error.to_string().contains("key entity 0 and response entity 0 are more similar (3/2)"),
        "{error}"
    );
    let error = ceaf_with(&pair, |_| Ratio::ONE, |_| ratio(u64::MAX, 1)).unwrap_err();
    assert!(error.to_string().contains("similar to itself by 18446744073709551615"), "{error}");
}

/// Similarities with too large a common denominator are rounded, the same way from both sides.
#[test]
fn large_denominators_are_rounded() {
    // A chain: each key entity shares a mention with two response entities, which are worth unit fractions
    // over large primes.
    let count = 12u32;
    let key: Vec<Vec<u32>> = (0..count).map(|entity| vec![2 * entity, 2 * entity + 1]).collect();
    let response: Vec<Vec<u32>> =
        (0..=count).map(|entity| vec![(2 * entity).wrapping_sub(1), 2 * entity]).collect();
    let primes = [1_000_003u64, 1_000_033, 1_000_037, 1_000_039, 1_000_081, 1_000_099, 1_000_117];
    let worth = |mention: u32| primes[mention as usize % primes.len()];
    let ratio = |key: u32, response: u32| {
        // The mention is in both.
        let mention = if response == key { 2 * key } else { 2 * key + 1 };
        Ratio::new(1, worth(mention)).unwrap_or(Ratio::ZERO)
    };
    let one = |_: &SingleEntityView| Ratio::ONE;
    let there =
        ceaf_with(&align_entities(&key, &response), |pair| ratio(pair.key, pair.response), one).unwrap();
    let back =
        ceaf_with(&align_entities(&response, &key), |pair| ratio(pair.response, pair.key), one).unwrap();
    let (total, other) = (there.first.recall_num.to_f64(), back.first.recall_num.to_f64());
    assert_eq!(total.to_bits(), other.to_bits());
    // Each key entity may have either neighbour if no two have the same: all to the left up to some place, and to the
    // right from there on.
    let worth = |mention: u32| 1.0 / worth(mention) as f64;
    let best = (0..=count)
        .map(|left| {
            let left_sum: f64 = (0..left).map(|entity| worth(2 * entity)).sum();
            left_sum + (left..count).map(|entity| worth(2 * entity + 1)).sum::<f64>()
        })
        .fold(0.0, f64::max);
    assert!((total - best).abs() < 1e-15, "{total} {best}");
}

#[test]
fn order_changes_nothing() {
    let reordered = (mentions(3), mentions(3), table()).prop_flat_map(|(key, response, (_, text))| {
        (Just((key.clone(), response.clone(), text)), Just(key).prop_shuffle(), Just(response).prop_shuffle())
    });
    check(300, reordered, |((key, response, text), other_key, other_response)| {
        let ids = ids(true);
        let one = score(&document(&key), &document(&response), settings("head", Some(&text)), &ids).0;
        let two =
            score(&document(&other_key), &document(&other_response), settings("head", Some(&text)), &ids).0;
        for (id, (one, two)) in ids.iter().zip(one.iter().zip(&two)) {
            assert_eq!(one.1, two.1, "{id}");
        }
    });
}
