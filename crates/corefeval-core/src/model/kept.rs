//! Whole lines of a file, whose columns are extracted on request.
//!
//! Most of the word annotation in a file is never used: an analysis of errors only needs the words of mentions. Keeping
//! whole lines costs little more than keeping nothing, whereas copying each column takes several times as long as
//! reading the mentions. Lines of a mapped file are not copied; only their places are kept. Half of the time for copies
//! would be spent by the system on providing new memory.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use corefeval_system::mapped::Mapped;
use corefeval_system::memory::{AHEAD, fetch};
use corefeval_system::registers::{Wide, sixteen};
use corefeval_system::short::text;

use super::{LineNumbers, TextColumn};
use crate::scratch::Scratch;

/// Lines of one document, one word per line, columns separated by tabs.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptLines {
    text: KeptText,
    runs: Vec<Run>,
    /// The line number, in the file, of the line after the last one kept; 0 without lines.
    next: u32,
    /// The address after the last line of a mapped file, where the next one usually starts; 0 if unknown. The end of the
    /// text follows from it once all lines are kept.
    next_address: usize,
    /// The ends of the lines, each without its last column.
    ends: LineEnds,
}

/// Lines that are consecutive in the text and in the file. Only runs are kept, because most lines are never read.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// The start of the first line in the text.
    start: u32,
    /// The number of lines in the previous runs.
    before: u32,
    /// The line number of the first line in the file.
    number: u32,
}

/// The text that contains the lines. Each line ends at a line feed or at the end of the text.
#[derive(Clone, Debug)]
enum KeptText {
    /// Copies of the lines.
    Copied(Vec<u8>),
    /// A part of a mapped file. Its last lines need not be kept.
    Mapped(Arc<Mapped>, Range<usize>),
}

impl Default for KeptText {
    fn default() -> KeptText {
        KeptText::Copied(Vec::new())
    }
}

impl KeptText {
    /// Returns the text, possibly followed by more of the file, so that searches need not stop at the end of the text.
    #[inline(always)]
    fn bytes(&self) -> &[u8] {
        match self {
            KeptText::Copied(bytes) => bytes,
            KeptText::Mapped(file, place) => &file[place.start..],
        }
    }

    /// Returns the number of bytes.
    fn len(&self) -> usize {
        match self {
            KeptText::Copied(bytes) => bytes.len(),
            KeptText::Mapped(_, place) => place.len(),
        }
    }

    /// Returns the text and leaves an empty one with room for about as many bytes, because documents of one file are of
    /// similar size.
    fn take(&mut self) -> KeptText {
        let empty = match self {
            KeptText::Copied(bytes) => KeptText::Copied(Vec::with_capacity(bytes.len())),
            KeptText::Mapped(file, _) => KeptText::Mapped(Arc::clone(file), 0..0),
        };
        std::mem::replace(self, empty)
    }

    /// Adds lines, without the line feed of the last one. If the file is mapped, they must be part of it. Returns their
    /// place in the text, and whether they directly follow the previous lines.
    #[inline(always)]
    fn add(&mut self, lines: &[u8]) -> (usize, bool) {
        match self {
            KeptText::Copied(bytes) => {
                let place = bytes.len();
                bytes.extend_from_slice(lines);
                bytes.push(b'\n');
                (place, true)
            }
            KeptText::Mapped(file, place) => {
                let from = lines.as_ptr().addr() - file.as_ptr().addr();
                let follows = from == place.end + 1;
                if place.start == place.end {
                    place.start = from;
                }
                place.end = from + lines.len();
                (from - place.start, follows)
            }
        }
    }
}

/// The maximum size of the lines of one document, in bytes: places must fit in 32 bits.
const MOST: usize = 1 << 31;

impl KeptLines {
    /// Creates an empty list of lines of a mapped file.
    pub(crate) fn of_file(file: &Arc<Mapped>) -> KeptLines {
        KeptLines { text: KeptText::Mapped(Arc::clone(file), 0..0), ..KeptLines::default() }
    }

