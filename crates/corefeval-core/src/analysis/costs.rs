//! The cost of errors: the scores of corrected responses.
//!
//! A corrected response differs from the response only in the entities of its mentions, so its overlap table follows
//! from the aligned mentions, and metrics score it like any other. [`ResponseCorrector`](super::ResponseCorrector)
//! makes the same response as a document.
//!
//! There are sixteen corrections, and each changes little. To avoid scoring anything twice, a document is divided into
//! parts whose entities share mentions with no others. Each part is counted once for all corrections that leave it the
//! same, and parts of all documents that are affected by the same corrections are scored as one table. Once conflated
//! entities are split, a part falls into pieces of one key entity each, which are counted in the same way. Mentions that
//! no correction separates are counted together. Most parts are small pairs of entities of the same few sizes, so each
//! distinct pair is scored once and its counts are multiplied.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::OnceLock;

use corefeval_metrics::Closure;
use corefeval_metrics::PairsAcross;
use corefeval_metrics::tally::Tally;

use super::correct::{Corrector, ErrorCorrection};
use super::items::{Grouped, NONE};
use super::kinds::CorefErrorKind;
use super::results::Step;
use crate::metrics::Metric;
use crate::model::Side;
use crate::overlap::{AlignedPair, MentionCounts, Overlap, OverlapCell};
use crate::score::{DocumentTallies, Task, counted_metrics, report_of_tallies};
use crate::scratch::{Scratch, spare_lists};
use crate::settings::{Average, CeafSingletons, Match, Settings};

/// Returns the metrics whose scores the corrections can change: those that compare the mentions of entities.
/// Corrections do not affect non-referring expressions, bridging, or links as they are written. ACE-value is excluded
/// because it needs the classes and subtypes of entities, which an entity with mentions of several others lacks.
pub fn metrics_of_corrections(metrics: &[Metric]) -> Vec<Metric> {
    metrics.iter().filter(|metric| metric.depends_on_entities()).copied().collect()
}

/// Returns whether the cost in a metric follows from the entities of aligned mentions. For other metrics, corrected
/// documents are scored.
pub(super) fn needs_entities_alone(metric: &Metric, settings: &Settings) -> bool {
    let credits_words = metric.credits_words() && settings.matching != Match::Exact;
    metric.compares_entities() && !metric.needs_types() && !credits_words
}

/// The kinds that are corrected after span errors.
const KINDS: usize = 6;

/// The number of corrections: each kind alone, and the sequence from the response to the key.
const CORRECTIONS: usize = (1 + KINDS) + (2 + KINDS + 1);

/// A set of corrections: one bit each, in the order of [`ErrorCorrection::all`].
type Set = u32;

/// The places of both halves among all corrections: each kind alone, and the sequence.
const HALVES: [Range<usize>; 2] = [0..1 + KINDS, 1 + KINDS..CORRECTIONS];

/// Returns the bit of the correction of one kind alone: 0 for span errors, then the others.
fn alone(kind: usize) -> Set {
    1 << kind
}

/// Returns the bit of a step of the sequence: 0 for the response, 1 for span errors, then the others, then the key.
fn step(step: usize) -> Set {
    1 << (1 + KINDS + step)
}

/// The errors that a part of a document has, a bit each: span errors, the other kinds, and extra mentions of no error.
type ErrorBits = u16;

spare_lists!(ErrorBits, (u32, usize));

/// Conflated entities.
const CONFLATED: ErrorBits = 1 << (CorefErrorKind::ConflatedEntities as u8);

/// Extra mentions that belong to no error.
const REST: ErrorBits = 1 << (1 + KINDS);

/// Not an error: the part is a piece of a larger one whose conflated entities were split.
const PIECE: ErrorBits = 1 << (2 + KINDS);

/// A state of a document, by number: the response, the response with its span errors corrected, the result of each
/// later step of the sequence, the key, and then each kind corrected alone.
type State = usize;

const RESPONSE: State = 0;
const SPANS: State = 1;
const KEY: State = 2 + KINDS;
const ALONE: State = KEY + 1;
const STATES: usize = ALONE + KINDS;

