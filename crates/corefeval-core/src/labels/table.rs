//! Plain tables: their columns, and their ranges for reading on several threads.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use memchr::{memchr, memchr3, memrchr};

use super::ranges::LineRange;
use super::rows::{self, BlockRows, NotPlain, RowPlaces};
use crate::formats::{Cells, Columnar, PlainBatches, PlainColumns, plain_columns, without_mark};
use crate::input::is_compressed;
use crate::limits::Limits;

/// The number of bytes for finding the columns of a table.
const HEAD: usize = 1 << 16;

/// The number of bytes to read first, to reject files of other formats.
const FIRST: usize = 1 << 12;

/// The minimum size in bytes of a file of lines that is not kept in the system's cache of files. On a virtual machine that
/// returns unused memory to its host, the memory of the cache may take a fifth of the time of counting.
const UNCACHED: u64 = if cfg!(test) { 1 << 15 } else { 1 << 30 };

/// The length in bytes of a long row.
const LONG_ROW: usize = 64;

/// A plain table of labels that has not been read yet.
pub(crate) struct Table {
    file: File,
    /// Its size in bytes.
    pub(super) size: u64,
    form: Form,
    /// Its first rows as lines.
    pub(crate) head: Vec<u8>,
    /// The approximate number of rows.
    pub(super) rows: u64,
    /// The maximum number of ranges that it can be divided into.
    pub(super) ranges: u64,
}

#[derive(Clone, Copy)]
enum Form {
    Lines(PlainColumns),
    Columnar,
}

impl Table {
    /// Opens a table in a file. Returns `None` if the file is not a plain table.
    pub(crate) fn open(path: &Path, limits: &Limits) -> Option<Table> {
        let mut file = File::open(path).ok()?;
        let size = file.metadata().ok()?.len();
        let mut head = Vec::with_capacity(HEAD);
        let mut take = |head: &mut Vec<u8>, upto: usize| {
            Read::by_ref(&mut file).take((upto - head.len()) as u64).read_to_end(head)
        };
        take(&mut head, FIRST).ok()?;
        if Columnar::of(&head).is_some() {
            // Counting reads the bytes again, so that few tables are in memory.
            let batches = PlainBatches::of(whole(&file, size, limits).ok()?)?;
            let (head, rows, ranges) = (head_of_batches(&batches)?, batches.rows(), batches.len() as u64);
            return Some(Table { file, size, form: Form::Columnar, head, rows, ranges });
        }
        if is_compressed(&head) {
            return None;
        }
        // Most files of other formats are rejected here. Files that start with a comment, a bracket or a tag need no
        // search for columns.
        if without_mark(&head).first().is_none_or(|first| b"#{[<".contains(first)) {
            return None;
        }
        if let Some(end) = memrchr(b'\n', &head) {
            plain_columns(without_mark(&head[..=end]))?;
        }
        take(&mut head, HEAD).ok()?;
        if head.len() == HEAD {
            head.truncate(memrchr(b'\n', &head)? + 1);
        }
        let lines = memchr::memchr_iter(b'\n', &head).count();
        let columns = plain_columns(without_mark(&head))?;
        // Long rows at the start may not be typical, and too many parts cost less than too few.
        let rows = size / (head.len() / lines.max(1)).clamp(1, LONG_ROW) as u64;
        let ranges = LineRange::most(size);
        Some(Table { file, size, form: Form::Lines(columns), head, rows, ranges })
    }

    /// Returns whether the table has a column of documents.
    pub(crate) fn has_documents(&self) -> bool {
        matches!(self.form, Form::Lines(PlainColumns { document: Some(_), .. }))
    }

    /// Divides the table into at most `most` sections.
    pub(super) fn source(&self, most: usize, limits: &Limits) -> Result<Source<'_>, NotPlain> {
        match self.form {
            Form::Lines(columns) => {
                let ranges = LineRange::divide(&self.file, self.size, most)?;
                let sections = ranges.into_iter().map(Section::Lines).collect();
                Ok(Source { table: self, content: Content::Lines(columns), sections })
            }
            Form::Columnar => {
                let batches = PlainBatches::of(whole(&self.file, self.size, limits)?).ok_or(NotPlain)?;
                let (all, count) = (batches.len(), batches.len().min(most).max(1));
                let section = |number| Section::Batches(number * all / count, (number + 1) * all / count);
                let sections = (0..count).map(section).collect();
                Ok(Source { table: self, content: Content::Batches(batches), sections })
            }
        }
    }
}

