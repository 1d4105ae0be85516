//! Scores two large files while they are read, so that their documents need not fit into memory.
//!
//! Both files must have the same documents in the same order, and nothing may need all of them at once. Otherwise the
//! files are read as a whole, so that errors, findings and results have one source.

use std::hash::BuildHasher;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use rustc_hash::FxBuildHasher;

use crate::diagnostic::Diagnostics;
use crate::error::{Error, ErrorKind, Result};
use crate::input::Input;
use crate::matching::check_cost;
use crate::model::{Document, Side};
use crate::pairing::{self, DocumentPair};
use crate::results::{DocumentReports, Report, SystemReport};
use crate::score::{RunningScore, Task};
use crate::settings::{PairDocuments, Settings};

use super::annotated::Annotated;
use super::distinct::Distinct;
use super::one_key::name_system;
use super::reading::{Loaded, Reading, with_progress};
use super::request::NamedInput;
use super::{EachRows, Evaluation, Names, add_format};

/// The minimum total size of the files in bytes. Reading smaller files as a whole is a little faster.
pub(super) const LEAST_BYTES: u64 = 1 << 26;

/// The largest number of mentions to send to another thread at once, and to score at once.
const MENTIONS: [usize; 2] = if cfg!(test) { [10, 50] } else { [1 << 10, 1 << 16] };

/// The number of pieces of the key that wait for the response.
const AHEAD: usize = 16;

impl Evaluation {
    /// Scores a response while it and the key are read, and passes on rows. Returns `None` if the files must be read as
    /// a whole. An error of `each` is returned.
    pub(super) fn score_streamed(
        &self,
        reading: &Reading<'_>,
        key: &NamedInput,
        responses: &[NamedInput],
        each: &mut EachRows<'_>,
    ) -> Result<Option<Report>> {
        let [response] = responses else { return Ok(None) };
        let inputs = [&key.input, &response.input];
        let are_files = inputs.iter().all(|input| input.path().is_some_and(|path| path.is_file()));
        let size = || inputs.iter().map(|input| input.size()).sum::<u64>();
        if !are_files || self.request.names.is_some() || reading.threads < 2 || size() < self.least_streamed {
            return Ok(None);
        }
        let detected = || key.input.detected(&self.request.limits);
        let Some(format) = self.request.key_format.or_else(detected) else { return Ok(None) };
        let detected = || response.input.detected(&self.request.limits);
        let Some(of_response) = self.request.response_format.or_else(detected) else { return Ok(None) };
        // Reading the files as a whole reports the error, and any earlier errors.
        let Ok(mut task) = self.task(format) else { return Ok(None) };
        let is_by_id = task.settings.pair_documents != PairDocuments::Order;
        let Some(running) = RunningScore::new(&task).filter(|_| is_by_id && !reading.aligns(&task.settings))
        else {
            return Ok(None);
        };
        let mut system = SystemReport { by: task.by, ..SystemReport::default() };
        name_system([&mut system.name, &mut system.key, &mut system.response], key, response);
        let mut formats = format.id.to_owned();
        add_format(&mut formats, of_response);
        let begun = Report::new(task.settings.clone(), formats, Diagnostics::default(), vec![system]);
        let mut early = EarlyRows { begun, each, error: None };
        let (mut found, read) = (None, AtomicU64::new(0));
        with_progress(reading.progress(), &size, &read, || {
            found = Streams { reading, read: &read, task: &task }.read(inputs, running, &mut early).ok();
        });
        if let Some(error) = early.error {
            return Err(error);
        }
        let Some(Streamed {
            key: (of_key, key_format),
            response: (of_response, response_format),
            doubts,
            running,
        }) = found.filter(|found| [found.key.1.id, found.response.1.id] == [format.id, of_response.id])
        else {
            return Ok(None);
        };
        let mut diagnostics = of_key.diagnostics.clone();
        let names = Names { first: None, sources: Box::new(Vec::new) };
        let corpora = [&of_key, &of_response];
        let settled =
            self.settle(&mut task, &[key_format, response_format], &corpora, names, &mut diagnostics);
        let mut own = of_response.diagnostics.clone();
        own.merge(doubts);
        let (Ok(()), Some(system)) = (settled, running.finish(&mut own)) else { return Ok(None) };
        let inputs = [(key, key_format), (response, response_format)];
        self.report_of_one(reading, inputs, task.settings, [diagnostics, own], system).map(Some)
    }
}

