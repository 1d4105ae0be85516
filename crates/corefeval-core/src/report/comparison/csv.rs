//! CSV: a row for each system and metric, for spreadsheets and data frames.

use super::{ComparisonOutput, ComparisonReport, Style};

/// `csv`.
pub(super) const SPEC: ComparisonOutput =
    ComparisonOutput { id: "csv", summary: "a row for each system and metric, scores as fractions", render };

const HEADER: [&str; 16] = [
    "system",
    "metric",
    "f1",
    "low",
    "high",
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

fn render(report: &ComparisonReport, _: Style) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut write = |row: &[String]| writer.write_record(row).expect("a vector takes every row");
    write(&HEADER.map(str::to_owned));
    let (metrics, signature) = (report.metrics(), report.signature());
    for system in report.order() {
        for &(metric, named) in &metrics {
            let Some(estimate) = report.estimate(metric, system) else { continue };
            let mut row = vec![report.systems[system].name.clone(), named.to_string()];
            row.extend([estimate.f1, estimate.interval.low, estimate.interval.high].map(|n| n.to_string()));
            row.extend([estimate.rank.to_string(), report.is_best(metric, system).to_string()]);
            match &estimate.difference {
                Some(difference) => {
                    row.push(report.baseline().to_owned());
                    let interval = difference.interval;
                    let numbers = [difference.f1, interval.low, interval.high, difference.p];
                    row.extend(numbers.map(|n| n.to_string()));
                    row.push(difference.p_corrected.to_string());
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
