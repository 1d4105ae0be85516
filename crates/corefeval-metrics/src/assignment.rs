//! The best one-to-one choice: an exact maximum-weight assignment on a sparse bipartite graph.
//!
//! Rows stand for things of the key (entities or mentions), columns for things of the
//! response, and an edge's weight says how well the two agree. An assignment takes each row
//! and each column at most once; whatever it leaves out weighs nothing. CEAF asks for one
//! assignment of entities per document, and matching rules that allow a mention several
//! partners ask for one of mentions.
//!
//! This module knows integers only. What a weight means, and how a fraction becomes an
//! integer without losing anything, is the caller's business: scale the weights of a
//! component to a common denominator, call [`Solver::solve`], divide the total.
//!
//! | call | when |
//! |---|---|
//! | [`maximum_weight`] | all weights share one scale |
//! | [`components`], then [`Solver::solve`] on each | each component has a scale of its own |
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
//! 1. **Components.** No choice in one component touches another. In coreference nearly every
//!    component is a single edge, which is its own answer.
//! 2. **Reductions**, repeated until nothing changes. They keep the best total and remember
//!    how to extend an assignment of the smaller graph to the larger one.
//!    - *Leaf folding.* Let `i` have one edge only, to `j`, of weight `w`. Whatever else
//!      happens, `j` can have `i` for `w`, so another partner of `j` is worth only what it
//!      brings beyond `w`: count `w`, remove `i`, subtract `w` from the other edges of `j`,
//!      drop those not above 0. At the end, if `j` is still free, it takes `i`.
//!    - *Dominant edges.* If `w(i, j)` is at least the heaviest other edge of `i` plus the
//!      heaviest other edge of `j`, no assignment loses by taking `(i, j)`.
//!
//!    Forests disappear entirely, and of sparse random graphs next to nothing is left.
//! 3. **Successive shortest augmenting paths** on what is left, the *core*: the Hungarian
//!    method (Kuhn 1955, Munkres 1957) in the form that keeps dual variables and searches with
//!    Dijkstra's algorithm and a heap over sparse edges (Karp 1980), after a start that settles
//!    most vertices without any search (the augmenting row reduction of Jonker & Volgenant 1987).
//!
//! # Dual variables
//!
//! In the core the smaller side *bids* for the *items* of the other side. Each bidder `b`
//! has a profit and each item `i` a price, and between any two steps
//!
//! - `profit(b) ≥ 0`, `price(i) ≥ 0`, and `profit(b) + price(i) ≥ weight(b, i)` on each edge;
//! - with equality where `b` holds `i`;
//! - `price(i) = 0` if nobody holds `i`.
//!
//! Once every bidder that holds nothing has a profit of 0, the weights held add up to the sum
//! of all profits and prices. No assignment can weigh more than that sum, so the assignment is
//! a best one. Debug builds check this certificate after every solution.
//!
//! # Cost
//!
//! With `n` vertices and `m` edges in a component: sorting, `O(m log m)`, which an input in
//! order skips; reductions, `O(m)`, since they give up after a fixed number of looks per edge;
//! one search for each bidder that the start leaves over, `O(m log n)` at worst, though a
//! search ends at the first free item or worthless bidder and pays only for what it visits.
//! The worst case takes a large, regular core with equal sides whose weights are close to a sum
//! of a part for the row and a part for the column: everyone then wants the same few items.
//!
//! No intermediate value exceeds twice the heaviest weight or the total, whichever is greater,
//! so a scale is safe if the total and twice the heaviest weight fit the integer type.
//!
//! # Ties
//!
//! The total is unique; the pairs need not be. The edges are put in order of row, then column,
//! before anything looks at them, so the pairs depend on the edges and not on the order in
//! which they were given. Between equals each step prefers the lower row, then the lower
//! column. That does not make the pairs as a whole the least in any order.
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
//! - X. Luo (2005). On coreference resolution performance metrics. HLT/EMNLP.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::fmt::Debug;
use std::mem;
use std::ops::{Add, AddAssign, Range, Sub, SubAssign};

/// Stands for "no vertex" or "no edge" where an index is stored.
const NONE: u32 = u32::MAX;

