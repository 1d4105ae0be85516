//! Divides plain text into words and builds mentions from runs of words, for all formats with stand-off annotation.
//!
//! Key and response must have the same words for any annotation. Words are therefore small: a run of letters and
//! digits, or any other character except spaces. Each character is a word in scripts without spaces between words
//! (such as Chinese, Japanese and Thai), and in Korean, where particles attach to the noun. Mentions that start or end
//! inside a word are extended to the whole word and counted.

use std::ops::Range;

use crate::model::{EntityId, Mention, MentionDetails, Span, Words, WordsBuilder};

/// A text with its words. Characters are counted from 0, line ends included.
pub(super) struct PlainText {
    text: String,
    /// The byte where each character starts, and the end.
    bytes: Vec<u32>,
    /// The range of characters of each word.
    words: Vec<Range<u32>>,
}

impl PlainText {
    /// Finds the words. A byte order mark is a character, as in the annotation tools, but not a word.
    pub(super) fn new(text: String) -> PlainText {
        let mut bytes = Vec::with_capacity(text.len() + 1);
        let mut words: Vec<Range<u32>> = Vec::new();
        let mut joins = false;
        for (place, (byte, character)) in (0..).zip(text.char_indices()) {
            bytes.push(byte as u32);
            match kind(character) {
                CharacterKind::Blank => joins = false,
                CharacterKind::Alone => {
                    words.push(place..place + 1);
                    joins = false;
                }
                CharacterKind::Joined => {
                    match words.last_mut() {
                        Some(last) if joins => last.end = place + 1,
                        _ => words.push(place..place + 1),
                    }
                    joins = true;
                }
                CharacterKind::Mark => match words.last_mut() {
                    Some(last) if last.end == place => last.end = place + 1,
                    _ => words.push(place..place + 1),
                },
            }
        }
        bytes.push(text.len() as u32);
        PlainText { text, bytes, words }
    }

    /// Returns the number of characters.
    pub(super) fn len(&self) -> u32 {
        self.bytes.len() as u32 - 1
    }

    /// Returns the characters of a range that lies within the text.
    pub(super) fn slice(&self, range: &Range<u32>) -> &str {
        &self.text[self.bytes[range.start as usize] as usize..self.bytes[range.end as usize] as usize]
    }

    /// Returns the words that overlap the range, and whether all of them lie within it.
    pub(super) fn words_in(&self, range: &Range<u32>) -> Option<(Span, bool)> {
        let start = self.words.partition_point(|word| word.end <= range.start);
        let end = self.words.partition_point(|word| word.start < range.end);
        let span = Span::new(start as u32, end as u32)?;
        let whole = self.words[start].start >= range.start && self.words[end - 1].end <= range.end;
        Some((span, whole))
    }

    /// Returns the words of the document, whose text is in another file. Each line is a sentence.
    pub(super) fn to_words(&self, keep_layers: bool) -> Words {
        let breaks = |between: &Range<u32>| self.slice(between).contains('\n');
        self.to_words_by(keep_layers, Some(breaks), |_| 0)
    }

    /// Returns the words of the document. `breaks` returns whether a sentence ends between two words, if sentences are
    /// known. `line` returns the line of a character in the document's file.
    pub(super) fn to_words_by(
        &self,
        keep_layers: bool,
        breaks: Option<impl Fn(&Range<u32>) -> bool>,
        line: impl Fn(u32) -> u32,
    ) -> Words {
        let mut words = match breaks {
            Some(_) => WordsBuilder::new(keep_layers),
            None => WordsBuilder::without_sentences(keep_layers),
        };
        let mut after = 0;
        for word in &self.words {
            if breaks.as_ref().is_some_and(|breaks| breaks(&(after..word.start))) {
                words.end_sentence();
            }
            after = word.end;
            let form = self.slice(word);
            words.push(form.as_bytes());
            if let Some(layers) = words.layers_mut() {
                layers.form.push(form);
                layers.line.push(line(word.start));
            }
        }
        words.finish()
    }

    /// Returns the text of each word of a span.
    pub(super) fn forms(&self, span: Span) -> impl Iterator<Item = &str> {
        self.words[span.start() as usize..span.end() as usize].iter().map(|word| self.slice(word))
    }
}

