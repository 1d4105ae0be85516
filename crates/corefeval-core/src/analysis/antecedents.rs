//! Counts wrong antecedents by their words. Words that differ only in case are the same antecedent, which is shown in its
//! most frequent spelling.

use super::results::WrongAntecedent;
use crate::model::{Column, NameNumbers};

/// Wrong links by the words of their mentions.
#[derive(Clone, Debug, Default)]
pub(super) struct WrongAntecedents {
    /// The words of mentions as spelled, and in lower case, by number.
    texts: Column,
    numbers: NameNumbers,
    /// The number of each text in lower case.
    lowered: Vec<u32>,
    /// The antecedent and the anaphor of each link, as spelled.
    links: Vec<[u32; 2]>,
}

impl WrongAntecedents {
    /// Counts a wrong link between the texts with these numbers.
    pub(super) fn count(&mut self, antecedent: u32, anaphor: u32) {
        self.links.push([antecedent, anaphor]);
    }

    /// Returns the number of a text; a new text gets the next number.
    pub(super) fn number(&mut self, text: &str) -> u32 {
        let next = self.lowered.len() as u32;
        let number = self.number_alone(text);
        if number == next && has_capital(text) {
            // Once for each spelling, not for each mention.
            self.lowered[number as usize] = self.number_alone(&text.to_lowercase());
        }
        number
    }

    /// Returns the number of a text; a new text is taken as lower case.
    fn number_alone(&mut self, text: &str) -> u32 {
        let (texts, next) = (&self.texts, self.lowered.len() as u32);
        let known = |number: u32| texts.get(number as usize).unwrap_or_default();
        let number = self.numbers.number(text, next, known);
        if number == next {
            self.texts.push(text);
            self.lowered.push(next);
        }
        number
    }

    /// Returns the number of a text that is known.
    fn find(&self, text: &str) -> Option<u32> {
        self.numbers.find(text, |number| self.text(number))
    }

    fn text(&self, number: u32) -> &str {
        self.texts.get(number as usize).unwrap_or_default()
    }

    /// Returns, for each text in lower case, the number of links with it as their antecedent.
    fn errors(&self) -> Vec<u64> {
        let mut errors = vec![0; self.lowered.len()];
        self.links.iter().for_each(|link| errors[self.lowered[link[0] as usize] as usize] += 1);
        errors
    }
}

/// Returns whether a text is not in lower case.
fn has_capital(text: &str) -> bool {
    match text.is_ascii() {
        true => text.bytes().any(|byte| byte.is_ascii_uppercase()),
        false => text.to_lowercase() != text,
    }
}

/// The most frequent wrong antecedents.
#[derive(Clone, Debug, Default)]
pub(super) struct FrequentAntecedents {
    pub(super) rows: Vec<WrongAntecedent>,
    /// The number of antecedents of two or more wrong links, of which `rows` may have only some.
    pub(super) repeated: u64,
}

/// Returns the `most` most frequent wrong antecedents of all parts of the documents, each with its most frequent
/// anaphor. Ties are alphabetical.
pub(super) fn most_frequent(parts: &[WrongAntecedents], most: usize) -> FrequentAntecedents {
    let errors: Vec<Vec<u64>> = parts.iter().map(WrongAntecedents::errors).collect();
    // If one part alone has `most` antecedents with this many errors, all antecedents wanted have as many, and in some
    // part at least its share of them. All others need not be looked up in the other parts.
    let least = errors.iter().filter_map(|errors| nth_largest(errors, most)).max().unwrap_or(0);
    let share = least.div_ceil(parts.len().max(1) as u64).max(1);
    let mut found: Vec<(u64, &str)> = Vec::new();
    for (place, part) in parts.iter().enumerate() {
        for (number, &here) in (0..).zip(&errors[place]).filter(|(_, errors)| **errors >= share) {
            let text = part.text(number);
            let elsewhere = (0..parts.len()).filter(|other| *other != place).map(|other| {
                let number = parts[other].find(text);
                (other, number.map_or(0, |number| errors[other][number as usize]))
            });
            let (mut all, mut is_known) = (here, false);
            for (other, errors) in elsewhere {
                all += errors;
                is_known |= other < place && errors >= share;
            }
            if !is_known {
                found.push((all, text));
            }
        }
    }
    let order = |a: &(u64, &str), b: &(u64, &str)| (b.0, a.1).cmp(&(a.0, b.1));
    if most < found.len() {
        found.select_nth_unstable_by(most, order);
        found.truncate(most);
    }
    found.sort_unstable_by(order);
    let repeated = match found.last() {
        // Fewer than `most`, or single links at the end: these are all.
        last if found.len() < most || last.is_some_and(|&(errors, _)| errors < 2) => {
            found.iter().filter(|(errors, _)| *errors >= 2).count() as u64
        }
        _ => repeated(parts, &errors),
    };
    FrequentAntecedents { rows: rows(parts, &found), repeated }
}

