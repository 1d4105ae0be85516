//! The text of a document: its words in sentences, with and without empty nodes.

use std::borrow::Cow;
use std::ops::Range;

use super::losses::{Losses, said};
use crate::model::{Column, Layers, Span, Words};

/// The words of the text, numbered without the empty nodes.
pub(super) struct TextWords {
    /// The number of words of the text before each word, and before the end.
    before: Vec<u32>,
    /// The place of each among all words.
    places: Vec<u32>,
}

impl TextWords {
    /// Numbers the words.
    pub fn of(words: &Words) -> TextWords {
        let mut before = Vec::with_capacity(words.count() as usize + 1);
        let mut places = Vec::with_capacity(words.count_in_text() as usize);
        for word in 0..words.count() {
            before.push(places.len() as u32);
            if !words.is_empty_node(word) {
                places.push(word);
            }
        }
        before.push(places.len() as u32);
        TextWords { before, places }
    }

    /// The number of words of the text before `word`.
    pub fn before(&self, word: u32) -> u32 {
        self.before[word as usize]
    }

    /// The place of a word of the text among all words.
    pub fn place(&self, text_word: u32) -> u32 {
        self.places[text_word as usize]
    }

    /// Runs of words as runs of words of the text; none where there are only empty nodes.
    pub fn runs(&self, parts: &[Span]) -> Vec<Span> {
        let mut runs: Vec<Span> = Vec::with_capacity(parts.len());
        for part in parts {
            let Some(run) = Span::new(self.before(part.start()), self.before(part.end())) else { continue };
            match runs.last() {
                Some(last) if last.end() >= run.start() => {
                    let joined = Span::new(last.start(), run.end().max(last.end()));
                    runs.pop();
                    runs.extend(joined);
                }
                _ => runs.push(run),
            }
        }
        runs
    }
}

/// The sentences that have words; one where the document has no sentences.
pub(super) fn sentences(words: &Words) -> Vec<Range<u32>> {
    let firsts = words.sentences().iter().copied().skip_while(|&first| first == 0);
    let starts = std::iter::once(0).chain(firsts.clone());
    let ends = firsts.chain([words.count()]);
    starts.zip(ends).filter(|(start, end)| start < end).map(|(start, end)| start..end).collect()
}

/// A word as a cell between tabs.
pub(super) fn form<'l>(layers: &'l Layers, word: u32, losses: &mut Losses<'_>) -> Cow<'l, str> {
    let form = layers.form.get(word as usize).unwrap_or("_");
    one_line(form, "tabs, line ends and other control characters in words", losses)
}

/// Returns a layer's value for a word, as a cell between tabs; `nothing` if there is none.
pub(super) fn cell<'l>(
    column: &'l Column,
    word: u32,
    nothing: &'static str,
    losses: &mut Losses<'_>,
) -> Cow<'l, str> {
    let value = match column.get(word as usize) {
        // All that formats write for nothing.
        None | Some("" | "-" | "_") => nothing,
        Some(value) => value,
    };
    one_line(value, "control characters in the annotation of words", losses)
}

fn one_line<'t>(text: &'t str, what: &'static str, losses: &mut Losses<'_>) -> Cow<'t, str> {
    if !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    losses.lost_of_document(what);
    Cow::Owned(text.replace(char::is_control, "_"))
}

/// The speaker of a sentence, in formats that have one for each.
pub(super) fn sentence_speaker(layers: &Layers, sentence: Range<u32>, losses: &mut Losses<'_>) -> String {
    let mut speakers = sentence.map(|word| layers.speaker.get(word as usize).and_then(said).unwrap_or(""));
    let first = speakers.next().unwrap_or("");
    for _ in speakers.filter(|&speaker| speaker != first) {
        losses.lost_of_document("speakers of words that are not the sentence's first");
    }
    let clean: String = first.chars().map(|c| if c.is_control() { '_' } else { c }).collect();
    if clean.trim() != first {
        losses.lost_of_document("blanks and control characters in the names of speakers");
    }
    clean.trim().to_owned()
}
