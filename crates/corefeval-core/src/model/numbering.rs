//! Numbers for names that are stored elsewhere.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// Gives equal names equal numbers. The names are not stored, so that each costs a few bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameNumbers {
    numbers: HashTable<u32>,
}

impl NameNumbers {
    /// An empty table with room for `count` names.
    pub(crate) fn with_capacity(count: usize) -> NameNumbers {
        NameNumbers { numbers: HashTable::with_capacity(count) }
    }

    /// The number of `name`; `next` if it is new. `name_of` gives the names that are numbered.
    pub(crate) fn number<'n>(&mut self, name: &str, next: u32, name_of: impl Fn(u32) -> &'n str) -> u32 {
        let hash = |name: &str| FxBuildHasher.hash_one(name);
        let same = |&number: &u32| name_of(number) == name;
        *self.numbers.entry(hash(name), same, |&number| hash(name_of(number))).or_insert(next).get()
    }
}
