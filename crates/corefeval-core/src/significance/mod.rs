//! Tests the significance of differences between systems: intervals, paired tests and ranks, from the counts of
//! documents.
//!
//! The score of a system is a ratio of sums over documents. Whole documents are resampled, because the mentions of a
//! document depend on each other and entities cannot be divided. The parts of one document are drawn together;
//! optionally, so are the documents of a topic or a file ([`ResamplingUnit`]). Nothing is scored again: a resample adds
//! up the counts of its documents, and the scores of all metrics and their means follow from the sums.
//!
//! - **Intervals** come from a bootstrap over documents: BCa for 50 units or more, expanded percentiles for fewer, or
//!   another kind if requested.
//! - **Differences** between two systems are tested in pairs by document. Approximate randomization (Noreen 1989)
//!   decides at random for each document whether the systems swap their counts; p = (1 + the number of swaps whose
//!   difference is at least the observed one, in either direction) / (1 + all swaps). With up to 13 documents, each
//!   swap is made once, and p is exact. The bootstrap test counts the samples in which the difference is at least as
//!   far from the observed one as the observed one is from 0.
//! - **Ranks** count the systems before (1, 2, 2, 4). Systems share a rank if no two of them differ significantly, in a
//!   test of all pairs or in the comparison with the baseline. Letters show all pairs, and sets of ranks show the ranks
//!   that these tests leave possible. Optionally, neighbours that do not differ share a rank, as in Table 5 of Moosavi
//!   and Strube (2016).
//! - **Corrections** for many comparisons apply within a family ([`Family`]): over the comparisons with the baseline,
//!   over all pairs, or over the neighbours of the ranking.
//! - The **detectable** difference is the smallest true one that a test at 1 − confidence, corrected like its p-value,
//!   would find in four of five cases, in a new corpus with the same number of similar documents. It allows for chance
//!   in the standard errors of both corpora, and for swaps of documents with unequal weights (`power.rs`). If there are
//!   too few documents or resamples for low p-values, there is no detectable difference; if no p-value can be
//!   significant, there is no rank either.
//! - A system of **several runs** gets the mean of their scores. Its Student's intervals and tests cover runs and
//!   documents together (`runs.rs`). It has no detectable difference.
//! - A score is **undefined** if neither side has counts for it (MUC without links); within a group of mentions, if one
//!   side has none. A mean of metrics is undefined if one of them is. An undefined score has no interval, rank or test.
//!   If a score is undefined only in some resamples, these are left out of its intervals and counted; if they are more
//!   than half, there is no interval.
//!
//! Differences within 10⁻¹² are ties: sums of fractions in doubles depend on their order.

mod coefficients;
mod compare;
mod correction;
pub(crate) mod correlation;
mod counts;
mod family;
mod findings;
pub(crate) mod interval;
mod normal;
mod power;
mod progress;
pub(crate) mod random;
mod ranking;
mod resample;
mod runs;
mod student;
mod units;
mod works;

pub use self::coefficients::{FEWEST, kendall, pearson, spearman};
pub use self::compare::{IntervalPair, compare, intervals_by};
pub use self::correction::{Correction, Family};
pub use self::correlation::{
    COEFFICIENTS, Closeness, CloserBy, Coefficient, Correlation, CorrelationField, CorrelationInput,
    CorrelationInterval, CorrelationMethod, EntityBounds, EntityPoints, FEWEST_READ, INTERVAL_FIELD,
    MapChoice, Over, PartCorrelation, PointLabel, correlate, correlation_intervals_by, reading,
};
pub use self::counts::DocumentCounts;
pub use self::family::{FamilySizes, correct_together};
pub use self::findings::{check_documents, warn_of_few_resamples};
pub use self::interval::{Interval, IntervalKind, SMALL_SAMPLE};
pub use self::power::POWER;
pub use self::progress::{ResamplingProgress, RunningResampling, SAMPLES, SWAPS};
pub use self::ranking::RankRule;
pub use self::units::{ResamplingUnit, ResamplingUnits, described};
use crate::choice::{Choice, choice};
use crate::error::{Error, ErrorKind, Result};
use crate::suggest::did_you_mean;
use crate::wording::{quoted, text};

/// Differences below this are rounding.
const TIE: f64 = 1e-12;

/// With fewer documents, intervals are too narrow, and a warning is given.
pub const FEW_DOCUMENTS: usize = 20;

