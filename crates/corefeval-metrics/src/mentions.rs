//! Mention identification.

use crate::aligned::AlignedEntities;
use crate::info::Variant;
use crate::metric::EntityMetric;
use crate::metric_info;
use crate::shares::{MentionShare, Share, of_cells};
use crate::tally::Tally;

metric_info! {
    /// # Mention identification
    ///
    /// ## What it measures
    ///
    /// The key mentions that the response found, regardless of their entities. It does not measure coreference, but is an
    /// upper bound for most metrics that do.
    ///
    /// ## Definition
    ///
    /// Recall = aligned mentions / distinct key mentions; precision = aligned mentions /
    /// distinct response mentions.
    ///
    /// ## Edge cases
    ///
    /// A side without mentions has denominator 0, and the score is undefined (a dash in tables). A mention that a side
    /// repeats counts once.
    ///
    /// ## Example
    ///
    /// Key `{a b c}`, response `{a b} {d}`: recall 2/3, precision 2/3.
    ///
    /// ## References
    ///
    /// `pradhan-2014`.
    ///
    /// ## Other scorers
    ///
    /// The reference scorer prints the same numbers before the results of each metric.
    pub static MENTIONS = {
        id: "mentions",
        label: "Mentions",
        aliases: &["mention"],
        summary: "mention identification: mentions in common",
        references: &["pradhan-2014"],
    }
}

/// Mention identification.
pub static METRIC: EntityMetric = EntityMetric {
    info: &MENTIONS,
    tally,
    shares: Some(MentionShare {
        summary: "1 if the other side has it, out of 1",
        shares: |pair, _, side| vec![of_cells(pair, side, |_| Share::ONE, |_| Share::ONE)],
    }),
    entity_score: Some("the share of its mentions that the response has"),
    ..EntityMetric::PLAIN
};

fn tally(pair: &AlignedEntities, _: &Variant, into: &mut Tally) {
    let mentions = pair.mentions();
    into.first.add_integers((mentions.shared, mentions.key), (mentions.shared, mentions.response));
}
