//! Finds the mentions that two settings treat differently: dropped, added, or aligned with another mention.
//!
//! Mentions are compared by their words and the name of their entity, so that the two settings may even have read the
//! files differently. A match that changes is listed on the side of the key; a change that only the response can
//! show, such as a repeated mention that no longer counts, on that of the response.

use std::collections::{BTreeMap, BTreeSet};

use super::text::Text;
use super::{CorpusFacts, LANGUAGES, TypeRule};
use crate::diagnostic::Position;
use crate::matching::Alignment;
use crate::model::{Document, Mention, Side};
use crate::pairing::DocumentPair;
use crate::score::aligned_mentions;
use crate::settings::{CeafSingletons, Settings};

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
}

impl MentionChange {
    /// All changes, in the order of reports.
    pub const ALL: [MentionChange; 9] = [
        MentionChange::Dropped,
        MentionChange::Added,
        MentionChange::Matched,
        MentionChange::Unmatched,
        MentionChange::Rematched,
        MentionChange::Supplied,
        MentionChange::Withdrawn,
        MentionChange::Ignored,
        MentionChange::Regarded,
    ];

    /// The name, as in JSON.
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
        }
    }
}

/// A mention that two settings treat differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedMention {
    /// The side that annotates it.
    pub side: Side,
    /// Its change.
    pub change: MentionChange,
    /// Its words; empty where the text is not known.
    pub text: String,
    /// The name of its entity.
    pub entity: String,
    /// The number of mentions of its entity in the document, as annotated.
    pub entity_size: u32,
    /// Its sentence, from 1; `None` where sentences are not known.
    pub sentence: Option<u32>,
    /// Its place in the file.
    pub position: Position,
    /// The words of the mention that it was matched with before.
    pub before: Option<String>,
    /// The words of the mention that it is matched with now.
    pub after: Option<String>,
}

/// The mentions of one document that two settings treat differently.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentChanges {
    /// The document's id.
    pub id: String,
    /// The mentions in the order of the text, those of the key first.
    pub mentions: Vec<ChangedMention>,
}

/// A word by its number in the text and, for an empty node, the sentence and the number among those after the same word.
type Slot = (u32, u32, u32);

/// Identifies a mention of a side: by its first and last words, its entity, and its number among equal ones. Settings may
/// add empty nodes, which move other words, but not their numbers in the text.
type Name = (Vec<(Slot, Slot)>, String, u32);

/// The mentions of one side under one setting.
struct SideState {
    /// The mentions that are scored, each with its place in the document.
    scored: BTreeMap<Name, u32>,
    /// For those that match, the mention of the other side.
    partner: BTreeMap<Name, (Name, u32)>,
    /// The mentions that are added to the key as singletons.
    supplied: BTreeSet<Name>,
    /// The mentions that CEAF φ4 ignores.
    ignored: BTreeSet<Name>,
}

/// A document under one setting.
struct State<'d> {
    key: &'d Document,
    response: &'d Document,
    text: Text<'d>,
    sides: [SideState; 2],
}

/// The name of every mention of a document.
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

impl<'d> State<'d> {
    fn new(pair: DocumentPair<'d>, settings: &Settings) -> State<'d> {
        let response = pair.response.unwrap_or(pair.key);
        let facts = CorpusFacts { language: &LANGUAGES[0], types: TypeRule::default(), singletons: true };
        let alignment = aligned_mentions(pair, settings);
        let (key_names, response_names) = (names(pair.key), names(response));
        let Alignment { key: of_key, response: of_response, pairs, repeated, extra, .. } = &alignment;
        let key_at = |place: u32| of_key.mentions[place as usize].mention;
        let response_at = |place: u32| of_response.mentions[place as usize].mention;
        let scored = |names: &[Name], places: Vec<u32>| -> BTreeMap<Name, u32> {
            places.into_iter().map(|place| (names[place as usize].clone(), place)).collect()
        };
        let mut sides = [
            SideState {
                scored: scored(&key_names, of_key.mentions.iter().map(|chosen| chosen.mention).collect()),
                partner: BTreeMap::new(),
                supplied: BTreeSet::new(),
                ignored: BTreeSet::new(),
            },
            SideState {
                scored: scored(
                    &response_names,
                    of_response.mentions.iter().map(|chosen| chosen.mention).collect(),
                ),
                partner: BTreeMap::new(),
                supplied: extra
                    .iter()
                    .map(|&place| response_names[response_at(place) as usize].clone())
                    .collect(),
                ignored: BTreeSet::new(),
            },
        ];
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
        State { key: pair.key, response, text: Text::new(pair, facts), sides }
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

    /// A mention of this state, with its change.
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
        }
    }
}

fn other(side: Side) -> Side {
    match side {
        Side::Key => Side::Response,
        Side::Response => Side::Key,
    }
}

/// The mentions of one side that the two states treat differently.
fn changes_of_side(before: &State<'_>, after: &State<'_>, side: Side, found: &mut Vec<ChangedMention>) {
    let place = usize::from(side == Side::Response);
    let (was, is) = (&before.sides[place], &after.sides[place]);
    let text = |state: &State<'_>, side: &SideState, name: &Name, of: Side| {
        side.partner.get(name).map(|partner| state.text_of(other(of), partner.1))
    };
    let all: BTreeSet<&Name> = was.scored.keys().chain(is.scored.keys()).collect();
    for name in all {
        let mut add = |state: &State<'_>, at: u32, change: MentionChange| {
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
}

/// The mentions that two settings treat differently, for each document that has any, in the order of the first
/// settings. Each setting comes with the documents as that setting pairs them.
pub(crate) fn changed_mentions(
    (before, before_settings): (&[DocumentPair<'_>], &Settings),
    (after, after_settings): (&[DocumentPair<'_>], &Settings),
) -> Vec<DocumentChanges> {
    let mut left: BTreeMap<String, DocumentPair<'_>> =
        after.iter().map(|pair| (pair.key.id().to_string(), *pair)).collect();
    let mut changes = Vec::new();
    for pair in before {
        let id = pair.key.id().to_string();
        let was = State::new(*pair, before_settings);
        let mut mentions = Vec::new();
        match left.remove(&id) {
            Some(after) => {
                let is = State::new(after, after_settings);
                [Side::Key, Side::Response]
                    .into_iter()
                    .for_each(|side| changes_of_side(&was, &is, side, &mut mentions));
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
    for (id, pair) in left {
        let is = State::new(pair, after_settings);
        let mut mentions = Vec::new();
        for (side, state) in [Side::Key, Side::Response].into_iter().zip(&is.sides) {
            mentions.extend(state.scored.values().map(|&at| is.changed(side, at, MentionChange::Added)));
        }
        changes.push(DocumentChanges { id, mentions });
    }
    changes.retain(|document| !document.mentions.is_empty());
    changes
}
