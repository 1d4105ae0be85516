//! Coreference links in common.

use super::{Entity, Tally, blanc, links};

pub fn tally(key: &[Entity], response: &[Entity]) -> Tally {
    Tally::one(blanc::in_common(&links::coreference(key), &links::coreference(response)))
}
