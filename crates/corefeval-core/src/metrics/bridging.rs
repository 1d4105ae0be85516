//! Scores bridging: mentions that refer through another mention, and that other mention.

use rustc_hash::FxHashMap;

use super::{Evidence, MetricSpec, ParameterSpec, Variant, metric_info};
use crate::formats::Aspect;
use crate::matching::{MentionTable, TableBridge};
use crate::model::Span;
use corefeval_metrics::tally::Tally;

metric_info! {
    /// # Bridging
    ///
    /// ## What it measures
    ///
    /// Bridging anaphors ("the engine", after "the ferry") and their antecedents.
    ///
    /// ## Definition
    ///
    /// Recall = bridging anaphors of the key that the response resolves / all bridging anaphors of the key; precision =
    /// the same anaphors / all bridging anaphors of the response. An anaphor is resolved, with `level=anaphor`, if the
    /// response has it as an anaphor; with `level=mention`, if it also has the antecedent of the key; with
    /// `level=entity` (the default), if it has a mention of the antecedent's entity in the key.
    ///
    /// ## Edge cases
    ///
    /// An anaphor has one antecedent, the last one in the file. Mentions match by the same words. If a format names
    /// only the antecedent entity (CorefUD), the entity's last mention before the anaphor represents it. An antecedent
    /// that refers to nothing is in no entity.
    ///
    /// ## Example
    ///
    /// Key "the engine" → "the ferry", response "the engine" → "it", which corefers with "the ferry":
    /// `anaphor` 1/1, `mention` 0/1, `entity` 1/1.
    ///
    /// ## References
    ///
    /// `yu-2023`.
    ///
    /// ## Other scorers
    ///
    /// The Universal Anaphora scorer gives the same results at its three levels.
    pub static BRIDGING = {
        id: "bridging",
        label: "Bridging",
        summary: "bridging anaphors resolved to a mention of the right entity",
        references: &["yu-2023"],
        parameters: &[ParameterSpec {
            name: "level",
            values: &["entity", "mention", "anaphor"],
            summary: "the required match: the antecedent's entity, the antecedent mention, or only the anaphor",
        }],
    }
}

pub(super) const METRIC: MetricSpec = MetricSpec {
    info: &BRIDGING,
    evidence: Evidence::Mentions {
        tally,
        fits: |format| format.can_express(Aspect::Bridges),
        possible: |_| true,
        of_entities: false,
    },
};

fn tally(table: &MentionTable, metric: &Variant, into: &mut Tally) {
    let level = metric.value("level");
    let place = |words: &[Span]| -> Vec<u64> { words.iter().map(|run| run.sort_key()).collect() };
    let by_anaphor: FxHashMap<Vec<u64>, &TableBridge> =
        table.response.bridges.iter().map(|bridge| (place(&bridge.anaphor), bridge)).collect();
    let resolved = table.key.bridges.iter().filter(|ours| {
        let Some(theirs) = by_anaphor.get(&place(&ours.anaphor)) else { return false };
        let entity = |words: &[Span]| table.key.entity_of(words);
        match level {
            2 => true,
            1 => ours.antecedent == theirs.antecedent,
            _ => {
                ours.antecedent == theirs.antecedent
                    || entity(&ours.antecedent).is_some_and(|ours| entity(&theirs.antecedent) == Some(ours))
            }
        }
    });
    let resolved = resolved.count() as u64;
    let (key, response) = (table.key.bridges.len() as u64, table.response.bridges.len() as u64);
    into.first.add_integers((resolved, key), (resolved, response));
}
