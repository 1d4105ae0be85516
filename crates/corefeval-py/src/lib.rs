//! The extension of the Python package: translates objects into documents and reports into text.
//!
//! Nothing is decided here. The surface that people see, its documentation and its types are Python's
//! (`python/corefeval/`); its functions call those of this module, which call the library and the command.

// Where a panic aborts it ends the interpreter.
#[cfg(all(feature = "extension-module", panic = "abort", not(debug_assertions)))]
compile_error!("build the Python package with maturin or pip, which have it unwind (pyproject.toml)");

#[cfg(feature = "arrow")]
mod arrow;
#[cfg(not(feature = "arrow"))]
mod arrow {
    //! Without the crates that read Arrow, labels of it are read as lists are.
    use pyo3::prelude::*;

    use crate::numbering::{Fault, Numbers, Result};

    pub fn numbers(_: &Bound<'_, PyAny>) -> Result<Numbers> {
        Err(Fault::Unreadable("this build does not read Arrow".to_owned()))
    }
}
mod document;
mod documents;
mod entities;
mod errors;
mod labels;
mod numbering;
mod options;
mod report;
mod table;

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use corefeval_core::error::{Error, ErrorKind, Result};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::options::Asked;
use crate::report::Kind;

/// The extension of the Python package `corefeval`; private.
#[pymodule(name = "_corefeval", gil_used = true)]
mod extension {
    use super::*;

    #[pymodule_export]
    use document::{PyDocument, read, write};
    #[pymodule_export]
    use documents::{Documents, documents_of};
    #[pymodule_export]
    use labels::LabelNumbers;
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

    /// The report that a subcommand with these arguments prints; where documents are given, on these in place of
    /// the files that the arguments name.
    #[pyfunction]
    fn reported(
        py: Python<'_>,
        subcommand: &str,
        arguments: Vec<OsString>,
        given: Vec<(String, Vec<Bound<'_, PyDocument>>)>,
    ) -> PyResult<Rendered> {
        let given = given.into_iter().map(|(name, documents)| document::given(name, &documents));
        let given = given.collect::<Result<Vec<_>>>().map_err(|error| errors::raised(py, &error))?;
        let subcommand = subcommand.to_owned();
        let report = interruptible(py, move || match &*subcommand {
            "score" => corefeval::score(arguments, given).map(Rendered::of_report),
            "compare" => corefeval::compare(arguments, given).map(Kind::Comparison).map(Rendered::new),
            "agree" => corefeval::agree(arguments, given).map(Kind::Agreement).map(Rendered::new),
            "correlate" => corefeval::correlate(arguments, given).map(Kind::Correlation).map(Rendered::new),
            "cone" => corefeval::cone(arguments, given).map(Rendered::of_cone),
            _ => {
                let message = format!("`{subcommand}` has no report");
                Err(Error::new(ErrorKind::Settings, message)
                    .hint("score, compare, agree, correlate and cone have"))
            }
        })?;
        report.map_err(|error| errors::raised(py, &error))
    }

    /// Fails where settings or metrics contradict each other or do not exist.
    #[pyfunction]
    #[pyo3(signature = (asked: "dict[str, Any]"))]
    fn check_settings(py: Python<'_>, asked: Asked) -> PyResult<()> {
        let checked = asked.settings().and_then(|settings| asked.metrics(&settings));
        checked.map(drop).map_err(|error| errors::raised(py, &error))
    }

    /// Fails where settings ask for what lists of mentions do not say. `wordless` is the name of a document whose
    /// mentions do not say which words they are, where there is one.
    #[pyfunction]
    #[pyo3(signature = (asked: "dict[str, Any]", wordless))]
    fn check_lists(py: Python<'_>, asked: Asked, wordless: Option<&str>) -> PyResult<()> {
        let checked = asked.task().and_then(|task| options::check_words(&task, wordless));
        checked.map_err(|error| errors::raised(py, &error))
    }

    /// Whether a panic unwinds, so that Python gets an exception. Where it aborts this ends the process.
    #[pyfunction]
    fn unwinds() -> bool {
        catch_unwind(|| resume_unwind(Box::new(()))).is_err()
    }

    /// The ids of all metrics.
    #[pyfunction]
    fn list_metrics() -> Vec<&'static str> {
        corefeval_core::metrics::METRICS.iter().map(|spec| spec.id).collect()
    }
}

/// How long what takes long is left alone before it is asked whether somebody has pressed Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(50);

/// Does what may take long on a thread of its own, without the interpreter lock, so that Ctrl-C is answered while it
/// runs. What was begun runs on then, and nobody hears of it.
fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (done, mut result) = mpsc::channel();
    let run = move || drop(done.send(catch_unwind(AssertUnwindSafe(work))));
    thread::Builder::new().spawn(run)?;
    loop {
        let result = &mut result;
        match py.detach(move || result.recv_timeout(PATIENCE)) {
            Ok(Ok(found)) => return Ok(found),
            Ok(Err(panic)) => resume_unwind(panic),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the thread that computes has ended without a result"));
            }
        }
    }
}
