//! `corefeval show`: a document with the mentions of key and responses, in the terminal.

mod text;

use std::io::{IsTerminal, Write};
use std::process::{Command, Stdio};

use clap::ArgMatches;
use corefeval_core::analysis::{AnalysisTask, DocumentView, Tree, view};
use corefeval_core::diagnostic::Diagnostics;
use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::formats::Side;
use corefeval_core::input::Input;
use corefeval_core::model::Corpus;
use corefeval_core::pairing::DocumentPair;
use corefeval_core::settings::Switch;
use corefeval_core::suggest::nearest;

use self::text::{Look, show};
use crate::plan::{Inputs, Plan};
use crate::run::{self, Kept, Reading};
use crate::terminal;

/// Shows the documents of a call: in a pager on a terminal, else as text.
pub fn run(matches: &ArgMatches) -> Result<String> {
    let plan = Plan::new(matches)?;
    let mut diagnostics = Diagnostics::default();
    let document = matches.get_one::<String>("document").map(String::as_str);
    let (systems, views) = views(&plan, document, &mut diagnostics)?;
    terminal::print_diagnostics(&diagnostics, plan.talk);
    let width = matches.get_one::<u16>("width").map(|&width| width.into());
    let look = Look { colour: plan.style.colour, width };
    let shown: Vec<String> = views.iter().map(|view| show(view, &systems, look)).collect();
    let shown = shown.join("\n");
    let paged = !matches.get_flag("no-pager") && std::io::stdout().is_terminal() && page(&shown);
    Ok(if paged { String::new() } else { shown })
}

/// The names of the systems, and the views of the documents of this id or name, or of all.
fn views(
    plan: &Plan,
    document: Option<&str>,
    diagnostics: &mut Diagnostics,
) -> Result<(Vec<String>, Vec<DocumentView>)> {
    let before = plan.settings(plan.key_format.map(|spec| spec.id))?;
    let (Inputs::OneKey { key, responses }, Switch::No) = (&plan.inputs, before.pair_files) else {
        let error = Error::new(ErrorKind::Settings, "documents are shown of responses to one key");
        return Err(error.hint("leave out --pair-files"));
    };
    let reading = Reading::new(plan, &before).with_key_layers();
    let inputs: Vec<(&Input, Side)> = std::iter::once((&key.input, Side::Key))
        .chain(responses.iter().map(|response| (&response.input, Side::Response)))
        .collect();
    let loaded = Kept::new(reading.read_all(&inputs)?, plan.forgetful);
    let Some(((key_corpus, key_format), loaded)) = loaded.split_first() else {
        return Err(Error::new(ErrorKind::Settings, "there is nothing to show"));
    };
    let settings = plan.settings(Some(key_format.id))?;
    let mut systems: Vec<Vec<DocumentPair<'_>>> = Vec::new();
    for (named, (response, _)) in responses.iter().zip(loaded) {
        let sides = [(&key.input, key_corpus), (&named.input, response)];
        systems.push(run::pair_sides(&reading, &settings, sides, diagnostics)?);
    }
    let task = AnalysisTask {
        settings,
        metrics: Vec::new(),
        tree: Tree::default(),
        language: None,
        examples: 0,
        rows: false,
        threads: plan.threads,
    };
    let mut views = Vec::new();
    for place in 0..systems.first().map_or(0, Vec::len) {
        let pairs: Vec<DocumentPair<'_>> = systems.iter().map(|pairs| pairs[place]).collect();
        let id = pairs[0].key.id();
        if document.is_none_or(|wanted| wanted == id.to_string() || wanted == id.name()) {
            views.extend(view(&pairs, &systems[0], &task));
        }
    }
    match document {
        Some(wanted) if views.is_empty() => Err(no_document(wanted, key_corpus)),
        _ => Ok((responses.iter().map(|response| response.name.clone()).collect(), views)),
    }
}

fn no_document(wanted: &str, corpus: &Corpus) -> Error {
    let ids: Vec<String> = corpus.documents.iter().map(|document| document.id().to_string()).collect();
    let error = Error::new(ErrorKind::Pairing, format!("the key has no document `{wanted}`"));
    match (nearest(wanted, ids.iter().map(String::as_str)), ids.first()) {
        (Some(near), _) => error.hint(format!("did you mean `{near}`?")),
        (None, Some(first)) => error.hint(format!("the first of its {} documents is `{first}`", ids.len())),
        (None, None) => error,
    }
}

/// Shows a text in the pager of the environment; gives back whether there was one.
fn page(text: &str) -> bool {
    let pager = std::env::var("PAGER").unwrap_or_else(|_| "less".to_owned());
    let mut words = pager.split_whitespace();
    let Some(program) = words.next() else { return false };
    let mut process = Command::new(program);
    process.args(words).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        // Shows colours, and leaves a text that fits on the screen there.
        process.env("LESS", "FRX");
    }
    let Ok(mut child) = process.spawn() else { return false };
    if let Some(mut input) = child.stdin.take() {
        // A pager may be left before the end.
        let _ = input.write_all(text.as_bytes());
    }
    child.wait().is_ok()
}
