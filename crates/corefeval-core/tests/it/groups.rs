//! Scores by groups of mentions agree with a plain twin that counts link by link, add up to those of the corpus, and
//! equal those of cases worked by hand.

use crate::adaptor;
use crate::twins;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use num_traits::ToPrimitive;

use crate::generators::{check, pairs, untidy_pairs};
use crate::twins::groups::{CEAF, PLAIN, ceaf_tallies, tally};
use crate::twins::{Tally, entities};
use corefeval_core::diagnostic::{Code, Diagnostics};
use corefeval_core::evaluation::score_documents;
use corefeval_core::formats::{FormatSpec, ReadOptions};
use corefeval_core::groups::{By, GROUPS};
use corefeval_core::metrics::{METRICS, Metric};
use corefeval_core::model::{
    Document, DocumentBuilder, DocumentId, ENTITY_TYPE, EntityId, MENTION_TYPE, Mention, MentionDetails,
    Span, WordsBuilder,
};
use corefeval_core::pairing::{self, DocumentPair};
use corefeval_core::profiles::Profile;
use corefeval_core::results::{MetricResult, SystemReport};
use corefeval_core::score::Task;
use corefeval_core::settings::Settings;

/// The words of a document, in sentences of five words.
const WORDS: u32 = 40;

/// The types of mentions, selected by a number.
const TYPES: [Option<&str>; 4] = [Some("NAM"), None, Some("PRO"), Some("NOM")];

/// Returns the type of a mention on a side.
fn kind(side: &str, mention: u32) -> Option<&'static str> {
    TYPES[(if side == "key" { mention * 7 + mention / 3 } else { mention * 5 + mention / 2 }) as usize % 4]
}

/// Makes a document of entities: a mention is one word, or two if its number is even.
fn document(side: &str, sets: &[Vec<u32>], with_types: bool) -> Document {
    let mut words = WordsBuilder::new(false);
    for word in 0..WORDS {
        words.push(&[b'a' + (word % 26) as u8]);
        if word % 5 == 4 {
            words.end_sentence();
        }
    }
    let mut document = DocumentBuilder::new(DocumentId::new("d"), Arc::from(side), 1);
    document.entities = (0..sets.len()).map(|entity| format!("e{entity}").into()).collect();
    for (entity, members) in sets.iter().enumerate() {
        for &mention in members {
            let kind = Some(kind(side, mention)).filter(|_| with_types).flatten();
            let types = [(MENTION_TYPE, kind), (ENTITY_TYPE, kind)];
            let attributes =
                types.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())));
            let details = MentionDetails { attributes: attributes.collect(), ..MentionDetails::default() };
            let start = 2 * mention;
            let span = Span::new(start, start + 1 + u32::from(mention % 2 == 0)).expect("it has words");
            let made = Mention::new(span, EntityId::new(entity), 1, 1);
            document.mentions.push(made.with_details(details).expect("no parts"));
        }
    }
    document.finish(words.finish()).unwrap()
}

fn score(
    (key, response): (&Document, &Document),
    profile: &str,
    ids: &[&str],
    by: &str,
) -> (SystemReport, Diagnostics) {
    let metrics = ids.iter().map(|id| Metric::parse(id).expect("a metric")).collect();
    let settings = Settings::of(Profile::named(profile).expect("a profile"));
    let by = Some(By::named(by).expect("groups"));
    let mut diagnostics = Diagnostics::default();
    let pair = DocumentPair { key, response: Some(response) };
    let report = score_documents(&[pair], &Task { settings, metrics, by, threads: 1 }, &mut diagnostics);
    (report.unwrap_or_else(|error| panic!("{by:?}: {error}")), diagnostics)
}

/// Returns the counts of the library by group and metric.
fn counts(report: &SystemReport) -> BTreeMap<(String, String), Tally> {
    let rows = report.documents.iter().flat_map(|group| {
        group.results.into_iter().map(move |result| {
            let tally = adaptor::exact(result.tally.as_ref().expect("it has counts")).expect("it is small");
            ((group.id.clone(), result.metric.to_string()), tally)
        })
    });
    rows.collect()
}

