//! The command `corefeval`: the typed line → a request → an evaluation → a report → text → exit status.
//!
//! Each subcommand is a file and a row of `SUBCOMMANDS`. Everything except the command line and the terminal is in
//! the libraries, which programs in Rust use directly. Two partitions are scored with `corefeval_core`, or with
//! `corefeval_metrics`, which has no dependencies:
//!
//! ```
//! use corefeval_core::score_partitions;
//! let key = [vec!["Ada", "she"], vec!["the pilot", "he", "him"]];
//! let response = [vec!["Ada", "she", "him"], vec!["the pilot", "he"]];
//! let scores = score_partitions(&key, &response, &["conll"])?;
//! assert_eq!(format!("{:.2}", 100.0 * scores[0].score.f1), "73.33");
//! # Ok::<(), corefeval_core::Error>(())
//! ```
//!
//! Two files are scored and printed with `corefeval_core` and `corefeval_report`:
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

#![forbid(unsafe_code)]

mod accepted;
mod agree;
mod args;
mod board;
mod compare;
mod cone;
mod convert;
mod correlate;
mod destination;
mod early;
mod errors;
mod explain;
mod honoured;
mod list;
mod merge;
mod prepared;
mod probe;
mod prompt;
mod report;
mod reproduce;
mod score;
mod shell;
mod show;
mod sink;
mod stats;
mod terminal;
mod typed;
mod validate;

use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind as IoErrorKind, Write};
use std::mem::ManuallyDrop;

use clap::{ArgMatches, Command};
use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::text;
use corefeval_core::wording::quoted;

/// A subcommand.
struct Subcommand {
    /// The name, as typed.
    name: &'static str,
    /// One line of help.
    about: &'static str,
    /// Command lines that `--help` shows, each with a description.
    examples: &'static [(&'static str, &'static str)],
    /// Adds its options to a bare command.
    args: fn(Command) -> Command,
    /// Runs the subcommand.
    run: fn(&ArgMatches) -> Result<Output>,
}

impl Subcommand {
    /// Returns the examples as the end of the help.
    fn examples(&self) -> String {
        let each = self.examples.iter().map(|(what, typed)| format!("\n  {what}:\n    {typed}\n"));
        format!("Examples:{}", each.collect::<String>())
    }
}

/// The subcommands, in the order of the help. Options are built only for the subcommand that runs, since building all
/// of them takes longer than scoring a small file.
static SUBCOMMANDS: &[Subcommand] = &[
    score::SCORE,
    probe::PROBE,
    errors::ERRORS,
    explain::EXPLAIN,
    show::SHOW,
    report::REPORT,
    reproduce::REPRODUCE,
    stats::STATS,
    validate::VALIDATE,
    convert::CONVERT,
    merge::MERGE,
    prompt::PROMPT,
    compare::COMPARE,
    board::BOARD,
    agree::AGREE,
    correlate::CORRELATE,
    cone::CONE,
    list::LIST,
    shell::COMPLETIONS,
    shell::MAN,
];

/// The result of a subcommand.
struct Output {
    /// The text for standard output.
    text: String,
    /// The exit status.
    status: u8,
}

impl Output {
    /// Returns a text with the status of success.
    fn done(text: String) -> Output {
        Output { text, status: DONE }
    }
}

/// Success.
const DONE: u8 = 0;
/// The input cannot be scored, or a result of a paper is not reproduced.
const CANNOT_SCORE: u8 = 1;
/// Wrong usage.
const WRONG_USAGE: u8 = 2;

/// Returns the whole command as `clap` represents it.
pub fn command() -> Command {
    let rows = SUBCOMMANDS.iter().map(|row| Command::new(row.name).about(row.about).defer(with_args));
    Command::new("corefeval")
        .version(corefeval_core::VERSION)
        .about("Scores coreference resolution: every metric, exact and fast")
        // Help fits the terminal. Elsewhere its lines are not wrapped, for programs that read them.
        .term_width(terminal::width().unwrap_or(0))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(rows)
}

/// Adds the options and examples of a subcommand to its bare command.
fn with_args(bare: Command) -> Command {
    match SUBCOMMANDS.iter().find(|row| row.name == bare.get_name()) {
        Some(row) => (row.args)(bare).after_long_help(row.examples()),
        None => bare,
    }
}

