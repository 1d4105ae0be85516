//! The sparse table that feeds every entity metric: how many mentions each key entity shares with
//! each response entity.
//!
//! Built once per document in time linear in the mentions. MUC, B³, CEAF, BLANC, LEA, pairwise
//! links and Rand all follow from it and from the sizes of the entities; nothing else about the
//! mentions matters to them.

use std::cell::OnceCell;

use crate::matching::assignment::{Components, components};
use crate::matching::{Alignment, MentionCounts, MentionTable, SplitMember, SplitTable};
use crate::selection::close_gaps;
use crate::weighed::Weighed;

/// Shared mentions by entity pair, with the sizes of all entities.
///
/// Entities are numbered densely on each side; every entity has at least one mention. Only pairs
/// that share a mention have a cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overlap {
    key_sizes: Vec<u32>,
    response_sizes: Vec<u32>,
    row_starts: Vec<u32>,
    cells: Vec<Cell>,
    /// Shared mentions by response entity.
    response_shared: Vec<u32>,
}

/// A pair of entities that share mentions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The key entity.
    pub key: u32,
    /// The response entity.
    pub response: u32,
    /// How many mentions they share; at least one.
    pub shared: u32,
}

impl Overlap {
    /// The table of entities with the given sizes and of mention pairs `(key entity, response
    /// entity)`, one for each shared mention, in any order.
    pub fn new(
        key_sizes: Vec<u32>,
        response_sizes: Vec<u32>,
        pairs: impl Iterator<Item = (u32, u32)> + Clone,
    ) -> Overlap {
        let rows = key_sizes.len();
        // Sort the pairs by key entity (counting sort), then count each row with a scratch array.
        let mut starts = vec![0u32; rows + 1];
        for (key, _) in pairs.clone() {
            starts[key as usize + 1] += 1;
        }
        for row in 0..rows {
            starts[row + 1] += starts[row];
        }
        let mut sorted = vec![0u32; starts[rows] as usize];
        let mut next = starts.clone();
        for (key, response) in pairs {
            let place = &mut next[key as usize];
            sorted[*place as usize] = response;
            *place += 1;
        }
        let mut counts = vec![0u32; response_sizes.len()];
        let mut response_shared = vec![0u32; response_sizes.len()];
        let mut row_starts = Vec::with_capacity(rows + 1);
        let mut cells = Vec::with_capacity(rows);
        row_starts.push(0);
        for key in 0..rows {
            let members = &mut sorted[starts[key] as usize..starts[key + 1] as usize];
            let mut distinct = 0;
            for place in 0..members.len() {
                let response = members[place];
                let count = &mut counts[response as usize];
                if *count == 0 {
                    members[distinct] = response;
                    distinct += 1;
                }
                *count += 1;
            }
            let distinct = &mut members[..distinct];
            distinct.sort_unstable();
            for &response in &*distinct {
                let shared = std::mem::take(&mut counts[response as usize]);
                response_shared[response as usize] += shared;
                cells.push(Cell { key: key as u32, response, shared });
            }
            row_starts.push(cells.len() as u32);
        }
        Overlap { key_sizes, response_sizes, row_starts, cells, response_shared }
    }

    /// Sizes of the key entities, in mentions.
    pub fn key_sizes(&self) -> &[u32] {
        &self.key_sizes
    }

    /// Sizes of the response entities, in mentions.
    pub fn response_sizes(&self) -> &[u32] {
        &self.response_sizes
    }

    /// All cells, by key entity, then by response entity.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The cells of one key entity.
    pub fn row(&self, key: u32) -> &[Cell] {
        let key = key as usize;
        &self.cells[self.row_starts[key] as usize..self.row_starts[key + 1] as usize]
    }

    /// The place of the cell of two entities that share a mention.
    pub(crate) fn place(&self, key: u32, response: u32) -> usize {
        let row = self.row(key);
        let place = row.binary_search_by_key(&response, |cell| cell.response);
        self.row_starts[key as usize] as usize
            + place.unwrap_or_else(|_| unreachable!("they share a mention"))
    }

    /// Shared mentions of each response entity.
    pub fn response_shared(&self) -> &[u32] {
        &self.response_shared
    }

    /// Shared mentions of each key entity.
    pub fn key_shared(&self) -> impl Iterator<Item = u32> {
        self.row_starts
            .windows(2)
            .map(|ends| self.cells[ends[0] as usize..ends[1] as usize].iter().map(|cell| cell.shared).sum())
    }

    /// How many mentions the key has.
    pub fn key_mentions(&self) -> u64 {
        self.key_sizes.iter().map(|&size| u64::from(size)).sum()
    }

    /// How many mentions the response has.
    pub fn response_mentions(&self) -> u64 {
        self.response_sizes.iter().map(|&size| u64::from(size)).sum()
    }

    /// How many mentions both have.
    pub fn shared_mentions(&self) -> u64 {
        self.cells.iter().map(|cell| u64::from(cell.shared)).sum()
    }

