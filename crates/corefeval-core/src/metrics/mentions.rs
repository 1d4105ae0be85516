//! Mention identification.

use super::{Kind, Metric, MetricSpec, Rules};
use crate::overlap::AlignedPair;
use crate::tally::{RealTally, Score, Tally};

/// # Mention identification
///
/// What it measures: how many of the key's mentions the response found, whatever entity it put
/// them in. No measure of coreference, but an upper bound of most that are.
///
/// Definition: recall = aligned mentions / distinct key mentions; precision = aligned mentions /
/// distinct response mentions.
///
/// Edge cases: a side without mentions has the denominator 0 and the score 0. A mention that a side
/// repeats counts once.
///
/// Example: key `{a b c}`, response `{a b} {d}`: recall 2/3, precision 2/3.
///
/// References: pradhan-2014.
///
/// Other scorers: the reference scorer prints the same figures before those of each metric.
pub(super) const SPEC: MetricSpec = MetricSpec {
    id: "mentions",
    label: "Mentions",
    summary: "mention identification: mentions in common",
    references: &["pradhan-2014"],
    parameters: &[],
    kind: Kind::Counted { tally, score, halves: None, splits: None },
};

fn tally(pair: &AlignedPair, _: &Metric, into: &mut Tally) {
    let mentions = pair.mentions();
    into.first.add_integers((mentions.shared, mentions.key), (mentions.shared, mentions.response));
}

fn score(tally: &RealTally, _: &Metric, _: &Rules) -> Score {
    tally.first.score()
}
