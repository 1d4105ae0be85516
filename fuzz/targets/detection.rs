//! Any bytes as a file of any kind: compressed or not, with the format detected. Documents, findings and errors are the same
//! with and without a digest.
#![no_main]

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use corefeval_core::error::Error;
use corefeval_core::formats::{FormatSpec, ReadOptions};
use corefeval_core::input::Input;
use corefeval_core::limits::Limits;
use corefeval_core::model::Corpus;
use corefeval_fuzz::described;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let input = Input::Bytes { name: Arc::from("x"), bytes: Arc::from(data) };
    let limits = Limits { memory: Some(2 << 30), ..Limits::default() };
    let mut options = ReadOptions::default();
    options.limits = limits;
    let first = input.read(None, &options, &AtomicU64::new(0));
    let digested = input.read_with_digest(None, &options, &AtomicU64::new(0));
    let read = |result: Result<(Corpus, &FormatSpec), Error>| {
        let (corpus, format) =
            result.map_or_else(|error| (Err(error), None), |(corpus, format)| (Ok(corpus), Some(format.id)));
        (format, described(&corpus))
    };
    assert_eq!(read(first), read(digested.map(|found| (found.corpus, found.format))));
});
