//! The check of scores without a key on annotated documents: one table a response, or one JSON object.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::comparison::level;
use super::grid::{self, Grid};
use super::json::{named, settings, warning};
use super::table::{BOLD, FAINT, paint};
use super::{Style, percent};
use crate::cone::{Check, CheckRow};
use crate::error::{Error, ErrorKind, Result};
use crate::results::check::{CheckReport, CheckedSystem};
use crate::significance::Interval;
use crate::tally::Score;

/// One row of the table of outputs of a check.
pub struct CheckOutput {
    /// As typed.
    pub id: &'static str,
    /// One line of help.
    pub summary: &'static str,
    render: fn(&CheckReport, Style) -> String,
}

/// All outputs of a check.
pub static CHECK_OUTPUTS: &[CheckOutput] = &[
    CheckOutput {
        id: "table",
        summary: "an aligned table for people, in percent, and how to read it",
        render: table,
    },
    CheckOutput {
        id: "json",
        summary: "one object with scores as fractions, intervals and the signature",
        render: json,
    },
    CheckOutput { id: "csv", summary: "a row for each figure, as fractions", render: csv },
    CheckOutput { id: "markdown", summary: "tables in Markdown, in percent", render: markdown },
    CheckOutput { id: "latex", summary: "booktabs tables for a paper, in percent", render: as_latex },
];

impl CheckOutput {
    /// The output called `id`.
    pub fn named(id: &str) -> Result<&'static CheckOutput> {
        CHECK_OUTPUTS.iter().find(|spec| spec.id == id).ok_or_else(|| {
            let ids: Vec<&str> = CHECK_OUTPUTS.iter().map(|spec| spec.id).collect();
            Error::new(ErrorKind::Settings, format!("the check of CONE has no output `{id}`"))
                .hint(format!("its outputs are {}", ids.join(", ")))
        })
    }

    /// The report as text.
    pub fn render(&self, report: &CheckReport, style: Style) -> String {
        (self.render)(report, style)
    }
}

fn signed(difference: f64) -> String {
    let text = format!("{:+.2}", 100.0 * difference);
    if text.trim_start_matches(['+', '-']) == "0.00" { "0.00".to_owned() } else { text }
}

fn ends(interval: Option<Interval>) -> String {
    let text = |interval: Interval| format!("[{}, {}]", signed(interval.low), signed(interval.high));
    interval.map_or("–".to_owned(), text)
}

/// What is scored, in the order of the columns.
const SCORED: [&str; 4] = ["full", "CONE", "CONE~ there", "CONE~ all"];

/// A grid for each response, in percent.
fn grids(report: &CheckReport) -> Vec<Grid> {
    let level = format!("{} interval", level(&report.method));
    let several = report.systems.len() > 1;
    let of_system = |system: &CheckedSystem| {
        let first = if several { format!("F1 of {}", system.name) } else { "F1".to_owned() };
        let mut head = vec![first];
        head.extend(SCORED.map(str::to_owned));
        head.extend(["discrepancy".to_owned(), level.clone()]);
        let rows = system.check.rows.iter().map(|row| {
            let scores = [row.full, row.named, row.approximated_there, row.approximated];
            let mut cells = vec![row.metric.label()];
            cells.extend(scores.map(|score| percent(score.f1)));
            cells.extend([signed(row.discrepancy), ends(row.interval)]);
            cells
        });
        std::iter::once(head).chain(rows).collect()
    };
    report.systems.iter().map(of_system).collect()
}

/// What the columns are of, a line each.
fn notes(report: &CheckReport) -> Vec<String> {
    let Some(Check { annotated, documents, .. }) = report.systems.first().map(|system| &system.check) else {
        return Vec::new();
    };
    vec![
        format!("full: all mentions of the {annotated} annotated documents, against their key"),
        "CONE: their named mentions, against the same key".to_owned(),
        "CONE~ there: their named mentions, against the key made from names".to_owned(),
        format!(
            "CONE~ all: the named mentions of all {documents} documents, against the key made from names"
        ),
        "discrepancy: CONE~ all less full, in points of F1".to_owned(),
    ]
}

fn markdown(report: &CheckReport, _: Style) -> String {
    let mut text = String::new();
    grids(report).iter().for_each(|grid| grid::markdown(&mut text, grid));
    notes(report).iter().for_each(|note| {
        // A tilde may strike out what stands between two of them.
        let _ = writeln!(text, "- {}", note.replace('~', "\\~"));
    });
    let _ = writeln!(text, "\n`{}`", report.signature());
    text
}

fn as_latex(report: &CheckReport, _: Style) -> String {
    let mut text = format!("% {}\n% needs \\usepackage{{booktabs}}\n", report.signature());
    notes(report).iter().for_each(|note| {
        let _ = writeln!(text, "% {note}");
    });
    for (place, grid) in grids(report).iter().enumerate() {
        if place > 0 {
            text.push('\n');
        }
        grid::as_latex(&mut text, grid);
    }
    text
}

