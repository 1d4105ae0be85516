//! Scores as exact fractions.
//!
//! Reports show scores as doubles. The steps of a difference must add up to it exactly, so this module computes scores
//! from the same counts with the same formulas in rational numbers of any size.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{FromPrimitive, ToPrimitive, Zero};

use crate::metrics::Metric;
use crate::results::MetricResult;
use crate::score::{DocumentTallies, totals};
use crate::settings::{Average, Halves, Rules, Settings};
use corefeval_metrics::fraction::FractionSum;
use corefeval_metrics::tally::{Counts, Tally};

/// An exact number.
pub type Exact = BigRational;

/// Recall, precision and F1.
pub type ExactScore = [Exact; 3];

/// Returns a score of 0.
pub fn nothing() -> ExactScore {
    [Exact::zero(), Exact::zero(), Exact::zero()]
}

/// Returns the nearest double.
pub fn to_f64(number: &Exact) -> f64 {
    number.to_f64().unwrap_or_default()
}

/// Returns the exact value of a double.
pub fn of_f64(number: f64) -> Exact {
    Exact::from_float(number).unwrap_or_else(Exact::zero)
}

/// Returns `ours - theirs`, part by part.
pub fn difference(ours: &ExactScore, theirs: &ExactScore) -> ExactScore {
    [0, 1, 2].map(|part| &ours[part] - &theirs[part])
}

/// Adds `other` to `sum`, part by part.
pub fn add(sum: &mut ExactScore, other: &ExactScore) {
    sum.iter_mut().zip(other).for_each(|(sum, other)| *sum += other);
}

/// Returns a sum of counts as one fraction.
fn of_sum(sum: &FractionSum) -> Exact {
    let (whole, parts) = sum.terms();
    // The fractions have few denominators, so a common one is cheaper than one reduction for each.
    let (mut numerator, mut denominator) = (BigInt::from(whole), BigInt::from(1));
    for (part, of) in parts {
        let (part, of) = (BigInt::from(part), BigInt::from(of));
        numerator = numerator * &of + part * &denominator;
        denominator *= of;
        if denominator.bits() > 512 {
            let reduced = Exact::new(numerator, denominator);
            (numerator, denominator) = reduced.into_raw();
        }
    }
    Exact::new(numerator, denominator)
}

/// The four counts: numerator and denominator of recall, then of precision.
#[derive(Clone, Debug)]
struct ExactCounts([Exact; 4]);

impl ExactCounts {
    fn of(counts: &Counts) -> ExactCounts {
        let Counts { recall_num, recall_den, precision_num, precision_den } = counts;
        ExactCounts([recall_num, recall_den, precision_num, precision_den].map(of_sum))
    }

    /// Returns recall, precision and their harmonic mean; a ratio with the denominator 0 is 0.
    fn score(&self) -> ExactScore {
        let ExactCounts([recall_num, recall_den, precision_num, precision_den]) = self;
        let recall = ratio(recall_num, recall_den);
        let precision = ratio(precision_num, precision_den);
        let f1 = ratio(&(&recall * &precision * two()), &(&recall + &precision));
        [recall, precision, f1]
    }
}

fn two() -> Exact {
    Exact::from_integer(2.into())
}

fn ratio(numerator: &Exact, denominator: &Exact) -> Exact {
    if denominator.is_zero() { Exact::zero() } else { numerator / denominator }
}

/// The counts of one metric as exact numbers.
#[derive(Clone, Debug)]
pub struct ExactTally {
    first: ExactCounts,
    second: ExactCounts,
}

impl ExactTally {
    /// Converts the counts of a tally.
    pub fn of(tally: &Tally) -> ExactTally {
        ExactTally { first: ExactCounts::of(&tally.first), second: ExactCounts::of(&tally.second) }
    }

    /// Replaces the counts `before`, which are part of these, by `after`.
    pub fn replace(&mut self, before: &ExactTally, after: &ExactTally) {
        let pairs = [
            (&mut self.first, &before.first, &after.first),
            (&mut self.second, &before.second, &after.second),
        ];
        for (sum, before, after) in pairs {
            for ((sum, before), after) in sum.0.iter_mut().zip(&before.0).zip(&after.0) {
                if before != after {
                    *sum += after - before;
                }
            }
        }
    }

