//! The split antecedents of a document: their entities and parts.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use rustc_hash::FxHashSet;

use super::Selected;
use crate::model::{Document, EntityId, SplitAntecedent};
use crate::settings::{Settings, SplitParts};

/// A scored split antecedent: an additional member of an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectedSplit {
    /// The entity, numbered densely within the selection.
    pub entity: u32,
    /// Its parts, as places of mentions in the document. Parts that are themselves split antecedents are replaced by
    /// their parts.
    pub parts: Vec<Vec<u32>>,
}

/// Adds the split antecedents of `document` to its selection. Entities with equal split antecedents are merged, as in
/// the Universal Anaphora scorer.
pub(super) fn add(document: &Document, settings: &Settings, selected: &mut Selected) {
    let Some(relations) = document.relations().filter(|relations| !relations.split_antecedents.is_empty())
    else {
        return;
    };
    let entities = document.entities().len();
    let mut sums: Vec<&[EntityId]> = vec![&[]; entities];
    for split in &relations.split_antecedents {
        sums[split.entity.index()] = &split.parts;
    }
    // The mentions of each entity that is part of a split antecedent, and the entity's number in the selection.
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); entities];
    let mut numbers: Vec<Option<u32>> = vec![None; entities];
    for chosen in &selected.mentions {
        let entity = document.mentions()[chosen.mention as usize].entity().index();
        numbers[entity] = Some(chosen.entity);
        if settings.split_parts == SplitParts::Scored {
            members[entity].push(chosen.mention);
        }
    }
    if settings.split_parts == SplitParts::Whole {
        for (place, mention) in (0..).zip(document.mentions()) {
            members[mention.entity().index()].push(place);
        }
    }
    let mut splits: Vec<SelectedSplit> = Vec::new();
    // The representative of each entity and, by its words, of each split antecedent.
    let mut merged: BTreeMap<u32, u32> = BTreeMap::new();
    let mut known: BTreeMap<Vec<Vec<Vec<u64>>>, u32> = BTreeMap::new();
    for split in in_order(document, &relations.split_antecedents) {
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
        let words = |place: &u32| -> Vec<u64> {
            document.mentions()[*place as usize].parts().iter().map(|part| part.sort_key()).collect()
        };
        let mut all: Vec<Vec<Vec<u64>>> = parts.iter().map(|part| part.iter().map(words).collect()).collect();
        all.sort_unstable();
        match known.entry(all) {
            Entry::Vacant(place) => {
                place.insert(entity);
                selected.sizes[entity as usize] += 1;
                splits.push(SelectedSplit { entity, parts });
            }
            Entry::Occupied(first) => {
                let (from, into) = (merged_into(&merged, entity), merged_into(&merged, *first.get()));
                if from != into {
                    merged.insert(from, into);
                }
            }
        }
    }
    selected.splits = splits;
    if !merged.is_empty() {
        merge(selected, &merged);
    }
    selected.close_gaps();
}

/// Returns the split antecedents in the order in which their entities start in the text. The Universal Anaphora scorer
/// also uses this order among equally good pairs.
fn in_order<'d>(document: &Document, splits: &'d [SplitAntecedent]) -> Vec<&'d SplitAntecedent> {
    let mut starts = vec![u32::MAX; document.entities().len()];
    for mention in document.mentions() {
        let first = &mut starts[mention.entity().index()];
        *first = mention.parts().iter().map(|part| part.start()).fold(*first, u32::min);
    }
    let mut splits: Vec<&SplitAntecedent> = splits.iter().collect();
    splits.sort_by_key(|split| starts[split.entity.index()]);
    splits
}

/// Returns the parts of `entity`, resolved recursively and without cycles.
fn leaves(entity: EntityId, sums: &[&[EntityId]], members: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut seen = FxHashSet::default();
    let mut queue = vec![entity];
    let mut leaves = Vec::new();
    while let Some(next) = queue.pop() {
        if !seen.insert(next.index()) {
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

/// Returns the entity that `entity` is merged into.
fn merged_into(merged: &BTreeMap<u32, u32>, mut entity: u32) -> u32 {
    while let Some(&first) = merged.get(&entity) {
        entity = first;
    }
    entity
}

/// Moves the members of merged entities to their new entities.
fn merge(selected: &mut Selected, merged: &BTreeMap<u32, u32>) {
    for &entity in merged.keys() {
        let moved = std::mem::take(&mut selected.sizes[entity as usize]);
        selected.sizes[merged_into(merged, entity) as usize] += moved;
    }
    let entities = selected.mentions.iter_mut().map(|mention| &mut mention.entity);
    for entity in entities.chain(selected.splits.iter_mut().map(|split| &mut split.entity)) {
        *entity = merged_into(merged, *entity);
    }
}
