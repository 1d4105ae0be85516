//! The process of the command; see the library of the same name.

use std::process::ExitCode;

#[allow(unsafe_code, reason = "mapped files, which only a program may decide on that owns its process")]
fn main() -> ExitCode {
    // SAFETY: The process is the command's own and may be ended. It writes no file that it reads.
    unsafe { corefeval_core::input::allow_mapping() };
    corefeval_core::input::survive_size_limits();
    ExitCode::from(corefeval::run_command(std::env::args_os()))
}
