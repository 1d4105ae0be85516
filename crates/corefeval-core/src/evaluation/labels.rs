//! Scores large tables of labels without keeping their rows.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use rustc_hash::FxHashMap;

use crate::diagnostic::{Code, Diagnostics, Position};
use crate::error::Result;
use crate::input::Input;
use crate::labels::{self, ByRow, CountedEntities, CountedTables, PlainTable, TableDocument};
use crate::matching::MentionCounts;
use crate::metrics::Metric;
use crate::model::{Corpus, Document, DocumentBuilder, DocumentId, Side, WordsBuilder};
use crate::pairing::DocumentPair;
use crate::results::{Report, SystemReport};
use crate::score::{DocumentCount, Task, counted_metrics, needs_mentions, score_counted};
use crate::settings::{Entities, ExtraMentions, Keep, Match, Place, Scope, Settings, Switch};

use super::Evaluation;
use super::counts::{report_of_counts, tally_overlap};
use super::one_key::{name_system, sides};
use super::reading::{Loaded, Reading, with_progress};
use super::request::NamedInput;

/// The tables of a key and its responses, counted.
struct LoadedTables {
    /// The documents of each table, without their mentions. A table of one document has its first rows, read like any
    /// other table.
    loaded: Vec<Loaded>,
    /// The number of singletons that were dropped from each document of each table; empty if they are kept.
    dropped: Vec<Vec<u32>>,
    /// The counts of each response.
    entities: Vec<CountedEntities>,
}

impl Evaluation {
    /// Scores tables without keeping their rows. Returns the reason if the tables must be read row by row, because they
    /// are small or not plain, have findings about mentions, or because a setting or a metric needs the mentions.
    pub(super) fn score_labels(
        &self,
        reading: &Reading<'_>,
        key: &NamedInput,
        responses: &[NamedInput],
    ) -> Result<std::result::Result<Report, ByRow>> {
        let counted = self.count_labels(reading, key, responses).unwrap_or(Err(ByRow::Other));
        let LoadedTables { loaded, dropped, entities } = match counted {
            Ok(counted) => counted,
            Err(reason) => return Ok(Err(reason)),
        };
        let one_key = self.settled(reading, (key, responses), &loaded, |_, _| Ok(()))?;
        let [of_key, of_responses @ ..] = dropped.as_slice() else { return Ok(Err(ByRow::Other)) };
        let mut counted = entities.into_iter().zip(of_responses);
        let (mut place, mut is_complete) = (0, true);
        let done = one_key.each(|task, named, pairs, own| {
            place += 1;
            let corpora = [&loaded[0].0, &loaded[place].0];
            let scored = counted.next().and_then(|(entities, of_response)| {
                score_entities(task, entities, corpora, &pairs, [of_key, of_response], own)
            });
            is_complete &= scored.is_some();
            let mut system = scored.unwrap_or_default();
            name_system([&mut system.name, &mut system.key, &mut system.response], key, named);
            Ok(system)
        });
        if is_complete { Ok(Ok(done?.report())) } else { Ok(Err(ByRow::Other)) }
    }

