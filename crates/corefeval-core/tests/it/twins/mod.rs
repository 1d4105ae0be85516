//! Plain twins: each metric implemented again, slow and obvious, in exact fractions.
//!
//! They examine mentions, links and entities one by one, as the papers define them, and do not use overlap tables.
//! Tests compare the library with them. They need not be fast: links are written out, and a small CEAF tries all
//! permutations.

#![allow(dead_code, reason = "each test file uses its own part")]

pub mod ace_value;
pub mod assignment;
pub mod b_cubed;
pub mod blanc;
pub mod ceaf;
pub mod errors;
pub mod groups;
pub mod lea;
pub mod links;
pub mod mentions;
pub mod min_span;
pub mod muc;
pub mod pairwise;
pub mod rand;
pub mod repeated;
pub mod weights;

use std::collections::BTreeSet;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;

/// An exact fraction.
pub type Fraction = BigRational;

/// A set of mentions.
pub type Entity = BTreeSet<u32>;

/// A metric's twin.
pub struct Twin {
    /// The metric as typed, parameters included.
    pub id: &'static str,
    /// Counts one document.
    pub tally: fn(&[Entity], &[Entity]) -> Tally,
    /// The score of summed counts.
    pub score: fn(&Tally) -> Score,
    /// True if documents without a common mention have the same counts separately and as one document. Metrics that
    /// count the pairs of mentions that do not corefer differ.
    pub joins: bool,
}

/// All twins.
pub static TWINS: &[Twin] = &[
    Twin { id: "mentions", tally: mentions::tally, score: Tally::score, joins: true },
    Twin { id: "muc", tally: muc::tally, score: Tally::score, joins: true },
    Twin { id: "b_cubed", tally: b_cubed::tally, score: Tally::score, joins: true },
    Twin { id: "b_cubed:weight=entity", tally: b_cubed::tally_by_entity, score: Tally::score, joins: true },
    Twin { id: "ceaf_1", tally: ceaf::tally_1, score: Tally::score, joins: true },
    Twin { id: "ceaf_2", tally: ceaf::tally_2, score: Tally::score, joins: true },
    Twin { id: "ceaf_m", tally: ceaf::tally_3, score: Tally::score, joins: true },
    Twin { id: "ceaf_e", tally: ceaf::tally_4, score: Tally::score, joins: true },
    Twin { id: "blanc", tally: blanc::tally, score: blanc::score_by_key, joins: false },
    Twin { id: "blanc:halves=key", tally: blanc::tally, score: blanc::score_by_key, joins: false },
    Twin { id: "blanc:halves=either", tally: blanc::tally, score: blanc::score_by_either, joins: false },
    Twin { id: "lea", tally: lea::tally, score: Tally::score, joins: true },
    Twin { id: "lea:importance=uniform", tally: lea::tally_uniform, score: Tally::score, joins: true },
    Twin { id: "pairwise", tally: pairwise::tally, score: Tally::score, joins: true },
    Twin { id: "rand", tally: rand::tally, score: Tally::score, joins: false },
    Twin { id: "adjusted_rand", tally: rand::tally_adjusted, score: rand::score_adjusted, joins: false },
];

impl Twin {
    /// Returns the twin of `metric`.
    pub fn of(metric: &str) -> &'static Twin {
        TWINS.iter().find(|twin| twin.id == metric).unwrap_or_else(|| panic!("no twin of `{metric}`"))
    }

    /// Returns counts and score of one document given as lists of mentions.
    pub fn evaluate(&self, key: &[Vec<u32>], response: &[Vec<u32>]) -> (Tally, Score) {
        let tally = (self.tally)(&entities(key), &entities(response));
        let score = (self.score)(&tally);
        (tally, score)
    }
}

/// Converts lists of mentions to entities. A mention belongs to the first list that contains it, and entities without
/// mentions are dropped.
pub fn entities(lists: &[Vec<u32>]) -> Vec<Entity> {
    let mut seen = BTreeSet::new();
    let mut entities = Vec::new();
    for list in lists {
        let entity: Entity = list.iter().copied().filter(|&mention| seen.insert(mention)).collect();
        if !entity.is_empty() {
            entities.push(entity);
        }
    }
    entities
}

