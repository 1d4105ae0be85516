//! Runs work on several threads, or on fewer if the system cannot start more, and turns panics into errors.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, Once, OnceLock, PoisonError};
use std::thread::{Builder, scope};

thread_local! {
    /// True if a panic of this thread is silent, because it becomes an error.
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
    let finished = Mutex::new(Vec::with_capacity(threads.min(count)));
    // Threads pass on their results before they end, since freeing their stacks takes a while.
    on_threads(threads.min(count), || {
        let part = || {
            let mut sum = new();
            below(count, &next).for_each(|number| add(&mut sum, number));
            end(sum)
        };
        let done = catch_unwind(AssertUnwindSafe(part));
        lock(&finished).push(done);
    });
    let parts = finished.into_inner().unwrap_or_else(PoisonError::into_inner);
    parts.into_iter().map(|part| part.unwrap_or_else(|panic| resume_unwind(panic))).collect()
}

/// Work in two steps on up to `threads` threads. First `part` gets numbers below `count`, divided as by
/// [`sums_side_by_side`]. The last thread that ends combines the parts with `combine`, which also returns the number of
/// remaining tasks; then all threads run `work` for each of them. Returns the combined parts and the results in order.
///
/// The thread that combines the parts continues at once, which is faster than starting threads again.
pub(crate) fn in_two_steps<P: Send, C: Send + Sync, T: Send>(
    threads: usize,
    count: usize,
    part: impl Fn(&mut dyn Iterator<Item = usize>) -> P + Sync,
    combine: impl FnOnce(Vec<P>) -> (C, usize) + Send,
    work: impl Fn(&C, usize) -> T + Sync,
) -> (C, Vec<T>) {
    struct First<P, F> {
        running: usize,
        parts: Vec<P>,
        /// Absent once the parts are combined.
        combine: Option<F>,
    }
    let first = Mutex::new(First { running: 0, parts: Vec::new(), combine: Some(combine) });
    let combined = OnceLock::new();
    let finished = Mutex::new(Vec::new());
    let [next_of_first, next_of_second] = [AtomicUsize::new(0), AtomicUsize::new(0)];
    let run_first = || {
        {
            let mut first = lock(&first);
            // A thread that starts late only takes part in the second step.
            if first.combine.is_none() {
                return;
            }
            first.running += 1;
        }
        let done = catch_unwind(AssertUnwindSafe(|| part(&mut below(count, &next_of_first))));
        let mut first = lock(&first);
        first.running -= 1;
        first.parts.push(done);
        if first.running > 0 {
            return;
        }
        let (parts, combine) = (std::mem::take(&mut first.parts), first.combine.take());
        drop(first);
        let all = || {
            let parts = parts.into_iter().map(|part| part.unwrap_or_else(|panic| resume_unwind(panic)));
            combine.map(|combine| combine(parts.collect()))
        };
        let all = catch_unwind(AssertUnwindSafe(all));
        combined.get_or_init(|| all.map_err(Mutex::new));
    };
    on_threads(threads, || {
        run_first();
        let Ok(Some((all, tasks))) = combined.wait() else { return };
        let results =
            || below(*tasks, &next_of_second).map(|task| (task, work(all, task))).collect::<Vec<_>>();
        let done = catch_unwind(AssertUnwindSafe(results));
        lock(&finished).push(done);
    });
    let all = match combined.into_inner() {
        Some(Ok(Some((all, _)))) => all,
        Some(Err(panic)) => resume_unwind(panic.into_inner().unwrap_or_else(PoisonError::into_inner)),
        Some(Ok(None)) | None => unreachable!("one thread combines the parts"),
    };
    let finished = finished.into_inner().unwrap_or_else(PoisonError::into_inner);
    let results = finished.into_iter().map(|done| done.unwrap_or_else(|panic| resume_unwind(panic)));
    let mut results: Vec<(usize, T)> = results.flatten().collect();
    results.sort_unstable_by_key(|(task, _)| *task);
    (all, results.into_iter().map(|(_, result)| result).collect())
}

/// Runs `work` on this number of threads, or on fewer if the system cannot start more. For one thread, and if none can be
/// started, the calling thread runs it.
fn on_threads(wanted: usize, work: impl Fn() + Sync) {
    let started = || {
        scope(|scope| {
            let start = |_| Builder::new().spawn_scoped(scope, &work).ok();
            (0..wanted).map_while(start).count()
        })
    };
    if wanted <= 1 || started() == 0 {
        work();
    }
}

/// Returns the numbers below `count` that no other thread has taken.
fn below(count: usize, next: &AtomicUsize) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&number| number < count))
}

/// Locks a value. A panic of another thread while it was locked does not matter: that panic is passed on.
pub(crate) fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
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
    fn a_panic_in_either_step_reaches_the_caller() {
        for at in 0..3 {
            for threads in [1, 2, 4] {
                let fail = |step: usize| assert!(step != at, "step {step}");
                let part = |numbers: &mut dyn Iterator<Item = usize>| {
                    numbers.filter(|number| *number == 2).for_each(|_| fail(0));
                };
                let combine = |_: Vec<()>| {
                    fail(1);
                    ((), 4)
                };
                let found = catch_unwind(AssertUnwindSafe(|| {
                    in_two_steps(threads, 4, part, combine, |(), task| {
                        if task == 3 {
                            fail(2)
                        }
                    })
                }));
                let panic = found.expect_err("a panic");
                assert_eq!(panic.downcast_ref::<String>(), Some(&format!("step {at}")));
            }
        }
    }

    #[test]
    fn the_second_step_follows_the_whole_first_step() {
        for threads in [0, 1, 2, 8] {
            for count in [0, 1, 2, 100] {
                let part = |numbers: &mut dyn Iterator<Item = usize>| numbers.sum::<usize>();
                let combine = |parts: Vec<usize>| (parts.into_iter().sum::<usize>(), 7);
                let (sum, tasks) = in_two_steps(threads, count, part, combine, |sum, task| sum + task);
                assert_eq!(sum, (0..count).sum::<usize>());
                assert_eq!(tasks, (sum..sum + 7).collect::<Vec<_>>());
            }
        }
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
