//! CSV: a row for each system (or document) and metric, for spreadsheets and data frames.

use super::{MetricResult, OutputSpec, Report, Style, SystemReport};
use crate::metrics::{VALUE_GROUPS, ValueCounts, ValueRow, ValueTable};

/// `csv`.
pub(super) const SPEC: OutputSpec = OutputSpec {
    id: "csv",
    summary: "a row for each system, document and metric, scores as fractions",
    render,
    in_rows: None,
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
    let with_values = report.systems.iter().flat_map(|system| &system.results).any(|r| r.value.is_some());
    // Rows are of systems and of documents, unless other groups were asked for.
    let by = report.systems.iter().map(|system| system.by).find(|by| !by.is_empty()).unwrap_or("document");
    let mut header = vec![
        "system",
        by,
        "metric",
        "recall",
        "precision",
        "f1",
        "recall_num",
        "recall_den",
        "precision_num",
        "precision_den",
    ];
    // Only where files are paired there is a column for the pair.
    if !report.averages.is_empty() {
        header.insert(1, "pair");
    }
    if with_values {
        header.extend(VALUE_COLUMNS);
    }
    header.push("signature");
    writer.write_record(header).expect("a vector takes every row");
    let mut write = |mut row: Vec<String>, values: Option<[String; VALUE_COLUMNS.len()]>| {
        if with_values {
            row.extend(values.unwrap_or_default());
        }
        row.push(signature.clone());
        writer.write_record(row).expect("a vector takes every row");
    };
    let mut rows = |names: &[&str], document: &str, results: &[MetricResult]| {
        for result in results {
            match &result.values {
                None => write(row(names, document, result), result.value.map(mean_value)),
                Some(table) => {
                    for (group, counts) in groups(table) {
                        let row = value_row(names, document, result, counts);
                        write(row, Some(values(group, counts, table)));
                    }
                }
            }
        }
    };
    let mut system_rows = |system: &SystemReport, names: &[&str]| {
        rows(names, "", &system.results);
        for document in &system.documents {
            rows(names, &document.id, &document.results);
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

/// All entities, and those of each group.
fn groups(table: &ValueTable) -> Vec<(String, &ValueCounts)> {
    let mut all = vec![(TOTAL.to_owned(), &table.total)];
    for (kind, groups) in VALUE_GROUPS.iter().zip(&table.groups) {
        all.extend(groups.iter().map(|(name, counts)| (format!("{kind}={name}"), counts)));
    }
    all
}

/// The group of all entities.
const TOTAL: &str = "total";

fn value_row(names: &[&str], document: &str, result: &MetricResult, counts: &ValueCounts) -> Vec<String> {
    let score = counts.row().score;
    let mut row = first_columns(names, document, result);
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

/// A mean of values of all entities, which has no counts.
fn mean_value(value: f64) -> [String; VALUE_COLUMNS.len()] {
    let mut columns = [const { String::new() }; VALUE_COLUMNS.len()];
    (columns[0], columns[1]) = (TOTAL.to_owned(), value.to_string());
    columns
}

fn first_columns(names: &[&str], document: &str, result: &MetricResult) -> Vec<String> {
    let metric = result.metric.to_string();
    names.iter().copied().chain([document, &metric]).map(str::to_owned).collect()
}

fn row(names: &[&str], document: &str, result: &MetricResult) -> Vec<String> {
    let only_f1 = result.is_mean();
    let score = |value: f64| if only_f1 { String::new() } else { value.to_string() };
    let mut row = first_columns(names, document, result);
    row.extend([score(result.score.recall), score(result.score.precision), result.score.f1.to_string()]);
    let counts = result.tally.as_ref().map(|tally| &tally.first);
    let four = counts
        .map(|counts| [&counts.recall_num, &counts.recall_den, &counts.precision_num, &counts.precision_den]);
    match four {
        Some(four) => row.extend(four.map(|sum| sum.to_f64().to_string())),
        None => row.extend([const { String::new() }; 4]),
    }
    row
}
