//! The analysis of Moosavi and Strube (2016), figures 2–8: families of responses to one key that show the
//! errors to which each metric is sensitive.
//!
//! The key has one entity of 20 mentions, two of 10, three of 5, one of 4 and ten of 2. The responses are those of
//! `corefeval reproduce`; the scores are compared with formulas worked by hand.

use crate::twins;

use crate::both::evaluate;
use crate::twins::{Fraction, Score, fraction, links, whole};
use num_traits::{One, Zero};

use self::families::{
    Entities, MERGES, SPLITS, correct_and_wrong_links, correct_links, extra, key, mention_identification,
    merge, split,
};

/// The responses, as `corefeval reproduce` makes them.
#[allow(dead_code)]
#[path = "../../../corefeval-papers/src/families.rs"]
mod families;

/// Mentions of the key.
const MENTIONS: usize = 79;
/// Entities of the key.
const ENTITIES: usize = 17;
/// Links that MUC counts in the key: mentions less entities.
const TREE_LINKS: usize = 62;
/// Links of the key: 190 + 2·45 + 3·10 + 6 + 10.
const LINKS: usize = 326;
/// The first mention that the key lacks.
const EXTRA: u32 = 79;

fn score(response: &Entities, metric: &str) -> Score {
    evaluate(&key(), response, metric).score
}

/// n (n − 1) / 2.
fn pairs(n: usize) -> usize {
    n * (n - 1) / 2
}

#[test]
fn the_key_is_as_described() {
    let key = key();
    let entities = twins::entities(&key);
    assert_eq!(key.len(), ENTITIES);
    assert_eq!(twins::mentions_of(&entities).len(), MENTIONS);
    assert_eq!(links::coreference(&entities).len(), LINKS);
    assert_eq!(MENTIONS - ENTITIES, TREE_LINKS);
}

#[test]
fn only_muc_and_lea_are_0_when_no_link_is_correct() {
    let mut last = Vec::new();
    for percent in [0, 20, 40, 60, 80, 100] {
        let response = mention_identification(percent);
        assert!(score(&response, "pairwise").recall.is_zero(), "{percent}% has a correct link");
        for metric in ["muc", "lea"] {
            assert_eq!(score(&response, metric), Score::default(), "{metric}, {percent} %");
        }
        let others = ["mentions", "b_cubed", "ceaf_m", "ceaf_e", "blanc"];
        let scores: Vec<Fraction> = others.iter().map(|metric| score(&response, metric).f1).collect();
        for (place, metric) in others.iter().enumerate() {
            match percent {
                0 => assert!(scores[place].is_zero(), "{metric}: nothing is in the response"),
                _ => assert!(scores[place] > last[place], "{metric} grows up to {percent}%"),
            }
        }
        last = scores;
    }
}

#[test]
fn recall_grows_with_correct_links() {
    let metrics = ["muc", "b_cubed", "ceaf_m", "blanc", "lea", "pairwise"];
    let mut last = vec![-Fraction::one(); metrics.len()];
    for percent in [0, 20, 40, 60, 80, 100] {
        let (response, _) = correct_links(percent);
        for (metric, last) in metrics.iter().zip(&mut last) {
            let score = score(&response, metric);
            assert!(score.recall > *last, "{metric}, {percent} %");
            // A response of one entity has no non-coreference link: half of BLANC's precision.
            let half = *metric == "blanc" && response.len() == 1;
            let precision = if half { fraction(1, 2) } else { Fraction::one() };
            assert!(percent == 0 || score.precision == precision, "{metric}, {percent} %");
            *last = score.recall;
        }
    }
    assert!(last.iter().all(Fraction::is_one), "all links are found");
}

