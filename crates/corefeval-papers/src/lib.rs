//! Recomputes the results of the papers that define the metrics.
//!
//! `published` is the table of the papers' printed numbers with their inputs, none of them computed. [`families`]
//! generates the responses of the analysis of LEA, and `statements` checks the papers' statements. This module computes
//! the numbers, with all stages from reading to scoring, and compares them with the printed ones.

#![forbid(unsafe_code)]

pub mod families;
mod figures;
mod published;
mod report;
mod simulation;
mod statements;

use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::evaluation::{Evaluation, Inputs, NamedInput, Request};
use corefeval_core::formats::FormatSpec;
use corefeval_core::fraction::FractionSum;
use corefeval_core::profiles::Profile;
use corefeval_core::results::{MetricResult, Report};
use corefeval_core::settings::Settings;

use published::{EXAMPLES, LEFT_OUT, PrintedExample, PrintedPart, PublishedNumber, Rounding};
use statements::STATEMENTS;

pub use figures::{figures, points};
pub use simulation::{Simulate, Simulation, Sweep, SweepStep, simulate};

/// A number or statement of a paper, and the computed result.
#[derive(Clone, Debug)]
pub struct Reproduced {
    /// The paper.
    pub source: &'static str,
    /// The place in the paper.
    pub place: &'static str,
    /// The metric and the part of its score, or the paper's statement.
    pub what: String,
    /// The printed number; `None` for a statement.
    pub published: Option<&'static str>,
    /// The computed result.
    pub computed: String,
    /// The computed number minus the published one.
    pub difference: String,
    /// The verdict on their agreement.
    pub verdict: Verdict,
    /// A note; may be empty.
    pub note: &'static str,
}

/// The verdict on a published result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The result is reproduced to the printed digits.
    Same,
    /// The result is not reproduced because the paper is wrong: the computed result follows from
    /// the paper's own definition.
    PaperErrs,
    /// The paper states the result for data that are not available here, and it does not hold for the replacement data.
    NotShown,
    /// The result is not reproduced.
    Off,
}

impl Verdict {
    /// Returns the sign in front of a row.
    pub fn mark(self) -> &'static str {
        match self {
            Verdict::Same => "✓",
            Verdict::PaperErrs => "≠",
            Verdict::NotShown => "~",
            Verdict::Off => "✗",
        }
    }

    /// Returns the name in JSON.
    pub fn id(self) -> &'static str {
        match self {
            Verdict::Same => "same",
            Verdict::PaperErrs => "paper-errs",
            Verdict::NotShown => "not-shown",
            Verdict::Off => "off",
        }
    }
}

/// A result that cannot be computed here.
#[derive(Clone, Copy, Debug)]
pub struct LeftOut {
    /// The paper.
    pub source: &'static str,
    /// The place in the paper.
    pub place: &'static str,
    /// The data that the result needs.
    pub needs: &'static str,
    /// The command that computes it, if any.
    pub command: Option<&'static str>,
}

/// The results and their settings.
#[derive(Clone, Debug)]
pub struct Reproduction {
    /// The results in the order of the papers.
    pub outcomes: Vec<Reproduced>,
    /// The results that need further data.
    pub left_out: &'static [LeftOut],
    /// The settings of the results.
    pub signature: String,
}

impl Reproduction {
    /// Returns the number of rows with this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.outcomes.iter().filter(|outcome| outcome.verdict == verdict).count()
    }
}

/// Computes all results.
///
/// # Errors
///
/// An example cannot be read or scored, which the tests rule out.
pub fn reproduce() -> Result<Reproduction> {
    let mut outcomes = Vec::new();
    for example in EXAMPLES {
        let found = Scored::new(example.key, example.response)?;
        for number in example.numbers {
            outcomes.push(outcome(example, number, &found)?);
        }
    }
    for statement in STATEMENTS {
        let (holds, computed) = (statement.check)()?;
        let verdict = match (holds, statement.holds) {
            (true, true) => Verdict::Same,
            (false, false) => Verdict::NotShown,
            _ => Verdict::Off,
        };
        outcomes.push(Reproduced {
            source: statement.source,
            place: statement.place,
            what: statement.claim.to_owned(),
            published: None,
            computed,
            difference: String::new(),
            verdict,
            note: "",
        });
    }
    // Results and statements of a paper are listed together, with papers in the order of the tables.
    let mut sources: Vec<&str> = Vec::new();
    for outcome in &outcomes {
        if !sources.contains(&outcome.source) {
            sources.push(outcome.source);
        }
    }
    outcomes.sort_by_key(|outcome| sources.iter().position(|source| *source == outcome.source));
    let signature = Scored::new("{A B}", "{A B}")?.report("muc")?.signature();
    Ok(Reproduction { outcomes, left_out: LEFT_OUT, signature })
}

