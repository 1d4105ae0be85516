//! Agreement between annotators as text: a row in [`AGREEMENT_OUTPUTS`] for each
//! output.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::grid::{self, Grid};
use super::json::{metrics, settings, warning};
use super::table::{BOLD, FAINT, left, paint, right, width_of};
use super::{Style, figure_if_whole};
use crate::agreement::{ALPHAS, Agreement, Alpha, Units};
use crate::error::{Error, ErrorKind, Result};
use crate::results::agreement::AgreementReport;
use crate::suggest::nearest;

impl AgreementReport {
    /// What a row is called: the one taken for the key, then the other.
    fn name(&self, pair: [usize; 2]) -> String {
        let [key, response] = pair.map(|place| self.annotators.get(place).map_or("", String::as_str));
        format!("{key} → {response}")
    }

    /// What the figures are of, in sentences.
    fn notes(&self) -> Vec<String> {
        let Agreement { units, common, annotators, documents, .. } = &self.agreement;
        let all = if *annotators == 2 { "both" } else { "all" };
        let of = match self.left_out {
            Some(left_out) => {
                format!(
                    "{} documents that all annotators have, of {}",
                    documents.len(),
                    documents.len() + left_out
                )
            }
            None if documents.len() == 1 => "one document".to_owned(),
            None => format!("{} documents", documents.len()),
        };
        let mut notes =
            vec![format!("On {of} with {units} mentions, of which {all} annotators have {common}.")];
        if self.agreement.alphas.iter().any(|alpha| alpha.interval.is_some()) {
            notes.push(format!(
                "Intervals are from {} samples of documents.",
                self.agreement.method.resamples
            ));
        }
        notes
    }

    /// `95 %`.
    fn level(&self) -> String {
        super::comparison::level(&self.agreement.method)
    }
}

/// α, its interval, observed and expected distance.
fn cells(alpha: &Alpha) -> [String; 4] {
    let number = |number: f64| format!("{number:.4}");
    let interval = alpha.interval.map(|interval| format!("[{:.4}, {:.4}]", interval.low, interval.high));
    let none = || "–".to_owned();
    [
        alpha.value.map_or_else(none, number),
        interval.unwrap_or_else(none),
        number(alpha.observed),
        number(alpha.expected),
    ]
}

/// One row of the table of outputs.
pub struct AgreementOutput {
    /// As typed.
    pub id: &'static str,
    /// One line of help.
    pub summary: &'static str,
    render: fn(&AgreementReport, Style) -> String,
}

/// All outputs of agreement.
pub static AGREEMENT_OUTPUTS: &[AgreementOutput] = &[
    AgreementOutput { id: "table", summary: "aligned tables for people; F1 in percent", render: table },
    AgreementOutput { id: "json", summary: "one object with everything, as fractions", render: json },
    AgreementOutput { id: "csv", summary: "a row for each figure, as fractions", render: csv },
    AgreementOutput { id: "markdown", summary: "tables in Markdown; F1 in percent", render: markdown },
    AgreementOutput { id: "latex", summary: "booktabs tables for a paper; F1 in percent", render: as_latex },
];

impl AgreementOutput {
    /// The output called `id`.
    pub fn named(id: &str) -> Result<&'static AgreementOutput> {
        if let Some(spec) = AGREEMENT_OUTPUTS.iter().find(|spec| spec.id == id) {
            return Ok(spec);
        }
        let ids = || AGREEMENT_OUTPUTS.iter().map(|spec| spec.id);
        let hint = match nearest(id, ids()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the outputs of agreement are {}", ids().collect::<Vec<_>>().join(", ")),
        };
        Err(Error::new(ErrorKind::Settings, format!("agreement has no output `{id}`")).hint(hint))
    }

    /// The report as text.
    pub fn render(&self, report: &AgreementReport, style: Style) -> String {
        (self.render)(report, style)
    }
}

/// Three tables: F1 of each pair both ways, α, and where asked for α by document.
fn grids(report: &AgreementReport) -> Vec<Grid> {
    let first = report.systems.first().map(|system| system.results.as_slice()).unwrap_or_default();
    let mut head = vec!["F1, key → response".to_owned()];
    head.extend(first.iter().map(|result| result.metric.label()));
    let mut scores = vec![head];
    for (&pair, system) in report.pairs.iter().zip(&report.systems) {
        let mut row = vec![report.name(pair)];
        row.extend(system.results.iter().map(figure_if_whole));
        scores.push(row);
    }
    let level = report.level();
    let mut alphas = vec![
        ["Krippendorff's α", "α", &format!("{level} interval"), "observed", "expected"]
            .map(str::to_owned)
            .to_vec(),
    ];
    for (spec, alpha) in ALPHAS.iter().zip(&report.agreement.alphas) {
        let mut row = vec![spec.label.trim_start_matches("α ").to_owned()];
        row.extend(cells(alpha));
        alphas.push(row);
    }
    let mut grids = vec![scores, alphas];
    if report.by_document {
        let mut head = vec!["α by document".to_owned(), "mentions".to_owned()];
        head.extend(ALPHAS.iter().map(|spec| spec.label.trim_start_matches("α ").to_owned()));
        let mut rows = vec![head];
        for document in &report.agreement.documents {
            let mut row = vec![document.id.clone(), document.units.to_string()];
            let alphas = document.alphas.iter();
            row.extend(
                alphas.map(|alpha| alpha.map_or_else(|| "–".to_owned(), |alpha| format!("{alpha:.4}"))),
            );
            rows.push(row);
        }
        grids.push(rows);
    }
    grids
}