    /// Removes all lines and keeps their memory for reuse.
    pub(crate) fn clear(&mut self) {
        match &mut self.text {
            KeptText::Copied(bytes) => bytes.clear(),
            KeptText::Mapped(_, place) => *place = 0..0,
        }
        self.runs.clear();
        (self.next, self.next_address, self.ends) = (0, 0, LineEnds::default());
    }

    /// Returns whether more lines fit.
    pub(crate) fn has_room(&self) -> bool {
        let bytes = match &self.text {
            KeptText::Mapped(file, place) if self.next_address > 0 => {
                self.next_address - 1 - file.as_ptr().addr() - place.start
            }
            text => text.len(),
        };
        bytes < MOST
    }

    /// Keeps one line, which has no line feed; `described` is the line without its last column.
    #[inline(always)]
    pub(crate) fn push(&mut self, line: &[u8], described: &[u8], number: u32) {
        self.ends.see(described);
        self.add(line, 1, number);
    }

    /// Adds consecutive lines of a file, without the line feed of the last one. `number` is the number
    /// of the first line.
    #[inline(always)]
    fn add(&mut self, lines: &[u8], count: u32, number: u32) {
        // Nearly all lines of a mapped file directly follow the previous ones.
        if lines.as_ptr().addr() != self.next_address || number != self.next {
            return self.add_elsewhere(lines, count, number);
        }
        self.next += count;
        self.next_address += lines.len() + 1;
    }

    /// Adds lines that may not follow the previous ones.
    #[inline(never)]
    fn add_elsewhere(&mut self, lines: &[u8], count: u32, number: u32) {
        self.end_text();
        let before = self.count();
        let (start, follows) = self.text.add(lines);
        if !follows || number != self.next {
            self.runs.push(Run { start: start as u32, before, number });
        }
        self.next = number + count;
        if let KeptText::Mapped(..) = &self.text {
            self.next_address = lines.as_ptr().addr() + lines.len() + 1;
        }
    }

    /// Ends the text of a mapped file after the last line.
    fn end_text(&mut self) {
        if let KeptText::Mapped(file, place) = &mut self.text
            && self.next_address > 0
        {
            place.end = self.next_address - 1 - file.as_ptr().addr();
        }
    }

    /// Returns the number of lines.
    fn count(&self) -> u32 {
        self.runs.last().map_or(0, |run| run.before + (self.next - run.number))
    }

    /// Keeps consecutive lines of a block, with their line feeds. `ends` has seen all of them, and `number` is the number
    /// of the first line in the file.
    #[inline(always)]
    pub(crate) fn push_lines(&mut self, lines: &[u8], count: u32, number: u32, ends: LineEnds) {
        self.ends.include(ends);
        if count > 0 {
            // The last line of a file may have no line feed.
            self.add(lines.strip_suffix(b"\n").unwrap_or(lines), count, number);
        }
    }

    /// Returns the runs, each with the number of its lines.
    fn runs(&self) -> impl Iterator<Item = (&Run, u32)> {
        let ends = self.runs.iter().skip(1).map(|run| run.before).chain([self.count()]);
        self.runs.iter().zip(ends).map(|(run, end)| (run, end - run.before))
    }

    /// Returns the lines with their numbers in the file.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u8], u32)> {
        self.runs().flat_map(|(run, count)| {
            let lines = self.text.bytes()[run.start as usize..].split(|&byte| byte == b'\n');
            let lines = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
            lines.zip(run.number..run.number + count)
        })
    }

    /// Returns the columns at `places`, counted from 0, of lines with `columns` columns, together with the line
    /// numbers. The columns get memory of exactly their size, and the emptied list keeps its own memory for the next
    /// document. Returns `None` if the lines are not UTF-8.
    pub(crate) fn take_columns<const N: usize>(
        &mut self,
        columns: u32,
        places: [u32; N],
    ) -> Option<([TextColumn; N], LineNumbers)> {
        self.end_text();
        let (bytes, wide) = (&self.text.bytes()[..self.text.len()], Wide::detect());
        if !is_ascii(bytes, wide) && std::str::from_utf8(bytes).is_err() {
            return None;
        }
        let mut numbers = LineNumbers::default();
        numbers.reserve(self.runs.len());
        self.runs().for_each(|(run, count)| numbers.push_run(run.number, count));
        let text = self.text.take();
        let (runs, count, constant) = (self.runs.clone(), self.count(), self.ends.constant_columns(columns));
        let lines = Arc::new(LinesOfColumns { text, runs, count, starts: OnceLock::new(), constant, wide });
        self.clear();
        Some((places.map(|place| TextColumn::of_lines(Arc::clone(&lines), place)), numbers))
    }
}

