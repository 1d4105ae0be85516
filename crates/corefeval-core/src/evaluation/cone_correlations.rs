//! Correlation of CONE with B³ and CEAF over all mentions.

use crate::cone::correlations::{check_settings, correlate};
use crate::diagnostic::{Code, Diagnostics};
use crate::error::{Error, ErrorKind, Result};
use crate::heuristics::Heuristics;
use crate::reports::cone_correlation::{CONE_CORRELATION_METHOD, ConeCorrelationReport};
use crate::significance::{FEW_DOCUMENTS, Method, ResamplingUnits};
use crate::wording::{switch, text};

use super::cone::Cone;
use super::options::no_effect;
use super::request::{Inputs, NamedInput, check_system_names};
use super::systems::{PairedSystems, SystemOptions};
use super::{Evaluation, Joined, TaskKind};

/// The options for correlating CONE with the full metrics.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConeCorrelate {
    /// The heuristics for clustering names in the key made from names; by default those of the settings, or all.
    pub heuristics: Option<Heuristics>,
    /// The smallest entity that counts as a point, in mentions.
    pub smallest: u32,
    /// The method of the intervals, with the fields in [`ConeCorrelate::METHOD`].
    pub method: Method,
}

impl Default for ConeCorrelate {
    fn default() -> ConeCorrelate {
        ConeCorrelate { heuristics: None, smallest: 1, method: Method::default() }
    }
}

impl ConeCorrelate {
    /// The fields of a method that the intervals depend on.
    pub const METHOD: &'static [&'static str] = CONE_CORRELATION_METHOD;
}

impl Evaluation {
    /// Correlates CONE with B³ and CEAF over all mentions, for documents and for entities (Lin et al. 2010). CONE uses
    /// the names of the key, a key made from the names of the text, or the mentions that are not named.
    ///
    /// # Errors
    ///
    /// The errors of reading the inputs and of pairing their documents. The request has metrics or groups.
    pub fn cone_correlations(&self, asked: &ConeCorrelate) -> Result<ConeCorrelationReport> {
        self.require_exact()?;
        for (name, given) in [("metrics", self.request.has_metrics()), ("by", self.request.by.is_some())] {
            if given {
                let hint = "leave it out: the correlations have fixed metrics and no groups";
                return Err(no_effect(name, "the correlations of CONE").hint(hint));
            }
        }
        if matches!(self.request.inputs, Inputs::NoKey(_)) {
            let message = "CONE is correlated with scores on a key, but there is no key";
            return Err(Error::new(ErrorKind::Settings, message)
                .hint(text!("give a key instead of {}", switch("key-approximate"))));
        }
        let evaluation = self.of(self.request.clone().for_metrics(&Cone::metrics()));
        let before = |responses: &[NamedInput]| {
            check_system_names(responses.iter().map(|response| response.name.as_str()))
        };
        evaluation.with_systems(TaskKind::Cone, &SystemOptions::default(), before, |read| {
            let PairedSystems { mut task, mut diagnostics, format, systems, .. } = read;
            check_settings(&task.settings)?;
            let used = [ConeCorrelate::METHOD, &["smallest"]].concat();
            self.request.warn_of_unused_fields(&used, "the correlations of CONE", &mut diagnostics);
            let heuristics = asked.heuristics.or(self.request.heuristics_of_signature()).unwrap_or_default();
            task.settings.key_approximate = Some(heuristics);
            let key = systems.first().map(|system| system.key.clone()).unwrap_or_default();
            let names: Vec<(String, String)> =
                systems.iter().map(|system| (system.name.clone(), system.response.clone())).collect();
            let joined = systems
                .into_iter()
                .map(|system| Joined::new(system.pairs, &task.settings, &mut diagnostics))
                .collect::<Result<Vec<_>>>()?;
            let pairs: Vec<_> = joined.iter().map(Joined::pairs).collect();
            let documents = pairs.first().map_or(0, |pairs| pairs.len());
            let unit = asked.method.unit;
            let of_key = pairs.first().map_or(&[][..], Vec::as_slice);
            let units = ResamplingUnits::of(of_key, unit, &mut diagnostics)?;
            if units.number() < FEW_DOCUMENTS {
                diagnostics.add(Code::FewDocuments, None, None, || {
                    format!("correlations and their intervals come from {}", units.described(unit))
                });
            }
            let mut own = Diagnostics::default();
            let mut found = correlate(
                &pairs,
                &task,
                heuristics,
                asked.smallest,
                (&units, asked.method.confidence),
                &mut own,
            )?;
            joined.iter().zip(&mut found.sizes).for_each(|(joined, sizes)| joined.count_texts(sizes));
            diagnostics.merge(own);
            self.refuse_warnings(&diagnostics)?;
            Ok(ConeCorrelationReport {
                settings: task.settings,
                format,
                diagnostics,
                key,
                systems: names,
                sizes: found.sizes,
                documents,
                units: units.number(),
                method: asked.method,
                smallest: asked.smallest,
                rows: found.rows,
                closer: found.closer,
                errors: found.errors,
            })
        })
    }
}
