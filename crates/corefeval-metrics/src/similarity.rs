//! The similarities of entities whose total CEAF maximises.

use crate::aligned::AlignedEntities;
use crate::overlap::{Overlap, OverlapCell};

/// The similarities, without weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Similarity {
    Phi1,
    Phi2,
    Phi3,
    Phi4,
}

impl Similarity {
    /// Returns the similarity of the entities of a cell, as a fraction.
    pub(crate) fn of(self, overlap: &Overlap, cell: &OverlapCell) -> (u64, u64) {
        match self {
            Similarity::Phi1 => (is_equal(overlap, cell) as u64, 1),
            Similarity::Phi2 => (1, 1),
            Similarity::Phi3 => (cell.shared.into(), 1),
            Similarity::Phi4 => {
                let Phi4 { numerator, denominator } = Phi4::of(overlap, cell);
                (numerator, denominator)
            }
        }
    }
}

/// Returns φ1 of two entities.
pub(crate) fn is_equal(overlap: &Overlap, cell: &OverlapCell) -> i64 {
    let sizes = sizes(overlap, cell);
    i64::from(sizes.0 == u64::from(cell.shared) && sizes.1 == sizes.0)
}

/// A similarity 2 |K ∩ R| / (|K| + |R|).
#[derive(Clone, Copy)]
pub(crate) struct Phi4 {
    pub(crate) numerator: u64,
    pub(crate) denominator: u64,
}

impl Phi4 {
    pub(crate) fn of(overlap: &Overlap, cell: &OverlapCell) -> Phi4 {
        let (key, response) = sizes(overlap, cell);
        Phi4 { numerator: 2 * u64::from(cell.shared), denominator: key + response }
    }

    /// Returns whether it is at least as large as another. The numbers are below 2³³, so the products fit.
    pub(crate) fn at_least(self, other: Phi4) -> bool {
        let ours = u128::from(self.numerator) * u128::from(other.denominator);
        ours >= u128::from(other.numerator) * u128::from(self.denominator)
    }
}

/// Returns the entities of the response that a similarity compares, by their numbers in its own view; `None` if it
/// compares all.
pub(crate) fn kept_responses(pair: &AlignedEntities, similarity: Similarity) -> Option<Vec<u32>> {
    (similarity == Similarity::Phi4 && pair.drops_response_singletons()).then(|| {
        let sizes = (0..).zip(pair.similarity_view().response_sizes());
        sizes.filter(|(_, size)| **size != 1).map(|(entity, _)| entity).collect()
    })
}

fn sizes(overlap: &Overlap, cell: &OverlapCell) -> (u64, u64) {
    let size = |sizes: &[u32], entity: u32| u64::from(sizes[entity as usize]);
    (size(overlap.key_sizes(), cell.key), size(overlap.response_sizes(), cell.response))
}
