//! Probes metrics: scores a response and its known transformations.

use std::sync::Arc;

use crate::error::{Error, ErrorKind, Result};
use crate::metrics::Metric;
use crate::model::{DocumentBuilder, DocumentId, Words};
use crate::probe;
use crate::profiles::Profile;
use crate::results::{Report, SystemReport};

use super::one_key::{Done, sides};
use super::reading::Reading;
use super::{Evaluation, Joined};

/// Returns the profile for a probe's default metrics.
pub fn probe_profile() -> &'static Profile {
    Profile::for_format("conll")
}

impl Evaluation {
    /// Scores one response unchanged and after each transformation, one row each.
    ///
    /// # Errors
    ///
    /// The errors of reading the inputs and of pairing their documents. The request has more than one response.
    pub fn probe(&self) -> Result<Report> {
        self.require_exact()?;
        let evaluation = self.of(self.request.clone().or_metrics(&Metric::of_profile(probe_profile())?));
        evaluation.probe_metrics()
    }

    fn probe_metrics(&self) -> Result<Report> {
        let before = self.settings_before()?;
        let Some((key, responses @ [response])) = self.one_key(&before) else {
            let error = Error::new(ErrorKind::Settings, "a probe requires one key and one response");
            return Err(error.hint("probe responses and pairs of files one by one, each given as a path"));
        };
        self.refuse_groups("a probe")?;
        let reading = Reading::new(self, &before);
        let loaded = reading.read_all(&sides(key, responses))?;
        // Transformed documents contain only entities, so metrics must support a document without other annotation.
        let id = DocumentId::new("result of a transformation");
        let bare = DocumentBuilder::new(id, Arc::from(response.path.as_str()), 0).finish(Words::default())?;
        let one_key = self.settled(&reading, (key, responses), &loaded, |task, diagnostics| {
            self.request.warn_of_unused_fields(&[], "scores", diagnostics);
            self.keep_possible(&mut task.metrics, &[&bare], diagnostics)
        })?;
        let Done { task, format, diagnostics, systems } = one_key.each(|task, _, pairs, own| {
            let joined = Joined::new(pairs, &task.settings, own)?;
            probe::probe(&joined.pairs(), task, own)
        })?;
        let of_files = |system: SystemReport| {
            let (key, response) = (key.path.clone(), response.path.clone());
            SystemReport { key, response, ..system }
        };
        let systems = systems.into_iter().flatten().map(of_files).collect();
        Ok(Report::new(task.settings, format, diagnostics, systems))
    }
}
