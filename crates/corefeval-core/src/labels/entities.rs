//! Numbers the entities of a side, and counts the mentions of each.

use corefeval_system::memory::{fetch, zeros};

use super::common::Divided;
use super::names::{SHORT, hash, mixed, short};

/// The entities of a side, numbered in the order in which they occur.
///
/// Names of up to sixteen bytes are stored in the tables themselves, as one or two numbers. For a longer name, the
/// table holds its hash and its place, and `text` holds the name.
pub(super) struct Entities {
    count: u32,
    /// Names of one word, each followed by its [`Count`].
    short: Slots<2>,
    /// Names of two words.
    middle: Slots<3>,
    /// The hash of a name, and its [`place`](place_of) in the text.
    long: Slots<3>,
    text: Vec<u8>,
}

/// The number of an entity in the lower half, and the number of its mentions in the upper half.
type Count = u64;

/// The value to add for one more mention.
const MENTION: Count = 1 << 32;

/// The length in bytes of the longest name that is stored as two numbers.
const MIDDLE: usize = 2 * SHORT;

/// The number of bits of a place that hold the length of the name.
const LENGTH: u32 = 20;

/// Returns the place of a name in the text: its start and its length in one number. Returns `None` for names and texts
/// that are too long.
fn place_of(start: usize, length: usize) -> Option<u64> {
    let start = u64::try_from(start).ok().filter(|start| *start < 1 << (64 - LENGTH))?;
    let length = u64::try_from(length).ok().filter(|length| *length < 1 << LENGTH)?;
    Some(start << LENGTH | length)
}

/// Returns the start and the length of the name at a place.
#[inline]
fn of_place(place: u64) -> (usize, usize) {
    ((place >> LENGTH) as usize, (place & ((1 << LENGTH) - 1)) as usize)
}

/// The numbers and the hash of a name, as computed by [`Entities::look`].
#[derive(Clone, Copy)]
pub(super) struct Looked {
    /// The name as numbers; 0 for a long name.
    words: [u64; 2],
    hash: u64,
}

impl Looked {
    fn is_long(self) -> bool {
        self.words[0] == 0
    }

    fn is_short(self) -> bool {
        self.words[1] == 0
    }
}

impl Entities {
    pub(super) fn new() -> Entities {
        let hash_of_two = |slot: &[u64; 3]| hash_of_words([slot[0], slot[1]]);
        Entities {
            count: 0,
            short: Slots::new(|slot| mixed(slot[0])),
            middle: Slots::new(hash_of_two),
            long: Slots::new(|slot| slot[0]),
            text: Vec::new(),
        }
    }

    /// Hashes a name, and prefetches its slot in the table for [`number`](Self::number).
    #[inline]
    pub(super) fn look(&self, name: &[u8]) -> Looked {
        if name.len() > MIDDLE {
            // A slot whose first word is 0 is free.
            let looked = Looked { words: [0; 2], hash: hash(name).max(1) };
            self.long.fetch(looked.hash);
            return looked;
        }
        if let Some((first, rest)) = name.split_at_checked(SHORT).filter(|(_, rest)| !rest.is_empty()) {
            let words = [short(first), short(rest)];
            let looked = Looked { words, hash: hash_of_words(words) };
            self.middle.fetch(looked.hash);
            return looked;
        }
        let name = short(name);
        let looked = Looked { words: [name, 0], hash: mixed(name) };
        self.short.fetch(looked.hash);
        looked
    }

    /// Prefetches the text of a long name, once its slot in the table has been fetched.
    #[inline]
    pub(super) fn approach(&self, looked: Looked) {
        if looked.is_long() {
            let (start, _) = of_place(self.long.first(looked.hash)[1]);
            fetch(&self.text, start);
        }
    }

    /// Counts a mention of the entity with this name, and returns the number of the entity. Returns `None` if there
    /// are too many entities or mentions, or if names are too long.
    #[inline]
    pub(super) fn number(&mut self, name: &[u8], looked: Looked) -> Option<u32> {
        let new = MENTION | u64::from(self.count);
        let Looked { words, hash } = looked;
        let counted = if looked.is_long() {
            let text = &mut self.text;
            let same = |slot: &[u64; 3], text: &[u8]| {
                let (start, length) = of_place(slot[1]);
                slot[0] == hash && length == name.len() && text[start..start + length] == *name
            };
            match self.long.find(hash, |slot| same(slot, text)) {
                Found::Known(slot) => add_mention(&mut slot[2])?,
                Found::Free(slot) => {
                    *slot = [hash, place_of(text.len(), name.len())?, new];
                    text.extend_from_slice(name);
                    self.long.taken()
                }
            }
        } else if looked.is_short() {
            match self.short.find(hash, |slot| slot[0] == words[0]) {
                Found::Known(slot) => add_mention(&mut slot[1])?,
                Found::Free(slot) => {
                    *slot = [words[0], new];
                    self.short.taken()
                }
            }
        } else {
            match self.middle.find(hash, |slot| [slot[0], slot[1]] == words) {
                Found::Known(slot) => add_mention(&mut slot[2])?,
                Found::Free(slot) => {
                    *slot = [words[0], words[1], new];
                    self.middle.taken()
                }
            }
        };
        if counted.is_some() {
            return counted;
        }
        self.count = self.count.checked_add(1)?;
        Some(new as u32)
    }

