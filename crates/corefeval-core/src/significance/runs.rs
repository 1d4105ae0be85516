//! Several runs of one system, for example with different seeds, each with its own score.
//!
//! The score of such a system is the mean of its runs. It varies for two reasons, the documents and the runs, whose
//! variances add up: that of the mean over documents is the jackknife's, that of the mean over R runs is the sample
//! variance of their scores divided by R. Intervals are bootstrapped on both levels: documents are drawn as for a
//! single run, and of R runs R − 1 are drawn with replacement, since the mean of R − 1 varies as much as it should
//! (McCarthy and Snowden 1985). Two systems of which one has several runs are tested by Student's t on the difference
//! of the means, with the degrees of freedom of Welch and Satterthwaite. What runs and documents make together is
//! counted in both variances, so that the test is strict with few documents (the table is in docs/statistics.md).

use std::ops::Range;

use super::random::{Purpose, Stream};
use super::{Comparison, Difference, Method, student};

/// Variances of a score, or of a difference of scores, by their reasons.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Variances {
    /// The part due to the documents.
    documents: f64,
    /// The part due to the runs of each system.
    runs: [(f64, usize); 2],
    units: usize,
}

impl Variances {
    /// The variances of the mean score of a system's runs, from their scores and the means with each unit left out.
    pub(super) fn new(runs: &[f64], jackknife: &[f64]) -> Variances {
        let n = jackknife.len().max(1) as f64;
        let of_runs = match runs.len() {
            0 | 1 => 0.0,
            number => squares(runs) / (number as f64 - 1.0) / number as f64,
        };
        Variances {
            documents: (n - 1.0) / n * squares(jackknife),
            runs: [(of_runs, runs.len()), (0.0, 1)],
            units: jackknife.len(),
        }
    }

    /// The variance of the difference of two systems, which have the same documents.
    pub(super) fn of_difference(runs: [&[f64]; 2], jackknife: &[f64]) -> Variances {
        let [own, other] = runs.map(|runs| Variances::new(runs, &[]).runs[0]);
        Variances { runs: [own, other], ..Variances::new(&[], jackknife) }
    }

    /// The standard error.
    pub(super) fn error(&self) -> f64 {
        (self.documents + self.of_runs()).sqrt()
    }

    fn of_runs(&self) -> f64 {
        self.runs[0].0 + self.runs[1].0
    }

    /// The standard error if there were endless documents.
    pub(super) fn error_of_runs(&self) -> f64 {
        self.of_runs().sqrt()
    }

    /// Degrees of freedom by Welch and Satterthwaite, rounded down.
    pub(super) fn freedom(&self) -> usize {
        let all = self.documents + self.of_runs();
        let of_documents = (self.documents, self.units);
        let parts = self.runs.into_iter().chain([of_documents]).filter(|(_, number)| *number > 1);
        let sum: f64 = parts.map(|(variance, number)| variance * variance / (number as f64 - 1.0)).sum();
        match all * all / sum {
            freedom if freedom.is_finite() => (freedom + 1e-9).floor().clamp(1.0, 1e9) as usize,
            _ => self.units.saturating_sub(1).max(1),
        }
    }

    /// The p-value of a difference, two-sided.
    pub(super) fn p(&self, difference: f64) -> f64 {
        match self.error() {
            error if difference.abs() <= super::TIE || error.is_nan() => 1.0,
            error if error > 0.0 => {
                (2.0 * student::cdf(-difference.abs() / error, self.freedom())).clamp(0.0, 1.0)
            }
            _ => 0.0,
        }
    }
}

/// The sum of squares about the mean.
fn squares(values: &[f64]) -> f64 {
    let mean = mean(values.iter().copied(), values.len());
    values.iter().map(|value| (value - mean) * (value - mean)).sum()
}

/// The mean of some values.
pub(super) fn mean(values: impl Iterator<Item = f64>, number: usize) -> f64 {
    values.sum::<f64>() / number.max(1) as f64
}

/// The standard deviation of the scores of runs; none of one run.
pub(super) fn spread(runs: &[f64]) -> Option<f64> {
    (runs.len() > 1).then(|| (squares(runs) / (runs.len() as f64 - 1.0)).sqrt())
}

/// For each resample the mean of the runs that it draws. `values` has those of one run in all resamples; what is drawn
/// depends on `system`, so that the runs of systems vary by themselves.
pub(super) fn draw(
    values: impl Fn(usize) -> Vec<f64>,
    runs: &Range<usize>,
    system: usize,
    seed: u64,
) -> Vec<f64> {
    if runs.len() < 2 {
        return values(runs.start);
    }
    let all: Vec<Vec<f64>> = runs.clone().map(values).collect();
    let number = runs.len() - 1;
    (0..all[0].len())
        .map(|resample| {
            let seed = seed.wrapping_add((system as u64) << 32);
            let mut stream = Stream::new(seed, Purpose::Runs, resample as u64);
            mean((0..number).map(|_| all[stream.below(runs.len())][resample]), number)
        })
        .collect()
}

