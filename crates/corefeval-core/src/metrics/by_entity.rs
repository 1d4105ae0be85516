//! What a metric gives to a single entity of the key, as Lin et al. (2010) correlate metrics entity by entity.

use super::{FIXED_POINT, Metric, pairs};
use crate::error::{Error, ErrorKind, Result};
use crate::matching::assignment::{Edge, maximum_weight};
use crate::overlap::{AlignedPair, Cell, Overlap};

/// One row of the table of entity scores.
pub struct EntityScore {
    /// The metric.
    pub id: &'static str,
    /// The score of a key entity K, in a line.
    pub summary: &'static str,
    scores: fn(&AlignedPair) -> Vec<Option<f64>>,
}

/// The metrics that have a score for each key entity: its share in recall, without the weight of the entity, so that
/// parameters that weigh entities do not matter.
///
/// CEAF's are those of one best map; where several maps are as good, entities may do better in another.
pub static ENTITY_SCORES: &[EntityScore] = &[
    EntityScore {
        id: "mentions",
        summary: "the share of its mentions that the response has",
        scores: |pair| {
            by_row(pair.recall_view(), |size, row| Some(sum(row, |cell| f64::from(cell.shared)) / size))
        },
    },
    EntityScore {
        id: "muc",
        summary: "(|K| − |p(K)|) / (|K| − 1); none of a singleton",
        scores: |pair| {
            by_row(pair.recall_view(), |size, row| {
                (size > 1.0).then(|| sum(row, |cell| f64::from(cell.shared - 1)) / (size - 1.0))
            })
        },
    },
    EntityScore {
        id: "b_cubed",
        summary: "the mean recall of its mentions, Σ |K ∩ R|² / |K|²",
        scores: |pair| {
            let square = |cell: &Cell| f64::from(cell.shared) * f64::from(cell.shared);
            by_row(pair.recall_view(), |size, row| Some(sum(row, square) / (size * size)))
        },
    },
    EntityScore {
        id: "ceaf_m",
        summary: "|K ∩ R| / |K| with the R that the best map gives it",
        scores: |pair| {
            aligned(pair, |cell, _| i128::from(cell.shared), |cell, (key, _)| f64::from(cell.shared) / key)
        },
    },
    EntityScore {
        id: "ceaf_e",
        summary: "φ4(K, R) with the R that the best map gives it",
        scores: |pair| {
            let phi =
                |cell: &Cell, (key, response): (f64, f64)| 2.0 * f64::from(cell.shared) / (key + response);
            let weight =
                |cell: &Cell, sizes: (f64, f64)| (phi(cell, sizes) * FIXED_POINT as f64).round() as i128;
            aligned(pair.ceaf_e_view(), weight, phi)
        },
    },
    EntityScore {
        id: "lea",
        summary: "the share of its links that the response has; of a singleton, whether it is one there",
        scores: |pair| {
            let overlap = pair.recall_view();
            by_row(overlap, |size, row| {
                let alone = |cell: &Cell| overlap.response_sizes()[cell.response as usize] == 1;
                Some(match size > 1.0 {
                    true => found_links(size, row),
                    false => f64::from(row.iter().any(alone)),
                })
            })
        },
    },
    EntityScore {
        id: "pairwise",
        summary: "the share of its links that the response has; none of a singleton",
        scores: |pair| by_row(pair.recall_view(), |size, row| (size > 1.0).then(|| found_links(size, row))),
    },
    EntityScore {
        id: "cone_b_cubed",
        summary: "that of b_cubed for its named mentions; none without any",
        scores: |pair| of_named(pair, "b_cubed"),
    },
    EntityScore {
        id: "cone_ceaf",
        summary: "that of ceaf_m for its named mentions; none without any",
        scores: |pair| of_named(pair, "ceaf_m"),
    },
];

/// The scores that the pair of named mentions gives to those entities of the key that have any.
fn of_named(pair: &AlignedPair, id: &str) -> Vec<Option<f64>> {
    let mut scores = vec![None; pair.recall_view().key_sizes().len()];
    let row = ENTITY_SCORES.iter().find(|row| row.id == id);
    let named = pair.named_view().zip(row).map(|(named, row)| row.scores(named)).unwrap_or_default();
    for (&entity, score) in pair.named_entities().iter().zip(named) {
        if let Some(place) = scores.get_mut(entity as usize) {
            *place = score;
        }
    }
    scores
}

impl EntityScore {
    /// That of a metric.
    pub fn of(metric: &Metric) -> Result<&'static EntityScore> {
        ENTITY_SCORES.iter().find(|row| row.id == metric.spec().id).ok_or_else(|| {
            let message = format!("`{metric}` gives no score to a single entity");
            let ids: Vec<&str> = ENTITY_SCORES.iter().map(|row| row.id).collect();
            Error::new(ErrorKind::Settings, message).hint(format!("those that do are {}", ids.join(", ")))
        })
    }

    /// For each key entity its score, none where there is nothing to count. Split antecedents count as members that
    /// nobody found.
    pub fn scores(&self, pair: &AlignedPair) -> Vec<Option<f64>> {
        (self.scores)(pair)
    }
}

