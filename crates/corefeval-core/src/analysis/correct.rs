//! Corrects the errors of a response: one kind alone, or several kinds in sequence.

use corefeval_metrics::Closure;

use super::items::{Grouped, Item, NONE};
use super::kinds::CorefErrorKind;
use super::transform::{EntityError, Piece};
use crate::scratch::Scratch;

/// A correction of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorCorrection {
    /// No correction: the response as scored.
    None,
    /// The span errors. All other corrections start from here.
    Spans,
    /// Only the errors of one kind.
    Alone(CorefErrorKind),
    /// The errors of this kind and of all previous kinds, one after the other.
    UpTo(CorefErrorKind),
    /// All kinds in sequence, then the extra mentions that belong to no error. The result is the key.
    All,
}

impl ErrorCorrection {
    /// Returns all corrections: each kind alone, then the sequence from the uncorrected response to the key.
    pub fn all() -> (Vec<ErrorCorrection>, Vec<ErrorCorrection>) {
        let kinds = &CorefErrorKind::TRANSFORM[1..];
        let alone = kinds.iter().map(|&kind| ErrorCorrection::Alone(kind));
        let sequence = kinds.iter().map(|&kind| ErrorCorrection::UpTo(kind));
        (
            std::iter::once(ErrorCorrection::Spans).chain(alone).collect(),
            [ErrorCorrection::None, ErrorCorrection::Spans]
                .into_iter()
                .chain(sequence)
                .chain([ErrorCorrection::All])
                .collect(),
        )
    }

    /// Returns the kind that this correction adds to the previous one.
    pub fn kind(self) -> Option<CorefErrorKind> {
        match self {
            ErrorCorrection::None | ErrorCorrection::All => None,
            ErrorCorrection::Spans => Some(CorefErrorKind::SpanError),
            ErrorCorrection::Alone(kind) | ErrorCorrection::UpTo(kind) => Some(kind),
        }
    }

    /// Returns the name in JSON: the name of the kind, `none`, or `rest`.
    pub fn id(self) -> &'static str {
        match self {
            ErrorCorrection::None => "none",
            ErrorCorrection::All => "rest",
            other => other.kind().map_or("none", CorefErrorKind::id),
        }
    }
}

/// The errors of a pair of documents, with everything that corrections need.
pub(super) struct Corrector<'a> {
    /// The items as they are aligned.
    pub(super) items: &'a [Item],
    /// The items once the span errors are corrected.
    pub(super) spans_corrected: &'a [Item],
    /// True for each of `spans_corrected` that has a span error; empty if none has.
    pub(super) span_errors: &'a [bool],
    pub(super) errors: &'a [EntityError],
    /// The places of the errors of each kind, because each kind is corrected several times.
    pub(super) by_kind: Grouped,
    pub(super) key_members: &'a Grouped,
    pub(super) response_members: &'a Grouped,
    /// Returns whether one of `spans_corrected` is a pronoun.
    pub(super) is_pronoun: Box<dyn Fn(u32) -> bool + 'a>,
}

/// A corrected response: the entity of each item in it, or [`NONE`].
#[derive(Clone, Debug)]
pub(super) struct CorrectedPair<'a> {
    pub(super) items: &'a [Item],
    pub(super) entity: Scratch,
    /// The number of entity numbers in use; some may have no mention.
    pub(super) entities: u32,
}

impl CorrectedPair<'_> {
    fn new_entity(&mut self) -> u32 {
        self.entities += 1;
        self.entities - 1
    }
}

impl<'a> Corrector<'a> {
    /// Returns the response with or without its span errors, before any other correction.
    fn uncorrected(&self, items: &'a [Item]) -> CorrectedPair<'a> {
        let entity = items.iter().map(|item| item.response_entity).collect();
        CorrectedPair { items, entity, entities: self.response_members.groups() as u32 }
    }

    /// Returns the response after a correction.
    pub(super) fn corrected(&self, correction: ErrorCorrection) -> CorrectedPair<'a> {
        let kinds = &CorefErrorKind::TRANSFORM[1..];
        let mut state = self.uncorrected(self.spans_corrected);
        match correction {
            ErrorCorrection::None => return self.uncorrected(self.items),
            ErrorCorrection::Spans => {}
            ErrorCorrection::Alone(CorefErrorKind::SpanError)
            | ErrorCorrection::UpTo(CorefErrorKind::SpanError) => {}
            ErrorCorrection::Alone(kind) => self.apply(kind, &mut state),
            ErrorCorrection::UpTo(last) => {
                kinds.iter().take_while(|kind| **kind <= last).for_each(|kind| self.apply(*kind, &mut state));
            }
            ErrorCorrection::All => {
                kinds.iter().for_each(|kind| self.apply(*kind, &mut state));
                self.remove_extra(&mut state);
            }
        }
        state
    }

    /// Returns whether an item has a span error.
    pub(super) fn is_span_error(&self, item: u32) -> bool {
        self.span_errors.get(item as usize).is_some_and(|found| *found)
    }

