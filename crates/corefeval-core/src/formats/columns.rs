//! Splits lines into columns, for the CoNLL, SemEval and links formats: one word per line between `#begin document`
//! and `#end document`, coreference in the last column.

use memchr::memchr;

use super::lines::count_byte;

/// The columns of SemEval's heads, gold and predicted, from 0.
pub(super) const HEAD_COLUMNS: [u32; 2] = [8, 9];

/// Returns whether the name after `#begin document` is in brackets or has a part.
pub(super) fn is_name_of_conll(name: &[u8]) -> bool {
    name.starts_with(b"(") || name.windows(6).any(|part| part == b"; part")
}

/// Returns whether a last column looks like coreference.
pub(super) fn is_coreference(cell: &[u8]) -> bool {
    matches!(cell, b"-" | b"_") || cell.first() == Some(&b'(') || cell.last() == Some(&b')')
}

pub(super) fn is_blank(byte: u8) -> bool {
    byte == b'\t' || byte == b' '
}

pub(super) fn trim_end(line: &[u8]) -> &[u8] {
    let end = line.iter().rposition(|&byte| !is_blank(byte) && byte != b'\r').map_or(0, |last| last + 1);
    &line[..end]
}

/// Returns the text after `#begin document`, if the line starts with it.
pub(super) fn begin_line(line: &[u8]) -> Option<&[u8]> {
    let rest = comment_words(line, b"begin")?;
    (rest.is_empty() || is_blank(rest[0]) || rest[0] == b'(').then_some(rest.trim_ascii_start())
}

pub(super) fn end_line(line: &[u8]) -> bool {
    comment_words(line, b"end").is_some_and(|rest| rest.is_empty() || !rest[0].is_ascii_alphanumeric())
}

/// Returns the text after `#`, `verb` and `document`, with any spaces between them.
fn comment_words<'l>(line: &'l [u8], verb: &[u8]) -> Option<&'l [u8]> {
    let rest = line.strip_prefix(b"#")?.trim_ascii_start();
    rest.strip_prefix(verb)?.trim_ascii_start().strip_prefix(b"document")
}

/// Returns the number of columns. Each tab is a separator or, without tabs, each run of spaces.
pub(super) fn count_columns(line: &[u8], tabs: bool) -> u32 {
    if tabs {
        return count_byte(line, b'\t') + 1;
    }
    line.split(|&byte| byte == b' ').filter(|column| !column.is_empty()).count() as u32
}

/// Returns the start and end of column `place`.
pub(super) fn column(line: &[u8], tabs: bool, place: u32) -> Option<(usize, usize)> {
    if tabs {
        let mut start = 0;
        for _ in 0..place {
            start += memchr(b'\t', &line[start..])? + 1;
        }
        let end = memchr(b'\t', &line[start..]).map_or(line.len(), |length| start + length);
        return Some((start, end));
    }
    let mut end = 0;
    for skipped in 0.. {
        let start = end + line[end..].iter().position(|&byte| byte != b' ')?;
        end = memchr(b' ', &line[start..]).map_or(line.len(), |length| start + length);
        if skipped == place {
            return Some((start, end));
        }
    }
    None
}

/// Returns the start and end of the last of `columns` columns.
pub(super) fn last_column(line: &[u8], tabs: bool, columns: u32) -> (usize, usize) {
    let blank = if tabs { b'\t' } else { b' ' };
    let mut end = line.len();
    if tabs {
        // Skips tabs and spaces at the end of the line that do not form a column.
        let surplus = count_columns(line, true).saturating_sub(columns);
        end -= surplus as usize;
        end -= line[..end].iter().rev().take_while(|byte| **byte == b' ').count();
    } else {
        end = trim_end(line).len();
    }
    let start = line[..end].iter().rposition(|&byte| byte == blank).map_or(0, |place| place + 1);
    (start, end)
}
