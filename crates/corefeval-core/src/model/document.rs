//! Documents, and corpora of documents.

use std::fmt;
use std::sync::Arc;

use corefeval_system::mapped::Mapped;

use super::{
    AceHead, AceSection, AnswerDocument, EntityId, Mention, NameLabel, Relations, TextAlignment, Words,
};
use crate::diagnostic::{Code, Diagnostics, Position};
use crate::error::{Error, ErrorKind, Result};
use crate::wording::plural;

/// The id of a document: a name and, in the CoNLL formats, a part.
///
/// Key and response documents are paired by equal ids.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub struct DocumentId {
    name: String,
    part: Option<u32>,
}

impl DocumentId {
    /// Creates the id of a document called `name` without parts.
    pub fn new(name: impl Into<String>) -> DocumentId {
        DocumentId { name: name.into(), part: None }
    }

    /// Creates the id of part `part` of the document called `name`.
    pub fn with_part(name: impl Into<String>, part: u32) -> DocumentId {
        DocumentId { name: name.into(), part: Some(part) }
    }

    /// Returns the name without the part.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether users can mean this document by a text: its id, or its name without the part.
    pub(crate) fn is_called(&self, wanted: &str) -> bool {
        wanted == self.name || wanted == self.to_string()
    }

    /// Returns the id as a file name without an extension: letters, digits, `-` and `_`.
    pub(crate) fn file_name(&self) -> String {
        let name = self.name.chars().map(|c| if c.is_alphanumeric() || c == '-' { c } else { '_' });
        let name: String = if self.name.is_empty() { "document".to_owned() } else { name.collect() };
        match self.part {
            Some(part) => format!("{name}_{part}"),
            None => name,
        }
    }

    /// Returns the name with the part, as the e2e family spells it: `a_0` for part 0 of `a`.
    pub(crate) fn with_part_in_name(&self) -> String {
        self.part.map_or_else(|| self.name.clone(), |part| format!("{}_{part}", self.name))
    }

    /// Returns the part, if the id has one.
    pub fn part(&self) -> Option<u32> {
        self.part
    }
}

impl fmt::Display for DocumentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.name.is_empty() { "(unnamed)" } else { &self.name })?;
        match self.part {
            Some(part) => write!(f, "; part {part:03}"),
            None => Ok(()),
        }
    }
}

/// One annotated document.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub struct Document {
    id: DocumentId,
    source: Arc<str>,
    pieces: Vec<DocumentPiece>,
    line: u32,
    words: Words,
    mentions: Vec<Mention>,
    entities: Vec<EntityName>,
    topic: Option<String>,
    genre: Option<String>,
    relations: Option<Box<Relations>>,
    ace: Vec<AceSection>,
    links: Option<Vec<Link>>,
}

/// One of the documents that a document is joined from.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub struct DocumentPiece {
    /// Its first word in the joined document.
    pub first_word: u32,
    /// Its id.
    pub id: DocumentId,
    /// The name of its file.
    pub source: Arc<str>,
}

/// Separates the number of a document from the names of its mentions in a document that it is joined to. Equal names of
/// different documents are different mentions.
pub(crate) const AFTER_NUMBER: char = '\u{1F}';

/// A link between two mentions as written in a file: their positions in the document's list of mentions. The mention
/// that states the link comes first. Entities are the closure of the links.
pub type Link = [u32; 2];

/// The name of an entity as written in the file. Short names need no separate memory.
pub type EntityName = compact_str::CompactString;

impl Document {
    /// Returns the id of the document.
    pub fn id(&self) -> &DocumentId {
        &self.id
    }

    /// Returns the same document under another name.
    #[must_use]
    pub fn renamed(self, id: DocumentId) -> Document {
        Document { id, ..self }
    }

    /// Returns a copy of the document, with `change` applied to its mentions.
    #[must_use]
    pub(crate) fn with_mentions(&self, change: impl FnOnce(&mut [Mention])) -> Document {
        let mut document = self.clone();
        change(&mut document.mentions);
        document
    }

