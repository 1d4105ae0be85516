//! The totals in the format of the reference scorer: for each metric, the lines at the end of the output of `scorer.pl`.
//! That scorer adds doubles mention by mention, so the last digits of its counts can differ, and it can print a whole
//! percentage a hundredth too low.

use corefeval_core::diagnostic::{Code, Diagnostics};
use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::metrics::{METRICS, Metric};
use corefeval_core::results::{MetricResult, Report, SystemReport};
use corefeval_core::settings::{Average, Settings};
use corefeval_core::tally::{Counts, Score};
use corefeval_core::text;
use corefeval_core::wording::{option, option_value, quoted};

use super::number::{cut_percent, significant};
use super::title;
use crate::OutputLimits;

/// The limits of the reference scorer.
pub(crate) const LIMITS: OutputLimits = OutputLimits { check, warn };

/// Fails if the reference scorer has none of these metrics, or does not support the average of the settings.
fn check(metrics: &[Metric], settings: &Settings) -> Result<()> {
    if !metrics.iter().any(|metric| metric.reference_scorer().is_some()) {
        let ids: Vec<&str> =
            METRICS.iter().filter(|row| row.reference_scorer.is_some()).map(|row| row.id).collect();
        let message = text!(
            "the reference scorer has none of these metrics, so {} would be empty",
            option_value("output", "conll")
        );
        let error = Error::new(ErrorKind::Settings, message);
        return Err(error.hint(format!("its metrics are {}", ids.join(", "))));
    }
    if settings.ceaf_bound.is_some() {
        let message = text!(
            "the reference scorer has no bounds, so {} cannot show them",
            option_value("output", "conll")
        );
        let error = Error::new(ErrorKind::Settings, message);
        return Err(error.hint(text!("leave out {}, or choose another output", option("ceaf-bound"))));
    }
    if settings.average != Average::Micro {
        let message = text!(
            "the reference scorer has no average over documents, so {} cannot show one",
            option_value("output", "conll")
        );
        let error = Error::new(ErrorKind::Settings, message);
        return Err(error.hint(text!("leave out {}, or choose another output", option("average"))));
    }
    Ok(())
}

/// Warns about scores by group, and about metrics that the user named and the reference scorer lacks.
fn warn(report: &Report, named: &dyn Fn(&Metric) -> bool, diagnostics: &mut Diagnostics) {
    // The reference scorer prints mention identification before every metric.
    let shown = |metric: &Metric| *metric == Metric::mentions() || metric.reference_scorer().is_some();
    for metric in report.metrics() {
        if (named(&metric) || metric.needs_names()) && !shown(&metric) {
            diagnostics.add(Code::NotShown, None, None, || {
                text!(
                    "{} does not show {}, which the reference scorer does not have",
                    option_value("output", "conll"),
                    quoted(metric)
                )
            });
        }
    }
    if let Some(by) = report.systems.first().and_then(|system| system.by) {
        let by = by.id();
        diagnostics.add(Code::NotShown, None, None, || {
            text!("{} shows only totals, not scores by {}", option_value("output", "conll"), by)
        });
    }
}

const RULE: &str = "--------------------------------------------------------------------------\n";

/// Renders a report in the form of the reference scorer.
pub(super) fn render(report: &Report) -> String {
    let mut text = format!("# {}\n", corefeval_core::wording::inert(&report.signature()));
    for system in &report.systems {
        if report.systems.len() > 1 || !report.averages.is_empty() {
            text.push_str(&format!("# {}\n", corefeval_core::wording::inert(&system.name)));
        }
        for (name, result) in in_the_reference_scorer(&system.results) {
            metric(&mut text, system, name, result);
        }
    }
    for average in &report.averages {
        text.push_str(&format!("# {}", title(average)));
        if report.averages.len() > 1 {
            text.push_str(&format!(": {}", corefeval_core::wording::inert(&average.name)));
        }
        text.push('\n');
        for (name, result) in in_the_reference_scorer(&average.results) {
            mean(&mut text, name, result);
        }
    }
    text
}

/// The results of the reference scorer's metrics under its names, in the order of the table of metrics.
fn in_the_reference_scorer(results: &[MetricResult]) -> impl Iterator<Item = (&'static str, &MetricResult)> {
    METRICS.iter().filter_map(|spec| {
        let result = results.iter().find(|result| result.metric == Metric::new(spec))?;
        Some((result.metric.reference_scorer()?, result))
    })
}

/// Adds an average, which the reference scorer lacks: percentages without counts.
fn mean(text: &mut String, name: &str, result: &MetricResult) {
    let Score { recall, precision, f1 } = result.score;
    let [recall, precision, f1] = [recall, precision, f1].map(cut_percent);
    let label = if result.metric.halves().is_some() { "BLANC" } else { "Coreference" };
    text.push_str(&format!(
        "\nMETRIC {name}:\n\n====== MACRO AVERAGE =======\n{label}: Recall: {recall}%\tPrecision: {precision}%\tF1: {f1}%\n{RULE}"
    ));
}

fn metric(text: &mut String, system: &SystemReport, name: &str, result: &MetricResult) {
    let Some(tally) = &result.tally else { return };
    text.push_str(&format!("\nMETRIC {name}:\n\n====== TOTALS =======\n"));
    text.push_str("Identification of Mentions: ");
    counts(text, &system.mentions);
    if result.metric.halves().is_some() {
        text.push_str("\nCoreference:\nCoreference links: ");
        counts(text, &tally.first);
        text.push_str("Non-coreference links: ");
        counts(text, &tally.second);
        text.push_str("BLANC: ");
        let Score { recall, precision, f1 } = result.score;
        line(text, (recall, 1.0), (precision, 1.0), f1);
    } else {
        text.push_str("Coreference: ");
        counts(text, &tally.first);
    }
}

fn counts(text: &mut String, counts: &Counts) {
    let recall = (counts.recall_num.to_f64(), counts.recall_den.to_f64());
    let precision = (counts.precision_num.to_f64(), counts.precision_den.to_f64());
    line(text, recall, precision, counts.score().f1);
}

fn line(text: &mut String, recall: (f64, f64), precision: (f64, f64), f1: f64) {
    let part = |(numerator, denominator): (f64, f64)| {
        let ratio = if denominator == 0.0 { 0.0 } else { numerator / denominator };
        format!("({} / {}) {}%", significant(numerator), significant(denominator), cut_percent(ratio))
    };
    text.push_str(&format!(
        "Recall: {}\tPrecision: {}\tF1: {}%\n{RULE}",
        part(recall),
        part(precision),
        cut_percent(f1)
    ));
}
