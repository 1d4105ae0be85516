//! CSV: a row for each system and metric, for spreadsheets and data frames.

use super::{ComparisonOutput, ComparisonReport, Section, Style};
use crate::diagnostic::{Code, Severity};

/// `csv`.
pub(super) const SPEC: ComparisonOutput =
    ComparisonOutput { id: "csv", summary: "a row for each system and metric, scores as fractions", render };

const HEADER: [&str; 18] = [
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
    "group",
    "warnings",
];

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

/// From `f1` to `detectable`; what has nothing to count has empty fields, as what a single document cannot tell.
fn numbers(report: &ComparisonReport, section: &Section<'_>, metric: usize, system: usize) -> Vec<String> {
    let mut row = vec![String::new(); 12];
    if !section.is_defined(metric, system) {
        return row;
    }
    row[0] = section.f1(metric, system).to_string();
    row[4] = section.is_best(metric, system).to_string();
    let estimate = section.estimate(metric, system);
    if let Some(estimate) = estimate {
        row[1] = estimate.interval.low.to_string();
        row[2] = estimate.interval.high.to_string();
        row[3] = estimate.rank.to_string();
    }
    let difference = section.difference(metric, system);
    if let Some(difference) = difference.filter(|_| section.is_defined(metric, section.baseline)) {
        row[5] = report.baseline().to_owned();
        row[6] = difference.to_string();
        if let Some(more) = estimate.and_then(|estimate| estimate.difference.as_ref()) {
            row[7] = more.interval.low.to_string();
            row[8] = more.interval.high.to_string();
            row[9] = more.p.to_string();
            row[10] = more.p_corrected.to_string();
            row[11] = more.detectable.map_or(String::new(), |number| number.to_string());
        }
    }
    row
}
