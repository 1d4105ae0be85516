//! Documents of the library as Python objects, and documents built from Python objects.

use std::sync::Arc;

use compact_str::CompactString;
use corefeval_core::diagnostic::Diagnostics;
use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::evaluation::NamedInput;
use corefeval_core::formats::{FormatSpec, LISTS};
use corefeval_core::model::{
    Bridge, Dependency, Document, DocumentBuilder, DocumentId, EntityId, Mention, MentionDetails,
    NewEmptyNode, Phrase, Relations, Span, SplitAntecedent, TextColumn, Words, WordsBuilder,
};
use corefeval_core::profiles::Profile;
use corefeval_core::selection::{SelectedMention, select};
use corefeval_core::settings::{Match, Settings};
use corefeval_core::wording::plural;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::{raised, wrong_value};
use crate::options::PYTHON;

/// A document of the library, with its format. Private: see `corefeval.Document`.
#[pyclass(frozen, name = "Document", module = "corefeval._corefeval")]
pub struct PyDocument {
    pub(crate) document: Arc<Document>,
    pub(crate) format: &'static FormatSpec,
}

/// First and last word.
type FirstAndLast = (u32, u32);

/// A mention from Python: the number of its entity, first and last word, head, parts, minimum span, attributes, whether
/// it has no words.
type GivenMention =
    (u32, u32, u32, Option<u32>, Vec<FirstAndLast>, Vec<FirstAndLast>, Vec<(String, String)>, bool);

/// A mention for Python: entity, first and last word, head, rare details (`None` if absent), line and column.
type FoundMention = (u32, u32, u32, Option<u32>, Option<FoundDetails>, u32, u32);

/// Parts, minimum span, attributes, and whether the mention lacks words.
type FoundDetails = (Vec<FirstAndLast>, Vec<FirstAndLast>, Vec<(String, String)>, bool);

/// A split antecedent: the numbers of an entity and of its parts.
type Split = (u32, Vec<u32>);

/// A bridge: anaphor, antecedent, entity, relation.
type BridgeParts = (Vec<FirstAndLast>, Option<Vec<FirstAndLast>>, Option<u32>, String);

/// Split antecedents, bridges, non-referring expressions.
type FoundRelations = (Vec<Split>, Vec<BridgeParts>, Vec<FoundMention>);

/// The relations from Python.
type GivenRelations = (Vec<Split>, Vec<BridgeParts>, Vec<GivenMention>);

/// The head of an empty node, `None` for the root, and the relation to it.
type ZeroHeads = Vec<(Option<u32>, String)>;

/// A zero: its index among the words, its number, its heads.
type ZeroFields = (u32, u32, ZeroHeads);

/// Entity, sentence, first and last word in the sentence, words, minimum span.
type CovalMention = (u32, u32, u32, u32, Vec<String>, Vec<(String, u32)>);

/// Returns the format with a name, including the formats of Python objects.
fn format_named(id: &str) -> Result<&'static FormatSpec> {
    [&PYTHON, &LISTS].into_iter().find(|spec| spec.id == id).map_or_else(|| FormatSpec::named(id), Ok)
}

fn pairs(spans: &[Span]) -> Vec<FirstAndLast> {
    spans.iter().map(|span| (span.start(), span.last())).collect()
}

fn found(mention: &Mention) -> FoundMention {
    let contiguous = mention.parts().len() == 1;
    let details = mention.details();
    let details = details.map(|details| {
        let parts = if contiguous { Vec::new() } else { pairs(mention.parts()) };
        (parts, pairs(&details.min_span), details.attributes.clone(), details.without_words)
    });
    let span = mention.span();
    let entity = mention.entity().index() as u32;
    (entity, span.start(), span.last(), mention.head(), details, mention.line(), mention.column())
}

/// The result of converting Python objects, or the problem with them.
type Made<T> = std::result::Result<T, String>;

/// A span within a text of `words` words.
fn span_in(words: u32, (first, last): FirstAndLast) -> Made<Span> {
    let span = last.checked_add(1).and_then(|end| Span::new(first, end));
    let span = span.ok_or_else(|| format!("the span ({first}, {last}) ends before it starts"))?;
    match span.end() <= words {
        true => Ok(span),
        false => {
            let text = plural(words, "word", "words");
            Err(format!("the span ({first}, {last}) ends beyond the text of {text}"))
        }
    }
}

