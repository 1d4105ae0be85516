//! The weights of mentions and entities, which supplement the overlap table.
//!
//! Callers with types of mentions and a table of weights fill in a [`Weighed`]. The metrics that support weights
//! (`b_cubed`, `ceaf_m`, `ceaf_e`, `lea`) read it. All weights are integers over a scale, so sums are exact.

use std::collections::BTreeMap;

pub use crate::by_type::{ByType, WeightNeeds};

use crate::Side;
use crate::fraction::gcd;
use crate::overlap::{Overlap, OverlapCell, View};

/// The weights of both sides of an alignment.
#[derive(Clone, Debug)]
pub struct Weighed {
    /// The weights of the key.
    pub key: WeighedSide,
    /// The weights of the response.
    pub response: WeighedSide,
    /// The shared mentions of each [`View`], as pairs of indexes into the mentions of the two sides. A view without
    /// separate pairs shares the first view's.
    pub views: [Option<Vec<(u32, u32)>>; 3],
    /// The number of common words and the number of words of the longer mention, for each pair of the view for
    /// similarity; empty if all aligned mentions have the same words.
    pub credits: Vec<(u32, u32)>,
    /// The weights of aligned mentions of different types, if they differ from the smaller of the two weights: by the
    /// positions of both, over the same scale.
    pub confusions: BTreeMap<(u32, u32), u32>,
    /// The similarities of entities of different types; `None` if types do not affect similarity.
    pub similarity: Option<TypeSimilarity>,
    /// The integers that represent 1 for the weight of a mention, the weight of an entity, and a similarity.
    pub scales: [u32; 3],
}

/// The similarities of entities of different types. Entities of the same type, or without one, have the similarity 1.
#[derive(Clone, Debug, Default)]
pub struct TypeSimilarity {
    /// The similarities by type of the key's entity and type of the response's entity.
    pub listed: BTreeMap<(u32, u32), u32>,
    /// The similarity of types that are not listed.
    pub default: u32,
}

/// The weights of one side.
#[derive(Clone, Debug, Default)]
pub struct WeighedSide {
    /// The weight of each mention.
    mentions: Vec<u32>,
    /// The entity of each mention.
    entity_of: Vec<u32>,
    /// The weight of each entity by its type.
    entities: Vec<u32>,
    /// The total weight of the mentions of each entity.
    sums: Vec<u64>,
    /// The type of each entity, by a number that both sides share; [`NO_TYPE`] for none.
    types: Vec<u32>,
}

/// The number of an entity without a type.
pub const NO_TYPE: u32 = u32::MAX;

/// The weighted number of mentions that two entities share: a sum over `scale`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WeighedCell {
    pub(crate) sum: u128,
    pub(crate) scale: u64,
}

impl WeighedSide {
    /// Creates a side on which every mention and every entity has the weight 1, from the entity of each mention.
    pub fn new(entity_of: Vec<u32>, entities: usize) -> WeighedSide {
        let mentions = vec![1; entity_of.len()];
        let side = WeighedSide { entity_of, entities: vec![1; entities], ..WeighedSide::default() };
        side.with_mentions(mentions)
    }

    /// Returns the side with a weight for each mention.
    #[must_use]
    pub fn with_mentions(mut self, weights: Vec<u32>) -> WeighedSide {
        self.mentions = weights;
        self.sums = vec![0; self.entities.len()];
        for (&entity, &weight) in self.entity_of.iter().zip(&self.mentions) {
            self.sums[entity as usize] += u64::from(weight);
        }
        self
    }

    /// Returns the side with a weight for each entity.
    #[must_use]
    pub fn with_entities(self, weights: Vec<u32>) -> WeighedSide {
        WeighedSide { entities: weights, ..self }
    }

    /// Returns the side with a type for each entity, or [`NO_TYPE`].
    #[must_use]
    pub fn with_types(self, types: Vec<u32>) -> WeighedSide {
        WeighedSide { types, ..self }
    }

