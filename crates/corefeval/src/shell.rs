//! `corefeval completions` and `corefeval man`: the command line itself, for shells and for readers of manuals.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command, value_parser};
use clap_complete::Shell;
use corefeval_core::error::{Error, ErrorKind, Result};

use crate::typed::text;
use crate::{Output, SUBCOMMANDS, Subcommand, command};

/// The subcommand for shells.
pub const COMPLETIONS: Subcommand = Subcommand {
    name: "completions",
    about: "Prints a completion script for a shell",
    examples: &[("Completion in bash", "corefeval completions bash")],
    args: of_completions,
    run: completions,
};

/// The subcommand for readers of manuals.
pub const MAN: Subcommand = Subcommand {
    name: "man",
    about: "Prints the manual page, in roff",
    examples: &[("The manual of a subcommand", "corefeval man score")],
    args: of_man,
    run: man,
};

fn completions(matches: &ArgMatches) -> Result<Output> {
    let mut script = Vec::new();
    if let Some(&shell) = matches.get_one::<Shell>("shell") {
        clap_complete::generate(shell, &mut command(), "corefeval", &mut script);
    }
    Ok(Output::done(String::from_utf8_lossy(&script).into_owned()))
}

fn man(matches: &ArgMatches) -> Result<Output> {
    let mut command = command();
    command.build();
    let page = text(matches, "command").and_then(|name| command.find_subcommand(name).cloned());
    let mut roff = Vec::new();
    let rendered = clap_mangen::Man::new(page.unwrap_or(command)).render(&mut roff);
    rendered
        .map_err(|error| Error::new(ErrorKind::Io, format!("the manual page cannot be made: {error}")))?;
    Ok(Output::done(String::from_utf8_lossy(&roff).into_owned()))
}

fn of_completions(bare: Command) -> Command {
    bare.arg(
        Arg::new("shell").required(true).value_parser(value_parser!(Shell)).help("The shell to complete in"),
    )
}

fn of_man(bare: Command) -> Command {
    bare.arg(
        Arg::new("command")
            .value_parser(PossibleValuesParser::new(SUBCOMMANDS.iter().map(|row| row.name)))
            .help("The page of one subcommand [default: the main page]"),
    )
}
