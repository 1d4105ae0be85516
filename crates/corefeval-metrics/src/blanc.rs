//! BLANC: coreference links and non-coreference links, half each.

use crate::Side;
use crate::aligned::{AlignedEntities, SetCounts};
use crate::credited::{CreditedPair, SplitRules, add_real};
use crate::info::{ParameterSpec, Variant};
use crate::metric::{EntityMetric, PairsAcross};
use crate::metric_info;
use crate::overlap::{View, pairs};
use crate::pairwise::links_within;
use crate::rand::CommonPairs;
use crate::rules::{Halves, Rules};
use crate::shares::{MentionShare, Share, Shares, apart_on_both, links, of_view, own_view};
use crate::tally::{Counts, RealTally, Score, Tally};

metric_info! {
    /// # BLANC
    ///
    /// ## What it measures
    ///
    /// Agreement on every pair of mentions, coreferent or not. Coreferent and non-coreferent pairs have equal
    /// weight, even if one kind is rare.
    ///
    /// ## Definition
    ///
    /// For the coreference links C and the non-coreference links N of key (k) and response
    /// (r), each over the side's own mentions: Rc = |Ck ∩ Cr| / |Ck|, Pc = |Ck ∩ Cr| / |Cr|, Fc their
    /// harmonic mean; Rn, Pn, Fn likewise on N. BLANC's recall, precision and F1 are the means of the
    /// two. Counts are summed over documents first. N is never built: with c mentions in common,
    /// |Nk ∩ Nr| = pairs(c) minus the pairs coreferent in the key, minus those coreferent in the response,
    /// plus those coreferent in both.
    ///
    /// ## Edge cases
    ///
    /// With `halves=key` (the reference scorer's rule) a half without links in the *key* is left out, and without
    /// either half the score is 0. With `halves=either` (corefud-scorer's rule) a half is left out if *neither* side
    /// has links. A ratio with denominator 0 is 0. With `halves=scorch` the halves are those of `key`; a key without
    /// any links (one mention, or none) gives 1 if the response has no non-coreference links either, and otherwise 0.
    /// Scorch's functions also check whether two single mentions are the same, which counts cannot show. Its command
    /// adds the response's mentions to the key, so they are always the same.
    ///
    /// Under the reference scorer's rule for repeated mentions (`duplicates:first`) links are sets: a link that several
    /// entities contain is one link, and two copies of a mention make a link from it to itself.
    ///
    /// Under other rules, if a side has a mention in several entities, the links in common are counted in the key, for
    /// precision too, as in corefud-scorer and the Universal Anaphora scorer; precision can then exceed 1.
    ///
    /// ## Example
    ///
    /// Key one entity of eight, response one entity of four of them: 6/28 and 6/6, F1 0.3529
    /// (the table in Moosavi and Strube prints 32.29).
    ///
    /// ## Split antecedents
    ///
    /// A link to a split antecedent counts the worth of its pair. The Universal Anaphora scorer counts coreference links
    /// only to mentions that come after the antecedent in the order of a Python set, and to those before it if the
    /// response has the antecedent in the same words. This metric does the same.
    ///
    /// ## References
    ///
    /// `recasens-hovy-2011`, `luo-2014`.
    ///
    /// ## Other scorers
    ///
    /// The reference scorer uses `halves=key`, corefud-scorer `halves=either`, scorch `halves=scorch`; the profile
    /// selects the rule.
    pub static BLANC = {
        id: "blanc",
        label: "BLANC",
        summary: "coreference and non-coreference links, half each",
        references: &["recasens-hovy-2011", "luo-2014"],
        parameters: &[ParameterSpec {
            name: "halves",
            values: &["profile", "key", "either", "scorch"],
            summary: "the halves that count: by profile, those with links in the key, on either side, or as in scorch",
        }],
        counts_singletons: true,
        settings: &["blanc"],
        reference_scorer: Some("blanc"),
    }
}

pub(crate) static METRIC: EntityMetric = EntityMetric {
    info: &BLANC,
    tally,
    score,
    across: Some(across),
    halves: Some(["coreference_links", "non_coreference_links"]),
    splits: Some(SplitRules { sets: tally, document: together, second: Some(apart) }),
    shares: Some(MentionShare {
        summary: "half of its links that both sides have, out of half of its links; coreference and \
        non-coreference links separately",
        shares,
    }),
    ..EntityMetric::PLAIN
};

fn tally(pair: &AlignedEntities, _: &Variant, into: &mut Tally) {
    if let Some(links) = pair.set_links() {
        let add = |counts: &mut Counts, links: &SetCounts| {
            counts.add_integers((links.shared, links.key), (links.shared, links.response));
        };
        add(&mut into.first, &links.together);
        return add(&mut into.second, &links.apart);
    }
    let (recall, precision) = (pair.recall_view(), pair.precision_view());
    // The common links are the same from both sides. If a mention is repeated, the count of the key is used.
    let common = CommonPairs::of(recall);
    let (key, response) = (links_within(recall.key_sizes()), links_within(precision.response_sizes()));
    into.first.add_integers((common.both, key), (common.both, response));
    let key_apart = pairs(recall.key_mentions()) - key;
    let response_apart = pairs(precision.response_mentions()) - response;
    let apart = common.apart_on_both();
    into.second.add_integers((apart, key_apart), (apart, response_apart));
}

