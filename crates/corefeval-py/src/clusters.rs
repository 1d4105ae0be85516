//! Counts of clusters as in scorers written in Python, for the drop-ins. The input is the clusters of both sides and, for
//! each side, a dictionary from its mentions to the clusters of the other side.
//!
//! Those scorers look up each mention in the dictionary and treat equal answers as an entity. Clusters may overlap or
//! contradict the dictionaries, so recall and precision have separate overlap tables, between the clusters of their side
//! and the answers. CEAF compares clusters as sets instead. The metrics count these tables like all others.

use std::sync::{Mutex, PoisonError};

use corefeval_core::metrics::{METRICS, Metric};
use corefeval_core::overlap::{AlignedEntities, AlignedPair, MentionCounts, Overlap};
use corefeval_core::tally::Tally;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyList, PyTuple};
use rustc_hash::FxHashMap;

use crate::documents::{CountTuple, counts_of};
use crate::errors::{raised_of_lists, wrong_type, wrong_value};

/// The data that a metric of those scorers counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CountedData {
    /// The answers of the dictionaries.
    Answers,
    /// The clusters of both sides as sets.
    Sets,
}

/// Adds up the counts of a metric over documents, for the drop-ins for other scorers. Private.
#[pyclass(frozen, module = "corefeval._corefeval")]
pub struct ClusterCounter {
    metric: Metric,
    evidence: CountedData,
    /// The number that each empty cluster adds to a denominator.
    empty: i128,
    /// The counts since the last call of `take`.
    sum: Mutex<Tally>,
}

#[pymethods]
impl ClusterCounter {
    #[new]
    fn new(py: Python<'_>, metric: &str) -> PyResult<ClusterCounter> {
        let metric = Metric::parse(metric).map_err(|error| raised_of_lists(py, &error))?;
        let Some(empty) = metric.empty_entity() else {
            let rows = METRICS.iter().filter(|spec| Metric::new(spec).empty_entity().is_some());
            let ids: Vec<&str> = rows.map(|spec| spec.id).collect();
            let message = format!("`{metric}` does not count clusters");
            return Err(wrong_value(py, &message, &format!("use one of {}", ids.join(", "))));
        };
        let evidence = if metric.maps_entities() { CountedData::Sets } else { CountedData::Answers };
        Ok(ClusterCounter { metric, evidence, empty: empty.into(), sum: Mutex::default() })
    }

    /// Adds a document: the clusters of both sides, and the answers for the mentions of each, which CEAF ignores.
    fn add(
        &self,
        key: &Bound<'_, PyAny>,
        response: &Bound<'_, PyAny>,
        key_answers: &Bound<'_, PyAny>,
        response_answers: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let document = self.document(key, response, key_answers, response_answers)?;
        self.add_batch(key.py(), &mut vec![document]);
        Ok(())
    }

    /// Adds documents, each with the four arguments of [`add`](Self::add).
    fn add_all(&self, documents: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = documents.py();
        let (mut batch, mut given) = (Vec::with_capacity(BATCH), Vec::with_capacity(4));
        for_each(documents, |document| {
            given.clear();
            for_each(&document, |argument| {
                given.push(argument);
                Ok(())
            })?;
            let [key, response, key_answers, response_answers] = given.as_slice() else {
                let message = format!("a document has {} values instead of 4", given.len());
                let hint = "give the clusters of key and system, then the two dictionaries";
                return Err(wrong_value(py, &message, hint));
            };
            batch.push(self.document(key, response, key_answers, response_answers)?);
            if batch.len() == BATCH {
                self.add_batch(py, &mut batch);
                py.check_signals()?;
            }
            Ok(())
        })?;
        self.add_batch(py, &mut batch);
        Ok(())
    }

    /// Returns the counts of a single document.
    fn count(
        &self,
        key: &Bound<'_, PyAny>,
        response: &Bound<'_, PyAny>,
        key_answers: &Bound<'_, PyAny>,
        response_answers: &Bound<'_, PyAny>,
    ) -> PyResult<CountTuple> {
        let document = self.document(key, response, key_answers, response_answers)?;
        Ok(key.py().detach(|| self.counts(document)))
    }

