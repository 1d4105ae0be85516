//! Turns inputs into corpora, several in parallel, and reads them again if their words must be compared.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::thread;

use crate::alignment;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::digest::Digest;
use crate::error::{Error, ErrorKind, Result};
use crate::formats::{FormatSpec, LISTS, ReadOptions};
use crate::groups::By;
use crate::input::{self, Digested, Input};
use crate::metrics::{self, Metric};
use crate::model::{Corpus, Document, DocumentId, Side};
use crate::pairing::{self, DocumentPair};
use crate::settings::{CheckTokens, MissingDocuments, OPTIONS, PairDocuments, Settings};
use crate::threads::side_by_side_after;
use crate::wording::{OptionValue, Part, Text, option_value, text};

use super::annotated::Annotated;
use super::request::{Inputs, Request};
use super::{Evaluation, Progress};

/// A corpus with the format of its input.
pub(super) type Loaded = (Corpus, &'static FormatSpec);

/// Corpora that are dropped at the end, or left to the operating system if the process is about to end, since freeing
/// large documents takes time.
pub(super) struct Kept {
    loaded: Vec<Loaded>,
    forget: bool,
}

impl Kept {
    /// Holds `loaded`, without ever dropping it if `forget` is set.
    pub(super) fn new(loaded: Vec<Loaded>, forget: bool) -> Kept {
        Kept { loaded, forget }
    }

    /// Drops the corpora now. If the process is about to end and may use several threads, another thread gives the pages of
    /// their files back in parallel, because a process with large mapped files takes longer to end.
    pub(super) fn release(mut self, threads: usize) {
        if self.forget && threads > 1 {
            let loaded = std::mem::take(&mut self.loaded);
            let release = || loaded.into_iter().for_each(|(corpus, _)| corpus.release_files());
            // If no thread can be started, they are dropped here.
            let _ = thread::Builder::new().spawn(release);
        }
    }
}

impl Deref for Kept {
    type Target = [Loaded];

    fn deref(&self) -> &[Loaded] {
        &self.loaded
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if self.forget {
            std::mem::forget(std::mem::take(&mut self.loaded));
        }
    }
}

/// The options for reading inputs.
#[derive(Clone)]
pub(super) struct Reading<'e> {
    request: &'e Request,
    progress: Option<&'e dyn Progress>,
    /// The settings as far as they are known before the key is read.
    pub(super) settings: Settings,
    keep_layers: bool,
    /// True to keep the key's layers even if responses need none.
    keep_key_layers: bool,
    /// The largest number of threads to use.
    pub(super) threads: usize,
    /// The id for documents without one.
    pub(super) default_id: String,
    /// True to accept a file without mentions.
    allow_empty: bool,
    /// True if an input is one of many files of a side, and may lack mentions if other files have some.
    one_of_many: bool,
    /// True if the inputs are annotators, which have no sides.
    annotators: bool,
}

impl<'e> Reading<'e> {
    /// Creates options that read as `evaluation` requires, with `settings` for readers.
    pub(super) fn new(evaluation: &'e Evaluation, settings: &Settings) -> Reading<'e> {
        let Evaluation { request, progress, .. } = evaluation;
        // An unknown metric is reported elsewhere.
        let metrics = request.metrics_for(settings, "").unwrap_or_default();
        let names = metrics::need_names(settings, &metrics);
        let groups = request.by.is_some_and(By::needs_layers);
        let types = settings.weights.is_some() || metrics.iter().any(Metric::needs_types);
        Reading {
            request,
            progress: progress.as_deref(),
            settings: settings.clone(),
            keep_layers: settings.needs_layers() || names || types || groups || settings.aligns_texts(),
            keep_key_layers: false,
            threads: request.threads,
            default_id: String::new(),
            allow_empty: request.allow_empty,
            one_of_many: false,
            annotators: false,
        }
    }

    /// Returns these options for annotators.
    pub(super) fn of_annotators(self) -> Reading<'e> {
        Reading { annotators: true, ..self }
    }

