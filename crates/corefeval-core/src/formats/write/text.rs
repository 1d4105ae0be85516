//! Lays out the text of a document: its words in sentences, with and without empty nodes.

use std::borrow::Cow;
use std::ops::Range;

use super::losses::{Losses, cell_value};
use crate::error::Result;
use crate::formats::standoff::PlainText;
use crate::model::{Document, Layers, Mention, Span, TextColumn, Words};

/// Numbers the words of the text, without the empty nodes.
pub(super) struct TextWords {
    /// The number of words of the text before each word, and before the end.
    before: Vec<u32>,
    /// The position of each word of the text among all words.
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

    /// Returns the number of words of the text before `word`.
    pub fn before(&self, word: u32) -> u32 {
        self.before[word as usize]
    }

    /// Returns the head of a mention as a word of the text. Counts a head that is an empty node as lost.
    pub fn head(&self, mention: &Mention, losses: &mut Losses<'_>) -> Option<u32> {
        let head = mention.head()?;
        let word = self.before(head);
        let in_text = self.places.get(word as usize) == Some(&head);
        if !in_text {
            losses.lost_of("heads that are empty nodes", mention);
        }
        in_text.then_some(word)
    }

    /// Returns the position of a word of the text among all words.
    pub fn place(&self, text_word: u32) -> u32 {
        self.places[text_word as usize]
    }

    /// Converts runs of words to runs of words of the text; empty if all words are empty nodes.
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

/// Counts a mention whose head is lost or changed, in formats whose reader takes the last word of the minimum span as
/// the head.
pub(super) fn note_head(head: Option<u32>, min_span: Span, mention: &Mention, losses: &mut Losses<'_>) {
    match head {
        Some(head) if head != min_span.last() => {
            losses.lost_of("heads that are not the last word of their minimum spans", mention);
        }
        None => losses
            .renamed("mentions without a head, written with the last word of the minimum span as head", 1),
        Some(_) => {}
    }
}

/// Returns the sentences that have words, or the whole document as one sentence if it has no sentences.
pub(super) fn sentences(words: &Words) -> Vec<Range<u32>> {
    let firsts = words.sentences().iter().copied().skip_while(|&first| first == 0);
    let starts = std::iter::once(0).chain(firsts.clone());
    let ends = firsts.chain([words.count()]);
    starts.zip(ends).filter(|(start, end)| start < end).map(|(start, end)| start..end).collect()
}

/// The text of a document with stand-off annotation: words separated by spaces, one sentence per line.
pub(super) struct PlacedText {
    /// The text.
    pub text: String,
    /// The characters of each word of the text.
    words: Vec<Range<usize>>,
    /// The sentence of each word.
    sentences: Vec<usize>,
}

impl PlacedText {
    /// Lays out the text of a document. `spelt` returns the spelling of a word in the output.
    ///
    /// # Errors
    ///
    /// The words of the document are unknown or were not kept, or are names of mentions.
    pub fn of(
        document: &Document,
        format: &str,
        spelt: impl Fn(Cow<'_, str>) -> Cow<'_, str>,
        losses: &mut Losses<'_>,
    ) -> Result<PlacedText> {
        let (words, layers) = (document.words(), super::text_of(document, format)?);
        let mut laid = PlacedText { text: String::new(), words: Vec::new(), sentences: Vec::new() };
        let mut length = 0;
        for (number, sentence) in sentences(words).into_iter().enumerate() {
            let before = length;
            for word in sentence.filter(|&word| !words.is_empty_node(word)) {
                if length > before {
                    laid.text.push(' ');
                    length += 1;
                }
                let form = spelt(form(layers, word, losses));
                let plain = PlainText::new(form.to_string());
                if plain.words_in(&(0..plain.len())).is_none_or(|(span, _)| span.len() != 1) {
                    losses.lost_of_document(BORDERS);
                }
                laid.words.push(length..length + plain.len() as usize);
                laid.sentences.push(number);
                laid.text.push_str(&form);
                length += plain.len() as usize;
            }
            if length > before {
                laid.text.push('\n');
                length += 1;
            }
        }
        Ok(laid)
    }

    /// Returns the characters of a mention: a range for each run of words in a sentence.
    pub fn ranges(&self, mention: &Mention, in_text: &TextWords) -> Vec<Range<u32>> {
        let mut ranges: Vec<(usize, Range<u32>)> = Vec::new();
        for run in in_text.runs(mention.parts()) {
            for (place, word) in (run.start()..run.end()).enumerate() {
                let (sentence, range) = (self.sentences[word as usize], &self.words[word as usize]);
                match ranges.last_mut() {
                    Some(last) if place > 0 && last.0 == sentence => last.1.end = range.end as u32,
                    _ => ranges.push((sentence, range.start as u32..range.end as u32)),
                }
            }
        }
        ranges.into_iter().map(|range| range.1).collect()
    }

    /// Returns the characters of a run of words of the text.
    pub fn range(&self, run: Span) -> Range<u32> {
        self.words[run.start() as usize].start as u32..self.words[run.last() as usize].end as u32
    }
}

/// The loss to report if the text will be read as different words.
pub(super) const BORDERS: &str = "word boundaries that are read back differently";

/// Returns a word as a cell between tabs.
pub(super) fn form<'l>(layers: &'l Layers, word: u32, losses: &mut Losses<'_>) -> Cow<'l, str> {
    let form = layers.form.get(word as usize).unwrap_or("_");
    one_line(form, "tabs, line ends and other control characters in words", losses)
}

/// Returns a layer's value for a word, as a cell between tabs, or `nothing` without a value.
pub(super) fn cell<'l>(
    column: &'l TextColumn,
    word: u32,
    nothing: &'static str,
    losses: &mut Losses<'_>,
) -> Cow<'l, str> {
    let value = match column.get(word as usize) {
        // Formats write these for no value.
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

/// Returns the speaker of a sentence, for formats with one speaker per sentence.
pub(super) fn sentence_speaker(layers: &Layers, sentence: Range<u32>, losses: &mut Losses<'_>) -> String {
    let mut speakers =
        sentence.map(|word| layers.speaker.get(word as usize).and_then(cell_value).unwrap_or(""));
    let first = speakers.next().unwrap_or("");
    for _ in speakers.filter(|&speaker| speaker != first) {
        losses.lost_of_document("speakers of words that are not the sentence's first");
    }
    let clean: String = first.chars().map(|c| if c.is_control() { '_' } else { c }).collect();
    if clean.trim() != first {
        losses.lost_of_document("spaces and control characters in the names of speakers");
    }
    clean.trim().to_owned()
}
