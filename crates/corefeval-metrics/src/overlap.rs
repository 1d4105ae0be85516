//! The sparse table from which every entity metric is counted: the number of mentions that each key
//! entity shares with each response entity.
//!
//! The table is built once per document in time linear in the mentions. MUC, B³, CEAF, BLANC, LEA, pairwise links
//! and Rand follow from it and from the sizes of the entities; they do not need the mentions themselves.

/// The numbers of shared mentions by pair of entities, with the sizes of all entities.
///
/// Entities are numbered densely on each side; every entity has at least one mention. Only pairs
/// that share a mention have a cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overlap {
    key_sizes: Vec<u32>,
    response_sizes: Vec<u32>,
    row_starts: Vec<u32>,
    cells: Vec<OverlapCell>,
    /// The number of shared mentions of each response entity.
    response_shared: Vec<u32>,
}

/// A pair of entities that share mentions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverlapCell {
    /// The key entity.
    pub key: u32,
    /// The response entity.
    pub response: u32,
    /// The number of mentions that they share, at least one.
    pub shared: u32,
}

impl Overlap {
    /// Creates the table of entities with the given sizes and of mention pairs, one for each shared mention, in any
    /// order. A pair is `(key entity, response entity)`.
    ///
    /// # Panics
    ///
    /// A pair has an entity without a size.
    pub fn new(
        key_sizes: Vec<u32>,
        response_sizes: Vec<u32>,
        pairs: impl Iterator<Item = (u32, u32)> + Clone,
    ) -> Overlap {
        let rows = key_sizes.len();
        // Sorts the pairs by key entity (counting sort), then counts each row with a scratch array.
        let mut starts = vec![0u32; rows + 1];
        for (key, _) in pairs.clone() {
            starts[key as usize + 1] += 1;
        }
        for row in 0..rows {
            starts[row + 1] += starts[row];
        }
        let mut sorted = vec![0u32; starts[rows] as usize];
        let mut next = starts.clone();
        for (key, response) in pairs {
            let place = &mut next[key as usize];
            sorted[*place as usize] = response;
            *place += 1;
        }
        let mut counts = vec![0u32; response_sizes.len()];
        let mut response_shared = vec![0u32; response_sizes.len()];
        let mut row_starts = Vec::with_capacity(rows + 1);
        let mut cells = Vec::with_capacity(rows);
        row_starts.push(0);
        for key in 0..rows {
            let members = &mut sorted[starts[key] as usize..starts[key + 1] as usize];
            let mut distinct = 0;
            for place in 0..members.len() {
                let response = members[place];
                let count = &mut counts[response as usize];
                if *count == 0 {
                    members[distinct] = response;
                    distinct += 1;
                }
                *count += 1;
            }
            let distinct = &mut members[..distinct];
            distinct.sort_unstable();
            for &response in &*distinct {
                let shared = std::mem::take(&mut counts[response as usize]);
                response_shared[response as usize] += shared;
                cells.push(OverlapCell { key: key as u32, response, shared });
            }
            row_starts.push(cells.len() as u32);
        }
        Overlap { key_sizes, response_sizes, row_starts, cells, response_shared }
    }

    /// Creates the table of entities with the given sizes and of cells in any order. There is at most one cell for each
    /// pair of entities, and no cell is 0.
    ///
    /// # Panics
    ///
    /// A cell has an entity without a size.
    ///
    /// ```
    /// use corefeval_metrics::overlap::{OverlapCell, Overlap};
    /// let cells = vec![OverlapCell { key: 1, response: 0, shared: 1 }, OverlapCell { key: 0, response: 0, shared: 2 }];
    /// let table = Overlap::of_cells(vec![3, 1], vec![3], cells);
    /// assert_eq!(table, Overlap::new(vec![3, 1], vec![3], [(0, 0), (0, 0), (1, 0)].into_iter()));
    /// ```
    pub fn of_cells(key_sizes: Vec<u32>, response_sizes: Vec<u32>, cells: Vec<OverlapCell>) -> Overlap {
        Overlap::of_cells_in(key_sizes, response_sizes, cells, Default::default())
    }

    /// Like [`of_cells`](Overlap::of_cells), but in the memory of two lists whose contents are not needed: one with
    /// room for a number for each key entity and one more, and one with room for each response entity.
    ///
    /// # Panics
    ///
    /// A cell has an entity without a size.
    pub fn of_cells_in(
        key_sizes: Vec<u32>,
        response_sizes: Vec<u32>,
        mut cells: Vec<OverlapCell>,
        memory: [Vec<u32>; 2],
    ) -> Overlap {
        cells.sort_unstable_by_key(|cell| (cell.key, cell.response));
        let [mut row_starts, mut response_shared] = memory;
        row_starts.clear();
        row_starts.resize(key_sizes.len() + 1, 0);
        response_shared.clear();
        response_shared.resize(response_sizes.len(), 0);
        for cell in &cells {
            row_starts[cell.key as usize + 1] += 1;
            response_shared[cell.response as usize] += cell.shared;
        }
        for row in 0..key_sizes.len() {
            row_starts[row + 1] += row_starts[row];
        }
        Overlap { key_sizes, response_sizes, row_starts, cells, response_shared }
    }

