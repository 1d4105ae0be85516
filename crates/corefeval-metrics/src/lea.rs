//! LEA: the importance of each entity times how well it is resolved.

use crate::aligned::AlignedEntities;
use crate::credited::{CreditedCell, CreditedPair, SplitRules, add_real};
use crate::fraction::{FractionSum, Ratio};
use crate::info::{ParameterSpec, Variant};
use crate::metric::{EntityMetric, add_sizes};
use crate::metric_info;
use crate::overlap::{Overlap, OverlapCell, pairs};
use crate::shares::{MentionShare, Share, SidedCell, of_cells};
use crate::tally::Tally;
use crate::weighed::{ByType, Weighed, WeighedSide};

metric_info! {
    /// # LEA
    ///
    /// ## What it measures
    ///
    /// For each entity, the share of its coreference links that the other side has,
    /// weighted by how important the entity is.
    ///
    /// ## Definition
    ///
    /// Recall = Σ importance(K) · Σ links(K ∩ R) / links(K) / Σ importance(K) over key
    /// entities K and all response entities R, where n mentions have links(n) = n (n − 1) / 2; a
    /// singleton has one link to itself, which only the same singleton resolves. Precision with key and
    /// response exchanged. `importance=size` (the paper's) is |K|; `importance=uniform` is 1.
    ///
    /// ## Edge cases
    ///
    /// A side without mentions is undefined and scores 0. A mention that belongs to no entity on the
    /// other side resolves nothing.
    ///
    /// ## Example
    ///
    /// Key `{a b c} {d e f g}`, response `{a b} {c d} {f g h i}`: recall (3·1/3 + 4·1/6)/7,
    /// precision (2·1 + 2·0 + 4·1/6)/8.
    ///
    /// ## Split antecedents
    ///
    /// A link to a split antecedent counts the worth of its pair. With `split=N`, entities with a split antecedent
    /// count N times as much.
    ///
    /// ## References
    ///
    /// `moosavi-strube-2016`, `paun-2023`.
    ///
    /// ## Other scorers
    ///
    /// The LEA branch of the reference scorer and coval agree. The Universal Anaphora
    /// scorer adds a weight for entities with split antecedents.
    pub static LEA = {
        id: "lea",
        label: "LEA",
        summary: "link-based entity-aware: importance of each entity times its resolved links",
        references: &["moosavi-strube-2016", "paun-2023"],
        parameters: &[
            ParameterSpec {
                name: "importance",
                values: &["size", "uniform", "mention-type", "entity-type", "table"],
                summary: "the weight of an entity: its size, 1, or weights by type",
            },
            ParameterSpec {
                name: "split",
                values: &["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"],
                summary: "the factor for the weight of an entity with a split antecedent",
            },
        ],
        counts_singletons: true,
        reference_scorer: Some("lea"),
    }
}

pub(crate) static METRIC: EntityMetric = EntityMetric {
    info: &LEA,
    tally,
    splits: Some(SplitRules { sets: tally, document, second: None }),
    shares: Some(MentionShare {
        summary: "(n − 1) / (|E| − 1), out of 1; with importance=uniform both divided by |E|; for a singleton 1 \
        if the other side has it as a singleton, otherwise 0",
        shares: |pair, metric, side| {
            let uniform = metric.value("importance") == 1;
            let weight = |size: u64| if uniform { size } else { 1 };
            let found = |cell: SidedCell| match (cell.own, cell.other) {
                (1, 1) => Share::ONE,
                (1, _) => Share::NOTHING,
                (size, _) => Share::of(cell.shared - 1, (size - 1) * weight(size)),
            };
            vec![of_cells(pair, side, found, |size| Share::of(1, weight(size)))]
        },
    }),
    entity_score: Some(
        "the share of its links that the response has; for a singleton, 1 if the response has it as a singleton, \
         otherwise 0",
    ),
    empty_entity: Some(0),
    self_links: true,
    ..EntityMetric::PLAIN
};

fn tally(pair: &AlignedEntities, metric: &Variant, into: &mut Tally) {
    // If no type has a weight, all types have the weight 1.
    let by = metric.by();
    let uniform = metric.value("importance") == 1 || by == ByType::EntityType;
    let recall = pair.recall_view();
    let precision = pair.precision_view();
    if let Some(weighed) = pair.weighed().filter(|_| by != ByType::One) {
        return add_weighed(recall, precision, weighed, metric, into);
    }
    let counts = &mut into.first;
    let sides = |cell: &OverlapCell| (cell.key, cell.response);
    add_side(
        &mut counts.recall_num,
        recall.cells(),
        sides,
        (recall.key_sizes(), recall.response_sizes()),
        uniform,
    );
    let sides = |cell: &OverlapCell| (cell.response, cell.key);
    add_side(
        &mut counts.precision_num,
        precision.cells(),
        sides,
        (precision.response_sizes(), precision.key_sizes()),
        uniform,
    );
    add_sizes(pair, uniform, counts);
}

