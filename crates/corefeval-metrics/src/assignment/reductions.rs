//! Reduces a graph: solves the parts of a component that need no search.

use std::cmp::Reverse;
use std::collections::VecDeque;

use super::{Edge, NONE, Weight, fill};

/// The maximum number of edges that reductions examine for each edge of the component,
/// approximately. The rest is left to the search. Sparse random graphs need three to seven. The
/// limit only prevents graphs that were designed to defeat the reductions from costing more than
/// they save.
const LOOKS_PER_EDGE: usize = 32;

/// A graph that is being reduced, with the data needed to undo the reductions.
///
/// Vertices are numbered densely: the rows in order, then the columns in order. An edge is alive as
/// long as its weight is above 0.
#[derive(Clone, Debug)]
pub(super) struct Graph<W> {
    /// The caller's number of each row, ascending.
    pub(super) rows: Vec<u32>,
    /// The caller's number of each column, ascending.
    pub(super) columns: Vec<u32>,
    /// The vertex of each of the caller's columns, `NONE` for those not in this graph.
    column_vertex: Vec<u32>,
    /// The edges, sorted by row and column, without duplicates; their ends are vertices.
    pub(super) edges: Vec<Edge<W>>,
    /// The edges at each vertex, in order: `incident[spans[v].0..spans[v].1]`. Dead edges may be among them.
    pub(super) incident: Vec<u32>,
    pub(super) spans: Vec<(u32, u32)>,
    /// The number of edges alive at each vertex.
    pub(super) degree: Vec<u32>,
    /// The heaviest edges at each vertex at its last examination.
    top: Vec<Top<W>>,
    /// The vertices to examine again, and whether a vertex is among them.
    queue: VecDeque<u32>,
    queued: Vec<bool>,
    /// The folded leaves, the vertices into which they were folded, and the weight of the edge at that time, in order.
    pub(super) folds: Vec<(u32, u32, W)>,
    /// The ends of the edges that were taken, with their duals.
    pub(super) takes: Vec<(u32, u32, W, W)>,
    /// The vertex to which each vertex is assigned.
    pub(super) partner: Vec<u32>,
    /// The contribution of the reductions to the total.
    pub(super) gain: W,
}

/// The heaviest edges at a vertex. Weights only decrease, so an outdated `second` is an upper bound.
#[derive(Clone, Copy, Debug)]
struct Top<W> {
    /// The heaviest edge, the first one in a tie; `NONE` before the first examination.
    best: u32,
    /// The weight of the heaviest other edge.
    second: W,
}

impl<W: Weight> Graph<W> {
    pub(super) fn new() -> Self {
        Self {
            rows: Vec::new(),
            columns: Vec::new(),
            column_vertex: Vec::new(),
            edges: Vec::new(),
            incident: Vec::new(),
            spans: Vec::new(),
            degree: Vec::new(),
            top: Vec::new(),
            queue: VecDeque::new(),
            queued: Vec::new(),
            folds: Vec::new(),
            takes: Vec::new(),
            partner: Vec::new(),
            gain: W::ZERO,
        }
    }

    pub(super) fn vertices(&self) -> usize {
        self.rows.len() + self.columns.len()
    }

    /// Loads the caller's edges: sorts them, numbers the vertices, and lists the edges of each vertex.
    pub(super) fn load(&mut self, edges: &[Edge<W>]) {
        assert!(edges.len() < NONE as usize / 2, "too many edges");
        self.edges.clear();
        self.edges.extend(edges.iter().filter(|edge| edge.weight > W::ZERO));
        let ends = |edge: &Edge<W>| (edge.row, edge.column);
        if !self.edges.is_sorted_by(|a, b| ends(a) < ends(b)) {
            self.edges.sort_unstable_by_key(|edge| (ends(edge), Reverse(edge.weight)));
            self.edges.dedup_by_key(|edge| ends(edge));
        }

        self.rows.clear();
        self.columns.clear();
        for edge in &mut self.edges {
            if self.rows.last() != Some(&edge.row) {
                self.rows.push(edge.row);
            }
            edge.row = self.rows.len() as u32 - 1;
            let column = edge.column as usize;
            if column >= self.column_vertex.len() {
                self.column_vertex.resize(column + 1, NONE);
            }
            if self.column_vertex[column] == NONE {
                self.column_vertex[column] = 0;
                self.columns.push(edge.column);
            }
        }
        self.columns.sort_unstable();
        for (vertex, &column) in (self.rows.len() as u32..).zip(&self.columns) {
            self.column_vertex[column as usize] = vertex;
        }

        let vertices = self.vertices();
        fill(&mut self.degree, vertices, 0);
        for edge in &mut self.edges {
            edge.column = self.column_vertex[edge.column as usize];
            self.degree[edge.row as usize] += 1;
            self.degree[edge.column as usize] += 1;
        }
        for &column in &self.columns {
            self.column_vertex[column as usize] = NONE;
        }

        self.spans.clear();
        let mut end = 0;
        for &degree in &self.degree {
            self.spans.push((end, end));
            end += degree;
        }
        fill(&mut self.incident, end as usize, 0);
        for (index, edge) in (0..).zip(&self.edges) {
            for vertex in [edge.row, edge.column] {
                let span = &mut self.spans[vertex as usize];
                self.incident[span.1 as usize] = index;
                span.1 += 1;
            }
        }

        fill(&mut self.top, vertices, Top { best: NONE, second: W::ZERO });
        fill(&mut self.partner, vertices, NONE);
        fill(&mut self.queued, vertices, true);
        self.queue.clear();
        self.queue.extend(0..vertices as u32);
        self.folds.clear();
        self.takes.clear();
        self.gain = W::ZERO;
    }

