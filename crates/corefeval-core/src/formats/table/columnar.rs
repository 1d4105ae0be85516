//! The kinds of columnar tables (Parquet, Arrow), their cells, and their rows. The line number in messages is the row number.

use std::path::Path;
use std::sync::Arc;

#[cfg(any(feature = "parquet", feature = "arrow"))]
use bytes::Bytes;

#[cfg(any(feature = "parquet", feature = "arrow"))]
use super::{ColumnRoles, HINT, RowDocuments, TableRow, trimmed};
use crate::diagnostic::{Code, Position};
#[cfg(any(feature = "parquet", feature = "arrow"))]
use crate::error::Result;
use crate::error::{Error, ErrorKind};
use crate::wording::{Part, Text, text};

/// The kinds of columnar files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Columnar {
    Parquet,
    /// Arrow IPC, as a file or as a stream.
    Arrow,
    /// The first version of Feather, which predates Arrow IPC.
    Feather,
}

/// The mark that a message of a stream starts with, before its length.
const STREAM: &[u8] = &[0xFF; 4];

impl Columnar {
    /// Returns the kind of file that starts with these bytes; `None` if it is not columnar.
    pub(crate) fn of(bytes: &[u8]) -> Option<Columnar> {
        match bytes {
            _ if bytes.starts_with(b"PAR1") => Some(Columnar::Parquet),
            _ if bytes.starts_with(b"ARROW1") || bytes.starts_with(STREAM) => Some(Columnar::Arrow),
            _ if bytes.starts_with(b"FEA1") => Some(Columnar::Feather),
            _ => None,
        }
    }

    /// Describes the file for messages.
    pub(super) fn described(self) -> &'static str {
        match self {
            Columnar::Parquet => "this Parquet file",
            Columnar::Arrow => "this Arrow file",
            Columnar::Feather => "this file in the first version of Feather",
        }
    }

    /// Returns the error of a file that this build does not support, with a remedy.
    pub(super) fn unread(self, source: &Arc<str>) -> Error {
        let hint = match self {
            Columnar::Parquet => {
                text!("write the table as .csv; {} reads Parquet", Part::Build("parquet".into()))
            }
            Columnar::Arrow => text!("write the table as .csv; {} reads Arrow", Part::Build("arrow".into())),
            Columnar::Feather => Text::from("write the table as .csv, .parquet or .arrow"),
        };
        let message = match self {
            Columnar::Parquet => "this build does not read Parquet files",
            Columnar::Arrow => "this build does not read Arrow files",
            Columnar::Feather => "files in the first version of Feather are not read",
        };
        Error::new(ErrorKind::Format, message)
            .coded(Code::NotReadable)
            .at(Position::new(source, 0, 0))
            .hint(hint)
    }

    /// Returns the error of a file that is given as a table of counts, with a line that converts it, or all files of its
    /// folder if the folder was given. The file starts with `bytes`.
    pub(crate) fn not_counts(self, source: &Arc<str>, folder: Option<&Path>, bytes: &[u8]) -> Error {
        let message = format!("{} cannot be read as a table of counts", self.described());
        let file = Path::new(&**source);
        let (from, whole) = match folder {
            Some(folder) => {
                let all = Path::new("*").with_extension(file.extension().unwrap_or_default());
                (folder.join(all), folder)
            }
            None => (file.to_owned(), file),
        };
        let [from, target] = [from, whole.with_extension("csv")].map(|path| path.display().to_string());
        let hint = match self {
            Columnar::Parquet => {
                let [from, target] = [from, target].map(|path| path.replace('\'', "''"));
                let query = format!("COPY (FROM '{from}') TO '{target}' (HEADER)");
                text!("convert it to CSV, for example with DuckDB: {}", Part::Quoted(query))
            }
            Columnar::Arrow => {
                let read = if bytes.starts_with(STREAM) { "read_ipc_stream" } else { "read_ipc" };
                let code = format!("polars.{read}({from:?}).write_csv({target:?})");
                text!("convert it to CSV, for example with Polars: {}", Part::Quoted(code))
            }
            Columnar::Feather => Text::from("write the table as .csv"),
        };
        Error::new(ErrorKind::Format, message)
            .coded(Code::NotReadable)
            .at(Position::new(source, 0, 0))
            .hint(hint)
    }

    /// Converts an error of the crate that reads the file.
    #[cfg(any(feature = "parquet", feature = "arrow"))]
    pub(super) fn wrong(self, source: &Arc<str>, error: &dyn std::error::Error) -> Error {
        Error::new(ErrorKind::Format, format!("{} cannot be read: {error}", self.described()))
            .at(Position::new(source, 0, 0))
            .hint("was it written to the end?")
    }
}

/// The place of documents among the columns of a plain table: after mentions and entities.
#[cfg(any(feature = "arrow", all(feature = "parquet", any(test, feature = "fuzzing"))))]
pub(super) const DOCUMENT: usize = 2;

/// Takes the mentions, entities and documents of some rows. Tables of one document have no cells of documents.
pub(crate) type SeeRows<'s> = dyn FnMut([ColumnCells<'_>; 3]) -> Option<()> + 's;

/// The start and the end of a cell in its text.
pub(crate) type CellRange = (u32, u32);

/// The cells of a column, without surrounding spaces.
#[derive(Clone, Copy, Default)]
pub(crate) struct ColumnCells<'c> {
    pub(crate) text: &'c [u8],
    pub(crate) places: &'c [CellRange],
}

