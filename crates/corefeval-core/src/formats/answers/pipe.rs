//! Tags after words: `her|[e1],[e2 boat|e2]`.

use std::collections::BTreeMap;
use std::ops::Range;

use super::scan::{Outline, Parsed};
use crate::diagnostic::Code;
use crate::model::Notation;

/// A tag: its id, and whether it opens and closes.
struct Tag<'t> {
    id: &'t str,
    opens: bool,
    closes: bool,
}

/// Finds the tags of all lines.
pub(super) fn parse(raw: &str, outline: &Outline, notation: Notation) -> Parsed {
    let mut parsed = Parsed { notation, ..Parsed::default() };
    for line in outline.lines() {
        let mut opens: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for word in words(raw, line) {
            read_word(raw, word, &mut opens, &mut parsed);
        }
        for (id, starts) in opens {
            for start in starts {
                let message = format!("a mention of `{id}` opens and never closes");
                parsed.fault(start, Code::UnclosedMention, message);
            }
        }
    }
    parsed.sorted()
}

/// The words of a line.
fn words(raw: &str, line: Range<usize>) -> Vec<Range<usize>> {
    let base = line.start;
    let text = &raw[line];
    let start = |word: &str| base + (word.as_ptr() as usize - text.as_ptr() as usize);
    text.split_whitespace().map(|word| start(word)..start(word) + word.len()).collect()
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
            parsed.leave_out(word);
        }
        return;
    };
    let tail = &text[bar + 1..];
    let items: Vec<(&str, Option<Tag<'r>>)> = tail.split([',', '-']).map(|item| (item, tag(item))).collect();
    let end = word.start + bar;
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
            Some(Tag { id, opens: true, closes: true }) => parsed.mark(word.start, text_end, id, word.start),
            Some(Tag { id, opens: true, .. }) => starts.push(id),
            Some(Tag { id, .. }) => ends.push(id),
            None => parsed.fault(end, Code::BadTag, format!("`{item}` is not a tag")),
        }
    }
    for id in ends {
        let open = opens.get_mut(id).and_then(Vec::pop).or_else(|| {
            // Opened by this very word.
            let place = starts.iter().position(|start| *start == id)?;
            starts.remove(place);
            Some(word.start)
        });
        match open {
            Some(start) => parsed.mark(start, text_end, id, start),
            None => {
                let message = format!("a mention of `{id}` closes and never opens");
                parsed.fault(end, Code::UnopenedMention, message);
            }
        }
    }
    starts.into_iter().for_each(|id| opens.entry(id).or_default().push(word.start));
}

/// Returns whether a word of a text would be read as an empty node or as a word with tags.
pub(super) fn is_like_a_mark(word: &str) -> bool {
    let tail = word.rfind('|').map(|bar| &word[bar + 1..]);
    word.starts_with("##") || tail.is_some_and(|tail| tail.split([',', '-']).any(|item| tag(item).is_some()))
}

/// Reads `[e1]`, `[e1`, `e1]`, with round brackets too.
fn tag(item: &str) -> Option<Tag<'_>> {
    let inner = item.strip_prefix(['[', '(']);
    let opens = inner.is_some();
    let inner = inner.unwrap_or(item);
    let id = inner.strip_suffix([']', ')']);
    let closes = id.is_some();
    let id = id.unwrap_or(inner);
    let letters = id.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = letters.len() < id.len();
    let named = letters.strip_suffix('_').unwrap_or(letters).chars().all(char::is_alphabetic);
    (digits && named && (opens || closes)).then_some(Tag { id, opens, closes })
}
