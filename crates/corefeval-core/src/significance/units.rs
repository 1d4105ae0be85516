//! Groups documents into resampling units. Parts of one document, and documents of one topic or file, depend on each
//! other; drawn one by one, they would overstate the evidence.

use std::collections::BTreeMap;

use super::works::works;
use crate::choice::{Choice, choice};
use crate::diagnostic::{Code, Diagnostics};
use crate::error::{Error, ErrorKind, Result};
use crate::model::Document;
use crate::pairing::DocumentPair;
use crate::wording::{option_value, plural, text};

choice! {
    /// The resampling unit.
    ResamplingUnit {
        Part = "part" "each part of a document separately, as if it were independent of the others",
        #[default]
        Document = "document" "documents, each with all its parts",
        Topic = "topic" "the documents of a topic together; a document without one is drawn alone",
        File = "file" "the documents of a file of the key together",
    }
}

impl ResamplingUnit {
    /// Returns the name in the singular or plural: `document`, `documents`.
    pub fn noun(self, several: bool) -> String {
        let one = self.id();
        if several { format!("{one}s") } else { one.to_owned() }
    }

    /// Returns the name of the units in which a corpus is counted. Parts of documents are not called documents.
    pub fn counted(self) -> &'static str {
        if self == ResamplingUnit::Part { "part" } else { "document" }
    }
}

/// The unit of each document of a corpus.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResamplingUnits {
    of: Vec<usize>,
    number: usize,
}

impl ResamplingUnits {
    /// Makes each document a separate unit.
    pub fn single(documents: usize) -> ResamplingUnits {
        ResamplingUnits { of: (0..documents).collect(), number: documents }
    }