    /// Returns a copy of the document without its mentions.
    ///
    /// # Errors
    ///
    /// None for a valid document, which remains valid without mentions.
    pub fn without_mentions(&self) -> Result<Document> {
        let mut builder = DocumentBuilder::new(self.id.clone(), Arc::clone(&self.source), self.line);
        builder.topic.clone_from(&self.topic);
        builder.genre.clone_from(&self.genre);
        builder.finish(self.words.clone())
    }

    /// Returns the mentions without a place in the text. Each consists of a word after the end of the text (see
    /// [`Words::with_words_beyond`]).
    pub fn unplaced(&self) -> impl Iterator<Item = &Mention> {
        let end = self.words.count() - self.words.count_beyond();
        self.mentions.iter().filter(move |mention| mention.span().start() >= end)
    }

    /// Returns the document without mentions that have no place in the text, and without the words of these mentions.
    #[must_use]
    pub(crate) fn without_unplaced(&self) -> Document {
        let words = self.words.within_text();
        let mut document = Document { words, ..self.clone() };
        document.mentions.retain(|mention| mention.span().end() <= document.words.count());
        document
    }

    /// Returns the name of its file, or of the first file if it is joined from several documents.
    pub fn source(&self) -> &Arc<str> {
        &self.source
    }

    /// Returns the line where it starts, from 1.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// Returns the position where it starts.
    pub fn position(&self) -> Position {
        Position::new(&self.source, self.line, 1)
    }

    /// Returns the place where the annotation of `mention` opens.
    pub fn position_of(&self, mention: &Mention) -> Position {
        let source = self.piece_of(mention).map_or(&self.source, |piece| &piece.source);
        Position::new(source, mention.line(), mention.column())
    }

    /// Returns the document that `mention` is from, if this one is joined from several.
    pub fn piece_of(&self, mention: &Mention) -> Option<&DocumentPiece> {
        let piece = self.pieces.partition_point(|piece| piece.first_word <= mention.span().start());
        self.pieces.get(piece.checked_sub(1)?)
    }

    /// Returns a name of a mention as its file has it: without the number of its document and [`AFTER_NUMBER`].
    pub(crate) fn name_in_file<'n>(&self, name: &'n str) -> &'n str {
        match self.pieces.is_empty() {
            true => name,
            false => name.split_once(AFTER_NUMBER).map_or(name, |(_, name)| name),
        }
    }

    /// Returns its words.
    pub fn words(&self) -> &Words {
        &self.words
    }

    /// Adds names from a separate file.
    pub(crate) fn set_names(&mut self, names: Vec<NameLabel>) {
        self.words.set_names(names);
    }

    /// Returns the mentions, ordered by the end of their annotation in the file. In CoNLL-UA, where annotation may end
    /// several times, they are ordered by its start.
    pub fn mentions(&self) -> &[Mention] {
        &self.mentions
    }

    /// Returns the names of the entities, indexed by [`EntityId`], in order of first occurrence in the file.
    pub fn entities(&self) -> &[EntityName] {
        &self.entities
    }

    /// Returns its topic, in corpora whose entities cross documents.
    pub fn topic(&self) -> Option<&str> {
        self.topic.as_deref()
    }

    /// Returns its genre: from the file, otherwise from its name in corpora that encode the genre in names.
    pub fn genre(&self) -> Option<&str> {
        self.genre.as_deref().or_else(|| genre_of(self.id.name()))
    }

    /// Returns whether it has a genre that its id does not show.
    pub fn has_own_genre(&self) -> bool {
        self.genre.as_deref().is_some_and(|genre| Some(genre) != genre_of(self.id.name()))
    }

    /// Returns its relations beyond identity.
    pub fn relations(&self) -> Option<&Relations> {
        self.relations.as_deref()
    }

    /// Returns the ACE annotation, in characters: one section for each document that this one was joined from. Empty
    /// for other formats.
    pub fn ace(&self) -> &[AceSection] {
        &self.ace
    }

    /// Returns the links whose two ends are mentions of the document, in the order of the file. Returns `None` for
    /// formats that name entities, and for files that name some.
    pub fn links(&self) -> Option<&[Link]> {
        self.links.as_deref()
    }

    /// Returns whether the document has mentions that corefer, but no links between them.
    pub(crate) fn lacks_links(&self) -> bool {
        let mut has_mention = vec![false; self.entities.len()];
        let is_second =
            |mention: &Mention| std::mem::replace(&mut has_mention[mention.entity().index()], true);
        self.links.is_none() && self.mentions.iter().any(is_second)
    }

    /// Returns the name of an entity.
    pub fn entity_name(&self, entity: EntityId) -> &str {
        &self.entities[entity.index()]
    }
}

