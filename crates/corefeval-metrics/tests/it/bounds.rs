//! Tests the bounds of unfinished searches, and the certificates of all searches.

use std::time::{Duration, Instant};

use corefeval_metrics::aligned::{AlignedEntities, align_entities};
use corefeval_metrics::assignment::{Bounds, Edge, Limit, Solver};
use corefeval_metrics::tally::Tally;
use corefeval_metrics::{CeafBound, EntityMetric, Variant};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// Generates a graph of up to `rows` by `rows` with about `degree` edges per row, with weights from 0.
    fn graph(&mut self, rows: u64, degree: u64, heaviest: u64) -> Vec<Edge<i64>> {
        let columns = if self.below(4) == 0 { 1 + self.below(2 * rows) } else { rows };
        let mut edge = || Edge {
            row: self.below(rows) as u32,
            column: self.below(columns) as u32,
            weight: (heaviest / 2 + self.below(heaviest.div_ceil(2) + 1)) as i64,
        };
        (0..rows * degree).map(|_| edge()).collect()
    }
}

fn now() -> Option<Instant> {
    Some(Instant::now())
}

/// Returns the weight of the pairs. Each pair is an edge, and no row or column occurs twice.
fn weight_of(edges: &[Edge<i64>], pairs: &[(u32, u32)]) -> i64 {
    let mut columns: Vec<u32> = pairs.iter().map(|pair| pair.1).collect();
    columns.sort_unstable();
    assert!(pairs.is_sorted_by(|a, b| a.0 < b.0) && columns.is_sorted_by(|a, b| a < b));
    let weight = |&(row, column): &(u32, u32)| {
        let same = edges.iter().filter(|edge| (edge.row, edge.column) == (row, column));
        same.map(|edge| edge.weight).max().expect("an edge")
    };
    pairs.iter().map(weight).sum()
}

/// On random small components, bounds contain the exact total for any limit. The lower bound is the weight of the
/// pairs, and the sum of the duals proves the upper bound.
#[test]
fn bounds_contain_the_total_of_ten_thousand_small_components() {
    let mut random = Random(18);
    let (mut solver, mut exact) = (Solver::new(), Solver::new());
    let mut open = 0;
    for case in 0..10_000 {
        let (rows, degree) = (1 + random.below(12), 1 + random.below(12));
        let heaviest = [1, 3, 10, 1_000, 1 << 40][case % 5];
        let edges = random.graph(rows, degree, heaviest);
        let total = exact.solve(&edges, &mut Vec::new());
        assert!(exact.certificate().covers(&edges) && exact.certificate().sum() == total, "{edges:?}");
        for limit in [
            Limit { slack: 0, until: now() },
            Limit { slack: random.below(heaviest + 1) as i64, until: None },
            Limit { slack: 0, until: None },
        ] {
            let mut pairs = Vec::new();
            let Bounds { lower, upper } = solver.bound(&edges, &mut pairs, &limit);
            assert!(lower <= total && total <= upper, "{lower} {total} {upper} {edges:?}");
            assert_eq!(weight_of(&edges, &pairs), lower);
            let certificate = solver.certificate();
            assert!(certificate.covers(&edges) && certificate.sum() == upper, "{edges:?}");
            if limit.until.is_none() {
                assert!(upper - lower <= limit.slack);
            }
            open += usize::from(lower < upper);
        }
    }
    assert!(open > 300, "only {open} searches stopped before their end");
}

/// Tests certificates of exact totals at every size, from one row to cores of 100,000 rows and 10⁶ edges that auctions
/// solve, with weights from one value to the many of CEAF φ4. Takes about six seconds.
#[test]
fn exact_totals_are_certified_at_every_size() {
    let mut random = Random(1);
    let mut solver = Solver::new();
    for size in [1, 2, 3, 5, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000] {
        for degree in [1, 2, 3, 5, 10] {
            for heaviest in [1, 7, 1 << 20, 1 << 40] {
                let edges = random.graph(size, degree, heaviest);
                let mut pairs = Vec::new();
                let total = solver.solve(&edges, &mut pairs);
                let certificate = solver.certificate();
                assert!(certificate.covers(&edges), "{size} {degree} {heaviest}");
                assert_eq!(certificate.sum(), total, "{size} {degree} {heaviest}");
            }
        }
    }
}

