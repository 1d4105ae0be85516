//! What errors cost: the scores of corrected responses.
//!
//! A corrected response differs from the response in the entities of its mentions alone, so that its overlap table
//! follows from the aligned mentions; metrics see it as they see any other. [`ResponseCorrector`](super::ResponseCorrector)
//! makes the same response as a document.

use super::correct::{CorrectedPair, Correction, Corrector};
use super::items::NONE;
use super::results::Step;
use crate::matching::MentionCounts;
use crate::metrics::{Kind, Metric};
use crate::overlap::{AlignedPair, Overlap};
use crate::score::{DocumentTallies, Task, counted_metrics, report_of_tallies};
use crate::selection::close_gaps;
use crate::settings::{Average, CeafSingletons, Settings};

/// The metrics whose scores corrections change: those of entities, and their means. Others look at more than the
/// entities of mentions.
pub fn metrics_of_corrections(metrics: &[Metric]) -> Vec<Metric> {
    let of_entities = |metric: &&Metric| {
        matches!(metric.spec().kind, Kind::Counted { .. } | Kind::Mean(_)) && !metric.needs_types()
    };
    metrics.iter().filter(of_entities).copied().collect()
}

/// The tallies of all corrections: each kind alone, then in sequence.
#[derive(Clone, Debug)]
pub(super) struct Costs {
    corrections: Vec<Correction>,
    alone: usize,
    counted: Vec<Metric>,
    /// By correction, the tallies of each document, or their sum.
    documents: Vec<Vec<DocumentTallies>>,
    by_document: bool,
}

impl Costs {
    /// No tallies yet, of the metrics of a task.
    pub(super) fn new(metrics: &[Metric], settings: &Settings) -> Costs {
        let (alone, sequence) = Correction::all();
        let corrections: Vec<Correction> = alone.iter().chain(&sequence).copied().collect();
        Costs {
            alone: alone.len(),
            counted: counted_metrics(metrics),
            documents: vec![Vec::new(); corrections.len()],
            corrections,
            by_document: settings.average != Average::Micro,
        }
    }

    /// Scores the corrected responses of a document.
    pub(super) fn add_document(&mut self, id: &str, corrector: &Corrector<'_>, settings: &Settings) {
        if self.counted.is_empty() {
            return;
        }
        for place in 0..self.alone {
            let corrected = corrector.corrected(self.corrections[place]);
            self.add(place, id, &corrected, settings);
        }
        let mut place = self.alone;
        corrector.sequence(|correction, corrected| {
            debug_assert_eq!(self.corrections[place], correction);
            self.add(place, id, corrected, settings);
            place += 1;
        });
    }

    fn add(&mut self, place: usize, id: &str, corrected: &CorrectedPair, settings: &Settings) {
        let aligned = corrected.aligned(settings);
        let documents = &mut self.documents[place];
        if self.by_document || documents.is_empty() {
            documents.push(DocumentTallies::nothing(id.to_owned(), self.counted.len()));
        }
        let Some(document) = documents.last_mut() else { return };
        for (metric, tally) in self.counted.iter().zip(&mut document.tallies) {
            metric.tally(&aligned, tally);
        }
        let MentionCounts { key, response, shared } = aligned.mentions();
        document.mentions.key += key;
        document.mentions.response += response;
        document.mentions.shared += shared;
    }

    /// Adds the tallies of other documents.
    pub(super) fn merge(&mut self, other: Costs) {
        for (ours, theirs) in self.documents.iter_mut().zip(other.documents) {
            match ours.first_mut() {
                Some(sum) if !self.by_document => {
                    for document in theirs {
                        sum.tallies.iter_mut().zip(&document.tallies).for_each(|(sum, tally)| sum.add(tally));
                        sum.mentions.key += document.mentions.key;
                        sum.mentions.response += document.mentions.response;
                        sum.mentions.shared += document.mentions.shared;
                    }
                }
                _ => ours.extend(theirs),
            }
        }
    }

    /// The scores of each kind alone, and those in sequence.
    pub(super) fn steps(&self, metrics: &[Metric], settings: &Settings) -> (Vec<Step>, Vec<Step>) {
        let task = Task { settings: settings.clone(), metrics: metrics.to_vec(), by: None, threads: 1 };
        let step = |(correction, documents): (&Correction, &Vec<DocumentTallies>)| Step {
            correction: *correction,
            results: report_of_tallies(&task, documents, None).results,
        };
        let mut alone: Vec<Step> = self.corrections.iter().zip(&self.documents).map(step).collect();
        let sequence = alone.split_off(self.alone);
        (alone, sequence)
    }
}

impl CorrectedPair {
    /// What metrics see of it.
    pub(super) fn aligned(&self, settings: &Settings) -> AlignedPair {
        let keys = self.items.iter().map(|item| item.key_entity).filter(|&entity| entity != NONE);
        let key_entities = keys.max().map_or(0, |last| last as usize + 1);
        let (mut key_sizes, mut response_sizes) =
            (vec![0u32; key_entities], vec![0u32; self.entities as usize]);
        for item in &self.items {
            if item.key_entity != NONE {
                key_sizes[item.key_entity as usize] += 1;
            }
            if item.response_entity != NONE {
                response_sizes[item.response_entity as usize] += 1;
            }
        }
        let numbers = close_gaps(&mut response_sizes);
        let pairs = self
            .items
            .iter()
            .filter(|item| item.key_entity != NONE && item.response_entity != NONE)
            .map(|item| (item.key_entity, numbers[item.response_entity as usize]));
        let mut aligned = AlignedPair::from_overlap(Overlap::new(key_sizes, response_sizes, pairs));
        if settings.ceaf == CeafSingletons::KeyOnly {
            aligned.drop_response_singletons_in_ceaf_e();
        }
        aligned
    }
}