/// Returns the distinct states of a part with these errors, each with the corrections that lead to it. For a part with
/// conflated entities, these are only the states in which they are not split; its pieces cover the others.
fn states(errors: ErrorBits) -> Vec<(State, Set)> {
    let has = |kind: usize| errors >> (1 + kind) & 1 == 1;
    let (mut found, mut others) = (Vec::new(), Vec::new());
    let mut current = (RESPONSE, step(0));
    if errors & PIECE != 0 {
        // Conflated entities alone are the first correction that follows span errors.
        current = (2, step(2) | alone(1));
    } else {
        if errors & 1 != 0 {
            found.push(std::mem::replace(&mut current, (SPANS, 0)));
        }
        current.1 |= step(1) | alone(0);
        // A correction without effect after span errors equals the correction of span errors.
        current.1 |= (0..KINDS).filter(|&kind| !has(kind)).fold(0, |set, kind| set | alone(1 + kind));
        if errors & CONFLATED != 0 {
            found.push(current);
            found.extend((1..KINDS).filter(|&kind| has(kind)).map(|kind| (ALONE + kind, alone(1 + kind))));
            return found;
        }
        current.1 |= step(2);
    }
    for kind in 1..KINDS {
        if !has(kind) {
            current.1 |= step(2 + kind);
            continue;
        }
        let is_first = (1..kind).all(|earlier| !has(earlier));
        found.push(std::mem::replace(&mut current, (2 + kind, step(2 + kind))));
        if errors & PIECE != 0 {
            continue;
        }
        if is_first {
            current.1 |= alone(1 + kind);
        } else {
            others.push((ALONE + kind, alone(1 + kind)));
        }
    }
    if errors & REST != 0 {
        found.push(std::mem::replace(&mut current, (KEY, 0)));
    }
    current.1 |= step(2 + KINDS);
    found.push(current);
    found.extend(others);
    found
}

/// The tallies of all corrections: each kind alone, then in sequence.
#[derive(Clone, Debug)]
pub(super) struct Costs {
    counted: Vec<Metric>,
    tallies: Tallies,
}

/// Tallies of corrected documents.
#[derive(Clone, Debug)]
enum Tallies {
    /// The tallies of all documents together.
    Sums(Box<Parts>),
    /// The tallies of each document for each correction, with the number of the document.
    Documents(Vec<(u32, Vec<DocumentTallies>)>),
}

impl Costs {
    /// Creates empty tallies of the metrics of a task.
    pub(super) fn new(metrics: &[Metric], settings: &Settings) -> Costs {
        Costs {
            counted: counted_metrics(metrics),
            tallies: match settings.average {
                Average::Micro => Tallies::Sums(Box::default()),
                _ => Tallies::Documents(Vec::new()),
            },
        }
    }

    /// Counts the corrected responses of the document with this number.
    pub(super) fn add_document(
        &mut self,
        number: u32,
        id: &str,
        corrector: &Corrector<'_>,
        settings: &Settings,
    ) {
        if self.counted.is_empty() {
            return;
        }
        let settle = |table: &mut SharedMentions| table.settle(&self.counted, settings);
        match &mut self.tallies {
            Tallies::Sums(parts) => parts.add(corrector, settle),
            Tallies::Documents(documents) => {
                let mut parts = Parts::default();
                parts.add(corrector, settle);
                let tallies = parts.tallies(&self.counted, settings).into_iter();
                let named = tallies.map(|tallies| DocumentTallies { id: id.to_owned(), ..tallies });
                documents.push((number, named.collect()));
            }
        }
    }

    /// Adds the tallies of other documents.
    pub(super) fn merge(&mut self, other: Costs) {
        match (&mut self.tallies, other.tallies) {
            (Tallies::Sums(ours), Tallies::Sums(theirs)) => ours.merge(*theirs),
            (Tallies::Documents(ours), Tallies::Documents(theirs)) => ours.extend(theirs),
            _ => {}
        }
    }

    /// Counts the entities that are not counted yet.
    pub(super) fn count_rest(&mut self, settings: &Settings) {
        if let Tallies::Sums(parts) = &mut self.tallies {
            parts.count_rest(&self.counted, settings);
        }
    }

    /// Adds up the counts of all tables, which [`count_rest`](Self::count_rest) has completed, and leaves none.
    pub(super) fn take_sums(&mut self) -> Summed {
        let mut summed = Summed { counted: self.counted.clone(), ..Summed::default() };
        match &mut self.tallies {
            Tallies::Sums(parts) => {
                summed.sums = std::mem::take(&mut **parts).into();
            }
            Tallies::Documents(documents) => {
                let mut documents = std::mem::take(documents);
                documents.sort_unstable_by_key(|(number, _)| *number);
                summed.documents = vec![Vec::new(); CORRECTIONS];
                for (_, of_document) in documents {
                    summed.documents.iter_mut().zip(of_document).for_each(|(all, tallies)| all.push(tallies));
                }
            }
        }
        summed
    }
}

/// The counts of all documents.
#[derive(Debug, Default)]
pub(super) struct Summed {
    counted: Vec<Metric>,
    sums: CorrectionCounts,
    /// For each correction, the tallies of each document; empty if scores are micro-averaged.
    documents: Vec<Vec<DocumentTallies>>,
}

/// The counts of tables.
#[derive(Clone, Debug, Default)]
struct CountedTable {
    tallies: Vec<Tally>,
    /// Pairs of mentions that are not within one table.
    pairs: PairsAcross,
}

impl CountedTable {
    /// Creates empty counts of this many metrics.
    fn new(metrics: usize) -> CountedTable {
        CountedTable { tallies: vec![Tally::default(); metrics], pairs: PairsAcross::default() }
    }

