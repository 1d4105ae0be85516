//! Finds the words of a document in a key with the same text and different empty nodes.
//!
//! Words correspond in the same way as in scoring: words of the text by their places, empty nodes by the preceding
//! word and their numbers, and zeros primarily by the words that they depend on.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use corefeval_metrics::assignment::{Edge, maximum_weight};

use super::place::{PlaceFinder, shortened, words_of};
use crate::diagnostic::{Code, Diagnostics};
use crate::model::{Document, Governors, Mention, Span, Words};

/// The maximum number of empty nodes after one word and in one sentence with which each node is
/// compared. Texts have a handful.
const NEAREST: usize = 32;

/// The words of the key that correspond to the words of a document with the same text.
pub(super) struct SameText<'c> {
    key: &'c Document,
    document: &'c Document,
    /// The word of the key at the same place, for each word. Empty nodes that the key lacks have none.
    places: Vec<Option<u32>>,
    /// The empty nodes of the key that correspond to the zeros of the document.
    zeros: BTreeMap<u32, u32>,
}

/// Returns the empty node that a mention consists of, or that is its head.
fn zero_of(words: &Words, mention: &Mention) -> Option<u32> {
    let head = mention.head().unwrap_or_else(|| mention.span().start());
    words.is_empty_node(head).then_some(head)
}

/// Returns whether two documents with the same text have the same empty nodes, with the same dependencies.
fn same_nodes(ours: &Words, theirs: &Words) -> bool {
    ours.empty_nodes() == theirs.empty_nodes()
        && ours.empty_node_numbers() == theirs.empty_node_numbers()
        && ours.empty_nodes().iter().all(|&node| ours.dependencies(node) == theirs.dependencies(node))
        && ours.sentences() == theirs.sentences()
}

impl<'c> SameText<'c> {
    /// Compares the empty nodes of two documents with the same text. Returns `None` if they do not differ.
    pub(super) fn new(key: &'c Document, document: &'c Document) -> Option<SameText<'c>> {
        let (ours, theirs) = (key.words(), document.words());
        let nodes = !ours.empty_nodes().is_empty() || !theirs.empty_nodes().is_empty();
        if !nodes || same_nodes(ours, theirs) {
            return None;
        }
        // The number of the sentence distinguishes nodes at the boundary between two sentences.
        let by_sentence = ours.same_sentences(theirs);
        let slot = |(text, sentence, number): (u32, u32, u32)| {
            (text, if by_sentence { sentence } else { 0 }, number)
        };
        let known: FxHashMap<(u32, u32, u32), u32> = ours.slots().map(slot).zip(0..).collect();
        let places: Vec<Option<u32>> = theirs.slots().map(|at| known.get(&slot(at)).copied()).collect();
        let mut found = SameText { key, document, places, zeros: BTreeMap::new() };
        found.zeros = found.pair_zeros(by_sentence);
        Some(found)
    }

    /// Pairs the zeros of the document with empty nodes of the key: by the words that they depend on, and the
    /// rest by place.
    fn pair_zeros(&self, by_sentence: bool) -> BTreeMap<u32, u32> {
        let (ours, theirs) = (self.key.words(), self.document.words());
        let non_referring = self.document.relations().into_iter().flat_map(|found| &found.non_referring);
        let mentions = self.document.mentions().iter().chain(non_referring);
        let mut zeros: Vec<u32> = mentions.filter_map(|mention| zero_of(theirs, mention)).collect();
        zeros.sort_unstable();
        zeros.dedup();
        // A governor that the key lacks does not correspond to any of its words.
        let number =
            |word: u32| self.places.get(word as usize).copied().flatten().unwrap_or(ours.count() + word);
        let sentence = |words: &Words, node: u32| if by_sentence { words.sentence_of(node) } else { 0 };
        let of_key: Vec<Governors<'_>> =
            ours.empty_nodes().iter().map(|&node| Governors::of(ours, node, |word| word)).collect();
        let mut by_governor: FxHashMap<(u32, Option<u32>), Vec<usize>> = FxHashMap::default();
        for (place, (&node, governors)) in ours.empty_nodes().iter().zip(&of_key).enumerate() {
            for &governor in governors.words() {
                by_governor.entry((sentence(ours, node), governor)).or_default().push(place);
            }
        }
        let mut edges = Vec::new();
        for (row, &zero) in (0..).zip(&zeros) {
            let governors = Governors::of(theirs, zero, number);
            let own = self.places[zero as usize];
            let mut columns: Vec<usize> = Vec::new();
            for &governor in governors.words() {
                let of_word = by_governor.get(&(sentence(theirs, zero), governor));
                let of_word = of_word.map_or(&[][..], Vec::as_slice);
                let here = of_word.partition_point(|&place| ours.empty_nodes()[place] < own.unwrap_or(zero));
                let last = (here + NEAREST).min(of_word.len());
                columns.extend(&of_word[here.min(last.saturating_sub(NEAREST))..last]);
            }
            columns.sort_unstable();
            columns.dedup();
            for column in columns {
                let (numerator, denominator) = governors.weight(&of_key[column]);
                let weight = (u128::from(numerator) << 32) / u128::from(denominator.max(1));
                // In a tie, the node at the same place wins.
                let same_place = i128::from(own == Some(ours.empty_nodes()[column]));
                edges.push(Edge { row, column: column as u32, weight: 2 * weight as i128 + same_place });
            }
        }
        let pairs = maximum_weight(zeros.len(), of_key.len(), &edges).pairs;
        let pairs = pairs.into_iter();
        let mut paired: BTreeMap<u32, u32> =
            pairs.map(|(zero, node)| (zeros[zero as usize], ours.empty_nodes()[node as usize])).collect();
        let mut taken: Vec<u32> = paired.values().copied().collect();
        taken.sort_unstable();
        for zero in zeros {
            if let Some(node) = self.places[zero as usize].filter(|node| taken.binary_search(node).is_err()) {
                paired.entry(zero).or_insert(node);
            }
        }
        paired
    }

    /// Returns the key's word for a word of a mention. `zero` is the mention's empty node, if it has one.
    fn word(&self, word: u32, zero: Option<u32>) -> Option<u32> {
        let as_zero = || self.zeros.get(&word).copied();
        match zero == Some(word) {
            true => as_zero(),
            false => self.places[word as usize].or_else(as_zero),
        }
    }

    /// Returns the key's words for the words of a mention, in runs, and the number of words that the key lacks. For
    /// `zero`, see [`word`](Self::word).
    fn words(&self, parts: &[Span], zero: Option<u32>) -> (Vec<Span>, usize) {
        let all = parts.iter().flat_map(|part| part.start()..part.end());
        let (mut words, mut lost) = (Vec::new(), 0);
        for word in all {
            match self.word(word, zero) {
                Some(word) => words.push(word),
                None => lost += 1,
            }
        }
        words.sort_unstable();
        words.dedup();
        let runs = words.chunk_by(|one, next| one + 1 == *next);
        let runs = runs.filter_map(|run| Span::new(*run.first()?, *run.last()? + 1));
        (runs.collect(), lost)
    }
}

