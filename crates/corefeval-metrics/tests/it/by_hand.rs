//! Results computed by hand: exact fractions at their limits, split antecedents, repeated mentions, weights, best maps
//! with large denominators, agreement expected by chance, and CEAF of any objects.

use std::collections::BTreeMap;

use corefeval_metrics::aligned::{
    AlignedEntities, CopiesInKey, MentionCounts, SetCounts, SetLinks, align_entities,
};
use corefeval_metrics::assignment::{Bounds, Edge, Limit, Solver};
use corefeval_metrics::fraction::{FractionSum, Ratio, gcd};
use corefeval_metrics::overlap::{Overlap, OverlapCell};
use corefeval_metrics::shares::{All, Share, Shares};
use corefeval_metrics::splits::{SplitMember, SplitTable};
use corefeval_metrics::tally::{Counts, Score, Tally};
use corefeval_metrics::weighed::{TypeSimilarity, Weighed, WeighedSide};
use corefeval_metrics::{
    EntityMetric, Halves, Rules, Side, Variant, align, ceaf_of_objects, ceaf_with, score,
};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};

use crate::random::Rng;
use crate::twins::Fraction;

fn fraction(numerator: impl Into<BigInt>, denominator: impl Into<BigInt>) -> Fraction {
    Fraction::new(numerator.into(), denominator.into())
}

fn whole(number: impl Into<BigInt>) -> Fraction {
    Fraction::from_integer(number.into())
}

/// Returns the value of a sum, computed from its terms.
fn value(sum: &FractionSum) -> Fraction {
    let (first, parts) = sum.terms();
    parts.fold(whole(first), |sum, (numerator, denominator)| sum + fraction(numerator, denominator))
}

fn ratio(sum: &FractionSum) -> (i128, i128) {
    sum.to_ratio().expect("a small denominator")
}

/// Returns the sum of fractions, each given as numerator and denominator.
fn sum_of(fractions: &[(u128, u64)]) -> FractionSum {
    let mut sum = FractionSum::default();
    fractions.iter().for_each(|&(numerator, denominator)| sum.add_fraction(numerator, denominator));
    sum
}

/// Parses a metric with its parameters.
fn variant(metric: &str) -> (&'static EntityMetric, Variant) {
    let mut fields = metric.split(':');
    let row = EntityMetric::of(fields.next().expect("an id")).expect("a metric");
    let mut variant = Variant::new(row.info);
    fields.for_each(|field| variant.set(field).expect("a parameter"));
    (row, variant)
}

/// Returns the numerators and denominators of recall and of precision.
fn ratios(counts: &Counts) -> [(i128, i128); 4] {
    [&counts.recall_num, &counts.recall_den, &counts.precision_num, &counts.precision_den].map(ratio)
}

/// Returns the counts of a metric, including its parameters.
fn tally(metric: &str, pair: &AlignedEntities) -> Tally {
    let (row, variant) = variant(metric);
    let mut tally = Tally::default();
    row.tally(pair, &variant, &mut tally);
    tally
}

/// Generates a number of any size up to the largest of 64 bits; small numbers are as frequent as large ones.
fn of_any_size(random: &mut Rng) -> u64 {
    let bits = random.below(65);
    let limit = if bits == 64 { u64::MAX } else { 1 << bits };
    random.below(limit)
}

/// 3 + 1/2 + 1/100 minus (1 + 1/3 + 3/100) is 161/75.
#[test]
fn a_difference_borrows_from_whole_numbers() {
    let mut sum = sum_of(&[(7, 2), (1, 100)]);
    sum.subtract(&sum_of(&[(4, 3), (3, 100)]));
    assert_eq!(ratio(&sum), (161, 75));
    sum.subtract(&sum_of(&[(322, 75)]));
    assert_eq!(ratio(&sum), (-161, 75));
    let same = sum.clone();
    sum.subtract(&same);
    assert!(sum.is_zero());
    assert_eq!(ratio(&sum), (0, 1));
}

/// Compares sums and differences of fractions of every size with fractions of unlimited integers.
#[test]
fn sums_and_differences_are_exact_at_every_size() {
    let mut random = Rng(5);
    for round in 0..2_000 {
        let mut sums = [FractionSum::default(), FractionSum::default()];
        let mut wanted = [Fraction::zero(), Fraction::zero()];
        for (sum, wanted) in sums.iter_mut().zip(&mut wanted) {
            for _ in 0..random.below(12) {
                let denominator = match random.below(3) {
                    0 => 1 + random.below(70),
                    1 => 1 + random.below(200_000),
                    _ => 1 + of_any_size(&mut random) / 2,
                };
                let high = if random.below(4) == 0 { u128::from(random.below(1 << 40)) << 64 } else { 0 };
                let numerator = high + u128::from(of_any_size(&mut random));
                sum.add_fraction(numerator, denominator);
                *wanted += fraction(numerator, denominator);
            }
        }
        let [mut sum, other] = sums;
        let [mut exact, wanted_other] = wanted;
        if round % 2 == 0 {
            sum.add(&other);
            exact += wanted_other;
        } else {
            sum.subtract(&other);
            exact -= wanted_other;
        }
        assert_eq!(value(&sum), exact);
        let parts: Vec<(u64, u64)> = sum.terms().1.collect();
        assert!(parts.iter().all(|(numerator, denominator)| 0 < *numerator && numerator < denominator));
        assert!(parts.is_sorted_by(|one, next| one.1 < next.1), "{parts:?}");
        if let Some((numerator, denominator)) = sum.to_ratio() {
            assert_eq!((&numerator.into(), &denominator.into()), (exact.numer(), exact.denom()));
        } else {
            let common =
                parts.iter().fold(BigInt::from(1), |common, part| num_integer::lcm(common, part.1.into()));
            assert!(common.bits() > 126 || exact.numer().bits() > 126, "{common}");
        }
        let double = exact.to_f64().expect("a double");
        assert!((sum.to_f64() - double).abs() <= 1e-15 * double.abs().max(1.0), "{sum:?}");
        let mut text = String::new();
        sum.write(&mut text);
        let again = FractionSum::read(&text).expect("what was written");
        let (first, rest) = again.terms();
        assert_eq!((first, rest.collect::<Vec<_>>()), (sum.terms().0, parts), "{text}");
    }
}