    /// The same table with key and response exchanged.
    pub fn transposed(&self) -> Overlap {
        let pairs = self
            .cells
            .iter()
            .flat_map(|cell| std::iter::repeat_n((cell.response, cell.key), cell.shared as usize));
        Overlap::new(self.response_sizes.clone(), self.key_sizes.clone(), pairs)
    }
}

/// A key document and its response, aligned: all that a metric sees.
///
/// On all data without repeated mentions the three tables are one. Where a profile keeps a mention
/// that one side annotates in several entities (coval does), recall, precision and the similarity
/// of two entities count it differently, and each asks for its own table.
#[derive(Clone, Debug, Default)]
pub struct AlignedPair {
    overlap: Overlap,
    repeated: Option<Box<RepeatedViews>>,
    mentions: MentionCounts,
    components: OnceCell<Components>,
    table: Option<Box<MentionTable>>,
    splits: Option<Box<Splits>>,
    ceaf_e: Option<Box<AlignedPair>>,
    weighed: Option<Box<Weighed>>,
    named: Option<Box<AlignedPair>>,
    named_entities: Vec<u32>,
}

/// The split antecedents of both sides. They count in the sizes of their entities and share no
/// mention.
#[derive(Clone, Debug)]
pub struct Splits {
    /// The entity that each split antecedent of the key is a member of.
    pub key: Vec<u32>,
    /// The same of the response.
    pub response: Vec<u32>,
    /// The sets of entities that they are the sums of, for each of the key and each of the response,
    /// by key. A side that has none stands here with one that is the sum of nothing.
    pub pairs: Vec<AlignedPair>,
    /// Whether they alone are scored.
    pub only: bool,
    /// For each of the key, the response entities of the mentions of its entity that come after it.
    pub followers: Vec<Vec<u32>>,
}

impl Splits {
    fn new(table: &SplitTable) -> Splits {
        fn sets(side: &[SplitMember]) -> Vec<&[Vec<u32>]> {
            if side.is_empty() {
                vec![&[]]
            } else {
                side.iter().map(|split| split.parts.as_slice()).collect()
            }
        }
        let (keys, responses) = (sets(&table.key), sets(&table.response));
        let pairs = keys
            .iter()
            .flat_map(|key| responses.iter().map(|response| align_entities(key, response)))
            .collect();
        let entities = |side: &[SplitMember]| side.iter().map(|split| split.entity).collect();
        let (key, response) = (entities(&table.key), entities(&table.response));
        let followers = table.key.iter().map(|split| split.followers.clone()).collect();
        Splits { key, response, pairs, only: table.only, followers }
    }
}

/// Which of the three tables of shared mentions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum View {
    Recall,
    Precision,
    Similarity,
}

/// The shared mentions as each view counts them: the places of the copies that count in the two selections. One
/// list, the first, where no mention is repeated.
pub(crate) fn pairs_of_views(alignment: &Alignment) -> [Option<Vec<(u32, u32)>>; 3] {
    match alignment.repeated.as_deref() {
        None => [Some(alignment.pairs.clone()), None, None],
        Some(repeated) => {
            [&repeated.recall, &repeated.precision, &repeated.similarity].map(|pairs| Some(pairs.clone()))
        }
    }
}

#[derive(Clone, Debug)]
struct RepeatedViews {
    precision: Overlap,
    similarity: Overlap,
}

impl AlignedPair {
    /// The pair that an alignment makes.
    pub fn new(alignment: Alignment) -> AlignedPair {
        let Alignment { key, response, pairs, mentions, repeated, table, splits } = alignment;
        let splits = splits.map(|splits| Box::new(Splits::new(&splits)));
        let (ours, theirs) = (&key.mentions, &response.mentions);
        let entities = |&(key_place, response_place): &(u32, u32)| {
            (ours[key_place as usize].entity, theirs[response_place as usize].entity)
        };
        let Some(repeated) = repeated else {
            let overlap = Overlap::new(key.sizes, response.sizes, pairs.iter().map(entities));
            return AlignedPair { overlap, mentions, table, splits, ..AlignedPair::default() };
        };
        let view = |key_sizes: &[u32], response_sizes: &[u32], pairs: &[(u32, u32)]| {
            Overlap::new(key_sizes.to_vec(), response_sizes.to_vec(), pairs.iter().map(entities))
        };
        let views = RepeatedViews {
            precision: view(&key.sizes, &response.sizes, &repeated.precision),
            similarity: view(&key.sizes, &response.sizes, &repeated.similarity),
        };
        AlignedPair {
            overlap: view(&key.sizes, &response.sizes, &repeated.recall),
            repeated: Some(Box::new(views)),
            mentions,
            table,
            splits,
            ..AlignedPair::default()
        }
    }

    /// The pair over a finished table, in which no mention is repeated.
    pub fn from_overlap(overlap: Overlap) -> AlignedPair {
        let mentions = MentionCounts {
            key: overlap.key_mentions(),
            response: overlap.response_mentions(),
            shared: overlap.shared_mentions(),
        };
        AlignedPair { overlap, mentions, ..AlignedPair::default() }
    }

