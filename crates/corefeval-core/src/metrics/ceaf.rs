//! CEAF: the best one-to-one map of key entities to response entities.

use super::{Kind, Metric, MetricSpec, Rules};
use crate::fraction::{FractionSum, gcd};
use crate::matching::assignment::{Edge, Solver, components};
use crate::overlap::{AlignedPair, Cell, Overlap};
use crate::tally::{Score, Tally};

/// # CEAF φ1
///
/// What it measures: entities that both sides have whole.
///
/// Definition: CEAF (see `ceaf_e`) with φ1(K, R) = 1 if K = R, else 0. Recall and precision are equal
/// entities over key entities and over response entities.
///
/// Edge cases: a side without entities scores 0. One wrong mention loses the entity.
///
/// Example: Luo's key `{1-5} {6 7} {8-C}`, response `{1-5} {6-C}`: recall 1/3, precision 1/2.
///
/// References: luo-2005.
///
/// Other scorers: none has it.
pub(super) const PHI_1: MetricSpec = MetricSpec {
    id: "ceaf_1",
    label: "CEAF φ1",
    summary: "entities that are equal",
    references: &["luo-2005"],
    parameters: &[],
    kind: Kind::Counted { tally: tally_phi_1, score, halves: None },
};

/// # CEAF φ2
///
/// What it measures: how many entities have a counterpart of their own with which they share a
/// mention.
///
/// Definition: CEAF (see `ceaf_e`) with φ2(K, R) = 1 if K and R share a mention, else 0.
///
/// Edge cases: a side without entities scores 0.
///
/// Example: Luo's key `{1-5} {6 7} {8-C}`, response `{1-5} {6-C}`: recall 2/3, precision 2/2.
///
/// References: luo-2005.
///
/// Other scorers: none has it.
pub(super) const PHI_2: MetricSpec = MetricSpec {
    id: "ceaf_2",
    label: "CEAF φ2",
    summary: "entities mapped one to one to an entity that shares a mention",
    references: &["luo-2005"],
    parameters: &[],
    kind: Kind::Counted { tally: tally_phi_2, score, halves: None },
};

/// # CEAF φ3 (mention-based CEAF)
///
/// What it measures: the mentions that lie in the right entity when every entity has one
/// counterpart at most.
///
/// Definition: CEAF (see `ceaf_e`) with φ3(K, R) = |K ∩ R|; the denominators are the numbers of
/// mentions.
///
/// Edge cases: a side without mentions scores 0.
///
/// Example: Luo's key `{1-5} {6 7} {8-C}`, response `{1-5} {6-C}`: 10/12 both ways.
///
/// References: luo-2005.
///
/// Other scorers: `ceafm` of the reference scorer.
pub(super) const PHI_3: MetricSpec = MetricSpec {
    id: "ceaf_m",
    label: "CEAF φ3",
    summary: "mentions in common under the best map of entities",
    references: &["luo-2005"],
    parameters: &[],
    kind: Kind::Counted { tally: tally_phi_3, score, halves: None },
};

/// # CEAF φ4 (entity-based CEAF)
///
/// What it measures: how similar the entities are when every entity has one counterpart at most,
/// every entity weighing the same whatever its size.
///
/// Definition: with a similarity φ of entities and the one-to-one map g* of key entities to response
/// entities of greatest total similarity: recall = Σ φ(K, g*(K)) / Σ φ(K, K), precision = the same
/// numerator / Σ φ(R, R). Here φ4(K, R) = 2 |K ∩ R| / (|K| + |R|), so the denominators are the
/// numbers of entities. Entities that share nothing are never compared. The map is found exactly:
/// within each connected component of entities that share mentions, similarities are integers over
/// the common denominator of the component, or over 2⁶² (rounded to nearest) where that is too
/// large; so the total does not depend on the order of the input.
///
/// Edge cases: a side without entities scores 0. Swapping key and response swaps recall and
/// precision.
///
/// Example: Luo's key `{1-5} {6 7} {8-C}`, response `{1-5} {6-C}`: (1 + 10/12)/3 and (1 + 10/12)/2.
///
/// References: luo-2005; kuhn-1955, munkres-1957, jonker-1987 for the assignment.
///
/// Other scorers: `ceafe` of the reference scorer and of coval. The e2e family drops singletons of
/// the response, and of the response only, first.
pub(super) const PHI_4: MetricSpec = MetricSpec {
    id: "ceaf_e",
    label: "CEAF φ4",
    summary: "similarity of entities under the best map",
    references: &["luo-2005"],
    parameters: &[],
    kind: Kind::Counted { tally: tally_phi_4, score, halves: None },
};

fn tally_phi_1(pair: &AlignedPair, _: &Metric, into: &mut Tally) {
    let overlap = pair.similarity_view();
    let equal = overlap.cells().iter().filter(|cell| {
        let sizes = sizes(overlap, cell);
        sizes.0 == u64::from(cell.shared) && sizes.1 == sizes.0
    });
    let total = FractionSum::integer(equal.count() as i128);
    add(into, &total, entities(overlap));
}

fn tally_phi_2(pair: &AlignedPair, _: &Metric, into: &mut Tally) {
    let overlap = pair.similarity_view();
    let total = FractionSum::integer(best_integer(overlap, |_| 1));
    add(into, &total, entities(overlap));
}

