//! The extension module of the Python package: translates objects into documents and reports into text.
//!
//! This crate only translates. The public functions, their documentation and their types are in Python
//! (`python/corefeval/`); they call the functions of this module, which build requests and evaluate them.

// If panics aborted, a panic would end the interpreter.
#[cfg(all(feature = "extension-module", panic = "abort", not(debug_assertions)))]
compile_error!("build the Python package with maturin or pip, which have it unwind (pyproject.toml)");

#[cfg(feature = "arrow")]
mod arrow;
#[cfg(not(feature = "arrow"))]
mod arrow {
    //! Without the Arrow crates, labels in Arrow are read like lists.
    use pyo3::prelude::*;

    use crate::numbering::{Fault, Result, ValueNumbers};

    pub fn numbers(_: &Bound<'_, PyAny>) -> Result<ValueNumbers> {
        Err(Fault::Unreadable("this build cannot read Arrow".to_owned()))
    }
}
mod clusters;
mod document;
mod documents;
mod entities;
mod errors;
mod files;
mod key_table;
mod labels;
mod numbering;
mod objects;
mod options;
mod report;
mod request;
mod wording;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use corefeval_core::evaluation::limits;
use corefeval_core::formats::{FormatSpec, LISTS};
use corefeval_core::metrics::Metric;
use corefeval_core::profiles::Profile;
use corefeval_core::settings::{OPTIONS, OptionSpec, Settings, SpanEnds};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::request::{GivenInput, Keywords};

/// The extension module of the Python package `corefeval`. Private.
#[pymodule(name = "_corefeval", gil_used = true)]
mod extension {
    use super::*;

    #[pymodule_export]
    use clusters::ClusterCounter;
    #[pymodule_export]
    use document::PyDocument;
    #[pymodule_export]
    use documents::{Counter, Documents, documents_of};
    #[pymodule_export]
    use files::{read, write};
    #[pymodule_export]
    use labels::LabelNumbers;
    #[pymodule_export]
    use objects::map_objects;
    #[pymodule_export]
    use report::Rendered;

    /// The version of the package and of the command.
    #[pymodule_export]
    const VERSION: &str = corefeval_core::VERSION;

    /// Runs the command `corefeval` with these arguments, which start with its name. Returns its exit status.
    #[pyfunction]
    fn run_command(py: Python<'_>, typed: Vec<OsString>) -> u8 {
        py.detach(|| corefeval::run_command(typed))
    }

    /// Returns the report of a task, which is a row of `request::TASKS`.
    ///
    /// `options` maps the names of options on the command line to their values. Without a key, a key is made from names.
    /// `counts` are tables of counts that replace all other inputs.
    #[pyfunction]
    #[pyo3(signature = (task, options: "dict[str, list[str]]", key, responses, *, pairs=vec![], annotated=None, counts=vec![]))]
    #[expect(clippy::too_many_arguments, reason = "the kinds of inputs that a request can have")]
    fn reported(
        py: Python<'_>,
        task: &str,
        options: BTreeMap<String, Vec<String>>,
        key: Option<GivenInput<'_>>,
        responses: Vec<GivenInput<'_>>,
        pairs: Vec<(GivenInput<'_>, GivenInput<'_>)>,
        annotated: Option<GivenInput<'_>>,
        counts: Vec<GivenInput<'_>>,
    ) -> PyResult<Rendered> {
        let options = Keywords(options);
        let opened = (|| {
            let limits = limits(&options)?;
            let annotated = annotated.map(|given| request::open(py, given, &limits)).transpose()?;
            Ok((request::inputs(py, key, responses, pairs, counts, &limits)?, annotated))
        })();
        let (inputs, annotated) = opened.map_err(|error| errors::raised(py, &error))?;
        let task = task.to_owned();
        let report = interruptible(py, move || request::report(&task, &options, inputs, annotated))?;
        report.map_err(|error| errors::raised(py, &error))
    }

    /// Fails if settings or metrics contradict each other or do not exist.
    #[pyfunction]
    #[pyo3(signature = (options: "dict[str, list[str]]"))]
    fn check_settings(py: Python<'_>, options: BTreeMap<String, Vec<String>>) -> PyResult<()> {
        let checked = Keywords(options).request().and_then(|request| request.task(LISTS.id));
        checked.map(drop).map_err(|error| errors::raised(py, &error))
    }

