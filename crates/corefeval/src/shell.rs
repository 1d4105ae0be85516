//! `corefeval completions` and `corefeval man`: the description of the command line, for shells and as manual pages.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command, ValueHint, value_parser};
use clap_complete::Shell;
use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::output::write_file;

use crate::args::path;
use crate::typed::text;
use crate::{Output, SUBCOMMANDS, Subcommand, command};

/// The subcommand for shells.
pub const COMPLETIONS: Subcommand = Subcommand {
    name: "completions",
    about: "Prints a completion script for a shell",
    examples: &[
        ("Completion in bash", "corefeval completions bash"),
        ("Into a file", "corefeval completions bash -o corefeval.bash"),
    ],
    args: of_completions,
    run: completions,
};

/// The subcommand for readers of manuals.
pub const MAN: Subcommand = Subcommand {
    name: "man",
    about: "Prints the manual page, in roff",
    examples: &[
        ("The manual of a subcommand", "corefeval man score"),
        ("Into a file, for man", "corefeval man score -o corefeval-score.1"),
    ],
    args: of_man,
    run: man,
};

fn completions(matches: &ArgMatches) -> Result<Output> {
    let mut script = Vec::new();
    if let Some(&shell) = matches.get_one::<Shell>("shell") {
        clap_complete::generate(shell, &mut command(), "corefeval", &mut script);
    }
    put(matches, &script)
}

fn man(matches: &ArgMatches) -> Result<Output> {
    let mut command = command();
    command.build();
    let page = text(matches, "command").and_then(|name| command.find_subcommand(name).cloned());
    let mut roff = Vec::new();
    let source = format!("corefeval {}", corefeval_core::VERSION);
    let rendered = clap_mangen::Man::new(page.unwrap_or(command)).source(source).render(&mut roff);
    rendered
        .map_err(|error| Error::new(ErrorKind::Io, format!("the manual page cannot be made: {error}")))?;
    put(matches, &roff)
}

/// Prints a text, or writes it to the file of `-o`.
fn put(matches: &ArgMatches, text: &[u8]) -> Result<Output> {
    match matches.get_one::<PathBuf>("output").filter(|file| file.as_os_str() != "-") {
        Some(file) => write_file(file, text).map(|()| Output::done(String::new())),
        None => Ok(Output::done(String::from_utf8_lossy(text).into_owned())),
    }
}

/// The option for the output file. A script or a page has only one format, so its file may have any name.
fn output() -> Arg {
    path("output", "FILE", "The file to write [default: standard output]")
        .long("output")
        .short('o')
        .value_parser(value_parser!(PathBuf))
        .value_hint(ValueHint::FilePath)
}

fn of_completions(bare: Command) -> Command {
    bare.arg(Arg::new("shell").required(true).value_parser(value_parser!(Shell)).help("The shell"))
        .arg(output())
}

fn of_man(bare: Command) -> Command {
    bare.arg(
        Arg::new("command")
            .value_parser(PossibleValuesParser::new(SUBCOMMANDS.iter().map(|row| row.name)))
            .help("The page of one subcommand [default: the main page]"),
    )
    .arg(output())
}
