//! The rows of plain tables, block by block.

use std::io::{self, Read};

use memchr::{memchr2, memchr2_iter, memrchr};

use super::ranges::RangeReader;
use crate::formats::{PlainColumns, without_mark};

/// The number of bytes whose rows are found at a time. They stay in the cache until their rows are divided among the
/// parts.
const BLOCK: usize = 1 << 17;

/// The error for a table with quotes, a mistake, or anything else that plain rows lack. The general reader of tables
/// reads it instead.
#[derive(Debug)]
pub(super) struct NotPlain;

impl From<io::Error> for NotPlain {
    fn from(_: io::Error) -> NotPlain {
        NotPlain
    }
}

/// The start and end of a row's mention and of its entity in their block.
#[derive(Clone, Copy)]
pub(super) struct RowPlaces {
    mention: (u32, u32),
    entity: (u32, u32),
}

impl RowPlaces {
    pub(super) fn new(mention: (u32, u32), entity: (u32, u32)) -> RowPlaces {
        RowPlaces { mention, entity }
    }

    #[inline]
    pub(super) fn mention<'b>(&self, block: &'b [u8]) -> &'b [u8] {
        &block[self.mention.0 as usize..self.mention.1 as usize]
    }

    #[inline]
    pub(super) fn entity<'b>(&self, block: &'b [u8]) -> &'b [u8] {
        &block[self.entity.0 as usize..self.entity.1 as usize]
    }
}

/// Calls `each` with all rows of a range of a table, block by block. The first range contains the column names.
pub(super) fn read(
    mut range: RangeReader<'_>,
    columns: &PlainColumns,
    is_first: bool,
    mut each: impl FnMut(&[u8], &[RowPlaces]) -> Result<(), NotPlain>,
) -> Result<(), NotPlain> {
    let mut buffer = vec![0; BLOCK + range.stride()];
    let (mut filled, mut first) = (0, is_first);
    let mut rows = Vec::new();
    loop {
        let count = match range.read(&mut buffer[filled..]) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        filled += count;
        let mut start = 0;
        while filled - start >= BLOCK || count == 0 {
            let rest = &buffer[start..filled];
            let end = match rest.get(..BLOCK) {
                Some(block) => memrchr(b'\n', block).ok_or(NotPlain)? + 1,
                None => rest.len(),
            };
            let block = if first { without_mark(&rest[..end]) } else { &rest[..end] };
            rows.clear();
            find_rows(block, columns, &mut rows)?;
            let named = usize::from(first && columns.named && !rows.is_empty());
            each(block, &rows[named..])?;
            first &= rows.is_empty();
            start += end;
            if count == 0 && start == filled {
                return Ok(());
            }
        }
        buffer.copy_within(start..filled, 0);
        filled -= start;
    }
}

/// Finds the rows of whole lines.
fn find_rows(block: &[u8], columns: &PlainColumns, rows: &mut Vec<RowPlaces>) -> Result<(), NotPlain> {
    if std::str::from_utf8(block).is_err() || memchr2(b'"', 0, block).is_some() {
        return Err(NotPlain);
    }
    let (mut line, mut start, mut cell) = (0, 0, 0);
    let mut row = RowPlaces { mention: (0, 0), entity: (0, 0) };
    let last = (!block.is_empty() && !block.ends_with(b"\n")).then_some(block.len());
    for end in memchr2_iter(columns.delimiter, b'\n', block).chain(last) {
        if cell == columns.mention {
            row.mention = trimmed(block, start, end);
        } else if cell == columns.entity {
            row.entity = trimmed(block, start, end);
        }
        start = end + 1;
        cell += 1;
        if end < block.len() && block[end] == columns.delimiter {
            continue;
        }
        let whole = cell == columns.cells && row.mention.0 < row.mention.1 && row.entity.0 < row.entity.1;
        if whole {
            rows.push(row);
        } else if !block[line..end].trim_ascii().is_empty() {
            return Err(NotPlain);
        }
        (line, cell) = (start, 0);
    }
    Ok(())
}

/// Removes the spaces around a cell.
#[inline]
fn trimmed(block: &[u8], start: usize, end: usize) -> (u32, u32) {
    let cell = &block[start..end];
    match cell {
        [first, .., last] if *first > b' ' && *last > b' ' => (start as u32, end as u32),
        _ => {
            let start = start + cell.len() - cell.trim_ascii_start().len();
            (start as u32, (start + block[start..end].trim_ascii().len()) as u32)
        }
    }
}
