//! Counts large tables of labels without keeping their rows.
//!
//! Key and response are plain tables of one document: mentions and entities, without quotes. Entities are numbered
//! while the rows are read. The mentions, each with the number of its entity, are divided by hash into parts that fit
//! the cache; a mention is in the same part on both sides. Each part is joined by itself. Its pairs of entities are
//! divided by key entity into ranges, in which equal pairs are counted. Each row is thus written and read a few times
//! in order, and only the lookup of entities needs more memory than the cache holds.
//!
//! Tables in Parquet and Arrow are read batch by batch in the same way.
//!
//! If there are more threads than tables, a table is divided at line ends or batches into ranges. Each range is read as
//! a table by itself. Its entities then get common numbers, and the join replaces the numbers of the range by these.
//!
//! Unusual tables (with quotes, mistakes, repeated mentions or a document column) are left to the general reader of
//! tables, which reports mistakes.

mod common;
mod entities;
mod join;
mod names;
mod nearby;
mod parts;
mod ranges;
mod rows;
mod table;

pub(crate) use table::Table;

use std::fs::Metadata;
use std::path::Path;
use std::sync::atomic::AtomicU64;

use corefeval_metrics::overlap::Overlap;

use crate::limits::Limits;
use crate::threads::side_by_side;

use common::{Common, Divided};
use entities::Entities;
use names::{SHORT, hash, mixed, part_of, short};
use parts::Parts;
use rows::Left;
use table::{Piece, Source};

/// The minimum total size of files, in bytes, for counting without keeping rows.
const LARGE: u64 = 1 << 20;

/// The intended number of mentions in a part.
const PART: u64 = 1 << 14;

/// The maximum number of parts, which is also the number of places in memory that are written in turn.
const MOST_PARTS: u64 = 1 << 12;

/// Returns whether all paths are files that together are large enough to be counted without keeping rows.
pub(crate) fn are_large(paths: &[&Path]) -> bool {
    let size = |path: &&Path| path.metadata().ok().filter(Metadata::is_file).map(|data| data.len());
    paths.iter().map(size).sum::<Option<u64>>().is_some_and(|sum| sum >= LARGE)
}

/// A side that has been read.
struct Side {
    /// The number of mentions of each entity.
    sizes: Vec<u32>,
    /// The mentions of each range of the table.
    ranges: Vec<Mentions>,
}

impl Side {
    /// Joins the ranges of a table.
    fn of(ranges: Vec<ReadRange>, threads: usize) -> Result<Side, Left> {
        let (mut divided, mut all) = (Vec::new(), Vec::with_capacity(ranges.len()));
        for range in ranges {
            all.push(range.mentions);
            match range.entities {
                RangeEntities::All(sizes) => return Ok(Side { sizes, ranges: all }),
                RangeEntities::Some(entities) => divided.push(entities),
            }
        }
        let Common { sizes, numbers } = common::numbered(&divided, threads).ok_or(Left)?;
        if sizes.iter().map(|&size| u64::from(size)).sum::<u64>() >= u64::from(u32::MAX) {
            return Err(Left);
        }
        for (range, numbers) in all.iter_mut().zip(numbers) {
            range.numbers = Some(numbers);
        }
        Ok(Side { sizes, ranges: all })
    }

    /// Returns the number of parts of its mentions.
    fn parts(&self) -> usize {
        self.ranges.first().map_or(0, |range| range.long.len())
    }
}

/// The mentions of a range of a table, divided into parts.
struct Mentions {
    /// Mentions with short names: the name as a number and the entity, 12 bytes.
    short: Parts,
    /// Other mentions: the entity, half of the hash, the length of the name and the name.
    long: Parts,
    /// The common numbers of the entities, if the table has several ranges.
    numbers: Option<Vec<u32>>,
}

/// A range of a table that has been read.
struct ReadRange {
    mentions: Mentions,
    entities: RangeEntities,
}

/// The entities of a range.
enum RangeEntities {
    /// The numbers of mentions of all entities, if the table has only one range.
    All(Vec<u32>),
    /// The entities of one of several ranges.
    Some(Divided),
}

/// The bytes of a long mention before its name.
const BEFORE_NAME: usize = 10;

