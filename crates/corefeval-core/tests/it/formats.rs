//! Reads the samples in `testdata/formats`, and checks the contents of each file or its errors. The messages for broken
//! files are in `messages.txt` next to them; `COREFEVAL_BLESS=1` updates them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

use corefeval_core::diagnostic::{Code, Severity};
use corefeval_core::error::Error;
use corefeval_core::formats::{FormatSpec, ReadOptions};
use corefeval_core::input::Input;
use corefeval_core::model::{
    Annotation, Corpus, Document, EntityId, Mention, MentionDetails, Relations, Side, Span, SpanEnd,
    TextColumn,
};
use serde::Deserialize;

/// A sample and its expectations.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub file: String,
    pub why: String,
    #[serde(default)]
    documents: Vec<Expected>,
    #[serde(default)]
    pub warnings: u64,
    #[serde(default)]
    pub role: String,
    #[serde(default)]
    pub span_end: String,
    #[serde(default)]
    pub boundary_crossing: bool,
    #[serde(default)]
    pub annotation: String,
    #[serde(default)]
    pub line: u32,
    #[serde(default)]
    pub column: u32,
    #[serde(default)]
    pub says: String,
    #[serde(default)]
    pub strict: bool,
    #[serde(default, rename = "where")]
    pub place: String,
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
    genre: Option<String>,
    mentions: Option<Vec<String>>,
    depends: Option<Vec<String>>,
    relations: Option<Vec<String>>,
    /// The first words of the sentences.
    sentences: Option<Vec<u32>>,
    topic: Option<String>,
    parts: Option<Vec<Vec<[u32; 2]>>>,
    min_spans: Option<Vec<AtSpan<[u32; 2]>>>,
    attributes: Option<Vec<AtSpan<(String, String)>>>,
    empty_nodes: Option<Vec<u32>>,
    non_referring: Option<BTreeMap<String, Vec<[u32; 2]>>>,
    split_antecedents: Option<BTreeMap<String, Vec<String>>>,
    bridges: Option<Vec<ExpectedBridge>>,
    heads: Option<Vec<(u32, u32, Option<u32>)>>,
    /// The links by the places of their mentions, `1-0, 3-2`, or `unknown`.
    links: Option<String>,
}

/// The annotation of the mention with these ends.
type AtSpan<T> = ([u32; 2], Vec<T>);

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedBridge {
    anaphor: Vec<[u32; 2]>,
    antecedent: Option<Vec<[u32; 2]>>,
    entity: Option<String>,
    relation: String,
}

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/formats")
}

fn cases(folder: &Path) -> Vec<Case> {
    let text = fs::read_to_string(folder.join("cases.json")).expect("every folder has its cases");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
}

fn options(case: &Case) -> ReadOptions {
    let mut options = ReadOptions::with_layers();
    if case.role == "response" {
        options.side = Side::Response;
    }
    if case.span_end == "exclusive" {
        options.span_end = SpanEnd::Exclusive;
    }
    if case.annotation == "discourse-deixis" {
        options.annotation = Annotation::DiscourseDeixis;
    }
    options.boundary_crossing = case.boundary_crossing;
    options
}

fn read(folder: &Path, format: &'static FormatSpec, case: &Case) -> Result<Corpus, Error> {
    let options = options(case);
    Input::Path(folder.join(&case.file))
        .read(Some(format), &options, &AtomicU64::new(0))
        .map(|loaded| loaded.0)
}

fn ends(span: Span) -> [u32; 2] {
    [span.start(), span.last()]
}

fn runs(spans: &[Span]) -> Vec<[u32; 2]> {
    spans.iter().copied().map(ends).collect()
}

/// Returns the mentions of each entity, by name, in the order of the samples.
fn entities(document: &Document, mentions: &[Mention]) -> BTreeMap<String, Vec<[u32; 2]>> {
    let mut entities: BTreeMap<String, Vec<[u32; 2]>> = BTreeMap::new();
    for mention in mentions {
        let name = document.entity_name(mention.entity()).to_owned();
        entities.entry(name).or_default().push(ends(mention.span()));
    }
    for mentions in entities.values_mut() {
        mentions.sort_by_key(|&[start, last]| (start, u32::MAX - last));
    }
    entities
}

fn strings(column: &TextColumn) -> Vec<String> {
    column.iter().map(str::to_owned).collect()
}

