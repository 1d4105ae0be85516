//! Stores the counts of every system's documents as columns of doubles, which resampling adds up.
//!
//! Exact fractions become doubles once per document. Whole counts up to 2⁵³ stay exact, so a sum is 0 if and only if
//! the exact sum is; sums of fractions have a relative error of about 10⁻¹⁵.

use std::collections::BTreeMap;
use std::ops::Range;

use super::units::ResamplingUnits;
use crate::error::{Error, ErrorKind, Result};
use crate::metrics::Metric;
use crate::score::{DocumentTallies, PackedDocuments, counted_metrics, weights};
use crate::settings::{Average, Rules, Settings};
use crate::threads::side_by_side;
use crate::wording::{option, plural, text};
use corefeval_metrics::tally::{RealCounts, RealTally, Tally};
use corefeval_system::registers::Wide;

/// The numbers of one system, metric and document: the counts of a [`RealTally`]; if documents are averaged,
/// weighted score and weight of recall, precision and F1.
pub(super) type CountRow = [f64; 8];

/// The number of columns in a tile; the columns of a tile are summed together.
const TILE: usize = 8;

/// The counts of every system's documents.
#[derive(Clone, Debug)]
pub struct DocumentCounts {
    pub(super) metrics: Vec<Metric>,
    counted: Vec<Metric>,
    /// For each metric, the counted metrics whose F1 it averages; itself for most.
    parts: Vec<Vec<usize>>,
    rules: Rules,
    average: Average,
    /// True if F1 needs both recall and precision.
    needs_both: bool,
    documents: Option<usize>,
    /// The number of leading documents that are drawn as a separate stratum; 0 for no strata.
    first: usize,
    /// The documents that are drawn together; `None` if each is drawn separately.
    units: Option<ResamplingUnits>,
    /// The number of runs of each system; empty if each has one.
    runs: Option<Vec<usize>>,
    /// For each run of each system, the rows of each counted metric, document by document.
    systems: Vec<Vec<Vec<CountRow>>>,
    /// For each system, the F1 of each metric over all documents.
    scores: Vec<Vec<f64>>,
    /// For each system, whether each metric is defined.
    defined: Vec<Vec<bool>>,
}

/// The numbers of one system.
struct SystemRows {
    /// The rows of each counted metric, document by document.
    rows: Vec<Vec<CountRow>>,
    /// The exact sums of these rows, unless documents are averaged.
    exact: Option<Vec<CountRow>>,
}

/// The scores of a metric in a resample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScorePart {
    Recall = 0,
    Precision = 1,
    F1 = 2,
}

/// The score of a resample in which the metric is undefined; sums and differences with it are undefined too.
const UNDEFINED: f64 = f64::NAN;

/// Denominators below this are 0 up to rounding.
const NOTHING: f64 = 1e-9;

impl DocumentCounts {
    /// Makes empty counts of `metrics` under `settings`.
    ///
    /// A metric that requires all documents at once ([`Metric::needs_corpus`]) has only sums over documents.
    ///
    /// # Errors
    ///
    /// A metric requires all documents at once, but the settings average over documents.
    pub fn new(metrics: &[Metric], settings: &Settings) -> Result<DocumentCounts> {
        if let Some(metric) = metrics.iter().find(|metric| metric.needs_corpus())
            && settings.average != Average::Micro
        {
            let message = format!(
                "`{metric}` is computed over all documents at once and has no average over documents"
            );
            let hint = text!("leave out {}, or name other metrics", option("average"));
            return Err(Error::new(ErrorKind::Settings, message).hint(hint));
        }
        let counted = counted_metrics(metrics);
        let place = |metric: &Metric| counted.iter().position(|other| other == metric);
        let parts = metrics
            .iter()
            .map(|metric| metric.parts().unwrap_or_else(|| vec![*metric]).iter().filter_map(place).collect());
        Ok(DocumentCounts {
            metrics: metrics.to_vec(),
            parts: parts.collect(),
            counted,
            rules: settings.rules(),
            average: settings.average,
            needs_both: false,
            documents: None,
            first: 0,
            units: None,
            runs: None,
            systems: Vec::new(),
            scores: Vec::new(),
            defined: Vec::new(),
        })
    }

