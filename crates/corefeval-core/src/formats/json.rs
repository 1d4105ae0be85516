//! Reads scorch's JSON format: a single object, which is one document.
//!
//! `{"type": "clusters", "clusters": {"e1": ["a", "b"]}}` lists the mentions of each entity; a list of lists is also
//! accepted. `{"type": "graph", "mentions": ["a", "b"], "links": [["a", "b"]]}` lists mentions and links, and entities
//! are the closure of the links, which are kept as written. Mentions are identified by name: a string, a number, or a list such as `[3, 5]`,
//! whose name is its JSON.

use corefeval_metrics::Closure;

use crate::wording::{Text, start_of};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use memchr::memchr_iter;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::file_reader::ErrorList;
use super::frame::{Frame, WholeFile, truncated_json};
use super::names::Names;
use super::{Aspect, FormatSpec, ReadOptions, json_error, utf8};
use crate::diagnostic::{Code, Diagnostics, Position};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{
    Corpus, Document, DocumentBuilder, DocumentId, EntityId, Link, Mention, Span, WordsBuilder,
};
use crate::suggest::did_you_mean;

/// `json`.
pub(super) const SPEC: FormatSpec = FormatSpec {
    id: "json",
    summary: "scorch's JSON, one document per file: {\"type\": \"clusters\", …} or {\"type\": \"graph\", …}",
    extensions: &["json"],
    expresses: &[Aspect::EmptyNodes],
    link_notation: Some("`{\"type\": \"graph\", …}` in place of `{\"type\": \"clusters\", …}`"),
    detect,
    names: Names::Json(&["type", "name", "clusters", "mentions", "links"]),
    reader: |source, options| WholeFile::reader(source, options, parse),
    write: Some(super::write::json::WRITER),
    ..FormatSpec::PLAIN
};

/// The types, for error messages.
const TYPES: [&str; 2] = ["clusters", "graph"];

/// The remedy of errors.
const HINT: &str = "a file is {\"type\": \"clusters\", \"clusters\": {\"e1\": [\"a\", \"b\"]}} or {\"type\": \"graph\", \"mentions\": [\"a\", \"b\"], \"links\": [[\"a\", \"b\"]]}";

/// Returns whether an object has a `type` of this format, or has `links`, entities by name, or mentions that are not
/// spans, before any field that only lines of the e2e family have.
fn detect(bytes: &[u8]) -> bool {
    for (key, value) in FieldScan::new(bytes) {
        let next = |text: &[u8], byte: u8| -> Option<Vec<u8>> {
            text.trim_ascii_start().strip_prefix(&[byte]).map(<[u8]>::to_vec)
        };
        match key {
            b"type" => {
                let value = value.trim_ascii_start();
                return TYPES.iter().any(|name| value.starts_with(format!("\"{name}\"").as_bytes()));
            }
            b"links" => return true,
            b"clusters" => {
                if value.trim_ascii_start().first() == Some(&b'{') {
                    return true;
                }
                let list = next(value, b'[').and_then(|rest| next(&rest, b'['));
                let first = list.as_deref().and_then(|rest| rest.trim_ascii_start().first());
                if first.is_some_and(|byte| byte.is_ascii_digit() || *byte == b'"') {
                    return true;
                }
            }
            b"doc_key" | b"doc_id" | b"sentences" | b"tokens" | b"predicted_clusters" => return false,
            _ => {}
        }
    }
    false
}

/// Returns whether the object at the start of `bytes` has these fields first.
pub(super) fn begins_with_fields(bytes: &[u8], names: &[&str]) -> bool {
    FieldScan::new(bytes).map(|field| field.0).take(names.len()).eq(names.iter().map(|name| name.as_bytes()))
}

/// Returns whether the object at the start of `bytes` has a field `name`.
pub(super) fn has_field(bytes: &[u8], name: &str) -> bool {
    FieldScan::new(bytes).any(|(field, _)| field == name.as_bytes())
}

/// The fields of the object at the start of `bytes`, which may end anywhere: the name as written, and the bytes after
/// the colon.
struct FieldScan<'b> {
    bytes: &'b [u8],
    place: usize,
    depth: usize,
}

