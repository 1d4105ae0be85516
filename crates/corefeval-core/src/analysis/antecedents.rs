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
    fn errors(&self) -> Vec<u32> {
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
    let errors: Vec<Vec<u32>> = parts.iter().map(WrongAntecedents::errors).collect();
    // If one part alone has `most` antecedents with this many errors, all antecedents wanted have as many, and in some
    // part at least its share of them. All others need not be looked up in the other parts.
    let least = errors.iter().filter_map(|errors| nth_largest(errors, most)).max().unwrap_or(0);
    let share = least.div_ceil(parts.len().max(1) as u32).max(1);
    // The most frequent first: numbers count down.
    let mut found: Vec<(u32, &str)> = Vec::new();
    for (place, part) in parts.iter().enumerate() {
        for (number, &here) in (0..).zip(&errors[place]).filter(|(_, errors)| **errors >= share) {
            let text = part.text(number);
            let (mut all, mut is_known) = (here, false);
            for (other, errors) in errors.iter().enumerate().filter(|(other, _)| *other != place) {
                let number = parts[other].find(text);
                let errors = number.map_or(0, |number| errors[number as usize]);
                all += errors;
                is_known |= other < place && errors >= share;
            }
            if !is_known {
                found.push((u32::MAX - all, text));
            }
        }
    }
    if most < found.len() {
        found.select_nth_unstable(most);
        found.truncate(most);
    }
    found.sort_unstable();
    FrequentAntecedents { rows: rows(parts, &found), repeated: repeated(parts, &errors) }
}

/// Returns the number of antecedents of two or more links in all parts.
fn repeated(parts: &[WrongAntecedents], errors: &[Vec<u32>]) -> u64 {
    let mut repeated = 0;
    for (place, part) in parts.iter().enumerate() {
        for (number, &here) in (0..).zip(&errors[place]).filter(|(_, errors)| **errors > 0) {
            let mut before = 0;
            for (other, errors) in parts[..place].iter().zip(errors) {
                before += other.find(part.text(number)).map_or(0, |number| errors[number as usize]);
            }
            // The part in which the second link is found counts it.
            repeated += u64::from(before < 2 && before + here >= 2);
        }
    }
    repeated
}

/// Returns the rows of these antecedents, each with its most frequent anaphor.
fn rows(parts: &[WrongAntecedents], antecedents: &[(u32, &str)]) -> Vec<WrongAntecedent> {
    // The antecedent and the anaphor of each link, without regard to case, and both as spelled.
    let mut links: Vec<(u32, &str)> = Vec::new();
    let mut spelled: Vec<(usize, &str, [&str; 2])> = Vec::new();
    for part in parts {
        let mut rows = vec![u32::MAX; part.lowered.len()];
        for (row, (_, antecedent)) in (0..).zip(antecedents) {
            part.find(antecedent).into_iter().for_each(|number| rows[number as usize] = row);
        }
        let lowered = |number: u32| part.lowered[number as usize];
        for link in &part.links {
            let row = rows[lowered(link[0]) as usize];
            if row != u32::MAX {
                let anaphor = part.text(lowered(link[1]));
                links.push((row, anaphor));
                spelled.push((row as usize, anaphor, link.map(|number| part.text(number))));
            }
        }
    }
    links.sort_unstable();
    let mut most = vec![("", 0); antecedents.len()];
    for same in links.chunk_by(|a, b| a == b) {
        let (row, anaphor) = same[0];
        // The first in alphabetical order wins ties.
        if same.len() as u64 > most[row as usize].1 {
            most[row as usize] = (anaphor, same.len() as u64);
        }
    }
    let mut spellings = vec![[const { Vec::new() }; 2]; antecedents.len()];
    for &(row, anaphor, words) in &spelled {
        count(&mut spellings[row][0], words[0]);
        if anaphor == most[row].0 {
            count(&mut spellings[row][1], words[1]);
        }
    }
    let rows = antecedents.iter().zip(most).zip(&spellings).map(|((antecedent, most), spellings)| {
        let [antecedent_spelled, anaphor] = [0, 1].map(|which| most_common(&spellings[which]));
        WrongAntecedent {
            antecedent: antecedent_spelled.to_owned(),
            errors: u64::from(u32::MAX - antecedent.0),
            anaphor: anaphor.to_owned(),
            with_anaphor: most.1,
        }
    });
    rows.collect()
}

/// Counts a spelling. Few words have more than two.
fn count<'s>(spellings: &mut Vec<(u32, &'s str)>, text: &'s str) {
    match spellings.iter_mut().find(|known| known.1 == text) {
        Some(known) => known.0 += 1,
        None => spellings.push((1, text)),
    }
}

/// Returns the most frequent spelling. The first in alphabetical order wins ties.
fn most_common<'s>(spellings: &[(u32, &'s str)]) -> &'s str {
    let mut most = (0, "");
    for &(count, text) in spellings {
        if count > most.0 || count == most.0 && text < most.1 {
            most = (count, text);
        }
    }
    most.1
}

/// Returns the `nth` largest number, counted from 1.
fn nth_largest(numbers: &[u32], nth: usize) -> Option<u32> {
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
