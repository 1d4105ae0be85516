//! B³: the share of each mention's entity that is right.

use crate::Side;
use crate::aligned::AlignedEntities;
use crate::credited::{CreditedCell, CreditedPair, SplitRules, add_real};
use crate::fraction::{FractionSum, Ratio};
use crate::info::{ParameterSpec, Variant};
use crate::metric::{EntityMetric, add_sizes};
use crate::metric_info;
use crate::overlap::{OverlapCell, View};
use crate::shares::{MentionShare, Share, SidedCell, of_view, own_view};
use crate::tally::Tally;
use crate::weighed::{ByType, Weighed};

metric_info! {
    /// # B³
    ///
    /// ## What it measures
    ///
    /// For each mention, the share of its key entity that its response entity contains (recall), and the share of its
    /// response entity that belongs there (precision); averaged over mentions.
    ///
    /// ## Definition
    ///
    /// Recall of mention m = |K(m) ∩ R(m)| / |K(m)|, precision = |K(m) ∩ R(m)| / |R(m)|. A
    /// mention that the other side lacks scores 0. With `weight=mention` every mention has the same weight:
    /// the numerator of recall is Σ shared² / |K| over the cells of the overlap table, its denominator
    /// the number of key mentions. With `weight=entity` every entity has the same weight, and a mention
    /// 1 / (entities × |K|): Σ shared² / |K|² over the number of entities. With `weight=mention-type`,
    /// `entity-type` or `table` a mention has the weight w(m) that `--weights` sets for its type or for the type of
    /// its entity, or the product of both. Recall is then Σ w(m) |K(m) ∩ R(m)| / |K(m)| over Σ w(m), with the
    /// weights of key mentions; precision has those of response mentions. A mention without a type takes its
    /// counterpart's weight, otherwise the default.
    ///
    /// ## Edge cases
    ///
    /// A side without mentions is undefined and scores 0. Singletons count like any entity, so a response
    /// of only singletons has precision 1.
    ///
    /// ## Example
    ///
    /// Luo's key `{1-5} {6 7} {8-C}` against one entity of all twelve: recall 1, precision 0.375.
    ///
    /// ## References
    ///
    /// `bagga-baldwin-1998`; `luo-2005` for the comparison with CEAF.
    ///
    /// ## Other scorers
    ///
    /// Versions of the reference scorer before 8.0 changed the sides first (Cai and
    /// Strube 2010); this is the plain definition, as in 8.0 and later, coval and corefud-scorer.
    pub static B_CUBED = {
        id: "b_cubed",
        label: "B³",
        aliases: &["b3", "bcub", "bcubed"],
        summary: "for each mention, the share of its entity that is right",
        references: &["bagga-baldwin-1998", "luo-2005"],
        parameters: &[ParameterSpec {
            name: "weight",
            values: &["mention", "entity", "mention-type", "entity-type", "table"],
            summary: "equal weight for every mention or every entity, or weights by type",
        }],
        counts_singletons: true,
        reference_scorer: Some("bcub"),
    }
}

/// B³.
pub static METRIC: EntityMetric = EntityMetric {
    info: &B_CUBED,
    tally,
    splits: Some(SplitRules { sets: tally, document, second: None }),
    shares: Some(MentionShare {
        summary: "n / |E|, out of 1; with weight=entity both divided by |E|",
        shares: |pair, metric, side| {
            let entities = metric.value("weight") == 1;
            let weight = |size: u64| if entities { size } else { 1 };
            let (held, view) = (pair.held(), pair.view_of_links(own_view(side)));
            let found = |place: usize, cell: SidedCell| {
                let shared = held.map_or(cell.shared, |held| held[place].into());
                Share::of(shared, cell.own * weight(cell.own))
            };
            vec![of_view(pair, side, view, found, |size| Share::of(1, weight(size)))]
        },
    }),
    entity_score: Some("the mean recall of its mentions, Σ |K ∩ R|² / |K|²"),
    empty_entity: Some(0),
    ..EntityMetric::PLAIN
};

