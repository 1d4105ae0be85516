//! Finds link errors after Martschat and Strube (2014): mentions without any of their correct antecedents.
//!
//! The possible antecedents of a mention are the earlier mentions of its entity. It is an error if none of them is in
//! the mention's entity on the other side; a [`Tree`] chooses the antecedent that is reported. Errors in key entities
//! cost recall; errors in response entities cost precision. For any tree, there are as many errors as links missing in
//! MUC.

use super::items::{Aligned, Grouped, Item, NONE};
use super::task::Tree;
use super::types::MentionType;
use crate::model::{self, Side, Slot, Span};
use crate::scratch::{Scratch, spare_lists};

/// An anaphor with the antecedent of its error: places in the list of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LinkError {
    pub(super) anaphor: u32,
    pub(super) antecedent: u32,
}

/// The resolution of a mention that has an antecedent on at least one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// An antecedent is right.
    Correct,
    /// The response has antecedents, but all of them are wrong.
    Wrong,
    /// Only the key has antecedents.
    Missing,
    /// Only the response has antecedents.
    Spurious,
}

impl Outcome {
    /// All outcomes in the order in which they are shown.
    pub const ALL: [Outcome; 4] = [Outcome::Correct, Outcome::Wrong, Outcome::Missing, Outcome::Spurious];

    /// Returns the id, which is shown and is also the key in JSON.
    pub fn id(self) -> &'static str {
        match self {
            Outcome::Correct => "correct",
            Outcome::Wrong => "wrong",
            Outcome::Missing => "missing",
            Outcome::Spurious => "spurious",
        }
    }
}

spare_lists!(LinkError, Option<Outcome>, [FoundAntecedent; 2]);

/// The links of a pair of documents.
#[derive(Debug, Default)]
pub(super) struct Links {
    /// Recall errors, in the order of their anaphors.
    pub(super) missing: Scratch<LinkError>,
    /// Precision errors, in the order of their anaphors.
    pub(super) wrong: Scratch<LinkError>,
    /// The number of links in a tree of each side: key, response.
    pub(super) total: [u64; 2],
    /// The resolution of each item; `None` if neither side has an antecedent for it.
    pub(super) outcomes: Scratch<Option<Outcome>>,
    /// The number of matched mentions without a correct link, unless mentions are repeated: see
    /// [`SideSize::unlinked`](crate::results::SideSize::unlinked).
    pub(super) unlinked: u64,
}

/// Identifies a link error that several systems may make: document, anaphor and antecedent.
pub(super) type LinkId = (u32, MentionId, MentionId);

/// Identifies a mention across the responses to one key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum MentionId {
    /// A mention of the key, by its place.
    Key(u32),
    /// A mention of a response that is only a name.
    Name(String),
    /// A mention of a response, by the first and the last word of each part. Responses may differ in their empty nodes, and
    /// therefore in the numbers of their words.
    Words(Vec<[Slot; 2]>),
}

/// Identifies the mentions of a pair of documents across systems.
pub(super) struct MentionIds<'a, 'd> {
    linked: &'a Aligned<'d>,
    /// The words of a response with empty nodes; otherwise a word follows from its number.
    slots: Option<Vec<Slot>>,
}

impl<'a, 'd> MentionIds<'a, 'd> {
    /// Creates the identities of mentions between which links are counted.
    pub(super) fn new(linked: &'a Aligned<'d>) -> MentionIds<'a, 'd> {
        let words = linked.document(Side::Response).words();
        MentionIds { linked, slots: (!words.empty_nodes().is_empty()).then(|| words.slots().collect()) }
    }

    /// Identifies an error by its anaphor and antecedent.
    pub(super) fn link(&self, document: u32, side: Side, error: &LinkError) -> LinkId {
        (document, self.mention(side, error.anaphor), self.mention(side, error.antecedent))
    }

    fn mention(&self, side: Side, item: u32) -> MentionId {
        let item = &self.linked.items[item as usize];
        let mention = self.linked.mention_on(side, item);
        match side {
            Side::Key => MentionId::Key(item.key),
            Side::Response if self.linked.document(side).words().are_names() => {
                MentionId::Name(self.linked.text.of_mention(side, mention))
            }
            Side::Response => {
                let slot = |word: u32| match &self.slots {
                    Some(slots) => slots[word as usize],
                    None => (word + 1, 0, 0),
                };
                let part = |part: &Span| [part.start(), part.last()].map(slot);
                MentionId::Words(mention.parts().iter().map(part).collect())
            }
        }
    }
}

/// The link errors of one system, for comparison with others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ComparedLinks {
    pub(super) missed: Vec<LinkId>,
    pub(super) wrong: Vec<LinkId>,
}

impl ComparedLinks {
    /// Adds the link errors of a document.
    pub(super) fn add(&mut self, document: u32, linked: &Aligned<'_>, links: &Links) {
        let ids = MentionIds::new(linked);
        self.missed.extend(links.missing.iter().map(|error| ids.link(document, Side::Key, error)));
        self.wrong.extend(links.wrong.iter().map(|error| ids.link(document, Side::Response, error)));
    }

    /// Adds the link errors of other documents.
    pub(super) fn append(&mut self, other: ComparedLinks) {
        self.missed.extend(other.missed);
        self.wrong.extend(other.wrong);
    }

    /// Sorts the errors, whose order depends on the threads that found them.
    pub(super) fn sort(&mut self) {
        self.missed.sort_unstable();
        self.wrong.sort_unstable();
    }
}

