//! Findings about files.

use std::collections::BTreeMap;

use crate::diagnostic::Severity;
use crate::settings::Settings;
use crate::signature::signature;
use crate::validation::Finding;

/// The findings about files, and about responses and their key.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ValidationReport {
    /// The settings that reading and scoring depend on.
    pub settings: Settings,
    /// The formats that were read.
    pub format: String,
    /// The key that the files are scored against, if given.
    pub key: Option<String>,
    /// The files in the order given, and within directories by path. The key comes first.
    pub files: Vec<ValidatedFile>,
}

/// The findings about one file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ValidatedFile {
    /// The file as it was named.
    pub path: String,
    /// True if it is a directory. Its entry contains the findings about its list of files.
    pub directory: bool,
    /// Its format, if it could be read.
    pub format: Option<&'static str>,
    /// The number of documents.
    pub documents: u64,
    /// The number of mentions.
    pub mentions: u64,
    /// The findings by place, starting with those about the whole file.
    pub findings: Vec<Finding>,
    /// The corrections, if any were made.
    pub fixed: Option<FixedFile>,
}

/// The corrections of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedFile {
    /// The path of the written file.
    pub path: String,
    /// The number of corrected findings of each code.
    pub codes: Vec<(&'static str, u64)>,
}

impl ValidationReport {
    /// Returns all findings in the order of the files.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.files.iter().flat_map(|file| &file.findings)
    }

    /// Counts the findings of a severity.
    pub fn count(&self, severity: Severity) -> u64 {
        self.findings().filter(|finding| finding.severity == severity).map(|finding| 1 + finding.more).sum()
    }

    /// Counts the findings of each code.
    pub fn codes(&self) -> BTreeMap<&'static str, u64> {
        let mut codes = BTreeMap::new();
        for finding in self.findings() {
            *codes.entry(finding.code).or_default() += 1 + finding.more;
        }
        codes
    }

    /// Returns whether any finding has this severity or a higher one.
    pub fn reaches(&self, severity: Severity) -> bool {
        self.findings().any(|finding| finding.severity >= severity)
    }

    /// Returns the settings that the findings depend on, in one line.
    pub fn signature(&self) -> String {
        signature(&self.settings, &self.format, &[])
    }
}
