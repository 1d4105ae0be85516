//! Agreement between annotators.

use crate::agreement::Agreement;
use crate::diagnostic::Diagnostics;
use crate::metrics::Metric;
use crate::results::SystemReport;
use crate::settings::Settings;
use crate::signature::signature;
use crate::significance::MethodConcern;

/// The agreement between annotators, with everything that it depends on.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AgreementReport {
    /// The settings that the results depend on.
    pub settings: Settings,
    /// The formats of the inputs: the first annotator's, and others that differ.
    pub format: String,
    /// The findings.
    pub diagnostics: Diagnostics,
    /// The names of the annotators.
    pub annotators: Vec<String>,
    /// The pairs of annotators that are scored against each other; the first of each pair is the key.
    pub pairs: Vec<[usize; 2]>,
    /// The scores of each pair.
    pub systems: Vec<SystemReport>,
    /// The coefficients α.
    pub agreement: Agreement,
    /// True if α is also shown for each document.
    pub by_document: bool,
    /// The number of the first annotator's documents that another annotator lacks, if only shared documents are
    /// compared.
    pub left_out: Option<usize>,
}

impl AgreementReport {
    /// Returns the settings that the results depend on, in one line.
    pub fn signature(&self) -> String {
        // α depends on the same settings as the scores of mentions.
        let alpha = std::iter::once(Metric::mentions());
        let results = self.systems.iter().flat_map(|system| &system.results);
        let metrics: Vec<Metric> = alpha.chain(results.map(|result| result.metric)).collect();
        let mut text = signature(&self.settings, &self.format, &metrics);
        // A single unit is not resampled.
        let resamples = (self.agreement.drawn > 1).then_some(MethodConcern::Resamples);
        let concerns: Vec<_> = std::iter::once(MethodConcern::All).chain(resamples).collect();
        text.push_str(&self.agreement.method.signature_for(&concerns));
        if self.left_out.is_some() {
            text.push_str("|documents:shared");
        }
        text
    }
}
