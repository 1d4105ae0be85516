//! The parts of a metric that compares entities.

use std::fmt;

use crate::Side;
use crate::aligned::AlignedEntities;
use crate::credited::{self, SplitRules};
use crate::info::{MetricInfo, Variant};
use crate::rules::Rules;
use crate::shares::{MentionShare, Shares, entity_scores};
use crate::tally::{Counts, RealTally, Score, Tally};

/// A metric that compares entities: a row of [`ENTITY_METRICS`](crate::ENTITY_METRICS).
///
/// It turns [`AlignedEntities`] into counts ([`Tally`]), which add up over documents, and counts into a [`Score`].
pub struct EntityMetric {
    /// The names, help and properties of the metric.
    pub info: &'static MetricInfo,
    /// Adds the counts of one document.
    pub(crate) tally: fn(&AlignedEntities, &Variant, &mut Tally),
    /// The score of summed counts.
    pub(crate) score: fn(&RealTally, &Variant, &Rules) -> Score,
    /// The names of the two counts, if there are two that reports show.
    pub halves: Option<[&'static str; 2]>,
    /// The counts with split antecedents; `None` if they do not matter.
    pub(crate) splits: Option<SplitRules>,
    /// The contribution of a single mention to the counts; `None` if they are not sums over mentions.
    pub(crate) shares: Option<MentionShare>,
    /// The score of a single key entity K, in a line; `None` if the metric has none. It follows from the shares.
    pub entity_score: Option<&'static str>,
}

impl EntityMetric {
    /// Adds the counts of one document to `into`.
    pub fn tally(&self, pair: &AlignedEntities, variant: &Variant, into: &mut Tally) {
        match (pair.splits(), &self.splits) {
            (Some(found), Some(rules)) => credited::tally(variant, rules, pair, found, into),
            _ => (self.tally)(pair, variant, into),
        }
    }

    /// The score of summed counts.
    pub fn score(&self, tally: &RealTally, variant: &Variant, rules: &Rules) -> Score {
        (self.score)(tally, variant, rules)
    }

    /// Returns the contribution of a single mention; `None` if counts are not sums over mentions, as with weights by type.
    ///
    /// CEAF's shares are those of one best map of the entities. If several maps are equally good, mentions may do
    /// better in another, and only the sums are the same. Split antecedents have no shares.
    pub fn mention_share(&self, variant: &Variant) -> Option<&MentionShare> {
        self.shares.as_ref().filter(|_| !variant.uses_weights() && !variant.credits_words())
    }

    /// Returns, for each pair of counts, the contribution of each mention of a side; empty without
    /// [`mention_share`](Self::mention_share).
    pub fn shares(&self, pair: &AlignedEntities, variant: &Variant, side: Side) -> Vec<Shares> {
        self.mention_share(variant).map(|row| (row.shares)(pair, variant, side)).unwrap_or_default()
    }

    /// The score of each key entity: its share in recall, without the weight of the entity, so that parameters which
    /// weigh entities do not matter. `None` for an entity that counts nothing, and no scores at all without
    /// [`entity_score`](Self::entity_score). Split antecedents count as members that nobody found.
    pub fn entity_scores(&self, pair: &AlignedEntities) -> Vec<Option<f64>> {
        let shares = self.entity_score.map(|_| self.shares(pair, &Variant::new(self.info), Side::Key));
        match shares.as_deref() {
            Some([shares]) => entity_scores(pair, shares),
            _ => Vec::new(),
        }
    }
}

impl fmt::Debug for EntityMetric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EntityMetric").field("id", &self.info.id).finish_non_exhaustive()
    }
}

/// The score of metrics that have one pair of counts: their ratios.
pub(crate) fn first_counts_score(tally: &RealTally, _: &Variant, _: &Rules) -> Score {
    tally.first.score()
}

/// Adds the denominators of metrics that weigh entities by their mentions, or (`uniform`) all alike.
pub(crate) fn add_sizes(pair: &AlignedEntities, uniform: bool, counts: &mut Counts) {
    let (recall, precision) = (pair.recall_view(), pair.precision_view());
    let (key, response) = match uniform {
        true => (recall.key_sizes().len() as u64, precision.response_sizes().len() as u64),
        false => (recall.key_mentions(), precision.response_mentions()),
    };
    counts.add_integers((0, key), (0, response));
}
