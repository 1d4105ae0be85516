//! Counts large tables of labels without keeping their rows.
//!
//! Key and response are plain tables: mentions and entities, and documents if there are several. Names become codes of
//! fixed size. Rows are divided twice into parts that fit the cache: first by hash of the entity, to number the
//! entities of each part separately, then by hash of the mention, so that equal mentions of both sides are in the same
//! part. Each part is joined separately, and its pairs of entities are divided by key entity into ranges, in which
//! equal pairs are counted. Each row is therefore written and read a few times in order, and all lookups fit the cache.
//! The next stage reuses the memory of a part that was read.
//!
//! Tables in Parquet and Arrow are read batch by batch in the same way. A table is divided at line ends or batches into
//! ranges, one for each thread, if it is large enough; otherwise each thread reads a different table.
//!
//! Unusual tables (with line breaks in cells, mistakes, missing values, repeated mentions or types) are left to the general reader of
//! tables, which reports mistakes.

mod cells;
mod documents;
mod join;
mod name_codes;
mod nearby;
mod numbers;
mod parts;
mod plain_table;
mod pool;
mod ranges;
mod rows;

pub(crate) use documents::{DocumentOverlaps, TableDocument};
pub(crate) use plain_table::PlainTable;
pub(crate) use rows::ByRow;

use std::fs::Metadata;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use corefeval_metrics::aligned::AlignedEntities;

use crate::formats::{is_missing, is_word_for_missing};
use crate::limits::Limits;
use crate::threads::side_by_side;

use documents::{DocumentReader, RangeDocuments};
use name_codes::{NameHasher, mixed, part_of};
use numbers::{NumberedSide, ROW, row};
use parts::{RecordParts, WrittenParts};
use plain_table::TableSection;
use pool::Pool;
use rows::{BlockTexts, NotPlain, RowPlaces};

/// The minimum total size of files, in bytes, for counting without keeping rows.
const LARGE: u64 = 1 << 20;

/// The rules for dividing rows.
#[derive(Clone, Copy)]
struct RowDivision {
    /// The intended number of rows in a part by entity, and the maximum number of parts.
    entities: (u64, u64),
    /// The intended number of rows in a part by mention, and the maximum number of parts.
    mentions: (u64, u64),
}

/// The entities of one part fit the cache, and so do the mentions of one part on both sides. The number of parts is
/// limited because the ends of all parts, where rows are appended, must also fit the cache.
const DIVISION: RowDivision = RowDivision { entities: (1 << 16, 1 << 11), mentions: (1 << 14, 1 << 12) };

/// The number of parts by entity and by mention of small tables, and the minimum number of rows in a part. All threads
/// number entities even in small tables, and a part by mention, which each thread copies, takes little new memory.
const SMALL: [(u64, u64); 2] = [(8, 1 << 13), (32, 1 << 11)];

impl RowDivision {
    /// Returns the number of parts by entity and by mention, for tables of `rows` rows.
    fn parts(self, rows: u64) -> [usize; 2] {
        let parts = |(part, most): (u64, u64), (small, least): (u64, u64)| {
            (rows / part.min(least.max(rows / small))).next_power_of_two().clamp(1, most) as usize
        };
        [parts(self.entities, SMALL[0]), parts(self.mentions, SMALL[1])]
    }
}

/// Returns whether all paths are files that together are large enough to be counted without keeping rows.
pub(crate) fn are_large(paths: &[&Path]) -> bool {
    let size = |path: &&Path| path.metadata().ok().filter(Metadata::is_file).map(|data| data.len());
    paths.iter().map(size).sum::<Option<u64>>().is_some_and(|sum| sum >= LARGE)
}

/// Tables that were counted.
#[derive(Debug)]
pub(crate) struct CountedTables {
    /// Each table; the key comes first.
    pub(crate) sides: Vec<CountedSide>,
    /// The entities of the key and of each response.
    pub(crate) entities: Vec<CountedEntities>,
}

/// The documents of a table that was counted.
#[derive(Debug)]
pub(crate) struct CountedSide {
    /// The documents in order of occurrence; empty if the table has no column of documents.
    pub(crate) documents: Vec<TableDocument>,
    /// The number of singletons that were dropped from each document; empty if singletons are kept.
    pub(crate) dropped: Vec<u32>,
}

/// The entities of a key and a response, with the mentions that they share.
#[derive(Debug)]
pub(crate) enum CountedEntities {
    /// The entities of one document on each side.
    Whole(Box<AlignedEntities>),
    ByDocument(DocumentOverlaps),
}

