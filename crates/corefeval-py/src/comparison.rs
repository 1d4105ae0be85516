//! Systems compared whose documents are Python objects.

use corefeval::{Asked, System, compare_systems};
use corefeval_core::diagnostic::{Code, Diagnostics};
use corefeval_core::error::Result;
use corefeval_core::metrics::Metric;
use corefeval_core::pairing;
use corefeval_core::report::comparison::ComparisonReport;
use corefeval_core::significance::Method;
use pyo3::prelude::*;

use crate::documents::Documents;
use crate::errors::raised;
use crate::options::{FORMAT, task};
use crate::report::{Kind, Rendered};

/// Compares systems, each with the documents of the same key beside its own.
#[pyfunction]
#[pyo3(signature = (systems, *, profile, metrics, choices, method, baseline, sort, shared_documents, strict, threads))]
#[allow(clippy::too_many_arguments, reason = "keywords of a private function")]
pub fn compare(
    py: Python<'_>,
    systems: Vec<(String, Bound<'_, Documents>)>,
    profile: Option<String>,
    metrics: Option<String>,
    choices: Vec<(String, String)>,
    method: Vec<(String, String)>,
    baseline: Option<String>,
    sort: Option<String>,
    shared_documents: bool,
    strict: bool,
    threads: Option<usize>,
) -> PyResult<Rendered> {
    let documents = systems.iter().map(|(_, documents)| documents.try_borrow());
    let documents = documents.collect::<std::result::Result<Vec<_>, _>>()?;
    let names = systems.iter().map(|(name, _)| name.clone());
    let named: Vec<(String, &Documents)> =
        names.zip(documents.iter().map(|documents| &**documents)).collect();
    let report = py.detach(|| -> Result<ComparisonReport> {
        let task = task(profile.as_deref(), metrics.as_deref(), &choices, None, threads)?;
        for (_, documents) in &named {
            documents.check_words(&task)?;
        }
        let mut asked =
            Asked { method: Method::default(), baseline, sort: None, shared_documents, skip_broken: false };
        asked.sort = sort.as_deref().map(Metric::parse).transpose()?;
        for (name, value) in &method {
            asked.method.set(name, value)?;
        }
        let mut diagnostics = Diagnostics::default();
        let mut systems = Vec::new();
        for (name, documents) in named {
            if systems.is_empty() {
                diagnostics.merge(documents.key.diagnostics.clone());
            }
            diagnostics.merge(documents.response.diagnostics.clone());
            let mut found = Diagnostics::default();
            let pairs = pairing::pair(&documents.key, &documents.response, &mut found)?;
            // What is missing is told of all systems at once.
            found.forget(Code::MissingDocument);
            diagnostics.merge(found);
            systems.push(System::new(name, String::new(), String::new(), pairs));
        }
        compare_systems(systems, &task, &asked, FORMAT.to_owned(), diagnostics, strict)
    });
    Ok(Rendered::new(Kind::Comparison(report.map_err(|error| raised(py, &error))?)))
}
