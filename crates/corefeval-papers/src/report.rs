//! Presents published and computed results as a report.

use corefeval_core::formats::report_columns;
use corefeval_report::block::{Block, Column, Grid, Group, Line, Value};
use corefeval_report::csv::Table;
use corefeval_report::{Kind, Printable, Style};
use serde_json::{Map, Value as Json, json};

use crate::{LeftOut, Reproduced, Reproduction, Verdict};

impl Printable for Reproduction {
    fn kind(&self) -> Kind {
        Kind::Reproduction
    }

    /// Returns a table for each paper: its numbers, then its statements.
    fn blocks(&self, _: &Style) -> Vec<Block<'_>> {
        let mut blocks = Vec::new();
        for paper in self.outcomes.chunk_by(|one, other| one.source == other.source) {
            let (printed, claims): (Vec<&Reproduced>, Vec<&Reproduced>) =
                paper.iter().partition(|outcome| outcome.published.is_some());
            let source = paper.first().map_or("", |outcome| outcome.source);
            blocks.push(Block::Heading(source.into()));
            blocks.extend((!printed.is_empty()).then(|| Block::Grid(numbers(&printed))));
            blocks.extend((!claims.is_empty()).then(|| Block::Grid(statements(&claims))));
        }
        blocks.push(Block::Heading("Not computed here".into()));
        blocks.push(Block::Grid(left_out(self.left_out)));
        blocks.extend([Block::Notes(vec![summary(self)]), Block::Signature(self.signature.clone())]);
        blocks
    }

    fn json(&self) -> Json {
        json!({
            "corefeval": corefeval_core::VERSION,
            "signature": self.signature,
            "outcomes": self.outcomes.iter().map(outcome).collect::<Vec<_>>(),
            "left_out": self.left_out.iter().map(|left_out| {
                json!({
                    "source": left_out.source,
                    "place": left_out.place,
                    "needs": left_out.needs,
                    "command": left_out.command,
                })
            }).collect::<Vec<_>>(),
        })
    }

    fn csv(&self) -> String {
        let mut table = Table::new(report_columns::REPRODUCTION);
        for outcome in &self.outcomes {
            let Reproduced { source, place, what, published, computed, difference, verdict, note } = outcome;
            [source, place, what.as_str()].into_iter().for_each(|text| table.text(text));
            // Numbers appear as printed, so that no digit is lost.
            table.optional(*published);
            match published {
                Some(_) => table.number(computed),
                None => table.text(computed),
            }
            table.number(difference);
            [verdict.id(), note].into_iter().for_each(|text| table.text(text));
            table.end_row();
        }
        table.finish()
    }
}

fn outcome(outcome: &Reproduced) -> Json {
    let mut object = Map::new();
    let mut insert = |name: &str, value: &str| object.insert(name.to_owned(), json!(value));
    insert("source", outcome.source);
    insert("place", outcome.place);
    match outcome.published {
        Some(published) => {
            insert("figure", &outcome.what);
            insert("published", published);
            insert("computed", &outcome.computed);
            insert("difference", &outcome.difference);
        }
        None => {
            insert("statement", &outcome.what);
            insert("computed", &outcome.computed);
        }
    }
    insert("verdict", outcome.verdict.id());
    if !outcome.note.is_empty() {
        insert("note", outcome.note);
    }
    Json::Object(object)
}

/// Returns the printed and computed numbers of a paper.
fn numbers<'r>(outcomes: &[&'r Reproduced]) -> Grid<'r> {
    let mut columns = vec![Column::of_text("result")];
    columns.extend(["published", "computed", "difference"].map(Column::new));
    columns.push(Column::of_text("note"));
    let row = |outcome: &&'r Reproduced| {
        let number = |text: &'r str| if text.is_empty() { Value::Blank } else { Value::text(text) };
        let cells = [
            Value::text(outcome.what.as_str()),
            number(outcome.published.unwrap_or_default()),
            number(&outcome.computed),
            number(&outcome.difference),
            number(outcome.note),
        ];
        Line::row(named(outcome), cells)
    };
    Grid {
        corner: "place".into(),
        groups: vec![Group::untitled(columns)],
        lines: outcomes.iter().map(row).collect(),
    }
}

/// Returns the statements of a paper with their verdicts.
fn statements<'r>(outcomes: &[&'r Reproduced]) -> Grid<'r> {
    let row = |outcome: &&'r Reproduced| {
        let cells = [Value::text(outcome.what.as_str()), Value::text(outcome.computed.as_str())];
        Line::row(named(outcome), cells)
    };
    Grid {
        corner: "place".into(),
        groups: vec![Group::untitled(vec![Column::of_text("statement"), Column::of_text("found")])],
        lines: outcomes.iter().map(row).collect(),
    }
}

/// Returns the sign of the verdict and the place in the paper.
fn named(outcome: &Reproduced) -> String {
    format!("{} {}", outcome.verdict.mark(), outcome.place)
}

fn left_out(rows: &[LeftOut]) -> Grid<'_> {
    let row = |left_out: &LeftOut| {
        let command = left_out.command.map_or(Value::Blank, |command| Value::Code(command.into()));
        let cells = [Value::text(left_out.place), Value::text(left_out.needs), command];
        Line::row(left_out.source, cells)
    };
    Grid {
        corner: "paper".into(),
        groups: vec![Group::untitled(["where", "needs", "command"].map(Column::of_text).into())],
        lines: rows.iter().map(row).collect(),
    }
}

/// Summarizes the counts of verdicts in a sentence.
fn summary(found: &Reproduction) -> String {
    let [same, errs, not_shown, off] = [Verdict::Same, Verdict::PaperErrs, Verdict::NotShown, Verdict::Off]
        .map(|verdict| found.count(verdict));
    let all = found.outcomes.len();
    format!(
        "{all} results and statements: {same} are reproduced, {errs} where the paper is wrong, {not_shown} not confirmed here (~), \
         {off} differ"
    )
}
