//! The mentions of one side as sets of words: sorted, and in classes of equal mentions.

use std::cmp::Ordering;

use super::NONE;
use super::coordinates::WordNumbering;
use super::exact::ranks_by_place;
use super::mention_table::{TableMention, TableSide};
use crate::model::{Document, Mention, Span};
use crate::selection::{Selected, is_zero};

/// A mention of one side.
pub(super) struct Located {
    /// The first word.
    pub(super) start: u32,
    pub(super) end: u32,
    /// The number of words of the mention.
    pub(super) words: u32,
    pub(super) head: u32,
    pub(super) zero: bool,
    /// The range of its runs of words in [`LocatedSide::runs`].
    pub(super) runs: (u32, u32),
    /// The position of the mention in the selection.
    pub(super) index: u32,
}

impl Located {
    pub(super) fn place(&self) -> (u32, u32, u32) {
        (self.start, self.end, self.words)
    }
}

/// The sort key of a mention.
struct SortKey {
    start: u32,
    end: u32,
    words: u32,
    index: u32,
}

impl SortKey {
    /// Returns the sort keys of all mentions in order, each packed into one number.
    fn sorted(document: &Document, selected: &Selected, numbers: &WordNumbering) -> Vec<u128> {
        let mentions = (0..).zip(&selected.mentions).map(|(index, chosen)| {
            let mention = &document.mentions()[chosen.mention as usize];
            let (span, words) = (mention.span(), mention.word_count());
            // Mentions without words all have the same key.
            let (start, end) = match words {
                0 => (0, 0),
                _ => (numbers.of(span.start()), numbers.of(span.last()) + 1),
            };
            u128::from(start) << 96 | u128::from(end) << 64 | u128::from(words) << 32 | index
        });
        let mut places: Vec<u128> = mentions.collect();
        places.sort_unstable();
        places
    }

    fn unpacked(packed: u128) -> SortKey {
        let part = |place: u32| (packed >> place) as u32;
        SortKey { start: part(96), end: part(64), words: part(32), index: part(0) }
    }
}

/// The mentions of one side in the order of the document, and their classes.
pub(super) struct LocatedSide<'d> {
    pub(super) document: &'d Document,
    pub(super) selected: Selected,
    pub(super) mentions: Vec<Located>,
    pub(super) runs: Vec<Span>,
    /// The class of each mention.
    pub(super) class_of: Vec<u32>,
    /// The first mention of each class.
    pub(super) classes: Vec<u32>,
    /// The class of the other side that each class is paired with.
    pub(super) partner: Vec<u32>,
    /// The numbers of the words of this side.
    pub(super) numbers: &'d WordNumbering,
}

impl<'d> LocatedSide<'d> {
    pub(super) fn new(
        (document, selected): (&'d Document, Selected),
        numbers: &'d WordNumbering,
        by_head: bool,
    ) -> LocatedSide<'d> {
        let places = SortKey::sorted(document, &selected, numbers);
        let mut runs: Vec<Span> = Vec::with_capacity(places.len());
        let mut mentions: Vec<Located> = Vec::with_capacity(places.len());
        let mut repeats = false;
        for SortKey { start, end, words, index } in places.into_iter().map(SortKey::unpacked) {
            let mention = &document.mentions()[selected.mentions[index as usize].mention as usize];
            let first_run = runs.len() as u32;
            if words == end - start {
                runs.extend(Span::new(start, end));
            } else {
                push_runs(mention, numbers, &mut runs);
            }
            let located = Located {
                start,
                end,
                words,
                head: mention.head().map_or(NONE, |head| numbers.of(head)),
                zero: is_zero(document, mention),
                runs: (first_run, runs.len() as u32),
                index,
            };
            repeats |= mentions.last().is_some_and(|last| last.place() == located.place());
            mentions.push(located);
        }
        let mut side = LocatedSide {
            document,
            selected,
            mentions,
            runs,
            class_of: Vec::new(),
            classes: Vec::new(),
            partner: Vec::new(),
            numbers,
        };
        if repeats {
            side.sort_equal_places(by_head);
        }
        side.classify(by_head);
        side
    }

    /// Makes equal mentions adjacent if several mentions have the same first word, last word and number of words.
    fn sort_equal_places(&mut self, by_head: bool) {
        let runs = &self.runs;
        let keys = |mention: &Located| {
            runs[mention.runs.0 as usize..mention.runs.1 as usize].iter().map(|run| run.sort_key())
        };
        for same in self.mentions.chunk_by_mut(|a, b| a.place() == b.place()).filter(|same| same.len() > 1) {
            same.sort_unstable_by(|a, b| {
                let by_runs = if a.runs.1 - a.runs.0 > 1 { keys(a).cmp(keys(b)) } else { Ordering::Equal };
                let heads = if by_head { a.head.cmp(&b.head) } else { Ordering::Equal };
                by_runs.then(heads).then(a.index.cmp(&b.index))
            });
        }
    }