/// The common parts of the ends of several lines. A file without annotation has the same character, such as `*` or `_`,
/// in the last columns of all lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineEnds {
    /// The bits that are set in the end of any line.
    any: u64,
    /// The bits that are set in the ends of all lines.
    all: u64,
}

impl Default for LineEnds {
    fn default() -> LineEnds {
        LineEnds { any: 0, all: u64::MAX }
    }
}

impl LineEnds {
    /// Adds a line. `described` is the line without its last column.
    #[inline(always)]
    pub(crate) fn see(&mut self, described: &[u8]) {
        let end = match described.last_chunk() {
            Some(end) => u64::from_le_bytes(*end),
            None => LineEnds::short(described),
        };
        self.include(LineEnds { any: end, all: end });
    }

    /// Returns a line that is shorter than an end, after zeros.
    #[cold]
    fn short(described: &[u8]) -> u64 {
        described.iter().fold(0, |end, byte| end >> 8 | u64::from(*byte) << 56)
    }

    #[inline(always)]
    fn include(&mut self, other: LineEnds) {
        self.any |= other.any;
        self.all &= other.all;
    }

    /// Returns the columns just before the last one that have the same character in all lines, up to the first that
    /// does not.
    fn constant_columns(self, columns: u32) -> ConstantColumns {
        // Each column takes two bytes, a tab and the character; the last columns are in the highest bits.
        let same = (self.any ^ self.all).leading_zeros() / 16;
        let pairs = self.any.to_le_bytes();
        let pairs = pairs.as_chunks::<2>().0.iter().rev().take(same as usize);
        let characters: Vec<u8> = pairs
            .map_while(|&[tab, character]| (tab == b'\t' && character != b'\t').then_some(character))
            .collect();
        let end = columns.saturating_sub(1);
        let mut constant =
            ConstantColumns { from: end.saturating_sub(characters.len() as u32), ..Default::default() };
        for (place, character) in characters.into_iter().rev().enumerate() {
            constant.characters[place] = character;
            constant.count += 1;
        }
        constant
    }
}

/// Columns that have the same character in all lines.
#[derive(Clone, Copy, Debug, Default)]
struct ConstantColumns {
    from: u32,
    count: u32,
    characters: [u8; 4],
}

impl ConstantColumns {
    /// Returns the cell that a column has in all lines.
    #[inline]
    fn cell(&self, column: u32) -> Option<&[u8]> {
        let place = column.checked_sub(self.from).filter(|place| *place < self.count)? as usize;
        Some(&self.characters[place..=place])
    }
}

/// Lines in which columns are looked up. Only the starts of lines are kept, because using new memory takes longer than
/// searching a line again.
#[derive(Debug)]
pub(super) struct LinesOfColumns {
    text: KeptText,
    runs: Vec<Run>,
    count: u32,
    /// The start of each line in the text. The starts are found at the first lookup, because lookups run in parallel
    /// and the reader of a file does not.
    starts: OnceLock<Vec<u32>>,
    constant: ConstantColumns,
    /// The wide registers of the processor, if it has them. The answer is stored because detection takes as long
    /// as searching a line.
    wide: Option<Wide>,
}

impl LinesOfColumns {
    /// Returns the mapped file that contains the lines, if they were not copied.
    pub(super) fn file(&self) -> Option<&Mapped> {
        match &self.text {
            KeptText::Mapped(file, _) => Some(file),
            KeptText::Copied(_) => None,
        }
    }

    /// Returns the number of lines.
    pub(super) fn len(&self) -> usize {
        self.count as usize
    }

