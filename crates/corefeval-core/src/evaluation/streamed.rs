//! Scores large files while they are read, so that their documents need not fit into memory.
//!
//! A response and the key must have the same documents in the same order, and nothing may need all of them at once.
//! Otherwise all files are read as a whole, so that errors, findings and results have one source. If there are several
//! responses, the key is read again for each.

use std::collections::BTreeSet;
use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use rustc_hash::FxBuildHasher;

use crate::diagnostic::Diagnostics;
use crate::error::{Error, ErrorKind, Result};
use crate::formats::FormatSpec;
use crate::input::Input;
use crate::matching::check_cost;
use crate::model::{Document, Side};
use crate::pairing::{self, DocumentPair};
use crate::results::{DocumentReports, Report, SystemReport};
use crate::score::{RunningScore, Task};
use crate::settings::{PairDocuments, Settings};

use super::annotated::Annotated;
use super::distinct::Distinct;
use super::one_key::{ScoredResponse, name_system, sides};
use super::reading::{Loaded, Reading, with_progress};
use super::request::NamedInput;
use super::{EachRows, Evaluation, NameSources, add_format};

/// The minimum total size of the key and a response in bytes. Reading smaller files as a whole is a little faster.
pub(super) const LEAST_BYTES: u64 = 1 << 26;

/// The largest number of mentions to send to another thread at once, and to score at once.
const MENTIONS: [usize; 2] = if cfg!(test) { [10, 50] } else { [1 << 10, 1 << 16] };

/// The number of pieces of the key that wait for the response, if there are several threads.
const AHEAD: usize = 16;

impl Evaluation {
    /// Scores each response while it and the key are read, and passes on rows of the first one. Returns `None` if the
    /// files must be read as a whole. An error of `each` is returned.
    pub(super) fn score_streamed(
        &self,
        reading: &Reading<'_>,
        key: &NamedInput,
        responses: &[NamedInput],
        each: &mut EachRows<'_>,
    ) -> Result<Option<Report>> {
        // Programs for a browser have no threads, and are smaller without this code.
        if cfg!(target_family = "wasm") {
            return Ok(None);
        }
        let Some((first, formats)) = responses.first().zip(self.formats_of_large(reading, key, responses))
        else {
            return Ok(None);
        };
        // Reading the files as a whole reports the error, and any earlier errors.
        let Ok(task) = self.task(formats[0]) else { return Ok(None) };
        let is_by_id = task.settings.pair_documents != PairDocuments::Order;
        if self.request.names.is_some() || !is_by_id || reading.aligns(&task.settings) {
            return Ok(None);
        }
        let mut system = SystemReport { by: task.by, ..SystemReport::default() };
        name_system([&mut system.name, &mut system.key, &mut system.response], key, first);
        let mut all = String::new();
        formats.iter().for_each(|format| add_format(&mut all, format));
        let begun = Report::new(task.settings.clone(), all, Diagnostics::default(), vec![system]);
        let mut early = RowsInAdvance { begun, each, error: None };
        let (mut found, read) = (None, AtomicU64::new(0));
        let total = || responses.iter().map(|response| key.input.size() + response.input.size()).sum();
        with_progress(reading.progress(), &total, &read, || {
            let streams = Streams { reading, read: &read, task: &task };
            found = streams.read_all(&key.input, responses, &mut early).ok();
        });
        if let Some(error) = early.error {
            return Err(error);
        }
        let are_expected = |found: &Vec<Streamed>| {
            found
                .iter()
                .zip(&formats[1..])
                .all(|(found, format)| found.key.1.id == formats[0].id && found.response.1.id == format.id)
        };
        match found.filter(are_expected) {
            Some(found) => self.report_of_streamed(reading, (key, responses), task, found),
            None => Ok(None),
        }
    }

