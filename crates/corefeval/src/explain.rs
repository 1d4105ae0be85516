//! `corefeval explain`: explains why two scores of the same files differ.

use clap::{ArgMatches, Command, ValueHint, value_parser};
use corefeval_core::error::Result;
use corefeval_core::evaluation::{Explain, TaskKind};
use corefeval_core::profiles::PROFILES;
use corefeval_report::Kind;

use crate::args::{output, path, valued};
use crate::prepared::Prepared;
use crate::score::of_score;
use crate::typed::{self, Typed};
use crate::{Output, Subcommand};

/// The subcommand.
pub const EXPLAIN: Subcommand = Subcommand {
    name: TaskKind::Explain.id(),
    about: "Explains why scores differ: between profiles, from a printed number, from another scorer",
    examples: &[
        (
            "Two profiles, and the rules that cause the difference",
            "corefeval explain examples/key.conll examples/alder.conll --profiles conll,e2e",
        ),
        (
            "Find the settings behind the number of a paper",
            "corefeval explain examples/key.conll examples/alder.conll --find conll=78.50",
        ),
        (
            "Output of another scorer",
            "corefeval explain examples/key.conll examples/explain/response.conll --against examples/explain/coval.txt",
        ),
    ],
    args,
    run,
};

fn run(matches: &ArgMatches) -> Result<Output> {
    let (request, explain) = (typed::request(matches)?, Explain::with(&Typed(matches))?);
    let task = Prepared::new(matches, Kind::Explanation, request)?;
    let report = task.run(|evaluation| evaluation.explain(&explain))?;
    task.put(&report)
}

fn args(bare: Command) -> Command {
    let usual = PROFILES[0].compared_with.join(" and ");
    let about = format!(
        "Profiles, joined by commas; the first is compared with each of the others [default: the format's, and \
         {}, or {usual}]",
        PROFILES[0].id
    );
    bare.long_about(
        "Explains why two scores of the same files differ.\n\n\
         Profiles are scored side by side. Their settings differ in some rules; the rules are switched one at a time, in \
         the order of `corefeval list options`, and each step is scored, so that the changes add up to the whole \
         difference. Each step names the documents and mentions that it changes.\n\n\
         --find searches all profiles, and settings one rule away from a profile, for those that print a number, \
         and reports how likely a hit is by chance. --against reads the output of another scorer, finds the \
         settings that print the same, \
         and explains how they differ from ours.",
    )
    .override_usage("corefeval explain [OPTIONS] KEY RESPONSE")
    .arg(path("key", "KEY", "The annotation taken as correct").required(true))
    .arg(path("response", "RESPONSE", "The annotation to score").required(true))
    .next_help_heading("Explanation")
    .arg(
        valued("profiles", "LIST")
            .long_help(format!(
                "{about}\n\nOptions may follow each after a bar: conll,corefud|singletons:keep|match:exact"
            ))
            .help(about),
    )
    .arg(
        valued("find", "NUMBERS")
            .help("Searches for settings that print these percentages: 62.03, or conll=62.03,muc.recall=70.1"),
    )
    .arg(
        valued("against", "FILE")
            .value_hint(ValueHint::FilePath)
            .help(
                "Explains the output of another scorer: the reference scorer, coval, corefud-scorer or the Universal Anaphora scorer",
            ),
    )
    .arg(
        valued("examples", "N")
            .value_parser(value_parser!(u16))
            .help("The number of mentions for each step [default: 3, or 1 if there are more than two steps]"),
    )
    .args(of_score(TaskKind::Explain))
    .next_help_heading("Output")
    .arg(output(Kind::Explanation))
}
