//! Excerpts of lines that mark the offending text.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::Finding;
use crate::input::Input;
use crate::wording::start_of;

/// A line with the text of a finding. Long lines are cut around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The text before the mark.
    pub before: String,
    /// The text to underline; empty at the end of a line.
    pub marked: String,
    /// The text after the mark.
    pub after: String,
    /// The first character of the text in the line, from 1.
    pub first: u32,
    /// The column after its last character, from 1.
    pub end: u32,
}

/// The number of characters to keep before and after the text.
const AROUND: usize = 60;

/// The number of characters of the text to keep.
const MARKED: usize = 160;

/// The number of bytes that are searched for the end of the text.
const SEARCHED: usize = 1 << 12;

impl Excerpt {
    /// Returns the excerpt of `line` at a column in bytes, counted from 1; 0 means the whole line.
    pub fn new(line: &[u8], column: u32) -> Excerpt {
        Excerpt::counted(line, column, &mut CharacterCount::default())
    }

    /// Like [`new`](Self::new), for a line with characters already counted up to an earlier column.
    fn counted(line: &[u8], column: u32, counted: &mut CharacterCount) -> Excerpt {
        /// The size in bytes of more characters than are kept.
        const KEPT: usize = 4 * (AROUND + 2);
        let line = without_end(line);
        let range = extent(line, column);
        let before = &line[range.start.saturating_sub(KEPT)..range.start];
        let after = &line[range.end..line.len().min(range.end + KEPT)];
        let [before, after] = [before, after].map(String::from_utf8_lossy);
        let characters = counted.characters(line, &range);
        Excerpt {
            before: cut_start(&before),
            marked: start_of(&String::from_utf8_lossy(&line[range]), MARKED).into_owned(),
            after: start_of(&after, AROUND).into_owned(),
            first: characters[0] + 1,
            end: characters[1] + 1,
        }
    }
}

/// Counts the characters of a line up to a place. A line may be a whole file, with a finding at each of its words.
#[derive(Default)]
struct CharacterCount {
    range: Range<usize>,
    characters: [u32; 2],
}

impl CharacterCount {
    /// Returns the numbers of characters before a range, and up to its end.
    fn characters(&mut self, line: &[u8], range: &Range<usize>) -> [u32; 2] {
        let count = |bytes: &[u8]| String::from_utf8_lossy(bytes).chars().count() as u32;
        if self.range != *range {
            let (start, before) = match self.range.start {
                start if start <= range.start => (start, self.characters[0]),
                _ => (0, 0),
            };
            let first = before + count(&line[start..range.start]);
            self.characters = [first, first + count(&line[range.clone()])];
            self.range = range.clone();
        }
        self.characters
    }
}

fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn cut_start(text: &str) -> String {
    let count = text.chars().count();
    if count <= AROUND {
        return text.to_owned();
    }
    let kept: String = text.chars().skip(count - AROUND).collect();
    format!("…{kept}")
}

/// Returns the bytes of a line that a column refers to: a bracket with its id, a tag, a string, otherwise the text
/// between spaces and punctuation.
fn extent(line: &[u8], column: u32) -> Range<usize> {
    // Column 0 and the start of a line with `#` refer to the whole line.
    if column == 0 || column == 1 && line.starts_with(b"#") {
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t');
        let start = line.iter().position(|byte| !blank(byte)).unwrap_or(0);
        let end = line.iter().rposition(|byte| !blank(byte)).map_or(line.len(), |last| last + 1);
        return start..end.max(start);
    }
    let start = (column as usize - 1).min(line.len());
    let rest = &line[start..line.len().min(start + SEARCHED)];
    let until = |closing: u8| rest.iter().skip(1).position(|&byte| byte == closing).map(|place| place + 2);
    let length = match rest.first() {
        None => 0,
        Some(b'<') => until(b'>').unwrap_or(rest.len()),
        Some(b'"') => until(b'"').unwrap_or(rest.len()),
        Some(b'[') => until(b']').unwrap_or(rest.len()),
        Some(_) => {
            let ends = |byte: u8| byte.is_ascii_whitespace() || b"|(<>\"],}".contains(&byte);
            let stop = rest.iter().skip(1).position(|&byte| ends(byte) || byte == b')');
            match stop.map(|place| place + 1) {
                Some(place) if rest[place] == b')' => place + 1,
                Some(place) => place,
                None => rest.len(),
            }
        }
    };
    // A place within a character would cut it.
    let mut end = start + length.max(usize::from(!rest.is_empty()));
    while end < line.len() && line[end] & 0xC0 == 0x80 {
        end += 1;
    }
    start..end
}

