//! Renders results as text and as figures.
//!
//! A report is a sequence of blocks ([`block`]): each kind of results ([`Printable`]) has one builder of blocks, and
//! each human-readable output (terminal, Markdown, HTML, LaTeX) has one renderer of blocks. JSON and CSV are data: each
//! kind of results has one serializer for each, and [`json`] and [`csv`] contain the shared parts. [`OUTPUTS`] is the
//! table of all outputs. [`plot`] draws figures.
//!
//! Five lines score two files and print the result:
//!
//! ```standalone_crate
//! use corefeval_core::evaluation::{Evaluation, Request};
//! use corefeval_report::{Kind, OutputSpec, Style};
//!
//! # std::env::set_current_dir("../..")?;
//! let request = Request::files("examples/key.conll", ["examples/alder.conll"])?;
//! let report = Evaluation::new(request)?.score()?;
//! print!("{}", OutputSpec::named("table", Kind::Scores)?.render(&report, Style::default())?);
//! # let table = OutputSpec::named("table", Kind::Scores)?.render(&report, Style::default())?;
//! # assert!(table.contains("CoNLL") && table.contains("87.09"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! To score two partitions without a report, see [`corefeval_core`] and `corefeval-metrics`.

#![forbid(unsafe_code)]

mod agreement;
pub mod block;
mod check;
mod comparison;
mod cone_correlation;
mod correlation;
pub mod csv;
mod errors;
mod explain;
mod html;
pub mod json;
mod latex;
pub mod list;
mod markdown;
pub mod plot;
mod scores;
mod sizes;
mod stats;
mod terminal;
mod validation;
mod views;

use std::io::{self, BufWriter, Write};

use corefeval_core::diagnostic::Diagnostics;
use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::evaluation::{Request, refuse_warnings};
use corefeval_core::metrics::Metric;
use corefeval_core::results::Report;
use corefeval_core::settings::Settings;
use corefeval_core::suggest::nearest;
use corefeval_core::text;
use corefeval_core::wording::{option, option_value};
use serde_json::Value;

use crate::block::Block;
pub use crate::block::Form;
pub use crate::comparison::reason_for_insignificance;
pub use crate::errors::{label_of_first_step, label_of_step, language_note, note_of_first_step};
use crate::plot::Figure;
pub use crate::scores::{WriteFirst, rows_of_scores, scores_in_brief};
pub use crate::sizes::lines as count_lines;
pub use crate::views::{blocks as document_blocks, document_text};

/// Results that can be printed.
pub trait Printable {
    /// The kind of results.
    fn kind(&self) -> Kind;

    /// The report as blocks, for human-readable outputs.
    fn blocks(&self, style: &Style) -> Vec<Block<'_>>;

    /// The settings, formats and findings of the results, if they are of inputs.
    fn origin(&self) -> Origin<'_> {
        Origin::default()
    }

    /// The method of intervals and tests: all of its fields with their values.
    fn method(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// The figures for which there is data.
    fn figures(&self) -> Vec<Figure> {
        Vec::new()
    }

    /// Everything, as one JSON value.
    fn json(&self) -> Value;

    /// Writes [`json`](Self::json). Results with many rows are written row by row.
    ///
    /// # Errors
    ///
    /// The writer fails.
    fn write_json(&self, to: &mut dyn Write) -> io::Result<()> {
        writeln!(to, "{:#}", self.json())
    }

    /// The numbers as a table with one header.
    fn csv(&self) -> String;

    /// Writes [`csv`](Self::csv). Results with many rows are written row by row.
    ///
    /// # Errors
    ///
    /// The writer fails.
    fn write_csv(&self, to: &mut dyn Write) -> io::Result<()> {
        to.write_all(self.csv().as_bytes())
    }

    /// Writes the results in an output that only some kinds support, by its id; `None` if this kind does not support it.
    fn write_own(&self, output: &str, to: &mut dyn Write) -> Option<io::Result<()>> {
        let _ = (output, to);
        None
    }
}

/// The origin of results.
#[derive(Clone, Copy, Debug, Default)]
pub struct Origin<'r> {
    /// The settings.
    pub settings: Option<&'r Settings>,
    /// The formats of the inputs, joined by `+`.
    pub format: &'r str,
    /// The findings, unless they are the results.
    pub diagnostics: Option<&'r Diagnostics>,
}

