//! Significance of differences between systems: intervals, paired tests and ranks, from the counts of documents.
//!
//! The score of a system is a ratio of sums over documents, so whole documents are resampled: the mentions of a document
//! depend on each other, and entities cannot be divided. The parts of one document are
//! drawn together, or by choice the documents of a topic or a file ([`ResamplingUnit`]). Nothing is scored again:
//! a resample adds up the counts of its documents, and scores follow from the sums, for all metrics and their means
//! at once.
//!
//! - **Intervals**: bootstrap over documents, percentile or BCa.
//! - **Differences** of two systems, tested in pairs by document: approximate randomization (Noreen 1989) swaps what
//!   the systems count in a document, or not, at random; p = (1 + the number of swaps with a difference of at least
//!   that observed, either way) / (1 + all). The bootstrap test counts the samples in which the difference is as far
//!   from the one observed as that is from 0.
//! - **Ranks**: neighbours in the order of a metric whose difference is not significant at 1 − confidence share a
//!   rank, as in Table 5 of Moosavi and Strube (2016). The first and the last of a rank may well differ.
//! - **Corrections** for many comparisons apply within a metric: over the comparisons with the baseline, over the
//!   neighbours of the ranking, or over all pairs, each a family of its own.
//! - The **detectable** difference is the smallest true one that a test at 1 − confidence, uncorrected, would find in
//!   four of five cases: z(1 − α/2) + z(0.8) standard errors of the difference, by the bootstrap. There is none where
//!   documents, or resamples, are so few that no p-value is low enough.
//! - **Undefined** is a score where there is nothing to count on either side (MUC without links), and a mean of metrics
//!   of which one is undefined. Such a score has no interval, rank or test. Resamples in which a score is undefined
//!   although it is not in the whole corpus are left out of its intervals, and counted; where they are more than half
//!   there is no interval.
//!
//! Differences within 10⁻¹² are ties: sums of fractions in doubles depend on their order.

mod coefficients;
mod correction;
mod correlation;
mod counts;
mod findings;
pub(crate) mod interval;
mod normal;
pub(crate) mod random;
mod resample;
mod units;

pub use self::coefficients::{FEWEST, kendall, pearson, spearman};
pub use self::correction::Correction;
pub use self::correlation::{
    COEFFICIENTS, Coefficient, Correlation, CorrelationField, CorrelationInput, CorrelationInterval,
    CorrelationMethod, EntityPoints, INTERVAL_FIELD, Over, PartCorrelation, correlate, reading,
};
pub use self::counts::DocumentCounts;
use self::counts::Part;
pub use self::findings::{check_documents, tell_few_resamples};
pub use self::interval::{Interval, IntervalKind};
use self::resample::{Bootstrap, pairs, randomize};
pub use self::units::{ResamplingUnit, ResamplingUnits, described};
use crate::choice::{Choice, choice};
use crate::error::{Error, ErrorKind, Result};
use crate::settings::Scope;
use crate::suggest::nearest;
use crate::threads::side_by_side;
use crate::wording::text;
use crate::wording::{Text, option_name, quoted};

/// Differences below this are rounding.
const TIE: f64 = 1e-12;

/// With fewer documents intervals are too narrow and a warning says so.
pub const FEW_DOCUMENTS: usize = 20;

/// More resamples than this would need gigabytes.
pub const MOST_RESAMPLES: u32 = 1_000_000;

choice! {
    /// The test of a difference.
    Test {
        #[default]
        Randomization = "randomization" "approximate randomization: the systems' documents change sides at random (Noreen 1989)",
        Bootstrap = "bootstrap" "paired bootstrap: documents are drawn with replacement, the same for both systems",
    }
}

