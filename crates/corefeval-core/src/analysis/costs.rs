//! What errors cost: the scores of corrected responses.
//!
//! A corrected response differs from the response in the entities of its mentions alone, so that its overlap table
//! follows from the aligned mentions; metrics see it as they see any other. [`ResponseCorrector`](super::ResponseCorrector)
//! makes the same response as a document.

use corefeval_metrics::overlap::close_gaps;

use super::CorefErrorKind;
use super::correct::{CorrectedPair, Correction, Corrector};
use super::items::NONE;
use super::results::Step;
use crate::metrics::Metric;
use crate::overlap::{AlignedPair, Overlap};
use crate::score::{DocumentTallies, Task, counted_metrics, report_of_tallies};
use crate::settings::{Average, CeafSingletons, Settings};

/// The metrics whose scores corrections change: those of entities, and their means. Others look at more than the
/// entities of mentions.
pub fn metrics_of_corrections(metrics: &[Metric]) -> Vec<Metric> {
    let of_entities = |metric: &&Metric| metric.compares_entities() && !metric.needs_types();
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

    /// Scores the corrected responses of a document. What a correction leaves as it is is not scored again.
    pub(super) fn add_document(&mut self, id: &str, corrector: &Corrector<'_>, settings: &Settings) {
        if self.counted.is_empty() {
            return;
        }
        let counted = self.counted.clone();
        let score = |corrected: &CorrectedPair| -> DocumentTallies {
            let aligned = corrected.aligned(settings);
            let mut document = DocumentTallies::nothing(id.to_owned(), counted.len());
            for (metric, tally) in counted.iter().zip(&mut document.tallies) {
                metric.tally(&aligned, tally);
            }
            document.mentions = aligned.mentions();
            document
        };
        let mut sequence: Vec<DocumentTallies> = Vec::new();
        corrector.sequence(|correction, corrected| {
            let scored = match sequence.last() {
                Some(before) if !corrector.changes(correction) => before.clone(),
                _ => score(corrected),
            };
            sequence.push(scored);
        });
        for place in 0..self.alone {
            // Span errors and conflated entities come first in the sequence too.
            let scored = match self.corrections[place] {
                Correction::Spans | Correction::Alone(CorefErrorKind::ConflatedEntities) => {
                    sequence[place + 1].clone()
                }
                correction if !corrector.changes(correction) => sequence[1].clone(),
                correction => score(&corrector.corrected(correction)),
            };
            self.add(place, &scored);
        }
        for (place, scored) in (self.alone..).zip(&sequence) {
            self.add(place, scored);
        }
    }

    fn add(&mut self, place: usize, scored: &DocumentTallies) {
        match self.documents[place].first_mut() {
            Some(sum) if !self.by_document => add_tallies(sum, scored),
            _ => self.documents[place].push(scored.clone()),
        }
    }

    /// Adds the tallies of other documents.
    pub(super) fn merge(&mut self, other: Costs) {
        for (ours, theirs) in self.documents.iter_mut().zip(other.documents) {
            match ours.first_mut() {
                Some(sum) if !self.by_document => {
                    theirs.iter().for_each(|document| add_tallies(sum, document));
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

fn add_tallies(sum: &mut DocumentTallies, document: &DocumentTallies) {
    sum.tallies.iter_mut().zip(&document.tallies).for_each(|(sum, tally)| sum.add(tally));
    sum.mentions.key += document.mentions.key;
    sum.mentions.response += document.mentions.response;
    sum.mentions.shared += document.mentions.shared;
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
