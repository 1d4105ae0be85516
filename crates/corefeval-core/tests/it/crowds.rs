//! Mentions with very many candidates. Limits on time and memory are reported, and the nearest mentions are still
//! considered.

use std::collections::BTreeSet;
use std::sync::Arc;

use corefeval_core::diagnostic::{Code, Diagnostics};
use corefeval_core::matching::{Alignment, align};
use corefeval_core::model::{
    Dependency, Document, DocumentBuilder, DocumentId, EntityId, Mention, Span, WordsBuilder,
};
use corefeval_core::profiles::Profile;
use corefeval_core::selection::select;
use corefeval_core::settings::Settings;

/// Makes a text of `count` words, with mentions of one entity: first word, one past the last, and head.
fn document(count: u32, mentions: impl IntoIterator<Item = (u32, u32, u32)>) -> Document {
    let mut words = WordsBuilder::new(false);
    (0..count).for_each(|word| _ = words.push(&word.to_le_bytes()));
    let mut document = builder();
    for (start, end, head) in mentions {
        let span = Span::new(start, end).expect("a mention has words");
        document.mentions.push(Mention::new(span, EntityId::new(0), 1, 1).with_head(head));
    }
    document.finish(words.finish()).expect("a document")
}

/// Makes three words followed by empty nodes that depend on the first of them, one by each of the given relations; each node is a
/// mention of one entity.
fn zeros<'r>(nodes: impl IntoIterator<Item = &'r [&'r str]>) -> Document {
    let mut words = WordsBuilder::new(false);
    let text: Vec<u32> = (0..3_u8).map(|word| words.push(&[word])).collect();
    let mut document = builder();
    let relations: Vec<&[&str]> = nodes.into_iter().collect();
    let nodes: Vec<u32> = relations.iter().map(|_| words.push_empty_node()).collect();
    for (&node, relations) in nodes.iter().zip(relations) {
        for (&word, &relation) in text.iter().zip(relations) {
            words.push_dependency(Dependency { word: node, parent: Some(word), relation: relation.into() });
        }
        let span = Span::new(node, node + 1).expect("a word");
        document.mentions.push(Mention::new(span, EntityId::new(0), 1, 1).with_head(node));
    }
    document.finish(words.finish()).expect("a document")
}

const SUBJECT: &[&str] = &["nsubj"];
const OBJECT: &[&str] = &["obj"];

fn builder() -> DocumentBuilder {
    let mut document = DocumentBuilder::new(DocumentId::new("d"), Arc::from("d"), 1);
    document.entities = vec!["a".into()];
    document
}

/// Returns the alignment, and the number of mentions with too many candidates.
fn aligned(key: &Document, response: &Document, choices: &[(&str, &str)]) -> (Alignment, u64) {
    let mut settings = Settings::of(Profile::named("corefud").expect("a profile"));
    for (name, value) in [&[("singletons", "keep"), ("zeros", "keep")], choices].concat() {
        settings.set(name, value).expect("an option");
    }
    let mut found = Diagnostics::default();
    let sides = [key, response].map(|side| select(side, key, &settings, &mut found));
    let [ours, theirs] = sides;
    let alignment = align((key, ours), (response, theirs), &settings, true, &mut found);
    let crowds = found.groups().iter().filter(|one| one.code == Code::ManyCandidates).map(|one| one.count);
    (alignment, crowds.sum())
}

/// Returns the places in the documents of the paired mentions.
fn pairs((alignment, crowds): (Alignment, u64)) -> (BTreeSet<(u32, u32)>, u64) {
    let place = |&(ours, theirs): &(u32, u32)| {
        (alignment.key.mentions[ours as usize].mention, alignment.response.mentions[theirs as usize].mention)
    };
    (alignment.pairs.iter().map(place).collect(), crowds)
}

/// The longest of the nested mentions is the last in document order. Up to 256 candidates are all considered; if there are
/// more, only the 64 that share the most words.
#[test]
fn the_best_of_many_mentions_is_found_and_more_than_256_are_reported() {
    let key = document(600, [(0, 600, 0)]);
    for rule in ["head", "overlap", "partial"] {
        for (many, reported) in [(2, 0), (255, 0), (256, 0), (257, 1), (500, 1)] {
            let response = document(600, (1..=many).map(|end| (0, end, 0)));
            let found = pairs(aligned(&key, &response, &[("match", rule)]));
            assert_eq!(found, (BTreeSet::from([(0, many - 1)]), reported), "{rule}, {many} mentions");
        }
    }
}

