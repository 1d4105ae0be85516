//! Writers of the formats, one file each.
//!
//! Annotation that a format cannot represent is left out and counted in [`Written::diagnostics`]; apart from that, the
//! output reads back as the same documents. A document that the format cannot hold at all is an error.

pub(super) mod brat;
pub(super) mod conll;
pub(super) mod conll_ua;
pub(super) mod corefud;
pub(super) mod ecb_plus;
pub(super) mod json;
pub(super) mod jsonlines;
pub(super) mod links;
pub(super) mod table;

mod column;
mod losses;
mod renaming;
mod text;

pub use column::{has_own_column, with_column};
use losses::Losses;

use super::{FORMATS, FormatSpec};
use crate::diagnostic::Diagnostics;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Annotation, Corpus, Document, Layers, SpanEnd};

/// The options of writing, apart from the format.
#[derive(Clone, Copy, Debug, Default)]
pub struct WriteOptions {
    /// Whether ends of spans are inclusive, in the formats that leave it open.
    pub span_end: SpanEnd,
    /// The annotation to write, in the formats that have several.
    pub annotation: Annotation,
}

/// The written files and the losses.
#[derive(Clone, Debug)]
pub struct Written {
    /// The text.
    pub texts: Texts,
    /// The annotation that the format could not represent.
    pub diagnostics: Diagnostics,
}

/// The text of a corpus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Texts {
    /// All documents in one text.
    Whole(String),
    /// Files of their own for each document: name and text.
    Files(Vec<(String, String)>),
}

/// Writes all documents in one text.
type WriteWhole = fn(&Corpus, WriteOptions, &mut Diagnostics) -> Result<String>;

/// Writes one document under the given name, in files with these extensions.
type WriteFiles = fn(&Document, &str, &mut Losses<'_>) -> Result<Vec<(&'static str, String)>>;

/// The writer of a format.
#[derive(Clone, Copy)]
pub(super) enum Writer {
    /// All documents in one text.
    Whole(WriteWhole),
    /// Files of their own for each document.
    Files(WriteFiles),
}

impl FormatSpec {
    /// Returns whether the format can be written.
    pub fn is_written(&self) -> bool {
        self.write.is_some()
    }

    /// Returns whether each document has files of its own, so that a corpus is written into a directory.
    pub fn fills_folders(&self) -> bool {
        matches!(self.write, Some(Writer::Files(_)))
    }

    /// Writes a corpus that was read with its words (see
    /// [`ReadOptions::keep_layers`](super::ReadOptions::keep_layers)).
    ///
    /// ```
    /// use corefeval_core::formats::{FormatSpec, ReadOptions, Texts, WriteOptions};
    /// let text = b"#begin document (note); part 000\nAda\t(0)\nslept\t-\n#end document\n";
    /// let options = ReadOptions { keep_layers: true, ..ReadOptions::default() };
    /// let corpus = FormatSpec::named("conll")?.read(text, "note.conll", options)?;
    /// let written = FormatSpec::named("jsonlines")?.write(&corpus, WriteOptions::default())?;
    /// let line = r#"{"doc_key":"note_0","sentences":[["Ada","slept"]],"clusters":[[[0,0]]]}"#;
    /// assert_eq!(written.texts, Texts::Whole(format!("{line}\n")));
    /// # Ok::<(), corefeval_core::Error>(())
    /// ```
    pub fn write(&self, corpus: &Corpus, options: WriteOptions) -> Result<Written> {
        let mut diagnostics = Diagnostics::default();
        let texts = match self.write {
            Some(Writer::Whole(write)) => Texts::Whole(write(corpus, options, &mut diagnostics)?),
            Some(Writer::Files(write)) => {
                let mut files = Vec::new();
                for (document, stem) in corpus.documents.iter().zip(renaming::stems(corpus)) {
                    let mut losses = Losses::new(document, self.id);
                    for (extension, text) in write(document, &stem, &mut losses)? {
                        files.push((format!("{stem}.{extension}"), text));
                    }
                    losses.report(&mut diagnostics);
                }
                Texts::Files(files)
            }
            None => {
                let written = FORMATS.iter().filter(|spec| spec.is_written()).map(|spec| spec.id);
                let hint = format!("formats that can are {}", written.collect::<Vec<_>>().join(", "));
                let message = format!("the format `{}` cannot be written", self.id);
                return Err(Error::new(ErrorKind::Settings, message).hint(hint));
            }
        };
        Ok(Written { texts, diagnostics })
    }
}

/// Names for files of the documents of a corpus, without extension, each once.
pub fn file_names(corpus: &Corpus) -> Vec<String> {
    renaming::stems(corpus)
}

/// Returns the layers of a document that is to be written in `format`, which needs its text.
fn text_of<'d>(document: &'d Document, format: &str) -> Result<&'d Layers> {
    let words = document.words();
    let error = |message: String, hint: &str| {
        Err(Error::new(ErrorKind::Format, message).at(document.position()).hint(hint))
    };
    if words.are_names() {
        let message =
            format!("`{}` has names of mentions in place of a text, and {format} needs one", document.id());
        return error(message, "write it as links");
    }
    if words.fingerprint().is_none() {
        let message = format!("the words of `{}` are not known, and {format} needs them", document.id());
        return error(message, "write it as jsonlines, or begin with a file that has the text");
    }
    match words.layers() {
        Some(layers) => Ok(layers),
        None => {
            error(format!("the words of `{}` were not kept", document.id()), "read them with keep_layers")
        }
    }
}
