//! Answers of language models, before their mentions are placed on the words of a key.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::diagnostic::{Code, Diagnostics, Position, Severity};
use crate::wording::plural;

/// The notation and mentions of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Notation {
    /// Chooses the notation with the most complete marks.
    #[default]
    Auto,
    /// `her|[e1],[e2 boat|e2]`
    Pipe,
    /// `[[her](#1) boat](#2)`
    Link,
    /// `[2 [1 her] boat]`
    First,
    /// `[[her: 1] boat: 2]`
    Colon,
    /// `[[her]#1 boat]#2`
    Hash,
    /// `[[[[her]]_1 boat]]_2`
    Double,
    /// `[[her]_1 boat]_2`
    Subscript,
    /// `[[her | e1] boat | e2]`
    Bar,
    /// `[ [ her | Ines ] boat ]`
    Antecedent,
    /// `<m id="2"><m id="1">her</m> boat</m>`
    Attribute,
    /// `<e2><e1>her</e1> boat</e2>`
    Element,
    /// `<m> <m> her | 1 </m> boat | 2 </m>`, and with the id inside or after the end tag
    Seq2seq,
    /// `<m> <m> her </m>#1 boat </m>#2`
    CorefInst,
    /// JSON with strings of the key's text
    Strings,
    /// JSON with a text and places in it
    OwnText,
}

/// A document of an answer: the text that the answer repeats, or the strings that it lists.
#[derive(Clone, Debug)]
pub struct AnswerDocument {
    /// The id, if the answer or its file gives one.
    pub id: Option<String>,
    /// The name of the file.
    pub source: Arc<str>,
    /// The line where the document starts, from 1.
    pub line: u32,
    /// The notation of its mentions.
    pub notation: Notation,
    /// The names of its entities, in the order of their first occurrence.
    pub entities: Vec<String>,
    /// The places of its mentions.
    pub body: AnswerBody,
}

/// The places of an answer's mentions.
#[derive(Clone, Debug)]
pub enum AnswerBody {
    /// The places are in a text that the answer repeats.
    Text(MarkedText),
    /// The mentions are given by their words in the key's text.
    Strings {
        /// The mentions.
        mentions: Vec<AnswerString>,
        /// The names of entities. They are not mentions, even if the key contains the same words.
        names: Vec<AnswerString>,
    },
}

/// A text without its marks. All offsets are of bytes in `text`.
#[derive(Clone, Debug, Default)]
pub struct MarkedText {
    /// The text.
    pub text: String,
    /// The origins of pieces of the text in the file, in order: offset, line, column.
    pub places: Vec<(u32, u32, u32)>,
    /// The starts of the blocks of the text, the first at 0. The answer is a run of blocks.
    pub blocks: Vec<u32>,
    /// The parts that may be text or part of a mark, in order.
    pub doubts: Vec<Doubt>,
    /// The mentions.
    pub marks: Vec<Mark>,
    /// The empty nodes, in order.
    pub zeros: Vec<ZeroMark>,
    /// True if `_` represents a space.
    pub underscores: bool,
    /// True if mentions consist of whole words of this text, which spaces separate.
    pub whole_words: bool,
    /// The line and column of the first part that was removed from the text: a code fence or reasoning.
    pub unwrapped: Option<(u32, u32)>,
}

/// A part of a text that may belong to a mark.
#[derive(Clone, Debug)]
pub struct Doubt {
    /// The start of the part.
    pub start: u32,
    /// One past the end of the part.
    pub end: u32,
    /// The finding to report unless the key contains it as text.
    pub finding: Option<(Code, String)>,
}

/// A mention in the text of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The start of the mention.
    pub start: u32,
    /// One past the end of the mention.
    pub end: u32,
    /// The first and the last empty node among its words, if any.
    pub zeros: Option<(u32, u32)>,
    /// The position of its entity among the names.
    pub entity: u32,
    /// The line of the file where the mention opens.
    pub line: u32,
    /// The column in bytes where the mention opens.
    pub column: u32,
}

