//! Divides the lines of a table into rows of cells, some of which are in quotes.

use std::sync::Arc;

use memchr::{memchr, memchr_iter};

use crate::diagnostic::{Code, Position};
use crate::error::{Error, ErrorKind, Result};
use crate::formats::{utf8, without_mark};
use crate::wording::plural;

/// The largest row with quotes, in bytes. Without a limit, an unclosed quote would take the rest of the file.
pub(super) const LONGEST: usize = 1 << 20;

/// Divides lines into rows. A cell in quotes may contain line breaks.
pub(crate) struct RowSplitter {
    source: Arc<str>,
    quoted: QuotedRow,
    /// The start and end of each cell in the text of its row.
    cells: Vec<(usize, usize)>,
}

/// A row of a table.
pub(crate) struct SplitRow<'r> {
    text: &'r str,
    cells: &'r [(usize, usize)],
    /// The line and column at which each cell starts; `None` if the text is the line itself.
    starts: Option<&'r [(u32, u32)]>,
    /// The last line of the row, and the column after its text.
    end: (u32, u32),
    /// The start of the first cell that contains a line break, and the line in which that cell ends.
    over_lines: Option<((u32, u32), u32)>,
}

impl RowSplitter {
    pub(crate) fn new(source: Arc<str>) -> RowSplitter {
        RowSplitter { source, quoted: QuotedRow::default(), cells: Vec::new() }
    }

    /// Returns whether the next line continues a row.
    pub(crate) fn is_within_row(&self) -> bool {
        self.quoted.is_open
    }

    /// Adds a line with its line end. Returns the row that it completes, if any.
    pub(crate) fn add<'r>(
        &'r mut self,
        line: &'r str,
        number: u32,
        delimiter: u8,
    ) -> Result<Option<SplitRow<'r>>> {
        let bytes = line.as_bytes();
        let end = (number, line.trim_ascii_end().len() as u32 + 1);
        self.cells.clear();
        let mut start = 0;
        if !self.is_within_row() && memchr(b'"', bytes).is_none() {
            for end in memchr_iter(delimiter, bytes) {
                self.cells.push((start, end));
                start = end + 1;
            }
            self.cells.push((start, bytes.len()));
            return Ok(Some(SplitRow {
                text: line,
                cells: &self.cells,
                starts: None,
                end,
                over_lines: None,
            }));
        }
        if !self.quoted.add(bytes, number, delimiter) {
            if self.quoted.text.len() > LONGEST {
                self.quoted.is_open = false;
                return Err(self.unclosed());
            }
            return Ok(None);
        }
        self.check_surplus()?;
        for &end in &self.quoted.ends {
            self.cells.push((start, end));
            start = end;
        }
        Ok(Some(SplitRow {
            text: utf8(&self.quoted.text, &self.source, number, 1)?,
            cells: &self.cells,
            starts: Some(&self.quoted.starts),
            end,
            over_lines: self.quoted.cell_of_lines(),
        }))
    }

    /// Fails if the last row lacks a closing quote.
    pub(crate) fn finish(&self) -> Result<()> {
        if self.is_within_row() { Err(self.unclosed()) } else { Ok(()) }
    }

    fn error(&self, (line, column): (u32, u32), message: &'static str) -> Error {
        Error::new(ErrorKind::Format, message).at(Position::new(&self.source, line, column))
    }

    /// Returns the error of a quote that does not close, at the start of the last cell.
    fn unclosed(&self) -> Error {
        let start = self.quoted.starts.last().copied().unwrap_or_default();
        self.unclosed_at(start)
    }

    fn unclosed_at(&self, start: (u32, u32)) -> Error {
        self.error(start, "a cell opens here with a quote that does not close")
            .coded(Code::CutOff)
            .hint("close it, or write a quote within as `\"\"`")
    }

    /// Fails if text follows a closing quote. If the quote opened in an earlier line, that quote is probably the
    /// mistake.
    fn check_surplus(&self) -> Result<()> {
        let Some((cell, place)) = self.quoted.surplus else { return Ok(()) };
        Err(match self.quoted.starts.get(cell) {
            Some(&start) if start.0 < place.0 => self.unclosed_at(start).with_place(
                Position::new(&self.source, place.0, place.1),
                "text follows the next quote here",
            ),
            _ => self
                .error(place, "text follows the closing quote of a cell")
                .hint("put the whole cell in quotes, and write a quote within as `\"\"`"),
        })
    }
}

impl<'r> SplitRow<'r> {
    /// Returns the number of cells.
    pub(crate) fn count(&self) -> usize {
        self.cells.len()
    }

