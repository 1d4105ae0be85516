//! The rows of plain tables, block by block.

use std::io::{self, Read};

use memchr::{memchr, memchr_iter, memchr2, memchr2_iter, memrchr};

use super::ranges::RangeReader;
use crate::formats::{PlainColumns, trimmed, without_mark};

/// The number of bytes whose rows are found at a time. They stay in the cache until their rows are divided among the
/// parts.
const BLOCK: usize = 1 << 17;

/// The error for a table with line breaks in cells, a mistake, or anything else that plain rows lack. The general reader
/// of tables reads it instead.
#[derive(Debug)]
pub(super) struct NotPlain;

impl From<io::Error> for NotPlain {
    fn from(_: io::Error) -> NotPlain {
        NotPlain
    }
}

/// The reason why the general reader of tables must read large tables, row by row.
#[derive(Debug)]
pub(crate) enum ByRow {
    /// A side repeats a mention.
    RepeatedMention,
    /// A cell has a line break.
    LineBreak {
        /// The number of the table; the key is the first.
        table: usize,
        /// The place in the file of the first line of the row.
        place: u64,
    },
    /// The tables are small or have mistakes, or mentions are needed.
    Other,
}

impl ByRow {
    /// Returns the reason for tables that follow others.
    pub(super) fn after(self, tables: usize) -> ByRow {
        match self {
            ByRow::LineBreak { table, place } => ByRow::LineBreak { table: tables + table, place },
            other => other,
        }
    }
}

impl From<NotPlain> for ByRow {
    fn from(_: NotPlain) -> ByRow {
        ByRow::Other
    }
}

impl From<io::Error> for ByRow {
    fn from(_: io::Error) -> ByRow {
        ByRow::Other
    }
}

/// The start and end of a row's mention and of its entity in their texts.
#[derive(Clone, Copy, Default)]
pub(super) struct RowPlaces {
    mention: (u32, u32),
    entity: (u32, u32),
}

impl RowPlaces {
    pub(super) fn new(mention: (u32, u32), entity: (u32, u32)) -> RowPlaces {
        RowPlaces { mention, entity }
    }

    #[inline]
    pub(super) fn mention<'b>(&self, texts: &BlockTexts<'b>) -> &'b [u8] {
        within(texts.mentions, self.mention)
    }

    #[inline]
    pub(super) fn entity<'b>(&self, texts: &BlockTexts<'b>) -> &'b [u8] {
        within(texts.entities, self.entity)
    }
}

#[inline]
fn within(text: &[u8], (start, end): (u32, u32)) -> &[u8] {
    &text[start as usize..end as usize]
}

/// The texts that the rows of a block are in: the same lines for all columns, or a text for each column.
#[derive(Clone, Copy)]
pub(super) struct BlockTexts<'b> {
    mentions: &'b [u8],
    entities: &'b [u8],
    documents: &'b [u8],
    are_lines: bool,
}

