//! Reads tags after words: `her|[e1],[e2 boat|e2]`.

use std::collections::BTreeMap;
use std::ops::Range;

use super::scan::{Parsed, RawOutline, is_kind};
use crate::diagnostic::Code;
use crate::model::Notation;

/// A tag: its id, and whether it opens and closes a mention.
struct PipeTag<'t> {
    id: &'t str,
    opens: bool,
    closes: bool,
}

/// Finds the tags of all lines.
pub(super) fn parse(raw: &str, outline: &RawOutline, notation: Notation) -> Parsed {
    let mut parsed = Parsed { notation, ..Parsed::default() };
    for line in outline.lines() {
        let mut opens: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for word in words(raw, line) {
            read_word(raw, word, &mut opens, &mut parsed);
        }
        for (id, starts) in opens {
            for start in starts {
                let message =
                    format!("a mention of `{id}` opens but never closes in its line, which is a document");
                parsed.fault(start, Code::UnclosedMention, message);
            }
        }
    }
    parsed.sorted()
}

/// Splits a line into words. A space within tags does not separate words: `boat|[entity 1]`, `her|[e1], [e2`.
fn words(raw: &str, line: Range<usize>) -> Vec<Range<usize>> {
    let base = line.start;
    let text = &raw[line];
    let start = |word: &str| base + (word.as_ptr() as usize - text.as_ptr() as usize);
    let mut words: Vec<Range<usize>> = Vec::new();
    for word in text.split_whitespace() {
        let range = start(word)..start(word) + word.len();
        // Joins words around a bar with spaces: `her | [e1]`.
        if let [.., before, bar] = &mut words[..]
            && &raw[bar.clone()] == "|"
            && !raw[before.clone()].contains('|')
            && are_tags(word)
        {
            before.end = range.end;
            words.pop();
            continue;
        }
        let continues = |last: &&mut Range<usize>| {
            let last = &raw[last.start..last.end];
            is_continued(last, word) || is_parted(last, word)
        };
        match words.last_mut().filter(continues) {
            Some(last) => last.end = range.end,
            None => words.push(range),
        }
    }
    words
}

/// Returns whether a text consists of tags.
fn are_tags(text: &str) -> bool {
    tags_of(text).split([',', '-']).all(|item| tag(item).is_some())
}

/// Returns whether a space is on one side of a bar: `her| [e1]`, `her |[e1]`.
fn is_parted(word: &str, next: &str) -> bool {
    let (before, after) = (word.strip_suffix('|'), next.strip_prefix('|'));
    let is_plain = |word: &str| !word.is_empty() && !word.contains('|');
    before.is_some_and(is_plain) && are_tags(next) || is_plain(word) && after.is_some_and(are_tags)
}

/// Returns whether the tags of a word continue in the next word.
fn is_continued(word: &str, next: &str) -> bool {
    const LONGEST: usize = 1000;
    let Some(bar) = word.rfind('|').filter(|_| word.len() < LONGEST) else { return false };
    let tail = &word[bar + 1..];
    let Some(before) = tail.strip_suffix(',') else {
        let id = tail.rsplit([',', '-']).next().unwrap_or_default().trim_start();
        let name = id.trim_start_matches(['[', '(']);
        let number = tags_of(next).split(',').next().unwrap_or_default();
        let digits = number.trim_end_matches([']', ')']);
        let opens = name.len() < id.len() && !name.is_empty() && name.chars().all(char::is_alphabetic);
        let closes = digits.len() < number.len() && is_kind(name);
        return (opens || closes) && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    };
    let is_tag = |item: &str| tag(item).is_some();
    // The number of an id may follow after another space.
    let is_begun = |item: &str| is_tag(item) || item.strip_prefix(['[', '(']).is_some_and(is_kind);
    before.split([',', '-']).all(is_tag) && tags_of(next).split([',', '-']).all(is_begun)
}

