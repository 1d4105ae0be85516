//! Scores files pair by pair, from two directories or as named pairs, and computes their macro average.
//!
//! Each thread reads, scores and drops a pair, so that memory contains only one pair per thread.

use crate::wording::text;
use crate::wording::{option, option_blank, quoted, switch};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use glob::Pattern;

use crate::diagnostic::{Diagnostics, Position};
use crate::error::{Error, ErrorKind, Result};
use crate::file_pairs::{Directory, pair_files, pair_names};
use crate::formats::FormatSpec;
use crate::input::{Input, hint_of_directory};
use crate::model::{Side, TextAlignment};
use crate::pairing::DocumentPair;
use crate::results::average::macro_average;
use crate::results::{Report, SystemReport};
use crate::settings::Settings;
use crate::threads::side_by_side;
use crate::{alignment, metrics};

use super::annotated::Annotated;
use super::one_key::name_findings;
use super::reading::{Loaded, Reading, has_layers, with_progress};
use super::request::{Inputs, NamedInput};
use super::{Evaluation, NameSources, add_format, check_possible, documents_of, nothing, score_joined};

/// A key file and the files that are scored against it.
struct KeyWithResponses {
    name: String,
    key: Input,
    /// The index of each system and its file, if it has one.
    responses: Vec<(usize, Option<Input>)>,
}

/// The scores of a pair.
struct ScoredPair {
    settings: Settings,
    /// The format in which the key was read.
    format: &'static FormatSpec,
    diagnostics: Diagnostics,
    /// The alignment of the responses' texts, if they were aligned.
    alignment: Option<TextAlignment>,
    /// The key's annotation where coreference is expected, and the findings of its reader.
    annotated: (Annotated, Diagnostics),
    /// For each response, its system, its file, if any, and its scores.
    rows: Vec<(usize, Option<ReadFile>, SystemReport)>,
}