    /// Adds the entities of a table.
    fn count(&mut self, table: Overlap, counted: &[Metric], settings: &Settings) {
        let mut aligned = AlignedPair::from_overlap(table);
        if settings.ceaf == CeafSingletons::KeyOnly {
            aligned.drop_response_singletons_in_ceaf_e();
        }
        self.tallies.resize_with(counted.len(), Tally::default);
        counted.iter().zip(&mut self.tallies).for_each(|(metric, tally)| metric.tally(&aligned, tally));
        self.pairs.subtract(aligned.mentions());
    }

    /// Adds other counts.
    fn add(&mut self, other: &CountedTable) {
        self.tallies.iter_mut().zip(&other.tallies).for_each(|(sum, tally)| sum.add(tally));
        add_pairs(&mut self.pairs, &other.pairs);
    }

    /// Adds other counts, multiplied.
    fn add_times(&mut self, other: &CountedTable, times: u64) {
        self.tallies.iter_mut().zip(&other.tallies).for_each(|(sum, tally)| sum.add_times(tally, times));
        self.pairs.key += other.pairs.key * i128::from(times);
        self.pairs.response += other.pairs.response * i128::from(times);
        self.pairs.shared += other.pairs.shared * i128::from(times);
    }
}

fn add_mentions(ours: &mut MentionCounts, theirs: &MentionCounts) {
    ours.key += theirs.key;
    ours.response += theirs.response;
    ours.shared += theirs.shared;
}

fn add_pairs(ours: &mut PairsAcross, theirs: &PairsAcross) {
    ours.key += theirs.key;
    ours.response += theirs.response;
    ours.shared += theirs.shared;
}

impl Summed {
    /// The number of halves of the corrections: each kind alone, and the sequence.
    pub(super) const HALVES: usize = HALVES.len();

    /// Returns the scores of a half of the corrections.
    pub(super) fn steps(&self, half: usize, metrics: &[Metric], settings: &Settings) -> Vec<Step> {
        let task = Task { settings: settings.clone(), metrics: metrics.to_vec(), by: None, threads: 1 };
        let (alone, sequence) = ErrorCorrection::all();
        let places = HALVES[half].clone();
        let sums: Vec<Vec<DocumentTallies>>;
        let documents = match settings.average {
            Average::Micro => {
                let all = self.sums.tallies(&self.counted, settings, places);
                sums = all.into_iter().map(|sum| vec![sum]).collect();
                &sums[..]
            }
            _ => &self.documents[places],
        };
        let step = |(correction, documents): (&ErrorCorrection, &Vec<DocumentTallies>)| Step {
            correction: *correction,
            results: report_of_tallies(&task, documents, None).results,
        };
        [alone, sequence][half].iter().zip(documents).map(step).collect()
    }
}

/// Parts of documents in all their states. States with the same set of corrections share a table.
#[derive(Clone, Debug, Default)]
struct Parts {
    tables: Vec<(Set, SharedMentions)>,
    small: SmallPairs,
    /// [`states`] by the errors of a part, computed on demand; each with the place of its table.
    states: Vec<Vec<(State, usize)>>,
    /// For each correction, the number of mentions in the documents and of pairs of mentions within them.
    mentions: [MentionCounts; CORRECTIONS],
    pairs: [PairsAcross; CORRECTIONS],
    memory: Memory,
}

/// Buffers for one document or one of its parts, reused for the next.
#[derive(Clone, Debug, Default)]
struct Memory {
    numbers: Numbers,
    key_sizes: Vec<u32>,
    groups: Vec<MentionGroup>,
    /// The mentions that the document adds to each table.
    added: Vec<MentionCounts>,
    entities: [Vec<u32>; STATES],
}

/// Entities with the mentions that they share.
#[derive(Clone, Debug, Default)]
struct SharedMentions {
    key_sizes: Vec<u32>,
    response_sizes: Vec<u32>,
    cells: Vec<OverlapCell>,
    /// The number of occurrences of each of the [`SmallPairs`], by number.
    small: Vec<u32>,
    /// The counts of the entities that the table held before it was last emptied.
    counts: CountedTable,
}

/// A table with this many cells is counted and emptied before more are added, because reused memory is faster than new
/// memory.
const FULL: usize = 2_048;

/// Returns the [`states`] of a part, each with the place of the table for its corrections, which is added if new.
fn places(errors: ErrorBits, tables: &mut Vec<(Set, SharedMentions)>) -> Vec<(State, usize)> {
    let mut place = |set: Set| {
        tables.iter().position(|(known, _)| *known == set).unwrap_or_else(|| {
            tables.push((set, SharedMentions::default()));
            tables.len() - 1
        })
    };
    states(errors).into_iter().map(|(state, set)| (state, place(set))).collect()
}

