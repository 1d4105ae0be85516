//! Rand and adjusted Rand (Hubert and Arabie 1985), pair by pair, over the mentions of both sides.

use super::{Counts, Entity, Score, Tally, holder, links, mentions_of, ratio, whole};

/// Pairs of common mentions.
#[derive(Default)]
struct Pairs {
    all: usize,
    together_in_key: usize,
    together_in_response: usize,
    together_in_both: usize,
    apart_in_both: usize,
}

impl Pairs {
    fn count(key: &[Entity], response: &[Entity]) -> Pairs {
        let common = &mentions_of(key) & &mentions_of(response);
        let mut pairs = Pairs::default();
        for (one, other) in links::pairs(&common) {
            let in_key = holder(key, one) == holder(key, other);
            let in_response = holder(response, one) == holder(response, other);
            pairs.all += 1;
            pairs.together_in_key += usize::from(in_key);
            pairs.together_in_response += usize::from(in_response);
            pairs.together_in_both += usize::from(in_key && in_response);
            pairs.apart_in_both += usize::from(!in_key && !in_response);
        }
        pairs
    }
}

/// Counts the pairs on which both sides agree, of all pairs.
pub fn tally(key: &[Entity], response: &[Entity]) -> Tally {
    let pairs = Pairs::count(key, response);
    let agree = (pairs.together_in_both + pairs.apart_in_both, pairs.all);
    Tally::one(Counts::integers(agree, agree))
}

/// Counts the pairs together on both sides, of those together on each; second, all pairs.
pub fn tally_adjusted(key: &[Entity], response: &[Entity]) -> Tally {
    let pairs = Pairs::count(key, response);
    let both = pairs.together_in_both;
    let all = (pairs.all, pairs.all);
    Tally {
        first: Counts::integers((both, pairs.together_in_key), (both, pairs.together_in_response)),
        second: Counts::integers(all, all),
    }
}

/// With I, A and B the pairs together in both, in the key, in the response, N all pairs and
/// E = A·B/N the expectation by chance: (I − E) / ((A + B)/2 − E); recall (I − E) / (A − E), precision
/// (I − E) / (B − E), the adjusted Wallace coefficients.
pub fn score_adjusted(tally: &Tally) -> Score {
    let i = &tally.first.recall_num;
    let a = &tally.first.recall_den;
    let b = &tally.first.precision_den;
    let n = &tally.second.recall_den;
    let e = &ratio(&(a * b), n);
    Score {
        recall: ratio(&(i - e), &(a - e)),
        precision: ratio(&(i - e), &(b - e)),
        f1: ratio(&(i - e), &((a + b) / whole(2) - e)),
    }
}