    /// Makes F1 undefined if recall or precision is undefined, as for groups of mentions. Each side is divided into
    /// groups separately, so a response without entities of some size may still have found mentions of key entities of
    /// that size; an F1 of 0 would follow from the division alone. Scores that were added before do not change.
    pub fn with_both_sides(mut self) -> DocumentCounts {
        self.needs_both = true;
        self
    }

    /// Adds a system: a tally for each document and counted metric, with the documents in the same order for all
    /// systems.
    ///
    /// # Errors
    ///
    /// The number of documents differs from the systems before.
    pub fn add(&mut self, documents: &[DocumentTallies]) -> Result<()> {
        let system = self.system_of(documents);
        self.add_system(documents.len(), system)
    }

    /// Adds several systems; see [`add`](Self::add).
    ///
    /// # Errors
    ///
    /// The systems have different numbers of documents.
    pub fn add_all(&mut self, systems: &[Vec<DocumentTallies>], threads: usize) -> Result<()> {
        let added = side_by_side(threads, systems.len(), |place| self.system_of(&systems[place]));
        let mut added = systems.iter().zip(added);
        added.try_for_each(|(documents, system)| self.add_system(documents.len(), system))
    }

    /// Like [`add_all`](Self::add_all), for packed counts.
    pub(crate) fn add_packed(&mut self, systems: &[PackedDocuments], threads: usize) -> Result<()> {
        let added = side_by_side(threads, systems.len(), |place| self.system_of(&systems[place].all()));
        let mut added = systems.iter().zip(added);
        added.try_for_each(|(documents, system)| self.add_system(documents.len(), system))
    }

    /// Converts the tallies of a system's documents to rows.
    fn system_of(&self, documents: &[DocumentTallies]) -> SystemRows {
        let row = |document: &DocumentTallies, place: usize| {
            let Some(tally) = document.tallies.get(place) else { return CountRow::default() };
            let real = tally.to_real();
            if self.average == Average::Micro {
                return row_of(&real);
            }
            let score = self.counted[place].score_real(&real, &self.rules);
            let [recall, precision, f1] = weights(tally, &document.mentions, self.average);
            let sums = [recall * score.recall, precision * score.precision, f1 * score.f1];
            // Weights by mentions do not show whether a metric is defined.
            let defined = f64::from(score.f1 > 0.0 || tally.defined()[2]);
            [sums[0], recall, sums[1], precision, sums[2], f1, defined, 0.0]
        };
        let rows = (0..self.counted.len())
            .map(|place| documents.iter().map(|document| row(document, place)).collect());
        let sum = |place: usize| {
            let mut sum = Tally::default();
            documents.iter().filter_map(|document| document.tallies.get(place)).for_each(|t| sum.add(t));
            row_of(&sum.to_real())
        };
        let exact = (self.average == Average::Micro).then(|| (0..self.counted.len()).map(sum).collect());
        SystemRows { rows: rows.collect(), exact }
    }

    fn add_system(&mut self, documents: usize, system: SystemRows) -> Result<()> {
        self.push(documents, system.rows)?;
        if let Some(exact) = system.exact {
            // Scores come from exact sums, so they equal the scores of other reports.
            self.scores.pop();
            self.defined.pop();
            self.push_scores(&exact);
        }
        Ok(())
    }

    /// Like [`add`](Self::add), but takes doubles; only for sums of counts, not for averages over documents.
    ///
    /// # Errors
    ///
    /// The number of documents differs from the systems before.
    pub fn add_real(&mut self, documents: &[Vec<RealTally>]) -> Result<()> {
        let row =
            |document: &Vec<RealTally>, place: usize| document.get(place).map(row_of).unwrap_or_default();
        let columns = (0..self.counted.len())
            .map(|place| documents.iter().map(|document| row(document, place)).collect());
        self.push(documents.len(), columns.collect())
    }

