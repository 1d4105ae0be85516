//! `corefeval compare`: scores every response, then resamples their documents.

use std::collections::BTreeSet;
use std::path::Path;

use clap::ArgMatches;
use corefeval_core::diagnostic::{Code, Diagnostics};
use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::formats::Side;
use corefeval_core::input::Input;
use corefeval_core::metrics::Metric;
use corefeval_core::model::{Corpus, Document};
use corefeval_core::pairing::DocumentPair;
use corefeval_core::report::SystemReport;
use corefeval_core::report::comparison::{ByDocument, ComparisonOutput, ComparisonReport};
use corefeval_core::scope::{self, JoinedPair};
use corefeval_core::score::{Task, document_scores, tally_documents};
use corefeval_core::settings::Switch;
use corefeval_core::significance::{self, DocumentCounts, FEW_DOCUMENTS, METHOD_FIELDS, Method};
use corefeval_core::suggest::nearest;

use crate::figures;
use crate::plan::{Given, Inputs, Named, Plan};
use crate::run::{
    Kept, Reading, add_format, check_names, corpora, keep_possible, pair_sides, refuse_warnings,
    settle_names, task, tell_unweighted,
};
use crate::terminal;

/// What a comparison is asked for beside scores.
pub struct Asked {
    /// How systems are compared.
    pub method: Method,
    /// The name of the system that the others are compared with; the first, if none is named.
    pub baseline: Option<String>,
    /// The metric that rows are sorted by; the CoNLL average, else the first, if none is named.
    pub sort: Option<Metric>,
    /// Whether only documents are compared that all systems have, where otherwise one that lacks any is an error.
    pub shared_documents: bool,
}

impl Asked {
    fn new(matches: &ArgMatches) -> Result<Asked> {
        let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
        let split = text("settings").map(Method::split_signature).transpose()?;
        let mut method = split.and_then(|split| split.1).unwrap_or_default();
        for field in METHOD_FIELDS {
            if let Some(value) = text(field.name) {
                method.set(field.name, value)?;
            }
        }
        Ok(Asked {
            method,
            baseline: text("baseline").map(str::to_owned),
            sort: text("sort").map(Metric::parse).transpose()?,
            shared_documents: matches.get_flag("shared-documents"),
        })
    }
}

/// Compares and gives back what is printed.
pub fn run(matches: &ArgMatches) -> Result<String> {
    let plan = Plan::new(matches)?;
    let asked = Asked::new(matches)?;
    let output = matches.get_one::<String>("output").map_or("table", String::as_str);
    let output = ComparisonOutput::named(output)?;
    refuse_groups(&plan, "compare")?;
    let (report, documents) = compare(&plan, &asked)?;
    terminal::print_diagnostics(&report.diagnostics, plan.talk);
    if let Some(folder) = matches.get_one::<String>("figures") {
        figures::write(Path::new(folder), &report.figures(&documents))?;
    }
    Ok(output.render(&report, plan.style))
}

/// Scores by document are no part of a comparison.
pub fn refuse_groups(plan: &Plan, command: &str) -> Result<()> {
    if plan.by.is_none() {
        return Ok(());
    }
    let message = format!("{command} has no scores by group");
    Err(Error::new(ErrorKind::Settings, message).hint("corefeval score --by has them"))
}

/// Compares, prints nothing and keeps nothing; documents that a program has, where there are any.
pub fn report(matches: &ArgMatches, given: Vec<Given>) -> Result<ComparisonReport> {
    let plan = Plan::new(matches)?.on_documents(given);
    refuse_groups(&plan, "compare")?;
    compare(&plan, &Asked::new(matches)?).map(|(report, _)| report)
}

fn compare(plan: &Plan, asked: &Asked) -> Result<(ComparisonReport, ByDocument)> {
    let before = |responses: &[Named]| {
        let names = responses.iter().map(|response| response.name.as_str());
        baseline(names, asked.baseline.as_deref()).map(|_| ())
    };
    with_systems(plan, "compare", asked.shared_documents, before, |read| {
        let Systems { task, diagnostics, format, left_out, systems } = read;
        compare_shared(systems, &task, asked, (format, left_out), diagnostics, plan.strict)
    })
}

/// Compares systems whose documents are paired. `diagnostics` holds what was noticed before, `strict` makes
/// warnings errors.
pub fn compare_systems(
    mut systems: Vec<System<'_>>,
    task: &Task,
    asked: &Asked,
    format: String,
    mut diagnostics: Diagnostics,
    strict: bool,
) -> Result<ComparisonReport> {
    let left_out = share(&mut systems, asked.shared_documents, &mut diagnostics)?;
    let compared = compare_shared(systems, task, asked, (format, left_out), diagnostics, strict);
    compared.map(|(report, _)| report)
}

