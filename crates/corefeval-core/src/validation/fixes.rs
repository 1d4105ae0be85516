//! Corrections that change the text of a file but not its meaning.
//!
//! A row of [`FIXES`] corrects one code in some formats: it makes explicit how readers already interpret the text.
//! After all corrections, the text is read again for both sides, and it is kept only if its documents have not changed.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use memchr::memchr_iter;

use super::same_documents;
use crate::diagnostic::{Code, Diagnostic, Journal};
use crate::formats::{FormatSpec, ReadOptions};
use crate::input::{Input, Limits, compressed_like, decompressed, is_compressed};
use crate::model::{Corpus, Side};

/// A correction of findings with one code.
pub struct Fix {
    /// The code of the findings.
    pub code: Code,
    /// The formats in which it is possible.
    pub formats: &'static [&'static str],
    /// The description of the correction, as a sentence.
    pub summary: &'static str,
    edits: fn(&TextLines<'_>, &Diagnostic) -> Vec<Edit>,
}

impl Fix {
    /// Returns the effect of the correction, to follow `--fix`: `removes the pair of brackets`.
    pub fn action(&self) -> String {
        let sentence = self.summary.split(". ").next().unwrap_or_default().trim_end_matches('.');
        sentence[..1].to_lowercase() + &sentence[1..]
    }
}

/// All corrections. The conversion of UTF-16 to UTF-8 comes before all of them.
pub static FIXES: &[Fix] = &[
    Fix {
        code: Code::EmptyId,
        formats: &["conll", "semeval"],
        summary: "Removes the pair of brackets.",
        edits: |lines, finding| without_empty_bracket(lines, finding).into_iter().collect(),
    },
    Fix {
        code: Code::StraySign,
        formats: &["conll", "semeval"],
        summary: "Removes the spaces or the bar.",
        edits: |lines, finding| without_stray_sign(lines, finding).into_iter().collect(),
    },
    Fix {
        code: Code::NoEndLine,
        formats: &["conll", "semeval"],
        summary: "Ends the document before the next one starts. The last document of a file is left alone: the file may be truncated.",
        edits: |lines, finding| with_end_line(lines, finding).into_iter().collect(),
    },
    Fix {
        code: Code::NoGlobalEntity,
        formats: &["corefud"],
        summary: "Puts the line `# global.Entity = eid-etype-head-other`, which was assumed, at the top.",
        edits: |lines, _| vec![lines.insert(0, b"# global.Entity = eid-etype-head-other")],
    },
    Fix {
        code: Code::NoColumnsLine,
        formats: &["conll-ua"],
        summary: "Puts the line `# global.columns`, with the columns that were assumed, at the top.",
        edits: |lines, _| {
            let line = format!("# global.columns = {}", crate::formats::USUAL_COLUMNS);
            vec![lines.insert(0, line.as_bytes())]
        },
    },
    Fix {
        code: Code::ReversedSpan,
        formats: &["jsonlines"],
        summary: "Swaps the ends of the span.",
        edits: |lines, finding| clusters(lines, finding, |span| span.reversed()),
    },
    Fix {
        code: Code::SpanExtra,
        formats: &["jsonlines"],
        summary: "Removes the values after the second.",
        edits: |lines, finding| clusters(lines, finding, |span| span.cut()),
    },
    Fix {
        code: Code::EmptyEntity,
        formats: &["jsonlines"],
        summary: "Removes the empty list.",
        edits: empty_lists,
    },
];

/// A correction that replaces a piece of text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Edit {
    start: usize,
    end: usize,
    text: Vec<u8>,
}

impl Edit {
    fn new(place: Range<usize>, text: impl Into<Vec<u8>>) -> Edit {
        Edit { start: place.start, end: place.end, text: text.into() }
    }
}

/// A text by lines.
struct TextLines<'t> {
    text: &'t [u8],
    /// The start of each line.
    starts: Vec<usize>,
}