    fn push(&mut self, documents: usize, rows: Vec<Vec<CountRow>>) -> Result<()> {
        let wanted = *self.documents.get_or_insert(documents);
        if wanted != documents {
            let message = format!(
                "systems with {wanted} and with {} cannot be compared",
                plural(documents, "document", "documents")
            );
            return Err(Error::new(ErrorKind::Pairing, message));
        }
        self.systems.push(rows);
        self.push_scores(&self.totals(self.systems.len() - 1));
        Ok(())
    }

    /// Adds the scores of a system, computed from its sums.
    fn push_scores(&mut self, sums: &[CountRow]) {
        let (mut f1, mut scores) = (Vec::new(), vec![0.0; self.metrics.len()]);
        self.score_or(sums, ScorePart::F1, 0.0, &mut f1, &mut scores);
        self.scores.push(scores.clone());
        self.score(sums, ScorePart::F1, &mut f1, &mut scores);
        self.defined.push(scores.iter().map(|score| !score.is_nan()).collect());
    }

    /// Draws the first `number` documents and the others separately. If a part of the corpus has counts that the rest
    /// lacks, every sample then has the same number of documents of that part. BCa intervals use the acceleration of
    /// all documents.
    pub fn draw_apart(&mut self, number: usize) {
        self.first = number;
    }

    /// Draws the documents of each unit together. If some are drawn separately (see [`draw_apart`](Self::draw_apart)),
    /// no unit has both kinds.
    pub fn draw_together(&mut self, units: ResamplingUnits) {
        self.units = Some(units).filter(|units| !units.are_single());
    }

    /// Groups the added scores by runs of systems: the first numbers of runs belong to the first system, and so on.
    pub fn group_runs(&mut self, runs: Vec<usize>) {
        self.runs = Some(runs).filter(|runs| runs.iter().any(|&runs| runs > 1));
    }

    /// Returns, for each system, the places of its runs.
    pub(super) fn runs(&self) -> Vec<Range<usize>> {
        let mut start = 0;
        let range = |&runs: &usize| {
            start += runs;
            start - runs..start
        };
        match &self.runs {
            Some(runs) => runs.iter().map(range).collect(),
            None => (0..self.systems.len()).map(|system| system..system + 1).collect(),
        }
    }

    /// Returns the counts of only these runs, each as a system.
    pub(super) fn only(&self, places: &[usize]) -> DocumentCounts {
        let systems = places.iter().map(|&place| self.systems[place].clone()).collect();
        DocumentCounts { runs: None, systems, ..self.clone() }
    }

    /// Returns the number of units to draw; each document is a unit if documents are drawn separately.
    pub fn units(&self) -> usize {
        self.units.as_ref().map_or(self.documents(), ResamplingUnits::number)
    }

    /// Returns, for each document, the number of its unit.
    pub(super) fn unit_of(&self) -> Vec<usize> {
        let units = self.units.as_ref().map(|units| units.of_documents().to_vec());
        units.unwrap_or_else(|| (0..self.documents()).collect())
    }

    /// Returns the same counts with the documents of each unit added up to one document; `None` if each document is
    /// drawn separately.
    pub(super) fn joined(&self) -> Option<DocumentCounts> {
        let units = self.units.as_ref()?;
        let of = units.of_documents();
        let sums = |rows: &Vec<CountRow>| {
            let mut sums = vec![CountRow::default(); units.number()];
            rows.iter().zip(of).for_each(|(row, &unit)| sums[unit] = plus(&sums[unit], row));
            sums
        };
        let systems = self.systems.iter().map(|rows| rows.iter().map(sums).collect()).collect();
        let first = of[..self.first.min(of.len())].iter().max().map_or(0, |last| last + 1);
        Some(DocumentCounts { documents: Some(units.number()), first, units: None, systems, ..self.clone() })
    }

    /// Returns the strata, within which documents are drawn: first document and number of documents.
    pub(super) fn strata(&self) -> impl Iterator<Item = (usize, usize)> {
        let (first, all) = (self.first.min(self.documents()), self.documents());
        [(0, first), (first, all - first)].into_iter().filter(|stratum| stratum.1 > 0)
    }

