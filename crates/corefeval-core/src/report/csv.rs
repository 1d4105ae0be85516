//! CSV: a row for each system (or document) and metric, for spreadsheets and data frames.

use super::{MetricResult, OutputSpec, Report, Style};

/// `csv`.
pub(super) const SPEC: OutputSpec = OutputSpec {
    id: "csv",
    summary: "a row for each system, document and metric, scores as fractions",
    render,
};

fn render(report: &Report, _: Style) -> String {
    let signature = report.signature();
    let mut writer = csv::Writer::from_writer(Vec::new());
    let header = [
        "system",
        "document",
        "metric",
        "recall",
        "precision",
        "f1",
        "recall_num",
        "recall_den",
        "precision_num",
        "precision_den",
        "signature",
    ];
    let mut write = |row: &[String]| writer.write_record(row).expect("a vector takes every row");
    write(&header.map(str::to_owned));
    for system in &report.systems {
        for result in &system.results {
            write(&row(&system.name, "", result, &signature));
        }
        for document in &system.documents {
            for result in &document.results {
                write(&row(&system.name, &document.id, result, &signature));
            }
        }
    }
    let bytes = writer.into_inner().expect("a vector takes every row");
    String::from_utf8(bytes).expect("rows are made of strings")
}

fn row(system: &str, document: &str, result: &MetricResult, signature: &str) -> Vec<String> {
    let only_f1 = result.is_mean();
    let score = |value: f64| if only_f1 { String::new() } else { value.to_string() };
    let mut row = vec![
        system.to_owned(),
        document.to_owned(),
        result.metric.to_string(),
        score(result.score.recall),
        score(result.score.precision),
        result.score.f1.to_string(),
    ];
    let counts = result.tally.as_ref().map(|tally| &tally.first);
    let four = counts
        .map(|counts| [&counts.recall_num, &counts.recall_den, &counts.precision_num, &counts.precision_den]);
    match four {
        Some(four) => row.extend(four.map(|sum| sum.to_f64().to_string())),
        None => row.extend([const { String::new() }; 4]),
    }
    row.push(signature.to_owned());
    row
}