impl<'b> FieldScan<'b> {
    fn new(bytes: &'b [u8]) -> FieldScan<'b> {
        FieldScan { bytes, place: 0, depth: 0 }
    }
}

impl<'b> Iterator for FieldScan<'b> {
    type Item = (&'b [u8], &'b [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let byte = *self.bytes.get(self.place)?;
            self.place += 1;
            match byte {
                b'{' | b'[' => self.depth += 1,
                _ if self.depth == 0 && !byte.is_ascii_whitespace() => return None,
                b'}' | b']' => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return None;
                    }
                }
                b'"' => {
                    let start = self.place;
                    while *self.bytes.get(self.place)? != b'"' {
                        self.place += 1 + usize::from(self.bytes[self.place] == b'\\');
                    }
                    let text = &self.bytes[start..self.place];
                    self.place += 1;
                    let rest = self.bytes.get(self.place..)?.trim_ascii_start();
                    if let (1, Some(value)) = (self.depth, rest.strip_prefix(b":")) {
                        return Some((text, value));
                    }
                }
                _ => {}
            }
        }
    }
}

fn parse(frame: Frame, bytes: &[u8]) -> Result<Corpus> {
    if bytes.len() >= u32::MAX as usize {
        let error = frame.error(0, "documents of 4 GiB or more are not supported").coded(Code::NotReadable);
        return Err(error.hint("split it, or write a table"));
    }
    let text = check_utf8(bytes, &frame.source)?;
    let errors = ErrorList::default();
    let (diagnostics, count_unread) = (frame.options.findings(), frame.counts_unread());
    let options = &frame.options;
    let mut file = JsonFile { source: &frame.source, text, diagnostics, errors, count_unread, options };
    let document = file.document(&frame.options.default_id);
    let document = file.errors.check(document)?;
    file.errors.finish()?;
    Ok(Corpus {
        documents: document.into_iter().collect(),
        diagnostics: file.diagnostics,
        ..Corpus::default()
    })
}

/// Returns the text of a whole file. Fails at the first byte that is not UTF-8.
fn check_utf8<'b>(bytes: &'b [u8], source: &Arc<str>) -> Result<&'b str> {
    std::str::from_utf8(bytes).or_else(|error| {
        let before = &bytes[..error.valid_up_to()];
        let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let line = memchr_iter(b'\n', before).count() as u32 + 1;
        utf8(&bytes[start..], source, line, 1)
    })
}

/// The current file.
struct JsonFile<'t> {
    source: &'t Arc<str>,
    options: &'t ReadOptions,
    text: &'t str,
    diagnostics: Diagnostics,
    errors: ErrorList,
    /// True if unread fields are counted.
    count_unread: bool,
}

/// A field of the object, if present.
type RawField<'t> = Option<&'t RawValue>;

/// Computes lines and columns of places. Fast if the places increase, as they mostly do.
struct LinesOfPlaces<'t> {
    text: &'t str,
    seen: usize,
    line: u32,
    start: usize,
}

impl LinesOfPlaces<'_> {
    /// Returns line and column of the byte at `place`.
    fn at(&mut self, place: usize) -> (u32, u32) {
        if place < self.seen {
            (self.seen, self.line, self.start) = (0, 1, 0);
        }
        for end in memchr_iter(b'\n', &self.text.as_bytes()[self.seen..place]) {
            self.line += 1;
            self.start = self.seen + end + 1;
        }
        self.seen = place;
        (self.line, (place - self.start) as u32 + 1)
    }
}

