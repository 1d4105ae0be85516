//! Reads tables in Parquet. The reader finds columns by name, as in other tables.

use std::io::BufReader;
use std::sync::Arc;

use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader as _, Length, SerializedFileReader};
use parquet::record::{Field, Row as Record};
use parquet::schema::types::{Type, TypePtr};

use super::RowDocuments;
#[cfg(any(test, feature = "fuzzing"))]
use super::columnar::DOCUMENT;
use super::columnar::{ColumnCells, Columnar, ColumnarRows, SeeRows, plain_places};
use super::pages::ColumnPages;
use crate::error::Result;
#[cfg(any(test, feature = "fuzzing"))]
use crate::formats::ReadOptions;
#[cfg(any(test, feature = "fuzzing"))]
use crate::model::{Document, Mention};
use crate::shared_file::{FileTail, SharedFile};
#[cfg(any(test, feature = "fuzzing"))]
use crate::threads::caught;

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
pub(crate) struct PlainParquet<F: ChunkReader + 'static = SharedFile> {
    reader: SerializedFileReader<F>,
    /// The places of mention, entity and document among the columns of the file.
    places: Vec<usize>,
}

impl<F: ChunkReader + 'static> PlainParquet<F> {
    /// Reads the columns of a file; `None` if it is not plain.
    pub(super) fn of(file: F) -> Option<PlainParquet<F>> {
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
        // A damaged file may have more cells than its description declares.
        columns.iter_mut().all(ColumnPages::is_at_end).then_some(())
    }
}

impl Length for SharedFile {
    fn len(&self) -> u64 {
        self.size()
    }
}

impl ChunkReader for SharedFile {
    type T = BufReader<FileTail>;

