//! Any bytes as a file of any kind: compressed or not, with the format detected.
#![no_main]

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use corefeval_core::formats::ReadOptions;
use corefeval_core::input::Input;
use corefeval_core::limits::Limits;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let input = Input::Bytes { name: Arc::from("x"), bytes: Arc::from(data) };
    let limits = Limits { memory: Some(2 << 30), ..Limits::default() };
    let options = ReadOptions { limits, ..ReadOptions::default() };
    let first = input.read(None, &options, &AtomicU64::new(0));
    let digested = input.read_with_digest(None, &options, &AtomicU64::new(0));
    assert_eq!(first.is_ok(), digested.is_ok());
    if let (Ok((corpus, format)), Ok(digested)) = (first, digested) {
        assert_eq!(
            (format.id, corpus.documents.len()),
            (digested.format.id, digested.corpus.documents.len())
        );
    }
});