/// Reductions look at about this many edges for each edge of the component at most, then leave
/// the rest to the search. Sparse random graphs need three to seven; the limit only keeps shapes
/// made to defeat the reductions from costing more than they save.
const LOOKS_PER_EDGE: usize = 32;

/// How often the bidding start goes over the bidders that hold nothing.
const BIDDING_PASSES: usize = 4;

/// The bidding start stops following displaced bidders after this many bids per bidder: three
/// bidders after the same two items could go on raising the prices by 1.
const BIDS_PER_BIDDER: usize = 16;

/// An exact integer that edges can weigh.
///
/// Floating-point numbers are left out on purpose: the total would depend on the order of
/// addition, and near ties would be decided by rounding.
pub trait Weight:
    Copy + Ord + Debug + Add<Output = Self> + Sub<Output = Self> + AddAssign + SubAssign
{
    /// The weight of leaving a row or column out.
    const ZERO: Self;
}

impl Weight for i64 {
    const ZERO: Self = 0;
}

impl Weight for i128 {
    const ZERO: Self = 0;
}

/// A row, a column and what assigning one to the other weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge<W> {
    /// Index of the row.
    pub row: u32,
    /// Index of the column.
    pub column: u32,
    /// What the pair weighs; an edge that weighs 0 or less is never taken.
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

/// Finds a one-to-one choice of edges with the greatest total weight.
///
/// Edges may come in any order. Those that weigh 0 or less count as absent, and of several
/// edges between the same row and column the heaviest counts.
///
/// Weights of different components are added up, so all must be on one scale. If that makes
/// the integers too large, go through [`components`] and give each its own.
///
/// # Panics
///
/// If an edge names a row or column outside `rows` or `columns`, or if there are 2³¹ rows and
/// columns, or edges, or more.
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

/// Groups edges by connected component.
///
/// Components come in order of their smallest row, and the edges of each in the order given.
/// Rows and columns without an edge belong to none. Edges are (row, column) pairs; pass
/// `cells.iter().map(|cell| (cell.row, cell.column))` or the like, which is gone through three
/// times.
///
/// The cost is linear in rows, columns and edges, but for the short paths that a union-find
/// forest follows.
///
/// ```
/// use corefeval_metrics::assignment::components;
///
/// let edges = [(2, 0), (0, 1), (2, 2), (1, 2)];
/// let groups = components(3, 3, edges.iter().copied());
/// assert!(groups.iter().eq([&[1][..], &[0, 2, 3][..]]));
/// ```
///
/// # Panics
///
/// As [`maximum_weight`] does.
pub fn components<E>(rows: usize, columns: usize, edges: E) -> Components
where
    E: IntoIterator<Item = (u32, u32)>,
    E::IntoIter: Clone,
{
    let edges = edges.into_iter();
    let vertices = rows + columns;
    assert!(vertices < NONE as usize / 2, "too many rows and columns");

    // Rows are numbered before columns and the lower number becomes the root, so the root of a
    // component is its smallest row.
    let mut parent: Vec<u32> = (0..vertices as u32).collect();
    let mut count = 0_usize;
    for (row, column) in edges.clone() {
        assert!((row as usize) < rows, "row {row} of {rows}");
        assert!((column as usize) < columns, "column {column} of {columns}");
        let a = root(&mut parent, row);
        let b = root(&mut parent, rows as u32 + column);
        parent[a.max(b) as usize] = a.min(b);
        count += 1;
    }
    assert!(count < NONE as usize / 2, "too many edges");

    // Count the edges at each root, lay the components out in order of root, fill them in.
    let mut place = vec![0_u32; rows];
    for (row, _) in edges.clone() {
        place[root(&mut parent, row) as usize] += 1;
    }
    let mut starts = vec![0];
    let mut end = 0;
    for place in &mut place {
        if *place > 0 {
            let start = end;
            end += *place;
            starts.push(end);
            *place = start;
        }
    }
    let mut order = vec![0; count];
    for (index, (row, _)) in edges.enumerate() {
        let place = &mut place[root(&mut parent, row) as usize];
        order[*place as usize] = index as u32;
        *place += 1;
    }
    Components { order, starts }
}

