//! The documents of `score` and `Scorer`, key and response together: made from lists of mentions, or given as documents.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use corefeval_core::diagnostic::Diagnostics;
use corefeval_core::error::Result;
use corefeval_core::evaluation::{Evaluation, Growing, Inputs, Request, score_documents};
use corefeval_core::formats::LISTS;
use corefeval_core::model::{Document, DocumentId, EntityId, Mention, Span};
use corefeval_core::pairing::DocumentPair;
use corefeval_core::results::SystemReport;
use corefeval_core::score::Task;
use corefeval_core::tally::Tally;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::document::{Given, PyDocument};
use crate::entities::{Ends, EntityObjects, MentionKind, Numbered, SIDES, names, number};
use crate::errors::{raised, raised_of_lists, wrong_value};
use crate::labels::LabelNumbers;
use crate::options::{check_lists, task_of_lists};
use crate::report::{Rendered, findings};
use crate::request::Keywords;
use crate::{interruptible, wording};

/// Documents of a key and a response, with the counts from previous reports. Private: see `corefeval.Scorer`.
#[pyclass(module = "corefeval._corefeval")]
#[derive(Clone, Default)]
pub struct Documents {
    key: Given,
    response: Given,
    /// The names of the documents made from lists, of both sides.
    names: BTreeSet<String>,
    /// The names among them that are numbers from this module.
    numbers: BTreeSet<String>,
    /// The name of a document whose mentions have unknown words, if any.
    wordless: Option<String>,
    /// For the key and the response: true if the second number of a span is one past its last word.
    exclusive: (bool, bool),
    /// The names of key and response in messages, if different.
    sides: Option<[String; 2]>,
    /// True if pairs of integers may be something other than spans, as in the drop-ins for other scorers.
    any_pairs: bool,
    growing: Growing,
}

/// Below this number of mentions, scores take about as long as starting a thread, and nobody interrupts them.
const FEW_MENTIONS: usize = 4_000;

/// The number of fields of a mention in a pickled document.
const FIELDS: usize = 5;

/// Pickled documents by name.
type Packed<'py> = Vec<(String, Bound<'py, PyBytes>)>;

/// The value of [`Documents::state`].
type PickledState<'py> = (Packed<'py>, Packed<'py>, Vec<String>, Option<String>, (bool, bool));

impl Documents {
    /// Returns the name of the next document.
    fn name(&mut self, py: Python<'_>, id: Option<String>) -> PyResult<String> {
        if let Some(id) = id {
            if !self.names.insert(id.clone()) {
                let message = format!("two documents are called `{id}`");
                return Err(wrong_value(py, &message, "give each document a unique name, or none"));
            }
            return Ok(id);
        }
        let mut number = self.names.len() + 1;
        while self.names.contains(&number.to_string()) {
            number += 1;
        }
        let name = number.to_string();
        self.names.insert(name.clone());
        self.numbers.insert(name.clone());
        Ok(name)
    }

    /// The meaning of the second number of a pair, in the key and in the response.
    fn ends(&self) -> [Ends; 2] {
        [self.exclusive.0, self.exclusive.1].map(|exclusive| match self.any_pairs {
            true => Ends::Any,
            false => Ends::of(exclusive),
        })
    }

    /// The names of key and response in messages.
    fn side_names(&self) -> [String; 2] {
        self.sides.clone().unwrap_or_else(|| SIDES.map(str::to_owned))
    }

    fn push(
        &mut self,
        py: Python<'_>,
        id: Option<String>,
        sides: [Option<Numbered>; 2],
        kind: MentionKind,
    ) -> PyResult<()> {
        let name = self.name(py, id)?;
        if kind == MentionKind::Objects && self.wordless.is_none() {
            self.wordless = Some(name.clone());
        }
        let names = self.side_names();
        py.detach(|| {
            for ((label, given), side) in names.iter().zip([&mut self.key, &mut self.response]).zip(sides) {
                if let Some(side) = side {
                    let document = side.into_document(&name, label, &mut given.findings);
                    given.push(Arc::new(document), &LISTS);
                }
            }
        });
        Ok(())
    }

