//! Memory in pieces of equal size, which one stage returns and the next one reuses.
//!
//! The system must clear the memory that it provides. On a virtual machine that returns unused memory to its host, this
//! takes longer than all work with the memory.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::{Bytes, BytesMut};
use corefeval_system::memory::with_room;

/// Pieces of memory for several threads.
pub(super) struct Pool {
    /// The size of a piece, in bytes.
    piece: usize,
    /// The size of the blocks that are divided into pieces.
    block: usize,
    free: Mutex<Free>,
}

#[derive(Default)]
struct Free {
    /// The number of blocks so far.
    blocks: usize,
    /// Free pieces by the index of their block.
    pieces: BTreeMap<usize, Vec<PoolPiece>>,
    /// True if returned memory is given back to the system.
    is_closed: bool,
}

/// A piece of a block. The block is freed with its last piece.
#[derive(Default)]
pub(super) struct PoolPiece {
    pub(super) bytes: BytesMut,
    block: usize,
}

impl Pool {
    /// Creates a pool for about `bytes` bytes at a time, which are written in `streams` places in turn.
    pub(super) fn new(bytes: u64, streams: usize) -> Pool {
        let of_stream = usize::try_from(bytes).unwrap_or(usize::MAX) / streams.max(1);
        // The last piece of a stream is half empty on average.
        let piece = (of_stream / 16).clamp(1 << 9, 1 << 13).next_power_of_two();
        let block = (bytes / 8).clamp(1 << 16, 1 << 25).next_power_of_two() as usize;
        Pool { piece, block, free: Mutex::default() }
    }

    /// Returns an empty piece. Pieces of the oldest blocks are used first, so that later blocks become free as a whole.
    pub(super) fn take(&self) -> PoolPiece {
        let mut free = self.lock();
        if let Some(mut pieces) = free.pieces.first_entry()
            && let Some(piece) = pieces.get_mut().pop()
        {
            if pieces.get().is_empty() {
                pieces.remove();
            }
            return piece;
        }
        let block = free.blocks;
        free.blocks += 1;
        // The block is all spare capacity: no byte is written. Splitting the capacity creates pieces that share the
        // block, and `extend_from_slice` fills a piece up to its capacity. A list of our own, which may be in large
        // pages, becomes a `BytesMut` only by way of `Bytes`; nothing is copied.
        let mut rest = BytesMut::from(Bytes::from(with_room::<u8>(self.block)));
        let mut pieces = Vec::with_capacity(self.block / self.piece);
        while rest.capacity() > self.piece {
            let bytes = rest.split_off(rest.capacity() - self.piece);
            pieces.push(PoolPiece { bytes, block });
        }
        if !pieces.is_empty() {
            free.pieces.insert(block, pieces);
        }
        PoolPiece { bytes: rest, block }
    }

    /// Returns pieces to the pool.
    pub(super) fn give_back(&self, pieces: impl IntoIterator<Item = PoolPiece>) {
        let mut free = self.lock();
        if free.is_closed {
            return;
        }
        for mut piece in pieces {
            piece.bytes.clear();
            free.pieces.entry(piece.block).or_default().push(piece);
        }
    }

    /// Returns all unused blocks to the system, and from now on every block that becomes unused.
    pub(super) fn close(&self) {
        let mut free = self.lock();
        free.is_closed = true;
        free.pieces.clear();
    }

    fn lock(&self) -> MutexGuard<'_, Free> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_used_again_and_those_of_old_blocks_first() {
        let pool = Pool::new(1 << 19, 64);
        let (piece, in_block) = (pool.piece, pool.block / pool.piece);
        let mut pieces: Vec<PoolPiece> = (0..3 * in_block).map(|_| pool.take()).collect();
        assert!(pieces.iter().all(|taken| taken.bytes.capacity() == piece && taken.bytes.is_empty()));
        assert_eq!(pieces.iter().map(|taken| taken.block).max(), Some(2));
        pieces.iter_mut().for_each(|taken| taken.bytes.extend_from_slice(&vec![1; piece]));
        pool.give_back(pieces);
        let again: Vec<PoolPiece> = (0..in_block + 1).map(|_| pool.take()).collect();
        assert!(again.iter().all(|taken| taken.bytes.capacity() == piece && taken.bytes.is_empty()));
        let of_first = again.iter().filter(|taken| taken.block == 0).count();
        assert_eq!((of_first, again.last().map(|taken| taken.block)), (in_block, Some(1)));
        pool.close();
        pool.give_back(again);
        assert_eq!(pool.take().block, 3);
    }
}
