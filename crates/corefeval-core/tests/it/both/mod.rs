//! Runs twin and library and compares their results: every score in these tests is computed twice.

#![allow(dead_code, reason = "each test file uses its own part")]

use num_traits::ToPrimitive;

use crate::adaptor;
use crate::twins::{Score, Tally, Twin};

/// The tolerated difference between the library's floating-point scores and the exact ones.
const TOLERANCE: f64 = 1e-12;

/// The names of the parts of a score, in order.
pub const PARTS: [&str; 3] = ["recall", "precision", "F1"];

/// Key and response of a document.
pub type Document<'a> = (&'a [Vec<u32>], &'a [Vec<u32>]);

/// The results on which twin and library agree.
pub struct Evaluation {
    /// The twin's counts.
    pub tally: Tally,
    /// The twin's score.
    pub score: Score,
    /// The library's recall, precision and F1.
    pub numbers: [f64; 3],
    /// True if the library's counts were exact fractions and could be compared.
    pub exact: bool,
}

/// Evaluates one document. Panics unless twin and library have equal counts, and scores within [`TOLERANCE`].
pub fn evaluate(key: &[Vec<u32>], response: &[Vec<u32>], metric: &str) -> Evaluation {
    let (tally, score) = Twin::of(metric).evaluate(key, response);
    let library = adaptor::score_partitions(key, response, metric);
    meet(tally, score, &library, || format!("{metric} of key {key:?}, response {response:?}"))
}

/// Like [`evaluate`], for several documents. Twin and library add up their counts separately.
pub fn evaluate_all(documents: &[Document<'_>], metric: &str) -> Evaluation {
    let twin = Twin::of(metric);
    let mut tally = Tally::default();
    let mut library_tally = adaptor::Tally::default();
    for (key, response) in documents {
        tally = tally.plus(&twin.evaluate(key, response).0);
        adaptor::add(&mut library_tally, &adaptor::score_partitions(key, response, metric).0);
    }
    let score = (twin.score)(&tally);
    let numbers = adaptor::score(&library_tally, metric);
    meet(tally, score, &(library_tally, numbers), || format!("{metric} of {documents:?}"))
}

/// Compares the library's counts and score with the twin's.
pub fn meet(
    tally: Tally,
    score: Score,
    (library_tally, numbers): &(adaptor::Tally, [f64; 3]),
    place: impl Fn() -> String,
) -> Evaluation {
    let exact = adaptor::exact(library_tally);
    if let Some(exact) = &exact {
        assert_eq!(exact, &tally, "counts (left: library, right: twin): {}", place());
    }
    for (part, (number, wanted)) in PARTS.iter().zip(numbers.iter().zip(score.parts())) {
        let nearest = wanted.to_f64().expect("scores are finite");
        let near = (number - nearest).abs() <= TOLERANCE;
        assert!(near, "{part}: library {number}, twin {wanted} = {nearest}: {}", place());
    }
    Evaluation { tally, score, numbers: *numbers, exact: exact.is_some() }
}
