//! Finds entities by name while a document is read.

use rustc_hash::FxHashMap;

/// The entities of a document by name. Looks up short names, the most frequent, as one number.
#[derive(Default)]
pub(super) struct EntityIndex {
    short: FxHashMap<u64, u32>,
    long: FxHashMap<Box<[u8]>, u32>,
}

impl EntityIndex {
    /// Returns the entity called `name`.
    #[inline]
    pub(super) fn get(&self, name: &[u8]) -> Option<u32> {
        match packed(name) {
            Some(name) => self.short.get(&name).copied(),
            None => self.long.get(name).copied(),
        }
    }

    pub(super) fn insert(&mut self, name: &[u8], entity: u32) {
        match packed(name) {
            Some(name) => self.short.insert(name, entity),
            None => self.long.insert(Box::from(name), entity),
        };
    }

    /// Removes all names and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.short.clear();
        self.long.clear();
    }
}

/// Packs a name of one to seven bytes and its length into a number. The number is composed of
/// pieces that may overlap, so that no loop over bytes is needed.
#[inline(always)]
fn packed(name: &[u8]) -> Option<u64> {
    let length = name.len();
    let text = match (name.first_chunk::<4>(), name.last_chunk::<4>()) {
        (Some(first), Some(last)) if length < 8 => {
            let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
            u64::from(first) | u64::from(last) << (8 * (length - 4))
        }
        (None, _) if length > 0 => {
            let byte = |place: usize| u64::from(name[place]) << (8 * place);
            byte(0) | byte(length / 2) | byte(length - 1)
        }
        _ => return None,
    };
    Some(text | (length as u64) << 56)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_every_length_get_distinct_numbers() {
        let mut names = EntityIndex::default();
        let all: Vec<String> = (0..12)
            .flat_map(|length| {
                ["abcdefghijkl", "abcdefghijk\0", "bbcdefghijkl"].map(|name| name[..length].to_owned())
            })
            .chain((0..20_000).map(|number| format!("e{number}")))
            .collect();
        let mut distinct = all.clone();
        distinct.sort();
        distinct.dedup();
        for (entity, name) in (0..).zip(&distinct) {
            assert_eq!(names.get(name.as_bytes()), None, "{name}");
            names.insert(name.as_bytes(), entity);
        }
        for (entity, name) in (0..).zip(&distinct) {
            assert_eq!(names.get(name.as_bytes()), Some(entity), "{name}");
        }
        names.clear();
        assert_eq!(names.get(b"e1"), None);
    }
}
