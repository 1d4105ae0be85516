//! Links written out: pairs of mentions, the smaller first.

use std::collections::BTreeSet;

use super::{Entity, mentions_of};

/// Pairs of mentions.
pub type Links = BTreeSet<(u32, u32)>;

/// Returns all pairs of `mentions`.
pub fn pairs(mentions: &BTreeSet<u32>) -> Links {
    let mut pairs = Links::new();
    for &one in mentions {
        for &other in mentions {
            if one < other {
                pairs.insert((one, other));
            }
        }
    }
    pairs
}

/// Returns the pairs of mentions of one entity.
pub fn coreference(entities: &[Entity]) -> Links {
    entities.iter().flat_map(pairs).collect()
}

/// Returns the pairs of mentions of two entities: all pairs but those of one entity.
pub fn non_coreference(entities: &[Entity]) -> Links {
    &pairs(&mentions_of(entities)) - &coreference(entities)
}