    /// Returns all cells.
    pub(crate) fn cells(&self) -> impl Iterator<Item = &'r str> {
        let (text, cells) = (self.text, self.cells);
        cells.iter().map(move |&(start, end)| &text[start..end])
    }

    /// Returns a cell without the spaces around it.
    pub(crate) fn cell(&self, cell: usize) -> &'r str {
        let (start, end) = self.cells[cell];
        self.text[start..end].trim_ascii()
    }

    /// Returns the line and column at which a cell starts, or the end of the row if it has fewer cells.
    pub(crate) fn place(&self, cell: usize) -> (u32, u32) {
        let start = match self.starts {
            Some(starts) => starts.get(cell).copied(),
            None => self.cells.get(cell).map(|&(start, _)| (self.end.0, start as u32 + 1)),
        };
        start.unwrap_or(self.end)
    }

    /// Fails if the row has a different number of cells than the first one.
    pub(crate) fn check_count(&self, of_first: usize, source: &Arc<str>) -> Result<()> {
        if self.count() == of_first {
            return Ok(());
        }
        let cells = plural(self.count(), "cell", "cells");
        let at = |(line, column)| Position::new(source, line, column);
        let error = |message: String| Error::new(ErrorKind::Format, message).coded(Code::MissingColumn);
        Err(match self.over_lines {
            // A missing quote has probably joined lines.
            Some((start, last)) => error(format!(
                "a cell opens here with a quote and closes in line {last}, and its row has {cells}, but the first has \
                 {of_first}"
            ))
            .at(at(start))
            .hint("close the cell before the end of its line, and write a quote within as `\"\"`"),
            // The place is the first surplus cell, or the end of a row with too few cells.
            None => error(format!("this row has {cells}, but the first has {of_first}"))
                .at(at(self.place(of_first)))
                .hint("quote cells that contain the delimiter; look for a cut or joined line"),
        })
    }
}

/// A row with quotes, which may continue over several lines.
#[derive(Default)]
struct QuotedRow {
    /// True if the row continues in the next line.
    is_open: bool,
    state: CellState,
    /// The text of all cells without their quotes, and the end of each complete cell.
    text: Vec<u8>,
    ends: Vec<usize>,
    /// The line and column at which each cell starts.
    starts: Vec<(u32, u32)>,
    /// The first text after a closing quote: the number of its cell, and its line and column.
    surplus: Option<(usize, (u32, u32))>,
}

/// The place of the next byte in its cell.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum CellState {
    #[default]
    Start,
    WithoutQuotes,
    InQuotes,
    /// After a quote that closes the cell, or is the first of two that represent one.
    AfterQuote,
    AfterQuotes,
}

impl QuotedRow {
    /// Adds a line with its line end. Returns true when the row is complete.
    fn add(&mut self, line: &[u8], number: u32, delimiter: u8) -> bool {
        use CellState::{AfterQuote, AfterQuotes, InQuotes, Start, WithoutQuotes};
        let mut mark = 0;
        if !self.is_open {
            self.text.clear();
            self.ends.clear();
            self.starts.clear();
            (self.state, self.surplus) = (Start, None);
            mark = line.len() - without_mark(line).len();
        }
        for (column, &byte) in (1..).zip(line).skip(mark) {
            if self.state == Start {
                self.starts.push((number, column));
            }
            self.state = match (self.state, byte) {
                (Start, b'"') => InQuotes,
                (InQuotes, b'"') => AfterQuote,
                (InQuotes, _) | (AfterQuote, b'"') => {
                    self.text.push(byte);
                    InQuotes
                }
                (_, b'\n') => break,
                (_, byte) if byte == delimiter => {
                    self.ends.push(self.text.len());
                    Start
                }
                (Start | WithoutQuotes, _) => {
                    self.text.push(byte);
                    WithoutQuotes
                }
                (AfterQuote | AfterQuotes, _) => {
                    if !byte.is_ascii_whitespace() {
                        self.surplus.get_or_insert((self.ends.len(), (number, column)));
                    }
                    AfterQuotes
                }
            };
        }
        self.is_open = self.state == InQuotes;
        if !self.is_open {
            self.ends.push(self.text.len());
        }
        !self.is_open
    }

    /// Returns the start of the first cell that contains a line break, and the line in which it ends.
    fn cell_of_lines(&self) -> Option<((u32, u32), u32)> {
        memchr(b'\n', &self.text)?;
        let starts = std::iter::once(&0).chain(&self.ends);
        let breaks = |(&start, &end): (&usize, &usize)| memchr_iter(b'\n', &self.text[start..end]).count();
        let mut cells = self.starts.iter().zip(starts.zip(&self.ends).map(breaks));
        cells.find(|(_, breaks)| *breaks > 0).map(|(&start, breaks)| (start, start.0 + breaks as u32))
    }
}
