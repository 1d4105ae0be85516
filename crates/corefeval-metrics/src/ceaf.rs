//! CEAF: the best one-to-one map of key entities to response entities.

use std::cell::RefCell;

use crate::aligned::AlignedEntities;
use crate::assignment::{Bounds, Edge, Solver, maximum_weight};
use crate::bounded::{self, SearchLimits};
use crate::credited::{CreditedPair, SplitRules};
use crate::fraction::{FIXED_POINT, FractionSum, common_denominator};
use crate::info::{ParameterSpec, Variant};
use crate::metric::EntityMetric;
use crate::overlap::{Overlap, OverlapCell, View};
use crate::shares::{MentionShare, Share, Shares, SidedCell, of_view};
use crate::similarity::{Phi4, Similarity, is_equal, kept_responses};
use crate::tally::Tally;
use crate::weighted::{self, Phi, is_star};
use crate::{Side, metric_info};

metric_info! {
    /// # CEAF φ1
    ///
    /// ## What it measures
    ///
    /// The share of entities that have exactly the same mentions on both sides.
    ///
    /// ## Definition
    ///
    /// CEAF (see `ceaf_e`) with φ1(K, R) = 1 if K = R, else 0. Recall and precision are equal
    /// entities over key entities and over response entities.
    ///
    /// ## Edge cases
    ///
    /// A side without entities is undefined and scores 0. One wrong mention makes the whole entity wrong.
    ///
    /// ## Example
    ///
    /// Luo's key `{1-5} {6 7} {8-C}`, response `{1-5} {6-C}`: recall 1/3, precision 1/2.
    ///
    /// ## References
    ///
    /// `luo-2005`.
    ///
    /// ## Other scorers
    ///
    /// Other scorers do not compute it.
    pub static CEAF_1 = {
        id: "ceaf_1",
        label: "CEAF φ1",
        aliases: &["ceaf1"],
        summary: "entities that are equal",
        references: &["luo-2005"],
        counts_singletons: true,
    }
}

pub(crate) static PHI_1: EntityMetric = EntityMetric {
    info: &CEAF_1,
    tally: tally_phi_1,
    splits: Some(SplitRules { sets: tally_phi_1, document: document_phi_1, second: None }),
    shares: Some(MentionShare {
        summary: "1 / |E| if the best map gives E its equal, out of 1 / |E|",
        shares: |pair, _, side| mapped_entities(pair, side, Similarity::Phi1),
    }),
    map: Some(Similarity::Phi1),
    ..EntityMetric::PLAIN
};

metric_info! {
    /// # CEAF φ2
    ///
    /// ## What it measures
    ///
    /// The share of entities that the best one-to-one map pairs with an entity
    /// that shares a mention.
    ///
    /// ## Definition
    ///
    /// CEAF (see `ceaf_e`) with φ2(K, R) = 1 if K and R share a mention, else 0.
    ///
    /// ## Edge cases
    ///
    /// A side without entities is undefined and scores 0.
    ///
    /// ## Example
    ///
    /// Luo's key `{1-5} {6 7} {8-C}`, response `{1-5} {6-C}`: recall 2/3, precision 2/2.
    ///
    /// ## References
    ///
    /// `luo-2005`.
    ///
    /// ## Other scorers
    ///
    /// Other scorers do not compute it.
    pub static CEAF_2 = {
        id: "ceaf_2",
        label: "CEAF φ2",
        aliases: &["ceaf2"],
        summary: "entities mapped one to one to an entity that shares a mention",
        references: &["luo-2005"],
        counts_singletons: true,
    }
}

pub(crate) static PHI_2: EntityMetric = EntityMetric {
    info: &CEAF_2,
    tally: tally_phi_2,
    splits: Some(SplitRules { sets: tally_phi_2, document: document_phi_2, second: None }),
    shares: Some(MentionShare {
        summary: "1 / n if the best map gives E the entity of the other side that contains it, out of 1 / |E|",
        shares: |pair, _, side| mapped_entities(pair, side, Similarity::Phi2),
    }),
    map: Some(Similarity::Phi2),
    ..EntityMetric::PLAIN
};

