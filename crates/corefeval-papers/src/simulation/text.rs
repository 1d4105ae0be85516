//! The text of a simulation: documents whose mentions have types.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::evaluation::NamedInput;
use corefeval_core::formats::{FormatSpec, ReadOptions};
use corefeval_core::input::Limits;
use corefeval_core::model::{
    Corpus, Document, DocumentBuilder, ENTITY_TYPE, EntityId, MENTION_TYPE, Mention, MentionDetails,
};

/// The shipped text: 24 short reports, generated from templates for this project. It is a copy of the example, because a
/// packaged crate contains only its own files.
const SHIPPED: &str = include_str!("voyages.conll");

/// The name of the shipped text.
const SHIPPED_NAME: &str = "examples/voyages/key.conll";

/// Words that are pronouns.
const PRONOUNS: [&str; 32] = [
    "i", "me", "my", "mine", "we", "us", "our", "ours", "you", "your", "yours", "he", "him", "his", "she",
    "her", "hers", "it", "its", "they", "them", "their", "theirs", "himself", "herself", "itself",
    "themselves", "who", "whom", "whose", "this", "that",
];

/// Pronouns of persons.
const PERSONAL: [&str; 11] =
    ["he", "him", "his", "she", "her", "hers", "himself", "herself", "who", "i", "me"];

/// The kinds of mentions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MentionClass {
    Name,
    Nominal,
    Pronoun,
}

impl MentionClass {
    /// Returns the type in ACE's notation.
    fn id(self) -> &'static str {
        match self {
            MentionClass::Name => "NAM",
            MentionClass::Nominal => "NOM",
            MentionClass::Pronoun => "PRO",
        }
    }
}

/// A mention of the key.
#[derive(Clone, Debug)]
pub(super) struct TextMention {
    /// The mention as in the key, with its types.
    pub(super) mention: Mention,
    /// The kind of the mention.
    pub(super) kind: MentionClass,
    /// The words of the mention in lower case, without an article.
    pub(super) words: String,
}

/// A document with its mentions in the order of the text.
#[derive(Clone, Debug)]
pub(super) struct TextDocument {
    pub(super) document: Arc<Document>,
    pub(super) mentions: Vec<TextMention>,
}

/// A text with the key against which simulated systems are scored.
#[derive(Clone, Debug)]
pub struct SimulationText {
    /// The name of the file.
    pub(super) name: String,
    pub(super) all: Vec<TextDocument>,
    format: &'static FormatSpec,
}

impl SimulationText {
    /// Reads the shipped text.
    ///
    /// # Errors
    ///
    /// The shipped text cannot be read, which the tests rule out.
    pub fn shipped() -> Result<SimulationText> {
        let format = FormatSpec::named("conll")?;
        let corpus = format.read(SHIPPED.as_bytes(), SHIPPED_NAME, ReadOptions::with_layers())?;
        SimulationText::new(SHIPPED_NAME, &corpus, format)
    }

    /// Reads the user's text: any annotated documents with words.
    ///
    /// # Errors
    ///
    /// The input cannot be read or exceeds the limits; a document does not contain its words; no document has a mention.
    pub fn open(input: &NamedInput, limits: &Limits) -> Result<SimulationText> {
        let mut options = ReadOptions::with_layers();
        options.limits = *limits;
        let (corpus, format) = input.input.read(None, &options, &AtomicU64::new(0))?;
        SimulationText::new(&input.path, &corpus, format)
    }

    fn new(name: &str, corpus: &Corpus, format: &'static FormatSpec) -> Result<SimulationText> {
        let wordless =
            |document: &&Document| document.words().are_names() || document.words().layers().is_none();
        if let Some(document) = corpus.documents.iter().find(wordless) {
            let message =
                format!("`{}` does not contain its words, which simulated systems need", document.id());
            return Err(Error::new(ErrorKind::Pairing, message)
                .at(document.position())
                .hint("give a text with words (conll, corefud, brat, jsonlines with sentences)"));
        }
        let documents = corpus.documents.iter().map(typed).collect::<Result<Vec<TextDocument>>>()?;
        let text = SimulationText { name: name.to_owned(), all: documents, format };
        match text.all.iter().all(|document| document.mentions.is_empty()) {
            false => Ok(text),
            true => Err(Error::new(ErrorKind::Pairing, format!("`{name}` has no mention of a word"))
                .hint("a simulation needs an annotated text")),
        }
    }

    /// Returns the text without singletons.
    pub(super) fn without_singletons(&self) -> Result<SimulationText> {
        let documents = self.all.iter().map(|document| {
            let mut sizes: BTreeMap<EntityId, usize> = BTreeMap::new();
            for mention in &document.mentions {
                *sizes.entry(mention.mention.entity()).or_default() += 1;
            }
            let kept = |mention: &&TextMention| sizes[&mention.mention.entity()] > 1;
            let mentions: Vec<TextMention> = document.mentions.iter().filter(kept).cloned().collect();
            let of = mentions.iter().map(|mention| mention.mention.clone()).collect();
            Ok(TextDocument { document: Arc::new(with_mentions(&document.document, of)?), mentions })
        });
        Ok(SimulationText { all: documents.collect::<Result<_>>()?, ..self.clone() })
    }

