//! Numbers for names that are stored elsewhere.

use std::collections::BTreeMap;
use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// Gives equal names equal numbers. The names are not stored, so that each costs a few bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameNumbers {
    /// Each number with 32 bits of the hash of its name: most other names are recognised without a look at them, and the
    /// table grows without a look at any.
    numbers: HashTable<(u32, u32)>,
}

impl NameNumbers {
    /// The number of `name`; `next` if it is new. `name_of` gives the names that are numbered.
    pub(crate) fn number<'n>(&mut self, name: &str, next: u32, name_of: impl Fn(u32) -> &'n str) -> u32 {
        let hash = short_hash(name);
        let same = |&(number, other): &(u32, u32)| other == hash && name_of(number) == name;
        self.numbers.entry(spread(hash), same, |&(_, hash)| spread(hash)).or_insert((next, hash)).get().0
    }
}

/// 32 bits of the hash of a name.
fn short_hash(name: &str) -> u32 {
    (FxBuildHasher.hash_one(name) >> 32) as u32
}

/// A hash of 64 bits for a table, which uses the first and the last of them.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The number of names that are looked at together: with their table they fit the cache of a core.
const PART: usize = 1 << 15;

/// More parts would slow down the pass that distributes the names.
const MOST_PARTS: usize = 1 << 12;

/// For each of `count` names the place of the first that is equal.
///
/// A table of all names waits for memory at nearly every step. Here names are first distributed by hash over parts that
/// fit the cache; a part has the places of its names with 32 bits of the hash, and only names whose bits are equal are
/// compared, one after another without waiting for each other.
pub(crate) fn first_equal<'n>(count: u32, name_of: impl Fn(u32) -> &'n str) -> Vec<u32> {
    let parts = (count as usize / PART).next_power_of_two().clamp(1, MOST_PARTS);
    let hash_of = |place: u32| FxBuildHasher.hash_one(name_of(place));
    // Bits that the short hash does not have.
    let part_of =
        |hash: u64| ((u64::from((hash as u32).wrapping_mul(0x9E37_79B1)) * parts as u64) >> 32) as usize;
    let mut ends = vec![0_usize; parts + 1];
    (0..count).for_each(|place| ends[part_of(hash_of(place)) + 1] += 1);
    (0..parts).for_each(|part| ends[part + 1] += ends[part]);
    let mut next = ends.clone();
    let mut entries = vec![0_u64; count as usize];
    for place in 0..count {
        let hash = hash_of(place);
        let slot = &mut next[part_of(hash)];
        entries[*slot] = ((hash >> 32) << 32) | u64::from(place);
        *slot += 1;
    }
    let mut first: Vec<u32> = (0..count).collect();
    let mut work = Part::default();
    for part in 0..parts {
        work.settle(&entries[ends[part]..ends[part + 1]], &name_of, &mut first);
    }
    first
}

/// The memory of one part after another.
#[derive(Default)]
struct Part {
    /// For each hash the first entry; 0 is free, so places count from 1 here.
    table: Vec<u64>,
    /// Places with the first place of the same hash.
    alike: Vec<(u32, u32)>,
}

impl Part {
    /// Writes into `first` the first equal name of each entry, which are in order of their places.
    fn settle<'n>(&mut self, entries: &[u64], name_of: &impl Fn(u32) -> &'n str, first: &mut [u32]) {
        let slots = (2 * entries.len()).next_power_of_two().max(2);
        self.table.clear();
        self.table.resize(slots, 0);
        self.alike.clear();
        let shift = 64 - slots.trailing_zeros();
        for &entry in entries {
            let hash = entry >> 32;
            let mut slot = (hash.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> shift) as usize;
            loop {
                match self.table[slot] {
                    0 => {
                        // The place is below the largest number, so 1 more fits.
                        self.table[slot] = entry + 1;
                        break;
                    }
                    other if (other - 1) >> 32 == hash => {
                        self.alike.push((entry as u32, (other - 1) as u32));
                        break;
                    }
                    _ => slot = (slot + 1) & (slots - 1),
                }
            }
        }
        // Different names of one hash are equal among themselves at most.
        let mut others: BTreeMap<&str, u32> = BTreeMap::new();
        for &(place, before) in &self.alike {
            let name = name_of(place);
            first[place as usize] = match name == name_of(before) {
                true => before,
                false => *others.entry(name).or_insert(place),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn every_name_has_its_first_equal() {
        for (count, different) in [(0, 1), (1, 1), (10, 3), (1_000, 400), (200_000, 90_000)] {
            let names: Vec<String> =
                (0..count).map(|place: u64| format!("name {}", place * 7_919 % different)).collect();
            let mut known: HashMap<&str, u32> = HashMap::new();
            let wanted: Vec<u32> =
                (0..).zip(&names).map(|(place, name)| *known.entry(name).or_insert(place)).collect();
            assert_eq!(first_equal(count as u32, |place| &names[place as usize]), wanted);
            let mut numbers = NameNumbers::default();
            let numbered: Vec<u32> = (0..)
                .zip(&names)
                .map(|(place, name)| numbers.number(name, place, |place| &names[place as usize]))
                .collect();
            assert_eq!(numbered, wanted);
        }
    }

    /// Entries of one hash, whose names are different: the first in the table, others equal among themselves.
    #[test]
    fn names_of_one_hash_are_kept_apart() {
        let names = ["a", "b", "a", "c", "b", "c", "d"];
        let entries: Vec<u64> = (0..names.len() as u64).map(|place| (5 << 32) | place).collect();
        let mut first: Vec<u32> = (0..names.len() as u32).collect();
        Part::default().settle(&entries, &|place| names[place as usize], &mut first);
        assert_eq!(first, [0, 1, 0, 3, 1, 3, 6]);
    }
}
