//! Exact matching: two mentions are the same if they consist of the same words.
//!
//! Both sides are sorted by place and merged. The time is the time of sorting, and most readers return sorted mentions.
//! The merge groups mentions that a side repeats, and the rule for duplicates is applied to these groups.

use crate::wording::text;
use crate::wording::{Text, line_aside, quoted};
use std::collections::BTreeMap;

use corefeval_metrics::aligned::SetLinks;
use rustc_hash::{FxHashMap, FxHashSet};

use super::coordinates::Coordinates;
use super::link_sets::SetLinksBuilder;
use super::{Alignment, MentionCounts, Repeated};
use crate::diagnostic::{Code, Diagnostics};
use crate::model::{Document, EntityId, Mention, Side, first_equal};
use crate::selection::Selected;
use crate::settings::{Duplicates, Settings};

/// A mention by its position.
#[derive(Clone, Copy)]
pub(super) struct MentionPlace {
    /// A number that is equal only for mentions with the same words. It increases in the order in which CoNLL files
    /// close mentions: by last word, then by first word backwards.
    pub(super) place: u64,
    /// The position in the selection.
    pub(super) index: u32,
}

pub(super) fn align(
    mut key: (&Document, Selected),
    mut response: (&Document, Selected),
    settings: &Settings,
    diagnostics: &mut Diagnostics,
) -> Alignment {
    let words = (key.0.words(), response.0.words());
    let (mut key_placed, mut response_placed) = if words.0.are_names() && words.1.are_names() {
        let (ours, theirs) = number_names(key.0, response.0).unwrap_or_default();
        let ours = place_names(Side::Key, &mut key, &ours, diagnostics);
        (ours, place_names(Side::Response, &mut response, &theirs, diagnostics))
    } else {
        match Coordinates::unless_equal(words.0, words.1, settings.place) {
            None => (placed(key.0, &key.1, |word| word), placed(response.0, &response.1, |word| word)),
            Some(Coordinates { key: ours, response: theirs }) => {
                let ours = placed(key.0, &key.1, |word| ours.of(word));
                (ours, placed(response.0, &response.1, |word| theirs.of(word)))
            }
        }
    };
    if [(key.0, &key.1), (response.0, &response.1)].iter().any(|side| has_gaps(side.0, side.1)) {
        separate_gaps([(key.0, &key.1, &mut key_placed), (response.0, &response.1, &mut response_placed)]);
    }
    align_placed(key, response, &key_placed, &response_placed, settings, diagnostics)
}

/// Aligns mentions with known places. The same place means the same mention.
pub(super) fn align_placed(
    key: (&Document, Selected),
    response: (&Document, Selected),
    key_placed: &[MentionPlace],
    response_placed: &[MentionPlace],
    settings: &Settings,
    diagnostics: &mut Diagnostics,
) -> Alignment {
    warn_of_repeated(Side::Key, key.0, &key.1, key_placed, diagnostics);
    warn_of_repeated(Side::Response, response.0, &response.1, response_placed, diagnostics);
    match settings.duplicates {
        Duplicates::First => align_first(key.1, response.1, key_placed, response_placed),
        rule => {
            // The last entity matters only for repeated mentions.
            let ranks = |(document, selected): (&Document, &Selected), placed: &[MentionPlace]| {
                let repeats = placed.windows(2).any(|two| two[0].place == two[1].place);
                match rule {
                    _ if !repeats => Vec::new(),
                    Duplicates::Distinct => ranks_by_place(document, selected),
                    _ => ranks_by_completion(document, selected),
                }
            };
            let ranks =
                (ranks((key.0, &key.1), key_placed), ranks((response.0, &response.1), response_placed));
            align_last(key.1, response.1, key_placed, response_placed, ranks, rule == Duplicates::LastSets)
        }
    }
}

fn mention<'d>(document: &'d Document, selected: &Selected, placed: &MentionPlace) -> &'d Mention {
    &document.mentions()[selected.mentions[placed.index as usize].mention as usize]
}

