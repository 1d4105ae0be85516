//! Two partitions of some mentions, by MUC, B³, CEAF φ3 and the pairwise links, against their plain definitions.
#![no_main]

use arbitrary::Arbitrary;
use corefeval_metrics::score;
use libfuzzer_sys::fuzz_target;

/// The entity of each mention on both sides; 0 where a side lacks it.
#[derive(Arbitrary, Debug)]
struct Case(Vec<(u8, u8)>);

const ENTITIES: usize = 5;

fn entities(case: &[(u8, u8)], side: impl Fn(&(u8, u8)) -> u8) -> Vec<Vec<usize>> {
    let mut entities = vec![Vec::new(); ENTITIES];
    for (mention, places) in case.iter().enumerate() {
        let entity = usize::from(side(places)) % (ENTITIES + 1);
        if entity > 0 {
            entities[entity - 1].push(mention);
        }
    }
    entities.retain(|entity| !entity.is_empty());
    entities
}

fn shared(one: &[usize], other: &[usize]) -> usize {
    one.iter().filter(|mention| other.contains(mention)).count()
}

/// Recall of MUC: for each entity its size less the number of pieces that the other side cuts it into.
fn muc(own: &[Vec<usize>], other: &[Vec<usize>]) -> (usize, usize) {
    let mut counts = (0, 0);
    for entity in own {
        let found: usize = other.iter().map(|theirs| shared(entity, theirs)).sum();
        let pieces = other.iter().filter(|theirs| shared(entity, theirs) > 0).count() + entity.len() - found;
        counts = (counts.0 + entity.len() - pieces, counts.1 + entity.len() - 1);
    }
    counts
}

fn b_cubed(own: &[Vec<usize>], other: &[Vec<usize>]) -> (f64, f64) {
    let mut sums = (0.0, 0.0);
    for entity in own {
        for theirs in other {
            sums.0 += (shared(entity, theirs) as f64).powi(2) / entity.len() as f64;
        }
        sums.1 += entity.len() as f64;
    }
    sums
}

/// The greatest total of shared mentions of any one-to-one choice.
fn best(key: &[Vec<usize>], response: &[Vec<usize>], taken: &mut Vec<usize>) -> usize {
    let Some((first, rest)) = key.split_first() else { return 0 };
    let mut most = best(rest, response, taken);
    for place in 0..response.len() {
        if !taken.contains(&place) {
            taken.push(place);
            most = most.max(shared(first, &response[place]) + best(rest, response, taken));
            taken.pop();
        }
    }
    most
}

fn close(found: f64, (numerator, denominator): (f64, f64)) -> bool {
    let wanted = if denominator == 0.0 { 0.0 } else { numerator / denominator };
    (found - wanted).abs() < 1e-9
}

fuzz_target!(|case: Case| {
    let mentions = &case.0[..case.0.len().min(60)];
    let (key, response) = (entities(mentions, |places| places.0), entities(mentions, |places| places.1));
    let found = score(&key, &response, &["muc", "b_cubed", "ceaf_m", "pairwise"]).expect("no mention is repeated");
    let real = |counts: (usize, usize)| (counts.0 as f64, counts.1 as f64);
    let size = |side: &[Vec<usize>]| side.iter().map(Vec::len).sum::<usize>();
    let pairs = |count: usize| count * count.saturating_sub(1) / 2;
    let links = |side: &[Vec<usize>]| side.iter().map(|entity| pairs(entity.len())).sum::<usize>();
    let in_common: usize =
        key.iter().flat_map(|ours| response.iter().map(|theirs| pairs(shared(ours, theirs)))).sum();
    let most = best(&key, &response, &mut Vec::new());
    let wanted = [
        (real(muc(&key, &response)), real(muc(&response, &key))),
        (b_cubed(&key, &response), b_cubed(&response, &key)),
        (real((most, size(&key))), real((most, size(&response)))),
        (real((in_common, links(&key))), real((in_common, links(&response)))),
    ];
    for (found, (recall, precision)) in found.iter().zip(wanted) {
        assert!(close(found.score.recall, recall), "{:?} {recall:?}", found.score);
        assert!(close(found.score.precision, precision), "{:?} {precision:?}", found.score);
    }
});
