//! The contribution of a single mention to a metric's counts, for scores by groups of mentions.
//!
//! Every count of these metrics is a sum over the mentions of one side: of the key for recall, of the response for
//! precision. Groups of mentions therefore have their own counts, which add up to the counts of the corpus. Each
//! mention of a link gets half of it; a count of a whole entity is divided equally among its mentions.

use crate::Side;
use crate::aligned::AlignedEntities;
use crate::fraction::gcd;
use crate::info::Variant;
use crate::overlap::{Overlap, OverlapCell, View};

/// The contribution of a mention to the counts of a metric.
pub struct MentionShare {
    /// The contribution of a mention to numerator and denominator, in one line: E is its entity, and n the number of
    /// mentions that E shares with the other side's entity that contains the mention (0 if none does).
    pub summary: &'static str,
    /// Returns the contributions for one side, by half.
    pub(crate) shares: fn(&AlignedEntities, &Variant, Side) -> Vec<Shares>,
}

/// The contribution of each mention of a side to one pair of counts.
#[derive(Clone, Debug)]
pub struct Shares {
    /// The table of shared mentions from which they follow.
    pub view: View,
    /// The contribution of a shared mention to the numerator, by cell of the view.
    pub found: Vec<Share>,
    /// For a metric that pairs entities: true for each cell that the map contains. The mentions of other cells
    /// contribute nothing.
    pub chosen: Option<Vec<bool>>,
    /// The share of a mention in the denominator.
    pub all: All,
}

impl Shares {
    /// Returns the contribution of a shared mention of a cell to the numerator.
    pub fn of_cell(&self, place: usize) -> Share {
        let counts = self.chosen.as_ref().is_none_or(|chosen| chosen[place]);
        if counts { self.found[place] } else { Share::NOTHING }
    }
}

/// The share of a mention in the denominator.
#[derive(Clone, Debug)]
pub enum All {
    /// Shares by entity, numbered as on its side.
    OfEntities(Vec<Share>),
    /// Shares by cell of the view; only shared mentions count.
    OfCells(Vec<Share>),
}

/// A fraction as a pair of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The numerator.
    pub numerator: u64,
    /// The denominator.
    pub denominator: u64,
}

impl Share {
    /// The share 0.
    pub(crate) const NOTHING: Share = Share { numerator: 0, denominator: 1 };

    /// The share 1.
    pub(crate) const ONE: Share = Share { numerator: 1, denominator: 1 };

    /// Creates a fraction; 0 if the denominator is 0.
    pub(crate) fn of(numerator: u64, denominator: u64) -> Share {
        if denominator == 0 { Share::NOTHING } else { Share { numerator, denominator } }
    }

    /// Returns half of an integer.
    pub(crate) fn half(number: u64) -> Share {
        Share::of(number, 2)
    }
}

/// A cell from the point of view of one side.
#[derive(Clone, Copy)]
pub(crate) struct SidedCell {
    /// The size of the entity of this side.
    pub(crate) own: u64,
    /// The size of the entity of the other side.
    pub(crate) other: u64,
    /// The number of mentions in common.
    pub(crate) shared: u64,
}

/// Returns the table in which the mentions of a side are looked up.
pub(crate) fn own_view(side: Side) -> View {
    match side {
        Side::Key => View::Recall,
        Side::Response => View::Precision,
    }
}

fn own_sizes(overlap: &Overlap, side: Side) -> &[u32] {
    match side {
        Side::Key => overlap.key_sizes(),
        Side::Response => overlap.response_sizes(),
    }
}

fn sided(overlap: &Overlap, cell: &OverlapCell, side: Side) -> SidedCell {
    let (key, response) =
        (overlap.key_sizes()[cell.key as usize], overlap.response_sizes()[cell.response as usize]);
    let (own, other) = match side {
        Side::Key => (key, response),
        Side::Response => (response, key),
    };
    SidedCell { own: own.into(), other: other.into(), shared: cell.shared.into() }
}

/// Computes shares from the sizes of a cell and of an entity, in the side's own view.
pub(crate) fn of_cells(
    pair: &AlignedEntities,
    side: Side,
    found: impl Fn(SidedCell) -> Share,
    all: impl Fn(u64) -> Share,
) -> Shares {
    of_view(pair, side, own_view(side), |_, cell| found(cell), all)
}

/// Computes shares from the position and the sizes of a cell, and from the size of an entity.
pub(crate) fn of_view(
    pair: &AlignedEntities,
    side: Side,
    view: View,
    found: impl Fn(usize, SidedCell) -> Share,
    all: impl Fn(u64) -> Share,
) -> Shares {
    let overlap = pair.view(view);
    let cells = overlap.cells().iter().enumerate();
    let found = cells.map(|(place, cell)| found(place, sided(overlap, cell, side))).collect();
    let sizes = own_sizes(pair.view(own_view(side)), side).iter();
    Shares { view, found, chosen: None, all: All::OfEntities(sizes.map(|&size| all(size.into())).collect()) }
}

/// Returns half of each coreference link, with common links as `view` counts them.
pub(crate) fn links(pair: &AlignedEntities, side: Side, view: View) -> Shares {
    of_view(pair, side, view, |_, cell| Share::half(cell.shared - 1), |size| Share::half(size - 1))
}

/// Returns, for each cell, the number of pairs of one of its mentions with common mentions that are outside its
/// entity on both sides.
pub(crate) fn apart_on_both(overlap: &Overlap) -> Vec<u64> {
    let shared = overlap.shared_mentions();
    let key: Vec<u64> = overlap.key_shared().map(u64::from).collect();
    let response = overlap.response_shared();
    let apart = |cell: &OverlapCell| {
        let together = key[cell.key as usize] + u64::from(response[cell.response as usize]);
        shared + u64::from(cell.shared) - together
    };
    overlap.cells().iter().map(apart).collect()
}

