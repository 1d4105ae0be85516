//! Correlations of metrics.

use crate::diagnostic::Diagnostics;
use crate::metrics::Metric;
use crate::results::SideSize;
use crate::settings::Settings;
use crate::signature::signature;
use crate::significance::{Closeness, Correlation, CorrelationMethod};

/// The correlation of metrics, with everything that it depends on.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CorrelationReport {
    /// The settings that the scores depend on.
    pub settings: Settings,
    /// The formats of the inputs: the key's, and a response's if it differs.
    pub format: String,
    /// The findings.
    pub diagnostics: Diagnostics,
    /// The two metrics.
    pub metrics: [Metric; 2],
    /// A third metric, if requested, to test whether the first metric correlates more closely with the second than with
    /// this one.
    pub than: Option<Metric>,
    /// True if the points are listed.
    pub points: bool,
    /// The ids of the documents.
    pub ids: Vec<String>,
    /// The key as it was named.
    pub key: String,
    /// The systems in the order given: name, and response as named by the user.
    pub systems: Vec<(String, String)>,
    /// The sizes of the key and of each system.
    pub sizes: Vec<[SideSize; 2]>,
    /// The number of documents of each system.
    pub documents: usize,
    /// The number of resampling units.
    pub units: usize,
    /// The number of key documents that some system lacks, if only shared documents are compared.
    pub left_out: Option<usize>,
    /// The method of the intervals.
    pub method: CorrelationMethod,
    /// The result.
    pub correlations: Vec<Correlation>,
}

impl CorrelationReport {
    /// Returns the number of p-values with a third metric, including Williams's t. None is corrected for their number.
    pub fn tests(&self) -> usize {
        let parts = self.correlations.iter().flat_map(|row| row.parts.iter().flatten());
        let of = |closeness: &Closeness| {
            let ps = closeness.coefficients.iter().flatten().filter(|closer| closer.p.is_some());
            ps.count() + usize::from(closeness.williams.is_some())
        };
        parts.filter_map(|part| part.closeness.as_ref()).map(of).sum()
    }

    /// Returns the settings that the results depend on, in one line.
    pub fn signature(&self) -> String {
        let metrics: Vec<Metric> = self.metrics.into_iter().chain(self.than).collect();
        let scores = signature(&self.settings, &self.format, &metrics);
        let over = self.correlations.iter().map(|correlation| correlation.over);
        let method = self.method.signature_for(over, self.units);
        let shared = if self.left_out.is_some() { "|documents:shared" } else { "" };
        format!("{scores}{method}{shared}")
    }
}
