//! Lists the mentions of a pair of documents, each with its entity on either side.

use std::cell::Cell;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::task::CorpusFacts;
use super::text::{PairText, Range};
use crate::diagnostic::{Code, Diagnostics};
use crate::matching::{self, Alignment, describe};
use crate::model::Side;
use crate::model::{Document, Mention};
use crate::named;
use crate::pairing::DocumentPair;
use crate::results::SideSize;
use crate::scratch::{Scratch, spare_lists};
use crate::selection::{Selected, repeats_a_span, select};
use crate::settings::{Duplicates, Entities, ExtraMentions, Optional, Settings, SplitAntecedents, Switch};

/// No mention or entity.
pub(super) const NONE: u32 = u32::MAX;

/// A mention of the key, of the response, or of both.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    /// Its place among the mentions of the key document, or [`NONE`].
    pub(super) key: u32,
    /// Its place among the mentions of the response document, or [`NONE`].
    pub(super) response: u32,
    /// Its entity in the key, or [`NONE`].
    pub(super) key_entity: u32,
    /// Its entity in the response, or [`NONE`].
    pub(super) response_entity: u32,
    /// Its first and last word, by their common numbers; the key's if both sides have it.
    pub(super) range: Range,
}

spare_lists!(Item);

/// Returns the place of an item among the mentions of a side, or [`NONE`].
pub(super) fn place_on(side: Side, item: &Item) -> u32 {
    match side {
        Side::Key => item.key,
        Side::Response => item.response,
    }
}

impl Item {
    /// Returns the entity on one side, or [`NONE`].
    pub(super) fn entity(&self, side: Side) -> u32 {
        match side {
            Side::Key => self.key_entity,
            Side::Response => self.response_entity,
        }
    }
}

/// A pair of documents whose mentions are aligned.
pub(super) struct Aligned<'d> {
    pub(super) pair: DocumentPair<'d>,
    pub(super) text: PairText<'d>,
    /// All mentions in the order of the text: by first word, then by last word.
    pub(super) items: Scratch<Item>,
    /// The sentence of each, from 0. A mention across several sentences belongs to the first of them.
    pub(super) sentences: Scratch,
    /// True if a side repeats mentions; only the first copies are analysed.
    pub(super) repeats: bool,
    /// The number of entities in the key.
    pub(super) key_entities: usize,
    /// The number of entities in the response.
    pub(super) response_entities: usize,
    /// The sizes of both sides, without their texts. Mentions without a correct link are counted only if copies are kept;
    /// otherwise they follow from the links.
    pub(super) sizes: [SideSize; 2],
}

