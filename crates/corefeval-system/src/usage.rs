//! Measures the resources that the process has used.

/// Returns the peak memory of the process in bytes, or `None` if the system does not report it.
///
/// This takes a microsecond. Reading the current size from `/proc/self/status` takes fifty microseconds, and threads
/// that read it wait for each other. After `exec`, a process may start with the peak of the program that it
/// replaced.
///
/// ```
/// let peak = corefeval_system::usage::peak_memory();
/// assert_eq!(peak.is_some_and(|bytes| bytes > 0), cfg!(target_os = "linux"));
/// ```
#[cfg_attr(
    target_os = "linux",
    allow(unsafe_code, reason = "a call of the system that fills in a structure")
)]
pub fn peak_memory() -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
        // SAFETY: The structure is writable, and all zeros are a valid value.
        let usage = unsafe {
            let done = libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()) == 0;
            done.then(|| usage.assume_init())
        };
        // The value is in kilobytes on Linux.
        usage.and_then(|usage| u64::try_from(usage.ru_maxrss).ok()?.checked_mul(1024))
    }
    #[cfg(not(target_os = "linux"))]
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn memory_that_was_used_once_counts() {
        const SIZE: usize = 64 << 20;
        let bytes = std::hint::black_box(vec![1_u8; SIZE]);
        assert!(peak_memory().is_some_and(|peak| peak >= SIZE as u64));
        drop(bytes);
        assert!(peak_memory().is_some_and(|peak| peak >= SIZE as u64));
    }
}
