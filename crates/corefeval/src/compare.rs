//! `corefeval compare`: systems with confidence intervals, significance tests and ranks.

use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};
use corefeval_core::error::Result;
use corefeval_core::evaluation::{Compare, TaskKind};
use corefeval_core::groups::GROUPS;
use corefeval_core::significance::METHOD_FIELDS;
use corefeval_report::Kind;

use crate::args::{figures, flag, method, output, path, valued};
use crate::prepared::Prepared;
use crate::typed::{self, Typed, refuse_idle};
use crate::{Output, Subcommand, score};

/// The subcommand.
pub const COMPARE: Subcommand = Subcommand {
    name: TaskKind::Compare.id(),
    about: "Compares systems: confidence intervals, significance tests, ranks",
    examples: &[
        (
            "Intervals, tests and ranks",
            "corefeval compare -m conll examples/key.conll examples/alder.conll examples/birch.conll",
        ),
        (
            "With figures",
            "corefeval compare --figures figures examples/key.conll examples/alder.conll examples/birch.conll",
        ),
    ],
    args,
    run,
};

fn run(matches: &ArgMatches) -> Result<Output> {
    refuse_idle(
        matches,
        &["columns", "details"],
        "comparisons",
        "leave it out; comparisons have all columns of each system",
    )?;
    let (request, compare) = (typed::request(matches)?, Compare::with(&Typed(matches))?);
    let task = Prepared::new(matches, Kind::Comparison, request)?;
    let report = task.run(|evaluation| evaluation.compare(&compare))?;
    if let Some(folder) = &compare.cache {
        let (cached, scored) = (report.cached, report.systems.len() - report.cached);
        let folder = folder.display();
        task.terminal.note(&format!("{cached} systems from the cache {folder}, {scored} scored"));
    }
    task.put(&report)
}

/// Like `score`, for several responses: options that do not apply are hidden and refused later, with a reason.
fn args(bare: Command) -> Command {
    score::like_score(bare, TaskKind::Compare)
        .long_about(
            "Compares systems: confidence intervals, significance tests, ranks.\n\n\
             Each RESPONSE is a system, named by NAME=PATH or its file name. Documents are resampled as a whole; \
             the scores of resamples are ratios of sums over documents, like the score itself. Differences are from \
             the baseline. The result depends on the seed, but not on the number of threads.\n\n\
             A directory given as RESPONSE is one system of all its files. With --systems each file in the \
             directory is a system, and so is each directory in it, with all its files. These systems are named \
             after the files without extension, and follow the systems given one by one, sorted by name.\n\n\
             A system that was trained several times has several runs: NAME=PATH,PATH,... or --runs NAME=DIR. Its \
             score is their mean, and intervals and tests account for runs and documents together.",
        )
        .override_usage(
            "corefeval compare [OPTIONS] KEY RESPONSE RESPONSE...\n       \
             corefeval compare [OPTIONS] KEY [RESPONSE]... --systems DIR\n       \
             corefeval compare [OPTIONS] --overlap COUNTS COUNTS...",
        )
        .mut_arg("response", |arg| arg.required(false).required_unless_present_any(["pair", "overlap", "systems", "runs"]))
        .mut_arg("output", |_| output(Kind::Comparison))
        .mut_arg("by", |arg| {
            let groups: Vec<&str> = GROUPS.iter().map(|spec| spec.id).collect();
            arg.help(format!("Compares the systems on each group of documents too [{}]", groups.join("|")))
        })
        .next_help_heading("Systems")
        .arg(
            path("systems", "DIR", "A directory in which each file or directory is a system; may be given several times")
                .long("systems")
                .value_hint(ValueHint::DirPath)
                .action(ArgAction::Append)
                .conflicts_with("pair"),
        )
        .arg(
            path("runs", "[NAME=]DIR", "A directory in which each file or directory is a run of a system; may be \
            given several times")
                .long("runs")
                .value_hint(ValueHint::DirPath)
                .action(ArgAction::Append)
                .conflicts_with("pair"),
        )
        .arg(flag(
            "skip-broken",
            "Leaves out systems that cannot be read or compared, with a warning instead of an error",
        ))
        .arg(
            path("cache", "DIR", "Caches the counts of each system in this folder, so that only new systems are scored")
                .long("cache")
                .value_hint(ValueHint::DirPath)
                .long_help(
                    "Caches the counts of each system in this folder, so that only new systems are scored. \
                     Entries are identified by a digest of the bytes of key and response, of all settings and \
                     metrics, and of this program; the output is the same with and without the cache. Delete the directory \
                     to clear it",
                ),
        )
        .next_help_heading("Comparison")
        .arg(
            valued("baseline", "NAME")
                .help("The system that the others are compared with [default: the first]"),
        )
        .arg(sort())
        .args(METHOD_FIELDS.iter().map(method))
        .arg(
            valued("plan", "POINTS")
                .help("Shows how many documents are needed to find a difference of this many percentage points of F1"),
        )
        .arg(flag(
            "shared-documents",
            "Compares on the documents that all systems have; without it, a missing document is an error",
        ))
        .args(figures("Draws intervals, differences by document and a profile into this directory, as SVG, PNG and PDF"))
        .arg(flag("series", "Draws the systems as steps of a series, in the order given [default: if their names are numbered]").requires("figures"))
}

/// The option to sort the rows.
pub fn sort() -> Arg {
    valued("sort", "METRIC")
        .help("The metric that the rows are sorted by [default: conll, otherwise the first]")
}
