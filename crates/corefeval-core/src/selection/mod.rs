//! What of a document is scored: the settings drop mentions before anything is matched.
//!
//! The order of work: copies of a mention within its entity (`--duplicates distinct`), then singletons
//! (`--singletons drop`) and zeros (`--zeros drop`) in the order that the settings name (`--order`),
//! then mentions whose parse is a verb phrase (`--np-only`), then nested mentions of one entity
//! (`--remove-nested`), as corefud-scorer and coval work. Other repeated mentions stay: which copy
//! counts depends on the other side, so the alignment decides. Where names are asked for, entities without a named
//! mention go last (`--entities named`), and CONE sees what [`named`](crate::named) leaves of the rest.

mod identity;
mod splits;

pub(crate) use identity::Identity;
pub use splits::SelectedSplit;

use corefeval_metrics::overlap::close_gaps;

use crate::diagnostic::{Code, Diagnostics};
use crate::model::{Document, Mention, Phrase, Span};
use crate::settings::{Duplicates, Keep, Match, SelectionOrder, Settings, SplitAntecedents, Switch};

/// One side of a document after selection: mentions with dense entity numbers.
///
/// Entities keep the order of the document; each has at least one mention.
#[derive(Clone, Debug, Default)]
pub struct Selected {
    /// The mentions that are scored, in the order of the document.
    pub mentions: Vec<SelectedMention>,
    /// Members of each entity: mentions, and its split antecedent if it has one.
    pub sizes: Vec<u32>,
    /// The split antecedents.
    pub splits: Vec<SelectedSplit>,
}

/// A mention that is scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelectedMention {
    /// Its place in the document's list.
    pub mention: u32,
    /// Its entity, numbered densely within the selection.
    pub entity: u32,
}

impl Selected {
    /// The selection of those mentions of `document` for which `kept` is true.
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

    /// The same selection without the mentions at the given places (ascending).
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

    /// The named mentions alone: what CONE scores. `named` is by place in the document's list. Split antecedents
    /// have no name.
    pub(crate) fn pruned(&self, named: &[bool]) -> Selected {
        let mut sizes = vec![0; self.sizes.len()];
        let kept = self.mentions.iter().filter(|mention| named[mention.mention as usize]);
        let mentions: Vec<SelectedMention> = kept.copied().collect();
        mentions.iter().for_each(|mention| sizes[mention.entity as usize] += 1);
        let mut selected = Selected { mentions, sizes, splits: Vec::new() };
        selected.close_gaps();
        selected
    }

    /// Those entities that have a named mention, whole (`--entities named`). Split antecedents stay as far as
    /// what they are the sum of.
    pub(crate) fn of_named_entities(&self, named: &[bool]) -> Selected {
        let mut kept = vec![false; self.sizes.len()];
        for mention in self.mentions.iter().filter(|mention| named[mention.mention as usize]) {
            kept[mention.entity as usize] = true;
        }
        let mut sizes = vec![0; self.sizes.len()];
        let mut places: Vec<Option<u32>> = Vec::with_capacity(self.mentions.len());
        let mut mentions = Vec::with_capacity(self.mentions.len());
        for mention in &self.mentions {
            let stays = kept[mention.entity as usize];
            places.push(stays.then_some(mentions.len() as u32));
            if stays {
                sizes[mention.entity as usize] += 1;
                mentions.push(*mention);
            }
        }
        let part = |part: &Vec<u32>| -> Vec<u32> {
            part.iter().filter_map(|&place| places[place as usize]).collect()
        };
        let mut splits = Vec::new();
        for split in self.splits.iter().filter(|split| kept[split.entity as usize]) {
            let parts: Vec<Vec<u32>> = split.parts.iter().map(part).filter(|part| !part.is_empty()).collect();
            if !parts.is_empty() {
                sizes[split.entity as usize] += 1;
                splits.push(SelectedSplit { entity: split.entity, parts });
            }
        }
        let mut selected = Selected { mentions, sizes, splits };
        selected.close_gaps();
        selected
    }