    /// Returns the end of an edge that is not `vertex`.
    pub(super) fn other_end(&self, edge: u32, vertex: u32) -> u32 {
        let Edge { row, column, .. } = self.edges[edge as usize];
        if row == vertex { column } else { row }
    }

    /// Folds leaves and takes dominant edges until neither remains.
    pub(super) fn reduce(&mut self) {
        // The queue is first in, first out. Most leaves at a hub are then known before the hub is visited, and it is
        // visited once for all of them.
        let mut looks = LOOKS_PER_EDGE * self.edges.len();
        while let Some(vertex) = self.queue.pop_front() {
            self.queued[vertex as usize] = false;
            if self.degree[vertex as usize] == 0 {
                continue;
            }
            let cost = self.look(vertex);
            let best = self.top[vertex as usize].best;
            let partner = self.other_end(best, vertex);
            let cost = if self.degree[vertex as usize] == 1 {
                cost + self.fold_into(partner)
            } else if self.is_dominant(best, vertex, partner) {
                cost + self.take(best)
            } else {
                cost
            };
            looks = looks.saturating_sub(cost);
            if looks == 0 {
                break;
            }
        }
    }

    /// Finds the heaviest edges of a vertex, and drops its dead edges. Returns the cost.
    fn look(&mut self, vertex: u32) -> usize {
        let (start, end) = self.spans[vertex as usize];
        let mut kept = start;
        let mut top = Top { best: NONE, second: W::ZERO };
        let mut heaviest = W::ZERO;
        for place in start..end {
            let index = self.incident[place as usize];
            let weight = self.edges[index as usize].weight;
            if weight > W::ZERO {
                self.incident[kept as usize] = index;
                kept += 1;
                if weight > heaviest {
                    top = Top { best: index, second: heaviest };
                    heaviest = weight;
                } else if weight > top.second {
                    top.second = weight;
                }
            }
        }
        self.spans[vertex as usize].1 = kept;
        self.top[vertex as usize] = top;
        (end - start) as usize
    }

    /// Returns whether the weight of an edge is at least the sum of the heaviest other edges at both of its ends.
    fn is_dominant(&self, edge: u32, a: u32, b: u32) -> bool {
        let (a, b) = (self.top[a as usize], self.top[b as usize]);
        a.best == edge && b.best == edge && self.edges[edge as usize].weight >= a.second + b.second
    }

    /// Folds the heaviest leaf at `hub` into it, which removes lighter leaves. Returns the cost.
    fn fold_into(&mut self, hub: u32) -> usize {
        let (start, end) = self.spans[hub as usize];
        let mut heaviest = W::ZERO;
        let mut leaf = NONE;
        for place in start..end {
            let index = self.incident[place as usize];
            let weight = self.edges[index as usize].weight;
            if weight > heaviest {
                let neighbour = self.other_end(index, hub);
                if self.degree[neighbour as usize] == 1 {
                    heaviest = weight;
                    leaf = neighbour;
                }
            }
        }
        self.gain += heaviest;
        self.folds.push((leaf, hub, heaviest));
        for place in start..end {
            self.lower(self.incident[place as usize], hub, heaviest);
        }
        self.look_again(hub);
        2 * (end - start) as usize
    }

    /// Takes an edge into the assignment, and removes both of its ends from the graph. Returns the cost.
    fn take(&mut self, edge: u32) -> usize {
        let Edge { row, column, weight } = self.edges[edge as usize];
        self.gain += weight;
        // The column's share is at least its second heaviest edge, because the edge dominates both.
        let of_row = self.top[row as usize].second;
        self.takes.push((row, column, of_row, weight - of_row));
        self.partner[row as usize] = column;
        self.partner[column as usize] = row;
        let mut cost = 0;
        for vertex in [row, column] {
            let (start, end) = self.spans[vertex as usize];
            for place in start..end {
                let index = self.incident[place as usize];
                self.lower(index, vertex, self.edges[index as usize].weight);
            }
            cost += (end - start) as usize;
        }
        cost
    }

