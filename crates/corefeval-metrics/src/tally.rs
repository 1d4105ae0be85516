//! The counts of a metric in a document, and the scores computed from them.
//!
//! Counts can be added over documents, groups and machines. Recall, precision and F1 are computed once, from the sums.

use crate::fraction::FractionSum;

/// Numerators and denominators of recall and precision.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// The part of the key that was found.
    pub recall_num: FractionSum,
    /// The total of the key.
    pub recall_den: FractionSum,
    /// The correct part of the response.
    pub precision_num: FractionSum,
    /// The total of the response.
    pub precision_den: FractionSum,
}

impl Counts {
    /// Adds the four numbers of `other`.
    pub fn add(&mut self, other: &Counts) {
        self.recall_num.add(&other.recall_num);
        self.recall_den.add(&other.recall_den);
        self.precision_num.add(&other.precision_num);
        self.precision_den.add(&other.precision_den);
    }

    /// Adds the four numbers of `other`, multiplied by `times`.
    fn add_times(&mut self, other: &Counts, times: u64) {
        self.recall_num.add_times(&other.recall_num, times);
        self.recall_den.add_times(&other.recall_den, times);
        self.precision_num.add_times(&other.precision_num, times);
        self.precision_den.add_times(&other.precision_den, times);
    }

    /// Adds four integers, for metrics whose counts are integers.
    pub fn add_integers(&mut self, recall: (u64, u64), precision: (u64, u64)) {
        self.recall_num.add_integer(recall.0.into());
        self.recall_den.add_integer(recall.1.into());
        self.precision_num.add_integer(precision.0.into());
        self.precision_den.add_integer(precision.1.into());
    }

    /// Returns recall, precision and F1; a score with denominator 0 is 0.
    pub fn score(&self) -> Score {
        self.to_real().score()
    }

    /// Returns the four numbers as doubles: integers up to 2⁵³ exactly, fractions as the nearest double.
    pub fn to_real(&self) -> RealCounts {
        RealCounts {
            recall_num: self.recall_num.to_f64(),
            recall_den: self.recall_den.to_f64(),
            precision_num: self.precision_num.to_f64(),
            precision_den: self.precision_den.to_f64(),
        }
    }
}

/// [`Counts`] as doubles, for scores and resampling.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RealCounts {
    /// The part of the key that was found.
    pub recall_num: f64,
    /// The total of the key.
    pub recall_den: f64,
    /// The correct part of the response.
    pub precision_num: f64,
    /// The total of the response.
    pub precision_den: f64,
}

impl RealCounts {
    /// Returns recall, precision and F1; a score with denominator 0 is 0.
    pub fn score(&self) -> Score {
        Score::new(ratio(self.recall_num, self.recall_den), ratio(self.precision_num, self.precision_den))
    }
}

/// Returns `numerator / denominator`, and 0 if the denominator is 0.
fn ratio(numerator: f64, denominator: f64) -> f64 {
    if denominator == 0.0 { 0.0 } else { numerator / denominator }
}

/// The counts of one metric. Most metrics have one pair of counts. BLANC has two (coreference links, then
/// non-coreference links), and so does adjusted Rand (see there).
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// The first counts, which are the only ones of most metrics.
    pub first: Counts,
    /// The second counts, for metrics that have them.
    pub second: Counts,
}

impl Tally {
    /// Adds `other`.
    pub fn add(&mut self, other: &Tally) {
        self.first.add(&other.first);
        self.second.add(&other.second);
    }

    /// Adds the counts of `times` documents that have the counts `other`.
    pub fn add_times(&mut self, other: &Tally, times: u64) {
        self.first.add_times(&other.first, times);
        self.second.add_times(&other.second, times);
    }

    /// Returns whether recall, precision and F1 are defined: their denominator (for F1, one of the two denominators) is
    /// not 0.
    pub fn defined(&self) -> [bool; 3] {
        let has = |den: fn(&Counts) -> &FractionSum| {
            [&self.first, &self.second].iter().any(|counts| !den(counts).is_zero())
        };
        let (recall, precision) = (has(|counts| &counts.recall_den), has(|counts| &counts.precision_den));
        [recall, precision, recall || precision]
    }

    /// Returns the counts as doubles; see [`Counts::to_real`].
    pub fn to_real(&self) -> RealTally {
        RealTally { first: self.first.to_real(), second: self.second.to_real() }
    }
}

/// A [`Tally`] as doubles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RealTally {
    /// The first counts, which are the only ones of most metrics.
    pub first: RealCounts,
    /// The second counts, for metrics that have them.
    pub second: RealCounts,
}

/// The names of a part of a [`Score`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartNames {
    /// As typed after a dot and as in JSON: `f1`.
    pub id: &'static str,
    /// Within a sentence: `recall`.
    pub name: &'static str,
    /// At the head of a column: `Recall`.
    pub label: &'static str,
    /// The label below the name of a metric: `R`.
    pub short: &'static str,
}

/// The parts of a score, in the order of all results.
pub const SCORE_PARTS: [PartNames; 3] = [
    PartNames { id: "recall", name: "recall", label: "Recall", short: "R" },
    PartNames { id: "precision", name: "precision", label: "Precision", short: "P" },
    PartNames { id: "f1", name: "F1", label: "F1", short: "F1" },
];

/// Recall, precision and F1 as fractions; 1 is perfect.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Score {
    /// The share of the key that was found.
    pub recall: f64,
    /// The share of the response that is correct.
    pub precision: f64,
    /// The harmonic mean of both, unless the metric defines its own.
    pub f1: f64,
}

impl Score {
    /// Creates a score with the harmonic mean as F1 (0 if both are 0).
    pub fn new(recall: f64, precision: f64) -> Score {
        Score { recall, precision, f1: harmonic_mean(recall, precision) }
    }

    /// Returns the mean of each part over several scores; 0 if there are none.
    pub fn mean(scores: impl ExactSizeIterator<Item = Score>) -> Score {
        let number = scores.len().max(1) as f64;
        let sum = scores.fold(Score::default(), |sum, score| Score {
            recall: sum.recall + score.recall,
            precision: sum.precision + score.precision,
            f1: sum.f1 + score.f1,
        });
        Score { recall: sum.recall / number, precision: sum.precision / number, f1: sum.f1 / number }
    }
}

/// Returns 2ab / (a + b), and 0 if a + b is 0.
pub fn harmonic_mean(a: f64, b: f64) -> f64 {
    if a + b == 0.0 { 0.0 } else { 2.0 * a * b / (a + b) }
}
