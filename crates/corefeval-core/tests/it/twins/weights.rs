//! The plain twin of weights by type: B³, LEA, CEAF φ3 and φ4, mention by mention and pair by pair.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::{One, Zero};

use super::{Counts, Fraction, assignment, fraction, ratio, whole};

/// A mention: its words from first to one past the last, its entity, its types.
#[derive(Clone, Debug, PartialEq)]
pub struct Mention {
    pub words: (u32, u32),
    pub entity: u32,
    pub kind: Option<&'static str>,
    pub entity_kind: Option<&'static str>,
}

/// The weights of a user.
#[derive(Clone, Debug)]
pub struct Table {
    pub mention_types: BTreeMap<&'static str, Fraction>,
    pub entity_types: BTreeMap<&'static str, Fraction>,
    pub similarities: BTreeMap<(&'static str, &'static str), Fraction>,
    /// The weights of mention types, entity types and similarities.
    pub defaults: [Fraction; 3],
}

/// Key and response with the aligned mentions (places in both).
pub struct Aligned<'a> {
    pub key: &'a [Mention],
    pub response: &'a [Mention],
    pub pairs: &'a [(usize, usize)],
}

/// One side.
struct Side<'a> {
    own: &'a [Mention],
    other: &'a [Mention],
    /// The partner of each mention.
    partner: Vec<Option<usize>>,
}

impl<'a> Side<'a> {
    fn entities(&self) -> BTreeMap<u32, Vec<usize>> {
        let mut entities: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (place, mention) in self.own.iter().enumerate() {
            entities.entry(mention.entity).or_default().push(place);
        }
        entities
    }

    /// Returns the entity that contains the partner of a mention.
    fn partner_entity(&self, place: usize) -> Option<u32> {
        self.partner[place].map(|partner| self.other[partner].entity)
    }

    fn mention_weight(&self, place: usize, table: &Table) -> Fraction {
        let partner = self.partner[place].and_then(|partner| self.other[partner].kind);
        let kind = self.own[place].kind.or(partner);
        let listed = kind.and_then(|kind| table.mention_types.get(kind));
        listed.unwrap_or(&table.defaults[0]).clone()
    }

    fn entity_kind(&self, members: &[usize]) -> Option<&'static str> {
        let own = most(members.iter().map(|&place| self.own[place].entity_kind));
        own.or_else(|| {
            most(members.iter().map(|&place| {
                let entity = self.partner_entity(place)?;
                let there = self.other.iter().filter(|mention| mention.entity == entity);
                most(there.map(|mention| mention.entity_kind))
            }))
        })
    }

    fn entity_weight(&self, members: &[usize], table: &Table) -> Fraction {
        let listed = self.entity_kind(members).and_then(|kind| table.entity_types.get(kind));
        listed.unwrap_or(&table.defaults[1]).clone()
    }
}

fn most(kinds: impl Iterator<Item = Option<&'static str>>) -> Option<&'static str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    kinds.flatten().for_each(|kind| *counts.entry(kind).or_default() += 1);
    let most = counts.values().max().copied()?;
    counts.into_iter().find(|(_, count)| *count == most).map(|(kind, _)| kind)
}

fn sides<'a>(aligned: &Aligned<'a>) -> [Side<'a>; 2] {
    let (mut ours, mut theirs) = (vec![None; aligned.key.len()], vec![None; aligned.response.len()]);
    for &(one, other) in aligned.pairs {
        (ours[one], theirs[other]) = (Some(other), Some(one));
    }
    [
        Side { own: aligned.key, other: aligned.response, partner: ours },
        Side { own: aligned.response, other: aligned.key, partner: theirs },
    ]
}

/// Combines the two weights by `by` (`mention-type`, `entity-type`, `table`, or another).
fn chosen(by: &str, mention: Fraction, entity: Fraction) -> Fraction {
    match by {
        "mention-type" => mention,
        "entity-type" => entity,
        "table" => mention * entity,
        _ => Fraction::one(),
    }
}

/// Counts B³ with mentions weighted by type.
pub fn b_cubed(aligned: &Aligned<'_>, table: &Table, by: &str) -> Counts {
    let [recall, precision] = sides(aligned).map(|side| {
        let (mut num, mut den) = (Fraction::zero(), Fraction::zero());
        for members in side.entities().values() {
            for &place in members {
                let weight =
                    chosen(by, side.mention_weight(place, table), side.entity_weight(members, table));
                den += &weight;
                let Some(entity) = side.partner_entity(place) else { continue };
                let with =
                    members.iter().filter(|&&member| side.partner_entity(member) == Some(entity)).count();
                num += weight * fraction(with, members.len());
            }
        }
        (num, den)
    });
    counts(recall, precision)
}