/// Extracts the offending text of findings from the files that they name, unless these can no longer be read. Findings
/// about a whole line get the column of its first character.
pub fn add_excerpts(findings: &mut [Finding], inputs: &[&Input]) {
    let mut wanted: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
    for position in
        findings.iter().filter_map(|finding| finding.position.as_ref()).filter(|place| place.line > 0)
    {
        wanted.entry(position.source.to_string()).or_default().insert(position.line);
    }
    for (source, lines) in wanted {
        let input = inputs.iter().find(|input| input.path().is_none() && input.name() == source);
        let opened;
        let input = match input {
            Some(input) => *input,
            None => {
                opened = Input::Path(source.clone().into());
                &opened
            }
        };
        let Ok(lines) = input.lines(&lines) else { continue };
        let here =
            |finding: &&mut Finding| finding.position.as_ref().is_some_and(|place| *place.source == *source);
        let mut here: Vec<&mut Finding> = findings.iter_mut().filter(here).collect();
        here.sort_by_key(|finding| finding.position.as_ref().map(|place| (place.line, place.column)));
        let (mut counted, mut of_line) = (CharacterCount::default(), 0);
        for finding in here {
            let Some(position) = finding.position.as_mut() else { continue };
            let Some(line) = lines.get(&position.line) else { continue };
            if std::mem::replace(&mut of_line, position.line) != position.line {
                counted = CharacterCount::default();
            }
            finding.excerpt = Some(Excerpt::counted(line, position.column, &mut counted));
            if position.column == 0 {
                position.column = extent(without_end(line), 0).start as u32 + 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(line: &str, column: u32) -> String {
        Excerpt::new(line.as_bytes(), column).marked
    }

    /// Every finding with a line gets a column and a text, even if its reader reports only the line.
    #[test]
    fn every_finding_with_a_line_has_a_column() {
        use crate::diagnostic::{Code, Diagnostic};
        use crate::wording::Position;
        let name: std::sync::Arc<str> = "a.conll".into();
        let bytes = std::sync::Arc::from(&b"#begin document a\n  x\t(1\r\n\n"[..]);
        let input = Input::Bytes { name: std::sync::Arc::clone(&name), bytes };
        for (line, column, marked) in [(1, 1, "#begin document a"), (2, 3, "x\t(1"), (3, 1, "")] {
            let found = |&code: &Code| {
                let position = Some(Position::new(&name, line, 0));
                Finding::of(Diagnostic { code, message: "".into(), position, document: None })
            };
            let mut findings: Vec<Finding> = Code::ALL.iter().map(found).collect();
            add_excerpts(&mut findings, &[&input]);
            for finding in findings {
                assert_eq!(finding.position.unwrap().column, column, "{} {line}", finding.code);
                assert_eq!(finding.excerpt.unwrap().marked, marked, "{} {line}", finding.code);
            }
        }
    }

    #[test]
    fn a_column_marks_the_text_that_starts_there() {
        assert_eq!(marked("oven\t0\t1\tis\t(3)|(12|7)\r\n", 17), "(12");
        assert_eq!(marked("oven\t0\t1\tis\t(3)|(12|7)", 13), "(3)");
        assert_eq!(marked("oven\t0\t1\tis\t(3)|(12|7)", 21), "7)");
        assert_eq!(marked("<m id=\"1\">her</m>", 1), "<m id=\"1\">");
        assert_eq!(marked("  T1\tX 0 1\ta", 0), "T1\tX 0 1\ta");
        assert_eq!(marked("[[[0, 2], [3, 9]]]", 11), "[3, 9]");
        assert_eq!(marked("a", 9), "");
        assert_eq!(marked("", 1), "");
        assert_eq!(marked("é(x)", 1), "é");
        assert_eq!(marked("\u{e9}\u{301}", 2), "\u{fffd}\u{301}");
        let long = format!("{}(7){}", "x".repeat(200), "y".repeat(200));
        let excerpt = Excerpt::new(long.as_bytes(), 201);
        assert_eq!((excerpt.first, excerpt.end, excerpt.marked.as_str()), (201, 204, "(7)"));
        assert_eq!((excerpt.before.chars().count(), excerpt.after.chars().count()), (61, 61));
    }

    #[test]
    fn characters_are_counted_on_from_the_finding_before() {
        let line = "é(1) ü|(22) — <m id=\"3\"> (1)".repeat(20);
        let columns: Vec<u32> = (0..=line.len() as u32)
            .filter(|&column| column == 0 || line.is_char_boundary(column as usize - 1))
            .collect();
        let mut counted = CharacterCount::default();
        for column in columns.iter().chain(&columns[..3]) {
            let found = Excerpt::counted(line.as_bytes(), *column, &mut counted);
            assert_eq!(found, Excerpt::new(line.as_bytes(), *column), "{column}");
            let start = column.saturating_sub(1) as usize;
            assert_eq!(found.first as usize, line[..start].chars().count() + 1, "{column}");
        }
    }
}
