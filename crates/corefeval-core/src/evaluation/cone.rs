//! Scores of named mentions: against an annotated key, or against a key made from names, which can be checked.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::cone::{Approximated, NamesKey, check, score_approximated};
use crate::diagnostic::{Code, Diagnostics};
use crate::error::{Error, ErrorKind, Result};
use crate::formats::{FormatSpec, WriteOptions, WrittenTexts};
use crate::heuristics::Heuristics;
use crate::input::Input;
use crate::metrics::Metric;
use crate::model::{Corpus, Document, DocumentId, Side};
use crate::output::{refuse_input, write_file, write_files};
use crate::pairing::DocumentPair;
use crate::reports::check::{CheckReport, CheckedSystem};
use crate::reports::comparison::{ByDocument, ComparisonReport};
use crate::results::{Report, SystemReport};
use crate::score::{Task, document_scores};
use crate::settings::{Scope, Switch};
use crate::significance::{
    self, DocumentCounts, FEW_DOCUMENTS, Method, ResamplingUnits, check_documents, warn_of_few_resamples,
};
use crate::wording::{option, switch, text};

use super::compare::Compare;
use super::one_key::name_findings;
use super::options::no_effect;
use super::reading::{Loaded, Reading};
use super::request::{Inputs, NamedInput, check_system_names};
use super::{Evaluation, NameSources, add_format, corpora, formats_of, no_response, nothing};

/// The options of scores of named mentions.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Cone {
    /// The heuristics for clustering names if the key is made from names; by default those in the settings, or all.
    pub heuristics: Option<Heuristics>,
    /// An annotated key of some of the documents, to check the scores against a key made from names.
    pub annotated: Option<NamedInput>,
    /// A key of names written earlier, used instead of making one.
    pub names_key: Option<NamedInput>,
    /// The file for the key made from the names of the first response, and its format.
    pub write_key: Option<(PathBuf, &'static FormatSpec)>,
    /// True to compare the responses against the key made from names, which must be equal for all of them.
    pub compare: bool,
    /// The method of resampling and intervals for the check and the comparison, with the fields in [`Cone::METHOD`].
    pub method: Method,
}

impl Cone {
    /// The fields of a method that the check depends on.
    pub const METHOD: &'static [&'static str] = Method::OF_INTERVALS;

    /// Returns the default metrics: metrics of all mentions and of named mentions against a key, but only the latter
    /// against a key made from names.
    pub fn metrics() -> Vec<Metric> {
        Metric::all_and_named().concat()
    }
}

/// The results for named mentions.
#[derive(Clone, Debug)]
pub enum ConeReport {
    /// Scores against a key, annotated or made from names.
    Scores(Report),
    /// The difference between scores against a key made from names and scores against an annotated key.
    Check(CheckReport),
    /// A comparison of the responses against a single key made from names.
    Comparison(Box<ComparisonReport>),
}

/// A report on named mentions, with the key made from names, if any.
#[derive(Clone, Debug)]
pub struct ConeResult {
    /// The report.
    pub report: ConeReport,
    /// The key made from the names of the first response, over its words.
    pub key: Option<Corpus>,
}

