//! Matching by head, by partial overlap and of zeros agrees with a plain twin on thousands of random
//! documents, and so do the metrics of mentions.

use crate::matching_twin as twin;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::generators::{check, runs_of};
use corefeval_core::diagnostic::Diagnostics;
use corefeval_core::matching::align;
use corefeval_core::metrics::Metric;
use corefeval_core::model::{
    Dependency, Document, DocumentBuilder, DocumentId, EntityId, Mention, MentionDetails, Span, WordsBuilder,
};
use corefeval_core::overlap::AlignedPair;
use corefeval_core::profiles::Profile;
use corefeval_core::selection::select;
use corefeval_core::settings::Settings;
use corefeval_core::tally::Tally;
use proptest::collection::vec;
use proptest::prelude::*;

/// The number of words of the text in each of the two sentences.
const SENTENCE: u32 = 4;

/// The draft of a document. Numbers apply modulo the number of choices.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    /// Empty nodes: the number of words of the text before each, from 0 to 2 × SENTENCE, and its heads.
    pub(crate) empty_nodes: Vec<(u32, Vec<(u32, u8)>)>,
    /// Entity, words as bits, head.
    pub(crate) mentions: Vec<(u32, u32, u32)>,
}

pub(crate) fn draft() -> impl Strategy<Value = Draft> {
    let node = (0..=2 * SENTENCE, vec((0..2 * SENTENCE, 0..2u8), 0..3));
    // Places are near, so that mentions of both sides overlap.
    let mention = (0..3u32, (0..10u32, 1..16u32).prop_map(|(by, bits)| bits << by), 0..4u32);
    (vec(node, 0..4), vec(mention, 0..6)).prop_map(|(empty_nodes, mentions)| Draft { empty_nodes, mentions })
}

pub(crate) fn document(draft: &Draft) -> Document {
    let mut words = WordsBuilder::new(false);
    let mut nodes = draft.empty_nodes.clone();
    nodes.sort_by_key(|node| node.0);
    let mut nodes = nodes.into_iter().peekable();
    let mut text = Vec::new();
    let mut dependencies = Vec::new();
    for word in 0..2 * SENTENCE {
        while let Some((_, own)) = nodes.next_if(|node| node.0 == word) {
            dependencies.push((words.push_empty_node(), own));
        }
        text.push(words.push(&[b'a' + word as u8]));
        if word + 1 == SENTENCE {
            words.end_sentence();
        }
    }
    for (_, own) in nodes {
        dependencies.push((words.push_empty_node(), own));
    }
    for (node, own) in dependencies {
        for (parent, relation) in own {
            let parent = Some(text[parent as usize]);
            let relation = if relation == 0 { "nsubj" } else { "obj" };
            words.push_dependency(Dependency { word: node, parent, relation: relation.into() });
        }
    }
    let words = words.finish();
    let mut document = DocumentBuilder::new(DocumentId::new("d"), Arc::from("d"), 1);
    document.entities = vec!["a".into(), "b".into(), "c".into()];
    for &(entity, bits, head) in &draft.mentions {
        let own: Vec<u32> = (0..words.count().min(32)).filter(|word| bits >> word & 1 == 1).collect();
        let (Some(&first), Some(&last)) = (own.first(), own.last()) else { continue };
        let parts = runs_of(&own);
        let span = Span::new(first, last + 1).expect("first before last");
        let mut mention = Mention::new(span, EntityId::new(entity as usize), 1, 1);
        mention = mention.with_head(own[head as usize % own.len()]);
        if parts.len() > 1 {
            let details = MentionDetails { parts, ..MentionDetails::default() };
            mention = mention.with_details(details).expect("parts are in order");
        }
        document.mentions.push(mention);
    }
    document.finish(words).unwrap()
}

pub(crate) fn settings(choices: &[(&str, &str)]) -> Settings {
    let mut settings = Settings::of(Profile::named("corefud").expect("a profile"));
    settings.set("singletons", "keep").expect("an option");
    for (name, value) in choices {
        settings.set(name, value).expect("an option");
    }
    settings
}

fn aligned(key: &Document, response: &Document, settings: &Settings) -> corefeval_core::matching::Alignment {
    let mut diagnostics = Diagnostics::default();
    let ours = select(key, key, settings, &mut diagnostics);
    let theirs = select(response, key, settings, &mut diagnostics);
    align((key, ours), (response, theirs), settings, true, &mut diagnostics)
}

