//! The split antecedents of both sides, by aligned mentions.

use super::side::Side;
use super::{NONE, SplitMember, SplitTable, python_order};
use crate::selection::SelectedSplit;
use crate::settings::{Settings, SplitAntecedents};

/// The split antecedents of both sides, their mentions by number: that of the class in the key, which
/// aligned ones share.
pub(super) fn splits_of(key: &Side<'_>, response: &Side<'_>, settings: &Settings) -> Option<Box<SplitTable>> {
    if key.selected.splits.is_empty() && response.selected.splits.is_empty() {
        return None;
    }
    let members = |side: &Side<'_>, number: &dyn Fn(u32) -> u32| -> Vec<SplitMember> {
        let mut numbers = vec![NONE; side.mentions.len()];
        for (mention, &class) in side.mentions.iter().zip(&side.class_of) {
            numbers[mention.index as usize] = number(class);
        }
        let splits = side.selected.splits.iter().map(|split| SplitMember {
            entity: split.entity,
            parts: split
                .parts
                .iter()
                .map(|part| part.iter().map(|&index| numbers[index as usize]).collect())
                .collect(),
            followers: Vec::new(),
        });
        splits.collect()
    };
    let classes = key.classes.len() as u32;
    let mut key_members = members(key, &|class| class);
    for (member, split) in key_members.iter_mut().zip(&key.selected.splits) {
        member.followers = followers(key, response, split);
    }
    let response_members = members(response, &|class| match response.partner[class as usize] {
        NONE => classes + class,
        partner => partner,
    });
    let only = settings.split_antecedents == SplitAntecedents::Only;
    Some(Box::new(SplitTable { key: key_members, response: response_members, only }))
}

/// The response entities of the mentions that come after a split antecedent of the key in the order of
/// Python's sets.
fn followers(key: &Side<'_>, response: &Side<'_>, split: &SelectedSplit) -> Vec<u32> {
    let nodes = key.document.words().empty_nodes();
    let in_text = |word: u32| u64::from(word - nodes.partition_point(|&node| node < word) as u32);
    let hash = |index: u32| {
        let mention = &key.document.mentions()[key.selected.mentions[index as usize].mention as usize];
        let words = mention.parts().iter().flat_map(|part| part.start()..part.end());
        python_order::frozen_set(words.map(in_text))
    };
    let places = (0..).zip(&key.selected.mentions).filter(|(_, chosen)| chosen.entity == split.entity);
    let places: Vec<u32> = places.map(|(place, _)| place).collect();
    let sums = split.parts.iter().map(|part| python_order::tuple(part.iter().map(|&index| hash(index))));
    let hashes: Vec<u64> =
        places.iter().map(|&index| hash(index)).chain([python_order::frozen_set(sums)]).collect();
    let order = python_order::set(&hashes);
    let after = order.iter().skip_while(|&&member| member != places.len()).skip(1);
    let mut classes: Vec<u32> = vec![NONE; key.mentions.len()];
    for (mention, &class) in key.mentions.iter().zip(&key.class_of) {
        classes[mention.index as usize] = class;
    }
    // The entity that a class of the response counts in: the last that holds it.
    let entity = |class: u32| {
        let held = response.mentions.iter().zip(&response.class_of).filter(|(_, other)| **other == class);
        held.map(|(mention, _)| response.selected.mentions[mention.index as usize].entity).next_back()
    };
    let partners = after.filter_map(|&member| match key.partner[classes[places[member] as usize] as usize] {
        NONE => None,
        partner => entity(partner),
    });
    partners.collect()
}
