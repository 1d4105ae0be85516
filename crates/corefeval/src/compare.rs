//! `corefeval compare`: scores every response, then resamples their documents.

use std::collections::BTreeSet;

use clap::ArgMatches;
use corefeval_core::diagnostic::{Code, Diagnostics};
use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::formats::Side;
use corefeval_core::input::Input;
use corefeval_core::metrics::Metric;
use corefeval_core::model::Document;
use corefeval_core::pairing::DocumentPair;
use corefeval_core::report::SystemReport;
use corefeval_core::report::comparison::{ComparisonOutput, ComparisonReport};
use corefeval_core::scope::{self, JoinedPair};
use corefeval_core::score::{Task, tally_documents};
use corefeval_core::settings::Switch;
use corefeval_core::significance::{self, DocumentCounts, FEW_DOCUMENTS, METHOD_FIELDS, Method};
use corefeval_core::suggest::nearest;

use crate::plan::{Inputs, Plan};
use crate::run::{Kept, Reading, add_format, pair_sides, refuse_warnings, task};
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
    let output = matches.get_one::<String>("output").map_or("table", String::as_str);
    let output = ComparisonOutput::named(output)?;
    let report = compare(&plan, &Asked::new(matches)?)?;
    terminal::print_diagnostics(&report.diagnostics, plan.talk);
    Ok(output.render(&report, plan.style))
}

/// Compares, prints nothing and keeps nothing.
pub fn report(matches: &ArgMatches) -> Result<ComparisonReport> {
    compare(&Plan::new(matches)?.within_a_process(), &Asked::new(matches)?)
}

fn compare(plan: &Plan, asked: &Asked) -> Result<ComparisonReport> {
    if plan.by_document {
        let error = Error::new(ErrorKind::Settings, "compare has no scores by document");
        return Err(error.hint("corefeval score --by document has them"));
    }
    let format = plan.key_format.map(|spec| spec.id);
    let before = plan.settings(format)?;
    // A wrong metric or name should not wait for a large file.
    plan.metrics(&before, format.unwrap_or_default())?;
    let Inputs::OneKey { key, responses } = &plan.inputs else { return Err(paired_files()) };
    if before.pair_files == Switch::Yes {
        return Err(paired_files());
    }
    baseline(responses.iter().map(|response| response.name.as_str()), asked.baseline.as_deref())?;
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
        return Err(paired_files());
    }
    let task = task(plan, settings, key_format, plan.threads)?;
    let mut format = key_format.id.to_owned();
    let mut diagnostics = key_corpus.diagnostics.clone();
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
    compare_systems(systems, &task, asked, format, diagnostics, plan.strict)
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
    let settings = task.settings;
    let sort = sort(&task.metrics, asked.sort)?;
    let baseline = baseline(systems.iter().map(|system| system.name.as_str()), asked.baseline.as_deref())?;
    let left_out = share(&mut systems, asked.shared_documents, &mut diagnostics)?;

    let mut counts = DocumentCounts::new(&task.metrics, &settings)?;
    let mut reports = Vec::new();
    for System { name, key, response, pairs } in systems {
        let joined = scope::join(&pairs, settings.scope, &mut diagnostics)?;
        let pairs = joined.as_ref().map_or(pairs, |joined| joined.iter().map(JoinedPair::as_pair).collect());
        let (report, documents) = tally_documents(&pairs, task, &mut diagnostics);
        counts.add(&documents)?;
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
    Ok(ComparisonReport { settings, format, diagnostics, systems: reports, comparison, sort, left_out })
}

/// How few, and whether a test can find anything at all.
fn few(documents: usize, method: &Method) -> String {
    let text = format!("the systems are compared on {documents} documents");
    match method.least_p(documents) {
        least if least > method.level() => format!("{text}, whose swaps give no p-value below {least}"),
        _ => text,
    }
}

fn paired_files() -> Error {
    let message = "compare resamples the documents of one corpus and does not pair files";
    Error::new(ErrorKind::Settings, message)
        .hint("give directories without --pair-files, or compare file by file")
}

/// The place of the baseline. Systems that others are compared with have names of their own.
fn baseline<'n>(names: impl Iterator<Item = &'n str> + Clone, wanted: Option<&str>) -> Result<usize> {
    let names = || names.clone();
    let wrong = |message: String| Error::new(ErrorKind::Settings, message);
    let mut known = BTreeSet::new();
    if let Some(twice) = names().find(|name| !known.insert(*name)) {
        let error = wrong(format!("two systems are called `{twice}`"));
        return Err(error.hint("name them: NAME=PATH"));
    }
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
fn share(systems: &mut [System<'_>], wanted: bool, diagnostics: &mut Diagnostics) -> Result<Option<usize>> {
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
