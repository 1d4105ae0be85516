//! `corefeval correlate`: two metrics over documents, systems and entities.

use clap::{ArgMatches, Command};
use corefeval_core::error::Result;
use corefeval_core::evaluation::{Correlate, TaskKind};
use corefeval_core::significance::{CorrelationMethod, Over};
use corefeval_report::Kind;

use crate::args::{field, figures, flag, output, path, valued};
use crate::prepared::Prepared;
use crate::score::of_score;
use crate::typed::{self, Typed};
use crate::{Output, Subcommand};

/// The subcommand.
pub const CORRELATE: Subcommand = Subcommand {
    name: TaskKind::Correlate.id(),
    about: "Correlates two metrics: over documents, over systems, over entities",
    examples: &[(
        "How closely LEA follows CEAF",
        "corefeval correlate --x ceaf_m --y lea examples/key.conll examples/alder.conll examples/birch.conll",
    )],
    args,
    run,
};

fn run(matches: &ArgMatches) -> Result<Output> {
    let (request, correlate) = (typed::request(matches)?, Correlate::with(&Typed(matches))?);
    let task = Prepared::new(matches, Kind::Correlation, request)?;
    let report = task.run(|evaluation| evaluation.correlate(&correlate))?;
    task.put(&report)
}

/// Like `compare`, for two metrics instead of two systems.
fn args(bare: Command) -> Command {
    let kinds = Over::ALL.map(Over::name);
    let shared = of_score(TaskKind::Correlate);
    let metric = |id: &'static str, help: &'static str| valued(id, "METRIC").required(true).help(help);
    let defaults = CorrelationMethod::default();
    let fields = CorrelationMethod::fields().into_iter();
    let fields = fields.map(|(name, summary, values)| field(name, summary, values, &defaults.value(name)));
    bare
        .long_about(
            "Correlates two metrics over the documents of each system, over those of all systems, over the \
             systems and over the entities of the key (Lin et al. 2010): Pearson, Spearman and Kendall (tau-b) \
             of recall, precision and F1, with intervals.\n\n\
             Each RESPONSE is a system, named by NAME=PATH or its file name. Points where one of the metrics \
             is undefined are left out and counted.",
        )
        .override_usage("corefeval correlate [OPTIONS] --x METRIC --y METRIC KEY RESPONSE...")
        .arg(path("key", "KEY", "The annotation taken as correct").required(true))
        .arg(path("response", "RESPONSE", "The annotation to score").required(true).num_args(1..))
        .next_help_heading("Correlation")
        .arg(metric("x", "The first metric; see `corefeval list metrics`"))
        .arg(metric("y", "The second metric"))
        .arg(
            valued("than", "METRIC")
                .help("A third metric: tests whether the first follows the second more closely than the third does"),
        )
        .arg(
            valued("over", "LIST")
                .help(format!("Kinds of points, joined by commas: {} [default: all that are possible]", kinds.join(", "))),
        )
        .args(fields)
        .arg(flag("points", "Lists the points: in JSON together with the coefficients, in CSV instead of them"))
        .arg(flag(
            "shared-documents",
            "Uses the documents that all systems have; without it, a missing document is an error",
        ))
        .args(figures("Draws scatter plots into this directory, as SVG, PNG and PDF"))
        .args(shared)
        .mut_arg("output", |_| output(Kind::Correlation))
}
