//! The keywords of the Python package are the options of the command: `python/corefeval/_options.py` is
//! generated from them, and `COREFEVAL_BLESS=1` rewrites it.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use clap::builder::ValueRange;
use clap::{Arg, ArgAction, Command, ValueHint};
use corefeval_core::settings::OPTIONS;

/// The functions of the package: subcommand, and the names of their keyword classes.
const FUNCTIONS: [(&str, &str); 7] = [
    ("score", "Score"),
    ("compare", "Compare"),
    ("agree", "Agree"),
    ("correlate", "Correlate"),
    ("cone", "Cone"),
    ("errors", "Errors"),
    ("explain", "Explain"),
];

/// The keywords that functions define themselves, or that a report takes later (output, figures).
const NOT_HERE: [&str; 26] = [
    "key", "response", "pair", "overlap", "inputs", "x", "y", "key-approximate", "annotated",
    // Options of `cone`.
    "compare", "correlate", "output", "columns", "details", "digits", "figures", "color", "quiet",
    "no-warnings", "verbose", "for-teams", "figure-title", "figure-width", "series", "help", "version",
];

/// The same for `validate`.
const NOT_OF_VALIDATE: [&str; 9] =
    ["validated", "against", "fail-on", "output", "color", "quiet", "verbose", "help", "version"];

/// Keywords that only apply to files.
const OF_FILES: [&str; 10] = [
    "format", "key-format", "response-format", "pair-files", "ids-by-file", "include", "allow-empty",
    "systems", "runs", "cache",
];

/// A keyword, as a line of a class.
#[derive(Clone, PartialEq)]
struct Keyword {
    name: String,
    line: String,
    flag: bool,
}

/// Returns the Python type of an option's values.
fn type_of(arg: &Arg) -> String {
    let values: Vec<String> = arg
        .get_possible_values()
        .iter()
        .filter(|value| !value.is_hide_set())
        .map(|value| format!("\"{}\"", value.get_name()))
        .collect();
    let several = arg.get_num_args().is_some_and(|number| number.max_values() > 1)
        || matches!(arg.get_action(), ArgAction::Append);
    let value_name = arg.get_value_names().and_then(|names| names.first()).map(|name| name.as_str());
    let one = match (arg.get_action(), arg.get_value_hint(), value_name) {
        (ArgAction::SetTrue, ..) => return "bool".to_owned(),
        (_, ValueHint::FilePath | ValueHint::DirPath | ValueHint::AnyPath, _) => "Path".to_owned(),
        _ if ["\"yes\"", "\"no\""].iter().all(|id| values.iter().any(|value| value == id)) => {
            format!("bool | Literal[{}]", values.join(", "))
        }
        _ if !values.is_empty() => format!("Literal[{}]", values.join(", ")),
        (_, _, Some("N")) => "int".to_owned(),
        (_, _, Some("LEVEL" | "POINTS")) => "float".to_owned(),
        (_, _, Some("LIST")) => "str | Iterable[str]".to_owned(),
        (_, _, Some("NUMBERS")) => "str | float | Iterable[str | float]".to_owned(),
        _ => "str".to_owned(),
    };
    if several { format!("{one} | Iterable[{one}]") } else { one }
}

/// Returns one line of help, with options as keywords and without the values, which are in the type.
fn help_of(arg: &Arg) -> String {
    let help = arg.get_help().unwrap().to_string();
    let mut words = Vec::new();
    for word in help.split(' ') {
        let bare = word.trim_start_matches(['(', '`']).trim_end_matches([')', ',', ':', '`', ';']);
        match bare.strip_prefix("--") {
            _ if word.starts_with('[') && word.contains('|') => {}
            Some(option) => words.push(word.replace(bare, &option.replace('-', "_"))),
            None => words.push(word.to_owned()),
        }
    }
    words.join(" ").replace('"', "'")
}

/// Returns the metadata of a keyword: its help or, if the help names a default, the help before it, the default, and
/// the rest.
fn row_of(help: &str) -> String {
    let parts = help.split_once(" [default: ").and_then(|(before, rest)| {
        let (default, after) = rest.split_once(']')?;
        Some(format!("\"{before}\", \"{default}\", \"{after}\""))
    });
    parts.unwrap_or_else(|| format!("\"{help}\""))
}

fn keyword(arg: &Arg) -> Keyword {
    let name = arg.get_long().unwrap().replace('-', "_");
    let line = format!("    {name}: Annotated[{} | None, {}]\n", type_of(arg), row_of(&help_of(arg)));
    Keyword { line, flag: matches!(arg.get_action(), ArgAction::SetTrue), name }
}

/// Returns the keywords of a subcommand: for all documents, and for files only. Options in `elsewhere` are not
/// keywords.
fn keywords(command: &Command, elsewhere: &[&str]) -> [Vec<Keyword>; 2] {
    let args = command.get_arguments().filter(|arg| !arg.is_hide_set());
    let args = args.filter(|arg| !elsewhere.contains(&arg.get_id().as_str()));
    let (files, all): (Vec<&Arg>, Vec<&Arg>) =
        args.partition(|arg| OF_FILES.contains(&arg.get_id().as_str()));
    [all, files].map(|args| args.into_iter().map(keyword).collect())
}

