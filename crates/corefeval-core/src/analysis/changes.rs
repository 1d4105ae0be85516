//! Finds the annotation that two settings treat differently: mentions that are dropped, added or aligned with another
//! mention, split antecedents, and entities with an ACE-value.
//!
//! Mentions are compared by their words and the name of their entity, because the two settings may have read the files
//! differently. A match that changes is listed for the key. A change that only the response shows, such as a repeated
//! mention that no longer counts, is listed for the response.

use std::collections::{BTreeMap, BTreeSet};

use super::task::{CorpusFacts, Fact};
use super::text::PairText;
use super::types::{LANGUAGES, TypeRule};
use crate::diagnostic::Position;
use crate::matching::Alignment;
use crate::metrics::Metric;
use crate::model::{Document, EntityId, Mention, Side, Slot};
use crate::pairing::DocumentPair;
use crate::score::aligned_mentions;
use crate::selection::Selected;
use crate::settings::{CeafSingletons, Settings, SplitAntecedents, SplitParts};

/// The change of a mention when a setting is switched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MentionChange {
    /// No longer scored.
    Dropped,
    /// Scored only now.
    Added,
    /// Now matches a mention of the other side.
    Matched,
    /// No longer matches any mention.
    Unmatched,
    /// Matches another mention.
    Rematched,
    /// Now added to the key as a singleton, though only the response annotates it.
    Supplied,
    /// No longer added to the key.
    Withdrawn,
    /// Now ignored by CEAF φ4: a singleton of the response.
    Ignored,
    /// No longer ignored by CEAF φ4.
    Regarded,
    /// Annotated more than once, and scored before and after by rules that count its copies differently.
    Recounted,
    /// A split antecedent that is scored only now.
    SplitAdded,
    /// A split antecedent that is no longer scored.
    SplitDropped,
    /// A split antecedent whose parts have different mentions.
    SplitParts,
    /// An entity that adds a different amount to ACE-value.
    Revalued,
}

impl MentionChange {
    /// All changes, in the order of reports.
    pub const ALL: [MentionChange; 14] = [
        MentionChange::Dropped,
        MentionChange::Added,
        MentionChange::Matched,
        MentionChange::Unmatched,
        MentionChange::Rematched,
        MentionChange::Supplied,
        MentionChange::Withdrawn,
        MentionChange::Ignored,
        MentionChange::Regarded,
        MentionChange::Recounted,
        MentionChange::SplitAdded,
        MentionChange::SplitDropped,
        MentionChange::SplitParts,
        MentionChange::Revalued,
    ];

    /// Returns the name used in JSON.
    pub fn id(self) -> &'static str {
        match self {
            MentionChange::Dropped => "dropped",
            MentionChange::Added => "added",
            MentionChange::Matched => "matched",
            MentionChange::Unmatched => "unmatched",
            MentionChange::Rematched => "rematched",
            MentionChange::Supplied => "supplied",
            MentionChange::Withdrawn => "withdrawn",
            MentionChange::Ignored => "ignored",
            MentionChange::Regarded => "regarded",
            MentionChange::Recounted => "recounted",
            MentionChange::SplitAdded => "split-added",
            MentionChange::SplitDropped => "split-dropped",
            MentionChange::SplitParts => "split-parts",
            MentionChange::Revalued => "revalued",
        }
    }

    /// Returns the name of the change, in the singular and the plural.
    pub fn noun(self) -> [&'static str; 2] {
        match self {
            MentionChange::SplitAdded | MentionChange::SplitDropped | MentionChange::SplitParts => {
                ["split antecedent", "split antecedents"]
            }
            MentionChange::Revalued => ["entity", "entities"],
            _ => ["mention", "mentions"],
        }
    }

    /// Returns the words for the change, after "34 mentions of the key are".
    pub fn label(self) -> &'static str {
        match self {
            MentionChange::Dropped => "dropped",
            MentionChange::Added => "added",
            MentionChange::Matched => "newly matched",
            MentionChange::Unmatched => "no longer matched",
            MentionChange::Rematched => "matched with another mention",
            MentionChange::Supplied => "added to the key as singletons",
            MentionChange::Withdrawn => "no longer added to the key",
            MentionChange::Ignored => "ignored by CEAF φ4 as singletons",
            MentionChange::Regarded => "no longer ignored by CEAF φ4",
            MentionChange::Recounted => "repeated, counted differently",
            MentionChange::SplitAdded => "newly scored",
            MentionChange::SplitDropped => "no longer scored",
            MentionChange::SplitParts => "scored with other mentions of its parts",
            MentionChange::Revalued => "with another value",
        }
    }
}