/// Returns the mentions of a selection, sorted by place. `number` returns the number of a word.
fn placed(document: &Document, selected: &Selected, number: impl Fn(u32) -> u32) -> Vec<MentionPlace> {
    let mentions = document.mentions();
    let mut all: Vec<MentionPlace> = Vec::with_capacity(selected.mentions.len());
    let mut sorted = true;
    for (index, selected) in selected.mentions.iter().enumerate() {
        let span = mentions[selected.mention as usize].span();
        let (start, end) = (number(span.start()), number(span.last()).wrapping_add(1));
        let place = u64::from(end) << 32 | u64::from(u32::MAX - start);
        sorted &= all.last().is_none_or(|last| last.place <= place);
        all.push(MentionPlace { place, index: index as u32 });
    }
    if !sorted {
        all.sort_unstable_by_key(|placed| (placed.place, placed.index));
    }
    all
}

fn has_gaps(document: &Document, selected: &Selected) -> bool {
    let mentions = document.mentions();
    selected.mentions.iter().any(|selected| mentions[selected.mention as usize].parts().len() > 1)
}

/// Assigns separate places to discontinuous mentions. Otherwise they would share a place with all
/// mentions of the same first and last word.
fn separate_gaps(sides: [(&Document, &Selected, &mut Vec<MentionPlace>); 2]) {
    let words = |document: &Document, selected: &Selected, placed: &MentionPlace| {
        let mention = mention(document, selected, placed);
        let start = mention.span().start();
        let parts = mention.parts().iter().map(|part| (part.start() - start, part.end() - start));
        (placed.place, parts.collect::<Vec<_>>())
    };
    let [key, response] = sides;
    let key_words: Vec<_> = key.2.iter().map(|placed| words(key.0, key.1, placed)).collect();
    let response_words: Vec<_> =
        response.2.iter().map(|placed| words(response.0, response.1, placed)).collect();
    place_by_rank([(key.2, key_words), (response.2, response_words)]);
}

/// Assigns places to mentions by identity: equal values get the same place on both sides.
pub(super) fn place_by_rank<T: Ord + Clone>(sides: [(&mut Vec<MentionPlace>, Vec<T>); 2]) {
    let mut ranks: BTreeMap<T, u64> =
        sides.iter().flat_map(|side| side.1.iter().cloned()).map(|v| (v, 0)).collect();
    ranks.values_mut().zip(0..).for_each(|(rank, next)| *rank = next);
    for (all, values) in sides {
        for (placed, value) in all.iter_mut().zip(&values) {
            placed.place = ranks[value];
        }
        all.sort_unstable_by_key(|placed| (placed.place, placed.index));
    }
}

/// Assigns equal numbers to equal names: first the names of the key, in order, then names that only the response has.
fn number_names(key: &Document, response: &Document) -> Option<(Vec<u32>, Vec<u32>)> {
    let (ours, theirs) = (&key.words().layers()?.form, &response.words().layers()?.form);
    // The numbers of the response continue after the key's.
    let name = |word: u32| {
        let word = word as usize;
        ours.get(word).or_else(|| theirs.get(word - ours.len())).unwrap_or_default()
    };
    let (key_count, all) = (ours.len() as u32, (ours.len() + theirs.len()) as u32);
    let mut numbers = first_equal(all, name);
    let of_response = numbers.split_off(key_count as usize);
    Some((numbers, of_response))
}

/// Returns the mentions of a side whose words are names, sorted by the numbers of the names. Drops all but the first copy
/// of a name within an entity, and reports the copies that it drops. An entity is a set of names, so a line or row that
/// repeats a name adds nothing to it, under any profile.
fn place_names(
    side: Side,
    (document, selected): &mut (&Document, Selected),
    numbers: &[u32],
    diagnostics: &mut Diagnostics,
) -> Vec<MentionPlace> {
    let number = |word: u32| numbers.get(word as usize).copied().unwrap_or(word);
    let all = placed(document, selected, number);
    let mut dropped = Vec::new();
    for copies in all.chunk_by(|a, b| a.place == b.place).filter(|copies| copies.len() > 1) {
        let entity = |placed: &MentionPlace| selected.mentions[placed.index as usize].entity;
        let mut seen: FxHashMap<u32, &MentionPlace> = FxHashMap::default();
        for copy in copies {
            let Some(first) = seen.get(&entity(copy)) else {
                seen.insert(entity(copy), copy);
                continue;
            };
            dropped.push(copy.index);
            let (first, copy) = (mention(document, selected, first), mention(document, selected, copy));
            let (position, id) = (document.position_of(copy), document.id().to_string());
            diagnostics.add(Code::DuplicateMention, Some(position), Some(id), || {
                text!(
                    "the {} has {} in entity {} twice{}; it counts once",
                    side.label(),
                    describe(document, copy),
                    quoted(document.entity_name(copy.entity())),
                    line_aside("first at ", document.position_of(first), "")
                )
            });
        }
    }
    if !dropped.is_empty() {
        dropped.sort_unstable();
        *selected = selected.without(&dropped);
        return placed(document, selected, number);
    }
    all
}