#[test]
fn wrong_links_add_to_the_recall_of_all_but_muc_and_lea() {
    for percent in [0, 20, 40, 60, 80] {
        let (without, with) = (correct_links(percent).0, correct_and_wrong_links(percent));
        for metric in ["muc", "lea", "pairwise"] {
            let (without, with) = (score(&without, metric), score(&with, metric));
            assert_eq!(with.recall, without.recall, "{metric}, {percent} %");
            assert!(with.precision < Fraction::one(), "{metric}, {percent} %");
        }
        for metric in ["b_cubed", "ceaf_m", "ceaf_e"] {
            let (without, with) = (score(&without, metric), score(&with, metric));
            assert!(with.recall > without.recall, "{metric}, {percent} %");
        }
    }
    let none = correct_and_wrong_links(0);
    for metric in ["muc", "lea"] {
        assert_eq!(score(&none, metric), Score::default(), "{metric}");
    }
}

/// Returns the first entities of the key in decreasing size, and in increasing size.
fn correct_entities(number: usize) -> [Entities; 2] {
    let key = key();
    [key[..number].to_vec(), key[ENTITIES - number..].to_vec()]
}

#[test]
fn b_cubed_ceaf_m_and_lea_agree_on_whole_entities() {
    for number in 1..=ENTITIES {
        for response in correct_entities(number) {
            let mentions: usize = response.iter().map(Vec::len).sum();
            let b_cubed = score(&response, "b_cubed");
            assert_eq!(b_cubed.recall, fraction(mentions, MENTIONS));
            assert!(b_cubed.precision.is_one());
            assert_eq!(b_cubed, score(&response, "ceaf_m"));
            assert_eq!(b_cubed, score(&response, "lea"));
            let muc = score(&response, "muc");
            assert_eq!(muc.recall, fraction(mentions - number, TREE_LINKS));
            assert!(muc.precision.is_one());
        }
    }
}

#[test]
fn ceaf_e_ignores_which_entities_are_resolved() {
    for number in 1..=ENTITIES {
        let [decreasing, increasing] = correct_entities(number);
        let ceaf_e = score(&decreasing, "ceaf_e");
        assert_eq!(ceaf_e.recall, fraction(number, ENTITIES));
        assert!(ceaf_e.precision.is_one());
        assert_eq!(ceaf_e, score(&increasing, "ceaf_e"));
        if number < ENTITIES {
            let (large, small) = (score(&decreasing, "lea"), score(&increasing, "lea"));
            assert!(large.recall > small.recall, "{number} entities");
        }
    }
}

/// The loss of recall by splitting an entity, which is also the loss of precision by merging its parts.
struct Loss {
    muc: Fraction,
    b_cubed: Fraction,
    ceaf_m: Fraction,
    lea: Fraction,
}

impl Loss {
    /// Returns the loss for an entity divided into `parts`. MUC depends only on their number.
    fn of(parts: &[usize]) -> Loss {
        let all: usize = parts.iter().sum();
        let squares: usize = parts.iter().map(|part| part * part).sum();
        let links: usize = parts.iter().map(|&part| pairs(part)).sum();
        let largest = parts.iter().max().copied().unwrap_or_default();
        let of_mentions = |lost: Fraction| lost / whole(MENTIONS);
        Loss {
            muc: fraction(parts.len() - 1, TREE_LINKS),
            b_cubed: of_mentions(whole(all) - fraction(squares, all)),
            ceaf_m: fraction(all - largest, MENTIONS),
            lea: of_mentions(whole(all) * (Fraction::one() - fraction(links, pairs(all)))),
        }
    }
}

#[test]
fn muc_depends_only_on_the_number_of_splits() {
    for parts in SPLITS {
        let response = split(parts);
        let loss = Loss::of(parts);
        for (metric, lost) in [("muc", loss.muc), ("b_cubed", loss.b_cubed), ("lea", loss.lea)] {
            let score = score(&response, metric);
            assert_eq!(score.recall, Fraction::one() - lost, "{metric} of split {parts:?}");
            // A part of one mention is a singleton that the key lacks.
            let wrong = metric == "lea" && parts.contains(&1);
            let precision = Fraction::one() - fraction(usize::from(wrong), MENTIONS);
            assert_eq!(score.precision, precision, "{metric} of split {parts:?}");
        }
        let ceaf_m = score(&response, "ceaf_m");
        assert_eq!(ceaf_m.recall, Fraction::one() - &loss.ceaf_m, "split {parts:?}");
        assert_eq!(ceaf_m.precision, ceaf_m.recall, "split {parts:?}");
    }
}