    fn get_read(&self, start: u64) -> std::result::Result<Self::T, ParquetError> {
        // The headers of pages are read in this way.
        const HEADER: usize = 1 << 9;
        Ok(BufReader::with_capacity(HEADER, self.reader(start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> std::result::Result<Bytes, ParquetError> {
        Ok(self.bytes(start, length)?.into())
    }
}

/// The document, mention and entity of each row, sorted by document. The document is empty if there is no such column.
#[cfg(any(test, feature = "fuzzing"))]
pub type LabelRows = Vec<[String; 3]>;

/// Reads a table in both ways: page by page, which returns `None` for unusual tables and those without rows, and row by
/// row.
#[cfg(any(test, feature = "fuzzing"))]
pub fn read_in_both_ways(bytes: &[u8]) -> (Option<LabelRows>, Result<LabelRows>) {
    let by_row = super::SPEC.read(bytes, "x.parquet", ReadOptions::with_layers());
    let by_row = by_row.map(|corpus| {
        let of = |document: &Document| {
            let words = document.words().layers().map(|layers| &layers.form);
            let names: Vec<String> =
                words.into_iter().flat_map(|form| form.iter()).map(str::to_owned).collect();
            let row = |mention: &Mention| {
                let (word, entity) = (mention.span().start() as usize, mention.entity().index());
                [
                    document.id().name().to_owned(),
                    names[word].clone(),
                    document.entities()[entity].to_string(),
                ]
            };
            document.mentions().iter().map(row).collect::<LabelRows>()
        };
        sorted(corpus.documents.iter().flat_map(of).collect())
    });
    (caught(|| rows_by_page(bytes)).flatten().map(sorted), by_row)
}

#[cfg(any(test, feature = "fuzzing"))]
fn sorted(mut rows: LabelRows) -> LabelRows {
    rows.sort_by(|one, other| one[0].cmp(&other[0]));
    rows
}

/// Returns the rows in order; `None` for unusual tables. A small damaged file may declare so many rows that they do not fit the
/// memory as text.
#[cfg(any(test, feature = "fuzzing"))]
fn rows_by_page(bytes: &[u8]) -> Option<LabelRows> {
    const MOST: usize = 1 << 16;
    let table = PlainParquet::of(Bytes::copy_from_slice(bytes))?;
    let mut rows = LabelRows::new();
    for group in 0..table.len() {
        table.read(group, &mut |columns| {
            let cell = |column: usize, row: usize| {
                let ColumnCells { text, places } = columns[column];
                let name = |&(start, end): &(u32, u32)| {
                    String::from_utf8_lossy(&text[start as usize..end as usize]).into_owned()
                };
                places.get(row).map(name).unwrap_or_default()
            };
            rows.extend(
                (0..columns[0].places.len()).map(|row| [DOCUMENT, 0, 1].map(|column| cell(column, row))),
            );
            (rows.len() <= MOST).then_some(())
        })?;
    }
    (!rows.is_empty()).then_some(rows)
}

#[cfg(test)]
mod tests {
    use parquet::basic::Compression;
    use parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
    use parquet::file::properties::{WriterProperties, WriterVersion};
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::formats::FormatSpec;

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
        assert!(error.message().contains("no column of the entity"), "{error}");
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

    /// The types of entities.
    const TYPES: [(&str, &str); 5] =
        [("int32", ""), ("int32", "(UINT_32)"), ("int64", ""), ("int64", "(UINT_64)"), ("binary", "(UTF8)")];

    /// A random table, and how it is written.
    #[derive(Debug)]
    struct RandomTable {
        /// The document, mention and entity of each row.
        rows: Vec<(u8, String, i64)>,
        /// The row without a mention, if any.
        missing: Option<usize>,
        has_documents: bool,
        is_optional: bool,
        /// The type of entities.
        entity: (&'static str, &'static str),
        compression: Compression,
        version: WriterVersion,
        has_dictionaries: bool,
        /// The largest number of rows in a page and in a row group, and the largest dictionary in bytes.
        limits: (usize, usize, usize),
    }

    fn tables() -> impl Strategy<Value = RandomTable> {
        let name = prop_oneof![
            4 => "[a-d]{1,2}",
            2 => "[a-zß彼\" ,]{0,3}[a-z彼][a-z ]{0,12}",
            1 => Just("a name that is longer than a block of sixteen bytes".to_owned()),
        ];
        let number = prop_oneof![4 => -3..20_i64, 1 => any::<i32>().prop_map(i64::from)];
        let rows = vec((0..4_u8, name, number), 1..300);
        let compression = prop_oneof![
            Just(Compression::UNCOMPRESSED),
            Just(Compression::SNAPPY),
            Just(Compression::ZSTD(Default::default()))
        ];
        let version = prop_oneof![Just(WriterVersion::PARQUET_1_0), Just(WriterVersion::PARQUET_2_0)];
        let choices = (any::<bool>(), any::<bool>(), prop::sample::select(&TYPES[..]), any::<bool>());
        let limits = (1..200_usize, 1..400_usize, 1..300_usize);
        let missing = prop_oneof![4 => Just(None), 1 => (0..300_usize).prop_map(Some)];
        (rows, missing, choices, compression, version, limits).prop_map(
            |(
                rows,
                missing,
                (has_documents, is_optional, entity, has_dictionaries),
                compression,
                version,
                limits,
            )| {
                let missing = missing.filter(|&row| is_optional && row < rows.len());
                RandomTable {
                    rows,
                    missing,
                    has_documents,
                    is_optional,
                    entity,
                    compression,
                    version,
                    has_dictionaries,
                    limits,
                }
            },
        )
    }

    impl RandomTable {
        fn written(&self) -> Vec<u8> {
            let repetition = if self.is_optional { "optional" } else { "required" };
            let document = if self.has_documents { "required binary document (UTF8);" } else { "" };
            let schema = format!(
                "message rows {{ {repetition} binary mention (UTF8); {repetition} {} entity {}; {document} }}",
                self.entity.0, self.entity.1
            );
            let schema = Arc::new(parse_message_type(&schema).unwrap());
            let (page, group, dictionary) = self.limits;
            let properties = WriterProperties::builder()
                .set_compression(self.compression)
                .set_writer_version(self.version)
                .set_dictionary_enabled(self.has_dictionaries)
                .set_dictionary_page_size_limit(dictionary)
                .set_data_page_row_count_limit(page)
                .set_write_batch_size(7);
            let mut bytes = Vec::new();
            let mut writer =
                SerializedFileWriter::new(&mut bytes, schema, Arc::new(properties.build())).unwrap();
            let mut start = 0;
            for rows in self.rows.chunks(group) {
                let mut group = writer.next_row_group().unwrap();
                let levels: Vec<i16> =
                    (start..start + rows.len()).map(|row| (self.missing != Some(row)).into()).collect();
                let mentions: Vec<ByteArray> = rows
                    .iter()
                    .zip(&levels)
                    .filter(|(_, level)| **level == 1)
                    .map(|(row, _)| row.1.as_str().into())
                    .collect();
                let all = vec![1; rows.len()];
                let [of_mentions, of_entities] =
                    [&levels, &all].map(|levels| self.is_optional.then_some(&**levels));
                let mut column = group.next_column().unwrap().unwrap();
                column.typed::<ByteArrayType>().write_batch(&mentions, of_mentions, None).unwrap();
                column.close().unwrap();
                let mut column = group.next_column().unwrap().unwrap();
                let numbers: Vec<i64> = rows.iter().map(|row| row.2).collect();
                match self.entity.0 {
                    "int32" => {
                        let numbers: Vec<i32> = numbers.iter().map(|&number| number as i32).collect();
                        column.typed::<Int32Type>().write_batch(&numbers, of_entities, None).unwrap()
                    }
                    "int64" => column.typed::<Int64Type>().write_batch(&numbers, of_entities, None).unwrap(),
                    _ => {
                        let names: Vec<ByteArray> =
                            numbers.iter().map(|number| number.to_string().as_str().into()).collect();
                        column.typed::<ByteArrayType>().write_batch(&names, of_entities, None).unwrap()
                    }
                };
                column.close().unwrap();
                if let Some(mut column) = group.next_column().unwrap() {
                    let names: Vec<ByteArray> =
                        rows.iter().map(|row| format!("d{}", row.0).as_str().into()).collect();
                    column.typed::<ByteArrayType>().write_batch(&names, None, None).unwrap();
                    column.close().unwrap();
                }
                group.close().unwrap();
                start += rows.len();
            }
            writer.close().unwrap();
            bytes
        }

        /// Returns the rows that were written.
        fn rows(&self) -> LabelRows {
            let entity = |number: i64| match self.entity.1 {
                "(UINT_32)" => (number as u32).to_string(),
                "(UINT_64)" => (number as u64).to_string(),
                _ => number.to_string(),
            };
            let document = |number: u8| if self.has_documents { format!("d{number}") } else { String::new() };
            let row = |(number, mention, of): &(u8, String, i64)| {
                [document(*number), mention.trim_ascii().to_owned(), entity(*of)]
            };
            sorted(self.rows.iter().map(row).collect())
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn pages_have_the_rows_of_the_general_reader(table in tables(), damage in any::<(u16, u8)>()) {
            let bytes = table.written();
            let (by_page, by_row) = read_in_both_ways(&bytes);
            match table.missing {
                None => {
                    prop_assert_eq!(by_page, Some(table.rows()));
                    prop_assert_eq!(by_row, Ok(table.rows()));
                }
                Some(_) => {
                    prop_assert_eq!(by_page, None);
                    prop_assert!(by_row.is_err());
                }
            }
            // A damaged table is never read with fewer doubts.
            let mut damaged = bytes;
            let place = usize::from(damage.0) % damaged.len();
            damaged[place] ^= damage.1;
            if let (Some(by_page), Ok(by_row)) = read_in_both_ways(&damaged) {
                prop_assert_eq!(by_page, by_row);
            }
        }
    }
}
