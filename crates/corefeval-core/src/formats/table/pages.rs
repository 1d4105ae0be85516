//! Decodes the names of a column in Parquet from its pages, without creating a value for each cell.
//!
//! Names of plain pages stay where they are. Names of a dictionary are checked once, and cells refer to them. Columns
//! with other encodings are read value by value.

use bytes::{Buf, Bytes};
use parquet::basic::{ConvertedType, Encoding, Type};
use parquet::column::page::{Page, PageReader};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::file::reader::RowGroupReader;

use super::columnar::{ColumnCells, ColumnNames};

/// The values of a column that can be names.
#[derive(Clone, Copy)]
enum NameKind {
    Text,
    Signed32,
    Unsigned32,
    Signed64,
    Unsigned64,
}

impl NameKind {
    fn of(kind: Type, converted: ConvertedType) -> Option<NameKind> {
        match (kind, converted) {
            (Type::BYTE_ARRAY, ConvertedType::UTF8 | ConvertedType::NONE) => Some(NameKind::Text),
            (Type::INT32, ConvertedType::INT_32 | ConvertedType::NONE) => Some(NameKind::Signed32),
            (Type::INT32, ConvertedType::UINT_32) => Some(NameKind::Unsigned32),
            (Type::INT64, ConvertedType::INT_64 | ConvertedType::NONE) => Some(NameKind::Signed64),
            (Type::INT64, ConvertedType::UINT_64) => Some(NameKind::Unsigned64),
            _ => None,
        }
    }
}

/// A column of a row group that is being read.
pub(super) struct ColumnPages {
    source: Source,
    /// The cells that were decoded, and the number of those that were taken.
    names: ColumnNames,
    taken: usize,
}

enum Source {
    Pages(Pages),
    Values(Box<ColumnReader>, NameKind),
}

impl ColumnPages {
    /// Opens a column; `None` if its values cannot be names.
    pub(super) fn open(group: &dyn RowGroupReader, column: usize) -> Option<ColumnPages> {
        let metadata = group.metadata().column(column);
        let described = metadata.column_descr();
        let kind = NameKind::of(described.physical_type(), described.converted_type())?;
        // Levels of optional columns are in the encoding `RLE`.
        let is_decoded = |encoding| {
            matches!(
                encoding,
                Encoding::PLAIN | Encoding::PLAIN_DICTIONARY | Encoding::RLE_DICTIONARY | Encoding::RLE
            )
        };
        let source = match metadata.encodings().all(is_decoded) {
            true => Source::Pages(Pages {
                reader: group.get_column_page_reader(column).ok()?,
                kind,
                is_optional: described.max_def_level() > 0,
                dictionary: ColumnNames::default(),
                values: EncodedValues::Plain(Bytes::new()),
                left: 0,
            }),
            false => Source::Values(Box::new(group.get_column_reader(column).ok()?), kind),
        };
        Some(ColumnPages { source, names: ColumnNames::default(), taken: 0 })
    }

    /// Returns the number of cells that were decoded and not taken. Decodes the next ones if there are none; `None` if
    /// the column has no more cells, or if one of them is not a name.
    pub(super) fn decoded(&mut self) -> Option<usize> {
        if self.taken == self.names.cells().places.len() {
            self.names.clear();
            self.taken = 0;
            match &mut self.source {
                Source::Pages(pages) => pages.decode(&mut self.names)?,
                Source::Values(reader, kind) => decode_values(reader, *kind, &mut self.names)?,
            }
        }
        let count = self.names.cells().places.len() - self.taken;
        (count > 0).then_some(count)
    }

    /// Returns the next `count` of the decoded cells.
    pub(super) fn next(&self, count: usize) -> ColumnCells<'_> {
        let ColumnCells { text, places } = self.names.cells();
        ColumnCells { text, places: &places[self.taken..self.taken + count] }
    }

    /// Marks cells as taken.
    pub(super) fn take(&mut self, count: usize) {
        self.taken += count;
    }

    /// Returns whether all cells were taken, and no page or value follows.
    pub(super) fn is_at_end(&mut self) -> bool {
        if self.taken < self.names.cells().places.len() {
            return false;
        }
        match &mut self.source {
            Source::Pages(pages) => pages.left == 0 && matches!(pages.reader.get_next_page(), Ok(None)),
            Source::Values(reader, kind) => {
                self.names.clear();
                self.taken = 0;
                decode_values(reader, *kind, &mut self.names).is_some()
                    && self.names.cells().places.is_empty()
            }
        }
    }
}

