//! Numbers the words of key and response so that they can be compared even if the empty nodes of the two differ.

use std::cmp::Ordering;

use crate::model::{Side, Span, Words};

/// The numbers that identify words when both sides are compared.
pub(crate) struct Coordinates {
    pub(super) key: WordNumbering,
    pub(super) response: WordNumbering,
}

/// The numbers of the words of one side: their places, shifted by the words that only the other side has.
#[derive(Default)]
pub(crate) struct WordNumbering {
    /// The words of this side before which it lacks an empty node of the other side, ascending.
    gaps: Vec<u32>,
}

impl WordNumbering {
    #[inline(always)]
    pub(crate) fn of(&self, word: u32) -> u32 {
        word + self.gaps.partition_point(|&gap| gap <= word) as u32
    }

    /// Appends the numbers of the words of a part, in runs.
    pub(super) fn runs(&self, part: Span, into: &mut Vec<Span>) {
        let (mut start, mut before) = (part.start(), self.gaps.partition_point(|&gap| gap <= part.start()));
        for &gap in self.gaps[before..].iter().take_while(|&&gap| gap < part.end()) {
            into.extend(Span::new(start + before as u32, gap + before as u32));
            start = gap;
            before += 1;
        }
        into.extend(Span::new(start + before as u32, part.end() + before as u32));
    }
}

impl Coordinates {
    /// Returns the numbers of one side.
    pub(crate) fn of(&self, side: Side) -> &WordNumbering {
        match side {
            Side::Key => &self.key,
            Side::Response => &self.response,
        }
    }

    pub(crate) fn new(key: &Words, response: &Words) -> Coordinates {
        let (mut ours, mut theirs) = (slots(key).peekable(), slots(response).peekable());
        let (mut key, mut response) = (WordNumbering::default(), WordNumbering::default());
        // The number of empty nodes of each side so far.
        let mut behind = (0, 0);
        loop {
            let order = match (ours.peek(), theirs.peek()) {
                (Some(this), Some(that)) => this.cmp(that),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return Coordinates { key, response },
            };
            let this = if order.is_le() { ours.next() } else { None };
            let that = if order.is_ge() { theirs.next() } else { None };
            match (this, that) {
                (Some((text, ..)), None) => response.gaps.push(text + behind.1),
                (None, Some((text, ..))) => key.gaps.push(text + behind.0),
                _ => {}
            }
            behind = (behind.0 + u32::from(this.is_some()), behind.1 + u32::from(that.is_some()));
        }
    }
}

/// Yields, for each empty node, the number of words of the text before it, its sentence, and its number.
fn slots(words: &Words) -> impl Iterator<Item = (u32, u32, u32)> {
    let nodes = (0..).zip(words.empty_nodes()).zip(words.empty_node_numbers());
    nodes.map(|((before, &word), &number)| (word - before, words.sentence_of(word), number))
}
