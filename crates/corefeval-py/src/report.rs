//! A finished report, which Python asks for as text: JSON for the figures, the others for people.

use corefeval_core::report::comparison::{COMPARISON_OUTPUTS, ComparisonOutput, ComparisonReport};
use corefeval_core::report::{OUTPUTS, OutputSpec, Report, Style};
use pyo3::prelude::*;

use crate::errors::raised;

/// A report of scores, or of a comparison.
#[pyclass(frozen, module = "corefeval._corefeval")]
pub struct Rendered {
    report: Kind,
}

enum Kind {
    Scores(Box<Report>),
    Comparison(Box<ComparisonReport>),
}

impl Rendered {
    /// Of scores.
    pub fn of_report(report: Report) -> Rendered {
        Rendered { report: Kind::Scores(Box::new(report)) }
    }

    /// Of a comparison.
    pub fn of_comparison(report: ComparisonReport) -> Rendered {
        Rendered { report: Kind::Comparison(Box::new(report)) }
    }
}

#[pymethods]
impl Rendered {
    /// The report as text, in one of the outputs of the command.
    fn render(&self, py: Python<'_>, output: &str) -> PyResult<String> {
        let text = py.detach(|| match &self.report {
            Kind::Scores(report) => {
                OutputSpec::named(output).map(|spec| spec.render(report, Style::default()))
            }
            Kind::Comparison(report) => {
                ComparisonOutput::named(output).map(|spec| spec.render(report, Style::default()))
            }
        });
        text.map_err(|error| raised(py, &error))
    }

    /// The names of the outputs.
    fn outputs(&self) -> Vec<&'static str> {
        match self.report {
            Kind::Scores(_) => OUTPUTS.iter().map(|spec| spec.id).collect(),
            Kind::Comparison(_) => COMPARISON_OUTPUTS.iter().map(|spec| spec.id).collect(),
        }
    }
}
