//! Cells of a table, stored in memory of the pool.

use corefeval_metrics::overlap::OverlapCell;

use super::parts::{RecordParts, WrittenParts};
use super::pool::Pool;

/// The size of a cell in bytes.
pub(super) const CELL: usize = 12;

/// Converts a cell to a record in memory of the pool.
#[inline]
fn record_of(cell: OverlapCell) -> [u8; CELL] {
    let mut record = [0; CELL];
    let numbers = [cell.key, cell.response, cell.shared];
    for (bytes, number) in record.as_chunks_mut().0.iter_mut().zip(numbers) {
        *bytes = number.to_le_bytes();
    }
    record
}

/// Reads a cell from a record in memory of the pool.
#[inline]
pub(super) fn cell_of(record: &[u8; CELL]) -> OverlapCell {
    let number = |start: usize| {
        let mut bytes = [0; 4];
        bytes.copy_from_slice(&record[start..start + 4]);
        u32::from_le_bytes(bytes)
    };
    OverlapCell { key: number(0), response: number(4), shared: number(8) }
}

/// Cells sorted by key entity, then by response entity, in memory of the pool.
pub(super) struct Cells<'p> {
    pool: &'p Pool,
    /// The cells of each thread, in order.
    counted: Vec<WrittenParts<CELL>>,
}

/// The cells that one thread creates.
pub(super) struct NewCells<'p>(RecordParts<'p, CELL>);

impl<'p> NewCells<'p> {
    pub(super) fn new(pool: &'p Pool) -> NewCells<'p> {
        NewCells(RecordParts::new(pool, 1))
    }

    /// Adds a cell.
    #[inline]
    pub(super) fn push(&mut self, cell: OverlapCell) {
        self.0.push(0, &record_of(cell));
    }

    pub(super) fn written(self) -> WrittenParts<CELL> {
        self.0.written()
    }
}

impl<'p> Cells<'p> {
    /// Collects the cells that the threads created.
    pub(super) fn new(pool: &'p Pool, counted: Vec<WrittenParts<CELL>>) -> Cells<'p> {
        Cells { pool, counted }
    }

    /// Returns the number of cells.
    pub(super) fn count(&self) -> usize {
        self.counted.iter().map(|cells| cells.count(0)).sum()
    }

    /// Calls `see` with all cells, in runs of adjacent memory.
    pub(super) fn runs(&self, mut see: impl FnMut(&[[u8; CELL]])) {
        self.counted.iter().for_each(|cells| cells.runs(0, &mut see));
    }

    /// Like [`runs`](Self::runs), but returns the memory of each run to the pool.
    pub(super) fn take_runs(self, mut see: impl FnMut(&[[u8; CELL]])) {
        self.counted.iter().for_each(|cells| cells.take_runs(0, self.pool, &mut see));
    }
}
