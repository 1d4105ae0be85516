//! Settings for documents that are Python objects.

use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::evaluation::Request;
use corefeval_core::formats::{FormatSpec, LISTS};
use corefeval_core::groups::{By, GroupNeeds};
use corefeval_core::profiles::Profile;
use corefeval_core::score::Task;
use corefeval_core::settings::{Entities, Match, OPTIONS, PairDocuments, Scope, Settings, Switch};

/// The name of the format of documents built in Python, in signatures.
pub const FORMAT: &str = "python";

/// The format of documents built in Python.
pub static PYTHON: FormatSpec = FormatSpec::of_program(FORMAT, "documents built in Python");

/// Fails if a request needs something that lists of mentions lack. `wordless` is the name of a document whose mentions
/// have unknown words, if any.
pub fn check_lists(request: &Request, wordless: Option<&str>) -> Result<()> {
    let task = task_of_lists(request)?;
    check_words(&task, wordless)
}

/// Returns the task of a request on lists of mentions.
pub fn task_of_lists(request: &Request) -> Result<Task> {
    let task = request.task(LISTS.id)?;
    check(&task.settings)?;
    for metric in &task.metrics {
        if metric.needs_mentions() || metric.needs_names() || metric.needs_corpus() {
            let message =
                format!("`{metric}` requires words, which mentions given as Python objects do not have");
            return Err(Error::new(ErrorKind::Settings, message).hint(DOCUMENTS));
        }
    }
    if let Some(by) = task.by.into_iter().flat_map(By::specs).find(|by| by.needs == GroupNeeds::Annotation) {
        let message = format!("lists of mentions do not have the {}", by.id);
        return Err(Error::new(ErrorKind::Settings, message).hint(DOCUMENTS));
    }
    Ok(task)
}

/// Fails if a rule depends on the words of mentions and the document `wordless` has unknown words.
fn check_words(task: &Task, wordless: Option<&str>) -> Result<()> {
    let Settings { matching, remove_nested, .. } = task.settings;
    let by = task.by.into_iter().flat_map(By::specs).find(|by| by.needs == GroupNeeds::Spans);
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

/// Rejects rules that need heads, a parse, names of entities or the same text. Lists lack these, so another rule would be applied.
fn check(settings: &Settings) -> Result<()> {
    let by_words = matches!(settings.matching, Match::Exact | Match::Craft | Match::Overlap);
    let rules = [
        ("match", by_words || settings.matching == Match::MinSpan, "heads or minimum spans"),
        ("match", by_words, "a parse"),
        ("scope", settings.scope == Scope::Document, "names of entities, by which documents share them"),
        (
            "pair-documents",
            settings.pair_documents != PairDocuments::Order,
            "mentions that are the same in documents with different names",
        ),
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