impl<'b> BlockTexts<'b> {
    pub(super) fn lines(block: &'b [u8]) -> BlockTexts<'b> {
        BlockTexts { mentions: block, entities: block, documents: block, are_lines: true }
    }

    pub(super) fn columns([mentions, entities, documents]: [&'b [u8]; 3]) -> BlockTexts<'b> {
        BlockTexts { mentions, entities, documents, are_lines: false }
    }
}

/// A place among the lines of a block: a place in its text, or the number of rows before it if rows are not lines.
#[derive(Clone, Copy, Default)]
pub(super) struct LinePlace(usize);

impl LinePlace {
    /// Returns the number of line ends from this place to another one.
    pub(super) fn lines_to(self, other: LinePlace, texts: &BlockTexts<'_>) -> u64 {
        match texts.are_lines {
            true => memchr_iter(b'\n', &texts.mentions[self.0..other.0]).count() as u64,
            false => (other.0 - self.0) as u64,
        }
    }
}

/// The rows of a block.
#[derive(Default)]
pub(super) struct BlockRows {
    pub(super) rows: Vec<RowPlaces>,
    /// The start and end of the document of each row in its text; empty if the table has no column of documents.
    pub(super) documents: Vec<(u32, u32)>,
    /// The start of the first line of a row that is not plain because a cell has a line break.
    line_break: Option<usize>,
}

impl BlockRows {
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.documents.clear();
    }

    /// Returns the rows with their documents.
    pub(super) fn with_documents<'b>(
        &self,
        texts: &BlockTexts<'b>,
    ) -> impl Iterator<Item = (usize, &RowPlaces, &'b [u8])> {
        let documents = texts.documents;
        let rows = self.rows.iter().zip(&self.documents).enumerate();
        rows.map(move |(number, (row, &document))| (number, row, within(documents, document)))
    }

    /// Returns a place in the line of a row.
    pub(super) fn line_of(&self, row: usize, texts: &BlockTexts<'_>) -> LinePlace {
        LinePlace(if texts.are_lines { self.rows[row].mention.0 as usize } else { row })
    }

    /// Returns the place after the last line.
    pub(super) fn end_of_lines(&self, texts: &BlockTexts<'_>) -> LinePlace {
        LinePlace(if texts.are_lines { texts.mentions.len() } else { self.rows.len() })
    }

    /// Removes the row that names the columns.
    fn remove_first(&mut self) {
        self.rows.remove(0);
        if !self.documents.is_empty() {
            self.documents.remove(0);
        }
    }
}

/// Calls `each` with all rows of a range of a table, block by block. The first range contains the column names.
pub(super) fn read(
    mut range: RangeReader<'_>,
    columns: &PlainColumns,
    is_first: bool,
    mut each: impl FnMut(&[u8], &BlockRows) -> Result<(), NotPlain>,
) -> Result<(), ByRow> {
    let mut buffer = vec![0; BLOCK + range.stride()];
    let (mut filled, mut first, mut before) = (0, is_first, range.place());
    let mut rows = BlockRows::default();
    loop {
        let count = match range.read(&mut buffer[filled..]) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        filled += count;
        let mut start = 0;
        while filled - start >= BLOCK || count == 0 {
            let rest = &mut buffer[start..filled];
            let end = match rest.get(..BLOCK) {
                Some(block) => memrchr(b'\n', block).ok_or(NotPlain)? + 1,
                None => rest.len(),
            };
            let mark = if first { end - without_mark(&rest[..end]).len() } else { 0 };
            let block = &mut rest[mark..end];
            rows.clear();
            find_rows(block, columns, &mut rows).map_err(|_| match rows.line_break {
                Some(line) => ByRow::LineBreak { table: 0, place: before + (start + mark + line) as u64 },
                None => ByRow::Other,
            })?;
            let is_first = first && !rows.rows.is_empty();
            if is_first && columns.named {
                rows.remove_first();
            }
            each(block, &rows)?;
            first &= !is_first;
            start += end;
            if count == 0 && start == filled {
                return Ok(());
            }
        }
        buffer.copy_within(start..filled, 0);
        before += start as u64;
        filled -= start;
    }
}

/// Finds the rows of whole lines. Cells with quotes are replaced by their text.
fn find_rows(block: &mut [u8], columns: &PlainColumns, rows: &mut BlockRows) -> Result<(), NotPlain> {
    if std::str::from_utf8(block).is_err() {
        return Err(NotPlain);
    }
    match memchr2(b'"', 0, block) {
        None => find_rows_without_quotes(block, columns, rows),
        Some(first) if block[first] == b'"' && memchr(0, &block[first..]).is_none() => {
            find_rows_with_quotes(block, columns, rows)
        }
        Some(_) => Err(NotPlain),
    }
}

fn find_rows_without_quotes(
    block: &[u8],
    columns: &PlainColumns,
    rows: &mut BlockRows,
) -> Result<(), NotPlain> {
    let mut finder = RowFinder::new(columns, rows);
    let mut start = 0;
    let last = (!block.is_empty() && !block.ends_with(b"\n")).then_some(block.len());
    for end in memchr2_iter(columns.delimiter, b'\n', block).chain(last) {
        finder.add_cell(block, start, end);
        start = end + 1;
        if end == block.len() || block[end] != columns.delimiter {
            finder.end_row(block, end)?;
        }
    }
    Ok(())
}

fn find_rows_with_quotes(
    block: &mut [u8],
    columns: &PlainColumns,
    rows: &mut BlockRows,
) -> Result<(), NotPlain> {
    let mut finder = RowFinder::new(columns, rows);
    let (mut start, mut ends) = (0, true);
    while start < block.len() || !ends {
        // The general reader skips such a mark only before quotes.
        if ends && without_mark(&block[start..]).len() < block.len() - start {
            return Err(NotPlain);
        }
        let (text, end) = match block.get(start) {
            Some(b'"') => match unquote(block, start, columns.delimiter) {
                Ok(cell) => cell,
                Err(error) => {
                    finder.rows.line_break = matches!(error, CellError::LineBreak).then_some(finder.line);
                    return Err(NotPlain);
                }
            },
            _ => {
                let length = memchr2(columns.delimiter, b'\n', &block[start..]);
                let end = length.map_or(block.len(), |length| start + length);
                ((start, end), end)
            }
        };
        finder.add_cell(block, text.0, text.1);
        ends = end == block.len() || block[end] != columns.delimiter;
        if ends {
            finder.end_row(block, end)?;
        }
        start = end + 1;
    }
    Ok(())
}

/// The reason why a cell in quotes is not plain.
enum CellError {
    LineBreak,
    Other,
}

/// Replaces a cell in quotes, which starts at `start`, by its text. Returns the start and end of the text, and the end of
/// the cell. Fails if the cell contains a line break, or if text follows the closing quote.
fn unquote(block: &mut [u8], start: usize, delimiter: u8) -> Result<((usize, usize), usize), CellError> {
    let first = start + 1;
    let quote = first + memchr2(b'"', b'\n', &block[first..]).ok_or(CellError::Other)?;
    // Doubled quotes represent one. Only spaces may follow the closing quote.
    let (mut from, mut to, mut is_open) = (quote, quote, true);
    loop {
        match block.get(from) {
            Some(b'"') if is_open && block.get(from + 1) != Some(&b'"') => is_open = false,
            Some(&byte) if is_open && byte != b'\n' => {
                block[to] = byte;
                to += 1;
                from += usize::from(byte == b'"');
            }
            Some(_) if is_open => return Err(CellError::LineBreak),
            None if is_open => return Err(CellError::Other),
            Some(&byte) if byte != delimiter && byte != b'\n' => {
                if !byte.is_ascii_whitespace() {
                    return Err(CellError::Other);
                }
            }
            _ => return Ok(((first, to), from)),
        }
        from += 1;
    }
}

/// Collects the cells of rows that are read.
struct RowFinder<'r> {
    columns: PlainColumns,
    rows: &'r mut BlockRows,
    /// The current row and its document, the start of its line, and the number of its cells so far.
    row: RowPlaces,
    document: (u32, u32),
    line: usize,
    cells: usize,
}

