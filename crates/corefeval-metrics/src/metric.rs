//! The parts of a metric that compares entities.

use std::fmt;

use crate::Side;
use crate::aligned::{AlignedEntities, MentionCounts};
use crate::best_maps::{BestMaps, entity_bounds};
use crate::credited::{self, SplitRules};
use crate::fraction::FractionSum;
use crate::info::{MetricInfo, Variant};
use crate::overlap::pairs;
use crate::rules::Rules;
use crate::shares::{MentionShare, Shares, entity_scores};
use crate::similarity::Similarity;
use crate::tally::{Counts, RealTally, Score, Tally};

/// A metric that compares entities: a row of [`ENTITY_METRICS`](crate::ENTITY_METRICS).
///
/// It turns [`AlignedEntities`] into counts ([`Tally`]), which add up over documents, and counts into a [`Score`].
pub struct EntityMetric {
    /// The names, help and properties of the metric.
    pub info: &'static MetricInfo,
    /// Adds the counts of one document.
    pub(crate) tally: fn(&AlignedEntities, &Variant, &mut Tally),
    /// Computes the score of summed counts.
    pub(crate) score: fn(&RealTally, &Variant, &Rules) -> Score,
    /// Adds the counts that parts of a document miss, if no entity has mentions in several parts; `None` if the
    /// counts of a document are the sum of the counts of its parts.
    pub(crate) across: Option<fn(&PairsAcross, &mut Tally)>,
    /// The names of the two counts, if the metric has two that reports show.
    pub halves: Option<[&'static str; 2]>,
    /// The counts with split antecedents; `None` if they do not matter.
    pub(crate) splits: Option<SplitRules>,
    /// The contribution of a single mention to the counts; `None` if they are not sums over mentions.
    pub(crate) shares: Option<MentionShare>,
    /// The agreement expected by chance, which is subtracted from all four of the first counts; `None` if nothing is
    /// subtracted.
    pub(crate) chance: Option<fn(&Tally) -> FractionSum>,
    /// The definition of the score of a single key entity K, in one line; `None` if the metric has none. It
    /// follows from the shares.
    pub entity_score: Option<&'static str>,
    /// Computes the score that a better map could have, from a tally with bounds; `None` for metrics that are
    /// always exact.
    pub(crate) upper: Option<fn(&Tally) -> Option<Score>>,
    /// The similarity whose largest total determines the score of an entity; `None` if the metric does not use
    /// a map of entities.
    pub(crate) map: Option<Similarity>,
    /// The amount that an entity without mentions adds to a denominator in coval and the scorers of the e2e family,
    /// whose clusters may be empty: −1 if the denominator is Σ (|E| − 1). `None` for metrics that those scorers lack.
    pub(crate) empty_entity: Option<i64>,
    /// True if a singleton has a link to itself, which is shared only with a singleton of the other side.
    pub(crate) self_links: bool,
}

/// The numbers of pairs of mentions in documents that are not within any of their parts.
///
/// Parts of several documents may be counted as one. Numbers may then be negative, because the whole also has pairs of
/// mentions from different documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairsAcross {
    /// The number of pairs of key mentions.
    pub key: i128,
    /// The number of pairs of response mentions.
    pub response: i128,
    /// The number of pairs of mentions that both sides have.
    pub shared: i128,
}

impl PairsAcross {
    /// Adds the pairs of a document's mentions.
    pub fn add(&mut self, document: MentionCounts) {
        self.change(document, 1);
    }

    /// Subtracts the pairs of a part's mentions.
    pub fn subtract(&mut self, part: MentionCounts) {
        self.change(part, -1);
    }

    fn change(&mut self, MentionCounts { key, response, shared }: MentionCounts, sign: i128) {
        self.key += sign * i128::from(pairs(key));
        self.response += sign * i128::from(pairs(response));
        self.shared += sign * i128::from(pairs(shared));
    }
}

impl EntityMetric {
    /// A metric whose score follows from its first counts, with none of the optional parts.
    pub(crate) const PLAIN: EntityMetric = EntityMetric {
        info: &MetricInfo::PLAIN,
        tally: |_, _, _| {},
        score: first_counts_score,
        across: None,
        halves: None,
        splits: None,
        shares: None,
        chance: None,
        entity_score: None,
        upper: None,
        map: None,
        empty_entity: None,
        self_links: false,
    };

    /// Adds the counts of one document to `into`.
    pub fn tally(&self, pair: &AlignedEntities, variant: &Variant, into: &mut Tally) {
        match (pair.splits(), &self.splits) {
            (Some(found), Some(rules)) => credited::tally(variant, rules, pair, found, into),
            _ => (self.tally)(pair, variant, into),
        }
    }

    /// Adds the counts that the parts of documents lack, so that the sum equals the counts of [`tally`](Self::tally)
    /// over the documents. A part consists of whole entities of both sides that share no mention with other entities.
    /// Split antecedents cannot be divided in this way.
    pub fn tally_across(&self, pairs: &PairsAcross, into: &mut Tally) {
        if let Some(across) = self.across {
            across(pairs, into);
        }
    }

    /// Returns the score of summed counts.
    pub fn score(&self, tally: &RealTally, variant: &Variant, rules: &Rules) -> Score {
        (self.score)(tally, variant, rules)
    }

