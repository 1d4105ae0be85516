//! Switches on one mutant of a build that has them all.
//!
//! `COREFEVAL_MUTANT` is the number of the mutant. `COREFEVAL_MUTANTS_REACHED` is the path of a file, to which the number of each
//! mutant is appended when its place is first reached.

use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// More mutants than any list has.
const MOST: usize = 1 << 14;

const UNKNOWN: usize = usize::MAX;
const NONE: usize = usize::MAX - 1;
const TRACED: usize = usize::MAX - 2;

static ACTIVE: AtomicUsize = AtomicUsize::new(UNKNOWN);

/// Returns whether a mutant is switched on.
#[inline]
pub(crate) fn is(number: usize) -> bool {
    let active = ACTIVE.load(Ordering::Relaxed);
    if active < TRACED { active == number } else { active != NONE && looked_up(number) }
}

#[cold]
fn looked_up(number: usize) -> bool {
    static REACHED: [AtomicBool; MOST] = [const { AtomicBool::new(false) }; MOST];
    static FILE: OnceLock<Option<std::fs::File>> = OnceLock::new();
    let file = FILE.get_or_init(|| {
        let path = std::env::var_os("COREFEVAL_MUTANTS_REACHED")?;
        std::fs::OpenOptions::new().create(true).append(true).open(path).ok()
    });
    match file {
        Some(file) => {
            let mut file = file;
            ACTIVE.store(TRACED, Ordering::Relaxed);
            if !REACHED[number].swap(true, Ordering::Relaxed) {
                let _ = file.write_all(format!("{number}\n").as_bytes());
            }
            false
        }
        None => {
            let active = std::env::var("COREFEVAL_MUTANT").ok().and_then(|number| number.parse().ok());
            ACTIVE.store(active.unwrap_or(NONE), Ordering::Relaxed);
            active == Some(number)
        }
    }
}