    /// Returns numerator and denominator of one side by the answers for its mentions. A metric with links of singletons to
    /// themselves (LEA) takes the size of a singleton's answer from `others`. Without `singletons`, answers with one mention do not count.
    #[pyo3(signature = (clusters, answers, others=None, singletons=true))]
    fn side(
        &self,
        clusters: &Bound<'_, PyAny>,
        answers: &Bound<'_, PyAny>,
        others: Option<&Bound<'_, PyAny>>,
        singletons: bool,
    ) -> PyResult<(f64, f64)> {
        let key = answered(clusters, answers, others, singletons)?;
        let (_, _, numerator, denominator) =
            self.counts(ClusterDocument::of_answers(key, Answered::default()));
        Ok((numerator, denominator))
    }

    /// Returns the total counts of all documents since the last call.
    fn take(&self) -> CountTuple {
        let mut sum = self.sum.lock().unwrap_or_else(PoisonError::into_inner);
        counts_of(&std::mem::take(&mut sum))
    }
}

impl ClusterCounter {
    fn document(
        &self,
        key: &Bound<'_, PyAny>,
        response: &Bound<'_, PyAny>,
        key_answers: &Bound<'_, PyAny>,
        response_answers: &Bound<'_, PyAny>,
    ) -> PyResult<ClusterDocument> {
        match self.evidence {
            CountedData::Sets => ClusterDocument::of_sets([key, response]),
            CountedData::Answers => {
                let others = self.metric.has_self_links().then_some([response, key]);
                let [of_key, of_response] = others.map_or([None, None], |sides| sides.map(Some));
                let key = answered(key, key_answers, of_key, true)?;
                let response = answered(response, response_answers, of_response, true)?;
                Ok(ClusterDocument::of_answers(key, response))
            }
        }
    }

    fn add_batch(&self, py: Python<'_>, documents: &mut Vec<ClusterDocument>) {
        py.detach(|| {
            let mut sum = self.sum.lock().unwrap_or_else(PoisonError::into_inner);
            documents.drain(..).for_each(|document| self.tally(document, &mut sum));
        });
    }

    fn counts(&self, document: ClusterDocument) -> CountTuple {
        let mut tally = Tally::default();
        self.tally(document, &mut tally);
        counts_of(&tally)
    }

    fn tally(&self, document: ClusterDocument, into: &mut Tally) {
        let ClusterDocument { pair, empty: [key, response] } = document;
        self.metric.tally(&pair, into);
        into.first.recall_den.add_integer(self.empty * key);
        into.first.precision_den.add_integer(self.empty * response);
    }
}

/// The number of documents in a batch, which is counted without the interpreter lock.
const BATCH: usize = 64;

/// The input of metrics for a document.
struct ClusterDocument {
    pair: AlignedPair,
    /// The number of empty clusters of key and response.
    empty: [i128; 2],
}

impl ClusterDocument {
    fn of_answers(key: Answered, response: Answered) -> ClusterDocument {
        let recall = Overlap::new(key.sizes, key.answers, key.pairs.iter().copied());
        let pairs = response.pairs.iter().map(|&(cluster, answer)| (answer, cluster));
        let precision = Overlap::new(response.answers, response.sizes, pairs);
        // These metrics do not compare sets and count only mentions in entities.
        let entities = AlignedEntities::with_mentions(recall, MentionCounts::default())
            .with_views(precision, Overlap::default());
        ClusterDocument { pair: entities.into(), empty: [key.empty, response.empty] }
    }