    /// Subtracts `amount` from an edge of `vertex`, and queues the other end if that may matter there.
    fn lower(&mut self, edge: u32, vertex: u32, amount: W) {
        let before = self.edges[edge as usize].weight;
        if before <= W::ZERO {
            return;
        }
        let other = self.other_end(edge, vertex);
        let mut single = false;
        if before > amount {
            self.edges[edge as usize].weight = before - amount;
        } else {
            self.edges[edge as usize].weight = W::ZERO;
            self.degree[vertex as usize] -= 1;
            self.degree[other as usize] -= 1;
            single = self.degree[other as usize] == 1;
        }
        let top = self.top[other as usize];
        if single || top.best == edge || before >= top.second {
            self.look_again(other);
        }
    }

    fn look_again(&mut self, vertex: u32) {
        if !self.queued[vertex as usize] {
            self.queued[vertex as usize] = true;
            self.queue.push_back(vertex);
        }
    }

    /// Undoes the folds in reverse order: a hub without a better partner takes its leaf.
    pub(super) fn unfold(&mut self) {
        for &(leaf, hub, _) in self.folds.iter().rev() {
            if self.partner[hub as usize] == NONE {
                self.partner[hub as usize] = leaf;
                self.partner[leaf as usize] = hub;
            }
        }
    }

