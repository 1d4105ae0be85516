//! Finds the best one-to-one choice: an exact maximum-weight assignment on a sparse bipartite graph.
//!
//! Rows are items of the key (entities or mentions), columns items of the response, and the weight
//! of an edge is their agreement. An assignment uses each row and each column at most once; unused
//! ones add no weight. CEAF needs an assignment of the entities of each document. Matching rules
//! that allow several partners for a mention need an assignment of mentions.
//!
//! All weights are integers. Callers turn fractions into integers without loss: they scale the weights
//! of a component to a common denominator, call [`Solver::solve`], and divide the total.
//!
//! | call | when |
//! |---|---|
//! | [`maximum_weight`] | all weights share one scale |
//! | [`components`], then [`Solver::solve`] on each | each component has a separate scale |
//!
//! ```
//! use corefeval_metrics::assignment::{Edge, maximum_weight};
//!
//! // Luo (2005): key {1-5} {6 7} {8 9 A B C}, response {1-5} {6-C}, weighed by shared mentions.
//! let edges = [
//!     Edge { row: 0, column: 0, weight: 5_i64 },
//!     Edge { row: 1, column: 1, weight: 2 },
//!     Edge { row: 2, column: 1, weight: 5 },
//! ];
//! let best = maximum_weight(3, 2, &edges);
//! assert_eq!(best.total, 10);
//! assert_eq!(best.pairs, [(0, 0), (2, 1)]);
//! ```
//!
//! # Algorithm
//!
//! 1. **Components.** A choice in one component does not affect another. In coreference, nearly every
//!    component is a single edge, which is the solution.
//! 2. **Reductions**, repeated until nothing changes. They preserve the best total and record
//!    how to extend an assignment of the smaller graph to the larger one.
//!    - *Leaf folding.* Let `i` have only one edge, to `j`, of weight `w`. In any case
//!      `j` can have `i` for `w`, so another partner of `j` is worth only its weight
//!      beyond `w`: count `w`, remove `i`, subtract `w` from the other edges of `j`, and
//!      drop those not above 0. At the end, if `j` is still free, it takes `i`.
//!    - *Dominant edges.* If `w(i, j)` is at least the heaviest other edge of `i` plus the
//!      heaviest other edge of `j`, no assignment loses by taking `(i, j)`.
//!
//!    Forests are removed entirely, and sparse random graphs almost entirely.
//! 3. **Successive shortest augmenting paths** on the rest, the *core*: the Hungarian
//!    method (Kuhn 1955, Munkres 1957) in the form that keeps dual variables and searches with
//!    Dijkstra's algorithm and a heap over sparse edges (Karp 1980), after a start that settles
//!    most vertices without any search (the augmenting row reduction of Jonker & Volgenant 1987).
//! 4. **Auctions with falling increments**, if the start of a large core does not end soon, or once
//!    the searches have cost more than auctions would. This happens in large regular cores, in which
//!    each search visits a large part of the graph. See `scaling.rs`.
//!
//! # Dual variables
//!
//! In the core the smaller side *bids* for the *items* of the other side. Each bidder `b`
//! has a profit and each item `i` a price, and between any two steps
//!
//! - `profit(b) ≥ 0`, `price(i) ≥ 0`, and `profit(b) + price(i) ≥ weight(b, i)` on each edge;
//! - with equality if `b` holds `i`;
//! - `price(i) = 0` if nobody holds `i`.
//!
//! Once every bidder without an item has a profit of 0, the weights of the assignment add up to the sum
//! of all profits and prices. No assignment can have a larger weight than that sum, so the assignment
//! is a best one. Debug builds check this certificate after every solution.
//!
//! # Cost
//!
//! Let a component have `n` vertices and `m` edges. Sorting takes `O(m log m)`, and is skipped for
//! sorted input. Reductions take `O(m)`, because they stop after a fixed number of examined edges
//! per edge; so do searches, for the same reason. Auctions take `O(n m log(n W))` in the worst
//! case, where `W` is the heaviest weight, and in practice examine each edge 5 to 120 times. For
//! CEAF φ4, a random component of 10⁵ × 10⁵ entities that share 10⁶ mentions takes 0.9 s, and one of
//! 10⁶ × 10⁶ entities that share 3 · 10⁶ mentions takes 4 s, including the alignment of the
//! mentions.
//!
//! No intermediate value exceeds twice the heaviest weight or the total, whichever is greater,
//! so a scale is safe if the total and twice the heaviest weight fit the integer type. Auctions
//! use `i32`, then `i64` and `i128` as needed; if weights times vertices do not fit `i128`, searches
//! continue.
//!
//! # Bounds and certificates
//!
//! Any prices bound the total of all assignments: it is at most the sum of the prices and, for each row, of the
//! greatest `weight - price` of its edges (if above 0). [`Solver::certificate`] returns the duals of the last solution
//! for the whole graph, so that they can be checked edge by edge; their sum equals the total of a best assignment.
//! [`Solver::bound`] stops before the proof is complete, and returns the total of its assignment and the sum of its
//! duals.
//!
//! # Ties
//!
//! The total is unique, but the pairs may not be. Edges are sorted by row, then column, before they are used, so the
//! pairs depend on the edges but not on their order in the input. In a tie, each step prefers the lower row, then the
//! lower column. This does not make the pairs as a whole the smallest in any order.
//!
//! # References
//!
//! - H. W. Kuhn (1955). The Hungarian method for the assignment problem.
//!   Naval Research Logistics Quarterly 2.
//! - J. Munkres (1957). Algorithms for the assignment and transportation problems.
//!   Journal of the SIAM 5(1).
//! - R. M. Karp (1980). An algorithm to solve the m × n assignment problem in expected time
//!   O(mn log n). Networks 10(2).
//! - R. Jonker & A. Volgenant (1987). A shortest augmenting path algorithm for dense and sparse
//!   linear assignment problems. Computing 38(4).
//! - D. P. Bertsekas & D. A. Castañon (1992). A forward/reverse auction algorithm for
//!   asymmetric assignment problems. Computational Optimization and Applications 1.
//! - B. V. Cherkassky & A. V. Goldberg (1999). Negative-cycle detection algorithms. Mathematical
//!   Programming 85.
//! - A. V. Goldberg & R. Kennedy (1995). An efficient cost scaling algorithm for the assignment
//!   problem. Mathematical Programming 71.
//! - X. Luo (2005). On coreference resolution performance metrics. HLT/EMNLP.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Sub, SubAssign};

