//! Rand and adjusted Rand, over the mentions that both sides have.

use crate::Side;
use crate::aligned::AlignedEntities;
use crate::fraction::FractionSum;
use crate::info::Variant;
use crate::metric::{EntityMetric, PairsAcross};
use crate::metric_info;
use crate::overlap::{Overlap, OverlapCell, View, pairs};
use crate::rules::Rules;
use crate::shares::{All, MentionShare, Share, Shares, apart_on_both, of_view};
use crate::tally::{Counts, RealTally, Score, Tally};

metric_info! {
    /// # Rand
    ///
    /// ## What it measures
    ///
    /// The share of pairs of common mentions on which key and response agree, coreferent or not.
    ///
    /// ## Definition
    ///
    /// (pairs together on both sides + pairs apart on both sides) / pairs, over the mentions
    /// that both sides have; summed over documents, pairs within a document only. Recall, precision and
    /// F1 are this one number.
    ///
    /// ## Edge cases
    ///
    /// The score is 0 if every document has fewer than two common mentions. Mentions that one side lacks do not count
    /// at all, so report the metric together with `mentions`.
    ///
    /// ## Example
    ///
    /// Key `{a b} {c}`, response `{a} {b c}`: of three pairs only a-c agrees: 1/3.
    ///
    /// ## References
    ///
    /// `rand-1971`; `recasens-hovy-2011` for its use on coreference.
    ///
    /// ## Other scorers
    ///
    /// Scikit-learn's `rand_score` on the labels of the common mentions.
    pub static RAND = {
        id: "rand",
        label: "Rand",
        aliases: &["rand_index"],
        summary: "pairs of common mentions on which both sides agree",
        references: &["rand-1971", "recasens-hovy-2011"],
    }
}

pub(crate) static RAND_METRIC: EntityMetric = EntityMetric {
    info: &RAND,
    tally: tally_rand,
    across: Some(across_rand),
    shares: Some(MentionShare {
        summary: "half of its pairs with common mentions on which both sides agree, out of half of all its pairs \
        with common mentions; only common mentions count",
        shares,
    }),
    ..EntityMetric::PLAIN
};

metric_info! {
    /// # Adjusted Rand
    ///
    /// ## What it measures
    ///
    /// Agreement on pairs of common mentions beyond chance.
    ///
    /// ## Definition
    ///
    /// With I the pairs together on both sides, A the pairs together in the key, B in the response, N all pairs (of
    /// common mentions, within documents, summed) and E = A·B/N: F1 = (I − E) / ((A + B)/2 − E), Hubert and Arabie's
    /// index. Recall (I − E) / (A − E) and precision (I − E) / (B − E) are the adjusted Wallace coefficients. The index
    /// is their harmonic mean.
    ///
    /// ## Edge cases
    ///
    /// At most 1; negative below chance. A ratio with denominator 0 (all pairs together, or none, on a side) is 0.
    ///
    /// ## Example
    ///
    /// Key `{a b} {c d}`, response `{a b} {c} {d}`: I = 1, A = 2, B = 1, N = 6, E = 1/3; recall
    /// 0.4, precision 1, F1 4/7.
    ///
    /// ## References
    ///
    /// `hubert-arabie-1985`; `wallace-1983`.
    ///
    /// ## Other scorers
    ///
    /// Scikit-learn's `adjusted_rand_score` on one document, except for 0/0, which is 1 there.
    pub static ADJUSTED_RAND = {
        id: "adjusted_rand",
        label: "Adjusted Rand",
        aliases: &["ari", "adjusted_rand_index"],
        summary: "agreement on pairs of common mentions beyond chance",
        references: &["hubert-arabie-1985", "wallace-1983"],
    }
}

pub(crate) static ADJUSTED_RAND_METRIC: EntityMetric = EntityMetric {
    info: &ADJUSTED_RAND,
    tally: tally_adjusted,
    score: score_adjusted,
    across: Some(across_adjusted),
    shares: Some(MentionShare {
        summary: "half of its pairs with common mentions of E that are together on the other side, out of half of \
        all such pairs in E; only common mentions count",
        shares: shares_together,
    }),
    chance: Some(together_by_chance),
    ..EntityMetric::PLAIN
};

/// The numbers of pairs of common mentions: of all pairs, and of pairs that corefer.
pub(crate) struct CommonPairs {
    all: u64,
    key: u64,
    response: u64,
    pub(crate) both: u64,
}

