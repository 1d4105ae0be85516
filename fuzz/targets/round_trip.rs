//! Any bytes, read, written in any format and read back: the second writing equals the first, or the third the second
//! where the writer named losses (the word `didn't` is three words to a reader of text).
//!
//! The first byte chooses the format to write, the others are those of `readers`.
#![no_main]

use std::sync::Arc;

use corefeval_core::error::Error;
use corefeval_core::formats::{FORMATS, FormatSpec, ReadOptions, Texts, WriteOptions, Written};
use corefeval_core::model::Corpus;
use corefeval_fuzz::Given;
use libfuzzer_sys::fuzz_target;

/// Reads the output; for several files, the documents of all.
fn read_back(format: &FormatSpec, texts: &Texts) -> Result<Corpus, Error> {
    let options = || ReadOptions { keep_layers: true, ..ReadOptions::default() };
    let files = match texts {
        Texts::Whole(text) => return format.read(text.as_bytes(), "x", options()),
        Texts::Files(files) => files,
    };
    let mut all = Corpus::default();
    let text_of = |stem: &str, extension: &str| {
        let name = format!("{stem}.{extension}");
        files.iter().find(|file| file.0 == name).map_or("", |file| &file.1)
    };
    for (name, text) in files {
        let Some(stem) = name.strip_suffix(&format!(".{}", format.extensions[0])) else { continue };
        let mut reader = format.reader(Arc::from(name.as_str()), options());
        if let Some(companion) = format.companion {
            reader.companion(Arc::from("x.txt"), text_of(stem, companion).as_bytes())?;
        }
        reader.feed(text.as_bytes())?;
        all.documents.extend(reader.finish()?.documents);
    }
    Ok(all)
}

/// What was written, read back and written again. Documents without words or mentions are not always written.
fn written_again(format: &FormatSpec, written: &Written) -> Option<Written> {
    let corpus = read_back(format, &written.texts).ok()?;
    format.write(&corpus, WriteOptions::default()).ok()
}

fuzz_target!(|data: &[u8]| {
    let [target, rest @ ..] = data else { return };
    let Some(given) = Given::new(rest) else { return };
    let Ok(corpus) = given.with_layers().read(usize::MAX) else { return };
    let written: Vec<&FormatSpec> = FORMATS.iter().filter(|format| format.is_written()).collect();
    let format = written[usize::from(*target) % written.len()];
    let Ok(first) = format.write(&corpus, WriteOptions::default()) else { return };
    let Some(second) = written_again(format, &first) else { return };
    if first.diagnostics.is_empty() {
        assert_eq!(second.texts, first.texts, "{} is written the same again", format.id);
    } else if let Some(third) = written_again(format, &second) {
        assert_eq!(third.texts, second.texts, "{} is written the same a third time", format.id);
    }
});
