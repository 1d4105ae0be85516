//! Reads the SGML of MUC-6 and MUC-7: `<COREF ID="2" REF="1" TYPE="IDENT" MIN="board">the board</COREF>`.
//!
//! SGML is not XML: tag and attribute names are case-insensitive, values may lack quotes, elements may lack end tags,
//! and an ampersand need not start a reference. The reader therefore looks only for `COREF` and `DOC`. A `COREF` may
//! have its attributes in any order, cross lines and contain other `COREF` elements. A file may have several `DOC`
//! elements, each with a `DOCNO` or `DOCID`. All other tags are skipped, and the text between them, in any section, is
//! the text of the document. The name of the document is not part of its text.
//!
//! [`PlainText`] divides the text without tags into words, so they do not depend on the annotation. Mentions that start
//! or end inside a word are extended to the whole word and counted. The reader resolves the character references of
//! MUC and keeps others as written. Sentences are the `<s>` elements, if a document has any.
//!
//! `REF` links a mention to another. Entities are the closure of the links, named after the `ID` of their first
//! mention; a mention without a link is a singleton. The reader keeps the links as written. The first occurrence of
//! `MIN` in the mention becomes the minimum span, and its last word becomes the head. `STATUS="OPT"` (`STAT` in early
//! versions) becomes the attribute [`STATUS`].

use std::ops::Range;
use std::sync::Arc;

use corefeval_metrics::Closure;
use rustc_hash::FxHashMap;

use super::file_reader::ErrorList;
use super::frame::{Frame, WholeFile};
use super::names::Names;
use super::standoff::{PlainText, mention};
use super::xml::Places;
use super::{Aspect, FormatSpec};
use crate::diagnostic::Code;
use crate::error::Result;
use crate::model::{Corpus, DocumentBuilder, DocumentId, EntityId, OPTIONAL, STATUS, Span};
use crate::wording::{one_line, start_of};

/// `muc`.
pub(super) const SPEC: FormatSpec = FormatSpec {
    id: "muc",
    summary: "the SGML of MUC-6 and MUC-7: `<COREF ID=\"2\" REF=\"1\" MIN=\"board\">`, several documents per file",
    extensions: &["sgm", "sgml", "muc"],
    expresses: &[Aspect::Heads, Aspect::MinSpans, Aspect::Attributes],
    settings: &["optional"],
    has_links: true,
    link_notation: Some("the attribute REF"),
    detect,
    names: Names::Sgml(&[
        "DOC", "DOCNO", "DOCID", "COREF", "ID", "REF", "TYPE", "MIN", "STATUS", "STAT", "TXT", "TEXT", "HL",
        "DD", "SO", "IN", "P", "S",
    ]),
    reader: |source, options| WholeFile::reader(source, options, parse),
    write: Some(super::write::muc::WRITER),
    ..FormatSpec::PLAIN
};

/// Returns whether a `COREF` occurs, or the first tag is a `DOC` that does not enclose the marks of an answer.
fn detect(bytes: &[u8]) -> bool {
    let begins = |at: usize, name: &[u8]| {
        let tag = bytes.get(at..at + name.len()).is_some_and(|tag| tag.eq_ignore_ascii_case(name));
        tag && bytes.get(at + name.len()).is_none_or(|&next| next == b'>' || next.is_ascii_whitespace())
    };
    let first = bytes.len() - bytes.trim_ascii_start().len();
    let has = |name: &[u8]| memchr::memchr_iter(b'<', bytes).any(|at| begins(at, name));
    match has(b"<coref") {
        true => begins(first, b"<doc") || !repeats_ids(bytes),
        false => {
            begins(first, b"<doc")
                && (has(b"<docno") || has(b"<docid") || !super::answers::is_marked_answer(bytes))
        }
    }
}