impl Parts {
    /// Adds the parts of a document in all their states; `settle` counts the entities of a table.
    fn add(&mut self, corrector: &Corrector<'_>, settle: impl Fn(&mut SharedMentions)) {
        let Memory { numbers, key_sizes, groups, added, entities } = &mut self.memory;
        self.states.resize_with(2 * usize::from(PIECE), Vec::new);
        let untouched = MentionGroup::all(corrector, groups);
        let groups = &groups[..];
        let mut whole = Division::of(corrector, groups);
        let all: ErrorBits = whole.errors.iter().fold(0, |all, errors| all | errors);
        let mut entities = StatesOfDocument::new(corrector, all, entities);
        whole.find_rest(groups, entities.rest());
        let pieces = (all & CONFLATED != 0).then(|| {
            let mut pieces = Division::pieces(&whole, corrector, groups, entities.of(2));
            pieces.find_rest(groups, entities.rest());
            pieces
        });
        let parts = std::iter::once(&whole).chain(&pieces).flat_map(|division| {
            division.parts.iter().zip(division.errors.iter()).map(|((_, members), errors)| (members, *errors))
        });
        for (members, errors) in parts.filter(|(members, _)| !members.is_empty()) {
            // The key's entities are the same in all states; groups are in their order.
            key_sizes.clear();
            let mut last = NONE;
            for group in members.iter().map(|&group| &groups[group as usize]) {
                if group.key != last && group.key != NONE {
                    key_sizes.push(0);
                    last = group.key;
                }
                if let (true, Some(size)) = (group.key != NONE, key_sizes.last_mut()) {
                    *size += group.mentions;
                }
            }
            let states = &mut self.states[usize::from(errors)];
            if states.is_empty() {
                *states = places(errors, &mut self.tables);
            }
            added.resize(self.tables.len(), MentionCounts::default());
            for &(state, place) in &*states {
                let entity = entities.of(state);
                let table = &mut self.tables[place].1;
                // Before the correction of spans, a mention with a span error belongs to one side only.
                let apart = errors & 1 != 0 && state == RESPONSE;
                let of_state = members.iter().map(|&group| {
                    let group = &groups[group as usize];
                    let shared = group.mentions - if apart { group.span_errors } else { 0 };
                    Placed {
                        key: group.key,
                        response: entity[group.item as usize],
                        mentions: group.mentions,
                        shared,
                    }
                });
                if let Some(pair) = SmallPair::of(key_sizes, of_state.clone()) {
                    add_mentions(&mut added[place], &pair.mentions());
                    table.add_small(self.small.number(pair), 1);
                    continue;
                }
                add_mentions(&mut added[place], &table.add(key_sizes, of_state, numbers));
                if table.cells.len() >= FULL {
                    settle(table);
                }
            }
        }
        self.add_untouched(&untouched);
        let added = &mut self.memory.added;
        let mut counts = [MentionCounts::default(); CORRECTIONS];
        for ((set, _), added) in self.tables.iter().zip(added) {
            let added = std::mem::take(added);
            let mut left = if added == MentionCounts::default() { 0 } else { *set };
            while left != 0 {
                add_mentions(&mut counts[left.trailing_zeros() as usize], &added);
                left &= left - 1;
            }
        }
        for ((sum, pairs), count) in self.mentions.iter_mut().zip(&mut self.pairs).zip(counts) {
            add_mentions(sum, &count);
            pairs.add(count);
        }
    }

    /// Adds pairs of equal entities, by their size, which no correction changes.
    fn add_untouched(&mut self, pairs: &EqualPairs) {
        for (size, &pairs) in (0..).zip(pairs).filter(|(_, pairs)| **pairs > 0) {
            let states = &mut self.states[0];
            if states.is_empty() {
                *states = places(0, &mut self.tables);
            }
            let added = &mut self.memory.added;
            added.resize(self.tables.len(), MentionCounts::default());
            let pair = SmallPair { key: size, response: size, shared: size };
            let number = self.small.number(pair);
            for &(_, place) in &*states {
                self.tables[place].1.add_small(number, pairs);
                let mentions = u64::from(size) * u64::from(pairs);
                let all = MentionCounts { key: mentions, response: mentions, shared: mentions };
                add_mentions(&mut added[place], &all);
            }
        }
    }

    /// Adds the parts of other documents. Tables of the same set stay separate until their counts are added up.
    fn merge(&mut self, other: Parts) {
        let numbers: Vec<usize> = other.small.pairs.iter().map(|pair| self.small.number(*pair)).collect();
        self.tables.extend(other.tables.into_iter().map(|(set, mut table)| {
            let times = std::mem::take(&mut table.small);
            numbers.iter().zip(times).for_each(|(&number, times)| table.add_small(number, times));
            (set, table)
        }));
        self.mentions.iter_mut().zip(&other.mentions).for_each(|(ours, theirs)| add_mentions(ours, theirs));
        self.pairs.iter_mut().zip(&other.pairs).for_each(|(ours, theirs)| add_pairs(ours, theirs));
    }

    /// Counts the entities of tables that are not counted yet. Small pairs are counted last.
    fn count_rest(&mut self, counted: &[Metric], settings: &Settings) {
        self.tables.iter_mut().for_each(|(_, table)| table.settle(counted, settings));
    }

