//! Tests the assignment solver against plain solvers, by hand and by its properties.

use std::collections::BTreeMap;

use corefeval_metrics::assignment::{Edge, Solver, Weight, components, maximum_weight};
use proptest::prelude::*;

/// A graph in the notation of the tests: numbers of rows and columns, (row, column, weight) edges.
#[derive(Clone, Debug)]
struct Graph {
    rows: usize,
    columns: usize,
    edges: Vec<(u32, u32, i64)>,
}

impl Graph {
    fn new(rows: usize, columns: usize, edges: &[(u32, u32, i64)]) -> Self {
        Self { rows, columns, edges: edges.to_vec() }
    }

    fn complete(rows: u32, columns: u32, weight: impl Fn(i64, i64) -> i64) -> Self {
        let row = |row| (0..columns).map(move |column| (row, column));
        let edges =
            (0..rows).flat_map(row).map(|(row, column)| (row, column, weight(row.into(), column.into())));
        Self { rows: rows as usize, columns: columns as usize, edges: edges.collect() }
    }

    fn edges<W>(&self, convert: impl Fn(i64) -> W) -> Vec<Edge<W>> {
        let edge = |&(row, column, weight)| Edge { row, column, weight: convert(weight) };
        self.edges.iter().map(edge).collect()
    }

    /// Returns the weight that counts between each row and column with an edge.
    fn weights(&self) -> BTreeMap<(u32, u32), i64> {
        let mut weights = BTreeMap::new();
        for &(row, column, weight) in self.edges.iter().filter(|edge| edge.2 > 0) {
            let heaviest = weights.entry((row, column)).or_insert(weight);
            *heaviest = weight.max(*heaviest);
        }
        weights
    }

    fn transposed(&self) -> Self {
        let edges = self.edges.iter().map(|&(row, column, weight)| (column, row, weight));
        Self { rows: self.columns, columns: self.rows, edges: edges.collect() }
    }

    /// Solves in `i64` and in `i128`, checks that both agree and that the pairs are valid, and returns them with the
    /// total.
    #[track_caller]
    fn solve(&self) -> (Vec<(u32, u32)>, i64) {
        let best = maximum_weight(self.rows, self.columns, &self.edges(|weight| weight));
        let wide = maximum_weight(self.rows, self.columns, &self.edges(i128::from));
        assert_eq!(wide.total, i128::from(best.total));
        assert_eq!(wide.pairs, best.pairs);
        assert_eq!(Solver::new().total(&self.edges(|weight| weight)), best.total);

        let weights = self.weights();
        assert!(best.pairs.is_sorted_by(|a, b| a.0 < b.0), "rows repeat or are out of order");
        let mut columns: Vec<u32> = best.pairs.iter().map(|pair| pair.1).collect();
        columns.sort_unstable();
        assert!(columns.is_sorted_by(|a, b| a < b), "columns repeat");
        let sum: i64 = best.pairs.iter().map(|pair| weights[pair]).sum();
        assert_eq!(sum, best.total, "pairs and total disagree");
        (best.pairs, best.total)
    }

    #[track_caller]
    fn total(&self) -> i64 {
        self.solve().1
    }
}

/// The simplest twin: each row in turn is left out or gets any free column.
fn by_enumeration(graph: &Graph) -> i64 {
    fn best(weights: &BTreeMap<(u32, u32), i64>, row: u32, rows: u32, taken: u64) -> i64 {
        if row == rows {
            return 0;
        }
        let mut most = best(weights, row + 1, rows, taken);
        for (&(_, column), weight) in weights.range((row, 0)..(row + 1, 0)) {
            if taken & (1 << column) == 0 {
                most = most.max(weight + best(weights, row + 1, rows, taken | (1 << column)));
            }
        }
        most
    }
    best(&graph.weights(), 0, graph.rows as u32, 0)
}

/// The textbook twin: the Hungarian method on a dense square matrix in O(n³), minimizing the
/// negated weight. Cells without an edge cost 0, the cost of leaving a row out.
fn by_hungarian_method(graph: &Graph) -> i64 {
    let size = graph.rows.max(graph.columns);
    let mut cost = vec![vec![0_i64; size + 1]; size + 1];
    for (&(row, column), weight) in &graph.weights() {
        cost[row as usize + 1][column as usize + 1] = -weight;
    }
    // Index 0 is a row and a column that exist only while a row is being added.
    let (mut u, mut v) = (vec![0_i64; size + 1], vec![0_i64; size + 1]);
    let mut row_of = vec![0_usize; size + 1];
    for row in 1..=size {
        row_of[0] = row;
        let mut column = 0;
        let mut least = vec![i64::MAX; size + 1];
        let mut via = vec![0_usize; size + 1];
        let mut done = vec![false; size + 1];
        while row_of[column] != 0 {
            done[column] = true;
            let current = row_of[column];
            let (mut step, mut next) = (i64::MAX, 0);
            for other in (1..=size).filter(|&other| !done[other]) {
                let reduced = cost[current][other] - u[current] - v[other];
                if reduced < least[other] {
                    least[other] = reduced;
                    via[other] = column;
                }
                if least[other] < step {
                    step = least[other];
                    next = other;
                }
            }
            for other in 0..=size {
                if done[other] {
                    u[row_of[other]] += step;
                    v[other] -= step;
                } else if least[other] < i64::MAX {
                    least[other] -= step;
                }
            }
            column = next;
        }
        while column != 0 {
            row_of[column] = row_of[via[column]];
            column = via[column];
        }
    }
    -(1..=size).map(|column| cost[row_of[column]][column]).sum::<i64>()
}

