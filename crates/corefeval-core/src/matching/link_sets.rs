//! Counts links as sets, for BLANC when a side annotates a mention more than once.
//!
//! The reference scorer gives all copies of a mention one number and keeps the links between numbers in sets. Two
//! copies in one entity form a coreference link from the mention to itself. Copies in two entities form a
//! non-coreference link to itself. A link that several entities contain is one link.
//!
//! Links are never listed. The pairs of mentions that share an entity are counted by inclusion and exclusion
//! over the entities of each mention, nearly always one. Mentions that are annotated in more than [`MANY`]
//! entities are compared with all other repeated mentions.

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
    /// The number of mentions that both sides have: in total, by response entity, and, for mentions in one key entity,
    /// by that entity and by both.
    common: u64,
    by_response: BTreeMap<u32, u64>,
    by_key: BTreeMap<u32, u64>,
    by_cell: BTreeMap<(u32, u32), u64>,
}

impl SetLinksBuilder {
    /// Adds a mention, given by the entities of its copies, ascending. A mention that both sides have has
    /// one copy in the response.
    pub(super) fn add(&mut self, key: &[u32], response: &[u32]) {
        self.key.add(key);
        self.response.add(response);
        let (Some(&entity), false) = (response.first(), key.is_empty()) else { return };
        self.both.add(entity, &distinct(key));
        self.common += 1;
        *self.by_response.entry(entity).or_default() += 1;
        if let [only] = distinct(key)[..] {
            *self.by_key.entry(only).or_default() += 1;
            *self.by_cell.entry((only, entity)).or_default() += 1;
        }
    }

    pub(super) fn finish(self) -> SetLinks {
        let sum = |counts: &mut dyn Iterator<Item = &u64>| counts.map(|&count| pairs(count)).sum::<u64>();
        // All pairs are separate in the key except those that share exactly one entity.
        let alone = sum(&mut self.by_key.values()) - sum(&mut self.by_cell.values());
        SetLinks {
            together: SetCounts {
                key: self.key.together(),
                response: self.response.together(),
                shared: self.both.meeting(),
            },
            apart: SetCounts {
                key: self.key.apart(),
                response: self.response.apart(),
                shared: pairs(self.common) - sum(&mut self.by_response.values()) - alone,
            },
        }
    }
}

/// The links of one side.
#[derive(Default)]
struct SideLinks {
    holders: Holders,
    mentions: u64,
    /// The number of mentions with only one entity, by entity.
    alone: BTreeMap<u32, u64>,
    /// The number of mentions with several copies in one entity, and with copies in several entities.
    linked_to_itself: u64,
    apart_from_itself: u64,
}

impl SideLinks {
    fn add(&mut self, copies: &[u32]) {
        let entities = distinct(copies);
        let Some(&first) = entities.first() else { return };
        self.mentions += 1;
        self.linked_to_itself += u64::from(entities.len() < copies.len());
        match entities.len() {
            1 => *self.alone.entry(first).or_default() += 1,
            _ => self.apart_from_itself += 1,
        }
        self.holders.add(0, &entities);
    }

    fn together(&self) -> u64 {
        self.holders.meeting() + self.linked_to_itself
    }

    fn apart(&self) -> u64 {
        pairs(self.mentions) - self.alone.values().map(|&count| pairs(count)).sum::<u64>()
            + self.apart_from_itself
    }
}

/// The number of entities of a mention up to which all sets of entities are counted.
const MANY: usize = 8;

/// Mentions by the entities that contain them, within groups.
#[derive(Default)]
struct Holders {
    /// The number of mentions in all entities of a set, for each group and set.
    sets: BTreeMap<(u32, Vec<u32>), u64>,
    /// The number of mentions with only one entity, by group and entity.
    alone: BTreeMap<(u32, u32), u64>,
    /// By group, the mentions of several entities, and the mentions of more than [`MANY`] entities.
    several: BTreeMap<u32, Vec<Vec<u32>>>,
    many: BTreeMap<u32, Vec<Vec<u32>>>,
}

impl Holders {
    fn add(&mut self, group: u32, entities: &[u32]) {
        if let [only] = entities {
            *self.alone.entry((group, *only)).or_default() += 1;
        }
        if entities.len() > MANY {
            return self.many.entry(group).or_default().push(entities.to_vec());
        }
        if entities.len() > 1 {
            self.several.entry(group).or_default().push(entities.to_vec());
        }
        for chosen in 1..1_u32 << entities.len() {
            let set = entities.iter().enumerate().filter(|(place, _)| chosen >> place & 1 == 1);
            *self.sets.entry((group, set.map(|(_, &entity)| entity).collect())).or_default() += 1;
        }
    }

    /// Returns the number of pairs of mentions of one group that share an entity.
    fn meeting(&self) -> u64 {
        let (mut even, mut odd) = (0, 0);
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
                let alone = entities.iter().filter_map(|&entity| self.alone.get(&(*group, entity)));
                meeting += alone.sum::<u64>();
            }
        }
        meeting
    }
}

/// Returns the distinct entities of copies.
fn distinct(copies: &[u32]) -> Vec<u32> {
    let mut entities = copies.to_vec();
    entities.dedup();
    entities
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
