//! Decides if an input is annotated with coreference: without any mention it is probably elsewhere, which scores of 0 or a
//! converted file would hide.

use crate::diagnostic::{Code, Position};
use crate::error::{Error, ErrorKind, Result};
use crate::formats::FormatSpec;
use crate::model::Document;
use crate::wording::{quoted, switch, text};

/// The annotation that an input has in place of coreference.
#[derive(Clone, Debug, Default)]
pub struct Annotated {
    documents: usize,
    annotated: bool,
    /// Whether an entity has another name than `V*`, as parses, names and predicate arguments are.
    has_entities: bool,
    /// The first name of an entity, and its place.
    first: Option<(String, Position)>,
}

impl Annotated {
    /// Looks at these documents.
    pub fn of<'d>(documents: impl IntoIterator<Item = &'d Document>) -> Annotated {
        let mut annotated = Annotated::default();
        documents.into_iter().for_each(|document| annotated.add(document));
        annotated
    }

    /// Adds a document.
    pub fn add(&mut self, document: &Document) {
        self.documents += 1;
        self.annotated |= is_annotated(document);
        self.has_entities |= document.entities().iter().any(|name| !name.ends_with('*'));
        if let (None, Some(mention)) = (&self.first, document.mentions().first()) {
            let name = document.entity_name(mention.entity()).to_owned();
            self.first = Some((name, document.position_of(mention)));
        }
    }

    /// Fails if there is no mention in any document, or if the last column of a CoNLL file is another one, such as
    /// predicate arguments.
    pub fn check(&self, source: &str, format: &FormatSpec) -> Result<()> {
        if !self.annotated {
            return Err(without_annotation(source, self.documents, format));
        }
        let Some((name, position)) = &self.first else { return Ok(()) };
        if format.id != "conll" || self.has_entities {
            return Ok(());
        }
        let message = text!(
            "there is no coreference column: the last column has {} in the place of an entity, as predicate arguments, names and parses have",
            quoted(name)
        );
        Err(Error::new(ErrorKind::Format, message).coded(Code::NoAnnotation).at(position.clone()).hint(
            text!(
                "write coreference into the last column; {} accepts this column all the same",
                switch("allow-empty")
            ),
        ))
    }
}

/// Returns whether a document has a mention or anything else that is scored.
pub(super) fn is_annotated(document: &Document) -> bool {
    let relations = document.relations();
    let related = relations
        .is_some_and(|relations| !relations.non_referring.is_empty() || !relations.bridges.is_empty());
    !document.mentions().is_empty() || related
}

/// The error of an input without any mention. Its place names the input, which may be neither key nor response.
pub(super) fn without_annotation(source: &str, documents: usize, format: &FormatSpec) -> Error {
    let message = match documents {
        1 => "there is no mention in its only document".to_owned(),
        _ => format!("there is no mention in any of its {documents} documents"),
    };
    Error::new(ErrorKind::Format, message)
        .coded(Code::NoAnnotation)
        .at(Position::new(&source.into(), 0, 0))
        .hint(text!(
            "check that it has coreference where {} has it ({}); {} accepts a file without any",
            format.id,
            format.summary,
            switch("allow-empty")
        ))
}