/// Returns whether ids repeat and no attribute links mentions, as if a language model had numbered entities
/// instead of mentions.
fn repeats_ids(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes).to_lowercase();
    let values = text.split("<coref").skip(1).map(|rest| rest.split('>').next().unwrap_or_default());
    let mut ids = std::collections::BTreeSet::new();
    let mut repeated = false;
    for attributes in values {
        if attributes.contains("ref=") {
            return false;
        }
        let id = attributes.split_once("id=").map(|id| id.1.split_whitespace().next().unwrap_or_default());
        repeated |= id.is_some_and(|id| !ids.insert(id));
    }
    repeated
}

/// The tags at which a sentence ends, if sentences are marked.
const BLOCKS: &[&str] = &[
    "s", "p", "hl", "dd", "so", "in", "dateline", "txt", "text", "storyid", "slug", "date", "nwords",
    "preamble", "trailer",
];

/// The character references that occur in texts of MUC.
const REFERENCES: &[(&str, char)] =
    &[("amp", '&'), ("lt", '<'), ("gt", '>'), ("quot", '"'), ("apos", '\''), ("MD", '—')];

/// The maximum number of attributes of a tag; MUC has six.
const MOST_ATTRIBUTES: usize = 100;

/// The maximum number of words to compare for all `MIN` of a document. A `MIN` is usually near the start of its
/// mention, so a typical document requires fewer comparisons than it has words.
const MOST_COMPARED: u64 = 10_000_000;

fn parse(frame: Frame, bytes: &[u8]) -> Result<Corpus> {
    if u32::try_from(bytes.len()).is_err() {
        return Err(frame.error(0, "this file is longer than 4 GiB").coded(Code::NotReadable));
    }
    let source = Arc::clone(&frame.source);
    let places = Places::new(&source, bytes);
    let mut parser = MucParser {
        sgml: places.text(bytes)?,
        places: &places,
        page: None,
        frame,
        errors: ErrorList::default(),
    };
    parser.parse()?;
    parser.errors.finish()?;
    let hint = "a document starts with `<DOC>` and is named by its `<DOCNO>` or `<DOCID>`";
    parser.frame.finish("this file has no document", hint)
}

/// A tag.
struct SgmlTag<'s> {
    place: usize,
    /// One past the last byte.
    end: usize,
    name: &'s str,
    closes: bool,
    /// True if it is an empty element (`<p/>`).
    is_empty: bool,
    attributes: Vec<SgmlAttribute>,
}

/// An attribute of a tag.
struct SgmlAttribute {
    place: usize,
    /// The name in capital letters.
    name: String,
    value: String,
}

impl SgmlTag<'_> {
    fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// Removes and returns the value of an attribute with its place; `None` if it is blank.
    fn take(&mut self, name: &str) -> Option<(String, usize)> {
        let at = self.attributes.iter().position(|attribute| attribute.name == name)?;
        let SgmlAttribute { place, value, .. } = self.attributes.remove(at);
        Some((value.trim().to_owned(), place)).filter(|(value, _)| !value.is_empty())
    }
}

/// The current document.
#[derive(Default)]
struct MucDocument {
    place: usize,
    /// True if the document started with a tag.
    by_tag: bool,
    name: Option<String>,
    /// True if the following text is the name of the document.
    in_name: bool,
    text: String,
    /// The place of each character in the file.
    characters: Vec<u32>,
    marks: Vec<CorefElement>,
    /// The marks that have not closed.
    open: Vec<usize>,
    /// The marks that have closed, in order.
    closed: Vec<usize>,
    /// The characters before which a sentence may end.
    breaks: Vec<u32>,
    /// True if sentences are marked.
    sentences: bool,
    /// The names of start tags with errors, which open nothing.
    lost: Vec<String>,
}

/// A mark of an element whose start tag has an error, in the list of open marks.
const LOST: usize = usize::MAX;

/// A `COREF` as written.
struct CorefElement {
    place: usize,
    id: String,
    characters: Range<u32>,
    reference: Option<(String, usize)>,
    kind: Option<(String, usize)>,
    minimum: Option<(String, usize)>,
    attributes: Vec<(String, String)>,
}

