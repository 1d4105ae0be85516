//! Selects the mentions of a document to score: the settings drop mentions before anything is matched.
//!
//! Mentions are dropped in this order: copies of a mention within its entity (`--duplicates distinct`), then singletons
//! (`--singletons drop`) and zeros (`--zeros drop`) in the order set by `--order`, then mentions whose parse is a verb
//! phrase (`--np-only`), then nested mentions of one entity (`--remove-nested`), as in corefud-scorer and coval. Other
//! repeated mentions are kept: the choice of a copy depends on the other side, so the alignment makes it. If names are
//! requested, entities without a named mention are dropped last (`--entities named`); CONE then scores only the named
//! mentions ([`named`](crate::named)).

mod identity;
mod splits;

use crate::wording::{line_aside, plural, quoted, switch, text};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) use identity::{Identity, KeyParse};
pub use splits::SelectedSplit;

use corefeval_metrics::overlap::close_gaps;

use crate::diagnostic::{Code, Diagnostics};
use crate::model::{Document, Mention, Span};
use crate::settings::{Duplicates, Keep, Match, SelectionOrder, Settings, SplitAntecedents, Switch};

/// One side of a document after selection: mentions with dense entity numbers.
///
/// Entities keep the order of the document; each has at least one mention.
#[derive(Clone, Debug, Default)]
pub struct Selected {
    /// The scored mentions, in the order of the document.
    pub mentions: Vec<SelectedMention>,
    /// The number of members of each entity: its mentions, and its split antecedent, if any.
    pub sizes: Vec<u32>,
    /// The split antecedents.
    pub splits: Vec<SelectedSplit>,
}

/// A scored mention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelectedMention {
    /// Its place in the document's list.
    pub mention: u32,
    /// Its entity, numbered densely within the selection.
    pub entity: u32,
}

impl Selected {
    /// Returns all mentions of `document` as annotated.
    pub(crate) fn all(document: &Document) -> Selected {
        Selected::new(document, |_| true)
    }

    /// Returns the selection of the mentions of `document` for which `kept` is true.
    fn new(document: &Document, kept: impl Fn(usize) -> bool) -> Selected {
        let entities = document.entities().len();
        let mut sizes = vec![0u32; entities];
        let mut mentions = Vec::with_capacity(document.mentions().len());
        for (place, mention) in document.mentions().iter().enumerate() {
            if kept(place) {
                let entity = mention.entity().index() as u32;
                sizes[entity as usize] += 1;
                mentions.push(SelectedMention { mention: place as u32, entity });
            }
        }
        let mut selected = Selected { mentions, sizes, splits: Vec::new() };
        selected.close_gaps();
        selected
    }

    /// Returns the selection without the mentions at the given places (ascending).
    pub(crate) fn without(&self, places: &[u32]) -> Selected {
        let mut dropped = places.iter().peekable();
        let mut sizes = self.sizes.clone();
        let mut mentions = Vec::with_capacity(self.mentions.len() - places.len());
        for (place, &mention) in self.mentions.iter().enumerate() {
            if dropped.next_if(|&&dropped| dropped as usize == place).is_some() {
                sizes[mention.entity as usize] -= 1;
            } else {
                mentions.push(mention);
            }
        }
        let mut selected = Selected { mentions, sizes, splits: self.splits.clone() };
        selected.close_gaps();
        selected
    }

    /// Returns only the named mentions, which CONE scores. `named` is indexed by place in the document's list. Split
    /// antecedents are not named.
    pub(crate) fn pruned(&self, named: &[bool]) -> Selected {
        let mut sizes = vec![0; self.sizes.len()];
        let kept = self.mentions.iter().filter(|mention| named[mention.mention as usize]);
        let mentions: Vec<SelectedMention> = kept.copied().collect();
        mentions.iter().for_each(|mention| sizes[mention.entity as usize] += 1);
        let mut selected = Selected { mentions, sizes, splits: Vec::new() };
        selected.close_gaps();
        selected
    }

