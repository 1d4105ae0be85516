//! Compares systems: the intervals, tests and variances of all systems and metrics.

use std::ops::Range;

use super::counts::{CountColumns, ScorePart};
use super::resample::{Bootstrap, Swaps, pairs, randomize};
use super::runs::{self, OfRuns, Variances};
use super::{
    Comparison, Difference, DocumentCounts, Estimate, FamilySizes, Interval, IntervalKind, MOST_RESAMPLES,
    MOST_TOGETHER, Method, PairTest, Test, check_documents, correct_together, interval, power,
};
use crate::error::{Error, ErrorKind, Result};
use crate::settings::Scope;
use crate::threads::side_by_side;

/// Compares systems. The result does not depend on the number of threads.
///
/// # Errors
///
/// There are fewer than two resampling units, or the baseline is not one of the systems.
pub fn compare(
    counts: &DocumentCounts,
    baseline: usize,
    method: &Method,
    threads: usize,
) -> Result<Comparison> {
    let documents = counts.documents();
    // From here on, a document is a resampling unit.
    let joined = counts.joined();
    let counts = joined.as_ref().unwrap_or(counts);
    let (units, runs) = (counts.documents(), counts.runs());
    check_documents(units, Scope::Document, None)?;
    if baseline >= runs.len() {
        return Err(Error::new(ErrorKind::Settings, "the baseline must be one of the systems"));
    }
    let systems = Systems { counts, runs, baseline, method, threads };
    let resampled = Resampled::new(&systems);
    // There is a number for every metric, system and resample. If these are too many for all three parts at once, the
    // parts are drawn one after the other, from the same samples.
    let together = resampled
        .fits_at_once()
        .then(|| resampled.draw(&[ScorePart::Recall, ScorePart::Precision, ScorePart::F1]));
    let ratios =
        [ScorePart::Recall, ScorePart::Precision].map(|part| resampled.ratios(part, together.as_ref()));
    let bootstrap = together.unwrap_or_else(|| resampled.draw(&[ScorePart::F1]));
    let f1 = SampledF1 { left_out: systems.without_each(ScorePart::F1), resampled: &resampled, bootstrap };
    let tests = f1.tests();
    let mut comparison = Comparison {
        method: *method,
        documents,
        units,
        baseline,
        estimates: systems.estimates(&tests, &f1.intervals(), &ratios),
        pairs: tests,
        undefined: f1.undefined(),
        families: vec![FamilySizes::default(); counts.metrics.len()],
    };
    correct_together(&mut [&mut comparison]);
    Ok(comparison)
}

/// For each run and each of its units, the scores of all metrics without this unit.
type ScoresWithoutUnits = Vec<Vec<Vec<f64>>>;

/// The systems that are compared. Their documents are resampling units.
struct Systems<'c> {
    counts: &'c DocumentCounts,
    /// The runs of each system.
    runs: Vec<Range<usize>>,
    baseline: usize,
    method: &'c Method,
    threads: usize,
}