impl<'r> Origin<'r> {
    fn new(settings: &'r Settings, format: &'r str, diagnostics: &'r Diagnostics) -> Origin<'r> {
        Origin { settings: Some(settings), format, diagnostics: Some(diagnostics) }
    }
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $label:literal,)*) => {
        /// The kinds of results.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Kind {
            $($(#[$doc])* $kind,)*
        }

        impl Kind {
            /// All kinds.
            pub const ALL: &[Kind] = &[$(Kind::$kind,)*];

            /// The name in messages.
            pub fn label(self) -> &'static str {
                match self {
                    $(Kind::$kind => $label,)*
                }
            }
        }
    };
}

kinds! {
    /// Scores of responses.
    Scores = "scores",
    /// A comparison of systems.
    Comparison = "comparisons",
    /// The agreement of annotators.
    Agreement = "agreement",
    /// Correlations of two metrics.
    Correlation = "correlations",
    /// The check of CONE without a key.
    Check = "the check of CONE",
    /// The errors of responses.
    Errors = "errors",
    /// Documents with the mentions of key and responses.
    Documents = "documents",
    /// The explanation of why scores differ.
    Explanation = "explanations",
    /// Statistics of corpora.
    Stats = "statistics of corpora",
    /// Findings about files.
    Validation = "findings about files",
    /// The results of papers, recomputed.
    Reproduction = "reproduced results",
    /// A list of available names.
    List = "lists",
}

/// The style of a report.
///
/// ```
/// use corefeval_report::{Columns, Style};
/// let mut style = Style::of_width(Some(100));
/// style.columns = Some(Columns::parse("f1")?);
/// # Ok::<(), corefeval_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Style {
    /// True to use colours, for terminals.
    pub colour: bool,
    /// The number of columns of the terminal, if it is one.
    pub width: Option<usize>,
    /// The columns of scores; by default F1 if several systems are side by side, otherwise all.
    pub columns: Option<Columns>,
    /// The largest number of columns of a table of scores; wider tables are split, unless columns are chosen.
    pub most_columns: Option<usize>,
    /// True to add a separate table for each of several systems.
    pub details: bool,
    /// The number of decimals of percentages.
    pub digits: u8,
}

impl Default for Style {
    fn default() -> Style {
        Style {
            colour: false,
            width: None,
            columns: None,
            most_columns: None,
            details: false,
            digits: DIGITS,
        }
    }
}

impl Style {
    /// Returns the default style for a terminal with this number of columns, or for no terminal.
    pub fn of_width(width: Option<usize>) -> Style {
        Style { width, ..Style::default() }
    }

    /// The style of a page, which has room for eight columns of scores. The width of the terminal does not matter.
    fn of_page(self) -> Style {
        Style { most_columns: Some(8).filter(|_| self.columns.is_none()), ..self.without_width() }
    }

    /// The style of a text that is not for the terminal.
    fn without_width(self) -> Style {
        Style { width: None, ..self }
    }
}

/// The usual number of decimals of percentages.
pub const DIGITS: u8 = 2;

/// The columns that tables of scores have: recall, precision and F1, or some of them, always in this order.
///
/// ```
/// use corefeval_report::Columns;
/// assert_eq!(Columns::parse("rpf")?, Columns::ALL);
/// assert_eq!(Columns::parse("f1")?, Columns::F1);
/// assert!(Columns::parse("x").is_err());
/// # Ok::<(), corefeval_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns([bool; 3]);

impl Columns {
    /// Recall, precision and F1.
    pub const ALL: Columns = Columns([true; 3]);
    /// Only F1.
    pub const F1: Columns = Columns([false, false, true]);

    /// Parses the first letters of the columns, such as `rpf` or `f`.
    ///
    /// # Errors
    ///
    /// The text is empty or contains a letter other than `r`, `p` and `f`.
    pub fn parse(letters: &str) -> Result<Columns> {
        let mut columns = [false; 3];
        for letter in letters.trim_end_matches('1').chars() {
            let Some(place) = "rpf".find(letter.to_ascii_lowercase()) else {
                let message = format!("`{letters}` is not a list of score columns");
                return Err(Error::new(ErrorKind::Settings, message).hint(text!(
                    "join the first letters of recall, precision and f1, for example {}",
                    option_value("columns", "rpf")
                )));
            };
            columns[place] = true;
        }
        match columns {
            [false, false, false] => {
                Err(Error::new(ErrorKind::Settings, text!("{} is empty", option("columns"))).hint(text!(
                    "join the first letters of recall, precision and f1, for example {}",
                    option_value("columns", "rpf")
                )))
            }
            columns => Ok(Columns(columns)),
        }
    }

