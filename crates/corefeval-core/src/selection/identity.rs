//! The identity of mentions when they are compared by minimum spans.

use std::collections::BTreeSet;

use crate::model::{Document, Mention, Phrase};

/// The identity of a mention: its sentence, and its minimum span or its words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Identity {
    sentence: u32,
    minimum: BTreeSet<(String, u32)>,
    span: Option<(u32, u32)>,
}

impl Identity {
    /// Returns the identity of a mention of `document`, using the parse of `parsed`.
    pub(crate) fn of(document: &Document, mention: &Mention, parsed: &Document) -> Identity {
        let span = mention.span();
        let sentence = document.words().sentence_of(span.last());
        let phrase = parsed.words().layers().and_then(|layers| Phrase::of(layers, span));
        let Some(phrase) = phrase else {
            return Identity { sentence, minimum: BTreeSet::new(), span: Some((span.start(), span.end())) };
        };
        // Words count from the start of the sentence. For a mention without valid words, they count from the mention's
        // own start.
        let first = parsed.words().sentences().get(sentence as usize).copied().unwrap_or(0);
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
        Identity { sentence, minimum, span: None }
    }
}
