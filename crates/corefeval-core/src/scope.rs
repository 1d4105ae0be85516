//! The unit over which entities are compared: a document, a topic, or the corpus.
//!
//! Within a topic or a corpus, entities cross documents: entities with the same name are one entity. The documents are
//! joined into one document per side, so that later stages need no special case.

use crate::wording::text;
use crate::wording::{option_value, plural};
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostics};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{
    AFTER_NUMBER, AceSection, Document, DocumentBuilder, DocumentId, DocumentPiece, EntityId, NameNumbers,
    Words, WordsBuilder,
};
use crate::pairing::DocumentPair;
use crate::settings::Scope;

/// A unit of comparison: a key document and possibly a response document, each joined from several documents.
#[derive(Debug)]
pub struct JoinedPair {
    key: Document,
    response: Option<Document>,
}

impl JoinedPair {
    /// Returns its documents, as pairing does.
    pub fn as_pair(&self) -> DocumentPair<'_> {
        DocumentPair { key: &self.key, response: self.response.as_ref() }
    }
}

/// Joins the documents of each topic, or all documents. Topics are in the order of their first documents. Returns
/// `None` if each document is compared alone.
///
/// A document without a topic is not joined and causes a warning. If key and response differ in length, both are
/// padded, so that the next documents start at the same word.
///
/// # Errors
///
/// The documents of a topic or of the corpus are too large for one document.
pub fn join(
    pairs: &[DocumentPair<'_>],
    scope: Scope,
    diagnostics: &mut Diagnostics,
) -> Result<Option<Vec<JoinedPair>>> {
    let groups = match scope {
        Scope::Document => return Ok(None),
        Scope::Corpus => vec![(DocumentId::new("corpus"), pairs.to_vec())],
        Scope::Topic => by_topic(pairs, diagnostics),
    };
    let groups = groups.into_iter().filter(|group| !group.1.is_empty());
    groups.map(|(id, pairs)| join_group(&id, &pairs, diagnostics)).collect::<Result<_>>().map(Some)
}

fn by_topic<'c>(
    pairs: &[DocumentPair<'c>],
    diagnostics: &mut Diagnostics,
) -> Vec<(DocumentId, Vec<DocumentPair<'c>>)> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut groups: Vec<(DocumentId, Vec<DocumentPair<'c>>)> = Vec::new();
    for &pair in pairs {
        let topic = pair.key.topic().or_else(|| pair.response?.topic());
        let Some(topic) = topic else {
            let id = pair.key.id();
            diagnostics.add(Code::TopicMissing, Some(pair.key.position()), Some(id.to_string()), || {
                format!("`{id}` has no topic: its entities are compared within it")
            });
            groups.push((id.clone(), vec![pair]));
            continue;
        };
        let place = *places.entry(topic).or_insert_with(|| {
            groups.push((DocumentId::new(topic), Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push(pair);
    }
    groups
}

fn sides<'c>(pair: &DocumentPair<'c>) -> [Option<&'c Document>; 2] {
    [Some(pair.key), pair.response]
}

fn join_group(
    id: &DocumentId,
    pairs: &[DocumentPair<'_>],
    diagnostics: &mut Diagnostics,
) -> Result<JoinedPair> {
    let names = pairs.iter().flat_map(sides).flatten().all(|document| document.words().are_names());
    let nothing = Words::default();
    check_size(id, pairs)?;
    let mut key = Joining::new(id, pairs[0].key, names);
    let first = pairs.iter().find_map(|pair| pair.response);
    let mut response = first.map(|first| Joining::new(id, first, names));
    for pair in pairs {
        let words = sides(pair).map(|document| document.map_or(&nothing, Document::words));
        // Names have no positions that must agree between the sides.
        let room = (!names).then(|| Room::of(words));
        key.add(Some(pair.key), words[0], room.as_ref());
        if let Some(response) = &mut response {
            response.add(pair.response, words[1], room.as_ref());
        }
    }
    key.warn_of_crossing("key", diagnostics);
    if let Some(response) = &response {
        response.warn_of_crossing("response", diagnostics);
    }
    Ok(JoinedPair { key: key.finish(), response: response.map(Joining::finish) })
}

/// Fails if the joined document would be too large.
fn check_size(id: &DocumentId, pairs: &[DocumentPair<'_>]) -> Result<()> {
    let (mut words, mut bytes) = (0u64, [0u64; 2]);
    for pair in pairs {
        let sides = sides(pair).map(|document| document.map(Document::words));
        words += sides.iter().flatten().map(|words| u64::from(words.count())).sum::<u64>();
        for (sum, words) in bytes.iter_mut().zip(sides) {
            *sum += words.map_or(0, |words| words.column_bytes() + PREFIX * u64::from(words.count()));
        }
    }
    if words < u64::from(u32::MAX) && bytes.iter().all(|&sum| sum < u64::from(u32::MAX)) {
        return Ok(());
    }
    let message = format!("the {} documents of `{id}` are too large to be compared as one", pairs.len());
    Err(Error::new(ErrorKind::Settings, message)
        .at(pairs[0].key.position())
        .hint(text!("{} compares them one by one", option_value("scope", "document"))))
}

/// The largest number of bytes of a document's number before a name.
const PREFIX: u64 = 11;

/// The extent of a document in a joined one.
struct Room {
    in_text: u32,
    empty_nodes: u32,
    sentences: usize,
}

impl Room {
    /// Returns the room that both sides of a document need.
    fn of(both: [&Words; 2]) -> Room {
        let [a, b] = both.map(|words| Room {
            in_text: words.count_in_text(),
            empty_nodes: words.empty_nodes().len() as u32,
            // Each document has at least one sentence, so that no sentence spans two documents.
            sentences: words.sentences().len().max(1),
        });
        Room {
            in_text: a.in_text.max(b.in_text),
            empty_nodes: a.empty_nodes.max(b.empty_nodes),
            sentences: a.sentences.max(b.sentences),
        }
    }

    /// Returns the padding after a side with `words`.
    fn less(&self, words: &Words) -> Room {
        Room {
            in_text: self.in_text - words.count_in_text(),
            empty_nodes: self.empty_nodes - words.empty_nodes().len() as u32,
            sentences: self.sentences - words.sentences().len().max(1),
        }
    }
}

/// One side of a group while it is joined.
struct Joining {
    document: DocumentBuilder,
    words: WordsBuilder,
    entities: NameNumbers,
    /// True if words are names on both sides.
    names: bool,
    /// The number of documents so far.
    added: u32,
    /// For each entity, the last document that contains it, and whether an earlier document does too.
    met: Vec<(u32, bool)>,
    /// True if any document has ACE annotation.
    ace: bool,
    /// True if any document lacks its links.
    without_links: bool,
}

impl Joining {
    fn new(id: &DocumentId, first: &Document, names: bool) -> Joining {
        let mut document = DocumentBuilder::new(id.clone(), Arc::clone(first.source()), first.line());
        document.topic = first.topic().map(str::to_owned);
        let words = if names { WordsBuilder::names() } else { WordsBuilder::new(true) };
        Joining {
            document,
            words,
            entities: NameNumbers::default(),
            names,
            added: 0,
            met: Vec::new(),
            ace: false,
            without_links: false,
        }
    }

    /// Appends a document (nothing if the side lacks it), and pads it to the room it needs.
    fn add(&mut self, document: Option<&Document>, words: &Words, room: Option<&Room>) {
        let base = self.words.count();
        // Equal names of different documents are different mentions.
        let prefix = self.names.then(|| format!("{}{AFTER_NUMBER}", self.added));
        self.words.append(words, prefix.as_deref());
        self.added += 1;
        // Each document has a section on both sides, so that the sections correspond.
        self.document.ace.push(AceSection::default());
        if let Some(room) = room {
            let left = room.less(words);
            self.words.fill(left.in_text, left.empty_nodes, left.sentences);
        }
        let Some(document) = document else { return };
        let (id, source) = (document.id().clone(), Arc::clone(document.source()));
        self.document.pieces.push(DocumentPiece { first_word: base, id, source });
        let entities: Vec<EntityId> = document.entities().iter().map(|name| self.entity(name)).collect();
        if let (Some(room), Some(section)) = (self.document.ace.last_mut(), document.ace().first()) {
            *room = section.moved(&entities);
            self.ace = true;
        }
        let first = self.document.mentions.len() as u32;
        self.without_links |= document.lacks_links();
        if let Some(links) = document.links() {
            let ours = self.document.links.get_or_insert_default();
            ours.extend(links.iter().map(|link| link.map(|mention| first + mention)));
        }
        let mentions = document.mentions().iter();
        self.document.mentions.extend(mentions.map(|mention| mention.moved(base, &entities)));
        if let Some(relations) = document.relations() {
            self.document.relations.get_or_insert_default().append(relations.moved(base, &entities));
        }
    }

    /// Returns the entity called `name`, which is new if the name occurs for the first time.
    fn entity(&mut self, name: &str) -> EntityId {
        let names = &mut self.document.entities;
        let next = EntityId::new(names.len()).index() as u32;
        let number = self.entities.number(name, next, |number| &names[number as usize]);
        if number == next {
            names.push(name.into());
            self.met.push((self.added, false));
        }
        let (last, crosses) = &mut self.met[number as usize];
        *crosses |= *last != self.added;
        *last = self.added;
        EntityId::new(number as usize)
    }

    /// Warns about entities in several documents. Formats with ids that are local to a document (`(0)` in each document
    /// of a CoNLL file) would join unrelated entities.
    fn warn_of_crossing(&self, side: &str, diagnostics: &mut Diagnostics) {
        let crossing = self.met.iter().filter(|met| met.1).count();
        let Some(first) = self.met.iter().position(|met| met.1) else { return };
        let id = &self.document.id;
        diagnostics.add(Code::EntitiesCross, None, Some(id.to_string()), || {
            let (name, all) = (&self.document.entities[first], self.met.len());
            let all = plural(all, "entity", "entities");
            let were = if crossing == 1 { "was" } else { "were" };
            format!(
                "{crossing} of {all} of the {side} {were} merged by name across the documents of `{id}`, for \
                 example `{name}`"
            )
        });
    }

    fn finish(mut self) -> Document {
        if !self.ace {
            self.document.ace.clear();
        }
        // If some documents lack their links, the remaining links are incomplete.
        if self.without_links {
            self.document.links = None;
        }
        let document = self.document.finish(self.words.finish());
        document.expect("joined documents contain their parts")
    }
}
