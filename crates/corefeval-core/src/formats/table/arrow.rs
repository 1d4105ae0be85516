//! Reads tables in Arrow IPC, as files and streams. The reader finds columns by name, as in other tables.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::{Block, Message, MessageHeader, MetadataVersion, root_as_footer, root_as_message};
use arrow_schema::{ArrowError, DataType, Schema};

use super::RowDocuments;
use super::columnar::{Cells, Columnar, ColumnarRows, plain_places};
use crate::error::Result;

/// The first and the last bytes of a file.
const MAGIC: &[u8] = b"ARROW1";

/// The first bytes of a message.
const MARK: &[u8] = &[0xFF; 4];

/// The number of bytes of a message before its description: a mark and the length of the description.
const BEFORE_MESSAGE: usize = 8;

/// The number of bytes before a compressed buffer. They give its uncompressed length.
const BEFORE_BUFFER: usize = 8;

/// The largest buffer in bytes. Writers divide rows into batches that are far smaller.
const LARGEST: u64 = 1 << 31;

/// The most bytes to which any compression in Arrow expands one byte. A Zstandard block of at least 3 bytes expands to
/// at most 2¹⁷ bytes.
const MOST_OF_A_BYTE: u64 = 1 << 16;

/// The result of a step, with an error of the Arrow crate.
type Step<T> = std::result::Result<T, ArrowError>;

/// Adds the rows of a file or of a stream.
pub(super) fn read(bytes: Vec<u8>, source: &Arc<str>, rows: &mut RowDocuments) -> Result<()> {
    let wrong = |error: ArrowError| Columnar::Arrow.wrong(source, &error);
    let bytes = Buffer::from_vec(bytes);
    let Batches { schema, version, blocks } = Batches::of(&bytes).map_err(wrong)?;
    let schema = Arc::new(schema);
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let mut rows = ColumnarRows::new(&names, source, rows)?;
    let mut decoder = FileDecoder::new(Arc::clone(&schema), version);
    for block in blocks {
        let Some(batch) = next_batch(&mut decoder, &block, &bytes).map_err(wrong)? else { continue };
        for row in 0..batch.num_rows() {
            rows.add(|place, text| put_cell(batch.column(place).as_ref(), row, text))?;
        }
    }
    Ok(())
}

/// The columns of a file or a stream, and the places of its messages.
struct Batches {
    schema: Schema,
    version: MetadataVersion,
    blocks: Vec<Block>,
}

impl Batches {
    fn of(bytes: &[u8]) -> Step<Batches> {
        match bytes.starts_with(MAGIC) {
            true => Batches::of_file(bytes),
            false => Batches::of_stream(bytes),
        }
    }

    /// Finds the messages that the footer of a file lists.
    fn of_file(bytes: &[u8]) -> Step<Batches> {
        let cut = || ArrowError::ParseError("the end of the file is missing".to_owned());
        let (before, trailer) = bytes.split_last_chunk::<10>().ok_or_else(cut)?;
        let length = read_footer_length(*trailer).map_err(|_| cut())?;
        let start = before.len().checked_sub(length).ok_or_else(cut)?;
        let footer = root_as_footer(&before[start..]).map_err(|error| parse_error(&error))?;
        let schema = footer.schema().ok_or_else(|| ArrowError::ParseError("it has no columns".to_owned()))?;
        let blocks = footer.dictionaries().into_iter().chain(footer.recordBatches()).flatten();
        Ok(Batches {
            schema: fb_to_schema(schema),
            version: footer.version(),
            blocks: blocks.copied().collect(),
        })
    }

    /// Finds the messages of a stream in order. A stream ends with an empty message, which reveals truncation.
    fn of_stream(bytes: &[u8]) -> Step<Batches> {
        let cut = || ArrowError::ParseError("the end of the stream is missing".to_owned());
        let mut found: Option<Batches> = None;
        let mut at = 0;
        loop {
            let (head, rest) = bytes
                .get(at..)
                .and_then(|rest| rest.split_first_chunk::<BEFORE_MESSAGE>())
                .ok_or_else(cut)?;
            let length =
                head.strip_prefix(MARK).and_then(|length| length.try_into().ok()).ok_or_else(unmarked)?;
            let length = u32::from_le_bytes(length) as usize;
            if length == 0 {
                return found.ok_or_else(|| ArrowError::ParseError("it has no columns".to_owned()));
            }
            let message = message_of(rest.get(..length).ok_or_else(cut)?)?;
            let body = usize::try_from(message.bodyLength()).map_err(|_| cut())?;
            let whole = BEFORE_MESSAGE + length;
            match (&mut found, message.header_as_schema()) {
                (None, Some(schema)) => {
                    let (schema, version) = (fb_to_schema(schema), message.version());
                    found = Some(Batches { schema, version, blocks: Vec::new() });
                }
                (Some(found), None) => found.blocks.push(Block::new(at as i64, whole as i32, body as i64)),
                (None, None) => {
                    return Err(ArrowError::ParseError("the columns do not come first".to_owned()));
                }
                (Some(_), Some(_)) => {
                    return Err(ArrowError::ParseError("it has its columns twice".to_owned()));
                }
            }
            at = at.checked_add(whole).and_then(|at| at.checked_add(body)).ok_or_else(cut)?;
        }
    }
}

