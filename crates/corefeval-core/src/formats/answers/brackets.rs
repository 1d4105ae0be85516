//! Reads marks in square brackets.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use unicode_normalization::char::is_combining_mark;

use super::scan::{Parsed, RawOutline, is_kind, is_numbered, number_after, number_end};
use crate::diagnostic::Code;
use crate::model::Notation;
use crate::wording::{one_line, start_of};

/// A bracket that is still open.
struct OpenBracket {
    at: usize,
    /// The start of the words of the mention.
    content: usize,
    /// The id, if it comes first.
    id: Option<String>,
    /// The place where the text of the mention continues after the last mention within it.
    own: usize,
}

/// The messages about brackets with no id or several ids.
const WITHOUT: &str = "has no id that can be read; it is not a mention";
const SEVERAL: &str = "does not have exactly one id; it was left out";

/// Finds the marks of a notation.
pub(super) fn parse(raw: &str, outline: &RawOutline, notation: Notation) -> Parsed {
    let mut parser = BracketParser {
        raw,
        bytes: raw.as_bytes(),
        notation,
        opens: Vec::new(),
        labels: Vec::new(),
        numbered: numbered(raw, notation),
        parsed: Parsed { notation, ..Parsed::default() },
    };
    let mut at = 0;
    while at < raw.len() {
        if let Some(end) = outline.removed_at(at) {
            at = end;
            continue;
        }
        at = match parser.bytes[at] {
            b'[' => parser.open(at),
            b']' => parser.close(at),
            b'\\' if matches!(parser.bytes.get(at + 1), Some(b'[' | b']' | b'\\')) => {
                parser.parsed.leave_out(at..at + 1);
                at + 2
            }
            b'*' => {
                parser.parsed.doubts.push((at..at + 1, None));
                at + 1
            }
            _ => at + 1,
        };
    }
    parser.finish()
}

struct BracketParser<'r> {
    raw: &'r str,
    bytes: &'r [u8],
    notation: Notation,
    opens: Vec<OpenBracket>,
    /// The mentions in the notation `antecedent`, whose label is the text of an earlier mention: start, end, label,
    /// place.
    labels: Vec<(usize, usize, Option<String>, usize)>,
    /// The words that always precede a number, such as `Person` in `[Ines]_Person 1` and `[Ole]_Person 2`.
    numbered: FxHashSet<&'r str>,
    parsed: Parsed,
}

/// Returns the words after brackets and a sign that occur at least twice and always precede a number.
fn numbered(raw: &str, notation: Notation) -> FxHashSet<&str> {
    let sign = match notation {
        Notation::Hash => "]#",
        Notation::Double | Notation::Subscript => "]_",
        _ => return FxHashSet::default(),
    };
    let mut words: FxHashMap<&str, (u32, bool)> = FxHashMap::default();
    for (place, _) in raw.match_indices(sign) {
        let start = place + sign.len();
        let length = raw[start..].find(|c: char| !c.is_alphabetic()).unwrap_or(raw.len() - start);
        let (count, always) = words.entry(&raw[start..start + length]).or_insert((0, true));
        *count += 1;
        *always &= length > 0 && number_after(raw, start + length).is_some();
    }
    words.into_iter().filter(|(_, (count, always))| *count > 1 && *always).map(|word| word.0).collect()
}

/// Returns whether a byte may be part of an id.
fn is_id(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-') || byte >= 0x80
}

/// Removes the backslashes before brackets and backslashes from a text of the file.
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let escaped = characters.next_if(|next| character == '\\' && matches!(next, '[' | ']' | '\\'));
        plain.push(escaped.unwrap_or(character));
    }
    plain
}

