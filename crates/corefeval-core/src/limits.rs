//! Limits on the cost of an input, which no real corpus reaches; see `docs/limits.md`.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use corefeval_system::usage::peak_memory;

/// The limits on the cost of reading an input.
///
/// Both limits stop a small file that was made to exhaust the machine. They are checked while the input is
/// read, so that the error names the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest factor by which a compressed file may expand. It is checked beyond
    /// [`EXPANSION_FROM`](Self::EXPANSION_FROM) bytes; annotated text becomes 5 to 40 times larger.
    pub expansion: u64,
    /// The largest memory of the process while reading, in bytes; 0 for no limit, `None` for nine tenths of the machine's
    /// memory. It is checked if the system reports memory in `/proc` (Linux).
    pub memory: Option<u64>,
}

impl Default for Limits {
    /// Allows a factor of 200 and nine tenths of the machine's memory.
    fn default() -> Limits {
        Limits { expansion: 200, memory: None }
    }
}

impl Limits {
    /// The number of decompressed bytes that is always accepted.
    pub const EXPANSION_FROM: u64 = 64 << 20;

    /// The memory that a process may always use unless another limit was set: every machine has more.
    const MEMORY_FROM: u64 = 256 << 20;

    /// Fails if the process uses more memory than allowed.
    pub(crate) fn check_memory(&self) -> io::Result<()> {
        let peak = peak_memory();
        let never_above = |limit: u64| peak.is_some_and(|peak| peak <= limit);
        if self.memory.is_none() && never_above(Limits::MEMORY_FROM) {
            return Ok(());
        }
        let limit = self.memory.or_else(|| Some(machine_memory()? / 10 * 9)).unwrap_or(0);
        if limit == 0 || never_above(limit) || process_memory().is_none_or(|used| used <= limit) {
            return Ok(());
        }
        Err(io::Error::new(
            io::ErrorKind::OutOfMemory,
            format!("reading it takes more than the {} MiB of memory that are allowed", limit >> 20),
        ))
    }

    /// Fails if `read` compressed bytes expanded to more than the limit.
    pub(crate) fn check_expansion(&self, read: u64, decompressed: u64) -> io::Result<()> {
        let most = read.saturating_mul(self.expansion).max(Limits::EXPANSION_FROM);
        match decompressed <= most {
            true => Ok(()),
            false => Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                format!(
                    "it becomes more than {} times larger when decompressed, which no annotated text does; \
                     decompress it first to read it",
                    self.expansion
                ),
            )),
        }
    }
}

/// The largest size of a file of weights, parameters or labels, in bytes.
pub const SMALL: u64 = 64 << 20;

/// Reads a small file as a whole, such as weights or settings, up to `limit` bytes.
///
/// ```
/// let path = std::env::temp_dir().join("corefeval-small-example");
/// std::fs::write(&path, "mention = 1\n")?;
/// assert_eq!(corefeval_core::limits::read_small(&path, 1 << 20)?, b"mention = 1\n");
/// assert!(corefeval_core::limits::read_small(&path, 4).is_err());
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
///
/// The file cannot be read, or has more than `limit` bytes.
pub fn read_small(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 <= limit {
        true => Ok(bytes),
        false => {
            let message = format!("it has more than {limit} bytes, which is the limit for files of its kind");
            Err(io::Error::new(io::ErrorKind::FileTooLarge, message))
        }
    }
}

/// Returns the memory of the process in bytes; `None` if the system does not report it.
fn process_memory() -> Option<u64> {
    kilobytes(&start_of("/proc/self/status")?, "VmRSS:")
}

/// Returns the memory of the machine in bytes; `None` if the system does not report it.
fn machine_memory() -> Option<u64> {
    use std::sync::OnceLock;
    static MEMORY: OnceLock<Option<u64>> = OnceLock::new();
    *MEMORY.get_or_init(|| kilobytes(&start_of("/proc/meminfo")?, "MemTotal:"))
}

/// Returns the first 4 KiB of a system file, with a single read.
fn start_of(path: &str) -> Option<String> {
    let mut bytes = vec![0; 4096];
    let length = File::open(path).ok()?.read(&mut bytes).ok()?;
    bytes.truncate(length);
    String::from_utf8(bytes).ok()
}

/// Returns the bytes in a line such as `VmRSS:   1234 kB`.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let number: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    number.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_proc_are_read_in_kilobytes() {
        assert_eq!(kilobytes("Name:\tx\nVmRSS:\t   12 kB\n", "VmRSS:"), Some(12 << 10));
        assert_eq!(kilobytes("VmRSS:\t12", "VmRSS:"), None);
    }

    #[test]
    fn a_process_may_not_use_more_than_its_limit() {
        let limits = |memory| Limits { memory, ..Limits::default() };
        assert!(limits(None).check_memory().is_ok());
        assert!(limits(Some(0)).check_memory().is_ok());
        assert!(limits(Some(u64::MAX)).check_memory().is_ok());
        assert_eq!(limits(Some(1)).check_memory().is_err(), process_memory().is_some());
    }

    #[test]
    fn small_files_may_expand_without_limit() {
        let limits = Limits::default();
        assert!(limits.check_expansion(1, Limits::EXPANSION_FROM).is_ok());
        assert!(limits.check_expansion(1, Limits::EXPANSION_FROM + 1).is_err());
        assert!(limits.check_expansion(1 << 20, 200 << 20).is_ok());
    }
}
