//! Chooses the best one-to-one pairs among candidate pairs of mentions. Ties are broken by order.
//!
//! Rules that allow several partners for a mention assign a weight to each pair, and select the pairs of maximum
//! total weight. Ties are broken in favour of earlier mentions: rows and columns are numbered in the order of the
//! document.

use super::assignment::{Edge, Solver, components};
use corefeval_metrics::fraction::common_denominator;

/// A pair that may be chosen, with its weight as a fraction above 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) key: u32,
    pub(super) response: u32,
    pub(super) numerator: u64,
    pub(super) denominator: u64,
}

/// The number of connected candidates up to which ties are broken by order. With more candidates, the solver breaks
/// them: it is also deterministic, and does not try every pair.
const TIES_UP_TO: usize = 128;

/// The bound of common denominators, so that sums do not overflow.
const LIMIT: u128 = 1 << 80;

/// The scale of weights whose common denominator would be too large.
const FIXED_POINT: i128 = 1 << 62;

/// The best choice of pairs.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct BestPairs {
    /// The chosen pairs, by key.
    pub(super) pairs: Vec<(u32, u32)>,
    /// The first key mention that could have had another partner in a choice of the same weight.
    pub(super) tied: Option<u32>,
}

/// Returns the pairs of maximum total weight.
pub(super) fn choose(keys: usize, responses: usize, candidates: &[Candidate]) -> BestPairs {
    let mut chosen = Vec::with_capacity(keys.min(responses));
    let mut tied: Option<u32> = None;
    if candidates.is_empty() {
        return BestPairs::default();
    }
    let parts = components(keys, responses, candidates.iter().map(|c| (c.key, c.response)));
    let mut solver = Solver::<i128>::new();
    let mut edges = Vec::new();
    for part in parts.iter() {
        let part = || part.iter().map(|&place| candidates[place as usize]);
        if let (1, Some(only)) = (part().len(), part().next()) {
            chosen.push((only.key, only.response));
            continue;
        }
        let scale = common_denominator(part().map(|c| c.denominator), LIMIT);
        edges.clear();
        edges.extend(part().map(|candidate| {
            let (numerator, denominator) =
                (i128::from(candidate.numerator), i128::from(candidate.denominator));
            let weight = match scale {
                Some(scale) => numerator * (scale as i128 / denominator),
                None => numerator * FIXED_POINT / denominator,
            };
            Edge { row: candidate.key, column: candidate.response, weight }
        }));
        edges.sort_unstable_by_key(|edge| (edge.row, edge.column));
        if edges.len() <= TIES_UP_TO {
            let first = choose_in_order(&mut solver, &edges, &mut chosen);
            tied = tied.into_iter().chain(first).min();
        } else {
            solver.solve(&edges, &mut chosen);
        }
    }
    chosen.sort_unstable();
    BestPairs { pairs: chosen, tied }
}

/// Selects the best assignment that gives the first row its first possible column, then the second row, and so on.
/// Returns the first row for which another column is equally good.
fn choose_in_order(
    solver: &mut Solver<i128>,
    edges: &[Edge<i128>],
    chosen: &mut Vec<(u32, u32)>,
) -> Option<u32> {
    let mut tied = None;
    let mut left = edges.to_vec();
    let mut pairs = Vec::new();
    let mut solve = |edges: &[Edge<i128>]| {
        pairs.clear();
        if edges.is_empty() { 0 } else { solver.solve(edges, &mut pairs) }
    };
    let mut best = solve(&left);
    while let Some(row) = left.first().map(|edge| edge.row) {
        let (own, others): (Vec<_>, Vec<_>) = left.iter().copied().partition(|edge| edge.row == row);
        left = others;
        let rest_of = |edge: &Edge<i128>, left: &[Edge<i128>]| -> Vec<Edge<i128>> {
            left.iter().copied().filter(|other| other.column != edge.column).collect()
        };
        let mut found = None;
        for edge in &own {
            let rest = rest_of(edge, &left);
            let without = solve(&rest);
            if without + edge.weight != best {
                continue;
            }
            if found.is_some() {
                tied = Some(row);
                break;
            }
            found = Some((*edge, rest, without));
            if tied.is_some() {
                break;
            }
        }
        let Some((edge, rest, without)) = found else { continue };
        if tied.is_none() && solve(&left) == best {
            tied = Some(row);
        }
        chosen.push((edge.row, edge.column));
        (left, best) = (rest, without);
    }
    tied
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(key: u32, response: u32, numerator: u64, denominator: u64) -> Candidate {
        Candidate { key, response, numerator, denominator }
    }

    #[test]
    fn the_heavier_choice_wins_and_ties_go_by_order() {
        let heavier = [candidate(0, 0, 1, 2), candidate(0, 1, 1, 3), candidate(1, 0, 2, 3)];
        assert_eq!(choose(2, 2, &heavier), BestPairs { pairs: vec![(0, 1), (1, 0)], tied: None });
        let tied =
            [candidate(1, 0, 1, 2), candidate(0, 1, 1, 2), candidate(0, 0, 1, 2), candidate(1, 1, 1, 2)];
        assert_eq!(choose(2, 2, &tied), BestPairs { pairs: vec![(0, 0), (1, 1)], tied: Some(0) });
        let one = [candidate(2, 0, 1, 2), candidate(1, 0, 2, 4)];
        assert_eq!(choose(3, 1, &one), BestPairs { pairs: vec![(1, 0)], tied: Some(1) });
        assert_eq!(choose(3, 1, &[]), BestPairs::default());
    }

    /// 1/3 + 1/6 = 1/2, and only exact sums show that the earlier choice is as good.
    #[test]
    fn fractions_are_added_exactly() {
        let equal = [candidate(0, 0, 1, 3), candidate(0, 1, 1, 2), candidate(1, 1, 1, 6)];
        assert_eq!(choose(2, 2, &equal), BestPairs { pairs: vec![(0, 0), (1, 1)], tied: Some(0) });
        // The products are just below 2⁸⁰, and just above.
        let below = [(1 << 40) - 1, (1 << 40) + 1];
        assert_eq!(common_denominator(below.into_iter(), LIMIT), Some((1 << 80) - 1));
        assert_eq!(common_denominator([1 << 40, (1 << 40) + 1].into_iter(), LIMIT), None);
    }

    /// The common denominator of these weights would have 26 digits.
    #[test]
    fn fractions_without_a_common_denominator_are_compared() {
        let primes = [157, 151, 149, 139, 137, 131, 127, 113, 109, 107, 103, 101];
        assert_eq!(common_denominator(primes.into_iter(), LIMIT), None);
        let one: Vec<Candidate> =
            (0..).zip(primes).map(|(place, prime)| candidate(0, place, 1, prime)).collect();
        assert_eq!(choose(1, 12, &one), BestPairs { pairs: vec![(0, 11)], tied: None });
        // The mention that gains more from it gets the best partner.
        let second = (0..).zip(primes).map(|(place, prime)| candidate(1, place, 3, prime));
        let two: Vec<Candidate> = one.iter().copied().chain(second).collect();
        assert_eq!(choose(2, 12, &two), BestPairs { pairs: vec![(0, 10), (1, 11)], tied: None });
    }
}
