//! Reads the ACE Pilot Format: `.apf.xml` files with `.sgm` files.
//!
//! A `source_file` holds a `document`, which holds entities with their mentions. An entity is named by its id and may
//! have mentions in several documents. Offsets count the characters of the text outside tags, with CR LF as one
//! character. The end of a `charseq` is its last character, and the end of a `charspan` is one past it. The reader
//! compares the text in an annotation with the text at its offsets. If more of them agree with CR LF as two characters,
//! it uses two. ACE 2004 and earlier put the type into an `entity_type`, use `GENERIC` for `CLASS`, write mention types
//! in full, and put offsets into `start` and `end`.
//!
//! [`PlainText`] divides the text into words. Heads become minimum spans, and the last word of a head becomes the
//! head word. The reader keeps the data for ACE-value in characters (see [`AceSection`]). It skips relations, events,
//! values and times.

use crate::wording::{Text, one_line, plural, start_of};
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::file_reader::{ErrorList, both};
use super::names::Names;
use super::standoff::{PlainText, mention};
use super::write::apf::{OTHER_TYPE, WRITER};
use super::xml::{Attributes, Places, XmlEvent, companion_text, value, walk};
use super::{Aspect, FormatSpec, ReadOptions, Reader};
use crate::diagnostic::{Code, Position};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{
    AceEntity, AceHead, AceMention, AceMentionType, AceSection, Corpus, DocumentBuilder, DocumentId,
    ENTITY_TYPE, EntityId, MENTION_TYPE, Mention,
};

/// `apf`.
pub(super) const SPEC: FormatSpec = FormatSpec {
    id: "apf",
    summary: "ACE's pilot format: .apf.xml with .sgm, entity mentions with extents and heads",
    extensions: &["apf.xml", "apf"],
    companion: Some("sgm"),
    expresses: &[Aspect::Heads, Aspect::MinSpans, Aspect::Attributes, Aspect::Genre, Aspect::AceEntities],
    detect,
    names: Names::Markup(&[
        "source_file", "URI", "SOURCE", "TYPE", "VERSION", "AUTHOR", "ENCODING", "document", "DOCID",
        "entity", "entity_type", "entity_attributes", "entity_mention", "ID", "SUBTYPE", "CLASS", "GENERIC",
        "LDCTYPE", "LDCATR", "ROLE", "METONYMY_MENTION", "REFERENCE", "LEVEL", "extent", "head", "charseq",
        "charspan", "START", "END", "start", "end", "name", "NAME",
    ]),
    reader: |source, options| {
        let corpus = Corpus { diagnostics: options.findings(), ..Corpus::default() };
        Box::new(ApfReader { source, options, bytes: Vec::new(), text: None, corpus })
    },
    write: Some(WRITER),
    ..FormatSpec::PLAIN
};

/// Returns whether the root is a `source_file`.
fn detect(bytes: &[u8]) -> bool {
    let text = bytes.trim_ascii_start();
    text.starts_with(b"<") && memchr::memmem::find(text, b"<source_file").is_some()
}

/// The types of entities that ACE defines.
const ENTITY_TYPES: &[&str] = &["PER", "ORG", "GPE", "LOC", "FAC", "VEH", "WEA"];

/// The classes of entities that ACE defines.
const CLASSES: &[&str] = &["SPC", "GEN", "NEG", "USP"];

/// Collects the annotation and parses it at the end of the file. Documents are short (a page or two).
struct ApfReader {
    source: Arc<str>,
    options: ReadOptions,
    bytes: Vec<u8>,
    text: Option<String>,
    corpus: Corpus,
}

impl Reader for ApfReader {
    fn companion(&mut self, source: Arc<str>, text: &[u8]) -> Result<()> {
        self.text = Some(companion_text(&source, text)?);
        Ok(())
    }

