//! Finds candidates for pairs of mentions: equal mentions, zeros with the same dependencies, mentions with the same
//! head, and nested mentions.

use rustc_hash::{FxHashMap, FxHashSet};

use super::choice::Candidate;
use super::coordinates::{Coordinates, WordNumbering};
use super::located_side::{Located, LocatedSide, numbered, pair, same_words, shared_words};
use super::{NONE, python_order};
use crate::diagnostic::{Code, Diagnostics};
use crate::model::{Governors, Span};
use crate::settings::MatchDetails;
use crate::wording::{option_value, quoted, text};

/// Returns the pairs of classes with the same words. If requested, classes with heads must also have the same head.
pub(super) fn equal_classes(
    key: &LocatedSide<'_>,
    response: &LocatedSide<'_>,
    by_head: bool,
) -> Vec<(u32, u32)> {
    let mut equal = Vec::with_capacity(key.classes.len().min(response.classes.len()));
    let mut theirs = 0;
    for ours in 0..key.classes.len() as u32 {
        let this = key.class(ours);
        while (theirs as usize) < response.classes.len() && response.class(theirs).place() < this.place() {
            theirs += 1;
        }
        // The classes with the same extent, nearly always one.
        let same_extent = (theirs..response.classes.len() as u32)
            .take_while(|&other| response.class(other).place() == this.place());
        let same = |other: &u32| same_words(key, this, response, response.class(*other));
        let of_head = |other: &u32| !by_head || this.head == response.class(*other).head;
        let headless = |other: &u32| this.head == NONE || response.class(*other).head == NONE;
        let found = same_extent.clone().filter(same).find(of_head);
        if let Some(other) = found.or_else(|| same_extent.filter(same).find(headless)) {
            equal.push((ours, other));
        }
    }
    equal
}

/// Returns pairs of zeros in the same sentence that depend on a common word.
///
/// The weight is [`Governors::weight`]. A zero without dependencies has no candidates. If hundreds of zeros depend on
/// one word, which does not occur in texts, only the best of the nearest zeros are considered.
pub(super) fn zero_candidates(
    key: &LocatedSide<'_>,
    response: &LocatedSide<'_>,
    coordinates: &Coordinates,
    diagnostics: &mut Diagnostics,
) -> Vec<Candidate> {
    let zeros = |side: &LocatedSide<'_>| -> Vec<u32> {
        (0..side.classes.len() as u32).filter(|&class| side.class(class).zero).collect()
    };
    let (key_zeros, response_zeros) = (zeros(key), zeros(response));
    if key_zeros.is_empty() || response_zeros.is_empty() {
        return Vec::new();
    }
    fn governors<'d>(side: &LocatedSide<'d>, class: u32, numbers: &WordNumbering) -> (u32, Governors<'d>) {
        let mention = side.mention(side.class(class));
        let words = side.document.words();
        let head = mention.head().unwrap_or_else(|| mention.span().start());
        (words.sentence_of(head), Governors::of(words, head, |word| numbers.of(word)))
    }
    let theirs: Vec<_> =
        response_zeros.iter().map(|&zero| governors(response, zero, &coordinates.response)).collect();
    let mut by_parent: FxHashMap<(u32, Option<u32>), Vec<usize>> = FxHashMap::default();
    for (place, (sentence, governors)) in theirs.iter().enumerate() {
        for &parent in governors.words() {
            by_parent.entry((*sentence, parent)).or_default().push(place);
        }
    }
    let mut candidates = Vec::new();
    let mut places = Vec::new();
    for zero in key_zeros {
        let (sentence, ours) = governors(key, zero, &coordinates.key);
        places.clear();
        let this = key.class(zero);
        for parent in ours.words().iter().filter_map(|&parent| by_parent.get(&(sentence, parent))) {
            let before = |&place: &usize| response.class(response_zeros[place]).place() < this.place();
            places.extend_from_slice(nearest(parent, before));
        }
        places.sort_unstable();
        places.dedup();
        let own = candidates.len();
        for &place in &places {
            let (numerator, denominator) = ours.weight(&theirs[place].1);
            candidates.push(Candidate { key: zero, response: response_zeros[place], numerator, denominator });
        }
        if candidates.len() - own > MANY {
            let mut best = candidates.split_off(own);
            let weight = |found: &Candidate| (found.numerator << 20) / found.denominator.max(1);
            keep_best(&mut best, |found| (weight(found), found.response), key, zero, diagnostics);
            candidates.extend(best);
        }
    }
    candidates
}

