//! `corefeval show`: a document with the mentions of key and responses, in the terminal.

use std::io::{IsTerminal, Write};
use std::process::{self, Stdio};

use clap::{ArgMatches, Command, value_parser};
use corefeval_core::error::Result;
use corefeval_core::evaluation::{Errors, TaskKind};
use corefeval_report::{Kind, Style};

use crate::args::{flag, output, path, valued};
use crate::prepared::Prepared;
use crate::score::of_score;
use crate::typed::{self, Typed};
use crate::{Output, Subcommand, errors};

/// The subcommand.
pub const SHOW: Subcommand = Subcommand {
    name: TaskKind::Show.id(),
    about: "Shows documents with the mentions of key and responses",
    examples: &[
        (
            "One document with the mentions of both sides",
            "corefeval show --document stories/stairs examples/key.conll examples/cedar.conll",
        ),
        ("All mentions as a table", "corefeval show -o mentions.csv examples/key.conll examples/cedar.conll"),
    ],
    args,
    run,
};

/// The width of lines if none is given and that of the terminal is not known.
const WIDTH: usize = 80;

/// Shows the documents in a pager on a terminal, otherwise as text, or writes them to the destination of `-o`.
fn run(matches: &ArgMatches) -> Result<Output> {
    let Prepared { destination, terminal, evaluation, .. } =
        Prepared::new(matches, Kind::Documents, typed::request(matches)?)?;
    let errors = Errors::with(&Typed(matches))?;
    let found = evaluation.show(typed::text(matches, "document"), &errors)?;
    terminal.print_diagnostics(&found.diagnostics);
    let width = matches.get_one::<u16>("width").map(|&width| width.into()).or(terminal.style.width);
    let mut style = Style::of_width(width.or(Some(WIDTH)));
    style.colour = terminal.style.colour;
    let shown = destination.put(&found, style)?;
    let to_terminal =
        destination.id == "table" && destination.file.is_none() && std::io::stdout().is_terminal();
    let paged = to_terminal && !matches.get_flag("no-pager") && page(&shown.text);
    Ok(if paged { Output::done(String::new()) } else { shown })
}

fn args(bare: Command) -> Command {
    let shared = of_score(TaskKind::Show);
    bare
        .long_about(
            "Shows documents with the mentions of key and responses in one text. Brackets, not only colours, show \
             what is in both, missing or extra. Each entity of a response has the number of the key entity with \
             which it shares the most mentions, otherwise a letter; an entity of one mention has neither. Labels are \
             those of the page of `corefeval report`. On a terminal a pager shows them ($PAGER, otherwise less).",
        )
        .override_usage("corefeval show [OPTIONS] KEY RESPONSE...")
        .arg(path("key", "KEY", "The annotation taken as correct").required(true))
        .arg(path("response", "RESPONSE", "The annotation to show").required(true).num_args(1..))
        .next_help_heading("Documents")
        .arg(
            valued("document", "ID")
                .short('d')
                .help("The document, by its id or by its name without the part [default: all]"),
        )
        .arg(
            valued("width", "COLUMNS")
                .value_parser(value_parser!(u16).range(20..))
                .help("Width of lines [default: that of the terminal, otherwise 80]"),
        )
        .arg(flag("no-pager", "Prints directly, even on a terminal"))
        .args([errors::language(), errors::types()])
        .args(shared)
        .next_help_heading("Output")
        .arg(output(Kind::Documents))
}

/// Shows a text in the pager of the environment; returns whether there was one.
fn page(text: &str) -> bool {
    let pager = std::env::var("PAGER").unwrap_or_else(|_| "less".to_owned());
    let mut words = pager.split_whitespace();
    let Some(program) = words.next() else { return false };
    let mut process = process::Command::new(program);
    process.args(words).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        // Shows colours; if the text fits on the screen, exits and leaves it there.
        process.env("LESS", "FRX");
    }
    let Ok(mut child) = process.spawn() else { return false };
    if let Some(mut input) = child.stdin.take() {
        // The user may quit the pager before the end.
        let _ = input.write_all(text.as_bytes());
    }
    child.wait().is_ok()
}
