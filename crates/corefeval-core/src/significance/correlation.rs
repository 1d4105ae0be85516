//! Correlates two metrics: over documents, over systems, over both and over entities.
//!
//! - **documents**: one point per document, for each system.
//! - **pooled**: one point per document, for all systems together.
//! - **systems**: one point per system, its scores over all documents.
//! - **entities**: one point per key entity, for each system, as in Lin et al. (2010); see
//!   [`Metric::entity_scores`].
//!
//! Points at which one of the metrics is undefined are left out, and counted.
//!
//! Intervals come from samples of documents. Whole documents are drawn or left out with all their points, because the
//! points of one document depend on each other. All parts of a document, or optionally all documents of a topic or file
//! ([`ResamplingUnit`]), are drawn together, and all systems share the samples. Over systems, both documents and
//! systems are drawn, because other systems would give other points, and the scores of systems are recomputed from the
//! documents. The jackknife then leaves out documents or systems, whichever are fewer. Resamples without a correlation
//! are left out. There is no interval if they are more than half. Leaving one document out may leave no correlation;
//! [`CorrelationInterval::Student`] and [`CorrelationInterval::Bca`] then give no interval either. Fisher's intervals
//! assume independent points: tanh(artanh(r) ± z s) with s = 1 / √(n − 3) for Pearson, √((1 + ρ² / 2) / (n − 3)) for
//! Spearman (Bonett and Wright 2000) and √(0.437 / (n − 4)) for Kendall (Fieller et al. 1957).
//!
//! [`Closeness`] tests whether a metric follows another more closely than a third does: it compares two correlations
//! with a common variable. Their difference has an interval of the same kind from the same samples, and its p-value is
//! the smallest level at which that interval excludes 0. For Pearson, Williams's t (1959) is added, which assumes
//! independent points.

use super::coefficients::{FEWEST, kendall, pearson, spearman};
use super::counts::{CountRow, DocumentCounts};
use super::interval::{interval, standard_error};
use super::random::{Purpose, Stream};
use super::{
    Interval, IntervalKind, METHOD_FIELDS, Method, MethodConcern, ResamplingUnit, TIE, normal, student,
};
use crate::choice::{Choice, choice};
use crate::error::{Error, ErrorKind, Result};
use crate::metrics::Metric;
use crate::score::DocumentScore;
use crate::suggest::one_of;
use crate::threads::side_by_side;
use crate::wording::plural;

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
        Auto = "auto" "student, or over systems expanded; the coverage of all is in docs/statistics.md",
        Expanded = "expanded" "quantiles of the bootstrap further out, by Student's t and the number of units (Hesterberg 2015)",
        Student = "student" "Student's t times the standard error by the jackknife, on Fisher's scale",
        Bca = "bca" "quantiles of the bootstrap, bias-corrected and accelerated (Efron 1987)",
        Percentile = "percentile" "quantiles of the bootstrap over documents",
        Fisher = "fisher" "Fisher's transformation, as if all points were independent",
    }
}

impl CorrelationInterval {
    /// Returns the kind used for these points. Student's interval is not available over systems, where both documents
    /// and systems are drawn: a jackknife of one of them gives no standard error for both.
    pub fn used_for(self, over: Over) -> CorrelationInterval {
        match (self, over) {
            (CorrelationInterval::Auto | CorrelationInterval::Student, Over::Systems) => {
                CorrelationInterval::Expanded
            }
            (CorrelationInterval::Auto, _) => CorrelationInterval::Student,
            (other, _) => other,
        }
    }

    /// Returns its name as typed.
    pub fn name(self) -> &'static str {
        self.id()
    }

    fn of_bootstrap(self) -> Option<IntervalKind> {
        match self {
            CorrelationInterval::Expanded => Some(IntervalKind::Expanded),
            CorrelationInterval::Bca => Some(IntervalKind::Bca),
            CorrelationInterval::Percentile => Some(IntervalKind::Percentile),
            CorrelationInterval::Auto | CorrelationInterval::Student | CorrelationInterval::Fisher => None,
        }
    }
}

impl Over {
    /// All kinds of points, in the order of a report.
    pub const ALL: [Over; 4] = [Over::Documents, Over::Pooled, Over::Systems, Over::Entities];