struct MucParser<'p> {
    sgml: &'p str,
    places: &'p Places<'p>,
    page: Option<MucDocument>,
    frame: Frame,
    errors: ErrorList,
}

impl<'p> MucParser<'p> {
    fn note(&mut self, code: Code, place: usize, document: Option<&str>, message: impl FnOnce() -> String) {
        let position = Some(self.places.position(place));
        self.frame.corpus.diagnostics.add(code, position, document.map(str::to_owned), message);
    }

    fn parse(&mut self) -> Result<()> {
        let bytes = self.sgml.as_bytes();
        let mut place = 0;
        while place < bytes.len() {
            let next = memchr::memchr(b'<', &bytes[place..]).map_or(bytes.len(), |next| place + next);
            self.text(place..next);
            place = next;
            if place == bytes.len() {
                break;
            }
            let declaration = self.declaration(place);
            // An element that never ends hides the rest of the file.
            let Some(declaration) = self.errors.check(declaration)? else { return Ok(()) };
            if let Some(end) = declaration {
                place = end;
                continue;
            }
            let tag = self.tag(place);
            let Some(tag) = self.errors.check(tag)? else {
                self.lose(place)?;
                place += 1;
                continue;
            };
            if let Some(tag) = tag {
                place = tag.end;
                let met = self.meet(tag);
                self.errors.check(met)?;
            } else {
                // The `<` is an ordinary character.
                self.text(place..place + 1);
                place += 1;
            }
        }
        if let Some(page) = self.page.take() {
            if page.by_tag {
                self.note(Code::NoEndLine, page.place, None, || {
                    "a document starts here, but no `</DOC>` ends it".to_owned()
                });
            }
            let ended = self.end_page(page);
            self.errors.check(ended)?;
        }
        Ok(())
    }

