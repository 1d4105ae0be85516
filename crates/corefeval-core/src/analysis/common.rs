//! Finds the link errors that all of several systems make, and those that only one system makes.

use std::collections::BTreeMap;

use super::kinds::CorefErrorKind;
use super::results::{ErrorAnalysis, ErrorRow};
use crate::model::Side;

/// An error that several systems may make: document, anaphor and antecedent.
type LinkId = (u32, (u32, u32), (u32, u32));

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
    /// Compares the link errors of several systems. Their analyses must have rows and use the same key. Returns `None`
    /// for fewer than two systems.
    pub fn of(systems: &[ErrorAnalysis]) -> Option<CommonErrors> {
        (systems.len() > 1).then(|| CommonErrors {
            recall: CommonLinks::of(systems, CorefErrorKind::MissedLink),
            precision: CommonLinks::of(systems, CorefErrorKind::WrongLink),
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
    fn of(systems: &[ErrorAnalysis], kind: CorefErrorKind) -> CommonLinks {
        let mut makers: BTreeMap<LinkId, Vec<u32>> = BTreeMap::new();
        for (system, analysis) in (0..).zip(systems) {
            for row in analysis.rows.iter().filter(|row| row.kind == kind) {
                let makers = makers.entry(id_of(row)).or_default();
                if makers.last() != Some(&system) {
                    makers.push(system);
                }
            }
        }
        let mut found = CommonLinks {
            any: makers.len() as u64,
            total: vec![0; systems.len()],
            alone: vec![0; systems.len()],
            ..CommonLinks::default()
        };
        for (id, makers) in makers {
            makers.iter().for_each(|&system| found.total[system as usize] += 1);
            if let [only] = makers[..] {
                found.alone[only as usize] += 1;
            }
            if makers.len() == systems.len() {
                found.all += 1;
                found.shared.push(id);
            }
        }
        found
    }
}

/// Identifies a link error across systems: key mentions by their place, others by their words.
fn id_of(row: &ErrorRow) -> LinkId {
    let mention = |mention: &super::RowMention| match mention.side {
        Side::Key => (mention.place, mention.place),
        Side::Response => (mention.start, mention.end),
    };
    let anaphor = mention(&row.mention);
    (row.document, anaphor, row.other.as_ref().map_or(anaphor, mention))
}
