//! `corefeval agree`: annotators scored against each other, and Krippendorff's α.

use clap::{ArgMatches, Command};
use corefeval_core::error::Result;
use corefeval_core::evaluation::{Agree, TaskKind};
use corefeval_report::Kind;

use crate::args::{flag, methods, output};
use crate::prepared::Prepared;
use crate::typed::{self, Typed, refuse_idle};
use crate::{Output, Subcommand, score};

/// The subcommand.
pub const AGREE: Subcommand = Subcommand {
    name: TaskKind::Agree.id(),
    about: "Measures agreement between annotators: scores in both directions, Krippendorff's α",
    examples: &[("Two annotators", "corefeval agree ada=examples/key.conll bo=examples/alder.conll")],
    args,
    run,
};

fn run(matches: &ArgMatches) -> Result<Output> {
    refuse_idle(matches, &["details"], "agreement", "leave it out; --columns chooses the columns")?;
    let (request, agree) = (typed::request(matches)?, Agree::with(&Typed(matches))?);
    let task = Prepared::new(matches, Kind::Agreement, request)?;
    let report = task.run(|evaluation| evaluation.agree(&agree))?;
    task.put(&report)
}

/// Like `score`, for annotators: options that do not apply are hidden and refused later, with a reason.
fn args(bare: Command) -> Command {
    score::like_score(bare, TaskKind::Agree)
        .long_about(
            "Measures agreement between annotators: scores in both directions, Krippendorff's α.\n\n\
             Each annotator is scored against every other, in both directions. α compares their annotation of each \
             mention (the set of mentions it is put in) and of each pair of mentions, corrected for chance; \
             its interval is from a bootstrap over documents.",
        )
        .override_usage("corefeval agree [OPTIONS] ANNOTATOR ANNOTATOR...")
        .mut_arg("key", |arg| arg.value_name("ANNOTATOR").help("The first annotator: PATH or NAME=PATH"))
        .mut_arg("response", |arg| arg.value_name("ANNOTATOR").help("The others: PATH or NAME=PATH"))
        .mut_arg("by", |arg| {
            let help = "Adds the agreement on each document [document]";
            arg.help(help).long_help(help)
        })
        .mut_arg("output", |_| output(Kind::Agreement))
        .next_help_heading("Agreement").args(methods(Agree::METHOD)).arg(flag(
        "shared-documents",
        "Compares on the documents that all annotators have; without it, a missing document is an error",
    ))
}
