//! Draws bootstrap samples and random swaps of all systems, metrics and pairs of systems at once.
//!
//! Resamples are made in runs of equal length, each from its own streams; threads take runs, and their results are
//! merged in the order of the runs.

use std::ops::Range;

use super::TIE;
use super::counts::{BATCH, CountColumns, CountRow, DocumentCounts, ScorePart, minus, plus};
use super::progress::{SAMPLES, SWAPS};
use super::random::{Purpose, Stream};
use crate::threads::side_by_side;

/// The number of resamples that a thread makes at a time.
const RUN: usize = 128;

/// Returns the runs of `resamples`.
fn runs(resamples: usize) -> impl Fn(usize) -> Range<usize> {
    move |run| run * RUN..((run + 1) * RUN).min(resamples)
}

/// Scores of every bootstrap sample; NaN if undefined.
pub(super) struct Bootstrap {
    metrics: usize,
    systems: usize,
    /// The values to keep of each score.
    parts: Vec<ScorePart>,
    /// For each run, its number of samples, then their values; the values of one part, metric and system are
    /// contiguous.
    runs: Vec<(usize, Vec<f64>)>,
}

impl Bootstrap {
    /// Draws `resamples` samples with replacement, each with as many documents as the corpus (or each stratum) has. All
    /// systems share the samples.
    pub(super) fn new(
        (counts, columns): (&DocumentCounts, &CountColumns),
        parts: &[ScorePart],
        seed: u64,
        resamples: usize,
        threads: usize,
    ) -> Bootstrap {
        let (systems, metrics, counted) = (counts.systems(), counts.metrics.len(), counts.counted());
        let range = runs(resamples);
        let progress = SAMPLES.begin(resamples);
        let work = |run: usize| {
            let range = range(run);
            let length = range.len();
            let mut values = vec![0.0; parts.len() * metrics * systems * length];
            let mut times = vec![0_u32; counts.documents()];
            let (mut batch, mut rows) = (columns.batch(), Vec::new());
            let (mut counted_scores, mut scores) = (Vec::new(), vec![[0.0; 3]; metrics]);
            for (place, resample) in range.clone().enumerate() {
                // A batch is drawn and added up before its first resample is scored.
                if place % BATCH == 0 {
                    let batch = &mut batch[..BATCH.min(length - place)];
                    for (sample, resample) in batch.iter_mut().zip(resample as u64..) {
                        let mut stream = Stream::new(seed, Purpose::Bootstrap, resample);
                        times.fill(0);
                        for (start, number) in counts.strata() {
                            (0..number).for_each(|_| times[start + stream.below(number)] += 1);
                        }
                        sample.choose(times.iter().copied());
                    }
                    columns.sum(batch);
                }
                columns.rows(&batch[place % BATCH].sums, &mut rows);
                for system in 0..systems {
                    let own = &rows[system * counted..][..counted];
                    counts.score_parts(own, &mut counted_scores, &mut scores);
                    for (number, &part) in parts.iter().enumerate() {
                        for (metric, score) in scores.iter().enumerate() {
                            let column = (number * metrics + metric) * systems + system;
                            values[column * length + place] = score[part as usize];
                        }
                    }
                }
            }
            progress.add(length);
            (length, values)
        };
        let runs = side_by_side(threads, resamples.div_ceil(RUN), work);
        Bootstrap { metrics, systems, parts: parts.to_vec(), runs }
    }

    /// Returns the column of a metric and system. A part that is not kept falls back to the first part.
    fn column(&self, part: ScorePart, metric: usize, system: usize) -> usize {
        let part = self.parts.iter().position(|kept| *kept == part).unwrap_or(0);
        (part * self.metrics + metric) * self.systems + system
    }

    /// Returns the values of a metric and system, in the order of the samples.
    pub(super) fn values(&self, part: ScorePart, metric: usize, system: usize) -> Vec<f64> {
        let column = self.column(part, metric, system);
        self.runs.iter().flat_map(|(length, values)| &values[column * length..][..*length]).copied().collect()
    }

    /// Returns the number of samples in which the F1 of a metric is undefined for any of the given systems.
    pub(super) fn undefined(&self, metric: usize, systems: &[usize]) -> u32 {
        let any = |(length, values): &(usize, Vec<f64>)| {
            let column =
                |system: usize| &values[self.column(ScorePart::F1, metric, system) * length..][..*length];
            let lacks = |sample: &usize| systems.iter().any(|&system| column(system)[*sample].is_nan());
            (0..*length).filter(lacks).count() as u32
        };
        self.runs.iter().map(any).sum()
    }

