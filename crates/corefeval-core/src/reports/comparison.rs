//! Comparisons of systems.

use crate::diagnostic::Diagnostics;
use crate::error::Error;
use crate::groups::By;
use crate::metrics::Metric;
use crate::results::{MetricResult, SystemReport};
use crate::score::DocumentScore;
use crate::settings::Settings;
use crate::signature::signature;
use crate::significance::{Comparison, Estimate, Method};

/// A comparison of systems, with everything that it depends on.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ComparisonReport {
    /// The settings that the scores depend on.
    pub settings: Settings,
    /// The formats of the inputs: the key's, and a response's if it differs.
    pub format: String,
    /// The findings.
    pub diagnostics: Diagnostics,
    /// The systems in the order given.
    pub systems: Vec<SystemReport>,
    /// The paths of each system's runs, if it has several.
    pub runs: Vec<Vec<String>>,
    /// Intervals, differences and ranks.
    pub comparison: Comparison,
    /// The planned difference of F1, from 0 to 1.
    pub plan: Option<f64>,
    /// The place of the metric that the rows are sorted by.
    pub sort: usize,
    /// The number of key documents that some system lacks, if only shared documents are compared.
    pub left_out: Option<usize>,
    /// The systems that were left out because they cannot be compared.
    pub broken: Vec<Broken>,
    /// The grouping of the groups below, if any.
    pub by: Option<By>,
    /// The systems compared on groups of documents, if requested.
    pub groups: Vec<GroupReport>,
    /// The scores of each document.
    pub by_document: ByDocument,
    /// True if the systems are the steps of a series, in their order.
    pub is_series: bool,
    /// The number of systems whose counts were in the cache.
    pub cached: usize,
}

/// Systems compared on a group of documents.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GroupReport {
    /// The name of the group.
    pub id: String,
    /// The number of its documents.
    pub documents: usize,
    /// Their scores, in the order of the report's systems.
    pub systems: Vec<SystemReport>,
    /// Intervals, differences and ranks; `None` for a single document, which cannot be resampled.
    pub comparison: Option<Comparison>,
}

/// Scores over the same documents: all documents or a group.
#[derive(Clone, Copy, Debug)]
pub struct Section<'r> {
    /// The group; `None` for all documents.
    pub group: Option<&'r GroupReport>,
    /// The number of documents.
    pub documents: usize,
    /// The scores, in the order of the report's systems.
    pub systems: &'r [SystemReport],
    /// Intervals, differences and ranks, if the documents can be resampled.
    pub comparison: Option<&'r Comparison>,
    /// The place of the baseline among the systems.
    pub baseline: usize,
}

impl<'r> Section<'r> {
    /// Returns the interval, rank and difference of a system by a metric.
    pub fn estimate(&self, metric: usize, system: usize) -> Option<&'r Estimate> {
        self.comparison?.estimates.get(metric)?.get(system)
    }

    /// Returns the score of a system by a metric.
    pub fn result(&self, metric: usize, system: usize) -> Option<&'r MetricResult> {
        self.systems.get(system)?.results.get(metric)
    }

    /// Returns whether the score is defined; a mean of metrics is defined if all of them are.
    pub fn is_defined(&self, metric: usize, system: usize) -> bool {
        let alone =
            || self.result(metric, system).is_some_and(|result| result.is_defined() && !result.partial);
        self.estimate(metric, system).map_or_else(alone, |estimate| estimate.defined)
    }

    /// Returns the F1 of a system by a metric; 0 if undefined.
    pub fn f1(&self, metric: usize, system: usize) -> f64 {
        let alone = || self.result(metric, system).map_or(0.0, |result| result.score.f1);
        self.estimate(metric, system).map_or_else(alone, |estimate| estimate.f1)
    }

    /// Returns whether the score is defined and no system has a higher F1.
    pub fn is_best(&self, metric: usize, system: usize) -> bool {
        let f1 = self.f1(metric, system);
        let mut others = (0..self.systems.len()).filter(|&other| self.is_defined(metric, other));
        self.is_defined(metric, system) && others.all(|other| self.f1(metric, other) <= f1)
    }

    /// Returns whether the difference of a system from the baseline is one of several runs.
    pub fn has_runs(&self, metric: usize, system: usize) -> bool {
        let runs = |system: usize| self.estimate(metric, system).map_or(1, |estimate| estimate.runs.len());
        Method::tests_by_student([system, self.baseline].map(runs))
    }

    /// Returns F1 minus the baseline's, if both are defined; `None` for the baseline itself.
    pub fn difference(&self, metric: usize, system: usize) -> Option<f64> {
        let both = self.is_defined(metric, system) && self.is_defined(metric, self.baseline);
        (both && system != self.baseline).then(|| self.f1(metric, system) - self.f1(metric, self.baseline))
    }
}

