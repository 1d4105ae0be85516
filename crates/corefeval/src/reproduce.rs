//! `corefeval reproduce`: the results of the papers that define the metrics, recomputed.

use std::path::Path;

use clap::{ArgMatches, Command, ValueHint, value_parser};
use corefeval_core::error::Result;
use corefeval_core::evaluation::{NamedInput, limits};
use corefeval_core::output::{refuse_input, write_file};
use corefeval_papers::{self as papers, Simulate, Verdict};
use corefeval_report::{Kind, Printable, Style};

use crate::args::{figures, flag, max_memory, output, path, valued};
use crate::destination::Destination;
use crate::terminal::Terminal;
use crate::typed::{Typed, text};
use crate::{CANNOT_SCORE, DONE, Output, Subcommand, terminal};

/// The subcommand.
pub const REPRODUCE: Subcommand = Subcommand {
    name: "reproduce",
    about: "Recomputes the published results of the papers that define the metrics",
    examples: &[
        ("Published and computed results", "corefeval reproduce"),
        ("Simulated systems on open text", "corefeval reproduce --simulate -o csv"),
    ],
    args,
    run,
};

/// The papers' measurements on licensed data, simulated.
fn simulate(matches: &ArgMatches) -> Result<Output> {
    let destination = Destination::new(matches, Kind::Reproduction)?;
    let limits = limits(&Typed(matches))?;
    let open = text(matches, "text").map(|path| NamedInput::open_within(path, &limits)).transpose()?;
    if let (Some(file), Some(read)) = (&destination.file, &open) {
        refuse_input(file, &[&read.input])?;
    }
    let defaults = Simulate::default();
    let systems = matches.get_one::<u64>("repeats").copied().unwrap_or(defaults.systems);
    let found = papers::simulate(&Simulate { text: open, limits, systems, ..defaults })?;
    Terminal::new(matches)?.write_figures(matches, || found.figures(), false)?;
    let style = Style::of_width(terminal::width());
    destination.put(&found, style)
}

fn run(matches: &ArgMatches) -> Result<Output> {
    if matches.get_flag("simulate") {
        return simulate(matches);
    }
    let destination = Destination::new(matches, Kind::Reproduction)?;
    let found = papers::reproduce()?;
    if let Some(file) = text(matches, "points") {
        write_file(Path::new(file), papers::points()?)?;
    }
    let figures = papers::figures()?;
    Terminal::new(matches)?.write_figures(matches, || figures, false)?;
    let status = if found.count(Verdict::Off) == 0 { DONE } else { CANNOT_SCORE };
    let style = Style::of_width(terminal::width());
    Ok(Output { status, ..destination.put(&found, style)? })
}

fn args(bare: Command) -> Command {
    bare.long_about(
        "Recomputes the published results of the papers that define the metrics from inputs inside the command, and \
             prints published and computed results side by side. Exits with 1 if one differs unexpectedly.\n\n\
             With --simulate it repeats the papers' measurements on licensed data with simulated systems on open text: the \
             penalty of a new entity (Luo's tables 3 and 4), the correlations of CONE, transformed responses and a ranking.",
    )
    .arg(output(Kind::Reproduction))
    .arg(
        path("points", "FILE", "Writes the points of all figures to this file, as CSV")
            .long("points")
            .value_hint(ValueHint::FilePath),
    )
    .arg(
        flag(
            "simulate",
            "Repeats the tables on licensed data with simulated systems on open text: Luo's sweep, CONE's tables, a ranking of fourteen systems",
        )
        .conflicts_with("points"),
    )
    .arg(
        path("text", "KEY", "The annotated text of the simulation [default: examples/voyages, which the command includes]")
            .long("text")
            .requires("simulate")
            .conflicts_with("points")
            .value_hint(ValueHint::AnyPath),
    )
    .arg(
        valued("repeats", "N")
            .requires("simulate")
            .conflicts_with("points")
            .value_parser(value_parser!(u64).range(1..=1000))
            .help("The number of systems averaged in each step of a sweep [default: 20]"),
    )
    .arg(max_memory().requires("text"))
    .args(figures(
        "Draws the analysis of Moosavi and Strube (2016, figures 2-8), or with --simulate the simulations, into this directory, as SVG, PNG and PDF",
    ))
}
