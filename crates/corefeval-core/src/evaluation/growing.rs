//! Reports on a growing list of documents from a program. Each report processes only the documents that the previous
//! one lacked.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use rustc_hash::FxHashSet;

use crate::error::Result;
use crate::formats::FormatSpec;
use crate::input::Input;
use crate::metrics;
use crate::model::{Corpus, Document, DocumentId, Side};
use crate::named;
use crate::pairing;
use crate::results::Report;
use crate::score::{Past, score_pairs_after};
use crate::settings::{NamedSource, Scope};

use super::reading::Reading;
use super::request::NamedInput;
use super::{Evaluation, Names, check_names};

/// The already scored documents of a key and a response, with their counts; see [`Evaluation::score_after`].
#[derive(Clone, Debug, Default)]
pub struct Growing {
    key: Grown,
    response: Grown,
    past: Past,
}

/// The documents of one side.
#[derive(Clone, Debug, Default)]
struct Grown {
    /// The documents as given, to recognise them.
    given: Vec<Arc<Document>>,
    /// The documents as read, with the findings about them.
    corpus: Corpus,
    ids: FxHashSet<DocumentId>,
    /// The sources of names in the first `searched` documents.
    sources: Vec<NamedSource>,
    searched: usize,
}

/// Returns the documents of an input and their format, if they are from a program.
fn given(named: &NamedInput) -> Option<(&[Arc<Document>], &'static FormatSpec)> {
    match &named.input {
        Input::Documents { documents, format, .. } => Some((documents, format)),
        Input::Path(_) | Input::Bytes { .. } => None,
    }
}

impl Growing {
    /// Returns the number of documents with counts.
    pub fn documents(&self) -> usize {
        self.past.documents()
    }
}

impl Grown {
    /// Returns whether `documents` starts with the documents added before.
    fn is_continued_by(&self, documents: &[Arc<Document>]) -> bool {
        let known = documents.get(..self.given.len());
        known.is_some_and(|known| known.iter().zip(&self.given).all(|(one, other)| Arc::ptr_eq(one, other)))
    }

    /// Adds the remaining documents. Returns whether all ids are unique; otherwise adds nothing.
    fn extend(
        &mut self,
        reading: &Reading<'_>,
        documents: &[Arc<Document>],
        format: &'static FormatSpec,
        side: Side,
    ) -> Result<bool> {
        let new = &documents[self.given.len()..];
        let ids: FxHashSet<DocumentId> = new.iter().map(|document| document.id().clone()).collect();
        if ids.len() < new.len() || ids.iter().any(|id| self.ids.contains(id)) {
            return Ok(false);
        }
        if new.is_empty() {
            return Ok(true);
        }
        let input = Input::Documents { name: Arc::from(side.label()), documents: new.into(), format };
        let (read, _) = reading.read_one(&input, side, &AtomicU64::new(0))?;
        self.corpus.diagnostics.merge(read.diagnostics);
        self.corpus.documents.extend(read.documents);
        self.given.extend_from_slice(new);
        self.ids.extend(ids);
        Ok(true)
    }

    /// Returns the sources of names that any document has.
    fn sources(&mut self) -> &[NamedSource] {
        named::add_sources(&mut self.sources, &self.corpus.documents[self.searched..]);
        self.searched = self.corpus.documents.len();
        &self.sources
    }
}

impl Evaluation {
    /// Like [`score`](Self::score), with the same report, for a list of documents from a program that has grown at its
    /// end since the last call. `growing` contains the counts of earlier documents, and receives those of the new ones.
    ///
    /// All documents are scored again if there are several responses, texts are aligned, documents are joined, or a
    /// file of names labels the mentions.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use corefeval_core::evaluation::{Evaluation, Growing, Inputs, NamedInput, Request};
    /// use corefeval_core::formats::{FormatSpec, ReadOptions};
    /// use corefeval_core::model::Document;
    ///
    /// let conll = FormatSpec::named("conll")?;
    /// let read = |path: &str| -> Result<Vec<Arc<Document>>, Box<dyn std::error::Error>> {
    ///     let corpus = conll.read(&std::fs::read(path)?[..], path, ReadOptions::default())?;
    ///     Ok(corpus.documents.into_iter().map(Arc::new).collect())
    /// };
    /// let (key, response) = (read("../../examples/key.conll")?, read("../../examples/alder.conll")?);
    /// let of = |count: usize| {
    ///     let key = NamedInput::documents("key", key[..count].to_vec(), conll);
    ///     let responses = vec![NamedInput::documents("alder", response[..count].to_vec(), conll)];
    ///     Evaluation::new(Request::new(Inputs::OneKey { key, responses }))
    /// };
    /// let mut growing = Growing::default();
    /// of(1)?.score_after(&mut growing)?;
    /// let report = of(key.len())?.score_after(&mut growing)?;
    /// assert_eq!(growing.documents(), key.len());
    /// let whole = of(key.len())?.score()?;
    /// assert_eq!(report.systems[0].results[0].score, whole.systems[0].results[0].score);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`score`](Self::score).
    pub fn score_after(&self, growing: &mut Growing) -> Result<Report> {
        let before = self.settings_before()?;
        let Some((key, [response])) = self.one_key(&before) else { return self.score() };
        let (Some((ours, key_format)), Some((theirs, format))) = (given(key), given(response)) else {
            return self.score();
        };
        let mut task = self.task(key_format)?;
        let reading = Reading::new(self, &before);
        let labelled = self.request.names.is_some();
        if labelled || task.settings.scope != Scope::Document || reading.needs_alignment(&Corpus::default()) {
            return self.score();
        }
        if !growing.key.is_continued_by(ours) || !growing.response.is_continued_by(theirs) {
            *growing = Growing::default();
        }
        let Growing { key: of_key, response: of_response, past } = growing;
        let unique = of_key.extend(&reading, ours, key_format, Side::Key)?
            && of_response.extend(&reading, theirs, format, Side::Response)?;
        if !unique {
            return self.score();
        }

        let sources = match metrics::need_names(&task.settings, &task.metrics) {
            true => [of_key.sources(), of_response.sources()].concat(),
            false => Vec::new(),
        };
        let (key_corpus, corpus) = (&of_key.corpus, &of_response.corpus);
        let corpora = [key_corpus, corpus];
        let first = corpora.iter().flat_map(|corpus| &corpus.documents).next();
        let names = Names { first, sources: Box::new(|| sources) };
        let mut diagnostics = key_corpus.diagnostics.clone();
        self.settle(&mut task, &[key_format, format], &corpora, names, &mut diagnostics)?;

        let mut own = corpus.diagnostics.clone();
        let settings = &task.settings;
        let rules = (settings.pair_documents, settings.missing_documents);
        let pairs = pairing::pair_by(rules, key_corpus, corpus, &mut own)?;
        past.check(&pairs, settings, |_, _| (), &mut own)?;
        let system = score_pairs_after(past, &pairs, &task, &mut own)?;
        check_names(&system)?;
        let inputs = [(key, key_format), (response, format)];
        self.report_of_one(&reading, inputs, task.settings, [diagnostics, own], system)
    }
}
