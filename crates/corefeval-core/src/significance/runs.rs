//! Scores several runs of one system, for example with different seeds, as one system.
//!
//! The score of such a system is the mean of its runs. Its runs and the documents are crossed: every run has a score in
//! every document. Its variance has three parts: runs, documents, and their interaction (some documents are hard only
//! for some runs). With a sample variance s² of the scores of R runs, s² / R contains the first and the third part,
//! and the jackknife over documents contains the second and the third. The third part is estimated separately, by the
//! jackknife of the deviations of runs from their mean, and counted once: V = s² / R + max(0, D − I). Two systems have
//! separate runs and the same documents; s² / R and I are then sums over both. This is the analysis of several readers
//! of the same cases (Obuchowski and Rockette 1995; Hillis 2007), with the degrees of freedom of Satterthwaite (1946)
//! for all parts. Intervals and p come from the same V and degrees of freedom, so an interval excludes 0 exactly if p
//! is below its level.
//!
//! If the difference varies over documents only by chance, the test depends on s² / R alone; no other test that rejects
//! in 5% of cases for every variance of the runs is more powerful. Its actual error rates are simulated
//! (docs/statistics.md).

use super::interval::{Interval, standard_error};
use super::{
    Comparison, Correction, Difference, Estimate, FamilySizes, METHOD_FIELDS, Method, MethodConcern, TIE,
    student,
};

/// The variance of the mean score of a system's runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct OfRuns {
    /// The variance of the scores, divided by the number of runs.
    between: f64,
    /// The part of it, and of the variance over documents, that is the interaction of runs and documents.
    interaction: f64,
    /// One less than the number of runs.
    freedom: f64,
}

impl OfRuns {
    /// Computes the variance from the scores of the runs and, for each run, the scores with each unit left out.
    pub(super) fn new(scores: &[f64], left_out: &[Vec<f64>]) -> OfRuns {
        let number = scores.len() as f64;
        if scores.len() < 2 {
            return OfRuns::default();
        }
        let units = left_out.first().map_or(0, Vec::len);
        let means: Vec<f64> =
            (0..units).map(|unit| mean(left_out.iter().map(|run| run[unit]), left_out.len())).collect();
        let apart = |run: &Vec<f64>| -> f64 {
            let off: Vec<f64> = run.iter().zip(&means).map(|(value, mean)| value - mean).collect();
            let error = standard_error(&off);
            error * error
        };
        let interaction = left_out.iter().map(apart).sum::<f64>() / (number - 1.0) / number;
        let between = squares(scores) / (number - 1.0) / number;
        // Equal scores are a coincidence if the runs differ in documents: the variance is then at least the
        // interaction.
        let between = if between <= TIE * TIE { interaction } else { between };
        OfRuns { between, interaction, freedom: number - 1.0 }
    }
}

/// The variance of a score or of a difference of scores over runs and documents.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Variances {
    /// The variance over documents, by the jackknife of the mean over runs.
    documents: f64,
    /// One less than the number of units.
    freedom: f64,
    runs: [OfRuns; 2],
}

impl Variances {
    /// Computes the variance of the difference of two systems on the same documents, or of the score of one system,
    /// from its values with each unit left out.
    pub(super) fn new(runs: [OfRuns; 2], jackknife: &[f64]) -> Variances {
        let error = standard_error(jackknife);
        Variances { documents: error * error, freedom: jackknife.len().saturating_sub(1) as f64, runs }
    }

    fn sum(&self, part: fn(&OfRuns) -> f64) -> f64 {
        self.runs.iter().map(part).sum()
    }

    /// Returns the variance due to documents alone.
    fn of_documents(&self) -> f64 {
        let alone = self.documents - self.sum(|runs| runs.interaction);
        if alone < 0.0 { 0.0 } else { alone }
    }

    /// Returns the standard error.
    pub(super) fn error(&self) -> f64 {
        (self.sum(|runs| runs.between) + self.of_documents()).sqrt()
    }

    /// Returns the standard error for infinitely many documents.
    pub(super) fn error_of_runs(&self) -> f64 {
        self.sum(|runs| runs.between - runs.interaction).max(0.0).sqrt()
    }

