//! The iteration order of Python's sets.
//!
//! The Universal Anaphora scorer keeps an entity with a split antecedent in a set, and its BLANC counts a link to the
//! antecedent only if the antecedent comes before the mention in the set. The order follows from the words of the
//! mentions alone: integers are their own hashes, and the hashes of frozen sets and tuples are fixed (CPython 3.8 and
//! later). This module computes the same order, so that scores are the same.

/// Returns the number of a word in the text. In Python, an empty node is a string, whose hash changes from run to run.
/// Here it gets a number that no word of the text has.
pub(super) fn number_in_text(empty_nodes: &[u32], word: u32) -> u64 {
    match empty_nodes.binary_search(&word) {
        Ok(_) => (1 << 32) + u64::from(word),
        Err(before) => u64::from(word - before as u32),
    }
}

/// Returns the hash of a frozen set whose members have these hashes.
pub(super) fn frozen_set(members: impl Iterator<Item = u64>) -> u64 {
    let mut count = 0u64;
    let mut hash = 0u64;
    for member in members {
        hash ^= ((member ^ 89_869_747) ^ (member << 16)).wrapping_mul(3_644_798_167);
        count += 1;
    }
    hash ^= (count + 1).wrapping_mul(1_927_868_237);
    hash ^= (hash >> 11) ^ (hash >> 25);
    let hash = hash.wrapping_mul(69_069).wrapping_add(907_133_923);
    if hash == u64::MAX { 590_923_713 } else { hash }
}

/// Returns the hash of a tuple whose members have these hashes.
pub(super) fn tuple(members: impl Iterator<Item = u64>) -> u64 {
    const FIRST: u64 = 11_400_714_785_074_694_791;
    const SECOND: u64 = 14_029_467_366_897_019_727;
    const FIFTH: u64 = 2_870_177_450_012_600_261;
    let (mut hash, mut count) = (FIFTH, 0);
    for member in members {
        hash = hash.wrapping_add(member.wrapping_mul(SECOND)).rotate_left(31).wrapping_mul(FIRST);
        count += 1;
    }
    let hash = hash.wrapping_add(count ^ (FIFTH ^ 3_527_539));
    if hash == u64::MAX { 1_546_275_796 } else { hash }
}

/// Returns the iteration order of a set, as positions of its members in the order in which they were added.
pub(super) fn set(members: &[u64]) -> Vec<usize> {
    let mut table: Vec<Option<usize>> = vec![None; 8];
    let mut used = 0;
    for (place, &hash) in members.iter().enumerate() {
        if !insert(&mut table, members, place, hash) {
            continue;
        }
        used += 1;
        if used * 5 >= (table.len() - 1) * 3 {
            let wanted: usize = if used > 50_000 { used * 2 } else { used * 4 };
            let old = std::mem::take(&mut table);
            table = vec![None; (wanted + 1).next_power_of_two().max(8)];
            for member in old.into_iter().flatten() {
                insert(&mut table, members, member, members[member]);
            }
        }
    }
    table.into_iter().flatten().collect()
}

/// Puts a member into the first free slot: probes several slots in a row, then jumps, and repeats. Returns whether
/// the member is new.
fn insert(table: &mut [Option<usize>], members: &[u64], place: usize, hash: u64) -> bool {
    const IN_A_ROW: u64 = 9;
    let mask = table.len() as u64 - 1;
    let mut slot = hash & mask;
    let mut perturb = hash;
    loop {
        let row = if slot + IN_A_ROW <= mask { IN_A_ROW } else { 0 };
        for entry in &mut table[slot as usize..=(slot + row) as usize] {
            match *entry {
                None => {
                    *entry = Some(place);
                    return true;
                }
                // Equal members are stored once.
                Some(other) if members[other] == hash => return false,
                Some(_) => {}
            }
        }
        perturb >>= 5;
        slot = (slot.wrapping_mul(5).wrapping_add(1).wrapping_add(perturb)) & mask;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_and_orders_are_those_of_python() {
        // hash(frozenset({9, 10})), hash(frozenset()), hash((1, 2, 3)), hash(())
        assert_eq!(frozen_set([9, 10].into_iter()) as i64, -7_981_394_406_947_780_251);
        assert_eq!(frozen_set([].into_iter()) as i64, 133_146_708_735_736);
        assert_eq!(tuple([1, 2, 3].into_iter()) as i64, 529_344_067_295_497_451);
        assert_eq!(tuple([].into_iter()) as i64, 5_740_354_900_026_072_187);
        // list({100, 7, 15, 23, 3, 64, 8, 1})
        let members = [100, 7, 15, 23, 3, 64, 8, 1];
        let found: Vec<u64> = set(&members).into_iter().map(|place| members[place]).collect();
        assert_eq!(found, [64, 1, 3, 100, 7, 8, 15, 23]);
    }

    /// The expected values are from CPython 3.8 to 3.13. The members are
    /// `[(i * i * 7919 + i * step) % modulus for i in range(count)]`, added one after another, and the sum is computed
    /// by `for member in added: sum = (sum * 31 + member) % 2**61`.
    #[test]
    fn sets_grow_and_collide_as_in_python() {
        for (count, step, modulus, size, sum) in [
            (5, 64, 1000, 5, 29_387_340),
            (6, 1, 97, 6, 5_089_364),
            // The number of members is the smallest that makes the table grow.
            (19, 1025, 1 << 40, 19, 1_525_720_183_032_940_418),
            (30, 1024, 1 << 40, 30, 2_228_424_001_650_203_561),
            (200, 4096, 1 << 50, 200, 944_474_444_240_273_756),
            // Most members are already in the set.
            (200, 1, 50, 11, 1_012_639_541_448_684),
            (60_000, 64, 1 << 40, 60_000, 1_760_728_693_444_076_688),
            // Sets of more than 50,000 members grow by a smaller factor.
            (200_000, 1, 1 << 30, 200_000, 1_247_840_880_893_322_168),
        ] {
            let members: Vec<u64> = (0..count).map(|i| (i * i * 7919 + i * step) % modulus).collect();
            let order = set(&members);
            let add = |sum: u128, &place: &usize| (sum * 31 + u128::from(members[place])) % (1 << 61);
            assert_eq!((order.len(), order.iter().fold(0, add)), (size, sum), "{count} members, step {step}");
        }
    }
}