mod certificate;
mod components;
mod limit;
mod progress;
mod reductions;
mod scaling;
mod search;

pub use certificate::Certificate;
pub use components::{Components, components};
pub use limit::Limit;
pub use progress::{RunningSearch, SEARCH, SearchProgress};
use reductions::Graph;
use search::Core;

/// Marks the absence of a vertex or an edge instead of an index.
const NONE: u32 = u32::MAX;

/// An exact integer type for the weights of edges.
///
/// Floating-point numbers are not supported on purpose: the total would depend on the order of
/// addition, and near ties would be decided by rounding.
pub trait Weight:
    Copy + Ord + Debug + Add<Output = Self> + Sub<Output = Self> + AddAssign + SubAssign
{
    /// The weight of leaving a row or column out.
    const ZERO: Self;

    /// Returns the same number in the widest type.
    fn widen(self) -> i128;

    /// Returns the same number in this type, in which it must fit.
    fn narrow(wide: i128) -> Self;
}

impl Weight for i32 {
    const ZERO: Self = 0;

    fn widen(self) -> i128 {
        self.into()
    }

    fn narrow(wide: i128) -> Self {
        wide as Self
    }
}

impl Weight for i64 {
    const ZERO: Self = 0;

    fn widen(self) -> i128 {
        self.into()
    }

    fn narrow(wide: i128) -> Self {
        wide as Self
    }
}

impl Weight for i128 {
    const ZERO: Self = 0;

    fn widen(self) -> i128 {
        self
    }

    fn narrow(wide: i128) -> Self {
        wide
    }
}

/// A row, a column, and the weight of assigning one to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge<W> {
    /// The index of the row.
    pub row: u32,
    /// The index of the column.
    pub column: u32,
    /// The weight of the pair. An edge with a weight of 0 or less is never taken.
    pub weight: W,
}