    /// Returns the sizes of the key entities, in mentions.
    #[inline]
    pub fn key_sizes(&self) -> &[u32] {
        &self.key_sizes
    }

    /// Returns the sizes of the response entities, in mentions.
    #[inline]
    pub fn response_sizes(&self) -> &[u32] {
        &self.response_sizes
    }

    /// Returns all cells, by key entity, then by response entity.
    #[inline]
    pub fn cells(&self) -> &[OverlapCell] {
        &self.cells
    }

    /// Returns the cells of one key entity.
    #[inline]
    pub fn row(&self, key: u32) -> &[OverlapCell] {
        let key = key as usize;
        &self.cells[self.row_starts[key] as usize..self.row_starts[key + 1] as usize]
    }

    /// Returns the index of the cell of two entities that share a mention.
    ///
    /// # Panics
    ///
    /// The entities share no mention.
    pub fn place(&self, key: u32, response: u32) -> usize {
        let row = self.row(key);
        let place = row.binary_search_by_key(&response, |cell| cell.response);
        self.row_starts[key as usize] as usize
            + place.unwrap_or_else(|_| unreachable!("they share a mention"))
    }

    /// Returns the number of shared mentions of each response entity.
    #[inline]
    pub fn response_shared(&self) -> &[u32] {
        &self.response_shared
    }

    /// Returns the number of shared mentions of each key entity.
    pub fn key_shared(&self) -> impl Iterator<Item = u32> {
        self.row_starts
            .windows(2)
            .map(|ends| self.cells[ends[0] as usize..ends[1] as usize].iter().map(|cell| cell.shared).sum())
    }

    /// Returns the number of mentions in the key.
    pub fn key_mentions(&self) -> u64 {
        self.key_sizes.iter().map(|&size| u64::from(size)).sum()
    }

    /// Returns the number of mentions in the response.
    pub fn response_mentions(&self) -> u64 {
        self.response_sizes.iter().map(|&size| u64::from(size)).sum()
    }

    /// Returns the number of shared mentions without a correct link: their entities on the two sides have no other
    /// mention in common. A mention that is a singleton on both sides counts as linked to itself.
    ///
    /// ```
    /// use corefeval_metrics::overlap::Overlap;
    /// // {a b x} {c d} {e} against {a b c} {d} {e}: c and d have no correct link.
    /// let overlap = Overlap::new(vec![3, 2, 1], vec![3, 1, 1], [(0, 0), (0, 0), (1, 0), (1, 1), (2, 2)].into_iter());
    /// assert_eq!(overlap.unlinked_mentions(), 2);
    /// ```
    pub fn unlinked_mentions(&self) -> u64 {
        let sizes = |cell: &OverlapCell| {
            (self.key_sizes()[cell.key as usize], self.response_sizes()[cell.response as usize])
        };
        self.cells().iter().filter(|cell| cell.shared == 1 && sizes(cell) != (1, 1)).count() as u64
    }

    /// Returns the number of mentions that both sides have.
    pub fn shared_mentions(&self) -> u64 {
        self.cells.iter().map(|cell| u64::from(cell.shared)).sum()
    }

    /// Returns the same table with key and response exchanged.
    pub fn transposed(&self) -> Overlap {
        let pairs = self
            .cells
            .iter()
            .flat_map(|cell| std::iter::repeat_n((cell.response, cell.key), cell.shared as usize));
        Overlap::new(self.response_sizes.clone(), self.key_sizes.clone(), pairs)
    }
}

/// One of the three tables of shared mentions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum View {
    /// Each mention of a key entity with the response entity that contains it.
    Recall,
    /// Each mention of a response entity with the key entity that contains it.
    Precision,
    /// Entities as sets of mentions.
    Similarity,
}

/// Removes empty entities from a list of sizes and returns the new number of each remaining one.
pub fn close_gaps(sizes: &mut Vec<u32>) -> Vec<u32> {
    let mut next = 0;
    let numbers = sizes.iter().map(|&size| {
        let number = next;
        next += u32::from(size > 0);
        number
    });
    let numbers = numbers.collect();
    sizes.retain(|&size| size > 0);
    numbers
}

/// Returns the number of pairs of `n` things: n (n − 1) / 2.
#[inline]
pub fn pairs(n: u64) -> u64 {
    n * n.saturating_sub(1) / 2
}
