//! Carries documents in other formats over to the words of the key.

use std::sync::Arc;

use super::nodes::SameText;
use super::place::{CounterpartOfZero, Covered, PlaceFinder, TextPlacing, shortened, span, words_of};
use super::{Options, Placing, noted, pairs};
use crate::diagnostic::{Code, Diagnostics};
use crate::error::Result;
use crate::model::{
    AnswerBody, AnswerDocument, Bridge, Corpus, Document, DocumentBuilder, MarkedText, Mention,
    MentionDetails, Notation, Relations, Span, TextAlignment, TextLevel, ZeroMark,
};
use crate::pairing::first_difference;

/// Carries over the documents whose words differ from the words of the key.
pub(super) fn carry(key: &Corpus, response: Corpus, options: &Options) -> Result<Corpus> {
    let mut diagnostics = Diagnostics::default();
    let mut carried = Vec::new();
    let mut alignment: Option<TextAlignment> = None;
    for (key, document) in pairs(key, &response, options)? {
        if let Some((placed, applied)) = carry_document(key, document, options, &mut diagnostics)? {
            carried.push((document.id().clone(), placed));
            alignment = Some(alignment.unwrap_or_default().and(applied));
        } else if both_have_text(key, document) {
            alignment = Some(noted(alignment.unwrap_or_default(), TextLevel::Words, (0, 0)));
        }
    }
    let mut documents = response.documents;
    for (id, placed) in carried {
        if let Some(document) = documents.iter_mut().find(|document| *document.id() == id) {
            *document = placed;
        }
    }
    let mut found = response.diagnostics;
    found.merge(diagnostics);
    Ok(Corpus { documents, diagnostics: found, answers: Vec::new(), alignment })
}

/// The words of a document, treated as the text of an answer.
struct AnswerText {
    answer: AnswerDocument,
    /// The start and end of each word in the text.
    bounds: Vec<(u32, u32)>,
}

impl AnswerText {
    fn of(document: &Document) -> AnswerText {
        let words = document.words();
        let (mut text, mut bounds) = (MarkedText::default(), Vec::new());
        for word in 0..words.count() {
            let line = words.layers().and_then(|layers| layers.line.get(word as usize)).unwrap_or(0);
            if words.is_empty_node(word) {
                let at = text.text.len() as u32;
                text.zeros.push(ZeroMark { at, line, column: 0 });
                bounds.push((at, at));
                continue;
            }
            if !text.text.is_empty() {
                text.text.push(' ');
            }
            let start = text.text.len() as u32;
            text.places.push((start, line, 0));
            let form = words.layers().and_then(|layers| layers.form.get(word as usize));
            text.text.push_str(form.unwrap_or_default());
            bounds.push((start, text.text.len() as u32));
        }
        let answer = AnswerDocument {
            id: Some(document.id().to_string()),
            source: Arc::clone(document.source()),
            line: document.line(),
            notation: Notation::Auto,
            entities: document.entities().iter().map(ToString::to_string).collect(),
            body: AnswerBody::Text(text),
        };
        AnswerText { answer, bounds }
    }
}

/// The places of the words of a document in a key with a different text.
struct Carrying<'c> {
    key: &'c Document,
    document: &'c Document,
    placing: &'c TextPlacing<'c>,
    bounds: &'c [(u32, u32)],
    zeros: Vec<CounterpartOfZero>,
}

