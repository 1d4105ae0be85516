//! Detects columnar tables (Parquet, Arrow) and converts them to rows. The line number in messages is the row number.

use std::sync::Arc;

use super::RowDocuments;
#[cfg(any(feature = "parquet", feature = "arrow"))]
use super::{ColumnRoles, HINT, TableRow};
use crate::diagnostic::{Code, Position};
use crate::error::{Error, ErrorKind, Result};
#[cfg(any(feature = "parquet", feature = "arrow"))]
use crate::threads::caught;
use crate::wording::{Part, Text, text};

// If panics abort, a damaged file would end the process.
#[cfg(all(any(feature = "parquet", feature = "arrow"), panic = "abort", not(debug_assertions)))]
compile_error!(
    "Parquet and Arrow need panics that unwind: build with --config 'profile.release.panic=\"unwind\"'"
);

/// The kinds of columnar files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Columnar {
    Parquet,
    /// Arrow IPC, as a file or as a stream.
    Arrow,
    /// The first version of Feather, which predates Arrow IPC.
    Feather,
}

impl Columnar {
    /// Returns the kind of file that starts with these bytes; `None` if it is not columnar.
    pub(crate) fn of(bytes: &[u8]) -> Option<Columnar> {
        // A message of a stream starts with a mark and its length.
        const STREAM: &[u8] = &[0xFF; 4];
        match bytes {
            _ if bytes.starts_with(b"PAR1") => Some(Columnar::Parquet),
            _ if bytes.starts_with(b"ARROW1") || bytes.starts_with(STREAM) => Some(Columnar::Arrow),
            _ if bytes.starts_with(b"FEA1") => Some(Columnar::Feather),
            _ => None,
        }
    }

    /// Describes the file for messages.
    fn described(self) -> &'static str {
        match self {
            Columnar::Parquet => "this Parquet file",
            Columnar::Arrow => "this Arrow file",
            Columnar::Feather => "this file in the first version of Feather",
        }
    }

    /// Adds the rows of a file.
    ///
    /// The crates that read these files panic on some damaged files. This function turns such panics into errors.
    pub(super) fn read(self, bytes: Vec<u8>, source: &Arc<str>, rows: &mut RowDocuments) -> Result<()> {
        match self {
            #[cfg(feature = "parquet")]
            Columnar::Parquet => self.caught(source, || super::parquet::read(bytes, source, rows)),
            #[cfg(feature = "arrow")]
            Columnar::Arrow => self.caught(source, || super::arrow::read(bytes, source, rows)),
            #[allow(unreachable_patterns, reason = "with both features, only Feather remains")]
            _ => {
                let _ = (bytes, rows);
                Err(self.unread(source))
            }
        }
    }

    #[cfg(any(feature = "parquet", feature = "arrow"))]
    fn caught(self, source: &Arc<str>, read: impl FnOnce() -> Result<()>) -> Result<()> {
        caught(read).unwrap_or_else(|| {
            let message = format!("{} is damaged", self.described());
            Err(Error::new(ErrorKind::Format, message).at(Position::new(source, 0, 0)).hint("write it again"))
        })
    }

    /// Returns the error of a file that this build does not support, with a remedy.
    fn unread(self, source: &Arc<str>) -> Error {
        let hint = match self {
            Columnar::Parquet => {
                text!("write the table as .csv; {} reads Parquet", Part::Build("parquet".into()))
            }
            Columnar::Arrow => text!("write the table as .csv; {} reads Arrow", Part::Build("arrow".into())),
            Columnar::Feather => Text::from("write the table as .csv, .parquet or .arrow"),
        };
        Error::new(ErrorKind::Format, format!("{} cannot be read here", self.described()))
            .coded(Code::NotReadable)
            .at(Position::new(source, 0, 0))
            .hint(hint)
    }

    /// Returns the error of a file that is given as a table of counts.
    pub(crate) fn not_counts(self, source: &Arc<str>) -> Error {
        let message = format!("{} cannot be read as a table of counts", self.described());
        Error::new(ErrorKind::Format, message).coded(Code::NotReadable).at(Position::new(source, 0, 0)).hint(
            "tables of counts are CSV or TSV: write it as .csv, with a first row that names the columns",
        )
    }

    /// Converts an error of the crate that reads the file.
    #[cfg(any(feature = "parquet", feature = "arrow"))]
    pub(super) fn wrong(self, source: &Arc<str>, error: &dyn std::error::Error) -> Error {
        Error::new(ErrorKind::Format, format!("{} cannot be read: {error}", self.described()))
            .at(Position::new(source, 0, 0))
            .hint("was it written to the end?")
    }
}