/// Returns first word, last word and head of each mention, in the order of the file.
fn heads(document: &Document) -> Vec<(u32, u32, Option<u32>)> {
    let head = |mention: &Mention| mention.head();
    document.mentions().iter().map(|m| (m.span().start(), m.span().last(), head(m))).collect()
}

/// Returns entities as lists of names, for formats without a text.
fn classes(document: &Document) -> Vec<Vec<String>> {
    let names = strings(&document.words().layers().expect("names are kept").form);
    let mut classes = vec![Vec::new(); document.entities().len()];
    for mention in document.mentions() {
        classes[mention.entity().index()].push(names[mention.span().start() as usize].clone());
    }
    classes
}

/// Writes runs of words as `0-1,3`.
fn runs_text(spans: &[Span]) -> String {
    let run = |span: &Span| match span.len() {
        1 => span.start().to_string(),
        _ => format!("{}-{}", span.start(), span.last()),
    };
    spans.iter().map(run).collect::<Vec<_>>().join(",")
}

/// Describes a mention with all its annotation: entity, words, head, minimum span, attributes.
fn described(document: &Document, mention: &Mention) -> String {
    let mut text = format!("{} {}", document.entity_name(mention.entity()), runs_text(mention.parts()));
    if let Some(head) = mention.head() {
        text.push_str(&format!(" head {head}"));
    }
    let Some(details) = mention.details() else { return text };
    if !details.min_span.is_empty() {
        text.push_str(&format!(" min {}", runs_text(&details.min_span)));
    }
    for (name, value) in &details.attributes {
        text.push_str(&format!(" {name}={value}"));
    }
    text
}

/// Describes empty nodes with their heads.
fn dependencies(document: &Document) -> Vec<String> {
    let words = document.words();
    let nodes = words.empty_nodes().iter().zip(words.empty_node_numbers());
    let described = nodes.map(|(&word, number)| {
        let dependencies: Vec<String> = words
            .dependencies(word)
            .iter()
            .map(|d| format!("{} {}", d.parent.map_or("root".to_owned(), |p| p.to_string()), d.relation))
            .collect();
        match dependencies.is_empty() {
            true => format!("{word} number {number}"),
            false => format!("{word} number {number} depends on {}", dependencies.join(", ")),
        }
    });
    described.collect()
}

/// Describes the annotation of the document beyond identity.
fn relations(document: &Document) -> Vec<String> {
    let Some(relations) = document.relations() else { return Vec::new() };
    let name = |entity: EntityId| document.entity_name(entity).to_owned();
    let mut all = Vec::new();
    for split in &relations.split_antecedents {
        let parts: Vec<String> = split.parts.iter().map(|&part| name(part)).collect();
        all.push(format!("{} is the sum of {}", name(split.entity), parts.join(", ")));
    }
    for bridge in &relations.bridges {
        let mut text = format!("{} by way of ", runs_text(&bridge.anaphor));
        let antecedent = bridge.antecedent.as_deref().map(runs_text);
        let both = antecedent.into_iter().chain(bridge.entity.map(name));
        text.push_str(&both.collect::<Vec<_>>().join(" of "));
        all.push(format!("{text} ({})", bridge.relation));
    }
    for mention in &relations.non_referring {
        all.push(format!("{} refers to nothing", described(document, mention)));
    }
    all
}