impl<'t> JsonFile<'t> {
    fn places(&self) -> LinesOfPlaces<'t> {
        LinesOfPlaces { text: self.text, seen: 0, line: 1, start: 0 }
    }

    /// Returns the place where a piece of the text starts.
    fn offset(&self, piece: &str) -> usize {
        (piece.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize).min(self.text.len())
    }

    fn position(&self, piece: &str) -> Position {
        let (line, column) = self.places().at(self.offset(piece));
        Position::new(self.source, line, column)
    }

    fn error(&self, piece: &str, message: impl Into<Text>) -> Error {
        Error::new(ErrorKind::Format, message).at(self.position(piece))
    }

    /// Parses a piece of the text as JSON of type `T`.
    fn parse<T: Deserialize<'t>>(&self, piece: &'t str) -> Result<T> {
        serde_json::from_str(piece).map_err(|error| {
            // Line and column are relative to the piece.
            let lines = error.line().saturating_sub(1);
            let before = piece.split_inclusive('\n').take(lines).map(str::len).sum::<usize>();
            let place = self.offset(piece) + before + error.column().saturating_sub(1);
            let (line, column) = self.places().at(place.min(self.text.len()));
            let position = Position::new(self.source, line, column);
            match json_error::ending(&error) {
                Some(ending) => Error::new(ErrorKind::Format, format!("the file is truncated: {ending}"))
                    .coded(Code::CutOff)
                    .at(position)
                    .hint(truncated_json(self.options)),
                None => Error::new(ErrorKind::Format, json_error::message(&error))
                    .coded(Code::BadJson)
                    .at(position)
                    .hint(match error.is_data() || !self.options.accept_answers {
                        true => HINT.into(),
                        false => json_error::hint(self.text, self.options),
                    }),
            }
        })
    }

    fn document(&mut self, default_id: &str) -> Result<Document> {
        let ObjectMembers(members) = self.parse(self.text)?;
        let [mut kind, mut name, mut clusters, mut mentions, mut links]: [RawField<'t>; 5] = [None; 5];
        let mut unread = 0;
        for (field, value) in members {
            let place = match &*field {
                "type" => &mut kind,
                "name" => &mut name,
                "clusters" => &mut clusters,
                "mentions" => &mut mentions,
                "links" => &mut links,
                _ => {
                    unread += 1;
                    continue;
                }
            };
            if place.is_some() {
                let error = self.error(value.get(), format!("the field `{field}` is repeated here"));
                self.errors.keep(error.coded(Code::RepeatedId).hint("keep one of them"))?;
            }
            place.get_or_insert(value);
        }
        let id = match name {
            Some(name) => {
                let name = self.name(name);
                self.errors.check(name)?.map_or_else(|| default_id.to_owned(), Cow::into_owned)
            }
            None => default_id.to_owned(),
        };
        let mut builder = DocumentBuilder::new(DocumentId::new(id), Arc::clone(self.source), 1);
        let mut words = WordsBuilder::names();
        let Some(kind) = kind else {
            let message = "`type` is missing; it selects how entities are written";
            return Err(self.error(self.text, message).coded(Code::MissingField).hint(HINT));
        };
        let needed = |field: RawField<'t>, name: &str| {
            field.ok_or_else(|| {
                self.error(kind.get(), format!("there is no `{name}`")).coded(Code::MissingField).hint(HINT)
            })
        };
        let type_name: Cow<'t, str> = self.parse(kind.get())?;
        match &*type_name {
            "clusters" => self.clusters(needed(clusters, "clusters")?, &mut builder, &mut words)?,
            "graph" => {
                let (mentions, links) = (needed(mentions, "mentions")?, needed(links, "links")?);
                self.graph(mentions, links, &mut builder, &mut words)?;
            }
            other => {
                let hint = did_you_mean(other, TYPES.into_iter()).unwrap_or_else(|| HINT.to_owned());
                let message = format!("unknown type `{other}`: it is `clusters` or `graph`");
                return Err(self.error(kind.get(), message).coded(Code::BadValue).hint(hint));
            }
        }
        let mut words = words.finish();
        words.add_unread(if self.count_unread { unread } else { 0 });
        builder.finish(words)
    }

    /// Returns the name that a JSON value represents.
    fn name(&self, value: &'t RawValue) -> Result<Cow<'t, str>> {
        let text = value.get();
        match text.as_bytes().first() {
            Some(b'"') => match text[1..].split_once(['"', '\\']) {
                // Most names have no escapes.
                Some((name, "")) => Ok(Cow::Borrowed(name)),
                _ => self.parse::<String>(text).map(Cow::Owned),
            },
            Some(b'[') => self.parse::<serde_json::Value>(text).map(|value| Cow::Owned(value.to_string())),
            Some(b'-' | b'0'..=b'9') => Ok(Cow::Borrowed(text)),
            _ => {
                let message = format!("`{}` is not a name", start_of(text, 40));
                let hint = "a name is a string, a number or a list such as [3, 5]";
                Err(self.error(text, message).coded(Code::BadValue).hint(hint))
            }
        }
    }

    /// Reads `{"e1": ["a", "b"]}` or `[["a", "b"]]`.
    fn clusters(
        &mut self,
        clusters: &'t RawValue,
        builder: &mut DocumentBuilder,
        words: &mut WordsBuilder,
    ) -> Result<()> {
        let RawClusters(clusters) = self.parse(clusters.get())?;
        let mut names: FxHashSet<Cow<'t, str>> = FxHashSet::default();
        let mut places = self.places();
        for (number, (name, mentions)) in clusters.into_iter().enumerate() {
            let members = self.parse(mentions.get());
            let Some(Listed(members)) = self.errors.check(members)? else { continue };
            let name = name.unwrap_or_else(|| Cow::Owned(number.to_string()));
            if members.is_empty() {
                let document = Some(builder.id.to_string());
                let (line, column) = places.at(self.offset(mentions.get()));
                let position = Position::new(self.source, line, column);
                self.diagnostics.add(Code::EmptyEntity, Some(position), document, || {
                    format!("entity `{name}` of `{}` has no mentions", builder.id)
                });
                continue;
            }
            let entity = builder.add_entity(&*name);
            if let Some(twice) = names.replace(name) {
                let message = format!("the entity `{twice}` is repeated here");
                let error = self
                    .error(mentions.get(), message)
                    .coded(Code::RepeatedId)
                    .hint("write all its mentions in one list");
                self.errors.keep(error)?;
            }
            for mention in members {
                let (line, column) = places.at(self.offset(mention.get()));
                let name = self.name(mention);
                let Some(name) = self.errors.check(name)? else { continue };
                let word = push_name(words, &name, line);
                builder.mentions.push(Mention::new(Span::word(word), entity, line, column));
            }
        }
        Ok(())
    }

    /// Reads `["a", "b"]` and `[["a", "b"]]`.
    fn graph(
        &mut self,
        mentions: &'t RawValue,
        links: &'t RawValue,
        builder: &mut DocumentBuilder,
        words: &mut WordsBuilder,
    ) -> Result<()> {
        let mentions = self.parse(mentions.get());
        let mentions: Option<Vec<&'t RawValue>> = self.errors.check(mentions)?;
        let links: Vec<&'t RawValue> = self.parse(links.get())?;
        // Without mentions, links cannot be checked.
        let Some(mentions) = mentions else { return Ok(()) };
        let mut by_name: FxHashMap<Cow<'t, str>, usize> = FxHashMap::default();
        let mut closure = Closure::default();
        let mut listed: Vec<&'t RawValue> = Vec::with_capacity(mentions.len());
        let mut joined: Vec<Link> = Vec::with_capacity(links.len());
        for mention in mentions {
            let name = self.name(mention);
            let Some(name) = self.errors.check(name)? else { continue };
            if let Some(&first) = by_name.get(&name) {
                let document = Some(builder.id.to_string());
                let position = self.position(mention.get());
                let first = self.position(listed[first].get()).line;
                self.diagnostics.add(Code::DuplicateMention, Some(position), document, || {
                    format!("the mention `{name}` is listed a second time (the first is at line {first})")
                });
                continue;
            }
            by_name.insert(name, closure.add());
            listed.push(mention);
        }
        for link in links {
            let ends = self.parse(link.get());
            let Some(ends): Option<Vec<&'t RawValue>> = self.errors.check(ends)? else { continue };
            let [first, second] = ends[..] else {
                let message = format!("a link joins two mentions, but this one has {}", ends.len());
                self.errors.keep(
                    self.error(link.get(), message).coded(Code::BadValue).hint("write [\"a\", \"b\"]"),
                )?;
                continue;
            };
            let known = |end: &'t RawValue| -> Result<usize> {
                let name = self.name(end)?;
                by_name.get(&name).copied().ok_or_else(|| {
                    let message = format!("the link joins `{name}`, which is not among the mentions");
                    self.error(end.get(), message)
                        .coded(Code::BadValue)
                        .hint("list it in `mentions`, or remove the link")
                })
            };
            let (first, second) = (known(first), known(second));
            if let (Some(first), Some(second)) = (self.errors.check(first)?, self.errors.check(second)?) {
                closure.join(first, second);
                joined.push([first as u32, second as u32]);
            }
        }
        let mut entities: Vec<Option<EntityId>> = vec![None; listed.len()];
        let mut places = self.places();
        for (place, mention) in listed.into_iter().enumerate() {
            let name = self.name(mention)?;
            let entity = *entities[closure.find(place)].get_or_insert_with(|| builder.add_entity(&*name));
            let (line, column) = places.at(self.offset(mention.get()));
            let word = push_name(words, &name, line);
            builder.mentions.push(Mention::new(Span::word(word), entity, line, column));
        }
        builder.links = Some(joined);
        Ok(())
    }
}