/// Large denominators are reduced to lowest terms, so that 2/140000 and 1/70000 are one term.
#[test]
fn large_denominators_are_kept_in_lowest_terms() {
    let sum = sum_of(&[(2, 140_000), (1, 70_000), (6, 1 << 40), (3 << 30, 3 << 40)]);
    let parts: Vec<(u64, u64)> = sum.terms().1.collect();
    assert_eq!(parts, [(1, 1 << 10), (2, 70_000), (3, 1 << 39)]);
    // Denominators up to 2¹⁶ are not reduced.
    assert_eq!(sum_of(&[(2, 1 << 16)]).terms().1.collect::<Vec<_>>(), [(2, 1 << 16)]);
}

#[test]
fn a_fraction_of_equal_numbers_is_one() {
    for denominator in [1, 63, 64, 1 << 16, 140_000, u64::MAX] {
        let mut sum =
            sum_of(&[(denominator.into(), denominator), (u128::from(denominator) << 64, denominator)]);
        assert_eq!((sum.to_integer(), sum.terms().1.count()), (Some(1 + (1 << 64)), 0), "{denominator}");
        sum.add_fraction(0, denominator);
        assert_eq!(sum.terms().1.count(), 0, "{denominator}");
    }
}

/// The product of 2⁶³ and 2⁶³ − 1 has 126 bits; the product of 2⁶³ and 2⁶³ + 1 has one more.
#[test]
fn common_denominators_of_126_bits_are_the_largest() {
    let fits = sum_of(&[(1, 1 << 63), (1, (1 << 63) - 1)]);
    assert_eq!(fits.to_ratio(), Some(((1 << 64) - 1, (1 << 126) - (1 << 63))));
    assert_eq!(sum_of(&[(1, 1 << 63), (1, (1 << 63) + 1)]).to_ratio(), None);
    assert_eq!(sum_of(&[(1, 1 << 60), (1, 1 << 61)]).to_ratio(), Some((3, 1 << 61)));
}

/// 1/2 + 3/2⁵⁴ is in the middle between two doubles. A half made of a third and a sixth is truncated just below it,
/// and must give the same double.
#[test]
fn equal_sums_are_the_same_double() {
    let plain = sum_of(&[(1, 2), (3, 1 << 54)]);
    let split = sum_of(&[(1, 3), (1, 6), (3, 1 << 54)]);
    assert_eq!(ratio(&plain), ratio(&split));
    assert_eq!(split.to_f64().to_bits(), plain.to_f64().to_bits());
    // The result is the even one of the two doubles.
    assert_eq!(plain.to_f64(), 0.5 + f64::EPSILON);
    // 1/(2⁶⁰ − 129), whose digits end in 129 at 2⁻¹²⁰, and the sum of two fractions, which are truncated to digits that
    // end in 128. Both are in the middle between two doubles.
    let (one, other) = (113_u64, ((1 << 60) - 129) / 113);
    let inverse = |of: u64, modulus: u64| {
        let (of, modulus) = (i128::from(of), i128::from(modulus));
        num_integer::Integer::extended_gcd(&of, &modulus).x.rem_euclid(modulus) as u128
    };
    let mut split = sum_of(&[(inverse(other, one), one), (inverse(one, other), other)]);
    split.add_integer(-1);
    let plain = sum_of(&[(1, (1 << 60) - 129)]);
    assert_eq!(ratio(&split), (1, (1 << 60) - 129));
    assert_eq!(split.to_f64().to_bits(), plain.to_f64().to_bits());
}

/// Fractions far below the precision of 64 bits keep their own precision, individually and together.
#[test]
fn tiny_fractions_are_as_precise_as_others() {
    for denominator in [(1_u64 << 61) - 1, 1 << 62, (1 << 63) + 9, u64::MAX] {
        let one = sum_of(&[(1, denominator)]).to_f64();
        assert!((one * denominator as f64 - 1.0).abs() < 1e-15, "1/{denominator}: {one:e}");
        let fractions: Vec<(u128, u64)> = (0..25).map(|less| (1, denominator - 2 * less)).collect();
        let sum = sum_of(&fractions).to_f64();
        assert!((sum * denominator as f64 / 25.0 - 1.0).abs() < 1e-15, "25/{denominator}: {sum:e}");
    }
    let sum = sum_of(&[(5, 1), (3, 4)]);
    assert_eq!(sum.to_f64(), 5.75);
    assert_eq!(format!("{sum}"), "23/4");
}

/// Ratios with large denominators are the nearest multiple of 2⁻⁶²; others are exact.
#[test]
fn ratios_are_exact_or_the_nearest_of_62_bits() {
    let one = 1_u64 << 62;
    // A ratio just above a half, and a third with large terms.
    assert_eq!(Ratio::nearest(1 << 63, (1 << 64) - 1).times(one), 1 << 61);
    assert_eq!(Ratio::nearest(1 << 80, 3 << 80).times(3), 1);
    let mut random = Rng(8);
    for _ in 0..5_000 {
        let denominator =
            u128::from(1 + of_any_size(&mut random) / 2) * u128::from(1 + of_any_size(&mut random) / 4);
        let numerator = u128::from(of_any_size(&mut random)) * u128::from(1 + random.below(1 << 20));
        let found = Ratio::nearest(numerator, denominator);
        if numerator / denominator >= 1 << 60 {
            continue;
        }
        let scaled = BigInt::from(found.times(one));
        let off = (scaled * BigInt::from(denominator) - BigInt::from(numerator) * one).abs();
        assert!(off * 2 <= BigInt::from(denominator), "{numerator}/{denominator}");
        let lowest = denominator / gcd(numerator, denominator).max(1);
        if numerator > 0 && lowest <= u128::from(one) {
            assert_eq!(format!("{found}"), {
                let top = numerator / gcd(numerator, denominator);
                if lowest == 1 { format!("{top}") } else { format!("{top}/{lowest}") }
            });
        }
    }
}

