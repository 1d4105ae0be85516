//! Labels of mentions: mentions with equal labels form an entity. Numbers the labels.

use corefeval_core::model::{EntityId, Mention, Span};
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyInt, PyList, PyString};

use crate::arrow::numbers;
use crate::entities::Numbered;
use crate::errors::{wrong_type, wrong_value};
use crate::numbering::{Fault, MISSING, ValueNumbers, fixed, ordered};

/// The labels of a side.
#[derive(FromPyObject)]
pub enum LabelSource<'py> {
    /// Integers of a width in bytes, in the byte order of the machine.
    Integers(Bound<'py, PyBytes>, usize),
    /// Any hashable objects.
    Objects(Bound<'py, PyList>),
    /// Objects with an Arrow interface.
    Arrow(Bound<'py, PyAny>),
}

/// Labels of one side as numbers, in order. Private: see `corefeval.Labels`.
#[pyclass(module = "corefeval._corefeval", frozen)]
pub struct LabelNumbers(ValueNumbers);

#[pymethods]
impl LabelNumbers {
    /// Numbers the labels of the side called `side`; set `named` if each mention has a name. A `BufferError` means that
    /// the data of the Arrow interface cannot be read.
    #[new]
    #[pyo3(signature = (labels: "object", side, named))]
    fn new(py: Python<'_>, labels: LabelSource<'_>, side: &str, named: bool) -> PyResult<LabelNumbers> {
        let wrong = Wrong { py, side, named };
        let numbers = match &labels {
            LabelSource::Integers(bytes, width) => {
                let bytes = bytes.as_bytes();
                if bytes.len() / (*width).max(1) >= MISSING as usize {
                    return Err(wrong.too_many());
                }
                let numbers = py.detach(|| fixed(&[bytes], *width, false).map(ordered));
                numbers.ok_or_else(|| {
                    let message = format!("{side} has integers of {width} bytes, which are not supported");
                    wrong_type(py, &message, "convert the labels to 64-bit integers")
                })?
            }
            LabelSource::Objects(list) if list.len() >= MISSING as usize => return Err(wrong.too_many()),
            LabelSource::Objects(list) => objects(list, &wrong)?,
            LabelSource::Arrow(object) => numbers(object).map_err(|fault| wrong.raised(fault))?,
        };
        Ok(LabelNumbers(numbers))
    }

    fn __len__(&self) -> usize {
        self.0.numbers.len()
    }

    /// Groups mentions by their labels, one mention per label.
    #[pyo3(signature = (mentions) -> "list[list[Any]]")]
    fn entities<'py>(
        &self,
        py: Python<'py>,
        mentions: Vec<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let mut entities: Vec<Vec<Bound<'py, PyAny>>> = vec![Vec::new(); self.0.count as usize];
        for (number, mention) in self.0.numbers.iter().zip(mentions) {
            entities[*number as usize].push(mention);
        }
        PyList::new(py, entities)
    }
}

impl LabelNumbers {
    /// Returns one mention for each label.
    pub fn numbered(&self) -> Numbered {
        let mention = |(word, &entity): (u32, &u32)| {
            Mention::new(Span::word(word), EntityId::new(entity as usize), word + 1, 1)
        };
        let ValueNumbers { numbers, count } = &self.0;
        let mentions = (0..).zip(numbers).map(mention).collect();
        Numbered { mentions, entities: *count, words: numbers.len() as u32 }
    }
}

/// The problem with the labels of a side.
struct Wrong<'py, 's> {
    py: Python<'py>,
    side: &'s str,
    named: bool,
}

/// The description of labels.
const HINT: &str = "labels are numbers or strings, one for each mention";

impl Wrong<'_, '_> {
    fn too_many(&self) -> PyErr {
        let message = format!("{} has more labels than the 2^32 - 2 that a document can have", self.side);
        wrong_value(self.py, &message, "split the document")
    }

    fn missing(&self, place: usize, what: &str) -> PyErr {
        let message = format!("the label {}[{place}] is missing{what}", self.side);
        let hint = match self.named {
            true => "leave out the mention on this side",
            false => "every mention has a label; if a side lacks a mention, pass Labels(labels, mentions)",
        };
        wrong_value(self.py, &message, hint)
    }

    fn raised(&self, fault: Fault) -> PyErr {
        let (py, side) = (self.py, self.side);
        match fault {
            Fault::Raised(error) => error,
            // The caller may still read the object in another way.
            Fault::Unreadable(why) => PyBufferError::new_err(why),
            Fault::Table(columns) => {
                let columns: Vec<String> = columns.iter().map(|column| format!("`{column}`")).collect();
                let columns = if columns.is_empty() { "no columns".to_owned() } else { columns.join(", ") };
                let message = format!("{side} is a table of {columns}, but labels have one dimension");
                wrong_value(py, &message, "pass the column of the labels: table[\"label\"]")
            }
            Fault::Type(kind) => {
                let message = format!("{side} is an array of {kind}, not of labels");
                let hint = format!("{HINT}; entities are lists of mentions: [[(0, 1), (4, 4)], ...]");
                wrong_type(py, &message, &hint)
            }
            Fault::Missing(place) => self.missing(place, ""),
            Fault::TooMany => self.too_many(),
        }
    }
}

/// Numbers Python objects, by equality in Python.
fn objects(list: &Bound<'_, PyList>, wrong: &Wrong<'_, '_>) -> PyResult<ValueNumbers> {
    let py = list.py();
    let known = PyDict::new(py);
    let mut numbers = Vec::with_capacity(list.len());
    for (place, label) in list.iter().enumerate() {
        if is_missing(&label) {
            let what = if label.is_none() { String::new() } else { format!(" ({label})") };
            return Err(wrong.missing(place, &what));
        }
        let found = known.get_item(&label).map_err(|error| {
            if !error.is_instance_of::<PyTypeError>(py) {
                return error;
            }
            let message = format!("the label {}[{place}] is not hashable", wrong.side);
            let raised = wrong_type(py, &message, HINT);
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
    Ok(ValueNumbers { numbers, count: known.len() as u32 })
}

/// Returns whether a label is None, not equal to itself (NaN), or undecided (pandas.NA).
fn is_missing(label: &Bound<'_, PyAny>) -> bool {
    if label.is_exact_instance_of::<PyString>() || label.is_exact_instance_of::<PyInt>() {
        return false;
    }
    label.is_none() || label.ne(label).unwrap_or(true)
}