    /// Passes an evaluation of the documents to `work`, with the counts from previous reports. `name` is the name of the
    /// response.
    fn evaluated<T: Send + 'static>(
        &mut self,
        py: Python<'_>,
        options: BTreeMap<String, Vec<String>>,
        name: String,
        work: impl FnOnce(Evaluation, &mut Growing) -> Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let are_lists = self.key.are_lists() || self.response.are_lists();
        let raised = if are_lists { raised_of_lists } else { raised };
        let inputs = self.key.input(SIDES[0].to_owned()).and_then(|key| {
            let responses = vec![self.response.input(name)?];
            Ok(Inputs::OneKey { key, responses })
        });
        let request = inputs.and_then(|inputs| Request::new(inputs).with(&Keywords(options)));
        let request = request.map_err(|error| raised(py, &error))?;
        if are_lists {
            check_lists(&request, self.wordless.as_deref()).map_err(|error| raised(py, &error))?;
        }
        // After an interruption, the next report counts all documents again.
        let mut growing = std::mem::take(&mut self.growing);
        let score = move || {
            let done = Evaluation::new(request).and_then(|evaluation| work(evaluation, &mut growing));
            (growing, done)
        };
        let are_few = self.key.mentions + self.response.mentions < FEW_MENTIONS;
        let (growing, done) = if are_few { py.detach(score) } else { interruptible(py, score)? };
        self.growing = growing;
        done.map_err(|error| raised(py, &error))
    }
}

#[pymethods]
impl Documents {
    #[new]
    #[pyo3(signature = (exclusive=(false, false), sides: "tuple[str, str] | None"=None, *, any_pairs=false))]
    fn new(exclusive: (bool, bool), sides: Option<(String, String)>, any_pairs: bool) -> Documents {
        let sides = sides.map(|(key, response)| [key, response]);
        Documents { exclusive, sides, any_pairs, ..Documents::default() }
    }

    fn __len__(&self) -> usize {
        self.key.documents.len()
    }

    /// Adds documents that exist already.
    fn extend(&mut self, key: Vec<Bound<'_, PyDocument>>, response: Vec<Bound<'_, PyDocument>>) {
        self.key.extend(&key);
        self.response.extend(&response);
    }

    /// Adds a document of entities. A side that is None is missing.
    fn add(
        slf: &Bound<'_, Self>,
        id: Option<String>,
        key: Option<Bound<'_, PyAny>>,
        response: Option<Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let py = slf.py();
        let given = [key, response];
        let mut sides = Vec::new();
        let names = slf.try_borrow()?.side_names();
        for (label, side) in names.iter().zip(&given) {
            sides.extend(side.as_ref().map(|side| EntityObjects::new(side, label)).transpose()?);
        }
        // A side may be missing.
        let ends = slf.try_borrow()?.ends().into_iter().zip(&given);
        let ends: Vec<Ends> = ends.filter(|(_, side)| side.is_some()).map(|(ends, _)| ends).collect();
        let (numbered, kind) = number(py, &sides, &ends)?;
        let mut numbered = numbered.into_iter();
        let sides = given.map(|side| side.and_then(|_| numbered.next()));
        slf.try_borrow_mut()?.push(py, id, sides, kind)
    }

    /// Adds a document of labels, one for each mention.
    fn add_labels(
        slf: &Bound<'_, Self>,
        id: Option<String>,
        key: &LabelNumbers,
        response: &LabelNumbers,
    ) -> PyResult<()> {
        let py = slf.py();
        let (key, response) = py.detach(|| (key.numbered(), response.numbered()));
        let lengths = (key.words, response.words);
        if lengths.0 != lengths.1 {
            let [key, response] = slf.try_borrow()?.side_names();
            let message = format!("{key} has {} labels and {response} {}", lengths.0, lengths.1);
            let hint =
                "labels belong to the same mentions in the same order; else pass Labels(labels, mentions)";
            return Err(wrong_value(py, &message, hint));
        }
        let sides = [Some(key), Some(response)];
        slf.try_borrow_mut()?.push(py, id, sides, MentionKind::Objects)
    }

    /// Adds the documents of `other`.
    fn merge(&mut self, py: Python<'_>, other: &Bound<'_, Documents>) -> PyResult<()> {
        let other = other.try_borrow()?.clone();
        let mut given = other.names.difference(&other.numbers);
        if let Some(name) = given.find(|name| self.names.contains(*name)) {
            let message = format!("two documents are called `{name}`");
            return Err(wrong_value(py, &message, "merge scorers that saw different documents"));
        }
        self.names.extend(other.names.difference(&other.numbers).cloned());
        self.wordless = self.wordless.take().or(other.wordless);
        // Documents without names from the caller continue the numbering.
        let mut names: BTreeMap<String, String> = BTreeMap::new();
        for document in other.key.documents.iter() {
            let name = document.id().name();
            if other.numbers.contains(name) {
                names.insert(name.to_owned(), self.name(py, None)?);
            }
        }
        for (ours, theirs) in [(&mut self.key, other.key), (&mut self.response, other.response)] {
            ours.findings.merge(theirs.findings);
            for document in Arc::unwrap_or_clone(theirs.documents) {
                let renamed = match names.get(document.id().name()) {
                    Some(new) => Arc::new(Arc::unwrap_or_clone(document).renamed(DocumentId::new(new))),
                    None => document,
                };
                ours.push(renamed, &LISTS);
            }
        }
        Ok(())
    }