    /// Returns these options, keeping the annotation of the key's words. If the words of both sides are not compared, those of
    /// responses are kept too, because a response may have more than the key.
    pub(super) fn with_layers_to_show(self, settings: &Settings) -> Reading<'e> {
        match settings.check_tokens {
            CheckTokens::No => self.with_layers(),
            _ => Reading { keep_key_layers: true, ..self },
        }
    }

    /// Returns these options, accepting files without mentions.
    pub(super) fn with_empty(self) -> Reading<'e> {
        Reading { allow_empty: true, ..self }
    }

    /// Returns whether to accept files without mentions.
    pub(super) fn allows_empty(&self) -> bool {
        self.request.allow_empty
    }

    /// Returns these options, keeping the words of all documents.
    pub(super) fn with_layers(self) -> Reading<'e> {
        Reading { keep_layers: true, ..self }
    }

    /// Returns these options for use within a larger task, which reports progress itself.
    pub(super) fn within(self, threads: usize, default_id: String) -> Reading<'e> {
        Reading { progress: None, threads, default_id, one_of_many: true, ..self }
    }

    /// Reads the inputs in parallel. Returns them in order, or the first error in that order.
    ///
    /// Fails before reading anything if files of the request are missing, and names all of them.
    pub(super) fn read_all(&self, inputs: &[(&Input, Side)]) -> Result<Vec<Loaded>> {
        let named = self.request.inputs.all();
        input::check_present(
            named.into_iter().map(|named| &named.input).chain(inputs.iter().map(|input| input.0)),
        )?;
        self.read_each(inputs).into_iter().collect()
    }

    /// Reads the inputs in parallel; some may fail. Moves responses whose text may differ to the key's words.
    pub(super) fn read_each(&self, inputs: &[(&Input, Side)]) -> Vec<Result<Loaded>> {
        self.aligned(inputs, self.each(inputs, |input, side, progress| self.read_one(input, side, progress)))
    }

    /// Moves responses whose text may differ to the key's words.
    fn aligned(&self, inputs: &[(&Input, Side)], mut loaded: Vec<Result<Loaded>>) -> Vec<Result<Loaded>> {
        let is_response = |place: &usize| inputs[*place].1 == Side::Response;
        let needed: Vec<usize> = (0..loaded.len())
            .filter(is_response)
            .filter(|&place| loaded[place].as_ref().is_ok_and(|(corpus, _)| self.needs_alignment(corpus)))
            .collect();
        if needed.is_empty() {
            return loaded;
        }
        let here = inputs.iter().position(|input| input.1 == Side::Key);
        let key_input = match (here, &self.request.inputs) {
            (Some(place), _) => Some(inputs[place].0),
            (None, Inputs::OneKey { key, .. }) => Some(&key.input),
            (None, _) => None,
        };
        let Some(key_input) = key_input else { return loaded };
        let known = here.and_then(|place| loaded[place].as_ref().ok()).filter(|(key, _)| has_layers(key));
        let again = match known {
            Some(_) => None,
            // Read without words, because they were not needed before.
            None => Some(self.clone().with_layers().read_one(key_input, Side::Key, &AtomicU64::new(0))),
        };
        let key = match (known, &again) {
            (Some(key), _) | (None, Some(Ok(key))) => key,
            (None, Some(Err(error))) => {
                let error = error.clone();
                needed.iter().for_each(|&place| loaded[place] = Err(error.clone()));
                return loaded;
            }
            (None, None) => return loaded,
        };
        let mut placed: Vec<(usize, Result<Corpus>)> = Vec::new();
        for place in needed {
            if let Ok((corpus, _)) = &loaded[place] {
                placed.push((place, self.onto((&key.0, key.1), corpus.clone())));
            }
        }
        for (place, corpus) in placed {
            if let Ok((_, format)) = loaded[place] {
                loaded[place] = corpus.map(|corpus| (corpus, format));
            }
        }
        loaded
    }

    /// Returns the observer of reading.
    pub(super) fn progress(&self) -> Option<&'e dyn Progress> {
        self.progress
    }

    /// Returns whether texts are aligned, before or after the key's format was known.
    pub(super) fn aligns(&self, settings: &Settings) -> bool {
        self.settings.aligns_texts() || settings.aligns_texts()
    }

    /// Returns whether a response must be moved to the key's words.
    pub(super) fn needs_alignment(&self, response: &Corpus) -> bool {
        !matches!(self.request.inputs, Inputs::NoKey(_))
            && alignment::is_needed(response, self.settings.align)
    }

    /// Moves a response to the words of a key that was read with its words. Settings have the defaults of the key's
    /// format, which may have been detected only now.
    pub(super) fn onto(&self, (key, format): (&Corpus, &FormatSpec), response: Corpus) -> Result<Corpus> {
        let settings = self.request.settings(Some(format.id))?;
        alignment::onto(key, response, &alignment::Options::of(&settings))
    }

    /// Reads the inputs in parallel, each with the digest of the bytes that were read.
    pub(super) fn read_each_digested(&self, inputs: &[(&Input, Side)]) -> Vec<Result<(Loaded, Digest)>> {
        let read = self.each(inputs, |input, side, progress| {
            let (format, options) = self.options(input, side);
            let read = input.read_with_digest(format, &options, progress);
            let Digested { corpus, format, digest } =
                read.map_err(|error| self.reworded(error, input, side))?;
            Ok((self.settled(input, (corpus, format), side)?, digest))
        });
        let (mut loaded, mut digests) = (Vec::new(), Vec::new());
        for result in read {
            match result {
                Ok((one, digest)) => {
                    loaded.push(Ok(one));
                    digests.push(Some(digest));
                }
                Err(error) => {
                    loaded.push(Err(error));
                    digests.push(None);
                }
            }
        }
        let loaded = self.aligned(inputs, loaded).into_iter().zip(digests);
        let both = loaded.map(|(loaded, digest)| {
            let missing = || Error::new(ErrorKind::Io, "an input was not read");
            loaded.and_then(|loaded| Ok((loaded, digest.ok_or_else(missing)?)))
        });
        both.collect()
    }

    fn each<T: Send>(
        &self,
        inputs: &[(&Input, Side)],
        read_one: impl Fn(&Input, Side, &AtomicU64) -> Result<T> + Sync,
    ) -> Vec<Result<T>> {
        let read = AtomicU64::new(0);
        let total = || inputs.iter().map(|(input, _)| input.size()).sum();
        let bytes = inputs.iter().try_fold(0, |sum, (input, _)| Some(sum + input.size_as_text()?));
        let are_small = bytes.is_some_and(|bytes| bytes < FEW_BYTES);
        let threads = if are_small { 1 } else { self.threads };
        if !are_small {
            reserve(RESERVE[0]);
        }
        let mut results = Vec::new();
        with_progress(self.progress, &total, &read, || {
            let one = |place: usize| read_one(inputs[place].0, inputs[place].1, &read);
            results = side_by_side_after(|| reserve(RESERVE[1]), threads, inputs.len(), one);
        });
        results
    }

    /// Reads one input, and adds the number of bytes to `progress`.
    pub(super) fn read_one(&self, input: &Input, side: Side, progress: &AtomicU64) -> Result<Loaded> {
        let (format, options) = self.options(input, side);
        let loaded = input.read(format, &options, progress);
        self.settled(input, loaded.map_err(|error| self.reworded(error, input, side))?, side)
    }

    /// Returns the error with the input's name in the option about the ends of its spans.
    fn reworded(&self, error: Error, input: &Input, side: Side) -> Error {
        let Some(name) = self.name_of_ends(input, side) else { return error };
        let Some(remedy) = error.remedy_text() else { return error };
        let remedy = remedy.replaced(|part| of_one_input(part, name));
        error.hint(remedy)
    }

    /// Returns the name for `--span-end-of`, if the input is not the only one of its side.
    fn name_of_ends(&self, input: &Input, side: Side) -> Option<&'e str> {
        let several = match &self.request.inputs {
            Inputs::OneKey { responses, .. } => responses.len() > 1 && side == Side::Response,
            _ => false,
        };
        if !several && !self.annotators {
            return None;
        }
        let [path, name] = self.request.names_of(input)[..] else { return None };
        let unique = self.request.inputs.all().iter().filter(|named| named.name == name).count() == 1;
        Some(if unique || path.is_empty() { name } else { path })
    }

    /// Returns the options that set the ends of spans of a key and of one of its responses.
    pub(super) fn ends_options(&self, [key, response]: [(&Input, &FormatSpec); 2]) -> EndsOptions {
        let other = if self.annotators { Side::Key } else { Side::Response };
        let row = OPTIONS.iter().find(|option| option.name == "span-end");
        let instead = |(input, format): (&Input, &FormatSpec), side| {
            let part =
                option_value(if side == 0 { "key-span-end" } else { "response-span-end" }, "exclusive");
            // Documents from a program are lists of spans, or were read with the options.
            let of_file = FormatSpec::named(format.id).is_ok();
            if of_file && row.is_none_or(|row| !row.affects(&format.traits())) {
                return Some(text!("correct the file; no option applies to {}", format.id));
            }
            of_one_input(&part, self.name_of_ends(input, if side == 0 { Side::Key } else { other })?)
        };
        EndsOptions([instead(key, 0), instead(response, 1)])
    }

    /// Returns the format given for a side, and the options for reading its files.
    pub(super) fn options(&self, input: &Input, side: Side) -> (Option<&'static FormatSpec>, ReadOptions) {
        let format = match side {
            Side::Key => self.request.key_format,
            Side::Response => self.request.response_format,
        };
        let options = ReadOptions {
            keep_layers: self.keep_layers || (self.keep_key_layers && side == Side::Key),
            default_id: self.default_id.clone(),
            accept_answers: side == Side::Response && !matches!(self.request.inputs, Inputs::NoKey(_)),
            skip_empty: side == Side::Response && self.request.allow_empty,
            limits: self.request.limits,
            include: self.request.include.clone(),
            ..ReadOptions::of(&self.settings, side, &self.request.names_of(input))
        };
        (format, options)
    }

    /// Fails if there is no annotation, warns about documents without mentions, and adds the given labels to the names
    /// of a corpus.
    fn settled(&self, input: &Input, (mut corpus, format): Loaded, side: Side) -> Result<Loaded> {
        self.check_annotation(input, &mut corpus, (format, side))?;
        // Labels apply to the key's text, or to the responses' text if no key is given.
        let labelled =
            if matches!(self.request.inputs, Inputs::NoKey(_)) { Side::Response } else { Side::Key };
        if let (Some(names), true) = (&self.request.names, self.keep_layers && side == labelled) {
            names.label(&mut corpus)?;
        }
        Ok((corpus, format))
    }

    /// Warns about documents without mentions. Fails if a file or a directory is not annotated with coreference;
    /// documents from a program may be empty.
    fn check_annotation(
        &self,
        input: &Input,
        corpus: &mut Corpus,
        (format, side): (&FormatSpec, Side),
    ) -> Result<()> {
        let without_sides = self.annotators || matches!(self.request.inputs, Inputs::NoKey(_));
        let annotated = Annotated::of(corpus, (!without_sides).then_some(side));
        self.check_annotated(annotated, input, corpus, format)
    }

    /// Like [`check_annotation`](Self::check_annotation), for known annotation. Adds the warnings to the corpus.
    pub(super) fn check_annotated(
        &self,
        annotated: Annotated,
        input: &Input,
        corpus: &mut Corpus,
        format: &FormatSpec,
    ) -> Result<()> {
        if !self.allow_empty && !matches!(input, Input::Documents { .. }) {
            annotated.check_files(format, &corpus.diagnostics)?;
            if !self.one_of_many {
                annotated.check(&input.name(), format, [&corpus.diagnostics])?;
            }
        }
        corpus.diagnostics.merge(annotated.findings());
        Ok(())
    }

    /// Pairs the documents of key and response, and compares their words.
    pub(super) fn pair<'c>(
        &self,
        settings: &Settings,
        [(key_input, key), (response_input, response)]: [(&Input, &'c Corpus); 2],
        diagnostics: &mut Diagnostics,
    ) -> Result<Vec<DocumentPair<'c>>> {
        let pairs = pairing::pair_by(pairing_rules(settings, key_input), key, response, diagnostics)?;
        self.check_words(settings, &pairs, [key_input, response_input], diagnostics)?;
        Ok(pairs)
    }

    /// Compares the words of all pairs. If fingerprints differ, both sides are read again with their words.
    fn check_words(
        &self,
        settings: &Settings,
        pairs: &[DocumentPair<'_>],
        [key, response]: [&Input; 2],
        diagnostics: &mut Diagnostics,
    ) -> Result<()> {
        let doubtful = pairing::doubtful_pairs(pairs, settings, diagnostics);
        if doubtful.is_empty() {
            return Ok(());
        }
        let again = Reading { settings: settings.clone(), keep_layers: true, ..self.clone() };
        let words = again.read_all(&[(key, Side::Key), (response, Side::Response)])?;
        let [key, response] = [0, 1].map(|place| &words[place].0);
        let by_id = |corpus: &'_ Corpus| -> BTreeMap<DocumentId, usize> {
            let documents = corpus.documents.iter().enumerate();
            documents.map(|(place, document)| (document.id().clone(), place)).collect()
        };
        let (key_places, response_places) = (by_id(key), by_id(response));
        for pair in doubtful {
            // Paired documents may have differently spelt ids.
            let (ours, theirs) = (pair.key.id(), pair.response.map_or(pair.key.id(), Document::id));
            if let (Some(&ours), Some(&theirs)) = (key_places.get(ours), response_places.get(theirs)) {
                let (ours, theirs) = (&key.documents[ours], &response.documents[theirs]);
                pairing::compare_words(pair, ours, theirs, settings, diagnostics).map_err(|error| {
                    let findings = [&key.diagnostics, &response.diagnostics];
                    with_truncation(error, findings, [ours.id(), theirs.id()])
                })?;
            }
        }
        Ok(())
    }
}