    fn classify(&mut self, by_head: bool) {
        self.class_of.reserve(self.mentions.len());
        self.classes.reserve(self.mentions.len());
        for place in 0..self.mentions.len() {
            let same = place > 0 && {
                let (before, this) = (&self.mentions[place - 1], &self.mentions[place]);
                same_words(self, before, self, this) && (!by_head || before.head == this.head)
            };
            if !same {
                self.classes.push(place as u32);
            }
            self.class_of.push(self.classes.len() as u32 - 1);
        }
        self.partner = vec![NONE; self.classes.len()];
    }

    pub(super) fn runs_of(&self, mention: &Located) -> &[Span] {
        &self.runs[mention.runs.0 as usize..mention.runs.1 as usize]
    }

    /// Returns the first mention of a class.
    pub(super) fn class(&self, class: u32) -> &Located {
        &self.mentions[self.classes[class as usize] as usize]
    }

    /// Returns the classes without a partner so far.
    pub(super) fn left(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.partner).filter(|(_, partner)| **partner == NONE).map(|(class, _)| class)
    }

    /// Returns whether a mention is annotated more than once.
    pub(super) fn repeats(&self) -> bool {
        self.classes.len() < self.mentions.len()
    }

    /// Returns, for each class, the selected position of the copy that counts: the copy in the last entity that
    /// contains the mention.
    pub(super) fn last_copies(&self) -> Vec<u32> {
        let ranks = if self.repeats() { ranks_by_place(self.document, &self.selected) } else { Vec::new() };
        let rank = |index: u32| {
            let entity = self.selected.mentions[index as usize].entity;
            ranks.get(entity as usize).copied().unwrap_or(0)
        };
        let mut last: Vec<u32> =
            self.classes.iter().map(|&first| self.mentions[first as usize].index).collect();
        for (mention, &class) in self.mentions.iter().zip(&self.class_of) {
            let known = &mut last[class as usize];
            if rank(*known) <= rank(mention.index) {
                *known = mention.index;
            }
        }
        last
    }

    pub(super) fn into_table(self, equal: Vec<u32>, selected: &Selected) -> TableSide {
        let ranks = if self.repeats() { ranks_by_place(self.document, selected) } else { Vec::new() };
        let mentions = self.mentions.iter().zip(&self.class_of).map(|(mention, &class)| TableMention {
            class,
            entity: selected.mentions[mention.index as usize].entity,
            zero: mention.zero,
            start: mention.start,
            end: mention.end,
            index: mention.index,
            runs: mention.runs,
        });
        TableSide::new(mentions.collect(), self.runs, self.partner, equal, &ranks)
    }

    pub(super) fn mention(&self, located: &Located) -> &'d Mention {
        let place = self.selected.mentions[located.index as usize].mention;
        &self.document.mentions()[place as usize]
    }
}

/// Converts runs of words to runs of their numbers.
pub(super) fn numbered(words: &[Span], numbers: &WordNumbering) -> Vec<Span> {
    let mut runs = Vec::with_capacity(words.len());
    words.iter().for_each(|&part| numbers.runs(part, &mut runs));
    runs
}

/// Appends the words of a mention, in runs.
fn push_runs(mention: &Mention, numbers: &WordNumbering, runs: &mut Vec<Span>) {
    for &part in mention.parts() {
        numbers.runs(part, runs);
    }
}

pub(super) fn same_words(
    a_side: &LocatedSide<'_>,
    a: &Located,
    b_side: &LocatedSide<'_>,
    b: &Located,
) -> bool {
    a.place() == b.place() && a_side.runs_of(a) == b_side.runs_of(b)
}

/// Returns the number of words that two lists of runs share.
pub(crate) fn shared_words(a: &[Span], b: &[Span]) -> u32 {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    let mut shared = 0;
    while let (Some(ours), Some(theirs)) = (a.peek(), b.peek()) {
        shared += ours.end().min(theirs.end()).saturating_sub(ours.start().max(theirs.start()));
        if ours.end() <= theirs.end() {
            a.next()
        } else {
            b.next()
        };
    }
    shared
}

/// Pairs a class of the key with a class of the response.
pub(super) fn pair(key: &mut LocatedSide<'_>, response: &mut LocatedSide<'_>, ours: u32, theirs: u32) {
    key.partner[ours as usize] = theirs;
    response.partner[theirs as usize] = ours;
}
