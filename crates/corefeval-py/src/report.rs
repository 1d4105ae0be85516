//! A finished report, which Python asks for as text: JSON for the figures, the others for people.

use std::path::PathBuf;

use corefeval::{Compared, ConeReport};
use corefeval_core::diagnostic::{Diagnostic, Diagnostics};
use corefeval_core::error::Result;
use corefeval_core::metrics::Metric;
use corefeval_core::plot::Figure;
use corefeval_core::report::agreement::{AGREEMENT_OUTPUTS, AgreementOutput};
use corefeval_core::report::check::{CHECK_OUTPUTS, CheckOutput};
use corefeval_core::report::comparison::{COMPARISON_OUTPUTS, ComparisonOutput};
use corefeval_core::report::correlation::{CORRELATION_OUTPUTS, CorrelationOutput};
use corefeval_core::report::{OUTPUTS, OutputSpec, Style};
use corefeval_core::results::Report;
use corefeval_core::results::agreement::AgreementReport;
use corefeval_core::results::check::CheckReport;
use corefeval_core::results::correlation::CorrelationReport;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::errors::raised;

/// A report of any kind.
#[pyclass(frozen, module = "corefeval._corefeval")]
pub struct Rendered {
    report: Box<Kind>,
}

/// What it is about.
pub enum Kind {
    /// Scores.
    Scores(Report),
    /// How systems differ.
    Comparison(Compared),
    /// How annotators agree.
    Agreement(AgreementReport),
    /// How two metrics go together.
    Correlation(CorrelationReport),
    /// How far a key made from names is from an annotated one.
    Check(CheckReport),
}

impl Rendered {
    /// A report of a kind.
    pub fn new(report: Kind) -> Rendered {
        Rendered { report: Box::new(report) }
    }

    /// Of scores.
    pub fn of_report(report: Report) -> Rendered {
        Rendered::new(Kind::Scores(report))
    }

    fn drawn(&self) -> Vec<Figure> {
        match &*self.report {
            Kind::Comparison(compared) => compared.figures(),
            Kind::Correlation(report) => report.figures(),
            Kind::Scores(_) | Kind::Agreement(_) | Kind::Check(_) => Vec::new(),
        }
    }

    /// Of CONE.
    pub fn of_cone(report: ConeReport) -> Rendered {
        Rendered::new(match report {
            ConeReport::Scores(report) => Kind::Scores(report),
            ConeReport::Check(report) => Kind::Check(report),
        })
    }
}

#[pymethods]
impl Rendered {
    /// The report as text, in one of the outputs of the command.
    fn render(&self, py: Python<'_>, output: &str) -> PyResult<String> {
        let style = Style::default();
        let text = py.detach(|| match &*self.report {
            Kind::Scores(report) => OutputSpec::named(output).and_then(|spec| {
                can_show(spec, report)?;
                Ok(spec.render(report, style))
            }),
            Kind::Comparison(compared) => {
                ComparisonOutput::named(output).map(|spec| spec.render(&compared.report, style))
            }
            Kind::Agreement(report) => AgreementOutput::named(output).map(|spec| spec.render(report, style)),
            Kind::Correlation(report) => {
                CorrelationOutput::named(output).map(|spec| spec.render(report, style))
            }
            Kind::Check(report) => CheckOutput::named(output).map(|spec| spec.render(report, style)),
        });
        text.map_err(|error| raised(py, &error))
    }

    /// The figures that the command draws, as SVG, by name.
    fn figures(&self, py: Python<'_>) -> Vec<(String, String)> {
        let drawn = |figure: Figure| (figure.name, figure.drawing.svg());
        py.detach(|| self.drawn().into_iter().map(drawn).collect())
    }

    /// Writes them into a directory as the command does, and gives back what was noticed.
    #[pyo3(signature = (folder) -> "list[dict[str, Any]]")]
    fn write_figures<'py>(&self, py: Python<'py>, folder: PathBuf) -> PyResult<Bound<'py, PyAny>> {
        let written = py.detach(|| corefeval::write_figures(&folder, &self.drawn()));
        findings(py, &written.map_err(|error| raised(py, &error))?)
    }

    /// The names of the outputs.
    fn outputs(&self) -> Vec<&'static str> {
        match *self.report {
            Kind::Scores(ref report) => {
                OUTPUTS.iter().filter(|spec| can_show(spec, report).is_ok()).map(|spec| spec.id).collect()
            }
            Kind::Comparison(_) => COMPARISON_OUTPUTS.iter().map(|spec| spec.id).collect(),
            Kind::Agreement(_) => AGREEMENT_OUTPUTS.iter().map(|spec| spec.id).collect(),
            Kind::Correlation(_) => CORRELATION_OUTPUTS.iter().map(|spec| spec.id).collect(),
            Kind::Check(_) => CHECK_OUTPUTS.iter().map(|spec| spec.id).collect(),
        }
    }
}

/// Fails where an output cannot show the scores.
fn can_show(output: &OutputSpec, report: &Report) -> Result<()> {
    let results = report.systems.first().map(|system| system.results.as_slice()).unwrap_or_default();
    let metrics: Vec<Metric> = results.iter().map(|result| result.metric).collect();
    corefeval::check_output(output, &metrics, &report.settings)
}

/// Findings as the JSON of a report has them.
pub fn findings<'py>(py: Python<'py>, diagnostics: &Diagnostics) -> PyResult<Bound<'py, PyAny>> {
    let place = |found: &Diagnostic| -> PyResult<Bound<'py, PyDict>> {
        let place = PyDict::new(py);
        let position = found.position.as_ref();
        let known = |number: u32| (number > 0).then_some(number);
        place.set_item("message", &found.message)?;
        place.set_item("file", position.map(|position| &*position.source))?;
        place.set_item("line", position.and_then(|position| known(position.line)))?;
        place.set_item("column", position.and_then(|position| known(position.column)))?;
        place.set_item("document", found.document.as_deref())?;
        Ok(place)
    };
    let found = PyList::empty(py);
    for group in diagnostics.groups() {
        let finding = PyDict::new(py);
        finding.set_item("code", group.code.id())?;
        finding.set_item("severity", group.code.severity().label())?;
        finding.set_item("count", group.count)?;
        finding.set_item("summary", group.code.summary())?;
        finding.set_item("remedy", group.code.remedy())?;
        finding.set_item("places", group.kept.iter().map(place).collect::<PyResult<Vec<_>>>()?)?;
        found.append(finding)?;
    }
    Ok(found.into_any())
}
