//! Finds the link errors that all of several systems make, and those that only one system makes.

use super::kinds::CorefErrorKind;
use super::links::LinkId;
use super::results::{ErrorAnalysis, ErrorRow};

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
    /// The errors in ascending order, each with the number of systems that make it.
    makers: Vec<(LinkId, u32)>,
}

impl CommonErrors {
    /// Compares the link errors of several systems, whose analyses keep the data to compare
    /// ([`AnalysisTask::compared`](super::AnalysisTask::compared)) and use the same key. Returns `None` for fewer than two
    /// systems.
    pub fn of(systems: &[ErrorAnalysis]) -> Option<CommonErrors> {
        (systems.len() > 1).then(|| CommonErrors {
            recall: CommonLinks::of(systems.iter().map(|system| &system.compared.missed[..])),
            precision: CommonLinks::of(systems.iter().map(|system| &system.compared.wrong[..])),
        })
    }

    /// Returns the number of systems that make the error of a row; `None` for kinds of errors that are not compared.
    pub fn made_by(&self, row: &ErrorRow) -> Option<u32> {
        self.links(row.kind)?.made_by(row.link.as_deref()?)
    }

    /// Returns whether all systems make the error of a row.
    pub fn is_shared(&self, row: &ErrorRow) -> bool {
        self.made_by(row).is_some_and(|systems| systems as usize == self.recall.total.len())
    }

    /// Returns the errors of a kind, if it is compared.
    fn links(&self, kind: CorefErrorKind) -> Option<&CommonLinks> {
        match kind {
            CorefErrorKind::MissedLink => Some(&self.recall),
            CorefErrorKind::WrongLink => Some(&self.precision),
            _ => None,
        }
    }
}

impl CommonLinks {
    /// Compares lists of link errors, one of each system.
    fn of<'s>(systems: impl ExactSizeIterator<Item = &'s [LinkId]>) -> CommonLinks {
        let count = systems.len();
        let mut errors: Vec<(&LinkId, u32)> = Vec::new();
        for (system, links) in (0..).zip(systems) {
            errors.extend(links.iter().map(|link| (link, system)));
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
            }
            found.makers.push((makers[0].0.clone(), makers.len() as u32));
        }
        found
    }

    /// Returns the number of systems that make an error.
    fn made_by(&self, link: &LinkId) -> Option<u32> {
        let place = self.makers.binary_search_by(|made| made.0.cmp(link)).ok()?;
        Some(self.makers[place].1)
    }
}