    /// The indices of its columns among recall, precision and F1.
    pub(crate) fn places(self) -> impl Iterator<Item = usize> {
        (0..3).filter(move |&place| self.0[place])
    }
}

/// One row of the table of outputs.
pub struct OutputSpec {
    /// The name of the output.
    pub id: &'static str,
    /// One line of help.
    pub summary: &'static str,
    /// The extensions of its files, without the dot.
    pub extensions: &'static [&'static str],
    /// The name of its format in pages that offer to save it; `None` if they do not offer it.
    pub saved_as: Option<&'static str>,
    /// Returns whether it supports the results of a kind.
    pub supports: fn(Kind) -> bool,
    /// True if it lists every error of a report of errors.
    pub lists_errors: bool,
    /// Writes the rows of scores that are known before the rest of their report; `None` if the output cannot show them
    /// without the rest. The texts of all pieces of a report, and of the rest, are joined to the text of the report.
    pub first: Option<WriteFirst>,
    /// The parts of supported kinds that it cannot show.
    limits: Option<&'static OutputLimits>,
    render: Render,
}

/// The function that renders a report.
enum Render {
    /// Returns a text.
    Text(fn(&dyn Printable, Style) -> String),
    /// Writes the text of [`Printable::write_own`].
    Own,
    /// Writes a text piece by piece.
    Pieces(fn(&dyn Printable, &mut dyn Write) -> io::Result<()>),
}

/// The limits of an output for scores.
struct OutputLimits {
    /// Fails if it cannot show any of these metrics under these settings.
    check: fn(&[Metric], &Settings) -> Result<()>,
    /// Warns about parts of a report that it omits; the function returns whether the user named a metric.
    warn: fn(&Report, &IsNamed<'_>, &mut Diagnostics),
}

/// A function that returns whether the user named a metric.
type IsNamed<'n> = dyn Fn(&Metric) -> bool + 'n;

impl OutputSpec {
    /// An output for all kinds of results, which each kind renders by itself.
    const PLAIN: OutputSpec = OutputSpec {
        id: "",
        summary: "",
        extensions: &[],
        saved_as: None,
        supports: |_| true,
        lists_errors: false,
        first: None,
        limits: None,
        render: Render::Own,
    };
}

/// All outputs.
pub static OUTPUTS: &[OutputSpec] = &[
    OutputSpec {
        id: "table",
        summary: "aligned tables for people, in percent",
        extensions: &["txt"],
        render: Render::Text(|report, style| terminal::render(&report.blocks(&style), style)),
        ..OutputSpec::PLAIN
    },
    OutputSpec {
        id: "json",
        summary: "one object with all results as fractions, counts, warnings and the signature",
        extensions: &["json"],
        saved_as: Some("JSON"),
        first: Some(scores::FIRST_OF_JSON),
        render: Render::Pieces(|report, to| report.write_json(to)),
        ..OutputSpec::PLAIN
    },
    OutputSpec {
        id: "csv",
        summary: "one row for each score (a fraction), error or finding, for data frames",
        extensions: &["csv"],
        saved_as: Some("CSV"),
        lists_errors: true,
        first: Some(scores::FIRST_OF_CSV),
        render: Render::Pieces(|report, to| report.write_csv(to)),
        ..OutputSpec::PLAIN
    },
    OutputSpec {
        id: "jsonlines",
        summary: "one object per line for each error, finding, mention of a document, or row of scores",
        extensions: &["jsonl", "jsonlines"],
        supports: |kind| matches!(kind, Kind::Scores | Kind::Errors | Kind::Documents | Kind::Validation),
        lists_errors: true,
        first: Some(scores::FIRST_LINES),
        ..OutputSpec::PLAIN
    },
    OutputSpec {
        id: "markdown",
        summary: "tables in Markdown, in percent",
        extensions: &["md", "markdown"],
        saved_as: Some("Markdown"),
        render: Render::Text(|report, style| {
            markdown::render(&report.blocks(&style.of_page()), style.digits)
        }),
        ..OutputSpec::PLAIN
    },
    OutputSpec {
        id: "html",
        summary: "tables in HTML, a fragment for pages and notebooks, in percent",
        extensions: &["html"],
        render: Render::Text(|report, style| {
            html::render(&report.blocks(&style.without_width()), style.digits)
        }),
        ..OutputSpec::PLAIN
    },
    OutputSpec {
        id: "latex",
        summary: "booktabs tables for a paper, in percent",
        extensions: &["tex"],
        saved_as: Some("LaTeX"),
        render: Render::Text(|report, style| latex::render(&report.blocks(&style.of_page()), style.digits)),
        ..OutputSpec::PLAIN
    },
    OutputSpec {
        id: "conll",
        summary: "the totals of the CoNLL reference scorer, percentages truncated to two decimals",
        supports: |kind| kind == Kind::Scores,
        limits: Some(&scores::CONLL_LIMITS),
        ..OutputSpec::PLAIN
    },
    OutputSpec {
        id: "github",
        summary: "annotations for the checks of a pull request on GitHub",
        supports: |kind| kind == Kind::Validation,
        ..OutputSpec::PLAIN
    },
    OutputSpec {
        id: "sarif",
        summary: "SARIF 2.1.0, for code scanning and editors",
        extensions: &["sarif"],
        supports: |kind| kind == Kind::Validation,
        ..OutputSpec::PLAIN
    },
];

impl OutputSpec {
    /// Returns the outputs that support the results of a kind.
    pub fn of(kind: Kind) -> impl Iterator<Item = &'static OutputSpec> {
        OUTPUTS.iter().filter(move |spec| (spec.supports)(kind))
    }

