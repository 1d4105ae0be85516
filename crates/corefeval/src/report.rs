//! `corefeval report`: an HTML page with scores, errors and texts.

use clap::{ArgMatches, Command, ValueHint};
use corefeval_core::error::Result;
use corefeval_core::evaluation::{Compare, Errors, TaskKind, Values};
use corefeval_core::significance::METHOD_FIELDS;
use corefeval_page::{Page, Texts};

use crate::accepted::Accepted;
use crate::args::{flag, method, path, valued};
use crate::destination::Destination;
use crate::prepared::Prepared;
use crate::score::of_score;
use crate::typed::{self, Typed, text};
use crate::{Output, Subcommand, errors};

/// The subcommand.
pub const REPORT: Subcommand = Subcommand {
    name: TaskKind::Report.id(),
    about: "Writes an HTML page with scores, errors and texts",
    examples: &[(
        "A page to open in a browser",
        "corefeval report -o page.html examples/key.conll examples/alder.conll examples/cedar.conll",
    )],
    args,
    run,
};

/// The only output.
const OUTPUT: (&str, &[&str]) = ("html", &["html", "htm"]);

fn run(matches: &ArgMatches) -> Result<Output> {
    let (compare, analysis) = (Compare::with(&Typed(matches))?, Errors::with(&Typed(matches))?);
    let destination = Destination::among(&[OUTPUT], text(matches, "output").unwrap_or(OUTPUT.0))?;
    let Prepared { destination, terminal, evaluation, .. } =
        Prepared::with(destination, matches, typed::request(matches)?)?;
    let overview = terminal.while_working(|| evaluation.overview(Some(&compare.method), &analysis))?;
    terminal.print_diagnostics(&overview.report.diagnostics);
    if let Some(error) = &overview.not_compared {
        terminal.warn(&format!("without intervals and tests: {}", error.worded(&Accepted).join("\n")));
    }
    let names: Vec<String>;
    let texts = match (matches.get_flag("without-text"), Typed(matches).value("documents")) {
        (true, _) => Texts::None,
        (false, None) => Texts::All,
        (false, Some(list)) => match list.parse() {
            Ok(count) => Texts::First(count),
            Err(_) => {
                let wanted: Vec<String> = list.split(',').map(|name| name.trim().to_owned()).collect();
                names = overview.named(&wanted)?;
                Texts::Named(&names)
            }
        },
    };
    let page = Page { title: text(matches, "title"), texts, wording: &Accepted, ..Page::from(&overview) };
    let html = page.html();
    destination.put_text(html)
}

/// Like `score`, with the options of comparisons.
fn args(bare: Command) -> Command {
    bare.long_about(
        "Writes an HTML page with scores, errors and texts.\n\n\
         The page is one file that loads nothing from the network. It has the scores with their intervals, the \
         comparison of the systems, scores by document and genre, every error with its sentence, and the text of \
         each document with the mentions of key and responses.",
    )
    .override_usage("corefeval report [OPTIONS] KEY RESPONSE...")
    .arg(path("key", "KEY", "The annotation taken as correct").required(true))
    .arg(path("response", "RESPONSE", "The annotation to report on").required(true).num_args(1..))
    .args(of_score(TaskKind::Report))
    .next_help_heading("Page")
    .arg(
        path("output", "html|FILE", "The file to write (.html), or `html` for standard output [default: html]")
            .long("output")
            .short('o')
            .value_hint(ValueHint::FilePath),
    )
    .arg(
        valued("documents", "N|LIST")
            .conflicts_with("without-text")
            .help("Puts the texts of the first N documents, or of those with these ids or names, in the page [default: all]"),
    )
    .arg(flag("without-text", "Leaves out all words, for corpora that must not be passed on"))
    .arg(valued("title", "TEXT").help("The heading of the page"))
    .next_help_heading("Errors")
    .args([errors::tree(), errors::language(), errors::types()])
    .next_help_heading("Comparison")
    .args(METHOD_FIELDS.iter().map(method))
}
