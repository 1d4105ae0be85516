//! Checks whether an input is annotated with coreference. If it has no mentions, the coreference is probably somewhere
//! else, and a score of 0 or a converted file would hide this.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, Diagnostics, Position, Severity};
use crate::error::{Error, ErrorKind, Result};
use crate::formats::FormatSpec;
use crate::model::{Corpus, Document, Notation, Side};
use crate::wording::{quoted, switch, text};

/// The annotation found in an input where coreference is expected.
#[derive(Clone, Debug, Default)]
pub struct Annotated {
    documents: usize,
    annotated: bool,
    files: Vec<AnnotatedFile>,
    /// A warning for each document without mentions.
    empty: Diagnostics,
}

/// The annotation of a file.
#[derive(Clone, Debug)]
struct AnnotatedFile {
    source: Arc<str>,
    annotated: bool,
    /// True if an entity has a name that does not end in `*`; brackets of parses, named entities and predicate
    /// arguments (`(V*`) have names that do.
    has_entities: bool,
    /// The first name of an entity, and its place.
    first: Option<(String, Position)>,
}

impl Annotated {
    /// Records the annotation of a corpus and of its answers, whose mentions are not placed yet.
    pub(super) fn of(corpus: &Corpus, side: Option<Side>) -> Annotated {
        let mut annotated = Annotated::default();
        corpus.documents.iter().for_each(|document| annotated.add(document, side));
        annotated.documents += corpus.answers.len();
        let marked: BTreeSet<&Arc<str>> = corpus
            .answers
            .iter()
            .filter(|answer| answer.has_mentions())
            .map(|answer| &answer.source)
            .collect();
        for answer in &corpus.answers {
            match answer.has_mentions() {
                true => annotated.annotated = true,
                // The marked text may surround the documents of its file.
                false if answer.notation == Notation::Pipe && marked.contains(&answer.source) => {}
                false => warn(
                    answer.id.as_deref().unwrap_or_default(),
                    answer.position(),
                    side,
                    &mut annotated.empty,
                ),
            }
        }
        annotated
    }

    /// Adds a document, with its side if inputs have sides.
    pub fn add(&mut self, document: &Document, side: Option<Side>) {
        let (annotated, source) = (is_annotated(document), document.source());
        self.documents += 1;
        self.annotated |= annotated;
        // Documents of a file are adjacent.
        if self.files.last().is_none_or(|file| file.source != *source) {
            let source = Arc::clone(source);
            self.files.push(AnnotatedFile { source, annotated: false, has_entities: false, first: None });
        }
        if let Some(file) = self.files.last_mut() {
            file.annotated |= annotated;
            file.has_entities |= document.entities().iter().any(|name| !name.ends_with('*'));
            if let (None, Some(mention)) = (&file.first, document.mentions().first()) {
                let name = document.entity_name(mention.entity()).to_owned();
                file.first = Some((name, document.position_of(mention)));
            }
        }
        warn_if_empty(document, side, &mut self.empty);
    }

    /// Returns the files of the documents.
    pub(super) fn sources(&self) -> impl Iterator<Item = &Arc<str>> {
        self.files.iter().map(|file| &file.source)
    }

    /// Checks that the last column of each file is coreference. `found` holds the reader's findings about columns of
    /// text without brackets.
    ///
    /// # Errors
    ///
    /// The last column of a file is not coreference: it has predicate arguments, or text without brackets.
    pub fn check_files(&self, format: &FormatSpec, found: &Diagnostics) -> Result<()> {
        self.files.iter().try_for_each(|file| file.check(format, found))
    }

    /// Checks that at least one document has a mention.
    ///
    /// # Errors
    ///
    /// No document has a mention. The error includes the first warning of each kind in `found`, the reader's findings,
    /// because they may explain the missing mentions.
    pub fn check<'d>(
        &self,
        source: &str,
        format: &FormatSpec,
        found: impl IntoIterator<Item = &'d Diagnostics>,
    ) -> Result<()> {
        if self.annotated {
            return Ok(());
        }
        let mut warned = BTreeSet::new();
        let groups = found.into_iter().flat_map(Diagnostics::groups);
        let first = groups
            .filter(|group| group.code.severity() == Severity::Warning && group.code != Code::NoMentions)
            .filter(|group| warned.insert(group.code))
            .filter_map(|group| group.kept.first());
        Err(first.fold(without_annotation(source, self.documents, format), |error, found| {
            match &found.position {
                Some(position) => error.with_place(position.clone(), found.message.clone()),
                None => error,
            }
        }))
    }

    /// Adds the annotation of another corpus of the same side.
    pub(super) fn merge(&mut self, other: &Annotated) {
        self.documents += other.documents;
        self.annotated |= other.annotated;
    }

    /// Returns a warning for each document without mentions.
    pub fn findings(self) -> Diagnostics {
        self.empty
    }
}

impl AnnotatedFile {
    fn check(&self, format: &FormatSpec, found: &Diagnostics) -> Result<()> {
        let here = |found: &&Arc<Diagnostic>| {
            found.position.as_ref().is_some_and(|position| position.source == self.source)
        };
        let bare = || {
            let bare = found.groups().iter().find(|group| group.code == Code::BareId)?;
            bare.kept.iter().find(here)?.position.clone()
        };
        let (message, position) = match &self.first {
            Some((name, position)) if format.id == "conll" && !self.has_entities => (
                text!(
                    "no coreference column: the last column has {} where an entity id belongs, like a \
                     column of predicate arguments, names or parses",
                    quoted(name)
                ),
                position.clone(),
            ),
            None if !self.annotated => match bare() {
                None => return Ok(()),
                Some(position) => {
                    (text!("no coreference column: the last column has text but no brackets"), position)
                }
            },
            _ => return Ok(()),
        };
        Err(Error::new(ErrorKind::Format, message).coded(Code::NoAnnotation).at(position).hint(text!(
            "put coreference in the last column, or use {} to accept this column",
            switch("allow-empty")
        )))
    }
}

/// Warns if a document has no mentions.
pub(super) fn warn_if_empty(document: &Document, side: Option<Side>, diagnostics: &mut Diagnostics) {
    if document.mentions().is_empty() {
        warn(&document.id().to_string(), document.position(), side, diagnostics);
    }
}

fn warn(id: &str, position: Position, side: Option<Side>, diagnostics: &mut Diagnostics) {
    diagnostics.add(Code::NoMentions, Some(position), Some(id.to_owned()), || {
        let place = if id.is_empty() { String::new() } else { format!(" in `{id}`") };
        match side {
            Some(side) => format!("the {} has no mention{place}", side.label()),
            None => format!("no mention{place}"),
        }
    });
}

/// Returns whether a document has a mention or anything else that is scored.
pub(super) fn is_annotated(document: &Document) -> bool {
    let relations = document.relations();
    let related = relations
        .is_some_and(|relations| !relations.non_referring.is_empty() || !relations.bridges.is_empty());
    !document.mentions().is_empty() || related
}

/// Returns the error for an input without mentions. Its place names the input, which may be neither key nor response.
pub(super) fn without_annotation(source: &str, documents: usize, format: &FormatSpec) -> Error {
    let message = match documents {
        1 => "its only document has no mentions".to_owned(),
        _ => format!("none of its {documents} documents has a mention"),
    };
    Error::new(ErrorKind::Format, message)
        .coded(Code::NoAnnotation)
        .at(Position::new(&source.into(), 0, 0))
        .hint(text!(
            "check that coreference is where {} expects it ({}); {} accepts a file without any",
            format.id,
            format.summary,
            switch("allow-empty")
        ))
}
