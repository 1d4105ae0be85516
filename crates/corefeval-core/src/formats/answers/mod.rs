//! Reads answers of language models: texts with marks, and JSON.
//!
//! A reader removes the marks from the text. [`alignment`](crate::alignment), which has the key, finds the places of
//! mentions. Questions that only the key can answer (is a bracket text? which of several passages is the answer?)
//! become doubts. Each family of notations is a format. Within a family, the reader chooses the notation with the most
//! complete marks, minus the faulty ones.

mod brackets;
mod json;
mod pipe;
mod scan;
mod structure;
mod tags;
mod value;

pub(super) use json::names_fields_of_others;

use std::ops::Range;
use std::sync::Arc;

use super::frame::{Frame, WholeFile};
use super::{FormatSpec, utf8};
use crate::diagnostic::{Code, Position};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{AnswerDocument, Corpus, Notation};
use crate::wording::{option_blank, text};
use scan::{Parsed, RawOutline};

/// The settings that only affect answers of language models.
const SETTINGS: &[&str] = &["notation", "extra-zeros"];

/// `pipe`.
pub(super) const PIPE: FormatSpec = FormatSpec {
    id: "pipe",
    summary: "answers of language models: her|[e1],[e2 boat|e2], one document per line (text2text-coref)",
    extensions: &["txt"],
    settings: SETTINGS,
    notations: Some(&[]),
    detect: |bytes| family_of(bytes).is_some_and(|family| family.id == "pipe"),
    reader: |source, options| {
        WholeFile::reader(source, options, |frame, bytes| read(frame, bytes, &FAMILIES[0]))
    },
    ..FormatSpec::PLAIN
};

/// `bracketed`.
pub(super) const BRACKETED: FormatSpec = FormatSpec {
    id: "bracketed",
    summary: "answers of language models: [[her](#1) boat](#2), [2 [1 her] boat], [[her: 1] boat: 2] …",
    extensions: &["txt", "md"],
    settings: SETTINGS,
    notations: Some(&[
        "bracketed:link", "bracketed:first", "bracketed:colon", "bracketed:hash", "bracketed:double",
        "bracketed:subscript", "bracketed:bar", "bracketed:antecedent",
    ]),
    detect: |bytes| family_of(bytes).is_some_and(|family| family.id == "bracketed"),
    reader: |source, options| {
        WholeFile::reader(source, options, |frame, bytes| read(frame, bytes, &FAMILIES[1]))
    },
    ..FormatSpec::PLAIN
};

/// `tagged`.
pub(super) const TAGGED: FormatSpec = FormatSpec {
    id: "tagged",
    summary: "answers of language models: <m id=\"1\">her</m>, <e1>her</e1>, <m> her | 1 </m>, <m> her </m>#1 …",
    extensions: &["txt", "xml"],
    settings: SETTINGS,
    notations: Some(&["tagged:attribute", "tagged:element", "tagged:seq2seq", "tagged:corefinst"]),
    detect: |bytes| family_of(bytes).is_some_and(|family| family.id == "tagged"),
    reader: |source, options| {
        WholeFile::reader(source, options, |frame, bytes| read(frame, bytes, &FAMILIES[2]))
    },
    ..FormatSpec::PLAIN
};

/// `json-answer`.
pub(super) const JSON: FormatSpec = FormatSpec {
    id: "json-answer",
    summary: "answers of language models: JSON with the strings of mentions, or with a text and positions in it",
    extensions: &["json", "jsonl", "txt"],
    settings: SETTINGS,
    notations: Some(&[]),
    detect: json::detect,
    reader: |source, options| WholeFile::reader(source, options, read_json),
    ..FormatSpec::PLAIN
};

/// A family of notations that repeat the text.
struct NotationFamily {
    id: &'static str,
    notations: &'static [Notation],
    parse: fn(&str, &RawOutline, Notation) -> Parsed,
}

