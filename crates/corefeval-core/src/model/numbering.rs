//! Numbers names that are stored elsewhere.

use std::collections::BTreeMap;
use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use super::words::TextColumn;

/// Assigns equal numbers to equal names. The names are not stored, so each costs only a few bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameNumbers {
    /// Each number with 32 bits of the hash of its name. The bits exclude most other names without comparing them, and
    /// the table can grow without reading any name.
    numbers: HashTable<(u32, u32)>,
}

impl NameNumbers {
    /// Returns the number of `name`, which is `next` if the name is new. `name_of` returns the name with a given
    /// number.
    pub(crate) fn number<'n>(&mut self, name: &str, next: u32, name_of: impl Fn(u32) -> &'n str) -> u32 {
        let hash = short_hash(name);
        let same = |&(number, other): &(u32, u32)| other == hash && name_of(number) == name;
        self.numbers.entry(spread(hash), same, |&(_, hash)| spread(hash)).or_insert((next, hash)).get().0
    }

    /// Returns the number of `name` if it has one.
    pub(crate) fn find<'n>(&self, name: &str, name_of: impl Fn(u32) -> &'n str) -> Option<u32> {
        let hash = short_hash(name);
        let same = |&(number, other): &(u32, u32)| other == hash && name_of(number) == name;
        self.numbers.find(spread(hash), same).map(|known| known.0)
    }
}

/// Returns 32 bits of the hash of a name.
fn short_hash(name: &str) -> u32 {
    (FxBuildHasher.hash_one(name) >> 32) as u32
}

/// Spreads a short hash over 64 bits for a table, which uses the first and the last of them.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The number of names that are processed together. With their text and table, they fit the cache of a core.
const PART: usize = 1 << 14;

/// The maximum number of parts. More parts would slow down the pass that distributes the names.
const MOST_PARTS: usize = 1 << 12;

/// Returns, for each of `count` names, the place of the first name that is equal to it.
///
/// With a single table of all names, nearly every lookup would wait for memory. Names are therefore first copied by
/// hash into parts that fit the cache; equal names are then found within each part.
pub(crate) fn first_equal<'n>(count: u32, name_of: impl Fn(u32) -> &'n str) -> Vec<u32> {
    let parts = (count as usize / PART).next_power_of_two().clamp(1, MOST_PARTS);
    let hash_of = |name: &str| FxBuildHasher.hash_one(name);
    // The part depends on bits that are not in the short hash.
    let part_of =
        |hash: u64| ((u64::from((hash as u32).wrapping_mul(0x9E37_79B1)) * parts as u64) >> 32) as usize;
    // First the number of names and of their bytes in each part, then the start of each part, and finally the place
    // where it continues.
    let mut next = vec![(0_usize, 0_usize); parts + 1];
    for place in 0..count {
        let name = name_of(place);
        let size = &mut next[part_of(hash_of(name))];
        *size = (size.0 + 1, size.1 + name.len());
    }
    let mut begin = (0, 0);
    for size in &mut next {
        (*size, begin) = (begin, (begin.0 + size.0, begin.1 + size.1));
    }
    let mut entries = vec![NumberedName::default(); count as usize];
    let mut text = vec![0_u8; begin.1];
    for place in 0..count {
        let name = name_of(place);
        let hash = hash_of(name);
        let (entry, byte) = &mut next[part_of(hash)];
        entries[*entry] = NumberedName { hash: (hash >> 32) as u32, place, length: name.len() as u32 };
        text[*byte..*byte + name.len()].copy_from_slice(name.as_bytes());
        (*entry, *byte) = (*entry + 1, *byte + name.len());
    }
    let mut first: Vec<u32> = (0..count).collect();
    let mut work = PartMemory::default();
    let mut begin = (0, 0);
    for &end in &next[..parts] {
        work.settle(&entries[begin.0..end.0], &text[begin.1..end.1], &mut first);
        begin = end;
    }
    first
}

/// A name in its part.
#[derive(Clone, Copy, Default)]
struct NumberedName {
    /// 32 bits of the hash of the name.
    hash: u32,
    place: u32,
    length: u32,
}

/// Working memory that is reused for one part after another.
#[derive(Default)]
struct PartMemory {
    /// The number of the first entry for each hash, from 1; 0 if the slot is free.
    table: Vec<(u32, u32)>,
    /// The start of each entry's name.
    starts: Vec<u32>,
}

