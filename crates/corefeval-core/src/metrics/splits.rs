//! Split antecedents in every metric: a member of an entity that is worth a fraction.
//!
//! An entity with a split antecedent ("they", after "Ada" and "the pilot") has one more member, which
//! stands for the set of the entities that it is the sum of. Split antecedents of key and response are
//! paired one to one such that the metric's own F1 over the paired sets is greatest; a pair is then
//! worth its recall where recall is computed, its precision where precision is, and its F1 where the
//! metric has no sides. (Paun, Yu, Moosavi and Poesio 2023; the Universal Anaphora scorer.)
//!
//! Worths are rounded to 60 binary digits: they are quotients of sums and would soon outgrow exact
//! fractions.

use super::Metric;
use crate::fraction::FractionSum;
use crate::matching::assignment::{Edge, maximum_weight};
use crate::overlap::{AlignedPair, Overlap, Splits};
use crate::tally::{Counts, Tally};

/// How a metric counts where there are split antecedents.
pub struct SplitRules {
    /// What is counted over two sets of entities that two split antecedents are the sums of.
    pub(super) sets: fn(&AlignedPair, &Metric, &mut Tally),
    /// What is counted over a document in which pairs of split antecedents have a worth.
    pub(super) document: fn(&CreditedPair<'_>, &Metric, &mut Tally),
    /// The same for the second counts, of metrics whose two counts each have pairs of their own.
    pub(super) second: Option<fn(&CreditedPair<'_>, &Metric, &mut Tally)>,
}

/// A document with the worth of each pair of split antecedents.
pub struct CreditedPair<'p> {
    /// All but the split antecedents; they count in the sizes of entities.
    pub(super) pair: &'p AlignedPair,
    credits: Vec<Credit>,
    splits: &'p Splits,
}

/// A pair of split antecedents: the entities that they are members of, and what the pair is worth.
#[derive(Clone, Copy, Debug)]
pub(super) struct Credit {
    pub(super) key: u32,
    pub(super) response: u32,
    recall: f64,
    precision: f64,
    pub(super) f1: f64,
    /// Mentions of both entities that come after the key's split antecedent.
    pub(super) followers: u32,
}

/// What two entities share, seen from one side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CreditedCell {
    /// The entity of the side that is looked from.
    pub(super) entity: u32,
    /// The entity of the other side.
    pub(super) other: u32,
    /// Shared mentions.
    pub(super) shared: u32,
    /// The worth of their split antecedents, if those are paired with each other.
    pub(super) credit: f64,
}

impl CreditedPair<'_> {
    /// From the key's side.
    pub(super) fn recall_cells(&self) -> Vec<CreditedCell> {
        self.cells(self.pair.recall_view(), |credit| credit.recall)
    }

    /// From the response's side.
    pub(super) fn precision_cells(&self) -> Vec<CreditedCell> {
        let mut cells = self.cells(self.pair.precision_view(), |credit| credit.precision);
        for cell in &mut cells {
            std::mem::swap(&mut cell.entity, &mut cell.other);
        }
        cells
    }

    /// From no side; the entity is the key's.
    pub(super) fn similarity_cells(&self) -> Vec<CreditedCell> {
        self.cells(self.pair.similarity_view(), |credit| credit.f1)
    }

    /// The entities of both sides that have a split antecedent.
    pub(super) fn entities_with_splits(&self) -> (&[u32], &[u32]) {
        (&self.splits.key, &self.splits.response)
    }

    /// The pairs of split antecedents that are worth something.
    pub(super) fn credits(&self) -> &[Credit] {
        &self.credits
    }

    fn cells(&self, view: &Overlap, worth: impl Fn(&Credit) -> f64) -> Vec<CreditedCell> {
        let ordinary = view.cells().iter();
        let mut cells: Vec<CreditedCell> = ordinary
            .map(|c| CreditedCell { entity: c.key, other: c.response, shared: c.shared, credit: 0.0 })
            .collect();
        for credit in &self.credits {
            let place = cells.iter_mut().find(|c| (c.entity, c.other) == (credit.key, credit.response));
            match place {
                Some(cell) => cell.credit += worth(credit),
                None => cells.push(CreditedCell {
                    entity: credit.key,
                    other: credit.response,
                    shared: 0,
                    credit: worth(credit),
                }),
            }
        }
        cells
    }
}

