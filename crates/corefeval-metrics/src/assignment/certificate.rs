//! Duals of a whole graph: their sum is an upper bound, which anyone can check edge by edge.

use super::reductions::Graph;
use super::search::Core;
use super::{Edge, NONE, Weight, fill};

/// Dual variables of rows and columns, by the caller's numbers.
///
/// If none is negative and for each edge the duals of its ends add up to at least its weight
/// ([`covers`](Self::covers)), no assignment weighs more than their sum: each row and each column is used at most once.
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
    /// The same for columns.
    pub columns: Vec<(u32, W)>,
}

impl<W: Weight> Certificate<W> {
    /// The sum of all duals: the upper bound that they prove.
    pub fn sum(&self) -> W {
        self.rows.iter().chain(&self.columns).fold(W::ZERO, |sum, &(_, dual)| sum + dual)
    }

    /// Returns whether no dual is negative and each edge weighs at most as much as the duals of its ends together.
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
    /// The duals of the graph as it was loaded, from those of the core: an edge that was taken gives its row the weight
    /// of the row's next edge and its column the rest, and a leaf leaves its weight to its hub.
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
