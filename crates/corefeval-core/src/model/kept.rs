//! Whole lines of a file, whose columns are extracted on request.
//!
//! Most of the word annotation in a file is never used: an analysis of errors only needs the words of mentions.
//! Keeping whole lines costs little more than not keeping anything, where a copy of each column takes several times
//! as long as reading the mentions. Lines of a mapped file stay there, and only their places are kept: half of the time
//! that copies take is the system's, for memory that was not in use before.

use std::ops::Range;
use std::sync::Arc;

use corefeval_system::mapped::Mapped;
use corefeval_system::registers::{Wide, sixteen};
use corefeval_system::short::text;
use memchr::memchr;

use super::Column;

/// Lines of one document, a line a word, columns separated by tabs.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptLines {
    text: Text,
    /// The start of each line in the text.
    starts: Vec<u32>,
    /// The line of the file, from 1.
    numbers: Vec<u32>,
}

/// The text that lines are in, each up to a line feed or the end.
#[derive(Clone, Debug)]
enum Text {
    /// Copies of the lines.
    Copied(Vec<u8>),
    /// A part of a mapped file. Its last lines need not be kept.
    Mapped(Arc<Mapped>, Range<usize>),
}

impl Default for Text {
    fn default() -> Text {
        Text::Copied(Vec::new())
    }
}

impl Text {
    /// The text, and possibly more of the file after it, so that searches need not stop at its end.
    #[inline(always)]
    fn bytes(&self) -> &[u8] {
        match self {
            Text::Copied(bytes) => bytes,
            Text::Mapped(file, place) => &file[place.start..],
        }
    }

    /// The number of bytes.
    fn len(&self) -> usize {
        match self {
            Text::Copied(bytes) => bytes.len(),
            Text::Mapped(_, place) => place.len(),
        }
    }

    /// Adds lines, a part of the file if this is mapped, and returns their place in the text.
    #[inline(always)]
    fn add(&mut self, lines: &[u8]) -> usize {
        match self {
            Text::Copied(bytes) => {
                let place = bytes.len();
                bytes.extend_from_slice(lines);
                // The last line of a file may have no line feed.
                if lines.last() != Some(&b'\n') {
                    bytes.push(b'\n');
                }
                place
            }
            Text::Mapped(file, place) => {
                let from = lines.as_ptr().addr() - file.as_ptr().addr();
                if place.start == place.end {
                    place.start = from;
                }
                place.end = from + lines.len();
                from - place.start
            }
        }
    }
}

/// The largest size of the lines of one document in bytes, for places of 32 bits.
const MOST: usize = 1 << 31;

impl KeptLines {
    /// An empty list of lines, of `file` if there is one, with memory for as many as `before` has: documents of one file
    /// are of similar size.
    pub(crate) fn like(before: &KeptLines, file: Option<&Arc<Mapped>>) -> KeptLines {
        KeptLines {
            text: match file {
                Some(file) => Text::Mapped(Arc::clone(file), 0..0),
                None => Text::Copied(Vec::with_capacity(before.text.len())),
            },
            starts: Vec::with_capacity(before.starts.len()),
            numbers: Vec::with_capacity(before.numbers.len()),
        }
    }

    /// Returns whether more lines fit.
    pub(crate) fn has_room(&self) -> bool {
        self.text.len() < MOST
    }

    /// Keeps one line, which has no line feed.
    pub(crate) fn push(&mut self, line: &[u8], number: u32) {
        self.starts.push(self.text.add(line) as u32);
        self.numbers.push(number);
    }

    /// Starts to store consecutive lines of a block, the first of which begins at `from`.
    #[inline(always)]
    pub(crate) fn run(&mut self, from: usize) -> Run<'_> {
        let before = self.starts.len();
        Run { kept: self, before, from, to: from }
    }

    /// The lines with their numbers in the file.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u8], u32)> {
        let line = |&start: &u32| {
            let rest = &self.text.bytes()[start as usize..];
            let line = &rest[..memchr(b'\n', rest).unwrap_or(rest.len())];
            line.strip_suffix(b"\r").unwrap_or(line)
        };
        self.starts.iter().map(line).zip(self.numbers.iter().copied())
    }

    /// The columns of these places, from 0, and the lines' numbers. Returns the lines if they are not UTF-8.
    pub(crate) fn into_columns<const N: usize>(
        self,
        places: [u32; N],
    ) -> Result<([Column; N], Vec<u32>), KeptLines> {
        if std::str::from_utf8(&self.text.bytes()[..self.text.len()]).is_err() {
            return Err(self);
        }
        let KeptLines { text, starts, numbers } = self;
        let tabs = tabs_of_lines(text.bytes(), &starts);
        let lines = Arc::new(LinesOfColumns { text, starts, tabs });
        Ok((places.map(|place| Column::of_lines(Arc::clone(&lines), place)), numbers))
    }
}

/// Lines of a block that follow one another.
pub(crate) struct Run<'k> {
    kept: &'k mut KeptLines,
    /// The previous number of lines.
    before: usize,
    /// The places of the lines in the block.
    from: usize,
    to: usize,
}

impl Run<'_> {
    /// Keeps the next line. The line after it begins at `next` of the block.
    #[inline(always)]
    pub(crate) fn push(&mut self, next: usize) {
        self.kept.starts.push((self.to - self.from) as u32);
        self.to = next;
    }

    /// Takes the text of the lines from their block. The first has this number.
    #[inline(always)]
    pub(crate) fn finish(self, block: &[u8], number: u32) {
        let Run { kept, before, from, to } = self;
        if from < to {
            let place = kept.text.add(&block[from..to]) as u32;
            let starts = &mut kept.starts[before..];
            starts.iter_mut().for_each(|start| *start += place);
            let added = starts.len() as u32;
            kept.numbers.extend(number..number + added);
        }
    }
}