    /// Returns, for each correction, the sum of the tallies of all documents.
    fn tallies(mut self, counted: &[Metric], settings: &Settings) -> Vec<DocumentTallies> {
        self.count_rest(counted, settings);
        let sums = CorrectionCounts::from(self);
        HALVES.into_iter().flat_map(|half| sums.tallies(counted, settings, half)).collect()
    }
}

/// The parts of all documents: counts of tables, and small pairs.
#[derive(Debug, Default)]
struct CorrectionCounts {
    /// The counts of each table and how often each small pair occurs in it, with its set of corrections. Several threads
    /// may have counted tables of the same set.
    tables: Vec<(Set, CountedTable, Vec<u32>)>,
    /// The small pairs, each with its counts, which both halves of the corrections need.
    small: Vec<(SmallPair, OnceLock<CountedTable>)>,
    mentions: [MentionCounts; CORRECTIONS],
    pairs: [PairsAcross; CORRECTIONS],
}

impl From<Parts> for CorrectionCounts {
    fn from(Parts { tables, small, mentions, pairs, .. }: Parts) -> CorrectionCounts {
        let tables = tables.into_iter().map(|(set, table)| (set, table.counts, table.small)).collect();
        let small = small.pairs.into_iter().map(|pair| (pair, OnceLock::new())).collect();
        CorrectionCounts { tables, small, mentions, pairs }
    }
}

impl CorrectionCounts {
    /// Returns the tallies of the corrections at these places of a half.
    fn tallies(&self, counted: &[Metric], settings: &Settings, half: Range<usize>) -> Vec<DocumentTallies> {
        // Many sets differ only in the other half, so their counts are added up once.
        let places = half.clone().fold(0, |places: Set, place| places | 1 << place);
        let mut by_set: BTreeMap<Set, (CountedTable, Vec<u64>)> = BTreeMap::new();
        for (set, table, small) in self.tables.iter().filter(|(set, ..)| set & places != 0) {
            let new = || (CountedTable::new(counted.len()), vec![0; self.small.len()]);
            let (sum, times) = by_set.entry(set & places).or_insert_with(new);
            sum.add(table);
            times.iter_mut().zip(small).for_each(|(sum, times)| *sum += u64::from(*times));
        }
        let mut add = |number: usize| {
            let (pair, counts) = &self.small[number];
            let counts = counts.get_or_init(|| {
                let mut counts = CountedTable::default();
                counts.count(pair.overlap(), counted, settings);
                counts
            });
            for (sum, times) in by_set.values_mut().filter(|(_, times)| times[number] > 0) {
                sum.add_times(counts, times[number]);
            }
        };
        // Two threads start from both ends, so that each counts half of the pairs for both.
        match half.start {
            0 => (0..self.small.len()).for_each(&mut add),
            _ => (0..self.small.len()).rev().for_each(&mut add),
        }
        let sum = |place: usize| {
            let mut sum = CountedTable { pairs: self.pairs[place], ..CountedTable::new(counted.len()) };
            by_set
                .iter()
                .filter(|(set, _)| *set >> place & 1 == 1)
                .for_each(|(_, (table, _))| sum.add(table));
            let CountedTable { mut tallies, pairs } = sum;
            counted.iter().zip(&mut tallies).for_each(|(metric, tally)| metric.tally_across(&pairs, tally));
            DocumentTallies { id: String::new(), tallies, mentions: self.mentions[place] }
        };
        half.map(sum).collect()
    }
}

/// The sizes of a key entity and a response entity that share no mentions with others, and the number of mentions that
/// they share. A missing entity has the size 0.
#[derive(Clone, Copy, Debug)]
struct SmallPair {
    key: u32,
    response: u32,
    shared: u32,
}

impl SmallPair {
    /// The number of bits of the largest size of an entity.
    const BITS: u32 = 3;

    /// Returns the pair that a part consists of; `None` if it has other entities or one that is too large.
    fn of(key_sizes: &[u32], groups: impl Iterator<Item = Placed>) -> Option<SmallPair> {
        let key = match key_sizes {
            [] => 0,
            [size] => *size,
            _ => return None,
        };
        let mut pair = SmallPair { key, response: 0, shared: 0 };
        let mut entity = NONE;
        for group in groups.filter(|group| group.response != NONE) {
            if entity != NONE && group.response != entity {
                return None;
            }
            entity = group.response;
            pair.response += group.mentions;
            if group.key != NONE {
                pair.shared += group.shared;
            }
        }
        (pair.key.max(pair.response) >> SmallPair::BITS == 0).then_some(pair)
    }

    fn mentions(self) -> MentionCounts {
        MentionCounts { key: self.key.into(), response: self.response.into(), shared: self.shared.into() }
    }