    /// Returns all mentions of the entities that have a named mention (`--entities named`). Split antecedents are kept
    /// if their parts are kept.
    pub(crate) fn of_named_entities(&self, named: &[bool]) -> Selected {
        let mut kept = vec![false; self.sizes.len()];
        for mention in self.mentions.iter().filter(|mention| named[mention.mention as usize]) {
            kept[mention.entity as usize] = true;
        }
        let mut sizes = vec![0; self.sizes.len()];
        let mut mentions = Vec::with_capacity(self.mentions.len());
        // Indexed by place in the document, like parts of split antecedents.
        let mut stays = vec![false; named.len()];
        for mention in self.mentions.iter().filter(|mention| kept[mention.entity as usize]) {
            sizes[mention.entity as usize] += 1;
            stays[mention.mention as usize] = true;
            mentions.push(*mention);
        }
        let stays = |part: &&Vec<u32>| part.iter().any(|&mention| stays[mention as usize]);
        let mut splits = Vec::new();
        for split in self.splits.iter().filter(|split| kept[split.entity as usize]) {
            let parts: Vec<Vec<u32>> = split.parts.iter().filter(stays).cloned().collect();
            if !parts.is_empty() {
                sizes[split.entity as usize] += 1;
                splits.push(SelectedSplit { entity: split.entity, parts });
            }
        }
        let mut selected = Selected { mentions, sizes, splits };
        selected.close_gaps();
        selected
    }

    /// Renumbers the entities without gaps.
    fn close_gaps(&mut self) {
        if self.sizes.contains(&0) {
            let numbers = close_gaps(&mut self.sizes);
            for mention in &mut self.mentions {
                mention.entity = numbers[mention.entity as usize];
            }
            for split in &mut self.splits {
                split.entity = numbers[split.entity as usize];
            }
        }
    }
}

/// Returns the scored mentions of `document`, including split antecedents. `parsed` is the document with the parse for
/// both sides: the key's.
pub fn select(
    document: &Document,
    parsed: &Document,
    settings: &Settings,
    diagnostics: &mut Diagnostics,
) -> Selected {
    let mut selected = select_mentions(document, parsed, settings, diagnostics);
    if settings.split_antecedents != SplitAntecedents::Drop {
        splits::add(document, settings, &mut selected);
        if repeats_a_span(document) {
            selected = drop_copies_of_members(document, selected, diagnostics);
        }
    }
    selected
}

fn select_mentions(
    document: &Document,
    parsed: &Document,
    settings: &Settings,
    diagnostics: &mut Diagnostics,
) -> Selected {
    let plain = settings.np_only == Switch::No
        && settings.remove_nested == Switch::No
        && (settings.zeros == Keep::Keep || document.words().empty_nodes().is_empty())
        && (settings.duplicates != Duplicates::Distinct || !repeats_a_span(document));
    if plain && settings.singletons == Keep::Keep {
        return Selected::new(document, |_| true);
    }
    if plain {
        let mut sizes = vec![0u32; document.entities().len()];
        let entity = |place: usize| document.mentions()[place].entity().index();
        (0..document.mentions().len()).for_each(|place| sizes[entity(place)] += 1);
        let dropped = sizes.iter().filter(|&&size| size == 1).count();
        note_singletons(document, dropped, diagnostics);
        return Selected::new(document, |place| sizes[entity(place)] > 1);
    }
    let mut kept = vec![true; document.mentions().len()];
    let mut entities = members(document);
    if settings.duplicates == Duplicates::Distinct {
        drop_copies(document, settings, &mut entities, &mut kept, diagnostics);
    }
    let steps = match settings.order {
        SelectionOrder::SingletonsFirst => [OrderStep::Singletons, OrderStep::Zeros],
        SelectionOrder::ZerosFirst => [OrderStep::Zeros, OrderStep::Singletons],
    };
    for step in steps {
        match step {
            OrderStep::Singletons if settings.singletons == Keep::Drop => {
                let dropped = drop_singletons(&mut entities, &mut kept);
                note_singletons(document, dropped, diagnostics);
            }
            OrderStep::Zeros if settings.zeros == Keep::Drop => {
                let dropped = drop_zeros(document, &mut entities, &mut kept);
                note_dropped(document, diagnostics, (dropped, "zero", "zeros"), None);
            }
            _ => {}
        }
    }
    let parsed = KeyParse { key: parsed, place: settings.place };
    if settings.np_only == Switch::Yes {
        let dropped = drop_verb_phrases(document, parsed, &mut entities, &mut kept, diagnostics);
        note_dropped(document, diagnostics, (dropped, "mention", "mentions"), Some("np-only"));
    }
    if settings.remove_nested == Switch::Yes {
        let keep_singletons = settings.singletons == Keep::Keep;
        let parsed = (settings.matching == Match::MinSpan).then_some(parsed);
        let dropped = drop_nested(document, parsed, &mut entities, &mut kept, keep_singletons);
        note_dropped(document, diagnostics, (dropped, "mention", "mentions"), Some("remove-nested"));
    }
    Selected::new(document, |place| kept[place])
}

