//! Counts metrics by groups of mentions.

use std::collections::BTreeMap;

use corefeval_metrics::BestMaps;
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
    key: SideMentions,
    response: SideMentions,
    /// The shared mentions, like [`pairs_of_views`].
    views: [Option<Vec<(u32, u32)>>; 3],
}

/// The mentions of one side.
struct SideMentions {
    /// The entity of each mention, by its place in the selection.
    entities: Vec<u32>,
    /// Its group, as an index into the labels.
    groups: Vec<u32>,
}

/// The number of mentions of a group in an entity or in a cell.
struct GroupRun {
    /// The entity or the cell.
    place: u32,
    group: u32,
    mentions: u32,
}

impl GroupRun {
    /// Adds the shares of the mentions.
    fn add(&self, Share { numerator, denominator }: Share, sum: &mut FractionSum) {
        sum.add_fraction(u128::from(numerator) * u128::from(self.mentions), denominator);
    }
}

impl GroupedPair {
    /// Groups the mentions of both sides. `of_key` contains the groupings in which response mentions take the group of
    /// their aligned key mentions. `document` contains the document's group by each grouping of documents.
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
        let key = SideMentions { entities: entities(&alignment.key), groups: numbered(&ours) };
        let response = SideMentions { entities: entities(&alignment.response), groups: numbered(&theirs) };
        let labels = numbers.keys().map(|&labels| labels.clone()).collect();
        GroupedPair { labels, key, response, views: pairs_of_views(alignment) }
    }

    fn members(&self, side: Side) -> &SideMentions {
        match side {
            Side::Key => &self.key,
            Side::Response => &self.response,
        }
    }

    /// Returns, for each group, the counts of each of `metrics`, which have shares. With `all_maps`, two more counts
    /// follow for each metric that pairs entities: for the best maps in which the group has the lowest and the highest
    /// counts.
    pub(crate) fn tallies(
        &self,
        pair: &AlignedPair,
        metrics: &[Metric],
        all_maps: bool,
    ) -> Vec<(Labels, Vec<Tally>)> {
        let pairing = metrics.iter().enumerate().filter(|(_, metric)| all_maps && metric.maps_entities());
        let maps: Vec<BestMaps> = pairing.clone().filter_map(|(_, metric)| metric.best_maps(pair)).collect();
        let mut tallies = vec![vec![Tally::default(); metrics.len() + 2 * maps.len()]; self.labels.len()];
        for side in [Side::Key, Side::Response] {
            let entities = runs(self.members(side).entities.iter().copied().zip(self.groups(side)));
            let mut cells: BTreeMap<View, Vec<GroupRun>> = BTreeMap::new();
            for (place, metric) in metrics.iter().enumerate() {
                for (half, shares) in metric.shares(pair, side).iter().enumerate() {
                    let view = shares.view;
                    let cells = cells.entry(view).or_insert_with(|| self.cells(pair, view, side));
                    add(&mut tallies, (place, half, side), shares, &entities, cells);
                }
            }
            for (number, ((_, metric), maps)) in pairing.clone().zip(&maps).enumerate() {
                let shares = metric.shares(pair, side);
                let Some(shares) = shares.first() else { continue };
                let cells = cells.entry(shares.view).or_insert_with(|| self.cells(pair, shares.view, side));
                for (group, tallies) in (0..).zip(&mut tallies) {
                    let own: Vec<&GroupRun> = cells.iter().filter(|run| run.group == group).collect();
                    let ends = &mut tallies[metrics.len() + 2 * number..][..2];
                    for (tally, greatest) in ends.iter_mut().zip([false, true]) {
                        add_extreme(found_on(&mut tally.first, side), maps, shares, &own, greatest);
                    }
                }
            }
        }
        for tallies in &mut tallies {
            let (plain, ends) = tallies.split_at_mut(metrics.len());
            for ((place, _), ends) in pairing.clone().zip(ends.chunks_mut(2)) {
                for Tally { first, .. } in ends {
                    first.recall_den.clone_from(&plain[place].first.recall_den);
                    first.precision_den.clone_from(&plain[place].first.precision_den);
                }
            }
        }
        self.labels.iter().cloned().zip(tallies).collect()
    }

    fn groups(&self, side: Side) -> impl Iterator<Item = u32> {
        self.members(side).groups.iter().copied()
    }

    /// Returns the mentions of a side in a view, by cell and group.
    fn cells(&self, pair: &AlignedPair, view: View, side: Side) -> Vec<GroupRun> {
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
fn runs(all: impl Iterator<Item = (u32, u32)>) -> Vec<GroupRun> {
    let mut all: Vec<(u32, u32)> = all.collect();
    all.sort_unstable();
    let run = |run: &[(u32, u32)]| GroupRun { place: run[0].0, group: run[0].1, mentions: run.len() as u32 };
    all.chunk_by(|a, b| a == b).map(run).collect()
}

/// Adds the contribution of the mentions of one side to one half of a metric.
fn add(
    tallies: &mut [Vec<Tally>],
    (metric, half, side): (usize, usize, Side),
    shares: &Shares,
    entities: &[GroupRun],
    cells: &[GroupRun],
) {
    let mut add_runs = |runs: &[GroupRun],
                        share: &dyn Fn(usize) -> Share,
                        sum: fn(&mut Counts, Side) -> &mut FractionSum| {
        for run in runs {
            let tally = &mut tallies[run.group as usize][metric];
            let counts = if half == 0 { &mut tally.first } else { &mut tally.second };
            run.add(share(run.place as usize), sum(counts, side));
        }
    };
    add_runs(cells, &|place| shares.of_cell(place), found_on);
    let (runs, all) = match &shares.all {
        All::OfEntities(all) => (entities, all),
        All::OfCells(all) => (cells, all),
    };
    add_runs(runs, &|place| all[place], |counts, side| match side {
        Side::Key => &mut counts.recall_den,
        Side::Response => &mut counts.precision_den,
    });
}

/// Returns the numerator that the mentions of a side add to.
fn found_on(counts: &mut Counts, side: Side) -> &mut FractionSum {
    match side {
        Side::Key => &mut counts.recall_num,
        Side::Response => &mut counts.precision_num,
    }
}

/// Adds the numerator of a group under the best map that minimises or maximises it. `own` are the cells of the group in
/// ascending order.
fn add_extreme(sum: &mut FractionSum, maps: &BestMaps, shares: &Shares, own: &[&GroupRun], greatest: bool) {
    let of_cell = |cell: u32| Some(own[own.binary_search_by_key(&cell, |run| run.place).ok()?]);
    let worth = |cell: u32| {
        let Share { numerator, denominator } = shares.found[cell as usize];
        let mentions = of_cell(cell).map_or(0, |run| run.mentions);
        (u128::from(numerator) * u128::from(mentions), denominator)
    };
    for run in maps.extreme(greatest, worth).into_iter().filter_map(of_cell) {
        run.add(shares.found[run.place as usize], sum);
    }
}
