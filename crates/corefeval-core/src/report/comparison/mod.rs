//! A comparison ([`ComparisonReport`]) as text: one renderer a file, one row each in
//! [`COMPARISON_OUTPUTS`].

mod csv;
mod figures;
mod json;
mod latex;
mod markdown;
mod table;

pub(super) use self::table::aligned;
use super::{Style, percent, percents};
use crate::error::{Error, ErrorKind, Result};
use crate::metrics::Metric;
use crate::results::SystemReport;
use crate::results::comparison::{Broken, ByDocument, ComparisonReport, Section};
use crate::significance::{Comparison, FEW_DOCUMENTS, Interval, Method, Test};
use crate::suggest::nearest;

impl Section<'_> {
    /// The cells of a row. What has nothing to count has dashes, as what resampling would have to tell of a single
    /// document.
    fn cells(&self, metric: usize, system: usize) -> Cells {
        let dash = || DASH.to_owned();
        let defined = self.is_defined(metric, system);
        let estimate = self.estimate(metric, system).filter(|_| defined);
        let difference = match self.difference(metric, system) {
            _ if system == self.baseline => ["baseline", "", "", ""].map(str::to_owned),
            None => [DASH; 4].map(str::to_owned),
            Some(difference) => {
                let more = estimate.and_then(|estimate| estimate.difference.as_ref());
                [
                    signed(difference),
                    more.map_or_else(dash, |more| interval(more.interval)),
                    more.map_or_else(dash, |more| p(more.p_corrected)),
                    more.and_then(|more| more.detectable).map_or_else(dash, percent),
                ]
            }
        };
        Cells {
            f1: if defined { percent(self.f1(metric, system)) } else { dash() },
            interval: estimate.map_or_else(dash, |estimate| interval(estimate.interval)),
            rank: estimate.and_then(|estimate| estimate.rank).map_or_else(dash, |rank| rank.to_string()),
            difference,
        }
    }

    /// The group and its size, for people.
    fn title(&self) -> Option<String> {
        let documents = self.documents;
        let several = if documents == 1 { "" } else { "s" };
        self.group.map(|group| format!("{}, {documents} document{several}", group.id))
    }
}

impl ComparisonReport {
    /// Recall and precision of the systems in percent by each metric that has them: a table each, whose first row
    /// names the metrics. None where all metrics are means of others.
    fn ratios(&self) -> Vec<Vec<Vec<String>>> {
        let result = |system: usize, metric: usize| self.systems.get(system)?.results.get(metric);
        let with: Vec<(usize, Metric)> = self
            .metrics()
            .into_iter()
            .filter(|&(metric, _)| !result(0, metric).is_some_and(|r| r.is_mean()))
            .collect();
        if with.is_empty() {
            return Vec::new();
        }
        let table = |(part, title): (usize, &str)| {
            let mut rows = vec![vec![title.to_owned()]];
            rows[0].extend(with.iter().map(|(_, metric)| metric.label()));
            for system in self.order() {
                let cell = |&(metric, _): &(usize, Metric)| {
                    result(system, metric).map_or(String::new(), |result| percents(result)[part].clone())
                };
                let mut row = vec![self.systems[system].name.clone()];
                row.extend(with.iter().map(cell));
                rows.push(row);
            }
            rows
        };
        ["Recall", "Precision"].into_iter().enumerate().map(table).collect()
    }

    /// `95 %`.
    fn level(&self) -> String {
        level(&self.comparison.method)
    }

    /// What is detectable, in a sentence.
    fn note_on_detectable(&self) -> Option<String> {
        let Comparison { method, documents, .. } = &self.comparison;
        let level = trimmed(100.0 - 100.0 * method.confidence);
        let estimates = self.comparison.estimates.iter().flatten();
        let text = match estimates.filter_map(|estimate| estimate.difference.as_ref()).next()?.detectable {
            Some(_) => {
                "Detectable: a true difference as large would be found at {level} %, uncorrected, in four of five cases."
            }
            None if method.least_p(*documents) > method.level() => {
                "Nothing is detectable at {level} %: no swap of so few documents is rare enough."
            }
            None => "Nothing is detectable at {level} %: so few resamples give no p-value low enough.",
        };
        Some(text.replace("{level}", &level))
    }

    /// Of which metric groups are shown in tables, in a sentence, where there are several.
    fn note_on_groups(&self) -> Option<String> {
        let metrics = self.metrics();
        let (_, first) = metrics.first().filter(|_| metrics.len() > 1 && !self.groups.is_empty())?;
        Some(format!(
            "Groups are shown by {}; --sort chooses, and JSON, CSV and LaTeX have all metrics.",
            first.label()
        ))
    }