/// The root of a vertex in a union-find forest; halves the path to it on the way.
fn root(parent: &mut [u32], mut vertex: u32) -> u32 {
    loop {
        let above = parent[vertex as usize];
        if above == vertex {
            return vertex;
        }
        let next = parent[above as usize];
        parent[vertex as usize] = next;
        vertex = next;
    }
}

/// Edges grouped by connected component, as [`components`] returns them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// Indices of all edges, component by component.
    order: Vec<u32>,
    /// Where each component starts in `order`, and the end.
    starts: Vec<u32>,
}

impl Components {
    /// How many components there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there is none, that is, no edge.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The components, each as the indices of its edges in the list they came from.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.starts.windows(2).map(|ends| &self.order[ends[0] as usize..ends[1] as usize])
    }
}

/// Solves one assignment after another in the same memory.
///
/// A document has thousands of small components; after the first few, none of them allocates.
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
}

impl<W: Weight> Default for Solver<W> {
    fn default() -> Self {
        Self::new()
    }
}

impl<W: Weight> Solver<W> {
    /// A solver that has not allocated anything yet.
    pub fn new() -> Self {
        Self { graph: Graph::new(), core: Core::new() }
    }

    /// Finds a one-to-one choice of these edges with the greatest total weight, appends it to
    /// `pairs` in order of row, and returns the total.
    ///
    /// The edges are usually one component, but need not be. As in [`maximum_weight`], edges of
    /// 0 or less count as absent and the heaviest of several equal ones counts. A list of one
    /// edge is answered on the spot.
    ///
    /// Rows and columns keep the caller's numbers. The solver keeps a table as long as the
    /// highest column number it has met, but clears only what it used.
    ///
    /// # Panics
    ///
    /// If there are 2³¹ edges or more.
    pub fn solve(&mut self, edges: &[Edge<W>], pairs: &mut Vec<(u32, u32)>) -> W {
        if let [edge] = edges {
            if edge.weight <= W::ZERO {
                return W::ZERO;
            }
            pairs.push((edge.row, edge.column));
            return edge.weight;
        }
        self.graph.load(edges);
        self.graph.reduce();
        self.core.load(&self.graph);
        let total = self.graph.gain + self.core.solve();
        self.core.write_back(&mut self.graph);
        self.graph.unfold();
        self.graph.append_pairs(pairs);
        total
    }
}

/// A graph while it is being reduced, and what is needed to undo the reductions.
///
/// Vertices are numbered densely: the rows in order, then the columns in order. An edge is
/// alive as long as its weight is above 0.
#[derive(Clone, Debug)]
struct Graph<W> {
    /// The caller's number of each row, ascending.
    rows: Vec<u32>,
    /// The caller's number of each column, ascending.
    columns: Vec<u32>,
    /// Vertex of each of the caller's columns, `NONE` for those not in this graph.
    column_vertex: Vec<u32>,
    /// Sorted by row and column, without duplicates; ends are vertices.
    edges: Vec<Edge<W>>,
    /// Edges at each vertex, in order: `incident[spans[v].0..spans[v].1]`. May contain dead ones.
    incident: Vec<u32>,
    spans: Vec<(u32, u32)>,
    /// Number of edges alive at each vertex.
    degree: Vec<u32>,
    /// The heaviest edges at each vertex when last looked at.
    top: Vec<Top<W>>,
    /// Vertices to look at again, and whether a vertex is among them.
    queue: VecDeque<u32>,
    queued: Vec<bool>,
    /// Leaves folded away and what they were folded into, in order.
    folds: Vec<(u32, u32)>,
    /// The vertex each vertex is assigned to.
    partner: Vec<u32>,
    /// What the reductions have counted towards the total.
    gain: W,
}

/// The heaviest edges at a vertex. Weights only fall, so an old `second` is an upper bound.
#[derive(Clone, Copy, Debug)]
struct Top<W> {
    /// The heaviest edge, the first of several; `NONE` if not looked at yet.
    best: u32,
    /// Weight of the heaviest other edge.
    second: W,
}

