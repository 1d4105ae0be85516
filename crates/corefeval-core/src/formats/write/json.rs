//! Writes `json`: an object of entities by name, one document per file.

use serde_json::{Map, Value};

use super::Writer;
use super::links::mention_names;
use super::losses::Losses;
use super::renaming::distinct;
use crate::error::Result;
use crate::model::Document;

pub(in crate::formats) const WRITER: Writer = Writer::Files(write);

fn write(document: &Document, _: &str, losses: &mut Losses<'_>) -> Result<Vec<(&'static str, String)>> {
    let id = document.id();
    let name = id.with_part_in_name();
    losses.renamed("the id of the document", usize::from(id.part().is_some()));
    let names: Vec<&str> = document.entities().iter().map(AsRef::as_ref).collect();
    let (names, renamed) = distinct(&names, |_| None);
    losses.renamed("names of entities", renamed);
    let mut entities: Vec<Vec<String>> = vec![Vec::new(); names.len()];
    for (mention, name) in document.mentions().iter().zip(mention_names(document, |_| None, losses)) {
        entities[mention.entity().index()].extend(name);
    }
    let mut clusters = Map::new();
    for (name, entity) in names.into_iter().zip(entities).filter(|(_, entity)| !entity.is_empty()) {
        clusters.insert(name, entity.into());
    }
    let mut object = Map::new();
    object.insert("type".to_owned(), "clusters".into());
    object.insert("name".to_owned(), name.into());
    object.insert("clusters".to_owned(), clusters.into());
    Ok(vec![("json", format!("{}\n", Value::Object(object)))])
}