/// The format of a file, its annotation where coreference is expected, and the findings of its reader.
type ReadFile = (&'static FormatSpec, (Annotated, Diagnostics));

impl Evaluation {
    /// Scores the files of directories, or named pairs, each pair separately.
    pub(super) fn score_files(&self, before: &Settings) -> Result<Report> {
        self.check_present()?;
        let mut diagnostics = Diagnostics::default();
        let (systems, pairs) = match &self.request.inputs {
            Inputs::OneKey { key, responses } => {
                self.pairs_of_directories(key, responses, &mut diagnostics)?
            }
            Inputs::Pairs(named) => pairs_of_names(named)?,
            Inputs::NoKey(_) | Inputs::Counts(_) => {
                return Err(Error::new(ErrorKind::Settings, "pairs of files require a key"));
            }
        };
        let scored = self.score_all(before, &systems, &pairs)?;
        let Some(first) = scored.first() else { return Err(nothing()) };
        let mut report =
            Report::new(first.settings.clone(), first.format.id.to_owned(), diagnostics, Vec::new());
        let applied = scored.iter().filter_map(|result| result.alignment).reduce(TextAlignment::and);
        alignment::note(&mut report.settings, applied);
        if applied.is_none() {
            self.request.warn_unaligned(&mut report.diagnostics);
        }
        check_formats(&systems, &pairs, &scored)?;
        if !self.request.allow_empty {
            self.check_annotation(&systems, &pairs, &scored)?;
        }
        let mut by_system: Vec<Vec<SystemReport>> = systems.iter().map(|_| Vec::new()).collect();
        for result in scored {
            report.diagnostics.merge(result.diagnostics);
            for (system, format, mut row) in result.rows {
                if let Some((format, _)) = format {
                    add_format(&mut report.format, format);
                }
                if let (Some(pair), true) = (&row.pair, systems.len() > 1) {
                    row.name = format!("{}: {pair}", systems[system]);
                }
                by_system[system].push(row);
            }
        }
        for (name, rows) in systems.iter().zip(by_system) {
            let start = report.systems.len();
            report.systems.extend(rows);
            let rows = start..report.systems.len();
            report.averages.push(macro_average(name, rows, &report.systems, &mut report.diagnostics));
        }
        self.refuse_warnings(&report.diagnostics)?;
        Ok(report)
    }

    /// Fails if the keys' files, or the files of a system, have no mentions.
    fn check_annotation(
        &self,
        systems: &[String],
        pairs: &[KeyWithResponses],
        scored: &[ScoredPair],
    ) -> Result<()> {
        let mut wholes: Vec<Whole<'_>> = vec![Whole::default(); systems.len() + 1];
        for (pair, result) in pairs.iter().zip(scored) {
            wholes[0].add(&pair.key, &result.annotated, result.format);
            for ((system, input), (_, found, _)) in pair.responses.iter().zip(&result.rows) {
                if let (Some(input), Some((format, annotated))) = (input, found) {
                    wholes[system + 1].add(input, annotated, format);
                }
            }
        }
        let of_directories = match &self.request.inputs {
            Inputs::OneKey { .. } => self.request.inputs.all(),
            _ => Vec::new(),
        };
        wholes.iter().enumerate().try_for_each(|(place, whole)| {
            let (Some(format), Some(first)) = (whole.format, whole.files.first()) else { return Ok(()) };
            let source = match (of_directories.get(place), whole.files.len() - 1) {
                (Some(directory), _) => directory.path.clone(),
                (None, 0) => first.clone(),
                (None, more) => format!("{first} and {more} more"),
            };
            whole.annotated.check(&source, format, whole.found.iter().copied())
        })
    }

    /// Returns the files of directories, paired by name.
    fn pairs_of_directories(
        &self,
        key: &NamedInput,
        responses: &[NamedInput],
        diagnostics: &mut Diagnostics,
    ) -> Result<(Vec<String>, Vec<KeyWithResponses>)> {
        let include = self.request.include.as_deref();
        let key = directory(key, self.request.key_format, include, diagnostics)?;
        let names = pair_names(key.names()).unwrap_or_else(|| key.names().to_vec());
        let file = |path: &Path| Input::Path(path.to_owned());
        let mut pairs: Vec<KeyWithResponses> = names
            .into_iter()
            .zip(key.files())
            .map(|(name, path)| KeyWithResponses { name, key: file(path), responses: Vec::new() })
            .collect();
        for (system, named) in responses.iter().enumerate() {
            let mut own = Diagnostics::default();
            let response = directory(named, self.request.response_format, include, &mut own)?;
            let found = pair_files(&key, &response, &mut own)?;
            if responses.len() > 1 {
                name_findings(&mut own, &named.name, []);
            }
            diagnostics.merge(own);
            for (pair, place) in pairs.iter_mut().zip(found) {
                pair.responses.push((system, place.map(|place| file(&response.files()[place]))));
            }
        }
        Ok((responses.iter().map(|response| response.name.clone()).collect(), pairs))
    }

    /// Scores the pairs on several threads, the largest first. Returns results in the order of the pairs, or the first
    /// error in that order.
    fn score_all(
        &self,
        before: &Settings,
        systems: &[String],
        pairs: &[KeyWithResponses],
    ) -> Result<Vec<ScoredPair>> {
        let size = |pair: &KeyWithResponses| {
            let responses = pair.responses.iter().filter_map(|response| response.1.as_ref());
            pair.key.size() + responses.map(Input::size).sum::<u64>()
        };
        let sizes: Vec<u64> = pairs.iter().map(size).collect();
        let mut order: Vec<usize> = (0..pairs.len()).collect();
        order.sort_by_key(|&place| std::cmp::Reverse(sizes[place]));
        let threads = self.request.threads;
        let workers = threads.min(pairs.len()).max(1);
        let read = AtomicU64::new(0);
        let score = |number: usize| {
            let place = order[number];
            let reading =
                Reading::new(self, before).within((threads / workers).max(1), pairs[place].name.clone());
            (place, self.score_pair(&reading, systems, &pairs[place], &read))
        };
        let mut scored = Vec::new();
        with_progress(self.progress.as_deref(), &|| sizes.iter().sum(), &read, || {
            scored = side_by_side(workers, pairs.len(), score);
        });
        scored.sort_by_key(|(place, _)| *place);
        scored.into_iter().map(|(_, result)| result).collect()
    }

    /// Reads a file. If only its directory was given, the error suggests that the file is not annotation.
    fn read_file(
        &self,
        reading: &Reading<'_>,
        input: &Input,
        side: Side,
        read: &AtomicU64,
    ) -> Result<Loaded> {
        reading.read_one(input, side, read).map_err(|error| match self.request.inputs {
            Inputs::OneKey { .. } => hint_of_directory(error, side),
            _ => error,
        })
    }

    /// Scores the responses of one pair in turn against the key, which is read once.
    fn score_pair(
        &self,
        reading: &Reading<'_>,
        systems: &[String],
        pair: &KeyWithResponses,
        read: &AtomicU64,
    ) -> Result<ScoredPair> {
        let (key, format) = self.read_file(reading, &pair.key, Side::Key, read)?;
        let mut task = self.task(format)?;
        task.threads = reading.threads;
        if metrics::need_names(&task.settings, &task.metrics)
            || !self.request.options_about_names().is_empty()
        {
            let message =
                "named mentions are scored against one key, because the source of names is chosen once";
            return Err(Error::new(ErrorKind::Settings, message)
                .hint(text!("score without {}, or file by file", switch("pair-files"))));
        }
        let key_format = format;
        let mut diagnostics = key.diagnostics.clone();
        // All pairs need the same metrics, so a metric cannot be left out of one pair; this is checked below.
        self.settle(&mut task, &[format], &[], NameSources::of(&[]), &mut diagnostics)?;
        let mut scored = ScoredPair {
            settings: task.settings.clone(),
            format,
            diagnostics,
            alignment: None,
            annotated: (Annotated::of(&key, None), key.diagnostics.clone()),
            rows: Vec::new(),
        };
        for (system, response) in &pair.responses {
            let mut diagnostics = Diagnostics::default();
            let (format, mut row) = match response {
                Some(input) => {
                    let (mut corpus, format): Loaded =
                        self.read_file(reading, input, Side::Response, read)?;
                    let annotated = (Annotated::of(&corpus, None), corpus.diagnostics.clone());
                    if reading.needs_alignment(&corpus) {
                        let with_words = match has_layers(&key) {
                            true => None,
                            false => {
                                Some(reading.clone().with_layers().read_one(&pair.key, Side::Key, read)?.0)
                            }
                        };
                        corpus = reading.onto((with_words.as_ref().unwrap_or(&key), key_format), corpus)?;
                        scored.alignment = match (scored.alignment, corpus.alignment) {
                            (Some(one), Some(other)) => Some(one.and(other)),
                            (one, other) => one.or(other),
                        };
                    }
                    diagnostics.merge(corpus.diagnostics.clone());
                    check_possible(&task.metrics, &documents_of(&[&key, &corpus]))?;
                    let sides = [(&pair.key, &key), (input, &corpus)];
                    let pairs = reading.pair(&task.settings, sides, &mut diagnostics)?;
                    (Some((format, annotated)), score_joined(pairs, &task, &mut diagnostics)?)
                }
                // The missing file was already reported; its documents count as missing.
                None => {
                    let missed = key.documents.iter().map(|key| DocumentPair { key, response: None });
                    (None, score_joined(missed.collect(), &task, &mut diagnostics)?)
                }
            };
            row.name.clone_from(&pair.name);
            row.pair = Some(pair.name.clone());
            row.key = pair.key.name();
            row.response = response.as_ref().map(Input::name).unwrap_or_default();
            diagnostics.place(&position(response.as_ref().unwrap_or(&pair.key)));
            if systems.len() > 1 {
                name_findings(&mut diagnostics, &systems[*system], &key.documents);
            }
            scored.diagnostics.merge(diagnostics);
            scored.rows.push((*system, format, row));
        }
        Ok(scored)
    }
}

/// The files of a side.
#[derive(Clone, Default)]
struct Whole<'s> {
    files: BTreeSet<String>,
    annotated: Annotated,
    found: Vec<&'s Diagnostics>,
    format: Option<&'s FormatSpec>,
}