    /// Returns the numbers of documents, mentions and entities.
    pub(super) fn sizes(&self) -> [usize; 3] {
        let mentions = self.all.iter().map(|document| document.mentions.len()).sum();
        let entities = self.all.iter().map(|document| {
            let mut entities: Vec<EntityId> =
                document.mentions.iter().map(|mention| mention.mention.entity()).collect();
            entities.sort_unstable();
            entities.dedup();
            entities.len()
        });
        [self.all.len(), mentions, entities.sum()]
    }

    /// Returns the key as an input.
    pub(super) fn key(&self) -> NamedInput {
        let documents: Vec<Arc<Document>> =
            self.all.iter().map(|document| Arc::clone(&document.document)).collect();
        NamedInput::documents(self.name.clone(), documents, self.format)
    }

    /// Returns a response as an input.
    pub(super) fn input(&self, name: &str, documents: Vec<Document>) -> Result<NamedInput> {
        let documents: Vec<Arc<Document>> = documents.into_iter().map(Arc::new).collect();
        Ok(NamedInput::documents(name, documents, self.format))
    }
}

/// Returns the document with different mentions and renumbered entities.
pub(super) fn with_mentions(document: &Document, mentions: Vec<Mention>) -> Result<Document> {
    let mut builder =
        DocumentBuilder::new(document.id().clone(), Arc::clone(document.source()), document.line());
    builder.entities = document.entities().to_vec();
    builder.mentions = mentions;
    builder.finish(document.words().clone())
}

/// Returns a document whose mentions have types: their own, or types derived from their words.
fn typed(document: &Document) -> Result<TextDocument> {
    let form =
        |word: u32| document.words().layers().and_then(|layers| layers.form.get(word as usize)).unwrap_or("");
    let mut mentions = Vec::new();
    for mention in document.mentions() {
        let words: Vec<&str> = (mention.span().start()..mention.span().end()).map(form).collect();
        let kind = match mention.attribute(MENTION_TYPE) {
            Some("NAM" | "PROP" | "Name") => MentionClass::Name,
            Some("PRO" | "PRON" | "Pronoun") => MentionClass::Pronoun,
            Some(_) => MentionClass::Nominal,
            None => kind_of(&words),
        };
        mentions.push((mention, kind, words));
    }
    let mut types: BTreeMap<EntityId, &'static str> = BTreeMap::new();
    for (mention, kind, words) in &mentions {
        let small = words.join(" ").to_lowercase();
        let guess = match kind {
            MentionClass::Pronoun if PERSONAL.contains(&small.as_str()) => "PER",
            MentionClass::Pronoun if small.starts_with("it") => "VEH",
            _ => continue,
        };
        types.entry(mention.entity()).or_insert(guess);
    }
    let made = mentions.into_iter().filter_map(|(mention, kind, words)| {
        let of_entity = mention.attribute(ENTITY_TYPE).map(str::to_owned);
        let of_entity =
            of_entity.unwrap_or_else(|| (*types.get(&mention.entity()).unwrap_or(&"LOC")).to_owned());
        let details = MentionDetails {
            attributes: vec![
                (MENTION_TYPE.to_owned(), kind.id().to_owned()),
                (ENTITY_TYPE.to_owned(), of_entity),
            ],
            ..mention.details().cloned().unwrap_or_default()
        };
        let again = Mention::new(mention.span(), mention.entity(), mention.line(), mention.column());
        let again =
            mention.head().map_or(again.clone(), |head| again.with_head(head)).with_details(details)?;
        let words = words.join(" ").to_lowercase();
        let words =
            ["the ", "a ", "an "].iter().find_map(|article| words.strip_prefix(article)).unwrap_or(&words);
        Some(TextMention { mention: again, kind, words: words.to_owned() })
    });
    let mut mentions: Vec<TextMention> = made.collect();
    mentions.sort_by_key(|mention| (mention.mention.span().start(), mention.mention.span().end()));
    let of = mentions.iter().map(|mention| mention.mention.clone()).collect();
    Ok(TextDocument { document: Arc::new(with_mentions(document, of)?), mentions })
}

/// Returns the kind of a mention by its words: a pronoun, a name if the last word has a capital, otherwise a nominal.
fn kind_of(words: &[&str]) -> MentionClass {
    match words {
        [word] if PRONOUNS.contains(&word.to_lowercase().as_str()) => MentionClass::Pronoun,
        [.., last] if last.starts_with(char::is_uppercase) => MentionClass::Name,
        _ => MentionClass::Nominal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_text_equals_the_example() {
        let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/voyages/key.conll");
        assert_eq!(std::fs::read_to_string(example).expect("the example"), SHIPPED);
    }
}
