//! Numbers the words of key and response so that they can be compared even if the two have different empty nodes or, if
//! places are counted within sentences, sentences of different lengths.

use std::cmp::Ordering;

use crate::model::{Side, Span, Words};
use crate::settings::Place;

/// The numbers that identify words when both sides are compared.
pub(crate) struct Coordinates {
    pub(super) key: WordNumbering,
    pub(super) response: WordNumbering,
}

/// The numbers of the words of one side: their places, shifted by the words that only the other side has.
#[derive(Default)]
pub(crate) struct WordNumbering {
    /// Words of this side before which words of the other side have no counterpart, ascending, each with the number of
    /// these words so far: empty nodes that this side lacks and, if places are counted within sentences, words by which
    /// the other side's sentences are longer.
    gaps: Vec<(u32, u32)>,
}

impl WordNumbering {
    #[inline(always)]
    pub(crate) fn of(&self, word: u32) -> u32 {
        word + self.before(self.gaps.partition_point(|gap| gap.0 <= word))
    }

    /// Returns the number of words that this side lacks in its first `gaps` gaps.
    #[inline(always)]
    fn before(&self, gaps: usize) -> u32 {
        gaps.checked_sub(1).map_or(0, |last| self.gaps[last].1)
    }

    /// Appends the numbers of the words of a part, in runs.
    pub(super) fn runs(&self, part: Span, into: &mut Vec<Span>) {
        let first = self.gaps.partition_point(|gap| gap.0 <= part.start());
        let (mut start, mut before) = (part.start(), self.before(first));
        for &(gap, lacking) in self.gaps[first..].iter().take_while(|gap| gap.0 < part.end()) {
            into.extend(Span::new(start + before, gap + before));
            (start, before) = (gap, lacking);
        }
        into.extend(Span::new(start + before, part.end() + before));
    }

    fn push(&mut self, word: u32, lacking: u32) {
        let before = self.before(self.gaps.len());
        self.gaps.push((word, before + lacking));
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

    pub(crate) fn new(key: &Words, response: &Words, place: Place) -> Coordinates {
        let mut sides = [Slots::new(key), Slots::new(response)];
        if place == Place::Document || !starts_with_a_sentence(key) || !starts_with_a_sentence(response) {
            let [key, response] = sides.each_ref().map(|slots| (u32::MAX, slots.all.len()));
            number_slots(&mut sides, [key, response]);
        } else {
            for sentence in 0..key.sentences().len().max(response.sentences().len()) {
                number_sentence(&mut sides, sentence);
            }
        }
        let [key, response] = sides.map(|slots| slots.numbering);
        Coordinates { key, response }
    }

    /// Returns the numbers of both sides if they can differ from the places of the words.
    pub(crate) fn unless_equal(key: &Words, response: &Words, place: Place) -> Option<Coordinates> {
        let by_sentence = place == Place::Sentence && key.sentences() != response.sentences();
        let has_nodes = !key.empty_nodes().is_empty() || !response.empty_nodes().is_empty();
        (by_sentence || has_nodes).then(|| Coordinates::new(key, response, place))
    }
}

/// Returns whether a side has sentences and the first starts with the first word. If not, words keep their places.
fn starts_with_a_sentence(words: &Words) -> bool {
    words.sentences().first() == Some(&0)
}

/// An empty node.
struct Slot {
    /// The number of words of the text before it, in the document or in its sentence.
    before: u32,
    sentence: u32,
    number: u32,
}

impl Slot {
    fn order(&self) -> (u32, u32, u32) {
        (self.before, self.sentence, self.number)
    }
}

/// The empty nodes of one side, and its numbering so far.
struct Slots<'w> {
    words: &'w Words,
    all: Vec<Slot>,
    /// The number of empty nodes that are numbered.
    done: usize,
    /// The number of words of the text in the sentences that are numbered.
    text: u32,
    numbering: WordNumbering,
}

