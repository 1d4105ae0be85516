//! Errors as figures: the cost of each kind.

use corefeval_core::analysis::{ErrorAnalysis, ErrorReport};
use corefeval_core::metrics;
use corefeval_core::results::MetricResult;

use super::{first_copies, label_of_first_step, label_of_step, score_of};
use crate::block::{Form, Value};
use crate::plot::{Figure, RowBlock, Waterfall, WaterfallStep};

/// One waterfall: for each system the F1 of the response, and its gains when the kinds of errors are corrected in
/// sequence. The metric is CoNLL, otherwise the first. Nothing is drawn if no scores were requested.
pub fn figures(report: &ErrorReport) -> Vec<Figure> {
    let Some(metric) = headline(report) else { return Vec::new() };
    let blocks: Vec<RowBlock<WaterfallStep>> =
        report.systems.iter().filter_map(|system| steps_of(system, metric, report.systems.len())).collect();
    let label = report.systems.iter().flat_map(score_of).nth(metric).map(|result| result.metric.label());
    let waterfall = Waterfall {
        title: match report.systems.as_slice() {
            [system] if !system.name.is_empty() => format!("Cost of the errors of {}", system.name),
            _ => "Cost of errors".to_owned(),
        },
        axis: format!("{} F1, %, with the errors corrected in sequence", label.unwrap_or_default()),
        blocks,
    };
    vec![Figure { name: "costs".to_owned(), drawing: waterfall.draw() }]
}

/// The index of the metric to draw.
pub(super) fn headline(report: &ErrorReport) -> Option<usize> {
    let results = report.systems.first().map(score_of).filter(|results| !results.is_empty())?;
    Some(metrics::headline(results.iter().map(|result| &result.metric)))
}

fn steps_of(system: &ErrorAnalysis, metric: usize, systems: usize) -> Option<RowBlock<WaterfallStep>> {
    let f1 = |results: &[MetricResult]| super::f1(results.get(metric)?);
    let shown = |number: Option<f64>, form: Form| {
        let mut text = String::new();
        Value::number(number, form).add_to(&mut text, crate::DIGITS);
        text
    };
    let value = |name: &str, value: Option<f64>| WaterfallStep {
        name: name.to_owned(),
        from: None,
        to: value.unwrap_or(f64::NAN),
        note: shown(value, Form::Percent),
    };
    let step = |name: &str, before: Option<f64>, after: Option<f64>| WaterfallStep {
        name: name.to_owned(),
        from: before,
        to: after.unwrap_or(f64::NAN),
        note: shown(after.zip(before).map(|(after, before)| after - before), Form::Points),
    };
    let (response, key) = (f1(score_of(system)), f1(&system.sequence.last()?.results));
    let mut steps = vec![value("response", response)];
    if let Some(label) = label_of_first_step(system) {
        steps.push(step(label, response, f1(first_copies(system))));
    }
    for pair in system.sequence.windows(2) {
        let [before, after] = pair else { continue };
        steps.push(step(label_of_step(after.correction), f1(&before.results), f1(&after.results)));
    }
    steps.push(value("key", key));
    let title = if systems > 1 { system.name.clone() } else { String::new() };
    Some(RowBlock { title, rows: steps })
}
