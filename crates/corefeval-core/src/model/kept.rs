//! Whole lines of a file, whose columns are extracted on request.
//!
//! Most of the word annotation in a file is never used: an analysis of errors only needs the words of mentions.
//! Keeping whole lines costs little more than not keeping anything, where a copy of each column takes several times
//! as long as reading the mentions.

use std::sync::Arc;

use corefeval_system::registers::{Wide, sixteen};

use super::Column;

/// Lines of one document, a line a word, columns separated by tabs.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptLines {
    /// The lines, each with its line feed.
    text: Vec<u8>,
    /// The end of each line, one past its line feed.
    ends: Vec<u32>,
    /// The line of the file, from 1.
    numbers: Vec<u32>,
}

/// The largest size of the lines of one document in bytes, for places of 32 bits.
const MOST: usize = 1 << 31;

impl KeptLines {
    /// An empty list, with memory for as many lines as `other` has: documents of one file are of similar size.
    pub(crate) fn like(other: &KeptLines) -> KeptLines {
        KeptLines {
            text: Vec::with_capacity(other.text.len()),
            ends: Vec::with_capacity(other.ends.len()),
            numbers: Vec::with_capacity(other.numbers.len()),
        }
    }

    /// Returns whether more lines fit.
    pub(crate) fn has_room(&self) -> bool {
        self.text.len() < MOST
    }

    /// Keeps one line, which has no line feed.
    pub(crate) fn push(&mut self, line: &[u8], number: u32) {
        self.text.extend_from_slice(line);
        self.text.push(b'\n');
        self.ends.push(self.text.len() as u32);
        self.numbers.push(number);
    }

    /// Starts to store consecutive lines of a block, the first of which begins at `from`.
    #[inline(always)]
    pub(crate) fn run(&mut self, from: usize) -> Run<'_> {
        let (base, before) = (self.text.len(), self.ends.len());
        Run { kept: self, base, before, from, to: from }
    }

    /// The lines with their numbers in the file.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u8], u32)> {
        (0..self.ends.len()).map(|index| (&self.text[self.range(index)], self.numbers[index]))
    }

    fn range(&self, index: usize) -> std::ops::Range<usize> {
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        start..self.ends[index] as usize - 1
    }

    /// The columns of these places, from 0, and the lines' numbers. Returns the lines if they are not UTF-8.
    pub(crate) fn into_columns<const N: usize>(
        self,
        places: [u32; N],
    ) -> Result<([Column; N], Vec<u32>), KeptLines> {
        let KeptLines { text, ends, numbers } = self;
        match String::from_utf8(text) {
            Ok(text) => {
                let lines = Arc::new(LinesOfColumns { text, ends });
                Ok((places.map(|place| Column::of_lines(Arc::clone(&lines), place)), numbers))
            }
            Err(error) => Err(KeptLines { text: error.into_bytes(), ends, numbers }),
        }
    }
}

/// Lines of a block that follow one another.
pub(crate) struct Run<'k> {
    kept: &'k mut KeptLines,
    /// The previous length of the text in bytes and in lines.
    base: usize,
    before: usize,
    /// The places of the lines in the block.
    from: usize,
    to: usize,
}

impl Run<'_> {
    /// Keeps the next line. The line after it begins at `next` of the block.
    #[inline(always)]
    pub(crate) fn push(&mut self, next: usize) {
        self.to = next;
        self.kept.ends.push((self.base + next - self.from) as u32);
    }

    /// Takes the text of the lines from their block. The first has this number.
    #[inline(always)]
    pub(crate) fn finish(self, block: &[u8], number: u32) {
        let Run { kept, before, from, to, .. } = self;
        kept.text.extend_from_slice(&block[from..to]);
        let added = (kept.ends.len() - before) as u32;
        kept.numbers.extend(number..number + added);
        // The last line of a file may have no line feed.
        if to > from && block[to - 1] != b'\n' {
            kept.text.push(b'\n');
            kept.ends.last_mut().into_iter().for_each(|end| *end += 1);
        }
    }
}

/// The lines in which columns are looked up.
#[derive(Debug)]
pub(super) struct LinesOfColumns {
    text: String,
    ends: Vec<u32>,
}

