//! Copies a key's file, replacing only the coreference column.
//!
//! Shared tasks ask for this: the response is the key's file with all its other columns. Lines are taken from the file byte
//! for byte; the last column of each word is the new one.

use std::collections::HashMap;

use super::conll;
use super::losses::Losses;
use crate::diagnostic::Diagnostics;
use crate::error::{Error, ErrorKind, Result};
use crate::model::Document;

/// The formats with coreference in their last column, and the value for words without it.
const FORMATS: [(&str, &str); 2] = [("conll", "-"), ("semeval", "_")];

/// Returns whether the file of a key in `format` can be copied so.
pub fn has_own_column(format: &str) -> bool {
    FORMATS.iter().any(|row| row.0 == format)
}

/// Returns a copy of `text`, the file of a key, with other mentions in its last column. `pairs` has the documents of the key,
/// each with the one over its words whose mentions are written. What the column cannot represent is counted in `diagnostics`.
///
/// ```
/// use corefeval_core::diagnostic::Diagnostics;
/// use corefeval_core::formats::{FormatSpec, ReadOptions, with_column};
/// let key = b"#begin document (d); part 000\nd  0  0  Ida  NNP   (7)\r\nd  0  1  slept  VBD   -\r\n#end document\n";
/// let options = ReadOptions { keep_layers: true, ..ReadOptions::default() };
/// let corpus = FormatSpec::named("conll")?.read(key, "key", options)?;
/// let empty = corpus.documents[0].without_mentions()?;
/// let pairs = [(&corpus.documents[0], &empty)];
/// let copy = with_column(key, "conll", &pairs, &mut Diagnostics::default())?;
/// let expected = b"#begin document (d); part 000\nd  0  0  Ida  NNP   -\r\nd  0  1  slept  VBD   -\r\n#end document\n";
/// assert_eq!(copy, expected);
/// # Ok::<(), corefeval_core::Error>(())
/// ```
pub fn with_column(
    text: &[u8],
    format: &str,
    pairs: &[(&Document, &Document)],
    diagnostics: &mut Diagnostics,
) -> Result<Vec<u8>> {
    let Some((_, empty)) = FORMATS.iter().find(|row| row.0 == format) else {
        let ids = FORMATS.map(|row| row.0).join(", ");
        let message = format!("a key in {format} has no coreference column that could be replaced");
        return Err(Error::new(ErrorKind::Settings, message).hint(format!("formats that have are {ids}")));
    };
    let mut cells: HashMap<u32, String> = HashMap::new();
    for (of_key, document) in pairs {
        let mut losses = Losses::new(document, "conll");
        let column = conll::coreference(document, &mut losses);
        losses.report(diagnostics);
        if of_key.words().count_in_text() as usize != column.len() {
            let message = format!("the words of `{}` are not those of the key", document.id());
            return Err(Error::new(ErrorKind::Pairing, message).at(document.position()));
        };
        cells.extend(lines(of_key)?.zip(column));
    }
    let mut copy = Vec::with_capacity(text.len());
    for (line, number) in text.split_inclusive(|&byte| byte == b'\n').zip(1u32..) {
        let Some(cell) = cells.remove(&number) else {
            copy.extend_from_slice(line);
            continue;
        };
        let content = line.strip_suffix(b"\n").unwrap_or(line);
        let content = content.strip_suffix(b"\r").unwrap_or(content);
        // A tab at the end begins an empty last column; blanks there are none.
        let trimmed = content.len() - content.iter().rev().take_while(|byte| **byte == b' ').count();
        let start =
            content[..trimmed].iter().rposition(|byte| matches!(byte, b'\t' | b' ')).map_or(0, |at| at + 1);
        copy.extend_from_slice(&line[..start]);
        copy.extend_from_slice(if cell.is_empty() { empty.as_bytes() } else { cell.as_bytes() });
        copy.extend_from_slice(&line[trimmed..]);
    }
    if !cells.is_empty() {
        let message = "the lines of this key do not end in LF, so that its words cannot be found again";
        return Err(Error::new(ErrorKind::Format, message).hint("convert the ends of its lines"));
    }
    Ok(copy)
}

/// The lines of the words of a document that are in the text.
fn lines(document: &Document) -> Result<impl Iterator<Item = u32>> {
    let words = document.words();
    let Some(layers) = words.layers().filter(|layers| layers.line.len() == words.count() as usize) else {
        let message = format!("the lines of the words of `{}` are not known", document.id());
        return Err(Error::new(ErrorKind::Format, message).at(document.position()));
    };
    Ok((0..words.count()).filter(|&word| !words.is_empty_node(word)).map(|word| layers.line[word as usize]))
}