/// Returns the lowest and the highest recall and precision over all best maps, by group and metric.
fn ranges_over_maps(report: &SystemReport) -> BTreeMap<(String, String), [[f64; 2]; 2]> {
    let range = |result: &MetricResult| {
        let [low, high] = result.over_maps.unwrap_or([result.score; 2]);
        [[low.recall, high.recall], [low.precision, high.precision]]
    };
    let rows = report.documents.iter().flat_map(|group| {
        let row = move |result: MetricResult| ((group.id.clone(), result.metric.to_string()), range(&result));
        group.results.into_iter().map(row)
    });
    rows.collect()
}

#[test]
fn groups_by_type_agree_with_the_twin() {
    let several = Cell::new(0);
    check(1500, pairs(), |pair| {
        let has_types =
            |side: &[Vec<u32>]| side.iter().flatten().any(|&mention| kind("key", mention).is_some());
        if !has_types(&pair.key) {
            return;
        }
        let documents = (document("key", &pair.key, true), document("response", &pair.response, true));
        let response_has_types =
            pair.response.iter().flatten().any(|&mention| kind("response", mention).is_some());
        let ids: Vec<&str> = PLAIN.into_iter().chain(CEAF).collect();
        let (report, _) = score((&documents.0, &documents.1), "conll", &ids, "mention-type");
        let found = counts(&report);
        let ranges = ranges_over_maps(&report);
        let (key, response) = (entities(&pair.key), entities(&pair.response));
        let keys = twins::mentions_of(&key);
        // A response without mention types takes those of the key.
        let kind_of = |side: &str, mention: u32| match side {
            "key" => kind("key", mention),
            _ if response_has_types => kind("response", mention),
            _ if keys.contains(&mention) => kind("key", mention),
            _ => None,
        };
        let mut seen = 0;
        for group in TYPES {
            let name = group.unwrap_or("(none)");
            let is_in = |side: &str, mention: u32| kind_of(side, mention) == group;
            for id in PLAIN {
                let wanted = tally(id, &key, &response, is_in);
                match found.get(&(name.to_owned(), id.to_owned())) {
                    Some(found) => assert_eq!(found, &wanted, "{id} of {name} in {pair:?}"),
                    None => assert_eq!(wanted, Tally::default(), "{id} of {name} in {pair:?}"),
                }
                seen += usize::from(found.contains_key(&(name.to_owned(), id.to_owned())));
            }
            for id in CEAF.iter().filter(|_| key.len() <= 5 && response.len() <= 5) {
                if let Some(found) = found.get(&(name.to_owned(), (*id).to_owned())) {
                    let wanted = ceaf_tallies(id, &key, &response, is_in);
                    assert!(wanted.contains(found), "{id} of {name} in {pair:?}: {found:?}");
                    let range = &ranges[&(name.to_owned(), (*id).to_owned())];
                    for (part, range) in range.iter().enumerate() {
                        let scores = wanted
                            .iter()
                            .map(|tally| tally.score().parts()[part].to_f64().expect("a number"));
                        let (low, high) = scores.fold((1e9, -1e9), |(low, high): (f64, f64), score| {
                            (low.min(score), high.max(score))
                        });
                        let close = (range[0] - low).abs() < 1e-12 && (range[1] - high).abs() < 1e-12;
                        assert!(close, "{id} of {name} in {pair:?}: {range:?}, not {low} to {high}");
                        several.set(several.get() + usize::from(low < high));
                    }
                }
            }
        }
        assert_eq!(seen, PLAIN.len() * report.documents.len(), "every group is one of the types");
    });
    assert!(several.get() > 100, "{several:?}");
}