/// Compares comparisons, limits and scales of ratios with fractions of unlimited integers.
#[test]
fn ratios_compare_and_scale_as_fractions_do() {
    let mut random = Rng(13);
    let mut ratio = || {
        let (numerator, denominator) = match random.below(3) {
            0 => (random.below(8), 1 + random.below(8)),
            1 => (of_any_size(&mut random) >> 20, 1 + (of_any_size(&mut random) >> 20)),
            _ => {
                let denominator = 1 + (of_any_size(&mut random) >> 2);
                (denominator - random.below(denominator.min(3)), denominator)
            }
        };
        (Ratio::new(numerator, denominator).expect("a denominator"), fraction(numerator, denominator))
    };
    let large = |rest: u128| Ratio::nearest((1 << 100) + rest, 1 << 40);
    assert!(large(1) < large(3) && large(1) == large(1));
    for _ in 0..20_000 {
        let ((one, exact), (other, wanted)) = (ratio(), ratio());
        assert_eq!(one.cmp(&other), exact.cmp(&wanted), "{one} {other}");
        assert_eq!(one.partial_cmp(&other), exact.partial_cmp(&wanted));
        for most in [0, 1, 2, 3, 7, 1 << 20] {
            assert_eq!(one.is_at_most(most), exact <= whole(most), "{one} {most}");
        }
        let scale = Ratio::common_scale([one, other].into_iter());
        let common = num_integer::lcm(exact.denom().clone(), wanted.denom().clone());
        let limit = BigInt::from(1_u64 << 62);
        assert_eq!(BigInt::from(scale), if common <= limit { common } else { limit });
        for scale in [1, 2, 3, 1_000, scale] {
            let off = whole(one.times(scale)) - exact.clone() * whole(scale);
            assert!(off.abs() * whole(2) <= whole(1), "{one} {scale}");
        }
    }
}

/// Adjusted Rand of {a b c} {d e} and {a b} {c d e}: each side has 4 of 10 pairs, so 8/5 are expected by chance.
#[test]
fn agreement_by_chance_is_the_product_of_both_shares() {
    let pair = align(&["abc", "de"].map(chars), &["ab", "cde"].map(chars)).expect("no mention is repeated");
    let metric = EntityMetric::of("adjusted_rand").expect("a metric");
    let found = tally("adjusted_rand", &pair);
    let chance = metric.chance(&found).expect("agreement by chance");
    assert_eq!(ratio(&chance), (8, 5));
    let (mut numerator, mut denominator) = (found.first.recall_num.clone(), found.first.recall_den.clone());
    numerator.subtract(&chance);
    denominator.subtract(&chance);
    assert_eq!((ratio(&numerator), ratio(&denominator)), ((2, 5), (12, 5)));
    let f1 =
        score(&["abc", "de"].map(chars), &["ab", "cde"].map(chars), &["adjusted_rand"]).expect("a score");
    assert!((f1[0].score.f1 - 1.0 / 6.0).abs() < 1e-15);
    assert!(metric.is_above_chance());
    let rand = EntityMetric::of("rand").expect("a metric");
    assert!(rand.chance(&found).is_none() && !rand.is_above_chance());
    assert_eq!(ratio(&metric.chance(&Tally::default()).expect("a number")), (0, 1));
}

fn chars(entity: &str) -> Vec<char> {
    entity.chars().collect()
}

/// Only scorch's rule gives 1 to a response without non-coreference links for a key without links.
#[test]
fn scorch_rewards_a_response_without_links_for_a_key_without_links() {
    let of = |response: &[Vec<u32>], metric: &str| {
        score(&[vec![1]], response, &[metric]).expect("a score")[0].score.f1
    };
    assert_eq!(of(&[vec![1]], "blanc:halves=scorch"), 1.0);
    assert_eq!(of(&[vec![1]], "blanc:halves=key"), 0.0);
    assert_eq!(of(&[vec![1], vec![2]], "blanc:halves=scorch"), 0.0);
    assert_eq!(of(&[vec![1, 2]], "blanc:halves=scorch"), 1.0);
}

fn table(key: &[u32], response: &[u32], cells: &[(u32, u32, u32)]) -> AlignedEntities {
    let cells = cells.iter().map(|&(key, response, shared)| OverlapCell { key, response, shared });
    AlignedEntities::new(Overlap::of_cells(key.to_vec(), response.to_vec(), cells.collect()))
}

/// Creates a split antecedent of an entity: the sum of entities given as mentions.
fn split(entity: u32, parts: &[&[u32]]) -> SplitMember {
    SplitMember { entity, parts: parts.iter().map(|part| part.to_vec()).collect(), ..SplitMember::default() }
}

/// {a} {b} {they x y} against {a} {b} {they x z}, where "they" is the split antecedent a + b on both sides. It is
/// found, and the last entity has two of three members.
#[test]
fn b_cubed_weighs_entities_with_split_antecedents() {
    let parts: [&[u32]; 2] = [&[0], &[1]];
    let splits = SplitTable { key: vec![split(2, &parts)], response: vec![split(2, &parts)], only: false };
    let pair = table(&[1, 1, 3], &[1, 1, 3], &[(0, 0, 1), (1, 1, 1), (2, 2, 1)]).with_splits(splits);
    for (metric, num, den) in [("b_cubed", 10.0 / 3.0, 5.0), ("b_cubed:weight=entity", 22.0 / 9.0, 3.0)] {
        let counts = tally(metric, &pair).first.to_real();
        for (found, wanted) in [(counts.recall_num, num), (counts.precision_num, num)] {
            assert!((found - wanted).abs() < 1e-12, "{metric}: {found}");
        }
        assert_eq!((counts.recall_den, counts.precision_den), (den, den), "{metric}");
    }
}

/// {a} {b} {they x} {y} {p q} {r s} against {a} {b} {they x} {y z} {p} {r t}, where "they" is a + b on both sides.
/// Three entities are equal, and each entity shares a mention with one of the other side.
#[test]
fn ceaf_compares_entities_with_split_antecedents() {
    let parts: [&[u32]; 2] = [&[0], &[1]];
    let cells = [(0, 0, 1), (1, 1, 1), (2, 2, 1), (3, 3, 1), (4, 4, 1), (5, 5, 1)];
    let pair = |response_parts: &[&[u32]]| {
        let splits =
            SplitTable { key: vec![split(2, &parts)], response: vec![split(2, response_parts)], only: false };
        table(&[1, 1, 2, 1, 2, 2], &[1, 1, 2, 2, 1, 2], &cells).with_splits(splits)
    };
    for (metric, wanted) in [("ceaf_1", 3.0), ("ceaf_2", 6.0), ("ceaf_m", 7.0)] {
        let counts = tally(metric, &pair(&parts)).first.to_real();
        assert_eq!((counts.recall_num, counts.precision_num), (wanted, wanted), "{metric}");
    }
    // {they x} is not equal if "they" has different parts.
    for (metric, wanted) in [("ceaf_1", 2.0), ("ceaf_2", 6.0), ("ceaf_m", 6.0)] {
        let counts = tally(metric, &pair(&[&[7], &[8]])).first.to_real();
        assert_eq!(
            (counts.recall_num, counts.recall_den),
            (wanted, if metric == "ceaf_m" { 9.0 } else { 6.0 })
        );
    }
}

