//! Reads several systems and their key, using cached counts where possible.

use crate::wording::switch;
use crate::wording::text;
use std::collections::BTreeSet;

use crate::cache::{Cache, Entry, entry_digest};
use crate::diagnostic::{Code, Diagnostics, Position};
use crate::digest::Digest;
use crate::error::{Error, ErrorKind, Result};
use crate::formats::FormatSpec;
use crate::input::{self, Input};
use crate::metrics::{self, Metric};
use crate::model::{Corpus, Document, Side};
use crate::named;
use crate::pairing::DocumentPair;
use crate::profiles::Profile;
use crate::reports::comparison::Broken;
use crate::results::SystemReport;
use crate::score::{DocumentTallies, Task};
use crate::settings::{Average, NamedSource, Settings, Switch};
use crate::threads::side_by_side;

use super::one_key::{name_findings, sides};
use super::reading::{EndsOptions, Loaded, Reading};
use super::request::{Inputs, NamedInput};
use super::{Evaluation, NameSources, TaskKind, add_format, formats_of, nothing};

/// The options for reading several systems.
#[derive(Clone, Copy, Default)]
pub(super) struct SystemOptions<'w> {
    /// True to score only the documents that all systems have. Otherwise a missing document is an error.
    pub(super) shared_documents: bool,
    /// True to leave out a system that cannot be compared. Otherwise it is an error.
    pub(super) skip_broken: bool,
    /// The folder of the cache.
    pub(super) cache: Option<&'w Cache>,
}

/// The systems as read, with their documents paired with the key's.
pub(super) struct PairedSystems<'c> {
    /// The task.
    pub(super) task: Task,
    /// The findings so far.
    pub(super) diagnostics: Diagnostics,
    /// The formats that were read.
    pub(super) format: String,
    /// The number of key documents that some system lacks, if only shared documents are compared.
    pub(super) left_out: Option<usize>,
    /// The systems.
    pub(super) systems: Vec<PairedSystem<'c>>,
    /// The systems that cannot be compared.
    pub(super) broken: Vec<Broken>,
}

/// A system to compare.
pub(super) struct PairedSystem<'c> {
    /// Its name.
    pub(super) name: String,
    /// The key as named by the user.
    pub(super) key: String,
    /// The response as named by the user.
    pub(super) response: String,
    /// Its documents, paired with the key's. The key documents and their order are the same for all systems.
    pub(super) pairs: Vec<DocumentPair<'c>>,
    /// The options about the ends of its spans.
    pub(super) ends: EndsOptions,
    /// Its state in the cache.
    past: CacheState<'c>,
}

/// The state of a system in the cache.
enum CacheState<'c> {
    /// Not cached, and not to be cached.
    None,
    /// Cached counts. The response was not read, and the pairs contain only the key.
    Kept(Box<StoredEntry<'c>>),
    /// No counts yet.
    New(Box<StoredEntry<'c>>),
}

/// An entry of the cache, which may not have counts yet.
struct StoredEntry<'c> {
    cache: &'c Cache,
    input: &'c Input,
    found_by: FoundBy,
    entry: Entry,
}

/// The key of an entry.
#[derive(Clone, Copy)]
struct FoundBy {
    key: Digest,
    /// The digest of the response's bytes, as read now or when the counts were cached.
    input: Digest,
}

