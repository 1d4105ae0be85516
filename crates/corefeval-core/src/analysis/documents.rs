//! The cost of errors in metrics that need more than the entities of mentions: their words, types or names.
//!
//! Each corrected response becomes a document and is scored like any other, against the scored mentions of the key. The
//! empty nodes of the key are added to it first, so that missing zeros have a place.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::correct::{CorrectedPair, ErrorCorrection};
use super::items::identity_settings;
use super::pair::PairErrors;
use super::task::{AnalysisTask, CorpusFacts};
use crate::diagnostic::Diagnostics;
use crate::metrics::Metric;
use crate::model::{Dependency, Document, DocumentBuilder, Mention, MentionDetails, NewEmptyNode, Span};
use crate::pairing::DocumentPair;
use crate::results::MetricResult;
use crate::score::{DocumentTallies, Task, report_of_tallies, tally_documents};
use crate::settings::{Entities, Keep, Settings};
use crate::threads::side_by_side;

/// Scores the corrected responses: for each correction in the order of [`ErrorCorrection::all`] the results of `metrics`.
pub(super) fn corrected_scores(
    pairs: &[DocumentPair<'_>],
    task: &AnalysisTask,
    corpus: CorpusFacts<'_>,
    metrics: &[Metric],
) -> Vec<Vec<MetricResult>> {
    if metrics.is_empty() {
        return Vec::new();
    }
    let (alone, sequence) = ErrorCorrection::all();
    let corrections: Vec<ErrorCorrection> = alone.into_iter().chain(sequence).collect();
    let documents = side_by_side(task.threads, pairs.len(), |place| {
        CorrectedDocuments::new(pairs[place], &corrections, &task.settings, corpus)
    });
    // Mentions are selected before errors are corrected, so singletons and entities that a correction creates are kept.
    let settings =
        Settings { singletons: Keep::Keep, entities: Entities::All, ..identity_settings(&task.settings) };
    let task = Task { settings, metrics: metrics.to_vec(), by: None, threads: task.threads };
    let all: Vec<DocumentPair<'_>> = documents.iter().flat_map(CorrectedDocuments::pairs).collect();
    let (_, tallies) = tally_documents(&all, &task, &mut Diagnostics::default());
    let firsts =
        documents.iter().scan(0, |next, document| Some(std::mem::replace(next, *next + document.made.len())));
    let firsts: Vec<usize> = firsts.collect();
    let of_correction = |number: usize| {
        let places = documents.iter().zip(&firsts).map(|(document, first)| first + document.places[number]);
        let tallies: Vec<DocumentTallies> = places.map(|place| tallies[place].clone()).collect();
        report_of_tallies(&task, &tallies, None).results
    };
    (0..corrections.len()).map(of_correction).collect()
}

/// The responses that a document's corrections lead to. Corrections with the same response share it.
struct CorrectedDocuments {
    /// The scored mentions of the key.
    key: Document,
    made: Vec<Document>,
    /// For each correction, the place of its response in `made`.
    places: Vec<usize>,
}

impl CorrectedDocuments {
    fn new(
        pair: DocumentPair<'_>,
        corrections: &[ErrorCorrection],
        settings: &Settings,
        corpus: CorpusFacts<'_>,
    ) -> CorrectedDocuments {
        let of_key = DocumentPair { key: pair.key, response: Some(pair.key) };
        // The analysis has reported all findings.
        let mut discarded = Diagnostics::default();
        let key = PairErrors::new(of_key, settings, corpus, &mut discarded).document(ErrorCorrection::None);
        let response =
            PairErrors::new(pair, settings, corpus, &mut discarded).document(ErrorCorrection::None);
        let wider = with_key_nodes(pair);
        let pair = DocumentPair { response: wider.as_ref().or(pair.response), ..pair };
        let errors = PairErrors::new(pair, settings, corpus, &mut discarded);
        let corrector = errors.corrector();
        let mut documents = CorrectedDocuments { made: vec![response, key.clone()], key, places: Vec::new() };
        // The entities of each other response, which has the place after the first two.
        let mut known: Vec<CorrectedPair<'_>> = Vec::new();
        for &correction in corrections {
            let place = match correction {
                ErrorCorrection::None => 0,
                ErrorCorrection::All => 1,
                correction => {
                    let corrected = corrector.corrected(correction);
                    let same = known.iter().position(|known| known.entity[..] == corrected.entity[..]);
                    2 + same.unwrap_or_else(|| {
                        documents.made.push(errors.document_with_attributes(&corrected));
                        known.push(corrected);
                        known.len() - 1
                    })
                }
            };
            documents.places.push(place);
        }
        documents
    }

    /// Returns the key with each of the responses.
    fn pairs(&self) -> impl Iterator<Item = DocumentPair<'_>> {
        self.made.iter().map(|made| DocumentPair { key: &self.key, response: Some(made) })
    }
}

