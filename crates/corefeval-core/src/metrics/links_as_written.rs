//! Scores the links as written, the count that MUC replaced.

use super::{Evidence, MetricSpec, ParameterSpec, Variant, metric_info};
use crate::matching::{MentionTable, TableSide};
use crate::model::Document;
use corefeval_metrics::tally::Tally;

metric_info! {
    /// # Links as written
    ///
    /// ## What it measures
    ///
    /// The links that the response writes as the key does. MUC was designed to replace this count: the links of an
    /// entity of n mentions may form any of nⁿ⁻² trees, and the count depends on which of them key and response happen
    /// to have.
    ///
    /// ## Definition
    ///
    /// Recall = |Lk ∩ Lr| / |Lk|, precision = |Lk ∩ Lr| / |Lr| for the links L that the files of key and response
    /// write. A link has no direction, and is in both when its two ends are aligned. With `among=closure`, a link is
    /// found if the other side has its two ends in one entity. A response with all entities right then scores 1 with
    /// any links; the score of an incomplete response still depends on the tree that the key happens to have.
    ///
    /// ## Edge cases
    ///
    /// A link that is written twice counts once. A link does not count if it joins words to themselves, or if one of
    /// its ends is not scored (excluded by the settings, or an optional mention that the response lacks); no other link
    /// replaces it. Links are unknown in formats that name entities, and in a document with an entity of several mentions
    /// that is not written as links: in braces in `links`, as an equivalence or by its name in `brat`, and in `clusters`
    /// of `json`. If the links of one document of either side are unknown, the count is undefined for
    /// all, with a warning (the command rejects the metric if it was requested by name, and otherwise omits it). The
    /// links of a key document without response count as missed.
    ///
    /// ## Example
    ///
    /// Key `A-B B-C B-D`, response `A-B C-D`: recall 1/3, precision 1/2, where MUC has 2/3 and 2/2. If the same key is
    /// written `A-C A-D B-C`, recall is 0/3, and if it is written `A-B C-D A-C`, 2/3; MUC's recall stays 2/3.
    ///
    /// ## References
    ///
    /// `vilain-1995`, which calls it the syntactic count, of Sundheim et al.
    ///
    /// ## Other scorers
    ///
    /// No other current scorer computes it.
    pub static LINKS_AS_WRITTEN = {
        id: "links_as_written",
        label: "Links as written",
        aliases: &["links"],
        summary: "the links that both files write, without transitive closure: the count that MUC replaced",
        references: &["vilain-1995"],
        parameters: &[ParameterSpec {
            name: "among",
            values: &["links", "closure"],
            summary: "the links that count as correct: the other side's, or also those that follow from them",
        }],
    }
}

pub(super) const METRIC: MetricSpec = MetricSpec {
    info: &LINKS_AS_WRITTEN,
    evidence: Evidence::Mentions { tally, fits: |format| format.has_links, possible, of_entities: false },
};

fn possible(document: &Document) -> bool {
    document.links().is_some()
}

fn tally(table: &MentionTable, metric: &Variant, into: &mut Tally) {
    let links = |side: &TableSide| side.links.clone().unwrap_or_default();
    let (key, response) = (links(&table.key), links(&table.response));
    let closure = metric.value("among") == 1;
    let found = |ours: &[(u32, u32)], our_side: &TableSide, theirs: &[(u32, u32)], their_side: &TableSide| {
        let found = ours.iter().filter(|(one, other)| {
            let ends = our_side.partner(*one).zip(our_side.partner(*other));
            ends.is_some_and(|(a, b)| match closure {
                true => their_side.entity(a) == their_side.entity(b),
                false => theirs.binary_search(&(a.min(b), a.max(b))).is_ok(),
            })
        });
        (found.count() as u64, ours.len() as u64)
    };
    into.first.add_integers(
        found(&key, &table.key, &response, &table.response),
        found(&response, &table.response, &key, &table.key),
    );
}
