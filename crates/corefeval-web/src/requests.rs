//! Requests about files: scores, comparisons, errors and the page of a report.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use corefeval_core::diagnostic::Diagnostics;
use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::evaluation::{Compare, Errors, Evaluation, Inputs, NamedInput, Request, Values};
use corefeval_core::suggest::did_you_mean;
use corefeval_page::Page;
use corefeval_report::json::finding_in;
use corefeval_report::{Kind, OutputSpec, Printable, Style};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::declare::declared;
use crate::wording::Browser;

declared! {
    /// A key and its responses, with the options of the command by name.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct Files {
        /// The path of the key: a file or a directory.
        pub key: String,
        /// The responses.
        pub responses: Vec<System>,
        /// Values of options by name: `{"profile": ["ua"], "metrics": ["muc,lea"]}`.
        pub options: BTreeMap<String, Vec<String>>,
        /// The outputs to render in addition to the report as data.
        pub outputs: Vec<String>,
    }

    /// A response.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct System {
        /// The name; null for the name of the file.
        pub name: Option<String>,
        /// The path: a file or a directory.
        pub path: String,
    }

    /// The results of a task.
    #[derive(Serialize)]
    pub struct Results {
        /// The results as `schema/` describes them, the same as those of the command.
        pub report: Value,
        /// The outputs that were requested, by name.
        pub outputs: BTreeMap<String, String>,
        /// The warnings and notes of the report in the words of the page, which has no command line.
        pub findings: Value,
    }

    /// The page of a report.
    #[derive(Serialize)]
    pub struct PageOfReport {
        /// The page: one file with its data and its viewer.
        pub html: String,
        /// The reason why the page has no intervals and tests, if it has none.
        pub not_compared: Option<String>,
    }

    /// An error.
    #[derive(Serialize)]
    pub struct Failure {
        /// The stable code, described in `docs/codes`.
        pub code: &'static str,
        /// The whole text of the command: the places, the messages and the remedies.
        pub text: String,
        /// The text in the words of the page, which has no command line.
        pub worded: String,
        /// The message.
        pub message: String,
        /// The file, if there is a place.
        pub file: Option<String>,
        /// The line, from 1; null without one.
        pub line: Option<u32>,
        /// The column in bytes, from 1; null without one.
        pub column: Option<u32>,
        /// The likely remedy.
        pub hint: Option<String>,
    }
}

impl Failure {
    /// Returns an error in the form of an answer.
    pub fn of(error: &Error) -> Failure {
        let known = |number: u32| Some(number).filter(|&number| number > 0);
        let position = error.position();
        Failure {
            code: error.code().id(),
            text: error.to_string(),
            worded: error.worded(&Browser).join("\n"),
            message: error.message_text().worded(&Browser),
            file: position.map(|position| position.source.to_string()),
            line: position.and_then(|position| known(position.line)),
            column: position.and_then(|position| known(position.column)),
            hint: error.remedy_text().map(|hint| hint.worded(&Browser)),
        }
    }
}

/// Has no values, and records the names that are looked up.
#[derive(Default)]
struct LookedUp(RefCell<BTreeSet<String>>);

impl Values for LookedUp {
    fn values(&self, name: &str) -> Vec<String> {
        self.0.borrow_mut().insert(name.to_owned());
        Vec::new()
    }
}

impl Values for Files {
    fn values(&self, name: &str) -> Vec<String> {
        self.options.get(name).cloned().unwrap_or_default()
    }
}

impl Files {
    /// Fails for an option that no task has. A page sends the options of all tasks with each request.
    fn check_options(&self) -> Result<()> {
        let known = LookedUp::default();
        Request::new(Inputs::NoKey(Vec::new())).with(&known)?;
        Compare::with(&known)?;
        Errors::with(&known)?;
        let known = known.0.into_inner();
        let Some(unknown) = self.options.keys().find(|name| !known.contains(*name)) else { return Ok(()) };
        let error = Error::new(ErrorKind::Settings, format!("unknown option `{unknown}`"));
        let hint = did_you_mean(unknown, known.iter().map(String::as_str));
        Err(error.hint(hint.unwrap_or_else(|| "the task `tables` lists the options".to_owned())))
    }

    /// The evaluation of the files, on one thread: a worker has no others.
    fn evaluation(&self) -> Result<Evaluation> {
        self.check_options()?;
        let open = |system: &System| {
            let input = NamedInput::open(&system.path)?;
            Ok(match &system.name {
                Some(name) => input.called(name),
                None => input,
            })
        };
        let key = NamedInput::open(&self.key)?;
        let responses = self.responses.iter().map(open).collect::<Result<Vec<NamedInput>>>()?;
        let request = Request::new(Inputs::OneKey { key, responses }).with(self)?;
        Ok(Evaluation::new(request.threads(1))?.before_exit())
    }

    /// The outputs of a kind that were requested.
    fn outputs_of(&self, kind: Kind) -> Result<Vec<&'static OutputSpec>> {
        self.outputs.iter().map(|id| OutputSpec::named(id, kind)).collect()
    }
}

/// Results with the outputs that were requested.
fn results(report: &dyn Printable, outputs: Vec<&'static OutputSpec>) -> Result<Results> {
    let render = |spec: &'static OutputSpec| Ok((spec.id.to_owned(), spec.render(report, Style::default())?));
    Ok(Results {
        report: report.json(),
        outputs: outputs.into_iter().map(render).collect::<Result<_>>()?,
        findings: report
            .origin()
            .diagnostics
            .into_iter()
            .flat_map(Diagnostics::groups)
            .map(|group| finding_in(group, &Browser))
            .collect(),
    })
}

/// Answers `score`.
pub fn score(files: Files) -> Result<Results> {
    let outputs = files.outputs_of(Kind::Scores)?;
    let evaluation = files.evaluation()?;
    let mut report = evaluation.score()?;
    for output in &outputs {
        output.check_scores(evaluation.request(), &mut report)?;
    }
    results(&report, outputs)
}

/// Answers `compare`.
pub fn compare(files: Files) -> Result<Results> {
    let (outputs, compare) = (files.outputs_of(Kind::Comparison)?, Compare::with(&files)?);
    let report = files.evaluation()?.compare(&compare)?;
    results(&report, outputs)
}

/// Answers `errors`.
pub fn errors(files: Files) -> Result<Results> {
    let (outputs, mut errors) = (files.outputs_of(Kind::Errors)?, Errors::with(&files)?);
    errors.rows = outputs.iter().any(|output| output.lists_errors);
    let report = files.evaluation()?.errors(&errors)?;
    results(&report, outputs)
}

/// Answers `report`.
pub fn report(files: Files) -> Result<PageOfReport> {
    let (compare, errors) = (Compare::with(&files)?, Errors::with(&files)?);
    let overview = files.evaluation()?.overview(Some(&compare.method), &errors)?;
    let not_compared = overview.not_compared.as_ref().map(|error| error.worded(&Browser).join("\n"));
    let page = Page { wording: &Browser, ..Page::from(&overview) };
    Ok(PageOfReport { html: page.html(), not_compared })
}
