//! Reads tables in Arrow IPC, as files and streams. The reader finds columns by name, as in other tables.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ByteArrayType, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, GenericByteArray};
use arrow_buffer::{ArrowNativeType, Buffer};
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::{Block, Message, MessageHeader, MetadataVersion, root_as_footer, root_as_message};
use arrow_schema::{ArrowError, DataType, Schema};

use bytes::Bytes;

use super::RowDocuments;
use super::columnar::{ColumnNames, Columnar, ColumnarRows, DOCUMENT, SeeRows, plain_places};
use crate::error::Result;
use crate::shared_file::SharedFile;

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

/// The maximum number of bytes to which any compression in Arrow expands one byte. A Zstandard block of at least 3
/// bytes expands to at most 2¹⁷ bytes.
const MOST_OF_A_BYTE: u64 = 1 << 16;

/// The result of a step, with an error of the Arrow crate.
type ArrowResult<T> = std::result::Result<T, ArrowError>;

/// Adds the rows of a file or of a stream.
pub(super) fn read(bytes: Vec<u8>, source: &Arc<str>, rows: &mut RowDocuments) -> Result<()> {
    let wrong = |error: ArrowError| Columnar::Arrow.wrong(source, &error);
    let bytes = Buffer::from_vec(bytes);
    let Batches { schema, version, blocks } = Batches::of(&bytes).map_err(wrong)?;
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let mut rows = ColumnarRows::new(&names, source, rows)?;
    let mut decoder = FileDecoder::new(Arc::clone(&schema), version);
    for block in blocks {
        let message = BatchMessage::of(&block, &bytes).map_err(wrong)?;
        if message.is_dictionary().map_err(wrong)? {
            decoder.read_dictionary(&block, &message.data).map_err(wrong)?;
            continue;
        }
        let Some(batch) = decoder.read_record_batch(&block, &message.data).map_err(wrong)? else { continue };
        for row in 0..batch.num_rows() {
            rows.add(|place, text| put_cell(batch.column(place).as_ref(), row, text))?;
        }
    }
    Ok(())
}

/// The bytes of a file or a stream.
trait ArrowBytes {
    fn size(&self) -> u64;

    /// Returns a range; `None` if there are fewer bytes.
    fn range(&self, start: u64, length: usize) -> Option<Buffer>;
}

impl ArrowBytes for Buffer {
    fn size(&self) -> u64 {
        self.len() as u64
    }

    fn range(&self, start: u64, length: usize) -> Option<Buffer> {
        let start = usize::try_from(start).ok()?;
        let is_within = start.checked_add(length).is_some_and(|end| end <= self.len());
        is_within.then(|| self.slice_with_length(start, length))
    }
}

impl ArrowBytes for SharedFile {
    fn size(&self) -> u64 {
        SharedFile::size(self)
    }

    fn range(&self, start: u64, length: usize) -> Option<Buffer> {
        self.bytes(start, length).ok().map(Buffer::from_vec)
    }
}

/// The columns of a file or a stream, and the places of its messages.
struct Batches {
    schema: Arc<Schema>,
    version: MetadataVersion,
    blocks: Vec<Block>,
}

impl Batches {
    fn of(content: &dyn ArrowBytes) -> ArrowResult<Batches> {
        match content.range(0, MAGIC.len()).is_some_and(|first| first.as_slice() == MAGIC) {
            true => Batches::of_file(content),
            false => Batches::of_stream(content),
        }
    }

    /// Finds the messages that the footer of a file lists.
    fn of_file(content: &dyn ArrowBytes) -> ArrowResult<Batches> {
        /// The length of the footer, and the last bytes of a file.
        const TRAILER: usize = 10;
        let cut = || ArrowError::ParseError("the end of the file is missing".to_owned());
        let end = content.size().checked_sub(TRAILER as u64).ok_or_else(cut)?;
        let trailer = content.range(end, TRAILER).ok_or_else(cut)?;
        let trailer = trailer.first_chunk::<TRAILER>().ok_or_else(cut)?;
        let length = read_footer_length(*trailer).map_err(|_| cut())?;
        let start = end.checked_sub(length as u64).ok_or_else(cut)?;
        let footer = content.range(start, length).ok_or_else(cut)?;
        let footer = root_as_footer(&footer).map_err(|error| parse_error(&error))?;
        let schema = footer.schema().ok_or_else(|| ArrowError::ParseError("it has no columns".to_owned()))?;
        let blocks = footer.dictionaries().into_iter().chain(footer.recordBatches()).flatten();
        Ok(Batches {
            schema: Arc::new(fb_to_schema(schema)),
            version: footer.version(),
            blocks: blocks.copied().collect(),
        })
    }

