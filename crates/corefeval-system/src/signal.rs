//! Signals of the system that the program handles itself.

#[cfg(unix)]
use libc::{BUS_ADRERR, SA_SIGINFO, SIG_DFL, SIGBUS, c_int, c_void, sigaction, siginfo_t};

#[cfg(unix)]
const MESSAGE: &[u8] = b"error: a file was shortened by another process while it was read\n  hint: run again when the file is complete\n";

/// The exit status when an input cannot be read.
#[cfg(unix)]
const STATUS: c_int = 1;

/// Ends the process when bytes of a mapped file no longer exist. Any other fault is raised again, and ends the process
/// in the usual way.
///
/// The handler remains installed meanwhile, because a second thread may read the same file.
#[cfg(unix)]
#[allow(unsafe_code, reason = "a signal handler calls the system directly")]
extern "C" fn ended(_: c_int, info: *mut siginfo_t, _: *mut c_void) {
    // SAFETY: The system passes a valid `info` (`SA_SIGINFO`); `write`, `_exit` and `signal` may be called in a
    // handler.
    unsafe {
        if !info.is_null() && (*info).si_code == BUS_ADRERR {
            libc::write(2, MESSAGE.as_ptr().cast(), MESSAGE.len());
            libc::_exit(STATUS);
        }
        libc::signal(SIGBUS, SIG_DFL);
    }
}

/// Turns writing beyond the limit on the size of files into an error; by default a signal ends the process.
///
/// Only programs that own their process should call this.
#[allow(unsafe_code, reason = "signals are the system's")]
pub fn survive_size_limits() {
    #[cfg(unix)]
    // SAFETY: No handler is installed, and no memory is involved.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN)
    };
}

/// Makes the process end with a message if a mapped file is shortened. Returns false if the system refuses.
#[allow(unsafe_code, reason = "signals are the system's")]
#[cfg(unix)]
pub(crate) fn end_on_shortened_files() -> bool {
    // SAFETY: The structure is filled in completely: zeros are an empty mask and no flags. The handler is
    // async-signal-safe.
    unsafe {
        let mut action: sigaction = std::mem::zeroed();
        action.sa_sigaction = ended as extern "C" fn(c_int, *mut siginfo_t, *mut c_void) as usize;
        action.sa_flags = SA_SIGINFO;
        sigaction(SIGBUS, &action, std::ptr::null_mut()) == 0
    }
}
