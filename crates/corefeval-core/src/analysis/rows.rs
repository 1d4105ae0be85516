//! Turns errors into rows, with their mentions, words and types.

use std::cell::Cell;

use super::items::{Aligned, Grouped, Item, NONE, place_on};
use super::kinds::CorefErrorKind;
use super::links::{LinkError, MentionIds};
use super::results::{ErrorRow, Example, ExampleWord, RowMention};
use super::spans::SpanError;
use super::text::{Range, WordsAre};
use super::transform::{EntityError, Piece};
use super::types::MentionType;
use crate::model::Side;
use crate::scratch::{Scratch, spare_lists};

/// Finds the types of mentions on demand.
pub(super) struct Types<'a, 'd> {
    aligned: &'a Aligned<'d>,
    known: Scratch<Cell<Option<MentionType>>>,
}

spare_lists!(Cell<Option<MentionType>>);

impl<'a, 'd> Types<'a, 'd> {
    pub(super) fn new(aligned: &'a Aligned<'d>) -> Types<'a, 'd> {
        Types { aligned, known: Scratch::filled(Cell::new(None), aligned.items.len()) }
    }

    /// Returns the type of an item.
    pub(super) fn of(&self, item: u32) -> MentionType {
        let known = &self.known[item as usize];
        if let Some(found) = known.get() {
            return found;
        }
        let (side, mention) = self.aligned.mention(&self.aligned.items[item as usize]);
        let found = self.aligned.text.type_of(self.aligned.document(side), side, mention);
        known.set(Some(found));
        found
    }
}

