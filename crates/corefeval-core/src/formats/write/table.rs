//! Writes `table`: one row per mention, separated by commas, with columns for document, mention and entity, and for
//! topic and types if any. A single document without a name has no column for it, because readers refuse empty cells.

use super::links::mention_names;
use super::losses::Losses;
use super::renaming::{distinct_entities, document_ids, ids_by};
use super::{Outline, WholeWriter, Writer};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Document, DocumentId, ENTITY_TYPE, MENTION_TYPE, Mention};

pub(in crate::formats) const WRITER: Writer = Writer::Whole(WholeWriter {
    ids: |ids| match names_documents(ids) {
        false => document_ids(ids, false, &[]),
        true => ids_by(ids, false, |name| match name.trim() {
            "" => "_".to_owned(),
            name => name.to_owned(),
        }),
    },
    look: |outline, document| {
        outline.topic |= document.topic().is_some();
        for (there, (name, _)) in outline.types.iter_mut().zip(TYPES) {
            *there |= document.mentions().iter().any(|mention| attribute(mention, name).is_some());
        }
    },
    begin: |outline| {
        let columns = OptionalColumns::of(outline);
        let mut header = Vec::new();
        header.extend(columns.topic.then_some("topic"));
        header.extend(columns.document.then_some("document"));
        header.extend(["mention", "entity"]);
        header
            .extend(TYPES.iter().zip(outline.types).filter(|(_, there)| *there).map(|((_, name), _)| *name));
        rows(|row| row(&header))
    },
    document: |text, writing, losses| {
        let columns = OptionalColumns::of(writing.outline);
        text.push_str(&rows(|row| write_document(writing.document, writing.id, columns, row, losses))?);
        Ok(())
    },
});

/// The columns that are written only if they have content.
#[derive(Clone, Copy)]
struct OptionalColumns {
    topic: bool,
    document: bool,
    types: [bool; 2],
}

impl OptionalColumns {
    fn of(outline: &Outline) -> OptionalColumns {
        OptionalColumns {
            topic: outline.topic,
            document: names_documents(outline.ids()),
            types: outline.types,
        }
    }
}

/// Returns whether documents with these ids need a column for their names.
fn names_documents(ids: &[DocumentId]) -> bool {
    !matches!(ids, [only] if only.name().is_empty() && only.part().is_none())
}

/// The attributes with columns.
const TYPES: [(&str, &str); 2] = [(ENTITY_TYPE, "entity_type"), (MENTION_TYPE, "mention_type")];

/// Takes rows of cells and returns them as text.
fn rows(fill: impl FnOnce(&mut dyn FnMut(&[&str]) -> Result<()>) -> Result<()>) -> Result<String> {
    let mut table = csv::Writer::from_writer(Vec::new());
    fill(&mut |cells| table.write_record(cells).map_err(|error| not_written(&error.to_string())))?;
    let bytes = table.into_inner().map_err(|error| not_written(&error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| not_written(&error.to_string()))
}

fn not_written(what: &str) -> Error {
    Error::new(ErrorKind::Format, format!("the table cannot be written: {what}"))
}

fn attribute<'m>(mention: &'m Mention, name: &str) -> Option<&'m str> {
    mention.attribute(name).filter(|value| !value.is_empty() && value.trim_ascii() == *value)
}

fn write_document(
    document: &Document,
    id: &DocumentId,
    columns: OptionalColumns,
    row: &mut dyn FnMut(&[&str]) -> Result<()>,
    losses: &mut Losses<'_>,
) -> Result<()> {
    if document.mentions().is_empty() {
        losses.lost_of_document("a document that has no mentions");
    }
    // Readers remove spaces around cells.
    let clean = |name: &str| {
        let trimmed = name.trim_ascii();
        match trimmed {
            "" => Some("_".to_owned()),
            _ => (trimmed != name).then(|| trimmed.to_owned()),
        }
    };
    let entities = distinct_entities(document, clean, losses);
    let mentions = mention_names(document, clean, losses);
    for (mention, name) in document.mentions().iter().zip(&mentions) {
        let Some(name) = name else { continue };
        let mut cells = Vec::new();
        cells.extend(columns.topic.then(|| document.topic().unwrap_or("")));
        cells.extend(columns.document.then(|| id.name()));
        cells.extend([name, entities[mention.entity().index()].as_str()]);
        let mut written = 0;
        for ((kind, _), there) in TYPES.iter().zip(columns.types) {
            let value = attribute(mention, kind);
            written += usize::from(value.is_some());
            if there {
                cells.push(value.unwrap_or(""));
            }
        }
        for _ in written..mention.attributes().len() {
            losses.lost_of("attributes of mentions", mention);
        }
        row(&cells)?;
    }
    Ok(())
}
