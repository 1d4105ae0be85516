//! The split antecedents of both sides, by aligned mentions.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::located_side::{LocatedSide, numbered};
use super::{Alignment, NONE, SplitMember, SplitTable, python_order};
use crate::model::{Document, Mention, Span};
use crate::selection::{Identity, Selected, SelectedSplit};
use crate::settings::{Settings, SplitAntecedents};

/// The numbers of the mentions that split antecedents consist of, by their positions in the documents.
pub(super) struct PartNumbers {
    /// The numbers that aligned mentions share: the class in the key.
    key: Vec<u32>,
    response: Vec<u32>,
    /// The numbers that mentions with the same words share.
    key_words: BTreeMap<u32, u32>,
    response_words: BTreeMap<u32, u32>,
}

impl PartNumbers {
    /// Numbers the mentions. Returns `None` if there are no split antecedents.
    pub(super) fn of(key: &LocatedSide<'_>, response: &LocatedSide<'_>) -> Option<PartNumbers> {
        if key.selected.splits.is_empty() && response.selected.splits.is_empty() {
            return None;
        }
        let mut words = WordLists::default();
        let (key_words, response_words) = (words.number(key), words.number(response));
        let key_classes = key.classes.len() as u32;
        let classes = key_classes + response.classes.len() as u32;
        let theirs = |class: u32| match response.partner[class as usize] {
            NONE => key_classes + class,
            partner => partner,
        };
        let key_scored = scored(key, &key_words, |class| class);
        let response_scored = scored(response, &response_words, theirs);
        // Parts that are not scored themselves (such as zeros and singletons) are found on either side by their words.
        let numbers = |side: &LocatedSide<'_>,
                       words: &BTreeMap<u32, u32>,
                       class: &dyn Fn(u32) -> u32,
                       scored: [&FxHashMap<u32, u32>; 2]| {
            let mut numbers = vec![NONE; side.document.mentions().len()];
            for (mention, &own) in side.mentions.iter().zip(&side.class_of) {
                numbers[side.selected.mentions[mention.index as usize].mention as usize] = class(own);
            }
            for (&place, words) in words {
                let number = &mut numbers[place as usize];
                if *number == NONE {
                    let [own, other] = scored.map(|scored| scored.get(words));
                    *number = own.or(other).copied().unwrap_or(classes + words);
                }
            }
            numbers
        };
        let key_numbers = numbers(key, &key_words, &|class| class, [&key_scored, &response_scored]);
        let response_numbers = numbers(response, &response_words, &theirs, [&response_scored, &key_scored]);
        Some(PartNumbers { key: key_numbers, response: response_numbers, key_words, response_words })
    }

    /// Like [`of`](Self::of), but for mentions that are aligned by identity, regardless of their words.
    pub(super) fn of_identities(
        sides: [(&Document, &Selected); 2],
        identity: impl Fn(&Document, &Mention) -> Identity,
    ) -> Option<PartNumbers> {
        if sides.iter().all(|side| side.1.splits.is_empty()) {
            return None;
        }
        let mut identities: BTreeMap<Identity, u32> = BTreeMap::new();
        let mut lists = WordLists::default();
        let [(key, key_words), (response, response_words)] = sides.map(|(document, selected)| {
            let number = |mention: &Mention| {
                let next = identities.len() as u32;
                *identities.entry(identity(document, mention)).or_insert(next)
            };
            let numbers: Vec<u32> = document.mentions().iter().map(number).collect();
            let parts = selected.splits.iter().flat_map(|split| split.parts.iter().flatten());
            let words = |&place: &u32| {
                let next = lists.0.len() as u32;
                let words = document.mentions()[place as usize].parts().to_vec();
                (place, *lists.0.entry(words).or_insert(next))
            };
            (numbers, parts.map(words).collect())
        });
        Some(PartNumbers { key, response, key_words, response_words })
    }
}

/// Returns the numbers of the parts that are scored themselves, by their words.
fn scored(
    side: &LocatedSide<'_>,
    words: &BTreeMap<u32, u32>,
    number: impl Fn(u32) -> u32,
) -> FxHashMap<u32, u32> {
    let mut scored = FxHashMap::default();
    for (mention, &class) in side.mentions.iter().zip(&side.class_of) {
        let place = side.selected.mentions[mention.index as usize].mention;
        if let Some(&words) = words.get(&place) {
            scored.insert(words, number(class));
        }
    }
    scored
}

/// Assigns numbers to lists of words.
#[derive(Default)]
struct WordLists(FxHashMap<Vec<Span>, u32>);

