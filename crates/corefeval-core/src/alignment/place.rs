//! Finds the words of the key that the marks in the text of an answer cover.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::diff::{AnswerBlocks, AnswerPiece, DiffPath, align};
use super::text::{Folded, KeyCharacters, Symbols, TextPiece, WordUnit, covered, fold, units};
use super::{Options, Placing};
use crate::diagnostic::{Code, Diagnostics, Position};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{AnswerDocument, Document, Mark, MarkedText, Mention, Span, TextLevel, Words};
use crate::settings::Align;
use crate::wording::{one_line, option, option_value, plural, quoted, start_of, text};

/// The smallest number of pieces of a repeated passage that is reported.
const REPEATED: usize = 5;

/// Finds the places of a document's mentions in the key.
pub(super) trait PlaceFinder {
    /// Returns the words of the key for these spans; `None` if there are none.
    fn spans(&self, spans: &[Span]) -> Option<Vec<Span>>;

    /// Returns a mention with the key's words; `None` if it has no place.
    fn mention(&self, mention: &Mention, diagnostics: &mut Diagnostics) -> Option<Mention>;

    /// Reports a mention without a place.
    fn note_unplaced(&self, mention: &Mention, diagnostics: &mut Diagnostics);
}

/// The texts of key and answer, cut into pieces.
struct TextPair<'t> {
    units: Vec<WordUnit<'t>>,
    key: Vec<TextPiece>,
    /// The unit of each piece of the key.
    unit_of: Vec<u32>,
    answer: Vec<TextPiece>,
    doubtful: Vec<bool>,
}

impl<'t> TextPair<'t> {
    fn new(words: &'t Words, text: &MarkedText) -> TextPair<'t> {
        let mut symbols = Symbols::default();
        let mut answer = Vec::new();
        symbols.pieces(&text.text, 0, text.underscores, &mut answer);
        let doubts = &text.doubts;
        let is_doubtful = |piece: &TextPiece| {
            let place = doubts.partition_point(|doubt| doubt.end <= piece.start);
            doubts.get(place).is_some_and(|doubt| doubt.start < piece.end)
        };
        let doubtful = answer.iter().map(is_doubtful).collect();
        let mut of_key = |surfaces: bool| {
            let units = units(words, surfaces);
            let (mut key, mut unit_of) = (Vec::new(), Vec::new());
            for (number, unit) in (0u32..).zip(&units) {
                symbols.pieces(unit.form, 0, text.underscores, &mut key);
                unit_of.resize(key.len(), number);
            }
            (units, key, unit_of)
        };
        let (units, key, unit_of) = of_key(false);
        let plain = TextPair { units, key, unit_of, answer, doubtful };
        if words.layers().is_none_or(|layers| layers.surfaces.is_empty()) {
            return plain;
        }
        // Multiword tokens are spelled as words or as written, depending on which spelling is more
        // frequent in the answer.
        let (units, key, unit_of) = of_key(true);
        let spelled =
            TextPair { units, key, unit_of, answer: plain.answer.clone(), doubtful: plain.doubtful.clone() };
        let lost = |texts: &TextPair<'_>| texts.key.len().max(texts.answer.len()) - texts.shared();
        if lost(&spelled) < lost(&plain) { spelled } else { plain }
    }

    /// Returns the number of pieces that both have, in any order.
    fn shared(&self) -> usize {
        let mut counts: FxHashMap<u32, usize> = FxHashMap::default();
        self.key.iter().for_each(|piece| *counts.entry(piece.symbol).or_default() += 1);
        let taken = self.answer.iter().filter(|piece| {
            let left = counts.get_mut(&piece.symbol).filter(|left| **left > 0);
            left.map(|left| *left -= 1).is_some()
        });
        taken.count()
    }

    fn align(&self, text: &MarkedText) -> DiffPath {
        let key: Vec<u32> = self.key.iter().map(|piece| piece.symbol).collect();
        let answer: Vec<AnswerPiece> = self
            .answer
            .iter()
            .zip(&self.doubtful)
            .map(|(piece, &doubtful)| AnswerPiece { symbol: piece.symbol, doubtful })
            .collect();
        let first = |offset: u32| self.answer.partition_point(|piece| piece.start < offset) as u32;
        let mut starts: Vec<u32> = text.blocks.iter().map(|&offset| first(offset)).collect();
        match starts.first_mut() {
            Some(start) => *start = 0,
            None => starts.push(0),
        }
        let mut marks = vec![0; starts.len()];
        for mark in &text.marks {
            let block = text.blocks.partition_point(|&offset| offset <= mark.start);
            marks[block.saturating_sub(1)] += 1;
        }
        align(&key, &answer, &AnswerBlocks { starts, marks })
    }
}

/// Returns the number of pieces that two texts share, to choose among documents.
pub(super) fn likeness(key: &Document, text: &MarkedText) -> usize {
    TextPair::new(key.words(), text).shared()
}

/// Returns whether a text may belong to a document: both have at least half of their pieces in common.
pub(super) fn is_like(key: &Document, text: &MarkedText) -> bool {
    let texts = TextPair::new(key.words(), text);
    2 * texts.shared() >= texts.key.len().max(texts.answer.len()).max(1)
}

/// The units of the key that a mark covers, with flags for marks that end inside a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Covered {
    /// These units. The flags are set if a part of the first or the last unit is not marked.
    Units { first: u32, last: u32, inside: bool, shrunk: bool },
    /// The mark covers text, but nothing of the key.
    Nothing,
    /// The mark covers no text.
    Empty,
}

