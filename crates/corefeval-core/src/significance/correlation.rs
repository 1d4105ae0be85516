//! Correlations of two metrics: over documents, over systems, over both and over entities.
//!
//! - **documents**: one point per document, for each system.
//! - **pooled**: one point per document, for all systems together.
//! - **systems**: one point per system, its scores over all documents.
//! - **entities**: one point per key entity, for each system, as in Lin et al. (2010); see
//!   [`Metric::entity_scores`].
//!
//! Points at which one of the metrics is undefined are left out, and counted.
//!
//! Intervals are percentiles of the bootstrap over documents: documents are drawn whole (with all their parts, or by
//! topic or file: [`ResamplingUnit`]), alike for all systems, with all of their points, because the points of one document
//! depend on each other. Over systems, scores are recomputed from the drawn documents. Resamples without a correlation are
//! left out; if they are more than half, there is no interval. Fisher's intervals assume that all points are independent: tanh(artanh(r) ± z s)
//! with s = 1 / √(n − 3) for Pearson, √((1 + ρ² / 2) / (n − 3)) for Spearman (Bonett and Wright 2000) and
//! √(0.437 / (n − 4)) for Kendall (Fieller et al. 1957).

use super::coefficients::{FEWEST, kendall, pearson, spearman};
use super::counts::{DocumentCounts, Row};
use super::interval::interval;
use super::random::{Purpose, Stream};
use super::{Interval, IntervalKind, METHOD_FIELDS, Method, ResamplingUnit, normal};
use crate::choice::{Choice, choice};
use crate::error::{Error, ErrorKind, Result};
use crate::metrics::Metric;
use crate::score::DocumentScore;
use crate::suggest::one_of;
use crate::threads::side_by_side;
use crate::wording::text;
use crate::wording::{option_name, quoted};

choice! {
    /// The kind of points.
    Over {
        #[default]
        Documents = "documents" "the documents of each system",
        Pooled = "pooled" "the documents of all systems together",
        Systems = "systems" "the systems, each by its scores over all documents",
        Entities = "entities" "the key entities of each system's documents",
    }
}

choice! {
    /// The method of the interval of a correlation.
    CorrelationInterval {
        #[default]
        Percentile = "percentile" "quantiles of the bootstrap over documents",
        Fisher = "fisher" "Fisher's transformation, as if all points were independent",
    }
}

impl Over {
    /// All of them, in the order of a report.
    pub const ALL: [Over; 4] = [Over::Documents, Over::Pooled, Over::Systems, Over::Entities];

    /// As typed.
    pub fn name(self) -> &'static str {
        self.id()
    }

    /// One line of help.
    pub fn summary(self) -> &'static str {
        let row = <Over as Choice>::VALUES.iter().find(|value| value.0 == self.id());
        row.map_or("", |row| row.1)
    }

    /// Reads a list joined by commas.
    ///
    /// ```
    /// use corefeval_core::significance::Over;
    /// assert_eq!(Over::list("systems,pooled")?, [Over::Systems, Over::Pooled]);
    /// assert!(Over::list("document").unwrap_err().remedy().unwrap().contains("documents"));
    /// # Ok::<(), corefeval_core::Error>(())
    /// ```
    pub fn list(text: &str) -> Result<Vec<Over>> {
        let names = || <Over as Choice>::VALUES.iter().map(|value| value.0);
        let read = |name: &str| {
            Over::from_id(name.trim()).ok_or_else(|| {
                let error =
                    Error::new(ErrorKind::Settings, format!("correlations over `{name}` are not supported"));
                error.hint(one_of(name, "it is over", names()))
            })
        };
        text.split(',').map(read).collect()
    }
}

/// The parameters of intervals of correlations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CorrelationMethod {
    /// The method.
    pub interval: CorrelationInterval,
    /// The resampling unit.
    pub unit: ResamplingUnit,
    /// The number of resamples.
    pub resamples: u32,
    /// The seed of the pseudo-random numbers.
    pub seed: u64,
    /// The level.
    pub confidence: f64,
}