    /// Renumbers the entities so that none is empty.
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

/// What of `document` is scored, split antecedents included. `parsed` is the document whose parse counts for both sides: the
/// key's.
pub fn select(
    document: &Document,
    parsed: &Document,
    settings: &Settings,
    diagnostics: &mut Diagnostics,
) -> Selected {
    let mut selected = select_mentions(document, parsed, settings, diagnostics);
    if settings.split_antecedents != SplitAntecedents::Drop {
        splits::add(document, &mut selected);
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
        tell(document, diagnostics, dropped, "singletons");
        return Selected::new(document, |place| sizes[entity(place)] > 1);
    }
    let mut kept = vec![true; document.mentions().len()];
    let mut entities = members(document);
    if settings.duplicates == Duplicates::Distinct {
        drop_copies(document, settings, &mut entities, &mut kept, diagnostics);
    }
    let steps = match settings.order {
        SelectionOrder::SingletonsFirst => [Step::Singletons, Step::Zeros],
        SelectionOrder::ZerosFirst => [Step::Zeros, Step::Singletons],
    };
    for step in steps {
        match step {
            Step::Singletons if settings.singletons == Keep::Drop => {
                let dropped = drop_singletons(&mut entities, &mut kept);
                tell(document, diagnostics, dropped, "singletons");
            }
            Step::Zeros if settings.zeros == Keep::Drop => {
                let dropped = drop_zeros(document, &mut entities, &mut kept);
                tell(document, diagnostics, dropped, "zeros");
            }
            _ => {}
        }
    }
    if settings.np_only == Switch::Yes {
        let dropped = drop_verb_phrases(document, parsed, &mut entities, &mut kept, diagnostics);
        tell(document, diagnostics, dropped, "mentions by --np-only");
    }
    if settings.remove_nested == Switch::Yes {
        let keep_singletons = settings.singletons == Keep::Keep;
        let parsed = (settings.matching == Match::MinSpan).then_some(parsed);
        let dropped = drop_nested(document, parsed, &mut entities, &mut kept, keep_singletons);
        tell(document, diagnostics, dropped, "mentions by --remove-nested");
    }
    Selected::new(document, |place| kept[place])
}

/// Whether two mentions go from the same first to the same last word. Files mostly close brackets such
/// that nothing needs sorting.
fn repeats_a_span(document: &Document) -> bool {
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

fn tell(document: &Document, diagnostics: &mut Diagnostics, dropped: usize, what: &str) {
    if dropped > 0 {
        let id = document.id().to_string();
        let message = || format!("{dropped} {what} left out of `{id}`");
        diagnostics.add(Code::MentionsDropped, Some(document.position()), Some(id.clone()), message);
        diagnostics.count(Code::MentionsDropped, dropped as u64 - 1);
    }
}

/// The places of each entity's mentions.
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

/// What `--order` puts in order.
#[derive(Clone, Copy)]
enum Step {
    Singletons,
    Zeros,
}

/// Drops all copies of a mention but the first within each entity, and reports them.
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
                let position = document.position_of(&mentions[place]);
                let id = document.id().to_string();
                diagnostics.add(Code::DuplicateMention, Some(position), Some(id), || {
                    let name = document.entity_name(mentions[place].entity());
                    let line = mentions[first].line();
                    format!("entity `{name}` has this mention twice (the other copy opens at line {line}); one was dropped")
                });
            }
        }
        entity.retain(|&place| kept[place]);
    }
}

/// Whether a mention's head is not in the text; of a mention without a head its first word is asked.
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

/// Drops mentions that are verb phrases; an entity of which one mention is left goes with them.
fn drop_verb_phrases(
    document: &Document,
    parsed: &Document,
    entities: &mut [Vec<usize>],
    kept: &mut [bool],
    diagnostics: &mut Diagnostics,
) -> usize {
    let Some(layers) =
        parsed.words().layers().filter(|layers| layers.parse.iter().any(|bit| !bit.is_empty()))
    else {
        let id = document.id().to_string();
        diagnostics.add(Code::ParseMissing, Some(parsed.position()), Some(id.clone()), || {
            format!("--np-only needs the parse of `{id}`, and the key has none; nothing was dropped")
        });
        return 0;
    };
    let mut dropped = 0;
    for entity in entities {
        let is_verb_phrase = |&place: &usize| {
            let span = document.mentions()[place].span();
            Phrase::of(layers, span).is_some_and(|phrase| phrase.label() == Some("VP"))
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

/// Drops mentions that lie within another mention of their entity and sentence. An entity of which
/// exactly one mention would be left stays whole when singletons are kept and goes when they are
/// not: coval's rule. Where mentions match by minimum spans (`parsed` is then the key), mentions with
/// equal ones are not nested.
fn drop_nested(
    document: &Document,
    parsed: Option<&Document>,
    entities: &mut [Vec<usize>],
    kept: &mut [bool],
    keep_singletons: bool,
) -> usize {
    let mut total = 0;
    for entity in entities {
        let nested = nested_mentions(document, parsed, entity);
        if nested.pairs == 0 {
            continue;
        }
        if entity.len() > 1 && entity.len() as i64 - nested.pairs as i64 == 1 {
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

struct Nested {
    /// Mentions that lie within another.
    places: Vec<usize>,
    /// Pairs of a mention and another within it; what coval compares with the entity's size.
    pairs: usize,
}

/// Finds nested mentions by a sweep over the entity's mentions from left to right, so that only
/// mentions that overlap are compared.
fn nested_mentions(document: &Document, parsed: Option<&Document>, entity: &[usize]) -> Nested {
    let mention = |place: usize| -> &Mention { &document.mentions()[place] };
    let sentence = |span: Span| document.words().sentence_of(span.last());
    let mut sorted: Vec<(Span, usize)> = entity.iter().map(|&place| (mention(place).span(), place)).collect();
    sorted.sort_by_key(|(span, place)| (span.start(), u32::MAX - span.end(), *place));
    let mut around: Vec<(Span, usize)> = Vec::new();
    let mut nested = Nested { places: Vec::new(), pairs: 0 };
    for &(span, place) in &sorted {
        around.retain(|(outer, _)| outer.end() > span.start());
        let same = |other: usize| {
            parsed.is_some_and(|parsed| {
                let identity = |place: usize| Identity::of(document, mention(place), parsed);
                identity(other) == identity(place)
            })
        };
        let containing = around.iter().filter(|&&(outer, other)| {
            outer.contains(span) && outer != span && sentence(outer) == sentence(span) && !same(other)
        });
        let containing = containing.count();
        nested.pairs += containing;
        if containing > 0 {
            nested.places.push(place);
        }
        around.push((span, place));
    }
    nested
}
