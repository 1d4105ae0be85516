//! corefeval for browsers: one request in JSON, one answer in JSON.
//!
//! The program of this crate is compiled for WASI and runs in a worker of a web page (`web/page`): the page puts the
//! request on its standard input, provides the dropped files as its file system, and reads the answer from its standard
//! output. So files, directories, texts of stand-off annotation and compressed files are read by the code that the
//! command uses, and nothing here is `unsafe`.
//!
//! [`TASKS`] is the list of requests. The types of requests and answers are in `requests` and `play`, with their
//! declarations for TypeScript.
//!
//! ```
//! let answer = corefeval_web::answer(r#"{"task": "play", "key": [["Ada", "she"]], "response": [["Ada", "she"]]}"#);
//! let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
//! assert_eq!(answer["answer"]["metrics"][1]["f1"], 1.0);
//! ```

#![forbid(unsafe_code)]

mod declare;
mod play;
mod requests;
mod tables;
mod wording;

use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::evaluation::TaskKind;
use corefeval_core::suggest::one_of;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::declare::{Declarations, Declared};
use crate::requests::{Failure, Files, PageOfReport, Results};

/// One row of the table of tasks.
pub struct TaskSpec {
    /// The name, in the member `task` of a request.
    pub id: &'static str,
    /// One line of description.
    pub summary: &'static str,
    /// Answers a request.
    run: fn(Value) -> Result<Value>,
    /// Declares request and answer, and returns their names.
    declare: fn(&mut Declarations) -> [String; 2],
}

/// The tasks.
pub static TASKS: &[TaskSpec] = &[
    task!("tables", "metrics, formats, profiles, options and outputs", tables::Nothing => tables::Tables, tables::tables),
    task!(TaskKind::Score.id(), "the scores of responses", Files => Results, requests::score),
    task!(TaskKind::Compare.id(), "intervals, tests and ranks of systems", Files => Results, requests::compare),
    task!(TaskKind::Errors.id(), "kinds of errors, their cost and examples", Files => Results, requests::errors),
    task!(TaskKind::Report.id(), "the page of `corefeval report`", Files => PageOfReport, requests::report),
    task!("play", "the metrics of two partitions, with the contribution of each entity", play::Partitions => play::Played, play::play),
];

/// A row of [`TASKS`].
macro_rules! task {
    ($id:expr, $summary:literal, $request:ty => $answer:ty, $run:path) => {
        TaskSpec {
            id: $id,
            summary: $summary,
            run: |request| respond::<$request, $answer>(request, $run),
            declare: |into| [<$request>::declare(into), <$answer>::declare(into)],
        }
    };
}
use task;

/// Reads a request, runs the task, and writes its answer.
fn respond<Q: DeserializeOwned, A: Serialize>(request: Value, run: fn(Q) -> Result<A>) -> Result<Value> {
    let request = serde_json::from_value(request).map_err(|error| wrong(&error))?;
    serde_json::to_value(run(request)?).map_err(|error| wrong(&error))
}

/// Answers a request: `{"answer": …}`, or `{"error": …}` with a message, its place and its remedy.
pub fn answer(request: &str) -> String {
    let answered = parsed(request).and_then(|(task, request)| (task.run)(request));
    match answered {
        Ok(answer) => json!({ "answer": answer }).to_string(),
        Err(error) => json!({ "error": Failure::of(&error) }).to_string(),
    }
}

/// The task of a request, and the rest of the request.
fn parsed(request: &str) -> Result<(&'static TaskSpec, Value)> {
    let mut request: Value = serde_json::from_str(request).map_err(|error| wrong(&error))?;
    let task = request.as_object_mut().and_then(|members| members.remove("task")).unwrap_or_default();
    let name = task.as_str().unwrap_or_default();
    let row = TASKS.iter().find(|row| row.id == name).ok_or_else(|| {
        let error = Error::new(ErrorKind::Settings, format!("unknown task `{name}`"));
        error.hint(one_of(name, "the tasks are", TASKS.iter().map(|row| row.id)))
    })?;
    Ok((row, request))
}

fn wrong(error: &serde_json::Error) -> Error {
    Error::new(ErrorKind::Settings, format!("the request cannot be read: {error}"))
}

/// The declarations of all requests and answers for TypeScript.
pub fn declarations() -> String {
    let mut into = Declarations::default();
    Failure::declare(&mut into);
    let mut tasks = String::from("/** Requests and answers, by task. */\nexport interface Tasks {\n");
    for task in TASKS {
        let [request, answer] = (task.declare)(&mut into);
        tasks += &format!("  /** Returns {}. */\n", task.summary);
        tasks += &format!("  {}: {{ request: {request}; answer: {answer} }};\n", task.id);
    }
    tasks += "}\n";
    format!(
        "// Generated from the structs of crates/corefeval-web by its tests; do not edit.\n\n{}\n{tasks}",
        into.text()
    )
}
