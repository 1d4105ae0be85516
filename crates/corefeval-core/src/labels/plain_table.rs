//! Plain tables: their columns, and their ranges for reading on several threads.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use memchr::{memchr3, memrchr};

use super::ranges::LineRange;
use super::rows::{self, BlockRows, BlockTexts, ByRow, NotPlain, RowPlaces};
use crate::formats::{ColumnCells, Columnar, PlainBatches, PlainColumns, plain_columns, without_mark};
use crate::input::is_compressed;

/// The number of bytes for finding the columns of a table.
const HEAD: usize = 1 << 12;

/// The number of bytes for finding the columns if the first line is longer than [`HEAD`].
const LONG_HEAD: usize = 1 << 16;

/// The minimum size in bytes of a file of lines that is not kept in the system's cache of files. On a virtual machine that
/// returns unused memory to its host, the memory of the cache may take a fifth of the time of counting.
const UNCACHED: u64 = if cfg!(test) { 1 << 15 } else { 1 << 30 };

/// The length in bytes of a long row.
const LONG_ROW: usize = 64;

/// A plain table of labels that has not been read yet.
pub(crate) struct PlainTable {
    content: TableContent,
    /// Its size in bytes.
    pub(super) size: u64,
    /// Its first rows as lines.
    pub(crate) head: Vec<u8>,
    /// The approximate number of rows.
    pub(super) rows: u64,
    /// The maximum number of ranges that it can be divided into.
    pub(super) ranges: u64,
}

enum TableContent {
    Lines(File, PlainColumns),
    Batches(PlainBatches),
}

impl PlainTable {
    /// Opens a table in a file. Returns `None` if the file is not a plain table.
    pub(crate) fn open(path: &Path) -> Option<PlainTable> {
        let mut file = File::open(path).ok()?;
        let size = file.metadata().ok()?.len();
        let mut head = Vec::with_capacity(HEAD);
        let mut take = |head: &mut Vec<u8>, upto: usize| {
            Read::by_ref(&mut file).take((upto - head.len()) as u64).read_to_end(head)
        };
        take(&mut head, HEAD).ok()?;
        if let Some(kind) = Columnar::of(&head) {
            let batches = PlainBatches::of(kind, file)?;
            let (head, rows, ranges) = (head_of_batches(&batches)?, batches.rows(), batches.len() as u64);
            return Some(PlainTable { content: TableContent::Batches(batches), size, head, rows, ranges });
        }
        if is_compressed(&head) {
            return None;
        }
        // Most files of other formats are rejected here. Files that start with a comment, a bracket or a tag need no
        // search for columns.
        if without_mark(&head).first().is_none_or(|first| b"#{[<".contains(first)) {
            return None;
        }
        if head.len() == HEAD && memrchr(b'\n', &head).is_none() {
            take(&mut head, LONG_HEAD).ok()?;
        }
        if head.len() >= HEAD {
            head.truncate(memrchr(b'\n', &head)? + 1);
        }
        let lines = memchr::memchr_iter(b'\n', &head).count();
        let columns = plain_columns(without_mark(&head))?;
        // Long rows at the start may not be typical, and too many parts cost less than too few.
        let rows = size / (head.len() / lines.max(1)).clamp(1, LONG_ROW) as u64;
        let ranges = LineRange::most(size);
        Some(PlainTable { content: TableContent::Lines(file, columns), size, head, rows, ranges })
    }

    /// Returns whether the table has a column of documents.
    pub(crate) fn has_documents(&self) -> bool {
        match &self.content {
            TableContent::Lines(_, columns) => columns.document.is_some(),
            TableContent::Batches(batches) => batches.has_documents(),
        }
    }

    /// Divides the table into at most `most` sections.
    pub(super) fn sections(&self, most: usize) -> Result<Vec<TableSection>, NotPlain> {
        match &self.content {
            TableContent::Lines(file, _) => {
                let ranges = LineRange::divide(file, self.size, most)?;
                Ok(ranges.into_iter().map(TableSection::Lines).collect())
            }
            TableContent::Batches(batches) => {
                let (all, count) = (batches.len(), batches.len().min(most).max(1));
                let section =
                    |number| TableSection::Batches(number * all / count, (number + 1) * all / count);
                Ok((0..count).map(section).collect())
            }
        }
    }