/// Describes a mention for messages: its name, or its position.
pub(crate) fn describe(document: &Document, mention: &Mention) -> String {
    let words = document.words();
    let name = words.layers().filter(|_| words.are_names());
    match name.and_then(|layers| layers.form.get(mention.span().start() as usize)) {
        Some(name) => format!("`{}`", document.name_in_file(name)),
        None if mention.parts().is_empty() => {
            format!("the mention without words at word {}", mention.span().end())
        }
        None if mention.span().len() == 1 => format!("the mention of word {}", mention.span().end()),
        None => format!("the mention of words {} to {}", mention.span().start() + 1, mention.span().end()),
    }
}

/// Describes the entities of two copies of a mention for messages, with the line of the first copy.
pub(crate) fn where_copied(document: &Document, copy: &Mention, first: &Mention) -> Text {
    let entity = |mention: &Mention| quoted(document.entity_name(mention.entity()));
    let entities = match first.entity() == copy.entity() {
        true => text!("twice in entity {}", entity(first)),
        false => text!("in entity {} and again in entity {}", entity(first), entity(copy)),
    };
    entities.and(line_aside("the other copy opens at ", document.position_of(first), ""))
}

/// Reports the mentions that a side annotates more than once, with both places and entities.
fn warn_of_repeated(
    side: Side,
    document: &Document,
    selected: &Selected,
    placed: &[MentionPlace],
    diagnostics: &mut Diagnostics,
) {
    for two in placed.windows(2).filter(|two| two[0].place == two[1].place) {
        let (first, second) = (mention(document, selected, &two[0]), mention(document, selected, &two[1]));
        let position = document.position_of(second);
        diagnostics.add(Code::DuplicateMention, Some(position), Some(document.id().to_string()), || {
            let mention = describe(document, second);
            text!("the {} has {} {}", side.label(), mention, where_copied(document, second, first))
        });
    }
}

/// Calls `each` with the mentions of both sides at every place, in order.
fn walk<'p>(
    key: &'p [MentionPlace],
    response: &'p [MentionPlace],
    mut each: impl FnMut(&'p [MentionPlace], &'p [MentionPlace]),
) {
    let (mut key, mut response) = (key, response);
    loop {
        let place = match (key.first(), response.first()) {
            (Some(ours), Some(theirs)) => ours.place.min(theirs.place),
            (Some(one), None) | (None, Some(one)) => one.place,
            (None, None) => return,
        };
        each(take(&mut key, place), take(&mut response, place));
    }
}

/// Removes the mentions at the front that are at `place`, and returns them.
fn take<'p>(side: &mut &'p [MentionPlace], place: u64) -> &'p [MentionPlace] {
    let length = side.iter().take_while(|placed| placed.place == place).count();
    let (group, rest) = side.split_at(length);
    *side = rest;
    group
}

