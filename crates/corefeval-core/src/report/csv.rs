//! CSV: a row for each system (or document) and metric, for spreadsheets and data frames.

use super::{MetricResult, OutputSpec, Report, Style};
use crate::metrics::{VALUE_GROUPS, ValueCounts, ValueRow, ValueTable};

/// `csv`.
pub(super) const SPEC: OutputSpec = OutputSpec {
    id: "csv",
    summary: "a row for each system, document and metric, scores as fractions",
    render,
};

/// Columns that only reports with values have, before the signature.
const VALUE_COLUMNS: [&str; 10] = [
    "group",
    "value",
    "reference",
    "false_alarm",
    "miss",
    "error",
    "false_alarm_cost",
    "miss_cost",
    "error_cost",
    "max_value_share",
];

fn render(report: &Report, _: Style) -> String {
    let signature = report.signature();
    let mut writer = csv::Writer::from_writer(Vec::new());
    let with_values = report.systems.iter().flat_map(|system| &system.results).any(|r| r.values.is_some());
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
    ];
    let mut write = |mut row: Vec<String>, values: Option<[String; VALUE_COLUMNS.len()]>, last: &str| {
        if with_values {
            row.extend(values.unwrap_or_default());
        }
        row.push(last.to_owned());
        writer.write_record(row).expect("a vector takes every row");
    };
    let mut rows = |system: &str, document: &str, results: &[MetricResult]| {
        for result in results {
            match &result.values {
                None => write(row(system, document, result), None, &signature),
                Some(table) => {
                    for (group, counts) in groups(table) {
                        let row = value_row(system, document, result, counts);
                        write(row, Some(values(group, counts, table)), &signature);
                    }
                }
            }
        }
    };
    for system in &report.systems {
        rows(&system.name, "", &system.results);
        for document in &system.documents {
            rows(&system.name, &document.id, &document.results);
        }
    }
    let bytes = writer.into_inner().expect("a vector takes every row");
    let mut head: Vec<&str> = header.to_vec();
    if with_values {
        head.extend(VALUE_COLUMNS);
    }
    head.push("signature");
    format!("{}\n{}", head.join(","), String::from_utf8(bytes).expect("rows are made of strings"))
}

/// All entities, and those of each group.
fn groups(table: &ValueTable) -> Vec<(String, &ValueCounts)> {
    let mut all = vec![("total".to_owned(), &table.total)];
    for (kind, groups) in VALUE_GROUPS.iter().zip(&table.groups) {
        all.extend(groups.iter().map(|(name, counts)| (format!("{kind}={name}"), counts)));
    }
    all
}

fn value_row(system: &str, document: &str, result: &MetricResult, counts: &ValueCounts) -> Vec<String> {
    let score = counts.row().score;
    let mut row = vec![system.to_owned(), document.to_owned(), result.metric.to_string()];
    row.extend([score.recall, score.precision, score.f1].map(|value| value.to_string()));
    row.extend([const { String::new() }; 4]);
    row
}

fn values(group: String, counts: &ValueCounts, table: &ValueTable) -> [String; VALUE_COLUMNS.len()] {
    let ValueRow { costs: [false_alarm, miss, error], value, .. } = counts.row();
    [
        group,
        value.to_string(),
        counts.reference.to_string(),
        counts.false_alarm.to_string(),
        counts.miss.to_string(),
        counts.error.to_string(),
        false_alarm.to_string(),
        miss.to_string(),
        error.to_string(),
        counts.share(&table.total).to_string(),
    ]
}

fn row(system: &str, document: &str, result: &MetricResult) -> Vec<String> {
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
    row
}
