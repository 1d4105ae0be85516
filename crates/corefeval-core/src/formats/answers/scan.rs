//! Finds the outline of an answer and removes its marks, for all readers of marked texts.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::diagnostic::Code;
use crate::model::{AnswerBody, Doubt, Mark, MarkedText, Notation, ZeroMark};

/// The lines of an answer: skipped parts, starts of blocks, and possible labels and headings.
#[derive(Debug)]
pub(super) struct RawOutline {
    /// The start of each line.
    starts: Vec<usize>,
    /// The parts that are not text: code fences and reasoning.
    pub(super) removed: Vec<Range<usize>>,
    /// Possible labels and headings.
    doubtful: Vec<Range<usize>>,
    /// The starts of blocks, which blank lines and fences separate.
    blocks: Vec<usize>,
    length: usize,
}

impl RawOutline {
    /// Finds the outline of a file.
    pub(super) fn of(text: &str) -> RawOutline {
        let mut outline = RawOutline {
            starts: vec![0],
            removed: Vec::new(),
            doubtful: Vec::new(),
            blocks: Vec::new(),
            length: text.len(),
        };
        outline.starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|end| end + 1));
        let after = reasoning(text, &mut outline.removed);
        let mut fresh = true;
        for (number, &start) in outline.starts.iter().enumerate() {
            let end = outline.starts.get(number + 1).copied().unwrap_or(text.len());
            let line = &text[start..end];
            let thought = outline.removed.iter().any(|range| range.start < end && range.end >= end);
            if (end <= after && after > 0) || thought {
                continue;
            }
            let bare = line.trim();
            if bare.is_empty() {
                fresh = true;
            } else if is_fence(bare) {
                outline.removed.push(start..end);
                fresh = true;
            } else {
                if fresh {
                    outline.blocks.push(start);
                }
                if is_heading(bare) {
                    outline.doubtful.push(start..end);
                    fresh = true;
                } else {
                    if let Some(length) = label(line).filter(|_| fresh) {
                        outline.doubtful.push(start..start + length);
                        // The answer may start after a label.
                        outline.blocks.push(start + length);
                    }
                    fresh = false;
                }
            }
        }
        outline.removed.sort_by_key(|range| range.start);
        outline
    }

    /// Returns line and column of a byte.
    pub(super) fn place(&self, at: usize) -> (u32, u32) {
        let line = self.starts.partition_point(|&start| start <= at);
        let start = self.starts[line.saturating_sub(1)];
        (line as u32, (at - start) as u32 + 1)
    }

    /// Returns the end of the removed part that starts at a byte, if any.
    pub(super) fn removed_at(&self, at: usize) -> Option<usize> {
        let place = self.removed.partition_point(|range| range.end <= at);
        self.removed.get(place).filter(|range| range.contains(&at)).map(|range| range.end)
    }

    /// Returns the range of the whole file.
    pub(super) fn whole(&self) -> Range<usize> {
        0..self.length
    }

    /// Returns the lines with text, or the whole file if no line has text.
    pub(super) fn lines(&self) -> Vec<Range<usize>> {
        let mut lines = Vec::new();
        for (number, &start) in self.starts.iter().enumerate() {
            let end = self.starts.get(number + 1).copied().unwrap_or(self.length);
            let block = self.blocks.partition_point(|&block| block < end);
            let removed = self.removed_at(start).is_some_and(|to| to >= end);
            if start < end && block > 0 && !removed {
                lines.push(start..end);
            }
        }
        if lines.is_empty() { vec![self.whole()] } else { lines }
    }
}

/// Removes `<think>…</think>`. Returns the end of reasoning whose start tag is missing.
fn reasoning(text: &str, removed: &mut Vec<Range<usize>>) -> usize {
    let (open, close) = ("<think>", "</think>");
    let (mut from, mut lost) = (0, 0);
    while let Some(end) = text[from..].find(close).map(|end| from + end + close.len()) {
        match text[from..end].find(open) {
            Some(start) => removed.push(from + start..end),
            None => {
                removed.push(from..end);
                lost = end;
            }
        }
        from = end;
    }
    lost
}

/// Returns whether a line is a code fence.
fn is_fence(line: &str) -> bool {
    let rest = line.trim_start_matches('`');
    let fence = line.len() - rest.len();
    (fence >= 3 || line.starts_with("~~~"))
        && rest.trim_start_matches('~').chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '+'))
}

/// Returns whether a line is a heading in Markdown.
fn is_heading(line: &str) -> bool {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    (1..=6).contains(&level) && rest.starts_with(' ')
}