/// Counts the mentions that each entity of a key shares with each entity of several responses. The key is the first
/// table. Returns `None` if a table turns out not to be plain, or there is not enough memory.
pub(crate) fn count(
    mut tables: Vec<Table>,
    threads: usize,
    limits: &Limits,
    progress: &AtomicU64,
) -> Option<Vec<Overlap>> {
    let rows = tables.iter().map(|table| table.rows).max().unwrap_or(0);
    let parts = (rows / PART).next_power_of_two().clamp(1, MOST_PARTS) as usize;
    let mut key: Option<Side> = None;
    let mut found = Vec::new();
    // At most one table per thread is read at a time, so that few are in memory.
    while !tables.is_empty() {
        let some: Vec<Table> = tables.drain(..threads.clamp(1, tables.len())).collect();
        let mut sides = read_all(&some, parts, threads, limits, progress).ok()?.into_iter().peekable();
        while let Some(response) = sides.next() {
            let Some(known) = &key else {
                key = Some(response);
                continue;
            };
            let pairs = join::join(known, &response, threads).ok()?;
            let Side { sizes: response_sizes, ranges } = response;
            drop(ranges);
            let is_last = tables.is_empty() && sides.peek().is_none();
            let key_sizes = if is_last { key.take()?.sizes } else { known.sizes.clone() };
            found.push(pairs.count(key_sizes, response_sizes, threads));
        }
    }
    Some(found)
}