/// Creates `number` split antecedents on each side (0 and 1), which are the only ones scored. Each
/// is the sum of `parts`.
fn many(number: u32, parts: impl Fn(u32, u32) -> Vec<Vec<u32>>) -> AlignedEntities {
    let side = |side: u32| {
        let member =
            |place: u32| SplitMember { entity: place, parts: parts(side, place), ..SplitMember::default() };
        (0..number).map(member).collect()
    };
    let splits = SplitTable { key: side(0), response: side(1), only: true };
    let sizes = vec![1; number as usize];
    table(&sizes, &sizes, &[]).with_splits(splits)
}

/// If more than 256 split antecedents share a mention with one, only the 64 that share the most with it can be paired
/// with it; in a tie the first ones.
#[test]
fn only_the_split_antecedents_that_share_most_are_paired() {
    let found = |pair: &AlignedEntities| ratio(&tally("b_cubed", pair).first.recall_num).0;
    // Each consists of {0} and a separate part: all have the same candidates, the first 64 of the response.
    let similar = many(300, |side, place| vec![vec![0], vec![1_000 * (1 + side) + place]]);
    assert_eq!(found(&similar), 64);
    assert_eq!(ratio(&tally("b_cubed", &similar).first.recall_den), (600, 1));
    // Each has a counterpart with the same second part, which shares more with it than all others.
    let same = many(300, |_, place| vec![vec![0], vec![1_000 + place]]);
    assert_eq!(found(&same), 600);
    // 256 are examined, each of which shares two mentions.
    let few = many(256, |side, place| vec![vec![0], vec![1], vec![1_000 * (1 + side) + place]]);
    assert_eq!(found(&few), 512);
}

/// Creates the first `number` of pairs of entities, each pair with a prime number of mentions, and five key entities
/// whose maps have equal totals: 1/6 + 1/3 or 1/4 + 1/4, 1/4 + 1/4 or 1/2, and 2/5 or 4/10. All are connected by single
/// mentions, which no best map needs.
fn equal_maps(number: usize) -> (AlignedEntities, Vec<u32>) {
    let primes = [29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109];
    let primes = primes[..number].to_vec();
    let (mut key, mut response) = (vec![4, 8, 4, 4, 4], vec![8, 4, 4, 4, 1, 6]);
    let mut cells = vec![(0, 0, 1), (1, 1, 2), (0, 1, 1), (1, 0, 2)];
    cells.extend([(2, 2, 1), (3, 2, 2), (3, 3, 1)]);
    cells.extend([(4, 4, 1), (4, 5, 2)]);
    for (place, (from, prime)) in (0..).zip([1, 3, 4].into_iter().chain(5..).zip(&primes)) {
        cells.push((5 + place, 6 + place, prime / 2 - 2));
        cells.push((from, 6 + place, 1));
        if [1, 2].contains(&place) {
            cells.push((4 + place, 6 + place, 1));
        }
        key.push(prime / 2 + 1);
        response.push(prime / 2);
    }
    (table(&key, &response, &cells), primes)
}

/// Similarities with a common denominator of 97 bits, and others without one of 100 bits.
#[test]
fn best_maps_are_found_with_and_without_a_common_denominator() {
    let metric = EntityMetric::of("ceaf_e").expect("a metric");
    for number in [12, 20] {
        let (pair, primes) = equal_maps(number);
        assert_eq!(pair.components().len(), 1);
        let bounds = metric.entity_bounds(&pair);
        let wanted = [[1.0 / 6.0, 0.25], [0.25, 1.0 / 3.0], [0.0, 0.25], [0.25, 0.5], [0.4, 0.4]];
        for (found, wanted) in bounds.iter().zip(wanted) {
            assert_eq!(*found, Some(wanted), "{number}");
        }
        for (found, prime) in bounds[5..].iter().zip(primes) {
            let only = f64::from(2 * (prime / 2 - 2)) / f64::from(prime);
            assert_eq!(*found, Some([only; 2]), "{number} {prime}");
        }
        // The map with the most pairs that share two mentions, the map with the fewest, and any map.
        let maps = metric.best_maps(&pair).expect("maps");
        let cells = pair.similarity_view().cells();
        let extreme = |greatest, worth: u32| {
            let worth = |cell: u32| (u128::from(cells[cell as usize].shared == worth), 1);
            let mut found: Vec<(u32, u32)> = maps
                .extreme(greatest, worth)
                .iter()
                .map(|&cell| (cells[cell as usize].key, cells[cell as usize].response))
                .collect();
            found.sort_unstable();
            assert!((0..number as u32).all(|place| found.contains(&(5 + place, 6 + place))));
            found.into_iter().filter(|cell| cell.0 < 5).collect::<Vec<_>>()
        };
        let (most, fewest, any) = (extreme(true, 2), extreme(false, 2), extreme(true, 1_000));
        assert_eq!(most[2..], [(3, 2), (4, 5)], "{number}");
        assert_eq!(fewest[2..], [(2, 2), (3, 3), (4, 4)], "{number}");
        for map in [most, fewest, any] {
            assert!([[(0, 0), (1, 1)], [(0, 1), (1, 0)]].contains(&[map[0], map[1]]), "{map:?}");
            let (last, middle) = map[2..].split_last().expect("a pair of the last key entity");
            assert!(middle == [(3, 2)] || middle == [(2, 2), (3, 3)], "{map:?}");
            assert_eq!(last.0, 4, "{map:?}");
        }
    }
}

/// Similarities without a common denominator of 61 bits are rounded to the nearest multiple of 2⁻⁶². The similarities
/// of the equal maps add up to 1/2, 1/2 and 2/5.
#[test]
fn totals_without_a_common_denominator_are_sums_of_nearest_fractions() {
    let (pair, primes) = equal_maps(20);
    let unit = BigInt::from(1_u64 << 62);
    let nearest = |numerator: u32, denominator: u32| {
        (BigInt::from(2 * numerator) * &unit + BigInt::from(denominator)) / BigInt::from(2 * denominator)
    };
    let all: BigInt = primes.iter().map(|&prime| nearest(2 * (prime / 2 - 2), prime)).sum();
    let found = tally("ceaf_e", &pair).first.recall_num;
    assert_eq!(value(&found), fraction(all + nearest(2, 5) + &unit, unit));
}

