//! Analysis of errors: their kinds, link errors, their cost, and their places.
//!
//! There are two analyses, each modelled on a published tool and with the same counts:
//!
//! - **Transform** (Kummerfeld and Klein 2013): the seven kinds of errors whose correction turns the response into the
//!   key ([`CorefErrorKind::TRANSFORM`]). Span errors are found first (`spans`); the other six follow from the pieces
//!   into which entities fall (`transform`).
//! - **Links** (Martschat and Strube 2014): mentions without any of their correct antecedents (`links`), by type and
//!   distance. Their number equals the number of links missing in MUC.
//!
//! [`analyse`] makes an [`ErrorAnalysis`] of paired documents, and [`CommonErrors`] compares several. Mentions are
//! selected and aligned as for scores, but each belongs to one entity, and split antecedents are ignored. The mentions
//! of both sides then form one list (`items`) in the order of the text. The rest is arithmetic on the entities of these
//! items, in time linear in their number.
//!
//! Cases that the published tools do not support: if the key has singletons, a singleton that the other side lacks is a
//! missing or an extra entity; otherwise extra singletons of the response are ignored. If the response lacks a
//! document, all of it is missing. A discontinuous mention is trimmed at its outer ends. A zero is a pronoun.

mod antecedents;
mod changes;
mod common;
mod correct;
mod cort;
mod costs;
mod documents;
mod gather;
mod heads;
mod items;
mod kinds;
mod link_tally;
mod links;
mod other_languages;
mod pair;
mod report;
mod results;
mod rows;
mod spans;
mod task;
mod text;
mod transform;
mod types;
mod view;

pub(crate) use self::changes::changed_mentions;
pub use self::changes::{ChangedMention, DocumentChanges, MentionChange};
pub use self::common::{CommonErrors, CommonLinks};
pub use self::correct::ErrorCorrection;
pub use self::costs::metrics_of_corrections;
use self::gather::{CombinedAnalysis, PartialAnalysis};
pub use self::items::applied_settings;
pub use self::kinds::{COREF_ERRORS, CorefErrorKind, CorefErrorSpec};
pub use self::links::Outcome;
pub use self::pair::ResponseCorrector;
pub use self::report::ErrorReport;
pub use self::results::{
    DocumentErrors, EntityErrors, ErrorAnalysis, ErrorRow, Example, ExampleWord, KindCounts, LinkCounts,
    OutcomeCounts, OutcomeTable, RowMention, Step, WrongAntecedent,
};
pub use self::task::{AnalysisTask, Tree};
use self::task::{CorpusFacts, Determined};
pub use self::text::{WordsAre, zero};
pub use self::transform::Operations;
pub use self::types::{LANGUAGES, Language, MentionType, TypeRule};
pub use self::view::{
    COPY, DocumentView, EntityView, MentionView, ResponseView, SINGLE, SideView, Viewer, ZeroView,
};
use crate::diagnostic::Diagnostics;
use crate::pairing::DocumentPair;
use crate::score::Runs;
use crate::threads::in_two_steps;

/// Below this many mentions one thread is as fast as two.
const MENTIONS_PER_THREAD: usize = 2_000;

/// Runs of documents per thread, if there are several threads. Each thread adds its runs to one result, so that many short
/// runs cost little and all threads end at about the same time.
const RUNS_PER_THREAD: usize = 16;

/// Finds the errors of paired documents.
///
/// Key documents should keep their layers. Without words, only mentions with equal heads have span errors, and all
/// mentions are nominal. [`Evaluation::errors`](crate::evaluation::Evaluation::errors) reads the documents and calls this
/// function.
#[doc(hidden)] // Public for tests.
pub fn analyse(
    pairs: &[DocumentPair<'_>],
    task: &AnalysisTask,
    diagnostics: &mut Diagnostics,
) -> ErrorAnalysis {
    // Errors count all mentions; scores may not.
    let (scored, settings) = (&task.settings, applied_settings(&task.settings));
    let task = &AnalysisTask { settings, ..task.clone() };
    let determined = Determined::default();
    let corpus = CorpusFacts::on_demand(pairs, task, &determined);
    let Runs { threads, runs } = Runs::of(pairs, task.threads, MENTIONS_PER_THREAD, RUNS_PER_THREAD);
    let firsts: Vec<u32> =
        runs.iter().scan(0, |next, run| Some(std::mem::replace(next, *next + run.len() as u32))).collect();
    let part = |numbers: &mut dyn Iterator<Item = usize>| {
        let mut part = PartialAnalysis::new(task);
        numbers.for_each(|run| part.add_run(firsts[run], runs[run], task, corpus));
        part.completed(task)
    };
    let combine = |parts: Vec<PartialAnalysis>| {
        let all = PartialAnalysis::combined(parts, task);
        let tasks = all.tasks();
        (all, tasks)
    };
    let run = |all: &CombinedAnalysis, number: usize| all.run(number, pairs, task, corpus);
    let (all, remaining) = in_two_steps(threads, runs.len(), part, combine, run);
    // The analysis starts with the language of the first documents, and counts the pronouns of all.
    if task.language.is_none()
        && corpus.language.known().is_some_and(|likely| likely.code != all.language().code)
    {
        let (settings, language) = (scored.clone(), Some(all.language()));
        let task = AnalysisTask { settings, language, ..task.clone() };
        return analyse(pairs, &task, diagnostics);
    }
    all.finish(remaining, pairs, (task, scored), corpus, diagnostics)
}