/// The place of a piece of the answer's text in the key, at the level at which the texts agree.
enum FoundPlace {
    /// The answer's words, one for each unit.
    Words(Vec<Range<u32>>),
    /// The answer's characters, one for each character of the key.
    Characters(Vec<Folded>, KeyCharacters),
    /// The pairs of pieces.
    Pieces,
}

/// The texts of an answer and of the key.
pub(super) struct TextPlacing<'t> {
    texts: TextPair<'t>,
    text: &'t MarkedText,
    alignment: DiffPath,
    found: FoundPlace,
    /// The level at which the texts agree.
    pub(super) level: TextLevel,
    /// The number of the answer's pieces that equal their counterparts, and the number of all pieces.
    pub(super) aligned: (u64, u64),
}

impl<'t> TextPlacing<'t> {
    /// Finds the first level at which the texts agree. Fails if there is none.
    pub(super) fn new(
        key: &'t Document,
        answer: &AnswerDocument,
        text: &'t MarkedText,
        options: &Options,
    ) -> Result<TextPlacing<'t>> {
        let texts = TextPair::new(key.words(), text);
        if text.doubts.is_empty() && text.blocks.len() <= 1 {
            // Texts that agree need no alignment.
            let all = texts.answer.len();
            let alignment = DiffPath { run: 0..all, pairs: vec![None; all], changes: 0 };
            let aligned = (all as u64, all as u64);
            let mut placing = TextPlacing {
                texts,
                text,
                alignment,
                found: FoundPlace::Pieces,
                level: TextLevel::Text,
                aligned,
            };
            if placing.agrees(options) {
                return Ok(placing);
            }
            return placing.aligned(key, answer, options);
        }
        let alignment = DiffPath { run: 0..0, pairs: Vec::new(), changes: 0 };
        let placing = TextPlacing {
            texts,
            text,
            alignment,
            found: FoundPlace::Pieces,
            level: TextLevel::Text,
            aligned: (0, 0),
        };
        placing.aligned(key, answer, options)
    }

    /// Aligns the pieces of the texts, and finds the level at which they agree.
    fn aligned(
        mut self,
        key: &Document,
        answer: &AnswerDocument,
        options: &Options,
    ) -> Result<TextPlacing<'t>> {
        self.alignment = self.texts.align(self.text);
        let (texts, alignment) = (&self.texts, &self.alignment);
        let (run, pairs) = (alignment.run.clone(), &alignment.pairs);
        let counts = |place: &usize| !(texts.doubtful[*place] && pairs[*place].is_none());
        let total = run.clone().filter(counts).count() as u64;
        let equal = run.clone().filter(|&place| {
            pairs[place].is_some_and(|ours| texts.key[ours as usize].symbol == texts.answer[place].symbol)
        });
        let aligned = (equal.count() as u64, total);
        self.aligned = aligned;
        if self.agrees(options) {
            return Ok(self);
        }
        let allowed = allowed(options.level);
        let share = options.min_aligned;
        let enough = aligned.1 > 0 && aligned.0 as f64 >= share * aligned.1 as f64;
        if allowed == TextLevel::Text && (enough || (self.texts.answer.is_empty() && share == 0.0)) {
            return Ok(self);
        }
        Err(unrelated(key, answer, aligned, allowed, share))
    }

    /// Returns whether the texts agree as words or as characters.
    fn agrees(&mut self, options: &Options) -> bool {
        let segments = self.segments();
        if let Some(words) = self.as_words(&segments) {
            (self.found, self.level) = (FoundPlace::Words(words), TextLevel::Words);
            return true;
        }
        if allowed(options.level) >= TextLevel::Characters
            && let Some((folded, characters)) = self.as_characters(&segments)
        {
            (self.found, self.level) = (FoundPlace::Characters(folded, characters), TextLevel::Characters);
            return true;
        }
        false
    }

    /// Returns the parts of the text within the run, without doubtful pieces that the key lacks.
    fn segments(&self) -> Vec<Range<u32>> {
        let run = &self.alignment.run;
        let pieces = &self.texts.answer;
        let start = match run.start {
            0 => 0,
            first => pieces.get(first).map_or(self.text.text.len() as u32, |piece| piece.start),
        };
        let end = pieces.get(run.end).map_or(self.text.text.len() as u32, |piece| piece.start);
        let (mut segments, mut from) = (Vec::new(), start);
        for place in run.clone() {
            if self.texts.doubtful[place] && self.alignment.pairs[place].is_none() {
                segments.push(from..pieces[place].start.max(from));
                from = pieces[place].end;
            }
        }
        segments.push(from..end.max(from));
        segments
    }

    /// Returns the answer's words, if they are the words of the key.
    fn as_words(&self, segments: &[Range<u32>]) -> Option<Vec<Range<u32>>> {
        let text = &self.text.text;
        let mut words: Vec<(String, Range<u32>)> = Vec::new();
        let mut open = false;
        for segment in segments {
            for (place, character) in text[segment.start as usize..segment.end as usize].char_indices() {
                let start = segment.start + place as u32;
                let end = start + character.len_utf8() as u32;
                if character.is_whitespace() {
                    open = false;
                    continue;
                }
                match words.last_mut().filter(|_| open) {
                    Some(last) => {
                        last.0.push(character);
                        last.1.end = end;
                    }
                    None => words.push((character.to_string(), start..end)),
                }
                open = true;
            }
        }
        let units = &self.texts.units;
        let same = |unit: &WordUnit<'_>, word: &str| match self.text.underscores {
            true => unit.form.chars().map(|c| if c == ' ' { '_' } else { c }).eq(word.chars()),
            false => unit.form == word,
        };
        let equal =
            words.len() == units.len() && units.iter().zip(&words).all(|(unit, word)| same(unit, &word.0));
        equal.then(|| words.into_iter().map(|word| word.1).collect())
    }

    /// Returns the answer's characters, if they are the characters of the key.
    fn as_characters(&self, segments: &[Range<u32>]) -> Option<(Vec<Folded>, KeyCharacters)> {
        let characters = KeyCharacters::new(&self.texts.units, self.text.underscores);
        let mut cuts: Vec<u32> = self.text.marks.iter().flat_map(|mark| [mark.start, mark.end]).collect();
        cuts.sort_unstable();
        let mut folded = Vec::new();
        for segment in segments {
            let part = &self.text.text[segment.start as usize..segment.end as usize];
            fold(part, segment.start, self.text.underscores, &cuts, &mut folded);
        }
        characters.paired(&folded)
    }

    /// Returns a unit of the key.
    pub(super) fn unit(&self, number: u32) -> WordUnit<'t> {
        self.texts.units[number as usize]
    }

    /// Returns the units that a part of the text covers.
    pub(super) fn covered(&self, start: u32, end: u32) -> Covered {
        let text = &self.text.text[start as usize..end as usize];
        let trimmed = text.trim_start();
        let start = start + (text.len() - trimmed.len()) as u32;
        let end = start + trimmed.trim_end().len() as u32;
        if start >= end {
            return Covered::Empty;
        }
        match &self.found {
            FoundPlace::Words(words) => match covered(words, start, end, |word| (word.start, word.end)) {
                Some(range) => Covered::Units {
                    first: range.start as u32,
                    last: range.end as u32 - 1,
                    inside: words[range.start].start < start || words[range.end - 1].end > end,
                    shrunk: false,
                },
                None => Covered::Nothing,
            },
            FoundPlace::Characters(folded, key) => {
                match covered(folded, start, end, |folded| (folded.start, folded.end)) {
                    Some(range) => {
                        let (first, last) = (key.units[range.start].0, key.units[range.end - 1].1);
                        let before = range.start.checked_sub(1).map(|place| key.units[place].1);
                        let after = key.units.get(range.end).map(|units| units.0);
                        let cut = folded[range.start].start < start || folded[range.end - 1].end > end;
                        let inside = cut || before == Some(first) || after == Some(last);
                        Covered::Units { first, last, inside, shrunk: false }
                    }
                    None => Covered::Nothing,
                }
            }
            FoundPlace::Pieces => self.covered_pieces(start, end),
        }
    }

    fn covered_pieces(&self, start: u32, end: u32) -> Covered {
        let Some(range) = covered(&self.texts.answer, start, end, |piece| (piece.start, piece.end)) else {
            return Covered::Empty;
        };
        let pairs = &self.alignment.pairs;
        let counts = |place: &usize| !(self.texts.doubtful[*place] && pairs[*place].is_none());
        let pieces: Vec<usize> = range.filter(counts).collect();
        let paired: Vec<u32> = pieces.iter().filter_map(|&place| pairs[place]).collect();
        let (Some(&first), Some(&last)) = (paired.first(), paired.last()) else { return Covered::Nothing };
        if paired.len() * 2 < pieces.len() {
            return Covered::Nothing;
        }
        let edge = |place: Option<&usize>| place.is_some_and(|&place| pairs[place].is_none());
        let shrunk = edge(pieces.first()) || edge(pieces.last());
        let unit_of = &self.texts.unit_of;
        let (first_unit, last_unit) = (unit_of[first as usize], unit_of[last as usize]);
        let before = first.checked_sub(1).map(|place| unit_of[place as usize]);
        let after = unit_of.get(last as usize + 1).copied();
        let inside = !shrunk && (before == Some(first_unit) || after == Some(last_unit));
        Covered::Units { first: first_unit, last: last_unit, inside, shrunk }
    }

    /// Returns whether a mention starts or ends with `_`, which is read as a space although it is a word of the key.
    fn lacks_underscore(&self, form: &str) -> bool {
        self.text.underscores
            && self.level != TextLevel::Words
            && (form.starts_with('_') || form.ends_with('_'))
            && self.texts.units.iter().any(|unit| unit.form.chars().all(|c| c == '_'))
    }

    /// Returns the first or last word of a mention that covers several units of the key, and the text of these units.
    fn joined(&self, mark: &Mark, words: &Words) -> Option<(String, String)> {
        if !self.text.whole_words || self.level == TextLevel::Words {
            return None;
        }
        let form = self.text.text[mark.start as usize..mark.end as usize].trim();
        let start = mark.start + self.text.text[mark.start as usize..].find(form).unwrap_or(0) as u32;
        let end = start + form.len() as u32;
        let first = form.split_whitespace().next().map_or(end, |word| start + word.len() as u32);
        let last = form.split_whitespace().next_back().map_or(start, |word| end - word.len() as u32);
        [(start, first), (last, end)].into_iter().find_map(|(start, end)| {
            let Covered::Units { first, last, .. } = self.covered(start, end) else { return None };
            let word = &self.text.text[start as usize..end as usize];
            let of_key = || words_of(words, self.unit(first).first, self.unit(last).last);
            (first < last).then(|| (shortened(word), shortened(&of_key())))
        })
    }

    /// Returns whether a place of the text is outside the aligned run of blocks.
    fn is_outside(&self, at: u32) -> bool {
        let run = &self.alignment.run;
        // An empty node may precede the first piece of its block.
        let block_of = |place: usize| {
            let piece = self.texts.answer.get(place)?;
            let block = self.text.blocks.partition_point(|&start| start <= piece.start);
            Some(block.checked_sub(1).map_or(0, |block| self.text.blocks[block]))
        };
        let before = run.start > 0 && block_of(run.start).is_some_and(|start| at < start);
        before || block_of(run.end).is_some_and(|start| at >= start)
    }

    /// Returns the passages outside the aligned run of blocks that the key contains, by their pieces. Passages have
    /// at least [`REPEATED`] pieces, and are joined across a few pieces that differ.
    fn repeated_outside(&self) -> Vec<Range<usize>> {
        let (repeats, answer) = (Repeats::of(&self.texts.key), &self.texts.answer);
        let mut found: Vec<Range<usize>> = Vec::new();
        for region in [0..self.alignment.run.start, self.alignment.run.end..answer.len()] {
            let places: Vec<usize> = region.filter(|&place| !self.texts.doubtful[place]).collect();
            let symbols: Vec<u32> = places.iter().map(|&place| answer[place].symbol).collect();
            for (first, run) in symbols.windows(REPEATED).enumerate() {
                if repeats.has(run) {
                    let passage = places[first]..places[first + REPEATED - 1] + 1;
                    match found.last_mut().filter(|last| last.end + REPEATED > passage.start) {
                        Some(last) => last.end = passage.end,
                        None => found.push(passage),
                    }
                }
            }
        }
        found
    }

    /// Returns the pieces that a mark covers; for an empty node, an empty range at its place.
    fn pieces_of(&self, mark: &Mark) -> Range<usize> {
        let place = |piece: &TextPiece| (piece.start, piece.end);
        covered(&self.texts.answer, mark.start, mark.end, place).unwrap_or_else(|| {
            let next = self.texts.answer.partition_point(|piece| piece.start < mark.start);
            next..next
        })
    }

    /// Reports mentions outside the aligned run of blocks, which have no place. Mentions in a passage that repeats the
    /// key count as spurious; all others are skipped, and returned.
    fn place_outside(&self, outside: Vec<Mark>, placing: &mut Placing<'_>) -> Vec<Mark> {
        let repeated = if outside.is_empty() { Vec::new() } else { self.repeated_outside() };
        let passage_of = |mark: &Mark| {
            let pieces = self.pieces_of(mark);
            let overlaps = |passage: &Range<usize>| match pieces.is_empty() {
                true => passage.start <= pieces.start && pieces.end <= passage.end,
                false => passage.start < pieces.end && pieces.start < passage.end,
            };
            repeated.iter().position(overlaps)
        };
        let (mut skipped, mut reported) = (Vec::new(), BTreeSet::new());
        for mark in outside {
            let Some(passage) = passage_of(&mark) else {
                skipped.push(mark);
                continue;
            };
            if reported.insert(passage) {
                let range = repeated[passage].clone();
                let (start, end) =
                    (self.texts.answer[range.start].start, self.texts.answer[range.end - 1].end);
                let (line, column) = self.text.place(start);
                let position = Position::new(&placing.answer.source, line, column);
                placing.finding(Code::TextRepeated, position, || {
                    let passage = shortened(&self.text.text[start as usize..end as usize]);
                    format!("`{passage}` is elsewhere in the key, and the answer has it twice")
                });
            }
            let form = match self.text.text[mark.start as usize..mark.end as usize].trim() {
                "" => "##",
                form => form,
            };
            let why = "it is in a passage that the answer repeats";
            placing.unplaced_because(mark.entity, form, mark.line, mark.column, why);
        }
        skipped
    }

    /// Returns the word of the key after which a place of the text lies; `None` before the first word.
    fn word_before(&self, at: u32) -> Option<u32> {
        let unit = match &self.found {
            FoundPlace::Words(words) => words.partition_point(|word| word.start < at).checked_sub(1)? as u32,
            FoundPlace::Characters(folded, key) => {
                let place = folded.partition_point(|folded| folded.start < at).checked_sub(1)?;
                key.units[place].1
            }
            FoundPlace::Pieces => {
                let count = self.texts.answer.partition_point(|piece| piece.start < at);
                let pair = self.alignment.pairs[..count].iter().rev().flatten().next()?;
                self.texts.unit_of[*pair as usize]
            }
        };
        self.texts.units.get(unit as usize).map(|unit| unit.last)
    }

    /// Returns the empty nodes of the key that correspond to the answer's.
    pub(super) fn zeros(&self, words: &Words, placing: &mut Placing<'_>) -> Vec<CounterpartOfZero> {
        let mut taken: BTreeSet<u32> = BTreeSet::new();
        let nodes = words.empty_nodes();
        let mut by_parent: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for &node in nodes {
            if let Some(parent) = words.dependencies(node).first().and_then(|dependency| dependency.parent) {
                by_parent.entry(parent).or_default().push(node);
            }
        }
        let mut found = Vec::new();
        for zero in &self.text.zeros {
            if self.is_outside(zero.at) {
                found.push(CounterpartOfZero::Unplaced(None));
                continue;
            }
            let before = self.word_before(zero.at);
            let next = before.map_or(0, |word| word + 1);
            let here = (next..).take_while(|node| words.is_empty_node(*node));
            let elsewhere = before.and_then(|word| by_parent.get(&word)).into_iter().flatten().copied();
            let node = here.chain(elsewhere).find(|node| !taken.contains(node));
            match node {
                Some(node) => {
                    taken.insert(node);
                    found.push(CounterpartOfZero::Node(node));
                }
                None => {
                    let word = before.and_then(|word| words.layers()?.form.get(word as usize));
                    let position = Position::new(&placing.answer.source, zero.line, zero.column);
                    placing.finding(Code::ZeroUnplaced, position, || match word {
                        Some(word) => format!("the key has no empty node after `{word}`"),
                        None => "the key has no empty node before its first word".to_owned(),
                    });
                    found.push(CounterpartOfZero::Unplaced(before));
                }
            }
        }
        found
    }

    /// Places all marks.
    pub(super) fn place(&self, key: &Document, placing: &mut Placing<'_>) {
        let words = key.words();
        self.report_texts(key, placing);
        let zeros = self.zeros(words, placing);
        let mut outside = Vec::new();
        for mark in &self.text.marks {
            if self.is_outside(mark.start) {
                outside.push(*mark);
                continue;
            }
            let source = Arc::clone(&placing.answer.source);
            let position_of_mark = || Position::new(&source, mark.line, mark.column);
            let position = position_of_mark();
            let form = self.text.text[mark.start as usize..mark.end as usize].trim();
            let nodes = mark.zeros.map_or(&[][..], |(first, last)| &zeros[first as usize..=last as usize]);
            let placed: Vec<u32> = nodes.iter().filter_map(|zero| zero.node()).collect();
            let (mut first, mut last) = (placed.iter().min().copied(), placed.iter().max().copied());
            match self.covered(mark.start, mark.end) {
                Covered::Units { first: from, last: to, inside, shrunk } => {
                    let (from, to) = (self.texts.units[from as usize], self.texts.units[to as usize]);
                    first = Some(first.map_or(from.first, |first| first.min(from.first)));
                    last = Some(last.map_or(to.last, |last| last.max(to.last)));
                    let of_key = || words_of(words, from.first, to.last);
                    if inside {
                        placing.finding(Code::InsideWord, position, || {
                            format!("`{form}` is a part of `{}`, which is the mention", of_key())
                        });
                    } else if shrunk {
                        placing.finding(Code::MentionShrunk, position, || {
                            format!("the key has only `{}` of `{form}`", of_key())
                        });
                    }
                    if !inside && !shrunk && self.lacks_underscore(form) {
                        placing.finding(Code::MentionShrunk, position_of_mark(), || {
                            format!("`_` is a word of the key, and was read as a space in `{form}`")
                        });
                    }
                    if let Some((word, joined)) = self.joined(mark, words) {
                        placing.finding(Code::WordsJoined, position_of_mark(), || {
                            format!("`{word}` is several words of the key, and the mention has all of them: `{joined}`")
                        });
                    }
                }
                Covered::Nothing => {}
                Covered::Empty if mark.zeros.is_none() => {
                    placing.finding(Code::EmptySpan, position, || "a mention has no words".to_owned());
                    continue;
                }
                Covered::Empty => {}
            }
            match (first, last) {
                (Some(first), Some(last)) => placing.put(mark.entity, first, last, mark.line, mark.column),
                _ => match nodes.first() {
                    Some(CounterpartOfZero::Unplaced(before)) => {
                        placing.extra_zero(mark.entity, *before, mark.line, mark.column);
                    }
                    _ => placing.unplaced(mark.entity, form, mark.line, mark.column),
                },
            }
        }
        let skipped = self.place_outside(outside, placing);
        self.report_skipped(&skipped, placing);
    }

    /// Reports text outside the answer.
    fn report_skipped(&self, marks: &[Mark], placing: &mut Placing<'_>) {
        let run = &self.alignment.run;
        let pieces = &self.texts.answer;
        let outside = if run.start > 0 { pieces.first() } else { pieces.get(run.end) };
        let place = match (outside, self.text.unwrapped) {
            (Some(piece), _) => self.text.place(piece.start),
            (None, Some(place)) => place,
            (None, None) => return,
        };
        let position = Position::new(&placing.answer.source, place.0, place.1);
        placing.finding(Code::AnswerUnwrapped, position, || "text around the answer was skipped".to_owned());
        let Some(first) = marks.first() else { return };
        let position = Position::new(&placing.answer.source, first.line, first.column);
        placing.finding(Code::MentionsSkipped, position, || {
            let mentions = plural(marks.len(), "mention", "mentions");
            let were = if marks.len() == 1 { "was" } else { "were" };
            format!("{mentions} in the text around the answer {were} skipped")
        });
    }

    /// Reports where the texts differ, and passages that the key does not contain.
    pub(super) fn report_texts(&self, key: &Document, placing: &mut Placing<'_>) {
        let answer = &self.texts.answer;
        let pairs = &self.alignment.pairs;
        for doubt in &self.text.doubts {
            let Some((code, message)) = &doubt.finding else { continue };
            let pieces = covered(answer, doubt.start, doubt.end, |piece| (piece.start, piece.end));
            let is_text = pieces.is_some_and(|mut places| places.all(|place| pairs[place].is_some()));
            let outside = answer.get(self.alignment.run.end).is_some_and(|piece| doubt.start >= piece.start);
            if !is_text && !outside {
                let (line, column) = self.text.place(doubt.start);
                let position = Position::new(&placing.answer.source, line, column);
                placing.finding(*code, position, || message.clone());
            }
        }
        self.report_headings(placing);
        if self.level == TextLevel::Words {
            return;
        }
        let start = answer.get(self.alignment.run.start).map_or(0, |piece| piece.start);
        let (line, column) = self.text.place(start);
        let position = Position::new(&placing.answer.source, line, column);
        let (equal, total) = self.aligned;
        placing.finding(Code::AnswerAligned, position, || match self.level {
            TextLevel::Text => {
                format!("{equal} of {} of the text match the key", plural(total, "piece", "pieces"))
            }
            _ => "the text matches the key except for whitespace and variants of punctuation".to_owned(),
        });
        if self.level == TextLevel::Text {
            self.report_changes(key, placing);
        }
    }

    /// Reports headings and labels that are partly in the key. If the key has at least half of one, but not
    /// all, it is part of the text.
    fn report_headings(&self, placing: &mut Placing<'_>) {
        let (answer, pairs) = (&self.texts.answer, &self.alignment.pairs);
        for doubt in self.text.doubts.iter().filter(|doubt| doubt.finding.is_none()) {
            let Some(pieces) = covered(answer, doubt.start, doubt.end, |piece| (piece.start, piece.end))
            else {
                continue;
            };
            let paired = pieces.clone().filter(|&place| pairs[place].is_some()).count();
            let added = pieces.clone().find(|&place| pairs[place].is_none());
            let Some(added) = added.filter(|_| 2 * paired >= pieces.len()) else { continue };
            let piece = &answer[added];
            let (line, column) = self.text.place(piece.start);
            let position = Position::new(&placing.answer.source, line, column);
            placing.finding(Code::TextAdded, position, || {
                let added = &self.text.text[piece.start as usize..piece.end as usize];
                format!("the key has no `{}` here", shortened(added))
            });
        }
    }

    fn report_changes(&self, key: &Document, placing: &mut Placing<'_>) {
        let (answer, pairs) = (&self.texts.answer, &self.alignment.pairs);
        let repeats = Repeats::of(&self.texts.key);
        let position = |placing: &Placing<'_>, place: usize| {
            let offset = answer.get(place).map_or(self.text.text.len() as u32, |piece| piece.start);
            let (line, column) = self.text.place(offset);
            Position::new(&placing.answer.source, line, column)
        };
        let shown = |range: Range<usize>| -> String {
            let (first, last) = (&answer[range.start], &answer[range.end - 1]);
            shortened(&self.text.text[first.start as usize..last.end as usize])
        };
        let of_key = |range: Range<u32>| -> String {
            let unit = |place: u32| self.texts.units[self.texts.unit_of[place as usize] as usize];
            shortened(&words_of(key.words(), unit(range.start).first, unit(range.end - 1).last))
        };
        let (mut place, mut next) = (self.alignment.run.start, 0u32);
        let end = self.alignment.run.end;
        loop {
            // Added pieces of the answer and missing pieces of the key, up to the next pair.
            let added = place;
            while place < end && pairs[place].is_none() {
                place += 1;
            }
            let certain = (added..place).filter(|&place| !self.texts.doubtful[place]);
            if let (Some(first), Some(last)) = (certain.clone().next(), certain.clone().next_back()) {
                let symbols: Vec<u32> = certain.map(|place| answer[place].symbol).collect();
                let repeated = repeats.has(&symbols);
                let code = if repeated { Code::TextRepeated } else { Code::TextAdded };
                placing.finding(code, position(placing, first), || match repeated {
                    true => format!("`{}` is elsewhere in the key", shown(first..last + 1)),
                    false => format!("the key has no `{}` here", shown(first..last + 1)),
                });
            }
            let pair = pairs.get(place).copied().flatten().filter(|_| place < end);
            let ours = pair.unwrap_or(self.texts.key.len() as u32);
            if next < ours {
                placing.finding(Code::TextMissing, position(placing, place), || {
                    format!("`{}` of the key is missing here", of_key(next..ours))
                });
            }
            if pair.is_none() {
                return;
            }
            // A series of pairs whose pieces differ.
            let (first, mut last) = (place, ours);
            let differs = |place: usize, ours: u32| {
                place < end
                    && pairs[place] == Some(ours)
                    && self.texts.key[ours as usize].symbol != answer[place].symbol
            };
            while differs(place, last) {
                (place, last) = (place + 1, last + 1);
            }
            if place > first {
                placing.finding(Code::TextChanged, position(placing, first), || {
                    format!("the key has `{}` where this has `{}`", of_key(ours..last), shown(first..place))
                });
                next = last;
            } else {
                (place, next) = (place + 1, ours + 1);
            }
        }
    }
}