    /// Counts tables, or returns the reason why they must be read row by row. Returns `None` if the tables are
    /// not large, or if their rows are needed.
    fn count_labels(
        &self,
        reading: &Reading<'_>,
        key: &NamedInput,
        responses: &[NamedInput],
    ) -> Option<std::result::Result<LoadedTables, ByRow>> {
        let request = &self.request;
        if request.by.is_some_and(|by| !by.is("document")) || request.names.is_some() {
            return None;
        }
        let sides = sides(key, responses);
        let paths: Vec<&Path> = sides.iter().map(|side| side.0.path()).collect::<Option<_>>()?;
        if !labels::are_large(&paths) {
            return None;
        }
        let tables: Vec<PlainTable> =
            paths.iter().map(|path| PlainTable::open(path)).collect::<Option<_>>()?;
        if request.by.is_some() && !tables.iter().all(PlainTable::has_documents) {
            return None;
        }
        let head = |(table, (input, side)): (&PlainTable, &(&Input, Side))| {
            let head = Input::Bytes { name: input.name().into(), bytes: table.head.as_slice().into() };
            reading.read_one(&head, *side, &AtomicU64::new(0)).ok()
        };
        let mut loaded: Vec<Loaded> = tables.iter().zip(&sides).map(head).collect::<Option<_>>()?;
        let one_key = self.settled(reading, (key, responses), &loaded, |_, _| Ok(())).ok()?;
        if !loaded.iter().all(|(_, format)| format.id == "table") || !follows_from_counts(&one_key.task) {
            return None;
        }
        let drop_singletons = one_key.task.settings.singletons == Keep::Drop;
        let read = AtomicU64::new(0);
        let total = || sides.iter().map(|side| side.0.size()).sum();
        let mut counted = None;
        with_progress(self.progress.as_deref(), &total, &read, || {
            counted = Some(labels::count(tables, drop_singletons, request.threads, &request.limits, &read));
        });
        let CountedTables { sides: counted, entities } = match counted? {
            Ok(counted) => counted,
            Err(reason) => return Some(Err(reason)),
        };
        let mut dropped = Vec::new();
        for ((corpus, _), side) in loaded.iter_mut().zip(counted) {
            dropped.push(side.dropped);
            if !side.documents.is_empty() {
                set_documents(corpus, side.documents).ok()?;
            }
        }
        Some(Ok(LoadedTables { loaded, dropped, entities }))
    }
}

/// The minimum total size of tables, in bytes, whose users may notice that they are read row by row.
const NOTED: u64 = if cfg!(test) { 1 << 20 } else { 1 << 24 };

/// Notes why tables were read row by row, if they are large and users can change that. The findings name the first
/// repeated mention.
pub(super) fn note_by_row(
    reason: &ByRow,
    key: &NamedInput,
    responses: &[NamedInput],
    diagnostics: &mut Diagnostics,
) {
    let tables: Vec<&Input> = sides(key, responses).into_iter().map(|side| side.0).collect();
    let (cause, position) = match *reason {
        ByRow::Other => return,
        _ if tables.iter().map(|table| table.size()).sum::<u64>() < NOTED => return,
        ByRow::RepeatedMention => {
            let mut groups = diagnostics.groups().iter();
            let repeated = groups.find(|group| group.code == Code::DuplicateMention);
            ("a mention is repeated", repeated.and_then(|group| group.kept.first()?.position.clone()))
        }
        ByRow::LineBreak { table, place } => {
            let table = tables[table];
            let line = table.line_at(place).ok();
            (
                "this row has a line break in a cell",
                line.map(|line| Position::new(&table.name().into(), line, 1)),
            )
        }
    };
    diagnostics.add(Code::ReadByRow, position, None, || {
        format!("{cause}, so the tables were read row by row, which takes three to five times as long")
    });
}

/// Replaces the documents of a corpus, which has some of their rows, by all documents of its table, without rows.
fn set_documents(corpus: &mut Corpus, documents: Vec<TableDocument>) -> Result<()> {
    let Some(source) = corpus.documents.first().map(|document| Arc::clone(document.source())) else {
        return Ok(());
    };
    let finished = documents.into_iter().map(|TableDocument { name, line }| {
        let document = DocumentBuilder::new(DocumentId::new(name), Arc::clone(&source), line);
        document.finish(WordsBuilder::names().finish())
    });
    corpus.documents = finished.collect::<Result<_>>()?;
    Ok(())
}

