//! Matching by its definition: all choices of pairs are tried.

use std::collections::{BTreeMap, BTreeSet};

use corefeval_core::model::Document;
use corefeval_core::settings::{Match, Settings, ZeroMatch};

/// The position of a word: words of the text before it, sentence, number of the empty node (0 for a
/// word of the text).
pub type Word = (u32, u32, u32);

/// A mention as matching rules identify it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity {
    /// Its words.
    pub words: BTreeSet<Word>,
    /// Its head.
    pub head: Word,
}

fn word(document: &Document, place: u32) -> Word {
    let words = document.words();
    let before = words.empty_nodes().iter().filter(|&&node| node < place).count() as u32;
    let sentence = words.sentence_of(place);
    match words.empty_nodes().iter().position(|&node| node == place) {
        Some(node) => (place - before, sentence, words.empty_node_numbers()[node]),
        None => (place - before + 1, sentence, 0),
    }
}

/// Returns the mention at `place` in the document's list.
pub fn identity(document: &Document, place: usize) -> Identity {
    let mention = &document.mentions()[place];
    let words = mention.parts().iter().flat_map(|part| part.start()..part.end());
    let head = mention.head().expect("all mentions here have heads");
    Identity { words: words.map(|place| word(document, place)).collect(), head: word(document, head) }
}

/// Returns the distinct mentions among those at `places`, in the order of the document.
fn distinct(document: &Document, places: &[usize], by_head: bool, all: &BTreeSet<Word>) -> Vec<Identity> {
    let numbers: BTreeMap<Word, usize> = all.iter().copied().zip(0..).collect();
    let mut found: Vec<Identity> = places.iter().map(|&place| identity(document, place)).collect();
    // Mentions are sorted by first word, last word and number of words, then by the runs of words.
    let runs = |mention: &Identity| {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for number in mention.words.iter().map(|word| numbers[word]) {
            match runs.last_mut() {
                Some(last) if last.1 == number => last.1 += 1,
                _ => runs.push((number, number + 1)),
            }
        }
        runs
    };
    let head = |mention: &Identity| if by_head { mention.head } else { (0, 0, 0) };
    let key = |mention: &Identity| {
        let ends = (mention.words.first().copied(), mention.words.last().copied());
        (ends, mention.words.len(), runs(mention), head(mention))
    };
    found.sort_by_key(key);
    found.dedup_by(|b, a| a.words == b.words && head(a) == head(b));
    found
}

/// Returns the pairs of mentions under the settings.
pub fn pairs(
    key: &Document,
    response: &Document,
    settings: &Settings,
) -> BTreeSet<(BTreeSet<Word>, BTreeSet<Word>)> {
    let all = [key, response].map(|document| (0..document.mentions().len()).collect::<Vec<_>>());
    let pairs = pairs_among((key, &all[0]), (response, &all[1]), settings);
    pairs.into_iter().map(|(ours, theirs)| (ours.words, theirs.words)).collect()
}

