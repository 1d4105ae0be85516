//! Any bytes as a table in Parquet: rows or an error, never a panic that escapes the reader.
#![no_main]

use std::sync::Once;

use corefeval_core::formats::{FormatSpec, ReadOptions};
use libfuzzer_sys::fuzz_target;

/// The reader catches panics of the crate that it uses; libFuzzer would end the process before it can.
static UNHOOKED: Once = Once::new();

fuzz_target!(|data: &[u8]| {
    UNHOOKED.call_once(|| std::panic::set_hook(Box::new(|_| {})));
    let format = FormatSpec::named("table").expect("a format");
    let bytes = if data.starts_with(b"PAR1") { data.to_vec() } else { [b"PAR1", data].concat() };
    let _ = format.read(&bytes, "x.parquet", ReadOptions::default());
});