/// Scores the entities of a response. Returns `None` if findings need the mentions, or if documents with different ids
/// are paired, whose mentions were not compared.
fn score_entities(
    task: &Task,
    entities: CountedEntities,
    [key, response]: [&Corpus; 2],
    pairs: &[DocumentPair<'_>],
    dropped: [&[u32]; 2],
    diagnostics: &mut Diagnostics,
) -> Option<SystemReport> {
    match entities {
        CountedEntities::Whole(entities) => {
            let dropped = dropped.map(|dropped| dropped.first().copied().unwrap_or(0));
            score_whole(task, DocumentCount { entities: *entities, dropped }, pairs.first()?, diagnostics)
        }
        CountedEntities::ByDocument(overlaps) => {
            let is_other = |pair: &DocumentPair<'_>| {
                pair.response.is_some_and(|response| response.id() != pair.key.id())
            };
            if pairs.iter().any(is_other) {
                return None;
            }
            let places = [key, response].map(places_of);
            let counted = |pair: usize| {
                let DocumentPair { key, response } = pairs[pair];
                let place = |side: usize, document: &Document| places[side].get(document.id()).copied();
                let found = [place(0, key), response.and_then(|response| place(1, response))];
                let dropped_of = |side: usize| dropped[side].get(found[side]?).copied();
                DocumentCount {
                    entities: overlaps.of(found),
                    dropped: [0, 1].map(|side| dropped_of(side).unwrap_or(0)),
                }
            };
            score_counted(pairs, counted, task, diagnostics)
        }
    }
}

