//! The command `corefeval`.
fn main() {}
