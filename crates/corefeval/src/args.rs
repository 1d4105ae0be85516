//! Options that several subcommands have, built from the library's tables.
//!
//! Help, completions and manual pages are generated from them; [`typed`](crate::typed) interprets them.

use std::cell::Cell;
use std::sync::LazyLock;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgAction, ValueHint, value_parser};
use corefeval_core::formats::{FORMATS, FormatSpec};
use corefeval_core::settings::OptionSpec;
use corefeval_core::significance::{METHOD_FIELDS, Method, MethodField};
use corefeval_report::{Kind, OutputSpec};

thread_local! {
    /// True if options include their help. A line that cannot request help is parsed without it, because making the
    /// texts takes 5% of the run time on a small input.
    static WITH_HELP: Cell<bool> = const { Cell::new(true) };
}

/// Runs `parse`. The options that it makes include their help if `with_help`.
pub fn parsed<T>(with_help: bool, parse: impl FnOnce() -> T) -> T {
    let before = WITH_HELP.replace(with_help);
    let parsed = parse();
    WITH_HELP.set(before);
    parsed
}

/// The option for the destination of a report: the name of an output, or a file whose extension chooses it.
pub fn output(kind: Kind) -> Arg {
    let output =
        valued("output", "OUTPUT|FILE").short('o').value_hint(ValueHint::FilePath).default_value("table");
    if !WITH_HELP.get() {
        return output;
    }
    let outputs: Vec<&OutputSpec> = OutputSpec::of(kind).collect();
    let ids: Vec<&str> = outputs.iter().map(|spec| spec.id).collect();
    let rows = outputs.iter().map(|spec| {
        let extensions: Vec<String> = spec.extensions.iter().map(|end| format!(".{end}")).collect();
        let files =
            if extensions.is_empty() { String::new() } else { format!(" ({})", extensions.join(", ")) };
        format!("- {}: {}{files}", spec.id, spec.summary)
    });
    let what = "An output, or a file (written atomically) whose extension determines it";
    output
        .help(format!("{what} [{}]", ids.join("|")))
        .long_help(format!("{what}\n\n{}", rows.collect::<Vec<_>>().join("\n")))
}

/// The options for the layout of tables.
pub fn of_tables() -> [Arg; 3] {
    [
        valued("columns", "LETTERS")
            .help("Columns of scores: r, p and f for recall, precision and F1 [default: rpf; f for several systems]"),
        flag("details", "Adds a table for each of several systems"),
        digits(),
    ]
}

/// The option for the decimals of percentages.
pub fn digits() -> Arg {
    valued("digits", "N")
        .value_parser(value_parser!(u8).range(0..=10))
        .help("Decimals of percentages in tables [default: 2]")
}

/// The options for messages.
pub fn messages() -> [Arg; 4] {
    [
        flag("quiet", "Hides progress").short('q'),
        flag("no-warnings", "Hides warnings (they stay in JSON)").conflicts_with("verbose"),
        verbose(),
        flag("for-teams", "Attributes options in messages to the organisers, for teams of a shared task")
            .hide_short_help(true),
    ]
}

/// The fields of a method that a subcommand has, as options.
pub fn methods(names: &'static [&'static str]) -> impl Iterator<Item = Arg> {
    METHOD_FIELDS.iter().filter(|field| names.contains(&field.name)).map(method)
}

/// The names of formats, as typed, with the notation of answers. Extensions of only one format are names too.
static FORMAT_NAMES: LazyLock<Vec<PossibleValue>> = LazyLock::new(|| {
    let names = FormatSpec::of_documents().flat_map(|spec| {
        let is_of =
            |end: &str| FormatSpec::of_documents().filter(|other| other.extensions.contains(&end)).count();
        let own = |end: &&&str| is_of(end) == 1;
        let aliases = spec.extensions.iter().filter(own).filter(|end| **end != spec.id).copied();
        let notations = spec.notations().iter().map(|notation| PossibleValue::new(*notation));
        std::iter::once(PossibleValue::new(spec.id).aliases(aliases)).chain(notations)
    });
    // The error of tables of counts names their option.
    let without_documents = FORMATS.iter().filter(|spec| !spec.has_documents);
    let others = without_documents.map(|spec| PossibleValue::new(spec.id).hide(true));
    std::iter::once(PossibleValue::new("auto")).chain(names).chain(others).collect()
});

/// The option of a format.
pub fn format(name: &'static str, help: &'static str) -> Arg {
    valued(name, "FORMAT")
        .value_parser(PossibleValuesParser::new(FORMAT_NAMES.iter().cloned()))
        .hide_possible_values(true)
        .help(help)
}

/// The option for the minimum share of a response's text that must match the key's.
pub fn min_aligned() -> Arg {
    valued("min-aligned", "SHARE").hide_short_help(true).help(
        "Minimum share of a response's text that must match the key's; a document below it is refused [default: 0.5]",
    )
}

/// The option for the memory that reading may take.
pub fn max_memory() -> Arg {
    valued("max-memory", "SIZE")
        .hide_short_help(true)
        .help("The maximum memory while reading, for example 2G [default: nine tenths of the machine's]")
}

