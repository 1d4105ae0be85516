//! Exact matching: two mentions are the same when they are the same words.
//!
//! Both sides are sorted by place and walked together, so the time is that of sorting (and readers
//! mostly deliver sorted mentions). Mentions that a side repeats fall into one group on the way, and
//! the rule for duplicates is applied there.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::{Alignment, Repeated, SelectedPair};
use crate::diagnostic::{Code, Diagnostics};
use crate::formats::Side;
use crate::model::{Document, Mention};
use crate::overlap::MentionCounts;
use crate::selection::Selected;
use crate::settings::{Duplicates, Place, Settings};

/// A mention by where it is.
struct Placed<'d> {
    /// Last word, then first word counted backwards: the order in which CoNLL files close mentions.
    place: u64,
    mention: &'d Mention,
    /// The place in the selection.
    index: u32,
}

pub(super) fn align(pair: SelectedPair<'_>, settings: &Settings, diagnostics: &mut Diagnostics) -> Alignment {
    let shifts = shifts(pair, settings);
    let key = placed(pair.key, pair.key_selected, shifts.as_ref().map(|shifts| shifts.0.as_slice()));
    let response =
        placed(pair.response, pair.response_selected, shifts.as_ref().map(|shifts| shifts.1.as_slice()));
    tell_repeated(Side::Key, pair.key, pair.key_selected, &key, diagnostics);
    tell_repeated(Side::Response, pair.response, pair.response_selected, &response, diagnostics);
    match settings.duplicates {
        Duplicates::First => align_first(pair, &key, &response),
        Duplicates::Last => align_last(pair, &key, &response),
    }
}

/// The mentions of a selection, sorted by place. `shifts` says how far each word is moved first.
fn placed<'d>(document: &'d Document, selected: &Selected, shifts: Option<&[i64]>) -> Vec<Placed<'d>> {
    let shift = |word: u32| shifts.map_or(0, |shifts| shifts[word as usize]);
    let mut all: Vec<Placed<'d>> = selected
        .mentions
        .iter()
        .enumerate()
        .map(|(index, selected)| {
            let mention = &document.mentions()[selected.mention as usize];
            let span = mention.span();
            let by = shift(span.last());
            let (start, end) = ((i64::from(span.start()) + by) as u32, (i64::from(span.end()) + by) as u32);
            let place = u64::from(end) << 32 | u64::from(u32::MAX - start);
            Placed { place, mention, index: index as u32 }
        })
        .collect();
    if !all.is_sorted_by(|a, b| (a.place, a.index) <= (b.place, b.index)) {
        all.sort_unstable_by_key(|placed| (placed.place, placed.index));
    }
    // Discontinuous mentions share a place with others of the same first and last word.
    if all.iter().any(|placed| placed.mention.parts().len() > 1) {
        all.sort_by(|a, b| compare(a, b));
    }
    all
}

/// Orders by place, then by the gaps within.
fn compare(a: &Placed<'_>, b: &Placed<'_>) -> Ordering {
    a.place.cmp(&b.place).then_with(|| match (a.mention.details(), b.mention.details()) {
        (None, None) => Ordering::Equal,
        _ => {
            let parts = |placed: &Placed<'_>| {
                let start = placed.mention.span().start();
                let parts = placed.mention.parts().iter();
                parts.map(|part| (part.start() - start, part.end() - start)).collect::<Vec<_>>()
            };
            parts(a).cmp(&parts(b))
        }
    })
}

