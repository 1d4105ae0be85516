//! The results of an analysis, as data for all outputs.

use std::collections::BTreeMap;

use super::correct::ErrorCorrection;
use super::kinds::CorefErrorKind;
use super::links::{ComparedLinks, LinkId, Outcome};
use super::task::Tree;
use super::text::WordsAre;
use super::transform::Operations;
use super::types::{Language, MentionType};
use crate::metrics::Metric;
use crate::model::Side;
use crate::results::{MetricResult, SideSize};

/// The errors of one response.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ErrorAnalysis {
    /// The name of the response.
    pub name: String,
    /// The key as it was named.
    pub key: String,
    /// The response as it was named.
    pub response: String,
    /// The sizes of the key and of the response, with all copies of mentions that are repeated.
    pub sizes: [SideSize; 2],
    /// The number of mentions that both sides have, before span errors are corrected; only first copies count.
    pub(crate) matched: u64,
    /// The number of mentions that both sides annotate, before any are selected.
    pub(crate) annotated: [u64; 2],
    /// The tree that link errors take their antecedents from.
    pub tree: Tree,
    /// The language whose lists of words determined types of mentions; `None` if all words have tags or none are known.
    pub language: Option<&'static Language>,
    /// True if documents have a text, so that sentences between mentions can be counted.
    pub has_sentences: bool,
    /// True if types of mentions are known: annotated, or determined by the words of a text.
    pub has_types: bool,
    /// True if mentions have an order. Names of mentions have none; those of the key then come first, in its order.
    pub has_order: bool,
    /// The number of errors of each kind.
    pub counts: KindCounts,
    /// The operations of the analyser of Kummerfeld and Klein.
    pub operations: Operations,
    /// Missed links: recall errors.
    pub recall: LinkCounts,
    /// Wrong links: precision errors.
    pub precision: LinkCounts,
    /// The scores of the uncorrected response, if they may differ from those at the start of the sequence, which has only
    /// one copy of each mention that a side repeats, and the settings of errors.
    pub scored: Option<Vec<MetricResult>>,
    /// True if scores use different settings from errors, and may differ (see
    /// [`applied_settings`](super::applied_settings)).
    pub has_other_settings: bool,
    /// The scores after each kind alone is corrected.
    pub alone: Vec<Step>,
    /// The scores after the kinds are corrected in sequence, from the response to the key.
    pub sequence: Vec<Step>,
    /// The resolution of mentions: by type, pronoun, entity type and genre.
    pub outcomes: Vec<OutcomeTable>,
    /// The documents, in the order of the key.
    pub documents: Vec<DocumentErrors>,
    /// The key entities with missed links, those with the most missed links first; at most [`ErrorAnalysis::MOST`].
    pub entities: Vec<EntityErrors>,
    /// The number of key entities with missed links.
    pub entities_missed: u64,
    /// Wrong antecedents, the most frequent first; at most [`ErrorAnalysis::MOST`].
    pub antecedents: Vec<WrongAntecedent>,
    /// The number of antecedents of two or more wrong links.
    pub antecedents_repeated: u64,
    /// Every error: by document, then by kind, then in the order of the text.
    pub rows: Vec<ErrorRow>,
    pub(super) compared: ComparedLinks,
    /// Some errors of each kind, with their sentences.
    pub examples: Vec<Example>,
}

impl ErrorAnalysis {
    /// The largest number of wrong antecedents and entities that an analysis keeps.
    pub const MOST: usize = 100;

    /// Removes the scores of all other metrics.
    pub(crate) fn keep_metrics(&mut self, metrics: &[Metric]) {
        let steps = self.alone.iter_mut().chain(&mut self.sequence).map(|step| &mut step.results);
        steps
            .chain(&mut self.scored)
            .for_each(|results| results.retain(|result| metrics.contains(&result.metric)));
    }
}

/// The number of errors of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KindCounts([u64; 9]);

impl KindCounts {
    /// Returns the number of errors of one kind.
    pub fn of(&self, kind: CorefErrorKind) -> u64 {
        self.0[kind as usize]
    }

    /// Returns the number of errors of all kinds.
    pub(super) fn sum(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Counts errors.
    pub(super) fn count(&mut self, kind: CorefErrorKind, errors: u64) {
        self.0[kind as usize] += errors;
    }

    /// Adds the errors of another document.
    pub(super) fn add(&mut self, other: &KindCounts) {
        self.0.iter_mut().zip(other.0).for_each(|(ours, theirs)| *ours += theirs);
    }

    /// Returns the number of errors of the seven kinds that turn the response into the key.
    pub fn transform(&self) -> u64 {
        CorefErrorKind::TRANSFORM.iter().map(|&kind| self.of(kind)).sum()
    }
}

/// Link errors of one side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkCounts {
    /// All of them; under [`Tree::Accessibility`] and [`Tree::Closest`] the links that MUC misses.
    pub total: u64,
    /// The number of links of the side: mentions minus entities.
    pub links: u64,
    /// The errors by the types of anaphor and antecedent.
    pub by_type: BTreeMap<(MentionType, MentionType), u64>,
    /// The errors by the number of sentences between anaphor and antecedent.
    pub by_distance: BTreeMap<u32, u64>,
}

/// The scores of a corrected response.
#[derive(Clone, Debug)]
pub struct Step {
    /// The correction.
    pub correction: ErrorCorrection,
    /// The scores.
    pub results: Vec<MetricResult>,
}