    /// Returns the degrees of freedom by Satterthwaite. Two systems with the same number of runs are assumed to have
    /// the same variance of runs, and the degrees of freedom of their runs are added.
    pub(super) fn freedom(&self) -> f64 {
        self.freedom_of(self.freedom)
    }

    /// Like [`freedom`](Self::freedom), with other degrees of freedom of the documents.
    pub(super) fn freedom_of(&self, documents: f64) -> f64 {
        let square = |value: f64| value * value;
        let varying: Vec<&OfRuns> = self.runs.iter().filter(|runs| runs.between > 0.0).collect();
        let of_runs = match varying.as_slice() {
            [own, other] if own.freedom == other.freedom => {
                square(own.between + other.between) / (own.freedom + other.freedom)
            }
            varying => varying.iter().map(|runs| square(runs.between) / runs.freedom).sum(),
        };
        let of_documents = match self.of_documents() > 0.0 {
            true => {
                let both = varying.iter().map(|runs| square(runs.interaction) / runs.freedom);
                (square(self.documents) + both.sum::<f64>()) / documents
            }
            false => 0.0,
        };
        match square(square(self.error())) / (of_runs + of_documents) {
            freedom if freedom.is_finite() => freedom.clamp(1.0, 1e6),
            _ => documents.max(1.0),
        }
    }

    /// Returns the two-sided p-value of a difference.
    pub(super) fn p(&self, difference: f64) -> f64 {
        match self.error() {
            error if difference.abs() <= TIE || error.is_nan() => 1.0,
            error if error > 0.0 => {
                (2.0 * student::cdf(-difference.abs() / error, self.freedom())).clamp(0.0, 1.0)
            }
            _ => 0.0,
        }
    }

    /// Returns the interval of a score or difference.
    pub(super) fn interval(&self, confidence: f64, observed: f64) -> Interval {
        let reach = student::quantile(0.5 + 0.5 * confidence, self.freedom()) * self.error();
        Interval { low: observed - reach, high: observed + reach }
    }
}

/// Returns the sum of squares about the mean.
fn squares(values: &[f64]) -> f64 {
    let mean = mean(values.iter().copied(), values.len());
    values.iter().map(|value| (value - mean) * (value - mean)).sum()
}

/// Returns the mean of some values.
pub(super) fn mean(values: impl Iterator<Item = f64>, number: usize) -> f64 {
    values.sum::<f64>() / number.max(1) as f64
}

/// Returns the standard deviation of the scores of runs; `None` for one run.
pub(super) fn spread(runs: &[f64]) -> Option<f64> {
    (runs.len() > 1).then(|| (squares(runs) / (runs.len() as f64 - 1.0)).sqrt())
}

/// The name of the test of runs in a signature.
pub(super) const STUDENT: &str = "student";

/// The suffix for the test of runs in a signature that also names another test.
pub(super) const PLUS_STUDENT: &str = "+student";

impl Comparison {
    /// Returns whether any system has several runs.
    pub fn has_runs(&self) -> bool {
        self.estimates.iter().flatten().any(|estimate| estimate.runs.len() > 1)
    }

    /// Returns whether some pairs of systems are tested by resampling, and whether some are by Student's t: if one of
    /// the two has several runs.
    pub fn tests_used(&self) -> [bool; 2] {
        let systems = || self.estimates.iter().map(|systems| systems.iter());
        let single = systems().map(|systems| systems.filter(|system| system.runs.len() < 2).count()).max();
        [single.is_some_and(|single| single > 1), self.has_runs()]
    }

    /// Returns the comparison's part of a signature: the fields of the method that can change its results, with the tests
    /// that its pairs used.
    pub fn signature(&self) -> String {
        Comparison::signature_of(&[self])
    }

