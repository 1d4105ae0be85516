//! Walks the samples in `testdata/formats`: what each file holds, or how it is refused. The messages
//! for broken files stand together in `messages.txt` beside them; `COREFEVAL_BLESS=1` writes them anew.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

use corefeval_core::diagnostic::Severity;
use corefeval_core::error::Error;
use corefeval_core::formats::{FORMATS, FormatSpec, ReadOptions, Side, SpanEnd};
use corefeval_core::input::Input;
use corefeval_core::model::{Column, Corpus, Document, Mention};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    file: String,
    why: String,
    #[serde(default)]
    documents: Vec<Expected>,
    #[serde(default)]
    warnings: u64,
    #[serde(default)]
    role: String,
    #[serde(default)]
    span_end: String,
    #[serde(default)]
    line: u32,
    #[serde(default)]
    column: u32,
    #[serde(default)]
    says: String,
    #[serde(default)]
    strict: bool,
    #[serde(default, rename = "where")]
    place: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    id: String,
    part: Option<u32>,
    #[serde(default)]
    words: Option<u32>,
    #[serde(default)]
    entities: BTreeMap<String, Vec<[u32; 2]>>,
    classes: Option<Vec<Vec<String>>>,
    tokens: Option<Vec<String>>,
    pos: Option<Vec<String>>,
    parse: Option<String>,
    speakers: Option<Vec<String>>,
    names: Option<Vec<(u32, u32, String)>>,
    heads: Option<Vec<(u32, u32, Option<u32>)>>,
}

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/formats")
}

fn cases(folder: &Path) -> Vec<Case> {
    let text = fs::read_to_string(folder.join("cases.json")).expect("every folder has its cases");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
}

fn read(folder: &Path, format: &'static FormatSpec, case: &Case) -> Result<Corpus, Error> {
    let options = ReadOptions {
        keep_layers: true,
        side: if case.role == "response" { Side::Response } else { Side::Key },
        span_end: if case.span_end == "exclusive" { SpanEnd::Exclusive } else { SpanEnd::Inclusive },
        default_id: String::new(),
    };
    Input::Path(folder.join(&case.file))
        .read(Some(format), &options, &AtomicU64::new(0))
        .map(|loaded| loaded.0)
}

/// The mentions of each entity, by name, in the order of the samples.
fn entities(document: &Document) -> BTreeMap<String, Vec<[u32; 2]>> {
    let mut entities: BTreeMap<String, Vec<[u32; 2]>> = BTreeMap::new();
    for mention in document.mentions() {
        let name = document.entity_name(mention.entity()).to_owned();
        entities.entry(name).or_default().push([mention.span().start(), mention.span().last()]);
    }
    for mentions in entities.values_mut() {
        mentions.sort_by_key(|&[start, last]| (start, u32::MAX - last));
    }
    entities
}

fn strings(column: &Column) -> Vec<String> {
    column.iter().map(str::to_owned).collect()
}

/// First word, last word and head of each mention, in the order of the file.
fn heads(document: &Document) -> Vec<(u32, u32, Option<u32>)> {
    let head = |mention: &Mention| mention.details().and_then(|details| details.head);
    document.mentions().iter().map(|m| (m.span().start(), m.span().last(), head(m))).collect()
}

/// Entities as lists of names, for formats without a text.
fn classes(document: &Document) -> Vec<Vec<String>> {
    let names = strings(&document.words().layers().expect("names are kept").form);
    let mut classes = vec![Vec::new(); document.entities().len()];
    for mention in document.mentions() {
        classes[mention.entity().index()].push(names[mention.span().start() as usize].clone());
    }
    classes
}

/// Named entities from brackets such as `(PERSON*`, `*)` and `(GPE)`.
fn names(column: &Column) -> Vec<(u32, u32, String)> {
    let mut names = Vec::new();
    let mut open: Vec<(u32, String)> = Vec::new();
    for (word, cell) in (0..).zip(column.iter()) {
        if let Some(label) = cell.strip_prefix('(') {
            open.push((word, label.trim_end_matches([')', '*']).to_owned()));
        }
        if cell.ends_with(')') {
            let (start, label) = open.pop().expect("names are balanced");
            names.push((start, word, label));
        }
    }
    names
}

fn compare(case: &Case, corpus: &Corpus, wrong: &mut Vec<String>) {
    let mut expect = |what: String, found: String, wanted: String| {
        if found != wanted {
            wrong.push(format!("{}: {what}: found {found}, wanted {wanted} ({})", case.file, case.why));
        }
    };
    expect("documents".to_owned(), corpus.documents.len().to_string(), case.documents.len().to_string());
    for (document, wanted) in corpus.documents.iter().zip(&case.documents) {
        let id = (document.id().name().to_owned(), document.id().part());
        expect("id".to_owned(), format!("{id:?}"), format!("{:?}", (wanted.id.clone(), wanted.part)));
        if let Some(wanted) = &wanted.classes {
            expect("classes".to_owned(), format!("{:?}", classes(document)), format!("{wanted:?}"));
            continue;
        }
        if let Some(words) = wanted.words {
            expect("words".to_owned(), document.words().count().to_string(), words.to_string());
        }
        expect("entities".to_owned(), format!("{:?}", entities(document)), format!("{:?}", wanted.entities));
        if let Some(wanted) = &wanted.heads {
            expect("heads".to_owned(), format!("{:?}", heads(document)), format!("{wanted:?}"));
        }
        let Some(layers) = document.words().layers() else { continue };
        let columns = [
            (&layers.form, &wanted.tokens),
            (&layers.part_of_speech, &wanted.pos),
            (&layers.speaker, &wanted.speakers),
        ];
        for (found, wanted) in columns {
            if let Some(wanted) = wanted {
                expect("column".to_owned(), format!("{:?}", strings(found)), format!("{wanted:?}"));
            }
        }
        if let Some(parse) = &wanted.parse {
            expect("parse".to_owned(), layers.parse.iter().collect(), parse.clone());
        }
        if let Some(wanted) = &wanted.names {
            expect("names".to_owned(), format!("{:?}", names(&layers.named_entity)), format!("{wanted:?}"));
        }
    }
}

