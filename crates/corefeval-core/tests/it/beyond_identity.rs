//! The metrics of relations beyond identity (bridging, non-reference) and LEA with split antecedents agree with
//! plain twins on thousands of random documents.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::generators::check;
use corefeval_core::diagnostic::Diagnostics;
use corefeval_core::evaluation::score_documents;
use corefeval_core::metrics::Metric;
use corefeval_core::model::{
    Bridge, Document, DocumentBuilder, DocumentId, EntityId, Mention, Relations, Span, SplitAntecedent,
    WordsBuilder,
};
use corefeval_core::pairing::DocumentPair;
use corefeval_core::profiles::Profile;
use corefeval_core::score::Task;
use corefeval_core::settings::Settings;
use corefeval_core::tally::Counts;
use proptest::collection::vec;
use proptest::prelude::*;

const WORDS: u32 = 10;
const ENTITIES: usize = 4;

/// A run of words: the first word, and the number of words.
type Run = (u32, u32);

/// The draft of a document.
#[derive(Clone, Debug)]
struct Draft {
    /// Words and entity.
    mentions: Vec<(Run, usize)>,
    /// Words, and an entity without other mentions.
    non_referring: Vec<(Run, usize)>,
    /// The anaphor, and its antecedent: a mention or an entity.
    bridges: Vec<(Run, Result<Run, usize>)>,
    /// An entity, and the parts that it sums.
    splits: Vec<(usize, BTreeSet<usize>)>,
}

fn run() -> impl Strategy<Value = Run> {
    (0..WORDS - 1, 1..=2u32)
}

fn draft() -> impl Strategy<Value = Draft> {
    let antecedent = prop_oneof![run().prop_map(Ok), (0..ENTITIES).prop_map(Err)];
    let split = (0..ENTITIES, proptest::collection::btree_set(0..ENTITIES, 2..3));
    let parts = (
        vec((run(), 0..ENTITIES), 0..9),
        vec((run(), 0..ENTITIES), 0..4),
        vec((run(), antecedent), 0..5),
        vec(split, 0..2),
    );
    parts.prop_map(|(mut mentions, non_referring, bridges, splits)| {
        let mut seen = BTreeSet::new();
        mentions.retain(|mention| seen.insert(mention.0));
        Draft { mentions, non_referring, bridges, splits }
    })
}

fn span((start, length): Run) -> Span {
    Span::new(start, start + length).expect("it has words")
}

fn document(draft: &Draft, with_splits: bool) -> Document {
    let mut words = WordsBuilder::new(false);
    (0..WORDS).for_each(|word| {
        words.push(&[b'a' + word as u8]);
    });
    let mut document = DocumentBuilder::new(DocumentId::new("d"), Arc::from("d"), 1);
    // Entities with mentions, then those of non-referring expressions.
    document.entities = (0..2 * ENTITIES).map(|entity| format!("e{entity}").into()).collect();
    let mention = |run: Run, entity: usize| Mention::new(span(run), EntityId::new(entity), 1, 1);
    document.mentions = draft.mentions.iter().map(|&(run, entity)| mention(run, entity)).collect();
    let bridge = |&(anaphor, antecedent): &(Run, Result<Run, usize>)| Bridge {
        anaphor: vec![span(anaphor)],
        antecedent: antecedent.ok().map(|run| vec![span(run)]),
        entity: antecedent.err().map(EntityId::new),
        relation: String::new(),
        line: 1,
        column: 1,
    };
    let split = |(entity, parts): &(usize, BTreeSet<usize>)| SplitAntecedent {
        entity: EntityId::new(*entity),
        parts: parts.iter().copied().map(EntityId::new).collect(),
        line: 1,
    };
    let non_referring = draft.non_referring.iter().map(|&(run, entity)| mention(run, ENTITIES + entity));
    document.relations = Some(Box::new(Relations {
        split_antecedents: if with_splits { draft.splits.iter().map(split).collect() } else { Vec::new() },
        bridges: draft.bridges.iter().map(bridge).collect(),
        non_referring: non_referring.collect(),
    }));
    document.finish(words.finish()).unwrap()
}

fn counts(key: &Document, response: &Document, metric: &str) -> Counts {
    let mut settings = Settings::of(Profile::named("ua").expect("a profile"));
    for (name, value) in [("singletons", "keep"), ("split-antecedents", "keep")] {
        settings.set(name, value).expect("an option");
    }
    let metrics = vec![Metric::parse(metric).expect("a metric")];
    let pair = DocumentPair { key, response: Some(response) };
    let mut discarded = Diagnostics::default();
    let report = score_documents(&[pair], &Task { settings, metrics, by: None, threads: 1 }, &mut discarded);
    report.expect("it can be scored").results.remove(0).tally.expect("it has counts").first
}

