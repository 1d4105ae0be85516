//! The library agrees with the plain twins on thousands of random keys and responses.

mod adaptor;
mod generators;
mod twins;

use generators::{Pair, check, large_pairs, pairs, untidy_pairs};
use proptest::collection::vec;
use proptest::prelude::*;
use twins::assignment::{best_by_kuhn_munkres, best_by_permutations};
use twins::{TWINS, fraction};

fn agree(pair: &Pair) {
    for twin in TWINS {
        adaptor::evaluate(&pair.key, &pair.response, twin.id);
    }
}

#[test]
fn on_small_pairs_of_all_shapes() {
    check(4000, pairs(), |pair| agree(&pair));
}

#[test]
fn on_large_pairs() {
    check(100, large_pairs(), |pair| agree(&pair));
}

#[test]
fn on_repeated_mentions_and_empty_entities() {
    check(1000, untidy_pairs(), |pair| agree(&pair));
}

#[test]
fn both_twins_of_the_assignment_agree() {
    let tables = (0..=6usize, 0..=6usize).prop_flat_map(|(rows, columns)| {
        let weights = (0..12usize, 1..8usize)
            .prop_map(|(numerator, denominator)| fraction(numerator, denominator));
        vec(vec(weights, columns), rows)
    });
    check(1000, tables, |table| {
        assert_eq!(best_by_permutations(&table), best_by_kuhn_munkres(&table));
    });
}
