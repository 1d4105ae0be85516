//! MUC: the links needed to join the entities that the other side splits.

use crate::aligned::AlignedEntities;
use crate::credited::{CreditedCell, CreditedPair, SplitRules, add_real};
use crate::fraction::FractionSum;
use crate::info::Variant;
use crate::metric::EntityMetric;
use crate::metric_info;
use crate::overlap::{Overlap, View};
use crate::shares::{MentionShare, Share, of_view, own_view};
use crate::tally::Tally;

metric_info! {
    /// # MUC
    ///
    /// ## What it measures
    ///
    /// The number of links needed to turn one side's entities into the other's. An entity of n
    /// mentions needs n − 1 links, regardless of which, so the score does not depend on the spanning
    /// tree that an annotator wrote.
    ///
    /// ## Definition
    ///
    /// Recall = Σ (|K| − |p(K)|) / Σ (|K| − 1) over key entities K, where p(K) is the
    /// partition of K by the response: a part for each response entity that overlaps K and one for
    /// each mention that the response lacks. Precision with key and response exchanged. From the
    /// overlap table: the numerator is Σ (shared − 1) over its cells.
    ///
    /// ## Edge cases
    ///
    /// Singletons do not have links and never count. A side without links has denominator 0,
    /// and the score is undefined (a dash in tables).
    ///
    /// ## Example
    ///
    /// Key A-B B-C B-D, response A-B C-D: recall 2/3, precision 2/2.
    ///
    /// ## References
    ///
    /// `vilain-1995`.
    ///
    /// ## Other scorers
    ///
    /// All scorers agree. MUC rewards a response that puts all mentions into one entity; that is a property of the metric.
    pub static MUC = {
        id: "muc",
        label: "MUC",
        summary: "links that join the entities, by partitions",
        references: &["vilain-1995"],
        needs: Some("link"),
        reference_scorer: Some("muc"),
    }
}

pub(crate) static METRIC: EntityMetric = EntityMetric {
    info: &MUC,
    tally,
    splits: Some(SplitRules { sets, document, second: None }),
    shares: Some(MentionShare {
        summary: "(n − 1) / n, out of (|E| − 1) / |E|",
        shares: |pair, _, side| {
            let links = |size: u64| Share::of(size - 1, size);
            let view = pair.view_of_links(own_view(side));
            vec![of_view(pair, side, view, |_, cell| links(cell.shared), links)]
        },
    }),
    entity_score: Some("(|K| − |p(K)|) / (|K| − 1); undefined for a singleton"),
    empty_entity: Some(-1),
    ..EntityMetric::PLAIN
};

fn tally(pair: &AlignedEntities, _: &Variant, into: &mut Tally) {
    let recall = pair.view(pair.view_of_links(View::Recall));
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

/// Like [`tally`], but a singleton counts one, which the same singleton finds. The sets of entities whose sum is a
/// split antecedent are mostly singletons.
fn sets(pair: &AlignedEntities, metric: &Variant, into: &mut Tally) {
    tally(pair, metric, into);
    let alone = |sizes: &[u32]| sizes.iter().filter(|&&size| size == 1).count() as u64;
    let overlap = pair.recall_view();
    let both = overlap.cells().iter().filter(|cell| {
        (overlap.key_sizes()[cell.key as usize], overlap.response_sizes()[cell.response as usize]) == (1, 1)
    });
    let both = both.count() as u64;
    into.first.add_integers((both, alone(overlap.key_sizes())), (both, alone(overlap.response_sizes())));
}

/// Counts a document in which a split antecedent adds its worth to a part of the partition that it
/// shares with a mention.
fn document(credited: &CreditedPair<'_>, _: &Variant, into: &mut Tally) {
    let add = |sum: &mut FractionSum, cells: &[CreditedCell]| {
        for cell in cells.iter().filter(|cell| cell.shared > 0) {
            sum.add_integer(i128::from(cell.shared - 1));
            add_real(sum, cell.credit);
        }
    };
    add(&mut into.first.recall_num, &credited.recall_cells());
    add(&mut into.first.precision_num, &credited.precision_cells());
    let links = |sizes: &[u32]| sizes.iter().map(|&size| u64::from(size) - 1).sum();
    let (recall, precision) = (credited.pair.recall_view(), credited.pair.precision_view());
    into.first.add_integers((0, links(recall.key_sizes())), (0, links(precision.response_sizes())));
}