/// A complete columnar table with only mentions and entities of one document, as text or whole numbers.
pub(crate) enum PlainBatches {
    #[cfg(feature = "parquet")]
    Parquet(super::parquet::PlainParquet),
    #[cfg(feature = "arrow")]
    Arrow(super::arrow::PlainArrow),
}

impl PlainBatches {
    /// Reads the table in these bytes; `None` if other columns are read, or if it has other types or errors.
    pub(crate) fn of(bytes: Vec<u8>) -> Option<PlainBatches> {
        match Columnar::of(&bytes)? {
            #[cfg(feature = "parquet")]
            Columnar::Parquet => {
                caught(|| super::parquet::PlainParquet::of(bytes))?.map(PlainBatches::Parquet)
            }
            #[cfg(feature = "arrow")]
            Columnar::Arrow => caught(|| super::arrow::PlainArrow::of(bytes))?.map(PlainBatches::Arrow),
            #[allow(unreachable_patterns, reason = "with both features, only Feather remains")]
            _ => None,
        }
    }

    /// Returns the number of batches, which can be read on several threads.
    pub(crate) fn len(&self) -> usize {
        match *self {
            #[cfg(feature = "parquet")]
            PlainBatches::Parquet(ref table) => table.len(),
            #[cfg(feature = "arrow")]
            PlainBatches::Arrow(ref table) => table.len(),
        }
    }

    /// Returns the number of rows that the file declares.
    pub(crate) fn rows(&self) -> u64 {
        match *self {
            #[cfg(feature = "parquet")]
            PlainBatches::Parquet(ref table) => table.rows(),
            #[cfg(feature = "arrow")]
            PlainBatches::Arrow(ref table) => table.rows(),
        }
    }

    /// Calls `see` with the rows of a batch, some at a time. Returns `None` as soon as `see` does, or if a cell is not
    /// a name.
    #[cfg_attr(not(any(feature = "parquet", feature = "arrow")), allow(unused_variables))]
    pub(crate) fn read(&self, batch: usize, see: &mut dyn FnMut(&Cells) -> Option<()>) -> Option<()> {
        match *self {
            #[cfg(feature = "parquet")]
            PlainBatches::Parquet(ref table) => caught(|| table.read(batch, see))?,
            #[cfg(feature = "arrow")]
            PlainBatches::Arrow(ref table) => caught(|| table.read(batch, see))?,
        }
    }
}

/// The cells of some rows, without surrounding spaces.
#[derive(Default)]
pub(crate) struct Cells {
    pub(crate) text: Vec<u8>,
    /// The start and the end of each mention and of each entity in the text.
    pub(crate) columns: [Vec<(u32, u32)>; 2],
}

#[cfg(any(feature = "parquet", feature = "arrow"))]
impl Cells {
    /// The most rows at a time.
    pub(super) const ROWS: usize = 1 << 12;

    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.columns.iter_mut().for_each(Vec::clear);
    }

    /// Adds a cell to a column. Returns `None` if it is empty or not text.
    #[inline]
    pub(super) fn add(&mut self, column: usize, cell: &[u8]) -> Option<()> {
        let cell = std::str::from_utf8(cell).ok()?.trim_ascii();
        let start = self.text.len();
        self.text.extend_from_slice(cell.as_bytes());
        self.columns[column].push((start as u32, u32::try_from(self.text.len()).ok()?));
        (!cell.is_empty()).then_some(())
    }

    /// Adds a whole number.
    #[inline]
    pub(super) fn add_number(&mut self, column: usize, number: impl std::fmt::Display) -> Option<()> {
        use std::io::Write;
        let start = self.text.len();
        write!(self.text, "{number}").ok()?;
        self.columns[column].push((start as u32, u32::try_from(self.text.len()).ok()?));
        Some(())
    }
}

/// Returns the places of mention and entity among columns with these names; `None` if other columns are read.
#[cfg(any(feature = "parquet", feature = "arrow"))]
pub(super) fn plain_places(names: &[&str]) -> Option<[usize; 2]> {
    let layout = ColumnRoles::of_names(names)?.ok()?;
    let ColumnRoles { cells: _, mention, entity, document, topic, entity_type, mention_type, assumed } =
        layout;
    let others = [document, topic, entity_type, mention_type];
    let plain = assumed.is_none() && mention != entity && others.iter().all(Option::is_none);
    plain.then_some([mention, entity])
}