impl<'d> Aligned<'d> {
    /// Selects and aligns the mentions of a pair. A mention that a side annotates several times belongs to the first of
    /// its entities; a warning gives the number of other copies.
    pub(super) fn new(
        pair: DocumentPair<'d>,
        settings: &Settings,
        corpus: CorpusFacts<'d>,
        diagnostics: &mut Diagnostics,
    ) -> Aligned<'d> {
        let text = PairText::new(pair, corpus);
        let settings = identity_settings(settings);
        let [key, response] = selected(pair, &settings, diagnostics);
        let before = [&key, &response].map(|selected| selected.mentions.len());
        let crossing = settings.boundary_crossing == Switch::Yes;
        let key = one_entity_each(pair.key, key, crossing, diagnostics);
        let response_document = pair.response.unwrap_or(pair.key);
        let response = one_entity_each(response_document, response, crossing, diagnostics);
        let repeats = before != [&key, &response].map(|selected| selected.mentions.len());
        let sizes = sizes([&key, &response]);
        let sides = ((pair.key, key), (response_document, response));
        let alignment = matching::align(sides.0, sides.1, &settings, false, diagnostics);
        let mut partner = Scratch::filled(NONE, alignment.response.mentions.len());
        let mut found = Scratch::filled(NONE, alignment.key.mentions.len());
        for &(ours, theirs) in &alignment.pairs {
            (found[ours as usize], partner[theirs as usize]) = (theirs, ours);
        }
        let mut items = Scratch::new();
        for (mention, &theirs) in alignment.key.mentions.iter().zip(found.iter()) {
            let other = alignment.response.mentions.get(theirs as usize);
            items.push(Item {
                key: mention.mention,
                response: other.map_or(NONE, |other| other.mention),
                key_entity: mention.entity,
                response_entity: other.map_or(NONE, |other| other.entity),
                range: text.range(Side::Key, &pair.key.mentions()[mention.mention as usize]),
            });
        }
        if let Some(document) = pair.response {
            let extra =
                alignment.response.mentions.iter().zip(partner.iter()).filter(|(_, ours)| **ours == NONE);
            items.extend(extra.map(|(mention, _)| Item {
                key: NONE,
                response: mention.mention,
                key_entity: NONE,
                response_entity: mention.entity,
                range: text.range(Side::Response, &document.mentions()[mention.mention as usize]),
            }));
        }
        Aligned {
            pair,
            sizes,
            text,
            items,
            sentences: Scratch::default(),
            repeats,
            key_entities: alignment.key.sizes.len(),
            response_entities: alignment.response.sizes.len(),
        }
        .sorted()
    }

    /// Like [`new`](Self::new), but keeps all copies of repeated mentions, for links. Each copy counts in its own
    /// entity, and is looked up in the entity of the other side in which MUC finds it. An item that only one side has
    /// gets the entity of the other side that contains its mention, if any. Findings are not reported again.
    pub(super) fn with_copies(
        pair: DocumentPair<'d>,
        settings: &Settings,
        corpus: CorpusFacts<'d>,
    ) -> Aligned<'d> {
        let mut discarded = Diagnostics::default();
        let text = PairText::new(pair, corpus);
        let settings = Settings { duplicates: settings.duplicates, ..identity_settings(settings) };
        let [key, response] = selected(pair, &settings, &mut discarded);
        let sizes = sizes([&key, &response]);
        let document = pair.response.unwrap_or(pair.key);
        let alignment =
            matching::align((pair.key, key), (document, response), &settings, false, &mut discarded);
        let [recall, precision] = match alignment.repeated.as_deref() {
            // The reference scorer looks a mention of the key up once, in the last entity that has it.
            Some(repeated) if repeated.links.is_some() => [&repeated.precision; 2],
            Some(repeated) => [&repeated.recall, &repeated.precision],
            None => [&alignment.pairs; 2],
        };
        let (keys, responses) = (&alignment.key.mentions, &alignment.response.mentions);
        let [mut theirs, mut ours] = [vec![NONE; keys.len()], vec![NONE; responses.len()]];
        recall.iter().for_each(|&(key, response)| theirs[key as usize] = response);
        precision.iter().for_each(|&(key, response)| ours[response as usize] = key);
        let mut items = Scratch::new();
        for (place, (mention, &found)) in (0..).zip(keys.iter().zip(&theirs)) {
            let other = responses.get(found as usize);
            let is_mutual = ours.get(found as usize) == Some(&place);
            items.push(Item {
                key: mention.mention,
                response: other.filter(|_| is_mutual).map_or(NONE, |other| other.mention),
                key_entity: mention.entity,
                response_entity: other.map_or(NONE, |other| other.entity),
                range: text.range(Side::Key, &pair.key.mentions()[mention.mention as usize]),
            });
        }
        for (place, (mention, &found)) in (0..).zip(responses.iter().zip(&ours)) {
            if theirs.get(found as usize) != Some(&place) {
                items.push(Item {
                    key: NONE,
                    response: mention.mention,
                    key_entity: keys.get(found as usize).map_or(NONE, |key| key.entity),
                    response_entity: mention.entity,
                    range: text.range(Side::Response, &document.mentions()[mention.mention as usize]),
                });
            }
        }
        Aligned {
            pair,
            sizes: sizes.map(|size| SideSize { unlinked: unlinked(&alignment), ..size }),
            text,
            items,
            sentences: Scratch::default(),
            repeats: true,
            key_entities: alignment.key.sizes.len(),
            response_entities: alignment.response.sizes.len(),
        }
        .sorted()
    }

    fn sorted(mut self) -> Aligned<'d> {
        let mut items = std::mem::take(&mut self.items);
        self.sort(&mut items);
        self.sentences = self.text.sentences(items.iter().map(|item| item.range.start));
        self.items = items;
        self
    }

    /// Sorts mentions by their first and last words. If both are equal, sorts them by their parts.
    fn sort(&self, items: &mut Scratch<Item>) {
        // Grouping by first words is faster than comparing them.
        let starts = items.iter().map(|item| item.range.start);
        let words = starts.clone().max().map_or(0, |last| last as usize + 1);
        *items = Grouped::new(starts, words).all().iter().map(|&item| items[item as usize]).collect();
        for same in items.chunk_by_mut(|a, b| a.range.start == b.range.start).filter(|same| same.len() > 1) {
            same.sort_by_key(|item| item.range.end);
            for same in same.chunk_by_mut(|a, b| a.range.end == b.range.end).filter(|same| same.len() > 1) {
                same.sort_by_cached_key(|item| {
                    let (_, mention) = self.mention(item);
                    let parts: Vec<u64> = mention.parts().iter().map(|part| part.sort_key()).collect();
                    (item.key == NONE, parts)
                });
            }
        }
    }

    /// Returns whether the type of some mention is known.
    pub(super) fn knows_types(&self) -> bool {
        self.items.iter().any(|item| {
            let (side, mention) = self.mention(item);
            self.text.knows_type(self.document(side), mention)
        })
    }

    /// Returns the mention: the key's if both sides have it.
    pub(super) fn mention(&self, item: &Item) -> (Side, &'d Mention) {
        let side = if item.key == NONE { Side::Response } else { Side::Key };
        (side, self.mention_on(side, item))
    }

    /// Returns the mention on a side that has it.
    pub(super) fn mention_on(&self, side: Side, item: &Item) -> &'d Mention {
        match side {
            Side::Key => &self.pair.key.mentions()[item.key as usize],
            Side::Response => &self.document(Side::Response).mentions()[item.response as usize],
        }
    }

    /// Returns the document of a side, or the key's if there is no response.
    pub(super) fn document(&self, side: Side) -> &'d Document {
        match side {
            Side::Key => self.pair.key,
            Side::Response => self.pair.response.unwrap_or(self.pair.key),
        }
    }
}