/// Runs the command as it was typed, its own name first, and returns its exit status. Prints to standard
/// output and standard error. Memory is not released, because the process is about to end.
pub fn run_command(typed: impl IntoIterator<Item = OsString>) -> u8 {
    let typed: Vec<OsString> = typed.into_iter().collect();
    if let Some(argument) = typed.iter().find(|argument| argument.to_str().is_none()) {
        terminal::print_error(&not_utf8(argument));
        return WRONG_USAGE;
    }
    let with_help = may_show_help(&typed);
    // Dropping the parser and its matches takes 5% of the run time on a small input.
    let mut parser = ManuallyDrop::new(command());
    let mut parsed =
        args::parsed(with_help, || parser.try_get_matches_from_mut(&typed)).map(ManuallyDrop::new);
    if parsed.is_err() && !with_help {
        parsed = command().try_get_matches_from(&typed).map(ManuallyDrop::new);
    }
    let matches = match parsed {
        Ok(matches) => matches,
        // Arguments may come from an untrusted file.
        Err(error) if error.use_stderr() => {
            terminal::print_usage_error(&accepted::with_tip(error, &typed).render().to_string());
            return WRONG_USAGE;
        }
        // Help and version.
        Err(error) => return print(&error.render().to_string()),
    };
    match run(&matches) {
        Ok(Output { text, status }) => print(&text).max(status),
        Err(error) => {
            terminal::print_error(&error);
            if error.kind() == ErrorKind::Settings { WRONG_USAGE } else { CANNOT_SCORE }
        }
    }
}

/// Returns whether a typed line may request help: `help`, `--help` or a cluster of short options with `h`, or a subcommand
/// that writes the help of all.
fn may_show_help(typed: &[OsString]) -> bool {
    let asks = |argument: &str| argument.starts_with('-') && argument.contains('h');
    let subcommand = typed.get(1).and_then(|argument| argument.to_str());
    !subcommand.is_some_and(|name| SUBCOMMANDS.iter().any(|row| row.name == name))
        || [shell::COMPLETIONS.name, shell::MAN.name].map(Some).contains(&subcommand)
        || typed.iter().filter_map(|argument| argument.to_str()).any(asks)
}

fn not_utf8(argument: &OsStr) -> Error {
    let message = text!("the argument {} is not UTF-8", quoted(argument.to_string_lossy()));
    let hint = "rename the file, or name its directory: files in directories may have any names";
    Error::new(ErrorKind::Settings, message).hint(hint)
}

fn run(matches: &ArgMatches) -> Result<Output> {
    let (name, matches) = matches.subcommand().unwrap_or(("", matches));
    let row = SUBCOMMANDS.iter().find(|row| row.name == name);
    let row =
        row.ok_or_else(|| Error::new(ErrorKind::Settings, "nothing to do").hint("see `corefeval --help`"))?;
    accepted::begin(row.name, matches);
    (row.run)(matches)
}

/// Prints to standard output; a reader that closed the pipe (`| head`) is not an error.
fn print(text: &str) -> u8 {
    match put(text.as_bytes()) {
        Err(error) => {
            terminal::print_error(&error);
            CANNOT_SCORE
        }
        Ok(_) => DONE,
    }
}

/// Writes to standard output; returns `false` if the reader has closed the pipe.
fn put(bytes: &[u8]) -> Result<bool> {
    put_with(|out| Ok(out.write_all(bytes)))
}

/// Like [`put`], piece by piece. The inner result of `write_to` is that of the writer.
fn put_with(write_to: impl FnOnce(&mut dyn Write) -> Result<std::io::Result<()>>) -> Result<bool> {
    let mut out = std::io::stdout().lock();
    let written = write_to(&mut out)?.and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() == IoErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Error::new(ErrorKind::Io, format!("standard output cannot be written: {error}"))),
        Ok(()) => Ok(true),
    }
}

#[cfg(test)]
mod tests {
    use corefeval_core::settings::OPTIONS;

    use super::*;

    #[test]
    fn the_command_is_well_formed() {
        command().debug_assert();
    }

    #[test]
    fn lines_that_may_show_help_are_parsed_with_it() {
        let may = |typed: &str| may_show_help(&typed.split(' ').map(OsString::from).collect::<Vec<_>>());
        for typed in [
            "corefeval", "corefeval help score", "corefeval score --help", "corefeval score -qh",
            "corefeval man",
        ] {
            assert!(may(typed), "{typed}");
        }
        for typed in ["corefeval score -q harbour.conll hill.conll", "corefeval validate a.conll"] {
            assert!(!may(typed), "{typed}");
        }
        let help = |with_help: bool| {
            let mut command = command();
            let found =
                args::parsed(with_help, || command.try_get_matches_from_mut(["corefeval", "score", "-h"]));
            found.expect_err("help").to_string()
        };
        assert!(help(true).contains("[default: table]") && help(true).len() > help(false).len());
    }

    #[test]
    fn every_choice_is_an_option() {
        let mut command = command();
        command.build();
        for name in ["score", "compare", "agree"] {
            let command = command.find_subcommand(name).expect("a subcommand");
            for option in OPTIONS {
                let found = command.get_arguments().any(|arg| arg.get_long() == Some(option.name));
                assert!(found, "{name} {}", option.name);
            }
        }
    }
}