/// The results of reading two files, except the documents.
struct Streamed {
    key: Loaded,
    response: Loaded,
    /// The findings about documents whose words cannot be compared.
    doubts: Diagnostics,
    running: RunningScore,
}

/// Two files that are being read.
struct Streams<'e> {
    reading: &'e Reading<'e>,
    read: &'e AtomicU64,
    task: &'e Task,
}

impl Streams<'_> {
    /// Reads and scores both files. The key is read on a separate thread, which waits if it is too far ahead. Any error
    /// ends the attempt.
    fn read(
        &self,
        [key, response]: [&Input; 2],
        running: RunningScore,
        early: &mut EarlyRows<'_, '_>,
    ) -> Result<Streamed> {
        thread::scope(|scope| {
            let (sender, receiver) = sync_channel(AHEAD);
            let of_key = thread::Builder::new().spawn_scoped(scope, move || self.send(key, &sender));
            let of_key = of_key.map_err(|_| unusual())?;
            let mut keys = Keys { receiver, piece: Vec::new().into_iter() };
            let mut pairs = UnscoredPairs::new(&self.task.settings, running, early);
            let response = self.side(response, Side::Response, &mut |document| {
                pairs.add(keys.next().ok_or_else(unusual)?, document)
            })?;
            if keys.next().is_some() {
                return Err(unusual());
            }
            let key = of_key.join().map_err(|_| unusual())??;
            let (doubts, running) = pairs.finish()?;
            Ok(Streamed { key, response, doubts, running })
        })
    }

    /// Sends the documents of the key.
    fn send(&self, key: &Input, sender: &SyncSender<Vec<Document>>) -> Result<Loaded> {
        let (mut piece, mut mentions) = (Vec::new(), 0);
        let send = |piece: &mut Vec<Document>| sender.send(std::mem::take(piece)).map_err(|_| unusual());
        let loaded = self.side(key, Side::Key, &mut |document| {
            // A document without mentions also takes memory.
            mentions += 1 + document.mentions().len();
            piece.push(document);
            if mentions < MENTIONS[0] {
                return Ok(());
            }
            mentions = 0;
            send(&mut piece)
        })?;
        send(&mut piece)?;
        Ok(loaded)
    }

    /// Reads a file, passes on its documents, and returns the rest.
    fn side(
        &self,
        input: &Input,
        side: Side,
        each: &mut dyn FnMut(Document) -> Result<()>,
    ) -> Result<Loaded> {
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
        self.reading.check_annotated(annotated, input, &mut corpus, format)?;
        Ok((corpus, format))
    }
}

/// The documents of the key, as they are read.
struct Keys {
    receiver: Receiver<Vec<Document>>,
    piece: std::vec::IntoIter<Document>,
}

impl Iterator for Keys {
    type Item = Document;

    fn next(&mut self) -> Option<Document> {
        loop {
            match self.piece.next() {
                Some(document) => return Some(document),
                None => self.piece = self.receiver.recv().ok()?.into_iter(),
            }
        }
    }
}

/// Passes on rows while the rest of the files is read.
struct EarlyRows<'r, 'e> {
    /// The report of the system without scores.
    begun: Report,
    each: &'r mut EachRows<'e>,
    /// The error of `each`, which ends the task.
    error: Option<Error>,
}

