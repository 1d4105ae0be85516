//! What the mentions and entities of an alignment weigh, for the metrics that ask for weights.
//!
//! Made from the alignment and the attributes of the mentions only when a metric asks, beside the overlap
//! table, which holds counts alone.

use std::collections::BTreeMap;

use crate::diagnostic::{Code, Diagnostics};
use crate::matching::{Alignment, credits};
use crate::metrics::By;
use crate::model::{Document, ENTITY_TYPE, MENTION_TYPE, Mention};
use crate::overlap::{Cell, Overlap, View, pairs_of_views};
use crate::selection::Selected;
use crate::settings::{Match, Settings};
use crate::weights::Weights;

/// What the metrics ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) mention_types: bool,
    pub(crate) entity_types: bool,
    pub(crate) credit: bool,
}

impl Asked {
    pub(crate) fn is_nothing(self) -> bool {
        self == Asked::default()
    }

    pub(crate) fn add(self, other: Asked) -> Asked {
        Asked {
            mention_types: self.mention_types || other.mention_types,
            entity_types: self.entity_types || other.entity_types,
            credit: self.credit || other.credit,
        }
    }
}

/// The weights of both sides of an alignment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Weighed {
    pub(crate) key: WeighedSide,
    pub(crate) response: WeighedSide,
    /// The shared mentions as each of the three views of the overlap table counts them: the places of the
    /// copies that count in the two selections. One list where no mention is repeated.
    views: [Option<Vec<(u32, u32)>>; 3],
    /// For each pair of the view for similarity the words that both have, and those of the longer one;
    /// empty where they all have the same words.
    credits: Vec<(u32, u32)>,
    /// How similar entities of different types are, where that is not all the same.
    similarity: Option<TypeSimilarity>,
    /// What stands for 1: a mention, an entity, the similarity of entities.
    scales: [u32; 3],
}

/// How similar entities of different types are; those of one type, or without one, are wholly similar.
#[derive(Clone, Debug, Default)]
struct TypeSimilarity {
    /// By type of the key's entity and of the response's.
    listed: BTreeMap<(u32, u32), u32>,
    default: u32,
}

/// The weights of one side.
#[derive(Clone, Debug, Default)]
pub(crate) struct WeighedSide {
    /// What each mention weighs, by its place in the selection.
    mentions: Vec<u32>,
    /// The entity of each mention.
    entity_of: Vec<u32>,
    /// What each entity weighs by its type.
    entities: Vec<u32>,
    /// What the mentions of each entity weigh together.
    sums: Vec<u64>,
    /// The type of each entity by a number that both sides share; `u32::MAX` for none.
    types: Vec<u32>,
}

/// No type.
const NO_TYPE: u32 = u32::MAX;

/// The shared mentions of two entities, weighed: a sum over `scale`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WeighedCell {
    pub(crate) sum: u128,
    pub(crate) scale: u64,
}

impl WeighedSide {
    /// What a mention weighs.
    fn weight(&self, place: u32, by: By) -> u64 {
        let mention = || u64::from(self.mentions[place as usize]);
        let entity = || u64::from(self.entities[self.entity_of[place as usize] as usize]);
        match by {
            By::One => 1,
            By::MentionType => mention(),
            By::EntityType => entity(),
            By::Table => mention() * entity(),
        }
    }

    fn sum_up(&self) -> Vec<u64> {
        let mut sums = vec![0; self.entities.len()];
        for (&entity, &weight) in self.entity_of.iter().zip(&self.mentions) {
            sums[entity as usize] += u64::from(weight);
        }
        sums
    }

    /// What all mentions weigh.
    pub(crate) fn total(&self, by: By) -> u128 {
        (0..self.mentions.len() as u32).map(|place| u128::from(self.weight(place, by))).sum()
    }

    /// What the mentions of an entity weigh together, by their types alone (or, where `by` does not look at
    /// those, how many there are, of `size`).
    pub(crate) fn mentions_of(&self, entity: u32, size: u32, by: By) -> u64 {
        if by.mention_types() { self.sums[entity as usize] } else { size.into() }
    }

    /// What an entity weighs by its type alone; 1 where `by` does not look at it.
    pub(crate) fn entity(&self, entity: u32, by: By) -> u64 {
        if by.entity_types() { self.entities[entity as usize].into() } else { 1 }
    }
}

impl Weighed {
    /// What stands for the weight 1 of a mention by its type, and of an entity.
    pub(crate) fn scales(&self, by: By) -> (u64, u64) {
        let mention = if by.mention_types() { self.scales[0].into() } else { 1 };
        (mention, if by.entity_types() { self.scales[1].into() } else { 1 })
    }

