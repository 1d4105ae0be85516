//! Pairwise link F1.

use super::{Kind, Metric, MetricSpec, Rules, pairs};
use crate::overlap::{AlignedPair, Overlap};
use crate::tally::{RealTally, Score, Tally};

/// # Pairwise
///
/// What it measures: the coreference links in common, where n coreferent mentions have
/// n (n − 1) / 2 links. The first half of BLANC, and the usual measure of entity resolution.
///
/// Definition: recall = |Ck ∩ Cr| / |Ck|, precision = |Ck ∩ Cr| / |Cr| for the coreference links C
/// of key and response.
///
/// Edge cases: a side without links scores 0. Large entities weigh by the square of their size.
///
/// Example: key `{a b c}`, response `{a b} {c d}`: recall 1/3, precision 1/2.
///
/// References: recasens-hovy-2011.
///
/// Other scorers: neleval's `pairwise`; the coreference half of BLANC in the reference scorer.
pub(super) const SPEC: MetricSpec = MetricSpec {
    id: "pairwise",
    label: "Pairwise",
    summary: "coreference links in common",
    references: &["recasens-hovy-2011"],
    parameters: &[],
    kind: Kind::Counted { tally, score, halves: None, splits: None },
};

/// Links of coreferent mentions.
#[derive(Clone, Copy, Debug)]
pub(super) struct CoreferenceLinks {
    pub key: u64,
    pub response: u64,
    pub shared: u64,
}

impl CoreferenceLinks {
    pub(super) fn of(overlap: &Overlap) -> CoreferenceLinks {
        let links = |sizes: &[u32]| sizes.iter().map(|&size| pairs(size.into())).sum();
        CoreferenceLinks {
            key: links(overlap.key_sizes()),
            response: links(overlap.response_sizes()),
            shared: overlap.cells().iter().map(|cell| pairs(cell.shared.into())).sum(),
        }
    }
}

fn tally(pair: &AlignedPair, _: &Metric, into: &mut Tally) {
    let recall = CoreferenceLinks::of(pair.recall_view());
    let precision = CoreferenceLinks::of(pair.precision_view());
    into.first.add_integers((recall.shared, recall.key), (precision.shared, precision.response));
}

fn score(tally: &RealTally, _: &Metric, _: &Rules) -> Score {
    tally.first.score()
}