/// The mentions of entities.
fn mentions(given: Vec<GivenMention>, entities: usize, words: u32) -> Made<Vec<Mention>> {
    let mut mentions = Vec::with_capacity(given.len());
    let span = |pair: FirstAndLast| span_in(words, pair);
    for (entity, first, last, head, parts, min_span, attributes, without_words) in given {
        if entity as usize >= entities {
            return Err(format!("there is no entity {entity}"));
        }
        let mut mention = Mention::new(span((first, last))?, EntityId::new(entity as usize), 0, 0);
        if let Some(head) = head {
            if head >= words {
                return Err(format!(
                    "the head {head} is outside the text of {}",
                    plural(words, "word", "words")
                ));
            }
            mention = mention.with_head(head);
        }
        if without_words || !(parts.is_empty() && min_span.is_empty() && attributes.is_empty()) {
            let all = |spans: Vec<FirstAndLast>| spans.into_iter().map(span).collect::<Made<Vec<_>>>();
            let (parts, min_span) = (all(parts)?, all(min_span)?);
            let details = MentionDetails { parts, min_span, attributes, without_words };
            mention = mention.with_details(details).ok_or_else(|| {
                let where_it_is = "are not in order, touch each other, or do not begin and end with it";
                format!("the parts of the mention ({first}, {last}) {where_it_is}")
            })?;
        }
        mentions.push(mention);
    }
    Ok(mentions)
}

/// The annotation of a document beyond identity; `None` if there is none.
fn relations(given: GivenRelations, entities: usize, words: u32) -> Made<Option<Box<Relations>>> {
    let (splits, bridges, non_referring) = given;
    if splits.is_empty() && bridges.is_empty() && non_referring.is_empty() {
        return Ok(None);
    }
    let entity = |number: u32| match (number as usize) < entities {
        true => Ok(EntityId::new(number as usize)),
        false => Err(format!("there is no entity {number}")),
    };
    let runs = |pairs: Vec<FirstAndLast>| {
        let runs = pairs.into_iter().map(|pair| span_in(words, pair)).collect::<Made<Vec<_>>>()?;
        match !runs.is_empty() && runs.windows(2).all(|two| two[0].end() < two[1].start()) {
            true => Ok(runs),
            false => Err("the runs of words of a bridge are not in order, or touch each other".to_owned()),
        }
    };
    let split = |(whole, parts): Split| {
        let parts = parts.into_iter().map(entity).collect::<Made<_>>()?;
        Ok(SplitAntecedent { entity: entity(whole)?, parts, line: 0 })
    };
    let bridge = |(anaphor, antecedent, of, relation): BridgeParts| {
        let (anaphor, antecedent) = (runs(anaphor)?, antecedent.map(runs).transpose()?);
        Ok(Bridge { anaphor, antecedent, entity: of.map(entity).transpose()?, relation, line: 0, column: 0 })
    };
    Ok(Some(Box::new(Relations {
        split_antecedents: splits.into_iter().map(split).collect::<Made<_>>()?,
        bridges: bridges.into_iter().map(bridge).collect::<Made<_>>()?,
        non_referring: mentions(non_referring, entities, words)?,
    })))
}

/// Builds a document with these words, entities and relations.
fn finished(
    mut document: DocumentBuilder,
    words: Words,
    entities: Vec<String>,
    given: Vec<GivenMention>,
    given_relations: GivenRelations,
) -> Made<Document> {
    document.mentions = mentions(given, entities.len(), words.count())?;
    document.relations = relations(given_relations, entities.len(), words.count())?;
    document.entities = entities.into_iter().map(CompactString::from).collect();
    // Mentions and relations were checked above, with their places in the lists of the caller.
    Ok(document.finish(words).expect("mentions and relations lie within the words"))
}

