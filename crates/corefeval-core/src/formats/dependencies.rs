//! The dependencies of words, which determine the heads of mentions.

use crate::model::{Mention, Span};

/// The head of a word.
#[derive(Clone, Copy)]
pub(super) enum Head {
    /// A word of its sentence, from 1.
    Word(u32),
    Root,
    Unknown,
}

/// The head of each word of a document.
#[derive(Default)]
pub(super) struct Dependencies {
    heads: Vec<Option<u32>>,
}

/// A place outside every mention.
const ROOT: u32 = u32::MAX;

impl Dependencies {
    /// Adds a word, the `number`th of its sentence.
    pub(super) fn push(&mut self, head: Head, number: u32) {
        // A document may start within a sentence if the line that starts it has an error.
        let before_sentence = (self.heads.len() as u32 + 1).saturating_sub(number);
        self.heads.push(match head {
            Head::Word(head) => Some(before_sentence.saturating_add(head - 1)),
            Head::Root => Some(ROOT),
            Head::Unknown => None,
        });
    }

    /// Sets the head of each mention, the first of its words that depends on a word outside it, and drops the words.
    pub(super) fn give_heads(&mut self, mentions: &mut [Mention]) {
        let mut extremes = None;
        for mention in mentions.iter_mut() {
            let span = mention.span();
            let outside = |word: &u32| {
                let head = self.heads.get(*word as usize).copied().flatten();
                head.is_some_and(|head| head < span.start() || head >= span.end())
            };
            let near = span.end().min(span.start().saturating_add(NEAR));
            let head = (span.start()..near).find(outside).or_else(|| {
                let rest = Span::new(near, span.end())?;
                extremes.get_or_insert_with(|| BlockExtremes::of(&self.heads)).first_outside(rest, span)
            });
            if let Some(head) = head {
                *mention = mention.clone().with_head(head);
            }
        }
        self.heads.clear();
    }
}

/// The maximum number of words of a mention that are examined one by one.
const NEAR: u32 = 32;

/// The lowest and the highest head of each block of words. In this tree, the first word of a long mention that
/// depends on a word outside is found in a few steps.
struct BlockExtremes {
    /// The number of words at the lowest level, a power of two.
    width: usize,
    /// The root at 1, the children of `n` at `2n` and `2n + 1`.
    nodes: Vec<(u32, u32)>,
}

impl BlockExtremes {
    fn of(heads: &[Option<u32>]) -> BlockExtremes {
        let width = heads.len().next_power_of_two();
        // A word without a known head never depends on a word outside.
        let mut nodes = vec![(u32::MAX, 0); 2 * width];
        for (node, head) in nodes[width..].iter_mut().zip(heads) {
            if let Some(head) = head {
                *node = (*head, *head);
            }
        }
        for node in (1..width).rev() {
            let (left, right) = (nodes[2 * node], nodes[2 * node + 1]);
            nodes[node] = (left.0.min(right.0), left.1.max(right.1));
        }
        BlockExtremes { width, nodes }
    }

    /// Returns the first word of `rest` whose head lies outside `span`.
    fn first_outside(&self, rest: Span, span: Span) -> Option<u32> {
        self.search(1, (0, self.width as u32), rest, span)
    }

    /// Searches the tree below `node`. The recursion is as deep as the tree, which has fewer than 33 levels.
    fn search(&self, node: usize, (start, end): (u32, u32), rest: Span, span: Span) -> Option<u32> {
        let (least, greatest) = self.nodes[node];
        let none = greatest < span.end() && least >= span.start();
        if end <= rest.start() || start >= rest.end() || none || least > greatest {
            return None;
        }
        if end - start == 1 {
            return Some(start);
        }
        let middle = start + (end - start) / 2;
        let left = self.search(2 * node, (start, middle), rest, span);
        left.or_else(|| self.search(2 * node + 1, (middle, end), rest, span))
    }
}