    /// Calls `each` with all rows of a section, block by block. Adds half of the bytes to `progress`, because reading
    /// is half of the work.
    pub(super) fn read(
        &self,
        section: &TableSection,
        progress: &AtomicU64,
        mut each: impl FnMut(&BlockTexts<'_>, &BlockRows) -> Result<(), NotPlain>,
    ) -> Result<(), ByRow> {
        match (&self.content, section) {
            (TableContent::Lines(file, columns), TableSection::Lines(range)) => {
                let is_cached = self.size < UNCACHED;
                let reader = if is_cached { range.reader(file) } else { range.uncached_reader(file) };
                rows::read(reader, columns, range.start == 0, |block, rows| {
                    each(&BlockTexts::lines(block), rows)?;
                    progress.fetch_add(block.len() as u64 / 2, Ordering::Relaxed);
                    Ok(())
                })
            }
            (TableContent::Batches(batches), &TableSection::Batches(first, end)) => {
                let mut rows = BlockRows::default();
                let mut see = |cells: [ColumnCells<'_>; 3]| {
                    let [mentions, entities, documents] = cells.map(|cells| cells.places);
                    rows.clear();
                    let pairs = mentions.iter().zip(entities);
                    rows.rows.extend(pairs.map(|(&mention, &entity)| RowPlaces::new(mention, entity)));
                    rows.documents.extend_from_slice(documents);
                    each(&BlockTexts::columns(cells.map(|cells| cells.text)), &rows).ok()
                };
                for batch in first..end {
                    batches.read(batch, &mut see).ok_or(ByRow::Other)?;
                    progress.fetch_add(self.size / 2 / batches.len() as u64, Ordering::Relaxed);
                }
                Ok(())
            }
            _ => Err(ByRow::Other),
        }
    }
}

/// Returns the first rows of a columnar table as lines. Omits rows with cells that would need quotes. Returns `None` if
/// no other rows are found.
fn head_of_batches(batches: &PlainBatches) -> Option<Vec<u8>> {
    let names: &[u8] =
        if batches.has_documents() { b"mention\tentity\tdocument\n" } else { b"mention\tentity\n" };
    let mut head = names.to_vec();
    let first = (0..batches.len()).next()?;
    batches.read(first, &mut |columns| {
        for row in 0..columns[0].places.len() {
            let cells = columns.iter().filter_map(|column| {
                let &(start, end) = column.places.get(row)?;
                Some(&column.text[start as usize..end as usize])
            });
            let cells: Vec<&[u8]> = cells.collect();
            if cells.iter().all(|cell| memchr3(b'"', b'\t', b'\n', cell).is_none()) {
                head.extend(cells.join(&b'\t'));
                head.push(b'\n');
            }
        }
        // A few rows are enough.
        None
    });
    (head.len() > names.len()).then_some(head)
}

/// A part of a table that one thread reads.
#[derive(Clone)]
pub(super) enum TableSection {
    Lines(LineRange),
    /// The first batch, and one past the last.
    Batches(usize, usize),
}

#[cfg(any(feature = "parquet", feature = "arrow"))]
#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::super::CountedEntities;
    use super::super::tests::{counted_documents, counted_files, sizes_of_cells};

    /// A row to write: its mention, the number of its entity, and its document.
    #[derive(Clone)]
    struct LabelRow {
        mention: Option<String>,
        entity: Option<i64>,
        document: Option<String>,
    }

    /// The number of rows in a batch.
    const BATCH: usize = 3000;

    /// Returns the documents of rows, or nothing if the rows have none.
    fn documents(rows: &[LabelRow]) -> Option<Vec<Option<&str>>> {
        rows[0].document.as_ref()?;
        Some(rows.iter().map(|row| row.document.as_deref()).collect())
    }

