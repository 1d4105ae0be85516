//! Writes `links`: a line an entity, `{A B C}`.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::losses::{Kind, Losses};
use super::names::{distinct, document_ids, note_renamed};
use super::{WriteOptions, Writer};
use crate::diagnostic::Diagnostics;
use crate::error::Result;
use crate::model::{Corpus, Document, Mention, Span};

pub(in crate::formats) const WRITER: Writer = Writer::Whole(write);

fn write(corpus: &Corpus, _: WriteOptions, diagnostics: &mut Diagnostics) -> Result<String> {
    let mut text = String::new();
    for (document, id) in corpus.documents.iter().zip(document_ids(corpus, false, &['(', ')', ';'])) {
        let mut losses = Losses::new(document, "links");
        note_renamed(document, &id, &mut losses);
        // A lone document without a name needs no line, unless nothing else would be there.
        if corpus.documents.len() > 1 || !id.name().is_empty() || document.mentions().is_empty() {
            let _ = writeln!(text, "#begin document {}", id.name());
        }
        write_document(&mut text, document, &mut losses);
        losses.report(diagnostics);
    }
    Ok(text)
}

fn write_document(text: &mut String, document: &Document, losses: &mut Losses<'_>) {
    use Kind::*;
    losses.unsaid(&[
        Heads,
        MinSpans,
        Attributes,
        SplitAntecedents,
        Bridges,
        NonReferring,
        PartsOfSpeech,
        Parse,
        NamedEntities,
        Speakers,
        Topic,
    ]);
    let names = match document.words().are_names() {
        true => word_names(document, losses),
        false => {
            losses.lost_of_document("the text; mentions are called by their places in it");
            document.mentions().iter().map(place_name).collect()
        }
    };
    // Entities that share a name would become one.
    let mut taken: HashSet<&str> = HashSet::with_capacity(names.len());
    let mut entities: Vec<Vec<&str>> = vec![Vec::new(); document.entities().len()];
    for (mention, name) in document.mentions().iter().zip(&names) {
        if taken.insert(name) {
            entities[mention.entity().index()].push(name);
        } else {
            losses.lost_of("mentions that stand a second time", mention);
        }
    }
    let mut renamed = 0;
    for (name, entity) in document.entities().iter().zip(&entities).filter(|(_, entity)| !entity.is_empty()) {
        renamed += usize::from(entity[0] != name.as_str());
        let _ = writeln!(text, "{{{}}}", entity.join(" "));
    }
    losses.renamed("names of entities, which are those of their first mentions", renamed);
}

/// The names of mentions whose words are names.
fn word_names(document: &Document, losses: &mut Losses<'_>) -> Vec<String> {
    let forms = document.words().layers().map(|layers| &layers.form);
    let form = |word: u32| forms.and_then(|forms| forms.get(word as usize)).unwrap_or("");
    let words: Vec<&str> = (0..document.words().count()).map(form).collect();
    let allowed = |c: char| !c.is_whitespace() && !"{}-".contains(c);
    let (names, renamed) = distinct(&words, |name| {
        if !name.is_empty() && name.chars().all(allowed) && !name.ends_with(',') {
            return None;
        }
        let name: String = name.chars().map(|c| if allowed(c) { c } else { '_' }).collect();
        Some(if name.is_empty() || name.ends_with(',') { name + "_" } else { name })
    });
    losses.renamed("names of mentions", renamed);
    document.mentions().iter().map(|mention| names[mention.span().start() as usize].clone()).collect()
}

/// `3`, `3..5` or `3..5+8`: the words of a mention.
fn place_name(mention: &Mention) -> String {
    let run = |run: &Span| match run.len() {
        1 => run.start().to_string(),
        _ => format!("{}..{}", run.start(), run.last()),
    };
    mention.parts().iter().map(run).collect::<Vec<_>>().join("+")
}