/// Determines on demand which items are pronouns, because entities without errors do not need this.
pub(super) struct Pronouns {
    known: Scratch<Cell<Option<bool>>>,
}

impl Pronouns {
    /// Creates a cache for this many items.
    pub(super) fn new(items: usize) -> Pronouns {
        Pronouns { known: Scratch::filled(Cell::new(None), items) }
    }

    /// Returns whether one of the items is a pronoun.
    pub(super) fn of(&self, place: u32, items: &[Item], aligned: &Aligned<'_>) -> bool {
        let known = &self.known[place as usize];
        if let Some(found) = known.get() {
            return found;
        }
        let (side, mention) = aligned.mention(&items[place as usize]);
        let found = aligned.text.is_pronoun(aligned.document(side), side, mention);
        known.set(Some(found));
        found
    }
}

/// Returns the sizes of both sides as scores have them: without their texts, and with the copies of repeated mentions
/// that the alignment drops.
fn sizes(sides: [&Selected; 2]) -> [SideSize; 2] {
    sides.map(|selected| {
        let mut size = SideSize::default();
        size.add_selected(selected);
        size
    })
}

/// Returns the number of matched mentions without a correct link: see [`SideSize::unlinked`]. Repeated mentions count
/// as for recall.
fn unlinked(alignment: &Alignment) -> u64 {
    let (key, response) = (&alignment.key, &alignment.response);
    let shared = alignment.repeated.as_ref().map_or(&alignment.pairs, |repeated| &repeated.recall);
    let key_entities = shared.iter().map(|pair| key.mentions[pair.0 as usize].entity);
    let mut number = 0;
    // For each response entity, the last key entity that shares mentions with it, and whether it shares one without a
    // link.
    let mut last = Scratch::filled((NONE, false), response.sizes.len());
    for (key_entity, pairs) in Grouped::new(key_entities, key.sizes.len()).iter() {
        for &pair in pairs {
            let entity = response.mentions[shared[pair as usize].1 as usize].entity as usize;
            let sizes = (key.sizes[key_entity as usize], response.sizes[entity]);
            let is_first = last[entity].0 != key_entity;
            number -= u64::from(!is_first && last[entity].1);
            last[entity] = (key_entity, is_first && sizes != (1, 1));
            number += u64::from(last[entity].1);
        }
    }
    number
}