/// Decodes a message: some rows, or `None` for a dictionary, which the decoder keeps.
fn next_batch(decoder: &mut FileDecoder, block: &Block, bytes: &Buffer) -> Step<Option<RecordBatch>> {
    let cut = || ArrowError::ParseError("a part of the file is missing".to_owned());
    let number = |length: i64| usize::try_from(length).map_err(|_| cut());
    let (start, before, body) =
        (number(block.offset())?, number(block.metaDataLength().into())?, number(block.bodyLength())?);
    let length = before.checked_add(body).ok_or_else(cut)?;
    if before < BEFORE_MESSAGE || start.checked_add(length).is_none_or(|end| end > bytes.len()) {
        return Err(cut());
    }
    let data = bytes.slice_with_length(start, length);
    let (message, body) = data.split_at(before);
    if !message.starts_with(MARK) {
        return Err(unmarked());
    }
    let message = message_of(&message[BEFORE_MESSAGE..])?;
    check_lengths(&message, body)?;
    match message.header_type() {
        MessageHeader::DictionaryBatch => decoder.read_dictionary(block, &data).map(|()| None),
        _ => decoder.read_record_batch(block, &data),
    }
}

/// Returns the error about a message without a mark, as versions of Arrow before 0.15 wrote them.
fn unmarked() -> ArrowError {
    ArrowError::ParseError("a message does not start with its mark".to_owned())
}

fn message_of(bytes: &[u8]) -> Step<Message<'_>> {
    root_as_message(bytes).map_err(|error| parse_error(&error))
}

fn parse_error(error: &dyn std::fmt::Display) -> ArrowError {
    ArrowError::ParseError(error.to_string())
}

/// Rejects compressed buffers that claim an impossible length. The decoder would allocate the memory before any check.
fn check_lengths(message: &Message<'_>, body: &[u8]) -> Step<()> {
    let of_dictionary = || message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data());
    let batch = message.header_as_record_batch().or_else(of_dictionary);
    let Some(batch) = batch.filter(|batch| batch.compression().is_some()) else { return Ok(()) };
    for buffer in batch.buffers().iter().flatten() {
        let place = usize::try_from(buffer.offset()).ok().zip(usize::try_from(buffer.length()).ok());
        let found = place.and_then(|(start, length)| body.get(start..)?.get(..length));
        let found =
            found.ok_or_else(|| ArrowError::ParseError("a buffer is beyond its message".to_owned()))?;
        let Some((claimed, compressed)) = found.split_first_chunk::<BEFORE_BUFFER>() else { continue };
        // The length is -1 if the buffer is not compressed.
        let claimed = i64::from_le_bytes(*claimed);
        let most = MOST_OF_A_BYTE.saturating_mul(compressed.len() as u64).min(LARGEST);
        if claimed < -1 || claimed > 0 && claimed as u64 > most {
            return Err(ArrowError::ParseError(
                "a compressed buffer states a length that is too large".to_owned(),
            ));
        }
    }
    Ok(())
}

