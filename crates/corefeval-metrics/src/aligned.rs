//! The aligned entities of a key document and its response, which are the input of every entity metric.

use std::sync::OnceLock;
use std::time::Duration;

use crate::assignment::{Components, components};
use crate::overlap::{Overlap, View, close_gaps};
use crate::splits::{SplitTable, Splits};
use crate::weighed::Weighed;

/// The limits at which the search for the best map of CEAF φ3 and φ4 may stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CeafBound {
    /// The difference between the bounds of recall, precision and F1 that is accepted, in millionths.
    pub gap: Option<u32>,
    /// The time limit for a metric in a document.
    pub time: Option<Duration>,
}

/// The gap of 1, in millionths.
pub const WHOLE_GAP: u32 = 1_000_000;

/// The numbers of distinct mentions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MentionCounts {
    /// The number in the key.
    pub key: u64,
    /// The number in the response.
    pub response: u64,
    /// The number of aligned mentions.
    pub shared: u64,
}

/// The aligned entities of a key document and its response, which are the input of entity metrics.
///
/// On data without repeated mentions, the three views are one table. If a mention stays in several entities of a
/// side (as in coval), recall, precision and the similarity of two entities count it differently, and each has a
/// separate view.
#[derive(Clone, Debug, Default)]
pub struct AlignedEntities {
    overlap: Overlap,
    repeated: Option<Box<RepeatedViews>>,
    mentions: MentionCounts,
    components: OnceLock<Components>,
    splits: Option<Box<Splits>>,
    ceaf_e: Option<Box<AlignedEntities>>,
    weighed: Option<Box<Weighed>>,
    ceaf_bound: Option<CeafBound>,
}

#[derive(Clone, Debug)]
struct RepeatedViews {
    precision: Overlap,
    similarity: Overlap,
    copies: Option<CopiesInKey>,
}

/// The counts of the reference scorer if a side repeats mentions.
#[derive(Clone, Debug)]
pub struct CopiesInKey {
    /// The number of mentions of the response entity that the key entity contains, for each cell of the view for
    /// precision.
    pub held: Vec<u32>,
    /// The links as sets.
    pub links: SetLinks,
}

/// Links as sets, in which all copies of a mention are one, for BLANC as in the reference scorer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SetLinks {
    /// The coreference links.
    pub together: SetCounts,
    /// The non-coreference links.
    pub apart: SetCounts,
}

/// The numbers of links of each side and of common links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SetCounts {
    /// The number of links of the key.
    pub key: u64,
    /// The number of links of the response.
    pub response: u64,
    /// The number of links that both have.
    pub shared: u64,
}

impl AlignedEntities {
    /// Creates the entities of a finished table without repeated mentions.
    pub fn new(overlap: Overlap) -> AlignedEntities {
        let mentions = MentionCounts {
            key: overlap.key_mentions(),
            response: overlap.response_mentions(),
            shared: overlap.shared_mentions(),
        };
        AlignedEntities::with_mentions(overlap, mentions)
    }

    /// Creates the entities of a finished table, with the numbers of distinct mentions. Split antecedents count in
    /// the sizes of entities but are not mentions, and a repeated mention counts as one.
    pub fn with_mentions(overlap: Overlap, mentions: MentionCounts) -> AlignedEntities {
        AlignedEntities { overlap, mentions, ..AlignedEntities::default() }
    }

    /// Returns the entities with the components of their table, which are then not computed.
    #[must_use]
    pub fn with_components(self, components: Components) -> AlignedEntities {
        AlignedEntities { components: components.into(), ..self }
    }

    /// Returns the entities with separate views for precision and for similarity, for repeated mentions.
    #[must_use]
    pub fn with_views(self, precision: Overlap, similarity: Overlap) -> AlignedEntities {
        let views = RepeatedViews { precision, similarity, copies: None };
        AlignedEntities { repeated: Some(Box::new(views)), ..self }
    }

    /// Returns the entities with separate views, counted as in the reference scorer.
    #[must_use]
    pub fn with_copies(
        self,
        precision: Overlap,
        similarity: Overlap,
        copies: CopiesInKey,
    ) -> AlignedEntities {
        let views = RepeatedViews { precision, similarity, copies: Some(copies) };
        AlignedEntities { repeated: Some(Box::new(views)), ..self }
    }

