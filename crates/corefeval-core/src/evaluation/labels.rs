//! Scores large tables of labels without keeping their rows.

use std::path::Path;
use std::sync::atomic::AtomicU64;

use corefeval_metrics::aligned::AlignedEntities;

use crate::error::Result;
use crate::input::Input;
use crate::labels::{self, Table};
use crate::metrics::Metric;
use crate::model::Side;
use crate::results::Report;
use crate::score::{Task, counted_metrics};
use crate::settings::{Entities, ExtraMentions, Keep, Match, Place, Scope, Settings, Switch};

use super::Evaluation;
use super::counts::{report_of_counts, tally_overlap};
use super::one_key::{name_system, sides};
use super::reading::{Loaded, Reading, with_progress};
use super::request::NamedInput;

/// The tables of a key and its responses, counted.
struct Counted {
    /// The first rows of each table, read like any other table. They contain all documents that findings name.
    heads: Vec<Loaded>,
    /// The counts of each response.
    entities: Vec<AlignedEntities>,
}

impl Evaluation {
    /// Scores tables without keeping their rows. Returns `None` if the tables must be read in the usual way, because
    /// they are small or not plain, have findings about mentions, or because a setting or a metric needs the mentions.
    pub(super) fn score_labels(
        &self,
        reading: &Reading<'_>,
        key: &NamedInput,
        responses: &[NamedInput],
    ) -> Result<Option<Report>> {
        let Some(Counted { heads, entities }) = self.count_labels(reading, key, responses) else {
            return Ok(None);
        };
        let one_key = self.settled(reading, (key, responses), &heads, |_, _| Ok(()))?;
        let counted = counted_metrics(&one_key.task.metrics);
        let mut entities = entities.into_iter();
        let done = one_key.each(|task, named, _, own| {
            let entities = entities.next().unwrap_or_default();
            let (tallies, sizes) =
                tally_overlap(String::new(), entities, &counted, &task.settings, task.threads);
            let mut system = report_of_counts(task, &[tallies], sizes, own);
            name_system([&mut system.name, &mut system.key, &mut system.response], key, named);
            Ok(system)
        })?;
        Ok(Some(done.report()))
    }

    fn count_labels(
        &self,
        reading: &Reading<'_>,
        key: &NamedInput,
        responses: &[NamedInput],
    ) -> Option<Counted> {
        let request = &self.request;
        if request.by.is_some() || request.names.is_some() {
            return None;
        }
        let sides = sides(key, responses);
        let paths: Vec<&Path> = sides.iter().map(|side| side.0.path()).collect::<Option<_>>()?;
        if !labels::are_large(&paths) {
            return None;
        }
        let tables: Vec<Table> =
            paths.iter().map(|path| Table::open(path, &request.limits)).collect::<Option<_>>()?;
        let head = |(table, (input, side)): (&Table, &(&Input, Side))| {
            let head = Input::Bytes { name: input.name().into(), bytes: table.head.as_slice().into() };
            reading.read_one(&head, *side, &AtomicU64::new(0)).ok()
        };
        let heads: Vec<Loaded> = tables.iter().zip(&sides).map(head).collect::<Option<_>>()?;
        let plain = |(corpus, format): &Loaded| format.id == "table" && corpus.documents.len() == 1;
        let one_key = self.settled(reading, (key, responses), &heads, |_, _| Ok(())).ok()?;
        if !heads.iter().all(plain) || !follows_from_counts(&one_key.task) {
            return None;
        }
        let read = AtomicU64::new(0);
        let total = || sides.iter().map(|side| side.0.size()).sum();
        let mut entities = None;
        with_progress(self.progress.as_deref(), &total, &read, || {
            entities = labels::count(tables, request.threads, &request.limits, &read);
        });
        let entities = entities?;
        // Too few shared mentions cause findings about mentions.
        let usual = |entities: &AlignedEntities| {
            let overlap = entities.recall_view();
            let (key, response) = (overlap.key_mentions(), overlap.response_mentions());
            overlap.shared_mentions() > 0 && 3 * overlap.shared_mentions() >= key.min(response)
        };
        entities.iter().all(usual).then_some(Counted { heads, entities })
    }
}

/// Returns whether all scores follow from the shared mentions of entities, if no mention is repeated.
fn follows_from_counts(task: &Task) -> bool {
    let Settings {
        matching,
        singletons,
        extra_mentions,
        np_only,
        remove_nested,
        scope,
        entities,
        place,
        ref weights,
        // These settings concern annotation that tables of labels lack, or the step from counts to scores. The list is
        // exhaustive, so that a new setting requires a decision.
        profile: _,
        match_details: _,
        zeros: _,
        zero_match: _,
        split_antecedents: _,
        split_parts: _,
        optional: _,
        order: _,
        duplicates: _,
        pair_documents: _,
        missing_documents: _,
        check_tokens: _,
        align: _,
        notation: _,
        extra_zeros: _,
        blanc: _,
        ceaf: _,
        average: _,
        pair_files: _,
        ids_by_file: _,
        named: _,
        name_match: _,
        span_end: _,
        key_span_end: _,
        response_span_end: _,
        boundary_crossing: _,
        annotation: _,
        ace: _,
        ace_changes: _,
        span_ends: _,
        min_aligned: _,
        aligned: _,
        ceaf_bound: _,
        key_approximate: _,
    } = task.settings;
    let plain = |metric: &Metric| metric.needs_entities_alone().is_ok() && metric.weight_needs().is_nothing();
    matching == Match::Exact
        && singletons == Keep::Keep
        && extra_mentions == ExtraMentions::Count
        && np_only == Switch::No
        && remove_nested == Switch::No
        && scope == Scope::Document
        && entities == Entities::All
        && place == Place::Document
        && weights.is_none()
        && !task.settings.aligns_texts()
        && counted_metrics(&task.metrics).iter().all(plain)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::fs;

    use super::*;
    use crate::evaluation::request::{Inputs, Request};
    use crate::groups::By;

    /// Returns whether tables with this first row are counted without keeping their rows.
    fn counted(head: &str, asked: impl Fn(Request) -> Request) -> bool {
        let path = std::env::temp_dir().join(format!("corefeval-labels-{}.csv", std::process::id()));
        let mut table = head.to_owned();
        for row in 0..70_000 {
            let _ = writeln!(table, "m{row},{}", row / 3);
        }
        fs::write(&path, table).unwrap();
        let inputs = || NamedInput::open(path.to_str().unwrap()).unwrap();
        let (key, responses) = (inputs(), vec![inputs()]);
        let request = Request::new(Inputs::OneKey { key: inputs(), responses: vec![inputs()] });
        let evaluation = Evaluation::new(asked(request.metrics("muc,b_cubed").unwrap())).unwrap();
        let settings = evaluation.settings_before().unwrap();
        let found = evaluation.score_labels(&Reading::new(&evaluation, &settings), &key, &responses);
        fs::remove_file(path).unwrap();
        found.unwrap().is_some()
    }

    #[test]
    fn plain_tables_are_counted_without_their_rows() {
        let head = "mention,entity\n";
        assert!(counted(head, |request| request));
        assert!(counted(head, |request| request.threads(1)));
        assert!(!counted("document,mention,entity\nd,a,b\n", |request| request));
        assert!(!counted("mention,entity\n\"a\",b\n", |request| request));
        assert!(!counted(head, |request| request.choose("singletons", "drop").unwrap()));
        assert!(!counted(head, |request| request.by(By::named("document").unwrap())));
    }
}
