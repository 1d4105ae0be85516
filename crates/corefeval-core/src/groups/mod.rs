//! Groups of documents, entities and mentions, for scores by group (`--by`).
//!
//! **Documents.** What the documents of a group count is added up, and their score is the ratio of the sums, as the
//! score of the corpus is; where groups share no document, what they count adds up to that of the corpus. A document
//! belongs to one group, which the key decides.
//!
//! **Mentions and entities.** Each side sorts its own mentions: recall of a group is what its mentions of the key find
//! of what there is to find for them, precision what of its mentions of the response is right
//! ([`Metric::mention_share`](crate::metrics::Metric::mention_share) has what a mention counts in each metric). All mentions of an
//! entity are in one group where groups are of entities. Nothing is left out or scored again: mentions are aligned and
//! entities compared whole, so that what the groups count adds up to that of the corpus. A response that does not say
//! what mentions are grouped by has each in the group of the key's mention that it is aligned with.

mod counting;
mod of_mentions;

use crate::wording::text;
use crate::wording::{Text, option, option_value, quoted};
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
    /// As typed.
    pub id: &'static str,
    /// One line of help.
    pub summary: &'static str,
    /// What is grouped, and how.
    pub grouping: Grouping,
}

/// What is grouped, and how.
pub enum Grouping {
    /// Documents: what each is sorted by and what its group is called.
    Documents(fn(&DocumentPair<'_>, usize) -> Option<Label>),
    /// Mentions, on each side.
    Mentions(MentionGroups),
}

/// What a group is sorted by, and what it is called.
pub type Label = (usize, String);

/// The labels of a group of a [`By`], one for each grouping that it crosses.
pub type Labels = Vec<Label>;

/// The largest number of groupings that can be crossed.
const MOST: usize = 2;

/// What scores are grouped by: a row of [`GROUPS`], or two rows crossed (the entity sizes of each genre).
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

/// The group of what does not say what groups are made by.
const NONE: &str = "(none)";

/// The least words of a document of each class of length.
const LENGTHS: [u32; 6] = [0, 100, 250, 500, 1_000, 2_500];

/// All ways to make groups.
pub static GROUPS: &[GroupSpec] = &[
    GroupSpec {
        id: "document",
        summary: "each document",
        grouping: Grouping::Documents(|pair, place| Some((place, pair.key.id().to_string()))),
    },
    GroupSpec {
        id: "genre",
        summary: "the genre: as the file says it, or as the corpus names its documents (`bc/…` of OntoNotes, `GUM_news_…`)",
        grouping: Grouping::Documents(|pair, _| Some((0, pair.key.genre()?.to_owned()))),
    },
    GroupSpec {
        id: "topic",
        summary: "the topic, of documents that have one (ecb+, tables)",
        grouping: Grouping::Documents(|pair, _| Some((0, pair.key.topic()?.to_owned()))),
    },
    GroupSpec {
        id: "length",
        summary: "the number of words in the key: up to 99, 249, 499, 999, 2499, and more",
        grouping: Grouping::Documents(|pair, _| {
            let words = pair.key.words();
            let known = !words.are_names() && words.fingerprint().is_some();
            known.then(|| class(&LENGTHS, words.count(), "word"))
        }),
    },
    GroupSpec {
        id: "entity-type",
        summary: "mentions by the type of their entity, the most frequent of its mentions (`PER`), as each side says it",
        grouping: Grouping::Mentions(ENTITY_TYPES),
    },
    GroupSpec {
        id: "entity-size",
        summary: "mentions by the size of their entity on their side: 1, 2, 3 to 4, 5 to 9, 10 to 19, and more",
        grouping: Grouping::Mentions(ENTITY_SIZE),
    },
    GroupSpec {
        id: "mention-type",
        summary: "mentions by their type (`NAM`, `PRON`, `new`), as each side says it",
        grouping: Grouping::Mentions(MENTION_TYPES),
    },
    GroupSpec {
        id: "mention-length",
        summary: "mentions by their words: 1, 2, 3 to 4, 5 to 9, 10 and more; zeros apart",
        grouping: Grouping::Mentions(MENTION_LENGTH),
    },
    GroupSpec {
        id: "part-of-speech",
        summary: "mentions by the tag of their head: pronoun, name, noun, verb, or another",
        grouping: Grouping::Mentions(PART_OF_SPEECH),
    },
    GroupSpec {
        id: "zero",
        summary: "mentions in the text (overt) and mentions of empty nodes (zero)",
        grouping: Grouping::Mentions(ZERO),
    },
    GroupSpec {
        id: "distance",
        summary: "mentions by the sentences from the one before in their entity: the first of all, 0, 1, 2 to 4, 5 to 9, and more",
        grouping: Grouping::Mentions(DISTANCE),
    },
];

/// The class of a number, given the least number of each: `3 to 4 mentions`.
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

/// The class of an entity by the number of its mentions.
pub(crate) fn entity_size(mentions: u32) -> Label {
    class(&SIZES, mentions, "mention")
}

/// The least mentions of an entity of each class of size.
const SIZES: [u32; 6] = [1, 2, 3, 5, 10, 20];

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
        let hint = one_of(id, "groups are by", GROUPS.iter().map(|spec| spec.id));
        Err(Error::new(ErrorKind::Settings, format!("there are no groups by `{id}`")).hint(hint))
    }