impl Systems<'_> {
    fn count(&self) -> usize {
        self.runs.len()
    }

    fn metrics(&self) -> usize {
        self.counts.metrics.len()
    }

    /// Runs `work` for each metric and system, and returns the results by metric, then by system.
    fn by_metric<T: Send>(&self, work: impl Fn(usize, usize) -> T + Sync) -> Vec<T> {
        let systems = self.count();
        side_by_side(self.threads, self.metrics() * systems, |place| work(place / systems, place % systems))
    }

    fn has_several_runs(&self, system: usize) -> bool {
        self.runs[system].len() > 1
    }

    /// Returns the F1 of each run of a system.
    fn of_runs(&self, system: usize, metric: usize) -> Vec<f64> {
        self.runs[system].clone().map(|run| self.counts.scores()[run][metric]).collect()
    }

    /// Returns the mean of a value over the runs of a system.
    fn mean(&self, system: usize, value: &dyn Fn(usize) -> f64) -> f64 {
        runs::mean(self.runs[system].clone().map(value), self.runs[system].len())
    }

    /// Returns the observed F1.
    fn observed(&self, system: usize, metric: usize) -> f64 {
        self.mean(system, &|run| self.counts.scores()[run][metric])
    }

    fn is_defined(&self, system: usize, metric: usize) -> bool {
        self.runs[system].clone().all(|run| self.counts.defined()[run][metric])
    }

    /// Returns the observed difference of two systems in F1.
    fn difference(&self, (a, b): (usize, usize), metric: usize) -> f64 {
        self.observed(a, metric) - self.observed(b, metric)
    }

    fn is_tested_by_student(&self, systems: [usize; 2]) -> bool {
        Method::tests_by_student(systems.map(|system| self.runs[system].len()))
    }

    fn without_each(&self, part: ScorePart) -> ScoresWithoutUnits {
        side_by_side(self.threads, self.counts.systems(), |run| self.counts.scores_without_each(run, part))
    }

    /// Returns the scores of a system without each unit.
    fn jackknife(&self, left_out: &ScoresWithoutUnits, metric: usize, system: usize) -> Vec<f64> {
        let units = 0..self.counts.documents();
        units.map(|unit| self.mean(system, &|run| left_out[run][unit][metric])).collect()
    }

    /// Returns the variance over the runs of a system, from their scores.
    fn over_runs(
        &self,
        left_out: &ScoresWithoutUnits,
        metric: usize,
        system: usize,
        scores: &[f64],
    ) -> OfRuns {
        if !self.has_several_runs(system) {
            return OfRuns::default();
        }
        let units = 0..self.counts.documents();
        let each = |run: usize| units.clone().map(|unit| left_out[run][unit][metric]).collect();
        OfRuns::new(scores, &self.runs[system].clone().map(each).collect::<Vec<_>>())
    }

    /// Returns the estimates of all systems by each metric.
    fn estimates(
        &self,
        tests: &[Vec<PairTest>],
        intervals: &[SystemIntervals],
        ratios: &[Vec<Option<Interval>>; 2],
    ) -> Vec<Vec<Estimate>> {
        let of_metric = |(metric, tests): (usize, &Vec<PairTest>)| {
            let mut with_baseline = vec![None; self.count()];
            for test in tests {
                let pair = [(test.first, test.second), (test.second, test.first)];
                let of_baseline = pair.into_iter().filter(|&(_, other)| other == self.baseline);
                of_baseline.for_each(|(system, _)| with_baseline[system] = Some(test.p));
            }
            let estimate = |(system, p): (usize, Option<f64>)| {
                let place = metric * self.count() + system;
                let found = &intervals[place];
                let defined = self.is_defined(system, metric);
                Estimate {
                    f1: self.observed(system, metric),
                    runs: self.of_runs(system, metric),
                    defined,
                    interval: found.own,
                    ratios: [&ratios[0], &ratios[1]].map(|ratios| ratios[place].filter(|_| defined)),
                    rank: None,
                    rank_set: None,
                    letters: None,
                    difference: p
                        .map(|p| found.difference(self.difference((system, self.baseline), metric), p)),
                }
            };
            with_baseline.into_iter().enumerate().map(estimate).collect()
        };
        tests.iter().enumerate().map(of_metric).collect()
    }
}

/// The systems that are resampled: those of one run.
struct Resampled<'s> {
    systems: &'s Systems<'s>,
    /// These systems, by number.
    singles: Vec<usize>,
    /// The counts of these systems, if there are others.
    only: Option<DocumentCounts>,
    columns: CountColumns,
    resamples: usize,
}

