//! A finished report, which Python asks for as text: JSON for the figures, the others for people.

use std::path::PathBuf;

use corefeval_core::diagnostic::{Diagnostic, Diagnostics};
use corefeval_core::error::Result;
use corefeval_core::evaluation::{Compared, ConeReport};
use corefeval_core::metrics::Metric;
use corefeval_core::results::Report;
use corefeval_core::results::agreement::AgreementReport;
use corefeval_core::results::check::CheckReport;
use corefeval_core::results::correlation::CorrelationReport;
use corefeval_report::plot::Figure;
use corefeval_report::{OutputSpec, Printable, Style, comparison_figures, correlation_figures};
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

impl Kind {
    /// What it prints.
    fn printable(&self) -> &dyn Printable {
        match self {
            Kind::Scores(report) => report,
            Kind::Comparison(compared) => &compared.report,
            Kind::Agreement(report) => report,
            Kind::Correlation(report) => report,
            Kind::Check(report) => report,
        }
    }

    /// Fails where an output cannot show it.
    fn check(&self, output: &OutputSpec) -> Result<()> {
        match self {
            Kind::Scores(report) => can_show(output, report),
            _ => Ok(()),
        }
    }
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
            Kind::Comparison(compared) => comparison_figures(&compared.report, &compared.documents),
            Kind::Correlation(report) => correlation_figures(report),
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
        let text = py.detach(|| {
            let report = self.report.printable();
            let spec = OutputSpec::named(output, report.kind())?;
            self.report.check(spec)?;
            spec.render(report, style)
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
        let outputs = OutputSpec::of(self.report.printable().kind());
        outputs.filter(|spec| self.report.check(spec).is_ok()).map(|spec| spec.id).collect()
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
