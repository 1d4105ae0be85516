//! Statistics of corpora, separately for each input.

use crate::diagnostic::Diagnostics;
use crate::error::{Error, ErrorKind, Result};
use crate::groups::{by_documents, name_of};
use crate::input::Input;
use crate::model::Side;
use crate::pairing::DocumentPair;
use crate::reports::stats::{CorpusReport, StatsReport};
use crate::stats::CorpusStats;

use super::one_key::name_findings;
use super::reading::Reading;
use super::request::Inputs;
use super::{Evaluation, add_format};

/// The options for corpus statistics.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Stats {
    /// True to read the response instead of the key, in formats that have both in one file.
    pub response: bool,
}

impl Evaluation {
    /// Counts the contents of each input and, if groups of documents were requested, of each group. The request must
    /// not have a key.
    ///
    /// ```
    /// use corefeval_core::evaluation::{Evaluation, Inputs, NamedInput, Request, Stats};
    /// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/key.conll");
    /// let request = Request::new(Inputs::NoKey(vec![NamedInput::open(path)?]));
    /// let report = Evaluation::new(request)?.stats(&Stats::default())?;
    /// assert_eq!((report.corpora[0].stats.mentions, report.corpora[0].stats.singletons), (137, 34));
    /// # Ok::<(), corefeval_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of reading the inputs.
    pub fn stats(&self, stats: &Stats) -> Result<StatsReport> {
        let Inputs::NoKey(inputs) = &self.request.inputs else {
            return Err(Error::new(
                ErrorKind::Settings,
                "statistics describe each file separately and do not use a key",
            ));
        };
        let by = self.request.by;
        if let Some(by) = by.filter(|by| by.is_of_mentions()) {
            let message = format!("statistics are computed for groups of documents, not by {}", by.id());
            return Err(Error::new(ErrorKind::Settings, message).hint(by_documents()));
        }
        let reading = Reading::new(self, &self.settings_before()?).with_layers();
        let side = if stats.response { Side::Response } else { Side::Key };
        let wanted: Vec<(&Input, Side)> = inputs.iter().map(|named| (&named.input, side)).collect();
        let loaded = self.kept(reading.read_all(&wanted)?);
        let mut diagnostics = Diagnostics::default();
        let mut formats = String::new();
        let mut corpora = Vec::new();
        for (named, (corpus, format)) in inputs.iter().zip(loaded.iter()) {
            let mut found = corpus.diagnostics.clone();
            if inputs.len() > 1 {
                name_findings(&mut found, &named.name, []);
            }
            diagnostics.merge(found);
            match formats.is_empty() {
                true => formats = format.id.to_owned(),
                false => add_format(&mut formats, format),
            }
            let pairs: Vec<DocumentPair<'_>> =
                corpus.documents.iter().map(|key| DocumentPair { key, response: None }).collect();
            let groups = by.map(|by| by.groups(&pairs)).transpose()?.unwrap_or_default();
            let of_group =
                |places: Vec<usize>| CorpusStats::of(places.into_iter().map(|place| pairs[place].key));
            corpora.push(CorpusReport {
                name: named.name.clone(),
                path: named.path.clone(),
                format: format.id.to_owned(),
                stats: CorpusStats::of(&corpus.documents),
                groups: groups
                    .into_iter()
                    .map(|(labels, places)| (name_of(&labels), of_group(places)))
                    .collect(),
            });
        }
        self.refuse_warnings(&diagnostics)?;
        let settings = self.request.settings(loaded.first().map(|loaded| loaded.1.id))?;
        Ok(StatsReport { settings, format: formats, diagnostics, by, corpora })
    }
}
