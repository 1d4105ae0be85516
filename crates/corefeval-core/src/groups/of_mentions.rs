//! Groups of mentions by their annotation on each side.

use super::{Label, class};
use crate::model::{Document, ENTITY_TYPE, MENTION_TYPE, Mention};
use crate::named::HeadTags;
use crate::selection::{Selected, is_zero};
use crate::weights::most_frequent;

/// A way to group mentions.
pub struct MentionGroups {
    /// Returns whether a document has the attribute anywhere. The second document is the other side's, with the same
    /// text.
    is_annotated: fn(&Document, &Document) -> bool,
    /// Returns the group of each mention of a selection.
    groups: fn(&GroupedSide<'_>) -> Vec<Option<Label>>,
    /// True if readers must keep the annotation of each word.
    pub(super) needs_layers: bool,
}

/// The scored mentions of a side.
pub(super) struct GroupedSide<'d> {
    pub(super) document: &'d Document,
    pub(super) selected: &'d Selected,
    /// The document of the other side.
    pub(super) other: &'d Document,
}

impl MentionGroups {
    /// Returns whether `document` has the attribute that defines the groups; `other` is the other side's document.
    pub(super) fn has_attribute(&self, document: &Document, other: &Document) -> bool {
        (self.is_annotated)(document, other)
    }

    /// Returns the group of each mention of a selection.
    pub(super) fn of(&self, side: &GroupedSide<'_>) -> Vec<Option<Label>> {
        (self.groups)(side)
    }
}

impl<'d> GroupedSide<'d> {
    fn mentions(&self) -> impl Iterator<Item = &'d Mention> {
        let mentions = self.document.mentions();
        self.selected.mentions.iter().map(|selected| &mentions[selected.mention as usize])
    }

    /// Groups each mention by a function.
    fn each(&self, group: impl Fn(&'d Mention) -> Option<Label>) -> Vec<Option<Label>> {
        self.mentions().map(group).collect()
    }

    /// Returns the document with sentences, on either side.
    fn sentences(&self) -> Option<&'d Document> {
        let has = |document: &&Document| !document.words().sentences().is_empty();
        let empty_nodes = |document: &Document| document.words().empty_nodes().to_vec();
        let same = |other: &&Document| empty_nodes(self.document) == empty_nodes(other);
        Some(self.document).filter(has).or(Some(self.other).filter(has).filter(same))
    }
}

fn has_attribute(document: &Document, name: &str) -> bool {
    document.mentions().iter().any(|mention| value(mention, name).is_some())
}

/// Returns the value of an attribute, or `None` if it is empty.
fn value<'d>(mention: &'d Mention, name: &str) -> Option<&'d str> {
    mention.attribute(name).filter(|value| !value.is_empty())
}

pub(super) const MENTION_TYPES: MentionGroups = MentionGroups {
    is_annotated: |document, _| has_attribute(document, MENTION_TYPE),
    groups: |side| side.each(|mention| Some((0, value(mention, MENTION_TYPE)?.to_owned()))),
    needs_layers: true,
};

pub(super) const ENTITY_TYPES: MentionGroups = MentionGroups {
    is_annotated: |document, _| has_attribute(document, ENTITY_TYPE),
    groups: entity_types,
    needs_layers: true,
};

pub(super) const ENTITY_SIZE: MentionGroups = MentionGroups {
    is_annotated: |_, _| true,
    groups: |side| {
        let size = |entity: u32| side.selected.sizes[entity as usize];
        let group = |entity: u32| super::entity_size(size(entity));
        side.selected.mentions.iter().map(|mention| Some(group(mention.entity))).collect()
    },
    needs_layers: false,
};

pub(super) const MENTION_LENGTH: MentionGroups = MentionGroups {
    is_annotated: |_, _| true,
    groups: |side| {
        side.each(|mention| {
            Some(match (is_zero(side.document, mention), mention.word_count()) {
                (true, _) => (0, "zero".to_owned()),
                (_, 0) => (1, "no words".to_owned()),
                (_, words) => {
                    let (place, label) = class(&[1, 2, 3, 5, 10], words, "word");
                    (place + 2, label)
                }
            })
        })
    },
    needs_layers: false,
};

