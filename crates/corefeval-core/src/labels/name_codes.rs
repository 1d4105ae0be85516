//! Converts names to codes of 96 bits.
//!
//! The code of a name of up to twelve bytes consists of its bytes, so no two such names share a code. A longer name is
//! hashed. The probability that two of a hundred million different names have the same hash is less than 10⁻¹². Codes
//! depend on a key that differs from run to run, so that nobody can choose names with the same hash, or names that all
//! belong to one part or one slot of a table. Keeping the text of names would take twice the memory. In tables of several
//! documents, all names are hashed, with a key for each document, so that equal names in two documents differ.

use std::hash::{BuildHasher, RandomState};

/// The length in bytes of the longest name that is its own code.
const EXACT: usize = 12;

/// The size of a code in bytes.
pub(super) const NAME: usize = 12;

/// Converts the names of all compared tables to codes.
#[derive(Clone, Copy)]
pub(super) struct NameHasher {
    key: [u64; 2],
    /// The bits that differ between the bytes of a short name and its code.
    mask: u128,
}

impl NameHasher {
    /// Creates a hasher with a new key.
    pub(super) fn new() -> NameHasher {
        let random = RandomState::new();
        let [one, other, low, high] = [0, 1, 2, 3].map(|place| random.hash_one(place));
        NameHasher { key: [one, other], mask: u128::from(high as u32) << 64 | u128::from(low) }
    }

    /// Returns the code of a name without bytes of 0. It has [`NAME`] bytes.
    #[inline]
    pub(super) fn code(self, name: &[u8]) -> u128 {
        if name.len() <= EXACT { exact(name) ^ self.mask } else { self.hashed(name) }
    }

    /// Returns the hash of a name of more than [`EXACT`] bytes.
    #[inline]
    fn hashed(self, name: &[u8]) -> u128 {
        code_of(self.halves(name))
    }

    /// Returns two independent hashes of a name.
    #[inline]
    fn halves(self, name: &[u8]) -> [u64; 2] {
        let (words, _) = name.as_chunks::<8>();
        // The last bytes, some of which may already be in the words. A short name is a separate word.
        let last = name.last_chunk::<8>().copied().unwrap_or_else(|| (exact(name) as u64).to_le_bytes());
        let [mut one, mut other] = self.key;
        one ^= name.len() as u64;
        for word in words.iter().chain([&last]) {
            let word = u64::from_le_bytes(*word);
            one = fold(one ^ word, 0xA409_3822_299F_31D1);
            other = fold(other ^ word, 0xC0AC_29B7_C97C_50DD);
        }
        [one, other].map(|half| fold(half ^ 0x4528_21E6_38D0_1377, 0xBE54_66CF_34E9_0C6D))
    }

    /// Returns the hasher of the names in a document.
    pub(super) fn within(self, document: &[u8]) -> DocumentHasher {
        DocumentHasher(NameHasher { key: self.halves(document), mask: 0 })
    }
}

/// Converts the names of one document to codes.
#[derive(Clone, Copy)]
pub(super) struct DocumentHasher(NameHasher);

impl DocumentHasher {
    /// Returns the code of a name. It has [`NAME`] bytes.
    #[inline]
    pub(super) fn code(self, name: &[u8]) -> u128 {
        self.0.hashed(name)
    }
}

/// Returns the code of a name with these hashes.
#[inline]
fn code_of([one, other]: [u64; 2]) -> u128 {
    u128::from(other as u32) << 64 | u128::from(one)
}

/// Returns the bytes of a short name as a code. Bytes are read as two overlapping words, which takes less time than a
/// loop.
#[inline]
fn exact(bytes: &[u8]) -> u128 {
    let length = bytes.len();
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let [first, last] = [first, last].map(|word| u128::from(u64::from_le_bytes(*word)));
        return first | last << (8 * (length - 8));
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let [first, last] = [first, last].map(|word| u64::from(u32::from_le_bytes(*word)));
        return u128::from(first | last << (8 * (length - 4)));
    }
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u128::from(byte))
}