/// As [`compare_systems`], of systems that all have the same documents; with the scores of each document.
fn compare_shared(
    systems: Vec<System<'_>>,
    task: &Task,
    asked: &Asked,
    (format, left_out): (String, Option<usize>),
    mut diagnostics: Diagnostics,
    strict: bool,
) -> Result<(ComparisonReport, ByDocument)> {
    let settings = task.settings;
    let sort = sort(&task.metrics, asked.sort)?;
    let baseline = baseline(systems.iter().map(|system| system.name.as_str()), asked.baseline.as_deref())?;
    let mut counts = DocumentCounts::new(&task.metrics, &settings)?;
    let (mut reports, mut by_document) = (Vec::new(), ByDocument::default());
    for System { name, key, response, pairs } in systems {
        let joined = scope::join(&pairs, settings.scope, &mut diagnostics)?;
        let pairs = joined.as_ref().map_or(pairs, |joined| joined.iter().map(JoinedPair::as_pair).collect());
        let (report, documents) = tally_documents(&pairs, task, &mut diagnostics);
        check_names(&report)?;
        counts.add(&documents)?;
        by_document.scores.push(document_scores(&task.metrics, &documents, &settings));
        by_document.ids = documents.into_iter().map(|document| document.id).collect();
        reports.push(SystemReport { name, key, response, ..report });
    }
    let documents = counts.documents();
    if (2..FEW_DOCUMENTS).contains(&documents) {
        diagnostics.add(Code::FewDocuments, None, None, || few(documents, &asked.method));
    }
    let comparison = significance::compare(&counts, baseline, &asked.method, task.threads)?;
    if strict {
        refuse_warnings(&diagnostics)?;
    }
    let systems = reports;
    let report = ComparisonReport { settings, format, diagnostics, systems, comparison, sort, left_out };
    Ok((report, by_document))
}

/// Several systems that were read, their documents paired with those of the key.
pub struct Systems<'c> {
    /// What to compute.
    pub task: Task,
    /// What was noticed so far.
    pub diagnostics: Diagnostics,
    /// The formats that were read.
    pub format: String,
    /// Where only documents count that all systems have: how many others the key has.
    pub left_out: Option<usize>,
    /// The systems.
    pub systems: Vec<System<'c>>,
}

/// A system that is compared.
pub struct System<'c> {
    /// What it is called.
    pub name: String,
    /// The key as it was named.
    pub key: String,
    /// The response as it was named.
    pub response: String,
    /// Its documents beside those of the key, which are the same and in the same order for all systems.
    pub pairs: Vec<DocumentPair<'c>>,
}

/// Reads the key and all responses of a plan, once `before` has nothing against the responses, pairs their
/// documents and gives them to `work`.
pub fn with_systems<T>(
    plan: &Plan,
    command: &str,
    shared_documents: bool,
    before_reading: impl FnOnce(&[Named]) -> Result<()>,
    work: impl FnOnce(Systems<'_>) -> Result<T>,
) -> Result<T> {
    let format = plan.key_format.map(|spec| spec.id);
    let before = plan.settings(format)?;
    // A wrong metric or name should not wait for a large file.
    plan.metrics(&before, format.unwrap_or_default())?;
    let Inputs::OneKey { key, responses } = &plan.inputs else { return Err(paired_files(command)) };
    if before.pair_files == Switch::Yes {
        return Err(paired_files(command));
    }
    before_reading(responses)?;
    let inputs: Vec<(&Input, Side)> = std::iter::once((&key.input, Side::Key))
        .chain(responses.iter().map(|response| (&response.input, Side::Response)))
        .collect();
    let reading = Reading::new(plan, &before);
    let loaded = Kept::new(reading.read_all(&inputs)?, plan.forgetful);
    let Some(((key_corpus, key_format), loaded)) = loaded.split_first() else {
        return Err(Error::new(ErrorKind::Settings, "there is nothing to compare"));
    };
    let settings = plan.settings(Some(key_format.id))?;
    if settings.pair_files == Switch::Yes {
        return Err(paired_files(command));
    }
    let mut task = task(plan, settings, key_format, plan.threads)?;
    let mut diagnostics = key_corpus.diagnostics.clone();
    keep_possible(plan, &mut task.metrics, &corpora(key_corpus, loaded), &mut diagnostics)?;
    let read: Vec<&Corpus> = loaded.iter().map(|loaded| &loaded.0).collect();
    settle_names(plan, &mut task, Some(key_corpus), &read, &mut diagnostics)?;
    let settings = task.settings;

    let mut format = key_format.id.to_owned();
    tell_unweighted(plan, &task, &mut diagnostics);
    let mut systems = Vec::new();
    for (named, (response, spec)) in responses.iter().zip(loaded) {
        add_format(&mut format, spec);
        diagnostics.merge(response.diagnostics.clone());
        let sides = [(&key.input, key_corpus), (&named.input, response)];
        let mut found = Diagnostics::default();
        let pairs = pair_sides(&reading, &settings, sides, &mut found)?;
        // What is missing is told below, of all systems at once.
        found.forget(Code::MissingDocument);
        diagnostics.merge(found);
        let (name, key, response) = (named.name.clone(), key.path.clone(), named.path.clone());
        systems.push(System { name, key, response, pairs });
    }
    let left_out = share(&mut systems, shared_documents, &mut diagnostics)?;
    work(Systems { task, diagnostics, format, left_out, systems })
}

/// How few, and whether a test can find anything at all.
fn few(documents: usize, method: &Method) -> String {
    let text = format!("the systems are compared on {documents} documents");
    match method.least_p(documents) {
        least if least > method.level() => format!("{text}, whose swaps give no p-value below {least}"),
        _ => text,
    }
}

fn paired_files(command: &str) -> Error {
    let message = format!("{command} resamples the documents of one corpus and does not pair files");
    Error::new(ErrorKind::Settings, message)
        .hint("give directories without --pair-files, or compare file by file")
}

/// Systems that stand beside others have names of their own.
pub fn refuse_same_names<'n>(mut names: impl Iterator<Item = &'n str>) -> Result<()> {
    let mut known = BTreeSet::new();
    match names.find(|name| !known.insert(*name)) {
        Some(twice) => {
            let error = Error::new(ErrorKind::Settings, format!("two systems are called `{twice}`"));
            Err(error.hint("name them: NAME=PATH"))
        }
        None => Ok(()),
    }
}