impl<'w> Slots<'w> {
    fn new(words: &'w Words) -> Slots<'w> {
        let nodes = (0..).zip(words.empty_nodes()).zip(words.empty_node_numbers());
        let all = nodes.map(|((before, &word), &number)| Slot {
            before: word - before,
            sentence: words.sentence_of(word),
            number,
        });
        Slots { words, all: all.collect(), done: 0, text: 0, numbering: WordNumbering::default() }
    }

    /// Makes the places of the empty nodes of a sentence relative to its start. Returns the number of words of the
    /// text in the sentence, and the number of empty nodes up to its end.
    fn enter(&mut self, sentence: usize) -> (u32, usize) {
        let starts = self.words.sentences();
        let Some(&start) = starts.get(sentence) else { return (0, self.all.len()) };
        let end = starts.get(sentence + 1).copied().unwrap_or(self.words.count());
        let count =
            self.all[self.done..].iter().take_while(|slot| slot.sentence as usize == sentence).count();
        let nodes = self.done..self.done + count;
        let text = self.text;
        self.all[nodes.clone()].iter_mut().for_each(|slot| slot.before -= text);
        (end - start - count as u32, nodes.end)
    }

    /// Records an empty node of the other side that this side lacks, after `before` words of the sentence or document.
    fn lacks(&mut self, before: u32) {
        self.numbering.push(self.text + before + self.done as u32, 1);
    }
}

/// Numbers the words of a sentence. Both sides get as many numbers as the longer one needs, so that the next sentence starts
/// at the same number on both.
fn number_sentence(sides: &mut [Slots<'_>; 2], sentence: usize) {
    let [key, response] = sides.each_mut().map(|slots| slots.enter(sentence));
    number_slots(sides, [key, response]);
    let longer = key.0.max(response.0);
    for (slots, (length, _)) in sides.iter_mut().zip([key, response]) {
        slots.text += length;
        if length < longer {
            slots.numbering.push(slots.text + slots.done as u32, longer - length);
        }
    }
}

/// Numbers the empty nodes of a sentence or a document. `ours` and `theirs` are the number of words of the text there (or a
/// larger number) and the end of its empty nodes.
fn number_slots([key, response]: &mut [Slots<'_>; 2], [ours, theirs]: [(u32, usize); 2]) {
    loop {
        let this = key.all[key.done..ours.1].first().map(Slot::order);
        let that = response.all[response.done..theirs.1].first().map(Slot::order);
        let order = match (this, that) {
            (Some(this), Some(that)) => this.cmp(&that),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return,
        };
        match (order, this, that) {
            (Ordering::Less, Some((before, ..)), _) => response.lacks(before.min(theirs.0)),
            (Ordering::Greater, _, Some((before, ..))) => key.lacks(before.min(ours.0)),
            _ => {}
        }
        key.done += usize::from(order.is_le());
        response.done += usize::from(order.is_ge());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::WordsBuilder;
    use std::collections::BTreeMap;

    /// A word of a sentence: the number of words of the text before it, and the number of an empty node, or the largest
    /// number for a word of the text.
    type InSentence = (u32, u32);

    /// Makes the words of sentences, and the identity of each word: its sentence and its place there.
    fn build(sentences: &[Vec<InSentence>]) -> (Words, Vec<(u32, u32, u32)>) {
        let mut words = WordsBuilder::new(false);
        let mut identities = Vec::new();
        for (number, sentence) in (0..).zip(sentences) {
            for &(before, node) in sentence {
                match node {
                    u32::MAX => words.push(b"w"),
                    node => words.push_numbered_empty_node(node),
                };
                identities.push((number, before, node));
            }
            words.end_sentence();
        }
        (words.finish(), identities)
    }

    /// Makes up to five sentences of up to four words, with empty nodes before, among and after them.
    fn random_sentences(random: &mut impl FnMut(u32) -> u32) -> Vec<Vec<InSentence>> {
        let sentence = |random: &mut dyn FnMut(u32) -> u32| {
            let length = 1 + random(4);
            let mut words = Vec::new();
            for before in 0..=length {
                words.extend((1..=2).filter(|_| random(4) == 0).map(|node| (before, node)));
                words.extend((before < length).then_some((before, u32::MAX)));
            }
            words
        };
        (0..1 + random(5)).map(|_| sentence(random)).collect()
    }

    /// Words of the two sides have the same number if, and only if, they are at the same place of the same sentence, and
    /// numbers are in the order of the text.
    #[test]
    fn numbers_within_sentences_identify_words() {
        let mut state = 1u64;
        let mut random = |below: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % u64::from(below)) as u32
        };
        for _ in 0..3_000 {
            let sides =
                [random_sentences(&mut random), random_sentences(&mut random)].map(|side| build(&side));
            let [(key, of_key), (response, of_response)] = &sides;
            let Coordinates { key: ours, response: theirs } =
                Coordinates::new(key, response, Place::Sentence);
            let mut numbers: BTreeMap<(u32, u32, u32), u32> = BTreeMap::new();
            for (identities, numbering) in [(of_key, &ours), (of_response, &theirs)] {
                for (word, identity) in (0..).zip(identities) {
                    let number = numbering.of(word);
                    assert_eq!(
                        *numbers.entry(*identity).or_insert(number),
                        number,
                        "{of_key:?} {of_response:?}"
                    );
                }
            }
            let in_order: Vec<u32> = numbers.into_values().collect();
            assert!(in_order.is_sorted_by(|a, b| a < b), "{in_order:?} {of_key:?} {of_response:?}");
        }
    }

    /// The runs of a part are the numbers of its words.
    #[test]
    fn runs_hold_the_numbers_of_all_words() {
        let sides = [
            vec![vec![(0, u32::MAX), (1, u32::MAX)], vec![(0, u32::MAX)]],
            vec![vec![(0, u32::MAX), (1, 1), (1, u32::MAX), (2, u32::MAX)], vec![(0, u32::MAX)]],
        ];
        let [(key, _), (response, _)] = sides.map(|side| build(&side));
        let Coordinates { key: ours, .. } = Coordinates::new(&key, &response, Place::Sentence);
        let mut runs = Vec::new();
        ours.runs(Span::new(0, 3).expect("three words"), &mut runs);
        let runs: Vec<(u32, u32)> = runs.iter().map(|run| (run.start(), run.end())).collect();
        assert_eq!(runs, [(0, 1), (2, 3), (4, 5)]);
    }
}
