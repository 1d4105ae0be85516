//! Generates the responses of the analysis of Moosavi and Strube (2016, figures 2–8) from the definitions of the
//! families, without the paper's files.

/// Entities as lists of mention numbers.
pub type Entities = Vec<Vec<u32>>;

/// The sizes of the key entities.
pub const SIZES: [usize; 17] = [20, 10, 10, 5, 5, 5, 4, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2];

/// The entities to split, and their parts. Parts of one mention are not listed.
pub const SPLITS: [&[usize]; 12] = [
    &[18, 2],
    &[17, 3],
    &[16, 4],
    &[15, 5],
    &[10, 10],
    &[9, 9, 2],
    &[9, 5, 6],
    &[8, 2],
    &[5, 3, 2],
    &[4, 3, 3],
    &[3, 2],
    &[2, 2],
];

/// The entities to merge, by size.
pub const MERGES: [&[usize]; 8] =
    [&[20, 10, 10], &[20, 10], &[10, 10], &[4, 5, 5, 5], &[5, 5, 5], &[2, 2, 2, 2], &[2, 2, 2], &[2, 2]];

/// The number of extra mentions, and the size of the entity that they join; 0 if they are linked to each other.
pub const EXTRA: [(u32, usize); 23] = [
    (2, 0),
    (3, 0),
    (4, 0),
    (5, 0),
    (10, 0),
    (1, 2),
    (2, 2),
    (3, 2),
    (5, 2),
    (10, 2),
    (3, 4),
    (1, 5),
    (2, 5),
    (5, 5),
    (10, 5),
    (1, 10),
    (2, 10),
    (3, 10),
    (5, 10),
    (10, 10),
    (1, 20),
    (2, 20),
    (10, 20),
];

/// A family of responses to one key.
pub struct Family {
    /// The name of the family, also used for its file.
    pub id: &'static str,
    /// A description.
    pub title: &'static str,
    /// The property in which its responses differ.
    pub axis: &'static str,
    /// True if the responses are steps on one scale, which a line can connect.
    pub is_scale: bool,
    /// Returns the responses, by name.
    pub responses: fn() -> Vec<(String, Entities)>,
}

/// All families.
pub static FAMILIES: &[Family] = &[
    Family {
        id: "correct-links",
        title: "Correct links, no wrong ones",
        axis: "% of the key's links",
        is_scale: true,
        responses: || percents(|percent| correct_links(percent).0),
    },
    Family {
        id: "correct-and-wrong-links",
        title: "Correct links, the other mentions linked wrongly",
        axis: "% of the key's links",
        is_scale: true,
        responses: || percents(correct_and_wrong_links),
    },
    Family {
        id: "entities-decreasing",
        title: "Whole entities, the largest first",
        axis: "entities resolved",
        is_scale: true,
        responses: || entities(|number| key()[..number].to_vec()),
    },
    Family {
        id: "entities-increasing",
        title: "Whole entities, the smallest first",
        axis: "entities resolved",
        is_scale: true,
        responses: || entities(|number| key()[SIZES.len() - number..].to_vec()),
    },
    Family {
        id: "splits",
        title: "One entity split",
        axis: "sizes of the parts",
        is_scale: false,
        responses: || SPLITS.iter().map(|parts| (name(parts), split(parts))).collect(),
    },
    Family {
        id: "merges",
        title: "Entities merged",
        axis: "sizes of the entities",
        is_scale: false,
        responses: || MERGES.iter().map(|sizes| (name(sizes), merge(sizes))).collect(),
    },
    Family {
        id: "extra-mentions",
        title: "Extra mentions added to an entity",
        axis: "k-n: k mentions to an entity of n",
        is_scale: false,
        responses: || {
            EXTRA.iter().map(|&(number, size)| (format!("{number}-{size}"), extra(number, size))).collect()
        },
    },
    Family {
        id: "mention-identification",
        title: "Mentions found, no link correct",
        axis: "% of the mentions, about",
        is_scale: true,
        responses: || percents(mention_identification),
    },
];

fn percents(response: impl Fn(usize) -> Entities) -> Vec<(String, Entities)> {
    (0..=10).map(|step| ((10 * step).to_string(), response(10 * step))).collect()
}

fn entities(response: impl Fn(usize) -> Entities) -> Vec<(String, Entities)> {
    (0..=SIZES.len()).map(|number| (number.to_string(), response(number))).collect()
}

fn name(sizes: &[usize]) -> String {
    sizes.iter().map(usize::to_string).collect::<Vec<_>>().join("-")
}