    fn of_sets(sides: [&Bound<'_, PyAny>; 2]) -> PyResult<ClusterDocument> {
        let [key, response] = [Members::new(sides[0])?, Members::new(sides[1])?];
        let [ours, theirs] = match (key.pairs(), response.pairs()) {
            (Some(ours), Some(theirs)) => [ours, theirs],
            _ => {
                let known = PyDict::new(sides[0].py());
                [key.numbers(&known)?, response.numbers(&known)?]
            }
        };
        let (ours, theirs) = (Sets::new(&key, ours), Sets::new(&response, theirs));
        let shared = ours.shared(&theirs);
        let repeated =
            ours.mentions.len() < key.mentions.len() || theirs.mentions.len() < response.mentions.len();
        let similarity = Overlap::new(ours.sizes, theirs.sizes, shared.into_iter());
        let entities = match repeated {
            false => AlignedEntities::new(similarity),
            // The denominators of CEAF φ3 count repeated mentions.
            true => {
                let all = Overlap::new(key.sizes, response.sizes, std::iter::empty());
                AlignedEntities::with_mentions(all.clone(), MentionCounts::default())
                    .with_views(all, similarity)
            }
        };
        Ok(ClusterDocument { pair: entities.into(), empty: [key.empty, response.empty] })
    }
}

/// The clusters of a side by the answers for their mentions.
#[derive(Default)]
struct Answered {
    /// The number of mentions of each non-empty cluster.
    sizes: Vec<u32>,
    /// Cluster and answer of each mention with an answer.
    pairs: Vec<(u32, u32)>,
    /// The size of each answer: the number of its mentions, or of the mentions of the cluster at that index.
    answers: Vec<u32>,
    /// The number of empty clusters.
    empty: i128,
}

fn answered<'py>(
    clusters: &Bound<'py, PyAny>,
    answers: &Bound<'py, PyAny>,
    others: Option<&Bound<'py, PyAny>>,
    singletons: bool,
) -> PyResult<Answered> {
    let members = Members::new(clusters)?;
    let mut numbers = Answers::new(answers, singletons);
    let mut pairs = Vec::with_capacity(members.mentions.len());
    let mut places = Vec::new();
    let mut mentions = members.mentions.iter();
    for (row, &size) in (0..).zip(&members.sizes) {
        for mention in mentions.by_ref().take(size as usize) {
            let Some(answer) = numbers.answer(mention)? else { continue };
            let Some(number) = numbers.number(mention, &answer)? else { continue };
            pairs.push((row, number));
            if let (1, Some(others)) = (size, others) {
                // Empty clusters do not count as singletons.
                places.push((number, if others.get_item(answer)?.len()? == 1 { 1 } else { 2 }));
            }
        }
    }
    let mut sizes = vec![0; numbers.count as usize];
    pairs.iter().for_each(|&(_, answer)| sizes[answer as usize] += 1);
    places.into_iter().for_each(|(answer, size)| sizes[answer as usize] = size);
    Ok(Answered { sizes: members.sizes, pairs, answers: sizes, empty: members.empty })
}

/// Calls `each` with the items of a list, a tuple or any other iterable, and returns their number.
fn for_each<'py>(
    items: &Bound<'py, PyAny>,
    mut each: impl FnMut(Bound<'py, PyAny>) -> PyResult<()>,
) -> PyResult<usize> {
    let mut count = 0;
    let mut next = |item: Bound<'py, PyAny>| {
        count += 1;
        each(item)
    };
    if let Ok(list) = items.cast_exact::<PyList>() {
        list.iter().try_for_each(next)?;
    } else if let Ok(tuple) = items.cast_exact::<PyTuple>() {
        tuple.iter().try_for_each(next)?;
    } else {
        items.try_iter()?.try_for_each(|item| next(item?))?;
    }
    Ok(count)
}

/// The numbered answers of a dictionary. Equal answers have the same number.
struct Answers<'py> {
    mapping: Bound<'py, PyAny>,
    /// The dictionary, if it is a plain one.
    dict: Option<Bound<'py, PyDict>>,
    /// True if answers with one mention have a number.
    singletons: bool,
    known: AnswerNumbers<'py>,
    /// The number of different answers.
    count: u32,
    /// Integers below this are looked up without hashing.
    most: usize,
}

/// The numbers of answers.
enum AnswerNumbers<'py> {
    /// By integers from 0.
    Integers(Vec<u32>),
    /// By any objects.
    Objects {
        numbers: Bound<'py, PyDict>,
        /// By the address of the object, which is kept alive, so that each cluster is hashed once.
        seen: FxHashMap<usize, (Bound<'py, PyAny>, Option<u32>)>,
    },
}

/// A placeholder for integers that are not answers.
const NO_NUMBER: u32 = u32::MAX;

