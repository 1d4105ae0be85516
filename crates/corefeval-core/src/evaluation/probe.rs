//! Probes metrics: scores a response and its known transformations.

use crate::wording::option;
use crate::wording::text;
use std::sync::Arc;

use crate::error::{Error, ErrorKind, Result};
use crate::metrics::Metric;
use crate::model::Side;
use crate::model::{Corpus, DocumentBuilder, DocumentId, Words};
use crate::probe;
use crate::profiles::Profile;
use crate::results::{Report, SystemReport};

use super::reading::Reading;
use super::{Evaluation, Joined, Names, add_format, formats_of, nothing};

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
        let refuse = |hint: &str| {
            let error = Error::new(ErrorKind::Settings, "a probe requires one key and one response");
            Err(error.hint(hint))
        };
        let Some((key, [named])) = self.one_key(&before) else {
            return refuse("probe responses and pairs of files one by one, each given as a path");
        };
        if let Some(by) = self.request.by {
            let error = Error::new(ErrorKind::Settings, format!("a probe has no scores by {}", by.id()));
            return Err(error.hint(text!("leave out {}", option("by"))));
        }
        let reading = Reading::new(self, &before);
        let loaded = reading.read_all(&[(&key.input, Side::Key), (&named.input, Side::Response)])?;
        let [(key_corpus, key_format), (response, response_format)] = loaded.as_slice() else {
            return Err(nothing());
        };
        let mut task = self.task(key_format)?;
        let mut diagnostics = key_corpus.diagnostics.clone();
        // Transformed documents contain only entities, so metrics must support a document without other annotation.
        let id = DocumentId::new("result of a transformation");
        let bare = DocumentBuilder::new(id, Arc::from(named.path.as_str()), 0).finish(Words::default())?;
        let bare = Corpus { documents: vec![bare], alignment: response.alignment, ..Corpus::default() };
        let names = [key_corpus, response];
        self.settle(&mut task, &formats_of(&loaded), &[&bare], Names::of(&names), &mut diagnostics)?;
        let mut own = response.diagnostics.clone();
        let sides = [(&key.input, key_corpus), (&named.input, response)];
        let pairs = reading.pair(&task.settings, sides, &mut own)?;
        let joined = Joined::new(pairs, &task.settings, &mut own)?;
        let systems = probe::probe(&joined.pairs(), &task, &mut own)?
            .into_iter()
            .map(|system| SystemReport { key: key.path.clone(), response: named.path.clone(), ..system });
        let systems = systems.collect();
        diagnostics.merge(own);
        self.refuse_warnings(&diagnostics)?;
        let mut format = key_format.id.to_owned();
        add_format(&mut format, response_format);
        Ok(Report { settings: task.settings, format, diagnostics, systems, averages: Vec::new() })
    }
}
