//! CEAF by similarities other than Luo's four: with weights by type, with partial credit, or by any function
//! of two entities.
//!
//! This code is separate from the plain metrics, so that these stay fast.

use crate::Side;
use crate::aligned::AlignedEntities;
use crate::assignment::{Edge, Solver, components};
use crate::error::{Error, Result};
use crate::fraction::{FractionSum, Ratio};
use crate::info::Variant;
use crate::overlap::OverlapCell;
use crate::tally::Tally;
use crate::weighed::{Weighed, WeighedCell, WeighedSide};

/// The two similarities that can be weighted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phi {
    Three,
    Four,
}

/// Counts weighted CEAF, as documented for φ3 and φ4.
pub(crate) fn tally(pair: &AlignedEntities, weighed: &Weighed, metric: &Variant, phi: Phi, into: &mut Tally) {
    let by = metric.by();
    let overlap = pair.similarity_view();
    let (mention_scale, entity_scale) = weighed.scales(by);
    let without = |response: u32| {
        phi == Phi::Four
            && pair.drops_response_singletons()
            && overlap.response_sizes()[response as usize] == 1
    };
    let shared = weighed.shared(overlap, by, metric.credits_words());
    let similarity = |(cell, shared): (&OverlapCell, &WeighedCell)| {
        if without(cell.response) {
            return Ratio::ZERO;
        }
        let entity = weighed.key.entity(cell.key, by).min(weighed.response.entity(cell.response, by));
        let (factor, factor_scale) = weighed.factor(cell, by);
        let weight = u128::from(entity) * u128::from(factor);
        let scale = u128::from(entity_scale) * u128::from(factor_scale) * u128::from(shared.scale);
        match phi {
            Phi::Three => Ratio::nearest(weight * shared.sum, scale * u128::from(mention_scale)),
            Phi::Four => {
                let (ours, theirs) = (
                    overlap.key_sizes()[cell.key as usize],
                    overlap.response_sizes()[cell.response as usize],
                );
                let all = weighed.key.mentions_of(cell.key, ours, by)
                    + weighed.response.mentions_of(cell.response, theirs, by);
                Ratio::nearest(2 * weight * shared.sum, scale * u128::from(all))
            }
        }
    };
    let similarities: Vec<Ratio> = overlap.cells().iter().zip(&shared).map(similarity).collect();
    let total = best(pair, &similarities);
    let own = |sizes: &[u32], side: &WeighedSide, without: &dyn Fn(u32) -> bool| {
        let mut sum = FractionSum::default();
        for (entity, &size) in (0..).zip(sizes).filter(|(entity, _)| !without(*entity)) {
            let (weight, mentions) = (side.entity(entity, by), side.mentions_of(entity, size, by));
            sum.add_ratio(match phi {
                Phi::Three => Ratio::nearest(
                    u128::from(weight) * u128::from(mentions),
                    u128::from(entity_scale) * u128::from(mention_scale),
                ),
                Phi::Four if mentions == 0 => Ratio::ZERO,
                Phi::Four => Ratio::nearest(weight.into(), entity_scale.into()),
            });
        }
        sum
    };
    let counts = &mut into.first;
    counts.recall_num.add(&total);
    counts.precision_num.add(&total);
    counts.recall_den.add(&own(overlap.key_sizes(), &weighed.key, &|_| false));
    counts.precision_den.add(&own(overlap.response_sizes(), &weighed.response, &without));
}

/// Returns the largest total of a one-to-one map, if the cells of the view for similarity have these
/// `ratios`. Each component is computed in integers over the common denominator, or over 2⁶² if that
/// is larger.
fn best(pair: &AlignedEntities, ratios: &[Ratio]) -> FractionSum {
    let cells = pair.similarity_view().cells();
    let mut total = FractionSum::default();
    let mut solver = Solver::<i128>::default();
    let (mut edges, mut pairs) = (Vec::new(), Vec::new());
    for part in pair.components().iter() {
        let own = part.iter().map(|&place| ratios[place as usize]);
        if is_star(part, cells) {
            own.max().into_iter().for_each(|best| total.add_ratio(best));
            continue;
        }
        let scale = Ratio::common_scale(own);
        edges.clear();
        edges.extend(part.iter().map(|&place| Edge {
            row: cells[place as usize].key,
            column: cells[place as usize].response,
            weight: ratios[place as usize].times(scale) as i128,
        }));
        pairs.clear();
        total.add_fraction(solver.solve(&edges, &mut pairs).unsigned_abs(), scale);
    }
    total
}

