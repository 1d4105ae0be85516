//! Writes `apf`: ACE's `.apf.xml`, and an `.sgm` with the text, one sentence per line.
//!
//! The text has only its surrounding tags, so offsets count characters from the first word. The extent of a mention
//! covers its words. Its head is the minimum span or the head word.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

use super::Writer;
use super::conll::text_span;
use super::losses::Losses;
use super::markup::{add_attributes, clean, document_name, entity_names, escaped};
use super::text::{PlacedText, TextWords, note_head};
use crate::error::Result;
use crate::formats::standoff::PlainText;
use crate::model::{AceMentionType, Document, ENTITY_TYPE, MENTION_TYPE, Mention, Span};

/// The type in the output for an entity without a type.
pub(in crate::formats) const OTHER_TYPE: &str = "OTHER";

pub(in crate::formats) const WRITER: Writer = Writer::Files(write);

/// The attributes that belong to the entity, with their names in ACE.
const OF_ENTITY: [(&str, &str); 3] = [(ENTITY_TYPE, "TYPE"), ("SUBTYPE", "SUBTYPE"), ("CLASS", "CLASS")];

fn write(document: &Document, stem: &str, losses: &mut Losses<'_>) -> Result<Vec<(&'static str, String)>> {
    let text = PlacedText::of(document, "apf", spelt, losses)?;
    let plain = PlainText::new(text.text.clone());
    let in_text = TextWords::of(document.words());
    let name = document_name(document, losses);
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    xml.push_str("<!DOCTYPE source_file SYSTEM \"apf.v5.1.1.dtd\">\n");
    let _ = writeln!(
        xml,
        "<source_file URI=\"{}.sgm\" SOURCE=\"{}\" TYPE=\"text\" ENCODING=\"UTF-8\">",
        escaped(stem),
        escaped(&genre(document, losses))
    );
    let _ = writeln!(xml, "<document DOCID=\"{}\">", escaped(&name));
    let mut of_entity: Vec<Vec<(Span, &Mention)>> = vec![Vec::new(); document.entities().len()];
    for mention in document.mentions() {
        let Some(span) = text_span(mention, &in_text, losses) else { continue };
        match plain.words_in(&text.range(span)) {
            Some(_) => of_entity[mention.entity().index()].push((span, mention)),
            None => losses.lost_of("mentions that are not in the text", mention),
        }
    }
    note_mentions_of_ace(document, losses);
    let names = entity_names(document, losses);
    let names_of_ace = names_of_ace(document, losses);
    let mut number = 0;
    for (entity, mentions) in of_entity.iter().enumerate().filter(|(_, mentions)| !mentions.is_empty()) {
        let _ = write!(xml, "<entity ID=\"{}\"", escaped(&names[entity]));
        describe(&mut xml, mentions, losses);
        xml.push_str(">\n");
        for &(span, mention) in mentions {
            number += 1;
            let _ = write!(xml, "  <entity_mention ID=\"M{number}\"");
            attributes(&mut xml, document, mention, losses);
            xml.push_str(">\n");
            let mut sequence = |element: &str, range: Range<u32>| {
                let (start, end) = (range.start, range.end - 1);
                let words = escaped(plain.slice(&range));
                let _ = writeln!(
                    xml,
                    "    <{element}><charseq START=\"{start}\" END=\"{end}\">{words}</charseq></{element}>"
                );
            };
            sequence("extent", text.range(span));
            if let Some(head) = head(span, mention, &in_text, losses) {
                let range = text.range(head);
                match plain.words_in(&range) {
                    Some(_) => sequence("head", range),
                    None => losses.lost_of("heads of mentions that are not in the text", mention),
                }
            }
            xml.push_str("  </entity_mention>\n");
        }
        if !names_of_ace[entity].is_empty() {
            let names = &names_of_ace[entity];
            let _ = writeln!(xml, "  <entity_attributes>\n{names}  </entity_attributes>");
        }
        xml.push_str("</entity>\n");
    }
    xml.push_str("</document>\n</source_file>\n");
    let sgm = format!("<DOC><TEXT>{}</TEXT></DOC>\n", text.text);
    Ok(vec![("apf.xml", xml), ("sgm", sgm)])
}

