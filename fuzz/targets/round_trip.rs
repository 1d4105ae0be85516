//! Any bytes, read and written in any format: the documents can be written and read again without a change, if the
//! writer reports no losses. The order of marks around the same words may change.
//!
//! The first byte chooses the format to write, the others are as in `readers`.
#![no_main]

use std::sync::Arc;

use corefeval_core::error::Error;
use corefeval_core::formats::{FORMATS, FormatSpec, ReadOptions, WriteOptions, WrittenTexts};
use corefeval_core::model::{Corpus, Document, Span};
use corefeval_fuzz::Given;
use libfuzzer_sys::fuzz_target;

/// Reads the output; for several files, the documents of all.
fn read_back(format: &FormatSpec, texts: &WrittenTexts) -> Result<Corpus, Error> {
    let options = || ReadOptions::with_layers();
    let files = match texts {
        WrittenTexts::Whole(text) => return format.read(text.as_bytes(), "x", options()),
        WrittenTexts::Files(files) => files,
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

/// A mention, as the first and last places of its parts.
type Parts = Vec<(u32, u32)>;

/// The words and the entities of each document.
fn content(corpus: &Corpus) -> Vec<(Vec<String>, Vec<Vec<Parts>>)> {
    let place = |span: &Span| (span.start(), span.end());
    let of_document = |document: &Document| {
        let words = document.words().layers().map(|layers| layers.form.iter().map(str::to_owned).collect());
        let mut entities: Vec<Vec<Parts>> = vec![Vec::new(); document.entities().len()];
        for mention in document.mentions() {
            entities[mention.entity().index()].push(mention.parts().iter().map(place).collect());
        }
        entities.iter_mut().for_each(|mentions| mentions.sort());
        entities.sort();
        (words.unwrap_or_default(), entities)
    };
    corpus.documents.iter().map(of_document).collect()
}

fuzz_target!(|data: &[u8]| {
    let [target, rest @ ..] = data else { return };
    let Some(given) = Given::new(rest) else { return };
    let Ok(corpus) = given.with_layers().read(usize::MAX) else { return };
    let written: Vec<&FormatSpec> = FORMATS.iter().filter(|format| format.is_written()).collect();
    let format = written[usize::from(*target) % written.len()];
    let Ok(first) = format.write(&corpus, WriteOptions::default()) else { return };
    // Documents without words or mentions are not always written.
    let Ok(again) = read_back(format, &first.texts) else { return };
    let Ok(second) = format.write(&again, WriteOptions::default()) else { return };
    if second.texts == first.texts || !second.diagnostics.is_empty() {
        return;
    }
    let third = read_back(format, &second.texts).expect("what was written without a loss is read");
    assert_eq!(
        content(&third),
        content(&again),
        "{} changes {:?} to {:?}",
        format.id,
        first.texts,
        second.texts
    );
});