#[cfg(feature = "state")]
impl Document {
    /// Returns whether a document that was not made by [`DocumentBuilder::finish`] meets the conditions that it checks.
    pub(super) fn is_whole(&self) -> bool {
        let none = Relations::default();
        let Relations { split_antecedents, bridges, non_referring } = self.relations().unwrap_or(&none);
        let count = self.words.count();
        let span = |span: &super::Span| span.start() < span.end() && span.end() <= count;
        let entity = |entity: EntityId| entity.index() < self.entities.len();
        let mut mentions = self.mentions.iter().chain(non_referring);
        let mut splits = split_antecedents.iter().flat_map(|split| split.parts.iter().chain([&split.entity]));
        let mut bridge_spans =
            bridges.iter().flat_map(|bridge| bridge.anaphor.iter().chain(bridge.antecedent.iter().flatten()));
        mentions.all(|mention| mention.is_whole(count) && entity(mention.entity()))
            && splits.all(|split| entity(*split))
            && bridge_spans.all(span)
            && bridges.iter().all(|bridge| bridge.entity.is_none_or(entity))
            && self.ace.iter().flat_map(|section| &section.entities).all(|ace| entity(ace.entity))
            && self.links.iter().flatten().flatten().all(|end| (*end as usize) < self.mentions.len())
            && self.words.is_whole()
    }
}

/// Returns the genre in the name of a document of OntoNotes (`bc/cctv/00/cctv_0000`) or GUM (`GUM_news_iodine`).
fn genre_of(name: &str) -> Option<&str> {
    let genre = match name.strip_prefix("GUM_") {
        Some(rest) => rest.split_once('_')?.0,
        None => name.split_once('/').map(|(first, _)| first).filter(|first| first.len() == 2)?,
    };
    (!genre.is_empty()).then_some(genre)
}

/// Builds one document; [`finish`](DocumentBuilder::finish) checks that it is complete.
#[derive(Clone, Debug)]
pub struct DocumentBuilder {
    /// The id of the document.
    pub id: DocumentId,
    /// The name of the file.
    pub source: Arc<str>,
    /// The documents that it is joined from, if it is, in order.
    pub pieces: Vec<DocumentPiece>,
    /// The line where the document starts, from 1.
    pub line: u32,
    /// The mentions in the order in which their annotation ends (in CoNLL-UA: starts).
    pub mentions: Vec<Mention>,
    /// The names of the entities, by [`EntityId`].
    pub entities: Vec<EntityName>,
    /// The topic of the document.
    pub topic: Option<String>,
    /// The genre of the document.
    pub genre: Option<String>,
    /// The relations beyond identity.
    pub relations: Option<Box<Relations>>,
    /// The ACE annotation in characters.
    pub ace: Vec<AceSection>,
    /// The links as written in the file, if they are kept.
    pub links: Option<Vec<Link>>,
}

impl DocumentBuilder {
    /// Creates an empty document.
    pub fn new(id: DocumentId, source: Arc<str>, line: u32) -> DocumentBuilder {
        DocumentBuilder {
            id,
            source,
            pieces: Vec::new(),
            line,
            mentions: Vec::new(),
            entities: Vec::new(),
            topic: None,
            genre: None,
            relations: None,
            ace: Vec::new(),
            links: None,
        }
    }

    /// Adds an entity with this name.
    pub fn add_entity(&mut self, name: impl Into<EntityName>) -> EntityId {
        self.entities.push(name.into());
        EntityId::new(self.entities.len() - 1)
    }