/// An empty node in the text of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZeroMark {
    /// The place where the text before the empty node ends.
    pub at: u32,
    /// The line of the file.
    pub line: u32,
    /// The column in bytes.
    pub column: u32,
}

/// A mention that is given by its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerString {
    /// The words.
    pub text: String,
    /// The position of its entity among the names.
    pub entity: u32,
    /// The number of its sentence, if the answer gives it.
    pub sentence: Option<i64>,
    /// The number of its first character, if the answer gives it.
    pub start: Option<i64>,
    /// The line of the file.
    pub line: u32,
    /// The column in bytes.
    pub column: u32,
}

impl AnswerDocument {
    /// Returns whether it has a mention.
    pub fn has_mentions(&self) -> bool {
        match &self.body {
            AnswerBody::Text(text) => !text.marks.is_empty(),
            AnswerBody::Strings { mentions, .. } => !mentions.is_empty(),
        }
    }

    /// Returns the start of the document.
    pub fn position(&self) -> Position {
        Position::new(&self.source, self.line, 1)
    }

    /// Returns the number of mentions of each entity, with line and column of the first mention.
    fn counts(&self) -> Vec<(usize, (u32, u32))> {
        let mut counts = vec![(0, (self.line, 1)); self.entities.len()];
        let mut count = |entity: u32, place: (u32, u32)| {
            let Some(count) = counts.get_mut(entity as usize) else { return };
            count.1 = if count.0 == 0 { place } else { count.1.min(place) };
            count.0 += 1;
        };
        match &self.body {
            AnswerBody::Text(text) => {
                text.marks.iter().for_each(|mark| count(mark.entity, (mark.line, mark.column)))
            }
            AnswerBody::Strings { mentions, .. } => {
                mentions.iter().for_each(|mention| count(mention.entity, (mention.line, mention.column)));
            }
        }
        counts
    }

    /// Warns about entities whose ids are so similar that they may be spellings of one id. Pairs among the first
    /// `known` entities were reported before. If `known` is not 0, so were pairs among the others.
    pub fn report_ids_alike(&self, known: usize, diagnostics: &mut Diagnostics) {
        let counts = self.counts();
        let mut first: BTreeMap<Vec<String>, usize> = BTreeMap::new();
        for (entity, id) in self.entities.iter().enumerate().filter(|(entity, _)| counts[*entity].0 > 0) {
            let keys = id_keys(id);
            let other = keys.iter().filter_map(|key| first.get(key).copied()).min().unwrap_or(entity);
            keys.into_iter().for_each(|key| {
                first.entry(key).or_insert(other);
            });
            let is_new = known == 0 || (other < known && known <= entity);
            if other == entity || !is_new {
                continue;
            }
            let (other_id, [other, count]) =
                (&self.entities[other], [other, entity].map(|one| counts[one].0));
            let (line, column) = counts[entity].1;
            let position = Position::new(&self.source, line, column);
            diagnostics.add(Code::IdsAlike, Some(position), self.id.clone(), || {
                let of = |count| plural(count, "mention", "mentions");
                format!(
                    "`{id}` ({}) and `{other_id}` ({}) {}; they were read as two entities",
                    of(count),
                    of(other),
                    difference(id, other_id)
                )
            });
        }
        if known == 0 {
            self.report_ids_within(&counts, &first, diagnostics);
            self.report_other_id(&counts, &first, diagnostics);
        }
    }