/// Two entities that share a mention, for a user-defined similarity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntityPairView {
    /// The position of the key entity.
    pub key: u32,
    /// The position of the response entity.
    pub response: u32,
    /// The number of mentions of the key entity.
    pub key_size: u32,
    /// The number of mentions of the response entity.
    pub response_size: u32,
    /// The number of mentions that they share, at least one.
    pub shared: u32,
}

/// An entity of one side, for its similarity to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SingleEntityView {
    /// The side of the entity.
    pub side: Side,
    /// The position of the entity on its side.
    pub entity: u32,
    /// The number of its mentions.
    pub size: u32,
}

/// The largest similarity that is accepted.
const MOST: u64 = 1 << 43;

/// Counts CEAF with a user-defined similarity (Luo 2005): the best one-to-one map of key entities to response entities
/// by `similarity`, divided by the worth of each entity by `own`, its similarity to itself.
///
/// `similarity` is called once for any two entities that share a mention, in the order of the overlap table, and counts
/// as 0 for all others; `own` is called for every entity. Both return ratios from 0 (a [`Ratio`] cannot be lower) to
/// 2⁴³. Two entities must not be more similar to each other than each is to itself. Other values are an error, because
/// recall or precision could exceed 1. Totals are exact as long as the common denominator of entities that are
/// connected by shared mentions is at most 2⁶². Otherwise each similarity is rounded to the nearest multiple of 2⁻⁶².
///
/// ```
/// use corefeval_metrics::fraction::Ratio;
/// use corefeval_metrics::aligned::align_entities;
/// use corefeval_metrics::{EntityPairView, SingleEntityView, ceaf_with};
/// let pair = align_entities(&[vec![1, 2, 3], vec![4, 5]], &[vec![1, 2], vec![3, 4, 5]]);
/// // Shared mentions over all mentions of both (Jaccard): 2/3 for the first two, 2/3 for the others.
/// let jaccard = |pair: &EntityPairView| {
///     let (shared, all) = (u64::from(pair.shared), u64::from(pair.key_size + pair.response_size));
///     Ratio::new(shared, all - shared).unwrap_or(Ratio::ZERO)
/// };
/// let one = |_: &SingleEntityView| Ratio::ONE;
/// let tally = ceaf_with(&pair, jaccard, one)?;
/// assert_eq!(tally.first.recall_num.to_ratio(), Some((4, 3)));
/// assert_eq!(tally.first.score().recall, 2.0 / 3.0);
/// # Ok::<(), corefeval_metrics::Error>(())
/// ```
///
/// # Errors
///
/// A ratio is above 2⁴³; two entities are more similar to each other than one of them is to itself.
pub fn ceaf_with(
    pair: &AlignedEntities,
    similarity: impl Fn(&EntityPairView) -> Ratio,
    own: impl Fn(&SingleEntityView) -> Ratio,
) -> Result<Tally> {
    let overlap = pair.similarity_view();
    let own = |side: Side, sizes: &[u32]| -> Vec<Ratio> {
        (0..).zip(sizes).map(|(entity, &size)| own(&SingleEntityView { side, entity, size })).collect()
    };
    let keys = own(Side::Key, overlap.key_sizes());
    let responses = own(Side::Response, overlap.response_sizes());
    if let Some(ratio) = keys.iter().chain(&responses).find(|ratio| !ratio.is_at_most(MOST)) {
        return Err(Error::metric(format!("an entity is similar to itself by {ratio}"), "stay below 2⁴³"));
    }
    let mut similarities = Vec::with_capacity(overlap.cells().len());
    for cell in overlap.cells() {
        let (key, response) = (cell.key as usize, cell.response as usize);
        let ratio = similarity(&EntityPairView {
            key: cell.key,
            response: cell.response,
            key_size: overlap.key_sizes()[key],
            response_size: overlap.response_sizes()[response],
            shared: cell.shared,
        });
        if ratio > keys[key] || ratio > responses[response] {
            let message = format!(
                "key entity {key} and response entity {response} are more similar ({ratio}) than to themselves ({}, {})",
                keys[key], responses[response]
            );
            return Err(Error::metric(message, "no entity may be more similar to another than to itself"));
        }
        similarities.push(ratio);
    }
    let total = best(pair, &similarities);
    let mut tally = Tally::default();
    let counts = &mut tally.first;
    counts.recall_num.add(&total);
    counts.precision_num.add(&total);
    keys.iter().for_each(|&ratio| counts.recall_den.add_ratio(ratio));
    responses.iter().for_each(|&ratio| counts.precision_den.add_ratio(ratio));
    Ok(tally)
}

