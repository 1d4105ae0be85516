//! `corefeval correlate`: how two metrics go together over documents, systems and entities.

use std::path::Path;

use clap::ArgMatches;
use corefeval_core::diagnostic::Code;
use corefeval_core::error::{Error, ErrorKind, Result};
use corefeval_core::metrics::Metric;
use corefeval_core::overlap::AlignedPair;
use corefeval_core::results::correlation::CorrelationReport;
use corefeval_core::scope::{self, JoinedPair};
use corefeval_core::score::{document_scores, map_aligned, tally_documents};
use corefeval_core::significance::{
    self, CorrelationInput, CorrelationMethod, DocumentCounts, EntityPoints, FEW_DOCUMENTS, FEWEST, Over,
};
use corefeval_report::{Kind, OutputSpec, correlation_figures};

use crate::compare::refuse_same_names;
use crate::figures;
use crate::plan::{Given, Named, Plan};
use crate::run::{check_names, refuse_warnings};
use crate::systems::{System, Systems, Wanted, with_systems};
use crate::terminal;

/// What is asked for beside scores.
struct Asked {
    metrics: [Metric; 2],
    over: Option<Vec<Over>>,
    method: CorrelationMethod,
    shared_documents: bool,
}

impl Asked {
    fn new(matches: &ArgMatches) -> Result<Asked> {
        let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
        let split = text("settings").map(CorrelationMethod::split_signature).transpose()?;
        let mut method = split.and_then(|split| split.1).unwrap_or_default();
        for (name, ..) in CorrelationMethod::fields() {
            if let Some(value) = text(name) {
                method.set(name, value)?;
            }
        }
        let metric = |name: &str| Metric::parse(text(name).unwrap_or_default());
        let metrics = [metric("x")?, metric("y")?];
        if metrics[0] == metrics[1] {
            let message = format!("`{}` goes together with itself", metrics[0]);
            return Err(Error::new(ErrorKind::Settings, message).hint("name two metrics with --x and --y"));
        }
        Ok(Asked {
            metrics,
            over: text("over").map(Over::list).transpose()?,
            method,
            shared_documents: matches.get_flag("shared-documents"),
        })
    }

    /// What the points are: what was asked for, or all that is possible with so many systems.
    fn over(&self, systems: usize) -> Result<Vec<Over>> {
        let [x, y] = self.metrics;
        let entities = x.entity_score().and(y.entity_score());
        let over = self.over.clone().unwrap_or_else(|| {
            let possible = |over: &Over| match over {
                Over::Documents => true,
                Over::Pooled => systems > 1,
                Over::Systems => systems >= FEWEST,
                Over::Entities => entities.is_ok(),
            };
            Over::ALL.into_iter().filter(possible).collect()
        });
        if over.contains(&Over::Entities) {
            entities?;
        }
        Ok(over)
    }
}

/// Correlates and gives back what is printed.
pub fn run(matches: &ArgMatches) -> Result<String> {
    let mut plan = Plan::new(matches)?;
    let asked = Asked::new(matches)?;
    plan.ask_for(&asked.metrics);
    let output = matches.get_one::<String>("output").map_or("table", String::as_str);
    let output = OutputSpec::named(output, Kind::Correlation)?;
    let report = correlate(&plan, &asked)?;
    terminal::print_notes(&report.settings, &report.diagnostics, plan.talk);
    if let Some(folder) = matches.get_one::<String>("figures") {
        let found = figures::write(Path::new(folder), &correlation_figures(&report))?;
        terminal::print_diagnostics(&found, plan.talk);
        if plan.strict {
            refuse_warnings(&found)?;
        }
    }
    output.render(&report, plan.style)
}

/// Correlates, prints nothing and keeps nothing; documents that a program has, where there are any.
pub fn report(matches: &ArgMatches, given: Vec<Given>) -> Result<CorrelationReport> {
    let mut plan = Plan::new(matches)?.on_documents(given);
    let asked = Asked::new(matches)?;
    plan.ask_for(&asked.metrics);
    correlate(&plan, &asked)
}

fn correlate(plan: &Plan, asked: &Asked) -> Result<CorrelationReport> {
    let before = |responses: &[Named]| {
        refuse_same_names(responses.iter().map(|response| response.name.as_str()))?;
        asked.over(responses.len()).map(|_| ())
    };
    let wanted = Wanted { shared_documents: asked.shared_documents, ..Wanted::default() };
    with_systems(plan, "correlate", &wanted, before, |read| {
        let Systems { task, mut diagnostics, format, left_out, systems, .. } = read;
        let settings = task.settings.clone();
        let over = asked.over(systems.len())?;
        let key = systems.first().map(|system| system.key.clone()).unwrap_or_default();
        let names: Vec<(String, String)> =
            systems.iter().map(|system| (system.name.clone(), system.response.clone())).collect();
        let mut counts = DocumentCounts::new(&asked.metrics, &settings)?;
        let (mut scores, mut entities) = (Vec::new(), Vec::new());
        for System { pairs, .. } in systems {
            let joined = scope::join(&pairs, settings.scope, &mut diagnostics)?;
            let pairs =
                joined.as_ref().map_or(pairs, |joined| joined.iter().map(JoinedPair::as_pair).collect());
            let (report, documents) = tally_documents(&pairs, &task, &mut diagnostics);
            check_names(&report)?;
            counts.add(&documents)?;
            scores.push(document_scores(&asked.metrics, &documents, &settings));
            if over.contains(&Over::Entities) {
                let [x, y] = asked.metrics;
                let points = |aligned: &AlignedPair| -> EntityPoints {
                    x.entity_scores(aligned)
                        .into_iter()
                        .zip(y.entity_scores(aligned))
                        .map(|(x, y)| [x, y])
                        .collect()
                };
                entities.push(map_aligned(&pairs, &settings, &asked.metrics, points));
            }
        }
        let documents = counts.documents();
        if documents < FEW_DOCUMENTS {
            diagnostics.add(Code::FewDocuments, None, None, || {
                let several = if documents == 1 { "" } else { "s" };
                format!("correlations and their intervals come from {documents} document{several}")
            });
        }
        significance::tell_few_resamples(asked.method.too_few_resamples(), &mut diagnostics);
        if plan.strict {
            refuse_warnings(&diagnostics)?;
        }
        let input = CorrelationInput { counts: &counts, scores: &scores, entities: &entities };
        let correlations = significance::correlate(&input, &over, &asked.method, plan.threads);
        Ok(CorrelationReport {
            settings,
            format,
            diagnostics,
            metrics: asked.metrics,
            key,
            systems: names,
            documents,
            left_out,
            method: asked.method,
            correlations,
        })
    })
}
