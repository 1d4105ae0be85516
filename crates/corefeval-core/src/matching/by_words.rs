//! Matching by sets of words: exact, by head, partial, and of zeros by what they depend on.
//!
//! The rules of corefud-scorer and of the Universal Anaphora scorer. Mentions that are the same on one
//! side make one *class*; classes of key and response are paired one to one in steps, and what one step
//! pairs the next does not see:
//!
//! 1. zeros with zeros of the same sentence by what they depend on (`--zero-match dependent`);
//! 2. the same words (under `head` the same head besides);
//! 3. by the rule: the choice of pairs that weighs most, a pair weighing the share of the key mention's
//!    words that both have.
//!
//! Candidates for a pair are found by a shared head or by place, never by trying all pairs.
//!
//! Key and response may have different empty nodes. Words are therefore compared by a number of their
//! own, [`Coordinates`], which is the same for the same word of the text, and for empty nodes after the
//! same word with the same number.

use std::cmp::Ordering;
use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};

use super::choice::{Candidate, choose};
use super::exact::{Placed, align_placed, ranks_by_place};
use super::table::{MentionTable, TableBridge, TableMention, TableSide};
use super::{Alignment, MentionCounts, SplitMember, SplitTable, python_order};
use crate::diagnostic::{Code, Diagnostics};
use crate::model::{Document, EntityId, Mention, Span, Words};
use crate::selection::{Selected, SelectedSplit, is_zero};
use crate::settings::{Match, Settings, SplitAntecedents, ZeroMatch};

const NONE: u32 = u32::MAX;

/// The numbers by which words of both sides are compared.
pub(super) struct Coordinates {
    key: Numbers,
    response: Numbers,
}

/// The numbers of one side's words: their places, moved on by what only the other side has.
#[derive(Default)]
struct Numbers {
    /// Where the empty nodes of the other side stand that this one lacks: before which words, ascending.
    gaps: Vec<u32>,
}

impl Numbers {
    #[inline(always)]
    fn of(&self, word: u32) -> u32 {
        word + self.gaps.partition_point(|&gap| gap <= word) as u32
    }

    /// The numbers of a part's words, in runs.
    fn runs(&self, part: Span, into: &mut Vec<Span>) {
        let (mut start, mut before) = (part.start(), self.gaps.partition_point(|&gap| gap <= part.start()));
        for &gap in self.gaps[before..].iter().take_while(|&&gap| gap < part.end()) {
            into.extend(Span::new(start + before as u32, gap + before as u32));
            start = gap;
            before += 1;
        }
        into.extend(Span::new(start + before as u32, part.end() + before as u32));
    }
}

impl Coordinates {
    pub(super) fn new(key: &Words, response: &Words) -> Coordinates {
        let (mut ours, mut theirs) = (slots(key).peekable(), slots(response).peekable());
        let (mut key, mut response) = (Numbers::default(), Numbers::default());
        // How many empty nodes of both sides are behind.
        let mut behind = (0, 0);
        loop {
            let order = match (ours.peek(), theirs.peek()) {
                (Some(this), Some(that)) => this.cmp(that),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return Coordinates { key, response },
            };
            let this = if order.is_le() { ours.next() } else { None };
            let that = if order.is_ge() { theirs.next() } else { None };
            match (this, that) {
                (Some((text, ..)), None) => response.gaps.push(text + behind.1),
                (None, Some((text, ..))) => key.gaps.push(text + behind.0),
                _ => {}
            }
            behind = (behind.0 + u32::from(this.is_some()), behind.1 + u32::from(that.is_some()));
        }
    }
}

/// Each empty node by what it stands after: words of the text, sentences begun, and its number.
fn slots(words: &Words) -> impl Iterator<Item = (u32, u32, u32)> {
    let nodes = (0..).zip(words.empty_nodes()).zip(words.empty_node_numbers());
    nodes.map(|((before, &word), &number)| (word - before, words.sentence_of(word), number))
}

