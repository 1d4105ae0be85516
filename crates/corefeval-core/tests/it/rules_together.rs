//! Combinations of rules of other scorers: mentions matched by head, by minimum span, in part or not at all, with
//! repeats, pruning, zeros, split antecedents and parses. Thousands of random pairs are compared with plain twins.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use crate::differences::{
    Draft, ENTITIES, Pruning, SENTENCE, SplitRules, WORDS, assert_equal, assert_split_counts, counts_of,
    document_of, draft, lists, order, pruning, settings,
};
use crate::generators::check;
use crate::matching as by_words;
use crate::matching_twin::{self as matching, Identity};
use crate::twins::min_span::{self, Minimum, Word};
use crate::twins::repeated::{self, Lists, Mention, Ordered, Tallies};
use crate::twins::{Counts, Fraction, Tally};
use corefeval_core::diagnostic::Diagnostics;
use corefeval_core::evaluation::score_documents;
use corefeval_core::metrics::Metric;
use corefeval_core::model::{Document, Span, WordsBuilder};
use corefeval_core::pairing::DocumentPair;
use corefeval_core::score::Task;
use corefeval_core::settings::Settings;
use num_traits::{ToPrimitive, Zero};
use proptest::collection::vec;
use proptest::prelude::*;

fn words() -> WordsBuilder {
    let mut words = WordsBuilder::new(false);
    for word in 0..WORDS {
        words.push(&[b'a' + word as u8]);
        if word + 1 == SENTENCE {
            words.end_sentence();
        }
    }
    words
}

/// scorch adds each mention that the key lacks to the key, as a singleton.
#[test]
fn extra_mentions_in_the_key() {
    let (added, one_half) = (Cell::new(0), Cell::new(0));
    check(3000, (draft(0), draft(0), pruning()), |(mut key, response, pruning)| {
        // scorch has no rule for a key that repeats mentions.
        let mut seen = BTreeSet::new();
        key.mentions.retain(|mention| seen.insert((mention.1, mention.2)));
        let documents = [&key, &response].map(|draft| document_of(draft, words(), |_| None));
        let mut choices = pruning.choices();
        choices.push(("average", "micro"));
        let (found, _) = counts_of(&documents, settings("scorch", &choices));
        let (mut ours, mut theirs) = (pruning.of(lists(&key)), pruning.of(lists(&response)));
        let known: BTreeSet<Mention> = ours.iter().flatten().copied().collect();
        // A further copy of an extra mention equals no other mention.
        let kept = theirs.clone();
        theirs.iter_mut().for_each(Vec::clear);
        let mut extra = BTreeSet::new();
        for (number, &(entity, start, end)) in (0..).zip(&response.mentions) {
            let mention = (start, end);
            if !kept[entity].contains(&mention) {
                continue;
            }
            let copy = !known.contains(&mention) && !extra.insert(mention);
            theirs[entity].push(if copy { (1000 + number, 1) } else { mention });
        }
        added.set(added.get() + extra.len());
        ours.extend(extra.into_iter().map(|mention| vec![mention]));
        let wanted = repeated::reference(&ours, &theirs);
        assert_equal(&found, &wanted, &(&key, &response, pruning));
        // BLANC itself, where scorch is defined: both sides have a mention.
        if ours.iter().any(|list| !list.is_empty()) && theirs.iter().any(|list| !list.is_empty()) {
            let task = Task {
                settings: settings("scorch", &choices),
                metrics: vec![Metric::parse("blanc").expect("a metric")],
                by: None,
                threads: 1,
            };
            let pair = DocumentPair { key: &documents[0], response: Some(&documents[1]) };
            let report = score_documents(&[pair], &task, &mut Diagnostics::default()).expect("it is scored");
            let score = report.results[0].score;
            for (found, wanted) in
                [score.recall, score.precision, score.f1].into_iter().zip(blanc_of_scorch(&wanted["blanc"]))
            {
                assert!(
                    (found - wanted).abs() < 1e-9,
                    "{score:?}, {wanted}: {key:?} {response:?} {pruning:?}"
                );
            }
            one_half.set(one_half.get() + usize::from(wanted["blanc"].second.recall_den.is_zero()));
        }
    });
    assert!(added.get() > 3000, "mentions are added: {}", added.get());
    assert!(one_half.get() > 10, "some keys have no non-coreference links: {}", one_half.get());
}

