//! The duals of a whole graph. Their sum is an upper bound that can be checked edge by edge.

use super::reductions::Graph;
use super::search::Core;
use super::{Edge, NONE, Weight, fill};

/// The dual variables of rows and columns, by the caller's numbers.
///
/// If none is negative and the duals of the two ends of each edge add up to at least its weight
/// ([`covers`](Self::covers)), no assignment has a larger weight than their sum, because each row and each column is
/// used at most once.
///
/// ```
/// use corefeval_metrics::assignment::{Edge, Solver};
///
/// let edges = [
///     Edge { row: 0, column: 0, weight: 9_i64 },
///     Edge { row: 0, column: 1, weight: 5 },
///     Edge { row: 1, column: 0, weight: 4 },
/// ];
/// let mut solver = Solver::new();
/// let total = solver.solve(&edges, &mut Vec::new());
/// let certificate = solver.certificate();
/// assert!(certificate.covers(&edges));
/// assert_eq!((total, certificate.sum()), (9, 9));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate<W> {
    /// The rows that have an edge, ascending, with their duals.
    pub rows: Vec<(u32, W)>,
    /// The columns that have an edge, ascending, with their duals.
    pub columns: Vec<(u32, W)>,
}

impl<W: Weight> Certificate<W> {
    /// Returns the sum of all duals, which is the upper bound that they prove.
    pub fn sum(&self) -> W {
        self.rows.iter().chain(&self.columns).fold(W::ZERO, |sum, &(_, dual)| sum + dual)
    }

    /// Returns whether no dual is negative and the weight of each edge is at most the sum of the duals of its ends.
    pub fn covers(&self, edges: &[Edge<W>]) -> bool {
        let dual = |side: &[(u32, W)], number: u32| {
            side.binary_search_by_key(&number, |entry| entry.0).map_or(W::ZERO, |place| side[place].1)
        };
        self.rows.iter().chain(&self.columns).all(|entry| entry.1 >= W::ZERO)
            && edges
                .iter()
                .all(|edge| dual(&self.rows, edge.row) + dual(&self.columns, edge.column) >= edge.weight)
    }
}

impl<W: Weight> Graph<W> {
    /// Returns the duals of the graph as it was loaded, from the duals of the core. An edge that was taken gives its
    /// row the weight of the row's next edge and its column the rest. A leaf passes its weight to its hub.
    pub(super) fn certificate(&self, core: &Core<W>) -> Certificate<W> {
        let mut duals = Vec::new();
        fill(&mut duals, self.vertices(), W::ZERO);
        core.duals(|vertex, dual| duals[vertex as usize] = dual);
        for &(row, column, of_row, of_column) in &self.takes {
            duals[row as usize] += of_row;
            duals[column as usize] += of_column;
        }
        for &(leaf, hub, weight) in &self.folds {
            debug_assert_ne!(leaf, NONE, "a fold has a leaf");
            duals[hub as usize] += weight;
        }
        let (rows, columns) = duals.split_at(self.rows.len());
        let named = |names: &[u32], duals: &[W]| names.iter().copied().zip(duals.iter().copied()).collect();
        Certificate { rows: named(&self.rows, rows), columns: named(&self.columns, columns) }
    }
}