impl<'t> TextLines<'t> {
    fn new(text: &'t [u8]) -> TextLines<'t> {
        let first = text.len() - crate::formats::without_mark(text).len();
        let starts = std::iter::once(first).chain(memchr_iter(b'\n', text).map(|end| end + 1)).collect();
        TextLines { text, starts }
    }

    /// Returns the bytes of a line, counted from 0, without its end.
    fn line(&self, number: usize) -> Option<Range<usize>> {
        let start = *self.starts.get(number)?;
        let mut end = self.starts.get(number + 1).map_or(self.text.len(), |next| next - 1);
        if end > start && self.text[end - 1] == b'\r' {
            end -= 1;
        }
        Some(start..end.max(start))
    }

    /// Inserts a line before a line, counted from 0.
    fn insert(&self, number: usize, line: &[u8]) -> Edit {
        let start = self.starts.get(number).copied().unwrap_or(self.text.len());
        let crlf = self.starts.get(1).is_some_and(|&next| next >= 2 && self.text[next - 2] == b'\r');
        let mut text = line.to_vec();
        text.extend_from_slice(if crlf { b"\r\n" } else { b"\n" });
        Edit::new(start..start, text)
    }

    /// Returns the line of a finding, and the place in the text that it refers to.
    fn place(&self, finding: &Diagnostic) -> Option<(Range<usize>, usize)> {
        let position = finding.position.as_ref().filter(|position| position.line > 0)?;
        let line = self.line(position.line as usize - 1)?;
        let at = line.start + (position.column as usize).saturating_sub(1);
        (at <= line.end).then_some((line, at))
    }
}

/// Removes a bracket without an id from its cell. A cell that would be empty becomes `-`.
fn without_empty_bracket(lines: &TextLines<'_>, finding: &Diagnostic) -> Option<Edit> {
    let (line, at) = lines.place(finding)?;
    let text = lines.text;
    let byte = |place: usize| (line.start..line.end).contains(&place).then(|| text[place]);
    // A bracket alone may be half of a mention.
    if (byte(at), byte(at + 1)) != (Some(b'('), Some(b')')) {
        return None;
    }
    let (mut start, mut end) = (at, at + 2);
    if byte(end) == Some(b'|') {
        end += 1;
    } else if start > line.start && byte(start - 1) == Some(b'|') {
        start -= 1;
    }
    let separates = |byte: Option<u8>| byte.is_none_or(|byte| matches!(byte, b' ' | b'\t'));
    let alone = separates(start.checked_sub(1).and_then(byte)) && separates(byte(end));
    Some(Edit::new(start..end, if alone { &b"-"[..] } else { b"" }))
}

/// Removes spaces or a bar from a cell. A cell without other content becomes `-`.
fn without_stray_sign(lines: &TextLines<'_>, finding: &Diagnostic) -> Option<Edit> {
    let (line, at) = lines.place(finding)?;
    let rest = &lines.text[at..line.end];
    let length = match rest.first()? {
        b'|' => 1,
        _ => rest.iter().take_while(|byte| **byte == b' ').count(),
    };
    let cell = lines.text[line.clone()].rsplit(|&byte| byte == b'\t').next().unwrap_or_default();
    let only_signs = cell.iter().all(|byte| matches!(byte, b'|' | b' '));
    let first = line.end - cell.len() == at;
    Some(Edit::new(at..at + length, if only_signs && first { &b"-"[..] } else { b"" }))
}

/// Inserts `#end document` before the next document.
fn with_end_line(lines: &TextLines<'_>, finding: &Diagnostic) -> Option<Edit> {
    let begun = finding.position.as_ref()?.line as usize;
    let begins = |number: &usize| {
        lines.line(*number).is_some_and(|line| lines.text[line].starts_with(b"#begin document"))
    };
    let next = (begun..lines.starts.len()).find(begins)?;
    Some(lines.insert(next, b"#end document"))
}

/// A list of whole numbers in the clusters of a line of JSON.
struct ClusterNumbers<'t> {
    text: &'t [u8],
    /// The places of the numbers.
    numbers: Vec<Range<usize>>,
}

impl ClusterNumbers<'_> {
    fn number(&self, place: usize) -> Option<u64> {
        std::str::from_utf8(&self.text[self.numbers.get(place)?.clone()]).ok()?.parse().ok()
    }

    /// Swaps the first two numbers if the first is larger.
    fn reversed(&self) -> Option<Edit> {
        let (one, other) = (self.numbers.first()?.clone(), self.numbers.get(1)?.clone());
        let pieces = [&other, &(one.end..other.start), &one].map(|place| &self.text[place.clone()]);
        (self.number(0)? > self.number(1)?).then(|| Edit::new(one.start..other.end, pieces.concat()))
    }

    /// Removes everything after the second number.
    fn cut(&self) -> Option<Edit> {
        let (second, last) = (self.numbers.get(1)?, self.numbers.last()?);
        (self.numbers.len() > 2).then(|| Edit::new(second.end..last.end, Vec::new()))
    }
}