    /// Returns the table of both entities.
    fn overlap(self) -> Overlap {
        let entity = |size: u32| if size == 0 { Vec::new() } else { vec![size] };
        let pairs = (0..self.shared).map(|_| (0, 0));
        Overlap::new(entity(self.key), entity(self.response), pairs)
    }
}

/// The distinct small pairs, by number.
#[derive(Clone, Debug, Default)]
struct SmallPairs {
    pairs: Vec<SmallPair>,
    /// For each possible pair, its number from 1; 0 for pairs that have not occurred.
    numbers: Vec<u16>,
}

impl SmallPairs {
    /// Returns the number of a pair.
    fn number(&mut self, pair: SmallPair) -> usize {
        const BITS: u32 = SmallPair::BITS;
        self.numbers.resize(1 << (3 * BITS), 0);
        let number =
            &mut self.numbers[(pair.key << (2 * BITS) | pair.response << BITS | pair.shared) as usize];
        if *number == 0 {
            self.pairs.push(pair);
            *number = self.pairs.len() as u16;
        }
        usize::from(*number) - 1
    }
}

/// The mentions of a group in a state: their key entity and their response entity, or [`NONE`].
struct Placed {
    key: u32,
    response: u32,
    mentions: u32,
    /// The number of them that both sides have.
    shared: u32,
}

impl SharedMentions {
    /// Adds the entities of a part: the sizes of its key entities, then its groups of mentions in the order of their
    /// key entities. Groups without a key entity come last.
    fn add(
        &mut self,
        key_sizes: &[u32],
        groups: impl Iterator<Item = Placed>,
        numbers: &mut Numbers,
    ) -> MentionCounts {
        // Room for the entities of a few documents, as most tables have no more.
        if self.cells.capacity() == 0 {
            (self.key_sizes, self.response_sizes) = (Vec::with_capacity(64), Vec::with_capacity(64));
            self.cells = Vec::with_capacity(128);
        }
        let mut next = self.key_sizes.len() as u32;
        let key = key_sizes.iter().map(|&size| u64::from(size)).sum();
        let (mut response, mut shared) = (0, 0);
        self.key_sizes.extend_from_slice(key_sizes);
        numbers.begin();
        let (mut last, mut row) = (NONE, self.cells.len());
        for group in groups {
            if group.key != last && group.key != NONE {
                next += u32::from(last != NONE);
                last = group.key;
                self.end_row(row);
                row = self.cells.len();
            }
            if group.response == NONE {
                continue;
            }
            let known = numbers.of(group.response, &mut self.response_sizes);
            self.response_sizes[known.number as usize] += group.mentions;
            response += u64::from(group.mentions);
            if group.key == NONE || group.shared == 0 {
                continue;
            }
            shared += u64::from(group.shared);
            if known.key == group.key {
                self.cells[known.cell as usize].shared += group.shared;
            } else {
                (known.key, known.cell) = (group.key, self.cells.len() as u32);
                self.cells.push(OverlapCell { key: next, response: known.number, shared: group.shared });
            }
        }
        self.end_row(row);
        MentionCounts { key, response, shared }
    }

    /// Sorts the cells of a key entity, which has few.
    fn end_row(&mut self, row: usize) {
        if self.cells.len() > row + 1 {
            self.cells[row..].sort_unstable_by_key(|cell| cell.response);
        }
    }

    /// Adds one of the [`SmallPairs`] by its number.
    fn add_small(&mut self, number: usize, times: u32) {
        if self.small.len() <= number {
            self.small.resize((number + 1).next_multiple_of(64), 0);
        }
        self.small[number] += times;
    }

    /// Replaces the entities of this table by the counts of all metrics.
    fn settle(&mut self, counted: &[Metric], settings: &Settings) {
        if self.key_sizes.is_empty() && self.response_sizes.is_empty() {
            return;
        }
        let [key_sizes, response_sizes] = [&mut self.key_sizes, &mut self.response_sizes].map(std::mem::take);
        let overlap = Overlap::of_cells(key_sizes, response_sizes, std::mem::take(&mut self.cells));
        self.counts.count(overlap, counted, settings);
    }
}

/// Numbers the response entities of a part in the order in which they occur.
#[derive(Clone, Debug, Default)]
struct Numbers {
    part: u32,
    /// For each entity, its data in the part in which it last occurred.
    known: Vec<Known>,
}

/// A response entity in a table.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// The part in which it last occurred.
    part: u32,
    /// Its number there.
    number: u32,
    /// The last key entity that shares mentions with it, and the place of their cell.
    key: u32,
    cell: u32,
}

impl Numbers {
    /// Starts another part.
    fn begin(&mut self) {
        self.part += 1;
    }

    /// Returns the entry of an entity; a new entity gets the next number.
    fn of(&mut self, entity: u32, sizes: &mut Vec<u32>) -> &mut Known {
        if self.known.len() <= entity as usize {
            self.known.resize(entity as usize + 1, Known { part: 0, number: 0, key: NONE, cell: 0 });
        }
        let known = &mut self.known[entity as usize];
        if known.part != self.part {
            *known = Known { part: self.part, number: sizes.len() as u32, key: NONE, cell: 0 };
            sizes.push(0);
        }
        known
    }
}