    /// Returns the number of mentions of each entity.
    pub(super) fn sizes(self) -> Vec<u32> {
        let mut sizes: Vec<u32> = zeros(self.count as usize);
        let mut put = |count: Count| sizes[count as u32 as usize] = (count >> 32) as u32;
        self.short.each(|slot| put(slot[1]));
        self.middle.each(|slot| put(slot[2]));
        self.long.each(|slot| put(slot[2]));
        sizes
    }

    /// Divides the entities by hash into `parts` parts.
    pub(super) fn divided(mut self, parts: usize) -> Divided {
        let mut divided = Divided::new(self.count, parts, std::mem::take(&mut self.text));
        self.short.each(|slot| divided.add_short(mixed(slot[0]), [slot[0], 0], slot[1]));
        self.middle.each(|slot| {
            let words = [slot[0], slot[1]];
            divided.add_short(hash_of_words(words), words, slot[2]);
        });
        self.long.each(|slot| divided.add_long(slot[0], of_place(slot[1]), slot[2]));
        divided
    }
}

/// Counts a mention of a known entity, and returns the number of the entity. Fails if there are too many mentions.
#[inline]
fn add_mention(count: &mut Count) -> Option<Option<u32>> {
    *count = count.checked_add(MENTION)?;
    Some(Some(*count as u32))
}

fn hash_of_words([first, second]: [u64; 2]) -> u64 {
    mixed(mixed(first) ^ second)
}

/// A hash table of slots of `W` words. Slots are probed one after another; a slot whose first word is 0 is free.
struct Slots<const W: usize> {
    words: Vec<u64>,
    /// The number of slots, which is a power of two, minus one.
    last: usize,
    taken: usize,
    hash: fn(&[u64; W]) -> u64,
}

/// The slot of a name, or the free slot where the name belongs.
enum Found<'s, const W: usize> {
    Known(&'s mut [u64; W]),
    Free(&'s mut [u64; W]),
}

impl<const W: usize> Slots<W> {
    fn new(hash: fn(&[u64; W]) -> u64) -> Slots<W> {
        const FIRST: usize = 1 << 10;
        Slots { words: zeros(W * FIRST), last: FIRST - 1, taken: 0, hash }
    }

    /// Prefetches the first slot for a hash.
    #[inline]
    fn fetch(&self, hash: u64) {
        fetch(&self.words, W * (hash as usize & self.last));
    }

    /// Returns the first slot of a hash.
    #[inline]
    fn first(&self, hash: u64) -> &[u64; W] {
        &self.words.as_chunks::<W>().0[hash as usize & self.last]
    }

    /// Finds the slot for this hash that `is_same` accepts, or the free slot where the hash belongs.
    #[inline]
    fn find(&mut self, hash: u64, is_same: impl Fn(&[u64; W]) -> bool) -> Found<'_, W> {
        let slots = self.words.as_chunks_mut::<W>().0;
        let mut place = hash as usize & self.last;
        while slots[place][0] != 0 && !is_same(&slots[place]) {
            place = (place + 1) & self.last;
        }
        let slot = &mut slots[place];
        if slot[0] == 0 { Found::Free(slot) } else { Found::Known(slot) }
    }

    /// Counts a free slot that was filled, and grows the table if it is too full. Always returns `None`.
    #[inline]
    fn taken(&mut self) -> Option<u32> {
        self.taken += 1;
        if 4 * self.taken > 3 * (self.last + 1) {
            self.grow();
        }
        None
    }

    #[cold]
    fn grow(&mut self) {
        let larger = zeros(2 * self.words.len());
        let before = std::mem::replace(&mut self.words, larger);
        self.last = 2 * self.last + 1;
        let slots = self.words.as_chunks_mut::<W>().0;
        for slot in before.as_chunks::<W>().0.iter().filter(|slot| slot[0] != 0) {
            let mut place = (self.hash)(slot) as usize & self.last;
            while slots[place][0] != 0 {
                place = (place + 1) & self.last;
            }
            slots[place] = *slot;
        }
    }

    /// Calls `see` with each slot that is in use.
    fn each(&self, see: impl FnMut(&[u64; W])) {
        self.words.as_chunks::<W>().0.iter().filter(|slot| slot[0] != 0).for_each(see);
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
            let name = match number % 5 {
                0 => format!("{}", number / 5),
                1 => format!("entity {}", number % 1000),
                2 => format!("an entity with a long name: {}", number % 5000),
                3 => format!("name {:011}", number / 7),
                _ => format!("e{}", number % 7),
            };
            let next = known.len() as u32;
            let wanted = *known.entry(name.clone()).or_insert(next);
            sizes.resize(known.len(), 0);
            sizes[wanted as usize] += 1;
            let looked = entities.look(name.as_bytes());
            entities.approach(looked);
            assert_eq!(entities.number(name.as_bytes(), looked), Some(wanted), "{name}");
        }
        assert_eq!(entities.sizes(), sizes);
    }
}
