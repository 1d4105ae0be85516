//! Worked examples of the papers that define the metrics: exact counts and printed scores.
//!
//! The examples are in `testdata/papers.json`, which explains its fields at the start.

use crate::adaptor;
use crate::both;
use crate::twins;

use std::collections::{BTreeMap, BTreeSet};

use crate::twins::{Counts, Fraction, Score, fraction, whole};
use num_rational::BigRational;
use num_traits::Pow;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Papers {
    about: Vec<String>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    why: String,
    key: Option<Vec<Vec<String>>>,
    key_links: Option<Vec<[String; 2]>>,
    response: Option<Vec<Vec<String>>>,
    response_links: Option<Vec<[String; 2]>>,
    #[serde(default)]
    rounding: Rounding,
    expected: Vec<Expected>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Rounding {
    #[default]
    HalfUp,
    Cut,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    metric: String,
    recall: [String; 2],
    precision: [String; 2],
    #[serde(default)]
    printed: BTreeMap<String, String>,
    #[serde(default)]
    misprint: BTreeMap<String, String>,
}

fn papers() -> Papers {
    let text = include_str!("../../../../testdata/papers.json");
    serde_json::from_str(text).expect("papers.json has the fields its head names")
}

#[test]
fn every_example_is_reproduced() {
    for case in papers().cases {
        let mut numbers = BTreeMap::new();
        let key = side(&case.key, &case.key_links, &mut numbers);
        let response = side(&case.response, &case.response_links, &mut numbers);
        for expected in &case.expected {
            let metric = &expected.metric;
            let place = format!("{}, {metric}", case.name);
            let found = match metric.as_str() {
                "links_as_written" => written(&case),
                _ => both::evaluate(&key, &response, metric),
            };
            let counts = &found.tally.first;
            let read = |pair: &[String; 2]| (parse(&pair[0]), parse(&pair[1]));
            let (recall, precision) = (read(&expected.recall), read(&expected.precision));
            assert_eq!((&counts.recall_num, &counts.recall_den), (&recall.0, &recall.1), "{place}");
            assert_eq!(
                (&counts.precision_num, &counts.precision_den),
                (&precision.0, &precision.1),
                "{place}"
            );
            for (part, printed) in &expected.printed {
                let value = value_of(&found.score, part);
                assert!(
                    prints_as(value, printed, case.rounding),
                    "{place}: {part} is {value}, not {printed}"
                );
            }
            for (part, printed) in &expected.misprint {
                let value = value_of(&found.score, part);
                assert!(!prints_as(value, printed, case.rounding), "{place}: {printed} is not a misprint");
            }
        }
    }
}

/// Evaluates links as written: one by one, and through all stages from a file.
fn written(case: &Case) -> both::Evaluation {
    let sides = [&case.key_links, &case.response_links].map(|links| links.as_ref().expect("links"));
    let without_direction = |links: &Vec<[String; 2]>| -> BTreeSet<[String; 2]> {
        links.iter().map(|[a, b]| [a.min(b).clone(), a.max(b).clone()]).collect()
    };
    let [key, response] = sides.map(without_direction);
    let shared = key.intersection(&response).count();
    let counts = Counts::integers((shared, key.len()), (shared, response.len()));
    let score = counts.score();
    let library = adaptor::score_links(
        sides.map(|links| links.iter().map(|link| link.join("-")).collect::<Vec<_>>().join(" ")),
    );
    both::meet(twins::Tally::one(counts), score, &library, || case.name.clone())
}

#[test]
fn cases_are_complete() {
    let papers = papers();
    assert!(!papers.about.is_empty());
    let names: BTreeSet<_> = papers.cases.iter().map(|case| &case.name).collect();
    assert_eq!(names.len(), papers.cases.len(), "names are unique");
    for case in &papers.cases {
        assert!(!case.why.is_empty() && !case.expected.is_empty(), "{}", case.name);
        assert!(case.key.is_some() != case.key_links.is_some(), "{}: one key", case.name);
        assert!(case.response.is_some() != case.response_links.is_some(), "{}: one response", case.name);
    }
}

/// CEAF is symmetric in key and response: exchanging them exchanges recall and precision.
#[test]
fn ceaf_is_symmetric_on_every_example() {
    for case in papers().cases {
        let mut numbers = BTreeMap::new();
        let key = side(&case.key, &case.key_links, &mut numbers);
        let response = side(&case.response, &case.response_links, &mut numbers);
        for metric in ["ceaf_1", "ceaf_2", "ceaf_m", "ceaf_e"] {
            let one = both::evaluate(&key, &response, metric).tally;
            let other = both::evaluate(&response, &key, metric).tally;
            assert_eq!(one, other.swapped(), "{}, {metric}", case.name);
        }
    }
}

/// Returns a side as lists of mention numbers; new names are added to `numbers`.
fn side(
    entities: &Option<Vec<Vec<String>>>,
    links: &Option<Vec<[String; 2]>>,
    numbers: &mut BTreeMap<String, u32>,
) -> Vec<Vec<u32>> {
    let mut number = |name: &String| {
        let next = numbers.len() as u32;
        *numbers.entry(name.clone()).or_insert(next)
    };
    match (entities, links) {
        (Some(entities), None) => entities.iter().map(|e| e.iter().map(&mut number).collect()).collect(),
        (None, Some(links)) => connected(links.iter().map(|[one, other]| (number(one), number(other)))),
        _ => panic!("a side has entities or links"),
    }
}

/// Returns the entities that links connect, by union-find.
fn connected(links: impl Iterator<Item = (u32, u32)>) -> Vec<Vec<u32>> {
    let mut parents: BTreeMap<u32, u32> = BTreeMap::new();
    fn root(parents: &BTreeMap<u32, u32>, mut mention: u32) -> u32 {
        while parents[&mention] != mention {
            mention = parents[&mention];
        }
        mention
    }
    for (one, other) in links {
        parents.entry(one).or_insert(one);
        parents.entry(other).or_insert(other);
        let (one, other) = (root(&parents, one), root(&parents, other));
        parents.insert(one, other);
    }
    let mut entities: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for &mention in parents.keys() {
        entities.entry(root(&parents, mention)).or_default().push(mention);
    }
    entities.into_values().collect()
}

fn value_of<'a>(score: &'a Score, part: &str) -> &'a Fraction {
    match part {
        "recall" => &score.recall,
        "precision" => &score.precision,
        "f1" => &score.f1,
        _ => panic!("no part `{part}` of a score"),
    }
}