/// The names in a column: places in a text.
#[cfg(any(feature = "parquet", feature = "arrow"))]
#[derive(Default)]
pub(super) struct ColumnNames {
    places: Vec<CellRange>,
    /// The text, unless `shared` contains it.
    text: Vec<u8>,
    shared: Option<Bytes>,
}

#[cfg(any(feature = "parquet", feature = "arrow"))]
impl ColumnNames {
    /// The maximum number of rows at a time.
    pub(super) const ROWS: usize = 1 << 12;

    pub(super) fn clear(&mut self) {
        self.places.clear();
        self.text.clear();
        self.shared = None;
    }

    pub(super) fn cells(&self) -> ColumnCells<'_> {
        ColumnCells { text: self.shared.as_deref().unwrap_or(&self.text), places: &self.places }
    }

    /// Copies a name to the text. Returns `None` if it is empty or not plain text.
    #[inline]
    pub(super) fn add(&mut self, name: &[u8]) -> Option<()> {
        let start = self.text.len();
        self.text.extend_from_slice(name);
        let place = place_in(&self.text, start, self.text.len())?;
        self.add_place(place)
    }

    /// Adds a name of the text that will be [shared](Self::share). Returns `None` if it is empty or not plain text.
    #[inline]
    pub(super) fn add_shared(&mut self, text: &[u8], start: usize, end: usize) -> Option<()> {
        self.add_place(place_in(text, start, end)?)
    }

    #[inline]
    fn add_place(&mut self, place: CellRange) -> Option<()> {
        self.places.push(place);
        (place.0 < place.1).then_some(())
    }

    pub(super) fn add_signed(&mut self, number: i64) -> Option<()> {
        let start = self.text.len();
        if number < 0 {
            self.text.push(b'-');
        }
        self.end_number(start, number.unsigned_abs())
    }

    pub(super) fn add_unsigned(&mut self, number: u64) -> Option<()> {
        self.end_number(self.text.len(), number)
    }

    /// Writes the digits of a number that starts at a place of the text.
    #[inline]
    fn end_number(&mut self, start: usize, mut number: u64) -> Option<()> {
        let mut digits = [0; 20];
        let mut first = digits.len();
        loop {
            first -= 1;
            digits[first] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                break;
            }
        }
        self.text.extend_from_slice(&digits[first..]);
        self.add_place((u32::try_from(start).ok()?, u32::try_from(self.text.len()).ok()?))
    }

    /// Sets the text that contains all names.
    pub(super) fn share(&mut self, text: Bytes) {
        self.shared = Some(text);
    }

    /// Starts names that are in a dictionary.
    #[cfg(feature = "parquet")]
    pub(super) fn share_with(&mut self, dictionary: &mut ColumnNames) {
        let text = dictionary.shared.get_or_insert_with(|| std::mem::take(&mut dictionary.text).into());
        self.shared = Some(text.clone());
    }

    /// Adds a name of the dictionary some times in turn.
    #[cfg(feature = "parquet")]
    #[inline]
    pub(super) fn repeat(&mut self, place: CellRange, times: usize) {
        match times {
            1 => self.places.push(place),
            _ => self.places.extend(std::iter::repeat_n(place, times)),
        }
    }
}

/// Returns the place of a name without surrounding spaces. Returns `None` if it is not UTF-8 or contains a zero byte.
#[cfg(any(feature = "parquet", feature = "arrow"))]
#[inline]
fn place_in(text: &[u8], start: usize, end: usize) -> Option<CellRange> {
    let name = text.get(start..end)?;
    u32::try_from(end).ok()?;
    is_plain(name).then(|| trimmed(text, start, end))
}

/// Returns whether a name is UTF-8 without zero bytes. Reads short names as overlapping words.
#[cfg(any(feature = "parquet", feature = "arrow"))]
#[inline]
fn is_plain(name: &[u8]) -> bool {
    const LOW: u64 = u64::MAX / 0xFF;
    let (words, _) = name.as_chunks::<8>();
    let is_ascii = match name.last_chunk::<8>() {
        Some(last) => {
            words.iter().chain([last]).fold(0, |found, word| {
                // The highest bit of a byte is set if the byte is not ASCII, or if it or a lower byte is 0.
                let word = u64::from_le_bytes(*word);
                found | word | word.wrapping_sub(LOW)
            }) & (LOW << 7)
                == 0
        }
        None => name.iter().all(|byte| (1..0x80).contains(byte)),
    };
    is_ascii || std::str::from_utf8(name).is_ok() && !name.contains(&0)
}

/// Returns the places of mention, entity and document among columns with these names; `None` if other columns are read.
/// Tables of one document have no document.
#[cfg(any(feature = "parquet", feature = "arrow"))]
pub(super) fn plain_places(names: &[&str]) -> Option<Vec<usize>> {
    let layout = ColumnRoles::of_names(names)?.ok()?;
    let ColumnRoles { cells: _, mention, entity, document, topic, entity_type, mention_type, assumed } =
        layout;
    let others = [topic, entity_type, mention_type];
    let plain = assumed.is_none() && mention != entity && others.iter().all(Option::is_none);
    plain.then(|| [mention, entity].into_iter().chain(document).collect())
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
            Some(Err(message)) => return Err(of_columns(source, message).coded(Code::MissingColumn)),
            None => {
                let message = "no column is named as the column of mentions or of entities";
                return Err(of_columns(source, message.to_owned()).coded(Code::MissingColumn));
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
    #[cfg(feature = "parquet")]
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
