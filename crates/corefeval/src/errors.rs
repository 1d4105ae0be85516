//! `corefeval errors`: the errors of responses, their cost and their places.

use std::mem::ManuallyDrop;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command, value_parser};
use corefeval_core::analysis::{COREF_ERRORS, LANGUAGES, Language, Tree, TypeRule};
use corefeval_core::error::Result;
use corefeval_core::evaluation::{Errors, TaskKind};
use corefeval_report::Kind;

use crate::args::{described, figures, listed, output, path, valued};
use crate::prepared::Prepared;
use crate::score::of_score;
use crate::typed::{self, Typed};
use crate::{Output, Subcommand};

/// The subcommand.
pub const ERRORS: Subcommand = Subcommand {
    name: TaskKind::Errors.id(),
    about: "Analyses errors: their kinds, the cost of each kind, and examples",
    examples: &[
        (
            "Kinds of errors, their cost, and examples",
            "corefeval errors examples/key.conll examples/cedar.conll",
        ),
        ("Every error as a row", "corefeval errors -o csv examples/key.conll examples/cedar.conll"),
    ],
    args,
    run,
};

fn run(matches: &ArgMatches) -> Result<Output> {
    let (request, mut errors) = (typed::request(matches)?, Errors::with(&Typed(matches))?);
    let task = Prepared::new(matches, Kind::Errors, request)?;
    errors.rows = task.destination.output(Kind::Errors)?.lists_errors;
    // Its memory is not released, because the process is about to end.
    let report = ManuallyDrop::new(task.run(|evaluation| evaluation.errors(&errors))?);
    task.put(&*report)
}

/// The option for the tree.
pub fn tree() -> Arg {
    let values = Tree::ALL.map(|(_, id, summary)| (id, summary));
    let arg = valued("tree", "TREE");
    with_first(arg, Tree::SUMMARY, &values)
}

/// The option for the rule that determines types.
pub fn types() -> Arg {
    let values = TypeRule::ALL.map(|(_, id, summary)| (id, summary));
    let arg = valued("types", "RULE");
    with_first(arg, TypeRule::SUMMARY, &values)
}

/// Makes an option with named values; the first is the default.
fn with_first(arg: Arg, help: &str, values: &[(&'static str, &'static str)]) -> Arg {
    let default = format!(" [default: {}]", values[0].0);
    described(arg, help, values, &default, &default)
}

/// The option for the language.
pub fn language() -> Arg {
    valued("language", "CODE")
        .value_parser(PossibleValuesParser::new(LANGUAGES.iter().map(|row| row.code)))
        .help(format!("{}, `none` for any other [default: detected by its pronouns]", Language::SUMMARY))
}

fn args(bare: Command) -> Command {
    let shared = of_score(TaskKind::Errors);
    let kinds = listed(COREF_ERRORS.iter().map(|spec| (spec.id, spec.summary)));
    bare
        .long_about(format!(
            "Analyses the errors of one or more responses.\n\n\
             The first seven kinds are those of Kummerfeld and Klein (2013): corrected in sequence they turn the \
             response into the key, and the scores after each step show what a kind costs. Missed and wrong links \
             are those of Martschat and Strube (2014): mentions without any correct antecedent.\n\n{kinds}",
        ))
        .override_usage("corefeval errors [OPTIONS] KEY RESPONSE...")
        .arg(path("key", "KEY", "The annotation taken as correct").required(true))
        .arg(path("response", "RESPONSE", "The annotation to analyse").required(true).num_args(1..))
        .next_help_heading("Errors")
        .arg(tree())
        .arg(
            valued("kinds", "LIST")
                .help("Kinds of errors to show, joined by commas [default: all]"),
        )
        .arg(
            valued("examples", "N")
                .value_parser(value_parser!(u16))
                .help("The number of examples for each kind [default: 2]"),
        )
        .args([language(), types()])
        .args(shared)
        .next_help_heading("Output")
        .arg(output(Kind::Errors))
        .args(figures("Draws the cost of errors as a waterfall into this directory, as SVG, PNG and PDF"))
        .mut_arg("metrics", |metrics| {
            metrics.help("Metrics that measure the cost of errors, joined by commas [default: by profile]; see `corefeval list metrics`")
        })
}
