//! CSV: a row for each system (or document) and metric, for spreadsheets and data frames.

use super::{MetricResult, OutputSpec, Report, Style, SystemReport};

/// `csv`.
pub(super) const SPEC: OutputSpec = OutputSpec {
    id: "csv",
    summary: "a row for each system, document and metric, scores as fractions",
    render,
    in_rows: None,
};

fn render(report: &Report, _: Style) -> String {
    let signature = report.signature();
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut header = vec![
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
    // Only where files are paired there is a column for the pair.
    if !report.averages.is_empty() {
        header.insert(1, "pair");
    }
    write(&header.into_iter().map(str::to_owned).collect::<Vec<_>>());
    let mut system_rows = |system: &SystemReport, names: &[&str]| {
        for result in &system.results {
            write(&row(names, "", result, &signature));
        }
        for document in &system.documents {
            for result in &document.results {
                write(&row(names, &document.id, result, &signature));
            }
        }
    };
    if report.averages.is_empty() {
        report.systems.iter().for_each(|system| system_rows(system, &[&system.name]));
    }
    for average in &report.averages {
        let systems = report.rows(average).iter();
        systems.for_each(|system| system_rows(system, &[&average.name, system.pair_name()]));
        let mean = SystemReport { results: average.results.clone(), ..SystemReport::default() };
        system_rows(&mean, &[&average.name, MACRO]);
    }
    let bytes = writer.into_inner().expect("a vector takes every row");
    String::from_utf8(bytes).expect("rows are made of strings")
}

/// What stands for a pair in the rows of their average.
const MACRO: &str = "(macro average)";

fn row(names: &[&str], document: &str, result: &MetricResult, signature: &str) -> Vec<String> {
    let only_f1 = result.is_mean();
    let score = |value: f64| if only_f1 { String::new() } else { value.to_string() };
    let mut row: Vec<String> = names.iter().copied().chain([document]).map(str::to_owned).collect();
    row.extend([
        result.metric.to_string(),
        score(result.score.recall),
        score(result.score.precision),
        result.score.f1.to_string(),
    ]);
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
