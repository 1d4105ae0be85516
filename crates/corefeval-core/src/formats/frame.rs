//! The state that all readers share: file name, options, current line, documents and findings.

use crate::wording::Text;
use std::sync::Arc;

use super::{ReadOptions, Reader};
use crate::diagnostic::{Code, Position};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Corpus, Document, DocumentBuilder, DocumentId, Words};

/// The remedy for a file that ends too early.
pub(super) const TRUNCATED: &str = "copy, download or write the file again";

/// Returns the remedy for JSON that ends too early.
pub(super) fn truncated_json(options: &ReadOptions) -> String {
    match options.accept_answers {
        true => format!("{TRUNCATED}; for an answer, raise the limit of the model's output"),
        false => TRUNCATED.to_owned(),
    }
}

/// Returns whether a cell has a value. Some formats write `-`, `_` or `*` for no value.
pub(super) fn has_value(cell: &[u8]) -> bool {
    !matches!(cell, b"" | b"-" | b"_" | b"*")
}

/// The state that every reader has.
pub(crate) struct Frame {
    /// The name of the file.
    pub(super) source: Arc<str>,
    pub(super) options: ReadOptions,
    /// The current line, from 1.
    pub(super) line: u32,
    /// The documents read so far.
    pub(super) corpus: Corpus,
    /// The number of values since the last document that no layer keeps, if counted.
    unread: u32,
    /// The number of findings about skipped annotation, up to the last document.
    passed_over: u64,
    /// The number of documents without a name.
    unnamed: u32,
    /// The number of documents taken before the end of the file.
    taken: usize,
}

impl Frame {
    pub(super) fn new(source: Arc<str>, options: ReadOptions) -> Frame {
        let corpus = Corpus { diagnostics: options.findings(), ..Corpus::default() };
        Frame { source, options, line: 0, corpus, unread: 0, passed_over: 0, unnamed: 0, taken: 0 }
    }

    /// Returns the words of the previous document.
    pub(super) fn words_before(&self) -> Option<&Words> {
        self.corpus.documents.last().map(Document::words)
    }

    /// Returns a position in the current line.
    pub(super) fn position(&self, column: u32) -> Position {
        Position::new(&self.source, self.line, column)
    }

    /// Returns an error in the current line.
    pub(super) fn error(&self, column: u32, message: impl Into<Text>) -> Error {
        Error::new(ErrorKind::Format, message).at(self.position(column))
    }