    /// Returns the number of systems.
    pub fn systems(&self) -> usize {
        self.systems.len()
    }

    /// Returns the number of documents of each system.
    pub fn documents(&self) -> usize {
        self.documents.unwrap_or(0)
    }

    /// Returns, for each system, the F1 of each metric over all documents. An undefined F1 is 0, even within a mean of
    /// metrics.
    pub fn scores(&self) -> &[Vec<f64>] {
        &self.scores
    }

    /// Returns, for each system, whether each metric is defined; a mean of metrics is defined if all of them are.
    pub fn defined(&self) -> &[Vec<bool>] {
        &self.defined
    }

    /// Returns, for each document, the score of each metric without that document; `UNDEFINED` if it is undefined.
    pub(super) fn scores_without_each(&self, system: usize, part: ScorePart) -> Vec<Vec<f64>> {
        let totals = self.totals(system);
        let (mut rest, mut f1) = (Vec::new(), Vec::new());
        let without = |document: usize| {
            rest.clear();
            let rows = self.systems[system].iter().map(|rows| &rows[document]);
            rest.extend(totals.iter().zip(rows).map(|(total, row)| minus(total, row)));
            let mut scores = vec![0.0; self.metrics.len()];
            self.score(&rest, part, &mut f1, &mut scores);
            scores
        };
        (0..self.documents()).map(without).collect()
    }

    /// Returns the sums of a system over all documents, a row for each counted metric.
    pub(super) fn totals(&self, system: usize) -> Vec<CountRow> {
        let sum = |rows: &Vec<CountRow>| rows.iter().fold(CountRow::default(), |sum, row| plus(&sum, row));
        self.systems[system].iter().map(sum).collect()
    }

    /// Computes the score of each metric from a row of sums for each counted metric; `UNDEFINED` if it is undefined. A
    /// mean of metrics has only an F1, which is undefined unless all of its parts are defined. `counted` is a buffer
    /// for the scores of the counted metrics.
    pub(super) fn score(
        &self,
        sums: &[CountRow],
        part: ScorePart,
        counted: &mut Vec<f64>,
        scores: &mut [f64],
    ) {
        self.score_or(sums, part, UNDEFINED, counted, scores);
    }

    /// Computes recall, precision and F1 of each metric at once, as [`score`](Self::score) does for one of them.
    pub(super) fn score_parts(
        &self,
        sums: &[CountRow],
        counted: &mut Vec<[f64; 3]>,
        scores: &mut [[f64; 3]],
    ) {
        counted.clear();
        counted.extend(self.counted.iter().zip(sums).map(|(metric, row)| {
            let found = match self.average {
                Average::Micro => {
                    let score = metric.score_real(&tally_of(row), &self.rules);
                    [score.recall, score.precision, score.f1]
                }
                Average::Macro | Average::Mentions => [row[0] / row[1], row[2] / row[3], row[4] / row[5]],
            };
            let parts = [ScorePart::Recall, ScorePart::Precision, ScorePart::F1];
            std::array::from_fn(
                |part| {
                    if self.has_anything(row, parts[part]) { found[part] } else { UNDEFINED }
                },
            )
        }));
        for (score, parts) in scores.iter_mut().zip(&self.parts) {
            *score = match parts.as_slice() {
                [one] => counted[*one],
                parts => {
                    let sum = parts.iter().map(|&part| counted[part][2]).sum::<f64>();
                    [UNDEFINED, UNDEFINED, sum / parts.len().max(1) as f64]
                }
            };
        }
    }

