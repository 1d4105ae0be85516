//! CSV: tables of data for spreadsheets and data frames.

use std::fmt::Display;

/// A table with a head, written row by row.
///
/// Undefined numbers are empty. Text that a spreadsheet would take for a formula (`=`, `+`, `-`, `@`, a tab or a
/// carriage return at its start) has an apostrophe before it; numbers are written as they are.
pub struct Table {
    text: ::csv::Writer<Vec<u8>>,
    row: Vec<String>,
}

impl Table {
    /// A table with the names of its columns.
    pub fn new<'c>(columns: impl IntoIterator<Item = &'c str>) -> Table {
        let mut table = Table { text: ::csv::Writer::from_writer(Vec::new()), row: Vec::new() };
        columns.into_iter().for_each(|column| table.text(column));
        table.end_row();
        table
    }

    /// Adds a cell of text.
    pub fn text(&mut self, text: &str) {
        let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
        self.row.push(if formula { format!("'{text}") } else { text.to_owned() });
    }

    /// Adds a cell with a number.
    pub fn number(&mut self, number: impl Display) {
        self.row.push(number.to_string());
    }

    /// Adds a cell with a number that may be undefined, and is empty then.
    pub fn optional(&mut self, number: Option<impl Display>) {
        self.row.push(number.map_or_else(String::new, |number| number.to_string()));
    }

    /// Adds empty cells.
    pub fn blanks(&mut self, count: usize) {
        self.row.resize(self.row.len() + count, String::new());
    }

    /// Ends a row.
    pub fn end_row(&mut self) {
        self.text.write_record(&self.row).expect("a vector takes every row");
        self.row.clear();
    }

    /// The table as text.
    pub fn finish(self) -> String {
        let bytes = self.text.into_inner().expect("a vector takes every row");
        String::from_utf8(bytes).expect("rows are made of strings")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_no_formula_and_numbers_are_numbers() {
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
}