#[test]
fn muc_depends_only_on_the_number_of_merges() {
    for parts in MERGES {
        let response = merge(parts);
        let loss = Loss::of(parts);
        let all: usize = parts.iter().sum();
        // The response has fewer wrong tree links: the key's and one for each merge.
        let muc = fraction(TREE_LINKS, TREE_LINKS + parts.len() - 1);
        let one = Fraction::one();
        for (metric, precision) in [("muc", muc), ("b_cubed", &one - loss.b_cubed), ("lea", &one - loss.lea)]
        {
            let score = score(&response, metric);
            assert_eq!(score.precision, precision, "{metric} of merge {parts:?} ({all} mentions)");
            assert!(score.recall.is_one(), "{metric} of merge {parts:?}");
        }
        let ceaf_m = score(&response, "ceaf_m");
        assert_eq!(ceaf_m.precision, one - loss.ceaf_m, "merge {parts:?}");
        assert_eq!(ceaf_m.precision, ceaf_m.recall, "merge {parts:?}");
    }
}

#[test]
fn lea_depends_on_the_evenness_of_a_split_and_the_size_of_the_entity() {
    let f1 = |parts: &[usize]| score(&split(parts), "lea").f1;
    let uneven = [&[18, 2], &[17, 3], &[16, 4], &[15, 5], &[10, 10]].map(|parts| f1(parts));
    assert!(uneven.is_sorted_by(|one, next| one > next));
    assert!(f1(&[2, 2]) > f1(&[10, 10]), "a large entity is more important");
}

#[test]
fn ceaf_e_ignores_the_size_of_split_or_merged_entities() {
    assert_eq!(score(&split(&[10, 10]), "ceaf_e"), score(&split(&[2, 2]), "ceaf_e"));
    assert_eq!(score(&split(&[16, 4]), "ceaf_e"), score(&split(&[8, 2]), "ceaf_e"));
    assert_eq!(score(&merge(&[10, 10]), "ceaf_e"), score(&merge(&[2, 2]), "ceaf_e"));
    assert_eq!(score(&merge(&[5, 5, 5]), "ceaf_e"), score(&merge(&[2, 2, 2]), "ceaf_e"));
    // 2·10 / (20 + 10) for the entity of twenty, 1 for the sixteen others.
    let ceaf_e = score(&split(&[10, 10]), "ceaf_e");
    assert_eq!(ceaf_e.recall, (whole(16) + fraction(2, 3)) / whole(17));
    assert_eq!(ceaf_e.precision, (whole(16) + fraction(2, 3)) / whole(18));
}

#[test]
fn extra_mentions_cost_precision() {
    for number in [1usize, 2, 3, 4, 5, 10] {
        for size in [0, 2, 4, 5, 10, 20] {
            if number == 1 && size == 0 {
                continue; // One mention cannot be linked to itself.
            }
            let response = extra(number as u32, size);
            let place = format!("{number}-{size}");
            let precision = |metric: &str| {
                let score = score(&response, metric);
                assert!(score.recall.is_one() || metric.starts_with("ceaf_e"), "{metric}, {place}");
                score.precision
            };
            let rest = MENTIONS - size;
            let of_all = |right: Fraction| right / whole(MENTIONS + number);
            let grown = size + number;
            // MUC and CEAFm ignore the size of the entity that the mentions are added to.
            let wrong_links = if size == 0 { number - 1 } else { number };
            assert_eq!(precision("muc"), fraction(TREE_LINKS, TREE_LINKS + wrong_links), "{place}");
            assert_eq!(precision("ceaf_m"), fraction(MENTIONS, MENTIONS + number), "{place}");
            let b_cubed = of_all(whole(rest) + fraction(size * size, grown));
            assert_eq!(precision("b_cubed"), b_cubed, "{place}");
            let resolved = if size == 0 { 0 } else { pairs(size) };
            let lea = of_all(whole(rest) + fraction(grown * resolved, pairs(grown)));
            assert_eq!(precision("lea"), lea, "{place}");
            // CEAFe counts one wrong entity among eighteen, however many mentions it has.
            let ceaf_e = match size {
                0 => fraction(ENTITIES, ENTITIES + 1),
                _ => (whole(ENTITIES - 1) + fraction(2 * size, size + grown)) / whole(ENTITIES),
            };
            assert_eq!(precision("ceaf_e"), ceaf_e, "{place}");
        }
    }
}

