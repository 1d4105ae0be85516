//! Reads a file to its end even if it has errors, so that all of them are reported at once.

use std::sync::Arc;

use corefeval_system::mapped::Mapped;
use memchr::memrchr;

use super::frame::Frame;
use super::names::NameCheck;
use super::{Ending, Reader, check_corpus};
use crate::diagnostic::{Code, Position};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Corpus, Document};

/// The maximum number of errors that are reported for a file, unless all are requested.
const MOST_ERRORS: usize = 20;

/// The maximum number of errors that are reported for a file if all are requested (see [`ReadOptions::all_errors`]).
const ALL_ERRORS: usize = 1000;

/// The maximum number of further places that are listed for equal errors; the rest are counted.
const MOST_PLACES: usize = 2;

/// The errors of a file that do not stop reading.
#[derive(Default)]
pub(super) struct ErrorList(Vec<Error>);

impl ErrorList {
    /// Keeps an error and the further errors that it holds. Fails if there are now more errors than are ever reported,
    /// or if the error does not concern the format (an I/O error, for example).
    pub(super) fn keep(&mut self, error: Error) -> Result<()> {
        if self.add(error, ALL_ERRORS) { Err(self.take()) } else { Ok(()) }
    }

    /// Adds an error and the further errors that it holds. Returns whether reading must stop.
    fn add(&mut self, error: Error, most: usize) -> bool {
        let lasting = error.kind() != ErrorKind::Format;
        let others = error.others().to_vec();
        self.0.push(error.with_others(Vec::new()));
        self.0.extend(others);
        lasting || self.0.len() > most
    }

    /// Returns whether the list has no errors.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the value, or keeps the error.
    pub(super) fn check<T>(&mut self, result: Result<T>) -> Result<Option<T>> {
        result.map(Some).or_else(|error| self.keep(error).map(|()| None))
    }

    /// Fails with all collected errors, if any.
    pub(super) fn finish(&mut self) -> Result<()> {
        if self.is_empty() { Ok(()) } else { Err(self.take()) }
    }

    /// Returns all errors as one error, sorted by place.
    fn take(&mut self) -> Error {
        // The error of an incomplete element is found at its end, but its place is the start of the element.
        self.0.sort_by_key(|error| error.position().map(|place| (place.line, place.column)));
        joined(std::mem::take(&mut self.0))
    }

    /// Returns the collected errors as one, up to the limit, with the place of the next error if there are more. Joins
    /// equal errors unless `all` are requested.
    fn report(&mut self, all: bool) -> Error {
        let most = most_errors(all);
        let first = self.take();
        let others = first.others().to_vec();
        let mut errors: Vec<Error> = std::iter::once(first.with_others(Vec::new())).chain(others).collect();
        let next = errors.get(most).map(|error| error.position().cloned());
        errors.truncate(most);
        if !all {
            errors = folded(errors);
        }
        if let Some(place) = next {
            let code = Code::FurtherErrors;
            let message = format!(
                "only the first {most} errors are listed; there are more from here on [{}]",
                code.id()
            );
            let more = Error::new(ErrorKind::Format, message).coded(code);
            errors.push(match place {
                Some(place) => more.at(place),
                None => more,
            });
        }
        joined(errors)
    }
}

/// Returns the limit of reported errors.
fn most_errors(all: bool) -> usize {
    if all { ALL_ERRORS } else { MOST_ERRORS }
}

/// Returns the first error, which holds all other errors.
fn joined(errors: Vec<Error>) -> Error {
    let mut errors = errors.into_iter();
    match errors.next() {
        Some(first) => first.with_others(errors.collect()),
        None => Error::new(ErrorKind::Format, "this file cannot be read"),
    }
}

/// Joins errors with the same message. The first error gives the places of the other errors, or their number if many.
fn folded(errors: Vec<Error>) -> Vec<Error> {
    let mut different: Vec<(Error, Vec<Position>)> = Vec::new();
    for error in errors {
        let same = different.iter_mut().find(|(first, _)| first.message_text() == error.message_text());
        match (same, error.position()) {
            (Some((_, places)), Some(position)) => places.push(position.clone()),
            _ => different.push((error, Vec::new())),
        }
    }
    let with_places = |(mut error, places): (Error, Vec<Position>)| {
        let count = places.len();
        for (number, place) in places.into_iter().take(MOST_PLACES + 1).enumerate() {
            error = match count.saturating_sub(MOST_PLACES + 1) {
                0 => error.with_place(place, "the same error"),
                _ if number < MOST_PLACES => error.with_place(place, "the same error"),
                more => error.with_place(place, format!("the same error, and at {more} further places")),
            };
        }
        error
    };
    different.into_iter().map(with_places).collect()
}

