//! The `unsafe` code of corefeval, which no other crate contains: mapped files, signals, and the wide
//! registers of newer processors. All other crates forbid it, except for the one line with which the command allows
//! mapping.
//!
//! | module | benefit |
//! |---|---|
//! | [`mapped`] | a mapped file is not copied first, which saves a ninth of the processor's time |
//! | [`registers`] | lines are found 32 bytes at a time: a twentieth of the processor's time on CoNLL, an eighth on CorefUD |
//! | [`signal`] | a mapped file that is shortened, and a limit on the size of files, end with a message and a status |

pub mod mapped;
pub mod registers;
pub mod signal;