/// All groupings of mentions, in all profiles, some of which keep repeated mentions: the groups add up to the corpus.
#[test]
fn groups_add_up_to_the_corpus() {
    let metrics = METRICS.iter().map(Metric::new).filter(|metric| metric.mention_share().is_some());
    let ids: Vec<&str> = metrics.map(|metric| metric.spec().id).collect();
    let sum_up = |sides: [&[Vec<u32>]; 2], profile: &str| {
        let documents = (document("key", sides[0], true), document("response", sides[1], true));
        let key_has_types = sides[0].iter().flatten().any(|&mention| kind("key", mention).is_some());
        let repeats = |side: &[Vec<u32>]| {
            let mut all: Vec<u32> = side.iter().flatten().copied().collect();
            all.sort_unstable();
            all.windows(2).any(|two| two[0] == two[1])
        };
        let repeated = sides.into_iter().any(repeats);
        for by in GROUPS.iter().filter(|by| by.of_mentions().is_some() && !by.needs_layers()) {
            if by.id.ends_with("-type") && !key_has_types {
                continue;
            }
            let (report, _) = score((&documents.0, &documents.1), profile, &ids, by.id);
            for whole in &report.results {
                // Each copy of a mention counts in its group, but only once in the corpus.
                if repeated && whole.metric.spec().id == "mentions" {
                    continue;
                }
                // Links are a set there, so that mentions have no separate shares.
                if repeated && profile == "conll" && whole.metric.spec().id == "blanc" {
                    continue;
                }
                let of_metric = |result: &MetricResult| result.metric == whole.metric;
                let parts =
                    report.documents.iter().filter_map(|group| group.results.into_iter().find(of_metric));
                let exact = |tally: &Option<corefeval_core::tally::Tally>| {
                    adaptor::exact(tally.as_ref().expect("it has counts")).expect("it is small")
                };
                let sum = parts.fold(Tally::default(), |sum, part| sum.plus(&exact(&part.tally)));
                let wanted = exact(&whole.tally);
                assert_eq!(sum, wanted, "{} by {} under {profile}: {sides:?}", whole.metric, by.id);
            }
        }
    };
    check(300, pairs(), |pair| sum_up([&pair.key, &pair.response], "conll"));
    check(300, untidy_pairs(), |pair| {
        for profile in ["conll", "coval", "corefud", "e2e"] {
            sum_up([&pair.key, &pair.response], profile);
        }
    });
}

fn read(text: &str, format: &str) -> corefeval_core::model::Corpus {
    let options = ReadOptions::with_layers();
    FormatSpec::named(format).expect("a format").read(text.as_bytes(), "x", options).expect("it is right")
}

/// Key {a b c} {d e}, response {a b} {c d e}: each group's F1 by hand.
#[test]
fn by_hand() {
    let key = document("key", &[vec![0, 1, 2], vec![3, 4]], false);
    let response = document("response", &[vec![0, 1], vec![2, 3, 4]], false);
    let (report, _) = score((&key, &response), "conll", &["muc", "b_cubed", "lea"], "entity-size");
    let found = counts(&report);
    // The key's pair d e is found whole: one link of one, B³ 2 of 2; of its three, one link of two, and B³ 2/3 + 2/3 + 1/3.
    // The response's pair a b is right; of its three, one link of two, and 1/3 + 2/3 + 2/3.
    let four = |group: &str, id: &str| {
        let counts = &found[&(group.to_owned(), id.to_owned())].first;
        [&counts.recall_num, &counts.recall_den, &counts.precision_num, &counts.precision_den]
            .map(ToString::to_string)
    };
    assert_eq!(four("2 mentions", "muc"), ["1", "1", "1", "1"]);
    assert_eq!(four("3 to 4 mentions", "muc"), ["1", "2", "1", "2"]);
    assert_eq!(four("2 mentions", "b_cubed"), ["2", "2", "2", "2"]);
    assert_eq!(four("3 to 4 mentions", "b_cubed"), ["5/3", "3", "5/3", "3"]);
    assert_eq!(four("2 mentions", "lea"), ["2", "2", "2", "2"]);
    assert_eq!(four("3 to 4 mentions", "lea"), ["1", "3", "1", "3"]);
    // By distance: a mention starts at twice its number, and a sentence has five words. Key: a, d first; b in a's
    // sentence, c in it too (words 0, 2, 4); e (8) in that of d (6).
    let (report, _) = score((&key, &response), "conll", &["mentions"], "distance");
    let groups: Vec<String> = report.documents.ids().collect();
    assert_eq!(groups, ["first mention", "same sentence", "1 sentence"]);
    let found = counts(&report);
    let counts = |group: &str| {
        let counts = &found[&(group.to_owned(), "mentions".to_owned())].first;
        [&counts.recall_den, &counts.precision_den].map(ToString::to_string)
    };
    assert_eq!(counts("first mention"), ["2", "2"]);
    assert_eq!(counts("same sentence"), ["3", "2"]);
    // In the response d (6) is one sentence from c (4).
    assert_eq!(counts("1 sentence"), ["0", "1"]);
}