#[test]
fn pairs_agree_with_the_twin() {
    for rule in ["exact", "head", "partial"] {
        for zeros in ["linear", "dependent"] {
            let settings = settings(&[("match", rule), ("zero-match", zeros)]);
            check(1500, (draft(), draft()), |(key, response)| {
                let (key, response) = (document(&key), document(&response));
                let alignment = aligned(&key, &response, &settings);
                let found: BTreeSet<_> = alignment
                    .pairs
                    .iter()
                    .map(|&(ours, theirs)| {
                        let ours = alignment.key.mentions[ours as usize].mention as usize;
                        let theirs = alignment.response.mentions[theirs as usize].mention as usize;
                        (twin::identity(&key, ours).words, twin::identity(&response, theirs).words)
                    })
                    .collect();
                assert_eq!(found, twin::pairs(&key, &response, &settings), "{rule}, {zeros}");
            });
        }
    }
}

/// Returns the counts of one metric: numerators and denominators of recall and precision.
fn counts(key: &Document, response: &Document, settings: &Settings, metric: &str) -> [i128; 4] {
    let pair = AlignedPair::new(aligned(key, response, settings));
    let mut tally = Tally::default();
    Metric::parse(metric).expect("a metric").tally(&pair, &mut tally);
    let first = tally.first;
    [first.recall_num, first.recall_den, first.precision_num, first.precision_den]
        .map(|sum| sum.to_integer().expect("whole counts"))
}

#[test]
fn mention_overlap_is_the_best_of_all_choices() {
    let settings = settings(&[]);
    check(1500, (draft(), draft()), |(key, response)| {
        let (key, response) = (document(&key), document(&response));
        let mentions = |document: &Document| -> Vec<BTreeSet<twin::Word>> {
            // Keeps one copy with the same words and head in each entity.
            let all = (0..document.mentions().len())
                .map(|place| (document.mentions()[place].entity(), twin::identity(document, place)));
            let distinct: BTreeSet<_> =
                all.map(|(entity, mention)| (entity, mention.head, mention.words)).collect();
            distinct.into_iter().map(|mention| mention.2).collect()
        };
        let (ours, theirs) = (mentions(&key), mentions(&response));
        fn most(ours: &[BTreeSet<twin::Word>], theirs: &[BTreeSet<twin::Word>]) -> usize {
            let Some((first, rest)) = ours.split_first() else { return 0 };
            let without = most(rest, theirs);
            let with = (0..theirs.len()).map(|place| {
                let mut others = theirs.to_vec();
                let other = others.remove(place);
                first.intersection(&other).count() + most(rest, &others)
            });
            with.chain([without]).max().unwrap_or(0)
        }
        let shared = most(&ours, &theirs) as i128;
        let words = |side: &[BTreeSet<twin::Word>]| side.iter().map(BTreeSet::len).sum::<usize>() as i128;
        let wanted = [shared, words(&ours), shared, words(&theirs)];
        assert_eq!(counts(&key, &response, &settings, "mention_overlap"), wanted);
    });
}

/// Keeps only one copy, because a mention in two entities may be the first of only one of them.
fn without_copies(draft: &mut Draft) {
    let words = 2 * SENTENCE + draft.empty_nodes.len() as u32;
    draft.mentions.iter_mut().for_each(|mention| mention.1 &= (1 << words) - 1);
    draft.mentions.sort_by_key(|mention| mention.1);
    draft.mentions.dedup_by_key(|mention| mention.1);
}