/// Mentions of a document that share both their key entity and their response entity once span errors are corrected. No
/// correction separates them. A mention that a side lacks is a separate group.
#[derive(Clone, Debug)]
struct MentionGroup {
    /// The first of them.
    item: u32,
    /// Their key entity, or [`NONE`].
    key: u32,
    mentions: u32,
    /// The number of them with span errors.
    span_errors: u32,
}

/// The number of pairs of equal entities of each size below the limit of small pairs.
type EqualPairs = [u32; 1 << SmallPair::BITS];

impl MentionGroup {
    /// Replaces `groups` by all groups of a document, in the order of their key entities, except small entities that are the
    /// same on both sides: these are only counted, because no correction concerns them.
    fn all(corrector: &Corrector<'_>, groups: &mut Vec<MentionGroup>) -> EqualPairs {
        let mut equal = EqualPairs::default();
        groups.clear();
        // For each response entity, the last key entity that shares mentions with it, and their group.
        let mut known = Scratch::filled((NONE, 0_usize), corrector.response_members.groups());
        for (key, members) in corrector.key_members.iter() {
            let first = groups.len();
            for &item in members {
                let span_errors = u32::from(corrector.is_span_error(item));
                let response = corrector.spans_corrected[item as usize].response_entity;
                if let Some(known) = known.get_mut(response as usize) {
                    if known.0 == key {
                        let group: &mut MentionGroup = &mut groups[known.1];
                        group.mentions += 1;
                        group.span_errors += span_errors;
                        continue;
                    }
                    *known = (key, groups.len());
                }
                groups.push(MentionGroup { item, key, mentions: 1, span_errors });
            }
            if let [MentionGroup { item, mentions, span_errors: 0, .. }] = groups[first..] {
                let response = corrector.spans_corrected[item as usize].response_entity;
                if response != NONE
                    && corrector.response_members.of(response).len() == mentions as usize
                    && let Some(equal) = equal.get_mut(mentions as usize)
                {
                    *equal += 1;
                    groups.pop();
                }
            }
        }
        let extra = (0..).zip(corrector.spans_corrected).filter(|(_, item)| item.key_entity == NONE);
        groups.extend(extra.map(|(item, _)| MentionGroup { item, key: NONE, mentions: 1, span_errors: 0 }));
        equal
    }
}

/// A document divided into parts: no correction makes entities of different parts share a mention.
struct Division {
    /// The groups of each part.
    parts: Grouped,
    /// The kinds of errors of each part.
    errors: Scratch<ErrorBits>,
    /// For each group, its part.
    part_of: Scratch,
}

impl Division {
    /// Divides a document: entities that share mentions once span errors are corrected are in one part. No correction
    /// moves a mention to another part.
    fn of(corrector: &Corrector<'_>, groups: &[MentionGroup]) -> Division {
        let keys = corrector.key_members.groups();
        let entities = keys + corrector.response_members.groups();
        let mut joined = Closure::new(entities);
        let response = |entity: u32| keys as u32 + entity;
        let of_group = |group: &MentionGroup| corrector.spans_corrected[group.item as usize].response_entity;
        for group in groups {
            let theirs = of_group(group);
            if group.key != NONE && theirs != NONE {
                joined.join(group.key as usize, response(theirs) as usize);
            }
        }
        let joined: Scratch = (0..entities).map(|entity| joined.find(entity) as u32).collect();
        let part_of = |group: &MentionGroup| match group.key {
            NONE => joined[response(of_group(group)) as usize],
            key => joined[key as usize],
        };
        let part_of: Scratch = groups.iter().map(part_of).collect();
        let mut errors: Scratch<ErrorBits> = Scratch::filled(0, entities);
        for error in corrector.errors {
            let entity = match error.kind.spec().side {
                Side::Key => error.entity,
                Side::Response => response(error.entity),
            };
            // Span errors are the first kind.
            errors[joined[entity as usize] as usize] |= 1 << (error.kind as u8);
        }
        for (group, &part) in groups.iter().zip(part_of.iter()) {
            errors[part as usize] |= ErrorBits::from(group.span_errors > 0);
        }
        Division { parts: Grouped::new(part_of.iter().copied(), entities), errors, part_of }
    }

