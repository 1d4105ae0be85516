//! The limits of outputs for scores.

use corefeval_core::diagnostic::Diagnostics;
use corefeval_core::error::Result;
use corefeval_core::evaluation::{Request, refuse_warnings};
use corefeval_core::results::Report;
use corefeval_report::OutputSpec;

/// Fails if an output cannot show a report, and warns of the parts that it leaves out.
pub fn check(output: &OutputSpec, request: &Request, report: &mut Report) -> Result<()> {
    output.check(&report.metrics(), &report.settings)?;
    let mut found = Diagnostics::default();
    output.warn_not_shown(report, &|metric| request.names_metric(metric), &mut found);
    report.diagnostics.merge(found);
    if request.is_strict() { refuse_warnings(&report.diagnostics) } else { Ok(()) }
}