/// One response entity of all mentions, or singletons only; with mentions that the key lacks, and
/// without the key's entity of twenty.
fn boundary() -> Vec<(&'static str, Vec<u32>)> {
    vec![
        ("all mentions", (0..EXTRA).collect()),
        ("twenty extra mentions", (0..EXTRA + 20).collect()),
        ("twenty missed mentions", (20..EXTRA).collect()),
    ]
}

#[test]
fn singletons_score_nothing_with_muc_and_lea() {
    for (name, mentions) in boundary() {
        let singletons: Entities = mentions.iter().map(|&mention| vec![mention]).collect();
        for metric in ["muc", "lea"] {
            assert_eq!(score(&singletons, metric), Score::default(), "{metric}, {name}");
        }
        for metric in ["b_cubed", "ceaf_m", "ceaf_e"] {
            assert!(score(&singletons, metric).f1 > Fraction::zero(), "{metric}, {name}");
        }
        let in_key = mentions.iter().filter(|&&mention| mention < EXTRA).count();
        let met = if in_key == MENTIONS { ENTITIES } else { ENTITIES - 1 };
        let b_cubed = score(&singletons, "b_cubed");
        assert_eq!(b_cubed.recall, fraction(met, MENTIONS), "{name}");
        assert_eq!(b_cubed.precision, fraction(in_key, mentions.len()), "{name}");
        let ceaf_m = score(&singletons, "ceaf_m");
        assert_eq!(ceaf_m.recall, fraction(met, MENTIONS), "{name}");
        assert_eq!(ceaf_m.precision, fraction(met, mentions.len()), "{name}");
    }
}

#[test]
fn muc_favours_one_entity_of_all_mentions() {
    for (name, mentions) in boundary() {
        let response = vec![mentions];
        let muc = score(&response, "muc").f1;
        for metric in ["b_cubed", "ceaf_m", "ceaf_e", "blanc", "lea"] {
            assert!(muc > score(&response, metric).f1, "{metric}, {name}");
        }
    }
    let one = vec![(0..EXTRA).collect()];
    assert_eq!(score(&one, "muc").precision, fraction(TREE_LINKS, MENTIONS - 1));
    assert_eq!(score(&one, "lea").precision, fraction(LINKS, pairs(MENTIONS)));
    // Σ |K|² = 400 + 2·100 + 3·25 + 16 + 10·4.
    assert_eq!(score(&one, "b_cubed").precision, fraction(731, MENTIONS * MENTIONS));
    assert_eq!(score(&one, "ceaf_m").precision, fraction(20, MENTIONS));
    assert_eq!(score(&one, "ceaf_e").precision, fraction(2 * 20, 20 + MENTIONS));
    for metric in ["muc", "lea", "b_cubed"] {
        assert!(score(&one, metric).recall.is_one(), "{metric}");
    }
}

/// With forty singletons in the key, LEA resolves exactly these in a response of singletons, and
/// MUC still counts nothing.
#[test]
fn lea_resolves_singletons_of_the_key() {
    let mut with_singletons = key();
    with_singletons.extend((EXTRA..EXTRA + 40).map(|mention| vec![mention]));
    let singletons: Entities = (0..EXTRA + 40).map(|mention| vec![mention]).collect();
    let lea = evaluate(&with_singletons, &singletons, "lea").score;
    assert_eq!(lea.recall, fraction(40, 119));
    assert_eq!(lea.precision, fraction(40, 119));
    assert_eq!(evaluate(&with_singletons, &singletons, "muc").score, Score::default());
    let one = vec![(0..EXTRA + 40).collect()];
    let lea = evaluate(&with_singletons, &one, "lea").score;
    assert_eq!(lea.recall, fraction(79, 119), "a larger entity does not resolve a singleton");
}