/// Parses `"5/3"` or `"7"`.
fn parse(text: &str) -> Fraction {
    text.parse::<BigRational>().unwrap_or_else(|error| panic!("`{text}`: {error}"))
}

/// Returns whether `value` equals `printed`, a printed number, to its number of digits.
fn prints_as(value: &Fraction, printed: &str, rounding: Rounding) -> bool {
    let (digits, unit) = match printed.strip_suffix('%') {
        Some(digits) => (digits, whole(100)),
        None => (printed, whole(1)),
    };
    let (before, after) = digits.split_once('.').unwrap_or((digits, ""));
    let wanted = parse(&format!("{before}{after}"));
    let shifted = value * unit * whole(10).pow(after.len());
    let last = match rounding {
        Rounding::HalfUp => (shifted + fraction(1, 2)).floor(),
        Rounding::Cut => shifted.floor(),
    };
    last == wanted
}

#[test]
fn printed_numbers_are_compared_at_their_last_digit() {
    let two_thirds = fraction(2, 3);
    assert!(prints_as(&two_thirds, "0.667", Rounding::HalfUp));
    assert!(prints_as(&two_thirds, "66.66%", Rounding::Cut));
    assert!(!prints_as(&two_thirds, "66.67%", Rounding::Cut));
    assert!(!prints_as(&two_thirds, "0.66", Rounding::HalfUp));
}
