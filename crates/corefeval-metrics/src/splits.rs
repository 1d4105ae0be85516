//! The split antecedents of a document, which supplement the overlap table.

use std::collections::BTreeMap;

/// The split antecedents of both sides.
#[derive(Clone, Debug, Default)]
pub struct SplitTable {
    /// The split antecedents of the key.
    pub key: Vec<SplitMember>,
    /// The split antecedents of the response.
    pub response: Vec<SplitMember>,
    /// True if only split antecedents are scored.
    pub only: bool,
}

/// A split antecedent: a member of an entity that is the sum of other entities.
#[derive(Clone, Debug, Default)]
pub struct SplitMember {
    /// The entity that it is a member of.
    pub entity: u32,
    /// The entities whose sum it is, as numbers of mentions. Aligned mentions have the same number.
    pub parts: Vec<Vec<u32>>,
    /// For the key: the index of the response's split antecedent with the same words.
    pub equal: Option<u32>,
    /// For the key: the response entities of the mentions of its entity that come before it in the order of Python's
    /// sets. BLANC does not count links to other mentions there, as in the Universal Anaphora scorer.
    pub before: Vec<u32>,
    /// For the key: the response entities of the mentions that come after it.
    pub after: Vec<u32>,
}

/// The split antecedents of both sides, with the pairs that are possible.
#[derive(Clone, Debug)]
pub struct Splits {
    /// The split antecedents of the key.
    pub(crate) key: Vec<SplitMember>,
    /// The split antecedents of the response.
    pub(crate) response: Vec<SplitMember>,
    /// The indices of pairs that share a mention, by key. Other pairs have no worth.
    pub(crate) meeting: Vec<(u32, u32)>,
    /// True if only split antecedents are scored.
    pub(crate) only: bool,
}

/// The number of others with which a split antecedent may share mentions before only the `KEPT` that share the most are
/// considered. At most `EXAMINED` that contain a mention are examined. No real text reaches these limits.
const MANY: usize = 256;
const KEPT: usize = 64;
const EXAMINED: usize = 4096;

/// Keeps the places that a sorted list contains most often; in a tie the first ones.
fn keep_those_that_share_most(met: &mut Vec<u32>) {
    let mut counts: Vec<(std::cmp::Reverse<usize>, u32)> = met
        .chunk_by(|one, other| one == other)
        .map(|same| (std::cmp::Reverse(same.len()), same[0]))
        .collect();
    if counts.len() > MANY {
        counts.sort_unstable();
        counts.truncate(KEPT);
        met.clear();
        met.extend(counts.into_iter().map(|(_, place)| place));
        met.sort_unstable();
    }
}

impl Splits {
    pub(crate) fn new(table: SplitTable) -> Splits {
        let SplitTable { key, response, only } = table;
        let mut holders: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (place, split) in (0..).zip(&response) {
            split.parts.iter().flatten().for_each(|&mention| holders.entry(mention).or_default().push(place));
        }
        let mut meeting = Vec::new();
        let mut met = Vec::new();
        for (place, split) in (0..).zip(&key) {
            met.clear();
            let found = split.parts.iter().flatten().filter_map(|mention| holders.get(mention));
            met.extend(found.flat_map(|holders| &holders[..holders.len().min(EXAMINED)]));
            met.sort_unstable();
            if met.len() > MANY {
                keep_those_that_share_most(&mut met);
            }
            met.dedup();
            meeting.extend(met.iter().map(|&other: &u32| (place, other)));
        }
        Splits { key, response, meeting, only }
    }
}
