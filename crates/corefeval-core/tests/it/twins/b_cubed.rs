//! B³, mention by mention (Bagga and Baldwin 1998).

use num_traits::Zero;

use super::{Counts, Entity, Fraction, Tally, fraction, holder, whole};

/// All mentions have the same weight.
pub fn tally(key: &[Entity], response: &[Entity]) -> Tally {
    let side = |entities: &[Entity], others: &[Entity]| {
        let (mut sum, mut number) = (Fraction::zero(), 0);
        for entity in entities {
            for &mention in entity {
                sum += share(mention, entity, others);
                number += 1;
            }
        }
        (sum, whole(number))
    };
    counts(side(key, response), side(response, key))
}

/// Every entity has the same weight: the mean over entities of the mean over their mentions.
pub fn tally_by_entity(key: &[Entity], response: &[Entity]) -> Tally {
    let side = |entities: &[Entity], others: &[Entity]| {
        let mut sum = Fraction::zero();
        for entity in entities {
            let mut inner = Fraction::zero();
            for &mention in entity {
                inner += share(mention, entity, others);
            }
            sum += inner / whole(entity.len());
        }
        (sum, whole(entities.len()))
    };
    counts(side(key, response), side(response, key))
}

/// Returns the share of its own `entity` that is with the mention on the other side; 0 if the other side lacks the
/// mention.
fn share(mention: u32, entity: &Entity, others: &[Entity]) -> Fraction {
    match holder(others, mention) {
        Some(other) => fraction(entity.intersection(other).count(), entity.len()),
        None => Fraction::zero(),
    }
}

fn counts(recall: (Fraction, Fraction), precision: (Fraction, Fraction)) -> Tally {
    Tally::one(Counts {
        recall_num: recall.0,
        recall_den: recall.1,
        precision_num: precision.0,
        precision_den: precision.1,
    })
}