    /// What the columns mean, in sentences.
    fn notes(&self) -> Vec<String> {
        let method = &self.comparison.method;
        let documents = self.comparison.documents;
        let mut notes = vec![match self.left_out {
            Some(left_out) => {
                format!("On {documents} documents that all systems have, of {}.", documents + left_out)
            }
            None => format!("On {documents} documents."),
        }];
        if documents < FEW_DOCUMENTS {
            notes.push("Documents are few: intervals are too narrow, and p-values rough.".to_owned());
        }
        let broken = self.broken.iter();
        notes.extend(
            broken.map(|system| format!("{} was left out: {}.", system.name, system.error.message())),
        );
        let others = self.systems.len().saturating_sub(1);
        if others == 0 {
            return notes;
        }
        let level = trimmed(100.0 - 100.0 * method.confidence);
        let test = match method.test {
            Test::Randomization => "approximate randomization",
            Test::Bootstrap => "paired bootstrap",
        };
        let correction = match method.signature_of("correction").as_str() {
            "none" => "not corrected for the number of comparisons".to_owned(),
            name => format!(
                "corrected by {}{} over {others} comparison{} a metric",
                name[..1].to_uppercase(),
                &name[1..],
                if others == 1 { "" } else { "s" }
            ),
        };
        notes.push(format!(
            "Differences are to {}; p by {test} of documents, two-sided, {correction}.",
            self.baseline()
        ));
        notes.push(format!("Neighbours in a metric's order that do not differ at {level} % share a rank."));
        if !self.groups.is_empty() {
            let corrected = match method.signature_of("correction").as_str() {
                "none" => "",
                _ => " p-values are corrected within a group, and not over groups.",
            };
            notes.push(format!("Each group by {} is compared by itself.{corrected}", self.by));
            let few = self.groups.iter().any(|group| (2..FEW_DOCUMENTS).contains(&group.documents));
            if few && documents >= FEW_DOCUMENTS {
                notes.push(format!(
                    "Groups of fewer than {FEW_DOCUMENTS} documents have intervals that are too narrow, and rough p-values."
                ));
            }
        }
        notes
    }
}

/// `95 %`.
pub(super) fn level(method: &Method) -> String {
    format!("{} %", trimmed(100.0 * method.confidence))
}

/// What stands where there is nothing to count.
const DASH: &str = "–";

/// The cells of a system's row for one metric.
struct Cells {
    f1: String,
    interval: String,
    rank: String,
    /// Difference, its interval, p and what is detectable; the baseline says so and has nothing else.
    difference: [String; 4],
}

fn interval(interval: Option<Interval>) -> String {
    let Some(interval) = interval else { return DASH.to_owned() };
    let [low, high] = [interval.low, interval.high].map(|end| match percent(end) {
        zero if zero == "-0.00" => "0.00".to_owned(),
        other => other,
    });
    format!("[{low}, {high}]")
}

/// A difference in percent points with its sign, which 0 does not have.
fn signed(difference: f64) -> String {
    let text = format!("{:+.2}", 100.0 * difference);
    if text.trim_start_matches(['+', '-']) == "0.00" { "0.00".to_owned() } else { text }
}

fn p(value: f64) -> String {
    if value < 0.000_1 { "<0.0001".to_owned() } else { format!("{value:.4}") }
}

/// A number without zeros at the end.
pub(super) fn trimmed(number: f64) -> String {
    let text = format!("{number:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// One row of the table of outputs.
pub struct ComparisonOutput {
    /// As typed.
    pub id: &'static str,
    /// One line of help.
    pub summary: &'static str,
    render: fn(&ComparisonReport, Style) -> String,
}

/// All outputs of a comparison.
pub static COMPARISON_OUTPUTS: &[ComparisonOutput] =
    &[table::SPEC, json::SPEC, csv::SPEC, markdown::SPEC, latex::SPEC];

impl ComparisonOutput {
    /// The output called `id`.
    pub fn named(id: &str) -> Result<&'static ComparisonOutput> {
        if let Some(spec) = COMPARISON_OUTPUTS.iter().find(|spec| spec.id == id) {
            return Ok(spec);
        }
        let ids = || COMPARISON_OUTPUTS.iter().map(|spec| spec.id);
        let hint = match nearest(id, ids()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the outputs of a comparison are {}", ids().collect::<Vec<_>>().join(", ")),
        };
        Err(Error::new(ErrorKind::Settings, format!("a comparison has no output `{id}`")).hint(hint))
    }

    /// The report as text.
    pub fn render(&self, report: &ComparisonReport, style: Style) -> String {
        (self.render)(report, style)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_unique() {
        let ids: std::collections::BTreeSet<_> = COMPARISON_OUTPUTS.iter().map(|spec| spec.id).collect();
        assert_eq!(ids.len(), COMPARISON_OUTPUTS.len());
    }

    #[test]
    fn numbers_look_as_they_should() {
        assert_eq!([signed(0.0123), signed(-0.5), signed(-0.000_01)], ["+1.23", "-50.00", "0.00"]);
        assert_eq!([p(1.0), p(0.05), p(0.000_05)], ["1.0000", "0.0500", "<0.0001"]);
        assert_eq!(
            [trimmed(95.0), trimmed(100.0 - 99.9), trimmed(5.000_000_000_000_004)],
            ["95", "0.1", "5"]
        );
        assert_eq!(ComparisonOutput::named("conll").err().map(|error| error.remedy().is_some()), Some(true));
    }
}