    /// Returns whether an output called `id` exists, for results of any kind.
    pub fn is_one(id: &str) -> bool {
        OUTPUTS.iter().any(|spec| spec.id == id)
    }

    /// The output called `id` for results of a kind.
    ///
    /// # Errors
    ///
    /// The output `id` does not exist or does not support the kind. The error names outputs that do.
    pub fn named(id: &str, kind: Kind) -> Result<&'static OutputSpec> {
        if let Some(spec) = OutputSpec::of(kind).find(|spec| spec.id == id) {
            return Ok(spec);
        }
        let ids = || OutputSpec::of(kind).map(|spec| spec.id);
        let known = OutputSpec::is_one(id);
        let message = match known {
            true => format!("the output `{id}` does not support {}", kind.label()),
            false => format!("unknown output `{id}`"),
        };
        let with_extension =
            OutputSpec::of(kind).find(|spec| spec.extensions.contains(&id)).map(|spec| spec.id);
        let hint = match with_extension.or_else(|| nearest(id, ids())).filter(|_| !known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the outputs are {}", ids().collect::<Vec<_>>().join(", ")),
        };
        Err(Error::new(ErrorKind::Settings, message).hint(hint))
    }

    /// Fails if it cannot show any of these metrics under these settings.
    ///
    /// # Errors
    ///
    /// The output cannot show any of these metrics, or the bounds or the average of the settings.
    pub fn check(&self, metrics: &[Metric], settings: &Settings) -> Result<()> {
        self.limits.map_or(Ok(()), |limits| (limits.check)(metrics, settings))
    }

    /// Returns warnings about the parts of a report that it omits. Omitted metrics are included only if the request names
    /// them.
    pub fn not_shown(&self, request: &Request, report: &Report) -> Diagnostics {
        let mut found = Diagnostics::default();
        if let Some(limits) = self.limits {
            (limits.warn)(report, &|metric| request.names_metric(metric), &mut found);
        }
        found
    }

    /// Adds warnings about omitted parts to the report.
    ///
    /// # Errors
    ///
    /// The errors of [`check`](Self::check); a warning, if the request is strict.
    pub fn check_scores(&self, request: &Request, report: &mut Report) -> Result<()> {
        self.check(&report.metrics(), &report.settings)?;
        report.diagnostics.merge(self.not_shown(request, report));
        if request.is_strict() { refuse_warnings(&report.diagnostics) } else { Ok(()) }
    }

    /// Renders the report as text.
    ///
    /// # Errors
    ///
    /// The output does not support the kind of report, or any of the results in this one.
    pub fn render(&'static self, report: &dyn Printable, style: Style) -> Result<String> {
        let spec = OutputSpec::named(self.id, report.kind())?;
        let text = match spec.render {
            Render::Text(render) => Some(render(report, style)),
            Render::Own => own_text(report, self.id),
            Render::Pieces(write) => Some(text_of(|to| write(report, to))),
        };
        text.ok_or_else(|| self.shows_none(report.kind()))
    }

    /// Returns the error for a report that the output cannot show.
    fn shows_none(&self, kind: Kind) -> Error {
        let message = format!("the output `{}` shows none of these {}", self.id, kind.label());
        Error::new(ErrorKind::Settings, message).hint("choose another output")
    }

    /// Writes the report. JSON and CSV of many documents are written row by row.
    ///
    /// ```
    /// # use corefeval_core::evaluation::{Evaluation, Request};
    /// # use corefeval_report::{Kind, OutputSpec, Style};
    /// # std::env::set_current_dir("../..")?;
    /// # let report = Evaluation::new(Request::files("examples/key.conll", ["examples/alder.conll"])?)?.score()?;
    /// let mut bytes = Vec::new();
    /// OutputSpec::named("csv", Kind::Scores)?.write(&report, Style::default(), &mut bytes)??;
    /// assert!(bytes.starts_with(b"system,document,metric,"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The outer result has the errors of [`render`](Self::render), which occur before anything is written; the inner
    /// result has the error of the writer.
    pub fn write(
        &'static self,
        report: &dyn Printable,
        style: Style,
        to: &mut dyn Write,
    ) -> Result<io::Result<()>> {
        let spec = OutputSpec::named(self.id, report.kind())?;
        Ok(match spec.render {
            Render::Text(render) => to.write_all(render(report, style).as_bytes()),
            Render::Own => {
                let mut to = BufWriter::new(to);
                let written = report.write_own(self.id, &mut to);
                written.ok_or_else(|| self.shows_none(report.kind()))?.and_then(|()| to.flush())
            }
            Render::Pieces(write) => write(report, to),
        })
    }
}