/// Computes BLANC from the links of both kinds like scorch: recall, precision and F1. A kind that neither side has is
/// 1, a kind that one side has is 0, and a kind that the key lacks is left out.
fn blanc_of_scorch(links: &Tally) -> [f64; 3] {
    let half = |counts: &Counts| -> [f64; 3] {
        let real = |number: &Fraction| number.to_f64().expect("a number");
        let (shared, key, response) =
            (real(&counts.recall_num), real(&counts.recall_den), real(&counts.precision_den));
        if key == 0.0 && response == 0.0 {
            [1.0; 3]
        } else if key == 0.0 || response == 0.0 {
            [0.0; 3]
        } else {
            [shared / key, shared / response, 2.0 * shared / (key + response)]
        }
    };
    let (together, apart) = (half(&links.first), half(&links.second));
    if links.first.recall_den.is_zero() {
        apart
    } else if links.second.recall_den.is_zero() {
        together
    } else {
        [0, 1, 2].map(|part| (together[part] + apart[part]) / 2.0)
    }
}

/// A side of corefud-scorer: entities as lists of distinct mentions, after pruning.
struct Side {
    /// Places in the list of the document, by entity.
    entities: Vec<Vec<usize>>,
    order: Vec<usize>,
}

impl Side {
    fn of(document: &Document, pruning: Pruning, name: &dyn Fn(&Identity) -> Identity) -> Side {
        let mut entities: Vec<Vec<usize>> = vec![Vec::new(); document.entities().len()];
        let named = |place: usize| name(&matching::identity(document, place));
        for (place, mention) in document.mentions().iter().enumerate() {
            let entity = &mut entities[mention.entity().index()];
            if entity.iter().all(|&other| named(other) != named(place)) {
                entity.push(place);
            }
        }
        let singletons = |entities: &mut Vec<Vec<usize>>| {
            entities.iter_mut().filter(|own| pruning.singletons && own.len() == 1).for_each(Vec::clear);
        };
        if !pruning.zeros_first {
            singletons(&mut entities);
        }
        let zero = |place: &usize| {
            let head = document.mentions()[*place].head().expect("all have heads");
            document.words().is_empty_node(head)
        };
        entities.iter_mut().for_each(|own| own.retain(|place| !pruning.zeros || !zero(place)));
        if pruning.zeros_first {
            singletons(&mut entities);
        }
        // Entities are sorted by their first mentions, at the same word the longer first.
        let mut order: Vec<usize> = (0..entities.len()).collect();
        let first = |entity: &usize| {
            let own = document.mentions().iter().filter(|mention| mention.entity().index() == *entity);
            own.map(|mention| (mention.span().start(), u32::MAX - mention.word_count(), mention.span().end()))
                .min()
        };
        order.sort_by_key(|entity| (first(entity), *entity));
        Side { entities, order }
    }

    fn places(&self) -> Vec<usize> {
        let mut places: Vec<usize> = self.entities.iter().flatten().copied().collect();
        places.sort_unstable();
        places
    }
}

/// Each empty node becomes a mention too.
fn with_zeros(mut draft: by_words::Draft) -> by_words::Draft {
    draft.empty_nodes.sort_by_key(|node| node.0);
    // Zeros depend on few words, so that they are paired.
    draft.empty_nodes.iter_mut().flat_map(|node| &mut node.1).for_each(|own| own.0 %= 2);
    for (number, node) in (0..).zip(&draft.empty_nodes) {
        draft.mentions.push((number % 3, 1 << (node.0 + number), 0));
    }
    draft
}

