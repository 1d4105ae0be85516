//! Errors as figures: the cost of each kind.

use corefeval_core::analysis::{ErrorAnalysis, ErrorReport, Step as Corrected};
use corefeval_core::metrics;

use super::{score_of as first, step_label};
use crate::block::{Form, Value};
use crate::plot::{Figure, RowBlock, Waterfall, WaterfallStep};

/// One waterfall: for each system the F1 of the response, and its gains when the kinds of errors are corrected in
/// sequence. The metric is CoNLL, otherwise the first. Nothing is drawn if no scores were requested.
pub fn figures(report: &ErrorReport) -> Vec<Figure> {
    let Some(metric) = headline(report) else { return Vec::new() };
    let blocks: Vec<RowBlock<WaterfallStep>> =
        report.systems.iter().filter_map(|system| steps_of(system, metric, report.systems.len())).collect();
    let label = report.systems.iter().flat_map(first).nth(metric).map(|result| result.metric.label());
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
    let results = report.systems.first().map(first).filter(|results| !results.is_empty())?;
    Some(metrics::headline(results.iter().map(|result| &result.metric)))
}

fn steps_of(system: &ErrorAnalysis, metric: usize, systems: usize) -> Option<RowBlock<WaterfallStep>> {
    let f1 = |step: &Corrected| {
        let result = step.results.get(metric)?;
        result.is_defined().then_some(result.score.f1)
    };
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
    let (response, key) = (system.sequence.first()?, system.sequence.last()?);
    let mut steps = vec![value("response", f1(response))];
    for pair in system.sequence.windows(2) {
        let [before, after] = pair else { continue };
        let name = step_label(after.correction);
        let gain = f1(after).zip(f1(before)).map(|(after, before)| after - before);
        steps.push(WaterfallStep {
            name: name.to_owned(),
            from: f1(before),
            to: f1(after).unwrap_or(f64::NAN),
            note: shown(gain, Form::Points),
        });
    }
    steps.push(value("key", f1(key)));
    let title = if systems > 1 { system.name.clone() } else { String::new() };
    Some(RowBlock { title, rows: steps })
}