impl EarlyRows<'_, '_> {
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
    early: &'e mut EarlyRows<'r, 's>,
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
        early: &'e mut EarlyRows<'r, 's>,
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
        self.early.pass_on(rows)
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
    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: u64) -> u64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            (mixed ^ mixed >> 31) % limit
        }
    }

    /// A document: the entity of each word that is a mention.
    type Text = Vec<Option<u64>>;

    /// Returns documents of a key, and of a response with most of their mentions.
    fn documents(random: &mut Random) -> [Vec<Text>; 2] {
        let (mut key, mut response) = (Vec::new(), Vec::new());
        for _ in 0..1 + random.below(30) {
            let (words, entities) = (1 + random.below(30), 1 + random.below(6));
            let word = |random: &mut Random| (random.below(3) == 0).then(|| random.below(entities));
            let text: Text = (0..words).map(|_| word(random)).collect();
            let changed = |entity: &Option<u64>| if random.below(6) == 0 { word(random) } else { *entity };
            response.push(text.iter().map(changed).collect());
            key.push(text);
        }
        [key, response]
    }

    fn conll(place: usize, text: &Text) -> String {
        let word = |(number, entity): (usize, &Option<u64>)| {
            let cell = entity.map_or("-".to_owned(), |entity| format!("({entity})"));
            format!("bc/d{place}\t0\t{number}\tw{number}\t{cell}\n")
        };
        let words: String = text.iter().enumerate().map(word).collect();
        format!("#begin document (bc/d{place}); part 000\n{words}\n#end document\n")
    }

    fn jsonlines(place: usize, text: &Text) -> String {
        let of = |entity: u64| {
            let spans = (0..).zip(text).filter(|(_, other)| **other == Some(entity));
            spans.map(|(word, _): (u64, _)| [word, word]).collect::<Vec<_>>()
        };
        let clusters: Vec<_> = (0..6).map(of).filter(|spans| !spans.is_empty()).collect();
        let words: Vec<String> = (0..text.len()).map(|word| format!("w{word}")).collect();
        format!("{{\"doc_key\": \"bc/d{place}\", \"sentences\": [{words:?}], \"clusters\": {clusters:?}}}\n")
    }

    fn corefud(place: usize, text: &Text) -> String {
        let word = |(number, entity): (usize, &Option<u64>)| {
            let cell = entity.map_or("_".to_owned(), |entity| format!("Entity=(e{entity})"));
            format!("{}\tw\t_\t_\t_\t_\t{}\t_\t_\t{cell}\n", number + 1, number.min(1))
        };
        let words: String = text.iter().enumerate().map(word).collect();
        format!("# newdoc id = d{place}\n# global.Entity = eid\n# sent_id = s{place}\n{words}\n")
    }

    /// Scores in both ways, which must agree, and returns whether the files were scored while they were read.
    fn is_streamed(request: impl Fn(Request) -> Result<Request>, [key, response]: [&Path; 2]) -> bool {
        let [key, response] = [key, response].map(|path| path.display().to_string());
        let request = request(Request::files(&key, [response.as_str()]).unwrap().threads(2)).unwrap();
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
        let mut random = Random(1);
        let mut streamed = 0;
        for (name, format) in
            [("conll", conll as fn(usize, &Text) -> String), ("jsonlines", jsonlines), ("conllu", corefud)]
        {
            let paths = ["key", "response"].map(|side| folder.path().join(format!("{side}.{name}")));
            for round in 0..4 * REQUESTS.len() {
                for (path, documents) in paths.iter().zip(documents(&mut random)) {
                    let text: String =
                        documents.iter().enumerate().map(|(place, text)| format(place, text)).collect();
                    fs::write(path, text).unwrap();
                }
                let (request, may) = REQUESTS[round % REQUESTS.len()];
                let was = is_streamed(request, [&paths[0], &paths[1]]);
                assert!(may || !was);
                streamed += usize::from(was);
            }
        }
        assert!(streamed > 80, "{streamed} of {}", 12 * REQUESTS.len());
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
        let [key, response] = ["key.conll", "response.conll"].map(|name| folder.path().join(name));
        type Change = fn(&mut Vec<String>);
        let changes: [(Change, bool); 14] = [
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
            (0..30).map(|word| (word + shift).is_multiple_of(3).then_some(1)).collect::<Text>()
        };
        let texts: Vec<String> = (0..6).map(|place| conll(place, &text(0))).collect();
        for (number, (change, expected)) in changes.into_iter().enumerate() {
            let mut changed = texts.clone();
            change(&mut changed);
            for [ours, theirs] in [[&texts, &changed], [&changed, &texts]] {
                fs::write(&key, ours.concat()).unwrap();
                fs::write(&response, theirs.concat()).unwrap();
                for (request, _) in REQUESTS {
                    is_streamed(request, [&key, &response]);
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
        assert!(!is_streamed(Ok, [folder.path(), &response]));
    }
}