    /// Returns the name, as typed.
    pub fn name(self) -> &'static str {
        self.id()
    }

    /// Returns whether its points are scores over all documents, rather than of a document or an entity.
    pub fn combines_documents(self) -> bool {
        self == Over::Systems
    }

    /// Returns one line of help.
    pub fn summary(self) -> &'static str {
        let row = <Over as Choice>::VALUES.iter().find(|value| value.0 == self.id());
        row.map_or("", |row| row.1)
    }

    /// Parses a comma-separated list.
    ///
    /// ```
    /// use corefeval_core::significance::Over;
    /// assert_eq!(Over::list("systems,pooled")?, [Over::Systems, Over::Pooled]);
    /// assert!(Over::list("document").unwrap_err().remedy().unwrap().contains("documents"));
    /// # Ok::<(), corefeval_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A kind of points does not exist.
    pub fn list(text: &str) -> Result<Vec<Over>> {
        let names = || <Over as Choice>::VALUES.iter().map(|value| value.0);
        let read = |name: &str| {
            Over::from_id(name.trim()).ok_or_else(|| {
                let error =
                    Error::new(ErrorKind::Settings, format!("correlations over `{name}` are not supported"));
                error.hint(one_of(name, "kinds of points are", names()))
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

/// A field's name, a line of help, and its values with a line each (no values for a number).
pub type CorrelationField = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// The name of the only field that comparisons of systems lack.
pub const INTERVAL_FIELD: &str = "correlation-interval";

impl CorrelationMethod {
    /// Returns all fields, in the order of the signature.
    pub fn fields() -> Vec<CorrelationField> {
        let own = (
            INTERVAL_FIELD,
            "how intervals of correlations are computed",
            <CorrelationInterval as Choice>::VALUES,
        );
        let shared = METHOD_FIELDS.iter().filter(|field| SHARED.contains(&field.name));
        std::iter::once(own).chain(shared.map(|field| (field.name, field.summary, field.values))).collect()
    }

    /// Sets one field by name.
    ///
    /// # Errors
    ///
    /// The field does not exist, or the value is not one of its values.
    pub fn set(&mut self, name: &str, value: &str) -> Result<()> {
        if name == INTERVAL_FIELD {
            let found = CorrelationInterval::from_id(value);
            self.interval = found.ok_or_else(|| {
                let values = <CorrelationInterval as Choice>::VALUES.iter().map(|value| value.0);
                Error::not_valid(value, name)
                    .hint(format!("its values are {}", values.collect::<Vec<_>>().join(", ")))
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
            CorrelationInterval::Fisher => Vec::new(),
            _ => self.shared().too_few_resamples(0),
        }
    }

    fn shared(&self) -> Method {
        let CorrelationMethod { unit, resamples, seed, confidence, .. } = *self;
        Method { unit, resamples, seed, confidence, ..Method::default() }
    }

    /// Returns the value of one field.
    pub fn value(&self, name: &str) -> String {
        match name {
            INTERVAL_FIELD => self.interval.id().to_owned(),
            name => self.shared().signature_of(name),
        }
    }

    /// Returns all fields with their values.
    pub fn list(&self) -> Vec<(&'static str, String)> {
        CorrelationMethod::fields().into_iter().map(|(name, ..)| (name, self.value(name))).collect()
    }

    /// Returns all fields as in a signature.
    pub fn signature(&self) -> String {
        let fields = self.list().into_iter().map(|(name, value)| format!("{name}:{value}"));
        fields.collect::<Vec<_>>().join("|")
    }

    /// Returns the part of a signature for correlations over these points, each field after a `|`. Without resamples,
    /// nothing depends on their number and seed.
    pub(crate) fn signature_for(&self, over: impl Iterator<Item = Over>, units: usize) -> String {
        let resamples = |over: Over| units > 1 && self.interval.used_for(over) != CorrelationInterval::Fisher;
        let resampled = { over }.any(resamples);
        let can_change = |name: &str| {
            let shared = METHOD_FIELDS.iter().find(|field| field.name == name);
            resampled || shared.is_none_or(|field| field.concern != MethodConcern::Resamples)
        };
        let fields = self.list().into_iter().filter(|(name, _)| can_change(name));
        fields.map(|(name, value)| format!("|{name}:{value}")).collect()
    }

    /// Splits the signature of a correlation into the signature of its scores and the method, if it has one.
    ///
    /// ```
    /// use corefeval_core::significance::CorrelationMethod;
    /// let method = CorrelationMethod { seed: 7, ..CorrelationMethod::default() };
    /// let (rest, again) = CorrelationMethod::split_signature(&format!("profile:conll|{}", method.signature()))?;
    /// assert_eq!((rest.as_str(), again), ("profile:conll", Some(method)));
    /// # Ok::<(), corefeval_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A field has a value that does not exist.
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

/// Returns the name that Lin et al. (2010) give to a value of |r|.
pub fn reading(r: f64) -> &'static str {
    match r.abs() {
        r if r > 0.7 => "strongly correlated",
        r if r > 0.5 => "highly correlated",
        r if r > 0.3 => "correlated",
        _ => "not correlated",
    }
}

/// The minimum number of points for which a correlation is named: a coefficient of seven points must be 0.75 to differ
/// from 0 at 5%.
pub const FEWEST_READ: usize = 8;

/// The correlations of one set of points.
#[derive(Clone, Debug, PartialEq)]
pub struct Correlation {
    /// The kind of points.
    pub over: Over,
    /// The system that the points belong to, or all.
    pub system: Option<usize>,
    /// For recall, precision and F1, if both metrics have them; for entities only recall.
    pub parts: [Option<PartCorrelation>; 3],
}

/// The correlations of recall, of precision or of F1.
#[derive(Clone, Debug, PartialEq)]
pub struct PartCorrelation {
    /// The points, in groups that are drawn together: one group for each document, or one point for each system.
    pub groups: Vec<Vec<(f64, f64)>>,
    /// The identity of each point.
    pub labels: Vec<Vec<PointLabel>>,
    /// The number of points left out because one of the metrics is undefined.
    pub left_out: usize,
    /// Pearson's, Spearman's and Kendall's coefficients, if defined.
    pub coefficients: [Option<Coefficient>; 3],
    /// The test of whether the first metric follows the second more closely than the third does, if there is a third.
    pub closeness: Option<Closeness>,
    /// For each point of an entity, the lowest and the highest x and y in any best map of CEAF; empty for other points.
    pub bounds: Vec<Vec<[[f64; 2]; 2]>>,
    /// The consequence of the choice between best maps, if it matters for any point.
    pub maps: Option<MapChoice>,
}

/// The effect of the choice between equally good maps of CEAF on the correlation over entities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MapChoice {
    /// The number of points that are elsewhere in another best map.
    pub ambiguous: usize,
    /// The lowest and the highest Pearson coefficient found if each of these points takes any of its ends. These are
    /// not bounds: some combinations of ends belong to no single map, and the search changes one point at a time until
    /// no change helps.
    pub pearson: Option<Interval>,
    /// Bounds of Pearson's coefficient, which no best map exceeds.
    pub bounds: Interval,
}

impl MapChoice {
    /// Returns whether both bounds have the same [`reading`].
    fn bounds_read_alike(&self) -> bool {
        reading(self.bounds.low) == reading(self.bounds.high)
    }
}

/// The identity of a point: a system, or a document of it, or an entity of that document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointLabel {
    /// The place of the system.
    pub system: usize,
    /// The place of the document.
    pub document: Option<usize>,
    /// The place of the entity in the key of that document.
    pub entity: Option<usize>,
}

/// Compares how closely the first metric and a third one follow the second.
#[derive(Clone, Debug, PartialEq)]
pub struct Closeness {
    /// The number of points at which all three metrics are defined.
    pub points: usize,
    /// The comparison by Pearson's, Spearman's and Kendall's coefficients, if defined.
    pub coefficients: [Option<CloserBy>; 3],
    /// The p-value of Williams's t for Pearson's, as if all points were independent.
    pub williams: Option<f64>,
    /// The consequence of the choice between best maps for the correlation of the third metric, if it matters.
    pub maps: Option<MapChoice>,
}

/// Two correlations with the second metric, and their difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CloserBy {
    /// The coefficient of the first metric.
    pub first: f64,
    /// The coefficient of the third.
    pub third: f64,
    /// The interval of the first coefficient minus the third.
    pub interval: Option<Interval>,
    /// The p-value of that difference, two-sided.
    pub p: Option<f64>,
}

/// A coefficient of correlation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coefficient {
    /// The value, from −1 to 1.
    pub value: f64,
    /// Its interval, if it has one.
    pub interval: Option<Interval>,
    /// Fisher's interval, as if all points were independent.
    pub fisher: Option<Interval>,
}

impl PartCorrelation {
    /// Returns the number of points.
    pub fn points(&self) -> usize {
        self.groups.iter().map(Vec::len).sum()
    }

    /// Returns the name that Lin et al. (2010) give to a value of Pearson's coefficient.
    ///
    /// # Errors
    ///
    /// The coefficient has no name. The error gives the reason in a few words.
    pub fn reading(&self) -> std::result::Result<&'static str, &'static str> {
        let Some(pearson) = self.coefficients[0] else { return Err("no coefficient") };
        let includes_0 = |interval: Interval| interval.low <= 0.0 && interval.high >= 0.0;
        match pearson.interval {
            _ if self.points() < FEWEST_READ => Err("fewer than 8 points"),
            None => Err("no interval"),
            Some(interval) if includes_0(interval) => Err("the interval includes 0"),
            // Samples of few documents vary too little, so Fisher's interval is shown next to theirs.
            Some(_) if pearson.fisher.is_some_and(includes_0) => Err("Fisher's interval includes 0"),
            // r depends on the map, and a reading must hold for all best maps.
            Some(_) if self.maps.is_some_and(|maps| includes_0(maps.bounds) || !maps.bounds_read_alike()) => {
                Err("best maps differ")
            }
            Some(_) => Ok(reading(pearson.value)),
        }
    }

    /// Returns the reason why there are no coefficients, if there are none.
    pub fn undefined(&self) -> Option<String> {
        if self.coefficients[0].is_some() {
            return None;
        }
        Some(match self.points() {
            points if points < FEWEST => {
                format!("{}, and {FEWEST} are needed", plural(points, "point", "points"))
            }
            _ => "one of the metrics is the same for all points".to_owned(),
        })
    }
}

/// For each key entity of a document, the scores by the first metric, the second, and the third if there is one; `None`
/// if a metric is undefined.
pub type EntityPoints = Vec<[Option<f64>; 3]>;

/// For each key entity of a document, the lowest and the highest score in any best map by the first metric, the second,
/// and the third if there is one; see [`Metric::entity_bounds`].
pub type EntityBounds = Vec<[Option<[f64; 2]>; 3]>;

/// The values of the three metrics; NaN if there is no third metric, or if it is undefined.
type Point = [f64; 3];

/// Coefficients, or their differences, of one sample.
type Coefficients = [Option<f64>; 3];

/// The counts of two or three metrics in the documents of several systems.
pub struct CorrelationInput<'a> {
    /// The counts of the two metrics, and of a third if requested.
    pub counts: &'a DocumentCounts,
    /// The scores of both, for each system and document.
    pub scores: &'a [Vec<Vec<DocumentScore>>],
    /// For each system and document, the entities; empty if there are none.
    pub entities: &'a [Vec<EntityPoints>],
    /// Their bounds over all best maps; empty if there are none.
    pub bounds: &'a [Vec<EntityBounds>],
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
        let (groups, labels, left_out) = input.points(over, system, part);
        let points: Vec<Point> = groups.iter().flatten().copied().collect();
        let values = first_two(&points);
        let by_fisher = fisher(&values, points.len(), method.confidence);
        let kind = method.interval.used_for(over);
        let of_systems = (over == Over::Systems).then_some(part);
        let sampled = |groups: &[Vec<Point>], statistic: Statistic| match kind {
            CorrelationInterval::Fisher => None,
            _ => input.samples(groups, of_systems, method, threads, statistic),
        };
        let intervals = match kind {
            CorrelationInterval::Fisher => by_fisher,
            _ => {
                let samples = values[0].and_then(|_| sampled(&groups, first_two));
                intervals(&values, samples.as_ref(), kind, Scale::Fisher, method.confidence)
            }
        };
        let coefficient = |number: usize| {
            Some(Coefficient {
                value: values[number]?,
                interval: intervals[number],
                fisher: by_fisher[number],
            })
        };
        let mut closeness = input.has_third(part).then(|| {
            let all = |group: &Vec<Point>| group.iter().filter(|p| !p[2].is_nan()).copied().collect();
            let groups: Vec<Vec<Point>> = groups.iter().map(all).collect();
            let samples = sampled(&groups, differences);
            closeness(&groups.concat(), samples.as_ref(), kind, method)
        });
        let bounds = match over {
            Over::Entities => input.bounds_of(&groups, &labels, [0, 1]),
            _ => Vec::new(),
        };
        if let Some(closeness) = closeness.as_mut().filter(|_| over == Over::Entities) {
            let bounds = input.bounds_of(&groups, &labels, [2, 1]).concat();
            let all = points.iter().zip(bounds).filter(|(point, _)| !point[2].is_nan());
            let (points, bounds): (Vec<Point>, Vec<_>) =
                all.map(|(&[x, y, third], bounds)| ([third, y, x], bounds)).unzip();
            closeness.maps = best_maps(&points, &bounds);
        }
        Some(PartCorrelation {
            maps: best_maps(&points, &bounds.concat()),
            bounds,
            groups: groups.iter().map(|group| group.iter().map(|p| (p[0], p[1])).collect()).collect(),
            labels,
            left_out,
            coefficients: std::array::from_fn(coefficient),
            closeness,
        })
    };
    rows.map(|(over, system)| Correlation {
        over,
        system,
        parts: std::array::from_fn(|number| part(over, system, number)),
    })
    .collect()
}