/// Returns the number of antecedents of two or more links in all parts.
fn repeated(parts: &[WrongAntecedents], errors: &[Vec<u64>]) -> u64 {
    let mut repeated = 0;
    for (place, part) in parts.iter().enumerate() {
        for (number, &here) in (0..).zip(&errors[place]).filter(|(_, errors)| **errors > 0) {
            let before = parts[..place].iter().zip(errors).filter_map(|(part_before, errors)| {
                Some(errors[part_before.find(part.text(number))? as usize])
            });
            let before: u64 = before.sum();
            // The part in which the second link is found counts it.
            repeated += u64::from(before < 2 && before + here >= 2);
        }
    }
    repeated
}

/// A link with a frequent antecedent.
struct FrequentLink<'p> {
    /// The place of its antecedent and the number of its anaphor, without regard to case.
    words: (usize, u32),
    /// The antecedent and the anaphor as spelled.
    spelled: [&'p str; 2],
}

/// Returns the rows of these antecedents, each with its most frequent anaphor.
fn rows(parts: &[WrongAntecedents], antecedents: &[(u64, &str)]) -> Vec<WrongAntecedent> {
    let (mut links, mut anaphors, mut numbers) = (Vec::new(), Vec::new(), NameNumbers::default());
    for part in parts {
        let mut rows = vec![usize::MAX; part.lowered.len()];
        for (row, (_, antecedent)) in antecedents.iter().enumerate() {
            part.find(antecedent).into_iter().for_each(|number| rows[number as usize] = row);
        }
        let lowered = |number: u32| part.lowered[number as usize];
        let wanted = part.links.iter().map(|link| (rows[lowered(link[0]) as usize], link));
        for (row, link) in wanted.filter(|(row, _)| *row != usize::MAX) {
            let anaphor = part.text(lowered(link[1]));
            let number = numbers.number(anaphor, anaphors.len() as u32, |number| anaphors[number as usize]);
            if number as usize == anaphors.len() {
                anaphors.push(anaphor);
            }
            links.push(FrequentLink { words: (row, number), spelled: link.map(|number| part.text(number)) });
        }
    }
    links.sort_unstable_by_key(|link| link.words);
    let rows = links.chunk_by(|a, b| a.words.0 == b.words.0).map(|links| {
        let by_anaphor = links.chunk_by(|a, b| a.words.1 == b.words.1);
        let by_anaphor = by_anaphor.map(|links| (anaphors[links[0].words.1 as usize], links));
        // The first in alphabetical order wins ties.
        let most = by_anaphor.max_by(|(a, some), (b, others)| (some.len(), b).cmp(&(others.len(), a)));
        let most = most.map_or(&[][..], |(_, links)| links);
        WrongAntecedent {
            antecedent: spelling(links.iter().map(|link| link.spelled[0])),
            errors: links.len() as u64,
            anaphor: spelling(most.iter().map(|link| link.spelled[1])),
            with_anaphor: most.len() as u64,
        }
    });
    rows.collect()
}

/// Returns the most frequent spelling. The first in alphabetical order wins ties.
fn spelling<'s>(all: impl Iterator<Item = &'s str>) -> String {
    // Few words have more than two spellings.
    let mut counts: Vec<(u64, &str)> = Vec::new();
    for text in all {
        match counts.iter_mut().find(|known| known.1 == text) {
            Some(known) => known.0 += 1,
            None => counts.push((1, text)),
        }
    }
    let most = counts.into_iter().max_by(|a, b| (a.0, b.1).cmp(&(b.0, a.1)));
    most.map_or_else(String::new, |(_, text)| text.to_owned())
}