metric_info! {
    /// # CEAF φ3 (mention-based CEAF)
    ///
    /// ## What it measures
    ///
    /// The number of mentions in the right entity, when every entity has at most one counterpart on the
    /// other side.
    ///
    /// ## Definition
    ///
    /// CEAF (see `ceaf_e`) with φ3(K, R) = |K ∩ R|; the denominators are the numbers of
    /// mentions.
    ///
    /// ## Weights
    ///
    /// Luo names weights as an extension. With `weight=mention-type`, `entity-type` or `table` (both) φ(K, R) = s(K, R)
    /// · min(e(K), e(R)) · Σ min(w(k), w(r)) · c(k, r) over aligned mentions k of K and r of R, where `--weights` sets
    /// the weight of a mention by its type (w), of an entity by its type (e), and the similarity of two types of
    /// entities (s, 1 for the same type); its table `confusion` sets w(k, r) for two types of mentions instead of
    /// min(w(k), w(r)); the denominators are Σ e(K) · Σ w(k). With `credit=words`, aligned mentions count c(k, r) = |k
    /// ∩ r| / max(|k|, |r|) of their words, otherwise 1. If all weights are 1 and aligned mentions have the same words,
    /// this equals φ3 as above. A perfect response scores 1 for any weights, unless all are 0. A mention without a type
    /// takes its counterpart's weight, otherwise the default.
    ///
    /// ## Edge cases
    ///
    /// A side without mentions is undefined and scores 0. Two zeros that are aligned have no words and count 1.
    ///
    /// ## Example
    ///
    /// Luo's key `{1-5} {6 7} {8-C}`, response `{1-5} {6-C}`: recall and precision 10/12.
    ///
    /// ## References
    ///
    /// `luo-2005`.
    ///
    /// ## Other scorers
    ///
    /// `ceafm` of the reference scorer.
    pub static CEAF_M = {
        id: "ceaf_m",
        label: "CEAF φ3",
        aliases: &["ceafm", "ceaf_3", "ceaf3", "ceaf_phi3", "phi3", "ceaf"],
        summary: "mentions in common under the best map of entities",
        references: &["luo-2005"],
        parameters: PARAMETERS,
        counts_singletons: true,
        settings: &["ceaf-bound"],
        reference_scorer: Some("ceafm"),
    }
}

/// CEAF φ3.
pub static PHI_3: EntityMetric = EntityMetric {
    info: &CEAF_M,
    tally: tally_phi_3,
    splits: Some(SplitRules { sets: tally_phi_3, document: document_phi_3, second: None }),
    shares: Some(MentionShare {
        summary: "1 if the best map gives E the entity of the other side that contains it, out of 1",
        shares: |pair, _, side| mapped(pair, side, Similarity::Phi3, |_| Share::ONE, |_| Share::ONE),
    }),
    entity_score: Some("|K ∩ R| / |K| with the R that the best map gives it"),
    upper: Some(bounded::upper_score),
    map: Some(Similarity::Phi3),
    empty_entity: Some(0),
    ..EntityMetric::PLAIN
};

metric_info! {
    /// # CEAF φ4 (entity-based CEAF)
    ///
    /// ## What it measures
    ///
    /// The similarity of entities, when every entity has at most one counterpart on the other side. All
    /// entities have the same weight, regardless of size.
    ///
    /// ## Definition
    ///
    /// With a similarity φ of entities and the one-to-one map g* of key entities to response
    /// entities of largest total similarity: recall = Σ φ(K, g*(K)) / Σ φ(K, K), precision = the same
    /// numerator / Σ φ(R, R). Here φ4(K, R) = 2 |K ∩ R| / (|K| + |R|), so the denominators are the
    /// numbers of entities. Entities without common mentions are never compared. The map is found exactly:
    /// within each connected component of entities that share mentions, similarities are integers over
    /// the common denominator of the component, or over 2⁶² (rounded to nearest) if that is too
    /// large; so the total does not depend on the order of the input.
    ///
    /// ## Weights
    ///
    /// See `ceaf_m` for w, e, s and c. The similarity is φ(K, R) = s(K, R) · min(e(K), e(R)) ·
    /// 2 Σ min(w(k), w(r)) · c(k, r) / (Σ w(k) + Σ w(r)), with sums over aligned mentions in the numerator
    /// and over all mentions of K and of R in the denominator; the denominators of the score are Σ e(K) and Σ e(R) over
    /// entities with mentions of non-zero weight.
    ///
    /// ## Edge cases
    ///
    /// A side without entities is undefined and scores 0. Swapping key and response swaps recall and
    /// precision.
    ///
    /// ## Example
    ///
    /// Luo's key `{1-5} {6 7} {8-C}`, response `{1-5} {6-C}`: (1 + 10/12)/3 and (1 + 10/12)/2.
    ///
    /// ## References
    ///
    /// `luo-2005`; `kuhn-1955`, `munkres-1957`, `jonker-1987` for the assignment.
    ///
    /// ## Other scorers
    ///
    /// `ceafe` of the reference scorer and of coval. The e2e family first drops the singletons of
    /// the response only (`--ceaf-singletons key-only`).
    pub static CEAF_E = {
        id: "ceaf_e",
        label: "CEAF φ4",
        aliases: &["ceafe", "ceaf_4", "ceaf4", "ceaf_phi4", "phi4", "ceaf"],
        summary: "similarity of entities under the best map",
        references: &["luo-2005"],
        parameters: PARAMETERS,
        counts_singletons: true,
        settings: &["ceaf-singletons", "ceaf-bound"],
        reference_scorer: Some("ceafe"),
    }
}