/// The empty node of the key that corresponds to an empty node of an answer.
#[derive(Clone, Copy)]
pub(super) enum CounterpartOfZero {
    /// An empty node of the key.
    Node(u32),
    /// The key has no such node; the value is the word before it.
    Unplaced(Option<u32>),
}

impl CounterpartOfZero {
    /// Returns the node of the key.
    pub(super) fn node(self) -> Option<u32> {
        match self {
            CounterpartOfZero::Node(node) => Some(node),
            CounterpartOfZero::Unplaced(_) => None,
        }
    }
}

/// Finds passages of the key.
struct Repeats {
    key: Vec<u32>,
    starts: FxHashMap<u64, Vec<u32>>,
}

impl Repeats {
    fn of(pieces: &[TextPiece]) -> Repeats {
        let key: Vec<u32> = pieces.iter().map(|piece| piece.symbol).collect();
        let mut starts: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
        for (place, run) in (0u32..).zip(key.windows(REPEATED)) {
            starts.entry(hash(run)).or_default().push(place);
        }
        Repeats { key, starts }
    }

    /// Returns whether the key contains a passage.
    fn has(&self, run: &[u32]) -> bool {
        let Some(first) = run.get(..REPEATED) else { return false };
        let mut starts = self.starts.get(&hash(first)).into_iter().flatten();
        starts.any(|&start| self.key[start as usize..].starts_with(run))
    }
}

