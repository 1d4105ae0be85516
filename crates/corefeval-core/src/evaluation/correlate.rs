//! Correlation of two metrics over documents, systems and entities.

use crate::diagnostic::{Code, Diagnostics};
use crate::error::{Error, ErrorKind, Result};
use crate::metrics::Metric;
use crate::overlap::AlignedPair;
use crate::pairing::DocumentPair;
use crate::reports::correlation::CorrelationReport;
use crate::score::{document_scores, map_aligned, tally_documents};
use crate::settings::Settings;
use crate::significance::{
    self, CorrelationInput, CorrelationMethod, DocumentCounts, EntityBounds, EntityPoints, FEW_DOCUMENTS,
    FEWEST, Over, ResamplingUnits,
};
use crate::wording::{option, text};

use super::one_key::name_findings;
use super::request::{NamedInput, check_system_names};
use super::systems::{PairedSystem, PairedSystems, SystemOptions};
use super::{Evaluation, Joined, TaskKind, check_names};

/// The options of a correlation of metrics.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Correlate {
    /// The two metrics.
    pub metrics: [Metric; 2],
    /// A third metric, to test whether the first metric correlates more closely with the second than with this one.
    pub than: Option<Metric>,
    /// True if the report lists the points.
    pub points: bool,
    /// The kinds of points; by default all kinds possible with this number of systems.
    pub over: Option<Vec<Over>>,
    /// The method of resampling and intervals.
    pub method: CorrelationMethod,
    /// True to use the documents that all systems have; otherwise a missing document is an error.
    pub shared_documents: bool,
}

impl Correlate {
    /// Correlates two different metrics.
    ///
    /// # Errors
    ///
    /// The metrics are equal.
    pub fn new(x: Metric, y: Metric) -> Result<Correlate> {
        if x == y {
            let message = format!("`{x}` would be correlated with itself");
            return Err(Error::new(ErrorKind::Settings, message).hint(text!(
                "name two metrics with {} and {}",
                option("x"),
                option("y")
            )));
        }
        let method = CorrelationMethod::default();
        Ok(Correlate {
            metrics: [x, y],
            than: None,
            points: false,
            over: None,
            method,
            shared_documents: false,
        })
    }

    /// Returns the metrics to count: two or three.
    fn counted(&self) -> Vec<Metric> {
        self.metrics.into_iter().chain(self.than).collect()
    }

    /// Returns the units to correlate: those requested, or all that the number of systems allows.
    fn over(&self, systems: usize) -> Result<Vec<Over>> {
        let [x, y] = self.metrics;
        let entities = x.entity_score().and(y.entity_score());
        let entities =
            self.than.as_ref().map_or(entities.clone(), |third| entities.and(third.entity_score()));
        let over = self.over.clone().unwrap_or_else(|| {
            let possible = |over: &Over| match over {
                Over::Documents => true,
                Over::Pooled => systems > 1,
                Over::Systems => systems >= FEWEST,
                Over::Entities => entities.is_ok(),
            };
            Over::ALL.into_iter().filter(possible).collect()
        });
        if over.contains(&Over::Entities) {
            entities?;
        }
        Ok(over)
    }
}

