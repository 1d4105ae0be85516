//! Groups of documents, entities and mentions, for scores by group (`--by`).
//!
//! **Documents.** The score of a group is the ratio of its documents' summed counts, as for the whole corpus. A
//! document belongs to one group, which the key determines, so the groups' counts add up to the corpus's counts.
//!
//! **Mentions and entities.** Each side groups its own mentions: a group's recall comes from its key mentions, and its
//! precision from its response mentions. [`Metric::mention_share`](crate::metrics::Metric::mention_share) defines a
//! mention's contribution to each metric. Groups of entities keep all mentions of an entity together. Mentions are
//! aligned and entities compared once, for the whole corpus, so the groups' counts add up to the corpus's counts. If a
//! response lacks the attribute that defines the groups, its mentions take the group of their aligned key mentions.

mod counting;
mod of_mentions;

use crate::wording::{Text, option, quoted, text};
use std::collections::BTreeMap;
use std::fmt;

pub(crate) use self::counting::GroupedPair;
pub use self::of_mentions::MentionGroups;
use self::of_mentions::{
    DISTANCE, ENTITY_SIZE, ENTITY_TYPES, GroupedSide, MENTION_LENGTH, MENTION_TYPES, PART_OF_SPEECH, ZERO,
};
use crate::diagnostic::{Code, Diagnostics};
use crate::error::{Error, ErrorKind, Result};
use crate::model::Document;
use crate::pairing::DocumentPair;
use crate::selection::Selected;
use crate::suggest::one_of;

/// One row of the table of groups.
pub struct GroupSpec {
    /// The name, as typed.
    pub id: &'static str,
    /// One line of help.
    pub summary: &'static str,
    /// The annotation that the groups depend on.
    pub needs: GroupNeeds,
    /// The units to group, and the function that groups them.
    pub grouping: Grouping,
}

/// The annotation that groups depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupNeeds {
    /// Entities as sets of mentions, in documents.
    Entities,
    /// The number of words of each mention.
    Spans,
    /// Other annotation of documents, words or mentions.
    Annotation,
}