/// A mention of one side.
struct Located {
    /// The first and one past the last word.
    start: u32,
    end: u32,
    /// How many words.
    words: u32,
    head: u32,
    zero: bool,
    /// Its runs of words in [`Side::runs`].
    runs: (u32, u32),
    /// Its place in the selection.
    index: u32,
}

impl Located {
    fn place(&self) -> (u32, u32, u32) {
        (self.start, self.end, self.words)
    }
}

/// Where a mention is: what mentions are sorted by.
struct Place {
    start: u32,
    end: u32,
    words: u32,
    index: u32,
}

impl Place {
    /// The places of all mentions in order, each as one number.
    fn sorted(document: &Document, selected: &Selected, numbers: &Numbers) -> Vec<u128> {
        let mentions = (0..).zip(&selected.mentions).map(|(index, chosen)| {
            let mention = &document.mentions()[chosen.mention as usize];
            let (span, words) = (mention.span(), mention.word_count());
            // Mentions without words are all in one place.
            let (start, end) = match words {
                0 => (0, 0),
                _ => (numbers.of(span.start()), numbers.of(span.last()) + 1),
            };
            u128::from(start) << 96 | u128::from(end) << 64 | u128::from(words) << 32 | index
        });
        let mut places: Vec<u128> = mentions.collect();
        places.sort_unstable();
        places
    }

    fn unpacked(packed: u128) -> Place {
        let part = |place: u32| (packed >> place) as u32;
        Place { start: part(96), end: part(64), words: part(32), index: part(0) }
    }
}

/// The mentions of one side in the order of the document, and their classes.
struct Side<'d> {
    document: &'d Document,
    selected: Selected,
    mentions: Vec<Located>,
    runs: Vec<Span>,
    /// The class of each mention.
    class_of: Vec<u32>,
    /// The first mention of each class.
    classes: Vec<u32>,
    /// The class of the other side that each class is paired with.
    partner: Vec<u32>,
    /// The numbers of its words.
    numbers: &'d Numbers,
}

impl<'d> Side<'d> {
    fn new((document, selected): (&'d Document, Selected), numbers: &'d Numbers, by_head: bool) -> Side<'d> {
        let places = Place::sorted(document, &selected, numbers);
        let mut runs: Vec<Span> = Vec::with_capacity(places.len());
        let mut mentions: Vec<Located> = Vec::with_capacity(places.len());
        let mut repeats = false;
        for Place { start, end, words, index } in places.into_iter().map(Place::unpacked) {
            let mention = &document.mentions()[selected.mentions[index as usize].mention as usize];
            let first_run = runs.len() as u32;
            if words == end - start {
                runs.extend(Span::new(start, end));
            } else {
                push_runs(mention, numbers, &mut runs);
            }
            let located = Located {
                start,
                end,
                words,
                head: mention.head().map_or(NONE, |head| numbers.of(head)),
                zero: is_zero(document, mention),
                runs: (first_run, runs.len() as u32),
                index,
            };
            repeats |= mentions.last().is_some_and(|last| last.place() == located.place());
            mentions.push(located);
        }
        let mut side = Side {
            document,
            selected,
            mentions,
            runs,
            class_of: Vec::new(),
            classes: Vec::new(),
            partner: Vec::new(),
            numbers,
        };
        if repeats {
            side.sort_equal_places(by_head);
        }
        side.classify(by_head);
        side
    }

    /// Puts equal mentions side by side where several have the same first word, last word and number of
    /// words.
    fn sort_equal_places(&mut self, by_head: bool) {
        let runs = &self.runs;
        let keys = |mention: &Located| {
            runs[mention.runs.0 as usize..mention.runs.1 as usize].iter().map(|run| run.sort_key())
        };
        for same in self.mentions.chunk_by_mut(|a, b| a.place() == b.place()).filter(|same| same.len() > 1) {
            same.sort_unstable_by(|a, b| {
                let by_runs = if a.runs.1 - a.runs.0 > 1 { keys(a).cmp(keys(b)) } else { Ordering::Equal };
                let heads = if by_head { a.head.cmp(&b.head) } else { Ordering::Equal };
                by_runs.then(heads).then(a.index.cmp(&b.index))
            });
        }
    }