/// Returns the number of mentions in the key, which is also the number of the first mention that the key lacks.
pub fn mentions() -> u32 {
    SIZES.iter().sum::<usize>() as u32
}

/// Returns the key: one entity of twenty mentions, two of ten, three of five, one of four, ten of two.
/// Mentions are numbered consecutively.
pub fn key() -> Entities {
    let mut next = 0;
    let entity = |&size: &usize| {
        let start = next;
        next += size as u32;
        (start..next).collect()
    };
    SIZES.iter().map(entity).collect()
}

/// Puts `mentions` into wrong entities: mention m goes to entity m mod 20. No key entity has more than twenty mentions,
/// so no two mentions of one key entity are together. Mentions that remain alone are dropped.
fn no_correct_link(mentions: impl Iterator<Item = u32>) -> Entities {
    let mut entities = vec![Vec::new(); SIZES[0]];
    for mention in mentions {
        entities[mention as usize % SIZES[0]].push(mention);
    }
    entities.retain(|entity: &Vec<u32>| entity.len() > 1);
    entities
}

/// Returns a percentage of the twenty wrong entities of all mentions.
pub fn mention_identification(percent: usize) -> Entities {
    let mut entities = no_correct_link(0..mentions());
    entities.truncate(entities.len() * percent / 100);
    entities
}

/// Returns at least `percent` of the key's links and no others, with entities in the key's order and
/// the last entity only as far as needed. Also returns the remaining mentions.
pub fn correct_links(percent: usize) -> (Entities, Vec<u32>) {
    let links: usize = SIZES.iter().map(|size| size * (size - 1) / 2).sum();
    let (mut entities, mut left, mut found) = (Entities::new(), Vec::new(), 0);
    for entity in key() {
        let mut part = Vec::new();
        for mention in entity {
            if 100 * found < percent * links {
                found += part.len();
                part.push(mention);
            } else {
                left.push(mention);
            }
        }
        if !part.is_empty() {
            entities.push(part);
        }
    }
    (entities, left)
}

/// Returns the correct links of [`correct_links`], with the remaining mentions linked wrongly. All mentions of the key are
/// in the response.
pub fn correct_and_wrong_links(percent: usize) -> Entities {
    with_wrong_links(percent, &WRONG_LINKS[0])
}

/// A way to link the remaining mentions so that no two mentions of a key entity are together.
pub struct WrongLinks {
    /// A description.
    pub name: &'static str,
    /// Returns the entity of a mention, given the mention and its position among the remaining mentions of its
    /// key entity.
    entity: fn(u32, usize) -> usize,
}

/// Four ways to link wrongly. A mention that remains alone is paired with another one, or joins a wrong entity without a
/// mention of its key entity, or gets a mention of the largest entity.
pub static WRONG_LINKS: [WrongLinks; 4] = [
    WrongLinks { name: "twenty entities of equal size", entity: |mention, _| mention as usize % SIZES[0] },
    WrongLinks { name: "as few entities as possible", entity: |_, place| place },
    WrongLinks { name: "pairs", entity: |mention, _| SIZES[0] + mention as usize },
    WrongLinks {
        name: "two large entities and pairs",
        entity: |mention, place| match place {
            0 | 1 => place,
            _ => SIZES[0] + mention as usize,
        },
    },
];

/// Returns the correct links as in [`correct_links`], with the remaining mentions linked by `way`.
pub fn with_wrong_links(percent: usize, way: &WrongLinks) -> Entities {
    let (mut entities, left) = correct_links(percent);
    let mut wrong: Vec<Vec<u32>> = Vec::new();
    let mut seen = [0; SIZES.len()];
    for mention in left {
        let place = &mut seen[entity_of(mention)];
        let entity = (way.entity)(mention, *place);
        *place += 1;
        if wrong.len() <= entity {
            wrong.resize(entity + 1, Vec::new());
        }
        wrong[entity].push(mention);
    }
    let (alone, mut wrong): (Vec<_>, Vec<_>) =
        wrong.into_iter().filter(|entity| !entity.is_empty()).partition(|entity| entity.len() == 1);
    // Mentions of the most frequent key entities come first, so that they are linked to mentions of other entities.
    let mut alone: Vec<u32> = alone.into_iter().flatten().collect();
    let count = |mention: u32, all: &[u32]| {
        all.iter().filter(|&&other| entity_of(other) == entity_of(mention)).count()
    };
    let counts: Vec<usize> = alone.iter().map(|&mention| count(mention, &alone)).collect();
    let mut order: Vec<usize> = (0..alone.len()).collect();
    order.sort_by_key(|&place| (usize::MAX - counts[place], alone[place]));
    alone = order.into_iter().map(|place| alone[place]).collect();
    let half = alone.len().div_ceil(2);
    for place in 0..half {
        let mut pair = vec![alone[place]];
        pair.extend(alone.get(place + half));
        if let [one, other] = pair[..]
            && entity_of(one) != entity_of(other)
        {
            wrong.push(pair);
            continue;
        }
        for mention in pair {
            let stranger =
                |entity: &&mut Vec<u32>| entity.iter().all(|&m| entity_of(m) != entity_of(mention));
            match wrong.iter_mut().filter(stranger).min_by_key(|entity| entity.len()) {
                Some(entity) => entity.push(mention),
                None => {
                    let taken = from_largest(&mut wrong, entity_of(mention));
                    wrong.push([mention].into_iter().chain(taken).collect());
                }
            }
        }
    }
    entities.extend(wrong);
    entities
}

