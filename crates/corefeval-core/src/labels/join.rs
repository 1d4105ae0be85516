//! Joins the mentions of both sides part by part, and counts the pairs of entities range by range.

use corefeval_metrics::aligned::AlignedEntities;
use corefeval_metrics::overlap::{Overlap, OverlapCell};
use corefeval_system::memory::with_room;

use super::CountedEntities;
use super::cells::{Cells, NewCells, cell_of};
use super::documents::DocumentOverlaps;
use super::name_codes::mixed;
use super::nearby::nearby;
use super::numbers::{CodedMention, NumberedSide, SideEntities, cell_left};
use super::parts::{RecordParts, WrittenParts};
use super::pool::Pool;
use super::rows::ByRow;
use crate::threads::side_by_side;

/// The number of key entities in a range, chosen so that its pairs fit the cache. It is larger if this would give too
/// many ranges.
const RANGE: usize = 1 << 13;

/// The maximum number of ranges.
const MOST_RANGES: usize = 1 << 12;

/// Tables with at least this many entities are renumbered, because their sizes do not fit the cache.
const MANY: usize = if cfg!(test) { 1 << 10 } else { 1 << 20 };

/// The size of a pair of entities in bytes.
const PAIR: usize = 8;

/// The pair of key and response entity of each shared mention, divided into ranges of key entities.
pub(super) struct Pairs {
    /// The pairs that each thread found.
    found: Vec<WrittenParts<PAIR>>,
    /// The number of key entities in a range, a power of two.
    range: usize,
}

/// Finds the mentions that both sides share. Fails if a side repeats a mention. Once a part is joined, the memory of
/// its response mentions is given back, and of its key mentions if this response `is_last`. Calls `step` after each
/// part.
pub(super) fn join(
    key: &NumberedSide,
    response: &NumberedSide,
    parts: usize,
    is_last: bool,
    pool: &Pool,
    threads: usize,
    step: impl Fn() + Sync,
) -> Result<Pairs, ByRow> {
    let entities = key.entities.numbered();
    let range = RANGE.max(entities.div_ceil(MOST_RANGES)).next_power_of_two();
    let jobs = threads.clamp(1, parts);
    let found = side_by_side(jobs, jobs, |job| {
        let mut pairs = RecordParts::new(pool, entities.div_ceil(range));
        let mut work = Work::default();
        for part in job * parts / jobs..(job + 1) * parts / jobs {
            work.gather(key, response, part);
            if is_last {
                key.give_back(part, pool);
            }
            response.give_back(part, pool);
            work.join(|key, response| {
                let record = u64::from(key) << 32 | u64::from(response);
                pairs.push(key as usize / range, &record.to_le_bytes());
            })?;
            step();
        }
        Ok(pairs.written())
    });
    Ok(Pairs { found: found.into_iter().collect::<Result<_, ByRow>>()?, range })
}

/// Working memory that is reused for one part after another.
#[derive(Default)]
struct Work {
    /// The mentions of the key, followed by the response's.
    mentions: Vec<CodedMention>,
    /// The number of key mentions.
    keys: usize,
    /// A hash table of mentions: the place in `mentions` plus one, and [`BOTH`]; 0 if the slot is free.
    slots: Vec<u32>,
}

/// The bit that marks the slot of a mention on both sides.
const BOTH: u32 = 1 << 31;

impl Work {
    /// Gathers the mentions of a part on both sides.
    fn gather(&mut self, key: &NumberedSide, response: &NumberedSide, part: usize) {
        self.mentions.clear();
        key.gather(part, &mut self.mentions);
        self.keys = self.mentions.len();
        response.gather(part, &mut self.mentions);
    }

