//! A finished report, which Python gets as text: JSON for the numbers, and all other outputs.

use std::path::PathBuf;

use corefeval_core::analysis::ErrorReport;
use corefeval_core::diagnostic::{Code, Diagnostic, Diagnostics, Severity};
use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::evaluation::{ConeReport, Errors, Evaluation, Request, refuse_warnings};
use corefeval_core::formats::LISTS;
use corefeval_core::results::Report;
use corefeval_core::significance::Method;
use corefeval_core::text;
use corefeval_core::wording::{Part, Text, place_of, quoted};
use corefeval_page::{Page, Texts};
use corefeval_report::plot::{Figure, write_figures};
use corefeval_report::{Columns, DIGITS, OutputSpec, Printable, Style, rows_of_scores, scores_in_brief};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::errors::raised;
use crate::options::PYTHON;
use crate::{interruptible, wording};

/// A report of any kind.
#[pyclass(frozen, module = "corefeval._corefeval")]
pub struct Rendered {
    report: Box<ReportKind>,
}

/// The kind of report, with its data.
pub enum ReportKind {
    /// Scores.
    Scores {
        /// The report.
        report: Box<Report>,
        /// For each output, the warnings about data that it omits.
        not_shown: Vec<(&'static str, Diagnostics)>,
        /// True if warnings are errors.
        strict: bool,
    },
    /// The errors of responses.
    Errors {
        /// The report.
        report: Box<ErrorReport>,
        /// The evaluation, which the page needs.
        evaluation: Box<Evaluation>,
        /// The request.
        errors: Errors,
    },
    /// Any other report.
    Other(Box<dyn Printable + Send + Sync>),
}

impl ReportKind {
    /// Its data for printing.
    fn printable(&self) -> &dyn Printable {
        match self {
            ReportKind::Scores { report, .. } => &**report,
            ReportKind::Errors { report, .. } => &**report,
            ReportKind::Other(report) => &**report,
        }
    }

    /// Fails if an output cannot show the report.
    fn check(&self, output: &OutputSpec) -> Result<()> {
        match self {
            ReportKind::Scores { report, strict, .. } => {
                output.check(&report.metrics(), &report.settings)?;
                self.not_shown(output).filter(|_| *strict).map_or(Ok(()), refuse_warnings)
            }
            _ => Ok(()),
        }
    }

    /// The warnings about data that an output omits.
    fn not_shown(&self, output: &OutputSpec) -> Option<&Diagnostics> {
        let ReportKind::Scores { not_shown, .. } = self else { return None };
        not_shown.iter().find(|row| row.0 == output.id).map(|row| &row.1)
    }

    /// The wording of its findings.
    fn wording(&self) -> wording::Python {
        wording::Python { lists: [PYTHON.id, LISTS.id].contains(&self.printable().origin().format) }
    }

    /// Renders the report as text.
    fn render(&self, output: &str, style: Style) -> Result<String> {
        let report = self.printable();
        let spec = OutputSpec::named(output, report.kind())?;
        self.check(spec)?;
        spec.render(report, style)
    }
}

/// The error for a report without a page.
fn no_page() -> Error {
    Error::new(ErrorKind::Settings, "this report has no page").hint("corefeval.errors(...).page() has one")
}

impl Rendered {
    /// A report of a kind.
    pub fn new(report: ReportKind) -> Rendered {
        Rendered { report: Box::new(report) }
    }

    /// The report of the scores that were requested.
    pub fn of_scores(request: &Request, report: Report) -> Rendered {
        let outputs = OutputSpec::of(report.kind());
        let not_shown = outputs.map(|spec| (spec.id, spec.not_shown(request, &report))).collect();
        Rendered::new(ReportKind::Scores { report: Box::new(report), not_shown, strict: request.is_strict() })
    }

    /// A report that has nothing but its outputs.
    pub fn of(report: impl Printable + Send + Sync + 'static) -> Rendered {
        Rendered::new(ReportKind::Other(Box::new(report)))
    }