fn csv(report: &CheckReport, _: Style) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut write = |row: [String; 8]| writer.write_record(row).expect("a vector takes every row");
    write(["system", "metric", "scores", "recall", "precision", "f1", "low", "high"].map(str::to_owned));
    let empty = String::new;
    for system in &report.systems {
        for row in &system.check.rows {
            let first = |scores: &str| (system.name.clone(), row.metric.to_string(), scores.to_owned());
            let scores = [row.full, row.named, row.approximated_there, row.approximated];
            for (name, score) in SCORES.iter().zip(scores) {
                let (system, metric, name) = first(name);
                let [recall, precision, f1] =
                    [score.recall, score.precision, score.f1].map(|part| part.to_string());
                write([system, metric, name, recall, precision, f1, empty(), empty()]);
            }
            let end =
                |end: fn(Interval) -> f64| row.interval.map_or_else(empty, |found| end(found).to_string());
            let (system, metric, name) = first("discrepancy");
            let (low, high) = (end(|interval| interval.low), end(|interval| interval.high));
            write([system, metric, name, empty(), empty(), row.discrepancy.to_string(), low, high]);
        }
    }
    let bytes = writer.into_inner().expect("a vector takes every row");
    String::from_utf8(bytes).expect("rows are made of strings")
}

/// What JSON and CSV call what is scored.
const SCORES: [&str; 4] = ["full", "named", "approximated_there", "approximated"];

fn table(report: &CheckReport, style: Style) -> String {
    let mut text = String::new();
    let level = format!("{} interval", level(&report.method));
    for system in &report.systems {
        if report.systems.len() > 1 {
            let _ = writeln!(text, "{}", paint(&system.name, BOLD, style));
        }
        let heading = format!(
            "{:8}  {:>7}  {:>7}  {:>11}  {:>9}  {:>11}  {:>18}",
            "F1", SCORED[0], SCORED[1], SCORED[2], SCORED[3], "discrepancy", level
        );
        let _ = writeln!(text, "{}", paint(&heading, BOLD, style));
        for row in &system.check.rows {
            let CheckRow { full, named, approximated_there, approximated, .. } = row;
            let _ = writeln!(
                text,
                "{:8}  {:>7}  {:>7}  {:>11}  {:>9}  {}  {:>18}",
                row.metric.label(),
                percent(full.f1),
                percent(named.f1),
                percent(approximated_there.f1),
                percent(approximated.f1),
                paint(&format!("{:>11}", signed(row.discrepancy)), BOLD, style),
                ends(row.interval)
            );
        }
        let _ = writeln!(text, "{}", paint(&system.named.sentence(), FAINT, style));
        text.push('\n');
    }
    for note in notes(report) {
        let _ = writeln!(text, "{note}");
    }
    text.push_str(
        "\nSome discrepancy is usual: names are easier than pronouns. What is far above that of other systems on \
         the same\ntext, beyond its interval, means that names are resolved and the rest is not, or that the response \
         was made for\nCONE. Where CONE and CONE~ there differ much, it is the key made from names that is off.\n\n",
    );
    let _ = writeln!(text, "{}", paint(&report.signature(), FAINT, style));
    text
}

fn json(report: &CheckReport, _: Style) -> String {
    let score =
        |score: &Score| json!({ "recall": score.recall, "precision": score.precision, "f1": score.f1 });
    let row = |row: &CheckRow| {
        let value = json!({
            (SCORES[0]): score(&row.full),
            (SCORES[1]): score(&row.named),
            (SCORES[2]): score(&row.approximated_there),
            (SCORES[3]): score(&row.approximated),
            "discrepancy": { "f1": row.discrepancy, "interval": row.interval.map(|interval| [interval.low, interval.high]) },
        });
        (row.metric.to_string(), value)
    };
    let systems = report.systems.iter().map(|system| {
        let rows: Map<String, Value> = system.check.rows.iter().map(row).collect();
        json!({
            "name": system.name,
            "annotated": system.annotated,
            "response": system.response,
            "annotated_documents": system.check.annotated,
            "documents": system.check.documents,
            "named": named(&system.named),
            "metrics": rows,
        })
    });
    let document = json!({
        "corefeval": crate::VERSION,
        "signature": report.signature(),
        "settings": settings(&report.settings),
        "warnings": report.diagnostics.groups().iter().map(warning).collect::<Vec<_>>(),
        "systems": systems.collect::<Vec<_>>(),
    });
    format!("{document:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_found_and_fields_exist() {
        assert!(
            CHECK_OUTPUTS.iter().all(|spec| CheckOutput::named(spec.id).is_ok() && !spec.summary.is_empty())
        );
        assert!(CheckOutput::named("conll").err().is_some_and(|error| error.remedy().is_some()));
    }
}