/// Finds the range of Pearson's coefficient over the ends of the points that have several.
fn best_maps(points: &[Point], bounds: &[[[f64; 2]; 2]]) -> Option<MapChoice> {
    let differs = |ends: &[[f64; 2]; 2]| ends.iter().any(|[low, high]| high - low > TIE);
    let ambiguous: Vec<usize> = (0..bounds.len()).filter(|&place| differs(&bounds[place])).collect();
    if ambiguous.is_empty() {
        return None;
    }
    let found: Vec<(f64, f64)> = points.iter().map(|point| (point[0], point[1])).collect();
    let at =
        |end: [usize; 2]| -> Vec<(f64, f64)> { bounds.iter().map(|[x, y]| (x[end[0]], y[end[1]])).collect() };
    let starts = [found, at([0, 0]), at([1, 1]), at([0, 1]), at([1, 0])];
    let end = |sign: f64| {
        let ends = starts.iter().filter_map(|start| climb(start.clone(), bounds, &ambiguous, sign));
        ends.map(|r| sign * r).reduce(f64::max).map(|r| sign * r)
    };
    let pearson = end(-1.0).zip(end(1.0)).map(|(low, high)| Interval { low, high });
    Some(MapChoice { ambiguous: ambiguous.len(), pearson, bounds: bounds_of_pearson(bounds) })
}

