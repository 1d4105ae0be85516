//! Simulated systems.
//!
//! The score of a mention and an earlier mention is 1 if they corefer and −1 if not, plus noise that depends on the
//! kind of the mention, plus a bonus for names with the same words. The system links the mention to the earlier
//! mention with the best score if that score is above the negative of the penalty, and otherwise starts an entity. A
//! larger penalty makes fewer entities, as in Luo's tables 3 and 4. The noise of two mentions depends only on the
//! seed and their places, so that the steps of a sweep differ only in the penalty.

use std::sync::Arc;

use corefeval_core::error::Result;
use corefeval_core::model::{
    Document, DocumentBuilder, ENTITY_TYPE, EntityId, MENTION_TYPE, Mention, MentionDetails, Span,
};

use super::text::{MentionClass, SimulationText, TextDocument};

/// A mention found by a system: the mention, its kind, and, if it is in the key, its words and its entity.
type FoundBySystem<'t> = (Mention, MentionClass, Option<&'t str>, Option<EntityId>);

/// A simulated system.
#[derive(Clone, Copy, Debug)]
pub(super) struct SimulatedSystem {
    /// The seed of the noise of its scores.
    pub(super) seed: u64,
    /// The standard deviation of the noise of names, nominals and pronouns.
    pub(super) noise: [f64; 3],
    /// The penalty for a new entity.
    pub(super) penalty: f64,
    /// The share of mentions that the system does not find, by kind.
    pub(super) missed: [f64; 3],
    /// The number of extra mentions per mention of the key.
    pub(super) extra: f64,
}

impl SimulatedSystem {
    /// Creates a system that uses the mentions of the key.
    pub(super) fn finds_all(seed: u64) -> SimulatedSystem {
        SimulatedSystem { seed, noise: [0.5, 0.8, 1.0], penalty: 0.0, missed: [0.0; 3], extra: 0.0 }
    }

    /// Creates a system that finds its own mentions.
    pub(super) fn base() -> SimulatedSystem {
        SimulatedSystem { missed: [0.05, 0.2, 0.1], extra: 0.1, ..SimulatedSystem::finds_all(2016) }
    }

    /// Returns the system's response to every document of the text.
    pub(super) fn respond(&self, text: &SimulationText) -> Result<Vec<Document>> {
        text.all.iter().enumerate().map(|(place, document)| self.document(place as u64, document)).collect()
    }

    fn document(&self, place: u64, text: &TextDocument) -> Result<Document> {
        let words = text.document.words().count_in_text();
        let mut found: Vec<FoundBySystem<'_>> = Vec::new();
        for (number, mention) in text.mentions.iter().enumerate() {
            let draw = uniform(self.seed, [place, number as u64, FOUND]);
            if draw >= self.missed[mention.kind as usize] {
                found.push((
                    mention.mention.clone(),
                    mention.kind,
                    Some(&mention.words),
                    Some(mention.mention.entity()),
                ));
            }
        }
        for number in 0..text.mentions.len() as u64 {
            if uniform(self.seed, [place, number, EXTRA]) >= self.extra || words == 0 {
                continue;
            }
            let word = (uniform(self.seed, [place, number, WHERE]) * f64::from(words)) as u32;
            let is_found = |(mention, ..): &FoundBySystem<'_>| mention.span() == Span::word(word);
            if found.iter().any(is_found) {
                continue;
            }
            let details = MentionDetails {
                attributes: vec![
                    (MENTION_TYPE.to_owned(), "NOM".to_owned()),
                    (ENTITY_TYPE.to_owned(), "LOC".to_owned()),
                ],
                ..MentionDetails::default()
            };
            let mention = Mention::new(Span::word(word), EntityId::new(0), 1, 1).with_details(details);
            found.extend(mention.map(|mention| (mention, MentionClass::Nominal, None, None)));
        }
        found.sort_by_key(|(mention, ..)| (mention.span().start(), mention.span().end()));
        let mut entities: Vec<usize> = Vec::new();
        let mut number = 0;
        for (later, (mention, kind, words, entity)) in found.iter().enumerate() {
            let score = |earlier: usize| {
                let (other, _, other_words, other_entity) = &found[earlier];
                let truth = if entity.is_some() && entity == other_entity { 1.0 } else { -1.0 };
                let same = *kind == MentionClass::Name && words.is_some() && words == other_words;
                let places = [mention, other]
                    .map(|mention| u64::from(mention.span().start()) << 20 | u64::from(mention.span().end()));
                let noise = self.noise[*kind as usize] * normal(self.seed, [place, places[0], places[1]]);
                truth + noise + if same { 0.8 } else { 0.0 }
            };
            let best = (0..later)
                .map(|earlier| (score(earlier), earlier))
                .max_by(|one, other| one.0.total_cmp(&other.0));
            entities.push(match best {
                Some((score, earlier)) if score > -self.penalty => entities[earlier],
                _ => {
                    number += 1;
                    number - 1
                }
            });
        }
        let mentions = found.into_iter().zip(&entities).map(|((mention, ..), &entity)| {
            let again = Mention::new(mention.span(), EntityId::new(entity), mention.line(), mention.column());
            let again = mention.head().map_or(again.clone(), |head| again.with_head(head));
            let details = mention.details().cloned().unwrap_or_default();
            again.clone().with_details(details).unwrap_or(again)
        });
        with_entities(&text.document, mentions.collect(), number)
    }
}

