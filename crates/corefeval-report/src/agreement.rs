//! The agreement of annotators as a report.

use std::borrow::Cow;

use corefeval_core::agreement::{ALPHAS, Agreement, Alpha, AlphaSpec, Units};
use corefeval_core::formats::report_columns;
use corefeval_core::reports::agreement::AgreementReport;
use corefeval_core::results::{MetricResult, SystemReport};
use corefeval_core::significance::described;
use serde_json::{Map, Value as Json, json};

use crate::block::{Block, Column, Form, Grid, Group, Line, Value, level};
use crate::csv::Table;
use crate::json::{self, document, extend, metrics};
use crate::scores::{corner, groups_of_columns, row};
use crate::sizes::side;
use crate::{Columns, Kind, Origin, Printable, Style};

const FOUR: Form = Form::Decimals(4);

impl Printable for AgreementReport {
    fn kind(&self) -> Kind {
        Kind::Agreement
    }

    fn origin(&self) -> Origin<'_> {
        Origin::new(&self.settings, &self.format, &self.diagnostics)
    }

    fn method(&self) -> Vec<(&'static str, String)> {
        self.agreement.method.list()
    }

    /// The scores of each pair, α, and, if requested, α by document.
    fn blocks(&self, style: &Style) -> Vec<Block<'_>> {
        let columns = style.columns.unwrap_or(Columns::ALL);
        let scores = scores(self, columns).in_parts(style.most_columns);
        let mut blocks: Vec<Block<'_>> = scores.into_iter().map(Block::Grid).collect();
        blocks.push(Block::Grid(alphas(self)));
        blocks.extend(self.by_document.then(|| Block::Grid(by_document(self))));
        blocks.push(Block::Notes(sizes(self)));
        blocks.extend([Block::Notes(notes(self)), Block::Signature(self.signature())]);
        blocks
    }

    fn json(&self) -> Json {
        let agreement = &self.agreement;
        let pairs = self.pairs.iter().zip(&self.systems).map(|(&pair, system)| {
            let [key, response] = pair.map(|place| self.annotators[place].as_str());
            json!({ "key": key, "response": response, "counts": json::sizes(&system.sizes), "metrics": metrics(&system.results) })
        });
        let alphas = ALPHAS.iter().zip(&agreement.alphas).map(|(spec, alpha)| {
            let object = json!({
                "alpha": alpha.value,
                "low": alpha.interval.map(|interval| interval.low),
                "high": alpha.interval.map(|interval| interval.high),
                "observed": alpha.observed,
                "expected": alpha.expected,
                "units": units(spec.units),
            });
            (spec.id.to_owned(), object)
        });
        let mut object = document(self.signature(), &self.settings, &self.diagnostics);
        let more = json!({
            "annotators": self.annotators,
            "documents": agreement.documents.len(),
            "unit": agreement.method.signature_of("unit"),
            "units": agreement.drawn,
            "mentions": agreement.units,
            "common_mentions": agreement.common,
            "pairs": pairs.collect::<Vec<_>>(),
            "alpha": alphas.collect::<Map<String, Json>>(),
        });
        extend(&mut object, more);
        if self.by_document {
            let rows = agreement.documents.iter().map(|row| {
                let alphas = ALPHAS.iter().zip(&row.alphas);
                let alphas: Map<String, Json> =
                    alphas.map(|(spec, alpha)| (spec.id.to_owned(), json!(alpha))).collect();
                json!({ "id": row.id, "mentions": row.units, "alpha": alphas })
            });
            object["by_document"] = rows.collect();
        }
        if let Some(left_out) = self.left_out {
            object["documents_left_out"] = json!(left_out);
        }
        object
    }

    fn csv(&self) -> String {
        let mut table = Table::new(report_columns::AGREEMENT);
        for (&pair, system) in self.pairs.iter().zip(&self.systems) {
            for result in &system.results {
                table.text(&result.metric.to_string());
                table.blanks(1);
                pair.into_iter().for_each(|place| table.text(&self.annotators[place]));
                table.optional(Some(result.figure()).filter(|_| result.is_defined()));
                table.blanks(2);
                let [recall, precision, _] = result.parts();
                [recall, precision].into_iter().for_each(|part| table.optional(part));
                table.end_row();
            }
        }
        for (spec, alpha) in ALPHAS.iter().zip(&self.agreement.alphas) {
            table.text(&format!("alpha_{}", spec.id));
            table.blanks(3);
            table.optional(alpha.value);
            table.optional(alpha.interval.map(|interval| interval.low));
            table.optional(alpha.interval.map(|interval| interval.high));
            table.blanks(2);
            table.end_row();
        }
        for document in self.agreement.documents.iter().filter(|_| self.by_document) {
            for (spec, alpha) in ALPHAS.iter().zip(&document.alphas) {
                table.text(&format!("alpha_{}", spec.id));
                table.text(&document.id);
                table.blanks(2);
                table.optional(*alpha);
                table.blanks(4);
                table.end_row();
            }
        }
        table.finish()
    }
}