/// A mention that two settings treat differently, or a split antecedent or an entity: see [`MentionChange::noun`].
#[derive(Clone, Debug, PartialEq)]
pub struct ChangedMention {
    /// The side that annotates it.
    pub side: Side,
    /// Its change.
    pub change: MentionChange,
    /// Its words; for a split antecedent, the first mention of each part; for an entity, its first mention. Empty if
    /// the text is not known.
    pub text: String,
    /// The name of its entity.
    pub entity: String,
    /// The number of mentions of its entity in the document, as annotated.
    pub entity_size: u32,
    /// Its sentence, from 1; `None` if sentences are not known.
    pub sentence: Option<u32>,
    /// Its place in the file.
    pub position: Position,
    /// The words of the mention that it was matched with before.
    pub before: Option<String>,
    /// The words of the mention that it is matched with now.
    pub after: Option<String>,
    /// For [`Revalued`](MentionChange::Revalued): the contribution of the entity to the value before and after.
    pub values: Option<[f64; 2]>,
}

/// The mentions of one document that two settings treat differently.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DocumentChanges {
    /// The document's id.
    pub id: String,
    /// The mentions in the order of the text, the key's first.
    pub mentions: Vec<ChangedMention>,
}

/// Identifies a mention of a side: by its first and last words, its entity, and its number among equal ones. Settings may
/// add empty nodes, which move other words, but not their numbers in the text.
type Name = (Vec<(Slot, Slot)>, String, u32);

/// The mentions of one side under one setting.
struct SideState {
    /// The mentions that are scored, each with its place in the document.
    scored: BTreeMap<Name, u32>,
    /// For each matching mention, the mention of the other side.
    partner: BTreeMap<Name, (Name, u32)>,
    /// The mentions that are added to the key as singletons.
    supplied: BTreeSet<Name>,
    /// The mentions that CEAF φ4 ignores.
    ignored: BTreeSet<Name>,
    /// The mentions whose words are annotated more than once.
    repeated: BTreeSet<Name>,
    /// The scored split antecedents by line and entity: the place in the document's list, and the mentions of the parts.
    splits: BTreeMap<(u32, String), (usize, Vec<Name>)>,
}

impl SideState {
    /// Collects the mentions and split antecedents of a document that a selection keeps.
    fn new(document: &Document, names: &[Name], selected: &Selected, settings: &Settings) -> SideState {
        let name_at = |place: u32| names[place as usize].clone();
        let scored: BTreeMap<Name, u32> =
            selected.mentions.iter().map(|chosen| (name_at(chosen.mention), chosen.mention)).collect();
        let mut copies: BTreeMap<&[(Slot, Slot)], u32> = BTreeMap::new();
        names.iter().for_each(|name| *copies.entry(&name.0).or_default() += 1);
        let repeated = names.iter().filter(|name| copies[name.0.as_slice()] > 1).cloned().collect();
        let mut splits = BTreeMap::new();
        let relations = document.relations().filter(|_| settings.split_antecedents != SplitAntecedents::Drop);
        let all = relations.map_or(&[][..], |relations| &relations.split_antecedents);
        for (place, split) in all.iter().enumerate() {
            let is_part = |(mention, name): &(&Mention, &Name)| {
                split.parts.contains(&mention.entity())
                    && (settings.split_parts == SplitParts::Whole || scored.contains_key(*name))
            };
            let parts = document.mentions().iter().zip(names).filter(is_part);
            let parts: Vec<Name> = parts.map(|(_, name)| name.clone()).collect();
            if !parts.is_empty() {
                splits.insert((split.line, document.entity_name(split.entity).to_owned()), (place, parts));
            }
        }
        let (partner, supplied, ignored) = (BTreeMap::new(), BTreeSet::new(), BTreeSet::new());
        SideState { scored, partner, supplied, ignored, repeated, splits }
    }
}

/// A document under one setting.
struct DocumentState<'d> {
    settings: &'d Settings,
    key: &'d Document,
    response: &'d Document,
    text: PairText<'d>,
    sides: [SideState; 2],
}

/// Returns the name of each mention of a document.
fn names(document: &Document) -> Vec<Name> {
    let slots: Vec<Slot> = document.words().slots().collect();
    let slot = |word: u32| slots.get(word as usize).copied().unwrap_or((word, 0, 0));
    let mut seen: BTreeMap<(Vec<(Slot, Slot)>, String), u32> = BTreeMap::new();
    let name = |mention: &Mention| {
        let parts = if mention.parts().is_empty() { vec![mention.span()] } else { mention.parts().to_vec() };
        let parts: Vec<_> = parts.iter().map(|part| (slot(part.start()), slot(part.last()))).collect();
        let entity = document.entity_name(mention.entity()).to_owned();
        let copy = seen.entry((parts.clone(), entity.clone())).or_default();
        *copy += 1;
        (parts, entity, *copy)
    };
    document.mentions().iter().map(name).collect()
}

