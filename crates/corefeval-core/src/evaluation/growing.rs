//! Reports on a growing list of documents from a program. Each report processes only the documents that the previous
//! one lacked.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::diagnostic::Diagnostics;
use crate::error::Result;
use crate::formats::FormatSpec;
use crate::input::Input;
use crate::model::{Corpus, Document, DocumentId, Side};
use crate::results::Report;
use crate::score::{Past, score_pairs_after};
use crate::settings::{Align, NamedSource, Scope};
use crate::{alignment, metrics, named, pairing};

use super::annotated::warn_if_empty;
use super::one_key::ScoredResponse;
use super::reading::{Reading, pairing_rules};
use super::request::NamedInput;
use super::{Evaluation, NameSources, check_names};

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
    documents: Vec<Arc<Document>>,
    ids: FxHashSet<DocumentId>,
    /// The warnings about documents without mentions.
    empty: Diagnostics,
    /// The sources of names in the first `searched` documents.
    sources: Vec<NamedSource>,
    searched: usize,
}

/// The documents of an input from a program.
#[derive(Clone, Copy)]
struct ProgramDocuments<'i> {
    documents: &'i [Arc<Document>],
    findings: &'i Diagnostics,
    format: &'static FormatSpec,
}

impl<'i> ProgramDocuments<'i> {
    /// Returns the documents of an input, unless it is a file.
    fn of(named: &'i NamedInput) -> Option<ProgramDocuments<'i>> {
        match &named.input {
            Input::Documents { documents, findings, format, .. } => {
                Some(ProgramDocuments { documents, findings, format })
            }
            Input::Path(_) | Input::Bytes { .. } => None,
        }
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
        let known = documents.get(..self.documents.len());
        known.is_some_and(|known| {
            known.iter().zip(&self.documents).all(|(one, other)| Arc::ptr_eq(one, other))
        })
    }

    /// Adds the remaining documents. Returns whether all ids are unique; otherwise adds nothing.
    fn extend(&mut self, documents: &[Arc<Document>], side: Side) -> bool {
        let new = &documents[self.documents.len()..];
        let ids: FxHashSet<DocumentId> = new.iter().map(|document| document.id().clone()).collect();
        if ids.len() < new.len() || ids.iter().any(|id| self.ids.contains(id)) {
            return false;
        }
        new.iter().for_each(|document| warn_if_empty(document, Some(side), &mut self.empty));
        self.documents.extend_from_slice(new);
        self.ids.extend(ids);
        true
    }

    /// Returns the documents.
    fn all(&self) -> Vec<&Document> {
        self.documents.iter().map(|document| &**document).collect()
    }

    /// Returns the sources of names that any document has.
    fn sources(&mut self) -> &[NamedSource] {
        named::add_sources(
            &mut self.sources,
            self.documents[self.searched..].iter().map(|document| &**document),
        );
        self.searched = self.documents.len();
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
        let (Some(ours), Some(theirs)) = (ProgramDocuments::of(key), ProgramDocuments::of(response)) else {
            return self.score();
        };
        let formats = [ours.format, theirs.format];
        let mut task = self.task(ours.format)?;
        let reading = Reading::new(self, &before);
        let have_words = formats.iter().all(|format| format.traits().has_words);
        let aligns = have_words && reading.needs_alignment(&Corpus::default());
        if self.request.names.is_some() || task.settings.scope != Scope::Document || aligns {
            return self.score();
        }
        if !growing.key.is_continued_by(ours.documents) || !growing.response.is_continued_by(theirs.documents)
        {
            *growing = Growing::default();
        }
        let Growing { key: of_key, response: of_response, past } = growing;
        let unique =
            of_key.extend(ours.documents, Side::Key) && of_response.extend(theirs.documents, Side::Response);
        if !unique {
            return self.score();
        }

        let sources = match metrics::need_names(&task.settings, &task.metrics) {
            true => [of_key.sources(), of_response.sources()].concat(),
            false => Vec::new(),
        };
        let (key_documents, documents) = (of_key.all(), of_response.all());
        let all = [&key_documents[..], &documents[..]].concat();
        let names = NameSources { first: all.first().copied(), sources: Box::new(|| sources) };
        let mut diagnostics = ours.findings.clone();
        diagnostics.merge(of_key.empty.clone());
        alignment::note(&mut task.settings, None);
        self.request.warn_of_unused_fields(&[], "scores", &mut diagnostics);
        self.settle_for(&mut task, (&formats, false), &all, names, &mut diagnostics)?;
        if !have_words {
            task.settings.align = Align::default();
        }

        let mut own = theirs.findings.clone();
        own.merge(of_response.empty.clone());
        let settings = &task.settings;
        let rules = pairing_rules(settings, &key.input);
        let pairs = pairing::pair_documents(rules, &key_documents, &documents, &mut own)?;
        past.check(&pairs, settings, &mut own)?;
        let system = score_pairs_after(past, &pairs, &task, &mut own)?;
        check_names(&system)?;
        let found = (diagnostics, &BTreeSet::new());
        let scored = vec![ScoredResponse { response, format: theirs.format, own, system }];
        self.report_of(&reading, (key, ours.format), task.settings, found, scored)
    }
}
