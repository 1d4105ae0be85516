//! Ranks systems in agreement with the tests: shared ranks, compact letters, and sets of ranks.
//!
//! Systems are places in the order of a metric, best first, and `apart` returns whether two of them differ
//! significantly.

use crate::choice::{Choice, choice};

choice! {
    /// The systems that share a rank.
    RankRule {
        #[default]
        Pairs = "pairs" "systems share a rank if no two of them differ significantly",
        Neighbours = "neighbours" "a system shares the rank of the previous one if they do not differ significantly, as in Table 5 of Moosavi and Strube (2016)",
    }
}

/// The largest number of sets with letters. Each pair that differs can double the number of sets.
const MOST_SETS: usize = 1_000;

/// The systems that differ significantly, by their places in an order.
#[derive(Clone, Debug)]
pub(super) struct Apart {
    systems: usize,
    pairs: Vec<bool>,
}

impl Apart {
    /// Creates a table in which no two systems differ.
    pub(super) fn none(systems: usize) -> Apart {
        Apart { systems, pairs: vec![false; systems * systems] }
    }

    /// Records that two systems differ.
    pub(super) fn add(&mut self, first: usize, second: usize) {
        self.pairs[first * self.systems + second] = true;
        self.pairs[second * self.systems + first] = true;
    }

    fn are(&self, first: usize, second: usize) -> bool {
        self.pairs[first * self.systems + second]
    }

    /// Returns ranks that count the systems before: 1, 2, 2, 4. A system shares the rank of the previous one unless it
    /// differs from any system of that rank.
    pub(super) fn ranks(&self) -> Vec<u32> {
        let mut start = 0;
        (0..self.systems)
            .map(|system| {
                if (start..system).any(|other| self.are(other, system)) {
                    start = system;
                }
                start as u32 + 1
            })
            .collect()
    }

    /// Returns the lowest and the highest rank of each system that the tests leave possible: below all systems that are
    /// significantly better, and above all that are significantly worse. A system that is better than a better one also
    /// counts as better. If no test is wrong, each set contains the true rank (Mogstad, Romano, Shaikh and Wilhelm
    /// 2024; Al Mohamad, Goeman and van Zwet 2022). The tests form two families, so the probability of this is at least
    /// 1 minus both levels.
    pub(super) fn rank_sets(&self) -> Vec<(u32, u32)> {
        let mut better = Apart::none(self.systems).pairs;
        for system in 0..self.systems {
            for other in (0..system).filter(|&other| self.are(other, system)) {
                better[other * self.systems + system] = true;
                for before in 0..other {
                    better[before * self.systems + system] |= better[before * self.systems + other];
                }
            }
        }
        let count =
            |of: &dyn Fn(usize) -> usize| (0..self.systems).filter(|&other| better[of(other)]).count() as u32;
        (0..self.systems)
            .map(|system| {
                let above = count(&|other| other * self.systems + system);
                let below = count(&|other| system * self.systems + other);
                (1 + above, self.systems as u32 - below)
            })
            .collect()
    }

    /// Returns the letters of each system: two systems share a letter if and only if they do not differ. The sets of
    /// systems with a common letter are made by inserting each pair that differs and absorbing sets within others
    /// (Piepho 2004). Letters follow the best systems of their sets. `None` for more than a thousand sets.
    pub(super) fn letters(&self) -> Option<Vec<String>> {
        let mut sets = vec![vec![true; self.systems]];
        for first in 0..self.systems {
            for second in (first + 1..self.systems).filter(|&second| self.are(first, second)) {
                let (both, mut kept): (Vec<_>, Vec<_>) =
                    sets.into_iter().partition(|set: &Vec<bool>| set[first] && set[second]);
                for set in both {
                    for out in [second, first] {
                        let mut set = set.clone();
                        set[out] = false;
                        if !kept.iter().any(|other| is_within(&set, other)) {
                            kept.retain(|other| !is_within(other, &set));
                            kept.push(set);
                        }
                    }
                }
                sets = kept;
                if sets.len() > MOST_SETS {
                    return None;
                }
            }
        }
        // Puts the sets of the best systems first.
        sets.sort_by(|a, b| b.cmp(a));
        let of = |system: usize| {
            let own = sets.iter().enumerate().filter(|(_, set)| set[system]);
            own.map(|(place, _)| letter(place)).collect()
        };
        Some((0..self.systems).map(of).collect())
    }
}

/// Returns whether a set is within another.
fn is_within(set: &[bool], other: &[bool]) -> bool {
    set.iter().zip(other).all(|(own, other)| !own || *other)
}