/// Escapes a word that contains the start of a tag. All other text is plain in ACE files.
fn spelt(form: Cow<'_, str>) -> Cow<'_, str> {
    let begins = |next: Option<char>| next.is_some_and(|c| c.is_ascii_alphabetic() || "/!?".contains(c));
    let mut characters = form.chars();
    while let Some(character) = characters.next() {
        if character == '<' && begins(characters.clone().next()) {
            return Cow::Owned(form.replace('<', "&lt;"));
        }
    }
    form
}

/// Returns the source of the text.
fn genre(document: &Document, losses: &mut Losses<'_>) -> String {
    let Some(genre) = document.genre().filter(|_| document.has_own_genre()) else { return String::new() };
    if clean(genre).to_lowercase() != genre {
        losses.lost_of_document("the genre");
    }
    clean(genre)
}

/// Counts the mentions of ACE that are lost because their characters do not form words.
fn note_mentions_of_ace(document: &Document, losses: &mut Losses<'_>) {
    let mut more = vec![0usize; document.entities().len()];
    for entity in document.ace().iter().flat_map(|section| &section.entities) {
        more[entity.entity.index()] += entity.mentions.len();
    }
    for mention in document.mentions() {
        let more = &mut more[mention.entity().index()];
        *more = more.saturating_sub(1);
    }
    (0..more.iter().sum()).for_each(|_| losses.lost_of_document("mentions that are not in the text"));
}

/// Writes the attributes of an entity, from its first mention.
fn describe(xml: &mut String, mentions: &[(Span, &Mention)], losses: &mut Losses<'_>) {
    let Some((_, first)) = mentions.first() else { return };
    for (attribute, written) in OF_ENTITY {
        let supported = |value: &&str| !value.is_empty() && clean(value) == **value;
        let value = first.attribute(attribute).filter(supported);
        for (_, mention) in mentions {
            match mention.attribute(attribute) {
                own if own == value => {}
                Some(_) => losses.lost_of("attributes of mentions", mention),
                None => {
                    losses.renamed("mentions that describe their entity in less detail than its first", 1)
                }
            }
        }
        match value {
            Some(value) => _ = write!(xml, " {written}=\"{}\"", escaped(value)),
            None if attribute == ENTITY_TYPE => {
                losses.renamed("entities without a type, written as OTHER", 1);
                let _ = write!(xml, " TYPE=\"{OTHER_TYPE}\"");
            }
            None => {}
        }
    }
}

fn attributes(xml: &mut String, document: &Document, mention: &Mention, losses: &mut Losses<'_>) {
    let known = |kind: &&str| AceMentionType::written(kind).is_some();
    let kind = mention.attribute(MENTION_TYPE);
    let written = kind.filter(known).unwrap_or_else(|| {
        losses.renamed("types of mentions, derived from their heads' parts of speech", 1);
        type_of(document, mention)
    });
    let _ = write!(xml, " TYPE=\"{written}\"");
    let is_elsewhere = |name: &str| name == MENTION_TYPE || OF_ENTITY.iter().any(|row| row.0 == name);
    add_attributes(xml, mention, &["ID", "TYPE"], is_elsewhere, losses);
}

/// Returns name, pronoun or nominal, depending on the part of speech of the last word of the head.
fn type_of(document: &Document, mention: &Mention) -> &'static str {
    let word = mention.head().unwrap_or(mention.span().last());
    let tag = document.words().layers().and_then(|layers| layers.part_of_speech.get(word as usize));
    match tag.unwrap_or_default() {
        "PROPN" | "NNP" | "NNPS" => "NAM",
        tag if tag.starts_with("PRP") || tag.starts_with("PRON") || tag.starts_with("WP") => "PRO",
        _ => "NOM",
    }
}

/// Returns the words of the head: the minimum span, or the head word.
fn head(span: Span, mention: &Mention, in_text: &TextWords, losses: &mut Losses<'_>) -> Option<Span> {
    let min_span = mention.details().map_or(&[][..], |details| &details.min_span);
    let head = in_text.head(mention, losses);
    let runs = in_text.runs(min_span);
    let Some(run) = runs.first().copied() else {
        let head = Span::word(head?);
        if !span.contains(head) {
            losses.lost_of("heads outside of their mentions", mention);
            return None;
        }
        losses.renamed("heads of mentions, which are written as minimum spans too", 1);
        return Some(head);
    };
    if runs.len() > 1 || !span.contains(run) {
        losses.lost_of("minimum spans with gaps or beyond their mentions", mention);
        return None;
    }
    note_head(head, run, mention, losses);
    Some(run)
}

/// Returns the elements for the names that ACE lists for each entity.
fn names_of_ace(document: &Document, losses: &mut Losses<'_>) -> Vec<String> {
    let mut elements = vec![String::new(); document.entities().len()];
    for entity in document.ace().iter().flat_map(|section| &section.entities) {
        for name in &entity.names {
            if clean(name) != *name {
                losses.lost_of_document("spaces and control characters in names of entities");
            }
            let _ =
                writeln!(elements[entity.entity.index()], "    <name NAME=\"{}\"/>", escaped(&clean(name)));
        }
    }
    elements
}