fn sum(row: &[Cell], of: impl Fn(&Cell) -> f64) -> f64 {
    row.iter().map(of).sum()
}

fn found_links(size: f64, row: &[Cell]) -> f64 {
    sum(row, |cell| pairs(u64::from(cell.shared)) as f64) / (size * (size - 1.0) / 2.0)
}

fn by_row(overlap: &Overlap, score: impl Fn(f64, &[Cell]) -> Option<f64>) -> Vec<Option<f64>> {
    let sizes = (0..).zip(overlap.key_sizes());
    sizes.map(|(entity, &size)| score(f64::from(size), overlap.row(entity))).collect()
}

/// The value of the cell that the best map gives each key entity, and 0 where it gives none.
fn aligned(
    pair: &AlignedPair,
    weight: impl Fn(&Cell, (f64, f64)) -> i128,
    value: impl Fn(&Cell, (f64, f64)) -> f64,
) -> Vec<Option<f64>> {
    let overlap = pair.similarity_view();
    let (keys, responses) = (overlap.key_sizes(), overlap.response_sizes());
    let sizes =
        |cell: &Cell| (f64::from(keys[cell.key as usize]), f64::from(responses[cell.response as usize]));
    let cells = overlap.cells();
    let edge = |cell: &Cell| Edge { row: cell.key, column: cell.response, weight: weight(cell, sizes(cell)) };
    let edges: Vec<Edge<i128>> = cells.iter().map(edge).collect();
    let chosen = maximum_weight(keys.len(), responses.len(), &edges).pairs;
    let mut scores = vec![Some(0.0); keys.len()];
    for (key, response) in chosen {
        let cell = overlap.row(key).iter().find(|cell| cell.response == response);
        scores[key as usize] = cell.map(|cell| value(cell, sizes(cell)));
    }
    scores
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::METRICS;
    use crate::overlap::align_entities;
    use crate::settings::Rules;
    use crate::tally::Tally;

    #[test]
    fn rows_are_of_metrics() {
        for row in ENTITY_SCORES {
            let spec = METRICS.iter().find(|spec| spec.id == row.id).expect("a metric");
            assert!(EntityScore::of(&Metric::new(spec)).is_ok() && !row.summary.is_empty());
        }
        // Key {a b c} {d e}, of which b, c and d are names; response {a b c d} {e}.
        let pair = align_entities(&[vec![0, 1, 2], vec![3, 4]], &[vec![0, 1, 2, 3], vec![4]]);
        let named = align_entities(&[vec![1, 2], vec![3]], &[vec![1, 2, 3]]);
        let alone = align_entities(&[vec![3]], &[vec![3]]);
        let scores = |id: &str, pair: &AlignedPair| {
            EntityScore::of(&Metric::parse(id).expect("a metric")).expect("a row").scores(pair)
        };
        let both = pair.with_named(named, vec![0, 1]);
        assert_eq!(scores("cone_b_cubed", &both), [Some(1.0), Some(1.0)]);
        assert_eq!(scores("cone_ceaf", &both), [Some(1.0), Some(0.0)]);
        let last = both.with_named(alone, vec![1]);
        assert_eq!(scores("cone_ceaf", &last), [None, Some(1.0)]);
        let error = EntityScore::of(&Metric::parse("blanc").expect("a metric")).err().expect("it has none");
        assert!(error.remedy().is_some_and(|remedy| remedy.contains("b_cubed")), "{error}");
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
            let found = EntityScore::of(&Metric::parse(id).expect("a metric")).expect("a row").scores(&pair);
            for (found, wanted) in found.iter().zip(scores) {
                let close = match (found, wanted) {
                    (Some(found), Some(wanted)) => (found - wanted).abs() < 1e-12,
                    (found, wanted) => found.is_none() && wanted.is_none(),
                };
                assert!(close, "{id}: {found:?} and {wanted:?}");
            }
        }
    }

    /// The metric's recall is the mean of its entities' scores with the metric's weights.
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
            type Weight = fn(f64) -> f64;
            let weights: [(&str, Weight); 7] = [
                ("mentions", |size| size),
                ("muc", |size| size - 1.0),
                ("b_cubed", |size| size),
                ("ceaf_m", |size| size),
                ("ceaf_e", |_| 1.0),
                ("lea", |size| size),
                ("pairwise", |size| size * (size - 1.0) / 2.0),
            ];
            for (id, weight) in weights {
                let metric = Metric::parse(id).expect("a metric");
                let scores = EntityScore::of(&metric).expect("a row").scores(&pair);
                let sizes = pair.recall_view().key_sizes().iter().map(|&size| weight(f64::from(size)));
                let (mut found, mut all) = (0.0, 0.0);
                for (score, weight) in scores.iter().zip(sizes) {
                    found += weight * score.unwrap_or(0.0);
                    all += weight;
                }
                let mut tally = Tally::default();
                metric.tally(&pair, &mut tally);
                let recall = metric.score(&tally, &Rules::default()).recall;
                assert!((found / all - recall).abs() < 1e-9, "{id}: {} and {recall}", found / all);
            }
        }
    }
}