    /// Returns the names that the caller gave to documents.
    fn given_names(&self) -> Vec<String> {
        self.names.difference(&self.numbers).cloned().collect()
    }

    /// Returns the number of documents that the next report need not count again.
    fn counted_before(&self) -> usize {
        self.growing.documents()
    }

    /// Returns the counts of each metric over all documents without a report: numerator and denominator of precision, then
    /// of recall.
    #[pyo3(signature = (options: "dict[str, list[str]]"))]
    fn counts(
        &mut self,
        py: Python<'_>,
        options: BTreeMap<String, Vec<String>>,
    ) -> PyResult<Vec<(String, CountTuple)>> {
        self.evaluated(py, options, SIDES[1].to_owned(), |evaluation, growing| {
            Ok(evaluation.score_after(growing)?.systems.iter().flat_map(counted).collect())
        })
    }

    /// Scores the documents as `reported("score", ...)` does. `options` maps the names of options on the command line to
    /// their values.
    #[pyo3(signature = (options: "dict[str, list[str]]", *, name))]
    fn score(
        &mut self,
        py: Python<'_>,
        options: BTreeMap<String, Vec<String>>,
        name: String,
    ) -> PyResult<Rendered> {
        self.evaluated(py, options, name, |evaluation, growing| {
            let report = evaluation.score_after(growing)?;
            Ok(Rendered::of_scores(evaluation.request(), report))
        })
    }

    /// Returns the documents as plain values for pickle: key documents, response documents, generated names, the name of a
    /// document without words, and whether ends are exclusive.
    fn state<'py>(&self, py: Python<'py>) -> PickledState<'py> {
        let side = |given: &Given| {
            let document = |document: &Arc<Document>| {
                (document.id().name().to_owned(), PyBytes::new(py, &packed(document)))
            };
            given.documents.iter().map(document).collect()
        };
        let numbers = self.numbers.iter().cloned().collect();
        (side(&self.key), side(&self.response), numbers, self.wordless.clone(), self.exclusive)
    }

    /// Returns the documents of a pickled state.
    #[staticmethod]
    fn from_state(
        py: Python<'_>,
        key: Packed<'_>,
        response: Packed<'_>,
        numbers: Vec<String>,
        wordless: Option<String>,
        exclusive: (bool, bool),
    ) -> PyResult<Documents> {
        let numbers = numbers.into_iter().collect();
        let mut documents = Documents { numbers, wordless, exclusive, ..Documents::default() };
        let sides = [&mut documents.key, &mut documents.response];
        for (side, (given, packed)) in SIDES.into_iter().zip(sides.into_iter().zip([key, response])) {
            for (name, bytes) in packed {
                let numbered = unpacked(bytes.as_bytes()).ok_or_else(|| {
                    wrong_value(py, "not a pickled scorer", "pickle it with this version of corefeval")
                })?;
                let document = numbered.into_document(&name, side, &mut given.findings);
                given.push(Arc::new(document), &LISTS);
                documents.names.insert(name);
            }
        }
        Ok(documents)
    }
}

/// Numerator and denominator of precision, then of recall.
pub type CountTuple = (f64, f64, f64, f64);

/// The main counts of a metric.
pub fn counts_of(tally: &Tally) -> CountTuple {
    let counts = tally.first.to_real();
    (counts.precision_num, counts.precision_den, counts.recall_num, counts.recall_den)
}

/// The counts of each metric of a system, without means.
fn counted(system: &SystemReport) -> Vec<(String, CountTuple)> {
    let results = system.results.iter();
    let counts =
        results.filter_map(|result| Some((result.metric.to_string(), counts_of(result.tally.as_ref()?))));
    counts.collect()
}

/// Counts metrics in documents one by one, for the drop-ins for other scorers. Private.
#[pyclass(frozen, module = "corefeval._corefeval")]
pub struct Counter {
    task: Task,
}

