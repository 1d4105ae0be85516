//! `corefeval stats`: statistics of corpora.

use clap::{ArgMatches, Command};
use corefeval_core::error::Result;
use corefeval_core::evaluation::{Stats, TaskKind};
use corefeval_core::groups::groupings_of_documents;
use corefeval_report::Kind;

use crate::args::{flag, output, path};
use crate::prepared::Prepared;
use crate::score::of_score;
use crate::typed::{self, Typed};
use crate::{Output, Subcommand};

/// The subcommand.
pub const STATS: Subcommand = Subcommand {
    name: TaskKind::Stats.id(),
    about: "Counts documents, words, mentions, entities and their properties",
    examples: &[
        ("Statistics of a corpus", "corefeval stats examples/key.conll"),
        (
            "A table for a paper",
            "corefeval stats -o corpora.tex key=examples/key.conll response=examples/alder.conll",
        ),
        ("Counts of each document", "corefeval stats --by document examples/key.conll"),
    ],
    args,
    run,
};

fn run(matches: &ArgMatches) -> Result<Output> {
    let task = Prepared::new(matches, Kind::Stats, typed::request(matches)?)?;
    let report = task.evaluation.stats(&Stats::with(&Typed(matches))?)?;
    task.put(&report)
}

fn args(bare: Command) -> Command {
    bare.long_about(
        "Counts documents, sentences, words, mentions, entities and singletons of files and directories, a column for \
         each, with the sizes of entities, the lengths, types and parts of speech of mentions, and zeros, \
         discontinuous, nested and crossing mentions.\n\n\
         Everything is counted as annotated, before any setting drops mentions. A mention is nested if another \
         one contains its first and its last word; two mentions cross if each has an end that the other lacks.",
    )
    .override_usage("corefeval stats [OPTIONS] FILE...")
    .arg(path("corpus", "FILE", "A file or directory to count, PATH or NAME=PATH").required(true).num_args(1..))
    .arg(flag("response", "Counts the response if a file has both key and response"))
    .args(of_score(TaskKind::Stats))
    .mut_arg("by", |arg| {
        let groupings = groupings_of_documents().join("|");
        let help = format!("Adds the counts of groups of documents [{groupings}]");
        arg.help(help.clone()).long_help(help)
    })
    .arg(output(Kind::Stats))
}