    fn feed(&mut self, lines: &[u8]) -> Result<()> {
        self.bytes.extend_from_slice(lines);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Corpus> {
        let whole = Position::new(&self.source, 0, 0);
        let Some(text) = self.text.take() else {
            let message = "ACE annotation is read together with its text, which is missing";
            return Err(Error::new(ErrorKind::Format, message).coded(Code::MissingText).at(whole));
        };
        let places = Places::new(&self.source, &self.bytes);
        let mut parser = ApfParser {
            places: &places,
            path: Vec::new(),
            place: 0,
            pages: Vec::new(),
            page: DocumentElement::default(),
            entity: EntityElement::default(),
            mention: WrittenMention::default(),
            sequence: Sequence::default(),
            corpus: &mut self.corpus,
        };
        let xml = places.text(&self.bytes)?;
        let mut errors = ErrorList::default();
        let walked = walk(xml, &places, |place, node| {
            parser.place = place;
            match node {
                XmlEvent::Open(name, attributes) => parser.open(name, attributes)?,
                XmlEvent::Text(part) => parser.text(part),
                XmlEvent::Close => parser.close()?,
                XmlEvent::Broken => parser.broken(),
            }
            Ok(())
        });
        let pages = parser.pages;
        errors.check(walked)?;
        if pages.is_empty() {
            errors.finish()?;
            let error = Error::new(ErrorKind::Format, "this file has no `document`").coded(Code::NoDocument);
            return Err(error.at(whole).hint("ACE files have a `source_file` with a `document` of entities"));
        }
        let text = fitting_text(&text, &pages, &places, &mut self.corpus);
        for page in pages {
            let document = Builder {
                places: &places,
                text: &text,
                default_id: &self.options.default_id,
                keep_layers: self.options.keep_layers,
                count_unread: self.options.count_unread,
                corpus: &mut self.corpus,
            }
            .document(page);
            self.corpus.documents.extend(errors.check(document)?);
        }
        errors.finish()?;
        Ok(self.corpus)
    }
}

/// Returns the text outside tags. A tag starts with `<` and a letter or `/`, `!` or `?`, and may cross lines.
fn outside_tags(text: &str, join_line_ends: bool) -> String {
    let mut outside = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = memchr::memchr(b'<', rest.as_bytes()) {
        let after = rest.as_bytes().get(start + 1).copied().unwrap_or_default();
        let opens = after.is_ascii_alphabetic() || matches!(after, b'/' | b'!' | b'?');
        let end = memchr::memchr(b'>', &rest.as_bytes()[start..]).filter(|_| opens);
        let kept = if end.is_some() { start } else { start + 1 };
        outside.push_str(&rest[..kept]);
        rest = &rest[end.map_or(kept, |end| start + end + 1)..];
    }
    outside.push_str(rest);
    if join_line_ends && outside.contains("\r\n") { outside.replace("\r\n", "\n") } else { outside }
}

/// Returns the text to which the offsets of the annotation refer. CR LF is one character, unless the annotation fits
/// better if it is two.
fn fitting_text(
    text: &str,
    pages: &[DocumentElement],
    places: &Places<'_>,
    corpus: &mut Corpus,
) -> PlainText {
    let joined = PlainText::new(outside_tags(text, true));
    if !text.contains("\r\n") {
        return joined;
    }
    let apart = PlainText::new(outside_tags(text, false));
    let sequences = || {
        let mentions = pages.iter().flat_map(|page| &page.entities).flat_map(|entity| &entity.mentions);
        mentions.flat_map(|mention| mention.extent.iter().chain(&mention.head))
    };
    let misfits = |text: &PlainText| sequences().filter(|sequence| !sequence.fits(text)).count();
    if misfits(&apart) >= misfits(&joined) {
        return joined;
    }
    let position = sequences().find(|sequence| !sequence.fits(&joined));
    let position = position.map(|sequence| places.position(sequence.place));
    corpus.diagnostics.add(Code::LineEnds, position, None, || {
        "the offsets fit the text better if CR LF counts as two characters, so it was counted as two"
            .to_owned()
    });
    apart
}

/// Resolves the character references of SGML in `text`.
fn plain(text: &str) -> String {
    let named = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    named.iter().fold(text.to_owned(), |text, (name, sign)| text.replace(name, sign))
}

/// A `document` as written.
#[derive(Default)]
struct DocumentElement {
    place: usize,
    name: String,
    source: String,
    entities: Vec<EntityElement>,
    /// The number of skipped elements.
    unread: u32,
    by_id: FxHashMap<String, usize>,
    /// The positions of the mentions in the list, by id.
    mentions: FxHashMap<String, usize>,
}

/// An entity as written.
#[derive(Default)]
struct EntityElement {
    place: usize,
    id: String,
    kind: Option<String>,
    subtype: Option<String>,
    class: Option<String>,
    names: Vec<String>,
    mentions: Vec<WrittenMention>,
    /// True if its attributes cannot be read.
    broken: bool,
}

/// A mention as written.
#[derive(Default)]
struct WrittenMention {
    place: usize,
    id: String,
    kind: Option<AceMentionType>,
    written_kind: String,
    /// The attributes of its element except id and type.
    attributes: Attributes,
    extent: Option<Sequence>,
    head: Option<Sequence>,
    /// True if some of its offsets have an error.
    broken: bool,
}

/// Offsets with the text that the annotation repeats.
#[derive(Default)]
struct Sequence {
    place: usize,
    start: Option<u32>,
    /// The end as written in the file.
    end: Option<u32>,
    /// True if the end is one past the last character.
    exclusive: bool,
    characters: Range<u32>,
    text: String,
    /// True if an offset has an error.
    broken: bool,
}

impl Sequence {
    /// Returns whether the text at these offsets matches the text that the annotation repeats. Annotation without text
    /// always matches.
    fn fits(&self, text: &PlainText) -> bool {
        if self.characters.end > text.len() {
            return false;
        }
        let (written, slice) = (&self.text, text.slice(&self.characters));
        let (given, found) = (one_line(written), one_line(slice));
        // Offsets are off by one if they include a space next to the mention.
        let blanks =
            |text: &str| [text.trim_start().len(), text.trim_end().len()].map(|rest| text.len() - rest);
        let same_ends = blanks(written) == blanks(slice) || blanks(written) != [0, 0];
        given.is_empty() || same_ends && (given == found || given == one_line(&plain(&found)))
    }
}

struct ApfParser<'p> {
    places: &'p Places<'p>,
    /// The names of the open elements.
    path: Vec<String>,
    /// The start of the current node.
    place: usize,
    pages: Vec<DocumentElement>,
    page: DocumentElement,
    entity: EntityElement,
    mention: WrittenMention,
    sequence: Sequence,
    corpus: &'p mut Corpus,
}