/// Reads tables in parallel, in ranges if there are more threads than tables.
fn read_all(
    tables: &[Table],
    parts: usize,
    threads: usize,
    limits: &Limits,
    progress: &AtomicU64,
) -> Result<Vec<Side>, Left> {
    let most = most_ranges(threads, tables.len());
    let sources = side_by_side(threads, tables.len(), |table| tables[table].source(most, limits));
    let sources: Vec<Source<'_>> = sources.into_iter().collect::<Result<_, _>>()?;
    let jobs: Vec<(&Source<'_>, Piece)> = sources
        .iter()
        .flat_map(|source| source.pieces.iter().map(move |piece| (source, piece.clone())))
        .collect();
    let read = side_by_side(threads, jobs.len(), |job| {
        let (source, piece) = &jobs[job];
        read(source, piece, parts, limits, progress)
    });
    let mut read = read.into_iter();
    sources
        .iter()
        .map(|source| {
            let ranges = read.by_ref().take(source.pieces.len()).collect::<Result<_, _>>()?;
            Side::of(ranges, threads)
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

/// Reads a range of a table.
fn read(
    source: &Source<'_>,
    piece: &Piece,
    parts: usize,
    limits: &Limits,
    progress: &AtomicU64,
) -> Result<ReadRange, Left> {
    /// The number of blocks between two checks of the memory in use.
    const CHECK: u64 = 64;
    let size = source.bytes_of(piece);
    let mut entities = Entities::new();
    let (mut short_names, mut long_names) = (Parts::new(parts, size), Parts::new(parts, size));
    let mut looked = Vec::new();
    let (mut blocks, mut all) = (0_u64, 0_u64);
    source.read(piece, progress, |block, rows| {
        looked.clear();
        looked.extend(rows.iter().map(|row| entities.look(row.entity(block))));
        looked.iter().for_each(|&looked| entities.approach(looked));
        for (row, looked) in rows.iter().zip(&looked) {
            let entity = entities.number(row.entity(block), *looked).ok_or(Left)?;
            let mention = row.mention(block);
            if mention.len() <= SHORT {
                let number = short(mention);
                let mut record = [0; SHORT + 4];
                record[..SHORT].copy_from_slice(&number.to_le_bytes());
                record[SHORT..].copy_from_slice(&entity.to_le_bytes());
                short_names.push(part_of(mixed(number), parts), &record, &[]);
            } else if mention.len() <= Parts::LARGEST - BEFORE_NAME {
                let hash = hash(mention);
                let mut numbers = [0; BEFORE_NAME];
                numbers[..4].copy_from_slice(&entity.to_le_bytes());
                numbers[4..8].copy_from_slice(&(hash as u32).to_le_bytes());
                numbers[8..].copy_from_slice(&(mention.len() as u16).to_le_bytes());
                long_names.push(part_of(hash, parts), &numbers, mention);
            } else {
                return Err(Left);
            }
        }
        all += rows.len() as u64;
        blocks += 1;
        if all >= u64::from(u32::MAX) {
            return Err(Left);
        }
        if blocks.is_multiple_of(CHECK) {
            limits.check_memory()?;
        }
        Ok(())
    })?;
    let mentions = Mentions { short: short_names, long: long_names, numbers: None };
    let entities = match source.pieces.len() == 1 {
        true => RangeEntities::All(entities.sizes()),
        false => RangeEntities::Some(entities.divided(parts)),
    };
    Ok(ReadRange { mentions, entities })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use corefeval_metrics::overlap::Cell;

    use super::*;

    /// Writes tables and counts them.
    fn counted(name: &str, texts: [&str; 2], threads: usize) -> Option<Overlap> {
        counted_files(name, texts.map(str::as_bytes), threads)
    }

    /// Writes files and counts them.
    pub(super) fn counted_files(name: &str, files: [&[u8]; 2], threads: usize) -> Option<Overlap> {
        let folder = std::env::temp_dir().join(format!("corefeval-count-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let open = |(place, bytes): (usize, &&[u8])| {
            let path = folder.join(format!("{place}.csv"));
            fs::write(&path, bytes).unwrap();
            Table::open(&path, &Limits::default())
        };
        let tables: Option<Vec<Table>> = files.iter().enumerate().map(open).collect();
        let found = tables.and_then(|tables| count(tables, threads, &Limits::default(), &AtomicU64::new(0)));
        fs::remove_dir_all(folder).unwrap();
        found.map(|mut overlaps| overlaps.remove(0))
    }

    /// Returns the cells with the sizes of their entities instead of the numbers, and the sizes themselves.
    pub(super) fn sizes_of_cells(overlap: Overlap) -> (Vec<[u32; 3]>, [Vec<u32>; 2]) {
        let (keys, responses) = (overlap.key_sizes(), overlap.response_sizes());
        let sizes = |cell: &Cell| [keys[cell.key as usize], responses[cell.response as usize], cell.shared];
        let mut cells: Vec<[u32; 3]> = overlap.cells().iter().map(sizes).collect();
        cells.sort_unstable();
        let mut both = [keys, responses].map(<[u32]>::to_vec);
        both.iter_mut().for_each(|sizes| sizes.sort_unstable());
        (cells, both)
    }

    #[test]
    fn counts_are_those_of_a_map() {
        let mut sides = [BTreeMap::new(), BTreeMap::new()];
        for number in 0..70_000_u64 {
            let mention = match number % 3 {
                0 => format!("{number}"),
                _ => format!("a longer mention {number}"),
            };
            let mixed = mixed(number);
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
        for threads in [1, 2, 7] {
            let found = counted("map", [&texts[0], &texts[1]], threads).map(sizes_of_cells);
            assert!(found == Some(sizes_of_cells(wanted.clone())), "{threads} threads");
        }
    }

    #[test]
    fn unusual_tables_are_left_to_the_general_reader() {
        let table = "mention,entity\na,e1\nb,e2\nc and more letters,e2\n";
        let counts = |other: &str| counted("plain", [table, other], 2);
        assert_eq!(counts(table).map(|overlap| overlap.shared_mentions()), Some(3));
        for rows in ["a,e1\na,e2\n", "a,\n", "a,b,c\n", "a\n", "\"a\",e1\n", "a\0,e1\n"] {
            assert_eq!(counts(&format!("mention,entity\n{rows}")), None, "{rows:?}");
        }
        let twice = "mention,entity\nc and more letters,e1\nd and more letters,e1\n";
        for more in ["c and more letters,e1\n", "d and more letters,e2\n"] {
            assert_eq!(counts(&format!("{twice}{more}")), None, "{more:?}");
        }
        for head in ["document,mention,entity\nd,a,b\n", "{\"a\": 1}\n", ""] {
            assert_eq!(counts(head), None, "{head:?}");
        }
        // A key that repeats a mention is not counted.
        assert_eq!(counted("twice", [&format!("{table}a,e2\n"), table], 2), None);
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
            for row in ["m9999,e0\n", "m1,e0\n", "\"a\",b\n", "a\n", "a,\n", "a,b,c\n"] {
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