/// Generates weights of every kind: all equal, many ties, few ties, far apart, and some not above 0.
fn weight() -> impl Strategy<Value = BoxedStrategy<i64>> {
    prop_oneof![
        Just(Just(1_i64).boxed()),
        Just((1_i64..=3).boxed()),
        Just((-1_i64..=6).boxed()),
        Just((1_i64..=100).boxed()),
        Just((990_i64..=1000).boxed()),
        Just((1_i64..=1_000_000_000_000).boxed()),
    ]
}

/// Generates graphs with up to `most` rows and columns, and up to four edges (some of them double) per vertex.
fn sparse(most: usize) -> impl Strategy<Value = Graph> {
    (1..=most, 1..=most, weight()).prop_flat_map(|(rows, columns, weight)| {
        let edge = (0..rows as u32, 0..columns as u32, weight);
        prop::collection::vec(edge, 0..=4 * rows.max(columns)).prop_map(move |edges| Graph {
            rows,
            columns,
            edges,
        })
    })
}

/// Generates graphs with the weights of CEAF: mentions belong to key and response entities, and the
/// weight of an edge is its Dice coefficient, 2 · shared / (sizes), on a common scale.
fn dice(most: usize) -> impl Strategy<Value = Graph> {
    (1..=most, 1..=most).prop_flat_map(|(rows, columns)| {
        let mention = (0..rows as u32, 0..columns as u32);
        prop::collection::vec(mention, 1..=4 * rows.max(columns)).prop_map(move |mentions| {
            let (mut keys, mut responses) = (vec![0; rows], vec![0; columns]);
            let mut shared = BTreeMap::new();
            for (row, column) in mentions {
                keys[row as usize] += 1;
                responses[column as usize] += 1;
                *shared.entry((row, column)).or_insert(0) += 1;
            }
            let edge = |(&(row, column), &shared): (&(u32, u32), &i64)| {
                let sizes = keys[row as usize] + responses[column as usize];
                (row, column, ((2 * shared) << 40) / sizes)
            };
            Graph { rows, columns, edges: shared.iter().map(edge).collect() }
        })
    })
}

fn shuffled(items: impl IntoIterator<Item = u32>) -> impl Strategy<Value = Vec<u32>> {
    Just(items.into_iter().collect::<Vec<_>>()).prop_shuffle()
}

/// Luo (2005): key {1-5} {6 7} {8 9 A B C} and four responses, with shared mentions as weights.
#[test]
fn luo_2005() {
    let response_a = Graph::new(3, 2, &[(0, 0, 5), (1, 1, 2), (2, 1, 5)]);
    assert_eq!(response_a.solve(), (vec![(0, 0), (2, 1)], 10));
    // {1-5 8-C} {6 7}
    let response_b = Graph::new(3, 2, &[(0, 0, 5), (2, 0, 5), (1, 1, 2)]);
    assert_eq!(response_b.total(), 7);
    // All mentions in one entity.
    let response_c = Graph::new(3, 1, &[(0, 0, 5), (1, 0, 2), (2, 0, 5)]);
    assert_eq!(response_c.total(), 5);
    // Every mention in a separate entity.
    let owner = [0, 0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 2];
    let singletons: Vec<_> = (0..12).zip(owner).map(|(column, row)| (row, column, 1)).collect();
    assert_eq!(Graph::new(3, 12, &singletons).total(), 3);
}

/// The greedy choice takes 10 and then only 1; without the 10 the total is 9 + 9.
#[test]
fn the_heaviest_edge_is_not_always_taken() {
    let graph = Graph::new(2, 2, &[(0, 0, 10), (0, 1, 9), (1, 0, 9), (1, 1, 1)]);
    assert_eq!(graph.solve(), (vec![(0, 1), (1, 0)], 18));
}

