//! The words of a document: how many, how they fall into sentences, and what is known of each.
//!
//! Scoring needs the number of words and a way to tell whether two files have the same ones; only
//! breakdowns and matching rules need the words themselves. So a reader always counts and digests,
//! and keeps the [`Layers`] when asked.

/// The words of one document.
#[derive(Clone, Debug, Default)]
pub struct Words {
    count: u32,
    sentences: Vec<u32>,
    digest: u64,
    unknown: bool,
    names: bool,
    layers: Option<Box<Layers>>,
}

/// What is known of each word, a column a kind; a column is empty where the format has none.
#[derive(Clone, Debug, Default)]
pub struct Layers {
    /// The word as written.
    pub form: Column,
    /// Part of speech.
    pub part_of_speech: Column,
    /// The bit of the bracketed parse that belongs to the word (`(NP*`, `*)`).
    pub parse: Column,
    /// The bit of the bracketed named-entity annotation (`(PERSON*`, `*)`).
    pub named_entity: Column,
    /// The speaker or author.
    pub speaker: Column,
    /// The line of the file, from 1.
    pub line: Vec<u32>,
}

/// Many short strings in one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Column {
    text: String,
    ends: Vec<u32>,
}

impl Column {
    /// Appends one value.
    pub fn push(&mut self, value: &str) {
        self.text.push_str(value);
        let end = u32::try_from(self.text.len()).expect("a document's column is below 4 GiB");
        self.ends.push(end);
    }

    /// The value at `index`.
    pub fn get(&self, index: usize) -> Option<&str> {
        let end = *self.ends.get(index)? as usize;
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        Some(&self.text[start..end])
    }

    /// How many values.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All values in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).filter_map(|index| self.get(index))
    }
}

impl Words {
    /// How many words, empty nodes included.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The first word of each sentence, in order. Empty where the format has no sentences.
    pub fn sentences(&self) -> &[u32] {
        &self.sentences
    }

    /// The number of the sentence that holds `word`, from 0.
    pub fn sentence_of(&self, word: u32) -> u32 {
        let after = self.sentences.partition_point(|&first| first <= word);
        after.saturating_sub(1) as u32
    }

    /// A digest of all words as written, equal for equal words; `None` where they are not known.
    /// Two lists of words that differ share it with a probability of about 2⁻⁶⁴.
    pub fn digest(&self) -> Option<u64> {
        (!self.unknown).then_some(self.digest)
    }

    /// Whether each word is the name of a mention, as in formats that list mentions without a
    /// text. Such words are told apart by name and not by place.
    pub fn are_names(&self) -> bool {
        self.names
    }

    /// What is known of each word, where the reader was asked to keep it.
    pub fn layers(&self) -> Option<&Layers> {
        self.layers.as_deref()
    }
}

/// Gathers the words of a document in order.
#[derive(Clone, Debug, Default)]
pub struct WordsBuilder {
    words: Words,
    sentence_open: bool,
}

impl WordsBuilder {
    /// A builder that keeps the layers if `keep_layers`.
    pub fn new(keep_layers: bool) -> WordsBuilder {
        let layers = keep_layers.then(Box::default);
        WordsBuilder { words: Words { layers, ..Words::default() }, sentence_open: false }
    }

    /// How many words so far.
    pub fn count(&self) -> u32 {
        self.words.count
    }

    /// Adds the word `form` to the digest and the count and returns its position.
    #[inline]
    pub fn push(&mut self, form: &[u8]) -> u32 {
        let word = self.words.count;
        if !self.sentence_open {
            self.sentence_open = true;
            self.words.sentences.push(word);
        }
        self.words.digest = mix(self.words.digest, form);
        self.words.count = word.checked_add(1).expect("a document has fewer than 2^32 - 1 words");
        word
    }

    /// A builder of words that are names of mentions; each is pushed to the layers' `form` too.
    pub fn names() -> WordsBuilder {
        let mut builder = WordsBuilder::new(true);
        builder.words.names = true;
        builder
    }

    /// Adds `count` words of which nothing is known.
    pub fn push_unknown(&mut self, count: u32) {
        self.words.unknown = true;
        self.words.count = self.words.count.checked_add(count).expect("fewer than 2^32 - 1 words");
    }

    /// Ends the sentence; the next word begins another.
    #[inline]
    pub fn end_sentence(&mut self) {
        self.sentence_open = false;
    }

    /// The layers to which the reader appends, where they are kept.
    pub fn layers_mut(&mut self) -> Option<&mut Layers> {
        self.words.layers.as_deref_mut()
    }

    /// The finished words.
    pub fn finish(self) -> Words {
        self.words
    }
}

/// Digests one word into the running value: its bytes eight at a time, then its length, so that
/// `ab c` and `a bc` differ.
#[inline]
fn mix(digest: u64, word: &[u8]) -> u64 {
    let length = word.len() as u64;
    let mut state = digest ^ length.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut rest = word;
    while let Some((chunk, tail)) = rest.split_first_chunk::<8>() {
        state = fold(state, u64::from_le_bytes(*chunk));
        rest = tail;
    }
    // The last few bytes as two overlapping reads; with the length they are told apart.
    let last = match (rest.first_chunk::<4>(), rest.last_chunk::<4>()) {
        (Some(first), Some(last)) => {
            u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32
        }
        _ => match rest {
            [] => 0,
            _ => {
                let middle = u64::from(rest[rest.len() / 2]) << 8;
                u64::from(rest[0]) | middle | u64::from(rest[rest.len() - 1]) << 16
            }
        },
    };
    fold(state, last)
}

/// Multiplies to 128 bits and folds the halves together.
#[inline]
fn fold(state: u64, value: u64) -> u64 {
    let product = u128::from(state ^ value) * u128::from(0x9FB2_1C65_1E98_DF25_u64);
    (product as u64).rotate_left(23) ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(words: &[&str]) -> Option<u64> {
        let mut builder = WordsBuilder::new(false);
        for word in words {
            builder.push(word.as_bytes());
        }
        builder.finish().digest()
    }

    #[test]
    fn the_digest_sees_words_their_order_and_their_borders() {
        assert_eq!(digest(&["a", "bc"]), digest(&["a", "bc"]));
        assert_ne!(digest(&["ab", "c"]), digest(&["a", "bc"]));
        assert_ne!(digest(&["a", "b"]), digest(&["b", "a"]));
        assert_ne!(digest(&["a"]), digest(&["a", ""]));
        assert_ne!(digest(&["ferry-boat"]), digest(&["ferry-boats"]));
    }

    #[test]
    fn sentences_are_found_by_word() {
        let mut builder = WordsBuilder::new(false);
        for (word, last) in [("One", false), (".", true), ("Two", false), (".", true)] {
            builder.push(word.as_bytes());
            if last {
                builder.end_sentence();
            }
        }
        let words = builder.finish();
        assert_eq!(words.sentences(), [0, 2]);
        assert_eq!([0, 1, 2, 3].map(|word| words.sentence_of(word)), [0, 0, 1, 1]);
    }

    #[test]
    fn a_column_gives_back_what_was_pushed() {
        let mut column = Column::default();
        for value in ["The", "", "ferry"] {
            column.push(value);
        }
        assert_eq!(column.iter().collect::<Vec<_>>(), ["The", "", "ferry"]);
        assert_eq!(column.get(3), None);
    }
}
