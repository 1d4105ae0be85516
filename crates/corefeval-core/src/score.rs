//! Scores of paired documents, overall, by document and by group: selection, matching, overlap and metrics.

use crate::wording::text;
use crate::wording::{Position, option, option_value, plural, quoted};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use corefeval_metrics::packed::PackedTallies;
use corefeval_metrics::weighed::WeightNeeds;

use crate::diagnostic::{Code, Diagnostics};
use crate::error::{Error, ErrorKind, Result};
use crate::groups::{By, GroupedPair, Label, Labels};
use crate::matching::{self, Alignment, MentionCounts, check_cost};
use crate::metrics::{self, Metric, UNTYPED};
use crate::model::{Document, DocumentId, Mention};
use crate::named::{self, NamedCounts, NamedMentions, SideNames};
use crate::overlap::{self, AlignedEntities, AlignedPair};
use crate::pairing::{self, DocumentPair};
pub use crate::results::counted_metrics;
use crate::results::{DocumentReports, MetricResult, Row, Scoring, SideSize, Spool, SystemReport};
use crate::selection::{Selected, note_singletons, select};
use crate::settings::{Average, Entities, ExtraMentions, NamedSource, Scope, Settings, SplitAntecedents};
use crate::threads::side_by_side;
use corefeval_metrics::tally::{Counts, Score, Tally};

/// Below this many mentions one thread is as fast as two.
const MENTIONS_PER_THREAD: usize = 4_000;

/// A scoring task: settings, metrics, groups and threads.
#[derive(Clone, Debug)]
pub struct Task {
    /// The settings that the scores depend on.
    pub settings: Settings,
    /// The metrics, in display order.
    pub metrics: Vec<Metric>,
    /// The groups of documents or mentions that have a row in the report.
    pub by: Option<By>,
    /// The largest number of threads to use; the result does not depend on it.
    pub threads: usize,
}