    fn classify(&mut self, by_head: bool) {
        self.class_of.reserve(self.mentions.len());
        for place in 0..self.mentions.len() {
            let same = place > 0 && {
                let (before, this) = (&self.mentions[place - 1], &self.mentions[place]);
                same_words(self, before, self, this) && (!by_head || before.head == this.head)
            };
            if !same {
                self.classes.push(place as u32);
            }
            self.class_of.push(self.classes.len() as u32 - 1);
        }
        self.partner = vec![NONE; self.classes.len()];
    }

    fn runs_of(&self, mention: &Located) -> &[Span] {
        &self.runs[mention.runs.0 as usize..mention.runs.1 as usize]
    }

    /// The first mention of a class.
    fn class(&self, class: u32) -> &Located {
        &self.mentions[self.classes[class as usize] as usize]
    }

    /// The classes that have no partner yet.
    fn left(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.partner).filter(|(_, partner)| **partner == NONE).map(|(class, _)| class)
    }

    /// Whether a mention is annotated more than once.
    fn repeats(&self) -> bool {
        self.classes.len() < self.mentions.len()
    }

    fn into_table(self, equal: Vec<u32>, selected: &Selected) -> TableSide {
        let ranks = if self.repeats() { ranks_by_place(self.document, selected) } else { Vec::new() };
        let mentions = self.mentions.iter().zip(&self.class_of).map(|(mention, &class)| TableMention {
            class,
            entity: selected.mentions[mention.index as usize].entity,
            zero: mention.zero,
            start: mention.start,
            end: mention.end,
            runs: mention.runs,
        });
        TableSide::new(mentions.collect(), self.runs, self.partner, equal, &ranks)
    }

    fn mention(&self, located: &Located) -> &'d Mention {
        let place = self.selected.mentions[located.index as usize].mention;
        &self.document.mentions()[place as usize]
    }
}

/// Runs of words by their numbers.
fn numbered(words: &[Span], numbers: &Numbers) -> Vec<Span> {
    let mut runs = Vec::with_capacity(words.len());
    words.iter().for_each(|&part| numbers.runs(part, &mut runs));
    runs
}

/// Appends the words of a mention in runs.
fn push_runs(mention: &Mention, numbers: &Numbers, runs: &mut Vec<Span>) {
    for &part in mention.parts() {
        numbers.runs(part, runs);
    }
}

fn same_words(a_side: &Side<'_>, a: &Located, b_side: &Side<'_>, b: &Located) -> bool {
    a.place() == b.place() && a_side.runs_of(a) == b_side.runs_of(b)
}

/// How many words two lists of runs share.
pub(crate) fn shared_words(a: &[Span], b: &[Span]) -> u32 {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    let mut shared = 0;
    while let (Some(ours), Some(theirs)) = (a.peek(), b.peek()) {
        shared += ours.end().min(theirs.end()).saturating_sub(ours.start().max(theirs.start()));
        if ours.end() <= theirs.end() {
            a.next()
        } else {
            b.next()
        };
    }
    shared
}

pub(super) fn align(
    key: (&Document, Selected),
    response: (&Document, Selected),
    settings: &Settings,
    with_table: bool,
    diagnostics: &mut Diagnostics,
) -> Alignment {
    let coordinates = Coordinates::new(key.0.words(), response.0.words());
    let by_head = settings.matching == Match::Head;
    let mut key = Side::new(key, &coordinates.key, by_head);
    let mut response = Side::new(response, &coordinates.response, by_head);
    if settings.zero_match == ZeroMatch::Dependent {
        let candidates = zero_candidates(&key, &response, &coordinates);
        pair_best(&mut key, &mut response, &candidates);
    }
    let equal = equal_classes(&key, &response, by_head);
    for &(ours, theirs) in &equal {
        if key.partner[ours as usize] == NONE && response.partner[theirs as usize] == NONE {
            pair(&mut key, &mut response, ours, theirs);
        }
    }
    let candidates = match settings.matching {
        Match::Exact | Match::MinSpan => Vec::new(),
        Match::Head => head_candidates(&key, &response, diagnostics),
        Match::Partial => partial_candidates(&key, &response),
        Match::Craft => {
            pair_craft(&mut key, &mut response);
            Vec::new()
        }
    };
    pair_best(&mut key, &mut response, &candidates);
    finish(key, response, settings, with_table.then_some(&equal), diagnostics)
}