impl PartMemory {
    /// Writes the place of the first equal name of each entry into `first`. The entries are in the order of their
    /// places, and `text` contains their names one after another.
    fn settle(&mut self, entries: &[NumberedName], text: &[u8], first: &mut [u32]) {
        let slots = (2 * entries.len()).next_power_of_two().max(2);
        self.table.clear();
        self.table.resize(slots, (0, 0));
        self.starts.clear();
        let shift = 64 - slots.trailing_zeros();
        // Names that differ from the first name with the same hash.
        let mut others: BTreeMap<&[u8], u32> = BTreeMap::new();
        let mut rest = text;
        for (number, entry) in (1..).zip(entries) {
            self.starts.push((text.len() - rest.len()) as u32);
            let name;
            (name, rest) = rest.split_at(entry.length as usize);
            let mut slot = (spread(entry.hash) >> shift) as usize;
            loop {
                match self.table[slot] {
                    (_, 0) => {
                        self.table[slot] = (entry.hash, number);
                        break;
                    }
                    (hash, other) if hash == entry.hash => {
                        let other = other as usize - 1;
                        let same = name.len() == entries[other].length as usize
                            && text[self.starts[other] as usize..].starts_with(name);
                        first[entry.place as usize] = match same {
                            true => entries[other].place,
                            false => *others.entry(name).or_insert(entry.place),
                        };
                        break;
                    }
                    _ => slot = (slot + 1) & (slots - 1),
                }
            }
        }
    }
}

/// The names of a growing list, most of which repeat others, with their numbers in order of first occurrence.
///
/// New names wait until there are as many as numbered ones. Then [`first_equal`] numbers all waiting names together.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameList {
    waiting: TextColumn,
}

impl NameList {
    /// The minimum number of waiting names, and the maximum number of their bytes.
    const FEW: (usize, u64) = (1 << 22, 1 << 30);

    /// Adds a name after the `numbered` ones and the waiting ones, and returns its place among all of them. A name
    /// that equals the previous one is not added again and has the same place.
    pub(crate) fn push(&mut self, name: &str, numbered: usize) -> usize {
        let last = self.waiting.len().checked_sub(1);
        if last.is_none_or(|last| self.waiting.get(last) != Some(name)) {
            self.waiting.push(name);
        }
        numbered + self.waiting.len() - 1
    }

    /// Returns whether [`settle`](Self::settle) must be called before a name of this length is added.
    pub(crate) fn is_full(&self, numbered: usize, length: usize) -> bool {
        let (few, bytes) = NameList::FEW;
        self.waiting.len() >= few.max(numbered) || self.waiting.bytes() + length as u64 > bytes
    }

    /// Appends the new names to the `numbered` ones, which are distinct, and returns the numbers by place.
    pub(crate) fn settle<N: AsRef<str> + for<'n> From<&'n str>>(
        &mut self,
        numbered: &mut Vec<N>,
    ) -> Vec<u32> {
        let (known, waiting) = (numbered.len(), std::mem::take(&mut self.waiting));
        let mut numbers = first_equal((known + waiting.len()) as u32, |place| {
            let place = place as usize;
            match numbered.get(place) {
                Some(name) => name.as_ref(),
                None => waiting.get(place - known).unwrap_or_default(),
            }
        });
        for place in known..numbers.len() {
            let first = numbers[place] as usize;
            if first == place {
                numbers[place] = numbered.len() as u32;
                numbered.push(waiting.get(place - known).unwrap_or_default().into());
            } else {
                numbers[place] = numbers[first];
            }
        }
        numbers
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

    /// Tests entries with the same hash and different names: one equals the first in the table, others are equal.
    #[test]
    fn different_names_with_one_hash_have_different_numbers() {
        let names = ["a", "bc", "a", "c", "bc", "c", "d", ""];
        let entries: Vec<NumberedName> = (0..)
            .zip(names)
            .map(|(place, name)| NumberedName { hash: 5, place, length: name.len() as u32 })
            .collect();
        let mut first: Vec<u32> = (0..names.len() as u32).collect();
        PartMemory::default().settle(&entries, names.concat().as_bytes(), &mut first);
        assert_eq!(first, [0, 1, 0, 3, 1, 3, 6, 7]);
    }

    #[test]
    fn a_list_numbers_its_names_in_order_whenever_it_is_settled() {
        let names: Vec<String> = (0..1_000_u64).map(|place| format!("{}", place * 7_919 % 90 / 2)).collect();
        let mut wanted: Vec<&str> = Vec::new();
        for name in &names {
            if !wanted.contains(&name.as_str()) {
                wanted.push(name);
            }
        }
        for every in [1, 7, 1_000] {
            let (mut list, mut known) = (NameList::default(), Vec::<String>::new());
            for some in names.chunks(every) {
                let places: Vec<usize> = some.iter().map(|name| list.push(name, known.len())).collect();
                let numbers = list.settle(&mut known);
                for (place, name) in places.into_iter().zip(some) {
                    assert_eq!(known[numbers[place] as usize], *name);
                }
            }
            assert_eq!(known, wanted);
        }
        assert!(!NameList::default().is_full(0, 0));
    }
}
