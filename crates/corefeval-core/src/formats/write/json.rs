//! Writes `json`: an object of entities by name, one document per file.

use serde_json::{Map, Value, json};

use super::Writer;
use super::links::mention_names;
use super::losses::Losses;
use super::renaming::distinct_entities;
use crate::error::Result;
use crate::model::Document;

pub(in crate::formats) const WRITER: Writer = Writer::Files(write);

fn write(document: &Document, _: &str, losses: &mut Losses<'_>) -> Result<Vec<(&'static str, String)>> {
    let id = document.id();
    let name = id.with_part_in_name();
    losses.renamed("the id of the document", usize::from(id.part().is_some()));
    let names = distinct_entities(document, |_| None, losses);
    let mut entities: Vec<Vec<String>> = vec![Vec::new(); names.len()];
    for (mention, name) in document.mentions().iter().zip(mention_names(document, |_| None, losses)) {
        entities[mention.entity().index()].extend(name);
    }
    let clusters = names.into_iter().zip(entities).filter(|(_, entity)| !entity.is_empty());
    let clusters: Map<String, Value> = clusters.map(|(name, entity)| (name, entity.into())).collect();
    let object = json!({ "type": "clusters", "name": name, "clusters": clusters });
    Ok(vec![("json", format!("{object}\n"))])
}