impl Evaluation {
    /// Correlates two metrics over the documents of each system, over the documents of all systems, over systems and
    /// over entities of the key. The request must not have metrics.
    ///
    /// # Errors
    ///
    /// The errors of reading the inputs and of pairing their documents. Systems have different documents, unless only
    /// shared documents are compared.
    pub fn correlate(&self, asked: &Correlate) -> Result<CorrelationReport> {
        self.require_exact()?;
        self.refuse_metrics()?;
        self.refuse_groups("a correlation")?;
        let before = |responses: &[NamedInput]| {
            check_system_names(responses.iter().map(|response| response.name.as_str()))?;
            asked.over(responses.len()).map(|_| ())
        };
        let evaluation = self.of(self.request.clone().for_metrics(&asked.counted()).validated()?);
        let wanted = SystemOptions { shared_documents: asked.shared_documents, ..SystemOptions::default() };
        evaluation.with_systems(TaskKind::Correlate, &wanted, before, |read| {
            let PairedSystems { mut task, mut diagnostics, format, left_out, systems, .. } = read;
            let used: Vec<&str> = CorrelationMethod::fields().iter().map(|field| field.0).collect();
            let used = [&used[..], &["documents"]].concat();
            self.request.warn_of_unused_fields(&used, "correlations", &mut diagnostics);
            let (counted, over) = (asked.counted(), asked.over(systems.len())?);
            let mut ids = Vec::new();
            if !over.iter().any(|over| over.combines_documents()) {
                self.ignore_average(&mut task.settings, &mut diagnostics);
            }
            let settings = task.settings.clone();
            let key = systems.first().map(|system| system.key.clone()).unwrap_or_default();
            let names: Vec<(String, String)> =
                systems.iter().map(|system| (system.name.clone(), system.response.clone())).collect();
            let mut counts = DocumentCounts::new(&counted, &settings)?;
            let (mut scores, mut sizes) = (Vec::new(), Vec::new());
            let (mut entities, mut bounds) = (Vec::new(), Vec::new());
            let mut units = ResamplingUnits::default();
            for (place, PairedSystem { name, pairs, ends, .. }) in systems.into_iter().enumerate() {
                let joined = Joined::new(pairs, &settings, &mut diagnostics)?;
                let pairs = joined.pairs();
                if place == 0 {
                    units = ResamplingUnits::of(&pairs, asked.method.unit, &mut diagnostics)?;
                    ids = pairs.iter().map(|pair| pair.key.id().to_string()).collect();
                }
                let mut found = Diagnostics::default();
                let (mut report, documents) = tally_documents(&pairs, &task, &mut found);
                ends.name_in(&mut found);
                if names.len() > 1 {
                    name_findings(&mut found, &name, pairs.iter().map(|pair| pair.key));
                }
                diagnostics.merge(found);
                check_names(&report)?;
                joined.count_texts(&mut report.sizes);
                sizes.push(report.sizes);
                counts.add(&documents)?;
                scores.push(document_scores(&counted, &documents, &settings));
                if over.contains(&Over::Entities) {
                    let (points, ends) = entity_scores(&pairs, &settings, &counted);
                    entities.push(points);
                    bounds.push(ends);
                }
            }
            let documents = counts.documents();
            warn_of_few(&units, &asked.method, &mut diagnostics);
            let drawn = units.number();
            counts.draw_together(units);
            self.refuse_warnings(&diagnostics)?;
            let input =
                CorrelationInput { counts: &counts, scores: &scores, entities: &entities, bounds: &bounds };
            let correlations = significance::correlate(&input, &over, &asked.method, task.threads);
            Ok(CorrelationReport {
                settings,
                format,
                diagnostics,
                metrics: asked.metrics,
                than: asked.than,
                points: asked.points,
                ids,
                key,
                systems: names,
                sizes,
                documents,
                units: drawn,
                left_out,
                method: asked.method,
                correlations,
            })
        })
    }

    /// Fails if the request has a list of metrics.
    fn refuse_metrics(&self) -> Result<()> {
        if self.request.has_metrics() {
            let message = "a correlation has no list of metrics: it compares two metrics";
            return Err(Error::new(ErrorKind::Settings, message).hint("leave it out"));
        }
        Ok(())
    }

    /// Averages as the profile does, because no score combines documents.
    fn ignore_average(&self, settings: &mut Settings, diagnostics: &mut Diagnostics) {
        let average = Settings::of(settings.profile).average;
        let applied = Settings { average, ..settings.clone() };
        self.apply(settings, applied, "correlations over documents and entities", diagnostics);
    }
}

/// Warns if correlations come from few units or from few resamples.
fn warn_of_few(units: &ResamplingUnits, method: &CorrelationMethod, diagnostics: &mut Diagnostics) {
    if units.number() < FEW_DOCUMENTS {
        diagnostics.add(Code::FewDocuments, None, None, || {
            format!("correlations and their intervals come from {}", units.described(method.unit))
        });
    }
    significance::warn_of_few_resamples(method.too_few_resamples(), diagnostics);
}

/// Returns the scores of the key entities of each document by each metric, and their bounds over all best maps.
fn entity_scores(
    pairs: &[DocumentPair<'_>],
    settings: &Settings,
    metrics: &[Metric],
) -> (Vec<EntityPoints>, Vec<EntityBounds>) {
    /// Returns the values of each entity by each metric, given those of all entities by each metric.
    fn by_entity<T: Copy>(each: &[Vec<Option<T>>]) -> Vec<[Option<T>; 3]> {
        let value = |entity: usize, metric: usize| *each.get(metric)?.get(entity)?;
        let number = each.first().map_or(0, Vec::len);
        (0..number).map(|entity| std::array::from_fn(|metric| value(entity, metric))).collect()
    }
    let both = |aligned: &AlignedPair| {
        let scores: Vec<_> = metrics.iter().map(|metric| metric.entity_scores(aligned)).collect();
        let bounds: Vec<_> = metrics.iter().map(|metric| metric.entity_bounds(aligned)).collect();
        (by_entity(&scores), by_entity(&bounds))
    };
    map_aligned(pairs, settings, metrics, both).into_iter().unzip()
}