impl Evaluation {
    /// Scores named mentions (CONE) against the key of the request. If the request has [no key](Inputs::NoKey), makes a
    /// key from names, and writes it if the options name a file for it.
    ///
    /// # Errors
    ///
    /// The errors of reading the inputs and of pairing their documents. No name is known in the texts. Scores against a
    /// key made from names are checked on fewer than two annotated documents. Options for a key made from names are
    /// given with a key. The key cannot be written.
    pub fn cone(&self, cone: &Cone) -> Result<ConeResult> {
        self.require_exact()?;
        let Inputs::NoKey(responses) = &self.request.inputs else {
            if matches!(&self.request.inputs, Inputs::OneKey { responses, .. } if responses.is_empty()) {
                return Err(no_response().hint(text!(
                    "give a response too; {} scores responses without a key",
                    switch("key-approximate")
                )));
            }
            let without_key = [
                ("heuristics", cone.heuristics.is_some()),
                ("annotated", cone.annotated.is_some()),
                ("read-key", cone.names_key.is_some()),
                ("write-key", cone.write_key.is_some()),
                ("compare", cone.compare),
            ];
            if let Some((name, _)) = without_key.into_iter().find(|option| option.1) {
                return Err(no_effect(name, "scores against a key").hint(text!(
                    "leave it out, or have the key made from names: {}",
                    switch("key-approximate")
                )));
            }
            let evaluation = self.of(self.request.clone().or_metrics(&Cone::metrics()));
            return evaluation
                .score()
                .map(|report| ConeResult { report: ConeReport::Scores(report), key: None });
        };
        let [_, named] = Metric::all_and_named();
        let evaluation = self.of(self.request.clone().or_metrics(&named));
        if let (Some(by), Some(_)) = (self.request.by, &cone.annotated) {
            let message = format!("the check has no scores by {}", by.id());
            return Err(Error::new(ErrorKind::Settings, message).hint(text!(
                "leave out {} or {}",
                option("by"),
                option("annotated")
            )));
        }
        if cone.compare && cone.annotated.is_some() {
            let message = "an annotated key checks each response separately; it does not compare responses";
            return Err(Error::new(ErrorKind::Settings, message).hint(text!(
                "leave out {} or {}",
                switch("compare"),
                option("annotated")
            )));
        }
        if let (Some(by), true) = (self.request.by, cone.compare) {
            let message = format!("the comparison on a key made from names has no scores by {}", by.id());
            return Err(Error::new(ErrorKind::Settings, message).hint(text!(
                "leave out {} or {}",
                option("by"),
                switch("compare")
            )));
        }
        let approximate = Approximate::new(&evaluation, cone, responses)?;
        let result = match &cone.annotated {
            Some(annotated) => approximate.check(annotated),
            None if cone.compare => approximate.compare(),
            None => approximate.score(),
        }?;
        self.write_key(cone, &result)?;
        Ok(result)
    }

    /// Writes the key made from names, if the options name a file for it.
    fn write_key(&self, cone: &Cone, result: &ConeResult) -> Result<()> {
        let (Some((file, format)), Some(key)) = (&cone.write_key, &result.key) else { return Ok(()) };
        let settings = match &result.report {
            ConeReport::Scores(report) => &report.settings,
            ConeReport::Check(report) => &report.settings,
            ConeReport::Comparison(report) => &report.settings,
        };
        let inputs = self.request.all_inputs();
        let others = cone.annotated.iter().chain(&cone.names_key).map(|named| &named.input);
        let inputs: Vec<&Input> = inputs.iter().chain(others).collect();
        match format.write(key, WriteOptions::of(settings))?.texts {
            WrittenTexts::Whole(text) => {
                refuse_input(file, &inputs)?;
                write_file(file, &text)
            }
            WrittenTexts::Files(texts) => write_files(file, &texts, &inputs),
        }
    }
}

/// The responses that were read, and the metrics to compute.
struct Approximate<'e> {
    evaluation: &'e Evaluation,
    cone: &'e Cone,
    heuristics: Heuristics,
    responses: &'e [NamedInput],
    loaded: Vec<Loaded>,
    /// The key of names, if it is read from a file.
    key: Option<Corpus>,
    task: Task,
    format: String,
    diagnostics: Diagnostics,
}

