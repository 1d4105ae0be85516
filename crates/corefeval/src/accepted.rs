//! Restricts hints to options that the running subcommand accepts.
//!
//! The library words hints for all subcommands. If the running subcommand lacks an option, the hint names a subcommand
//! that has it, as does the tip for an option that is typed with the wrong subcommand. With `--for-teams`, hints present
//! every option as the organisers'.

use std::ffi::OsString;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgMatches, Command};
use corefeval_core::wording::{self, Part, Teams, Wording};

use crate::SUBCOMMANDS;

/// The row of the current subcommand.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// True if readers of messages cannot set options.
static FOR_TEAMS: AtomicBool = AtomicBool::new(false);

/// Stores the subcommand that runs, and the readers of its messages.
pub fn begin(name: &str, matches: &ArgMatches) {
    let row = SUBCOMMANDS.iter().position(|row| row.name == name);
    RUNNING.store(row.unwrap_or(0), Ordering::Relaxed);
    let for_teams = matches.try_get_one::<bool>("for-teams").ok().flatten();
    FOR_TEAMS.store(for_teams.copied().unwrap_or(false), Ordering::Relaxed);
}

/// The wording of the current subcommand.
#[derive(Clone, Copy, Debug)]
pub struct Accepted;

impl Wording for Accepted {
    fn part(&self, part: &Part, words: &mut String) {
        match FOR_TEAMS.load(Ordering::Relaxed) {
            true => Teams.part(part, words),
            false => word(RUNNING.load(Ordering::Relaxed), part, words),
        }
    }
}

/// Appends `part`, worded for the subcommand of row `running`.
fn word(running: usize, part: &Part, words: &mut String) {
    let Part::Option { name, value } = part else { return wording::Command.part(part, words) };
    let plain = |name: &str, words: &mut String| {
        wording::Command.part(&Part::Option { name: name.to_owned().into(), value: value.clone() }, words);
    };
    // If a subcommand reads only one side, `--span-end` means `--response-span-end`.
    let of_both = name.strip_prefix("key-").or_else(|| name.strip_prefix("response-"));
    let mut names = [Some(&**name), of_both].into_iter().flatten();
    if let Some(accepted) = names.find_map(|name| accepted(running, name)) {
        return plain(&accepted, words);
    }
    plain(name, words);
    if let Some(other) = subcommands_with(name).next() {
        words.push_str(&format!(" (of `corefeval {other}`)"));
    }
}

/// Returns the names of the subcommands that accept an option.
fn subcommands_with(option: &str) -> impl Iterator<Item = &'static str> {
    (0..SUBCOMMANDS.len()).filter(|&row| accepted(row, option).is_some()).map(|row| SUBCOMMANDS[row].name)
}

