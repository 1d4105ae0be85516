//! Finds span errors: response mentions whose words differ from those of their key mentions.
//!
//! They are found before all other errors, among the mentions that the other side lacks; entities are ignored.

use super::items::{Aligned, Item, NONE};
use super::text::Range;
use crate::model::Side;
use crate::scratch::{Scratch, spare_lists};

/// A response mention and the corresponding key mention, whose words differ: places in the list of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SpanError {
    pub(super) key: u32,
    pub(super) response: u32,
}

spare_lists!(SpanError);

/// Finds the span errors, in the order of the response's mentions.
///
/// 1. Mentions of one sentence that are the same once articles, possessive endings and punctuation are removed from
///    both ends. Response mentions take the first free key mention in the order of the text.
/// 2. Among the rest, the only response mention and the only key mention with a common head.
///
/// Both passes compare outer ends, so a discontinuous mention is trimmed at its first and last word. Documents whose
/// words are names of mentions have no spans and no span errors.
pub(super) fn span_errors(aligned: &Aligned<'_>) -> Scratch<SpanError> {
    if aligned.pair.key.words().are_names() {
        return Scratch::new();
    }
    let touching = touching_mentions(aligned);
    // The items that only one side has.
    let on = |side: Side| {
        let alone = move |item: &Item| match side {
            Side::Key => item.response == NONE,
            Side::Response => item.key == NONE,
        };
        // Each place is stored, and overwritten unless it counts: a branch would be mispredicted for half of the items.
        let mut found = Scratch::filled(NONE, aligned.items.len());
        let mut next = 0;
        for ((place, item), touches) in (0..).zip(&aligned.items).zip(touching.iter()) {
            found[next] = place;
            next += usize::from(alone(item) & touches);
        }
        found.truncate(next);
        found
    };
    let (keys, responses) = (on(Side::Key), on(Side::Response));
    let [mut key_taken, mut response_taken] =
        [&keys, &responses].map(|items| Scratch::filled(false, items.len()));
    let mut found = Scratch::new();

    let trimmed = |place: u32| {
        let Range { start, end } = aligned.text.trimmed(aligned.items[place as usize].range);
        (aligned.sentences[place as usize], start, end)
    };
    // The key's mentions by their words; equal ones in the order of the text.
    let mut by_words: Scratch<((u32, u32, u32), usize)> =
        keys.iter().enumerate().map(|(place, &item)| (trimmed(item), place)).collect();
    by_words.sort_unstable();
    // For each run of equal mentions, the number taken so far, stored at the first of them.
    let mut taken = Scratch::filled(0_u32, by_words.len());
    for (place, &response) in responses.iter().enumerate() {
        let words = trimmed(response);
        let first = by_words.partition_point(|known| known.0 < words);
        let Some(taken) = taken.get_mut(first) else { continue };
        if let Some(&(_, ours)) = by_words.get(first + *taken as usize).filter(|known| known.0 == words) {
            *taken += 1;
            (key_taken[ours], response_taken[place]) = (true, true);
            found.push(SpanError { key: keys[ours], response });
        }
    }

    let head = |side: Side, item: u32| {
        aligned.text.head(side, aligned.mention_on(side, &aligned.items[item as usize]))
    };
    // Heads of the rest, each with its side and its item. Two items form a pair if no other item of their sides has
    // their head.
    let mut heads: Scratch<(u32, bool, u32)> = Scratch::new();
    for (side, items, taken) in
        [(Side::Key, &keys, &key_taken), (Side::Response, &responses, &response_taken)]
    {
        let left = items.iter().zip(taken.iter()).filter(|(_, taken)| !**taken);
        heads.extend(left.map(|(&item, _)| (head(side, item), side == Side::Response, item)));
    }
    heads.sort_unstable();
    for same in heads.chunk_by(|one, other| one.0 == other.0) {
        if let [(_, false, ours), (_, true, theirs)] = *same {
            found.push(SpanError { key: ours, response: theirs });
        }
    }
    found.sort_unstable_by_key(|error| error.response);
    found
}

/// Returns, for each item that only one side has, whether its words touch those of an item that only the other side has.
/// Others have no span error if heads follow the parse: they share no head, and no words once both are trimmed. Few items
/// touch, and those that do not need not be trimmed.
fn touching_mentions(aligned: &Aligned<'_>) -> Scratch<bool> {
    let items = &aligned.items;
    if !aligned.text.parses_heads() {
        // Annotated heads may be outside their mentions.
        return Scratch::filled(true, items.len());
    }
    // Mentions of the key, of the response, and of both are counted alike, because branches would be mispredicted.
    const OTHER: [usize; 3] = [1, 0, 2];
    let kind = |item: &Item| match [item.key, item.response].map(|place| place == NONE) {
        [false, true] => 0,
        [true, _] => 1,
        [false, false] => 2,
    };
    let mut touching = Scratch::filled(false, items.len());
    // The end of the mentions that start before, and the start of the next one.
    let (mut end, mut start) = ([0; 3], [NONE; 3]);
    for (item, touches) in items.iter().zip(touching.iter_mut()) {
        let kind = kind(item);
        *touches = end[OTHER[kind]] > item.range.start;
        end[kind] = end[kind].max(item.range.end);
    }
    for (item, touches) in items.iter().zip(touching.iter_mut()).rev() {
        let kind = kind(item);
        *touches |= start[OTHER[kind]] < item.range.end;
        start[kind] = item.range.start;
    }
    touching
}

/// Returns the items once the span errors are corrected: the key's mention replaces the response's in its entity.
pub(super) fn corrected(items: &[Item], errors: &[SpanError]) -> Scratch<Item> {
    let mut items: Scratch<Item> = items.iter().copied().collect();
    for error in errors {
        let response = items[error.response as usize];
        let key = &mut items[error.key as usize];
        (key.response, key.response_entity) = (response.response, response.response_entity);
        items[error.response as usize].response = NONE;
    }
    items.retain(|item| item.key != NONE || item.response != NONE);
    items
}

/// Returns, for each of the [`corrected`] items, whether it has a span error; empty if there is none.
pub(super) fn with_errors(items: &[Item], errors: &[SpanError]) -> Scratch<bool> {
    if errors.is_empty() {
        return Scratch::new();
    }
    let mut of_key = Scratch::filled(false, items.len());
    errors.iter().for_each(|error| of_key[error.key as usize] = true);
    let mut removed = Scratch::filled(false, items.len());
    errors.iter().for_each(|error| removed[error.response as usize] = true);
    of_key.iter().zip(removed.iter()).filter(|(_, removed)| !**removed).map(|(of_key, _)| *of_key).collect()
}