/// Recall, precision and F1 are resampled together if each of them has at most this many numbers.
const MOST_TOGETHER: usize = 1 << 23;

/// The largest number of resamples; more would need gigabytes.
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
    /// The tests that are corrected together.
    pub family: Family,
    /// The rule by which systems share a rank.
    pub ranks: RankRule,
    /// The method of the intervals.
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
            family: Family::default(),
            ranks: RankRule::default(),
            interval: IntervalKind::default(),
            confidence: 0.95,
        }
    }
}

/// The results that a field of a method can change. A signature names a field only if the report has such results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodConcern {
    /// All intervals and tests.
    All,
    /// Results from resamples: the intervals of systems of one run, and the tests of two such systems.
    Resamples,
    /// Tests of two systems.
    Tests,
    /// P-values that are corrected together with others.
    Corrected,
    /// P-values of several families, which can be corrected as one.
    Families,
    /// Ranks of three or more systems; for two, all rules agree.
    Ranks,
}

/// One row of the table of a method's fields.
pub struct MethodField {
    /// The name after `--`, which is also the field in a signature.
    pub name: &'static str,
    /// One line of help.
    pub summary: &'static str,
    /// The results that it can change.
    pub concern: MethodConcern,
    /// Values with a line of help each; empty for a number.
    pub values: &'static [(&'static str, &'static str)],
    get: fn(&Method) -> String,
    set: fn(&mut Method, &str) -> bool,
}

impl Estimate {
    /// Returns the standard deviation of the runs, if there are several.
    pub fn spread(&self) -> Option<f64> {
        runs::spread(&self.runs)
    }
}

/// Stores a value, if there is one, in its place.
fn put<T>(place: &mut T, value: Option<T>) -> bool {
    value.map(|value| *place = value).is_some()
}

/// A field whose values are a [`Choice`].
macro_rules! choice_field {
    ($field:ident: $type:ty, $concern:ident, $summary:literal) => {
        MethodField {
            name: stringify!($field),
            summary: $summary,
            concern: MethodConcern::$concern,
            values: <$type as Choice>::VALUES,
            get: |method| method.$field.id().to_owned(),
            set: |method, value| put(&mut method.$field, <$type>::from_id(value)),
        }
    };
}

/// All fields of a method, in the order of the signature.
pub static METHOD_FIELDS: &[MethodField] = &[
    choice_field!(test: Test, Tests, "how the difference of two systems is tested"),
    MethodField {
        name: "unit",
        summary: "the unit that resampling draws as a whole",
        concern: MethodConcern::All,
        values: <ResamplingUnit as Choice>::VALUES,
        get: |method| method.unit.id().to_owned(),
        set: |method, value| put(&mut method.unit, ResamplingUnit::from_id(value)),
    },
    MethodField {
        name: "resamples",
        summary: "the number of resamples of each kind, from 1 to 1000000",
        concern: MethodConcern::Resamples,
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
        concern: MethodConcern::Resamples,
        values: &[],
        get: |method| method.seed.to_string(),
        set: |method, value| put(&mut method.seed, value.parse().ok()),
    },
    choice_field!(correction: Correction, Corrected, "how p-values are corrected for the number of comparisons"),
    choice_field!(family: Family, Families, "the comparisons that are corrected together"),
    choice_field!(ranks: RankRule, Ranks, "the rule by which systems share a rank"),
    choice_field!(interval: IntervalKind, Resamples, "how confidence intervals are computed"),
    MethodField {
        name: "confidence",
        summary: "the level of intervals, from 0.5 to 0.9999; differences are significant at 1 minus this level",
        concern: MethodConcern::All,
        values: &[],
        get: |method| method.confidence.to_string(),
        set: |method, value| {
            let fits = |level: &f64| (0.5..=0.9999).contains(level);
            put(&mut method.confidence, value.parse().ok().filter(fits))
        },
    },
];

impl MethodField {
    /// Returns the value of the field in `method`.
    pub fn value(&self, method: &Method) -> String {
        (self.get)(method)
    }
}

