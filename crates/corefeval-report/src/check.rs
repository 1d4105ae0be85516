//! The check of CONE without a key against annotated documents, as a report.

use corefeval_core::cone::{Check, CheckRow};
use corefeval_core::formats::report_columns;
use corefeval_core::reports::check::{CheckReport, CheckedSystem};
use corefeval_core::tally::Score;
use serde_json::{Map, Value as Json, json};

use crate::block::{Block, Column, Form, Grid, Group, Line, Value, level};
use crate::csv::Table;
use crate::json::{document, ends, named, sizes};
use crate::sizes::line;
use crate::{Kind, Origin, Printable, Style};

/// The names of the kinds of scores in JSON and CSV.
const SCORES: [&str; 4] = ["full", "named", "approximated_there", "approximated"];

/// Their labels in human-readable outputs.
const SCORED: [&str; 4] = ["full", "CONE", "CONE~ there", "CONE~ all"];

/// An explanation of the report.
const READING: &str = "Some discrepancy is usual: names are easier than pronouns. A discrepancy far above that of \
other systems on the same text, and outside its interval, means that names are resolved but the rest is not, or \
that the \
    response was made for CONE. If CONE and CONE~ there differ greatly, the key made from names is inaccurate.";

impl Printable for CheckReport {
    fn kind(&self) -> Kind {
        Kind::Check
    }

    fn origin(&self) -> Origin<'_> {
        Origin::new(&self.settings, &self.format, &self.diagnostics)
    }

    fn method(&self) -> Vec<(&'static str, String)> {
        self.method.list()
    }

    fn blocks(&self, _: &Style) -> Vec<Block<'_>> {
        let mut blocks = Vec::new();
        for system in &self.systems {
            if self.systems.len() > 1 {
                blocks.push(Block::Heading(system.name.as_str().into()));
            }
            blocks.push(Block::Grid(grid(self, system)));
            let annotated = format!("annotated: {}", line(&system.check.sizes));
            blocks.push(Block::Notes(vec![annotated, system.named.sentence()]));
        }
        blocks.extend([Block::Notes(notes(self)), Block::Notes(vec![READING.to_owned()])]);
        blocks.push(Block::Signature(self.signature()));
        blocks
    }

    fn json(&self) -> Json {
        let score = |score: &Option<Score>| {
            let Score { recall, precision, f1 } = score.unwrap_or_default();
            let mut object = json!({ "recall": recall, "precision": precision, "f1": f1 });
            if score.is_none() {
                object["defined"] = json!(false);
            }
            object
        };
        let row = |row: &CheckRow| {
            let scores = SCORES.iter().zip(scores(row)).map(|(name, of)| ((*name).to_owned(), score(&of)));
            let mut object: Map<String, Json> = scores.collect();
            let found = row.discrepancy;
            let mut discrepancy = json!({ "f1": found.unwrap_or_default(), "interval": ends(row.interval) });
            if found.is_none() {
                discrepancy["defined"] = json!(false);
            }
            object.insert("discrepancy".to_owned(), discrepancy);
            (row.metric.to_string(), Json::Object(object))
        };
        let systems = self.systems.iter().map(|system| {
            let rows: Map<String, Json> = system.check.rows.iter().map(row).collect();
            json!({
                "name": system.name,
                "annotated": system.annotated,
                "response": system.response,
                "counts": sizes(&system.check.sizes),
                "annotated_documents": system.check.annotated,
                "annotated_units": system.check.units,
                "documents": system.check.documents,
                "named": named(&system.named),
                "metrics": rows,
            })
        });
        let mut object = document(self.signature(), &self.settings, &self.diagnostics);
        object["systems"] = systems.collect();
        object
    }

    fn csv(&self) -> String {
        let mut table = Table::new(report_columns::CHECK);
        for system in &self.systems {
            for row in &system.check.rows {
                let names = |table: &mut Table, scores: &str| {
                    [&system.name, &row.metric.to_string(), scores]
                        .into_iter()
                        .for_each(|name| table.text(name));
                };
                for (name, score) in SCORES.iter().zip(scores(row)) {
                    names(&mut table, name);
                    let parts = score.map(|score| [score.recall, score.precision, score.f1]);
                    (0..3).for_each(|part| table.optional(parts.map(|parts| parts[part])));
                    table.blanks(2);
                    table.end_row();
                }
                names(&mut table, "discrepancy");
                table.blanks(2);
                table.optional(row.discrepancy);
                table.optional(row.interval.map(|interval| interval.low));
                table.optional(row.interval.map(|interval| interval.high));
                table.end_row();
            }
        }
        table.finish()
    }
}

/// The scores of a row, in the order of [`SCORES`].
fn scores(row: &CheckRow) -> [Option<Score>; 4] {
    [row.full, row.named, row.approximated_there, row.approximated]
}

fn grid<'r>(report: &CheckReport, system: &'r CheckedSystem) -> Grid<'r> {
    let mut columns: Vec<Column<'_>> = SCORED.map(Column::new).into();
    columns.extend([Column::new("discrepancy").key(), Column::new(level(report.method.confidence))]);
    let lines = system.check.rows.iter().map(|row| {
        let scores = scores(row).map(|score| Value::number(score.map(|score| score.f1), Form::Percent));
        let ends = row.interval.map(|interval| [interval.low, interval.high]);
        let interval = ends.map_or(Value::Undefined, |ends| Value::Interval(ends, Form::Points));
        let more = [Value::number(row.discrepancy, Form::Points), interval];
        Line::row(row.metric.label(), scores.into_iter().chain(more))
    });
    Grid { corner: "F1".into(), groups: vec![Group::untitled(columns)], lines: lines.collect() }
}

/// Sentences that explain the columns.
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
        "discrepancy: CONE~ all minus full, in points of F1".to_owned(),
    ]
}
