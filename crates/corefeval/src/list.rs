//! `corefeval list`: prints the library's tables for people.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};
use corefeval_core::ace_parameters::{ACE_PARAMETERS, AceRules};
use corefeval_core::agreement::ALPHAS;
use corefeval_core::diagnostic::Code;
use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::formats::{Aspect, FORMATS, FormatSpec};
use corefeval_core::groups::GROUPS;
use corefeval_core::heuristics::HEURISTICS;
use corefeval_core::metrics::{METRICS, Metric};
use corefeval_core::profiles::PROFILES;
use corefeval_core::settings::OPTIONS;
use corefeval_core::significance::{CorrelationMethod, METHOD_FIELDS, Method, Over};
use corefeval_core::suggest::did_you_mean;
use corefeval_report::list::List;
use corefeval_report::{Kind, OUTPUTS, OutputSpec, Style};

use crate::args::output;
use crate::destination::Destination;
use crate::typed::text;
use crate::{Output, Subcommand, terminal};

/// The subcommand.
pub const LIST: Subcommand = Subcommand {
    name: "list",
    about: "Lists metrics, formats, profiles, options and other tables, or prints the page of a metric",
    examples: &[("All tables", "corefeval list"), ("The page of a metric", "corefeval list metrics lea")],
    args,
    run,
};

fn run(matches: &ArgMatches) -> Result<Output> {
    let destination = Destination::new(matches, Kind::List)?;
    let style = Style::of_width(terminal::width());
    match (text(matches, "what"), text(matches, "name")) {
        (None, _) => destination.put(&List { title: "list".to_owned(), rows: tables() }, style),
        (Some("metrics"), Some(name)) => {
            destination.put_text(Metric::parse(name)?.spec().explanation().trim_start().to_owned())
        }
        (Some(what), Some(name)) => destination.put(&entry(what, name)?, style),
        (Some(what), None) => destination.put(&List { title: what.to_owned(), rows: rows_of(what) }, style),
    }
}

fn args(bare: Command) -> Command {
    bare.arg(
        Arg::new("what")
            .value_parser(PossibleValuesParser::new(TABLES.iter().map(|table| table.0)))
            .help("The table to list [default: a list of the tables]"),
    )
    .arg(Arg::new("name").value_name("NAME").help("One entry of the table; for a metric, its whole page"))
    .arg(output(Kind::List))
}

/// The tables and their contents.
fn tables() -> Vec<[String; 2]> {
    TABLES.iter().map(|(name, about, _)| [(*name).to_owned(), (*about).to_owned()]).collect()
}

/// The rows of one table.
fn rows_of(name: &str) -> Vec<[String; 2]> {
    TABLES.iter().find(|table| table.0 == name).map(|table| table.2()).unwrap_or_default()
}

/// Returns the row of one entry, with the indented rows that belong to it.
fn entry(what: &str, name: &str) -> Result<List> {
    let rows = rows_of(what);
    // `conllu` is `corefud`.
    let name = if what == "formats" { FormatSpec::named(name).map_or(name, |spec| spec.id) } else { name };
    let own = |row: &[String; 2]| !row[0].starts_with(' ');
    let called = |row: &[String; 2]| row[0].trim_start_matches('-') == name.trim_start_matches('-');
    let Some(start) = rows.iter().position(|row| own(row) && called(row)) else {
        let names = || rows.iter().filter(|row| own(row)).map(|row| row[0].as_str());
        let error = Error::new(ErrorKind::Settings, format!("there is no `{name}` among the {what}"));
        let hint = did_you_mean(name, names());
        return Err(error.hint(hint.unwrap_or_else(|| format!("`corefeval list {what}` prints all"))));
    };
    let more = rows[start + 1..].iter().take_while(|row| !own(row)).count();
    let mut rows = rows[start..=start + more].to_vec();
    if what == "formats" {
        rows.extend(losses(name));
        rows.extend(links(name));
    }
    Ok(List { title: what.to_owned(), rows })
}