    /// Returns the formats of the key and of the responses. Returns `None` if these are not files or directories, or
    /// are small, or a format is not known before they are read.
    fn formats_of_large(
        &self,
        reading: &Reading<'_>,
        key: &NamedInput,
        responses: &[NamedInput],
    ) -> Option<Vec<&'static FormatSpec>> {
        let inputs = || sides(key, responses).into_iter();
        let is_stored = |input: &Input| input.path().is_some_and(|path| path.is_file() || path.is_dir());
        if !inputs().all(|(input, _)| is_stored(input)) {
            return None;
        }
        let of_key = key.input.size_on_disk();
        let is_large = |response: &NamedInput| of_key + response.input.size_on_disk() >= self.least_streamed;
        if !responses.iter().any(is_large) {
            return None;
        }
        let format = |(input, side): (&Input, Side)| {
            let (format, options) = reading.options(input, side);
            // The words of answers are placed with the key's at the end.
            format.or_else(|| input.detected(&options)).filter(|format| !format.is_answer())
        };
        inputs().map(format).collect()
    }

    /// Returns the report, unless the files must be read as a whole.
    fn report_of_streamed(
        &self,
        reading: &Reading<'_>,
        (key, responses): (&NamedInput, &[NamedInput]),
        mut task: Task,
        found: Vec<Streamed>,
    ) -> Result<Option<Report>> {
        let Some(first) = found.first() else { return Ok(None) };
        let ((of_key, key_format), key_files) = (&first.key, first.key_files.clone());
        let (key_format, mut diagnostics) = (*key_format, of_key.diagnostics.clone());
        let all = || std::iter::once(&first.key).chain(found.iter().map(|found| &found.response));
        let (corpora, formats): (Vec<_>, Vec<_>) = all().map(|(corpus, format)| (corpus, *format)).unzip();
        let names = NameSources { first: None, sources: Box::new(Vec::new) };
        if self.settle(&mut task, &formats, &corpora, names, &mut diagnostics).is_err() {
            return Ok(None);
        }
        let mut scored = Vec::new();
        for (response, found) in responses.iter().zip(found) {
            let Streamed { response: (corpus, format), doubts, running, .. } = found;
            let mut own = corpus.diagnostics;
            own.merge(doubts);
            let Some(system) = running.finish(&mut own) else { return Ok(None) };
            scored.push(ScoredResponse { response, format, own, system });
        }
        let found = (diagnostics, &key_files);
        self.report_of(reading, (key, key_format), task.settings, found, scored).map(Some)
    }
}

/// The results of reading the key and a response, except the documents.
struct Streamed {
    key: Loaded,
    key_files: BTreeSet<Arc<str>>,
    response: Loaded,
    /// The findings about documents whose words cannot be compared.
    doubts: Diagnostics,
    running: RunningScore,
}

/// Inputs that are being read.
struct Streams<'e> {
    reading: &'e Reading<'e>,
    read: &'e AtomicU64,
    task: &'e Task,
}

