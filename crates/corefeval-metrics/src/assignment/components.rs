//! Finds connected components of edges.

use super::NONE;
use crate::closure::Closure;

/// Groups edges by connected component.
///
/// Components are in the order of their smallest row, and the edges of each component in the given
/// order. Rows and columns without an edge belong to no component. Edges are (row, column) pairs,
/// for example `cells.iter().map(|cell| (cell.row, cell.column))`. The iterator is used three
/// times.
///
/// The cost is linear in rows, columns and edges, except for the short paths that a union-find
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
/// For the same reasons as [`maximum_weight`](super::maximum_weight).
pub fn components<E>(rows: usize, columns: usize, edges: E) -> Components
where
    E: IntoIterator<Item = (u32, u32)>,
    E::IntoIter: Clone,
{
    let edges = edges.into_iter();
    assert!(rows + columns < NONE as usize / 2, "too many rows and columns");

    // Two rows with an edge to the same column are joined. The lower row becomes the root, so the root of a component
    // is its smallest row.
    let mut joined = Closure::new(rows);
    let mut seen = vec![NONE; columns];
    let mut count = 0_usize;
    for (row, column) in edges.clone() {
        assert!((row as usize) < rows, "row {row} of {rows}");
        assert!((column as usize) < columns, "column {column} of {columns}");
        let seen = &mut seen[column as usize];
        if *seen == NONE {
            *seen = row;
        } else {
            joined.join(row as usize, *seen as usize);
        }
        count += 1;
    }
    assert!(count < NONE as usize / 2, "too many edges");

    // Counts the edges at each root, reserves space for the components in the order of their roots, and fills them in.
    let mut place = vec![0_u32; rows];
    for (row, _) in edges.clone() {
        place[joined.find(row as usize)] += 1;
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
        let place = &mut place[joined.find(row as usize)];
        order[*place as usize] = index as u32;
        *place += 1;
    }
    Components { order, starts }
}

/// Edges grouped by connected component, as [`components`] returns them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// The indices of all edges, component by component.
    order: Vec<u32>,
    /// The start of each component in `order`, and the end.
    starts: Vec<u32>,
}

impl Components {
    /// Creates components whose edges are adjacent in the list of edges. The `starts` are the first edge of each
    /// component, in order, and the number of edges. The memory of a list is reused; its contents are not needed.
    ///
    /// ```
    /// use corefeval_metrics::assignment::{Components, components};
    ///
    /// let edges = [(0, 1), (1, 0), (1, 2), (3, 3)];
    /// let groups = Components::of_runs(vec![0, 1, 3, 4], Vec::new());
    /// assert_eq!(groups, components(4, 4, edges.iter().copied()));
    /// ```
    ///
    /// # Panics
    ///
    /// The first start is not 0, or a component has no edges.
    pub fn of_runs(starts: Vec<u32>, memory: Vec<u32>) -> Components {
        assert!(starts.first() == Some(&0), "the first component starts at edge 0");
        assert!(starts.is_sorted_by(|start, end| start < end), "every component has an edge");
        let mut order = memory;
        order.clear();
        order.extend(0..starts[starts.len() - 1]);
        Components { order, starts }
    }

    /// Returns the number of components.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns whether it has no edges.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the components, each as the indices of its edges in the original list.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.starts.windows(2).map(|ends| &self.order[ends[0] as usize..ends[1] as usize])
    }
}