    /// Returns the document with these words.
    ///
    /// Fails if a mention, its head or its minimum span is outside the words, or if a mention, a link or a relation refers
    /// to an entity, a mention or a word that the document does not have.
    ///
    /// ```
    /// use corefeval_core::model::{DocumentBuilder, DocumentId, EntityId, Mention, Span, Words};
    /// let mut document = DocumentBuilder::new(DocumentId::new("note"), "note.txt".into(), 1);
    /// document.entities.push("0".into());
    /// document.mentions.push(Mention::new(Span::word(0), EntityId::new(0), 1, 1));
    /// let error = document.finish(Words::default()).unwrap_err();
    /// assert_eq!(error.message(), "a mention of `note` is outside its 0 words");
    /// ```
    ///
    /// # Errors
    ///
    /// A mention, its head, its minimum span, or the annotation of a word is outside the words; a mention, a link, a
    /// relation or ACE annotation refers to an entity, a mention or a word that the document does not have.
    pub fn finish(self, words: Words) -> Result<Document> {
        let (count, entities) = (words.count(), self.entities.len());
        let wrong = |what: &str, line: u32, column: u32| {
            let position = Position::new(&self.source, line, column);
            Err(Error::new(ErrorKind::Format, format!("{what} of `{}`", self.id)).at(position))
        };
        let none = Relations::default();
        let Relations { split_antecedents, bridges, non_referring } =
            self.relations.as_deref().unwrap_or(&none);
        for mention in self.mentions.iter().chain(non_referring) {
            if !mention.lies_within(count) {
                let message =
                    format!("a mention of `{}` is outside its {}", self.id, plural(count, "word", "words"));
                let position = Position::new(&self.source, mention.line(), mention.column());
                return Err(Error::new(ErrorKind::Format, message).coded(Code::OutOfRange).at(position));
            }
            if mention.entity().index() >= entities {
                return wrong("a mention has no entity", mention.line(), mention.column());
            }
        }
        if !words.has_layers_within() {
            return wrong("an annotation of words is outside the words", self.line, 0);
        }
        let is_entity = |entity: EntityId| entity.index() < entities;
        for split in split_antecedents {
            if !split.parts.iter().chain([&split.entity]).all(|&entity| is_entity(entity)) {
                return wrong("a split antecedent names no entity", split.line, 0);
            }
        }
        for bridge in bridges {
            let mut spans = bridge.anaphor.iter().chain(bridge.antecedent.iter().flatten());
            if spans.any(|span| span.end() > count) || bridge.entity.is_some_and(|entity| !is_entity(entity))
            {
                return wrong("a bridging relation names no entity or word", bridge.line, bridge.column);
            }
        }
        for ace in self.ace.iter().flat_map(|section| &section.entities) {
            if !is_entity(ace.entity) {
                return wrong("an entity of ACE is not an entity", self.line, 0);
            }
            if ace.mentions.iter().filter_map(|mention| mention.head.as_ref()).any(AceHead::is_empty) {
                return wrong("a mention has an empty head in the ACE annotation", self.line, 0);
            }
        }
        if self.links.iter().flatten().flatten().any(|&end| end as usize >= self.mentions.len()) {
            return wrong("a link joins no mentions", self.line, 0);
        }
        let DocumentBuilder {
            id,
            source,
            pieces,
            line,
            mut mentions,
            mut entities,
            topic,
            genre,
            relations,
            ace,
            links,
        } = self;
        // Releases the reserved memory, because using new memory costs more than copying.
        mentions.shrink_to_fit();
        entities.shrink_to_fit();
        Ok(Document {
            id,
            source,
            pieces,
            line,
            words,
            mentions,
            entities,
            topic,
            genre,
            relations,
            ace,
            links,
        })
    }
}