/// The resolution of the mentions of each group. Only mentions with an antecedent on some side count.
#[derive(Clone, Debug)]
pub struct OutcomeTable {
    /// The id of the grouping, which is also the key in JSON.
    pub by: &'static str,
    /// The label of the grouping.
    pub title: &'static str,
    /// The groups. Types are in their usual order, other groups by their number of errors.
    pub rows: Vec<(String, OutcomeCounts)>,
}

/// The number of mentions with each [`Outcome`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutcomeCounts(pub [u64; 4]);

impl OutcomeCounts {
    /// Returns the number of mentions with an outcome.
    pub fn of(&self, outcome: Outcome) -> u64 {
        self.0[outcome as usize]
    }

    /// Returns the number of mentions that are not resolved correctly.
    pub fn errors(&self) -> u64 {
        self.0[1..].iter().sum()
    }

    /// One mention with this outcome.
    pub(super) fn one(outcome: Outcome) -> OutcomeCounts {
        let mut counts = OutcomeCounts::default();
        counts.0[outcome as usize] = 1;
        counts
    }

    /// Returns whether there are any mentions.
    pub(super) fn any(&self) -> bool {
        self.0.iter().any(|count| *count > 0)
    }

    pub(super) fn add(&mut self, other: &OutcomeCounts) {
        self.0.iter_mut().zip(other.0).for_each(|(ours, theirs)| *ours += theirs);
    }
}

/// The errors of one document.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct DocumentErrors {
    /// The document's id.
    pub id: String,
    /// True if the response lacks the whole document.
    pub missing: bool,
    /// The number of errors of each kind.
    pub counts: KindCounts,
    /// The number of links in the key.
    pub key_links: u64,
    /// The number of links in the response.
    pub response_links: u64,
}

/// The missing parts of a key entity.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EntityErrors {
    /// The document, by its place in [`ErrorAnalysis::documents`].
    pub document: u32,
    /// The entity, as the key names it.
    pub entity: String,
    /// The words of its first mention that is not a pronoun.
    pub text: String,
    /// The number of its mentions.
    pub mentions: u64,
    /// The number of its missing links.
    pub missed: u64,
    /// The number of response entities that contain its mentions.
    pub parts: u64,
}

/// An antecedent of wrong links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongAntecedent {
    /// Its words in the most frequent spelling; words that differ only in case are the same antecedent.
    pub antecedent: String,
    /// The number of wrong links with it.
    pub errors: u64,
    /// The most frequent of the anaphors, spelled in the same way.
    pub anaphor: String,
    /// The number of wrong links with that anaphor.
    pub with_anaphor: u64,
}

/// One error.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ErrorRow {
    /// The document, by its place in [`ErrorAnalysis::documents`].
    pub document: u32,
    /// The kind.
    pub kind: CorefErrorKind,
    /// The name of the entity that the error concerns, on the side of the kind.
    pub entity: String,
    /// The mention, or the first of several. For missing, divided and missed links it is a key mention.
    pub mention: RowMention,
    /// The antecedent of a link error; the correct span of a span error; otherwise the mention that the piece should
    /// have been joined to or separated from, on the side of the mention.
    pub other: Option<RowMention>,
    /// The number of mentions that the error concerns.
    pub count: u32,
    /// The kind of words in its document.
    pub words_are: WordsAre,
    /// The number of sentences between the mention and the other mention; `None` without a text.
    pub distance: Option<u32>,
    /// The key mentions that the error concerns, by their places in the document; for a link error, anaphor and
    /// antecedent.
    pub key: Vec<u32>,
    /// The response mentions that the error concerns, in the same form.
    pub response: Vec<u32>,
    /// The mentions of `other`'s piece, on the side of the mention.
    pub rest: Vec<u32>,
    /// Identifies a link error across systems, if several are compared.
    pub(super) link: Option<Box<LinkId>>,
}

impl ErrorRow {
    /// Returns the heads of a span error whose words are the same on both sides, the response's first: if mentions match
    /// by their heads, only these differ.
    pub fn different_heads(&self) -> Option<[&str; 2]> {
        let other = self.other.as_ref().filter(|_| self.kind == CorefErrorKind::SpanError)?;
        let heads = [self.mention.head.as_deref()?, other.head.as_deref()?];
        let same = other.text == self.mention.text && other.parts == self.mention.parts;
        (same && heads[0] != heads[1]).then_some(heads)
    }

    /// Returns the side of the mention.
    pub fn side(&self) -> Side {
        self.mention.side
    }
}

/// A mention of an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowMention {
    /// The side that it belongs to.
    pub side: Side,
    /// Its place among the mentions of its document.
    pub place: u32,
    /// Its first word, counted over the document from 0; the place of its name, if mentions have names only.
    pub start: u32,
    /// One past its last word.
    pub end: u32,
    /// Its sentence, from 0; 0 without a text.
    pub sentence: u32,
    /// Its words.
    pub text: String,
    /// Its type; nominal if it is not known.
    pub mention_type: MentionType,
    /// True if the type is known.
    pub has_type: bool,
    /// The runs of its words, each as first word and one past the last; empty if it is one run.
    pub parts: Vec<[u32; 2]>,
    /// Its head word, if annotated.
    pub head: Option<String>,
    /// The document that it is from, if several are compared as one.
    pub document: Option<String>,
}

/// An error in its text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Example {
    /// The error.
    pub row: ErrorRow,
    /// The sentences of both mentions, in the order of the text, as words. Without a text, the mentions alone, each as
    /// one word.
    pub sentences: Vec<Vec<ExampleWord>>,
}

/// A word of an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExampleWord {
    /// The word.
    pub text: String,
    /// True if it belongs to the mention.
    pub in_mention: bool,
    /// True if it belongs to the other mention.
    pub in_other: bool,
}