/// Returns the pairs under the settings among the mentions at these places in the lists of the documents.
pub fn pairs_among(
    (key, our_places): (&Document, &[usize]),
    (response, their_places): (&Document, &[usize]),
    settings: &Settings,
) -> Vec<(Identity, Identity)> {
    let by_head = settings.matching == Match::Head;
    let all: BTreeSet<Word> = [key, response]
        .iter()
        .flat_map(|document| (0..document.words().count()).map(|place| word(document, place)))
        .collect();
    let ours = distinct(key, our_places, by_head, &all);
    let theirs = distinct(response, their_places, by_head, &all);
    let mut chosen: Vec<(usize, usize)> = Vec::new();
    let free = |chosen: &[(usize, usize)], row: usize, column: usize| {
        chosen.iter().all(|pair| pair.0 != row && pair.1 != column)
    };
    if settings.zero_match != ZeroMatch::Linear {
        let weights = table(&ours, &theirs, |a, b| zero_weight((key, a), (response, b)));
        chosen.extend(best(&weights));
    }
    for (row, a) in ours.iter().enumerate() {
        for (column, b) in theirs.iter().enumerate() {
            let same = a.words == b.words && (!by_head || a.head == b.head);
            if same && free(&chosen, row, column) {
                chosen.push((row, column));
            }
        }
    }
    let mut weights = table(&ours, &theirs, |a, b| {
        let shared = a.words.intersection(&b.words).count() as i64;
        let fits = match settings.matching {
            Match::Head => a.head == b.head,
            Match::Partial => b.words.is_subset(&a.words) && b.words.contains(&a.head),
            Match::Overlap => shared > 0,
            _ => false,
        };
        let words = match settings.matching {
            Match::Overlap => a.words.len().max(b.words.len()),
            _ => a.words.len(),
        };
        if fits { shared * SCALE / words as i64 } else { 0 }
    });
    for (row, weights) in weights.iter_mut().enumerate() {
        for (column, weight) in weights.iter_mut().enumerate() {
            if !free(&chosen, row, column) {
                *weight = 0;
            }
        }
    }
    chosen.extend(best(&weights));
    chosen.into_iter().map(|(row, column)| (ours[row].clone(), theirs[column].clone())).collect()
}

/// A multiple of all small denominators.
const SCALE: i64 = 840 * 840;

fn table(
    ours: &[Identity],
    theirs: &[Identity],
    weight: impl Fn(&Identity, &Identity) -> i64,
) -> Vec<Vec<i64>> {
    ours.iter().map(|a| theirs.iter().map(|b| weight(a, b)).collect()).collect()
}

/// Returns 10 × F1 of the heads and relations of two zeros, plus F1 of the heads.
fn zero_weight((key, a): (&Document, &Identity), (response, b): (&Document, &Identity)) -> i64 {
    if a.head.2 == 0 || b.head.2 == 0 || a.head.1 != b.head.1 {
        return 0;
    }
    let dependencies = |document: &Document, head: Word| -> BTreeSet<(Option<Word>, String)> {
        let place = (0..document.words().count()).find(|&place| word(document, place) == head);
        let all = document.words().dependencies(place.expect("the head is a word")).iter();
        all.map(|d| (d.parent.map(|parent| word(document, parent)), d.relation.to_string())).collect()
    };
    let (ours, theirs) = (dependencies(key, a.head), dependencies(response, b.head));
    let parents = |all: &BTreeSet<(Option<Word>, String)>| -> BTreeSet<Option<Word>> {
        all.iter().map(|pair| pair.0).collect()
    };
    let f1 = |both: usize, all: usize| if all == 0 { 0 } else { SCALE * 2 * both as i64 / all as i64 };
    let both = ours.intersection(&theirs).count();
    let (our_parents, their_parents) = (parents(&ours), parents(&theirs));
    let alone = our_parents.intersection(&their_parents).count();
    10 * f1(both, ours.len() + theirs.len()) + f1(alone, our_parents.len() + their_parents.len())
}

/// Returns the choice with the largest weight. Ties go to the choice whose first row has the first column, and so on.
pub fn best(weights: &[Vec<i64>]) -> Vec<(usize, usize)> {
    fn search(
        weights: &[Vec<i64>],
        row: usize,
        taken: &mut Vec<usize>,
        chosen: &mut Vec<(usize, usize)>,
        total: i64,
        best: &mut (i64, Vec<(usize, usize)>),
    ) {
        if row == weights.len() {
            if total > best.0 {
                *best = (total, chosen.clone());
            }
            return;
        }
        for column in 0..weights[row].len() {
            if weights[row][column] > 0 && !taken.contains(&column) {
                taken.push(column);
                chosen.push((row, column));
                search(weights, row + 1, taken, chosen, total + weights[row][column], best);
                chosen.pop();
                taken.pop();
            }
        }
        search(weights, row + 1, taken, chosen, total, best);
    }
    let mut found = (0, Vec::new());
    search(weights, 0, &mut Vec::new(), &mut Vec::new(), 0, &mut found);
    found.1
}
