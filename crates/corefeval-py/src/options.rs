//! Settings for documents that come as Python objects.

use std::thread::available_parallelism;

use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::formats::FormatSpec;
use corefeval_core::groups::GroupSpec;
use corefeval_core::metrics::Metric;
use corefeval_core::profiles::Profile;
use corefeval_core::score::Task;
use corefeval_core::settings::{Entities, Match, OPTIONS, Scope, Settings, Switch};
use corefeval_core::significance::Method;
use pyo3::prelude::*;

/// What a signature calls the format of Python objects.
pub const FORMAT: &str = "python";

/// What stands in the place of the format of documents that are made in Python.
pub static PYTHON: FormatSpec = FormatSpec::of_program(FORMAT, "Python objects");

/// What the keywords of `corefeval.score` ask for.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Asked {
    #[pyo3(default)]
    profile: Option<String>,
    /// The signature of an earlier report.
    #[pyo3(default)]
    settings: Option<String>,
    #[pyo3(default)]
    metrics: Option<String>,
    choices: Vec<(String, String)>,
    #[pyo3(default)]
    by: Option<String>,
    #[pyo3(default)]
    threads: Option<usize>,
}

impl Asked {
    /// The settings of a profile or a signature, and of what differs.
    pub fn settings(&self) -> Result<Settings> {
        let profile = self.profile.as_deref();
        let mut settings = match (&self.settings, profile) {
            (Some(_), Some(_)) => {
                let message = "a signature has the profile, and `profile` names another";
                return Err(Error::new(ErrorKind::Settings, message).hint("leave out one of them"));
            }
            (Some(signature), None) => Settings::from_signature(&Method::split_signature(signature)?.0)?,
            (None, Some(profile)) => Settings::of(Profile::named(profile)?),
            (None, None) => Settings::of(Profile::for_format(FORMAT)),
        };
        self.choices.iter().try_for_each(|(name, value)| settings.set(name, value))?;
        Ok(settings)
    }

    /// The metrics.
    pub fn metrics(&self, settings: &Settings) -> Result<Vec<Metric>> {
        corefeval::metrics_of(self.metrics.as_deref(), settings, FORMAT)
    }

    /// What is to be computed of lists of mentions.
    pub fn task(&self) -> Result<Task> {
        let settings = self.settings()?;
        check(&settings)?;
        let metrics = self.metrics(&settings)?;
        for metric in &metrics {
            if metric.needs_mentions() || metric.needs_names() || metric.needs_corpus() {
                let message =
                    format!("`{metric}` looks at words, which mentions as Python objects do not have");
                return Err(Error::new(ErrorKind::Settings, message).hint(DOCUMENTS));
            }
        }
        let threads = self.threads.unwrap_or_else(|| available_parallelism().map_or(1, usize::from));
        let by = self.by.as_deref().map(GroupSpec::named).transpose()?;
        if let Some(by) = by.filter(|by| !OF_LISTS.contains(&by.id) && by.id != OF_SPANS) {
            let message = format!("lists of mentions do not say the {}", by.id);
            return Err(Error::new(ErrorKind::Settings, message).hint(DOCUMENTS));
        }
        Ok(Task { settings, metrics, by, threads: threads.max(1) })
    }
}

/// The groups that lists of mentions can have.
const OF_LISTS: [&str; 2] = ["document", "entity-size"];

/// That which they can have where mentions are spans.
const OF_SPANS: &str = "mention-length";

/// Fails where a rule looks at the words of mentions, and those of the document `wordless` do not say which they are.
pub fn check_words(task: &Task, wordless: Option<&str>) -> Result<()> {
    let Settings { matching, remove_nested, .. } = task.settings;
    let by = task.by.filter(|by| by.id == OF_SPANS);
    let (rule, instead) = match (by, matching, remove_nested) {
        (Some(by), ..) => (format!("by:{}", by.id), ""),
        (None, Match::Exact, Switch::No) => return Ok(()),
        (None, Match::Exact, Switch::Yes) => {
            ("remove-nested:yes".to_owned(), "pass remove_nested=False, or ")
        }
        (None, ..) => (format!("match:{}", value_of("match", &task.settings)), "pass match=\"exact\", or "),
    };
    let Some(name) = wordless else { return Ok(()) };
    let message = format!(
        "`{rule}` looks at the words of mentions, and those of document `{name}` do not say which they are"
    );
    let hint = format!(
        "{instead}give spans as pairs of numbers, first and last word, or documents: corefeval.read(...), \
         corefeval.Document(...)"
    );
    Err(Error::new(ErrorKind::Settings, message).hint(hint))
}

/// What to do where Python objects say too little.
const DOCUMENTS: &str = "give documents, which can say it (corefeval.read(...), corefeval.Document(...)), or score \
                         files: corefeval.score_files";

/// The value of a choice.
fn value_of(name: &str, settings: &Settings) -> &'static str {
    let option = OPTIONS.iter().find(|option| option.name == name);
    option.map_or("", |option| option.value(settings))
}

/// Refuses rules that would look at heads, a parse or names of entities, which are not there: what would count is
/// another rule.
fn check(settings: &Settings) -> Result<()> {
    let by_words = matches!(settings.matching, Match::Exact | Match::Craft);
    let rules = [
        ("match", by_words || settings.matching == Match::MinSpan, "heads or minimum spans"),
        ("match", by_words, "a parse"),
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