    #[cfg(feature = "arrow")]
    fn arrow(rows: &[LabelRow], mention: &str, has_dictionaries: bool) -> Vec<u8> {
        use std::sync::Arc;

        use arrow_array::types::Int32Type;
        use arrow_array::{ArrayRef, DictionaryArray, Int64Array, RecordBatch, StringArray};
        use arrow_ipc::writer::FileWriter;
        use arrow_schema::{Field, Schema};

        let texts = |texts: Vec<Option<&str>>| -> ArrayRef {
            match has_dictionaries {
                true => Arc::new(texts.into_iter().collect::<DictionaryArray<Int32Type>>()),
                false => Arc::new(texts.into_iter().collect::<StringArray>()),
            }
        };
        let entities: ArrayRef = match has_dictionaries {
            true => {
                let names: Vec<Option<String>> =
                    rows.iter().map(|row| row.entity.map(|entity| entity.to_string())).collect();
                texts(names.iter().map(Option::as_deref).collect())
            }
            false => Arc::new(rows.iter().map(|row| row.entity).collect::<Int64Array>()),
        };
        let mentions = texts(rows.iter().map(|row| row.mention.as_deref()).collect());
        let documents = documents(rows).map(|documents| ("document", texts(documents)));
        let columns: Vec<(&str, ArrayRef)> =
            documents.into_iter().chain([(mention, mentions), ("entity", entities)]).collect();
        let fields: Vec<Field> =
            columns.iter().map(|(name, array)| Field::new(*name, array.data_type().clone(), true)).collect();
        let schema = Arc::new(Schema::new(fields));
        let arrays = columns.into_iter().map(|(_, array)| array).collect();
        let all = RecordBatch::try_new(Arc::clone(&schema), arrays).unwrap();
        let mut bytes = Vec::new();
        let mut writer = FileWriter::try_new(&mut bytes, &schema).unwrap();
        for start in (0..rows.len()).step_by(BATCH) {
            writer.write(&all.slice(start, BATCH.min(rows.len() - start))).unwrap();
        }
        writer.finish().unwrap();
        drop(writer);
        bytes
    }

