//! Counts wrong antecedents by their words. Words that differ only in case are the same antecedent, which is shown in its
//! most frequent spelling.

use super::items::{Grouped, NONE};
use super::results::WrongAntecedent;
use crate::model::{NameNumbers, TextColumn};
use crate::scratch::Scratch;

/// Wrong links by the words of their mentions.
#[derive(Clone, Debug, Default)]
pub(super) struct WrongAntecedents {
    /// The words of mentions as spelled, and in lower case, by number.
    texts: TextColumn,
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
    /// The number of antecedents of two or more wrong links; `rows` may have only some of them.
    pub(super) repeated: u64,
}

/// Returns the `most` most frequent wrong antecedents of all parts of the documents, each with its most frequent
/// anaphor. Ties are alphabetical.
pub(super) fn most_frequent(parts: &[WrongAntecedents], most: usize) -> FrequentAntecedents {
    let errors: Vec<Vec<u32>> = parts.iter().map(WrongAntecedents::errors).collect();
    // If one part alone has `most` antecedents with this many errors, every antecedent in the result has at least as
    // many, and in some part at least its share of them. The others need not be looked up in the other parts.
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
    let mut parts: Vec<LinksByRow<'_>> =
        parts.iter().map(|part| LinksByRow::new(part, antecedents)).collect();
    let row = |(row, antecedent): (u32, &(u32, &str))| {
        parts.iter_mut().for_each(|part| part.count(row));
        let (anaphor, with_anaphor) = most_frequent_anaphor(&parts);
        let mut spellings = [const { Vec::new() }; 2];
        for part in &parts {
            let number = part.part.find(anaphor);
            let mut of_part = [const { Vec::new() }; 2];
            for &[antecedent_spelled, anaphor_spelled] in part.links_of(row) {
                count(&mut of_part[0], antecedent_spelled, 1);
                if Some(part.part.lowered[anaphor_spelled as usize]) == number {
                    count(&mut of_part[1], anaphor_spelled, 1);
                }
            }
            for (all, of_part) in spellings.iter_mut().zip(of_part) {
                of_part.into_iter().for_each(|(times, number)| count(all, part.part.text(number), times));
            }
        }
        let [antecedent_spelled, anaphor] = spellings.map(|spellings| most_common(&spellings).to_owned());
        let errors = u64::from(u32::MAX - antecedent.0);
        WrongAntecedent { antecedent: antecedent_spelled, errors, anaphor, with_anaphor }
    };
    (0..).zip(antecedents).map(row).collect()
}

/// The links of one part of the documents to the most frequent antecedents, each of which is a row.
struct LinksByRow<'p> {
    part: &'p WrongAntecedents,
    /// The places of the links of each row.
    rows: Grouped,
    /// For each text in lower case, the number of links of the current row with it as their anaphor.
    counts: Scratch,
    /// The texts that `counts` has links of.
    anaphors: Scratch,
}

impl<'p> LinksByRow<'p> {
    fn new(part: &'p WrongAntecedents, antecedents: &[(u32, &str)]) -> LinksByRow<'p> {
        let mut row_of = Scratch::filled(NONE, part.lowered.len());
        for (row, (_, antecedent)) in (0..).zip(antecedents) {
            part.find(antecedent).into_iter().for_each(|number| row_of[number as usize] = row);
        }
        let rows = part.links.iter().map(|link| row_of[part.lowered[link[0] as usize] as usize]);
        LinksByRow {
            part,
            rows: Grouped::new(rows, antecedents.len()),
            counts: Scratch::filled(0, part.lowered.len()),
            anaphors: Scratch::new(),
        }
    }

    /// Returns the links of a row: the antecedent and the anaphor of each, as spelled.
    fn links_of(&self, row: u32) -> impl Iterator<Item = &'p [u32; 2]> {
        self.rows.of(row).iter().map(|&link| &self.part.links[link as usize])
    }

    /// Counts the anaphors of a row.
    fn count(&mut self, row: u32) {
        let (counts, anaphors, lowered) = (&mut self.counts, &mut self.anaphors, &self.part.lowered);
        anaphors.drain(..).for_each(|anaphor| counts[anaphor as usize] = 0);
        for &link in self.rows.of(row) {
            let anaphor = lowered[self.part.links[link as usize][1] as usize];
            if counts[anaphor as usize] == 0 {
                anaphors.push(anaphor);
            }
            counts[anaphor as usize] += 1;
        }
    }

    /// Returns the number of links of the current row with this anaphor.
    fn count_of(&self, anaphor: &str) -> u32 {
        self.part.find(anaphor).map_or(0, |number| self.counts[number as usize])
    }
}

/// Returns the most frequent anaphor of the current row in all parts, and its number of links. The first in
/// alphabetical order wins ties.
fn most_frequent_anaphor<'p>(parts: &[LinksByRow<'p>]) -> (&'p str, u64) {
    let in_part = |part: &LinksByRow<'p>| part.anaphors.iter().map(|&it| part.counts[it as usize]).max();
    // The anaphor has at least as many links as any has in one part alone, and in some part at least its share of them.
    let least = parts.iter().filter_map(in_part).max().unwrap_or(0);
    let share = least.div_ceil(parts.len().max(1) as u32);
    let mut most = ("", 0);
    for (place, part) in parts.iter().enumerate() {
        for &number in part.anaphors.iter().filter(|number| part.counts[**number as usize] >= share) {
            let text = part.part.text(number);
            let others = parts.iter().enumerate().filter(|(other, _)| *other != place);
            let elsewhere: u64 = others.map(|(_, other)| u64::from(other.count_of(text))).sum();
            let all = u64::from(part.counts[number as usize]) + elsewhere;
            if all > most.1 || all == most.1 && text < most.0 {
                most = (text, all);
            }
        }
    }
    most
}

/// Counts a spelling. Few words have more than two.
fn count<T: PartialEq>(spellings: &mut Vec<(u32, T)>, spelling: T, times: u32) {
    match spellings.iter_mut().find(|known| known.1 == spelling) {
        Some(known) => known.0 += times,
        None => spellings.push((times, spelling)),
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
