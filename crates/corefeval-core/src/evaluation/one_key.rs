//! One key and its responses: the steps shared by tasks on such inputs.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::diagnostic::Diagnostics;
use crate::error::Result;
use crate::formats::FormatSpec;
use crate::input::Input;
use crate::model::{Document, Side};
use crate::pairing::DocumentPair;
use crate::results::{Report, SystemReport};
use crate::score::Task;
use crate::settings::Settings;

use super::reading::{Loaded, Reading};
use super::request::NamedInput;
use super::{Evaluation, NameSources, add_format, corpora, formats_of, nothing};

/// Returns the inputs, the key first.
pub(super) fn sides<'i>(key: &'i NamedInput, responses: &'i [NamedInput]) -> Vec<(&'i Input, Side)> {
    let responses = responses.iter().map(|response| (&response.input, Side::Response));
    std::iter::once((&key.input, Side::Key)).chain(responses).collect()
}

/// A key and its responses, read, with the settings that follow from them.
pub(super) struct OneKey<'e> {
    pub evaluation: &'e Evaluation,
    pub reading: &'e Reading<'e>,
    pub key: &'e NamedInput,
    pub responses: &'e [NamedInput],
    /// The corpora that were read, the key first.
    pub loaded: &'e [Loaded],
    pub task: Task,
    /// The findings about the key and the settings.
    pub diagnostics: Diagnostics,
}

/// The result of a task for each response, with everything that its report names.
pub(super) struct Done<T> {
    pub task: Task,
    /// The formats that were read.
    pub format: String,
    pub diagnostics: Diagnostics,
    pub systems: Vec<T>,
}

impl Done<SystemReport> {
    /// The report of the scores.
    pub(super) fn report(self) -> Report {
        Report::new(self.task.settings, self.format, self.diagnostics, self.systems)
    }
}

impl Evaluation {
    /// Determines the settings for a key and its responses, which were read; `change` adapts the task before that.
    pub(super) fn settled<'e>(
        &'e self,
        reading: &'e Reading<'e>,
        (key, responses): (&'e NamedInput, &'e [NamedInput]),
        loaded: &'e [Loaded],
        change: impl FnOnce(&mut Task, &mut Diagnostics) -> Result<()>,
    ) -> Result<OneKey<'e>> {
        let Some(((key_corpus, key_format), others)) = loaded.split_first() else { return Err(nothing()) };
        let (mut task, mut diagnostics) = (self.task(key_format)?, key_corpus.diagnostics.clone());
        change(&mut task, &mut diagnostics)?;
        let corpora = corpora(key_corpus, others);
        self.settle(&mut task, &formats_of(loaded), &corpora, NameSources::of(&corpora), &mut diagnostics)?;
        Ok(OneKey { evaluation: self, reading, key, responses, loaded, task, diagnostics })
    }

    /// The report of responses that were scored one by one, whose own findings are added to those about the key and the
    /// settings. `key_files` are the files of the key's documents.
    pub(super) fn report_of(
        &self,
        reading: &Reading<'_>,
        (key, key_format): (&NamedInput, &FormatSpec),
        settings: Settings,
        (mut diagnostics, key_files): (Diagnostics, &BTreeSet<Arc<str>>),
        scored: Vec<ScoredResponse<'_>>,
    ) -> Result<Report> {
        let (several, mut formats, mut systems) = (scored.len() > 1, key_format.id.to_owned(), Vec::new());
        for ScoredResponse { response, format, mut own, mut system } in scored {
            name_system([&mut system.name, &mut system.key, &mut system.response], key, response);
            reading.ends_options([(&key.input, key_format), (&response.input, format)]).name_in(&mut own);
            if several {
                own.name_system(&system.name, key_files);
            }
            diagnostics.merge(own);
            add_format(&mut formats, format);
            systems.push(system);
        }
        self.refuse_warnings(&diagnostics)?;
        Ok(Report::new(settings, formats, diagnostics, systems))
    }
}

/// A response that was scored, before its report names it.
pub(super) struct ScoredResponse<'e> {
    pub response: &'e NamedInput,
    pub format: &'static FormatSpec,
    /// The findings about the response.
    pub own: Diagnostics,
    pub system: SystemReport,
}

impl<'e> OneKey<'e> {
    /// Pairs the documents of each response with those of the key and passes them to `work`, with the findings about
    /// the response.
    pub(super) fn each<T>(
        self,
        mut work: impl FnMut(&Task, &NamedInput, Vec<DocumentPair<'e>>, &mut Diagnostics) -> Result<T>,
    ) -> Result<Done<T>> {
        let OneKey { evaluation, reading, key, responses, loaded, task, mut diagnostics } = self;
        let Some(((key_corpus, key_format), loaded)) = loaded.split_first() else { return Err(nothing()) };
        let (mut formats, mut systems) = (key_format.id.to_owned(), Vec::new());
        for (named, (response, format)) in responses.iter().zip(loaded) {
            add_format(&mut formats, format);
            let mut own = response.diagnostics.clone();
            let sides = [(&key.input, key_corpus), (&named.input, response)];
            let pairs = reading.pair(&task.settings, sides, &mut own)?;
            systems.push(work(&task, named, pairs, &mut own)?);
            let inputs = [(&key.input, *key_format), (&named.input, *format)];
            reading.ends_options(inputs).name_in(&mut own);
            if responses.len() > 1 {
                name_findings(&mut own, &named.name, &key_corpus.documents);
            }
            diagnostics.merge(own);
        }
        evaluation.refuse_warnings(&diagnostics)?;
        Ok(Done { task, format: formats, diagnostics, systems })
    }
}

/// Names the system in its findings, except in findings about the key's documents.
pub(super) fn name_findings<'d>(
    found: &mut Diagnostics,
    system: &str,
    key: impl IntoIterator<Item = &'d Document>,
) {
    if !found.is_empty() {
        let files = key.into_iter().map(|document| Arc::clone(document.source())).collect();
        found.name_system(system, &files);
    }
}

/// Sets the name of a system and the paths of its key and response.
pub(super) fn name_system(
    [name, key, response]: [&mut String; 3],
    of_key: &NamedInput,
    of_response: &NamedInput,
) {
    name.clone_from(&of_response.name);
    key.clone_from(&of_key.path);
    response.clone_from(&of_response.path);
}
