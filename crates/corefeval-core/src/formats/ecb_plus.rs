//! Reads ECB+ in the XML of the CAT annotation tool.
//!
//! A markable with token anchors is a mention; a markable without anchors is an instance that
//! relations point to. A `CROSS_DOC_COREF` is an entity shared by all documents and named after the id of
//! its instance. An `INTRA_DOC_COREF`, or a mention without a relation, is an entity of this document
//! only, and its name starts with the document's name. The MEANTIME corpus uses `REFERS_TO` for both: the
//! entity is shared if the instance has an id. The topic is the number before the `_` of the document's
//! name.

use crate::wording::Text;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::file_reader::ErrorList;
use super::frame::{Frame, WholeFile};
use super::names::Names;
use super::standoff::{joined, mention};
use super::xml::{Attributes, Places, XmlEvent, value, walk};
use super::{Aspect, FormatSpec};
use crate::diagnostic::Code;
use crate::error::{Error, Result};
use crate::model::{Corpus, DocumentBuilder, DocumentId, ENTITY_TYPE, EntityId, Span, WordsBuilder};

/// `ecb+`.
pub(super) const SPEC: FormatSpec = FormatSpec {
    id: "ecb+",
    summary: "ECB+: XML with tokens, markables, CROSS_DOC_COREF and INTRA_DOC_COREF",
    extensions: &["xml"],
    expresses: &[Aspect::Attributes, Aspect::Topic],
    detect,
    names: Names::Markup(&[
        "Document", "doc_name", "doc_id", "token", "t_id", "sentence", "number", "Markables", "m_id",
        "token_anchor", "RELATED_TO", "TAG_DESCRIPTOR", "instance_id", "note", "Relations", "r_id",
        "CROSS_DOC_COREF", "INTRA_DOC_COREF", "REFERS_TO", "source", "target",
    ]),
    reader: |source, options| WholeFile::reader(source, options, parse),
    write: Some(super::write::ecb_plus::WRITER),
    ..FormatSpec::PLAIN
};

/// Returns whether the root is a `Document` with tokens near its start.
fn detect(bytes: &[u8]) -> bool {
    let text = bytes.trim_ascii_start();
    let has = |wanted: &[u8]| memchr::memmem::find(text, wanted).is_some();
    text.starts_with(b"<") && has(b"<Document") && (has(b"<token ") || has(b"doc_name="))
}

fn parse(frame: Frame, bytes: &[u8]) -> Result<Corpus> {
    let source = Arc::clone(&frame.source);
    let places = Places::new(&source, bytes);
    let text = places.text(bytes)?;
    let mut parser = EcbParser { places: &places, path: Vec::new(), place: 0, frame, page: None };
    parser.run(text)?;
    parser.frame.finish("this file has no `Document`", "")
}

/// The current document.
struct EcbDocument {
    place: usize,
    name: Option<String>,
    words: WordsBuilder,
    sentence: Option<String>,
    /// The word of each token id.
    tokens: FxHashMap<String, u32>,
    /// The ids that tokens without a readable id probably have.
    lost_tokens: FxHashSet<String>,
    /// The id of the previous token.
    token: String,
    /// The number of the previous token in its sentence.
    number: Option<u32>,
    /// True if the previous token had no error.
    ordered: bool,
    /// True if a markable has no id.
    lost_markable: bool,
    /// The text of the current token.
    form: Option<String>,
    markables: Vec<EcbMarkable>,
    by_id: FxHashMap<String, usize>,
    relations: Vec<EcbRelation>,
}

struct EcbMarkable {
    id: String,
    kind: String,
    instance: Option<String>,
    /// True if it describes an instance rather than words.
    describes: bool,
    /// Token ids with their places.
    anchors: Vec<(String, usize)>,
    attributes: Vec<(String, String)>,
    place: usize,
}