    /// Warns about an entity with a single mention whose id differs in form from all others, which contain numbers: `l`
    /// or `1a` where all other ids are numbers. `first` maps the keys of ids (see [`id_keys`]) to entities.
    fn report_other_id(
        &self,
        counts: &[(usize, (u32, u32))],
        first: &BTreeMap<Vec<String>, usize>,
        diagnostics: &mut Diagnostics,
    ) {
        const FEWEST: usize = 2;
        let mut forms: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for entity in (0..self.entities.len()).filter(|&entity| counts[entity].0 > 0) {
            forms.entry(id_form(&self.entities[entity])).or_default().push(entity);
            if forms.len() > 2 {
                return;
            }
        }
        let other = forms.iter().find(|(_, entities)| entities.len() == 1 && counts[entities[0]].0 == 1);
        let Some((form, &[entity])) = other.map(|(form, entities)| (form, entities.as_slice())) else {
            return;
        };
        let Some((most, entities)) = forms.iter().find(|(most, _)| *most != form) else { return };
        let is_alike = id_keys(&self.entities[entity]).iter().any(|key| first.get(key) != Some(&entity));
        let (line, column) = counts[entity].1;
        let position = Position::new(&self.source, line, column);
        // One warning about this mention is enough.
        let mut warnings =
            diagnostics.groups().iter().filter(|group| group.code.severity() == Severity::Warning);
        let is_reported = warnings
            .any(|group| group.kept.iter().any(|finding| finding.position.as_ref() == Some(&position)));
        if entities.len() < FEWEST || !most.contains('0') || is_alike || is_reported {
            return;
        }
        diagnostics.add(Code::IdsAlike, Some(position), self.id.clone(), || {
            let (id, known) = (&self.entities[entity], &self.entities[entities[0]]);
            format!(
                "`{id}` (1 mention) is written differently from all other ids, such as `{known}`; it was read as another entity"
            )
        });
    }

    /// Warns about entities whose ids contain the ids of others, such as `1,2`. This cannot happen in `pipe`, whose
    /// lines are joined.
    fn report_ids_within(
        &self,
        counts: &[(usize, (u32, u32))],
        first: &BTreeMap<Vec<String>, usize>,
        diagnostics: &mut Diagnostics,
    ) {
        let is_listed = matches!(self.body, AnswerBody::Strings { .. });
        for (entity, id) in self.entities.iter().enumerate().filter(|(entity, _)| counts[*entity].0 > 0) {
            let of_part = |part: &str| id_keys(part).iter().find_map(|key| first.get(key).copied());
            let others: Option<Vec<usize>> = ids_within(id, is_listed).into_iter().map(of_part).collect();
            let Some(others) = others.filter(|others| !others.contains(&entity)) else { continue };
            if others.iter().collect::<BTreeSet<_>>().len() < 2 {
                continue;
            }
            let (count, (line, column)) = counts[entity];
            let position = Position::new(&self.source, line, column);
            diagnostics.add(Code::IdsAlike, Some(position), self.id.clone(), || {
                let count = plural(count, "mention", "mentions");
                let names: Vec<_> =
                    others.iter().map(|&other| format!("`{}`", self.entities[other])).collect();
                let names = names.join(" and ");
                format!("`{id}` ({count}) contains the ids {names}; it was read as another entity")
            });
        }
    }
}

/// Splits an id at punctuation, and drops a leading word for an entity. Names may contain spaces and hyphens, and names
/// in a list of strings any sign, so parts between these must contain a digit.
fn ids_within(id: &str, is_listed: bool) -> Vec<&str> {
    let is_sign = |c: char| matches!(c, ',' | ';' | '|' | '+' | '/' | '&');
    let is_weak = |c: char| matches!(c, '-' | '–' | '_') || c.is_whitespace();
    let split = |is_separator: &dyn Fn(char) -> bool| {
        let parts = id.split(is_separator).map(|part| part.trim().trim_start_matches('#'));
        parts.filter(|part| !part.is_empty()).collect::<Vec<_>>()
    };
    let has_digit = |part: &str| part.contains(|c: char| c.is_numeric());
    let by_signs = split(&is_sign);
    if by_signs.len() > 1 && (!is_listed || by_signs.iter().all(|part| has_digit(part))) {
        return by_signs;
    }
    let mut parts = split(&|c| is_sign(c) || is_weak(c));
    parts.retain(|part| !matches!(part.to_lowercase().as_str(), "and" | "or"));
    if parts.len() > 2 && PREFIXES.contains(&parts[0].to_lowercase().as_str()) {
        parts.remove(0);
    }
    if parts.iter().all(|part| has_digit(part)) { parts } else { Vec::new() }
}

/// The words for an entity that a model may put before the number or name in some of its ids.
const PREFIXES: [&str; 11] =
    ["entity", "ent", "e", "cluster", "c", "chain", "coref", "set", "group", "id", "x"];

