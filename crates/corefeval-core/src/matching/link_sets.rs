//! Counts links as sets, for BLANC when a side annotates a mention more than once.
//!
//! The reference scorer gives all copies of a mention one number and keeps the links between numbers in sets. Two
//! copies in one entity form a coreference link from the mention to itself. Copies in two entities form a
//! non-coreference link to itself. A link that several entities contain is one link.
//!
//! Links are never listed. The pairs of mentions that share an entity are counted by inclusion and exclusion
//! over the entities of each mention, nearly always one. Mentions that are annotated in more than [`MANY`]
//! entities are compared with all other repeated mentions. Occurrences are counted by sorting them, because there may be
//! millions, and all but a few belong to mentions of one entity.

use std::borrow::Cow;
use std::collections::BTreeMap;

use corefeval_metrics::aligned::{SetCounts, SetLinks};
use corefeval_metrics::overlap::pairs;

/// Adds up the links of one document, mention by mention.
#[derive(Default)]
pub(super) struct SetLinksBuilder {
    key: SideLinks,
    response: SideLinks,
    /// The mentions that both sides have, by response entity.
    both: Holders,
    /// The response entity of each mention that both sides have.
    by_response: Occurrences,
    /// The key entity of each mention that both sides have, if it has only one, and its entities on both sides.
    by_key: Occurrences,
    by_cell: Occurrences,
}

impl SetLinksBuilder {
    /// Adds a mention, given by the entities of its copies, ascending. A mention that both sides have has
    /// one copy in the response.
    pub(super) fn add(&mut self, key: &[u32], response: &[u32]) {
        self.key.add(key);
        self.response.add(response);
        let (Some(&entity), false) = (response.first(), key.is_empty()) else { return };
        let entities = distinct(key);
        self.both.add(entity, &entities);
        self.by_response.add(0, entity);
        if let [only] = entities[..] {
            self.by_key.add(0, only);
            self.by_cell.add(only, entity);
        }
    }

    pub(super) fn finish(self) -> SetLinks {
        let common = self.by_response.0.len() as u64;
        // All pairs are separate in the key except those that share exactly one entity.
        let alone = self.by_key.sorted().equal_pairs() - self.by_cell.sorted().equal_pairs();
        let apart = pairs(common) - self.by_response.sorted().equal_pairs() - alone;
        let [key, response] = [self.key, self.response].map(SideLinks::together_and_apart);
        let counts = |half: usize, shared| SetCounts { key: key[half], response: response[half], shared };
        SetLinks { together: counts(0, self.both.meeting()), apart: counts(1, apart) }
    }
}

/// Pairs of numbers, each as often as it occurs.
#[derive(Default)]
struct Occurrences(Vec<u64>);

/// Occurrences in ascending order.
struct SortedOccurrences(Vec<u64>);

impl Occurrences {
    fn add(&mut self, one: u32, other: u32) {
        self.0.push(u64::from(one) << 32 | u64::from(other));
    }

    fn sorted(mut self) -> SortedOccurrences {
        self.0.sort_unstable();
        SortedOccurrences(self.0)
    }
}

impl SortedOccurrences {
    /// Returns the number of pairs of equal occurrences.
    fn equal_pairs(&self) -> u64 {
        self.0.chunk_by(|a, b| a == b).map(|equal| pairs(equal.len() as u64)).sum()
    }

    /// Returns how often a pair occurs.
    fn count(&self, one: u32, other: u32) -> u64 {
        let number = u64::from(one) << 32 | u64::from(other);
        let from = &self.0[self.0.partition_point(|&occurrence| occurrence < number)..];
        from.partition_point(|&occurrence| occurrence == number) as u64
    }
}

/// The links of one side.
#[derive(Default)]
struct SideLinks {
    holders: Holders,
    mentions: u64,
    /// The number of mentions with several copies in one entity, and with copies in several entities.
    linked_to_itself: u64,
    apart_from_itself: u64,
}

impl SideLinks {
    fn add(&mut self, copies: &[u32]) {
        let entities = distinct(copies);
        if entities.is_empty() {
            return;
        }
        self.mentions += 1;
        self.linked_to_itself += u64::from(entities.len() < copies.len());
        self.apart_from_itself += u64::from(entities.len() > 1);
        self.holders.add(0, &entities);
    }

    /// Returns the numbers of coreference links and of non-coreference links.
    fn together_and_apart(self) -> [u64; 2] {
        let SideLinks { holders, mentions, linked_to_itself, apart_from_itself } = self;
        let holders = holders.sorted();
        let apart = pairs(mentions) - holders.alone.equal_pairs();
        [holders.meeting() + linked_to_itself, apart + apart_from_itself]
    }
}

/// The number of entities of a mention up to which all sets of entities are counted.
const MANY: usize = 8;