    /// Returns the current line if it is the last of a block and has no line end, which only the last line of a file
    /// may lack. `before` is the number of lines before the block.
    pub(super) fn cut_line<'b>(&self, block: &'b [u8], before: u32) -> Option<&'b [u8]> {
        let mut lines = block.split(|&byte| byte == b'\n');
        let last = lines.next_back().filter(|last| !last.is_empty())?;
        (lines.count() as u32 + 1 == self.line - before).then_some(last)
    }

    /// Returns the error of a line that has too few columns because the file ends within it.
    pub(super) fn truncated(&self, found: u32, expected: u32) -> Error {
        let message = format!("the file is truncated: its last line has {found} of {expected} columns");
        self.error(1, message).coded(Code::CutOff).hint(TRUNCATED)
    }

    /// Counts a finding in the current line.
    pub(super) fn note(
        &mut self,
        code: Code,
        column: u32,
        document: Option<String>,
        message: impl FnOnce() -> String,
    ) {
        let position = self.position(column);
        self.corpus.diagnostics.add(code, Some(position), document, message);
    }

    /// Returns whether values that no layer keeps are counted.
    pub(super) fn counts_unread(&self) -> bool {
        self.options.count_unread && self.options.keep_layers
    }

    /// Counts the cells that have a value, among cells that no layer keeps.
    pub(super) fn count_unread<'c>(&mut self, cells: impl Iterator<Item = &'c [u8]>) {
        self.unread = self.unread.saturating_add(cells.filter(|cell| has_value(cell)).count() as u32);
    }

    /// Counts a comment with content, unless `is_read` accepts its name (before `=` or a space).
    pub(super) fn count_comment(&mut self, line: &[u8], is_read: impl FnOnce(&[u8], &[u8]) -> bool) {
        if !self.counts_unread() {
            return;
        }
        let text = line.strip_prefix(b"#").unwrap_or(line).trim_ascii();
        let end = text.iter().position(|&byte| byte == b'=' || byte == b' ').unwrap_or(text.len());
        let value = text[end..].trim_ascii_start();
        let value = value.strip_prefix(b"=").unwrap_or(value).trim_ascii_start();
        if !is_read(&text[..end], value) {
            self.count_unread(std::iter::once(text));
        }
    }

    /// Adds a document with its words to the corpus.
    pub(super) fn add_document(&mut self, document: DocumentBuilder, mut words: Words) -> Result<()> {
        self.give_unread(&mut words);
        self.corpus.documents.push(document.finish(words)?);
        Ok(())
    }

    /// Stores the number of values of the current document that no layer keeps.
    pub(super) fn give_unread(&mut self, words: &mut Words) {
        // Skipped annotation is unread too.
        let groups = self.corpus.diagnostics.groups().iter();
        let passed_over: u64 =
            groups.filter(|group| group.code == Code::PassedOver).map(|group| group.count).sum();
        let before = std::mem::replace(&mut self.passed_over, passed_over);
        if self.counts_unread() {
            let more = u32::try_from(passed_over.saturating_sub(before)).unwrap_or(u32::MAX);
            self.unread = self.unread.saturating_add(more);
        }
        words.add_unread(std::mem::take(&mut self.unread));
    }

    /// Returns the id of a document without a name, and whether it is numbered. The first such document has the default
    /// id; later ones are numbered.
    pub(super) fn unnamed_id(&mut self) -> (DocumentId, bool) {
        self.unnamed += 1;
        let name = &self.options.default_id;
        match self.unnamed {
            1 => (DocumentId::new(name.clone()), false),
            number => (DocumentId::new(format!("{name}#{number}")), true),
        }
    }

    /// Removes and returns the finished documents.
    pub(super) fn take(&mut self) -> Vec<Document> {
        let documents = std::mem::take(&mut self.corpus.documents);
        self.taken += documents.len();
        documents
    }

    /// Returns the number of documents read.
    pub(super) fn count(&self) -> usize {
        self.taken + self.corpus.documents.len()
    }

    /// Returns the corpus. A file without documents is an error, with the message `missing`.
    pub(super) fn finish(self, missing: &str, hint: &str) -> Result<Corpus> {
        if self.count() > 0 {
            return Ok(self.corpus);
        }
        let error = Error::new(ErrorKind::Format, missing)
            .coded(Code::NoDocument)
            .at(Position::new(&self.source, 0, 0));
        Err(if hint.is_empty() { error } else { error.hint(hint) })
    }
}

/// A reader for formats whose elements cross lines. It collects the whole file and parses it at the end.
pub(super) struct WholeFile {
    frame: Frame,
    bytes: Vec<u8>,
    parse: fn(Frame, &[u8]) -> Result<Corpus>,
}

impl WholeFile {
    pub(super) fn reader(
        source: Arc<str>,
        options: ReadOptions,
        parse: fn(Frame, &[u8]) -> Result<Corpus>,
    ) -> Box<dyn Reader> {
        Box::new(WholeFile { frame: Frame::new(source, options), bytes: Vec::new(), parse })
    }
}

impl Reader for WholeFile {
    fn feed(&mut self, lines: &[u8]) -> Result<()> {
        self.bytes.extend_from_slice(lines);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Corpus> {
        let WholeFile { frame, bytes, parse } = *self;
        parse(frame, &bytes)
    }
}
