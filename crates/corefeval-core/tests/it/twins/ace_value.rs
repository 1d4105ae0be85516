//! The plain twin of ACE-value, which tries every map of mentions and of entities, by the definition.

use std::collections::{BTreeMap, BTreeSet};

pub const EPSILON: f64 = 1e-8;

/// A mention: its type (0 name, 1 nominal, 2 pronoun), role, style, and head.
#[derive(Clone, Debug)]
pub struct Mention {
    pub kind: usize,
    pub role: Option<&'static str>,
    pub metonymic: bool,
    /// First character and number of characters.
    pub head: Option<(u32, u32)>,
    pub text: &'static str,
}

#[derive(Clone, Debug)]
pub struct Entity {
    pub name: u32,
    pub kind: &'static str,
    pub subtype: Option<&'static str>,
    pub class: Option<&'static str>,
    pub mentions: Vec<Mention>,
}

/// The entities of key and response.
pub type Text = (Vec<Entity>, Vec<Entity>);

/// Reference, false alarm, miss and error; the value, and the costs of the last three.
pub type Row = ([u64; 4], [f64; 4]);

/// The rules that differ between evaluations.
pub struct Twin {
    pub year: u32,
}

impl Twin {
    fn late(&self) -> bool {
        self.year >= 2007
    }

    fn mention_weight(&self, kind: usize) -> f64 {
        if self.year < 2005 { [1.0, 0.2, 0.04][kind] } else { [1.0, 0.5, 0.1][kind] }
    }

    fn entity_weight(&self, entity: &Entity) -> f64 {
        let kind = match entity.kind {
            _ if self.year >= 2005 => 1.0,
            "PER" => 1.0,
            "ORG" => 0.5,
            "GPE" => 0.25,
            "LOC" => 0.1,
            _ => 0.05,
        };
        let class = match entity.class {
            None | Some("SPC") => 1.0,
            _ if self.year == 2008 => EPSILON,
            _ => 0.0,
        };
        kind * class
    }

    fn own(&self, mention: &Mention) -> f64 {
        self.mention_weight(mention.kind) + EPSILON
    }

    fn level(&self, entity: &Entity) -> usize {
        entity.mentions.iter().map(|mention| mention.kind).min().expect("an entity has mentions")
    }

    fn sum(&self, entity: &Entity) -> f64 {
        entity.mentions.iter().map(|mention| self.own(mention)).sum()
    }

    fn worth(&self, key: (&Entity, &Mention), response: (&Entity, &Mention)) -> Option<f64> {
        let ((a, n), (b, m)) = (key.1.head?, response.1.head?);
        let shared = (a..a + n).filter(|place| (b..b + m).contains(place)).count();
        let overlap = shared as f64 / f64::from(n.max(m));
        let same = key.1.text == response.1.text;
        if overlap < 0.3 || self.year == 2007 && !same {
            return None;
        }
        let lesser = self.mention_weight(key.1.kind).min(self.mention_weight(response.1.kind));
        let mut worth = lesser + overlap * EPSILON;
        let role = |side: (&Entity, &Mention)| side.1.role.unwrap_or(side.0.kind);
        for differs in [
            key.1.kind != response.1.kind,
            role(key) != role(response),
            key.1.metonymic != response.1.metonymic,
        ] {
            worth *= if differs { 0.9 } else { 1.0 };
        }
        Some(worth)
    }

    fn element(&self, key: &Entity, response: &Entity, factor: f64) -> f64 {
        let lesser = self.entity_weight(key).min(self.entity_weight(response)) * factor;
        let mut element = lesser.max(EPSILON);
        element *= if key.kind != response.kind { 0.5 } else { 1.0 };
        element *= if key.subtype != response.subtype { 0.9 } else { 1.0 };
        element * if key.class != response.class { 0.75 } else { 1.0 }
    }

    fn norm(&self, element: f64, entity: &Entity, by_mentions: bool) -> f64 {
        if by_mentions {
            element
        } else {
            element * self.mention_weight(self.level(entity)) / self.sum(entity)
        }
    }

    /// Returns the cost (0 or less) of each mention of a response's entity.
    fn costs(&self, response: &Entity, key: &[Entity], by_mentions: bool) -> Vec<f64> {
        let norm = self.norm(self.element(response, response, 1.0), response, by_mentions);
        let cost = |mention: &Mention| {
            let mut mentions = key.iter().flat_map(|entity| entity.mentions.iter().map(move |m| (entity, m)));
            let found = mentions.any(|ours| self.worth(ours, (response, mention)).is_some());
            match (self.late(), found) {
                (true, _) => -0.75 * norm * self.own(mention),
                (false, true) => 0.0,
                (false, false) => -0.75 * self.own(mention),
            }
        };
        response.mentions.iter().map(cost).collect()
    }

    fn false_alarm(&self, response: &Entity, key: &[Entity], by_mentions: bool) -> f64 {
        let costs: f64 = self.costs(response, key, by_mentions).iter().sum();
        if self.late() {
            return costs;
        }
        let level = self.mention_weight(self.level(response));
        self.element(response, response, 0.75) * level * costs / self.sum(response)
    }

    fn own_value(&self, key: &Entity) -> f64 {
        self.element(key, key, 1.0) * self.mention_weight(self.level(key))
    }