#[test]
fn heads_have_a_part_of_speech_in_either_file() {
    let text = |tags: [&str; 6], ids: [&str; 6]| {
        let words = ["She", "sold", "the", "boats", "of", "Oslo"];
        let rows = words.iter().zip(tags).zip(ids).enumerate().map(|(place, ((word, tag), id))| {
            format!("d\t0\t{place}\t{word}\t{tag}\t-\t-\t-\t-\t-\t*\t{id}\n")
        });
        format!("#begin document (d); part 000\n{}\n#end document\n", rows.collect::<String>())
    };
    let tags = ["PRP", "VBD", "DT", "NNS", "IN", "NNP"];
    let key = read(&text(tags, ["(1)", "-", "(2", "-", "-", "2)|(1)"]), "conll");
    let response = read(&text(["-"; 6], ["(1)", "(3)", "-", "-", "-", "(1)"]), "conll");
    let mut diagnostics = Diagnostics::default();
    let pairs = pairing::pair(&key, &response, &mut diagnostics).expect("the same documents");
    let (report, _) = score((pairs[0].key, &response.documents[0]), "conll", &["mentions"], "part-of-speech");
    let found = counts(&report);
    let counts = |group: &str| {
        let counts = &found[&(group.to_owned(), "mentions".to_owned())].first;
        [&counts.recall_num, &counts.recall_den, &counts.precision_num, &counts.precision_den]
            .map(ToString::to_string)
    };
    // The boats of Oslo are boats.
    assert_eq!(counts("noun"), ["0", "1", "0", "0"]);
    assert_eq!(counts("pronoun"), ["1", "1", "1", "1"]);
    assert_eq!(counts("name"), ["1", "1", "1", "1"]);
    assert_eq!(counts("verb"), ["0", "0", "0", "1"]);
}

#[test]
fn a_response_without_types_has_the_groups_of_the_key() {
    let key = document("key", &[vec![0, 2], vec![3]], true);
    let response = document("response", &[vec![0, 2, 5]], false);
    let (report, diagnostics) = score((&key, &response), "conll", &["mentions"], "mention-type");
    assert!(diagnostics.groups().iter().any(|group| group.code == Code::GroupsOfKey), "{diagnostics:?}");
    let found = counts(&report);
    let none = &found[&("(none)".to_owned(), "mentions".to_owned())].first;
    assert_eq!(none.precision_den.to_string(), "1", "mentions that the key lacks have no group");
    assert!(none.recall_den.to_string() == "0");
}

#[test]
fn metrics_without_scores_by_group_cause_warnings() {
    let key = document("key", &[vec![0, 1, 2]], true);
    let task = |ids: &[&str], by: &str| Task {
        settings: Settings::of(Profile::named("conll").expect("a profile")),
        metrics: ids.iter().map(|id| Metric::parse(id).expect("a metric")).collect(),
        by: Some(By::named(by).expect("groups")),
        threads: 1,
    };
    let pair = [DocumentPair { key: &key, response: Some(&key) }];
    let mut diagnostics = Diagnostics::default();
    let report = score_documents(&pair, &task(&["adjusted_rand", "conll"], "entity-size"), &mut diagnostics);
    let report = report.expect("CoNLL has scores by group");
    assert_eq!((report.results.len(), report.documents.get(0).expect("a group").results.len()), (2, 1));
    assert!(diagnostics.groups().iter().any(|group| group.code == Code::MetricWithoutGroups));
    let error = score_documents(&pair, &task(&["adjusted_rand"], "entity-size"), &mut diagnostics);
    assert!(error.is_err_and(|error| error.remedy().is_some_and(|hint| hint.contains("b_cubed"))));
    let bare = document("key", &[vec![0, 1, 2]], false);
    let pair = [DocumentPair { key: &bare, response: Some(&key) }];
    let error = score_documents(&pair, &task(&["muc"], "entity-type"), &mut diagnostics);
    assert!(error.is_err_and(|error| error.to_string().contains("has no entity-type")));
}