impl<'s> Whole<'s> {
    /// Adds a file, which several pairs may share.
    fn add(
        &mut self,
        input: &Input,
        (annotated, found): &'s (Annotated, Diagnostics),
        format: &'s FormatSpec,
    ) {
        if self.files.insert(input.name()) {
            self.annotated.merge(annotated);
            self.found.push(found);
            self.format = Some(format);
        }
    }
}

fn directory(
    named: &NamedInput,
    format: Option<&'static FormatSpec>,
    include: Option<&Pattern>,
    diagnostics: &mut Diagnostics,
) -> Result<Directory> {
    let files = named.input.files(format, include, diagnostics)?.ok_or_else(|| {
        let message = text!(
            "{} pairs the files of directories, but {} is not a directory",
            switch("pair-files"),
            quoted(&named.path)
        );
        let hint = text!(
            "leave it out for two files; {} names a pair of files",
            option_blank("pair", "KEY RESPONSE")
        );
        Error::new(ErrorKind::Settings, message).hint(hint)
    })?;
    Ok(Directory::new(Path::new(&named.path), files))
}

/// The name of a system without a given name.
const UNNAMED: &str = "response";

/// Returns the pairs that were named one by one.
fn pairs_of_names(named: &[[NamedInput; 2]]) -> Result<(Vec<String>, Vec<KeyWithResponses>)> {
    // Pairs with the same key share its short name.
    let mut keys: Vec<&NamedInput> = Vec::new();
    for [key, _] in named.iter().filter(|pair| !pair[0].named) {
        if !keys.iter().any(|other| other.path == key.path) {
            keys.push(key);
        }
    }
    let short = |of: fn(&NamedInput) -> &String| {
        pair_names(&keys.iter().map(|key| of(key).clone()).collect::<Vec<_>>())
    };
    let names = short(|key| &key.name).or_else(|| short(|key| &key.path)).unwrap_or_default();
    let mut systems: Vec<String> = Vec::new();
    let mut pairs: Vec<KeyWithResponses> = Vec::new();
    for [key, response] in named {
        let short = keys.iter().position(|other| !key.named && other.path == key.path);
        let name = short.and_then(|place| names.get(place)).unwrap_or(&key.name).clone();
        let system = if response.named { response.name.as_str() } else { UNNAMED };
        let system = systems.iter().position(|other| other == system).unwrap_or_else(|| {
            systems.push(system.to_owned());
            systems.len() - 1
        });
        if let Some(error) = repeated(&named[..pairs.len()], [key, response]) {
            return Err(error);
        }
        if pairs.iter().any(|pair| pair.name == name && pair.responses[0].0 == system) {
            let message = format!("two pairs `{name}` of `{}`", systems[system]);
            return Err(Error::new(ErrorKind::Settings, message).hint(text!(
                "name each pair and each system: {}",
                option_blank("pair", "NAME=KEY NAME=RESPONSE")
            )));
        }
        pairs.push(KeyWithResponses {
            name,
            key: key.input.clone(),
            responses: vec![(system, Some(response.input.clone()))],
        });
    }
    Ok((systems, pairs))
}