/// Returns all mentions of a side.
pub fn mentions_of(entities: &[Entity]) -> BTreeSet<u32> {
    entities.iter().flatten().copied().collect()
}

/// Returns the entity that contains `mention`.
pub fn holder(entities: &[Entity], mention: u32) -> Option<&Entity> {
    entities.iter().find(|entity| entity.contains(&mention))
}

/// Returns `numerator / denominator` of two counts. Panics if the denominator is 0.
pub fn fraction(numerator: usize, denominator: usize) -> Fraction {
    Fraction::new(BigInt::from(numerator), BigInt::from(denominator))
}

/// Returns a count as a fraction.
pub fn whole(count: usize) -> Fraction {
    fraction(count, 1)
}

/// Returns `numerator / denominator`, or 0 if the denominator is 0.
pub fn ratio(numerator: &Fraction, denominator: &Fraction) -> Fraction {
    if denominator.is_zero() { Fraction::zero() } else { numerator / denominator }
}

/// Numerators and denominators of recall and precision.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub recall_num: Fraction,
    pub recall_den: Fraction,
    pub precision_num: Fraction,
    pub precision_den: Fraction,
}

impl Counts {
    /// Makes whole counts: numerator and denominator of recall, then of precision.
    pub fn integers(recall: (usize, usize), precision: (usize, usize)) -> Counts {
        Counts {
            recall_num: whole(recall.0),
            recall_den: whole(recall.1),
            precision_num: whole(precision.0),
            precision_den: whole(precision.1),
        }
    }

    /// Returns the sum of two documents' counts.
    pub fn plus(&self, other: &Counts) -> Counts {
        Counts {
            recall_num: &self.recall_num + &other.recall_num,
            recall_den: &self.recall_den + &other.recall_den,
            precision_num: &self.precision_num + &other.precision_num,
            precision_den: &self.precision_den + &other.precision_den,
        }
    }

    /// Returns the counts with key and response exchanged.
    pub fn swapped(&self) -> Counts {
        Counts {
            recall_num: self.precision_num.clone(),
            recall_den: self.precision_den.clone(),
            precision_num: self.recall_num.clone(),
            precision_den: self.recall_den.clone(),
        }
    }

    /// Returns recall, precision and their harmonic mean.
    pub fn score(&self) -> Score {
        let recall = ratio(&self.recall_num, &self.recall_den);
        let precision = ratio(&self.precision_num, &self.precision_den);
        let f1 = ratio(&(whole(2) * &recall * &precision), &(&recall + &precision));
        Score { recall, precision, f1 }
    }
}

/// The counts of a metric: `first` for all metrics; `second` for BLANC (`first` being coreference
/// links, `second` non-coreference links) and adjusted Rand (all pairs).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub first: Counts,
    pub second: Counts,
}

impl Tally {
    /// Makes the tally of a metric with one pair of counts.
    pub fn one(first: Counts) -> Tally {
        Tally { first, second: Counts::default() }
    }

    /// Returns the sum of two documents' tallies.
    pub fn plus(&self, other: &Tally) -> Tally {
        Tally { first: self.first.plus(&other.first), second: self.second.plus(&other.second) }
    }

    /// Returns the tally with key and response exchanged.
    pub fn swapped(&self) -> Tally {
        Tally { first: self.first.swapped(), second: self.second.swapped() }
    }

    /// Returns the score of a metric with one pair of counts.
    pub fn score(&self) -> Score {
        self.first.score()
    }
}

/// Recall, precision and F1 as exact fractions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Score {
    pub recall: Fraction,
    pub precision: Fraction,
    pub f1: Fraction,
}

impl Score {
    /// Returns recall, precision and F1, in this order.
    pub fn parts(&self) -> [&Fraction; 3] {
        [&self.recall, &self.precision, &self.f1]
    }

    /// Returns the score with key and response exchanged.
    pub fn swapped(&self) -> Score {
        Score { recall: self.precision.clone(), precision: self.recall.clone(), f1: self.f1.clone() }
    }
}
