//! The check of CONE without a key against annotated documents.

use crate::cone::Check;
use crate::diagnostic::Diagnostics;
use crate::metrics::Metric;
use crate::named::NamedCounts;
use crate::settings::Settings;
use crate::signature::signature;
use crate::significance::{METHOD_FIELDS, Method};

/// The checks of one or more responses, with everything they depend on.
#[derive(Clone, Debug)]
pub struct CheckReport {
    /// The choices that the scores depend on.
    pub settings: Settings,
    /// The method of the intervals.
    pub method: Method,
    /// The formats of the inputs: of the annotated key, and of the responses if they differ.
    pub format: String,
    /// The findings.
    pub diagnostics: Diagnostics,
    /// One for each response.
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

/// The fields of a method that a check depends on.
pub const CHECK_METHOD: &[&str] = &["unit", "resamples", "seed", "interval", "confidence"];

impl CheckReport {
    /// The settings that the results depend on, in one line.
    pub fn signature(&self) -> String {
        let fields = METHOD_FIELDS.iter().filter(|field| CHECK_METHOD.contains(&field.name));
        let fields = fields.map(|field| format!("|{}:{}", field.name, field.value(&self.method)));
        let [_, metrics] = Metric::all_and_named();
        signature(&self.settings, &self.format, &metrics) + &fields.collect::<String>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_exist() {
        for name in CHECK_METHOD {
            assert!(METHOD_FIELDS.iter().any(|field| field.name == *name), "{name}");
        }
    }
}
