//! Finds all kinds of errors except span errors, after Kummerfeld and Klein (2013): the operations that turn the
//! entities of the response into those of the key.
//!
//! The analyser of the paper transforms the response step by step. This module computes its counts directly from the
//! pieces into which each entity falls. They do not depend on the order of documents, entities or mentions.

use super::items::{Grouped, Item, NONE};
use super::kinds::CorefErrorKind;
use crate::scratch::{Scratch, spare_lists};

/// The mentions that an error concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// One mention, which the other side lacks: a place in the list of items.
    Mention(u32),
    /// The mentions that the entity shares with this one of the other side.
    Shared(u32),
    /// The entity as a whole.
    Whole,
}

/// An error of an entity: of the response for extra and conflated, of the key for missing and divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EntityError {
    pub(super) kind: CorefErrorKind,
    pub(super) entity: u32,
    pub(super) piece: Piece,
}

spare_lists!(EntityError);

/// The number of operations of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    /// Span errors.
    pub correct_span: u64,
    /// Key mentions that the response lacks, once spans are corrected.
    pub introduce_mention: u64,
    /// Response mentions that the key lacks, once spans are corrected.
    pub remove_mention: u64,
    /// Pieces of response entities that fall into several, or that the key lacks.
    pub split_from_entity: u64,
    /// Pieces of key entities that fall into several.
    pub merge_into_entity: u64,
}

impl Operations {
    /// Returns each operation with its name.
    pub fn named(&self) -> [(&'static str, u64); 5] {
        [
            ("correct_span", self.correct_span),
            ("introduce_mention", self.introduce_mention),
            ("remove_mention", self.remove_mention),
            ("split_from_entity", self.split_from_entity),
            ("merge_into_entity", self.merge_into_entity),
        ]
    }

    /// Adds the operations of another document.
    pub fn add(&mut self, other: &Operations) {
        self.correct_span += other.correct_span;
        self.introduce_mention += other.introduce_mention;
        self.remove_mention += other.remove_mention;
        self.split_from_entity += other.split_from_entity;
        self.merge_into_entity += other.merge_into_entity;
    }
}

/// The entities of one side and their pieces on the other side.
struct EntitiesOfSide<'i, F> {
    /// Returns whether a singleton that the other side lacks is an error.
    singletons: &'i dyn Fn() -> bool,
    members: &'i Grouped,
    /// For each item, its entity on the other side.
    other: F,
    /// For each item, whether it is a pronoun.
    is_pronoun: &'i dyn Fn(u32) -> bool,
    /// The kinds of error, which concern a whole entity, a mention or a shared piece.
    kinds: [CorefErrorKind; 3],
}

/// Finds the errors of the entities in items whose span errors are corrected. Returns the errors of the response first,
/// each side's in the order of its entities, and the number of pieces to split and to merge. `singletons` returns
/// whether the key has singletons, in which case a response singleton that is not in the key is an extra entity.
pub(super) fn entity_errors(
    items: &[Item],
    is_pronoun: &dyn Fn(u32) -> bool,
    (key, response): (&Grouped, &Grouped),
    singletons: &dyn Fn() -> bool,
) -> (Scratch<EntityError>, [u64; 2]) {
    let mut errors = Scratch::new();
    let of_response = EntitiesOfSide {
        singletons,
        members: response,
        other: |item: u32| items[item as usize].key_entity,
        is_pronoun,
        kinds: [CorefErrorKind::ExtraEntity, CorefErrorKind::ExtraMention, CorefErrorKind::ConflatedEntities],
    };
    let of_key = EntitiesOfSide {
        singletons: &|| true,
        members: key,
        other: |item: u32| items[item as usize].response_entity,
        is_pronoun,
        kinds: [CorefErrorKind::MissingEntity, CorefErrorKind::MissingMention, CorefErrorKind::DividedEntity],
    };
    let pieces = [of_response.find_all(key, &mut errors), of_key.find_all(response, &mut errors)];
    (errors, pieces)
}

impl<F: Fn(u32) -> u32> EntitiesOfSide<'_, F> {
    /// Adds the errors of all entities; `theirs` are those of the other side. Returns the number of pieces.
    fn find_all(&self, theirs: &Grouped, errors: &mut Vec<EntityError>) -> u64 {
        let mut seen = Scratch::filled(NONE, theirs.groups() + 1);
        self.members.iter().map(|(entity, _)| self.find(entity, &mut seen, errors)).sum()
    }

    /// Adds the errors of one entity. Returns the number of pieces to split or to merge. `seen` holds, for each
    /// entity of the other side, the last entity of this side that shared a mention with it; a further place stands for
    /// none.
    fn find(&self, entity: u32, seen: &mut [u32], errors: &mut Vec<EntityError>) -> u64 {
        let members = self.members.of(entity);
        let [whole, single, shared] = self.kinds;
        let mut add = |kind: CorefErrorKind, piece: Piece| errors.push(EntityError { kind, entity, piece });
        let (mut alone, mut pieces) = (0u64, 0u64);
        let none = seen.len() - 1;
        for &item in members {
            // Without branches, which would often be mispredicted.
            let other = (self.other)(item);
            let seen = &mut seen[none.min(other as usize)];
            alone += u64::from(other == NONE);
            pieces += u64::from((*seen != entity) & (other != NONE));
            *seen = entity;
        }
        // A singleton that the other side lacks is a missing or extra entity.
        if members.len() == 1 && alone == 1 {
            if (self.singletons)() {
                add(whole, Piece::Whole);
            }
            return u64::from(whole == CorefErrorKind::ExtraEntity);
        }
        if alone + pieces <= 1 {
            return 0;
        }
        let is_found_noun = |item: &u32| (self.other)(*item) != NONE && !(self.is_pronoun)(*item);
        let settled = alone >= 2 && !members.iter().any(is_found_noun);
        if settled {
            add(whole, Piece::Whole);
        }
        let first = members.iter().find(|item| !(self.is_pronoun)(**item)).or(members.first());
        let first = first.copied().unwrap_or(NONE);
        let free = if first == NONE { NONE } else { (self.other)(first) };
        for &item in members {
            match (self.other)(item) {
                NONE if settled || item == first => {}
                NONE => add(single, Piece::Mention(item)),
                other if seen[other as usize] == entity => {
                    // Reports each piece once, at its first mention.
                    seen[other as usize] = NONE;
                    if other != free {
                        add(shared, Piece::Shared(other));
                    }
                }
                _ => {}
            }
        }
        alone + pieces
    }
}
