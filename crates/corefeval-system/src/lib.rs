//! What corefeval needs `unsafe` code for, and the only crate that has any: mapped files, signals, and the wide
//! registers of newer processors. All other crates forbid it, except for the one line with which the command allows
//! mapping.
//!
//! | module | why it is worth it |
//! |---|---|
//! | [`mapped`] | a file that is mapped is not copied first: a ninth of the processor's time |
//! | [`registers`] | lines are found 32 bytes at a time: a twentieth of the processor's time on CoNLL, an eighth on CorefUD |
//! | [`signal`] | a mapped file that is shortened, and a limit on the size of files, end with a message and a status |

pub mod mapped;
pub mod registers;
pub mod signal;
