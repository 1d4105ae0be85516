//! Properties of every metric, for any key and response.

use crate::both;
use crate::twins;

use crate::both::{Evaluation, PARTS, evaluate, evaluate_all};
use crate::generators::{Pair, check, pairs, sides};
use crate::twins::{Score, TWINS, Tally};
use num_traits::{One, Zero};
use proptest::prelude::*;

/// Mentions of generated pairs have smaller numbers.
const FRESH: u32 = 1000;

#[test]
fn scores_lie_between_0_and_1() {
    check(1500, pairs(), |pair| {
        for twin in TWINS {
            let found = evaluate(&pair.key, &pair.response, twin.id);
            // Adjusted Rand is negative if key and response agree less than by chance.
            let least = if twin.id == "adjusted_rand" { f64::NEG_INFINITY } else { 0.0 };
            for (part, number) in PARTS.iter().zip(found.numbers) {
                assert!((least..=1.0).contains(&number), "{} of {}: {number}", part, twin.id);
            }
        }
    });
}

/// Returns whether a metric is defined when the response is the key.
fn is_defined(metric: &str, tally: &Tally) -> bool {
    let Tally { first, second } = tally;
    match metric {
        // If all pairs are together, or none, nothing lies between chance and perfection.
        "adjusted_rand" => !first.recall_den.is_zero() && first.recall_den != second.recall_den,
        _ if metric.starts_with("blanc") => !first.recall_den.is_zero() || !second.recall_den.is_zero(),
        _ => !first.recall_den.is_zero(),
    }
}

#[test]
fn a_perfect_response_scores_1() {
    let reordered = sides(14).prop_flat_map(|key| (Just(key.clone()), reordered(key)));
    check(1000, reordered, |(key, response)| {
        for twin in TWINS {
            let found = evaluate(&key, &response, twin.id);
            let wanted = if is_defined(twin.id, &found.tally) { [1.0; 3] } else { [0.0; 3] };
            assert_eq!(found.numbers, wanted, "{}", twin.id);
        }
    });
}

#[test]
fn a_response_without_a_mention_of_the_key_scores_0() {
    check(500, (sides(10), sides(10)), |(key, response)| {
        let response = renamed(&response, |mention| mention + FRESH);
        for twin in TWINS {
            assert_eq!(evaluate(&key, &response, twin.id).numbers, [0.0; 3], "{}", twin.id);
        }
    });
}

/// Returns whether exchanging key and response must exchange recall and precision. The counts are always exchanged. So
/// are the scores, except under BLANC's rule that leaves out halves without links in the *key*: then both sides must
/// have the same kinds of links.
fn score_can_be_swapped(metric: &str, tally: &Tally) -> bool {
    let mut halves = [&tally.first, &tally.second].into_iter();
    match metric {
        "blanc" | "blanc:halves=key" => {
            halves.all(|half| half.recall_den.is_zero() == half.precision_den.is_zero())
        }
        _ => true,
    }
}

#[test]
fn swapping_key_and_response_swaps_recall_and_precision() {
    check(1500, pairs(), |pair| {
        for twin in TWINS {
            let one = evaluate(&pair.key, &pair.response, twin.id);
            let other = evaluate(&pair.response, &pair.key, twin.id);
            assert_eq!(one.tally, other.tally.swapped(), "{}", twin.id);
            if score_can_be_swapped(twin.id, &one.tally) {
                assert_eq!(one.score, other.score.swapped(), "{}", twin.id);
                let [recall, precision, f1] = other.numbers;
                assert_eq!(one.numbers, [precision, recall, f1], "{}", twin.id);
            }
        }
    });
}

/// Shows why the rule above needs its condition. If one side has one entity and the other two halves of it, the halves
/// that count depend on which side is the key.
#[test]
fn blanc_by_the_key_depends_on_which_side_is_the_key() {
    let (whole, halves) = ([vec![1, 2, 3, 4]], [vec![1, 2], vec![3, 4]]);
    let f1 = |key: &[Vec<u32>], response: &[Vec<u32>], metric| evaluate(key, response, metric).score.f1;
    // Coreference links: 2 of 6 and of 2; non-coreference links: the halves alone have four.
    assert_eq!(f1(&whole, &halves, "blanc:halves=key"), twins::fraction(1, 2));
    assert_eq!(f1(&halves, &whole, "blanc:halves=key"), twins::fraction(1, 4));
    assert_eq!(f1(&whole, &halves, "blanc:halves=either"), twins::fraction(1, 4));
    assert_eq!(f1(&halves, &whole, "blanc:halves=either"), twins::fraction(1, 4));
}

#[test]
fn ceaf_is_symmetric() {
    check(1000, pairs(), |pair| {
        for metric in ["ceaf_1", "ceaf_2", "ceaf_m", "ceaf_e"] {
            let one = evaluate(&pair.key, &pair.response, metric).tally.first;
            let other = evaluate(&pair.response, &pair.key, metric).tally.first;
            assert_eq!(one.recall_num, one.precision_num, "{metric}: one total for both");
            assert_eq!(one.recall_num, other.recall_num, "{metric}: the same total");
            assert_eq!(
                (one.recall_den, one.precision_den),
                (other.precision_den, other.recall_den),
                "{metric}"
            );
        }
    });
}