pub(crate) static PHI_4: EntityMetric = EntityMetric {
    info: &CEAF_E,
    tally: tally_phi_4,
    splits: Some(SplitRules { sets: tally_phi_4, document: document_phi_4, second: None }),
    shares: Some(MentionShare {
        summary: "2 / (|E| + |F|) if the best map gives E the entity F of the other side that contains it, out of 1 / |E|",
        shares: shares_of_phi_4,
    }),
    entity_score: Some("φ4(K, R) with the R that the best map gives it"),
    upper: Some(bounded::upper_score),
    map: Some(Similarity::Phi4),
    empty_entity: Some(1),
    ..EntityMetric::PLAIN
};

/// The parameters of φ3 and φ4.
const PARAMETERS: &[ParameterSpec] = &[
    ParameterSpec {
        name: "weight",
        values: &["mention", "mention-type", "entity-type", "table"],
        summary: "equal weight for every mention, or weights by type",
    },
    ParameterSpec {
        name: "credit",
        values: &["full", "words"],
        summary: "the credit of aligned mentions with different words: 1, or the share of common words",
    },
];

fn tally_phi_1(pair: &AlignedEntities, _: &Variant, into: &mut Tally) {
    let overlap = pair.similarity_view();
    // If mentions are repeated, an entity may equal several others.
    let total = FractionSum::integer(best_integer(pair, |cell| is_equal(overlap, cell)));
    add(into, &total, entities(overlap));
}

fn tally_phi_2(pair: &AlignedEntities, _: &Variant, into: &mut Tally) {
    let total = FractionSum::integer(best_integer(pair, |_| 1));
    add(into, &total, entities(pair.similarity_view()));
}

pub(crate) fn tally_phi_3(pair: &AlignedEntities, metric: &Variant, into: &mut Tally) {
    if let Some(weighed) = pair.weighed().filter(|_| !metric.is_plain()) {
        return weighted::tally(pair, weighed, metric, Phi::Three, into);
    }
    let shared = |cell: &OverlapCell| i64::from(cell.shared);
    if let Some(search) = SearchLimits::of(pair) {
        let bounds = map_by_integers(pair, Some(&search), shared, None);
        bounded::add_excess(into, &FractionSum::integer(bounds.upper - bounds.lower));
        return add(into, &FractionSum::integer(bounds.lower), mentions(pair));
    }
    let total = FractionSum::integer(best_integer(pair, shared));
    add(into, &total, mentions(pair));
}

/// Returns the number of mentions of both sides, including all copies of repeated mentions.
fn mentions(pair: &AlignedEntities) -> (u64, u64) {
    (pair.recall_view().key_mentions(), pair.precision_view().response_mentions())
}

fn tally_phi_4(pair: &AlignedEntities, metric: &Variant, into: &mut Tally) {
    if let Some(weighed) = pair.weighed().filter(|_| !metric.is_plain()) {
        return weighted::tally(pair, weighed, metric, Phi::Four, into);
    }
    let search = SearchLimits::of(pair);
    let pair = pair.ceaf_e_view();
    let found = map_by_phi_4(pair, search.as_ref(), None);
    bounded::add_excess(into, &found.excess);
    add(into, &found.total, entities(pair.similarity_view()));
}

fn document_phi_1(credited: &CreditedPair<'_>, _: &Variant, into: &mut Tally) {
    let same = |shared: f64, key: f64, response: f64| f64::from(shared == key && shared == response);
    document(credited, same, entities, into);
}

fn document_phi_2(credited: &CreditedPair<'_>, _: &Variant, into: &mut Tally) {
    document(credited, |shared, _, _| f64::from(shared > 0.0), entities, into);
}

