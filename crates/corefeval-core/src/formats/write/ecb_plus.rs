//! Writes `ecb+`: XML with tokens and one markable per mention. Every entity becomes a cross-document entity, so that
//! it keeps its name.

use std::fmt::Write as _;

use super::Writer;
use super::losses::Losses;
use super::markup::{add_attributes, document_name, entity_names, escaped, is_name};
use super::text::{self, TextWords};
use crate::error::Result;
use crate::model::{Document, ENTITY_TYPE, Mention};

pub(in crate::formats) const WRITER: Writer = Writer::Files(write);

/// The attributes that have a different meaning in the format.
const RESERVED: [&str; 5] = ["m_id", "note", "TAG_DESCRIPTOR", "RELATED_TO", "instance_id"];

fn write(document: &Document, _: &str, losses: &mut Losses<'_>) -> Result<Vec<(&'static str, String)>> {
    let name = name(document, losses);
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n");
    let _ = writeln!(xml, "<Document doc_name=\"{}.xml\" doc_id=\"DOC1\">", escaped(&name));
    tokens(&mut xml, document, losses)?;
    let names = entity_names(document, losses);
    xml.push_str("<Markables>\n");
    let in_text = TextWords::of(document.words());
    let mut entities: Vec<Vec<usize>> = vec![Vec::new(); names.len()];
    let mut markables = 0;
    for mention in document.mentions() {
        let runs = in_text.runs(mention.parts());
        if runs.is_empty() {
            losses.lost_of("mentions that are not in the text", mention);
            continue;
        }
        markables += 1;
        entities[mention.entity().index()].push(markables);
        let kind = kind(mention, losses);
        let _ = write!(xml, "<{kind} m_id=\"{markables}\"");
        add_attributes(&mut xml, mention, &RESERVED, |name| name == ENTITY_TYPE, losses);
        xml.push_str(">\n");
        for word in runs.iter().flat_map(|run| run.start()..run.end()) {
            let _ = writeln!(xml, "  <token_anchor t_id=\"{}\"/>", word + 1);
        }
        let _ = writeln!(xml, "</{kind}>");
    }
    let mut relations = String::new();
    for (name, entity) in names.iter().zip(&entities).filter(|(_, entity)| !entity.is_empty()) {
        markables += 1;
        let id = escaped(name);
        let _ = writeln!(
            xml,
            "<INSTANCE m_id=\"{markables}\" RELATED_TO=\"\" TAG_DESCRIPTOR=\"{id}\" instance_id=\"{id}\"/>"
        );
        let _ = writeln!(relations, "<CROSS_DOC_COREF r_id=\"{markables}\" note=\"{id}\">");
        for mention in entity {
            let _ = writeln!(relations, "  <source m_id=\"{mention}\"/>");
        }
        let _ = writeln!(relations, "  <target m_id=\"{markables}\"/>\n</CROSS_DOC_COREF>");
    }
    let _ = writeln!(xml, "</Markables>\n<Relations>\n{relations}</Relations>\n</Document>");
    Ok(vec![("xml", xml)])
}

/// Returns the name of the document, which starts with the topic.
fn name(document: &Document, losses: &mut Losses<'_>) -> String {
    let new = document_name(document, losses);
    let topic = new.split_once('_').map(|(topic, _)| topic);
    let topic = topic.filter(|topic| !topic.is_empty() && topic.bytes().all(|byte| byte.is_ascii_digit()));
    if document.topic().is_some() && document.topic() != topic {
        losses.lost_of_document("the topic");
    }
    new
}

fn tokens(xml: &mut String, document: &Document, losses: &mut Losses<'_>) -> Result<()> {
    let (words, layers) = (document.words(), super::text_of(document, "ecb+")?);
    let mut token = 0;
    for (number, sentence) in text::sentences(words).into_iter().enumerate() {
        let in_text = sentence.filter(|&word| !words.is_empty_node(word));
        for (place, word) in in_text.enumerate() {
            token += 1;
            let form = text::form(layers, word, losses);
            if form.trim() != form {
                losses.lost_of_document("spaces around words");
            }
            let form = escaped(&form);
            let _ = writeln!(
                xml,
                "<token t_id=\"{token}\" sentence=\"{number}\" number=\"{place}\">{form}</token>"
            );
        }
    }
    Ok(())
}

/// Returns the type of the entity, as the name of an element.
fn kind(mention: &Mention, losses: &mut Losses<'_>) -> String {
    let Some(kind) = mention.attribute(ENTITY_TYPE) else {
        losses.renamed("mentions without an entity type, written as MENTION", 1);
        return "MENTION".to_owned();
    };
    let inner = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    let mut new: String = kind.chars().map(|c| if inner(c) { c } else { '_' }).collect();
    if !is_name(&new) {
        new.insert(0, '_');
    }
    losses.renamed("types of entities", usize::from(new != kind));
    new
}
