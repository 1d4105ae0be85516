//! Compares the metrics with their plain twins on thousands of random partitions: counts as exact fractions, scores,
//! and the shares of mentions.

use corefeval_metrics::fraction::FractionSum;
use corefeval_metrics::overlap::{Overlap, OverlapCell};
use corefeval_metrics::shares::{All, Share};
use corefeval_metrics::tally::{Counts, Tally};
use corefeval_metrics::{ENTITY_METRICS, Error, Side, Variant, align, score};
use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};

use crate::random::Rng;
use crate::twins::{self, Fraction, TWINS};

/// Generates the entities of a side, with each mention in at most one.
fn side(random: &mut Rng, mentions: u32, entities: u64, missing: u64) -> Vec<Vec<u32>> {
    let mut side = vec![Vec::new(); entities as usize];
    for mention in 0..mentions {
        if random.below(10) >= missing {
            side[random.below(entities) as usize].push(mention);
        }
    }
    side.retain(|entity| !entity.is_empty());
    side
}

/// Generates key and response of a round: small and large, similar and different, with missing and extra mentions.
fn pair(round: u64) -> (Vec<Vec<u32>>, Vec<Vec<u32>>) {
    let mut random = Rng(round);
    let mentions = random.below(if round.is_multiple_of(7) { 40 } else { 12 }) as u32;
    let (entities, missing) = (1 + random.below(7), random.below(4));
    let key = side(&mut random, mentions, entities, missing);
    if random.below(8) == 0 {
        return (key.clone(), key);
    }
    let (entities, missing) = (1 + random.below(7), random.below(4));
    let mut response = side(&mut random, mentions, entities, missing);
    if random.below(3) == 0 {
        response.push(vec![1000, 1001]);
    }
    (key, response)
}

/// Returns a sum of the library as a fraction, if it can be represented as one.
fn exact(sum: &FractionSum) -> Option<Fraction> {
    sum.to_ratio()
        .map(|(numerator, denominator)| Fraction::new(BigInt::from(numerator), BigInt::from(denominator)))
}

fn check_counts(found: &Counts, wanted: &twins::Counts, place: &dyn Fn() -> String) {
    let pairs = [
        (&found.recall_num, &wanted.recall_num),
        (&found.recall_den, &wanted.recall_den),
        (&found.precision_num, &wanted.precision_num),
        (&found.precision_den, &wanted.precision_den),
    ];
    for (found, wanted) in pairs {
        assert_eq!(exact(found).as_ref(), Some(wanted), "{}", place());
        let nearest = wanted.to_f64().expect("a finite fraction");
        assert!((found.to_f64() - nearest).abs() <= 1e-12 * nearest.abs().max(1.0), "{}", place());
        assert_eq!(found.is_zero(), wanted.is_zero(), "{}", place());
    }
}

fn check_tally(found: &Tally, wanted: &twins::Tally, place: &dyn Fn() -> String) {
    check_counts(&found.first, &wanted.first, place);
    check_counts(&found.second, &wanted.second, place);
}

#[test]
fn counts_and_scores_are_those_of_the_twins() {
    let names: Vec<&str> = TWINS.iter().map(|twin| twin.id).collect();
    for round in 0..1500 {
        let (key, response) = pair(round);
        let found = score(&key, &response, &names).expect("no mention is repeated");
        let swapped = score(&response, &key, &names).expect("no mention is repeated");
        for ((twin, found), swapped) in TWINS.iter().zip(&found).zip(&swapped) {
            let place = || format!("{} of key {key:?}, response {response:?}", twin.id);
            let (tally, wanted) = twin.evaluate(&key, &response);
            check_tally(found.tally.as_ref().expect("counts"), &tally, &place);
            let parts = [found.score.recall, found.score.precision, found.score.f1];
            for (part, wanted) in parts.iter().zip(wanted.parts()) {
                assert!((part - wanted.to_f64().expect("a score")).abs() < 1e-12, "{}", place());
            }
            // An undefined value is 0 in the score, and `None` in the methods.
            let optional = [found.recall(), found.precision(), found.f1()];
            for ((part, optional), defined) in parts.iter().zip(optional).zip(found.defined) {
                assert_eq!(optional, defined.then_some(*part), "{}", place());
                assert!(defined || *part == 0.0, "{}", place());
            }
            if !tally.first.recall_den.is_zero() && tally.second == twins::Tally::default().second {
                assert!(found.defined[0], "{}", place());
            }
            if twin.id != "blanc" && twin.id != "blanc:halves=key" {
                assert!((swapped.score.recall - found.score.precision).abs() < 1e-12, "{}", place());
                assert!((swapped.score.precision - found.score.recall).abs() < 1e-12, "{}", place());
            }
        }
    }
}

#[test]
fn counts_of_documents_add_up() {
    let names: Vec<&str> = TWINS.iter().map(|twin| twin.id).collect();
    for round in 0..300 {
        let mut sums = vec![(Tally::default(), twins::Tally::default()); TWINS.len()];
        for (key, response) in [pair(3 * round), pair(3 * round + 1), pair(3 * round + 2)] {
            let found = score(&key, &response, &names).expect("no mention is repeated");
            for ((sum, twin), found) in sums.iter_mut().zip(TWINS).zip(&found) {
                sum.0.add(found.tally.as_ref().expect("counts"));
                sum.1 = sum.1.plus(&twin.evaluate(&key, &response).0);
            }
        }
        for (twin, (sum, wanted)) in TWINS.iter().zip(&sums) {
            check_tally(sum, wanted, &|| format!("{} in round {round}", twin.id));
        }
    }
}

