//! Reads tables in Parquet. The reader finds columns by name, as in other tables.

use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::ConvertedType;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row as Record};
use parquet::schema::types::{Type, TypePtr};

use super::RowDocuments;
use super::columnar::{Cells, Columnar, ColumnarRows, plain_places};
use crate::error::Result;

/// Adds the rows of a file.
pub(super) fn read(bytes: Vec<u8>, source: &Arc<str>, rows: &mut RowDocuments) -> Result<()> {
    let wrong = |error: ParquetError| Columnar::Parquet.wrong(source, &error);
    let reader = SerializedFileReader::new(Bytes::from(bytes)).map_err(wrong)?;
    let schema = reader.metadata().file_metadata().schema();
    let fields = schema.get_fields();
    let names: Vec<&str> = fields.iter().map(|field| field.name()).collect();
    let mut rows = ColumnarRows::new(&names, source, rows)?;
    // Reads only the required columns, and each only once.
    let wanted: Vec<TypePtr> = rows.places().map(|place| Arc::clone(&fields[place])).collect();
    let projection = Type::group_type_builder(schema.name()).with_fields(wanted).build().map_err(wrong)?;
    for record in reader.get_row_iter(Some(projection)).map_err(wrong)? {
        let record = record.map_err(wrong)?;
        rows.add(|place, text| put_cell(&record, names[place], text))?;
    }
    Ok(())
}

/// Appends a value as text. Fails with the kind of value if it cannot be a name.
fn put_cell(record: &Record, name: &str, text: &mut String) -> std::result::Result<(), &'static str> {
    let Some((_, field)) = record.get_column_iter().find(|column| column.0 == name) else { return Ok(()) };
    match field {
        Field::Null => {}
        Field::Str(value) => text.push_str(value),
        Field::Bytes(value) => text.push_str(std::str::from_utf8(value.data()).map_err(|_| "bytes")?),
        Field::Bool(_)
        | Field::Byte(_)
        | Field::Short(_)
        | Field::Int(_)
        | Field::Long(_)
        | Field::UByte(_)
        | Field::UShort(_)
        | Field::UInt(_)
        | Field::ULong(_) => text.push_str(&field.to_string()),
        Field::Float(_) | Field::Double(_) | Field::Float16(_) => return Err("fraction"),
        Field::Group(_) | Field::ListInternal(_) | Field::MapInternal(_) => return Err("list or group"),
        _ => return Err("date, time or decimal"),
    }
    Ok(())
}

/// A table that contains only mentions and entities.
pub(crate) struct PlainParquet {
    reader: SerializedFileReader<Bytes>,
    /// The places of mention and entity among the columns of the file.
    places: [usize; 2],
}

impl PlainParquet {
    /// Reads the table in these bytes; `None` if it is not plain.
    pub(super) fn of(bytes: Vec<u8>) -> Option<PlainParquet> {
        let reader = SerializedFileReader::new(Bytes::from(bytes)).ok()?;
        let file = reader.metadata().file_metadata();
        let names: Vec<&str> = file.schema().get_fields().iter().map(|field| field.name()).collect();
        let [mention, entity] = plain_places(&names)?;
        let columns = file.schema_descr().columns();
        let place = |name: &str| {
            let place = columns.iter().position(|column| column.path().parts() == [name])?;
            (columns[place].max_rep_level() == 0 && columns[place].max_def_level() <= 1).then_some(place)
        };
        let places = [place(names[mention])?, place(names[entity])?];
        Some(PlainParquet { reader, places })
    }

    /// Returns the number of row groups.
    pub(super) fn len(&self) -> usize {
        self.reader.num_row_groups()
    }

    pub(super) fn rows(&self) -> u64 {
        u64::try_from(self.reader.metadata().file_metadata().num_rows()).unwrap_or(0)
    }

    pub(super) fn read(&self, group: usize, see: &mut dyn FnMut(&Cells) -> Option<()>) -> Option<()> {
        let group = self.reader.get_row_group(group).ok()?;
        let mut columns = Vec::new();
        for place in self.places {
            let kind = group.metadata().column(place).column_descr().converted_type();
            columns.push((group.get_column_reader(place).ok()?, kind));
        }
        let mut left = u64::try_from(group.metadata().num_rows()).ok()?;
        let mut cells = Cells::default();
        while left > 0 {
            cells.clear();
            for (place, (reader, kind)) in columns.iter_mut().enumerate() {
                put_column(reader, *kind, place, &mut cells)?;
            }
            let [mentions, entities] = cells.columns.each_ref().map(Vec::len);
            if mentions != entities || mentions == 0 {
                return None;
            }
            left = left.checked_sub(mentions as u64)?;
            see(&cells)?;
        }
        Some(())
    }
}

/// Adds the next cells of a column. Returns `None` if one of them is not a name.
fn put_column(reader: &mut ColumnReader, kind: ConvertedType, place: usize, cells: &mut Cells) -> Option<()> {
    match reader {
        ColumnReader::ByteArrayColumnReader(reader)
            if matches!(kind, ConvertedType::UTF8 | ConvertedType::NONE) =>
        {
            next_values(reader)?.iter().try_for_each(|value| cells.add(place, value.data()))
        }
        ColumnReader::Int32ColumnReader(reader) => put_32(&next_values(reader)?, kind, place, cells),
        ColumnReader::Int64ColumnReader(reader) => put_64(&next_values(reader)?, kind, place, cells),
        _ => None,
    }
}

