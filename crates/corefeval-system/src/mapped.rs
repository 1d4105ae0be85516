//! Files as memory, for programs that may be ended.
//!
//! A reader looks at each byte of a file once; an analysis then looks up the words that it needs. Read into a buffer, every
//! byte is copied by the kernel first; mapped, it is not. On files the size of OntoNotes the copy takes a ninth of the processor's time (medians of 80 runs of each in
//! turn: 17.1 ms of processor time mapped, 19.0 ms copied).
//!
//! A mapped file has a price: another process may change it while it is read, and if that process shortens it, the
//! system sends `SIGBUS`. So nothing is mapped until the program calls [`allow`], which is unsafe; the command does so
//! and no library. From then on the signal prints a message and ends the process with status 1, as any file that cannot
//! be read does.

use std::fs::File;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether files may be mapped.
static ALLOWED: AtomicBool = AtomicBool::new(false);

/// Lets this process map files, and end when a mapped file is shortened by another process.
///
/// # Safety
///
/// The caller promises for the whole process, from now on:
///
/// - The process may be ended with `_exit(1)` at any moment. A library, or an interpreter that others run in, must not
///   promise that.
/// - Files that are read are not written to by the process itself, and results are not relied upon when another process
///   writes to them meanwhile. What is read then is some mixture of old and new bytes, as it is with `read`.
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

/// Maps a whole file for reading; `None` if that is not allowed or not possible, and the file must be copied.
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
    // SAFETY: The slice is only read, by readers that keep copies of what matters, and for words, which are checked to be
    // UTF-8 each time they are looked up. A file that is shortened ends the process before anything is made of bytes that
    // no longer exist, which the caller of `allow` accepted.
    #[cfg(unix)]
    unsafe { memmap2::MmapOptions::new().map(file) }.ok().map(Mapped)
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}