    /// Returns the weight of a mention.
    fn weight(&self, place: u32, by: ByType) -> u64 {
        let mention = || u64::from(self.mentions[place as usize]);
        let entity = || u64::from(self.entities[self.entity_of[place as usize] as usize]);
        match by {
            ByType::One => 1,
            ByType::MentionType => mention(),
            ByType::EntityType => entity(),
            ByType::Table => mention() * entity(),
        }
    }

    /// Returns the total weight of all mentions.
    pub(crate) fn total(&self, by: ByType) -> u128 {
        (0..self.mentions.len() as u32).map(|place| u128::from(self.weight(place, by))).sum()
    }

    /// Returns the total weight of an entity's mentions by their types, or `size` if `by` ignores these.
    pub(crate) fn mentions_of(&self, entity: u32, size: u32, by: ByType) -> u64 {
        if by.mention_types() { self.sums[entity as usize] } else { size.into() }
    }

    /// Returns the weight of an entity by its type; 1 if `by` ignores it.
    pub(crate) fn entity(&self, entity: u32, by: ByType) -> u64 {
        if by.entity_types() { self.entities[entity as usize].into() } else { 1 }
    }
}

impl Weighed {
    /// Creates sides on which all mentions and entities have the same weight, with the shared mentions of each view.
    pub fn new(key: WeighedSide, response: WeighedSide, views: [Option<Vec<(u32, u32)>>; 3]) -> Weighed {
        Weighed {
            key,
            response,
            views,
            credits: Vec::new(),
            confusions: BTreeMap::new(),
            similarity: None,
            scales: [1; 3],
        }
    }

    /// Returns the integers that represent the weight 1 of a mention, by its type, and of an entity.
    pub(crate) fn scales(&self, by: ByType) -> (u64, u64) {
        let mention = if by.mention_types() { self.scales[0].into() } else { 1 };
        (mention, if by.entity_types() { self.scales[1].into() } else { 1 })
    }

    /// Returns the factor of the similarity of two entities, over its scale.
    pub(crate) fn factor(&self, cell: &OverlapCell, by: ByType) -> (u64, u64) {
        let Some(similarity) = self.similarity.as_ref().filter(|_| by.entity_types()) else { return (1, 1) };
        let (key, response) =
            (self.key.types[cell.key as usize], self.response.types[cell.response as usize]);
        if key == response || [key, response].contains(&NO_TYPE) {
            return (1, 1);
        }
        let listed = similarity.listed.get(&(key, response));
        (listed.copied().unwrap_or(similarity.default).into(), self.scales[2].into())
    }

    /// Returns the shared mentions of a view, as pairs of indexes.
    pub fn pairs(&self, view: View) -> &[(u32, u32)] {
        self.views[view as usize].as_deref().or(self.views[0].as_deref()).unwrap_or_default()
    }

    /// Returns, for each cell of `overlap`, which is the table of `view`, the weight of its shared mentions on a side.
    pub(crate) fn sums(&self, overlap: &Overlap, view: View, side: Side, by: ByType) -> Vec<u128> {
        let mut sums = vec![0; overlap.cells().len()];
        for &(ours, theirs) in self.pairs(view) {
            let weight = match side {
                Side::Response => self.response.weight(theirs, by),
                Side::Key => self.key.weight(ours, by),
            };
            sums[self.cell(overlap, ours, theirs)] += u128::from(weight);
        }
        sums
    }

