//! Answers of language models, before their mentions are placed on the words of a key.

use std::sync::Arc;

use crate::diagnostic::{Code, Position};

/// The notation and mentions of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Notation {
    /// The one with the most complete marks.
    #[default]
    Auto,
    /// `her|[e1],[e2 boat|e2]`
    Pipe,
    /// `[[her](#1) boat](#2)`
    Link,
    /// `[2 [1 her] boat]`
    First,
    /// `[[her: 1] boat: 2]`
    Colon,
    /// `[[her]#1 boat]#2`
    Hash,
    /// `[[[[her]]_1 boat]]_2`
    Double,
    /// `[[her]_1 boat]_2`
    Subscript,
    /// `[[her | e1] boat | e2]`
    Bar,
    /// `[ [ her | Ines ] boat ]`
    Antecedent,
    /// `<m id="2"><m id="1">her</m> boat</m>`
    Attribute,
    /// `<e2><e1>her</e1> boat</e2>`
    Element,
    /// `<m> <m> her | 1 </m> boat | 2 </m>`, and with the id in or after the end
    Seq2seq,
    /// `<m> <m> her </m>#1 boat </m>#2`
    CorefInst,
    /// JSON with strings of the key's text.
    Strings,
    /// JSON with a text and places in it.
    OwnText,
}

/// A document of an answer: the text as the answer repeats it, or the strings that it lists.
#[derive(Clone, Debug)]
pub struct AnswerDocument {
    /// The id, if the answer or its file has one.
    pub id: Option<String>,
    /// The name of the file.
    pub source: Arc<str>,
    /// The line where it starts, from 1.
    pub line: u32,
    /// The notation of its mentions.
    pub notation: Notation,
    /// The names of its entities, in the order of their first occurrence.
    pub entities: Vec<String>,
    /// The places of its mentions.
    pub body: AnswerBody,
}

/// The places of an answer's mentions.
#[derive(Clone, Debug)]
pub enum AnswerBody {
    /// In a text that the answer repeats.
    Text(MarkedText),
    /// In the key's text, by their words.
    Strings {
        /// The mentions.
        mentions: Vec<AnswerString>,
        /// The names of entities, which are not mentions, although the key may have them as words.
        names: Vec<AnswerString>,
    },
}

/// A text without its marks. All offsets are of bytes in `text`.
#[derive(Clone, Debug, Default)]
pub struct MarkedText {
    /// The text.
    pub text: String,
    /// The origins of pieces of the text in the file, in order: offset, line, column.
    pub places: Vec<(u32, u32, u32)>,
    /// The starts of the blocks of the text, the first at 0. The answer is a run of blocks.
    pub blocks: Vec<u32>,
    /// Parts that may be text or belong to a mark, in order.
    pub doubts: Vec<Doubt>,
    /// The mentions.
    pub marks: Vec<Mark>,
    /// The empty nodes, in order.
    pub zeros: Vec<ZeroMark>,
    /// Whether `_` represents a space.
    pub underscores: bool,
    /// The parts left out of the text: code fences and reasoning, in the order of the file.
    pub unwrapped: Option<(u32, u32)>,
}

/// A piece of a text that may be a part of a mark.
#[derive(Clone, Debug)]
pub struct Doubt {
    /// Its start.
    pub start: u32,
    /// One past its end.
    pub end: u32,
    /// The finding to report unless the key contains it as text.
    pub finding: Option<(Code, String)>,
}

/// A mention in the text of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Its start.
    pub start: u32,
    /// One past its end.
    pub end: u32,
    /// The empty nodes among its words, if any: the first and the last.
    pub zeros: Option<(u32, u32)>,
    /// Its entity, by its place among the names.
    pub entity: u32,
    /// The line of the file where it opens.
    pub line: u32,
    /// The column in bytes where it opens.
    pub column: u32,
}

/// An empty node in the text of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZeroMark {
    /// The text before it ends here.
    pub at: u32,
    /// The line of the file.
    pub line: u32,
    /// The column in bytes.
    pub column: u32,
}

