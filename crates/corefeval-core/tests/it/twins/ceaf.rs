//! CEAF with its four similarities of entities (Luo 2005).

use super::{Counts, Entity, Fraction, Tally, assignment, fraction, whole};

/// φ1: 1 if the entities are equal.
pub fn tally_1(key: &[Entity], response: &[Entity]) -> Tally {
    tally(key, response, |k, r| whole(usize::from(k == r)))
}

/// φ2: 1 if they share a mention.
pub fn tally_2(key: &[Entity], response: &[Entity]) -> Tally {
    tally(key, response, |k, r| whole(usize::from(!k.is_disjoint(r))))
}

/// φ3: the mentions that they share.
pub fn tally_3(key: &[Entity], response: &[Entity]) -> Tally {
    tally(key, response, |k, r| whole(k.intersection(r).count()))
}

/// φ4: the mentions that they share, relative to their sizes.
pub fn tally_4(key: &[Entity], response: &[Entity]) -> Tally {
    tally(key, response, |k, r| fraction(2 * k.intersection(r).count(), k.len() + r.len()))
}

fn tally(key: &[Entity], response: &[Entity], similarity: impl Fn(&Entity, &Entity) -> Fraction) -> Tally {
    let table: Vec<Vec<Fraction>> =
        key.iter().map(|k| response.iter().map(|r| similarity(k, r)).collect()).collect();
    let best = assignment::best(&table);
    Tally::one(Counts {
        recall_num: best.clone(),
        recall_den: key.iter().map(|k| similarity(k, k)).sum(),
        precision_num: best,
        precision_den: response.iter().map(|r| similarity(r, r)).sum(),
    })
}