    /// Like [`score`](Self::score), but an undefined score is `nothing`.
    fn score_or(
        &self,
        sums: &[CountRow],
        part: ScorePart,
        nothing: f64,
        counted: &mut Vec<f64>,
        scores: &mut [f64],
    ) {
        counted.clear();
        counted.extend(self.counted.iter().zip(sums).map(|(metric, row)| {
            if !self.has_anything(row, part) {
                return nothing;
            }
            match self.average {
                Average::Micro => {
                    let score = metric.score_real(&tally_of(row), &self.rules);
                    [score.recall, score.precision, score.f1][part as usize]
                }
                Average::Macro | Average::Mentions => row[2 * part as usize] / row[2 * part as usize + 1],
            }
        }));
        for (score, parts) in scores.iter_mut().zip(&self.parts) {
            *score = match parts.as_slice() {
                [one] => counted[*one],
                _ if part != ScorePart::F1 => nothing,
                parts => parts.iter().map(|&part| counted[part]).sum::<f64>() / parts.len().max(1) as f64,
            };
        }
    }

    /// Returns whether the score of these sums is defined.
    fn has_anything(&self, row: &CountRow, part: ScorePart) -> bool {
        let any = |places: &[usize]| places.iter().any(|&place| row[place].abs() > NOTHING);
        match (self.average, part) {
            (Average::Micro, ScorePart::Recall) => any(&[1, 5]),
            (Average::Micro, ScorePart::Precision) => any(&[3, 7]),
            (Average::Micro, ScorePart::F1) if self.needs_both => any(&[1, 5]) && any(&[3, 7]),
            (Average::Micro, ScorePart::F1) => any(&[1, 3, 5, 7]),
            (Average::Macro | Average::Mentions, part) => any(&[2 * part as usize + 1]) && any(&[6]),
        }
    }

    /// Returns recall, precision and F1 of each metric from a row of sums for each counted metric; a mean of other
    /// metrics has only an F1.
    pub(super) fn parts_of(&self, sums: &[CountRow]) -> Vec<[f64; 3]> {
        let ratio = |value: f64, weight: f64| if weight == 0.0 { 0.0 } else { value / weight };
        let counted: Vec<[f64; 3]> = self
            .counted
            .iter()
            .zip(sums)
            .map(|(metric, row)| match self.average {
                Average::Micro => {
                    let score = metric.score_real(&tally_of(row), &self.rules);
                    [score.recall, score.precision, score.f1]
                }
                Average::Macro | Average::Mentions => {
                    [ratio(row[0], row[1]), ratio(row[2], row[3]), ratio(row[4], row[5])]
                }
            })
            .collect();
        let all = self.parts.iter().map(|parts| match parts.as_slice() {
            [one] => counted[*one],
            parts => {
                let f1 = parts.iter().map(|&part| counted[part][2]).sum::<f64>() / parts.len().max(1) as f64;
                [0.0, 0.0, f1]
            }
        });
        all.collect()
    }

    /// Returns, for each metric, how unequal the weights of the documents of two systems are: the squared coefficient
    /// of variation of their shares in the denominators, n Σ w² − 1. It is 0 if all documents have the same weight.
    pub(super) fn unevenness(&self, systems: [usize; 2]) -> Vec<f64> {
        let documents = self.documents();
        // Two pairs of counts, which BLANC averages; averages over documents have the weights of F1.
        let groups: &[&[usize]] = match self.average {
            Average::Micro => &[&[1, 3], &[5, 7]],
            Average::Macro | Average::Mentions => &[&[5]],
        };
        let shares = |place: usize| -> Vec<f64> {
            let mut shares = vec![0.0; documents];
            let mut used = 0;
            for group in groups {
                let weight = |document: usize| -> f64 {
                    let rows = systems.iter().map(|&system| &self.systems[system][place][document]);
                    rows.map(|row| group.iter().map(|&number| row[number]).sum::<f64>()).sum()
                };
                let total: f64 = (0..documents).map(weight).sum();
                if total.abs() > NOTHING {
                    used += 1;
                    shares.iter_mut().enumerate().for_each(|(place, share)| *share += weight(place) / total);
                }
            }
            shares.iter().map(|share| share / f64::from(used.max(1))).collect()
        };
        let counted: Vec<Vec<f64>> = (0..self.counted.len()).map(shares).collect();
        let of_metric = |parts: &Vec<usize>| {
            let number = parts.len().max(1) as f64;
            let share =
                |document: usize| parts.iter().map(|&part| counted[part][document]).sum::<f64>() / number;
            let squares: f64 = (0..documents).map(|document| share(document) * share(document)).sum();
            (documents as f64 * squares - 1.0).max(0.0)
        };
        self.parts.iter().map(of_metric).collect()
    }

