//! Reading a file to its end even where it has errors, so that all of them are reported at once.

use super::{Reader, Skip};
use crate::error::{Error, ErrorKind, Result};
use crate::model::Corpus;
use std::sync::Arc;

/// How many errors of a file are reported.
const MOST_ERRORS: usize = 20;

/// How many places of errors with the same words are reported, beside the first.
const MOST_PLACES: usize = 2;

/// Reads one file, block by block, and goes on after errors.
pub struct FileReader {
    reader: Box<dyn Reader>,
    errors: Vec<Error>,
    /// Whether the rest of a sentence with an error is passed over.
    skipping: bool,
}

impl FileReader {
    pub(super) fn new(reader: Box<dyn Reader>) -> FileReader {
        FileReader { reader, errors: Vec::new(), skipping: false }
    }

    /// Takes the text of the document, before the first block, in formats whose annotation is beside its text (see
    /// [`FormatSpec::companion`](super::FormatSpec::companion)).
    pub fn companion(&mut self, source: Arc<str>, text: &[u8]) -> Result<()> {
        self.reader.companion(source, text)
    }

    /// Takes the next block: whole lines, the last of which may lack its line end only at the end of the file. Fails once
    /// there are as many errors as are reported, or one that the rest cannot be read after.
    pub fn feed(&mut self, mut block: &[u8]) -> Result<()> {
        loop {
            if self.skipping {
                block = self.skip_sentence(block);
            }
            let before = self.reader.line_number().map_or(0, |line| *line);
            let Err(error) = self.reader.feed(block) else { return Ok(()) };
            let lasting = error.kind() != ErrorKind::Format;
            self.errors.push(error);
            let skip = self.reader.recover();
            let read = self.reader.line_number().map_or(0, |line| line.saturating_sub(before));
            if lasting || skip == Skip::File || read == 0 || self.errors.len() == MOST_ERRORS {
                return Err(self.take_errors());
            }
            let (mut passed, mut last) = (0, &block[..0]);
            for line in block.split_inclusive(|&byte| byte == b'\n').take(read as usize) {
                (passed, last) = (passed + line.len(), line);
            }
            self.skipping = skip == Skip::Sentence && !ends_sentence(last);
            block = &block[passed..];
        }
    }

    /// Returns the documents, at the end of the file, unless there were errors.
    pub fn finish(mut self) -> Result<Corpus> {
        if self.errors.is_empty() { self.reader.finish() } else { Err(self.take_errors()) }
    }

    /// Returns what follows the rest of the sentence.
    fn skip_sentence<'b>(&mut self, block: &'b [u8]) -> &'b [u8] {
        let (mut passed, mut lines) = (0, 0);
        for line in block.split_inclusive(|&byte| byte == b'\n') {
            if ends_sentence(line) {
                self.skipping = false;
                break;
            }
            (passed, lines) = (passed + line.len(), lines + 1);
        }
        if let Some(number) = self.reader.line_number() {
            *number += lines;
        }
        &block[passed..]
    }

    /// Returns all errors as one. Of several with the same words, the first names the places of the others.
    fn take_errors(&mut self) -> Error {
        let mut different: Vec<(Error, usize)> = Vec::new();
        for error in self.errors.drain(..) {
            let same = different.iter_mut().find(|(first, _)| first.message_text() == error.message_text());
            match (same, error.position()) {
                (Some((first, count)), Some(position)) => {
                    *count += 1;
                    if *count <= MOST_PLACES {
                        *first = first.clone().beside(position.clone(), "the same error");
                    } else if *count == MOST_PLACES + 1 {
                        *first = first.clone().beside(position.clone(), "the same error, and further on");
                    }
                }
                _ => different.push((error, 0)),
            }
        }
        let mut errors = different.into_iter().map(|(error, _)| error);
        match errors.next() {
            Some(first) => first.with_others(errors.collect()),
            None => Error::new(ErrorKind::Format, "this file cannot be read"),
        }
    }
}

/// Whether a line is empty or a comment, which no word of a sentence is.
fn ends_sentence(line: &[u8]) -> bool {
    line.trim_ascii().is_empty() || line.starts_with(b"#")
}

#[cfg(test)]
mod tests {
    use crate::error::Error;
    use crate::formats::{FormatSpec, ReadOptions};

    fn read(format: &str, text: &str) -> Error {
        let format = FormatSpec::named(format).unwrap();
        format.read(text.as_bytes(), "x", ReadOptions::default()).unwrap_err()
    }

    fn places(error: &Error) -> Vec<u32> {
        let errors = std::iter::once(error).chain(error.others());
        errors.map(|error| error.position().unwrap().line).collect()
    }

    #[test]
    fn all_errors_of_a_file_are_found_at_once() {
        let word = |number: u32, last: &str| format!("{number}\tw\t_\t_\t_\t_\t_\t_\t_\t{last}\n");
        let text = [
            "# newdoc id = a\n# global.Entity = eid-etype-head-other\n",
            &word(1, "Entity=(e1-x-0-)"),
            &word(7, "_"),
            "\n",
            &word(1, "_"),
            &word(3, "_"),
            &word(4, "_"),
            "\n# text = fine\n",
            &word(1, "_"),
            "2\tcut\n\n",
        ]
        .concat();
        let error = read("corefud", &text);
        // What follows an error in its sentence is not reported.
        assert_eq!(places(&error), [3, 7, 12], "{error}");
        assert_eq!(error.to_string().matches("\nerror: ").count(), 2, "{error}");
        let error = read("links", "A-B\n{C\nD-E\n{F G\n");
        assert_eq!(places(&error)[0], 2, "{error}");
        assert_eq!(error.to_string().matches("x:4:").count(), 1, "{error}");
    }

    #[test]
    fn at_most_twenty_errors_are_reported_and_equal_ones_once() {
        let error = read("jsonlines", &"{\"doc_key\": 1}\n".repeat(50));
        assert_eq!(error.others().len(), 0, "{error}");
        assert!(
            error.to_string().ends_with("x:4:13: the same error, and further on")
                || error.related().len() == 3,
            "{error}"
        );
    }
}
