//! Writes `jsonlines`: `doc_key`, `sentences`, `speakers` if known, `clusters`.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::conll::text_span;
use super::losses::{Losses, cell_value};
use super::text::{self, TextWords};
use super::{WholeWriter, WriteOptions, Writer};
use crate::error::Result;
use crate::model::{Document, DocumentId, SpanEnd};

pub(in crate::formats) const WRITER: Writer = Writer::Whole(WholeWriter {
    document: |text, writing, losses| {
        let record = record(writing.document, writing.id, writing.options, losses)?;
        let _ = writeln!(text, "{record}");
        Ok(())
    },
    ..WholeWriter::PLAIN
});

fn record(
    document: &Document,
    id: &DocumentId,
    options: WriteOptions,
    losses: &mut Losses<'_>,
) -> Result<Value> {
    // Omits unknown words.
    let layers = match document.words().fingerprint() {
        None if !document.words().are_names() => None,
        _ => Some(super::text_of(document, "jsonlines")?),
    };
    let mut record = Map::new();
    record.insert("doc_key".to_owned(), id.name().into());
    if let Some(layers) = layers {
        let forms = column(document, |word| layers.form.get(word).unwrap_or("_"));
        record.insert("sentences".to_owned(), forms.into());
        if layers.speaker.iter().any(|speaker| cell_value(speaker).is_some()) {
            let speakers = column(document, |word| layers.speaker.get(word).unwrap_or(""));
            record.insert("speakers".to_owned(), speakers.into());
        }
    }
    let clusters = clusters(document, options, losses).into_iter();
    let clusters: Vec<Vec<Vec<u32>>> =
        clusters.map(|cluster| cluster.into_iter().map(Vec::from).collect()).collect();
    record.insert("clusters".to_owned(), clusters.into());
    Ok(Value::Object(record))
}

/// Returns one value for each word of the text, by sentence.
fn column<'d>(document: &Document, value: impl Fn(usize) -> &'d str) -> Vec<Vec<&'d str>> {
    let words = document.words();
    let sentences = text::sentences(words).into_iter().map(|sentence| {
        let in_text = sentence.filter(|&word| !words.is_empty_node(word));
        in_text.map(|word| value(word as usize)).collect::<Vec<_>>()
    });
    sentences.filter(|sentence| !sentence.is_empty()).collect()
}

/// Returns the spans of each entity.
pub(super) fn clusters(
    document: &Document,
    options: WriteOptions,
    losses: &mut Losses<'_>,
) -> Vec<Vec<[u32; 2]>> {
    let in_text = TextWords::of(document.words());
    let mut clusters = vec![Vec::new(); document.entities().len()];
    for mention in document.mentions() {
        if let Some(span) = text_span(mention, &in_text, losses) {
            let end = match options.span_end {
                SpanEnd::Inclusive => span.last(),
                SpanEnd::Exclusive => span.end(),
            };
            clusters[mention.entity().index()].push([span.start(), end]);
        }
    }
    // The reader names an entity by its position in the list.
    let places =
        (0..).zip(document.entities().iter().zip(&clusters).filter(|(_, cluster)| !cluster.is_empty()));
    let renamed = places.filter(|(place, (name, _)): &(usize, _)| place.to_string() != name.as_str()).count();
    losses.renamed("names of entities, replaced by their positions in the list", renamed);
    clusters.retain(|cluster| !cluster.is_empty());
    clusters
}
