//! The published scorers on sides that repeat mentions, as plain as their sources: entities are lists of mentions, and a
//! mention is looked up in the last list that contains it.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::Zero;

use super::{Counts, Fraction, Tally, assignment, fraction, whole};

/// A mention by its identity.
pub type Mention = (u32, u32);

/// One side: entities in the order of their names, each a list with copies.
pub type Lists = Vec<Vec<Mention>>;

/// The counts of each metric, by its name.
pub type Tallies = BTreeMap<&'static str, Tally>;

/// Returns the entity in which each mention is looked up: the last in the order.
fn holders(lists: &Lists, order: &[usize]) -> BTreeMap<Mention, usize> {
    let mut holders = BTreeMap::new();
    for &entity in order {
        lists[entity].iter().for_each(|&mention| _ = holders.insert(mention, entity));
    }
    holders
}

/// One side of B³, MUC and LEA: numerator and denominator.
struct Sided<'l> {
    lists: &'l Lists,
    others: &'l Lists,
    holders: BTreeMap<Mention, usize>,
}

impl Sided<'_> {
    fn b_cubed(&self) -> (Fraction, Fraction) {
        let (mut sum, mut all) = (Fraction::zero(), 0);
        for list in self.lists {
            let mut found: BTreeMap<usize, usize> = BTreeMap::new();
            for other in list.iter().filter_map(|mention| self.holders.get(mention)) {
                *found.entry(*other).or_default() += 1;
            }
            all += list.len();
            found.values().for_each(|&count| sum += fraction(count * count, list.len()));
        }
        (sum, whole(all))
    }

    fn muc(&self) -> (Fraction, Fraction) {
        let (mut found, mut all) = (0, 0);
        for list in self.lists.iter().filter(|list| !list.is_empty()) {
            let known: Vec<usize> =
                list.iter().filter_map(|mention| self.holders.get(mention)).copied().collect();
            found += known.len() - known.iter().collect::<BTreeSet<_>>().len();
            all += list.len() - 1;
        }
        (whole(found), whole(all))
    }

    fn lea(&self) -> (Fraction, Fraction) {
        let (mut sum, mut all) = (Fraction::zero(), 0);
        for list in self.lists.iter().filter(|list| !list.is_empty()) {
            all += list.len();
            let holder = |mention: &Mention| self.holders.get(mention);
            if let [only] = list[..] {
                sum += whole(usize::from(holder(&only).is_some_and(|&other| self.others[other].len() == 1)));
                continue;
            }
            let mut links = 0;
            for (place, one) in list.iter().enumerate() {
                let same = |other: &&Mention| holder(one).is_some() && holder(one) == holder(other);
                links += list[..place].iter().filter(same).count();
            }
            sum += fraction(list.len() * links * 2, list.len() * (list.len() - 1));
        }
        (sum, whole(all))
    }
}

fn tally(recall: (Fraction, Fraction), precision: (Fraction, Fraction)) -> Tally {
    let (recall_num, recall_den) = recall;
    let (precision_num, precision_den) = precision;
    Tally::one(Counts { recall_num, recall_den, precision_num, precision_den })
}

/// Computes CEAF with mention-based and entity-based similarity; `shared` counts the common mentions of two lists,
/// `size` those of one.
fn ceaf(
    key: &Lists,
    response: &Lists,
    shared: impl Fn(&[Mention], &[Mention]) -> usize,
    size: impl Fn(&[Mention]) -> usize,
) -> [Tally; 2] {
    let filled = |side: &Lists| -> Lists { side.iter().filter(|list| !list.is_empty()).cloned().collect() };
    let (key, response) = (filled(key), filled(response));
    let best = |similarity: &dyn Fn(&[Mention], &[Mention]) -> Fraction| {
        let row = |k: &Vec<Mention>| response.iter().map(|r| similarity(k, r)).collect();
        assignment::best(&key.iter().map(row).collect::<Vec<Vec<Fraction>>>())
    };
    let three = best(&|k, r| whole(shared(k, r)));
    let four = best(&|k, r| fraction(2 * shared(k, r), size(k) + size(r)));
    let mentions = |side: &Lists| whole(side.iter().map(Vec::len).sum());
    [
        tally((three.clone(), mentions(&key)), (three, mentions(&response))),
        tally((four.clone(), whole(key.len())), (four, whole(response.len()))),
    ]
}

/// Counts like the reference scorer 8.01 and its LEA branch. Entities are in the order in which their names first
/// occur.
pub fn reference(key: &Lists, response: &Lists) -> Tallies {
    let in_key: BTreeSet<Mention> = key.iter().flatten().copied().collect();
    let mut seen = BTreeSet::new();
    let kept = |list: &Vec<Mention>| -> Vec<Mention> {
        list.iter().copied().filter(|mention| !in_key.contains(mention) || seen.insert(*mention)).collect()
    };
    let response: Lists = response.iter().map(kept).collect();
    let order = |side: &Lists| (0..side.len()).collect::<Vec<_>>();
    let (in_keys, in_responses) = (holders(key, &order(key)), holders(&response, &order(&response)));

    // MUC: for recall and precision, a link of the response counts if both mentions are in one key entity.
    let precision = Sided { lists: &response, others: key, holders: in_keys.clone() };
    let recall = Sided { lists: key, others: &response, holders: in_responses };
    let (links, given) = precision.muc();
    let muc = tally((links.clone(), recall.muc().1), (links, given));

    // B³: both sums go over the mentions of the response.
    let (mut recall_num, mut precision_num) = (Fraction::zero(), Fraction::zero());
    for list in &response {
        for mention in list {
            let Some(entity) = in_keys.get(mention).map(|&entity| &key[entity]) else { continue };
            let common = list.iter().filter(|other| entity.contains(other)).count();
            recall_num += fraction(common, entity.len());
            precision_num += fraction(common, list.len());
        }
    }
    let b_cubed = tally((recall_num, recall.b_cubed().1), (precision_num, precision.b_cubed().1));
    let shared = |k: &[Mention], r: &[Mention]| k.iter().filter(|mention| r.contains(mention)).count();
    let [ceaf_m, ceaf_e] = ceaf(key, &response, shared, <[Mention]>::len);
    let (ours, theirs) = (links_of(key), links_of(&response));
    let half = |half: usize| {
        let common = ours[half].intersection(&theirs[half]).count();
        Counts::integers((common, ours[half].len()), (common, theirs[half].len()))
    };
    Tallies::from([
        ("muc", muc),
        ("b_cubed", b_cubed),
        ("ceaf_m", ceaf_m),
        ("ceaf_e", ceaf_e),
        ("blanc", Tally { first: half(0), second: half(1) }),
        ("lea", tally(recall.lea(), precision.lea())),
    ])
}