impl WordLists {
    /// Returns the numbers of the mentions that the split antecedents of a side consist of.
    fn number(&mut self, side: &LocatedSide<'_>) -> BTreeMap<u32, u32> {
        let parts = side.selected.splits.iter().flat_map(|split| split.parts.iter().flatten());
        let mut numbers = BTreeMap::new();
        for &place in parts {
            numbers.entry(place).or_insert_with(|| {
                let words = numbered(side.document.mentions()[place as usize].parts(), side.numbers);
                let next = self.0.len() as u32;
                *self.0.entry(words).or_insert(next)
            });
        }
        numbers
    }
}

/// Returns the split antecedents of an alignment. `numbers` is `None` if there are none.
pub(super) fn splits_of(
    numbers: Option<&PartNumbers>,
    alignment: &Alignment,
    document: &Document,
    settings: &Settings,
) -> Option<Box<SplitTable>> {
    let only = settings.split_antecedents == SplitAntecedents::Only;
    let Some(numbers) = numbers else {
        // A document without split antecedents has nothing to score here.
        return only.then(|| Box::new(SplitTable { only, ..SplitTable::default() }));
    };
    let members = |splits: &[SelectedSplit], numbers: &[u32]| -> Vec<SplitMember> {
        let number = |part: &Vec<u32>| part.iter().map(|&place| numbers[place as usize]).collect();
        let member = |split: &SelectedSplit| SplitMember {
            entity: split.entity,
            parts: split.parts.iter().map(number).collect(),
            ..SplitMember::default()
        };
        splits.iter().map(member).collect()
    };
    let mut key = members(&alignment.key.splits, &numbers.key);
    let response = members(&alignment.response.splits, &numbers.response);
    let words = |split: &SelectedSplit, words: &BTreeMap<u32, u32>| {
        let part = |part: &Vec<u32>| -> Vec<u32> {
            let mut part: Vec<u32> = part.iter().map(|place| words[place]).collect();
            part.sort_unstable();
            part
        };
        let mut parts: Vec<Vec<u32>> = split.parts.iter().map(part).collect();
        parts.sort_unstable();
        parts
    };
    let mut equal: FxHashMap<Vec<Vec<u32>>, u32> = FxHashMap::default();
    for (place, split) in (0..).zip(&alignment.response.splits) {
        equal.insert(words(split, &numbers.response_words), place);
    }
    let found = KeyMentions::new(alignment, document, numbers);
    for (member, split) in key.iter_mut().zip(&alignment.key.splits) {
        member.equal = equal.get(&words(split, &numbers.key_words)).copied();
        (member.before, member.after) = found.around(split);
    }
    Some(Box::new(SplitTable { key, response, only }))
}

/// The mentions of the key by position.
struct KeyMentions<'a> {
    document: &'a Document,
    numbers: &'a PartNumbers,
    /// The response entity that contains each aligned class of the key.
    entities: FxHashMap<u32, u32>,
    /// The mentions of each key entity, by their positions in the document.
    members: Vec<Vec<u32>>,
}

impl<'a> KeyMentions<'a> {
    fn new(alignment: &Alignment, document: &'a Document, numbers: &'a PartNumbers) -> KeyMentions<'a> {
        let pair = |&(ours, theirs): &(u32, u32)| {
            let mention = alignment.key.mentions[ours as usize].mention;
            (numbers.key[mention as usize], alignment.response.mentions[theirs as usize].entity)
        };
        let entities = alignment.pairs.iter().map(pair).collect();
        let mut members = vec![Vec::new(); alignment.key.sizes.len()];
        for chosen in &alignment.key.mentions {
            members[chosen.entity as usize].push(chosen.mention);
        }
        KeyMentions { document, numbers, entities, members }
    }

    /// Returns the response entities of the mentions before and after a split antecedent of the key, in the order of
    /// Python's sets. With zeros, that order changes from run to run in Python; here it is one of the possible
    /// orders.
    fn around(&self, split: &SelectedSplit) -> (Vec<u32>, Vec<u32>) {
        let nodes = self.document.words().empty_nodes();
        let in_text = |word: u32| python_order::number_in_text(nodes, word);
        let hash = |place: u32| {
            let mention = &self.document.mentions()[place as usize];
            let words = mention.parts().iter().flat_map(|part| part.start()..part.end());
            python_order::frozen_set(words.map(in_text))
        };
        let members = &self.members[split.entity as usize];
        let sums = split.parts.iter().map(|part| python_order::tuple(part.iter().map(|&place| hash(place))));
        let hashes: Vec<u64> =
            members.iter().map(|&place| hash(place)).chain([python_order::frozen_set(sums)]).collect();
        let order = python_order::set(&hashes);
        let own = order.iter().position(|&member| member == members.len()).unwrap_or(order.len());
        let found = |side: &[usize]| {
            let entity = |&member: &usize| {
                let class = self.numbers.key[*members.get(member)? as usize];
                self.entities.get(&class).copied()
            };
            side.iter().filter_map(entity).collect()
        };
        (found(&order[..own]), found(&order[own..]))
    }
}