/// A mention given by its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerString {
    /// The words.
    pub text: String,
    /// Its entity, by its place among the names.
    pub entity: u32,
    /// The number of its sentence, if the answer gives it.
    pub sentence: Option<i64>,
    /// The first of its characters, if the answer gives it.
    pub start: Option<i64>,
    /// The line of the file.
    pub line: u32,
    /// The column in bytes.
    pub column: u32,
}

impl AnswerDocument {
    /// Returns whether it has a mention.
    pub fn has_mentions(&self) -> bool {
        match &self.body {
            AnswerBody::Text(text) => !text.marks.is_empty(),
            AnswerBody::Strings { mentions, .. } => !mentions.is_empty(),
        }
    }

    /// Its start.
    pub fn position(&self) -> Position {
        Position::new(&self.source, self.line, 1)
    }
}

impl MarkedText {
    /// Line and column of an offset.
    pub fn place(&self, offset: u32) -> (u32, u32) {
        let after = self.places.partition_point(|place| place.0 <= offset);
        let (start, line, column) = self.places[..after].last().copied().unwrap_or((offset, 0, 0));
        (line, if column == 0 { 0 } else { column + offset - start })
    }

    /// Adds the text of another document as further blocks.
    pub fn append(&mut self, other: MarkedText, entities: &[u32]) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        let base = self.text.len() as u32;
        let zeros = self.zeros.len() as u32;
        self.text.push_str(&other.text);
        self.places.extend(other.places.iter().map(|&(start, line, column)| (start + base, line, column)));
        self.blocks.extend(other.blocks.iter().map(|start| start + base));
        self.doubts.extend(other.doubts.into_iter().map(|doubt| Doubt {
            start: doubt.start + base,
            end: doubt.end + base,
            ..doubt
        }));
        self.marks.extend(other.marks.iter().map(|mark| Mark {
            start: mark.start + base,
            end: mark.end + base,
            zeros: mark.zeros.map(|(first, last)| (first + zeros, last + zeros)),
            entity: entities[mark.entity as usize],
            ..*mark
        }));
        self.zeros.extend(other.zeros.iter().map(|zero| ZeroMark { at: zero.at + base, ..*zero }));
        self.underscores |= other.underscores;
        self.unwrapped = self.unwrapped.or(other.unwrapped);
    }
}

/// A level at which texts agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TextLevel {
    /// The words are the same.
    Words,
    /// The characters are the same, apart from whitespace, case and variants of punctuation.
    Characters,
    /// Enough pieces are the same.
    Text,
}

/// The alignment of a response's texts with the key's.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TextAlignment {
    /// The coarsest level at which a document agrees.
    pub level: Option<TextLevel>,
    /// The notation of the answers, `Auto` for several; `None` without an answer.
    pub notation: Option<Notation>,
    /// The least share of a document's pieces that the key has.
    pub aligned: Option<f64>,
}

impl TextAlignment {
    /// Returns how this response and others were aligned.
    #[must_use]
    pub fn and(self, other: TextAlignment) -> TextAlignment {
        TextAlignment {
            level: self.level.max(other.level),
            notation: match (self.notation, other.notation) {
                (Some(one), Some(other)) if one != other => Some(Notation::Auto),
                (one, other) => one.or(other),
            },
            aligned: match (self.aligned, other.aligned) {
                (Some(one), Some(other)) => Some(one.min(other)),
                (one, other) => one.or(other),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In any order and grouping.
    #[test]
    fn several_notations_are_none_of_them() {
        let of = |notation| TextAlignment { notation, ..TextAlignment::default() };
        let [none, link, hash] = [None, Some(Notation::Link), Some(Notation::Hash)].map(of);
        assert_eq!(none.and(link).and(none).and(link).notation, Some(Notation::Link));
        for three in [link.and(hash).and(link), link.and(hash.and(none)), none.and(link.and(hash)).and(hash)]
        {
            assert_eq!(three.notation, Some(Notation::Auto));
        }
    }
}
