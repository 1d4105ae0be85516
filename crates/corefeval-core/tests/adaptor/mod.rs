//! The one place where tests call the library.

#![allow(dead_code, reason = "each test file uses its own part")]

use corefeval_core::fraction::FractionSum;
use corefeval_core::metrics::Metric;
use corefeval_core::settings::Rules;
use corefeval_core::tally::Counts;
use num_bigint::BigInt;

use crate::twins;

/// The library's counts.
pub type Tally = corefeval_core::tally::Tally;

/// The library's counts of one document, and its recall, precision and F1.
pub fn score_partitions(key: &[Vec<u32>], response: &[Vec<u32>], metric: &str) -> (Tally, [f64; 3]) {
    let (tally, score) = corefeval_core::score_partitions(key, response, &parse(metric));
    (tally, [score.recall, score.precision, score.f1])
}

/// The library's recall, precision and F1 of summed counts.
pub fn score(tally: &Tally, metric: &str) -> [f64; 3] {
    let score = parse(metric).score(tally, &Rules::default());
    [score.recall, score.precision, score.f1]
}

fn parse(metric: &str) -> Metric {
    Metric::parse(metric).unwrap_or_else(|error| panic!("{error}"))
}

/// Adds the counts of another document, the library's way.
pub fn add(sum: &mut Tally, other: &Tally) {
    sum.add(other);
}

/// The library's counts as exact fractions; `None` if one does not fit the library's integers.
pub fn exact(tally: &Tally) -> Option<twins::Tally> {
    Some(twins::Tally { first: exact_counts(&tally.first)?, second: exact_counts(&tally.second)? })
}

fn exact_counts(counts: &Counts) -> Option<twins::Counts> {
    let exact = |sum: &FractionSum| {
        let (numerator, denominator) = sum.to_ratio()?;
        Some(twins::Fraction::new(BigInt::from(numerator), BigInt::from(denominator)))
    };
    Some(twins::Counts {
        recall_num: exact(&counts.recall_num)?,
        recall_den: exact(&counts.recall_den)?,
        precision_num: exact(&counts.precision_num)?,
        precision_den: exact(&counts.precision_den)?,
    })
}