/// The families, in the order in which they are tried.
static FAMILIES: [NotationFamily; 3] = [
    NotationFamily { id: "pipe", notations: &[Notation::Pipe], parse: pipe::parse },
    NotationFamily {
        id: "bracketed",
        notations: &[
            Notation::Link,
            Notation::First,
            Notation::Colon,
            Notation::Hash,
            Notation::Double,
            Notation::Subscript,
            Notation::Bar,
            Notation::Antecedent,
        ],
        parse: brackets::parse,
    },
    NotationFamily {
        id: "tagged",
        notations: &[Notation::Attribute, Notation::Element, Notation::Seq2seq, Notation::CorefInst],
        parse: tags::parse,
    },
];

/// Returns the text of the first bytes of a file, which may end within a character.
fn first_text(bytes: &[u8]) -> Option<&str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(error) if error.error_len().is_none() => std::str::from_utf8(&bytes[..error.valid_up_to()]).ok(),
        Err(_) => None,
    }
}

/// Returns the family with the most complete marks in the first bytes of a file, minus the faulty ones.
fn family_of(bytes: &[u8]) -> Option<&'static NotationFamily> {
    let text = first_text(bytes)?;
    if !text.contains(['[', '<', '|']) {
        return None;
    }
    let outline = RawOutline::of(text);
    let score = |family: &'static NotationFamily| {
        let best = family.notations.iter().map(|&notation| (family.parse)(text, &outline, notation));
        best.filter(|parsed| parsed.complete > 0 && is_plausible(parsed, text))
            .map(|parsed| parsed.score())
            .max()
    };
    let mut best: Option<(i64, &'static NotationFamily)> = None;
    for family in &FAMILIES {
        if let Some(score) = score(family)
            && best.is_none_or(|(most, _)| score > most)
        {
            best = Some((score, family));
        }
    }
    if let Some((_, family)) = best.filter(|(score, _)| *score > 0) {
        return Some(family);
    }
    // Labels that repeat the words of earlier mentions are marks, even if as many other marks are damaged.
    is_labelled(&brackets::parse(text, &outline, Notation::Antecedent)).then_some(&FAMILIES[1])
}

/// Returns whether several labels repeat the words of earlier mentions, and at most as many other marks are damaged.
fn is_labelled(parsed: &Parsed) -> bool {
    parsed.complete > 1 && parsed.score() >= 0
}

/// Returns the place of the first mark in a part of a text that has at least two marks.
fn first_mark(text: &str, part: Range<usize>) -> Option<usize> {
    let part_of = &text[part.clone()];
    let outline = RawOutline::of(part_of);
    let family = family_of(part_of.as_bytes())?;
    let all = family.notations.iter().map(|&notation| (family.parse)(part_of, &outline, notation));
    let best = all.max_by_key(Parsed::score).filter(|parsed| parsed.score() > 1)?;
    best.marks.first().map(|mark| part.start + mark.at)
}

/// Returns whether marks belong to an answer rather than to the links of Markdown, `[usage](#usage)`, `[add a
/// metric](#add-a-metric)` and `[licence](LICENSE.md)`, or to the lists of a program, `[1 2 3]`.
fn is_plausible(parsed: &Parsed, text: &str) -> bool {
    // Markdown links may lead to headings, which do not occur in answers.
    let anchors: Vec<String> = text.lines().filter_map(|line| line.strip_prefix('#')).map(anchor).collect();
    let is_repeated = |id: &str| parsed.marks.iter().filter(|mark| mark.entity == id).nth(1).is_some();
    parsed.marks.iter().any(|mark| match parsed.notation {
        Notation::Link => {
            let id = mark.entity.as_str();
            !id.contains('.')
                && !anchors.iter().any(|anchor| anchor == id)
                && (id.contains(|c: char| c.is_ascii_digit()) || is_repeated(id))
        }
        Notation::First => text[mark.start..mark.end].contains(char::is_alphabetic),
        _ => true,
    })
}

