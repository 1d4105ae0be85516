//! LEA with links written out (Moosavi and Strube 2016).

use num_traits::Zero;

use super::links::{self, Links};
use super::{Counts, Entity, Fraction, Tally, fraction, whole};

/// Counts LEA, where the importance of an entity is its number of mentions.
pub fn tally(key: &[Entity], response: &[Entity]) -> Tally {
    tally_with(key, response, |entity| whole(entity.len()))
}

/// Counts LEA, where all entities are equally important.
pub fn tally_uniform(key: &[Entity], response: &[Entity]) -> Tally {
    tally_with(key, response, |_| whole(1))
}

fn tally_with(key: &[Entity], response: &[Entity], importance: impl Fn(&Entity) -> Fraction) -> Tally {
    let resolved = |entities: &[Entity], others: &[Entity]| {
        let links_of_others: Vec<Links> = others.iter().map(links_of).collect();
        let mut sum = Fraction::zero();
        for entity in entities {
            let links = links_of(entity);
            let mut found = 0;
            for other in &links_of_others {
                found += links.intersection(other).count();
            }
            sum += importance(entity) * fraction(found, links.len());
        }
        sum
    };
    Tally::one(Counts {
        recall_num: resolved(key, response),
        recall_den: key.iter().map(&importance).sum(),
        precision_num: resolved(response, key),
        precision_den: response.iter().map(&importance).sum(),
    })
}

/// Returns all links of an entity. A singleton has a link to itself, which larger entities lack, so that only the same
/// singleton resolves it.
fn links_of(entity: &Entity) -> Links {
    match entity.first() {
        Some(&mention) if entity.len() == 1 => Links::from([(mention, mention)]),
        _ => links::pairs(entity),
    }
}