/// The place of the baseline.
fn baseline<'n>(names: impl Iterator<Item = &'n str> + Clone, wanted: Option<&str>) -> Result<usize> {
    refuse_same_names(names.clone())?;
    let names = || names.clone();
    let wrong = |message: String| Error::new(ErrorKind::Settings, message);
    let Some(wanted) = wanted else { return Ok(0) };
    names().position(|name| name == wanted).ok_or_else(|| {
        let error = wrong(format!("there is no system `{wanted}` to be the baseline"));
        error.hint(match nearest(wanted, names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the systems are {}", names().collect::<Vec<_>>().join(", ")),
        })
    })
}

/// The place of the metric that rows are sorted by.
fn sort(metrics: &[Metric], wanted: Option<Metric>) -> Result<usize> {
    let Some(wanted) = wanted else {
        return Ok(metrics.iter().position(|metric| metric.to_string() == "conll").unwrap_or(0));
    };
    metrics.iter().position(|metric| *metric == wanted).ok_or_else(|| {
        let names: Vec<String> = metrics.iter().map(Metric::to_string).collect();
        let message = format!("the rows cannot be sorted by `{wanted}`, which is not computed");
        let hint = format!("add it to --metrics {}", names.join(","));
        Error::new(ErrorKind::Settings, message).hint(hint)
    })
}

/// Leaves the documents that all systems have, where that was asked for, and says how many others there were;
/// otherwise a system that lacks any is an error.
pub fn share(
    systems: &mut [System<'_>],
    wanted: bool,
    diagnostics: &mut Diagnostics,
) -> Result<Option<usize>> {
    let missing: Vec<Vec<usize>> = systems
        .iter()
        .map(|system| {
            let pairs = system.pairs.iter().enumerate();
            pairs.filter(|(_, pair)| pair.response.is_none()).map(|(place, _)| place).collect()
        })
        .collect();
    let key: Vec<&Document> =
        systems.first().map_or_else(Vec::new, |system| system.pairs.iter().map(|pair| pair.key).collect());
    if !wanted {
        let lacking = missing.iter().zip(&*systems).find(|(places, _)| !places.is_empty());
        let Some((places, system)) = lacking else { return Ok(None) };
        let count = places.len();
        let document = key[places[0]];
        let message = match count {
            1 => format!("`{}` lacks the document `{}`", system.name, document.id()),
            _ => {
                format!("`{}` lacks {count} documents, the first of them `{}`", system.name, document.id())
            }
        };
        let hint = "add them, or compare on the documents that all systems have: --shared-documents";
        return Err(Error::new(ErrorKind::Pairing, message).at(document.position()).hint(hint));
    }
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
        let mut place = 0;
        system.pairs.retain(|_| {
            place += 1;
            !left_out.contains(&(place - 1))
        });
    }
    Ok(Some(left_out.len()))
}
