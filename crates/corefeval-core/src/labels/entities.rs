//! Numbers for the entities of a side, with the number of mentions of each.

use corefeval_system::memory::{fetch, zeros};
use hashbrown::HashTable;

use super::names::{SHORT, hash, mixed, short};

/// The entities of a side, numbered in the order in which they occur.
pub(super) struct Entities {
    count: u32,
    /// Short names as numbers, each followed by the number of the entity and that of its mentions; a name of 0 is free.
    slots: Vec<u64>,
    /// The short names.
    taken: usize,
    /// Other names: their hashes and places.
    long: HashTable<Long>,
    text: Vec<u8>,
}

struct Long {
    hash: u64,
    start: usize,
    length: u32,
    number: u32,
    mentions: u32,
}

/// A name that was looked at once.
#[derive(Clone, Copy)]
pub(super) struct Looked {
    /// The short name as a number, or 0.
    name: u64,
    hash: u64,
}

impl Entities {
    pub(super) fn new() -> Entities {
        Entities { count: 0, slots: zeros(1 << 11), taken: 0, long: HashTable::new(), text: Vec::new() }
    }

    /// Has a name's place in the table fetched, for [`number`](Self::number).
    #[inline]
    pub(super) fn look(&self, name: &[u8]) -> Looked {
        if name.len() > SHORT {
            return Looked { name: 0, hash: hash(name) };
        }
        let name = short(name);
        let hash = mixed(name);
        fetch(&self.slots, 2 * self.slot(hash));
        Looked { name, hash }
    }

    #[inline]
    fn slot(&self, hash: u64) -> usize {
        // The number of slots is a power of two.
        hash as usize & (self.slots.len() / 2 - 1)
    }

    /// The number of the entity with a name, which gets a further mention. `None` if there are too many entities.
    #[inline]
    pub(super) fn number(&mut self, name: &[u8], looked: Looked) -> Option<u32> {
        if looked.name == 0 {
            return self.number_long(name, looked.hash);
        }
        let mut slot = self.slot(looked.hash);
        loop {
            let found = &mut self.slots[2 * slot..2 * slot + 2];
            if found[0] == looked.name {
                found[1] += 1 << 32;
                return Some(found[1] as u32);
            }
            if found[0] == 0 {
                let number = self.count;
                found.copy_from_slice(&[looked.name, u64::from(number) | 1 << 32]);
                self.taken += 1;
                if 4 * self.taken > 3 * (self.slots.len() / 2) {
                    self.grow();
                }
                return self.next();
            }
            slot = (slot + 1) & (self.slots.len() / 2 - 1);
        }
    }

    fn next(&mut self) -> Option<u32> {
        let number = self.count;
        self.count = self.count.checked_add(1)?;
        Some(number)
    }

    #[cold]
    fn grow(&mut self) {
        let larger = zeros(2 * self.slots.len());
        let before = std::mem::replace(&mut self.slots, larger);
        let last = self.slots.len() / 2 - 1;
        let (pairs, _) = before.as_chunks::<2>();
        for pair in pairs.iter().filter(|pair| pair[0] != 0) {
            let mut slot = self.slot(mixed(pair[0]));
            while self.slots[2 * slot] != 0 {
                slot = (slot + 1) & last;
            }
            self.slots[2 * slot..2 * slot + 2].copy_from_slice(pair);
        }
    }

    fn number_long(&mut self, name: &[u8], hash: u64) -> Option<u32> {
        let Entities { long, text, .. } = self;
        let same = |other: &Long| {
            other.hash == hash && text[other.start..other.start + other.length as usize] == *name
        };
        if let Some(found) = long.find_mut(hash, same) {
            found.mentions = found.mentions.checked_add(1)?;
            return Some(found.number);
        }
        let (start, length, number) = (text.len(), u32::try_from(name.len()).ok()?, self.count);
        text.extend_from_slice(name);
        long.insert_unique(hash, Long { hash, start, length, number, mentions: 1 }, |other| other.hash);
        self.next()
    }

    /// The number of mentions of each entity.
    pub(super) fn sizes(self) -> Vec<u32> {
        let mut sizes: Vec<u32> = zeros(self.count as usize);
        let (pairs, _) = self.slots.as_chunks::<2>();
        for pair in pairs.iter().filter(|pair| pair[0] != 0) {
            sizes[pair[1] as u32 as usize] = (pair[1] >> 32) as u32;
        }
        self.long.iter().for_each(|long| sizes[long.number as usize] = long.mentions);
        sizes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_are_numbered_and_counted_as_in_a_map() {
        let mut entities = Entities::new();
        let (mut known, mut sizes) = (std::collections::HashMap::new(), Vec::new());
        for number in 0..50_000_u32 {
            let name = match number % 3 {
                0 => format!("{}", number / 5),
                1 => format!("entity {}", number % 1000),
                _ => format!("e{}", number % 7),
            };
            let next = known.len() as u32;
            let wanted = *known.entry(name.clone()).or_insert(next);
            sizes.resize(known.len(), 0);
            sizes[wanted as usize] += 1;
            let looked = entities.look(name.as_bytes());
            assert_eq!(entities.number(name.as_bytes(), looked), Some(wanted), "{name}");
        }
        assert_eq!(entities.sizes(), sizes);
    }
}