    /// How mentions are grouped, if they are.
    pub fn of_mentions(&self) -> Option<&MentionGroups> {
        match &self.grouping {
            Grouping::Mentions(groups) => Some(groups),
            Grouping::Documents(_) => None,
        }
    }

    /// Returns the group of each document.
    ///
    /// # Errors
    ///
    /// No document has one, or the groups are of mentions.
    pub(crate) fn labels(&self, pairs: &[DocumentPair<'_>]) -> Result<Vec<Label>> {
        let Grouping::Documents(group) = self.grouping else {
            let message = format!("groups by {} are of mentions, not of documents", self.id);
            return Err(Error::new(ErrorKind::Settings, message)
                .hint(text!("use {}, genre, topic or length", option_value("by", "document"))));
        };
        let labels: Vec<Option<Label>> =
            pairs.iter().enumerate().map(|(place, pair)| group(pair, place)).collect();
        match pairs.first() {
            Some(first) if labels.iter().all(Option::is_none) => {
                let message = format!("no document has a {}, so that there are no groups by it", self.id);
                Err(Error::new(ErrorKind::Pairing, message)
                    .at(first.key.position())
                    .hint("use a format that says it, or other groups: corefeval list groups"))
            }
            _ => Ok(labels.into_iter().map(|label| label.unwrap_or_else(none)).collect()),
        }
    }

    /// Counts the mentions of a selection by group; `None` where groups are of documents or the document does not say what
    /// they are by.
    pub(crate) fn count_mentions(
        &self,
        document: &Document,
        selected: &Selected,
    ) -> Option<BTreeMap<Label, u64>> {
        let groups = self.of_mentions().filter(|groups| groups.is_said(document, document))?;
        let mut counts = BTreeMap::new();
        for label in groups.of(&GroupedSide { document, selected, other: document }) {
            *counts.entry(label.unwrap_or_else(none)).or_default() += 1;
        }
        Some(counts)
    }

    /// Whether readers have to keep what is known of each word.
    pub fn needs_layers(&self) -> bool {
        self.of_mentions().is_some_and(|groups| groups.needs_layers)
    }

    /// Whether mentions of responses are in the groups of what they are aligned with, since no response says by itself.
    /// It is an error where no key says.
    pub(crate) fn are_of_the_key(
        &self,
        groups: &MentionGroups,
        pairs: &[DocumentPair<'_>],
        diagnostics: &mut Diagnostics,
    ) -> Result<bool> {
        if !pairs.iter().any(|pair| groups.is_said(pair.key, pair.response.unwrap_or(pair.key))) {
            let message = format!("the key does not say the {} of any mention", self.id);
            let error = Error::new(ErrorKind::Pairing, message)
                .hint("use a format that says it, or other groups: corefeval list groups");
            return Err(match pairs.first() {
                Some(pair) => error.at(pair.key.position()),
                None => error,
            });
        }
        let mut responses = pairs.iter().filter_map(|pair| Some((pair.response?, pair.key)));
        let Some(first) = responses.clone().find(|response| !response.0.mentions().is_empty()) else {
            return Ok(false);
        };
        if responses.any(|(response, key)| groups.is_said(response, key)) {
            return Ok(false);
        }
        diagnostics.add(Code::GroupsOfKey, Some(first.0.position()), None, || {
            format!("the response does not say the {} of any mention: each is in the group of the key's mention that it is aligned with, the others in {NONE}", self.id)
        });
        Ok(true)
    }
}

impl By {
    /// Groups by one row.
    pub fn one(spec: &'static GroupSpec) -> By {
        By { first: spec, second: None }
    }

    /// Groups by the rows of a list, joined by a comma.
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
                    .hint("name another grouping, or one alone"))
            }
            [first, second] => Ok(By { first, second: Some(second) }),
            _ => Err(wrong(text!("{} crosses {} groupings at most", option("by"), MOST))
                .hint("leave one out, or score several times")),
        }
    }

    /// The rows.
    pub fn specs(self) -> impl Iterator<Item = &'static GroupSpec> {
        std::iter::once(self.first).chain(self.second)
    }

    /// As typed: `genre,entity-size`.
    pub fn id(self) -> String {
        self.specs().map(|spec| spec.id).collect::<Vec<_>>().join(",")
    }

    /// Returns whether the groups are the rows of one grouping, called `id`.
    pub fn is(self, id: &str) -> bool {
        self.second.is_none() && self.first.id == id
    }

    /// Returns whether the groups are of mentions, by any of the groupings.
    pub fn is_of_mentions(self) -> bool {
        self.specs().any(|spec| spec.of_mentions().is_some())
    }

    /// Returns whether readers have to keep what is known of each word.
    pub fn needs_layers(self) -> bool {
        self.specs().any(GroupSpec::needs_layers)
    }

    /// Returns the groups of documents with the places of their documents: by document in the order of the key, else in
    /// ascending order. Documents without a group form a group of their own, at the end.
    ///
    /// # Errors
    ///
    /// No document belongs to any group, or the groups are of mentions.
    pub fn groups(self, pairs: &[DocumentPair<'_>]) -> Result<Vec<(Labels, Vec<usize>)>> {
        let columns = self.specs().map(|spec| spec.labels(pairs)).collect::<Result<Vec<_>>>()?;
        let mut groups: BTreeMap<Labels, Vec<usize>> = BTreeMap::new();
        for place in 0..pairs.len() {
            let labels = columns.iter().map(|labels| labels[place].clone()).collect();
            groups.entry(labels).or_default().push(place);
        }
        Ok(groups.into_iter().collect())
    }
}

/// What a group is called: its labels, joined by commas.
pub fn name_of(labels: &[Label]) -> String {
    labels.iter().map(|label| label.1.as_str()).collect::<Vec<_>>().join(", ")
}

/// The label of what belongs to no group.
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
    fn rows_are_unique_and_an_unknown_one_brings_the_nearest() {
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
    fn classes_say_what_is_in_them() {
        let label = |number| class(&[1, 2, 3, 5], number, "mention").1;
        assert_eq!(
            [1, 2, 4, 9].map(label),
            ["1 mention", "2 mentions", "3 to 4 mentions", "5 mentions or more"]
        );
    }
}
