//! Settings for documents that are Python objects.

use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::evaluation::{Inputs, Request, Values};
use corefeval_core::formats::{FormatSpec, LISTS};
use corefeval_core::groups::By;
use corefeval_core::profiles::Profile;
use corefeval_core::score::Task;
use corefeval_core::settings::{Entities, Match, OPTIONS, Scope, Settings, Switch};
use pyo3::prelude::*;

/// The name of the format of documents built in Python, in signatures.
pub const FORMAT: &str = "python";

/// The format of documents built in Python.
pub static PYTHON: FormatSpec = FormatSpec::of_program(FORMAT, "documents built in Python");

/// The request of the keywords of `corefeval.score`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct ScoreKeywords {
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
    ceaf_bound: Option<String>,
    #[pyo3(default)]
    min_aligned: Option<String>,
    #[pyo3(default)]
    threads: Option<usize>,
}

impl Values for ScoreKeywords {
    fn values(&self, name: &str) -> Vec<String> {
        let one = match name {
            "profile" => self.profile.clone(),
            "settings" => self.settings.clone(),
            "metrics" => self.metrics.clone(),
            "by" => self.by.clone(),
            "ceaf-bound" => self.ceaf_bound.clone(),
            "min-aligned" => self.min_aligned.clone(),
            "threads" => self.threads.map(|threads| threads.to_string()),
            _ => {
                let choices = self.choices.iter().filter(|choice| choice.0 == name);
                return choices.map(|choice| choice.1.clone()).collect();
            }
        };
        one.into_iter().collect()
    }
}

impl ScoreKeywords {
    /// The request, for documents that this crate pairs.
    pub fn request(&self) -> Result<Request> {
        // Values are looked up by name, so `with` alone would ignore unknown names.
        let request = Request::new(Inputs::NoKey(Vec::new()));
        for (name, value) in &self.choices {
            request.clone().choose(name, value)?;
        }
        request.with(self)
    }

    /// The options of scoring lists of mentions.
    pub fn task(&self) -> Result<Task> {
        let task = self.request()?.task(LISTS.id)?;
        check(&task.settings)?;
        for metric in &task.metrics {
            if metric.needs_mentions() || metric.needs_names() || metric.needs_corpus() {
                let message =
                    format!("`{metric}` requires words, which mentions given as Python objects do not have");
                return Err(Error::new(ErrorKind::Settings, message).hint(DOCUMENTS));
            }
        }
        if let Some(by) =
            task.by.into_iter().flat_map(By::specs).find(|by| !OF_LISTS.contains(&by.id) && by.id != OF_SPANS)
        {
            let message = format!("lists of mentions do not have the {}", by.id);
            return Err(Error::new(ErrorKind::Settings, message).hint(DOCUMENTS));
        }
        Ok(task)
    }
}

/// The groups that lists of mentions can have.
const OF_LISTS: [&str; 2] = ["document", "entity-size"];

/// The grouping that is available for spans.
const OF_SPANS: &str = "mention-length";

/// Fails if a rule depends on the words of mentions and the document `wordless` has unknown words.
pub fn check_words(task: &Task, wordless: Option<&str>) -> Result<()> {
    let Settings { matching, remove_nested, .. } = task.settings;
    let by = task.by.into_iter().flat_map(By::specs).find(|by| by.id == OF_SPANS);
    let (rule, instead) = match (by, matching, remove_nested) {
        (Some(by), ..) => (format!("by:{}", by.id), ""),
        (None, Match::Exact, Switch::No) => return Ok(()),
        (None, Match::Exact, Switch::Yes) => {
            ("remove-nested:yes".to_owned(), "pass remove_nested=False, or ")
        }
        (None, ..) => (format!("match:{}", value_of("match", &task.settings)), "pass match=\"exact\", or "),
    };
    let Some(name) = wordless else { return Ok(()) };
    let message =
        format!("`{rule}` depends on the words of mentions, but those of document `{name}` are not known");
    let hint = format!(
        "{instead}give spans as pairs of numbers, first and last word, or documents: corefeval.read(...), \
         corefeval.Document(...)"
    );
    Err(Error::new(ErrorKind::Settings, message).hint(hint))
}

/// The hint if Python objects lack an annotation.
const DOCUMENTS: &str = "give documents with this annotation (corefeval.read(...), corefeval.Document(...)), or score \
                         files: corefeval.score_files";

/// The value of a choice.
fn value_of(name: &str, settings: &Settings) -> &'static str {
    let option = OPTIONS.iter().find(|option| option.name == name);
    option.map_or("", |option| option.value(settings))
}

/// Rejects rules that need heads, a parse or names of entities. Lists lack these, so another rule would be applied.
fn check(settings: &Settings) -> Result<()> {
    let by_words = matches!(settings.matching, Match::Exact | Match::Craft | Match::Overlap);
    let rules = [
        ("match", by_words || settings.matching == Match::MinSpan, "heads or minimum spans"),
        ("match", by_words, "a parse"),
        ("scope", settings.scope == Scope::Document, "names of entities, by which documents share them"),
        ("np-only", settings.np_only == Switch::No, "a parse"),
        ("entities", settings.entities == Entities::default(), "which mentions are names"),
    ];
    let Some((name, _, what)) = rules.into_iter().find(|rule| !rule.1) else { return Ok(()) };
    let asked = value_of(name, settings);
    let message = format!("`{name}:{asked}` requires {what}, which lists of mentions do not have");
    let usual = value_of(name, &Settings::of(Profile::for_format(LISTS.id)));
    let hint = format!("pass {}=\"{usual}\", or {DOCUMENTS}", name.replace('-', "_"));
    Err(Error::new(ErrorKind::Settings, message).hint(hint))
}