/// Everything that a comparison depends on, apart from scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Method {
    /// The test of differences.
    pub test: Test,
    /// The resampling unit.
    pub unit: ResamplingUnit,
    /// The number of resamples of each kind.
    pub resamples: u32,
    /// The seed of the pseudo-random numbers.
    pub seed: u64,
    /// The correction of p-values for the number of comparisons.
    pub correction: Correction,
    /// The method of intervals.
    pub interval: IntervalKind,
    /// The confidence level of intervals; tests use 1 minus this level.
    pub confidence: f64,
}

impl Default for Method {
    fn default() -> Method {
        Method {
            test: Test::default(),
            unit: ResamplingUnit::default(),
            resamples: 10_000,
            seed: 2016,
            correction: Correction::default(),
            interval: IntervalKind::default(),
            confidence: 0.95,
        }
    }
}

/// One row of the table of a method's fields.
pub struct MethodField {
    /// The name after `--`, which is also the field in a signature.
    pub name: &'static str,
    /// One line of help.
    pub summary: &'static str,
    /// Values with a line of help each; none for a number.
    pub values: &'static [(&'static str, &'static str)],
    get: fn(&Method) -> String,
    set: fn(&mut Method, &str) -> bool,
}

/// Puts a value, if there is one, where it belongs.
fn put<T>(place: &mut T, value: Option<T>) -> bool {
    value.map(|value| *place = value).is_some()
}

/// A field whose values are a [`Choice`].
macro_rules! choice_field {
    ($field:ident: $type:ty, $summary:literal) => {
        MethodField {
            name: stringify!($field),
            summary: $summary,
            values: <$type as Choice>::VALUES,
            get: |method| method.$field.id().to_owned(),
            set: |method, value| put(&mut method.$field, <$type>::from_id(value)),
        }
    };
}

/// All fields of a method, in the order of the signature.
pub static METHOD_FIELDS: &[MethodField] = &[
    choice_field!(test: Test, "how the difference of two systems is tested"),
    MethodField {
        name: "unit",
        summary: "the resampling unit",
        values: <ResamplingUnit as Choice>::VALUES,
        get: |method| method.unit.id().to_owned(),
        set: |method, value| put(&mut method.unit, ResamplingUnit::from_id(value)),
    },
    MethodField {
        name: "resamples",
        summary: "how many resamples of each kind are made, from 1 to 1000000",
        values: &[],
        get: |method| method.resamples.to_string(),
        set: |method, value| {
            let fits = |number: &u32| (1..=MOST_RESAMPLES).contains(number);
            put(&mut method.resamples, value.parse().ok().filter(fits))
        },
    },
    MethodField {
        name: "seed",
        summary: "the seed of the pseudo-random numbers, a whole number",
        values: &[],
        get: |method| method.seed.to_string(),
        set: |method, value| put(&mut method.seed, value.parse().ok()),
    },
    choice_field!(correction: Correction, "how p-values are corrected for the number of comparisons"),
    choice_field!(interval: IntervalKind, "how confidence intervals are made"),
    MethodField {
        name: "confidence",
        summary: "the level of intervals, from 0.5 to 0.9999; differences are significant at 1 less this",
        values: &[],
        get: |method| method.confidence.to_string(),
        set: |method, value| {
            let fits = |level: &f64| (0.5..=0.9999).contains(level);
            put(&mut method.confidence, value.parse().ok().filter(fits))
        },
    },
];

impl MethodField {
    /// Its value in `method`.
    pub fn value(&self, method: &Method) -> String {
        (self.get)(method)
    }
}

impl Method {
    /// Sets one field by name.
    pub fn set(&mut self, name: &str, value: &str) -> Result<()> {
        let wrong = |message: Text| Error::new(ErrorKind::Settings, message);
        let Some(field) = METHOD_FIELDS.iter().find(|field| field.name == name) else {
            return Err(wrong(text!("a comparison has no field {}", quoted(name))));
        };
        if (field.set)(self, value) {
            return Ok(());
        }
        let error = wrong(text!("{} is not a value of {}", quoted(value), option_name(name.to_owned())));
        Err(match nearest(value, field.values.iter().map(|value| value.0)) {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error.hint(format!("it is {}", field.summary)),
        })
    }

