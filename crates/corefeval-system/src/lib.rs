//! The `unsafe` code of corefeval: mapped files, large tables, signals, the wide registers of newer processors, short
//! texts, and peak memory. The other crates forbid `unsafe`, except for one line in which the command allows mapping.
//!
//! | module | benefit |
//! |---|---|
//! | [`mapped`] | a mapped file is not copied first, which saves a ninth of the processor's time |
//! | [`memory`] | large tables use large pages, and are prefetched |
//! | [`registers`] | lines are found 32 bytes at a time: a twentieth of the processor's time on CoNLL, an eighth on CorefUD |
//! | [`short`] | words of a text are checked to be UTF-8 in a fifth of the instructions |
//! | [`usage`] | the limit on memory is checked without opening files of the system, an eightieth of the time on CoNLL |
//! | [`signal`] | a mapped file that is shortened, and a limit on the size of files, end with a message and a status |

pub mod mapped;
pub mod memory;
pub mod registers;
pub mod short;
pub mod signal;
pub mod usage;