/// Returns the document with different mentions and this number of entities.
fn with_entities(document: &Document, mentions: Vec<Mention>, entities: usize) -> Result<Document> {
    let mut builder =
        DocumentBuilder::new(document.id().clone(), Arc::clone(document.source()), document.line());
    builder.entities = (0..entities).map(|entity| entity.to_string().into()).collect();
    builder.mentions = mentions;
    builder.finish(document.words().clone())
}

/// Returns six systems from good to poor, for the correlation of CONE.
pub(super) fn of_cone() -> Vec<(String, SimulatedSystem)> {
    let system = |place: u32| {
        let scale = 0.6 + 0.25 * f64::from(place);
        let base = SimulatedSystem::base();
        let system = SimulatedSystem {
            seed: 100 + u64::from(place),
            noise: base.noise.map(|noise| noise * scale),
            missed: base.missed.map(|missed| missed * scale),
            ..base
        };
        (format!("system-{}", place + 1), system)
    };
    (0..6).map(system).collect()
}

/// Returns fourteen systems with different noise and penalties, as many as table 5 of Moosavi and Strube ranks.
pub(super) fn fourteen() -> Vec<(String, SimulatedSystem)> {
    let system = |place: u32| {
        let scale = 0.5 + 0.1 * f64::from(place);
        let base = SimulatedSystem::base();
        let system = SimulatedSystem {
            seed: 500 + u64::from(place),
            noise: base.noise.map(|noise| noise * scale),
            penalty: [0.0, 0.4, -0.4][place as usize % 3],
            ..base
        };
        (format!("system-{:02}", place + 1), system)
    };
    (0..14).map(system).collect()
}

/// Purposes of draws, which make draws distinct.
const FOUND: u64 = u64::MAX;
const EXTRA: u64 = u64::MAX - 1;
const WHERE: u64 = u64::MAX - 2;

/// Mixes the bits of a number, as the last step of SplitMix64 does.
fn mixed(mut number: u64) -> u64 {
    number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// Returns the state of a draw.
fn state(seed: u64, places: [u64; 3]) -> u64 {
    let add =
        |state: u64, place: u64| mixed(state.wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_add(mixed(place)));
    places.into_iter().fold(mixed(seed), add)
}

/// Returns a number from 0 to below 1.
fn uniform(seed: u64, places: [u64; 3]) -> f64 {
    (state(seed, places) >> 11) as f64 / (1_u64 << 53) as f64
}

/// Returns a number with nearly normal distribution, mean 0 and variance 1: the sum of twelve uniform numbers minus 6.
fn normal(seed: u64, places: [u64; 3]) -> f64 {
    let first = state(seed, places);
    let draw =
        |number: u64| (mixed(first.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15))) >> 11) as f64;
    (1..=12).map(|number| draw(number) / (1_u64 << 53) as f64).sum::<f64>() - 6.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_has_mean_0_and_variance_1() {
        let draws: Vec<f64> = (0..20_000).map(|number| normal(7, [1, number, 2])).collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        let variance =
            draws.iter().map(|draw| (draw - mean) * (draw - mean)).sum::<f64>() / draws.len() as f64;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
        assert!((0..1000).map(|number| uniform(7, [1, number, 2])).all(|draw| (0.0..1.0).contains(&draw)));
    }
}