/// Returns bounds of Pearson's coefficient if every coordinate of a point may lie anywhere between its ends. The
/// coefficient is the cosine of the angle between the centred vectors of x and y. Let m be the centred vector of the
/// middles of x, and ρ the length of the vector of half the differences of its ends. Centring makes no vector longer,
/// so every centred x is within ρ of m, at an angle of at most α = arcsin(ρ / |m|); likewise β for y. If θ is the angle
/// between both middles, the angle lies between θ − α − β and θ + α + β.
fn bounds_of_pearson(ends: &[[[f64; 2]; 2]]) -> Interval {
    let all = Interval { low: -1.0, high: 1.0 };
    let middle = |[low, high]: [f64; 2]| 0.5 * (low + high);
    let middles: Vec<(f64, f64)> = ends.iter().map(|[x, y]| (middle(*x), middle(*y))).collect();
    let sine_of = |axis: usize| {
        let values = || ends.iter().map(|ends| middle(ends[axis]));
        let mean = values().sum::<f64>() / ends.len().max(1) as f64;
        let length: f64 = values().map(|value| (value - mean) * (value - mean)).sum();
        let reach: f64 = ends.iter().map(|ends| 0.25 * (ends[axis][1] - ends[axis][0]).powi(2)).sum();
        Some((reach / length).sqrt()).filter(|sine| *sine < 1.0)
    };
    let (Some(r), Some(x), Some(y)) = (pearson(&middles), sine_of(0), sine_of(1)) else { return all };
    let other = |sine: f64| (1.0 - sine * sine).max(0.0).sqrt();
    let (cosine, sine) = (other(x) * other(y) - x * y, x * other(y) + other(x) * y);
    // Beyond an angle of 180° or 0°, whose sines change their signs, there is no bound.
    let far = |sign: f64| other(r) * cosine + sign * r * sine < 0.0;
    let end = |sign: f64| (r * cosine - sign * other(r) * sine).clamp(-1.0, 1.0);
    Interval {
        low: if far(1.0) { -1.0 } else { (end(1.0) - TIE).max(-1.0) },
        high: if far(-1.0) { 1.0 } else { (end(-1.0) + TIE).min(1.0) },
    }
}