    /// The p-value at which a difference is significant, and rounding.
    pub fn level(&self) -> f64 {
        1.0 - self.confidence + TIE
    }

    /// The least p-value that a number of documents allows of: n documents have 2ⁿ swaps, and the opposite of each
    /// makes the opposite difference.
    pub fn least_p(&self, documents: usize) -> f64 {
        match self.test {
            Test::Randomization => (1..documents.min(64)).fold(1.0, |p, _| 0.5 * p),
            Test::Bootstrap => 0.0,
        }
    }

    /// Returns whether a number of resamples allows of a p-value at the level at all, corrected over a number of comparisons:
    /// the least of B resamples is 1 / (B + 1).
    pub fn has_resamples_for(&self, comparisons: usize) -> bool {
        self.correction.most(comparisons) / (1.0 + f64::from(self.resamples)) <= self.level()
    }

    /// Returns warnings if there are too few resamples, with the sufficient number; one sentence each. `comparisons` is the
    /// number of tests that are corrected together, or 0. An interval from B resamples needs at least one beyond each end:
    /// B (1 − confidence) / 2 ≥ 1.
    ///
    /// ```
    /// use corefeval_core::significance::Method;
    /// let method = |resamples, confidence| Method { resamples, confidence, ..Method::default() };
    /// assert!(method(10_000, 0.95).too_few_resamples(13).is_empty());
    /// // The least p-value of ten is 1 / 11, and a fortieth of ten is none.
    /// assert_eq!(method(10, 0.95).too_few_resamples(1).len(), 2);
    /// // The least of 39 is 1 / 40, which suffices for two comparisons at 0.05, and not for three.
    /// assert_eq!([1, 2, 3].map(|number| method(39, 0.95).has_resamples_for(number)), [true, true, false]);
    /// ```
    pub fn too_few_resamples(&self, comparisons: usize) -> Vec<String> {
        let count = match self.resamples {
            1 => "1 resample".to_owned(),
            several => format!("{several} resamples"),
        };
        // Rounding errors must not require another resample.
        let least = |number: f64| (number - 1e-6).ceil();
        let (mut found, tail) = (Vec::new(), 0.5 * (1.0 - self.confidence));
        if comparisons > 0 && !self.has_resamples_for(comparisons) {
            let needed = least(self.correction.most(comparisons) / (1.0 - self.confidence)) - 1.0;
            found.push(format!(
                "{count} give no p-value low enough for {comparisons} comparison{}: it takes {needed}",
                if comparisons == 1 { "" } else { "s" }
            ));
        }
        if f64::from(self.resamples) * tail < 1.0 - 1e-9 {
            let needed = least(1.0 / tail);
            found.push(format!("{count} leave none beyond the ends of an interval: it takes {needed}"));
        }
        found
    }

    /// The value of one field, as in a signature.
    pub fn signature_of(&self, name: &str) -> String {
        let field = METHOD_FIELDS.iter().find(|field| field.name == name);
        field.map(|field| field.value(self)).unwrap_or_default()
    }

    /// Its part of a signature.
    ///
    /// ```
    /// use corefeval_core::significance::Method;
    /// let method = Method { seed: 7, ..Method::default() };
    /// let (rest, again) = Method::split_signature(&format!("profile:conll|{}", method.signature()))?;
    /// assert_eq!((rest.as_str(), again), ("profile:conll", Some(method)));
    /// # Ok::<(), corefeval_core::Error>(())
    /// ```
    pub fn signature(&self) -> String {
        let fields = METHOD_FIELDS.iter().map(|field| format!("{}:{}", field.name, field.value(self)));
        fields.collect::<Vec<_>>().join("|")
    }