/// A one-to-one choice of edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment<W> {
    /// The chosen (row, column) pairs, in order of row.
    pub pairs: Vec<(u32, u32)>,
    /// The sum of their weights.
    pub total: W,
}

/// Finds a one-to-one choice of edges with the largest total weight.
///
/// Edges may be given in any order. Edges with a weight of 0 or less are ignored. If there are
/// several edges between the same row and column, the heaviest counts.
///
/// Weights of different components are added up, so all must have the same scale. If that makes the integers too large,
/// use [`components`] with a separate scale for each.
///
/// # Panics
///
/// An edge has a row or column outside `rows` or `columns`, or there are 2³¹ or more rows and columns, or edges.
pub fn maximum_weight<W: Weight>(rows: usize, columns: usize, edges: &[Edge<W>]) -> Assignment<W> {
    let components = components(rows, columns, edges.iter().map(|edge| (edge.row, edge.column)));
    let mut solver = Solver::new();
    let mut members = Vec::new();
    let mut pairs = Vec::with_capacity(rows.min(columns).min(edges.len()));
    let mut total = W::ZERO;
    for component in components.iter() {
        members.clear();
        members.extend(component.iter().map(|&index| edges[index as usize]));
        total += solver.solve(&members, &mut pairs);
    }
    pairs.sort_unstable();
    Assignment { pairs, total }
}

/// Solves one assignment after another in the same memory.
///
/// A document has thousands of small components. After the first few, the solver does not allocate any memory for them.
///
/// ```
/// use corefeval_metrics::assignment::{Edge, Solver};
///
/// let mut solver = Solver::new();
/// let mut pairs = Vec::new();
/// let edges = [
///     Edge { row: 7, column: 3, weight: 4_i128 },
///     Edge { row: 7, column: 9, weight: 3 },
///     Edge { row: 8, column: 3, weight: 2 },
/// ];
/// assert_eq!(solver.solve(&edges, &mut pairs), 5);
/// assert_eq!(pairs, [(7, 9), (8, 3)]);
/// ```
#[derive(Clone, Debug)]
pub struct Solver<W> {
    graph: Graph<W>,
    core: Core<W>,
    /// The last input if it was a single edge, which needs neither graph nor core.
    single: Option<Edge<W>>,
}

/// The totals between which a best assignment lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds<W> {
    /// The total of an assignment.
    pub lower: W,
    /// The sum of duals, which no assignment exceeds.
    pub upper: W,
}

impl<W: Weight> Bounds<W> {
    /// Returns whether the assignment is proved to be a best one.
    pub fn is_exact(&self) -> bool {
        self.lower == self.upper
    }
}

impl<W: Weight> Default for Solver<W> {
    fn default() -> Self {
        Self::new()
    }
}

impl<W: Weight> Solver<W> {
    /// Creates a solver that has not allocated any memory yet.
    pub fn new() -> Self {
        Self { graph: Graph::new(), core: Core::new(), single: None }
    }

    /// Finds a one-to-one choice of these edges with the largest total weight, appends it to
    /// `pairs` in order of row, and returns the total.
    ///
    /// The edges are usually one component, but need not be. As in [`maximum_weight`], edges of 0
    /// or less are ignored, and the heaviest of several edges between the same ends counts. A
    /// single edge is solved immediately.
    ///
    /// Rows and columns keep the caller's numbers. The solver keeps a table as long as the highest column number so
    /// far, but clears only the entries that it used.
    ///
    /// # Panics
    ///
    /// There are 2³¹ edges or more.
    pub fn solve(&mut self, edges: &[Edge<W>], pairs: &mut Vec<(u32, u32)>) -> W {
        self.run(edges, pairs, None).lower
    }

    /// Returns the largest total weight of a one-to-one choice of these edges, like [`solve`](Self::solve) but without
    /// the pairs. Two rows or two columns need no search.
    ///
    /// ```
    /// use corefeval_metrics::assignment::{Edge, Solver};
    ///
    /// let edge = |row, column, weight: i64| Edge { row, column, weight };
    /// assert_eq!(Solver::new().total(&[edge(0, 0, 3), edge(0, 1, 2), edge(1, 0, 2)]), 4);
    /// ```
    ///
    /// # Panics
    ///
    /// There are 2³¹ edges or more.
    pub fn total(&mut self, edges: &[Edge<W>]) -> W {
        total_of_two(edges, |edge| (edge.row, edge.column))
            .or_else(|| total_of_two(edges, |edge| (edge.column, edge.row)))
            .unwrap_or_else(|| self.solve(edges, &mut Vec::new()))
    }

