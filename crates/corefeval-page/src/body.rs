//! The largest parts of a page: the texts of documents and the rows of errors.
//!
//! They are serialized directly, because a tree of JSON values takes longer to build than to write and compress.

use std::borrow::Cow;

use corefeval_core::analysis::{
    DocumentView, EntityView, MentionView, ResponseView, SideView, WordsAre, ZeroView,
};
use serde::Serialize;

/// The text and annotation of a document.
#[derive(Serialize)]
pub(super) struct Body<'d> {
    words: &'d [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    words_are: Option<&'static str>,
    sentences: &'d [u32],
    key: BodySide<'d>,
    responses: Vec<Option<Response<'d>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'static str>,
    direction: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    zeros: Vec<BodyZero<'d>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    speakers: &'d [Option<String>],
}

#[derive(Serialize)]
struct BodySide<'d> {
    mentions: Vec<BodyMention<'d>>,
    entities: Vec<BodyEntity<'d>>,
}

#[derive(Serialize)]
struct Response<'d> {
    mentions: Vec<BodyMention<'d>>,
    entities: Vec<BodyEntity<'d>>,
    matches: &'d [[u32; 2]],
}

#[derive(Serialize)]
struct BodyEntity<'d> {
    name: &'d str,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    entity_type: Option<&'d str>,
    label: &'d str,
}

#[derive(Serialize)]
struct BodyMention<'d> {
    spans: &'d [[u32; 2]],
    entity: u32,
    #[serde(rename = "type")]
    mention_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    head: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ignored: Option<&'static str>,
}

/// A word that is not in the text. Without `sides`, all sides have it.
#[derive(Serialize)]
struct BodyZero<'d> {
    word: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    sides: Option<&'d [u32]>,
}

impl<'d> From<&'d DocumentView> for Body<'d> {
    fn from(document: &'d DocumentView) -> Body<'d> {
        let sides = document.responses.iter().flatten().count() + 1;
        let zero = |zero: &'d ZeroView| BodyZero {
            word: zero.word,
            sides: (zero.sides.len() < sides).then_some(zero.sides.as_slice()),
        };
        let response = |response: &'d Option<ResponseView>| {
            let ResponseView { side, matches } = response.as_ref()?;
            let BodySide { mentions, entities } = BodySide::from(side);
            Some(Response { mentions, entities, matches })
        };
        Body {
            words: &document.words,
            words_are: match document.words_are {
                WordsAre::Words => None,
                WordsAre::Names => Some("names"),
                WordsAre::Positions => Some("positions"),
            },
            sentences: &document.sentences,
            key: BodySide::from(&document.key),
            responses: document.responses.iter().map(response).collect(),
            language: document.language,
            direction: if document.right_to_left { "rtl" } else { "ltr" },
            zeros: document.zeros.iter().map(zero).collect(),
            speakers: &document.speakers,
        }
    }
}

impl<'d> From<&'d SideView> for BodySide<'d> {
    fn from(side: &'d SideView) -> BodySide<'d> {
        let entity = |entity: &'d EntityView| BodyEntity {
            name: &entity.name,
            entity_type: entity.entity_type.as_deref(),
            label: &entity.label,
        };
        let mention = |mention: &'d MentionView| BodyMention {
            // A mention without words is at the start, where it is not visible.
            spans: if mention.spans.is_empty() { &[[0, 0]] } else { &mention.spans },
            entity: mention.entity,
            mention_type: mention.mention_type.id(),
            head: mention.head,
            ignored: mention.ignored,
        };
        BodySide {
            mentions: side.mentions.iter().map(mention).collect(),
            entities: side.entities.iter().map(entity).collect(),
        }
    }
}

/// The row of an error.
#[derive(Serialize)]
pub(super) struct BodyError<'d> {
    pub(super) system: usize,
    pub(super) document: u32,
    pub(super) kind: &'static str,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(super) mention_type: Option<&'static str>,
    pub(super) sentence: u32,
    /// Its mentions of the key and of the response, and the mentions that its part is compared with, as indices into the
    /// document's view.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) key: Vec<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) response: Vec<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) entity: Vec<u32>,
    /// The number of its mentions, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) count: Option<u32>,
    /// True if all systems make this error, otherwise `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) shared: Option<bool>,
    /// The number of systems that make this error, if errors of its kind are compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) made_by: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) distance: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) other_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<Cow<'d, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) other: Option<Cow<'d, str>>,
    /// The words of both mentions, if the page has no text.
    /// The heads of a span error whose words are the same on both sides: the response's and the key's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) heads: Option<[&'d str; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) words: Option<[u32; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) other_words: Option<[u32; 2]>,
}