/// The lines in which columns are looked up.
#[derive(Debug)]
pub(super) struct LinesOfColumns {
    text: Text,
    starts: Vec<u32>,
    /// For each line a bit for each tab among its first bytes.
    tabs: Vec<u64>,
}

/// The tabs at the beginning of each line.
fn tabs_of_lines(text: &[u8], starts: &[u32]) -> Vec<u64> {
    match Wide::detect() {
        Some(wide) => wide.run(
            #[inline(always)]
            || tabs_by(text, starts, |window| [wide.find(window, b'\t'), wide.find(window, b'\n')]),
        ),
        None => tabs_by(text, starts, stops_in),
    }
}

/// The same with a way to find the tabs and line feeds of a window.
#[inline(always)]
fn tabs_by(text: &[u8], starts: &[u32], find: impl Fn(&[u8; WINDOW]) -> [u64; 2]) -> Vec<u64> {
    let mut all = Vec::with_capacity(starts.len());
    for &start in starts {
        let [tabs, ends] = match text[start as usize..].first_chunk() {
            Some(window) => find(window),
            None => stops_of(text, start as usize),
        };
        // All bits below the first line end.
        all.push(tabs & (ends ^ ends.wrapping_sub(1)));
    }
    all
}

impl LinesOfColumns {
    /// The number of lines.
    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Returns their size in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.text.len()
    }

    /// The cell of a line in a column; empty if the line has fewer columns.
    pub(super) fn cell(&self, index: usize, column: u32) -> Option<&str> {
        let cell = cell(self.text.bytes(), *self.starts.get(index)?, self.tabs[index], column);
        // Another program may have changed the file in the meantime.
        Some(text(cell).unwrap_or_default())
    }

    /// Returns whether any cell of a column fits, looking at all lines one after the other.
    pub(super) fn any(&self, column: u32, fits: impl Fn(&[u8]) -> bool) -> bool {
        let text = self.text.bytes();
        self.starts.iter().zip(&self.tabs).any(|(&start, &tabs)| fits(cell(text, start, tabs, column)))
    }
}

/// Returns a cell of the line that begins at `start` of a text: the `column`th between tabs, from 0. `tabs` are those in
/// the line's first window, which has most cells with the tab after them.
#[inline(always)]
fn cell(text: &[u8], start: u32, mut tabs: u64, column: u32) -> &[u8] {
    let start = start as usize;
    for _ in 1..column {
        tabs &= tabs.wrapping_sub(1);
    }
    let (from, after) = match column {
        0 => (start, tabs),
        _ => (start + tabs.trailing_zeros() as usize + 1, tabs & tabs.wrapping_sub(1)),
    };
    match after {
        0 => distant_cell(text, start, column),
        _ => &text[from..start + after.trailing_zeros() as usize],
    }
}

/// The same for any cell.
#[inline(never)]
fn distant_cell(text: &[u8], start: usize, column: u32) -> &[u8] {
    let line = text[start..].split(|&byte| byte == b'\n').next().unwrap_or_default();
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    line.split(|&byte| byte == b'\t').nth(column as usize).unwrap_or_default()
}

/// The number of bytes that are searched for tabs at once: the length of most lines.
const WINDOW: usize = 64;

/// A bit for each tab, and for each line feed, among the last bytes of a text.
fn stops_of(text: &[u8], at: usize) -> [u64; 2] {
    let mut window = [0; WINDOW];
    window[..text.len() - at].copy_from_slice(&text[at..]);
    stops_in(&window)
}

/// A bit for each tab, and for each line feed, of a window.
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
    fn cells_are_those_of_a_plain_split() {
        let mut kept = KeptLines::default();
        let mut plain: Vec<Vec<String>> = Vec::new();
        for length in 0..150usize {
            for step in [1, 2, 3, 5, 7, 16, 17, 31, 40] {
                let line: String =
                    (0..length).map(|n| if n % step == step - 1 { '\t' } else { 'é' }).collect();
                kept.push(line.as_bytes(), plain.len() as u32 + 1);
                plain.push(line.split('\t').map(str::to_owned).collect());
            }
        }
        let (columns, numbers) = kept.into_columns([0, 1, 2, 3, 8, 20]).unwrap();
        assert_eq!(numbers, (1..=plain.len() as u32).collect::<Vec<_>>());
        for (column, place) in columns.iter().zip([0, 1, 2, 3, 8, 20]) {
            let wanted: Vec<&str> =
                plain.iter().map(|cells| cells.get(place).map_or("", String::as_str)).collect();
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
    fn lines_of_a_block_are_kept_as_single_lines_are() {
        let block = b"x\ta\tb\nx\tc\n\nx\td\te";
        let (mut one, mut other) = (KeptLines::default(), KeptLines::default());
        for (from, number, nexts) in [(0, 7, &[6, 10][..]), (11, 10, &[block.len()])] {
            let mut run = one.run(from);
            nexts.iter().for_each(|&next| run.push(next));
            run.finish(block, number);
        }
        for (line, number) in [("x\ta\tb", 7), ("x\tc", 8), ("x\td\te", 10)] {
            other.push(line.as_bytes(), number);
        }
        assert_eq!(one.iter().collect::<Vec<_>>(), other.iter().collect::<Vec<_>>());
        assert!(one.into_columns([0]).is_ok());
        let mut broken = KeptLines::default();
        broken.push(b"x\t\xff", 1);
        assert_eq!(broken.into_columns([0]).unwrap_err().iter().count(), 1);
    }
}
