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
        // The ends of a mention may be in different sentences.
        let moved = |word: u32| {
            let sentence = document.words().sentence_of(word) as usize;
            let [ours, theirs] = [self.key, document].map(|side| side.words().sentences());
            let (from, to) = (*theirs.get(sentence)?, *ours.get(sentence)?);
            let end = ours.get(sentence + 1).copied().unwrap_or(self.key.words().count());
            Some(to + word.checked_sub(from)?).filter(|word| *word < end)
        };
        Span::new(moved(span.start())?, moved(span.last())? + 1)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{DocumentBuilder, DocumentId, WordsBuilder};

    /// Makes a document of sentences of these lengths.
    fn sentences(lengths: &[u32]) -> Document {
        let mut words = WordsBuilder::new(false);
        for &length in lengths {
            (0..length).for_each(|_| _ = words.push(b"w"));
            words.end_sentence();
        }
        let document = DocumentBuilder::new(DocumentId::new("a"), "a".into(), 1);
        document.finish(words.finish()).expect("a document")
    }

    /// The parse of a mention is at its place in the key's sentence, even if the mention crosses sentences.
    #[test]
    fn spans_move_with_their_sentences() {
        let moved = |key: &[u32], response: &[u32], (start, end): (u32, u32), place| {
            let (key, response) = (sentences(key), sentences(response));
            let span = Span::new(start, end).expect("words");
            let found = KeyParse { key: &key, place }.span_of(&response, span);
            found.map(|span| (span.start(), span.end()))
        };
        let sentence = Place::Sentence;
        assert_eq!(moved(&[2, 2], &[2, 2], (1, 3), sentence), Some((1, 3)));
        assert_eq!(moved(&[3, 2], &[2, 2], (2, 4), sentence), Some((3, 5)));
        assert_eq!(moved(&[3, 2], &[2, 2], (1, 3), sentence), Some((1, 4)));
        assert_eq!(moved(&[2, 2], &[3, 2], (2, 3), sentence), None);
        assert_eq!(moved(&[2], &[2, 2], (2, 3), sentence), None);
        assert_eq!(moved(&[3, 2], &[2, 2], (2, 4), Place::Document), Some((2, 4)));
    }
}