    /// Handles a tag with an error as the start or end tag that it seems to be.
    #[cold]
    fn lose(&mut self, place: usize) -> Result<()> {
        let rest = &self.sgml[place + 1..];
        let text = &rest[..rest.find(['<', '>']).unwrap_or(rest.len())];
        let closes = text.starts_with('/');
        let name = text.trim_start_matches('/');
        let name = &name[..name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len())];
        let tag = SgmlTag { place, end: place + 1, name, closes, is_empty: false, attributes: Vec::new() };
        if closes || !tag.is("coref") {
            return self.meet(tag);
        }
        self.lose_start(place, text);
        Ok(())
    }

    /// Records a start tag without an ID or with other errors. Its end tag and links to it are not reported as errors.
    fn lose_start(&mut self, place: usize, text: &str) {
        if self.page.is_none() {
            self.begin_unnamed(place);
        }
        if let Some(page) = &mut self.page {
            page.open.push(LOST);
            page.lost.push(text.to_owned());
        }
    }

    /// Returns the end of a comment, a declaration or a processing instruction that starts here.
    fn declaration(&self, place: usize) -> Result<Option<usize>> {
        let rest = &self.sgml[place..];
        let end = match rest.as_bytes() {
            [b'<', b'!', b'-', b'-', ..] => "-->",
            [b'<', b'!' | b'?', ..] => ">",
            _ => return Ok(None),
        };
        match rest[2..].find(end) {
            Some(found) => Ok(Some(place + 2 + found + end.len())),
            None => {
                Err(self.places.error(place, format!("this is not closed by `{end}`")).coded(Code::CutOff))
            }
        }
    }

    /// Returns the tag that starts here, if any.
    fn tag(&self, place: usize) -> Result<Option<SgmlTag<'p>>> {
        let bytes = self.sgml.as_bytes();
        let closes = bytes.get(place + 1) == Some(&b'/');
        let start = place + 1 + usize::from(closes);
        let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_');
        let mut at = start + length.count();
        if !bytes.get(start).is_some_and(u8::is_ascii_alphabetic) {
            return Ok(None);
        }
        let name = &self.sgml[start..at];
        let mut tag = SgmlTag { place, end: at, name, closes, is_empty: false, attributes: Vec::new() };
        if !tag.is("coref") && !tag.is("doc") {
            // Skips the characters. If the tag does not end before the next tag, it is text.
            let end = memchr::memchr2(b'<', b'>', &bytes[at..]).map(|end| at + end);
            let end = end.filter(|&end| bytes[end] == b'>');
            return Ok(end.map(|end| SgmlTag { end: end + 1, is_empty: bytes[end - 1] == b'/', ..tag }));
        }
        let unclosed = || {
            let error = self
                .places
                .error(place, format!("the tag `{name}` opens here and does not close"))
                .coded(Code::CutOff);
            Err(error.hint("a tag ends with `>`; write `&lt;` for a `<` that opens no tag"))
        };
        loop {
            at += blanks(&bytes[at..]);
            match bytes.get(at) {
                None | Some(b'<') => return unclosed(),
                Some(b'>') => break,
                Some(b'/') if bytes.get(at + 1) == Some(&b'>') => {
                    tag.is_empty = true;
                    at += 1;
                }
                Some(_) => {
                    let (attribute, end) = self.attribute(at)?;
                    at = end;
                    if let Some(first) = tag.attributes.iter().find(|other| other.name == attribute.name) {
                        let message = format!("the attribute `{}` is repeated here", attribute.name);
                        let error = self.places.error(attribute.place, message).coded(Code::RepeatedId);
                        return Err(error
                            .with_place(self.places.position(first.place), "the first time")
                            .hint("keep one of them"));
                    }
                    if tag.attributes.len() == MOST_ATTRIBUTES {
                        let message = format!("this tag has more than {MOST_ATTRIBUTES} attributes");
                        return Err(self
                            .places
                            .error(place, message)
                            .coded(Code::BadMarkup)
                            .hint("is a `>` missing?"));
                    }
                    tag.attributes.push(attribute);
                }
            }
        }
        tag.end = at + 1;
        Ok(Some(tag))
    }

    /// Reads `NAME="value"`, `NAME='value'`, `NAME=value` or `NAME`. Returns the attribute and the place where it ends.
    fn attribute(&self, place: usize) -> Result<(SgmlAttribute, usize)> {
        let bytes = self.sgml.as_bytes();
        let is_name = |byte: &&u8| !byte.is_ascii_whitespace() && !b"=<>\"'".contains(byte);
        let mut at = place + bytes[place..].iter().take_while(is_name).count();
        if at == place {
            let sign = self.sgml[place..].chars().next().unwrap_or_default();
            let error = self
                .places
                .error(place, format!("`{sign}` cannot start an attribute"))
                .coded(Code::BadMarkup);
            return Err(error.hint("attributes are written `ID=\"7\"`; is a quote missing before?"));
        }
        let name = self.sgml[place..at].to_ascii_uppercase();
        let after = at + blanks(&bytes[at..]);
        if bytes.get(after) != Some(&b'=') {
            return Ok((SgmlAttribute { place, name, value: String::new() }, at));
        }
        at = after + 1;
        at += blanks(&bytes[at..]);
        let (inside, end) = match bytes.get(at) {
            Some(&quote @ (b'"' | b'\'')) => {
                let start = at + 1;
                let end = memchr::memchr2(quote, b'<', &bytes[start..]).map(|end| start + end);
                match end.filter(|&end| bytes[end] == quote) {
                    Some(end) => (start..end, end + 1),
                    None => {
                        let error = self
                            .places
                            .error(at, "a quote opens here and does not close")
                            .coded(Code::CutOff);
                        return Err(error.hint("write `&lt;` for `<` in a value"));
                    }
                }
            }
            _ => {
                let is_value = |byte: &&u8| !byte.is_ascii_whitespace() && !b"<>".contains(byte);
                let mut end = at + bytes[at..].iter().take_while(is_value).count();
                let value = &self.sgml[at..end];
                if value.contains(['"', '\'']) {
                    let error = self
                        .places
                        .error(at, format!("the value `{value}` lacks a quote"))
                        .coded(Code::BadMarkup);
                    return Err(error.hint("write `ID=\"7\"` or `ID=7`"));
                }
                // The slash belongs to the end of an empty element.
                if bytes.get(end) == Some(&b'>') && end > at && bytes[end - 1] == b'/' {
                    end -= 1;
                }
                (at..end, end)
            }
        };
        let mut value = String::new();
        decode(&self.sgml[inside], |character, _| value.push(character));
        Ok((SgmlAttribute { place, name, value }, end))
    }

    /// Adds a piece of text to the document, or to its name.
    fn text(&mut self, range: Range<usize>) {
        let (start, piece) = (range.start, &self.sgml[range]);
        if self.page.is_none() {
            // Ignores white space between documents, and the character that ends DOS files.
            let Some(first) = piece.find(|c: char| !c.is_whitespace() && !c.is_control()) else { return };
            self.begin_unnamed(start + first);
        }
        let Some(page) = &mut self.page else { return };
        match &mut page.name {
            Some(name) if page.in_name => decode(piece, |character, _| name.push(character)),
            _ => decode(piece, |character, place| {
                page.text.push(character);
                page.characters.push((start + place) as u32);
            }),
        }
    }

    /// Opens a document that has no start tag.
    fn begin_unnamed(&mut self, place: usize) {
        self.note(Code::NoBeginLine, place, None, || {
            "text outside any `<DOC>`; it was read as a document without a name".to_owned()
        });
        self.page = Some(MucDocument { place, ..MucDocument::default() });
    }

    fn meet(&mut self, mut tag: SgmlTag<'_>) -> Result<()> {
        if let Some(page) = &mut self.page {
            page.in_name = false;
        }
        if tag.is("doc") {
            if let Some(page) = self.page.take() {
                if page.by_tag && !tag.closes {
                    self.note(Code::NoEndLine, page.place, None, || {
                        "a document starts here, but no `</DOC>` ends it before the next".to_owned()
                    });
                }
                let ended = self.end_page(page);
                self.errors.check(ended)?;
            }
            if !tag.closes {
                let name = ["DOCNO", "DOCID", "ID"].iter().find_map(|name| tag.take(name));
                let name = name.map(|(name, _)| name);
                self.page =
                    Some(MucDocument { place: tag.place, by_tag: true, name, ..MucDocument::default() });
            }
            return Ok(());
        }
        if tag.is("coref") {
            return if tag.closes { self.close(&tag) } else { self.open(tag) };
        }
        let Some(page) = &mut self.page else { return Ok(()) };
        if (tag.is("docno") || tag.is("docid")) && !tag.closes && page.name.is_none() {
            page.name = Some(String::new());
            page.in_name = true;
        }
        // Keeps sentences, but no other elements.
        let is_kept = tag.closes || ["docno", "docid", "s", "txt", "text"].iter().any(|name| tag.is(name));
        if !is_kept && self.frame.counts_unread() {
            self.frame.count_unread(std::iter::once(tag.name.as_bytes()));
        }
        if BLOCKS.iter().any(|name| tag.is(name)) {
            page.sentences |= tag.is("s");
            page.breaks.push(page.characters.len() as u32);
        }
        Ok(())
    }

    fn open(&mut self, mut tag: SgmlTag<'_>) -> Result<()> {
        let Some((id, _)) = tag.take("ID") else {
            if !tag.is_empty {
                self.lose_start(tag.place, "");
            }
            let error = self.places.error(tag.place, "this COREF has no ID").coded(Code::MissingField);
            return Err(error.hint("give each COREF a unique ID, such as `<COREF ID=\"7\">`"));
        };
        if self.page.is_none() {
            self.begin_unnamed(tag.place);
        }
        let Some(page) = &mut self.page else { return Ok(()) };
        let (reference, kind, minimum) = (tag.take("REF"), tag.take("TYPE"), tag.take("MIN"));
        let mut attributes = Vec::new();
        if let Some((status, _)) = tag.take("STATUS").or_else(|| tag.take("STAT")) {
            let is_optional = status.eq_ignore_ascii_case(OPTIONAL);
            attributes.push((STATUS.to_owned(), if is_optional { OPTIONAL.to_owned() } else { status }));
        }
        attributes.extend(tag.attributes.into_iter().map(|attribute| (attribute.name, attribute.value)));
        let start = page.characters.len() as u32;
        let (number, characters) = (page.marks.len(), start..start);
        page.marks.push(CorefElement {
            place: tag.place,
            id,
            characters,
            reference,
            kind,
            minimum,
            attributes,
        });
        match tag.is_empty {
            true => page.closed.push(number),
            false => page.open.push(number),
        }
        Ok(())
    }

    fn close(&mut self, tag: &SgmlTag<'_>) -> Result<()> {
        let open = self.page.as_mut().and_then(|page| Some((page.open.pop()?, page)));
        match open {
            Some((LOST, _)) => {}
            Some((number, page)) => {
                page.marks[number].characters.end = page.characters.len() as u32;
                page.closed.push(number);
            }
            None => self.note(Code::UnopenedMention, tag.place, None, || {
                "a COREF closes here but never opened".to_owned()
            }),
        }
        Ok(())
    }

    /// Returns the name of a document: its own name, otherwise the file name, with a number after it for every document
    /// but the first.
    fn id(&mut self, page: &mut MucDocument) -> DocumentId {
        let name = page.name.take().map(|name| one_line(&name)).filter(|name| !name.is_empty());
        if let Some(name) = name {
            return DocumentId::new(name);
        }
        let (id, numbered) = self.frame.unnamed_id();
        if numbered {
            self.note(Code::RepeatedEmptyId, page.place, None, || {
                format!("a document without id is called `{id}`")
            });
        }
        id
    }

    fn end_page(&mut self, mut page: MucDocument) -> Result<()> {
        let id = self.id(&mut page);
        let name = id.to_string();
        self.report_unclosed(&page, &name);
        let (links, mut groups) = self.links(&page, &name)?;

        let (line, _) = self.places.line_and_column(page.place);
        let mut document = DocumentBuilder::new(id, Arc::clone(self.places.source), line);
        let text = PlainText::new(std::mem::take(&mut page.text));
        let mut entities: Vec<Option<EntityId>> = vec![None; page.marks.len()];
        // The mention of each mark.
        let mut mentions: Vec<Option<u32>> = vec![None; page.marks.len()];
        let mut compared = 0;
        for &number in &page.closed {
            let attributes = std::mem::take(&mut page.marks[number].attributes);
            let mark = &page.marks[number];
            let Some((span, whole)) = text.words_in(&mark.characters) else {
                self.note(Code::EmptySpan, mark.place, Some(&name), || {
                    format!(
                        "the COREF `{}` has no words; it was left out, and links through it still hold",
                        mark.id
                    )
                });
                continue;
            };
            if !whole {
                self.note(Code::InsideWord, mark.place, Some(&name), || {
                    let text = short(text.slice(&mark.characters));
                    format!(
                        "the COREF `{}` (`{text}`) starts or ends inside a word; it was extended to the whole word",
                        mark.id
                    )
                });
            }
            let root = groups.find(number);
            let entity =
                *entities[root].get_or_insert_with(|| document.add_entity(page.marks[root].id.as_str()));
            let place = self.places.line_and_column(mark.place);
            let Some(mut made) = mention(vec![span], entity, place, attributes) else { continue };
            if let Some((minimum, place)) = &mark.minimum {
                let found = locate(minimum, &text, span, &mut compared);
                if compared > MOST_COMPARED {
                    let message = "finding the MINs of this document takes too many comparisons, because their \
                                   mentions are too long";
                    let error = self.places.error(*place, message).coded(Code::BadMention);
                    return Err(error.hint("shorten the mentions that have a MIN, or leave MIN out"));
                }
                match found {
                    Some(words) => {
                        made = made.clone().with_min_span(words).unwrap_or(made).with_head(words.last());
                    }
                    None => self.note(Code::MinSpan, *place, Some(&name), || {
                        let text = short(text.slice(&mark.characters));
                        format!("MIN `{}` is not in `{text}`; the whole string is used", short(minimum))
                    }),
                }
            }
            mentions[number] = Some(document.mentions.len() as u32);
            document.mentions.push(made);
        }
        let ends = links.into_iter().filter_map(|[one, other]| Some([mentions[one]?, mentions[other]?]));
        document.links = Some(ends.collect());

        let breaks = |between: &Range<u32>| {
            let first = page.breaks.partition_point(|&place| place < between.start);
            page.breaks.get(first).is_some_and(|&place| place <= between.end)
        };
        let line = |character: u32| {
            let place = page.characters.get(character as usize).copied().unwrap_or_default();
            self.places.line_and_column(place as usize).0
        };
        let keep_layers = self.frame.options.keep_layers;
        let words = text.to_words_by(keep_layers, page.sentences.then_some(breaks), line);
        self.frame.add_document(document, words)
    }

    fn report_unclosed(&mut self, page: &MucDocument, document: &str) {
        for &number in page.open.iter().filter(|&&number| number != LOST) {
            let mark = &page.marks[number];
            self.note(Code::UnclosedMention, mark.place, Some(document), || {
                format!("the COREF `{}` opens here but never closes; links through it still hold", mark.id)
            });
        }
    }

    /// Returns the links of a document, as pairs of marks that start with the mark with the `REF`, and the entities
    /// that the links join.
    fn links(&mut self, page: &MucDocument, name: &str) -> Result<(Vec<[usize; 2]>, Closure)> {
        let mut by_id: FxHashMap<&str, usize> = FxHashMap::default();
        for (number, mark) in page.marks.iter().enumerate() {
            if let Some(first) = by_id.insert(&mark.id, number) {
                let first = self.places.position(page.marks[first].place);
                let message = format!("the ID `{}` is repeated here in `{name}`", mark.id);
                let error = self
                    .places
                    .error(mark.place, message)
                    .coded(Code::RepeatedId)
                    .with_place(first, "the first time");
                self.errors.keep(error.hint("give each COREF a unique ID, and link it with REF"))?;
            }
        }
        let mut groups = Closure::new(page.marks.len());
        let mut links = Vec::new();
        let mut targets: Vec<Option<usize>> = vec![None; page.marks.len()];
        for (number, mark) in page.marks.iter().enumerate() {
            let Some((reference, place)) = &mark.reference else { continue };
            let kind = mark.kind.as_ref().filter(|(kind, _)| !kind.eq_ignore_ascii_case("ident"));
            if let Some((kind, place)) = kind {
                self.note(Code::OtherLink, *place, Some(name), || {
                    format!("the link of `{}` to `{reference}` is of type `{kind}`; it was left out", mark.id)
                });
                continue;
            }
            let Some(&target) = by_id.get(reference.as_str()) else {
                // The ID may belong to a tag with an error.
                let named =
                    |tag: &String| tag.contains(reference.as_str()) || !tag.to_uppercase().contains("ID");
                if page.lost.iter().any(named) {
                    continue;
                }
                self.note(Code::UnknownId, *place, Some(name), || {
                    format!("the REF of `{}` is `{reference}`, which is not an ID in this document", mark.id)
                });
                continue;
            };
            targets[number] = Some(target);
            groups.join(number, target);
            links.push([number, target]);
        }
        for number in cycles(&targets) {
            let mark = &page.marks[number];
            self.note(Code::CircularLink, mark.place, Some(name), || {
                format!("the REFs from `{}` on form a cycle", mark.id)
            });
        }
        Ok((links, groups))
    }
}

