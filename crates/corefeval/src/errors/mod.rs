//! `corefeval errors`: what responses get wrong, what that costs, and where it is.

mod block;
mod report;

pub use self::block::{escape, width_of};
use clap::ArgMatches;
use corefeval_core::analysis::{
    AnalysisTask, COREF_ERRORS, CommonErrors, CorefErrorKind, ErrorReport, LANGUAGES, Tree, analyse,
    metrics_of_corrections,
};
use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::formats::Side;
use corefeval_core::input::Input;
use corefeval_core::model::Corpus;
use corefeval_core::scope::{self, JoinedPair};
use corefeval_core::settings::Switch;
use corefeval_core::suggest::nearest;

use crate::plan::{Inputs, Plan};
use crate::run::{self, Kept, Loaded, Reading};
use crate::terminal;

/// The outputs, with a line of help each.
pub const OUTPUTS: [(&str, &str); 6] = [
    ("table", "aligned tables for people"),
    ("json", "one object with all counts, scores and examples"),
    ("csv", "one row for each error"),
    ("jsonlines", "one object for each error, a line each"),
    ("markdown", "tables in Markdown"),
    ("latex", "booktabs tables for a paper"),
];

/// Analyses the responses of a call and gives back the report as text.
pub fn run(matches: &ArgMatches) -> Result<String> {
    let plan = Plan::new(matches)?;
    let report = analysed(&plan, matches)?;
    terminal::print_diagnostics(&report.diagnostics, plan.talk);
    let output = matches.get_one::<String>("errors-output").map_or("table", String::as_str);
    Ok(match output {
        "json" => format!("{:#}\n", report::json(&report)),
        "csv" => report::csv(&report),
        "jsonlines" => report::json_lines(&report),
        "markdown" => block::markdown(&report::blocks(&report)),
        "latex" => block::latex(&report::blocks(&report)),
        _ => block::table(&report::blocks(&report), plan.style.colour),
    })
}

fn analysed(plan: &Plan, matches: &ArgMatches) -> Result<ErrorReport> {
    let format = plan.key_format.map(|spec| spec.id);
    let before = plan.settings(format)?;
    plan.metrics(&before, format.unwrap_or_default())?;
    let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let kinds = kinds(text("kinds"))?;
    let tree = text("tree").and_then(Tree::from_id).unwrap_or_default();
    let refuse = |hint: &str| {
        let error = Error::new(ErrorKind::Settings, "errors are of responses to one key");
        Err(error.hint(hint))
    };
    let Inputs::OneKey { key, responses } = &plan.inputs else {
        return refuse("give the key and the responses as paths");
    };
    if before.pair_files == Switch::Yes {
        return refuse("analyse the pairs of files one by one");
    }
    let reading = Reading::new(plan, &before).with_key_layers();
    let inputs: Vec<(&Input, Side)> = std::iter::once((&key.input, Side::Key))
        .chain(responses.iter().map(|response| (&response.input, Side::Response)))
        .collect();
    let loaded = Kept::new(reading.read_all(&inputs)?, plan.forgetful);
    let Some(((key_corpus, key_format), loaded)) = loaded.split_first() else {
        return Err(Error::new(ErrorKind::Settings, "there is nothing to analyse"));
    };
    check_tree(tree, loaded)?;
    let mut task = run::task(plan, plan.settings(Some(key_format.id))?, key_format, plan.threads)?;
    let mut diagnostics = key_corpus.diagnostics.clone();
    task.metrics = metrics_of_corrections(&task.metrics);
    run::tell_without_effect(plan, &task, key_format.id, &mut diagnostics);
    let analysis = AnalysisTask {
        settings: task.settings.clone(),
        metrics: task.metrics.clone(),
        tree,
        language: LANGUAGES.iter().find(|row| Some(row.code) == text("language")),
        examples: matches.get_one::<u16>("examples").map_or(2, |&examples| examples.into()),
        rows: true,
        threads: plan.threads,
    };
    let mut format = key_format.id.to_owned();
    let mut systems = Vec::new();
    for (named, (response, spec)) in responses.iter().zip(loaded) {
        run::add_format(&mut format, spec);
        let mut own = response.diagnostics.clone();
        let sides = [(&key.input, key_corpus), (&named.input, response)];
        let pairs = run::pair_sides(&reading, &task.settings, sides, &mut own)?;
        let joined = scope::join(&pairs, task.settings.scope, &mut own)?;
        let pairs = joined.as_ref().map_or(pairs, |joined| joined.iter().map(JoinedPair::as_pair).collect());
        let mut system = analyse(&pairs, &analysis, &mut own);
        system.name.clone_from(&named.name);
        system.key.clone_from(&key.path);
        system.response.clone_from(&named.path);
        systems.push(system);
        diagnostics.merge(own);
    }
    if plan.strict {
        run::refuse_warnings(&diagnostics)?;
    }
    let common = CommonErrors::of(&systems);
    Ok(ErrorReport { settings: task.settings, format, diagnostics, kinds, tree, systems, common })
}

/// The kinds of a list joined by commas, in the order of the table; all without a list.
fn kinds(list: Option<&str>) -> Result<Vec<CorefErrorKind>> {
    let Some(list) = list else { return Ok(COREF_ERRORS.iter().map(|spec| spec.kind).collect()) };
    let ids = || COREF_ERRORS.iter().map(|spec| spec.id);
    if let Some(item) = list.split(',').map(str::trim).find(|item| !ids().any(|id| id == *item)) {
        let hint = match nearest(item, ids()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the kinds are {}", ids().collect::<Vec<_>>().join(", ")),
        };
        let error = Error::new(ErrorKind::Settings, format!("there is no kind of error `{item}`"));
        return Err(error.hint(hint));
    }
    let named = |id: &str| list.split(',').any(|item| item.trim() == id);
    Ok(COREF_ERRORS.iter().filter(|spec| named(spec.id)).map(|spec| spec.kind).collect())
}

/// Fails where decisions are asked for and no response has any.
fn check_tree(tree: Tree, responses: &[Loaded]) -> Result<()> {
    let has_links = |corpus: &Corpus| corpus.documents.iter().any(|document| document.links().is_some());
    if tree != Tree::Decisions || responses.iter().any(|(corpus, _)| has_links(corpus)) {
        return Ok(());
    }
    let error = Error::new(ErrorKind::Settings, "no response names the antecedents of its mentions");
    Err(error.hint("use a format that writes links (muc, links), or --tree accessibility"))
}
