//! Labels of mentions, one each, as documents: mentions of equal labels are an entity.

use corefeval_core::model::{EntityId, Mention, Span};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyInt, PyList, PyString};
use rustc_hash::FxHashMap;

use crate::entities::{Numbered, SIDES};
use crate::errors::{wrong_type, wrong_value};

/// The labels of a side.
#[derive(FromPyObject)]
pub enum Labels<'py> {
    /// Integers of a width in bytes, in the order of bytes of the machine.
    Integers(Bound<'py, PyBytes>, usize),
    /// Any hashable objects.
    Objects(Bound<'py, PyList>),
}

impl Labels<'_> {
    /// How many labels.
    pub fn len(&self) -> usize {
        match self {
            Labels::Integers(bytes, width) => bytes.as_bytes().len() / (*width).max(1),
            Labels::Objects(list) => list.len(),
        }
    }

    /// A mention a label.
    pub fn number(&self, py: Python<'_>, side: usize) -> PyResult<Numbered> {
        if u32::try_from(self.len()).is_err() {
            return Err(wrong_value(py, "a document has at most 2^32 - 1 mentions", "split the document"));
        }
        match self {
            Labels::Integers(bytes, width) => {
                let bytes = bytes.as_bytes();
                let numbered = py.detach(|| integers(bytes, *width));
                numbered.ok_or_else(|| {
                    let message = format!("integers of {width} bytes are not known");
                    wrong_type(py, &message, "convert the labels to 64-bit integers")
                })
            }
            Labels::Objects(list) => objects(list, side),
        }
    }
}

/// Labels are compared within a side only, so that signs do not matter.
fn integers(bytes: &[u8], width: usize) -> Option<Numbered> {
    fn labels<const WIDTH: usize>(bytes: &[u8], of: fn([u8; WIDTH]) -> u64) -> Numbered {
        let mut entities: FxHashMap<u64, u32> = FxHashMap::default();
        let labels = bytes.as_chunks::<WIDTH>().0.iter().map(|label| of(*label));
        let numbers = labels.map(|label| {
            let next = entities.len() as u32;
            *entities.entry(label).or_insert(next)
        });
        let numbers: Vec<u32> = numbers.collect();
        numbered(&numbers, entities.len() as u32)
    }
    Some(match width {
        1 => labels::<1>(bytes, |label| u8::from_ne_bytes(label).into()),
        2 => labels::<2>(bytes, |label| u16::from_ne_bytes(label).into()),
        4 => labels::<4>(bytes, |label| u32::from_ne_bytes(label).into()),
        8 => labels::<8>(bytes, u64::from_ne_bytes),
        _ => return None,
    })
}

fn objects(list: &Bound<'_, PyList>, side: usize) -> PyResult<Numbered> {
    let py = list.py();
    let known = PyDict::new(py);
    let mut numbers = Vec::with_capacity(list.len());
    for (place, label) in list.iter().enumerate() {
        let place = || format!("{}[{place}]", SIDES[side]);
        if is_missing(&label) {
            let what = if label.is_none() { "missing".to_owned() } else { format!("missing ({label})") };
            let hint =
                "every mention has a label; where a side lacks a mention, pass Labels(labels, mentions)";
            return Err(wrong_value(py, &format!("the label {} is {what}", place()), hint));
        }
        let found = known.get_item(&label).map_err(|error| {
            if !error.is_instance_of::<PyTypeError>(py) {
                return error;
            }
            let raised = wrong_type(
                py,
                &format!("the label {} is not hashable", place()),
                "labels are numbers or strings, one for each mention",
            );
            raised.set_cause(py, Some(error));
            raised
        })?;
        numbers.push(match found {
            Some(number) => number.extract::<u32>()?,
            None => {
                let next = known.len() as u32;
                known.set_item(label, next)?;
                next
            }
        });
    }
    Ok(numbered(&numbers, known.len() as u32))
}

/// Whether a label is None, or not equal to itself (NaN), or will not say (pandas.NA).
fn is_missing(label: &Bound<'_, PyAny>) -> bool {
    if label.is_exact_instance_of::<PyString>() || label.is_exact_instance_of::<PyInt>() {
        return false;
    }
    label.is_none() || label.ne(label).unwrap_or(true)
}

/// The mentions with these entities.
fn numbered(numbers: &[u32], entities: u32) -> Numbered {
    let mention = |(word, &entity): (u32, &u32)| {
        Mention::new(Span::word(word), EntityId::new(entity as usize), word + 1, 1)
    };
    Numbered { mentions: (0..).zip(numbers).map(mention).collect(), entities, words: numbers.len() as u32 }
}
