//! Entities as lists of mentions that may be any hashable objects, as documents.
//!
//! A mention is a run of words of a text that nobody sees: equal mentions of both sides get the same run. Pairs of
//! integers, which nearly all mentions are, are taken as the first and the last word as they stand, so that nothing
//! is looked up. Other pairs of integers are numbered here; anything else is numbered by a Python dictionary, so that
//! equal means what it means in Python (`1 == 1.0 == True`). A document with one such mention is numbered so whole.

use std::fmt;
use std::sync::Arc;

use compact_str::ToCompactString;
use corefeval_core::diagnostic::{Code, Diagnostics, Position};
use corefeval_core::model::{Document, DocumentBuilder, DocumentId, EntityId, Mention, Span, WordsBuilder};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use rustc_hash::FxHashMap;

use crate::errors::{wrong_type, wrong_value};

/// The largest word that a pair of integers may name itself.
const LAST_WORD: i64 = u32::MAX as i64 - 2;

/// What is taken for the file of a side.
pub const SIDES: [&str; 2] = ["key", "response"];

/// The mentions of a side, with the number of its entities and of the words that they are runs of.
pub struct Numbered {
    /// In the order of the entities.
    pub mentions: Vec<Mention>,
    /// How many entities there are, those without mentions included.
    pub entities: u32,
    /// More than the last word of any mention.
    pub words: u32,
}

impl Numbered {
    /// The document called `id`, as side `side` of its pair.
    pub fn into_document(self, id: &str, side: usize, diagnostics: &mut Diagnostics) -> Document {
        let source: Arc<str> = Arc::from(SIDES[side]);
        let mut document = DocumentBuilder::new(DocumentId::new(id), Arc::clone(&source), 0);
        document.entities = (0..self.entities).map(|entity| entity.to_compact_string()).collect();
        let mut empty = vec![true; self.entities as usize];
        self.mentions.iter().for_each(|mention| empty[mention.entity().index()] = false);
        for (entity, _) in (1..).zip(&empty).filter(|(_, empty)| **empty) {
            diagnostics.add(
                Code::EmptyEntity,
                Some(Position::new(&source, entity, 0)),
                Some(id.to_owned()),
                || "this entity has no mention".to_owned(),
            );
        }
        document.mentions = self.mentions;
        let mut words = WordsBuilder::new(false);
        words.push_unknown(self.words);
        document.finish(words.finish())
    }
}

/// Where an object stands: `key[3][1]`.
#[derive(Clone, Copy)]
struct Place {
    side: usize,
    entity: usize,
    mention: Option<usize>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", SIDES[self.side], self.entity)?;
        self.mention.map_or(Ok(()), |mention| write!(f, "[{mention}]"))
    }
}

/// What people call the type of an object.
fn type_of(object: &Bound<'_, PyAny>) -> String {
    object.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string())
}

/// The entities of a side, each a list or a tuple of its mentions.
pub struct Entities<'py> {
    side: usize,
    entities: Vec<Bound<'py, PyAny>>,
}

/// What an error about entities reminds of.
const HINT: &str = "entities are lists of mentions: [[(0, 1), (4, 4)], [(7, 9)]]";

impl<'py> Entities<'py> {
    /// Takes any iterable of iterables; iterates each once.
    pub fn new(object: &Bound<'py, PyAny>, side: usize) -> PyResult<Entities<'py>> {
        let py = object.py();
        let name = SIDES[side];
        let text = object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>();
        if text || object.is_instance_of::<PyDict>() {
            return Err(wrong_type(
                py,
                &format!("{name} is a {}, not a list of entities", type_of(object)),
                HINT,
            ));
        }
        let Some(items) = iterated(object)? else {
            return Err(wrong_type(
                py,
                &format!("{name} is a {}, not a list of entities", type_of(object)),
                HINT,
            ));
        };
        let mut entities = Vec::with_capacity(items.len_hint());
        for item in items {
            let item = item?;
            if item.is_exact_instance_of::<PyList>() || item.is_exact_instance_of::<PyTuple>() {
                entities.push(item);
                continue;
            }
            let place = Place { side, entity: entities.len(), mention: None };
            let wrong = |item: &Bound<'py, PyAny>| {
                let message = format!("{place} is a {}, not an entity", type_of(item));
                let hint = format!("{HINT}; labels of mentions are an array, or corefeval.Labels(...)");
                wrong_type(py, &message, &hint)
            };
            let text = item.is_instance_of::<PyString>()
                || item.is_instance_of::<PyBytes>()
                || item.is_instance_of::<PyByteArray>();
            if text || item.is_instance_of::<PyDict>() {
                return Err(wrong(&item));
            }
            let Some(members) = iterated(&item)? else { return Err(wrong(&item)) };
            let members = members.collect::<PyResult<Vec<_>>>()?;
            entities.push(PyList::new(py, members)?.into_any());
        }
        if u32::try_from(entities.len()).is_err() {
            return Err(wrong_value(py, "a document has at most 2^32 - 1 entities", "split the document"));
        }
        Ok(Entities { side, entities })
    }