impl<W: Weight> Graph<W> {
    fn new() -> Self {
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
            partner: Vec::new(),
            gain: W::ZERO,
        }
    }

    fn vertices(&self) -> usize {
        self.rows.len() + self.columns.len()
    }

    /// Takes over the caller's edges: sorts them, numbers the vertices, lists the edges of each.
    fn load(&mut self, edges: &[Edge<W>]) {
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
        self.gain = W::ZERO;
    }

    /// The end of an edge that is not `vertex`.
    fn other_end(&self, edge: u32, vertex: u32) -> u32 {
        let Edge { row, column, .. } = self.edges[edge as usize];
        if row == vertex { column } else { row }
    }

    /// Folds leaves and takes dominant edges until neither is left.
    fn reduce(&mut self) {
        // First in, first out: the leaves at a hub are then mostly known before the hub is
        // gone through, and it is gone through once for all of them.
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

    /// Finds the heaviest edges of a vertex, and forgets its dead ones. Returns the cost.
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

    /// Whether an edge weighs at least as much as the heaviest others at both its ends.
    fn is_dominant(&self, edge: u32, a: u32, b: u32) -> bool {
        let (a, b) = (self.top[a as usize], self.top[b as usize]);
        a.best == edge && b.best == edge && self.edges[edge as usize].weight >= a.second + b.second
    }

    /// Folds the heaviest leaf at `hub` into it; lighter leaves die of that. Returns the cost.
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
        self.folds.push((leaf, hub));
        for place in start..end {
            self.lower(self.incident[place as usize], hub, heaviest);
        }
        self.look_again(hub);
        2 * (end - start) as usize
    }

    /// Takes an edge into the assignment, and with it both ends out of the graph. Returns the
    /// cost.
    fn take(&mut self, edge: u32) -> usize {
        let Edge { row, column, weight } = self.edges[edge as usize];
        self.gain += weight;
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

    /// Takes `amount` off an edge of `vertex`; queues the other end if that may matter there.
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

    /// Undoes the folds, last first: a hub that found nothing better takes its leaf.
    fn unfold(&mut self) {
        for &(leaf, hub) in self.folds.iter().rev() {
            if self.partner[hub as usize] == NONE {
                self.partner[hub as usize] = leaf;
                self.partner[leaf as usize] = hub;
            }
        }
    }

    /// Appends the assignment in the caller's numbers, in order of row.
    fn append_pairs(&self, pairs: &mut Vec<(u32, u32)>) {
        for (&row, &partner) in self.rows.iter().zip(&self.partner) {
            if partner != NONE {
                pairs.push((row, self.columns[partner as usize - self.rows.len()]));
            }
        }
    }
}

/// What the reductions leave, to be solved by bidding and searching.
///
/// Bidders and items are numbered densely, in order. The module's header states what holds
/// between `profit`, `price`, `holds` and `holder`.
#[derive(Clone, Debug)]
struct Core<W> {
    /// The graph's vertex of each bidder and of each item.
    bidders: Vec<u32>,
    items: Vec<u32>,
    /// Number of each of the graph's vertices among the bidders or items.
    number: Vec<u32>,
    /// Edges of bidder `b`: `targets` and `weights` from `starts[b]` to `starts[b + 1]`.
    starts: Vec<u32>,
    targets: Vec<u32>,
    weights: Vec<W>,
    /// Dual variables.
    profit: Vec<W>,
    price: Vec<W>,
    /// The item of each bidder, the bidder of each item.
    holds: Vec<u32>,
    holder: Vec<u32>,
    /// Bidders that hold nothing.
    idle: Vec<u32>,
    search: Search<W>,
}

/// Where a search has been. Nothing here is cleared between searches.
#[derive(Clone, Debug)]
struct Search<W> {
    /// Number of the current search; an item's entries are valid if `seen` equals it.
    number: u32,
    seen: Vec<u32>,
    /// Length of the shortest path found to each item, and the bidder before it.
    distance: Vec<W>,
    via: Vec<u32>,
    /// Items found but not visited: those farther away than the current one, and those as far.
    far: BinaryHeap<Reverse<(W, u32)>>,
    near: Vec<u32>,
    /// Items visited.
    visited: Vec<u32>,
}

