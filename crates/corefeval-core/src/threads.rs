//! Runs work on several threads, or on fewer if the system cannot start more, and turns panics into errors.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use std::thread::{Builder, scope};

thread_local! {
    /// Whether a panic of this thread is silent, because it becomes an error.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs code that panics on some invalid data, such as a damaged file. Returns `None` after a panic and prints nothing
/// about it.
///
/// ```
/// assert_eq!(corefeval_core::threads::caught(|| [1, 2].iter().sum::<i32>()), Some(3));
/// assert_eq!(corefeval_core::threads::caught(|| [0; 2].iter().map(|zero| 1 / zero).sum::<i32>()), None);
/// ```
pub fn caught<T>(work: impl FnOnce() -> T) -> Option<T> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let otherwise = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !GUARDED.get() {
                otherwise(panic);
            }
        }));
    });
    let outer = GUARDED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(outer);
    result.ok()
}

/// Runs `work` for each number below `count` on up to `threads` threads, and returns the results in order.
///
/// ```
/// use corefeval_core::threads::side_by_side;
/// assert_eq!(side_by_side(2, 4, |number| number * number), [0, 1, 4, 9]);
/// ```
pub fn side_by_side<T: Send>(threads: usize, count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    side_by_side_after(|| {}, threads, count, work)
}

/// Like [`side_by_side`], but calls `begin` first on each new thread.
pub(crate) fn side_by_side_after<T: Send>(
    begin: impl Fn() + Sync,
    threads: usize,
    count: usize,
    work: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    if threads.min(count) <= 1 {
        return (0..count).map(work).collect();
    }
    let new = || {
        begin();
        Vec::new()
    };
    let add = |done: &mut Vec<(usize, T)>, number| done.push((number, work(number)));
    let mut all: Vec<(usize, T)> =
        sums_side_by_side(threads, count, new, add, |done| done).into_iter().flatten().collect();
    all.sort_unstable_by_key(|(number, _)| *number);
    all.into_iter().map(|(_, value)| value).collect()
}

/// Divides the numbers below `count` among up to `threads` threads. Each thread starts from `new`, adds its numbers
/// with `add` in ascending order, and returns the result of `end`. The numbers that a thread gets depend on the time
/// that they take.
///
/// The calling thread only waits: a thread that starts another and continues to work may have to share its processor
/// with it for several milliseconds. If a limit on processes or memory prevents threads from starting, the started
/// threads do all the work; without any, the calling thread does it.
pub(crate) fn sums_side_by_side<A, S: Send>(
    threads: usize,
    count: usize,
    new: impl Fn() -> A + Sync,
    add: impl Fn(&mut A, usize) + Sync,
    end: impl Fn(A) -> S + Sync,
) -> Vec<S> {
    let next = AtomicUsize::new(0);
    let part = || {
        let mut sum = new();
        let numbers = std::iter::from_fn(|| {
            Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&number| number < count)
        });
        numbers.for_each(|number| add(&mut sum, number));
        end(sum)
    };
    let wanted = threads.min(count);
    if wanted <= 1 {
        return vec![part()];
    }
    // Threads pass on their results before they end, since freeing their stacks takes a while.
    let finished = Mutex::new(Vec::with_capacity(wanted));
    let started = || {
        let done = catch_unwind(AssertUnwindSafe(part));
        finished.lock().unwrap_or_else(PoisonError::into_inner).push(done);
    };
    let none = scope(|scope| {
        let start = |_| Builder::new().spawn_scoped(scope, started).ok();
        (0..wanted).map_while(start).count() == 0
    });
    if none {
        return vec![part()];
    }
    let parts = finished.into_inner().unwrap_or_else(PoisonError::into_inner);
    parts.into_iter().map(|part| part.unwrap_or_else(|panic| resume_unwind(panic))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_reaches_the_caller_as_it_was() {
        let found = catch_unwind(|| side_by_side(2, 4, |number| assert!(number < 2, "number {number}")));
        let panic = found.expect_err("a panic");
        let message = panic.downcast_ref::<String>().map(String::as_str);
        assert!(matches!(message, Some("number 2" | "number 3")), "{message:?}");
    }

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