    #[cfg(feature = "parquet")]
    fn parquet(
        rows: &[LabelRow],
        mention: &str,
        properties: parquet::file::properties::WriterPropertiesBuilder,
    ) -> Vec<u8> {
        use std::sync::Arc;

        use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
        use parquet::file::writer::SerializedFileWriter;
        use parquet::schema::parser::parse_message_type;

        let document = if documents(rows).is_some() { "optional binary document (UTF8);" } else { "" };
        let schema =
            format!("message rows {{ optional int64 entity; optional binary {mention} (UTF8); {document} }}");
        let schema = Arc::new(parse_message_type(&schema).unwrap());
        let mut bytes = Vec::new();
        let properties = properties.set_write_batch_size(100).set_data_page_row_count_limit(700).build();
        let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::new(properties)).unwrap();
        for rows in rows.chunks(BATCH) {
            let mut group = writer.next_row_group().unwrap();
            let mut column = group.next_column().unwrap().unwrap();
            let values: Vec<i64> = rows.iter().filter_map(|row| row.entity).collect();
            let levels: Vec<i16> = rows.iter().map(|row| row.entity.is_some().into()).collect();
            column.typed::<Int64Type>().write_batch(&values, Some(&levels), None).unwrap();
            column.close().unwrap();
            let mentions = rows.iter().map(|row| row.mention.as_deref()).collect();
            for texts in [Some(mentions), documents(rows)].into_iter().flatten() {
                let mut column = group.next_column().unwrap().unwrap();
                let values: Vec<ByteArray> = texts.iter().copied().flatten().map(ByteArray::from).collect();
                let levels: Vec<i16> = texts.iter().map(|text| text.is_some().into()).collect();
                column.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None).unwrap();
                column.close().unwrap();
            }
            group.close().unwrap();
        }
        writer.close().unwrap();
        bytes
    }

    /// Writes the rows as each kind of columnar file.
    fn files(rows: &[LabelRow], mention: &str) -> Vec<Vec<u8>> {
        let mut files = Vec::new();
        #[cfg(feature = "arrow")]
        files.extend([false, true].map(|has_dictionaries| arrow(rows, mention, has_dictionaries)));
        #[cfg(feature = "parquet")]
        {
            use parquet::file::properties::{WriterProperties, WriterVersion};
            let of = |version, has_dictionaries| {
                WriterProperties::builder()
                    .set_writer_version(version)
                    .set_dictionary_enabled(has_dictionaries)
            };
            let [old, new] = [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0];
            // Without dictionaries, the new version encodes differences between values.
            for properties in [of(old, true), of(old, false), of(new, true), of(new, false)] {
                files.push(parquet(rows, mention, properties));
            }
        }
        files
    }

    fn rows(divisor: i64) -> Vec<LabelRow> {
        let name = |row| if row % 2 == 0 { format!("m{row}") } else { format!(" a longer mention {row}") };
        (0..20_000)
            .map(|row| LabelRow {
                mention: Some(name(row)),
                entity: Some(row % 977 / divisor - 5),
                document: None,
            })
            .collect()
    }

    fn text(rows: &[LabelRow]) -> Vec<u8> {
        let document = if documents(rows).is_some() { ",document" } else { "" };
        let mut text = format!("mention,entity{document}\n");
        for LabelRow { mention, entity, document } in rows {
            write!(text, "{},{}", mention.as_deref().unwrap_or_default(), entity.unwrap_or_default())
                .unwrap();
            if let Some(document) = document {
                write!(text, ",{document}").unwrap();
            }
            text.push('\n');
        }
        text.into_bytes()
    }

    #[test]
    fn columnar_tables_are_counted_as_lines_are() {
        let (key, response) = (rows(1), rows(2));
        let wanted = sizes_of_cells(counted_files("lines", [&text(&key), &text(&response)], 2).unwrap());
        for (one, other) in files(&key, "mention").iter().zip(files(&response, "record_id")) {
            for threads in [1, 2, 7] {
                for pair in [[one.as_slice(), &other], [&text(&key), &other], [one, &text(&response)]] {
                    let found = counted_files("columns", pair, threads).map(sizes_of_cells);
                    assert!(found.as_ref() == Some(&wanted), "{threads} threads");
                }
            }
        }
    }

    #[test]
    fn columnar_tables_of_documents_are_counted_as_lines_are() {
        let [key, response] = [1, 2].map(|divisor| {
            let mut rows = rows(divisor);
            for (number, row) in rows.iter_mut().enumerate() {
                // Rows of different documents alternate at first; later the rows of a document are adjacent.
                let document = if number < 9000 { number % 7 } else { number / 100 };
                row.document = Some(format!("the document {document}"));
            }
            rows
        });
        let found = |files: [&[u8]; 2], header: u32, threads: usize| {
            let mut found = counted_documents("documents", files, threads)?;
            let Some(CountedEntities::ByDocument(overlaps)) = found.entities.pop() else {
                panic!("several documents");
            };
            let documents = found.sides.iter().map(|side| {
                side.documents.iter().map(|found| (found.name.to_string(), found.line - header)).collect()
            });
            let documents: Vec<Vec<(String, u32)>> = documents.collect();
            assert_eq!(documents[0], documents[1]);
            let counts = |document| overlaps.of([Some(document); 2]).recall_view().clone();
            let counts: Vec<_> = (0..documents[0].len()).map(|one| sizes_of_cells(counts(one))).collect();
            Some((documents, counts))
        };
        let wanted = found([&text(&key), &text(&response)], 1, 2);
        assert_eq!(wanted.as_ref().map(|(documents, _)| documents[0].len()), Some(117));
        for (one, other) in files(&key, "mention").iter().zip(files(&response, "record_id")) {
            for threads in [1, 2, 7] {
                assert!(found([one, &other], 0, threads) == wanted, "{threads} threads");
            }
        }
    }

    #[test]
    fn unusual_columnar_tables_are_left_to_the_general_reader() {
        let plain = rows(1);
        let with = |row: usize, mention: Option<&str>, entity: Option<i64>| {
            let mut rows = rows(1);
            rows[row].mention = mention.map(str::to_owned);
            rows[row].entity = entity;
            rows
        };
        let unusual = [
            with(0, None, Some(1)),
            with(19_999, Some("x"), None),
            with(9_999, Some(" "), Some(1)),
            with(5_000, Some("a\0"), Some(1)),
            with(6_000, Some("a longer name\0"), Some(1)),
            with(12_345, Some("m0"), Some(1)),
        ];
        for (number, rows) in unusual.iter().enumerate() {
            for file in files(rows, "mention") {
                assert_eq!(counted_files("unusual", [&text(&plain), &file], 3), None, "{number}");
            }
        }
        for file in files(&plain, "document").into_iter().chain(files(&plain, "words")) {
            assert_eq!(counted_files("columns-of-others", [&text(&plain), &file], 2), None);
        }
        for mut file in files(&plain, "mention") {
            file.truncate(file.len() / 2);
            assert_eq!(counted_files("cut", [&text(&plain), &file], 2), None);
        }
    }

    #[test]
    fn damaged_columnar_tables_are_counted_or_left_to_the_general_reader() {
        let mut rows = rows(1);
        rows.truncate(200);
        rows.iter_mut().for_each(|row| row.document = Some("d".to_owned()));
        for file in files(&rows, "mention") {
            for place in (0..file.len()).step_by(7) {
                let mut damaged = file.clone();
                damaged[place] ^= 1 << (place % 8);
                let _ = counted_documents("damaged", [&text(&rows), &damaged], 2);
            }
        }
    }
}