    /// The signature of scores within that of a comparison, and the method, if it has one.
    pub fn split_signature(signature: &str) -> Result<(String, Option<Method>)> {
        let (mut rest, mut method) = (Vec::new(), None);
        for field in signature.trim().split('|') {
            match field.split_once(':') {
                Some((name, value)) if METHOD_FIELDS.iter().any(|field| field.name == name) => {
                    method.get_or_insert(Method::default()).set(name, value)?;
                }
                Some(("documents", "shared") | (INTERVAL_FIELD, _)) => {}
                _ => rest.push(field),
            }
        }
        Ok((rest.join("|"), method))
    }
}

/// The results of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The method.
    pub method: Method,
    /// The number of documents of each system.
    pub documents: usize,
    /// The number of resampling units.
    pub units: usize,
    /// The system that others are compared with.
    pub baseline: usize,
    /// For each metric and system.
    pub estimates: Vec<Vec<Estimate>>,
    /// For each metric all pairs of systems that it is defined for.
    pub pairs: Vec<Vec<PairTest>>,
    /// For each metric the number of resamples in which it has nothing to count for a system that it is defined for;
    /// they are left out of its intervals.
    pub undefined: Vec<u32>,
}

/// The score of a system with its statistics.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// F1 over all documents; where it is not defined 0, or a mean to which a metric adds 0.
    pub f1: f64,
    /// Whether it is defined. An undefined score has none of the following.
    pub defined: bool,
    /// Its interval; none where most resamples have nothing to count.
    pub interval: Option<Interval>,
    /// Those of recall and precision; a mean of metrics has none.
    pub ratios: [Option<Interval>; 2],
    /// Its rank among the systems, from 1.
    pub rank: Option<u32>,
    /// The difference to the baseline; none for the baseline, and where one of both is not defined.
    pub difference: Option<Difference>,
}

/// The difference of a system from the baseline.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// F1 of the system less that of the baseline.
    pub f1: f64,
    /// Its interval; none where most resamples have nothing to count.
    pub interval: Option<Interval>,
    /// The p-value of the test.
    pub p: f64,
    /// The same, corrected over all systems that are compared with the baseline.
    pub p_corrected: f64,
    /// The smallest true difference that would be found in four of five cases; none where the documents or resamples
    /// are too few for any.
    pub detectable: Option<f64>,
}

/// The difference of two systems.
#[derive(Clone, Debug, PartialEq)]
pub struct PairTest {
    /// The first system.
    pub first: usize,
    /// The second.
    pub second: usize,
    /// F1 of the first less that of the second.
    pub f1: f64,
    /// The p-value of the test.
    pub p: f64,
    /// The same, corrected over all pairs.
    pub p_corrected: f64,
}

