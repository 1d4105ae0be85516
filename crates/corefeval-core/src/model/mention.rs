//! One mention of an entity.

use super::{EntityId, Span};

/// The name of the attribute with the type of a mention's entity (`person`, `PER`), as written in the file.
pub const ENTITY_TYPE: &str = "entity-type";

/// The name of the attribute with the type of a mention (`NAM`, `PRON`, `new`), as written in the file.
pub const MENTION_TYPE: &str = "mention-type";

/// The name of the attribute of optional mentions. Its value [`OPTIONAL`] means that a response may lack the mention.
pub const STATUS: &str = "status";

/// The value of [`STATUS`] for a mention that a response may lack, as MUC writes it.
pub const OPTIONAL: &str = "OPT";

/// A mention: a set of words, its entity, and its place in the file.
///
/// Nearly all mentions are runs of neighbouring words, which `span` describes completely. Properties that
/// only some formats have (discontinuous parts, minimum span, attributes) are stored separately, so that
/// a mention stays small.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub struct Mention {
    span: Span,
    entity: EntityId,
    line: u32,
    column: u32,
    /// The head word, or `NONE`.
    head: u32,
    details: Option<Box<MentionDetails>>,
}

const NONE: u32 = u32::MAX;

/// Details of a mention that only some formats have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub struct MentionDetails {
    /// The runs of words of a discontinuous mention, in order, with a gap between any two. Empty
    /// for a contiguous mention.
    pub parts: Vec<Span>,
    /// The minimum span that a response must contain, if the format has one.
    pub min_span: Vec<Span>,
    /// True if the mention has no words, because the file opens it without closing it. Such a mention still counts.
    pub without_words: bool,
    /// Other attributes by name, in the order of the file. The attributes that breakdowns use have the same
    /// names in every format: [`ENTITY_TYPE`], [`MENTION_TYPE`].
    pub attributes: Vec<(String, String)>,
}

impl Mention {
    /// Creates a contiguous mention. `line` and `column`, from 1, are the place where its annotation opens.
    pub fn new(span: Span, entity: EntityId, line: u32, column: u32) -> Mention {
        Mention { span, entity, line, column, head: NONE, details: None }
    }

    /// Creates a mention without words, which opens at `word`. All mentions without words count as the same mention.
    pub fn without_words(word: u32, entity: EntityId, line: u32, column: u32) -> Mention {
        let details = MentionDetails { without_words: true, ..MentionDetails::default() };
        let mention = Mention::new(Span::word(word), entity, line, column);
        Mention { details: Some(Box::new(details)), ..mention }
    }

    /// Returns the mention with a head word, counted over the document.
    #[must_use]
    pub fn with_head(mut self, head: u32) -> Mention {
        self.head = head;
        self
    }

    /// Returns the mention with `details`. Returns `None` if the parts are out of order, touch each other, or do not
    /// start and end with the span.
    pub fn with_details(mut self, details: MentionDetails) -> Option<Mention> {
        if let (Some(first), Some(last)) = (details.parts.first(), details.parts.last()) {
            let apart = details.parts.windows(2).all(|pair| pair[0].end() < pair[1].start());
            if !apart || first.start() != self.span.start() || last.end() != self.span.end() {
                return None;
            }
        }
        self.details = Some(Box::new(details));
        Some(self)
    }

    /// Returns the mention with a contiguous minimum span, or `None` if that span does not lie within the mention.
    pub fn with_min_span(mut self, min_span: Span) -> Option<Mention> {
        if min_span.start() < self.span.start() || min_span.end() > self.span.end() {
            return None;
        }
        self.details.get_or_insert_default().min_span = vec![min_span];
        Some(self)
    }

    /// Returns the span from the first word to the last. It covers exactly the mention's words unless
    /// [`parts`](Self::parts) has gaps.
    pub fn span(&self) -> Span {
        self.span
    }

    /// Returns the entity that it belongs to.
    pub fn entity(&self) -> EntityId {
        self.entity
    }

    /// Returns the line of the file where its annotation opens, from 1.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// Returns the column (in bytes, from 1) where its annotation opens.
    pub fn column(&self) -> u32 {
        self.column
    }

    /// Returns the head word, counted over the document, if the format has heads.
    pub fn head(&self) -> Option<u32> {
        (self.head != NONE).then_some(self.head)
    }

    /// Returns its number of words.
    pub fn word_count(&self) -> u32 {
        self.parts().iter().map(|part| part.len()).sum()
    }

    /// Returns the details that only some formats have.
    pub fn details(&self) -> Option<&MentionDetails> {
        self.details.as_deref()
    }

    /// Returns the names and values of its attributes.
    pub fn attributes(&self) -> &[(String, String)] {
        self.details().map_or(&[], |details| &details.attributes)
    }

    /// Returns whether a response may lack it (see [`STATUS`]).
    pub fn is_optional(&self) -> bool {
        self.attributes().iter().any(|(name, value)| name == STATUS && value == OPTIONAL)
    }

    /// Returns the value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes().iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Returns the runs of words: one for a contiguous mention, none for a mention without words.
    pub fn parts(&self) -> &[Span] {
        match self.details.as_deref() {
            Some(details) if details.without_words => &[],
            Some(details) if !details.parts.is_empty() => &details.parts,
            _ => std::slice::from_ref(&self.span),
        }
    }

    /// Returns whether the mention, its head and its minimum span lie within a text of `words` words.
    #[inline]
    pub(super) fn lies_within(&self, words: u32) -> bool {
        let details = || {
            self.details
                .as_ref()
                .is_none_or(|details| details.min_span.iter().all(|span| span.end() <= words))
        };
        self.span.end() <= words && (self.head == NONE || self.head < words) && details()
    }

    /// Returns whether the mention is valid in a text of `words` words. This check is for mentions from other sources.
    #[cfg(feature = "state")]
    pub(super) fn is_whole(&self, words: u32) -> bool {
        let details = self.details.clone().unwrap_or_default();
        let mut spans = details.parts.iter().chain(&details.min_span).chain([&self.span]);
        let again = Mention::new(self.span, self.entity, self.line, self.column);
        spans.all(|span| span.start() < span.end() && span.end() <= words)
            && (self.head == NONE || self.head < words)
            && again.with_details(*details.clone()).is_some()
    }

    /// Returns whether both mentions are the same set of words.
    pub fn same_words(&self, other: &Mention) -> bool {
        self.parts() == other.parts()
    }

    /// Returns the mention moved by `by` words. `entities` gives the new number of each entity.
    pub(crate) fn moved(&self, by: u32, entities: &[EntityId]) -> Mention {
        let mut moved = self.clone();
        moved.span = self.span.moved(by);
        moved.entity = entities[self.entity.index()];
        if let Some(details) = moved.details.as_deref_mut() {
            details.parts.iter_mut().chain(&mut details.min_span).for_each(|span| *span = span.moved(by));
        }
        moved.head = self.head().map_or(NONE, |head| head + by);
        moved
    }

    /// Moves the mention to another entity; for readers that merge entity names late.
    pub(crate) fn set_entity(&mut self, entity: EntityId) {
        self.entity = entity;
    }
}