    /// Returns the score of a metric with these counts.
    pub fn score(&self, metric: &Metric, rules: &Rules) -> ExactScore {
        if metric.halves().is_some() {
            return self.score_of_halves(metric.blanc_halves(rules));
        }
        if metric.is_above_chance() {
            return self.score_above_chance();
        }
        self.first.score()
    }

    /// Returns the mean over the halves that count, as in BLANC.
    fn score_of_halves(&self, rule: Halves) -> ExactScore {
        let counts = |half: &&ExactCounts| {
            let (key, response) = (!half.0[1].is_zero(), !half.0[3].is_zero());
            match rule {
                Halves::Key | Halves::Scorch => key,
                Halves::Either => key || response,
            }
        };
        let halves: Vec<ExactScore> =
            [&self.first, &self.second].into_iter().filter(counts).map(ExactCounts::score).collect();
        if halves.is_empty() && rule == Halves::Scorch && self.second.0[3].is_zero() {
            return [1, 1, 1].map(|one| Exact::from_integer(one.into()));
        }
        mean(&halves)
    }

    /// Returns the agreement above chance relative to its maximum, as in the adjusted Rand index.
    fn score_above_chance(&self) -> ExactScore {
        let [both, key, _, response] = &self.first.0;
        let all = &self.second.0[1];
        let chance = key * response;
        let above = both * all - &chance;
        let (recall_room, precision_room) = (key * all - &chance, response * all - &chance);
        let f1 = ratio(&(&above * two()), &(&recall_room + &precision_room));
        [ratio(&above, &recall_room), ratio(&above, &precision_room), f1]
    }
}

/// Returns the mean of several scores; 0 without scores.
fn mean(scores: &[ExactScore]) -> ExactScore {
    let mut sum = nothing();
    scores.iter().for_each(|score| add(&mut sum, score));
    let number = Exact::from_usize(scores.len().max(1)).unwrap_or_else(two);
    sum.map(|sum| sum / &number)
}

/// Returns the scores of `metrics` from the tallies of the `counted` metrics.
pub fn scores(
    metrics: &[Metric],
    counted: &[Metric],
    tallies: &[ExactTally],
    rules: &Rules,
) -> Vec<ExactScore> {
    let each: Vec<ExactScore> =
        counted.iter().zip(tallies).map(|(metric, tally)| tally.score(metric, rules)).collect();
    of_counted(metrics, counted, &each)
}

/// Returns the scores of `metrics` from the scores of the `counted` metrics.
fn of_counted(metrics: &[Metric], counted: &[Metric], scores: &[ExactScore]) -> Vec<ExactScore> {
    let score = |metric: &Metric| {
        let place = counted.iter().position(|other| other == metric);
        place.and_then(|place| scores.get(place)).cloned().unwrap_or_else(nothing)
    };
    let of = |metric: &Metric| match metric.parts() {
        None => score(metric),
        Some(parts) => mean(&parts.iter().map(score).collect::<Vec<_>>()),
    };
    metrics.iter().map(of).collect()
}

