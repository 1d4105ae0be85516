//! A truncated file is an error or causes a warning about the truncation, unless the rest is a complete file.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use corefeval_core::diagnostic::Code;
use corefeval_core::formats::{FormatSpec, ReadOptions};

use crate::random::Rng;

/// The formats whose complete files can be recognised, with the extensions of their samples and of their texts.
const FORMATS: &[(&str, &str, Option<&str>)] = &[
    ("conll", "conll", None),
    ("corefud", "conllu", None),
    ("conll-ua", "conllua", None),
    ("semeval", "semeval", None),
    ("webanno", "tsv", None),
    ("jsonlines", "jsonlines", None),
    ("json", "json", None),
    ("muc", "sgm", None),
    ("ecb+", "xml", None),
    ("apf", "apf.xml", Some("sgm")),
    ("brat", "ann", Some("txt")),
];

/// The number of cuts of each sample.
const CUTS: usize = 30;

fn samples(format: &str, extension: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/formats").join(format);
    let files = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> = files
        .filter(|path| path.is_file() && path.to_string_lossy().ends_with(&format!(".{extension}")))
        .collect();
    files.sort();
    files
}

/// Returns whether the start of a file is itself a complete file, as far as can be known.
fn is_whole(format: &str, begin: &[u8]) -> bool {
    let text: Vec<u8> = begin.iter().copied().filter(|byte| *byte != b'\r').collect();
    let at_line = text.is_empty() || text.ends_with(b"\n");
    let ends_with = |end: &str| text.trim_ascii_end().ends_with(end.as_bytes());
    match format {
        // An object of JSON, and the root of XML.
        "jsonlines" | "json" => ends_with("}"),
        "apf" => ends_with("</source_file>"),
        "semeval" => String::from_utf8_lossy(&text)
            .lines()
            .next_back()
            .is_some_and(|last| last.starts_with("#end document")),
        "conll" => ends_with("#end document") || ends_with("# end document"),
        // The rest of the first tag is so short that it may be text.
        "muc" => ends_with("</DOC>") || b"<DOC".starts_with(&text),
        // The next sentence may be missing as a whole.
        "webanno" => {
            let last = String::from_utf8_lossy(&text).lines().next_back().unwrap_or_default().to_owned();
            text.ends_with(b"\n\n") || (at_line && last.split('\t').nth(2) == Some("."))
        }
        "corefud" | "conll-ua" => {
            let last = text.trim_ascii_end().rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
            let head = last.starts_with(b"# newdoc") || last.starts_with(b"# global");
            at_line && (head || text.is_empty() || text.ends_with(b"\n\n"))
        }
        _ => at_line && format == "brat",
    }
}

#[test]
fn truncated_files_are_reported() {
    let mut rng = Rng(14);
    let mut silent = Vec::new();
    for &(format, extension, text) in FORMATS {
        let spec = FormatSpec::named(format).unwrap();
        let files = samples(format, extension);
        assert!(!files.is_empty(), "{format}");
        for path in files {
            let bytes = fs::read(&path).unwrap();
            let read = |bytes: &[u8]| {
                let mut reader = spec.reader(Arc::from("x"), ReadOptions::default());
                if let Some(text) = text {
                    let name = path.to_string_lossy().replace(&format!(".{extension}"), &format!(".{text}"));
                    let Ok(text) = fs::read(name) else { return None };
                    reader.companion(Arc::from("x.txt"), &text).ok()?;
                }
                Some(reader.feed(bytes).and_then(|()| reader.finish()))
            };
            if bytes.is_empty() || !matches!(read(&bytes), Some(Ok(_))) {
                continue;
            }
            for _ in 0..CUTS {
                let cut = &bytes[..rng.below(bytes.len() as u64) as usize];
                let Some(Ok(corpus)) = read(cut) else { continue };
                let is_reported = corpus
                    .diagnostics
                    .groups()
                    .iter()
                    .any(|group| matches!(group.code, Code::Truncated | Code::NoEndLine));
                if !is_reported && !is_whole(format, cut) {
                    let end = String::from_utf8_lossy(&cut[cut.len().saturating_sub(60)..]).into_owned();
                    silent.push(format!("{} {}: {end:?}", path.display(), cut.len()));
                }
            }
        }
    }
    assert!(silent.is_empty(), "{}\n{}", silent.len(), silent.join("\n"));
}

#[test]
fn every_format_has_samples_or_ends_anywhere() {
    // A file of one of these formats, cut after a row or a group, is a complete file.
    let without_end = ["table", "links"];
    let all = FormatSpec::of_documents().filter(|format| !format.is_answer()).map(|format| format.id);
    let mut listed: Vec<&str> = FORMATS.iter().map(|row| row.0).chain(without_end).collect();
    let mut all: Vec<&str> = all.collect();
    all.sort_unstable();
    listed.sort_unstable();
    assert_eq!(listed, all);
}