impl Streams<'_> {
    /// Reads and scores all responses, one after another. Any error ends the attempt.
    fn read_all(
        &self,
        key: &Input,
        responses: &[NamedInput],
        early: &mut RowsInAdvance<'_, '_>,
    ) -> Result<Vec<Streamed>> {
        let mut early = Some(early);
        responses.iter().map(|response| self.read([key, &response.input], early.take())).collect()
    }

    /// Reads and scores a response. The key is read on a separate thread, a permitted number of pieces ahead. If only
    /// one thread may be used, one of the two always waits for the other.
    fn read(
        &self,
        [key, response]: [&Input; 2],
        early: Option<&mut RowsInAdvance<'_, '_>>,
    ) -> Result<Streamed> {
        let running = RunningScore::new(self.task).ok_or_else(unusual)?;
        thread::scope(|scope| {
            let ((permits, permitted), (sender, pieces)) = (channel(), channel());
            let of_key =
                thread::Builder::new().spawn_scoped(scope, move || self.send(key, &permitted, &sender));
            let of_key = of_key.map_err(|_| unusual())?;
            let mut keys = Keys { permits, pieces, piece: Vec::new().into_iter() };
            (0..if self.reading.threads > 1 { AHEAD } else { 0 }).for_each(|_| keys.permit());
            let mut pairs = UnscoredPairs::new(&self.task.settings, running, early);
            let (response, _) = self.side(response, Side::Response, &mut |document| {
                pairs.add(keys.next().ok_or_else(unusual)?, document)
            })?;
            if keys.next().is_some() {
                return Err(unusual());
            }
            let (key, key_files) = of_key.join().map_err(|_| unusual())??;
            let (doubts, running) = pairs.finish()?;
            Ok(Streamed { key, key_files, response, doubts, running })
        })
    }

    /// Sends the documents of the key in pieces, each when it is permitted.
    fn send(
        &self,
        key: &Input,
        permitted: &Receiver<()>,
        sender: &Sender<Vec<Document>>,
    ) -> Result<(Loaded, BTreeSet<Arc<str>>)> {
        let (mut piece, mut mentions) = (Vec::new(), 0);
        let wait = || permitted.recv().map_err(|_| unusual());
        let send = |piece: &mut Vec<Document>| sender.send(std::mem::take(piece)).map_err(|_| unusual());
        wait()?;
        let found = self.side(key, Side::Key, &mut |document| {
            // A document without mentions also takes memory.
            mentions += 1 + document.mentions().len();
            piece.push(document);
            if mentions < MENTIONS[0] {
                return Ok(());
            }
            mentions = 0;
            send(&mut piece)?;
            wait()
        })?;
        send(&mut piece)?;
        Ok(found)
    }

    /// Reads an input, passes on its documents, and returns the rest, with the files of the documents.
    fn side(
        &self,
        input: &Input,
        side: Side,
        each: &mut dyn FnMut(Document) -> Result<()>,
    ) -> Result<(Loaded, BTreeSet<Arc<str>>)> {
        let (format, options) = self.reading.options(input, side);
        let mut annotated = Annotated::default();
        let mut look_at = |document: Document| {
            // The file may mix two kinds of line ends, which is an error.
            if document.id().name().contains('\r') {
                return Err(unusual());
            }
            annotated.add(&document, Some(side));
            each(document)
        };
        let (mut corpus, format) = input.for_each_of_any_id(format, &options, self.read, &mut look_at)?;
        if !corpus.answers.is_empty() {
            return Err(unusual());
        }
        let files = annotated.sources().cloned().collect();
        self.reading.check_annotated(annotated, input, &mut corpus, format)?;
        Ok(((corpus, format), files))
    }
}

/// The documents of the key, as they are read.
struct Keys {
    permits: Sender<()>,
    pieces: Receiver<Vec<Document>>,
    piece: std::vec::IntoIter<Document>,
}

impl Keys {
    /// Permits another piece. The thread that reads the key needs no permit if it has ended.
    fn permit(&self) {
        _ = self.permits.send(());
    }
}

impl Iterator for Keys {
    type Item = Document;

    fn next(&mut self) -> Option<Document> {
        loop {
            match self.piece.next() {
                Some(document) => return Some(document),
                None => {
                    self.permit();
                    self.piece = self.pieces.recv().ok()?.into_iter();
                }
            }
        }
    }
}

/// Passes on rows while the rest of the files is read.
struct RowsInAdvance<'r, 'e> {
    /// The report of the system without scores.
    begun: Report,
    each: &'r mut EachRows<'e>,
    /// The error of `each`, which ends the task.
    error: Option<Error>,
}

impl RowsInAdvance<'_, '_> {
    fn pass_on(&mut self, rows: DocumentReports) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        if let Some(system) = self.begun.systems.first_mut() {
            system.documents = rows;
        }
        (self.each)(&self.begun).map_err(|error| {
            self.error = Some(error);
            unusual()
        })
    }
}

/// Paired documents that are not scored yet.
struct UnscoredPairs<'e, 'r, 's> {
    settings: &'e Settings,
    running: RunningScore,
    /// The receiver of the rows, if any.
    early: Option<&'e mut RowsInAdvance<'r, 's>>,
    doubts: Diagnostics,
    /// The hashes of all ids. Two equal hashes end the attempt, like two equal ids.
    ids: Distinct,
    waiting: Vec<[Document; 2]>,
    mentions: usize,
}