/// Appends a value as text. Fails with the kind of value if it cannot be a name.
fn put_cell(array: &dyn Array, row: usize, text: &mut String) -> std::result::Result<(), &'static str> {
    if array.is_null(row) {
        return Ok(());
    }
    let bytes = |value: &[u8], text: &mut String| {
        std::str::from_utf8(value).map(|value| text.push_str(value)).map_err(|_| "bytes")
    };
    macro_rules! number {
        ($type:ty) => {
            text.push_str(&array.as_primitive::<$type>().value(row).to_string())
        };
    }
    match array.data_type() {
        DataType::Null => {}
        DataType::Utf8 => text.push_str(array.as_string::<i32>().value(row)),
        DataType::LargeUtf8 => text.push_str(array.as_string::<i64>().value(row)),
        DataType::Utf8View => text.push_str(array.as_string_view().value(row)),
        DataType::Binary => bytes(array.as_binary::<i32>().value(row), text)?,
        DataType::LargeBinary => bytes(array.as_binary::<i64>().value(row), text)?,
        DataType::BinaryView => bytes(array.as_binary_view().value(row), text)?,
        DataType::FixedSizeBinary(_) => bytes(array.as_fixed_size_binary().value(row), text)?,
        DataType::Boolean => text.push_str(if array.as_boolean().value(row) { "true" } else { "false" }),
        DataType::Int8 => number!(Int8Type),
        DataType::Int16 => number!(Int16Type),
        DataType::Int32 => number!(Int32Type),
        DataType::Int64 => number!(Int64Type),
        DataType::UInt8 => number!(UInt8Type),
        DataType::UInt16 => number!(UInt16Type),
        DataType::UInt32 => number!(UInt32Type),
        DataType::UInt64 => number!(UInt64Type),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let key = dictionary.keys().slice(row, 1);
            let mut place = String::new();
            put_cell(key.as_ref(), 0, &mut place)?;
            // The decoder already rejects keys beyond the values.
            let place = place.parse().map_err(|_| "dictionary without values")?;
            put_cell(dictionary.values().as_ref(), place, text)?;
        }
        DataType::Float16 | DataType::Float32 | DataType::Float64 => return Err("fraction"),
        DataType::List(_)
        | DataType::LargeList(_)
        | DataType::ListView(_)
        | DataType::LargeListView(_)
        | DataType::FixedSizeList(..)
        | DataType::Struct(_)
        | DataType::Union(..)
        | DataType::Map(..)
        | DataType::RunEndEncoded(..) => return Err("list or group"),
        _ => return Err("date, time or decimal"),
    }
    Ok(())
}

/// A table that contains only mentions and entities.
pub(crate) struct PlainArrow {
    bytes: Buffer,
    schema: Arc<Schema>,
    version: MetadataVersion,
    blocks: Vec<Block>,
    /// The places of mention and entity among the columns.
    places: [usize; 2],
}

impl PlainArrow {
    /// Reads the table in these bytes; `None` if it is not plain.
    pub(super) fn of(bytes: Vec<u8>) -> Option<PlainArrow> {
        let bytes = Buffer::from_vec(bytes);
        let Batches { schema, version, blocks } = Batches::of(&bytes).ok()?;
        let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        let places = plain_places(&names)?;
        Some(PlainArrow { bytes, schema: Arc::new(schema), version, blocks, places })
    }

    /// Returns the number of batches.
    pub(super) fn len(&self) -> usize {
        self.blocks.len()
    }

    pub(super) fn rows(&self) -> u64 {
        let rows = |block: &Block| {
            let start = usize::try_from(block.offset()).ok()?.checked_add(BEFORE_MESSAGE)?;
            let message = message_of(self.bytes.get(start..)?).ok()?;
            u64::try_from(message.header_as_record_batch()?.length()).ok()
        };
        self.blocks.iter().filter_map(rows).sum()
    }

    pub(super) fn read(&self, block: usize, see: &mut dyn FnMut(&Cells) -> Option<()>) -> Option<()> {
        // Batches are read separately, so a table with dictionaries, which precede other batches, is not plain.
        let mut decoder = FileDecoder::new(Arc::clone(&self.schema), self.version);
        let batch = next_batch(&mut decoder, self.blocks.get(block)?, &self.bytes).ok()??;
        let columns = self.places.map(|place| batch.column(place));
        let mut cells = Cells::default();
        for start in (0..batch.num_rows()).step_by(Cells::ROWS) {
            cells.clear();
            let length = Cells::ROWS.min(batch.num_rows() - start);
            for (place, column) in columns.iter().enumerate() {
                put_column(column.slice(start, length).as_ref(), place, &mut cells)?;
            }
            see(&cells)?;
        }
        Some(())
    }
}