    /// A report of CONE.
    pub fn of_cone(request: &Request, report: ConeReport) -> Rendered {
        match report {
            ConeReport::Scores(report) => Rendered::of_scores(request, report),
            ConeReport::Check(report) => Rendered::of(report),
            ConeReport::Comparison(report) => Rendered::of(*report),
        }
    }
}

#[pymethods]
impl Rendered {
    /// Returns the report as text, in one of the outputs of the command.
    #[pyo3(signature = (output, *, columns=None, details=false, digits=None))]
    fn render(
        &self,
        py: Python<'_>,
        output: &str,
        columns: Option<&str>,
        details: bool,
        digits: Option<u8>,
    ) -> PyResult<String> {
        let text = py.detach(|| {
            let mut style = Style::default();
            style.columns = columns.map(Columns::parse).transpose()?;
            style.details = details;
            style.digits = digits.unwrap_or(DIGITS);
            self.report.render(output, style)
        });
        text.map_err(|error| raised(py, &error))
    }

    /// Returns the page of `corefeval report` as HTML: with the texts of the documents with these ids, otherwise of the
    /// first documents, otherwise of all; or without text. Intervals and tests take time and require `compared`.
    #[pyo3(signature = (*, title, first, named, without_text, compared))]
    fn page(
        &self,
        py: Python<'_>,
        title: Option<String>,
        first: Option<usize>,
        named: Option<Vec<String>>,
        without_text: bool,
        compared: bool,
    ) -> PyResult<String> {
        let ReportKind::Errors { evaluation, errors, .. } = &*self.report else {
            return Err(raised(py, &no_page()));
        };
        let (evaluation, errors) = (evaluation.clone(), errors.clone());
        let made = interruptible(py, move || -> Result<String> {
            let method = Method::default();
            let overview = evaluation.overview(compared.then_some(&method), &errors)?;
            let named = named.map(|named| overview.named(&named)).transpose()?;
            let texts = match (without_text, &named, first) {
                (true, ..) => Texts::None,
                (_, Some(named), _) => Texts::Named(named),
                (_, None, Some(first)) => Texts::First(first),
                (_, None, None) => Texts::All,
            };
            Ok(Page { title: title.as_deref(), texts, ..Page::from(&overview) }.html())
        })?;
        made.map_err(|error| raised(py, &error))
    }

    /// Returns the results as JSON. Scores come without findings and without rows by document or group, which can be
    /// thousands.
    fn data(&self, py: Python<'_>) -> String {
        let data = || match &*self.report {
            ReportKind::Scores { report, .. } => scores_in_brief(report),
            other => other.printable().json(),
        };
        py.detach(|| data().to_string())
    }

    /// Returns the rows by document or group of the system at this index as JSON: an object with `documents`, `groups` or
    /// nothing.
    fn rows(&self, py: Python<'_>, system: usize) -> String {
        let ReportKind::Scores { report, .. } = &*self.report else { return "{}".to_owned() };
        let Some(system) = report.systems.get(system) else { return "{}".to_owned() };
        py.detach(|| rows_of_scores(system))
    }

    /// Returns the findings, or only the warnings, worded for Python; each with its stored places, or only the first.
    #[pyo3(signature = (*, warnings=false, first=false) -> "list[dict[str, Any]]")]
    fn findings<'py>(&self, py: Python<'py>, warnings: bool, first: bool) -> PyResult<Bound<'py, PyAny>> {
        let none = Diagnostics::default();
        let diagnostics = self.report.printable().origin().diagnostics.unwrap_or(&none);
        let most = if first { 1 } else { usize::MAX };
        let wanted = |code: Code| !warnings || code.severity() == Severity::Warning;
        worded(py, diagnostics, self.report.wording(), most, wanted)
    }

    /// Returns the warnings about data that an output omits.
    #[pyo3(signature = (output) -> "list[dict[str, Any]]")]
    fn not_shown<'py>(&self, py: Python<'py>, output: &str) -> PyResult<Bound<'py, PyAny>> {
        let spec = OutputSpec::named(output, self.report.printable().kind());
        let spec = spec.map_err(|error| raised(py, &error))?;
        let none = Diagnostics::default();
        findings(py, self.report.not_shown(spec).unwrap_or(&none), self.report.wording())
    }

    /// Returns the figures that the command draws, as SVG, by name.
    fn figures(&self, py: Python<'_>) -> Vec<(String, String)> {
        let drawn = |figure: Figure| (figure.name, figure.drawing.svg());
        py.detach(|| self.report.printable().figures().into_iter().map(drawn).collect())
    }

    /// Writes the figures into a directory as the command does, and returns the findings.
    #[pyo3(signature = (folder) -> "list[dict[str, Any]]")]
    fn write_figures<'py>(&self, py: Python<'py>, folder: PathBuf) -> PyResult<Bound<'py, PyAny>> {
        let written = py.detach(|| write_figures(&folder, &self.report.printable().figures()));
        findings(py, &written.map_err(|error| raised(py, &error))?, wording::Python::OF_FILES)
    }

    /// Returns the names of the outputs.
    fn outputs(&self) -> Vec<&'static str> {
        let outputs = OutputSpec::of(self.report.printable().kind());
        outputs.filter(|spec| self.report.check(spec).is_ok()).map(|spec| spec.id).collect()
    }
}

