//! Whether systems differ: intervals, paired tests, ranks, all from what each document counts.
//!
//! The score of a system is a ratio of sums over documents, so documents are what is resampled, whole: the mentions
//! of a document depend on each other, and the parts of an entity cannot be drawn apart. Nothing is scored again:
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
//!   documents are so few that no swap is rare enough.
//!
//! Differences within 10⁻¹² are ties: sums of fractions in doubles depend on their order.

mod coefficients;
mod correction;
mod correlation;
mod counts;
pub(crate) mod interval;
mod normal;
pub(crate) mod random;
mod resample;

pub use self::coefficients::{FEWEST, kendall, pearson, spearman};
pub use self::correction::Correction;
pub use self::correlation::{
    COEFFICIENTS, Coefficient, Correlation, CorrelationField, CorrelationInput, CorrelationInterval,
    CorrelationMethod, EntityPoints, INTERVAL_FIELD, Over, PartCorrelation, correlate, reading,
};
pub use self::counts::DocumentCounts;
pub use self::interval::{Interval, IntervalKind};
use self::resample::{Bootstrap, in_order, pairs, randomize};
use crate::error::{Error, ErrorKind, Result};
use crate::settings::{Choice, choice};
use crate::suggest::nearest;

/// Differences below this are rounding.
const TIE: f64 = 1e-12;

/// With fewer documents intervals are too narrow and a warning says so.
pub const FEW_DOCUMENTS: usize = 20;

/// More resamples than this would need gigabytes.
pub const MOST_RESAMPLES: u32 = 1_000_000;

choice! {
    /// How a difference is tested.
    Test {
        #[default]
        Randomization = "randomization" "approximate randomization: the systems' documents change sides at random (Noreen 1989)",
        Bootstrap = "bootstrap" "paired bootstrap: documents are drawn with replacement, the same for both systems",
    }
}

/// Everything that a comparison depends on beside scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Method {
    /// How differences are tested.
    pub test: Test,
    /// How many resamples of each kind.
    pub resamples: u32,
    /// What the pseudo-random numbers start from.
    pub seed: u64,
    /// How p-values are corrected for the number of comparisons.
    pub correction: Correction,
    /// How intervals are made.
    pub interval: IntervalKind,
    /// The level of intervals; what is left to 1 is that of tests.
    pub confidence: f64,
}

impl Default for Method {
    fn default() -> Method {
        Method {
            test: Test::default(),
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
    /// As typed after `--`, and the field in a signature.
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

/// All fields of a method, in the order of the signature.
pub static METHOD_FIELDS: &[MethodField] = &[
    MethodField {
        name: "test",
        summary: "how the difference of two systems is tested",
        values: <Test as Choice>::VALUES,
        get: |method| method.test.id().to_owned(),
        set: |method, value| put(&mut method.test, Test::from_id(value)),
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
        summary: "what the pseudo-random numbers start from, a whole number",
        values: &[],
        get: |method| method.seed.to_string(),
        set: |method, value| put(&mut method.seed, value.parse().ok()),
    },
    MethodField {
        name: "correction",
        summary: "how p-values are corrected for the number of comparisons",
        values: <Correction as Choice>::VALUES,
        get: |method| method.correction.id().to_owned(),
        set: |method, value| put(&mut method.correction, Correction::from_id(value)),
    },
    MethodField {
        name: "interval",
        summary: "how confidence intervals are made",
        values: <IntervalKind as Choice>::VALUES,
        get: |method| method.interval.id().to_owned(),
        set: |method, value| put(&mut method.interval, IntervalKind::from_id(value)),
    },
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
        let wrong = |message: String| Error::new(ErrorKind::Settings, message);
        let Some(field) = METHOD_FIELDS.iter().find(|field| field.name == name) else {
            return Err(wrong(format!("a comparison has no field `{name}`")));
        };
        if (field.set)(self, value) {
            return Ok(());
        }
        let error = wrong(format!("`{value}` is no value of `{name}`"));
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

/// What a comparison found.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// What it depends on.
    pub method: Method,
    /// How many documents each system has.
    pub documents: usize,
    /// The system that others are compared with.
    pub baseline: usize,
    /// For each metric and system.
    pub estimates: Vec<Vec<Estimate>>,
    /// For each metric all pairs of systems.
    pub pairs: Vec<Vec<PairTest>>,
}

/// What is known of the score of a system.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// F1 over all documents.
    pub f1: f64,
    /// Its interval.
    pub interval: Interval,
    /// Its rank among the systems, from 1.
    pub rank: u32,
    /// The difference to the baseline; the baseline has none.
    pub difference: Option<Difference>,
}

/// How a system differs from the baseline.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// F1 of the system less that of the baseline.
    pub f1: f64,
    /// Its interval.
    pub interval: Interval,
    /// The p-value of the test.
    pub p: f64,
    /// The same, corrected over all systems that are compared with the baseline.
    pub p_corrected: f64,
    /// The smallest true difference that would be found in four of five cases; none where the documents are too few
    /// for any.
    pub detectable: Option<f64>,
}

/// How two systems differ.
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
    let (systems, documents) = (counts.systems(), counts.documents());
    check(documents)?;
    if baseline >= systems {
        return Err(Error::new(ErrorKind::Settings, "the baseline is none of the systems"));
    }
    let columns = counts.columns();
    let resamples = method.resamples.clamp(1, MOST_RESAMPLES) as usize;
    let observed = counts.scores();
    let left_out = in_order(systems, threads, |system| counts.scores_without_each(system));
    let bootstrap = Bootstrap::new(counts, &columns, method.seed, resamples, threads);

