//! `corefeval cone`: named mentions against a key, against a key made from names, and the check of the latter.

use std::path::Path;

use clap::ArgMatches;
use corefeval_core::cone::{Approximated, NamesKey, check, score_approximated};
use corefeval_core::diagnostic::{Code, Diagnostics};
use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::formats::{FormatSpec, Side, Texts, WriteOptions};
use corefeval_core::heuristics::Heuristics;
use corefeval_core::input::Input;
use corefeval_core::model::Corpus;
use corefeval_core::pairing::DocumentPair;
use corefeval_core::results::check::{CHECK_METHOD, CheckReport, CheckedSystem};
use corefeval_core::results::{Report, SystemReport};
use corefeval_core::score::Task;
use corefeval_core::significance::{FEW_DOCUMENTS, METHOD_FIELDS, Method, tell_few_resamples};
use corefeval_report::{Kind, OutputSpec};

use crate::args::CONE_METRICS;
use crate::plan::{Given, Inputs, Named, Plan};
use crate::run::{self, Loaded, Reading, add_format, pair_sides, refuse_warnings, settle_names};
use crate::{convert, terminal};

/// The fields of a method that matter to the check.
pub const METHOD: &[&str] = CHECK_METHOD;

/// Metrics on a key made from names, unless others are typed.
const APPROXIMATE_METRICS: &str = "cone_b_cubed,cone_ceaf";

/// What is asked for beside scores.
struct Asked {
    heuristics: Heuristics,
    annotated: Option<Named>,
    /// A key of names that was written before.
    read: Option<Named>,
    method: Method,
    /// Where to write the approximated key, and in what format.
    write: Option<(String, &'static FormatSpec)>,
}

impl Asked {
    fn new(matches: &ArgMatches, plan: &Plan) -> Result<Asked> {
        let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
        let known = plan.settings(None)?.key_approximate;
        let heuristics = match (text("heuristics"), text("without")) {
            (Some(list), _) => Heuristics::parse(list)?,
            (None, Some(list)) => known.unwrap_or_default().without(list)?,
            (None, None) => known.unwrap_or_default(),
        };
        let split = text("settings").map(Method::split_signature).transpose()?;
        let mut method = split.and_then(|split| split.1).unwrap_or_default();
        for field in METHOD_FIELDS.iter().filter(|field| METHOD.contains(&field.name)) {
            if let Some(value) = text(field.name) {
                method.set(field.name, value)?;
            }
        }
        let write_format = FormatSpec::named(text("write-format").unwrap_or("conll"))?;
        Ok(Asked {
            heuristics,
            annotated: text("annotated").map(Named::open).transpose()?,
            read: text("read-key").map(Named::open).transpose()?,
            method,
            write: text("write-key").map(|file| (file.to_owned(), write_format)),
        })
    }
}

/// Scores and gives back what is printed.
pub fn run(matches: &ArgMatches) -> Result<String> {
    let mut plan = Plan::new(matches)?;
    let asked = Asked::new(matches, &plan)?;
    // What cannot be shown should not wait for a large file.
    let output =
        asked.annotated.as_ref().map(|_| OutputSpec::named(plan.output.id, Kind::Check)).transpose()?;
    match (of_plan(&mut plan, &asked)?, output) {
        (ConeReport::Check(report), Some(output)) => {
            terminal::print_notes(&report.settings, &report.diagnostics, plan.talk);
            output.render(&report, plan.style)
        }
        (ConeReport::Check(report), None) => {
            terminal::print_notes(&report.settings, &report.diagnostics, plan.talk);
            OutputSpec::named(plan.output.id, Kind::Check)?.render(&report, plan.style)
        }
        (ConeReport::Scores(report), _) => {
            terminal::print_notes(&report.settings, &report.diagnostics, plan.talk);
            plan.output.render(&report, plan.style)
        }
    }
}

/// What CONE has to report.
pub enum ConeReport {
    /// Scores, on a key or on one made from names.
    Scores(Report),
    /// How far scores on a key made from names are from those on an annotated key.
    Check(CheckReport),
}

/// Scores, prints nothing and keeps nothing; documents that a program has, where there are any, the last of
/// which are the annotated key where one is asked for.
pub fn report(matches: &ArgMatches, mut given: Vec<Given>) -> Result<ConeReport> {
    let plan = Plan::new(matches)?;
    let mut asked = Asked::new(matches, &plan)?;
    if !given.is_empty()
        && asked.annotated.is_some()
        && let Some(last) = given.pop()
    {
        asked.annotated = Some(last.into());
    }
    of_plan(&mut plan.on_documents(given), &asked)
}

fn of_plan(plan: &mut Plan, asked: &Asked) -> Result<ConeReport> {
    let Inputs::NoKey(_) = plan.inputs else {
        plan.default_metrics(CONE_METRICS);
        return run::score(plan).map(ConeReport::Scores);
    };
    plan.default_metrics(APPROXIMATE_METRICS);
    let approximate = Approximate::new(plan, asked)?;
    match &asked.annotated {
        Some(annotated) => approximate.check(annotated).map(ConeReport::Check),
        None => approximate.score().map(ConeReport::Scores),
    }
}

/// Responses that are read, with what is to be computed of them.
struct Approximate<'p> {
    plan: &'p Plan,
    asked: &'p Asked,
    responses: &'p [Named],
    loaded: Vec<Loaded>,
    /// The key of names, where it is read.
    key: Option<Corpus>,
    task: Task,
    format: String,
    diagnostics: Diagnostics,
}

