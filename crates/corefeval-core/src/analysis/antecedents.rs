//! Counts wrong antecedents by their words.

use super::results::WrongAntecedent;
use crate::model::{Column, NameNumbers};

/// Wrong links by the words of their mentions.
#[derive(Clone, Debug, Default)]
pub(super) struct WrongAntecedents {
    /// The words of mentions, by number.
    texts: Column,
    numbers: NameNumbers,
    /// The antecedent and the anaphor of each link.
    links: Vec<[u32; 2]>,
}

impl WrongAntecedents {
    /// Counts a wrong link between the texts with these numbers.
    pub(super) fn count(&mut self, antecedent: u32, anaphor: u32) {
        self.links.push([antecedent, anaphor]);
    }

    /// Returns the number of a text; a new text gets the next number.
    pub(super) fn number(&mut self, text: &str) -> u32 {
        let (texts, next) = (&self.texts, self.texts.len() as u32);
        let known = |number: u32| texts.get(number as usize).unwrap_or_default();
        let number = self.numbers.number(text, next, known);
        if number == next {
            self.texts.push(text);
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

    /// Returns, for each text, the number of links with it as their antecedent.
    fn errors(&self) -> Vec<u64> {
        let mut errors = vec![0; self.texts.len()];
        self.links.iter().for_each(|link| errors[link[0] as usize] += 1);
        errors
    }
}

/// Returns the `most` most frequent wrong antecedents of all parts of the documents, each with its most frequent
/// anaphor. Ties are alphabetical.
pub(super) fn most_frequent(parts: &[WrongAntecedents], most: usize) -> Vec<WrongAntecedent> {
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
    let anaphors = anaphors(parts, &found);
    let rows = found.iter().zip(anaphors).map(|(&(errors, text), (anaphor, with_anaphor))| WrongAntecedent {
        antecedent: text.to_owned(),
        errors,
        anaphor: anaphor.to_owned(),
        with_anaphor,
    });
    rows.collect()
}

/// Returns the most frequent anaphor of each antecedent, with the number of its links.
fn anaphors<'p>(parts: &'p [WrongAntecedents], antecedents: &[(u64, &str)]) -> Vec<(&'p str, u64)> {
    let mut links: Vec<(usize, &str)> = Vec::new();
    for part in parts {
        let mut rows = vec![usize::MAX; part.texts.len()];
        for (row, (_, antecedent)) in antecedents.iter().enumerate() {
            part.find(antecedent).into_iter().for_each(|number| rows[number as usize] = row);
        }
        let wanted = part.links.iter().map(|link| (rows[link[0] as usize], link[1]));
        let wanted = wanted.filter(|(row, _)| *row != usize::MAX);
        links.extend(wanted.map(|(row, anaphor)| (row, part.text(anaphor))));
    }
    links.sort_unstable();
    let mut most = vec![("", 0); antecedents.len()];
    for same in links.chunk_by(|a, b| a == b) {
        let (row, anaphor) = same[0];
        // The first in alphabetical order wins ties.
        if same.len() as u64 > most[row].1 {
            most[row] = (anaphor, same.len() as u64);
        }
    }
    most
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
        count(&mut one, "anna", "she");
        count(&mut other, "the ferry", "the boat");
        count(&mut other, "berlin", "it");
        count(&mut other, "berlin", "anna");
        let rows = most_frequent(&[one, other], 2);
        let row = |row: &WrongAntecedent| (row.antecedent.clone(), row.errors, row.anaphor.clone());
        assert_eq!(row(&rows[0]), ("berlin".to_owned(), 2, "anna".to_owned()));
        assert_eq!(row(&rows[1]), ("the ferry".to_owned(), 2, "it".to_owned()));
        assert!(rows.len() == 2 && rows.iter().all(|row| row.with_anaphor == 1));
    }

    #[test]
    fn parts_are_counted_like_one_list() {
        let mut random = 5_u64;
        let mut below = |count: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) % count
        };
        for _ in 0..200 {
            let mut parts = vec![WrongAntecedents::default(); 1 + below(4) as usize];
            let mut plain: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
            let words = 1 + below(30);
            for _ in 0..below(120) {
                let part = below(parts.len() as u64) as usize;
                let [antecedent, anaphor] = [0; 2].map(|_| format!("w{}", below(words) * below(3)));
                let link = [&antecedent, &anaphor].map(|text| parts[part].number(text));
                parts[part].count(link[0], link[1]);
                *plain.entry(antecedent).or_default().entry(anaphor).or_default() += 1;
            }
            let row = |(antecedent, anaphors): (&String, &BTreeMap<String, u64>)| {
                let most = anaphors.iter().max_by_key(|(text, count)| (**count, Reverse(*text)));
                let (anaphor, with_anaphor) = most.map(|(text, count)| (text.clone(), *count)).unwrap();
                (Reverse(anaphors.values().sum::<u64>()), antecedent.clone(), anaphor, with_anaphor)
            };
            let mut wanted: Vec<_> = plain.iter().map(row).collect();
            wanted.sort();
            let most = 1 + below(12) as usize;
            wanted.truncate(most);
            let found = most_frequent(&parts, most).into_iter();
            let found = found.map(|row| (Reverse(row.errors), row.antecedent, row.anaphor, row.with_anaphor));
            assert_eq!(found.collect::<Vec<_>>(), wanted);
        }
    }
}