/// Adds a real number of at least 0 to a sum, to 60 binary digits.
pub(super) fn add_real(sum: &mut FractionSum, value: f64) {
    const ONE: u64 = 1 << 60;
    sum.add_fraction((value * ONE as f64).round() as u128, ONE);
}

/// Adds what `metric` counts in a document with split antecedents.
pub(super) fn tally(
    metric: &Metric,
    rules: &SplitRules,
    pair: &AlignedPair,
    splits: &Splits,
    into: &mut Tally,
) {
    let (rows, columns) = (splits.key.len().max(1), splits.response.len().max(1));
    let tallies: Vec<Tally> = splits
        .pairs
        .iter()
        .map(|sets| {
            let mut tally = Tally::default();
            (rules.sets)(sets, metric, &mut tally);
            tally
        })
        .collect();
    let first = (rules.document, first_counts as fn(&mut Tally) -> &mut Counts);
    let second = rules.second.map(|document| (document, second_counts as fn(&mut Tally) -> &mut Counts));
    for (document, counts) in std::iter::once(first).chain(second) {
        let own: Vec<Counts> = tallies.iter().map(|tally| counts(&mut tally.clone()).clone()).collect();
        let chosen = choose(&own, rows, columns);
        if splits.only {
            add_only(&own, &chosen, (rows, columns), counts(into));
        } else {
            let credited = CreditedPair { pair, credits: credits(&own, &chosen, columns, splits), splits };
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

/// The pairs of split antecedents whose F1 add up to most.
fn choose(counts: &[Counts], rows: usize, columns: usize) -> Vec<(u32, u32)> {
    let edges: Vec<Edge<i64>> = (0..rows * columns)
        .map(|place| {
            let weight = (counts[place].score().f1 * (1u64 << 40) as f64).round() as i64;
            Edge { row: (place / columns) as u32, column: (place % columns) as u32, weight }
        })
        .filter(|edge| edge.weight > 0)
        .collect();
    maximum_weight(rows, columns, &edges).pairs
}

/// What is found comes from the pairs, what there is to find from all split antecedents.
fn add_only(counts: &[Counts], chosen: &[(u32, u32)], (rows, columns): (usize, usize), into: &mut Counts) {
    for &(row, column) in chosen {
        let pair = &counts[row as usize * columns + column as usize];
        into.recall_num.add(&pair.recall_num);
        into.precision_num.add(&pair.precision_num);
    }
    for row in 0..rows {
        into.recall_den.add(&counts[row * columns].recall_den);
    }
    for pair in &counts[..columns] {
        into.precision_den.add(&pair.precision_den);
    }
}

/// What the pairs are worth. Where a side has no split antecedents an empty one stands in, which is a
/// member of no entity and worth nothing.
fn credits(counts: &[Counts], chosen: &[(u32, u32)], columns: usize, splits: &Splits) -> Vec<Credit> {
    let credits = chosen.iter().filter_map(|&(row, column)| {
        let (key, response) = (splits.key.get(row as usize)?, splits.response.get(column as usize)?);
        let score = counts[row as usize * columns + column as usize].score();
        let (key, response) = (*key, *response);
        let followers = splits.followers[row as usize].iter().filter(|&&entity| entity == response).count();
        Some(Credit {
            key,
            response,
            recall: score.recall,
            precision: score.precision,
            f1: score.f1,
            followers: followers as u32,
        })
    });
    credits.collect()
}