    /// Returns the part of a signature for comparisons by one method, whose p-values may be corrected together: of all
    /// documents, then of groups.
    pub fn signature_of(together: &[&Comparison]) -> String {
        let Some(first) = together.first() else { return String::new() };
        let concerns = concerns(together);
        let test = match first.tests_used() {
            [_, false] => first.method.signature_of("test"),
            [true, true] => first.method.signature_of("test") + PLUS_STUDENT,
            [false, true] => STUDENT.to_owned(),
        };
        let fields = METHOD_FIELDS.iter().filter(|field| concerns.contains(&field.concern)).map(|field| {
            let value = match field.concern {
                MethodConcern::Tests => test.clone(),
                _ => field.value(&first.method),
            };
            format!("{}:{value}", field.name)
        });
        fields.collect::<Vec<_>>().join("|")
    }

    /// Returns the differences from the baseline, by all metrics.
    pub fn differences(&self) -> impl Iterator<Item = &Difference> {
        self.estimates.iter().flatten().filter_map(|estimate| estimate.difference.as_ref())
    }

    /// Returns the differences of systems with a single run from a baseline with a single run, tested by resampling.
    pub fn resampled_differences(&self) -> impl Iterator<Item = &Difference> {
        let single = |estimate: &Estimate| estimate.runs.len() < 2;
        let metrics =
            self.estimates.iter().filter(move |systems| systems.get(self.baseline).is_none_or(single));
        metrics
            .flatten()
            .filter(move |estimate| single(estimate))
            .filter_map(|estimate| estimate.difference.as_ref())
    }

    /// Returns whether the comparison of some system with the baseline can be significant.
    pub fn can_find_differences(&self) -> bool {
        let mut estimates = self.estimates.iter().zip(&self.families);
        estimates.any(|(estimates, sizes)| {
            estimates.iter().any(|estimate| estimate.difference.is_some()) && self.can_find(sizes.baseline)
        })
    }

    /// Returns whether some comparison with the baseline has enough significant p-values for a detectable difference.
    pub fn can_detect_differences(&self) -> bool {
        let mut families = self.estimates.iter().zip(&self.families);
        families.any(|(estimates, sizes)| {
            let some = estimates.iter().any(|estimate| estimate.difference.is_some());
            some && self.method.can_detect(self.units, sizes.baseline)
        })
    }

    /// Returns whether tests can find anything, corrected over a number of comparisons. Tests of runs always can.
    pub(super) fn can_find(&self, comparisons: usize) -> bool {
        self.has_runs() || self.method.can_find(self.units, comparisons)
    }
}

/// Returns the results of comparisons that fields of their method can change.
fn concerns(together: &[&Comparison]) -> Vec<MethodConcern> {
    let systems = || together.iter().flat_map(|comparison| &comparison.estimates);
    let tested =
        || together.iter().flat_map(|comparison| &comparison.pairs).filter(|pairs| !pairs.is_empty());
    let sizes = || together.iter().flat_map(|comparison| &comparison.families);
    let several =
        |sizes: &FamilySizes| [sizes.baseline, sizes.pairs, sizes.neighbours].iter().any(|&n| n > 1);
    let are_corrected = together.iter().any(|comparison| comparison.method.correction != Correction::None);
    let all = [
        (MethodConcern::All, true),
        (MethodConcern::Resamples, systems().flatten().any(|system| system.runs.len() < 2)),
        (MethodConcern::Tests, tested().next().is_some()),
        (MethodConcern::Corrected, sizes().any(several)),
        (MethodConcern::Families, are_corrected && tested().count() > 1),
        (MethodConcern::Ranks, systems().any(|systems| systems.len() > 2)),
    ];
    all.into_iter().filter(|(_, can_change)| *can_change).map(|(concern, _)| concern).collect()
}

