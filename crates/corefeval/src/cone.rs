//! `corefeval cone`: scores named mentions against a key, or against one made from names, and checks the latter.

use clap::builder::PossibleValuesParser;
use clap::{ArgMatches, Command, ValueHint};
use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::evaluation::{Cone, ConeCorrelate, ConeReport, NamedInput, TaskKind, limits};
use corefeval_core::formats::FORMATS;
use corefeval_core::heuristics::HEURISTICS;
use corefeval_core::input::Input;
use corefeval_core::metrics::Metric;
use corefeval_core::output::{are_same, refuse_input};
use corefeval_report::Kind;

use crate::args::{figures, flag, listed, methods, path, valued};
use crate::prepared::Prepared;
use crate::score::{of_score, with_default};
use crate::typed::{self, Typed, refuse_idle, text};
use crate::{Output, Subcommand};

/// The subcommand.
pub const CONE: Subcommand = Subcommand {
    name: TaskKind::Cone.id(),
    about: "Scores named mentions, against a key or against one made from names",
    examples: &[
        ("Named mentions against a key", "corefeval cone examples/key.conll examples/alder.conll"),
        ("Without a key", "corefeval cone --key-approximate examples/alder.conll"),
        (
            "How closely CONE follows B³ and CEAF",
            "corefeval cone --correlate examples/voyages/key.conll examples/voyages/oak.conll",
        ),
    ],
    args,
    run,
};

/// Compares CONE with B³ and CEAF of all mentions.
fn correlate(matches: &ArgMatches, annotated: Option<&NamedInput>) -> Result<Output> {
    let hint = "leave it out, or leave out --correlate";
    refuse_idle(matches, &["columns", "details", "digits"], "the correlations of CONE", hint)?;
    let asked = ConeCorrelate::with(&Typed(matches), annotated)?;
    let task = Prepared::new(matches, Kind::Check, typed::request(matches)?)?;
    let report = task.run(|evaluation| evaluation.cone_correlations(&asked))?;
    task.put(&report)
}

/// Fails if an option of tables or figures was typed that the report does not support.
fn refuse_idle_options(matches: &ArgMatches, cone: &Cone) -> Result<()> {
    let of_correlate = ["figures", "figure-title", "figure-width"];
    refuse_idle(matches, &of_correlate, "scores", "leave it out, or correlate against a key: --correlate")?;
    let what = match (cone.compare, &cone.annotated) {
        (true, _) => "comparisons",
        (false, Some(_)) => "the check of an annotated key",
        (false, None) => return Ok(()),
    };
    refuse_idle(matches, &["columns", "details"], what, "leave it out")
}

fn run(matches: &ArgMatches) -> Result<Output> {
    let limits = limits(&Typed(matches))?;
    let annotated = text(matches, "annotated").map(|typed| typed::open(typed, &limits)).transpose()?;
    if matches.get_flag("correlate") {
        return correlate(matches, annotated.as_ref());
    }
    let (request, cone) = (typed::request(matches)?, Cone::with(&Typed(matches), annotated)?);
    refuse_idle_options(matches, &cone)?;
    let task = Prepared::new(matches, Kind::Scores, request)?;
    let destination = &task.destination;
    let output = destination.output(Kind::Scores)?;
    // Refuses an output that does not support the check or the comparison before a large file is read.
    cone.annotated.as_ref().map(|_| destination.output(Kind::Check)).transpose()?;
    cone.compare.then(|| destination.output(Kind::Comparison)).transpose()?;
    if let Some(file) = &destination.file {
        let others: Vec<&Input> =
            cone.annotated.iter().chain(&cone.names_key).map(|named| &named.input).collect();
        refuse_input(file, &others)?;
        if cone.write_key.as_ref().is_some_and(|(key, _)| are_same(file, key)) {
            let message = "the report and the key would be written to the same file";
            return Err(Error::new(ErrorKind::Settings, message).hint("name another file with -o"));
        }
    }
    match task.run(|evaluation| evaluation.cone(&cone))?.report {
        ConeReport::Check(report) => task.put(&report),
        ConeReport::Comparison(report) => task.put(&*report),
        ConeReport::Scores(mut report) => {
            output.check_scores(task.evaluation.request(), &mut report)?;
            task.put(&report)
        }
    }
}