    /// Returns the number of samples whose difference is at least as far from the observed one as the observed one is
    /// from 0, and the number of samples in which both systems have a score.
    pub(super) fn as_far(&self, metric: usize, pair: (usize, usize), difference: f64) -> (u32, u32) {
        let [first, second] = [pair.0, pair.1].map(|system| self.column(ScorePart::F1, metric, system));
        let far = self.runs.iter().map(|(length, values)| {
            let of = |column: usize| &values[column * length..][..*length];
            let samples = of(first).iter().zip(of(second)).map(|(a, b)| *a - *b).filter(|d| !d.is_nan());
            samples.fold((0, 0), |(far, all), found| {
                (far + u32::from((found - difference).abs() >= difference.abs() - TIE), all + 1)
            })
        });
        far.fold((0, 0), |sum, run| (sum.0 + run.0, sum.1 + run.1))
    }
}

/// Returns all pairs of systems, the earlier first.
pub(super) fn pairs(systems: usize) -> Vec<(usize, usize)> {
    (0..systems).flat_map(|first| (first + 1..systems).map(move |second| (first, second))).collect()
}

/// The swaps of documents to make.
#[derive(Clone, Copy, Debug)]
pub(super) enum Swaps {
    /// This many, at random, from a seed.
    Random(u64, usize),
    /// Each swap once, except the one without any change. The last document stays: swapping all others gives the same
    /// difference in the other direction.
    All,
}

impl Swaps {
    /// Returns the number of swaps for a number of documents.
    pub(super) fn number(self, documents: usize) -> usize {
        match self {
            Swaps::Random(_, number) => number,
            Swaps::All => (1 << documents.saturating_sub(1)) - 1,
        }
    }
}

/// Chooses the documents that change sides in one resample.
fn choose(swaps: Swaps, resample: u64, documents: u32, chosen: &mut Vec<u32>) {
    let (mut stream, mut bits) = match swaps {
        Swaps::Random(seed, _) => (Some(Stream::new(seed, Purpose::Randomization, resample)), 0),
        Swaps::All => (None, resample + 1),
    };
    chosen.clear();
    for first in (0..documents).step_by(64) {
        if let Some(stream) = &mut stream {
            bits = stream.bits();
        }
        if documents - first < 64 {
            bits &= (1 << (documents - first)) - 1;
        }
        while bits != 0 {
            chosen.push(first + bits.trailing_zeros());
            bits &= bits - 1;
        }
    }
}

/// Counts, for each metric and pair of systems, the swaps of the two systems' documents whose difference is at least as
/// large as the observed one. A swap that makes a side undefined counts as extreme. A document changes sides in all
/// pairs or in none, so that a swap costs one sum for each system instead of one for each pair.
pub(super) fn randomize(
    counts: &DocumentCounts,
    columns: &CountColumns,
    differences: &[Vec<f64>],
    swaps: Swaps,
    threads: usize,
) -> Vec<Vec<u32>> {
    let resamples = swaps.number(counts.documents());
    let (systems, metrics, counted) = (counts.systems(), counts.metrics.len(), counts.counted());
    let pairs = pairs(systems);
    let totals: Vec<CountRow> = (0..systems).flat_map(|system| counts.totals(system)).collect();
    let range = runs(resamples);
    let progress = SWAPS.begin(resamples);
    let work = |run: usize| {
        let mut far = vec![vec![0_u32; pairs.len()]; metrics];
        let (mut batch, mut moving, mut staying) = (columns.batch(), Vec::new(), Vec::new());
        let mut swapped = [vec![CountRow::default(); counted], vec![CountRow::default(); counted]];
        let mut f1 = Vec::new();
        let mut scores = [vec![0.0; metrics], vec![0.0; metrics]];
        let range = range(run);
        for (place, resample) in range.clone().enumerate() {
            if place % BATCH == 0 {
                let batch = &mut batch[..BATCH.min(range.end - resample)];
                for (sample, resample) in batch.iter_mut().zip(resample as u64..) {
                    choose(swaps, resample, counts.documents() as u32, &mut sample.chosen);
                }
                columns.sum(batch);
            }
            columns.rows(&batch[place % BATCH].sums, &mut moving);
            staying.clear();
            staying.extend(totals.iter().zip(&moving).map(|(total, moving)| minus(total, moving)));
            for (number, &(first, second)) in pairs.iter().enumerate() {
                for (side, (own, other)) in [(first, second), (second, first)].into_iter().enumerate() {
                    let stay = &staying[own * counted..][..counted];
                    let come = &moving[other * counted..][..counted];
                    for (row, (stay, come)) in swapped[side].iter_mut().zip(stay.iter().zip(come)) {
                        *row = plus(stay, come);
                    }
                    counts.score(&swapped[side], ScorePart::F1, &mut f1, &mut scores[side]);
                }
                let [first, second] = &scores;
                for (metric, (first, second)) in first.iter().zip(second).enumerate() {
                    let observed = differences[metric][number].abs();
                    let nearer = (first - second).abs() < observed - TIE;
                    far[metric][number] += u32::from(!nearer);
                }
            }
        }
        progress.add(range.len());
        far
    };
    let mut total = vec![vec![0; pairs.len()]; metrics];
    for far in side_by_side(threads, resamples.div_ceil(RUN), work) {
        for (total, far) in total.iter_mut().flatten().zip(far.into_iter().flatten()) {
            *total += far;
        }
    }
    total
}