/// Twins of corefud-scorer 1.2, which stores all pairs of different mentions in one dictionary for both directions, and
/// of a version with one dictionary for each direction.
#[test]
fn corefud_scorer_with_one_dictionary_and_with_two() {
    let lost = Cell::new(0);
    for rule in ["head", "exact", "partial"] {
        for zeros in ["dependent-1.2", "dependent", "linear"] {
            let cases = (by_words::draft(), by_words::draft(), pruning(), any::<bool>());
            check(1000, cases, |(key, mut response, pruning, alike)| {
                let pruning = Pruning { nested: false, ..pruning };
                if alike {
                    // Zeros at the same places, each with the head of its neighbour in the key.
                    let nodes = &key.empty_nodes;
                    let next = |place: usize| nodes[(place + 1) % nodes.len()].1.clone();
                    response.empty_nodes =
                        (0..nodes.len()).map(|place| (nodes[place].0, next(place))).collect();
                    response.mentions.extend(key.mentions.iter().take(3));
                }
                let key = with_zeros(key);
                let response = with_zeros(response);
                let mut choices = pruning.choices();
                choices.extend([("match", rule), ("zero-match", zeros)]);
                let settings: Settings = by_words::settings(&choices);
                let documents = [by_words::document(&key), by_words::document(&response)];
                let name = |mention: &Identity| Identity {
                    head: if rule == "head" { mention.head } else { (0, 0, 0) },
                    ..mention.clone()
                };
                let [ours, theirs] = [0, 1].map(|side| Side::of(&documents[side], pruning, &name));
                let pairs = matching::pairs_among(
                    (&documents[0], &ours.places()),
                    (&documents[1], &theirs.places()),
                    &settings,
                );
                // Each mention has a number, the same on both sides.
                let mut numbers: BTreeMap<Identity, u32> = BTreeMap::new();
                let mut numbered = |mention: &Identity| -> Mention {
                    let next = numbers.len() as u32;
                    (*numbers.entry(name(mention)).or_insert(next), 0)
                };
                let pairs: Vec<(Mention, Mention)> =
                    pairs.iter().map(|(ours, theirs)| (numbered(ours), numbered(theirs))).collect();
                let different = || pairs.iter().copied().filter(|pair| pair.0 != pair.1);
                let there: BTreeMap<Mention, Mention> = different().collect();
                let back: BTreeMap<Mention, Mention> =
                    different().map(|(ours, theirs)| (theirs, ours)).collect();
                let mut lists = |side: usize, entities: &[Vec<usize>]| -> Lists {
                    let mention = |place: &usize| numbered(&matching::identity(&documents[side], *place));
                    let mut mention = mention;
                    entities.iter().map(|own| own.iter().map(&mut mention).collect()).collect()
                };
                let (our_lists, their_lists) = (lists(0, &ours.entities), lists(1, &theirs.entities));
                let our_side = Ordered { lists: &our_lists, order: &ours.order };
                let their_side = Ordered { lists: &their_lists, order: &theirs.order };
                let one: BTreeMap<Mention, Mention> = there.clone().into_iter().chain(back.clone()).collect();
                let two = {
                    // A mention whose namesake has another partner is never found.
                    let taken = |mine: &BTreeMap<Mention, Mention>, others: &BTreeMap<Mention, Mention>| {
                        let nothing = (u32::MAX, 0);
                        let mut mine = mine.clone();
                        for &other in others.keys() {
                            mine.entry(other).or_insert(nothing);
                        }
                        mine
                    };
                    [taken(&there, &back), taken(&back, &there)]
                };
                let wanted = match zeros {
                    "dependent-1.2" => repeated::looked_up(&our_side, &their_side, [&one, &one]),
                    _ => repeated::looked_up(&our_side, &their_side, [&two[0], &two[1]]),
                };
                let (found, _) = counts_of(&documents, settings);
                let mut compared: Tallies = wanted.clone();
                if zeros != "dependent-1.2" && one.len() < there.len() + back.len() {
                    // CEAF compares the same entities, and the twin of two dictionaries looks up by name.
                    compared.retain(|metric, _| !metric.starts_with("ceaf"));
                    lost.set(lost.get() + 1);
                }
                assert_equal(&found, &compared, &(rule, zeros, &key, &response, pruning, &pairs));
            });
        }
    }
    assert!(lost.get() > 20, "some zeros have a namesake with another partner: {}", lost.get());
}