/// Returns named entities from brackets such as `(PERSON*`, `*)` and `(GPE)`.
fn names(column: &TextColumn) -> Vec<(u32, u32, String)> {
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

/// Returns the details of mentions, in the order of the samples; mentions without details are left out.
fn details<T>(
    document: &Document,
    of: impl Fn(&MentionDetails) -> Vec<T>,
) -> impl Iterator<Item = AtSpan<T>> {
    let mut mentions: Vec<&Mention> = document.mentions().iter().collect();
    mentions.sort_by_key(|mention| (mention.span().start(), u32::MAX - mention.span().last()));
    let all = mentions.into_iter().filter_map(move |mention| {
        let values = of(mention.details()?);
        (!values.is_empty()).then(|| (ends(mention.span()), values))
    });
    all.collect::<Vec<_>>().into_iter()
}

/// Compares annotation that only some formats have.
fn compare_more(document: &Document, wanted: &Expected, expect: &mut impl FnMut(String, String, String)) {
    if let Some(wanted) = &wanted.parts {
        let found: Vec<_> = details(document, |details| runs(&details.parts)).map(|found| found.1).collect();
        expect("parts".to_owned(), format!("{found:?}"), format!("{wanted:?}"));
    }
    if let Some(wanted) = &wanted.min_spans {
        let found: Vec<_> = details(document, |details| runs(&details.min_span)).collect();
        expect("minimum spans".to_owned(), format!("{found:?}"), format!("{wanted:?}"));
    }
    if let Some(wanted) = &wanted.attributes {
        let found: Vec<_> = details(document, |details| details.attributes.clone()).collect();
        expect("attributes".to_owned(), format!("{found:?}"), format!("{wanted:?}"));
    }
    if let Some(wanted) = &wanted.empty_nodes {
        let found = document.words().empty_nodes();
        expect("empty nodes".to_owned(), format!("{found:?}"), format!("{wanted:?}"));
    }
    let none = Relations::default();
    let relations = document.relations().unwrap_or(&none);
    if let Some(wanted) = &wanted.non_referring {
        let found = entities(document, &relations.non_referring);
        expect("non-referring".to_owned(), format!("{found:?}"), format!("{wanted:?}"));
    }
    let name = |entity: EntityId| document.entity_name(entity).to_owned();
    if let Some(wanted) = &wanted.split_antecedents {
        let found = relations.split_antecedents.iter().map(|split| {
            (name(split.entity), split.parts.iter().map(|&part| name(part)).collect::<Vec<_>>())
        });
        let found: BTreeMap<_, _> = found.collect();
        expect("split antecedents".to_owned(), format!("{found:?}"), format!("{wanted:?}"));
    }
    if let Some(wanted) = &wanted.bridges {
        let found = relations.bridges.iter().map(|bridge| ExpectedBridge {
            anaphor: runs(&bridge.anaphor),
            antecedent: bridge.antecedent.as_deref().map(runs),
            entity: bridge.entity.map(name),
            relation: bridge.relation.clone(),
        });
        let found: Vec<_> = found.collect();
        if &found != wanted {
            expect("bridges".to_owned(), format!("{found:?}"), format!("{wanted:?}"));
        }
    }
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
        if let Some(wanted) = &wanted.links {
            let link = |[one, other]: &[u32; 2]| format!("{one}-{other}");
            let text = |links: &[[u32; 2]]| links.iter().map(link).collect::<Vec<_>>().join(", ");
            let found = document.links().map_or_else(|| "unknown".to_owned(), text);
            expect("links".to_owned(), found, wanted.clone());
        }
        if let Some(wanted) = &wanted.classes {
            expect("classes".to_owned(), format!("{:?}", classes(document)), format!("{wanted:?}"));
            continue;
        }
        if let Some(words) = wanted.words {
            expect("words".to_owned(), document.words().count().to_string(), words.to_string());
        }
        expect(
            "entities".to_owned(),
            format!("{:?}", entities(document, document.mentions())),
            format!("{:?}", wanted.entities),
        );
        compare_more(document, wanted, &mut expect);
        let lists = [
            (
                "mentions",
                &wanted.mentions,
                document.mentions().iter().map(|m| described(document, m)).collect(),
            ),
            ("depends", &wanted.depends, dependencies(document)),
            ("relations", &wanted.relations, relations(document)),
        ];
        for (what, wanted, found) in lists {
            if let Some(wanted) = wanted {
                expect(what.to_owned(), format!("{found:?}"), format!("{wanted:?}"));
            }
        }
        if let Some(genre) = &wanted.genre {
            expect("genre".to_owned(), format!("{:?}", document.genre()), format!("{:?}", Some(genre)));
        }
        if let Some(wanted) = &wanted.sentences {
            expect(
                "sentences".to_owned(),
                format!("{:?}", document.words().sentences()),
                format!("{wanted:?}"),
            );
        }
        if let Some(topic) = &wanted.topic {
            expect("topic".to_owned(), format!("{:?}", document.topic()), format!("{:?}", Some(topic)));
        }
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
    for format in FormatSpec::of_documents().filter(|format| !format.is_answer()) {
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
fn the_format_of_a_sample_is_detected_from_its_first_bytes() {
    let mut wrong = Vec::new();
    for format in FormatSpec::of_documents().filter(|format| !format.is_answer()) {
        let folder = samples().join(format.id);
        for case in cases(&folder) {
            let input = Input::Path(folder.join(&case.file));
            match input.read(None, &options(&case), &AtomicU64::new(0)) {
                Ok((_, found)) if found.id == format.id => {}
                Ok((_, found)) => wrong.push(format!("{}: read as {}", case.file, found.id)),
                Err(error) => wrong.push(format!("{}: {error}", case.file)),
            }
        }
    }
    assert!(wrong.is_empty(), "{} faults\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn broken_samples_are_refused_or_reported_at_their_defects() {
    let mut wrong = Vec::new();
    for format in FormatSpec::of_documents().filter(|format| !format.is_answer()) {
        let folder = samples().join(format!("{}-broken", format.id));
        let mut messages = String::new();
        for case in cases(&folder) {
            let shorten = |text: String| text.replace(&folder.display().to_string(), "").replace(['\\'], "/");
            let (message, places) = match read(&folder, format, &case) {
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
                            "{}: read without a warning that --strict would refuse ({})",
                            case.file, case.why
                        ));
                    }
                    compare(&case, &corpus, &mut wrong);
                    (shorten(warnings(&corpus).join("\n")), Some(places))
                }
            };
            let places = places.unwrap_or_default();
            messages.push_str(&format!("== {}: {}\n{message}\n\n", case.file, case.why));
            if !message.to_lowercase().contains(&case.says.to_lowercase()) {
                wrong.push(format!("{}: wanted {:?} in: {message}", case.file, case.says));
            }
            let fits = |place: &(u32, u32)| place.0 == case.line && (place.1 == 0 || place.1 == case.column);
            if case.place != "file" && !places.iter().any(fits) {
                wrong.push(format!(
                    "{}: at {places:?}, wanted {:?}: {message}",
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
            wrong.push(format!("{}: the messages differ; COREFEVAL_BLESS=1 rewrites them", golden.display()));
        }
    }
    assert!(wrong.is_empty(), "{} faults\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_sample_is_listed_and_every_listed_sample_exists() {
    for format in FormatSpec::of_documents().filter(|format| !format.is_answer()) {
        for name in [format.id.to_owned(), format!("{}-broken", format.id)] {
            let folder = samples().join(&name);
            let mut listed: Vec<String> = cases(&folder).into_iter().map(|case| case.file).collect();
            listed.extend(["cases.json".to_owned(), "messages.txt".to_owned()]);
            listed.sort();
            listed.dedup();
            let entries = fs::read_dir(&folder).expect("the folder exists");
            let mut found: Vec<String> = entries
                .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
                .collect();
            if !name.ends_with("-broken") {
                listed.retain(|file| file != "messages.txt");
            }
            // Texts of stand-off annotation are listed with it.
            if let Some(companion) = format.companion {
                found.retain(|file| file == "messages.txt" || !file.split('.').any(|part| part == companion));
            }
            found.sort();
            assert_eq!(found, listed, "{name}");
        }
    }
}

#[test]
fn formats_with_distinctive_marks_are_detected_from_the_file() {
    for format in FormatSpec::of_documents().filter(|format| ["brat", "ecb+", "webanno"].contains(&format.id))
    {
        let folder = samples().join(format.id);
        for case in cases(&folder) {
            let input = Input::Path(folder.join(&case.file));
            let (_, found) = input
                .read(None, &ReadOptions::default(), &AtomicU64::new(0))
                .unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(found.id, format.id, "{}", case.file);
        }
    }
}

#[test]
fn files_that_are_not_annotation_are_left_out_of_a_directory_and_counted() {
    let input = Input::Path(samples().join("brat/project"));
    let format = FormatSpec::named("brat").expect("brat");
    let loaded = input.read(Some(format), &ReadOptions::default(), &AtomicU64::new(0)).map(|loaded| loaded.0);
    let corpus = loaded.unwrap_or_else(|error| panic!("{error}"));
    let skipped = corpus.diagnostics.groups().iter().find(|group| group.code == Code::FileSkipped);
    let skipped = skipped.map(|group| (group.count, group.kept[0].message.to_string())).expect("a note");
    assert!(skipped.0 == 1 && skipped.1.starts_with("4 entries were skipped: README "), "{skipped:?}");
}

#[test]
fn annotation_without_a_path_has_no_text_file() {
    let bytes = b"T1\tPER 0 3\tAda\n";
    let input = Input::Bytes { name: "-".into(), bytes: bytes.as_slice().into() };
    let error = input.read(None, &ReadOptions::default(), &AtomicU64::new(0)).expect_err("no text");
    assert!(error.message().contains(".txt"), "{error}");
}