impl<'e, 'r, 's> UnscoredPairs<'e, 'r, 's> {
    fn new(
        settings: &'e Settings,
        running: RunningScore,
        early: Option<&'e mut RowsInAdvance<'r, 's>>,
    ) -> UnscoredPairs<'e, 'r, 's> {
        let (doubts, ids) = (Diagnostics::default(), Distinct::default());
        UnscoredPairs { settings, running, early, doubts, ids, waiting: Vec::new(), mentions: 0 }
    }

    /// Adds a pair, and scores the waiting pairs if there are many.
    fn add(&mut self, key: Document, response: Document) -> Result<()> {
        let is_new = self.ids.insert(FxBuildHasher.hash_one(key.id()));
        let are_possible = [&key, &response].iter().all(|document| self.running.is_possible(document));
        if key.id() != response.id() || !is_new || !are_possible {
            return Err(unusual());
        }
        self.mentions += 1 + key.mentions().len() + response.mentions().len();
        self.waiting.push([key, response]);
        if self.mentions >= MENTIONS[1] { self.score() } else { Ok(()) }
    }

    fn score(&mut self) -> Result<()> {
        let pairs: Vec<DocumentPair<'_>> = self
            .waiting
            .iter()
            .map(|[key, response]| DocumentPair { key, response: Some(response) })
            .collect();
        for pair in &pairs {
            pairing::check_names(pair)?;
            check_cost(pair.key, pair.response, self.settings)?;
        }
        if !pairing::doubtful_pairs(&pairs, self.settings, &mut self.doubts).is_empty() {
            return Err(unusual());
        }
        let rows = self.running.add(&pairs);
        (self.mentions, _) = (0, std::mem::take(&mut self.waiting));
        self.early.as_mut().map_or(Ok(()), |early| early.pass_on(rows))
    }

    fn finish(mut self) -> Result<(Diagnostics, RunningScore)> {
        // If ids are equal, the last rows are not passed on.
        let ids = std::mem::take(&mut self.ids);
        if !ids.are_all_different().is_ok_and(|different| different) {
            return Err(unusual());
        }
        self.score()?;
        Ok((self.doubts, self.running))
    }
}