/// Returns the minimum span of a mention, from some numbers; all copies have the same.
fn minimum(seeds: &[u8], (start, end): Mention) -> Option<Span> {
    let seed = u32::from(seeds[((start * 3 + end) % 24) as usize]);
    if start >= WORDS || seed % 4 == 0 {
        return None;
    }
    let first = start + seed % (end - start);
    Span::new(first, first + 1 + seed / 8 % (end - first))
}

/// Returns the mentions that the other side lacks, without repeats, in the order of the document. Zeros match exactly
/// or not at all.
fn left(own: &Lists, other: &Lists) -> Vec<Mention> {
    let others: BTreeSet<&Mention> = other.iter().flatten().collect();
    let left = own.iter().flatten().filter(|mention| !others.contains(mention) && mention.0 < WORDS);
    left.copied().collect::<BTreeSet<Mention>>().into_iter().collect()
}

fn holds((start, end): Mention, inner: Mention) -> bool {
    start <= inner.0 && inner.1 <= end
}

/// Returns the partners under `partial`: among the choices with the most words in common, the one whose first key
/// mention has the first response mention.
fn partial_pairs(
    ours: &[Mention],
    theirs: &[Mention],
    seeds: &[Vec<u8>; 2],
    both_ways: bool,
) -> Vec<(Mention, Mention)> {
    let share = |outer: Mention, inner: Mention, seeds: &[u8]| {
        let minimum = minimum(seeds, outer).map(|span| (span.start(), span.end()));
        let fits = holds(outer, inner) && minimum.is_some_and(|minimum| holds(inner, minimum));
        fits.then(|| 840 * i64::from(inner.1 - inner.0) / i64::from(outer.1 - outer.0))
    };
    let weight = |key: Mention, response: Mention| {
        let back = || share(response, key, &seeds[1]).filter(|_| both_ways);
        share(key, response, &seeds[0]).or_else(back).unwrap_or(0)
    };
    let weights: Vec<Vec<i64>> =
        ours.iter().map(|&key| theirs.iter().map(|&response| weight(key, response)).collect()).collect();
    matching::best(&weights).into_iter().map(|(row, column)| (ours[row], theirs[column])).collect()
}

/// Returns the partners under `craft`: each response mention selects the first key mention that contains it.
fn craft_pairs(ours: &[Mention], theirs: &[Mention]) -> Vec<(Mention, Mention)> {
    let mut pairs: Vec<(Mention, Mention)> = Vec::new();
    for &response in theirs {
        if let Some(&key) = ours.iter().find(|key| holds(**key, response))
            && pairs.iter().all(|pair| pair.0 != key && pair.1 != response)
        {
            pairs.push((key, response));
        }
    }
    pairs
}

/// Returns all orders of some mentions.
fn orders(mentions: &[Mention]) -> Vec<Vec<Mention>> {
    if mentions.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (place, &first) in mentions.iter().enumerate() {
        let mut rest = mentions.to_vec();
        rest.remove(place);
        all.extend(orders(&rest).into_iter().map(|order| [vec![first], order].concat()));
    }
    all
}

/// Returns the mentions of a draft; every second one lacks its last word.
fn shortened(draft: &Draft) -> impl Iterator<Item = (usize, u32, u32)> {
    (0..).zip(&draft.mentions).map(|(number, &(entity, start, end))| match number % 2 {
        0 => (entity, start, end),
        _ => (entity, start, (end - 1).max(start + 1)),
    })
}