impl<'s> Resampled<'s> {
    fn new(systems: &'s Systems<'s>) -> Resampled<'s> {
        let singles: Vec<usize> =
            (0..systems.count()).filter(|&system| !systems.has_several_runs(system)).collect();
        let places = || singles.iter().map(|&system| systems.runs[system].start).collect::<Vec<_>>();
        let only = (singles.len() < systems.count()).then(|| systems.counts.only(&places()));
        let columns = only.as_ref().unwrap_or(systems.counts).columns();
        let resamples = systems.method.resamples.clamp(1, MOST_RESAMPLES) as usize;
        Resampled { systems, singles, only, columns, resamples }
    }

    fn counts(&self) -> &DocumentCounts {
        self.only.as_ref().unwrap_or(self.systems.counts)
    }

    /// Returns whether the values of all three parts may be held in memory at once.
    fn fits_at_once(&self) -> bool {
        self.systems.metrics() * self.counts().systems() * self.resamples <= MOST_TOGETHER
    }

    fn draw(&self, parts: &[ScorePart]) -> Bootstrap {
        let Systems { method, threads, .. } = *self.systems;
        Bootstrap::new((self.counts(), &self.columns), parts, method.seed, self.resamples, threads)
    }

    /// Returns the values of a system in the samples; none if it is not resampled.
    fn values(&self, bootstrap: &Bootstrap, part: ScorePart, metric: usize, system: usize) -> Vec<f64> {
        let place = self.singles.binary_search(&system);
        place.map_or_else(|_| Vec::new(), |place| bootstrap.values(part, metric, place))
    }

    /// Returns the intervals of recall or precision by metric and system. The samples are drawn here if they are not
    /// given.
    fn ratios(&self, part: ScorePart, together: Option<&Bootstrap>) -> Vec<Option<Interval>> {
        let Systems { counts, method, ref runs, .. } = *self.systems;
        let alone = together.is_none().then(|| self.draw(&[part]));
        let Some(bootstrap) = together.or(alone.as_ref()) else { return Vec::new() };
        let left_out = self.systems.without_each(part);
        let scores: Vec<Vec<[f64; 3]>> =
            (0..counts.systems()).map(|run| counts.parts_of(&counts.totals(run))).collect();
        self.systems.by_metric(|metric, system| {
            let jackknife = self.systems.jackknife(&left_out, metric, system);
            let values = self.values(bootstrap, part, metric, system);
            let each: Vec<f64> = runs[system].clone().map(|run| scores[run][metric][part as usize]).collect();
            let of_runs = self.systems.over_runs(&left_out, metric, system, &each);
            let variances = Variances::new([of_runs, OfRuns::default()], &jackknife);
            let score = self.systems.mean(system, &|run| scores[run][metric][part as usize]);
            let several = self.systems.has_several_runs(system).then_some(&variances);
            interval_of(method, score, &values, &jackknife, several)
        })
    }
}

/// The F1 of all systems in samples, and without each unit.
struct SampledF1<'r> {
    resampled: &'r Resampled<'r>,
    bootstrap: Bootstrap,
    left_out: ScoresWithoutUnits,
}

