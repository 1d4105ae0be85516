//! The process of the command; see the library of the same name.

use std::process::ExitCode;

#[allow(unsafe_code, reason = "only a program that owns its process may decide to map files")]
fn main() -> ExitCode {
    // SAFETY: The process belongs to the command and may be ended. It does not write to files that it reads.
    unsafe { corefeval_core::input::allow_mapping() };
    corefeval_core::input::survive_size_limits();
    ExitCode::from(corefeval::run_command(std::env::args_os()))
}