impl Carrying<'_> {
    /// Returns the words of the key that a span covers, and whether the span covers them completely.
    fn span(&self, of: Span) -> Option<(Span, Covered)> {
        let words = self.document.words();
        let nodes = words.empty_nodes();
        let from = nodes.partition_point(|&node| node < of.start());
        let to = nodes.partition_point(|&node| node < of.end());
        let placed = self.zeros[from..to].iter().filter_map(|zero| zero.node());
        let (mut first, mut last) = (None::<u32>, None::<u32>);
        let mut extend = |from: u32, to: u32| {
            first = Some(first.map_or(from, |first| first.min(from)));
            last = Some(last.map_or(to, |last| last.max(to)));
        };
        placed.for_each(|node| extend(node, node));
        let (start, end) = (self.bounds[of.start() as usize].0, self.bounds[of.last() as usize].1);
        let covered = self.placing.covered(start, end);
        if let Covered::Units { first, last, .. } = covered {
            let (from, to) = (self.placing.unit(first), self.placing.unit(last));
            extend(from.first, to.last);
        }
        Some((span(first?, last?)?, covered))
    }

    fn details(&self, mention: &Mention, details: &MentionDetails, whole: Span) -> Option<MentionDetails> {
        let mut parts: Vec<Span> = Vec::new();
        if !details.parts.is_empty() {
            for part in mention.parts() {
                let Some((part, _)) = self.span(*part) else { continue };
                match parts.last_mut().filter(|last| last.end() >= part.start()) {
                    Some(last) => {
                        *last = Span::new(last.start().min(part.start()), last.end().max(part.end()))?
                    }
                    None => parts.push(part),
                }
            }
        }
        let ends = [parts.first().map(|part| part.start()), parts.last().map(|part| part.end())];
        if parts.len() < 2 || ends != [Some(whole.start()), Some(whole.end())] {
            parts.clear();
        }
        let min_span = details.min_span.iter().filter_map(|span| self.span(*span)).map(|found| found.0);
        let min_span: Vec<Span> = min_span.filter(|span| whole.contains(*span)).collect();
        Some(MentionDetails { parts, min_span, ..details.clone() })
    }
}

impl PlaceFinder for Carrying<'_> {
    fn spans(&self, spans: &[Span]) -> Option<Vec<Span>> {
        spans.iter().map(|span| self.span(*span).map(|found| found.0)).collect()
    }

    fn mention(&self, mention: &Mention, diagnostics: &mut Diagnostics) -> Option<Mention> {
        let (whole, covered) = self.span(mention.span())?;
        let position = self.document.position_of(mention);
        let form = words_of(self.document.words(), mention.span().start(), mention.span().last());
        if let Covered::Units { inside, shrunk, .. } = covered {
            let code = match (inside, shrunk) {
                (true, _) => Some(Code::InsideWord),
                (_, true) => Some(Code::MentionShrunk),
                _ => None,
            };
            if let Some(code) = code {
                let of_key = words_of(self.key.words(), whole.start(), whole.last());
                let id = Some(self.key.id().to_string());
                diagnostics.add(code, Some(position), id, || {
                    format!("the key has only `{}` of `{}`", shortened(&of_key), shortened(&form))
                });
            }
        }
        let mut carried = Mention::new(whole, mention.entity(), mention.line(), mention.column());
        if let Some(details) = mention.details() {
            carried = carried.with_details(self.details(mention, details, whole)?)?;
        }
        let head = mention.head().and_then(|head| self.span(Span::word(head)));
        if let Some((head, _)) = head.filter(|head| whole.contains(head.0)) {
            carried = carried.with_head(head.start());
        }
        Some(carried)
    }

    fn note_unplaced(&self, mention: &Mention, diagnostics: &mut Diagnostics) {
        let form = words_of(self.document.words(), mention.span().start(), mention.span().last());
        let (position, id) = (self.document.position_of(mention), Some(self.key.id().to_string()));
        diagnostics.add(Code::MentionUnplaced, Some(position), id, || {
            let name = self.document.entity_name(mention.entity());
            format!(
                "`{}` of entity `{name}` cannot be placed: the key does not have these words here",
                shortened(&form)
            )
        });
    }
}