fn hash(run: &[u32]) -> u64 {
    run.iter().fold(0, |hash, &symbol| (hash ^ u64::from(symbol)).wrapping_mul(0x9FB2_1C65_1E98_DF25))
}

/// Returns the words of a span of the key.
pub(super) fn words_of(words: &Words, first: u32, last: u32) -> String {
    let Some(layers) = words.layers() else { return String::new() };
    let in_text = (first..=last).filter(|&word| !words.is_empty_node(word));
    let forms: Vec<&str> = in_text.filter_map(|word| layers.form.get(word as usize)).collect();
    forms.join(" ")
}

/// Shortens a text for a message.
pub(super) fn shortened(text: &str) -> String {
    start_of(&one_line(text), 60).into_owned()
}

/// Returns the last level that an option allows.
fn allowed(align: Align) -> TextLevel {
    match align {
        Align::Words => TextLevel::Words,
        Align::Characters => TextLevel::Characters,
        Align::Auto | Align::Text => TextLevel::Text,
    }
}

/// Returns the error for an answer whose text has too little in common with the document.
fn unrelated(
    key: &Document,
    answer: &AnswerDocument,
    (equal, total): (u64, u64),
    allowed: TextLevel,
    share: f64,
) -> Error {
    let (id, code) = (quoted(key.id()), Code::AnswerUnrelated.id());
    let (message, hint) = match allowed {
        _ if total == 0 => (
            text!("the response has no text to compare with {} [{}]", id, code),
            text!("write the text of the document, or leave the document out of the response"),
        ),
        TextLevel::Text => (
            text!(
                "{} of {} of the text match {}, below the minimum share of {} [{}]",
                equal,
                plural(total, "piece", "pieces"),
                id,
                share,
                code
            ),
            text!(
                "is it an answer to this text? blank lines must set it off from other text; {} sets how much must match",
                option("min-aligned")
            ),
        ),
        TextLevel::Characters => (
            text!(
                "the text differs from that of {}, even if whitespace, case and variants of punctuation are ignored [{}]",
                id,
                code
            ),
            text!("{} accepts texts that differ", option_value("align", "text")),
        ),
        TextLevel::Words => (
            text!("the words differ from those of {} [{}]", id, code),
            text!(
                "{} accepts words that are split differently, {} texts that differ",
                option_value("align", "characters"),
                option_value("align", "text")
            ),
        ),
    };
    Error::new(ErrorKind::Pairing, message)
        .coded(Code::AnswerUnrelated)
        .at(answer.position())
        .with_place(key.position(), "the key's document")
        .hint(hint)
}

/// Returns the span from one word to another; `None` if they are out of order.
pub(super) fn span(first: u32, last: u32) -> Option<Span> {
    Span::new(first, last.checked_add(1)?)
}
