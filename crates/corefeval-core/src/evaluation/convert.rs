//! Conversion: documents in one format, written in another, optionally on the words of a key.

use std::sync::atomic::AtomicU64;

use crate::alignment;
use crate::conversion::Documents;
use crate::diagnostic::Diagnostics;
use crate::error::{Error, ErrorKind, Result};
use crate::formats::{FormatSpec, KeyCopy, LossCounts, Outline, Plan, ReadOptions, WriteOptions};
use crate::input::Input;
use crate::model::Side;
use crate::wording::{option, text};

use super::reading::with_progress;
use super::request::Inputs;
use super::{Annotated, Evaluation};

/// The form in which documents are written.
#[derive(Clone, Copy, Debug)]
pub enum WrittenForm {
    /// In a format.
    As(&'static FormatSpec),
    /// As a copy of the key's file, in which only coreference is new.
    KeyCopy,
}

/// A function that receives written text with the name of its file; several texts of one file follow each other.
pub type PutText<'p> = dyn FnMut(&str, &[u8]) -> Result<()> + 'p;

/// Documents that are ready to be written. They were read once, because some properties that a file depends on (its fields,
/// the ids of documents) are known only at the end.
pub struct Conversion<'e> {
    evaluation: &'e Evaluation,
    documents: Documents<'e>,
    /// The key on whose words the documents are placed.
    key: Option<&'e Input>,
    plan: Plan,
    format: &'static FormatSpec,
    is_copy: bool,
    /// True if the documents have been written, so that their losses are counted.
    is_written: bool,
    diagnostics: Diagnostics,
}

impl Evaluation {
    /// Reads the only input of a request to write its documents in another format. If the request has a key, the documents
    /// of its response are placed on the words of the key; mentions that cannot be placed are left out. `side` is the side
    /// to read from an input with both. `form` returns the form to write, given the format of the key.
    ///
    /// ```
    /// use corefeval_core::evaluation::{Evaluation, Inputs, NamedInput, Request, WrittenForm};
    /// use corefeval_core::formats::FormatSpec;
    /// use corefeval_core::model::Side;
    /// let input = NamedInput::of_bytes("note.conll", b"#begin document (note); part 000\nAda (0)\n#end document\n");
    /// let evaluation = Evaluation::new(Request::new(Inputs::NoKey(vec![input])))?;
    /// let links = FormatSpec::named("jsonlines")?;
    /// let mut conversion = evaluation.convert(Side::Key, |_| Ok(WrittenForm::As(links)))?;
    /// let mut text = Vec::new();
    /// conversion.write(false, &mut |_, piece| Ok(text.extend_from_slice(piece)))?;
    /// assert_eq!(text, b"{\"doc_key\":\"note_0\",\"sentences\":[[\"Ada\"]],\"clusters\":[[[0,0]]]}\n");
    /// # Ok::<(), corefeval_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of reading and of placing documents; an input without annotation, unless the request accepts it; an error
    /// of `form`; and a format that cannot be written.
    pub fn convert(
        &self,
        side: Side,
        form: impl FnOnce(Option<&'static FormatSpec>) -> Result<WrittenForm>,
    ) -> Result<Conversion<'_>> {
        let request = &self.request;
        let (key, input) = match &request.inputs {
            Inputs::NoKey(inputs) if inputs.len() == 1 => (None, &inputs[0].input),
            Inputs::OneKey { key, responses } if responses.len() == 1 => {
                (Some(&key.input), &responses[0].input)
            }
            _ => {
                let error = Error::new(ErrorKind::Settings, "several inputs cannot be converted at once");
                return Err(error.hint("convert them one by one"));
            }
        };
        self.check_present()?;
        let from = request.response_format;
        let settings = request.settings(from.map(|format| format.id))?;
        let options = ReadOptions {
            keep_layers: true,
            count_unread: true,
            accept_answers: key.is_some(),
            include: request.include.clone(),
            limits: request.limits,
            ..ReadOptions::of(&settings, side, &[])
        };
        let mut diagnostics = Diagnostics::default();
        let mut documents = Documents::of(input, from, options);
        if let Some(key) = key {
            // As for scores, the key's format determines the profile.
            let placing = |format: &FormatSpec| {
                let settings = request.settings(Some(format.id))?;
                Ok(alignment::Options { keep_unplaced: false, ..alignment::Options::of(&settings) })
            };
            self.observed_reading(&[input, key], |read| {
                documents.onto(key, placing, read, &mut diagnostics)
            })?;
        }
        let (format, is_copy) = match (form(documents.key_format())?, documents.key_format()) {
            (WrittenForm::As(format), _) => (format, false),
            (WrittenForm::KeyCopy, Some(format)) => (format, true),
            (WrittenForm::KeyCopy, None) => {
                let error = Error::new(ErrorKind::Settings, "there is no key whose file could be copied");
                return Err(error.hint(text!("name it with {}", option("onto"))));
            }
        };
        let mut outline = Outline::new(format, WriteOptions::of(&settings))?;
        let mut annotated = Annotated::default();
        let inputs: Vec<&Input> = std::iter::once(input).chain(key).collect();
        self.observed_reading(&inputs, |read| {
            documents.for_each(read, &mut diagnostics, &mut |key, document| {
                outline.add(document);
                // A document that the response lacks was reported; it is written without the key's mentions.
                if key.is_none_or(|key| key.source() != document.source()) {
                    annotated.add(document, None);
                }
                Ok(())
            })
        })?;
        if let (false, Some(format)) = (request.allow_empty, documents.format()) {
            annotated.check_files(format, &diagnostics)?;
            annotated.check(&input.name(), format, [&diagnostics])?;
        }
        diagnostics.merge(annotated.findings());
        let plan = outline.finish();
        Ok(Conversion {
            evaluation: self,
            documents,
            key,
            plan,
            format,
            is_copy,
            is_written: false,
            diagnostics,
        })
    }