/// Moves one point after the other to the ends where `sign` times Pearson's coefficient is greatest, until no move
/// helps.
fn climb(
    mut points: Vec<(f64, f64)>,
    bounds: &[[[f64; 2]; 2]],
    ambiguous: &[usize],
    sign: f64,
) -> Option<f64> {
    /// The largest number of rounds; fewer have always sufficed.
    const ROUNDS: usize = 100;
    let n = points.len() as f64;
    let r = |[x, y, xx, yy, xy]: [f64; 5]| (n * xy - x * y) / ((n * xx - x * x) * (n * yy - y * y)).sqrt();
    let terms = |(x, y): (f64, f64)| [x, y, x * x, y * y, x * y];
    for _ in 0..ROUNDS {
        let mut sums = [0.0; 5];
        for point in &points {
            sums.iter_mut().zip(terms(*point)).for_each(|(sum, term)| *sum += term);
        }
        let mut moved = false;
        for &place in ambiguous {
            let own = terms(points[place]);
            let with = |point: (f64, f64)| {
                let new = terms(point);
                std::array::from_fn(|number| sums[number] - own[number] + new[number])
            };
            let [x, y] = bounds[place];
            let ends = [(x[0], y[0]), (x[0], y[1]), (x[1], y[0]), (x[1], y[1])];
            let mut best = (sign * r(sums), points[place]);
            for end in ends {
                let value = sign * r(with(end));
                if best.0.is_nan() && !value.is_nan() || value > best.0 + TIE {
                    best = (value, end);
                }
            }
            if best.1 != points[place] {
                (sums, points[place], moved) = (with(best.1), best.1, true);
            }
        }
        if !moved {
            break;
        }
    }
    pearson(&points)
}

fn coefficients(points: &[(f64, f64)]) -> Coefficients {
    [pearson(points), spearman(points), kendall(points)]
}

/// The values that are computed for each sample.
type Statistic = fn(&[Point]) -> Coefficients;

/// Returns the correlations of the first metric with the second.
fn first_two(points: &[Point]) -> Coefficients {
    coefficients(&points.iter().map(|point| (point[0], point[1])).collect::<Vec<_>>())
}

/// Returns the correlations of the third metric with the second.
fn last_two(points: &[Point]) -> Coefficients {
    coefficients(&points.iter().map(|point| (point[2], point[1])).collect::<Vec<_>>())
}

/// Returns the first of these correlations minus the second.
fn differences(points: &[Point]) -> Coefficients {
    let (first, third) = (first_two(points), last_two(points));
    std::array::from_fn(|number| Some(first[number]? - third[number]?))
}

/// Compares the correlations of points at which all three metrics are defined.
fn closeness(
    points: &[Point],
    samples: Option<&Samples>,
    kind: CorrelationInterval,
    method: &CorrelationMethod,
) -> Closeness {
    let (first, third) = (first_two(points), last_two(points));
    let differences = differences(points);
    let closer = |number: usize| {
        let (first, third) = (first[number]?, third[number]?);
        let sampled = differences[number]
            .zip(samples)
            .and_then(|(observed, samples)| Variation::new(observed, samples, number, kind, Scale::Plain));
        let interval = sampled.as_ref().and_then(|sampled| sampled.interval(method.confidence));
        let p = sampled.filter(|_| interval.is_some()).map(|sampled| sampled.p());
        Some(CloserBy { first, third, interval, p })
    };
    let between = coefficients(&points.iter().map(|point| (point[0], point[2])).collect::<Vec<_>>());
    let williams = || williams(first[0]?, third[0]?, between[0]?, points.len());
    let coefficients = std::array::from_fn(closer);
    Closeness { points: points.len(), coefficients, williams: williams(), maps: None }
}

/// Returns the two-sided p-value of Williams's t for equal correlations r₁ and r₂ of two variables with a third, if these two
/// have the correlation `between` (Steiger 1980, equation 7).
fn williams(first: f64, second: f64, between: f64, points: usize) -> Option<f64> {
    let n = points as f64;
    if points < 4 {
        return None;
    }
    let determinant =
        1.0 - first * first - second * second - between * between + 2.0 * first * second * between;
    let (mean, rest) = (0.5 * (first + second), 1.0 - between);
    let under = 2.0 * determinant * (n - 1.0) / (n - 3.0) + mean * mean * rest * rest * rest;
    if (first - second).abs() <= TIE {
        return Some(1.0);
    }
    let t = (first - second) * ((n - 1.0) * (1.0 + between) / under).sqrt();
    t.is_finite().then(|| (2.0 * student::cdf(-t.abs(), (points - 3) as f64)).clamp(0.0, 1.0))
}

/// A statistic in samples of documents, and with each of the units left out.
struct Samples {
    drawn: Vec<Coefficients>,
    left_out: Vec<Coefficients>,
}

/// The scale on which a standard error is computed.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Scale {
    /// artanh(r): a coefficient stays between −1 and 1.
    Fisher,
    /// The value itself, for a difference of two coefficients.
    Plain,
}

/// Returns the intervals of a statistic, if more than half of the samples have a value.
fn intervals(
    observed: &Coefficients,
    samples: Option<&Samples>,
    kind: CorrelationInterval,
    scale: Scale,
    confidence: f64,
) -> [Option<Interval>; 3] {
    std::array::from_fn(|number| {
        Variation::new(observed[number]?, samples?, number, kind, scale)?.interval(confidence)
    })
}

/// The variation of a statistic over documents.
struct Variation {
    observed: f64,
    /// Its values in the samples, in ascending order.
    sorted: Vec<f64>,
    /// Its values with each unit left out.
    left_out: Vec<f64>,
    kind: CorrelationInterval,
    scale: Scale,
}

