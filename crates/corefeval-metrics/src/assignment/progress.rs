//! The progress of the longest searches of the process, for a front end that displays it.

use std::sync::atomic::{AtomicU64, Ordering};

/// The last auction that was started and is still running, in any thread. Results do not depend on it.
#[derive(Debug, Default)]
pub struct SearchProgress {
    edges: AtomicU64,
    round: AtomicU64,
    most_rounds: AtomicU64,
}

/// A running auction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunningSearch {
    /// The number of edges.
    pub edges: u64,
    /// The current round, from 1.
    pub round: u64,
    /// The largest possible number of rounds. Most auctions end much earlier, when a proof is found.
    pub most_rounds: u64,
}

/// The progress of this process.
pub static SEARCH: SearchProgress =
    SearchProgress { edges: AtomicU64::new(0), round: AtomicU64::new(0), most_rounds: AtomicU64::new(0) };

impl SearchProgress {
    /// Returns the auction; `None` while no auction is running.
    pub fn current(&self) -> Option<RunningSearch> {
        let [edges, round, most_rounds] =
            [&self.edges, &self.round, &self.most_rounds].map(|number| number.load(Ordering::Relaxed));
        (edges > 0).then_some(RunningSearch { edges, round, most_rounds })
    }

    pub(super) fn begin(&self, edges: usize, most_rounds: u32) {
        self.round.store(0, Ordering::Relaxed);
        self.most_rounds.store(u64::from(most_rounds), Ordering::Relaxed);
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
        progress.begin(7, 9);
        progress.next_round();
        progress.next_round();
        assert_eq!(progress.current(), Some(RunningSearch { edges: 7, round: 2, most_rounds: 9 }));
        progress.end();
        assert_eq!(progress.current(), None);
    }
}