    /// The factor of the similarity of two entities, over its scale.
    pub(crate) fn factor(&self, cell: &Cell, by: By) -> (u64, u64) {
        let Some(similarity) = self.similarity.as_ref().filter(|_| by.entity_types()) else { return (1, 1) };
        let (key, response) =
            (self.key.types[cell.key as usize], self.response.types[cell.response as usize]);
        if key == response || [key, response].contains(&NO_TYPE) {
            return (1, 1);
        }
        let listed = similarity.listed.get(&(key, response));
        (listed.copied().unwrap_or(similarity.default).into(), self.scales[2].into())
    }

    fn pairs(&self, view: View) -> &[(u32, u32)] {
        self.views[view as usize].as_deref().or(self.views[0].as_deref()).unwrap_or_default()
    }

    /// For each cell of `overlap`, which is `view`, what its shared mentions weigh on the side that is
    /// looked from.
    pub(crate) fn sums(&self, overlap: &Overlap, view: View, by: By) -> Vec<u128> {
        let mut sums = vec![0; overlap.cells().len()];
        for &(ours, theirs) in self.pairs(view) {
            let weight = match view {
                View::Precision => self.response.weight(theirs, by),
                View::Recall | View::Similarity => self.key.weight(ours, by),
            };
            sums[self.cell(overlap, ours, theirs)] += u128::from(weight);
        }
        sums
    }

    /// For each cell of the view for similarity, what its shared mentions weigh: of two aligned ones the
    /// lesser weight by mention type, times the share of words if `credit` asks for it.
    pub(crate) fn shared(&self, overlap: &Overlap, by: By, credit: bool) -> Vec<WeighedCell> {
        let pairs = self.pairs(View::Similarity);
        let weight = |&(ours, theirs): &(u32, u32)| match by.mention_types() {
            true => self.key.mentions[ours as usize].min(self.response.mentions[theirs as usize]),
            false => 1,
        };
        let mut cells = vec![WeighedCell { sum: 0, scale: 1 }; overlap.cells().len()];
        if !credit || self.credits.is_empty() {
            for pair in pairs {
                cells[self.cell(overlap, pair.0, pair.1)].sum += u128::from(weight(pair));
            }
            return cells;
        }
        // The common denominator of each cell first, then the sums over it.
        let credits = self.credits.iter().map(|&(shared, longer)| in_lowest_terms(shared, longer));
        let placed: Vec<(usize, u32, (u32, u32))> = pairs
            .iter()
            .zip(credits)
            .map(|(pair, credit)| (self.cell(overlap, pair.0, pair.1), weight(pair), credit))
            .collect();
        for &(cell, _, (_, longer)) in &placed {
            let scale = &mut cells[cell].scale;
            *scale = match *scale {
                ROUNDED => ROUNDED,
                scale => common_multiple(scale, longer.into()),
            };
        }
        for &(cell, weight, (shared, longer)) in &placed {
            let WeighedCell { sum, scale } = &mut cells[cell];
            let scaled = u128::from(shared) * u128::from(*scale);
            let worth = (scaled + u128::from(longer / 2)) / u128::from(longer);
            *sum += u128::from(weight) * worth;
        }
        cells
    }

    /// The place of the cell that two mentions are in.
    fn cell(&self, overlap: &Overlap, ours: u32, theirs: u32) -> usize {
        overlap.place(self.key.entity_of[ours as usize], self.response.entity_of[theirs as usize])
    }
}

/// The scale of sums of shares whose common denominator would be greater.
const ROUNDED: u64 = 1 << 40;

fn common_multiple(a: u64, b: u64) -> u64 {
    let shared = crate::fraction::gcd(a.into(), b.into()) as u64;
    a.checked_mul(b / shared).filter(|&scale| scale < ROUNDED).unwrap_or(ROUNDED)
}

fn in_lowest_terms(shared: u32, longer: u32) -> (u32, u32) {
    let divisor = crate::fraction::gcd(shared.into(), longer.into()).max(1) as u32;
    (shared / divisor, longer / divisor)
}

/// Weighs the mentions and entities of an alignment.
pub(crate) fn weigh(
    documents: (&Document, &Document),
    alignment: &Alignment,
    settings: &Settings,
    asked: Asked,
    diagnostics: &mut Diagnostics,
) -> Weighed {
    let mut weighed = Weighed {
        key: side(&alignment.key),
        response: side(&alignment.response),
        views: pairs_of_views(alignment),
        scales: [1; 3],
        ..Weighed::default()
    };
    if asked.credit && settings.matching != Match::Exact {
        let (ours, theirs) = (&alignment.key, &alignment.response);
        weighed.credits =
            credits((documents.0, ours), (documents.1, theirs), weighed.pairs(View::Similarity));
    }
    let Some(weights) = &settings.weights else { return weighed };
    weighed.scales = [weights.mention_scale(), weights.entity_scale(), weights.similarity_scale()];
    let sides = [
        Typed { name: "key", document: documents.0, selected: &alignment.key },
        Typed { name: "response", document: documents.1, selected: &alignment.response },
    ];
    if asked.mention_types {
        let [key, response] = mention_weights(&sides, &alignment.pairs, weights, diagnostics);
        (weighed.key.mentions, weighed.response.mentions) = (key, response);
        (weighed.key.sums, weighed.response.sums) = (weighed.key.sum_up(), weighed.response.sum_up());
    }
    if asked.entity_types {
        weigh_entities(&sides, &alignment.pairs, weights, &mut weighed, diagnostics);
    }
    weighed
}

