//! Warns about problems of resampling: too few resamples, resamples in which a metric is undefined, and too few
//! documents to resample.

use crate::wording::text;
use crate::wording::{Text, option_value};
use std::sync::Arc;

use super::Comparison;
use crate::choice::Choice;
use crate::diagnostic::{Code, Diagnostics, Position};
use crate::error::{Error, ErrorKind, Result};
use crate::metrics::Metric;
use crate::settings::Scope;

impl Comparison {
    /// Adds the warnings about the resamples of a comparison of `metrics`.
    pub fn warn(&self, metrics: &[Metric], diagnostics: &mut Diagnostics) {
        // If every swap is made, more resamples do not change p-values.
        let is_exact = self.method.is_exact(self.units);
        let comparisons = self.families.iter().map(|family| family.baseline.max(family.pairs));
        let comparisons = comparisons.max().filter(|_| !is_exact);
        warn_of_few_resamples(self.method.too_few_resamples(comparisons.unwrap_or(0)), diagnostics);
        self.warn_of_undefined(metrics, "", diagnostics);
    }

    /// Warns about resamples in which a metric of a group is undefined.
    pub fn warn_of_group(&self, metrics: &[Metric], group: &str, diagnostics: &mut Diagnostics) {
        self.warn_of_undefined(metrics, &format!(" in the group `{group}`"), diagnostics);
    }

    fn warn_of_undefined(&self, metrics: &[Metric], place: &str, diagnostics: &mut Diagnostics) {
        for (metric, &undefined) in metrics.iter().zip(&self.undefined).filter(|(_, count)| **count > 0) {
            diagnostics.add(Code::UndefinedInResample, None, None, || {
                format!(
                    "{} is undefined{place} in {undefined} of {} resamples, which were left out of its intervals",
                    metric.label(),
                    self.method.resamples
                )
            });
        }
    }
}

/// Adds the warnings of [`Method::too_few_resamples`](super::Method::too_few_resamples).
pub fn warn_of_few_resamples(sentences: Vec<String>, diagnostics: &mut Diagnostics) {
    for sentence in sentences {
        diagnostics.add(Code::FewResamples, None, None, || sentence);
    }
}

/// Checks that there are at least two documents to resample.
///
/// # Errors
///
/// There are fewer than two documents. The error is placed in the file `key`, if it is given.
pub fn check_documents(documents: usize, scope: Scope, key: Option<&str>) -> Result<()> {
    let joined = text!(
        "there is only one document, because {} merges several into one",
        option_value("scope", scope.id())
    );
    let (message, hint) = match (documents, scope) {
        (0, _) => (Text::from("no document to compare on"), Text::from(NONE)),
        (1, Scope::Document) => (ONE.into(), WHOLE.into()),
        (1, _) => (
            joined.and(", but resampling needs at least two"),
            text!(
                "compare with {}, or with several topics by {}; scores without resampling take any scope",
                option_value("scope", "document"),
                option_value("scope", "topic")
            ),
        ),
        _ => return Ok(()),
    };
    let error = Error::new(ErrorKind::Pairing, message).hint(hint);
    // Data that were not read from a file have no name.
    Err(match key.filter(|key| !key.is_empty()) {
        Some(key) => error.at(Position::new(&Arc::from(key), 0, 0)),
        None => error,
    })
}

const ONE: &str = "there is only one document, but resampling needs at least two";

const NONE: &str =
    "no document is in all systems: leave out the systems that lack most, or add their missing documents";

const WHOLE: &str = "documents are drawn as a whole, since their mentions depend on each other; divide a single text into documents only if its parts were annotated independently";
