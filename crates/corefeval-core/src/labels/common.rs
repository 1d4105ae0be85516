//! Assigns common numbers to the entities of the ranges of a table, which each range numbers separately.
//!
//! Each range divides its entities by hash into parts. The same parts of all ranges fit the cache together. Several
//! threads number their entities, one part after another. An entity is looked up once for each range that contains
//! it.

use corefeval_system::memory::zeros;
use rustc_hash::FxHashMap;

use super::names::part_of;
use super::parts::Parts;
use crate::threads::side_by_side;

/// The number of bytes of a record: two words, and the number of the entity with the number of its mentions.
const RECORD: usize = 24;

/// The entities of a range, divided by hash.
pub(super) struct Divided {
    count: u32,
    /// Entities with names of up to two words.
    short: Parts,
    /// Entities with longer names: start and length of the name in `text`.
    long: Parts,
    text: Vec<u8>,
}

impl Divided {
    /// Makes room for `count` entities in `parts` parts; `text` holds the long names.
    pub(super) fn new(count: u32, parts: usize, text: Vec<u8>) -> Divided {
        let bytes = RECORD as u64 * u64::from(count);
        Divided { count, short: Parts::new(parts, bytes), long: Parts::new(parts, bytes), text }
    }

    /// Adds an entity with a short name. `counted` holds its number and its number of mentions.
    pub(super) fn add_short(&mut self, hash: u64, [first, second]: [u64; 2], counted: u64) {
        self.short.push(part_of(hash, self.short.len()), &record([first, second, counted]), &[]);
    }

    /// Adds an entity whose name is in the text.
    pub(super) fn add_long(&mut self, hash: u64, (start, length): (usize, usize), counted: u64) {
        let record = record([start as u64, length as u64, counted]);
        self.long.push(part_of(hash, self.long.len()), &record, &[]);
    }

    /// Returns the name at a place in the text.
    fn name(&self, start: u64, length: u64) -> &[u8] {
        &self.text[start as usize..(start + length) as usize]
    }
}

fn record(words: [u64; 3]) -> [u8; RECORD] {
    let mut record = [0; RECORD];
    for (bytes, word) in record.as_chunks_mut().0.iter_mut().zip(words) {
        *bytes = word.to_le_bytes();
    }
    record
}

/// Returns the records in these bytes.
fn records(bytes: &[u8]) -> impl Iterator<Item = [u64; 3]> {
    bytes.as_chunks::<RECORD>().0.iter().map(|record| {
        let words = record.as_chunks().0;
        [0, 1, 2].map(|place| u64::from_le_bytes(words[place]))
    })
}

/// The entities of all ranges.
pub(super) struct Common {
    /// The number of mentions of each entity.
    pub(super) sizes: Vec<u32>,
    /// For each range, the common numbers of its entities.
    pub(super) numbers: Vec<Vec<u32>>,
}

/// The entities of a part, numbered from 0 on.
struct PartEntities {
    sizes: Vec<u32>,
    /// The numbers of the records for each range; short names come first.
    numbers: Vec<Vec<u32>>,
}

/// Numbers the entities of all ranges. `None` if an entity has too many mentions, or if there are too many entities.
pub(super) fn numbered(ranges: &[Divided], threads: usize) -> Option<Common> {
    let parts = ranges.first()?.short.len();
    let jobs = threads.clamp(1, parts);
    let of_jobs = side_by_side(jobs, jobs, |job| {
        let mut work = Work::default();
        let parts = job * parts / jobs..(job + 1) * parts / jobs;
        parts.map(|part| work.number(ranges, part)).collect::<Option<Vec<_>>>()
    });
    let of_parts: Vec<PartEntities> =
        of_jobs.into_iter().collect::<Option<Vec<_>>>()?.into_iter().flatten().collect();
    let mut count = 0_u32;
    let mut firsts = Vec::with_capacity(parts);
    for part in &of_parts {
        firsts.push(count);
        count = count.checked_add(u32::try_from(part.sizes.len()).ok()?)?;
    }
    let numbers = side_by_side(threads, ranges.len(), |place| {
        let range = &ranges[place];
        let mut numbers: Vec<u32> = zeros(range.count as usize);
        let mut bytes = Vec::new();
        for (part, (entities, first)) in of_parts.iter().zip(&firsts).enumerate() {
            bytes.clear();
            range.short.gather(part, &mut bytes);
            range.long.gather(part, &mut bytes);
            for ([.., counted], number) in records(&bytes).zip(&entities.numbers[place]) {
                numbers[counted as u32 as usize] = first + number;
            }
        }
        numbers
    });
    let mut sizes = Vec::with_capacity(count as usize);
    of_parts.iter().for_each(|part| sizes.extend_from_slice(&part.sizes));
    Some(Common { sizes, numbers })
}

/// Working memory that is reused for one part after another.
#[derive(Default)]
struct Work<'r> {
    bytes: Vec<u8>,
    short: FxHashMap<[u64; 2], u32>,
    long: FxHashMap<&'r [u8], u32>,
}

impl<'r> Work<'r> {
    fn number(&mut self, ranges: &'r [Divided], part: usize) -> Option<PartEntities> {
        self.short.clear();
        self.long.clear();
        let mut entities = PartEntities { sizes: Vec::new(), numbers: Vec::with_capacity(ranges.len()) };
        for range in ranges {
            let mut numbers = Vec::new();
            let mut see = |number: &mut u32, counted: u64| {
                let mentions = (counted >> 32) as u32;
                match entities.sizes.get_mut(*number as usize) {
                    Some(size) => *size = size.checked_add(mentions)?,
                    None => entities.sizes.push(mentions),
                }
                numbers.push(*number);
                Some(entities.sizes.len() as u32)
            };
            let mut next = self.short.len() as u32 + self.long.len() as u32;
            self.bytes.clear();
            range.short.gather(part, &mut self.bytes);
            for [first, second, counted] in records(&self.bytes) {
                next = see(self.short.entry([first, second]).or_insert(next), counted)?;
            }
            self.bytes.clear();
            range.long.gather(part, &mut self.bytes);
            for [start, length, counted] in records(&self.bytes) {
                next = see(self.long.entry(range.name(start, length)).or_insert(next), counted)?;
            }
            entities.numbers.push(numbers);
        }
        Some(entities)
    }
}