impl<'e> Approximate<'e> {
    fn new(
        evaluation: &'e Evaluation,
        cone: &'e Cone,
        responses: &'e [NamedInput],
    ) -> Result<Approximate<'e>> {
        let format = evaluation.request.response_format.map(|spec| spec.id);
        let before = evaluation.request.settings(format)?;
        evaluation.request.metrics_for(&before, "")?;
        if before.pair_files == Switch::Yes {
            let message = "pairing files requires a key";
            return Err(
                Error::new(ErrorKind::Settings, message).hint(text!("leave out {}", switch("pair-files")))
            );
        }
        let heuristics = cone.heuristics.or(before.key_approximate).unwrap_or_default();
        let inputs: Vec<(&Input, Side)> =
            responses.iter().map(|response| (&response.input, Side::Response)).collect();
        let reading = Reading::new(evaluation, &before);
        let loaded = reading.read_all(&inputs)?;
        let names = cone.names_key.iter().map(|read| (&read.input, Side::Key)).collect::<Vec<_>>();
        let key = reading.read_all(&names)?.pop().map(|loaded| loaded.0);
        let Some(((first_corpus, first), others)) = loaded.split_first() else { return Err(nothing()) };
        let mut task = evaluation.task(first)?;
        task.settings.key_approximate = Some(if key.is_some() { Heuristics::READ } else { heuristics });
        let mut diagnostics = Diagnostics::default();
        let (used, what) = match (cone.compare, &cone.annotated) {
            (true, _) => (Compare::fields(), "comparisons"),
            (false, Some(_)) => (Cone::METHOD.to_vec(), "the check of CONE"),
            (false, None) => (Vec::new(), "scores"),
        };
        evaluation.request.warn_of_unused_fields(&used, what, &mut diagnostics);
        let all = corpora(first_corpus, others);
        evaluation.settle(&mut task, &formats_of(&loaded), &all, NameSources::of(&all), &mut diagnostics)?;
        let mut format = first.id.to_owned();
        for (named, (corpus, spec)) in responses.iter().zip(&loaded) {
            add_format(&mut format, spec);
            diagnostics.merge(own_of(responses, named, &[], corpus.diagnostics.clone()));
        }
        diagnostics.merge(key.iter().map(|key| key.diagnostics.clone()).next().unwrap_or_default());
        Ok(Approximate { evaluation, cone, heuristics, responses, loaded, key, task, format, diagnostics })
    }

    /// Scores each response, without the diagnostics of its file.
    fn each(&self, by_document: bool, diagnostics: &mut Diagnostics) -> Result<Vec<Approximated>> {
        let names = match &self.key {
            Some(key) => NamesKey::Read(key),
            None => NamesKey::Made(self.heuristics),
        };
        let score = |(named, loaded): (&NamedInput, &Loaded)| {
            let mut own = Diagnostics::default();
            let found = score_approximated(&loaded.0, &self.task, names, by_document, &mut own)?;
            diagnostics.merge(own_of(self.responses, named, &[], own));
            Ok(found)
        };
        self.responses.iter().zip(&self.loaded).map(score).collect()
    }

    /// Returns the responses whose key differs from the first response's key in names or grouping.
    fn other_keys(&self, found: &[Approximated]) -> Vec<&str> {
        let Some((first, others)) = found.split_first() else { return Vec::new() };
        let of_first = names_of(&first.key);
        let names = self.responses.iter().skip(1).map(|named| named.name.as_str());
        names.zip(others).filter(|(_, own)| names_of(&own.key) != of_first).map(|(name, _)| name).collect()
    }

    /// Compares the responses against one key.
    fn compare(self) -> Result<ConeResult> {
        let mut diagnostics = self.diagnostics.clone();
        let found = self.each(true, &mut diagnostics)?;
        if self.task.settings.scope != Scope::Document {
            let message = "the comparison draws documents, so it scores each separately";
            return Err(Error::new(ErrorKind::Settings, message).hint(text!("leave out {}", option("scope"))));
        }
        if let Some(other) = self.other_keys(&found).first() {
            let message = format!(
                "the key made from the names of `{other}` differs from that of `{}`, and scores on different keys cannot be compared",
                self.responses[0].name
            );
            return Err(Error::new(ErrorKind::Pairing, message).hint(text!(
                "write one key with {}, and score all responses against it with {}",
                option("write-key"),
                option("read-key")
            )));
        }
        check_system_names(self.responses.iter().map(|named| named.name.as_str()))?;
        let Some((first, _)) = self.loaded.first() else { return Err(nothing()) };
        let key = |document| DocumentPair { key: document, response: None };
        let pairs: Vec<DocumentPair<'_>> = first.documents.iter().map(key).collect();
        let units = ResamplingUnits::of(&pairs, self.cone.method.unit, &mut diagnostics)?;
        units.check(self.cone.method.unit, &pairs)?;
        let mut counts = DocumentCounts::new(&self.task.metrics, &self.task.settings)?;
        let ids: Vec<&DocumentId> = first.documents.iter().map(|document| document.id()).collect();
        for (named, (found, (corpus, _))) in self.responses.iter().zip(found.iter().zip(&self.loaded)) {
            if !corpus.documents.iter().map(|document| document.id()).eq(ids.iter().copied()) {
                let message = format!(
                    "the documents of `{}` differ from those of `{}`, or are in a different order",
                    named.name, self.responses[0].name
                );
                return Err(Error::new(ErrorKind::Pairing, message)
                    .hint("give all responses the same documents in the same order"));
            }
            counts.add(&found.documents)?;
        }
        if (2..FEW_DOCUMENTS).contains(&units.number()) {
            diagnostics.add(Code::FewDocuments, None, None, || {
                format!("the responses are compared on {}", units.described(self.cone.method.unit))
            });
        }
        check_documents(counts.documents(), Scope::Document, None)?;
        counts.draw_together(units);
        let comparison = significance::compare(&counts, 0, &self.cone.method, self.task.threads)?;
        comparison.warn(&self.task.metrics, &mut diagnostics);
        self.evaluation.refuse_warnings(&diagnostics)?;
        let by_document = ByDocument {
            ids: ids.iter().map(|id| id.to_string()).collect(),
            scores: found
                .iter()
                .map(|found| document_scores(&self.task.metrics, &found.documents, &self.task.settings))
                .collect(),
        };
        let (systems, key) = self.reports(found);
        let report = ComparisonReport {
            settings: self.task.settings,
            format: self.format,
            diagnostics,
            runs: vec![Vec::new(); systems.len()],
            systems,
            comparison,
            plan: None,
            sort: 0,
            left_out: None,
            broken: Vec::new(),
            by: None,
            groups: Vec::new(),
            by_document,
            is_series: false,
            cached: 0,
        };
        Ok(ConeResult { report: ConeReport::Comparison(Box::new(report)), key })
    }

    /// Returns the reports of the responses, and the first response's key.
    fn reports(&self, found: Vec<Approximated>) -> (Vec<SystemReport>, Option<Corpus>) {
        let key_path = self.cone.names_key.as_ref().map_or("(made from names)", |read| &read.path);
        let (mut systems, mut key) = (Vec::new(), None);
        for (named, found) in self.responses.iter().zip(found) {
            systems.push(SystemReport {
                name: named.name.clone(),
                key: key_path.to_owned(),
                response: named.path.clone(),
                ..found.report
            });
            key.get_or_insert(found.key);
        }
        (systems, key)
    }

    fn score(self) -> Result<ConeResult> {
        let mut diagnostics = self.diagnostics.clone();
        let found = self.each(false, &mut diagnostics)?;
        let others = self.other_keys(&found);
        if !others.is_empty() {
            diagnostics.add(Code::KeysDiffer, None, None, || {
                let (keys, differ) = match others.len() {
                    1 => ("key", "differs"),
                    _ => ("keys", "differ"),
                };
                format!(
                    "the {keys} made from the names of {} {differ} from that of {}",
                    others.join(", "),
                    self.responses[0].name
                )
            });
        }
        self.evaluation.refuse_warnings(&diagnostics)?;
        let (systems, key) = self.reports(found);
        let report = Report::new(self.task.settings, self.format, diagnostics, systems);
        Ok(ConeResult { report: ConeReport::Scores(report), key })
    }

    fn check(self, annotated: &NamedInput) -> Result<ConeResult> {
        let mut diagnostics = self.diagnostics.clone();
        let mut found = self.each(true, &mut diagnostics)?;
        let reading = Reading::new(self.evaluation, &self.task.settings);
        let mut read = reading.read_all(&[(&annotated.input, Side::Key)])?;
        let Some((key, key_format)) = read.pop() else { return Err(nothing()) };
        diagnostics.merge(key.diagnostics.clone());
        let mut format = key_format.id.to_owned();
        let mut systems = Vec::new();
        for ((named, (response, spec)), found) in self.responses.iter().zip(&self.loaded).zip(&mut found) {
            add_format(&mut format, spec);
            let mut own = Diagnostics::default();
            let sides = [(&annotated.input, &key), (&named.input, response)];
            let pairs = reading.pair(&self.task.settings, sides, &mut own)?;
            // The key is expected to lack documents.
            own.forget(Code::ExtraDocument);
            refuse_missing(named, &pairs)?;
            let check = check(&pairs, response, found, &self.task, &self.cone.method, &mut own)?;
            diagnostics.merge(own_of(self.responses, named, &key.documents, own));
            systems.push(CheckedSystem {
                name: named.name.clone(),
                annotated: annotated.path.clone(),
                response: named.path.clone(),
                named: found.report.named.unwrap_or_default(),
                check,
            });
        }
        let number = systems.first().map_or(0, |system| system.check.annotated);
        if number < FEW_DOCUMENTS {
            diagnostics.add(Code::FewDocuments, None, None, || {
                format!("the check is on {number} annotated documents")
            });
        }
        let method = self.cone.method;
        warn_of_few_resamples(method.too_few_resamples(0), &mut diagnostics);
        self.evaluation.refuse_warnings(&diagnostics)?;
        let report = CheckReport { settings: self.task.settings, method, format, diagnostics, systems };
        let key = found.into_iter().next().map(|first| first.key);
        Ok(ConeResult { report: ConeReport::Check(report), key })
    }
}