impl<'c> PairedSystem<'c> {
    /// Creates a system without cache.
    pub(super) fn new(
        name: String,
        key: String,
        response: String,
        pairs: Vec<DocumentPair<'c>>,
    ) -> PairedSystem<'c> {
        PairedSystem { name, key, response, pairs, ends: EndsOptions::default(), past: CacheState::None }
    }

    /// Removes and returns its cached counts.
    pub(super) fn take_kept(&mut self) -> Option<Entry> {
        match std::mem::replace(&mut self.past, CacheState::None) {
            CacheState::Kept(stored) => Some(stored.entry),
            past => {
                self.past = past;
                None
            }
        }
    }

    /// Stores the counts and findings of its scoring in the cache, if any.
    pub(super) fn keep(
        &mut self,
        documents: &[DocumentTallies],
        report: &SystemReport,
        scored: Diagnostics,
        diagnostics: &mut Diagnostics,
    ) {
        let CacheState::New(stored) = std::mem::replace(&mut self.past, CacheState::None) else { return };
        let StoredEntry { cache, input, found_by: FoundBy { key, input: digest }, entry } = *stored;
        let SystemReport { named, sizes, .. } = *report;
        let entry = Entry { documents: documents.to_vec(), named, sizes, scored, ..entry };
        // The file may have been read again to compare words; its bytes must still match the digest.
        let why = match input.digest() {
            Ok(now) if now == digest => {
                cache.keep(&key, &entry).err().map(|error| error.message().to_owned())
            }
            _ => Some("the response has changed in the meantime".to_owned()),
        };
        if let Some(why) = why {
            let position = position(&cache.path(&key).display().to_string());
            diagnostics.add(Code::CacheUnwritten, Some(position), None, || {
                format!("`{}` was not kept: {why}", self.name)
            });
        }
    }

    /// Fails if its bytes differ from those of the cache's entry.
    fn check_unchanged(&self, digest: Digest) -> Result<()> {
        match &self.past {
            CacheState::New(stored) if stored.found_by.input != digest => {
                Err(Error::new(ErrorKind::Io, "this file changed while it was being compared")
                    .at(position(&self.response))
                    .hint("run again when it is complete"))
            }
            _ => Ok(()),
        }
    }

    /// Returns the places of the documents that it lacks.
    fn missing(&self) -> Vec<usize> {
        match &self.past {
            CacheState::Kept(stored) => stored.entry.missing.clone(),
            CacheState::None | CacheState::New(_) => missing(&self.pairs),
        }
    }

    /// Returns it as a system that cannot be compared because of `error`.
    fn broken(self, error: Error) -> Broken {
        Broken { name: self.name, response: self.response, error }
    }
}