fn integers(counts: &Counts) -> [i128; 4] {
    [&counts.recall_num, &counts.recall_den, &counts.precision_num, &counts.precision_den]
        .map(|sum| sum.to_integer().expect("whole counts"))
}

/// Returns the words of each non-referring expression; the first expression of each name is used.
fn nothing(draft: &Draft) -> Vec<Run> {
    let mut seen = BTreeSet::new();
    draft.non_referring.iter().filter(|found| seen.insert(found.1)).map(|found| found.0).collect()
}

#[test]
fn non_referring_agrees_with_the_twin() {
    let met = Cell::new(0);
    check(1500, (draft(), draft()), |(ours, theirs)| {
        let (key, response) = (nothing(&ours), nothing(&theirs));
        let within =
            |these: &[Run], those: &[Run]| these.iter().filter(|run| those.contains(run)).count() as i128;
        // Correct expressions are counted in the key, wrong ones in the response.
        let (right, wrong) = (within(&key, &response), response.len() as i128 - within(&response, &key));
        let wanted = [right, key.len() as i128, right, right + wrong];
        let documents = (document(&ours, false), document(&theirs, false));
        assert_eq!(integers(&counts(&documents.0, &documents.1, "non_referring")), wanted);
        met.set(met.get() + i32::from(wanted[0] > 0));
    });
    assert!(met.get() > 50, "some are found");
}

/// Returns the antecedent of each anaphor: for an entity, the mention that starts last before the anaphor, otherwise
/// its first.
fn bridges(draft: &Draft) -> Vec<(Run, Run)> {
    let mut found: Vec<(Run, Run)> = Vec::new();
    for &(anaphor, antecedent) in &draft.bridges {
        let antecedent = antecedent.or_else(|entity| {
            let mut own: Vec<Run> = draft
                .mentions
                .iter()
                .filter(|mention| mention.1 == entity)
                .map(|mention| mention.0)
                .collect();
            own.sort_by_key(|&(start, length)| (start, start + length));
            let before = own.iter().rfind(|mention| mention.0 < anaphor.0);
            before.or(own.first()).copied().ok_or(())
        });
        let Ok(antecedent) = antecedent else { continue };
        found.retain(|other| other.0 != anaphor);
        found.push((anaphor, antecedent));
    }
    found
}

#[test]
fn bridging_agrees_with_the_twin_at_each_level() {
    let met = Cell::new([0; 3]);
    check(3000, (draft(), draft()), |(ours, mut theirs)| {
        // Antecedents agree more often if the response has the key's entities.
        if ours.bridges.len() % 2 == 0 {
            theirs.bridges.iter_mut().zip(&ours.bridges).for_each(|(theirs, ours)| theirs.0 = ours.0);
        }
        let (key, response) = (bridges(&ours), bridges(&theirs));
        let entity =
            |run: Run| ours.mentions.iter().find(|mention| mention.0 == run).map(|mention| mention.1);
        let resolved = |level: &str| {
            let is_resolved = |&&(anaphor, antecedent): &&(Run, Run)| {
                let theirs = response.iter().find(|other| other.0 == anaphor);
                theirs.is_some_and(|&(_, theirs)| match level {
                    "anaphor" => true,
                    "mention" => antecedent == theirs,
                    _ => {
                        antecedent == theirs
                            || entity(antecedent).is_some() && entity(antecedent) == entity(theirs)
                    }
                })
            };
            key.iter().filter(is_resolved).count() as i128
        };
        let documents = (document(&ours, false), document(&theirs, false));
        for (place, level) in ["anaphor", "mention", "entity"].into_iter().enumerate() {
            let wanted = [resolved(level), key.len() as i128, resolved(level), response.len() as i128];
            let metric = format!("bridging:level={level}");
            assert_eq!(
                integers(&counts(&documents.0, &documents.1, &metric)),
                wanted,
                "{level}: {ours:?} {theirs:?}"
            );
            let mut all = met.get();
            all[place] += i32::from(wanted[0] > 0);
            met.set(all);
        }
    });
    let [anaphors, mentions, entities] = met.get();
    assert!(mentions > 20 && entities > mentions && anaphors > entities, "{:?}", met.get());
}

/// Entities as sets of runs of words.
type Entity = BTreeSet<Run>;