/// Pairs the best choice of candidates.
fn pair_best(key: &mut Side<'_>, response: &mut Side<'_>, candidates: &[Candidate]) {
    for (ours, theirs) in choose(key.classes.len(), response.classes.len(), candidates) {
        pair(key, response, ours, theirs);
    }
}

fn pair(key: &mut Side<'_>, response: &mut Side<'_>, ours: u32, theirs: u32) {
    key.partner[ours as usize] = theirs;
    response.partner[theirs as usize] = ours;
}

/// The pairs of classes of the same words, and of the same head if that is asked.
fn equal_classes(key: &Side<'_>, response: &Side<'_>, by_head: bool) -> Vec<(u32, u32)> {
    let mut equal = Vec::with_capacity(key.classes.len().min(response.classes.len()));
    let mut theirs = 0;
    for ours in 0..key.classes.len() as u32 {
        let this = key.class(ours);
        while (theirs as usize) < response.classes.len() && response.class(theirs).place() < this.place() {
            theirs += 1;
        }
        // Those of the same extent: nearly always one.
        let mut same_extent = (theirs..response.classes.len() as u32)
            .take_while(|&other| response.class(other).place() == this.place());
        let same = |other: u32| {
            let that = response.class(other);
            same_words(key, this, response, that) && (!by_head || this.head == that.head)
        };
        if let Some(other) = same_extent.find(|&other| same(other)) {
            equal.push((ours, other));
        }
    }
    equal
}

/// Pairs of zeros in the same sentence that depend on a common word.
///
/// The weight is 10 × F1 of the pairs of word and relation that they depend on, plus F1 of the words
/// alone. A zero that depends on nothing has no candidates.
fn zero_candidates(key: &Side<'_>, response: &Side<'_>, coordinates: &Coordinates) -> Vec<Candidate> {
    type Parents<'d> = (Vec<(Option<u32>, &'d str)>, Vec<Option<u32>>);
    let zeros = |side: &Side<'_>| -> Vec<u32> {
        (0..side.classes.len() as u32).filter(|&class| side.class(class).zero).collect()
    };
    let (key_zeros, response_zeros) = (zeros(key), zeros(response));
    if key_zeros.is_empty() || response_zeros.is_empty() {
        return Vec::new();
    }
    fn parents<'d>(side: &Side<'d>, class: u32, numbers: &Numbers) -> (u32, Parents<'d>) {
        let mention = side.mention(side.class(class));
        let words = side.document.words();
        let head = mention.head().unwrap_or_else(|| mention.span().start());
        let number = |word: u32| numbers.of(word);
        let mut pairs: Vec<_> =
            words.dependencies(head).iter().map(|d| (d.parent.map(number), d.relation.as_str())).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let mut alone: Vec<_> = pairs.iter().map(|pair| pair.0).collect();
        alone.dedup();
        (words.sentence_of(head), (pairs, alone))
    }
    let theirs: Vec<_> =
        response_zeros.iter().map(|&zero| parents(response, zero, &coordinates.response)).collect();
    let mut by_parent: FxHashMap<(u32, Option<u32>), Vec<usize>> = FxHashMap::default();
    for (place, (sentence, (_, alone))) in theirs.iter().enumerate() {
        for &parent in alone {
            by_parent.entry((*sentence, parent)).or_default().push(place);
        }
    }
    let mut candidates = Vec::new();
    let mut places = Vec::new();
    for zero in key_zeros {
        let (sentence, (pairs, alone)) = parents(key, zero, &coordinates.key);
        places.clear();
        let near = alone.iter().filter_map(|&parent| by_parent.get(&(sentence, parent)));
        places.extend(near.flatten().copied());
        places.sort_unstable();
        places.dedup();
        for &place in &places {
            let (their_pairs, their_alone) = &theirs[place].1;
            let both = pairs.iter().filter(|pair| their_pairs.binary_search(pair).is_ok()).count() as u64;
            let words = alone.iter().filter(|word| their_alone.binary_search(word).is_ok()).count() as u64;
            let all = (pairs.len() + their_pairs.len()) as u64;
            let all_words = (alone.len() + their_alone.len()) as u64;
            candidates.push(Candidate {
                key: zero,
                response: response_zeros[place],
                numerator: 20 * both * all_words + 2 * words * all,
                denominator: all * all_words,
            });
        }
    }
    candidates
}