/// Returns the places of the key documents that a response lacks.
fn missing(pairs: &[DocumentPair<'_>]) -> Vec<usize> {
    let lacks = pairs.iter().enumerate().filter(|(_, pair)| pair.response.is_none());
    lacks.map(|(place, _)| place).collect()
}

fn position(path: &str) -> Position {
    Position::new(&path.into(), 0, 0)
}

/// A response before its documents are paired with the key's.
enum SeenResponse {
    /// A response that was read and has this place; its counts may have to be cached.
    Read(usize, Option<FoundBy>),
    /// A response with cached counts.
    Kept(Box<Entry>, FoundBy),
    /// A response that cannot be read.
    Broken(Error),
}

/// Adds to the error of a system that the others can be compared without it.
fn suggest_the_others(error: Error) -> Error {
    match error.remedy_text().cloned() {
        None => error.hint(text!("{} compares the others", switch("skip-broken"))),
        Some(remedy) => error.hint(text!("{} ({} compares the others)", remedy, switch("skip-broken"))),
    }
}

impl SeenResponse {
    /// Returns the sources of names of a response with cached counts.
    fn kept_sources(&self) -> Option<Vec<NamedSource>> {
        match self {
            SeenResponse::Kept(entry, _) => Some(entry.sources.clone()),
            SeenResponse::Read(..) | SeenResponse::Broken(_) => None,
        }
    }

    fn error(&self) -> Option<&Error> {
        match self {
            SeenResponse::Broken(error) => Some(error),
            SeenResponse::Read(..) | SeenResponse::Kept(..) => None,
        }
    }
}

impl Evaluation {
    /// Reads the key and all responses, pairs their documents and passes them to `work`. `before` may reject the names
    /// of the responses first. Responses with cached counts are not read.
    pub(super) fn with_systems<T>(
        &self,
        kind: TaskKind,
        wanted: &SystemOptions<'_>,
        before_reading: impl FnOnce(&[NamedInput]) -> Result<()>,
        work: impl FnOnce(PairedSystems<'_>) -> Result<T>,
    ) -> Result<T> {
        let (before, key, responses) = self.compared(kind)?;
        before_reading(responses)?;
        let hinted = |error: Error| match kind == TaskKind::Compare && responses.len() > 1 {
            true => suggest_the_others(error),
            false => error,
        };
        if !wanted.skip_broken {
            self.check_present().map_err(|error| match input::check_present([&key.input]) {
                Ok(()) => hinted(error),
                Err(_) => error,
            })?;
        }
        let reading = Reading::new(self, &before);
        let mut found = Diagnostics::default();
        let (loaded, seen) = match wanted.cache {
            None => read_all(&reading, key, responses)?,
            Some(cache) => self.read_new(&reading, cache, (key, responses), &mut found)?,
        };
        if !wanted.skip_broken
            && let Some(error) = seen.iter().find_map(SeenResponse::error)
        {
            return Err(hinted(error.clone()));
        }
        let loaded = self.kept(loaded);
        let Some(((key_corpus, key_format), _)) = loaded.split_first() else { return Err(nothing()) };
        let mut task = self.task(key_format)?;
        if task.settings.pair_files == Switch::Yes {
            return Err(paired_files(kind));
        }
        let mut diagnostics = key_corpus.diagnostics.clone();
        let all: Vec<&Corpus> = loaded.iter().map(|loaded| &loaded.0).collect();
        self.compare_what_adds_up(&mut task, &mut diagnostics)?;
        let of_kept = || seen.iter().filter_map(SeenResponse::kept_sources).flatten();
        let sources = || all.iter().flat_map(|corpus| named::sources(corpus)).chain(of_kept()).collect();
        // Counts are cached only for responses that support all metrics of the key.
        let names = NameSources { first: key_corpus.documents.first(), sources: Box::new(sources) };
        self.settle(&mut task, &formats_of(&loaded), &all, names, &mut diagnostics)?;
        diagnostics.merge(found);
        let with_names = metrics::need_names(&task.settings, &task.metrics);
        let pairing = SystemPairing {
            reading: &reading,
            key,
            key_corpus,
            key_format,
            loaded: &loaded,
            settings: &task.settings,
            cache: wanted.cache,
            with_names,
            several: responses.len() > 1,
        };
        let mut format = key_format.id.to_owned();
        let seen = responses.iter().zip(seen);
        let (mut systems, mut broken) =
            pairing.systems(seen, wanted.skip_broken, &mut format, &mut diagnostics).map_err(hinted)?;
        if wanted.skip_broken && !wanted.shared_documents {
            leave_out_lacking(&mut systems, &mut broken);
        }
        let left_out = share(&mut systems, wanted.shared_documents, &mut diagnostics).map_err(hinted)?;
        // The choices that depend on the other systems are now known.
        let given = given(&task, left_out.as_ref());
        let stale = settle_past(&mut systems, given);
        let inputs = inputs_of(stale.iter().map(|&place| &systems[place]), responses);
        let late = self.kept(reread(&reading, &systems, &stale, &inputs)?);
        for ((&place, (response, _)), (input, _)) in stale.iter().zip(late.iter()).zip(inputs) {
            let sides = [(&key.input, key_corpus), (input, response)];
            // The findings are in the entry.
            let pairs = reading.pair(&task.settings, sides, &mut Diagnostics::default())?;
            systems[place].pairs = without(pairs, left_out.as_ref());
        }
        let left_out = left_out.map(|places| places.len());
        work(PairedSystems { task, diagnostics, format, left_out, systems, broken })
    }

    /// Returns the settings before the inputs are read, the key and the responses. Fails if the task of this kind does not
    /// support the inputs.
    fn compared(&self, kind: TaskKind) -> Result<(Settings, &NamedInput, &[NamedInput])> {
        let before = self.settings_before()?;
        match &self.request.inputs {
            Inputs::OneKey { key, responses } if before.pair_files == Switch::No => {
                Ok((before, key, responses))
            }
            Inputs::Counts(_) => Err(only_scored(kind)),
            _ => Err(paired_files(kind)),
        }
    }

    /// Leaves out metrics that need all documents at once, such as ACE-value, if scores are averaged over documents. If
    /// no metric was requested and none of the profile's metrics remains, uses those of the CoNLL tasks.
    fn compare_what_adds_up(&self, task: &mut Task, diagnostics: &mut Diagnostics) -> Result<()> {
        let averaged = task.settings.average != Average::Micro;
        let adds_up = |metric: &Metric| !averaged || !metric.needs_corpus();
        if self.request.has_metrics() || task.metrics.iter().any(adds_up) {
            return Ok(());
        }
        let usual = Profile::for_format("conll");
        diagnostics.add(Code::NotCompared, None, None, || {
            let ids: Vec<String> = task.metrics.iter().map(Metric::to_string).collect();
            format!("{} are not compared; {} are compared instead", ids.join(", "), usual.metrics.join(", "))
        });
        task.metrics = Metric::of_profile(usual)?;
        Ok(())
    }

    /// Reads the key, and each response without cached counts.
    fn read_new(
        &self,
        reading: &Reading<'_>,
        cache: &Cache,
        (key, responses): (&NamedInput, &[NamedInput]),
        diagnostics: &mut Diagnostics,
    ) -> Result<(Vec<Loaded>, Vec<SeenResponse>)> {
        let ((key, of_key), digests) = read_key_and_digests(reading, key, responses)?;
        let mut loaded = vec![key];
        let (key_corpus, key_format) = &loaded[0];
        let Task { settings, metrics, .. } = self.task(key_format)?;
        let about = self.about(&reading.settings, &settings, &metrics);
        let found_by = |digest: &Digest| FoundBy {
            key: entry_digest([about.as_bytes(), of_key.as_bytes(), digest.as_bytes()]),
            input: *digest,
        };
        let before: Vec<Result<FoundBy>> =
            digests.iter().map(|digest| digest.as_ref().map(found_by).map_err(Clone::clone)).collect();
        let entries = side_by_side(reading.threads, before.len(), |place| match &before[place] {
            Ok(found_by) => cache.find(&found_by.key),
            Err(_) => Ok(None),
        });
        let mut new = Vec::new();
        let mut seen: Vec<Option<SeenResponse>> = Vec::new();
        for ((named, found_by), entry) in responses.iter().zip(before).zip(entries) {
            seen.push(match (found_by, entry) {
                (Err(error), _) => Some(SeenResponse::Broken(error)),
                (Ok(found_by), Ok(Some(entry))) => Some(SeenResponse::Kept(Box::new(entry), found_by)),
                (Ok(found_by), entry) => {
                    if let Err(why) = entry {
                        let path = cache.path(&found_by.key).display().to_string();
                        let name = &named.name;
                        diagnostics.add(Code::CacheEntry, Some(position(&path)), None, || {
                            format!(
                                "`{name}` was scored again: this entry of the cache cannot be used: {why}"
                            )
                        });
                    }
                    new.push(&named.input);
                    None
                }
            });
        }
        let inputs: Vec<(&Input, Side)> = new.into_iter().map(|input| (input, Side::Response)).collect();
        let possible =
            |corpus: &Corpus, metric: &Metric| corpus.documents.iter().all(|d| metric.is_possible(d));
        let metrics: Vec<Metric> =
            metrics.into_iter().filter(|metric| possible(key_corpus, metric)).collect();
        let mut read = reading.read_each_digested(&inputs).into_iter();
        let mut read_next = || match read.next() {
            Some(Ok((response, digest))) => {
                // Entries do not record the alignment of texts.
                let all = metrics.iter().all(|metric| possible(&response.0, metric))
                    && response.0.alignment.is_none();
                loaded.push(response);
                SeenResponse::Read(loaded.len() - 1, all.then(|| found_by(&digest)))
            }
            Some(Err(error)) => SeenResponse::Broken(error),
            None => SeenResponse::Broken(Error::new(ErrorKind::Io, "an input was not read")),
        };
        let seen = seen.into_iter().map(|known| known.unwrap_or_else(&mut read_next)).collect();
        Ok((loaded, seen))
    }

    /// Returns everything that the counts of a system depend on, except the bytes of key and response and the other
    /// systems.
    fn about(&self, reading: &Settings, settings: &Settings, metrics: &[Metric]) -> String {
        let format = self.request.response_format.map_or("auto", |spec| spec.id);
        let key_format = self.request.key_format.map_or("auto", |spec| spec.id);
        format!(
            "{key_format} {format} {reading:?} {settings:?} {metrics:?} {:?} {} {:?}",
            self.request.names.as_deref(),
            self.request.allow_empty,
            self.request.include
        )
    }
}

/// Reads the key and each response.
fn read_all(
    reading: &Reading<'_>,
    key: &NamedInput,
    responses: &[NamedInput],
) -> Result<(Vec<Loaded>, Vec<SeenResponse>)> {
    let mut read = reading.read_each(&sides(key, responses)).into_iter();
    let mut loaded: Vec<Loaded> = read.next().into_iter().collect::<Result<_>>()?;
    let mut seen = Vec::new();
    for response in read {
        seen.push(match response {
            Ok(response) => {
                loaded.push(response);
                SeenResponse::Read(loaded.len() - 1, None)
            }
            Err(error) => SeenResponse::Broken(error),
        });
    }
    Ok((loaded, seen))
}

/// Returns the digest of the choices that depend on the other systems: the available metrics, the source of names, the
/// documents.
fn given(task: &Task, left_out: Option<&BTreeSet<usize>>) -> Digest {
    Digest::of([format!("{:?} {:?} {left_out:?}", task.settings, task.metrics)])
}

/// Returns the inputs of the given systems among all responses.
fn inputs_of<'i, 's, 'd: 's>(
    systems: impl Iterator<Item = &'s PairedSystem<'d>>,
    responses: &'i [NamedInput],
) -> Vec<(&'i Input, Side)> {
    let input_of = |system: &PairedSystem<'_>| {
        let named = responses.iter().find(|named| named.name == system.name)?;
        Some((&named.input, Side::Response))
    };
    systems.filter_map(input_of).collect()
}

/// A key with its digest, and the digests of responses, which may be unreadable.
type KeyAndDigests = ((Loaded, Digest), Vec<Result<Digest>>);

/// Reads the key while the bytes of the responses are digested. Files may be replaced at any time, so digests are
/// computed while the bytes are read, and counts are stored under them.
fn read_key_and_digests(
    reading: &Reading<'_>,
    key: &NamedInput,
    responses: &[NamedInput],
) -> Result<KeyAndDigests> {
    enum KeyOrDigest {
        Key(Box<Option<Result<(Loaded, Digest)>>>),
        Digest(Result<Digest>),
    }
    let done = side_by_side(reading.threads, responses.len() + 1, |number| match number {
        0 => KeyOrDigest::Key(Box::new(reading.read_each_digested(&[(&key.input, Side::Key)]).pop())),
        number => KeyOrDigest::Digest(responses[number - 1].input.digest()),
    });
    let (mut read, mut digests) = (None, Vec::new());
    for done in done {
        match done {
            KeyOrDigest::Key(key) => read = *key,
            KeyOrDigest::Digest(digest) => digests.push(digest),
        }
    }
    Ok((read.ok_or_else(nothing)??, digests))
}

/// The pairing of responses with the key.
struct SystemPairing<'p, 'c> {
    reading: &'p Reading<'p>,
    settings: &'p Settings,
    /// True if scores depend on which mentions are named.
    with_names: bool,
    /// True if findings are about one of several systems.
    several: bool,
    key: &'c NamedInput,
    key_corpus: &'c Corpus,
    key_format: &'static FormatSpec,
    /// The corpora that were read.
    loaded: &'c [Loaded],
    cache: Option<&'c Cache>,
}

impl<'c> SystemPairing<'_, 'c> {
    /// Returns a system without documents.
    fn unpaired(&self, named: &NamedInput) -> PairedSystem<'c> {
        PairedSystem::new(named.name.clone(), self.key.path.clone(), named.path.clone(), Vec::new())
    }

    /// Pairs all responses with the key. Also returns those that cannot be compared, if they are to be skipped;
    /// otherwise their first error is returned.
    fn systems(
        &self,
        responses: impl Iterator<Item = (&'c NamedInput, SeenResponse)>,
        skip_broken: bool,
        format: &mut String,
        diagnostics: &mut Diagnostics,
    ) -> Result<(Vec<PairedSystem<'c>>, Vec<Broken>)> {
        let (mut systems, mut broken) = (Vec::new(), Vec::new());
        for (named, seen) in responses {
            match self.system(named, seen, format, diagnostics) {
                Ok(system) => systems.push(system),
                Err(error) if skip_broken => broken.push(self.unpaired(named).broken(error)),
                Err(error) => return Err(error),
            }
        }
        Ok((systems, broken))
    }

    /// Pairs a response with the key, and adds its format and its findings.
    fn system(
        &self,
        named: &'c NamedInput,
        seen: SeenResponse,
        format: &mut String,
        diagnostics: &mut Diagnostics,
    ) -> Result<PairedSystem<'c>> {
        let mut system = self.unpaired(named);
        let (spec, mut read) = match seen {
            SeenResponse::Broken(error) => return Err(error),
            SeenResponse::Kept(entry, found_by) => {
                let documents = self.key_corpus.documents.iter();
                system.pairs = documents.map(|key| DocumentPair { key, response: None }).collect();
                let found = (entry.format, entry.read.clone());
                let stored = stored(self.cache, &named.input, found_by, *entry);
                system.past = stored.map_or(CacheState::None, CacheState::Kept);
                found
            }
            SeenResponse::Read(place, found_by) => {
                let (response, spec) = &self.loaded[place];
                let sides = [(&self.key.input, self.key_corpus), (&named.input, response)];
                let mut found = Diagnostics::default();
                system.pairs = self.reading.pair(self.settings, sides, &mut found)?;
                // Missing documents are reported later, for all systems together.
                found.forget(Code::MissingDocument);
                let mut read = response.diagnostics.clone();
                read.merge(found);
                if let Some(found_by) = found_by {
                    let entry = Entry {
                        given: found_by.key,
                        format: spec,
                        sources: if self.with_names { named::sources(response) } else { Vec::new() },
                        missing: missing(&system.pairs),
                        read: read.clone(),
                        scored: Diagnostics::default(),
                        named: None,
                        sizes: Default::default(),
                        documents: Vec::new(),
                    };
                    let stored = stored(self.cache, &named.input, found_by, entry);
                    system.past = stored.map_or(CacheState::None, CacheState::New);
                }
                (*spec, read)
            }
        };
        system.ends = self.reading.ends_options([(&self.key.input, self.key_format), (&named.input, spec)]);
        add_format(format, spec);
        if self.several {
            name_findings(&mut read, &named.name, &self.key_corpus.documents);
        }
        diagnostics.merge(read);
        Ok(system)
    }
}

