//! The progress of the longest searches of the process, for a front end that displays it.

use std::sync::atomic::{AtomicU64, Ordering};

/// The last auction that was started and is still running, in any thread. Results do not depend on it.
#[derive(Debug, Default)]
pub struct SearchProgress {
    edges: AtomicU64,
    round: AtomicU64,
}

/// The progress of this process.
pub static SEARCH: SearchProgress = SearchProgress { edges: AtomicU64::new(0), round: AtomicU64::new(0) };

impl SearchProgress {
    /// Returns the number of edges of the auction and its round, from 1; `None` while no auction is running.
    pub fn current(&self) -> Option<(u64, u64)> {
        let edges = self.edges.load(Ordering::Relaxed);
        (edges > 0).then(|| (edges, self.round.load(Ordering::Relaxed)))
    }

    pub(super) fn begin(&self, edges: usize) {
        self.round.store(0, Ordering::Relaxed);
        self.edges.store(edges as u64, Ordering::Relaxed);
    }

    pub(super) fn next_round(&self) {
        self.round.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn end(&self) {
        self.edges.store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_auction_shows_its_rounds_until_it_ends() {
        let progress = SearchProgress::default();
        assert_eq!(progress.current(), None);
        progress.begin(7);
        progress.next_round();
        progress.next_round();
        assert_eq!(progress.current(), Some((7, 2)));
        progress.end();
        assert_eq!(progress.current(), None);
    }
}