    /// Returns the upper bound of a score whose tally was counted within a
    /// [`CeafBound`](crate::CeafBound). In this case, [`score`](Self::score) is the lower bound.
    /// Returns `None` if the score is exact.
    pub fn upper_score(&self, tally: &Tally) -> Option<Score> {
        self.upper.and_then(|upper| upper(tally))
    }

    /// Returns whether a singleton counts as a link to itself, which is shared only with a singleton of the other side.
    pub fn has_self_links(&self) -> bool {
        self.self_links
    }

    /// Returns whether the metric pairs the entities of both sides by a best map, as CEAF does.
    pub fn maps_entities(&self) -> bool {
        self.map.is_some()
    }

    /// Returns the contribution of a single mention. Returns `None` if scores do not follow from sums over mentions, as
    /// with weights by type and [beyond chance](Self::chance).
    ///
    /// CEAF's shares come from one best map of the entities. If several maps are equally good, mentions may have larger
    /// shares in another map; only the sums are equal. Split antecedents have no shares.
    pub fn mention_share(&self, variant: &Variant) -> Option<&MentionShare> {
        self.counted_share(variant).filter(|_| self.chance.is_none())
    }

    /// Returns the contribution of a single mention to the counts, before the agreement [expected by
    /// chance](Self::chance) is subtracted; `None` if counts are not sums over mentions.
    pub fn counted_share(&self, variant: &Variant) -> Option<&MentionShare> {
        self.shares.as_ref().filter(|_| !variant.uses_weights() && !variant.credits_words())
    }

    /// Returns, for each pair of counts, the contribution of each mention of a side; empty without
    /// [`mention_share`](Self::mention_share).
    pub fn shares(&self, pair: &AlignedEntities, variant: &Variant, side: Side) -> Vec<Shares> {
        self.mention_share(variant).map(|row| (row.shares)(pair, variant, side)).unwrap_or_default()
    }

    /// Returns, for each pair of counts, the contribution of each mention of a side, before the agreement expected by
    /// chance is subtracted; empty without [`counted_share`](Self::counted_share).
    pub fn counted_shares(&self, pair: &AlignedEntities, variant: &Variant, side: Side) -> Vec<Shares> {
        self.counted_share(variant).map(|row| (row.shares)(pair, variant, side)).unwrap_or_default()
    }

    /// Returns whether the score measures agreement [beyond chance](Self::chance).
    pub fn is_above_chance(&self) -> bool {
        self.chance.is_some()
    }

    /// Returns the agreement expected by chance, which is subtracted from numerators and denominators of the first
    /// counts, so that recall and precision are ratios of the rest. Returns `None` if nothing is subtracted.
    pub fn chance(&self, tally: &Tally) -> Option<FractionSum> {
        self.chance.map(|chance| chance(tally))
    }

    /// Returns the score of each key entity: its share in recall, without the weight of the entity, so that
    /// parameters that weight entities do not matter. The score is `None` for an entity without counts; the list is
    /// empty without [`entity_score`](Self::entity_score). Split antecedents count as members that the response did
    /// not find.
    pub fn entity_scores(&self, pair: &AlignedEntities) -> Vec<Option<f64>> {
        let shares = self.entity_score.map(|_| self.shares(pair, &Variant::new(self.info), Side::Key));
        match shares.as_deref() {
            Some([shares]) => entity_scores(pair, shares),
            _ => Vec::new(),
        }
    }

    /// Returns the amount that an entity without mentions adds to a denominator in coval and the scorers of the e2e
    /// family, whose clusters may be empty; `None` if those scorers lack the metric or this variant of it.
    pub fn empty_entity(&self, variant: &Variant) -> Option<i64> {
        self.empty_entity.filter(|_| variant.is_plain())
    }

    /// Returns the best maps of the entities; `None` unless the metric [pairs](Self::maps_entities) them.
    pub fn best_maps(&self, pair: &AlignedEntities) -> Option<BestMaps> {
        self.map.map(|similarity| BestMaps::of(pair, similarity))
    }

    /// Returns the lowest and the highest score of each key entity over all best maps; CEAF may have several. For all
    /// other metrics both are [the score](Self::entity_scores).
    pub fn entity_bounds(&self, pair: &AlignedEntities) -> Vec<Option<[f64; 2]>> {
        let scores = self.entity_scores(pair);
        match self.map {
            Some(similarity) if self.entity_score.is_some() => {
                let bounds = entity_bounds(pair, similarity).into_iter();
                scores.iter().zip(bounds).map(|(score, bounds)| score.map(|_| bounds)).collect()
            }
            _ => scores.into_iter().map(|score| score.map(|score| [score; 2])).collect(),
        }
    }
}

impl fmt::Debug for EntityMetric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EntityMetric").field("id", &self.info.id).finish_non_exhaustive()
    }
}

/// Returns the score of metrics with one pair of counts, which consists of their ratios.
pub(crate) fn first_counts_score(tally: &RealTally, _: &Variant, _: &Rules) -> Score {
    tally.first.score()
}

/// Adds the denominators of metrics that weight entities by their mentions or, if `uniform`, equally.
pub(crate) fn add_sizes(pair: &AlignedEntities, uniform: bool, counts: &mut Counts) {
    let (recall, precision) = (pair.recall_view(), pair.precision_view());
    let (key, response) = match uniform {
        true => (recall.key_sizes().len() as u64, precision.response_sizes().len() as u64),
        false => (recall.key_mentions(), precision.response_mentions()),
    };
    counts.add_integers((0, key), (0, response));
}
