//! `corefeval reproduce`: the results of the papers that define the metrics, computed anew.

use std::path::Path;

use clap::{Arg, ArgMatches, Command};
use corefeval_core::error::Result;
use corefeval_papers::{self as papers, Verdict};
use corefeval_report::{Kind, OutputSpec, Style};

use crate::args::{figures, outputs_of};
use crate::typed::text;
use crate::{CANNOT_SCORE, DONE, Output, Subcommand, files, terminal};

/// The subcommand.
pub const REPRODUCE: Subcommand = Subcommand {
    name: "reproduce",
    about: "Recomputes the figures of the papers that define the metrics",
    args,
    run,
};

fn run(matches: &ArgMatches) -> Result<Output> {
    let output = OutputSpec::named(text(matches, "output").unwrap_or("table"), Kind::Reproduction)?;
    let found = papers::reproduce()?;
    if let Some(folder) = text(matches, "figures") {
        files::write_figures(Path::new(folder), &papers::figures()?)?;
    }
    let status = if found.count(Verdict::Off) == 0 { DONE } else { CANNOT_SCORE };
    let style = Style { colour: false, width: terminal::width() };
    Ok(Output { text: output.render(&found, style)?, status })
}

fn args(bare: Command) -> Command {
    bare.long_about(
        "Recomputes the figures of the papers that define the metrics from inputs inside the command, and \
             prints published beside computed. Exits with 1 if one differs that should not.",
    )
    .arg(
        Arg::new("output")
            .long("output")
            .short('o')
            .value_name("OUTPUT")
            .value_parser(outputs_of(Kind::Reproduction))
            .default_value("table")
            .help("How the figures are shown"),
    )
    .arg(figures("Draws the analysis of Moosavi and Strube (2016, figures 2-8) there, SVG and PNG a family"))
}
