//! CONE without a key: scores against a key made from names, and a check of these scores on annotated documents.
//!
//! [`named`](crate::named) finds the names and makes a key from them. The check detects systems that are only good at
//! names (Lin et al. 2010): it compares full scores on annotated documents with CONE against the approximated key of
//! all documents.

pub mod correlations;

use crate::wording::{option, text};
use std::collections::BTreeMap;

use crate::diagnostic::Diagnostics;
use crate::error::{Error, ErrorKind, Result};
use crate::heuristics::Heuristics;
use crate::metrics::Metric;
use crate::model::{Corpus, Document, DocumentId};
use crate::named::{Approximation, approximate, approximate_by};
use crate::pairing::{self, DocumentPair};
use crate::results::{SideSize, SystemReport};
use crate::scope::{self, JoinedPair};
use crate::score::{DocumentTallies, Task, score_pairs, tally_documents};
use crate::settings::{Average, NamedSource, Scope, Settings};
use crate::significance::{self, DocumentCounts, Interval, Method, ResamplingUnits, Test};
use corefeval_metrics::tally::{Score, Tally};

/// A response scored against the key made from its names.
#[derive(Clone, Debug)]
pub struct Approximated {
    /// The key made from names, over the words of the response.
    pub key: Corpus,
    /// The scores.
    pub report: SystemReport,
    /// The counts of each document, if requested, in the order of the response's documents.
    pub documents: Vec<DocumentTallies>,
}

/// The origin of the key of names.
#[derive(Clone, Copy, Debug)]
pub enum NamesKey<'c> {
    /// A key made from the names of the text.
    Made(Heuristics),
    /// A key read from a file, possibly after corrections: its mentions are the names.
    Read(&'c Corpus),
}

/// Scores the named mentions of a response against a key made from the names of its text. Selection applies to the
/// response before it is pruned; the pruned sides are scored without further selection.
///
/// `task.settings.named` must be a source, not `Auto`. `by_document` requests the counts of each document.
/// [`Evaluation::cone`](crate::evaluation::Evaluation::cone) reads the response, finds the source and calls this function.
///
/// # Errors
///
/// A metric scores mentions that are not named, which neither side has; a document does not contain its words; a key
/// from a file lacks a document or differs in the number of words; there are more pairs of names to compare than the
/// limit allows; or joined documents are too large.
#[doc(hidden)] // Public for tests.
pub fn score_approximated(
    response: &Corpus,
    task: &Task,
    names: NamesKey<'_>,
    by_document: bool,
    diagnostics: &mut Diagnostics,
) -> Result<Approximated> {
    if let Some(metric) = task.metrics.iter().find(|metric| !metric.needs_names()) {
        let message = format!("`{metric}` scores all mentions, but a key made from names has only names");
        return Err(Error::new(ErrorKind::Settings, message).hint(text!(
            "leave it out, or annotate some documents and name them with {}",
            option("annotated")
        )));
    }
    let spelt = |document: &&Document| {
        let words = document.words();
        !words.are_names() && words.layers().is_some_and(|layers| !layers.form.is_empty())
    };
    if let Some(document) = response.documents.iter().find(|d| !spelt(d) && !d.mentions().is_empty()) {
        let message = format!(
            "a key is made from the words of names, and `{}` does not contain its words",
            document.id()
        );
        return Err(Error::new(ErrorKind::Pairing, message)
            .at(document.position())
            .hint("give the response in a format with words (conll, corefud, jsonlines with sentences)"));
    }
    let mut mentions = 0;
    let mut made = Vec::new();
    let keys = match names {
        NamesKey::Made(_) => BTreeMap::new(),
        NamesKey::Read(key) => keys_of(key, response, diagnostics)?,
    };
    for document in &response.documents {
        let Approximation { key, response, scored } = match names {
            NamesKey::Made(heuristics) => approximate(document, &task.settings, heuristics, diagnostics)?,
            NamesKey::Read(_) => match keys.get(document.id()) {
                Some(key) => approximate_by(key, document, &task.settings, diagnostics),
                None => continue,
            },
        };
        mentions += scored;
        made.push((key, response));
    }
    let (keys, responses): (Vec<_>, Vec<_>) = made.into_iter().unzip();
    let pairs = keys.iter().zip(&responses);
    let pairs: Vec<DocumentPair<'_>> =
        pairs.map(|(key, response)| DocumentPair { key, response: Some(response) }).collect();
    let joined = scope::join(&pairs, task.settings.scope, diagnostics)?;
    let pairs = joined.as_ref().map_or(pairs, |joined| joined.iter().map(JoinedPair::as_pair).collect());
    let mut task = Task { settings: task.settings.without_selection(), ..task.clone() };
    let source = task.settings.named;
    if matches!(names, NamesKey::Read(_)) {
        // All mentions of both sides are names.
        task.settings.named = NamedSource::MentionType;
    }
    let task = task;
    // Documents without names on a side are not reported.
    let mut report = score_pairs(&pairs, &task, &mut Diagnostics::default())?;
    let documents = match by_document {
        true => tally_documents(&pairs, &task, &mut Diagnostics::default()).1,
        false => Vec::new(),
    };
    if let Some(named) = &mut report.named {
        (named.response.mentions, named.source) = (mentions, source);
        named.check()?;
    }
    Ok(Approximated { key: Corpus { documents: keys, ..Corpus::default() }, report, documents })
}