fn filled(attributes: &Attributes, name: &str) -> Option<String> {
    value(attributes, name).filter(|value| !value.is_empty())
}

impl ApfParser<'_> {
    fn error(&self, message: impl Into<Text>) -> Error {
        self.places.error(self.place, message)
    }

    fn id(&self, attributes: &Attributes, element: &str) -> Result<String> {
        filled(attributes, "ID")
            .ok_or_else(|| self.error(format!("this `{element}` has no `ID`")).coded(Code::MissingField))
    }

    fn number(&mut self, text: &str) -> Result<u32> {
        text.trim().parse().map_err(|_| {
            self.sequence.broken = true;
            let error = self.error(format!("`{text}` is not an offset")).coded(Code::BadValue);
            error.hint("offsets are numbers from 0, which count characters")
        })
    }

    fn open(&mut self, name: &str, attributes: Attributes) -> Result<()> {
        let opened = self.open_element(name, attributes);
        self.path.push(name.to_owned());
        opened
    }

    fn open_element(&mut self, name: &str, attributes: Attributes) -> Result<()> {
        let path: Vec<&str> = self.path.iter().map(String::as_str).collect();
        match (path.as_slice(), name) {
            ([], "source_file") => {
                self.page.source = filled(&attributes, "SOURCE").unwrap_or_default().to_lowercase();
            }
            ([], _) => {
                let error = self
                    .error(format!("the file starts with `{name}`, not with `source_file`"))
                    .coded(Code::NoDocument);
                return Err(error.hint("ACE files have a `source_file` with a `document` of entities"));
            }
            ([_], "document") => {
                self.page = DocumentElement {
                    place: self.place,
                    name: filled(&attributes, "DOCID").unwrap_or_default(),
                    source: std::mem::take(&mut self.page.source),
                    ..DocumentElement::default()
                };
            }
            ([_, "document"], "entity") => {
                let id = self.id(&attributes, name);
                self.entity = EntityElement {
                    place: self.place,
                    id: id.clone().unwrap_or_default(),
                    kind: filled(&attributes, "TYPE"),
                    ..EntityElement::default()
                };
                self.describe(&attributes);
                if let Some(first) = self.page.by_id.insert(id?, self.entity.place) {
                    return Err(self.twice("entity", &self.entity.id, first));
                }
            }
            ([_, "document"], "entity_mention")
            | ([_, "document", .., _], "entity")
            | ([_, "document", "entity"], "extent" | "head")
            | ([_, "document", "entity", "entity_mention"], "charseq" | "charspan") => {
                let error = self.error(format!("`{name}` is not allowed here"));
                let parent = match name {
                    "entity" => "`document`",
                    "entity_mention" => "`entity`",
                    "extent" | "head" => "`entity_mention`",
                    _ => "`extent` or `head`",
                };
                return Err(error.coded(Code::BadMarkup).hint(format!("put it into its {parent}")));
            }
            ([_, "document"], _) => {
                self.page.unread += 1;
                let position = Some(self.places.position(self.place));
                self.corpus
                    .diagnostics
                    .add(Code::PassedOver, position, None, || format!("the element `{name}` was skipped"));
            }
            ([_, "document", "entity"], "entity_type") => {
                self.describe(&attributes);
                self.sequence.text.clear();
            }
            ([_, "document", "entity"], "entity_mention") => self.mention(attributes)?,
            ([_, "document", "entity", "entity_attributes"], "name") => {
                self.entity.names.extend(filled(&attributes, "NAME"));
            }
            ([_, "document", "entity", "entity_mention", "extent" | "head"], "charseq" | "charspan") => {
                self.sequence =
                    Sequence { place: self.place, exclusive: name == "charspan", ..Sequence::default() };
                let mut offset = |name| filled(&attributes, name).map(|text| self.number(&text)).transpose();
                let (start, end) = (offset("START"), offset("END"));
                self.sequence.start = start.as_ref().ok().copied().flatten();
                self.sequence.end = end.as_ref().ok().copied().flatten();
                return both(start.map(|_| ()), end.map(|_| ()));
            }
            ([.., "charseq" | "charspan"], "start" | "end") => self.sequence.text.clear(),
            _ => {}
        }
        Ok(())
    }

    fn twice(&self, element: &str, id: &str, first: usize) -> Error {
        self.error(format!("the {element} `{id}` is repeated here"))
            .coded(Code::RepeatedId)
            .with_place(self.places.position(first), "the first time")
            .hint(format!("give each {element} a unique id"))
    }

    /// Reads the attributes of an entity or, in old versions, of its type.
    fn describe(&mut self, attributes: &Attributes) {
        let generic = filled(attributes, "GENERIC").map(|generic| match generic.to_uppercase().as_str() {
            "TRUE" => "GEN".to_owned(),
            _ => "SPC".to_owned(),
        });
        let class = filled(attributes, "CLASS").or(generic);
        let subtype = filled(attributes, "SUBTYPE");
        self.entity.class = class.or(self.entity.class.take());
        self.entity.subtype = subtype.or(self.entity.subtype.take());
    }

    fn mention(&mut self, attributes: Attributes) -> Result<()> {
        let mut errors = ErrorList::default();
        let id = errors.check(self.id(&attributes, "entity_mention"))?;
        if let Some(id) = &id
            && let Some(first) = self.page.mentions.insert(id.clone(), self.place)
        {
            errors.keep(self.twice("mention", id, first))?;
        }
        let id = id.unwrap_or_default();
        let written = filled(&attributes, "TYPE").unwrap_or_default();
        let kind = AceMentionType::written(&written);
        if kind.is_none() {
            errors.keep(match written.is_empty() {
                true => self.error(format!("the mention `{id}` has no `TYPE`")).coded(Code::MissingField),
                false => self
                    .error(format!("`{written}` is not a type of a mention"))
                    .coded(Code::BadValue)
                    .hint("the types of mentions are NAM, NOM, PRO and PRE"),
            })?;
        }
        let attributes = attributes
            .into_iter()
            .filter(|(name, value)| !matches!(name.as_str(), "ID" | "TYPE") && !value.is_empty());
        self.mention = WrittenMention {
            place: self.place,
            id,
            kind,
            written_kind: written,
            attributes: attributes.collect(),
            ..WrittenMention::default()
        };
        errors.finish()
    }

    /// Marks the innermost element as broken. Data that it lacks may be in its unreadable part.
    fn broken(&mut self) {
        match self.path.last().map(String::as_str) {
            Some("entity") => self.entity.broken = true,
            Some("entity_mention") => self.mention.broken = true,
            Some("charseq" | "charspan") => self.sequence.broken = true,
            _ => {}
        }
    }

    fn text(&mut self, part: &str) {
        if matches!(
            self.path.last().map(String::as_str),
            Some("charseq" | "charspan" | "start" | "end" | "entity_type" | "name")
        ) {
            self.sequence.text.push_str(part);
        }
    }

    fn close(&mut self) -> Result<()> {
        let Some(name) = self.path.pop() else { return Ok(()) };
        let path: Vec<&str> = self.path.iter().map(String::as_str).collect();
        match (path.as_slice(), name.as_str()) {
            ([.., "charseq" | "charspan"], "start") => {
                let text = std::mem::take(&mut self.sequence.text);
                self.sequence.start = Some(self.number(&text)?);
            }
            ([.., "charseq" | "charspan"], "end") => {
                let text = std::mem::take(&mut self.sequence.text);
                self.sequence.end = Some(self.number(&text)?);
            }
            ([_, "document", "entity", "entity_mention", part], "charseq" | "charspan") => {
                let part = (*part).to_owned();
                let extent = part == "extent";
                if self.sequence.broken {
                    self.mention.broken = true;
                    return Ok(());
                }
                let sequence = self.sequence();
                self.mention.broken |= sequence.is_err();
                let sequence = sequence?;
                let place = sequence.place;
                let room = if extent { &mut self.mention.extent } else { &mut self.mention.head };
                if let Some(first) = room.replace(sequence) {
                    let message = format!("the {part} of the mention `{}` is repeated here", self.mention.id);
                    let error = self.places.error(place, message).coded(Code::RepeatedId);
                    return Err(error
                        .with_place(self.places.position(first.place), "the first time")
                        .hint("keep one of them"));
                }
            }
            ([_, "document", "entity"], "entity_mention") => {
                let mention = std::mem::take(&mut self.mention);
                let checked = if mention.broken { Ok(()) } else { self.check_mention(&mention) };
                self.entity.mentions.push(mention);
                return checked;
            }
            ([_, "document", "entity"], "entity_type") => {
                let kind = std::mem::take(&mut self.sequence.text).trim().to_owned();
                self.entity.kind = Some(kind).filter(|kind| !kind.is_empty()).or(self.entity.kind.take());
            }
            ([_, "document", "entity", "entity_attributes"], "name") => {
                self.sequence.text.clear();
            }
            ([_, "document"], "entity") => {
                let entity = std::mem::take(&mut self.entity);
                let (typed, id, place) =
                    (entity.broken || entity.kind.is_some(), entity.id.clone(), entity.place);
                self.page.entities.push(entity);
                if !typed {
                    let message = format!("the entity `{id}` has no `TYPE`");
                    let error = self.places.error(place, message).coded(Code::MissingField);
                    return Err(error.hint("its types are PER, ORG, GPE, LOC, FAC, VEH and WEA"));
                }
            }
            ([_], "document") => self.pages.push(std::mem::take(&mut self.page)),
            _ => {}
        }
        Ok(())
    }

    /// Returns the offsets that were just read.
    fn sequence(&mut self) -> Result<Sequence> {
        let mut sequence = std::mem::take(&mut self.sequence);
        let wrong = |message: &str| {
            let error = self.places.error(sequence.place, message).coded(Code::MissingField);
            error.hint("offsets are written `<charseq START=\"0\" END=\"2\">Ada</charseq>`")
        };
        let (Some(start), Some(end)) = (sequence.start, sequence.end) else {
            return Err(wrong("these offsets have no start or no end"));
        };
        let (mut start, mut end) = (start, end);
        if end < start {
            let position = Some(self.places.position(sequence.place));
            self.corpus.diagnostics.add(Code::ReversedSpan, position, None, || {
                format!("the offsets {start} {end} end before they start; they were swapped")
            });
            (start, end) = (end, start);
        }
        let end = if sequence.exclusive { Some(end) } else { end.checked_add(1) };
        let Some(end) = end.filter(|&end| end > start) else {
            return Err(wrong("these offsets contain no characters"));
        };
        sequence.characters = start..end;
        Ok(sequence)
    }

    fn check_mention(&self, mention: &WrittenMention) -> Result<()> {
        let Some(extent) = &mention.extent else {
            let message = format!("the mention `{}` has no extent", mention.id);
            return Err(self.places.error(mention.place, message).coded(Code::MissingField));
        };
        let Some(head) = &mention.head else { return Ok(()) };
        let (outer, inner) = (&extent.characters, &head.characters);
        if inner.start < outer.start || inner.end > outer.end {
            let message = format!("the head of the mention `{}` lies outside its extent", mention.id);
            let extent_place = (self.places.position(extent.place), "the extent");
            return Err(self
                .places
                .error(head.place, message)
                .coded(Code::OutOfRange)
                .with_place(extent_place.0, extent_place.1));
        }
        Ok(())
    }
}

