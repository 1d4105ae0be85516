//! Prepares texts for comparison, as words, normalised characters or pieces.

use std::ops::Range;

use rustc_hash::FxHashMap;
use unicode_normalization::char::{decompose_compatible, is_combining_mark};

use crate::model::{Document, Words};

/// A word of the key's text, or a multiword token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WordUnit<'t> {
    /// The word or token as written.
    pub(super) form: &'t str,
    /// The first word of the unit, counted over the document.
    pub(super) first: u32,
    /// The last word of the unit.
    pub(super) last: u32,
}

/// Returns the words of a document's text, without empty nodes. Multiword tokens are kept as written if
/// `surfaces` is set.
pub(super) fn units(words: &Words, surfaces: bool) -> Vec<WordUnit<'_>> {
    let Some(layers) = words.layers() else { return Vec::new() };
    let mut units = Vec::with_capacity(words.count() as usize);
    let mut tokens = layers.surfaces.iter().peekable();
    let mut word = 0;
    while word < words.count() {
        while tokens.next_if(|token| token.0.start() < word).is_some() {}
        if let Some((span, form)) = tokens.peek().filter(|token| surfaces && token.0.start() == word) {
            units.push(WordUnit { form, first: word, last: span.last() });
            word = span.end();
            continue;
        }
        if !words.is_empty_node(word) {
            let form = layers.form.get(word as usize).unwrap_or_default();
            units.push(WordUnit { form, first: word, last: word });
        }
        word += 1;
    }
    units
}

/// A character in the form in which it is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Folded {
    /// The normalised character.
    pub(super) character: char,
    /// Its start in the original text, in bytes.
    pub(super) start: u32,
    /// Its end in the original text, in bytes, exclusive.
    pub(super) end: u32,
}

/// The normalised form of quotation marks.
const QUOTE: char = '\'';
/// The normalised form of dashes.
const DASH: char = '-';

/// Returns whether a character is ignored because it only formats others.
fn is_format(character: char) -> bool {
    matches!(character,
        '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}')
}

/// Returns whether a character belongs to a script without spaces between words.
fn is_without_blanks(character: char) -> bool {
    matches!(character,
        '\u{0E00}'..='\u{0EFF}' | '\u{0F00}'..='\u{0FFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}'
        | '\u{2E80}'..='\u{2FDF}' | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}'
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{FF66}'..='\u{FF9D}'
        | '\u{20000}'..='\u{3FFFF}')
}

/// The spelling of brackets in the Penn Treebank.
const PENN: [(&str, char); 6] =
    [("-lrb-", '('), ("-rrb-", ')'), ("-lsb-", '['), ("-rsb-", ']'), ("-lcb-", '{'), ("-rcb-", '}')];

/// Returns the bracket that a text starts with, in the spelling of the Penn Treebank.
fn penn(text: &str) -> Option<char> {
    let first = text.as_bytes().first_chunk::<5>()?;
    PENN.iter().find(|(spelling, _)| first.eq_ignore_ascii_case(spelling.as_bytes())).map(|row| row.1)
}

/// Passes the normalised form of a character to `push`.
fn fold_character(character: char, mut push: impl FnMut(char)) {
    if character.is_ascii() {
        match character {
            '"' | '`' | '\'' => push(QUOTE),
            _ if character.is_ascii_control() || character == ' ' => {}
            _ => push(character.to_ascii_lowercase()),
        }
        return;
    }
    match character {
        '\u{AB}'
        | '\u{BB}'
        | '\u{B4}'
        | '\u{2018}'..='\u{201F}'
        | '\u{2032}'..='\u{2037}'
        | '\u{2039}'
        | '\u{203A}'
        | '\u{300C}'..='\u{300F}'
        | '\u{301D}'..='\u{301F}'
        | '\u{FF02}'
        | '\u{FF07}'
        | '\u{2BC}' => push(QUOTE),
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{FE58}' | '\u{FE63}' | '\u{FF0D}' => push(DASH),
        _ if is_format(character) => {}
        _ => decompose_compatible(character, |part| {
            for upper in part.to_uppercase() {
                for lower in upper.to_lowercase() {
                    if !lower.is_whitespace() && !lower.is_control() && !is_format(lower) {
                        push(lower);
                    }
                }
            }
        }),
    }
}

/// Returns whether a character may be written as several characters, or several as one.
fn is_in_runs(character: char) -> bool {
    character == QUOTE || character == DASH
}

/// Returns how many times a character may be repeated within one sign: `''` is a quote, and `---` a dash.
fn most_in_sign(character: char) -> u32 {
    match character {
        '\'' | '`' => 2,
        '-' | '\u{2013}' | '\u{2014}' => u32::MAX,
        _ => 1,
    }
}