impl<'r> RowFinder<'r> {
    fn new(columns: &PlainColumns, rows: &'r mut BlockRows) -> RowFinder<'r> {
        RowFinder { columns: *columns, rows, row: RowPlaces::default(), document: (0, 0), line: 0, cells: 0 }
    }

    /// Adds the next cell of the row.
    #[inline(always)]
    fn add_cell(&mut self, block: &[u8], start: usize, end: usize) {
        if self.cells == self.columns.mention {
            self.row.mention = trimmed(block, start, end);
        } else if self.cells == self.columns.entity {
            self.row.entity = trimmed(block, start, end);
        } else if Some(self.cells) == self.columns.document {
            self.document = trimmed(block, start, end);
        }
        self.cells += 1;
    }

    /// Ends a row at the end of its line. Fails if it lacks a cell, a mention, an entity or a document, unless the
    /// line is blank.
    #[inline(always)]
    fn end_row(&mut self, block: &[u8], end: usize) -> Result<(), NotPlain> {
        let RowPlaces { mention, entity } = self.row;
        let has_documents = self.columns.document.is_some();
        let has_document = !has_documents || self.document.0 < self.document.1;
        if self.cells == self.columns.cells && mention.0 < mention.1 && entity.0 < entity.1 && has_document {
            self.rows.rows.push(self.row);
            if has_documents {
                self.rows.documents.push(self.document);
            }
        } else if !block[self.line..end].trim_ascii().is_empty() {
            return Err(NotPlain);
        }
        (self.line, self.cells) = (end + 1, 0);
        Ok(())
    }
}
