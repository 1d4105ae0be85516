//! Files scored pair by pair: those of two directories, or pairs that were named; then the macro average.
//!
//! Each thread reads a pair, scores it and lets it go, so that memory holds a pair a thread.

use std::path::Path;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use corefeval_core::diagnostic::{Diagnostics, Position};
use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::file_pairs::{Directory, pair_files, pair_names};
use corefeval_core::formats::{FormatSpec, Side};
use corefeval_core::input::Input;
use corefeval_core::named;
use corefeval_core::pairing::DocumentPair;
use corefeval_core::results::average::macro_average;
use corefeval_core::results::{Report, SystemReport};
use corefeval_core::settings::Settings;

use crate::plan::{Inputs, Named, Plan};
use crate::run::{
    Loaded, Reading, add_format, check_possible, refuse_warnings, score_paired, score_sides, task,
    tell_without_effect,
};
use crate::terminal::{Talk, with_progress};

/// A key file and the files that are scored against it.
struct Pair {
    name: String,
    key: Input,
    /// The number of the system and its file, if it has one.
    responses: Vec<(usize, Option<Input>)>,
}

/// What a pair came to.
struct Scored {
    settings: Settings,
    /// What the key was read as.
    format: &'static FormatSpec,
    diagnostics: Diagnostics,
    /// For each response its system, what it was read as, and its scores.
    rows: Vec<(usize, Option<&'static FormatSpec>, SystemReport)>,
}

/// Scores all pairs of a plan.
pub fn score(plan: &Plan, before: &Settings) -> Result<Report> {
    let mut diagnostics = Diagnostics::default();
    let (systems, pairs) = match &plan.inputs {
        Inputs::OneKey { key, responses } => of_directories(plan, key, responses, &mut diagnostics)?,
        Inputs::Pairs(named) => of_named(named)?,
        Inputs::NoKey(_) => return Err(Error::new(ErrorKind::Settings, "pairs of files have keys")),
    };
    let scored = score_all(plan, before, &pairs)?;
    let Some(first) = scored.first() else {
        return Err(Error::new(ErrorKind::Settings, "there is nothing to score"));
    };
    let mut report = Report {
        settings: first.settings.clone(),
        format: first.format.id.to_owned(),
        diagnostics,
        systems: Vec::new(),
        averages: Vec::new(),
    };
    check_formats(&systems, &pairs, &scored)?;
    let mut by_system: Vec<Vec<SystemReport>> = systems.iter().map(|_| Vec::new()).collect();
    for result in scored {
        report.diagnostics.merge(result.diagnostics);
        for (system, format, mut row) in result.rows {
            if let Some(format) = format {
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
    if plan.strict {
        refuse_warnings(&report.diagnostics)?;
    }
    Ok(report)
}

/// The files of directories, paired by name.
fn of_directories(
    plan: &Plan,
    key: &Named,
    responses: &[Named],
    diagnostics: &mut Diagnostics,
) -> Result<(Vec<String>, Vec<Pair>)> {
    let key = directory(key, plan.key_format, diagnostics)?;
    let names = pair_names(key.names()).unwrap_or_else(|| key.names().to_vec());
    let file = |path: &Path| Input::Path(path.to_owned());
    let mut pairs: Vec<Pair> = names
        .into_iter()
        .zip(key.files())
        .map(|(name, path)| Pair { name, key: file(path), responses: Vec::new() })
        .collect();
    for (system, named) in responses.iter().enumerate() {
        let response = directory(named, plan.response_format, diagnostics)?;
        let found = pair_files(&key, &response, diagnostics)?;
        for (pair, place) in pairs.iter_mut().zip(found) {
            pair.responses.push((system, place.map(|place| file(&response.files()[place]))));
        }
    }
    Ok((responses.iter().map(|response| response.name.clone()).collect(), pairs))
}

fn directory(
    named: &Named,
    format: Option<&'static FormatSpec>,
    diagnostics: &mut Diagnostics,
) -> Result<Directory> {
    let files = named.input.files(format, diagnostics)?.ok_or_else(|| {
        let message = format!("--pair-files pairs the files of directories, and `{}` is none", named.path);
        let hint = "leave it out for two files; --pair KEY RESPONSE names a pair of files";
        Error::new(ErrorKind::Settings, message).hint(hint)
    })?;
    Ok(Directory::new(Path::new(&named.path), files))
}

/// What the system of a pair is called that has no other name.
const UNNAMED: &str = "response";

/// The pairs that were named one by one.
fn of_named(named: &[[Named; 2]]) -> Result<(Vec<String>, Vec<Pair>)> {
    // Of several pairs with one key the short names are looked for once.
    let mut keys: Vec<&Named> = Vec::new();
    for [key, _] in named.iter().filter(|pair| !pair[0].named) {
        if !keys.iter().any(|other| other.path == key.path) {
            keys.push(key);
        }
    }
    let short =
        |of: fn(&Named) -> &String| pair_names(&keys.iter().map(|key| of(key).clone()).collect::<Vec<_>>());
    let names = short(|key| &key.name).or_else(|| short(|key| &key.path)).unwrap_or_default();
    let mut systems: Vec<String> = Vec::new();
    let mut pairs: Vec<Pair> = Vec::new();
    for [key, response] in named {
        let short = keys.iter().position(|other| !key.named && other.path == key.path);
        let name = short.and_then(|place| names.get(place)).unwrap_or(&key.name).clone();
        let system = if response.named { response.name.as_str() } else { UNNAMED };
        let system = systems.iter().position(|other| other == system).unwrap_or_else(|| {
            systems.push(system.to_owned());
            systems.len() - 1
        });
        if pairs.iter().any(|pair| pair.name == name && pair.responses[0].0 == system) {
            let message = format!("there are two pairs `{name}` of `{}`", systems[system]);
            return Err(Error::new(ErrorKind::Settings, message)
                .hint("name each pair and each system: --pair NAME=KEY NAME=RESPONSE"));
        }
        pairs.push(Pair {
            name,
            key: key.input.clone(),
            responses: vec![(system, Some(response.input.clone()))],
        });
    }
    Ok((systems, pairs))
}

/// Scores the pairs on several threads, the largest first; gives them back in their order. Of several
/// errors the first in that order counts.
fn score_all(plan: &Plan, before: &Settings, pairs: &[Pair]) -> Result<Vec<Scored>> {
    let size = |pair: &Pair| {
        let responses = pair.responses.iter().filter_map(|response| response.1.as_ref());
        pair.key.size() + responses.map(Input::size).sum::<u64>()
    };
    let sizes: Vec<u64> = pairs.iter().map(size).collect();
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    order.sort_by_key(|&place| std::cmp::Reverse(sizes[place]));
    let workers = plan.threads.min(pairs.len()).max(1);
    let (read, next) = (AtomicU64::new(0), AtomicUsize::new(0));
    let slots: Vec<Mutex<Option<Result<Scored>>>> = pairs.iter().map(|_| Mutex::new(None)).collect();
    let work = || {
        while let Some(&place) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut reading = Reading::new(plan, before);
            reading.threads = (plan.threads / workers).max(1);
            reading.talk = Talk::Quiet;
            reading.default_id.clone_from(&pairs[place].name);
            let result = score_pair(plan, &reading, &pairs[place], &read);
            *slots[place].lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(result);
        }
    };
    with_progress(
        plan.talk,
        || sizes.iter().sum(),
        &read,
        || {
            std::thread::scope(|scope| {
                for _ in 0..workers {
                    scope.spawn(work);
                }
            });
        },
    );
    let scored = slots.into_iter().map(|slot| {
        let slot = slot.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        slot.unwrap_or_else(|| Err(Error::new(ErrorKind::Io, "a pair was not read")))
    });
    scored.collect()
}

/// Scores the responses of one pair, one after another against the key, which is read once.
fn score_pair(plan: &Plan, reading: &Reading<'_>, pair: &Pair, read: &AtomicU64) -> Result<Scored> {
    let (key, format) = reading.read_one(&pair.key, Side::Key, read)?;
    let settings = plan.settings(Some(format.id))?;
    let task = task(plan, settings.clone(), format, reading.threads)?;
    if named::are_needed(&settings, &task.metrics) || !plan.about_names().is_empty() {
        let message = "scores of named mentions are of one key: where names come from is decided once";
        return Err(
            Error::new(ErrorKind::Settings, message).hint("score without --pair-files, or file by file")
        );
    }
    let mut scored = Scored { settings, format, diagnostics: key.diagnostics.clone(), rows: Vec::new() };
    tell_without_effect(plan, &task, format.id, &mut scored.diagnostics);
    for (system, response) in &pair.responses {
        let mut diagnostics = Diagnostics::default();
        let (format, mut row) = match response {
            Some(input) => {
                let (corpus, format): Loaded = reading.read_one(input, Side::Response, read)?;
                diagnostics.merge(corpus.diagnostics.clone());
                // Every pair has the same rows, so that nothing can be left out of one.
                check_possible(&task.metrics, &[&key, &corpus])?;
                let sides = [(&pair.key, &key), (input, &corpus)];
                (Some(format), score_sides(reading, &task, sides, &mut diagnostics)?)
            }
            // That the file is missing is known; that its documents are follows.
            None => {
                let missed = key.documents.iter().map(|key| DocumentPair { key, response: None });
                (None, score_paired(missed.collect(), &task, &mut diagnostics)?)
            }
        };
        row.name.clone_from(&pair.name);
        row.pair = Some(pair.name.clone());
        row.key = pair.key.name();
        row.response = response.as_ref().map(Input::name).unwrap_or_default();
        diagnostics.place(&position(response.as_ref().unwrap_or(&pair.key)));
        scored.diagnostics.merge(diagnostics);
        scored.rows.push((*system, format, row));
    }
    Ok(scored)
}

fn position(input: &Input) -> Position {
    Position::new(&Arc::from(input.name()), 0, 0)
}

/// Fails where the keys, or the responses of one system, are of several formats.
fn check_formats(systems: &[String], pairs: &[Pair], scored: &[Scored]) -> Result<()> {
    let mut key: Option<(&Input, &FormatSpec)> = None;
    let mut responses: Vec<Option<(&Input, &FormatSpec)>> = vec![None; systems.len()];
    for (pair, result) in pairs.iter().zip(scored) {
        same_format(&mut key, &pair.key, result.format)?;
        for ((system, input), (_, format, _)) in pair.responses.iter().zip(&result.rows) {
            if let (Some(input), Some(format)) = (input, format) {
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
        .beside(position(before), format!("read as {}", spec.id))
        .hint("score pairs of one format at a time, or name it with --format"))
}
