//! Statistics of a corpus: the numbers of documents, words, mentions and entities, and their sizes, lengths and
//! nesting.
//!
//! Everything is counted as annotated, before any setting drops mentions. A mention is nested if a mention of different
//! words contains its first and its last word. Two mentions cross if each contains exactly one end of the other.

use std::collections::BTreeMap;

use crate::groups::{self, GroupSpec, Label};
use crate::model::Document;
use crate::selection::{Selected, is_zero};

/// The groupings of mentions whose sizes are counted.
const GROUPINGS: [&str; 4] = ["mention-length", "mention-type", "entity-type", "part-of-speech"];

/// The statistics of a corpus.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CorpusStats {
    /// Its documents.
    pub documents: u64,
    /// Its sentences; `None` if a document does not mark them.
    pub sentences: Option<u64>,
    /// The words of its text, without empty nodes; `None` if a document does not contain its words.
    pub words: Option<u64>,
    /// Its mentions.
    pub mentions: u64,
    /// Its entities that have mentions.
    pub entities: u64,
    /// Entities of one mention.
    pub singletons: u64,
    /// The number of mentions in the largest entity.
    pub largest: u64,
    /// The total number of words in all mentions; 0 if mentions have names instead of words.
    pub mention_words: u64,
    /// Mentions whose head is not in the text.
    pub zeros: u64,
    /// Mentions of several runs of words.
    pub discontinuous: u64,
    /// Mentions nested in another one.
    pub nested: u64,
    /// Mentions that overlap with another one without nesting.
    pub crossing: u64,
    /// The numbers of entities or mentions of each kind, by their groups.
    pub distributions: BTreeMap<Distribution, BTreeMap<Label, u64>>,
}

/// The attribute by which entities or mentions are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Distribution {
    /// Entities by the number of their mentions.
    EntitySize,
    /// Mentions by a row of [`GROUPS`](crate::groups::GROUPS), given its place in the order of reports and its id.
    Mentions(usize, &'static str),
}

impl Distribution {
    /// Returns the name in JSON and CSV.
    pub fn id(self) -> &'static str {
        match self {
            Distribution::EntitySize => "entity-size",
            Distribution::Mentions(_, id) => id,
        }
    }

    /// Returns the unit that is counted.
    pub fn unit(self) -> &'static str {
        match self {
            Distribution::EntitySize => "entities",
            Distribution::Mentions(..) => "mentions",
        }
    }
}

impl CorpusStats {
    /// Counts documents.
    pub fn of<'d>(documents: impl IntoIterator<Item = &'d Document>) -> CorpusStats {
        let nothing = CorpusStats { sentences: Some(0), words: Some(0), ..CorpusStats::default() };
        documents.into_iter().fold(nothing, |mut sum, document| {
            sum.add(document);
            sum
        })
    }

    fn add(&mut self, document: &Document) {
        let (words, mentions) = (document.words(), document.mentions());
        let has_text = !words.are_names();
        let known = has_text && words.fingerprint().is_some();
        self.documents += 1;
        self.words = self.words.filter(|_| known).map(|sum| sum + u64::from(words.count_in_text()));
        let sentences = words.sentences().len() as u64;
        self.sentences = self.sentences.filter(|_| known && sentences > 0).map(|sum| sum + sentences);
        let selected = Selected::all(document);
        self.mentions += mentions.len() as u64;
        let sizes = || selected.sizes.iter().copied().filter(|&size| size > 0);
        for size in sizes() {
            self.entities += 1;
            self.singletons += u64::from(size == 1);
            self.largest = self.largest.max(u64::from(size));
            self.count(Distribution::EntitySize, groups::entity_size(size), 1);
        }
        self.zeros += mentions.iter().filter(|mention| is_zero(document, mention)).count() as u64;
        if has_text {
            self.discontinuous += mentions.iter().filter(|mention| mention.parts().len() > 1).count() as u64;
            let spans: Vec<(u32, u32)> =
                mentions.iter().map(|mention| (mention.span().start(), mention.span().end())).collect();
            let (nested, crossing) = nested_and_crossing(spans);
            self.nested += nested;
            self.crossing += crossing;
            let lengths = mentions.iter().map(|mention| u64::from(mention.word_count()));
            self.mention_words += lengths.sum::<u64>();
        }
        for (place, id) in
            GROUPINGS.into_iter().enumerate().filter(|(_, id)| has_text || *id != "mention-length")
        {
            let counted = GroupSpec::named(id).ok().and_then(|spec| spec.count_mentions(document, &selected));
            for (label, count) in counted.into_iter().flatten() {
                self.count(Distribution::Mentions(place, id), label, count);
            }
        }
    }

    fn count(&mut self, distribution: Distribution, label: Label, count: u64) {
        *self.distributions.entry(distribution).or_default().entry(label).or_default() += count;
    }

    /// Returns the mean number of mentions of an entity; `None` without entities.
    pub fn mean_size(&self) -> Option<f64> {
        (self.entities > 0).then(|| self.mentions as f64 / self.entities as f64)
    }

    /// Returns the mean number of words of a mention; `None` if no mention has words.
    pub fn mean_length(&self) -> Option<f64> {
        (self.mention_words > 0).then(|| self.mention_words as f64 / self.mentions as f64)
    }
}

