//! The only module of these tests that calls the library.

#![allow(dead_code, reason = "each test file uses its own part")]

use corefeval_core::diagnostic::Diagnostics;
use corefeval_core::evaluation::score_documents;
use corefeval_core::formats::{FormatSpec, ReadOptions};
use corefeval_core::fraction::FractionSum;
use corefeval_core::metrics::Metric;
use corefeval_core::overlap::align_entities;
use corefeval_core::pairing::pair;
use corefeval_core::profiles::Profile;
use corefeval_core::score::Task;
use corefeval_core::settings::{Rules, Settings};
use corefeval_core::tally::Counts;
use num_bigint::BigInt;

use crate::twins;

/// The library's counts.
pub type Tally = corefeval_core::tally::Tally;

/// Returns the library's counts of one document, and its recall, precision and F1.
pub fn score_partitions(key: &[Vec<u32>], response: &[Vec<u32>], metric: &str) -> (Tally, [f64; 3]) {
    let mut tally = Tally::default();
    parse(metric).tally(&align_entities(key, response), &mut tally);
    let numbers = score(&tally, metric);
    // Weights, and sides that repeat a mention, are an error of the function for partitions.
    if let Ok(found) = corefeval_core::score_partitions(key, response, &[metric]) {
        let of_partitions = found[0].score;
        assert_eq!([of_partitions.recall, of_partitions.precision, of_partitions.f1], numbers, "{metric}");
    }
    (tally, numbers)
}

/// Returns the library's counts of links as written, in key and response as lines of links, and its score.
pub fn score_links(sides: [String; 2]) -> (Tally, [f64; 3]) {
    let format = FormatSpec::named("links").expect("the format exists");
    let [key, response] =
        sides.map(|text| format.read(text.as_bytes(), "x", ReadOptions::default()).expect("links"));
    let mut discarded = Diagnostics::default();
    let pairs = pair(&key, &response, &mut discarded).expect("one document on each side");
    let settings = Settings::of(Profile::for_format("links"));
    let task = Task { settings, metrics: vec![parse("links_as_written")], by: None, threads: 1 };
    let result = score_documents(&pairs, &task, &mut discarded).unwrap().results.remove(0);
    let score = result.score;
    (result.tally.expect("counts"), [score.recall, score.precision, score.f1])
}

/// Returns the library's recall, precision and F1 of summed counts.
pub fn score(tally: &Tally, metric: &str) -> [f64; 3] {
    let score = parse(metric).score(tally, &Rules::default());
    [score.recall, score.precision, score.f1]
}

fn parse(metric: &str) -> Metric {
    Metric::parse(metric).unwrap_or_else(|error| panic!("{error}"))
}

/// Adds the counts of another document with the library's addition.
pub fn add(sum: &mut Tally, other: &Tally) {
    sum.add(other);
}

/// Converts the library's counts to exact fractions; `None` if one does not fit the library's integers.
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