#[test]
fn names_and_order_change_nothing() {
    let changed = pairs().prop_flat_map(|pair| {
        let names: Vec<u32> = (0..15).map(|name| name * 67 + 3).collect();
        let (key, response) = (reordered(pair.key.clone()), reordered(pair.response.clone()));
        (Just(pair), key, response, Just(names).prop_shuffle())
    });
    check(1000, changed, |(pair, key, response, names)| {
        let rename = |side: &[Vec<u32>]| renamed(side, |mention| names[mention as usize]);
        for twin in TWINS {
            let plain = evaluate(&pair.key, &pair.response, twin.id);
            let changed = evaluate(&rename(&key), &rename(&response), twin.id);
            assert_same(&plain, &changed, twin.id);
        }
    });
}

#[test]
fn order_of_documents_changes_nothing() {
    check(500, (pairs(), pairs(), pairs()), |(one, two, three)| {
        let [one, two, three] = [&one, &two, &three].map(document);
        for twin in TWINS {
            let forward = evaluate_all(&[one, two, three], twin.id);
            let backward = evaluate_all(&[three, two, one], twin.id);
            assert_same(&forward, &backward, twin.id);
        }
    });
}

#[test]
fn documents_add_up() {
    check(700, (pairs(), pairs()), |(one, two)| {
        let two = Pair {
            shape: two.shape,
            key: renamed(&two.key, |mention| mention + FRESH),
            response: renamed(&two.response, |mention| mention + FRESH),
        };
        let key = [one.key.clone(), two.key.clone()].concat();
        let response = [one.response.clone(), two.response.clone()].concat();
        for twin in TWINS {
            let apart = evaluate_all(&[document(&one), document(&two)], twin.id).tally;
            let first = evaluate(&one.key, &one.response, twin.id).tally;
            let second = evaluate(&two.key, &two.response, twin.id).tally;
            assert_eq!(apart, first.plus(&second), "{}", twin.id);
            // As one document they have the same counts, unless pairs that do not corefer are counted, whose number
            // grows.
            let joined = evaluate(&key, &response, twin.id).tally;
            if twin.joins {
                assert_eq!(apart, joined, "{}", twin.id);
            } else {
                let pairs = |tally: &Tally| &tally.first.recall_den + &tally.second.recall_den;
                assert!(pairs(&apart) <= pairs(&joined), "{}", twin.id);
            }
        }
    });
}

#[test]
fn a_document_without_mentions_adds_nothing() {
    check(300, pairs(), |pair| {
        for twin in TWINS {
            let alone = evaluate_all(&[document(&pair)], twin.id);
            let together = evaluate_all(&[(&[], &[]), document(&pair), (&[], &[])], twin.id);
            assert_same(&alone, &together, twin.id);
            let empty = evaluate(&[], &[], twin.id);
            assert_eq!((empty.tally, empty.score), (Tally::default(), Score::default()), "{}", twin.id);
        }
    });
}

/// These metrics overlook nothing. MUC, BLANC and the metrics of links may overlook singletons, Rand ignores mentions
/// of one side only, and CEAF φ2 all but one mention.
#[test]
fn only_equal_entities_are_perfect() {
    check(1500, pairs(), |pair| {
        let sorted = |side: &[Vec<u32>]| {
            let mut entities = twins::entities(side);
            entities.sort();
            entities
        };
        let equal = sorted(&pair.key) == sorted(&pair.response) && !pair.key.is_empty();
        for metric in ["b_cubed", "b_cubed:weight=entity", "ceaf_1", "ceaf_m", "ceaf_e", "lea"] {
            let perfect = evaluate(&pair.key, &pair.response, metric).score.f1.is_one();
            assert_eq!(perfect, equal, "{metric}");
        }
    });
}

fn assert_same(one: &Evaluation, other: &Evaluation, metric: &str) {
    assert_eq!(one.tally, other.tally, "{metric}");
    assert_eq!(one.numbers, other.numbers, "{metric}: equal to the last bit");
}

fn document(pair: &Pair) -> both::Document<'_> {
    (&pair.key, &pair.response)
}

/// Generates the entities of a side, and the mentions of each, in any order.
fn reordered(side: Vec<Vec<u32>>) -> impl Strategy<Value = Vec<Vec<u32>>> {
    let entities: Vec<_> = side.into_iter().map(|entity| Just(entity).prop_shuffle()).collect();
    entities.prop_shuffle()
}

fn renamed(side: &[Vec<u32>], name: impl Fn(u32) -> u32) -> Vec<Vec<u32>> {
    side.iter().map(|entity| entity.iter().map(|&mention| name(mention)).collect()).collect()
}