    /// Appends the assignment in the caller's numbers, in order of row.
    pub(super) fn append_pairs(&self, pairs: &mut Vec<(u32, u32)>) {
        for (&row, &partner) in self.rows.iter().zip(&self.partner) {
            if partner != NONE {
                pairs.push((row, self.columns[partner as usize - self.rows.len()]));
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Loads a graph with these (row, column, weight) edges, and does not reduce it.
    pub(in super::super) fn load(edges: &[(u32, u32, i64)]) -> Graph<i64> {
        let edges: Vec<_> = edges.iter().map(|&(row, column, weight)| Edge { row, column, weight }).collect();
        let mut graph = Graph::new();
        graph.load(&edges);
        graph
    }

    /// Returns the edges alive, in dense numbers of row and column.
    fn alive(graph: &Graph<i64>) -> Vec<(u32, u32, i64)> {
        let rows = graph.rows.len() as u32;
        let alive = graph.edges.iter().filter(|edge| edge.weight > 0);
        alive.map(|edge| (edge.row, edge.column - rows, edge.weight)).collect()
    }

    fn pairs(graph: &mut Graph<i64>) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        graph.unfold();
        graph.append_pairs(&mut pairs);
        pairs
    }

    /// A cycle of six edges with alternating weights 5 and 4: no vertex is a leaf, and no edge is
    /// as heavy as its two neighbours together.
    pub(in super::super) const CYCLE: [(u32, u32, i64); 6] =
        [(0, 0, 5), (0, 1, 4), (1, 1, 5), (1, 2, 4), (2, 0, 4), (2, 2, 5)];

    #[test]
    fn numbers_vertices_and_drops_what_cannot_count() {
        let graph = load(&[(9, 4, 1), (2, 7, 3), (9, 4, 2), (2, 4, 0), (9, 7, -5), (2, 7, 3)]);
        assert_eq!(graph.rows, [2, 9]);
        assert_eq!(graph.columns, [4, 7]);
        assert_eq!(alive(&graph), [(0, 1, 3), (1, 0, 2)]);
        assert!(graph.column_vertex.iter().all(|&vertex| vertex == NONE));
    }

    #[test]
    fn a_cycle_of_near_equals_is_not_reduced() {
        let mut graph = load(&CYCLE);
        graph.reduce();
        assert_eq!(graph.gain, 0);
        assert_eq!(alive(&graph), CYCLE);
    }

    /// Row 3 has only column 0, for 3. Column 0 is worth 5 - 3 = 2 beyond that with row 0, and 4 -
    /// 3 = 1 with row 2. The other columns keep their weights.
    #[test]
    fn a_leaf_is_subtracted_from_its_rivals() {
        let mut graph = load(&CYCLE.iter().copied().chain([(3, 0, 3)]).collect::<Vec<_>>());
        let hub = graph.rows.len() as u32;
        graph.look(3);
        graph.fold_into(hub);
        assert_eq!(graph.gain, 3);
        assert_eq!(graph.folds, [(3, hub, 3)]);
        let rest = [(0, 0, 2), (0, 1, 4), (1, 1, 5), (1, 2, 4), (2, 0, 1), (2, 2, 5)];
        assert_eq!(alive(&graph), rest);
        assert_eq!(graph.degree, [2, 2, 2, 0, 2, 2, 2]);
    }

    /// In a star, the heaviest leaf is folded, and all others are worth nothing beyond it.
    #[test]
    fn the_heaviest_leaf_of_a_star_is_folded_first() {
        let mut graph = load(&[(0, 0, 2), (1, 0, 7), (2, 0, 7), (3, 0, 4)]);
        graph.reduce();
        assert_eq!((graph.gain, graph.folds.len()), (7, 1));
        assert_eq!(alive(&graph), []);
        assert_eq!(pairs(&mut graph), [(1, 0)]);
    }

    /// The path 3 - 5 - 4 - 3 of edges: the ends are folded into the middle, which is worth 5 - 3 =
    /// 2 to the left and 4 - 3 = 1 to the right. This decides the result, because 3 + 4 = 7 is less
    /// than 5 + 3 = 8.
    #[test]
    fn folds_are_undone_from_the_last_to_the_first() {
        let mut graph = load(&[(0, 0, 3), (1, 0, 5), (1, 1, 4), (2, 1, 3)]);
        graph.reduce();
        assert_eq!(graph.gain, 8);
        assert_eq!(alive(&graph), []);
        assert_eq!(pairs(&mut graph), [(1, 0), (2, 1)]);
    }

    /// (0, 0) has the weight 9 = 5 + 4, as much as the heaviest other edges at its ends together, so it is taken. Only
    /// (1, 1) remains.
    #[test]
    fn a_dominant_edge_is_taken() {
        let square = [(0, 0, 9), (0, 1, 5), (1, 0, 4), (1, 1, 1)];
        let mut graph = load(&square);
        graph.reduce();
        assert_eq!(graph.gain, 10);
        assert_eq!(pairs(&mut graph), [(0, 0), (1, 1)]);

        let mut graph = load(&square);
        (0..4).for_each(|vertex| _ = graph.look(vertex));
        assert!(graph.is_dominant(0, 0, 2));
        graph.take(0);
        assert_eq!(graph.gain, 9);
        assert_eq!(alive(&graph), [(1, 1, 1)]);
        assert_eq!(graph.degree, [0, 1, 0, 1]);
    }

    /// With 8 instead of 9, the two others outweigh it.
    #[test]
    fn an_edge_short_of_dominance_stays() {
        let mut graph = load(&[(0, 0, 8), (0, 1, 5), (1, 0, 4), (1, 1, 1)]);
        (0..4).for_each(|vertex| _ = graph.look(vertex));
        assert!(!graph.is_dominant(0, 0, 2));
    }

    /// Returns whether no leaf and no edge that outweighs its neighbours remain.
    fn is_reduced(graph: &mut Graph<i64>) -> bool {
        let vertices: Vec<u32> =
            (0..graph.vertices() as u32).filter(|&v| graph.degree[v as usize] > 0).collect();
        for &vertex in &vertices {
            graph.look(vertex);
        }
        vertices.iter().all(|&vertex| {
            let best = graph.top[vertex as usize].best;
            let other = graph.other_end(best, vertex);
            graph.degree[vertex as usize] > 1 && !graph.is_dominant(best, vertex, other)
        })
    }

    #[test]
    fn reductions_remove_all_leaves_and_dominant_edges() {
        let mut state = 1_u64;
        let mut random = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let mut left = 0;
        for case in 0..600 {
            let (size, heaviest) =
                (2 + random(if case % 50 == 0 { 2_000 } else { 50 }), [1, 3, 1_000][case % 3]);
            let edges = size * (2 + random(6)) / 2;
            let edge = |_| (random(size) as u32, random(size) as u32, 1 + random(heaviest) as i64);
            let mut graph = load(&(0..edges).map(edge).collect::<Vec<_>>());
            graph.reduce();
            assert!(is_reduced(&mut graph), "{case}");
            left += usize::from(!alive(&graph).is_empty());
        }
        assert!(left > 50, "{left}");
    }

    /// Forests, and graphs with a heavy edge for each row, are solved without a search.
    #[test]
    fn forests_and_heavy_diagonals_disappear() {
        // Each column is connected to an earlier row, and each row to an earlier column.
        let tree = (1..3_000_u32).flat_map(|place| {
            let before = (place * 7 + 3) % place;
            [(before, place, 1 + i64::from(place % 5)), (place, before, 1 + i64::from(place % 7))]
        });
        let mut graph = load(&tree.chain([(0, 0, 2)]).collect::<Vec<_>>());
        graph.reduce();
        assert_eq!(alive(&graph), []);
        let cell = |cell: u32| {
            (cell / 60, cell % 60, if cell.is_multiple_of(61) { 1_000 } else { 1 + i64::from(cell % 5) })
        };
        let mut graph = load(&(0..3_600).map(cell).collect::<Vec<_>>());
        graph.reduce();
        assert_eq!((graph.gain, alive(&graph)), (60_000, vec![]));
    }
}
