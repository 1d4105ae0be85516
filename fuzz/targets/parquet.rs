//! Any bytes as a table in Parquet: rows or an error, never a panic that escapes the reader. A table that can be read
//! page by page and row by row has the same rows in both ways.
#![no_main]

use std::sync::Once;

use corefeval_core::formats::read_in_both_ways;
use libfuzzer_sys::fuzz_target;

/// The reader catches panics of the crate that it uses; libFuzzer would end the process before it can.
static UNHOOKED: Once = Once::new();

fuzz_target!(|data: &[u8]| {
    UNHOOKED.call_once(|| std::panic::set_hook(Box::new(|_| {})));
    let bytes = if data.starts_with(b"PAR1") { data.to_vec() } else { [b"PAR1", data].concat() };
    // Some damaged tables can be read in one way only.
    if let (Some(by_page), Ok(by_row)) = read_in_both_ways(&bytes)
        && by_page != by_row
    {
        // The hook of panics is silent.
        eprintln!("by page: {by_page:?}\nby row: {by_row:?}");
        std::process::abort();
    }
});