/// Counts pairs of mentions in different parts, which do not corefer.
fn across(pairs: &PairsAcross, into: &mut Tally) {
    into.second.recall_num.add_integer(pairs.shared);
    into.second.recall_den.add_integer(pairs.key);
    into.second.precision_num.add_integer(pairs.shared);
    into.second.precision_den.add_integer(pairs.response);
}

fn score(tally: &RealTally, metric: &Variant, rules: &Rules) -> Score {
    let rule = match metric.value("halves") {
        1 => Halves::Key,
        2 => Halves::Either,
        3 => Halves::Scorch,
        _ => rules.blanc_halves,
    };
    let halves = [&tally.first, &tally.second];
    let counted = halves.iter().filter(|counts| match rule {
        Halves::Key | Halves::Scorch => counts.recall_den != 0.0,
        Halves::Either => counts.recall_den != 0.0 || counts.precision_den != 0.0,
    });
    let (mut sum, mut number) = (Score::default(), 0.0);
    for counts in counted {
        let half = counts.score();
        sum.recall += half.recall;
        sum.precision += half.precision;
        sum.f1 += half.f1;
        number += 1.0;
    }
    if number == 0.0 && rule == Halves::Scorch && tally.second.precision_den == 0.0 {
        return Score { recall: 1.0, precision: 1.0, f1: 1.0 };
    }
    if number == 0.0 {
        return Score::default();
    }
    Score { recall: sum.recall / number, precision: sum.precision / number, f1: sum.f1 / number }
}

/// Returns the pairs of split antecedents to which links count, with their worth. An unpaired split antecedent with the
/// same words on both sides is worth 1, because its parts may have no links.
fn worths(credited: &CreditedPair<'_>) -> Vec<Worth> {
    let splits = credited.splits;
    let mut paired = vec![false; splits.key.len()];
    let mut worths: Vec<Worth> = Vec::new();
    for credit in credited.credits() {
        paired[credit.split as usize] = true;
        worths.push(Worth { split: credit.split, key: credit.key, response: credit.response, f1: credit.f1 });
    }
    for (place, split) in (0..).zip(&splits.key).filter(|(place, _)| !paired[*place as usize]) {
        if let Some(equal) = split.equal {
            let response = splits.response[equal as usize].entity;
            worths.push(Worth { split: place, key: split.entity, response, f1: 1.0 });
        }
    }
    worths
}

/// A pair of split antecedents: the position of the key's, the entities of both, and the worth of the pair.
struct Worth {
    split: u32,
    key: u32,
    response: u32,
    f1: f64,
}

/// Counts coreference links. A link from a split antecedent to a later mention counts the worth of the antecedent. A
/// link to an antecedent that the response has in the same words counts 1.
fn together(credited: &CreditedPair<'_>, metric: &Variant, into: &mut Tally) {
    tally(credited.pair, metric, into);
    let splits = credited.splits;
    let among = |found: &[u32], entity: u32| found.iter().filter(|&&other| other == entity).count() as f64;
    let after = worths(credited)
        .into_iter()
        .map(|worth| worth.f1 * among(&splits.key[worth.split as usize].after, worth.response));
    let before = splits
        .key
        .iter()
        .filter_map(|split| Some(among(&split.before, splits.response[split.equal? as usize].entity)));
    let links = after.chain(before).sum();
    add_real(&mut into.first.recall_num, links);
    add_real(&mut into.first.precision_num, links);
}

/// Counts non-coreference links with split antecedents; [`together`] has counted the others.
fn apart(credited: &CreditedPair<'_>, _: &Variant, into: &mut Tally) {
    let overlap = credited.pair.recall_view();
    let shared = overlap.shared_mentions();
    let key: Vec<u64> = overlap.key_shared().map(u64::from).collect();
    let response = overlap.response_shared();
    let worths = worths(credited);
    let mut links = 0.0;
    for (place, worth) in worths.iter().enumerate() {
        // All common mentions except the mentions of either entity.
        let row = overlap.row(worth.key);
        let both = row.binary_search_by_key(&worth.response, |cell| cell.response);
        let both = both.map_or(0, |place| u64::from(row[place].shared));
        let either = key[worth.key as usize] + u64::from(response[worth.response as usize]) - both;
        links += worth.f1 * (shared - either) as f64;
        let others = worths[..place].iter();
        let others = others.filter(|other| other.key != worth.key && other.response != worth.response);
        links += others.map(|other| other.f1 * worth.f1).sum::<f64>();
    }
    add_real(&mut into.second.recall_num, links);
    add_real(&mut into.second.precision_num, links);
}

fn shares(pair: &AlignedEntities, _: &Variant, side: Side) -> Vec<Shares> {
    // Both sides count links in common in the view for recall.
    let view = pair.view_of_links(View::Recall);
    let together = links(pair, side, view);
    let apart = apart_on_both(pair.view(view));
    let own = pair.view(own_view(side));
    let mentions = match side {
        Side::Key => own.key_mentions(),
        Side::Response => own.response_mentions(),
    };
    let others =
        of_view(pair, side, view, |place, _| Share::half(apart[place]), |size| Share::half(mentions - size));
    vec![together, others]
}