/// Returns the anchor of a heading, as GitHub derives it.
fn anchor(heading: &str) -> String {
    let words = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Returns whether a word would be read as a mark of `pipe`, which has no escapes.
pub(crate) fn is_like_a_mark_of_pipe(word: &str) -> bool {
    pipe::is_like_a_mark(word)
}

/// Returns whether a part of a text would be skipped as a code fence or reasoning around an answer.
pub(crate) fn is_around_an_answer(text: &str) -> bool {
    !RawOutline::of(text).removed.is_empty()
}

/// Returns whether the first bytes of a file are a text with marks.
pub(super) fn is_marked(bytes: &[u8]) -> bool {
    family_of(bytes).is_some()
}

/// Returns whether the first bytes of a file are a Python tuple of strings, or of lists of strings.
pub(super) fn is_tuple(bytes: &[u8]) -> bool {
    first_text(bytes).is_some_and(json::is_tuple)
}

/// Returns the error about a file that starts with a list or a tuple of strings.
pub(crate) fn flat_list(bytes: &[u8]) -> Option<Error> {
    first_text(bytes).filter(|text| json::is_flat_list(text)).map(|_| {
        let message = "this is one list of strings, which does not show which of them are the same entity";
        Error::new(ErrorKind::Format, message)
            .hint("write a list for each entity: [[\"Ines\", \"her\"], [\"her boat\", \"it\"]]")
    })
}

/// Returns whether the first bytes of a file are a text with marks other than structural elements.
pub(super) fn is_marked_answer(bytes: &[u8]) -> bool {
    let Some(family) = family_of(bytes) else { return false };
    let text = String::from_utf8_lossy(bytes);
    let outline = RawOutline::of(&text);
    let all = family.notations.iter().map(|&notation| (family.parse)(&text, &outline, notation));
    let best = all.max_by_key(Parsed::score).unwrap_or_default();
    best.marks.iter().any(|mark| !structure::is_begun(&text[mark.at..]))
}

/// Fails if the mentions of answers cannot be placed.
fn check(frame: &Frame) -> Result<()> {
    if frame.options.accept_answers {
        return Ok(());
    }
    let message = "the mentions in a language model's answer have no positions without a key";
    Err(Error::new(ErrorKind::Format, message)
        .at(Position::new(&frame.source, 0, 0))
        .hint(text!("score it as a response, or place it with {}", option_blank("onto", "KEY"))))
}

/// Returns the id of a document that only its file name identifies.
fn id_of(frame: &Frame) -> Option<String> {
    Some(&frame.options.default_id).filter(|id| !id.is_empty()).cloned()
}

fn text_of<'b>(frame: &Frame, bytes: &'b [u8]) -> Result<&'b str> {
    if bytes.len() >= u32::MAX as usize {
        return Err(frame
            .error(0, "answers of 4 GiB or more are not supported")
            .hint("split it by documents"));
    }
    utf8(bytes, &frame.source, 1, 1)
}

/// Reads an answer that repeats the text.
fn read(mut frame: Frame, bytes: &[u8], family: &'static NotationFamily) -> Result<Corpus> {
    check(&frame)?;
    let text = text_of(&frame, bytes)?;
    let outline = RawOutline::of(text);
    let wanted = frame.options.notation;
    let parsed = match family.notations.contains(&wanted) {
        true => (family.parse)(text, &outline, wanted),
        false => {
            let all = family.notations.iter().map(|&notation| (family.parse)(text, &outline, notation));
            // Ties go to the first notation, unless it has no marks and the labels identify the other notation.
            let best = all.reduce(|best, next| {
                let is_only =
                    best.complete == 0 && next.notation == Notation::Antecedent && is_labelled(&next);
                if next.score() > best.score() || is_only { next } else { best }
            });
            best.unwrap_or_default()
        }
    };
    for (at, code, message) in &parsed.findings {
        let (line, column) = outline.place(*at);
        let position = Position::new(&frame.source, line, column);
        frame.corpus.diagnostics.add(*code, Some(position), None, || message.clone());
    }
    if let Some(at) = json::place_of_json(text, &outline) {
        let (line, column) = outline.place(at);
        let position = Position::new(&frame.source, line, column);
        let message = || "mentions in JSON next to the marked text were skipped".to_owned();
        frame.corpus.diagnostics.add(Code::MentionsSkipped, Some(position), None, message);
    }
    let notation = parsed.notation;
    let id = id_of(&frame);
    let mut parts = vec![outline.whole()];
    if notation == Notation::Pipe {
        let mut lines = outline.lines();
        lines.retain(|line| !text[line.clone()].trim().is_empty());
        parts = if lines.is_empty() { parts } else { lines };
    }
    for part in parts {
        let (entities, body) = scan::emit(text, &outline, &parsed, part.clone());
        let line = outline.place(part.start).0;
        let source = Arc::clone(&frame.source);
        let answer = AnswerDocument { id: id.clone(), source, line, notation, entities, body };
        answer.report_ids_alike(0, &mut frame.corpus.diagnostics);
        frame.corpus.answers.push(answer);
    }
    Ok(frame.corpus)
}

