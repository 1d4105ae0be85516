//! Pairwise link F1.

use crate::aligned::AlignedEntities;
use crate::info::Variant;
use crate::metric::EntityMetric;
use crate::metric_info;
use crate::overlap::{Overlap, View, pairs};
use crate::shares::{MentionShare, links, own_view};
use crate::tally::Tally;

metric_info! {
    /// # Pairwise
    ///
    /// ## What it measures
    ///
    /// The coreference links in common, where n coreferent mentions have n (n − 1) / 2 links. This is the first half of
    /// BLANC, and the usual measure of entity resolution.
    ///
    /// ## Definition
    ///
    /// Recall = |Ck ∩ Cr| / |Ck|, precision = |Ck ∩ Cr| / |Cr| for the coreference links C
    /// of key and response.
    ///
    /// ## Edge cases
    ///
    /// A side without links is undefined and scores 0. The weight of an entity grows with the square of its size.
    ///
    /// ## Example
    ///
    /// Key `{a b c}`, response `{a b} {c d}`: recall 1/3, precision 1/2.
    ///
    /// ## References
    ///
    /// `recasens-hovy-2011`.
    ///
    /// ## Other scorers
    ///
    /// Neleval's `pairwise`; the coreference half of BLANC in the reference scorer.
    pub static PAIRWISE = {
        id: "pairwise",
        label: "Pairwise",
        aliases: &["links"],
        summary: "coreference links in common",
        references: &["recasens-hovy-2011"],
    }
}

pub(crate) static METRIC: EntityMetric = EntityMetric {
    info: &PAIRWISE,
    tally,
    shares: Some(MentionShare {
        summary: "half of its links that both sides have, (n − 1) / 2, out of (|E| − 1) / 2",
        shares: |pair, _, side| vec![links(pair, side, pair.view_of_links(own_view(side)))],
    }),
    entity_score: Some("the share of its links that the response has; undefined for a singleton"),
    ..EntityMetric::PLAIN
};

/// Links of coreferent mentions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CoreferenceLinks {
    pub key: u64,
    pub response: u64,
    pub shared: u64,
}

impl CoreferenceLinks {
    pub(crate) fn of(overlap: &Overlap) -> CoreferenceLinks {
        CoreferenceLinks {
            key: links_within(overlap.key_sizes()),
            response: links_within(overlap.response_sizes()),
            shared: overlap.cells().iter().map(|cell| pairs(cell.shared.into())).sum(),
        }
    }
}

/// Returns the number of links within entities of these sizes.
pub(crate) fn links_within(sizes: &[u32]) -> u64 {
    sizes.iter().map(|&size| pairs(size.into())).sum()
}

fn tally(pair: &AlignedEntities, _: &Variant, into: &mut Tally) {
    let recall = CoreferenceLinks::of(pair.view(pair.view_of_links(View::Recall)));
    let precision = CoreferenceLinks::of(pair.precision_view());
    into.first.add_integers((recall.shared, recall.key), (precision.shared, precision.response));
}