    /// Like [`solve`](Self::solve), but stops at a limit. The pairs are the assignment with the lower total.
    ///
    /// Loading, reductions and a first round of bids are always completed, so there are always bounds.
    ///
    /// ```
    /// use corefeval_metrics::assignment::{Edge, Limit, Solver};
    ///
    /// let edge = |row, column, weight: i64| Edge { row, column, weight };
    /// let edges = [edge(0, 0, 5), edge(0, 1, 4), edge(1, 1, 5), edge(1, 2, 4), edge(2, 0, 4), edge(2, 2, 5)];
    /// let bounds = Solver::new().bound(&edges, &mut Vec::new(), &Limit { slack: 6, until: None });
    /// assert!(bounds.lower <= 15 && bounds.upper >= 15 && bounds.upper - bounds.lower <= 6);
    /// ```
    ///
    /// # Panics
    ///
    /// There are 2³¹ edges or more.
    pub fn bound(&mut self, edges: &[Edge<W>], pairs: &mut Vec<(u32, u32)>, limit: &Limit<W>) -> Bounds<W> {
        self.run(edges, pairs, Some(limit))
    }

    fn run(&mut self, edges: &[Edge<W>], pairs: &mut Vec<(u32, u32)>, limit: Option<&Limit<W>>) -> Bounds<W> {
        self.single = None;
        if let [edge] = edges {
            self.single = Some(*edge);
            if edge.weight <= W::ZERO {
                return Bounds { lower: W::ZERO, upper: W::ZERO };
            }
            pairs.push((edge.row, edge.column));
            return Bounds { lower: edge.weight, upper: edge.weight };
        }
        self.graph.load(edges);
        self.graph.reduce();
        self.core.load(&self.graph);
        let core = self.core.solve(limit);
        self.core.write_back(&mut self.graph);
        self.graph.unfold();
        self.graph.append_pairs(pairs);
        Bounds { lower: self.graph.gain + core.lower, upper: self.graph.gain + core.upper }
    }

    /// Returns the duals that prove the upper bound of the last input. The bound equals the total, unless a
    /// limit stopped the proof.
    pub fn certificate(&self) -> Certificate<W> {
        match self.single {
            Some(edge) => Certificate {
                rows: vec![(edge.row, edge.weight.max(W::ZERO))],
                columns: vec![(edge.column, W::ZERO)],
            },
            None => self.graph.certificate(&self.core),
        }
    }
}

/// Returns the total of a best assignment if there are at most two vertices on one side. `ends` returns the vertex on
/// this side, then that on the other side.
fn total_of_two<W: Weight>(edges: &[Edge<W>], ends: impl Fn(&Edge<W>) -> (u32, u32)) -> Option<W> {
    // The two heaviest edges of each vertex suffice: only one of them can be in use by the other vertex.
    let mut vertices = [(NONE, [(NONE, W::ZERO); 2]); 2];
    for edge in edges.iter().filter(|edge| edge.weight > W::ZERO) {
        let (vertex, other) = ends(edge);
        let known = vertices.iter_mut().find(|known| known.0 == vertex || known.0 == NONE)?;
        known.0 = vertex;
        let [first, second] = &mut known.1;
        if first.0 == other {
            first.1 = first.1.max(edge.weight);
        } else if edge.weight > first.1 {
            (*second, *first) = (*first, (other, edge.weight));
        } else if edge.weight > second.1 {
            *second = (other, edge.weight);
        }
    }
    let [[a, b], [c, d]] = vertices.map(|(_, heaviest)| heaviest);
    let differ = a.0 != c.0 || a.0 == NONE;
    Some(if differ { a.1 + c.1 } else { (a.1 + d.1).max(b.1 + c.1) })
}

/// Sets a vector to `length` copies of `value`, and reuses its memory.
fn fill<T: Copy>(vector: &mut Vec<T>, length: usize, value: T) {
    vector.clear();
    vector.resize(length, value);
}
