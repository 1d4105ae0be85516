//! Span errors: mentions that the response has with other words than the key.
//!
//! They are looked for first of all, among the mentions that the other side lacks; entities play no part.

use rustc_hash::FxHashMap;

use super::Side;
use super::items::{Aligned, Item, NONE};
use super::text::Range;

/// A response mention that corresponds to a key mention of other words: places in the list of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SpanError {
    pub(super) key: u32,
    pub(super) response: u32,
}

/// Finds the span errors, in the order of the response's mentions.
///
/// 1. Mentions of one sentence that are the same once articles, possessive endings and punctuation are taken off
///    both ends. Response mentions take the first free key mention in the order of the text.
/// 2. Among the rest, the only response mention and the only key mention with a common head.
///
/// Both passes go by outer ends, so that a discontinuous mention is trimmed at its first and last word. Documents
/// whose words are names of mentions have no spans and no span errors.
pub(super) fn span_errors(aligned: &Aligned<'_>) -> Vec<SpanError> {
    if aligned.pair.key.words().are_names() {
        return Vec::new();
    }
    let on = |side: Side| {
        let alone = move |item: &Item| match side {
            Side::Key => item.response == NONE,
            Side::Response => item.key == NONE,
        };
        (0..).zip(&aligned.items).filter(move |(_, item)| alone(item))
    };
    let keys: Vec<(u32, &Item)> = on(Side::Key).collect();
    let responses: Vec<(u32, &Item)> = on(Side::Response).collect();
    let (mut key_taken, mut response_taken) = (vec![false; keys.len()], vec![false; responses.len()]);
    let mut found = Vec::new();

    let trimmed = |item: &Item| {
        let Range { start, end } = aligned.text.trimmed(item.range);
        let sentence = |word: u32| aligned.text.sentence(word);
        // A mention over several sentences is of the one that it begins in.
        (sentence(item.range.start), start, end)
    };
    let mut by_words: FxHashMap<(u32, u32, u32), Vec<u32>> = FxHashMap::default();
    for (place, (_, item)) in (0..).zip(&keys) {
        by_words.entry(trimmed(item)).or_default().push(place);
    }
    by_words.values_mut().for_each(|places| places.reverse());
    for (place, (response, item)) in responses.iter().enumerate() {
        if let Some(ours) = by_words.get_mut(&trimmed(item)).and_then(Vec::pop) {
            (key_taken[ours as usize], response_taken[place]) = (true, true);
            found.push(SpanError { key: keys[ours as usize].0, response: *response });
        }
    }

    let head = |side: Side, item: &Item| aligned.text.head(side, aligned.mention_on(side, item));
    let mut by_head: FxHashMap<u32, [Vec<usize>; 2]> = FxHashMap::default();
    for (place, (_, item)) in keys.iter().enumerate().filter(|(place, _)| !key_taken[*place]) {
        by_head.entry(head(Side::Key, item)).or_default()[0].push(place);
    }
    let left = responses.iter().enumerate().filter(|(place, _)| !response_taken[*place]);
    let heads: Vec<(usize, u32)> =
        left.map(|(place, (_, item))| (place, head(Side::Response, item))).collect();
    for &(place, head) in &heads {
        by_head.entry(head).or_default()[1].push(place);
    }
    for (place, head) in heads {
        if let [[ours], [_]] = by_head[&head].each_ref().map(Vec::as_slice) {
            found.push(SpanError { key: keys[*ours].0, response: responses[place].0 });
        }
    }
    found.sort_unstable_by_key(|error| error.response);
    found
}

/// The items once the span errors are corrected: the key's mention takes the response's place in its entity.
pub(super) fn corrected(items: &[Item], errors: &[SpanError]) -> Vec<Item> {
    let mut items = items.to_vec();
    for error in errors {
        let response = items[error.response as usize];
        let key = &mut items[error.key as usize];
        (key.response, key.response_entity) = (response.response, response.response_entity);
        items[error.response as usize].response = NONE;
    }
    items.retain(|item| item.key != NONE || item.response != NONE);
    items
}