/// One heavy edge outweighs two light edges: the largest number of pairs does not have the largest weight.
#[test]
fn leaving_out_can_be_best() {
    let graph = Graph::new(2, 2, &[(0, 0, 1), (0, 1, 9), (1, 1, 2)]);
    assert_eq!(graph.solve(), (vec![(0, 1)], 9));
}

#[test]
fn nothing_to_assign() {
    assert_eq!(Graph::new(0, 0, &[]).solve(), (vec![], 0));
    assert_eq!(Graph::new(3, 2, &[]).solve(), (vec![], 0));
    assert_eq!(Graph::new(2, 2, &[(0, 0, 0), (1, 1, -4), (0, 1, -1)]).solve(), (vec![], 0));
    assert_eq!(Solver::<i64>::default().solve(&[], &mut Vec::new()), 0);
}

#[test]
fn the_heaviest_of_several_equal_edges_counts() {
    let graph = Graph::new(1, 1, &[(0, 0, 2), (0, 0, 5), (0, 0, -1), (0, 0, 3)]);
    assert_eq!(graph.solve(), (vec![(0, 0)], 5));
}

#[test]
fn equals_are_taken_in_order() {
    let graph = Graph::complete(3, 3, |_, _| 1);
    assert_eq!(graph.solve(), (vec![(0, 0), (1, 1), (2, 2)], 3));
}

#[test]
fn known_shapes() {
    // Equal weights, in square and other graphs.
    assert_eq!(Graph::complete(60, 60, |_, _| 1).total(), 60);
    assert_eq!(Graph::complete(60, 25, |_, _| 3).total(), 75);
    // Weights that are a row part plus a column part: every perfect assignment is best.
    assert_eq!(Graph::complete(50, 50, |row, column| row + column + 1).total(), 2500);
    // Weights that are products: pairs of equal rank are best, 1² + 2² + … + 40².
    let squares = Graph::complete(40, 40, |row, column| (row + 1) * (column + 1)).solve();
    assert_eq!(squares.1, 40 * 41 * 81 / 6);
    assert!(squares.0.iter().all(|(row, column)| row == column));
    // A path of 100,001 vertices with equal weights: every other edge is chosen.
    let path: Vec<_> = (0..100_000).map(|edge: u32| (edge.div_ceil(2), edge / 2, 1)).collect();
    assert_eq!(Graph::new(50_001, 50_000, &path).total(), 50_000);
    // A cycle of 100,000 edges with alternating weights 2 and 1.
    let edge = |edge: u32| (edge.div_ceil(2) % 50_000, edge / 2, 2 - i64::from(edge % 2));
    let cycle: Vec<_> = (0..100_000).map(edge).collect();
    assert_eq!(Graph::new(50_000, 50_000, &cycle).total(), 100_000);
    // A star with 100,000 leaves.
    let star: Vec<_> = (0..100_000).map(|leaf| (0, leaf, 1 + i64::from(leaf) % 1000)).collect();
    assert_eq!(Graph::new(1, 100_000, &star).solve(), (vec![(0, 999)], 1000));
}

/// Weights up to half the range of the type must not overflow in intermediate results.
#[test]
fn weights_near_the_limit_of_the_type() {
    fn check<W: Weight>(half: W, less: W, total: W) {
        let weights = [half, half, less, half, less, less, less, less, half];
        let edges: Vec<_> = (0..9)
            .map(|cell| Edge { row: cell / 3, column: cell % 3, weight: weights[cell as usize] })
            .filter(|edge| edge.row < 2)
            .collect();
        assert_eq!(maximum_weight(3, 3, &edges).total, total);
    }
    let half = i64::MAX / 2;
    check(half, half - 1, 2 * half);
    let half = i128::MAX / 2;
    check(half, half - 1, 2 * half);
}

#[test]
#[should_panic(expected = "row 2 of 2")]
fn a_row_out_of_range_is_refused() {
    Graph::new(2, 2, &[(2, 0, 1)]).solve();
}

#[test]
#[should_panic(expected = "column 2 of 2")]
fn a_column_out_of_range_is_refused() {
    Graph::new(2, 2, &[(0, 2, 1)]).solve();
}