/// Returns the normalised characters of a text: without spaces, capitals and variants of punctuation. No sign
/// crosses `cuts`, which are sorted. `offset` is added to all places.
pub(super) fn fold(text: &str, offset: u32, underscores: bool, cuts: &[u32], folded: &mut Vec<Folded>) {
    let mut rest = text.char_indices();
    // The last punctuation mark: its character, its end, and how often it is repeated.
    let mut sign = ('\0', 0, 0);
    while let Some((place, character)) = rest.next() {
        let mut end = (place + character.len_utf8()) as u32 + offset;
        let start = place as u32 + offset;
        if character == '_' && underscores {
            continue;
        }
        if character == '-'
            && let Some(bracket) = penn(&text[place..])
        {
            rest.nth(3);
            end += 4;
            folded.push(Folded { character: bracket, start, end });
            continue;
        }
        let times = match sign {
            (before, at, times) if before == character && at == start => times + 1,
            _ => 1,
        };
        let joins = times > 1 && times <= most_in_sign(character) && cuts.binary_search(&start).is_err();
        sign = (character, end, if joins { times } else { 1 });
        if joins && let Some(last) = folded.last_mut() {
            last.end = end;
            continue;
        }
        fold_character(character, |character| folded.push(Folded { character, start, end }));
    }
}

/// Returns a text in lower case and without spaces.
pub(super) fn folded_string(text: &str, underscores: bool) -> String {
    let mut folded = Vec::new();
    fold(text, 0, underscores, &[], &mut folded);
    folded.dedup_by(|next, last| next.character == last.character && is_in_runs(last.character));
    folded.into_iter().map(|folded| folded.character).collect()
}

/// A piece of a text: a run of letters and digits, a punctuation mark, or a character of a script without spaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextPiece {
    /// The number of the piece.
    pub(super) symbol: u32,
    /// The start of the piece, in bytes.
    pub(super) start: u32,
    /// One past the end of the piece.
    pub(super) end: u32,
}

/// The numbers of pieces. Equal pieces have the same number.
#[derive(Debug, Default)]
pub(super) struct Symbols(FxHashMap<String, u32>);

impl Symbols {
    fn number(&mut self, piece: &str) -> u32 {
        match self.0.get(piece) {
            Some(&number) => number,
            None => {
                let number = self.0.len() as u32;
                self.0.insert(piece.to_owned(), number);
                number
            }
        }
    }

    /// Cuts a text into pieces. `offset` is added to all places.
    pub(super) fn pieces(&mut self, text: &str, offset: u32, underscores: bool, pieces: &mut Vec<TextPiece>) {
        let mut characters = text.char_indices().peekable();
        let mut piece = String::new();
        while let Some((place, character)) = characters.next() {
            let blank = character.is_whitespace() || (character == '_' && underscores);
            if blank || character.is_control() || is_format(character) {
                continue;
            }
            let mut end = place + character.len_utf8();
            piece.clear();
            if let Some(bracket) = penn(&text[place..]).filter(|_| character == '-') {
                end = place + 5;
                while characters.next_if(|next| next.0 < end).is_some() {}
                piece.push(bracket);
            } else {
                fold_character(character, |part| piece.push(part));
                let sign = piece.clone();
                let is_run = |next: char| match sign.as_str() {
                    "'" | "-" | "." | "..." => {
                        let mut folded = String::new();
                        fold_character(next, |part| folded.push(part));
                        !folded.is_empty() && folded.chars().next() == sign.chars().next()
                    }
                    _ => false,
                };
                if is_letter(character) {
                    while let Some((place, next)) =
                        characters.next_if(|&(_, next)| is_letter(next) || is_format(next))
                    {
                        fold_character(next, |part| piece.push(part));
                        end = place + next.len_utf8();
                    }
                } else {
                    let mut run = false;
                    while let Some((place, next)) = characters.next_if(|&(_, next)| is_run(next)) {
                        run = true;
                        end = place + next.len_utf8();
                    }
                    // Two or more dots are an ellipsis.
                    if sign == "..." || (run && sign == ".") {
                        piece = "\u{2026}".to_owned();
                    }
                }
            }
            if piece.is_empty() {
                continue;
            }
            let symbol = self.number(&piece);
            pieces.push(TextPiece { symbol, start: place as u32 + offset, end: end as u32 + offset });
        }
    }
}

/// Returns whether a character continues a piece.
fn is_letter(character: char) -> bool {
    (character.is_alphanumeric() || is_combining_mark(character)) && !is_without_blanks(character)
}