    /// Finds the messages of a stream in order. A stream ends with an empty message, which reveals truncation.
    fn of_stream(content: &dyn ArrowBytes) -> ArrowResult<Batches> {
        let cut = || ArrowError::ParseError("the end of the stream is missing".to_owned());
        let mut found: Option<Batches> = None;
        let mut at = 0_u64;
        loop {
            let head = content.range(at, BEFORE_MESSAGE).ok_or_else(cut)?;
            let length =
                head.strip_prefix(MARK).and_then(|length| length.try_into().ok()).ok_or_else(unmarked)?;
            let length = u32::from_le_bytes(length) as usize;
            if length == 0 {
                return found.ok_or_else(|| ArrowError::ParseError("it has no columns".to_owned()));
            }
            let message = content.range(at + BEFORE_MESSAGE as u64, length).ok_or_else(cut)?;
            let message = message_of(&message)?;
            let body = u64::try_from(message.bodyLength()).map_err(|_| cut())?;
            let whole = BEFORE_MESSAGE + length;
            match (&mut found, message.header_as_schema()) {
                (None, Some(schema)) => {
                    let (schema, version) = (Arc::new(fb_to_schema(schema)), message.version());
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
            at = at.checked_add(whole as u64).and_then(|at| at.checked_add(body)).ok_or_else(cut)?;
        }
    }
}

/// The bytes of a message: some rows, or a dictionary.
struct BatchMessage {
    data: Buffer,
    /// The number of bytes before the body.
    before: usize,
}

impl BatchMessage {
    /// Reads a message. Fails if it is incomplete, or if its compressed buffers claim an impossible length.
    fn of(block: &Block, content: &dyn ArrowBytes) -> ArrowResult<BatchMessage> {
        let number = |length: i64| usize::try_from(length).map_err(|_| missing());
        let (start, before, body) =
            (number(block.offset())?, number(block.metaDataLength().into())?, number(block.bodyLength())?);
        let length = before.checked_add(body).filter(|_| before >= BEFORE_MESSAGE).ok_or_else(missing)?;
        let data = content.range(start as u64, length).ok_or_else(missing)?;
        let message = BatchMessage { data, before };
        check_lengths(&message.described()?, &message.data[before..])?;
        Ok(message)
    }

    /// Reads the description of a message without its body.
    fn description_of(block: &Block, content: &dyn ArrowBytes) -> ArrowResult<BatchMessage> {
        let start = u64::try_from(block.offset()).map_err(|_| missing())?;
        let before = usize::try_from(block.metaDataLength()).map_err(|_| missing())?;
        let data = content.range(start, before).filter(|_| before >= BEFORE_MESSAGE).ok_or_else(missing)?;
        Ok(BatchMessage { data, before })
    }

    fn described(&self) -> ArrowResult<Message<'_>> {
        let description = self.data[..self.before].strip_prefix(MARK).ok_or_else(unmarked)?;
        message_of(&description[BEFORE_MESSAGE - MARK.len()..])
    }

    fn is_dictionary(&self) -> ArrowResult<bool> {
        Ok(self.described()?.header_type() == MessageHeader::DictionaryBatch)
    }
}

/// Returns the error about a message that ends after the file.
fn missing() -> ArrowError {
    ArrowError::ParseError("a part of the file is missing".to_owned())
}

/// Returns the error about a message without a mark, as versions of Arrow before 0.15 wrote them.
fn unmarked() -> ArrowError {
    ArrowError::ParseError("a message does not start with its mark".to_owned())
}

fn message_of(bytes: &[u8]) -> ArrowResult<Message<'_>> {
    root_as_message(bytes).map_err(|error| parse_error(&error))
}

fn parse_error(error: &dyn std::fmt::Display) -> ArrowError {
    ArrowError::ParseError(error.to_string())
}