/// The name of the test of runs in a signature.
pub(super) const STUDENT: &str = "student";

/// The same after that of another test.
pub(super) const BESIDES_STUDENT: &str = "+student";

impl Comparison {
    /// Returns whether any system has several runs.
    pub fn has_runs(&self) -> bool {
        self.estimates.iter().flatten().any(|estimate| estimate.runs.len() > 1)
    }

    /// Returns whether some pairs of systems are tested by resampling, and whether some are by Student's t: where one of
    /// the two has several runs.
    pub fn tests_used(&self) -> [bool; 2] {
        let systems = || self.estimates.iter().map(|systems| systems.iter());
        let single = systems().map(|systems| systems.filter(|system| system.runs.len() < 2).count()).max();
        [single.is_some_and(|single| single > 1), self.has_runs()]
    }

    /// Its part of a signature: that of the method, with the test that its pairs had.
    pub fn signature(&self) -> String {
        let method = self.method.signature();
        let test = format!("test:{}", self.method.signature_of("test"));
        match self.tests_used() {
            [true, true] => method.replacen(&test, &(test.clone() + BESIDES_STUDENT), 1),
            [false, true] => method.replacen(&test, &format!("test:{STUDENT}"), 1),
            [_, false] => method,
        }
    }

    /// The differences from the baseline, by all metrics.
    pub fn differences(&self) -> impl Iterator<Item = &Difference> {
        self.estimates.iter().flatten().filter_map(|estimate| estimate.difference.as_ref())
    }

    /// Returns whether the comparison of some system with the baseline can be significant.
    pub fn can_find_differences(&self) -> bool {
        let mut estimates = self.estimates.iter().zip(&self.families);
        estimates.any(|(estimates, sizes)| {
            estimates.iter().any(|estimate| estimate.difference.is_some()) && self.can_find(sizes.baseline)
        })
    }

    /// Returns whether tests can find anything, corrected over a number of comparisons: those of runs always can.
    pub(super) fn can_find(&self, comparisons: usize) -> bool {
        self.has_runs() || self.method.can_find(self.units, comparisons)
    }
}

impl Method {
    /// Returns whether the p-value of two systems comes from Student's t: if one of them has several runs.
    pub fn tests_by_student(runs: [usize; 2]) -> bool {
        runs.iter().any(|&runs| runs > 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: runs 1, 2, 3 have a variance of 1, a third of it for their mean. Four values with each left out, 1, 1,
    /// 2, 2, have a sum of squares of 1, three quarters of it by the jackknife.
    #[test]
    fn variances_add_up() {
        let found = Variances::new(&[1.0, 2.0, 3.0], &[1.0, 1.0, 2.0, 2.0]);
        assert!((found.error() - (0.75_f64 + 1.0 / 3.0).sqrt()).abs() < 1e-12);
        assert!((found.error_of_runs() - 3.0_f64.sqrt().recip()).abs() < 1e-12);
        // (13/12)² / ((3/4)² / 3 + (1/3)² / 2) = 4.83.
        assert_eq!(found.freedom(), 4);
        assert_eq!(spread(&[1.0, 2.0, 3.0]), Some(1.0));
        assert_eq!((spread(&[1.0]), found.p(0.0)), (None, 1.0));
        // Two runs against one, and documents that do not vary: Student's t of one degree of freedom, at 1.
        let two = Variances::of_difference([&[0.0, 2.0], &[0.0]], &[0.5; 9]);
        assert_eq!((two.error(), two.freedom()), (1.0, 1));
        assert!((two.p(1.0) - 0.5).abs() < 1e-12, "{}", two.p(1.0));
        let nothing = Variances::of_difference([&[1.0, 1.0], &[0.0]], &[0.5; 9]);
        assert_eq!((nothing.p(1.0), nothing.freedom()), (0.0, 8));
    }

    /// Two of three runs are drawn, whose mean varies by a third of the variance of the runs: 1 of 0, 0, 3 and so on.
    #[test]
    fn drawn_runs_vary_as_much_as_their_mean() {
        let scores = [0.0, 1.0, 5.0];
        let drawn = draw(|run| vec![scores[run]; 40_000], &(0..3), 0, 7);
        let (average, wanted) = (mean(drawn.iter().copied(), drawn.len()), squares(&scores) / 2.0 / 3.0);
        assert!((average - 2.0).abs() < 0.03, "{average}");
        let variance = squares(&drawn) / drawn.len() as f64;
        assert!((variance / wanted - 1.0).abs() < 0.03, "{variance} and {wanted}");
        assert_eq!(draw(|run| vec![scores[run]; 2], &(1..2), 0, 7), [1.0, 1.0]);
    }
}