fn table(report: &AgreementReport, style: Style) -> String {
    let mut text = String::new();
    for grid in grids(report) {
        let columns = grid.first().map_or(0, Vec::len);
        let widths: Vec<usize> = (0..columns)
            .map(|column| grid.iter().map(|row| width_of(&row[column])).max().unwrap_or(0))
            .collect();
        for (place, row) in grid.iter().enumerate() {
            let mut line = left(&row[0], widths[0]);
            for (cell, width) in row.iter().zip(&widths).skip(1) {
                let width = (*width).max(7);
                let _ = write!(line, "  {}", right(cell, width));
            }
            let line = line.trim_end();
            let _ = writeln!(text, "{}", if place == 0 { paint(line, BOLD, style) } else { line.to_owned() });
        }
        text.push('\n');
    }
    for note in report.notes() {
        let _ = writeln!(text, "{note}");
    }
    let _ = writeln!(text, "\n{}", paint(&report.signature(), FAINT, style));
    text
}

fn markdown(report: &AgreementReport, _: Style) -> String {
    let mut text = String::new();
    grids(report).iter().for_each(|grid| grid::markdown(&mut text, grid));
    for note in report.notes() {
        let _ = writeln!(text, "{note}");
    }
    let _ = writeln!(text, "\n`{}`", report.signature());
    text
}

fn as_latex(report: &AgreementReport, _: Style) -> String {
    let mut text = format!("% {}\n% needs \\usepackage{{booktabs}}\n", report.signature());
    for note in report.notes() {
        let _ = writeln!(text, "% {}", note.replace('\n', " "));
    }
    for (place, grid) in grids(report).iter().enumerate() {
        if place > 0 {
            text.push('\n');
        }
        grid::as_latex(&mut text, grid);
    }
    text
}

/// The key under which a coefficient's units are.
fn units(units: Units) -> &'static str {
    match units {
        Units::Sets(_) => "mentions",
        Units::Links => "pairs of mentions",
    }
}

fn json(report: &AgreementReport, _: Style) -> String {
    let agreement = &report.agreement;
    let pairs = report.pairs.iter().zip(&report.systems).map(|(&pair, system)| {
        let [key, response] = pair.map(|place| report.annotators[place].as_str());
        json!({ "key": key, "response": response, "metrics": metrics(&system.results) })
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
    let mut document = json!({
        "corefeval": crate::VERSION,
        "signature": report.signature(),
        "settings": settings(&report.settings),
        "warnings": report.diagnostics.groups().iter().map(warning).collect::<Vec<_>>(),
        "annotators": report.annotators,
        "documents": agreement.documents.len(),
        "mentions": agreement.units,
        "common_mentions": agreement.common,
        "pairs": pairs.collect::<Vec<_>>(),
        "alpha": alphas.collect::<Map<String, Value>>(),
    });
    if report.by_document {
        let rows = agreement.documents.iter().map(|row| {
            let alphas = ALPHAS.iter().zip(&row.alphas);
            let alphas: Map<String, Value> =
                alphas.map(|(spec, alpha)| (spec.id.to_owned(), json!(alpha))).collect();
            json!({ "id": row.id, "mentions": row.units, "alpha": alphas })
        });
        document["by_document"] = rows.collect();
    }
    if let Some(left_out) = report.left_out {
        document["documents_left_out"] = json!(left_out);
    }
    format!("{document:#}\n")
}

fn csv(report: &AgreementReport, _: Style) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut write = |row: [String; 9]| writer.write_record(row).expect("a vector takes every row");
    let head = ["figure", "document", "key", "response", "value", "low", "high", "recall", "precision"];
    write(head.map(str::to_owned));
    let empty = String::new;
    for (&pair, system) in report.pairs.iter().zip(&report.systems) {
        let [key, response] = pair.map(|place| report.annotators[place].clone());
        for result in &system.results {
            let mean = result.is_mean();
            let ratio = |ratio: f64| if mean { empty() } else { ratio.to_string() };
            let (recall, precision) = (ratio(result.score.recall), ratio(result.score.precision));
            let (name, value) = (result.metric.to_string(), result.figure());
            // Without denominators nothing else tells that there was nothing to count.
            let (value, recall, precision) = match result.is_defined() && !result.partial {
                true => (value.to_string(), recall, precision),
                false => (empty(), empty(), empty()),
            };
            write([name, empty(), key.clone(), response.clone(), value, empty(), empty(), recall, precision]);
        }
    }
    let number = |number: Option<f64>| number.map_or(String::new(), |number| number.to_string());
    let name = |id: &str| format!("alpha_{id}");
    for (spec, alpha) in ALPHAS.iter().zip(&report.agreement.alphas) {
        let [low, high] =
            [alpha.interval.map(|interval| interval.low), alpha.interval.map(|interval| interval.high)];
        let [value, low, high] = [alpha.value, low, high].map(number);
        write([name(spec.id), empty(), empty(), empty(), value, low, high, empty(), empty()]);
    }
    for document in report.agreement.documents.iter().filter(|_| report.by_document) {
        for (spec, alpha) in ALPHAS.iter().zip(&document.alphas) {
            let (name, id, value) = (name(spec.id), document.id.clone(), number(*alpha));
            write([name, id, empty(), empty(), value, empty(), empty(), empty(), empty()]);
        }
    }
    let bytes = writer.into_inner().expect("a vector takes every row");
    String::from_utf8(bytes).expect("rows are made of strings")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_unique() {
        let ids: std::collections::BTreeSet<_> = AGREEMENT_OUTPUTS.iter().map(|spec| spec.id).collect();
        assert_eq!(ids.len(), AGREEMENT_OUTPUTS.len());
    }
}