    /// Returns the rows of a system for each counted metric, document by document.
    pub(super) fn rows_of(&self, system: usize) -> &[Vec<CountRow>] {
        &self.systems[system]
    }

    /// Returns the number of metrics with separate counts.
    pub(super) fn counted(&self) -> usize {
        self.counted.len()
    }

    /// Returns the columns without duplicates.
    pub(super) fn columns(&self) -> CountColumns {
        let documents = self.documents();
        let mut known: BTreeMap<Vec<u64>, usize> = BTreeMap::new();
        let mut places = Vec::new();
        let mut columns = Vec::new();
        for rows in self.systems.iter().flatten() {
            places.push(std::array::from_fn(|number| {
                let column: Vec<u64> = rows.iter().map(|row| row[number].to_bits()).collect();
                *known.entry(column).or_insert_with_key(|column| {
                    columns.push(column.clone());
                    columns.len() - 1
                })
            }));
        }
        let mut tiles = vec![[0.0; TILE]; columns.len().div_ceil(TILE) * documents];
        for (number, column) in columns.iter().enumerate() {
            let tile = &mut tiles[number / TILE * documents..][..documents];
            for (row, bits) in tile.iter_mut().zip(column) {
                row[number % TILE] = f64::from_bits(*bits);
            }
        }
        CountColumns { documents, tiles, places, sums: columns.len().div_ceil(TILE) * TILE }
    }
}

/// All numbers of all systems in tiles of eight columns, document by document. Systems share the columns of the key,
/// and metrics share many columns.
pub(super) struct CountColumns {
    documents: usize,
    tiles: Vec<[f64; TILE]>,
    /// For each system and counted metric, the columns of its numbers.
    places: Vec<[usize; 8]>,
    sums: usize,
}

/// Documents chosen for one resample, and the sums over them.
#[derive(Default)]
pub(super) struct Sample {
    /// The documents, in order.
    pub(super) chosen: Vec<u32>,
    /// The multiplicity of each; empty if all are chosen once.
    pub(super) times: Vec<f64>,
    pub(super) sums: Vec<f64>,
}

impl Sample {
    /// Chooses the documents whose number in `times` is not 0.
    #[inline]
    pub(super) fn choose(&mut self, times: impl ExactSizeIterator<Item = u32>) {
        self.chosen.resize(times.len(), 0);
        self.times.resize(times.len(), 0.0);
        let mut chosen = 0;
        // Writes each document, and keeps it if its number is not 0: a branch would be mispredicted every third time.
        for (document, times) in (0..).zip(times) {
            self.chosen[chosen] = document;
            self.times[chosen] = f64::from(times);
            chosen += usize::from(times > 0);
        }
        self.chosen.truncate(chosen);
        self.times.truncate(chosen);
    }
}

/// The number of resamples that are added up together: documents are read from memory once for all of them.
pub(super) const BATCH: usize = 32;

/// The number of documents whose numbers in [`TILES`] tiles fit into the first-level cache of a core.
const BLOCK: u32 = 1 << 7;

/// The number of tiles that are added up together. An addition must wait for the previous one in its column; the
/// additions of other tiles fill that time.
const TILES: usize = 4;

impl CountColumns {
    /// Creates an empty batch.
    pub(super) fn batch(&self) -> [Sample; BATCH] {
        std::array::from_fn(|_| Sample { sums: vec![0.0; self.sums], ..Sample::default() })
    }

    /// Adds up the chosen documents of each resample. Documents are added one after the other in every column, so that the
    /// sums depend neither on the width of the processor's vectors nor on the batch.
    pub(super) fn sum(&self, batch: &mut [Sample]) {
        batch.iter_mut().for_each(|sample| sample.sums.fill(0.0));
        match Wide::detect() {
            Some(wide) => wide.run(|| self.sum_in_blocks(batch)),
            None => self.sum_in_blocks(batch),
        }
    }

