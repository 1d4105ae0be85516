//! Reads tables in Parquet. The reader finds columns by name, as in other tables.

use std::io::BufReader;
use std::sync::Arc;

use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader as _, Length, SerializedFileReader};
use parquet::record::{Field, Row as Record};
use parquet::schema::types::{Type, TypePtr};

use super::RowDocuments;
use super::columnar::{ColumnCells, Columnar, ColumnarRows, SeeRows, plain_places};
use super::pages::ColumnPages;
use crate::error::Result;
use crate::shared_file::{FileReader, SharedFile};

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

/// A table that contains only mentions and entities, and documents if there are several.
pub(crate) struct PlainParquet {
    reader: SerializedFileReader<SharedFile>,
    /// The places of mention, entity and document among the columns of the file.
    places: Vec<usize>,
}

impl PlainParquet {
    /// Reads the columns of a file; `None` if it is not plain.
    pub(super) fn of(file: SharedFile) -> Option<PlainParquet> {
        let reader = SerializedFileReader::new(file).ok()?;
        let file = reader.metadata().file_metadata();
        let names: Vec<&str> = file.schema().get_fields().iter().map(|field| field.name()).collect();
        let columns = file.schema_descr().columns();
        let place = |field: usize| {
            let place = columns.iter().position(|column| column.path().parts() == [names[field]])?;
            (columns[place].max_rep_level() == 0 && columns[place].max_def_level() <= 1).then_some(place)
        };
        let places = plain_places(&names)?.into_iter().map(place).collect::<Option<_>>()?;
        Some(PlainParquet { reader, places })
    }

    /// Returns the number of row groups.
    pub(super) fn len(&self) -> usize {
        self.reader.num_row_groups()
    }

    pub(super) fn rows(&self) -> u64 {
        u64::try_from(self.reader.metadata().file_metadata().num_rows()).unwrap_or(0)
    }

    pub(super) fn has_documents(&self) -> bool {
        self.places.len() > 2
    }

    pub(super) fn read(&self, group: usize, see: &mut SeeRows<'_>) -> Option<()> {
        let group = self.reader.get_row_group(group).ok()?;
        let open = |&place| ColumnPages::open(group.as_ref(), place);
        let mut columns: Vec<ColumnPages> = self.places.iter().map(open).collect::<Option<_>>()?;
        let mut left = usize::try_from(group.metadata().num_rows()).ok()?;
        while left > 0 {
            // Pages of different columns end at different rows.
            let mut count = left;
            for column in &mut columns {
                count = count.min(column.decoded()?);
            }
            let mut cells = [ColumnCells::default(); 3];
            for (cells, column) in cells.iter_mut().zip(&columns) {
                *cells = column.next(count);
            }
            see(cells)?;
            columns.iter_mut().for_each(|column| column.take(count));
            left -= count;
        }
        Some(())
    }
}

impl Length for SharedFile {
    fn len(&self) -> u64 {
        self.size()
    }
}

impl ChunkReader for SharedFile {
    type T = BufReader<FileReader>;

    fn get_read(&self, start: u64) -> std::result::Result<Self::T, ParquetError> {
        // The headers of pages are read in this way.
        const HEADER: usize = 1 << 9;
        Ok(BufReader::with_capacity(HEADER, self.reader(start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> std::result::Result<Bytes, ParquetError> {
        Ok(self.bytes(start, length)?.into())
    }
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