/// The best one-to-one map of objects to other objects, and its value.
#[derive(Clone, Debug)]
pub struct ObjectMap {
    /// The similarity of the map over the total value of the objects of each side.
    pub tally: Tally,
    /// The objects that are mapped to each other, by their positions, in the order of the key.
    pub map: Vec<(u32, u32)>,
}

/// Counts CEAF of any objects (Luo 2005, section 5): relations, events, clusters of anything.
///
/// `key` and `response` are the similarities of the objects to themselves, and `similar` lists the similarities of
/// pairs of objects, by their positions. Two objects that are not listed have the similarity 0; if a pair is listed
/// twice, the larger similarity counts. The limits are those of [`ceaf_with`]: at most 2⁴³, and at most the similarity
/// of either object to itself.
///
/// ```
/// use corefeval_metrics::ceaf_of_objects;
/// use corefeval_metrics::fraction::Ratio;
/// let (half, one) = (Ratio::new(1, 2).unwrap(), Ratio::ONE);
/// // The response's only relation is half similar to the key's first relation, and equals the second.
/// let found = ceaf_of_objects(&[one, one], &[one], &[(0, 0, half), (1, 0, one)])?;
/// assert_eq!(found.map, [(1, 0)]);
/// assert_eq!(found.tally.first.score().recall, 0.5);
/// # Ok::<(), corefeval_metrics::Error>(())
/// ```
///
/// # Errors
///
/// A similarity is above 2⁴³; an object does not exist; two objects are more similar to each other than one of
/// them is to itself.
pub fn ceaf_of_objects(
    key: &[Ratio],
    response: &[Ratio],
    similar: &[(u32, u32, Ratio)],
) -> Result<ObjectMap> {
    for (side, own) in [(Side::Key, key), (Side::Response, response)] {
        if let Some(place) = own.iter().position(|ratio| !ratio.is_at_most(MOST)) {
            let message =
                format!("object {place} of the {} is similar to itself by {}", side.label(), own[place]);
            return Err(Error::metric(message, "stay below 2⁴³"));
        }
    }
    for &(one, other, ratio) in similar {
        let (Some(&ours), Some(&theirs)) = (key.get(one as usize), response.get(other as usize)) else {
            let message =
                format!("there is no pair of object {one} of the key and object {other} of the response");
            return Err(Error::metric(message, "number the objects of each side from 0"));
        };
        if ratio > ours.min(theirs) {
            let message = format!(
                "object {one} of the key and object {other} of the response are more similar ({ratio}) than to themselves ({ours}, {theirs})"
            );
            return Err(Error::metric(message, "no object may be more similar to another than to itself"));
        }
    }
    let edges = similar.iter().map(|&(one, other, _)| (one, other));
    let (mut total, mut map) = (FractionSum::default(), Vec::new());
    let mut solver = Solver::<i128>::default();
    let mut own = Vec::new();
    for part in components(key.len(), response.len(), edges).iter() {
        let scale = Ratio::common_scale(part.iter().map(|&place| similar[place as usize].2));
        own.clear();
        own.extend(part.iter().map(|&place| {
            let (row, column, ratio) = similar[place as usize];
            Edge { row, column, weight: ratio.times(scale) as i128 }
        }));
        total.add_fraction(solver.solve(&own, &mut map).unsigned_abs(), scale);
    }
    map.sort_unstable();
    let mut tally = Tally::default();
    tally.first.recall_num.add(&total);
    tally.first.precision_num.add(&total);
    key.iter().for_each(|&ratio| tally.first.recall_den.add_ratio(ratio));
    response.iter().for_each(|&ratio| tally.first.precision_den.add_ratio(ratio));
    Ok(ObjectMap { tally, map })
}

/// Returns whether only one entity of one of the sides is involved, so that the best edge is the solution.
#[inline]
pub(crate) fn is_star(part: &[u32], cells: &[OverlapCell]) -> bool {
    let (first, others) = (&cells[part[0] as usize], &part[1..]);
    let all = |same: fn(&OverlapCell, &OverlapCell) -> bool| {
        others.iter().all(|&place| same(&cells[place as usize], first))
    };
    others.is_empty()
        || all(|cell, first| cell.key == first.key)
        || all(|cell, first| cell.response == first.response)
}
