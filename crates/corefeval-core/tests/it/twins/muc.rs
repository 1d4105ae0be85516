//! MUC by partitions (Vilain et al. 1995).

use std::collections::BTreeSet;

use super::{Counts, Entity, Tally};

pub fn tally(key: &[Entity], response: &[Entity]) -> Tally {
    Tally::one(Counts::integers(side(key, response), side(response, key)))
}

/// Returns Σ (|S| − |p(S)|) and Σ (|S| − 1) over the entities S of one side.
fn side(entities: &[Entity], others: &[Entity]) -> (usize, usize) {
    let found = entities.iter().map(|entity| entity.len() - parts(entity, others)).sum();
    let all = entities.iter().map(|entity| entity.len() - 1).sum();
    (found, all)
}

/// Returns |p(S)|: the number of parts into which the other side divides the entity. A mention that the other side
/// lacks is a separate part.
fn parts(entity: &Entity, others: &[Entity]) -> usize {
    let mut parts: BTreeSet<Entity> = BTreeSet::new();
    for &mention in entity {
        let other = others.iter().find(|other| other.contains(&mention));
        parts.insert(match other {
            Some(other) => entity.intersection(other).copied().collect(),
            None => Entity::from([mention]),
        });
    }
    parts.len()
}