impl<'py> Answers<'py> {
    fn new(mapping: &Bound<'py, PyAny>, singletons: bool) -> Answers<'py> {
        let dict = mapping.cast_exact::<PyDict>().ok().cloned();
        let most = dict.as_ref().map_or(0, |dict| 1024 + 4 * dict.len());
        let known = if singletons {
            AnswerNumbers::Integers(Vec::with_capacity(FEW))
        } else {
            AnswerNumbers::objects(mapping.py())
        };
        Answers { mapping: mapping.clone(), dict, singletons, known, count: 0, most }
    }

    /// The answer for a mention, if it has one.
    #[inline]
    fn answer(&self, mention: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let found = match &self.dict {
            Some(dict) => dict.get_item(mention),
            None => match self.mapping.contains(mention) {
                Ok(true) => self.mapping.get_item(mention).map(Some),
                Ok(false) => Ok(None),
                Err(error) => Err(error),
            },
        };
        found.map_err(|error| unhashable(mention, error))
    }

    /// The number of the answer for a mention; `None` for answers with one mention if they do not count.
    #[inline]
    fn number(&mut self, mention: &Bound<'py, PyAny>, answer: &Bound<'py, PyAny>) -> PyResult<Option<u32>> {
        if let AnswerNumbers::Integers(numbers) = &mut self.known {
            let integer = answer.cast_exact::<PyInt>().ok().and_then(|integer| integer.extract::<i64>().ok());
            if let Some(place) = integer.and_then(|integer| usize::try_from(integer).ok())
                && place < self.most
            {
                if numbers.len() <= place {
                    numbers.resize(place + 1, NO_NUMBER);
                }
                let number = &mut numbers[place];
                if *number == NO_NUMBER {
                    *number = self.count;
                    self.count += 1;
                }
                return Ok(Some(*number));
            }
        }
        self.object(mention, answer)
    }

    fn object(&mut self, mention: &Bound<'py, PyAny>, answer: &Bound<'py, PyAny>) -> PyResult<Option<u32>> {
        if let AnswerNumbers::Integers(integers) = &self.known {
            // Other objects may equal an integer: 1.0, True.
            let objects = AnswerNumbers::objects(mention.py());
            if let AnswerNumbers::Objects { numbers, .. } = &objects {
                for (integer, &number) in
                    integers.iter().enumerate().filter(|(_, number)| **number != NO_NUMBER)
                {
                    numbers.set_item(integer, number)?;
                }
            }
            self.known = objects;
        }
        let AnswerNumbers::Objects { numbers, seen } = &mut self.known else { return Ok(None) };
        let address = answer.as_ptr() as usize;
        if let Some((_, number)) = seen.get(&address) {
            return Ok(*number);
        }
        let new = || -> PyResult<Option<u32>> {
            if !self.singletons && answer.len()? == 1 {
                return Ok(None);
            }
            let found = match numbers.get_item(answer) {
                Err(error) if error.is_instance_of::<PyTypeError>(mention.py()) => {
                    // A list equals the tuple of its mentions.
                    let members = answer.try_iter()?.collect::<PyResult<Vec<_>>>()?;
                    let tuple = PyTuple::new(mention.py(), members)?.into_any();
                    (numbers.get_item(&tuple)?, tuple)
                }
                found => (found?, answer.clone()),
            };
            match found {
                (Some(number), _) => Ok(Some(number.extract()?)),
                (None, answer) => {
                    numbers.set_item(answer, self.count)?;
                    Ok(Some(self.count))
                }
            }
        };
        let number = new().map_err(|error| no_cluster(mention, answer, error))?;
        self.count += u32::from(number == Some(self.count));
        seen.insert(address, (answer.clone(), number));
        Ok(number)
    }
}

impl<'py> AnswerNumbers<'py> {
    fn objects(py: Python<'py>) -> AnswerNumbers<'py> {
        AnswerNumbers::Objects { numbers: PyDict::new(py), seen: FxHashMap::default() }
    }
}

/// The capacity for mentions and clusters of small documents.
const FEW: usize = 32;

/// The mentions of a side, cluster by cluster. Collecting them first fetches many from memory at once, instead of
/// waiting for each lookup.
struct Members<'py> {
    mentions: Vec<Bound<'py, PyAny>>,
    /// The number of mentions of each non-empty cluster.
    sizes: Vec<u32>,
    /// The number of empty clusters.
    empty: i128,
}

impl<'py> Members<'py> {
    fn new(clusters: &Bound<'py, PyAny>) -> PyResult<Members<'py>> {
        let (mut mentions, mut sizes, mut empty) = (Vec::with_capacity(FEW), Vec::with_capacity(FEW), 0);
        for_each(clusters, |cluster| {
            let size = for_each(&cluster, |mention| {
                mentions.push(mention);
                Ok(())
            })?;
            match size {
                0 => empty += 1,
                _ => sizes.push(u32::try_from(size).unwrap_or(u32::MAX)),
            }
            Ok(())
        })?;
        Ok(Members { mentions, sizes, empty })
    }

    /// Returns its mentions as pairs of integers; `None` if any has another type, even if it equals such a pair.
    fn pairs(&self) -> Option<Vec<(i64, i64)>> {
        let pair = |mention: &Bound<'py, PyAny>| {
            let tuple = mention.cast_exact::<PyTuple>().ok().filter(|tuple| tuple.len() == 2)?;
            let number =
                |place| tuple.get_borrowed_item(place).ok()?.cast_exact::<PyInt>().ok()?.extract().ok();
            Some((number(0)?, number(1)?))
        };
        self.mentions.iter().map(pair).collect()
    }