impl<'d> DocumentState<'d> {
    fn new(pair: DocumentPair<'d>, settings: &'d Settings) -> DocumentState<'d> {
        let response = pair.response.unwrap_or(pair.key);
        let facts = CorpusFacts {
            language: Fact::Known(&LANGUAGES[0]),
            types: TypeRule::default(),
            singletons: Fact::Known(true),
            place: settings.place,
        };
        let alignment = aligned_mentions(pair, settings);
        let (key_names, response_names) = (names(pair.key), names(response));
        let Alignment { key: of_key, response: of_response, pairs, repeated, extra, .. } = &alignment;
        let key_at = |place: u32| of_key.mentions[place as usize].mention;
        let response_at = |place: u32| of_response.mentions[place as usize].mention;
        let mut sides = [
            SideState::new(pair.key, &key_names, of_key, settings),
            SideState::new(response, &response_names, of_response, settings),
        ];
        let supplied = extra.iter().map(|&place| response_names[response_at(place) as usize].clone());
        sides[1].supplied = supplied.collect();
        if pair.response.is_none() {
            sides[1].splits.clear();
        }
        let copies = repeated.iter().flat_map(|repeated| [&repeated.recall, &repeated.precision]);
        for &(ours, theirs) in copies.flatten().chain(pairs) {
            let (ours, theirs) = (key_at(ours), response_at(theirs));
            let (key, response) = (&key_names[ours as usize], &response_names[theirs as usize]);
            sides[0].partner.insert(key.clone(), (response.clone(), theirs));
            sides[1].partner.insert(response.clone(), (key.clone(), ours));
        }
        if settings.ceaf == CeafSingletons::KeyOnly {
            let alone = of_response
                .mentions
                .iter()
                .filter(|chosen| of_response.sizes.get(chosen.entity as usize) == Some(&1));
            sides[1].ignored = alone.map(|chosen| response_names[chosen.mention as usize].clone()).collect();
        }
        DocumentState { settings, key: pair.key, response, text: PairText::new(pair, facts), sides }
    }

    fn document(&self, side: Side) -> &'d Document {
        match side {
            Side::Key => self.key,
            Side::Response => self.response,
        }
    }

    fn text_of(&self, side: Side, place: u32) -> String {
        let document = self.document(side);
        self.text.of_mention(side, &document.mentions()[place as usize])
    }

    /// Describes a mention of this state and its change.
    fn changed(&self, side: Side, place: u32, change: MentionChange) -> ChangedMention {
        let document = self.document(side);
        let mention = &document.mentions()[place as usize];
        let size = document.mentions().iter().filter(|other| other.entity() == mention.entity()).count();
        let sentences = document.words().sentences().len() > 1 || document.words().layers().is_some();
        ChangedMention {
            side,
            change,
            text: self.text_of(side, place),
            entity: document.entity_name(mention.entity()).to_owned(),
            entity_size: size as u32,
            sentence: sentences.then(|| document.words().sentence_of(mention.span().start()) + 1),
            position: document.position_of(mention),
            before: None,
            after: None,
            values: None,
        }
    }

    /// Returns the place of the first mention of an entity.
    fn first_of(&self, side: Side, entity: EntityId) -> Option<u32> {
        let mentions = self.document(side).mentions();
        mentions.iter().position(|mention| mention.entity() == entity).map(|place| place as u32)
    }

    /// Describes an entity of this state whose value changes, by its first mention.
    fn changed_entity(&self, side: Side, entity: EntityId) -> Option<ChangedMention> {
        let place = self.first_of(side, entity)?;
        Some(self.changed(side, place, MentionChange::Revalued))
    }

    /// Describes a split antecedent of this state and its change.
    fn changed_split(&self, side: Side, place: usize, change: MentionChange) -> Option<ChangedMention> {
        let document = self.document(side);
        let split = document.relations()?.split_antecedents.get(place)?;
        let text_of = |entity: &EntityId| match self.first_of(side, *entity) {
            Some(place) => self.text_of(side, place),
            None => document.entity_name(*entity).to_owned(),
        };
        let text: Vec<String> = split.parts.iter().map(text_of).collect();
        let size = document.mentions().iter().filter(|mention| mention.entity() == split.entity).count();
        Some(ChangedMention {
            side,
            change,
            text: text.join(" + "),
            entity: document.entity_name(split.entity).to_owned(),
            entity_size: size as u32,
            sentence: None,
            position: Position::new(document.source(), split.line, 0),
            before: None,
            after: None,
            values: None,
        })
    }
}

