//! Split antecedents of a document: which entities have one, and what it is the sum of.

use super::{Selected, SelectedMention};
use crate::model::{Document, EntityId};

/// A split antecedent that is scored: one more member of an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectedSplit {
    /// The entity, numbered densely within the selection.
    pub entity: u32,
    /// The entities that it is the sum of, as places in the selection; those that are sums themselves
    /// are replaced by what they are sums of.
    pub parts: Vec<Vec<u32>>,
}

/// Adds the split antecedents of `document` to what is scored of it. Entities with equal split
/// antecedents become one, as in the Universal Anaphora scorer.
pub(super) fn add(document: &Document, selected: &mut Selected) {
    let Some(relations) = document.relations().filter(|relations| !relations.split_antecedents.is_empty())
    else {
        return;
    };
    let entities = document.entities().len();
    let mut sums: Vec<&[EntityId]> = vec![&[]; entities];
    for split in &relations.split_antecedents {
        sums[split.entity.index()] = &split.parts;
    }
    // The places in the selection of each entity's mentions, and the entity's number there.
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); entities];
    let mut numbers: Vec<Option<u32>> = vec![None; entities];
    for (place, chosen) in (0..).zip(&selected.mentions) {
        let entity = document.mentions()[chosen.mention as usize].entity().index();
        members[entity].push(place);
        numbers[entity] = Some(chosen.entity);
    }
    let mut splits: Vec<SelectedSplit> = Vec::new();
    let mut merged: Vec<(u32, u32)> = Vec::new();
    for split in &relations.split_antecedents {
        let mut parts = leaves(split.entity, &sums, &members);
        parts.sort_unstable();
        parts.dedup();
        if parts.is_empty() {
            continue;
        }
        let entity = *numbers[split.entity.index()].get_or_insert_with(|| {
            selected.sizes.push(0);
            selected.sizes.len() as u32 - 1
        });
        let words = |split: &[Vec<u32>]| -> Vec<Vec<Vec<_>>> {
            let mention = |&place: &u32| {
                let place = selected.mentions[place as usize].mention as usize;
                document.mentions()[place].parts().iter().map(|part| part.sort_key()).collect()
            };
            let mut all: Vec<Vec<Vec<u64>>> =
                split.iter().map(|part| part.iter().map(mention).collect()).collect();
            all.sort_unstable();
            all
        };
        match splits.iter().find(|other| words(&other.parts) == words(&parts)) {
            Some(equal) => merged.push((entity, equal.entity)),
            None => {
                selected.sizes[entity as usize] += 1;
                splits.push(SelectedSplit { entity, parts });
            }
        }
    }
    selected.splits = splits;
    for (from, into) in merged {
        merge(selected, from, into);
    }
    selected.close_gaps();
}

/// The entities that `entity` is the sum of at last; cycles are cut.
fn leaves(entity: EntityId, sums: &[&[EntityId]], members: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut seen = vec![false; sums.len()];
    let mut queue = vec![entity];
    let mut leaves = Vec::new();
    while let Some(next) = queue.pop() {
        if std::mem::replace(&mut seen[next.index()], true) {
            continue;
        }
        match sums[next.index()] {
            [] if members[next.index()].is_empty() => {}
            [] => leaves.push(members[next.index()].clone()),
            parts => queue.extend(parts),
        }
    }
    leaves
}

fn merge(selected: &mut Selected, from: u32, into: u32) {
    if from == into {
        return;
    }
    let moved = std::mem::take(&mut selected.sizes[from as usize]);
    selected.sizes[into as usize] += moved;
    let entities = selected.mentions.iter_mut().map(|mention: &mut SelectedMention| &mut mention.entity);
    let entities = entities.chain(selected.splits.iter_mut().map(|split| &mut split.entity));
    entities.filter(|entity| **entity == from).for_each(|entity| *entity = into);
}
