//! Collects the errors of responses with everything that they depend on.

use super::common::CommonErrors;
use super::kinds::CorefErrorKind;
use super::results::{ErrorAnalysis, ErrorRow};
use super::task::Tree;
use crate::diagnostic::Diagnostics;
use crate::metrics::Metric;
use crate::settings::Settings;
use crate::signature::signature;

/// The errors of one or more responses to a key, with everything that they depend on.
#[derive(Clone, Debug)]
pub struct ErrorReport {
    /// The choices that the errors depend on.
    pub settings: Settings,
    /// The format of the key, and of the response if it differs.
    pub format: String,
    /// The findings.
    pub diagnostics: Diagnostics,
    /// The kinds of errors to show.
    pub kinds: Vec<CorefErrorKind>,
    /// The tree that link errors take their antecedents from.
    pub tree: Tree,
    /// Requested metrics in which errors have no cost, because corrected responses lack the annotation that they count.
    pub without_cost: Vec<Metric>,
    /// The errors of each response.
    pub systems: Vec<ErrorAnalysis>,
    /// The link errors that several responses share; `None` for a single one.
    pub common: Option<CommonErrors>,
}

impl ErrorReport {
    /// Returns everything that the errors depend on except the tree, in one line.
    pub fn signature(&self) -> String {
        let results = self.systems.iter().flat_map(|system| &system.sequence).flat_map(|step| &step.results);
        let mut metrics: Vec<Metric> = Vec::new();
        for result in results {
            if !metrics.contains(&result.metric) {
                metrics.push(result.metric);
            }
        }
        signature(&self.settings, &self.format, &metrics)
    }

    /// Returns whether a kind is shown.
    pub fn shows(&self, kind: CorefErrorKind) -> bool {
        self.kinds.contains(&kind)
    }

    /// Returns the rows of a response that are shown.
    pub fn rows<'a>(&'a self, system: &'a ErrorAnalysis) -> impl Iterator<Item = &'a ErrorRow> {
        system.rows.iter().filter(|row| self.shows(row.kind))
    }
}
