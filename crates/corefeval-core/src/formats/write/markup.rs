//! Prepares names and values for XML and SGML, for the writers of `apf`, `ecb+` and `muc`.

use super::losses::Losses;
use super::renaming::distinct;
use crate::model::Document;

/// Returns the id of the document with its part, as an attribute value.
pub(super) fn document_name(document: &Document, losses: &mut Losses<'_>) -> String {
    let id = document.id();
    let name = id.with_part_in_name();
    let new = clean(&name);
    losses.renamed("the id of the document", usize::from(id.part().is_some() || new != name));
    new
}

/// Returns distinct names of the document's entities, as attribute values.
pub(super) fn entity_names(document: &Document, losses: &mut Losses<'_>) -> Vec<String> {
    let names: Vec<&str> = document.entities().iter().map(AsRef::as_ref).collect();
    let (names, renamed) = distinct(&names, |name| {
        let clean = clean(name);
        match clean.as_str() {
            "" => Some("_".to_owned()),
            _ => (clean != name).then_some(clean),
        }
    });
    losses.renamed("names of entities", renamed);
    names
}

/// Returns whether a text is a valid name of an element or an attribute.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c))
}

/// Returns a value as the reader will return it: without control characters and surrounding spaces.
pub(super) fn clean(text: &str) -> String {
    text.replace(char::is_control, "_").trim().to_owned()
}

/// Replaces the characters of markup by XML entities.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            other => escaped.push(other),
        }
    }
    escaped
}
