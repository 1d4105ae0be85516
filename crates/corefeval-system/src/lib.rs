//! Files as memory, for programs that may be ended: the one place in corefeval with `unsafe` code.
//!
//! A reader looks at each byte of a file once. Read into a buffer, every byte is copied by the kernel first; mapped, it
//! is not. On files the size of OntoNotes the copy takes a ninth of the processor's time (medians of 80 runs of each in
//! turn: 17.1 ms of processor time mapped, 19.0 ms copied).
//!
//! A mapped file has a price: if another process shortens it while it is read, the system sends `SIGBUS`. So nothing is
//! mapped until the program calls [`allow`], which the command does and no library: from then on that signal prints a
//! message and ends the process with status 1, as any file that cannot be read does.
//!
//! Another signal, for files that grow beyond a limit, is ignored here for the same kind of programs.

#![cfg_attr(not(unix), allow(unused))]

use std::fs::File;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether files may be mapped.
static ALLOWED: AtomicBool = AtomicBool::new(false);

/// Lets this process map files, and end when a mapped file is shortened by another process.
///
/// Only for programs whose process is theirs to end: a library, or an interpreter that others run in, must not call it.
pub fn allow() {
    #[cfg(unix)]
    if signal::handle() {
        ALLOWED.store(true, Ordering::Release);
    }
}

/// Makes writing beyond the limit on the size of files an error, where the system would end the process by a signal.
///
/// Only for programs whose process is theirs, as [`allow`].
pub fn survive_size_limits() {
    #[cfg(unix)]
    signal::ignore_size_limit();
}

/// The bytes of a file, as they are in the system's cache.
#[derive(Debug)]
pub struct Mapped(#[cfg(unix)] memmap2::Mmap, #[cfg(not(unix))] Vec<u8>);

/// Maps a whole file for reading; `None` where that is not allowed or not possible, and the file is to be copied.
///
/// If another program writes to the file meanwhile, what is read is some mixture of old and new, as it is with `read`.
///
/// ```
/// let path = std::env::temp_dir().join("corefeval-map-example");
/// std::fs::write(&path, "Ada\t(0)\n")?;
/// let file = std::fs::File::open(&path)?;
/// assert!(corefeval_map::map(&file).is_none());
/// corefeval_map::allow();
/// if let Some(mapped) = corefeval_map::map(&file) {
///     assert_eq!(&*mapped, b"Ada\t(0)\n");
/// }
/// # Ok::<(), std::io::Error>(())
/// ```
#[allow(unsafe_code, reason = "mapping is unsafe, since other programs may change the file")]
pub fn map(file: &File) -> Option<Mapped> {
    if !ALLOWED.load(Ordering::Acquire) {
        return None;
    }
    #[cfg(not(unix))]
    return None;
    // SAFETY: The slice is only read, each byte once, by readers that keep copies of what matters. A file that is
    // shortened ends the process (see `allow`) before anything is made of bytes that are gone.
    #[cfg(unix)]
    unsafe { memmap2::MmapOptions::new().map(file) }.ok().map(Mapped)
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(unix)]
mod signal {
    use libc::{BUS_ADRERR, SA_SIGINFO, SIG_DFL, SIGBUS, c_int, c_void, sigaction, siginfo_t};

    const MESSAGE: &[u8] = b"error: a file was shortened by another process while it was read\n  hint: run again when the file is complete\n";

    /// What the process ends with where an input cannot be read.
    const STATUS: c_int = 1;

    /// Ends the process where bytes of a mapped file are gone. Any other fault comes again and ends it in the usual way.
    ///
    /// The handler remains installed meanwhile: a second thread may read the same file.
    #[allow(unsafe_code, reason = "a signal handler calls the system directly")]
    extern "C" fn ended(_: c_int, info: *mut siginfo_t, _: *mut c_void) {
        // SAFETY: The system hands over a valid `info` (`SA_SIGINFO`); `write`, `_exit` and `signal` may be called in a
        // handler.
        unsafe {
            if !info.is_null() && (*info).si_code == BUS_ADRERR {
                libc::write(2, MESSAGE.as_ptr().cast(), MESSAGE.len());
                libc::_exit(STATUS);
            }
            libc::signal(SIGBUS, SIG_DFL);
        }
    }

    /// Leaves the signal of the limit on file sizes without effect: the call that writes then fails.
    #[allow(unsafe_code, reason = "signals are the system's")]
    pub(super) fn ignore_size_limit() {
        // SAFETY: No handler is installed, and no memory is involved.
        unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    }

    /// Installs the handler; false where the system refuses.
    #[allow(unsafe_code, reason = "signals are the system's")]
    pub(super) fn handle() -> bool {
        // SAFETY: The structure is filled in whole, zeros being an empty mask and no flags; the handler is async-signal-safe.
        unsafe {
            let mut action: sigaction = std::mem::zeroed();
            action.sa_sigaction = ended as extern "C" fn(c_int, *mut siginfo_t, *mut c_void) as usize;
            action.sa_flags = SA_SIGINFO;
            sigaction(SIGBUS, &action, std::ptr::null_mut()) == 0
        }
    }
}