/// A column whose pages are decoded here.
struct Pages {
    reader: Box<dyn PageReader>,
    kind: NameKind,
    /// True if cells may lack a value.
    is_optional: bool,
    dictionary: ColumnNames,
    /// The values of the current page that were not decoded, and their number.
    values: EncodedValues,
    left: usize,
}

/// Encoded values.
enum EncodedValues {
    Plain(Bytes),
    OfDictionary(NumberRuns),
}

impl Pages {
    /// Decodes the next cells of a page.
    fn decode(&mut self, names: &mut ColumnNames) -> Option<()> {
        while self.left == 0 {
            self.begin_page()?;
        }
        let count = self.left.min(ColumnNames::ROWS);
        self.left -= count;
        match &mut self.values {
            EncodedValues::Plain(bytes) => decode_plain(bytes, count, self.kind, names),
            EncodedValues::OfDictionary(runs) => {
                names.share_with(&mut self.dictionary);
                let dictionary = self.dictionary.cells().places;
                runs.decode(count, |number, times| {
                    names.repeat(*dictionary.get(number as usize)?, times);
                    Some(())
                })
            }
        }
    }

    /// Reads pages up to the next one with cells.
    fn begin_page(&mut self) -> Option<()> {
        let (bytes, count, encoding) = match self.reader.get_next_page().ok()?? {
            Page::DictionaryPage { mut buf, num_values, .. } => {
                self.dictionary.clear();
                return decode_plain(&mut buf, num_values as usize, self.kind, &mut self.dictionary);
            }
            Page::DataPage { mut buf, num_values, encoding, def_level_encoding, .. } => {
                if self.is_optional {
                    let length = u32::from_le_bytes(*buf.first_chunk()?) as usize;
                    let levels =
                        buf.split_to(length.checked_add(4).filter(|&end| end <= buf.len())?).split_off(4);
                    let is_present = |level, _| (level == 1).then_some(());
                    (def_level_encoding == Encoding::RLE).then_some(())?;
                    NumberRuns::new(levels, 1)?.decode(num_values as usize, is_present)?;
                }
                (buf, num_values, encoding)
            }
            Page::DataPageV2 {
                mut buf,
                num_values,
                encoding,
                num_nulls,
                def_levels_byte_len,
                rep_levels_byte_len,
                ..
            } => {
                let levels = def_levels_byte_len.checked_add(rep_levels_byte_len)? as usize;
                (num_nulls == 0 && levels <= buf.len()).then_some(())?;
                (buf.split_off(levels), num_values, encoding)
            }
        };
        self.left = count as usize;
        self.values = match encoding {
            Encoding::PLAIN => EncodedValues::Plain(bytes),
            Encoding::PLAIN_DICTIONARY | Encoding::RLE_DICTIONARY if self.left > 0 => {
                let width = usize::from(*bytes.first()?);
                EncodedValues::OfDictionary(NumberRuns::new(bytes.slice(1..), width)?)
            }
            _ if self.left == 0 => EncodedValues::Plain(bytes),
            _ => return None,
        };
        Some(())
    }
}

/// Moves the first values of `bytes` to names.
fn decode_plain(bytes: &mut Bytes, count: usize, kind: NameKind, names: &mut ColumnNames) -> Option<()> {
    match kind {
        NameKind::Text => {
            let page = std::mem::take(bytes);
            let mut end = 0;
            for _ in 0..count {
                let start = end + 4;
                let length = u32::from_le_bytes(*page.get(end..)?.first_chunk()?);
                end = start.checked_add(length as usize)?;
                names.add_shared(&page, start, end)?;
            }
            *bytes = page.slice(end..);
            names.share(page);
        }
        NameKind::Signed32 | NameKind::Unsigned32 => {
            for number in numbers(bytes, count)? {
                add_number(i32::from_le_bytes(number).into(), kind, names)?;
            }
        }
        NameKind::Signed64 | NameKind::Unsigned64 => {
            for number in numbers(bytes, count)? {
                add_number(i64::from_le_bytes(number), kind, names)?;
            }
        }
    }
    Some(())
}

/// Returns the first numbers of `N` bytes, and removes them.
fn numbers<const N: usize>(bytes: &mut Bytes, count: usize) -> Option<Vec<[u8; N]>> {
    let length = count.checked_mul(N).filter(|&length| length <= bytes.len())?;
    Some(bytes.split_to(length).as_chunks().0.to_vec())
}

/// Adds a number. Unsigned numbers are stored as signed ones.
#[inline]
fn add_number(number: i64, kind: NameKind, names: &mut ColumnNames) -> Option<()> {
    match kind {
        NameKind::Unsigned32 => names.add_unsigned((number as u32).into()),
        NameKind::Unsigned64 => names.add_unsigned(number as u64),
        NameKind::Signed32 | NameKind::Signed64 => names.add_signed(number),
        NameKind::Text => None,
    }
}

