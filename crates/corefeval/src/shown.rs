//! What the output of the reference scorer cannot show.

use corefeval_core::diagnostic::{Code, Diagnostics};
use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::evaluation::{Request, refuse_warnings};
use corefeval_core::metrics::{METRICS, Metric};
use corefeval_core::results::Report;
use corefeval_core::settings::{Average, Settings};
use corefeval_core::text;
use corefeval_core::wording::{option, option_value, quoted};
use corefeval_report::OutputSpec;

/// Fails where an output cannot show a report, and warns of what it leaves out.
pub fn check(output: &OutputSpec, request: &Request, report: &mut Report) -> Result<()> {
    let metrics = metrics_of(report);
    check_output(output, &metrics, &report.settings)?;
    let mut found = Diagnostics::default();
    warn_not_shown(output, request, report, &metrics, &mut found);
    report.diagnostics.merge(found);
    if request.is_strict() { refuse_warnings(&report.diagnostics) } else { Ok(()) }
}

fn metrics_of(report: &Report) -> Vec<Metric> {
    let results = report.systems.first().map(|system| system.results.as_slice()).unwrap_or_default();
    results.iter().map(|result| result.metric).collect()
}

/// Fails where an output cannot show these metrics under these settings.
pub fn check_output(output: &OutputSpec, metrics: &[Metric], settings: &Settings) -> Result<()> {
    if output.id == "conll" && !metrics.iter().any(|metric| metric.reference_scorer().is_some()) {
        let ids: Vec<&str> =
            METRICS.iter().filter(|row| row.reference_scorer.is_some()).map(|row| row.id).collect();
        let message = text!(
            "the reference scorer has none of these metrics, so {} shows nothing",
            option_value("output", "conll")
        );
        return Err(
            Error::new(ErrorKind::Settings, message).hint(format!("its metrics are {}", ids.join(", ")))
        );
    }
    check_average(output, settings)
}

/// Fails where an output cannot show the average of the settings.
pub fn check_average(output: &OutputSpec, settings: &Settings) -> Result<()> {
    if output.id == "conll" && settings.average != Average::Micro {
        let message = text!(
            "the reference scorer has no average over documents, so {} cannot show one",
            option_value("output", "conll")
        );
        return Err(Error::new(ErrorKind::Settings, message)
            .hint(text!("leave out {}, or choose another output", option("average"))));
    }
    Ok(())
}

/// Reports what was asked for and the output does not show.
fn warn_not_shown(
    output: &OutputSpec,
    request: &Request,
    report: &Report,
    metrics: &[Metric],
    diagnostics: &mut Diagnostics,
) {
    if output.id != "conll" {
        return;
    }
    // Mention identification precedes every metric there.
    let shown = |metric: &&Metric| metric.spec().id == "mentions" || metric.reference_scorer().is_some();
    let asked = |metric: &&Metric| request.names_metric(metric) || metric.needs_names();
    for metric in metrics.iter().filter(asked).filter(|metric| !shown(metric)) {
        diagnostics.add(Code::NotShown, None, None, || {
            text!(
                "{} does not show {}, which the reference scorer does not have",
                option_value("output", "conll"),
                quoted(metric)
            )
        });
    }
    if let Some(by) = report.systems.first().and_then(|system| system.by) {
        let by = by.id();
        diagnostics.add(Code::NotShown, None, None, || {
            text!("{} shows totals alone, and nothing by {}", option_value("output", "conll"), by)
        });
    }
}