/// Returns whether two mentions have the same first and the same last word. Most files are already sorted.
pub(crate) fn repeats_a_span(document: &Document) -> bool {
    let place = |mention: &Mention| {
        u64::from(mention.span().end()) << 32 | u64::from(u32::MAX - mention.span().start())
    };
    if document.mentions().is_sorted_by(|a, b| place(a) < place(b)) {
        return false;
    }
    let mut places: Vec<u64> = document.mentions().iter().map(place).collect();
    places.sort_unstable();
    places.windows(2).any(|two| two[0] == two[1])
}

/// Adds a note about dropped singletons.
pub(crate) fn note_singletons(document: &Document, dropped: usize, diagnostics: &mut Diagnostics) {
    note_dropped(document, diagnostics, (dropped, "singleton", "singletons"), None);
}

/// Adds a note about dropped mentions. Takes their number, the words for one and for several, and the switch that drops
/// them, if any.
fn note_dropped(
    document: &Document,
    diagnostics: &mut Diagnostics,
    (dropped, one, several): (usize, &str, &str),
    by: Option<&'static str>,
) {
    if dropped > 0 {
        let id = document.id().to_string();
        let what = plural(dropped, one, several);
        let message = || match by {
            Some(by) => text!("{} by {} left out of {}", what, switch(by), quoted(&id)),
            None => text!("{} left out of {}", what, quoted(&id)),
        };
        diagnostics.add(Code::MentionsDropped, Some(document.position()), Some(id.clone()), message);
        diagnostics.count(Code::MentionsDropped, dropped as u64 - 1);
    }
}

/// Returns the places of each entity's mentions.
fn members(document: &Document) -> Vec<Vec<usize>> {
    let mut entities = vec![Vec::new(); document.entities().len()];
    for (place, mention) in document.mentions().iter().enumerate() {
        entities[mention.entity().index()].push(place);
    }
    entities
}

fn drop_all(entity: &mut Vec<usize>, kept: &mut [bool]) -> usize {
    let dropped = entity.len();
    for place in entity.drain(..) {
        kept[place] = false;
    }
    dropped
}

/// The steps that `--order` arranges.
#[derive(Clone, Copy)]
enum OrderStep {
    Singletons,
    Zeros,
}

/// Drops all copies of a mention except the first within each entity, and reports them.
fn drop_copies(
    document: &Document,
    settings: &Settings,
    entities: &mut [Vec<usize>],
    kept: &mut [bool],
    diagnostics: &mut Diagnostics,
) {
    let mentions = document.mentions();
    let heads = settings.matching == Match::Head;
    let same = |a: usize, b: usize| {
        mentions[a].same_words(&mentions[b]) && (!heads || mentions[a].head() == mentions[b].head())
    };
    let mut sorted = Vec::new();
    for entity in entities.iter_mut().filter(|entity| entity.len() > 1) {
        sorted.clear();
        sorted.extend_from_slice(entity);
        sorted.sort_unstable_by_key(|&place| (mentions[place].span().sort_key(), place));
        if sorted.windows(2).all(|two| mentions[two[0]].span() != mentions[two[1]].span()) {
            continue;
        }
        let runs = sorted.chunk_by(|&a, &b| mentions[a].span() == mentions[b].span());
        for run in runs.filter(|run| run.len() > 1) {
            for (index, &place) in run.iter().enumerate() {
                let Some(&first) = run[..index].iter().find(|&&first| kept[first] && same(first, place))
                else {
                    continue;
                };
                kept[place] = false;
                warn_copy(document, &mentions[place], &mentions[first], diagnostics);
            }
        }
        entity.retain(|&place| kept[place]);
    }
}

/// Drops all copies of a mention except the first within each entity. With split antecedents, entities are sets, as in
/// the Universal Anaphora scorer.
fn drop_copies_of_members(
    document: &Document,
    selected: Selected,
    diagnostics: &mut Diagnostics,
) -> Selected {
    let mention = |chosen: &SelectedMention| &document.mentions()[chosen.mention as usize];
    let mut places: Vec<u32> = (0..selected.mentions.len() as u32).collect();
    // Among copies from merged entities, the first entity's copy is kept, which determines the place of both.
    let mut firsts = vec![u32::MAX; document.entities().len()];
    for (place, mention) in (0..).zip(document.mentions()) {
        let first = &mut firsts[mention.entity().index()];
        *first = place.min(*first);
    }
    let order = |&place: &u32| {
        let chosen = &selected.mentions[place as usize];
        (chosen.entity, mention(chosen).parts(), (firsts[mention(chosen).entity().index()], place))
    };
    places.sort_unstable_by(|a, b| {
        let ((entity, parts, place), (other, others, after)) = (order(a), order(b));
        let keys = |parts: &[Span]| -> Vec<u64> { parts.iter().map(|part| part.sort_key()).collect() };
        entity.cmp(&other).then_with(|| keys(parts).cmp(&keys(others))).then(place.cmp(&after))
    });
    let mut dropped = Vec::new();
    let same = |a: &u32, b: &u32| (order(a).0, order(a).1) == (order(b).0, order(b).1);
    for copies in places.chunk_by(same).filter(|copies| copies.len() > 1) {
        let first = mention(&selected.mentions[copies[0] as usize]);
        for &place in &copies[1..] {
            warn_copy(document, mention(&selected.mentions[place as usize]), first, diagnostics);
            dropped.push(place);
        }
    }
    dropped.sort_unstable();
    if dropped.is_empty() { selected } else { selected.without(&dropped) }
}

