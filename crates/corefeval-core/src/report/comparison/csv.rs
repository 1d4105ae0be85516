//! CSV: a row for each system and metric, for spreadsheets and data frames.

use super::{ComparisonOutput, ComparisonReport, Style};
use crate::significance::Interval;

/// `csv`.
pub(super) const SPEC: ComparisonOutput =
    ComparisonOutput { id: "csv", summary: "a row for each system and metric, scores as fractions", render };

const HEADER: [&str; 23] = [
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
    for system in report.order() {
        for &(metric, named) in &metrics {
            let Some(estimate) = report.estimate(metric, system) else { continue };
            let mut row = vec![report.systems[system].name.clone(), named.to_string()];
            let result = &report.systems[system].results[metric];
            row.push(estimate.f1.to_string());
            row.extend(ends(estimate.interval));
            row.push(estimate.defined.to_string());
            for (value, interval) in [result.score.recall, result.score.precision].iter().zip(estimate.ratios)
            {
                row.push(if result.is_mean() { String::new() } else { value.to_string() });
                row.extend(ends(interval));
            }
            row.push(estimate.rank.map_or(String::new(), |rank| rank.to_string()));
            row.push(report.is_best(metric, system).to_string());
            match &estimate.difference {
                Some(difference) => {
                    row.push(report.baseline().to_owned());
                    row.push(difference.f1.to_string());
                    row.extend(ends(difference.interval));
                    row.extend([difference.p, difference.p_corrected].map(|n| n.to_string()));
                    row.push(difference.detectable.map_or(String::new(), |n| n.to_string()));
                }
                None => row.extend([const { String::new() }; 7]),
            }
            row.extend([report.comparison.documents.to_string(), signature.clone()]);
            write(&row);
        }
    }
    let bytes = writer.into_inner().expect("a vector takes every row");
    String::from_utf8(bytes).expect("rows are made of strings")
}
