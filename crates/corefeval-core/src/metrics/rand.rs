//! Rand and adjusted Rand, over the mentions that both sides have.

use super::{Kind, Metric, MetricSpec, Rules, pairs};
use crate::overlap::{AlignedPair, Overlap};
use crate::tally::{RealTally, Score, Tally};

/// # Rand
///
/// What it measures: the share of pairs of common mentions on which key and response agree, be it
/// that they corefer or that they do not.
///
/// Definition: (pairs together on both sides + pairs apart on both sides) / pairs, over the mentions
/// that both sides have; summed over documents, pairs within a document only. Recall, precision and
/// F1 are this one number.
///
/// Edge cases: fewer than two common mentions in every document: 0. Mentions that one side lacks do
/// not count at all, so read it beside `mentions`.
///
/// Example: key `{a b} {c}`, response `{a} {b c}`: of three pairs a-c alone agrees: 1/3.
///
/// References: rand-1971; recasens-hovy-2011 for its use on coreference.
///
/// Other scorers: scikit-learn's `rand_score` on the labels of the common mentions.
pub(super) const RAND: MetricSpec = MetricSpec {
    id: "rand",
    label: "Rand",
    summary: "pairs of common mentions on which both sides agree",
    references: &["rand-1971", "recasens-hovy-2011"],
    parameters: &[],
    kind: Kind::Counted { tally: tally_rand, score: score_rand, halves: None, splits: None },
};

/// # Adjusted Rand
///
/// What it measures: agreement on pairs of common mentions beyond what chance would give.
///
/// Definition: with I the pairs together on both sides, A those together in the key, B in the
/// response, N all pairs (of common mentions, within documents, summed) and E = A·B/N:
/// F1 = (I − E) / ((A + B)/2 − E), Hubert and Arabie's index. Recall (I − E) / (A − E) and precision
/// (I − E) / (B − E) are the adjusted Wallace coefficients, whose harmonic mean the index is.
///
/// Edge cases: at most 1; negative below chance. What has the denominator 0 (all pairs together, or
/// none, on a side) is 0.
///
/// Example: key `{a b} {c d}`, response `{a b} {c} {d}`: I = 1, A = 2, B = 1, N = 6, E = 1/3; recall
/// 0.4, precision 1, F1 4/7.
///
/// References: hubert-arabie-1985; wallace-1983.
///
/// Other scorers: scikit-learn's `adjusted_rand_score` on one document, but for the case 0/0, which
/// it calls 1.
pub(super) const ADJUSTED_RAND: MetricSpec = MetricSpec {
    id: "adjusted_rand",
    label: "Adjusted Rand",
    summary: "agreement on pairs of common mentions beyond chance",
    references: &["hubert-arabie-1985", "wallace-1983"],
    parameters: &[],
    kind: Kind::Counted { tally: tally_adjusted, score: score_adjusted, halves: None, splits: None },
};

/// Pairs of mentions that both sides have: all of them, and those that corefer.
pub(super) struct CommonPairs {
    all: u64,
    key: u64,
    response: u64,
    both: u64,
}

impl CommonPairs {
    pub(super) fn of(overlap: &Overlap) -> CommonPairs {
        CommonPairs {
            all: pairs(overlap.shared_mentions()),
            key: overlap.key_shared().map(|count| pairs(count.into())).sum(),
            response: overlap.response_shared().iter().map(|&count| pairs(count.into())).sum(),
            both: overlap.cells().iter().map(|cell| pairs(cell.shared.into())).sum(),
        }
    }

    /// Pairs that corefer on neither side.
    pub(super) fn apart_on_both(&self) -> u64 {
        self.all + self.both - self.key - self.response
    }
}

fn tally_rand(pair: &AlignedPair, _: &Metric, into: &mut Tally) {
    let common = CommonPairs::of(pair.similarity_view());
    let agree = common.both + common.apart_on_both();
    into.first.add_integers((agree, common.all), (agree, common.all));
}

fn score_rand(tally: &RealTally, _: &Metric, _: &Rules) -> Score {
    tally.first.score()
}

/// First counts: pairs together on both sides over pairs together on each. Second: all pairs.
fn tally_adjusted(pair: &AlignedPair, _: &Metric, into: &mut Tally) {
    let common = CommonPairs::of(pair.similarity_view());
    into.first.add_integers((common.both, common.key), (common.both, common.response));
    into.second.add_integers((common.all, common.all), (common.all, common.all));
}

fn score_adjusted(tally: &RealTally, _: &Metric, _: &Rules) -> Score {
    let both = tally.first.recall_num;
    let key = tally.first.recall_den;
    let response = tally.first.precision_den;
    let all = tally.second.recall_den;
    // (I − AB/N) / (A − AB/N), each multiplied by N, so that whole numbers cancel exactly.
    let above_chance = both * all - key * response;
    let (recall_room, precision_room) = (key * all - key * response, response * all - key * response);
    let share = |room: f64| if room == 0.0 { 0.0 } else { above_chance / room };
    let room = recall_room + precision_room;
    let f1 = if room == 0.0 { 0.0 } else { 2.0 * above_chance / room };
    Score { recall: share(recall_room), precision: share(precision_room), f1 }
}