fn document_phi_3(credited: &CreditedPair<'_>, _: &Variant, into: &mut Tally) {
    let mentions = |overlap: &Overlap| (overlap.key_mentions(), overlap.response_mentions());
    document(credited, |shared, _, _| shared, mentions, into);
}

fn document_phi_4(credited: &CreditedPair<'_>, _: &Variant, into: &mut Tally) {
    document(credited, |shared, key, response| 2.0 * shared / (key + response), entities, into);
}

/// Counts the best map of a document in which split antecedents add their worth to the mentions
/// that two entities share.
fn document(
    credited: &CreditedPair<'_>,
    similarity: impl Fn(f64, f64, f64) -> f64,
    all: impl Fn(&Overlap) -> (u64, u64),
    into: &mut Tally,
) {
    let overlap = credited.pair.similarity_view();
    let (keys, responses) = (overlap.key_sizes(), overlap.response_sizes());
    let cells = credited.similarity_cells();
    let similarities: Vec<f64> = cells
        .iter()
        .map(|cell| {
            let shared = f64::from(cell.shared) + cell.credit;
            similarity(shared, keys[cell.entity as usize].into(), responses[cell.other as usize].into())
        })
        .collect();
    let edges: Vec<Edge<i128>> = cells
        .iter()
        .zip(&similarities)
        .map(|(cell, similarity)| {
            let weight = (similarity * FIXED_POINT as f64).round() as i128;
            Edge { row: cell.entity, column: cell.other, weight }
        })
        .collect();
    let best = maximum_weight(keys.len(), responses.len(), &edges).total;
    let mut total = FractionSum::default();
    total.add_fraction(best.unsigned_abs(), FIXED_POINT);
    add(into, &total, all(overlap));
}

/// Adds the same numerator to recall and precision.
fn add(into: &mut Tally, total: &FractionSum, (key, response): (u64, u64)) {
    let counts = &mut into.first;
    counts.recall_num.add(total);
    counts.precision_num.add(total);
    counts.recall_den.add_integer(key.into());
    counts.precision_den.add_integer(response.into());
}

fn entities(overlap: &Overlap) -> (u64, u64) {
    (overlap.key_sizes().len() as u64, overlap.response_sizes().len() as u64)
}

/// Memory that is reused for all components and documents of a thread.
#[derive(Default)]
struct Workspace {
    narrow: Solver<i64>,
    narrow_edges: Vec<Edge<i64>>,
    wide: Solver<i128>,
    wide_edges: Vec<Edge<i128>>,
    pairs: Vec<(u32, u32)>,
}

thread_local! {
    static WORKSPACE: RefCell<Workspace> = RefCell::default();
}

/// Returns the largest total of integer similarities.
fn best_integer(pair: &AlignedEntities, similarity: impl Fn(&OverlapCell) -> i64) -> i128 {
    map_by_integers(pair, None, similarity, None).lower
}

/// Receives the pairs of a map, grouped by component.
type SeeMapped<'m> = &'m mut dyn FnMut(&[(u32, u32)]);

/// Like [`best_integer`], but finds bounds of the total if the search is limited, and the pairs of the map if `mapped`
/// is given.
fn map_by_integers(
    pair: &AlignedEntities,
    search: Option<&SearchLimits>,
    similarity: impl Fn(&OverlapCell) -> i64,
    mut mapped: Option<SeeMapped<'_>>,
) -> Bounds<i128> {
    let cells = pair.similarity_view().cells();
    let exactly = |weight: i64| Bounds { lower: weight, upper: weight };
    let mut best = |part: &[u32], work: &mut Workspace| -> Bounds<i64> {
        let part_cells = part.iter().map(|&place| &cells[place as usize]);
        if is_star(part, cells) {
            let weighed = part_cells.map(|cell| (similarity(cell), cell));
            let best = weighed.reduce(|best, next| if next.0 > best.0 { next } else { best });
            let Some((weight, cell)) = best.filter(|best| best.0 > 0) else { return exactly(0) };
            if let Some(mapped) = &mut mapped {
                mapped(&[(cell.key, cell.response)]);
            }
            return exactly(weight);
        }
        let edges =
            part_cells.map(|cell| Edge { row: cell.key, column: cell.response, weight: similarity(cell) });
        work.narrow_edges.clear();
        work.narrow_edges.extend(edges);
        work.pairs.clear();
        let bounds = match search {
            None if mapped.is_none() => exactly(work.narrow.total(&work.narrow_edges)),
            None => exactly(work.narrow.solve(&work.narrow_edges, &mut work.pairs)),
            Some(search) => {
                let slack = search.slack(pair.similarity_view(), part, bounded::CountedUnit::Mentions, 1);
                work.narrow.bound(&work.narrow_edges, &mut work.pairs, &search.limit(slack as i64))
            }
        };
        if let Some(mapped) = &mut mapped {
            mapped(&work.pairs);
        }
        bounds
    };
    WORKSPACE.with_borrow_mut(|work| {
        pair.components().iter().fold(Bounds { lower: 0, upper: 0 }, |sum, part| {
            let own = best(part, work);
            Bounds { lower: sum.lower + i128::from(own.lower), upper: sum.upper + i128::from(own.upper) }
        })
    })
}