/// Returns the first element of each cycle in a graph whose elements have at most one target each.
fn cycles(targets: &[Option<usize>]) -> Vec<usize> {
    let mut firsts = Vec::new();
    // The number of the walk that first visited each element, from 1.
    let mut met = vec![0usize; targets.len()];
    for start in 0..targets.len() {
        let mut at = start;
        while met[at] == 0 {
            met[at] = start + 1;
            let Some(next) = targets[at] else { break };
            at = next;
            if met[at] == start + 1 {
                let (mut first, mut next) = (at, targets[at]);
                while let Some(member) = next.filter(|&member| member != at) {
                    first = first.min(member);
                    next = targets[member];
                }
                firsts.push(first);
            }
        }
    }
    firsts
}

/// Returns the first place of the words of `minimum` in a mention. Adds the number of examined words to `compared`, and
/// stops beyond [`MOST_COMPARED`].
fn locate(minimum: &str, text: &PlainText, span: Span, compared: &mut u64) -> Option<Span> {
    let wanted = PlainText::new(minimum.to_owned());
    let (all, _) = wanted.words_in(&(0..wanted.len()))?;
    let wanted: Vec<&str> = wanted.forms(all).collect();
    let last = span.end().checked_sub(u32::try_from(wanted.len()).ok()?)?;
    for start in span.start()..=last {
        let here = Span::new(start, start + wanted.len() as u32)?;
        let same = text.forms(here).zip(&wanted).take_while(|(word, wanted)| word == *wanted).count();
        *compared += same as u64 + 1;
        if same == wanted.len() {
            return Some(here);
        }
        if *compared > MOST_COMPARED {
            return None;
        }
    }
    None
}

