//! Rows that are printed while the files are read, and then omitted from the report.

use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::results::{DigestOfRows, Report};
use corefeval_core::text;
use corefeval_core::wording::{Part, option_value, plural};
use corefeval_report::{Kind, OutputSpec};

use crate::destination::Destination;
use crate::put_with;
use crate::sink::output_closed;

/// Prints rows of documents as soon as they are scored.
#[derive(Default)]
pub struct EarlyRows {
    /// The output that has rows first; `None` if all rows are printed with the report.
    output: Option<&'static OutputSpec>,
    printed: DigestOfRows,
    /// The first incomplete report, if it is printed.
    begun: Option<Report>,
}

impl EarlyRows {
    /// Creates the printer for scores. Only a pipe or file as standard output receives rows: a file with a name is
    /// written as a whole, and a terminal may show progress.
    pub fn new(destination: &Destination) -> Result<EarlyRows> {
        let output = Some(destination.output(Kind::Scores)?).filter(|_| destination.is_piped());
        Ok(EarlyRows { output, ..EarlyRows::default() })
    }

    /// Prints the rows of an incomplete report. A closed standard output is an error, which [`unless_closed`] recognises.
    ///
    /// [`unless_closed`]: crate::sink::unless_closed
    pub fn print(&mut self, begun: &Report) -> Result<()> {
        let Some(write) = self.output.and_then(|output| output.first) else { return Ok(()) };
        begun.systems.iter().for_each(|system| self.printed.add(&system.documents));
        self.begun.get_or_insert_with(|| begun.clone());
        if put_with(|out| Ok(write(begun, out)))? { Ok(()) } else { Err(output_closed()) }
    }

    /// Removes the printed rows from the report, so that they are rendered only once. Fails if the report does not start
    /// with them: equal counts of the same documents, scored under the same settings, are printed as the same bytes.
    pub fn omit_from(&self, report: &mut Report) -> Result<()> {
        let Some(begun) = &self.begun else { return Ok(()) };
        let starts_with_them = begun.begins(report)
            && report.systems.first_mut().is_some_and(|system| system.documents.remove_first(&self.printed));
        if starts_with_them {
            return Ok(());
        }
        let message =
            "a later document changes the rows of the documents before it, which are already printed";
        Err(Error::new(ErrorKind::Format, message)
            .hint(text!("name the metrics that all documents support, or use {}", self.of_file())))
    }

    /// The option that writes the same output to a file.
    fn of_file(&self) -> Part {
        let extension = self.output.and_then(|output| output.extensions.first()).copied().unwrap_or_default();
        option_value("output", format!("FILE.{extension}"))
    }

    /// Returns an error with a note that the printed rows are not a result, if there are any.
    pub fn name_in(&self, error: Error) -> Error {
        if self.printed.count() == 0 || error == output_closed() {
            return error;
        }
        let printed = plural(self.printed.count(), "document", "documents");
        let message = format!(
            "the rows of {printed} were printed before this error, and the output is not a valid result"
        );
        let hint =
            text!("discard it; with {} nothing is written unless everything can be scored", self.of_file());
        let incomplete = Error::new(error.kind(), message).hint(hint);
        let others = [error.others(), &[incomplete]].concat();
        error.with_others(others)
    }
}
