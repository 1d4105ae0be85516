//! Considers all best maps of CEAF at once: the pairs of entities that occur in some best map, and the entities that
//! some best map leaves out.
//!
//! Several maps may have the largest total similarity, and the score of a single entity can differ between them. The
//! number of best maps is exponential and counting them is as hard as computing a permanent. This module therefore
//! computes the lowest and the highest score of an entity, not the mean.
//!
//! Any other map differs from a given best map by cycles in which pairs of the map and other pairs alternate, and by
//! paths of this kind between entities that only one of the two maps uses. An extra node joins the ends of paths, so
//! that all are cycles of a directed graph whose arcs gain or lose the similarity of a pair. No cycle gains. Potentials
//! from longest paths make every arc's gain at most 0, and a cycle that loses nothing has only arcs of 0, the tight
//! arcs. A tight arc is in such a cycle if and only if both of its ends are in one strongly connected component of the
//! tight arcs.
//!
//! The result is exact: similarities are whole numbers on the scale of a component. For φ4, the scale is the common
//! denominator if it has at most 100 bits. Otherwise similarities are rounded to multiples of 2⁻⁶², and maps whose
//! totals differ only by rounding may count as different.
//!
//! Consider the pairs that occur in some best map. A matching of these pairs is itself a best map if it contains every
//! entity that no best map leaves out: the pairs are the tight ones of a strictly complementary dual, and these
//! entities have prices above 0. One more assignment therefore finds the smallest or the largest sum, over best maps,
//! of any values of the pairs.

use std::collections::VecDeque;

use crate::aligned::AlignedEntities;
use crate::assignment::{Edge, maximum_weight};
use crate::fraction::{FIXED_POINT, common_denominator};
use crate::similarity::{Similarity, kept_responses};

/// The pairs of one component, and their role in best maps.
struct Solved {
    /// The numbers of its rows, in order.
    rows: Vec<u32>,
    /// The edges, with rows and columns given by their positions in the component.
    local: Vec<Edge<i128>>,
    /// For each edge, whether it is in the chosen best map.
    chosen: Vec<bool>,
    /// For each edge, whether it is in some best map.
    possible: Vec<bool>,
    /// For each row, whether some best map leaves it out.
    free: Vec<bool>,
    /// For each column, whether some best map leaves it out.
    free_columns: Vec<bool>,
}

/// All best maps of the entities of both sides under the similarity of a CEAF.
#[derive(Debug, Default)]
pub struct BestMaps {
    fixed: Vec<u32>,
    ambiguous: Vec<Ambiguous>,
}

/// The pairs of a component that has several best maps.
#[derive(Debug)]
struct Ambiguous {
    /// The cells that occur in some best map, by their positions in the table for similarity.
    cells: Vec<u32>,
    /// The rows and columns of these cells. A weight is the number of the two entities that no best map leaves out.
    edges: Vec<Edge<i128>>,
    rows: usize,
    columns: usize,
}

impl BestMaps {
    pub(crate) fn of(pair: &AlignedEntities, similarity: Similarity) -> BestMaps {
        let overlap = pair.similarity_view();
        // The view of CEAF φ4 may use other numbers for the entities of the response.
        let kept = kept_responses(pair, similarity);
        let mut maps = BestMaps::default();
        let view = view_of(pair, similarity);
        for part in solved(view, similarity) {
            let place = |place: &u32| {
                let cell = &view.similarity_view().cells()[*place as usize];
                let response = kept.as_ref().map_or(cell.response, |kept| kept[cell.response as usize]);
                overlap.place(cell.key, response) as u32
            };
            let (cells, solved) = part;
            if solved.chosen == solved.possible {
                maps.fixed.extend(
                    cells.iter().zip(&solved.chosen).filter(|cell| *cell.1).map(|(cell, _)| place(cell)),
                );
                continue;
            }
            let needed = |edge: &Edge<i128>| {
                let (row, column) =
                    (solved.free[edge.row as usize], solved.free_columns[edge.column as usize]);
                Edge { weight: i128::from(!row) + i128::from(!column), ..*edge }
            };
            let possible = || solved.possible.iter().enumerate().filter(|edge| *edge.1).map(|(edge, _)| edge);
            maps.ambiguous.push(Ambiguous {
                cells: possible().map(|edge| place(&cells[edge])).collect(),
                edges: possible().map(|edge| needed(&solved.local[edge])).collect(),
                rows: solved.free.len(),
                columns: solved.free_columns.len(),
            });
        }
        maps
    }

