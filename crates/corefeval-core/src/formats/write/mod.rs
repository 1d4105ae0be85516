//! Writes corpora. Each writer has its own module.
//!
//! Writers drop annotation that the format cannot represent, and count it in [`Written::diagnostics`]. Otherwise,
//! reading the output returns the same documents. It is an error if the format cannot represent a document at all.

pub(super) mod apf;
pub(super) mod brat;
pub(super) mod conll;
pub(super) mod conll_ua;
pub(super) mod copy;
pub(super) mod corefud;
pub(super) mod ecb_plus;
pub(super) mod json;
pub(super) mod jsonlines;
pub(super) mod links;
pub(super) mod muc;
pub(super) mod semeval;
pub(super) mod table;
pub(super) mod webanno;

mod losses;
mod markup;
mod outline;
mod renaming;
mod text;

pub use copy::{KeyCopy, copied_formats};
pub use losses::LossCounts;
use losses::Losses;
pub use outline::{Outline, Plan};
use renaming::document_ids;

use super::FormatSpec;
use crate::diagnostic::Diagnostics;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Annotation, Corpus, Document, DocumentId, Layers, SpanEnd, Words};
use crate::settings::{Settings, Switch};

/// The options for writing a corpus, apart from its format.
#[derive(Clone, Copy, Debug, Default)]
pub struct WriteOptions {
    /// The span ends to write (inclusive or exclusive) in formats that leave this open.
    pub span_end: SpanEnd,
    /// The annotation to write in formats that have several kinds.
    pub annotation: Annotation,
    /// Makes closing brackets name their mentions even if no mentions cross, in `conll-ua`.
    pub boundary_crossing: bool,
}

impl WriteOptions {
    /// Returns the options from `settings`.
    pub fn of(settings: &Settings) -> WriteOptions {
        WriteOptions {
            span_end: settings.span_end,
            annotation: settings.annotation,
            boundary_crossing: settings.boundary_crossing == Switch::Yes,
        }
    }
}

/// The written files and the losses.
#[derive(Clone, Debug)]
pub struct Written {
    /// The text.
    pub texts: WrittenTexts,
    /// The annotation that the format could not represent.
    pub diagnostics: Diagnostics,
}

/// The text of a corpus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WrittenTexts {
    /// All documents in one text.
    Whole(String),
    /// Separate files for each document: their names and texts.
    Files(Vec<(String, String)>),
}

/// Writes one document under the given name, in files with these extensions.
type WriteFiles = fn(&Document, &str, &mut Losses<'_>) -> Result<Vec<(&'static str, String)>>;

/// The writer of a format.
#[derive(Clone, Copy)]
pub(super) enum Writer {
    /// All documents in one text.
    Whole(WholeWriter),
    /// Separate files for each document.
    Files(WriteFiles),
}

/// A writer for a format with all documents in one text.
#[derive(Clone, Copy)]
pub(super) struct WholeWriter {
    /// Returns distinct ids for the documents.
    ids: fn(&[DocumentId]) -> Vec<DocumentId>,
    /// Records the properties of one document that the file depends on.
    look: fn(&mut Outline, &Document),
    /// Returns the text before the first document.
    begin: fn(&Outline) -> Result<String>,
    /// Adds one document.
    document: fn(&mut String, &DocumentWriting<'_>, &mut Losses<'_>) -> Result<()>,
}

impl WholeWriter {
    /// The defaults for writers: the file depends only on its documents, and ids have no parts. The default writes
    /// nothing.
    const PLAIN: WholeWriter = WholeWriter {
        ids: |ids| document_ids(ids, false, &[]),
        look: |_, _| {},
        begin: |_| Ok(String::new()),
        document: |_, _, _| Ok(()),
    };
}

/// A document to write, and the properties that its output depends on.
struct DocumentWriting<'w> {
    document: &'w Document,
    /// The id of the document in the file.
    id: &'w DocumentId,
    outline: &'w Outline,
    options: WriteOptions,
}

impl<'w> DocumentWriting<'w> {
    /// Returns the words of the document and their layers, for formats that need the text.
    fn text(&self) -> Result<(&'w Words, &'w Layers)> {
        Ok((self.document.words(), text_of(self.document, self.outline.format)?))
    }
}

impl FormatSpec {
    /// Returns whether the format can be written.
    pub fn is_written(&self) -> bool {
        self.write.is_some()
    }

    /// Returns whether each document has separate files, so that a corpus is written into a directory.
    pub fn fills_folders(&self) -> bool {
        matches!(self.write, Some(Writer::Files(_)))
    }

    /// Writes a corpus that was read with its words (see
    /// [`ReadOptions::keep_layers`](super::ReadOptions::keep_layers)).
    ///
    /// ```
    /// use corefeval_core::formats::{FormatSpec, ReadOptions, WrittenTexts, WriteOptions};
    /// let text = b"#begin document (note); part 000\nAda\t(0)\nslept\t-\n#end document\n";
    /// let options = ReadOptions::with_layers();
    /// let corpus = FormatSpec::named("conll")?.read(text, "note.conll", options)?;
    /// let written = FormatSpec::named("jsonlines")?.write(&corpus, WriteOptions::default())?;
    /// let line = r#"{"doc_key":"note_0","sentences":[["Ada","slept"]],"clusters":[[[0,0]]]}"#;
    /// assert_eq!(written.texts, WrittenTexts::Whole(format!("{line}\n")));
    /// # Ok::<(), corefeval_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The format cannot be written, or cannot represent a document.
    pub fn write(&self, corpus: &Corpus, options: WriteOptions) -> Result<Written> {
        let mut outline = Outline::new(self, options)?;
        corpus.documents.iter().for_each(|document| outline.add(document));
        let plan = outline.finish();
        let mut lost = LossCounts::default();
        let mut pieces = Vec::new();
        for (number, document) in corpus.documents.iter().enumerate() {
            pieces.push(plan.document(number, document, &mut lost)?);
        }
        let texts = match plan.fills_folders() {
            true => WrittenTexts::Files(pieces.into_iter().flatten().collect()),
            false => {
                let texts = pieces.into_iter().flatten().map(|(_, text)| text);
                WrittenTexts::Whole(std::iter::once(plan.begin()?).chain(texts).collect())
            }
        };
        let mut diagnostics = Diagnostics::default();
        lost.report(&mut diagnostics);
        Ok(Written { texts, diagnostics })
    }
}

/// Returns a distinct file name, without extension, for each document of a corpus.
pub fn file_names(corpus: &Corpus) -> Vec<String> {
    let ids: Vec<DocumentId> = corpus.documents.iter().map(|document| document.id().clone()).collect();
    renaming::stems(&ids)
}

/// Returns the layers of a document for `format`, which requires its text.
fn text_of<'d>(document: &'d Document, format: &str) -> Result<&'d Layers> {
    let words = document.words();
    let error = |message: String, hint: &str| {
        Err(Error::new(ErrorKind::Format, message).at(document.position()).hint(hint))
    };
    if words.are_names() {
        let message =
            format!("`{}` has names of mentions instead of a text, but {format} needs a text", document.id());
        return error(message, "write it as links");
    }
    if words.fingerprint().is_none() {
        let message = format!("the words of `{}` are not known, but {format} needs them", document.id());
        return error(message, "write it as jsonlines, or start from a file that has the text");
    }
    match words.layers() {
        Some(layers) => Ok(layers),
        None => {
            error(format!("the words of `{}` were not kept", document.id()), "read them with keep_layers")
        }
    }
}