/// The fields of a line that contain clusters.
const CLUSTERS: [&[u8]; 2] = [b"\"clusters\"", b"\"predicted_clusters\""];

/// Returns the lists in a line's fields of clusters: the lists of empty entities, and the lists of numbers.
fn lists_of<'t>(text: &'t [u8], line: Range<usize>) -> (Vec<Range<usize>>, Vec<ClusterNumbers<'t>>) {
    let (mut empty, mut spans) = (Vec::new(), Vec::new());
    // The starts of the open brackets. The first is the object's.
    let mut open: Vec<usize> = Vec::new();
    let (mut field, mut string): (Option<Range<usize>>, Option<Range<usize>>) = (None, None);
    let mut numbers: Vec<Range<usize>> = Vec::new();
    let mut place = line.start;
    while place < line.end {
        let wanted = field.as_ref().is_some_and(|field| CLUSTERS.contains(&&text[field.clone()]));
        match text[place] {
            b'"' => {
                let start = place;
                place += 1;
                while place < line.end && text[place] != b'"' {
                    place += if text[place] == b'\\' { 2 } else { 1 };
                }
                string = Some(start..(place + 1).min(line.end));
            }
            b':' if open.len() == 1 => field = string.take(),
            b'[' | b'{' => {
                open.push(place);
                numbers.clear();
            }
            b']' | b'}' => {
                let start = open.pop().unwrap_or(place);
                let blank = text[start + 1..place].iter().all(u8::is_ascii_whitespace);
                match open.len() {
                    2 if wanted && blank => empty.push(start..place + 1),
                    3 if wanted => spans.push(ClusterNumbers { text, numbers: std::mem::take(&mut numbers) }),
                    _ => {}
                }
            }
            b'-' | b'0'..=b'9' => {
                let digits =
                    text[place + 1..line.end].iter().take_while(|byte| byte.is_ascii_digit()).count();
                numbers.push(place..place + 1 + digits);
                place += digits;
            }
            _ => {}
        }
        place += 1;
    }
    (empty, spans)
}

/// Returns the edits of all spans in the line of a finding.
fn clusters(
    lines: &TextLines<'_>,
    finding: &Diagnostic,
    edit: fn(&ClusterNumbers<'_>) -> Option<Edit>,
) -> Vec<Edit> {
    let Some((line, _)) = lines.place(finding) else { return Vec::new() };
    lists_of(lines.text, line).1.iter().filter_map(edit).collect()
}

/// Removes the empty lists of entities, each with one comma.
fn empty_lists(lines: &TextLines<'_>, finding: &Diagnostic) -> Vec<Edit> {
    let Some((line, _)) = lines.place(finding) else { return Vec::new() };
    let text = lines.text;
    let blanks = |bytes: &[u8]| bytes.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let edit = |list: Range<usize>| {
        let after = list.end + blanks(&text[list.end..line.end]);
        if text[after..line.end].first() == Some(&b',') {
            let next = after + 1;
            return Edit::new(list.start..next + blanks(&text[next..line.end]), Vec::new());
        }
        let before = text[line.start..list.start].iter().rposition(|byte| !byte.is_ascii_whitespace());
        match before.map(|place| line.start + place).filter(|&place| text[place] == b',') {
            Some(comma) => Edit::new(comma..list.end, Vec::new()),
            None => Edit::new(list, Vec::new()),
        }
    };
    lists_of(text, line.clone()).0.into_iter().map(edit).collect()
}

/// Converts UTF-16 with a byte order mark to UTF-8. Returns `None` for other bytes, and for truncated or damaged
/// UTF-16.
fn utf8(bytes: &[u8]) -> Option<Vec<u8>> {
    let little = match bytes {
        [0xFF, 0xFE, ..] => true,
        [0xFE, 0xFF, ..] => false,
        _ => return None,
    };
    let (pairs, rest) = bytes[2..].as_chunks::<2>();
    let units =
        pairs.iter().map(|pair| if little { u16::from_le_bytes(*pair) } else { u16::from_be_bytes(*pair) });
    let text: Result<String, _> = char::decode_utf16(units).collect();
    text.ok().filter(|_| rest.is_empty()).map(String::into_bytes)
}

/// The text of a file after corrections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed {
    /// The text.
    pub bytes: Vec<u8>,
    /// The number of corrected findings of each code.
    pub codes: Vec<(&'static str, u64)>,
}

/// Returns, for each of the findings about a text, whether it can be corrected.
pub fn can_fix(
    bytes: &[u8],
    name: &Arc<str>,
    (format, limits): (&str, &Limits),
    findings: &[Diagnostic],
) -> Vec<bool> {
    let text = match is_compressed(bytes) {
        true => decompressed(bytes, name, limits).unwrap_or_default(),
        false => Vec::new(),
    };
    let lines = TextLines::new(if is_compressed(bytes) { &text } else { bytes });
    let can = |finding: &Diagnostic| {
        let fix = fix_of(finding.code, format);
        fix.is_some_and(|fix| !(fix.edits)(&lines, finding).is_empty())
    };
    findings.iter().map(can).collect()
}

/// Returns the correction of findings of a code in a format, if any.
pub fn fix_of(code: Code, format: &str) -> Option<&'static Fix> {
    FIXES.iter().find(|fix| fix.code == code && fix.formats.contains(&format))
}