/// Returns the error of a file without JSON that contains mentions: the problem and its place.
fn unreadable_json(text: &str, outline: &RawOutline, frame: &Frame) -> Error {
    let place = |at: usize| {
        let (line, column) = outline.place(at);
        Position::new(&frame.source, line, column)
    };
    if let Some(error) = flat_list(text.as_bytes()) {
        return error.at(place(text.len() - text.trim_start().len()));
    }
    match json::fault(text, outline) {
        Some((at, Some(missing))) => Error::new(ErrorKind::Format, format!("this is not JSON: {missing}"))
            .coded(Code::BadJson)
            .at(place(at))
            .hint("correct the JSON here, or ask for valid JSON"),
        Some((at, None)) => {
            Error::new(ErrorKind::Format, "the file is truncated: the answer ends before its mentions")
                .coded(Code::CutOff)
                .at(place(at))
                .hint(Code::JsonCut.remedy())
        }
        None => Error::new(ErrorKind::Format, "no JSON with mentions here")
            .at(Position::new(&frame.source, 1, 0))
            .hint(
                "write {\"clusters\": [[\"Ines\", \"her\"], [\"her boat\", \"it\"]]}, or name another format",
            ),
    }
}

/// Reads an answer in JSON.
fn read_json(mut frame: Frame, bytes: &[u8]) -> Result<Corpus> {
    check(&frame)?;
    let text = text_of(&frame, bytes)?;
    let plain = value::unescaped(text);
    let text = plain.as_ref().map_or(text, |plain| &plain.0);
    let outline = RawOutline::of(text);
    let Some(found) = json::documents(text, &outline) else {
        return Err(unreadable_json(text, &outline, &frame));
    };
    let mut finding = |at: usize, code: Code, message: &str| {
        let (line, column) = outline.place(at);
        let position = Position::new(&frame.source, line, column);
        frame.corpus.diagnostics.add(code, Some(position), None, || message.to_owned());
    };
    if let Some(at) = found.outside {
        finding(at, Code::AnswerUnwrapped, "text around the JSON was skipped");
    }
    if let Some(at) = found.further {
        finding(at, Code::MentionsSkipped, "further mentions in JSON after other text were skipped");
    }
    if found.outside.is_some() {
        let start = found.documents.first().map_or(0, |document| document.at);
        let marks = first_mark(text, 0..start).or_else(|| first_mark(text, found.end..text.len()));
        if let Some(at) = marks {
            finding(at, Code::MentionsSkipped, "marks in the text around the JSON were skipped");
        }
    }
    if let Some((_, at)) = &plain {
        let message = "all quotes have a backslash, or are doubled: the JSON was read without these";
        finding(*at, Code::JsonBroken, message);
    }
    if let Some(at) = found.repaired {
        finding(at, Code::JsonRepaired, "this is not strict JSON");
    }
    if let Some(at) = found.cut {
        finding(at, Code::JsonCut, "the answer ends within its JSON");
    }
    for (at, code, message) in &found.findings {
        finding(*at, *code, message);
    }
    let file_id = id_of(&frame);
    let single = found.documents.len() == 1;
    for document in found.documents {
        let source = Arc::clone(&frame.source);
        let id = document.id.or_else(|| file_id.clone().filter(|_| single));
        let line = outline.place(document.at).0;
        let json::AnswerContent { notation, entities, body, .. } = document.found;
        let answer = AnswerDocument { id, source, line, notation, entities, body };
        answer.report_ids_alike(0, &mut frame.corpus.diagnostics);
        frame.corpus.answers.push(answer);
    }
    Ok(frame.corpus)
}
