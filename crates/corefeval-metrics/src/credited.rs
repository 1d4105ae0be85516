//! Counts split antecedents in every metric, as members of entities that count as fractions.
//!
//! An entity with a split antecedent ("they", after "Ada" and "the pilot") has one more member: the set of the entities
//! whose sum it is. The split antecedents of key and response are paired one to one so that the sum of the metric's own
//! F1 over the paired sets is largest. A pair is worth its recall when recall is computed, its precision when precision
//! is computed, and its F1 if the metric has no sides. (Paun, Yu, Moosavi and Poesio 2023; the Universal Anaphora
//! scorer.)
//!
//! Worths are rounded to 60 binary digits, because they are quotients of sums and would soon exceed exact fractions.

use std::collections::BTreeMap;

use crate::aligned::{AlignedEntities, align_entities};
use crate::assignment::{Edge, maximum_weight};
use crate::fraction::FractionSum;
use crate::info::Variant;
use crate::overlap::Overlap;
use crate::splits::Splits;
use crate::tally::{Counts, Score, Tally};

/// The counts of a metric with split antecedents.
pub(crate) struct SplitRules {
    /// Counts the two sets of entities that two split antecedents consist of.
    pub(crate) sets: fn(&AlignedEntities, &Variant, &mut Tally),
    /// Counts a document in which pairs of split antecedents have a worth.
    pub(crate) document: fn(&CreditedPair<'_>, &Variant, &mut Tally),
    /// Counts the document for the second counts, in metrics whose two counts have separate pairs.
    pub(crate) second: Option<fn(&CreditedPair<'_>, &Variant, &mut Tally)>,
}

/// A document with the worth of each pair of split antecedents.
pub(crate) struct CreditedPair<'p> {
    /// The document without the split antecedents, which count in the sizes of entities.
    pub(crate) pair: &'p AlignedEntities,
    credits: Vec<Credit>,
    pub(crate) splits: &'p Splits,
    with_splits: [Vec<u32>; 2],
}

/// A pair of split antecedents: the entities that they are members of, and the worth of the pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Credit {
    /// The position of the key's split antecedent.
    pub(crate) split: u32,
    pub(crate) key: u32,
    pub(crate) response: u32,
    recall: f64,
    precision: f64,
    pub(crate) f1: f64,
}

/// The credit that two entities share, from the view of one side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CreditedCell {
    /// The entity of the side from which links are seen.
    pub(crate) entity: u32,
    /// The entity of the other side.
    pub(crate) other: u32,
    /// The number of shared mentions.
    pub(crate) shared: u32,
    /// The worth of their split antecedents, if those are paired with each other.
    pub(crate) credit: f64,
}

impl<'p> CreditedPair<'p> {
    fn new(pair: &'p AlignedEntities, credits: Vec<Credit>, splits: &'p Splits) -> CreditedPair<'p> {
        let with_splits = [&splits.key, &splits.response].map(|side| {
            let mut entities: Vec<u32> = side.iter().map(|split| split.entity).collect();
            entities.sort_unstable();
            entities
        });
        CreditedPair { pair, credits, splits, with_splits }
    }

    /// Returns the cells from the view of the key.
    pub(crate) fn recall_cells(&self) -> Vec<CreditedCell> {
        self.cells(self.pair.recall_view(), |credit| credit.recall)
    }

    /// Returns the cells from the view of the response.
    pub(crate) fn precision_cells(&self) -> Vec<CreditedCell> {
        let mut cells = self.cells(self.pair.precision_view(), |credit| credit.precision);
        for cell in &mut cells {
            std::mem::swap(&mut cell.entity, &mut cell.other);
        }
        cells
    }

    /// Returns the cells without a view of one side; `entity` is the key's entity.
    pub(crate) fn similarity_cells(&self) -> Vec<CreditedCell> {
        self.cells(self.pair.similarity_view(), |credit| credit.f1)
    }

    /// Returns the entities of both sides that have a split antecedent, ascending.
    pub(crate) fn entities_with_splits(&self) -> (&[u32], &[u32]) {
        (&self.with_splits[0], &self.with_splits[1])
    }

    /// Returns the pairs of split antecedents whose worth is above 0.
    pub(crate) fn credits(&self) -> &[Credit] {
        &self.credits
    }

    fn cells(&self, view: &Overlap, worth: impl Fn(&Credit) -> f64) -> Vec<CreditedCell> {
        let ordinary = view.cells().iter();
        let mut cells: Vec<CreditedCell> = ordinary
            .map(|c| CreditedCell { entity: c.key, other: c.response, shared: c.shared, credit: 0.0 })
            .collect();
        let mut places: BTreeMap<(u32, u32), usize> = BTreeMap::new();
        if !self.credits.is_empty() {
            places.extend(cells.iter().enumerate().map(|(place, cell)| ((cell.entity, cell.other), place)));
        }
        for credit in &self.credits {
            let place = *places.entry((credit.key, credit.response)).or_insert(cells.len());
            if place == cells.len() {
                let (entity, other) = (credit.key, credit.response);
                cells.push(CreditedCell { entity, other, shared: 0, credit: 0.0 });
            }
            cells[place].credit += worth(credit);
        }
        cells
    }
}