/// Returns a class of keywords, without those of its bases.
fn class(name: &str, bases: &str, about: &str, keywords: &[Keyword], shared: &[Keyword]) -> String {
    let bases = if bases.is_empty() { "TypedDict" } else { bases };
    let mut text = format!("\n\nclass {name}({bases}, total=False):\n    \"\"\"{about}\"\"\"\n");
    let own: String =
        keywords.iter().filter(|keyword| !shared.contains(keyword)).map(|keyword| &*keyword.line).collect();
    if !own.is_empty() {
        write!(text, "\n{own}").unwrap();
    }
    text
}

/// Returns the common keywords.
fn shared(all: &[&Vec<Keyword>]) -> Vec<Keyword> {
    let everywhere = |keyword: &&Keyword| all.iter().all(|other| other.contains(keyword));
    all.first().into_iter().flat_map(|first| first.iter()).filter(everywhere).cloned().collect()
}

fn module() -> String {
    let mut command = corefeval::command();
    command.build();
    let of = |name: &str| keywords(command.find_subcommand(name).unwrap(), &NOT_HERE);
    let functions: Vec<(&str, &str, [Vec<Keyword>; 2])> =
        FUNCTIONS.into_iter().map(|(name, class)| (name, class, of(name))).collect();
    let [everywhere, everywhere_files] = [0, 1]
        .map(|kind| shared(&functions.iter().map(|(.., keywords)| &keywords[kind]).collect::<Vec<_>>()));
    let mut text = String::from(
        "\"\"\"The keywords of the functions, which are the options of the command.\n\n\
         Generated from the command line by crates/corefeval/tests/it/python.rs with COREFEVAL_BLESS=1 ./test.\n\"\"\"\n\n\
         import os\nfrom collections.abc import Iterable\nfrom typing import Annotated, Literal, TypedDict\n\n\
         #: The name of a file or directory.\nPath = str | os.PathLike[str]\n",
    );
    let about = "Keywords that all functions take.";
    text += &class("Options", "", about, &everywhere, &[]);
    let about = "Keywords that all functions take that read files.";
    text += &class("FileOptions", "", about, &everywhere_files, &[]);
    for (name, class_name, [all, files]) in &functions {
        let options = format!("{class_name}Options");
        let about = format!("Keywords of ``{name}``.");
        if *name == "score" {
            // For a scorer, groups are an argument of its report.
            let (by, others): (Vec<Keyword>, Vec<Keyword>) =
                all.iter().cloned().partition(|keyword| keyword.name == "by");
            text += &class("ScorerOptions", "Options", "Keywords of ``Scorer``.", &others, &everywhere);
            text += &class(&options, "ScorerOptions", &about, &by, &[]);
        } else {
            text += &class(&options, "Options", &about, all, &everywhere);
        }
        let about = format!("Keywords of ``{name}_files``.");
        let bases = format!("{options}, FileOptions");
        text += &class(&format!("{class_name}FilesOptions"), &bases, &about, files, &everywhere_files);
    }
    // `validate` reads only files, and shares few keywords with the others.
    let validate = keywords(command.find_subcommand("validate").unwrap(), &NOT_OF_VALIDATE).concat();
    text += &class("ValidateOptions", "", "Keywords of ``validate``.", &validate, &[]);
    let all = functions.iter().flat_map(|(.., keywords)| keywords.iter().flatten()).chain(&validate);
    let flags: BTreeSet<&str> = all.filter(|keyword| keyword.flag).map(|keyword| &*keyword.name).collect();
    let of_documents = functions.iter().flat_map(|(.., [all, _])| all);
    let choices = of_documents.chain(&everywhere_files).map(|keyword| &*keyword.name);
    let choices: BTreeSet<&str> =
        choices.filter(|name| OPTIONS.iter().any(|option| option.name.replace('-', "_") == *name)).collect();
    text.push('\n');
    for (name, about, names) in [
        ("FLAGS", "The keywords whose options have no value on the command line.", flags),
        ("CHOICES", "The keywords that are choices of the settings.", choices),
    ] {
        let names: Vec<String> = names.into_iter().map(|name| format!("\"{name}\"")).collect();
        writeln!(text, "\n#: {about}\n{name} = frozenset({{{}}})", names.join(", ")).unwrap();
    }
    text
}

#[test]
fn the_keywords_are_the_options_of_the_command() {
    common::as_in("python/corefeval/_options.py", &module());
}

#[test]
fn options_with_several_values_take_lists() {
    let one = Arg::new("one").long("one").num_args(ValueRange::SINGLE).value_name("N");
    let several = Arg::new("several").long("several").num_args(1..).value_name("N");
    assert_eq!([type_of(&one), type_of(&several)], ["int", "int | Iterable[int]"]);
}