/// As many unknown words as mentions and relations require.
fn unknown_words(mentions: &[GivenMention], (_, bridges, non_referring): &GivenRelations) -> Words {
    let mentions = mentions.iter().chain(non_referring).flat_map(|mention| {
        let spans = mention.4.iter().chain(&mention.5).map(|pair| pair.1);
        spans.chain([mention.2]).chain(mention.3)
    });
    let runs = bridges.iter().flat_map(|bridge| bridge.0.iter().chain(bridge.1.iter().flatten()));
    let beyond = mentions.chain(runs.map(|pair| pair.1)).max();
    let mut words = WordsBuilder::new(false);
    words.push_unknown(beyond.map_or(0, |last| last.min(u32::MAX - 3) + 1));
    words.finish()
}

/// The words of sentences; `zeros` are not in the text.
fn words_of(sentences: Vec<Vec<String>>, zeros: Vec<ZeroFields>) -> Words {
    let mut words = WordsBuilder::new(true);
    let mut zeros = zeros.into_iter().peekable();
    for sentence in sentences {
        for word in sentence {
            match zeros.next_if(|zero| zero.0 == words.count()) {
                Some((place, number, dependencies)) => {
                    words.push_numbered_empty_node(number);
                    dependencies
                        .into_iter()
                        .for_each(|given| words.push_dependency(dependency(place, given)));
                }
                None => _ = words.push(word.as_bytes()),
            }
            if let Some(layers) = words.layers_mut() {
                layers.form.push(&word);
                layers.line.push(0);
            }
        }
        words.end_sentence();
    }
    words.finish()
}

fn dependency(word: u32, (parent, relation): (Option<u32>, String)) -> Dependency {
    Dependency { word, parent, relation: relation.into() }
}

impl PyDocument {
    /// The words as written, if known.
    fn forms(&self) -> Option<&TextColumn> {
        let words = self.document.words();
        words.layers().map(|layers| &layers.form).filter(|form| form.len() == words.count() as usize)
    }
}

#[pymethods]
impl PyDocument {
    /// Builds a document from Python objects. Without `sentences` its words are unknown; `zeros` are in order.
    #[staticmethod]
    #[pyo3(signature = (name, part, sentences, zeros, entities, given, relations, topic, genre, format))]
    #[allow(clippy::too_many_arguments, reason = "a private function")]
    fn make(
        py: Python<'_>,
        name: String,
        part: Option<u32>,
        sentences: Option<Vec<Vec<String>>>,
        zeros: Vec<ZeroFields>,
        entities: Vec<String>,
        given: Vec<GivenMention>,
        relations: GivenRelations,
        topic: Option<String>,
        genre: Option<String>,
        format: &str,
    ) -> PyResult<PyDocument> {
        let letters: usize = sentences.iter().flatten().flatten().map(String::len).sum();
        if u32::try_from(letters).is_err() {
            return Err(wrong_value(py, "a document has less than 4 GiB of text", "split the document"));
        }
        let format = format_named(format).map_err(|error| raised(py, &error))?;
        let made = py.detach(|| {
            let words = match sentences {
                Some(sentences) => words_of(sentences, zeros),
                None => unknown_words(&given, &relations),
            };
            let id = match part {
                Some(part) => DocumentId::with_part(name, part),
                None => DocumentId::new(name),
            };
            let mut document = DocumentBuilder::new(id, Arc::from("document"), 0);
            (document.topic, document.genre) = (topic, genre);
            finished(document, words, entities, given, relations)
        });
        let document = made.map_err(|message: String| wrong_value(py, &message, SPANS))?;
        Ok(PyDocument { document: Arc::new(document), format })
    }