/// Mentions by the entities that contain them, within groups.
#[derive(Default)]
struct Holders<O = Occurrences> {
    /// The group and the entity of each mention with only one.
    alone: O,
    /// The group and each entity of mentions with several, up to [`MANY`], and of mentions with only one.
    single: O,
    /// The number of mentions in all entities of a set, for each group and set of two or more.
    sets: BTreeMap<(u32, Vec<u32>), u64>,
    /// By group, the mentions of several entities, and the mentions of more than [`MANY`] entities.
    several: BTreeMap<u32, Vec<Vec<u32>>>,
    many: BTreeMap<u32, Vec<Vec<u32>>>,
}

impl Holders {
    fn add(&mut self, group: u32, entities: &[u32]) {
        if let [only] = entities {
            self.alone.add(group, *only);
            return self.single.add(group, *only);
        }
        if entities.len() > MANY {
            return self.many.entry(group).or_default().push(entities.to_vec());
        }
        self.several.entry(group).or_default().push(entities.to_vec());
        for chosen in 1..1_u32 << entities.len() {
            let set = entities.iter().enumerate().filter(|(place, _)| chosen >> place & 1 == 1);
            let set: Vec<u32> = set.map(|(_, &entity)| entity).collect();
            match set[..] {
                [only] => self.single.add(group, only),
                _ => *self.sets.entry((group, set)).or_default() += 1,
            }
        }
    }

    fn sorted(self) -> Holders<SortedOccurrences> {
        let Holders { alone, single, sets, several, many } = self;
        Holders { alone: alone.sorted(), single: single.sorted(), sets, several, many }
    }

    /// Returns the number of pairs of mentions of one group that share an entity.
    fn meeting(self) -> u64 {
        self.sorted().meeting()
    }
}

impl Holders<SortedOccurrences> {
    /// Returns the number of pairs of mentions of one group that share an entity.
    fn meeting(&self) -> u64 {
        let (mut even, mut odd) = (0, self.single.equal_pairs());
        for ((_, set), &count) in &self.sets {
            *(if set.len() % 2 == 0 { &mut even } else { &mut odd }) += pairs(count);
        }
        let mut meeting = odd - even;
        for (group, many) in &self.many {
            let several = self.several.get(group).map_or(&[][..], Vec::as_slice);
            for (place, entities) in many.iter().enumerate() {
                let meets =
                    |other: &&Vec<u32>| other.iter().any(|entity| entities.binary_search(entity).is_ok());
                meeting += several.iter().chain(&many[..place]).filter(meets).count() as u64;
                meeting += entities.iter().map(|&entity| self.alone.count(*group, entity)).sum::<u64>();
            }
        }
        meeting
    }
}

/// Returns the distinct entities of copies.
fn distinct(copies: &[u32]) -> Cow<'_, [u32]> {
    if copies.len() < 2 {
        return copies.into();
    }
    let mut entities = copies.to_vec();
    entities.dedup();
    entities.into()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Lists the links of one side: coreference, then non-coreference.
    fn written_out(side: &[Vec<u32>]) -> [BTreeSet<(usize, usize)>; 2] {
        let mut links = [BTreeSet::new(), BTreeSet::new()];
        let copies: Vec<(usize, u32)> = (0..)
            .zip(side)
            .flat_map(|(mention, own)| own.iter().map(move |&entity| (mention, entity)))
            .collect();
        for (place, one) in copies.iter().enumerate() {
            for other in &copies[..place] {
                links[usize::from(one.1 != other.1)].insert((one.0.min(other.0), one.0.max(other.0)));
            }
        }
        links
    }

    #[test]
    fn sets_of_links_are_those_written_out() {
        let mut state = 7_u64;
        let mut below = |limit: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % limit
        };
        for round in 0..2000 {
            let entities = if round % 5 == 0 { 14 } else { 4 };
            let mut side = |most: u64| -> Vec<Vec<u32>> {
                let mut copies = || {
                    let number = if below(3) == 0 { below(most + 1) } else { below(2) };
                    let mut own: Vec<u32> = (0..number).map(|_| below(entities) as u32).collect();
                    own.sort_unstable();
                    own
                };
                (0..9).map(|_| copies()).collect()
            };
            let (key, mut response) = (side(13), side(3));
            for (ours, theirs) in key.iter().zip(&mut response) {
                if !ours.is_empty() {
                    theirs.truncate(1);
                }
            }
            let mut builder = SetLinksBuilder::default();
            key.iter().zip(&response).for_each(|(ours, theirs)| builder.add(ours, theirs));
            let found = builder.finish();
            let (ours, theirs) = (written_out(&key), written_out(&response));
            for (half, counts) in [found.together, found.apart].into_iter().enumerate() {
                let wanted = SetCounts {
                    key: ours[half].len() as u64,
                    response: theirs[half].len() as u64,
                    shared: ours[half].intersection(&theirs[half]).count() as u64,
                };
                assert_eq!(counts, wanted, "{key:?} {response:?}");
            }
        }
    }
}