/// Returns the letters and numbers of an id, in lower case, without leading zeros and without a leading word for an
/// entity. There are two variants: the word ends at punctuation (`entity_Ines`), or punctuation within it is
/// ignored (`ent ity 1`). Ids that share a variant are similar.
fn id_keys(id: &str) -> [Vec<String>; 2] {
    let parts = id_parts(id);
    let joined = joined_letters(parts.clone());
    let keys = [joined_letters(without_prefix(parts)), without_prefix(joined)];
    keys.map(|key| if key.is_empty() { vec![id.to_owned()] } else { key })
}

fn without_prefix(mut parts: Vec<String>) -> Vec<String> {
    if parts.len() > 1 && PREFIXES.contains(&parts[0].as_str()) {
        parts.remove(0);
    }
    parts
}

/// Joins adjacent parts that consist of letters.
fn joined_letters(parts: Vec<String>) -> Vec<String> {
    let is_number = |part: &str| part.starts_with(char::is_numeric);
    let mut joined: Vec<String> = Vec::new();
    for part in parts {
        match joined.last_mut().filter(|last| !is_number(last) && !is_number(&part)) {
            Some(last) => last.push_str(&part),
            None => joined.push(part),
        }
    }
    joined
}

/// Splits an id into runs of letters and of digits. A space does not separate digits.
fn id_parts(id: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut last = None;
    // `2.0` is one way to write the number 2 in JSON.
    let whole = id.strip_suffix(".0").filter(|whole| whole.bytes().all(|byte| byte.is_ascii_digit()));
    for character in whole.unwrap_or(id).nfkc().flat_map(char::to_lowercase) {
        // Punctuation separates parts. It is a part itself if the id contains nothing else.
        let kind = match character {
            _ if character.is_numeric() => Some(true),
            _ if character.is_alphanumeric() || is_combining_mark(character) => Some(false),
            _ => None,
        };
        match (kind, parts.last_mut()) {
            (Some(_), Some(part)) if kind == last => part.push(character),
            (Some(_), _) => parts.push(character.into()),
            (None, _) => {}
        }
        let is_within_digits = last == Some(true) && character.is_whitespace();
        last = if is_within_digits { last } else { kind };
    }
    for part in &mut parts {
        let zeros = part.len() - part.trim_start_matches('0').len();
        part.drain(..zeros.min(part.len() - 1));
    }
    parts
}

/// Returns the form of an id: its letters, and `0` for each number.
fn id_form(id: &str) -> String {
    let mut form = String::new();
    for part in id_parts(id) {
        let number = part.starts_with(char::is_numeric);
        if !(number && form.ends_with('0')) {
            form.push_str(if number { "0" } else { &part });
        }
    }
    form
}

/// Describes how two similar ids differ.
fn difference(one: &str, other: &str) -> &'static str {
    let lower = |id: &str| id.to_lowercase();
    let letters = |id: &str| {
        id.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>()
    };
    if one == other {
        "are the same name"
    } else if one.strip_suffix(".0") == Some(other) || other.strip_suffix(".0") == Some(one) {
        "are the same number"
    } else if lower(one) == lower(other) {
        "differ only in letter case"
    } else if letters(one) == letters(other) {
        "differ only in punctuation or spaces"
    } else if [one, other].iter().all(|id| id.starts_with(|c: char| c.is_ascii_digit())) {
        "differ only in leading zeros"
    } else {
        "differ only in spelling"
    }
}

impl MarkedText {
    /// Returns line and column of an offset.
    pub fn place(&self, offset: u32) -> (u32, u32) {
        let after = self.places.partition_point(|place| place.0 <= offset);
        let (start, line, column) = self.places[..after].last().copied().unwrap_or((offset, 0, 0));
        (line, if column == 0 { 0 } else { column + offset - start })
    }