/// Returns an error for a pair that repeats the key or the response of an earlier pair of its system, unless the pairs
/// are named.
fn repeated(earlier: &[[NamedInput; 2]], [key, response]: [&NamedInput; 2]) -> Option<Error> {
    let of_system = earlier.iter().filter(|[_, other]| match (other.named, response.named) {
        (true, true) => other.name == response.name,
        (one, other) => one == other,
    });
    let unnamed = || of_system.clone().filter(|[other, _]| !(other.named || key.named));
    let error = |path: &str, role: &str| {
        let message = text!("{} is the {} of two pairs of one system", quoted(path), role);
        Error::new(ErrorKind::Settings, message)
    };
    if unnamed().any(|[other, _]| other.path == key.path) {
        let by_system = option_blank("pair", "KEY NAME=RESPONSE");
        return Some(
            error(&key.path, "key")
                .hint(text!("if the responses are of several systems, name these: {}", by_system)),
        );
    }
    if unnamed().any(|[_, other]| other.path == response.path) {
        let by_pair = option_blank("pair", "NAME=KEY RESPONSE");
        return Some(
            error(&response.path, "response").hint(text!("if this is intended, name the pairs: {}", by_pair)),
        );
    }
    None
}

fn position(input: &Input) -> Position {
    Position::new(&Arc::from(input.name()), 0, 0)
}

/// Fails if the keys, or the responses of one system, have different formats.
fn check_formats(systems: &[String], pairs: &[KeyWithResponses], scored: &[ScoredPair]) -> Result<()> {
    let mut key: Option<(&Input, &FormatSpec)> = None;
    let mut responses: Vec<Option<(&Input, &FormatSpec)>> = vec![None; systems.len()];
    for (pair, result) in pairs.iter().zip(scored) {
        same_format(&mut key, &pair.key, result.format)?;
        for ((system, input), (_, format, _)) in pair.responses.iter().zip(&result.rows) {
            if let (Some(input), Some((format, _))) = (input, format) {
                same_format(&mut responses[*system], input, format)?;
            }
        }
    }
    Ok(())
}

fn same_format<'p>(
    first: &mut Option<(&'p Input, &'p FormatSpec)>,
    input: &'p Input,
    format: &'p FormatSpec,
) -> Result<()> {
    let (before, spec) = *first.get_or_insert((input, format));
    if spec.id == format.id {
        return Ok(());
    }
    let message = format!("this file is read as {}, another as {}", format.id, spec.id);
    Err(Error::new(ErrorKind::Format, message)
        .at(position(input))
        .with_place(position(before), format!("read as {}", spec.id))
        .hint(text!("score pairs of one format at a time, or name it with {}", option("format"))))
}