/// Returns the score of each key entity for a metric whose counts are sums over mentions: the ratio of the counts of
/// its mentions. The score is `None` for an entity without counts.
pub(crate) fn entity_scores(pair: &AlignedEntities, shares: &Shares) -> Vec<Option<f64>> {
    let All::OfEntities(all) = &shares.all else { return Vec::new() };
    let sizes = pair.recall_view().key_sizes();
    let mut found = vec![(0, 1); all.len()];
    for (place, cell) in pair.view(shares.view).cells().iter().enumerate() {
        let share = shares.of_cell(place);
        let sum = &mut found[cell.key as usize];
        *sum = add_fractions(
            *sum,
            (u128::from(cell.shared) * u128::from(share.numerator), share.denominator.into()),
        );
    }
    let score = |(((numerator, denominator), all), &size): (((u128, u128), &Share), &u32)| {
        // There is a single division of integers, so that the result is the nearest double.
        let part = numerator * u128::from(all.denominator);
        let whole = denominator * u128::from(size) * u128::from(all.numerator);
        (whole > 0).then(|| part as f64 / whole as f64)
    };
    found.into_iter().zip(all).zip(sizes).map(score).collect()
}

/// Returns the sum of two fractions, in lowest terms. The shares of one entity have few different denominators.
fn add_fractions((a, b): (u128, u128), (c, d): (u128, u128)) -> (u128, u128) {
    let (numerator, denominator) = (a * d + c * b, b * d);
    let shared = gcd(numerator, denominator);
    (numerator / shared, denominator / shared)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aligned::align_entities;
    use crate::entity_metrics::ENTITY_METRICS;
    use crate::metric::EntityMetric;
    use crate::tally::Tally;

    #[test]
    fn entity_scores_follow_from_shares() {
        let pair = align_entities(&[vec![0, 1]], &[vec![0, 1]]);
        for metric in ENTITY_METRICS {
            let wanted: &[Option<f64>] = if metric.entity_score.is_some() { &[Some(1.0)] } else { &[] };
            assert_eq!(metric.entity_scores(&pair), wanted, "{}", metric.info.id);
        }
    }

    /// Key {a b c} {d e f g} {h}, response {a b} {c d} {f g i j} {h}.
    #[test]
    fn by_hand() {
        let key = [vec![0, 1, 2], vec![3, 4, 5, 6], vec![7]];
        let response = [vec![0, 1], vec![2, 3], vec![5, 6, 8, 9], vec![7]];
        let pair = align_entities(&key, &response);
        let wanted: [(&str, [Option<f64>; 3]); 7] = [
            ("mentions", [Some(1.0), Some(0.75), Some(1.0)]),
            ("muc", [Some(0.5), Some(1.0 / 3.0), None]),
            ("b_cubed", [Some(5.0 / 9.0), Some(5.0 / 16.0), Some(1.0)]),
            ("ceaf_m", [Some(2.0 / 3.0), Some(0.5), Some(1.0)]),
            ("ceaf_e", [Some(0.8), Some(0.5), Some(1.0)]),
            ("lea", [Some(1.0 / 3.0), Some(1.0 / 6.0), Some(1.0)]),
            ("pairwise", [Some(1.0 / 3.0), Some(1.0 / 6.0), None]),
        ];
        for (id, scores) in wanted {
            let found = EntityMetric::of(id).expect("a metric").entity_scores(&pair);
            for (found, wanted) in found.iter().zip(scores) {
                let close = match (found, wanted) {
                    (Some(found), Some(wanted)) => (found - wanted).abs() < 1e-12,
                    (found, wanted) => found.is_none() && wanted.is_none(),
                };
                assert!(close, "{id}: {found:?} and {wanted:?}");
            }
        }
    }

    /// The recall of a metric is the mean of its entities' scores with the weights of the metric.
    #[test]
    fn entities_make_up_recall() {
        let mut state = 1_u64;
        let mut below = |limit: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % limit
        };
        for _ in 0..200 {
            let mut side = || {
                let mut entities = vec![Vec::new(); 6];
                (0..24).for_each(|mention| match below(7) {
                    6 => {}
                    entity => entities[entity as usize].push(mention),
                });
                entities
            };
            let pair = align_entities(&side(), &side());
            type WeightOfSize = fn(f64) -> f64;
            let weights: [(&str, WeightOfSize); 7] = [
                ("mentions", |size| size),
                ("muc", |size| size - 1.0),
                ("b_cubed", |size| size),
                ("ceaf_m", |size| size),
                ("ceaf_e", |_| 1.0),
                ("lea", |size| size),
                ("pairwise", |size| size * (size - 1.0) / 2.0),
            ];
            for (id, weight) in weights {
                let metric = EntityMetric::of(id).expect("a metric");
                let scores = metric.entity_scores(&pair);
                let sizes = pair.recall_view().key_sizes().iter().map(|&size| weight(f64::from(size)));
                let (mut found, mut all) = (0.0, 0.0);
                for (score, weight) in scores.iter().zip(sizes) {
                    found += weight * score.unwrap_or(0.0);
                    all += weight;
                }
                let mut tally = Tally::default();
                metric.tally(&pair, &Variant::new(metric.info), &mut tally);
                let recall = tally.first.score().recall;
                assert!((found / all - recall).abs() < 1e-9, "{id}: {} and {recall}", found / all);
            }
        }
    }
}