impl Variation {
    /// Returns the distribution of a coefficient. `None` if at least half of the samples have no value, or if this kind
    /// of interval needs the values without each unit and one of them is undefined.
    fn new(
        observed: f64,
        samples: &Samples,
        number: usize,
        kind: CorrelationInterval,
        scale: Scale,
    ) -> Option<Variation> {
        let left_out: Option<Vec<f64>> = samples.left_out.iter().map(|values| values[number]).collect();
        let left_out = match kind {
            // These kinds need only the number of units.
            CorrelationInterval::Expanded | CorrelationInterval::Percentile => {
                vec![observed; samples.left_out.len()]
            }
            _ => left_out?,
        };
        let mut sorted: Vec<f64> = samples.drawn.iter().filter_map(|values| values[number]).collect();
        if 2 * sorted.len() <= samples.drawn.len() {
            return None;
        }
        sorted.sort_unstable_by(f64::total_cmp);
        Some(Variation { observed, sorted, left_out, kind, scale })
    }

    /// Returns the interval at a level.
    fn interval(&self, confidence: f64) -> Option<Interval> {
        match self.kind.of_bootstrap() {
            Some(kind) => Some(interval(kind, confidence, self.observed, &self.sorted, &self.left_out)),
            None => self.student(confidence),
        }
    }

    /// Returns the interval of Student's t times the jackknife's standard error on either side. `None` if a correlation
    /// with a unit left out is perfect, and others are not.
    fn student(&self, confidence: f64) -> Option<Interval> {
        by_jackknife(self.observed, &self.left_out, self.scale, confidence)
    }

    /// Returns the smallest level at which the interval excludes 0, to 2⁻³⁰; from B samples at least 2 / (B + 1).
    fn p(&self) -> f64 {
        let (mut below, mut from) = (0.0, 1.0);
        for _ in 0..30 {
            let level = 0.5 * (below + from);
            match self.interval(1.0 - level) {
                Some(ends) if ends.low > TIE || ends.high < -TIE => from = level,
                _ => below = level,
            }
        }
        match self.kind.of_bootstrap() {
            Some(_) => from.max(2.0 / (1.0 + self.sorted.len() as f64)).min(1.0),
            None => from,
        }
    }
}

/// Returns the interval of a correlation, or of a difference of two, from its values with each unit left out: Student's
/// t times the standard error on either side.
pub(crate) fn by_jackknife(
    observed: f64,
    left_out: &[f64],
    scale: Scale,
    confidence: f64,
) -> Option<Interval> {
    if left_out.iter().all(|value| (value - observed).abs() <= TIE) {
        return Some(Interval { low: observed, high: observed });
    }
    let scaled: Vec<f64> = match scale {
        Scale::Fisher => left_out.iter().map(|&r| normal::artanh(r)).collect(),
        Scale::Plain => left_out.to_vec(),
    };
    let freedom = scaled.len().checked_sub(1).filter(|freedom| *freedom > 0)?;
    let reach = student::quantile(0.5 + 0.5 * confidence, freedom as f64) * standard_error(&scaled);
    let ends = match scale {
        Scale::Fisher => around(observed, reach),
        Scale::Plain => Interval { low: observed - reach, high: observed + reach },
    };
    reach.is_finite().then_some(ends)
}