/// Returns findings in the form of a JSON report, worded for Python.
pub fn findings<'py>(
    py: Python<'py>,
    diagnostics: &Diagnostics,
    wording: wording::Python,
) -> PyResult<Bound<'py, PyAny>> {
    worded(py, diagnostics, wording, usize::MAX, |_| true)
}

/// Like [`findings`], but only for `wanted` codes, and with at most `most` places.
fn worded<'py>(
    py: Python<'py>,
    diagnostics: &Diagnostics,
    wording: wording::Python,
    most: usize,
    wanted: impl Fn(Code) -> bool,
) -> PyResult<Bound<'py, PyAny>> {
    let place = |found: &Diagnostic| -> PyResult<Bound<'py, PyDict>> {
        let place = PyDict::new(py);
        let position = found.position.as_ref();
        let known = |number: u32| (number > 0).then_some(number);
        place.set_item("message", wording.text(py, &message(found, wording))?)?;
        place.set_item("place", position.filter(|_| !wording.lists).map(ToString::to_string))?;
        place.set_item("file", position.map(|position| &*position.source))?;
        place.set_item("line", position.and_then(|position| known(position.line)))?;
        place.set_item("column", position.and_then(|position| known(position.column)))?;
        place.set_item("document", found.document.as_deref())?;
        Ok(place)
    };
    let found = PyList::empty(py);
    for group in diagnostics.groups().iter().filter(|group| wanted(group.code)) {
        let finding = PyDict::new(py);
        finding.set_item("code", group.code.id())?;
        finding.set_item("severity", group.code.severity().label())?;
        finding.set_item("count", group.count)?;
        finding.set_item("summary", group.code.summary())?;
        finding.set_item("remedy", wording.text(py, &group.code.remedy())?)?;
        let places = group.kept.iter().take(most).map(|found| place(found));
        finding.set_item("places", places.collect::<PyResult<Vec<_>>>()?)?;
        found.append(finding)?;
    }
    Ok(found.into_any())
}

/// Returns whether a message names a document; an entity may have the same name.
fn names(message: &Text, document: &str) -> bool {
    let of_entity = |before: &Part| matches!(before, Part::Plain(words) if words.ends_with("entity "));
    message.parts().windows(2).any(|two| two[1] == quoted(document) && !of_entity(&two[0]))
}

/// The message of a finding. For lists it starts with the place in the list, and for documents built in Python with the
/// document.
fn message(found: &Diagnostic, wording: wording::Python) -> Text {
    let Some(position) = found.position.clone().filter(|_| wording.lists) else {
        return found.message.clone();
    };
    let message = found.message.clone();
    match &found.document {
        Some(document) if position.line > 0 => {
            text!("{} of document {}: {}", place_of(position), quoted(document), message)
        }
        Some(document) if !names(&message, document) => {
            text!("document {}: {}", quoted(document), message)
        }
        None if position.line > 0 => text!("{}: {}", place_of(position), message),
        _ => message,
    }
}
