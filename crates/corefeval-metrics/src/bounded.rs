//! CEAF within bounds, for searches that stop before the best map is proved.
//!
//! The first counts of such a tally hold the total of a map. The numerators of its second counts hold the maximum
//! amount by which a better map could exceed it. Both add up over documents like all counts, so bounds of a corpus are
//! sums of bounds.

use std::time::Instant;

use crate::aligned::{AlignedEntities, CeafBound, WHOLE_GAP};
use crate::assignment::{Bounds, Limit, Weight};
use crate::fraction::FractionSum;
use crate::overlap::Overlap;
use crate::tally::{Counts, RealTally, Score, Tally};

/// The limits of the searches of a metric in a document.
pub(crate) struct SearchLimits {
    gap: u32,
    until: Option<Instant>,
}

/// The units that denominators count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CountedUnit {
    Mentions,
    Entities,
}

impl SearchLimits {
    /// Returns the limits for a pair, if it has any. The time starts now.
    pub(crate) fn of(pair: &AlignedEntities) -> Option<SearchLimits> {
        let CeafBound { gap, time } = pair.ceaf_bound()?;
        Some(SearchLimits {
            gap: gap.unwrap_or(0),
            until: time.and_then(|time| Instant::now().checked_add(time)),
        })
    }

    /// Returns the difference that is accepted for a component, in parts of 1 / `scale`: the gap times the smaller of
    /// its denominators. Over all components and documents, the differences then add up to at most the gap times
    /// either denominator.
    pub(crate) fn slack(&self, overlap: &Overlap, part: &[u32], unit: CountedUnit, scale: u64) -> u128 {
        if self.gap == 0 {
            return 0;
        }
        let cells = part.iter().map(|&place| &overlap.cells()[place as usize]);
        let count = |mut entities: Vec<u32>, sizes: &[u32]| -> u128 {
            entities.sort_unstable();
            entities.dedup();
            match unit {
                CountedUnit::Entities => entities.len() as u128,
                CountedUnit::Mentions => {
                    entities.iter().map(|&entity| u128::from(sizes[entity as usize])).sum()
                }
            }
        };
        let key = count(cells.clone().map(|cell| cell.key).collect(), overlap.key_sizes());
        let response = count(cells.map(|cell| cell.response).collect(), overlap.response_sizes());
        key.min(response) * u128::from(scale) * u128::from(self.gap) / u128::from(WHOLE_GAP)
    }

    pub(crate) fn limit<W: Weight>(&self, slack: W) -> Limit<W> {
        Limit { slack, until: self.until }
    }
}

/// Returns bounds that hold for the exact similarities if weights are rounded to the nearest unit: each pair of a map
/// may be off by half a unit. Exact results are the same as without a limit.
pub(crate) fn beyond_rounding(bounds: Bounds<i128>, cells: usize) -> Bounds<i128> {
    if bounds.is_exact() {
        return bounds;
    }
    let off = cells as i128;
    Bounds { lower: (bounds.lower - off).max(0), upper: bounds.upper + off }
}

/// Adds an excess to both numerators of the second counts.
pub(crate) fn add_excess(into: &mut Tally, excess: &FractionSum) {
    if !excess.is_zero() {
        into.second.recall_num.add(excess);
        into.second.precision_num.add(excess);
    }
}

/// Returns the score that no map can exceed, if searches stopped early.
pub(crate) fn upper_score(tally: &Tally) -> Option<Score> {
    if tally.second.recall_num.is_zero() {
        return None;
    }
    let Tally { first, second } = tally;
    let plus = |one: &FractionSum, other: &FractionSum| {
        let mut sum = one.clone();
        sum.add(other);
        sum
    };
    let upper = Tally {
        first: Counts {
            recall_num: plus(&first.recall_num, &second.recall_num),
            precision_num: plus(&first.precision_num, &second.precision_num),
            ..first.clone()
        },
        second: Counts::default(),
    };
    let RealTally { first, .. } = upper.to_real();
    let Score { recall, precision, .. } = first.score();
    // A map cannot share more than either side has.
    Some(Score::new(recall.min(1.0), precision.min(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three pairs may be off by half a unit each. Exact totals are not changed, and no bound is below 0.
    #[test]
    fn bounds_of_rounded_weights_leave_room_for_rounding() {
        assert_eq!(beyond_rounding(Bounds { lower: 10, upper: 20 }, 3), Bounds { lower: 7, upper: 23 });
        assert_eq!(beyond_rounding(Bounds { lower: 2, upper: 20 }, 3), Bounds { lower: 0, upper: 23 });
        assert_eq!(beyond_rounding(Bounds { lower: 10, upper: 10 }, 3), Bounds { lower: 10, upper: 10 });
    }

    /// Key entities of 3 and 4 mentions share some with a response entity of 5 and with one of 2; a third has 9 mentions.
    #[test]
    fn the_room_of_a_component_is_the_gap_times_the_smaller_denominator() {
        let cells = [(0, 0, 2), (1, 0, 3), (1, 1, 1), (2, 2, 8)];
        let cells = cells
            .map(|(key, response, shared)| crate::overlap::OverlapCell { key, response, shared })
            .to_vec();
        let overlap = Overlap::of_cells(vec![3, 4, 9], vec![5, 3, 8], cells);
        let of = |gap, part: &[u32], unit, scale| {
            SearchLimits { gap, until: None }.slack(&overlap, part, unit, scale)
        };
        // The smaller of 7 and 8 mentions, in sixths, times a quarter is 10.5.
        assert_eq!(of(250_000, &[0, 1, 2], CountedUnit::Mentions, 6), 10);
        // There are two entities on each side, and then one of the key and one of the response.
        assert_eq!(of(250_000, &[0, 1, 2], CountedUnit::Entities, 6), 3);
        assert_eq!(of(WHOLE_GAP, &[3], CountedUnit::Entities, 1), 1);
        assert_eq!(of(WHOLE_GAP, &[3], CountedUnit::Mentions, 1), 8);
        assert_eq!(of(0, &[0, 1, 2], CountedUnit::Mentions, 6), 0);
        // The largest scale is fixed point.
        assert_eq!(of(500_000, &[0, 1, 2], CountedUnit::Entities, 1 << 62), 1 << 62);
    }
}
