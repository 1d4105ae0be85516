//! Statistics of corpora.

use crate::diagnostic::Diagnostics;
use crate::groups::By;
use crate::settings::Settings;
use crate::signature::signature;
use crate::stats::CorpusStats;

/// The statistics of several corpora, with the settings for reading them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StatsReport {
    /// The settings for reading.
    pub settings: Settings,
    /// The formats that were read.
    pub format: String,
    /// The findings.
    pub diagnostics: Diagnostics,
    /// The grouping of documents, if any.
    pub by: Option<By>,
    /// The corpora in the order given.
    pub corpora: Vec<CorpusReport>,
}

/// The statistics of one corpus.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CorpusReport {
    /// Its name.
    pub name: String,
    /// The file or directory as it was named.
    pub path: String,
    /// Its format.
    pub format: String,
    /// Its statistics.
    pub stats: CorpusStats,
    /// The names and statistics of groups of documents.
    pub groups: Vec<(String, CorpusStats)>,
}

impl StatsReport {
    /// Returns the settings that the counts depend on, in one line.
    pub fn signature(&self) -> String {
        signature(&self.settings, &self.format, &[])
    }
}