/// Partial and CRAFT matching in both versions of the Universal Anaphora scorer, with repeats, zeros and pruning.
#[test]
fn partial_and_craft_matching() {
    let paired = Cell::new([0; 2]);
    let cases =
        (draft(0), draft(0), pruning(), [vec(any::<u8>(), 24), vec(any::<u8>(), 24)], any::<[bool; 3]>());
    check(3000, cases, |(mut key, mut response, pruning, seeds, [craft, copy, alike])| {
        let pruning = Pruning { nested: false, ..pruning };
        if alike {
            response.mentions = shortened(&key).take(5).chain(response.mentions).collect();
        }
        // Mentions are few, so that all orders of a Python set can be tried.
        key.mentions.truncate(6);
        response.mentions.truncate(8);
        let documents = [(&key, 0), (&response, 1)]
            .map(|(draft, side)| document_of(draft, words(), |mention| minimum(&seeds[side], mention)));
        let mut choices = pruning.choices();
        choices.push(("match", if craft { "craft" } else { "partial" }));
        let profile = if copy { "ua-corefud" } else { "ua" };
        let (found, _) = counts_of(&documents, settings(profile, &choices));
        let (ours, theirs) = (pruning.of(lists(&key)), pruning.of(lists(&response)));
        let (our_left, their_left) = (left(&ours, &theirs), left(&theirs, &ours));
        let possible: Vec<Vec<(Mention, Mention)>> = match (craft, copy) {
            (false, copy) => vec![partial_pairs(&our_left, &their_left, &seeds, !copy)],
            (true, true) => vec![craft_pairs(&our_left, &their_left)],
            (true, false) => {
                // The key's mentions are tried in the order of a Python set, the response's by entity.
                let by_entity = theirs.iter().flatten().filter(|mention| their_left.contains(mention));
                let by_entity: Vec<Mention> = by_entity.copied().collect();
                orders(&our_left).iter().map(|order| craft_pairs(order, &by_entity)).collect()
            }
        };
        let mut number = paired.get();
        number[usize::from(craft)] += usize::from(!possible[0].is_empty());
        paired.set(number);
        let (our_order, their_order) = (order(&key), order(&response));
        let meets = |pairs: &Vec<(Mention, Mention)>| {
            let there = pairs.iter().copied().collect();
            let back = pairs.iter().map(|&(ours, theirs)| (theirs, ours)).collect();
            let wanted = repeated::looked_up(
                &Ordered { lists: &ours, order: &our_order },
                &Ordered { lists: &theirs, order: &their_order },
                [&there, &back],
            );
            wanted.iter().all(|(&id, wanted)| crate::adaptor::exact(&found[id]).as_ref() == Some(wanted))
        };
        assert!(
            possible.iter().any(meets),
            "{key:?} {response:?} {pruning:?} {seeds:?} {craft} {copy} {found:?}"
        );
    });
    assert!(paired.get().iter().all(|&number| number > 200), "mentions are paired: {:?}", paired.get());
}