    /// Returns the document with the same words and other entities. `zeros` contains all zeros of the result, and `added`
    /// the new zeros: place, sentence, number.
    fn with_entities(
        &self,
        py: Python<'_>,
        zeros: Vec<ZeroFields>,
        added: Vec<(u32, u32, u32)>,
        entities: Vec<String>,
        given: Vec<GivenMention>,
        relations: GivenRelations,
    ) -> PyResult<PyDocument> {
        let made = py.detach(|| {
            let old = &self.document;
            let mut words = old.words().clone();
            if words.fingerprint().is_none() && words.empty_nodes().is_empty() {
                // The mentions determine the number of unknown words.
                let more = unknown_words(&given, &relations);
                words = if more.count() > words.count() { more } else { words };
            }
            if !added.is_empty() {
                let node = |(word, sentence, number)| NewEmptyNode { word, sentence, number };
                let nodes: Vec<NewEmptyNode> = added.into_iter().map(node).collect();
                let of_zero =
                    |(word, _, given): ZeroFields| given.into_iter().map(move |it| dependency(word, it));
                let more = words.with_empty_nodes(&nodes, zeros.into_iter().flat_map(of_zero).collect());
                words = more.ok_or("the zeros are not in order, or lie beyond the text")?;
            }
            let mut document = DocumentBuilder::new(old.id().clone(), Arc::clone(old.source()), old.line());
            document.topic = old.topic().map(str::to_owned);
            document.genre = old.genre().map(str::to_owned);
            finished(document, words, entities, given, relations)
        });
        let document = made.map_err(|message: String| wrong_value(py, &message, SPANS))?;
        Ok(PyDocument { document: Arc::new(document), format: self.format })
    }

    /// Returns id, name, part, topic, genre, file, line, format.
    #[allow(clippy::type_complexity, reason = "a private function")]
    fn about(
        &self,
    ) -> (String, String, Option<u32>, Option<String>, Option<String>, String, u32, &'static str) {
        let document = &self.document;
        let (id, text) = (document.id(), |text: Option<&str>| text.map(str::to_owned));
        (
            id.to_string(),
            id.name().to_owned(),
            id.part(),
            text(document.topic()),
            text(document.genre()),
            document.source().to_string(),
            document.line(),
            self.format.id,
        )
    }

    /// Returns the words, if known.
    fn tokens(&self) -> Option<Vec<String>> {
        Some(self.forms()?.iter().map(str::to_owned).collect())
    }

    /// Returns the number of words, the starts of sentences, whether the words are known, and the number of words at the
    /// end that belong to mentions without a place in the text.
    fn places(&self) -> (u32, Vec<u32>, bool, u32) {
        let words = self.document.words();
        (words.count(), words.sentences().to_vec(), self.forms().is_some(), words.count_beyond())
    }

    /// Returns the words that are not in the text.
    fn zeros(&self) -> Vec<ZeroFields> {
        let words = self.document.words();
        let nodes = words.empty_nodes().iter().zip(words.empty_node_numbers());
        let said = |dependency: &Dependency| (dependency.parent, dependency.relation.to_string());
        nodes
            .map(|(&word, &number)| (word, number, words.dependencies(word).iter().map(said).collect()))
            .collect()
    }

    /// Returns the names of the entities, and the mentions in the order of the file.
    fn entities(&self) -> (Vec<String>, Vec<FoundMention>) {
        let names = self.document.entities().iter().map(CompactString::to_string).collect();
        (names, self.document.mentions().iter().map(found).collect())
    }

    /// Returns the annotation beyond identity.
    fn relations(&self) -> FoundRelations {
        let none = Relations::default();
        let relations = self.document.relations().unwrap_or(&none);
        let index = |entity: EntityId| entity.index() as u32;
        let splits = relations.split_antecedents.iter();
        let splits =
            splits.map(|split| (index(split.entity), split.parts.iter().copied().map(index).collect()));
        let bridges = relations.bridges.iter().map(|bridge| {
            let antecedent = bridge.antecedent.as_deref().map(pairs);
            (pairs(&bridge.anaphor), antecedent, bridge.entity.map(index), bridge.relation.clone())
        });
        (splits.collect(), bridges.collect(), relations.non_referring.iter().map(found).collect())
    }

