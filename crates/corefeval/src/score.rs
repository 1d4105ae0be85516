//! `corefeval score`: the scores of one or more responses.

use std::mem::ManuallyDrop;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint, value_parser};
use corefeval_core::error::Result;
use corefeval_core::evaluation::{Evaluation, TaskKind};
use corefeval_core::groups::GROUPS;
use corefeval_core::metrics::Metric;
use corefeval_core::profiles::PROFILES;
use corefeval_core::results::Report;
use corefeval_core::settings::OPTIONS;
use corefeval_report::Kind;

use crate::args::{
    ceaf_bound, choice, flag, format, max_memory, messages, min_aligned, of_tables, output, path,
    span_end_of, valued,
};
use crate::early::EarlyRows;
use crate::honoured::honours;
use crate::prepared::Prepared;
use crate::sink::unless_closed;
use crate::{Output, Subcommand, typed};

/// The subcommand.
pub const SCORE: Subcommand = Subcommand {
    name: TaskKind::Score.id(),
    about: "Scores one or more responses against a key",
    examples: &[
        ("The metrics of the profile", "corefeval score examples/key.conll examples/alder.conll"),
        (
            "Three systems in one table, for a paper",
            "corefeval score -o scores.tex examples/key.conll examples/alder.conll examples/birch.conll examples/cedar.conll",
        ),
        (
            "All metrics but one, as data",
            "corefeval score -m all,-rand -o json examples/key.conll examples/alder.conll",
        ),
        (
            "Recall, precision and F1 of each document",
            "corefeval score --by document -m muc,conll examples/key.conll examples/alder.conll",
        ),
        (
            "Directories pair by pair, and their macro average",
            "corefeval score --pair-files examples/pairs/key examples/pairs/alder",
        ),
    ],
    args,
    run,
};

fn run(matches: &ArgMatches) -> Result<Output> {
    // The memory of both is not released, because the process is about to end.
    let task = ManuallyDrop::new(Prepared::new(matches, Kind::Scores, typed::request(matches)?)?);
    let mut early = EarlyRows::new(&task.destination)?;
    let done = scored(&task, &mut early).and_then(|mut report| {
        task.announce(&*report)?;
        early.omit_from(&mut report)?;
        task.destination.put(&*report, task.terminal.style)
    });
    unless_closed(done.map_err(|error| early.name_in(error)), Output::done(String::new()))
}

/// Scores the inputs, and prints the rows that are known before the whole report is.
fn scored(task: &Prepared<'_>, early: &mut EarlyRows) -> Result<ManuallyDrop<Report>> {
    let score = |evaluation: &Evaluation| evaluation.score_with_rows(&mut |begun| early.print(begun));
    let mut report = ManuallyDrop::new(task.run(score)?);
    task.destination.output(Kind::Scores)?.check_scores(task.evaluation.request(), &mut report)?;
    Ok(report)
}

/// The options, on a bare command.
pub fn args(bare: Command) -> Command {
    let command = bare
        .long_about(
            "Scores one or more responses against a key.\n\n\
             KEY and RESPONSE are files, directories of files, or - for standard input, plain or \
             compressed (.gz, .zst). Documents are paired by id. A response may be named: NAME=PATH.\n\n\
             A directory is one corpus of all its files. With --pair-files its files are paired with those \
             of the same name in the response and scored pair by pair; --pair names the pairs one by one. \
             Both add the macro average over the pairs.",
        )
        .override_usage(
            "corefeval score [OPTIONS] KEY RESPONSE...\n       \
             corefeval score [OPTIONS] --pair KEY RESPONSE [--pair KEY RESPONSE]...\n       \
             corefeval score [OPTIONS] --overlap COUNTS...",
        )
        .arg(
            path("key", "KEY", "The annotation taken as correct")
                .required_unless_present_any(["pair", "overlap"]),
        )
        .arg(
            path("response", "RESPONSE", "The annotation to score")
                .required_unless_present_any(["pair", "overlap"])
                .num_args(1..),
        );
    output_options(scoring_options(reading_options(command)))
}

/// Adds the options for reading files.
fn reading_options(command: Command) -> Command {
    command
        .next_help_heading("Reading")
        .arg(
            Arg::new("pair")
                .long("pair")
                .num_args(2)
                .value_names(["KEY", "RESPONSE"])
                .value_hint(ValueHint::AnyPath)
                .action(ArgAction::Append)
                .conflicts_with_all(["key", "response", "pair-files"])
                .help("A pair of files, instead of KEY and RESPONSE; may be given several times")
                .long_help(
                    "A pair of files, instead of KEY and RESPONSE; may be given several times. Each pair is \
                     scored alone, and the mean of their scores is the macro average. NAME=KEY names the pair, \
                     NAME=RESPONSE the system; there may be several systems",
                ),
        )
        .arg(
            path("overlap", "COUNTS", "Tables of counts, one per system, instead of KEY and RESPONSE")
                .long("overlap")
                .num_args(1..)
                .action(ArgAction::Append)
                .conflicts_with_all(["key", "response", "pair", "pair-files"])
                .hide_short_help(true)
                .long_help(
                    "Tables of counts, one per system, instead of KEY and RESPONSE: columns `key`, `response` and \
                     `count`, the number of mentions that an entity of the key and one of the response share, and \
                     optionally `document`. An empty cell marks mentions that the side does not have. \
                     `corefeval merge` adds up tables",
                ),
        )
        .arg(format(
            "format",
            "Format of both sides [default: detected from the file]; see `corefeval list formats`",
        ))
        .arg(
            valued("include", "GLOB")
                .help("Reads only the files of directories that match, for example '*.conll'"),
        )
        .arg(format("key-format", "Format of the key").hide_short_help(true))
        .arg(format("response-format", "Format of the responses").hide_short_help(true))
}