/// Rejects compressed buffers that claim an impossible length. The decoder would allocate the memory before any check.
fn check_lengths(message: &Message<'_>, body: &[u8]) -> ArrowResult<()> {
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

/// A table that contains only mentions and entities, and documents if there are several.
pub(crate) struct PlainArrow {
    file: SharedFile,
    /// The decoder of mentions, entities and documents, with all dictionaries.
    decoder: FileDecoder,
    blocks: Vec<Block>,
    rows: u64,
    has_documents: bool,
}

impl PlainArrow {
    /// Reads the columns and dictionaries of a file; `None` if it is not plain.
    pub(super) fn of(file: SharedFile) -> Option<PlainArrow> {
        let Batches { schema, version, blocks } = Batches::of(&file).ok()?;
        let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        let places = plain_places(&names)?;
        let has_documents = places.len() > DOCUMENT;
        let mut decoder = FileDecoder::new(Arc::clone(&schema), version).with_projection(places);
        let (mut batches, mut rows) = (Vec::new(), 0_u64);
        for block in blocks {
            let message = BatchMessage::description_of(&block, &file).ok()?;
            if message.is_dictionary().ok()? {
                // Batches are read in any order, so a dictionary may not change.
                batches.is_empty().then_some(())?;
                decoder.read_dictionary(&block, &BatchMessage::of(&block, &file).ok()?.data).ok()?;
                continue;
            }
            let count = message.described().ok()?.header_as_record_batch()?.length();
            rows = rows.saturating_add(u64::try_from(count).ok()?);
            batches.push(block);
        }
        Some(PlainArrow { file, decoder, blocks: batches, rows, has_documents })
    }

    /// Returns the number of batches.
    pub(super) fn len(&self) -> usize {
        self.blocks.len()
    }

    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    pub(super) fn has_documents(&self) -> bool {
        self.has_documents
    }

    pub(super) fn read(&self, block: usize, see: &mut SeeRows<'_>) -> Option<()> {
        let block = self.blocks.get(block)?;
        let message = BatchMessage::of(block, &self.file).ok()?;
        let batch = self.decoder.read_record_batch(block, &message.data).ok()??;
        let mut names: [ColumnNames; 3] = Default::default();
        for start in (0..batch.num_rows()).step_by(ColumnNames::ROWS) {
            let length = ColumnNames::ROWS.min(batch.num_rows() - start);
            for (names, column) in names.iter_mut().zip(batch.columns()) {
                names.clear();
                add_names(column.slice(start, length).as_ref(), names)?;
            }
            see(names.each_ref().map(ColumnNames::cells))?;
        }
        Some(())
    }
}

/// Adds the names in a column. Returns `None` if one of the values is not a name.
fn add_names(array: &dyn Array, names: &mut ColumnNames) -> Option<()> {
    match array.as_any_dictionary_opt() {
        Some(dictionary) if array.null_count() == 0 && !dictionary.values().is_empty() => {
            add_values(dictionary.values().as_ref(), dictionary.normalized_keys().into_iter(), names)
        }
        _ => add_values(array, 0..array.len(), names),
    }
}

/// Adds the names at the given places of a column.
fn add_values(
    array: &dyn Array,
    mut places: impl Iterator<Item = usize>,
    names: &mut ColumnNames,
) -> Option<()> {
    macro_rules! numbers {
        ($type:ty, $add:ident) => {{
            let values = array.as_primitive::<$type>().values();
            places.try_for_each(|place| names.$add(values[place].into()))
        }};
    }
    macro_rules! views {
        ($array:expr) => {{
            let array = $array;
            places.try_for_each(|place| names.add(array.value(place).as_ref()))
        }};
    }
    if array.null_count() > 0 {
        return None;
    }
    match array.data_type() {
        DataType::Utf8 => add_texts(array.as_string::<i32>(), places, names),
        DataType::LargeUtf8 => add_texts(array.as_string::<i64>(), places, names),
        DataType::Binary => add_texts(array.as_binary::<i32>(), places, names),
        DataType::LargeBinary => add_texts(array.as_binary::<i64>(), places, names),
        DataType::Utf8View => views!(array.as_string_view()),
        DataType::BinaryView => views!(array.as_binary_view()),
        DataType::Int8 => numbers!(Int8Type, add_signed),
        DataType::Int16 => numbers!(Int16Type, add_signed),
        DataType::Int32 => numbers!(Int32Type, add_signed),
        DataType::Int64 => numbers!(Int64Type, add_signed),
        DataType::UInt8 => numbers!(UInt8Type, add_unsigned),
        DataType::UInt16 => numbers!(UInt16Type, add_unsigned),
        DataType::UInt32 => numbers!(UInt32Type, add_unsigned),
        DataType::UInt64 => numbers!(UInt64Type, add_unsigned),
        _ => None,
    }
}

/// Adds names that stay where they are.
fn add_texts<T: ByteArrayType>(
    array: &GenericByteArray<T>,
    mut places: impl Iterator<Item = usize>,
    names: &mut ColumnNames,
) -> Option<()> {
    let (text, offsets) = (array.values(), array.value_offsets());
    places.try_for_each(|place| {
        names.add_shared(text, offsets[place].as_usize(), offsets[place + 1].as_usize())
    })?;
    names.share(Bytes::from_owner(ColumnText(text.clone())));
    Some(())
}

/// The text of a column, which names share.
struct ColumnText(Buffer);

impl AsRef<[u8]> for ColumnText {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
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
                ([("mention", names()), ("gold", names())], "no column of the entity"),
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