    /// Its mentions, where `number` has a run of words for each.
    fn numbered(
        &self,
        number: &mut impl FnMut(&Bound<'py, PyAny>, Place) -> PyResult<Option<Span>>,
    ) -> PyResult<Option<Numbered>> {
        let mut numbered = Numbered { mentions: Vec::new(), entities: self.entities.len() as u32, words: 0 };
        for (entity, members) in self.entities.iter().enumerate() {
            let id = EntityId::new(entity);
            let mut take = |(place, mention): (usize, Bound<'py, PyAny>)| -> PyResult<bool> {
                let at = Place { side: self.side, entity, mention: Some(place) };
                let Some(span) = number(&mention, at)? else { return Ok(false) };
                numbered.words = numbered.words.max(span.end());
                // Lines are entities and columns mentions, from 1 as in files.
                let (line, column) = (entity as u32 + 1, u32::try_from(place + 1).unwrap_or(u32::MAX));
                numbered.mentions.push(Mention::new(span, id, line, column));
                Ok(true)
            };
            if let Ok(list) = members.cast_exact::<PyList>() {
                for item in list.iter().enumerate() {
                    if !take(item)? {
                        return Ok(None);
                    }
                }
            } else if let Ok(tuple) = members.cast_exact::<PyTuple>() {
                for item in tuple.iter().enumerate() {
                    if !take(item)? {
                        return Ok(None);
                    }
                }
            }
        }
        Ok(Some(numbered))
    }
}

/// An iterator with what it says of its length; `None` where there is nothing to iterate.
fn iterated<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Items<'py>>> {
    let length = object.len().unwrap_or(0);
    match object.try_iter() {
        Ok(items) => Ok(Some(Items { items, length })),
        Err(error) if error.is_instance_of::<PyTypeError>(object.py()) => Ok(None),
        Err(error) => Err(error),
    }
}

struct Items<'py> {
    items: Bound<'py, pyo3::types::PyIterator>,
    length: usize,
}

impl Items<'_> {
    /// A length that is worth reserving memory for.
    fn len_hint(&self) -> usize {
        self.length.min(1 << 20)
    }
}

impl<'py> Iterator for Items<'py> {
    type Item = PyResult<Bound<'py, PyAny>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.items.next()
    }
}

/// Numbers the mentions of both sides, equal ones alike.
pub fn number<'py>(py: Python<'py>, sides: &[Entities<'py>]) -> PyResult<Vec<Numbered>> {
    if let Some(numbered) = number_with(sides, |mention, _| Ok(pair(mention).and_then(as_span)))? {
        return Ok(numbered);
    }
    let mut pairs: FxHashMap<(i64, i64), u32> = FxHashMap::default();
    let by_pair = |mention: &Bound<'py, PyAny>, _: Place| {
        let Some(pair) = pair(mention) else { return Ok(None) };
        let next = pairs.len() as u32;
        word(py, *pairs.entry(pair).or_insert(next))
    };
    if let Some(numbered) = number_with(sides, by_pair)? {
        return Ok(numbered);
    }
    let known = PyDict::new(py);
    let mut checks = Checks::default();
    let by_object = |mention: &Bound<'py, PyAny>, place: Place| {
        checks.check(mention, place)?;
        let found = match known.get_item(mention) {
            Ok(found) => found,
            Err(error) => return Err(unhashable(py, mention, place, error)),
        };
        let number = match found {
            Some(number) => number.extract::<u32>()?,
            None => {
                let next = known.len() as u32;
                known.set_item(mention, next)?;
                next
            }
        };
        word(py, number)
    };
    let numbered = number_with(sides, by_object)?;
    numbered.ok_or_else(|| wrong_value(py, "a mention has no number", "report this as a fault of corefeval"))
}

