//! Stores tallies in few bytes, for rows of millions of documents.

use std::sync::Arc;

use crate::fraction::FractionSum;
use crate::tally::{Counts, Tally};

/// The packed tallies of a document. The metrics of a profile take about a hundred bytes. Copies share them.
///
/// ```
/// use corefeval_metrics::packed::PackedTallies;
/// use corefeval_metrics::tally::Tally;
/// let mut tally = Tally::default();
/// tally.first.add_integers((3, 4), (3, 5));
/// tally.first.recall_num.add_fraction(1, 3);
/// let packed = PackedTallies::new(&[tally, Tally::default()]);
/// let tallies = packed.unpack();
/// assert_eq!(tallies[0].first.recall_num.to_ratio(), Some((10, 3)));
/// assert_eq!(tallies.len(), 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackedTallies(Arc<[u8]>);

impl PackedTallies {
    /// Packs tallies.
    pub fn new(tallies: &[Tally]) -> PackedTallies {
        // Most tallies have four counts of one or two bytes.
        let mut bytes = Vec::with_capacity(16 * tallies.len());
        for tally in tallies {
            let has = |(place, sum): (usize, &FractionSum)| u8::from(!sum.is_zero()) << place;
            bytes.push(sums(tally).enumerate().map(has).sum());
            sums(tally).filter(|sum| !sum.is_zero()).for_each(|sum| sum.pack(&mut bytes));
        }
        PackedTallies(bytes.into())
    }

    /// Returns the packed bytes, which [`from_bytes`](Self::from_bytes) accepts.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Creates tallies from their packed bytes.
    pub fn from_bytes(bytes: &[u8]) -> PackedTallies {
        PackedTallies(bytes.into())
    }

    /// Returns the tallies, exactly as they were.
    pub fn unpack(&self) -> Vec<Tally> {
        let (mut bytes, mut tallies) = (&*self.0, Vec::new());
        while let Some(&has) = bytes.split_off_first() {
            let mut sums = (0..8).map(|place| match has >> place & 1 {
                0 => FractionSum::default(),
                _ => FractionSum::unpack(&mut bytes),
            });
            let mut next = || sums.next().unwrap_or_default();
            let mut counts = || Counts {
                recall_num: next(),
                recall_den: next(),
                precision_num: next(),
                precision_den: next(),
            };
            tallies.push(Tally { first: counts(), second: counts() });
        }
        tallies
    }
}

/// Returns the sums of both counts.
fn sums(tally: &Tally) -> impl Iterator<Item = &FractionSum> {
    [&tally.first, &tally.second].into_iter().flat_map(|counts| {
        [&counts.recall_num, &counts.recall_den, &counts.precision_num, &counts.precision_den]
    })
}
