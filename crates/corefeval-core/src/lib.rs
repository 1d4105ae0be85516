//! The library behind corefeval.

pub mod matching;
