//! Recognises missing values that databases and data frames write as text instead of empty cells.

/// The mark that databases write into files for a missing value. It is not a name.
const MARK: &[u8] = br"\N";

/// The length of the longest word below.
const LONGEST: usize = 6;

/// Returns whether a cell has no name: it is empty or contains [`MARK`].
#[inline]
pub(crate) fn is_missing(cell: impl AsRef<[u8]>) -> bool {
    let cell = cell.as_ref();
    cell.is_empty() || cell == MARK
}

/// Describes why a cell has no name, at the end of a message.
pub(crate) fn why_missing(cell: &str) -> &'static str {
    if cell.is_empty() { "" } else { r": `\N` stands for a missing value" }
}

/// Returns whether a cell contains a word for a missing value, which may also be a name.
#[inline]
pub(crate) fn is_word_for_missing(cell: impl AsRef<[u8]>) -> bool {
    let cell = cell.as_ref();
    cell.len() <= LONGEST && matches!(cell, [b'N' | b'n' | b'<' | b'(', ..]) && is_one_of_words(cell)
}

fn is_one_of_words(cell: &[u8]) -> bool {
    const WORDS: [&str; 7] = ["null", "none", "nan", "n/a", "<na>", "<null>", "(null)"];
    cell == b"NA" || WORDS.iter().any(|word| cell.eq_ignore_ascii_case(word.as_bytes()))
}

/// The message about a word for a missing value that was read as the name of an entity or a document.
pub(crate) fn read_as_name(cell: &str, what: &str) -> String {
    format!("`{cell}` was read as the name of {what}, but may stand for a missing value")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_missing_values_are_recognised() {
        for word in ["NULL", "null", "None", "NaN", "nan", "NA", "N/A", "<NA>", "(null)"] {
            assert!(is_word_for_missing(word), "{word}");
        }
        for name in ["", "0", "Na", "NULLs", "Nan Goldin", "e1", "<b>", "-1", r"\N"] {
            assert!(!is_word_for_missing(name), "{name}");
        }
        assert_eq!(["", r"\N", r"\n", "N"].map(is_missing), [true, true, false, false]);
    }
}