/// Pairs of the same head.
fn head_candidates(key: &Side<'_>, response: &Side<'_>, diagnostics: &mut Diagnostics) -> Vec<Candidate> {
    let headless = [key, response]
        .into_iter()
        .find(|side| !side.mentions.is_empty() && side.mentions.iter().all(|mention| mention.head == NONE));
    if let Some(side) = headless {
        let id = side.document.id().to_string();
        diagnostics.add(Code::NoHeads, Some(side.document.position()), Some(id.clone()), || {
            format!("--match head needs heads, and the mentions of `{id}` have none here; they match by their words")
        });
        return Vec::new();
    }
    let mut by_head: Vec<(u32, u32)> =
        response.left().map(|class| (response.class(class).head, class)).collect();
    by_head.sort_unstable();
    let mut candidates = Vec::new();
    for ours in key.left() {
        let this = key.class(ours);
        if this.head == NONE {
            continue;
        }
        let start = by_head.partition_point(|entry| entry.0 < this.head);
        let same = by_head[start..].iter().take_while(|entry| entry.0 == this.head);
        for &(_, theirs) in same {
            push_candidate(key, response, ours, theirs, &mut candidates);
        }
    }
    candidates
}

fn push_candidate(
    key: &Side<'_>,
    response: &Side<'_>,
    ours: u32,
    theirs: u32,
    candidates: &mut Vec<Candidate>,
) {
    let (this, that) = (key.class(ours), response.class(theirs));
    let shared = shared_words(key.runs_of(this), response.runs_of(that));
    if shared > 0 {
        let (numerator, denominator) = (shared.into(), this.words.into());
        candidates.push(Candidate { key: ours, response: theirs, numerator, denominator });
    }
}

/// Pairs of which one is made of the other's words and holds what it must: the minimum span where the
/// format gives one, else the head. The key's mention is asked first; a minimum span of the response's
/// is asked where the key's does not fit, as in the Universal Anaphora scorer.
fn partial_candidates(key: &Side<'_>, response: &Side<'_>) -> Vec<Candidate> {
    let mut found: Vec<(u32, u32)> = Vec::new();
    within(key, response, true, |ours, theirs| found.push((ours, theirs)));
    let minimums = |side: &Side<'_>| {
        side.mentions.iter().any(|m| side.mention(m).details().is_some_and(|d| !d.min_span.is_empty()))
    };
    let from_key = found.len();
    if minimums(response) {
        within(response, key, false, |theirs, ours| found.push((ours, theirs)));
    }
    let known: FxHashSet<(u32, u32)> = found[..from_key].iter().copied().collect();
    let mut candidates = Vec::with_capacity(found.len());
    for (place, &(ours, theirs)) in found.iter().enumerate() {
        let (this, that) = (key.class(ours), response.class(theirs));
        let shared = shared_words(key.runs_of(this), response.runs_of(that));
        let denominator = match place < from_key {
            true => this.words,
            false if known.contains(&(ours, theirs)) => continue,
            false => that.words,
        };
        let (numerator, denominator) = (shared.into(), denominator.into());
        candidates.push(Candidate { key: ours, response: theirs, numerator, denominator });
    }
    candidates
}

