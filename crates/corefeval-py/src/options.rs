//! Settings for documents that come as Python objects.

use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::groups::GroupSpec;
use corefeval_core::metrics::Kind;
use corefeval_core::profiles::Profile;
use corefeval_core::score::Task;
use corefeval_core::settings::{Entities, Match, OPTIONS, Scope, Settings, Switch};

/// What a signature calls the format of Python objects.
pub const FORMAT: &str = "python";

/// The table of choices: name, values, whether it is a flag.
pub fn table() -> Vec<(&'static str, Vec<&'static str>, bool)> {
    OPTIONS.iter().map(|option| (option.name, option.ids().collect(), option.flag)).collect()
}

/// What is to be computed, as the keywords of `corefeval.score` say.
pub fn task(
    profile: Option<&str>,
    metrics: Option<&str>,
    choices: &[(String, String)],
    by_document: bool,
    threads: Option<usize>,
) -> Result<Task> {
    let profile = profile.map_or_else(|| Ok(Profile::for_format(FORMAT)), Profile::named)?;
    let mut settings = Settings::of(profile);
    for (name, value) in choices {
        settings.set(name, value)?;
    }
    check(&settings)?;
    let metrics = corefeval::metrics_of(metrics, &settings, FORMAT)?;
    for metric in &metrics {
        if let Kind::OfMentions { .. } | Kind::OfNamed { .. } | Kind::OfCorpus { .. } = metric.spec().kind {
            let message = format!("`{metric}` looks at words, which mentions as Python objects do not have");
            return Err(Error::new(ErrorKind::Settings, message).hint("score files: corefeval.score_files"));
        }
    }
    let threads = threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let by = if by_document { Some(GroupSpec::named("document")?) } else { None };
    Ok(Task { settings, metrics, by, threads: threads.max(1) })
}

/// Refuses rules that would look at words, which are not there, or at names of entities.
fn check(settings: &Settings) -> Result<()> {
    let defaults = Settings::of(Profile::for_format(FORMAT));
    let rules = [
        ("match", settings.matching == Match::Exact),
        ("scope", settings.scope == Scope::Document),
        ("np-only", settings.np_only == Switch::No),
        ("remove-nested", settings.remove_nested == Switch::No),
        ("entities", settings.entities == Entities::default()),
    ];
    let Some((name, _)) = rules.into_iter().find(|rule| !rule.1) else { return Ok(()) };
    let value = |settings: &Settings| {
        let option = OPTIONS.iter().find(|option| option.name == name);
        option.map_or("", |option| option.value(settings))
    };
    let (asked, usual) = (value(settings), value(&defaults));
    let message = format!("`{name}:{asked}` has no meaning for mentions that come as Python objects");
    let hint = format!("pass {}=\"{usual}\", or score files: corefeval.score_files", name.replace('-', "_"));
    Err(Error::new(ErrorKind::Settings, message).hint(hint))
}