/// Fails with the errors of both results.
pub(super) fn both(one: Result<()>, other: Result<()>) -> Result<()> {
    let (Err(one), Err(other)) = (&one, &other) else { return one.and(other) };
    let mut errors = ErrorList::default();
    errors.keep(one.clone())?;
    errors.keep(other.clone())?;
    errors.finish()
}

/// Reads one file block by block and continues after errors.
pub struct FileReader {
    reader: Box<dyn Reader>,
    /// Looks for misspelled names, if they are to be reported.
    names: Option<NameCheck>,
    errors: ErrorList,
    /// True if all errors are reported separately.
    all_errors: bool,
    /// The name of the file.
    source: Arc<str>,
    ending: Ending,
    /// Two facts about the file so far: whether it ends with a line end and, if that matters, whether its last line is
    /// blank or the head of a document.
    ends: [bool; 2],
    /// The number of bytes of its last line with text so far, without the line end.
    last_bytes: u32,
}

impl FileReader {
    pub(super) fn new(
        reader: Box<dyn Reader>,
        source: Arc<str>,
        ending: Ending,
        names: Option<NameCheck>,
        all_errors: bool,
    ) -> FileReader {
        let errors = ErrorList::default();
        FileReader { reader, names, errors, all_errors, source, ending, ends: [true; 2], last_bytes: 0 }
    }

    /// Receives the text of the document, before the first block, in formats whose text is in a separate file (see
    /// [`FormatSpec::companion`](super::FormatSpec::companion)).
    ///
    /// # Errors
    ///
    /// The text cannot belong to the format, for example because it is not UTF-8.
    pub fn companion(&mut self, source: Arc<str>, text: &[u8]) -> Result<()> {
        self.reader.companion(source, text)
    }

    /// Receives the whole file, before the first block, if it is mapped into memory and all blocks are parts of it.
    pub fn mapped(&mut self, file: &Arc<Mapped>) {
        self.reader.mapped(file);
    }

    /// Takes the next block of whole lines. Only the last line of the file may lack its line end. Errors are kept
    /// until [`finish`](Self::finish), except those below.
    ///
    /// # Errors
    ///
    /// There are more errors than are reported, or an error after which the rest cannot be read. The result
    /// contains all errors so far.
    pub fn feed(&mut self, mut block: &[u8]) -> Result<()> {
        // A file that is cut within CR LF ends where the text of its last line ends.
        if let ([lines @ .., b'\r'], Some(_)) = (block, self.reader.line_number()) {
            block = lines;
        }
        if let Some(names) = &mut self.names {
            names.take(block);
        }
        if !block.is_empty() {
            self.look_at_end(block);
        }
        loop {
            let before = self.reader.line_number().map_or(0, |line| *line);
            let Err(error) = self.reader.feed(block) else { return Ok(()) };
            let stop = self.errors.add(error, most_errors(self.all_errors)) || !self.reader.resumes();
            let read = self.reader.line_number().map_or(0, |line| line.saturating_sub(before));
            if stop || read == 0 {
                return Err(self.errors.report(self.all_errors));
            }
            let lines = block.split_inclusive(|&byte| byte == b'\n').take(read as usize);
            block = &block[lines.map(<[u8]>::len).sum()..];
        }
    }

    /// Records how the file ends so far. A line may be as long as the file, so its start is searched for only if it
    /// matters.
    fn look_at_end(&mut self, block: &[u8]) {
        let after_last_end = |text: &[u8]| memrchr(b'\n', text).map_or(0, |end| end + 1);
        let (last, is_ended) = match block {
            _ if self.ending == Ending::Any => (&[][..], block.ends_with(b"\n")),
            [.., b'\n'] if self.ending == Ending::Line => (&[][..], true),
            [line @ .., b'\r', b'\n'] | [line @ .., b'\n'] => (&line[after_last_end(line)..], true),
            _ => (&block[after_last_end(block)..], false),
        };
        // A document may have no sentences.
        let is_blank =
            last.is_empty() || [&b"# newdoc"[..], b"# global"].iter().any(|head| last.starts_with(head));
        self.ends = [is_ended, is_ended && is_blank];
        self.last_bytes = u32::try_from(last.len()).unwrap_or(u32::MAX - 1);
    }

    /// Removes and returns the finished documents of formats that are read line by line. Other formats keep them until
    /// the end of the file.
    pub fn take(&mut self) -> Vec<Document> {
        self.reader.frame().map(Frame::take).unwrap_or_default()
    }

