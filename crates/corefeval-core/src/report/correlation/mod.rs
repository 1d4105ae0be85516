//! The correlations of two metrics ([`CorrelationReport`]) as text (one renderer a file, one row each in
//! [`CORRELATION_OUTPUTS`]) and as scatter plots.

mod csv;
mod figures;
mod json;
mod latex;
mod markdown;
mod table;

use super::Style;
use super::comparison::trimmed;
use crate::error::{Error, ErrorKind, Result};
use crate::results::correlation::CorrelationReport;
use crate::significance::{
    COEFFICIENTS, Coefficient, Correlation, CorrelationInterval, Over, PartCorrelation, reading,
};
use crate::suggest::nearest;

/// The names of the parts, in the order of [`Correlation::parts`].
const PARTS: [&str; 3] = ["recall", "precision", "f1"];
/// The same for people.
const PART_LABELS: [&str; 3] = ["Recall", "Precision", "F1"];
const COEFFICIENT_LABELS: [&str; 3] = ["Pearson", "Spearman", "Kendall"];

impl CorrelationReport {
    /// What the points of a row are, for people: `documents of alder`.
    fn label(&self, row: &Correlation) -> String {
        let name = |system: usize| self.systems.get(system).map_or("", |system| system.0.as_str());
        match (row.over, row.system) {
            (Over::Pooled, _) => "documents of all systems".to_owned(),
            (Over::Systems, _) => "systems".to_owned(),
            (over, Some(system)) => format!("{} of {}", over.name(), name(system)),
            (over, None) => over.name().to_owned(),
        }
    }

    /// The rows that have a part.
    fn rows(&self, part: usize) -> impl Iterator<Item = (&Correlation, &PartCorrelation)> {
        self.correlations.iter().filter_map(move |row| Some((row, row.parts[part].as_ref()?)))
    }

    /// The metrics by name: `CONE CEAF against CEAF φ3`.
    fn title(&self) -> String {
        let [x, y] = &self.metrics;
        format!("{} against {}", x.label(), y.label())
    }

    /// `95 %`.
    fn level(&self) -> String {
        format!("{} %", trimmed(100.0 * self.method.confidence))
    }

    /// What the columns mean, and what is missing, in sentences.
    fn notes(&self) -> Vec<String> {
        let mut notes = vec![match self.left_out {
            Some(left_out) => format!(
                "On {} documents that all systems have, of {}.",
                self.documents,
                self.documents + left_out
            ),
            None if self.documents == 1 => "On 1 document.".to_owned(),
            None => format!("On {} documents.", self.documents),
        }];
        notes.push(match self.method.interval {
            CorrelationInterval::Percentile if self.documents < 2 => {
                "One document cannot be resampled: no intervals.".to_owned()
            }
            CorrelationInterval::Percentile => format!(
                "Intervals are percentiles of {} samples of documents, seed {}.",
                self.method.resamples, self.method.seed
            ),
            CorrelationInterval::Fisher => {
                "Intervals are Fisher's, as if all points were independent.".to_owned()
            }
        });
        for (part, name) in PART_LABELS.iter().enumerate() {
            for (row, found) in self.rows(part) {
                if let Some(why) = found.undefined() {
                    notes.push(format!("No {name} over {}: {why}.", self.label(row)));
                }
            }
        }
        if self.correlations.iter().any(|row| row.over == Over::Entities) {
            notes.push("Of an entity of the key there is a recall alone.".to_owned());
        }
        notes
    }
}

/// The cells of a row: points, those left out, and value and interval of each coefficient, with what r is called.
struct Cells {
    points: String,
    left_out: String,
    coefficients: [(String, String); 3],
    reading: &'static str,
}

impl Cells {
    fn of(part: &PartCorrelation) -> Cells {
        let coefficient = |number: usize| match &part.coefficients[number] {
            Some(Coefficient { value, interval }) => {
                let interval = interval.map_or("-".to_owned(), |interval| {
                    format!("[{}, {}]", three(interval.low), three(interval.high))
                });
                (three(*value), interval)
            }
            None => ("-".to_owned(), "-".to_owned()),
        };
        Cells {
            points: part.points().to_string(),
            left_out: part.left_out.to_string(),
            coefficients: std::array::from_fn(coefficient),
            reading: part.coefficients[0].map_or("undefined", |r| reading(r.value)),
        }
    }
}

/// Three decimals; 0 has no sign.
fn three(number: f64) -> String {
    let text = format!("{number:.3}");
    if text == "-0.000" { "0.000".to_owned() } else { text }
}

/// One row of the table of outputs.
pub struct CorrelationOutput {
    /// As typed.
    pub id: &'static str,
    /// One line of help.
    pub summary: &'static str,
    render: fn(&CorrelationReport, Style) -> String,
}

/// All outputs of correlations.
pub static CORRELATION_OUTPUTS: &[CorrelationOutput] =
    &[table::SPEC, json::SPEC, csv::SPEC, markdown::SPEC, latex::SPEC];

impl CorrelationOutput {
    /// The output called `id`.
    pub fn named(id: &str) -> Result<&'static CorrelationOutput> {
        if let Some(spec) = CORRELATION_OUTPUTS.iter().find(|spec| spec.id == id) {
            return Ok(spec);
        }
        let ids = || CORRELATION_OUTPUTS.iter().map(|spec| spec.id);
        let hint = match nearest(id, ids()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the outputs of correlations are {}", ids().collect::<Vec<_>>().join(", ")),
        };
        Err(Error::new(ErrorKind::Settings, format!("correlations have no output `{id}`")).hint(hint))
    }

    /// The report as text.
    pub fn render(&self, report: &CorrelationReport, style: Style) -> String {
        (self.render)(report, style)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_unique() {
        let ids: std::collections::BTreeSet<_> = CORRELATION_OUTPUTS.iter().map(|spec| spec.id).collect();
        assert_eq!(ids.len(), CORRELATION_OUTPUTS.len());
        assert!(CorrelationOutput::named("conll").err().is_some_and(|error| error.remedy().is_some()));
        assert_eq!([three(-0.000_1), three(-0.25), three(1.0)], ["0.000", "-0.250", "1.000"]);
        assert_eq!(COEFFICIENTS.len(), COEFFICIENT_LABELS.len());
    }
}