/// Three objects against two: the largest sum is 5/6 + 1/2, and the first object is not mapped.
#[test]
fn objects_are_mapped_one_to_one() {
    let ratio_of = |numerator, denominator| Ratio::new(numerator, denominator).expect("a denominator");
    let key = [ratio_of(1, 1), ratio_of(1, 1), ratio_of(3, 2)];
    let response = [ratio_of(2, 1), ratio_of(1, 1)];
    let similar = [
        (0, 0, ratio_of(1, 3)),
        (1, 0, ratio_of(1, 2)),
        (2, 1, ratio_of(5, 6)),
        (2, 0, ratio_of(1, 1)),
        (2, 1, ratio_of(1, 7)),
        (0, 1, Ratio::ZERO),
    ];
    let found = ceaf_of_objects(&key, &response, &similar).expect("similarities within the limits");
    assert_eq!(found.map, [(1, 0), (2, 1)]);
    let counts = &found.tally.first;
    assert_eq!(ratio(&counts.recall_num), (4, 3));
    assert_eq!(
        (ratio(&counts.precision_num), ratio(&counts.recall_den), ratio(&counts.precision_den)),
        ((4, 3), (7, 2), (3, 1))
    );
}

#[test]
fn similarities_of_objects_beyond_their_limits_are_errors() {
    let (one, half) = (Ratio::ONE, Ratio::new(1, 2).expect("a denominator"));
    let most = Ratio::new(1 << 43, 1).expect("a denominator");
    let more = Ratio::new((1 << 43) + 1, 1).expect("a denominator");
    let error = |key: &[Ratio], response: &[Ratio], similar: &[(u32, u32, Ratio)]| {
        ceaf_of_objects(key, response, similar).err().map(|error| error.to_string()).unwrap_or_default()
    };
    assert_eq!(error(&[one, most], &[most], &[(0, 0, one), (1, 0, most)]), "");
    assert!(
        error(&[one, more], &[one], &[])
            .starts_with("object 1 of the key is similar to itself by 8796093022209")
    );
    assert!(error(&[one], &[more], &[]).starts_with("object 0 of the response is similar to itself by"));
    assert!(error(&[one], &[one], &[(1, 0, half)]).starts_with("there is no pair of object 1 of the key"));
    assert!(error(&[one], &[one], &[(0, 1, half)]).contains("and object 1 of the response"));
    for (key, response) in [(one, half), (half, one)] {
        assert!(error(&[key], &[response], &[(0, 0, one)]).contains("more similar (1) than to themselves"));
        assert_eq!(error(&[key], &[response], &[(0, 0, half)]), "");
    }
}

/// {a b} {a c} against {a b c}, as in the reference scorer. "a" belongs to the entity of its last copy, so {a c} shares
/// two mentions and {a b} one, and either contains two of the response's mentions.
#[test]
fn copies_in_the_key_count_as_in_the_reference_scorer() {
    let of = |cells: &[(u32, u32, u32)]| {
        let cells = cells.iter().map(|&(key, response, shared)| OverlapCell { key, response, shared });
        Overlap::of_cells(vec![2, 2], vec![3], cells.collect())
    };
    let together = SetCounts { key: 2, response: 3, shared: 2 };
    let apart = SetCounts { key: 5, response: 4, shared: 1 };
    let copies = CopiesInKey { held: vec![2, 2], links: SetLinks { together, apart } };
    let sets = of(&[(0, 0, 2), (1, 0, 2)]);
    let pair = AlignedEntities::with_mentions(sets.clone(), MentionCounts { key: 3, response: 3, shared: 3 })
        .with_copies(of(&[(0, 0, 1), (1, 0, 2)]), sets, copies);
    assert_eq!(ratios(&tally("b_cubed", &pair).first), [(3, 1), (4, 1), (2, 1), (3, 1)]);
    let blanc = tally("blanc", &pair);
    assert_eq!(ratios(&blanc.first), [(2, 1), (2, 1), (2, 1), (3, 1)]);
    assert_eq!(ratios(&blanc.second), [(1, 1), (5, 1), (1, 1), (4, 1)]);
    assert_eq!(pair.set_links(), Some(&SetLinks { together, apart }));
}

/// {a b c} against {a b} {c d}: the shares of a mention if every entity has the same weight.
#[test]
fn mentions_share_the_weight_of_their_entity() {
    let pair = align_entities(&[vec![0, 1, 2]], &[vec![0, 1], vec![2, 3]]);
    let shares = |metric: &str, side: Side| -> Shares {
        let (row, variant) = variant(metric);
        row.shares(&pair, &variant, side).pop().expect("shares")
    };
    let of = |numerator, denominator| fraction(numerator, denominator);
    let cells = |shares: &Shares| -> Vec<Fraction> {
        (0..2).map(|cell| shares.of_cell(cell)).map(|share| of(share.numerator, share.denominator)).collect()
    };
    let wanted = [
        ("b_cubed", Side::Key, [of(2, 3), of(1, 3)], of(1, 1)),
        ("b_cubed:weight=entity", Side::Key, [of(2, 9), of(1, 9)], of(1, 3)),
        ("b_cubed:weight=entity", Side::Response, [of(2, 4), of(1, 4)], of(1, 2)),
        ("lea", Side::Key, [of(1, 2), of(0, 1)], of(1, 1)),
        ("lea:importance=uniform", Side::Key, [of(1, 6), of(0, 1)], of(1, 3)),
        ("lea:importance=uniform", Side::Response, [of(1, 2), of(0, 1)], of(1, 2)),
    ];
    for (metric, side, found, all) in wanted {
        let shares = shares(metric, side);
        assert_eq!(cells(&shares), found, "{metric} {side:?}");
        let All::OfEntities(entities) = &shares.all else { panic!("{metric} counts all mentions") };
        assert_eq!(of(entities[0].numerator, entities[0].denominator), all, "{metric} {side:?}");
    }
}

