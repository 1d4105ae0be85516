//! The command `corefeval`: what was typed → what it means → the library → text → exit status.

mod agree;
mod args;
mod compare;
mod cone;
mod convert;
mod correlate;
mod figures;
mod list;
mod pairs;
mod plan;
mod probe;
mod reproduce;
mod run;
mod terminal;

use std::io::{ErrorKind as IoErrorKind, Write};
use std::process::ExitCode;

use clap::ArgMatches;
use corefeval_core::error::{Error, ErrorKind, Result};

/// Scored, or printed what was asked for.
const DONE: u8 = 0;
/// The input cannot be scored, or a figure of a paper does not come out.
const CANNOT_SCORE: u8 = 1;
/// Wrong usage.
const WRONG_USAGE: u8 = 2;

fn main() -> ExitCode {
    let matches = match args::command().try_get_matches() {
        Ok(matches) => matches,
        Err(error) => {
            // Help and version go to standard output and are no error.
            let status = if error.use_stderr() { WRONG_USAGE } else { DONE };
            let _ = error.print();
            return ExitCode::from(status);
        }
    };
    let done = match matches.subcommand() {
        Some(("reproduce", matches)) => reproduce::reproduce(matches),
        _ => run(&matches).map(|text| (text, true)),
    };
    match done {
        Ok((text, true)) => print(&text),
        Ok((text, false)) => {
            print(&text);
            ExitCode::from(CANNOT_SCORE)
        }
        Err(error) => {
            terminal::print_error(&error);
            let usage = error.kind() == ErrorKind::Settings;
            ExitCode::from(if usage { WRONG_USAGE } else { CANNOT_SCORE })
        }
    }
}

fn run(matches: &ArgMatches) -> Result<String> {
    match matches.subcommand() {
        Some(("score", matches)) => {
            let plan = plan::Plan::new(matches)?;
            let report = run::score(&plan)?;
            terminal::print_diagnostics(&report.diagnostics, plan.talk);
            Ok(plan.output.render(&report, plan.style))
        }
        Some(("probe", matches)) => {
            let plan = plan::Plan::new(matches)?;
            let report = probe::probe(&plan)?;
            terminal::print_diagnostics(&report.diagnostics, plan.talk);
            Ok(plan.output.render_in_rows(&report, "F1", plan.style))
        }
        Some(("convert", matches)) => {
            let conversion = convert::Conversion::new(matches)?;
            let (text, diagnostics) = conversion.run()?;
            terminal::print_diagnostics(&diagnostics, conversion.talk);
            Ok(text)
        }
        Some(("compare", matches)) => compare::run(matches),
        Some(("agree", matches)) => agree::run(matches),
        Some(("correlate", matches)) => correlate::run(matches),
        Some(("cone", matches)) => cone::run(matches),
        Some(("list", matches)) => {
            Ok(list::render(matches.get_one::<String>("what").map_or("metrics", String::as_str)))
        }
        Some(("completions", matches)) => {
            let mut script = Vec::new();
            if let Some(&shell) = matches.get_one::<clap_complete::Shell>("shell") {
                clap_complete::generate(shell, &mut args::command(), "corefeval", &mut script);
            }
            Ok(String::from_utf8_lossy(&script).into_owned())
        }
        Some(("man", matches)) => manual(matches.get_one::<String>("command").map(String::as_str)),
        _ => Err(Error::new(ErrorKind::Settings, "nothing to do").hint("see `corefeval --help`")),
    }
}

fn manual(page: Option<&str>) -> Result<String> {
    let mut command = args::command();
    command.build();
    let command = match page {
        Some(name) => command.find_subcommand(name).cloned().unwrap_or(command),
        None => command,
    };
    let mut roff = Vec::new();
    let rendered = clap_mangen::Man::new(command).render(&mut roff);
    rendered
        .map_err(|error| Error::new(ErrorKind::Io, format!("the manual page cannot be made: {error}")))?;
    Ok(String::from_utf8_lossy(&roff).into_owned())
}

/// Prints to standard output; a reader that went away (`| head`) is no error.
fn print(text: &str) -> ExitCode {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() != IoErrorKind::BrokenPipe => {
            let error = Error::new(ErrorKind::Io, format!("standard output cannot be written: {error}"));
            terminal::print_error(&error);
            ExitCode::from(CANNOT_SCORE)
        }
        _ => ExitCode::from(DONE),
    }
}
