//! Marks in tags like those of XML, which need not be XML: ends that name their entity may cross.

use std::collections::BTreeSet;
use std::ops::Range;

use super::scan::{Outline, Parsed};
use crate::diagnostic::Code;
use crate::model::Notation;

/// A tag in the text.
#[derive(Debug)]
struct Tag<'r> {
    name: String,
    range: Range<usize>,
    kind: TagKind<'r>,
}

#[derive(Debug)]
enum TagKind<'r> {
    /// With its attributes: names in lower case, values.
    Start(Vec<(String, &'r str)>),
    /// With the id after it, as in `</m>#1`.
    End(Option<&'r str>),
    /// Both at once, with its attributes.
    Alone(Vec<(String, &'r str)>),
}

/// Attributes that name an entity, by precedence.
const ENTITY: [&str; 6] = ["entity", "cluster", "chain", "coref", "set", "id"];

/// Elements that are mentions if their end tag, or the text after it, names the entity.
const MENTIONS: [&str; 5] = ["m", "mention", "coref", "markable", "ment"];

/// An element under way.
struct Open {
    name: String,
    entity: Option<String>,
    /// The starts of its tag and of its words.
    at: usize,
    content: usize,
}

/// Finds the marks. All notations of the family are read together; `notation` selects those that count.
pub(super) fn parse(raw: &str, outline: &Outline, notation: Notation) -> Parsed {
    let mut parsed = Parsed { notation, ..Parsed::default() };
    let mut tags = Vec::new();
    let mut cut = None;
    let mut at = 0;
    while let Some(next) = raw[at..].find(['<', '&']).map(|next| at + next) {
        at = match outline.removed_at(next) {
            Some(end) => end,
            None if raw.as_bytes()[next] == b'&' => reference(raw, next, &mut parsed),
            None => match tag(raw, next) {
                Some(tag) => {
                    let end = tag.range.end;
                    tags.push(tag);
                    end
                }
                None => match declaration(raw, next) {
                    Some(end) => {
                        parsed.doubts.push((next..end, None));
                        end
                    }
                    None if is_cut_tag(&raw[next..]) => {
                        cut = Some(next);
                        raw.len()
                    }
                    None => next + 1,
                },
            },
        };
    }
    let starts: BTreeSet<&str> = tags
        .iter()
        .filter(|tag| matches!(tag.kind, TagKind::Start(_)))
        .map(|tag| tag.name.as_str())
        .collect();
    let ends: BTreeSet<&str> =
        tags.iter().filter(|tag| matches!(tag.kind, TagKind::End(_))).map(|tag| tag.name.as_str()).collect();
    // A bare `<` at the end of a text without tags is text.
    if let Some(start) = cut.filter(|_| !tags.is_empty()) {
        parsed.leave_out(start..raw.len());
        let message = "the answer ends within a tag".to_owned();
        parsed.fault(start, Code::UnclosedMention, message);
    }
    let is_entity = |name: &str| {
        name.ends_with(|c: char| c.is_ascii_digit()) && starts.contains(name) && ends.contains(name)
    };
    let mut opens: Vec<Open> = Vec::new();
    let mut counts = [0usize; 4];
    // A mention that has ended and waits for the id after it.
    let mut pending: Option<(Open, usize)> = None;
    for (place, tag) in tags.iter().enumerate() {
        let before = place.checked_sub(1).map_or(0, |before| tags[before].range.end);
        let adjacent = raw.get(before..tag.range.start).is_some_and(|gap| gap.trim().is_empty());
        if let Some((open, end)) = pending.take() {
            let id = adjacent.then(|| cluster(&tag.name)).flatten();
            match id {
                Some(id) if matches!(tag.kind, TagKind::Start(_)) && !is_entity(&tag.name) => {
                    parsed.leave_out(tag.range.clone());
                    parsed.mark(open.content, end, id, open.at);
                    counts[2] += 1;
                    continue;
                }
                _ => without_id(&open, &mut parsed),
            }
        }
        // Text may follow an end: `</m>#boat`.
        let tag_end = match tag.kind {
            TagKind::End(Some(id)) => tag.range.end - id.len() - 1,
            _ => tag.range.end,
        };
        parsed.leave_out(tag.range.start..tag_end);
        match &tag.kind {
            TagKind::Alone(attributes) => {
                let is_mention = starts.contains(tag.name.as_str()) || MENTIONS.contains(&tag.name.as_str());
                if is_mention && (is_entity(&tag.name) || entity(attributes).is_some()) {
                    let message = format!("`<{}/>` is a mention without words", tag.name);
                    parsed.fault(tag.range.start, Code::EmptySpan, message);
                }
            }
            TagKind::Start(attributes) => {
                let entity = if is_entity(&tag.name) { Some(tag.name.clone()) } else { entity(attributes) };
                let (at, content) = (tag.range.start, tag.range.end);
                opens.push(Open { name: tag.name.clone(), entity, at, content });
            }
            TagKind::End(Some(_)) if tag.name == "z" => {}
            TagKind::End(after) => {
                let (name, id) = match starts.contains(tag.name.as_str()) {
                    true => (tag.name.as_str(), None),
                    // `</m1>` is the end of `<m>`.
                    false => {
                        let bare = tag.name.trim_end_matches(|c: char| c.is_ascii_digit());
                        (bare, Some(&tag.name[bare.len()..]).filter(|id| !id.is_empty()))
                    }
                };
                // An id after the end, as in `</m> <c1>`, leaves bars before it to the text.
                let id_follows = tags.get(place + 1).is_some_and(|next| {
                    let gap = &raw[tag.range.end..next.range.start];
                    let is_start = matches!(next.kind, TagKind::Start(_)) && !is_entity(&next.name);
                    is_start && gap.trim().is_empty() && cluster(&next.name).is_some()
                });
                let label = label(raw, before, tag.range.start).filter(|_| !id_follows);
                let open = opens.iter().rposition(|open| open.name == name).map(|place| opens.remove(place));
                let names_itself = |open: &Open| open.entity.is_some() || id.is_some();
                let is_label = |after: &str| {
                    let number = after.bytes().all(|byte| byte.is_ascii_digit());
                    label.is_some() && (notation == Notation::Seq2seq || !number)
                };
                let after = after
                    .filter(|after| !open.as_ref().is_some_and(|open| names_itself(open) || is_label(after)));
                if after.is_some() {
                    parsed.leave_out(tag_end..tag.range.end);
                }
                let Some(open) = open else {
                    let named = after.is_some() || id.is_some() || label.is_some();
                    if named || MENTIONS.contains(&name) || tag.name.ends_with(|c: char| c.is_ascii_digit()) {
                        let message = format!("`</{}>` closes a mention that never opens", tag.name);
                        parsed.fault(tag.range.start, Code::UnopenedMention, message);
                    }
                    continue;
                };
                let mut end = tag.range.start;
                let kind = match (&open.entity, after, id, &label) {
                    (Some(entity), ..) => Some((entity.clone(), usize::from(is_entity(&tag.name)))),
                    (_, Some(id), ..) => Some((id.to_owned(), 3)),
                    (_, _, Some(id), _) => Some((id.to_owned(), 2)),
                    (.., Some((from, id))) => {
                        parsed.leave_out(*from..tag.range.start);
                        end = *from;
                        Some(((*id).to_owned(), 2))
                    }
                    _ => None,
                };
                match kind {
                    Some((entity, kind)) => {
                        parsed.mark(open.content, end, &entity, open.at);
                        counts[kind] += 1;
                    }
                    None => pending = Some((open, end)),
                }
            }
        }
        if let TagKind::End(Some(id)) = tag.kind
            && tag.name == "z"
        {
            parsed.leave_out(tag_end..tag.range.end);
            parsed.zeros.push(tag.range.start);
            parsed.mark(tag.range.start, tag.range.end, id, tag.range.start);
            counts[3] += 1;
        }
    }
    if let Some((open, _)) = pending {
        without_id(&open, &mut parsed);
    }
    for open in opens {
        if open.entity.is_some() || MENTIONS.contains(&open.name.as_str()) {
            let message = format!("`<{}>` opens a mention and never closes", open.name);
            parsed.fault(open.at, Code::UnclosedMention, message);
        }
    }
    let notations = [Notation::Attribute, Notation::Element, Notation::Seq2seq, Notation::CorefInst];
    // The notation of most marks; the family is at least as complete without the others.
    let most = (0..4).max_by_key(|&place| (counts[place], std::cmp::Reverse(place))).unwrap_or(0);
    parsed.notation = notations[most];
    parsed.sorted()
}

/// The end of a declaration or a comment of XML, which are skipped unless the key has them.
fn declaration(raw: &str, at: usize) -> Option<usize> {
    const ENDS: [(&str, &str); 3] = [("<!--", "-->"), ("<?xml", "?>"), ("<!doctype", ">")];
    let (_, end) = ENDS.iter().find(|(start, _)| {
        raw.get(at..at + start.len()).is_some_and(|found| found.eq_ignore_ascii_case(start))
    })?;
    let end = raw[at..].find(end).map(|length| at + length + end.len())?;
    // One with tags inside may be a text in such signs.
    (!raw[at + 1..end].contains('<')).then_some(end)
}

/// Returns whether a text starts as a tag does, and ends on the same line before the tag does.
fn is_cut_tag(text: &str) -> bool {
    let name = text.trim_start_matches(['<', '/']);
    let begins = name.starts_with(|c: char| c.is_alphabetic()) || text.trim_end() == "</";
    begins && !text.trim_end().contains(['>', '\n'])
}

/// Reports a mention that names no entity; other elements are ignored.
fn without_id(open: &Open, parsed: &mut Parsed) {
    if MENTIONS.contains(&open.name.as_str()) {
        parsed.fault(open.at, Code::EmptyId, "a mention has no id".to_owned());
    }
}

/// The entity that attributes name.
fn entity(attributes: &[(String, &str)]) -> Option<String> {
    let named = |wanted: &str| {
        let mut fitting = attributes.iter().filter(|(name, _)| {
            name == wanted
                || name.strip_prefix(wanted).is_some_and(|rest| matches!(rest, "_id" | "-id" | "id"))
        });
        fitting.next().map(|(_, value)| value.trim().to_owned())
    };
    ENTITY.iter().find_map(|wanted| named(wanted)).filter(|id| !id.is_empty())
}

/// The id of `<c1>`.
fn cluster(name: &str) -> Option<&str> {
    let digits = name.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    (digits.len() < name.len() && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
        .then_some(digits)
}

/// The id before an end, as in `her | 1 </m>`, and where its bar starts.
fn label(raw: &str, before: usize, end: usize) -> Option<(usize, &str)> {
    let text = raw.get(before..end)?;
    let bar = text.rfind('|')?;
    let id = text[bar + 1..].trim();
    // A bar within a word is text.
    let apart = text[..bar].is_empty() || text[..bar].ends_with(char::is_whitespace);
    let valid =
        apart && !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    valid.then(|| (before + text[..bar].trim_end().len(), id))
}

/// Reads the tag at a place.
fn tag(raw: &str, at: usize) -> Option<Tag<'_>> {
    let bytes = raw.as_bytes();
    let is_end = bytes.get(at + 1) == Some(&b'/');
    let start = at + 1 + usize::from(is_end);
    let name_end =
        start + raw[start..].find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':')))?;
    let name = raw[start..name_end].to_lowercase();
    if !name.starts_with(|c: char| c.is_alphabetic()) {
        return None;
    }
    let mut place = name_end;
    let skip = |place: usize| place + (raw[place..].len() - raw[place..].trim_start().len());
    let mut attributes: Vec<(String, &str)> = Vec::new();
    loop {
        place = skip(place);
        match bytes.get(place)? {
            b'>' => break,
            b'/' if bytes.get(place + 1) == Some(&b'>') && !is_end => {
                return Some(Tag { name, range: at..place + 2, kind: TagKind::Alone(attributes) });
            }
            _ if is_end => return None,
            _ => {}
        }
        let end =
            place + raw[place..].find(|c: char| c.is_whitespace() || matches!(c, '=' | '>' | '<' | '/'))?;
        let attribute = raw[place..end].to_lowercase();
        if attribute.is_empty() {
            return None;
        }
        place = skip(end);
        if bytes.get(place) != Some(&b'=') {
            attributes.push((attribute, ""));
            continue;
        }
        place = skip(place + 1);
        let value = match bytes.get(place)? {
            quote @ (b'"' | b'\'') => {
                let end = place + 1 + raw[place + 1..].find(char::from(*quote))?;
                let value = &raw[place + 1..end];
                place = end + 1;
                value
            }
            _ => {
                let end = place + raw[place..].find(|c: char| c.is_whitespace() || matches!(c, '>' | '<'))?;
                let value = &raw[place..end];
                place = end;
                value
            }
        };
        attributes.push((attribute, value));
    }
    let mut end = place + 1;
    if !is_end {
        return Some(Tag { name, range: at..end, kind: TagKind::Start(attributes) });
    }
    let mut after = None;
    if matches!(bytes.get(end), Some(b'#' | b'@')) {
        let digits = raw[end + 1..].bytes().take_while(u8::is_ascii_alphanumeric).count();
        if digits > 0 {
            after = Some(&raw[end + 1..end + 1 + digits]);
            end += 1 + digits;
        }
    }
    Some(Tag { name, range: at..end, kind: TagKind::End(after) })
}

/// Replaces the character reference at a place. Returns the place after it.
fn reference(raw: &str, at: usize, parsed: &mut Parsed) -> usize {
    let rest = &raw.as_bytes()[at + 1..];
    let Some(length) = rest.iter().take(10).position(|&byte| byte == b';') else { return at + 1 };
    let name = &raw[at + 1..at + 1 + length];
    let character = match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some('\u{A0}'),
        // Signs of HTML that models set in running text.
        "lsquo" => Some('‘'),
        "rsquo" => Some('’'),
        "ldquo" => Some('“'),
        "rdquo" => Some('”'),
        "laquo" => Some('«'),
        "raquo" => Some('»'),
        "ndash" => Some('–'),
        "mdash" => Some('—'),
        "hellip" => Some('…'),
        _ => name.strip_prefix('#').and_then(|number| {
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok(),
                None => number.parse().ok(),
            };
            char::from_u32(code?)
        }),
    };
    match character {
        Some(character) => {
            parsed.edits.push((at..at + length + 2, character.to_string()));
            at + length + 2
        }
        None => at + 1,
    }
}
