//! CSV: tables of data for spreadsheets and data frames.

use std::fmt::{Display, Write as _};
use std::io::{self, Write};

/// A table with a header, written row by row to a string or to any writer.
///
/// Undefined numbers are empty. Text that a spreadsheet would read as a formula is prefixed with an apostrophe; numbers
/// are not.
pub struct Table<W: Write = Vec<u8>> {
    text: ::csv::Writer<W>,
    /// A buffer for formatting cells.
    cell: String,
    /// The first error. Nothing is written after it.
    error: Option<io::Error>,
}

impl Table {
    /// Creates a table in memory with these columns.
    pub fn new<'c>(columns: impl IntoIterator<Item = &'c str>) -> Table {
        Table::to(Vec::new(), columns)
    }

    /// Returns the table as text.
    pub fn finish(self) -> String {
        let bytes = self.text.into_inner().expect("writing to a vector cannot fail");
        String::from_utf8(bytes).expect("rows consist of strings")
    }
}

impl<W: Write> Table<W> {
    /// Creates a table that is written to `writer`.
    pub fn to<'c>(writer: W, columns: impl IntoIterator<Item = &'c str>) -> Table<W> {
        let mut table = Table::after_others(writer);
        columns.into_iter().for_each(|column| table.text(column));
        table.end_row();
        table
    }

    /// Creates the rest of a table, whose header and first rows are already written.
    pub fn after_others(writer: W) -> Table<W> {
        Table { text: ::csv::Writer::from_writer(writer), cell: String::new(), error: None }
    }

    /// Returns whether writing a row failed. Later rows are ignored.
    pub fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    /// Writes the remaining rows.
    ///
    /// # Errors
    ///
    /// A row could not be written.
    pub fn end(mut self) -> io::Result<()> {
        self.error.map_or_else(|| self.text.flush(), Err)
    }

    /// Adds a cell of text.
    pub fn text(&mut self, text: &str) {
        match is_formula(text) {
            true => self.formatted(format_args!("'{text}")),
            false => self.field(text),
        }
    }

    /// Adds a cell with a number.
    pub fn number(&mut self, number: impl Display) {
        self.formatted(number);
    }

    /// Adds a cell with a number; the cell is empty if the number is undefined.
    pub fn optional(&mut self, number: Option<impl Display>) {
        match number {
            Some(number) => self.formatted(number),
            None => self.field(""),
        }
    }

    /// Adds empty cells.
    pub fn blanks(&mut self, count: usize) {
        (0..count).for_each(|_| self.field(""));
    }

    fn formatted(&mut self, value: impl Display) {
        let mut cell = std::mem::take(&mut self.cell);
        cell.clear();
        write!(cell, "{value}").expect("writing to a string cannot fail");
        self.field(&cell);
        self.cell = cell;
    }

    fn field(&mut self, text: &str) {
        if self.error.is_none() {
            self.error = self.text.write_field(text).err().map(of_writer);
        }
    }

    /// Ends a row.
    pub fn end_row(&mut self) {
        if self.error.is_none() {
            self.error = self.text.write_record(None::<&[u8]>).err().map(of_writer);
        }
    }
}

/// Returns the I/O error behind an error of the CSV writer.
fn of_writer(error: ::csv::Error) -> io::Error {
    match error.into_kind() {
        ::csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// Returns whether a spreadsheet could evaluate a text: it starts with `=`, `+`, `-`, `@`, a tab or a carriage return, and
/// is neither a single sign, such as the `-` of standard input, nor a number.
fn is_formula(text: &str) -> bool {
    let is_number = || {
        let of_number = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
        text.bytes().all(of_number) && text.parse::<f64>().is_ok()
    };
    let is_sign = ["=", "+", "-", "@"].contains(&text);
    text.starts_with(['=', '+', '-', '@', '\t', '\r']) && !is_sign && !is_number()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_escaped_and_numbers_are_not() {
        let mut table = Table::new(["system", "f1"]);
        for name in ["=1+1", "+a", "-a", "@a", "\ta", "a=1", "a,\"b\"\nc"] {
            table.text(name);
            table.number(-0.5);
            table.end_row();
        }
        table.blanks(1);
        table.optional(None::<f64>);
        table.end_row();
        let text = table.finish();
        let expected = "system,f1\n'=1+1,-0.5\n'+a,-0.5\n'-a,-0.5\n'@a,-0.5\n'\ta,-0.5\na=1,-0.5\n\"a,\"\"b\"\"\nc\",-0.5\n";
        assert!(text.starts_with(expected), "{text}");
        assert!(text.ends_with("\n,\n"), "{text}");
    }

    #[test]
    fn errors_of_the_writer_are_returned() {
        struct Full(usize);
        impl Write for Full {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        for (room, rows) in [(0, 1), (0, 5_000), (20_000, 5_000)] {
            let mut table = Table::to(Full(room), ["system", "f1"]);
            for row in 0..rows {
                table.number(row);
                table.text("a text");
                table.end_row();
            }
            assert_eq!(table.has_failed(), rows > 1);
            assert_eq!(table.end().unwrap_err().kind(), io::ErrorKind::StorageFull);
        }
        let mut table = Table::to(Full(100_000), ["system"]);
        table.text("a");
        table.end_row();
        assert!(table.end().is_ok());
    }

    #[test]
    fn only_text_that_could_be_evaluated_is_a_formula() {
        for text in ["-", "=", "+", "@", "-0.5", "+3", "-1e-7", "-.5", "a", "", "0-1", "'-"] {
            assert!(!is_formula(text), "{text:?}");
        }
        for text in [
            "-1+2|cmd", "--", "=1", "-a", "-inf", "+nan", "-1e", "- 1", "\t", "\r", "\t1", "@x", "-1-1", "-e",
        ] {
            assert!(is_formula(text), "{text:?}");
        }
    }
}
