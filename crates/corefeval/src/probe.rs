//! `corefeval probe`: scores a response and what the library's transformations make of it.

use std::sync::Arc;

use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::formats::Side;
use corefeval_core::model::{Corpus, DocumentBuilder, DocumentId, Words};
use corefeval_core::pairing;
use corefeval_core::probe;
use corefeval_core::results::{Report, SystemReport};
use corefeval_core::scope::{self, JoinedPair};
use corefeval_core::settings::{Average, Switch};

use crate::plan::{Inputs, Plan};
use crate::run::{self, Reading};

/// A row for the response as it is, and one for each transformation.
pub fn probe(plan: &Plan) -> Result<Report> {
    let format = plan.key_format.map(|spec| spec.id);
    let before = plan.settings(format)?;
    plan.metrics(&before, format.unwrap_or_default())?;
    let refuse = |message: &str, hint: &str| Err(Error::new(ErrorKind::Settings, message).hint(hint));
    let Inputs::OneKey { key, responses } = &plan.inputs else {
        return refuse("a probe is of one key and one response", "give both as paths");
    };
    let [named] = responses.as_slice() else {
        return refuse("a probe is of one key and one response", "probe the responses one by one");
    };
    if before.pair_files == Switch::Yes {
        return refuse("a probe is of one key and one response", "probe the pairs of files one by one");
    }
    let reading = Reading::new(plan, &before);
    let loaded = reading.read_all(&[(&key.input, Side::Key), (&named.input, Side::Response)])?;
    let [(key_corpus, key_format), (response, response_format)] = loaded.as_slice() else {
        return Err(Error::new(ErrorKind::Settings, "there is nothing to score"));
    };
    let settings = plan.settings(Some(key_format.id))?;
    if plan.output.id == "conll" && settings.average != Average::Micro {
        return refuse(
            "the reference scorer has no average over documents, so --output conll cannot show one",
            "leave out --average, or choose another output",
        );
    }
    let mut task = run::task(plan, settings, key_format, plan.threads)?;
    let mut diagnostics = key_corpus.diagnostics.clone();
    // A transformation makes entities and nothing else: a metric must be able to count in a bare document.
    let id = DocumentId::new("what a transformation makes");
    let bare = DocumentBuilder::new(id, Arc::from(named.path.as_str()), 0).finish(Words::default())?;
    let bare = Corpus { documents: vec![bare], ..Corpus::default() };
    run::keep_possible(plan, &mut task.metrics, &[&bare], &mut diagnostics)?;
    run::tell_unweighted(plan, &task, &mut diagnostics);
    run::settle_names(plan, &mut task, Some(key_corpus), &[response], &mut diagnostics)?;
    let mut own = response.diagnostics.clone();
    let pairs = pairing::pair(key_corpus, response, &mut own)?;
    run::check_words(&reading, &task.settings, &pairs, [&key.input, &named.input], &mut own)?;
    let joined = scope::join(&pairs, task.settings.scope, &mut own)?;
    let pairs = joined.as_ref().map_or(pairs, |joined| joined.iter().map(JoinedPair::as_pair).collect());
    let systems = probe::probe(&pairs, &task, &mut own)?.into_iter();
    let systems =
        systems.map(|system| SystemReport { key: key.path.clone(), response: named.path.clone(), ..system });
    let systems = systems.collect();
    diagnostics.merge(own);
    if plan.strict {
        run::refuse_warnings(&diagnostics)?;
    }
    let mut format = key_format.id.to_owned();
    run::add_format(&mut format, response_format);
    Ok(Report { settings: task.settings, format, diagnostics, systems, averages: Vec::new() })
}
