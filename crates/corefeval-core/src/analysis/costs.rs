//! The cost of errors: the scores of corrected responses.
//!
//! A corrected response differs from the response only in the entities of its mentions, so its overlap table follows from
//! the aligned mentions, and metrics score it like any other. [`ResponseCorrector`](super::ResponseCorrector)
//! makes the same response as a document.

use std::collections::BTreeMap;

use corefeval_metrics::overlap::close_gaps;

use super::CorefErrorKind;
use super::correct::{CorrectedPair, Correction, Corrector};
use super::items::NONE;
use super::results::Step;
use crate::metrics::Metric;
use crate::overlap::{AlignedPair, MentionCounts, Overlap};
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
    tallies: Tallies,
}

/// Tallies of corrected documents.
///
/// Several corrections may leave a document the same: then it is scored once for all of them, which are a set of bits, a
/// bit each in the order of the corrections.
#[derive(Clone, Debug)]
enum Tallies {
    /// By such a set the sum of the documents that these corrections leave the same.
    Sums(BTreeMap<u32, DocumentTallies>),
    /// By correction, those of each document.
    Documents(Vec<Vec<DocumentTallies>>),
}

impl Costs {
    /// No tallies yet, of the metrics of a task.
    pub(super) fn new(metrics: &[Metric], settings: &Settings) -> Costs {
        let (alone, sequence) = Correction::all();
        let corrections: Vec<Correction> = alone.iter().chain(&sequence).copied().collect();
        Costs {
            alone: alone.len(),
            counted: counted_metrics(metrics),
            tallies: match settings.average {
                Average::Micro => Tallies::Sums(BTreeMap::new()),
                _ => Tallies::Documents(vec![Vec::new(); corrections.len()]),
            },
            corrections,
        }
    }

    /// Scores the corrected responses of a document.
    pub(super) fn add_document(&mut self, id: &str, corrector: &Corrector<'_>, settings: &Settings) {
        if self.counted.is_empty() {
            return;
        }
        let alone = self.alone;
        let bit_of = |wanted: &dyn Fn(&Correction) -> bool| {
            self.corrections[..alone].iter().position(wanted).map_or(0, |place| 1u32 << place)
        };
        // Span errors and conflated entities come first in the sequence too.
        let conflated = Correction::Alone(CorefErrorKind::ConflatedEntities);
        let first = [bit_of(&|one| *one == Correction::Spans), bit_of(&|one| *one == conflated)];
        // A correction without effect after span errors equals the correction of span errors.
        let mut of_spans = first[0];
        let mut others: Vec<usize> = Vec::new();
        for (place, correction) in self.corrections[..alone].iter().enumerate() {
            match 1 << place {
                bit if first.contains(&bit) => {}
                bit if !corrector.changes(*correction) => of_spans |= bit,
                _ => others.push(place),
            }
        }
        let mut before: Option<(u32, AlignedPair)> = None;
        let mut place = alone;
        corrector.sequence(|correction, corrected| {
            let mut bits = 1 << place;
            place += 1;
            match correction {
                Correction::Spans => bits |= of_spans,
                Correction::UpTo(CorefErrorKind::ConflatedEntities) => bits |= first[1],
                _ => {}
            }
            match &mut before {
                Some((same, _)) if !corrector.changes(correction) => *same |= bits,
                _ => {
                    if let Some((same, aligned)) = before.replace((bits, corrected.aligned(settings))) {
                        self.add(same, id, &aligned);
                    }
                }
            }
        });
        if let Some((same, aligned)) = before {
            self.add(same, id, &aligned);
        }
        for place in others {
            let corrected = corrector.corrected(self.corrections[place]);
            self.add(1 << place, id, &corrected.aligned(settings));
        }
    }

    /// Scores a document as a set of corrections leaves it.
    fn add(&mut self, same: u32, id: &str, aligned: &AlignedPair) {
        let count = |into: &mut DocumentTallies| {
            self.counted
                .iter()
                .zip(&mut into.tallies)
                .for_each(|(metric, tally)| metric.tally(aligned, tally));
            let MentionCounts { key, response, shared } = aligned.mentions();
            into.mentions.key += key;
            into.mentions.response += response;
            into.mentions.shared += shared;
        };
        let nothing = || DocumentTallies::nothing(id.to_owned(), self.counted.len());
        match &mut self.tallies {
            Tallies::Sums(sums) => count(sums.entry(same).or_insert_with(nothing)),
            Tallies::Documents(documents) => {
                let mut document = nothing();
                count(&mut document);
                for (place, of_correction) in documents.iter_mut().enumerate() {
                    if same >> place & 1 == 1 {
                        of_correction.push(document.clone());
                    }
                }
            }
        }
    }

    /// Adds the tallies of other documents.
    pub(super) fn merge(&mut self, other: Costs) {
        match (&mut self.tallies, other.tallies) {
            (Tallies::Sums(ours), Tallies::Sums(theirs)) => {
                for (same, sum) in theirs {
                    match ours.get_mut(&same) {
                        Some(ours) => add_tallies(ours, &sum),
                        None => _ = ours.insert(same, sum),
                    }
                }
            }
            (Tallies::Documents(ours), Tallies::Documents(theirs)) => {
                ours.iter_mut().zip(theirs).for_each(|(ours, theirs)| ours.extend(theirs));
            }
            _ => {}
        }
    }

    /// The scores of each kind alone, and those in sequence.
    pub(super) fn steps(&self, metrics: &[Metric], settings: &Settings) -> (Vec<Step>, Vec<Step>) {
        let task = Task { settings: settings.clone(), metrics: metrics.to_vec(), by: None, threads: 1 };
        let step = |(place, correction): (usize, &Correction)| {
            let documents: Vec<DocumentTallies> = match &self.tallies {
                Tallies::Sums(sums) => {
                    let of_it = sums.iter().filter(|(same, _)| *same >> place & 1 == 1);
                    of_it.map(|(_, sum)| sum.clone()).collect()
                }
                Tallies::Documents(documents) => documents[place].clone(),
            };
            Step { correction: *correction, results: report_of_tallies(&task, &documents, None).results }
        };
        let mut alone: Vec<Step> = self.corrections.iter().enumerate().map(step).collect();
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

impl CorrectedPair<'_> {
    /// The input of metrics.
    pub(super) fn aligned(&self, settings: &Settings) -> AlignedPair {
        let (mut key_sizes, mut response_sizes) = (Vec::new(), vec![0u32; self.entities as usize]);
        for item in self.items.iter().filter(|item| item.key_entity != NONE) {
            let entity = item.key_entity as usize;
            if entity >= key_sizes.len() {
                key_sizes.resize(entity + 1, 0);
            }
            key_sizes[entity] += 1;
        }
        for &entity in self.entity.iter().filter(|entity| **entity != NONE) {
            response_sizes[entity as usize] += 1;
        }
        let numbers = close_gaps(&mut response_sizes);
        let pairs = self
            .items
            .iter()
            .zip(&self.entity)
            .filter(|(item, entity)| item.key_entity != NONE && **entity != NONE)
            .map(|(item, entity)| (item.key_entity, numbers[*entity as usize]));
        let mut aligned = AlignedPair::from_overlap(Overlap::new(key_sizes, response_sizes, pairs));
        if settings.ceaf == CeafSingletons::KeyOnly {
            aligned.drop_response_singletons_in_ceaf_e();
        }
        aligned
    }
}