    /// Calls `pair` with the entities of each shared mention.
    fn join(&mut self, mut pair: impl FnMut(u32, u32)) -> Result<(), ByRow> {
        let Work { mentions, keys, slots } = self;
        let count =
            u32::try_from(mentions.len()).ok().filter(|count| *count < BOTH / 2).ok_or(ByRow::Other)?;
        // At most three quarters of the slots are used.
        let last = (mentions.len() * 4 / 3 + 1).next_power_of_two() - 1;
        slots.clear();
        slots.resize(last + 1, 0);
        let is_of_key = |entry: u32| entry as usize <= *keys;
        for (entry, mention) in (1..=count).zip(mentions.iter()) {
            let code = mention.code();
            // The first bits of the hash are equal within the part.
            let mut place = mixed(code) as usize & last;
            loop {
                let slot = slots[place];
                if slot == 0 {
                    slots[place] = entry;
                    break;
                }
                let found = slot & !BOTH;
                let other = mentions[found as usize - 1];
                if other.code() == code {
                    // A key mention and a response mention form a pair, once. Otherwise a side repeats a mention.
                    let is_pair = is_of_key(found) && !is_of_key(entry) && slot & BOTH == 0;
                    if !is_pair {
                        return Err(ByRow::RepeatedMention);
                    }
                    slots[place] |= BOTH;
                    pair(other.entity(), mention.entity());
                    break;
                }
                place = (place + 1) & last;
            }
        }
        Ok(())
    }
}

impl Pairs {
    /// Counts equal pairs, by document if the numbers of documents of both sides are given. Renumbers the entities of
    /// large tables. If this response `is_last`, unused memory is returned to the system before more is allocated.
    pub(super) fn count(
        self,
        [mut key, mut response]: [SideEntities; 2],
        documents: Option<[usize; 2]>,
        is_last: bool,
        pool: &Pool,
        threads: usize,
    ) -> CountedEntities {
        let ranges = key.numbered().div_ceil(self.range);
        let jobs = threads.clamp(1, ranges.max(1));
        let counted = side_by_side(jobs, jobs, |job| {
            let mut cells = NewCells::new(pool);
            let mut work = RangeMemory::default();
            for range in job * ranges / jobs..(job + 1) * ranges / jobs {
                work.pairs.clear();
                for pairs in &self.found {
                    pairs.each(range, |pair| work.pairs.push(u64::from_le_bytes(*pair)));
                    pool.give_back(pairs.take(range));
                }
                work.count(range * self.range, self.range, |cell| {
                    cell_left(&key, &response, cell).into_iter().for_each(|cell| cells.push(cell));
                });
            }
            cells.written()
        });
        let cells = Cells::new(pool, counted);
        if is_last {
            pool.close();
        }
        if let Some(documents) = documents {
            return CountedEntities::ByDocument(DocumentOverlaps::new([key, response], documents, cells));
        }
        let [key_sizes, response_sizes] =
            [&mut key, &mut response].map(|side| std::mem::take(&mut side.sizes));
        drop([key, response]);
        if key_sizes.len() + response_sizes.len() < MANY {
            let mut all = with_room(cells.count());
            cells.take_runs(|run| all.extend(run.iter().map(cell_of)));
            return CountedEntities::whole(AlignedEntities::new(Overlap::of_cells(
                key_sizes, response_sizes, all,
            )));
        }
        let (overlap, components) = nearby(key_sizes, response_sizes, cells);
        let entities = AlignedEntities::new(overlap);
        // The other responses are scored later, and would keep their components in memory until then.
        CountedEntities::whole(if is_last { entities.with_components(components) } else { entities })
    }
}

/// Working memory that is reused for one range after another.
#[derive(Default)]
struct RangeMemory {
    pairs: Vec<u64>,
    starts: Vec<u32>,
    responses: Vec<u32>,
}

impl RangeMemory {
    /// Calls `see` with the cells of `range` key entities, starting with `first`; `pairs` contains their pairs.
    fn count(&mut self, first: usize, range: usize, mut see: impl FnMut(OverlapCell)) {
        let pairs = || self.pairs.iter().map(|&pair| ((pair >> 32) as usize - first, pair as u32));
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
                see(OverlapCell { key: (first + key) as u32, response: same[0], shared: same.len() as u32 });
            }
        }
    }
}
