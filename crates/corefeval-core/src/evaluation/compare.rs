//! Comparison of systems: scores all responses, then resamples their documents.

use crate::wording::text;
use crate::wording::{option, option_value, quoted};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::cache::Cache;
use crate::diagnostic::{Code, Diagnostics, Position};
use crate::error::{Error, ErrorKind, Result};
use crate::groups::{By, Labels, name_of};
use crate::input::Input;
use crate::metrics::{Metric, headline};
use crate::pairing::DocumentPair;
use crate::reports::comparison::{Broken, ByDocument, ComparisonReport, GroupReport};
use crate::results::SystemReport;
use crate::score::{
    DocumentTallies, GroupedTallies, PackedDocuments, Task, counted_metrics, document_scores, report_of_part,
    report_of_tallies, tally_by_mentions, tally_documents,
};
use crate::settings::{Average, Settings};
use crate::significance::{
    self, DocumentCounts, FEW_DOCUMENTS, Family, METHOD_FIELDS, Method, ResamplingUnits, SMALL_SAMPLE, Test,
    correct_together,
};
use crate::suggest::one_of;
use crate::systems::systems_in;
use crate::threads::side_by_side;

use super::one_key::name_findings;
use super::request::{Inputs, NamedInput, check_system_names};
use super::runs::{SystemsOfRuns, mean_documents, means};
use super::systems::{PairedSystem, PairedSystems, SystemOptions};
use super::{Evaluation, Joined, TaskKind, check_names};

/// The options of a comparison of systems.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Compare {
    /// The method of resampling, tests and intervals.
    pub method: Method,
    /// The system to compare the others with; by default the first.
    pub baseline: Option<String>,
    /// The metric to sort rows by; by default the CoNLL average, or the first metric if that is not shown.
    pub sort: Option<Metric>,
    /// A difference of F1, from 0 to 1, to plan for. The report gives the number of documents needed to detect it.
    pub plan: Option<f64>,
    /// True to compare on the documents that all systems have; otherwise a missing document is an error.
    pub shared_documents: bool,
    /// True to leave out systems that cannot be read or compared; otherwise they are an error.
    pub skip_broken: bool,
    /// Folders of systems, added after the responses, sorted by name.
    pub folders: Vec<PathBuf>,
    /// Directories with the runs of one system each, `DIR` or `NAME=DIR`. Each file or directory in it is a run.
    pub runs: Vec<String>,
    /// The folder that caches the counts of each system. Counts by groups of mentions and of documents from a program
    /// are not cached.
    pub cache: Option<PathBuf>,
    /// Draws the systems as the steps of a series, in their order.
    pub series: bool,
}

impl Compare {
    /// Returns the names of the fields of a signature that a comparison reads besides the settings.
    pub(super) fn fields() -> Vec<&'static str> {
        METHOD_FIELDS.iter().map(|field| field.name).chain(["documents"]).collect()
    }
}

/// Counted systems, all with the same documents.
pub(super) struct CountedSystems {
    pub(super) task: Task,
    pub(super) diagnostics: Diagnostics,
    /// The formats that were read.
    pub(super) format: String,
    /// The number of documents left out because some system lacks them, if only shared documents are compared.
    pub(super) left_out: Option<usize>,
    pub(super) broken: Vec<Broken>,
    pub(super) reports: Vec<SystemReport>,
    /// The counts of each system, document by document.
    pub(super) tallies: Vec<PackedDocuments>,
    /// The counts by groups of mentions, if requested.
    pub(super) grouped: Vec<GroupedTallies>,
    pub(super) groups: Vec<DocumentGroup>,
    pub(super) units: ResamplingUnits,
    pub(super) cached: usize,
}