/// Adds the cells of a column. Returns `None` if one of them is not a name.
fn put_column(array: &dyn Array, place: usize, cells: &mut Cells) -> Option<()> {
    macro_rules! texts {
        ($array:expr) => {
            (0..array.len()).try_for_each(|row| cells.add(place, $array.value(row).as_bytes()))
        };
    }
    macro_rules! numbers {
        ($type:ty) => {
            array
                .as_primitive::<$type>()
                .values()
                .iter()
                .try_for_each(|&value| cells.add_number(place, value))
        };
    }
    if array.null_count() > 0 {
        return None;
    }
    match array.data_type() {
        DataType::Utf8 => texts!(array.as_string::<i32>()),
        DataType::LargeUtf8 => texts!(array.as_string::<i64>()),
        DataType::Utf8View => texts!(array.as_string_view()),
        DataType::Int8 => numbers!(Int8Type),
        DataType::Int16 => numbers!(Int16Type),
        DataType::Int32 => numbers!(Int32Type),
        DataType::Int64 => numbers!(Int64Type),
        DataType::UInt8 => numbers!(UInt8Type),
        DataType::UInt16 => numbers!(UInt16Type),
        DataType::UInt32 => numbers!(UInt32Type),
        DataType::UInt64 => numbers!(UInt64Type),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use arrow_array::{ArrayRef, Float64Array, StringArray};
    use arrow_ipc::writer::{FileWriter, StreamWriter};
    use arrow_schema::Field;

    use super::*;
    use crate::formats::{FormatSpec, ReadOptions};

    /// Files written by other programs: uncompressed with views, compressed in two ways, and a stream.
    const SAMPLES: [&str; 4] = ["plain.arrow", "lz4.feather", "zstd.feather", "stream.arrows"];

    fn sample(name: &str) -> Vec<u8> {
        std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/arrow").join(name)).unwrap()
    }

    #[test]
    fn files_of_other_programs_are_recognised_and_read() {
        for name in SAMPLES {
            let bytes = sample(name);
            let format = FormatSpec::detect(&bytes).unwrap();
            assert_eq!(format.id, "table", "{name}");
            let corpus = format.read(&bytes, name, ReadOptions::default()).unwrap();
            let [first, second] = &corpus.documents[..] else { panic!("{name}: two documents") };
            assert_eq!(
                (first.id().to_string(), second.id().to_string()),
                ("d1".into(), "d2".into()),
                "{name}"
            );
            assert_eq!(
                (first.entities(), second.entities().len()),
                (&["7".into(), "8".into()][..], 1),
                "{name}"
            );
            let names = &second.words().layers().unwrap().form;
            assert_eq!(names.iter().collect::<Vec<_>>(), ["a", "ß"], "{name}");
        }
    }

    /// Writes rows as a file or as a stream.
    fn written(columns: &[(&str, ArrayRef)], is_stream: bool) -> Vec<u8> {
        let fields: Vec<Field> =
            columns.iter().map(|(name, array)| Field::new(*name, array.data_type().clone(), true)).collect();
        let schema = Arc::new(Schema::new(fields));
        let arrays = columns.iter().map(|(_, array)| Arc::clone(array)).collect();
        let batch = RecordBatch::try_new(Arc::clone(&schema), arrays).unwrap();
        let mut bytes = Vec::new();
        if is_stream {
            let mut writer = StreamWriter::try_new(&mut bytes, &schema).unwrap();
            writer.write(&batch).and_then(|()| writer.finish()).unwrap();
        } else {
            let mut writer = FileWriter::try_new(&mut bytes, &schema).unwrap();
            writer.write(&batch).and_then(|()| writer.finish()).unwrap();
        }
        bytes
    }

    #[test]
    fn columns_and_cells_without_names_are_rejected() {
        let names = || Arc::new(StringArray::from(vec![Some("a"), Some("b")])) as ArrayRef;
        let with_gap = || Arc::new(StringArray::from(vec![Some("e"), None])) as ArrayRef;
        let fractions = || Arc::new(Float64Array::from(vec![1.0, 2.0])) as ArrayRef;
        let format = FormatSpec::named("table").unwrap();
        for is_stream in [false, true] {
            let read = |columns: &[(&str, ArrayRef)]| {
                let bytes = written(columns, is_stream);
                format.read(&bytes, "x.arrow", ReadOptions::default()).map_err(|error| error.to_string())
            };
            assert_eq!(read(&[("id", names()), ("cluster_id", names())]).unwrap().documents.len(), 1);
            for (columns, wanted) in [
                ([("mention", names()), ("gold", names())], "none of the entity"),
                ([("left", names()), ("right", names())], "no column is named"),
                (
                    [("mention", names()), ("entity", fractions())],
                    "the column `entity` has the type fraction",
                ),
                ([("mention", names()), ("entity", with_gap())], "x.arrow:2"),
            ] {
                let error = read(&columns).unwrap_err();
                assert!(error.contains(wanted), "{error}");
            }
        }
    }

    #[test]
    fn truncated_files_are_rejected() {
        let format = FormatSpec::named("table").unwrap();
        for name in SAMPLES {
            let whole = sample(name);
            for end in 8..whole.len() {
                let cut = format.read(&whole[..end], name, ReadOptions::default());
                assert!(cut.is_err(), "{name}: the first {end} of {} bytes", whole.len());
            }
        }
    }

    #[test]
    fn damaged_files_are_read_or_rejected() {
        let format = FormatSpec::named("table").unwrap();
        for name in SAMPLES {
            let whole = sample(name);
            for place in 0..whole.len() {
                for bit in 0..8 {
                    let mut damaged = whole.clone();
                    damaged[place] ^= 1 << bit;
                    let _ = format.read(&damaged, name, ReadOptions::default());
                }
            }
        }
    }
}