/// {a b c} against {a b} {c}: "a" is in two of the key's three pairs, and the response has one of them.
#[test]
fn mentions_share_pairs_before_chance_is_subtracted() {
    let pair = align_entities(&[vec![0, 1, 2]], &[vec![0, 1], vec![2]]);
    let (row, variant) = variant("adjusted_rand");
    assert!(row.shares(&pair, &variant, Side::Key).is_empty());
    let half = |number: u64| Share { numerator: number, denominator: 2 };
    for (side, wanted) in [(Side::Key, [2, 2]), (Side::Response, [1, 0])] {
        let [shares] = &row.counted_shares(&pair, &variant, side)[..] else { panic!("one pair of counts") };
        assert_eq!([shares.of_cell(0), shares.of_cell(1)], [half(1), half(0)]);
        let All::OfCells(all) = &shares.all else { panic!("only common mentions count") };
        assert_eq!(all[..], wanted.map(half), "{side:?}");
    }
}

#[test]
fn bounds_are_exact_when_they_meet() {
    assert!(Bounds { lower: 3_i64, upper: 3 }.is_exact());
    assert!(!Bounds { lower: 2_i64, upper: 3 }.is_exact());
}

/// (0, 0) has as much weight as its two neighbours together; its row keeps 5 and its column 4.
#[test]
fn taken_edges_divide_their_weight_between_their_ends() {
    let edges: Vec<Edge<i64>> = [(0, 0, 9), (0, 1, 5), (1, 0, 4), (1, 1, 1)]
        .map(|(row, column, weight)| Edge { row, column, weight })
        .to_vec();
    let mut solver = Solver::new();
    let mut pairs = Vec::new();
    assert_eq!(solver.solve(&edges, &mut pairs), 10);
    assert_eq!(pairs, [(0, 0), (1, 1)]);
    let certificate = solver.certificate();
    assert!(certificate.covers(&edges));
    assert_eq!(certificate.sum(), 10);
}

/// Tests random graphs that are so large that auctions solve them, with both types of weights and with heavy weights,
/// and then with an accepted difference between the bounds.
#[test]
fn large_graphs_have_proved_totals_and_bounds() {
    let mut random = Rng(4);
    let (mut narrow, mut wide) = (Solver::new(), Solver::new());
    for (size, degree, heaviest) in [(1_000, 6, 1_u64 << 20), (1_500, 3, 1 << 52), (1_500, 50, 1 << 30)] {
        let mut edge = |_| Edge {
            row: random.below(size) as u32,
            column: random.below(size) as u32,
            weight: (heaviest / 2 + random.below(heaviest / 2)) as i64,
        };
        let edges: Vec<Edge<i64>> = (0..size * degree).map(&mut edge).collect();
        let total = narrow.solve(&edges, &mut Vec::new());
        assert!(narrow.certificate().covers(&edges) && narrow.certificate().sum() == total, "{size}");
        let same =
            |edge: &Edge<i64>| Edge { row: edge.row, column: edge.column, weight: i128::from(edge.weight) };
        let wide_edges: Vec<Edge<i128>> = edges.iter().map(same).collect();
        assert_eq!(wide.solve(&wide_edges, &mut Vec::new()), i128::from(total));
        for slack in [0, heaviest as i64, heaviest as i64 * 20] {
            let mut pairs = Vec::new();
            let bounds = narrow.bound(&edges, &mut pairs, &Limit { slack, until: None });
            assert!(bounds.lower <= total && total <= bounds.upper, "{size} {slack}");
            assert!(bounds.upper - bounds.lower <= slack, "{size} {slack}");
            let certificate = narrow.certificate();
            assert!(certificate.covers(&edges) && certificate.sum() == bounds.upper, "{size} {slack}");
        }
    }
}

/// The first bids suffice if a difference of a tenth of the total is accepted.
#[test]
fn searches_stop_as_soon_as_the_bounds_are_near_enough() {
    let mut random = Rng(9);
    let mut solver = Solver::new();
    let mut open = 0;
    for _ in 0..200 {
        let size = 20 + random.below(40);
        let mut edge = |_| Edge {
            row: random.below(size) as u32,
            column: random.below(size) as u32,
            weight: (500 + random.below(500)) as i64,
        };
        let edges: Vec<Edge<i64>> = (0..size * 4).map(&mut edge).collect();
        let bounds = solver.bound(&edges, &mut Vec::new(), &Limit { slack: 5_000, until: None });
        open += usize::from(!bounds.is_exact());
    }
    assert!(open > 20, "{open}");
}

/// The parameter of the metric overrides a general rule.
#[test]
fn halves_of_blanc_are_chosen_by_the_metric_before_the_rules() {
    let pair = align_entities(&[vec![0], vec![1], vec![2]], &[vec![0, 1], vec![2]]);
    // The key has no coreference link. The response has two of its three non-coreference links.
    let rules = |blanc_halves| Rules { blanc_halves };
    let of = |metric: &str, halves: Halves| {
        let (row, variant) = variant(metric);
        row.score(&tally(metric, &pair).to_real(), &variant, &rules(halves)).recall
    };
    for halves in [Halves::Key, Halves::Either, Halves::Scorch] {
        assert_eq!(of("blanc:halves=key", halves), 2.0 / 3.0);
        assert_eq!(of("blanc:halves=either", halves), 1.0 / 3.0);
        assert_eq!(of("blanc:halves=scorch", halves), 2.0 / 3.0);
    }
    assert_eq!(of("blanc", Halves::Key), 2.0 / 3.0);
    assert_eq!(of("blanc", Halves::Either), 1.0 / 3.0);
}