fn settings() -> Settings {
    Settings::of(Profile::for_format(LINKS))
}

/// The format of the inputs.
const LINKS: &str = "links";

/// A key and a response in the notation of the MUC paper.
struct Scored {
    request: Request,
}

impl Scored {
    fn new(key: &str, response: &str) -> Result<Scored> {
        let format = FormatSpec::named(LINKS)?;
        let input = |text: &str| NamedInput::of_bytes("(paper)", text.as_bytes());
        let request = Request::new(Inputs::OneKey { key: input(key), responses: vec![input(response)] });
        Ok(Scored {
            request: request.key_format(format).response_format(format).allow_empty(true).threads(1),
        })
    }

    fn report(&self, metric: &str) -> Result<Report> {
        Evaluation::new(self.request.clone().metrics(metric)?)?.score()
    }

    /// Returns the result of one metric.
    fn result(&self, metric: &str) -> Result<MetricResult> {
        let result = self.report(metric)?.systems.into_iter().flat_map(|system| system.results).next();
        result.ok_or_else(|| Error::new(ErrorKind::Settings, format!("`{metric}` has no result")))
    }
}

fn outcome(example: &PrintedExample, number: &PublishedNumber, found: &Scored) -> Result<Reproduced> {
    let part = number.part;
    let result = found.result(number.metric)?;
    let (label, value) = (result.metric.label(), value(&result, part));
    let (computed, difference, same) = compare(number.published, &value, example.rounding, example.percent);
    let verdict = match (same, number.meant) {
        (true, None) => Verdict::Same,
        (false, Some(meant)) if compare(meant, &value, example.rounding, example.percent).2 => {
            Verdict::PaperErrs
        }
        _ => Verdict::Off,
    };
    Ok(Reproduced {
        source: example.source,
        place: example.place,
        what: format!("{label} {}", part.name()),
        published: Some(number.published),
        computed,
        difference,
        verdict,
        note: number.note,
    })
}

/// A part of a score as a number, with its counts if it is their ratio.
struct PaperValue {
    real: f64,
    counts: Option<String>,
}

/// Returns the part of a result; NaN if undefined.
fn value(result: &MetricResult, part: PrintedPart) -> PaperValue {
    let empty = corefeval_core::tally::Tally::default();
    let counts = &result.tally.as_ref().unwrap_or(&empty).first;
    let ratio = |num: &FractionSum, den: &FractionSum, real: f64| {
        let real = if den.is_zero() { f64::NAN } else { real };
        PaperValue { real, counts: spelt(num, den) }
    };
    let score = result.score;
    match part {
        PrintedPart::Recall => ratio(&counts.recall_num, &counts.recall_den, score.recall),
        PrintedPart::Precision => ratio(&counts.precision_num, &counts.precision_den, score.precision),
        PrintedPart::F1 => {
            let defined = !counts.recall_den.is_zero() && !counts.precision_den.is_zero();
            PaperValue { real: if defined { score.f1 } else { f64::NAN }, counts: None }
        }
        PrintedPart::Similarity => PaperValue { real: counts.recall_num.to_f64(), counts: None },
    }
}

/// Formats counts as `2/3`, in lowest terms unless both are integers.
fn spelt(num: &FractionSum, den: &FractionSum) -> Option<String> {
    let ((a, b), (c, d)) = (num.to_ratio()?, den.to_ratio()?);
    if b == 1 && d == 1 {
        return Some(format!("{a}/{c}"));
    }
    let (upper, lower) = (a.checked_mul(d)?, b.checked_mul(c)?);
    let (mut x, mut y) = (upper, lower);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    (x != 0).then(|| format!("{}/{}", upper / x, lower / x))
}

