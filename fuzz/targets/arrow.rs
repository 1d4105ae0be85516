//! Any bytes as a table in Arrow, a file or a stream: rows or an error, never a panic that escapes the reader.
#![no_main]

use std::sync::Once;

use corefeval_core::formats::{FormatSpec, ReadOptions};
use libfuzzer_sys::fuzz_target;

/// The reader catches panics of the crate that it uses; libFuzzer would end the process before it can.
static UNHOOKED: Once = Once::new();

fuzz_target!(|data: &[u8]| {
    UNHOOKED.call_once(|| std::panic::set_hook(Box::new(|_| {})));
    let format = FormatSpec::named("table").expect("a format");
    let is_arrow = data.starts_with(b"ARROW1") || data.starts_with(&[0xFF; 4]);
    let bytes = if is_arrow { data.to_vec() } else { [&[0xFF; 4], data].concat() };
    let _ = format.read(&bytes, "x.arrow", ReadOptions::default());
});