    /// Returns the entities with their split antecedents, which count in the sizes of entities and share no mention.
    #[must_use]
    pub fn with_splits(self, splits: SplitTable) -> AlignedEntities {
        AlignedEntities { splits: Some(Box::new(Splits::new(splits))), ..self }
    }

    /// Returns the entities with the weights of mentions and entities.
    #[must_use]
    pub fn with_weights(self, weighed: Weighed) -> AlignedEntities {
        AlignedEntities { weighed: Some(Box::new(weighed)), ..self }
    }

    /// Returns the table for recall: each mention of a key entity with the response entity that contains it.
    #[inline]
    pub fn recall_view(&self) -> &Overlap {
        &self.overlap
    }

    /// Returns the table for precision: each mention of a response entity with the key entity that contains it.
    #[inline]
    pub fn precision_view(&self) -> &Overlap {
        self.repeated.as_ref().map_or(&self.overlap, |repeated| &repeated.precision)
    }

    /// Returns the table for the similarity of entities as sets.
    #[inline]
    pub fn similarity_view(&self) -> &Overlap {
        self.repeated.as_ref().map_or(&self.overlap, |repeated| &repeated.similarity)
    }

    /// Returns the links as sets, if a side repeats mentions and the reference scorer's rule applies.
    pub fn set_links(&self) -> Option<&SetLinks> {
        self.copies().map(|copies| &copies.links)
    }

    /// Returns, for each cell of the view for precision, the number of mentions of its response entity that its
    /// key entity contains, if the reference scorer's rule for repeated mentions applies.
    pub(crate) fn held(&self) -> Option<&[u32]> {
        self.copies().map(|copies| copies.held.as_slice())
    }

    fn copies(&self) -> Option<&CopiesInKey> {
        self.repeated.as_ref()?.copies.as_ref()
    }

    /// Returns the view in which links are counted, given the side's own view. Under the reference scorer's rule,
    /// a mention that the key repeats belongs to the entity of its last copy.
    pub(crate) fn view_of_links(&self, view: View) -> View {
        if self.copies().is_some() { View::Precision } else { view }
    }

    /// Returns one of the three views.
    #[inline]
    pub fn view(&self, view: View) -> &Overlap {
        match view {
            View::Recall => self.recall_view(),
            View::Precision => self.precision_view(),
            View::Similarity => self.similarity_view(),
        }
    }

    /// Returns the connected components of the table for similarity: groups of entities that share
    /// no mention with entities outside the group. They are computed at the first call.
    pub fn components(&self) -> &Components {
        self.components.get_or_init(|| {
            let overlap = self.similarity_view();
            let ends = overlap.cells().iter().map(|cell| (cell.key, cell.response));
            components(overlap.key_sizes().len(), overlap.response_sizes().len(), ends)
        })
    }

    /// Returns the entities that CEAF φ4 compares.
    pub fn ceaf_e_view(&self) -> &AlignedEntities {
        self.ceaf_e.as_deref().unwrap_or(self)
    }

    /// Excludes singletons of the response, and only those, from the comparison of CEAF φ4.
    pub fn drop_response_singletons_in_ceaf_e(&mut self) {
        let overlap = self.similarity_view();
        let mut sizes: Vec<u32> =
            overlap.response_sizes().iter().map(|&size| if size == 1 { 0 } else { size }).collect();
        let kept = sizes.clone();
        let numbers = close_gaps(&mut sizes);
        let cells = overlap.cells().iter().filter(|cell| kept[cell.response as usize] > 0);
        let pairs: Vec<(u32, u32)> = cells
            .flat_map(|cell| {
                std::iter::repeat_n((cell.key, numbers[cell.response as usize]), cell.shared as usize)
            })
            .collect();
        let overlap = Overlap::new(overlap.key_sizes().to_vec(), sizes, pairs.iter().copied());
        self.ceaf_e = Some(Box::new(AlignedEntities::new(overlap)));
    }

    /// Allows the searches of CEAF φ3 and φ4 to stop before the best map is proved. Their tallies then have
    /// bounds; see [`EntityMetric::upper_score`](crate::EntityMetric::upper_score).
    pub fn set_ceaf_bound(&mut self, bound: Option<CeafBound>) {
        self.ceaf_bound = bound;
    }