/// The option for the ends of spans in single inputs.
pub fn span_end_of() -> Arg {
    valued("span-end-of", "NAME=END").action(ArgAction::Append).hide_short_help(true).help(
        "The meaning of the second number of a span in one input, by its name: ada=exclusive (jsonlines)",
    )
}

/// The option for bounds of CEAF.
pub fn ceaf_bound() -> Arg {
    valued("ceaf-bound", "LIMIT")
        // The message for a negative number then gives the limits.
        .allow_hyphen_values(true)
        .hide_short_help(true)
        .help("Lets CEAF φ3 and φ4 stop at a gap (0.001), a time (10s) or either (0.001,10s), with proven bounds")
        .long_help(
            "Lets CEAF φ3 and φ4 stop before the best map of entities is proven, and report proven bounds instead of the \
             score: once recall, precision and F1 are known up to a gap (0.001 is 0.1 percentage points), after a time for \
             each document and metric (10s, 5m), or at either (0.001,10s). Scores whose proof is complete by then stay \
             exact. With a time the bounds depend on the machine",
        )
}

/// The option to show everything.
pub fn verbose() -> Arg {
    flag(
        "verbose",
        "Prints notes, all settings, and all stored warnings instead of only the first of each kind",
    )
    .short('v')
}

/// The options for the directory and the appearance of figures.
pub fn figures(help: &'static str) -> [Arg; 3] {
    [
        path("figures", "DIR", help).long("figures").value_hint(ValueHint::DirPath),
        valued("figure-title", "TEXT")
            .requires("figures")
            .hide_short_help(true)
            .help("The title of each figure, above a line about its contents; empty for neither"),
        valued("figure-width", "CM")
            .requires("figures")
            .hide_short_help(true)
            .value_parser(value_parser!(u16).range(2..=200))
            .help("The width of figures in centimetres [default: as needed]"),
    ]
}

/// Makes an option from a field of the method. Its value is checked when the method is made.
pub fn method(row: &'static MethodField) -> Arg {
    field(row.name, row.summary, row.values, &row.value(&Method::default()))
}

/// Makes an option with the values and the default of a field.
pub fn field(
    name: &'static str,
    summary: &'static str,
    values: &'static [(&'static str, &'static str)],
    default: &str,
) -> Arg {
    let arg = Arg::new(name).long(name);
    if values.is_empty() {
        // A default with a decimal point is a level, any other a count.
        let name = if default.contains('.') { "LEVEL" } else { "N" };
        return arg.value_name(name).help(format!("{} [default: {default}]", capital(summary)));
    }
    described(
        arg.value_name("VALUE"),
        &capital(summary),
        values,
        &format!(" [default: {default}]"),
        &format!(" [default: {default}]"),
    )
}

/// Lists names with a line of help each.
pub fn listed<'a>(rows: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let rows = rows.into_iter().map(|(id, summary)| format!("- {id}: {summary}"));
    rows.collect::<Vec<_>>().join("\n")
}

/// Adds named values to an option. Both forms of its help list them, each with its own ending.
pub fn described(
    arg: Arg,
    help: &str,
    values: &[(&'static str, &'static str)],
    short_end: &str,
    long_end: &str,
) -> Arg {
    let ids: Vec<&'static str> = values.iter().map(|value| value.0).collect();
    let short = WITH_HELP.get().then(|| [help, " [", &ids.join("|"), "]", short_end].concat());
    let arg = arg.value_parser(PossibleValuesParser::new(ids)).hide_possible_values(true);
    let Some(short) = short else { return arg };
    arg.help(short).long_help([help, long_end, "\n\n", &listed(values.iter().copied())].concat())
}

/// A path.
pub fn path(id: &'static str, name: &'static str, help: &'static str) -> Arg {
    Arg::new(id).value_name(name).value_hint(ValueHint::AnyPath).help(help)
}

/// An option with a value, which the help calls `value`.
pub fn valued(name: &'static str, value: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value)
}

/// An option without a value.
pub fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

/// The settings that `-h` shows. `--help` adds those for special data and for the rules of other scorers.
const USUAL: [&str; 7] =
    ["match", "singletons", "zeros", "split-antecedents", "check-tokens", "pair-files", "scope"];

/// Makes an option from a setting.
pub fn choice(option: &'static OptionSpec) -> Arg {
    let arg = Arg::new(option.name).long(option.name).hide_short_help(!USUAL.contains(&option.name));
    if option.is_flag() {
        return arg.action(ArgAction::SetTrue).help(capital(option.summary));
    }
    described(arg.value_name("VALUE"), &capital(option.summary), option.values, "", " [default: by profile]")
}

/// Capitalises the first letter of a sentence.
pub fn capital(text: &str) -> String {
    let mut characters = text.chars();
    let mut sentence = String::with_capacity(text.len());
    sentence.extend(characters.next().into_iter().flat_map(char::to_uppercase));
    sentence + characters.as_str()
}

#[cfg(test)]
mod tests {
    use corefeval_core::settings::OPTIONS;

    use super::USUAL;

    #[test]
    fn usual_options_exist() {
        assert!(USUAL.iter().all(|name| OPTIONS.iter().any(|option| option.name == *name)));
    }
}