pub(crate) fn tally(pair: &AlignedEntities, metric: &Variant, into: &mut Tally) {
    let by_entity = metric.value("weight") == 1;
    if let Some(weighed) = pair.weighed().filter(|_| metric.uses_weights()) {
        return add_weighed(pair, weighed, metric.by(), into);
    }
    let recall = pair.recall_view();
    let precision = pair.precision_view();
    if let Some(held) = pair.held() {
        return add_held(pair, held, by_entity, into);
    }
    let counts = &mut into.first;
    add_side(&mut counts.recall_num, recall.cells(), recall.key_sizes(), |cell| cell.key, by_entity);
    add_side(
        &mut counts.precision_num,
        precision.cells(),
        precision.response_sizes(),
        |cell| cell.response,
        by_entity,
    );
    add_sizes(pair, by_entity, counts);
}

/// Adds the reference scorer's sums for a key that repeats mentions. Each response mention is looked up in the last key
/// entity that contains it, and counts the mentions of its own entity that this key entity contains.
fn add_held(pair: &AlignedEntities, held: &[u32], by_entity: bool, into: &mut Tally) {
    let overlap = pair.precision_view();
    for (cell, &held) in overlap.cells().iter().zip(held) {
        let found = u128::from(cell.shared) * u128::from(held);
        let share = |size: u32| if by_entity { u64::from(size).pow(2) } else { u64::from(size) };
        into.first.recall_num.add_fraction(found, share(overlap.key_sizes()[cell.key as usize]));
        into.first.precision_num.add_fraction(found, share(overlap.response_sizes()[cell.response as usize]));
    }
    add_sizes(pair, by_entity, &mut into.first);
}

fn add_side(
    sum: &mut FractionSum,
    cells: &[OverlapCell],
    sizes: &[u32],
    entity: impl Fn(&OverlapCell) -> u32,
    by_entity: bool,
) {
    for cell in cells {
        let size = u64::from(sizes[entity(cell) as usize]);
        let shared = u128::from(cell.shared);
        let denominator = if by_entity { size * size } else { size };
        sum.add_fraction(shared * shared, denominator);
    }
}

/// Counts B³ with weights of mentions.
fn add_weighed(pair: &AlignedEntities, weighed: &Weighed, by: ByType, into: &mut Tally) {
    let (mention_scale, entity_scale) = weighed.scales(by);
    let scale = u128::from(mention_scale) * u128::from(entity_scale);
    let counts = &mut into.first;
    for side in [Side::Key, Side::Response] {
        let (view, sum) = match side {
            Side::Key => (pair.view_of_links(View::Recall), &mut counts.recall_num),
            Side::Response => (View::Precision, &mut counts.precision_num),
        };
        let overlap = pair.view(view);
        let found = weighed.sums(overlap, view, side, by);
        for (place, (cell, weight)) in overlap.cells().iter().zip(found).enumerate() {
            let size = match side {
                Side::Key => overlap.key_sizes()[cell.key as usize],
                Side::Response => overlap.response_sizes()[cell.response as usize],
            };
            let shared = pair.held().map_or(cell.shared, |held| held[place]);
            sum.add_ratio(Ratio::nearest(weight * u128::from(shared), u128::from(size) * scale));
        }
    }
    counts.recall_den.add_ratio(Ratio::nearest(weighed.key.total(by), scale));
    counts.precision_den.add_ratio(Ratio::nearest(weighed.response.total(by), scale));
}

/// Counts a document in which a split antecedent adds its worth to the mentions that two entities share.
fn document(credited: &CreditedPair<'_>, metric: &Variant, into: &mut Tally) {
    let by_entity = metric.value("weight") == 1;
    let add = |sum: &mut FractionSum, cells: &[CreditedCell], sizes: &[u32]| {
        for cell in cells {
            let size = f64::from(sizes[cell.entity as usize]);
            let shared = f64::from(cell.shared) + cell.credit;
            add_real(sum, shared * shared / if by_entity { size * size } else { size });
        }
    };
    let (recall, precision) = (credited.pair.recall_view(), credited.pair.precision_view());
    add(&mut into.first.recall_num, &credited.recall_cells(), recall.key_sizes());
    add(&mut into.first.precision_num, &credited.precision_cells(), precision.response_sizes());
    add_sizes(credited.pair, by_entity, &mut into.first);
}