/// How far to move each word of key and response so that places can be compared, where they cannot
/// be as they are: words that are names go to the number of their name, and with `place:sentence`
/// each sentence goes where both sides have room for it.
fn shifts(pair: SelectedPair<'_>, settings: &Settings) -> Option<(Vec<i64>, Vec<i64>)> {
    let (key, response) = (pair.key.words(), pair.response.words());
    if key.are_names() && response.are_names() {
        let mut numbers = HashMap::new();
        return Some((shifts_by_name(pair.key, &mut numbers), shifts_by_name(pair.response, &mut numbers)));
    }
    if settings.place == Place::Document || key.sentences() == response.sentences() {
        return None;
    }
    let lengths = |document: &Document| -> Vec<u32> {
        let words = document.words();
        let starts = words.sentences();
        let ends = starts.iter().skip(1).copied().chain([words.count()]);
        starts.iter().zip(ends).map(|(&start, end)| end - start).collect()
    };
    let (key_lengths, response_lengths) = (lengths(pair.key), lengths(pair.response));
    let room = |sentence: usize| {
        let length = |lengths: &[u32]| lengths.get(sentence).copied().unwrap_or(0);
        length(&key_lengths).max(length(&response_lengths))
    };
    let side = |lengths: &[u32]| -> Vec<i64> {
        let (mut shifts, mut base, mut start) = (Vec::new(), 0i64, 0i64);
        for (sentence, &length) in lengths.iter().enumerate() {
            shifts.extend(std::iter::repeat_n(base - start, length as usize));
            base += i64::from(room(sentence));
            start += i64::from(length);
        }
        shifts
    };
    Some((side(&key_lengths), side(&response_lengths)))
}

fn shifts_by_name<'d>(document: &'d Document, numbers: &mut HashMap<&'d str, i64>) -> Vec<i64> {
    let names = document.words().layers().into_iter().flat_map(|layers| layers.form.iter());
    names
        .enumerate()
        .map(|(word, name)| {
            let next = numbers.len() as i64;
            *numbers.entry(name).or_insert(next) - word as i64
        })
        .collect()
}

/// Reports the mentions that a side annotates more than once, with both places and entities.
fn tell_repeated(
    side: Side,
    document: &Document,
    selected: &Selected,
    placed: &[Placed<'_>],
    diagnostics: &mut Diagnostics,
) {
    for two in placed.windows(2) {
        if compare(&two[0], &two[1]) != Ordering::Equal {
            continue;
        }
        let (first, second) = (two[0].mention, two[1].mention);
        debug_assert!(two[1].index < selected.mentions.len() as u32);
        let position = document.position_of(second);
        diagnostics.add(Code::DuplicateMention, Some(position), Some(document.id().to_string()), || {
            format!(
                "the {} has this mention in entity `{}` and again in entity `{}` (the other copy opens at line {})",
                side.label(),
                document.entity_name(first.entity()),
                document.entity_name(second.entity()),
                first.line(),
            )
        });
    }
}

/// Calls `each` with the mentions of both sides at every place, in order.
fn walk<'p, 'd>(
    key: &'p [Placed<'d>],
    response: &'p [Placed<'d>],
    mut each: impl FnMut(&'p [Placed<'d>], &'p [Placed<'d>]),
) {
    let (mut key, mut response) = (key, response);
    loop {
        let order = match (key.first(), response.first()) {
            (Some(a), Some(b)) => compare(a, b),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return,
        };
        let take = |side: &mut &'p [Placed<'d>], wanted: bool| -> &'p [Placed<'d>] {
            let length = if wanted { run(side) } else { 0 };
            let (group, rest) = side.split_at(length);
            *side = rest;
            group
        };
        let key_group = take(&mut key, order != Ordering::Greater);
        let response_group = take(&mut response, order != Ordering::Less);
        each(key_group, response_group);
    }
}