/// Returns the name of a set: a to z, A to Z, then numbers in brackets.
fn letter(place: usize) -> String {
    match ('a'..='z').chain('A'..='Z').nth(place) {
        Some(letter) => letter.to_string(),
        None => format!("[{}]", place + 1),
    }
}

/// Returns ranks by neighbours, where `apart` marks the systems that differ from the previous one.
pub(super) fn ranks_of_neighbours(apart: &[bool]) -> Vec<u32> {
    let mut rank = 1;
    let others = (2_u32..).zip(apart).map(|(place, &apart)| {
        if apart {
            rank = place;
        }
        rank
    });
    std::iter::once(1).chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apart(systems: usize, pairs: &[(usize, usize)]) -> Apart {
        let mut apart = Apart::none(systems);
        pairs.iter().for_each(|&(first, second)| apart.add(first, second));
        apart
    }

    /// Table 5 of the paper counts 1, 2, 2, 4.
    #[test]
    fn ranks_count_the_systems_before() {
        let all = [(0, 1), (0, 2), (0, 3), (1, 3), (2, 3)];
        assert_eq!(apart(4, &all).ranks(), [1, 2, 2, 4]);
        assert_eq!(ranks_of_neighbours(&[true, false, true]), [1, 2, 2, 4]);
        assert_eq!(ranks_of_neighbours(&[]), [1]);
        // Neighbours chain, although the first system differs from the third.
        assert_eq!(ranks_of_neighbours(&[false, false]), [1, 1, 1]);
        assert_eq!(apart(3, &[(0, 2)]).ranks(), [1, 1, 3]);
    }

    #[test]
    fn sets_of_ranks_by_hand() {
        assert_eq!(apart(3, &[]).rank_sets(), [(1, 3); 3]);
        assert_eq!(apart(3, &[(0, 2)]).rank_sets(), [(1, 2), (1, 3), (2, 3)]);
        assert_eq!(apart(4, &[(0, 1), (1, 2), (2, 3)]).rank_sets(), [(1, 1), (2, 2), (3, 3), (4, 4)]);
    }

    /// Piepho's display of a chain: a, ab, b; and two systems that differ from one another but from no third.
    #[test]
    fn letters_by_hand() {
        let letters = |systems, pairs: &[_]| apart(systems, pairs).letters().expect("few sets");
        assert_eq!(letters(3, &[(0, 2)]), ["a", "ab", "b"]);
        assert_eq!(letters(3, &[]), ["a", "a", "a"]);
        assert_eq!(letters(4, &[(0, 1), (0, 2), (0, 3), (1, 3), (2, 3)]), ["a", "b", "b", "c"]);
        assert_eq!(letters(4, &[(0, 3), (1, 2)]), ["ab", "ac", "bd", "cd"]);
        assert_eq!((letter(0), letter(26), letter(52)), ("a".into(), "A".into(), "[53]".into()));
        // Twelve disjoint pairs that differ make 2¹² sets.
        let pairs: Vec<_> = (0..12).map(|pair| (2 * pair, 2 * pair + 1)).collect();
        assert_eq!(apart(24, &pairs).letters(), None);
    }

    /// For any differences: systems share a letter exactly if they do not differ, they never share a rank if they do,
    /// and ranks lie in their sets.
    #[test]
    fn displays_agree_with_every_pair() {
        for mask in 0_u32..1 << 15 {
            let mut pairs = Vec::new();
            for first in 0..6_usize {
                for second in first + 1..6 {
                    if mask >> pair_number(first, second) & 1 == 1 {
                        pairs.push((first, second));
                    }
                }
            }
            let apart = apart(6, &pairs);
            let (ranks, letters) = (apart.ranks(), apart.letters().expect("few sets"));
            let sets = apart.rank_sets();
            for first in 0..6 {
                assert!((sets[first].0..=sets[first].1).contains(&ranks[first]), "{pairs:?}");
                for second in first + 1..6 {
                    let shares = letters[first].chars().any(|letter| letters[second].contains(letter));
                    assert_ne!(shares, apart.are(first, second), "{pairs:?}");
                    assert!(!apart.are(first, second) || ranks[first] < ranks[second], "{pairs:?}");
                    assert!(!apart.are(first, second) || sets[first].0 < sets[second].0, "{pairs:?}");
                }
            }
        }
    }

    fn pair_number(first: usize, second: usize) -> usize {
        second * (second - 1) / 2 + first
    }
}