/// Removes a mention that does not belong to `entity` from the largest of `entities`, which retains at least two.
fn from_largest(entities: &mut [Vec<u32>], entity: usize) -> Option<u32> {
    let largest =
        entities.iter_mut().filter(|mentions| mentions.len() > 2).max_by_key(|mentions| mentions.len())?;
    let place = largest.iter().rposition(|&mention| entity_of(mention) != entity)?;
    Some(largest.remove(place))
}

/// Returns the key entity of a mention.
fn entity_of(mention: u32) -> usize {
    let mut end = 0;
    let ends = SIZES.iter().map(|&size| {
        end += size as u32;
        end
    });
    ends.take_while(|&end| end <= mention).count()
}

/// Removes and returns the first entity of `size` mentions; empty without such an entity.
fn take(entities: &mut Entities, size: usize) -> Vec<u32> {
    let place = entities.iter().position(|entity| entity.len() == size);
    place.map(|place| entities.remove(place)).unwrap_or_default()
}

/// Returns the key with one entity divided into `parts`: the entity with as many mentions as the parts together.
pub fn split(parts: &[usize]) -> Entities {
    let mut response = key();
    let mut rest = take(&mut response, parts.iter().sum()).into_iter();
    response.extend(parts.iter().map(|&part| rest.by_ref().take(part).collect::<Vec<_>>()));
    response
}

/// Returns the key with entities of these sizes merged.
pub fn merge(sizes: &[usize]) -> Entities {
    let mut response = key();
    let merged = sizes.iter().flat_map(|&size| take(&mut response, size)).collect();
    response.push(merged);
    response
}

/// Returns the key with `number` additional mentions, added to an entity of `size`; with size 0, linked to each other.
pub fn extra(number: u32, size: usize) -> Entities {
    let mut response = key();
    let mut entity = take(&mut response, size);
    entity.extend(mentions()..mentions() + number);
    response.push(entity);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_match_their_names() {
        assert_eq!((mentions(), key().len()), (79, 17));
        for family in FAMILIES {
            let responses = (family.responses)();
            assert!(responses.len() > 5, "{}", family.id);
            for (name, response) in responses {
                let mut all: Vec<u32> = response.iter().flatten().copied().collect();
                let count = all.len();
                all.sort_unstable();
                all.dedup();
                assert_eq!(all.len(), count, "{} {name}: a mention occurs twice", family.id);
                assert!(response.iter().all(|entity| !entity.is_empty()), "{} {name}", family.id);
            }
        }
        for way in &WRONG_LINKS {
            for percent in (0..=100).step_by(10) {
                let response = with_wrong_links(percent, way);
                let count: usize = response.iter().map(Vec::len).sum();
                assert_eq!(count, 79, "{} {percent}: mention F1 is 100", way.name);
                let wrong = &response[correct_links(percent).0.len()..];
                for entity in wrong {
                    let mut owners: Vec<usize> = entity.iter().map(|&mention| entity_of(mention)).collect();
                    owners.sort_unstable();
                    owners.dedup();
                    assert_eq!(owners.len(), entity.len(), "{} {percent}: a correct link", way.name);
                    assert!(entity.len() > 1, "{} {percent}: a mention is alone", way.name);
                }
            }
        }
        assert_eq!((entity_of(19), entity_of(20), entity_of(78)), (0, 1, 16));
        assert_eq!(correct_links(100).0, key());
        assert_eq!(mention_identification(100).iter().map(Vec::len).sum::<usize>(), 79);
    }
}
