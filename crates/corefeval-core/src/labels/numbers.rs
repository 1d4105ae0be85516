//! Numbers for the entities of a side, with the number of mentions of each.
//!
//! The rows are divided by the hash of their entity, so that the table of a part's entities fits the cache. Each job
//! numbers the entities of some parts from 0, and later adds the number of entities of earlier jobs.

use corefeval_metrics::overlap::OverlapCell;
use corefeval_system::memory::with_room;

use super::RangeRows;
use super::name_codes::{NAME, mixed, part_of};
use super::parts::{RecordParts, WrittenParts};
use super::pool::Pool;
use crate::threads::side_by_side;

/// The size of a row in bytes: the codes of the entity and of the mention.
pub(super) const ROW: usize = 2 * NAME;

/// The size of a mention in bytes: its code and the number of its entity.
pub(super) const MENTION: usize = NAME + 4;

/// Returns a row as bytes.
#[inline]
pub(super) fn row(entity: u128, mention: u128) -> [u8; ROW] {
    let mut row = [0; ROW];
    row[..NAME].copy_from_slice(&entity.to_le_bytes()[..NAME]);
    row[NAME..].copy_from_slice(&mention.to_le_bytes()[..NAME]);
    row
}

/// Returns the codes of the entity and of the mention of a row.
#[inline]
fn codes_of(row: &[u8; ROW]) -> [u128; 2] {
    let code = |start: usize| {
        let mut bytes = [0; 16];
        bytes[..NAME].copy_from_slice(&row[start..start + NAME]);
        u128::from_le_bytes(bytes)
    };
    [code(0), code(NAME)]
}

/// A mention: its code in the lower 96 bits, and the number of its entity in the other bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CodedMention(u128);

impl CodedMention {
    #[inline]
    fn new(code: u128, entity: u32) -> CodedMention {
        CodedMention(code | u128::from(entity) << (8 * NAME))
    }

    #[inline]
    pub(super) fn code(self) -> u128 {
        self.0 & ((1 << (8 * NAME)) - 1)
    }

    #[inline]
    pub(super) fn entity(self) -> u32 {
        (self.0 >> (8 * NAME)) as u32
    }
}

/// A side with numbered entities.
pub(super) struct NumberedSide {
    pub(super) entities: SideEntities,
    /// The mentions that each job divided among parts, and the number of its first entity.
    mentions: Vec<(WrittenParts<MENTION>, u32)>,
}

/// The entities of a side.
#[derive(Clone, Default)]
pub(super) struct SideEntities {
    /// The number of mentions of each entity.
    pub(super) sizes: Vec<u32>,
    /// The document of each entity; empty if the table has no column of documents.
    pub(super) documents: Vec<u32>,
    /// If singletons were dropped: the number of each entity among those that are left, or [`DROPPED`].
    left: Option<Vec<u32>>,
}

/// Marks a dropped entity.
const DROPPED: u32 = u32::MAX;

impl SideEntities {
    /// Returns the number of entities before singletons were dropped.
    pub(super) fn numbered(&self) -> usize {
        self.left.as_ref().map_or(self.sizes.len(), Vec::len)
    }

    /// Drops all singletons. Returns their number in each of `documents` documents.
    pub(super) fn drop_singletons(&mut self, documents: usize) -> Vec<u32> {
        let (mut dropped, mut next) = (vec![0; documents.max(1)], 0);
        let mut left = with_room(self.sizes.len());
        for entity in 0..self.sizes.len() {
            let (size, document) = (self.sizes[entity], self.documents.get(entity).copied());
            if size == 1 {
                dropped[document.unwrap_or(0) as usize] += 1;
                left.push(DROPPED);
                continue;
            }
            left.push(next as u32);
            self.sizes[next] = size;
            document.into_iter().for_each(|document| self.documents[next] = document);
            next += 1;
        }
        self.sizes.truncate(next);
        self.documents.truncate(next);
        self.left = Some(left);
        dropped
    }

    /// Returns the number of an entity among those that are left, if it was not dropped.
    #[inline]
    fn left(&self, entity: u32) -> Option<u32> {
        let Some(left) = &self.left else { return Some(entity) };
        Some(left[entity as usize]).filter(|&number| number != DROPPED)
    }
}

