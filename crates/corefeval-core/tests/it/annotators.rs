//! α does not depend on the order of the annotators, and is 1 where they agree: for every matching rule and every
//! rule for repeated mentions.

use std::sync::Arc;

use crate::generators::{check, runs_of};
use corefeval_core::agreement::{Agreement, agreement, count_document};
use corefeval_core::diagnostic::Diagnostics;
use corefeval_core::error::{ErrorKind, Result};
use corefeval_core::model::{
    Dependency, Document, DocumentBuilder, DocumentId, EntityId, Mention, MentionDetails, OPTIONAL, STATUS,
    Span, WordsBuilder,
};
use corefeval_core::profiles::Profile;
use corefeval_core::settings::Settings;
use corefeval_core::significance::{Method, ResamplingUnits};
use proptest::collection::vec;
use proptest::prelude::*;

/// The number of words in each of the two sentences.
const SENTENCE: u32 = 4;

/// Two parses of a sentence: annotators may have different ones, or none.
const PARSES: [[&str; 4]; 2] =
    [["(S(NP(NP*", "*)", "(PP*", "*)))"], ["(S(NP*)", "(VP*", "(NP(NP*)", "(NP*))))"]];

/// The annotation of one annotator. Numbers apply modulo the number of choices.
#[derive(Clone, Debug)]
struct Draft {
    /// None, or one of [`PARSES`].
    parse: usize,
    /// The words that empty nodes follow, and the words that these nodes depend on.
    empty_nodes: Vec<(u32, u32)>,
    /// Entity, words as bits, head, first word of the minimum span, whether it is optional.
    mentions: Vec<(u32, u32, u32, u32, bool)>,
}

fn draft() -> impl Strategy<Value = Draft> {
    let bits = (0..7u32, 1..16u32).prop_map(|(by, bits)| bits << by);
    let mention = (0..3u32, bits, 0..4u32, 0..4u32, any::<bool>());
    let node = (0..2 * SENTENCE, 0..2 * SENTENCE);
    (0..3usize, vec(node, 0..3), vec(mention, 0..7)).prop_map(|(parse, empty_nodes, mentions)| Draft {
        parse,
        empty_nodes,
        mentions,
    })
}

fn document(id: &str, draft: &Draft) -> Document {
    let mut words = WordsBuilder::new(true);
    let mut dependencies = Vec::new();
    for word in 0..2 * SENTENCE {
        let form = [b'a' + word as u8];
        words.push(&form);
        let own = draft.empty_nodes.iter().filter(|node| node.0 == word);
        let layers = words.layers_mut().expect("they are kept");
        layers.form.push(std::str::from_utf8(&form).expect("a letter"));
        layers.part_of_speech.push("NN");
        layers.parse.push(match draft.parse {
            0 => "",
            parse => PARSES[parse - 1][(word % SENTENCE) as usize],
        });
        for &(_, parent) in own {
            dependencies.push((words.push_empty_node(), parent));
            let layers = words.layers_mut().expect("they are kept");
            layers.form.push("_");
            layers.part_of_speech.push("");
            layers.parse.push("");
        }
        if word + 1 == SENTENCE {
            words.end_sentence();
        }
    }
    for (word, parent) in dependencies {
        words.push_dependency(Dependency { word, parent: Some(parent), relation: "nsubj".into() });
    }
    let words = words.finish();
    let mut document = DocumentBuilder::new(DocumentId::new(id), Arc::from(id), 1);
    document.entities = vec!["a".into(), "b".into(), "c".into()];
    for &(entity, bits, head, minimum, optional) in &draft.mentions {
        let own: Vec<u32> = (0..words.count()).filter(|word| bits >> word & 1 == 1).collect();
        let (Some(&first), Some(&last)) = (own.first(), own.last()) else { continue };
        let mut parts = runs_of(&own);
        if parts.len() == 1 {
            parts.clear();
        }
        let span = Span::new(first, last + 1).expect("first before last");
        let min_span = match minimum {
            0 => Vec::new(),
            _ => vec![Span::word(own[minimum as usize % own.len()])],
        };
        let attributes = match optional {
            true => vec![(STATUS.to_owned(), OPTIONAL.to_owned())],
            false => Vec::new(),
        };
        let details = MentionDetails { parts, min_span, attributes, ..MentionDetails::default() };
        let mention = Mention::new(span, EntityId::new(entity as usize), 1, 1);
        let mention = mention.with_head(own[head as usize % own.len()]);
        document.mentions.push(mention.with_details(details).expect("parts are in order"));
    }
    document.finish(words).unwrap()
}

