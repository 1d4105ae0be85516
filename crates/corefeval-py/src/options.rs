//! Settings for documents that come as Python objects.

use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::formats::FormatSpec;
use corefeval_core::groups::GroupSpec;
use corefeval_core::metrics::Kind;
use corefeval_core::profiles::Profile;
use corefeval_core::score::Task;
use corefeval_core::settings::{Entities, OPTIONS, Scope, Settings, Switch};

/// What a signature calls the format of Python objects.
pub const FORMAT: &str = "python";

/// What stands in the place of the format of documents that are made in Python.
pub static PYTHON: FormatSpec = FormatSpec::of_program(FORMAT, "Python objects");

/// The table of choices: name, values, whether it is a flag.
pub fn table() -> Vec<(&'static str, Vec<&'static str>, bool)> {
    OPTIONS.iter().map(|option| (option.name, option.ids().collect(), option.flag)).collect()
}

/// The settings of a profile and of what differs.
pub fn settings(profile: Option<&str>, choices: &[(String, String)]) -> Result<Settings> {
    let profile = profile.map_or_else(|| Ok(Profile::for_format(FORMAT)), Profile::named)?;
    let mut settings = Settings::of(profile);
    choices.iter().try_for_each(|(name, value)| settings.set(name, value))?;
    Ok(settings)
}

/// What is to be computed, as the keywords of `corefeval.score` say.
pub fn task(
    profile: Option<&str>,
    metrics: Option<&str>,
    choices: &[(String, String)],
    by: Option<&str>,
    threads: Option<usize>,
) -> Result<Task> {
    let settings = settings(profile, choices)?;
    check(&settings)?;
    let metrics = corefeval::metrics_of(metrics, &settings, FORMAT)?;
    for metric in &metrics {
        if let Kind::OfMentions { .. } | Kind::OfNamed { .. } | Kind::OfCorpus { .. } = metric.spec().kind {
            let message = format!("`{metric}` looks at words, which mentions as Python objects do not have");
            return Err(Error::new(ErrorKind::Settings, message).hint(DOCUMENTS));
        }
    }
    let threads = threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let by = by.map(GroupSpec::named).transpose()?;
    if by.is_some_and(|by| by.id == "length") {
        let message = "documents as Python objects have no text that could have a length";
        return Err(Error::new(ErrorKind::Settings, message).hint(DOCUMENTS));
    }
    Ok(Task { settings, metrics, by, threads: threads.max(1) })
}

/// What to do where Python objects say too little.
const DOCUMENTS: &str = "give documents, which can say it (corefeval.read(...), corefeval.Document(...)), or score \
                         files: corefeval.score_files";

/// The value of a choice.
pub fn value_of(name: &str, settings: &Settings) -> &'static str {
    let option = OPTIONS.iter().find(|option| option.name == name);
    option.map_or("", |option| option.value(settings))
}

/// Refuses rules that would look at a parse or at names of entities, which are not there.
fn check(settings: &Settings) -> Result<()> {
    let rules = [
        ("scope", settings.scope == Scope::Document, "names of entities, by which documents share them"),
        ("np-only", settings.np_only == Switch::No, "a parse"),
        ("entities", settings.entities == Entities::default(), "which mentions are names"),
    ];
    let Some((name, _, what)) = rules.into_iter().find(|rule| !rule.1) else { return Ok(()) };
    let asked = value_of(name, settings);
    let message = format!("`{name}:{asked}` asks for {what}, which lists of mentions do not say");
    let usual = value_of(name, &Settings::of(Profile::for_format(FORMAT)));
    let hint = format!("pass {}=\"{usual}\", or {DOCUMENTS}", name.replace('-', "_"));
    Err(Error::new(ErrorKind::Settings, message).hint(hint))
}