impl<W: Weight> Search<W> {
    /// The nearest item found but not visited.
    fn nearest(&mut self) -> Option<u32> {
        if let Some(item) = self.near.pop() {
            return Some(item);
        }
        while let Some(Reverse((length, item))) = self.far.pop() {
            // Otherwise a shorter path has been found, and the item visited, since.
            if length == self.distance[item as usize] {
                return Some(item);
            }
        }
        None
    }
}

impl<W: Weight> Core<W> {
    fn new() -> Self {
        Self {
            bidders: Vec::new(),
            items: Vec::new(),
            number: Vec::new(),
            starts: Vec::new(),
            targets: Vec::new(),
            weights: Vec::new(),
            profit: Vec::new(),
            price: Vec::new(),
            holds: Vec::new(),
            holder: Vec::new(),
            idle: Vec::new(),
            search: Search {
                number: 0,
                seen: Vec::new(),
                distance: Vec::new(),
                via: Vec::new(),
                far: BinaryHeap::new(),
                near: Vec::new(),
                visited: Vec::new(),
            },
        }
    }

    /// Copies the edges still alive, side by side for each bidder.
    fn load(&mut self, graph: &Graph<W>) {
        let rows = graph.rows.len() as u32;
        let vertices = graph.vertices() as u32;
        let alive = |vertex: &u32| graph.degree[*vertex as usize] > 0;
        self.bidders.clear();
        self.bidders.extend((0..rows).filter(alive));
        self.items.clear();
        self.items.extend((rows..vertices).filter(alive));
        // The smaller side bids: fewer bidders, fewer searches.
        if self.bidders.len() > self.items.len() {
            mem::swap(&mut self.bidders, &mut self.items);
        }
        fill(&mut self.number, vertices as usize, NONE);
        for side in [&self.bidders, &self.items] {
            for (number, &vertex) in (0..).zip(side) {
                self.number[vertex as usize] = number;
            }
        }
        self.starts.clear();
        self.targets.clear();
        self.weights.clear();
        self.starts.push(0);
        for &bidder in &self.bidders {
            let (start, end) = graph.spans[bidder as usize];
            for &index in &graph.incident[start as usize..end as usize] {
                let weight = graph.edges[index as usize].weight;
                if weight > W::ZERO {
                    self.targets.push(self.number[graph.other_end(index, bidder) as usize]);
                    self.weights.push(weight);
                }
            }
            self.starts.push(self.targets.len() as u32);
        }
    }

    /// Passes the assignment on to the graph.
    fn write_back(&self, graph: &mut Graph<W>) {
        for (&bidder, &item) in self.bidders.iter().zip(&self.holds) {
            if item != NONE {
                let item = self.items[item as usize];
                graph.partner[bidder as usize] = item;
                graph.partner[item as usize] = bidder;
            }
        }
    }

    /// Finds a best assignment and returns its weight.
    fn solve(&mut self) -> W {
        let (bidders, items) = (self.bidders.len(), self.items.len());
        fill(&mut self.profit, bidders, W::ZERO);
        fill(&mut self.price, items, W::ZERO);
        fill(&mut self.holds, bidders, NONE);
        fill(&mut self.holder, items, NONE);
        fill(&mut self.search.seen, items, 0);
        fill(&mut self.search.distance, items, W::ZERO);
        fill(&mut self.search.via, items, NONE);
        self.search.number = 0;

        self.bid();
        // Those with most to lose first: they are the least likely to be rearranged later.
        let mut idle = mem::take(&mut self.idle);
        for &bidder in &idle {
            self.profit[bidder as usize] = self.choices(bidder).1;
        }
        idle.sort_unstable_by_key(|&bidder| (Reverse(self.profit[bidder as usize]), bidder));
        for &bidder in &idle {
            self.augment(bidder);
        }
        self.idle = idle;

        let sum = |duals: &[W]| duals.iter().fold(W::ZERO, |sum, &dual| sum + dual);
        let total = sum(&self.profit) + sum(&self.price);
        debug_assert_eq!(self.certified_total(), Some(total));
        total
    }

    fn edges_of(&self, bidder: u32) -> Range<usize> {
        self.starts[bidder as usize] as usize..self.starts[bidder as usize + 1] as usize
    }