/// Returns the documents of a key from a file, by the ids of the response's documents. Both must have the same
/// documents with the same numbers of words, because the key was made from this text.
fn keys_of<'c>(
    key: &'c Corpus,
    response: &'c Corpus,
    diagnostics: &mut Diagnostics,
) -> Result<BTreeMap<&'c DocumentId, &'c Document>> {
    let mut keys = BTreeMap::new();
    let lacks = |side: &str, document: &Document| {
        Error::new(ErrorKind::Pairing, format!("the {side} has no document `{}`", document.id()))
            .at(document.position())
            .hint(text!("make the key of names from this response's text: {}", option("write-key")))
    };
    for pair in pairing::pair(key, response, diagnostics)? {
        let Some(response) = pair.response else { return Err(lacks("response", pair.key)) };
        if pair.key.words().count_in_text() != response.words().count_in_text() {
            let message =
                format!("the key of names and the response do not have the same text of `{}`", pair.key.id());
            return Err(Error::new(ErrorKind::Pairing, message)
                .at(pair.key.position())
                .with_place(response.position(), "the response starts here")
                .hint(text!("make the key from the text of this response: {}", option("write-key"))));
        }
        keys.insert(response.id(), pair.key);
    }
    match response.documents.iter().find(|document| !keys.contains_key(document.id())) {
        Some(document) => Err(lacks("key of names", document)),
        None => Ok(keys),
    }
}

/// The results of a check.
#[derive(Clone, Debug)]
pub struct Check {
    /// A row for each metric that has a variant for [named mentions](Metric::all_and_named).
    pub rows: Vec<CheckRow>,
    /// The sizes of the annotated key and the response to it, after selection.
    pub sizes: [SideSize; 2],
    /// The number of annotated documents.
    pub annotated: usize,
    /// The number of resampling units of the annotated documents.
    pub units: usize,
    /// The number of all documents.
    pub documents: usize,
}

/// The scores of one metric, all as ratios of sums over documents; `None` if neither side has items to count.
#[derive(Clone, Copy, Debug)]
pub struct CheckRow {
    /// The metric over all mentions.
    pub metric: Metric,
    /// Its score on the annotated documents.
    pub full: Option<Score>,
    /// The score of the named mentions there, against the same key.
    pub named: Option<Score>,
    /// The score of the named mentions there, against the approximated key.
    pub approximated_there: Option<Score>,
    /// The score of the named mentions of all documents, against the approximated key.
    pub approximated: Option<Score>,
    /// F1 of `approximated` minus F1 of `full`.
    pub discrepancy: Option<f64>,
    /// Its interval; `None` if it is undefined in most resamples.
    pub interval: Option<Interval>,
}