impl CorrelationInput<'_> {
    /// Returns whether both metrics have a part.
    fn has(&self, over: Over, part: usize) -> bool {
        let whole = |metric: &Metric| !metric.is_mean();
        match over {
            Over::Entities => part == 0,
            _ => part == 2 || self.counts.metrics.iter().take(2).all(whole),
        }
    }

    /// Returns whether there is a third metric that has a part.
    fn has_third(&self, part: usize) -> bool {
        self.counts.metrics.get(2).is_some_and(|third| part == 2 || !third.is_mean())
    }

    /// Returns the ends of the points of entities. Both ends of a point without bounds are the point itself.
    fn bounds_of(
        &self,
        groups: &[Vec<Point>],
        labels: &[Vec<PointLabel>],
        metrics: [usize; 2],
    ) -> Vec<Vec<[[f64; 2]; 2]>> {
        let ends = |(point, label): (&Point, &PointLabel)| {
            let of = || self.bounds.get(label.system)?.get(label.document?)?.get(label.entity?);
            metrics.map(|metric| of().and_then(|ends| ends[metric]).unwrap_or([point[metric]; 2]))
        };
        groups
            .iter()
            .zip(labels)
            .map(|(points, labels)| points.iter().zip(labels).map(ends).collect())
            .collect()
    }

    /// Returns the points in groups that are drawn together, their identities, and the number of points left out.
    #[allow(clippy::type_complexity)]
    fn points(
        &self,
        over: Over,
        system: Option<usize>,
        part: usize,
    ) -> (Vec<Vec<Point>>, Vec<Vec<PointLabel>>, usize) {
        let mut left_out = 0;
        let mut point = |(values, label): ([Option<f64>; 3], PointLabel)| match values {
            [Some(x), Some(y), third] => Some(([x, y, third.unwrap_or(f64::NAN)], label)),
            _ => {
                left_out += 1;
                None
            }
        };
        let of_document = |scores: &[DocumentScore]| -> [Option<f64>; 3] {
            std::array::from_fn(|metric| scores.get(metric).and_then(|score| score.part(part)))
        };
        let systems: Vec<usize> = match system {
            Some(system) => vec![system],
            None => (0..self.scores.len()).collect(),
        };
        let label = |system: usize, document: Option<usize>, entity: Option<usize>| PointLabel {
            system,
            document,
            entity,
        };
        let groups: Vec<Vec<(Point, PointLabel)>> = match over {
            Over::Documents | Over::Pooled => (0..self.counts.documents())
                .map(|document| {
                    let scores = systems.iter().map(|&system| {
                        (of_document(&self.scores[system][document]), label(system, Some(document), None))
                    });
                    scores.filter_map(&mut point).collect()
                })
                .collect(),
            Over::Systems => {
                let has_third = self.has_third(part);
                let all = systems.iter().map(|&system| {
                    let scores = self.counts.parts_of(&self.counts.totals(system));
                    let third = scores.get(2).filter(|_| has_third).map_or(f64::NAN, |score| score[part]);
                    ([scores[0][part], scores[1][part], third], label(system, None, None))
                });
                vec![all.collect()]
            }
            Over::Entities => {
                let of_systems =
                    systems.iter().filter_map(|&system| Some((system, self.entities.get(system)?)));
                of_systems
                    .flat_map(|(system, documents)| {
                        documents
                            .iter()
                            .enumerate()
                            .map(move |(document, entities)| (system, document, entities))
                    })
                    .map(|(system, document, entities)| {
                        let own = entities.iter().enumerate();
                        let own = own
                            .map(|(entity, &values)| (values, label(system, Some(document), Some(entity))));
                        own.filter_map(&mut point).collect()
                    })
                    .collect()
            }
        };
        let (points, labels) = groups.into_iter().map(|group| group.into_iter().unzip()).unzip();
        (points, labels, left_out)
    }

    /// Computes a statistic in samples of documents, and without each unit. Over systems (for the part `of_systems`),
    /// systems are drawn too and scored again. `None` if there are fewer than two units.
    fn samples(
        &self,
        groups: &[Vec<Point>],
        of_systems: Option<usize>,
        method: &CorrelationMethod,
        threads: usize,
        statistic: Statistic,
    ) -> Option<Samples> {
        /// The number of resamples that a thread makes at a time.
        const RUN: usize = 64;
        let (units, unit_of) = (self.counts.units(), self.counts.unit_of());
        let resamples = method.resamples.max(1) as usize;
        if units < 2 {
            return None;
        }
        let systems = self.counts.systems();
        let scored = |part: usize, times: &[u32]| -> Vec<Point> {
            let score = |system: usize| {
                let scores = self.counts.parts_of(&self.counts.weighted_totals(system, times));
                std::array::from_fn(|metric| scores.get(metric).map_or(f64::NAN, |s| s[part]))
            };
            (0..systems).map(score).collect()
        };
        let repeated = |times: &[u32], points: &mut Vec<Point>| {
            points.clear();
            let groups = times.iter().zip(groups);
            points.extend(
                groups.flat_map(|(&times, group)| (0..times).flat_map(move |_| group.iter().copied())),
            );
        };
        let draw = |run: usize| {
            let (mut drawn, mut times) = (vec![0_u32; units], vec![0_u32; unit_of.len()]);
            let mut points = Vec::new();
            let range = run * RUN..((run + 1) * RUN).min(resamples);
            let sample = |resample: usize| {
                let mut stream = Stream::new(method.seed, Purpose::Bootstrap, resample as u64);
                drawn.fill(0);
                (0..units).for_each(|_| drawn[stream.below(units)] += 1);
                times.iter_mut().zip(&unit_of).for_each(|(times, &unit)| *times = drawn[unit]);
                match of_systems {
                    Some(part) => {
                        let scored = scored(part, &times);
                        let mut stream = Stream::new(method.seed, Purpose::Systems, resample as u64);
                        points.clear();
                        points.extend((0..systems).map(|_| scored[stream.below(systems)]));
                    }
                    None => repeated(&times, &mut points),
                }
                statistic(&points)
            };
            range.map(sample).collect::<Vec<_>>()
        };
        let leave_out = |place: usize| {
            let without = || unit_of.iter().map(|&unit| u32::from(unit != place)).collect::<Vec<_>>();
            let mut points = Vec::new();
            match of_systems {
                Some(part) if systems < units => {
                    points = scored(part, &vec![1; unit_of.len()]);
                    points.remove(place);
                }
                Some(part) => points = scored(part, &without()),
                None => repeated(&without(), &mut points),
            }
            statistic(&points)
        };
        let left_out = if of_systems.is_some() { units.min(systems) } else { units };
        Some(Samples {
            drawn: side_by_side(threads, resamples.div_ceil(RUN), draw).into_iter().flatten().collect(),
            left_out: side_by_side(threads, left_out, leave_out),
        })
    }
}

/// Returns, for each kind of interval, the intervals of the three coefficients of F1, all from the same samples of
/// documents. Simulations of their coverage use it.
pub fn correlation_intervals_by(
    input: &CorrelationInput<'_>,
    over: Over,
    method: &CorrelationMethod,
    kinds: &[CorrelationInterval],
) -> Vec<[Option<Interval>; 3]> {
    let system = (over == Over::Documents).then_some(0);
    let (groups, ..) = input.points(over, system, 2);
    let points = groups.concat();
    let observed = first_two(&points);
    let samples = input.samples(&groups, (over == Over::Systems).then_some(2), method, 1, first_two);
    let of = |kind: &CorrelationInterval| match kind.used_for(over) {
        CorrelationInterval::Fisher => fisher(&observed, points.len(), method.confidence),
        kind => intervals(&observed, samples.as_ref(), kind, Scale::Fisher, method.confidence),
    };
    kinds.iter().map(of).collect()
}

/// Computes Fisher's intervals of Pearson's, Spearman's and Kendall's coefficients of `points` points.
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
        Some(around(r, z * variance.sqrt()))
    })
}