/// Makes counts from numerator and denominator of recall and of precision.
fn counts(recall: (Fraction, Fraction), precision: (Fraction, Fraction)) -> Counts {
    Counts {
        recall_num: recall.0,
        recall_den: recall.1,
        precision_num: precision.0,
        precision_den: precision.1,
    }
}

/// Counts LEA, where the importance of an entity depends on its type.
pub fn lea(aligned: &Aligned<'_>, table: &Table, by: &str) -> Counts {
    let [recall, precision] = sides(aligned).map(|side| {
        let (mut num, mut den) = (Fraction::zero(), Fraction::zero());
        for members in side.entities().values() {
            let mentions: Fraction = members.iter().map(|&place| side.mention_weight(place, table)).sum();
            let importance = chosen(by, mentions, side.entity_weight(members, table));
            den += &importance;
            let (mut found, mut links) = (0, 0);
            if let [only] = members[..] {
                links = 1;
                let alone =
                    |entity| side.other.iter().filter(|mention| mention.entity == entity).count() == 1;
                found = usize::from(side.partner_entity(only).is_some_and(alone));
            }
            for (first, &one) in members.iter().enumerate() {
                for &two in &members[first + 1..] {
                    links += 1;
                    let ends = (side.partner_entity(one), side.partner_entity(two));
                    found += usize::from(ends.0.is_some() && ends.0 == ends.1);
                }
            }
            num += importance * fraction(found, links);
        }
        (num, den)
    });
    counts(recall, precision)
}

/// Counts CEAF φ3 (φ4 if `relative`) by type, with `credit` for the share of words.
pub fn ceaf(aligned: &Aligned<'_>, table: &Table, by: &str, relative: bool, credit: bool) -> Counts {
    let [key, response] = sides(aligned);
    let by_mentions = ["mention-type", "table"].contains(&by);
    let by_entities = ["entity-type", "table"].contains(&by);
    let mention = |side: &Side<'_>, place: usize| match by_mentions {
        true => side.mention_weight(place, table),
        false => Fraction::one(),
    };
    let entity = |side: &Side<'_>, members: &[usize]| match by_entities {
        true => side.entity_weight(members, table),
        false => Fraction::one(),
    };
    let all = |side: &Side<'_>, members: &[usize]| -> Fraction {
        members.iter().map(|&place| mention(side, place)).sum()
    };
    let share = |one: &Mention, other: &Mention| {
        let words = |mention: &Mention| (mention.words.0..mention.words.1).collect::<BTreeSet<u32>>();
        let (one, other) = (words(one), words(other));
        fraction(one.intersection(&other).count(), one.len().max(other.len()))
    };
    let similarity = |ours: &[usize], theirs: &[usize]| -> Fraction {
        let mut sum = Fraction::zero();
        for &(one, other) in aligned.pairs {
            if ours.contains(&one) && theirs.contains(&other) {
                let weight = mention(&key, one).min(mention(&response, other));
                let worth = share(&aligned.key[one], &aligned.response[other]);
                sum += if credit { weight * worth } else { weight };
            }
        }
        let alike = match (key.entity_kind(ours), response.entity_kind(theirs)) {
            (Some(this), Some(that)) if by_entities && this != that => {
                table.similarities.get(&(this, that)).unwrap_or(&table.defaults[2]).clone()
            }
            _ => Fraction::one(),
        };
        let weight = alike * entity(&key, ours).min(entity(&response, theirs));
        if relative {
            weight * ratio(&(whole(2) * sum), &(all(&key, ours) + all(&response, theirs)))
        } else {
            weight * sum
        }
    };
    let own = |side: &Side<'_>| -> Fraction {
        let worth = |members: &Vec<usize>| match relative {
            true if all(side, members).is_zero() => Fraction::zero(),
            true => entity(side, members),
            false => entity(side, members) * all(side, members),
        };
        side.entities().values().map(worth).sum()
    };
    let (keys, responses) = (key.entities(), response.entities());
    let similarities: Vec<Vec<Fraction>> = keys
        .values()
        .map(|ours| responses.values().map(|theirs| similarity(ours, theirs)).collect())
        .collect();
    let best = assignment::best(&similarities);
    Counts {
        recall_num: best.clone(),
        recall_den: own(&key),
        precision_num: best,
        precision_den: own(&response),
    }
}
