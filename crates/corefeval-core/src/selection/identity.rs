//! The identity of mentions when they are compared by minimum spans.

use std::collections::BTreeSet;

use crate::model::{Document, Mention, Phrase, Span};
use crate::settings::Place;

/// The document with the parse that identifies the mentions of both sides: the key.
#[derive(Clone, Copy)]
pub(crate) struct KeyParse<'d> {
    pub(crate) key: &'d Document,
    /// How the words of a mention are found in the parse.
    pub(crate) place: Place,
}

impl<'d> KeyParse<'d> {
    /// Returns the tree of a mention of `document`, or `None` if its pieces of the parse do not form one.
    pub(crate) fn phrase_of(self, document: &Document, mention: &Mention) -> Option<Phrase<'d>> {
        Phrase::of(self.key.words().layers()?, self.span_of(document, mention.span())?)
    }

    /// Returns the words of the parse at the place of a span. `None` if places are counted within sentences and the
    /// sentence of the parse is too short.
    fn span_of(self, document: &Document, span: Span) -> Option<Span> {
        if self.place == Place::Document || std::ptr::eq(self.key, document) {
            return Some(span);
        }
        let sentence = document.words().sentence_of(span.last()) as usize;
        let [ours, theirs] = [self.key, document].map(|side| side.words().sentences());
        let (from, to) = (*theirs.get(sentence)?, *ours.get(sentence)?);
        let end = ours.get(sentence + 1).copied().unwrap_or(self.key.words().count());
        let moved = |word: u32| Some(to + word.checked_sub(from)?);
        Span::new(moved(span.start())?, moved(span.end())?.min(end + 1)).filter(|span| span.end() <= end)
    }
}

/// The identity of a mention: its sentence, and its minimum span or its words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Identity {
    sentence: u32,
    minimum: BTreeSet<(String, u32)>,
    /// The first word and the end of a mention without a tree.
    words: Option<(u32, u32)>,
}

impl Identity {
    /// Returns the identity of a mention of `document`.
    pub(crate) fn of(document: &Document, mention: &Mention, parsed: KeyParse<'_>) -> Identity {
        let span = mention.span();
        let sentence = document.words().sentence_of(span.last());
        let first_of =
            |side: &Document| side.words().sentences().get(sentence as usize).copied().unwrap_or(0);
        let Some(phrase) = parsed.phrase_of(document, mention) else {
            let first = if parsed.place == Place::Sentence { first_of(document) } else { 0 };
            let words = (span.start().wrapping_sub(first), span.end().wrapping_sub(first));
            return Identity { sentence, minimum: BTreeSet::new(), words: Some(words) };
        };
        // Words count from the start of the sentence. For a mention without valid words, they count from the mention's
        // own start.
        let first = first_of(parsed.key);
        let minimum = phrase.minimum_span().into_iter();
        let mut minimum: BTreeSet<(String, u32)> =
            minimum.map(|(form, word)| (form, word.wrapping_sub(first))).collect();
        if minimum.is_empty() {
            // If no word qualifies, all words identify the mention, by their place in it.
            let form =
                |word: u32| document.words().layers().and_then(|layers| layers.form.get(word as usize));
            let words = (0..).zip(span.start()..span.end());
            minimum = words.map(|(place, word)| (form(word).unwrap_or_default().to_owned(), place)).collect();
        }
        Identity { sentence, minimum, words: None }
    }
}