impl Evaluation {
    /// Scores the responses, one per system, and compares them with the first or with a chosen baseline.
    ///
    /// # Errors
    ///
    /// The errors of reading the inputs and of pairing their documents. The baseline is not one of the systems. Systems
    /// have different documents, unless only shared documents are compared.
    pub fn compare(&self, compare: &Compare) -> Result<ComparisonReport> {
        self.require_exact()?;
        if let Inputs::Counts(tables) = &self.request.inputs {
            return self.compare_counted(
                self.count_tables(tables, compare)?,
                &SystemsOfRuns::default(),
                compare,
            );
        }
        let cache = match (&compare.cache, by_mentions(self.request.by)) {
            (Some(_), Some(by)) => {
                let message =
                    text!("counts by {} are not cached, so {} saves no time", by.id(), option("cache"));
                return Err(
                    Error::new(ErrorKind::Settings, message).hint(text!("leave out {}", option("cache")))
                );
            }
            (folder, _) => folder.as_ref().map(Cache::open).transpose()?,
        };
        let mut found = Diagnostics::default();
        let (evaluation, runs) = self.with_folders(compare, &mut found)?;
        let before = |responses: &[NamedInput]| {
            let (names, _) = runs.systems(responses.iter().map(|response| response.name.as_str()));
            baseline(names.into_iter(), compare.baseline.as_deref()).map(|_| ())
        };
        let wanted = SystemOptions {
            shared_documents: compare.shared_documents,
            skip_broken: compare.skip_broken,
            cache: cache.as_ref(),
        };
        evaluation.with_systems(TaskKind::Compare, &wanted, before, |mut read| {
            read.diagnostics.merge(found);
            evaluation.compare_shared(read, &runs, compare)
        })
    }

    /// Returns this evaluation with the systems of folders added to the responses; each run of a system is a response.
    fn with_folders(
        &self,
        compare: &Compare,
        diagnostics: &mut Diagnostics,
    ) -> Result<(Evaluation, SystemsOfRuns)> {
        let mut inputs = self.request.inputs.clone();
        let mut runs = SystemsOfRuns::default();
        let (cache, include) = (compare.cache.as_deref(), self.request.include.as_deref());
        if let Inputs::OneKey { key, responses } = &mut inputs {
            let key = match &key.input {
                Input::Path(path) => Some(path.as_path()),
                _ => None,
            };
            let mut systems = |folder: &Path| systems_in(folder, key, cache, include, diagnostics);
            runs = SystemsOfRuns::expand(responses, &compare.runs, &mut systems)?;
            for folder in &compare.folders {
                let found = systems(folder)?;
                responses.extend(found.into_iter().map(|(name, path)| NamedInput {
                    name,
                    named: false,
                    path: path.display().to_string(),
                    input: Input::Path(path),
                }));
            }
        }
        Ok((self.of(self.request.clone().on(inputs).validated()?), runs))
    }

    /// Compares systems with the same documents.
    fn compare_shared(
        &self,
        read: PairedSystems<'_>,
        runs: &SystemsOfRuns,
        compare: &Compare,
    ) -> Result<ComparisonReport> {
        let PairedSystems { mut task, mut diagnostics, format, left_out, systems, mut broken } = read;
        if let Some(by) = by_mentions(task.by) {
            task.metrics = grouped_metrics(&task.metrics, by, &mut diagnostics)?;
        }
        let groups = groups(&systems, &task)?;
        let units = units(&systems, &task, &compare.method, &mut diagnostics)?;
        let (mut reports, mut tallies, mut cached) = (Vec::new(), Vec::new(), 0);
        let mut grouped = Vec::new();
        for mut system in systems {
            let counted = match system.take_kept() {
                Some(entry) => {
                    cached += 1;
                    let mut scored = entry.scored;
                    system.ends.name_in(&mut scored);
                    name_findings(&mut scored, &system.name, system.pairs.iter().map(|pair| pair.key));
                    diagnostics.merge(scored);
                    let mut report = report_of_tallies(&task, &entry.documents, entry.named);
                    report.sizes = entry.sizes;
                    Ok((report, entry.documents, None))
                }
                None => count(&mut system, &task, &mut diagnostics),
            };
            let (report, documents, groups) = match counted {
                Ok(counted) => counted,
                Err(error) if compare.skip_broken => {
                    broken.push(Broken { name: system.name, response: system.response, error });
                    continue;
                }
                Err(error) => return Err(error),
            };
            tallies.push(PackedDocuments::of(documents));
            grouped.extend(groups);
            let PairedSystem { name, key, response, .. } = system;
            reports.push(SystemReport { name, key, response, ..report });
        }
        warn_of_broken(&broken, &reports, compare, &mut diagnostics)?;
        let counted = CountedSystems {
            task,
            diagnostics,
            format,
            left_out,
            broken,
            reports,
            tallies,
            grouped,
            groups,
            units,
            cached,
        };
        self.compare_counted(counted, runs, compare)
    }