    /// Returns the cells of a best map with the smallest or the largest total worth, as positions in the table for
    /// similarity. The worth of a cell is a fraction, at most the number of its mentions. Sums that differ by less than
    /// 2⁻⁴⁰ per cell may count as equal.
    pub fn extreme(&self, greatest: bool, worth: impl Fn(u32) -> (u128, u64)) -> Vec<u32> {
        let mut found = self.fixed.clone();
        for part in &self.ambiguous {
            let worths: Vec<i128> = part
                .cells
                .iter()
                .map(|&cell| {
                    let (numerator, denominator) = worth(cell);
                    let scaled = (numerator << 40) / u128::from(denominator);
                    if greatest { scaled as i128 } else { -(scaled as i128) }
                })
                .collect();
            // The value exceeds all worths together, so that the map keeps every entity that no best map leaves out.
            let needed = 1 + worths.iter().map(|worth| worth.abs()).sum::<i128>();
            let weighed = part.edges.iter().zip(&worths).enumerate();
            let (numbers, edges): (Vec<usize>, Vec<Edge<i128>>) = weighed
                .map(|(number, (edge, worth))| {
                    (number, Edge { weight: edge.weight * needed + worth, ..*edge })
                })
                .filter(|(_, edge)| edge.weight > 0)
                .unzip();
            let mut pairs = maximum_weight(part.rows, part.columns, &edges).pairs;
            pairs.sort_unstable();
            let has = |edge: &Edge<i128>| pairs.binary_search(&(edge.row, edge.column)).is_ok();
            found.extend(numbers.iter().zip(&edges).filter(|edge| has(edge.1)).map(|(&n, _)| part.cells[n]));
        }
        found
    }
}

/// Returns the view in which a similarity compares entities.
fn view_of(pair: &AlignedEntities, similarity: Similarity) -> &AlignedEntities {
    if similarity == Similarity::Phi4 { pair.ceaf_e_view() } else { pair }
}

/// Returns the components of a pair that have similar entities, with the positions of their cells.
fn solved(pair: &AlignedEntities, similarity: Similarity) -> impl Iterator<Item = (Vec<u32>, Solved)> + '_ {
    let overlap = pair.similarity_view();
    let parts = pair.components().iter().map(move |part| {
        let similar = |place: &&u32| similarity.of(overlap, &overlap.cells()[**place as usize]).0 > 0;
        let part: Vec<u32> = part.iter().filter(similar).copied().collect();
        let fraction = |place: &u32| similarity.of(overlap, &overlap.cells()[*place as usize]);
        let scale = common_denominator(part.iter().map(|place| fraction(place).1), 1 << 100);
        let edge = |place: &u32| {
            let (cell, (numerator, denominator)) = (&overlap.cells()[*place as usize], fraction(place));
            let weight = match scale {
                Some(scale) => u128::from(numerator) * (scale / u128::from(denominator)),
                None => {
                    let scaled = u128::from(numerator) * u128::from(FIXED_POINT);
                    (scaled + u128::from(denominator / 2)) / u128::from(denominator)
                }
            };
            Edge { row: cell.key, column: cell.response, weight: weight as i128 }
        };
        let edges: Vec<Edge<i128>> = part.iter().map(edge).collect();
        (part, edges)
    });
    parts.filter(|(part, _)| !part.is_empty()).map(|(part, edges)| (part, solve(&edges)))
}

