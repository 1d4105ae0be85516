//! Keywords and inputs of Python as requests.

use std::collections::BTreeMap;

use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::evaluation::{
    Agree, Compare, Cone, ConeCorrelate, Correlate, Errors, Evaluation, Explain, Inputs, NamedInput, Request,
    TaskKind, Validate, Values,
};
use corefeval_core::input::Limits;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::document::{self, PyDocument};
use crate::report::{Rendered, ReportKind};

/// The values of options, by their names on the command line.
pub struct Keywords(pub BTreeMap<String, Vec<String>>);

impl Keywords {
    /// Returns the request of these keywords alone, without inputs.
    pub fn request(&self) -> Result<Request> {
        Request::new(Inputs::NoKey(Vec::new())).with(self)
    }
}

impl Values for Keywords {
    fn values(&self, name: &str) -> Vec<String> {
        self.0.get(name).cloned().unwrap_or_default()
    }
}

/// An input with its name, if it has one.
pub type GivenInput<'py> = (Option<String>, GivenSide<'py>);

/// The source of an input.
#[derive(FromPyObject)]
pub enum GivenSide<'py> {
    /// A file or directory.
    Path(String),
    /// Documents of one format.
    Documents(Vec<Bound<'py, PyDocument>>),
    /// The name and the content of an open file.
    Content((String, PyBackedBytes)),
}

/// Renames an input if a name is given.
fn called(input: NamedInput, name: Option<String>) -> NamedInput {
    match name {
        Some(name) => input.called(name),
        None => input,
    }
}

/// Opens an input. An input that can be read only once is read here, within `limits`; meanwhile other Python threads, which
/// may be writing it, continue.
pub fn open(py: Python<'_>, (name, side): GivenInput<'_>, limits: &Limits) -> Result<NamedInput> {
    match side {
        GivenSide::Documents(documents) => document::given(name.unwrap_or_default(), &documents),
        GivenSide::Path(path) => {
            py.detach(|| NamedInput::open_within(&path, limits)).map(|input| called(input, name))
        }
        GivenSide::Content((label, bytes)) => Ok(called(NamedInput::of_bytes(&label, &bytes), name)),
    }
}

/// The inputs of a request, within `limits`.
pub fn inputs(
    py: Python<'_>,
    key: Option<GivenInput<'_>>,
    responses: Vec<GivenInput<'_>>,
    pairs: Vec<(GivenInput<'_>, GivenInput<'_>)>,
    counts: Vec<GivenInput<'_>>,
    limits: &Limits,
) -> Result<Inputs> {
    let open = |given| open(py, given, limits);
    if !counts.is_empty() {
        return Ok(Inputs::Counts(counts.into_iter().map(open).collect::<Result<_>>()?));
    }
    if !pairs.is_empty() {
        let pair = |(key, response)| Ok([open(key)?, open(response)?]);
        return Ok(Inputs::Pairs(pairs.into_iter().map(pair).collect::<Result<_>>()?));
    }
    // Errors in the key are reported first.
    let key = key.map(open).transpose()?;
    let responses = responses.into_iter().map(open).collect::<Result<_>>()?;
    Ok(match key {
        Some(key) => Inputs::OneKey { key, responses },
        None => Inputs::NoKey(responses),
    })
}

/// Creates the report of a task.
type MakeReport = fn(Evaluation, &Keywords, Option<NamedInput>) -> Result<Rendered>;

/// The tasks by name.
const TASKS: &[(TaskKind, MakeReport)] = &[
    (TaskKind::Score, |evaluation, _, _| Ok(Rendered::of_scores(evaluation.request(), evaluation.score()?))),
    (TaskKind::Compare, |evaluation, options, _| {
        evaluation.compare(&Compare::with(options)?).map(Rendered::of)
    }),
    (TaskKind::Agree, |evaluation, options, _| evaluation.agree(&Agree::with(options)?).map(Rendered::of)),
    (TaskKind::Correlate, |evaluation, options, _| {
        evaluation.correlate(&Correlate::with(options)?).map(Rendered::of)
    }),
    (TaskKind::Errors, |evaluation, options, _| {
        let errors = Errors::with(options)?;
        let report = Box::new(evaluation.errors(&errors)?);
        Ok(Rendered::new(ReportKind::Errors { report, evaluation: Box::new(evaluation), errors }))
    }),
    (TaskKind::Validate, |evaluation, options, _| {
        evaluation.validate(&Validate::with(options)?).map(Rendered::of)
    }),
    (TaskKind::Explain, |evaluation, options, _| {
        evaluation.explain(&Explain::with(options)?).map(Rendered::of)
    }),
    (TaskKind::Cone, |evaluation, options, annotated| {
        if options.flag("correlate")? {
            let correlate = ConeCorrelate::with(options, annotated.as_ref())?;
            return evaluation.cone_correlations(&correlate).map(Rendered::of);
        }
        let result = evaluation.cone(&Cone::with(options, annotated)?)?;
        Ok(Rendered::of_cone(evaluation.request(), result.report))
    }),
];

/// Returns the report of a task.
pub fn report(
    task: &str,
    options: &Keywords,
    inputs: Inputs,
    annotated: Option<NamedInput>,
) -> Result<Rendered> {
    let Some((_, run)) = TASKS.iter().find(|row| row.0.id() == task) else {
        let names: Vec<&str> = TASKS.iter().map(|row| row.0.id()).collect();
        let error = Error::new(ErrorKind::Settings, format!("`{task}` has no report"));
        return Err(error.hint(format!("the tasks are {}", names.join(", "))));
    };
    run(Evaluation::new(Request::new(inputs).with(options)?)?, options, annotated)
}