/// Returns the tags at the start of a text, without punctuation after a closing bracket: `e2]` in `e2].`.
fn tags_of(text: &str) -> &str {
    let end = text.rfind([']', ')']).map_or(text.len(), |place| place + 1);
    let is_sign = |c: char| !c.is_alphanumeric() && !matches!(c, '|' | '[' | '(' | ',' | '-' | '_');
    // A comma after all tags is punctuation too.
    let rest = text[end..].strip_prefix(',').unwrap_or(&text[end..]);
    if rest.chars().all(is_sign) { &text[..end] } else { text }
}

fn read_word<'r>(
    raw: &'r str,
    word: Range<usize>,
    opens: &mut BTreeMap<&'r str, Vec<usize>>,
    parsed: &mut Parsed,
) {
    let text = &raw[word.clone()];
    let zero = text.starts_with("##");
    if zero {
        parsed.zeros.push(word.start);
    }
    let Some(bar) = text.rfind('|') else {
        if zero {
            if text.contains(['[', ']', '(', ')']) {
                let message = format!("`{text}` has no bar before its tags");
                parsed.fault(word.start, Code::BadTag, message);
            }
            parsed.leave_out(word);
        }
        return;
    };
    let tail = tags_of(&text[bar + 1..]);
    let items: Vec<(&str, Option<PipeTag<'r>>)> =
        tail.split([',', '-']).map(|item| (item.trim(), tag(item.trim()))).collect();
    let end = word.start + bar;
    let word = word.start..end + 1 + tail.len();
    if items.iter().all(|item| item.1.is_none()) {
        let message = format!("`|{tail}` is not a tag");
        if zero {
            parsed.leave_out(word.clone());
            parsed.fault(end, Code::BadTag, message);
        } else {
            parsed.doubts.push((end..word.end, Some((Code::BadTag, message))));
        }
        return;
    }
    // An empty node has no text.
    let (content, text_end) = if zero { (word.start..word.end, word.end) } else { (end..word.end, end) };
    parsed.leave_out(content);
    let mut starts: Vec<&'r str> = Vec::new();
    let mut ends: Vec<&'r str> = Vec::new();
    for (item, tag) in items {
        match tag {
            Some(PipeTag { id, opens: true, closes: true }) => {
                parsed.mark(word.start, text_end, id, word.start)
            }
            Some(PipeTag { id, opens: true, .. }) => starts.push(id),
            Some(PipeTag { id, .. }) => ends.push(id),
            None => parsed.fault(end, Code::BadTag, format!("`{item}` is not a tag")),
        }
    }
    for id in ends {
        let open = opens.get_mut(id).and_then(Vec::pop).or_else(|| {
            // This word also opened the mention.
            let place = starts.iter().position(|start| *start == id)?;
            starts.remove(place);
            Some(word.start)
        });
        match open {
            Some(start) => parsed.mark(start, text_end, id, start),
            None => {
                let message =
                    format!("a mention of `{id}` closes but never opens in its line, which is a document");
                parsed.fault(end, Code::UnopenedMention, message);
            }
        }
    }
    for id in starts {
        if word.start == end && !zero {
            let message = format!("no word is before the tag `[{id}`; the mention starts with the next word");
            parsed.fault(end, Code::BadTag, message);
        }
        opens.entry(id).or_default().push(word.start);
    }
}

/// Returns whether a word of a text would be read as an empty node or as a word with tags.
pub(super) fn is_like_a_mark(word: &str) -> bool {
    let tail = word.rfind('|').map(|bar| tags_of(&word[bar + 1..]));
    word.starts_with("##") || tail.is_some_and(|tail| tail.split([',', '-']).any(|item| tag(item).is_some()))
}

/// Reads `[e1]`, `[e1` or `e1]`, with square or round brackets.
fn tag(item: &str) -> Option<PipeTag<'_>> {
    let inner = item.strip_prefix(['[', '(']);
    let opens = inner.is_some();
    let inner = inner.unwrap_or(item);
    let id = inner.strip_suffix([']', ')']);
    let closes = id.is_some();
    let id = id.unwrap_or(inner);
    let letters = id.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = letters.len() < id.len();
    let named = letters.strip_suffix(['_', ' ']).unwrap_or(letters).chars().all(char::is_alphabetic);
    (digits && named && (opens || closes)).then_some(PipeTag { id, opens, closes })
}
