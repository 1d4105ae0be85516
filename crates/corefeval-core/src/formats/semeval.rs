//! Reads the format of SemEval-2010 task 1: one word per line, numbered from 1 in each sentence.
//!
//! `#begin document ID`, then the columns ID TOKEN LEMMA PLEMMA POS PPOS FEAT PFEAT HEAD PHEAD DEPREL PDEPREL NE PNE
//! PRED PPRED APREDs PAPREDs COREF, or only the first two and the last. Coreference is written as in CoNLL and read by
//! the CoNLL reader. This module checks the numbers of the words and finds the heads of mentions.

use super::columns::{
    HEAD_COLUMNS, begin_line, column, count_columns, end_line, is_blank, is_coreference, is_name_of_conll,
    last_column, trim_end,
};
use super::conll::ConllReader;
use super::dependencies::{Dependencies, Head};
use super::file_reader::both;
use super::frame::Frame;
use super::names::Names;
use super::numbering::LastNumber;
use super::{Aspect, FormatSpec, Reader};
use crate::diagnostic::Code;
use crate::error::{Error, Result};
use crate::model::Corpus;
use crate::wording::{option_value, text};

/// `semeval`.
pub(super) const SPEC: FormatSpec = FormatSpec {
    id: "semeval",
    summary: "SemEval-2010 task 1: `#begin document ID`, words numbered from 1, coreference in the last column",
    extensions: &["semeval", "txt"],
    expresses: &[Aspect::Heads],
    detect,
    begins_like_others: Some(is_certain),
    names: Names::Columns(&["begin", "end"]),
    reader: |source, options| {
        let mut conll = ConllReader::new(source, options);
        conll.dependencies = Some(Dependencies::default());
        Box::new(SemevalReader { conll, words: 0, last: LastNumber::default(), blanks: false })
    },
    write: Some(super::write::semeval::WRITER),
    copy: Some(super::write::copy::SEMEVAL),
    ..FormatSpec::PLAIN
};

/// The smallest number of columns of the task's layout: all except the arguments of predicates.
const FULL_COLUMNS: u32 = 17;

/// Returns whether a document starts with a name without brackets or part, and all its words are numbered from 1 in
/// each sentence.
fn detect(bytes: &[u8]) -> bool {
    highest_number(bytes).is_some()
}

/// Returns whether words are numbered. In other formats, the first column can be the document id, such as `1` on all
/// lines.
fn is_certain(bytes: &[u8]) -> bool {
    highest_number(bytes).is_some_and(|highest| highest > 1)
}

/// Returns the highest number of a word in its sentence; `None` for other formats.
fn highest_number(bytes: &[u8]) -> Option<u32> {
    let (mut begun, mut number, mut highest) = (false, 0, 0);
    let lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').map(trim_end).collect();
    // The last line may be cut.
    for line in &lines[..lines.len() - usize::from(lines.len() > 3)] {
        if let Some(name) = begin_line(line) {
            if is_name_of_conll(name) {
                return None;
            }
            begun = true;
        } else if line.is_empty() {
            number = 0;
        } else if line[0] != b'#' {
            let tabs = line.contains(&b'\t');
            let found = number_of(line, tabs);
            number = if found == Some(1) { 1 } else { number + 1 };
            let columns = count_columns(line, tabs);
            let (start, end) = last_column(line, tabs, columns);
            let cell = &line[start..end];
            if !begun || found != Some(number) || columns < 3 || !(cell.is_empty() || is_coreference(cell)) {
                return None;
            }
            highest = highest.max(number);
        }
    }
    (highest > 0).then_some(highest)
}

/// Returns the number in the first column.
fn number_of(line: &[u8], tabs: bool) -> Option<u32> {
    number_in(line, tabs, 0)
}

/// Returns the number in a column.
fn number_in(line: &[u8], tabs: bool, place: u32) -> Option<u32> {
    let (start, end) = column(line, tabs, place)?;
    let text = &line[start..end];
    text.iter().all(u8::is_ascii_digit).then_some(())?;
    std::str::from_utf8(text).ok()?.parse().ok()
}

struct SemevalReader {
    conll: ConllReader,
    /// The words of the sentence so far.
    words: u32,
    /// The number of the last word.
    last: LastNumber,
    /// True if a blank line has ended a sentence.
    blanks: bool,
}