    let all = pairs(systems);
    let metrics = 0..counts.metrics.len();
    let differences: Vec<Vec<f64>> = metrics
        .clone()
        .map(|metric| all.iter().map(|&(a, b)| observed[a][metric] - observed[b][metric]).collect())
        .collect();
    let far = match method.test {
        Test::Randomization => randomize(counts, &columns, &differences, method.seed, resamples, threads),
        Test::Bootstrap => in_order(metrics.len(), threads, |metric| {
            let of = all.iter().zip(&differences[metric]);
            of.map(|(&pair, &difference)| bootstrap.as_far(metric, pair, difference)).collect()
        }),
    };
    let p = |far: u32| f64::from(1 + far) / (1 + resamples) as f64;
    let tests: Vec<Vec<PairTest>> = metrics
        .clone()
        .map(|metric| {
            let values: Vec<f64> = far[metric].iter().map(|&far| p(far)).collect();
            let corrected = method.correction.correct(&values);
            let rows = all.iter().zip(&differences[metric]).zip(values.iter().zip(corrected));
            rows.map(|((&(first, second), &f1), (&p, p_corrected))| PairTest {
                first,
                second,
                f1,
                p,
                p_corrected,
            })
            .collect()
        })
        .collect();

    let intervals = in_order(metrics.len() * systems, threads, |number| {
        let (metric, system) = (number / systems, number % systems);
        let values = bootstrap.values(metric, system);
        let jackknife = |system: usize| left_out[system].iter().map(move |scores| scores[metric]);
        let own: Vec<f64> = jackknife(system).collect();
        let of = |observed: f64, values: &[f64], jackknife: &[f64]| {
            let mut sorted = values.to_vec();
            sorted.sort_unstable_by(f64::total_cmp);
            interval::interval(method.interval, method.confidence, observed, &sorted, jackknife)
        };
        let alone = of(observed[system][metric], &values, &own);
        if system == baseline {
            return (alone, Interval::default(), 0.0);
        }
        let less = |values: &[f64], other: Vec<f64>| -> Vec<f64> {
            values.iter().zip(other).map(|(value, other)| value - other).collect()
        };
        let values = less(&values, bootstrap.values(metric, baseline));
        let own = less(&own, jackknife(baseline).collect());
        let difference = observed[system][metric] - observed[baseline][metric];
        (alone, of(difference, &values, &own), deviation(&values))
    });

    // z of the level, two-sided, and of four cases in five.
    let power = normal::quantile(0.5 + 0.5 * method.confidence) + normal::quantile(0.8);
    let can_find = method.least_p(documents) <= method.level();
    let estimates = metrics
        .map(|metric| {
            let test = |a: usize, b: usize| {
                let pair = (a.min(b), a.max(b));
                tests[metric].iter().find(|test| (test.first, test.second) == pair).map_or(1.0, |test| test.p)
            };
            let others: Vec<usize> = (0..systems).filter(|&system| system != baseline).collect();
            let values: Vec<f64> = others.iter().map(|&system| test(system, baseline)).collect();
            let corrected = method.correction.correct(&values);
            let ranks = rank(observed, metric, method, test);
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
                    Estimate { f1: observed[system][metric], interval, rank: ranks[system], difference }
                })
                .collect()
        })
        .collect();
    Ok(Comparison { method: *method, documents, baseline, estimates, pairs: tests })
}

/// Whether there is anything to resample.
fn check(documents: usize) -> Result<()> {
    let (message, hint) = match documents {
        0 => (
            "there is no document to compare on",
            "no document is in all systems: leave out those that lack most, or add what they lack",
        ),
        1 => (
            "there is one document, and resampling documents needs two at least",
            "documents are drawn whole, since the mentions of one depend on each other; a corpus of one text may be divided where its parts were annotated apart",
        ),
        _ => return Ok(()),
    };
    Err(Error::new(ErrorKind::Pairing, message).hint(hint))
}

/// The rank of each system by one metric.
fn rank(
    observed: &[Vec<f64>],
    metric: usize,
    method: &Method,
    test: impl Fn(usize, usize) -> f64,
) -> Vec<u32> {
    let mut order: Vec<usize> = (0..observed.len()).collect();
    order.sort_by(|&a, &b| observed[b][metric].total_cmp(&observed[a][metric]));
    let neighbours: Vec<f64> = order.windows(2).map(|two| test(two[0], two[1])).collect();
    let corrected = method.correction.correct(&neighbours);
    let apart: Vec<bool> = corrected.iter().map(|&p| p <= method.level()).collect();
    let mut ranks = vec![1; observed.len()];
    order.iter().zip(correction::ranks(&apart)).for_each(|(&system, rank)| ranks[system] = rank);
    ranks
}

/// The standard deviation.
fn deviation(values: &[f64]) -> f64 {
    let number = values.len() as f64;
    let mean = values.iter().sum::<f64>() / number.max(1.0);
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
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