    /// Returns their size in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.text.len()
    }

    /// Returns the start of each line, which is kept with the lines.
    #[inline]
    fn starts(&self) -> &[u32] {
        self.starts.get_or_init(|| {
            let mut starts = Vec::new();
            self.find_starts(&mut starts);
            starts
        })
    }

    /// Returns the lines with the start of each, which is released with the result.
    pub(super) fn located(&self) -> LocatedLines<'_> {
        let mut starts = Scratch::new();
        match self.starts.get() {
            Some(known) => starts.extend_from_slice(known),
            None => self.find_starts(&mut starts),
        }
        LocatedLines { lines: self, text: self.text.bytes(), starts }
    }

    /// Adds the start of each line to an empty list.
    fn find_starts(&self, starts: &mut Vec<u32>) {
        match self.wide {
            Some(wide) => wide.run(
                #[inline(always)]
                || self.find_starts_by(starts, |window| wide.find(window, b'\n')),
            ),
            None => self.find_starts_by(starts, |window| stops_in(window)[1]),
        }
    }

    /// Does the work of [`find_starts`](Self::find_starts). `find` returns the line feeds in a window.
    #[inline(always)]
    fn find_starts_by(&self, starts: &mut Vec<u32>, find: impl Fn(&[u8; WINDOW]) -> u64) {
        let text = self.text.bytes();
        // In the meantime, another program may have changed the file. Lines that no longer exist are empty.
        starts.resize(self.len(), text.len() as u32);
        for (place, run) in self.runs.iter().enumerate() {
            let end = self.runs.get(place + 1).map_or(self.count, |next| next.before);
            let Some((first, others)) = starts[run.before as usize..end as usize].split_first_mut() else {
                continue;
            };
            *first = run.start;
            let mut others = others.iter_mut();
            let (mut at, mut rest) = (run.start, text.get(run.start as usize..).unwrap_or_default());
            while others.len() > 0 && !rest.is_empty() {
                fetch(rest, AHEAD);
                let (mut ends, next) = match rest.split_first_chunk() {
                    Some((window, next)) => (find(window), next),
                    None => (stops_at_end(rest)[1], &[][..]),
                };
                while ends != 0
                    && let Some(start) = others.next()
                {
                    *start = at + ends.trailing_zeros() + 1;
                    ends &= ends - 1;
                }
                (at, rest) = (at + WINDOW as u32, next);
            }
        }
    }

    /// Returns the cell in a column of a line; empty if the line has fewer columns.
    #[inline]
    pub(super) fn cell(&self, index: usize, column: u32) -> Option<&str> {
        // In the meantime, another program may have changed the file.
        Some(text(self.bytes_of_cell(index, column)?).unwrap_or_default())
    }

    /// Returns the cell in a column of a line as bytes.
    #[inline]
    pub(super) fn bytes_of_cell(&self, index: usize, column: u32) -> Option<&[u8]> {
        if let Some(cell) = self.constant.cell(column).filter(|_| index < self.len()) {
            return Some(cell);
        }
        let (bytes, start) = (self.text.bytes(), *self.starts().get(index)?);
        let line = &bytes[start as usize..];
        Some(match self.wide {
            Some(wide) => wide.run(
                #[inline(always)]
                || {
                    let find = |window: &[u8; WINDOW]| [wide.find(window, b'\t'), wide.find(window, b'\n')];
                    cell(line, stops_of(bytes, start, find)[0], column)
                },
            ),
            None => cell(line, stops_of(bytes, start, stops_in)[0], column),
        })
    }

    /// Returns the column in bytes, from 1, where a cell of a line starts.
    pub(super) fn start(&self, index: usize, column: u32) -> Option<u32> {
        let (bytes, start) = (self.text.bytes(), *self.starts().get(index)?);
        let line = &bytes[start as usize..];
        let tabs = column.checked_sub(1).map(|before| memchr::memchr_iter(b'\t', line).nth(before as usize));
        tabs.map_or(Some(1), |tab| Some(tab? as u32 + 2))
    }

    /// Returns a column of the first line, without searching for the starts of all lines.
    pub(super) fn first(&self, column: u32) -> Option<&[u8]> {
        let (bytes, start) = (self.text.bytes(), self.runs.first()?.start);
        let line = bytes.get(start as usize..)?;
        Some(cell(line, stops_of(bytes, start, stops_in)[0], column))
    }

    /// Returns whether `fits` accepts any cell of a column. The lines are searched in order.
    pub(super) fn any(&self, column: u32, fits: impl Fn(&[u8]) -> bool) -> bool {
        self.any_in(|| self.starts(), column, fits)
    }

    /// Like [`any`](Self::any), with the starts of the lines, which are needed unless all cells are the same.
    fn any_in<'s>(&self, starts: impl Fn() -> &'s [u32], column: u32, fits: impl Fn(&[u8]) -> bool) -> bool {
        if let Some(cell) = self.constant.cell(column) {
            return self.len() > 0 && fits(cell);
        }
        match self.wide {
            Some(wide) => wide.run(
                #[inline(always)]
                || {
                    self.any_by(starts(), column, fits, |window| {
                        [wide.find(window, b'\t'), wide.find(window, b'\n')]
                    })
                },
            ),
            None => self.any_by(starts(), column, fits, stops_in),
        }
    }

    /// Does the work of [`any_in`](Self::any_in). `find` returns the tabs and line feeds in a window.
    #[inline(always)]
    fn any_by(
        &self,
        starts: &[u32],
        column: u32,
        fits: impl Fn(&[u8]) -> bool,
        find: impl Fn(&[u8; WINDOW]) -> [u64; 2],
    ) -> bool {
        let text = self.text.bytes();
        // Most lines have as many tabs as the first line, all of them within their window. In these lines, a column is
        // found from the nearer end of the line.
        let Some(&first) = starts.first() else { return false };
        let all = stops_of(text, first, &find)[0].count_ones();
        let after = all.checked_sub(column + 1).filter(|after| *after < column);
        // Loops are used, because the closures of iterators are not compiled for wide registers.
        for &start in starts {
            let [mut tabs, ends] = stops_of(text, start, &find);
            let found = match after {
                Some(after) if ends != 0 && tabs.count_ones() == all => {
                    for _ in 0..after {
                        tabs ^= 1 << last(tabs);
                    }
                    let end = last(tabs);
                    let from = last(tabs ^ 1 << end) + 1;
                    fits(&text[start as usize + from..start as usize + end])
                }
                _ => fits(cell(&text[start as usize..], tabs, column)),
            };
            if found {
                return true;
            }
        }
        false
    }
}

