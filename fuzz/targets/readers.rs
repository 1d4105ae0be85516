//! Any bytes in any format: a reader answers with documents or an error, the same however the bytes are cut into blocks
//! of lines; and what is written of the documents reads back to what is written the same.
//!
//! The first byte chooses the format, the second what the format leaves open.
#![no_main]

use std::sync::Arc;

use corefeval_core::error::Error;
use corefeval_core::formats::{FORMATS, FormatSpec, ReadOptions, Side, Texts, WriteOptions};
use corefeval_core::model::{Annotation, Corpus, SpanEnd};
use libfuzzer_sys::fuzz_target;

const TEXT: &str = "Ada had a boat.\nShe was on its brid\u{e9}ge, and the c\u{fe0f}rew: on 彼女の shore\r\n\r\nIt sank.\n";

fn options(flags: u8) -> ReadOptions {
    let mut options = ReadOptions { keep_layers: flags & 1 != 0, boundary_crossing: flags & 2 != 0, ..ReadOptions::default() };
    if flags & 4 != 0 {
        options.side = Side::Response;
    }
    if flags & 8 != 0 {
        options.span_end = SpanEnd::Exclusive;
    }
    if flags & 16 != 0 {
        options.annotation = Annotation::DiscourseDeixis;
    }
    options
}

fn read(format: &FormatSpec, bytes: &[u8], flags: u8, every: usize) -> Result<Corpus, Error> {
    let mut reader = format.reader(Arc::from("x"), options(flags));
    if format.companion.is_some() {
        reader.companion(Arc::from("x.txt"), TEXT.as_bytes())?;
    }
    let mut start = 0;
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(place, _)| place + 1);
    for end in ends.skip(every - 1).step_by(every) {
        reader.feed(&bytes[start..end])?;
        start = end;
    }
    reader.feed(&bytes[start..])?;
    reader.finish()
}

/// What a reading found, in short.
fn told(result: &Result<Corpus, Error>) -> String {
    match result {
        Err(error) => error.to_string(),
        Ok(corpus) => {
            let of = |document: &corefeval_core::model::Document| {
                format!("{} {} {:?}", document.id(), document.words().count(), document.mentions())
            };
            format!("{:?} {:?}", corpus.documents.iter().map(of).collect::<Vec<_>>(), corpus.diagnostics)
        }
    }
}

fn written(format: &FormatSpec, corpus: &Corpus) -> Option<String> {
    match format.write(corpus, WriteOptions::default()).ok()?.texts {
        Texts::Whole(text) => Some(text),
        Texts::Files(_) => None,
    }
}

fuzz_target!(|data: &[u8]| {
    let [format, flags, bytes @ ..] = data else { return };
    let format = &FORMATS[usize::from(*format) % FORMATS.len()];
    let whole = read(format, bytes, *flags, usize::MAX);
    assert_eq!(told(&read(format, bytes, *flags, 1)), told(&whole), "line by line");
    let Ok(corpus) = whole else { return };
    if !options(*flags).keep_layers {
        return;
    }
    for format in FORMATS.iter().filter(|format| format.is_written() && format.companion.is_none()) {
        let Some(text) = written(format, &corpus) else { continue };
        let again = format.read(text.as_bytes(), "x", ReadOptions { keep_layers: true, ..ReadOptions::default() });
        // Documents without words or mentions are not always written.
        let Ok(again) = again else { continue };
        if let Some(twice) = written(format, &again) {
            assert_eq!(twice, text, "{} is written the same again", format.id);
        }
    }
});
