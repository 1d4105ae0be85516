//! Builds the table of aligned mentions for the metrics that need it.

use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};

use super::candidates::equal_classes;
use super::coordinates::{Coordinates, WordNumbering};
use super::located_side::{LocatedSide, numbered, pair};
use super::mention_table::{MentionTable, TableBridge, TableSide};
use super::{Alignment, NONE};
use crate::model::{Document, EntityId, Link, Mention, Span};
use crate::selection::Selected;
use crate::settings::Place;

/// Builds the table for an alignment that another rule made.
pub(super) fn table(
    (key, response): (&Document, &Document),
    alignment: &Alignment,
    place: Place,
) -> MentionTable {
    let coordinates = Coordinates::new(key.words(), response.words(), place);
    let mut key = LocatedSide::new((key, alignment.key.clone()), &coordinates.key, false);
    let mut response = LocatedSide::new((response, alignment.response.clone()), &coordinates.response, false);
    let classes = |side: &LocatedSide<'_>| {
        let mut classes = vec![NONE; side.mentions.len()];
        for (mention, &class) in side.mentions.iter().zip(&side.class_of) {
            classes[mention.index as usize] = class;
        }
        classes
    };
    let (key_classes, response_classes) = (classes(&key), classes(&response));
    for &(ours, theirs) in &alignment.pairs {
        pair(&mut key, &mut response, key_classes[ours as usize], response_classes[theirs as usize]);
    }
    let equal = equal_classes(&key, &response, false);
    table_of(key, response, &equal, (&alignment.key, &alignment.response))
}

pub(super) fn table_of(
    key: LocatedSide<'_>,
    response: LocatedSide<'_>,
    equal: &[(u32, u32)],
    selected: (&Selected, &Selected),
) -> MentionTable {
    let (mut ours, mut theirs) = (vec![NONE; key.classes.len()], vec![NONE; response.classes.len()]);
    for &(this, that) in equal {
        ours[this as usize] = that;
        theirs[that as usize] = this;
    }
    let (documents, numbers) = ((key.document, response.document), (key.numbers, response.numbers));
    let mut table = MentionTable {
        key: key.into_table(ours, selected.0),
        response: response.into_table(theirs, selected.1),
    };
    add_relations(documents.0, numbers.0, &mut table.key);
    add_relations(documents.1, numbers.1, &mut table.response);
    table
}

/// Adds the relations of a document beyond identity.
fn add_relations(document: &Document, numbers: &WordNumbering, side: &mut TableSide) {
    side.links = document.links().map(|links| classes_of(links, document, numbers, side));
    let Some(relations) = document.relations() else { return };
    let numbered = |words: &[Span]| numbered(words, numbers);
    let mut seen = FxHashSet::default();
    let first = relations.non_referring.iter().filter(|mention| seen.insert(mention.entity()));
    side.non_referring = first.map(|mention| numbered(mention.parts())).collect();
    // An anaphor has one antecedent: the last one in the file.
    let mut places: FxHashMap<Vec<(u32, u32)>, usize> = FxHashMap::default();
    for bridge in &relations.bridges {
        let antecedent = match &bridge.antecedent {
            Some(words) => Some(words.clone()),
            None => bridge.entity.and_then(|entity| nearest_before(document, entity, &bridge.anaphor)),
        };
        let Some(antecedent) = antecedent else { continue };
        let found = TableBridge { anaphor: numbered(&bridge.anaphor), antecedent: numbered(&antecedent) };
        let words = found.anaphor.iter().map(|run| (run.start(), run.end())).collect();
        match places.entry(words) {
            Entry::Occupied(place) => side.bridges[*place.get()] = found,
            Entry::Vacant(place) => {
                place.insert(side.bridges.len());
                side.bridges.push(found);
            }
        }
    }
}

/// Returns the links between the classes of a side.
fn classes_of(
    links: &[Link],
    document: &Document,
    numbers: &WordNumbering,
    side: &TableSide,
) -> Vec<(u32, u32)> {
    let class = |mention: u32| {
        let words = numbered(document.mentions()[mention as usize].parts(), numbers);
        side.class_of(&words)
    };
    let ends = links.iter().filter_map(|&[one, other]| Some((class(one)?, class(other)?)));
    let ends = ends.filter(|(one, other)| one != other).map(|(one, other)| (one.min(other), one.max(other)));
    let mut links: Vec<(u32, u32)> = ends.collect();
    links.sort_unstable();
    links.dedup();
    links
}

/// Returns the last mention of an entity that starts before the anaphor, otherwise its first mention. It represents the
/// antecedent if a format names only the entity.
fn nearest_before(document: &Document, entity: EntityId, anaphor: &[Span]) -> Option<Vec<Span>> {
    let anaphor = anaphor.first()?.start();
    let mentions = document.mentions().iter().filter(|mention| mention.entity() == entity);
    let place = |mention: &&Mention| (mention.span().start(), mention.span().end());
    let before = mentions.clone().filter(|mention| mention.span().start() < anaphor).max_by_key(place);
    before.or_else(|| mentions.min_by_key(place)).map(|mention| mention.parts().to_vec())
}