/// Adds a non-negative real number to a sum, rounded to 60 binary digits.
pub(crate) fn add_real(sum: &mut FractionSum, value: f64) {
    const ONE: u64 = 1 << 60;
    sum.add_fraction((value * ONE as f64).round() as u128, ONE);
}

/// Adds the counts of `metric` in a document with split antecedents.
pub(crate) fn tally(
    metric: &Variant,
    rules: &SplitRules,
    pair: &AlignedEntities,
    splits: &Splits,
    into: &mut Tally,
) {
    let sets = |key: &[Vec<u32>], response: &[Vec<u32>]| {
        let mut tally = Tally::default();
        (rules.sets)(&align_entities(key, response), metric, &mut tally);
        tally
    };
    let both = |row: u32, column: u32| {
        sets(&splits.key[row as usize].parts, &splits.response[column as usize].parts)
    };
    // The scores of the pairs by both counts.
    let scores: Vec<[Score; 2]> = splits
        .meeting
        .iter()
        .map(|&(row, column)| {
            let tally = both(row, column);
            [tally.first.score(), tally.second.score()]
        })
        .collect();
    let first = (rules.document, first_counts as fn(&mut Tally) -> &mut Counts);
    let second = rules.second.map(|document| (document, second_counts as fn(&mut Tally) -> &mut Counts));
    for (half, (document, counts)) in std::iter::once(first).chain(second).enumerate() {
        let chosen = choose(splits, |place| scores[place][half].f1);
        if splits.only {
            // Numerators come from the pairs, denominators from all split antecedents.
            for &(row, column) in &chosen {
                let mut tally = both(row, column);
                let pair = counts(&mut tally);
                let counts = counts(into);
                counts.recall_num.add(&pair.recall_num);
                counts.precision_num.add(&pair.precision_num);
            }
            for split in &splits.key {
                counts(into).recall_den.add(&counts(&mut sets(&split.parts, &[])).recall_den);
            }
            for split in &splits.response {
                counts(into).precision_den.add(&counts(&mut sets(&[], &split.parts)).precision_den);
            }
        } else {
            let scores: Vec<Score> = scores.iter().map(|scores| scores[half]).collect();
            let credited = CreditedPair::new(pair, credits(&scores, &chosen, splits), splits);
            document(&credited, metric, into);
        }
    }
}

fn first_counts(tally: &mut Tally) -> &mut Counts {
    &mut tally.first
}

fn second_counts(tally: &mut Tally) -> &mut Counts {
    &mut tally.second
}

/// Returns the pairs of split antecedents with the largest sum of F1.
fn choose(splits: &Splits, f1: impl Fn(usize) -> f64) -> Vec<(u32, u32)> {
    let edges: Vec<Edge<i64>> = splits
        .meeting
        .iter()
        .enumerate()
        .map(|(place, &(row, column))| {
            let weight = (f1(place) * (1u64 << 40) as f64).round() as i64;
            Edge { row, column, weight }
        })
        .filter(|edge| edge.weight > 0)
        .collect();
    maximum_weight(splits.key.len(), splits.response.len(), &edges).pairs
}

/// Returns the worth of the pairs.
fn credits(scores: &[Score], chosen: &[(u32, u32)], splits: &Splits) -> Vec<Credit> {
    let credits = chosen.iter().filter_map(|&(row, column)| {
        let Score { recall, precision, f1 } = scores[splits.meeting.binary_search(&(row, column)).ok()?];
        let (key, response) = (splits.key[row as usize].entity, splits.response[column as usize].entity);
        Some(Credit { split: row, key, response, recall, precision, f1 })
    });
    credits.collect()
}