fn warnings(corpus: &Corpus) -> Vec<String> {
    let groups =
        corpus.diagnostics.groups().iter().filter(|group| group.code.severity() == Severity::Warning);
    groups
        .flat_map(|group| &group.kept)
        .map(|kept| {
            let place = kept.position.as_ref().map(ToString::to_string).unwrap_or_default();
            format!("warning: {place}: {} [{}]", kept.message, kept.code.id())
        })
        .collect()
}

#[test]
fn valid_samples_are_read_as_worked_out_by_hand() {
    let mut wrong = Vec::new();
    for format in FORMATS {
        let folder = samples().join(format.id);
        for case in cases(&folder) {
            match read(&folder, format, &case) {
                Ok(corpus) => {
                    compare(&case, &corpus, &mut wrong);
                    let found = warnings(&corpus);
                    if corpus.diagnostics.warnings() != case.warnings {
                        wrong.push(format!(
                            "{}: {} warnings, wanted {}: {found:#?}",
                            case.file,
                            found.len(),
                            case.warnings
                        ));
                    }
                }
                Err(error) => wrong.push(format!("{}: {error}", case.file)),
            }
        }
    }
    assert!(wrong.is_empty(), "{} faults\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_format_of_a_sample_is_told_from_its_first_bytes() {
    let mut wrong = Vec::new();
    for format in FORMATS {
        let folder = samples().join(format.id);
        for case in cases(&folder) {
            let input = Input::Path(folder.join(&case.file));
            let span_end = if case.span_end == "exclusive" { SpanEnd::Exclusive } else { SpanEnd::Inclusive };
            let options = ReadOptions { span_end, ..ReadOptions::default() };
            match input.read(None, &options, &AtomicU64::new(0)) {
                Ok((_, found)) if found.id == format.id => {}
                Ok((_, found)) => wrong.push(format!("{}: read as {}", case.file, found.id)),
                Err(error) => wrong.push(format!("{}: {error}", case.file)),
            }
        }
    }
    assert!(wrong.is_empty(), "{} faults\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn broken_samples_are_refused_or_warned_of_where_they_are_broken() {
    let mut wrong = Vec::new();
    for format in FORMATS {
        let folder = samples().join(format!("{}-broken", format.id));
        let mut messages = String::new();
        for case in cases(&folder) {
            let shorten = |text: String| text.replace(&folder.display().to_string(), "").replace(['\\'], "/");
            let (said, places) = match read(&folder, format, &case) {
                Err(error) => {
                    (shorten(format!("error: {error}")), error.position().map(|p| vec![(p.line, p.column)]))
                }
                Ok(corpus) => {
                    let warned = corpus.diagnostics.groups().iter().flat_map(|group| &group.kept);
                    let warned = warned.filter(|kept| kept.code.severity() == Severity::Warning);
                    let places = warned
                        .filter_map(|kept| kept.position.as_ref().map(|p| (p.line, p.column)))
                        .collect();
                    if !case.strict || corpus.diagnostics.warnings() == 0 {
                        wrong.push(format!(
                            "{}: read without a complaint that --strict would refuse ({})",
                            case.file, case.why
                        ));
                    }
                    compare(&case, &corpus, &mut wrong);
                    (shorten(warnings(&corpus).join("\n")), Some(places))
                }
            };
            let places = places.unwrap_or_default();
            messages.push_str(&format!("== {}: {}\n{said}\n\n", case.file, case.why));
            if !said.to_lowercase().contains(&case.says.to_lowercase()) {
                wrong.push(format!("{}: wanted {:?} in: {said}", case.file, case.says));
            }
            let fits = |place: &(u32, u32)| place.0 == case.line && (place.1 == 0 || place.1 == case.column);
            if case.place != "file" && !places.iter().any(fits) {
                wrong.push(format!(
                    "{}: at {places:?}, wanted {:?}: {said}",
                    case.file,
                    (case.line, case.column)
                ));
            }
        }
        let golden = folder.join("messages.txt");
        if std::env::var_os("COREFEVAL_BLESS").is_some() {
            fs::write(&golden, &messages).expect("the messages can be written");
        }
        if fs::read_to_string(&golden).unwrap_or_default() != messages {
            wrong.push(format!(
                "{}: the messages differ; COREFEVAL_BLESS=1 writes them anew",
                golden.display()
            ));
        }
    }
    assert!(wrong.is_empty(), "{} faults\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_sample_is_listed_and_every_listed_sample_is_there() {
    for format in FORMATS {
        for name in [format.id.to_owned(), format!("{}-broken", format.id)] {
            let folder = samples().join(&name);
            let mut listed: Vec<String> = cases(&folder).into_iter().map(|case| case.file).collect();
            listed.extend(["cases.json".to_owned(), "messages.txt".to_owned()]);
            listed.sort();
            listed.dedup();
            let entries = fs::read_dir(&folder).expect("the folder is there");
            let mut found: Vec<String> = entries
                .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
                .collect();
            if !name.ends_with("-broken") {
                listed.retain(|file| file != "messages.txt");
            }
            found.sort();
            assert_eq!(found, listed, "{name}");
        }
    }
}
