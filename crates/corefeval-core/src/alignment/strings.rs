//! Finds mentions in the key that are given by their words.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::text::{Spacing, WordUnit, folded_string, known_spacing, starts, units};
use super::{Placing, place};
use crate::diagnostic::{Code, Position};
use crate::model::{AnswerString, Document};

/// The first and the last unit of an occurrence.
type UnitRange = (u32, u32);

/// The key's text without spaces, in which strings are searched for.
struct KeyText {
    text: String,
    /// The start and end of each unit, in bytes; the end is exclusive.
    bounds: Vec<(u32, u32)>,
    /// The units by the byte where they end.
    ends: FxHashMap<u32, u32>,
    /// The units by the first characters of the text that starts with them.
    by_prefix: FxHashMap<String, Vec<u32>>,
}

/// The number of characters of a string that are used for the index.
const PREFIX: usize = 3;

fn prefix(text: &str, length: usize) -> &str {
    text.char_indices().nth(length).map_or(text, |(end, _)| &text[..end])
}

impl KeyText {
    fn new(units: &[WordUnit<'_>], form: impl Fn(&str) -> String) -> KeyText {
        let (mut text, mut bounds) = (String::new(), Vec::with_capacity(units.len()));
        for unit in units {
            let start = text.len() as u32;
            text.push_str(&form(unit.form));
            bounds.push((start, text.len() as u32));
        }
        let mut ends = FxHashMap::default();
        let mut by_prefix: FxHashMap<String, Vec<u32>> = FxHashMap::default();
        for (number, &(start, end)) in (0u32..).zip(&bounds) {
            if start < end {
                ends.insert(end, number);
                let rest = &text[start as usize..];
                for length in 1..=PREFIX {
                    let first = prefix(rest, length);
                    if length == 1 || first.len() > prefix(rest, length - 1).len() {
                        by_prefix.entry(first.to_owned()).or_default().push(number);
                    }
                }
            }
        }
        KeyText { text, bounds, ends, by_prefix }
    }

    /// Returns the places where a string starts and ends at unit boundaries.
    fn occurrences(&self, wanted: &str) -> Vec<UnitRange> {
        if wanted.is_empty() {
            return Vec::new();
        }
        let first = self.by_prefix.get(prefix(wanted, PREFIX)).into_iter().flatten();
        let place = |&unit: &u32| {
            let start = self.bounds[unit as usize].0;
            let end = start + wanted.len() as u32;
            let fits = self.text[start as usize..].starts_with(wanted);
            let last = self.ends.get(&end).filter(|_| fits)?;
            Some((unit, *last))
        };
        first.filter_map(place).collect()
    }
}

/// The index of the occurrences without punctuation at the ends in the result of [`StringSearch::of`].
const BARE: usize = 2;

/// The forms of a string to search for, in order.
struct StringSearch<'k> {
    units: Vec<WordUnit<'k>>,
    exact: KeyText,
    folded: KeyText,
    known: FxHashMap<String, [Vec<UnitRange>; 3]>,
}