/// Returns the error that ends the attempt. It is never shown.
fn unusual() -> Error {
    Error::new(ErrorKind::Pairing, "the files have to be read as a whole")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;
    use std::path::Path;

    use flate2::{Compression, write::GzEncoder};

    use super::*;
    use crate::evaluation::{Inputs, Request};
    use crate::groups::By;

    /// Random numbers (SplitMix64).
    struct SplitMix(u64);

    impl SplitMix {
        fn below(&mut self, limit: u64) -> u64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            (mixed ^ mixed >> 31) % limit
        }
    }

    /// A document: the entity of each word that is a mention.
    type RandomText = Vec<Option<u64>>;

    /// Returns documents of a key, and of responses with most of their mentions.
    fn documents(random: &mut SplitMix, responses: usize) -> Vec<Vec<RandomText>> {
        let mut sides = vec![Vec::new(); 1 + responses];
        for _ in 0..1 + random.below(30) {
            let (words, entities) = (1 + random.below(30), 1 + random.below(6));
            let word = |random: &mut SplitMix| (random.below(3) == 0).then(|| random.below(entities));
            let text: RandomText = (0..words).map(|_| word(random)).collect();
            for side in &mut sides[1..] {
                let changed =
                    |entity: &Option<u64>| if random.below(6) == 0 { word(random) } else { *entity };
                side.push(text.iter().map(changed).collect());
            }
            sides[0].push(text);
        }
        sides
    }

    /// Writes the texts of documents into one file, or into several files of a directory.
    fn write(random: &mut SplitMix, path: &Path, texts: &[String]) {
        if path.extension().is_some() {
            return fs::write(path, texts.concat()).unwrap();
        }
        _ = fs::remove_dir_all(path);
        fs::create_dir(path).unwrap();
        let most = 1 + random.below(texts.len() as u64) as usize;
        for (number, texts) in texts.chunks(most).enumerate() {
            fs::write(path.join(format!("{number:02}.txt")), texts.concat()).unwrap();
        }
    }

    fn conll(place: usize, text: &RandomText) -> String {
        let word = |(number, entity): (usize, &Option<u64>)| {
            let cell = entity.map_or("-".to_owned(), |entity| format!("({entity})"));
            format!("bc/d{place}\t0\t{number}\tw{number}\t{cell}\n")
        };
        let words: String = text.iter().enumerate().map(word).collect();
        format!("#begin document (bc/d{place}); part 000\n{words}\n#end document\n")
    }

    fn jsonlines(place: usize, text: &RandomText) -> String {
        let of = |entity: u64| {
            let spans = (0..).zip(text).filter(|(_, other)| **other == Some(entity));
            spans.map(|(word, _): (u64, _)| [word, word]).collect::<Vec<_>>()
        };
        let clusters: Vec<_> = (0..6).map(of).filter(|spans| !spans.is_empty()).collect();
        let words: Vec<String> = (0..text.len()).map(|word| format!("w{word}")).collect();
        format!("{{\"doc_key\": \"bc/d{place}\", \"sentences\": [{words:?}], \"clusters\": {clusters:?}}}\n")
    }

    fn corefud(place: usize, text: &RandomText) -> String {
        let word = |(number, entity): (usize, &Option<u64>)| {
            let cell = entity.map_or("_".to_owned(), |entity| format!("Entity=(e{entity})"));
            format!("{}\tw\t_\t_\t_\t_\t{}\t_\t_\t{cell}\n", number + 1, number.min(1))
        };
        let words: String = text.iter().enumerate().map(word).collect();
        format!("# newdoc id = d{place}\n# global.Entity = eid\n# sent_id = s{place}\n{words}\n")
    }

    /// Scores in both ways, which must agree, and returns whether the files were scored while they were read.
    fn is_streamed(request: impl Fn(Request) -> Result<Request>, files: [&Path; 2]) -> bool {
        [1, 2].map(|threads| is_streamed_by(threads, &request, &files)) == [true; 2]
    }

    /// Like [`is_streamed`], for a key and its responses.
    fn is_streamed_by(
        threads: usize,
        request: &impl Fn(Request) -> Result<Request>,
        files: &[impl AsRef<Path>],
    ) -> bool {
        let paths: Vec<String> = files.iter().map(|path| path.as_ref().display().to_string()).collect();
        let responses = paths[1..].iter().map(String::as_str);
        let request = request(Request::files(&paths[0], responses).unwrap().threads(threads)).unwrap();
        let evaluation = Evaluation::new(request).unwrap();
        let shown = |result: Result<Report>| match result {
            Ok(report) => format!("{report:?}"),
            Err(error) => error.to_string(),
        };
        let result = evaluation.score();
        let rows = result.iter().flat_map(|report| report.systems[0].documents.iter());
        let rows: Vec<String> = rows.map(|row| format!("{row:?}")).collect();
        let whole = shown(result.clone());
        let evaluation = Evaluation { least_streamed: 0, ..evaluation };
        assert_eq!(shown(evaluation.score()), whole);
        let (scored, early, begun) = with_rows(&evaluation);
        assert_eq!(shown(scored), whole);
        assert!(rows.is_empty() || rows.starts_with(&early));
        for (begun, report) in begun.iter().zip(&result) {
            assert!(begun.begins(report) && begun.signature() == report.signature());
        }
        let Ok(before) = evaluation.settings_before() else { return false };
        let Inputs::OneKey { key, responses } = &evaluation.request.inputs else { unreachable!("two files") };
        let is_streamed =
            match evaluation
                .score_streamed(&Reading::new(&evaluation, &before), key, responses, &mut |_| Ok(()))
            {
                Ok(streamed) => streamed.is_some(),
                Err(error) => error.to_string() == whole,
            };
        assert!(!is_streamed || evaluation.request.strict || early.len() == rows.len());
        is_streamed
    }

    /// Scores, and returns the rows that were passed on, with the last incomplete report.
    fn with_rows(evaluation: &Evaluation) -> (Result<Report>, Vec<String>, Option<Report>) {
        let (mut rows, mut last) = (Vec::new(), None);
        let result = evaluation.score_with_rows(&mut |begun| {
            let documents = &begun.systems[0].documents;
            assert_eq!(documents.follow_others(), !rows.is_empty());
            rows.extend(documents.iter().map(|row| format!("{row:?}")));
            last = Some(begun.clone());
            Ok(())
        });
        (result, rows, last)
    }

    /// The options of a request, and whether documents are scored while they are read.
    #[allow(clippy::type_complexity, reason = "a table of functions")]
    const REQUESTS: [(fn(Request) -> Result<Request>, bool); 14] = [
        (Ok, true),
        (|request| Ok(request.by(By::named("document")?)), true),
        (|request| request.choose("average", "macro"), true),
        (|request| request.choose("average", "mentions"), true),
        (|request| request.choose("singletons", "drop"), true),
        (|request| request.choose("check-tokens", "no"), true),
        (|request| request.metrics("all"), true),
        (|request| request.ceaf_bound("0.01"), true),
        (|request| Ok(request.strict(true)), true),
        (|request| Ok(request.allow_empty(true)), true),
        (|request| request.choose("scope", "corpus"), false),
        (|request| request.choose("pair-documents", "order"), false),
        (|request| Ok(request.by(By::named("length")?)), false),
        (|request| Ok(request.by(By::named("entity-size,document")?)), false),
    ];

    #[test]
    fn streamed_scores_equal_scores_of_whole_files() {
        let folder = tempfile::tempdir().unwrap();
        let mut random = SplitMix(1);
        let mut streamed = [0; 3];
        for format in [conll as fn(usize, &RandomText) -> String, jsonlines, corefud] {
            for round in 0..8 * REQUESTS.len() {
                let (responses, threads) = (1 + random.below(3) as usize, 1 + random.below(2) as usize);
                let names = ["key", "alder", "birch", "cedar"].into_iter().take(1 + responses);
                let mut directories = 0;
                let mut paths = Vec::new();
                for (name, documents) in names.zip(documents(&mut random, responses)) {
                    let is_directory = random.below(4) == 0;
                    directories += usize::from(is_directory);
                    let path = folder.path().join(if is_directory {
                        name.to_owned()
                    } else {
                        format!("{name}.txt")
                    });
                    let texts: Vec<String> =
                        documents.iter().enumerate().map(|(place, text)| format(place, text)).collect();
                    write(&mut random, &path, &texts);
                    paths.push(path);
                }
                let (request, may) = REQUESTS[round % REQUESTS.len()];
                let was = is_streamed_by(threads, &request, &paths);
                assert!(may || !was);
                let cases = [responses == 1 && directories == 0, responses > 1, directories > 0];
                streamed.iter_mut().zip(cases).for_each(|(sum, case)| *sum += usize::from(case && was));
            }
        }
        assert!(streamed.iter().all(|count| *count > 30), "{streamed:?} of {}", 24 * REQUESTS.len());
    }

    #[test]
    fn rows_are_passed_on_before_the_end_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let paths = ["key.conll", "response.conll"].map(|name| folder.path().join(name));
        let text = vec![Some(1); 10];
        let documents: String = (0..40).chain([0]).map(|place| conll(place, &text)).collect();
        paths.iter().for_each(|path| fs::write(path, &documents).unwrap());
        let [key, response] = paths.map(|path| path.display().to_string());
        let evaluation = |strict: bool| {
            let request = Request::files(&key, [response.as_str()]).unwrap().threads(2).strict(strict);
            let request = request.by(By::named("document").unwrap());
            Evaluation { least_streamed: 0, ..Evaluation::new(request).unwrap() }
        };
        // The last document repeats an id, which is an error.
        let (result, rows, _) = with_rows(&evaluation(false));
        assert!(result.is_err() && rows.len() > 30 && rows.len() < 40, "{}", rows.len());
        assert!(with_rows(&evaluation(true)).1.is_empty());
        // An error of the receiver ends the task.
        let closed = Error::new(ErrorKind::Io, "the output is closed");
        let mut calls = 0;
        let result = evaluation(false).score_with_rows(&mut |_| {
            calls += 1;
            Err(closed.clone())
        });
        assert_eq!((result.unwrap_err(), calls), (closed, 1));
    }

    #[test]
    fn unusual_files_are_read_as_a_whole() {
        let folder = tempfile::tempdir().unwrap();
        let [key, response, third] =
            ["key.conll", "response.conll", "third.conll"].map(|name| folder.path().join(name));
        type TextChange = fn(&mut Vec<String>);
        let changes: [(TextChange, bool); 14] = [
            (|_| (), true),
            // Findings do not end the attempt.
            (|texts| texts[2] = texts[2].replace("#end document\n", ""), true),
            (|texts| texts[5] = conll(5, &vec![None; 30]), true),
            (|texts| texts[3] = texts[3].replace("\t(1)\n", "\t(1\n"), true),
            (|texts| texts.swap(2, 3), false),
            (|texts| _ = texts.pop(), false),
            (|texts| _ = texts.remove(0), false),
            (|texts| texts.push(conll(6, &vec![Some(1); 2])), false),
            (|texts| texts[1] = texts[0].clone(), false),
            (|texts| texts[3] = texts[3].replace("\tw1\t", "\tother\t"), false),
            (|texts| texts[3] = texts[3].replace("\t0\t3\tw3\t(1)\n", "\n"), false),
            (|texts| texts[3] = texts[3].replace("part 000\n", "part 000\r"), false),
            (|texts| texts.clear(), false),
            (|texts| texts.iter_mut().for_each(|text| *text = text.replace("\t(1)\n", "\t-\n")), false),
        ];
        let text = |shift: usize| {
            (0..30).map(|word| (word + shift).is_multiple_of(3).then_some(1)).collect::<RandomText>()
        };
        let texts: Vec<String> = (0..6).map(|place| conll(place, &text(0))).collect();
        for (number, (change, expected)) in changes.into_iter().enumerate() {
            let mut changed = texts.clone();
            change(&mut changed);
            for [ours, theirs] in [[&texts, &changed], [&changed, &texts]] {
                fs::write(&key, ours.concat()).unwrap();
                fs::write(&response, theirs.concat()).unwrap();
                fs::write(&third, texts.concat()).unwrap();
                for (request, _) in REQUESTS {
                    is_streamed(request, [&key, &response]);
                    is_streamed_by(2, &request, &[&key, &third, &response]);
                }
                assert_eq!(is_streamed(Ok, [&key, &response]), expected, "{number}");
            }
        }
        // Compressed files are streamed too.
        let compressed = folder.path().join("response.conll.gz");
        let mut encoder = GzEncoder::new(fs::File::create(&compressed).unwrap(), Compression::fast());
        encoder.write_all(texts.concat().as_bytes()).unwrap();
        encoder.finish().unwrap();
        fs::write(&key, texts.concat()).unwrap();
        assert!(is_streamed(Ok, [&compressed, &key]) && is_streamed(Ok, [&key, &compressed]));
        // If the sides share few mentions, the findings quote some.
        fs::write(&key, texts.concat()).unwrap();
        fs::write(&response, (0..6).map(|place| conll(place, &text(1))).collect::<String>()).unwrap();
        assert!(!is_streamed(Ok, [&key, &response]));
        // The same id twice on both sides is an error, even if the hash of the first one is already in a file.
        for count in [6, 40] {
            let mut texts: Vec<String> = (0..count).map(|place| conll(place, &text(0))).collect();
            let write = |texts: &[String]| {
                [&key, &response].iter().for_each(|path| fs::write(path, texts.concat()).unwrap());
            };
            write(&texts);
            assert!(is_streamed(Ok, [&key, &response]));
            texts.push(texts[0].clone());
            write(&texts);
            assert!(!is_streamed(Ok, [&key, &response]));
        }
    }
}