/// Returns the number of leading spaces.
fn blanks(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// Returns the start of a text on one line, for messages.
fn short(text: &str) -> String {
    start_of(&one_line(text), 60).into_owned()
}

/// Resolves character references, and calls `each` with the characters of the text and their places.
fn decode(text: &str, mut each: impl FnMut(char, usize)) {
    let mut place = 0;
    while let Some(character) = text[place..].chars().next() {
        match reference(&text[place..]).filter(|_| character == '&') {
            Some((found, length)) => {
                each(found, place);
                place += length;
            }
            None => {
                each(character, place);
                place += character.len_utf8();
            }
        }
    }
}

/// Returns the character of the reference at the start of `text`, and the length of the reference in bytes.
fn reference(text: &str) -> Option<(char, usize)> {
    /// The length of the longest reference, `&#x10FFFF;`, without its first character.
    const LONGEST: usize = 9;
    let rest = text.strip_prefix('&')?;
    let end = rest.bytes().take(LONGEST).position(|byte| byte == b';')?;
    let name = &rest[..end];
    let found = match name.strip_prefix('#') {
        Some(number) => {
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
        None => REFERENCES.iter().find(|(known, _)| *known == name)?.1,
    };
    Some((found, 1 + end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_become_characters_and_other_signs_stay() {
        let decoded = |text: &str| {
            let mut decoded = String::new();
            decode(text, |character, _| decoded.push(character));
            decoded
        };
        assert_eq!(decoded("AT&amp;T &MD; &#65;&#x42; &lt;b&gt;"), "AT&T — AB <b>");
        for text in ["AT&T", "&UR;", "& ", "&", "&#xD800;", "&#99999999;", "&é;", "&#;"] {
            assert_eq!(decoded(text), text);
        }
    }

    #[test]
    fn cycles_are_found_once() {
        let targets = [Some(1), Some(2), Some(1), None, Some(4), Some(3), Some(0)];
        assert_eq!(cycles(&targets), [1, 4]);
        assert!(cycles(&[None, Some(0), Some(1), Some(1)]).is_empty());
    }

    #[test]
    fn tags_identify_the_format() {
        for text in ["<DOC>\n<DOCNO>1", "\n <doc id=3>", "The <COREF ID=1>cook</COREF>", "<TXT><coref\nID=1>"]
        {
            assert!(detect(text.as_bytes()), "{text}");
        }
        for text in ["<Document doc_name=\"1\">", "<corefs>", "# newdoc id = <DOC>", "", "<"] {
            assert!(!detect(text.as_bytes()), "{text}");
        }
    }
}