/// Scores the only document of a response. Returns `None` if findings need the mentions, or if groups are requested.
fn score_whole(
    task: &Task,
    document: DocumentCount,
    pair: &DocumentPair<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<SystemReport> {
    let MentionCounts { key, response, shared } = document.entities.mentions();
    if task.by.is_some() || needs_mentions([shared, key, response].map(|count| count as f64)) {
        return None;
    }
    document.report_dropped(pair, diagnostics);
    let counted = counted_metrics(&task.metrics);
    let (tallies, sizes) =
        tally_overlap(String::new(), document.entities, &counted, &task.settings, task.threads);
    Some(report_of_counts(task, &[tallies], sizes, diagnostics))
}

/// Returns the place of each document of a corpus.
fn places_of(corpus: &Corpus) -> FxHashMap<&DocumentId, usize> {
    corpus.documents.iter().enumerate().map(|(place, document)| (document.id(), place)).collect()
}

/// Returns whether all scores follow from the shared mentions of entities, if no mention is repeated.
fn follows_from_counts(task: &Task) -> bool {
    let Settings {
        matching,
        extra_mentions,
        np_only,
        remove_nested,
        scope,
        entities,
        place,
        ref weights,
        // These settings concern annotation that tables of labels lack, or the step from counts to scores, or counting
        // applies them. The list is exhaustive, so that a new setting requires a decision.
        singletons: _,
        profile: _,
        match_details: _,
        zeros: _,
        zero_match: _,
        split_antecedents: _,
        split_parts: _,
        optional: _,
        order: _,
        duplicates: _,
        pair_documents: _,
        missing_documents: _,
        check_tokens: _,
        align: _,
        notation: _,
        extra_zeros: _,
        blanc: _,
        ceaf: _,
        average: _,
        pair_files: _,
        ids_by_file: _,
        named: _,
        name_match: _,
        span_end: _,
        key_span_end: _,
        response_span_end: _,
        boundary_crossing: _,
        annotation: _,
        ace: _,
        ace_changes: _,
        span_ends: _,
        min_aligned: _,
        aligned: _,
        ceaf_bound: _,
        key_approximate: _,
    } = task.settings;
    let plain = |metric: &Metric| metric.needs_entities_alone().is_ok() && metric.weight_needs().is_nothing();
    matching == Match::Exact
        && extra_mentions == ExtraMentions::Count
        && np_only == Switch::No
        && remove_nested == Switch::No
        && scope == Scope::Document
        && entities == Entities::All
        && place == Place::Document
        && weights.is_none()
        && !task.settings.aligns_texts()
        && counted_metrics(&task.metrics).iter().all(plain)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::fs;

    use super::*;
    use crate::evaluation::request::{Inputs, Request};
    use crate::groups::By;

    /// Returns whether tables with this first row are counted without keeping their rows.
    fn counted(head: &str, asked: impl Fn(Request) -> Request) -> bool {
        let path = std::env::temp_dir().join(format!("corefeval-labels-{}.csv", std::process::id()));
        let mut table = head.to_owned();
        for row in 0..70_000 {
            if head.starts_with("document") {
                let _ = write!(table, "d{},", row % 500);
            }
            let _ = writeln!(table, "m{row},{}", row / 3);
        }
        fs::write(&path, table).unwrap();
        let inputs = || NamedInput::open(path.to_str().unwrap()).unwrap();
        let (key, responses) = (inputs(), vec![inputs()]);
        let request = Request::new(Inputs::OneKey { key: inputs(), responses: vec![inputs()] });
        let evaluation = Evaluation::new(asked(request.metrics("muc,b_cubed").unwrap())).unwrap();
        let settings = evaluation.settings_before().unwrap();
        let found = evaluation.score_labels(&Reading::new(&evaluation, &settings), &key, &responses);
        fs::remove_file(path).unwrap();
        found.unwrap().is_ok()
    }

    #[test]
    fn plain_tables_are_counted_without_their_rows() {
        let head = "mention,entity\n";
        assert!(counted(head, |request| request));
        assert!(counted(head, |request| request.threads(1)));
        assert!(counted("document,mention,entity\nd,a,b\n", |request| request));
        assert!(counted("mention,entity\n\"a\",b\n", |request| request));
        assert!(counted(head, |request| request.choose("singletons", "drop").unwrap()));
        assert!(!counted("mention,entity\nm1,b\n", |request| request));
        assert!(!counted("mention,entity\n\"a\n\",b\n", |request| request));
        assert!(counted("", |request| request));
        assert!(!counted("token,group\n", |request| request));
        assert!(!counted("w,c\n", |request| request));
        assert!(!counted(head, |request| request.choose("extra-mentions", "in-key").unwrap()));
        let by = |name| move |request: Request| request.by(By::named(name).unwrap());
        assert!(counted("document,mention,entity\nd,a,b\n", by("document")));
        assert!(!counted("document,mention,entity\nd,a,b\n", by("topic")));
        assert!(!counted(head, by("document")));
    }

    #[test]
    fn reports_note_the_row_that_prevents_counting() {
        let folder = tempfile::tempdir().unwrap();
        let plain: Vec<String> = (0..70_000).map(|row| format!("m{row},{}\n", row / 3)).collect();
        let notes = |rows: &[String], threads: usize| {
            let [key, response] = ["key.csv", "response.csv"].map(|name| folder.path().join(name));
            let table = |rows: &[String]| format!("mention,entity\n\n{}", rows.concat());
            fs::write(&key, table(&plain)).unwrap();
            fs::write(&response, table(rows)).unwrap();
            let response = response.display().to_string();
            let request = Request::files(key.to_str().unwrap(), [response.as_str()]).unwrap();
            let report = Evaluation::new(request.threads(threads)).unwrap().score().unwrap();
            let group = report.diagnostics.groups().iter().find(|group| group.code == Code::ReadByRow)?;
            let found = group.kept.first().unwrap();
            let place = found.position.as_ref().map(|place| (place.source == response.into(), place.line));
            Some((found.message.to_string(), place, group.count))
        };
        for threads in [1, 2, 7] {
            assert_eq!(notes(&plain, threads), None);
            for place in [0, 1, 40_000, 69_999] {
                let mut rows = plain.clone();
                rows[place] = format!("\"m\"\"{place}\n\",0\n");
                rows.push("\"last\n\",0\n".to_owned());
                let (message, position, count) = notes(&rows, threads).unwrap();
                assert!(message.starts_with("this row has a line break in a cell"), "{message}");
                assert_eq!((position, count), (Some((true, place as u32 + 3)), 1), "{threads} threads");
                let mut rows = plain.clone();
                rows.push(format!("m{place},5\n"));
                let (message, position, count) = notes(&rows, threads).unwrap();
                assert!(message.starts_with("a mention is repeated"), "{message}");
                assert_eq!((position, count), (Some((true, 70_003)), 1), "{threads} threads");
            }
        }
    }
}