/// Returns, for each key entity, the lowest and the highest score in any best map: φ3(K, R) / |K|, or φ4(K, R).
pub(crate) fn entity_bounds(pair: &AlignedEntities, similarity: Similarity) -> Vec<[f64; 2]> {
    let sizes = pair.recall_view().key_sizes();
    let view = view_of(pair, similarity);
    let overlap = view.similarity_view();
    let mut bounds = vec![[0.0; 2]; sizes.len()];
    for (part, Solved { rows, possible, free, .. }) in solved(view, similarity) {
        let mut ends: Vec<Option<[f64; 2]>> = free.iter().map(|free| free.then_some([0.0; 2])).collect();
        for (&place, _) in part.iter().zip(&possible).filter(|(_, possible)| **possible) {
            let cell = &overlap.cells()[place as usize];
            let (numerator, denominator) = match similarity {
                Similarity::Phi3 => (u64::from(cell.shared), sizes[cell.key as usize].into()),
                _ => similarity.of(overlap, cell),
            };
            let score = numerator as f64 / denominator as f64;
            let row = rows.partition_point(|row| *row < cell.key);
            let [low, high] = ends[row].unwrap_or([score; 2]);
            ends[row] = Some([low.min(score), high.max(score)]);
        }
        for (row, ends) in rows.iter().zip(ends) {
            bounds[*row as usize] = ends.unwrap_or_default();
        }
    }
    bounds
}

/// An arc of the graph of changes to a best map.
struct Arc {
    from: usize,
    to: usize,
    gain: i128,
}

/// Finds the role of the edges, rows and columns of a component in best maps. All weights are above 0.
fn solve(edges: &[Edge<i128>]) -> Solved {
    let sorted = |numbers: Vec<u32>| {
        let mut numbers = numbers;
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    };
    let rows = sorted(edges.iter().map(|edge| edge.row).collect());
    let columns = sorted(edges.iter().map(|edge| edge.column).collect());
    let row_of = |edge: &Edge<i128>| rows.partition_point(|row| *row < edge.row);
    let column_of = |edge: &Edge<i128>| columns.partition_point(|column| *column < edge.column);
    let local: Vec<Edge<i128>> = edges
        .iter()
        .map(|edge| Edge { row: row_of(edge) as u32, column: column_of(edge) as u32, weight: edge.weight })
        .collect();
    if local.len() == 1 {
        let (chosen, possible, free, free_columns) = (vec![true], vec![true], vec![false], vec![false]);
        return Solved { rows, local, chosen, possible, free, free_columns };
    }
    let best = maximum_weight(rows.len(), columns.len(), &local);
    let mut held: Vec<Option<u32>> = vec![None; rows.len()];
    let mut holds: Vec<bool> = vec![false; columns.len()];
    for &(row, column) in &best.pairs {
        (held[row as usize], holds[column as usize]) = (Some(column), true);
    }
    let outside = rows.len() + columns.len();
    let column_node = |column: usize| rows.len() + column;
    // There is an arc for each edge first, then one for each row, so that they can be found again.
    let of_edge = local.iter().map(|edge| {
        let (row, column) = (edge.row as usize, column_node(edge.column as usize));
        match held[edge.row as usize] == Some(edge.column) {
            true => Arc { from: column, to: row, gain: -edge.weight },
            false => Arc { from: row, to: column, gain: edge.weight },
        }
    });
    let of_row = held.iter().enumerate().map(|(row, held)| match held {
        Some(_) => Arc { from: row, to: outside, gain: 0 },
        None => Arc { from: outside, to: row, gain: 0 },
    });
    let of_column = holds.iter().enumerate().map(|(column, held)| match held {
        true => Arc { from: outside, to: column_node(column), gain: 0 },
        false => Arc { from: column_node(column), to: outside, gain: 0 },
    });
    let arcs: Vec<Arc> = of_edge.chain(of_row).chain(of_column).collect();
    let changes = in_cycles_without_loss(&arcs, outside + 1);
    let chosen: Vec<bool> = local.iter().map(|edge| held[edge.row as usize] == Some(edge.column)).collect();
    let possible = chosen.iter().zip(&changes).map(|(chosen, change)| *chosen || *change).collect();
    let (of_rows, of_columns) = changes[local.len()..].split_at(rows.len());
    let free = held.iter().zip(of_rows).map(|(held, change)| held.is_none() || *change).collect();
    let free_columns = holds.iter().zip(of_columns).map(|(held, change)| !held || *change).collect();
    Solved { rows, local, chosen, possible, free, free_columns }
}

