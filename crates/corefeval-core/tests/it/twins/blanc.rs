//! BLANC with both kinds of links written out (Recasens and Hovy 2011, Luo et al. 2014).

use num_traits::Zero;

use super::links::{self, Links};
use super::{Counts, Entity, Score, Tally, whole};

/// Counts coreference links first, non-coreference links second, each over the side's own mentions.
pub fn tally(key: &[Entity], response: &[Entity]) -> Tally {
    Tally {
        first: in_common(&links::coreference(key), &links::coreference(response)),
        second: in_common(&links::non_coreference(key), &links::non_coreference(response)),
    }
}

/// Counts the links that both sides have, of those that each side has.
pub fn in_common(key: &Links, response: &Links) -> Counts {
    let common = key.intersection(response).count();
    Counts::integers((common, key.len()), (common, response.len()))
}

/// The reference scorer's rule: the mean of the halves that have links in the key.
pub fn score_by_key(tally: &Tally) -> Score {
    mean(tally, |half| !half.recall_den.is_zero())
}

/// The rule of corefud-scorer: the mean of the halves that have links on either side.
pub fn score_by_either(tally: &Tally) -> Score {
    mean(tally, |half| !half.recall_den.is_zero() || !half.precision_den.is_zero())
}

fn mean(tally: &Tally, counts: impl Fn(&Counts) -> bool) -> Score {
    let coreference = tally.first.score();
    let non_coreference = tally.second.score();
    match (counts(&tally.first), counts(&tally.second)) {
        (true, true) => Score {
            recall: (coreference.recall + non_coreference.recall) / whole(2),
            precision: (coreference.precision + non_coreference.precision) / whole(2),
            f1: (coreference.f1 + non_coreference.f1) / whole(2),
        },
        (true, false) => coreference,
        (false, true) => non_coreference,
        (false, false) => Score::default(),
    }
}