/// Returns the settings that an analysis applies: all key mentions count and no others, and no split antecedents.
pub fn applied_settings(settings: &Settings) -> Settings {
    Settings {
        optional: Optional::Count,
        extra_mentions: ExtraMentions::Count,
        split_antecedents: SplitAntecedents::Drop,
        ..settings.clone()
    }
}

/// Returns the settings of errors other than links: each mention is in one entity.
pub(super) fn identity_settings(settings: &Settings) -> Settings {
    Settings { duplicates: Duplicates::First, ..applied_settings(settings) }
}

/// Selects the mentions of both sides; the selection of a missing response is empty.
pub(super) fn selected(
    pair: DocumentPair<'_>,
    settings: &Settings,
    diagnostics: &mut Diagnostics,
) -> [Selected; 2] {
    let mut of = |document| select(document, pair.key, settings, diagnostics);
    let key = of(pair.key);
    let both = [key, pair.response.map(of).unwrap_or_default()];
    if settings.entities == Entities::All {
        return both;
    }
    let named = named::named_mentions(pair, settings, diagnostics);
    [both[0].of_named_entities(&named.key), both[1].of_named_entities(&named.response)]
}

/// Keeps the copy of a repeated mention that the file completes first. Only if mentions may be `crossing`, some of them
/// may have no words.
fn one_entity_each(
    document: &Document,
    selected: Selected,
    crossing: bool,
    diagnostics: &mut Diagnostics,
) -> Selected {
    let mentions = document.mentions();
    let mention = |place: u32| &mentions[selected.mentions[place as usize].mention as usize];
    let mut copies = copies_of(document, selected.mentions.len() as u32, crossing, mention);
    if copies.is_empty() {
        return selected;
    }
    copies.sort_unstable();
    let id = document.id().to_string();
    let mut times: BTreeMap<u32, usize> = BTreeMap::new();
    copies.iter().for_each(|&(_, first)| *times.entry(first).or_insert(1) += 1);
    for &(copy, first) in &copies {
        // One finding for all copies of a mention.
        let Some(times) = times.remove(&first) else { continue };
        let times = if times == 2 { "twice".to_owned() } else { format!("{times} times") };
        diagnostics.add(Code::DuplicateMention, Some(document.position_of(mention(copy))), Some(id.clone()), || {
            format!(
                "{} of `{id}` is annotated {times}; link errors count all copies, as in MUC, and other errors \
                 only the first",
                describe(document, mention(copy))
            )
        });
    }
    let copies: Vec<u32> = copies.into_iter().map(|(copy, _)| copy).collect();
    selected.without(&copies)
}

