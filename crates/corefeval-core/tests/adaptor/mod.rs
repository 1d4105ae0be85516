//! The one place where tests call the library, and where its answer meets the twin's.

#![allow(dead_code, reason = "each test file uses its own part")]

mod stand_in;

use num_traits::ToPrimitive;

use crate::twins::{Fraction, Score, Tally, Twin};

/// How far the library's floating-point scores may lie from the exact ones.
const TOLERANCE: f64 = 1e-12;

/// The library's counts.
pub type LibraryTally = Tally;

/// The library's counts, and its recall, precision and F1.
fn score_partitions(
    key: &[Vec<u32>],
    response: &[Vec<u32>],
    metric: &str,
) -> (LibraryTally, [f64; 3]) {
    stand_in::score_partitions(key, response, metric)
}

/// The library's counts as exact fractions; `None` if one does not fit the library's integers.
pub fn exact(tally: &LibraryTally) -> Option<Tally> {
    Some(tally.clone())
}

/// Adds the counts of another document, the library's way.
pub fn add(sum: &mut LibraryTally, other: &LibraryTally) {
    *sum = sum.plus(other);
}

/// What twin and library agree on.
pub struct Evaluation {
    /// The twin's counts.
    pub tally: Tally,
    /// The twin's score.
    pub score: Score,
    /// The library's counts.
    pub library_tally: LibraryTally,
    /// The library's recall, precision and F1.
    pub library_score: [f64; 3],
}

/// Scores with the twin and with the library; panics unless the counts are equal and the scores as
/// close as floating-point numbers come.
pub fn evaluate(key: &[Vec<u32>], response: &[Vec<u32>], metric: &str) -> Evaluation {
    let (tally, score) = Twin::of(metric).evaluate(key, response);
    let (library_tally, library_score) = score_partitions(key, response, metric);
    let place = || format!("{metric} of key {key:?}, response {response:?}");
    if let Some(exact) = exact(&library_tally) {
        assert_eq!(exact, tally, "counts (library, twin): {}", place());
    }
    let parts = [&score.recall, &score.precision, &score.f1];
    for (name, (part, number)) in ["recall", "precision", "F1"]
        .iter()
        .zip(parts.iter().zip(library_score))
    {
        let wanted = to_f64(part);
        let near = (number - wanted).abs() <= TOLERANCE;
        assert!(
            near,
            "{name}: library {number}, twin {part} = {wanted}: {}",
            place()
        );
    }
    Evaluation {
        tally,
        score,
        library_tally,
        library_score,
    }
}

/// The nearest floating-point number.
fn to_f64(fraction: &Fraction) -> f64 {
    fraction.to_f64().expect("scores are finite")
}