/// A side on which all weighs the same.
fn side(selected: &Selected) -> WeighedSide {
    let side = WeighedSide {
        mentions: vec![1; selected.mentions.len()],
        entity_of: selected.mentions.iter().map(|mention| mention.entity).collect(),
        entities: vec![1; selected.sizes.len()],
        sums: Vec::new(),
        types: Vec::new(),
    };
    WeighedSide { sums: side.sum_up(), ..side }
}

/// One side with its document.
struct Typed<'d> {
    name: &'static str,
    document: &'d Document,
    selected: &'d Selected,
}

impl<'d> Typed<'d> {
    fn mention(&self, place: usize) -> &'d Mention {
        &self.document.mentions()[self.selected.mentions[place].mention as usize]
    }

    /// An attribute of each mention; an empty one is none.
    fn attributes(&self, name: &str) -> Vec<Option<&'d str>> {
        let value = |place| self.mention(place).attribute(name).filter(|value| !value.is_empty());
        (0..self.selected.mentions.len()).map(value).collect()
    }

    fn tell(
        &self,
        code: Code,
        place: usize,
        diagnostics: &mut Diagnostics,
        message: impl FnOnce() -> String,
    ) {
        let position = self.document.position_of(self.mention(place));
        diagnostics.add(code, Some(position), Some(self.document.id().to_string()), message);
    }
}