impl Method {
    /// Returns whether the p-value of two systems comes from Student's t: if one of them has several runs.
    pub fn tests_by_student(runs: [usize; 2]) -> bool {
        runs.iter().any(|&runs| runs > 1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::random::{Purpose, Stream};
    use super::*;

    /// By hand: runs 1, 2, 3 have a variance of 1, and their mean a third of it. Their values with each of four units
    /// left out differ from their means by ±(0, 0, 0, 0), (1, −1, 0, 0) and the opposite, with sums of squares of 0, 2,
    /// 2. The jackknife takes three quarters of them, 3 in all, and the interaction is half of a third of it.
    #[test]
    fn interaction_of_runs_and_documents_is_counted_once() {
        let left_out = [vec![1.0, 1.0, 2.0, 2.0], vec![2.0, 0.0, 2.0, 2.0], vec![0.0, 2.0, 2.0, 2.0]];
        let own = OfRuns::new(&[1.0, 2.0, 3.0], &left_out);
        let near = |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-12, "{found} and {wanted}");
        near(own.between, 1.0 / 3.0);
        near(own.interaction, 0.5);
        // The means 1, 1, 2, 2 have a sum of squares of 1, of which the jackknife takes three quarters.
        let found = Variances::new([own, OfRuns::default()], &[1.0, 1.0, 2.0, 2.0]);
        near(found.error(), (1.0_f64 / 3.0 + 0.25).sqrt());
        assert_eq!((found.error_of_runs(), found.p(0.0)), (0.0, 1.0));
        // (7/12)² / ((1/3)² / 2 + ((3/4)² + (1/2)² / 2) / 3) = 1.196.
        near(found.freedom(), (49.0 / 144.0) / (1.0 / 18.0 + (9.0 / 16.0 + 1.0 / 8.0) / 3.0));
        assert_eq!((spread(&[1.0, 2.0, 3.0]), spread(&[1.0])), (Some(1.0), None));
        let flat = vec![0.5; 9];
        let runs = |scores: &[f64]| OfRuns::new(scores, &vec![flat.clone(); scores.len()]);
        let pair = |own: &[f64], other: &[f64]| Variances::new([runs(own), runs(other)], &flat);
        // Two runs against one, and documents that do not vary: Student's t with one degree of freedom, at 1.
        let two = pair(&[0.0, 2.0], &[0.0]);
        assert_eq!((two.error(), two.freedom()), (1.0, 1.0));
        near(two.p(1.0), 0.5);
        // If both systems have the same number of runs, their degrees of freedom are added, except those of runs that
        // do not vary.
        let freedom = |own: &[f64], other: &[f64]| pair(own, other).freedom();
        near(freedom(&[0.0, 2.0], &[1.0, 4.0]), 2.0);
        near(freedom(&[0.0, 2.0], &[1.0, 1.0]), 1.0);
        assert!(freedom(&[0.0, 2.0], &[1.0, 2.0, 4.0]) < 3.0);
        let nothing = pair(&[1.0, 1.0], &[0.0]);
        assert_eq!((nothing.p(1.0), nothing.freedom()), (0.0, 8.0));
        // Equal scores of runs that differ in documents are a coincidence.
        let tied = OfRuns::new(&[1.0, 1.0, 1.0], &left_out);
        near(tied.between, 0.5);
    }

    /// An interval excludes 0 exactly if p is below its level.
    #[test]
    fn intervals_and_p_agree() {
        let mut stream = Stream::new(3, Purpose::Bootstrap, 0);
        let mut number = move || stream.below(1000) as f64 / 1000.0;
        let (mut significant, mut cases) = (0, 0);
        for case in 0..2000 {
            let mut runs = |number_of: usize| {
                let scores: Vec<f64> = (0..number_of).map(|_| number()).collect();
                let left_out: Vec<Vec<f64>> =
                    scores.iter().map(|score| (0..8).map(|_| score + 0.1 * number()).collect()).collect();
                (mean(scores.iter().copied(), number_of), OfRuns::new(&scores, &left_out), left_out)
            };
            let (own, other) = (runs(2 + case % 3), runs(1 + case % 4));
            let left_out = |all: &[Vec<f64>], unit: usize| mean(all.iter().map(|run| run[unit]), all.len());
            let less: Vec<f64> =
                (0..8).map(|unit| left_out(&own.2, unit) - left_out(&other.2, unit)).collect();
            let variances = Variances::new([own.1, other.1], &less);
            let found = variances.interval(0.7, own.0 - other.0);
            let p = variances.p(own.0 - other.0);
            if (p - 0.3).abs() > 1e-6 {
                assert_eq!((found.low..=found.high).contains(&0.0), p > 0.3, "{variances:?}");
                (significant, cases) = (significant + usize::from(p < 0.3), cases + 1);
            }
        }
        assert!(significant > cases / 10 && significant < cases / 2, "{significant} of {cases}");
    }
}
