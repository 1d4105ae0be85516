//! Limits the cost of matching. No real corpus reaches the limits. See `docs/limits.md`.
//!
//! Two results can be larger than the input. Unless `--duplicates first` keeps one copy of each mention, a mention in
//! k entities of the key and r of the response is shared by k · r pairs of entities, and CEAF compares all of them.
//! Minimum spans are found in the words of every mention, and n nested mentions have n² words. Both numbers can be
//! bounded cheaply before any matching.

use super::exact::describe;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Document, Mention};
use crate::selection::{Identity, KeyParse};
use crate::settings::{Duplicates, Match, Settings, Switch};
use crate::wording::{Part, option_value, quoted, switch, text};

/// The largest number of pairs of copies of mentions in a document.
const MOST_PAIRS_OF_COPIES: u64 = 4_000_000;

/// The largest number of words to parse, summed over the mentions of a document.
const MOST_PARSED_WORDS: u64 = 10_000_000;

/// Fails if the settings make the cost of a document exceed the limits.
pub(crate) fn check_cost(key: &Document, response: Option<&Document>, settings: &Settings) -> Result<()> {
    let by_spans = settings.matching == Match::MinSpan;
    if by_spans || settings.np_only == Switch::Yes {
        for side in [Some(key), response].into_iter().flatten() {
            let words = side.mentions().iter().map(|mention| u64::from(mention.span().len())).sum();
            if words > MOST_PARSED_WORDS {
                let reason = if by_spans { option_value("match", "min-span") } else { switch("np-only") };
                return Err(too_many_words(side, words, reason));
            }
        }
    }
    let Some(response) = response.filter(|_| settings.duplicates != Duplicates::First) else { return Ok(()) };
    let mentions = [key, response].map(|side| side.mentions().len() as u64);
    if mentions[0].saturating_mul(mentions[1]) <= MOST_PAIRS_OF_COPIES {
        return Ok(());
    }
    let both = [key, response];
    let copies = if key.words().are_names() && response.words().are_names() {
        both.map(|side| copies(names(side)))
    } else if by_spans && !are_few(&both.map(|side| copies(sentences(side)))) {
        let parsed = KeyParse { key, place: settings.place };
        both.map(|side| {
            copies(side.mentions().iter().map(|mention| Identity::of(side, mention, parsed)).collect())
        })
    } else if by_spans {
        return Ok(());
    } else {
        both.map(|side| copies(side.mentions().iter().map(|mention| mention.span().sort_key()).collect()))
    };
    if are_few(&copies) { Ok(()) } else { Err(too_many_copies(both, &copies, settings)) }
}

/// A mention that a side repeats.
struct Copies {
    /// The number of copies.
    count: u64,
    /// The position of one copy in the document's list.
    place: usize,
}

/// Returns the values that occur several times, the most frequent first. The list has one value for each mention.
fn copies<T: Ord>(values: Vec<T>) -> Vec<Copies> {
    let mut sorted: Vec<(T, usize)> = values.into_iter().zip(0..).collect();
    sorted.sort_unstable();
    let groups = sorted.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1);
    let mut copies: Vec<Copies> =
        groups.map(|group| Copies { count: group.len() as u64, place: group[0].1 }).collect();
    copies.sort_unstable_by_key(|copies| (std::cmp::Reverse(copies.count), copies.place));
    copies
}

/// Returns whether the number of pairs of copies stays within the limit for every possible alignment. The number is
/// largest if the mentions with the most copies on each side are aligned with each other, then the next ones, and so
/// on.
fn are_few([key, response]: &[Vec<Copies>; 2]) -> bool {
    key.iter().zip(response).map(|(ours, theirs)| ours.count * theirs.count).sum::<u64>()
        <= MOST_PAIRS_OF_COPIES
}

fn names(document: &Document) -> Vec<&str> {
    let layers = document.words().layers();
    let name = |mention: &Mention| layers?.form.get(mention.span().start() as usize);
    document.mentions().iter().map(|mention| name(mention).unwrap_or_default()).collect()
}

fn sentences(document: &Document) -> Vec<u32> {
    let words = document.words();
    document.mentions().iter().map(|mention| words.sentence_of(mention.span().last())).collect()
}

fn too_many_words(document: &Document, words: u64, reason: Part) -> Error {
    let message = text!(
        "the mentions of {} add up to {} words, and {} parses each of them: the limit is {}",
        quoted(document.id()),
        words.to_string(),
        reason.clone(),
        MOST_PARSED_WORDS.to_string()
    );
    let hint = text!("look for mentions that are nested or very long, or leave out {}", reason);
    Error::new(ErrorKind::Settings, message).at(document.position()).hint(hint)
}

fn too_many_copies(sides: [&Document; 2], copies: &[Vec<Copies>; 2], settings: &Settings) -> Error {
    let [(key, ours), (response, theirs)] = [0, 1].map(|side| (sides[side], &copies[side][0]));
    let mention = |document: &Document, copies: &Copies| {
        let mention = &document.mentions()[copies.place];
        (describe(document, mention), document.position_of(mention))
    };
    let ((ours_described, position), (theirs_described, other)) =
        (mention(key, ours), mention(response, theirs));
    let same =
        if settings.matching == Match::MinSpan { ", or mentions of the same minimum span," } else { "" };
    let rule = match settings.duplicates {
        Duplicates::First => "first",
        Duplicates::Last => "last",
        Duplicates::LastSets => "last-sets",
        Duplicates::Distinct => "distinct",
    };
    let message = text!(
        "{}: the key has {}{} {} times and the response {} {} times, and {} compares all copies: the limit is {} pairs",
        quoted(key.id()),
        ours_described,
        same,
        ours.count.to_string(),
        theirs_described,
        theirs.count.to_string(),
        option_value("duplicates", rule),
        MOST_PAIRS_OF_COPIES.to_string()
    );
    Error::new(ErrorKind::Settings, message)
        .at(position)
        .with_place(other, "a mention that the response repeats")
        .hint(text!("remove the copies, or count one of them with {}", option_value("duplicates", "first")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_counted_from_the_most_frequent() {
        let found = copies(vec!["b", "a", "c", "a", "b", "a"]);
        let found: Vec<(u64, usize)> = found.iter().map(|copies| (copies.count, copies.place)).collect();
        assert_eq!(found, [(3, 1), (2, 0)]);
    }

    #[test]
    fn the_most_frequent_of_both_sides_bound_the_pairs() {
        let repeated = |counts: &[u64]| -> Vec<Copies> {
            counts.iter().map(|&count| Copies { count, place: 0 }).collect()
        };
        assert!(are_few(&[repeated(&[2000]), repeated(&[2000])]));
        assert!(!are_few(&[repeated(&[2000, 2]), repeated(&[2000, 2])]));
        assert!(are_few(&[repeated(&[1_000_000]), Vec::new()]));
    }
}