    /// Calls `see` with the entity of each item after span errors are corrected, then after each later correction of
    /// the sequence. Each step continues from the one before.
    pub(super) fn sequence(&self, mut see: impl FnMut(ErrorCorrection, &[u32])) {
        let mut state = self.uncorrected(self.spans_corrected);
        see(ErrorCorrection::Spans, &state.entity);
        for &kind in &CorefErrorKind::TRANSFORM[1..] {
            if !self.by_kind.of(kind as u32).is_empty() {
                self.apply(kind, &mut state);
            }
            see(ErrorCorrection::UpTo(kind), &state.entity);
        }
        self.remove_extra(&mut state);
        see(ErrorCorrection::All, &state.entity);
    }

    /// Removes the remaining extra mentions.
    fn remove_extra(&self, pair: &mut CorrectedPair<'_>) {
        for (entity, item) in pair.entity.iter_mut().zip(pair.items) {
            if item.key == NONE {
                *entity = NONE;
            }
        }
    }

    /// Returns the errors of one kind, in order.
    fn errors_of(&self, kind: CorefErrorKind) -> impl Iterator<Item = &'a EntityError> {
        let errors = self.errors;
        self.by_kind.of(kind as u32).iter().map(move |&place| &errors[place as usize])
    }

    /// Corrects the errors of one kind.
    fn apply(&self, kind: CorefErrorKind, state: &mut CorrectedPair<'_>) {
        let errors = self.errors_of(kind);
        match kind {
            CorefErrorKind::ConflatedEntities => self.split(errors, state),
            CorefErrorKind::ExtraMention => {
                for error in errors {
                    if let Piece::Mention(item) = error.piece {
                        state.entity[item as usize] = NONE;
                    }
                }
            }
            CorefErrorKind::ExtraEntity => {
                for error in errors {
                    for &item in self.response_members.of(error.entity) {
                        if self.spans_corrected[item as usize].key == NONE {
                            state.entity[item as usize] = NONE;
                        }
                    }
                }
            }
            CorefErrorKind::DividedEntity => self.join(errors, state),
            CorefErrorKind::MissingMention => {
                for error in errors {
                    let Piece::Mention(item) = error.piece else { continue };
                    let members = self.key_members.of(error.entity);
                    // A key entity that is not missing itself has other mentions in the response.
                    let found = |item: &&u32| self.spans_corrected[**item as usize].response != NONE;
                    if let Some(&found) = members.iter().find(found) {
                        state.entity[item as usize] = state.entity[found as usize];
                    }
                }
            }
            CorefErrorKind::MissingEntity => {
                for error in errors {
                    let entity = state.new_entity();
                    for &item in self.key_members.of(error.entity) {
                        state.entity[item as usize] = entity;
                    }
                }
            }
            CorefErrorKind::SpanError | CorefErrorKind::MissedLink | CorefErrorKind::WrongLink => {}
        }
    }

    /// Makes each conflated piece a separate entity. A single extra mention that the pieces leave behind is removed.
    fn split<'e>(&self, errors: impl Iterator<Item = &'e EntityError>, state: &mut CorrectedPair<'_>) {
        let mut split = Scratch::new();
        for error in errors {
            let Piece::Shared(key) = error.piece else { continue };
            let entity = state.new_entity();
            for &item in self.response_members.of(error.entity) {
                if self.spans_corrected[item as usize].key_entity == key {
                    state.entity[item as usize] = entity;
                }
            }
            split.push(error.entity);
        }
        // The errors of one entity follow each other.
        split.dedup();
        for &entity in split.iter() {
            let stays = |item: &&u32| state.entity[**item as usize] == entity;
            let mut left = self.response_members.of(entity).iter().filter(stays);
            if let (Some(&only), None) = (left.next(), left.next())
                && self.spans_corrected[only as usize].key == NONE
            {
                state.entity[only as usize] = NONE;
            }
        }
    }

    /// Joins the response entities that contain divided pieces to the entity of the key entity's first mention, which
    /// is added if the response lacks it.
    fn join<'e>(&self, errors: impl Iterator<Item = &'e EntityError>, state: &mut CorrectedPair<'_>) {
        // Each error may introduce an entity.
        let introduced = self.by_kind.of(CorefErrorKind::DividedEntity as u32).len();
        let mut joined = Closure::new(state.entities as usize + introduced);
        for error in errors {
            let Piece::Shared(response) = error.piece else { continue };
            let members = self.key_members.of(error.entity);
            let first = members.iter().find(|item| !(self.is_pronoun)(**item)).or(members.first());
            let Some(&first) = first else { continue };
            if state.entity[first as usize] == NONE {
                state.entity[first as usize] = state.new_entity();
            }
            let of_piece = |item: &&u32| self.spans_corrected[**item as usize].response_entity == response;
            let Some(&piece) = members.iter().find(of_piece) else { continue };
            let [first, piece] = [first, piece].map(|item| state.entity[item as usize] as usize);
            joined.join(first, piece);
        }
        for entity in state.entity.iter_mut().filter(|entity| **entity != NONE) {
            *entity = joined.find(*entity as usize) as u32;
        }
    }
}