/// Returns coreference links and non-coreference links as sets; copies have the name of their mention.
fn links_of(side: &Lists) -> [BTreeSet<(Mention, Mention)>; 2] {
    let mut links = [BTreeSet::new(), BTreeSet::new()];
    let copies: Vec<(usize, Mention)> = (0..)
        .zip(side)
        .flat_map(|(entity, list)| list.iter().map(move |&mention| (entity, mention)))
        .collect();
    for (place, one) in copies.iter().enumerate() {
        for other in &copies[..place] {
            links[usize::from(one.0 != other.0)].insert((one.1.min(other.1), one.1.max(other.1)));
        }
    }
    links
}

/// Counts like coval: copies stay, and entities are visited in a particular order; CEAF treats entities as sets.
pub fn coval(key: (&Lists, &[usize]), response: (&Lists, &[usize])) -> Tallies {
    let recall = Sided { lists: key.0, others: response.0, holders: holders(response.0, response.1) };
    let precision = Sided { lists: response.0, others: key.0, holders: holders(key.0, key.1) };
    let set = |list: &[Mention]| list.iter().copied().collect::<BTreeSet<Mention>>();
    let [ceaf_m, ceaf_e] =
        ceaf(key.0, response.0, |k, r| set(k).intersection(&set(r)).count(), |list| set(list).len());
    Tallies::from([
        ("muc", tally(recall.muc(), precision.muc())),
        ("b_cubed", tally(recall.b_cubed(), precision.b_cubed())),
        ("ceaf_m", ceaf_m),
        ("ceaf_e", ceaf_e),
        ("lea", tally(recall.lea(), precision.lea())),
    ])
}

/// A side as the scorers in Python represent it: its entities as lists, and the order in which a mention is looked up
/// in them; the last list that contains it is used.
pub struct Ordered<'l> {
    pub lists: &'l Lists,
    pub order: &'l [usize],
}

/// Counts like corefud-scorer, and like the Universal Anaphora scorer without split antecedents. Each mention is looked
/// up on the other side under the name of its partner, or under its own. `partners` are those of the key's mentions and
/// of the response's.
pub fn looked_up(
    key: &Ordered<'_>,
    response: &Ordered<'_>,
    partners: [&BTreeMap<Mention, Mention>; 2],
) -> Tallies {
    let name = |side: usize, mention: Mention| partners[side].get(&mention).copied().unwrap_or(mention);
    let sided = |own: &Ordered<'_>, other: &Ordered<'_>, side: usize| {
        let others = holders(other.lists, other.order);
        let found = own
            .lists
            .iter()
            .flatten()
            .filter_map(|&mention| others.get(&name(side, mention)).map(|&entity| (mention, entity)));
        found.collect::<BTreeMap<Mention, usize>>()
    };
    let (in_response, in_key) = (sided(key, response, 0), sided(response, key, 1));
    let recall = Sided { lists: key.lists, others: response.lists, holders: in_response.clone() };
    let precision = Sided { lists: response.lists, others: key.lists, holders: in_key };
    let shared =
        |k: &[Mention], r: &[Mention]| k.iter().filter(|mention| r.contains(&name(0, **mention))).count();
    let [ceaf_m, ceaf_e] = ceaf(key.lists, response.lists, shared, <[Mention]>::len);
    // Links are those of the key whose ends are looked up in one entity of the response, or in two.
    let copies: Vec<(usize, usize)> = (0..)
        .zip(key.lists)
        .flat_map(|(entity, list)| list.iter().map(move |mention| (entity, mention)))
        .filter_map(|(entity, mention)| in_response.get(mention).map(|&other| (entity, other)))
        .collect();
    let mut both = [0, 0];
    for (place, one) in copies.iter().enumerate() {
        for other in &copies[..place] {
            match (one.0 == other.0, one.1 == other.1) {
                (true, true) => both[0] += 1,
                (false, false) => both[1] += 1,
                _ => {}
            }
        }
    }
    let pairs = |number: usize| number * number.saturating_sub(1) / 2;
    let all = |side: &Lists| {
        let together: usize = side.iter().map(|list| pairs(list.len())).sum();
        [together, pairs(side.iter().map(Vec::len).sum()) - together]
    };
    let half = |half: usize| {
        Counts::integers((both[half], all(key.lists)[half]), (both[half], all(response.lists)[half]))
    };
    Tallies::from([
        ("muc", tally(recall.muc(), precision.muc())),
        ("b_cubed", tally(recall.b_cubed(), precision.b_cubed())),
        ("ceaf_m", ceaf_m),
        ("ceaf_e", ceaf_e),
        ("blanc", Tally { first: half(0), second: half(1) }),
        ("lea", tally(recall.lea(), precision.lea())),
    ])
}
