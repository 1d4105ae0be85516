//! Groups of documents, for scores by group (`--by`).
//!
//! What the documents of a group count is added up, and their score is the ratio of the sums, as the score of the
//! corpus is; where groups share no document, what they count adds up to that of the corpus. A document belongs to one
//! group, which the key decides.

use std::collections::BTreeMap;
use std::fmt;

use crate::error::{Error, ErrorKind, Result};
use crate::pairing::DocumentPair;
use crate::suggest::nearest;

/// One row of the table of groups.
pub struct GroupSpec {
    /// As typed.
    pub id: &'static str,
    /// One line of help.
    pub summary: &'static str,
    /// The group of a document: what it is sorted by and what it is called.
    group: fn(&DocumentPair<'_>, usize) -> Option<(usize, String)>,
}

/// The group of documents without what groups are made by.
const NONE: &str = "(none)";

/// The least words of a document of each class of length.
const LENGTHS: [u32; 6] = [0, 100, 250, 500, 1_000, 2_500];

/// All ways to make groups.
pub static GROUPS: &[GroupSpec] = &[
    GroupSpec {
        id: "document",
        summary: "each document",
        group: |pair, place| Some((place, pair.key.id().to_string())),
    },
    GroupSpec {
        id: "genre",
        summary: "the genre: as the file says it, or as the corpus names its documents (`bc/…` of OntoNotes, `GUM_news_…`)",
        group: |pair, _| Some((0, pair.key.genre()?.to_owned())),
    },
    GroupSpec {
        id: "topic",
        summary: "the topic, of documents that have one (ecb+, tables)",
        group: |pair, _| Some((0, pair.key.topic()?.to_owned())),
    },
    GroupSpec {
        id: "length",
        summary: "the number of words in the key: up to 99, 249, 499, 999, 2499, and more",
        group: |pair, _| {
            let words = pair.key.words().count();
            let class = LENGTHS.partition_point(|&least| least <= words) - 1;
            let label = match LENGTHS.get(class + 1) {
                Some(next) => format!("{} to {} words", LENGTHS[class], next - 1),
                None => format!("{} words or more", LENGTHS[class]),
            };
            Some((class, label))
        },
    },
];

impl fmt::Debug for GroupSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)
    }
}

impl GroupSpec {
    /// The way called `id`.
    pub fn named(id: &str) -> Result<&'static GroupSpec> {
        if let Some(spec) = GROUPS.iter().find(|spec| spec.id == id) {
            return Ok(spec);
        }
        let ids = || GROUPS.iter().map(|spec| spec.id);
        let hint = match nearest(id, ids()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("groups are by {}", ids().collect::<Vec<_>>().join(", ")),
        };
        Err(Error::new(ErrorKind::Settings, format!("there are no groups by `{id}`")).hint(hint))
    }

    /// The groups with the places of their documents: by document in the order of the key, else in ascending order.
    /// Documents that belong nowhere are a group of their own, at the end; where none belongs anywhere it is an error.
    pub fn groups(&self, pairs: &[DocumentPair<'_>]) -> Result<Vec<(String, Vec<usize>)>> {
        let mut groups: BTreeMap<(usize, String), Vec<usize>> = BTreeMap::new();
        for (place, pair) in pairs.iter().enumerate() {
            let group = (self.group)(pair, place).unwrap_or_else(|| (usize::MAX, NONE.to_owned()));
            groups.entry(group).or_default().push(place);
        }
        match groups.first_key_value() {
            Some(((usize::MAX, _), _)) => {
                let message = format!("no document has a {}, so that there are no groups by it", self.id);
                let position = pairs[0].key.position();
                Err(Error::new(ErrorKind::Settings, message)
                    .at(position)
                    .hint("use a format that says it, or other groups: corefeval list groups"))
            }
            _ => Ok(groups.into_iter().map(|((_, label), places)| (label, places)).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use super::*;
    use crate::model::{Document, DocumentBuilder, DocumentId, Words};

    fn document(name: &str) -> Document {
        DocumentBuilder::new(DocumentId::new(name), Arc::from("key"), 1).finish(Words::default())
    }

    #[test]
    fn rows_are_unique_and_an_unknown_one_brings_the_nearest() {
        let ids: BTreeSet<_> = GROUPS.iter().map(|spec| spec.id).collect();
        assert_eq!(ids.len(), GROUPS.len());
        let error = GroupSpec::named("gener").expect_err("no such groups");
        assert_eq!(error.remedy(), Some("did you mean `genre`?"));
    }

    #[test]
    fn documents_are_grouped_by_genre_and_the_rest_is_last() {
        let documents = ["nw/a", "x", "bc/b", "nw/c"].map(document);
        let pairs: Vec<_> = documents.iter().map(|key| DocumentPair { key, response: None }).collect();
        let by = |id: &str| GroupSpec::named(id).and_then(|spec| spec.groups(&pairs));
        let group = |name: &str, places: &[usize]| (name.to_owned(), places.to_vec());
        assert_eq!(by("genre"), Ok(vec![group("bc", &[2]), group("nw", &[0, 3]), group("(none)", &[1])]));
        assert_eq!(by("length"), Ok(vec![group("0 to 99 words", &[0, 1, 2, 3])]));
        assert!(by("topic").is_err_and(|error| error.to_string().contains("no document has a topic")));
        assert_eq!(by("document").map(|groups| groups.len()), Ok(4));
    }
}