impl CountedEntities {
    fn whole(entities: AlignedEntities) -> CountedEntities {
        CountedEntities::Whole(Box::new(entities))
    }
}

/// Counts the mentions that each entity of a key shares with each entity of several responses; the key comes first.
/// Fails if a table is not plain, if only some have documents, or if more memory is in use than allowed.
pub(crate) fn count(
    tables: Vec<PlainTable>,
    drop_singletons: bool,
    threads: usize,
    limits: &Limits,
    progress: &AtomicU64,
) -> Result<CountedTables, ByRow> {
    count_divided(tables, drop_singletons, DIVISION, NameHasher::new(), threads, limits, progress)
}

fn count_divided(
    mut tables: Vec<PlainTable>,
    drop_singletons: bool,
    division: RowDivision,
    hasher: NameHasher,
    threads: usize,
    limits: &Limits,
    progress: &AtomicU64,
) -> Result<CountedTables, ByRow> {
    if tables.iter().any(|table| table.has_documents() != tables[0].has_documents()) {
        return Err(ByRow::Other);
    }
    let rows = tables.iter().map(|table| table.rows).max().unwrap_or(0);
    let parts = division.parts(rows);
    let pool = Pool::new(rows.saturating_mul(ROW as u64), threads * parts[0].max(parts[1]));
    // If all threads can read one table, the next one reuses the memory of its rows.
    let at_once = if tables.iter().all(|table| table.ranges >= threads as u64) { 1 } else { threads };
    let mut key: Option<NumberedSide> = None;
    let mut found = CountedTables { sides: Vec::new(), entities: Vec::new() };
    while !tables.is_empty() {
        let some: Vec<PlainTable> = tables.drain(..at_once.clamp(1, tables.len())).collect();
        let read = read_all(&some, parts, hasher, &pool, threads, limits, progress)
            .map_err(|reason| reason.after(found.sides.len()))?;
        let mut read = read.into_iter().zip(&some).peekable();
        while let Some((mut ranges, table)) = read.next() {
            // Reading is half of the work; numbering and joining take about the same time.
            let step = |parts: usize| {
                progress.fetch_add(table.size / 4 / parts as u64, Ordering::Relaxed);
            };
            let documents = documents::merged(ranges.iter_mut().filter_map(|range| range.documents.as_mut()));
            let mut side = numbers::number(&ranges, parts, &pool, threads, || step(parts[0]));
            let dropped = match drop_singletons {
                true => side.entities.drop_singletons(documents.len()),
                false => Vec::new(),
            };
            found.sides.push(CountedSide { documents, dropped });
            let Some(known) = &key else {
                key = Some(side);
                continue;
            };
            let is_last = tables.is_empty() && read.peek().is_none();
            let pairs = join::join(known, &side, parts[1], is_last, &pool, threads, || step(parts[1]))?;
            let of_key = match is_last {
                true => key.take().map(|key| key.entities),
                false => Some(known.entities.clone()),
            };
            let of_key = of_key.ok_or(ByRow::Other)?;
            let ends = [found.sides.first(), found.sides.last()];
            let documents = ends.map(|side| side.map_or(0, |side| side.documents.len()));
            let several = documents.iter().any(|&count| count > 1).then_some(documents);
            found.entities.push(pairs.count([of_key, side.entities], several, is_last, &pool, threads));
        }
    }
    Ok(found)
}

/// Reads tables in parallel, in ranges if there are more threads than tables. Returns the rows of each range.
fn read_all(
    tables: &[PlainTable],
    parts: [usize; 2],
    hasher: NameHasher,
    pool: &Pool,
    threads: usize,
    limits: &Limits,
    progress: &AtomicU64,
) -> Result<Vec<Vec<RangeRows>>, ByRow> {
    let most = most_ranges(threads, tables.len());
    let sections: Vec<Vec<TableSection>> =
        tables.iter().map(|table| table.sections(most)).collect::<Result<_, _>>()?;
    let jobs: Vec<(&PlainTable, &TableSection)> = tables
        .iter()
        .zip(&sections)
        .flat_map(|(table, sections)| sections.iter().map(move |section| (table, section)))
        .collect();
    let read = side_by_side(threads, jobs.len(), |job| {
        let (table, section) = jobs[job];
        read(table, section, parts[0], hasher, pool, limits, progress)
    });
    let mut read = read.into_iter();
    sections
        .iter()
        .enumerate()
        .map(|(table, sections)| {
            let ranges = read.by_ref().take(sections.len()).collect::<Result<Vec<_>, ByRow>>();
            let ranges = ranges.map_err(|reason| reason.after(table))?;
            if ranges.iter().map(|range| range.count).sum::<u64>() >= u64::from(u32::MAX) {
                return Err(ByRow::Other);
            }
            Ok(ranges)
        })
        .collect()
}

