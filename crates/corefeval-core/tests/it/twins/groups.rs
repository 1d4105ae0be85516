//! The counts of a single mention, link by link.

use num_traits::Zero;

use super::{Entity, Fraction, Tally, fraction, holder, mentions_of, whole};

/// The contributions of a mention to a numerator and to the denominator.
type Share = (Fraction, Fraction);

/// The metrics whose shares follow from the mention's surroundings alone, all but CEAF.
pub const PLAIN: [&str; 9] = [
    "mentions", "muc", "b_cubed", "b_cubed:weight=entity", "blanc", "lea", "lea:importance=uniform",
    "pairwise", "rand",
];

/// The similarities of CEAF.
pub const CEAF: [&str; 4] = ["ceaf_1", "ceaf_2", "ceaf_m", "ceaf_e"];

/// Returns the contribution of `mention` of `own`, in two halves.
fn shares(metric: &str, own: &[Entity], other: &[Entity], mention: u32) -> [Share; 2] {
    let entity = holder(own, mention).expect("a mention of this side");
    let size = entity.len();
    let found = holder(other, mention);
    let nothing = (whole(0), whole(0));
    let together = |side: &[Entity], a: u32, b: u32| holder(side, a).is_some_and(|held| held.contains(&b));
    let (ours, theirs) = (mentions_of(own), mentions_of(other));
    let common = |m: u32| ours.contains(&m) && theirs.contains(&m);
    // The mention has links to all other mentions of its side.
    let links = || ours.iter().copied().filter(|&m| m != mention);
    let half = |count: usize| fraction(count, 2);
    let both = |m: u32| common(mention) && common(m);
    let one = match metric {
        "mentions" => (whole(usize::from(found.is_some())), whole(1)),
        "muc" => {
            // These links join the part of its entity that the other side keeps together.
            let part = found.map_or(1, |found| found.intersection(entity).count());
            (fraction(part - 1, part), fraction(size - 1, size))
        }
        "b_cubed" => (fraction(found.map_or(0, |found| found.intersection(entity).count()), size), whole(1)),
        "b_cubed:weight=entity" => {
            let [(found, all), _] = shares("b_cubed", own, other, mention);
            (found / whole(size), all / whole(size))
        }
        "lea" if size == 1 => (whole(usize::from(found.is_some_and(|found| found.len() == 1))), whole(1)),
        "lea" => {
            let resolved = links().filter(|&m| entity.contains(&m) && together(other, mention, m)).count();
            let links_of_entity = fraction(size * (size - 1), 2);
            (half(resolved) / links_of_entity * whole(size), whole(1))
        }
        "lea:importance=uniform" => {
            let [(found, all), _] = shares("lea", own, other, mention);
            (found / whole(size), all / whole(size))
        }
        "pairwise" => {
            let all = links().filter(|m| entity.contains(m));
            (half(all.clone().filter(|&m| together(other, mention, m)).count()), half(all.count()))
        }
        "blanc" => {
            let [together_share, _] = shares("pairwise", own, other, mention);
            let apart = links().filter(|m| !entity.contains(m));
            let found = apart.clone().filter(|&m| both(m) && !together(other, mention, m)).count();
            return [together_share, (half(found), half(apart.count()))];
        }
        "rand" => {
            let all = links().filter(|&m| both(m));
            let agree = |m: &u32| together(own, mention, *m) == together(other, mention, *m);
            (half(all.clone().filter(agree).count()), half(all.count()))
        }
        other => panic!("no shares of `{other}`"),
    };
    [one, nothing]
}

/// Returns the counts of the mentions of a group: those of the key and of the response that `is_in` selects.
pub fn tally(metric: &str, key: &[Entity], response: &[Entity], is_in: impl Fn(&str, u32) -> bool) -> Tally {
    let mut tally = Tally::default();
    for mention in mentions_of(key).into_iter().filter(|&mention| is_in("key", mention)) {
        let [first, second] = shares(metric, key, response, mention);
        for (counts, share) in [(&mut tally.first, first), (&mut tally.second, second)] {
            counts.recall_num += share.0;
            counts.recall_den += share.1;
        }
    }
    for mention in mentions_of(response).into_iter().filter(|&mention| is_in("response", mention)) {
        let [first, second] = shares(metric, response, key, mention);
        for (counts, share) in [(&mut tally.first, first), (&mut tally.second, second)] {
            counts.precision_num += share.0;
            counts.precision_den += share.1;
        }
    }
    tally
}

/// Like [`tally`], for CEAF, under each of the best maps.
pub fn ceaf_tallies(
    metric: &str,
    key: &[Entity],
    response: &[Entity],
    is_in: impl Fn(&str, u32) -> bool,
) -> Vec<Tally> {
    let phi = |k: &Entity, r: &Entity| {
        let common = k.intersection(r).count();
        match metric {
            "ceaf_1" => whole(usize::from(k == r)),
            "ceaf_2" => whole(usize::from(common > 0)),
            "ceaf_m" => whole(common),
            _ => fraction(2 * common, k.len() + r.len()),
        }
    };
    let mut maps = Vec::new();
    all_maps(key, response, &phi, &mut Vec::new(), &mut maps);
    let total = |map: &Vec<(usize, usize)>| -> Fraction {
        map.iter().map(|&(k, r)| phi(&key[k], &response[r])).sum()
    };
    let best = maps.iter().map(&total).max().unwrap_or_else(Fraction::zero);
    let of_map = |map: &Vec<(usize, usize)>| {
        let mut tally = Tally::default();
        let counts = &mut tally.first;
        for &(k, r) in map {
            let (ours, theirs) = (&key[k], &response[r]);
            let common = ours.intersection(theirs).count();
            for &mention in ours.intersection(theirs) {
                let share = phi(ours, theirs) / whole(common);
                if is_in("key", mention) {
                    counts.recall_num += &share;
                }
                if is_in("response", mention) {
                    counts.precision_num += &share;
                }
            }
        }
        for entity in key {
            let inside = entity.iter().filter(|&&mention| is_in("key", mention)).count();
            counts.recall_den += phi(entity, entity) * fraction(inside, entity.len());
        }
        for entity in response {
            let inside = entity.iter().filter(|&&mention| is_in("response", mention)).count();
            counts.precision_den += phi(entity, entity) * fraction(inside, entity.len());
        }
        tally
    };
    maps.iter().filter(|map| total(map) == best).map(of_map).collect()
}

/// Collects all one-to-one maps of entities with any similarity.
fn all_maps(
    key: &[Entity],
    response: &[Entity],
    phi: &impl Fn(&Entity, &Entity) -> Fraction,
    map: &mut Vec<(usize, usize)>,
    maps: &mut Vec<Vec<(usize, usize)>>,
) {
    let next = map.len();
    if next == key.len() {
        maps.push(map.iter().copied().filter(|pair| pair.1 < response.len()).collect());
        return;
    }
    for place in 0..=response.len() {
        let free = place == response.len() || map.iter().all(|pair| pair.1 != place);
        let similar = place == response.len() || !phi(&key[next], &response[place]).is_zero();
        if free && similar {
            map.push((next, place));
            all_maps(key, response, phi, map, maps);
            map.pop();
        }
    }
}