impl SampledF1<'_> {
    fn values(&self, metric: usize, system: usize) -> Vec<f64> {
        self.resampled.values(&self.bootstrap, ScorePart::F1, metric, system)
    }

    fn jackknife(&self, metric: usize, system: usize) -> Vec<f64> {
        self.resampled.systems.jackknife(&self.left_out, metric, system)
    }

    fn over_runs(&self, metric: usize, system: usize) -> OfRuns {
        let systems = self.resampled.systems;
        systems.over_runs(&self.left_out, metric, system, &systems.of_runs(system, metric))
    }

    /// Returns the variances of a difference.
    fn variances(&self, (a, b): (usize, usize), metric: usize) -> Variances {
        let less = less(&self.jackknife(metric, a), &self.jackknife(metric, b));
        Variances::new([a, b].map(|system| self.over_runs(metric, system)), &less)
    }

    /// Returns the tests of all pairs of systems for which a metric is defined.
    fn tests(&self) -> Vec<Vec<PairTest>> {
        let systems = self.resampled.systems;
        let all = pairs(systems.count());
        let by_resampling = self.p_by_resampling();
        side_by_side(systems.threads, systems.metrics(), |metric| {
            let mut by_resampling = by_resampling[metric].iter();
            let mut found = Vec::new();
            for &(first, second) in &all {
                let f1 = systems.difference((first, second), metric);
                let p = match systems.is_tested_by_student([first, second]) {
                    true => self.variances((first, second), metric).p(f1),
                    false => by_resampling.next().copied().unwrap_or(1.0),
                };
                if systems.is_defined(first, metric) && systems.is_defined(second, metric) {
                    found.push(PairTest { first, second, f1, p, p_corrected: p });
                }
            }
            found
        })
    }

    /// Returns the p-values of the pairs of systems of one run, by metric: from the number of resamples with at least
    /// the observed difference, out of all.
    fn p_by_resampling(&self) -> Vec<Vec<f64>> {
        let Resampled { systems, ref singles, ref columns, resamples, .. } = *self.resampled;
        let Systems { method, threads, .. } = *systems;
        let pairs = pairs(singles.len());
        let of_metric = |metric: usize| {
            pairs.iter().map(|&(a, b)| systems.difference((singles[a], singles[b]), metric)).collect()
        };
        let differences: Vec<Vec<f64>> = (0..systems.metrics()).map(of_metric).collect();
        let p = |(far, all): (u32, u32)| f64::from(1 + far) / (1.0 + f64::from(all));
        match method.test {
            Test::Randomization => {
                let units = systems.counts.documents();
                let swaps =
                    if method.is_exact(units) { Swaps::All } else { Swaps::Random(method.seed, resamples) };
                let far = randomize(self.resampled.counts(), columns, &differences, swaps, threads);
                let all = swaps.number(units) as u32;
                far.into_iter().map(|far| far.into_iter().map(|far| p((far, all))).collect()).collect()
            }
            Test::Bootstrap => side_by_side(threads, systems.metrics(), |metric| {
                let of = pairs.iter().zip(&differences[metric]);
                of.map(|(&pair, &difference)| p(self.bootstrap.as_far(metric, pair, difference))).collect()
            }),
        }
    }

    /// Returns the intervals by metric and system.
    fn intervals(&self) -> Vec<SystemIntervals> {
        let systems = self.resampled.systems;
        let Systems { counts, baseline, ref runs, method, threads } = *systems;
        let unevenness = side_by_side(threads, systems.count(), |system| {
            counts.unevenness([system, baseline].map(|system| runs[system].start))
        });
        systems.by_metric(|metric, system| {
            if !systems.is_defined(system, metric) {
                return SystemIntervals::default();
            }
            let (values, jackknife) = (self.values(metric, system), self.jackknife(metric, system));
            let variances = Variances::new([self.over_runs(metric, system), OfRuns::default()], &jackknife);
            let several = systems.has_several_runs(system).then_some(&variances);
            let own = interval_of(method, systems.observed(system, metric), &values, &jackknife, several);
            if system == baseline || !systems.is_defined(baseline, metric) {
                return SystemIntervals { own, ..SystemIntervals::default() };
            }
            let values = less(&values, &self.values(metric, baseline));
            let jackknife = less(&jackknife, &self.jackknife(metric, baseline));
            let variances = self.variances((system, baseline), metric);
            let several = systems.is_tested_by_student([system, baseline]).then_some(&variances);
            let f1 = systems.difference((system, baseline), metric);
            let unevenness = unevenness[system][metric];
            SystemIntervals {
                own,
                difference: interval_of(method, f1, &values, &jackknife, several),
                error: variances.error(),
                error_of_runs: variances.error_of_runs(),
                freedom: variances.freedom(),
                error_freedom: variances.freedom_of(power::freedom(counts.documents(), unevenness)),
                unevenness,
            }
        })
    }

    /// Returns, for each metric, the number of samples in which it is undefined for one of the resampled systems.
    fn undefined(&self) -> Vec<u32> {
        let Resampled { systems, ref singles, .. } = *self.resampled;
        side_by_side(systems.threads, systems.metrics(), |metric| {
            let of = (0..singles.len()).filter(|&place| systems.is_defined(singles[place], metric));
            self.bootstrap.undefined(metric, &of.collect::<Vec<_>>())
        })
    }
}