/// The total of a map by φ4.
#[derive(Debug, Default)]
struct TotalPhi4 {
    total: FractionSum,
    /// The maximum amount by which a better map could exceed the total; 0 unless a search was limited.
    excess: FractionSum,
}

/// Returns the largest total of φ4, or one near it if a search is limited, and the pairs of the map if `mapped` is
/// given.
fn map_by_phi_4(
    pair: &AlignedEntities,
    search: Option<&SearchLimits>,
    mut mapped: Option<SeeMapped<'_>>,
) -> TotalPhi4 {
    let overlap = pair.similarity_view();
    let cells = overlap.cells();
    let TotalPhi4 { mut total, mut excess } = TotalPhi4::default();
    WORKSPACE.with_borrow_mut(|work| {
        for part in pair.components().iter() {
            let part_cells = part.iter().map(|&place| &cells[place as usize]);
            if is_star(part, cells) {
                let weighed = part_cells.map(|cell| (Phi4::of(overlap, cell), cell));
                let best = weighed.reduce(|best, next| if best.0.at_least(next.0) { best } else { next });
                if let Some((phi, cell)) = best {
                    total.add_fraction(phi.numerator.into(), phi.denominator);
                    if let Some(mapped) = &mut mapped {
                        mapped(&[(cell.key, cell.response)]);
                    }
                }
                continue;
            }
            work.pairs.clear();
            let denominators = part_cells.clone().map(|cell| Phi4::of(overlap, cell).denominator);
            // Sums fit an `i64`: no similarity exceeds 1, so a total is at most the number of cells times the scale.
            if let Some(scale) = common_denominator(denominators, (1 << 61) / part.len() as u128) {
                let scale = scale as u64;
                let edges = part_cells.map(|cell| {
                    let phi = Phi4::of(overlap, cell);
                    let weight = (phi.numerator * (scale / phi.denominator)) as i64;
                    Edge { row: cell.key, column: cell.response, weight }
                });
                work.narrow_edges.clear();
                work.narrow_edges.extend(edges);
                let best = match search {
                    None if mapped.is_none() => work.narrow.total(&work.narrow_edges),
                    None => work.narrow.solve(&work.narrow_edges, &mut work.pairs),
                    Some(search) => {
                        let slack = search.slack(overlap, part, bounded::CountedUnit::Entities, scale);
                        let limit = search.limit(slack as i64);
                        let Bounds { lower, upper } =
                            work.narrow.bound(&work.narrow_edges, &mut work.pairs, &limit);
                        excess.add_fraction((upper - lower) as u128, scale);
                        lower
                    }
                };
                total.add_fraction(best as u128, scale);
            } else {
                let edges = part_cells.map(|cell| {
                    let phi = Phi4::of(overlap, cell);
                    let scaled = u128::from(phi.numerator) * u128::from(FIXED_POINT);
                    let nearest = (scaled + u128::from(phi.denominator / 2)) / u128::from(phi.denominator);
                    Edge { row: cell.key, column: cell.response, weight: nearest as i128 }
                });
                work.wide_edges.clear();
                work.wide_edges.extend(edges);
                let best = match search {
                    None if mapped.is_none() => work.wide.total(&work.wide_edges),
                    None => work.wide.solve(&work.wide_edges, &mut work.pairs),
                    Some(search) => {
                        let slack = search.slack(overlap, part, bounded::CountedUnit::Entities, FIXED_POINT);
                        let limit = search.limit(slack as i128);
                        let bounds = work.wide.bound(&work.wide_edges, &mut work.pairs, &limit);
                        let Bounds { lower, upper } = bounded::beyond_rounding(bounds, part.len());
                        excess.add_fraction((upper - lower) as u128, FIXED_POINT);
                        lower
                    }
                };
                total.add_fraction(best as u128, FIXED_POINT);
            }
            if let Some(mapped) = &mut mapped {
                mapped(&work.pairs);
            }
        }
    });
    TotalPhi4 { total, excess }
}