/// Calls `found` for each class of `outer` and each of `inner` that is made of its words and holds what
/// it must.
fn within(outer: &Side<'_>, inner: &Side<'_>, heads: bool, mut found: impl FnMut(u32, u32)) {
    let left: Vec<u32> = inner.left().collect();
    for ours in outer.left() {
        let this = outer.class(ours);
        let details = outer.mention(this).details();
        let minimum: Vec<Span> = match details {
            Some(details) => numbered(&details.min_span, outer.numbers),
            None => Vec::new(),
        };
        let head = Span::new(this.head, this.head.saturating_add(1)).filter(|_| heads);
        let needed = if minimum.is_empty() { head.as_slice() } else { &minimum };
        let Some(first) = needed.first() else { continue };
        // What is made of these words and holds the first that is needed begins between the two.
        let start = left.partition_point(|&class| inner.class(class).start < this.start);
        for &theirs in &left[start..] {
            let that = inner.class(theirs);
            if that.start > first.start() {
                break;
            }
            let runs = inner.runs_of(that);
            let inside = shared_words(outer.runs_of(this), runs) == that.words;
            let holds =
                needed.iter().all(|part| shared_words(std::slice::from_ref(part), runs) == part.len());
            if inside && holds {
                found(ours, theirs);
            }
        }
    }
}

/// CRAFT 2019: each response mention takes the first key mention in whose first part one of its parts
/// lies, if no other has taken that one.
fn pair_craft(key: &mut Side<'_>, response: &mut Side<'_>) {
    let ours: Vec<(u32, Span)> = key.left().map(|class| (class, key.runs_of(key.class(class))[0])).collect();
    let theirs: Vec<u32> = response.left().collect();
    // The greatest end of first parts up to each place tells where looking can begin.
    let mut reach: Vec<u32> = Vec::with_capacity(ours.len());
    for (_, part) in &ours {
        reach.push(reach.last().copied().unwrap_or(0).max(part.end()));
    }
    for that in theirs {
        let runs = response.runs_of(response.class(that)).to_vec();
        let first = |run: &Span| {
            let from = reach.partition_point(|&end| end < run.end());
            let near = (from..ours.len()).take_while(|&place| ours[place].1.start() <= run.start());
            near.into_iter().find(|&place| ours[place].1.contains(*run))
        };
        let Some(place) = runs.iter().filter_map(first).min() else { continue };
        let this = ours[place].0;
        if key.partner[this as usize] == NONE {
            pair(key, response, this, that);
        }
    }
}

/// Makes the alignment, with the mentions themselves where the equal classes are given.
fn finish(
    mut key: Side<'_>,
    mut response: Side<'_>,
    settings: &Settings,
    equal: Option<&Vec<(u32, u32)>>,
    diagnostics: &mut Diagnostics,
) -> Alignment {
    let splits = splits_of(&key, &response, settings);
    let selected = (std::mem::take(&mut key.selected), std::mem::take(&mut response.selected));
    let repeats = key.repeats() || response.repeats();
    let mut table = None;
    let mut alignment = if repeats {
        let placed = (placed(&key, u64::from), {
            let classes = key.classes.len() as u64;
            placed(&response, |class| match response.partner[class as usize] {
                NONE => classes + u64::from(class),
                partner => u64::from(partner),
            })
        });
        let documents = (key.document, response.document);
        if let Some(equal) = equal {
            table = Some(Box::new(table_of(key, response, equal, (&selected.0, &selected.1))));
        }
        align_placed(
            (documents.0, selected.0),
            (documents.1, selected.1),
            &placed.0,
            &placed.1,
            settings,
            diagnostics,
        )
    } else {
        let pairs = key.mentions.iter().zip(&key.partner).filter(|(_, partner)| **partner != NONE);
        let pairs: Vec<_> =
            pairs.map(|(mention, &partner)| (mention.index, response.class(partner).index)).collect();
        let mentions = MentionCounts {
            key: key.classes.len() as u64,
            response: response.classes.len() as u64,
            shared: pairs.len() as u64,
        };
        if let Some(equal) = equal {
            table = Some(Box::new(table_of(key, response, equal, (&selected.0, &selected.1))));
        }
        Alignment { key: selected.0, response: selected.1, pairs, mentions, ..Alignment::default() }
    };
    alignment.table = table;
    alignment.splits = splits;
    alignment
}

