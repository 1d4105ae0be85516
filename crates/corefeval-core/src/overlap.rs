//! Builds the overlap of entities from an alignment of mentions.

use std::ops::Deref;

use corefeval_metrics::aligned as entities;
pub use corefeval_metrics::aligned::{AlignedEntities, CopiesInKey, MentionCounts};
pub use corefeval_metrics::overlap::{Overlap, OverlapCell, View};
use corefeval_metrics::weighed::{Weighed, WeightNeeds};

use crate::diagnostic::Diagnostics;
use crate::matching::{Alignment, MentionTable, credits};
use crate::model::Document;
use crate::selection::Selected;
use crate::settings::{CeafSingletons, Match, Settings};
use crate::weights::{self, TypedSide};

/// A key document and its response, aligned: the input of metrics of single documents.
///
/// Dereferences to the entities. The aligned mentions and the entities of named mentions are included if a metric needs
/// them.
#[derive(Clone, Debug, Default)]
pub struct AlignedPair {
    entities: AlignedEntities,
    table: Option<Box<MentionTable>>,
    named: Option<Box<NamedEntities>>,
}

/// The entities of both sides pruned to their named mentions.
#[derive(Clone, Debug)]
struct NamedEntities {
    entities: AlignedEntities,
    /// The number of each key entity among all entities.
    numbers: Vec<u32>,
}

impl Deref for AlignedPair {
    type Target = AlignedEntities;

    #[inline]
    fn deref(&self) -> &AlignedEntities {
        &self.entities
    }
}

impl From<AlignedEntities> for AlignedPair {
    fn from(entities: AlignedEntities) -> AlignedPair {
        AlignedPair { entities, table: None, named: None }
    }
}

impl AlignedPair {
    /// Creates the pair of an alignment.
    pub fn new(alignment: Alignment) -> AlignedPair {
        let Alignment { mut key, response, pairs, mentions, repeated, table, splits, extra } = alignment;
        let (ours, theirs) = (&key.mentions, &response.mentions);
        let of_pair = |&(key_place, response_place): &(u32, u32)| {
            (ours[key_place as usize].entity, theirs[response_place as usize].entity)
        };
        // Response mentions that are added to the key as singletons.
        let next = key.sizes.len() as u32..;
        let added: Vec<(u32, u32)> =
            next.zip(&extra).map(|(entity, &place)| (entity, theirs[place as usize].entity)).collect();
        key.sizes.extend(added.iter().map(|_| 1));
        let mut entities = match repeated {
            None => {
                let pairs = pairs.iter().map(of_pair).chain(added.iter().copied());
                AlignedEntities::with_mentions(Overlap::new(key.sizes, response.sizes, pairs), mentions)
            }
            Some(repeated) => {
                let view = |pairs: &[(u32, u32)], [ours, theirs]: [&[u32]; 2]| {
                    let sizes = [(&key.sizes, ours), (&response.sizes, theirs)].map(|(sizes, surplus)| {
                        let mut sizes = sizes.clone();
                        surplus.iter().for_each(|&entity| sizes[entity as usize] -= 1);
                        sizes
                    });
                    let [ours, theirs] = sizes;
                    Overlap::new(ours, theirs, pairs.iter().map(of_pair).chain(added.iter().copied()))
                };
                let recall = view(&repeated.recall, [&[], &[]]);
                let precision = view(&repeated.precision, [&[], &[]]);
                let similarity = view(&repeated.similarity, [&repeated.surplus[0], &repeated.surplus[1]]);
                let entities = AlignedEntities::with_mentions(recall, mentions);
                match repeated.links.filter(|_| added.is_empty()) {
                    None => entities.with_views(precision, similarity),
                    Some(links) => {
                        let copies = repeated.similarity.iter().map(|pair| (of_pair(pair), pair.1));
                        let held = held(copies.collect(), &precision);
                        entities.with_copies(precision, similarity, CopiesInKey { held, links })
                    }
                }
            }
        };
        if let Some(splits) = splits {
            entities = entities.with_splits(*splits);
        }
        AlignedPair { entities, table, named: None }
    }

    /// Creates a pair from an overlap table without repeated mentions.
    pub fn from_overlap(overlap: Overlap) -> AlignedPair {
        AlignedEntities::new(overlap).into()
    }

    /// Adds the weights of mentions and entities.
    pub(crate) fn with_weights(self, weighed: Weighed) -> AlignedPair {
        AlignedPair { entities: self.entities.with_weights(weighed), ..self }
    }

    /// Returns the pair with the settings that concern single metrics.
    #[must_use]
    pub(crate) fn following(mut self, settings: &Settings) -> AlignedPair {
        if settings.ceaf == CeafSingletons::KeyOnly {
            self.drop_response_singletons_in_ceaf_e();
        }
        self.set_ceaf_bound(settings.ceaf_bound);
        self
    }

    /// Excludes singletons of the response, but not of the key, from CEAF φ4.
    pub fn drop_response_singletons_in_ceaf_e(&mut self) {
        self.entities.drop_response_singletons_in_ceaf_e();
    }

