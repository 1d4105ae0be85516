//! One key and its responses: the steps shared by tasks on such inputs.

use std::sync::Arc;

use crate::diagnostic::Diagnostics;
use crate::error::Result;
use crate::input::Input;
use crate::model::{Document, Side};
use crate::pairing::DocumentPair;
use crate::settings::Settings;

use super::reading::{Loaded, Reading};
use super::request::NamedInput;
use super::{add_format, nothing};

/// Returns the inputs, the key first.
pub(super) fn sides<'i>(key: &'i NamedInput, responses: &'i [NamedInput]) -> Vec<(&'i Input, Side)> {
    let responses = responses.iter().map(|response| (&response.input, Side::Response));
    std::iter::once((&key.input, Side::Key)).chain(responses).collect()
}

/// A key and its responses, read.
pub(super) struct OneKey<'e> {
    pub key: &'e NamedInput,
    pub responses: &'e [NamedInput],
    /// The corpora that were read, the key first.
    pub loaded: &'e [Loaded],
}

impl<'e> OneKey<'e> {
    /// Pairs the documents of each response with the key's and passes them to `task`, with the findings about the
    /// response. Returns the formats that were read.
    pub(super) fn each(
        &self,
        reading: &Reading<'_>,
        settings: &Settings,
        diagnostics: &mut Diagnostics,
        mut task: impl FnMut(&NamedInput, Vec<DocumentPair<'e>>, &mut Diagnostics) -> Result<()>,
    ) -> Result<String> {
        let Some(((key, key_format), loaded)) = self.loaded.split_first() else { return Err(nothing()) };
        let mut formats = key_format.id.to_owned();
        for (named, (response, format)) in self.responses.iter().zip(loaded) {
            add_format(&mut formats, format);
            let mut own = response.diagnostics.clone();
            let sides = [(&self.key.input, key), (&named.input, response)];
            let pairs = reading.pair(settings, sides, &mut own)?;
            task(named, pairs, &mut own)?;
            let inputs = [(&self.key.input, *key_format), (&named.input, *format)];
            reading.ends_options(inputs).name_in(&mut own);
            if self.responses.len() > 1 {
                name_findings(&mut own, &named.name, &key.documents);
            }
            diagnostics.merge(own);
        }
        Ok(formats)
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