impl<'p> Approximate<'p> {
    fn new(plan: &'p Plan, asked: &'p Asked) -> Result<Approximate<'p>> {
        let Inputs::NoKey(responses) = &plan.inputs else {
            return Err(Error::new(ErrorKind::Settings, "there is a key, and none is to be made"));
        };
        let before = plan.settings(plan.response_format.map(|spec| spec.id))?;
        plan.metrics(&before, "")?;
        let inputs: Vec<(&Input, Side)> =
            responses.iter().map(|response| (&response.input, Side::Response)).collect();
        let reading = Reading::new(plan, &before);
        let loaded = reading.read_all(&inputs)?;
        let names = asked.read.iter().map(|read| (&read.input, Side::Key)).collect::<Vec<_>>();
        let key = reading.read_all(&names)?.pop().map(|loaded| loaded.0);
        let Some((_, first)) = loaded.first() else {
            return Err(Error::new(ErrorKind::Settings, "there is nothing to score"));
        };
        let settings = plan.settings(Some(first.id))?;
        let mut task = run::task(plan, settings, first, plan.threads)?;
        task.settings.key_approximate = Some(if key.is_some() { Heuristics::READ } else { asked.heuristics });
        let corpora: Vec<&Corpus> = loaded.iter().map(|loaded| &loaded.0).collect();
        let mut diagnostics = Diagnostics::default();
        settle_names(plan, &mut task, None, &corpora, &mut diagnostics)?;
        let mut format = first.id.to_owned();
        for (corpus, spec) in &loaded {
            add_format(&mut format, spec);
            diagnostics.merge(corpus.diagnostics.clone());
        }
        diagnostics.merge(key.iter().map(|key| key.diagnostics.clone()).next().unwrap_or_default());
        Ok(Approximate { plan, asked, responses, loaded, key, task, format, diagnostics })
    }

    /// The scores of each response, without diagnostics of its own file.
    fn each(&self, by_document: bool, diagnostics: &mut Diagnostics) -> Result<Vec<Approximated>> {
        let names = match &self.key {
            Some(key) => NamesKey::Read(key),
            None => NamesKey::Made(self.asked.heuristics),
        };
        let score =
            |loaded: &Loaded| score_approximated(&loaded.0, &self.task, names, by_document, diagnostics);
        self.loaded.iter().map(score).collect()
    }

    fn score(self) -> Result<Report> {
        let mut diagnostics = self.diagnostics.clone();
        let found = self.each(false, &mut diagnostics)?;
        self.finish(&found, &diagnostics)?;
        let key = self.asked.read.as_ref().map_or("(made from names)", |read| &read.path);
        let systems = self.responses.iter().zip(found).map(|(named, found)| SystemReport {
            name: named.name.clone(),
            key: key.to_owned(),
            response: named.path.clone(),
            ..found.report
        });
        let systems = systems.collect();
        Ok(Report {
            settings: self.task.settings,
            format: self.format,
            diagnostics,
            systems,
            averages: Vec::new(),
        })
    }

    fn check(self, annotated: &Named) -> Result<CheckReport> {
        let mut diagnostics = self.diagnostics.clone();
        let mut found = self.each(true, &mut diagnostics)?;
        let reading = Reading::new(self.plan, &self.task.settings);
        let mut read = reading.read_all(&[(&annotated.input, Side::Key)])?;
        let Some((key, key_format)) = read.pop() else {
            return Err(Error::new(ErrorKind::Settings, "there is no annotated key"));
        };
        diagnostics.merge(key.diagnostics.clone());
        let mut format = key_format.id.to_owned();
        let mut systems = Vec::new();
        for ((named, (response, spec)), found) in self.responses.iter().zip(&self.loaded).zip(&mut found) {
            add_format(&mut format, spec);
            let mut own = Diagnostics::default();
            let sides = [(&annotated.input, &key), (&named.input, response)];
            let pairs = pair_sides(&reading, &self.task.settings, sides, &mut own)?;
            // That the key has not all documents is the point.
            own.forget(Code::ExtraDocument);
            refuse_missing(named, &pairs)?;
            let check = check(&pairs, response, found, &self.task, &self.asked.method, &mut own)?;
            diagnostics.merge(own);
            systems.push(CheckedSystem {
                name: named.name.clone(),
                annotated: annotated.path.clone(),
                response: named.path.clone(),
                named: found.report.named.unwrap_or_default(),
                check,
            });
        }
        let number = systems.first().map_or(0, |system| system.check.annotated);
        if number < FEW_DOCUMENTS {
            diagnostics.add(Code::FewDocuments, None, None, || {
                format!("the check is on {number} annotated documents")
            });
        }
        tell_few_resamples(self.asked.method.too_few_resamples(0), &mut diagnostics);
        self.finish(&found, &diagnostics)?;
        let (settings, method) = (self.task.settings, self.asked.method);
        Ok(CheckReport { settings, method, format, diagnostics, systems })
    }

    /// Refuses warnings where that was asked for, and writes the key made from names.
    fn finish(&self, found: &[Approximated], diagnostics: &Diagnostics) -> Result<()> {
        if self.plan.strict {
            refuse_warnings(diagnostics)?;
        }
        let (Some((file, format)), Some(first)) = (&self.asked.write, found.first()) else { return Ok(()) };
        let settings = &self.task.settings;
        let options = WriteOptions { span_end: settings.span_end, annotation: settings.annotation };
        let written = format.write(&first.key, options)?;
        let mut inputs: Vec<&Input> = self.responses.iter().map(|response| &response.input).collect();
        inputs.extend(self.asked.annotated.iter().chain(&self.asked.read).map(|named| &named.input));
        match written.texts {
            Texts::Whole(text) => {
                convert::refuse_input(Path::new(file), &inputs)?;
                convert::write_file(Path::new(file), &text).map(drop)
            }
            Texts::Files(files) => convert::write_files(Path::new(file), &files, &inputs),
        }
    }
}

/// Fails where the response lacks an annotated document: what it counts could not be drawn.
fn refuse_missing(named: &Named, pairs: &[DocumentPair<'_>]) -> Result<()> {
    let Some(pair) = pairs.iter().find(|pair| pair.response.is_none()) else { return Ok(()) };
    let message = format!("`{}` lacks the annotated document `{}`", named.name, pair.key.id());
    Err(Error::new(ErrorKind::Pairing, message)
        .at(pair.key.position())
        .hint("add it to the response, or take it out of the annotated key"))
}