/// Returns, for each arc, whether it is in a cycle with a total gain of 0, in a graph in which no cycle gains.
fn in_cycles_without_loss(arcs: &[Arc], nodes: usize) -> Vec<bool> {
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    arcs.iter().enumerate().for_each(|(place, arc)| leaving[arc.from].push(place));
    let mut potential = vec![0_i128; nodes];
    let (mut queue, mut queued): (VecDeque<usize>, _) = ((0..nodes).collect(), vec![true; nodes]);
    while let Some(node) = queue.pop_front() {
        queued[node] = false;
        for arc in leaving[node].iter().map(|&place| &arcs[place]) {
            let reached = potential[node] + arc.gain;
            if reached > potential[arc.to] {
                potential[arc.to] = reached;
                if !std::mem::replace(&mut queued[arc.to], true) {
                    queue.push_back(arc.to);
                }
            }
        }
    }
    let tight = |arc: &Arc| potential[arc.from] + arc.gain == potential[arc.to];
    let mut forward: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    let mut backward = forward.clone();
    for arc in arcs.iter().filter(|arc| tight(arc)) {
        forward[arc.from].push(arc.to);
        backward[arc.to].push(arc.from);
    }
    let component = strong_components(&forward, &backward);
    arcs.iter().map(|arc| tight(arc) && component[arc.from] == component[arc.to]).collect()
}

