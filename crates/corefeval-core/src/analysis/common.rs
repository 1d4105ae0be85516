//! Finds the link errors that all of several systems make, and those that only one system makes.

use super::items::{Aligned, Item};
use super::kinds::CorefErrorKind;
use super::links::{LinkError, Links};
use super::results::{ErrorAnalysis, ErrorRow};
use super::rows::place_on;
use crate::model::Side;

/// An error that several systems may make: document, anaphor and antecedent.
type LinkId = (u32, (u32, u32), (u32, u32));

/// The link errors of one system, for comparison with others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ComparedLinks {
    missed: Vec<LinkId>,
    wrong: Vec<LinkId>,
}

impl ComparedLinks {
    /// Adds the link errors of a document.
    pub(super) fn add(&mut self, document: u32, linked: &Aligned<'_>, links: &Links) {
        let id = |side: Side, error: &LinkError| {
            let mention = |item: u32| {
                let item: &Item = &linked.items[item as usize];
                let span = linked.mention_on(side, item).span();
                numbers_of(side, place_on(side, item), (span.start(), span.end()))
            };
            (document, mention(error.anaphor), mention(error.antecedent))
        };
        self.missed.extend(links.missing.iter().map(|error| id(Side::Key, error)));
        self.wrong.extend(links.wrong.iter().map(|error| id(Side::Response, error)));
    }

    /// Adds the link errors of other documents.
    pub(super) fn append(&mut self, other: ComparedLinks) {
        self.missed.extend(other.missed);
        self.wrong.extend(other.wrong);
    }
}

/// The link errors of several systems.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommonErrors {
    /// Missed links. Their antecedents depend only on the key, so a missed link is the same error in all systems.
    pub recall: CommonLinks,
    /// Wrong links: the same anaphor with the same antecedent.
    pub precision: CommonLinks,
}

/// The link errors of one side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommonLinks {
    /// Errors that some system makes.
    pub any: u64,
    /// Errors that all systems make.
    pub all: u64,
    /// The number of errors of each system.
    pub total: Vec<u64>,
    /// The number of errors that only this system makes, for each system.
    pub alone: Vec<u64>,
    /// The errors that all systems make.
    shared: Vec<LinkId>,
}

impl CommonErrors {
    /// Compares the link errors of several systems, whose analyses keep what is compared
    /// ([`AnalysisTask::compared`](super::AnalysisTask::compared)) and use the same key. Returns `None` for fewer than two
    /// systems.
    pub fn of(systems: &[ErrorAnalysis]) -> Option<CommonErrors> {
        (systems.len() > 1).then(|| CommonErrors {
            recall: CommonLinks::of(systems.iter().map(|system| &system.compared.missed[..])),
            precision: CommonLinks::of(systems.iter().map(|system| &system.compared.wrong[..])),
        })
    }

    /// Returns whether all systems make the error of a row.
    pub fn is_shared(&self, row: &ErrorRow) -> bool {
        let links = match row.kind {
            CorefErrorKind::MissedLink => &self.recall,
            CorefErrorKind::WrongLink => &self.precision,
            _ => return false,
        };
        links.shared.binary_search(&id_of(row)).is_ok()
    }
}

impl CommonLinks {
    /// Compares lists of link errors, one of each system.
    fn of<'s>(systems: impl ExactSizeIterator<Item = &'s [LinkId]>) -> CommonLinks {
        let count = systems.len();
        let mut errors: Vec<(LinkId, u32)> = Vec::new();
        for (system, links) in (0..).zip(systems) {
            errors.extend(links.iter().map(|link| (*link, system)));
        }
        errors.sort_unstable();
        errors.dedup();
        let mut found =
            CommonLinks { total: vec![0; count], alone: vec![0; count], ..CommonLinks::default() };
        for makers in errors.chunk_by(|one, other| one.0 == other.0) {
            found.any += 1;
            makers.iter().for_each(|&(_, system)| found.total[system as usize] += 1);
            if let [(_, only)] = *makers {
                found.alone[only as usize] += 1;
            }
            if makers.len() == count {
                found.all += 1;
                found.shared.push(makers[0].0);
            }
        }
        found
    }
}

/// Returns the numbers that identify a mention across systems: its place in the key, or its words.
fn numbers_of(side: Side, place: u32, words: (u32, u32)) -> (u32, u32) {
    match side {
        Side::Key => (place, place),
        Side::Response => words,
    }
}

/// Identifies the link error of a row across systems.
fn id_of(row: &ErrorRow) -> LinkId {
    let mention =
        |mention: &super::RowMention| numbers_of(mention.side, mention.place, (mention.start, mention.end));
    let anaphor = mention(&row.mention);
    (row.document, anaphor, row.other.as_ref().map_or(anaphor, mention))
}
