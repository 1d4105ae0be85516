//! Large tables in memory: pages of two megabytes, and cache lines that are fetched before they are needed.
//!
//! Neither changes the results of a program. The system provides memory in pages of four kilobytes, each at the cost of
//! an interrupt, and the processor caches the addresses of only about two thousand pages. A table of a gigabyte that is
//! read in random order suffers from both.

/// The minimum size in bytes for large pages. Smaller tables do not benefit from them.
#[cfg(target_os = "linux")]
const LARGE: usize = 2 << 20;

/// Returns `count` zeros, in large pages if the system has them.
///
/// ```
/// assert_eq!(corefeval_system::memory::zeros::<u64>(3), [0, 0, 0]);
/// assert!(corefeval_system::memory::zeros::<u8>(5 << 20).iter().all(|&byte| byte == 0));
/// ```
pub fn zeros<T: Zero>(count: usize) -> Vec<T> {
    let zeros = vec![T::ZERO; count];
    #[cfg(target_os = "linux")]
    use_large_pages(zeros.as_ptr(), count);
    zeros
}

/// Returns an empty list with room for `count` items, in large pages if the system has them.
///
/// ```
/// let mut list = corefeval_system::memory::with_room(3 << 20);
/// list.resize(3 << 20, 7_u32);
/// assert!(list.iter().all(|&number| number == 7));
/// ```
pub fn with_room<T>(count: usize) -> Vec<T> {
    let list = Vec::with_capacity(count);
    #[cfg(target_os = "linux")]
    use_large_pages(list.as_ptr(), count);
    list
}

/// A number type whose zeros the system can provide.
pub trait Zero: Copy {
    /// Zero.
    const ZERO: Self;
}

impl Zero for u8 {
    const ZERO: u8 = 0;
}

impl Zero for u32 {
    const ZERO: u32 = 0;
}

impl Zero for u64 {
    const ZERO: u64 = 0;
}

/// Requests large pages for the memory of `count` items that starts at `start` and has not been touched yet.
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "advice about memory, which changes none of its contents")]
fn use_large_pages<T>(start: *const T, count: usize) {
    const PAGE: usize = 1 << 12;
    let bytes = size_of::<T>().saturating_mul(count);
    if bytes < LARGE {
        return;
    }
    let start = start.cast::<u8>();
    let skipped = start.align_offset(PAGE);
    let whole = bytes.saturating_sub(skipped) / PAGE * PAGE;
    if whole == 0 {
        return;
    }
    // SAFETY: The advice affects only how the system provides the pages. It changes nothing that a program can
    // observe, regardless of the owner of the pages. An error means that there are no large pages.
    unsafe {
        libc::madvise(start.wrapping_add(skipped).cast_mut().cast(), whole, libc::MADV_HUGEPAGE);
    }
}

/// The number of bytes between prefetching a part of a text and searching it. Processors prefetch by themselves, but not
/// across pages of memory, and a file has many pages.
pub const AHEAD: usize = 1024;

/// Prefetches an item that is needed soon. A place beyond the end is ignored.
///
/// Measured on whole processes (80 alternating runs of each, two threads): without prefetching, CoNLL files of the
/// size of OntoNotes take 1.07 times as long.
#[inline(always)]
#[allow(unsafe_code, reason = "an instruction that every x86-64 has")]
pub fn fetch<T>(items: &[T], place: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(item) = items.get(place) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: SSE is part of x86-64, and the instruction has no effect that a program can observe.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(item).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (items, place);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_can_be_written_and_fetched() {
        for count in [0, 1, 1000, 3 << 20] {
            let mut table = zeros::<u32>(count);
            assert_eq!(table.len(), count);
            for place in 0..count {
                fetch(&table, place);
                table[place] += 1;
            }
            fetch(&table, count);
            assert!(table.iter().all(|&number| number == 1));
        }
    }
}
