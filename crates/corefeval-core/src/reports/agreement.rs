//! Agreement between annotators.

use crate::agreement::Agreement;
use crate::diagnostic::Diagnostics;
use crate::metrics::Metric;
use crate::results::SystemReport;
use crate::settings::Settings;
use crate::signature::signature;
use crate::significance::Method;

/// The agreement between annotators, with everything that it depends on.
#[derive(Clone, Debug)]
pub struct AgreementReport {
    /// The choices that the numbers depend on.
    pub settings: Settings,
    /// The formats of the inputs: of the first annotator, and of others that differ.
    pub format: String,
    /// The findings.
    pub diagnostics: Diagnostics,
    /// The names of the annotators.
    pub annotators: Vec<String>,
    /// Scores of each annotator against each other: the first is taken as the key.
    pub pairs: Vec<[usize; 2]>,
    /// For each of them.
    pub systems: Vec<SystemReport>,
    /// α.
    pub agreement: Agreement,
    /// Whether α is shown for each document too.
    pub by_document: bool,
    /// The number of documents of the first annotator that another lacks, if only shared documents are compared.
    pub left_out: Option<usize>,
}

impl AgreementReport {
    /// The settings that the results depend on, in one line.
    pub fn signature(&self) -> String {
        // α depends on the same settings as the scores of mentions.
        let alpha = Metric::parse("mentions").into_iter();
        let results = self.systems.iter().flat_map(|system| &system.results);
        let metrics: Vec<Metric> = alpha.chain(results.map(|result| result.metric)).collect();
        let mut text = signature(&self.settings, &self.format, &metrics);
        text.push_str(&self.agreement.method.signature_with(Method::OF_INTERVALS));
        if self.left_out.is_some() {
            text.push_str("|documents:shared");
        }
        text
    }
}