/// Adds the options that scores depend on.
fn scoring_options(command: Command) -> Command {
    let weighted: Vec<String> = Metric::weighted().iter().map(|metric| format!("`{metric}`")).collect();
    let profiles = PossibleValuesParser::new(PROFILES.iter().map(|profile| profile.id));
    command
        .next_help_heading("Scoring")
        .arg(
            valued("profile", "PROFILE")
                .value_parser(profiles)
                .hide_possible_values(true)
                .help("The scorer or shared task whose rules apply [default: by format]; see `corefeval list profiles`"),
        )
        .arg(with_default(
            valued("metrics", "LIST")
                .short('m')
                .allow_hyphen_values(true)
                .action(ArgAction::Append),
            "by profile",
        ))
        .args(OPTIONS.iter().map(choice))
        .arg(span_end_of())
        .arg(min_aligned())
        .arg(ceaf_bound())
        .arg(
            valued("ne-labels", "FILE")
                .hide_short_help(true)
                .value_hint(ValueHint::FilePath)
                .help("Labels of named entities, BIO in columns or JSON lines, over the key's words (CONE)"),
        )
        .arg(
            valued("ace-parameters", "FILE")
                .hide_short_help(true)
                .value_hint(ValueHint::FilePath)
                .help("Changed parameters of ACE-value, in TOML; see `corefeval list ace`"),
        )
        .arg(
            valued("weights", "FILE")
                .value_hint(ValueHint::FilePath)
                .help("Weights by type of mention and entity, in TOML, or `ace`; adds the metrics that use them")
                .long_help(format!(
                    "Weights by type of mention and entity, in TOML, for {}, which are added to \
                     the report unless --metrics is given; with `mention-type` or `entity-type` for `table` they \
                     use only those weights. `ace` means names 1, nominals 0.5, pronouns 0.1",
                    weighted.join(", ")
                )),
        )
        .arg(
            valued("settings", "SIGNATURE")
                .hide_short_help(true)
                .conflicts_with("profile")
                .help("Applies all settings of the signature of an earlier report"),
        )
        .arg(flag("allow-empty", "Accepts files without mentions, which are otherwise an error"))
        .arg(flag("strict", "Makes every warning an error"))
}

/// Adds the options for reports and messages.
fn output_options(command: Command) -> Command {
    let groups: Vec<&str> = GROUPS.iter().map(|spec| spec.id).collect();
    let group_help: Vec<String> =
        GROUPS.iter().map(|spec| format!("{}: {}", spec.id, spec.summary)).collect();
    command
        .next_help_heading("Output")
        .arg(output(Kind::Scores))
        .args(of_tables())
        .arg(
            valued("by", "GROUPING")
                .action(ArgAction::Append)
                .help(format!("Adds scores by group, or by two groupings crossed (genre,entity-size) [{}]", groups.join("|")))
                .long_help(format!(
                    "Adds scores by group. Two groupings, joined by a comma or given separately, are crossed: \
                     `genre,entity-size` has the entity sizes of each genre\n\n- {}",
                    group_help.join("\n- ")
                )),
        )
        .arg(
            valued("color", "WHEN")
                .hide_short_help(true)
                .value_parser(PossibleValuesParser::new(["auto", "always", "never"]))
                .default_value("auto")
                .help("Colours; `auto` colours on a terminal, unless NO_COLOR is set"),
        )
        .args(messages())
        .arg(
            valued("threads", "N")
                .hide_short_help(true)
                .value_parser(value_parser!(u16).range(1..))
                .help("The maximum number of threads [default: all cores]; the result does not depend on it"),
        )
        .arg(max_memory())
}

/// The option for metrics with the help of its default.
pub fn with_default(metrics: Arg, default: &str) -> Arg {
    metrics
        .help(format!(
            "Metrics, joined by commas, or `all`; `-ID` leaves one out [default: {default}]; see `corefeval list metrics`"
        ))
        .long_help(format!(
            "Metrics, joined by commas, or `all` for every metric that the format supports; see `corefeval list metrics` \
             [default: {default}]. Several lists add up. `-ID` leaves a metric out: `all,-rand`, or `-lea` for the \
             profile's metrics without LEA"
        ))
}

/// The options of `score` that another subcommand honours.
pub fn of_score(task: TaskKind) -> Vec<Arg> {
    let score = args(Command::new(SCORE.name));
    let honoured = |arg: &&Arg| !arg.is_positional() && honours(task, arg.get_id().as_str());
    score.get_arguments().filter(honoured).cloned().collect()
}

/// The arguments of `score` for a subcommand that explains why it refuses those that it does not honour.
pub fn like_score(bare: Command, task: TaskKind) -> Command {
    args(bare).mut_args(|arg| {
        let hidden = arg.is_hide_set() || !honours(task, arg.get_id().as_str());
        arg.hide(hidden)
    })
}