    /// Returns, for each cell of the view for similarity, the weight of its shared mentions. For two aligned mentions,
    /// this is the smaller weight by mention type, or the weight of their confusion, times the share of common words if
    /// `credit` requires it.
    pub(crate) fn shared(&self, overlap: &Overlap, by: ByType, credit: bool) -> Vec<WeighedCell> {
        let pairs = self.pairs(View::Similarity);
        let weight = |&(ours, theirs): &(u32, u32)| match by.mention_types() {
            true => {
                let least = self.key.mentions[ours as usize].min(self.response.mentions[theirs as usize]);
                self.confusions.get(&(ours, theirs)).copied().unwrap_or(least)
            }
            false => 1,
        };
        let mut cells = vec![WeighedCell { sum: 0, scale: 1 }; overlap.cells().len()];
        if !credit || self.credits.is_empty() {
            for pair in pairs {
                cells[self.cell(overlap, pair.0, pair.1)].sum += u128::from(weight(pair));
            }
            return cells;
        }
        // The common denominator of each cell is computed first, then the sums over it.
        let credits = self.credits.iter().map(|&(shared, longer)| in_lowest_terms(shared, longer));
        let placed: Vec<(usize, u32, (u32, u32))> = pairs
            .iter()
            .zip(credits)
            .map(|(pair, credit)| (self.cell(overlap, pair.0, pair.1), weight(pair), credit))
            .collect();
        for &(cell, _, (_, longer)) in &placed {
            let scale = &mut cells[cell].scale;
            *scale = match *scale {
                ROUNDED => ROUNDED,
                scale => common_multiple(scale, longer.into()),
            };
        }
        for &(cell, weight, (shared, longer)) in &placed {
            let WeighedCell { sum, scale } = &mut cells[cell];
            let scaled = u128::from(shared) * u128::from(*scale);
            let worth = (scaled + u128::from(longer / 2)) / u128::from(longer);
            *sum += u128::from(weight) * worth;
        }
        cells
    }

    /// Returns the position of the cell that contains two mentions.
    fn cell(&self, overlap: &Overlap, ours: u32, theirs: u32) -> usize {
        overlap.place(self.key.entity_of[ours as usize], self.response.entity_of[theirs as usize])
    }
}

/// The scale of sums of shares whose common denominator would be larger.
const ROUNDED: u64 = 1 << 40;

fn common_multiple(a: u64, b: u64) -> u64 {
    let shared = gcd(a.into(), b.into()) as u64;
    a.checked_mul(b / shared).filter(|&scale| scale < ROUNDED).unwrap_or(ROUNDED)
}

fn in_lowest_terms(shared: u32, longer: u32) -> (u32, u32) {
    let divisor = gcd(shared.into(), longer.into()).max(1) as u32;
    (shared / divisor, longer / divisor)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates one entity on each side. Each pair of mentions shares one word, and `longer` has the number of words of
    /// the longer mention.
    fn shared(longer: &[u32]) -> WeighedCell {
        let places = 0..longer.len() as u32;
        let count = places.len();
        let side = || WeighedSide::new(vec![0; count], 1).with_mentions(vec![3; count]);
        let views = [Some(places.clone().map(|place| (place, place)).collect()), None, None];
        let credits = longer.iter().map(|&longer| (1, longer)).collect();
        let weighed = Weighed { credits, ..Weighed::new(side(), side(), views) };
        let overlap = Overlap::new(vec![count as u32], vec![count as u32], places.map(|_| (0, 0)));
        weighed.shared(&overlap, ByType::MentionType, true)[0]
    }

    #[test]
    fn shares_of_words_are_exact_or_rounded_in_any_order() {
        let cell = shared(&[2, 3, 4]);
        assert_eq!((cell.sum, cell.scale), (3 * (6 + 4 + 3), 12));
        // Hundreds of words, whose common denominator is too large.
        let mut primes = vec![101, 103, 107, 109, 113, 127, 131];
        let one = shared(&primes);
        primes.reverse();
        let other = shared(&primes);
        assert_eq!((one.sum, one.scale), (other.sum, other.scale));
        assert_eq!(one.scale, ROUNDED);
        let exact: f64 = primes.iter().map(|&prime| 3.0 / f64::from(prime)).sum();
        assert!((one.sum as f64 / ROUNDED as f64 - exact).abs() < 1e-10);
    }
}