/// Entities as sets of spans.
type EntitySpans = BTreeSet<BTreeSet<(u32, u32)>>;

/// Returns the names of a key by document and entity, as spans, independent of file names and order.
fn names_of(key: &Corpus) -> Vec<(String, EntitySpans)> {
    let of = |document: &Document| {
        let mut entities = vec![BTreeSet::new(); document.entities().len()];
        for mention in document.mentions() {
            let span = mention.span();
            entities[mention.entity().index()].insert((span.start(), span.end()));
        }
        (document.id().to_string(), entities.into_iter().collect())
    };
    let mut documents: Vec<_> = key.documents.iter().map(of).collect();
    documents.sort();
    documents
}

/// Returns the findings about one response. If there are several responses, names it in the findings that do not
/// concern the key.
fn own_of(
    responses: &[NamedInput],
    named: &NamedInput,
    key: &[Document],
    mut own: Diagnostics,
) -> Diagnostics {
    if responses.len() > 1 {
        name_findings(&mut own, &named.name, key);
    }
    own
}

/// Fails if the response lacks an annotated document, which could then not be resampled.
fn refuse_missing(named: &NamedInput, pairs: &[DocumentPair<'_>]) -> Result<()> {
    let Some(pair) = pairs.iter().find(|pair| pair.response.is_none()) else { return Ok(()) };
    let message = format!("`{}` lacks the annotated document `{}`", named.name, pair.key.id());
    Err(Error::new(ErrorKind::Pairing, message)
        .at(pair.key.position())
        .hint("add it to the response, or remove it from the annotated key"))
}
