//! Counts of metrics by groups of mentions.

use std::collections::BTreeMap;

use corefeval_metrics::shares::{All, Share, Shares};

use super::of_mentions::GroupedSide;
use super::{By, Label, Labels, none};
use crate::matching::Alignment;
use crate::metrics::Metric;
use crate::model::{Document, Side};
use crate::overlap::{AlignedPair, View, pairs_of_views};
use corefeval_metrics::fraction::FractionSum;
use corefeval_metrics::tally::{Counts, Tally};

/// The mentions of both sides of an alignment by entity and group.
pub(crate) struct GroupedPair {
    labels: Vec<Labels>,
    key: Members,
    response: Members,
    /// Like [`pairs_of_views`].
    views: [Option<Vec<(u32, u32)>>; 3],
}

/// The mentions of one side.
struct Members {
    /// The entity of each mention, by its place in the selection.
    entities: Vec<u32>,
    /// Its group, as an index into the labels.
    groups: Vec<u32>,
}

/// The number of mentions of a group in an entity or in a cell.
struct Run {
    /// The entity or the cell.
    place: u32,
    group: u32,
    mentions: u32,
}

impl GroupedPair {
    /// Groups the mentions of both sides. `of_key` has the groupings in which those of the response get the group of
    /// what they are aligned with, and `document` the group of the document, by the groupings of documents.
    pub(crate) fn new(
        (key, response): (&Document, &Document),
        alignment: &Alignment,
        by: By,
        of_key: &[bool],
        document: &[Label],
    ) -> GroupedPair {
        let mut sides =
            [&alignment.key, &alignment.response].map(|side| vec![Labels::new(); side.mentions.len()]);
        let mut of_document = document.iter();
        for (spec, &of_key) in by.specs().zip(of_key) {
            let Some(groups) = spec.of_mentions() else {
                let label = of_document.next().cloned().unwrap_or_else(none);
                sides.iter_mut().flatten().for_each(|labels| labels.push(label.clone()));
                continue;
            };
            let side = |document, selected, other| groups.of(&GroupedSide { document, selected, other });
            let ours = side(key, &alignment.key, response);
            let theirs = match of_key {
                false => side(response, &alignment.response, key),
                true => {
                    let mut theirs = vec![None; alignment.response.mentions.len()];
                    for &(key_place, response_place) in &alignment.pairs {
                        theirs[response_place as usize].clone_from(&ours[key_place as usize]);
                    }
                    theirs
                }
            };
            for (labels, side) in sides.iter_mut().zip([ours, theirs]) {
                for (labels, label) in labels.iter_mut().zip(side) {
                    labels.push(label.unwrap_or_else(none));
                }
            }
        }
        let [ours, theirs] = sides;
        let mut numbers: BTreeMap<&Labels, u32> =
            ours.iter().chain(&theirs).map(|labels| (labels, 0)).collect();
        numbers.values_mut().zip(0..).for_each(|(number, next)| *number = next);
        let numbered = |labels: &[Labels]| labels.iter().map(|labels| numbers[labels]).collect();
        let entities = |selected: &crate::selection::Selected| {
            selected.mentions.iter().map(|mention| mention.entity).collect()
        };
        let key = Members { entities: entities(&alignment.key), groups: numbered(&ours) };
        let response = Members { entities: entities(&alignment.response), groups: numbered(&theirs) };
        let labels = numbers.keys().map(|&labels| labels.clone()).collect();
        GroupedPair { labels, key, response, views: pairs_of_views(alignment) }
    }

    fn members(&self, side: Side) -> &Members {
        match side {
            Side::Key => &self.key,
            Side::Response => &self.response,
        }
    }

    /// For each group, the counts of each of `metrics`, which have shares.
    pub(crate) fn tallies(&self, pair: &AlignedPair, metrics: &[Metric]) -> Vec<(Labels, Vec<Tally>)> {
        let mut tallies = vec![vec![Tally::default(); metrics.len()]; self.labels.len()];
        for side in [Side::Key, Side::Response] {
            let entities = runs(self.members(side).entities.iter().copied().zip(self.groups(side)));
            let mut cells: BTreeMap<View, Vec<Run>> = BTreeMap::new();
            for (place, metric) in metrics.iter().enumerate() {
                for (half, shares) in metric.shares(pair, side).iter().enumerate() {
                    let view = shares.view;
                    let cells = cells.entry(view).or_insert_with(|| self.cells(pair, view, side));
                    add(&mut tallies, (place, half, side), shares, &entities, cells);
                }
            }
        }
        self.labels.iter().cloned().zip(tallies).collect()
    }

    fn groups(&self, side: Side) -> impl Iterator<Item = u32> {
        self.members(side).groups.iter().copied()
    }

    /// The mentions of a side that a view has, by cell and group.
    fn cells(&self, pair: &AlignedPair, view: View, side: Side) -> Vec<Run> {
        let overlap = pair.view(view);
        let pairs = self.views[view as usize].as_deref().or(self.views[0].as_deref()).unwrap_or_default();
        let group = |&(ours, theirs): &(u32, u32)| match side {
            Side::Key => self.key.groups[ours as usize],
            Side::Response => self.response.groups[theirs as usize],
        };
        let cell = |&(ours, theirs): &(u32, u32)| {
            overlap.place(self.key.entities[ours as usize], self.response.entities[theirs as usize]) as u32
        };
        runs(pairs.iter().map(|pair| (cell(pair), group(pair))))
    }
}

/// Counts equal pairs of a place and a group.
fn runs(all: impl Iterator<Item = (u32, u32)>) -> Vec<Run> {
    let mut all: Vec<(u32, u32)> = all.collect();
    all.sort_unstable();
    let run = |run: &[(u32, u32)]| Run { place: run[0].0, group: run[0].1, mentions: run.len() as u32 };
    all.chunk_by(|a, b| a == b).map(run).collect()
}

/// Adds the contribution of the mentions of one side to one half of a metric.
fn add(
    tallies: &mut [Vec<Tally>],
    (metric, half, side): (usize, usize, Side),
    shares: &Shares,
    entities: &[Run],
    cells: &[Run],
) {
    let mut add_runs = |runs: &[Run], shares: &[Share], sum: fn(&mut Counts, Side) -> &mut FractionSum| {
        for run in runs {
            let tally = &mut tallies[run.group as usize][metric];
            let counts = if half == 0 { &mut tally.first } else { &mut tally.second };
            let Share { numerator, denominator } = shares[run.place as usize];
            sum(counts, side).add_fraction(u128::from(numerator) * u128::from(run.mentions), denominator);
        }
    };
    add_runs(cells, &shares.found, |counts, side| match side {
        Side::Key => &mut counts.recall_num,
        Side::Response => &mut counts.precision_num,
    });
    let (runs, all) = match &shares.all {
        All::OfEntities(all) => (entities, all),
        All::OfCells(all) => (cells, all),
    };
    add_runs(runs, all, |counts, side| match side {
        Side::Key => &mut counts.recall_den,
        Side::Response => &mut counts.precision_den,
    });
}