/// An error that may become a row.
#[derive(Clone, Copy)]
pub(super) enum Found<'e> {
    Span(&'e SpanError),
    Entity(&'e EntityError),
    Link(CorefErrorKind, &'e LinkError),
}

impl Found<'_> {
    pub(super) fn kind(&self) -> CorefErrorKind {
        match self {
            Found::Span(_) => CorefErrorKind::SpanError,
            Found::Entity(error) => error.kind,
            Found::Link(kind, _) => *kind,
        }
    }
}

/// Makes the rows of one document.
pub(super) struct RowMaker<'a, 'd> {
    pub(super) aligned: &'a Aligned<'d>,
    /// The mentions between which links are counted.
    pub(super) linked: &'a Aligned<'d>,
    pub(super) document: u32,
    /// The members of key and response entities, in the items whose span errors are corrected.
    pub(super) members: [&'a Grouped; 2],
    /// The items whose span errors are corrected.
    pub(super) items: &'a [Item],
    /// Returns whether one of these items is a pronoun.
    pub(super) is_pronoun: &'a dyn Fn(u32) -> bool,
    /// Identifies link errors, if several systems are compared.
    pub(super) ids: Option<MentionIds<'a, 'd>>,
}

impl RowMaker<'_, '_> {
    /// Returns the row of an error.
    pub(super) fn row(&self, found: Found<'_>) -> ErrorRow {
        match found {
            Found::Span(error) => self.span(error),
            Found::Entity(error) => self.entity(error),
            Found::Link(kind, error) => self.link(kind, error),
        }
    }

    /// Sorts errors by kind, then in the order of the text.
    pub(super) fn sort(&self, errors: &mut [Found<'_>]) {
        let order = |found: &Found<'_>| {
            let (side, item) = self.concerned(found);
            let span = self.aligned.mention_on(side, item).span();
            (found.kind(), span.start(), span.end(), place_on(side, item))
        };
        errors.sort_by_cached_key(order);
    }

    /// Returns the first mention that an error concerns, with its side.
    fn concerned(&self, found: &Found<'_>) -> (Side, &Item) {
        match *found {
            Found::Span(error) => (Side::Response, &self.aligned.items[error.response as usize]),
            Found::Entity(error) => {
                let Some(first) = self.piece(error).next() else {
                    unreachable!("an error concerns a mention")
                };
                (error.kind.spec().side, first)
            }
            Found::Link(kind, error) => (kind.spec().side, &self.linked.items[error.anaphor as usize]),
        }
    }

    /// Returns the mentions that an error of an entity concerns.
    fn piece(&self, error: &EntityError) -> impl Iterator<Item = &Item> {
        let side = error.kind.spec().side;
        let piece = error.piece;
        let in_piece = move |place: &&u32| match piece {
            Piece::Mention(only) => **place == only,
            Piece::Shared(entity) => self.other_entity(side, **place) == entity,
            // Correct mentions of an extra entity stay; a missing entity is restored as a whole.
            Piece::Whole => side == Side::Key || self.other_entity(side, **place) == NONE,
        };
        let members = self.members[side as usize].of(error.entity);
        members.iter().filter(in_piece).map(|place| &self.items[*place as usize])
    }

    /// Returns the entity of an item on the other side, or [`NONE`].
    fn other_entity(&self, side: Side, item: u32) -> u32 {
        let item = &self.items[item as usize];
        match side {
            Side::Key => item.response_entity,
            Side::Response => item.key_entity,
        }
    }

    fn mention(&self, side: Side, item: &Item) -> RowMention {
        let mention = self.aligned.mention_on(side, item);
        let text = &self.aligned.text;
        RowMention {
            side,
            place: place_on(side, item),
            start: mention.span().start(),
            end: mention.span().end(),
            sentence: if text.has_text() { text.sentence(text.range(side, mention).start) } else { 0 },
            text: text.of_mention(side, mention),
            mention_type: text.type_of(self.aligned.document(side), side, mention),
            has_type: text.knows_type(self.aligned.document(side), mention),
            parts: match mention.parts() {
                [_] => Vec::new(),
                parts => parts.iter().map(|part| [part.start(), part.end()]).collect(),
            },
            head: mention.head().map(|head| text.word(side, head).into_owned()),
            document: self.aligned.document(side).piece_of(mention).map(|piece| piece.id.to_string()),
        }
    }

    fn entity_name(&self, mention: &RowMention) -> String {
        let document = self.aligned.document(mention.side);
        document.entity_name(document.mentions()[mention.place as usize].entity()).to_owned()
    }

    fn row_of(&self, kind: CorefErrorKind, mention: RowMention, other: Option<RowMention>) -> ErrorRow {
        let words_are = self.aligned.text.words_are();
        let distance = other.as_ref().filter(|_| words_are == WordsAre::Words);
        let distance = distance.map(|other| other.sentence.abs_diff(mention.sentence));
        ErrorRow {
            document: self.document,
            kind,
            entity: self.entity_name(&mention),
            mention,
            other,
            count: 1,
            words_are,
            distance,
            key: Vec::new(),
            response: Vec::new(),
            rest: Vec::new(),
            link: None,
        }
    }

    /// Returns the row of a span error, which concerns the items as they were aligned.
    fn span(&self, error: &SpanError) -> ErrorRow {
        let [key, response] = [error.key, error.response].map(|item| &self.aligned.items[item as usize]);
        let mention = self.mention(Side::Response, response);
        let row = self.row_of(CorefErrorKind::SpanError, mention, Some(self.mention(Side::Key, key)));
        ErrorRow { key: vec![key.key], response: vec![response.response], ..row }
    }

    /// Returns the row of an error of an entity.
    fn entity(&self, error: &EntityError) -> ErrorRow {
        let side = error.kind.spec().side;
        let members = self.members[side as usize].of(error.entity);
        let item = |place: &u32| &self.items[*place as usize];
        let other = |place: &u32| self.other_entity(side, *place);
        let piece: Vec<&Item> = self.piece(error).collect();
        let first = members.iter().find(|place| !(self.is_pronoun)(**place)).or(members.first());
        let free: Vec<&Item> = match (error.piece, first) {
            (Piece::Whole, _) | (_, None) => Vec::new(),
            (_, Some(first)) => match other(first) {
                NONE => vec![item(first)],
                free => members.iter().filter(|place| other(place) == free).map(item).collect(),
            },
        };
        let places = |side: Side, items: &[&Item]| -> Vec<u32> {
            items.iter().map(|item| place_on(side, item)).filter(|&place| place != NONE).collect()
        };
        let Some(mention) = piece.first().map(|item| self.mention(side, item)) else {
            unreachable!("an error concerns a mention")
        };
        let row = self.row_of(error.kind, mention, free.first().map(|item| self.mention(side, item)));
        ErrorRow {
            count: piece.len() as u32,
            key: places(Side::Key, &piece),
            response: places(Side::Response, &piece),
            rest: places(side, &free),
            ..row
        }
    }

    /// Returns the row of a link error.
    fn link(&self, kind: CorefErrorKind, error: &LinkError) -> ErrorRow {
        let side = kind.spec().side;
        let items = [error.anaphor, error.antecedent].map(|item| &self.linked.items[item as usize]);
        let [anaphor, antecedent] = items.map(|item| self.mention(side, item));
        let places = |on: Side| -> Vec<u32> {
            if on == side { items.iter().map(|item| place_on(side, item)).collect() } else { Vec::new() }
        };
        let row = self.row_of(kind, anaphor, Some(antecedent));
        let link = self.ids.as_ref().map(|ids| Box::new(ids.link(self.document, side, error)));
        ErrorRow { key: places(Side::Key), response: places(Side::Response), link, ..row }
    }
}

/// Returns an error with the sentences of its mentions. Errors between sentences show both. Without a text, only the
/// mentions are shown.
pub(super) fn example(row: ErrorRow, aligned: &Aligned<'_>) -> Example {
    let text = &aligned.text;
    let word = |text: &str, in_mention: bool| ExampleWord {
        text: text.to_owned(),
        in_mention,
        in_other: !in_mention,
    };
    if !text.has_text() {
        let range = |mention: &RowMention| {
            let found = &aligned.document(mention.side).mentions()[mention.place as usize];
            text.range(mention.side, found)
        };
        let mut words = vec![word(&row.mention.text, true)];
        words.extend(row.other.as_ref().map(|other| word(&other.text, false)));
        // Antecedents come first, even if a side names them later.
        if row.other.as_ref().is_some_and(|other| row.kind.is_link() || range(other) < range(&row.mention)) {
            words.reverse();
        }
        return Example { row, sentences: vec![words] };
    }
    let words = |mention: &RowMention| -> Vec<Range> {
        let found = &aligned.document(mention.side).mentions()[mention.place as usize];
        text.parts(mention.side, found)
    };
    let mention = words(&row.mention);
    let other = row.other.as_ref().map(&words).unwrap_or_default();
    // Mentions after the text, of a longer response or without a place in the text, are in no sentence.
    let is_in_text = |ranges: &[Range]| ranges.first().is_none_or(|range| range.start < text.end());
    let both = [(&row.mention, &mention, true)].into_iter();
    let both = both.chain(row.other.as_ref().map(|found| (found, &other, false)));
    let in_text = both.clone().filter(|(_, ranges, _)| is_in_text(ranges));
    let mut sentences: Vec<u32> = in_text.map(|(mention, ..)| mention.sentence).collect();
    sentences.sort_unstable();
    sentences.dedup();
    let holds =
        |ranges: &[Range], word: u32| ranges.iter().any(|range| (range.start..range.end).contains(&word));
    let sentence = |sentence: u32| -> Vec<ExampleWord> {
        let Range { start, end } = text.sentence_range(sentence);
        (start..end)
            .map(|word| ExampleWord {
                text: text.shown(word).into_owned(),
                in_mention: holds(&mention, word),
                in_other: holds(&other, word),
            })
            .collect()
    };
    let mut sentences: Vec<Vec<ExampleWord>> = sentences.into_iter().map(sentence).collect();
    // Antecedents come first.
    let apart = both.rev().filter(|(_, ranges, _)| !is_in_text(ranges));
    sentences.extend(apart.map(|(mention, _, in_mention)| vec![word(&mention.text, in_mention)]));
    Example { row, sentences }
}