/// Lines with the start of each. Starts that are kept with the lines of all documents take new memory, which costs more
/// than finding them.
#[derive(Debug)]
pub(super) struct LocatedLines<'l> {
    lines: &'l LinesOfColumns,
    text: &'l [u8],
    starts: Scratch,
}

impl<'l> LocatedLines<'l> {
    /// Returns the lines without the start of each.
    #[inline]
    pub(super) fn lines(&self) -> &'l LinesOfColumns {
        self.lines
    }

    /// Returns a line in which cells can be looked up.
    #[inline]
    pub(super) fn line(&self, index: usize) -> Option<Line<'l>> {
        let text = &self.text[*self.starts.get(index)? as usize..];
        let tabs = match self.lines.wide {
            Some(wide) => wide.run(
                #[inline(always)]
                || stops_of(text, 0, |window| [wide.find(window, b'\t'), wide.find(window, b'\n')])[0],
            ),
            None => stops_of(text, 0, stops_in)[0],
        };
        Some(Line { lines: self.lines, text, tabs })
    }

    /// Returns whether `fits` accepts any cell of a column. The lines are searched in order.
    pub(super) fn any(&self, column: u32, fits: impl Fn(&[u8]) -> bool) -> bool {
        self.lines.any_in(|| &self.starts, column, fits)
    }
}

/// A line in which cells are looked up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'l> {
    lines: &'l LinesOfColumns,
    /// The line, and the text after it.
    text: &'l [u8],
    /// The tabs in the first window of the line.
    tabs: u64,
}

