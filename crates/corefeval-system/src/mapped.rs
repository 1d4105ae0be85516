//! Memory-mapped files, for programs that may be terminated at any time.
//!
//! A reader examines each byte of a file once, and an analysis then looks up the words that it needs. If a file is read
//! into a buffer, the kernel copies every byte first; if the file is mapped, nothing is copied. On files the size of
//! OntoNotes, the copy takes a ninth of the processor time (medians of 80 alternating runs of each: 17.1 ms of
//! processor time mapped, 19.0 ms copied).
//!
//! Mapping has a drawback: another process may change the file while it is read, and if that process shortens it, the
//! system sends `SIGBUS`. Nothing is therefore mapped until the program calls [`allow`], which is unsafe. The command
//! calls it; libraries do not. From then on, the signal handler prints a message and ends the process with status 1, as
//! for any file that cannot be read.

use std::fs::File;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};

/// True if files may be mapped.
static ALLOWED: AtomicBool = AtomicBool::new(false);

/// Allows this process to map files. The process then ends if another process shortens a mapped file.
///
/// # Safety
///
/// The caller promises for the whole process, from now on:
///
/// - The process may be ended with `_exit(1)` at any moment. A library, or an interpreter that runs other code, must
///   not promise this.
/// - The process itself does not write to files that it reads, and results are not relied upon if another process
///   writes to these files meanwhile. The bytes read may then be a mixture of old and new ones, as with `read`.
#[allow(unsafe_code, reason = "the caller decides about the whole process")]
pub unsafe fn allow() {
    #[cfg(unix)]
    if crate::signal::end_on_shortened_files() {
        ALLOWED.store(true, Ordering::Release);
    }
}

/// The bytes of a file, as they are in the system's cache.
#[derive(Debug)]
pub struct Mapped(#[cfg(unix)] memmap2::Mmap, #[cfg(not(unix))] Vec<u8>);

/// Maps a whole file for reading. Returns `None` if mapping is not allowed or not possible; the file must then be
/// copied.
///
/// ```
/// let path = std::env::temp_dir().join("corefeval-mapped-example");
/// std::fs::write(&path, "Ada\t(0)\n")?;
/// let file = std::fs::File::open(&path)?;
/// assert!(corefeval_system::mapped::map(&file).is_none());
/// // SAFETY: This process is an example, which may be ended, and nobody writes to its file.
/// unsafe { corefeval_system::mapped::allow() };
/// if let Some(mapped) = corefeval_system::mapped::map(&file) {
///     assert_eq!(&*mapped, b"Ada\t(0)\n");
/// }
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[allow(unsafe_code, reason = "mapping is unsafe, since other programs may change the file")]
#[cfg_attr(not(unix), allow(unused_variables))]
pub fn map(file: &File) -> Option<Mapped> {
    if !ALLOWED.load(Ordering::Acquire) {
        return None;
    }
    #[cfg(not(unix))]
    return None;
    // SAFETY: The slice is only read: by readers, which copy everything that they rely on, and to look up words, which
    // are checked to be UTF-8 at each lookup. If the file is shortened, the process ends before any byte that no longer
    // exists is used; the caller of `allow` accepted this.
    #[cfg(unix)]
    unsafe { memmap2::MmapOptions::new().map(file) }.ok().map(Mapped)
}

impl Mapped {
    /// Gives the pages of the file back to the system, for a process that is about to end: ending takes less time, and this
    /// may run on another thread. The bytes can still be read, since the system maps each page again.
    ///
    /// For a file of 7 MB, this takes 0.45 ms, and dropping the mapping with the documents that share it 0.8 ms.
    ///
    /// ```
    /// let path = std::env::temp_dir().join(format!("corefeval-released-{}", std::process::id()));
    /// std::fs::write(&path, "Ada\t(0)\n")?;
    /// let file = std::fs::File::open(&path)?;
    /// // SAFETY: This process is an example, which may be ended, and nobody writes to its file.
    /// unsafe { corefeval_system::mapped::allow() };
    /// if let Some(mapped) = corefeval_system::mapped::map(&file) {
    ///     mapped.release();
    ///     assert_eq!(&*mapped, b"Ada\t(0)\n");
    /// }
    /// std::fs::remove_file(&path)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[allow(unsafe_code, reason = "advice to the system about pages is unsafe in general")]
    pub fn release(&self) {
        // SAFETY: The mapping is of a file and only read, so a page that was given back has the file's bytes when it is
        // mapped again. Other programs may have changed them, which the caller of `allow` accepted. Without success, the
        // pages stay.
        #[cfg(unix)]
        let _ = unsafe { self.0.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) };
    }
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}