    /// The table for recall: each mention of a key entity beside the response entity that holds it.
    pub fn recall_view(&self) -> &Overlap {
        &self.overlap
    }

    /// The table for precision: each mention of a response entity beside the key entity that holds it.
    pub fn precision_view(&self) -> &Overlap {
        self.repeated.as_ref().map_or(&self.overlap, |repeated| &repeated.precision)
    }

    /// The table for the similarity of entities taken as sets.
    pub fn similarity_view(&self) -> &Overlap {
        self.repeated.as_ref().map_or(&self.overlap, |repeated| &repeated.similarity)
    }

    /// One of the three.
    pub(crate) fn view(&self, view: View) -> &Overlap {
        match view {
            View::Recall => self.recall_view(),
            View::Precision => self.precision_view(),
            View::Similarity => self.similarity_view(),
        }
    }

    /// The connected components of the table for similarity: groups of entities that no mention
    /// ties to entities outside. Found once, at the first call.
    pub fn components(&self) -> &Components {
        self.components.get_or_init(|| {
            let overlap = self.similarity_view();
            let ends = overlap.cells.iter().map(|cell| (cell.key, cell.response));
            components(overlap.key_sizes.len(), overlap.response_sizes.len(), ends)
        })
    }

    /// What CEAF φ4 sees.
    pub fn ceaf_e_view(&self) -> &AlignedPair {
        self.ceaf_e.as_deref().unwrap_or(self)
    }

    /// Leaves singletons of the response, and only those, out of what CEAF φ4 sees.
    pub fn drop_response_singletons_in_ceaf_e(&mut self) {
        let overlap = self.similarity_view();
        let mut sizes: Vec<u32> =
            overlap.response_sizes.iter().map(|&size| if size == 1 { 0 } else { size }).collect();
        let kept = sizes.clone();
        let numbers = close_gaps(&mut sizes);
        let cells = overlap.cells.iter().filter(|cell| kept[cell.response as usize] > 0);
        let pairs: Vec<(u32, u32)> = cells
            .flat_map(|cell| {
                std::iter::repeat_n((cell.key, numbers[cell.response as usize]), cell.shared as usize)
            })
            .collect();
        let overlap = Overlap::new(overlap.key_sizes.clone(), sizes, pairs.iter().copied());
        self.ceaf_e = Some(Box::new(AlignedPair::from_overlap(overlap)));
    }

    /// The pair of the same documents pruned to their named mentions, where they were asked for.
    pub fn named_view(&self) -> Option<&AlignedPair> {
        self.named.as_deref()
    }

    /// For each key entity of [`named_view`](Self::named_view) which of the whole pair's it is.
    pub fn named_entities(&self) -> &[u32] {
        &self.named_entities
    }

    /// The same pair with that of its named mentions, and for each key entity there which of this pair's it is.
    #[must_use]
    pub fn with_named(mut self, named: AlignedPair, entities: Vec<u32>) -> AlignedPair {
        self.named = Some(Box::new(named));
        self.named_entities = entities;
        self
    }

    /// The aligned mentions themselves, where they were asked for.
    pub fn table(&self) -> Option<&MentionTable> {
        self.table.as_deref()
    }

    /// The same pair with what its mentions and entities weigh.
    pub(crate) fn with_weights(self, weighed: Weighed) -> AlignedPair {
        AlignedPair { weighed: Some(Box::new(weighed)), ..self }
    }

    /// What mentions and entities weigh, where a metric asked for it.
    pub(crate) fn weighed(&self) -> Option<&Weighed> {
        self.weighed.as_deref()
    }

    /// Whether CEAF φ4 does without the singletons of the response.
    pub(crate) fn drops_response_singletons(&self) -> bool {
        self.ceaf_e.is_some()
    }

    /// The split antecedents, where there are any and they are scored.
    pub fn splits(&self) -> Option<&Splits> {
        self.splits.as_deref()
    }

    /// Distinct mentions.
    pub fn mentions(&self) -> MentionCounts {
        self.mentions
    }
}

/// The pair of two sets of entities given as lists of mention numbers: for trying things out, for
/// tests, and for callers that have no files.
///
/// A mention that a side repeats counts in the first entity that holds it.
///
/// ```
/// use corefeval_core::overlap::align_entities;
/// let pair = align_entities(&[vec![1, 2, 3], vec![4, 5]], &[vec![1, 2], vec![3, 4]]);
/// assert_eq!(pair.mentions().shared, 4);
/// assert_eq!(pair.recall_view().cells().len(), 3);
/// ```
pub fn align_entities(key: &[Vec<u32>], response: &[Vec<u32>]) -> AlignedPair {
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
    AlignedPair::from_overlap(Overlap::new(key_sizes, response_sizes, pairs.iter().copied()))
}

/// As [`align_entities`], with the pair of the named mentions, which `named` tells.
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

/// Sizes of the entities that have a mention, and `(mention, entity)` sorted by mention.
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