/// {a} {b} {c} {d} {both x} {two y} against {a} {b} {c} {d} {both x} {two z}. "Both" is a + b on both sides. "Two" is
/// c + d in the key and c + d + e in the response; they share one non-coreference link out of 1 and 3, so the pair is
/// worth 1/2. The links in common are ten links of the mentions a to d and x, four of "both" to a to d, five halves of
/// "two" to all mentions, and half of the link of "both" and "two".
#[test]
fn blanc_counts_links_of_split_antecedents_to_others() {
    let singles = [(0, 0, 1), (1, 1, 1), (2, 2, 1), (3, 3, 1)];
    let cells: Vec<_> = singles.into_iter().chain([(4, 4, 1)]).collect();
    let splits = SplitTable {
        key: vec![split(4, &[&[0], &[1]]), split(5, &[&[2], &[3]])],
        response: vec![split(4, &[&[0], &[1]]), split(5, &[&[2], &[3], &[9]])],
        only: false,
    };
    let pair = table(&[1, 1, 1, 1, 2, 2], &[1, 1, 1, 1, 2, 2], &cells).with_splits(splits);
    let second = tally("blanc", &pair).second.to_real();
    assert_eq!((second.recall_num, second.recall_den), (17.0, 26.0));
    assert_eq!((second.precision_num, second.precision_den), (17.0, 26.0));
    // {a} {b} {c} {d} {both two} against {a} {b} {c} {d} {both} {two}: six links of mentions and four of each of the
    // two, which are not linked to each other on both sides.
    let splits = SplitTable {
        key: vec![split(4, &[&[0], &[1]]), split(4, &[&[2], &[3]])],
        response: vec![split(4, &[&[0], &[1]]), split(5, &[&[2], &[3]])],
        only: false,
    };
    let pair = table(&[1, 1, 1, 1, 2], &[1, 1, 1, 1, 1, 1], &singles).with_splits(splits);
    assert_eq!(ratios(&tally("blanc", &pair).second), [(14, 1), (14, 1), (14, 1), (15, 1)]);
}

/// a + b + c against a + b, and nothing else: the sets have no coreference link, and one of three other links.
#[test]
fn blanc_scores_split_antecedents_alone() {
    let splits = SplitTable {
        key: vec![split(0, &[&[0], &[1], &[2]])],
        response: vec![split(0, &[&[0], &[1]])],
        only: true,
    };
    let found = tally("blanc", &table(&[1], &[1], &[]).with_splits(splits));
    assert_eq!(ratios(&found.first), [(0, 1); 4]);
    assert_eq!(ratios(&found.second), [(1, 1), (3, 1), (1, 1), (1, 1)]);
}

/// An entity overlaps with fifteen others. The best one is found exactly, although their similarities have no common
/// denominator of 61 bits.
#[test]
fn the_best_of_many_neighbours_is_exact() {
    let primes = [67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127, 131, 137];
    let response: Vec<u32> = primes.iter().map(|prime| prime - 50).collect();
    let cells: Vec<(u32, u32, u32)> = (0..15).map(|place| (0, place, 1 + place / 5)).collect();
    let pair = table(&[50], &response, &cells);
    // 2 · 2 / 89 is less than 2 · 3 / 109, and 2 · 1 / 67 than either.
    assert_eq!(ratio(&tally("ceaf_e", &pair).first.recall_num), (6, 109));
    let swapped = AlignedEntities::new(pair.similarity_view().transposed());
    assert_eq!(ratio(&tally("ceaf_e", &swapped).first.recall_num), (6, 109));
}

/// {a b} against {a} {b}: either may be the counterpart, and the first one is. {a b c} against {a} {b}: no entity
/// equals another.
#[test]
fn the_first_of_equal_neighbours_is_the_counterpart() {
    let pair = align_entities(&[vec![0, 1]], &[vec![0], vec![1]]);
    let chosen = |metric: &str, pair: &AlignedEntities| {
        let (row, variant) = variant(metric);
        row.shares(pair, &variant, Side::Response).pop().expect("shares").chosen.expect("a map")
    };
    for metric in ["ceaf_2", "ceaf_m", "ceaf_e"] {
        assert_eq!(chosen(metric, &pair), [true, false], "{metric}");
    }
    assert_eq!(chosen("ceaf_1", &pair), [false, false]);
    assert_eq!(
        chosen("ceaf_1", &align_entities(&[vec![0, 1], vec![2]], &[vec![0, 1], vec![2]])),
        [true, true]
    );
}

/// {a b c} {d} against {d} {a b} {c}: without the singletons of the response, φ4 has only {a b}.
#[test]
fn singletons_of_the_response_are_left_out_of_one_ceaf_only() {
    let mut pair = align_entities(&[vec![0, 1, 2], vec![3]], &[vec![3], vec![0, 1], vec![2]]);
    pair.drop_response_singletons_in_ceaf_e();
    assert_eq!(ratios(&tally("ceaf_e", &pair).first), [(4, 5), (2, 1), (4, 5), (1, 1)]);
    assert_eq!(ratios(&tally("ceaf_m", &pair).first), [(3, 1), (4, 1), (3, 1), (4, 1)]);
    let cells = pair.similarity_view().cells().to_vec();
    let wanted = [("ceaf_e", [0.8, 0.0], vec![(0, 1)]), ("ceaf_m", [2.0 / 3.0, 1.0], vec![(0, 1), (1, 0)])];
    for (metric, scores, map) in wanted {
        let row = EntityMetric::of(metric).expect("a metric");
        assert_eq!(row.entity_scores(&pair), scores.map(Some), "{metric}");
        assert_eq!(row.entity_bounds(&pair), scores.map(|score| Some([score; 2])), "{metric}");
        let found = row.best_maps(&pair).expect("maps").extreme(true, |_| (1, 1));
        let mut found: Vec<(u32, u32)> =
            found.iter().map(|&cell| (cells[cell as usize].key, cells[cell as usize].response)).collect();
        found.sort_unstable();
        assert_eq!(found, map, "{metric}");
    }
}

/// 1/3 + 1/3 or 2/3, in a group of entities of six mentions each: all similarities are multiples of 1/12, and the
/// totals are equal.
#[test]
fn best_maps_are_compared_over_the_least_common_denominator() {
    let mut cells = vec![(0, 0, 2), (1, 0, 4), (1, 1, 2)];
    for entity in 2..20 {
        cells.push((entity, entity, 4));
        cells.push((entity, entity - 1, 1));
    }
    let pair = table(&[6; 20], &[6; 20], &cells);
    let bounds = EntityMetric::of("ceaf_e").expect("a metric").entity_bounds(&pair);
    assert_eq!(bounds[..2], [Some([0.0, 1.0 / 3.0]), Some([1.0 / 3.0, 2.0 / 3.0])]);
    assert!(bounds[2..].iter().all(|ends| *ends == Some([2.0 / 3.0; 2])));
}

#[test]
fn the_mean_of_scores_is_that_of_each_part() {
    let score = |recall, precision, f1| Score { recall, precision, f1 };
    let mean = Score::mean([score(0.5, 0.25, 0.125), score(0.25, 0.75, 0.375)].into_iter());
    assert_eq!(mean, score(0.375, 0.5, 0.25));
    assert_eq!(Score::mean([].into_iter()), Score::default());
}