/// A certificate for other edges, or a smaller one, does not cover these edges.
#[test]
fn a_wrong_certificate_covers_nothing() {
    let edges = Random(3).graph(6, 4, 100);
    let mut solver = Solver::new();
    solver.solve(&edges, &mut Vec::new());
    let mut certificate = solver.certificate();
    let dual = certificate.rows.iter_mut().chain(&mut certificate.columns).find(|entry| entry.1 > 0);
    dual.expect("a dual above 0").1 -= 1;
    assert!(!certificate.covers(&edges));
    let mut negative = solver.certificate();
    negative.rows[0].1 = -1;
    assert!(!negative.covers(&[]));
}

fn tally(metric: &str, pair: &AlignedEntities) -> Tally {
    let metric = EntityMetric::of(metric).expect("a metric");
    let mut tally = Tally::default();
    metric.tally(pair, &Variant::new(metric.info), &mut tally);
    tally
}

/// Compares CEAF of random partitions within bounds with the exact score, as fractions.
#[test]
fn scores_are_between_their_bounds() {
    let mut random = Random(7);
    let mut open = 0;
    for case in 0..1_500 {
        let (mentions, entities) = (40 + random.below(120), 6 + random.below(14));
        let mut side = || {
            let mut side = vec![Vec::new(); entities as usize];
            (0..mentions).for_each(|mention| side[random.below(entities) as usize].push(mention as u32));
            side
        };
        let (key, response) = (side(), side());
        let mut pair = align_entities(&key, &response);
        let gap = [1, 20_000, 100_000][case % 3];
        for metric in ["ceaf_m", "ceaf_e"] {
            let row = EntityMetric::of(metric).expect("a metric");
            pair.set_ceaf_bound(None);
            let exact = tally(metric, &pair);
            assert!(row.upper_score(&exact).is_none());
            let score = exact.first.score();
            for bound in [
                CeafBound { gap: None, time: Some(Duration::ZERO) },
                CeafBound { gap: Some(gap), time: None },
                CeafBound { gap: Some(gap), time: Some(Duration::from_secs(3600)) },
            ] {
                pair.set_ceaf_bound(Some(bound));
                let found = tally(metric, &pair);
                let lower = found.first.score();
                let Some(upper) = row.upper_score(&found) else {
                    assert_eq!(lower, score);
                    continue;
                };
                open += 1;
                for (low, exact, high) in [
                    (lower.recall, score.recall, upper.recall),
                    (lower.precision, score.precision, upper.precision),
                    (lower.f1, score.f1, upper.f1),
                ] {
                    // These are doubles of fractions; the fractions themselves are compared below.
                    assert!(low <= exact + 1e-12 && exact <= high + 1e-12, "{low} {exact} {high}");
                    if bound.time.is_none_or(|time| !time.is_zero()) {
                        assert!(high - low <= f64::from(gap) / 1e6 + 1e-12, "{low} {high}");
                    }
                }
                let ratio = |sum: &corefeval_metrics::fraction::FractionSum| sum.to_ratio();
                let (low, best) = (ratio(&found.first.recall_num), ratio(&exact.first.recall_num));
                if let (Some(low), Some(best)) = (low, best) {
                    assert!(low.0 * best.1 <= best.0 * low.1, "a map better than the best one");
                }
            }
        }
    }
    assert!(open > 300, "only {open} scores have bounds");
}

/// Bounds of documents add up: the excess of the sum is the sum of the excesses.
#[test]
fn bounds_add_up_over_documents() {
    let mut random = Random(11);
    let mut sum = Tally::default();
    let mut exact = Tally::default();
    for _ in 0..50 {
        let mut side = || {
            let mut side = vec![Vec::new(); 6];
            (0..40_u32).for_each(|mention| side[random.below(6) as usize].push(mention));
            side
        };
        let mut pair = align_entities(&side(), &side());
        exact.add(&tally("ceaf_e", &pair));
        pair.set_ceaf_bound(Some(CeafBound { gap: None, time: Some(Duration::ZERO) }));
        sum.add(&tally("ceaf_e", &pair));
    }
    let row = EntityMetric::of("ceaf_e").expect("a metric");
    let upper = row.upper_score(&sum).expect("bounds");
    let (lower, score) = (sum.first.score(), exact.first.score());
    assert!(lower.f1 < score.f1 && score.f1 < upper.f1, "{} {} {}", lower.f1, score.f1, upper.f1);
}