/// The mentions of a side, at the places that their classes get.
fn placed(side: &Side<'_>, place: impl Fn(u32) -> u64) -> Vec<Placed> {
    let all = side.class_of.iter().zip(&side.mentions);
    let mut placed: Vec<Placed> =
        all.map(|(&class, mention)| Placed { place: place(class), index: mention.index }).collect();
    placed.sort_unstable_by_key(|placed| (placed.place, placed.index));
    placed
}

/// The split antecedents of both sides, their mentions by number: that of the class in the key, which
/// aligned ones share.
fn splits_of(key: &Side<'_>, response: &Side<'_>, settings: &Settings) -> Option<Box<SplitTable>> {
    if key.selected.splits.is_empty() && response.selected.splits.is_empty() {
        return None;
    }
    let members = |side: &Side<'_>, number: &dyn Fn(u32) -> u32| -> Vec<SplitMember> {
        let mut numbers = vec![NONE; side.mentions.len()];
        for (mention, &class) in side.mentions.iter().zip(&side.class_of) {
            numbers[mention.index as usize] = number(class);
        }
        let splits = side.selected.splits.iter().map(|split| SplitMember {
            entity: split.entity,
            parts: split
                .parts
                .iter()
                .map(|part| part.iter().map(|&index| numbers[index as usize]).collect())
                .collect(),
            followers: Vec::new(),
        });
        splits.collect()
    };
    let classes = key.classes.len() as u32;
    let mut key_members = members(key, &|class| class);
    for (member, split) in key_members.iter_mut().zip(&key.selected.splits) {
        member.followers = followers(key, response, split);
    }
    let response_members = members(response, &|class| match response.partner[class as usize] {
        NONE => classes + class,
        partner => partner,
    });
    let only = settings.split_antecedents == SplitAntecedents::Only;
    Some(Box::new(SplitTable { key: key_members, response: response_members, only }))
}

/// The response entities of the mentions that come after a split antecedent of the key in the order of
/// Python's sets.
fn followers(key: &Side<'_>, response: &Side<'_>, split: &SelectedSplit) -> Vec<u32> {
    let nodes = key.document.words().empty_nodes();
    let in_text = |word: u32| u64::from(word - nodes.partition_point(|&node| node < word) as u32);
    let hash = |index: u32| {
        let mention = &key.document.mentions()[key.selected.mentions[index as usize].mention as usize];
        let words = mention.parts().iter().flat_map(|part| part.start()..part.end());
        python_order::frozen_set(words.map(in_text))
    };
    let places = (0..).zip(&key.selected.mentions).filter(|(_, chosen)| chosen.entity == split.entity);
    let places: Vec<u32> = places.map(|(place, _)| place).collect();
    let sums = split.parts.iter().map(|part| python_order::tuple(part.iter().map(|&index| hash(index))));
    let hashes: Vec<u64> =
        places.iter().map(|&index| hash(index)).chain([python_order::frozen_set(sums)]).collect();
    let order = python_order::set(&hashes);
    let after = order.iter().skip_while(|&&member| member != places.len()).skip(1);
    let mut classes: Vec<u32> = vec![NONE; key.mentions.len()];
    for (mention, &class) in key.mentions.iter().zip(&key.class_of) {
        classes[mention.index as usize] = class;
    }
    // The entity that a class of the response counts in: the last that holds it.
    let entity = |class: u32| {
        let held = response.mentions.iter().zip(&response.class_of).filter(|(_, other)| **other == class);
        held.map(|(mention, _)| response.selected.mentions[mention.index as usize].entity).next_back()
    };
    let partners = after.filter_map(|&member| match key.partner[classes[places[member] as usize] as usize] {
        NONE => None,
        partner => entity(partner),
    });
    partners.collect()
}