impl<'l> Line<'l> {
    /// Returns whether this is one of these lines.
    #[inline(always)]
    pub(super) fn is_of(&self, lines: &LinesOfColumns) -> bool {
        std::ptr::eq(self.lines, lines)
    }

    /// Returns the cell in a column; empty if the line has fewer columns.
    #[inline]
    pub(super) fn cell(&self, column: u32) -> &'l str {
        // In the meantime, another program may have changed the file.
        text(self.bytes_of_cell(column)).unwrap_or_default()
    }

    /// Like [`cell`](Self::cell), as bytes.
    #[inline]
    pub(super) fn bytes_of_cell(&self, column: u32) -> &'l [u8] {
        let constant = self.lines.constant.cell(column);
        constant.unwrap_or_else(|| cell(self.text, self.tabs, column))
    }
}

/// Returns whether all bytes are ASCII. With wide registers this takes a quarter of the time of the standard library.
fn is_ascii(bytes: &[u8], wide: Option<Wide>) -> bool {
    let Some(wide) = wide else { return bytes.is_ascii() };
    let (blocks, rest) = bytes.as_chunks::<256>();
    rest.is_ascii()
        && wide.run(
            #[inline(always)]
            || {
                // Loops are used, because the closures of iterators are not compiled for wide registers.
                for block in blocks {
                    let mut all = 0;
                    for word in block.as_chunks().0 {
                        all |= u64::from_ne_bytes(*word);
                    }
                    if all & u64::from_ne_bytes([0x80; 8]) != 0 {
                        return false;
                    }
                }
                true
            },
        )
}

/// Returns the place of the highest bit that is set.
#[inline(always)]
fn last(bits: u64) -> usize {
    63 - bits.leading_zeros() as usize
}

/// Returns one bit for each tab of a line within the first window, and one for each line feed in that window.
#[inline(always)]
fn stops_of(text: &[u8], start: u32, find: impl Fn(&[u8; WINDOW]) -> [u64; 2]) -> [u64; 2] {
    let [tabs, ends] = match text[start as usize..].first_chunk() {
        Some(window) => find(window),
        None => stops_at_end(&text[start as usize..]),
    };
    // Keeps only the tabs before the first line end.
    [tabs & (ends ^ ends.wrapping_sub(1)), ends]
}

/// Returns the cell in `column`, counted from 0, of the line that a text starts with. `tabs` are the tabs in the line's
/// first window, which contains most cells together with the tab after them.
#[inline(always)]
fn cell(text: &[u8], mut tabs: u64, column: u32) -> &[u8] {
    for _ in 1..column {
        tabs &= tabs.wrapping_sub(1);
    }
    let (from, after) = match column {
        0 => (0, tabs),
        _ => (tabs.trailing_zeros() as usize + 1, tabs & tabs.wrapping_sub(1)),
    };
    match after {
        0 => distant_cell(text, column),
        _ => &text[from..after.trailing_zeros() as usize],
    }
}

/// Returns the cell in `column` by searching the whole line, for cells outside the first window.
#[inline(never)]
fn distant_cell(text: &[u8], column: u32) -> &[u8] {
    let mut from = 0;
    let mut column = column;
    for stop in memchr::memchr2_iter(b'\t', b'\n', text) {
        let cell = &text[from..stop];
        match (column, text[stop]) {
            (0, b'\t') => return cell,
            (0, _) => return cell.strip_suffix(b"\r").unwrap_or(cell),
            (_, b'\t') => (from, column) = (stop + 1, column - 1),
            (_, _) => return b"",
        }
    }
    let cell = &text[from..];
    if column == 0 { cell.strip_suffix(b"\r").unwrap_or(cell) } else { b"" }
}

/// The number of bytes that are searched for tabs at once. Most lines are not longer.
const WINDOW: usize = 64;

/// Returns a bit for each tab, and for each line feed, among the last bytes of a text, fewer than a window.
#[inline(never)]
fn stops_at_end(text: &[u8]) -> [u64; 2] {
    let mut window = [0; WINDOW];
    window[..text.len()].copy_from_slice(text);
    stops_in(&window)
}