/// Returns the number of each node's strongly connected component, by two searches (Kosaraju; Sharir 1981).
fn strong_components(forward: &[Vec<usize>], backward: &[Vec<usize>]) -> Vec<usize> {
    let nodes = forward.len();
    let (mut seen, mut order) = (vec![false; nodes], Vec::with_capacity(nodes));
    for start in 0..nodes {
        let mut path = vec![(start, 0)];
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        while let Some((node, next)) = path.last_mut() {
            match forward[*node].get(*next) {
                Some(&to) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[to], true) {
                        path.push((to, 0));
                    }
                }
                None => {
                    order.push(*node);
                    path.pop();
                }
            }
        }
    }
    let mut component = vec![usize::MAX; nodes];
    for &start in order.iter().rev() {
        if component[start] != usize::MAX {
            continue;
        }
        let mut stack = vec![start];
        component[start] = start;
        while let Some(node) = stack.pop() {
            for &to in &backward[node] {
                if component[to] == usize::MAX {
                    component[to] = start;
                    stack.push(to);
                }
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aligned::align_entities;
    use crate::entity_metrics::ENTITY_METRICS;
    use crate::metric::EntityMetric;

    /// Enumerates one-to-one maps of the cells, and returns the lowest and highest score of each key
    /// entity in the best ones.
    fn by_all_maps(key: &[Vec<u32>], response: &[Vec<u32>], phi_4: bool) -> Vec<[f64; 2]> {
        let shared =
            |k: usize, r: usize| key[k].iter().filter(|mention| response[r].contains(mention)).count();
        let phi = |k: usize, r: usize| -> (u128, u128) {
            match phi_4 {
                true => (2 * shared(k, r) as u128, (key[k].len() + response[r].len()) as u128),
                false => (shared(k, r) as u128, 1),
            }
        };
        // Sizes are below eight, so every sum of two is at most 15.
        let scale = 360_360_u128;
        let mut best: (u128, Vec<[f64; 2]>) = (0, vec![[0.0; 2]; key.len()]);
        let mut map = vec![None; key.len()];
        fn each(
            k: usize,
            map: &mut Vec<Option<usize>>,
            number: usize,
            found: &mut dyn FnMut(&[Option<usize>]),
        ) {
            if k == map.len() {
                return found(map);
            }
            map[k] = None;
            each(k + 1, map, number, found);
            for r in 0..number {
                if !map[..k].contains(&Some(r)) {
                    map[k] = Some(r);
                    each(k + 1, map, number, found);
                }
            }
            map[k] = None;
        }
        each(0, &mut map, response.len(), &mut |map| {
            let pairs = || map.iter().enumerate().filter_map(|(k, r)| Some((k, (*r)?)));
            let total = pairs().map(|(k, r)| phi(k, r).0 * scale / phi(k, r).1).sum::<u128>();
            let score = |k: usize| match map[k] {
                Some(r) if phi_4 => phi(k, r).0 as f64 / phi(k, r).1 as f64,
                Some(r) => phi(k, r).0 as f64 / key[k].len() as f64,
                None => 0.0,
            };
            if total > best.0 {
                best = (total, (0..key.len()).map(|k| [score(k); 2]).collect());
            } else if total == best.0 {
                for (k, ends) in best.1.iter_mut().enumerate() {
                    *ends = [ends[0].min(score(k)), ends[1].max(score(k))];
                }
            }
        });
        best.1
    }

    /// Checks random partitions of twelve mentions, with at most five entities per side, against every map.
    #[test]
    fn bounds_are_those_of_all_best_maps() {
        let mut state = 11_u64;
        let mut below = |limit: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % limit
        };
        let mut ambiguous = 0;
        for _ in 0..400 {
            let mut side = |entities: u64| {
                let mut side = vec![Vec::new(); entities as usize];
                (0..12).for_each(|mention| side[below(entities) as usize].push(mention));
                side.retain(|entity: &Vec<u32>| !entity.is_empty() && entity.len() < 8);
                side
            };
            let (key, response) = (side(5), side(4));
            let pair = align_entities(&key, &response);
            for (similarity, phi_4) in [(Similarity::Phi3, false), (Similarity::Phi4, true)] {
                let found = entity_bounds(&pair, similarity);
                assert_eq!(found, by_all_maps(&key, &response, phi_4), "{key:?} {response:?} {similarity:?}");
                ambiguous += found.iter().filter(|ends| ends[0] < ends[1]).count();
            }
        }
        assert!(ambiguous > 100, "{ambiguous}");
    }

    /// Checks the lowest and the highest sum over all best maps, for random worths of cells, by trying each map.
    #[test]
    fn extremes_are_those_of_all_best_maps() {
        let mut state = 5_u64;
        let mut below = |limit: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % limit
        };
        let mut ambiguous = 0;
        for _ in 0..400 {
            let mut side = |entities: u64| {
                let mut side = vec![Vec::new(); entities as usize];
                (0..12).for_each(|mention| side[below(entities) as usize].push(mention));
                side.retain(|entity: &Vec<u32>| !entity.is_empty());
                side
            };
            let pair = align_entities(&side(5), &side(4));
            let cells = pair.similarity_view().cells();
            let worth: Vec<u64> = cells.iter().map(|cell| below(u64::from(cell.shared) + 1)).collect();
            for similarity in [Similarity::Phi1, Similarity::Phi2, Similarity::Phi3, Similarity::Phi4] {
                // All one-to-one maps, as bits of cells.
                let mut best: (u128, Vec<u64>) = (0, vec![0]);
                for map in 1_u32..1 << cells.len() {
                    let mapped = || cells.iter().enumerate().filter(|(place, _)| map >> place & 1 == 1);
                    let is_map = mapped().all(|(place, cell)| {
                        // Entities with a similarity of 0 are never paired.
                        let similar = similarity.of(pair.similarity_view(), cell).0 > 0;
                        similar
                            && mapped().all(|(other, with)| {
                                place == other || cell.key != with.key && cell.response != with.response
                            })
                    });
                    if !is_map {
                        continue;
                    }
                    // Every sum of two sizes is at most 24.
                    let scale = 5_354_228_880_u128;
                    let total = mapped().map(|(_, cell)| {
                        let (numerator, denominator) = similarity.of(pair.similarity_view(), cell);
                        u128::from(numerator) * scale / u128::from(denominator)
                    });
                    let (total, sum) = (total.sum::<u128>(), mapped().map(|(place, _)| worth[place]).sum());
                    match total.cmp(&best.0) {
                        std::cmp::Ordering::Greater => best = (total, vec![sum]),
                        std::cmp::Ordering::Equal => best.1.push(sum),
                        std::cmp::Ordering::Less => {}
                    }
                }
                let maps = BestMaps::of(&pair, similarity);
                let of = |greatest| {
                    let found = maps.extreme(greatest, |cell| (worth[cell as usize].into(), 1));
                    found.iter().map(|&cell| worth[cell as usize]).sum::<u64>()
                };
                let wanted = [best.1.iter().min(), best.1.iter().max()].map(|sum| *sum.expect("a map"));
                assert_eq!([of(false), of(true)], wanted, "{similarity:?} {cells:?} {worth:?}");
                assert!(wanted[0] == wanted[1] || !maps.ambiguous.is_empty());
                ambiguous += usize::from(wanted[0] < wanted[1]);
            }
        }
        assert!(ambiguous > 100, "{ambiguous}");
    }

    /// In {a b} and {c d} against {a c} and {b d}, each key entity shares half of its mentions in either map.
    #[test]
    fn equal_entities_share_one_by_hand() {
        // In {a b}, {c} against {a c}, the map takes one of the two, with a similarity of 1 each.
        let pair = align_entities(&[vec![0, 1], vec![2]], &[vec![0, 2]]);
        assert_eq!(entity_bounds(&pair, Similarity::Phi3), [[0.0, 0.5], [0.0, 1.0]]);
        // φ4 prefers {c}: 2/3 instead of 2/4.
        assert_eq!(entity_bounds(&pair, Similarity::Phi4), [[0.0, 0.0], [2.0 / 3.0, 2.0 / 3.0]]);
        let pair = align_entities(&[vec![0, 1], vec![2, 3]], &[vec![0, 2], vec![1, 3]]);
        assert_eq!(entity_bounds(&pair, Similarity::Phi3), [[0.5, 0.5], [0.5, 0.5]]);
    }

    #[test]
    fn every_metric_has_its_score_within_the_bounds() {
        let pair = align_entities(&[vec![0, 1], vec![2], vec![3, 4, 5]], &[vec![0, 2], vec![3], vec![4]]);
        for metric in ENTITY_METRICS.iter().filter(|metric| metric.entity_score.is_some()) {
            let (scores, bounds) = (metric.entity_scores(&pair), metric.entity_bounds(&pair));
            assert_eq!(scores.len(), bounds.len(), "{}", metric.info.id);
            for (score, ends) in scores.iter().zip(&bounds) {
                match (score, ends) {
                    (Some(score), Some([low, high])) => assert!(low <= score && score <= high),
                    (score, ends) => assert_eq!((score, ends), (&None, &None)),
                }
            }
        }
        let of = |id: &str| EntityMetric::of(id).expect("a metric").entity_bounds(&pair);
        assert_eq!(of("ceaf_m"), [Some([0.0, 0.5]), Some([0.0, 1.0]), Some([1.0 / 3.0; 2])]);
    }
}
