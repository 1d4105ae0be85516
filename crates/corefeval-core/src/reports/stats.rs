//! What corpora hold.

use crate::diagnostic::Diagnostics;
use crate::groups::By;
use crate::settings::Settings;
use crate::signature::signature;
use crate::stats::CorpusStats;

/// What several corpora hold, with the settings that they were read with.
#[derive(Clone, Debug)]
pub struct StatsReport {
    /// The settings that reading depends on.
    pub settings: Settings,
    /// The formats that were read.
    pub format: String,
    /// The findings.
    pub diagnostics: Diagnostics,
    /// What groups of documents are by, if there are any.
    pub by: Option<By>,
    /// The corpora in the order in which they were named.
    pub corpora: Vec<CorpusReport>,
}

/// What one corpus holds.
#[derive(Clone, Debug)]
pub struct CorpusReport {
    /// What it is called.
    pub name: String,
    /// The file or directory as it was named.
    pub path: String,
    /// Its format.
    pub format: String,
    /// What it holds.
    pub stats: CorpusStats,
    /// The names of groups of documents with what each holds.
    pub groups: Vec<(String, CorpusStats)>,
}

impl StatsReport {
    /// The settings that the counts depend on, in one line.
    pub fn signature(&self) -> String {
        signature(&self.settings, &self.format, &[])
    }
}