/// The rows of one table: a name and its description.
type Rows = fn() -> Vec<[String; 2]>;

/// The tables: name, contents, rows.
const TABLES: &[(&str, &str, Rows)] = &[
    ("metrics", "metrics with their parameters; `list metrics NAME` prints the page of one", metrics),
    (
        "formats",
        "formats of files; `list formats NAME` lists what a format cannot represent and how it names antecedents",
        formats,
    ),
    ("profiles", "profiles: the rules of other scorers and of shared tasks", profiles),
    ("outputs", "outputs of reports, for -o", outputs),
    ("options", "options that scores depend on, with their values", options),
    ("groups", "groupings of documents and mentions, for --by", groups),
    ("comparison", "options and outputs of `compare`", comparison),
    ("agreement", "coefficients and outputs of `agree`", agreement),
    ("correlation", "options and outputs of `correlate`", correlation),
    ("heuristics", "heuristics that cluster names, for `cone --key-approximate`", heuristics),
    ("warnings", "warnings and notes, with their remedies", warnings),
    ("ace", "parameters of ACE-value", ace),
];

fn metrics() -> Vec<[String; 2]> {
    let mut rows = Vec::new();
    for spec in METRICS {
        rows.push([
            spec.id.to_owned(),
            format!("{}: {} ({})", spec.label, spec.summary, spec.references.join(", ")),
        ]);
        for parameter in spec.parameters {
            let name = format!("  {}:{}=", spec.id, parameter.name);
            rows.push([name, format!("{}: {}", parameter.values.join("|"), parameter.summary)]);
        }
    }
    rows
}

fn groups() -> Vec<[String; 2]> {
    GROUPS.iter().map(|spec| [spec.id.to_owned(), spec.summary.to_owned()]).collect()
}

fn agreement() -> Vec<[String; 2]> {
    let alphas = ALPHAS.iter().map(|spec| {
        [spec.id.to_owned(), format!("Krippendorff's {}: {} ({})", spec.label, spec.summary, spec.reference)]
    });
    let outputs = OutputSpec::of(Kind::Agreement)
        .map(|spec| [format!("--output {}", spec.id), spec.summary.to_owned()]);
    alphas.chain(outputs).collect()
}

fn formats() -> Vec<[String; 2]> {
    FORMATS
        .iter()
        .map(|spec| [spec.id.to_owned(), format!("{} ({})", spec.summary, extensions(spec))])
        .collect()
}

/// Lists the extensions of a format, with those that this build does not read at the end.
fn extensions(spec: &FormatSpec) -> String {
    let unread = spec.unread_extensions;
    let listed = |extensions: &[&str]| format!(".{}", extensions.join(", ."));
    let read: Vec<&str> = spec.extensions.iter().copied().filter(|end| !unread.contains(end)).collect();
    match unread {
        [] => listed(&read),
        _ => format!("{}; not read by this build: {}", listed(&read), listed(unread)),
    }
}

/// Returns the annotation that is lost in a format.
fn losses(name: &str) -> Option<[String; 2]> {
    let spec = FormatSpec::named(name).ok()?;
    let lost = Aspect::ALL.iter().filter(|aspect| !spec.expresses.contains(aspect));
    let lost: Vec<&str> = lost.map(|aspect| aspect.words()).collect();
    let lost = match spec.is_written() {
        true => format!("cannot represent: {}", lost.join(", ")),
        false => "is only read".to_owned(),
    };
    Some([format!("  {name}"), lost])
}

/// Returns the way in which a format links mentions, if it does.
fn links(name: &str) -> Option<[String; 2]> {
    let notation = FormatSpec::named(name).ok()?.link_notation?;
    Some([format!("  {name}"), format!("names antecedents with {notation}")])
}