/// Returns the `nth` largest number, counted from 1.
fn nth_largest(numbers: &[u64], nth: usize) -> Option<u64> {
    let mut numbers = numbers.to_vec();
    let place = numbers.len().checked_sub(nth)?;
    (place < numbers.len()).then(|| *numbers.select_nth_unstable(place).1)
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn the_most_frequent_come_first_and_ties_are_alphabetical() {
        let (mut one, mut other) = (WrongAntecedents::default(), WrongAntecedents::default());
        let count = |all: &mut WrongAntecedents, antecedent: &str, anaphor: &str| {
            let link = [antecedent, anaphor].map(|text| all.number(text));
            all.count(link[0], link[1]);
        };
        count(&mut one, "the ferry", "it");
        count(&mut one, "Anna", "she");
        count(&mut other, "The ferry", "the boat");
        count(&mut other, "the ferry", "The boat");
        count(&mut other, "Berlin", "it");
        count(&mut other, "Berlin", "Anna");
        let found = most_frequent(&[one, other], 2);
        let row = |row: &WrongAntecedent| (row.antecedent.clone(), row.errors, row.anaphor.clone());
        // The capitals of a tie come first.
        assert_eq!(row(&found.rows[0]), ("the ferry".to_owned(), 3, "The boat".to_owned()));
        assert_eq!(row(&found.rows[1]), ("Berlin".to_owned(), 2, "Anna".to_owned()));
        assert_eq!(found.rows.iter().map(|row| row.with_anaphor).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(found.repeated, 2);
    }

    #[test]
    fn parts_are_counted_like_one_list() {
        /// Words, and each spelling of them with the number of its links.
        type Spellings = BTreeMap<String, u64>;
        fn most(counts: &Spellings) -> (String, u64) {
            let most = counts.iter().max_by_key(|(text, count)| (**count, Reverse(*text)));
            most.map(|(text, count)| (text.clone(), *count)).unwrap()
        }
        let mut random = 5_u64;
        let mut below = |count: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) % count
        };
        for _ in 0..300 {
            let mut parts = vec![WrongAntecedents::default(); 1 + below(4) as usize];
            let mut plain: BTreeMap<String, (Spellings, BTreeMap<String, Spellings>)> = BTreeMap::new();
            let words = 1 + below(30);
            for _ in 0..below(120) {
                let part = below(parts.len() as u64) as usize;
                let [antecedent, anaphor] = [0; 2].map(|_| {
                    let letter = ["wé", "wÉ", "Wé"][below(3) as usize];
                    format!("{letter}{}", below(words) * below(3))
                });
                let link = [&antecedent, &anaphor].map(|text| parts[part].number(text));
                parts[part].count(link[0], link[1]);
                let (spellings, anaphors) = plain.entry(antecedent.to_lowercase()).or_default();
                *spellings.entry(antecedent).or_default() += 1;
                *anaphors.entry(anaphor.to_lowercase()).or_default().entry(anaphor).or_default() += 1;
            }
            let row =
                |(lowered, (spellings, anaphors)): (&String, &(Spellings, BTreeMap<String, Spellings>))| {
                    let totals = anaphors.iter().map(|(text, counts)| (text.clone(), counts.values().sum()));
                    let (anaphor, with_anaphor) = most(&totals.collect());
                    let row = WrongAntecedent {
                        antecedent: most(spellings).0,
                        errors: spellings.values().sum(),
                        anaphor: most(&anaphors[&anaphor]).0,
                        with_anaphor,
                    };
                    (Reverse(row.errors), lowered.clone(), row)
                };
            let mut wanted: Vec<_> = plain.iter().map(row).collect();
            wanted.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
            let repeated = wanted.iter().filter(|row| row.2.errors > 1).count() as u64;
            let kept = 1 + below(12) as usize;
            wanted.truncate(kept);
            let found = most_frequent(&parts, kept);
            assert_eq!(found.rows, wanted.into_iter().map(|row| row.2).collect::<Vec<_>>());
            assert_eq!(found.repeated, repeated);
        }
    }
}
