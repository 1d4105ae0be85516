//! `corefeval cone`: named mentions against a key, against a key made from names, and the check of the latter.

use std::path::Path;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgGroup, ArgMatches, Command, ValueHint};
use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::evaluation::{
    Cone, ConeCorrelate, ConeReport, ConeResult, Inputs, Request, Values, limits,
};
use corefeval_core::formats::{FORMATS, FormatSpec, WriteOptions, WrittenTexts};
use corefeval_core::heuristics::HEURISTICS;
use corefeval_core::input::Input;
use corefeval_core::metrics::Metric;
use corefeval_core::model::Corpus;
use corefeval_core::settings::Settings;
use corefeval_report::{Kind, cone_correlation_figures};

use crate::args::{figures, flag, methods, path};
use crate::prepared::Prepared;
use crate::score::{of_score, with_default};
use crate::typed::{self, Typed, refuse_idle, text};
use crate::{Output, Subcommand, files, shown, sink};

/// The subcommand.
pub const CONE: Subcommand = Subcommand {
    name: "cone",
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

/// CONE compared with B³ and CEAF of all mentions.
fn correlate(matches: &ArgMatches) -> Result<Output> {
    let asked = ConeCorrelate::with(&Typed(matches))?;
    let task = Prepared::new(matches, Kind::Check, typed::request(matches)?)?;
    let report = task.evaluation.cone_correlations(&asked)?;
    let strict = task.evaluation.request().is_strict();
    task.terminal.print_notes(&report.settings, &report.diagnostics);
    task.terminal.write_figures(matches, cone_correlation_figures(&report), strict)?;
    task.destination.put(&report, task.terminal.style)
}

/// Fails if an option was typed that another one leaves without effect. The parser drops a requirement whose option
/// conflicts with one that was typed, so these are checked here.
fn refuse_idle_options(matches: &ArgMatches) -> Result<()> {
    let columns = ["columns", "details"];
    if matches.get_flag("correlate") {
        let of_keys = ["compare", "annotated", "write-key", "read-key", "write-format"];
        let idle = Cone::METHOD.iter().copied().filter(|name| !ConeCorrelate::METHOD.contains(name));
        let all = [&of_keys[..], &columns, &["digits"], &idle.collect::<Vec<_>>()].concat();
        return refuse_idle(
            matches,
            &all,
            "the correlations of CONE",
            "leave it out, or leave out --correlate",
        );
    }
    let of_correlate = ["smallest", "figures", "figure-title", "figure-width"];
    refuse_idle(matches, &of_correlate, "scores", "leave it out, or correlate against a key: --correlate")?;
    if matches.contains_id("read-key") {
        refuse_idle(matches, &["write-format"], "a key that is read", "leave it out")?;
    }
    match (matches.get_flag("compare"), matches.contains_id("annotated")) {
        (true, _) => refuse_idle(matches, &columns, "comparisons", "leave it out"),
        (false, true) => refuse_idle(matches, &columns, "the check of an annotated key", "leave it out"),
        (false, false) => {
            let hint = "leave it out; intervals need --compare, --annotated or --correlate";
            refuse_idle(matches, Cone::METHOD, "scores without intervals", hint)
        }
    }
}

fn run(matches: &ArgMatches) -> Result<Output> {
    refuse_idle_options(matches)?;
    if matches.get_flag("correlate") {
        return correlate(matches);
    }
    let (request, mut cone) = (typed::request(matches)?, Cone::with(&Typed(matches))?);
    let limits = limits(&Typed(matches))?;
    cone.annotated = text(matches, "annotated").map(|typed| typed::open(typed, &limits)).transpose()?;
    let Prepared { destination, terminal, evaluation } = Prepared::new(matches, Kind::Scores, request)?;
    let output = destination.output(Kind::Scores)?;
    // An output that cannot show the check or the comparison should not wait for a large file.
    cone.annotated.as_ref().map(|_| destination.output(Kind::Check)).transpose()?;
    cone.compare.then(|| destination.output(Kind::Comparison)).transpose()?;
    if let Some(file) = &destination.file {
        let others: Vec<&Input> =
            cone.annotated.iter().chain(&cone.names_key).map(|named| &named.input).collect();
        files::refuse_input(file, &others)?;
        if text(matches, "write-key").is_some_and(|key| files::are_same(file, Path::new(key))) {
            let message = "the report and the key would be written to the same file";
            return Err(Error::new(ErrorKind::Settings, message).hint("name another file with -o"));
        }
    }
    let result = evaluation.cone(&cone)?;
    write_key(&Typed(matches), evaluation.request(), &cone, &result)?;
    match result.report {
        ConeReport::Check(report) => {
            terminal.print_notes(&report.settings, &report.diagnostics);
            destination.put(&report, terminal.style)
        }
        ConeReport::Comparison(compared) => {
            let report = &compared.report;
            terminal.print_notes(&report.settings, &report.diagnostics);
            destination.put(report, terminal.style)
        }
        ConeReport::Scores(mut report) => {
            if !matches!(evaluation.request().inputs(), Inputs::NoKey(_)) {
                shown::check(output, evaluation.request(), &mut report)?;
            }
            terminal.print_notes(&report.settings, &report.diagnostics);
            destination.put(&report, terminal.style)
        }
    }
}

/// Writes the key that was made from names, where `write-key` names a file for it.
pub fn write_key(given: &impl Values, request: &Request, cone: &Cone, result: &ConeResult) -> Result<()> {
    let (Some(file), Some(key)) = (given.value("write-key"), &result.key) else { return Ok(()) };
    let format = FormatSpec::named(given.value("write-format").as_deref().unwrap_or("conll"))?;
    let settings = match &result.report {
        ConeReport::Scores(report) => &report.settings,
        ConeReport::Check(report) => &report.settings,
        ConeReport::Comparison(compared) => &compared.report.settings,
    };
    if !matches!(request.inputs(), Inputs::NoKey(_)) {
        return Ok(());
    }
    let inputs = request.all_inputs();
    let others = cone.annotated.iter().chain(&cone.names_key).map(|named| &named.input);
    let inputs: Vec<&Input> = inputs.iter().chain(others).collect();
    write(Path::new(&file), format, key, settings, &inputs)
}

fn write(
    file: &Path,
    format: &FormatSpec,
    key: &Corpus,
    settings: &Settings,
    inputs: &[&Input],
) -> Result<()> {
    match format.write(key, WriteOptions::of(settings))?.texts {
        WrittenTexts::Whole(text) => {
            files::refuse_input(file, inputs)?;
            files::write_file(file, &text)
        }
        WrittenTexts::Files(texts) => sink::write_files(file, &texts, inputs),
    }
}

/// Like `score`, with a key made from names if none is given.
fn args(bare: Command) -> Command {
    let shared = of_score(&[]);
    let rows: Vec<String> = HEURISTICS.iter().map(|(id, summary)| format!("- {id}: {summary}")).collect();
    let written = FORMATS.iter().filter(|spec| spec.is_written()).map(|spec| spec.id);
    bare
        .long_about(
            "Scores named mentions: B³ and CEAF after both sides are pruned to them, together with B³ and CEAF of all \
             mentions (Lin et al. 2010).\n\n\
             With --key-approximate no key is needed: the names of the text are clustered by their words, and the \
             responses' named mentions are scored against these clusters. --annotated names a key of some of the \
             documents. The full scores on those are then shown next to CONE on the approximated key, with the \
             discrepancy and its interval. A large discrepancy means that a response is good only at names, or \
             was made to look good.\n\n\
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
        .arg(flag("compare", "Compares the responses on one key made from names: intervals, tests and ranks").requires("key-approximate"))
        .arg(
            Arg::new("heuristics")
                .long("heuristics")
                .value_name("LIST")
                .requires("key-made")
                .help("Heuristics that cluster names, joined by commas [default: all]")
                .long_help(format!("Heuristics that cluster names within a type, joined by commas [default: all]\n\n{}", rows.join("\n"))),
        )
        .arg(
            Arg::new("without")
                .long("without")
                .value_name("LIST")
                .requires("key-made")
                .conflicts_with("heuristics")
                .help("Heuristics to leave out, joined by commas"),
        )
        .arg(path("write-key", "FILE", "Writes the key made from the names of the first response to this file").long("write-key").requires("key-approximate").value_hint(ValueHint::FilePath))
        .arg(path("read-key", "FILE", "Scores against a key of names written by --write-key, possibly corrected, instead of making one").long("read-key").requires("key-approximate").conflicts_with_all(["heuristics", "without", "write-key"]).value_hint(ValueHint::FilePath))
        .arg(
            Arg::new("write-format")
                .long("write-format")
                .value_name("FORMAT")
                .requires("write-key")
                .value_parser(PossibleValuesParser::new(written))
                .hide_possible_values(true)
                .default_value("conll")
                .help("Format of the key that is written"),
        )
        .arg(
            path("annotated", "KEY", "A key of some of the documents, to compare the full scores on them with CONE")
                .long("annotated")
                .requires("key-approximate"),
        )
        .group(ArgGroup::new("key-made").args(["key-approximate", "correlate"]))
        .next_help_heading("Intervals of --compare, --annotated and --correlate")
        .args(methods(Cone::METHOD))
        .next_help_heading("Against the metrics of all mentions")
        .arg(flag(
            "correlate",
            "Correlates CONE with B³ and CEAF of all mentions, by the key's names and by names of the text, over documents and entities",
        ).conflicts_with_all(["key-approximate", "metrics", "by"]))
        .arg(
            Arg::new("smallest")
                .long("smallest")
                .value_name("N")
                .requires("correlate")
                .help("Leaves out entities with fewer mentions [default: 1]"),
        )
        .args(figures("Draws the points of --correlate into this directory, as SVG, PNG and PDF").map(|arg| match arg.get_id().as_str() {
            "figures" => arg.requires("correlate"),
            _ => arg,
        }))
}