/// Returns the numbers of spans within another span, and of spans that cross one. Equal spans count as one place, so
/// neither is within the other. Takes O(n log n) time.
fn nested_and_crossing(mut spans: Vec<(u32, u32)>) -> (u64, u64) {
    // Among spans with the same start the longest comes first, so that a span follows all spans that contain it.
    spans.sort_unstable_by_key(|&(start, end)| (start, std::cmp::Reverse(end)));
    let copies: Vec<((u32, u32), u64)> =
        spans.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u64)).collect();
    let mut nested = 0;
    let mut furthest = 0;
    for &((_, end), count) in &copies {
        if furthest >= end {
            nested += count;
        }
        furthest = furthest.max(end);
    }
    // A span crosses a later span that starts within it and ends beyond it, or an earlier span that ends within it.
    let ends: Vec<u32> = copies.iter().map(|copy| copy.0.1).collect();
    let latest = Extremes::new(&ends);
    let mut by_end: Vec<(u32, u32)> = copies.iter().map(|&((start, end), _)| (end, start)).collect();
    by_end.sort_unstable();
    // The inverted minimum of starts is the largest remaining value.
    let starts: Vec<u32> = by_end.iter().map(|&(_, start)| u32::MAX - start).collect();
    let earliest = Extremes::new(&starts);
    let mut crossing = 0;
    for &((start, end), count) in &copies {
        let from = copies.partition_point(|copy| copy.0.0 <= start);
        let to = copies.partition_point(|copy| copy.0.0 < end);
        let later = latest.largest(from, to).is_some_and(|latest| latest > end);
        let from = by_end.partition_point(|&(other, _)| other <= start);
        let to = by_end.partition_point(|&(other, _)| other < end);
        let earlier = earliest.largest(from, to).is_some_and(|earliest| u32::MAX - earliest < start);
        if later || earlier {
            crossing += count;
        }
    }
    (nested, crossing)
}

/// Finds the largest value of any range of a list: stores, for every power of two, the maximum of each range of that
/// length.
struct Extremes(Vec<Vec<u32>>);

impl Extremes {
    fn new(values: &[u32]) -> Extremes {
        let mut levels = vec![values.to_vec()];
        let mut length = 1;
        while 2 * length <= values.len() {
            let below = &levels[levels.len() - 1];
            let next = (0..=values.len() - 2 * length).map(|place| below[place].max(below[place + length]));
            let next = next.collect();
            levels.push(next);
            length *= 2;
        }
        Extremes(levels)
    }

    /// Returns the largest value between two places; `None` if the range is empty.
    fn largest(&self, from: usize, to: usize) -> Option<u32> {
        let level = to.checked_sub(from).filter(|&length| length > 0)?.ilog2();
        let values = &self.0[level as usize];
        Some(values[from].max(values[to - (1 << level)]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{FormatSpec, ReadOptions};

    /// Compares every pair of spans, as a reference.
    fn plain(spans: &[(u32, u32)]) -> (u64, u64) {
        let within = |a: &(u32, u32), b: &(u32, u32)| a != b && b.0 <= a.0 && a.1 <= b.1;
        let cross = |a: &(u32, u32), b: &(u32, u32)| {
            (a.0 < b.0 && b.0 < a.1 && a.1 < b.1) || (b.0 < a.0 && a.0 < b.1 && b.1 < a.1)
        };
        type Words = (u32, u32);
        let count = |related: &dyn Fn(&Words, &Words) -> bool| {
            spans.iter().filter(|a| spans.iter().any(|b| related(a, b))).count() as u64
        };
        (count(&within), count(&cross))
    }

    #[test]
    fn nested_and_crossing_spans_agree_with_all_pairs() {
        assert_eq!(nested_and_crossing(vec![(0, 5), (1, 2), (1, 2), (4, 7), (7, 8)]), (2, 2));
        let mut state = 1u64;
        let mut random = |below: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) as u32) % below
        };
        for round in 0..2_000 {
            let spans: Vec<(u32, u32)> = (0..random(12))
                .map(|_| {
                    let start = random(3 + round % 10);
                    (start, start + 1 + random(5))
                })
                .collect();
            assert_eq!(nested_and_crossing(spans.clone()), plain(&spans), "{spans:?}");
        }
    }

    /// Counted by hand: {Ida, she, her} with "her" within "her old car", {her old car}, {the man | she} in part.
    #[test]
    fn a_document_is_counted_as_it_is_annotated() {
        let text = "#begin document (d); part 000\n\
            d\t0\t0\tIda\tNNP\t(1)\n\
            d\t0\t1\tsold\tVBD\t-\n\
            d\t0\t2\ther\tPRP$\t(2|(1)\n\
            d\t0\t3\told\tJJ\t-\n\
            d\t0\t4\tcar\tNN\t2)\n\
            \n\
            d\t0\t0\tShe\tPRP\t(1)\n\
            #end document\n";
        let corpus = FormatSpec::named("conll").unwrap().read(text.as_bytes(), "d", ReadOptions::default());
        let stats = CorpusStats::of(&corpus.unwrap().documents);
        assert_eq!((stats.documents, stats.sentences, stats.words), (1, Some(2), Some(6)));
        assert_eq!((stats.mentions, stats.entities, stats.singletons, stats.largest), (4, 2, 1, 3));
        assert_eq!((stats.nested, stats.crossing, stats.zeros, stats.discontinuous), (1, 0, 0, 0));
        assert_eq!((stats.mean_size(), stats.mean_length()), (Some(2.0), Some(1.5)));
        let of = |distribution: Distribution| -> Vec<(&str, u64)> {
            let rows = stats.distributions[&distribution].iter();
            rows.map(|(label, &count)| (label.1.as_str(), count)).collect()
        };
        assert_eq!(of(Distribution::EntitySize), [("1 mention", 1), ("3 to 4 mentions", 1)]);
        assert_eq!(of(Distribution::Mentions(0, "mention-length")), [("1 word", 3), ("3 to 4 words", 1)]);
        let nothing = CorpusStats::of([]);
        assert_eq!((nothing.documents, nothing.mean_size(), nothing.mean_length()), (0, None, None));
    }
}