#[pymethods]
impl Counter {
    #[new]
    #[pyo3(signature = (options: "dict[str, list[str]]"))]
    fn new(py: Python<'_>, options: BTreeMap<String, Vec<String>>) -> PyResult<Counter> {
        let task = Keywords(options).request().and_then(|request| task_of_lists(&request));
        let task = task.map_err(|error| raised_of_lists(py, &error))?;
        Ok(Counter { task: Task { threads: 1, ..task } })
    }

    /// Returns the counts of the first metric in one document, as [`Documents::counts`] does.
    fn count(
        &self,
        py: Python<'_>,
        key: &Bound<'_, PyAny>,
        response: &Bound<'_, PyAny>,
    ) -> PyResult<CountTuple> {
        let sides = [EntityObjects::new(key, SIDES[0])?, EntityObjects::new(response, SIDES[1])?];
        let (numbered, _) = number(py, &sides, &[Ends::Any; 2])?;
        let mut discarded = Diagnostics::default();
        let documents = numbered.into_iter().zip(SIDES);
        let documents: Vec<Document> =
            documents.map(|(side, label)| side.into_document("1", label, &mut discarded)).collect();
        let [key, response] = &documents[..] else {
            return Err(wrong_value(py, "a document has two sides", "report this as a fault of corefeval"));
        };
        let pair = DocumentPair { key, response: Some(response) };
        let system = score_documents(&[pair], &self.task, &mut discarded);
        let system = system.map_err(|error| raised_of_lists(py, &error))?;
        let first = counted(&system).into_iter().next().map(|(_, counts)| counts);
        first.ok_or_else(|| wrong_value(py, "no metric is counted", "name one"))
    }
}

/// Builds documents of one text, each from another annotator or system and with inclusive or exclusive ends. Equal mentions
/// match. With `named`, mentions that are not spans have names, for reports that show them. Also returns the findings, and
/// whether the mentions have unknown words.
#[pyfunction]
#[pyo3(signature = (name, sides, named) -> "tuple[list[Document], list[dict[str, Any]], bool]")]
pub fn documents_of<'py>(
    py: Python<'py>,
    name: &str,
    sides: Vec<(String, Bound<'py, PyAny>, bool)>,
    named: bool,
) -> PyResult<(Vec<PyDocument>, Bound<'py, PyAny>, bool)> {
    let entities =
        sides.iter().map(|(label, side, _)| EntityObjects::new(side, label)).collect::<PyResult<Vec<_>>>()?;
    let ends: Vec<Ends> = sides.iter().map(|side| Ends::of(side.2)).collect();
    let (numbered, kind) = number(py, &entities, &ends)?;
    let words = numbered.iter().map(|side| side.words).max().unwrap_or(0);
    let names = match named && kind == MentionKind::Objects {
        true => names(&entities, &numbered, words)?,
        false => None,
    };
    let mut diagnostics = Diagnostics::default();
    let documents = sides.iter().zip(numbered).map(|((label, ..), side)| {
        let side = Numbered { words, ..side };
        let document = match &names {
            Some(names) => side.into_document_of_names(names, name, label, &mut diagnostics),
            None => side.into_document(name, label, &mut diagnostics),
        };
        PyDocument { document: Arc::new(document), format: &LISTS }
    });
    let documents = documents.collect();
    Ok((documents, findings(py, &diagnostics, wording::Python::OF_LISTS)?, kind == MentionKind::Objects))
}

/// Packs the numbers of words and entities, then five numbers for each mention, in 32 bits each.
fn packed(document: &Document) -> Vec<u8> {
    let head = [document.words().count(), document.entities().len() as u32];
    let mentions = document.mentions().iter().flat_map(|mention| {
        let span = mention.span();
        [span.start(), span.end(), mention.entity().index() as u32, mention.line(), mention.column()]
    });
    head.into_iter().chain(mentions).flat_map(u32::to_le_bytes).collect()
}

fn unpacked(bytes: &[u8]) -> Option<Numbered> {
    let (numbers, []) = bytes.as_chunks::<4>() else { return None };
    let numbers: Vec<u32> = numbers.iter().map(|number| u32::from_le_bytes(*number)).collect();
    let [words, entities, mentions @ ..] = numbers.as_slice() else { return None };
    let (mentions, []) = mentions.as_chunks::<FIELDS>() else { return None };
    let mention = |&[start, end, entity, line, column]: &[u32; FIELDS]| {
        let span = Span::new(start, end).filter(|span| span.end() <= *words && entity < *entities)?;
        Some(Mention::new(span, EntityId::new(entity as usize), line, column))
    };
    let mentions = mentions.iter().map(mention).collect::<Option<Vec<_>>>()?;
    Some(Numbered { mentions, entities: *entities, words: *words })
}