/// The same holds with split antecedents: paired ones are one mention.
#[test]
fn partial_and_craft_matching_with_split_antecedents() {
    let met = Cell::new(0);
    let cases = (
        draft(3),
        draft(3),
        (pruning(), any::<bool>()),
        [vec(any::<u8>(), 24), vec(any::<u8>(), 24)],
        any::<[bool; 4]>(),
    );
    check(3000, cases, |(key, mut response, (pruning, parts_pruned), seeds, [craft, copy, only, alike])| {
        // Mentions that are not scored are not matched, but may still be parts.
        let pruning = Pruning { nested: false, singletons: false, ..pruning };
        let rules = SplitRules { pruning, parts_pruned };
        if alike {
            response.splits.clone_from(&key.splits);
            response.mentions = shortened(&key).take(8).chain(response.mentions).collect();
        }
        let documents = [(&key, 0), (&response, 1)]
            .map(|(draft, side)| document_of(draft, words(), |mention| minimum(&seeds[side], mention)));
        let mut choices = rules.choices(if only { "only" } else { "keep" });
        choices.push(("match", if craft { "craft" } else { "partial" }));
        // Version 2.0 takes mentions for `craft` in orders of Python's sets.
        let profile = if copy || craft { "ua-corefud" } else { "ua" };
        let (found, _) = counts_of(&documents, settings(profile, &choices));
        let (ours, theirs) = (pruning.of(lists(&key)), pruning.of(lists(&response)));
        let (our_left, their_left) = (left(&ours, &theirs), left(&theirs, &ours));
        let pairs = match craft {
            true => craft_pairs(&our_left, &their_left),
            false => partial_pairs(&our_left, &their_left, &seeds, !copy),
        };
        let mut renamed = response.clone();
        for mention in &mut renamed.mentions {
            if let Some(pair) = pairs.iter().find(|pair| pair.1 == (mention.1, mention.2)) {
                (mention.1, mention.2) = pair.0;
            }
        }
        let worth = assert_split_counts([&key, &renamed], rules, only, &found);
        met.set(met.get() + usize::from(worth > 0 && !pairs.is_empty()));
    });
    assert!(met.get() > 300, "split antecedents earn credit: {}", met.get());
}

const FORMS: &[(&str, &str)] = &[
    ("cat", "NN"),
    ("a-b", "."),
    ("the", "DT"),
    (",", ","),
    ("of", "IN"),
    ("3", "CD"),
    ("%", "NN"),
    ("and", "CC"),
    ("ran", "VBD"),
];
const BITS: &[&str] = &[
    "*", "*", "*)", "*))", "(NP*", "(NP*)", "(VP*", "(VP*)", "(NP(NP*", "(S(VP*", "(NP(NML*)", "(PP(NP*",
    "(QP*)", "(NP-SBJ*", "*)))", "(ADJP*",
];

