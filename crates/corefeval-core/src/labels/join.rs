//! Joins the mentions of both sides part by part, and counts the pairs of entities range by range.

use corefeval_metrics::overlap::{Cell, Overlap};
use corefeval_system::memory::fetch;

use super::names::{SHORT, mixed};
use super::nearby::{Nearby, nearby};
use super::parts::Parts;
use super::rows::Left;
use super::{BEFORE_NAME, Mentions, Side};
use crate::threads::side_by_side;

/// The number of key entities in a range, chosen so that its pairs fit the cache. It is larger if there would be
/// too many ranges.
const RANGE: usize = 1 << 13;

/// The number of records between prefetching the number of an entity and using it.
const AHEAD: usize = 16;

/// The maximum number of ranges.
const MOST_RANGES: usize = 1 << 12;

/// Tables with at least this many entities are renumbered, because their sizes do not fit the cache.
const MANY: usize = if cfg!(test) { 1 << 10 } else { 1 << 20 };

/// The pair of key and response entity of each shared mention, divided into ranges of key entities.
pub(super) struct Pairs {
    /// The pairs that each thread found.
    found: Vec<Parts>,
    /// The number of key entities in a range, a power of two.
    range: usize,
}

/// Finds the mentions that both sides share. Fails if a side repeats a mention.
pub(super) fn join(key: &Side, response: &Side, threads: usize) -> Result<Pairs, Left> {
    let entities = key.sizes.len();
    let range = RANGE.max(entities.div_ceil(MOST_RANGES)).next_power_of_two();
    let parts = key.parts();
    let jobs = threads.clamp(1, parts);
    let mentions: u64 = key.sizes.iter().map(|&size| u64::from(size)).sum();
    let found = side_by_side(jobs, jobs, |job| {
        let mut pairs = Parts::new(entities.div_ceil(range), 8 * mentions / jobs as u64);
        let mut work = Work::default();
        let mut pair = |key: u32, response: u32| {
            let record = u64::from(key) << 32 | u64::from(response);
            pairs.push(key as usize / range, &record.to_le_bytes(), &[]);
        };
        for part in job * parts / jobs..(job + 1) * parts / jobs {
            if work.gather_short([key, response], part) {
                work.join_short(&mut pair)?;
            }
            if work.gather_long([key, response], part) {
                work.join_long(&mut pair)?;
            }
        }
        Ok(pairs)
    });
    Ok(Pairs { found: found.into_iter().collect::<Result<_, Left>>()?, range })
}

/// The state of a mention in the table of a part: in the key, in both, or only in the response.
const KEY: u32 = 1;
const BOTH: u32 = 2;
const RESPONSE: u32 = 3;

/// Working memory that is reused for one part after another.
#[derive(Default)]
struct Work {
    sides: [Vec<u8>; 2],
    short: Vec<ShortSlot>,
    long: Vec<LongSlot>,
}

#[derive(Clone, Copy, Default)]
struct ShortSlot {
    name: u64,
    entity: u32,
    /// 0 if the slot is free.
    state: u32,
}

#[derive(Clone, Copy, Default)]
struct LongSlot {
    hash: u32,
    /// The start of the record in its side.
    start: u32,
    entity: u32,
    /// 0 if the slot is free.
    state: u32,
}

/// A long mention.
struct Long<'r> {
    start: usize,
    entity: u32,
    hash: u32,
    name: &'r [u8],
}

impl Work {
    /// Gathers the short mentions of a part on both sides. Returns whether there are any.
    fn gather_short(&mut self, sides: [&Side; 2], part: usize) -> bool {
        self.gather(sides, |range, bytes| {
            let start = bytes.len();
            range.short.gather(part, bytes);
            if let Some(numbers) = &range.numbers {
                renumber_short(&mut bytes[start..], numbers);
            }
        })
    }

    /// Gathers the long mentions of a part on both sides. Returns whether there are any.
    fn gather_long(&mut self, sides: [&Side; 2], part: usize) -> bool {
        self.gather(sides, |range, bytes| {
            let start = bytes.len();
            range.long.gather(part, bytes);
            if let Some(numbers) = &range.numbers {
                renumber_long(&mut bytes[start..], numbers);
            }
        })
    }

