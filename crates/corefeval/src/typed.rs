//! Converts the typed line into a request.

use std::path::Path;

use clap::ArgMatches;
use clap::parser::ValueSource;
use corefeval_core::diagnostic::Position;
use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::evaluation::{Inputs, NamedInput, Request, Values, limits, no_effect};
use corefeval_core::input::Limits;
use corefeval_core::systems::key_in;

use crate::honoured::OF_DOCUMENTS;

/// Returns the value of an option of the subcommand, if it was typed or has a default.
pub fn text<'m>(matches: &'m ArgMatches, name: &str) -> Option<&'m str> {
    matches.try_get_one::<String>(name).ok().flatten().map(String::as_str)
}

/// Returns the values of an option that may be typed several times.
pub fn texts<'m>(matches: &'m ArgMatches, name: &str) -> impl Iterator<Item = &'m str> {
    matches.try_get_many::<String>(name).ok().flatten().into_iter().flatten().map(String::as_str)
}

/// The options that were typed.
pub struct Typed<'m>(pub &'m ArgMatches);

impl Values for Typed<'_> {
    fn values(&self, name: &str) -> Vec<String> {
        let Typed(matches) = self;
        // Not every subcommand has every option; requests supply the defaults of options that were not typed.
        if matches.try_contains_id(name).is_err()
            || matches.value_source(name) != Some(ValueSource::CommandLine)
        {
            return Vec::new();
        }
        if let Ok(flag) = matches.try_get_one::<bool>(name) {
            return flag.filter(|flag| **flag).map(|_| "yes".to_owned()).into_iter().collect();
        }
        if let Ok(Some(number)) = matches.try_get_one::<u16>(name) {
            return vec![number.to_string()];
        }
        texts(matches, name).map(str::to_owned).collect()
    }
}

/// Returns the request that was typed.
pub fn request(matches: &ArgMatches) -> Result<Request> {
    Request::new(inputs(matches)?).with(&Typed(matches))
}

/// The inputs that were typed.
fn inputs(matches: &ArgMatches) -> Result<Inputs> {
    let all = [
        "key", "response", "pair", "inputs", "annotated", "corpus", "validated", "against", "overlap",
        "tables",
    ];
    refuse_twice(all.into_iter().flat_map(|name| texts(matches, name)))?;
    let given = |name: &str| matches.try_contains_id(name).unwrap_or(false);
    let limits = limits(&Typed(matches))?;
    let open = |typed: &str| open(typed, &limits);
    let open_all = |name: &str| texts(matches, name).map(open).collect::<Result<Vec<NamedInput>>>();
    if given("inputs") {
        return Ok(key_first(open_all("inputs")?, matches.get_flag("key-approximate")));
    }
    if given("corpus") {
        return open_all("corpus").map(Inputs::NoKey);
    }
    if given("validated") {
        let files = open_all("validated")?;
        return Ok(match text(matches, "against") {
            Some(key) => Inputs::OneKey { key: open(key)?, responses: files },
            None => Inputs::NoKey(files),
        });
    }
    if given("overlap") {
        refuse_idle(
            matches,
            OF_DOCUMENTS,
            "tables of counts",
            "leave it out; it applies where the mentions are counted",
        )?;
        return open_all("overlap").map(Inputs::Counts);
    }
    if given("tables") {
        return open_all("tables").map(Inputs::Counts);
    }
    if given("pair") {
        let mut inputs = open_all("pair")?.into_iter();
        return Ok(Inputs::Pairs(std::iter::from_fn(|| Some([inputs.next()?, inputs.next()?])).collect()));
    }
    let responses = open_all("response")?;
    let key = match (text(matches, "key"), texts(matches, "systems").next()) {
        // The key of `board DIR` is in the folder.
        (None, Some(folder)) => {
            NamedInput::open_within(&key_in(Path::new(folder))?.to_string_lossy(), &limits)?
        }
        (key, _) => open(key.unwrap_or_default())?,
    };
    Ok(Inputs::OneKey { key, responses })
}

/// Fails if an option was typed that has no effect on `what`.
pub fn refuse_idle(matches: &ArgMatches, options: &[&'static str], what: &str, hint: &str) -> Result<()> {
    let typed = |name: &&&str| matches.value_source(name) == Some(ValueSource::CommandLine);
    match options.iter().find(typed) {
        Some(name) => Err(no_effect(name, what).hint(hint)),
        None => Ok(()),
    }
}

/// Fails if standard input, or a pipe, is used for two inputs, because it can be read only once.
pub fn refuse_twice<'p>(paths: impl Iterator<Item = &'p str>) -> Result<()> {
    let is_once = |path: &str| {
        path == "-" || std::fs::metadata(path).is_ok_and(|data| !data.is_file() && !data.is_dir())
    };
    let mut known: Vec<&str> = Vec::new();
    for path in paths.filter(|path| is_once(path)) {
        let path = if path == "/dev/stdin" { "-" } else { path };
        if known.contains(&path) {
            let what = if path == "-" { "standard input" } else { "this pipe" };
            let error = Error::new(ErrorKind::Settings, format!("{what} can be read for one side only"));
            let error = if path == "-" { error } else { error.at(Position::new(&path.into(), 0, 0)) };
            return Err(error.hint("give the other side as a file"));
        }
        known.push(path);
    }
    Ok(())
}

/// Divides the inputs of a subcommand that does not require a key: the first is the key unless one is made from names.
fn key_first(mut inputs: Vec<NamedInput>, no_key: bool) -> Inputs {
    if no_key || inputs.is_empty() {
        return Inputs::NoKey(inputs);
    }
    let key = inputs.remove(0);
    Inputs::OneKey { key, responses: inputs }
}

/// Opens an input as typed: a path, or `NAME=PATH` unless a file has that whole name. Standard input and pipes are read,
/// within the limits.
pub fn open(typed: &str, limits: &Limits) -> Result<NamedInput> {
    // A name may contain `=` too: the longest existing path is used.
    let exists = |path: &str| path == "-" || Path::new(path).exists();
    let splits = || typed.match_indices('=').map(|(place, _)| (&typed[..place], &typed[place + 1..]));
    let split = splits().find(|split| exists(split.1)).or_else(|| splits().next());
    match split.filter(|_| !exists(typed)) {
        Some((name, path)) => Ok(NamedInput::open_within(path, limits)?.called(name)),
        None => NamedInput::open_within(typed, limits),
    }
}
