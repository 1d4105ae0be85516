//! Random keys and responses, the same in every run.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::ops::RangeInclusive;

use corefeval_core::model::Span;
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::strategy::Union;
use proptest::test_runner::{Config, RngSeed, TestRunner};

/// Both sides as lists of mentions.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The generator that made it.
    pub shape: &'static str,
    pub key: Vec<Vec<u32>>,
    pub response: Vec<Vec<u32>>,
}

/// Runs `test` on `cases` random values; a failure is reported on the smallest value that fails.
pub fn check<S: Strategy>(cases: u32, values: S, test: impl Fn(S::Value)) {
    let config = Config {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(20_120_612),
        ..Config::default()
    };
    let outcome = TestRunner::new(config).run(&values, |value| {
        test(value);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

/// The entity in which one side places a mention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// The side lacks the mention.
    Nowhere,
    /// The mention is a singleton.
    Alone,
    /// In the entity of this number.
    In(u32),
}

/// Generates small pairs of all shapes, with up to 14 mentions.
pub fn pairs() -> impl Strategy<Value = Pair> {
    let independent = |key, response| (key, response).boxed();
    let any = || any_place(4);
    let shapes = [
        (6, "any", independent(any(), any())),
        (1, "empty key", independent(nowhere(), any())),
        (1, "empty response", independent(any(), nowhere())),
        (1, "singletons in the key", independent(alone(), any())),
        (1, "singletons in the response", independent(any(), alone())),
        (1, "singletons only", independent(alone(), alone())),
        (1, "one key entity", independent(together(), any())),
        (1, "one response entity", independent(any(), together())),
        (1, "one entity each", independent(together(), together())),
        (1, "disjoint mentions", disjoint()),
        (2, "identical", equal(5)),
        (4, "heavy overlap", mostly_equal(5)),
        (4, "same mentions", independent(in_entity(3), in_entity(3))),
    ];
    Union::new_weighted(
        shapes.into_iter().map(|(weight, shape, places)| (weight, pairs_of(0..=14, shape, places))).collect(),
    )
}

/// Generates pairs with up to 40 mentions, and 20 entities per side.
pub fn large_pairs() -> impl Strategy<Value = Pair> {
    prop_oneof![
        pairs_of(20..=40, "large", (any_place(20), any_place(20)).boxed()),
        pairs_of(20..=40, "large, heavy overlap", mostly_equal(12)),
        pairs_of(20..=40, "large, same mentions", (in_entity(8), in_entity(12)).boxed()),
    ]
}

/// Generates pairs whose sides may repeat mentions and have empty entities.
pub fn untidy_pairs() -> impl Strategy<Value = Pair> {
    let side = || vec(vec(0..9u32, 0..5), 0..5);
    (side(), side()).prop_map(|(key, response)| Pair { shape: "untidy", key, response })
}

/// Generates one side with up to `mentions` mentions.
pub fn sides(mentions: usize) -> impl Strategy<Value = Vec<Vec<u32>>> {
    vec(any_place(4), 0..=mentions).prop_map(|places| entities(&places))
}

fn any_place(entities: u32) -> BoxedStrategy<Place> {
    weighted(0.8, prop_oneof![5 => (0..entities).prop_map(Place::In), 1 => Just(Place::Alone)])
        .prop_map(|place| place.unwrap_or(Place::Nowhere))
        .boxed()
}

fn in_entity(entities: u32) -> BoxedStrategy<Place> {
    (0..entities).prop_map(Place::In).boxed()
}

fn nowhere() -> BoxedStrategy<Place> {
    Just(Place::Nowhere).boxed()
}

fn alone() -> BoxedStrategy<Place> {
    Just(Place::Alone).boxed()
}

fn together() -> BoxedStrategy<Place> {
    Just(Place::In(0)).boxed()
}

fn disjoint() -> BoxedStrategy<(Place, Place)> {
    (any::<bool>(), in_entity(4))
        .prop_map(|(in_key, place)| if in_key { (place, Place::Nowhere) } else { (Place::Nowhere, place) })
        .boxed()
}

fn equal(entities: u32) -> BoxedStrategy<(Place, Place)> {
    any_place(entities).prop_map(|place| (place, place)).boxed()
}

fn mostly_equal(entities: u32) -> BoxedStrategy<(Place, Place)> {
    prop_oneof![
        6 => equal(entities),
        1 => (any_place(entities), any_place(entities)),
    ]
    .boxed()
}

fn pairs_of(
    mentions: RangeInclusive<usize>,
    shape: &'static str,
    places: BoxedStrategy<(Place, Place)>,
) -> BoxedStrategy<Pair> {
    vec(places, mentions)
        .prop_map(move |places| {
            let (key, response): (Vec<_>, Vec<_>) = places.into_iter().unzip();
            Pair { shape, key: entities(&key), response: entities(&response) }
        })
        .boxed()
}

/// Returns the entities of a side that puts mention `i` at `places[i]`.
fn entities(places: &[Place]) -> Vec<Vec<u32>> {
    let mut numbered: Vec<(u32, Vec<u32>)> = Vec::new();
    let mut entities = Vec::new();
    for (mention, &place) in (0u32..).zip(places) {
        match place {
            Place::Nowhere => {}
            Place::Alone => entities.push(vec![mention]),
            Place::In(number) => match numbered.iter_mut().find(|entity| entity.0 == number) {
                Some((_, members)) => members.push(mention),
                None => numbered.push((number, vec![mention])),
            },
        }
    }
    entities.extend(numbered.into_iter().map(|(_, members)| members));
    entities
}

/// Returns words in order as runs of neighbours.
pub fn runs_of(words: &[u32]) -> Vec<Span> {
    let mut runs: Vec<Span> = Vec::new();
    for &word in words {
        match runs.last().copied() {
            Some(run) if run.end() == word => {
                runs.pop();
                runs.extend(Span::new(run.start(), word + 1));
            }
            _ => runs.push(Span::word(word)),
        }
    }
    runs
}
