//! Errors of the library as Python exceptions, which `corefeval.exceptions` defines.

use corefeval_core::error::{Error, ErrorKind};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The exception for an error of the library.
pub fn raised(py: Python<'_>, error: &Error) -> PyErr {
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
        // Options of the command are keywords here.
        let spelt = |text: &str| py.import("corefeval._keywords")?.getattr("spelt")?.call1((text,));
        details.set_item("hint", error.remedy().map(&spelt).transpose()?)?;
        if let Some(position) = error.position() {
            let known = |number: u32| (number > 0).then_some(number);
            details.set_item("file", &*position.source)?;
            details.set_item("line", known(position.line))?;
            details.set_item("column", known(position.column).filter(|_| position.line > 0))?;
        }
        let related = error.related().iter();
        let related: Vec<String> = related.map(|(position, text)| format!("{position}: {text}")).collect();
        details.set_item("related", related)?;
        exception(py, class, &spelt(error.message())?.extract::<String>()?, Some(&details))
    };
    make().unwrap_or_else(|error| error)
}

/// That an object is not what it should be.
pub fn wrong_type(py: Python<'_>, message: &str, hint: &str) -> PyErr {
    of_objects(py, "InputTypeError", message, hint)
}

/// That a value is none that it can be.
pub fn wrong_value(py: Python<'_>, message: &str, hint: &str) -> PyErr {
    of_objects(py, "InputValueError", message, hint)
}

fn of_objects(py: Python<'_>, class: &'static str, message: &str, hint: &str) -> PyErr {
    let make = || -> PyResult<PyErr> {
        let details = PyDict::new(py);
        details.set_item("code", "input")?;
        details.set_item("hint", hint)?;
        exception(py, class, message, Some(&details))
    };
    make().unwrap_or_else(|error| error)
}

/// An exception of `corefeval.exceptions`.
fn exception(
    py: Python<'_>,
    class: &str,
    message: &str,
    details: Option<&Bound<'_, PyDict>>,
) -> PyResult<PyErr> {
    let class = py.import("corefeval.exceptions")?.getattr(class)?;
    Ok(PyErr::from_value(class.call((message,), details)?))
}