/// The key's text as characters, each with its unit.
#[derive(Debug)]
pub(super) struct KeyCharacters {
    /// The characters.
    pub(super) characters: Vec<char>,
    /// The first and the last unit that each character comes from.
    pub(super) units: Vec<(u32, u32)>,
}

impl KeyCharacters {
    /// Normalises the characters of units.
    pub(super) fn new(units: &[WordUnit<'_>], underscores: bool) -> KeyCharacters {
        let (mut characters, mut of_units): (Vec<char>, Vec<(u32, u32)>) = (Vec::new(), Vec::new());
        let mut folded: Vec<Folded> = Vec::new();
        for (number, unit) in (0u32..).zip(units) {
            folded.clear();
            fold(unit.form, 0, underscores, &[], &mut folded);
            characters.extend(folded.iter().map(|folded| folded.character));
            of_units.resize(characters.len(), (number, number));
        }
        KeyCharacters { characters, units: of_units }
    }

    /// Pairs the characters of the key with the characters of an answer one to one. Returns `None` if they differ. A
    /// run of quotes, or of dashes, counts as one character if the two runs have different lengths.
    pub(super) fn paired(&self, answer: &[Folded]) -> Option<(Vec<Folded>, KeyCharacters)> {
        let mut paired =
            (Vec::with_capacity(answer.len()), KeyCharacters { characters: Vec::new(), units: Vec::new() });
        let (mut ours, mut theirs) = (0, 0);
        while let (Some(&folded), Some(&character)) = (answer.get(ours), self.characters.get(theirs)) {
            if folded.character != character {
                return None;
            }
            let (mut length, mut of_key) = (1, 1);
            if is_in_runs(character) {
                length = answer[ours..].iter().take_while(|folded| folded.character == character).count();
                of_key = self.characters[theirs..].iter().take_while(|&&next| next == character).count();
            }
            let (run, units) = (&answer[ours..ours + length], &self.units[theirs..theirs + of_key]);
            if length == of_key {
                paired.0.extend_from_slice(run);
                paired.1.units.extend_from_slice(units);
            } else {
                paired.0.push(Folded { end: run[length - 1].end, ..folded });
                paired.1.units.push((units[0].0, units[of_key - 1].1));
            }
            paired.1.characters.resize(paired.0.len(), character);
            (ours, theirs) = (ours + length, theirs + of_key);
        }
        (ours == answer.len() && theirs == self.characters.len()).then_some(paired)
    }
}

/// Returns the range of places that a range of offsets covers, by their starts and ends.
pub(super) fn covered<T>(
    all: &[T],
    start: u32,
    end: u32,
    place: impl Fn(&T) -> (u32, u32),
) -> Option<Range<usize>> {
    let first = all.partition_point(|item| place(item).1 <= start);
    let last = all.partition_point(|item| place(item).0 < end);
    (first < last).then_some(first..last)
}

/// Returns the units of a document's text, each with whether a space precedes it: as in the file, otherwise with the
/// usual spacing.
fn spaced_units(words: &Words, surfaces: bool) -> Vec<(WordUnit<'_>, bool)> {
    let units = units(words, surfaces);
    let starts = starts(words, &units, known_spacing(words).unwrap_or(Spacing::Usual));
    let mut end = 0;
    let spaced = units.into_iter().zip(starts).map(|(unit, start)| {
        let is_apart = start > end;
        end = start + unit.form.chars().count() as u32;
        (unit, is_apart)
    });
    spaced.collect()
}

/// Returns the words of a document as a text, with the spaces of the file, otherwise with the usual spacing.
pub fn running_text(document: &Document) -> String {
    let words = document.words();
    let sentences = words.sentences();
    let mut text = String::new();
    for (unit, is_apart) in spaced_units(words, true) {
        if is_apart {
            text.push(if sentences.binary_search(&unit.first).is_ok() { '\n' } else { ' ' });
        }
        text.push_str(unit.form);
    }
    text
}

/// Returns the sentences of a document, each with its number from 0, spaced as in [`running_text`]. A token whose
/// spelling differs from its words is given as these words, separated by spaces, because strings without positions
/// are compared with words.
pub fn running_sentences(document: &Document) -> Vec<(u32, String)> {
    let words = document.words();
    let Some(layers) = words.layers() else { return Vec::new() };
    let form = |word: u32| layers.form.get(word as usize).unwrap_or_default();
    let mut tokens = layers.surfaces.iter().peekable();
    let mut sentences: Vec<(u32, String)> = Vec::new();
    for (unit, is_apart) in spaced_units(words, false) {
        while tokens.next_if(|token| token.0.end() <= unit.first).is_some() {}
        let is_apart = is_apart
            || tokens.peek().is_some_and(|(span, surface)| {
                let of_words = (span.start()..span.end()).map(form).collect::<String>();
                span.start() < unit.first && of_words != *surface
            });
        let number = words.sentence_of(unit.first);
        match sentences.last_mut().filter(|sentence| sentence.0 == number) {
            Some((_, text)) => {
                text.push_str(if is_apart { " " } else { "" });
                text.push_str(unit.form);
            }
            None => sentences.push((number, unit.form.to_owned())),
        }
    }
    sentences
}

/// The spacing of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spacing {
    /// The spaces of the file.
    Known,
    /// Single spaces between all words.
    Single,
    /// The usual spacing, without spaces next to punctuation.
    Usual,
}