    /// Returns the units of the documents of a key, numbered in the order of their first documents. Warns about ids that
    /// look like parts of one work. A single document of several parts is one unit, which only [`check`](Self::check)
    /// rejects: like a document without parts, it has scores and agreement, but no intervals.
    ///
    /// # Errors
    ///
    /// Topics are requested and no document has one; several documents all belong to one topic or file.
    pub fn of(
        pairs: &[DocumentPair<'_>],
        unit: ResamplingUnit,
        diagnostics: &mut Diagnostics,
    ) -> Result<ResamplingUnits> {
        let has_topic = |pair: &DocumentPair<'_>| topic(pair).is_some();
        if unit == ResamplingUnit::Topic && !pairs.is_empty() && !pairs.iter().any(has_topic) {
            let message = text!("{} needs topics, and no document has one", option_value("unit", "topic"));
            return Err(Error::new(ErrorKind::Settings, message)
                .at(pairs[0].key.position())
                .hint(text!("use {}", option_value("unit", "document"))));
        }
        let units = ResamplingUnits::by(pairs.iter().enumerate().map(|(place, pair)| {
            let id = pair.key.id();
            match unit {
                ResamplingUnit::Document if id.part().is_some() => UnitLabel::Named(id.name().to_owned()),
                ResamplingUnit::Topic => {
                    topic(pair).map_or(UnitLabel::Place(place), |topic| UnitLabel::Named(topic.to_owned()))
                }
                ResamplingUnit::File => UnitLabel::Named(pair.key.source().to_string()),
                ResamplingUnit::Part | ResamplingUnit::Document => UnitLabel::Place(place),
            }
        }));
        if unit != ResamplingUnit::Document {
            units.check(unit, pairs)?;
        }
        units.warn_works(pairs, diagnostics);
        Ok(units)
    }

    fn by(labels: impl Iterator<Item = UnitLabel>) -> ResamplingUnits {
        let mut known: BTreeMap<UnitLabel, usize> = BTreeMap::new();
        let number = |label: UnitLabel| {
            let next = known.len();
            *known.entry(label).or_insert(next)
        };
        let of: Vec<usize> = labels.map(number).collect();
        ResamplingUnits { number: known.len(), of }
    }

    /// Returns the number of units.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Returns, for each document, the number of its unit.
    pub fn of_documents(&self) -> &[usize] {
        &self.of
    }

    /// Describes the units in words: `348 documents`, or `222 documents with 348 parts`.
    pub fn described(&self, unit: ResamplingUnit) -> String {
        described(self.of.len(), self.number, unit)
    }

    /// Returns whether each document is drawn separately.
    pub fn are_single(&self) -> bool {
        self.number == self.of.len()
    }

    /// Returns the units of the documents at the given places.
    pub fn only(&self, places: impl Iterator<Item = usize>) -> ResamplingUnits {
        ResamplingUnits::by(
            places.map(|place| UnitLabel::Place(self.of.get(place).copied().unwrap_or(place))),
        )
    }

    /// Returns the units of both sets of documents, which are drawn separately.
    pub fn then(mut self, others: &ResamplingUnits) -> ResamplingUnits {
        self.of.extend(others.of.iter().map(|unit| self.number + unit));
        self.number += others.number;
        self
    }

    /// Checks that several documents are not all in one unit, which could not be resampled.
    ///
    /// # Errors
    ///
    /// Several documents are all in one unit.
    pub fn check(&self, unit: ResamplingUnit, pairs: &[DocumentPair<'_>]) -> Result<()> {
        if self.number != 1 || self.of.len() < 2 {
            return Ok(());
        }
        let message = text!(
            "all {} belong to one {}, but resampling needs at least two",
            match unit {
                ResamplingUnit::Document => format!("{} parts", self.of.len()),
                _ => format!("{} documents", self.of.len()),
            },
            unit.noun(false)
        );
        let smaller =
            if unit == ResamplingUnit::Document { ResamplingUnit::Part } else { ResamplingUnit::Document };
        let error = Error::new(ErrorKind::Pairing, message).hint(text!(
            "use {} if they were written and annotated independently",
            option_value("unit", smaller.id())
        ));
        Err(match pairs.first() {
            Some(pair) => error.at(pair.key.position()),
            None => error,
        })
    }

    /// Warns about units that seem to belong to one work, by ids such as `emma_chapter_1` and `emma_chapter_2`.
    fn warn_works(&self, pairs: &[DocumentPair<'_>], diagnostics: &mut Diagnostics) {
        let works = works(pairs.iter().map(|pair| pair.key.id().name()));
        let by_unit = |places: Vec<usize>| -> BTreeMap<usize, &Document> {
            // The first document of each unit.
            places.iter().rev().map(|&place| (self.of[place], pairs[place].key)).collect()
        };
        let several: Vec<_> = works.into_iter().map(by_unit).filter(|units| units.len() > 1).collect();
        let Some(first) = several.first().and_then(|units| units.values().next()) else { return };
        let parts: usize = several.iter().map(|units| units.len()).sum();
        diagnostics.add(Code::PartsOfOneWork, Some(first.position()), Some(first.id().to_string()), || {
            let works = several.len();
            let of = if works == 1 { "one work".to_owned() } else { format!("{works} works") };
            format!("judging by their ids, {parts} documents are parts of {of}, but they are drawn as if independent")
        });
    }
}

/// Describes the units of a number of documents in words.
pub fn described(documents: usize, units: usize, unit: ResamplingUnit) -> String {
    let count = |number: usize, one: &str| plural(number, one, &format!("{one}s"));
    if documents == units {
        return count(documents, unit.counted());
    }
    let parts = if unit == ResamplingUnit::Document { "part" } else { "document" };
    format!("{} with {}", count(units, unit.id()), count(documents, parts))
}

/// The common property of the documents of a unit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum UnitLabel {
    Named(String),
    Place(usize),
}

fn topic<'d>(pair: &DocumentPair<'d>) -> Option<&'d str> {
    pair.key.topic().or_else(|| pair.response?.topic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_numbered_by_their_first_documents() {
        let label = |name: &str| UnitLabel::Named(name.to_owned());
        let units =
            ResamplingUnits::by([label("b"), label("a"), label("b"), UnitLabel::Place(3)].into_iter());
        assert_eq!((units.of_documents(), units.number()), (&[0, 1, 0, 2][..], 3));
        let only = units.only([1, 2].into_iter());
        assert_eq!((only.of_documents(), only.number()), (&[0, 1][..], 2));
        let both = only.then(&ResamplingUnits::single(2));
        assert_eq!((both.of_documents(), both.number()), (&[0, 1, 2, 3][..], 4));
    }
}
