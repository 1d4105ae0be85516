//! Computes the weights of the mentions and entities of an alignment from their types in the documents.

use std::collections::BTreeMap;

use corefeval_metrics::weighed::{NO_TYPE, TypeSimilarity, Weighed, WeighedSide, WeightNeeds};

use super::Weights;
use crate::diagnostic::{Code, Diagnostics};
use crate::model::{Document, ENTITY_TYPE, MENTION_TYPE, Mention};

/// One side: its document and its scored mentions.
pub(crate) struct TypedSide<'d> {
    /// The side's name in messages.
    pub(crate) name: &'static str,
    pub(crate) document: &'d Document,
    /// The index of each mention in the document's list, and its entity.
    pub(crate) mentions: Vec<(u32, u32)>,
    /// The number of entities.
    pub(crate) entities: usize,
}

impl<'d> TypedSide<'d> {
    fn mention(&self, place: usize) -> &'d Mention {
        &self.document.mentions()[self.mentions[place].0 as usize]
    }

    fn entity(&self, place: usize) -> u32 {
        self.mentions[place].1
    }

    /// Returns an attribute of each mention; empty values are missing.
    fn attributes(&self, name: &str) -> Vec<Option<&'d str>> {
        let value = |place| self.mention(place).attribute(name).filter(|value| !value.is_empty());
        (0..self.mentions.len()).map(value).collect()
    }

    /// Returns weights of 1 for all mentions and entities.
    fn unweighted(&self) -> WeighedSide {
        WeighedSide::new(self.mentions.iter().map(|mention| mention.1).collect(), self.entities)
    }

    fn warn(
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

/// Computes the weights of the mentions and entities of both sides: the key's, then the response's. `pairs` are the
/// aligned mentions, which provide each other's missing types; `views` are the shared mentions of each view of the
/// overlap table.
pub(crate) fn weigh(
    sides: &[TypedSide<'_>; 2],
    pairs: &[(u32, u32)],
    views: [Option<Vec<(u32, u32)>>; 3],
    weights: Option<&Weights>,
    needs: WeightNeeds,
    diagnostics: &mut Diagnostics,
) -> Weighed {
    let mut weighed = Weighed::new(sides[0].unweighted(), sides[1].unweighted(), views);
    let Some(weights) = weights else { return weighed };
    weighed.scales = [weights.mention_scale(), weights.entity_scale(), weights.similarity_scale()];
    if needs.mention_types {
        let [key, response] = mention_weights(sides, pairs, weights, diagnostics);
        weighed.key = weighed.key.with_mentions(key);
        weighed.response = weighed.response.with_mentions(response);
        if weights.confuses() {
            weighed.confusions = confusions(sides, pairs, weights);
        }
    }
    if needs.entity_types {
        weigh_entities(sides, pairs, weights, &mut weighed, diagnostics);
    }
    weighed
}

/// Returns the weights of the mentions of both sides.
fn mention_weights(
    sides: &[TypedSide<'_>; 2],
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
                side.warn(Code::TypeMissing, place, diagnostics, || {
                    format!("a mention of the {} has no type; {}", side.name, instead(partner))
                });
            }
            if let (Some(kind), false, true) = (kind, listed, weights.lists_mention_types()) {
                side.warn(Code::TypeUnlisted, place, diagnostics, || {
                    unlisted("mention", kind, weights.nearest_type(kind, false))
                });
            }
            weight
        };
        (0..own[number].len()).map(weigh).collect()
    })
}