    /// Divides the parts with conflated entities into pieces, once these are split: each response entity then shares
    /// mentions with at most one key entity, and no later correction adds mentions of another. `split` has the entities
    /// after the split.
    fn pieces(
        whole: &Division,
        corrector: &Corrector<'_>,
        groups: &[MentionGroup],
        split: &[u32],
    ) -> Division {
        let keys = corrector.key_members.groups() as u32;
        let of_group = |group: &MentionGroup| split[group.item as usize];
        let found = groups.iter().map(of_group).filter(|entity| *entity != NONE).max();
        let entities = corrector.response_members.groups().max(found.map_or(0, |last| last as usize + 1));
        // For each response entity, the key entity that it shares mentions with.
        let mut owner = Scratch::filled(NONE, entities);
        for group in groups.iter().filter(|group| group.key != NONE && of_group(group) != NONE) {
            let owner = &mut owner[of_group(group) as usize];
            debug_assert!(*owner == NONE || *owner == group.key, "conflated entities are split");
            *owner = group.key;
        }
        let of_response = |entity: u32| match owner[entity as usize] {
            NONE => keys + entity,
            key => key,
        };
        let piece = |(group, part): (&MentionGroup, &u32)| match (group.key, of_group(group)) {
            _ if whole.errors[*part as usize] & CONFLATED == 0 => NONE,
            (NONE, NONE) => NONE,
            (NONE, entity) => of_response(entity),
            (key, _) => key,
        };
        let part_of: Scratch = groups.iter().zip(whole.part_of.iter()).map(piece).collect();
        let mut errors = Scratch::filled(PIECE, keys as usize + entities);
        for error in corrector.errors.iter().filter(|error| error.kind != CorefErrorKind::ConflatedEntities) {
            let piece = match error.kind.spec().side {
                Side::Key => error.entity,
                Side::Response => of_response(error.entity),
            };
            errors[piece as usize] |= 1 << (error.kind as u8);
        }
        Division { parts: Grouped::new(part_of.iter().copied(), errors.len()), errors, part_of }
    }

    /// Marks the parts in which extra mentions remain after the sequence; `rest` has the entities at that point.
    fn find_rest(&mut self, groups: &[MentionGroup], rest: &[u32]) {
        for (group, &part) in groups.iter().zip(self.part_of.iter()) {
            if group.key == NONE && part != NONE && rest[group.item as usize] != NONE {
                self.errors[part as usize] |= REST;
            }
        }
    }
}

/// The entities of a document's mentions after the corrections that affect it.
struct StatesOfDocument<'c, 'a, 'm> {
    corrector: &'c Corrector<'a>,
    /// The entities by state; empty if the state equals the previous one, or was not requested.
    entities: &'m mut [Vec<u32>; STATES],
    /// The state after the whole sequence, before extra mentions of no error are removed.
    rest: State,
}

impl<'c, 'a, 'm> StatesOfDocument<'c, 'a, 'm> {
    /// Computes the states of a document whose parts have these errors, in reused buffers.
    fn new(
        corrector: &'c Corrector<'a>,
        errors: ErrorBits,
        entities: &'m mut [Vec<u32>; STATES],
    ) -> StatesOfDocument<'c, 'a, 'm> {
        entities.iter_mut().for_each(Vec::clear);
        let mut rest = SPANS;
        corrector.sequence(|correction, corrected| {
            let state = match correction {
                ErrorCorrection::Spans => SPANS,
                ErrorCorrection::UpTo(kind) if errors >> (kind as u8) & 1 == 1 => 1 + kind as usize,
                ErrorCorrection::All => KEY,
                ErrorCorrection::None | ErrorCorrection::UpTo(_) | ErrorCorrection::Alone(_) => return,
            };
            if state != KEY {
                rest = state;
            }
            entities[state].extend_from_slice(corrected);
        });
        StatesOfDocument { corrector, entities, rest }
    }

    /// Returns, for each item, its entity after the sequence, before extra mentions of no error are removed.
    fn rest(&self) -> &[u32] {
        &self.entities[self.rest]
    }

    /// Returns, for each item, its entity in a state.
    fn of(&mut self, state: State) -> &[u32] {
        // The response has the same entities before and after span errors.
        let place = if state == RESPONSE { SPANS } else { state };
        if self.entities[place].is_empty() && state >= ALONE {
            let kind = CorefErrorKind::TRANSFORM[1 + state - ALONE];
            self.entities[place]
                .extend_from_slice(&self.corrector.corrected(ErrorCorrection::Alone(kind)).entity);
        }
        &self.entities[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_correction_leads_to_one_state() {
        for errors in 0..PIECE {
            let mut found = states(errors);
            if errors & CONFLATED != 0 {
                found.extend(states(errors & !CONFLATED & !1 | PIECE));
            }
            let all = found.iter().fold(0, |all, (_, set)| {
                assert_eq!(all & set, 0, "{errors:b}");
                all | set
            });
            assert_eq!(all, (1 << CORRECTIONS) - 1, "{errors:b}");
            assert_eq!(
                found.len(),
                1 + errors.count_ones() as usize + found.iter().filter(|(state, _)| *state >= ALONE).count()
            );
        }
        let (alone, sequence) = ErrorCorrection::all();
        assert_eq!(alone.len() + sequence.len(), CORRECTIONS);
        let places = CorefErrorKind::TRANSFORM.iter().map(|kind| *kind as usize);
        assert!(places.eq(0..=KINDS), "errors are bits by the number of their kind");
    }
}