/// Returns a bit for each tab, and for each line feed, of a window.
#[inline]
fn stops_in(window: &[u8; WINDOW]) -> [u64; 2] {
    let (chunks, _) = window.as_chunks::<16>();
    [b'\t', b'\n'].map(|byte| {
        let bits = chunks.iter().enumerate().map(|(place, chunk)| sixteen(chunk, byte) << (16 * place));
        bits.fold(0, |all, bits| all | bits)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_agree_with_a_plain_split() {
        let mut kept = KeptLines::default();
        let mut plain: Vec<Vec<String>> = Vec::new();
        for length in 0..150usize {
            for step in [1, 2, 3, 5, 7, 16, 17, 31, 40] {
                let line: String =
                    (0..length).map(|n| if n % step == step - 1 { '\t' } else { 'é' }).collect();
                kept.push(line.as_bytes(), b"", plain.len() as u32 + 1);
                plain.push(line.split('\t').map(str::to_owned).collect());
            }
        }
        let (columns, numbers) = kept.take_columns(12, [0, 1, 2, 3, 8, 20]).unwrap();
        assert_eq!(numbers, (1..=plain.len() as u32).collect());
        for (column, place) in columns.iter().zip([0, 1, 2, 3, 8, 20]) {
            let wanted: Vec<&str> =
                plain.iter().map(|cells| cells.get(place).map_or("", String::as_str)).collect();
            assert_eq!(column.first(), wanted.first().copied(), "column {place}");
            assert_eq!(column.iter().collect::<Vec<_>>(), wanted, "column {place}");
            let seen = std::cell::RefCell::new(Vec::new());
            let note = |cell: &[u8]| {
                seen.borrow_mut().push(String::from_utf8_lossy(cell).into_owned());
                false
            };
            assert!(!column.any(note));
            assert_eq!(seen.into_inner(), wanted, "column {place}");
        }
        assert!(columns[0].any(|cell| cell.len() == 4) && !columns[5].any(|cell| cell.contains(&b'\t')));
    }

    #[test]
    fn a_column_of_lines_with_equally_many_tabs_is_searched_from_their_ends() {
        let mut plain: Vec<Vec<String>> = Vec::new();
        for length in 0..200usize {
            // Some lines have one cell more or less, and some are longer than a window.
            let cells = 13 + usize::from(length % 17 == 16) - usize::from(length % 19 == 18);
            let cell = |n: usize| "x".repeat((length * 7 + n * n) % if length % 23 == 22 { 40 } else { 6 });
            plain.push((0..cells).map(cell).collect());
        }
        for numbered in [0, 300] {
            let mut kept = KeptLines::default();
            for cells in &plain {
                let mut line = cells.join("\t");
                line.extend(std::iter::repeat_n('y', if cells.len() == 13 { numbered } else { 0 }));
                kept.push(line.as_bytes(), b"", 1);
            }
            let (columns, _) =
                kept.take_columns(13, std::array::from_fn::<u32, 12, _>(|place| place as u32)).unwrap();
            for (place, column) in columns.iter().enumerate() {
                let wanted: Vec<&str> =
                    plain.iter().map(|cells| cells.get(place).map_or("", String::as_str)).collect();
                let seen = std::cell::RefCell::new(Vec::new());
                assert!(!column.any(|cell| {
                    seen.borrow_mut().push(String::from_utf8_lossy(cell).into_owned());
                    false
                }));
                assert_eq!(seen.into_inner(), wanted, "column {place}");
                assert_eq!(column.iter().collect::<Vec<_>>(), wanted, "column {place}");
            }
        }
    }

    #[test]
    fn columns_with_one_character_in_all_lines_are_known() {
        for (ends, wanted) in [
            (["\tNN\t-\t*\t*", "\tVB\t-\t*\t*"], "-**"),
            (["\t_\t_\t_\t_\t_\t_\t_\t_\t_", "\tx\t_\t_\t_\t_\t_\t_\t_\t_"], "____"),
            (["\t-\t(ORG)\t*", "\t-\t*\t*"], "*"),
            (["\t-\t*\t*", "\t-\t*\t(V*"], ""),
            (["\t-\t*\t_", "\t-\t*\t-"], ""),
            (["\t-\t*\t", "\t-\t*\t"], ""),
            (["\t-\t\t*\t*", "\t-\t\t*\t*"], "**"),
            (["\t_", ""], ""),
        ] {
            for short in [true, false] {
                let [first, second] =
                    ends.map(|end| if short { format!("w{end}") } else { format!("a\t0\t1\tword{end}") });
                let mut kept = KeptLines::default();
                kept.push(format!("{first}\t(0)").as_bytes(), first.as_bytes(), 1);
                let mut ends = LineEnds::default();
                ends.see(second.as_bytes());
                kept.push_lines(format!("{second}\t-\n").as_bytes(), 1, 2, ends);
                let columns = first.split('\t').count() as u32 + 1;
                let constant = kept.ends.constant_columns(columns);
                let known = (0..columns)
                    .filter_map(|column| constant.cell(column))
                    .flatten()
                    .map(|byte| *byte as char);
                let known: String = known.collect();
                assert_eq!(known, wanted, "{first} {second}");
                if first.split('\t').count() != second.split('\t').count() {
                    continue;
                }
                let places: [u32; 14] = std::array::from_fn(|place| place as u32);
                let (columns, _) = kept.take_columns(columns, places).unwrap();
                for (place, column) in columns.iter().enumerate().take(first.split('\t').count()) {
                    let cells = [&first, &second].map(|line| line.split('\t').nth(place).unwrap_or_default());
                    assert_eq!(column.iter().collect::<Vec<_>>(), cells, "{first} {second}");
                    assert!(
                        cells.iter().all(|cell| column.any(|other| other == cell.as_bytes())),
                        "{first} {second}"
                    );
                    assert!(!column.any(|cell| cells.iter().all(|other| other.as_bytes() != cell)));
                }
            }
        }
    }

    #[test]
    fn lines_of_a_block_are_kept_as_single_lines_are() {
        let block = b"x\ta\tb\nx\tc\n\nx\td\te";
        let (mut one, mut other) = (KeptLines::default(), KeptLines::default());
        for (lines, count, number) in [(0..10, 2, 7), (11..block.len(), 1, 10)] {
            let mut ends = LineEnds::default();
            ends.see(b"x");
            one.push_lines(&block[lines], count, number, ends);
        }
        for (line, number) in [("x\ta\tb", 7), ("x\tc", 8), ("x\td\te", 10)] {
            other.push(line.as_bytes(), b"x", number);
        }
        assert_eq!(one.iter().collect::<Vec<_>>(), other.iter().collect::<Vec<_>>());
        let columns = [one, other].map(|mut kept| kept.take_columns(3, [1, 2]).unwrap());
        assert_eq!(columns[0], columns[1]);
        let ([first, second], numbers) = &columns[0];
        assert!(first.iter().eq(["a", "c", "d"]) && second.iter().eq(["b", "", "e"]));
        assert!(numbers.iter().eq([7, 8, 10]));
        let mut broken = KeptLines::default();
        broken.push(b"x\t\xff", b"x", 1);
        assert!(broken.take_columns(2, [0]).is_none() && broken.iter().count() == 1);
    }

    #[test]
    fn lines_that_another_program_has_removed_are_empty() {
        for (text, second) in [(&b"x\ta\nx\tb"[..], "b"), (b"x\ta\n", ""), (b"x\ta\n\n\n", "")] {
            let runs = vec![Run { start: 0, before: 0, number: 1 }, Run { start: 4, before: 1, number: 7 }];
            let (text, starts, wide) = (KeptText::Copied(text.to_vec()), OnceLock::new(), Wide::detect());
            let lines =
                LinesOfColumns { text, runs, count: 5, starts, constant: ConstantColumns::default(), wide };
            let located = lines.located();
            let cells = (0..6).map(|line| located.line(line).map(|line| line.cell(1)));
            let wanted = ["a", second, "", "", ""].map(Some).into_iter().chain([None]);
            assert!(cells.eq(wanted));
        }
    }
}