    /// Compares counted systems.
    fn compare_counted(
        &self,
        counted: CountedSystems,
        runs: &SystemsOfRuns,
        compare: &Compare,
    ) -> Result<ComparisonReport> {
        let CountedSystems { task, mut diagnostics, format, left_out, broken, reports, .. } = counted;
        self.request.warn_of_unused_fields(&Compare::fields(), "comparisons", &mut diagnostics);
        let CountedSystems { tallies, grouped, groups, units, cached, .. } = counted;
        let settings = task.settings.clone();
        let sort = sort(&task.metrics, compare.sort)?;
        let mut counts = DocumentCounts::new(&task.metrics, &settings)?;
        counts.add_packed(&tallies, task.threads)?;
        let (names, sizes) = runs.systems(reports.iter().map(|report| report.name.as_str()));
        let baseline = baseline(names.iter().copied(), compare.baseline.as_deref())?;
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        let context = ComparisonContext { names: &names, runs: &sizes, baseline, units: &units };
        let paths = paths_of_runs(&reports, &sizes);
        warn_of_few(&units, &compare.method, names.len(), &mut diagnostics);
        for (id, places, _) in groups.iter().filter(|_| units.number() >= FEW_DOCUMENTS) {
            let own = units.only(places.iter().copied());
            if (2..FEW_DOCUMENTS).contains(&own.number()) {
                diagnostics.add(Code::FewDocuments, None, None, || {
                    format!("the group `{id}` has {}", own.described(compare.method.unit))
                });
            }
        }
        counts.draw_together(units.clone());
        counts.group_runs(sizes.clone());
        significance::check_documents(
            counts.documents(),
            settings.scope,
            reports.first().map(|first| first.key.as_str()),
        )?;
        let mut comparison = significance::compare(&counts, baseline, &compare.method, task.threads)?;
        let mut groups = match by_mentions(task.by) {
            Some(_) => compare_mentions(&grouped, &context, &task, &compare.method)?,
            None => compare_groups(groups, &tallies, &context, &task, &compare.method)?,
        };
        if compare.method.family == Family::All {
            let of_groups = groups.iter_mut().filter_map(|group| group.comparison.as_mut());
            correct_together(&mut std::iter::once(&mut comparison).chain(of_groups).collect::<Vec<_>>());
        }
        comparison.warn(&task.metrics, &mut diagnostics);
        for group in &groups {
            let comparison = group.comparison.iter();
            comparison.for_each(|found| found.warn_of_group(&task.metrics, &group.id, &mut diagnostics));
        }
        self.refuse_warnings(&diagnostics)?;
        let scores_by_document = side_by_side(task.threads, tallies.len(), |system| {
            document_scores(&task.metrics, &tallies[system].all(), &settings)
        });
        let by_document = ByDocument {
            ids: tallies.first().into_iter().flat_map(PackedDocuments::ids).cloned().collect(),
            scores: mean_documents(&task.metrics, scores_by_document, &sizes),
        };
        Ok(ComparisonReport {
            settings,
            format,
            diagnostics,
            systems: means(reports, &names, &sizes),
            runs: paths,
            comparison,
            plan: compare.plan,
            sort,
            left_out,
            broken,
            by: task.by,
            groups,
            by_document,
            is_series: compare.series,
            cached,
        })
    }
}

