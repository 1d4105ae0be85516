//! Compressed input: compressed text reads as before, and a damaged file reads as before or is an error.
#![no_main]

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use arbitrary::Arbitrary;
use corefeval_core::error::Error;
use corefeval_core::formats::{FormatSpec, ReadOptions};
use corefeval_core::input::{Input, Limits};
use corefeval_core::model::Corpus;
use corefeval_fuzz::described;
use flate2::Compression;
use flate2::write::GzEncoder;
use libfuzzer_sys::fuzz_target;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

#[derive(Arbitrary, Debug)]
enum Case<'d> {
    /// Bytes that only start like a compressed file.
    Raw { zstandard: bool, bytes: &'d [u8] },
    /// A compressed file of one document, and a bit to change.
    Made { zstandard: bool, place: u16, bit: u8, words: &'d [u8] },
    /// A compressed file that was cut short.
    Cut { zstandard: bool, length: u16, words: &'d [u8] },
}

fn read(bytes: Vec<u8>) -> Result<Corpus, Error> {
    let input = Input::Bytes { name: Arc::from("x"), bytes: Arc::from(bytes) };
    let mut options = ReadOptions::default();
    options.limits = Limits { memory: Some(0), ..Limits::default() };
    let format = FormatSpec::named("conll").expect("a format");
    input.read(Some(format), &options, &AtomicU64::new(0)).map(|read| read.0)
}

fn compressed(zstandard: bool, text: &[u8]) -> Vec<u8> {
    if zstandard {
        return compress_to_vec(text, CompressionLevel::Fastest);
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(1));
    encoder.write_all(text).and_then(|()| encoder.finish()).expect("writing to memory succeeds")
}

/// A document with a mention for each byte.
fn document(words: &[u8]) -> Vec<u8> {
    let mut text = b"#begin document (x); part 000\n".to_vec();
    for word in words {
        writeln!(text, "w{word}\t({})", word % 8).expect("writing to memory succeeds");
    }
    text.extend_from_slice(b"#end document\n");
    text
}

fuzz_target!(|case: Case<'_>| {
    let (words, mut bytes, zstandard) = match case {
        Case::Raw { zstandard, bytes } => {
            let magic: &[u8] = if zstandard { b"\x28\xb5\x2f\xfd" } else { b"\x1f\x8b\x08" };
            let _ = read([magic, bytes].concat());
            return;
        }
        Case::Made { zstandard, words, .. } | Case::Cut { zstandard, words, .. } => {
            (document(words), compressed(zstandard, &document(words)), zstandard)
        }
    };
    let plain = read(words);
    assert_eq!(described(&read(bytes.clone())), described(&plain), "unchanged");
    // Without its first four bytes it is not a compressed file.
    match case {
        Case::Made { place, bit, .. } => {
            // Without its first bytes it is not a compressed file.
            let place = 4 + usize::from(place) % (bytes.len() - 4);
            bytes[place] ^= 1 << (bit % 8);
        }
        Case::Cut { length, .. } => bytes.truncate(4 + usize::from(length) % (bytes.len() - 4)),
        Case::Raw { .. } => {}
    }
    if let Ok(corpus) = read(bytes) {
        assert_eq!(described(&Ok(corpus)), described(&plain), "damaged, zstandard: {zstandard}");
    }
});
