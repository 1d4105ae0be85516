//! The check of CONE without a key, on annotated documents.

use crate::cone::Check;
use crate::diagnostic::Diagnostics;
use crate::metrics::Metric;
use crate::named::NamedCounts;
use crate::settings::Settings;
use crate::signature::signature;
use crate::significance::{Method, MethodConcern};

/// The checks of one or more responses, with everything that they depend on.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CheckReport {
    /// The settings that the scores depend on.
    pub settings: Settings,
    /// The method of the intervals.
    pub method: Method,
    /// The formats of the inputs: the annotated key's, and the responses' if they differ.
    pub format: String,
    /// The findings.
    pub diagnostics: Diagnostics,
    /// The check of each response.
    pub systems: Vec<CheckedSystem>,
}

/// The check of one response.
#[derive(Clone, Debug)]
pub struct CheckedSystem {
    /// The name of the response.
    pub name: String,
    /// The annotated key as it was named.
    pub annotated: String,
    /// The response as it was named.
    pub response: String,
    /// The named mentions of the whole response and its approximated key.
    pub named: NamedCounts,
    /// The result.
    pub check: Check,
}

impl CheckReport {
    /// Returns the settings that the results depend on, in one line.
    pub fn signature(&self) -> String {
        let [_, metrics] = Metric::all_and_named();
        signature(&self.settings, &self.format, &metrics)
            + &self.method.signature_for(&[MethodConcern::All, MethodConcern::Resamples])
    }
}