/// Scores paired documents and adds findings to `diagnostics`.
///
/// It is an error if no document or mention belongs to a group, or if groups of several documents are requested for a
/// metric without counts by group. Metrics without scores by groups of mentions are omitted from the rows of these
/// groups.
pub(crate) fn score_pairs(
    pairs: &[DocumentPair<'_>],
    task: &Task,
    diagnostics: &mut Diagnostics,
) -> Result<SystemReport> {
    score_pairs_after(&mut Past::default(), pairs, task, diagnostics)
}

/// Like [`score_pairs`], reusing the counts and the rows of the first documents.
pub(crate) fn score_pairs_after(
    past: &mut Past,
    pairs: &[DocumentPair<'_>],
    task: &Task,
    diagnostics: &mut Diagnostics,
) -> Result<SystemReport> {
    if let Some(by) = task.by.filter(|by| by.is_of_mentions()) {
        let past = past.by_mentions.entry(by.id()).or_default();
        return score_by_mentions(past, pairs, task, by, diagnostics);
    }
    let per_document = task.by.is_some() || task.settings.average != Average::Micro;
    if let Some(by) = task.by {
        by.check(pairs)?;
        let whole = task.metrics.iter().find(|metric| metric.needs_corpus());
        if let Some(metric) = whole
            && by.groups(pairs)?.len() < pairs.len()
        {
            let message =
                format!("`{metric}` is computed over all documents at once and has no score by group");
            return Err(Error::new(ErrorKind::Settings, message)
                .hint(text!("use {}, or other metrics", option_value("by", "document"))));
        }
    }
    let mut report = score_and_count_after(past, pairs, task, (per_document, None), diagnostics);
    if let Some(by) = task.by {
        past.add_rows(by, pairs, task, &mut report);
    }
    add_corpus_values(pairs, task, &mut report.results, Some(&mut report.documents), diagnostics);
    Ok(report)
}

/// Returns the results of metrics over all documents, without findings.
pub(crate) fn results_of_pairs(pairs: &[DocumentPair<'_>], task: &Task) -> Vec<MetricResult> {
    let mut discarded = Diagnostics::default();
    let per_document = task.settings.average != Average::Micro;
    let CountedReport { mut report, .. } = score_and_count(pairs, task, per_document, None, &mut discarded);
    add_corpus_values(pairs, task, &mut report.results, None, &mut discarded);
    report.results
}

/// Like [`score_pairs_after`], for groups of mentions.
fn score_by_mentions(
    past: &mut Past,
    pairs: &[DocumentPair<'_>],
    task: &Task,
    by: By,
    diagnostics: &mut Diagnostics,
) -> Result<SystemReport> {
    let (metrics, grouping) = group_mentions(pairs, task, by, diagnostics)?;
    let grouping = MentionGrouping { all_maps: true, ..grouping };
    let per_document = task.settings.average != Average::Micro;
    let mut report = score_and_count_after(past, pairs, task, (per_document, Some(&grouping)), diagnostics);
    let rows = past.rows.entry(by.id()).or_default();
    for (labels, tallies) in std::mem::take(&mut past.part.groups).into_iter().flatten() {
        rows.add(labels, &tallies);
    }
    report.by = Some(by);
    report.documents = rows.reports(Scoring::of(&metrics, &task.settings, true));
    add_corpus_values(pairs, task, &mut report.results, None, diagnostics);
    Ok(report)
}

/// The counts of each document by group of mentions.
#[derive(Clone, Debug, Default)]
pub(crate) struct GroupedTallies {
    /// For each group, a tally per document for each of the [`counted_metrics`] that have scores by group. Documents
    /// without mentions of the group have empty tallies. Groups are ordered by sort key and name.
    pub groups: BTreeMap<Labels, Vec<DocumentTallies>>,
}

/// Like [`tally_documents`], with additional counts by groups of mentions.
///
/// The errors are the same as for [`score_pairs`] with such groups.
pub(crate) fn tally_by_mentions(
    pairs: &[DocumentPair<'_>],
    task: &Task,
    by: By,
    diagnostics: &mut Diagnostics,
) -> Result<(SystemReport, Vec<DocumentTallies>, GroupedTallies)> {
    let (_, grouping) = group_mentions(pairs, task, by, diagnostics)?;
    let CountedReport { report, documents, groups } =
        score_and_count(pairs, task, true, Some(&grouping), diagnostics);
    let documents = unpacked(pairs, documents);
    let nothing =
        |document: &DocumentTallies| DocumentTallies::nothing(document.id.clone(), grouping.metrics.len());
    let empty: Vec<DocumentTallies> = documents.iter().map(nothing).collect();
    let mut by_label: BTreeMap<Labels, Vec<DocumentTallies>> = BTreeMap::new();
    for (place, groups) in groups.into_iter().enumerate() {
        for (label, tallies) in groups {
            by_label.entry(label).or_insert_with(|| empty.clone())[place].tallies = tallies.unpack();
        }
    }
    Ok((report, documents, GroupedTallies { groups: by_label }))
}

/// The grouping of the mentions of all documents.
struct MentionGrouping {
    by: By,
    /// For each grouping, whether mentions of the response take the groups of key mentions.
    of_key: Vec<bool>,
    /// The metrics that count by group.
    metrics: Vec<Metric>,
    /// True if metrics that pair entities also count over all best maps.
    all_maps: bool,
}

/// Returns the metrics of a task that have scores by groups of mentions, and the grouping. Fails if no metric has such
/// scores, if the key lacks the attribute of the groups, or if split antecedents are scored.
fn group_mentions(
    pairs: &[DocumentPair<'_>],
    task: &Task,
    by: By,
    diagnostics: &mut Diagnostics,
) -> Result<(Vec<Metric>, MentionGrouping)> {
    let (metrics, others): (Vec<Metric>, Vec<Metric>) =
        task.metrics.iter().copied().partition(Metric::supports_mention_groups);
    if metrics.is_empty() {
        return Err(Metric::without_mention_groups(&by.id()));
    }
    for metric in others {
        diagnostics.add(Code::MetricWithoutGroups, None, None, || {
            format!("{} has no score by {} and is left out of its rows", metric.label(), by.id())
        });
    }
    if task.settings.extra_mentions == ExtraMentions::InKey {
        let message =
            text!("mentions that {} adds to the key have no scores by {}", option("extra-mentions"), by.id());
        return Err(Error::new(ErrorKind::Settings, message)
            .hint(text!("use {}", option_value("extra-mentions", "count"))));
    }
    let splits = |document: &&Document| {
        document.relations().is_some_and(|relations| !relations.split_antecedents.is_empty())
    };
    let documents = || pairs.iter().flat_map(|pair| std::iter::once(pair.key).chain(pair.response));
    if task.settings.split_antecedents != SplitAntecedents::Drop
        && let Some(document) = documents().find(splits)
    {
        let message = format!(
            "`{}` has split antecedents, whose credit belongs to no single mention, so it has no scores by {}",
            document.id(),
            by.id()
        );
        return Err(Error::new(ErrorKind::Settings, message)
            .at(document.position())
            .hint(text!("leave them out with {}", option_value("split-antecedents", "drop"))));
    }
    let mut of_key = Vec::new();
    for spec in by.specs() {
        of_key.push(match spec.of_mentions() {
            Some(groups) => spec.are_of_the_key(groups, pairs, diagnostics)?,
            None => {
                spec.check(pairs)?;
                false
            }
        });
    }
    let counted = counted_metrics(&metrics);
    Ok((metrics, MentionGrouping { by, of_key, metrics: counted, all_maps: false }))
}

/// Like [`score_pairs`], without a report by document, and returns the counts of each document: a tally for
/// each of [`counted_metrics`].
pub(crate) fn tally_documents(
    pairs: &[DocumentPair<'_>],
    task: &Task,
    diagnostics: &mut Diagnostics,
) -> (SystemReport, Vec<DocumentTallies>) {
    let CountedReport { mut report, documents, .. } = score_and_count(pairs, task, true, None, diagnostics);
    let mut documents = unpacked(pairs, documents);
    add_value_tallies(pairs, task, &mut report.results, &mut documents);
    (report, documents)
}

/// Fills in the counts of metrics that are computed over all documents at once. Entities keep the pairing that is best
/// over all documents; a document's counts are the values of these pairs in it.
fn add_value_tallies(
    pairs: &[DocumentPair<'_>],
    task: &Task,
    results: &mut [MetricResult],
    documents: &mut [DocumentTallies],
) {
    let rules = task.settings.rules();
    for (place, metric) in counted_metrics(&task.metrics).iter().enumerate() {
        let Some(values) = metric.corpus_values(pairs, &task.settings) else { continue };
        for (document, table) in documents.iter_mut().zip(&values.documents) {
            document.tallies[place] = table.total.tally();
        }
        let mut sum = Tally::default();
        documents.iter().for_each(|document| sum.add(&document.tallies[place]));
        for result in results.iter_mut().filter(|result| result.metric == *metric) {
            (result.score, result.tally) = (metric.score(&sum, &rules), Some(sum.clone()));
        }
    }
}

/// The report and the counts of documents and groups.
struct CountedReport {
    report: SystemReport,
    /// The scores by document, if requested.
    documents: Vec<PackedDocument>,
    /// The groups of mentions of each document, if any.
    groups: Vec<Vec<GroupTallies>>,
}

/// A group of mentions with a tally for each metric that has scores by group.
type GroupTallies = (Labels, PackedTallies);

/// The counts of all metrics in one document, packed.
#[derive(Clone, Debug)]
struct PackedDocument {
    tallies: PackedTallies,
    mentions: MentionCounts,
}

/// Returns the unpacked counts of the documents of `pairs`.
fn unpacked(pairs: &[DocumentPair<'_>], documents: Vec<PackedDocument>) -> Vec<DocumentTallies> {
    let unpacked = |(pair, document): (&DocumentPair<'_>, PackedDocument)| DocumentTallies {
        id: pair.key.id().to_string(),
        tallies: document.tallies.unpack(),
        mentions: document.mentions,
    };
    pairs.iter().zip(documents).map(unpacked).collect()
}

/// The counts of a system's documents, packed, which take a tenth of the memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct PackedDocuments(Vec<(String, PackedDocument)>);

impl PackedDocuments {
    /// Packs the counts of documents.
    pub(crate) fn of(documents: Vec<DocumentTallies>) -> PackedDocuments {
        let packed = |DocumentTallies { id, tallies, mentions }: DocumentTallies| {
            (id, PackedDocument { tallies: PackedTallies::new(&tallies), mentions })
        };
        PackedDocuments(documents.into_iter().map(packed).collect())
    }

    /// Returns the number of documents.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the ids of the documents.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &String> {
        self.0.iter().map(|document| &document.0)
    }

    /// Returns the counts of the documents at these places, and skips places without a document.
    pub(crate) fn unpacked(&self, places: impl IntoIterator<Item = usize>) -> Vec<DocumentTallies> {
        let documents = places.into_iter().filter_map(|place| self.0.get(place));
        let unpacked = |(id, document): &(String, PackedDocument)| DocumentTallies {
            id: id.clone(),
            tallies: document.tallies.unpack(),
            mentions: document.mentions,
        };
        documents.map(unpacked).collect()
    }

    /// Returns the counts of all documents.
    pub(crate) fn all(&self) -> Vec<DocumentTallies> {
        self.unpacked(0..self.len())
    }
}

/// Makes the report of [`tally_documents`] from the counts and named mentions of each document.
pub(crate) fn report_of_tallies(
    task: &Task,
    documents: &[DocumentTallies],
    named: Option<NamedCounts>,
) -> SystemReport {
    report_of_part(task, documents, named, false)
}

/// Returns the sums of the counts of documents.
pub(crate) fn totals(documents: &[DocumentTallies], metrics: usize) -> Vec<Tally> {
    let mut totals = vec![Tally::default(); metrics];
    for document in documents {
        totals.iter_mut().zip(&document.tallies).for_each(|(total, tally)| total.add(tally));
    }
    totals
}

/// Like [`report_of_tallies`], but F1 may need both sides, as in a group of mentions.
pub(crate) fn report_of_part(
    task: &Task,
    documents: &[DocumentTallies],
    named: Option<NamedCounts>,
    needs_both: bool,
) -> SystemReport {
    let counted = counted_metrics(&task.metrics);
    let mut mentions = Counts::default();
    for MentionCounts { key, response, shared } in documents.iter().map(|document| document.mentions) {
        mentions.add_integers((shared, key), (shared, response));
    }
    let results = match task.settings.average {
        Average::Micro => {
            Scoring::of(&task.metrics, &task.settings, needs_both).results(&totals(documents, counted.len()))
        }
        Average::Macro | Average::Mentions => {
            let mut means = Means::default();
            for document in documents {
                means.add(&document.tallies, &document.mentions, &counted, &task.settings);
            }
            means.results(&task.metrics, &counted, &task.settings)
        }
    };
    SystemReport { mentions, results, named, ..SystemReport::default() }
}

/// The counts of scored documents, and the findings about their words. Scoring them again with additional documents
/// processes only the additional ones.
///
/// Documents are recognised by their ids and their responses' ids, so their contents must not change. Each grouping of
/// mentions has its own counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Past {
    /// The documents whose words were compared, with the settings that applied.
    compared: (Seen, Option<Settings>),
    /// The findings about pairs that cannot be compared, and about the differences between the other pairs.
    differences: [Diagnostics; 2],
    counted: Seen,
    counting: Option<CountChoices>,
    texts: [SideSize; 2],
    ends: LongerOrShorter,
    part: RunResult,
    /// The sums of the documents' scores, if the average needs them.
    means: Means,
    /// The rows for each grouping.
    rows: BTreeMap<String, GroupRows>,
    /// The counts for each grouping of mentions.
    by_mentions: BTreeMap<String, Past>,
}

/// The choices that counts depend on.
#[derive(Clone, Debug)]
struct CountChoices {
    settings: Settings,
    /// The metrics, and whether each is possible.
    metrics: Vec<(Metric, bool)>,
    /// The metrics as requested, for the rows.
    requested: Vec<Metric>,
    /// True if the counts of each document are kept.
    per_document: bool,
    /// For groups of mentions: whether response mentions take the key's groups, and the metrics that count by group.
    grouping: Option<(Vec<bool>, Vec<Metric>)>,
}

/// Rows by group, which grow with the documents.
#[derive(Clone, Debug, Default)]
struct GroupRows {
    /// The number of documents whose counts were added.
    documents: usize,
    /// The groups by their labels, in order.
    groups: Vec<(Arc<[Label]>, GroupCounts)>,
}

/// The counts of a group.
#[derive(Clone, Debug)]
enum GroupCounts {
    /// The counts of a single document.
    One(PackedTallies),
    Several(Vec<Tally>),
}

impl GroupRows {
    /// Adds counts to a group.
    fn add(&mut self, labels: Labels, tallies: &PackedTallies) {
        // Rows of documents arrive in order.
        let place = match self.groups.last() {
            Some((last, _)) if **last >= *labels => {
                self.groups.binary_search_by(|(other, _)| (**other).cmp(&labels))
            }
            _ => Err(self.groups.len()),
        };
        let place = match place {
            Ok(place) => place,
            Err(place) => {
                return self.groups.insert(place, (labels.into(), GroupCounts::One(tallies.clone())));
            }
        };
        let sums = &mut self.groups[place].1;
        if let GroupCounts::One(first) = sums {
            *sums = GroupCounts::Several(first.unpack());
        }
        if let GroupCounts::Several(sums) = sums {
            sums.iter_mut().zip(tallies.unpack()).for_each(|(sum, tally)| sum.add(&tally));
        }
    }

    /// Returns the reports of all groups, in order.
    fn reports(&self, scoring: Scoring) -> DocumentReports {
        let row = |(labels, sums): &(Arc<[Label]>, GroupCounts)| Row {
            labels: Arc::clone(labels),
            tallies: match sums {
                GroupCounts::One(tallies) => tallies.clone(),
                GroupCounts::Several(sums) => PackedTallies::new(sums),
            },
        };
        DocumentReports::new(scoring, self.groups.iter().map(row).collect())
    }
}

impl Past {
    /// Returns the number of documents with counts.
    pub fn documents(&self) -> usize {
        self.counted.documents
    }

    /// Compares the words of new documents, and adds the findings about all documents. Fails if a document is too costly
    /// to score alone.
    pub(crate) fn check(
        &mut self,
        pairs: &[DocumentPair<'_>],
        settings: &Settings,
        diagnostics: &mut Diagnostics,
    ) -> Result<()> {
        if self.compared.1.as_ref() != Some(settings) || !self.compared.0.is_continued_by(pairs) {
            self.compared = (Seen::default(), Some(settings.clone()));
            self.differences = Default::default();
        }
        let new = &pairs[self.compared.0.documents..];
        let [mut doubts, mut differences] = [(); 2].map(|()| Diagnostics::default());
        for pair in pairing::doubtful_pairs(new, settings, &mut doubts) {
            let response = pair.response.unwrap_or(pair.key);
            pairing::compare_words(pair, pair.key, response, settings, &mut differences)?;
        }
        if settings.scope == Scope::Document {
            new.iter().try_for_each(|pair| check_cost(pair.key, pair.response, settings))?;
        }
        self.compared.0.extend(pairs);
        for (all, new) in self.differences.iter_mut().zip([doubts, differences]) {
            all.merge(new);
            diagnostics.merge(all.clone());
        }
        Ok(())
    }

    /// Discards the counts if documents or settings changed. Returns whether each metric is possible.
    fn keep_for(
        &mut self,
        pairs: &[DocumentPair<'_>],
        task: &Task,
        (counted, per_document, grouping): (&[Metric], bool, Option<&MentionGrouping>),
        diagnostics: &mut Diagnostics,
    ) -> Vec<bool> {
        let grouping = grouping.map(|grouping| (grouping.of_key.clone(), grouping.metrics.clone()));
        let before = self.counting.take().filter(|before| {
            before.settings == task.settings
                && before.requested == task.metrics
                && before.grouping == grouping
                && before.metrics.iter().map(|(metric, _)| metric).eq(counted)
                && (before.per_document || !per_document)
                && self.counted.is_continued_by(pairs)
        });
        // A metric that was possible before is possible in all documents counted so far.
        let seen = |place: usize| match &before {
            Some(before) if before.metrics[place].1 => self.counted.documents,
            _ => 0,
        };
        let possible = |(place, metric)| warn_if_impossible(metric, &pairs[seen(place)..], diagnostics);
        let possible: Vec<bool> = counted.iter().enumerate().map(possible).collect();
        let metrics: Vec<(Metric, bool)> = counted.iter().copied().zip(possible.iter().copied()).collect();
        if before.as_ref().is_none_or(|before| before.metrics != metrics) {
            (self.counted, self.texts, self.ends, self.part) = Default::default();
            (self.means, self.rows) = Default::default();
        }
        let per_document = before.map_or(per_document, |before| before.per_document);
        let (settings, requested) = (task.settings.clone(), task.metrics.clone());
        self.counting = Some(CountChoices { settings, metrics, requested, per_document, grouping });
        possible
    }

    /// Counts the documents that follow the counted ones.
    fn count(
        &mut self,
        new: &[DocumentPair<'_>],
        task: &Task,
        (counted, possible): (&[Metric], &[bool]),
        per_document: bool,
        grouping: Option<&MentionGrouping>,
    ) {
        let Runs { threads, runs } = Runs::of(new, task.threads, MENTIONS_PER_THREAD, RUNS_PER_THREAD);
        let parts: Vec<RunResult> = side_by_side(threads, runs.len(), |run| {
            let before: usize = runs[..run].iter().map(|run| run.len()).sum();
            let first = self.counted.documents + before;
            score_run((first, runs[run]), task, (counted, possible), per_document, grouping)
        });
        self.texts.iter_mut().zip(SideSize::of_texts(new)).for_each(|(sum, size)| sum.add(&size));
        let whole = &mut self.part;
        whole.totals.resize_with(counted.len(), Tally::default);
        whole.names.source = task.settings.named;
        parts.into_iter().for_each(|part| whole.add(part));
    }

    /// Adds the scores of groups of documents to a report.
    fn add_rows(&mut self, by: By, pairs: &[DocumentPair<'_>], task: &Task, report: &mut SystemReport) {
        let rows = self.rows.entry(by.id()).or_default();
        for (place, document) in self.part.documents.iter().enumerate().skip(rows.documents) {
            rows.add(by.labels(&pairs[place], place), &document.tallies);
        }
        rows.documents = pairs.len();
        report.by = Some(by);
        report.documents = rows.reports(Scoring::of(&task.metrics, &task.settings, false));
    }

    /// Returns the report of everything counted so far, with the findings. `look_at_shared` receives the numbers of
    /// shared mentions, of key mentions and of response mentions.
    fn report(
        &self,
        task: &Task,
        (counted, possible): (&[Metric], &[bool]),
        diagnostics: &mut Diagnostics,
        look_at_shared: impl FnOnce([f64; 3], &mut Diagnostics),
    ) -> SystemReport {
        let RunResult { totals, mentions, extra, sizes: of_mentions, names, diagnostics: found, .. } =
            &self.part;
        diagnostics.merge(found.clone());
        let mut sizes = self.texts;
        sizes.iter_mut().zip(of_mentions).for_each(|(sum, size)| sum.add(size));
        let results = match task.settings.average {
            Average::Micro => Scoring::of(&task.metrics, &task.settings, false).results(totals),
            Average::Macro | Average::Mentions => self.means.results(&task.metrics, counted, &task.settings),
        };
        let [shared, key, response] =
            [&mentions.recall_num, &mentions.recall_den, &mentions.precision_den].map(|sum| sum.to_f64());
        let extra = *extra as f64;
        look_at_shared([shared - extra, key - extra, response], diagnostics);
        warn_of_totals(&results, (counted, possible), totals, &sizes, diagnostics);
        let with_names = metrics::need_names(&task.settings, counted);
        if with_names && !names.any() {
            diagnostics.add(Code::NoNames, None, None, || "no mention is named on either side".to_owned());
        }
        let named = with_names.then_some(*names);
        SystemReport { mentions: mentions.clone(), sizes, results, named, ..SystemReport::default() }
    }
}

/// The documents processed so far: the start of a list that may have grown since.
#[derive(Clone, Debug, Default)]
struct Seen {
    documents: usize,
    last: Option<DocumentId>,
    /// The places and ids of documents that are not paired by equal ids, with the ids of their responses. A later
    /// document may be their response.
    loose: Vec<(usize, DocumentId, Option<DocumentId>)>,
}

impl Seen {
    /// Returns whether `pairs` starts with these documents and their responses.
    fn is_continued_by(&self, pairs: &[DocumentPair<'_>]) -> bool {
        let last = self.documents.checked_sub(1).map(|last| pairs.get(last));
        last.is_none_or(|pair| pair.map(|pair| pair.key.id()) == self.last.as_ref())
            && self.loose.iter().all(|(place, key, response)| {
                let pair = pairs[*place];
                pair.key.id() == key && pair.response.map(Document::id) == response.as_ref()
            })
    }

    /// Adds the documents of `pairs`, which start with the documents seen before.
    fn extend(&mut self, pairs: &[DocumentPair<'_>]) {
        for (place, pair) in pairs.iter().enumerate().skip(self.documents) {
            let response = pair.response.map(Document::id);
            if response != Some(pair.key.id()) {
                self.loose.push((place, pair.key.id().clone(), response.cloned()));
            }
        }
        (self.documents, self.last) = (pairs.len(), pairs.last().map(|pair| pair.key.id().clone()));
    }
}

fn score_and_count(
    pairs: &[DocumentPair<'_>],
    task: &Task,
    per_document: bool,
    grouping: Option<&MentionGrouping>,
    diagnostics: &mut Diagnostics,
) -> CountedReport {
    let mut past = Past::default();
    let report = score_and_count_after(&mut past, pairs, task, (per_document, grouping), diagnostics);
    CountedReport { report, documents: past.part.documents, groups: past.part.groups }
}

/// Returns the report. `past` receives the counts of each document, if requested, and of its groups of mentions.
fn score_and_count_after(
    past: &mut Past,
    pairs: &[DocumentPair<'_>],
    task: &Task,
    (per_document, grouping): (bool, Option<&MentionGrouping>),
    diagnostics: &mut Diagnostics,
) -> SystemReport {
    let counted = counted_metrics(&task.metrics);
    let with_names = metrics::need_names(&task.settings, &counted);
    let mut task = task.clone();
    if with_names && task.settings.named == NamedSource::Auto {
        // The command has already removed such metrics; other callers of the library may not have.
        task.settings.named = named::source_of_pairs(pairs);
    }
    let task = &task;
    let possible = past.keep_for(pairs, task, (&counted, per_document, grouping), diagnostics);
    let per_document = past.counting.as_ref().is_some_and(|counting| counting.per_document);
    let new = &pairs[past.counted.documents..];
    past.count(new, task, (&counted, &possible), per_document, grouping);
    past.counted.extend(pairs);
    let mut means = std::mem::take(&mut past.means);
    if task.settings.average != Average::Micro {
        for document in &past.part.documents[means.documents..] {
            means.add(&document.tallies.unpack(), &document.mentions, &counted, &task.settings);
        }
    }
    past.means = means;
    let mut ends = std::mem::take(&mut past.ends);
    let report = past.report(task, (&counted, &possible), diagnostics, |shared, diagnostics| {
        warn_of_few_shared(pairs, shared, &mut ends, diagnostics);
    });
    past.ends = ends;
    report
}

/// The entities of a document that were counted without its mentions.
pub(crate) struct DocumentCount {
    /// The entities after singletons were dropped, if the settings require it.
    pub entities: AlignedEntities,
    /// The number of singletons that were dropped from key and response.
    pub dropped: [u32; 2],
}

impl DocumentCount {
    /// Reports dropped singletons, and sides without other mentions.
    pub(crate) fn report_dropped(&self, pair: &DocumentPair<'_>, diagnostics: &mut Diagnostics) {
        let mentions = self.entities.mentions();
        let sides = [(Some(pair.key), "key", mentions.key), (pair.response, "response", mentions.response)];
        let sides = sides.into_iter().zip(self.dropped).filter(|(_, dropped)| *dropped > 0);
        for ((document, ..), dropped) in sides.clone() {
            if let Some(document) = document {
                note_singletons(document, dropped as usize, diagnostics);
            }
        }
        for ((document, side, mentions), _) in sides {
            if let Some(document) = document.filter(|_| mentions == 0) {
                warn_of_no_mention(document, side, diagnostics);
            }
        }
    }
}

/// Scores documents whose entities `counted` returns, by the index of their pair. The paired documents need no mentions;
/// groups are documents. Returns `None` if findings need the mentions, because the sides share few of them.
pub(crate) fn score_counted(
    pairs: &[DocumentPair<'_>],
    counted: impl Fn(usize) -> DocumentCount + Sync,
    task: &Task,
    diagnostics: &mut Diagnostics,
) -> Option<SystemReport> {
    /// The maximum number of documents that one thread scores at a time.
    const RUN: usize = 1 << 12;
    let metrics = counted_metrics(&task.metrics);
    let possible = vec![true; metrics.len()];
    let averaged = task.settings.average != Average::Micro;
    let run = (pairs.len() / (task.threads * RUNS_PER_THREAD).max(1)).clamp(1, RUN);
    let parts = side_by_side(task.threads, pairs.len().div_ceil(run), |number| {
        let mut part = RunResult { totals: vec![Tally::default(); metrics.len()], ..RunResult::default() };
        for (place, pair) in pairs.iter().enumerate().skip(number * run).take(run) {
            let document = counted(place);
            document.report_dropped(pair, &mut part.diagnostics);
            let overlap = document.entities.recall_view();
            let sides = [overlap.key_sizes(), overlap.response_sizes()];
            part.sizes.iter_mut().zip(sides).for_each(|(size, entities)| size.add_entities(entities));
            let aligned = AlignedPair::from(document.entities).following(&task.settings);
            part.count(&aligned, (&metrics, &possible), averaged || task.by.is_some());
        }
        part
    });
    let mut past = Past { texts: SideSize::of_texts(pairs), ..Past::default() };
    past.part.totals.resize_with(metrics.len(), Tally::default);
    parts.into_iter().for_each(|part| past.part.add(part));
    if averaged {
        for document in &past.part.documents {
            past.means.add(&document.tallies.unpack(), &document.mentions, &metrics, &task.settings);
        }
    }
    let mut few = false;
    let mut report =
        past.report(task, (&metrics, &possible), diagnostics, |shared, _| few = needs_mentions(shared));
    if let Some(by) = task.by {
        past.add_rows(by, pairs, task, &mut report);
    }
    (!few).then_some(report)
}

/// Scores that are computed document by document. Only the counts of documents are kept.
pub(crate) struct RunningScore {
    task: Task,
    counted: Vec<Metric>,
    past: Past,
    /// The rows by document, if requested.
    rows: Spool,
}

impl RunningScore {
    /// Creates an empty score of a task; `None` if the task needs all documents at once, or groups other than single
    /// documents.
    pub(crate) fn new(task: &Task) -> Option<RunningScore> {
        let counted = counted_metrics(&task.metrics);
        let is_possible = task.by.is_none_or(|by| by.is("document"))
            && task.settings.scope == Scope::Document
            && !metrics::need_names(&task.settings, &counted)
            && !task.metrics.iter().any(Metric::needs_corpus);
        is_possible.then(|| RunningScore {
            task: task.clone(),
            counted,
            past: Past::default(),
            rows: Spool::default(),
        })
    }

    /// Returns whether a document has the annotation that the metrics count.
    pub(crate) fn is_possible(&self, document: &Document) -> bool {
        self.task.metrics.iter().chain(&self.counted).all(|metric| metric.is_possible(document))
    }

    /// Adds the next documents. Returns their rows, if rows are requested.
    pub(crate) fn add(&mut self, pairs: &[DocumentPair<'_>]) -> DocumentReports {
        let RunningScore { task, counted, past, rows } = self;
        let mut new = Vec::new();
        let (first, before) = (past.counted.documents, rows.len());
        let averaged = task.settings.average != Average::Micro;
        let possible = vec![true; counted.len()];
        past.count(pairs, task, (counted, &possible), task.by.is_some() || averaged, None);
        past.counted.documents += pairs.len();
        for (place, document) in std::mem::take(&mut past.part.documents).into_iter().enumerate() {
            if averaged {
                past.means.add(&document.tallies.unpack(), &document.mentions, counted, &task.settings);
            }
            if let Some(by) = task.by {
                // Each document is a row, and documents arrive in order.
                let labels = by.labels(&pairs[place], first + place);
                rows.push(&labels, &document.tallies);
                new.push(Row { labels: labels.into(), tallies: document.tallies });
            }
        }
        DocumentReports::after(before, self.scoring(), new)
    }

    fn scoring(&self) -> Scoring {
        Scoring::of(&self.task.metrics, &self.task.settings, false)
    }

    /// Returns the report, with findings about all documents. Returns `None` if these findings need the documents
    /// again, because the sides share few mentions.
    pub(crate) fn finish(self, diagnostics: &mut Diagnostics) -> Option<SystemReport> {
        let possible = vec![true; self.counted.len()];
        let mut few = false;
        let counted = (&*self.counted, &*possible);
        let mut report =
            self.past.report(&self.task, counted, diagnostics, |shared, _| few = needs_mentions(shared));
        if let Some(by) = self.task.by {
            report.by = Some(by);
            report.documents = DocumentReports::of_spool(self.scoring(), self.rows);
        }
        (!few).then_some(report)
    }
}

/// Computes the metrics that require all documents at once, which no single thread has earlier.
fn add_corpus_values(
    pairs: &[DocumentPair<'_>],
    task: &Task,
    results: &mut [MetricResult],
    mut documents: Option<&mut DocumentReports>,
    diagnostics: &mut Diagnostics,
) {
    let mut warned = false;
    for (place, metric) in task.metrics.iter().enumerate() {
        let Some(values) = metric.corpus_values(pairs, &task.settings) else { continue };
        let [types, ..] = &values.corpus.groups;
        if !warned && !types.is_empty() && types.keys().all(|name| name == UNTYPED) {
            warned = true;
            let position = pairs.first().map(|pair| pair.key.position());
            diagnostics.add(Code::TypeMissing, position, None, || {
                format!("no entity has a type, so {} gives all the same weight", metric.label())
            });
        }
        results[place].set_table(values.corpus);
        if let Some(documents) = &mut documents {
            documents.add_tables(place, values.documents);
        }
    }
}

/// The number of runs of documents per thread, if there are several threads. While one thread is slow, others can
/// process the remaining runs.
const RUNS_PER_THREAD: usize = 4;

/// Documents divided into runs. Later runs have fewer mentions, so that all threads end at about the same time.
pub(crate) struct Runs<'p, 'c> {
    /// The number of threads with enough work.
    pub(crate) threads: usize,
    pub(crate) runs: Vec<&'p [DocumentPair<'c>]>,
}

impl<'p, 'c> Runs<'p, 'c> {
    /// Divides documents into `per_thread` runs per thread. Each thread gets at least `least` mentions, so few mentions use
    /// fewer threads; a single thread gets one run.
    pub(crate) fn of(
        pairs: &'p [DocumentPair<'c>],
        threads: usize,
        least: usize,
        per_thread: usize,
    ) -> Runs<'p, 'c> {
        let mentions = |pair: &DocumentPair<'_>| {
            pair.key.mentions().len() + pair.response.map_or(0, |response| response.mentions().len())
        };
        let total: usize = pairs.iter().map(mentions).sum();
        let threads = threads.min(total / least).max(1);
        let wanted = if threads > 1 { threads * per_thread } else { 1 };
        let mut runs = Vec::with_capacity(wanted);
        let (mut start, mut seen) = (0, 0);
        for (place, pair) in pairs.iter().enumerate() {
            seen += mentions(pair);
            // The sizes of runs decrease linearly, so the mentions after a run decrease quadratically.
            let left = wanted - runs.len() - 1;
            let share = |of: usize, part: usize| of as u128 * (part * part) as u128;
            if left > 0 && share(total - seen, wanted) <= share(total, left) {
                runs.push(&pairs[start..=place]);
                start = place + 1;
            }
        }
        if start < pairs.len() {
            runs.push(&pairs[start..]);
        }
        Runs { threads, runs }
    }
}

/// The results of one run of documents.
#[derive(Clone, Debug, Default)]
struct RunResult {
    totals: Vec<Tally>,
    mentions: Counts,
    /// The number of response mentions that were added to the key.
    extra: u64,
    documents: Vec<PackedDocument>,
    groups: Vec<Vec<GroupTallies>>,
    sizes: [SideSize; 2],
    names: NamedCounts,
    diagnostics: Diagnostics,
}

impl RunResult {
    /// Counts a document.
    fn count(
        &mut self,
        aligned: &AlignedPair,
        (counted, possible): (&[Metric], &[bool]),
        per_document: bool,
    ) {
        let shared = aligned.mentions();
        self.mentions.add_integers((shared.shared, shared.key), (shared.shared, shared.response));
        let unlinked = aligned.recall_view().unlinked_mentions();
        self.sizes.iter_mut().for_each(|size| size.unlinked += unlinked);
        if per_document {
            let mut tallies = vec![Tally::default(); counted.len()];
            let all = counted.iter().zip(possible).zip(&mut tallies).zip(&mut self.totals);
            for (((metric, _), tally), total) in all.filter(|(((_, possible), _), _)| **possible) {
                metric.tally(aligned, tally);
                total.add(tally);
            }
            self.documents.push(PackedDocument { tallies: PackedTallies::new(&tallies), mentions: shared });
        } else {
            let all = counted.iter().zip(possible).zip(&mut self.totals);
            for ((metric, _), total) in all.filter(|((_, possible), _)| **possible) {
                metric.tally(aligned, total);
            }
        }
    }

    /// Adds the counts of later documents.
    fn add(&mut self, other: RunResult) {
        self.totals.iter_mut().zip(&other.totals).for_each(|(total, tally)| total.add(tally));
        self.mentions.add(&other.mentions);
        self.extra += other.extra;
        self.documents.extend(other.documents);
        self.groups.extend(other.groups);
        self.sizes.iter_mut().zip(&other.sizes).for_each(|(sum, size)| sum.add(size));
        self.names.add(&other.names);
        self.diagnostics.merge(other.diagnostics);
    }
}

/// The counts of all metrics in one document.
#[derive(Clone, Debug)]
pub struct DocumentTallies {
    /// The document's id.
    pub id: String,
    /// A tally for each of [`counted_metrics`].
    pub tallies: Vec<Tally>,
    /// The numbers of its mentions.
    pub mentions: MentionCounts,
}

impl DocumentTallies {
    /// Returns an empty document: one zero tally per metric.
    pub fn nothing(id: String, metrics: usize) -> DocumentTallies {
        DocumentTallies { id, tallies: vec![Tally::default(); metrics], mentions: MentionCounts::default() }
    }

    /// Returns whether all metrics are undefined.
    pub fn is_empty(&self) -> bool {
        self.tallies.iter().all(|tally| tally.defined() == [false; 3])
    }
}

/// The result of one metric for one document.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DocumentScore {
    /// The score.
    pub score: Score,
    /// True for each of recall, precision and F1 that is defined. A mean of other metrics has only an F1, which is
    /// defined if all its parts are.
    pub defined: [bool; 3],
}

impl DocumentScore {
    /// Returns recall, precision or F1, by its place, if defined.
    pub fn part(&self, part: usize) -> Option<f64> {
        let parts = [self.score.recall, self.score.precision, self.score.f1];
        parts.get(part).copied().filter(|_| self.defined[part])
    }
}

/// Returns the results of each metric for each document, from the tallies of `tally_documents`.
pub fn document_scores(
    metrics: &[Metric],
    documents: &[DocumentTallies],
    settings: &Settings,
) -> Vec<Vec<DocumentScore>> {
    let scoring = Scoring::of(metrics, settings, false);
    let counted = &scoring.counted;
    let of = |document: &DocumentTallies| {
        let results = scoring.results(&document.tallies);
        let score = |result: MetricResult| {
            let part = |metric: &Metric| counted.iter().position(|other| other == metric);
            let has = |place: usize| document.tallies.get(place).map_or([false; 3], Tally::defined);
            let defined = match (&result.tally, result.metric.parts()) {
                (Some(tally), _) => tally.defined(),
                (None, Some(parts)) => {
                    [false, false, parts.iter().filter_map(part).all(|place| has(place)[2])]
                }
                (None, None) => [false; 3],
            };
            DocumentScore { score: result.score, defined }
        };
        results.into_iter().map(score).collect()
    };
    documents.iter().map(of).collect()
}

/// Applies `work` to each document with aligned mentions, in order, including named mentions if a metric needs them.
/// Repeats no findings of [`tally_documents`].
pub(crate) fn map_aligned<T>(
    pairs: &[DocumentPair<'_>],
    settings: &Settings,
    metrics: &[Metric],
    mut work: impl FnMut(&AlignedPair) -> T,
) -> Vec<T> {
    let mut part = RunResult::default();
    let (names, pruned) = (metrics::need_names(settings, metrics), metrics.iter().any(Metric::needs_names));
    let wanted = Wanted { names, pruned, ..Wanted::default() };
    pairs.iter().map(|pair| work(&align(*pair, settings, wanted, &mut part).0)).collect()
}

/// Returns the alignment of one document, as used for scores. Repeats no findings of [`tally_documents`].
pub(crate) fn aligned_mentions(pair: DocumentPair<'_>, settings: &Settings) -> Alignment {
    let wanted = Wanted { names: settings.entities == Entities::Named, ..Wanted::default() };
    alignment(pair, settings, wanted, &mut RunResult::default()).0
}

/// Scores a run of documents; `first` is the index of its first document.
fn score_run(
    (first, pairs): (usize, &[DocumentPair<'_>]),
    task: &Task,
    (counted, possible): (&[Metric], &[bool]),
    per_document: bool,
    grouping: Option<&MentionGrouping>,
) -> RunResult {
    let mut part = RunResult { totals: vec![Tally::default(); counted.len()], ..RunResult::default() };
    let wanted = Wanted {
        table: counted.iter().any(Metric::needs_mentions),
        weights: counted.iter().fold(WeightNeeds::default(), |needs, metric| needs.or(metric.weight_needs())),
        names: metrics::need_names(&task.settings, counted),
        pruned: counted.iter().any(Metric::needs_names),
        grouping: None,
    };
    for (place, pair) in pairs.iter().enumerate() {
        let wanted = Wanted { grouping: grouping.map(|grouping| (grouping, first + place)), ..wanted };
        let (aligned, grouped) = align(*pair, &task.settings, wanted, &mut part);
        if let (Some(grouped), Some(grouping)) = (grouped, grouping) {
            let tallies = grouped.tallies(&aligned, &grouping.metrics, grouping.all_maps);
            let packed = |(labels, tallies): (Labels, Vec<Tally>)| (labels, PackedTallies::new(&tallies));
            part.groups.push(tallies.into_iter().map(packed).collect());
        }
        part.count(&aligned, (counted, possible), per_document);
    }
    part
}

/// The data of a pair in addition to its overlap table.
#[derive(Clone, Copy, Default)]
struct Wanted<'g> {
    /// The aligned mentions.
    table: bool,
    /// The weights of mentions and entities.
    weights: WeightNeeds,
    /// The named mentions.
    names: bool,
    /// The pair pruned to its named mentions.
    pruned: bool,
    /// The groups of mentions, and the index of the document.
    grouping: Option<(&'g MentionGrouping, usize)>,
}

/// Both sides pruned to their named mentions.
struct Pruned {
    key: Selected,
    response: Selected,
    /// The remaining entities of the key, by their numbers among all.
    entities: Vec<u32>,
}

/// Selects and aligns one document.
fn align(
    pair: DocumentPair<'_>,
    settings: &Settings,
    wanted: Wanted<'_>,
    part: &mut RunResult,
) -> (AlignedPair, Option<GroupedPair>) {
    let (alignment, pruned) = alignment(pair, settings, wanted, part);
    part.extra += alignment.extra.len() as u64;
    let documents = (pair.key, pair.response.unwrap_or(pair.key));
    let group = |(grouping, place): (&MentionGrouping, usize)| {
        let of_document = grouping.by.labels(&pair, place);
        GroupedPair::new(documents, &alignment, grouping.by, &grouping.of_key, &of_document)
    };
    let grouped = wanted.grouping.map(group);
    let diagnostics = &mut part.diagnostics;
    let weighs = !wanted.weights.is_nothing();
    if weighs && !alignment.extra.is_empty() {
        let id = documents.0.id().to_string();
        diagnostics.add(Code::WithoutEffect, Some(documents.0.position()), Some(id.clone()), || {
            text!(
                "{} adds mentions without weights to the key of {}, so everything has the same weight there",
                option("extra-mentions"),
                quoted(id)
            )
        });
    }
    let weighed = (weighs && alignment.extra.is_empty())
        .then(|| overlap::weigh(documents, &alignment, settings, wanted.weights, diagnostics));
    let mut aligned = AlignedPair::new(alignment);
    if let Some(weighed) = weighed {
        aligned = aligned.with_weights(weighed);
    }
    let aligned = aligned.following(settings);
    let aligned = match pruned {
        Some(Pruned { key, response, entities }) if wanted.pruned => {
            // Findings about these mentions were already reported with all mentions.
            let mut discarded = Diagnostics::default();
            let sides = ((documents.0, key), (documents.1, response));
            let named = matching::align(sides.0, sides.1, settings, false, &mut discarded);
            aligned.with_named(AlignedPair::new(named), entities)
        }
        _ => aligned,
    };
    (aligned, grouped)
}

/// Aligns one document and, if names are requested, prunes both sides to named mentions.
fn alignment(
    pair: DocumentPair<'_>,
    settings: &Settings,
    wanted: Wanted<'_>,
    part: &mut RunResult,
) -> (Alignment, Option<Pruned>) {
    let diagnostics = &mut part.diagnostics;
    let named = wanted.names.then(|| named::named_mentions(pair, settings, diagnostics));
    let chosen = |selected: Selected, flags: fn(&NamedMentions) -> &[bool]| match &named {
        Some(named) if settings.entities == Entities::Named => selected.of_named_entities(flags(named)),
        _ => selected,
    };
    let key_selected = chosen(select(pair.key, pair.key, settings, diagnostics), |named| &named.key);
    part.sizes[0].add_selected(&key_selected);
    let nothing = Selected::default();
    let (response, response_selected) = match pair.response {
        Some(response) => {
            let selected = select(response, pair.key, settings, diagnostics);
            (response, chosen(selected, |named| &named.response))
        }
        None => (pair.key, nothing),
    };
    part.sizes[1].add_selected(&response_selected);
    warn_if_dropped(pair.key, "key", &key_selected, diagnostics);
    if let Some(response) = pair.response {
        warn_if_dropped(response, "response", &response_selected, diagnostics);
    }
    let pruned = named.map(|named| {
        let pruned = [key_selected.pruned(&named.key), response_selected.pruned(&named.response)];
        let count = |whole: &Selected, pruned: &Selected| SideNames {
            mentions: whole.mentions.len() as u64,
            named: pruned.mentions.len() as u64,
            entities: pruned.sizes.len() as u64,
        };
        let (key, response) = (count(&key_selected, &pruned[0]), count(&response_selected, &pruned[1]));
        part.names.add(&NamedCounts { source: settings.named, key, response });
        let [key, response] = pruned;
        let mut entities: Vec<u32> = key_selected
            .mentions
            .iter()
            .filter(|mention| named.key[mention.mention as usize])
            .map(|mention| mention.entity)
            .collect();
        entities.sort_unstable();
        entities.dedup();
        Pruned { key, response, entities }
    });
    let (key, response) = ((pair.key, key_selected), (response, response_selected));
    (matching::align(key, response, settings, wanted.table, diagnostics), pruned)
}

/// Warns about a document if the settings drop all its mentions.
fn warn_if_dropped(document: &Document, side: &str, selected: &Selected, diagnostics: &mut Diagnostics) {
    if selected.mentions.is_empty() && !document.mentions().is_empty() {
        warn_of_no_mention(document, side, diagnostics);
    }
}

fn warn_of_no_mention(document: &Document, side: &str, diagnostics: &mut Diagnostics) {
    let id = document.id().to_string();
    diagnostics.add(Code::NoMentions, Some(document.position()), Some(id.clone()), || {
        format!("the settings keep no mention of the {side} in `{id}`")
    });
}

/// Returns the weights of a document's recall, precision and F1 in an average over documents.
pub(crate) fn weights(tally: &Tally, mentions: &MentionCounts, average: Average) -> [f64; 3] {
    match average {
        Average::Mentions => {
            let (key, response) = (mentions.key as f64, mentions.response as f64);
            [key, response, key + response]
        }
        Average::Macro | Average::Micro => tally.defined().map(f64::from),
    }
}

/// Sums of documents' scores for their means, over the documents where a score is defined, or weighted by mentions.
#[derive(Clone, Debug, Default)]
struct Means {
    documents: usize,
    /// The sums for each counted metric.
    sums: Vec<MetricSums>,
}

/// The sums of one metric.
#[derive(Clone, Debug, Default)]
struct MetricSums {
    /// The weighted sum and the sum of weights, for recall, precision and F1.
    parts: [(f64, f64); 3],
    /// The number of documents where F1 is defined.
    defined: u32,
}

impl MetricSums {
    /// Returns the means.
    fn score(&self) -> Score {
        let mean = |(sum, weights): (f64, f64)| if weights == 0.0 { 0.0 } else { sum / weights };
        let [recall, precision, f1] = self.parts.map(mean);
        Score { recall, precision, f1 }
    }
}

impl Means {
    /// Adds a later document.
    fn add(&mut self, tallies: &[Tally], mentions: &MentionCounts, counted: &[Metric], settings: &Settings) {
        let rules = settings.rules();
        self.documents += 1;
        self.sums.resize_with(counted.len(), MetricSums::default);
        for ((metric, tally), sums) in counted.iter().zip(tallies).zip(&mut self.sums) {
            let score = metric.score(tally, &rules);
            let weights = weights(tally, mentions, settings.average);
            let values = [score.recall, score.precision, score.f1];
            for ((sum, weight), value) in sums.parts.iter_mut().zip(weights).zip(values) {
                *sum = (sum.0 + weight * value, sum.1 + weight);
            }
            sums.defined += u32::from(tally.defined()[2]);
        }
    }

    /// Returns the results of the requested metrics.
    fn results(&self, metrics: &[Metric], counted: &[Metric], settings: &Settings) -> Vec<MetricResult> {
        let sums =
            |metric: &Metric| counted.iter().position(|other| other == metric).map(|place| &self.sums[place]);
        let score = |metric: &Metric| sums(metric).map_or(Score::default(), MetricSums::score);
        // Only scorch's BLANC has a score above 0 without counts.
        let is_undefined =
            |metric: &Metric| sums(metric).is_some_and(|sums| sums.score().f1 == 0.0 && sums.defined == 0);
        let is_macro = settings.average == Average::Macro;
        let result = |metric: &Metric| {
            let score = match metric.parts() {
                None => score(metric),
                Some(parts) => Score::mean(parts.iter().map(score)),
            };
            MetricResult {
                // Empty counts if the metric is undefined in every document.
                tally: (!metric.is_mean() && is_undefined(metric)).then(Tally::default),
                partial: metric.parts().is_some_and(|parts| parts.iter().any(is_undefined)),
                averaged: sums(metric)
                    .map_or([true; 2], |sums| [sums.parts[0].1 > 0.0, sums.parts[1].1 > 0.0]),
                mean_of: sums(metric).filter(|_| is_macro).map(|sums| [sums.defined, self.documents as u32]),
                ..MetricResult::new(*metric, score)
            }
        };
        metrics.iter().map(result).collect()
    }
}

/// Returns whether all documents have the annotation that a metric counts; reports the first that does not. A count
/// over some documents would look like a count over all.
fn warn_if_impossible(metric: &Metric, pairs: &[DocumentPair<'_>], diagnostics: &mut Diagnostics) -> bool {
    let impossible = |document: &&Document| !metric.is_possible(document);
    let found = pairs.iter().find_map(|pair| {
        let key = Some(pair.key).filter(impossible).map(|key| (key, "key"));
        let response = || pair.response.filter(impossible).map(|response| (response, "response"));
        key.or_else(response).map(|found| (pair.key.id(), found))
    });
    let Some((id, (document, side))) = found else { return true };
    let id = id.to_string();
    diagnostics.add(Code::MetricImpossible, Some(document.position()), Some(id.clone()), || {
        format!("{} cannot be counted: `{id}` lacks the annotation in the {side}", metric.label())
    });
    false
}

/// Reports that the sides share no mention, or that they share less than a third of their mentions and most others
/// differ only in their ends. Takes the numbers of shared mentions, of key mentions and of response mentions.
fn warn_of_few_shared(
    pairs: &[DocumentPair<'_>],
    [shared, key, response]: [f64; 3],
    ends: &mut LongerOrShorter,
    diagnostics: &mut Diagnostics,
) {
    if shared == 0.0 {
        warn_of_nothing_shared(pairs, key > 0.0 && response > 0.0, diagnostics);
    }
    if has_few([shared, key, response]) {
        ends.extend(pairs);
        ends.warn(diagnostics);
    }
}

/// Returns whether both sides have mentions and share less than a third of them.
fn has_few([shared, key, response]: [f64; 3]) -> bool {
    key > 0.0 && response > 0.0 && 3.0 * shared < key.min(response)
}

/// Returns whether findings about few or no shared mentions need the mentions.
pub(crate) fn needs_mentions(shared: [f64; 3]) -> bool {
    shared[0] == 0.0 || has_few(shared)
}

/// Returns the name of a mention in files that name mentions; empty if mentions consist of words.
fn name_of<'d>(document: &'d Document, mention: &Mention) -> &'d str {
    let names = document.words().layers().filter(|_| document.words().are_names());
    names.and_then(|layers| layers.form.get(mention.span().start() as usize)).unwrap_or_default()
}

/// Like [`warn_of_few_shared`], for mentions that match by their first and last word, or by name.
pub(crate) fn warn_of_few_spans_shared(pairs: &[DocumentPair<'_>], diagnostics: &mut Diagnostics) {
    // Most readers return mentions in this order: by their end, inner ones first.
    let place = |mention: &Mention| {
        u64::from(mention.span().end()) << 32 | u64::from(u32::MAX - mention.span().start())
    };
    let mentions = |document: Option<&Document>| document.map_or(0, |document| document.mentions().len());
    let all: [usize; 2] = pairs.iter().fold([0; 2], |[key, response], pair| {
        [key + mentions(Some(pair.key)), response + mentions(pair.response)]
    });
    let [mut key, mut response] = [Vec::new(), Vec::new()];
    let mut sums = [0; 3];
    for pair in pairs {
        let both = [Some(pair.key), pair.response];
        let counts = if both.into_iter().flatten().any(|document| document.words().are_names()) {
            let [mut key, mut response] = both.map(|document| -> Vec<(Option<&str>, u64)> {
                let Some(document) = document else { return Vec::new() };
                let named = document.words().are_names();
                // Words need no name: the C library is slow to compare empty names, which have no address.
                let of_mention = |mention: &Mention| match named {
                    true => (Some(name_of(document, mention)), 0),
                    false => (None, place(mention)),
                };
                document.mentions().iter().map(of_mention).collect()
            });
            count_shared(&mut key, &mut response)
        } else {
            for (document, places) in both.into_iter().zip([&mut key, &mut response]) {
                places.clear();
                places.extend(document.iter().flat_map(|document| document.mentions()).map(place));
            }
            count_shared(&mut key, &mut response)
        };
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        // The remaining documents cannot reduce the shared mentions to few.
        if 3 * sums[0] >= all[0].min(all[1]) && sums[0] > 0 {
            return;
        }
    }
    warn_of_few_shared(pairs, sums.map(|sum| sum as f64), &mut LongerOrShorter::default(), diagnostics);
}

/// Returns the numbers of distinct mentions that both sides share, that the key has and that the response has.
fn count_shared<T: Ord>(key: &mut Vec<T>, response: &mut Vec<T>) -> [usize; 3] {
    for side in [&mut *key, &mut *response] {
        side.sort_unstable();
        side.dedup();
    }
    let mut theirs = response.iter().peekable();
    let shared = key.iter().filter(|mention| {
        while theirs.next_if(|other| other < mention).is_some() {}
        theirs.next_if_eq(mention).is_some()
    });
    [shared.count(), key.len(), response.len()]
}

/// Counts response mentions in the first documents that would match a key mention if their end were moved by one word.
#[derive(Clone, Debug, Default)]
struct LongerOrShorter {
    documents: usize,
    /// All response mentions, those that end a word later than a key mention, and those that end a word earlier.
    all: u64,
    longer: u64,
    shorter: u64,
    /// The first response mention that has a place, with its document.
    first: Option<(Position, String)>,
}

impl LongerOrShorter {
    /// Counts the documents of `pairs` that were not counted before.
    fn extend(&mut self, pairs: &[DocumentPair<'_>]) {
        let new = &pairs[self.documents..];
        for (key, response) in new.iter().filter_map(|pair| Some((pair.key, pair.response?))) {
            let ends: BTreeSet<_> =
                key.mentions().iter().filter_map(|mention| numbers_of(key, mention)).collect();
            for mention in response.mentions() {
                self.all += 1;
                let Some((name, start, end)) = numbers_of(response, mention) else { continue };
                self.longer += u64::from(end > start + 1 && ends.contains(&(name, start, end - 1)));
                self.shorter += u64::from(ends.contains(&(name, start, end + 1)));
                self.first.get_or_insert_with(|| (response.position_of(mention), response.id().to_string()));
            }
        }
        self.documents = pairs.len();
    }

    /// Reports that the ends of spans seem to have different meanings on the two sides: most response mentions match
    /// key mentions only if their ends are moved by a word.
    fn warn(&self, diagnostics: &mut Diagnostics) {
        let LongerOrShorter { all, longer, shorter, ref first, .. } = *self;
        let (moved, how, side) = match longer >= shorter {
            true => (longer, "later", "response"),
            false => (shorter, "earlier", "key"),
        };
        if all == 0 || 2 * moved < all {
            return;
        }
        let (position, id) = first.clone().unzip();
        diagnostics.add(Code::SpanEnds, position, id, || {
            text!(
                "{} of {} of the response {} one word {} than a mention of the key: the {} may count ends exclusively ({})",
                moved,
                plural(all, "mention", "mentions"),
                if moved == 1 { "ends" } else { "end" },
                how,
                side,
                option_value(if side == "key" { "key-span-end" } else { "response-span-end" }, "exclusive")
            )
        });
    }
}

/// Returns the place of a mention: its first word and the position after its last, counted as its file counts. A name
/// has a place if it ends with two numbers: `3-5`, `d1:3-5`, `[3, 5]`, `(3,5)`; the text before them is the first part
/// of the result.
fn numbers_of<'d>(document: &'d Document, mention: &Mention) -> Option<(&'d str, u64, u64)> {
    if !document.words().are_names() {
        return Some(("", mention.span().start().into(), mention.span().end().into()));
    }
    let number_at_end = |text: &'d str| -> Option<(&'d str, u64)> {
        let rest = text.trim_end_matches(|c: char| c.is_ascii_digit());
        Some((rest, text[rest.len()..].parse().ok()?))
    };
    let (rest, last) = number_at_end(name_of(document, mention).trim_end_matches([']', ')']))?;
    let separated = rest.trim_end_matches(['-', ':', ',', '.', '_', ' ']);
    let (rest, first) = number_at_end(separated).filter(|_| separated.len() < rest.len())?;
    Some((rest, first, last.checked_add(1)?)).filter(|_| first <= last)
}

/// Reports that both sides have mentions but share none, with an example of each. Mentions `counted` on both sides may
/// be in different documents.
fn warn_of_nothing_shared(pairs: &[DocumentPair<'_>], counted: bool, diagnostics: &mut Diagnostics) {
    fn first(document: &Document) -> Option<(&Document, &Mention)> {
        document.mentions().first().map(|mention| (document, mention))
    }
    let found = pairs.iter().find_map(|pair| Some((first(pair.key)?, first(pair.response?)?)));
    let message = "key and response have no mention in common";
    let Some((key, response)) = found else {
        if counted {
            diagnostics.add(Code::NothingShared, None, None, || {
                format!("{message}: no document has mentions on both sides")
            });
        }
        return;
    };
    let (position, id) = (response.0.position_of(response.1), response.0.id().to_string());
    // If no words are known, word numbers can have any meaning.
    let known =
        |document: &Document| document.words().are_names() || document.words().fingerprint().is_some();
    let is_beyond = !key.0.words().are_names() && response.1.span().start() >= key.0.words().count();
    diagnostics.add(Code::NothingShared, Some(position), Some(id), || {
        match known(key.0) && known(response.0) {
            false => message.to_owned(),
            // Mentions without a place refer to words after the text.
            true if is_beyond => format!("{message}: those of the response are not in the key's text"),
            true => format!(
                "{message}: the response has {} here, the key {} ({})",
                matching::describe(response.0, response.1),
                matching::describe(key.0, key.1),
                key.0.position_of(key.1)
            ),
        }
    });
}

/// Reports that only one side has singletons, if a metric counts them.
pub(crate) fn warn_of_one_sided_singletons(
    counted: &[Metric],
    [key, response]: &[SideSize; 2],
    diagnostics: &mut Diagnostics,
) {
    let affected: Vec<String> =
        counted.iter().filter(|metric| metric.spec().counts_singletons).map(Metric::label).collect();
    let one_sided = !affected.is_empty() && (key.singletons == 0) != (response.singletons == 0);
    if one_sided && key.mentions > 0 && response.mentions > 0 {
        let (with, without, count) = match key.singletons {
            0 => ("response", "key", response.singletons),
            count => ("key", "response", count),
        };
        diagnostics.add(Code::SingletonsOneSided, None, None, || {
            let singletons = plural(count, "singleton", "singletons");
            let metrics = match affected.split_last() {
                Some((last, [])) => format!("{last} counts"),
                Some((last, others)) => format!("{} and {last} count", others.join(", ")),
                None => unreachable!("some metric is affected"),
            };
            format!("the {with} has {singletons} and the {without} has none: {metrics} them")
        });
    }
}

/// Reports findings that require the whole corpus.
pub(crate) fn warn_of_totals(
    results: &[MetricResult],
    (counted, possible): (&[Metric], &[bool]),
    totals: &[Tally],
    sizes: &[SideSize; 2],
    diagnostics: &mut Diagnostics,
) {
    warn_of_one_sided_singletons(counted, sizes, diagnostics);
    for ((metric, possible), total) in counted.iter().zip(possible).zip(totals) {
        let result = results.iter().find(|result| result.metric == *metric);
        let counts_nothing = *possible && !metric.needs_corpus() && !total.defined()[2];
        if counts_nothing && result.is_some_and(|result| result.score.f1 == 0.0) {
            diagnostics.add(Code::MetricUndefined, None, None, || {
                format!("{} is undefined: neither side has any items that it counts", metric.label())
            });
        }
    }
    for ((metric, _), total) in counted.iter().zip(possible).zip(totals) {
        let counts = total.to_real();
        // The second counts of bounds are the remaining possible gain, not a ratio.
        let both =
            if metric.may_have_bounds() { &[counts.first][..] } else { &[counts.first, counts.second] };
        let above = both.iter().any(|counts| {
            counts.recall_num > counts.recall_den * (1.0 + 1e-9)
                || counts.precision_num > counts.precision_den * (1.0 + 1e-9)
        });
        if above {
            diagnostics.add(Code::AboveOne, None, None, || {
                format!("{} is above 1: each copy of a mention that an entity repeats counts", metric.label())
            });
        }
    }
    warn_of_undefined_parts(results, counted.iter().zip(totals), diagnostics);
}

/// Reports means of scores of which one is undefined, or 0 because a side has nothing that it counts. `totals` are the
/// counts of metrics.
pub(crate) fn warn_of_undefined_parts<'t>(
    results: &[MetricResult],
    totals: impl Iterator<Item = (&'t Metric, &'t Tally)>,
    diagnostics: &mut Diagnostics,
) {
    let means: Vec<&MetricResult> = results.iter().filter(|result| result.is_mean()).collect();
    for (metric, total) in totals {
        let Some(needed) = metric.spec().needs else { continue };
        let is_part = |mean: &&&MetricResult| mean.metric.parts().is_some_and(|parts| parts.contains(metric));
        let Some(mean) = means.iter().find(is_part) else { continue };
        let (part, mean) = (metric.label(), mean.metric.label());
        let message = match (total.first.recall_den.is_zero(), total.first.precision_den.is_zero()) {
            (true, true) => format!(
                "neither side has a single {needed}, so {part} and the {mean} average are undefined; other scorers \
                 count {part} as 0"
            ),
            (false, false) => continue,
            (key_lacks, _) => {
                let side = if key_lacks { "key" } else { "response" };
                format!(
                    "the {side} does not have a single {needed}, so {part} counts as 0 in the {mean} average"
                )
            }
        };
        diagnostics.add(Code::MucUndefined, None, None, || message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{FormatSpec, ReadOptions};
    use crate::model::{Corpus, Side};
    use crate::profiles::Profile;

    #[test]
    fn runs_have_all_documents_in_order_and_become_shorter() {
        let document = |number: usize| {
            let mentions: String = (0..number % 7).map(|word| format!("{word}\t({word})\n")).collect();
            format!("#begin document (d{number}); part 000\n{mentions}\n#end document\n")
        };
        let text: String = (0..300).map(document).collect();
        let format = FormatSpec::named("conll").expect("a format");
        let corpus = format.read(text.as_bytes(), "text", ReadOptions::default()).expect("a corpus");
        let pairs: Vec<DocumentPair<'_>> =
            corpus.documents.iter().map(|key| DocumentPair { key, response: Some(key) }).collect();
        for (threads, least, per_thread) in [(1, 1, 4), (2, 1, 4), (2, 900, 4), (2, 2_000, 4), (3, 1, 200)] {
            let Runs { threads: used, runs } = Runs::of(&pairs, threads, least, per_thread);
            assert!(used <= threads && runs.len() <= used * per_thread);
            let found: Vec<_> = runs.iter().flat_map(|run| run.iter().map(|pair| pair.key.id())).collect();
            assert!(found == pairs.iter().map(|pair| pair.key.id()).collect::<Vec<_>>());
            if used > 1 && per_thread == 4 {
                assert_eq!(runs.len(), used * per_thread);
                assert!(runs.is_sorted_by(|one, next| one.len() >= next.len()));
            }
        }
        assert!(Runs::of(&[], 2, 1, 4).runs.is_empty());
    }

    fn read(text: &str, side: Side) -> Corpus {
        let options = ReadOptions { keep_layers: true, side, ..ReadOptions::default() };
        FormatSpec::named("conll").unwrap().read(text.as_bytes(), side.label(), options).unwrap()
    }

    /// Writes a CoNLL file of documents; a document is an id and cells, one for each word.
    fn file(documents: &[(&str, &[&str])]) -> String {
        let document = |(id, cells): &(&str, &[&str])| {
            let words: String =
                (0..).zip(*cells).map(|(n, cell)| format!("x\t0\t{n}\tw{n}\t{cell}\n")).collect();
            format!("#begin document ({id}); part 000\n{words}#end document\n")
        };
        documents.iter().map(document).collect()
    }

    /// Returns scores, counts and findings of the corpus and of each document.
    fn shown(report: &SystemReport, diagnostics: &Diagnostics) -> String {
        let results = |results: &[MetricResult]| {
            let result = |result: &MetricResult| {
                let counts = result.tally.as_ref().map(|tally| tally.to_real());
                (result.metric.to_string(), result.score, counts)
            };
            format!("{:?}", results.iter().map(result).collect::<Vec<_>>())
        };
        let documents: Vec<_> = report.documents.iter().map(|row| (row.id, results(&row.results))).collect();
        let (mentions, sizes) = (report.mentions.to_real(), report.sizes);
        format!("{} {mentions:?} {sizes:?} {documents:?} {diagnostics:?}", results(&report.results))
    }

    fn scored_whole(task: &Task, pairs: &[DocumentPair<'_>]) -> String {
        scored_after(&mut Past::default(), task, pairs)
    }

    fn scored_after(past: &mut Past, task: &Task, pairs: &[DocumentPair<'_>]) -> String {
        let mut diagnostics = Diagnostics::default();
        past.check(pairs, &task.settings, &mut diagnostics).unwrap();
        let report = score_pairs_after(past, pairs, task, &mut diagnostics).unwrap();
        shown(&report, &diagnostics)
    }

    fn task(metrics: &str, choices: &[(&str, &str)]) -> Task {
        let (by, choices): (Vec<_>, Vec<_>) = choices.iter().partition(|choice| choice.0 == "by");
        let mut settings = Settings::of(Profile::named("conll").unwrap());
        choices.iter().for_each(|(name, value)| settings.set(name, value).unwrap());
        Task {
            settings,
            metrics: metrics.split(',').map(|metric| Metric::parse(metric).unwrap()).collect(),
            by: by.first().map(|choice| By::named(choice.1).unwrap()),
            threads: 1,
        }
    }

    #[test]
    fn counted_documents_are_not_counted_again() {
        let read = |path: &str| {
            let text = std::fs::read(format!("../../examples/{path}.conll")).unwrap();
            FormatSpec::named("conll").unwrap().read(&text[..], path, ReadOptions::default()).unwrap()
        };
        let (key, response) = (read("key"), read("cedar"));
        let pairs = pairing::pair(&key, &response, &mut Diagnostics::default()).unwrap();
        let all = "mentions,muc,b_cubed,ceaf_e,blanc,conll";
        let (whole, mut past) = (scored_whole, Past::default());
        let mut again = |task: &Task, pairs: &[DocumentPair<'_>]| {
            (scored_after(&mut past, task, pairs), past.documents())
        };
        let usual = task(all, &[]);
        for count in 1..=pairs.len() {
            assert_eq!(again(&usual, &pairs[..count]), (whole(&usual, &pairs[..count]), count));
        }
        // Other settings, metrics and documents are counted again, and groups of mentions have their own counts.
        let others = [
            task(all, &[("singletons", "drop")]),
            task("lea", &[]),
            task(all, &[("average", "macro")]),
            task(all, &[("by", "document")]),
            task(all, &[("by", "entity-size")]),
        ];
        for other in &others {
            assert_eq!(again(other, &pairs).0, whole(other, &pairs));
            assert_eq!(again(&usual, &pairs).0, whole(&usual, &pairs));
        }
        let backwards: Vec<_> = pairs.iter().rev().copied().collect();
        assert_eq!(again(&usual, &backwards).0, whole(&usual, &backwards));
    }

    #[test]
    fn scored_documents_are_not_examined_again() {
        // Most mentions of the response end a word later than those of the key, and the words of `b` differ.
        let key: [(&str, &[&str]); 4] = [
            ("a", &["(0)", "-", "(0)", "-"]),
            ("b", &["(0)", "-", "(0)", "-"]),
            ("c", &["(0)|(1)", "(1)", "(0)", "-"]),
            ("d", &["-", "(0)", "(0)", "-"]),
        ];
        let response: [(&str, &[&str]); 4] = [
            ("a", &["(0", "0)", "(0", "0)"]),
            ("b", &["(0", "0)", "-", "-"]),
            ("c", &["(0)", "-", "(0", "0)"]),
            ("d", &["-", "(0", "0)", "-"]),
        ];
        let other_words = file(&response).replacen("2\tw2\t-", "2\tother\t-", 1);
        let (key, response) = (read(&file(&key), Side::Key), read(&other_words, Side::Response));
        let pairs = pairing::pair(&key, &response, &mut Diagnostics::default()).unwrap();
        // A document that is not examined may as well be empty.
        let empty = file(&[("a", &["-"]), ("b", &["-"]), ("c", &["-"])]);
        let empty = [Side::Key, Side::Response].map(|side| read(&empty, side));
        let mut later = pairing::pair(&empty[0], &empty[1], &mut Diagnostics::default()).unwrap();
        later.push(pairs[3]);
        let choices = [
            ("average", "micro"),
            ("average", "macro"),
            ("average", "mentions"),
            ("by", "document"),
            ("by", "length"),
            ("by", "entity-size"),
            ("by", "length,entity-size"),
            ("zeros", "drop"),
        ];
        for choice in choices {
            let task = task("mentions,muc,b_cubed,ceaf_m,lea", &[("check-tokens", "warn"), choice]);
            let (mut past, whole) = (Past::default(), scored_whole(&task, &pairs));
            assert_eq!(scored_after(&mut past, &task, &pairs[..3]), scored_whole(&task, &pairs[..3]));
            assert_eq!(scored_after(&mut past, &task, &later), whole, "{choice:?}");
            assert!(whole.contains("WordsDiffer") && whole.contains("SpanEnds"), "{whole}");
            if task.by.is_some_and(By::is_of_mentions) {
                continue;
            }
            // The counts of each document also add up to those of the corpus.
            let micro = Task { by: None, ..task.clone() };
            assert_eq!(scored_after(&mut past, &micro, &later), scored_whole(&micro, &pairs));
        }
    }

    #[test]
    fn a_response_that_comes_later_is_counted() {
        let key = read(&file(&[("a", &["(0)", "(0)"]), ("b", &["(0)", "(0)"])]), Side::Key);
        let response = file(&[("b", &["(0)", "(0)"]), ("a", &["(0)", "(0)"])]);
        let response = read(&response.replace("(a); part 000", "(a)"), Side::Response);
        let (task, mut past) = (task("muc", &[]), Past::default());
        for count in 1..=2 {
            let mut response = response.clone();
            response.documents.truncate(count);
            let pairs = pairing::pair(&key, &response, &mut Diagnostics::default()).unwrap();
            assert_eq!(scored_after(&mut past, &task, &pairs), scored_whole(&task, &pairs));
            assert_eq!((past.documents(), pairs[0].response.is_some()), (2, count == 2));
        }
    }
}