/// How many mentions at the front are at one place.
fn run(side: &[Placed<'_>]) -> usize {
    let same = |placed: &&Placed<'_>| compare(placed, &side[0]) == Ordering::Equal;
    1 + side[1..].iter().take_while(same).count()
}

/// The reference scorer's rule: of a repeated response mention that the key has, the copy in the
/// first entity counts and the others are dropped; copies that the key lacks all stay. Of a repeated
/// key mention the copy in the last entity can be found.
fn align_first(pair: SelectedPair<'_>, key: &[Placed<'_>], response: &[Placed<'_>]) -> Alignment {
    let entity = |selected: &Selected, placed: &Placed<'_>| selected.mentions[placed.index as usize].entity;
    let mut alignment =
        Alignment { pairs: Vec::with_capacity(key.len().min(response.len())), ..Alignment::default() };
    let mut dropped: Vec<u32> = Vec::new();
    walk(key, response, |keys, responses| {
        alignment.mentions.key += u64::from(!keys.is_empty());
        alignment.mentions.response += u64::from(!responses.is_empty());
        let last = keys.iter().max_by_key(|placed| (entity(pair.key_selected, placed), placed.index));
        let first =
            responses.iter().min_by_key(|placed| (entity(pair.response_selected, placed), placed.index));
        if let (Some(last), Some(first)) = (last, first) {
            alignment.mentions.shared += 1;
            alignment.pairs.push((last.index, first.index));
            dropped.extend(responses.iter().map(|placed| placed.index).filter(|&index| index != first.index));
        }
    });
    alignment.key = pair.key_selected.clone();
    if dropped.is_empty() {
        alignment.response = pair.response_selected.clone();
    } else {
        dropped.sort_unstable();
        alignment.response = pair.response_selected.without(&dropped);
        for (_, response) in &mut alignment.pairs {
            *response -= dropped.partition_point(|dropped| dropped < response) as u32;
        }
    }
    alignment
}

/// Coval's rule: copies stay in their entities, and seen from the other side a mention is in the
/// last entity that holds it; entities are in the order of their first complete mention.
fn align_last(pair: SelectedPair<'_>, key: &[Placed<'_>], response: &[Placed<'_>]) -> Alignment {
    let (key_selected, response_selected) = (pair.key_selected, pair.response_selected);
    let entity = |selected: &Selected, placed: &Placed<'_>| selected.mentions[placed.index as usize].entity;
    let (key_ranks, response_ranks) = (ranks(key_selected), ranks(response_selected));
    let last = |selected: &Selected, ranks: &[u32], group: &[Placed<'_>]| {
        let latest = group.iter().max_by_key(|placed| ranks[entity(selected, placed) as usize]);
        latest.map(|placed| (placed.index, entity(selected, placed)))
    };
    let mut repeats = false;
    let mut mentions = MentionCounts::default();
    let mut pairs = Vec::with_capacity(key.len().min(response.len()));
    let mut repeated = Repeated {
        key_sizes: vec![0; key_selected.sizes.len()],
        response_sizes: vec![0; response_selected.sizes.len()],
        ..Repeated::default()
    };
    walk(key, response, |keys, responses| {
        repeats |= keys.len() > 1 || responses.len() > 1;
        mentions.key += u64::from(!keys.is_empty());
        mentions.response += u64::from(!responses.is_empty());
        let distinct = |selected: &Selected, group: &[Placed<'_>]| {
            let mut entities: Vec<u32> = group.iter().map(|placed| entity(selected, placed)).collect();
            entities.sort_unstable();
            entities.dedup();
            entities
        };
        let (key_entities, response_entities) =
            (distinct(key_selected, keys), distinct(response_selected, responses));
        key_entities.iter().for_each(|&entity| repeated.key_sizes[entity as usize] += 1);
        response_entities.iter().for_each(|&entity| repeated.response_sizes[entity as usize] += 1);
        let last_key = last(key_selected, &key_ranks, keys);
        let last_response = last(response_selected, &response_ranks, responses);
        let (Some(last_key), Some(last_response)) = (last_key, last_response) else { return };
        mentions.shared += 1;
        pairs.push((last_key.0, last_response.0));
        repeated.recall.extend(keys.iter().map(|placed| (entity(key_selected, placed), last_response.1)));
        repeated
            .precision
            .extend(responses.iter().map(|placed| (last_key.1, entity(response_selected, placed))));
        for &key in &key_entities {
            repeated.similarity.extend(response_entities.iter().map(|&response| (key, response)));
        }
    });
    Alignment {
        key: key_selected.clone(),
        response: response_selected.clone(),
        pairs,
        mentions,
        repeated: repeats.then(|| Box::new(repeated)),
    }
}

/// For each entity, its place in the order of first complete mentions.
fn ranks(selected: &Selected) -> Vec<u32> {
    let mut ranks = vec![u32::MAX; selected.sizes.len()];
    let mut next = 0;
    for mention in &selected.mentions {
        let rank = &mut ranks[mention.entity as usize];
        if *rank == u32::MAX {
            *rank = next;
            next += 1;
        }
    }
    ranks
}
