//! `corefeval probe`: scores a response and its known transformations.

use clap::{ArgMatches, Command};
use corefeval_core::error::Result;
use corefeval_core::evaluation::{Evaluation, TaskKind, probe_profile};
use corefeval_core::probe::{BASE, TRANSFORMATIONS};
use corefeval_report::Kind;

use crate::args::{listed, path};
use crate::prepared::Prepared;
use crate::score::{of_score, with_default};
use crate::{Output, Subcommand, typed};

/// The subcommand.
pub const PROBE: Subcommand = Subcommand {
    name: TaskKind::Probe.id(),
    about: "Scores a response and known transformations of it",
    examples: &[(
        "How the metrics react to known changes",
        "corefeval probe examples/key.conll examples/alder.conll",
    )],
    args,
    run,
};

fn run(matches: &ArgMatches) -> Result<Output> {
    let task = Prepared::new(matches, Kind::Scores, typed::request(matches)?)?;
    let report = task.run(Evaluation::probe)?;
    task.destination.output(Kind::Scores)?.check(&report.metrics(), &report.settings)?;
    task.put(&report)
}

/// Like `score`, without pairs of files and groups.
fn args(bare: Command) -> Command {
    let shared = of_score(TaskKind::Probe);
    bare.long_about(format!(
        "Scores a response and known transformations of it, one row each, which \
             shows how much a metric rewards merely finding mentions (Moosavi and Strube 2016).\n\n\
             - {BASE}: the unchanged response\n{}",
        listed(TRANSFORMATIONS.iter().map(|row| (row.id, row.summary))),
    ))
    .arg(path("key", "KEY", "The annotation taken as correct").required(true))
    .arg(path("response", "RESPONSE", "The annotation to transform and score").required(true))
    .args(shared)
    .mut_arg("metrics", |metrics| with_default(metrics, &probe_profile().metrics.join(",")))
}
