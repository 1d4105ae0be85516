//! Errors of the library as Python exceptions, which `corefeval.exceptions` defines.

use corefeval_core::error::{Error, ErrorKind};
use corefeval_core::text;
use corefeval_core::wording::place_of;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::wording;

/// Returns the exception for an error of the library.
pub fn raised(py: Python<'_>, error: &Error) -> PyErr {
    worded(py, error, wording::Python::OF_FILES)
}

/// Returns the exception for an error in lists of entities.
pub fn raised_of_lists(py: Python<'_>, error: &Error) -> PyErr {
    worded(py, error, wording::Python::OF_LISTS)
}

fn worded(py: Python<'_>, error: &Error, wording: wording::Python) -> PyErr {
    let (class, code) = match error.kind() {
        ErrorKind::Io => ("ReadError", "io"),
        ErrorKind::Format => ("FormatError", "format"),
        ErrorKind::Pairing => ("PairingError", "pairing"),
        ErrorKind::Settings => ("SettingsError", "settings"),
        ErrorKind::Strict => ("StrictError", "strict"),
    };
    let make = || -> PyResult<PyErr> {
        let details = PyDict::new(py);
        details.set_item("code", code)?;
        details.set_item("hint", error.remedy_text().map(|hint| wording.text(py, hint)).transpose()?)?;
        if let Some(position) = error.position() {
            if wording.lists {
                details.set_item("file", wording.place(position))?;
            } else {
                let known = |number: u32| (number > 0).then_some(number);
                details.set_item("file", &*position.source)?;
                details.set_item("line", known(position.line))?;
                details.set_item("column", known(position.column).filter(|_| position.line > 0))?;
            }
        }
        let others =
            error.others().iter().filter_map(|other| Some((other.position()?, other.message_text())));
        let related = error.related().iter().map(|(position, text)| (position, text)).chain(others);
        let related = related.map(|(position, text)| {
            wording.text(py, &text!("{}: {}", place_of(position.clone()), text.clone()))
        });
        details.set_item("related", related.collect::<PyResult<Vec<_>>>()?)?;
        exception(py, class, wording.text(py, error.message_text())?, Some(&details))
    };
    make().unwrap_or_else(|error| error)
}

/// Returns a `TypeError` for an object of the wrong type.
pub fn wrong_type(py: Python<'_>, message: &str, hint: &str) -> PyErr {
    of_objects(py, "InputTypeError", message, hint)
}

/// Returns a `ValueError` for a value that is not allowed.
pub fn wrong_value(py: Python<'_>, message: &str, hint: &str) -> PyErr {
    of_objects(py, "InputValueError", message, hint)
}

fn of_objects(py: Python<'_>, class: &'static str, message: &str, hint: &str) -> PyErr {
    let make = || -> PyResult<PyErr> {
        let details = PyDict::new(py);
        details.set_item("code", "input")?;
        details.set_item("hint", hint)?;
        exception(py, class, PyString::new(py, message).into_any(), Some(&details))
    };
    make().unwrap_or_else(|error| error)
}

/// Returns an exception of `corefeval.exceptions`.
fn exception(
    py: Python<'_>,
    class: &str,
    message: Bound<'_, PyAny>,
    details: Option<&Bound<'_, PyDict>>,
) -> PyResult<PyErr> {
    let class = py.import("corefeval.exceptions")?.getattr(class)?;
    Ok(PyErr::from_value(class.call((message,), details)?))
}