struct EcbRelation {
    kind: RelationKind,
    note: Option<String>,
    /// Ids of markables with their places.
    sources: Vec<(String, usize)>,
    targets: Vec<(String, usize)>,
    place: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum RelationKind {
    CrossDocument,
    WithinDocument,
    RefersTo,
    Other,
}

struct EcbParser<'p> {
    places: &'p Places<'p>,
    frame: Frame,
    /// The names of the open elements.
    path: Vec<String>,
    /// The start of the current event.
    place: usize,
    page: Option<EcbDocument>,
}

impl EcbParser<'_> {
    fn error(&self, message: impl Into<Text>) -> Error {
        self.places.error(self.place, message)
    }

    fn run(&mut self, text: &str) -> Result<()> {
        walk(text, self.places, |place, node| {
            self.place = place;
            match node {
                XmlEvent::Open(name, attributes) => self.open(name, attributes)?,
                XmlEvent::Text(part) => self.text(part),
                XmlEvent::Close => self.close()?,
                XmlEvent::Broken => {}
            }
            Ok(())
        })
    }

    fn text(&mut self, part: &str) {
        if let Some(EcbDocument { form: Some(form), .. }) = &mut self.page {
            form.push_str(part);
        }
    }

    /// Returns the value of a required attribute.
    fn required(&self, attributes: &[(String, String)], element: &str, name: &str) -> Result<String> {
        value(attributes, name)
            .ok_or_else(|| self.error(format!("this `{element}` has no `{name}`")).coded(Code::MissingField))
    }

    fn open(&mut self, name: &str, attributes: Attributes) -> Result<()> {
        let opened = self.open_element(name, attributes);
        self.path.push(name.to_owned());
        opened
    }

    fn open_element(&mut self, name: &str, attributes: Attributes) -> Result<()> {
        let place = self.place;
        // Ignores elements in unexpected places.
        let parents: [&str; 4] = std::array::from_fn(|depth| self.path.get(depth).map_or("", String::as_str));
        match (&parents[..self.path.len().min(4)], name) {
            ([], "Document") => {
                self.page = Some(EcbDocument {
                    place,
                    name: value(&attributes, "doc_name"),
                    words: WordsBuilder::new(self.frame.options.keep_layers),
                    sentence: None,
                    tokens: FxHashMap::default(),
                    lost_tokens: FxHashSet::default(),
                    token: "0".to_owned(),
                    number: None,
                    ordered: true,
                    lost_markable: false,
                    form: None,
                    markables: Vec::new(),
                    by_id: FxHashMap::default(),
                    relations: Vec::new(),
                });
            }
            ([], _) => {
                let error = self
                    .error(format!("the file starts with `{name}`, not with `Document`"))
                    .coded(Code::NoDocument);
                return Err(error.hint("ECB+ files have a `Document` of tokens, Markables and Relations"));
            }
            ([_], "token") => {
                let id = self.required(&attributes, "token", "t_id");
                self.token(id, value(&attributes, "sentence"), value(&attributes, "number"))?;
            }
            ([_, "Markables"], _) => {
                let id = self.required(&attributes, name, "m_id");
                self.markable(id, name, attributes)?;
            }
            ([_, "Markables", _], "token_anchor") => {
                let id = self.required(&attributes, "token_anchor", "t_id");
                if let Some(markable) = self.page.as_mut().and_then(|page| page.markables.last_mut()) {
                    markable.anchors.push((id.clone().unwrap_or_default(), place));
                }
                return id.map(|_| ());
            }
            ([_, "Relations"], _) => {
                let kind = match name {
                    "CROSS_DOC_COREF" => RelationKind::CrossDocument,
                    "INTRA_DOC_COREF" => RelationKind::WithinDocument,
                    "REFERS_TO" => RelationKind::RefersTo,
                    _ => RelationKind::Other,
                };
                if kind == RelationKind::Other {
                    let position = Some(self.places.position(place));
                    self.frame
                        .corpus
                        .diagnostics
                        .add(Code::PassedOver, position, None, || format!("a relation `{name}` was skipped"));
                }
                let note = value(&attributes, "note").filter(|note| !note.is_empty());
                let relation = EcbRelation { kind, note, sources: Vec::new(), targets: Vec::new(), place };
                if let Some(page) = &mut self.page {
                    page.relations.push(relation);
                }
            }
            ([_, "Relations", _], "source" | "target") => {
                let id = self.required(&attributes, name, "m_id")?;
                if let Some(relation) = self.page.as_mut().and_then(|page| page.relations.last_mut()) {
                    let ends = if name == "source" { &mut relation.sources } else { &mut relation.targets };
                    ends.push((id, place));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        self.path.pop();
        if let Some(page) = &mut self.page {
            match self.path.len() {
                0 => {
                    if let Some(page) = self.page.take() {
                        self.document(page)?;
                    }
                }
                1 => page.end_token(),
                _ => {}
            }
        }
        Ok(())
    }

    fn token(&mut self, id: Result<String>, sentence: Option<String>, number: Option<String>) -> Result<()> {
        let line = self.places.line_and_column(self.place).0;
        if self.frame.options.all_errors {
            self.check_order(id.as_deref().ok(), sentence.as_deref(), number);
        }
        let twice = |id: &String| self.page.as_ref().is_some_and(|page| page.tokens.contains_key(id));
        let id = match id {
            Ok(id) if twice(&id) => {
                let error = self.error(format!("the token `{id}` is repeated here")).coded(Code::RepeatedId);
                Err(error.hint("give each token a unique id"))
            }
            id => id,
        };
        let Some(page) = &mut self.page else { return id.map(|_| ()) };
        // Tokens are numbered, so the probable id is known. Anchors to it are not reported as errors.
        let number = page
            .token
            .parse::<u32>()
            .map_or_else(|_| String::new(), |before| (before.saturating_add(1)).to_string());
        page.token = id.clone().unwrap_or(number);
        match &id {
            Ok(id) => _ = page.tokens.insert(id.clone(), page.words.count()),
            Err(_) => _ = page.lost_tokens.insert(page.token.clone()),
        }
        if page.words.count() > 0 && sentence != page.sentence {
            page.words.end_sentence();
        }
        page.sentence = sentence;
        page.form = Some(String::new());
        if let Some(layers) = page.words.layers_mut() {
            layers.line.push(line);
        }
        id.map(|_| ())
    }

    /// Reports a token whose `t_id` does not follow the previous one, or whose `number` does not follow the previous
    /// one in its sentence.
    fn check_order(&mut self, id: Option<&str>, sentence: Option<&str>, number: Option<String>) {
        let Some(page) = &mut self.page else { return };
        let parsed = |text: &str| text.parse::<u32>().ok();
        let follows = |before: Option<u32>, number: Option<u32>| {
            before.zip(number).is_none_or(|(before, number)| before.checked_add(1) == Some(number))
        };
        // After a token with an error, any number is accepted.
        let checked = std::mem::replace(&mut page.ordered, id.is_some()) && id.is_some();
        let ids = (parsed(&page.token), id.and_then(parsed));
        let number = number.as_deref().and_then(parsed);
        let is_next = page.words.count() > 0 && sentence == page.sentence.as_deref();
        let message = if !follows(ids.0, ids.1) {
            ids.0.zip(ids.1).map(|(before, id)| format!("the token {id} follows the token {before}"))
        } else if is_next && !follows(page.number, number) {
            let numbers = page.number.zip(number);
            numbers.map(|(before, number)| {
                format!("the token has number {number} of its sentence and follows number {before}")
            })
        } else if !is_next && number.is_some_and(|number| number > 0) {
            number.map(|number| format!("the first token of the sentence has number {number}"))
        } else {
            None
        };
        page.number = number;
        if let Some(message) = message.filter(|_| checked) {
            let position = Some(self.places.position(self.place));
            self.frame.corpus.diagnostics.add(Code::WordOrder, position, None, || message);
        }
    }

    fn markable(&mut self, id: Result<String>, kind: &str, attributes: Vec<(String, String)>) -> Result<()> {
        let place = self.place;
        let Some(page) = &mut self.page else { return Ok(()) };
        page.lost_markable |= id.is_err();
        let first =
            id.as_ref().ok().and_then(|id| page.by_id.get(id)).map(|&first| page.markables[first].place);
        let known = match (id, first) {
            (Ok(id), Some(first)) => {
                let first = self.places.position(first);
                let error = self.places.error(place, format!("the markable `{id}` is repeated here"));
                let error = error.coded(Code::RepeatedId).with_place(first, "the first time");
                Err(error.hint("give each markable a unique id"))
            }
            (id, _) => id,
        };
        if let Ok(id) = &known {
            page.by_id.insert(id.clone(), page.markables.len());
        }
        let describes = ["TAG_DESCRIPTOR", "RELATED_TO", "instance_id"];
        page.markables.push(EcbMarkable {
            id: known.clone().unwrap_or_default(),
            kind: kind.to_owned(),
            instance: value(&attributes, "instance_id").filter(|id| !id.is_empty()),
            describes: attributes.iter().any(|(name, _)| describes.contains(&name.as_str())),
            anchors: Vec::new(),
            attributes: attributes
                .into_iter()
                .filter(|(name, value)| name != "m_id" && name != "note" && !value.is_empty())
                .collect(),
            place,
        });
        known.map(|_| ())
    }

    fn document(&mut self, page: EcbDocument) -> Result<()> {
        let name = page.name.as_deref().map(|name| name.strip_suffix(".xml").unwrap_or(name));
        let name = name.filter(|name| !name.is_empty()).unwrap_or(&self.frame.options.default_id).to_owned();
        let (line, _) = self.places.line_and_column(page.place);
        let source = Arc::clone(self.places.source);
        let mut document = DocumentBuilder::new(DocumentId::new(name.clone()), source, line);
        let topic = name.split_once('_').map(|(topic, _)| topic);
        let topic =
            topic.filter(|topic| !topic.is_empty() && topic.bytes().all(|byte| byte.is_ascii_digit()));
        document.topic = topic.map(str::to_owned);

        // The entities of each markable: usually one, none for singletons.
        let mut entities = EntitiesOf { of: vec![Vec::new(); page.markables.len()], ..EntitiesOf::default() };
        let mut errors = ErrorList::default();
        for relation in &page.relations {
            errors.check(self.relation(relation, &page, &name, &mut entities))?;
        }
        let mut by_name: FxHashMap<String, EntityId> = FxHashMap::default();
        for (markable, names) in page.markables.iter().zip(&entities.of) {
            let mut names: Vec<String> = names.iter().map(|&name| entities.names[name].clone()).collect();
            if markable.anchors.is_empty() {
                if !markable.describes && !markable.id.is_empty() {
                    let position = Some(self.places.position(markable.place));
                    self.frame.corpus.diagnostics.add(Code::EmptySpan, position, Some(name.clone()), || {
                        format!("the markable `{}` has no words; it was left out", markable.id)
                    });
                }
                continue;
            }
            let mut words = Vec::with_capacity(markable.anchors.len());
            for (id, place) in &markable.anchors {
                let Some(&word) = page.tokens.get(id) else {
                    // The anchor or its token may already have an error.
                    if id.is_empty() || page.lost_tokens.contains(id) || page.lost_tokens.contains("") {
                        continue;
                    }
                    let message = format!("unknown token `{id}`");
                    errors.keep(
                        self.places
                            .error(*place, message)
                            .coded(Code::OutOfRange)
                            .hint("anchors name tokens by their t_id"),
                    )?;
                    continue;
                };
                words.push(Span::word(word));
            }
            let runs = joined(words);
            if names.is_empty() {
                names.push(format!("{name}:{}", markable.id));
            }
            for entity in names {
                let entity = *by_name.entry(entity).or_insert_with_key(|entity| document.add_entity(entity));
                let mut attributes = vec![(ENTITY_TYPE.to_owned(), markable.kind.clone())];
                attributes.extend(markable.attributes.iter().cloned());
                let place = self.places.line_and_column(markable.place);
                document.mentions.extend(mention(runs.clone(), entity, place, attributes));
            }
        }
        errors.finish()?;
        let words = page.words.finish();
        self.frame.add_document(document, words)
    }

    /// Adds the mentions of a relation to its entity.
    fn relation(
        &mut self,
        relation: &EcbRelation,
        page: &EcbDocument,
        name: &str,
        entities: &mut EntitiesOf,
    ) -> Result<()> {
        if relation.kind == RelationKind::Other {
            return Ok(());
        }
        let mut seen = FxHashSet::default();
        for (id, place) in &relation.sources {
            if !seen.insert(id) {
                let position = Some(self.places.position(*place));
                self.frame.corpus.diagnostics.add(
                    Code::DuplicateMention,
                    position,
                    Some(name.to_owned()),
                    || format!("the markable `{id}` is a source of this relation twice"),
                );
            }
        }
        let mut unknown = |id: &str, place: usize| {
            if page.lost_markable {
                return;
            }
            let position = Some(self.places.position(place));
            self.frame
                .corpus
                .diagnostics
                .add(Code::UnknownId, position, Some(name.to_owned()), || format!("no markable `{id}`"));
        };
        let target = relation.targets.first().and_then(|(id, _)| page.by_id.get(id));
        let target = target.map(|&target| &page.markables[target]);
        let across = match relation.kind {
            RelationKind::WithinDocument => None,
            _ => target.and_then(|target| target.instance.clone()).or_else(|| relation.note.clone()),
        };
        let entity = across.unwrap_or_else(|| match relation.targets.first() {
            Some((id, _)) => format!("{name}:{id}"),
            // Without a target, the relation itself is the entity, identified by its line.
            None => format!("{name}:line-{}", self.places.line_and_column(relation.place).0),
        });
        let entity = entities.named(entity);
        for (id, place) in relation.sources.iter().chain(&relation.targets) {
            match page.by_id.get(id) {
                Some(&markable) => {
                    if !entities.add(markable, entity) {
                        let message = format!("the markable `{id}` is in more than {MOST_ENTITIES} entities");
                        return Err(self
                            .places
                            .error(*place, message)
                            .coded(Code::BadMention)
                            .hint("a mention belongs to one entity"));
                    }
                }
                None => unknown(id, *place),
            }
        }
        Ok(())
    }
}

/// The maximum number of entities that a markable may belong to; it usually belongs to one.
const MOST_ENTITIES: usize = 100;

/// The entities of each markable.
#[derive(Default)]
struct EntitiesOf {
    names: Vec<String>,
    numbers: FxHashMap<String, usize>,
    /// For each markable, the numbers of its entities, in the order of the file.
    of: Vec<Vec<usize>>,
}

impl EntitiesOf {
    /// Returns the number of the entity called `name`.
    fn named(&mut self, name: String) -> usize {
        *self.numbers.entry(name).or_insert_with_key(|name| {
            self.names.push(name.clone());
            self.names.len() - 1
        })
    }

    /// Adds a markable to an entity. Returns false if the markable belongs to too many entities.
    fn add(&mut self, markable: usize, entity: usize) -> bool {
        let of = &mut self.of[markable];
        if !of.contains(&entity) {
            of.push(entity);
        }
        of.len() <= MOST_ENTITIES
    }
}

impl EcbDocument {
    fn end_token(&mut self) {
        if let Some(form) = self.form.take() {
            let form = form.trim();
            self.words.push(form.as_bytes());
            if let Some(layers) = self.words.layers_mut() {
                layers.form.push(form);
            }
        }
    }
}