impl BracketParser<'_> {
    /// Returns the end of the bytes from `at` that satisfy a condition.
    fn while_true(&self, at: usize, is: impl Fn(u8) -> bool) -> usize {
        self.bytes[at..].iter().position(|&byte| !is(byte)).map_or(self.bytes.len(), |length| at + length)
    }

    fn open(&mut self, at: usize) -> usize {
        let (mut content, mut id) = (at + 1, None);
        match self.notation {
            Notation::Double => {
                if self.bytes.get(at + 1) == Some(&b'[') {
                    content = at + 2;
                } else {
                    return at + 1;
                }
            }
            Notation::First => {
                let start = self.while_true(at + 1, |byte| byte == b' ');
                let end = self.while_true(start, |byte| is_id(byte) || byte == b'.');
                let end = number_end(self.raw, start, end);
                let blank = self.bytes.get(end).is_some_and(u8::is_ascii_whitespace);
                let text = &self.raw[start..end];
                // `[ 2 ]` contains only words.
                let words = self.raw[end..].trim_start();
                if blank && !words.starts_with(']') && text.contains(|c: char| c.is_ascii_digit()) {
                    (content, id) = (end + 1, Some(text.to_owned()));
                }
            }
            _ => {}
        }
        self.opens.push(OpenBracket { at, content, id, own: content });
        content
    }

    /// Records the end of a mention inside another mention, whose text continues there.
    fn closed(&mut self, end: usize) {
        if let Some(outer) = self.opens.last_mut() {
            outer.own = end;
        }
    }

    fn mark(&mut self, open: &OpenBracket, content_end: usize, end: usize, id: &str) {
        self.parsed.leave_out(open.at..open.content);
        self.parsed.leave_out(content_end..end);
        self.parsed.mark(open.content, content_end, id, open.at);
        self.closed(end);
    }

    /// Records brackets without an id, which are text if the key contains them. `close` is the mark at the end.
    fn without_id(&mut self, open: &OpenBracket, close: Range<usize>, why: &str) {
        let message = format!("`{}` {why}", start_of(&self.raw[open.at..close.end], 40));
        self.parsed.doubts.push((open.at..open.content, Some((Code::BadTag, message))));
        self.closed(close.end);
        self.parsed.doubts.push((close, None));
    }

    /// Returns the end of round brackets that contain something other than one id: `(#1, #2)`.
    fn several_ids(&self, at: usize) -> Option<usize> {
        let rest = self.raw[at..].strip_prefix('(')?;
        let is_part =
            |c: char| c.is_ascii_alphanumeric() || matches!(c, '#' | ',' | ';' | '/' | '&' | '+' | ' ' | '_');
        let length = rest.find(|c| !is_part(c))?;
        let ids = &rest[..length];
        let is_ids =
            rest[length..].starts_with(')') && ids.contains(|c: char| c == '#' || c.is_ascii_digit());
        is_ids.then_some(at + 1 + length + 1)
    }

    fn unopened(&mut self, at: usize, end: usize, id: &str) {
        self.parsed.leave_out(at..end);
        let message = format!("a mention of `{id}` closes but never opens");
        self.parsed.fault(at, Code::UnopenedMention, message);
    }

    fn close(&mut self, at: usize) -> usize {
        match self.notation {
            Notation::Link => self.close_link(at),
            Notation::Hash => self.close_before(at, 1, b'#'),
            Notation::Subscript => self.close_before(at, 1, b'_'),
            Notation::Double if self.bytes.get(at + 1) == Some(&b']') => self.close_before(at, 2, b'_'),
            Notation::Double => at + 1,
            Notation::First => self.close_first(at),
            Notation::Colon => self.close_after(at, ':'),
            Notation::Bar => self.close_after(at, '|'),
            _ => self.close_labelled(at),
        }
    }

    /// Reads an id in round brackets. Returns the end of the brackets, and the id, which may be empty.
    fn link(&self, at: usize) -> Option<(usize, &str)> {
        // A space may precede the brackets.
        let at = at + usize::from(self.raw[at..].starts_with(" (#"));
        let start = at + 1 + usize::from(self.bytes.get(at + 1) == Some(&b'#'));
        if self.bytes.get(at) != Some(&b'(') {
            return None;
        }
        let is_named = start > at + 1;
        let end = self.while_true(start, |byte| is_id(byte) || byte == b'.' || byte == b' ');
        let id = &self.raw[start..end];
        // Without `#`, the brackets may contain text: `[sic](as he wrote)`.
        let is_whole = is_named || !id.contains(' ') || is_numbered(id);
        (self.bytes.get(end) == Some(&b')') && is_whole).then(|| (end + 1, id.trim()))
    }

    /// Returns whether the file ends within an id in round brackets.
    fn is_cut_link(&self, at: usize) -> bool {
        let rest = self.raw[at..].trim_end();
        rest.strip_prefix('(').is_some_and(|rest| {
            let is_named = rest.starts_with('#');
            rest.bytes().all(|b| is_id(b) || matches!(b, b'#' | b'.') || is_named && b == b' ')
        })
    }

    /// Handles an answer that ends within the mark that ends a mention.
    fn cut(&mut self, at: usize) -> usize {
        self.parsed.leave_out(at..self.raw.len());
        if let Some(open) = self.opens.pop() {
            self.parsed.leave_out(open.at..open.content);
            let message = "the answer ends within the mark of this mention".to_owned();
            self.parsed.fault(open.at, Code::UnclosedMention, message);
        }
        self.raw.len()
    }

    fn close_link(&mut self, at: usize) -> usize {
        let after = self.while_true(at, |byte| byte == b']');
        let mut ids: Vec<(usize, usize, String)> = Vec::new();
        let mut end = after;
        while ids.len() < after - at
            && let Some((next, id)) = self.link(end)
        {
            ids.push((end, next, id.to_owned()));
            end = next;
        }
        if ids.is_empty() && self.is_cut_link(after) {
            return self.cut(after - 1);
        }
        // The inner brackets have no id, so they are text.
        let text = after - at - ids.len();
        for number in 0..text {
            let Some(open) = self.opens.pop() else { continue };
            let bracket = at + number;
            match self.several_ids(end).filter(|_| ids.is_empty() && number + 1 == text) {
                Some(to) => {
                    self.without_id(&open, bracket..to, SEVERAL);
                    end = to;
                }
                None => self.without_id(&open, bracket..bracket + 1, WITHOUT),
            }
        }
        for (place, (start, end, id)) in ids.into_iter().enumerate() {
            let bracket = at + text + place;
            match self.opens.pop() {
                None => {
                    self.unopened(bracket, bracket + 1, &id);
                    self.parsed.leave_out(start..end);
                }
                Some(open) if id.is_empty() => {
                    self.parsed.leave_out(open.at..open.content);
                    self.parsed.leave_out(bracket..bracket + 1);
                    self.parsed.leave_out(start..end);
                    self.parsed.fault(open.at, Code::EmptyId, "a mention has no id".to_owned());
                    self.closed(end);
                }
                Some(open) => {
                    self.parsed.leave_out(start..end);
                    self.mark(&open, bracket, bracket + 1, &id);
                    self.closed(end);
                }
            }
        }
        end
    }

    /// Returns the end of an id that text may follow without a space: `1` in `]_1的` and in `]_1。`, `Inès` in `]_Inès`.
    fn id_end(&self, start: usize) -> usize {
        let mut number = false;
        for (place, character) in self.raw[start..].char_indices() {
            let belongs = match character.is_ascii() {
                true => is_id(character as u8),
                false => !number && (character.is_alphanumeric() || is_combining_mark(character)),
            };
            if !belongs {
                return start + place;
            }
            number = character.is_ascii_digit();
        }
        self.raw.len()
    }

    /// Closes a mention at a bracket of `length` bytes before a sign and an id.
    fn close_before(&mut self, at: usize, length: usize, sign: u8) -> usize {
        // A space may precede the sign: `[her] #1`.
        let is_apart = |rest: &[u8]| matches!(rest, [b' ', next, id, ..] if *next == sign && is_id(*id));
        let length = length + usize::from(is_apart(&self.bytes[at + length..]));
        let start = at + length + 1;
        let marked = self.bytes.get(at + length) == Some(&sign);
        let mut end = if marked { self.id_end(start) } else { start };
        let word = self.raw.get(start..end).unwrap_or_default();
        if is_kind(word) || self.numbered.contains(word) {
            end = number_after(self.raw, end).unwrap_or(end);
        }
        if marked && self.raw[start..].trim().is_empty() {
            return self.cut(at);
        }
        if !marked || start == end {
            let end = at + length + usize::from(marked);
            if let Some(open) = self.opens.pop() {
                self.without_id(&open, at..end, WITHOUT);
            }
            return end;
        }
        let id = self.raw[start..end].to_owned();
        match self.opens.pop() {
            Some(open) => self.mark(&open, at, end, &id),
            None => self.unopened(at, end, &id),
        }
        end
    }

    fn close_first(&mut self, at: usize) -> usize {
        let open = self.opens.pop();
        match open {
            Some(OpenBracket { id: Some(ref id), ref content, .. }) if *content <= at => {
                let id = id.clone();
                if let Some(open) = &open {
                    self.mark(open, at, at + 1, &id);
                    // `[2 | e1]` may be the word `2`.
                    let words = self.raw[open.content..at].trim();
                    let named = words.strip_prefix('|').map(str::trim);
                    if named
                        .is_some_and(|id| id.bytes().all(is_id) && id.contains(|c: char| c.is_ascii_digit()))
                    {
                        self.parsed.complete -= 1;
                    }
                }
            }
            Some(open) => self.without_id(&open, at..at + 1, WITHOUT),
            None => {}
        }
        at + 1
    }

    /// Closes a mention at a bracket after a sign and an id.
    fn close_after(&mut self, at: usize, sign: char) -> usize {
        let Some(open) = self.opens.pop() else { return at + 1 };
        let own = &self.raw[open.own..at];
        let found = own.rfind(sign).filter(|&place| {
            let id = own[place + 1..].trim();
            id.bytes().all(is_id) && id.contains(|c: char| c.is_ascii_digit()) || is_numbered(id)
        });
        match found {
            Some(place) => {
                let id = own[place + 1..].trim().to_owned();
                let content_end = open.own + own[..place].trim_end().len();
                self.mark(&open, content_end, at + 1, &id);
            }
            None => self.without_id(&open, at..at + 1, WITHOUT),
        }
        at + 1
    }

    /// Closes a mention at a bracket, possibly after a label with the text of an earlier mention.
    fn close_labelled(&mut self, at: usize) -> usize {
        let Some(open) = self.opens.pop() else { return at + 1 };
        let own = &self.raw[open.own..at];
        let (content_end, label) = match own.rfind('|') {
            Some(place) => {
                (open.own + own[..place].trim_end().len(), Some(unescaped(own[place + 1..].trim())))
            }
            None => (at, None),
        };
        self.parsed.leave_out(open.at..open.content);
        self.parsed.leave_out(content_end..at + 1);
        self.labels.push((open.content, content_end, label, open.at));
        self.closed(at + 1);
        at + 1
    }

    fn finish(mut self) -> Parsed {
        for open in std::mem::take(&mut self.opens) {
            let message = match &open.id {
                Some(id) => format!("a mention of `{id}` opens but never closes"),
                None => "a mention opens but never closes".to_owned(),
            };
            self.parsed.faulty += 1;
            let doubt = (open.at..open.content, Some((Code::UnclosedMention, message)));
            self.parsed.doubts.push(doubt);
        }
        self.resolve_labels();
        self.report_joined_ids();
        self.parsed.sorted()
    }

    /// Reports ids that may lack the space after them: `1misses` in `[She]#1misses`, where other ids are `1`.
    fn report_joined_ids(&mut self) {
        if !matches!(self.notation, Notation::Hash | Notation::Subscript | Notation::Double) {
            return;
        }
        let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
        for mark in &self.parsed.marks {
            *counts.entry(mark.entity.as_str()).or_default() += 1;
        }
        let joined = self.parsed.marks.iter().filter_map(|mark| {
            let id = mark.entity.as_str();
            let word = id.trim_start_matches(|c: char| c.is_ascii_digit());
            let number = &id[..id.len() - word.len()];
            let is_word = word.len() > 1 && word.chars().all(char::is_alphabetic);
            (is_word && counts[id] == 1 && counts.contains_key(number)).then(|| {
                let message = format!(
                    "the id `{id}` may be `{number}` before the word `{word}`: then a space is missing"
                );
                (mark.at, Code::BadTag, message)
            })
        });
        let joined: Vec<_> = joined.collect();
        self.parsed.findings.extend(joined);
    }

    /// Joins each mention with the latest earlier mention that has the text of its label.
    fn resolve_labels(&mut self) {
        let mut labels = std::mem::take(&mut self.labels);
        labels.sort_by_key(|&(start, end, ..)| (start, std::cmp::Reverse(end)));
        let mut edits: Vec<_> = self.parsed.edits.iter().map(|edit| edit.0.clone()).collect();
        edits.sort_by_key(|edit| edit.start);
        // The text of a mention, unless it is longer than all labels. Without this limit, the total length of nested
        // texts would grow with the square of their depth.
        let longest = labels.iter().filter_map(|label| label.2.as_ref()).map(String::len).max();
        let text_of = |start: usize, end: usize| -> Option<String> {
            let longest = longest?;
            let (mut text, mut at) = (String::new(), start);
            let first = edits.partition_point(|edit| edit.end <= start);
            let within = edits[first..].iter().take_while(|edit| edit.start < end);
            for (number, edit) in within.enumerate() {
                let between = &self.raw[at..edit.start.max(at)];
                if number > 2 * longest + 64 || between.len() > 2 * longest + 64 {
                    return None;
                }
                text.push_str(between);
                at = edit.end.max(at);
            }
            text.push_str(&self.raw[at.min(end)..end]);
            Some(one_line(&text))
        };
        let mut latest: FxHashMap<String, usize> = FxHashMap::default();
        let mut entities = 0;
        for (start, end, label, at) in labels {
            let label = label.map(|label| one_line(&label));
            let known = label.as_ref().and_then(|label| latest.get(label).copied());
            let entity = known.unwrap_or_else(|| {
                entities += 1;
                entities
            });
            if let Some(text) = text_of(start, end) {
                latest.insert(text, entity);
            }
            self.parsed.mark(start, end, &entity.to_string(), at);
            match (&label, known) {
                (Some(_), Some(_)) => {}
                (Some(label), None) => {
                    self.parsed.complete -= 1;
                    let message =
                        format!("no earlier mention is `{label}`; this mention becomes a new entity");
                    self.parsed.fault(at, Code::BadTag, message);
                }
                // Brackets without a label may be anything.
                (None, _) => self.parsed.complete -= 1,
            }
        }
    }
}