/// Carries the relations of a document over to the key, and reports the number of those without a place.
fn carried_relations(
    (key, document): (&Document, &Document),
    relations: &Relations,
    places: &dyn PlaceFinder,
    diagnostics: &mut Diagnostics,
) -> Relations {
    let bridge = |bridge: &Bridge| {
        let antecedent = match &bridge.antecedent {
            Some(antecedent) => Some(places.spans(antecedent)?),
            None => None,
        };
        Some(Bridge { anaphor: places.spans(&bridge.anaphor)?, antecedent, ..bridge.clone() })
    };
    let bridges: Vec<Bridge> = relations.bridges.iter().filter_map(bridge).collect();
    let non_referring: Vec<Mention> = relations
        .non_referring
        .iter()
        .filter_map(|mention| places.mention(mention, &mut Diagnostics::default()))
        .collect();
    let lost = relations.bridges.len() + relations.non_referring.len() - bridges.len() - non_referring.len();
    if lost > 0 {
        diagnostics.add(Code::MentionUnplaced, Some(document.position()), Some(key.id().to_string()), || {
            format!("{lost} bridging relations or non-referring expressions cannot be placed in the key")
        });
    }
    Relations { split_antecedents: relations.split_antecedents.clone(), bridges, non_referring }
}

/// Returns whether the words of both documents are known.
fn both_have_text(key: &Document, document: &Document) -> bool {
    [key, document]
        .map(Document::words)
        .iter()
        .all(|words| words.layers().is_some() && !words.are_names() && words.fingerprint().is_some())
}

/// Carries one document over, unless its words equal the key's or are unknown.
pub(super) fn carry_document(
    key: &Document,
    document: &Document,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Result<Option<(Document, TextAlignment)>> {
    if !both_have_text(key, document) || first_difference(key, document).is_none() {
        return Ok(None);
    }
    let AnswerText { answer, bounds } = AnswerText::of(document);
    let AnswerBody::Text(text) = &answer.body else { return Ok(None) };
    let placing = TextPlacing::new(key, &answer, text, options)?;
    let applied = noted(TextAlignment::default(), placing.level, placing.aligned);
    let mut findings = Placing::new(key, &answer, options, diagnostics);
    if placing.level != TextLevel::Words {
        placing.report_texts(key, &mut findings);
    }
    let zeros = placing.zeros(key.words(), &mut findings);
    let carrying = Carrying { key, document, placing: &placing, bounds: &bounds, zeros };
    Ok(Some((rebuilt(key, document, &carrying, options, diagnostics)?, applied)))
}

/// Carries a document with the text of the key over to the empty nodes of the key. Returns `None` if
/// the empty nodes do not differ.
pub(super) fn carry_same_text(
    key: &Document,
    document: &Document,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Result<Option<Document>> {
    if !both_have_text(key, document) {
        return Ok(None);
    }
    let Some(places) = SameText::new(key, document) else { return Ok(None) };
    rebuilt(key, document, &places, options, diagnostics).map(Some)
}

/// Rebuilds a document with the words of the key.
fn rebuilt(
    key: &Document,
    document: &Document,
    places: &dyn PlaceFinder,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Result<Document> {
    let mut builder =
        DocumentBuilder::new(document.id().clone(), Arc::clone(document.source()), document.line());
    builder.entities = document.entities().to_vec();
    builder.topic = document.topic().map(str::to_owned);
    builder.genre = document.genre().filter(|_| document.has_own_genre()).map(str::to_owned);
    builder.ace = document.ace().to_vec();
    builder.links = document.links().map(<[_]>::to_vec).filter(|_| options.keep_unplaced);
    let mut beyond: Vec<String> = Vec::new();
    for mention in document.mentions() {
        if let Some(carried) = places.mention(mention, diagnostics) {
            builder.mentions.push(carried);
            continue;
        }
        places.note_unplaced(mention, diagnostics);
        if options.keep_unplaced {
            let form = words_of(document.words(), mention.span().start(), mention.span().last());
            let word = key.words().count() + beyond.len() as u32;
            builder.mentions.push(Mention::new(
                Span::word(word),
                mention.entity(),
                mention.line(),
                mention.column(),
            ));
            beyond.push(shortened(&form));
        }
    }
    let relations = document.relations();
    builder.relations =
        relations.map(|found| Box::new(carried_relations((key, document), found, places, diagnostics)));
    let forms: Vec<&str> = beyond.iter().map(String::as_str).collect();
    builder.finish(key.words().with_words_beyond(&forms))
}