/// Returns tanh(artanh(r) ± d) = (e^±2d (1 + r) − (1 − r)) / (e^±2d (1 + r) + (1 − r)).
fn around(r: f64, reach: f64) -> Interval {
    let grown = normal::exp((2.0 * reach).min(31.0));
    let end = |factor: f64| (factor * (1.0 + r) - (1.0 - r)) / (factor * (1.0 + r) + (1.0 - r));
    Interval { low: end(1.0 / grown), high: end(grown) }
}

impl DocumentCounts {
    /// Returns the sums of a system over documents with the given multiplicities.
    fn weighted_totals(&self, system: usize, times: &[u32]) -> Vec<CountRow> {
        let sum = |rows: &Vec<CountRow>| {
            rows.iter().zip(times).fold(CountRow::default(), |sum, (row, &times)| {
                std::array::from_fn(|place| sum[place] + f64::from(times) * row[place])
            })
        };
        self.rows_of(system).iter().map(sum).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three points on a line and one that may lie on it or below it: r is 1 at the upper end. At the lower end, by
    /// hand, y = 0, 1, 2, 0 at x = 0 to 3, so that r = 0.5 / √(5 · 2.75).
    #[test]
    fn correlations_over_all_best_maps() {
        let line = [0.0, 1.0, 2.0, 3.0];
        let points: Vec<Point> = line.iter().map(|&x| [x, x, f64::NAN]).collect();
        let mut bounds: Vec<[[f64; 2]; 2]> = line.iter().map(|&x| [[x; 2]; 2]).collect();
        assert_eq!(best_maps(&points, &bounds), None);
        bounds[3][1][0] = 0.0;
        let found = best_maps(&points, &bounds).expect("one point may move");
        let Some(Interval { low, high }) = found.pearson else { panic!("r is defined") };
        assert_eq!(found.ambiguous, 1);
        assert!(
            (low - 0.5 / (5.0 * 2.75_f64).sqrt()).abs() < 1e-12 && (high - 1.0).abs() < 1e-12,
            "{found:?}"
        );
    }

    /// Points anywhere between their ends are within the bounds, and so is the result of the search. If only y of one
    /// point moves a little, the bounds are close.
    #[test]
    fn no_choice_of_ends_exceeds_the_bounds() {
        let mut stream = Stream::new(5, Purpose::Bootstrap, 0);
        let mut unit = move || stream.below(1 << 20) as f64 / f64::from(1 << 20);
        let mut informative = 0;
        for case in 0..300 {
            let width = [0.02, 0.2, 1.0][case % 3];
            let mut interval = || {
                let low = unit();
                [low, (low + width * unit() * unit()).min(1.0)]
            };
            let ends: Vec<[[f64; 2]; 2]> = (0..3 + case % 7).map(|_| [interval(), interval()]).collect();
            let points: Vec<Point> = ends.iter().map(|[x, y]| [x[0], y[0], f64::NAN]).collect();
            let Some(MapChoice { pearson: Some(found), bounds, .. }) = best_maps(&points, &ends) else {
                continue;
            };
            assert!(bounds.low <= found.low && found.high <= bounds.high, "{bounds:?} {found:?}");
            for _ in 0..50 {
                let mut within = |[low, high]: [f64; 2]| low + (high - low) * unit();
                let any: Vec<(f64, f64)> = ends.iter().map(|[x, y]| (within(*x), within(*y))).collect();
                let r = pearson(&any).expect("points that vary");
                assert!((bounds.low..=bounds.high).contains(&r), "{r} {bounds:?} {ends:?}");
            }
            informative += usize::from(bounds.low > -1.0 && bounds.high < 1.0);
        }
        assert!(informative > 60, "{informative}");
        let line: Vec<[[f64; 2]; 2]> = (0..50).map(|place| [[f64::from(place); 2]; 2]).collect();
        let mut near = line.clone();
        near[7][1] = [6.9, 7.1];
        assert!(bounds_of_pearson(&near).low > 0.9999);
        assert!(bounds_of_pearson(&line).low > 0.999_999);
    }

    #[test]
    fn words_of_the_paper() {
        let words = [0.71, -0.7, 0.5, 0.31, -0.3, 0.0].map(reading);
        assert_eq!(
            words,
            [
                "strongly correlated", "highly correlated", "correlated", "correlated", "not correlated",
                "not correlated"
            ]
        );
    }

    /// By tables of the normal distribution: r = 0.6 for 28 points, artanh 0.6931, ± 1.96 / 5.
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

    /// Steiger's formula, computed separately: r₁ = 0.6, r₂ = 0.4, r₁₂ = 0.5, 103 points. |R| = 0.47, t = 0.2 √(102 ·
    /// 1.5 / (2 · 0.47 · 102/100 + 0.25 · 0.125)) = 2.4863, with 100 degrees of freedom: 0.01457.
    #[test]
    fn williams_by_hand() {
        let found = williams(0.6, 0.4, 0.5, 103).expect("points enough");
        assert!((found - 0.014_566).abs() < 1e-6, "{found}");
        assert_eq!((williams(0.5, 0.5, 0.2, 30), williams(0.5, 0.1, 0.2, 3)), (Some(1.0), None));
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
        assert!(CorrelationMethod::default().set(INTERVAL_FIELD, "basic").is_err());
    }

    /// A single unit does not show how others vary, unless it makes no difference.
    #[test]
    fn one_unit_has_no_standard_error() {
        for scale in [Scale::Fisher, Scale::Plain] {
            assert_eq!(by_jackknife(0.5, &[0.4], scale, 0.95), None);
            assert_eq!(by_jackknife(0.5, &[0.5], scale, 0.95), Some(Interval { low: 0.5, high: 0.5 }));
        }
    }
}