/// What the mentions of both sides weigh.
fn mention_weights(
    sides: &[Typed<'_>; 2],
    pairs: &[(u32, u32)],
    weights: &Weights,
    diagnostics: &mut Diagnostics,
) -> [Vec<u32>; 2] {
    let own = [0, 1].map(|side: usize| sides[side].attributes(MENTION_TYPE));
    let mut partners = [vec![None; own[0].len()], vec![None; own[1].len()]];
    for &(ours, theirs) in pairs {
        let (ours, theirs) = (ours as usize, theirs as usize);
        partners[0][ours] = own[1][theirs];
        partners[1][theirs] = own[0][ours];
    }
    [0, 1].map(|number| {
        let side = &sides[number];
        let weigh = |place: usize| {
            let (kind, partner) = (own[number][place], partners[number][place]);
            let (weight, listed) = weights.of_mention(kind.or(partner));
            if kind.is_none() && weights.lists_mention_types() {
                side.tell(Code::TypeMissing, place, diagnostics, || {
                    format!("a mention of the {} has no type; {}", side.name, instead(partner))
                });
            }
            if let (Some(kind), false, true) = (kind, listed, weights.lists_mention_types()) {
                side.tell(Code::TypeUnlisted, place, diagnostics, || {
                    unlisted("mention", kind, weights.nearest_type(kind, false))
                });
            }
            weight
        };
        (0..own[number].len()).map(weigh).collect()
    })
}

fn instead(partner: Option<&str>) -> String {
    match partner {
        Some(kind) => format!("it weighs as `{kind}`, the type of what it is paired with"),
        None => "it weighs by default".to_owned(),
    }
}

fn unlisted(what: &str, kind: &str, near: Option<&str>) -> String {
    let meant = near.map(|near| format!("; did you mean it by `{near}`?")).unwrap_or_default();
    format!("the weights do not list the {what} type `{kind}`{meant}")
}

/// Fills in the weights of entities, and how similar two types are.
fn weigh_entities(
    sides: &[Typed<'_>; 2],
    pairs: &[(u32, u32)],
    weights: &Weights,
    weighed: &mut Weighed,
    diagnostics: &mut Diagnostics,
) {
    let own = [0, 1].map(|number: usize| {
        let side = &sides[number];
        let named = side.attributes(ENTITY_TYPE).into_iter().zip(&side.selected.mentions);
        let named = named.filter_map(|(kind, mention)| Some((mention.entity, kind?)));
        most_frequent(named.collect(), side.selected.sizes.len())
    });
    let entity = |side: &Typed<'_>, place: u32| side.selected.mentions[place as usize].entity;
    let mut kinds = own.clone();
    for number in [0, 1] {
        // An entity without a type has that of the entities that its mentions are in on the other side.
        let named = pairs.iter().filter_map(|&(ours, theirs)| {
            let (ours, theirs) = (entity(&sides[0], ours), entity(&sides[1], theirs));
            let (this, that) = if number == 0 { (ours, theirs) } else { (theirs, ours) };
            Some((this, own[1 - number][that as usize]?)).filter(|_| own[number][this as usize].is_none())
        });
        let partners = most_frequent(named.collect(), own[number].len());
        for (kind, partner) in kinds[number].iter_mut().zip(partners) {
            *kind = kind.or(partner);
        }
        tell_entities(&sides[number], &own[number], &kinds[number], weights, diagnostics);
    }
    let weights_of = |kinds: &[Option<&str>]| kinds.iter().map(|&kind| weights.of_entity(kind).0).collect();
    (weighed.key.entities, weighed.response.entities) = (weights_of(&kinds[0]), weights_of(&kinds[1]));
    if !weights.differs_in_similarity() {
        return;
    }
    let mut distinct: Vec<&str> = kinds.iter().flatten().flatten().copied().collect();
    distinct.sort_unstable();
    distinct.dedup();
    let number = |kind: &str| distinct.binary_search(&kind).ok().map(|place| place as u32);
    let types =
        |kinds: &[Option<&str>]| kinds.iter().map(|kind| kind.and_then(number).unwrap_or(NO_TYPE)).collect();
    (weighed.key.types, weighed.response.types) = (types(&kinds[0]), types(&kinds[1]));
    let (listed, default) = weights.similarities();
    let listed = listed
        .filter_map(|(key, response, similarity)| Some(((number(key)?, number(response)?), similarity)));
    weighed.similarity = Some(TypeSimilarity { listed: listed.collect(), default });
}

/// Reports the entities without a type, and those whose type is not listed.
fn tell_entities(
    side: &Typed<'_>,
    own: &[Option<&str>],
    kinds: &[Option<&str>],
    weights: &Weights,
    diagnostics: &mut Diagnostics,
) {
    if !weights.lists_entity_types() {
        return;
    }
    let mut told = vec![false; own.len()];
    for (place, mention) in side.selected.mentions.iter().enumerate() {
        let entity = mention.entity as usize;
        if std::mem::replace(&mut told[entity], true) {
            continue;
        }
        let name = || side.document.entity_name(side.mention(place).entity());
        match own[entity] {
            None => side.tell(Code::TypeMissing, place, diagnostics, || {
                format!("entity `{}` of the {} has no type; {}", name(), side.name, instead(kinds[entity]))
            }),
            Some(kind) if !weights.of_entity(Some(kind)).1 => {
                side.tell(Code::TypeUnlisted, place, diagnostics, || {
                    unlisted("entity", kind, weights.nearest_type(kind, true))
                });
            }
            Some(_) => {}
        }
    }
}

/// For each entity the type that it has most often, of several the first in the alphabet.
pub(crate) fn most_frequent(mut named: Vec<(u32, &str)>, entities: usize) -> Vec<Option<&str>> {
    named.sort_unstable();
    let mut best: Vec<(usize, Option<&str>)> = vec![(0, None); entities];
    for run in named.chunk_by(|a, b| a == b) {
        let best = &mut best[run[0].0 as usize];
        if run.len() > best.0 {
            *best = (run.len(), Some(run[0].1));
        }
    }
    best.into_iter().map(|best| best.1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One entity on each side; the mentions share one word of as many as `longer` says.
    fn shared(longer: &[u32]) -> WeighedCell {
        let places = 0..longer.len() as u32;
        let count = places.len();
        let side = || WeighedSide {
            mentions: vec![3; count],
            entity_of: vec![0; count],
            entities: vec![1],
            sums: vec![3 * count as u64],
            types: Vec::new(),
        };
        let weighed = Weighed {
            key: side(),
            response: side(),
            views: [Some(places.clone().map(|place| (place, place)).collect()), None, None],
            credits: longer.iter().map(|&longer| (1, longer)).collect(),
            scales: [1; 3],
            ..Weighed::default()
        };
        let overlap = Overlap::new(vec![count as u32], vec![count as u32], places.map(|_| (0, 0)));
        weighed.shared(&overlap, By::MentionType, true)[0]
    }

    #[test]
    fn shares_of_words_are_exact_or_rounded_in_any_order() {
        let cell = shared(&[2, 3, 4]);
        assert_eq!((cell.sum, cell.scale), (3 * (6 + 4 + 3), 12));
        // Words by the hundred whose common denominator is too large.
        let mut primes = vec![101, 103, 107, 109, 113, 127, 131];
        let one = shared(&primes);
        primes.reverse();
        let other = shared(&primes);
        assert_eq!((one.sum, one.scale), (other.sum, other.scale));
        assert_eq!(one.scale, ROUNDED);
        let exact: f64 = primes.iter().map(|&prime| 3.0 / f64::from(prime)).sum();
        assert!((one.sum as f64 / ROUNDED as f64 - exact).abs() < 1e-10);
    }
}