    fn gather(&mut self, sides: [&Side; 2], append: impl Fn(&Mentions, &mut Vec<u8>)) -> bool {
        for (bytes, side) in self.sides.iter_mut().zip(sides) {
            bytes.clear();
            side.ranges.iter().for_each(|range| append(range, bytes));
        }
        self.sides.iter().any(|side| !side.is_empty())
    }

    fn join_short(&mut self, pair: &mut impl FnMut(u32, u32)) -> Result<(), Left> {
        let [ours, theirs] = self.sides.each_ref().map(|side| side.as_chunks::<{ SHORT + 4 }>().0);
        let slots = (2 * (ours.len() + theirs.len())).next_power_of_two();
        self.short.clear();
        self.short.resize(slots, ShortSlot::default());
        for (records, own) in [(ours, KEY), (theirs, RESPONSE)] {
            for record in records {
                let (name, entity) = record.split_at(SHORT);
                let name = u64::from_le_bytes(name.try_into().map_err(|_| Left)?);
                let entity = u32::from_le_bytes(entity.try_into().map_err(|_| Left)?);
                // The first bits of the hash are those of the part.
                let mut place = mixed(name) as usize & (slots - 1);
                let slot = loop {
                    let slot = &mut self.short[place];
                    if slot.state == 0 || slot.name == name {
                        break slot;
                    }
                    place = (place + 1) & (slots - 1);
                };
                match (slot.state, own) {
                    (0, _) => *slot = ShortSlot { name, entity, state: own },
                    (KEY, RESPONSE) => {
                        slot.state = BOTH;
                        pair(slot.entity, entity);
                    }
                    _ => return Err(Left),
                }
            }
        }
        Ok(())
    }

    fn join_long(&mut self, pair: &mut impl FnMut(u32, u32)) -> Result<(), Left> {
        let [ours, theirs] = self.sides.each_ref();
        let least = BEFORE_NAME + SHORT + 1;
        let slots = (2 * (ours.len() + theirs.len()) / least + 2).next_power_of_two();
        self.long.clear();
        self.long.resize(slots, LongSlot::default());
        for (own, bytes) in [(KEY, ours), (RESPONSE, theirs)] {
            let mut start = 0;
            while let Some(record) = long_at(bytes, start) {
                start = record.start + BEFORE_NAME + record.name.len();
                let mut place = spread(record.hash) & (slots - 1);
                let slot = loop {
                    let slot = &mut self.long[place];
                    let same = |slot: &LongSlot| {
                        let side = if slot.state == RESPONSE { theirs } else { ours };
                        slot.hash == record.hash
                            && long_at(side, slot.start as usize)
                                .is_some_and(|other| other.name == record.name)
                    };
                    if slot.state == 0 || same(slot) {
                        break slot;
                    }
                    place = (place + 1) & (slots - 1);
                };
                match (slot.state, own) {
                    (0, _) => {
                        let begin = u32::try_from(record.start).map_err(|_| Left)?;
                        *slot =
                            LongSlot { hash: record.hash, start: begin, entity: record.entity, state: own };
                    }
                    (KEY, RESPONSE) => {
                        slot.state = BOTH;
                        pair(slot.entity, record.entity);
                    }
                    _ => return Err(Left),
                }
            }
        }
        Ok(())
    }
}

/// Replaces the numbers of entities in records of short mentions.
fn renumber_short(records: &mut [u8], numbers: &[u32]) {
    let (records, _) = records.as_chunks_mut::<{ SHORT + 4 }>();
    let entity = |record: &[u8; SHORT + 4]| record.last_chunk().map_or(0, |&bytes| u32::from_le_bytes(bytes));
    for place in 0..records.len() {
        if let Some(later) = records.get(place + AHEAD) {
            fetch(numbers, entity(later) as usize);
        }
        let record = &mut records[place];
        let number = numbers[entity(record) as usize];
        record[SHORT..].copy_from_slice(&number.to_le_bytes());
    }
}