/// Fails if the settings join documents or average over them, or if fewer than two documents are annotated.
fn require_annotated(annotated: &[DocumentPair<'_>], settings: &Settings) -> Result<()> {
    if settings.scope != Scope::Document || settings.average != Average::Micro {
        let message = "the check draws documents, so it scores each separately and sums their counts";
        return Err(Error::new(ErrorKind::Settings, message).hint(text!(
            "leave out {} and {}",
            option("scope"),
            option("average")
        )));
    }
    if annotated.len() < 2 {
        let message = "the check needs at least two annotated documents to estimate their variation";
        let error = Error::new(ErrorKind::Pairing, message).hint("annotate more documents");
        return Err(match annotated.first() {
            Some(pair) => error.at(pair.key.position()),
            None => error,
        });
    }
    Ok(())
}

/// Compares scores against an approximated key with scores on annotated documents.
///
/// `annotated` are pairs of the key's documents and the response's, each with both sides; `response` is the whole
/// response, and `approximated` is the result of [`score_approximated`] for it, by document.
///
/// The interval is by bootstrap. Annotated documents and the others are drawn separately, with the same draws for both
/// scores.
///
/// # Errors
///
/// The settings join documents or average over them; there are fewer than two annotated documents or resampling units
/// of them, so the variation between documents is unknown; the response lacks an annotated document; or the
/// approximated scores are of documents other than the response's, or lack the counts of each document.
#[doc(hidden)] // Public for tests.
pub fn check(
    annotated: &[DocumentPair<'_>],
    response: &Corpus,
    approximated: &Approximated,
    task: &Task,
    method: &Method,
    diagnostics: &mut Diagnostics,
) -> Result<Check> {
    require_annotated(annotated, &task.settings)?;
    if approximated.documents.len() != response.documents.len() {
        let message = "the scores without a key do not have the counts of each document of the response";
        return Err(Error::new(ErrorKind::Pairing, message));
    }
    let [full_metrics, cone_metrics] = Metric::all_and_named();
    let all = [full_metrics.as_slice(), &cone_metrics].concat();
    let full_task = Task { metrics: all, by: None, ..task.clone() };
    let (SystemReport { sizes, .. }, full) = tally_documents(annotated, &full_task, diagnostics);
    let order = annotated_first(annotated, response)?;
    let number = full_metrics.len();
    let cone: Vec<DocumentTallies> =
        order.iter().map(|&place| approximated.documents[place].clone()).collect();
    let mut counts = counts_of_both(&full_metrics, task, &full, &cone)?;
    counts.draw_apart(full.len());
    let mut units = |places: &[usize]| -> Result<ResamplingUnits> {
        let key = |&place: &usize| DocumentPair { key: &response.documents[place], response: None };
        let pairs: Vec<DocumentPair<'_>> = places.iter().map(key).collect();
        let units = ResamplingUnits::of(&pairs, method.unit, diagnostics)?;
        Ok(units)
    };
    let annotated_units = units(&order[..full.len()])?;
    let drawn = annotated_units.number();
    if drawn < 2 {
        let message = text!(
            "the annotated documents all belong to one {}, but the check needs at least two to estimate their variation",
            method.unit.noun(false)
        );
        let error = Error::new(ErrorKind::Pairing, message).at(annotated[0].key.position());
        return Err(error.hint("annotate more documents"));
    }
    counts.draw_together(annotated_units.then(&units(&order[full.len()..])?));
    // Nothing is swapped: the two scores are computed on different documents.
    let method = Method { test: Test::Bootstrap, ..*method };
    let comparison = significance::compare(&counts, 0, &method, task.threads)?;
    let rules = task.settings.rules();
    let score = |metric: &Metric, documents: &[DocumentTallies], place: usize| {
        let mut sum = Tally::default();
        documents.iter().for_each(|document| sum.add(&document.tallies[place]));
        let score = metric.score(&sum, &rules);
        (score.f1 > 0.0 || sum.defined()[2]).then_some(score)
    };
    let row = |place: usize| {
        let (metric, named) = (full_metrics[place], cone_metrics[place]);
        let estimate = &comparison.estimates[place][1];
        let difference = estimate.difference.as_ref();
        let (of_all, approximated) = (score(&metric, &full, place), score(&named, &cone, place));
        let both = of_all.is_some() && approximated.is_some();
        let difference = difference.filter(|_| both);
        CheckRow {
            metric,
            full: of_all,
            named: score(&named, &full, number + place),
            approximated_there: score(&named, &cone[..full.len()], place),
            approximated,
            discrepancy: difference.map(|difference| difference.f1),
            interval: difference.and_then(|difference| difference.interval),
        }
    };
    Ok(Check {
        rows: (0..number).map(row).collect(),
        sizes,
        annotated: full.len(),
        units: drawn,
        documents: cone.len(),
    })
}

/// Returns the places of the annotated documents in the response, then the places of the others.
fn annotated_first(annotated: &[DocumentPair<'_>], response: &Corpus) -> Result<Vec<usize>> {
    let place = |pair: &DocumentPair<'_>| {
        let document = pair.response?;
        response.documents.iter().position(|other| other.id() == document.id())
    };
    let Some(first) = annotated.iter().map(place).collect::<Option<Vec<usize>>>() else {
        return Err(Error::new(ErrorKind::Pairing, "the response lacks an annotated document"));
    };
    let rest = (0..response.documents.len()).filter(|place| !first.contains(place));
    Ok(first.iter().copied().chain(rest).collect())
}

/// Returns the counts of the annotated documents by the full metrics, as one system, and of all documents by CONE, as
/// another. Both have the annotated documents first.
fn counts_of_both(
    full_metrics: &[Metric],
    task: &Task,
    full: &[DocumentTallies],
    cone: &[DocumentTallies],
) -> Result<DocumentCounts> {
    let number = full_metrics.len();
    let nothing = |document: &DocumentTallies| DocumentTallies {
        tallies: vec![Tally::default(); number],
        ..document.clone()
    };
    let halves = full
        .iter()
        .map(|document| DocumentTallies { tallies: document.tallies[..number].to_vec(), ..document.clone() });
    let padded: Vec<DocumentTallies> = halves.chain(cone[full.len()..].iter().map(nothing)).collect();
    let mut counts = DocumentCounts::new(full_metrics, &task.settings)?;
    counts.add(&padded)?;
    counts.add(cone)?;
    Ok(counts)
}
