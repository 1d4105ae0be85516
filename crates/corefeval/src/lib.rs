//! The command `corefeval`: what was typed → what it means → the library → text → exit status.
//!
//! It is a library so that the Python package can run the same command, and get the reports that it prints as
//! data. What is here is for these two; programs in Rust call `corefeval_core`.

mod agree;
mod args;
mod compare;
mod cone;
mod convert;
mod correlate;
mod errors;
mod figures;
mod list;
mod pairs;
mod plan;
mod probe;
mod reproduce;
mod run;
mod show;
mod systems;
mod terminal;

use std::error::Error as _;
use std::ffi::OsString;
use std::io::{ErrorKind as IoErrorKind, Write};

use clap::ArgMatches;
use clap::error::{ContextKind, ContextValue};
use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::results::Report;
use corefeval_core::results::agreement::AgreementReport;
use corefeval_core::results::correlation::CorrelationReport;

pub use args::command;
pub use compare::Compared;
pub use cone::ConeReport;
pub use figures::write as write_figures;
pub use plan::{Given, metrics_of};
pub use run::{check_output, refuse_warnings};

/// Scored, or printed what was asked for.
const DONE: u8 = 0;
/// The input cannot be scored, or a figure of a paper does not come out.
const CANNOT_SCORE: u8 = 1;
/// Wrong usage.
const WRONG_USAGE: u8 = 2;

/// Runs the command as it was typed, its own name first, and gives back its exit status. Prints to standard
/// output and standard error. What was read is not given back to the system: the process is about to end.
pub fn run_command(typed: impl IntoIterator<Item = OsString>) -> u8 {
    let matches = match command().try_get_matches_from(typed) {
        Ok(matches) => matches,
        Err(error) => {
            // Help and version go to standard output and are no error.
            let status = if error.use_stderr() { WRONG_USAGE } else { DONE };
            let _ = error.print();
            return status;
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
            CANNOT_SCORE
        }
        Err(error) => {
            terminal::print_error(&error);
            if error.kind() == ErrorKind::Settings { WRONG_USAGE } else { CANNOT_SCORE }
        }
    }
}

/// The report that `corefeval score` with these arguments prints. Prints nothing and keeps nothing.
///
/// Where documents are `given`, the first of them the key, they take the place of what the arguments name, in that
/// order; so in the functions below.
pub fn score(arguments: impl IntoIterator<Item = OsString>, given: Vec<Given>) -> Result<Report> {
    let matches = understood("score", arguments)?;
    run::score(&plan::Plan::new(&matches)?.on_documents(given))
}

/// The report that `corefeval compare` with these arguments prints. Prints nothing and keeps nothing.
pub fn compare(arguments: impl IntoIterator<Item = OsString>, given: Vec<Given>) -> Result<Compared> {
    compare::report(&understood("compare", arguments)?, given)
}

/// The report that `corefeval agree` with these arguments prints. Prints nothing and keeps nothing.
pub fn agree(arguments: impl IntoIterator<Item = OsString>, given: Vec<Given>) -> Result<AgreementReport> {
    agree::report(&understood("agree", arguments)?, given)
}

/// The report that `corefeval correlate` with these arguments prints. Prints nothing and keeps nothing.
pub fn correlate(
    arguments: impl IntoIterator<Item = OsString>,
    given: Vec<Given>,
) -> Result<CorrelationReport> {
    correlate::report(&understood("correlate", arguments)?, given)
}

/// The report that `corefeval cone` with these arguments prints. Prints nothing and keeps nothing, but for a key
/// made from names that the arguments have it write.
pub fn cone(arguments: impl IntoIterator<Item = OsString>, given: Vec<Given>) -> Result<ConeReport> {
    cone::report(&understood("cone", arguments)?, given)
}

/// The arguments of a subcommand, or what is wrong with them.
fn understood(subcommand: &'static str, arguments: impl IntoIterator<Item = OsString>) -> Result<ArgMatches> {
    let typed = [OsString::from("corefeval"), OsString::from(subcommand)];
    let matches = command().try_get_matches_from(typed.into_iter().chain(arguments));
    let mut matches = matches.map_err(|error| misunderstood(&error))?;
    matches
        .remove_subcommand()
        .map(|(_, matches)| matches)
        .ok_or_else(|| Error::new(ErrorKind::Settings, "nothing to do"))
}

/// What is wrong with arguments, as the library says it of settings.
fn misunderstood(error: &clap::Error) -> Error {
    let context = |kind: ContextKind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let option = context(ContextKind::InvalidArg).and_then(|arg| arg.strip_prefix("--"));
    let option = option.and_then(|arg| arg.split(' ').next());
    if let (Some(option), Some(value)) = (option, context(ContextKind::InvalidValue)) {
        let wrong = Error::new(ErrorKind::Settings, format!("`{value}` is no value of `{option}`"));
        return match (context(ContextKind::SuggestedValue), error.get(ContextKind::ValidValue)) {
            (Some(near), _) => wrong.hint(format!("did you mean `{near}`?")),
            (None, Some(ContextValue::Strings(values))) if !values.is_empty() => {
                wrong.hint(format!("its values are {}", values.join(", ")))
            }
            _ => match error.source() {
                Some(why) => wrong.hint(why.to_string()),
                None => wrong,
            },
        };
    }
    let text = error.render().to_string();
    // What comes after an empty line is how to type it.
    let mut parts = text.strip_prefix("error: ").unwrap_or(&text).trim_end().split("\n\n");
    let wrong = Error::new(ErrorKind::Settings, parts.next().unwrap_or_default());
    match parts.next().and_then(|part| part.trim().strip_prefix("tip: ")) {
        Some(tip) => wrong.hint(tip),
        None => wrong,
    }
}

fn run(matches: &ArgMatches) -> Result<String> {
    match matches.subcommand() {
        Some(("score", matches)) => {
            let plan = plan::Plan::new(matches)?;
            let report = run::score(&plan)?;
            terminal::print_notes(&report.settings, &report.diagnostics, plan.talk);
            plan.output.render(&report, plan.style)
        }
        Some(("probe", matches)) => {
            let plan = plan::Plan::new(matches)?;
            let report = probe::probe(&plan)?;
            terminal::print_notes(&report.settings, &report.diagnostics, plan.talk);
            plan.output.render(&report, plan.style)
        }
        Some(("errors", matches)) => errors::run(matches),
        Some(("show", matches)) => show::run(matches),
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
            list::render(matches.get_one::<String>("what").map_or("metrics", String::as_str))
        }
        Some(("completions", matches)) => {
            let mut script = Vec::new();
            if let Some(&shell) = matches.get_one::<clap_complete::Shell>("shell") {
                clap_complete::generate(shell, &mut command(), "corefeval", &mut script);
            }
            Ok(String::from_utf8_lossy(&script).into_owned())
        }
        Some(("man", matches)) => manual(matches.get_one::<String>("command").map(String::as_str)),
        _ => Err(Error::new(ErrorKind::Settings, "nothing to do").hint("see `corefeval --help`")),
    }
}

fn manual(page: Option<&str>) -> Result<String> {
    let mut command = command();
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
fn print(text: &str) -> u8 {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() != IoErrorKind::BrokenPipe => {
            let error = Error::new(ErrorKind::Io, format!("standard output cannot be written: {error}"));
            terminal::print_error(&error);
            CANNOT_SCORE
        }
        _ => DONE,
    }
}
