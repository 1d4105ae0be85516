//! MUC: the links that have to be added to join what one side broke apart.

use super::{Kind, Metric, MetricSpec, Rules};
use crate::overlap::{AlignedPair, Overlap};
use crate::tally::{Score, Tally};

/// # MUC
///
/// What it measures: how few links would turn one side's entities into the other's. An entity of n
/// mentions needs n − 1 links, whichever they are, so the score does not depend on the spanning
/// tree that an annotator wrote.
///
/// Definition: recall = Σ (|K| − |p(K)|) / Σ (|K| − 1) over key entities K, where p(K) is the
/// partition of K that the response makes: a part for each response entity that K meets and one for
/// each mention that the response lacks. Precision with key and response exchanged. From the
/// overlap table: the numerator is Σ (shared − 1) over its cells.
///
/// Edge cases: singletons have no link and never count. A side without links has the denominator 0
/// and the score 0.
///
/// Example: key A-B B-C B-D, response A-B C-D: recall 2/3, precision 2/2.
///
/// References: vilain-1995.
///
/// Other scorers: all agree. That a response in one entity scores well is the metric's own nature.
pub(super) const SPEC: MetricSpec = MetricSpec {
    id: "muc",
    label: "MUC",
    summary: "links that join the entities, by partitions",
    references: &["vilain-1995"],
    parameters: &[],
    kind: Kind::Counted { tally, score, halves: None },
};

fn tally(pair: &AlignedPair, _: &Metric, into: &mut Tally) {
    let recall = pair.recall_view();
    let precision = pair.precision_view();
    into.first.add_integers(
        (common_links(recall), links(recall.key_sizes())),
        (common_links(precision), links(precision.response_sizes())),
    );
}

fn common_links(overlap: &Overlap) -> u64 {
    overlap.cells().iter().map(|cell| u64::from(cell.shared) - 1).sum()
}

fn links(sizes: &[u32]) -> u64 {
    sizes.iter().map(|&size| u64::from(size) - 1).sum()
}

fn score(tally: &Tally, _: &Metric, _: &Rules) -> Score {
    tally.first.score()
}