/// Adds to the response the empty nodes that only the key has. Returns `None` if there are none, or if the nodes of a
/// side are not in the order of their numbers.
fn with_key_nodes(pair: DocumentPair<'_>) -> Option<Document> {
    let (key, response) = (pair.key.words(), pair.response?.words());
    if key.empty_nodes().is_empty() || key.are_names() || response.are_names() {
        return None;
    }
    let (key_slots, slots): (Vec<_>, Vec<_>) = (key.slots().collect(), response.slots().collect());
    let known: BTreeSet<_> = slots.iter().copied().collect();
    let missing: Vec<u32> = key
        .empty_nodes()
        .iter()
        .copied()
        .filter(|node| !known.contains(&key_slots[*node as usize]))
        .collect();
    if missing.is_empty() || !key_slots.is_sorted() || !slots.is_sorted() {
        return None;
    }
    // For each of them, the number of former words before it.
    let before: Vec<u32> = missing
        .iter()
        .map(|&node| slots.partition_point(|slot| *slot < key_slots[node as usize]) as u32)
        .collect();
    let moved = |word: u32| word + before.partition_point(|&place| place <= word) as u32;
    let nodes: Vec<NewEmptyNode> = (0..)
        .zip(&missing)
        .zip(&before)
        .map(|((place, &node), &before)| {
            let (_, sentence, number) = key_slots[node as usize];
            NewEmptyNode { word: before + place, sentence, number }
        })
        .collect();
    // Returns the new place of a word of the key.
    let of_key = |word: u32| {
        let slot = key_slots.get(word as usize)?;
        let found = slots.binary_search(slot).ok().map(|place| moved(place as u32));
        found.or_else(|| missing.binary_search(&word).ok().map(|place| nodes[place].word))
    };
    let own = response.empty_nodes().iter().flat_map(|&node| response.dependencies(node));
    let own = own.map(|dependency| (moved(dependency.word), dependency.parent.map(moved), dependency));
    let added = missing.iter().flat_map(|&node| key.dependencies(node));
    let added = added.filter_map(|dependency| {
        Some((of_key(dependency.word)?, dependency.parent.and_then(of_key), dependency))
    });
    let mut dependencies: Vec<Dependency> = own
        .chain(added)
        .map(|(word, parent, dependency)| Dependency { word, parent, relation: dependency.relation.clone() })
        .collect();
    dependencies.sort_by_key(|dependency| dependency.word);
    let words = response.with_empty_nodes(&nodes, dependencies)?;
    let document = pair.response?;
    let mut builder =
        DocumentBuilder::new(document.id().clone(), Arc::clone(document.source()), document.line());
    builder.topic = document.topic().map(str::to_owned);
    builder.entities = document.entities().to_vec();
    builder.mentions =
        document.mentions().iter().map(|mention| moved_mention(mention, &moved)).collect::<Option<_>>()?;
    builder.finish(words).ok()
}

/// Moves the words of a mention to their new places. Empty nodes within a run of its words become part of the run.
fn moved_mention(mention: &Mention, moved: &dyn Fn(u32) -> u32) -> Option<Mention> {
    let (entity, line, column) = (mention.entity(), mention.line(), mention.column());
    if mention.parts().is_empty() {
        return Some(Mention::without_words(moved(mention.span().start()), entity, line, column));
    }
    let span = |span: &Span| Span::new(moved(span.start()), moved(span.last()) + 1);
    let mut found = Mention::new(span(&mention.span())?, entity, line, column);
    if let Some(head) = mention.head() {
        found = found.with_head(moved(head));
    }
    let Some(details) = mention.details() else { return Some(found) };
    let spans = |list: &[Span]| list.iter().map(span).collect::<Option<Vec<Span>>>();
    let (parts, min_span) = (spans(&details.parts)?, spans(&details.min_span)?);
    found.with_details(MentionDetails { parts, min_span, ..details.clone() })
}