impl SemevalReader {
    fn line(&mut self, line: &[u8]) -> Result<()> {
        self.conll.frame.line += 1;
        if line.iter().all(|&byte| is_blank(byte) || byte == b'\r') {
            self.blanks |= self.words > 0;
            self.end_sentence();
            return Ok(());
        }
        if line[0] == b'#' {
            // The line is not a word, because words start with a number.
            let read = self.conll.comment(line);
            if begin_line(line).is_some() || end_line(line) {
                self.end_sentence();
            }
            return read.map(|_| ());
        }
        let tabs = line.contains(&b'\t');
        let found = number_of(trim_end(line), tabs);
        if found == Some(1) && self.words > 0 {
            // Some files have no blank lines.
            if self.conll.frame.options.all_errors && (self.blanks || self.words == 1) {
                let before = self.last.most();
                self.conll.frame.note(Code::WordOrder, 1, None, || {
                    format!("word 1 follows word {before}: is a blank line missing, or is a line repeated?")
                });
            }
            self.end_sentence();
        }
        self.words = self.words.saturating_add(1);
        let numbered = match found.filter(|&number| self.last.precedes(number)) {
            Some(number) => {
                self.last = LastNumber::known(number);
                Ok(())
            }
            None => Err(self.number_error(line, tabs, found)),
        };
        let head =
            if count_columns(line, tabs) >= FULL_COLUMNS { self.head(line, tabs) } else { Ok(Head::Unknown) };
        if let Some(dependencies) = &mut self.conll.dependencies {
            dependencies.push(*head.as_ref().unwrap_or(&Head::Unknown), self.words);
        }
        let read = self.conll.word(line);
        if numbered.is_ok() && head.is_ok() {
            return read;
        }
        both(both(numbered, head.map(|_| ())), read)
    }

    /// Returns the error of a word that does not have the next number. Counting continues from either number.
    #[cold]
    fn number_error(&mut self, line: &[u8], tabs: bool, found: Option<u32>) -> Error {
        let line = trim_end(line);
        let (start, end) = column(line, tabs, 0).unwrap_or((0, 0));
        let text = String::from_utf8_lossy(&line[start..end]);
        self.last = self.last.after_error(found, 1..=1);
        let message =
            format!("the word is numbered `{text}`, but it is word {} of its sentence", self.last.most());
        self.conll.error(1, message).coded(Code::WordNumber).hint(text!(
            "the first column counts the words of a sentence from 1; is this {}?",
            option_value("format", "conll")
        ))
    }

    fn end_sentence(&mut self) {
        (self.words, self.last) = (0, LastNumber::default());
        self.conll.end_sentence();
    }

    /// Reads the head of the word from the gold column, or from the predicted column if the former is empty.
    fn head(&self, line: &[u8], tabs: bool) -> Result<Head> {
        for place in HEAD_COLUMNS {
            let Some((start, end)) = column(line, tabs, place) else { continue };
            if let [] | b"_" | b"-" = &line[start..end] {
                continue;
            }
            return match number_in(line, tabs, place) {
                Some(0) => Ok(Head::Root),
                Some(number) => Ok(Head::Word(number)),
                None => {
                    let text = String::from_utf8_lossy(&line[start..end]);
                    let message = format!("the head of the word is `{text}`, which is not a number");
                    let hint = "column 9 is the number of a word of the sentence, 0 for the root, or `_`";
                    Err(self.conll.error(start as u32 + 1, message).coded(Code::BadValue).hint(hint))
                }
            };
        }
        Ok(Head::Unknown)
    }
}

impl Reader for SemevalReader {
    fn feed(&mut self, lines: &[u8]) -> Result<()> {
        for line in lines.split_inclusive(|&byte| byte == b'\n') {
            match line.strip_suffix(b"\n") {
                Some(line) => self.line(line)?,
                None => {
                    self.conll.frame.line += 1;
                    if !self.conll.is_cut_begin(line) {
                        self.conll.frame.line -= 1;
                        self.line(line)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Corpus> {
        Box::new(self.conll).finish()
    }

    fn frame(&mut self) -> Option<&mut Frame> {
        self.conll.frame()
    }

    fn resumes(&self) -> bool {
        true
    }
}