/// Returns the listed weights of aligned mentions of different types, by their places.
fn confusions(
    sides: &[TypedSide<'_>; 2],
    pairs: &[(u32, u32)],
    weights: &Weights,
) -> BTreeMap<(u32, u32), u32> {
    let listed: BTreeMap<(&str, &str), u32> =
        weights.confusions().map(|(key, response, weight)| ((key, response), weight)).collect();
    let [ours, theirs] = [0, 1].map(|side: usize| sides[side].attributes(MENTION_TYPE));
    let of = |&(key, response): &(u32, u32)| {
        let kinds = (ours[key as usize]?, theirs[response as usize]?);
        Some(((key, response), *listed.get(&kinds)?))
    };
    pairs.iter().filter_map(of).collect()
}

fn instead(partner: Option<&str>) -> String {
    match partner {
        Some(kind) => format!("it takes the weight of `{kind}`, the type of its counterpart"),
        None => "it has the default weight".to_owned(),
    }
}

fn unlisted(what: &str, kind: &str, near: Option<&str>) -> String {
    let meant = near.map(|near| format!("; is `{near}` meant?")).unwrap_or_default();
    format!("the weights do not list the {what} type `{kind}`{meant}")
}

/// Fills in the weights of entities, and the similarities of their types.
fn weigh_entities(
    sides: &[TypedSide<'_>; 2],
    pairs: &[(u32, u32)],
    weights: &Weights,
    weighed: &mut Weighed,
    diagnostics: &mut Diagnostics,
) {
    let own = [0, 1].map(|number: usize| {
        let side = &sides[number];
        let named = side.attributes(ENTITY_TYPE).into_iter().zip(&side.mentions);
        let named = named.filter_map(|(kind, mention)| Some((mention.1, kind?)));
        most_frequent(named.collect(), side.entities)
    });
    let entity = |side: &TypedSide<'_>, place: u32| side.entity(place as usize);
    let mut kinds = own.clone();
    for number in [0, 1] {
        // An entity without a type takes the type of the entities that contain its mentions on the other side.
        let named = pairs.iter().filter_map(|&(ours, theirs)| {
            let (ours, theirs) = (entity(&sides[0], ours), entity(&sides[1], theirs));
            let (this, that) = if number == 0 { (ours, theirs) } else { (theirs, ours) };
            Some((this, own[1 - number][that as usize]?)).filter(|_| own[number][this as usize].is_none())
        });
        let partners = most_frequent(named.collect(), own[number].len());
        for (kind, partner) in kinds[number].iter_mut().zip(partners) {
            *kind = kind.or(partner);
        }
        warn_of_entities(&sides[number], &own[number], &kinds[number], weights, diagnostics);
    }
    let weights_of = |kinds: &[Option<&str>]| kinds.iter().map(|&kind| weights.of_entity(kind).0).collect();
    weighed.key = std::mem::take(&mut weighed.key).with_entities(weights_of(&kinds[0]));
    weighed.response = std::mem::take(&mut weighed.response).with_entities(weights_of(&kinds[1]));
    if !weights.differs_in_similarity() {
        return;
    }
    let mut distinct: Vec<&str> = kinds.iter().flatten().flatten().copied().collect();
    distinct.sort_unstable();
    distinct.dedup();
    let number = |kind: &str| distinct.binary_search(&kind).ok().map(|place| place as u32);
    let types =
        |kinds: &[Option<&str>]| kinds.iter().map(|kind| kind.and_then(number).unwrap_or(NO_TYPE)).collect();
    weighed.key = std::mem::take(&mut weighed.key).with_types(types(&kinds[0]));
    weighed.response = std::mem::take(&mut weighed.response).with_types(types(&kinds[1]));
    let (listed, default) = weights.similarities();
    let listed = listed
        .filter_map(|(key, response, similarity)| Some(((number(key)?, number(response)?), similarity)));
    weighed.similarity = Some(TypeSimilarity { listed: listed.collect(), default });
}

/// Reports entities without a type, and entities with a type that is not listed.
fn warn_of_entities(
    side: &TypedSide<'_>,
    own: &[Option<&str>],
    kinds: &[Option<&str>],
    weights: &Weights,
    diagnostics: &mut Diagnostics,
) {
    if !weights.lists_entity_types() {
        return;
    }
    let mut seen = vec![false; own.len()];
    for place in 0..side.mentions.len() {
        let entity = side.entity(place) as usize;
        if std::mem::replace(&mut seen[entity], true) {
            continue;
        }
        let name = || side.document.entity_name(side.mention(place).entity());
        match own[entity] {
            None => side.warn(Code::TypeMissing, place, diagnostics, || {
                format!("entity `{}` of the {} has no type; {}", name(), side.name, instead(kinds[entity]))
            }),
            Some(kind) if !weights.of_entity(Some(kind)).1 => {
                side.warn(Code::TypeUnlisted, place, diagnostics, || {
                    unlisted("entity", kind, weights.nearest_type(kind, true))
                });
            }
            Some(_) => {}
        }
    }
}

/// Returns the most frequent type of each entity, ties broken alphabetically.
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