#[test]
fn the_conll_average_is_the_mean_of_three() {
    for round in 0..300 {
        let (key, response) = pair(round);
        let found =
            score(&key, &response, &["conll", "muc", "b_cubed", "ceaf_e"]).expect("no mention is repeated");
        let mean = found[1..].iter().map(|part| part.score.f1).sum::<f64>() / 3.0;
        assert!((found[0].score.f1 - mean).abs() < 1e-12, "key {key:?}, response {response:?}");
        assert_eq!(found[0].f1().is_some(), found[1..].iter().all(|part| part.f1().is_some()));
        assert!(found[0].tally.is_none() && found[0].recall().is_none() && found[0].precision().is_none());
    }
}

#[test]
fn the_shares_of_all_mentions_add_up_to_the_counts() {
    let mut with_shares = 0;
    for round in 0..400 {
        let (key, response) = pair(round);
        let aligned = align(&key, &response).expect("no mention is repeated");
        for metric in ENTITY_METRICS {
            let found = score(&key, &response, &[metric.info.id]).expect("no mention is repeated");
            let tally = found[0].tally.as_ref().expect("counts");
            let variant = Variant::new(metric.info);
            for side in [Side::Key, Side::Response] {
                let shares = metric.counted_shares(&aligned, &variant, side);
                with_shares += shares.len();
                for (shares, counts) in shares.iter().zip([&tally.first, &tally.second]) {
                    let (numerator, denominator) = match side {
                        Side::Key => (&counts.recall_num, &counts.recall_den),
                        Side::Response => (&counts.precision_num, &counts.precision_den),
                    };
                    let view = aligned.view(shares.view);
                    let sizes = if side == Side::Key { view.key_sizes() } else { view.response_sizes() };
                    let of_cells = |all: &[Share]| {
                        assert_eq!(all.len(), view.cells().len());
                        total(all.iter().zip(view.cells()).map(|(share, cell)| (share, cell.shared)))
                    };
                    let all = match &shares.all {
                        All::OfEntities(all) => total(all.iter().zip(sizes.iter().copied())),
                        All::OfCells(all) => of_cells(all),
                    };
                    let found: Vec<Share> =
                        (0..view.cells().len()).map(|cell| shares.of_cell(cell)).collect();
                    let place = format!("{} of key {key:?}, response {response:?}", metric.info.id);
                    assert_eq!(exact(numerator), Some(of_cells(&found)), "{place}");
                    assert_eq!(exact(denominator), Some(all), "{place}");
                }
            }
        }
    }
    assert!(with_shares > 1000, "{with_shares}");
}

/// Returns the sum of shares, each multiplied by its number of mentions.
fn total<'s>(shares: impl Iterator<Item = (&'s Share, u32)>) -> Fraction {
    let share = |(share, times): (&Share, u32)| {
        Fraction::new(BigInt::from(share.numerator) * times, BigInt::from(share.denominator))
    };
    shares.map(share).sum()
}

#[test]
fn tables_of_cells_are_those_of_pairs() {
    for round in 0..400 {
        let (key, response) = pair(round);
        let aligned = align(&key, &response).expect("no mention is repeated");
        let table = aligned.recall_view();
        let sizes = [table.key_sizes().to_vec(), table.response_sizes().to_vec()];
        let cells: Vec<OverlapCell> = table.cells().iter().rev().copied().collect();
        let [ours, theirs] = sizes;
        let memory = [vec![7; ours.len() / 2], vec![9; theirs.len() + 5]];
        let reused = Overlap::of_cells_in(ours.clone(), theirs.clone(), cells.clone(), memory);
        let made = Overlap::of_cells(ours, theirs, cells);
        assert_eq!(reused, made);
        assert_eq!(&made, table, "key {key:?}, response {response:?}");
        assert_eq!(made.response_shared(), table.response_shared());
        assert_eq!(made.transposed().transposed(), made);
        let shared: u64 = made.key_shared().map(u64::from).sum();
        assert_eq!((shared, made.shared_mentions()), (aligned.mentions().shared, shared));
        assert_eq!(made.key_mentions(), key.iter().map(|entity| entity.len() as u64).sum::<u64>());
        assert_eq!(made.response_mentions(), response.iter().map(|entity| entity.len() as u64).sum::<u64>());
        // Common mentions whose entities have no other mention in common. A singleton of both sides is linked to
        // itself.
        let pairs = key.iter().flat_map(|ours| response.iter().map(move |theirs| (ours, theirs)));
        let alone = pairs.filter(|(ours, theirs)| {
            ours.iter().filter(|mention| theirs.contains(mention)).count() == 1
                && (ours.len(), theirs.len()) != (1, 1)
        });
        assert_eq!(made.unlinked_mentions(), alone.count() as u64, "key {key:?}, response {response:?}");
        for (place, cell) in made.cells().iter().enumerate() {
            assert_eq!(made.place(cell.key, cell.response), place);
            assert!(made.row(cell.key).contains(cell));
        }
    }
}

#[test]
fn repeated_mentions_and_unknown_metrics_are_errors() {
    let (once, twice) = (vec![vec![1, 2]], vec![vec![1, 2], vec![2, 3]]);
    for (key, response) in [(&once, &twice), (&twice, &once)] {
        assert!(matches!(score(key, response, &["muc"]), Err(Error::RepeatedMention { .. })));
    }
    assert!(score(&once, &once, &["mcu"]).is_err());
    assert!(score(&once, &once, &[]).expect("an empty list of metrics is valid").is_empty());
}
