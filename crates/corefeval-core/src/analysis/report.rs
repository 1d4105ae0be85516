//! Collects the errors of responses with everything that they depend on.

use super::common::CommonErrors;
use super::kinds::CorefErrorKind;
use super::results::{ErrorAnalysis, ErrorRow};
use super::task::Tree;
use super::types::{Language, TypeRule};
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
    /// The rule that determined types of mentions.
    pub types: TypeRule,
    /// The language of texts without parts of speech, if it was given.
    pub language: Option<&'static Language>,
    /// Requested metrics in which errors have no cost, because corrected responses lack the annotation that they count.
    pub without_cost: Vec<Metric>,
    /// The errors of each response.
    pub systems: Vec<ErrorAnalysis>,
    /// The link errors that several responses share; `None` for a single one.
    pub common: Option<CommonErrors>,
}

impl ErrorReport {
    /// Returns everything that the errors depend on, in one line: the signature of the scores, and the choices of the
    /// analysis that are not the default.
    pub fn signature(&self) -> String {
        let results = self.systems.iter().flat_map(|system| &system.sequence).flat_map(|step| &step.results);
        let mut metrics: Vec<Metric> = Vec::new();
        for result in results {
            if !metrics.contains(&result.metric) {
                metrics.push(result.metric);
            }
        }
        let mut signature = signature(&self.settings, &self.format, &metrics);
        let mut add = |name: &str, value: &str| signature += &format!("|{name}:{value}");
        if self.tree != Tree::default() {
            add("tree", self.tree.id());
        }
        if self.types != TypeRule::default() {
            add("types", self.types.id());
        }
        if let Some(language) =
            self.language.filter(|_| self.systems.iter().any(|system| system.language.is_some()))
        {
            add("language", language.code);
        }
        signature
    }

    /// The fields of a signature that name choices of an analysis.
    pub const CHOICES: [&'static str; 3] = ["tree", "types", "language"];

    /// Splits a signature into that of the scores and the choices of an analysis by name.
    pub fn split_signature(signature: &str) -> (String, Vec<(String, String)>) {
        let (mut scores, mut choices) = (Vec::new(), Vec::new());
        for field in signature.trim().split('|') {
            match field.split_once(':') {
                Some((name, value)) if ErrorReport::CHOICES.contains(&name) => {
                    choices.push((name.to_owned(), value.to_owned()));
                }
                _ => scores.push(field),
            }
        }
        (scores.join("|"), choices)
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