/// The number of rounds of corrections. Some findings only appear after others are corrected.
const ROUNDS: usize = 100;

/// Corrects a file. Returns `None` if nothing can be corrected safely. In formats with stand-off annotation, the text
/// is not changed. A compressed file stays compressed.
pub fn fix(
    bytes: &[u8],
    name: &Arc<str>,
    format: Option<&'static FormatSpec>,
    options: &ReadOptions,
) -> Option<Fixed> {
    if !is_compressed(bytes) {
        return fix_text(bytes, name, format, options);
    }
    let read = |bytes: &[u8]| decompressed(bytes, name, &options.limits).ok();
    let text = read(bytes).filter(|text| !is_compressed(text))?;
    let fixed = fix_text(&text, name, format, options)?;
    let packed = compressed_like(bytes, &fixed.bytes).ok()?;
    (read(&packed)? == fixed.bytes).then_some(Fixed { bytes: packed, ..fixed })
}

/// Corrects a text.
fn fix_text(
    bytes: &[u8],
    name: &Arc<str>,
    format: Option<&'static FormatSpec>,
    options: &ReadOptions,
) -> Option<Fixed> {
    let read = |bytes: &[u8], side: Side, journal: Option<Journal>| {
        let options = ReadOptions { side, journal, keep_layers: true, ..options.clone() };
        let input = Input::Bytes { name: Arc::clone(name), bytes: Arc::from(bytes) };
        input.read(format, &options, &AtomicU64::new(0))
    };
    let both = |bytes: &[u8]| -> [Option<Corpus>; 2] {
        [Side::Key, Side::Response].map(|side| read(bytes, side, None).ok().map(|read| read.0))
    };
    let mut codes: Vec<(&'static str, u64)> = Vec::new();
    let mut count = |code: &'static str| match codes.iter_mut().find(|(known, _)| *known == code) {
        Some((_, count)) => *count += 1,
        None => codes.push((code, 1)),
    };
    let mut text = bytes.to_vec();
    if let Some(converted) = utf8(bytes) {
        count(Code::Utf16.id());
        text = converted;
    }
    let before = both(&text);
    for _ in 0..ROUNDS {
        let journal = Journal::default();
        let found = read(&text, options.side, Some(journal.clone()));
        let findings = journal.take();
        let spec = found.as_ref().ok().map(|found| found.1).or(format).or_else(|| FormatSpec::detect(&text));
        let Some(spec) = spec.filter(|spec| spec.companion.is_none()) else { break };
        let lines = TextLines::new(&text);
        let mut edits: Vec<(Edit, &'static str)> = Vec::new();
        for finding in &findings {
            for edit in
                fix_of(finding.code, spec.id).map(|fix| (fix.edits)(&lines, finding)).unwrap_or_default()
            {
                if !edits.iter().any(|known| known.0 == edit) {
                    edits.push((edit, finding.code.id()));
                }
            }
        }
        edits.sort();
        let mut next = Vec::with_capacity(text.len());
        let (mut end, mut changed) = (0, false);
        for (edit, code) in edits {
            // Overlapping corrections wait for the next round.
            if edit.start < end {
                continue;
            }
            next.extend_from_slice(&text[end..edit.start]);
            next.extend_from_slice(&edit.text);
            end = edit.end;
            changed = true;
            count(code);
        }
        next.extend_from_slice(&text[end..]);
        if !changed || next == text {
            break;
        }
        text = next;
    }
    let same = before.iter().zip(both(&text)).all(|(before, after)| match (before, after) {
        (Some(before), Some(after)) => same_documents(before, &after),
        (None, _) => true,
        (Some(_), None) => false,
    });
    (same && text != bytes).then_some(Fixed { bytes: text, codes })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixed(format: &str, text: &str) -> Option<String> {
        let spec = FormatSpec::named(format).unwrap();
        let fixed = fix(text.as_bytes(), &Arc::from("f"), Some(spec), &ReadOptions::default())?;
        let text = String::from_utf8(fixed.bytes).unwrap();
        // A second run changes nothing.
        assert_eq!(fix(text.as_bytes(), &Arc::from("f"), Some(spec), &ReadOptions::default()), None);
        Some(text)
    }

    #[test]
    fn corrections_write_out_how_readers_interpret_the_text() {
        let conll = |cells: [&str; 3], between: &str| {
            let [a, b, c] = cells;
            format!(
                "#begin document (a); part 000\r\nx\t{a}\r\ny\t{b}\r\n{between}#begin document (b); part 000\r\nz\t{c}\r\n#end document\r\n"
            )
        };
        let broken = conll(["(1)|()", "()", "()|(2)"], "");
        assert_eq!(fixed("conll", &broken).unwrap(), conll(["(1)", "-", "(2)"], "#end document\r\n"));
        assert_eq!(fixed("conll", &conll(["(1)", "-", "(2)"], "#end document\r\n")), None);
        let line = |clusters: &str| {
            format!(
                "{{\"doc_key\": \"[]\", \"sentences\": [[\"a\", \"b\", \"c\"]], \"clusters\": {clusters}, \"x\": [[[2, 1, 0], []]]}}\n"
            )
        };
        let broken = line("[[[1, 0], [2,2, 7]], [], [ ]]");
        assert_eq!(fixed("jsonlines", &broken).unwrap(), line("[[[0, 1], [2,2]]]"));
        // One correction for each finding.
        let spec = FormatSpec::named("jsonlines").unwrap();
        let whole = fix(broken.as_bytes(), &Arc::from("f"), Some(spec), &ReadOptions::default()).unwrap();
        let mut codes = whole.codes;
        codes.sort_unstable();
        assert_eq!(codes, [("empty-entity", 2), ("reversed-span", 1), ("span-extra", 1)]);
        // Without the empty list, later entities have different numbers.
        let broken = line("[[[0, 0]], [], [[2, 1]]]");
        assert_eq!(fixed("jsonlines", &broken).unwrap(), line("[[[0, 0]], [[1, 2]]]"));
        assert_eq!(fixed("jsonlines", &line("[[[2 , 0, 7]]]")).unwrap(), line("[[[0 , 2]]]"));
        assert_eq!(fixed("jsonlines", &line("[[[0, 1]]]")), None);
    }

    #[test]
    fn possibly_lost_annotation_is_not_corrected() {
        // An opening that never closes, a closing that was never opened, the end of the file, an id without a bracket.
        let text = "#begin document (a); part 000\nx\t(1\ny\t2)\nz\t3\nw\t(4)\n";
        assert_eq!(fixed("conll", text), None);
    }

    #[test]
    fn utf_16_becomes_utf_8() {
        let text = "#begin document (a); part 000\né\t(1)\n#end document\n";
        for little in [true, false] {
            let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
            let bytes: Vec<u8> = units
                .flat_map(|unit: u16| if little { unit.to_le_bytes() } else { unit.to_be_bytes() })
                .collect();
            let fixed = fix(&bytes, &Arc::from("f"), None, &ReadOptions::default()).unwrap();
            assert_eq!(fixed.bytes, text.as_bytes());
            // Half a character at the end: the file is damaged.
            assert_eq!(fix(&bytes[..bytes.len() - 1], &Arc::from("f"), None, &ReadOptions::default()), None);
        }
    }
}