/// If a mention has more than 1,024 candidates, those that start near it are considered. All mentions before it contain all
/// of its words, so the first candidate is selected; those after it share fewer.
#[test]
fn the_nearest_of_very_many_mentions_are_considered() {
    let count = 3_000;
    for (rule, first) in [("head", 988), ("overlap", 1_499)] {
        let key = document(count, [(1_500, count, count - 1)]);
        let crowd = (0..count).filter(|&start| start != 1_500).map(|start| (start, count, count - 1));
        let response = document(count, crowd);
        let (found, reported) = pairs(aligned(&key, &response, &[("match", rule)]));
        assert_eq!((found, reported), (BTreeSet::from([(0, first)]), 1), "{rule}");
    }
    // Parts of the mention that contain its head and start with it: the longest comes next.
    let key = document(count, [(0, 1_500, 0)]);
    let response = document(count, (1..count).filter(|&end| end != 1_500).map(|end| (0, end, 0)));
    let (found, reported) = pairs(aligned(&key, &response, &[("match", "partial")]));
    assert_eq!((found, reported), (BTreeSet::from([(0, 1_498)]), 1));
}

/// The last zero has the relation of the key's. Earlier zeros have another relation, or the same one to two more words
///.
#[test]
fn the_best_of_many_zeros_is_found_and_more_than_256_are_reported() {
    let dependent = [("zero-match", "dependent")];
    for other in [SUBJECT, &["obj", "obj", "obj"]] {
        let others = |many: usize| (1..many).map(|_| other).chain([OBJECT]);
        for (many, reported) in [(2, 0), (256, 0), (257, 1), (600, 1)] {
            let (found, crowds) = pairs(aligned(&zeros([OBJECT]), &zeros(others(many)), &dependent));
            assert_eq!((found, crowds), (BTreeSet::from([(0, many as u32 - 1)]), reported), "{many} zeros");
        }
        // Each of two zeros has separate candidates.
        let (found, crowds) = pairs(aligned(&zeros([OBJECT, OBJECT]), &zeros(others(200)), &dependent));
        assert_eq!((found.len(), crowds), (2, 0));
        let (_, crowds) = aligned(&zeros([OBJECT, OBJECT]), &zeros(others(300)), &dependent);
        assert_eq!(crowds, 2);
    }
}

/// The response zeros nearest to the key's are considered: of 3,000, the 989th and all later ones.
#[test]
fn the_nearest_of_very_many_zeros_are_considered() {
    let mut key = zeros((0..1_500).map(|_| SUBJECT).chain([OBJECT]));
    key = only_last(&key);
    let response =
        zeros((0..3_000).map(|place| if [10, 987, 988].contains(&place) { OBJECT } else { SUBJECT }));
    let (found, reported) = pairs(aligned(&key, &response, &[("zero-match", "dependent")]));
    assert_eq!((found, reported), (BTreeSet::from([(0, 988)]), 1));
}

/// Returns the words of a document with only its last mention.
fn only_last(document: &Document) -> Document {
    let mut last = builder();
    last.mentions.extend(document.mentions().last().cloned());
    last.finish(document.words().clone()).expect("a document")
}

/// The two mentions that share all words are paired, and no remaining mention shares a word with the other one.
#[test]
fn mentions_that_share_no_word_are_not_paired() {
    let key = document(100, [(0, 99, 0), (50, 60, 50)]);
    let response = document(100, [(0, 100, 0), (10, 11, 10)]);
    assert_eq!(pairs(aligned(&key, &response, &[("match", "overlap")])).0, BTreeSet::from([(0, 0)]));
    // One head, outside of both.
    let (key, response) = (document(100, [(0, 2, 5)]), document(100, [(7, 9, 5)]));
    assert_eq!(pairs(aligned(&key, &response, &[("match", "head")])).0, BTreeSet::new());
}

/// A zero is paired with nothing if the other side has no zeros.
#[test]
fn zeros_of_one_side_only_have_no_partner() {
    let dependent = [("zero-match", "dependent")];
    let text = document(1, [(0, 1, 0)]);
    for (key, response) in [(&zeros([OBJECT]), &text), (&text, &zeros([OBJECT]))] {
        assert_eq!(pairs(aligned(key, response, &dependent)), (BTreeSet::new(), 0));
    }
}
