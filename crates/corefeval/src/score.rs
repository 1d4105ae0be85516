//! `corefeval score`: the scores of one or more responses.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint, value_parser};
use corefeval_core::error::Result;
use corefeval_core::groups::GROUPS;
use corefeval_core::profiles::PROFILES;
use corefeval_core::settings::OPTIONS;
use corefeval_report::{Kind, OutputSpec};

use crate::args::{choice, flag, format, outputs_of, path, verbose};
use crate::shown;
use crate::terminal::Terminal;
use crate::typed::{self, text};
use crate::{Output, Subcommand};

/// The subcommand.
pub const SCORE: Subcommand =
    Subcommand { name: "score", about: "Scores one or more responses against a key", args, run };

fn run(matches: &ArgMatches) -> Result<Output> {
    let output = OutputSpec::named(text(matches, "output").unwrap_or("table"), Kind::Scores)?;
    let terminal = Terminal::new(matches);
    let evaluation = terminal.evaluation(typed::request(matches)?)?;
    let mut report = evaluation.score()?;
    shown::check(output, evaluation.request(), &mut report)?;
    terminal.print_notes(&report.settings, &report.diagnostics);
    Ok(Output::done(output.render(&report, terminal.style)?))
}

/// The options, on a bare command.
pub fn args(bare: Command) -> Command {
    let profiles = PossibleValuesParser::new(PROFILES.iter().map(|profile| profile.id));
    let outputs = outputs_of(Kind::Scores);
    let groups: Vec<&str> = GROUPS.iter().map(|spec| spec.id).collect();
    let group_help: Vec<String> =
        GROUPS.iter().map(|spec| format!("{}: {}", spec.id, spec.summary)).collect();
    bare
        .long_about(
            "Scores one or more responses against a key.\n\n\
             KEY and RESPONSE are files, directories of files, or - for standard input, plain or \
             compressed (.gz, .zst). Documents are paired by id. A response may be named: NAME=PATH.\n\n\
             A directory is one corpus of all its files. With --pair-files its files are paired with those \
             of the same name in the response and scored pair by pair, --pair names such pairs one by one; \
             both add the macro average over the pairs.",
        )
        .override_usage(
            "corefeval score [OPTIONS] KEY RESPONSE...\n       \
             corefeval score [OPTIONS] --pair KEY RESPONSE [--pair KEY RESPONSE]...",
        )
        .arg(path("key", "KEY", "The annotation that counts as right").required_unless_present("pair"))
        .arg(
            path("response", "RESPONSE", "The annotation to score")
                .required_unless_present("pair")
                .num_args(1..),
        )
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
                     scored alone, and the mean of their scores is the macro average. NAME=KEY names the \
                     pair, NAME=RESPONSE the system, of which there may be several",
                ),
        )
        .arg(format(
            "format",
            "Format of both sides [default: told from the file]; see `corefeval list formats`",
        ))
        .arg(format("key-format", "Format of the key"))
        .arg(format("response-format", "Format of the responses"))
        .next_help_heading("Scoring")
        .arg(
            Arg::new("profile")
                .long("profile")
                .value_name("PROFILE")
                .value_parser(profiles)
                .hide_possible_values(true)
                .help("Whose rules apply [default: by format]; see `corefeval list profiles`"),
        )
        .arg(
            Arg::new("metrics").long("metrics").short('m').value_name("LIST").help(
                "Metrics, joined by commas, or `all` [default: by profile]; see `corefeval list metrics`",
            ),
        )
        .args(OPTIONS.iter().map(choice))
        .arg(
            Arg::new("ne-labels")
                .long("ne-labels")
                .value_name("FILE")
                .value_hint(ValueHint::FilePath)
                .help("Labels of named entities, BIO in columns or JSON lines, over the key's words (CONE)"),
        )
        .arg(
            Arg::new("ace-parameters")
                .long("ace-parameters")
                .value_name("FILE")
                .value_hint(ValueHint::FilePath)
                .help("Parameters of ACE-value that differ, in TOML; see `corefeval list ace`"),
        )
        .arg(
            Arg::new("weights")
                .long("weights")
                .value_name("FILE")
                .value_hint(ValueHint::FilePath)
                .help("Weights by type of mention and entity, in TOML, or `ace`; adds the metrics that use them")
                .long_help(
                    "Weights by type of mention and entity, in TOML, for `b_cubed:weight=table`, \
                     `ceaf_m:weight=table`, `ceaf_e:weight=table` and `lea:importance=table`, which are shown \
                     besides unless --metrics chooses; with `mention-type` or `entity-type` for `table` they \
                     use a part. `ace` stands for names 1, nominals 0.5, pronouns 0.1",
                ),
        )
        .arg(
            Arg::new("settings")
                .long("settings")
                .value_name("SIGNATURE")
                .conflicts_with("profile")
                .help("Takes all settings from the signature of an earlier report"),
        )
        .arg(flag("strict", "Makes every warning an error"))
        .next_help_heading("Output")
        .arg(
            Arg::new("output")
                .long("output")
                .short('o')
                .value_name("OUTPUT")
                .value_parser(outputs)
                .default_value("table")
                .help("How the scores are shown"),
        )
        .arg(
            Arg::new("by")
                .long("by")
                .value_name("GROUP")
                .value_parser(PossibleValuesParser::new(GROUPS.iter().map(|spec| spec.id)))
                .hide_possible_values(true)
                .help(format!("Adds scores by group of documents [{}]", groups.join("|")))
                .long_help(format!("Adds scores by group of documents\n\n- {}", group_help.join("\n- "))),
        )
        .arg(
            Arg::new("color")
                .long("color")
                .value_name("WHEN")
                .value_parser(PossibleValuesParser::new(["auto", "always", "never"]))
                .default_value("auto")
                .help("Colours; `auto` means on a terminal, unless NO_COLOR is set"),
        )
        .arg(flag("quiet", "Prints no warnings and no progress (they stay in JSON)").short('q'))
        .arg(verbose())
        .arg(
            Arg::new("threads")
                .long("threads")
                .value_name("N")
                .value_parser(value_parser!(u16).range(1..))
                .help("Threads to use at most [default: all cores]; the result does not depend on it"),
        )
}