/// Returns the rules for pairing documents with those of a key. In lists of mentions, equal mentions are only known within a
/// document, so documents with different names are never paired.
pub(super) fn pairing_rules(settings: &Settings, key: &Input) -> (PairDocuments, MissingDocuments) {
    let rule = match key {
        Input::Documents { format, .. } if format.id == LISTS.id => PairDocuments::Id,
        _ => settings.pair_documents,
    };
    (rule, settings.missing_documents)
}

/// The options that findings name instead of `--key-span-end` and `--response-span-end`.
#[derive(Clone, Debug, Default)]
pub(super) struct EndsOptions([Option<Text>; 2]);

impl EndsOptions {
    /// Replaces the options named in the findings.
    pub(super) fn name_in(&self, diagnostics: &mut Diagnostics) {
        diagnostics.reword(Code::SpanEnds, |part| match part {
            Part::Option { name, .. } if name == "key-span-end" => self.0[0].clone(),
            Part::Option { name, .. } if name == "response-span-end" => self.0[1].clone(),
            _ => None,
        });
    }
}

/// Rewords a side's option about the ends of spans as the option for a single input.
fn of_one_input(part: &Part, name: &str) -> Option<Text> {
    match part {
        Part::Option { name: option, value: OptionValue::Word(end) }
            if matches!(&**option, "key-span-end" | "response-span-end") =>
        {
            Some(option_value("span-end-of", format!("{name}={end}")).into())
        }
        _ => None,
    }
}