/// The name of a coefficient's units in JSON and CSV.
fn units(units: Units) -> &'static str {
    match units {
        Units::Sets(_) => "mentions",
        Units::Links => "pairs of mentions",
    }
}

/// The counts of each annotator.
fn sizes(report: &AgreementReport) -> Vec<String> {
    let line = |(place, name): (usize, &String)| {
        let as_key = report.pairs.iter().position(|pair| pair[0] == place)?;
        Some(format!("{name}: {}", side(&report.systems.get(as_key)?.sizes[0], None)))
    };
    report.annotators.iter().enumerate().filter_map(line).collect()
}

/// The scores of each pair of annotators, with the first as key. Swapping the sides exchanges recall and precision, so
/// the swapped pair has a row only if its matching gives other scores.
fn scores(report: &AgreementReport, columns: Columns) -> Grid<'_> {
    let scored: Vec<([usize; 2], &SystemReport)> =
        report.pairs.iter().copied().zip(&report.systems).collect();
    let first = scored.first().map(|(_, system)| system.results.as_slice()).unwrap_or_default();
    let back =
        |pair: [usize; 2]| scored.iter().find(|other| other.0 == [pair[1], pair[0]]).map(|other| other.1);
    let is_shown = |pair: [usize; 2], system: &SystemReport| {
        pair[0] < pair[1] || !back(pair).is_some_and(|back| mirror(back, system))
    };
    let rows = scored.iter().filter(|(pair, system)| is_shown(*pair, system)).map(|(pair, system)| {
        let [key, response] = pair.map(|place| report.annotators.get(place).map_or("", String::as_str));
        row(format!("{key} → {response}"), &system.results, columns)
    });
    let corner = corner("key → response", first, columns).unwrap_or_else(|| "key → response".to_owned());
    Grid { corner: corner.into(), groups: groups_of_columns(first, columns), lines: rows.collect() }
}

/// Returns whether two reports are equal after exchanging recall and precision.
fn mirror(one: &SystemReport, other: &SystemReport) -> bool {
    let same = |(one, other): (&MetricResult, &MetricResult)| {
        let ([recall, precision, f1], [others_recall, others_precision, others_f1]) =
            (one.parts(), other.parts());
        let near = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() < 1e-12,
            (None, None) => true,
            _ => false,
        };
        near(recall, others_precision) && near(precision, others_recall) && near(f1, others_f1)
    };
    one.results.iter().zip(&other.results).all(same)
}

/// The label of a coefficient under a heading that already contains α.
fn label(spec: &AlphaSpec) -> Cow<'static, str> {
    spec.label.trim_start_matches("α ").into()
}

fn alphas(report: &AgreementReport) -> Grid<'_> {
    let columns = vec![
        Column::new("α").key(),
        Column::new(level(report.agreement.method.confidence)),
        Column::new("observed"),
        Column::new("expected"),
    ];
    let row = |(spec, alpha): (&AlphaSpec, &Alpha)| {
        let interval = alpha.interval.map(|interval| [interval.low, interval.high]);
        let cells = [
            Value::number(alpha.value, FOUR),
            interval.map_or(Value::Undefined, |ends| Value::Interval(ends, FOUR)),
            Value::Number(alpha.observed, FOUR),
            Value::Number(alpha.expected, FOUR),
        ];
        Line::row(label(spec), cells)
    };
    let lines = ALPHAS.iter().zip(&report.agreement.alphas).map(row).collect();
    Grid { corner: "Krippendorff's α".into(), groups: vec![Group::untitled(columns)], lines }
}

fn by_document(report: &AgreementReport) -> Grid<'_> {
    let columns = std::iter::once(Column::new("mentions"));
    let columns = columns.chain(ALPHAS.iter().map(|spec| Column::new(label(spec)))).collect();
    let rows = report.agreement.documents.iter().map(|document| {
        let alphas = document.alphas.iter().map(|alpha| Value::number(*alpha, FOUR));
        Line::row(document.id.as_str(), std::iter::once(Value::Count(document.units)).chain(alphas))
    });
    Grid { corner: "α by document".into(), groups: vec![Group::untitled(columns)], lines: rows.collect() }
}

/// Sentences that explain the numbers.
fn notes(report: &AgreementReport) -> Vec<String> {
    let Agreement { units, common, annotators, documents, method, alphas, drawn, .. } = &report.agreement;
    let all = if *annotators == 2 { "both" } else { "all" };
    let (number, counted) = (documents.len(), method.unit.counted());
    let of = match report.left_out {
        Some(left_out) => format!("{number} {counted}s that all annotators have, of {}", number + left_out),
        None if number == 1 => format!("one {counted}"),
        None => format!("{number} {counted}s"),
    };
    let mut notes = vec![format!("On {of} with {units} mentions, of which {all} annotators have {common}.")];
    if *drawn != number {
        notes.push(format!("Resampling draws {}.", described(number, *drawn, method.unit)));
    }
    if alphas.iter().any(|alpha| alpha.interval.is_some()) {
        notes.push(format!(
            "Intervals are from {} samples of {}s.",
            method.resamples,
            method.unit.noun(false)
        ));
    }
    notes
}