/// The role of a character in a word.
enum CharacterKind {
    Blank,
    /// A word of one character.
    Alone,
    /// Part of a run of characters.
    Joined,
    /// Part of the character before it.
    Mark,
}

fn kind(character: char) -> CharacterKind {
    let code = character as u32;
    match character {
        _ if character.is_whitespace() => CharacterKind::Blank,
        '\u{FEFF}' => CharacterKind::Blank,
        _ if character.is_ascii() => match character.is_ascii_alphanumeric() {
            true => CharacterKind::Joined,
            false => CharacterKind::Alone,
        },
        // Accents, points and joiners. The vowel killers are at 4D of each Indic block.
        '\u{300}'..='\u{36F}' | '\u{591}'..='\u{5C7}' | '\u{64B}'..='\u{65F}' | '\u{200C}' | '\u{200D}' => {
            CharacterKind::Mark
        }
        '\u{900}'..='\u{DFF}' if code & 0x7F == 0x4D || code & 0x7F == 0x3C => CharacterKind::Mark,
        '\u{E00}'..='\u{109F}'
        | '\u{1780}'..='\u{17FF}'
        | '\u{3040}'..='\u{30FF}'
        | '\u{31F0}'..='\u{31FF}'
        | '\u{3400}'..='\u{9FFF}'
        | '\u{AC00}'..='\u{D7A3}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{FF66}'..='\u{FF9F}'
        | '\u{20000}'..='\u{3FFFF}' => CharacterKind::Alone,
        _ if character.is_alphanumeric() => CharacterKind::Joined,
        _ => CharacterKind::Alone,
    }
}

/// Sorts runs and joins runs that touch or overlap.
pub(super) fn joined(mut parts: Vec<Span>) -> Vec<Span> {
    parts.sort_by_key(|part| part.sort_key());
    let mut runs: Vec<Span> = Vec::with_capacity(parts.len());
    for part in parts {
        match runs.last_mut() {
            Some(last) if part.start() <= last.end() => {
                *last = Span::new(last.start(), last.end().max(part.end())).unwrap_or(*last);
            }
            _ => runs.push(part),
        }
    }
    runs
}

/// Creates a mention over runs of words from [`joined`]; `None` if there are no runs.
pub(super) fn mention(
    runs: Vec<Span>,
    entity: EntityId,
    (line, column): (u32, u32),
    attributes: Vec<(String, String)>,
) -> Option<Mention> {
    let span = Span::new(runs.first()?.start(), runs.last()?.end())?;
    let mention = Mention::new(span, entity, line, column);
    if runs.len() == 1 && attributes.is_empty() {
        return Some(mention);
    }
    let parts = if runs.len() == 1 { Vec::new() } else { runs };
    mention.with_details(MentionDetails { parts, attributes, ..MentionDetails::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let text = PlainText::new(text.to_owned());
        text.words.iter().map(|word| text.slice(word).to_owned()).collect()
    }

    #[test]
    fn words_are_runs_of_letters_and_single_signs() {
        assert_eq!(words("Mary's boat,\nno. 27"), ["Mary", "'", "s", "boat", ",", "no", ".", "27"]);
        assert_eq!(words("e\u{301}te\u{301} naïve"), ["e\u{301}te\u{301}", "naïve"]);
        assert_eq!(words("彼女は Ada"), ["彼", "女", "は", "Ada"]);
        assert_eq!(words("\u{FEFF}a🙂b"), ["a", "🙂", "b"]);
        assert_eq!(words("क्षेत्र"), ["क्षेत्र"]);
    }

    #[test]
    fn a_range_covers_the_words_that_it_touches() {
        let text = PlainText::new("Łódź is a city".to_owned());
        assert_eq!(text.words_in(&(0..4)), Some((Span::word(0), true)));
        assert_eq!(text.words_in(&(2..7)), Span::new(0, 2).map(|span| (span, false)));
        assert_eq!(text.words_in(&(4..5)), None);
        assert_eq!(text.words_in(&(4..8)), Some((Span::word(1), true)));
    }

    #[test]
    fn adjacent_runs_are_joined() {
        let span = |start, end| Span::new(start, end).expect("a span");
        assert_eq!(joined(vec![span(4, 6), span(0, 2), span(2, 3), span(5, 9)]), [span(0, 3), span(4, 9)]);
    }
}
