//! The process of the command; see the library of the same name.

use std::process::ExitCode;

fn main() -> ExitCode {
    corefeval_core::input::allow_mapping();
    corefeval_core::input::survive_size_limits();
    ExitCode::from(corefeval::run_command(std::env::args_os()))
}