impl LinesOfColumns {
    /// The number of lines.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns their size in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.text.len()
    }

    /// The cell of a line in a column; empty if the line has fewer columns.
    pub(super) fn cell(&self, index: usize, column: u32) -> Option<&str> {
        let end = *self.ends.get(index)? as usize - 1;
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        let (start, end) = cell(self.text.as_bytes(), (start, end), column);
        Some(&self.text[start..end])
    }

    /// Returns whether any cell of a column fits, looking at all lines one after the other.
    pub(super) fn any(&self, column: u32, fits: impl Fn(&[u8]) -> bool) -> bool {
        match Wide::detect() {
            Some(wide) => wide.run(
                #[inline(always)]
                || self.any_by(column, fits, |window| wide.find(window, b'\t')),
            ),
            None => self.any_by(column, fits, tabs_in),
        }
    }

    /// The same with a way to find the tabs of a window.
    #[inline(always)]
    fn any_by(&self, column: u32, fits: impl Fn(&[u8]) -> bool, find: impl Fn(&[u8; WINDOW]) -> u64) -> bool {
        let text = self.text.as_bytes();
        let mut start = 0;
        for &end in &self.ends {
            let line = (start, end as usize - 1);
            start = end as usize;
            let near = text[line.0..].first_chunk().and_then(|window| near(find(window), line, column));
            let (from, to) = near.unwrap_or_else(|| cell(text, line, column));
            if fits(&text[from..to]) {
                return true;
            }
        }
        false
    }
}

/// Returns the start and end of a cell in the line `start..end` of a text: the `column`th between tabs, from 0.
#[inline]
fn cell(text: &[u8], (start, end): (usize, usize), column: u32) -> (usize, usize) {
    let first = text[start..].first_chunk().and_then(|window| near(tabs_in(window), (start, end), column));
    first.unwrap_or_else(|| distant_cell(text, (start, end), column))
}

/// The same for the cells that the first window holds with the tab after them, which are most: `tabs` has a bit for
/// each of its tabs.
#[inline(always)]
fn near(tabs: u64, (start, end): (usize, usize), column: u32) -> Option<(usize, usize)> {
    let mut tabs = tabs;
    for _ in 1..column {
        tabs &= tabs.wrapping_sub(1);
    }
    let (from, after) = match column {
        0 => (start, tabs),
        _ => (start + tabs.trailing_zeros() as usize + 1, tabs & tabs.wrapping_sub(1)),
    };
    let to = start + after.trailing_zeros() as usize;
    (after != 0 && to < end).then_some((from, to))
}

/// The same for any cell.
fn distant_cell(text: &[u8], (start, end): (usize, usize), column: u32) -> (usize, usize) {
    let mut skip = column;
    let mut first = (skip == 0).then_some(start);
    let mut at = start;
    while at < end {
        let mut tabs = tabs_of(text, at);
        if first.is_none() {
            while skip > 1 && tabs != 0 {
                tabs &= tabs - 1;
                skip -= 1;
            }
            if tabs == 0 {
                at += WINDOW;
                continue;
            }
            let from = at + tabs.trailing_zeros() as usize + 1;
            // The columns of the next line follow after the end.
            if from > end {
                return (end, end);
            }
            first = Some(from);
            tabs &= tabs - 1;
        }
        if let (Some(first), true) = (first, tabs != 0) {
            return (first, (at + tabs.trailing_zeros() as usize).min(end));
        }
        at += WINDOW;
    }
    (first.unwrap_or(end), end)
}

/// The number of bytes that are searched for tabs at once: the length of most lines.
const WINDOW: usize = 64;

/// A bit for each tab among the bytes from `at` on.
#[inline]
fn tabs_of(text: &[u8], at: usize) -> u64 {
    match text[at..].first_chunk() {
        Some(window) => tabs_in(window),
        None => {
            let mut window = [0; WINDOW];
            window[..text.len() - at].copy_from_slice(&text[at..]);
            tabs_in(&window)
        }
    }
}

/// A bit for each tab of a window.
#[inline]
fn tabs_in(window: &[u8; WINDOW]) -> u64 {
    let (chunks, _) = window.as_chunks::<16>();
    let bits = chunks.iter().enumerate().map(|(place, chunk)| sixteen(chunk, b'\t') << (16 * place));
    bits.fold(0, |all, bits| all | bits)
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