/// Reports the first side without any mention that has the data required by the rule.
fn warn_of_headless(
    sides: &[&LocatedSide<'_>],
    rule: &'static str,
    needed: &str,
    diagnostics: &mut Diagnostics,
    lacks: impl Fn(&Located) -> bool,
) -> bool {
    let all_lack = |side: &&&LocatedSide<'_>| !side.mentions.is_empty() && side.mentions.iter().all(&lacks);
    let Some(side) = sides.iter().find(all_lack) else { return false };
    let id = side.document.id().to_string();
    diagnostics.add(Code::NoHeads, Some(side.document.position()), Some(id.clone()), || {
        text!(
            "{} needs {}, and the mentions of {} have none; they are matched by their words",
            option_value("match", rule),
            needed,
            quoted(id)
        )
    });
    true
}

/// Returns the pairs with the same head.
pub(super) fn head_candidates(
    key: &LocatedSide<'_>,
    response: &LocatedSide<'_>,
    diagnostics: &mut Diagnostics,
) -> Vec<Candidate> {
    if warn_of_headless(&[key, response], "head", "heads", diagnostics, |mention| mention.head == NONE) {
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
        let end = by_head.partition_point(|entry| entry.0 <= this.head);
        let same = nearest(&by_head[start..end], |entry| response.class(entry.1).place() < this.place());
        let own = candidates.len();
        for &(_, theirs) in same {
            push_candidate(key, response, ours, theirs, &mut candidates);
        }
        // All candidates have the key mention's denominator.
        let mut best = candidates.split_off(own);
        keep_best(&mut best, |candidate| (candidate.numerator, candidate.response), key, ours, diagnostics);
        candidates.extend(best);
    }
    candidates
}

/// The number of candidates of one mention above which only the best are considered. Only broken files have this many
/// mentions over one word. The limit bounds memory.
pub(crate) const MANY: usize = 256;
pub(crate) const KEPT: usize = 64;

/// The largest number of candidates of one mention that are examined. Texts have a handful. For a file with thousands
/// of mentions over one word, the limit avoids quadratic time.
pub(crate) const EXAMINED: usize = 1024;

/// Returns the candidates nearest to a mention, or all of them unless there are very many, in the order of the
/// document. `before` returns whether a candidate precedes the mention.
fn nearest<T>(candidates: &[T], before: impl Fn(&T) -> bool) -> &[T] {
    if candidates.len() <= EXAMINED {
        return candidates;
    }
    let middle = candidates.partition_point(before);
    let from = middle.saturating_sub(EXAMINED / 2).min(candidates.len() - EXAMINED);
    &candidates[from..from + EXAMINED]
}

/// Keeps only the candidates that share the most words if a mention has very many candidates, and reports this.
/// In a tie, the first candidates win.
fn keep_best<T>(
    candidates: &mut Vec<T>,
    weight_and_place: impl Fn(&T) -> (u64, u32),
    side: &LocatedSide<'_>,
    class: u32,
    diagnostics: &mut Diagnostics,
) {
    if candidates.len() <= MANY {
        return;
    }
    let count = candidates.len();
    candidates.sort_unstable_by_key(|candidate| {
        let (weight, place) = weight_and_place(candidate);
        (u64::MAX - weight, place)
    });
    candidates.truncate(KEPT);
    let mention = side.mention(side.class(class));
    let position = side.document.position_of(mention);
    diagnostics.add(Code::ManyCandidates, Some(position), Some(side.document.id().to_string()), || {
        format!("this mention could be paired with {count} others; the {KEPT} that fit best were considered")
    });
}

fn push_candidate(
    key: &LocatedSide<'_>,
    response: &LocatedSide<'_>,
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

/// Returns the pairs in which one mention consists of words of the other and contains its minimum span or, if it has
/// none, its head. If the key's minimum span does not fit, the response's is tried, as in version 2.0 of the Universal
/// Anaphora scorer.
pub(super) fn partial_candidates(
    key: &LocatedSide<'_>,
    response: &LocatedSide<'_>,
    details: MatchDetails,
    diagnostics: &mut Diagnostics,
) -> Vec<Candidate> {
    let minimum = |mention: &Located| {
        let details = key.mention(mention).details();
        details.is_some_and(|details| !details.min_span.is_empty())
    };
    let lacks = |mention: &Located| mention.head == NONE && !minimum(mention);
    warn_of_headless(&[key], "partial", "heads or minimum spans in the key", diagnostics, lacks);
    let mut found: Vec<(u32, u32)> = Vec::new();
    within(key, response, true, diagnostics, |ours, theirs| found.push((ours, theirs)));
    let minimums = |side: &LocatedSide<'_>| {
        side.mentions.iter().any(|m| side.mention(m).details().is_some_and(|d| !d.min_span.is_empty()))
    };
    let from_key = found.len();
    if details == MatchDetails::Ua && minimums(response) {
        within(response, key, false, diagnostics, |theirs, ours| found.push((ours, theirs)));
    }
    // No pair is found twice, because mentions that lie within each other have the same words and were paired before.
    let mut candidates = Vec::with_capacity(found.len());
    for (place, &(ours, theirs)) in found.iter().enumerate() {
        let (this, that) = (key.class(ours), response.class(theirs));
        let shared = shared_words(key.runs_of(this), response.runs_of(that));
        let denominator = if place < from_key { this.words } else { that.words };
        let (numerator, denominator) = (shared.into(), denominator.into());
        candidates.push(Candidate { key: ours, response: theirs, numerator, denominator });
    }
    candidates
}

/// Returns the pairs whose response mention consists of words of the key's mention and contains its whole minimum span:
/// the rule of MUC. A key mention without a minimum span is its own minimum span, and mentions with the same words were
/// paired before. Among several candidates, the candidate with the most words is best. If mentions compete, the choice
/// with the most words in total wins. In a tie, the earlier key mention gets the earlier response mention.
pub(super) fn muc_candidates(
    key: &LocatedSide<'_>,
    response: &LocatedSide<'_>,
    diagnostics: &mut Diagnostics,
) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    within(key, response, false, diagnostics, |ours, theirs| {
        let words = response.class(theirs).words;
        candidates.push(Candidate { key: ours, response: theirs, numerator: words.into(), denominator: 1 });
    });
    candidates
}