fn tally_phi_3(pair: &AlignedPair, _: &Metric, into: &mut Tally) {
    let overlap = pair.similarity_view();
    let total = FractionSum::integer(best_integer(overlap, |cell| i64::from(cell.shared)));
    add(into, &total, (overlap.key_mentions(), overlap.response_mentions()));
}

fn tally_phi_4(pair: &AlignedPair, _: &Metric, into: &mut Tally) {
    let overlap = pair.similarity_view();
    add(into, &best_phi_4(overlap), entities(overlap));
}

fn score(tally: &Tally, _: &Metric, _: &Rules) -> Score {
    tally.first.score()
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

fn sizes(overlap: &Overlap, cell: &Cell) -> (u64, u64) {
    let size = |sizes: &[u32], entity: u32| u64::from(sizes[entity as usize]);
    (size(overlap.key_sizes(), cell.key), size(overlap.response_sizes(), cell.response))
}

/// Calls `each` with the cells of every component.
fn for_components<'o>(overlap: &'o Overlap, mut each: impl FnMut(&mut dyn Iterator<Item = &'o Cell>, usize)) {
    let cells = overlap.cells();
    let ends = cells.iter().map(|cell| (cell.key, cell.response));
    let parts = components(overlap.key_sizes().len(), overlap.response_sizes().len(), ends);
    for part in parts.iter() {
        each(&mut part.iter().map(|&place| &cells[place as usize]), part.len());
    }
}

/// The greatest total of whole similarities.
fn best_integer(overlap: &Overlap, similarity: impl Fn(&Cell) -> i64) -> i128 {
    let mut solver = Solver::new();
    let (mut edges, mut pairs) = (Vec::new(), Vec::new());
    let mut total = 0;
    for_components(overlap, |cells, _| {
        edges.clear();
        edges.extend(cells.map(|cell| Edge {
            row: cell.key,
            column: cell.response,
            weight: similarity(cell),
        }));
        pairs.clear();
        total += i128::from(match edges.as_slice() {
            [edge] => edge.weight,
            edges => solver.solve(edges, &mut pairs),
        });
    });
    total
}

/// The scale of components whose common denominator is too large.
const FIXED_POINT: u64 = 1 << 62;

/// The greatest total of 2 |K ∩ R| / (|K| + |R|).
fn best_phi_4(overlap: &Overlap) -> FractionSum {
    let mut total = FractionSum::default();
    let (mut narrow, mut wide) = (Solver::<i64>::new(), Solver::<i128>::new());
    let (mut narrow_edges, mut wide_edges) = (Vec::new(), Vec::new());
    let (mut cells, mut pairs): (Vec<(Edge<u64>, u64)>, Vec<_>) = (Vec::new(), Vec::new());
    for_components(overlap, |component, _| {
        cells.clear();
        cells.extend(component.map(|cell| {
            let (key, response) = sizes(overlap, cell);
            let edge = Edge { row: cell.key, column: cell.response, weight: 2 * u64::from(cell.shared) };
            (edge, key + response)
        }));
        pairs.clear();
        if let [(edge, denominator)] = cells.as_slice() {
            total.add_fraction(edge.weight.into(), *denominator);
            return;
        }
        match common_denominator(&cells) {
            Some(scale) => {
                narrow_edges.clear();
                narrow_edges.extend(cells.iter().map(|&(edge, denominator)| {
                    let weight = (edge.weight * (scale / denominator)) as i64;
                    Edge { row: edge.row, column: edge.column, weight }
                }));
                total.add_fraction(narrow.solve(&narrow_edges, &mut pairs) as u128, scale);
            }
            None => {
                wide_edges.clear();
                wide_edges.extend(cells.iter().map(|&(edge, denominator)| {
                    let scaled = u128::from(edge.weight) * u128::from(FIXED_POINT);
                    let nearest = (scaled + u128::from(denominator / 2)) / u128::from(denominator);
                    Edge { row: edge.row, column: edge.column, weight: nearest as i128 }
                }));
                total.add_fraction(wide.solve(&wide_edges, &mut pairs) as u128, FIXED_POINT);
            }
        }
    });
    total
}

/// The least common denominator of the cells, if sums of similarities over it fit an `i64`: no
/// similarity exceeds 1, so a total is at most the number of cells times the denominator.
fn common_denominator(cells: &[(Edge<u64>, u64)]) -> Option<u64> {
    let limit = (1 << 61) / cells.len() as u64;
    let mut common = 1u64;
    for &(_, denominator) in cells {
        let shared = gcd(common.into(), denominator.into()) as u64;
        common = common.checked_mul(denominator / shared).filter(|&common| common < limit)?;
    }
    Some(common)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overlap::align_entities;

    #[test]
    fn fixed_point_and_common_denominator_agree() {
        // A chain of entities whose sizes have a huge common denominator, and its exact total.
        let primes =
            [2u32, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89];
        let mut next = 0..;
        let mut key: Vec<Vec<u32>> = Vec::new();
        let mut response: Vec<Vec<u32>> = vec![Vec::new()];
        for size in primes {
            let members: Vec<u32> = next.by_ref().take(size as usize).collect();
            // Each key entity shares its first mention with the response entity before, the rest
            // with one of its own.
            response.last_mut().unwrap().push(members[0]);
            response.push(members[1..].to_vec());
            key.push(members);
        }
        let pair = align_entities(&key, &response);
        let total = best_phi_4(pair.similarity_view()).to_f64();
        let transposed = best_phi_4(&pair.similarity_view().transposed()).to_f64();
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