    /// Gives most bidders an item without any search.
    ///
    /// A bidder goes for the item that leaves it the highest profit and offers as much as it
    /// can without regretting its second choice, which may be to have nothing. Whoever held
    /// the item bids next. Bidders in a tie have nothing more to offer and wait for the next
    /// pass. Leaves in `idle` the bidders that hold nothing.
    fn bid(&mut self) {
        let mut bids = BIDS_PER_BIDDER * self.bidders.len();
        let mut waiting: Vec<u32> = mem::take(&mut self.idle);
        waiting.clear();
        waiting.extend(0..self.bidders.len() as u32);
        let mut passes = BIDDING_PASSES;
        while passes > 0 && !waiting.is_empty() {
            passes -= 1;
            let mut kept = 0;
            for turn in 0..waiting.len() {
                let mut bidder = waiting[turn];
                loop {
                    let (item, first, second) = self.choices(bidder);
                    self.profit[bidder as usize] = second;
                    if item == NONE {
                        break;
                    }
                    self.price[item as usize] += first - second;
                    self.holds[bidder as usize] = item;
                    let displaced = mem::replace(&mut self.holder[item as usize], bidder);
                    if displaced == NONE {
                        break;
                    }
                    self.holds[displaced as usize] = NONE;
                    if first == second || bids == 0 {
                        waiting[kept] = displaced;
                        kept += 1;
                        break;
                    }
                    bids -= 1;
                    bidder = displaced;
                }
            }
            waiting.truncate(kept);
        }
        self.idle = waiting;
    }

    /// A bidder's best item, the profit it leaves, and the profit of the second choice. The
    /// item is `NONE` if none leaves a profit. A free item goes before others as good.
    fn choices(&self, bidder: u32) -> (u32, W, W) {
        let (mut item, mut first, mut second) = (NONE, W::ZERO, W::ZERO);
        let mut held = false;
        let edges = self.edges_of(bidder);
        for (&target, &weight) in self.targets[edges.clone()].iter().zip(&self.weights[edges]) {
            let price = self.price[target as usize];
            if price + second > weight {
                continue;
            }
            let profit = weight - price;
            if profit > first || (profit == first && held && self.holder[target as usize] == NONE) {
                second = first;
                first = profit;
                item = target;
                held = self.holder[target as usize] != NONE;
            } else {
                second = profit;
            }
        }
        (item, first, second)
    }

    /// Makes the best of one more bidder, rearranging others along a shortest path.
    ///
    /// Path lengths are sums of `profit + price - weight`, which are never negative and are 0
    /// between a holder and its item. A path may end at an item that is free, or at a bidder
    /// that goes without, which costs its profit.
    fn augment(&mut self, start: u32) {
        self.search.number += 1;
        self.search.far.clear();
        self.search.near.clear();
        self.search.visited.clear();

        // The bidder holds nothing, so its profit may come down to what prices allow.
        let (_, profit, _) = self.choices(start);
        self.profit[start as usize] = profit;

        // The shortest complete path so far: its length, its last bidder, its last item if that
        // is free.
        let mut shortest = profit;
        let mut last = (start, NONE);

        let mut bidder = start;
        let mut distance = W::ZERO;
        while distance < shortest {
            // Visit the bidder: see what its edges lead to.
            let profit = self.profit[bidder as usize];
            let edges = self.edges_of(bidder);
            let search = &mut self.search;
            for (&item, &weight) in self.targets[edges.clone()].iter().zip(&self.weights[edges]) {
                let at = item as usize;
                let step = profit + (self.price[at] - weight);
                if step >= shortest - distance {
                    continue;
                }
                let length = distance + step;
                if search.seen[at] == search.number && length >= search.distance[at] {
                    continue;
                }
                if self.holder[at] == NONE {
                    shortest = length;
                    last = (bidder, item);
                    continue;
                }
                search.seen[at] = search.number;
                search.distance[at] = length;
                search.via[at] = bidder;
                if length == distance {
                    search.near.push(item);
                } else {
                    search.far.push(Reverse((length, item)));
                }
            }

            // Go on to the nearest item, and through it to its holder.
            let Some(item) = search.nearest() else { break };
            distance = search.distance[item as usize];
            if distance >= shortest {
                break;
            }
            search.visited.push(item);
            bidder = self.holder[item as usize];
            let without = distance + self.profit[bidder as usize];
            if without < shortest {
                shortest = without;
                last = (bidder, NONE);
            }
        }

        // Adjust the duals, so that the path found has length 0 and no edge a negative one.
        self.profit[start as usize] -= shortest;
        for &item in &self.search.visited {
            let slack = shortest - self.search.distance[item as usize];
            self.price[item as usize] += slack;
            self.profit[self.holder[item as usize] as usize] -= slack;
        }

        // Walk the path back: each bidder on it passes its item on and takes the next.
        let (mut bidder, mut item) = last;
        loop {
            let passed_on = mem::replace(&mut self.holds[bidder as usize], item);
            if item != NONE {
                self.holder[item as usize] = bidder;
            }
            if bidder == start {
                break;
            }
            item = passed_on;
            bidder = self.search.via[item as usize];
        }
    }