impl<'k> StringSearch<'k> {
    fn new(key: &'k Document) -> StringSearch<'k> {
        let units = units(key.words(), false);
        let exact = KeyText::new(&units, without_blanks);
        let folded = KeyText::new(&units, |form| folded_string(form, false));
        StringSearch { units, exact, folded, known: FxHashMap::default() }
    }

    /// Returns the occurrences of a string: exact, with a different spelling, and without punctuation at its ends.
    fn of(&mut self, text: &str) -> &[Vec<UnitRange>; 3] {
        if !self.known.contains_key(text) {
            let spelled = folded_string(text, false);
            let bare = folded_string(text.trim_matches(|c: char| !c.is_alphanumeric()), false);
            let found = [
                self.exact.occurrences(&without_blanks(text)),
                self.folded.occurrences(&spelled),
                self.folded.occurrences(&bare),
            ];
            self.known.insert(text.to_owned(), found);
        }
        &self.known[text]
    }
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Places strings in their given order. Reports names of entities that are not among the mentions of their entity.
pub(super) fn place(
    key: &Document,
    strings: &[AnswerString],
    names: &[AnswerString],
    placing: &mut Placing<'_>,
) {
    let mut search = StringSearch::new(key);
    let words = key.words();
    let base = sentence_base(key, strings, &mut search);
    let offsets = offsets(key, strings, &mut search);
    let mut taken: BTreeSet<UnitRange> = BTreeSet::new();
    let mut last: FxHashMap<u32, UnitRange> = FxHashMap::default();
    for string in strings {
        let position = Position::new(&placing.answer.source, string.line, string.column);
        let ways = search.of(&string.text);
        let free = |places: &[UnitRange]| -> Vec<UnitRange> {
            places.iter().copied().filter(|place| !taken.contains(place)).collect()
        };
        let mut free = ways.iter().map(|places| free(places)).enumerate();
        let Some((way, mut places)) = free.find(|(_, places)| !places.is_empty()) else {
            let known = ways.iter().any(|places| !places.is_empty());
            placing.unplaced_because(
                string.entity,
                &string.text,
                string.line,
                string.column,
                if known {
                    "every occurrence in the key belongs to another mention"
                } else {
                    "the key does not contain it"
                },
            );
            continue;
        };
        let units = &search.units;
        let count = places.len();
        let mut wrong = None;
        if let Some(sentence) = string.sentence {
            let of = |place: &UnitRange| i64::from(words.sentence_of(units[place.0 as usize].first));
            let wanted = sentence - base;
            let nearest = places.iter().map(|place| (of(place) - wanted).abs()).min().unwrap_or(0);
            if nearest > 0 {
                wrong = Some(format!("sentence {sentence} does not have `{}`", string.text));
            }
            let sentence = places.iter().map(of).find(|found| (found - wanted).abs() == nearest);
            places.retain(|place| Some(of(place)) == sentence);
        }
        let chosen = match string.start.filter(|_| !offsets.is_empty()) {
            Some(start) => {
                let distance = |place: &UnitRange| (i64::from(offsets[place.0 as usize]) - start).abs();
                let nearest = places.iter().copied().min_by_key(|place| (distance(place), *place));
                if nearest.is_some_and(|place| distance(&place) > 0) {
                    wrong = Some(format!("`{}` does not start at character {start}", string.text));
                }
                nearest
            }
            None => next(&places, last.get(&string.entity).copied()),
        };
        let Some(chosen) = chosen else { continue };
        if let Some(message) = wrong {
            placing.finding(Code::OffsetWrong, position, || message);
        } else if places.len() > 1 && string.start.is_none() {
            placing.finding(Code::MentionAmbiguous, position, || {
                format!("`{}` has {count} free occurrences in the key", string.text)
            });
        }
        taken.insert(chosen);
        last.insert(string.entity, chosen);
        let (first, last) = (units[chosen.0 as usize], units[chosen.1 as usize]);
        if way == BARE && loses_signs(&string.text, units) {
            let position = Position::new(&placing.answer.source, string.line, string.column);
            let found = place::words_of(words, first.first, last.last);
            placing.finding(Code::MentionShrunk, position, || {
                format!("the key has only `{found}` of `{}`", string.text)
            });
        }
        placing.put(string.entity, first.first, last.last, string.line, string.column);
    }
    report_names(names, strings, &taken, &mut search, placing);
}

/// Reports names of entities that occur in the key, in a place that is not `taken`, but are not among the mentions of
/// their entity.
fn report_names(
    names: &[AnswerString],
    strings: &[AnswerString],
    taken: &BTreeSet<UnitRange>,
    search: &mut StringSearch<'_>,
    placing: &mut Placing<'_>,
) {
    let mut spelled: FxHashMap<u32, Vec<String>> = FxHashMap::default();
    if !names.is_empty() {
        for string in strings {
            spelled.entry(string.entity).or_default().push(folded_string(&string.text, false));
        }
    }
    for name in names.iter().filter(|name| name.text.contains(char::is_alphabetic)) {
        let wanted = folded_string(&name.text, false);
        let mut own = spelled.get(&name.entity).into_iter().flatten();
        let [exact, ..] = search.of(&name.text);
        if exact.iter().any(|place| !taken.contains(place)) && !own.any(|mention| mention.contains(&wanted)) {
            let position = Position::new(&placing.answer.source, name.line, name.column);
            placing.finding(Code::MentionsSkipped, position, || {
                format!("`{}` names an entity but is not among its mentions; it was skipped", name.text)
            });
        }
    }
}

/// Returns whether an end of a string has several punctuation marks, one of which is a word of the key and may belong
/// to the mention. A single mark is the punctuation after the mention, or a quotation mark around it.
fn loses_signs(text: &str, units: &[WordUnit<'_>]) -> bool {
    let bare = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let start = &text[..text.len() - bare.len()];
    let end = &bare[bare.trim_end_matches(|c: char| !c.is_alphanumeric()).len()..];
    [start, end].iter().any(|end| {
        let signs: Vec<char> = end.chars().filter(|c| !c.is_whitespace()).collect();
        let is_word = |sign: &char| units.iter().any(|unit| unit.form.chars().eq([*sign]));
        signs.len() > 1 && signs.iter().any(is_word)
    })
}

/// Returns the next occurrence after the last mention of an entity, otherwise the first one.
fn next(places: &[UnitRange], last: Option<UnitRange>) -> Option<UnitRange> {
    let first =
        |wanted: &dyn Fn(&UnitRange) -> bool| places.iter().copied().filter(|place| wanted(place)).min();
    let Some((start, end)) = last else { return first(&|_| true) };
    first(&|place| place.0 > end || (place.0 > start && place.1 < end))
        .or_else(|| first(&|place| place.0 > start || (place.0 == start && place.1 < end)))
        .or_else(|| first(&|_| true))
}

/// Returns the number that the answer gives to the first sentence: 0 or 1.
fn sentence_base(key: &Document, strings: &[AnswerString], search: &mut StringSearch<'_>) -> i64 {
    if strings.iter().any(|string| string.sentence == Some(0)) {
        return 0;
    }
    let mut found = [0u64; 2];
    for string in strings {
        let Some(sentence) = string.sentence else { continue };
        let places: Vec<UnitRange> = search.of(&string.text).iter().flatten().copied().collect();
        for (base, found) in (0i64..).zip(&mut found) {
            let units = &search.units;
            let fits = |place: &UnitRange| {
                let unit = units[place.0 as usize].first;
                i64::from(key.words().sentence_of(unit)) + base == sentence
            };
            *found += u64::from(places.iter().any(fits));
        }
    }
    i64::from(found[0] <= found[1])
}

/// Returns the start of each unit in the text in which the answer counts characters; empty if it does not count any.
fn offsets(key: &Document, strings: &[AnswerString], search: &mut StringSearch<'_>) -> Vec<u32> {
    if strings.iter().all(|string| string.start.is_none()) {
        return Vec::new();
    }
    let words = key.words();
    let ways: &[Spacing] = match known_spacing(words) {
        Some(_) => &[Spacing::Known],
        None => &[Spacing::Usual, Spacing::Single],
    };
    let mut best: Option<(u64, Vec<u32>)> = None;
    for &spacing in ways {
        let starts = starts(words, &search.units, spacing);
        let mut fitting = 0u64;
        for string in strings {
            let Some(start) = string.start else { continue };
            let places = search.of(&string.text).iter().flatten();
            fitting +=
                u64::from(places.into_iter().any(|place| i64::from(starts[place.0 as usize]) == start));
        }
        if best.as_ref().is_none_or(|(most, _)| fitting > *most) {
            best = Some((fitting, starts));
        }
    }
    best.map(|best| best.1).unwrap_or_default()
}