/// Compares systems. The result does not depend on the number of threads.
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
    let (systems, units) = (counts.systems(), counts.documents());
    check_documents(units, Scope::Document, None)?;
    if baseline >= systems {
        return Err(Error::new(ErrorKind::Settings, "the baseline is none of the systems"));
    }
    let columns = counts.columns();
    let resamples = method.resamples.clamp(1, MOST_RESAMPLES) as usize;
    let (observed, defined) = (counts.scores(), counts.defined());
    let draw = |part: Part| Bootstrap::new((counts, &columns), part, method.seed, resamples, threads);
    let without_each =
        |part: Part| side_by_side(threads, systems, |system| counts.scores_without_each(system, part));
    let number = counts.metrics.len();
    let metrics = 0..number;
    // One after the other: the samples of each take a number for every metric, system and resample.
    let ratios = [Part::Recall, Part::Precision].map(|part| {
        let (bootstrap, left_out) = (draw(part), without_each(part));
        let scores: Vec<Vec<[f64; 3]>> =
            (0..systems).map(|system| counts.parts_of(&counts.totals(system))).collect();
        side_by_side(threads, number * systems, |place| {
            let (metric, system) = (place / systems, place % systems);
            let jackknife: Vec<f64> = left_out[system].iter().map(|scores| scores[metric]).collect();
            let values = bootstrap.values(metric, system);
            interval_of(method, scores[system][metric][part as usize], &values, &jackknife)
        })
    });
    let left_out = without_each(Part::F1);
    let bootstrap = draw(Part::F1);

    let all = pairs(systems);
    let differences: Vec<Vec<f64>> = metrics
        .clone()
        .map(|metric| all.iter().map(|&(a, b)| observed[a][metric] - observed[b][metric]).collect())
        .collect();
    // The number of resamples that are as far, and of all.
    let far: Vec<Vec<(u32, u32)>> = match method.test {
        Test::Randomization => {
            let far = randomize(counts, &columns, &differences, method.seed, resamples, threads);
            far.into_iter().map(|far| far.into_iter().map(|far| (far, resamples as u32)).collect()).collect()
        }
        Test::Bootstrap => side_by_side(threads, number, |metric| {
            let of = all.iter().zip(&differences[metric]);
            of.map(|(&pair, &difference)| bootstrap.as_far(metric, pair, difference)).collect()
        }),
    };
    let p = |(far, all): (u32, u32)| f64::from(1 + far) / (1.0 + f64::from(all));
    let tests: Vec<Vec<PairTest>> = metrics
        .clone()
        .map(|metric| {
            let found = all.iter().zip(&differences[metric]).zip(&far[metric]);
            let found: Vec<_> =
                found.filter(|((pair, _), _)| defined[pair.0][metric] && defined[pair.1][metric]).collect();
            let values: Vec<f64> = found.iter().map(|(_, far)| p(**far)).collect();
            let corrected = method.correction.correct(&values);
            let rows = found.into_iter().zip(values.iter().zip(corrected));
            rows.map(|(((&(first, second), &f1), _), (&p, p_corrected))| PairTest {
                first,
                second,
                f1,
                p,
                p_corrected,
            })
            .collect()
        })
        .collect();

    let intervals = side_by_side(threads, number * systems, |place| {
        let (metric, system) = (place / systems, place % systems);
        if !defined[system][metric] {
            return (None, None, 0.0);
        }
        let values = bootstrap.values(metric, system);
        let jackknife = |system: usize| left_out[system].iter().map(move |scores| scores[metric]);
        let own: Vec<f64> = jackknife(system).collect();
        let alone = interval_of(method, observed[system][metric], &values, &own);
        if system == baseline || !defined[baseline][metric] {
            return (alone, None, 0.0);
        }
        let less = |values: &[f64], other: Vec<f64>| -> Vec<f64> {
            values.iter().zip(other).map(|(value, other)| value - other).collect()
        };
        let values = less(&values, bootstrap.values(metric, baseline));
        let own = less(&own, jackknife(baseline).collect());
        let difference = observed[system][metric] - observed[baseline][metric];
        (alone, interval_of(method, difference, &values, &own), deviation(&values))
    });
    let undefined = side_by_side(threads, number, |metric| {
        let of: Vec<usize> = (0..systems).filter(|&system| defined[system][metric]).collect();
        bootstrap.undefined(metric, &of)
    });

    // z of the level, two-sided, and of four cases in five.
    let power = normal::quantile(0.5 + 0.5 * method.confidence) + normal::quantile(0.8);
    let can_find =
        method.least_p(units) <= method.level() && method.has_resamples_for(systems.saturating_sub(1));
    let estimates = metrics
        .map(|metric| {
            let test = |a: usize, b: usize| {
                let pair = (a.min(b), a.max(b));
                tests[metric].iter().find(|test| (test.first, test.second) == pair).map_or(1.0, |test| test.p)
            };
            let is_defined = |&system: &usize| defined[system][metric];
            let others: Vec<usize> = (0..systems)
                .filter(|&system| system != baseline && is_defined(&baseline))
                .filter(is_defined)
                .collect();
            let values: Vec<f64> = others.iter().map(|&system| test(system, baseline)).collect();
            let corrected = method.correction.correct(&values);
            let ranked = (0..systems).filter(is_defined).collect();
            let ranks = rank(observed, metric, ranked, method, test);
            (0..systems)
                .map(|system| {
                    let (interval, of_difference, deviation) = intervals[metric * systems + system];
                    let place = others.iter().position(|&other| other == system);
                    let difference = place.map(|place| Difference {
                        f1: observed[system][metric] - observed[baseline][metric],
                        interval: of_difference,
                        p: values[place],
                        p_corrected: corrected[place],
                        detectable: can_find.then_some(power * deviation),
                    });
                    let defined = defined[system][metric];
                    let ratio = |part: usize| ratios[part][metric * systems + system].filter(|_| defined);
                    Estimate {
                        f1: observed[system][metric],
                        defined,
                        interval,
                        ratios: [ratio(0), ratio(1)],
                        rank: ranks[system],
                        difference,
                    }
                })
                .collect()
        })
        .collect();
    Ok(Comparison { method: *method, documents, units, baseline, estimates, pairs: tests, undefined })
}