/// Returns the pairs of entities of one best map under a similarity, by their numbers in the view for similarity.
pub(crate) fn best_map(pair: &AlignedEntities, similarity: Similarity) -> Vec<(u32, u32)> {
    let mut all = Vec::new();
    let mut mapped = |pairs: &[(u32, u32)]| all.extend_from_slice(pairs);
    let overlap = pair.similarity_view();
    match similarity {
        Similarity::Phi1 => {
            _ = map_by_integers(pair, None, |cell| is_equal(overlap, cell), Some(&mut mapped))
        }
        Similarity::Phi2 => _ = map_by_integers(pair, None, |_| 1, Some(&mut mapped)),
        Similarity::Phi3 => _ = map_by_integers(pair, None, |cell| i64::from(cell.shared), Some(&mut mapped)),
        Similarity::Phi4 => _ = map_by_phi_4(pair.ceaf_e_view(), None, Some(&mut mapped)),
    }
    if let Some(kept) = kept_responses(pair, similarity) {
        all.iter_mut().for_each(|pair| pair.1 = kept[pair.1 as usize]);
    }
    all
}

/// Returns, for each cell of the view for similarity, whether the best map pairs its entities.
fn chosen(pair: &AlignedEntities, similarity: Similarity) -> Vec<bool> {
    let overlap = pair.view(View::Similarity);
    let mut chosen = vec![false; overlap.cells().len()];
    for (key, response) in best_map(pair, similarity) {
        chosen[overlap.place(key, response)] = true;
    }
    chosen
}

/// Returns the shares of mentions under the best map.
fn mapped(
    pair: &AlignedEntities,
    side: Side,
    similarity: Similarity,
    found: impl Fn(SidedCell) -> Share,
    all: impl Fn(u64) -> Share,
) -> Vec<Shares> {
    let shares = of_view(pair, side, View::Similarity, |_, cell| found(cell), all);
    vec![Shares { chosen: Some(chosen(pair, similarity)), ..shares }]
}

/// Returns the shares for a similarity that counts entities: the 1 of a pair is divided among its shared mentions,
/// and the 1 of an entity among its mentions.
fn mapped_entities(pair: &AlignedEntities, side: Side, similarity: Similarity) -> Vec<Shares> {
    mapped(pair, side, similarity, |cell| Share::of(1, cell.shared), |size| Share::of(1, size))
}

fn shares_of_phi_4(pair: &AlignedEntities, _: &Variant, side: Side) -> Vec<Shares> {
    // Ignored singletons of the response have no share.
    let dropped = pair.drops_response_singletons() && side == Side::Response;
    let all = |size: u64| if dropped && size == 1 { Share::NOTHING } else { Share::of(1, size) };
    mapped(pair, side, Similarity::Phi4, |cell| Share::of(2, cell.own + cell.other), all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aligned::align_entities;

    #[test]
    fn fixed_point_and_common_denominator_agree() {
        // A chain of entities whose sizes have a very large common denominator, and its exact total.
        let primes =
            [2u32, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89];
        let mut next = 0..;
        let mut key: Vec<Vec<u32>> = Vec::new();
        let mut response: Vec<Vec<u32>> = vec![Vec::new()];
        for size in primes {
            let members: Vec<u32> = next.by_ref().take(size as usize).collect();
            // Each key entity shares its first mention with the previous response entity, and the
            // rest with a separate one.
            response.last_mut().unwrap().push(members[0]);
            response.push(members[1..].to_vec());
            key.push(members);
        }
        let pair = align_entities(&key, &response);
        let best = |pair: &AlignedEntities| map_by_phi_4(pair, None, None).total.to_f64();
        let total = best(&pair);
        let transposed = best(&AlignedEntities::new(pair.similarity_view().transposed()));
        assert_eq!(total.to_bits(), transposed.to_bits());
        let greedy: f64 = (0..key.len())
            .map(|k| {
                let shared = key[k].len() - 1;
                2.0 * shared as f64 / (key[k].len() + response[k + 1].len()) as f64
            })
            .sum();
        assert!(total >= greedy - 1e-12);
    }
}