/// Returns the spacing of a text that has its own.
pub(super) fn known_spacing(words: &Words) -> Option<Spacing> {
    words.layers().is_some_and(|layers| layers.joined.is_some()).then_some(Spacing::Known)
}

/// Returns the start of each unit, in characters, in the text that the units form.
pub(super) fn starts(words: &Words, units: &[WordUnit<'_>], spacing: Spacing) -> Vec<u32> {
    let joined = words.layers().and_then(|layers| layers.joined.as_deref()).unwrap_or_default();
    let (mut starts, mut at) = (Vec::with_capacity(units.len()), 0u32);
    let mut open_quote = false;
    let mut glue = true;
    for unit in units {
        let quote = matches!(unit.form, "\"" | "'");
        let tight = match spacing {
            Spacing::Single | Spacing::Known => false,
            Spacing::Usual if quote => open_quote,
            Spacing::Usual => closes(unit.form),
        };
        if !(glue || tight) {
            at += 1;
        }
        starts.push(at);
        at += unit.form.chars().count() as u32;
        glue = match spacing {
            Spacing::Single => false,
            Spacing::Known => joined.binary_search(&unit.last).is_ok(),
            Spacing::Usual if quote => {
                open_quote = !open_quote;
                open_quote
            }
            Spacing::Usual => opens(unit.form),
        };
    }
    starts
}

/// Returns whether a word attaches to the previous one without a space.
fn closes(form: &str) -> bool {
    let sign = matches!(
        form,
        "." | ","
            | ";"
            | ":"
            | "!"
            | "?"
            | ")"
            | "]"
            | "}"
            | "%"
            | "''"
            | "\u{201D}"
            | "\u{2019}"
            | "..."
            | "\u{2026}"
            | "\u{BB}"
            | "-RRB-"
            | "-RSB-"
            | "-RCB-"
    );
    let lower = form.to_lowercase();
    sign || matches!(lower.as_str(), "n't" | "n\u{2019}t")
        || lower
            .strip_prefix(['\'', '\u{2019}'])
            .is_some_and(|rest| matches!(rest, "s" | "m" | "d" | "re" | "ve" | "ll"))
}

/// Returns whether a word attaches to the next one without a space.
fn opens(form: &str) -> bool {
    matches!(form, "(" | "[" | "{" | "``" | "\u{201C}" | "\u{2018}" | "$" | "#" | "\u{AB}" | "-LRB-" | "-LSB-" | "-LCB-")
        // Elided articles and pronouns: l', qu', n'.
        || (form.starts_with(char::is_alphanumeric) && form.ends_with(['\'', '\u{2019}']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        Symbols::default().pieces(text, 0, false, &mut found);
        found.iter().map(|piece| &text[piece.start as usize..piece.end as usize]).collect()
    }

    #[test]
    fn texts_are_cut_into_words_signs_and_characters() {
        assert_eq!(
            pieces("It's 10,5 e\u{301}t\u{e9}."),
            ["It", "'", "s", "10", ",", "5", "e\u{301}t\u{e9}", "."]
        );
        assert_eq!(pieces("\u{6211}\u{662f}A\u{738b}"), ["\u{6211}", "\u{662f}", "A", "\u{738b}"]);
        assert_eq!(pieces("so ... \u{2026} -- -LRB-x"), ["so", "...", "\u{2026}", "--", "-LRB-", "x"]);
    }

    #[test]
    fn spelling_does_not_count() {
        for (ours, theirs) in [
            ("`` It 's '' -LRB- a -RRB-", "\u{201c}it\u{2019}s\u{201d} (A)"),
            ("Stra\u{df}e \u{fb01}n", "STRASSE fin"),
            ("a -- b", "a \u{2014} b"),
            ("\u{2026}", "..."),
            ("a\u{200f}b", "ab"),
        ] {
            assert_eq!(folded_string(ours, false), folded_string(theirs, false), "{ours}");
        }
        assert_ne!(folded_string("New_York", false), folded_string("New York", false));
        assert_eq!(folded_string("New_York", true), folded_string("New York", true));
    }
}