/// Returns the contribution of each document to the difference between two scores, at least one of which is an average
/// over documents. Both scores list the documents in the same order.
///
/// The weights of an average add up to 1, so its difference from any reference number is a weighted sum of differences.
/// The reference is the score from summed counts if a side has one, otherwise the first average. Returns `None` if an
/// average has no weights because its metric is undefined everywhere, and the other score is not 0.
pub fn shares_of_averages(
    metrics: &[Metric],
    counted: &[Metric],
    sides: [(&[&DocumentTallies], &Settings); 2],
) -> Option<Vec<Vec<ExactScore>>> {
    let count = sides[0].0.len();
    let mut shares = vec![vec![nothing(); counted.len()]; count];
    for (place, metric) in counted.iter().enumerate() {
        let scores = sides.map(|(documents, settings)| {
            let rules = settings.rules();
            let each = documents
                .iter()
                .map(|document| ExactTally::of(&document.tallies[place]).score(metric, &rules));
            each.collect::<Vec<_>>()
        });
        let weights = sides.map(|(documents, settings)| {
            let each = documents.iter().map(|document| {
                crate::score::weights(&document.tallies[place], &document.mentions, settings.average)
            });
            each.collect::<Vec<_>>()
        });
        let micro =
            sides.iter().find(|side| side.1.average == Average::Micro).map(|(documents, settings)| {
                let mut total = Tally::default();
                documents.iter().for_each(|document| total.add(&document.tallies[place]));
                ExactTally::of(&total).score(metric, &settings.rules())
            });
        for part in 0..3 {
            let all = [0, 1].map(|side| weights[side].iter().map(|weight| weight[part]).sum::<f64>());
            let averaged = [0, 1].map(|side| sides[side].1.average != Average::Micro);
            let is_empty = (0..2).any(|side| averaged[side] && all[side] == 0.0);
            let middle = match &micro {
                Some(score) => score[part].clone(),
                None if is_empty => Exact::zero(),
                // Near the average, because the exact fraction may have thousands of digits.
                None => {
                    let sum = weights[0]
                        .iter()
                        .zip(&scores[0])
                        .map(|(weight, score)| weight[part] * to_f64(&score[part]));
                    of_f64(sum.sum::<f64>() / all[0])
                }
            };
            if is_empty && !middle.is_zero() {
                return None;
            }
            for side in (0..2).filter(|&side| averaged[side] && all[side] > 0.0) {
                for (document, share) in shares.iter_mut().enumerate() {
                    let weight = of_f64(weights[side][document][part]) / of_f64(all[side]);
                    let adds = (&scores[side][document][part] - &middle) * weight;
                    match side {
                        0 => share[place][part] -= adds,
                        _ => share[place][part] += adds,
                    }
                }
            }
        }
    }
    Some(shares.iter().map(|share| of_counted(metrics, counted, share)).collect())
}

/// Returns the scores of results over these documents. Metrics over all documents at once have no counts that add up,
/// so their scores are exact copies of the doubles in the results.
pub fn of_results(
    results: &[MetricResult],
    counted: &[Metric],
    documents: &[DocumentTallies],
    settings: &Settings,
) -> Vec<ExactScore> {
    let metrics: Vec<Metric> = results.iter().map(|result| result.metric).collect();
    let rules = settings.rules();
    let exact = match settings.average {
        Average::Micro => {
            let totals: Vec<ExactTally> =
                totals(documents, counted.len()).iter().map(ExactTally::of).collect();
            scores(&metrics, counted, &totals, &rules)
        }
        Average::Macro | Average::Mentions => {
            let of_metric = |(place, metric): (usize, &Metric)| {
                let (mut sums, mut weights) = (nothing(), nothing());
                for document in documents {
                    let tally = &document.tallies[place];
                    let score = ExactTally::of(tally).score(metric, &rules);
                    let own = crate::score::weights(tally, &document.mentions, settings.average);
                    for part in 0..3 {
                        let weight = of_f64(own[part]);
                        sums[part] += &score[part] * &weight;
                        weights[part] += weight;
                    }
                }
                [0, 1, 2].map(|part| ratio(&sums[part], &weights[part]))
            };
            let each: Vec<ExactScore> = counted.iter().enumerate().map(of_metric).collect();
            of_counted(&metrics, counted, &each)
        }
    };
    let of_result = |(result, exact): (&MetricResult, ExactScore)| match result.values {
        Some(_) => [result.score.recall, result.score.precision, result.figure()].map(of_f64),
        None => exact,
    };
    results.iter().zip(exact).map(of_result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_exact_and_ratios_of_nothing_are_zero() {
        let mut sum = FractionSum::integer(-2);
        for denominator in 1..=200u64 {
            sum.add_fraction(u128::from(denominator / 2 + 1), denominator);
        }
        let plain = (1..=200i64).fold(Exact::from_integer((-2).into()), |sum, denominator| {
            sum + Exact::new((denominator / 2 + 1).into(), denominator.into())
        });
        assert_eq!(of_sum(&sum), plain);
        assert!((to_f64(&plain) - sum.to_f64()).abs() < 1e-9);
        assert_eq!(ExactCounts::of(&Counts::default()).score(), nothing());
    }
}