/// Adds the likely cause to an error about the words of two documents, if a file is truncated or one of the documents
/// has no end.
fn with_truncation(error: Error, findings: [&Diagnostics; 2], documents: [&DocumentId; 2]) -> Error {
    let sides = findings.into_iter().zip(documents);
    let groups = sides.flat_map(|(findings, id)| findings.groups().iter().map(move |group| (group, id)));
    let endings = groups.flat_map(|(group, id)| {
        let concerns = move |finding: &&Arc<Diagnostic>| match group.code {
            Code::Truncated => true,
            Code::NoEndLine => finding.document.as_deref() == Some(id.to_string().as_str()),
            _ => false,
        };
        group.kept.iter().filter(concerns).map(|finding| (group.code, finding))
    });
    endings.fold(error, |error, (code, finding)| match (&finding.position, code) {
        (Some(position), Code::NoEndLine) => {
            error.with_place(position.clone(), text!("{}: is the file truncated?", finding.message.clone()))
        }
        (Some(position), _) => error.with_place(position.clone(), finding.message.clone()),
        (None, _) => error,
    })
}

/// Returns whether all documents have their words in memory.
pub(super) fn has_layers(corpus: &Corpus) -> bool {
    corpus.documents.iter().all(|document| document.words().layers().is_some())
}

/// Runs `work`, observed by `progress`, if any.
pub(super) fn with_progress(
    progress: Option<&dyn Progress>,
    total: &dyn Fn() -> u64,
    read: &AtomicU64,
    work: impl FnOnce(),
) {
    let Some(progress) = progress else { return work() };
    let mut work = Some(work);
    progress.observe(total, read, &mut || {
        if let Some(work) = work.take() {
            work();
        }
    });
}

/// The total size in bytes below which inputs are read on one thread, because starting more threads would take longer.
const FEW_BYTES: u64 = 1 << 18;

/// Requests a large piece of memory from the allocator and returns it unused. By default glibc gives every thread but
/// the first one page of memory at a time, with a system call for each; after a piece of this size was allocated and
/// freed, a thread's memory grows by such pieces. Without this, the second reader spends a tenth of its time in the
/// kernel. Other allocators are not affected.
fn reserve(bytes: usize) {
    drop(std::hint::black_box(Vec::<u8>::with_capacity(bytes)));
}

/// The size that [`reserve`] requests. It is larger in the first thread, which determines the threshold for large
/// pieces.
const RESERVE: [usize; 2] = [8 << 20, 6 << 20];
