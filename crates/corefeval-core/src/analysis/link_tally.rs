//! Counts link errors by type and distance.

use std::collections::BTreeMap;

use super::links::LinkError;
use super::results::LinkCounts;
use super::rows::Types;
use super::types::MentionType;

/// Most distances are below this many sentences.
const NEAR: usize = 64;

/// Counts of the link errors of one side, in tables that need no search.
pub(super) struct LinkTally {
    total: u64,
    links: u64,
    /// The errors by the types of anaphor and antecedent.
    by_type: [[u64; MentionType::ALL.len()]; MentionType::ALL.len()],
    /// The errors by the number of sentences between them, up to [`NEAR`].
    near: [u64; NEAR],
    /// The errors by larger distances.
    far: BTreeMap<u32, u64>,
}

impl Default for LinkTally {
    fn default() -> LinkTally {
        LinkTally { total: 0, links: 0, by_type: Default::default(), near: [0; NEAR], far: BTreeMap::new() }
    }
}

impl LinkTally {
    /// Counts the errors of a document with this many links; `sentences` has the sentence of each item.
    pub(super) fn count(
        &mut self,
        found: &[LinkError],
        links: u64,
        sentences: &[u32],
        types: &Types<'_, '_>,
    ) {
        self.total += found.len() as u64;
        self.links += links;
        for LinkError { anaphor, antecedent } in found {
            self.by_type[types.of(*anaphor) as usize][types.of(*antecedent) as usize] += 1;
            let [one, other] = [anaphor, antecedent].map(|item| sentences[*item as usize]);
            let distance = one.abs_diff(other);
            match self.near.get_mut(distance as usize) {
                Some(count) => *count += 1,
                None => *self.far.entry(distance).or_default() += 1,
            }
        }
    }

    /// Adds the errors of other documents.
    pub(super) fn add(&mut self, other: LinkTally) {
        self.total += other.total;
        self.links += other.links;
        let theirs = other.by_type.iter().flatten().chain(&other.near);
        let ours = self.by_type.iter_mut().flatten().chain(&mut self.near);
        ours.zip(theirs).for_each(|(sum, count)| *sum += count);
        other.far.into_iter().for_each(|(distance, count)| *self.far.entry(distance).or_default() += count);
    }
}

impl From<LinkTally> for LinkCounts {
    fn from(tally: LinkTally) -> LinkCounts {
        let types = MentionType::ALL.into_iter();
        let pairs = types.flat_map(|anaphor| MentionType::ALL.map(|antecedent| (anaphor, antecedent)));
        let by_type = pairs.zip(tally.by_type.into_iter().flatten());
        let by_distance = (0..).zip(tally.near).chain(tally.far);
        LinkCounts {
            total: tally.total,
            links: tally.links,
            by_type: by_type.filter(|(_, count)| *count > 0).collect(),
            by_distance: by_distance.filter(|(_, count)| *count > 0).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_contain_only_links_that_occur() {
        let mut tally = LinkTally { total: 3, links: 5, ..LinkTally::default() };
        tally.by_type[MentionType::Verb as usize][MentionType::Name as usize] = 3;
        tally.near[NEAR - 1] = 2;
        tally.far.insert(NEAR as u32, 1);
        tally.add(LinkTally { far: [(100, 4)].into(), ..LinkTally::default() });
        let counts = LinkCounts::from(tally);
        assert_eq!(counts.by_type, [((MentionType::Verb, MentionType::Name), 3)].into());
        assert_eq!(counts.by_distance, [(63, 2), (64, 1), (100, 4)].into());
        assert_eq!((counts.total, counts.links), (3, 5));
    }
}