/// Adds a mention's name as a word.
fn push_name(words: &mut WordsBuilder, name: &str, line: u32) -> u32 {
    let word = words.push(name.as_bytes());
    if let Some(layers) = words.layers_mut() {
        layers.form.push(name);
        layers.line.push(line);
    }
    word
}

/// The fields of the object, not yet parsed.
pub(super) struct ObjectMembers<'t>(pub(super) Vec<(Cow<'t, str>, &'t RawValue)>);

impl<'de> Deserialize<'de> for ObjectMembers<'de> {
    fn deserialize<D: Deserializer<'de>>(
        deserializer: D,
    ) -> std::result::Result<ObjectMembers<'de>, D::Error> {
        struct MembersVisitor;
        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = ObjectMembers<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with `type`")
            }
            fn visit_map<A: MapAccess<'de>>(
                self,
                mut map: A,
            ) -> std::result::Result<ObjectMembers<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(ObjectMembers(members))
            }
        }
        deserializer.deserialize_map(MembersVisitor)
    }
}

/// The mentions of an entity, not yet parsed.
struct Listed<'t>(Vec<&'t RawValue>);

impl<'de> Deserialize<'de> for Listed<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Listed<'de>, D::Error> {
        struct ListedVisitor;
        impl<'de> Visitor<'de> for ListedVisitor {
            type Value = Listed<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an entity: a list of mentions")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> std::result::Result<Listed<'de>, A::Error> {
                let mut mentions = Vec::new();
                while let Some(mention) = seq.next_element()? {
                    mentions.push(mention);
                }
                Ok(Listed(mentions))
            }
        }
        deserializer.deserialize_seq(ListedVisitor)
    }
}

/// Entities, not yet parsed, with their names if they have any.
struct RawClusters<'t>(Vec<(Option<Cow<'t, str>>, &'t RawValue)>);

impl<'de> Deserialize<'de> for RawClusters<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<RawClusters<'de>, D::Error> {
        struct ClustersVisitor;
        impl<'de> Visitor<'de> for ClustersVisitor {
            type Value = RawClusters<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("entities: an object of lists, or a list of lists")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> std::result::Result<RawClusters<'de>, A::Error> {
                let ObjectMembers(members) =
                    ObjectMembers::deserialize(serde::de::value::MapAccessDeserializer::new(map))?;
                Ok(RawClusters(members.into_iter().map(|(name, list)| (Some(name), list)).collect()))
            }
            fn visit_seq<A: SeqAccess<'de>>(
                self,
                mut seq: A,
            ) -> std::result::Result<RawClusters<'de>, A::Error> {
                let mut clusters = Vec::new();
                while let Some(list) = seq.next_element()? {
                    clusters.push((None, list));
                }
                Ok(RawClusters(clusters))
            }
        }
        deserializer.deserialize_any(ClustersVisitor)
    }
}