    /// Returns the remaining documents, at the end of the file, or all errors.
    ///
    /// # Errors
    ///
    /// All errors of the file, in the order of their places; a file without documents; documents that share an id.
    pub fn finish(self) -> Result<Corpus> {
        self.finish_with(|_| ())
    }

    /// Does the same as [`finish`](Self::finish). If there were errors, it also passes the documents
    /// without errors to `readable`.
    pub(crate) fn finish_with(self, readable: impl FnOnce(Vec<Document>)) -> Result<Corpus> {
        let FileReader {
            mut reader,
            mut errors,
            all_errors,
            source,
            ending,
            ends: [line_ends, blank],
            last_bytes,
            ..
        } = self;
        let line = reader.line_number().map_or(0, |line| *line);
        let last = Position::new(&source, line, 0);
        let how = match ending {
            Ending::Any => None,
            _ if !line_ends => Some("within its last line, which has no line end"),
            Ending::BlankLine if !blank => Some("within a sentence, without the blank line after it"),
            Ending::Line | Ending::BlankLine => None,
        };
        let mut finished = reader.finish();
        if let (true, Ok(corpus), Some(how)) = (errors.is_empty(), &mut finished, how) {
            let message = || format!("the file ends {how}: it may be truncated");
            let end = Position { column: last_bytes + 1, ..last.clone() };
            corpus.diagnostics.add(Code::Truncated, Some(end), None, message);
        }
        if errors.is_empty() && finished.is_ok() {
            return finished;
        }
        // The missing document may be the one with the errors.
        let missing = |error: &Error| error.code() == Code::NoDocument && !errors.is_empty();
        let mut lines: Vec<u32> = errors.0.iter().filter_map(|error| Some(error.position()?.line)).collect();
        lines.sort_unstable();
        let checked = |corpus: Corpus| {
            let checked = check_corpus(&corpus);
            let begins: Vec<u32> = corpus.documents.iter().map(Document::line).collect();
            let ends = begins.iter().skip(1).copied().chain([u32::MAX]);
            let before = |line: u32| lines.partition_point(|&other| other < line);
            let whole: Vec<bool> =
                begins.iter().zip(ends).map(|(&begin, end)| before(begin) == before(end)).collect();
            let documents = corpus.documents.into_iter().zip(whole);
            readable(documents.filter(|document| document.1).map(|document| document.0).collect());
            checked
        };
        match finished.and_then(checked) {
            Err(error) if !missing(&error) => _ = errors.add(error, ALL_ERRORS),
            _ => {}
        }
        // The truncation explains errors in the cut line and unclosed elements.
        let is_cut = |error: &Error| {
            let is_last = error.position().is_some_and(|place| line > 0 && place.line == line);
            let unclosed = line == 0 && matches!(error.code(), Code::CutOff | Code::BadMarkup);
            // Some readers report this themselves.
            (is_last || unclosed) && !error.message().contains("the file is truncated")
        };
        if let (false, Some(error)) = (line_ends, errors.0.iter_mut().find(|error| is_cut(error))) {
            let how = "within its last line, which has no line end: it may be truncated";
            *error = error.clone().with_place(last, format!("the file ends {how}"));
        }
        Err(errors.report(all_errors))
    }
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
        // An error does not affect the lines after it.
        assert_eq!(places(&error), [3, 4, 7, 12], "{error}");
        assert_eq!(error.to_string().matches("\nerror: ").count(), 3, "{error}");
        let error = read("links", "A-B\n{C\nD-E\n{F G\n");
        assert_eq!(places(&error)[0], 2, "{error}");
        assert_eq!(error.to_string().matches("x:4:").count(), 1, "{error}");
    }

    #[test]
    fn formats_that_cross_lines_report_all_errors_too() {
        let errors_of = |format: &str, text: &str| {
            let error = read(format, text);
            let errors: Vec<Error> = std::iter::once(&error).chain(error.others()).cloned().collect();
            let described = |error: &Error| {
                let position = error.position().unwrap();
                format!("{}:{} {}", position.line, position.column, error.message())
            };
            errors.iter().map(described).collect::<Vec<_>>()
        };
        assert_eq!(
            errors_of(
                "json",
                "{\"type\": \"clusters\", \"clusters\": {\n\"a\": [\"x\", null],\n\"b\": 7,\n\"a\": [\"y\"]}}"
            ),
            [
                "2:12 `null` is not a name",
                "3:6 expected an entity: a list of mentions, found the number 7",
                "4:6 the entity `a` is repeated here",
            ]
        );
        assert_eq!(
            errors_of(
                "json",
                "{\"type\": \"graph\", \"mentions\": [\"x\"],\n\"links\": [[\"x\"],\n[\"x\", \"z\"]]}"
            ),
            [
                "2:11 a link joins two mentions, but this one has 1",
                "3:7 the link joins `z`, which is not among the mentions",
            ]
        );
        // Several errors in one line, and errors in lines after it.
        let lines = [
            "{\"doc_key\": \"a\", \"clusters\": [[[0, \"x\"], [3]], 7]}\n",
            "{\"doc_key\": \"b\", \"sentences\": [[\"one\"]], \"clusters\": [[[0, 4], [0, 5]]]}\n",
            "rubbish\n{\"doc_key\": 1.5, \"clusters\": []}\n",
        ];
        let found = errors_of("jsonlines", &lines.concat());
        let starts: Vec<&str> = found.iter().map(|error| error.split(' ').next().unwrap()).collect();
        assert_eq!(starts, ["1:32", "1:42", "1:48", "2:56", "2:64", "3:1", "4:13"], "{found:#?}");
        let text =
            "<DOC>\n<COREF>x</COREF>\n<COREF ID=\"1\" ID=\"2\">y</COREF>\n<COREF ID=\"3>z</COREF>\n</DOC>";
        let found = errors_of("muc", text);
        assert_eq!(found.len(), 3, "{found:#?}");
        assert!(found[0].ends_with("this COREF has no ID") && found[2].starts_with("4:"), "{found:#?}");
        let text = [
            "<Document doc_name=\"1_1ecb.xml\">\n<token t_id=\"1\" sentence=\"0\">Ada</token>\n",
            "<token sentence=\"0\">slept</token>\n<Markables>\n<HUMAN><token_anchor/></HUMAN>\n",
            "<HUMAN m_id=\"2\"><token_anchor t_id=\"1\"/><token_anchor t_id=\"9\"/></HUMAN>\n",
            "</Markables>\n</Document>\n",
        ];
        assert_eq!(
            errors_of("ecb+", &text.concat()),
            [
                "3:1 this `token` has no `t_id`",
                "5:1 this `HUMAN` has no `m_id`",
                "5:8 this `token_anchor` has no `t_id`",
                "6:41 unknown token `9`"
            ]
        );
    }

    #[test]
    fn the_first_twenty_errors_are_reported_and_equal_ones_together() {
        let lines = |count: usize| {
            (0..count).map(|id| format!("{{\"doc_key\": {id}, \"clusters\": 7}}\n")).collect::<String>()
        };
        let error = read("jsonlines", &lines(50));
        assert_eq!(places(&error), [1, 21], "{error}");
        let text = error.to_string();
        assert_eq!(text.matches("\nerror: ").count(), 0, "{text}");
        assert_eq!(
            text.lines().skip(1).filter(|line| line.starts_with("  x:")).collect::<Vec<_>>(),
            [
                "  x:2:28: the same error",
                "  x:3:28: the same error",
                "  x:4:28: the same error, and at 16 further places",
                "  x:21:29: only the first 20 errors are listed; there are more from here on [further-errors]"
            ],
            "{text}"
        );
        // With exactly twenty errors, all are listed.
        let error = read("jsonlines", &lines(20));
        assert_eq!(places(&error), [1], "{error}");
    }

    #[test]
    fn all_errors_are_reported_separately_if_requested() {
        let all = |format: &str, text: &str| {
            let options = ReadOptions { all_errors: true, ..ReadOptions::default() };
            places(&FormatSpec::named(format).unwrap().read(text.as_bytes(), "x", options).unwrap_err())
        };
        let lines =
            |count: usize| (0..count).map(|id| format!("{{\"doc_key\": {id}}}\n")).collect::<String>();
        assert_eq!(all("jsonlines", &lines(61)), (1..=61).collect::<Vec<u32>>());
        // The last place is that of the next error, which is not listed.
        assert_eq!(all("jsonlines", &lines(1200)), (1..=1001).collect::<Vec<u32>>());
        assert_eq!(all("jsonlines", &lines(1000)).len(), 1000);
        // Formats that are read as a whole behave the same way.
        let links: String = (0..30).map(|_| "[\"x\"],\n").collect();
        let graph = format!("{{\"type\": \"graph\", \"mentions\": [\"x\"],\n\"links\": [\n{links}[\"x\"]]}}");
        assert_eq!(all("json", &graph), (3..=33).collect::<Vec<u32>>());
    }
}