/// Returns the interval of a score from its values in all resamples in which it is defined. `None` if these are less than
/// half, or if all counts are in one document, because variation between documents is then unknown.
fn interval_of(method: &Method, observed: f64, values: &[f64], jackknife: &[f64]) -> Option<Interval> {
    let some =
        |values: &[f64]| -> Vec<f64> { values.iter().copied().filter(|value| !value.is_nan()).collect() };
    if jackknife.iter().any(|value| value.is_nan()) {
        return None;
    }
    let mut sorted = some(values);
    if 2 * sorted.len() < values.len() || sorted.is_empty() {
        return None;
    }
    sorted.sort_unstable_by(f64::total_cmp);
    Some(interval::interval(method.interval, method.confidence, observed, &sorted, &some(jackknife)))
}

/// The rank of each system by one metric, of those that it is defined for.
fn rank(
    observed: &[Vec<f64>],
    metric: usize,
    mut order: Vec<usize>,
    method: &Method,
    test: impl Fn(usize, usize) -> f64,
) -> Vec<Option<u32>> {
    order.sort_by(|&a, &b| observed[b][metric].total_cmp(&observed[a][metric]));
    let neighbours: Vec<f64> = order.windows(2).map(|two| test(two[0], two[1])).collect();
    let corrected = method.correction.correct(&neighbours);
    let apart: Vec<bool> = corrected.iter().map(|&p| p <= method.level()).collect();
    let mut ranks = vec![None; observed.len()];
    order.iter().zip(correction::ranks(&apart)).for_each(|(&system, rank)| ranks[system] = Some(rank));
    ranks
}

/// The standard deviation of the values that are defined.
fn deviation(values: &[f64]) -> f64 {
    let values = || values.iter().filter(|value| !value.is_nan());
    let number = values().count() as f64;
    let mean = values().sum::<f64>() / number.max(1.0);
    let squares: f64 = values().map(|value| (value - mean) * (value - mean)).sum();
    (squares / (number - 1.0).max(1.0)).sqrt()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn fields_are_unique_and_every_value_reads_back() {
        let names: BTreeSet<_> = METHOD_FIELDS.iter().map(|field| field.name).collect();
        assert_eq!(names.len(), METHOD_FIELDS.len());
        for field in METHOD_FIELDS {
            let values = field.values.iter().map(|value| value.0);
            for value in values.chain(field.values.is_empty().then_some(if field.name == "confidence" {
                "0.9"
            } else {
                "7"
            })) {
                let mut method = Method::default();
                method.set(field.name, value).unwrap();
                assert_eq!(field.value(&method), value);
                assert_eq!(Method::split_signature(&method.signature()), Ok((String::new(), Some(method))));
            }
        }
        let plain = "corefeval:0.1.0|profile:conll|format:conll";
        assert_eq!(Method::split_signature(plain), Ok((plain.to_owned(), None)));
    }
}