impl Default for CorrelationMethod {
    fn default() -> CorrelationMethod {
        let Method { unit, seed, confidence, .. } = Method::default();
        CorrelationMethod {
            interval: CorrelationInterval::default(),
            unit,
            resamples: 2_000,
            seed,
            confidence,
        }
    }
}

/// A field's name, a line of help, and its values with a line each; none for a number.
pub type CorrelationField = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// The name of the one field that a comparison of systems does not have.
pub const INTERVAL_FIELD: &str = "correlation-interval";

impl CorrelationMethod {
    /// All fields, in the order of the signature.
    pub fn fields() -> Vec<CorrelationField> {
        let own = (
            INTERVAL_FIELD,
            "how intervals of correlations are made",
            <CorrelationInterval as Choice>::VALUES,
        );
        let shared = METHOD_FIELDS.iter().filter(|field| SHARED.contains(&field.name));
        std::iter::once(own).chain(shared.map(|field| (field.name, field.summary, field.values))).collect()
    }

    /// Sets one field by name.
    pub fn set(&mut self, name: &str, value: &str) -> Result<()> {
        if name == INTERVAL_FIELD {
            let found = CorrelationInterval::from_id(value);
            self.interval = found.ok_or_else(|| {
                let error = Error::new(
                    ErrorKind::Settings,
                    text!("{} is not a value of {}", quoted(value), option_name(name.to_owned())),
                );
                let values = <CorrelationInterval as Choice>::VALUES.iter().map(|value| value.0);
                error.hint(format!("its values are {}", values.collect::<Vec<_>>().join(", ")))
            })?;
            return Ok(());
        }
        if !SHARED.contains(&name) {
            return Err(Error::new(ErrorKind::Settings, format!("a correlation has no field `{name}`")));
        }
        let mut method = self.shared();
        method.set(name, value)?;
        let Method { unit, resamples, seed, confidence, .. } = method;
        *self = CorrelationMethod { interval: self.interval, unit, resamples, seed, confidence };
        Ok(())
    }

    /// Returns a warning if there are too few resamples for an interval; see [`Method::too_few_resamples`].
    pub fn too_few_resamples(&self) -> Vec<String> {
        match self.interval {
            CorrelationInterval::Percentile => self.shared().too_few_resamples(0),
            CorrelationInterval::Fisher => Vec::new(),
        }
    }

    fn shared(&self) -> Method {
        let CorrelationMethod { unit, resamples, seed, confidence, .. } = *self;
        Method { unit, resamples, seed, confidence, ..Method::default() }
    }

    /// The value of one field.
    pub fn value(&self, name: &str) -> String {
        match name {
            INTERVAL_FIELD => self.interval.id().to_owned(),
            name => self.shared().signature_of(name),
        }
    }

    /// Its part of a signature.
    pub fn signature(&self) -> String {
        let fields = CorrelationMethod::fields();
        let fields = fields.iter().map(|(name, ..)| format!("{name}:{}", self.value(name)));
        fields.collect::<Vec<_>>().join("|")
    }

    /// The signature of scores within that of a correlation, and the method, if it has one.
    ///
    /// ```
    /// use corefeval_core::significance::CorrelationMethod;
    /// let method = CorrelationMethod { seed: 7, ..CorrelationMethod::default() };
    /// let (rest, again) = CorrelationMethod::split_signature(&format!("profile:conll|{}", method.signature()))?;
    /// assert_eq!((rest.as_str(), again), ("profile:conll", Some(method)));
    /// # Ok::<(), corefeval_core::Error>(())
    /// ```
    pub fn split_signature(signature: &str) -> Result<(String, Option<CorrelationMethod>)> {
        let mut method = None;
        for field in signature.trim().split('|') {
            if let Some((name, value)) = field.split_once(':')
                && (name == INTERVAL_FIELD || SHARED.contains(&name))
            {
                method.get_or_insert(CorrelationMethod::default()).set(name, value)?;
            }
        }
        Ok((Method::split_signature(signature)?.0, method))
    }
}

