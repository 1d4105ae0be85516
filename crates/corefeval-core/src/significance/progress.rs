//! The progress of resampling in this process, for a front end that displays it. Results do not depend on it.

use std::sync::atomic::{AtomicU64, Ordering};

/// The resamples of one kind that are being made, in any thread.
#[derive(Debug, Default)]
pub struct ResamplingProgress {
    done: AtomicU64,
    total: AtomicU64,
}

/// Resampling that is running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunningResampling {
    /// The number of resamples so far.
    pub done: u64,
    /// The number of all resamples.
    pub total: u64,
}

/// The bootstrap samples.
pub static SAMPLES: ResamplingProgress = ResamplingProgress::new();

/// The random swaps of documents.
pub static SWAPS: ResamplingProgress = ResamplingProgress::new();

impl ResamplingProgress {
    const fn new() -> ResamplingProgress {
        ResamplingProgress { done: AtomicU64::new(0), total: AtomicU64::new(0) }
    }

    /// Returns the resamples; `None` while none are being made.
    pub fn current(&self) -> Option<RunningResampling> {
        let [done, total] = [&self.done, &self.total].map(|number| number.load(Ordering::Relaxed));
        (total > 0).then_some(RunningResampling { done: done.min(total), total })
    }

    /// Starts `total` resamples, which end when the result is dropped.
    pub(super) fn begin(&'static self, total: usize) -> Resampling {
        self.total.fetch_add(total as u64, Ordering::Relaxed);
        Resampling { progress: self, total: total as u64, done: AtomicU64::new(0) }
    }
}

/// Some of the resamples that are being made.
pub(super) struct Resampling {
    progress: &'static ResamplingProgress,
    total: u64,
    done: AtomicU64,
}

impl Resampling {
    /// Counts resamples that were made.
    pub(super) fn add(&self, resamples: usize) {
        for done in [&self.done, &self.progress.done] {
            done.fetch_add(resamples as u64, Ordering::Relaxed);
        }
    }
}

impl Drop for Resampling {
    fn drop(&mut self) {
        self.progress.total.fetch_sub(self.total, Ordering::Relaxed);
        self.progress.done.fetch_sub(*self.done.get_mut(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resamples_are_counted_until_they_end() {
        static PROGRESS: ResamplingProgress = ResamplingProgress::new();
        assert_eq!(PROGRESS.current(), None);
        let one = PROGRESS.begin(10);
        let other = PROGRESS.begin(5);
        one.add(3);
        other.add(5);
        assert_eq!(PROGRESS.current(), Some(RunningResampling { done: 8, total: 15 }));
        drop(other);
        assert_eq!(PROGRESS.current(), Some(RunningResampling { done: 3, total: 10 }));
        drop(one);
        assert_eq!(PROGRESS.current(), None);
    }
}
