//! Replaces names that a format does not allow.

use std::collections::{HashMap, HashSet};

use super::losses::Losses;
use crate::model::{Document, DocumentId};

/// Returns distinct names of the document's entities that `allowed` accepts: unchanged if possible, otherwise with `_`
/// for invalid characters.
pub(super) fn entity_names(
    document: &Document,
    allowed_character: impl Fn(char) -> bool,
    allowed: impl Fn(&str) -> bool,
    losses: &mut Losses<'_>,
) -> Vec<String> {
    let replacement = |name: &str| {
        if !name.is_empty() && name.chars().all(&allowed_character) && allowed(name) {
            return None;
        }
        let mut name: String = name.chars().map(|c| if allowed_character(c) { c } else { '_' }).collect();
        if name.is_empty() || !allowed(&name) {
            name = format!("e_{name}_");
        }
        Some(name)
    };
    distinct_entities(document, replacement, losses)
}

/// Returns distinct names of the document's entities; see [`distinct`].
pub(super) fn distinct_entities(
    document: &Document,
    other: impl Fn(&str) -> Option<String>,
    losses: &mut Losses<'_>,
) -> Vec<String> {
    let names: Vec<&str> = document.entities().iter().map(AsRef::as_ref).collect();
    let (names, changed) = distinct(&names, other);
    losses.renamed("names of entities", changed);
    names
}

/// Makes names distinct. Keeps the first copy of a name for which `other` returns `None`, and replaces other names by
/// the result of `other`, with a number if necessary. Also returns the number of changes.
pub(super) fn distinct(names: &[&str], other: impl Fn(&str) -> Option<String>) -> (Vec<String>, usize) {
    let mut taken: HashSet<String> = HashSet::with_capacity(names.len());
    let mut found: Vec<Option<String>> = names
        .iter()
        .map(|name| (other(name).is_none() && taken.insert((*name).to_owned())).then(|| (*name).to_owned()))
        .collect();
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let mut changed = 0;
    for (place, name) in found.iter_mut().enumerate() {
        if name.is_none() {
            let wanted = other(names[place]).unwrap_or_else(|| names[place].to_owned());
            let mut new = wanted.clone();
            // Numbers continue from the previous copy of the name.
            let number = numbers.entry(wanted.clone()).or_insert(1);
            while !taken.insert(new.clone()) {
                *number += 1;
                new = format!("{wanted}_{number}");
            }
            *name = Some(new);
            changed += 1;
        }
    }
    (found.into_iter().flatten().collect(), changed)
}

/// Returns distinct ids of documents for a format with or without parts. `trimmed` are characters that the reader
/// removes from both ends.
pub(super) fn document_ids(ids: &[DocumentId], parts: bool, trimmed: &[char]) -> Vec<DocumentId> {
    ids_by(ids, parts, |name| {
        name.trim_matches(|c: char| c.is_whitespace() || trimmed.contains(&c)).to_owned()
    })
}

/// Returns distinct ids of documents like [`document_ids`], for a format whose reader changes names as `read` does.
pub(super) fn ids_by(ids: &[DocumentId], parts: bool, read: impl Fn(&str) -> String) -> Vec<DocumentId> {
    let name = |id: &DocumentId| if parts { id.name().to_owned() } else { id.with_part_in_name() };
    let clean = |name: &str| -> String {
        let line: String = name.chars().map(|c| if c.is_control() { '_' } else { c }).collect();
        read(&line)
    };
    let mut taken: HashSet<DocumentId> = HashSet::with_capacity(ids.len());
    let made = |name: String, id: &DocumentId| match id.part().filter(|_| parts) {
        Some(part) => DocumentId::with_part(name, part),
        None => DocumentId::new(name),
    };
    let unchanged = ids.iter().filter(|id| (parts || id.part().is_none()) && clean(id.name()) == id.name());
    taken.extend(unchanged.cloned());
    let mut numbers: HashMap<String, u32> = HashMap::new();
    ids.iter()
        .map(|id| {
            let wanted = clean(&name(id));
            let mut new = made(wanted.clone(), id);
            let number = numbers.entry(wanted.clone()).or_insert(1);
            while new != *id && !taken.insert(new.clone()) {
                *number += 1;
                new = made(format!("{wanted}_{number}"), id);
            }
            new
        })
        .collect()
}

/// Counts a document whose id was changed.
pub(super) fn note_renamed(document: &Document, id: &DocumentId, losses: &mut Losses<'_>) {
    losses.renamed("the id of the document", usize::from(document.id() != id));
}

/// Returns file names, without extensions, that are distinct even if case is ignored. Readers use them only up to the
/// first dot.
pub(super) fn stems(ids: &[DocumentId]) -> Vec<String> {
    let mut taken: HashSet<String> = HashSet::with_capacity(ids.len());
    let mut numbers: HashMap<String, u32> = HashMap::new();
    ids.iter()
        .map(|id| {
            let wanted = id.file_name();
            let mut new = wanted.clone();
            let number = numbers.entry(wanted.to_lowercase()).or_insert(1);
            while !taken.insert(new.to_lowercase()) {
                *number += 1;
                new = format!("{wanted}_{number}");
            }
            new
        })
        .collect()
}
