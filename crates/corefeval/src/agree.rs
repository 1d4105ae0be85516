//! `corefeval agree`: scores annotators against each other, and how far they agree beyond chance.

use clap::ArgMatches;
use corefeval_core::agreement::{DocumentAgreement, agreement, count_document};
use corefeval_core::diagnostic::{Code, Diagnostics};
use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::formats::Side;
use corefeval_core::input::Input;
use corefeval_core::model::{Corpus, Document};
use corefeval_core::pairing::DocumentPair;
use corefeval_core::results::agreement::AgreementReport;
use corefeval_core::scope::{self, JoinedPair};
use corefeval_core::score::{Task, score_pairs};
use corefeval_core::settings::Switch;
use corefeval_core::significance::{FEW_DOCUMENTS, METHOD_FIELDS, Method, tell_few_resamples};
use corefeval_report::{Kind, OutputSpec};

use crate::plan::{Given, Inputs, Named, Plan};
use crate::run::{
    Kept, Reading, add_format, check_names, corpora, keep_possible, pair_sides, refuse_warnings,
    settle_names, task, tell_without_effect,
};
use crate::systems::{System, share};
use crate::terminal;

/// The fields of a method that intervals of α depend on.
pub const FIELDS: [&str; 4] = ["resamples", "seed", "interval", "confidence"];

/// Compares annotators and gives back what is printed.
pub fn run(matches: &ArgMatches) -> Result<String> {
    let plan = Plan::new(matches)?;
    let output = matches.get_one::<String>("output").map_or("table", String::as_str);
    let output = OutputSpec::named(output, Kind::Agreement)?;
    let report = of_plan(matches, &plan)?;
    terminal::print_notes(&report.settings, &report.diagnostics, plan.talk);
    output.render(&report, plan.style)
}

/// Compares annotators, prints nothing and keeps nothing; documents that a program has, where there are any.
pub fn report(matches: &ArgMatches, given: Vec<Given>) -> Result<AgreementReport> {
    of_plan(matches, &Plan::new(matches)?.on_documents(given))
}

fn of_plan(matches: &ArgMatches, plan: &Plan) -> Result<AgreementReport> {
    let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let split = text("settings").map(Method::split_signature).transpose()?;
    let mut method = split.and_then(|split| split.1).unwrap_or_default();
    for field in METHOD_FIELDS.iter().filter(|field| FIELDS.contains(&field.name)) {
        if let Some(value) = text(field.name) {
            method.set(field.name, value)?;
        }
    }
    if let Some(by) = plan.by.filter(|by| by.id != "document") {
        let message = format!("α is of the corpus or of a document, not by {}", by.id);
        return Err(Error::new(ErrorKind::Settings, message).hint("use --by document"));
    }
    agree(plan, &method, matches.get_flag("shared-documents"))
}

