//! Work on several threads, or on fewer if the system cannot start more.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{Builder, scope};

/// Runs `work` for each number below `count` on up to `threads` threads, and returns the results in order.
///
/// ```
/// use corefeval_core::threads::side_by_side;
/// assert_eq!(side_by_side(2, 4, |number| number * number), [0, 1, 4, 9]);
/// ```
pub fn side_by_side<T: Send>(threads: usize, count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    side_by_side_after(|| {}, threads, count, work)
}

/// The same, with `begin` called first on each new thread.
///
/// The calling thread only waits: one that starts another and goes on working may have to share its processor with it
/// for several milliseconds. Where a limit on processes or memory keeps threads from starting, those that did start do
/// all the work, and without any the calling thread does it.
pub(crate) fn side_by_side_after<T: Send>(
    begin: impl Fn() + Sync,
    threads: usize,
    count: usize,
    work: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let wanted = threads.min(count);
    if wanted <= 1 {
        return (0..count).map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let part = || {
        let numbers = std::iter::from_fn(|| {
            Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&number| number < count)
        });
        numbers.map(|number| (number, work(number))).collect::<Vec<_>>()
    };
    let started = || {
        begin();
        part()
    };
    let mut all = scope(|scope| {
        let start = |_| Builder::new().spawn_scoped(scope, started).ok();
        let workers: Vec<_> = (0..wanted).map_while(start).collect();
        let mut all = if workers.is_empty() { part() } else { Vec::new() };
        for worker in workers {
            all.extend(worker.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        all
    });
    all.sort_unstable_by_key(|(number, _)| *number);
    all.into_iter().map(|(_, value)| value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_for_any_number_of_threads() {
        for threads in [0, 1, 2, 8] {
            for count in [0, 1, 2, 100] {
                let found = side_by_side(threads, count, |number| number * number);
                assert_eq!(found, (0..count).map(|number| number * number).collect::<Vec<_>>());
            }
        }
    }
}
