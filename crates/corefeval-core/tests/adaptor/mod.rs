//! The one place where tests call the library.

#![allow(dead_code, reason = "each test file uses its own part")]

mod stand_in;

use crate::twins;

/// The library's counts.
pub type Tally = stand_in::Tally;

/// The library's counts of one document, and its recall, precision and F1.
pub fn score_partitions(
    key: &[Vec<u32>],
    response: &[Vec<u32>],
    metric: &str,
) -> (Tally, [f64; 3]) {
    let tally = stand_in::tally(key, response, metric);
    let score = score(&tally, metric);
    (tally, score)
}

/// The library's recall, precision and F1 of summed counts.
pub fn score(tally: &Tally, metric: &str) -> [f64; 3] {
    stand_in::score(tally, metric)
}

/// Adds the counts of another document, the library's way.
pub fn add(sum: &mut Tally, other: &Tally) {
    *sum = sum.plus(other);
}

/// The library's counts as exact fractions; `None` if one does not fit the library's integers.
pub fn exact(tally: &Tally) -> Option<twins::Tally> {
    Some(tally.clone())
}