/// Aligns by the rule of the reference scorer. If the key has a mention that the response repeats, the copy in the
/// first entity counts and the others are dropped. Copies of a mention that the key lacks are all kept. All copies of a
/// key mention are kept too, and the response matches the last one.
fn align_first(
    key_selected: Selected,
    response_selected: Selected,
    key: &[MentionPlace],
    response: &[MentionPlace],
) -> Alignment {
    let mut alignment =
        Alignment { pairs: Vec::with_capacity(key.len().min(response.len())), ..Alignment::default() };
    let mut dropped: Vec<u32> = Vec::new();
    let mut copies: Vec<(u32, u32)> = Vec::new();
    let mut repeats = false;
    walk(key, response, |keys, responses| {
        alignment.mentions.key += u64::from(!keys.is_empty());
        alignment.mentions.response += u64::from(!responses.is_empty());
        repeats |= keys.len() > 1 || (keys.is_empty() && responses.len() > 1);
        // The entities of mentions that occur once are not looked up, because in large documents they are scattered
        // in memory.
        let last = match keys {
            [only] => Some(only),
            copies => copies.iter().max_by_key(|placed| (entity(&key_selected, placed), placed.index)),
        };
        let first = match responses {
            [only] => Some(only),
            copies => copies.iter().min_by_key(|placed| (entity(&response_selected, placed), placed.index)),
        };
        if let (Some(last), Some(first)) = (last, first) {
            alignment.mentions.shared += 1;
            alignment.pairs.push((last.index, first.index));
            if keys.len() > 1 {
                copies.extend(keys.iter().map(|placed| (placed.index, first.index)));
            }
            dropped.extend(responses.iter().map(|placed| placed.index).filter(|&index| index != first.index));
        }
    });
    let links = repeats.then(|| set_links(&key_selected, &response_selected, key, response));
    alignment.key = key_selected;
    alignment.response = response_selected;
    if !dropped.is_empty() {
        dropped.sort_unstable();
        alignment.response = alignment.response.without(&dropped);
        for (_, response) in alignment.pairs.iter_mut().chain(&mut copies) {
            *response -= dropped.partition_point(|dropped| dropped < response) as u32;
        }
    }
    alignment.repeated = links.map(|links| Box::new(repeated_in_key(&alignment.pairs, copies, links)));
    alignment
}

/// Returns the copies that count if the key repeats mentions: all of them for recall and similarity, the last one
/// for precision. `copies` are the copies of repeated mentions.
fn repeated_in_key(pairs: &[(u32, u32)], copies: Vec<(u32, u32)>, links: SetLinks) -> Repeated {
    let with_copies: FxHashSet<u32> = copies.iter().map(|pair| pair.1).collect();
    let mut all: Vec<(u32, u32)> =
        pairs.iter().filter(|pair| !with_copies.contains(&pair.1)).copied().chain(copies).collect();
    all.sort_unstable();
    Repeated {
        recall: all.clone(),
        precision: pairs.to_vec(),
        similarity: all,
        links: Some(links),
        ..Repeated::default()
    }
}

/// Returns the links of both sides as sets, after dropping the copies of response mentions that the key has.
fn set_links(
    key_selected: &Selected,
    response_selected: &Selected,
    key: &[MentionPlace],
    response: &[MentionPlace],
) -> SetLinks {
    let mut links = SetLinksBuilder::default();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    walk(key, response, |keys, responses| {
        ours.clear();
        ours.extend(keys.iter().map(|placed| entity(key_selected, placed)));
        ours.sort_unstable();
        theirs.clear();
        theirs.extend(responses.iter().map(|placed| entity(response_selected, placed)));
        theirs.sort_unstable();
        if !ours.is_empty() {
            theirs.truncate(1);
        }
        links.add(&ours, &theirs);
    });
    links.finish()
}

fn entity(selected: &Selected, placed: &MentionPlace) -> u32 {
    selected.mentions[placed.index as usize].entity
}