/// The text of [`Printable::write_own`].
fn own_text(report: &dyn Printable, output: &str) -> Option<String> {
    let mut is_supported = false;
    let text = text_of(|to| match report.write_own(output, to) {
        Some(written) => {
            is_supported = true;
            written
        }
        None => Ok(()),
    });
    is_supported.then_some(text)
}

/// The text that `write` writes.
fn text_of(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> String {
    let mut bytes = Vec::new();
    write(&mut bytes).expect("writing to a vector cannot fail");
    String::from_utf8(bytes).expect("outputs are text")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn rows_are_unique() {
        let ids: BTreeSet<_> = OUTPUTS.iter().map(|spec| spec.id).collect();
        assert_eq!(ids.len(), OUTPUTS.len());
        let extensions: Vec<_> = OUTPUTS.iter().flat_map(|spec| spec.extensions).collect();
        assert_eq!(extensions.iter().collect::<BTreeSet<_>>().len(), extensions.len());
        let saved: Vec<_> = OUTPUTS.iter().filter(|spec| spec.saved_as.is_some()).collect();
        let names: BTreeSet<_> = saved.iter().map(|spec| spec.saved_as).collect();
        assert_eq!(names.len(), saved.len());
        // Pages offer them for all results, and name the file.
        assert!(saved.iter().all(|spec| !spec.extensions.is_empty()));
        assert!(saved.iter().all(|spec| Kind::ALL.iter().all(|&kind| (spec.supports)(kind))));
        let labels: BTreeSet<_> = Kind::ALL.iter().map(|kind| kind.label()).collect();
        assert_eq!(labels.len(), Kind::ALL.len());
    }

    #[test]
    fn unsupported_outputs_are_refused_with_the_supported_ones() {
        for &kind in Kind::ALL {
            for spec in OUTPUTS {
                match OutputSpec::named(spec.id, kind) {
                    Ok(found) => assert!((spec.supports)(kind) && found.id == spec.id),
                    Err(error) => {
                        assert!(!(spec.supports)(kind));
                        let remedy = error.remedy().unwrap_or_default();
                        assert!(OutputSpec::of(kind).all(|other| remedy.contains(other.id)), "{remedy}");
                    }
                }
            }
            let error = OutputSpec::named("jsn", kind).err().expect("no such output");
            assert_eq!(error.remedy().as_deref(), Some("did you mean `json`?"));
        }
    }
}