pub(super) const ZERO: MentionGroups = MentionGroups {
    is_annotated: |_, _| true,
    groups: |side| {
        side.each(|mention| {
            Some(match is_zero(side.document, mention) {
                false => (0, "overt".to_owned()),
                true => (1, "zero".to_owned()),
            })
        })
    },
    needs_layers: false,
};

pub(super) const PART_OF_SPEECH: MentionGroups = MentionGroups {
    is_annotated: |document, other| HeadTags::are_in(document) || HeadTags::are_in(other),
    groups: |side| {
        let tags = HeadTags::new(side.document, side.other);
        side.each(|mention| tags.of(mention).map(word_class))
    },
    needs_layers: true,
};

pub(super) const DISTANCE: MentionGroups = MentionGroups {
    is_annotated: |document, other| {
        [document, other].iter().any(|document| !document.words().sentences().is_empty())
    },
    groups: distances,
    needs_layers: false,
};

/// The name of a group of tags, and a test for its tags.
type TagClass = (&'static str, fn(&str) -> bool);

/// Returns the group of a tag of Universal Dependencies, the Penn treebanks (English, Chinese) or similar tag sets.
fn word_class(tag: &str) -> Label {
    let classes: [TagClass; 4] = [
        ("pronoun", |tag| matches!(tag, "PRON" | "PN") || tag.starts_with("PRP") || tag.starts_with("WP")),
        ("name", |tag| matches!(tag, "PROPN" | "NR") || tag.starts_with("NNP")),
        ("noun", |tag| matches!(tag, "NOUN" | "NN" | "NNS" | "NT")),
        ("verb", |tag| matches!(tag, "AUX" | "MD") || tag.starts_with('V')),
    ];
    match classes.iter().position(|class| (class.1)(tag)) {
        Some(place) => (place, classes[place].0.to_owned()),
        None => (classes.len(), "other".to_owned()),
    }
}

/// Returns the type of a mention's entity: the most frequent type of its mentions, ties broken alphabetically.
fn entity_types(side: &GroupedSide<'_>) -> Vec<Option<Label>> {
    let entities = side.selected.mentions.iter().map(|mention| mention.entity);
    let named = entities
        .zip(side.mentions())
        .filter_map(|(entity, mention)| Some((entity, value(mention, ENTITY_TYPE)?)))
        .collect();
    let types = most_frequent(named, side.selected.sizes.len());
    let kind = |entity: u32| types[entity as usize];
    side.selected.mentions.iter().map(|mention| Some((0, kind(mention.entity)?.to_owned()))).collect()
}

/// Returns the number of sentences between a mention and the previous mention of its entity: the one that starts last
/// before it. If mentions start together, the shorter one comes first.
fn distances(side: &GroupedSide<'_>) -> Vec<Option<Label>> {
    let mut groups = vec![None; side.selected.mentions.len()];
    let Some(text) = side.sentences() else { return groups };
    let starts = side.selected.mentions.iter().zip(side.mentions()).enumerate();
    let mut order: Vec<(u32, u64, usize)> = starts
        .map(|(place, (selected, mention))| (selected.entity, mention.span().sort_key(), place))
        .collect();
    order.sort_unstable();
    let sentence = |sort_key: u64| text.words().sentence_of((sort_key >> 32) as u32);
    let mut before: Option<(u32, u32)> = None;
    for (entity, sort_key, place) in order {
        let here = sentence(sort_key);
        let from = before.filter(|before| before.0 == entity).map(|before| here - before.1);
        groups[place] = Some(match from {
            None => (0, "first mention".to_owned()),
            Some(0) => (1, "same sentence".to_owned()),
            Some(sentences) => {
                let (place, label) = class(&[1, 2, 5, 10], sentences, "sentence");
                (place + 2, label)
            }
        });
        before = Some((entity, here));
    }
    groups
}
