//! Rows that are printed while the files are read, and then omitted from the report.

use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::results::{DigestOfRows, Report, SystemReport};
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
    /// The printed rows, and the name of their system.
    printed: DigestOfRows,
    system: String,
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
        self.printed.add(&system.documents);
        self.system.clone_from(&system.name);
        if put(render(system).as_bytes())? { Ok(()) } else { Err(output_closed()) }
    }

    /// Removes the printed rows from the report, so that they are rendered only once. Fails if the report does not start
    /// with them: equal counts of the same documents, scored in the same way, are printed as the same bytes.
    pub fn omit_from(&self, report: &mut Report) -> Result<()> {
        let starts_with_them = |system: &mut SystemReport| {
            system.name == self.system && system.documents.remove_first(&self.printed)
        };
        if self.printed.count() == 0 || report.systems.first_mut().is_some_and(starts_with_them) {
            return Ok(());
        }
        let message =
            "a later document changes the rows of the documents before it, which are already printed";
        Err(Error::new(ErrorKind::Format, message).hint(text!(
            "name the metrics that all documents support, or use {}",
            option_value("output", "FILE.jsonl")
        )))
    }

    /// Returns an error with a note that the printed rows are not a result, if there are any.
    pub fn name_in(&self, error: Error) -> Error {
        if self.printed.count() == 0 || error == output_closed() {
            return error;
        }
        let printed = plural(self.printed.count(), "row was", "rows were");
        let message = format!("{printed} printed before this error, and the output is not a valid result");
        let hint = text!(
            "discard it; with {} nothing is written unless everything can be scored",
            option_value("output", "FILE.jsonl")
        );
        let incomplete = Error::new(error.kind(), message).hint(hint);
        let others = [error.others(), &[incomplete]].concat();
        error.with_others(others)
    }
}