/// The mentions of an alignment that another rule made.
pub(super) fn table((key, response): (&Document, &Document), alignment: &Alignment) -> MentionTable {
    let coordinates = Coordinates::new(key.words(), response.words());
    let mut key = Side::new((key, alignment.key.clone()), &coordinates.key, false);
    let mut response = Side::new((response, alignment.response.clone()), &coordinates.response, false);
    let classes = |side: &Side<'_>| {
        let mut classes = vec![NONE; side.mentions.len()];
        for (mention, &class) in side.mentions.iter().zip(&side.class_of) {
            classes[mention.index as usize] = class;
        }
        classes
    };
    let (key_classes, response_classes) = (classes(&key), classes(&response));
    for &(ours, theirs) in &alignment.pairs {
        pair(&mut key, &mut response, key_classes[ours as usize], response_classes[theirs as usize]);
    }
    let equal = equal_classes(&key, &response, false);
    table_of(key, response, &equal, (&alignment.key, &alignment.response))
}

fn table_of(
    key: Side<'_>,
    response: Side<'_>,
    equal: &[(u32, u32)],
    selected: (&Selected, &Selected),
) -> MentionTable {
    let (mut ours, mut theirs) = (vec![NONE; key.classes.len()], vec![NONE; response.classes.len()]);
    for &(this, that) in equal {
        ours[this as usize] = that;
        theirs[that as usize] = this;
    }
    let (documents, numbers) = ((key.document, response.document), (key.numbers, response.numbers));
    let mut table = MentionTable {
        key: key.into_table(ours, selected.0),
        response: response.into_table(theirs, selected.1),
    };
    add_relations(documents.0, numbers.0, &mut table.key);
    add_relations(documents.1, numbers.1, &mut table.response);
    table
}

/// Adds what a document says beyond identity.
fn add_relations(document: &Document, numbers: &Numbers, side: &mut TableSide) {
    let Some(relations) = document.relations() else { return };
    let numbered = |words: &[Span]| numbered(words, numbers);
    let mut seen = FxHashSet::default();
    let first = relations.non_referring.iter().filter(|mention| seen.insert(mention.entity()));
    side.non_referring = first.map(|mention| numbered(mention.parts())).collect();
    // An anaphor has one antecedent: the last that is said.
    let mut places: FxHashMap<Vec<(u32, u32)>, usize> = FxHashMap::default();
    for bridge in &relations.bridges {
        let antecedent = match &bridge.antecedent {
            Some(words) => Some(words.clone()),
            None => bridge.entity.and_then(|entity| nearest_before(document, entity, &bridge.anaphor)),
        };
        let Some(antecedent) = antecedent else { continue };
        let found = TableBridge { anaphor: numbered(&bridge.anaphor), antecedent: numbered(&antecedent) };
        let words = found.anaphor.iter().map(|run| (run.start(), run.end())).collect();
        match places.entry(words) {
            Entry::Occupied(place) => side.bridges[*place.get()] = found,
            Entry::Vacant(place) => {
                place.insert(side.bridges.len());
                side.bridges.push(found);
            }
        }
    }
}

/// The last mention of an entity that begins before the anaphor, else its first: what stands for the
/// antecedent where a format names the entity alone.
fn nearest_before(document: &Document, entity: EntityId, anaphor: &[Span]) -> Option<Vec<Span>> {
    let anaphor = anaphor.first()?.start();
    let mentions = document.mentions().iter().filter(|mention| mention.entity() == entity);
    let place = |mention: &&Mention| (mention.span().start(), mention.span().end());
    let before = mentions.clone().filter(|mention| mention.span().start() < anaphor).max_by_key(place);
    before.or_else(|| mentions.min_by_key(place)).map(|mention| mention.parts().to_vec())
}