fn agree(plan: &Plan, method: &Method, shared: bool) -> Result<AgreementReport> {
    let format = plan.key_format.map(|spec| spec.id);
    let before = plan.settings(format)?;
    // A wrong metric should not wait for a large file.
    plan.metrics(&before, format.unwrap_or_default())?;
    let refuse = || {
        let message = "agreement is of annotations of one corpus, and files are not paired";
        Error::new(ErrorKind::Settings, message).hint("give directories without --pair-files; --ids-by-file tells documents of the same id in several files apart")
    };
    let Inputs::OneKey { key, responses } = &plan.inputs else { return Err(refuse()) };
    if before.pair_files == Switch::Yes {
        return Err(refuse());
    }
    let annotators: Vec<_> = std::iter::once(key).chain(responses).collect();
    let names = names(&annotators)?;
    let reading = Reading::new(plan, &before);
    let inputs: Vec<(&Input, Side)> = annotators.iter().map(|named| (&named.input, Side::Key)).collect();
    let loaded = Kept::new(reading.read_all(&inputs)?, plan.forgetful);
    let Some(((first, first_format), others)) = loaded.split_first() else {
        return Err(Error::new(ErrorKind::Settings, "there is nothing to compare"));
    };
    let settings = plan.settings(Some(first_format.id))?;
    // Groups are of α alone.
    let mut task = Task { by: None, ..task(plan, settings, first_format, plan.threads)? };

    let mut format = first_format.id.to_owned();
    let mut diagnostics = first.diagnostics.clone();
    keep_possible(plan, &mut task.metrics, &corpora(first, others), &mut diagnostics)?;
    let read: Vec<&Corpus> = others.iter().map(|loaded| &loaded.0).collect();
    settle_names(plan, &mut task, Some(first), &read, &mut diagnostics)?;
    let settings = task.settings.clone();
    tell_without_effect(plan, &task, first_format.id, &mut diagnostics);
    let mut paired = Vec::new();
    for (named, (corpus, spec)) in responses.iter().zip(others) {
        add_format(&mut format, spec);
        diagnostics.merge(corpus.diagnostics.clone());
        let mut found = Diagnostics::default();
        let sides = [(&key.input, first), (&named.input, corpus)];
        let pairs = pair_sides(&reading, &settings, sides, &mut found)?;
        // What is missing is told below, of all annotators at once.
        found.forget(Code::MissingDocument);
        diagnostics.merge(found);
        let (name, key, response) = (named.name.clone(), key.path.clone(), named.path.clone());
        paired.push(System::new(name, key, response, pairs));
    }
    let left_out = share(&mut paired, shared, &mut diagnostics)?.map(|places| places.len());
    let paired: Vec<Vec<DocumentPair<'_>>> = paired.into_iter().map(|system| system.pairs).collect();
    let mut joined = Vec::new();
    for pairs in &paired {
        joined.push(scope::join(pairs, settings.scope, &mut diagnostics)?);
    }
    let paired: Vec<Vec<DocumentPair<'_>>> = joined
        .iter()
        .zip(paired)
        .map(|(joined, pairs)| {
            joined.as_ref().map_or(pairs, |joined| joined.iter().map(JoinedPair::as_pair).collect())
        })
        .collect();
    // The documents of each annotator, in the order of the first.
    let mut documents: Vec<Vec<&Document>> = vec![paired[0].iter().map(|pair| pair.key).collect()];
    for pairs in &paired {
        documents.push(pairs.iter().filter_map(|pair| pair.response).collect());
    }
    let count = documents[0].len();
    if count == 0 {
        return Err(Error::new(ErrorKind::Pairing, "the annotators have no document in common"));
    }

    let mut pairs = Vec::new();
    let mut systems = Vec::new();
    for one in 0..documents.len() {
        for other in (0..documents.len()).filter(|&other| other != one) {
            let both = documents[one].iter().zip(&documents[other]);
            let both: Vec<_> =
                both.map(|(&key, &response)| DocumentPair { key, response: Some(response) }).collect();
            // Each pair is scored both ways; what there is to say is said once.
            let mut found = Diagnostics::default();
            let mut system = score_pairs(&both, &task, &mut found)?;
            check_names(&system)?;
            if one < other {
                diagnostics.merge(found);
            }
            system.name = format!("{} → {}", names[one], names[other]);
            system.key.clone_from(&annotators[one].path);
            system.response.clone_from(&annotators[other].path);
            pairs.push([one, other]);
            systems.push(system);
        }
    }
    let counted: Vec<DocumentAgreement> = (0..count)
        .map(|place| {
            let of_all: Vec<&Document> = documents.iter().map(|documents| documents[place]).collect();
            count_document(&of_all, &settings, &mut Diagnostics::default())
        })
        .collect::<Result<_>>()?;
    if (2..FEW_DOCUMENTS).contains(&count) {
        diagnostics.add(Code::FewDocuments, None, None, || {
            format!("the annotators are compared on {count} documents")
        });
    }
    if count > 1 {
        tell_few_resamples(method.too_few_resamples(0), &mut diagnostics);
    }
    let agreement = agreement(&counted, documents.len(), method);
    if plan.strict {
        refuse_warnings(&diagnostics)?;
    }
    let (annotators, by_document) = (names, plan.by.is_some());
    Ok(AgreementReport {
        settings,
        format,
        diagnostics,
        annotators,
        pairs,
        systems,
        agreement,
        by_document,
        left_out,
    })
}

/// What annotators are called: files of one name by their paths.
fn names(annotators: &[&Named]) -> Result<Vec<String>> {
    let twice = |name: &str| annotators.iter().filter(|other| other.name == name).count() > 1;
    let names: Vec<String> = annotators
        .iter()
        .map(|named| if twice(&named.name) && !named.named { named.path.clone() } else { named.name.clone() })
        .collect();
    match (1..names.len()).find(|&place| names[..place].contains(&names[place])) {
        None => Ok(names),
        Some(place) => {
            let message = format!("two annotators are called `{}`", names[place]);
            Err(Error::new(ErrorKind::Settings, message).hint("name them apart: NAME=PATH"))
        }
    }
}