impl CommonPairs {
    pub(crate) fn of(overlap: &Overlap) -> CommonPairs {
        CommonPairs {
            all: pairs(overlap.shared_mentions()),
            key: overlap.key_shared().map(|count| pairs(count.into())).sum(),
            response: overlap.response_shared().iter().map(|&count| pairs(count.into())).sum(),
            both: overlap.cells().iter().map(|cell| pairs(cell.shared.into())).sum(),
        }
    }

    /// Returns the number of pairs that corefer on neither side.
    pub(crate) fn apart_on_both(&self) -> u64 {
        self.all + self.both - self.key - self.response
    }
}

fn tally_rand(pair: &AlignedEntities, _: &Variant, into: &mut Tally) {
    let common = CommonPairs::of(pair.view(pair.view_of_links(View::Similarity)));
    let agree = common.both + common.apart_on_both();
    into.first.add_integers((agree, common.all), (agree, common.all));
}

/// Counts pairs. First counts: pairs together on both sides over pairs together on each side. Second counts: all pairs.
fn tally_adjusted(pair: &AlignedEntities, _: &Variant, into: &mut Tally) {
    let common = CommonPairs::of(pair.view(pair.view_of_links(View::Similarity)));
    into.first.add_integers((common.both, common.key), (common.both, common.response));
    into.second.add_integers((common.all, common.all), (common.all, common.all));
}

/// Counts pairs of mentions in different parts, which corefer on neither side.
fn across_rand(pairs: &PairsAcross, into: &mut Tally) {
    add_to_all(pairs.shared, &mut into.first);
}

fn across_adjusted(pairs: &PairsAcross, into: &mut Tally) {
    add_to_all(pairs.shared, &mut into.second);
}

fn add_to_all(number: i128, counts: &mut Counts) {
    counts.recall_num.add_integer(number);
    counts.recall_den.add_integer(number);
    counts.precision_num.add_integer(number);
    counts.precision_den.add_integer(number);
}

fn score_adjusted(tally: &RealTally, _: &Variant, _: &Rules) -> Score {
    let both = tally.first.recall_num;
    let key = tally.first.recall_den;
    let response = tally.first.precision_den;
    let all = tally.second.recall_den;
    // (I − AB/N) / (A − AB/N), each multiplied by N, so that integers cancel exactly.
    let above_chance = both * all - key * response;
    let (recall_room, precision_room) = (key * all - key * response, response * all - key * response);
    let share = |room: f64| if room == 0.0 { 0.0 } else { above_chance / room };
    let room = recall_room + precision_room;
    let f1 = if room == 0.0 { 0.0 } else { 2.0 * above_chance / room };
    Score { recall: share(recall_room), precision: share(precision_room), f1 }
}

/// Returns A·B/N: the number of pairs together on both sides if the sides were independent.
fn together_by_chance(tally: &Tally) -> FractionSum {
    let whole =
        |sum: &FractionSum| sum.to_integer().and_then(|whole| u128::try_from(whole).ok()).unwrap_or_default();
    let (key, response) = (whole(&tally.first.recall_den), whole(&tally.first.precision_den));
    let mut chance = FractionSum::default();
    if let Ok(all @ 1..) = u64::try_from(whole(&tally.second.recall_den)) {
        chance.add_fraction(key * response, all);
    }
    chance
}

fn shares(pair: &AlignedEntities, _: &Variant, side: Side) -> Vec<Shares> {
    let view = pair.view_of_links(View::Similarity);
    let overlap = pair.view(view);
    let apart = apart_on_both(overlap);
    let shared = overlap.shared_mentions();
    let shares = of_view(
        pair,
        side,
        view,
        |place, cell| Share::half(apart[place] + cell.shared - 1),
        |_| Share::NOTHING,
    );
    let all = vec![Share::half(shared.saturating_sub(1)); overlap.cells().len()];
    vec![Shares { all: All::OfCells(all), ..shares }]
}

/// Returns half of each pair of common mentions that a side has together, as shares.
fn shares_together(pair: &AlignedEntities, _: &Variant, side: Side) -> Vec<Shares> {
    let view = pair.view_of_links(View::Similarity);
    let overlap = pair.view(view);
    let shares = of_view(pair, side, view, |_, cell| Share::half(cell.shared - 1), |_| Share::NOTHING);
    let key: Vec<u32> = overlap.key_shared().collect();
    let common = |cell: &OverlapCell| match side {
        Side::Key => key[cell.key as usize],
        Side::Response => overlap.response_shared()[cell.response as usize],
    };
    let all = overlap.cells().iter().map(|cell| Share::half(u64::from(common(cell)) - 1)).collect();
    vec![Shares { all: All::OfCells(all), ..shares }]
}