    fn value(&self, key: &Entity, response: &Entity, all: &[Entity], by_mentions: bool) -> Option<f64> {
        let costs = self.costs(response, all, by_mentions);
        let norm =
            if self.late() { self.norm(self.element(key, response, 1.0), key, by_mentions) } else { 1.0 };
        let mut any = false;
        let table: Vec<Vec<Option<f64>>> = key
            .mentions
            .iter()
            .map(|ours| {
                let worth = |theirs| Some(norm * self.worth((key, ours), (response, theirs))?);
                response.mentions.iter().map(worth).inspect(|worth| any |= worth.is_some()).collect()
            })
            .collect();
        if !any {
            return None;
        }
        let best = best_map(&table, &costs, 0, &mut BTreeSet::new());
        if self.late() {
            return Some(best);
        }
        let level = [key, response].map(|side| self.mention_weight(self.level(side)));
        Some(self.element(key, response, 1.0) * level[0].min(level[1]) * best / self.sum(key))
    }

    /// Returns the rows of each best map of entities: the total under an empty name, and each type.
    pub fn rows(&self, texts: &[Text]) -> Vec<BTreeMap<String, Row>> {
        let names = |side: fn(&Text) -> &Vec<Entity>| -> Vec<u32> {
            let names: BTreeSet<u32> = texts.iter().flat_map(side).map(|e| e.name).collect();
            names.into_iter().collect()
        };
        let (ours, theirs) = (names(|text| &text.0), names(|text| &text.1));
        let mut maps = Vec::new();
        all_maps(&ours, &theirs, &mut BTreeMap::new(), &mut maps);
        let gains: Vec<f64> = maps.iter().map(|map| self.gain(texts, map)).collect();
        let best = gains.iter().copied().fold(0.0, f64::max);
        let chosen = maps.iter().zip(&gains).filter(|(_, gain)| **gain >= best - 1e-12);
        chosen.map(|(map, _)| self.count(texts, map)).collect()
    }

    fn gain(&self, texts: &[Text], map: &BTreeMap<u32, u32>) -> f64 {
        let by_mentions = self.year == 2008;
        let mut gain = 0.0;
        for (key, response) in texts {
            for ours in key {
                let theirs = response.iter().find(|theirs| map.get(&ours.name) == Some(&theirs.name));
                let Some(theirs) = theirs else { continue };
                if let Some(value) = self.value(ours, theirs, key, by_mentions) {
                    gain += value - self.false_alarm(theirs, key, by_mentions);
                }
            }
        }
        gain
    }

    fn count(&self, texts: &[Text], map: &BTreeMap<u32, u32>) -> BTreeMap<String, Row> {
        let mut rows: BTreeMap<String, Row> = BTreeMap::new();
        let mut add = |kind: &str, counts: [u64; 4], values: [f64; 4]| {
            for name in ["", kind] {
                let row = rows.entry(name.to_owned()).or_default();
                (0..4).for_each(|place| row.0[place] += counts[place]);
                (0..4).for_each(|place| row.1[place] += values[place]);
            }
        };
        for (key, response) in texts {
            let mut taken = BTreeSet::new();
            for ours in key {
                let own = self.own_value(ours);
                let theirs = response.iter().find(|theirs| map.get(&ours.name) == Some(&theirs.name));
                let pair = theirs.and_then(|theirs| Some((theirs, self.value(ours, theirs, key, false)?)));
                match pair {
                    None => add(ours.kind, [1, 0, 1, 0], [own, 0.0, own, 0.0]),
                    Some((theirs, value)) => {
                        taken.insert(theirs.name);
                        let differs = (ours.kind, ours.subtype, ours.class, self.level(ours))
                            != (theirs.kind, theirs.subtype, theirs.class, self.level(theirs));
                        let lost = own - value;
                        let lost = if self.late() && lost < EPSILON { 0.0 } else { lost };
                        add(ours.kind, [1, 0, 0, u64::from(differs)], [own, 0.0, 0.0, lost]);
                    }
                }
            }
            for theirs in response.iter().filter(|theirs| !taken.contains(&theirs.name)) {
                add(theirs.kind, [0, 1, 0, 0], [0.0, -self.false_alarm(theirs, key, false), 0.0, 0.0]);
            }
        }
        rows
    }
}

/// Returns the best sum over the key's mentions starting with `row`, with the costs of the remaining ones.
fn best_map(table: &[Vec<Option<f64>>], costs: &[f64], row: usize, taken: &mut BTreeSet<usize>) -> f64 {
    if row == table.len() {
        return costs
            .iter()
            .enumerate()
            .filter(|(place, _)| !taken.contains(place))
            .map(|(_, cost)| cost)
            .sum();
    }
    let mut best = best_map(table, costs, row + 1, taken);
    for (place, worth) in table[row].iter().enumerate() {
        if let Some(worth) = worth
            && taken.insert(place)
        {
            best = best.max(worth + best_map(table, costs, row + 1, taken));
            taken.remove(&place);
        }
    }
    best
}

fn all_maps(ours: &[u32], theirs: &[u32], map: &mut BTreeMap<u32, u32>, maps: &mut Vec<BTreeMap<u32, u32>>) {
    let Some((first, rest)) = ours.split_first() else {
        maps.push(map.clone());
        return;
    };
    all_maps(rest, theirs, map, maps);
    for name in theirs {
        if !map.values().any(|taken| taken == name) {
            map.insert(*first, *name);
            all_maps(rest, theirs, map, maps);
            map.remove(first);
        }
    }
}

/// Returns each mention as a separate entity.
pub fn mentions_alone(texts: &[Text]) -> Vec<Text> {
    let mut next = 0;
    let mut alone = |side: &[Entity]| -> Vec<Entity> {
        let mut all = Vec::new();
        for entity in side {
            for mention in &entity.mentions {
                next += 1;
                all.push(Entity { name: next, mentions: vec![mention.clone()], ..entity.clone() });
            }
        }
        all
    };
    texts.iter().map(|(key, response)| (alone(key), alone(response))).collect()
}