    /// Runs `work`, which reads inputs and counts the bytes read, and shows its progress.
    pub(super) fn observed_reading<T>(
        &self,
        inputs: &[&Input],
        work: impl FnOnce(&AtomicU64) -> Result<T>,
    ) -> Result<T> {
        let read = AtomicU64::new(0);
        let total = || inputs.iter().map(|input| input.size()).sum();
        let mut result = None;
        with_progress(self.progress.as_deref(), &total, &read, || result = Some(work(&read)));
        result.unwrap_or_else(|| unreachable!("observers run the work"))
    }
}

impl Conversion<'_> {
    /// Returns whether each document has separate files.
    pub fn fills_folders(&self) -> bool {
        !self.is_copy && self.plan.fills_folders()
    }

    /// Returns the findings about the input and, after [`write`](Self::write), about annotation that was lost.
    pub fn diagnostics(&self) -> &Diagnostics {
        &self.diagnostics
    }

    /// Passes the written text to `put`, in pieces. May be called again for the same text. `in_folder` is true if each
    /// name is a separate file.
    ///
    /// # Errors
    ///
    /// A document that the format cannot represent; several files that are not written into a folder; files that changed;
    /// an error of `put`; and, if the request is strict, any warning.
    pub fn write(&mut self, in_folder: bool, put: &mut PutText<'_>) -> Result<()> {
        let inputs: Vec<&Input> =
            self.evaluation.request.inputs.all().iter().map(|named| &named.input).collect();
        let evaluation = self.evaluation;
        let mut lost = LossCounts::default();
        evaluation.observed_reading(&inputs, |read| match self.is_copy {
            true => self.write_copy(read, &mut lost, put),
            false => self.write_documents(read, &mut lost, in_folder, put),
        })?;
        if !std::mem::replace(&mut self.is_written, true) {
            lost.report(&mut self.diagnostics);
        }
        evaluation.refuse_warnings(&self.diagnostics)
    }

    /// Writes the documents in their format.
    fn write_documents(
        &mut self,
        read: &AtomicU64,
        lost: &mut LossCounts,
        in_folder: bool,
        put: &mut PutText<'_>,
    ) -> Result<()> {
        let (plan, format) = (&self.plan, self.format);
        if !plan.fills_folders() {
            put("", plan.begin()?.as_bytes())?;
        }
        let mut number = 0;
        self.documents.for_each(read, &mut Diagnostics::default(), &mut |_, document| {
            let files = plan.document(number, document, lost)?;
            let count = plan.count() * files.len();
            if plan.fills_folders() && !in_folder && count > 1 {
                let message = format!("{count} files of {} cannot be written to standard output", format.id);
                return Err(Error::new(ErrorKind::Settings, message)
                    .hint(text!("name a directory with {}", option("output"))));
            }
            number += 1;
            files.iter().try_for_each(|(name, text)| put(name, text.as_bytes()))
        })
    }

    /// Writes a copy of the key's file with the mentions of the documents.
    fn write_copy(&mut self, read: &AtomicU64, lost: &mut LossCounts, put: &mut PutText<'_>) -> Result<()> {
        let reader = self.key.map(Input::plain_reader).transpose()?.flatten();
        let Some(reader) = reader else {
            let error = Error::new(ErrorKind::Settings, "the key is not a single uncompressed file");
            return Err(error.hint("convert file by file; decompress the key first"));
        };
        let mut copy = KeyCopy::new(self.format, self.plan.outline(), reader)?;
        self.documents.for_each(read, &mut Diagnostics::default(), &mut |key, placed| {
            let Some(key) = key else { return Ok(()) };
            put("", &copy.document(key, placed, lost)?)
        })?;
        put("", &copy.finish()?)
    }
}
