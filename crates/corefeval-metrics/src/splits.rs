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

use crate::assignment::{Edge, maximum_weight};
use crate::fraction::FractionSum;
use crate::info::Variant;
use crate::overlap::{AlignedEntities, Overlap, align_entities};
use crate::tally::{Counts, Tally};

/// The split antecedents of both sides.
#[derive(Clone, Debug, Default)]
pub struct SplitTable {
    /// Of the key.
    pub key: Vec<SplitMember>,
    /// Of the response.
    pub response: Vec<SplitMember>,
    /// Whether they alone are scored.
    pub only: bool,
}

/// A split antecedent: a member of an entity that is the sum of others.
#[derive(Clone, Debug)]
pub struct SplitMember {
    /// The entity.
    pub entity: u32,
    /// The entities that it is the sum of, as mentions by a number that is the same for aligned ones.
    pub parts: Vec<Vec<u32>>,
    /// The response entities of those mentions of its entity that come after it; for the key alone, and for BLANC,
    /// which counts no link to others in the Universal Anaphora scorer.
    pub followers: Vec<u32>,
}

/// The split antecedents of both sides, with the sets of entities of each two of them aligned.
#[derive(Clone, Debug)]
pub struct Splits {
    /// The entity that each split antecedent of the key is a member of.
    key: Vec<u32>,
    /// The same of the response.
    response: Vec<u32>,
    /// The sets of entities that they are the sums of, for each of the key and each of the response, by key. A side
    /// without split antecedents contributes one empty set.
    pairs: Vec<AlignedEntities>,
    /// Whether they alone are scored.
    only: bool,
    /// For each of the key, the response entities of the mentions of its entity that come after it.
    followers: Vec<Vec<u32>>,
}

impl Splits {
    pub(crate) fn new(table: &SplitTable) -> Splits {
        fn sets(side: &[SplitMember]) -> Vec<&[Vec<u32>]> {
            if side.is_empty() {
                vec![&[]]
            } else {
                side.iter().map(|split| split.parts.as_slice()).collect()
            }
        }
        let (keys, responses) = (sets(&table.key), sets(&table.response));
        let pairs = keys
            .iter()
            .flat_map(|key| responses.iter().map(|response| align_entities(key, response)))
            .collect();
        let entities = |side: &[SplitMember]| side.iter().map(|split| split.entity).collect();
        let (key, response) = (entities(&table.key), entities(&table.response));
        let followers = table.key.iter().map(|split| split.followers.clone()).collect();
        Splits { key, response, pairs, only: table.only, followers }
    }
}

/// How a metric counts where there are split antecedents.
pub(crate) struct SplitRules {
    /// What is counted over two sets of entities that two split antecedents are the sums of.
    pub(crate) sets: fn(&AlignedEntities, &Variant, &mut Tally),
    /// What is counted over a document in which pairs of split antecedents have a worth.
    pub(crate) document: fn(&CreditedPair<'_>, &Variant, &mut Tally),
    /// The same for the second counts, of metrics whose two counts each have pairs of their own.
    pub(crate) second: Option<fn(&CreditedPair<'_>, &Variant, &mut Tally)>,
}

/// A document with the worth of each pair of split antecedents.
pub(crate) struct CreditedPair<'p> {
    /// All but the split antecedents; they count in the sizes of entities.
    pub(crate) pair: &'p AlignedEntities,
    credits: Vec<Credit>,
    splits: &'p Splits,
}

/// A pair of split antecedents: the entities that they are members of, and what the pair is worth.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Credit {
    pub(crate) key: u32,
    pub(crate) response: u32,
    recall: f64,
    precision: f64,
    pub(crate) f1: f64,
    /// Mentions of both entities that come after the key's split antecedent.
    pub(crate) followers: u32,
}

/// What two entities share, seen from one side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CreditedCell {
    /// The entity of the side that is looked from.
    pub(crate) entity: u32,
    /// The entity of the other side.
    pub(crate) other: u32,
    /// Shared mentions.
    pub(crate) shared: u32,
    /// The worth of their split antecedents, if those are paired with each other.
    pub(crate) credit: f64,
}

impl CreditedPair<'_> {
    /// From the key's side.
    pub(crate) fn recall_cells(&self) -> Vec<CreditedCell> {
        self.cells(self.pair.recall_view(), |credit| credit.recall)
    }

    /// From the response's side.
    pub(crate) fn precision_cells(&self) -> Vec<CreditedCell> {
        let mut cells = self.cells(self.pair.precision_view(), |credit| credit.precision);
        for cell in &mut cells {
            std::mem::swap(&mut cell.entity, &mut cell.other);
        }
        cells
    }

    /// From no side; the entity is the key's.
    pub(crate) fn similarity_cells(&self) -> Vec<CreditedCell> {
        self.cells(self.pair.similarity_view(), |credit| credit.f1)
    }

    /// The entities of both sides that have a split antecedent.
    pub(crate) fn entities_with_splits(&self) -> (&[u32], &[u32]) {
        (&self.splits.key, &self.splits.response)
    }

    /// The pairs of split antecedents that are worth something.
    pub(crate) fn credits(&self) -> &[Credit] {
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
pub(crate) fn add_real(sum: &mut FractionSum, value: f64) {
    const ONE: u64 = 1 << 60;
    sum.add_fraction((value * ONE as f64).round() as u128, ONE);
}

/// Adds what `metric` counts in a document with split antecedents.
pub(crate) fn tally(
    metric: &Variant,
    rules: &SplitRules,
    pair: &AlignedEntities,
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