/// Returns the computed number with two more digits than the published one, their difference, and whether both are equal
/// at the printed digits.
fn compare(published: &str, value: &PaperValue, rounding: Rounding, percent: bool) -> (String, String, bool) {
    if published.contains('/') {
        let counts = value.counts.clone().unwrap_or_default();
        let same = counts == published;
        return (counts, if same { "0" } else { "" }.to_owned(), same);
    }
    let real = if percent { 100.0 * value.real } else { value.real };
    let Ok(printed) = published.parse::<f64>() else {
        let computed = if real.is_nan() { UNDEFINED.to_owned() } else { format!("{real:.5}") };
        let same = computed == published;
        return (computed, String::new(), same);
    };
    let digits = published.split_once('.').map_or(0, |(_, after)| after.len());
    let more = digits + 2;
    let unit = 10f64.powi(i32::try_from(digits).unwrap_or(0));
    // Truncation must not lose a digit because of floating-point errors.
    let last = match rounding {
        Rounding::HalfUp => (real * unit + 0.5 + 1e-9).floor(),
        Rounding::Cut => (real * unit + 1e-9).floor(),
    };
    let same = (last - printed * unit).abs() < 0.5;
    let difference = format!("{:+.more$}", real - printed);
    let zero = difference.chars().all(|c| !c.is_ascii_digit() || c == '0');
    (format!("{real:.more$}"), if zero { "0".to_owned() } else { difference }, same)
}

/// The text for an undefined number.
const UNDEFINED: &str = corefeval_report::block::UNDEFINED;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_published_number_is_reproduced_or_explained() {
        let found = reproduce().expect("the inputs can be read");
        for outcome in &found.outcomes {
            assert_ne!(outcome.verdict, Verdict::Off, "{outcome:?}");
        }
        assert_eq!((found.count(Verdict::PaperErrs), found.count(Verdict::NotShown)), (1, 1));
        assert!(found.count(Verdict::Same) > 90);
    }

    #[test]
    fn rows_are_complete_and_unique() {
        let mut rows = BTreeSet::new();
        for example in EXAMPLES {
            for number in example.numbers {
                let row = (example.source, example.place, number.metric, number.part.name());
                assert!(rows.insert(row), "{row:?} occurs twice");
                assert_eq!(number.meant.is_some(), number.note.contains("error of the paper"), "{row:?}");
            }
        }
        for statement in STATEMENTS {
            assert!(rows.insert((statement.source, statement.place, statement.claim, "")));
        }
    }

    /// A wrong number is detected: each number with its last digit changed is not reproduced.
    #[test]
    fn a_wrong_number_is_not_reproduced() {
        for example in EXAMPLES {
            let found = Scored::new(example.key, example.response).expect("the example can be read");
            for number in example.numbers {
                let Some(last) = number.published.chars().last().and_then(|c| c.to_digit(10)) else {
                    continue;
                };
                let front = &number.published[..number.published.len() - 1];
                let wrong: &'static str = format!("{front}{}", (last + 1) % 10).leak();
                let wrong = PublishedNumber { published: wrong, meant: None, ..*number };
                let outcome = outcome(example, &wrong, &found).expect("the metric is known");
                assert_eq!(outcome.verdict, Verdict::Off, "{outcome:?}");
            }
        }
    }

    #[test]
    fn numbers_are_compared_at_their_last_digit() {
        let two_thirds = PaperValue { real: 2.0 / 3.0, counts: Some("2/3".to_owned()) };
        let compare = |published, rounding, percent| compare(published, &two_thirds, rounding, percent);
        assert!(compare("0.667", Rounding::HalfUp, false).2);
        assert!(compare("66.66", Rounding::Cut, true).2);
        assert!(!compare("66.67", Rounding::Cut, true).2);
        assert!(!compare("0.66", Rounding::HalfUp, false).2);
        assert_eq!(compare(".667", Rounding::HalfUp, false).1, "-0.00033");
        assert!(compare("2/3", Rounding::HalfUp, false).2 && !compare("4/6", Rounding::HalfUp, false).2);
    }
}