fn put_32(values: &[i32], kind: ConvertedType, place: usize, cells: &mut Cells) -> Option<()> {
    let mut values = values.iter();
    match kind {
        ConvertedType::INT_32 | ConvertedType::NONE => {
            values.try_for_each(|&value| cells.add_number(place, value))
        }
        ConvertedType::UINT_32 => values.try_for_each(|&value| cells.add_number(place, value as u32)),
        _ => None,
    }
}

fn put_64(values: &[i64], kind: ConvertedType, place: usize, cells: &mut Cells) -> Option<()> {
    let mut values = values.iter();
    match kind {
        ConvertedType::INT_64 | ConvertedType::NONE => {
            values.try_for_each(|&value| cells.add_number(place, value))
        }
        ConvertedType::UINT_64 => values.try_for_each(|&value| cells.add_number(place, value as u64)),
        _ => None,
    }
}

/// Returns the next values of a column; `None` if it cannot be read or lacks a value.
fn next_values<T: DataType>(reader: &mut ColumnReaderImpl<T>) -> Option<Vec<T::T>> {
    let (mut values, mut levels) = (Vec::with_capacity(Cells::ROWS), Vec::new());
    let (records, found, _) = reader.read_records(Cells::ROWS, Some(&mut levels), None, &mut values).ok()?;
    (records == found).then_some(values)
}

#[cfg(test)]
mod tests {
    use parquet::basic::Compression;
    use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    use super::*;
    use crate::formats::{FormatSpec, ReadOptions};

    /// Writes four rows: d1 has `a` and `b` in entity 7 and `c` in 8, d2 has `a` in 7.
    fn file(entity: &str, compression: Compression) -> Vec<u8> {
        let schema = format!(
            "message rows {{ required binary mention (UTF8); optional double score; \
             required binary document (UTF8); optional int64 {entity}; }}"
        );
        let schema = Arc::new(parse_message_type(&schema).unwrap());
        let properties = Arc::new(WriterProperties::builder().set_compression(compression).build());
        let mut bytes = Vec::new();
        let mut writer = SerializedFileWriter::new(&mut bytes, schema, properties).unwrap();
        let mut group = writer.next_row_group().unwrap();
        let texts = |values: [&str; 4]| values.map(ByteArray::from).to_vec();
        for place in 0.. {
            let Some(mut column) = group.next_column().unwrap() else { break };
            match place {
                0 => column.typed::<ByteArrayType>().write_batch(&texts(["a", "b", "c", "a"]), None, None),
                1 => column.typed::<parquet::data_type::DoubleType>().write_batch(
                    &[],
                    Some(&[0, 0, 0, 0]),
                    None,
                ),
                2 => {
                    column.typed::<ByteArrayType>().write_batch(&texts(["d1", "d1", "d1", "d2"]), None, None)
                }
                _ => column.typed::<Int64Type>().write_batch(&[7, 7, 8, 7], Some(&[1, 1, 1, 1]), None),
            }
            .unwrap();
            column.close().unwrap();
        }
        group.close().unwrap();
        writer.close().unwrap();
        bytes
    }

    #[test]
    fn columnar_files_are_detected_and_read() {
        for compression in
            [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::ZSTD(Default::default())]
        {
            let bytes = file("entity", compression);
            let format = FormatSpec::detect(&bytes).unwrap();
            assert_eq!(format.id, "table");
            let corpus = format.read(&bytes, "x.parquet", ReadOptions::default()).unwrap();
            let [first, second] = &corpus.documents[..] else { panic!("two documents") };
            assert_eq!(first.entities(), ["7", "8"]);
            assert_eq!((first.mentions().len(), second.mentions().len()), (3, 1));
            let names = &second.words().layers().unwrap().form;
            assert_eq!(names.iter().collect::<Vec<_>>(), ["a"]);
        }
    }

    #[test]
    fn truncated_files_and_other_columns_are_rejected() {
        let format = FormatSpec::named("table").unwrap();
        let whole = file("entity", Compression::SNAPPY);
        for end in 4..whole.len() {
            assert!(format.read(&whole[..end], "x.parquet", ReadOptions::default()).is_err());
        }
        let other = file("gold", Compression::SNAPPY);
        let error = format.read(&other, "x.parquet", ReadOptions::default()).unwrap_err();
        assert!(error.message().contains("none of the entity"), "{error}");
    }

    #[test]
    fn files_of_other_programs_are_read() {
        let format = FormatSpec::named("table").unwrap();
        let samples = [("snappy", 2, 5), ("pages-2", 2, 5), ("plain", 1, 5), ("zstd", 1, 3)];
        for (name, documents, mentions) in samples {
            let path = format!("{}/../../testdata/parquet/{name}.parquet", env!("CARGO_MANIFEST_DIR"));
            let bytes = std::fs::read(path).unwrap();
            let corpus = format.read(&bytes, "x.parquet", ReadOptions::default()).unwrap();
            let found: usize = corpus.documents.iter().map(|document| document.mentions().len()).sum();
            assert_eq!((corpus.documents.len(), found), (documents, mentions), "{name}");
        }
    }

    #[test]
    fn damaged_files_are_read_or_rejected() {
        let format = FormatSpec::named("table").unwrap();
        for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY] {
            let whole = file("entity", compression);
            for place in 4..whole.len() {
                for bit in 0..8 {
                    let mut damaged = whole.clone();
                    damaged[place] ^= 1 << bit;
                    let _ = format.read(&damaged, "x.parquet", ReadOptions::default());
                }
            }
        }
    }
}