/// Replaces the numbers of entities in records of long mentions.
fn renumber_long(records: &mut [u8], numbers: &[u32]) {
    let end_of = |record: &Long<'_>| record.start + BEFORE_NAME + record.name.len();
    let (mut start, mut ahead, mut records_ahead) = (0, 0, 0);
    while let Some((entity, end)) = long_at(records, start).map(|record| (record.entity, end_of(&record))) {
        while records_ahead < AHEAD
            && let Some(later) = long_at(records, ahead)
        {
            fetch(numbers, later.entity as usize);
            ahead = end_of(&later);
            records_ahead += 1;
        }
        records_ahead -= 1;
        records[start..start + 4].copy_from_slice(&numbers[entity as usize].to_le_bytes());
        start = end;
    }
}

/// Spreads half a hash over the slots of a table. The other half determines the part.
fn spread(hash: u32) -> usize {
    (u64::from(hash).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize
}

/// Returns the record that starts at `start`.
#[inline]
fn long_at(bytes: &[u8], start: usize) -> Option<Long<'_>> {
    let (head, rest) = bytes.get(start..)?.split_first_chunk::<BEFORE_NAME>()?;
    let &[a, b, c, d, e, f, g, h, i, j] = head;
    Some(Long {
        start,
        entity: u32::from_le_bytes([a, b, c, d]),
        hash: u32::from_le_bytes([e, f, g, h]),
        name: rest.get(..usize::from(u16::from_le_bytes([i, j])))?,
    })
}

impl Pairs {
    /// Counts equal pairs. The sizes are the numbers of mentions of the entities. Entities of large tables are
    /// renumbered.
    pub(super) fn count(self, key_sizes: Vec<u32>, response_sizes: Vec<u32>, threads: usize) -> Overlap {
        let ranges = key_sizes.len().div_ceil(self.range);
        let jobs = threads.clamp(1, ranges.max(1));
        let mut counted = side_by_side(jobs, jobs, |job| {
            let mut cells = Vec::new();
            let mut work = Counting::default();
            for range in job * ranges / jobs..(job + 1) * ranges / jobs {
                work.bytes.clear();
                self.found.iter().for_each(|pairs| pairs.gather(range, &mut work.bytes));
                work.count(range * self.range, self.range, &mut cells);
            }
            cells
        })
        .into_iter();
        drop(self);
        let mut cells = counted.next().unwrap_or_default();
        counted.for_each(|more| cells.extend(more));
        if key_sizes.len() + response_sizes.len() < MANY {
            return Overlap::of_cells(key_sizes, response_sizes, cells);
        }
        let Nearby { key_sizes, response_sizes, cells } = nearby(key_sizes, response_sizes, cells);
        Overlap::of_cells(key_sizes, response_sizes, cells)
    }
}

/// Working memory that is reused for one range after another.
#[derive(Default)]
struct Counting {
    bytes: Vec<u8>,
    starts: Vec<u32>,
    responses: Vec<u32>,
}

impl Counting {
    /// Appends the cells of the `range` key entities from `first` on, whose pairs are in `bytes`.
    fn count(&mut self, first: usize, range: usize, cells: &mut Vec<Cell>) {
        let (pairs, _) = self.bytes.as_chunks::<8>();
        let pairs = || {
            pairs.iter().map(|pair| {
                let pair = u64::from_le_bytes(*pair);
                ((pair >> 32) as usize - first, pair as u32)
            })
        };
        self.starts.clear();
        self.starts.resize(range + 2, 0);
        pairs().for_each(|(key, _)| self.starts[key + 2] += 1);
        for key in 0..range {
            self.starts[key + 2] += self.starts[key + 1];
        }
        self.responses.clear();
        self.responses.resize(pairs().len(), 0);
        for (key, response) in pairs() {
            let place = &mut self.starts[key + 1];
            self.responses[*place as usize] = response;
            *place += 1;
        }
        for key in 0..range {
            let row = &mut self.responses[self.starts[key] as usize..self.starts[key + 1] as usize];
            row.sort_unstable();
            for same in row.chunk_by(|a, b| a == b) {
                cells.push(Cell { key: (first + key) as u32, response: same[0], shared: same.len() as u32 });
            }
        }
    }
}