    /// Returns the mentions that remain after selection by the parse of `key`: entity, sentence, first and last word in
    /// the sentence, words, and the minimum span if `match` uses it.
    fn coval_mentions(
        &self,
        py: Python<'_>,
        key: &PyDocument,
        choices: Vec<(String, String)>,
    ) -> PyResult<Vec<CovalMention>> {
        let made = py.detach(|| -> Result<_> {
            let mut settings = Settings::of(Profile::named("coval")?);
            choices.iter().try_for_each(|(name, value)| settings.set(name, value))?;
            let document = &*self.document;
            let selected = select(document, &key.document, &settings, &mut Diagnostics::default());
            let (sentences, form) = (document.words().sentences(), |word: u32| {
                let layers = document.words().layers();
                layers.and_then(|layers| layers.form.get(word as usize)).unwrap_or_default().to_owned()
            });
            let mention = |chosen: &SelectedMention| {
                let span = document.mentions()[chosen.mention as usize].span();
                let sentence = document.words().sentence_of(span.last());
                let begin = sentences.get(sentence as usize).copied().unwrap_or(0);
                let place = |word: u32| word.saturating_sub(begin);
                let words: Vec<String> = (span.start()..span.end()).map(form).collect();
                let parsed = key.document.words().layers();
                let phrase = parsed.filter(|_| settings.matching == Match::MinSpan);
                let phrase = phrase.and_then(|layers| Phrase::of(layers, span));
                let minimum = phrase.map(|phrase| phrase.minimum_span());
                let minimum: Vec<(String, u32)> = match minimum {
                    // If no word qualifies, all words with their index in the mention.
                    Some(found) if found.is_empty() => words.iter().cloned().zip(0..).collect(),
                    Some(found) => found.into_iter().map(|(word, at)| (word, place(at))).collect(),
                    None => Vec::new(),
                };
                (chosen.entity, sentence, place(span.start()), place(span.last()), words, minimum)
            };
            Ok(selected.mentions.iter().map(mention).collect())
        });
        made.map_err(|error| raised(py, &error))
    }

    /// Returns the document for pickle.
    fn state<'py>(&self, py: Python<'py>) -> (&'static str, Bound<'py, PyBytes>) {
        let bytes = py.detach(|| self.document.to_state());
        (self.format.id, PyBytes::new(py, &bytes))
    }

    /// Returns the document of a pickled state.
    #[staticmethod]
    fn from_state(py: Python<'_>, format: &str, bytes: &[u8]) -> PyResult<PyDocument> {
        let made = format_named(format).and_then(|format| {
            let document = Arc::new(Document::from_state(bytes)?);
            Ok(PyDocument { document, format })
        });
        made.map_err(|error| raised(py, &error))
    }
}

/// The hint of errors about spans.
const SPANS: &str = "spans are first and last word, counted from 0 over the document; for ends that are one past \
                     the last word pass span_end=\"exclusive\"";

/// Documents of one side, with the findings about the objects that they were made from.
#[derive(Clone, Default)]
pub struct Given {
    pub(crate) documents: Arc<Vec<Arc<Document>>>,
    /// Their distinct formats.
    formats: Vec<&'static FormatSpec>,
    pub(crate) findings: Diagnostics,
    /// The number of their mentions.
    pub(crate) mentions: usize,
}

impl Given {
    /// Adds documents.
    pub fn extend(&mut self, documents: &[Bound<'_, PyDocument>]) {
        for document in documents {
            let PyDocument { document, format } = document.get();
            self.push(Arc::clone(document), format);
        }
    }

    /// Adds a document.
    pub fn push(&mut self, document: Arc<Document>, format: &'static FormatSpec) {
        self.mentions += document.mentions().len();
        Arc::make_mut(&mut self.documents).push(document);
        if self.formats.iter().all(|known| known.id != format.id) {
            self.formats.push(format);
        }
    }

    /// Returns whether they are lists of mentions.
    pub fn are_lists(&self) -> bool {
        self.formats.iter().any(|format| format.id == LISTS.id)
    }

    /// Returns the documents as an input with this name.
    pub fn input(&self, name: String) -> Result<NamedInput> {
        if let [first, second, ..] = self.formats[..] {
            let message =
                format!("the documents of `{name}` are of several formats: {} and {}", first.id, second.id);
            let hint = "score documents of one format at a time: the format determines what is counted";
            return Err(Error::new(ErrorKind::Pairing, message).hint(hint));
        }
        let format = self.formats.first().copied().unwrap_or(&PYTHON);
        Ok(NamedInput::documents(name, Arc::clone(&self.documents), format).found(self.findings.clone()))
    }
}

/// Returns documents as an input with this name.
pub fn given(name: String, documents: &[Bound<'_, PyDocument>]) -> Result<NamedInput> {
    let mut given = Given::default();
    given.extend(documents);
    given.input(name)
}