/// The interval of a system by one metric, and the interval and variation of its difference from the baseline.
#[derive(Clone, Copy, Default)]
struct SystemIntervals {
    own: Option<Interval>,
    difference: Option<Interval>,
    error: f64,
    error_of_runs: f64,
    freedom: f64,
    error_freedom: f64,
    unevenness: f64,
}

impl SystemIntervals {
    /// Returns the difference from the baseline with this p-value.
    fn difference(&self, f1: f64, p: f64) -> Difference {
        Difference {
            f1,
            interval: self.difference,
            p,
            p_corrected: p,
            error: self.error,
            error_of_runs: self.error_of_runs,
            freedom: self.freedom,
            error_freedom: self.error_freedom,
            unevenness: self.unevenness,
            detectable: None,
        }
    }
}

fn less(own: &[f64], other: &[f64]) -> Vec<f64> {
    own.iter().zip(other).map(|(own, other)| own - other).collect()
}

/// An interval of F1, and an interval of the difference from the first system, if there are any.
pub type IntervalPair = (Option<Interval>, Option<Interval>);

/// Returns, for each kind and system, the intervals by the first metric, all from the same samples. Simulations of
/// their coverage use it.
pub fn intervals_by(
    counts: &DocumentCounts,
    method: &Method,
    kinds: &[IntervalKind],
) -> Vec<Vec<IntervalPair>> {
    let joined = counts.joined();
    let counts = joined.as_ref().unwrap_or(counts);
    let resamples = method.resamples.clamp(1, MOST_RESAMPLES) as usize;
    let bootstrap = Bootstrap::new((counts, &counts.columns()), &[ScorePart::F1], method.seed, resamples, 1);
    let of = |system: usize| {
        let left_out = counts.scores_without_each(system, ScorePart::F1);
        let left_out: Vec<f64> = left_out.iter().map(|scores| scores[0]).collect();
        (counts.scores()[system][0], bootstrap.values(ScorePart::F1, 0, system), left_out)
    };
    let systems: Vec<_> = (0..counts.systems()).map(of).collect();
    let pair = |kind: IntervalKind, (f1, values, left_out): &(f64, Vec<f64>, Vec<f64>)| {
        let method = Method { interval: kind, ..*method };
        let (first, first_values, first_left_out) = &systems[0];
        let (values_less, left_out_less) = (less(values, first_values), less(left_out, first_left_out));
        let difference = interval_of(&method, f1 - first, &values_less, &left_out_less, None);
        (interval_of(&method, *f1, values, left_out, None), difference)
    };
    kinds.iter().map(|&kind| systems.iter().map(|system| pair(kind, system)).collect()).collect()
}

/// Returns the interval of a score: from the variances of several runs if they are given, otherwise from its values in
/// the resamples, without undefined ones. `None` if more than half of the values are undefined, or if the score depends
/// on a single document, which does not show how documents vary.
fn interval_of(
    method: &Method,
    observed: f64,
    values: &[f64],
    jackknife: &[f64],
    several_runs: Option<&Variances>,
) -> Option<Interval> {
    let some =
        |values: &[f64]| -> Vec<f64> { values.iter().copied().filter(|value| !value.is_nan()).collect() };
    if jackknife.iter().any(|value| value.is_nan()) {
        return None;
    }
    if let Some(variances) = several_runs {
        return Some(variances.interval(method.confidence, observed));
    }
    let mut sorted = some(values);
    if 2 * sorted.len() < values.len() || sorted.is_empty() {
        return None;
    }
    sorted.sort_unstable_by(f64::total_cmp);
    let (kind, confidence) = (method.interval, method.confidence);
    Some(interval::interval(kind, confidence, observed, &sorted, jackknife))
}