/// Mixes the bits of a code: a change of any bit changes about half the bits of the result.
#[inline]
pub(super) fn mixed(code: u128) -> u64 {
    fold(code as u64 ^ 0x243F_6A88_85A3_08D3, (code >> 64) as u64 ^ 0x9E37_79B9_7F4A_7C15)
}

/// Multiplies two numbers, and folds the two halves of the product together.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product >> 64) as u64 ^ product as u64
}

/// Returns the part that a hash belongs to, which its highest bits determine.
#[inline]
pub(super) fn part_of(hash: u64, parts: usize) -> usize {
    (((hash >> 32) * parts as u64) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const HASHER: NameHasher = NameHasher { key: [0x082E_FA98_EC4E_6C89, 0x1319_8A2E_0370_7344], mask: 0 };

    #[test]
    fn short_names_are_their_own_codes() {
        for length in 1..=EXACT {
            let bytes: Vec<u8> = (1..=length as u8).collect();
            let mut wanted = [0; 16];
            wanted[..length].copy_from_slice(&bytes);
            assert_eq!(HASHER.code(&bytes), u128::from_le_bytes(wanted), "{length} bytes");
        }
        let names = ["a", "aa", "ab", "ba", "abcdefgh", "abcdefgi", "1", "01", "10", "abcdefghijkl"];
        let codes: BTreeSet<u128> = names.iter().map(|text| HASHER.code(text.as_bytes())).collect();
        assert_eq!(codes.len(), names.len());
    }

    #[test]
    fn hashes_depend_on_every_byte_and_divide_names_evenly() {
        let text = b"a name of thirty-one characters".to_vec();
        for end in EXACT + 1..=text.len() {
            let whole = HASHER.code(&text[..end]);
            assert!(whole > 0 && whole < 1 << 96);
            for place in 0..end {
                let mut other = text[..end].to_vec();
                other[place] ^= 1;
                // All three words of the code differ.
                let changed = whole ^ HASHER.code(&other);
                assert!((0..3).all(|word| (changed >> (32 * word)) as u32 != 0), "{place} of {end}");
            }
        }
        let mut sizes = [[0; 16]; 3];
        for number in 0..16_000 {
            let texts =
                [format!("a long record {number}"), format!("r{number}"), format!("record {number:05}")];
            for (sizes, text) in sizes.iter_mut().zip(&texts) {
                sizes[part_of(mixed(HASHER.code(text.as_bytes())), 16)] += 1;
            }
        }
        assert!(sizes.iter().flatten().all(|size| (800..1200).contains(size)), "{sizes:?}");
    }

    #[test]
    fn halves_of_hashes_are_independent() {
        let of_document = |number: u64| {
            let document = HASHER.within(format!("d{}", number / 50).as_bytes());
            document.code(format!("{}", number % 50).as_bytes())
        };
        let long = |number: u64| HASHER.code(format!("record number {number}").as_bytes());
        for (kind, code) in [&long as &dyn Fn(u64) -> u128, &of_document].into_iter().enumerate() {
            // A million names have about 116 pairs with the same lower 32 bits by chance.
            for shift in [0, 32, 64] {
                let codes = (0..1_000_000_u64).map(code);
                let distinct: BTreeSet<u32> = codes.map(|code| (code >> shift) as u32).collect();
                let equal = 1_000_000 - distinct.len();
                assert!((60..180).contains(&equal), "{equal} at {shift} of kind {kind}");
            }
        }
    }

    #[test]
    fn names_of_documents_are_hashed_by_every_byte() {
        let texts = ["", "a", "b", "aa", "abcdefg", "abcdefgh", "abcdefghi", "a longer name", "a longer nam"];
        let codes: BTreeSet<u128> = texts
            .iter()
            .flat_map(|document| {
                let document = HASHER.within(document.as_bytes());
                texts.iter().map(move |name| document.code(name.as_bytes()))
            })
            .collect();
        assert_eq!(codes.len(), texts.len() * texts.len());
        assert!(codes.iter().all(|code| *code < 1 << 96));
    }
}