fn number_with<'py>(
    sides: &[Entities<'py>],
    mut number: impl FnMut(&Bound<'py, PyAny>, Place) -> PyResult<Option<Span>>,
) -> PyResult<Option<Vec<Numbered>>> {
    sides.iter().map(|side| side.numbered(&mut number)).collect()
}

/// A pair of integers, and of nothing that is merely equal to one.
fn pair(mention: &Bound<'_, PyAny>) -> Option<(i64, i64)> {
    let tuple = mention.cast_exact::<PyTuple>().ok()?;
    if tuple.len() != 2 {
        return None;
    }
    let integer = |place: usize| -> Option<i64> {
        let item = tuple.get_borrowed_item(place).ok()?;
        item.cast_exact::<PyInt>().ok()?.extract().ok()
    };
    Some((integer(0)?, integer(1)?))
}

fn as_span((first, last): (i64, i64)) -> Option<Span> {
    let fits = 0 <= first && first <= last && last <= LAST_WORD;
    if fits { Span::new(first as u32, last as u32 + 1) } else { None }
}

/// The run of words of a mention that has a number.
fn word(py: Python<'_>, number: u32) -> PyResult<Option<Span>> {
    if i64::from(number) > LAST_WORD {
        return Err(wrong_value(py, "a document has at most 2^32 - 2 mentions", "split the document"));
    }
    Ok(Some(Span::word(number)))
}

/// What is hashable and yet cannot be meant.
#[derive(Default)]
struct Checks {
    /// The length of mentions that are tuples of integers, and the first place of one.
    ints: Option<(usize, Place)>,
}

impl Checks {
    fn check(&mut self, mention: &Bound<'_, PyAny>, place: Place) -> PyResult<()> {
        let py = mention.py();
        if let Ok(tuple) = mention.cast::<PyTuple>() {
            let mut integers = !tuple.is_empty();
            for item in tuple.iter_borrowed() {
                let integer = item.is_exact_instance_of::<PyInt>();
                integers &= integer;
                if !integer {
                    check_value(&item, place)?;
                }
            }
            let length = tuple.len();
            match self.ints {
                Some((other, first)) if integers && other != length => {
                    let message =
                        format!("{place} is a span of {length} numbers, and {first} is one of {other}");
                    let hint =
                        "spans are pairs of numbers; for mentions that are sets of words use frozenset";
                    return Err(wrong_value(py, &message, hint));
                }
                None if integers => self.ints = Some((length, place)),
                _ => {}
            }
            return Ok(());
        }
        check_value(mention, place)
    }
}

/// Refuses NaN, which is not equal to itself, and tensors, which are equal by identity.
fn check_value(value: &Bound<'_, PyAny>, place: Place) -> PyResult<()> {
    let py = value.py();
    if value.is_exact_instance_of::<PyString>() || value.is_exact_instance_of::<PyInt>() {
        return Ok(());
    }
    if let Ok(number) = value.cast::<PyFloat>() {
        if number.value().is_nan() {
            let message = format!("{place} is not a number (NaN), which is equal to nothing");
            return Err(wrong_value(py, &message, "leave out what is no mention"));
        }
        return Ok(());
    }
    if value.hasattr("__dlpack__")? {
        let message = format!("{place} holds a {}, whose values are not compared", type_of(value));
        return Err(wrong_type(py, &message, "make it a number or a tuple of numbers: tensor.tolist()"));
    }
    Ok(())
}

fn unhashable(py: Python<'_>, mention: &Bound<'_, PyAny>, place: Place, error: PyErr) -> PyErr {
    if !error.is_instance_of::<PyTypeError>(py) {
        return error;
    }
    let message = format!("{place} is a {}, which is not hashable and cannot be a mention", type_of(mention));
    let raised = wrong_type(py, &message, "spans are tuples: (0, 1), tuple(mention)");
    raised.set_cause(py, Some(error));
    raised
}
