//! Scores whether a response recognises non-referring expressions.

use super::{Evidence, MetricSpec, Variant, metric_info};
use crate::formats::Aspect;
use crate::matching::MentionTable;
use corefeval_metrics::tally::Tally;

metric_info! {
    /// # Non-referring expressions
    ///
    /// ## What it measures
    ///
    /// Expressions that look like mentions and refer to nothing (`it` in "it rains"). They
    /// are not part of coreference, and every other metric ignores them.
    ///
    /// ## Definition
    ///
    /// Recall = expressions that both sides mark as non-referring / all that the key marks; precision = the same
    /// expressions / all that the response marks. Expressions match by the same words.
    ///
    /// ## Edge cases
    ///
    /// A side without such expressions has a denominator of 0 and the score 0. If several mentions
    /// have one `-Pseudo` id, the first counts.
    ///
    /// ## Example
    ///
    /// Key marks words 1 and 7, response 7 and 9: recall 1/2, precision 1/2.
    ///
    /// ## References
    ///
    /// `yu-2023`.
    ///
    /// ## Other scorers
    ///
    /// The Universal Anaphora scorer gives the same results.
    pub static NON_REFERRING = {
        id: "non_referring",
        label: "Non-referring",
        summary: "expressions that refer to nothing",
        references: &["yu-2023"],
    }
}

pub(super) const METRIC: MetricSpec = MetricSpec {
    info: &NON_REFERRING,
    evidence: Evidence::Mentions {
        tally,
        fits: |format| format.can_express(Aspect::NonReferring),
        possible: |_| true,
        of_entities: false,
    },
};

fn tally(table: &MentionTable, _: &Variant, into: &mut Tally) {
    let (key, response) = (&table.key.non_referring, &table.response.non_referring);
    let found = |ours: &[Vec<_>], theirs: &[Vec<_>]| {
        let mut sorted: Vec<Vec<u64>> = theirs.iter().map(|words| place(words)).collect();
        sorted.sort_unstable();
        ours.iter().filter(|words| sorted.binary_search(&place(words)).is_ok()).count() as u64
    };
    // Several expressions with the same words count separately on each side; wrong ones of the response are added to
    // the right ones.
    let (right, wrong) = (found(key, response), response.len() as u64 - found(response, key));
    into.first.add_integers((right, key.len() as u64), (right, right + wrong));
}

fn place(words: &[crate::model::Span]) -> Vec<u64> {
    words.iter().map(|run| run.sort_key()).collect()
}