/// The fields that mean the same for comparisons of systems.
const SHARED: [&str; 4] = ["unit", "resamples", "seed", "confidence"];

/// The names of the coefficients, in the order of [`PartCorrelation::coefficients`].
pub const COEFFICIENTS: [&str; 3] = ["pearson", "spearman", "kendall"];

/// Returns the name of an |r| in Lin et al. (2010).
pub fn reading(r: f64) -> &'static str {
    match r.abs() {
        r if r > 0.7 => "strongly correlated",
        r if r > 0.5 => "highly correlated",
        r if r > 0.3 => "correlated",
        _ => "not correlated",
    }
}

/// The correlations of one set of things.
#[derive(Clone, Debug, PartialEq)]
pub struct Correlation {
    /// The kind of points.
    pub over: Over,
    /// The system whose they are, or all.
    pub system: Option<usize>,
    /// For recall, precision and F1, if both metrics have them; for entities only recall.
    pub parts: [Option<PartCorrelation>; 3],
}

/// The correlations of recall, of precision or of F1.
#[derive(Clone, Debug, PartialEq)]
pub struct PartCorrelation {
    /// The points: a document's each, or those of the systems.
    pub groups: Vec<Vec<(f64, f64)>>,
    /// The number of points at which one of the metrics is undefined.
    pub left_out: usize,
    /// Pearson's, Spearman's, Kendall's, where they are defined.
    pub coefficients: [Option<Coefficient>; 3],
}

/// A coefficient of correlation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coefficient {
    /// From −1 to 1.
    pub value: f64,
    /// Its interval, if it has one.
    pub interval: Option<Interval>,
}

impl PartCorrelation {
    /// The number of points.
    pub fn points(&self) -> usize {
        self.groups.iter().map(Vec::len).sum()
    }

    /// The reason if there are no coefficients.
    pub fn undefined(&self) -> Option<String> {
        if self.coefficients[0].is_some() {
            return None;
        }
        Some(match self.points() {
            points if points < FEWEST => {
                format!("{points} point{}, and {FEWEST} are needed", if points == 1 { "" } else { "s" })
            }
            _ => "one of the metrics is the same for all points".to_owned(),
        })
    }
}

/// For each key entity of a document, the scores of the first and the second metric; `None` if undefined.
pub type EntityPoints = Vec<[Option<f64>; 2]>;

/// The scores of two metrics for the documents of several systems.
pub struct CorrelationInput<'a> {
    /// The counts of the two metrics, and of no other.
    pub counts: &'a DocumentCounts,
    /// The scores of both, for each system and document.
    pub scores: &'a [Vec<Vec<DocumentScore>>],
    /// For each system and document the entities; empty where there are none.
    pub entities: &'a [Vec<EntityPoints>],
}

/// Computes the correlations. The result does not depend on the number of threads.
pub fn correlate(
    input: &CorrelationInput<'_>,
    over: &[Over],
    method: &CorrelationMethod,
    threads: usize,
) -> Vec<Correlation> {
    let systems = input.scores.len();
    let each = |over: Over| match over {
        Over::Documents | Over::Entities => (0..systems).map(Some).collect::<Vec<_>>(),
        Over::Pooled | Over::Systems => vec![None],
    };
    let wanted = Over::ALL.into_iter().filter(|one| over.contains(one));
    let rows = wanted.flat_map(|one| each(one).into_iter().map(move |system| (one, system)));
    let part = |over: Over, system: Option<usize>, part: usize| {
        if !input.has(over, part) {
            return None;
        }
        let (groups, left_out) = input.points(over, system, part);
        let points: Vec<(f64, f64)> = groups.iter().flatten().copied().collect();
        let values = coefficients(&points);
        let intervals = match method.interval {
            CorrelationInterval::Fisher => fisher(&values, points.len(), method.confidence),
            CorrelationInterval::Percentile => {
                input.percentiles(&values, &groups, (over == Over::Systems).then_some(part), method, threads)
            }
        };
        let coefficient =
            |number: usize| Some(Coefficient { value: values[number]?, interval: intervals[number] });
        Some(PartCorrelation { groups, left_out, coefficients: std::array::from_fn(coefficient) })
    };
    rows.map(|(over, system)| Correlation {
        over,
        system,
        parts: std::array::from_fn(|number| part(over, system, number)),
    })
    .collect()
}