/// Aligns by the rule of coval and corefud-scorer: copies stay in their entities, and for the other side a mention is
/// in the last entity that contains it. `ranks` defines the order of entities. With `as_sets`, similarity counts a
/// mention once in each entity.
fn align_last(
    key_selected: Selected,
    response_selected: Selected,
    key: &[MentionPlace],
    response: &[MentionPlace],
    (key_ranks, response_ranks): (Vec<u32>, Vec<u32>),
    as_sets: bool,
) -> Alignment {
    let last = |selected: &Selected, ranks: &[u32], group: &[MentionPlace]| {
        let latest = match group {
            [only] => Some(only),
            group => group.iter().max_by_key(|placed| ranks[entity(selected, placed) as usize]),
        };
        latest.map(|placed| placed.index)
    };
    let mut repeats = false;
    let mut mentions = MentionCounts::default();
    let mut pairs = Vec::with_capacity(key.len().min(response.len()));
    let mut repeated = Repeated::default();
    walk(key, response, |keys, responses| {
        repeats |= keys.len() > 1 || responses.len() > 1;
        let (ours, surplus) = once_in_each(&key_selected, keys, as_sets);
        repeated.surplus[0].extend(surplus);
        if as_sets {
            repeated.surplus[1].extend(once_in_each(&response_selected, responses, true).1);
        }
        mentions.key += u64::from(!keys.is_empty());
        mentions.response += u64::from(!responses.is_empty());
        let last_key = last(&key_selected, &key_ranks, keys);
        let last_response = last(&response_selected, &response_ranks, responses);
        let (Some(last_key), Some(last_response)) = (last_key, last_response) else { return };
        mentions.shared += 1;
        pairs.push((last_key, last_response));
        repeated.recall.extend(keys.iter().map(|placed| (placed.index, last_response)));
        repeated.precision.extend(responses.iter().map(|placed| (last_key, placed.index)));
        // Each copy in the key (one in each entity if `as_sets`) counts with each response entity that contains the
        // mention.
        let (theirs, _) = once_in_each(&response_selected, responses, true);
        for ours in ours {
            repeated.similarity.extend(theirs.iter().map(|&theirs| (ours, theirs)));
        }
    });
    Alignment {
        key: key_selected,
        response: response_selected,
        pairs,
        mentions,
        repeated: repeats.then(|| Box::new(repeated)),
        ..Alignment::default()
    }
}

/// Returns the copies of a mention (only the first in each entity if `once`), and the entities of the other copies.
fn once_in_each(selected: &Selected, copies: &[MentionPlace], once: bool) -> (Vec<u32>, Vec<u32>) {
    let mut all: Vec<u32> = copies.iter().map(|placed| placed.index).collect();
    let mut surplus = Vec::new();
    if once && all.len() > 1 {
        let entity_of = |index: u32| selected.mentions[index as usize].entity;
        all.sort_unstable_by_key(|&index| (entity_of(index), index));
        all.dedup_by(|next, first| {
            let same = entity_of(*next) == entity_of(*first);
            surplus.extend(same.then(|| entity_of(*next)));
            same
        });
    }
    (all, surplus)
}

/// Returns, for each entity, its position in the order of first mentions in the document. If two mentions start at one
/// word, the longer comes first. Entities that start with the same mention are in the order of their names. Mentions
/// that are not scored count too.
pub(super) fn ranks_by_place(document: &Document, selected: &Selected) -> Vec<u32> {
    let mut firsts = vec![(u32::MAX, 0, 0); document.entities().len()];
    for mention in document.mentions() {
        let place = (mention.span().start(), u32::MAX - mention.word_count(), mention.span().end());
        let first = &mut firsts[mention.entity().index()];
        *first = place.min(*first);
    }
    ranks(document, selected, |entity| (firsts[entity.index()], document.entity_name(entity)))
}

/// Returns, for each entity, its position in the order of first complete mentions, whether these are scored or not.
fn ranks_by_completion(document: &Document, selected: &Selected) -> Vec<u32> {
    let mut firsts = vec![u32::MAX; document.entities().len()];
    for (place, mention) in (0..).zip(document.mentions()) {
        let first = &mut firsts[mention.entity().index()];
        *first = place.min(*first);
    }
    ranks(document, selected, |entity| firsts[entity.index()])
}

/// Returns, for each selected entity, its position in an order of the document's entities. An entity that was
/// merged from several gets the first of their positions.
fn ranks<T: Ord>(document: &Document, selected: &Selected, order: impl Fn(EntityId) -> T) -> Vec<u32> {
    let mut places: Vec<Option<T>> = selected.sizes.iter().map(|_| None).collect();
    for chosen in &selected.mentions {
        let own = order(document.mentions()[chosen.mention as usize].entity());
        let place = &mut places[chosen.entity as usize];
        if place.as_ref().is_none_or(|place| own < *place) {
            *place = Some(own);
        }
    }
    let mut sorted: Vec<usize> = (0..places.len()).collect();
    sorted.sort_by(|&a, &b| places[a].cmp(&places[b]));
    let mut ranks = vec![0; places.len()];
    for (rank, entity) in (0..).zip(sorted) {
        ranks[entity] = rank;
    }
    ranks
}