/// The documents of one side, as read from one or more files, with the findings of the readers.
#[derive(Clone, Debug, Default)]
pub struct Corpus {
    /// The documents in the order of the files.
    pub documents: Vec<Document>,
    /// The findings of the readers.
    pub diagnostics: Diagnostics,
    /// Documents from answers of language models. Their mentions have no places until `alignment::onto` finds them.
    pub answers: Vec<AnswerDocument>,
    /// The alignment of the texts with the texts of the key, if they were aligned.
    pub alignment: Option<TextAlignment>,
}

impl Corpus {
    /// Gives the pages of the mapped files that contain the words of documents back to the system, and leaves all other
    /// memory to it. Mapped files take much of the time that a process needs to end.
    pub(crate) fn release_files(self) {
        let mut last: Option<&Mapped> = None;
        // Documents of one file follow one another.
        for file in self.documents.iter().filter_map(|document| document.words.file()) {
            if !last.is_some_and(|last| std::ptr::eq(last, file)) {
                file.release();
                last = Some(file);
            }
        }
        std::mem::forget(self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Annotation that a caller places beyond the words is an error.
    #[test]
    fn annotation_lies_within_the_words() {
        let found = |mention: Mention, change: fn(&mut crate::model::Layers)| {
            let mut words = crate::model::WordsBuilder::new(true);
            words.push(b"Ada");
            words.push(b"slept");
            change(words.layers_mut().expect("layers are kept"));
            let mut document = DocumentBuilder::new(DocumentId::new("a"), "a".into(), 1);
            document.entities.push("0".into());
            document.mentions.push(mention);
            document.finish(words.finish()).err().map(|error| error.message())
        };
        let mention = || Mention::new(super::super::Span::word(0), EntityId::new(0), 1, 1);
        let span = |start, end| super::super::Span::new(start, end).expect("a span");
        let outside = Some("a mention of `a` is outside its 2 words".to_owned());
        assert_eq!(found(mention().with_head(1), |_| {}), None);
        assert_eq!(found(mention().with_head(2), |_| {}), outside);
        let details = crate::model::MentionDetails { min_span: vec![span(1, 3)], ..Default::default() };
        assert_eq!(found(mention().with_details(details).expect("details"), |_| {}), outside);
        let beyond = Some("an annotation of words is outside the words of `a`".to_owned());
        assert_eq!(found(mention(), |layers| layers.joined = Some(vec![1])), None);
        assert_eq!(found(mention(), |layers| layers.joined = Some(vec![2])), beyond);
        assert_eq!(found(mention(), |layers| layers.speaker.push("Bo")), None);
        assert_eq!(found(mention(), |layers| (0..3).for_each(|_| layers.speaker.push("Bo"))), beyond);
    }

    /// The head of a mention of ACE has characters, which metrics count.
    #[test]
    fn heads_of_ace_have_characters() {
        let found = |start, end| {
            let head = AceHead { characters: std::ops::Range { start, end }, text: "Ada".to_owned() };
            let kind = crate::model::AceMentionType::Nam;
            let mention = crate::model::AceMention { kind, role: None, metonymic: false, head: Some(head) };
            let entity = crate::model::AceEntity {
                entity: EntityId::new(0),
                kind: "PER".to_owned(),
                subtype: None,
                class: None,
                names: Vec::new(),
                mentions: vec![mention],
            };
            let mut document = DocumentBuilder::new(DocumentId::new("a"), "a".into(), 1);
            document.entities.push("0".into());
            document.ace.push(AceSection { source: String::new(), entities: vec![entity] });
            document.finish(Words::default()).err().map(|error| error.message())
        };
        let wrong = Some("a mention has an empty head in the ACE annotation of `a`".to_owned());
        assert_eq!(
            [(0, 3), (3, 3), (4, 2)].map(|(start, end)| found(start, end)),
            [None, wrong.clone(), wrong]
        );
    }

    #[test]
    fn names_contain_the_genre_in_ontonotes_and_gum() {
        for (name, genre) in [
            ("bc/cctv/00/cctv_0000", Some("bc")),
            ("GUM_news_iodine", Some("news")),
            ("news/ferry_line", None),
            ("GUM_", None),
            ("x", None),
        ] {
            assert_eq!(genre_of(name), genre, "{name}");
        }
    }
}