/// Returns a cell with the numbers of entities that are left, if neither of the two was dropped.
#[inline]
pub(super) fn cell_left(
    key: &SideEntities,
    response: &SideEntities,
    cell: OverlapCell,
) -> Option<OverlapCell> {
    Some(OverlapCell { key: key.left(cell.key)?, response: response.left(cell.response)?, ..cell })
}

impl NumberedSide {
    /// Appends the mentions of a part to `all`.
    pub(super) fn gather(&self, part: usize, all: &mut Vec<CodedMention>) {
        for (mentions, first) in &self.mentions {
            let first = u128::from(*first) << (8 * NAME);
            mentions.each(part, |record| all.push(CodedMention(u128::from_le_bytes(*record) + first)));
        }
    }

    /// Gives the memory of a part back.
    pub(super) fn give_back(&self, part: usize, pool: &Pool) {
        self.mentions.iter().for_each(|(mentions, _)| pool.give_back(mentions.take(part)));
    }
}

/// Numbers the entities of rows and divides the mentions among `parts` parts. The ranges of a table have divided the
/// rows among `entity_parts` parts; there are fewer than 2³² − 1 rows. Calls `step` after each part of the rows.
pub(super) fn number(
    ranges: &[RangeRows],
    [entity_parts, parts]: [usize; 2],
    pool: &Pool,
    threads: usize,
    step: impl Fn() + Sync,
) -> NumberedSide {
    let jobs = threads.clamp(1, entity_parts);
    let rows = |part| ranges.iter().map(|range| range.rows.count(part)).sum::<usize>();
    let all: usize = (0..entity_parts).map(rows).sum();
    let of_jobs = side_by_side(jobs, jobs, |job| {
        let mut mentions = RecordParts::new(pool, parts);
        let own = job * entity_parts / jobs..(job + 1) * entity_parts / jobs;
        // Later jobs number their entities after the first job's.
        let mut entities = Numbering::new(if job == 0 { all } else { own.clone().map(rows).sum() });
        let mut documents = Vec::new();
        for part in own {
            entities.begin_part();
            for range in ranges {
                if let Some(of_range) = &range.documents {
                    of_range.take(part, pool, &mut documents);
                }
                let mut documents = documents.iter();
                range.rows.each(part, |row| {
                    let [entity, mention] = codes_of(row);
                    let mention_part = part_of(mixed(mention), parts);
                    let number = entities.number(entity, documents.next());
                    mentions.push(mention_part, &CodedMention::new(mention, number).0.to_le_bytes());
                });
                pool.give_back(range.rows.take(part));
            }
            step();
        }
        (entities.sizes, entities.documents, mentions.written())
    });
    let mut side = NumberedSide { entities: SideEntities::default(), mentions: Vec::new() };
    let SideEntities { sizes: all_sizes, documents: all_documents, .. } = &mut side.entities;
    for (sizes, documents, mentions) in of_jobs {
        side.mentions.push((mentions, all_sizes.len() as u32));
        match all_sizes.is_empty() {
            true => (*all_sizes, *all_documents) = (sizes, documents),
            false => {
                all_sizes.extend(sizes);
                all_documents.extend(documents);
            }
        }
    }
    side
}

/// The entities of one part after another, numbered in order of occurrence.
struct Numbering {
    /// The number of mentions of each entity.
    sizes: Vec<u32>,
    /// The document of each entity, if the table has such a column.
    documents: Vec<u32>,
    /// A hash table of the entities of a part, with the code in the lower 96 bits and the number plus one in the
    /// others. A slot of 0 is free.
    slots: Vec<u128>,
    /// The number of entities before this part.
    before: usize,
}

impl Numbering {
    /// Creates a table for at most `most` entities. The system provides only the memory that is written.
    fn new(most: usize) -> Numbering {
        Numbering { sizes: with_room(most), documents: Vec::new(), slots: vec![0; 1 << 8], before: 0 }
    }

    fn begin_part(&mut self) {
        self.slots.fill(0);
        self.before = self.sizes.len();
    }