/// Finds the links of a pair. `type_of` gives the type of an item; it is called for few items.
pub(super) fn links(
    aligned: &Aligned<'_>,
    (key, response): (&Grouped, &Grouped),
    tree: Tree,
    type_of: &dyn Fn(u32) -> MentionType,
) -> Links {
    let items = &aligned.items;
    let mut linked = Scratch::filled([FoundAntecedent::None; 2], items.len());
    let mut side = |side: Side, ours: &Grouped, theirs: &Grouped| {
        // For each entity of the other side, the last one that shares mentions with it, and whether it shares just one
        // mention without a correct link. A further place stands for none, because a branch would often be mispredicted.
        let none = theirs.groups();
        let mut seen = Scratch::filled((NONE, false), none + 1);
        let (mut total, mut unlinked) = (0, 0);
        for (entity, members) in ours.iter() {
            total += members.len().saturating_sub(1) as u64;
            let mut candidates = Candidates::default();
            for (place, &item) in members.iter().enumerate() {
                let other = other_entity(side, &items[item as usize]);
                let (is_shared, seen) = (other != NONE, &mut seen[none.min(other as usize)]);
                let known = is_shared & (seen.0 == entity);
                unlinked -= u64::from(known & seen.1);
                // Two singletons that share their mention lack no link.
                let has_links = members.len() > 1 || is_shared && theirs.of(other).len() > 1;
                let is_alone = is_shared & !known & has_links;
                unlinked += u64::from(is_alone);
                *seen = (entity, is_alone);
                if place == 0 {
                    continue;
                }
                linked[item as usize][side as usize] = match known {
                    true => FoundAntecedent::Correct,
                    false => {
                        FoundAntecedent::Wrong(candidates.choose(&members[..place], item, tree, type_of))
                    }
                };
            }
        }
        (total, unlinked)
    };
    let (key_total, unlinked) = side(Side::Key, key, response);
    let (response_total, _) = side(Side::Response, response, key);
    let mut total = [key_total, response_total];
    let (mut missing, mut wrong, mut outcomes) = (Scratch::new(), Scratch::new(), Scratch::new());
    for (anaphor, &[key, response]) in (0..).zip(linked.iter()) {
        for (found, errors) in [(key, &mut missing), (response, &mut wrong)] {
            if let FoundAntecedent::Wrong(antecedent) = found {
                errors.push(LinkError { anaphor, antecedent });
            }
        }
        outcomes.push(match (key, response) {
            (FoundAntecedent::None, FoundAntecedent::None) => None,
            (FoundAntecedent::Correct, _) | (_, FoundAntecedent::Correct) => Some(Outcome::Correct),
            (FoundAntecedent::Wrong(_), FoundAntecedent::Wrong(_)) => Some(Outcome::Wrong),
            (FoundAntecedent::Wrong(_), FoundAntecedent::None) => Some(Outcome::Missing),
            (FoundAntecedent::None, FoundAntecedent::Wrong(_)) => Some(Outcome::Spurious),
        });
    }
    if tree == Tree::Decisions
        && let Some(links) = aligned.pair.response.and_then(|response| response.links())
    {
        (wrong, total[1]) = wrong_decisions(aligned, links);
    }
    Links { missing, wrong, total, outcomes, unlinked }
}

/// The antecedent of a mention on a side: none, a correct one, or the wrong one that is reported.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FoundAntecedent {
    None,
    Correct,
    Wrong(u32),
}

fn other_entity(side: Side, item: &Item) -> u32 {
    match side {
        Side::Key => item.response_entity,
        Side::Response => item.key_entity,
    }
}

/// The antecedents of an entity that accessibility prefers, among the mentions seen so far.
#[derive(Default)]
struct Candidates {
    seen: usize,
    name: Option<u32>,
    nominal: Option<u32>,
}

impl Candidates {
    /// Chooses among the mentions before an anaphor, which are in the order of the text and grow from call to call.
    fn choose(
        &mut self,
        before: &[u32],
        anaphor: u32,
        tree: Tree,
        type_of: &dyn Fn(u32) -> MentionType,
    ) -> u32 {
        let closest = before.last().copied().unwrap_or(anaphor);
        if tree == Tree::Closest || before.len() == 1 || type_of(anaphor).is_local() {
            return closest;
        }
        for &item in &before[self.seen..] {
            match type_of(item) {
                MentionType::Name => self.name = Some(item),
                MentionType::Nominal => self.nominal = Some(item),
                _ => {}
            }
        }
        self.seen = before.len();
        self.name.or(self.nominal).unwrap_or(closest)
    }
}

/// Returns the wrong decisions of the response, and the number of all: its links between a mention and an earlier one of
/// the same entity. They are wrong if the mentions belong to different entities in the key.
fn wrong_decisions(aligned: &Aligned<'_>, links: &[model::Link]) -> (Scratch<LinkError>, u64) {
    let mut places = vec![NONE; aligned.document(Side::Response).mentions().len()];
    for (place, item) in (0..).zip(&aligned.items).filter(|(_, item)| item.response != NONE) {
        places[item.response as usize] = place;
    }
    let mut decisions: Scratch<LinkError> = Scratch::new();
    for [one, other] in links {
        let ends = [places[*one as usize], places[*other as usize]];
        let (antecedent, anaphor) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        if anaphor == NONE || antecedent == anaphor {
            continue;
        }
        let [first, second] = [antecedent, anaphor].map(|item| aligned.items[item as usize]);
        if first.response_entity == second.response_entity {
            decisions.push(LinkError { anaphor, antecedent });
        }
    }
    decisions.sort_unstable_by_key(|error| (error.anaphor, error.antecedent));
    decisions.dedup();
    let all = decisions.len() as u64;
    decisions.retain(|error| {
        let entities = [error.antecedent, error.anaphor].map(|item| aligned.items[item as usize].key_entity);
        entities[0] == NONE || entities[0] != entities[1]
    });
    (decisions, all)
}
