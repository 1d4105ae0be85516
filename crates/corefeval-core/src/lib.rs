//! The library behind corefeval.
