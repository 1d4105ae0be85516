//! Recognises a first row that names columns, but none that are read.
//!
//! A table may lack column names. Without these rules, such a header would be read as a mention on both sides.

use super::SplitRow;

/// Words that names of columns consist of, in lower case. A plural in `s` or `es` is recognised without being listed.
const WORDS: &str = "actual answer chain cid class cluster column component coref coreference doc document ent entities \
    entity file filename gold group grp id identifier idx index item key label left markable mention name no node nr num \
    number object pred predicted prediction rec record ref reference resp response right row set span string surface \
    sys system target text token topic true truth type uid uuid value word";

/// The maximum number of rows that a first row is compared with.
const MOST: u32 = 100;

/// The minimum number of rows that a first row is compared with.
const FEWEST: u32 = 5;

/// Returns whether all cells are different usual names of columns, such as `token` and `clusterNo`.
pub(super) fn names_columns<'c>(cells: impl Iterator<Item = &'c str>) -> bool {
    let mut names: Vec<String> = Vec::new();
    for cell in cells {
        let is_between = |letter: char| letter.is_whitespace() || "_-.:/".contains(letter);
        let name = cell.to_lowercase().replace(is_between, "");
        if names.contains(&name) || !consists_of_words(&name) {
            return false;
        }
        names.push(name);
    }
    true
}

/// Returns whether a text is one or more of the words, in the singular or plural, without anything between them.
fn consists_of_words(text: &str) -> bool {
    let mut rests = WORDS.split_whitespace().filter_map(|word| text.strip_prefix(word));
    rests.any(|rest| matches!(rest, "" | "s" | "es") || consists_of_words(rest))
}

fn has_digit(cell: &str) -> bool {
    cell.bytes().any(|byte| byte.is_ascii_digit())
}

/// A first row without digits, which is a header if all mentions or all entities of the next rows have digits.
pub(super) struct FirstRow {
    pub(super) place: (u32, u32),
    /// The number of rows that it was compared with.
    pub(super) rows: u32,
    /// True if all mentions so far have digits; the same for all entities.
    have_digits: [bool; 2],
}

impl FirstRow {
    /// Returns the row if it may be a header.
    pub(super) fn of(row: &SplitRow<'_>) -> Option<FirstRow> {
        let place = row.place(0);
        (!row.cells().any(has_digit)).then_some(FirstRow { place, rows: 0, have_digits: [true; 2] })
    }

    /// Compares it with the next row. Returns whether further rows matter.
    pub(super) fn compare(&mut self, [mention, entity]: [&str; 2]) -> bool {
        self.rows += 1;
        for (all, cell) in self.have_digits.iter_mut().zip([mention, entity]) {
            *all &= has_digit(cell);
        }
        self.rows < MOST && self.have_digits != [false; 2]
    }

    /// Returns the row and the names that it differs from, if it is a header.
    pub(super) fn header(self) -> Option<(FirstRow, &'static str)> {
        let names = match self.have_digits {
            [_, true] => "entities",
            [true, _] => "mentions",
            _ => return None,
        };
        (self.rows >= FEWEST).then_some((self, names))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_names_of_columns_are_recognised() {
        for row in [
            "token,grp", "Token,Cluster No.", "spanId,gold-label", "doc,SPAN_ID,chain", "uid,goldCluster",
            "mentions,entities", "rec_id,classes",
        ] {
            assert!(names_columns(row.split(',')), "{row}");
        }
        for row in
            ["a,e1", "group,group", "token,grp1", "the group,class", "item,Anna", "document,she,her", ",id"]
        {
            assert!(!names_columns(row.split(',')), "{row}");
        }
    }
}