/// Returns settings with every rule that affects which mentions match, which are scored, and which copy is used.
fn all_settings() -> Vec<Settings> {
    let mut all = Vec::new();
    for matching in ["exact", "head", "partial", "craft", "min-span", "muc"] {
        for duplicates in ["first", "last", "distinct"] {
            for (number, singletons) in ["keep", "drop"].into_iter().enumerate() {
                let mut settings = Settings::of(Profile::named("corefud").expect("a profile"));
                let choices = [
                    ("match", matching),
                    ("duplicates", duplicates),
                    ("singletons", singletons),
                    ("optional", ["if-found", "count"][number]),
                    ("zero-match", ["dependent", "linear"][number]),
                    ("np-only", ["no", "yes"][number]),
                    ("remove-nested", ["no", "yes"][number]),
                ];
                for (name, value) in choices {
                    settings.set(name, value).expect("an option");
                }
                all.push(settings);
            }
        }
    }
    all
}

/// Returns the agreement of annotators, each with two documents.
fn agree(annotators: &[&[Document; 2]], settings: &Settings) -> Result<Agreement> {
    let of = |place: usize| {
        let documents: Vec<&Document> = annotators.iter().map(|documents| &documents[place]).collect();
        count_document(&documents, settings, &mut Diagnostics::default())
    };
    let method = Method { resamples: 20, ..Method::default() };
    Ok(agreement(&[of(0)?, of(1)?], &ResamplingUnits::single(2), annotators.len(), &method))
}

fn documents(drafts: &(Draft, Draft)) -> [Document; 2] {
    [document("x", &drafts.0), document("y", &drafts.1)]
}

#[test]
fn alpha_does_not_depend_on_the_order_of_annotators() {
    let settings = all_settings();
    let annotator = || (draft(), draft());
    check(100, (annotator(), annotator(), annotator()), |(a, b, c)| {
        let [a, b, c] = [documents(&a), documents(&b), documents(&c)];
        for settings in &settings {
            let same = |one: Result<Agreement>, other: Result<Agreement>| match (one, other) {
                (Ok(one), Ok(other)) => {
                    assert_eq!((one.units, one.common), (other.units, other.common), "{settings:?}");
                    assert_eq!(one.alphas, other.alphas, "{settings:?}");
                }
                // With three annotators a chain of pairs may lead back to another mention of the first.
                (Err(one), Err(other)) => {
                    assert_eq!([one.kind(), other.kind()], [ErrorKind::Pairing; 2], "{settings:?}");
                    assert!(one.position().is_some() && one.remedy().is_some());
                }
                (one, other) => panic!("{one:?} and {other:?}: {settings:?}"),
            };
            let two = agree(&[&a, &b], settings);
            assert!(two.is_ok(), "two annotators have no chains");
            same(two, agree(&[&b, &a], settings));
            for others in [[&a, &c, &b], [&b, &a, &c], [&b, &c, &a], [&c, &a, &b], [&c, &b, &a]] {
                same(agree(&[&a, &b, &c], settings), agree(&others, settings));
            }
        }
    });
}

#[test]
fn equal_annotators_agree_perfectly() {
    let settings = all_settings();
    check(300, (draft(), draft()), |drafts| {
        let one = documents(&drafts);
        for settings in &settings {
            for annotators in [&[&one, &one][..], &[&one, &one, &one]] {
                let found = agree(annotators, settings).expect("nothing to chain");
                assert_eq!(found.units, found.common, "{settings:?}");
                for alpha in &found.alphas {
                    assert!(alpha.value.is_none_or(|value| value == 1.0), "{settings:?}: {alpha:?}");
                    assert_eq!(alpha.observed, 0.0, "{settings:?}");
                }
            }
        }
    });
}