/// Warns if there are so few units that results are imprecise or the test rejects too often.
fn warn_of_few(units: &ResamplingUnits, method: &Method, systems: usize, diagnostics: &mut Diagnostics) {
    let number = units.number();
    if (2..FEW_DOCUMENTS).contains(&number) {
        diagnostics.add(Code::FewDocuments, None, None, || few(units, method, systems));
    }
    if method.test == Test::Bootstrap && (2..SMALL_SAMPLE).contains(&number) {
        diagnostics.add(Code::FewDocuments, None, None, || {
            let drawn = units.described(method.unit);
            format!("the bootstrap test rejects too often on {drawn}: {BOOTSTRAP_SIZE}")
        });
    }
}

/// Returns the grouping if it is by mentions.
fn by_mentions(by: Option<By>) -> Option<By> {
    by.filter(|by| by.is_of_mentions())
}

/// Returns the units of resampling. They depend only on the key, so they are the same for all systems, read or cached.
fn units(
    systems: &[PairedSystem<'_>],
    task: &Task,
    method: &Method,
    diagnostics: &mut Diagnostics,
) -> Result<ResamplingUnits> {
    let Some(first) = systems.first() else { return Ok(ResamplingUnits::default()) };
    // Counting issues the warnings about joined documents.
    let joined = Joined::new(first.pairs.clone(), &task.settings, &mut Diagnostics::default())?;
    let pairs = joined.pairs();
    let units = ResamplingUnits::of(&pairs, method.unit, diagnostics)?;
    units.check(method.unit, &pairs)?;
    Ok(units)
}

/// A group of documents: its name, the places of its documents, and their ids.
pub(super) type DocumentGroup = (String, Vec<usize>, Vec<String>);

/// Returns the groups of documents, if requested. They depend only on the key, so they are the same for all systems,
/// read or cached.
fn groups(systems: &[PairedSystem<'_>], task: &Task) -> Result<Vec<DocumentGroup>> {
    let by = task.by.filter(|by| !by.is_of_mentions());
    let (Some(by), Some(first)) = (by, systems.first()) else { return Ok(Vec::new()) };
    let of_key: Vec<DocumentPair<'_>> =
        first.pairs.iter().map(|pair| DocumentPair { key: pair.key, response: None }).collect();
    // Counting issues the warnings about joined documents.
    let joined = Joined::new(of_key, &task.settings, &mut Diagnostics::default())?;
    let of_key = joined.pairs();
    let groups = by.groups(&of_key)?.into_iter().map(|(labels, places)| {
        let ids = places.iter().map(|&place| of_key[place].key.id().to_string()).collect();
        (name_of(&labels), places, ids)
    });
    Ok(groups.collect())
}

/// The data that all comparisons of the same systems share.
#[derive(Clone, Copy)]
struct ComparisonContext<'g> {
    /// The names of the systems.
    names: &'g [String],
    /// The number of runs per system.
    runs: &'g [usize],
    /// The place of the baseline among the systems.
    baseline: usize,
    /// The units of resampling.
    units: &'g ResamplingUnits,
}

/// Returns the paths of each system's runs; empty for a system with a single run.
fn paths_of_runs(reports: &[SystemReport], sizes: &[usize]) -> Vec<Vec<String>> {
    let mut reports = reports.iter();
    let of = |&size: &usize| {
        let paths: Vec<String> = reports.by_ref().take(size).map(|report| report.response.clone()).collect();
        if size > 1 { paths } else { Vec::new() }
    };
    sizes.iter().map(of).collect()
}

/// Compares the systems on each group of documents, using the counts of the documents.
fn compare_groups(
    groups: Vec<DocumentGroup>,
    tallies: &[PackedDocuments],
    context: &ComparisonContext<'_>,
    task: &Task,
    method: &Method,
) -> Result<Vec<GroupReport>> {
    let compare = |(id, places, ids): DocumentGroup| {
        let mut all = Vec::new();
        for documents in tallies {
            let own = documents.unpacked(places.iter().copied());
            if !own.iter().map(|document| &document.id).eq(&ids) {
                let message = "the key alone does not determine which documents belong together";
                let error = Error::new(ErrorKind::Pairing, message);
                return Err(
                    error.hint(text!("compare without {}, or use a key that names the topics", option("by")))
                );
            }
            all.push(own);
        }
        let units = context.units.only(places.iter().copied());
        compare_group(id, &all, units, context, task, method)
    };
    groups.into_iter().map(compare).collect()
}

/// Compares the systems on the documents of a group.
fn compare_group(
    id: String,
    systems: &[Vec<DocumentTallies>],
    units: ResamplingUnits,
    context: &ComparisonContext<'_>,
    task: &Task,
    method: &Method,
) -> Result<GroupReport> {
    let mut counts = DocumentCounts::new(&task.metrics, &task.settings)?;
    let of_mentions = by_mentions(task.by).is_some();
    if of_mentions {
        counts = counts.with_both_sides();
    }
    counts.add_all(systems, task.threads)?;
    let documents = systems.first().map_or(0, Vec::len);
    counts.draw_together(units);
    counts.group_runs(context.runs.to_vec());
    let comparison = match counts.units() {
        // A single document or unit cannot be resampled, but it has scores and differences.
        0 | 1 => None,
        _ => Some(significance::compare(&counts, context.baseline, method, task.threads)?),
    };
    let reports =
        systems.iter().map(|documents| report_of_part(task, documents, None, of_mentions)).collect();
    let systems = means(reports, context.names, context.runs);
    Ok(GroupReport { id, documents, systems, comparison })
}

/// Compares the systems on each group of mentions, over the documents where a side has any. Counts are summed,
/// regardless of the corpus's average.
fn compare_mentions(
    systems: &[GroupedTallies],
    context: &ComparisonContext<'_>,
    task: &Task,
    method: &Method,
) -> Result<Vec<GroupReport>> {
    let settings = Settings { average: Average::Micro, ..task.settings.clone() };
    let task = Task { settings, ..task.clone() };
    let labels: BTreeSet<&Labels> = systems.iter().flat_map(|system| system.groups.keys()).collect();
    let compare = |labels: &Labels| {
        let places = systems.iter().filter_map(|system| system.groups.get(labels)).flat_map(|documents| {
            let documents = documents.iter().enumerate().filter(|(_, document)| !document.is_empty());
            documents.map(|(place, document)| (place, document.id.clone()))
        });
        let places: BTreeMap<usize, String> = places.collect();
        let of_system = |system: &GroupedTallies| -> Vec<DocumentTallies> {
            let known = system.groups.get(labels);
            let document = |(&place, id): (&usize, &String)| {
                known.and_then(|documents| documents.get(place)).cloned().unwrap_or_else(|| {
                    DocumentTallies::nothing(id.clone(), counted_metrics(&task.metrics).len())
                })
            };
            places.iter().map(document).collect()
        };
        let all: Vec<Vec<DocumentTallies>> = systems.iter().map(of_system).collect();
        let units = context.units.only(places.keys().copied());
        compare_group(name_of(labels), &all, units, context, &task, method)
    };
    labels.into_iter().map(compare).collect()
}

/// Returns the metrics with scores by groups of mentions. Warns about the others, which are not compared.
fn grouped_metrics(metrics: &[Metric], by: By, diagnostics: &mut Diagnostics) -> Result<Vec<Metric>> {
    let (with, without): (Vec<Metric>, Vec<Metric>) =
        metrics.iter().copied().partition(Metric::supports_mention_groups);
    if with.is_empty() {
        return Err(Metric::without_mention_groups(&by.id()));
    }
    for metric in without {
        diagnostics.add(Code::MetricWithoutGroups, None, None, || {
            format!("{} has no score by {} and is not compared", metric.label(), by.id())
        });
    }
    Ok(with)
}

/// The counts of a system's documents, and those by group of mentions, if requested.
type CountedSystem = (SystemReport, Vec<DocumentTallies>, Option<GroupedTallies>);

/// Counts a system's documents, and stores the counts in the cache, if any.
fn count(system: &mut PairedSystem<'_>, task: &Task, diagnostics: &mut Diagnostics) -> Result<CountedSystem> {
    let mut found = Diagnostics::default();
    let joined = Joined::new(system.pairs.clone(), &task.settings, &mut found)?;
    let pairs = &joined.pairs();
    let (mut report, documents, groups) = match by_mentions(task.by) {
        Some(by) => {
            let (report, documents, groups) = tally_by_mentions(pairs, task, by, &mut found)?;
            (report, documents, Some(groups))
        }
        None => {
            let (report, documents) = tally_documents(pairs, task, &mut found);
            (report, documents, None)
        }
    };
    check_names(&report)?;
    joined.count_texts(&mut report.sizes);
    system.keep(&documents, &report, found.clone(), diagnostics);
    system.ends.name_in(&mut found);
    name_findings(&mut found, &system.name, system.pairs.iter().map(|pair| pair.key));
    diagnostics.merge(found);
    Ok((report, documents, groups))
}

/// Warns about systems that were left out. Fails if none remains or the baseline was left out.
fn warn_of_broken(
    broken: &[Broken],
    left: &[SystemReport],
    compare: &Compare,
    diagnostics: &mut Diagnostics,
) -> Result<()> {
    for Broken { name, response, error } in broken {
        let position = error.position().cloned();
        let position = position.unwrap_or_else(|| Position::new(&response.as_str().into(), 0, 0));
        diagnostics.add(Code::SystemLeftOut, Some(position), None, || {
            text!("{} was left out: {}", quoted(name), error.message_text().clone())
        });
    }
    let is_baseline = |system: &&Broken| compare.baseline.as_ref() == Some(&system.name);
    let fatal = broken.iter().find(is_baseline).or_else(|| broken.first().filter(|_| left.is_empty()));
    fatal.map_or(Ok(()), |system| Err(system.error.clone()))
}

/// Describes a small number of units, and warns if no test can reach significance.
fn few(units: &ResamplingUnits, method: &Method, systems: usize) -> String {
    if systems == 1 {
        return format!("the system is scored on {}", units.described(method.unit));
    }
    let text = format!("the systems are compared on {}", units.described(method.unit));
    match method.least_p(units.number()) {
        least if least > method.level() => format!("{text}, and the smallest possible p-value is {least}"),
        _ => text,
    }
}

/// The rate of false rejections of the bootstrap test on few documents, from the row of skewed documents in
/// docs/statistics.md, computed by `corefeval-dev coverage --cases 1000 --tables size`.
const BOOTSTRAP_SIZE: &str = "with 20, equally good systems differ at 5% in 7.3 ± 0.8% of simulated cases";

/// Returns the place of the baseline.
fn baseline<'n>(names: impl Iterator<Item = &'n str> + Clone, wanted: Option<&str>) -> Result<usize> {
    check_system_names(names.clone())?;
    let names = || names.clone();
    let wrong = |message: String| Error::new(ErrorKind::Settings, message);
    let Some(wanted) = wanted else { return Ok(0) };
    names().position(|name| name == wanted).ok_or_else(|| {
        let error = wrong(format!("the baseline `{wanted}` is not one of the systems"));
        error.hint(one_of(wanted, "the systems are", names()))
    })
}

/// Returns the place of the metric that rows are sorted by.
fn sort(metrics: &[Metric], wanted: Option<Metric>) -> Result<usize> {
    let Some(wanted) = wanted else {
        return Ok(headline(metrics));
    };
    metrics.iter().position(|metric| *metric == wanted).ok_or_else(|| {
        let names: Vec<String> = metrics.iter().map(Metric::to_string).collect();
        let message = format!("the rows cannot be sorted by `{wanted}`, which is not computed");
        let hint = text!("add it to {}", option_value("metrics", names.join(",")));
        Error::new(ErrorKind::Settings, message).hint(hint)
    })
}