/// Returns the pairs that share words, nested or crossing, for the rule `overlap`. The weight is the share of the
/// longer mention's words that both have, which is also the partial credit.
pub(super) fn overlap_candidates(
    key: &LocatedSide<'_>,
    response: &LocatedSide<'_>,
    diagnostics: &mut Diagnostics,
) -> Vec<Candidate> {
    let left: Vec<u32> = response.left().collect();
    // The largest end of all mentions up to each place, which bounds the start of the search.
    let mut reach: Vec<u32> = Vec::with_capacity(left.len());
    for &theirs in &left {
        reach.push(reach.last().copied().unwrap_or(0).max(response.class(theirs).end));
    }
    let mut candidates = Vec::new();
    for ours in key.left() {
        let this = key.class(ours);
        let start = reach.partition_point(|&end| end <= this.start);
        let end = left.partition_point(|&class| response.class(class).start < this.end).max(start);
        let mut own: Vec<Candidate> = Vec::new();
        for &theirs in nearest(&left[start..end], |&class| response.class(class).place() < this.place()) {
            let that = response.class(theirs);
            let shared = shared_words(key.runs_of(this), response.runs_of(that));
            if shared > 0 {
                let (numerator, denominator) = (shared.into(), this.words.max(that.words).into());
                own.push(Candidate { key: ours, response: theirs, numerator, denominator });
            }
        }
        let weight = |found: &Candidate| (found.numerator << 20) / found.denominator.max(1);
        keep_best(&mut own, |found| (weight(found), found.response), key, ours, diagnostics);
        candidates.append(&mut own);
    }
    candidates
}

/// Calls `found` for each pair of a class of `outer` and a class of `inner` that consists of its words and contains
/// the required ones.
fn within(
    outer: &LocatedSide<'_>,
    inner: &LocatedSide<'_>,
    heads: bool,
    diagnostics: &mut Diagnostics,
    mut found: impl FnMut(u32, u32),
) {
    let left: Vec<u32> = inner.left().collect();
    let mut own: Vec<(u32, u32)> = Vec::new();
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
        // A mention within these words that contains the first required word starts between `start` and that word.
        let start = left.partition_point(|&class| inner.class(class).start < this.start);
        let end = left.partition_point(|&class| inner.class(class).start <= first.start()).max(start);
        for &theirs in nearest(&left[start..end], |&class| inner.class(class).place() < this.place()) {
            let that = inner.class(theirs);
            let runs = inner.runs_of(that);
            let inside = shared_words(outer.runs_of(this), runs) == that.words;
            let holds =
                needed.iter().all(|part| shared_words(std::slice::from_ref(part), runs) == part.len());
            if inside && holds {
                own.push((that.words, theirs));
            }
        }
        keep_best(&mut own, |&(words, theirs)| (words.into(), theirs), outer, ours, diagnostics);
        own.drain(..).for_each(|(_, theirs)| found(ours, theirs));
    }
}