#[test]
fn components_come_in_order_of_their_smallest_row() {
    let edges = [(4, 4), (3, 0), (1, 2), (0, 3), (1, 3), (4, 0), (2, 2)];
    let groups = components(6, 5, edges.iter().copied());
    // Rows 0, 1 and 2 are connected with columns 2 and 3, rows 3 and 4 with columns 0 and 4.
    assert!(groups.iter().eq([&[2, 3, 4, 6][..], &[0, 1, 5]]));
    assert_eq!(groups.len(), 2);
    assert!(!groups.is_empty());
    assert!(components(3, 3, []).is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn agrees_with_enumeration(graph in sparse(6)) {
        prop_assert_eq!(graph.total(), by_enumeration(&graph));
        prop_assert_eq!(graph.total(), by_hungarian_method(&graph));
    }

    #[test]
    fn two_rows_or_columns_need_no_search(
        graph in (0..7_u32).prop_flat_map(|columns| {
            let edge = (0..2_u32, 0..columns.max(1), -1..6_i64);
            proptest::collection::vec(edge, 0..10).prop_map(move |edges| Graph::new(2, columns.max(1) as usize, &edges))
        }),
    ) {
        prop_assert_eq!(graph.solve().1, by_enumeration(&graph));
        prop_assert_eq!(graph.transposed().total(), graph.total());
    }

    #[test]
    fn agrees_with_the_hungarian_method(graph in sparse(40)) {
        prop_assert_eq!(graph.total(), by_hungarian_method(&graph));
    }

    #[test]
    fn agrees_with_the_hungarian_method_on_dice_weights(graph in dice(40)) {
        prop_assert_eq!(graph.total(), by_hungarian_method(&graph));
    }

    #[test]
    fn agrees_with_the_hungarian_method_on_complete_graphs(
        (rows, columns, weights) in (1..=12_u32, 1..=12_u32, weight()).prop_flat_map(|(rows, columns, weight)| {
            (Just(rows), Just(columns), prop::collection::vec(weight, 144))
        })
    ) {
        let graph = Graph::complete(rows, columns, |row, column| weights[(row * 12 + column) as usize]);
        prop_assert_eq!(graph.total(), by_hungarian_method(&graph));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn numbering_does_not_change_the_total(
        (graph, rows, columns) in prop_oneof![sparse(30).boxed(), dice(30).boxed()].prop_flat_map(|graph| {
            let (rows, columns) = (0..graph.rows as u32, 0..graph.columns as u32);
            (Just(graph), shuffled(rows), shuffled(columns))
        })
    ) {
        let mut renumbered = graph.clone();
        for (row, column, _) in &mut renumbered.edges {
            (*row, *column) = (rows[*row as usize], columns[*column as usize]);
        }
        prop_assert_eq!(renumbered.total(), graph.total());
        prop_assert_eq!(graph.transposed().total(), graph.total());
    }

    #[test]
    fn the_order_of_edges_changes_nothing(
        (graph, edges) in sparse(30).prop_flat_map(|graph| {
            let edges = Just(graph.edges.clone()).prop_shuffle();
            (Just(graph), edges)
        })
    ) {
        prop_assert_eq!(Graph { edges, ..graph.clone() }.solve(), graph.solve());
    }

    /// Scaling the weights scales the total and does not change the pairs.
    #[test]
    fn a_common_factor_changes_no_pair(graph in sparse(30), factor in 2..100_i64) {
        let mut scaled = graph.clone();
        scaled.edges.iter_mut().for_each(|edge| edge.2 *= factor);
        let (pairs, total) = graph.solve();
        prop_assert_eq!(scaled.solve(), (pairs, factor * total));
    }

    /// Solving one component after another gives the same result as a call for the whole graph, and the components
    /// equal those of a plain search.
    #[test]
    fn components_can_be_solved_one_by_one(graph in sparse(40)) {
        let edges = graph.edges(|weight| weight);
        let groups = components(graph.rows, graph.columns, graph.edges.iter().map(|edge| (edge.0, edge.1)));
        let mut solver = Solver::new();
        let (mut pairs, mut total) = (Vec::new(), 0);
        let mut seen = vec![false; edges.len()];
        let mut last_row = None;
        for group in groups.iter() {
            let members: Vec<_> = group.iter().map(|&index| edges[index as usize]).collect();
            total += solver.solve(&members, &mut pairs);

            prop_assert!(group.is_sorted_by(|a, b| a < b));
            let first_row = members.iter().map(|edge| edge.row).min();
            prop_assert!(last_row < first_row);
            last_row = first_row;
            let reached = reachable(&graph, group[0]);
            prop_assert_eq!(group, &reached[..]);
            group.iter().for_each(|&index| seen[index as usize] = true);
        }
        prop_assert!(seen.iter().all(|&seen| seen));
        pairs.sort_unstable();
        prop_assert_eq!((pairs, total), graph.solve());
    }
}

/// Returns the indices of the edges connected to an edge, in order.
fn reachable(graph: &Graph, edge: u32) -> Vec<u32> {
    let mut reached = vec![edge];
    let mut next = 0;
    while let Some(&current) = reached.get(next) {
        next += 1;
        let (row, column, _) = graph.edges[current as usize];
        for (index, other) in (0..).zip(&graph.edges) {
            if (other.0 == row || other.1 == column) && !reached.contains(&index) {
                reached.push(index);
            }
        }
    }
    reached.sort_unstable();
    reached
}