/// Builds a document from a page.
struct Builder<'b> {
    places: &'b Places<'b>,
    text: &'b PlainText,
    default_id: &'b str,
    keep_layers: bool,
    count_unread: bool,
    corpus: &'b mut Corpus,
}

impl Builder<'_> {
    fn note(&mut self, code: Code, place: usize, document: &str, message: impl FnOnce() -> String) {
        let position = Some(self.places.position(place));
        self.corpus.diagnostics.add(code, position, Some(document.to_owned()), message);
    }

    fn document(&mut self, page: DocumentElement) -> Result<crate::model::Document> {
        let name = if page.name.is_empty() { self.default_id.to_owned() } else { page.name };
        let (line, _) = self.places.line_and_column(page.place);
        let source = Arc::clone(self.places.source);
        let mut document = DocumentBuilder::new(DocumentId::new(name.clone()), source, line);
        document.genre = Some(page.source.clone()).filter(|source| !source.is_empty());
        let mut section = AceSection { source: page.source, entities: Vec::new() };
        let mut errors = ErrorList::default();
        for entity in page.entities {
            let kind = entity.kind.unwrap_or_default();
            if entity.mentions.is_empty() {
                self.note(Code::EmptyEntity, entity.place, &name, || {
                    format!("the entity `{}` has no mentions; it was left out", entity.id)
                });
                continue;
            }
            // An entity without a type has an error.
            if !kind.is_empty() && kind != OTHER_TYPE && !ENTITY_TYPES.contains(&kind.as_str()) {
                self.note(Code::UnknownType, entity.place, &name, || {
                    format!("the entity `{}` has the type `{kind}`, which ACE does not define", entity.id)
                });
            }
            if let Some(class) = entity.class.as_deref().filter(|class| !CLASSES.contains(class)) {
                self.note(Code::UnknownType, entity.place, &name, || {
                    format!("the entity `{}` has the class `{class}`, which ACE does not define", entity.id)
                });
            }
            let number = document.add_entity(entity.id.as_str());
            let mut mentions = Vec::with_capacity(entity.mentions.len());
            for written in entity.mentions {
                let known = [
                    (ENTITY_TYPE, Some(&kind)),
                    (MENTION_TYPE, Some(&written.written_kind)),
                    ("SUBTYPE", entity.subtype.as_ref()),
                    ("CLASS", entity.class.as_ref()),
                ];
                let known =
                    known.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.clone())));
                let mut attributes: Attributes = known.collect();
                attributes.extend(written.attributes.iter().cloned());
                let found = self.words_of(&written, number, attributes, &name);
                let Some(found) = errors.check(found)? else { continue };
                document.mentions.extend(found);
                mentions.extend(self.characters_of(written));
            }
            section.entities.push(AceEntity {
                entity: number,
                kind,
                subtype: entity.subtype,
                class: entity.class,
                names: entity.names,
                mentions,
            });
        }
        errors.finish()?;
        document.ace.push(section);
        let mut words = self.text.to_words(self.keep_layers);
        words.add_unread(if self.count_unread { page.unread } else { 0 });
        document.finish(words)
    }

    /// Converts a mention to words. Returns `None` if it has no words.
    fn words_of(
        &mut self,
        written: &WrittenMention,
        entity: EntityId,
        attributes: Attributes,
        document: &str,
    ) -> Result<Option<Mention>> {
        let mut errors = ErrorList::default();
        for sequence in written.extent.iter().chain(&written.head) {
            let checked = self.check(sequence, &written.id, document);
            errors.check(checked)?;
        }
        errors.finish()?;
        let Some(extent) = &written.extent else { return Ok(None) };
        let Some((span, whole)) = self.text.words_in(&extent.characters) else {
            self.note(Code::EmptySpan, written.place, document, || {
                format!("the mention `{}` has no words; only ACE-value counts it", written.id)
            });
            return Ok(None);
        };
        if !whole {
            self.note(Code::InsideWord, written.place, document, || {
                format!("`{}` starts or ends inside a word; it was extended to the whole word", written.id)
            });
        }
        let head = written.head.as_ref().and_then(|head| self.text.words_in(&head.characters));
        let place = self.places.line_and_column(written.place);
        let made = mention(vec![span], entity, place, attributes);
        Ok(made.and_then(|mention| match head {
            Some((head, _)) => mention.with_min_span(head).map(|mention| mention.with_head(head.last())),
            None => Some(mention),
        }))
    }

    /// Fails if offsets are beyond the text. Warns if the text at their place differs.
    fn check(&mut self, sequence: &Sequence, id: &str, document: &str) -> Result<()> {
        let Range { start, end } = sequence.characters;
        if end > self.text.len() {
            let message = format!(
                "the offsets of `{id}` lie beyond the text: it has {} and they end with character {end}",
                plural(self.text.len(), "character", "characters")
            );
            let error = self.places.error(sequence.place, message).coded(Code::OutOfRange);
            return Err(error.hint("is it the right text? Offsets count characters outside tags, from 0"));
        }
        if !sequence.fits(self.text) {
            let found = one_line(self.text.slice(&(start..end)));
            self.note(Code::TextDiffers, sequence.place, document, || {
                let given = one_line(&sequence.text);
                format!(
                    "the text of `{id}` is `{}`, but the text at its place is `{}`",
                    start_of(&given, 40),
                    start_of(&found, 40)
                )
            });
        }
        Ok(())
    }

    /// Returns the mention in characters, for ACE-value.
    fn characters_of(&self, written: WrittenMention) -> Option<AceMention> {
        let upper = |name: &str| filled(&written.attributes, name).map(|value| value.to_uppercase());
        let head = written.head.map(|head| AceHead {
            text: match head.text.trim().is_empty() {
                true => self.text.slice(&head.characters).to_owned(),
                false => head.text,
            },
            characters: head.characters,
        });
        Some(AceMention {
            kind: written.kind?,
            role: filled(&written.attributes, "ROLE"),
            metonymic: upper("METONYMY_MENTION").as_deref() == Some("TRUE"),
            head,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_removed_and_other_signs_remain() {
        let text = "<DOC>\r\n<DOCID\n> x </DOCID>a < b &amp; c</DOC>\r\n<";
        assert_eq!(outside_tags(text, false), "\r\n x a < b &amp; c\r\n<");
        assert_eq!(outside_tags(text, true), "\n x a < b &amp; c\n<");
        assert_eq!(outside_tags("<DOC", true), "<DOC");
    }
}