/// The units to group, and the function that groups them.
pub enum Grouping {
    /// Documents: the sort key and the name of each document's group.
    Documents(fn(&DocumentPair<'_>, usize) -> Option<Label>),
    /// Mentions, on each side.
    Mentions(MentionGroups),
}

/// The sort key and the name of a group.
pub type Label = (usize, String);

/// The labels of a group of a [`By`], one for each grouping that it crosses.
pub type Labels = Vec<Label>;

/// The largest number of groupings that can be crossed.
const MOST: usize = 2;

/// The grouping of scores: a row of [`GROUPS`], or two rows crossed (the entity sizes of each genre).
///
/// ```
/// use corefeval_core::groups::By;
/// let by = By::named("genre,entity-size")?;
/// assert_eq!(by.id(), "genre,entity-size");
/// assert!(by.is_of_mentions());
/// # Ok::<(), corefeval_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct By {
    first: &'static GroupSpec,
    second: Option<&'static GroupSpec>,
}

/// The group of documents and mentions without the attribute that defines the groups.
const NONE: &str = "(none)";

/// The lower bounds of the classes of document length, in words.
const LENGTHS: [u32; 6] = [0, 100, 250, 500, 1_000, 2_500];

/// All groupings.
pub static GROUPS: &[GroupSpec] = &[
    GroupSpec {
        id: "document",
        summary: "each document",
        needs: GroupNeeds::Entities,
        grouping: Grouping::Documents(|pair, place| Some((place, pair.key.id().to_string()))),
    },
    GroupSpec {
        id: "genre",
        summary: "the genre that the file states, otherwise the one in the document's name (OntoNotes `bc/…`, GUM `GUM_news_…`)",
        needs: GroupNeeds::Annotation,
        grouping: Grouping::Documents(|pair, _| Some((0, pair.key.genre()?.to_owned()))),
    },
    GroupSpec {
        id: "topic",
        summary: "the topic, in formats that have one (ecb+, tables)",
        needs: GroupNeeds::Annotation,
        grouping: Grouping::Documents(|pair, _| Some((0, pair.key.topic()?.to_owned()))),
    },
    GroupSpec {
        id: "language",
        summary: "the language code at the start of the name of the key's file (CorefUD `cs_pcedt-corefud-dev.conllu`)",
        needs: GroupNeeds::Annotation,
        grouping: Grouping::Documents(|pair, _| Some((0, language(&pair.key.position().source)?))),
    },
    GroupSpec {
        id: "length",
        summary: "the number of words in the key: up to 99, 249, 499, 999, 2499, or more",
        needs: GroupNeeds::Annotation,
        grouping: Grouping::Documents(|pair, _| {
            let words = pair.key.words();
            let known = !words.are_names() && words.fingerprint().is_some();
            known.then(|| class(&LENGTHS, words.count(), "word"))
        }),
    },
    GroupSpec {
        id: "entity-type",
        summary: "mentions by the type of their entity (`PER`), the most frequent among its mentions, on each side",
        needs: GroupNeeds::Annotation,
        grouping: Grouping::Mentions(ENTITY_TYPES),
    },
    GroupSpec {
        id: "entity-size",
        summary: "mentions by the size of their entity on each side: 1, 2, 3 to 4, 5 to 9, 10 to 19, 20 or more",
        needs: GroupNeeds::Entities,
        grouping: Grouping::Mentions(ENTITY_SIZE),
    },
    GroupSpec {
        id: "mention-type",
        summary: "mentions by their type (`NAM`, `PRON`, `new`) on each side",
        needs: GroupNeeds::Annotation,
        grouping: Grouping::Mentions(MENTION_TYPES),
    },
    GroupSpec {
        id: "mention-length",
        summary: "mentions by their number of words: 1, 2, 3 to 4, 5 to 9, 10 or more; zeros form a separate group",
        needs: GroupNeeds::Spans,
        grouping: Grouping::Mentions(MENTION_LENGTH),
    },
    GroupSpec {
        id: "part-of-speech",
        summary: "mentions by the part of speech of their head: pronoun, name, noun, verb or other",
        needs: GroupNeeds::Annotation,
        grouping: Grouping::Mentions(PART_OF_SPEECH),
    },
    GroupSpec {
        id: "zero",
        summary: "overt mentions, and zeros (mentions of empty nodes)",
        needs: GroupNeeds::Annotation,
        grouping: Grouping::Mentions(ZERO),
    },
    GroupSpec {
        id: "distance",
        summary: "mentions by their distance in sentences from the previous mention of their entity: first mentions, 0, 1, 2 to 4, 5 to 9, 10 or more",
        needs: GroupNeeds::Annotation,
        grouping: Grouping::Mentions(DISTANCE),
    },
];

/// Returns the code of two or three letters before the first `_` of a file's name.
fn language(file: &str) -> Option<String> {
    let name = file.rsplit(['/', '\\']).next()?;
    let (code, _) = name.split_once('_')?;
    let is_code = (2..=3).contains(&code.len()) && code.bytes().all(|byte| byte.is_ascii_lowercase());
    is_code.then(|| code.to_owned())
}

/// Returns the class of a number, given the lower bound of each class: `3 to 4 mentions`.
fn class(least: &[u32], number: u32, unit: &str) -> Label {
    let class = least.partition_point(|&least| least <= number).saturating_sub(1);
    let units = |number: u32| if number == 1 { unit.to_owned() } else { format!("{unit}s") };
    let label = match least.get(class + 1).map(|next| next - 1) {
        Some(last) if last == least[class] => format!("{last} {}", units(last)),
        Some(last) => format!("{} to {last} {}", least[class], units(last)),
        None => format!("{} {} or more", least[class], units(least[class])),
    };
    (class, label)
}

/// Returns the class of an entity by the number of its mentions.
pub(crate) fn entity_size(mentions: u32) -> Label {
    class(&SIZES, mentions, "mention")
}

/// The lower bounds of the classes of entity size, in mentions.
const SIZES: [u32; 6] = [1, 2, 3, 5, 10, 20];

impl fmt::Debug for GroupSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)
    }
}

/// Returns the names of the groupings of documents.
pub fn groupings_of_documents() -> Vec<&'static str> {
    GROUPS.iter().filter(|spec| spec.of_mentions().is_none()).map(|spec| spec.id).collect()
}

/// Returns the hint if only documents can be grouped.
pub(crate) fn by_documents() -> Text {
    text!("give {} one of {}", option("by"), groupings_of_documents().join(", "))
}

/// Returns the hint if the data lack the annotation for the grouping.
fn other_groups() -> Text {
    let ids: Vec<&str> = GROUPS.iter().map(|spec| spec.id).collect();
    text!("use a format that has it, or another value of {}: {}", option("by"), ids.join(", "))
}