/// Returns the copies of repeated mentions, each with the first mention with the same words, by their places below
/// `count`. Mentions without words, which exist only if mentions may be `crossing`, are copies of each other wherever
/// they open.
fn copies_of<'d>(
    document: &'d Document,
    count: u32,
    crossing: bool,
    mention: impl Fn(u32) -> &'d Mention,
) -> Vec<(u32, u32)> {
    // Names of mentions have no spans; equal names are one mention.
    if let Some(layers) = document.words().layers().filter(|_| document.words().are_names()) {
        let mut first: FxHashMap<&str, u32> = FxHashMap::default();
        let name = |place: u32| layers.form.get(mention(place).span().start() as usize).unwrap_or_default();
        let mut first_of = |place: u32| *first.entry(name(place)).or_insert(place);
        return (0..count)
            .map(|place| (place, first_of(place)))
            .filter(|(place, first)| first != place)
            .collect();
    }
    let without_words = crossing && document.mentions().iter().any(|mention| mention.parts().is_empty());
    if !without_words && !repeats_a_span(document) {
        return Vec::new();
    }
    let key = |mention: &Mention| match mention.parts() {
        [] => u64::MAX,
        _ => mention.span().sort_key(),
    };
    let mut order: Vec<(u64, u32)> = (0..count).map(|place| (key(mention(place)), place)).collect();
    order.sort_unstable();
    let mut copies: Vec<(u32, u32)> = Vec::new();
    for run in order.chunk_by(|a, b| a.0 == b.0).filter(|run| run.len() > 1) {
        for (index, &(_, place)) in run.iter().enumerate() {
            let first = run[..index].iter().find(|&&(_, first)| mention(first).same_words(mention(place)));
            copies.extend(first.map(|&(_, first)| (place, first)));
        }
    }
    copies
}

/// The places of things in each group, in order: the items of each entity of one side, or the errors of each kind.
pub(super) struct Grouped {
    groups: usize,
    /// The start of each group's places, then the end of the last ones, two unused numbers, and the places themselves.
    numbers: Scratch,
}

impl Grouped {
    /// Groups things by their group, given for each as a number below `groups`, or [`NONE`].
    pub(super) fn new(group_of: impl ExactSizeIterator<Item = u32> + Clone, groups: usize) -> Grouped {
        // Things of no group are placed after all others and then removed: a branch for each would often be mispredicted.
        let group_of = group_of.map(|group| {
            debug_assert!(group == NONE || (group as usize) < groups, "group {group} of {groups}");
            group.min(groups as u32) as usize
        });
        // The size of each group is stored two places after its start. While things are placed, the next place of a
        // group is one after its start.
        let first = groups + 3;
        let mut numbers = Scratch::new();
        numbers.reserve(first + group_of.len());
        numbers.resize(first, 0);
        group_of.clone().for_each(|group| numbers[group + 2] += 1);
        let mut sum = 0;
        for start in numbers.iter_mut() {
            sum += *start;
            *start = sum;
        }
        numbers.resize(first + sum as usize, 0);
        let (starts, places) = numbers.split_at_mut(first);
        for (place, group) in (0..).zip(group_of) {
            let next = &mut starts[group + 1];
            places[*next as usize] = place;
            *next += 1;
        }
        let grouped = starts[groups] as usize;
        numbers.truncate(first + grouped);
        Grouped { groups, numbers }
    }

    /// Returns the number of groups.
    pub(super) fn groups(&self) -> usize {
        self.groups
    }

    /// Iterates over the groups. An entity that has lost its mentions is an empty group.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &[u32])> {
        (0..self.groups as u32).map(|group| (group, self.of(group)))
    }

    /// Returns one group.
    pub(super) fn of(&self, group: u32) -> &[u32] {
        let (starts, places) = self.numbers.split_at(self.groups + 3);
        &places[starts[group as usize] as usize..starts[group as usize + 1] as usize]
    }

    /// Returns all groups, one after the other.
    fn all(&self) -> &[u32] {
        &self.numbers[self.groups + 3..]
    }
}
