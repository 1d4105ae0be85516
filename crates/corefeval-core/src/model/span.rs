//! A run of neighbouring words.

/// Words `start..end` of a document, counted from 0 over the whole document; never empty.
///
/// ```
/// use corefeval_core::model::Span;
/// let span = Span::new(3, 5).unwrap();
/// assert_eq!(span.len(), 2);
/// assert!(Span::new(5, 5).is_none());
/// ```
///
/// Spans are not ordered: annotators write "inner first" as often as "left to right", and code that
/// sorts spans must choose an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// Creates the span of the words `start..end`; `None` if it is empty or reversed.
    pub fn new(start: u32, end: u32) -> Option<Span> {
        (start < end).then_some(Span { start, end })
    }

    /// Returns the span of the word `word`. Panics for the largest `u32`, which is not a valid position.
    pub fn word(word: u32) -> Span {
        assert!(word < u32::MAX, "word positions end at 2^32 - 2");
        Span { start: word, end: word + 1 }
    }

    /// Returns the first word.
    pub fn start(self) -> u32 {
        self.start
    }

    /// Returns one past the last word.
    pub fn end(self) -> u32 {
        self.end
    }

    /// Returns the last word.
    pub fn last(self) -> u32 {
        self.end - 1
    }

    /// Returns the number of words.
    #[allow(clippy::len_without_is_empty, reason = "a span is never empty")]
    pub fn len(self) -> u32 {
        self.end - self.start
    }

    /// Returns the span moved by `by` words. The document must be large enough.
    pub(crate) fn moved(self, by: u32) -> Span {
        Span { start: self.start + by, end: self.end + by }
    }

    /// Returns whether every word of `other` is in `self`. Equal spans contain each other.
    pub fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Returns start and end in one integer, ordered by start, then end, for sorting and hashing.
    pub fn sort_key(self) -> u64 {
        u64::from(self.start) << 32 | u64::from(self.end)
    }
}

/// The meaning of the second number of a span in formats that do not define it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpanEnd {
    /// The second number is the last word.
    #[default]
    Inclusive,
    /// The second number is one past the last word.
    Exclusive,
}
