//! All integration tests of the crate, in one program: linking a program takes longer than compiling a module.

mod agree;
mod answers;
mod bad_inputs;
mod board;
mod bounds;
mod cli;
mod codes;
mod common;
mod compare;
mod cone;
mod correlate;
mod counts;
mod determinism;
mod documentation;
mod errors;
mod explain;
mod incomplete;
mod inputs;
mod library;
mod python;
mod report;
mod schema;
mod signature;
mod span_ends;
mod terminal;
mod validate;
