//! Prompts: the texts of a key, each with instructions for a language model.

use crate::diagnostic::Diagnostics;
use crate::error::{Error, ErrorKind, Result};
use crate::formats::{ReadOptions, file_names};
use crate::prompt::{Prompt, PromptSpec};

use super::Evaluation;
use super::request::Inputs;

/// The prompts for the documents of a key.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Prompts {
    /// The prompt of each document, with the name of a file for it, without extension.
    pub prompts: Vec<(String, Prompt)>,
    /// Findings about the key, and about annotation that no answer can represent.
    pub diagnostics: Diagnostics,
}

impl Evaluation {
    /// Makes a prompt from each document of the key, whose answer can be scored.
    ///
    /// # Errors
    ///
    /// The errors of reading the key; a document whose text the notation cannot contain; and, if the request is strict, any
    /// warning.
    pub fn prompts(&self, spec: &PromptSpec) -> Result<Prompts> {
        let Inputs::OneKey { key, .. } = &self.request.inputs else {
            let error = Error::new(ErrorKind::Settings, "prompts need a key");
            return Err(error.hint("name one file or directory with the texts"));
        };
        let options =
            ReadOptions { keep_layers: true, limits: self.request.limits, ..ReadOptions::default() };
        let read = |progress: &_| key.input.read(self.request.key_format, &options, progress);
        let (mut corpus, _) = self.observed_reading(&[&key.input], read)?;
        let mut diagnostics = std::mem::take(&mut corpus.diagnostics);
        spec.report_losses(&corpus, &mut diagnostics);
        self.refuse_warnings(&diagnostics)?;
        let named = file_names(&corpus).into_iter().zip(&corpus.documents);
        let prompts = named.map(|(name, document)| Ok((name, spec.prompt(document)?)));
        Ok(Prompts { prompts: prompts.collect::<Result<_>>()?, diagnostics })
    }
}