    /// The weight of the assignment if the duals prove that none is heavier.
    fn certified_total(&self) -> Option<W> {
        let mut total = W::ZERO;
        for bidder in 0..self.bidders.len() as u32 {
            let profit = self.profit[bidder as usize];
            let holds = self.holds[bidder as usize];
            let mut idle = true;
            for edge in self.edges_of(bidder) {
                let (item, weight) = (self.targets[edge], self.weights[edge]);
                if profit + self.price[item as usize] < weight {
                    return None;
                }
                if item == holds {
                    idle = false;
                    total += weight;
                    let tight = profit + self.price[item as usize] == weight;
                    if !tight || self.holder[item as usize] != bidder {
                        return None;
                    }
                }
            }
            if profit < W::ZERO || (idle && (holds != NONE || profit != W::ZERO)) {
                return None;
            }
        }
        for (item, &price) in (0..).zip(&self.price) {
            let holder = self.holder[item as usize];
            let consistent = holder == NONE || self.holds[holder as usize] == item;
            if price < W::ZERO || !consistent || (holder == NONE && price != W::ZERO) {
                return None;
            }
        }
        Some(total)
    }
}

/// Sets a vector to `length` copies of `value` in the memory it has.
fn fill<T: Copy>(vector: &mut Vec<T>, length: usize, value: T) {
    vector.clear();
    vector.resize(length, value);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A graph with these (row, column, weight) edges, loaded and not reduced.
    fn load(edges: &[(u32, u32, i64)]) -> Graph<i64> {
        let edges: Vec<_> = edges.iter().map(|&(row, column, weight)| Edge { row, column, weight }).collect();
        let mut graph = Graph::new();
        graph.load(&edges);
        graph
    }

    /// The edges alive, in dense numbers of row and column.
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

    /// A cycle of six edges that weigh 5 and 4 in turn: no vertex is a leaf, and no edge weighs
    /// as much as its two neighbours together.
    const CYCLE: [(u32, u32, i64); 6] = [(0, 0, 5), (0, 1, 4), (1, 1, 5), (1, 2, 4), (2, 0, 4), (2, 2, 5)];

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

    /// Row 3 has column 0 only, for 3. Column 0 is worth 5 - 3 = 2 beyond that with row 0, and
    /// 4 - 3 = 1 with row 2. The other columns keep their weights.
    #[test]
    fn a_leaf_is_subtracted_from_its_rivals() {
        let mut graph = load(&CYCLE.iter().copied().chain([(3, 0, 3)]).collect::<Vec<_>>());
        let hub = graph.rows.len() as u32;
        graph.look(3);
        graph.fold_into(hub);
        assert_eq!(graph.gain, 3);
        assert_eq!(graph.folds, [(3, hub)]);
        let rest = [(0, 0, 2), (0, 1, 4), (1, 1, 5), (1, 2, 4), (2, 0, 1), (2, 2, 5)];
        assert_eq!(alive(&graph), rest);
        assert_eq!(graph.degree, [2, 2, 2, 0, 2, 2, 2]);
    }

    /// A star: the heaviest leaf is folded, and all others are worth nothing beyond it.
    #[test]
    fn the_heaviest_leaf_of_a_star_goes_first() {
        let mut graph = load(&[(0, 0, 2), (1, 0, 7), (2, 0, 7), (3, 0, 4)]);
        graph.reduce();
        assert_eq!((graph.gain, graph.folds.len()), (7, 1));
        assert_eq!(alive(&graph), []);
        assert_eq!(pairs(&mut graph), [(1, 0)]);
    }

    /// The path 3 - 5 - 4 - 3 of edges: the ends are folded into the middle, which is worth
    /// 5 - 3 = 2 to the left and 4 - 3 = 1 to the right; then all is decided. 3 + 4 = 7 falls
    /// short of 5 + 3 = 8.
    #[test]
    fn folds_are_undone_from_the_last_to_the_first() {
        let mut graph = load(&[(0, 0, 3), (1, 0, 5), (1, 1, 4), (2, 1, 3)]);
        graph.reduce();
        assert_eq!(graph.gain, 8);
        assert_eq!(alive(&graph), []);
        assert_eq!(pairs(&mut graph), [(1, 0), (2, 1)]);
    }

    /// (0, 0) weighs 9 = 5 + 4, as much as the heaviest other edges at its ends together, so it
    /// is taken. Of the rest only (1, 1) survives.
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

    /// With 8 instead of 9 the two others outweigh it.
    #[test]
    fn an_edge_short_of_dominance_stays() {
        let mut graph = load(&[(0, 0, 8), (0, 1, 5), (1, 0, 4), (1, 1, 1)]);
        (0..4).for_each(|vertex| _ = graph.look(vertex));
        assert!(!graph.is_dominant(0, 0, 2));
    }

    /// The core on its own, with nothing reduced first, solves what the reductions would have.
    #[test]
    fn the_core_needs_no_reductions() {
        let mut core = Core::new();
        for (edges, total) in [
            (&CYCLE[..], 15),
            (&[(0, 0, 3), (1, 0, 5), (1, 1, 4), (2, 1, 3)], 8),
            (&[(0, 0, 2), (1, 0, 7), (2, 0, 7), (3, 0, 4)], 7),
            (&[(0, 0, 9), (0, 1, 5), (1, 0, 4), (1, 1, 1)], 10),
            (&[(0, 0, 8), (0, 1, 5), (1, 0, 4), (1, 1, 1)], 9),
            (&[], 0),
        ] {
            let graph = load(edges);
            core.load(&graph);
            assert_eq!(core.solve(), total, "{edges:?}");
            assert_eq!(core.certified_total(), Some(total), "{edges:?}");
        }
    }

    /// All small weights on a complete 3 × 3 graph, core alone against the whole solver.
    #[test]
    fn the_core_alone_agrees_with_the_whole() {
        let mut core = Core::new();
        let mut solver = Solver::new();
        for code in 0..3_i64.pow(9) {
            let cells = (0..9).map(|cell| (cell / 3, cell % 3, code / 3_i64.pow(cell) % 3));
            let graph = load(&cells.clone().collect::<Vec<_>>());
            core.load(&graph);
            let edges: Vec<_> = cells.map(|(row, column, weight)| Edge { row, column, weight }).collect();
            assert_eq!(core.solve(), solver.solve(&edges, &mut Vec::new()), "{code}");
        }
    }

    /// A certificate that is spoilt in any way is no certificate.
    #[test]
    fn a_wrong_certificate_is_refused() {
        let mut core = Core::new();
        core.load(&load(&CYCLE));
        core.solve();
        assert_eq!(core.certified_total(), Some(15));
        for spoil in [
            |core: &mut Core<i64>| core.profit[0] -= 1,
            |core: &mut Core<i64>| core.price[0] += 1,
            |core: &mut Core<i64>| core.holds[0] = NONE,
            |core: &mut Core<i64>| core.holder[0] = NONE,
            |core: &mut Core<i64>| core.holds.swap(0, 1),
        ] {
            let mut spoilt = core.clone();
            spoil(&mut spoilt);
            assert_eq!(spoilt.certified_total(), None);
        }
    }
}
