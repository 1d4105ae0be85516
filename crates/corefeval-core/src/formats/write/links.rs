//! Writes `links`: one entity per line, `{A B C}`.

use std::collections::HashSet;
use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use super::losses::Losses;
use super::renaming::{distinct, document_ids};
use super::{WholeWriter, Writer};
use crate::model::{Document, Mention, Span};

pub(in crate::formats) const WRITER: Writer = Writer::Whole(WholeWriter {
    ids: |ids| document_ids(ids, false, &['(', ')', ';']),
    document: |text, writing, losses| {
        let (document, name) = (writing.document, writing.id.name());
        // A single document without a name needs no `#begin document` line, unless the file would be empty.
        if writing.outline.count() > 1 || !name.is_empty() || document.mentions().is_empty() {
            let _ = writeln!(text, "#begin document {name}");
        }
        write_document(text, document, losses);
        Ok(())
    },
    ..WholeWriter::PLAIN
});

fn write_document(text: &mut String, document: &Document, losses: &mut Losses<'_>) {
    let names = mention_names(document, replacement, losses);
    // Entities with the same name would be joined.
    let mut taken: HashSet<&str> = HashSet::with_capacity(names.len());
    let mut entities: Vec<Vec<&str>> = vec![Vec::new(); document.entities().len()];
    for (mention, name) in document.mentions().iter().zip(&names) {
        let Some(name) = name else { continue };
        if taken.insert(name) {
            entities[mention.entity().index()].push(name);
        } else {
            losses.lost_of("repeated mentions", mention);
        }
    }
    let mut renamed = 0;
    for (name, entity) in document.entities().iter().zip(&entities).filter(|(_, entity)| !entity.is_empty()) {
        renamed += usize::from(entity[0] != name.as_str());
        let _ = writeln!(text, "{{{}}}", entity.join(" "));
    }
    losses.renamed("names of entities, replaced by those of their first mentions", renamed);
}

/// Returns the replacement of a name that the format cannot represent.
fn replacement(name: &str) -> Option<String> {
    let allowed = |c: char| !c.is_whitespace() && !"{}-".contains(c);
    if !name.is_empty() && name.chars().all(allowed) && !name.ends_with(',') {
        return None;
    }
    let name: String = name.chars().map(|c| if allowed(c) { c } else { '_' }).collect();
    Some(if name.is_empty() || name.ends_with(',') { name + "_" } else { name })
}

/// Returns names of the mentions for formats without text: their words if these are names, otherwise their
/// positions. `other` replaces names that the format does not allow. Mentions without words have no name.
pub(super) fn mention_names(
    document: &Document,
    other: impl Fn(&str) -> Option<String>,
    losses: &mut Losses<'_>,
) -> Vec<Option<String>> {
    let mentions = document.mentions().iter();
    if !document.words().are_names() {
        let nodes = document.words().empty_nodes().is_empty();
        losses.lost_of_document(match nodes {
            true => "the text; mentions are named by their positions in it",
            // A zero in only key or response shifts all words after it.
            false => {
                "the text; mentions are named by their positions in it, where empty nodes count as words: \
            files with other empty nodes no longer match"
            }
        });
        let name = |mention: &Mention| {
            if mention.parts().is_empty() {
                losses.lost_of("mentions that have no words", mention);
                return None;
            }
            Some(place_name(mention))
        };
        return mentions.map(name).collect();
    }
    let forms = document.words().layers().map(|layers| &layers.form);
    let form = |word: u32| forms.and_then(|forms| forms.get(word as usize)).unwrap_or("");
    // Repeated words are one name.
    let mut words: Vec<&str> = Vec::new();
    let mut numbers: FxHashMap<&str, usize> = FxHashMap::default();
    let named: Vec<usize> = mentions
        .map(|mention| {
            let word = form(mention.span().start());
            *numbers.entry(word).or_insert_with(|| {
                words.push(word);
                words.len() - 1
            })
        })
        .collect();
    let (names, renamed) = distinct(&words, other);
    losses.renamed("names of mentions", renamed);
    named.into_iter().map(|number| Some(names[number].clone())).collect()
}

/// Names a mention by its words: `3`, `3..5` or `3..5+8`.
fn place_name(mention: &Mention) -> String {
    let run = |run: &Span| match run.len() {
        1 => run.start().to_string(),
        _ => format!("{}..{}", run.start(), run.last()),
    };
    mention.parts().iter().map(run).collect::<Vec<_>>().join("+")
}