    /// Returns its mentions as numbers; equal mentions have the same number.
    fn numbers(&self, known: &Bound<'py, PyDict>) -> PyResult<Vec<(i64, i64)>> {
        let number = |mention: &Bound<'py, PyAny>| {
            if let Some(number) = known.get_item(mention).map_err(|error| unhashable(mention, error))? {
                return Ok((number.extract()?, 0));
            }
            let next = known.len();
            known.set_item(mention, next)?;
            Ok((next as i64, 0))
        };
        self.mentions.iter().map(number).collect()
    }
}

/// The clusters of a side as sets.
struct Sets {
    /// The distinct mentions of each cluster with its number, by mention.
    mentions: Vec<((i64, i64), u32)>,
    /// The number of distinct mentions of each cluster.
    sizes: Vec<u32>,
}

impl Sets {
    fn new(members: &Members<'_>, keys: Vec<(i64, i64)>) -> Sets {
        let mut sizes = members.sizes.clone();
        let clusters = (0..).zip(&members.sizes);
        let clusters = clusters.flat_map(|(cluster, &size)| std::iter::repeat_n(cluster, size as usize));
        let mut mentions: Vec<((i64, i64), u32)> = keys.into_iter().zip(clusters).collect();
        mentions.sort_unstable();
        mentions.dedup_by(|repeated, first| {
            let same = repeated == first;
            sizes[repeated.1 as usize] -= u32::from(same);
            same
        });
        Sets { mentions, sizes }
    }

    /// The pairs of clusters of this and of another side that share a mention, one pair for each shared mention.
    fn shared(&self, other: &Sets) -> Vec<(u32, u32)> {
        let mut pairs = Vec::with_capacity(self.mentions.len().min(other.mentions.len()));
        let mut rest = other.mentions.as_slice();
        for &(mention, cluster) in &self.mentions {
            let before = rest.iter().take_while(|other| other.0 < mention).count();
            rest = &rest[before..];
            let same = rest.iter().take_while(|other| other.0 == mention);
            pairs.extend(same.map(|&(_, other)| (cluster, other)));
        }
        pairs
    }
}

/// The error of a lookup.
fn unhashable(mention: &Bound<'_, PyAny>, error: PyErr) -> PyErr {
    let py = mention.py();
    if !error.is_instance_of::<PyTypeError>(py) {
        return error;
    }
    let message = format!("the mention {} is not hashable", shown(mention));
    let raised = wrong_type(py, &message, "mentions are hashable: a span is a tuple, not a list");
    raised.set_cause(py, Some(error));
    raised
}

/// The error of an answer that cannot be a cluster.
fn no_cluster(mention: &Bound<'_, PyAny>, answer: &Bound<'_, PyAny>, error: PyErr) -> PyErr {
    let py = mention.py();
    if !error.is_instance_of::<PyTypeError>(py) {
        return error;
    }
    let message =
        format!("the mention {} is mapped to {}, which is not a cluster", shown(mention), shown(answer));
    let raised = wrong_type(py, &message, "map each mention to its cluster, a tuple of mentions");
    raised.set_cause(py, Some(error));
    raised
}

/// The `repr` of an object.
fn shown(object: &Bound<'_, PyAny>) -> String {
    object.repr().map_or_else(|_| "?".to_owned(), |text| text.to_string())
}