/// Reports a mention that repeats another mention of its entity.
fn warn_copy(document: &Document, copy: &Mention, first: &Mention, diagnostics: &mut Diagnostics) {
    let (position, id) = (document.position_of(copy), document.id().to_string());
    diagnostics.add(Code::DuplicateMention, Some(position), Some(id), || {
        text!(
            "entity {} has this mention twice{}; one was dropped",
            quoted(document.entity_name(copy.entity())),
            line_aside("the other copy opens at ", document.position_of(first), "")
        )
    });
}

/// Returns whether a mention's head (or its first word, without a head) is an empty node.
pub(crate) fn is_zero(document: &Document, mention: &Mention) -> bool {
    let words = document.words();
    !words.empty_nodes().is_empty()
        && words.is_empty_node(mention.head().unwrap_or_else(|| mention.span().start()))
}

fn drop_zeros(document: &Document, entities: &mut [Vec<usize>], kept: &mut [bool]) -> usize {
    let mut dropped = 0;
    for entity in entities {
        entity.retain(|&place| {
            let zero = is_zero(document, &document.mentions()[place]);
            if zero {
                kept[place] = false;
                dropped += 1;
            }
            !zero
        });
    }
    dropped
}

fn drop_singletons(entities: &mut [Vec<usize>], kept: &mut [bool]) -> usize {
    let singletons = entities.iter_mut().filter(|entity| entity.len() == 1);
    singletons.map(|entity| drop_all(entity, kept)).sum()
}

/// Drops mentions that are verb phrases, and entities with a single remaining mention.
fn drop_verb_phrases(
    document: &Document,
    parsed: KeyParse<'_>,
    entities: &mut [Vec<usize>],
    kept: &mut [bool],
    diagnostics: &mut Diagnostics,
) -> usize {
    let layers = parsed.key.words().layers();
    if !layers.is_some_and(|layers| layers.parse.iter().any(|bit| !bit.is_empty())) {
        let id = document.id().to_string();
        diagnostics.add(Code::ParseMissing, Some(parsed.key.position()), Some(id.clone()), || {
            text!(
                "{} needs the parse of {}, but the key has none; nothing was dropped",
                switch("np-only"),
                quoted(id)
            )
        });
        return 0;
    }
    let mut dropped = 0;
    for entity in entities {
        let is_verb_phrase = |&place: &usize| {
            let phrase = parsed.phrase_of(document, &document.mentions()[place]);
            phrase.is_some_and(|phrase| phrase.label() == Some("VP"))
        };
        let (verb_phrases, others): (Vec<usize>, Vec<usize>) =
            entity.iter().copied().partition(is_verb_phrase);
        if verb_phrases.is_empty() {
            continue;
        }
        if others.len() > 1 {
            dropped += verb_phrases.len();
            verb_phrases.iter().for_each(|&place| kept[place] = false);
            *entity = others;
        } else {
            dropped += drop_all(entity, kept);
        }
    }
    dropped
}

/// Drops mentions that lie within another mention of their entity and sentence. By coval's rule, an entity with exactly
/// one remaining mention stays whole if singletons are kept, and is dropped otherwise. With matching by minimum spans
/// (`parsed` is then the key), mentions with equal minimum spans are not nested, and mentions with the minimum span of
/// a nested mention are dropped with it.
fn drop_nested(
    document: &Document,
    parsed: Option<KeyParse<'_>>,
    entities: &mut [Vec<usize>],
    kept: &mut [bool],
    keep_singletons: bool,
) -> usize {
    let mut total = 0;
    for entity in entities.iter_mut().filter(|entity| entity.len() > 1) {
        let nested = nested_mentions(document, parsed, entity);
        if nested.pairs == 0 {
            continue;
        }
        if entity.len() as u64 == nested.pairs + 1 {
            if !keep_singletons {
                total += drop_all(entity, kept);
            }
            continue;
        }
        for &place in &nested.places {
            kept[place] = false;
        }
        total += nested.places.len();
        entity.retain(|&place| kept[place]);
    }
    total
}