impl Method {
    /// The fields that intervals depend on, if there are no tests.
    pub const OF_INTERVALS: &'static [&'static str] =
        &["unit", "resamples", "seed", "interval", "confidence"];

    /// Sets one field by name.
    ///
    /// # Errors
    ///
    /// The field does not exist, or the value is not one of its values.
    pub fn set(&mut self, name: &str, value: &str) -> Result<()> {
        let Some(field) = METHOD_FIELDS.iter().find(|field| field.name == name) else {
            let message = text!("a comparison has no field {}", quoted(name));
            return Err(Error::new(ErrorKind::Settings, message));
        };
        if (field.set)(self, value) {
            return Ok(());
        }
        let hint = did_you_mean(value, field.values.iter().map(|value| value.0));
        Err(Error::not_valid(value, name).hint(hint.unwrap_or_else(|| format!("it is {}", field.summary))))
    }

    /// Returns the p-value at which a difference is significant, with a margin for rounding.
    pub fn level(&self) -> f64 {
        1.0 - self.confidence + TIE
    }

    /// Returns the smallest possible p-value for a number of documents: n documents have 2ⁿ swaps, and the opposite of each
    /// makes the opposite difference.
    pub fn least_p(&self, documents: usize) -> f64 {
        match self.test {
            Test::Randomization => (1..documents.min(64)).fold(1.0, |p, _| 0.5 * p),
            Test::Bootstrap => 0.0,
        }
    }

    /// Returns whether a number of resamples allows a p-value at the level, corrected over a number of
    /// comparisons: the smallest with B resamples is 1 / (B + 1).
    pub fn has_resamples_for(&self, comparisons: usize) -> bool {
        self.correction.most(comparisons) / (1.0 + f64::from(self.resamples)) <= self.level()
    }

    /// Returns warnings if there are too few resamples, with the sufficient number; one sentence each. `comparisons` is
    /// the number of tests that are corrected together, or 0. An interval from B resamples needs at least one beyond
    /// each end: B (1 − confidence) / 2 ≥ 1.
    ///
    /// ```
    /// use corefeval_core::significance::Method;
    /// let method = |resamples, confidence| Method { resamples, confidence, ..Method::default() };
    /// assert!(method(10_000, 0.95).too_few_resamples(13).is_empty());
    /// // With ten resamples, the smallest p-value is 1 / 11, and no resample is beyond the ends of an interval.
    /// assert_eq!(method(10, 0.95).too_few_resamples(1).len(), 2);
    /// // With 39, the smallest p-value is 1 / 40, which suffices for two comparisons at 0.05, but not for three.
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
                "with {count} no p-value can be significant in {comparisons} comparison{}: {needed} are needed",
                if comparisons == 1 { "" } else { "s" }
            ));
        }
        if f64::from(self.resamples) * tail < 1.0 - 1e-9 {
            let needed = least(1.0 / tail);
            found.push(format!("with {count} intervals end at the extreme resamples: {needed} are needed"));
        }
        found
    }

    /// Returns the value of one field, as in a signature.
    pub fn signature_of(&self, name: &str) -> String {
        let field = METHOD_FIELDS.iter().find(|field| field.name == name);
        field.map(|field| field.value(self)).unwrap_or_default()
    }

    /// Returns all fields with their values.
    pub fn list(&self) -> Vec<(&'static str, String)> {
        METHOD_FIELDS.iter().map(|field| (field.name, field.value(self))).collect()
    }

    /// Returns the part of a signature for a report with results of these concerns, each field after a `|`.
    pub(crate) fn signature_for(&self, concerns: &[MethodConcern]) -> String {
        let fields = METHOD_FIELDS.iter().filter(|field| concerns.contains(&field.concern));
        fields.map(|field| format!("|{}:{}", field.name, field.value(self))).collect()
    }

    /// Returns all fields as in a signature.
    ///
    /// ```
    /// use corefeval_core::significance::Method;
    /// let method = Method { seed: 7, ..Method::default() };
    /// let (rest, again) = Method::split_signature(&format!("profile:conll|{}", method.signature()))?;
    /// assert_eq!((rest.as_str(), again), ("profile:conll", Some(method)));
    /// # Ok::<(), corefeval_core::Error>(())
    /// ```
    pub fn signature(&self) -> String {
        let fields = self.list().into_iter().map(|(name, value)| format!("{name}:{value}"));
        fields.collect::<Vec<_>>().join("|")
    }

    /// Splits the signature of a comparison into the signature of its scores and the method, if it has one.
    ///
    /// # Errors
    ///
    /// A field of the method has a value that does not exist.
    pub fn split_signature(signature: &str) -> Result<(String, Option<Method>)> {
        let (mut rest, mut method) = (Vec::new(), None);
        for field in signature.trim().split('|') {
            match field.split_once(':') {
                // Systems of several runs have a separate test, which no option selects.
                Some(("test", runs::STUDENT)) => {
                    method.get_or_insert_default();
                }
                Some((name, value)) if METHOD_FIELDS.iter().any(|field| field.name == name) => {
                    let value = value.strip_suffix(runs::PLUS_STUDENT).unwrap_or(value);
                    method.get_or_insert(Method::default()).set(name, value)?;
                }
                Some(("documents", "shared") | (INTERVAL_FIELD | "smallest", _)) => {}
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
    /// The score of each system by each metric, metric by metric.
    pub estimates: Vec<Vec<Estimate>>,
    /// For each metric, all pairs of systems that it is defined for.
    pub pairs: Vec<Vec<PairTest>>,
    /// For each metric, the number of resamples in which it is undefined for a system that it is defined for; they are
    /// left out of its intervals.
    pub undefined: Vec<u32>,
    /// For each metric, the numbers of tests that its p-values are corrected over.
    pub families: Vec<FamilySizes>,
}

/// The score of a system with its statistics.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// F1 over all documents. An undefined F1 is 0, even within a mean of metrics.
    pub f1: f64,
    /// F1 of each run, whose mean [`f1`](Self::f1) is; a single value if the system has no other runs.
    pub runs: Vec<f64>,
    /// True if it is defined. An undefined score has none of the following values.
    pub defined: bool,
    /// Its interval; `None` if it is undefined in most resamples.
    pub interval: Option<Interval>,
    /// The intervals of recall and precision; a mean of metrics has none.
    pub ratios: [Option<Interval>; 2],
    /// Its rank among the systems: 1 plus the number of systems before those that share it. `None` if the tests that
    /// decide cannot be significant.
    pub rank: Option<u32>,
    /// The lowest and the highest rank that the tests of all pairs and the comparisons with the baseline leave possible.
    pub rank_set: Option<(u32, u32)>,
    /// Its letters: systems that share one do not differ significantly, and all others do.
    pub letters: Option<String>,
    /// The difference from the baseline; `None` for the baseline, and if one of the two is undefined.
    pub difference: Option<Difference>,
}

/// The difference of a system from the baseline.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// F1 of the system minus F1 of the baseline.
    pub f1: f64,
    /// Its interval; `None` if it is undefined in most resamples.
    pub interval: Option<Interval>,
    /// The p-value of the test.
    pub p: f64,
    /// The p-value, corrected over all comparisons with the baseline in its family.
    pub p_corrected: f64,
    /// Its standard error, from the jackknife over units; if one of the systems has several runs, from the variance of
    /// runs as well. NaN if one of the scores depends on a single unit.
    pub error: f64,
    /// The part of the error due to runs, which more documents do not reduce; 0 if both systems have a single run.
    pub error_of_runs: f64,
    /// The degrees of freedom of Student's interval, and of Student's test if one of the systems has several runs.
    pub freedom: f64,
    /// The degrees of freedom by which the standard error varies from corpus to corpus: fewer if units have unequal
    /// weights.
    pub error_freedom: f64,
    /// The squared coefficient of variation of the weights of the units in the two scores.
    pub unevenness: f64,
    /// The smallest true difference that would be found in four of five cases; `None` if the documents or resamples
    /// allow fewer than ten significant p-values, or if there is no standard error.
    pub detectable: Option<f64>,
}

/// The difference of two systems.
#[derive(Clone, Debug, PartialEq)]
pub struct PairTest {
    /// The first system.
    pub first: usize,
    /// The second.
    pub second: usize,
    /// F1 of the first system minus F1 of the second.
    pub f1: f64,
    /// The p-value of the test.
    pub p: f64,
    /// The p-value, corrected over all pairs in its family.
    pub p_corrected: f64,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn fields_are_unique_and_every_value_reads_back() {
        let names: BTreeSet<_> = METHOD_FIELDS.iter().map(|field| field.name).collect();
        assert_eq!(names.len(), METHOD_FIELDS.len());
        let of_intervals =
            |field: &&MethodField| matches!(field.concern, MethodConcern::All | MethodConcern::Resamples);
        let of_intervals: Vec<_> =
            METHOD_FIELDS.iter().filter(of_intervals).map(|field| field.name).collect();
        assert_eq!(Method::OF_INTERVALS, of_intervals);
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