    /// Allows CEAF φ3 and φ4 to stop early with bounds.
    pub fn set_ceaf_bound(&mut self, bound: Option<corefeval_metrics::CeafBound>) {
        self.entities.set_ceaf_bound(bound);
    }

    /// Returns the entities pruned to their named mentions, if a metric needs them.
    pub fn named_view(&self) -> Option<&AlignedEntities> {
        self.named.as_deref().map(|named| &named.entities)
    }

    /// Returns the number in the whole pair for each key entity of [`named_view`](Self::named_view).
    pub fn named_entities(&self) -> &[u32] {
        self.named.as_deref().map_or(&[], |named| &named.numbers)
    }

    /// Adds the pair of the named mentions, and the number in this pair for each of its key entities.
    #[must_use]
    pub fn with_named(self, named: AlignedPair, numbers: Vec<u32>) -> AlignedPair {
        AlignedPair { named: Some(Box::new(NamedEntities { entities: named.entities, numbers })), ..self }
    }

    /// Returns the aligned mentions, if a metric needs them.
    pub fn table(&self) -> Option<&MentionTable> {
        self.table.as_deref()
    }
}

/// Returns, for each cell of the precision view, how many mentions of its response entity its key entity contains. Each
/// copy is given as its entities on both sides and its response mention; copies within one entity count once.
fn held(mut copies: Vec<((u32, u32), u32)>, precision: &Overlap) -> Vec<u32> {
    copies.sort_unstable();
    copies.dedup();
    // Both lists are sorted by entities.
    let mut held =
        copies.chunk_by(|a, b| a.0 == b.0).map(|copies| (copies[0].0, copies.len() as u32)).peekable();
    let of_cell = |cell: &OverlapCell| {
        let entities = (cell.key, cell.response);
        while held.next_if(|(other, _)| *other < entities).is_some() {}
        held.next_if(|(other, _)| *other == entities).map_or(0, |(_, count)| count)
    };
    precision.cells().iter().map(of_cell).collect()
}

/// Returns the shared mentions of each view, as places of selected mentions on both sides. Without repeated mentions,
/// only the first list is present.
pub(crate) fn pairs_of_views(alignment: &Alignment) -> [Option<Vec<(u32, u32)>>; 3] {
    match alignment.repeated.as_deref() {
        None => [Some(alignment.pairs.clone()), None, None],
        Some(repeated) => {
            [&repeated.recall, &repeated.precision, &repeated.similarity].map(|pairs| Some(pairs.clone()))
        }
    }
}

/// Computes the weights of the mentions and entities of an alignment, for the metrics that need them.
pub(crate) fn weigh(
    (key, response): (&Document, &Document),
    alignment: &Alignment,
    settings: &Settings,
    needs: WeightNeeds,
    diagnostics: &mut Diagnostics,
) -> Weighed {
    let sides = [typed("key", key, &alignment.key), typed("response", response, &alignment.response)];
    let views = pairs_of_views(alignment);
    let mut weighed =
        weights::weigh(&sides, &alignment.pairs, views, settings.weights.as_ref(), needs, diagnostics);
    if needs.credit && settings.matching != Match::Exact {
        let pairs = weighed.pairs(View::Similarity);
        weighed.credits =
            credits((key, &alignment.key), (response, &alignment.response), pairs, settings.place);
    }
    weighed
}

fn typed<'d>(name: &'static str, document: &'d Document, selected: &Selected) -> TypedSide<'d> {
    let mentions = selected.mentions.iter().map(|mention| (mention.mention, mention.entity)).collect();
    TypedSide { name, document, mentions, entities: selected.sizes.len() }
}

/// Aligns two sets of entities given as lists of mention numbers, as
/// [`align_entities`](corefeval_metrics::aligned::align_entities) does.
pub fn align_entities(key: &[Vec<u32>], response: &[Vec<u32>]) -> AlignedPair {
    entities::align_entities(key, response).into()
}

/// Aligns two sets of entities, and the same sets pruned to their named mentions.
///
/// ```
/// use corefeval_core::overlap::align_named_entities;
/// // Mentions below 10 are names.
/// let pair = align_named_entities(&[vec![1, 2, 11]], &[vec![1, 11, 12], vec![13]], |mention| mention < 10);
/// let named = pair.named_view().ok_or("there are names")?;
/// assert_eq!((named.mentions().key, named.mentions().response), (2, 1));
/// assert_eq!(named.recall_view().response_sizes(), [1]);
/// # Ok::<(), &str>(())
/// ```
pub fn align_named_entities(
    key: &[Vec<u32>],
    response: &[Vec<u32>],
    named: impl Fn(u32) -> bool,
) -> AlignedPair {
    let pruned = |side: &[Vec<u32>]| -> Vec<Vec<u32>> {
        let names = |entity: &Vec<u32>| entity.iter().copied().filter(|&mention| named(mention)).collect();
        side.iter().map(names).collect()
    };
    let whole = (0..).zip(key.iter().filter(|entity| !entity.is_empty()));
    let entities = whole.filter(|(_, entity)| entity.iter().any(|&mention| named(mention)));
    let entities = entities.map(|(number, _)| number).collect();
    align_entities(key, response).with_named(align_entities(&pruned(key), &pruned(response)), entities)
}