/// Reads a whole file.
fn whole(file: &File, size: u64, limits: &Limits) -> Result<Vec<u8>, NotPlain> {
    /// The number of bytes between two checks of the memory in use.
    const STEP: u64 = 1 << 26;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(size).map_err(|_| NotPlain)?).map_err(|_| NotPlain)?;
    for range in LineRange::divide(file, size, 1)? {
        let mut reader = range.reader(file);
        while reader.by_ref().take(STEP).read_to_end(&mut bytes)? > 0 {
            limits.check_memory()?;
        }
    }
    Ok(bytes)
}

/// Returns the first rows of a columnar table as lines. Omits rows with cells that would need quotes. Returns `None` if
/// no other rows are found.
fn head_of_batches(batches: &PlainBatches) -> Option<Vec<u8>> {
    let names = b"mention\tentity\n";
    let mut head = names.to_vec();
    let first = (0..batches.len()).next()?;
    batches.read(first, &mut |cells| {
        let [mentions, entities] = &cells.columns;
        for (mention, entity) in mentions.iter().zip(entities) {
            let [mention, entity] =
                [mention, entity].map(|&(start, end)| &cells.text[start as usize..end as usize]);
            if [mention, entity].iter().all(|cell| memchr3(b'"', b'\t', b'\n', cell).is_none()) {
                head.extend([mention, b"\t", entity, b"\n"].concat());
            }
        }
        // A few rows are enough.
        None
    });
    (head.len() > names.len()).then_some(head)
}

/// A table being read, and its sections.
pub(super) struct Source<'t> {
    table: &'t Table,
    content: Content,
    pub(super) sections: Vec<Section>,
}

enum Content {
    Lines(PlainColumns),
    Batches(PlainBatches),
}

/// A part of a table that one thread reads.
#[derive(Clone)]
pub(super) enum Section {
    Lines(LineRange),
    /// The first batch, and one past the last.
    Batches(usize, usize),
}

impl Source<'_> {
    /// Returns whether the table has a column of documents.
    pub(super) fn has_documents(&self) -> bool {
        self.table.has_documents()
    }

    /// Calls `each` with all rows of a section, block by block. Adds half of the bytes to `progress`, because reading
    /// is half of the work.
    pub(super) fn read(
        &self,
        section: &Section,
        progress: &AtomicU64,
        mut each: impl FnMut(&[u8], &BlockRows) -> Result<(), NotPlain>,
    ) -> Result<(), NotPlain> {
        match (&self.content, section) {
            (Content::Lines(columns), Section::Lines(range)) => {
                let file = &self.table.file;
                let is_cached = self.table.size < UNCACHED;
                let reader = if is_cached { range.reader(file) } else { range.uncached_reader(file) };
                rows::read(reader, columns, range.start == 0, |block, rows| {
                    each(block, rows)?;
                    progress.fetch_add(block.len() as u64 / 2, Ordering::Relaxed);
                    Ok(())
                })
            }
            (Content::Batches(batches), &Section::Batches(first, end)) => {
                let mut rows = BlockRows::default();
                let mut see = |cells: &Cells| {
                    let [mentions, entities] = &cells.columns;
                    rows.clear();
                    rows.rows.extend(
                        mentions.iter().zip(entities).map(|(&one, &other)| RowPlaces::new(one, other)),
                    );
                    if memchr(0, &cells.text).is_some() {
                        return None;
                    }
                    each(&cells.text, &rows).ok()
                };
                for batch in first..end {
                    batches.read(batch, &mut see).ok_or(NotPlain)?;
                    progress.fetch_add(self.table.size / 2 / batches.len() as u64, Ordering::Relaxed);
                }
                Ok(())
            }
            _ => Err(NotPlain),
        }
    }
}

