//! Finds misspelled names, such as `RFE` for `REF`, whose content would be ignored, and repeated ids of elements
//! that nothing refers to.
//!
//! Only `validate` looks for them. Each row of [`FORMATS`](super::FORMATS) lists the names that its reader recognises,
//! and where names occur in its files.

use std::sync::Arc;

use memchr::memchr;
use rustc_hash::FxHashMap;

use crate::diagnostic::{Code, Diagnostics, Position};

/// The names of a format, and where they occur.
#[derive(Clone, Copy)]
pub(super) enum Names {
    /// Names have no fixed place, or a misspelled name is an error anyway.
    Unchecked,
    /// Elements and attributes of XML.
    Markup(&'static [&'static str]),
    /// Elements and attributes of SGML, in upper or lower case.
    Sgml(&'static [&'static str]),
    /// Fields of the outermost JSON object or, in files with one line per document, of the object on each line.
    Json(&'static [&'static str]),
    /// Comments, the names that some comments list, and `Name=` in columns.
    Columns(&'static [&'static str]),
    /// Types of the relations of brat, in upper or lower case.
    Relations(&'static [&'static str]),
}

impl Names {
    fn known(self) -> &'static [&'static str] {
        match self {
            Names::Unchecked => &[],
            Names::Markup(known)
            | Names::Sgml(known)
            | Names::Json(known)
            | Names::Columns(known)
            | Names::Relations(known) => known,
        }
    }

    /// Returns whether the case of names is ignored.
    fn any_case(self) -> bool {
        matches!(self, Names::Sgml(_) | Names::Relations(_))
    }

    fn knows(self, found: &str) -> bool {
        let same = |known: &&str| *known == found || self.any_case() && known.eq_ignore_ascii_case(found);
        self.known().iter().any(same)
    }

    /// Returns the known name that `found` is probably a misspelling of; `None` if `found` is known itself. An
    /// attribute of one of the format's elements can hardly be anything else.
    fn meant(self, found: &str, is_attribute: bool) -> Option<&'static str> {
        let known = self.known();
        if found.len() < 2 || found.len() > 40 {
            return None;
        }
        let any_case = self.any_case();
        let lower = found.to_lowercase();
        let is_near = |name: &&&str| {
            let name = name.to_lowercase();
            // Many short names are similar by chance, so a misspelling must have the same letters.
            let same_letters = || sorted(&name) == sorted(&lower);
            match name.len() {
                _ if name == lower => !any_case,
                3 if is_attribute => strsim::osa_distance(&name, &lower) == 1,
                0..=3 => same_letters() && strsim::osa_distance(&name, &lower) == 1,
                4..=7 => strsim::osa_distance(&name, &lower) == 1,
                _ => strsim::osa_distance(&name, &lower) <= 2,
            }
        };
        if self.knows(found) { None } else { known.iter().find(is_near).copied() }
    }
}

/// Returns whether the tag around `place` has an attribute, as far as the tag is on this line.
fn has_attribute(line: &[u8], place: usize, name: &str) -> bool {
    let start = line[..place].iter().rposition(|&byte| byte == b'<').unwrap_or(0);
    let end = memchr(b'>', &line[place..]).map_or(line.len(), |length| place + length);
    line[start..end].split(u8::is_ascii_whitespace).any(|part| {
        let written = part.split(|&byte| byte == b'=').next().unwrap_or_default();
        part.len() > written.len() && written.eq_ignore_ascii_case(name.as_bytes())
    })
}

fn sorted(text: &str) -> Vec<char> {
    let mut letters: Vec<char> = text.chars().collect();
    letters.sort_unstable();
    letters
}

/// Checks the names in a file, block by block.
pub(super) struct NameCheck {
    names: Names,
    source: Arc<str>,
    diagnostics: Diagnostics,
    line: u32,
    /// The ids of the sentences of this document, and of relations, with their lines.
    ids: FxHashMap<Box<[u8]>, u32>,
    /// The open tag, if any, and the open quote in it, if any.
    tag: Option<Option<u8>>,
    /// True if the last tag belongs to the format.
    known_tag: bool,
    /// The number of open brackets of JSON.
    depth: u32,
}

impl NameCheck {
    /// Creates a check that adds to `diagnostics`.
    pub(super) fn new(names: Names, source: &Arc<str>, diagnostics: Diagnostics) -> NameCheck {
        NameCheck {
            names,
            source: Arc::clone(source),
            diagnostics,
            line: 0,
            ids: FxHashMap::default(),
            tag: None,
            known_tag: false,
            depth: 0,
        }
    }

    /// Takes whole lines.
    pub(super) fn take(&mut self, block: &[u8]) {
        for line in block.split_inclusive(|&byte| byte == b'\n') {
            self.line = self.line.saturating_add(1);
            match self.names {
                Names::Unchecked => {}
                Names::Markup(_) | Names::Sgml(_) => self.markup(line),
                Names::Json(_) => self.json(line),
                Names::Columns(_) => self.columns(line.trim_ascii_end()),
                Names::Relations(_) => {
                    let typed = matches!(line, [b'*' | b'R', ..]).then(|| memchr(b'\t', line)).flatten();
                    if let Some(start) = typed {
                        self.name(line, start + 1);
                        if line[0] == b'R' {
                            self.id(&line[..start], 1, "relation");
                        }
                    }
                }
            }
        }
    }