/// Reads the responses of systems whose cached counts do not match.
fn reread(
    reading: &Reading<'_>,
    systems: &[PairedSystem<'_>],
    stale: &[usize],
    inputs: &[(&Input, Side)],
) -> Result<Vec<Loaded>> {
    let read = reading.read_each_digested(inputs).into_iter().zip(stale);
    let checked = read.map(|(read, &place)| {
        let (response, digest) = read?;
        systems[place].check_unchanged(digest)?;
        Ok(response)
    });
    checked.collect()
}

/// Returns an entry with its key, if a cache is used.
fn stored<'c>(
    cache: Option<&'c Cache>,
    input: &'c Input,
    found_by: FoundBy,
    entry: Entry,
) -> Option<Box<StoredEntry<'c>>> {
    Some(Box::new(StoredEntry { cache: cache?, input, found_by, entry }))
}

/// Discards cache entries that do not match `given` and returns the indexes of their systems, which must be read.
fn settle_past(systems: &mut [PairedSystem<'_>], given: Digest) -> Vec<usize> {
    let mut stale = Vec::new();
    for (place, system) in systems.iter_mut().enumerate() {
        system.past = match std::mem::replace(&mut system.past, CacheState::None) {
            CacheState::Kept(stored) if stored.entry.given == given => CacheState::Kept(stored),
            CacheState::Kept(mut stored) => {
                stale.push(place);
                stored.entry.given = given;
                CacheState::New(stored)
            }
            CacheState::New(mut stored) => {
                stored.entry.given = given;
                CacheState::New(stored)
            }
            CacheState::None => CacheState::None,
        };
    }
    stale
}

/// Returns the error for a task that needs more than tables of counts.
pub(super) fn only_scored(kind: TaskKind) -> Error {
    let message = text!("{} needs documents; tables of counts can be scored and compared", kind.id());
    Error::new(ErrorKind::Settings, message).hint("give the key and the responses themselves")
}

fn paired_files(kind: TaskKind) -> Error {
    let message = format!("{kind} resamples the documents of one corpus and does not pair files");
    Error::new(ErrorKind::Settings, message).hint(text!(
        "give directories without {}; {} distinguishes documents of the same id in several files",
        switch("pair-files"),
        switch("ids-by-file")
    ))
}

/// Returns the error for a system that lacks the documents at these places.
fn lacks(system: &PairedSystem<'_>, places: &[usize]) -> Option<Error> {
    let document = system.pairs.get(*places.first()?)?.key;
    let message = match places.len() {
        1 => format!("`{}` lacks the document `{}`", system.name, document.id()),
        count => format!("`{}` lacks {count} documents, the first of them `{}`", system.name, document.id()),
    };
    let hint =
        text!("add them, or compare on the documents that all systems have: {}", switch("shared-documents"));
    Some(Error::new(ErrorKind::Pairing, message).at(document.position()).hint(hint))
}

/// Removes the systems that lack a document.
fn leave_out_lacking(systems: &mut Vec<PairedSystem<'_>>, broken: &mut Vec<Broken>) {
    for system in std::mem::take(systems) {
        match lacks(&system, &system.missing()) {
            Some(error) => broken.push(system.broken(error)),
            None => systems.push(system),
        }
    }
}

/// If requested, keeps only the documents that all systems have, and returns the places of the others. Otherwise fails
/// if a system lacks a document.
pub(super) fn share(
    systems: &mut [PairedSystem<'_>],
    wanted: bool,
    diagnostics: &mut Diagnostics,
) -> Result<Option<BTreeSet<usize>>> {
    let missing: Vec<Vec<usize>> = systems.iter().map(PairedSystem::missing).collect();
    if !wanted {
        let error = systems.iter().zip(&missing).find_map(|(system, places)| lacks(system, places));
        return error.map_or(Ok(None), Err);
    }
    let key: Vec<&Document> =
        systems.first().map_or_else(Vec::new, |system| system.pairs.iter().map(|pair| pair.key).collect());
    let left_out: BTreeSet<usize> = missing.iter().flatten().copied().collect();
    for &place in &left_out {
        let document = key[place];
        let id = document.id().to_string();
        let lacking = missing.iter().zip(&*systems).filter(|(places, _)| places.contains(&place));
        let lacking: Vec<&str> = lacking.map(|(_, system)| system.name.as_str()).collect();
        diagnostics.add(Code::DocumentsNotShared, Some(document.position()), Some(id.clone()), || {
            format!("`{id}` was left out: {} lacks it", lacking.join(", "))
        });
    }
    for system in systems {
        system.pairs = without(std::mem::take(&mut system.pairs), Some(&left_out));
    }
    Ok(Some(left_out))
}

/// Returns the pairs except those at the given places.
fn without<'c>(pairs: Vec<DocumentPair<'c>>, left_out: Option<&BTreeSet<usize>>) -> Vec<DocumentPair<'c>> {
    let pairs = pairs.into_iter().enumerate();
    pairs
        .filter(|(place, _)| !left_out.is_some_and(|places| places.contains(place)))
        .map(|(_, pair)| pair)
        .collect()
}
