//! `corefeval reproduce`: the results of the papers that define the metrics, recomputed.

use std::path::Path;

use clap::{ArgMatches, Command, ValueHint};
use corefeval_core::error::Result;
use corefeval_papers::{self as papers, Verdict};
use corefeval_report::{Kind, Style};

use crate::args::{figures, output, path};
use crate::destination::Destination;
use crate::terminal::Terminal;
use crate::typed::text;
use crate::{CANNOT_SCORE, DONE, Output, Subcommand, files, terminal};

/// The subcommand.
pub const REPRODUCE: Subcommand = Subcommand {
    name: "reproduce",
    about: "Recomputes the figures of the papers that define the metrics",
    examples: &[("Published beside computed results", "corefeval reproduce")],
    args,
    run,
};

fn run(matches: &ArgMatches) -> Result<Output> {
    let destination = Destination::new(matches, Kind::Reproduction)?;
    let found = papers::reproduce()?;
    if let Some(file) = text(matches, "points") {
        files::write_file(Path::new(file), papers::points()?)?;
    }
    Terminal::new(matches)?.write_figures(matches, papers::figures()?, false)?;
    let status = if found.count(Verdict::Off) == 0 { DONE } else { CANNOT_SCORE };
    let style = Style { width: terminal::width(), ..Style::default() };
    Ok(Output { status, ..destination.put(&found, style)? })
}

fn args(bare: Command) -> Command {
    bare.long_about(
        "Recomputes the figures of the papers that define the metrics from inputs inside the command, and \
             prints published beside computed. Exits with 1 if one differs that should not.",
    )
    .arg(output(Kind::Reproduction))
    .arg(
        path("points", "FILE", "Writes the points of all figures there, as CSV")
            .long("points")
            .value_hint(ValueHint::FilePath),
    )
    .args(figures(
        "Draws the analysis of Moosavi and Strube (2016, figures 2-8) there, SVG, PNG and PDF a family",
    ))
}