fn coefficients(points: &[(f64, f64)]) -> [Option<f64>; 3] {
    [pearson(points), spearman(points), kendall(points)]
}

impl CorrelationInput<'_> {
    /// Returns whether both metrics have a part.
    fn has(&self, over: Over, part: usize) -> bool {
        let whole = |metric: &Metric| metric.parts().is_none();
        match over {
            Over::Entities => part == 0,
            _ => part == 2 || self.counts.metrics.iter().all(whole),
        }
    }

    fn points(&self, over: Over, system: Option<usize>, part: usize) -> (Vec<Vec<(f64, f64)>>, usize) {
        let mut left_out = 0;
        let mut point = |pair: [Option<f64>; 2]| match pair {
            [Some(x), Some(y)] => Some((x, y)),
            _ => {
                left_out += 1;
                None
            }
        };
        let of_document = |scores: &[DocumentScore]| -> [Option<f64>; 2] {
            std::array::from_fn(|metric| scores.get(metric).and_then(|score| score.part(part)))
        };
        let systems: Vec<usize> = match system {
            Some(system) => vec![system],
            None => (0..self.scores.len()).collect(),
        };
        let groups = match over {
            Over::Documents | Over::Pooled => (0..self.counts.documents())
                .map(|document| {
                    let scores = systems.iter().map(|&system| &self.scores[system][document]);
                    scores.filter_map(|scores| point(of_document(scores))).collect()
                })
                .collect(),
            Over::Systems => {
                let all = systems.iter().map(|&system| self.counts.parts_of(&self.counts.totals(system)));
                vec![all.map(|scores| (scores[0][part], scores[1][part])).collect()]
            }
            Over::Entities => {
                let documents = systems.iter().filter_map(|&system| self.entities.get(system)).flatten();
                documents.map(|entities| entities.iter().filter_map(|&pair| point(pair)).collect()).collect()
            }
        };
        (groups, left_out)
    }

    /// The quantiles over samples of documents; over systems (of a part) these are scored again.
    fn percentiles(
        &self,
        values: &[Option<f64>; 3],
        groups: &[Vec<(f64, f64)>],
        of_systems: Option<usize>,
        method: &CorrelationMethod,
        threads: usize,
    ) -> [Option<Interval>; 3] {
        /// The number of resamples that a thread makes at a time.
        const RUN: usize = 64;
        let (units, unit_of) = (self.counts.units(), self.counts.unit_of());
        let resamples = method.resamples.max(1) as usize;
        if units < 2 || values[0].is_none() {
            return [None; 3];
        }
        let work = |run: usize| {
            let (mut drawn, mut times) = (vec![0_u32; units], vec![0_u32; unit_of.len()]);
            let mut points = Vec::new();
            let range = run * RUN..((run + 1) * RUN).min(resamples);
            let sample = |resample: usize| {
                let mut stream = Stream::new(method.seed, Purpose::Bootstrap, resample as u64);
                drawn.fill(0);
                (0..units).for_each(|_| drawn[stream.below(units)] += 1);
                times.iter_mut().zip(&unit_of).for_each(|(times, &unit)| *times = drawn[unit]);
                points.clear();
                match of_systems {
                    Some(part) => points.extend((0..self.counts.systems()).map(|system| {
                        let scores = self.counts.parts_of(&self.counts.weighted_totals(system, &times));
                        (scores[0][part], scores[1][part])
                    })),
                    None => points.extend(
                        times
                            .iter()
                            .zip(groups)
                            .flat_map(|(&times, group)| (0..times).flat_map(move |_| group.iter().copied())),
                    ),
                }
                coefficients(&points)
            };
            range.map(sample).collect::<Vec<_>>()
        };
        let found: Vec<[Option<f64>; 3]> =
            side_by_side(threads, resamples.div_ceil(RUN), work).into_iter().flatten().collect();
        std::array::from_fn(|number| {
            let observed = values[number]?;
            let mut sorted: Vec<f64> = found.iter().filter_map(|values| values[number]).collect();
            if 2 * sorted.len() <= resamples {
                return None;
            }
            sorted.sort_unstable_by(f64::total_cmp);
            Some(interval(IntervalKind::Percentile, method.confidence, observed, &sorted, &[]))
        })
    }
}

