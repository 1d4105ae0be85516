//! Mention identification: distinct mentions in common.

use super::{Counts, Entity, Tally, mentions_of};

pub fn tally(key: &[Entity], response: &[Entity]) -> Tally {
    let (key, response) = (mentions_of(key), mentions_of(response));
    let common = key.intersection(&response).count();
    Tally::one(Counts::integers((common, key.len()), (common, response.len())))
}