/// Replaces the tip of the parser for an unknown argument, "use '-- ARGUMENT'", by one that works as it is typed.
pub fn with_tip(mut error: clap::Error, typed: &[OsString]) -> clap::Error {
    let unknown = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(unknown)) if error.kind() == ErrorKind::UnknownArgument => unknown.clone(),
        _ => return error,
    };
    error.remove(ContextKind::Suggested);
    if let Some(tip) = tip_for(&unknown, typed) {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// Returns a tip for an unknown argument that begins with `-`: the path of the file that it names, the option before it
/// with a negative number as its value, or the subcommands that have the option.
fn tip_for(unknown: &str, typed: &[OsString]) -> Option<String> {
    let typed: Vec<&str> = typed.iter().filter_map(|argument| argument.to_str()).collect();
    // The parser names only the first letter of several.
    for (place, argument) in typed.iter().enumerate().filter(|(_, argument)| argument.starts_with(unknown)) {
        if Path::new(argument).exists() {
            return Some(format!("to pass the file '{argument}', use './{argument}'"));
        }
        let before = typed[..place].last().copied().unwrap_or_default();
        if takes_value(typed.get(1).copied(), before) && argument.parse::<f64>().is_ok() {
            return Some(format!("to pass '{argument}' as a value of '{before}', use '{before}={argument}'"));
        }
    }
    let option = unknown.strip_prefix("--").or_else(|| unknown.strip_prefix('-'))?;
    let others: Vec<&str> = subcommands_with(option).collect();
    (!others.is_empty()).then(|| format!("'{unknown}' is an option of {}", others.join(", ")))
}

/// Returns whether an argument is a long option of a subcommand whose value follows it.
fn takes_value(subcommand: Option<&str>, argument: &str) -> bool {
    let row = SUBCOMMANDS.iter().find(|row| Some(row.name) == subcommand);
    row.zip(argument.strip_prefix("--")).is_some_and(|(row, option)| {
        let command = (row.args)(Command::new(row.name));
        command.get_arguments().any(|arg| arg.get_long() == Some(option) && arg.get_action().takes_values())
    })
}

/// Returns the long name of an option in the subcommand of a row, if it accepts the option. A single letter is a short
/// name.
fn accepted(row: usize, option: &str) -> Option<String> {
    let row = &SUBCOMMANDS[row];
    let command = (row.args)(Command::new(row.name));
    // Hidden options exist only to be refused with a message.
    let called = |arg: &&Arg| {
        let is_alias = || arg.get_all_aliases().is_some_and(|all| all.contains(&option));
        let is_short = || arg.get_short().is_some_and(|short| option == short.encode_utf8(&mut [0; 4]));
        !arg.is_hide_set() && (arg.get_long() == Some(option) || is_alias() || is_short())
    };
    command.get_arguments().find(called)?.get_long().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use corefeval_core::diagnostic::Code;
    use corefeval_core::wording::{Text, option};

    use super::*;

    /// Words a text for a subcommand.
    fn worded(row: usize, text: &Text) -> String {
        let mut words = String::new();
        text.parts().iter().for_each(|part| word(row, part, &mut words));
        words
    }

    /// Returns the options in a text, each with the text after it.
    fn options(text: &str) -> Vec<(&str, &str)> {
        let begins = text.match_indices("--").map(|(place, _)| &text[place + 2..]);
        let is_name = |c: char| c.is_ascii_lowercase() || c == '-';
        begins.map(|rest| rest.split_at(rest.find(|c| !is_name(c)).unwrap_or(rest.len()))).collect()
    }

    #[test]
    fn no_hint_names_an_option_that_the_subcommand_refuses() {
        let mut named = BTreeSet::new();
        for (row, subcommand) in SUBCOMMANDS.iter().enumerate() {
            for code in Code::ALL {
                let hint = worded(row, &code.remedy());
                for (option, rest) in options(&hint) {
                    named.insert(option.to_owned());
                    let of_other = rest
                        .split(['-', ',', ';'])
                        .next()
                        .is_some_and(|rest| rest.contains("(of `corefeval "));
                    assert!(
                        accepted(row, option).is_some() || of_other,
                        "{}: {hint} [{}]",
                        subcommand.name,
                        code.id()
                    );
                }
            }
        }
        // Hints name many options, and each belongs to some subcommand.
        assert!(named.len() > 10, "{named:?}");
        for option in named {
            assert!((0..SUBCOMMANDS.len()).any(|row| accepted(row, &option).is_some()), "{option}");
        }
    }

    #[test]
    fn an_option_of_another_subcommand_is_named_with_it() {
        let row = |name: &str| SUBCOMMANDS.iter().position(|row| row.name == name).unwrap();
        let shown_as = |row: usize, name: &'static str| worded(row, &Text::from(option(name)));
        assert_eq!(shown_as(row("score"), "check-tokens"), "--check-tokens");
        // An alias is named as in help.
        assert_eq!(shown_as(row("convert"), "format"), "--from");
        assert_eq!(shown_as(row("convert"), "check-tokens"), "--check-tokens (of `corefeval score`)");
        assert_eq!(shown_as(row("convert"), "response-span-end"), "--span-end");
        assert_eq!(shown_as(row("stats"), "runs"), "--runs (of `corefeval compare`)");
        assert_eq!(shown_as(row("score"), "key-approximate"), "--key-approximate (of `corefeval cone`)");
    }
}