impl GroupSpec {
    /// Returns the row called `id`.
    ///
    /// # Errors
    ///
    /// The group does not exist.
    pub fn named(id: &str) -> Result<&'static GroupSpec> {
        if let Some(spec) = GROUPS.iter().find(|spec| spec.id == id) {
            return Ok(spec);
        }
        let hint = one_of(id, "groups are by", GROUPS.iter().map(|spec| spec.id));
        Err(Error::new(ErrorKind::Settings, format!("no groups by `{id}`")).hint(hint))
    }

    /// Returns the grouping of mentions, or `None` if documents are grouped.
    pub fn of_mentions(&self) -> Option<&MentionGroups> {
        match &self.grouping {
            Grouping::Mentions(groups) => Some(groups),
            Grouping::Documents(_) => None,
        }
    }

    /// Fails if no document has a group, or if mentions are grouped.
    pub(crate) fn check(&self, pairs: &[DocumentPair<'_>]) -> Result<()> {
        let Grouping::Documents(group) = self.grouping else {
            let message = format!("groups by {} consist of mentions, not of documents", self.id);
            return Err(Error::new(ErrorKind::Settings, message).hint(by_documents()));
        };
        match pairs.first() {
            Some(first) if pairs.iter().all(|pair| group(pair, 0).is_none()) => {
                let message = format!("no document has a {}, so there is nothing to group by", self.id);
                Err(Error::new(ErrorKind::Pairing, message).at(first.key.position()).hint(other_groups()))
            }
            _ => Ok(()),
        }
    }

    /// Counts the mentions of a selection by group. Returns `None` if documents are grouped, or if the document lacks
    /// the attribute that defines the groups.
    pub(crate) fn count_mentions(
        &self,
        document: &Document,
        selected: &Selected,
    ) -> Option<BTreeMap<Label, u64>> {
        let groups = self.of_mentions().filter(|groups| groups.has_attribute(document, document))?;
        let mut counts = BTreeMap::new();
        for label in groups.of(&GroupedSide { document, selected, other: document }) {
            *counts.entry(label.unwrap_or_else(none)).or_default() += 1;
        }
        Some(counts)
    }

    /// Returns whether readers must keep the annotation of each word.
    pub fn needs_layers(&self) -> bool {
        self.of_mentions().is_some_and(|groups| groups.needs_layers)
    }

    /// Returns whether response mentions take the groups of their aligned key mentions, because no response has the
    /// attribute. Fails if no key has it.
    pub(crate) fn are_of_the_key(
        &self,
        groups: &MentionGroups,
        pairs: &[DocumentPair<'_>],
        diagnostics: &mut Diagnostics,
    ) -> Result<bool> {
        if !pairs.iter().any(|pair| groups.has_attribute(pair.key, pair.response.unwrap_or(pair.key))) {
            let message = format!("the key has no {} for any mention", self.id);
            let error = Error::new(ErrorKind::Pairing, message).hint(other_groups());
            return Err(match pairs.first() {
                Some(pair) => error.at(pair.key.position()),
                None => error,
            });
        }
        let mut responses = pairs.iter().filter_map(|pair| Some((pair.response?, pair.key)));
        let Some(first) = responses.clone().find(|response| !response.0.mentions().is_empty()) else {
            return Ok(false);
        };
        if responses.any(|(response, key)| groups.has_attribute(response, key)) {
            return Ok(false);
        }
        diagnostics.add(Code::GroupsOfKey, Some(first.0.position()), None, || {
            format!("the response has no {} for any mention: each takes the group of the key mention that it is aligned with, the others are in {NONE}", self.id)
        });
        Ok(true)
    }
}

impl By {
    /// Creates a grouping from one row.
    pub fn one(spec: &'static GroupSpec) -> By {
        By { first: spec, second: None }
    }

    /// Creates a grouping from a comma-separated list of rows.
    ///
    /// # Errors
    ///
    /// A name is unknown, a row is named twice, or there are more than two.
    pub fn named(list: &str) -> Result<By> {
        let specs = list.split(',').map(|id| GroupSpec::named(id.trim())).collect::<Result<Vec<_>>>()?;
        let wrong = |message: Text| Error::new(ErrorKind::Settings, message);
        match specs[..] {
            [first] => Ok(By::one(first)),
            [first, second] if first.id == second.id => {
                Err(wrong(text!("{} names {} twice", option("by"), quoted(first.id)))
                    .hint("name two different groupings, or only one"))
            }
            [first, second] => Ok(By { first, second: Some(second) }),
            _ => Err(wrong(text!("{} crosses at most {} groupings", option("by"), MOST))
                .hint("leave one out, or score several times")),
        }
    }

    /// Returns the rows.
    pub fn specs(self) -> impl Iterator<Item = &'static GroupSpec> {
        std::iter::once(self.first).chain(self.second)
    }

    /// Returns the grouping as the user types it: `genre,entity-size`.
    pub fn id(self) -> String {
        self.specs().map(|spec| spec.id).collect::<Vec<_>>().join(",")
    }

    /// Returns whether the groups are the rows of one grouping, called `id`.
    pub fn is(self, id: &str) -> bool {
        self.second.is_none() && self.first.id == id
    }

    /// Returns whether any grouping is by mentions.
    pub fn is_of_mentions(self) -> bool {
        self.specs().any(|spec| spec.of_mentions().is_some())
    }

    /// Returns whether readers must keep the annotation of each word.
    pub fn needs_layers(self) -> bool {
        self.specs().any(GroupSpec::needs_layers)
    }

    /// Returns the groups of the document at `place`, by the groupings of documents.
    pub(crate) fn labels(self, pair: &DocumentPair<'_>, place: usize) -> Labels {
        let of_documents = self.specs().filter_map(|spec| match spec.grouping {
            Grouping::Documents(group) => Some(group),
            Grouping::Mentions(_) => None,
        });
        of_documents.map(|group| group(pair, place).unwrap_or_else(none)).collect()
    }

    /// Fails if no document belongs to any group of a grouping, or if mentions are grouped.
    pub(crate) fn check(self, pairs: &[DocumentPair<'_>]) -> Result<()> {
        self.specs().try_for_each(|spec| spec.check(pairs))
    }

    /// Returns the groups of documents with the places of their documents: by document in the order of the key,
    /// otherwise in ascending order. Documents without a group form the last group.
    ///
    /// # Errors
    ///
    /// No document belongs to any group, or mentions are grouped.
    pub fn groups(self, pairs: &[DocumentPair<'_>]) -> Result<Vec<(Labels, Vec<usize>)>> {
        self.check(pairs)?;
        let mut groups: BTreeMap<Labels, Vec<usize>> = BTreeMap::new();
        for (place, pair) in pairs.iter().enumerate() {
            groups.entry(self.labels(pair, place)).or_default().push(place);
        }
        Ok(groups.into_iter().collect())
    }
}

/// Returns the name of a group: its labels, joined by commas.
pub fn name_of(labels: &[Label]) -> String {
    labels.iter().map(|label| label.1.as_str()).collect::<Vec<_>>().join(", ")
}

/// Returns the label of documents and mentions without a group.
fn none() -> Label {
    (usize::MAX, NONE.to_owned())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use super::*;
    use crate::model::{Document, DocumentBuilder, DocumentId, Words};

    fn document(name: &str) -> Document {
        DocumentBuilder::new(DocumentId::new(name), Arc::from("key"), 1).finish(Words::default()).unwrap()
    }

    #[test]
    fn rows_are_unique_and_unknown_names_suggest_the_nearest() {
        let ids: BTreeSet<_> = GROUPS.iter().map(|spec| spec.id).collect();
        assert_eq!(ids.len(), GROUPS.len());
        let error = GroupSpec::named("gener").expect_err("no such groups");
        assert_eq!(error.remedy().as_deref(), Some("did you mean `genre`?"));
    }

    #[test]
    fn documents_are_grouped_by_genre_and_the_rest_is_last() {
        let documents = ["nw/a", "x", "bc/b", "nw/c"].map(document);
        let pairs: Vec<_> = documents.iter().map(|key| DocumentPair { key, response: None }).collect();
        let by = |id: &str| -> Result<Vec<(String, Vec<usize>)>> {
            let groups = By::named(id)?.groups(&pairs)?.into_iter();
            Ok(groups.map(|(labels, places)| (name_of(&labels), places)).collect())
        };
        let group = |name: &str, places: &[usize]| (name.to_owned(), places.to_vec());
        assert_eq!(by("genre"), Ok(vec![group("bc", &[2]), group("nw", &[0, 3]), group("(none)", &[1])]));
        assert_eq!(by("length"), Ok(vec![group("0 to 99 words", &[0, 1, 2, 3])]));
        assert!(by("topic").is_err_and(|error| error.to_string().contains("no document has a topic")));
        assert_eq!(by("document").map(|groups| groups.len()), Ok(4));
        let crossed = vec![
            group("bc, 0 to 99 words", &[2]),
            group("nw, 0 to 99 words", &[0, 3]),
            group("(none), 0 to 99 words", &[1]),
        ];
        assert_eq!(by("genre, length"), Ok(crossed));
        assert!(by("genre,genre").is_err() && by("genre,length,document").is_err());
        assert!(by("distance").is_err_and(|error| error.to_string().contains("of mentions")));
    }

    #[test]
    fn classes_have_descriptive_names() {
        let label = |number| class(&[1, 2, 3, 5], number, "mention").1;
        assert_eq!(
            [1, 2, 4, 9].map(label),
            ["1 mention", "2 mentions", "3 to 4 mentions", "5 mentions or more"]
        );
    }
}
