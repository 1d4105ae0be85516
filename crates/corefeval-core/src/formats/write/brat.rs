//! Writes `brat`: a `.txt` file with one line per sentence, and an `.ann` file with one `T` per mention and one
//! equivalence (`*`) per entity.

use std::fmt::Write as _;
use std::ops::Range;

use super::Writer;
use super::losses::Losses;
use super::text::{PlacedText, TextWords};
use crate::error::Result;
use crate::formats::standoff::PlainText;
use crate::model::{Document, ENTITY_TYPE, MENTION_TYPE, Mention};

pub(in crate::formats) const WRITER: Writer = Writer::Files(write);

fn write(document: &Document, stem: &str, losses: &mut Losses<'_>) -> Result<Vec<(&'static str, String)>> {
    let renamed = document.id().name() != stem || document.id().part().is_some();
    losses.renamed("the id of the document, replaced by the name of its file", usize::from(renamed));
    let text = PlacedText::of(document, "brat", |form| form, losses)?;
    let plain = PlainText::new(text.text.clone());
    let in_text = TextWords::of(document.words());
    let mut annotation = String::new();
    let mut attributes = String::new();
    let (mut marks, mut attribute_count) = (0, 0);
    let mut entities: Vec<Vec<usize>> = vec![Vec::new(); document.entities().len()];
    for mention in document.mentions() {
        let ranges = text.ranges(mention, &in_text);
        let readable = |range: &Range<u32>| plain.words_in(range).is_some();
        if !ranges.iter().any(readable) {
            losses.lost_of("mentions that are not in the text", mention);
            continue;
        }
        marks += 1;
        entities[mention.entity().index()].push(marks);
        let offsets: Vec<String> =
            ranges.iter().map(|range| format!("{} {}", range.start, range.end)).collect();
        let words: Vec<&str> = ranges.iter().map(|range| plain.slice(range)).collect();
        let kind = kind(mention, losses);
        let _ = writeln!(annotation, "T{marks}\t{kind} {}\t{}", offsets.join(";"), words.join(" "));
        for (name, value) in mention.attributes() {
            if name == ENTITY_TYPE {
                continue;
            }
            let plain: String = name.to_lowercase().split(['_', '-']).collect();
            let name_fits = !name.is_empty()
                && !name.contains(|c: char| c.is_whitespace() || c.is_control())
                && (name == MENTION_TYPE || plain != "mentiontype");
            if name_fits && !value.is_empty() && value.trim() == value && !value.contains(char::is_control) {
                attribute_count += 1;
                let name = if name == MENTION_TYPE { "MentionType" } else { name };
                let _ = writeln!(attributes, "A{attribute_count}\t{name} T{marks} {value}");
            } else {
                losses.lost_of("attributes of mentions", mention);
            }
        }
    }
    annotation.push_str(&attributes);
    let mut renamed = 0;
    for (name, entity) in document.entities().iter().zip(&entities).filter(|(_, entity)| !entity.is_empty()) {
        renamed += usize::from(*name != format!("T{}", entity[0]));
        if entity.len() > 1 {
            let marks: Vec<String> = entity.iter().map(|mark| format!("T{mark}")).collect();
            let _ = writeln!(annotation, "*\tEquiv {}", marks.join(" "));
        }
    }
    losses.renamed("names of entities, replaced by those of their first mentions", renamed);
    Ok(vec![("ann", annotation), ("txt", text.text)])
}

/// Returns the type of a `T`, which is the type of the entity.
fn kind(mention: &Mention, losses: &mut Losses<'_>) -> String {
    let Some(kind) = mention.attribute(ENTITY_TYPE) else {
        losses.renamed("mentions without an entity type, written as Mention", 1);
        return "Mention".to_owned();
    };
    let clean: String =
        kind.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect();
    // LitBank's types have an additional meaning, so similar types receive a prefix.
    let litbank = ["PROP_", "NOM_", "PRON_"].iter().any(|start| clean.starts_with(start));
    let numbered = clean.rsplit_once('-').is_some_and(|(_, n)| n.bytes().all(|byte| byte.is_ascii_digit()));
    let new = match (clean.as_str(), litbank, numbered) {
        ("", ..) => "Mention".to_owned(),
        (_, true, _) => format!("Type{clean}"),
        (_, _, true) => format!("{clean}_"),
        _ => clean,
    };
    losses.renamed("types of entities", usize::from(new != kind));
    new
}