    /// Counts a mention of an entity of the part, and of its document, if any. Returns the number of the entity.
    #[inline]
    fn number(&mut self, code: u128, document: Option<&u32>) -> u32 {
        let place = self.place(code);
        let number = (self.slots[place] >> (8 * NAME)) as u32;
        if number > 0 {
            self.sizes[number as usize - 1] += 1;
            return number - 1;
        }
        self.sizes.push(1);
        if let Some(&document) = document {
            self.documents.push(document);
        }
        self.slots[place] = code | (self.sizes.len() as u128) << (8 * NAME);
        if 2 * (self.sizes.len() - self.before) > self.slots.len() {
            self.grow();
        }
        self.sizes.len() as u32 - 1
    }

    /// Returns the slot of a code, or the free one where it belongs.
    #[inline]
    fn place(&self, code: u128) -> usize {
        let last = self.slots.len() - 1;
        // The first bits of the hash are equal within the part.
        let mut place = mixed(code) as usize & last;
        loop {
            let slot = self.slots[place];
            if slot == 0 || (slot ^ code) << (128 - 8 * NAME) == 0 {
                return place;
            }
            place = (place + 1) & last;
        }
    }

    #[cold]
    fn grow(&mut self) {
        let larger = vec![0; 2 * self.slots.len()];
        for slot in std::mem::replace(&mut self.slots, larger).into_iter().filter(|slot| *slot != 0) {
            let place = self.place(slot & ((1 << (8 * NAME)) - 1));
            self.slots[place] = slot;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::labels::name_codes::NameHasher;

    #[test]
    fn entities_are_numbered_and_counted_as_in_a_map() {
        let rows: Vec<(String, String)> = (0..50_000_u64)
            .map(|number| {
                let entity = match number % 4 {
                    0 => format!("{}", number / 5),
                    1 => format!("an entity with a long name: {}", number % 5000),
                    2 => format!("name {:011}", number / 7),
                    _ => format!("e{}", number % 7),
                };
                (entity, format!("mention {number}"))
            })
            .collect();
        let mut wanted: BTreeMap<&str, u32> = BTreeMap::new();
        rows.iter().for_each(|(entity, _)| *wanted.entry(entity).or_default() += 1);
        let hasher = NameHasher::new();
        let mut known = None;
        for (threads, ranges) in [(1, 1), (1, 3), (2, 2), (7, 5), (100, 1)] {
            let pool = Pool::new(1 << 20, 64);
            let parts_of = [32, 8];
            let ranges: Vec<RangeRows> = rows
                .chunks(rows.len().div_ceil(ranges))
                .map(|rows| {
                    let count = rows.len() as u64;
                    let mut parts = RecordParts::new(&pool, parts_of[0]);
                    for (entity, mention) in rows {
                        let [entity, mention] = [entity, mention].map(|text| hasher.code(text.as_bytes()));
                        parts.push(part_of(mixed(entity), parts_of[0]), &row(entity, mention));
                    }
                    RangeRows { rows: parts.written(), count, documents: None }
                })
                .collect();
            let side = number(&ranges, parts_of, &pool, threads, || ());
            let mut found = BTreeMap::new();
            let mut all = Vec::new();
            for part in 0..parts_of[1] {
                all.clear();
                side.gather(part, &mut all);
                for mention in &all {
                    assert_eq!(part_of(mixed(mention.code()), parts_of[1]), part);
                    assert_eq!(found.insert(mention.code(), mention.entity()), None);
                }
                side.give_back(part, &pool);
            }
            assert_eq!(found.len(), rows.len());
            let mut numbers = BTreeMap::new();
            for (entity, mention) in &rows {
                let number = found[&hasher.code(mention.as_bytes())];
                assert_eq!(*numbers.entry(entity.as_str()).or_insert(number), number, "{entity}");
            }
            for (entity, size) in &wanted {
                assert_eq!(side.entities.sizes[numbers[entity] as usize], *size, "{entity}");
            }
            assert_eq!(side.entities.sizes.len(), wanted.len());
            // The numbers do not depend on threads or ranges.
            assert!(*known.get_or_insert_with(|| found.clone()) == found, "{threads} threads");
        }
    }
}