    /// Adds the text of another document as further blocks.
    pub fn append(&mut self, other: MarkedText, entities: &[u32]) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        let base = self.text.len() as u32;
        let zeros = self.zeros.len() as u32;
        self.text.push_str(&other.text);
        self.places.extend(other.places.iter().map(|&(start, line, column)| (start + base, line, column)));
        self.blocks.extend(other.blocks.iter().map(|start| start + base));
        self.doubts.extend(other.doubts.into_iter().map(|doubt| Doubt {
            start: doubt.start + base,
            end: doubt.end + base,
            ..doubt
        }));
        self.marks.extend(other.marks.iter().map(|mark| Mark {
            start: mark.start + base,
            end: mark.end + base,
            zeros: mark.zeros.map(|(first, last)| (first + zeros, last + zeros)),
            entity: entities[mark.entity as usize],
            ..*mark
        }));
        self.zeros.extend(other.zeros.iter().map(|zero| ZeroMark { at: zero.at + base, ..*zero }));
        self.underscores |= other.underscores;
        self.whole_words |= other.whole_words;
        self.unwrapped = self.unwrapped.or(other.unwrapped);
    }
}

/// A level at which texts agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TextLevel {
    /// The words are the same.
    Words,
    /// The characters are the same, apart from whitespace, case and variants of punctuation.
    Characters,
    /// Enough pieces of the text are the same.
    Text,
}

/// The alignment of a response's texts with the key's.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TextAlignment {
    /// The coarsest level at which any document agrees.
    pub level: Option<TextLevel>,
    /// The notation of the answers, `Auto` for several; `None` without an answer.
    pub notation: Option<Notation>,
    /// The minimum share, over all documents, of a document's pieces that the key contains.
    pub aligned: Option<f64>,
}

impl TextAlignment {
    /// Returns how this response and others were aligned.
    #[must_use]
    pub fn and(self, other: TextAlignment) -> TextAlignment {
        TextAlignment {
            level: self.level.max(other.level),
            notation: match (self.notation, other.notation) {
                (Some(one), Some(other)) if one != other => Some(Notation::Auto),
                (one, other) => one.or(other),
            },
            aligned: match (self.aligned, other.aligned) {
                (Some(one), Some(other)) => Some(one.min(other)),
                (one, other) => one.or(other),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_similar_by_their_letters_and_numbers() {
        let similar = |one, other| id_keys(one).iter().any(|key| id_keys(other).contains(key));
        #[rustfmt::skip]
        let pairs = [
            ("Boat", "boat"), ("2", "02"), ("2", "cluster_2"), ("entity 1", "entity_1"), ("entity 1", "Entity-01"),
            ("e1", "E1"), ("e1", "1"), ("e1", "entity1"), ("#1", "1"), ("1", "1."), ("Ines", "entity_Ines"), ("0", "00"),
            ("the_boat", "the boat"), ("Ines", "Ines "), ("CAFÉ", "cafe\u{301}"), ("２", "2"), ("“1", "1"), ("2", "2.0"),
            ("ent ity 1", "entity 1"), ("e'ntity 01", "entity 1"), ("entity0 2", "entity 02"), ("her_boat", "herboat"),
        ];
        for (one, other) in pairs {
            assert!(similar(one, other), "{one} {other}");
        }
        #[rustfmt::skip]
        let pairs = [
            ("2", "12"), ("1", "10"), ("0", "1"), ("1-2", "12"), ("1-2", "2-1"), ("1.0.0", "1"), ("e", "c"), ("e1", "e2"), ("a1", "b1"),
            ("person_1", "place_1"), ("her", "here"), ("boat", "boats"), ("*", "+"), ("🚤", "⛵"), ("他", "她"), ("person_1", "1"),
        ];
        for (one, other) in pairs {
            assert!(!similar(one, other), "{one} {other}");
        }
    }

    /// The result does not depend on order and grouping.
    #[test]
    fn several_notations_are_recorded_as_auto() {
        let of = |notation| TextAlignment { notation, ..TextAlignment::default() };
        let [none, link, hash] = [None, Some(Notation::Link), Some(Notation::Hash)].map(of);
        assert_eq!(none.and(link).and(none).and(link).notation, Some(Notation::Link));
        for three in [link.and(hash).and(link), link.and(hash.and(none)), none.and(link.and(hash)).and(hash)]
        {
            assert_eq!(three.notation, Some(Notation::Auto));
        }
    }
}