/// Adds the next values of a column with any encoding.
fn decode_values(reader: &mut ColumnReader, kind: NameKind, names: &mut ColumnNames) -> Option<()> {
    match reader {
        ColumnReader::ByteArrayColumnReader(reader) => {
            next_values(reader)?.iter().try_for_each(|value| names.add(value.data()))
        }
        ColumnReader::Int32ColumnReader(reader) => {
            next_values(reader)?.iter().try_for_each(|&number| add_number(number.into(), kind, names))
        }
        ColumnReader::Int64ColumnReader(reader) => {
            next_values(reader)?.iter().try_for_each(|&number| add_number(number, kind, names))
        }
        _ => None,
    }
}

/// Returns the next values of a column; `None` if it cannot be read or lacks a value.
fn next_values<T: DataType>(reader: &mut ColumnReaderImpl<T>) -> Option<Vec<T::T>> {
    let (mut values, mut levels) = (Vec::with_capacity(ColumnNames::ROWS), Vec::new());
    let (records, found, _) =
        reader.read_records(ColumnNames::ROWS, Some(&mut levels), None, &mut values).ok()?;
    (records == found).then_some(values)
}

/// Small numbers in the encoding `RLE`: runs of one number, and runs of numbers with a fixed number of bits.
struct NumberRuns {
    /// The runs after the current one.
    bytes: Bytes,
    /// The number of bits of a number.
    width: usize,
    run: NumberRun,
}

enum NumberRun {
    /// A number, and how often it follows.
    Same { number: u32, left: usize },
    /// The place of the next number in bits, and how many numbers follow.
    Packed { bytes: Bytes, place: usize, left: usize },
}

impl NumberRuns {
    /// Returns `None` if numbers have an impossible number of bits.
    fn new(bytes: Bytes, width: usize) -> Option<NumberRuns> {
        (width <= 32).then_some(NumberRuns { bytes, width, run: NumberRun::Same { number: 0, left: 0 } })
    }

    /// Calls `see` with the next `count` numbers: each number, and how often it follows.
    fn decode(&mut self, mut count: usize, mut see: impl FnMut(u32, usize) -> Option<()>) -> Option<()> {
        while count > 0 {
            let seen = match &mut self.run {
                NumberRun::Same { left: 0, .. } | NumberRun::Packed { left: 0, .. } => {
                    self.run = self.next_run()?;
                    continue;
                }
                NumberRun::Same { number, left } => {
                    let seen = count.min(*left);
                    see(*number, seen)?;
                    *left -= seen;
                    seen
                }
                NumberRun::Packed { bytes, place, left } => {
                    let seen = count.min(*left);
                    let mask = ((1_u64 << self.width) - 1) as u32;
                    for _ in 0..seen {
                        let rest = &bytes[*place / 8..];
                        let word = match rest.first_chunk() {
                            Some(word) => u64::from_le_bytes(*word),
                            None => number_of(rest),
                        };
                        see((word >> (*place % 8)) as u32 & mask, 1)?;
                        *place += self.width;
                    }
                    *left -= seen;
                    seen
                }
            };
            count -= seen;
        }
        Some(())
    }

    /// Reads the next run.
    fn next_run(&mut self) -> Option<NumberRun> {
        let (mut header, mut shift) = (0_u64, 0);
        loop {
            let byte = *self.bytes.first()?;
            self.bytes.advance(1);
            header |= u64::from(byte & 0x7F) << shift;
            shift += 7;
            match byte < 0x80 {
                true => break,
                false if shift >= 35 => return None,
                false => {}
            }
        }
        let count = usize::try_from(header >> 1).ok()?;
        if header & 1 == 0 {
            let length = self.width.div_ceil(8);
            let number = number_of(self.bytes.get(..length)?) as u32;
            self.bytes.advance(length);
            return Some(NumberRun::Same { number, left: count });
        }
        // Numbers are packed in groups of eight. The last run of a page may be shorter than its header declares.
        let bytes = self.bytes.split_to(count.checked_mul(self.width)?.min(self.bytes.len()));
        let complete = (8 * bytes.len()).checked_div(self.width).unwrap_or(usize::MAX);
        Some(NumberRun::Packed { bytes, place: 0, left: count.checked_mul(8)?.min(complete) })
    }
}

/// Returns the number in at most eight bytes, the lowest byte first.
fn number_of(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}