/// Fisher's intervals of Pearson's, Spearman's and Kendall's coefficient of `points` points.
fn fisher(values: &[Option<f64>; 3], points: usize, confidence: f64) -> [Option<Interval>; 3] {
    let z = normal::quantile(0.5 + 0.5 * confidence);
    let free = |less: usize| points.checked_sub(less).filter(|&free| free > 0).map(|free| free as f64);
    std::array::from_fn(|number| {
        let r = values[number]?;
        let variance = match number {
            0 => 1.0 / free(3)?,
            1 => (1.0 + 0.5 * r * r) / free(3)?,
            _ => 0.437 / free(4)?,
        };
        // tanh(artanh(r) ± d) = (e^±2d (1 + r) − (1 − r)) / (e^±2d (1 + r) + (1 − r))
        let grown = normal::exp((2.0 * z * variance.sqrt()).min(31.0));
        let end = |factor: f64| (factor * (1.0 + r) - (1.0 - r)) / (factor * (1.0 + r) + (1.0 - r));
        Some(Interval { low: end(1.0 / grown), high: end(grown) })
    })
}

impl DocumentCounts {
    /// Returns the sums of a system over documents with the given multiplicities.
    fn weighted_totals(&self, system: usize, times: &[u32]) -> Vec<Row> {
        let sum = |rows: &Vec<Row>| {
            rows.iter().zip(times).fold(Row::default(), |sum, (row, &times)| {
                std::array::from_fn(|place| sum[place] + f64::from(times) * row[place])
            })
        };
        self.rows_of(system).iter().map(sum).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_paper() {
        let words = [0.71, -0.7, 0.5, 0.31, -0.3, 0.0].map(reading);
        assert_eq!(
            words,
            [
                "strongly correlated",
                "highly correlated",
                "correlated",
                "correlated",
                "not correlated",
                "not correlated"
            ]
        );
    }

    /// By tables of the normal distribution: r = 0.6 of 28 points, artanh 0.6931, ± 1.96 / 5.
    #[test]
    fn intervals_by_fisher() {
        let [found, spearman, kendall] = fisher(&[Some(0.6), Some(0.6), Some(1.0)], 28, 0.95);
        let found = found.expect("points enough");
        let wanted =
            [0.6_f64.atanh() - 1.959_963_984_540_054 / 5.0, 0.6_f64.atanh() + 1.959_963_984_540_054 / 5.0];
        assert!(
            (found.low - wanted[0].tanh()).abs() < 1e-12 && (found.high - wanted[1].tanh()).abs() < 1e-12
        );
        let spearman = spearman.expect("points enough");
        assert!(spearman.low < found.low && spearman.high > found.high);
        assert_eq!(kendall, Some(Interval { low: 1.0, high: 1.0 }));
        assert_eq!(fisher(&[Some(0.1); 3], 3, 0.95), [None; 3]);
    }

    #[test]
    fn every_field_reads_back() {
        for (name, _, values) in CorrelationMethod::fields() {
            for value in values.iter().map(|value| value.0).chain(values.is_empty().then_some("0.9")) {
                let value = if value == "0.9" && name != "confidence" { "9" } else { value };
                let mut method = CorrelationMethod::default();
                method.set(name, value).expect("it is a value");
                assert_eq!(method.value(name), value);
                let again = CorrelationMethod::split_signature(&method.signature());
                assert_eq!(again, Ok((String::new(), Some(method))));
            }
        }
        assert!(CorrelationMethod::default().set("test", "bootstrap").is_err());
        assert!(CorrelationMethod::default().set(INTERVAL_FIELD, "bca").is_err());
    }
}