    #[inline(always)]
    fn sum_in_blocks(&self, batch: &mut [Sample]) {
        let mut begins = [0; BATCH];
        for block in (0..self.documents as u32).step_by(BLOCK as usize) {
            let end =
                |sample: &Sample| sample.chosen.partition_point(|&one| one < block.saturating_add(BLOCK));
            let mut ends = [0; BATCH];
            ends.iter_mut().zip(&*batch).for_each(|(place, sample)| *place = end(sample));
            let tiles = self.sums / TILE;
            let wide = tiles - tiles % TILES;
            for first in (0..wide).step_by(TILES) {
                self.sum_tiles::<TILES>(first, batch, &begins, &ends);
            }
            for first in wide..tiles {
                self.sum_tiles::<1>(first, batch, &begins, &ends);
            }
            begins = ends;
        }
    }

    /// Adds the documents between two places of each resample to the sums of `N` tiles.
    #[inline(always)]
    fn sum_tiles<const N: usize>(
        &self,
        first: usize,
        batch: &mut [Sample],
        begins: &[usize; BATCH],
        ends: &[usize; BATCH],
    ) {
        let tiles: [&[[f64; TILE]]; N] =
            std::array::from_fn(|tile| &self.tiles[(first + tile) * self.documents..][..self.documents]);
        for (sample, (&begin, &end)) in batch.iter_mut().zip(begins.iter().zip(ends)) {
            let Sample { chosen, times, sums } = sample;
            let (sums, _) = sums[first * TILE..].as_chunks_mut::<TILE>();
            let Some(sums) = sums.first_chunk_mut::<N>() else { continue };
            let mut totals = *sums;
            if times.is_empty() {
                for &document in &chosen[begin..end] {
                    for tile in 0..N {
                        let row = &tiles[tile][document as usize];
                        for place in 0..TILE {
                            totals[tile][place] += row[place];
                        }
                    }
                }
            } else {
                for (&document, &times) in chosen[begin..end].iter().zip(&times[begin..end]) {
                    for tile in 0..N {
                        let row = &tiles[tile][document as usize];
                        for place in 0..TILE {
                            totals[tile][place] += times * row[place];
                        }
                    }
                }
            }
            *sums = totals;
        }
    }

    /// Returns the rows of all systems and counted metrics, from sums.
    pub(super) fn rows(&self, sums: &[f64], rows: &mut Vec<CountRow>) {
        rows.clear();
        rows.extend(self.places.iter().map(|places| places.map(|place| sums[place])));
    }
}

pub(super) fn plus(a: &CountRow, b: &CountRow) -> CountRow {
    std::array::from_fn(|place| a[place] + b[place])
}

pub(super) fn minus(a: &CountRow, b: &CountRow) -> CountRow {
    std::array::from_fn(|place| a[place] - b[place])
}

fn row_of(tally: &RealTally) -> CountRow {
    let four = |counts: &RealCounts| {
        [counts.recall_num, counts.recall_den, counts.precision_num, counts.precision_den]
    };
    let ([a, b, c, d], [e, f, g, h]) = (four(&tally.first), four(&tally.second));
    [a, b, c, d, e, f, g, h]
}