/// coval with verb phrases dropped, minimum spans and nested mentions, with repeats and pruning. The key's parse serves
/// both sides.
#[test]
fn minimum_spans_verb_phrases_and_nested_mentions() {
    let met = Cell::new([0; 3]);
    let word = (prop::sample::select(FORMS), prop::sample::select(BITS))
        .prop_map(|((form, tag), bit)| Word { form, tag, bit });
    let cases = (draft(0), draft(0), pruning(), vec(word, WORDS as usize), any::<[bool; 3]>());
    check(4000, cases, |(key, mut response, pruning, text, [minimum_spans, noun_phrases, alike])| {
        if alike {
            response.mentions = key.mentions.iter().copied().take(6).chain(response.mentions).collect();
        }
        let words = || {
            let mut words = WordsBuilder::new(true);
            for (place, word) in text.iter().enumerate() {
                words.push(word.form.as_bytes());
                let layers = words.layers_mut().expect("they are kept");
                layers.form.push(word.form);
                layers.part_of_speech.push(word.tag);
                layers.parse.push(word.bit);
                if place as u32 + 1 == SENTENCE {
                    words.end_sentence();
                }
            }
            words
        };
        // coval has no zeros, and its spans lie within a sentence.
        let within = |draft: &Draft| Draft {
            mentions: draft
                .mentions
                .iter()
                .filter(|mention| mention.2 <= WORDS && mention.1 / SENTENCE == (mention.2 - 1) / SENTENCE)
                .copied()
                .collect(),
            splits: BTreeMap::new(),
        };
        let (key, response) = (within(&key), within(&response));
        let documents = [&key, &response].map(|draft| document_of(draft, words(), |_| None));
        let mut choices = pruning.choices();
        choices.push(("match", if minimum_spans { "min-span" } else { "exact" }));
        choices.push(("np-only", if noun_phrases { "yes" } else { "no" }));
        let (found, _) = counts_of(&documents, settings("coval", &choices));

        let tree =
            |(start, end): Mention| min_span::tree(&text[start as usize..end as usize], start % SENTENCE);
        // A mention is identified by its sentence, and by its minimum span or its place.
        let identity = |mention: Mention| -> (u32, Minimum, Option<Mention>) {
            let sentence = mention.0 / SENTENCE;
            match tree(mention).filter(|_| minimum_spans) {
                None => (sentence, Minimum::new(), Some(mention)),
                Some(tree) => {
                    let mut minimum = tree.minimum();
                    if minimum.is_empty() {
                        let words = (0..).zip(&text[mention.0 as usize..mention.1 as usize]);
                        minimum = words.map(|(place, word)| (word.form.to_owned(), place)).collect();
                    }
                    (sentence, minimum, None)
                }
            }
        };
        let prune = |draft: &Draft| -> Lists {
            let without = Pruning { nested: false, ..pruning };
            let mut lists = without.of(lists(draft));
            for list in &mut lists {
                let verbal = |mention: &Mention| tree(*mention).is_some_and(|tree| tree.label == "VP");
                let others: Vec<Mention> = list.iter().copied().filter(|mention| !verbal(mention)).collect();
                if noun_phrases && others.len() < list.len() {
                    *list = if others.len() > 1 { others } else { Vec::new() };
                }
                if pruning.nested {
                    remove_nested(list, pruning.singletons, &|a, b| identity(a) == identity(b));
                }
            }
            lists
        };
        let (ours, theirs) = (prune(&key), prune(&response));
        let mut numbers = BTreeMap::new();
        let mut numbered = |lists: &Lists| -> Lists {
            let mut number = |mention: &Mention| -> Mention {
                let next = numbers.len() as u32;
                (*numbers.entry(identity(*mention)).or_insert(next), 0)
            };
            lists.iter().map(|list| list.iter().map(&mut number).collect()).collect()
        };
        let (our_numbers, their_numbers) = (numbered(&ours), numbered(&theirs));
        let wanted = repeated::coval((&our_numbers, &order(&key)), (&their_numbers, &order(&response)));
        assert_equal(&found, &wanted, &(&key, &response, pruning, &text, minimum_spans, noun_phrases));
        let mut seen = met.get();
        let kept = |lists: &Lists| lists.iter().map(Vec::len).sum::<usize>();
        let joined = minimum_spans
            && ours.iter().chain(&theirs).flatten().collect::<BTreeSet<_>>().len() > numbers.len();
        seen[0] += usize::from(joined);
        seen[1] += usize::from(noun_phrases && kept(&ours) < key.mentions.len());
        seen[2] += usize::from(pruning.nested && minimum_spans && joined);
        met.set(seen);
    });
    assert!(met.get().iter().all(|&number| number > 100), "all rules apply: {:?}", met.get());
    assert_eq!(ENTITIES, 4);
}

/// Applies coval's rule, pair by pair: equal mentions are not nested, and mentions equal to a nested one are dropped
/// with it.
fn remove_nested(list: &mut Vec<Mention>, drop_singletons: bool, same: &dyn Fn(Mention, Mention) -> bool) {
    let mut nested: Vec<Mention> = Vec::new();
    for (place, &one) in list.iter().enumerate() {
        for &other in &list[place + 1..] {
            if same(one, other) || one.0 / SENTENCE != other.0 / SENTENCE {
                continue;
            }
            if holds(other, one) {
                nested.push(one);
            } else if holds(one, other) {
                nested.push(other);
            }
        }
    }
    if list.len() != 1 && list.len() == nested.len() + 1 {
        if drop_singletons {
            list.clear();
        }
    } else {
        list.retain(|&mention| !nested.iter().any(|&other| same(mention, other)));
    }
}
