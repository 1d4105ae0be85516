//! Views of documents with the mentions of key and responses side by side.

use crate::analysis::{AnalysisTask, DocumentView, ErrorReport, Tree, Viewer, applied_settings};
use crate::diagnostic::Diagnostics;
use crate::error::{Error, ErrorKind, Result};
use crate::pairing::DocumentPair;
use crate::score::warn_of_few_spans_shared;
use crate::settings::{Scope, Settings};
use crate::suggest::nearest;
use crate::wording::{plural, switch, text};

use super::Evaluation;
use super::errors::Errors;
use super::one_key::{Done, sides};
use super::reading::Reading;
use super::request::check_system_names;

/// The task, in warnings about options without effect.
const SHOWN: &str = "documents that are shown";

/// Views of documents.
#[derive(Debug)]
pub struct DocumentViews {
    /// The names of the systems.
    pub systems: Vec<String>,
    /// A view of each document, in the order of the key.
    pub views: Vec<DocumentView>,
    /// The findings.
    pub diagnostics: Diagnostics,
}

impl Evaluation {
    /// Shows the mentions of key and responses in each document, or in the documents with this id, or with this name and
    /// any part. Types of mentions are those of an analysis with the same language and rule.
    ///
    /// # Errors
    ///
    /// The errors of reading the inputs and of pairing their documents. The key does not have the document.
    pub fn show(&self, document: Option<&str>, errors: &Errors) -> Result<DocumentViews> {
        let before = self.request.settings(self.request.key_format.map(|spec| spec.id))?;
        self.request.check_span_ends(&before)?;
        let Some((key, responses)) = self.one_key(&before) else {
            let error = Error::new(ErrorKind::Settings, "documents are shown with a single key");
            return Err(error.hint(text!("leave out {}", switch("pair-files"))));
        };
        check_system_names(responses.iter().map(|response| response.name.as_str()))?;
        let reading = Reading::new(self, &before).with_layers_to_show(&before);
        let loaded = self.kept(reading.read_all(&sides(key, responses))?);
        let one_key = self.settled(&reading, (key, responses), &loaded, |task, diagnostics| {
            task.metrics.clear();
            let applied = Settings { scope: Scope::Document, ..applied_settings(&task.settings) };
            self.apply(&mut task.settings, applied, SHOWN, diagnostics);
            self.request.warn_of_unused_fields(&ErrorReport::CHOICES, SHOWN, diagnostics);
            Ok(())
        })?;
        let Done { task, diagnostics, systems, .. } = one_key.each(|_, _, pairs, own| {
            warn_of_few_spans_shared(&pairs, own);
            Ok(pairs)
        })?;
        let task = AnalysisTask {
            settings: task.settings,
            metrics: Vec::new(),
            tree: Tree::default(),
            language: errors.language,
            types: errors.types,
            examples: 0,
            rows: false,
            compared: false,
            threads: task.threads,
        };
        let viewer = Viewer::new(systems.first().map_or(&[], Vec::as_slice), &task);
        let mut views = Vec::new();
        for place in 0..systems.first().map_or(0, Vec::len) {
            let pairs: Vec<DocumentPair<'_>> = systems.iter().map(|pairs| pairs[place]).collect();
            let id = pairs[0].key.id();
            if document.is_none_or(|wanted| id.is_called(wanted)) {
                views.extend(viewer.view(&pairs));
            }
        }
        if let (Some(wanted), true) = (document, views.is_empty()) {
            let documents = loaded[0].0.documents.iter();
            let ids: Vec<String> = documents.map(|document| document.id().to_string()).collect();
            return Err(no_document(ErrorKind::Pairing, wanted, ids.iter().map(String::as_str)));
        }
        let systems = responses.iter().map(|response| response.name.clone()).collect();
        Ok(DocumentViews { systems, views, diagnostics })
    }
}

/// Returns the error that the key has no document with this id.
pub(super) fn no_document<'i>(
    kind: ErrorKind,
    wanted: &str,
    ids: impl ExactSizeIterator<Item = &'i str> + Clone,
) -> Error {
    let error = Error::new(kind, format!("the key has no document `{wanted}`"));
    let count = plural(ids.len(), "document", "documents");
    match (nearest(wanted, ids.clone()), ids.clone().next()) {
        (Some(near), _) => error.hint(format!("did you mean `{near}`?")),
        (None, Some(first)) => error.hint(format!("the first of its {count} is `{first}`")),
        (None, None) => error,
    }
}
