//! Numbers keys of sixteen bytes, and texts, in blocks of lookups.
//!
//! A table of a million keys does not fit into the cache, so a lookup waits for memory. Each block is processed
//! twice: first the slots are touched, then the keys are looked up, so that many such waits overlap.

use rustc_hash::FxHashMap;

/// The usual number of keys in a block, whose data fits into the cache.
pub const BLOCK: usize = 1 << 10;

/// A table from keys to numbers in the order of their first occurrence.
#[derive(Default)]
pub struct KeyTable {
    /// By slot; zero for an empty slot.
    keys: Vec<u128>,
    /// The number of the key in the same slot.
    numbers: Vec<u32>,
    /// The number of the key zero.
    zero: Option<u32>,
    /// The number of keys.
    count: u32,
}

impl KeyTable {
    /// Passes the number of each key of a block to `take`. New keys are numbered from `next`, which is increased.
    pub fn number(&mut self, block: &[u128], next: &mut u32, mut take: impl FnMut(u32)) {
        self.reserve(block.len(), 2 * block.len());
        let mask = self.keys.len() - 1;
        // Touches the slots that the loop below uses.
        let near = block.iter().map(|&key| slot(key) & mask);
        std::hint::black_box(
            near.fold(0, |near, place| near ^ self.keys[place] as u64 ^ u64::from(self.numbers[place])),
        );
        for &key in block {
            if key == 0 {
                take(*self.zero.get_or_insert_with(|| {
                    *next += 1;
                    *next - 1
                }));
                continue;
            }
            let mut place = slot(key) & mask;
            while self.keys[place] != key && self.keys[place] != 0 {
                place = (place + 1) & mask;
            }
            if self.keys[place] == 0 {
                (self.keys[place], self.numbers[place]) = (key, *next);
                *next += 1;
                self.count += 1;
            }
            take(self.numbers[place]);
        }
    }

    /// Creates a table with room for this many keys.
    pub fn with_room(count: usize) -> KeyTable {
        let mut table = KeyTable::default();
        table.reserve(count, count);
        table
    }

    /// Makes room for `more` further keys with at most two thirds of the slots in use. If the table must grow, it makes room
    /// for `most` further keys.
    fn reserve(&mut self, more: usize, most: usize) {
        let slots = |keys: usize| (self.count as usize + keys).saturating_mul(3) / 2 + 1;
        if slots(more) <= self.keys.len() {
            return;
        }
        let size = slots(most).max(2 * self.keys.len()).next_power_of_two();
        let keys = std::mem::replace(&mut self.keys, vec![0; size]);
        let numbers = std::mem::replace(&mut self.numbers, vec![0; size]);
        for (key, number) in keys.into_iter().zip(numbers).filter(|(key, _)| *key != 0) {
            let mut place = slot(key) & (size - 1);
            while self.keys[place] != 0 {
                place = (place + 1) & (size - 1);
            }
            (self.keys[place], self.numbers[place]) = (key, number);
        }
    }
}

/// The slot of a key in a table of any size: the low bits depend on all bits of the key.
fn slot(key: u128) -> usize {
    let (low, high) = (key as u64 ^ 0x9E37_79B9_7F4A_7C15, (key >> 64) as u64 ^ 0xD1B5_4A32_D192_ED03);
    let product = u128::from(low) * u128::from(high);
    (product as u64 ^ (product >> 64) as u64) as usize
}

/// Numbers texts, which are compared by their bytes. Texts of up to fifteen bytes are in the table itself, so that a lookup
/// is one memory access.
#[derive(Default)]
pub struct TextTable {
    short: KeyTable,
    long: FxHashMap<Box<[u8]>, u32>,
    keys: Vec<u128>,
    next: u32,
}

impl TextTable {
    /// Creates a table with room for this many short texts.
    pub fn with_room(count: usize) -> TextTable {
        TextTable { short: KeyTable::with_room(count), ..TextTable::default() }
    }

    /// Adds the number of each text of a block. New texts are numbered in order.
    pub fn number(&mut self, texts: &[&[u8]], numbers: &mut Vec<u32>) {
        let mut rest = texts;
        while !rest.is_empty() {
            // A run of short texts, then a long one.
            let short = rest.iter().take_while(|text| text.len() < 16);
            self.keys.clear();
            self.keys.extend(short.map(|text| short_key(text)));
            self.short.number(&self.keys, &mut self.next, |number| numbers.push(number));
            rest = &rest[self.keys.len()..];
            if let Some((text, after)) = rest.split_first() {
                let number = match self.long.get(*text) {
                    Some(&number) => number,
                    None => {
                        self.long.insert((*text).into(), self.next);
                        self.next += 1;
                        self.next - 1
                    }
                };
                numbers.push(number);
                rest = after;
            }
        }
    }
}

/// The bytes of a text of fewer than sixteen bytes, followed by their number.
fn short_key(bytes: &[u8]) -> u128 {
    let length = bytes.len();
    // Two overlapping reads of a fixed size are faster than one of a variable size.
    let whole = if let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        let rest = u128::from(u64::from_le_bytes(*last)) << 64 >> (8 * (16 - length)) >> 64 << 64;
        u128::from(u64::from_le_bytes(*first)) | rest
    } else {
        let mut whole = [0; 16];
        whole[..length].copy_from_slice(bytes);
        u128::from_le_bytes(whole)
    };
    whole | (length as u128) << 120
}
