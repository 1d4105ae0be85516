//! CSV: a row for each system and metric, for spreadsheets and data frames.

use super::{ComparisonOutput, ComparisonReport, Section, Style};
use crate::diagnostic::{Code, Severity};
use crate::significance::Interval;

/// `csv`.
pub(super) const SPEC: ComparisonOutput =
    ComparisonOutput { id: "csv", summary: "a row for each system and metric, scores as fractions", render };

const HEADER: [&str; 25] = [
    "system",
    "metric",
    "f1",
    "low",
    "high",
    "defined",
    "recall",
    "recall_low",
    "recall_high",
    "precision",
    "precision_low",
    "precision_high",
    "rank",
    "best",
    "baseline",
    "difference",
    "difference_low",
    "difference_high",
    "p",
    "p_corrected",
    "detectable",
    "documents",
    "signature",
    "group",
    "warnings",
];

/// The ends of an interval, empty where there is none.
fn ends(interval: Option<Interval>) -> [String; 2] {
    interval
        .map_or_else(Default::default, |interval| [interval.low, interval.high].map(|end| end.to_string()))
}

fn render(report: &ComparisonReport, _: Style) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut write = |row: &[String]| writer.write_record(row).expect("a vector takes every row");
    write(&HEADER.map(str::to_owned));
    let (metrics, signature) = (report.metrics(), report.signature());
    let warnings: Vec<&str> = report
        .diagnostics
        .groups()
        .iter()
        .map(|group| group.code)
        .filter(|code| code.severity() == Severity::Warning)
        .map(|code| code.id())
        .collect();
    let warnings = warnings.join(" ");
    for section in std::iter::once(report.whole()).chain(report.groups()) {
        for system in report.order() {
            for &(metric, named) in &metrics {
                let mut row = vec![report.systems[system].name.clone(), named.to_string()];
                row.extend(numbers(report, &section, metric, system));
                row.extend([section.documents.to_string(), signature.clone()]);
                row.extend([section.group.map_or(String::new(), |group| group.id.clone()), warnings.clone()]);
                write(&row);
            }
        }
    }
    for broken in &report.broken {
        // Systems without figures have a row all the same.
        let mut row = vec![String::new(); HEADER.len()];
        row[0].clone_from(&broken.name);
        row[HEADER.len() - 3].clone_from(&signature);
        row[HEADER.len() - 1] = format!("{}: {}", Code::SystemLeftOut.id(), broken.error.message());
        write(&row);
    }
    let bytes = writer.into_inner().expect("a vector takes every row");
    String::from_utf8(bytes).expect("rows are made of strings")
}

/// From `f1` to `detectable`; what there is nothing to tell of is empty, as what a single document cannot tell.
fn numbers(report: &ComparisonReport, section: &Section<'_>, metric: usize, system: usize) -> Vec<String> {
    let estimate = section.estimate(metric, system);
    let defined = section.is_defined(metric, system);
    let number = |value: f64| value.to_string();
    let mut row = vec![number(section.f1(metric, system))];
    row.extend(ends(estimate.and_then(|estimate| estimate.interval)));
    row.push(defined.to_string());
    let ratios = estimate.map_or([None; 2], |estimate| estimate.ratios);
    let result = section.result(metric, system).filter(|result| !result.is_mean());
    for (part, interval) in [0, 1].into_iter().zip(ratios) {
        let value = result.map(|result| [result.score.recall, result.score.precision][part]);
        row.push(value.map_or(String::new(), number));
        row.extend(ends(interval));
    }
    let rank = estimate.and_then(|estimate| estimate.rank);
    row.push(rank.map_or(String::new(), |rank| rank.to_string()));
    row.push(section.is_best(metric, system).to_string());
    match section.difference(metric, system) {
        None => row.extend([const { String::new() }; 7]),
        Some(difference) => {
            row.extend([report.baseline().to_owned(), number(difference)]);
            let more = estimate.and_then(|estimate| estimate.difference.as_ref());
            row.extend(ends(more.and_then(|more| more.interval)));
            let numbers =
                more.map_or([None; 3], |more| [Some(more.p), Some(more.p_corrected), more.detectable]);
            row.extend(numbers.map(|value| value.map_or(String::new(), number)));
        }
    }
    row
}
