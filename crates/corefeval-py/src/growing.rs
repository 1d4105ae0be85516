//! Documents of a `Scorer`, whose number grows from report to report.

use std::collections::BTreeMap;

use corefeval_core::evaluation::{Evaluation, Growing, Inputs, Request};
use pyo3::prelude::*;

use crate::document::{Given, PyDocument};
use crate::entities::SIDES;
use crate::errors::raised;
use crate::interruptible;
use crate::report::Rendered;
use crate::request::Keywords;

/// Documents of a key and a response, with the counts from previous reports. Private: see `corefeval.Scorer`.
#[pyclass(module = "corefeval._corefeval")]
#[derive(Default)]
pub struct GrowingDocuments {
    key: Given,
    response: Given,
    growing: Growing,
}

#[pymethods]
impl GrowingDocuments {
    #[new]
    fn new() -> GrowingDocuments {
        GrowingDocuments::default()
    }

    /// Adds documents.
    fn add(&mut self, key: Vec<Bound<'_, PyDocument>>, response: Vec<Bound<'_, PyDocument>>) {
        self.key.extend(&key);
        self.response.extend(&response);
    }

    /// Returns the number of documents that the next report need not count again.
    fn counted_before(&self) -> usize {
        self.growing.documents()
    }

    /// Scores the documents as `reported("score", ...)` does. `options` maps the names of options on the command line to
    /// their values.
    #[pyo3(signature = (options: "dict[str, list[str]]", name))]
    fn score(
        &mut self,
        py: Python<'_>,
        options: BTreeMap<String, Vec<String>>,
        name: String,
    ) -> PyResult<Rendered> {
        let inputs = self.key.input(SIDES[0].to_owned()).and_then(|key| {
            let responses = vec![self.response.input(name)?];
            Ok(Inputs::OneKey { key, responses })
        });
        let inputs = inputs.map_err(|error| raised(py, &error))?;
        let options = Keywords(options);
        // After an interruption, the next report counts all documents again.
        let mut growing = std::mem::take(&mut self.growing);
        let (growing, report) = interruptible(py, move || {
            let evaluation = Request::new(inputs).with(&options).and_then(Evaluation::new);
            let report = evaluation.and_then(|evaluation| {
                let report = evaluation.score_after(&mut growing)?;
                Ok(Rendered::of_scores(evaluation.request(), report))
            });
            (growing, report)
        })?;
        self.growing = growing;
        report.map_err(|error| raised(py, &error))
    }
}
