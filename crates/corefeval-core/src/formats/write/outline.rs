//! Writes corpora document by document, after a first pass over all documents.
//!
//! A file depends on few properties of its corpus: the ids of its documents, which must differ, and the
//! declarations in its first lines. A corpus that does not fit into memory can therefore be written by reading its
//! files twice.

use super::losses::{LossCounts, Losses};
use super::renaming::{note_renamed, stems};
use super::{DocumentWriting, WriteOptions, Writer};
use crate::error::{Error, ErrorKind, Result};
use crate::formats::{FORMATS, FormatSpec};
use crate::model::{Document, DocumentId, Mention};

/// Collects the properties of a corpus on which its file or files depend.
///
/// ```
/// use corefeval_core::formats::{FormatSpec, LossCounts, Outline, ReadOptions, WriteOptions};
/// let text = b"#begin document (note); part 000\nAda\t(0)\nslept\t-\n#end document\n";
/// let options = ReadOptions::with_layers();
/// let corpus = FormatSpec::named("conll")?.read(text, "note.conll", options)?;
/// let mut outline = Outline::new(FormatSpec::named("jsonlines")?, WriteOptions::default())?;
/// outline.add(&corpus.documents[0]);
/// let plan = outline.finish();
/// let files = plan.document(0, &corpus.documents[0], &mut LossCounts::default())?;
/// assert_eq!(files[0].1, "{\"doc_key\":\"note_0\",\"sentences\":[[\"Ada\",\"slept\"]],\"clusters\":[[[0,0]]]}\n");
/// # Ok::<(), corefeval_core::Error>(())
/// ```
pub struct Outline {
    pub(super) format: &'static str,
    writer: Writer,
    options: WriteOptions,
    ids: Vec<DocumentId>,
    /// The attributes of mentions, in the order of their first occurrence.
    pub(super) attributes: Vec<String>,
    /// The first attribute that has a value with a hyphen.
    pub(super) hyphens: Option<String>,
    /// True if mentions cross, or may cross.
    pub(super) crossing: bool,
    /// True if a document has a topic.
    pub(super) topic: bool,
    /// For the first and the second type of a table: true if a mention has it.
    pub(super) types: [bool; 2],
}

impl Outline {
    /// Creates the outline of a file in `format`, which must have a writer.
    ///
    /// # Errors
    ///
    /// The format cannot be written.
    pub fn new(format: &FormatSpec, options: WriteOptions) -> Result<Outline> {
        let Some(writer) = format.write else {
            let written = FORMATS.iter().filter(|spec| spec.is_written()).map(|spec| spec.id);
            let hint = format!("formats that can are {}", written.collect::<Vec<_>>().join(", "));
            let message = format!("the format `{}` cannot be written", format.id);
            return Err(Error::new(ErrorKind::Settings, message).hint(hint));
        };
        Ok(Outline {
            format: format.id,
            writer,
            options,
            ids: Vec::new(),
            attributes: Vec::new(),
            hyphens: None,
            crossing: options.boundary_crossing,
            topic: false,
            types: [false; 2],
        })
    }

    /// Records the next document.
    pub fn add(&mut self, document: &Document) {
        self.ids.push(document.id().clone());
        if let Writer::Whole(writer) = self.writer {
            (writer.look)(self, document);
        }
    }

    /// Returns the plan for writing the documents, after all are recorded.
    pub fn finish(self) -> Plan {
        let (ids, stems) = match self.writer {
            Writer::Whole(writer) => ((writer.ids)(&self.ids), Vec::new()),
            Writer::Files(_) => (Vec::new(), stems(&self.ids)),
        };
        Plan { outline: self, ids, stems }
    }

    pub(super) fn options(&self) -> WriteOptions {
        self.options
    }

    /// Returns the number of documents.
    pub(super) fn count(&self) -> usize {
        self.ids.len()
    }

    /// Returns the ids of the documents.
    pub(super) fn ids(&self) -> &[DocumentId] {
        &self.ids
    }

    /// Adds the attributes of a mention, except `other`.
    pub(super) fn add_attributes(&mut self, mention: &Mention, other: &str) {
        for (name, value) in mention.attributes() {
            if name == other {
                continue;
            }
            if !self.attributes.contains(name) {
                self.attributes.push(name.clone());
            }
            if self.hyphens.is_none() && value.contains('-') {
                self.hyphens = Some(name.clone());
            }
        }
    }
}

/// The plan for writing the documents of a corpus, one by one.
pub struct Plan {
    outline: Outline,
    ids: Vec<DocumentId>,
    stems: Vec<String>,
}

impl Plan {
    /// Returns whether each document has separate files.
    pub fn fills_folders(&self) -> bool {
        matches!(self.outline.writer, Writer::Files(_))
    }

    /// Returns the number of documents.
    pub fn count(&self) -> usize {
        self.outline.ids.len()
    }

    /// Returns the outline behind the plan.
    pub fn outline(&self) -> &Outline {
        &self.outline
    }

    /// Returns the text before the first document.
    ///
    /// # Errors
    ///
    /// The first lines cannot be written in the format.
    pub fn begin(&self) -> Result<String> {
        match self.outline.writer {
            Writer::Whole(writer) => (writer.begin)(&self.outline),
            Writer::Files(_) => Ok(String::new()),
        }
    }

    /// Returns the texts of the `number`th recorded document, with their file names. Formats with all documents in one
    /// file have a single text without a name. Counts everything that the format cannot represent.
    ///
    /// # Errors
    ///
    /// The format cannot represent the document, or fewer documents were recorded.
    pub fn document(
        &self,
        number: usize,
        document: &Document,
        lost: &mut LossCounts,
    ) -> Result<Vec<(String, String)>> {
        let outline = &self.outline;
        let changed = || {
            let message = "the documents changed while they were converted";
            Error::new(ErrorKind::Io, message).at(document.position())
        };
        if outline.ids.get(number) != Some(document.id()) {
            return Err(changed());
        }
        let mut left_out = Losses::new(document, outline.format);
        left_out.unplaced();
        left_out.add_to(lost);
        let placed = (document.words().count_beyond() > 0).then(|| document.without_unplaced());
        let document = placed.as_ref().unwrap_or(document);
        let mut losses = Losses::new(document, outline.format);
        let texts = match outline.writer {
            Writer::Whole(writer) => {
                let id = self.ids.get(number).ok_or_else(changed)?;
                note_renamed(document, id, &mut losses);
                let mut text = String::new();
                losses.unexpressed();
                let writing = DocumentWriting { document, id, outline, options: outline.options };
                (writer.document)(&mut text, &writing, &mut losses)?;
                vec![(String::new(), text)]
            }
            Writer::Files(write) => {
                let stem = self.stems.get(number).ok_or_else(changed)?;
                losses.unexpressed();
                let files = write(document, stem, &mut losses)?;
                files.into_iter().map(|(extension, text)| (format!("{stem}.{extension}"), text)).collect()
            }
        };
        losses.add_to(lost);
        Ok(texts)
    }
}