    /// Takes the name that starts at `start`, and returns where it ends.
    fn name(&mut self, line: &[u8], start: usize) -> usize {
        self.name_of(line, start, false)
    }

    /// Takes the id of a sentence or of a relation.
    fn id(&mut self, id: &[u8], column: u32, what: &str) {
        if let Some(&first) = self.ids.get(id) {
            let position = Position::new(&self.source, self.line, column);
            self.diagnostics.add(Code::SameId, Some(position), None, || {
                let id = String::from_utf8_lossy(id);
                format!("the {what} at line {first} has the same id, `{id}`")
            });
        } else {
            self.ids.insert(Box::from(id), self.line);
        }
    }

    fn name_of(&mut self, line: &[u8], start: usize, is_attribute: bool) -> usize {
        self.name_among(self.names, line, start, is_attribute)
    }

    fn name_among(&mut self, names: Names, line: &[u8], start: usize, is_attribute: bool) -> usize {
        let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
        let end = start + line[start..].iter().take_while(is_name).count();
        let found = std::str::from_utf8(&line[start..end]).unwrap_or_default();
        // The element has the known attribute as well, so the name is not a misspelling of it.
        let is_present_too = |meant: &&str| is_attribute && has_attribute(line, start, meant);
        if let Some(meant) = names.meant(found, is_attribute).filter(|meant| !is_present_too(meant)) {
            let position = Position::new(&self.source, self.line, start as u32 + 1);
            self.diagnostics.add(Code::Misspelled, Some(position), None, || {
                format!("`{found}` is not defined in this format and was not read; is `{meant}` meant?")
            });
        }
        end
    }

    fn markup(&mut self, line: &[u8]) {
        self.half_tags(line);
        let mut place = 0;
        while let Some(&byte) = line.get(place) {
            place += 1;
            match (&mut self.tag, byte) {
                // Declarations and comments do not contain names of the format.
                (_, b'<') if matches!(line.get(place), Some(b'?' | b'!')) => self.tag = None,
                (_, b'<') => {
                    let closes = usize::from(line.get(place) == Some(&b'/'));
                    self.tag = Some(None);
                    let end = self.name(line, place + closes);
                    let element = std::str::from_utf8(&line[place + closes..end]).unwrap_or_default();
                    self.known_tag = self.names.knows(element);
                    place = end;
                }
                (Some(quote @ Some(_)), byte) if *quote == Some(byte) => *quote = None,
                (Some(None), b'>') => self.tag = None,
                (Some(quote @ None), b'"' | b'\'') => *quote = Some(byte),
                (Some(None), byte) if byte.is_ascii_alphabetic() => {
                    let start = place - 1;
                    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
                    let end = start + line[start..].iter().take_while(|byte| is_name(byte)).count();
                    let is_attribute = line[end..].trim_ascii_start().first() == Some(&b'=');
                    if is_attribute && (start == 0 || line[start - 1].is_ascii_whitespace()) {
                        self.name_of(line, start, self.known_tag);
                    }
                    place = end.max(place);
                }
                _ => {}
            }
        }
    }

