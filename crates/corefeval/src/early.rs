//! Rows that are printed while the files are read. The report starts with the same rows, and is printed without them.

use std::io::{self, Write};

use corefeval_core::digest::{Digest, Digester};
use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::results::SystemReport;
use corefeval_core::text;
use corefeval_core::wording::{option_value, plural};
use corefeval_report::Kind;

use crate::destination::Destination;
use crate::put;
use crate::sink::output_closed;

/// Prints rows of documents as soon as they are scored.
#[derive(Default)]
pub struct EarlyRows {
    /// Renders rows; `None` if all rows are printed with the report.
    render: Option<fn(&SystemReport) -> String>,
    /// The number of printed rows and of their bytes.
    rows: usize,
    bytes: u64,
    digester: Digester,
}

impl EarlyRows {
    /// Creates the printer for scores. Only a pipe or file as standard output receives rows: a file with a name is
    /// written as a whole, and a terminal may show progress.
    pub fn new(destination: &Destination) -> Result<EarlyRows> {
        let render = destination.output(Kind::Scores)?.rows.filter(|_| destination.is_piped());
        Ok(EarlyRows { render, ..EarlyRows::default() })
    }

    /// Prints the rows of a system. A closed standard output is an error, which [`unless_closed`] recognises.
    ///
    /// [`unless_closed`]: crate::sink::unless_closed
    pub fn print(&mut self, system: &SystemReport) -> Result<()> {
        let Some(render) = self.render else { return Ok(()) };
        let text = render(system);
        self.rows += system.documents.len();
        self.bytes += text.len() as u64;
        self.digester.update(text.as_bytes());
        if put(text.as_bytes())? { Ok(()) } else { Err(output_closed()) }
    }

    /// Returns whether no rows are printed yet.
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Returns an error with a note that the printed rows are not a result, if there are any.
    pub fn name_in(&self, error: Error) -> Error {
        if self.rows == 0 || error == output_closed() {
            return error;
        }
        let printed = plural(self.rows, "row was", "rows were");
        let message = format!("{printed} printed before this error, and the output is not a valid result");
        let hint = text!(
            "discard it; with {} nothing is written unless everything can be scored",
            option_value("output", "FILE.jsonl")
        );
        let incomplete = Error::new(error.kind(), message).hint(hint);
        let others = [error.others(), &[incomplete]].concat();
        error.with_others(others)
    }

    /// Returns a writer for the report that omits the printed rows.
    pub fn rest<'w>(&self, to: &'w mut dyn Write) -> Rest<'w> {
        Rest {
            to,
            left: self.bytes,
            digester: Digester::default(),
            printed: self.digester.clone().finish(),
            differs: false,
        }
    }
}

/// Writes a report without its first bytes, which must be the printed rows.
pub struct Rest<'w> {
    to: &'w mut dyn Write,
    /// The number of bytes to omit.
    left: u64,
    /// The omitted bytes.
    digester: Digester,
    /// The digest of the printed rows.
    printed: Digest,
    /// Whether the omitted bytes differ from the printed rows.
    differs: bool,
}

impl Rest<'_> {
    /// Fails if the report does not start with the printed rows. Nothing else was written then.
    pub fn check(&self) -> Result<()> {
        if self.left == 0 && !self.differs {
            return Ok(());
        }
        let message =
            "a later document changes the rows of the documents before it, which are already printed";
        Err(Error::new(ErrorKind::Format, message).hint(text!(
            "name the metrics that all documents support, or use {}",
            option_value("output", "FILE.jsonl")
        )))
    }
}

impl Write for Rest<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.differs {
            return Err(io::Error::other("the report does not start with the printed rows"));
        }
        if self.left == 0 {
            return self.to.write(bytes);
        }
        let omitted = usize::try_from(self.left).unwrap_or(usize::MAX).min(bytes.len());
        self.digester.update(&bytes[..omitted]);
        self.left -= omitted as u64;
        self.differs = self.left == 0 && self.digester.clone().finish() != self.printed;
        Ok(omitted)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a report whose first rows were printed, and returns the rest.
    fn rest_of(printed: &str, report: &str) -> Result<String> {
        let mut early = EarlyRows { bytes: printed.len() as u64, ..EarlyRows::default() };
        early.digester.update(printed.as_bytes());
        let mut written = Vec::new();
        let mut rest = early.rest(&mut written);
        let _ = report.as_bytes().chunks(3).try_for_each(|piece| rest.write_all(piece));
        rest.check()?;
        Ok(String::from_utf8(written).expect("text"))
    }

    #[test]
    fn printed_rows_are_omitted_if_they_are_the_first_ones() {
        for printed in ["", "one\n", "one\ntwo\n"] {
            assert_eq!(rest_of(printed, "one\ntwo\n").as_deref(), Ok(&"one\ntwo\n"[printed.len()..]));
        }
        for printed in ["two\n", "one\nTwo\n", "one\ntwo\nthree\n"] {
            assert!(rest_of(printed, "one\ntwo\n").is_err(), "{printed:?}");
        }
    }

    #[test]
    fn errors_name_the_printed_rows() {
        let error = Error::new(ErrorKind::Format, "a problem");
        assert_eq!(EarlyRows::default().name_in(error.clone()), error);
        let early = EarlyRows { rows: 1, ..EarlyRows::default() };
        let text = early.name_in(error).to_string();
        assert!(text.starts_with("a problem\nerror: 1 row was printed before this error"), "{text}");
        assert_eq!(early.name_in(output_closed()), output_closed());
    }
}
