//! The words that an empty node depends on, for comparing zeros of two annotations.

use super::Words;

/// The words that an empty node depends on, with the relations and without them. Both lists are sorted and without
/// duplicates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Governors<'w> {
    with_relations: Vec<(Option<u32>, &'w str)>,
    alone: Vec<Option<u32>>,
}

impl<'w> Governors<'w> {
    /// Returns the governors of the empty node `node`, numbered by `number`, so that both sides can be compared.
    pub(crate) fn of(words: &'w Words, node: u32, number: impl Fn(u32) -> u32) -> Governors<'w> {
        let dependencies = words.dependencies(node).iter();
        let mut with_relations: Vec<_> =
            dependencies.map(|found| (found.parent.map(&number), found.relation.as_str())).collect();
        with_relations.sort_unstable();
        with_relations.dedup();
        let mut alone: Vec<_> = with_relations.iter().map(|pair| pair.0).collect();
        alone.dedup();
        Governors { with_relations, alone }
    }

    /// Returns the governing words; `None` is the root.
    pub(crate) fn words(&self) -> &[Option<u32>] {
        &self.alone
    }

    /// Returns the weight of a pair of zeros as a fraction: 10 × F1 of their governors with the relations, plus F1 of
    /// the governors alone. The weight is not zero if they share a governor.
    pub(crate) fn weight(&self, other: &Governors<'_>) -> (u64, u64) {
        let shared = |found: &&(Option<u32>, &str)| other.with_relations.binary_search(found).is_ok();
        let both = self.with_relations.iter().filter(shared).count() as u64;
        let words = self.alone.iter().filter(|word| other.alone.binary_search(word).is_ok()).count() as u64;
        let all = (self.with_relations.len() + other.with_relations.len()) as u64;
        let all_words = (self.alone.len() + other.alone.len()) as u64;
        (20 * both * all_words + 2 * words * all, all * all_words)
    }
}
