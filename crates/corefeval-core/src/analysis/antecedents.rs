//! Counts wrong antecedents by their words.

use std::cmp::Reverse;

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

    /// Combines these links with the links of other documents.
    pub(super) fn with(mut self, others: &[WrongAntecedents]) -> WrongAntecedents {
        for other in others {
            let numbers: Vec<u32> = other.texts.iter().map(|text| self.number(text)).collect();
            self.links.extend(other.links.iter().map(|link| link.map(|number| numbers[number as usize])));
        }
        self
    }

    /// Returns the `most` most frequent antecedents, each with its most frequent anaphor. Ties are alphabetical.
    pub(super) fn most_frequent(mut self, most: usize) -> Vec<WrongAntecedent> {
        let mut links = std::mem::take(&mut self.links);
        let mut counts = vec![0u64; self.texts.len()];
        links.iter().for_each(|link| counts[link[0] as usize] += 1);
        let text = |number: u32| self.texts.get(number as usize).unwrap_or_default();
        let order = |&(errors, antecedent): &(u64, u32)| (Reverse(errors), text(antecedent));
        let mut rows: Vec<(u64, u32)> = counts.iter().copied().zip(0..).filter(|row| row.0 > 0).collect();
        if most < rows.len() {
            rows.select_nth_unstable_by_key(most, order);
            rows.truncate(most);
        }
        rows.sort_unstable_by_key(order);
        // Only the anaphors of these antecedents are counted.
        counts.fill(0);
        rows.iter().for_each(|row| counts[row.1 as usize] = row.0);
        links.retain(|link| counts[link[0] as usize] > 0);
        links.sort_unstable();
        let row = |(errors, antecedent): (u64, u32)| {
            let first = links.partition_point(|link| link[0] < antecedent);
            let anaphors = links[first..][..errors as usize].chunk_by(|a, b| a == b);
            let anaphors = anaphors.map(|links| (links.len() as u64, links[0][1]));
            let most = anaphors.max_by_key(|&(count, anaphor)| (count, Reverse(text(anaphor))));
            let (with_anaphor, anaphor) = most.unwrap_or_default();
            WrongAntecedent {
                antecedent: text(antecedent).to_owned(),
                errors,
                anaphor: text(anaphor).to_owned(),
                with_anaphor,
            }
        };
        rows.into_iter().map(row).collect()
    }
}

#[cfg(test)]
mod tests {
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
        let rows: Vec<_> = one.with(&[other]).most_frequent(2).into_iter().collect();
        let row = |row: &WrongAntecedent| (row.antecedent.clone(), row.errors, row.anaphor.clone());
        assert_eq!(row(&rows[0]), ("berlin".to_owned(), 2, "anna".to_owned()));
        assert_eq!(row(&rows[1]), ("the ferry".to_owned(), 2, "it".to_owned()));
        assert!(rows.len() == 2 && rows.iter().all(|row| row.with_anaphor == 1));
    }
}