/// Computes LEA of one side, with the credit for a split antecedent of two entities.
fn lea(
    ours: &[(Entity, bool)],
    theirs: &[(Entity, bool)],
    times: f64,
    worth: impl Fn(usize, usize) -> f64,
) -> (f64, f64) {
    let size = |(entity, split): &(Entity, bool)| entity.len() as f64 + f64::from(*split);
    let (mut found, mut all) = (0.0, 0.0);
    for (place, own) in ours.iter().enumerate() {
        let importance = size(own) * if own.1 { times } else { 1.0 };
        all += importance;
        for (other_place, other) in theirs.iter().enumerate() {
            let shared = own.0.intersection(&other.0).count() as f64;
            let credit = worth(place, other_place);
            let resolved = if size(own) == 1.0 {
                if size(other) == 1.0 { shared + credit } else { 0.0 }
            } else {
                (shared * (shared - 1.0) / 2.0 + shared * credit) / (size(own) * (size(own) - 1.0) / 2.0)
            };
            found += importance * resolved;
        }
    }
    (found, all)
}

#[test]
fn lea_with_a_split_antecedent_agrees_with_the_twin() {
    let met = Cell::new(0);
    check(4000, (draft(), draft(), 1..4u32), |(mut ours, mut theirs, times)| {
        // One split antecedent on each side. Its parts have mentions and are not sums themselves; so does the entity
        // that contains it.
        let tidy = |draft: &mut Draft| {
            let has = |entity: usize| draft.mentions.iter().any(|mention| mention.1 == entity);
            let splits: Vec<_> = draft.splits.clone();
            draft.splits = splits
                .into_iter()
                .filter(|(entity, parts)| {
                    has(*entity) && !parts.contains(entity) && parts.iter().all(|&part| has(part))
                })
                .collect();
        };
        // The response has most of the key's annotation.
        let kept = ours.mentions.iter().zip(0..).filter(|(_, place)| place % 4 != times as usize);
        let mut mentions: Vec<_> = kept.map(|(mention, _)| *mention).collect();
        mentions
            .extend(theirs.mentions.iter().filter(|own| ours.mentions.iter().all(|other| other.0 != own.0)));
        theirs.mentions = mentions;
        if ours.mentions.len() % 2 == 0 {
            theirs.splits.clone_from(&ours.splits);
        }
        tidy(&mut ours);
        tidy(&mut theirs);
        let entity = |draft: &Draft, entity: usize| -> Entity {
            draft.mentions.iter().filter(|mention| mention.1 == entity).map(|mention| mention.0).collect()
        };
        let side = |draft: &Draft| -> Vec<(Entity, bool)> {
            let all = (0..ENTITIES)
                .map(|number| (entity(draft, number), draft.splits.iter().any(|split| split.0 == number)));
            all.filter(|own| !own.0.is_empty()).collect()
        };
        let parts = |draft: &Draft| -> Option<Vec<(Entity, bool)>> {
            let split = draft.splits.first()?;
            Some(split.1.iter().map(|&part| (entity(draft, part), false)).collect())
        };
        let (key, response) = (side(&ours), side(&theirs));
        // The credit for the pair of split antecedents: LEA of the two sets of their parts.
        let ratio = |(found, all): (f64, f64)| if all == 0.0 { 0.0 } else { found / all };
        let (recall, precision) = match (parts(&ours), parts(&theirs)) {
            (Some(key), Some(response)) => {
                (ratio(lea(&key, &response, 1.0, |_, _| 0.0)), ratio(lea(&response, &key, 1.0, |_, _| 0.0)))
            }
            _ => (0.0, 0.0),
        };
        // Pairs with an F1 of 0 are dropped.
        let (recall, precision) = if recall * precision == 0.0 { (0.0, 0.0) } else { (recall, precision) };
        let worth = |value: f64, key: &(Entity, bool), response: &(Entity, bool)| {
            if key.1 && response.1 { value } else { 0.0 }
        };
        let wanted_recall =
            lea(&key, &response, f64::from(times), |k, r| worth(recall, &key[k], &response[r]));
        let wanted_precision =
            lea(&response, &key, f64::from(times), |r, k| worth(precision, &key[k], &response[r]));
        let documents = (document(&ours, true), document(&theirs, true));
        let found = counts(&documents.0, &documents.1, &format!("lea:split={times}")).to_real();
        let close = |found: f64, wanted: f64| (found - wanted).abs() < 1e-9;
        assert!(
            close(found.recall_num, wanted_recall.0)
                && close(found.recall_den, wanted_recall.1)
                && close(found.precision_num, wanted_precision.0)
                && close(found.precision_den, wanted_precision.1),
            "{found:?} and {wanted_recall:?} {wanted_precision:?}: {ours:?} {theirs:?}"
        );
        met.set(met.get() + i32::from(recall > 0.0));
    });
    assert!(met.get() > 20, "some pairs of split antecedents earn credit: {}", met.get());
}