/// Adds to `found` the split antecedents of one side that the two states treat differently.
fn changes_of_splits(
    before: &DocumentState<'_>,
    after: &DocumentState<'_>,
    side: Side,
    found: &mut Vec<ChangedMention>,
) {
    let place = usize::from(side == Side::Response);
    let (was, is) = (&before.sides[place].splits, &after.sides[place].splits);
    let names: BTreeSet<_> = was.keys().chain(is.keys()).collect();
    found.extend(names.into_iter().filter_map(|name| match (was.get(name), is.get(name)) {
        (Some(was), None) => before.changed_split(side, was.0, MentionChange::SplitDropped),
        (None, Some(is)) => after.changed_split(side, is.0, MentionChange::SplitAdded),
        (Some(was), Some(is)) if was.1 != is.1 => after.changed_split(side, is.0, MentionChange::SplitParts),
        _ => None,
    }));
}

/// The contributions of a document's entities to a value, by side and name.
type EntityValues = BTreeMap<(bool, String), (EntityId, f64)>;

/// Returns the contributions of entities to the value of a metric, by the place of the document.
fn values_of(
    metric: &Metric,
    pairs: &[DocumentPair<'_>],
    settings: &Settings,
) -> BTreeMap<usize, EntityValues> {
    let mut values: BTreeMap<usize, EntityValues> = BTreeMap::new();
    let Some(corpus) = metric.corpus_values(pairs, settings) else { return values };
    for side in [Side::Key, Side::Response] {
        for (place, entity, value) in corpus.contributions(side) {
            let document = if side == Side::Key { Some(pairs[place].key) } else { pairs[place].response };
            let Some(document) = document else { continue };
            let name = (side == Side::Response, document.entity_name(entity).to_owned());
            values.entry(place).or_default().insert(name, (entity, value));
        }
    }
    values
}

/// The smallest change of a contribution that is listed. NIST's scorers add tiny values to break ties.
const LEAST_VALUE: f64 = 5e-7;

/// Adds to `found` the entities whose contribution to the value changes, the largest changes first.
fn changes_of_values(
    (before, was): (&DocumentState<'_>, Option<&EntityValues>),
    (after, is): (&DocumentState<'_>, Option<&EntityValues>),
    found: &mut Vec<ChangedMention>,
) {
    let names: BTreeSet<_> = was.into_iter().chain(is).flat_map(BTreeMap::keys).collect();
    let start = found.len();
    for name in names {
        let side = if name.0 { Side::Response } else { Side::Key };
        let ends = [was, is].map(|values| values.and_then(|values| values.get(name)));
        let values = ends.map(|end| end.map_or(0.0, |end| end.1));
        if (values[1] - values[0]).abs() < LEAST_VALUE {
            continue;
        }
        let changed = match ends {
            [_, Some((entity, _))] => after.changed_entity(side, *entity),
            [Some((entity, _)), None] => before.changed_entity(side, *entity),
            [None, None] => None,
        };
        found.extend(changed.map(|changed| ChangedMention { values: Some(values), ..changed }));
    }
    let size = |changed: &ChangedMention| changed.values.map_or(0.0, |[was, is]| (is - was).abs());
    found[start..].sort_by(|one, other| size(other).total_cmp(&size(one)));
}

fn other(side: Side) -> Side {
    match side {
        Side::Key => Side::Response,
        Side::Response => Side::Key,
    }
}

/// Adds to `found` the mentions of one side that the two states treat differently.
fn changes_of_side(
    before: &DocumentState<'_>,
    after: &DocumentState<'_>,
    side: Side,
    found: &mut Vec<ChangedMention>,
) {
    let place = usize::from(side == Side::Response);
    let (was, is) = (&before.sides[place], &after.sides[place]);
    let text = |state: &DocumentState<'_>, side: &SideState, name: &Name, of: Side| {
        side.partner.get(name).map(|partner| state.text_of(other(of), partner.1))
    };
    let all: BTreeSet<&Name> = was.scored.keys().chain(is.scored.keys()).collect();
    let mut changed: BTreeSet<&[(Slot, Slot)]> = BTreeSet::new();
    for &name in &all {
        let mut add = |state: &DocumentState<'_>, at: u32, change: MentionChange| {
            changed.insert(&name.0);
            found.push(ChangedMention {
                before: text(before, was, name, side),
                after: text(after, is, name, side),
                ..state.changed(side, at, change)
            });
        };
        match (was.scored.get(name), is.scored.get(name)) {
            (Some(&at), None) => add(before, at, MentionChange::Dropped),
            (None, Some(&at)) => add(after, at, MentionChange::Added),
            (Some(_), Some(&at)) => {
                let partners = (was.partner.get(name), is.partner.get(name));
                let change = match partners {
                    (None, Some(_)) => Some(MentionChange::Matched),
                    (Some(_), None) => Some(MentionChange::Unmatched),
                    (Some(before), Some(after)) if before.0 != after.0 => Some(MentionChange::Rematched),
                    _ => None,
                };
                // Changes in the key's list are not repeated for the response.
                let by_key = side == Side::Response
                    && [partners.0, partners.1].into_iter().flatten().any(|partner| {
                        before.sides[0].scored.contains_key(&partner.0)
                            || after.sides[0].scored.contains_key(&partner.0)
                    });
                if let Some(change) = change.filter(|_| !by_key) {
                    add(after, at, change);
                }
                let flags = [
                    (&was.supplied, &is.supplied, MentionChange::Supplied, MentionChange::Withdrawn),
                    (&was.ignored, &is.ignored, MentionChange::Ignored, MentionChange::Regarded),
                ];
                for (was, is, begins, ends) in flags {
                    match (was.contains(name), is.contains(name)) {
                        (false, true) => add(after, at, begins),
                        (true, false) => add(after, at, ends),
                        _ => {}
                    }
                }
            }
            (None, None) => {}
        }
    }
    // Copies that are scored under both settings, but counted differently.
    if before.settings.duplicates != after.settings.duplicates {
        let is_repeated = |name: &&Name| was.repeated.contains(name) || is.repeated.contains(name);
        for name in all.into_iter().filter(is_repeated).filter(|name| !changed.contains(name.0.as_slice())) {
            let place = is.scored.get(name).filter(|_| was.scored.contains_key(name));
            found.extend(place.map(|&place| after.changed(side, place, MentionChange::Recounted)));
        }
    }
}

/// Returns the mentions that two settings treat differently, for each document that has any, in the order of the first
/// settings. Each setting has its own pairing of the documents. Entities whose contribution to the metric
/// `valued` changes are listed too.
pub(crate) fn changed_mentions(
    (before, before_settings): (&[DocumentPair<'_>], &Settings),
    (after, after_settings): (&[DocumentPair<'_>], &Settings),
    valued: Option<&Metric>,
) -> Vec<DocumentChanges> {
    let values = |pairs: &[DocumentPair<'_>], settings: &Settings| {
        valued.map(|metric| values_of(metric, pairs, settings)).unwrap_or_default()
    };
    let (values_before, values_after) = (values(before, before_settings), values(after, after_settings));
    let mut left: BTreeMap<String, (usize, DocumentPair<'_>)> =
        after.iter().enumerate().map(|(place, pair)| (pair.key.id().to_string(), (place, *pair))).collect();
    let mut changes = Vec::new();
    for (place, pair) in before.iter().enumerate() {
        let id = pair.key.id().to_string();
        let was = DocumentState::new(*pair, before_settings);
        let mut mentions = Vec::new();
        match left.remove(&id) {
            Some((after_place, after)) => {
                let is = DocumentState::new(after, after_settings);
                for side in [Side::Key, Side::Response] {
                    changes_of_side(&was, &is, side, &mut mentions);
                    changes_of_splits(&was, &is, side, &mut mentions);
                }
                let (ours, theirs) = (values_before.get(&place), values_after.get(&after_place));
                changes_of_values((&was, ours), (&is, theirs), &mut mentions);
            }
            None => {
                for (side, state) in [Side::Key, Side::Response].into_iter().zip(&was.sides) {
                    let dropped = |&at: &u32| was.changed(side, at, MentionChange::Dropped);
                    mentions.extend(state.scored.values().map(dropped));
                }
            }
        }
        changes.push(DocumentChanges { id, mentions });
    }
    for (id, (_, pair)) in left {
        let is = DocumentState::new(pair, after_settings);
        let mut mentions = Vec::new();
        for (side, state) in [Side::Key, Side::Response].into_iter().zip(&is.sides) {
            mentions.extend(state.scored.values().map(|&at| is.changed(side, at, MentionChange::Added)));
        }
        changes.push(DocumentChanges { id, mentions });
    }
    changes.retain(|document| !document.mentions.is_empty());
    changes
}
