//! Records divided into parts that fit the cache of a core.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::pool::{Pool, PoolPiece};

/// Records of `N` bytes that one thread divides among parts, in the order of addition.
///
/// A part is a chain of pieces of memory, so that no part is ever copied to grow.
pub(super) struct RecordParts<'p, const N: usize> {
    pool: &'p Pool,
    /// The last piece of each part.
    open: Vec<PoolPiece>,
    /// The earlier pieces of each part.
    full: Vec<Vec<PoolPiece>>,
}

impl<'p, const N: usize> RecordParts<'p, N> {
    /// Creates `count` empty parts.
    pub(super) fn new(pool: &'p Pool, count: usize) -> RecordParts<'p, N> {
        let (mut open, mut full) = (Vec::new(), Vec::new());
        open.resize_with(count, PoolPiece::default);
        full.resize_with(count, Vec::new);
        RecordParts { pool, open, full }
    }

    /// Appends a record to a part.
    #[inline]
    pub(super) fn push(&mut self, part: usize, record: &[u8; N]) {
        let mut piece = &mut self.open[part];
        if piece.bytes.capacity() - piece.bytes.len() < N {
            piece = self.begin_piece(part);
        }
        piece.bytes.extend_from_slice(record);
    }

    /// Starts a new piece for a part.
    #[cold]
    fn begin_piece(&mut self, part: usize) -> &mut PoolPiece {
        let open = &mut self.open[part];
        let before = std::mem::replace(open, self.pool.take());
        if !before.bytes.is_empty() {
            self.full[part].push(before);
        }
        open
    }

    /// Ends the writing of records.
    pub(super) fn written(self) -> WrittenParts<N> {
        let whole = |(mut pieces, last): (Vec<PoolPiece>, PoolPiece)| {
            if !last.bytes.is_empty() {
                pieces.push(last);
            }
            Mutex::new(pieces)
        };
        WrittenParts { parts: self.full.into_iter().zip(self.open).map(whole).collect() }
    }
}

/// Finished parts, each read and given back by one thread.
pub(super) struct WrittenParts<const N: usize> {
    parts: Vec<Mutex<Vec<PoolPiece>>>,
}

impl<const N: usize> WrittenParts<N> {
    /// Calls `see` with the records of a part in order.
    #[inline]
    pub(super) fn each(&self, part: usize, mut see: impl FnMut(&[u8; N])) {
        self.runs(part, |run| run.iter().for_each(&mut see));
    }

    /// Calls `see` with the records of a part in order, in runs of adjacent memory.
    pub(super) fn runs(&self, part: usize, mut see: impl FnMut(&[[u8; N]])) {
        for piece in self.pieces(part).iter() {
            see(piece.bytes.as_chunks().0);
        }
    }

    /// Like [`runs`](Self::runs), but gives back the memory of each run.
    pub(super) fn take_runs(&self, part: usize, pool: &Pool, mut see: impl FnMut(&[[u8; N]])) {
        for piece in self.take(part) {
            see(piece.bytes.as_chunks().0);
            pool.give_back([piece]);
        }
    }

    /// Empties a part, and returns its memory.
    pub(super) fn take(&self, part: usize) -> Vec<PoolPiece> {
        std::mem::take(&mut self.pieces(part))
    }

    /// Returns the number of records in a part.
    pub(super) fn count(&self, part: usize) -> usize {
        self.pieces(part).iter().map(|piece| piece.bytes.len() / N).sum()
    }

    fn pieces(&self, part: usize) -> MutexGuard<'_, Vec<PoolPiece>> {
        self.parts[part].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_has_its_records_in_order() {
        let pool = Pool::new(100, 3);
        for round in 0..3 {
            let mut parts = RecordParts::<12>::new(&pool, 4);
            let mut wanted = vec![Vec::new(); 4];
            for number in 0..20_000_u32 {
                let record = [number + round; 3].map(u32::to_le_bytes).concat();
                let part = number as usize * number as usize % 3;
                parts.push(part, record.first_chunk().unwrap());
                wanted[part].extend(record);
            }
            let parts = parts.written();
            for (part, wanted) in wanted.iter().enumerate() {
                let mut found: Vec<u8> = Vec::new();
                parts.each(part, |record| found.extend(record));
                assert!(found == *wanted, "part {part} in round {round}");
                assert_eq!(parts.count(part), wanted.len() / 12);
                let (mut runs, mut taken) = (Vec::new(), Vec::new());
                parts.runs(part, |run| runs.extend_from_slice(run.as_flattened()));
                // The next round reuses the memory.
                match round {
                    0 => parts.take_runs(part, &pool, |run| taken.extend_from_slice(run.as_flattened())),
                    _ => pool.give_back(parts.take(part)),
                }
                assert!(runs == *wanted && (round > 0 || taken == *wanted), "part {part} in round {round}");
                parts.each(part, |_| panic!("a record of a part that was taken"));
            }
        }
    }
}