/// Pairs classes as CRAFT 2019 does: each response mention takes the first key mention whose first
/// part contains one of its parts, unless another mention has taken it.
///
/// Version 2.0 of the Universal Anaphora scorer processes the mentions of the response entity by entity, and searches
/// the mentions of the key in the order of a Python set. The copy in corefud-scorer processes both in the order of the
/// document.
pub(super) fn pair_craft(key: &mut LocatedSide<'_>, response: &mut LocatedSide<'_>, details: MatchDetails) {
    let ours: Vec<(u32, Span)> =
        key.left().filter_map(|class| Some((class, *key.runs_of(key.class(class)).first()?))).collect();
    let theirs: Vec<u32> = match details {
        MatchDetails::Ua => by_entity(response),
        MatchDetails::Corefud => response.left().collect(),
    };
    // The rank of each mention of `ours`: a response mention takes the possible one with the lowest rank.
    let ranks: Vec<usize> = match details {
        MatchDetails::Ua => in_python_order(key, &ours),
        MatchDetails::Corefud => (0..ours.len()).collect(),
    };
    // The largest end of first parts up to each place, which shows where to start searching.
    let mut reach: Vec<u32> = Vec::with_capacity(ours.len());
    for (_, part) in &ours {
        reach.push(reach.last().copied().unwrap_or(0).max(part.end()));
    }
    for that in theirs {
        let runs = response.runs_of(response.class(that)).to_vec();
        let first = |run: &Span| {
            let from = reach.partition_point(|&end| end < run.end());
            // If there are more mentions than this over one word, which does not occur in texts, the rest is ignored.
            let near = (from..ours.len()).take(16 * EXAMINED);
            let near = near.take_while(|&place| ours[place].1.start() <= run.start());
            near.filter(|&place| ours[place].1.contains(*run)).min_by_key(|&place| ranks[place])
        };
        let Some(place) = runs.iter().filter_map(first).min_by_key(|&place| ranks[place]) else { continue };
        let this = ours[place].0;
        if key.partner[this as usize] == NONE {
            pair(key, response, this, that);
        }
    }
}

/// Returns the classes of a side without a partner so far, by entity and then in the order of the file.
fn by_entity(side: &LocatedSide<'_>) -> Vec<u32> {
    let mut left: Vec<(u32, u32, u32)> = Vec::new();
    for (mention, &class) in side.mentions.iter().zip(&side.class_of) {
        if side.partner[class as usize] == NONE {
            left.push((side.selected.mentions[mention.index as usize].entity, mention.index, class));
        }
    }
    left.sort_unstable();
    let mut seen = FxHashSet::default();
    left.into_iter().map(|mention| mention.2).filter(|&class| seen.insert(class)).collect()
}

/// Returns the position of each class among the members of a Python set to which the classes are added in the
/// order of the document.
fn in_python_order(side: &LocatedSide<'_>, classes: &[(u32, Span)]) -> Vec<usize> {
    let nodes = side.document.words().empty_nodes();
    let in_text = |word: u32| python_order::number_in_text(nodes, word);
    let hash = |&(class, _): &(u32, Span)| {
        let parts = side.mention(side.class(class)).parts();
        python_order::frozen_set(parts.iter().flat_map(|part| part.start()..part.end()).map(in_text))
    };
    let hashes: Vec<u64> = classes.iter().map(hash).collect();
    let mut ranks = vec![usize::MAX; classes.len()];
    for (rank, place) in python_order::set(&hashes).into_iter().enumerate() {
        ranks[place] = rank;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_are_around_the_place_of_the_mention() {
        let crowd: Vec<usize> = (0..3_000).collect();
        let range = |found: &[usize]| (found[0], found.len());
        for (middle, first) in
            [(0, 0), (511, 0), (513, 1), (1_500, 988), (2_488, 1_976), (2_600, 1_976), (3_000, 1_976)]
        {
            assert_eq!(range(nearest(&crowd, |&place| place < middle)), (first, EXAMINED), "{middle}");
        }
        assert_eq!(range(nearest(&crowd[..EXAMINED], |_| true)), (0, EXAMINED));
    }
}