/// {a b c} {d} against {a b} {c d}, with weights of mentions in quarters, of entities in thirds and similarities of
/// types in fifths. The weights of mentions are 1, 1/2, 1/4 and 3/4 in the key, and 1, 1, 1/2 and 3/4 in the response.
/// The weights of entities are 1 and 2/3, and 2/3 and 1. {a b c} and {a b} have one type, {d} and {c d} have the
/// similarity 2/5, and {a b c} and {c d} have 1/5.
fn weighed(last: u32, credits: &[(u32, u32)]) -> AlignedEntities {
    let pairs = (0..4).map(|place| (place, place)).collect();
    let key = WeighedSide::new(vec![0, 0, 0, 1], 2).with_mentions(vec![4, 2, 1, last]);
    let response = WeighedSide::new(vec![0, 0, 1, 1], 2).with_mentions(vec![4, 4, 2, 3]);
    let key = key.with_entities(vec![3, 2]).with_types(vec![0, 1]);
    let response = response.with_entities(vec![2, 3]).with_types(vec![0, 2]);
    let similarity = TypeSimilarity { listed: BTreeMap::from([((1, 2), 2)]), default: 1 };
    let weighed = Weighed {
        credits: credits.to_vec(),
        similarity: Some(similarity),
        scales: [4, 3, 5],
        ..Weighed::new(key, response, [Some(pairs), None, None])
    };
    align_entities(&[vec![0, 1, 2], vec![3]], &[vec![0, 1], vec![2, 3]]).with_weights(weighed)
}

#[test]
fn weights_are_fractions_of_their_scales() {
    let pair = weighed(3, &[]);
    let wanted = [
        ("ceaf_m", [(3, 1), (4, 1), (3, 1), (4, 1)]),
        // 3/2 of {a b}, 3/4 of d.
        ("ceaf_m:weight=mention-type", [(9, 4), (5, 2), (9, 4), (13, 4)]),
        // 2/3 · 2 and 2/5 · 2/3.
        ("ceaf_m:weight=entity-type", [(8, 5), (11, 3), (8, 5), (10, 3)]),
        // 2/3 · 3/2 and 2/5 · 2/3 · 3/4.
        ("ceaf_m:weight=table", [(6, 5), (9, 4), (6, 5), (31, 12)]),
        // Twice these over the total weights of both entities, 15/4 and 2.
        ("ceaf_e:weight=table", [(11, 15), (5, 3), (11, 15), (5, 3)]),
        // 3/2 · 2/3, 1/4 · 1/3 and 1/2; 4/3 and 5/4 · 1/2.
        ("b_cubed:weight=table", [(19, 12), (9, 4), (47, 24), (31, 12)]),
        // A third of the links of {a b c}, and all links of {a b}.
        ("lea:importance=table", [(7, 12), (9, 4), (4, 3), (31, 12)]),
    ];
    for (metric, wanted) in wanted {
        assert_eq!(ratios(&tally(metric, &pair).first), wanted, "{metric}");
    }
}

/// The aligned mentions have all, half, a third and half of their words in common.
#[test]
fn words_in_common_count_only_if_they_are_credited() {
    let pair = weighed(3, &[(1, 1), (1, 2), (1, 3), (2, 4)]);
    assert_eq!(ratio(&tally("ceaf_m:weight=table", &pair).first.recall_num), (6, 5));
    assert_eq!(ratio(&tally("ceaf_m:weight=table:credit=words", &pair).first.recall_num), (14, 15));
    // Without these data, all aligned mentions have the same words.
    let same = weighed(3, &[]);
    assert_eq!(ratio(&tally("ceaf_m:weight=table:credit=words", &same).first.recall_num), (6, 5));
}

/// If the only mention of an entity has the weight 0, φ4 does not count the entity.
#[test]
fn an_entity_whose_mentions_weigh_nothing_is_not_counted() {
    let pair = weighed(0, &[]);
    assert_eq!(ratios(&tally("ceaf_e:weight=table", &pair).first), [(8, 15), (1, 1), (8, 15), (5, 3)]);
    assert_eq!(ratios(&tally("ceaf_m:weight=table", &pair).first), [(1, 1), (7, 4), (1, 1), (31, 12)]);
}

/// {a b} against {a} {b}, all with weight 1: φ4 leaves the singletons of the response out, φ3 does not.
#[test]
fn singletons_of_the_response_are_left_out_with_weights_too() {
    let side = |entity_of: &[u32], entities| WeighedSide::new(entity_of.to_vec(), entities);
    let views = [Some(vec![(0, 0), (1, 1)]), None, None];
    let weighed = Weighed::new(side(&[0, 0], 1), side(&[0, 1], 2), views);
    let mut pair = align_entities(&[vec![0, 1]], &[vec![0], vec![1]]).with_weights(weighed);
    pair.drop_response_singletons_in_ceaf_e();
    assert_eq!(ratios(&tally("ceaf_m:weight=mention-type", &pair).first), [(1, 1), (2, 1), (1, 1), (2, 1)]);
    assert_eq!(ratios(&tally("ceaf_e:weight=mention-type", &pair).first), [(0, 1), (1, 1), (0, 1), (0, 1)]);
}

/// An entity may be as similar to another as to itself, but not more similar.
#[test]
fn similarities_of_entities_stay_within_those_to_themselves() {
    let pair = align_entities(&[vec![0, 1]], &[vec![1, 2, 3]]);
    let ratio_of = |numerator| Ratio::new(numerator, 4).expect("a denominator");
    let found = |similar: u64, key: u64, response: u64| {
        let own = |entity: &corefeval_metrics::SingleEntityView| match entity.side {
            Side::Key => ratio_of(key),
            Side::Response => ratio_of(response),
        };
        ceaf_with(&pair, |_| ratio_of(similar), own).map(|tally| ratios(&tally.first)).ok()
    };
    assert_eq!(found(2, 2, 3), Some([(1, 2), (1, 2), (1, 2), (3, 4)]));
    assert_eq!(found(2, 3, 2), Some([(1, 2), (3, 4), (1, 2), (1, 2)]));
    assert_eq!((found(3, 2, 3), found(3, 3, 2), found(3, 2, 2)), (None, None, None));
}