impl PlaceFinder for SameText<'_> {
    fn spans(&self, spans: &[Span]) -> Option<Vec<Span>> {
        let zero = match spans {
            [only] if only.len() == 1 => Some(only.start()),
            _ => None,
        };
        let zero = zero.filter(|&word| self.zeros.contains_key(&word));
        Some(self.words(spans, zero).0).filter(|spans| !spans.is_empty())
    }

    fn mention(&self, mention: &Mention, diagnostics: &mut Diagnostics) -> Option<Mention> {
        let zero = zero_of(self.document.words(), mention);
        let of_mention = match mention.parts() {
            [] => &[mention.span()][..],
            parts => parts,
        };
        let (runs, lost) = self.words(of_mention, zero);
        let whole = Span::new(runs.first()?.start(), runs.last()?.end())?;
        if lost > 0 {
            let form = words_of(self.document.words(), mention.span().start(), mention.span().last());
            let (position, id) = (self.document.position_of(mention), self.key.id().to_string());
            diagnostics.add(Code::ZeroUnplaced, Some(position), Some(id), || {
                format!("`{}` loses an empty node that the key lacks", shortened(&form))
            });
        }
        let moved = zero.filter(|&zero| self.zeros.get(&zero).copied() != self.places[zero as usize]);
        if moved.is_some() {
            let (position, id) = (self.document.position_of(mention), self.key.id().to_string());
            diagnostics.add(Code::ZeroMoved, Some(position), Some(id), || {
                let name = self.document.entity_name(mention.entity());
                format!("a zero of entity `{name}` gets the key's empty node that depends on the same words, at another place")
            });
        }
        let mut placed = Mention::new(whole, mention.entity(), mention.line(), mention.column());
        let mut details = mention.details().cloned().unwrap_or_default();
        details.parts = if runs.len() > 1 { runs } else { Vec::new() };
        details.min_span = self.words(&details.min_span, zero).0;
        details.min_span.retain(|span| whole.contains(*span));
        if mention.details().is_some() || !details.parts.is_empty() {
            placed = placed.with_details(details)?;
        }
        match mention.head().and_then(|head| self.word(head, zero)) {
            Some(head) => Some(placed.with_head(head)),
            None => Some(placed),
        }
    }

    fn note_unplaced(&self, mention: &Mention, diagnostics: &mut Diagnostics) {
        let (position, id) = (self.document.position_of(mention), self.key.id().to_string());
        diagnostics.add(Code::ZeroUnplaced, Some(position), Some(id), || {
            let name = self.document.entity_name(mention.entity());
            format!("a zero of entity `{name}` is left out: the key has no empty node for it")
        });
    }
}