fn tally_of(row: &CountRow) -> RealTally {
    let [a, b, c, d, e, f, g, h] = *row;
    RealTally {
        first: RealCounts { recall_num: a, recall_den: b, precision_num: c, precision_den: d },
        second: RealCounts { recall_num: e, recall_den: f, precision_num: g, precision_den: h },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::MentionCounts;
    use crate::metrics::METRICS;
    use crate::overlap::align_entities;
    use crate::profiles::PROFILES;

    /// Returns documents with entities of many sizes, so that there are fractions of many kinds.
    fn documents(metrics: &[Metric]) -> Vec<DocumentTallies> {
        let document = |number: u32| {
            let entity = |first: u32, size: u32| (first..first + size).collect::<Vec<u32>>();
            let key = [entity(0, 3 + number % 5), entity(20, 7), entity(40, 1 + number % 11)];
            let response = [entity(1, 2 + number % 7), entity(19, 5), entity(42, 13), entity(60, 1)];
            let pair = align_entities(&key, &response);
            let tally = |metric: &Metric| {
                let mut tally = Tally::default();
                metric.tally(&pair, &mut tally);
                tally
            };
            DocumentTallies {
                id: number.to_string(),
                tallies: counted_metrics(metrics).iter().map(tally).collect(),
                mentions: MentionCounts { key: 12, response: 20, shared: 9 },
            }
        };
        (0..50).map(document).collect()
    }

    #[test]
    fn all_documents_once_have_the_exact_score() {
        let adds_up = |metric: &Metric| metric.compares_entities();
        let metrics: Vec<Metric> = METRICS.iter().map(Metric::new).filter(adds_up).collect();
        let mut settings = Settings::of(&PROFILES[0]);
        for average in ["micro", "macro", "mentions"] {
            settings.set("average", average).unwrap();
            let mut counts = DocumentCounts::new(&metrics, &settings).expect("metrics that add up");
            let documents = documents(&metrics);
            counts.add(&documents).unwrap();
            counts.add(&documents).unwrap();
            let columns = counts.columns();
            let (mut batch, mut rows, mut scores) = (columns.batch(), Vec::new(), vec![0.0; metrics.len()]);
            batch[0].chosen = (0..50).collect();
            columns.sum(&mut batch);
            columns.rows(&batch[0].sums, &mut rows);
            counts.score(&rows[..counts.counted()], ScorePart::F1, &mut Vec::new(), &mut scores);
            for ((metric, found), exact) in metrics.iter().zip(&scores).zip(&counts.scores()[0]) {
                assert!((found - exact).abs() < 1e-14, "{average} {metric}: {found} and {exact}");
                assert!(*exact > 0.0 || metric.to_string() == "ceaf_1", "{average} {metric}");
            }
            // The second system has no separate columns.
            let one = DocumentCounts { systems: counts.systems[..1].to_vec(), ..counts.clone() };
            assert_eq!(columns.tiles.len(), one.columns().tiles.len());
        }
    }

    /// Sums of many documents, columns and resamples at once equal sums of one document after another, to the last bit.
    #[test]
    fn batches_and_blocks_do_not_change_a_bit() {
        let documents = 2 * BLOCK as usize + 77;
        let number = |place: usize| (place as f64 * 0.754_877_666).fract() / 3.0;
        // Some tiles are added up together, others alone.
        let count = 2 * TILES + 3;
        let row = |row: usize| std::array::from_fn(|place| number(row * TILE + place));
        let tiles: Vec<[f64; TILE]> = (0..count * documents).map(row).collect();
        let columns = CountColumns { documents, tiles, places: Vec::new(), sums: count * TILE };
        let mut batch = columns.batch();
        for (step, sample) in (1..).zip(&mut batch) {
            if step % 3 == 0 {
                sample.chosen = (0..documents as u32).step_by(step).collect();
            } else {
                let times = |place: usize| if place.is_multiple_of(step) { place as u32 % 5 + 1 } else { 0 };
                sample.choose((0..documents).map(times));
                assert_eq!(sample.chosen.len(), documents.div_ceil(step));
            }
        }
        batch[1].choose((0..documents).map(|_| 0));
        assert_eq!(batch[1].chosen.len(), 0);
        // The rest of the batch before does not count.
        columns.sum(&mut batch);
        columns.sum(&mut batch[..5]);
        for sample in &batch {
            for (column, sum) in sample.sums.iter().enumerate() {
                let tile = &columns.tiles[column / TILE * documents..][..documents];
                let times = |place: usize| sample.times.get(place).copied().unwrap_or(1.0);
                let plain = sample.chosen.iter().enumerate().fold(0.0, |sum, (place, &document)| {
                    sum + times(place) * tile[document as usize][column % TILE]
                });
                assert_eq!(sum.to_bits(), plain.to_bits());
            }
        }
    }
}
