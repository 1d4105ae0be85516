//! The correlation of CONE with metrics over all mentions.

use crate::cone::correlations::{Closer, CorrelationRow, NamedErrors, Points};
use crate::diagnostic::Diagnostics;
use crate::metrics::Metric;
use crate::results::SideSize;
use crate::settings::Settings;
use crate::signature::signature;
use crate::significance::{Method, MethodConcern};

/// CONE compared with B³ and CEAF over all mentions, with everything that the result depends on.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConeCorrelationReport {
    /// The settings that the scores depend on.
    pub settings: Settings,
    /// The formats of the inputs: the key's, and a response's if it differs.
    pub format: String,
    /// The findings.
    pub diagnostics: Diagnostics,
    /// The key as it was named.
    pub key: String,
    /// The systems in the order given: name, and response as named by the user.
    pub systems: Vec<(String, String)>,
    /// The sizes of the key and of each response, after selection.
    pub sizes: Vec<[SideSize; 2]>,
    /// The number of documents of each system.
    pub documents: usize,
    /// The number of resampling units.
    pub units: usize,
    /// The method of the intervals.
    pub method: Method,
    /// The smallest entity that counts as a point, in mentions.
    pub smallest: u32,
    /// The correlations.
    pub rows: Vec<CorrelationRow>,
    /// The differences between the control and CONE.
    pub closer: Vec<Closer>,
    /// The named entities that each system misses or groups wrongly.
    pub errors: Vec<NamedErrors>,
}

/// The fields of a method that the intervals depend on.
pub const CONE_CORRELATION_METHOD: &[&str] = &["unit", "confidence"];

impl ConeCorrelationReport {
    /// Returns the settings that the results depend on, in one line.
    pub fn signature(&self) -> String {
        let metrics = Metric::all_and_named().concat();
        let smallest = match self.smallest {
            0 | 1 => String::new(),
            least => format!("|smallest:{least}"),
        };
        let method = self.method.signature_for(&[MethodConcern::All]);
        signature(&self.settings, &self.format, &metrics) + &method + &smallest
    }

    /// Returns the name of the points of a row.
    pub fn points(&self, points: Points) -> String {
        let name = |system: usize| self.systems.get(system).map_or("", |system| system.0.as_str());
        match points {
            Points::Documents(system) => format!("documents of {}", name(system)),
            Points::AllDocuments => "documents of all".to_owned(),
            Points::Entities(system) => format!("entities of {}", name(system)),
            Points::AllEntities => "entities of all".to_owned(),
        }
    }
}
