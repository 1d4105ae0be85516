//! Names as numbers. Short names are represented by their bytes; hashes mix all bits.

/// The length in bytes of the longest name that is stored as one number.
pub(super) const SHORT: usize = 8;

/// Converts a name of at most [`SHORT`] bytes, none of them 0, to a number other than 0. Different names have different
/// numbers.
#[inline]
pub(super) fn short(name: &[u8]) -> u64 {
    let mut bytes = [0; SHORT];
    bytes[..name.len()].copy_from_slice(name);
    u64::from_le_bytes(bytes)
}

/// Mixes the bits of a number: a change of any bit changes about half the bits of the result.
#[inline]
pub(super) fn mixed(number: u64) -> u64 {
    fold(number ^ 0x243F_6A88_85A3_08D3, 0x9E37_79B9_7F4A_7C15)
}

/// Returns the hash of a name of more than [`SHORT`] bytes.
#[inline]
pub(super) fn hash(name: &[u8]) -> u64 {
    let (words, _) = name.as_chunks::<SHORT>();
    let mut hash = name.len() as u64;
    for word in words {
        hash = fold(hash ^ u64::from_le_bytes(*word), 0xA409_3822_299F_31D1);
    }
    // The last bytes, some of which may already be in the words.
    let last = name.last_chunk::<SHORT>().map_or(0, |last| u64::from_le_bytes(*last));
    mixed(hash ^ last)
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

    #[test]
    fn different_names_are_different_numbers() {
        let names = ["a", "aa", "ab", "ba", "abcdefgh", "abcdefgi", "1", "01", "10"];
        let numbers: BTreeSet<u64> = names.iter().map(|name| short(name.as_bytes())).collect();
        assert_eq!(numbers.len(), names.len());
        assert!(!numbers.contains(&0));
    }

    #[test]
    fn hashes_look_at_every_byte_and_divide_names_evenly() {
        let name = b"a name of thirty-one characters".to_vec();
        for end in SHORT + 1..=name.len() {
            for place in 0..end {
                let mut other = name[..end].to_vec();
                other[place] ^= 1;
                assert_ne!(hash(&name[..end]), hash(&other), "{place} of {end}");
            }
        }
        let mut sizes = [[0; 16]; 2];
        for number in 0..16_000 {
            sizes[0][part_of(hash(format!("record {number}").as_bytes()), 16)] += 1;
            sizes[1][part_of(mixed(short(format!("r{number}").as_bytes())), 16)] += 1;
        }
        assert!(sizes.iter().flatten().all(|size| (800..1200).contains(size)), "{sizes:?}");
    }
}