/// Returns the length of a label at the start of a line, such as `Output: `.
fn label(line: &str) -> Option<usize> {
    const LABELS: [&str; 9] = [
        "output", "answer", "annotated text", "text", "result", "response", "annotation", "input", "solution",
    ];
    let bare = line.trim_start_matches([' ', '*', '#']);
    let (label, rest) = bare.split_once(':')?;
    let known = LABELS.contains(&label.trim_matches('*').trim().to_lowercase().as_str());
    known.then(|| line.len() - rest.trim_start_matches(['*', ' ']).len())
}

/// Words for an entity that a number may follow: `entity 1`.
const KINDS: [&str; 7] = ["entity", "cluster", "chain", "coref", "set", "group", "id"];

/// Returns whether a word may be followed by a space and its number.
pub(super) fn is_kind(word: &str) -> bool {
    KINDS.iter().any(|kind| kind.eq_ignore_ascii_case(word))
}

/// Returns whether a text is a word and its number, as in `entity 1`.
pub(super) fn is_numbered(text: &str) -> bool {
    text.split_once(' ').is_some_and(|(word, number)| {
        !word.is_empty()
            && word.chars().all(char::is_alphabetic)
            && !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Returns the end of an id including the number after it, as in `]_entity 1`. Punctuation does not end the id.
pub(super) fn number_end(raw: &str, start: usize, end: usize) -> usize {
    match is_kind(&raw[start..end]) {
        true => number_after(raw, end).unwrap_or(end),
        false => end,
    }
}

/// Returns the end of a number that follows after one space, if any.
pub(super) fn number_after(raw: &str, at: usize) -> Option<usize> {
    let rest = raw[at..].strip_prefix(' ')?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let ends = !rest[digits..].starts_with(|c: char| c.is_ascii_alphanumeric());
    (digits > 0 && ends).then_some(at + 1 + digits)
}

/// A mention, identified by its place in the file.
#[derive(Clone, Debug)]
pub(super) struct RawMark {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) entity: String,
    /// The start of its opening mark.
    pub(super) at: usize,
}

/// A part of the text that may be a mark, and the finding to report if it is a mark.
type RawDoubt = (Range<usize>, Option<(Code, String)>);

/// The marks that a notation finds in a file.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    pub(super) notation: Notation,
    /// The replacements in the text. Marks are deleted.
    pub(super) edits: Vec<(Range<usize>, String)>,
    /// The parts that may be text or marks.
    pub(super) doubts: Vec<RawDoubt>,
    pub(super) marks: Vec<RawMark>,
    /// The places of empty nodes.
    pub(super) zeros: Vec<usize>,
    /// The faults that do not depend on the key.
    pub(super) findings: Vec<(usize, Code, String)>,
    /// The number of complete marks.
    pub(super) complete: usize,
    /// The number of incomplete marks.
    pub(super) faulty: usize,
}

impl Parsed {
    /// Returns the number of complete marks minus the number of faulty marks.
    pub(super) fn score(&self) -> i64 {
        self.complete as i64 - self.faulty as i64
    }

    /// Adds a complete mention.
    pub(super) fn mark(&mut self, start: usize, end: usize, entity: &str, at: usize) {
        self.complete += 1;
        self.marks.push(RawMark { start, end, entity: entity.to_owned(), at });
    }

    /// Adds a finding about a faulty mark.
    pub(super) fn fault(&mut self, at: usize, code: Code, message: String) {
        self.faulty += 1;
        self.findings.push((at, code, message));
    }

    /// Removes a part of the file from the text.
    pub(super) fn leave_out(&mut self, range: Range<usize>) {
        self.edits.push((range, String::new()));
    }

    /// Sorts all lists into the order of the file.
    pub(super) fn sorted(mut self) -> Parsed {
        self.edits.sort_by_key(|edit| edit.0.start);
        self.doubts.sort_by_key(|doubt| doubt.0.start);
        self.marks.sort_by_key(|mark| (mark.start, std::cmp::Reverse(mark.end)));
        self.zeros.sort_unstable();
        self.findings.sort_by_key(|finding| finding.0);
        self
    }
}

/// Returns the text of a part of a file without its marks.
pub(super) fn emit(
    raw: &str,
    outline: &RawOutline,
    parsed: &Parsed,
    part: Range<usize>,
) -> (Vec<String>, AnswerBody) {
    let is_pipe = parsed.notation == Notation::Pipe;
    let mut text = MarkedText { underscores: is_pipe, whole_words: is_pipe, ..MarkedText::default() };
    let offsets = add_text(raw, outline, parsed, &part, &mut text);
    let offset = |at: usize| -> u32 {
        let place = offsets.partition_point(|offset| offset.0 < at);
        offsets.get(place).or(offsets.last()).map_or(0, |offset| offset.1)
    };
    if text.blocks.is_empty() {
        text.blocks.push(0);
    }
    let within = |range: &Range<usize>| part.start <= range.start && range.end <= part.end;
    text.doubts = doubts(outline, parsed, &part, offset);
    let zeros: Vec<usize> =
        parsed.zeros.iter().copied().filter(|zero| (part.start..part.end).contains(zero)).collect();
    for &zero in &zeros {
        let (line, column) = outline.place(zero);
        text.zeros.push(ZeroMark { at: offset(zero), line, column });
    }
    let (mut entities, mut known): (Vec<String>, FxHashMap<&str, u32>) = (Vec::new(), FxHashMap::default());
    let marks = parsed.marks.iter().filter(|mark| within(&(mark.start..mark.end)));
    for mark in marks {
        let entity = *known.entry(mark.entity.as_str()).or_insert_with(|| {
            entities.push(mark.entity.clone());
            entities.len() as u32 - 1
        });
        let first = zeros.partition_point(|&zero| zero < mark.start) as u32;
        let last = zeros.partition_point(|&zero| zero < mark.end) as u32;
        let (line, column) = outline.place(mark.at);
        let zeros = (first < last).then(|| (first, last - 1));
        let (start, end) = (offset(mark.start), offset(mark.end));
        text.marks.push(Mark { start, end: end.max(start), zeros, entity, line, column });
    }
    (entities, AnswerBody::Text(text))
}

/// Adds the text of a part of a file without its marks. Returns its places in the file, in order, each with the number of
/// bytes of the text before it.
fn add_text(
    raw: &str,
    outline: &RawOutline,
    parsed: &Parsed,
    part: &Range<usize>,
    text: &mut MarkedText,
) -> Vec<(usize, u32)> {
    let mut offsets: Vec<(usize, u32)> = Vec::new();
    let mut edit = parsed.edits.partition_point(|edit| edit.0.end <= part.start);
    let mut block = outline.blocks.partition_point(|&start| start < part.start);
    let mut at = part.start;
    let mut fresh = true;
    let unwrapped = |text: &mut MarkedText, at: usize| {
        text.unwrapped = text.unwrapped.or_else(|| Some(outline.place(at)));
    };
    while at < part.end {
        offsets.push((at, text.text.len() as u32));
        if outline.blocks.get(block).is_some_and(|&start| start <= at) {
            text.blocks.push(text.text.len() as u32);
            block += 1;
            continue;
        }
        if let Some(end) = outline.removed_at(at) {
            unwrapped(text, at);
            at = end.min(part.end);
            fresh = true;
            continue;
        }
        if let Some((range, replaced)) = parsed.edits.get(edit).filter(|edit| edit.0.start <= at) {
            if range.end > at {
                if !replaced.is_empty() {
                    let (line, column) = outline.place(at);
                    text.places.push((text.text.len() as u32, line, column));
                    text.text.push_str(replaced);
                }
                at = range.end;
                fresh = true;
            }
            edit += 1;
            continue;
        }
        let character = raw[at..].chars().next().unwrap_or(' ');
        if fresh {
            let (line, column) = outline.place(at);
            text.places.push((text.text.len() as u32, line, column));
            fresh = false;
        }
        fresh |= character == '\n';
        text.text.push(character);
        at += character.len_utf8();
    }
    offsets.push((part.end, text.text.len() as u32));
    offsets
}

/// Returns the doubts about a part of a file, by their start in its text; `offset` converts places in the file.
fn doubts(
    outline: &RawOutline,
    parsed: &Parsed,
    part: &Range<usize>,
    offset: impl Fn(usize) -> u32,
) -> Vec<Doubt> {
    let within = |range: &Range<usize>| part.start <= range.start && range.end <= part.end;
    let mut doubts: Vec<Doubt> = Vec::new();
    for (range, finding) in &parsed.doubts {
        let in_label = |label: &Range<usize>| label.start <= range.start && range.end <= label.end;
        // Doubts do not overlap.
        if within(range) && !(finding.is_none() && outline.doubtful.iter().any(in_label)) {
            doubts.push(Doubt {
                start: offset(range.start),
                end: offset(range.end),
                finding: finding.clone(),
            });
        }
    }
    for range in outline.doubtful.iter().filter(|range| within(range)) {
        let (start, end) = (offset(range.start), offset(range.end));
        if start < end {
            doubts.push(Doubt { start, end, finding: None });
        }
    }
    doubts.sort_by_key(|doubt| doubt.start);
    doubts
}