    /// Fails if settings require something that lists of mentions lack. `wordless` is the name of a document whose
    /// mentions have unknown words, if any.
    #[pyfunction]
    #[pyo3(signature = (options: "dict[str, list[str]]", wordless))]
    fn check_lists(
        py: Python<'_>,
        options: BTreeMap<String, Vec<String>>,
        wordless: Option<&str>,
    ) -> PyResult<()> {
        let request = Keywords(options).request();
        let checked = request.and_then(|request| options::check_lists(&request, wordless));
        checked.map_err(|error| errors::raised(py, &error))
    }

    /// Returns whether a panic unwinds and becomes an exception; otherwise it ends the process.
    #[pyfunction]
    fn unwinds() -> bool {
        catch_unwind(|| resume_unwind(Box::new(()))).is_err()
    }

    /// Returns the ids of all metrics.
    #[pyfunction]
    fn list_metrics() -> Vec<&'static str> {
        corefeval_core::metrics::METRICS.iter().map(|spec| spec.id).collect()
    }

    /// Returns the key of a metric in reports, given any of its names. Private: see `Report.__getitem__`.
    #[pyfunction]
    fn metric_key(py: Python<'_>, name: &str) -> PyResult<String> {
        Metric::parse(name).map(|metric| metric.to_string()).map_err(|error| errors::raised(py, &error))
    }

    /// Returns the metrics that a mean averages; none for other metrics. Private.
    #[pyfunction]
    fn metric_parts(name: &str) -> Vec<String> {
        let parts = Metric::parse(name).ok().and_then(|metric| metric.parts());
        parts.iter().flatten().map(Metric::to_string).collect()
    }

    /// Returns the names of all profiles.
    #[pyfunction]
    fn list_profiles() -> Vec<&'static str> {
        corefeval_core::profiles::PROFILES.iter().map(|profile| profile.id).collect()
    }

    /// Returns the sides that a value of `span_end_of` names, each with the meaning of its ends. Private.
    #[pyfunction]
    fn span_ends(py: Python<'_>, list: &str) -> PyResult<Vec<(String, &'static str)>> {
        let ends = SpanEnds::parse(list).map_err(|error| errors::raised(py, &error))?;
        Ok(ends.iter().map(|(name, end)| (name.to_owned(), end)).collect())
    }

    /// Returns the default metrics for lists of mentions.
    #[pyfunction]
    fn usual_metrics() -> Vec<&'static str> {
        Profile::for_format(LISTS.id).metrics.to_vec()
    }

    /// Returns the names of all formats.
    #[pyfunction]
    fn list_formats() -> Vec<&'static str> {
        FormatSpec::of_documents().map(|spec| spec.id).collect()
    }

    /// Returns the values of each setting by its keyword, starting with the default for lists of mentions.
    #[pyfunction]
    fn list_options() -> BTreeMap<String, Vec<&'static str>> {
        let usual = Settings::of(Profile::for_format(LISTS.id));
        let row = |option: &OptionSpec| {
            let first = option.value(&usual);
            let others = option.ids().filter(|value| *value != first);
            (option.name.replace('-', "_"), std::iter::once(first).chain(others).collect())
        };
        OPTIONS.iter().map(row).collect()
    }
}

/// The interval at which a long computation checks for Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(50);

/// Runs a long computation on a separate thread without the interpreter lock, so that Ctrl-C takes effect while it runs.
/// The computation then continues, but its result is dropped. If no thread can start, this thread computes, and Ctrl-C
/// waits.
fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (done, mut result) = mpsc::channel();
    // Shared, because a thread that fails to start drops its data.
    let work = Arc::new(Mutex::new(Some(work)));
    let take = |work: &Mutex<Option<_>>| work.lock().unwrap_or_else(PoisonError::into_inner).take();
    let given = Arc::clone(&work);
    let run = move || {
        if let Some(work) = take(&given) {
            drop(done.send(catch_unwind(AssertUnwindSafe(work))));
        }
    };
    if thread::Builder::new().spawn(run).is_err()
        && let Some(work) = take(&work)
    {
        return Ok(py.detach(work));
    }
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