/// The columns of a columnar table that are read, and its rows.
#[cfg(any(feature = "parquet", feature = "arrow"))]
pub(super) struct ColumnarRows<'r> {
    names: Vec<String>,
    /// The places of mention, entity, document, topic, and types of entity and mention.
    places: [Option<usize>; 6],
    texts: [String; 6],
    rows: &'r mut RowDocuments,
    source: &'r Arc<str>,
    /// The number of unread columns. Such a column has one value per row.
    unread: u32,
    number: u32,
}

#[cfg(any(feature = "parquet", feature = "arrow"))]
impl<'r> ColumnarRows<'r> {
    /// Finds the columns of a table by their names.
    pub(super) fn new(names: &[&str], source: &'r Arc<str>, rows: &'r mut RowDocuments) -> Result<Self> {
        let layout = match ColumnRoles::of_names(names) {
            Some(Ok(layout)) => layout,
            Some(Err(message)) => return Err(of_columns(source, message)),
            None => {
                let message = "no column is named as the column of mentions or of entities";
                return Err(of_columns(source, message.to_owned()));
            }
        };
        if let Some(assumed) = &layout.assumed {
            let position = Position::new(source, 0, 0);
            rows.diagnostics.add(Code::ColumnsAssumed, Some(position), None, || assumed.clone());
        }
        let places = [
            Some(layout.mention),
            Some(layout.entity),
            layout.document,
            layout.topic,
            layout.entity_type,
            layout.mention_type,
        ];
        let unread =
            if rows.count_unread { (names.len() - places.iter().flatten().count()) as u32 } else { 0 };
        Ok(ColumnarRows {
            names: names.iter().map(|&name| name.to_owned()).collect(),
            places,
            texts: Default::default(),
            rows,
            source,
            unread,
            number: 0,
        })
    }

    /// Returns the places of the columns that are read, among all columns.
    pub(super) fn places(&self) -> impl Iterator<Item = usize> {
        self.places.iter().flatten().copied()
    }

    /// Adds a row. `put` appends the cell of a column as text, or fails with the kind of value if it cannot be a name.
    pub(super) fn add(
        &mut self,
        put: impl Fn(usize, &mut String) -> std::result::Result<(), &'static str>,
    ) -> Result<()> {
        for (place, text) in self.places.iter().zip(&mut self.texts) {
            if let Some(place) = *place {
                text.clear();
                put(place, text).map_err(|kind| {
                    let name = &self.names[place];
                    of_columns(
                        self.source,
                        format!("the column `{name}` has the type {kind}, which cannot hold names"),
                    )
                })?;
            }
        }
        self.number += 1;
        let cell = |which: usize| self.places[which].map(|_| self.texts[which].trim_ascii());
        let row = TableRow {
            mention: cell(0).unwrap_or_default(),
            entity: cell(1).unwrap_or_default(),
            document: cell(2),
            topic: cell(3),
            entity_type: cell(4),
            mention_type: cell(5),
            mention_place: (self.number, 0),
            entity_place: (self.number, 0),
            document_place: (self.number, 0),
            topic_place: (self.number, 0),
        };
        self.rows.add(&row, self.unread)
    }
}

/// Returns an error about the columns of a table.
#[cfg(any(feature = "parquet", feature = "arrow"))]
fn of_columns(source: &Arc<str>, message: String) -> Error {
    Error::new(ErrorKind::Format, message).at(Position::new(source, 0, 0)).hint(HINT)
}

#[cfg(test)]
mod tests {
    use crate::formats::{FormatSpec, ReadOptions};

    /// Returns the hint for a file that starts like this.
    fn remedy(bytes: &[u8]) -> String {
        let format = FormatSpec::detect(bytes).unwrap();
        assert_eq!(format.id, "table");
        let error = format.read(bytes, "x", ReadOptions::default()).unwrap_err();
        error.remedy().map(|remedy| remedy.to_string()).unwrap_or_default()
    }

    #[test]
    fn files_that_cannot_be_read_have_a_remedy() {
        #[cfg(not(feature = "parquet"))]
        assert!(remedy(b"PAR1\x15\0\nPAR1").contains("--features parquet"));
        #[cfg(not(feature = "arrow"))]
        for bytes in [&b"ARROW1\0\0\xFF\xFF\xFF\xFF"[..], b"\xFF\xFF\xFF\xFF\x78\0\0\0\n"] {
            assert!(remedy(bytes).contains("--features arrow"));
        }
        assert_eq!(remedy(b"FEA1\0\0\0\0\n"), "write the table as .csv, .parquet or .arrow");
    }
}