    /// Reports tags of the format that lack their `<`, and end tags that lack their `>`.
    fn half_tags(&mut self, line: &[u8]) {
        let names = self.names;
        // `DOCNO`, `/DOCNO` or `source m_id="4" /`.
        let is_tag = |text: &[u8]| {
            let Ok(text) = std::str::from_utf8(text) else { return false };
            let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, "="));
            // Text may precede the end of an element.
            let name = name.rsplit('/').find(|part| !part.is_empty()).unwrap_or_default();
            name.len() > 1 && rest.contains('=') && names.knows(name)
        };
        let mut from = (0, if self.tag.is_some() { b'<' } else { b'>' });
        for place in memchr::memchr2_iter(b'<', b'>', line).chain([line.len()]) {
            let (start, before) = from;
            let sign = line.get(place).copied().unwrap_or(b'<');
            let text = line[start..place].trim_ascii();
            let lacks = match (before, sign) {
                (b'>', b'>') if is_tag(text) => Some('<'),
                (b'<', b'<') if text.starts_with(b"/") && is_tag(text) => Some('>'),
                _ => None,
            };
            if let Some(sign) = lacks {
                let blanks = line[start..place].len() - line[start..place].trim_ascii_start().len();
                let position = Position::new(&self.source, self.line, (start + blanks) as u32 + 1);
                let tag = String::from_utf8_lossy(text).into_owned();
                self.diagnostics.add(Code::Misspelled, Some(position), None, || {
                    format!("the tag `{tag}` lacks its `{sign}`")
                });
            }
            from = (place + 1, sign);
        }
    }

    fn json(&mut self, line: &[u8]) {
        let mut place = 0;
        while let Some(&byte) = line.get(place) {
            place += 1;
            match byte {
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                b'"' => {
                    let start = place;
                    while let Some(&byte) = line.get(place).filter(|byte| **byte != b'"') {
                        place += if byte == b'\\' { 2 } else { 1 };
                    }
                    let after = line.get(place + 1..).unwrap_or_default().trim_ascii_start();
                    if self.depth == 1 && after.first() == Some(&b':') {
                        self.name(line, start);
                    }
                    place += 1;
                }
                _ => {}
            }
        }
    }

    fn columns(&mut self, line: &[u8]) {
        if line.first() == Some(&b'#') && memchr(b'\t', line).is_none() {
            let start = 1 + line[1..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            let end = self.name(line, start);
            match &line[start..end] {
                b"begin" | b"end" if self.names.knows("begin") => {
                    let next = end + line[end..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                    self.name_among(Names::Columns(&["document"]), line, next, false);
                }
                b"newdoc" => self.ids.clear(),
                b"sent_id" => {
                    let value =
                        line[end..].trim_ascii_start().strip_prefix(b"=").map(<[u8]>::trim_ascii_start);
                    let value = value.filter(|value| !value.is_empty()).unwrap_or_default();
                    if !value.is_empty() {
                        self.id(value, (line.len() - value.len()) as u32 + 1, "sentence");
                    }
                }
                _ => {}
            }
            if matches!(&line[start..end], b"global.Entity" | b"global.columns") {
                let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
                for place in end + 1..line.len() {
                    if is_name(line[place]) && !is_name(line[place - 1]) {
                        self.name(line, place);
                    }
                }
            }
            return;
        }
        for equals in memchr::memchr_iter(b'=', line) {
            let name = line[..equals].iter().rev().take_while(|byte| byte.is_ascii_alphanumeric()).count();
            let start = equals - name;
            if start > 0 && matches!(line[start - 1], b'\t' | b'|' | b'(') {
                self.name(line, start);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::FormatSpec;

    fn found(names: Names, text: &str) -> Vec<(u32, u32, String)> {
        let mut check = NameCheck::new(names, &Arc::from("x"), Diagnostics::default());
        check.take(text.as_bytes());
        let kept = check.diagnostics.groups().iter().flat_map(|group| &group.kept);
        kept.map(|finding| {
            let place = finding.position.as_ref().unwrap();
            (place.line, place.column, finding.message.to_string())
        })
        .collect()
    }

    #[test]
    fn misspelled_names_are_found_where_names_occur() {
        const MUC: Names = Names::Sgml(&["COREF", "REF", "ID"]);
        let all = found(MUC, "<COREF ID=\"1\"\nRFE=\"<\">RFE=2</CROEF> <coref X='RFE=1' DI=7> <ref>");
        let places: Vec<(u32, u32)> = all.iter().map(|found| (found.0, found.1)).collect();
        assert_eq!(places, [(2, 1), (2, 16), (2, 40)], "{all:?}");
        const FIELDS: Names = Names::Json(&["clusters", "doc_key"]);
        let text = "{\"doc_kye\": \"clustres\", \"clusters\": {\"clustres\": 1}, \"cluster\" : []}";
        let places: Vec<u32> = found(FIELDS, text).iter().map(|found| found.1).collect();
        assert_eq!(places, [3, 55]);
        const COLUMNS: Names = Names::Columns(&["Entity", "newdoc", "global.Entity", "head"]);
        let text = "# newdco = x\n1\ta\tEntiy=(|entity=3|Other=1\n# global.Entity = eid-haed\n";
        let places: Vec<(u32, u32)> = found(COLUMNS, text).iter().map(|found| (found.0, found.1)).collect();
        assert_eq!(places, [(1, 3), (2, 5), (2, 13), (3, 23)]);
        let all = found(MUC, "COREF ID=1>a</COREF\n<REF>\n</ID <b> x > y/REF>");
        let places: Vec<(u32, u32)> = all.iter().map(|found| (found.0, found.1)).collect();
        assert_eq!(places, [(1, 1), (1, 14), (3, 2), (3, 14)], "{all:?}");
        assert!(found(MUC, "<COREF ID=1>REF</COREF> <DOC> <P IDS=3> <RF> <DEF> <A HREF=x REL=y>").is_empty());
        assert!(found(MUC, "<COREF ID=2 REF=\"1\" REL=x>").is_empty());
        let all = found(MUC, "<COREF ID=2 REFF=1> <coref\nRF=\"1\" XEF=1 PREF2=3>");
        let places: Vec<(u32, u32)> = all.iter().map(|found| (found.0, found.1)).collect();
        assert_eq!(places, [(1, 13), (2, 1), (2, 8)], "{all:?}");
    }

    #[test]
    fn no_name_of_a_format_is_a_misspelling_of_another() {
        for spec in FormatSpec::of_documents() {
            for name in spec.names.known() {
                assert_eq!(spec.names.meant(name, true), None, "{} {name}", spec.id);
            }
        }
    }
}
