//! The library agrees with the plain twins on thousands of random keys and responses.

use crate::both;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use corefeval_core::metrics::{METRICS, Metric};

use crate::generators::{Pair, check, large_pairs, pairs, untidy_pairs};
use crate::twins::assignment::{best_by_kuhn_munkres, best_by_permutations};
use crate::twins::{TWINS, fraction};
use proptest::collection::vec;
use proptest::prelude::*;

#[test]
fn on_small_pairs_of_all_shapes() {
    check(4000, pairs(), |pair| {
        for twin in TWINS {
            let found = both::evaluate(&pair.key, &pair.response, twin.id);
            assert!(found.exact, "{}: small counts have exact fractions", twin.id);
        }
    });
}

#[test]
fn on_large_pairs() {
    check(100, large_pairs(), |pair| {
        for twin in TWINS {
            both::evaluate(&pair.key, &pair.response, twin.id);
        }
    });
}

#[test]
fn on_repeated_mentions_and_empty_entities() {
    check(1000, untidy_pairs(), |pair| {
        for twin in TWINS {
            both::evaluate(&pair.key, &pair.response, twin.id);
        }
    });
}

#[test]
fn on_sums_over_documents() {
    check(300, vec(pairs(), 0..5), |pairs| {
        let documents: Vec<both::Document<'_>> =
            pairs.iter().map(|pair| (pair.key.as_slice(), pair.response.as_slice())).collect();
        for twin in TWINS {
            both::evaluate_all(&documents, twin.id);
        }
    });
}

#[test]
fn both_twins_of_the_assignment_agree() {
    let tables = (0..=6usize, 0..=6usize).prop_flat_map(|(rows, columns)| {
        let weights =
            (0..12usize, 1..8usize).prop_map(|(numerator, denominator)| fraction(numerator, denominator));
        vec(vec(weights, columns), rows)
    });
    check(1000, tables, |table| {
        assert_eq!(best_by_permutations(&table), best_by_kuhn_munkres(&table));
    });
}

/// Metrics of more than two sets of entities, and the places of their twins.
const ELSEWHERE: &[(&str, &str)] = &[
    ("mention_overlap", "matching.rs"),
    ("zero_anaphora", "matching.rs"),
    ("non_referring", "beyond_identity.rs"),
    ("bridging", "beyond_identity.rs"),
    ("links_as_written", "muc.rs"),
    ("cone_b_cubed", "cone.rs"),
    ("cone_ceaf", "cone.rs"),
    ("ace_value", "ace_value.rs"),
    ("ace_mention_value", "ace_value.rs"),
];

#[test]
fn every_metric_has_a_twin() {
    // The mean of other metrics needs no twin.
    for metric in METRICS.iter().filter(|spec| Metric::new(spec).parts().is_none()) {
        let here = TWINS.iter().any(|twin| twin.id == metric.id);
        let there = ELSEWHERE.iter().find(|row| row.0 == metric.id).map(|row| row.1);
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
        let named =
            |file: &str| fs::read_to_string(folder.join(file)).is_ok_and(|text| text.contains(metric.id));
        assert!(here != there.is_some_and(named), "{} has one twin, in the stated place", metric.id);
    }
}

/// A property of pairs, and its test. Without it agreement would be meaningless.
type Trait = (&'static str, fn(&Pair) -> bool);

const TRAITS: &[Trait] = &[
    ("both sides are empty", |pair| pair.key.is_empty() && pair.response.is_empty()),
    ("only the key is empty", |pair| pair.key.is_empty() && !pair.response.is_empty()),
    ("only the response is empty", |pair| !pair.key.is_empty() && pair.response.is_empty()),
    ("singletons on both sides", |pair| {
        [&pair.key, &pair.response].iter().all(|side| side.iter().any(|e| e.len() == 1))
    }),
    ("no link in the key", |pair| !pair.key.is_empty() && pair.key.iter().all(|entity| entity.len() == 1)),
    ("no link in the response", |pair| {
        !pair.response.is_empty() && pair.response.iter().all(|entity| entity.len() == 1)
    }),
    ("one large entity in the key", |pair| pair.key.len() == 1 && pair.key[0].len() >= 5),
    ("one large entity in the response", |pair| pair.response.len() == 1 && pair.response[0].len() >= 5),
    ("the same entities", |pair| pair.key.len() >= 3 && pair.key == pair.response),
    ("no mention in common", |pair| {
        mentions(&pair.key).is_disjoint(&mentions(&pair.response)) && pair.key.len() * pair.response.len() > 1
    }),
    ("each side has mentions that the other lacks", |pair| {
        let (key, response) = (mentions(&pair.key), mentions(&pair.response));
        [&key & &response, &key - &response, &response - &key].iter().all(|part| part.len() >= 2)
    }),
    ("the same mentions in other entities", |pair| {
        mentions(&pair.key) == mentions(&pair.response) && pair.key != pair.response
    }),
    ("too many entities for all permutations", |pair| pair.key.len() > 6 && pair.response.len() > 6),
];

fn mentions(side: &[Vec<u32>]) -> BTreeSet<u32> {
    side.iter().flatten().copied().collect()
}

#[test]
fn random_pairs_have_every_trait() {
    let seen: RefCell<BTreeMap<&str, u32>> = RefCell::default();
    check(4000, pairs(), |pair| {
        for (name, holds) in TRAITS {
            *seen.borrow_mut().entry(*name).or_default() += u32::from(holds(&pair));
        }
    });
    for (name, number) in seen.into_inner() {
        assert!(number >= 20, "{name}: {number} of 4000");
    }
}