#[cfg(any(feature = "parquet", feature = "arrow"))]
#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::super::tests::{counted_files, sizes_of_cells};

    /// A table to write: mentions and the numbers of their entities, both of which may be missing.
    type Rows = Vec<(Option<String>, Option<i64>)>;

    /// The number of rows in a batch.
    const BATCH: usize = 3000;

    #[cfg(feature = "arrow")]
    fn arrow(rows: &Rows, mention: &str) -> Vec<u8> {
        use std::sync::Arc;

        use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
        use arrow_ipc::writer::FileWriter;
        use arrow_schema::{DataType, Field, Schema};

        let fields = [(mention, DataType::Utf8), ("entity", DataType::Int64)];
        let schema = Arc::new(Schema::new(fields.map(|(name, kind)| Field::new(name, kind, true)).to_vec()));
        let mut bytes = Vec::new();
        let mut writer = FileWriter::try_new(&mut bytes, &schema).unwrap();
        for rows in rows.chunks(BATCH) {
            let mentions: StringArray = rows.iter().map(|row| row.0.as_deref()).collect();
            let entities: Int64Array = rows.iter().map(|row| row.1).collect();
            let columns = vec![Arc::new(mentions) as ArrayRef, Arc::new(entities)];
            writer.write(&RecordBatch::try_new(Arc::clone(&schema), columns).unwrap()).unwrap();
        }
        writer.finish().unwrap();
        drop(writer);
        bytes
    }

    #[cfg(feature = "parquet")]
    fn parquet(rows: &Rows, mention: &str) -> Vec<u8> {
        use std::sync::Arc;

        use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
        use parquet::file::writer::SerializedFileWriter;
        use parquet::schema::parser::parse_message_type;

        let schema = format!("message rows {{ optional int64 entity; optional binary {mention} (UTF8); }}");
        let schema = Arc::new(parse_message_type(&schema).unwrap());
        let mut bytes = Vec::new();
        let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::default()).unwrap();
        for rows in rows.chunks(BATCH) {
            let mut group = writer.next_row_group().unwrap();
            let mut column = group.next_column().unwrap().unwrap();
            let values: Vec<i64> = rows.iter().filter_map(|row| row.1).collect();
            let levels: Vec<i16> = rows.iter().map(|row| row.1.is_some().into()).collect();
            column.typed::<Int64Type>().write_batch(&values, Some(&levels), None).unwrap();
            column.close().unwrap();
            let mut column = group.next_column().unwrap().unwrap();
            let values: Vec<ByteArray> =
                rows.iter().filter_map(|row| row.0.as_deref().map(ByteArray::from)).collect();
            let levels: Vec<i16> = rows.iter().map(|row| row.0.is_some().into()).collect();
            column.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None).unwrap();
            column.close().unwrap();
            group.close().unwrap();
        }
        writer.close().unwrap();
        bytes
    }

    /// Writes the rows as each kind of columnar file.
    fn files(rows: &Rows, mention: &str) -> Vec<Vec<u8>> {
        vec![
            #[cfg(feature = "arrow")]
            arrow(rows, mention),
            #[cfg(feature = "parquet")]
            parquet(rows, mention),
        ]
    }

    fn rows(divisor: i64) -> Rows {
        let name = |row| if row % 2 == 0 { format!("m{row}") } else { format!(" a longer mention {row}") };
        (0..20_000).map(|row| (Some(name(row)), Some(row % 977 / divisor - 5))).collect()
    }

    fn text(rows: &Rows) -> Vec<u8> {
        let mut text = "mention,entity\n".to_owned();
        for (mention, entity) in rows {
            writeln!(text, "{},{}", mention.as_deref().unwrap_or_default(), entity.unwrap_or_default())
                .unwrap();
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
    fn unusual_columnar_tables_are_left_to_the_general_reader() {
        let plain = rows(1);
        let with = |row: usize, mention: Option<&str>, entity: Option<i64>| {
            let mut rows = rows(1);
            rows[row] = (mention.map(str::to_owned), entity);
            rows
        };
        let unusual = [
            with(0, None, Some(1)),
            with(19_999, Some("x"), None),
            with(9_999, Some(" "), Some(1)),
            with(5_000, Some("a\0"), Some(1)),
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
}
