//! `corefeval validate`: problems of files, and problems of scoring them.

use clap::builder::PossibleValuesParser;
use clap::{ArgMatches, Command};
use corefeval_core::diagnostic::Severity;
use corefeval_core::error::Result;
use corefeval_core::evaluation::{TaskKind, Validate, WriteFixes};
use corefeval_report::Kind;

use crate::args::{flag, output, path, valued};
use crate::prepared::Prepared;
use crate::score::of_score;
use crate::typed::{self, Typed};
use crate::{CANNOT_SCORE, DONE, Output, Subcommand};

/// The subcommand.
pub const VALIDATE: Subcommand = Subcommand {
    name: TaskKind::Validate.id(),
    about: "Finds problems in files, and problems that would affect their scores",
    examples: &[
        ("A file", "corefeval validate examples/key.conll"),
        ("Responses and their key", "corefeval validate --against examples/key.conll examples/alder.conll"),
        ("For the checks of a pull request", "corefeval validate -o github examples/pairs"),
    ],
    args,
    run,
};

/// The least severities for which the exit status is 1.
const FAIL_ON: [(&str, Option<Severity>); 4] = [
    ("error", Some(Severity::Error)),
    ("warning", Some(Severity::Warning)),
    ("note", Some(Severity::Note)),
    ("never", None),
];

fn run(matches: &ArgMatches) -> Result<Output> {
    let task = Prepared::new(matches, Kind::Validation, typed::request(matches)?)?;
    let report = task.evaluation.validate(&Validate::with(&Typed(matches))?)?;
    let fail_on = typed::text(matches, "fail-on").unwrap_or("warning");
    let least = FAIL_ON.iter().find(|row| row.0 == fail_on).and_then(|row| row.1);
    let status = if least.is_some_and(|least| report.reaches(least)) { CANNOT_SCORE } else { DONE };
    Ok(Output { status, ..task.put(&report)? })
}

fn args(bare: Command) -> Command {
    let places = WriteFixes::VALUES.map(|value| value.0);
    bare.long_about(
        "Checks each file or directory separately, and lists every finding with its code, its place, the affected text \
         and a remedy. The codes are explained in docs/codes.\n\n\
         With --against KEY the files are responses: findings include problems that would affect scores, \
         such as different words, missing documents, and mentions that cannot match.\n\n\
         The exit status is 0 if there is no warning and no error (--fail-on), otherwise 1.",
    )
    .override_usage("corefeval validate [OPTIONS] FILE...\n       corefeval validate [OPTIONS] --against KEY RESPONSE...")
    .arg(path("validated", "FILE", "A file or directory to validate").required(true).num_args(1..))
    .arg(path("against", "KEY", "Validates the files as responses to this key").long("against"))
    .arg(
        valued("fix", "WHERE")
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value(places[0])
            .value_parser(PossibleValuesParser::new(places))
            .help(
                "Corrects problems without changing the meaning: in place, or with --fix=beside in key.fixed.conll",
            ),
    )
    .arg(
        valued("fail-on", "SEVERITY")
            .value_parser(PossibleValuesParser::new(FAIL_ON.map(|row| row.0)))
            .default_value("warning")
            .hide_default_value(true)
            .help("The lowest severity for which the exit status is 1 [default: warning]"),
    )
    .arg(flag("response", "Validates the response if a file has both key and response"))
    .args(of_score(TaskKind::Validate))
    .arg(output(Kind::Validation))
}
