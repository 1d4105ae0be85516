//! The extension of the Python package: translates objects into documents and reports into text.
//!
//! Nothing is decided here. The surface that people see, its documentation and its types are Python's
//! (`python/corefeval/`); its functions call those of this module, which call the library and the command.

// Where a panic aborts it ends the interpreter.
#[cfg(all(feature = "extension-module", panic = "abort", not(debug_assertions)))]
compile_error!("build the Python package with maturin or pip, which have it unwind (pyproject.toml)");

mod comparison;
mod documents;
mod entities;
mod errors;
mod labels;
mod options;
mod report;

use std::ffi::OsString;

use pyo3::prelude::*;

/// The extension of the Python package `corefeval`; private.
#[pymodule(name = "_corefeval", gil_used = true)]
mod extension {
    use super::*;

    #[pymodule_export]
    use comparison::compare;
    #[pymodule_export]
    use documents::Documents;
    #[pymodule_export]
    use report::Rendered;

    /// The version, which is that of the command.
    #[pymodule_export]
    const VERSION: &str = corefeval_core::VERSION;

    /// Runs the command `corefeval` as it was typed, its own name first; gives back its exit status.
    #[pyfunction]
    fn run_command(py: Python<'_>, typed: Vec<OsString>) -> u8 {
        py.detach(|| corefeval::run_command(typed))
    }

    /// The report that `corefeval score` with these arguments prints.
    #[pyfunction]
    fn score_files(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<Rendered> {
        let report = py.detach(|| corefeval::score(arguments));
        Ok(Rendered::of_report(report.map_err(|error| errors::raised(py, &error))?))
    }

    /// The comparison that `corefeval compare` with these arguments prints.
    #[pyfunction]
    fn compare_files(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<Rendered> {
        let report = py.detach(|| corefeval::compare(arguments));
        Ok(Rendered::of_comparison(report.map_err(|error| errors::raised(py, &error))?))
    }

    /// The choices that scores depend on, as `corefeval list options` has them: name, values, whether it is a flag.
    #[pyfunction]
    fn list_options() -> Vec<(&'static str, Vec<&'static str>, bool)> {
        options::table()
    }

    /// The ids of all metrics.
    #[pyfunction]
    fn list_metrics() -> Vec<&'static str> {
        corefeval_core::metrics::METRICS.iter().map(|spec| spec.id).collect()
    }
}