    /// Returns the limits at which searches of CEAF may stop.
    pub(crate) fn ceaf_bound(&self) -> Option<CeafBound> {
        self.ceaf_bound
    }

    /// Returns the weights of mentions and entities, if they are known.
    pub fn weighed(&self) -> Option<&Weighed> {
        self.weighed.as_deref()
    }

    /// Returns whether CEAF φ4 ignores the singletons of the response.
    pub(crate) fn drops_response_singletons(&self) -> bool {
        self.ceaf_e.is_some()
    }

    /// Returns the split antecedents, if they are scored and any exist.
    pub fn splits(&self) -> Option<&Splits> {
        self.splits.as_deref()
    }

    /// Returns the numbers of distinct mentions.
    pub fn mentions(&self) -> MentionCounts {
        self.mentions
    }
}

/// Aligns two sets of entities given as lists of mention numbers, for tests and examples.
///
/// A mention that a side repeats counts in the first entity that contains it; [`align`](crate::align) rejects it.
///
/// ```
/// use corefeval_metrics::aligned::align_entities;
/// let pair = align_entities(&[vec![1, 2, 3], vec![4, 5]], &[vec![1, 2], vec![3, 4]]);
/// assert_eq!(pair.mentions().shared, 4);
/// assert_eq!(pair.recall_view().cells().len(), 3);
/// ```
pub fn align_entities(key: &[Vec<u32>], response: &[Vec<u32>]) -> AlignedEntities {
    let (key_sizes, key_mentions) = distinct_mentions(key);
    let (response_sizes, response_mentions) = distinct_mentions(response);
    let mut pairs = Vec::with_capacity(key_mentions.len().min(response_mentions.len()));
    let mut others = response_mentions.iter().peekable();
    for &(mention, key_entity) in &key_mentions {
        while others.next_if(|other| other.0 < mention).is_some() {}
        if let Some(&(_, response_entity)) = others.next_if(|other| other.0 == mention) {
            pairs.push((key_entity, response_entity));
        }
    }
    AlignedEntities::new(Overlap::new(key_sizes, response_sizes, pairs.iter().copied()))
}

/// Returns the sizes of the entities that have a mention, and `(mention, entity)` sorted by mention.
fn distinct_mentions(entities: &[Vec<u32>]) -> (Vec<u32>, Vec<(u32, u32)>) {
    let places = entities.iter().enumerate();
    let mut mentions: Vec<(u32, u32)> =
        places.flat_map(|(entity, members)| members.iter().map(move |&m| (m, entity as u32))).collect();
    mentions.sort_unstable();
    mentions.dedup_by_key(|pair| pair.0);
    let mut sizes = vec![0u32; entities.len()];
    for &(_, entity) in &mentions {
        sizes[entity as usize] += 1;
    }
    let dense = close_gaps(&mut sizes);
    for pair in &mut mentions {
        pair.1 = dense[pair.1 as usize];
    }
    (sizes, mentions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_counts_shared_mentions() {
        // Key {a b c} {d e f g}, response {a b} {c d} {f g h i} (Moosavi and Strube 2016).
        let key = vec![vec![0, 1, 2], vec![3, 4, 5, 6]];
        let response = vec![vec![0, 1], vec![2, 3], vec![5, 6, 7, 8]];
        let pair = align_entities(&key, &response);
        let overlap = pair.recall_view();
        let cells: Vec<_> = overlap.cells().iter().map(|c| (c.key, c.response, c.shared)).collect();
        assert_eq!(cells, [(0, 0, 2), (0, 1, 1), (1, 1, 1), (1, 2, 2)]);
        assert_eq!(overlap.row(1).len(), 2);
        assert_eq!(overlap.key_sizes(), [3, 4]);
        assert_eq!(overlap.response_sizes(), [2, 2, 4]);
        assert_eq!(pair.mentions(), MentionCounts { key: 7, response: 8, shared: 6 });
        assert_eq!(overlap.transposed().transposed(), *overlap);
    }

    #[test]
    fn empty_sides_make_an_empty_table() {
        let pair = align_entities(&[], &[vec![]]);
        assert!(pair.recall_view().cells().is_empty());
        assert!(pair.recall_view().response_sizes().is_empty());
    }
}