/// Anaphors and antecedents are found one by one.
#[test]
fn zero_anaphora_agrees_with_the_twin() {
    struct Zeros {
        /// The mentions of each entity, in the order of the document.
        entities: Vec<Vec<twin::Identity>>,
        zeros: BTreeSet<BTreeSet<twin::Word>>,
    }
    fn zeros(document: &Document) -> Zeros {
        let mut entities = vec![Vec::new(); document.entities().len()];
        let mut all: Vec<usize> = (0..document.mentions().len()).collect();
        // Zeros are sorted by the first word, the last word, and the number of words.
        all.sort_by_key(|&place| {
            let mention = &document.mentions()[place];
            (mention.span().start(), mention.span().end(), mention.word_count())
        });
        let mut zeros = BTreeSet::new();
        for place in all {
            let (mention, identity) = (&document.mentions()[place], twin::identity(document, place));
            if document.words().is_empty_node(mention.head().expect("it has a head")) {
                zeros.insert(identity.words.clone());
            }
            entities[mention.entity().index()].push(identity);
        }
        Zeros { entities, zeros }
    }
    let settings = settings(&[("match", "exact"), ("zero-match", "linear")]);
    let mut found = BTreeSet::new();
    let seen = std::cell::RefCell::new(&mut found);
    check(3000, (draft(), draft()), |(mut ours, mut theirs)| {
        // Both sides have the same empty nodes, so that zeros correspond.
        theirs.empty_nodes.clone_from(&ours.empty_nodes);
        without_copies(&mut ours);
        without_copies(&mut theirs);
        let documents = (document(&ours), document(&theirs));
        let (key, response) = (zeros(&documents.0), zeros(&documents.1));
        // Returns the entity of a response mention, and whether the mention is its first.
        let place = |words: &BTreeSet<twin::Word>| {
            let entities = response.entities.iter().enumerate();
            let mut all = entities.flat_map(|(entity, mentions)| {
                mentions.iter().enumerate().map(move |(place, mention)| (entity, place == 0, mention))
            });
            all.find(|found| found.2.words == *words).map(|found| (found.0, found.1))
        };
        let (mut correct, mut wrong_link, mut missing) = (0, 0, 0);
        let mut anaphors = BTreeSet::new();
        for entity in &key.entities {
            for (number, mention) in entity.iter().enumerate().skip(1) {
                if !key.zeros.contains(&mention.words) {
                    continue;
                }
                anaphors.insert(mention.words.clone());
                let with = |entity: usize| {
                    entity_of_earlier(&place, &key.entities, mention, number).contains(&entity)
                };
                match place(&mention.words) {
                    None | Some((_, true)) => missing += 1,
                    Some((entity, false)) if with(entity) => correct += 1,
                    Some((_, false)) => wrong_link += 1,
                }
            }
        }
        let theirs = response.entities.iter().flat_map(|entity| entity.iter().skip(1));
        let spurious = theirs
            .filter(|mention| response.zeros.contains(&mention.words) && !anaphors.contains(&mention.words));
        let spurious = spurious.count() as i128;
        let wanted = [correct, correct + wrong_link + missing, correct, correct + wrong_link + spurious];
        assert_eq!(counts(&documents.0, &documents.1, &settings, "zero_anaphora"), wanted);
        for (what, number) in
            [("correct", correct), ("wrong link", wrong_link), ("missing", missing), ("spurious", spurious)]
        {
            if number > 0 {
                seen.borrow_mut().insert(what);
            }
        }
    });
    assert_eq!(found.len(), 4, "every kind occurs: {found:?}");
}

/// Returns the response entities of the mentions that come before one in its key entity.
fn entity_of_earlier(
    place: &impl Fn(&BTreeSet<twin::Word>) -> Option<(usize, bool)>,
    entities: &[Vec<twin::Identity>],
    mention: &twin::Identity,
    number: usize,
) -> Vec<usize> {
    let entity = entities.iter().find(|entity| entity.get(number) == Some(mention));
    let earlier = entity.into_iter().flat_map(|entity| &entity[..number]);
    earlier.filter_map(|mention| place(&mention.words).map(|found| found.0)).collect()
}

#[test]
fn a_perfect_response_resolves_every_zero() {
    let settings = settings(&[("match", "exact")]);
    check(500, draft(), |mut draft| {
        without_copies(&mut draft);
        let key = document(&draft);
        let [found, to_find, right, given] = counts(&key, &key, &settings, "zero_anaphora");
        assert!(right == given && found == to_find);
    });
}

#[test]
fn key_and_response_exchanged_exchange_recall_and_precision() {
    let settings = settings(&[("match", "exact"), ("zero-match", "linear")]);
    check(500, (draft(), draft()), |(key, response)| {
        let (key, response) = (document(&key), document(&response));
        let [a, b, c, d] = counts(&key, &response, &settings, "mention_overlap");
        let [e, f, g, h] = counts(&response, &key, &settings, "mention_overlap");
        assert_eq!([a, b, c, d], [g, h, e, f]);
    });
}

/// Mentions without heads match by their words.
#[test]
fn mentions_without_heads_match_by_their_words() {
    let document = |mentions: &[(u32, u32, Option<u32>)]| {
        let mut words = WordsBuilder::new(false);
        (0..6u8).for_each(|word| _ = words.push(&[word]));
        let mut document = DocumentBuilder::new(DocumentId::new("d"), Arc::from("d"), 1);
        document.entities = vec!["a".into()];
        for &(start, end, head) in mentions {
            let mention = Mention::new(Span::new(start, end).expect("words"), EntityId::new(0), 1, 1);
            document.mentions.push(head.map_or(mention.clone(), |head| mention.with_head(head)));
        }
        document.finish(words.finish()).unwrap()
    };
    let key = document(&[(0, 2, Some(1)), (3, 4, Some(3)), (4, 6, Some(5))]);
    let settings = settings(&[("match", "head")]);
    for (response, pairs) in [
        (document(&[(0, 2, None), (3, 4, None), (5, 6, None)]), 2),
        (document(&[(0, 2, None), (3, 4, None), (5, 6, Some(5))]), 3),
        // Mentions with the same words and different heads are different mentions.
        (document(&[(0, 2, Some(0)), (0, 2, None)]), 1),
    ] {
        assert_eq!(aligned(&key, &response, &settings).pairs.len(), pairs);
        assert_eq!(aligned(&response, &key, &settings).pairs.len(), pairs);
    }
}