/// Like `score`, with a key made from names if none is given.
fn args(bare: Command) -> Command {
    let shared = of_score(TaskKind::Cone);
    let heuristics = listed(HEURISTICS.iter().copied());
    let written = FORMATS.iter().filter(|spec| spec.is_written()).map(|spec| spec.id);
    bare
        .long_about(
            "Scores named mentions: B³ and CEAF after both sides are pruned to them, together with B³ and CEAF of all \
             mentions (Lin et al. 2010).\n\n\
             With --key-approximate no key is needed: the names of the text are clustered by their words, and the \
             responses' named mentions are scored against these clusters. --annotated names a key of some of the \
             documents. The full scores on those are then shown next to CONE on the approximated key, with the \
             discrepancy and its interval. A large discrepancy means that a response is good only at names, or \
             was optimised for CONE.\n\n\
             With --correlate CONE is compared with B³ and CEAF of all mentions: r, α and β over documents with the key's names \
             (table 3 of Lin et al.), with a key made from the names of the text (table 4), and without named mentions as a \
             control; over entities (figure 1); and the named entities that are missed (MNE) or incorrectly grouped (IGNE).",
        )
        .override_usage(
            "corefeval cone [OPTIONS] KEY RESPONSE...\n       \
             corefeval cone [OPTIONS] --key-approximate [--annotated KEY] RESPONSE...\n       \
             corefeval cone [OPTIONS] --correlate KEY RESPONSE...",
        )
        .arg(path("inputs", "PATH", "The key and the responses to score; with --key-approximate the responses").num_args(1..).required(true))
        .args(shared)
        .mut_arg("metrics", |metrics| {
            let ids: Vec<String> = Cone::metrics().iter().map(Metric::to_string).collect();
            with_default(metrics, &ids.join(","))
        })
        .next_help_heading("Without a key")
        .arg(flag("key-approximate", "Makes the key from the names of the text"))
        .arg(flag("compare", "Compares the responses on one key made from names: intervals, tests and ranks"))
        .arg(
            valued("heuristics", "LIST")
                .help("Heuristics that cluster names, joined by commas [default: all]")
                .long_help(format!("Heuristics that cluster names within a type, joined by commas [default: all]\n\n{heuristics}")),
        )
        .arg(
            valued("without", "LIST")
                .help("Heuristics to leave out, joined by commas"),
        )
        .arg(path("write-key", "FILE", "Writes the key made from the names of the first response to this file").long("write-key").value_hint(ValueHint::FilePath))
        .arg(path("read-key", "FILE", "Scores against a key of names written by --write-key, possibly corrected, instead of making one").long("read-key").value_hint(ValueHint::FilePath))
        .arg(
            valued("write-format", "FORMAT")
                .value_parser(PossibleValuesParser::new(written))
                .hide_possible_values(true)
                .default_value("conll")
                .help("Format of the key that is written"),
        )
        .arg(
            path("annotated", "KEY", "A key of some of the documents, to compare the full scores on them with CONE")
                .long("annotated"),
        )
        .next_help_heading("Intervals of --compare, --annotated and --correlate")
        .args(methods(Cone::METHOD))
        .next_help_heading("Against the metrics of all mentions")
        .arg(flag(
            "correlate",
            "Correlates CONE with B³ and CEAF of all mentions, by the key's names and by names of the text, over documents and entities",
        ))
        .arg(
            valued("smallest", "N")
                .help("Leaves out entities with fewer mentions [default: 1]"),
        )
        .args(figures("Draws the points of --correlate into this directory, as SVG, PNG and PDF"))
}