/// Returns the maximum number of ranges of each table, chosen so that all threads read about the same amount. It is 1
/// unless there are more threads than tables.
fn most_ranges(threads: usize, tables: usize) -> usize {
    let (mut divisor, mut rest) = (threads, tables);
    while rest > 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    if threads > tables { threads / divisor } else { 1 }
}

/// The rows of a range of a table, divided by entity.
struct RangeRows {
    rows: WrittenParts<ROW>,
    /// The number of rows.
    count: u64,
    /// The documents, if the table has such a column.
    documents: Option<RangeDocuments>,
}

/// Fails if a mention or an entity may represent a missing value, which the general reader reports.
#[inline]
fn check_names(places: &RowPlaces, texts: &BlockTexts<'_>) -> Result<(), NotPlain> {
    let (mention, entity) = (places.mention(texts), places.entity(texts));
    if is_missing(mention) || is_missing(entity) || is_word_for_missing(entity) {
        Err(NotPlain)
    } else {
        Ok(())
    }
}

/// Reads a range of a table.
fn read(
    table: &PlainTable,
    section: &TableSection,
    parts: usize,
    hasher: NameHasher,
    pool: &Pool,
    limits: &Limits,
    progress: &AtomicU64,
) -> Result<RangeRows, ByRow> {
    /// The number of blocks between two checks of the memory in use.
    const CHECK: u64 = 16;
    let mut divided = RecordParts::new(pool, parts);
    let mut documents = table.has_documents().then(|| DocumentReader::new(hasher, pool, parts));
    let (mut blocks, mut count) = (0_u64, 0_u64);
    table.read(section, progress, |texts, rows| {
        match &mut documents {
            None => {
                for places in &rows.rows {
                    check_names(places, texts)?;
                    let [entity, mention] =
                        [places.entity(texts), places.mention(texts)].map(|name| hasher.code(name));
                    divided.push(part_of(mixed(entity), parts), &row(entity, mention));
                }
            }
            Some(documents) => {
                for (number, places, document) in rows.with_documents(texts) {
                    check_names(places, texts)?;
                    let hasher = documents.read(texts, document, || rows.line_of(number, texts))?;
                    let [entity, mention] =
                        [places.entity(texts), places.mention(texts)].map(|name| hasher.code(name));
                    let part = part_of(mixed(entity), parts);
                    divided.push(part, &row(entity, mention));
                    documents.push(part);
                }
                documents.end_block(texts, rows.end_of_lines(texts));
            }
        }
        count += rows.rows.len() as u64;
        blocks += 1;
        if blocks.is_multiple_of(CHECK) {
            limits.check_memory()?;
        }
        Ok(())
    })?;
    Ok(RangeRows { rows: divided.written(), count, documents: documents.map(DocumentReader::written) })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use corefeval_metrics::overlap::{Overlap, OverlapCell};

    use super::*;

    /// Writes tables and counts them.
    fn counted(name: &str, texts: [&str; 2], threads: usize) -> Option<Overlap> {
        counted_files(name, texts.map(str::as_bytes), threads)
    }

    /// Writes files and counts them.
    pub(super) fn counted_files(name: &str, files: [&[u8]; 2], threads: usize) -> Option<Overlap> {
        counted_divided(name, files, DIVISION, NameHasher::new(), threads)
    }

    fn counted_divided(
        name: &str,
        files: [&[u8]; 2],
        division: RowDivision,
        hasher: NameHasher,
        threads: usize,
    ) -> Option<Overlap> {
        let mut found = counted_tables(name, files, division, hasher, threads)?;
        let Some(CountedEntities::Whole(entities)) = found.entities.pop() else {
            panic!("tables of one document");
        };
        let overlap = entities.recall_view().clone();
        // Components that come with the table equal those computed from it.
        assert!(entities.components() == AlignedEntities::new(overlap.clone()).components());
        Some(overlap)
    }

    /// Writes files of several documents and counts them.
    #[cfg(any(feature = "parquet", feature = "arrow"))]
    pub(super) fn counted_documents(name: &str, files: [&[u8]; 2], threads: usize) -> Option<CountedTables> {
        counted_tables(name, files, DIVISION, NameHasher::new(), threads)
    }

    fn counted_tables(
        name: &str,
        files: [&[u8]; 2],
        division: RowDivision,
        hasher: NameHasher,
        threads: usize,
    ) -> Option<CountedTables> {
        let folder = std::env::temp_dir().join(format!("corefeval-count-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let open = |(place, bytes): (usize, &&[u8])| {
            let path = folder.join(format!("{place}.csv"));
            fs::write(&path, bytes).unwrap();
            PlainTable::open(&path)
        };
        let tables: Option<Vec<PlainTable>> = files.iter().enumerate().map(open).collect();
        let limits = Limits::default();
        let count =
            |tables| count_divided(tables, false, division, hasher, threads, &limits, &AtomicU64::new(0));
        let found = tables.and_then(|tables| count(tables).ok());
        fs::remove_dir_all(folder).unwrap();
        found
    }

    /// Returns the cells with the sizes of their entities instead of the numbers, and the sizes themselves.
    pub(super) fn sizes_of_cells(overlap: Overlap) -> (Vec<[u32; 3]>, [Vec<u32>; 2]) {
        let (keys, responses) = (overlap.key_sizes(), overlap.response_sizes());
        let sizes =
            |cell: &OverlapCell| [keys[cell.key as usize], responses[cell.response as usize], cell.shared];
        let mut cells: Vec<[u32; 3]> = overlap.cells().iter().map(sizes).collect();
        cells.sort_unstable();
        let mut both = [keys, responses].map(<[u32]>::to_vec);
        both.iter_mut().for_each(|sizes| sizes.sort_unstable());
        (cells, both)
    }

    #[test]
    fn counts_agree_with_a_map() {
        let mut sides = [BTreeMap::new(), BTreeMap::new()];
        for number in 0..70_000_u64 {
            let mention = match number % 3 {
                0 => format!("{number}"),
                _ => format!("a longer mention {number}"),
            };
            let mixed = mixed(number.into());
            // The response has a different order.
            sides[0].insert((number, mention.clone()), format!("e{}", mixed % 20_000));
            if !number.is_multiple_of(10) {
                let entity = if mixed.is_multiple_of(7) { mixed % 5 } else { mixed % 20_000 / 3 };
                sides[1].insert((mixed, mention), format!("the entity {entity}"));
            }
        }
        let texts = sides.each_ref().map(|side| {
            let rows = side.iter().map(|((_, mention), entity)| format!("{mention},{entity}\n"));
            format!("mention,entity\n{}", rows.collect::<String>())
        });
        let numbered = sides.each_ref().map(|side| {
            let (mut numbers, mut sizes, mut of_mention) = (BTreeMap::new(), Vec::new(), BTreeMap::new());
            for ((_, mention), entity) in side {
                let next = numbers.len() as u32;
                let number = *numbers.entry(entity).or_insert(next);
                sizes.resize(numbers.len(), 0);
                sizes[number as usize] += 1;
                of_mention.insert(mention, number);
            }
            (sizes, of_mention)
        });
        let [(key_sizes, ours), (response_sizes, theirs)] = numbered;
        let pairs = ours.iter().filter_map(|(mention, &key)| Some((key, *theirs.get(mention)?)));
        let wanted = Overlap::new(key_sizes, response_sizes, pairs.collect::<Vec<_>>().into_iter());
        let wanted = Some(sizes_of_cells(wanted));
        let files = texts.each_ref().map(String::as_bytes);
        // Few rows per part, so that there are as many parts as for the largest tables.
        let many = RowDivision { entities: (16, 1 << 11), mentions: (8, 1 << 12) };
        let one = RowDivision { entities: (1, 1), mentions: (1, 1) };
        for division in [DIVISION, many, one] {
            let (hasher, mut first) = (NameHasher::new(), None);
            for threads in [1, 2, 7] {
                let found = counted_divided("map", files, division, hasher, threads);
                // The numbers of the entities are also equal.
                assert!(*first.get_or_insert(found.clone()) == found, "{threads} threads");
                assert!(found.map(sizes_of_cells) == wanted, "{threads} threads");
            }
        }
    }

    #[test]
    fn unusual_tables_are_left_to_the_general_reader() {
        let table = "mention,entity\na,e1\nb,e2\nc and more letters,e2\n";
        let counts = |other: &str| counted("plain", [table, other], 2);
        assert_eq!(counts(table).map(|overlap| overlap.shared_mentions()), Some(3));
        for rows in [
            "a,e1\na,e2\n", "a,\n", "a,b,c\n", "a\n", "a\0,e1\n", "\"a\",\"\"\n", "\"a\n\",e1\n", "\"a,e1\n",
            "\"a\"\n", "\"a\"b,e1\n", "\"a\" \"\",e1\n", "\"a\0\",e1\n", "\"a\",e1\n\u{FEFF}b,e1\n",
        ] {
            assert_eq!(counts(&format!("mention,entity\n{rows}")), None, "{rows:?}");
        }
        let twice = "mention,entity\nc and more letters,e1\nd and more letters,e1\n";
        for more in ["c and more letters,e1\n", "d and more letters,e2\n"] {
            assert_eq!(counts(&format!("{twice}{more}")), None, "{more:?}");
        }
        for head in
            ["document,mention,entity\nd,a,b\n", "document,mention,entity\n,a,b\n", "{\"a\": 1}\n", ""]
        {
            assert_eq!(counts(head), None, "{head:?}");
        }
        // A key that repeats a mention is not counted.
        assert_eq!(counted("twice", [&format!("{table}a,e2\n"), table], 2), None);
    }

    #[test]
    fn cells_in_quotes_are_their_text() {
        let plain = "mention,entity\na,e1\nb c,e1\nd\"e,e2\nf;g,e2\n\u{e9}h,e2\nij,e2\n";
        let tables = [
            "\"mention\",\"entity\"\n\"a\",\"e1\"\n\"b c\",\"e1\"\n\"d\"\"e\",\"e2\"\nf;g,\"e2\"\n\"ij\" \t,e2\n\u{e9}h,\"e2\"",
            "entity;mention;x\r\ne1;\" a \";\"\"\r\n\"e1\" ; b c ;\"\"\"\"\r\ne2;d\"e;\r\n\r\ne2;\"f;g\";\"a;b\"\"\"\r\n\
             e2;\u{e9}h;\r\ne2;\"ij\";",
        ];
        for table in tables {
            let overlap = counted("quotes", [plain, table], 2).unwrap();
            assert_eq!(sizes_of_cells(overlap).0, [[2, 2, 2], [4, 4, 4]], "{table}");
        }
    }

    #[test]
    fn a_long_first_line_names_the_columns() {
        for length in [10, 4070, 4080, 4090, 60_000] {
            let names = format!("mention,entity,{}\n", "x".repeat(length));
            let rows: String = (0..1000).map(|row| format!("m{row},e{},\n", row / 3)).collect();
            let table = names + &rows;
            let overlap = counted("long", [&table, &table], 2).unwrap();
            assert_eq!(overlap.shared_mentions(), 1000, "{length}");
        }
    }

    #[test]
    fn small_tables_have_several_parts_and_large_ones_a_limited_number() {
        let rows = [100, 20_000, 100_000, 1_000_000, 10_000_000, 100_000_000, u64::MAX];
        let parts = rows.map(|rows| DIVISION.parts(rows));
        assert_eq!(parts, [[1, 1], [2, 16], [8, 32], [16, 64], [256, 1024], [2048, 4096], [2048, 4096]]);
    }

    #[test]
    fn a_mistake_is_found_in_every_range() {
        let table = |last: &str, first: &str| {
            let rows = |rows: std::ops::Range<u32>| {
                rows.map(|row| format!("m{row},e{}\n", row / 3)).collect::<String>()
            };
            format!("\u{feff}\n \nmention,entity\n{first}{}{last}{}", rows(0..5000), rows(5000..10_000))
        };
        let plain = table("", "");
        let counts = |other: &str, threads| counted("ranges", [&plain, other], threads);
        for threads in [1, 2, 3, 8] {
            assert_eq!(counts(&plain, threads).map(|overlap| overlap.shared_mentions()), Some(10_000));
            for row in ["m9999,e0\n", "m1,e0\n", "\"m1\",b\n", "\"a\n\",b\n", "a\n", "a,\n", "a,b,c\n"] {
                assert_eq!(counts(&table(row, ""), threads), None, "{row:?}, {threads} threads");
                assert_eq!(counts(&table("", row), threads), None, "{row:?}, {threads} threads");
            }
        }
    }

    #[test]
    fn threads_read_equally_many_ranges() {
        for (threads, tables, wanted) in
            [(1, 1, 1), (2, 2, 1), (4, 2, 2), (7, 2, 7), (2, 1, 2), (6, 4, 3), (3, 5, 1)]
        {
            assert_eq!(most_ranges(threads, tables), wanted, "{threads} threads, {tables} tables");
        }
    }
}