/// Adds the counts with the importance of entities by type.
fn add_weighed(recall: &Overlap, precision: &Overlap, weighed: &Weighed, metric: &Variant, into: &mut Tally) {
    let by = metric.by();
    let (mention_scale, entity_scale) = weighed.scales(by);
    let scale = u128::from(mention_scale) * u128::from(entity_scale);
    let importance = |side: &WeighedSide, entity: u32| {
        let mentions = if by.mention_types() { side.mentions_of(entity, 0, by) } else { 1 };
        u128::from(side.entity(entity, by)) * u128::from(mentions)
    };
    let add = |num: &mut FractionSum,
               den: &mut FractionSum,
               side: &WeighedSide,
               sizes: &[u32],
               resolved: &[(u32, u64)]| {
        for &(entity, links) in resolved {
            let all = pairs(sizes[entity as usize].into()).max(1);
            num.add_ratio(Ratio::nearest(
                importance(side, entity) * u128::from(links),
                scale * u128::from(all),
            ));
        }
        (0..sizes.len() as u32)
            .for_each(|entity| den.add_ratio(Ratio::nearest(importance(side, entity), scale)));
    };
    // A singleton has one link to itself.
    let links = |cell: &OverlapCell, size: u32, other: u32| match size {
        1 => u64::from(other == 1),
        _ => pairs(cell.shared.into()),
    };
    let key_size = |view: &Overlap, cell: &OverlapCell| view.key_sizes()[cell.key as usize];
    let response_size = |view: &Overlap, cell: &OverlapCell| view.response_sizes()[cell.response as usize];
    let found: Vec<(u32, u64)> = recall
        .cells()
        .iter()
        .map(|cell| (cell.key, links(cell, key_size(recall, cell), response_size(recall, cell))))
        .collect();
    let right: Vec<(u32, u64)> = precision
        .cells()
        .iter()
        .map(|cell| (cell.response, links(cell, response_size(precision, cell), key_size(precision, cell))))
        .collect();
    let counts = &mut into.first;
    add(&mut counts.recall_num, &mut counts.recall_den, &weighed.key, recall.key_sizes(), &found);
    let sizes = precision.response_sizes();
    add(&mut counts.precision_num, &mut counts.precision_den, &weighed.response, sizes, &right);
}

fn add_side(
    sum: &mut FractionSum,
    cells: &[OverlapCell],
    sides: impl Fn(&OverlapCell) -> (u32, u32),
    (sizes, other_sizes): (&[u32], &[u32]),
    uniform: bool,
) {
    for cell in cells {
        let (entity, other) = sides(cell);
        let size = u64::from(sizes[entity as usize]);
        if size == 1 {
            sum.add_integer(i128::from(other_sizes[other as usize] == 1));
        } else if cell.shared > 1 {
            let resolved = u128::from(pairs(cell.shared.into()));
            // |K| · resolved / (|K| (|K| − 1) / 2) = 2 · resolved / (|K| − 1)
            match uniform {
                true => sum.add_fraction(resolved, pairs(size)),
                false => sum.add_fraction(2 * resolved, size - 1),
            }
        }
    }
}

/// Counts a document in which a link to a split antecedent counts the worth of the antecedent.
fn document(credited: &CreditedPair<'_>, metric: &Variant, into: &mut Tally) {
    let uniform = metric.value("importance") == 1;
    let times = f64::from(metric.value("split") + 1);
    let add = |sums: (&mut FractionSum, &mut FractionSum), cells: &[CreditedCell], side: &LeaSide<'_>| {
        let importance = |entity: usize| {
            let size = if uniform { 1.0 } else { f64::from(side.sizes[entity]) };
            if side.with_split.binary_search(&(entity as u32)).is_ok() { size * times } else { size }
        };
        for cell in cells {
            let size = side.sizes[cell.entity as usize];
            let (shared, credit) = (f64::from(cell.shared), cell.credit);
            let resolved = match size {
                1 if side.other_sizes[cell.other as usize] != 1 => 0.0,
                1 => shared + credit,
                _ => {
                    let links = f64::from(size) * (f64::from(size) - 1.0) / 2.0;
                    (shared * (shared - 1.0) / 2.0 + shared * credit) / links
                }
            };
            add_real(sums.0, importance(cell.entity as usize) * resolved.max(0.0));
        }
        for entity in 0..side.sizes.len() {
            add_real(sums.1, importance(entity));
        }
    };
    let (recall, precision) = (credited.pair.recall_view(), credited.pair.precision_view());
    let (key_splits, response_splits) = credited.entities_with_splits();
    let counts = &mut into.first;
    let key =
        LeaSide { sizes: recall.key_sizes(), other_sizes: recall.response_sizes(), with_split: key_splits };
    add((&mut counts.recall_num, &mut counts.recall_den), &credited.recall_cells(), &key);
    let response = LeaSide {
        sizes: precision.response_sizes(),
        other_sizes: precision.key_sizes(),
        with_split: response_splits,
    };
    add((&mut counts.precision_num, &mut counts.precision_den), &credited.precision_cells(), &response);
}

/// The entities of the counted side, and the entities of the other side.
struct LeaSide<'o> {
    sizes: &'o [u32],
    other_sizes: &'o [u32],
    with_split: &'o [u32],
}