/// A system that was left out because it cannot be compared.
#[derive(Clone, Debug)]
pub struct Broken {
    /// Its name.
    pub name: String,
    /// The response as it was named.
    pub response: String,
    /// The reason why it cannot be compared.
    pub error: Error,
}

impl ComparisonReport {
    /// Returns the settings that the results depend on, in one line.
    pub fn signature(&self) -> String {
        let results = self.systems.iter().flat_map(|system| &system.results);
        let metrics: Vec<Metric> = results.map(|result| result.metric).collect();
        let scores = signature(&self.settings, &self.format, &metrics);
        let groups = self.groups.iter().filter_map(|group| group.comparison.as_ref());
        let together: Vec<&Comparison> = std::iter::once(&self.comparison).chain(groups).collect();
        let method = Comparison::signature_of(&together);
        let shared = if self.left_out.is_some() { "|documents:shared" } else { "" };
        format!("{scores}|{method}{shared}")
    }

    /// Returns the metrics with their places, starting with the metric that sorts the systems.
    pub fn metrics(&self) -> Vec<(usize, Metric)> {
        let results = self.systems.first().map(|system| system.results.as_slice()).unwrap_or_default();
        let all = || results.iter().map(|result| result.metric).enumerate();
        let (first, others) = (all().skip(self.sort).take(1), all().filter(|(place, _)| *place != self.sort));
        first.chain(others).collect()
    }

    /// Returns the places of the systems, best first; systems without a defined score come last.
    pub fn order(&self) -> Vec<usize> {
        let f1 = |system: usize| {
            let defined = self.estimate(self.sort, system).filter(|estimate| estimate.defined);
            defined.map_or(f64::NEG_INFINITY, |estimate| estimate.f1)
        };
        let mut order: Vec<usize> = (0..self.systems.len()).collect();
        order.sort_by(|&a, &b| f1(b).total_cmp(&f1(a)));
        order
    }

    /// Returns the scores over all documents.
    pub fn whole(&self) -> Section<'_> {
        Section {
            group: None,
            documents: self.comparison.documents,
            systems: &self.systems,
            comparison: Some(&self.comparison),
            baseline: self.comparison.baseline,
        }
    }

    /// Returns the scores over each group of documents.
    pub fn groups(&self) -> impl Iterator<Item = Section<'_>> {
        self.groups.iter().map(|group| Section {
            group: Some(group),
            documents: group.documents,
            systems: &group.systems,
            comparison: group.comparison.as_ref(),
            baseline: self.comparison.baseline,
        })
    }

    /// Returns the interval, rank and difference of a system by a metric, over all documents.
    pub fn estimate(&self, metric: usize, system: usize) -> Option<&Estimate> {
        self.whole().estimate(metric, system)
    }

    /// Returns whether no system has a higher F1 by a metric, over all documents.
    pub fn is_best(&self, metric: usize, system: usize) -> bool {
        self.whole().is_best(metric, system)
    }

    /// Returns the number of units needed to detect the planned difference of a system from the baseline in four of
    /// five cases.
    pub fn planned(&self, section: &Section<'_>, metric: usize, system: usize) -> Option<u64> {
        let comparison = section.comparison?;
        let difference = section.estimate(metric, system)?.difference.as_ref()?;
        let family = comparison.families.get(metric)?.baseline;
        let (method, units) = (&comparison.method, comparison.units);
        match section.has_runs(metric, system) {
            true => method.units_for_runs(self.plan?, difference, units, family),
            false => method.units_for(self.plan?, difference.error, difference.unevenness, units, family),
        }
    }

    /// Returns the name of the baseline.
    pub fn baseline(&self) -> &str {
        self.systems.get(self.comparison.baseline).map_or("", |system| &system.name)
    }
}

/// The names of documents, and the scores of each system, document and metric.
#[derive(Clone, Debug, Default)]
pub struct ByDocument {
    /// The ids of the documents.
    pub ids: Vec<String>,
    /// The scores by system, document and metric.
    pub scores: Vec<Vec<Vec<DocumentScore>>>,
}