struct NestedMentions {
    /// Mentions that lie within another, and mentions with the same minimum span.
    places: Vec<usize>,
    /// The number of pairs of a mention and another within it, which coval compares with the entity's size.
    pairs: u64,
}

/// A mention of an entity, with the data needed to find nested mentions.
struct Nestable {
    sentence: u32,
    /// Equal for mentions with the same minimum span; without a parse, all numbers differ.
    identity: u32,
    span: Span,
    place: usize,
}

/// Finds nested mentions. For each mention, counts those of its sentence that start no later and end no earlier, minus
/// those with the same identity. Counting avoids comparisons, since a broken file may nest thousands of mentions.
fn nested_mentions(document: &Document, parsed: Option<KeyParse<'_>>, entity: &[usize]) -> NestedMentions {
    let mention = |place: usize| -> &Mention { &document.mentions()[place] };
    let identities: Vec<u32> = match parsed {
        None => Vec::new(),
        Some(parsed) => {
            let mut numbers: BTreeMap<Identity, u32> = BTreeMap::new();
            let number = |&place: &usize| {
                let next = numbers.len() as u32;
                *numbers.entry(Identity::of(document, mention(place), parsed)).or_insert(next)
            };
            entity.iter().map(number).collect()
        }
    };
    let mut all: Vec<Nestable> = Vec::with_capacity(entity.len());
    for (index, &place) in entity.iter().enumerate() {
        let span = mention(place).span();
        let sentence = document.words().sentence_of(span.last());
        all.push(Nestable { sentence, identity: identities.get(index).copied().unwrap_or(0), span, place });
    }
    all.sort_unstable_by_key(|one| (one.sentence, one.span.start(), u32::MAX - one.span.end(), one.place));
    let mut around = Vec::with_capacity(all.len());
    for sentence in all.chunk_by(|a, b| a.sentence == b.sentence) {
        around.extend(count_around(sentence));
    }
    if parsed.is_some() {
        // Subtract mentions with the same minimum span.
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by_key(|&index| (all[index].sentence, all[index].identity, index));
        for same in
            order.chunk_by(|&a, &b| (all[a].sentence, all[a].identity) == (all[b].sentence, all[b].identity))
        {
            let group = same.iter().map(|&index| &all[index]);
            for (&index, less) in same.iter().zip(count_around(group)) {
                around[index] -= less;
            }
        }
    }
    let dropped: BTreeSet<(u32, u32)> = match parsed {
        None => BTreeSet::new(),
        Some(_) => {
            let nested = all.iter().zip(&around).filter(|(_, around)| **around > 0);
            nested.map(|(one, _)| (one.sentence, one.identity)).collect()
        }
    };
    let is_dropped =
        |one: &Nestable, around: u64| around > 0 || dropped.contains(&(one.sentence, one.identity));
    let places = all.iter().zip(&around).filter(|(one, around)| is_dropped(one, **around));
    NestedMentions { places: places.map(|(one, _)| one.place).collect(), pairs: around.iter().sum() }
}

/// Returns, for each mention (sorted by first word, then backwards by last word), how many others contain all its words
/// and more.
fn count_around<'m>(sorted: impl IntoIterator<Item = &'m Nestable> + Clone) -> Vec<u64> {
    let spans: Vec<Span> = sorted.into_iter().map(|one| one.span).collect();
    let mut ends: Vec<u32> = spans.iter().map(|span| span.end()).collect();
    ends.sort_unstable();
    ends.dedup();
    // A Fenwick tree over the last words of mentions that start earlier, from the right.
    let mut tree = vec![0_u64; ends.len() + 1];
    let place = |span: Span| ends.len() - ends.partition_point(|&end| end < span.end());
    let mut around = Vec::with_capacity(spans.len());
    for same in spans.chunk_by(|a, b| a == b) {
        let (mut at, mut count) = (place(same[0]), 0);
        while at > 0 {
            count += tree[at];
            at &= at - 1;
        }
        around.extend(std::iter::repeat_n(count, same.len()));
        let mut at = place(same[0]);
        while at < tree.len() {
            tree[at] += same.len() as u64;
            at += at & at.wrapping_neg();
        }
    }
    around
}
