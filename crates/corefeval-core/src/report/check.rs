//! The check of scores without a key on annotated documents: one table a response, or one JSON object.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::json::{named, warning};
use super::table::{BOLD, FAINT, paint};
use super::{Style, percent};
use crate::cone::{Check, CheckRow};
use crate::diagnostic::Diagnostics;
use crate::error::{Error, ErrorKind, Result};
use crate::named::NamedCounts;
use crate::settings::Settings;
use crate::significance::{Interval, METHOD_FIELDS, Method};
use crate::tally::Score;

/// The checks of one or more responses, with everything they depend on.
#[derive(Clone, Debug)]
pub struct CheckReport {
    /// The choices that the scores depend on.
    pub settings: Settings,
    /// How intervals were made.
    pub method: Method,
    /// The formats that were read: of the annotated key, and of the responses where that is another.
    pub format: String,
    /// What was noticed.
    pub diagnostics: Diagnostics,
    /// One for each response.
    pub systems: Vec<CheckedSystem>,
}

/// The check of one response.
#[derive(Clone, Debug)]
pub struct CheckedSystem {
    /// What the response is called.
    pub name: String,
    /// The annotated key as it was named.
    pub annotated: String,
    /// The response as it was named.
    pub response: String,
    /// Which mentions are named in the whole response and its approximated key.
    pub named: NamedCounts,
    /// What was found.
    pub check: Check,
}

/// The fields of a method that a check depends on.
pub const CHECK_METHOD: &[&str] = &["resamples", "seed", "interval", "confidence"];

impl CheckReport {
    /// Everything that the figures depend on, in one line.
    pub fn signature(&self) -> String {
        let fields = METHOD_FIELDS.iter().filter(|field| CHECK_METHOD.contains(&field.name));
        let fields = fields.map(|field| format!("|{}:{}", field.name, field.value(&self.method)));
        format!("{}{}", self.settings.signature(&self.format), fields.collect::<String>())
    }
}

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

fn table(report: &CheckReport, style: Style) -> String {
    let mut text = String::new();
    let level = 100.0 * report.method.confidence;
    let level = format!("{level:.2}").trim_end_matches('0').trim_end_matches('.').to_owned();
    for system in &report.systems {
        if report.systems.len() > 1 {
            let _ = writeln!(text, "{}", paint(&system.name, BOLD, style));
        }
        let heading = format!(
            "{:8}  {:>7}  {:>7}  {:>11}  {:>9}  {:>11}  {:>18}",
            "F1",
            "full",
            "CONE",
            "CONE~ there",
            "CONE~ all",
            "discrepancy",
            format!("{level} % interval")
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
    if let Some(system) = report.systems.first() {
        let Check { annotated, documents, .. } = system.check;
        let _ = write!(
            text,
            "full: all mentions of the {annotated} annotated documents, against their key\n\
             CONE: their named mentions, against the same key\n\
             CONE~ there: their named mentions, against the key made from names\n\
             CONE~ all: the named mentions of all {documents} documents, against the key made from names\n\
             discrepancy: CONE~ all less full, in points of F1\n\n\
             Some discrepancy is usual: names are easier than pronouns. What is far above that of other systems on \
             the same\ntext, beyond its interval, means that names are resolved and the rest is not, or that the response \
             was made for\nCONE. Where CONE and CONE~ there differ much, it is the key made from names that is off.\n\n",
        );
    }
    let _ = writeln!(text, "{}", paint(&report.signature(), FAINT, style));
    text
}

fn json(report: &CheckReport, _: Style) -> String {
    let score =
        |score: &Score| json!({ "recall": score.recall, "precision": score.precision, "f1": score.f1 });
    let row = |row: &CheckRow| {
        let value = json!({
            "full": score(&row.full),
            "named": score(&row.named),
            "approximated_there": score(&row.approximated_there),
            "approximated": score(&row.approximated),
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
        assert!(CheckOutput::named("csv").err().is_some_and(|error| error.remedy().is_some()));
        for name in CHECK_METHOD {
            assert!(METHOD_FIELDS.iter().any(|field| field.name == *name), "{name}");
        }
    }
}