fn profiles() -> Vec<[String; 2]> {
    let choices = |choices: &[(&str, &str)]| {
        choices.iter().map(|(name, value)| format!(" {name}:{value}")).collect::<String>()
    };
    PROFILES
        .iter()
        .map(|profile| [profile.id.to_owned(), format!("{};{}", profile.summary, choices(profile.choices))])
        .collect()
}

fn outputs() -> Vec<[String; 2]> {
    OUTPUTS.iter().map(|spec| [spec.id.to_owned(), spec.summary.to_owned()]).collect()
}

fn options() -> Vec<[String; 2]> {
    let mut rows = Vec::new();
    for option in OPTIONS {
        rows.push([format!("--{}", option.name), option.summary.to_owned()]);
        rows.extend(option.values.iter().map(|(id, summary)| [format!("  {id}"), (*summary).to_owned()]));
    }
    rows
}

fn comparison() -> Vec<[String; 2]> {
    let mut rows = Vec::new();
    for field in METHOD_FIELDS {
        let default = field.value(&Method::default());
        rows.push([format!("--{}", field.name), format!("{} (default: {default})", field.summary)]);
        rows.extend(field.values.iter().map(|(id, summary)| [format!("  {id}"), (*summary).to_owned()]));
    }
    rows.push(["--output".to_owned(), "outputs of comparisons".to_owned()]);
    rows.extend(
        OutputSpec::of(Kind::Comparison).map(|spec| [format!("  {}", spec.id), spec.summary.to_owned()]),
    );
    rows
}

fn correlation() -> Vec<[String; 2]> {
    let mut rows = vec![["--over".to_owned(), "the kinds of points".to_owned()]];
    rows.extend(Over::ALL.iter().map(|over| [format!("  {}", over.name()), over.summary().to_owned()]));
    let defaults = CorrelationMethod::default();
    for (name, summary, values) in CorrelationMethod::fields() {
        rows.push([format!("--{name}"), format!("{summary} (default: {})", defaults.value(name))]);
        rows.extend(values.iter().map(|(id, summary)| [format!("  {id}"), (*summary).to_owned()]));
    }
    rows.push(["--over entities".to_owned(), "the score of an entity K of the key".to_owned()]);
    let scores =
        METRICS.iter().map(Metric::new).filter_map(|metric| Some((metric, metric.entity_score().ok()?)));
    rows.extend(scores.map(|(metric, summary)| [format!("  {metric}"), summary.to_owned()]));
    rows.push(["--output".to_owned(), "outputs of correlations".to_owned()]);
    rows.extend(
        OutputSpec::of(Kind::Correlation).map(|spec| [format!("  {}", spec.id), spec.summary.to_owned()]),
    );
    rows
}

/// The heuristics that cluster names in a key made from names.
fn heuristics() -> Vec<[String; 2]> {
    HEURISTICS.iter().map(|(id, summary)| [(*id).to_owned(), (*summary).to_owned()]).collect()
}

fn warnings() -> Vec<[String; 2]> {
    let row = |code: &Code| {
        [
            code.id().to_owned(),
            format!("{}: {} Remedy: {}.", code.severity().label(), code.summary(), code.remedy()),
        ]
    };
    Code::ALL.iter().map(row).collect()
}

/// The parameters of ACE-value, with their values in each evaluation.
fn ace() -> Vec<[String; 2]> {
    let rules = [AceRules::Of2003, AceRules::Of2004, AceRules::Of2005, AceRules::Of2007, AceRules::Of2008];
    let row = |parameter: &corefeval_core::ace_parameters::AceParameter| {
        let values = rules.iter().map(|&rules| {
            format!("{} {}", rules.year(), parameter.value(rules).unwrap_or_else(|| "none".to_owned()))
        });
        let values = values.collect::<Vec<_>>().join(", ");
        [parameter.name.to_owned(), format!("{} ({values})", parameter.summary)]
    };
    ACE_PARAMETERS.iter().map(row).collect()
}
