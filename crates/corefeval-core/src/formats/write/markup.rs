//! Prepares names and values for XML and SGML, for the writers of `apf`, `ecb+` and `muc`.

use std::fmt::Write as _;

use super::losses::Losses;
use super::renaming::distinct_entities;
use crate::model::{Document, Mention};

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
    let replacement = |name: &str| {
        let clean = clean(name);
        match clean.as_str() {
            "" => Some("_".to_owned()),
            _ => (clean != name).then_some(clean),
        }
    };
    distinct_entities(document, replacement, losses)
}

/// Adds the attributes of a mention that can be attributes of an element. `reserved` are names with a different
/// meaning; attributes for which `is_elsewhere` are written elsewhere.
pub(super) fn add_attributes(
    xml: &mut String,
    mention: &Mention,
    reserved: &[&str],
    is_elsewhere: impl Fn(&str) -> bool,
    losses: &mut Losses<'_>,
) {
    let mut seen: Vec<&str> = Vec::new();
    for (name, value) in mention.attributes() {
        let is_new = !seen.contains(&name.as_str());
        seen.push(name);
        if is_elsewhere(name) && is_new {
            continue;
        }
        let supported = is_new && is_name(name) && !reserved.contains(&name.as_str());
        if supported && !value.is_empty() && clean(value) == *value {
            let _ = write!(xml, " {name}=\"{}\"", escaped(value));
        } else {
            losses.lost_of("attributes of mentions", mention);
        }
    }
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
