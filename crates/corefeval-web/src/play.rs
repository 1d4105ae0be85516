//! The metrics of two partitions, with the contribution of each entity to every count.

use corefeval_core::error::Result;
use corefeval_metrics::aligned::AlignedEntities;
use corefeval_metrics::fraction::FractionSum;
use corefeval_metrics::shares::{All, Share, Shares};
use corefeval_metrics::tally::{Counts, Tally};
use corefeval_metrics::{
    CONLL_METRIC, ENTITY_METRICS, EntityMetric, PartitionScore, Rules, Side, Variant, align,
};
use serde::{Deserialize, Serialize};

use crate::declare::declared;

declared! {
    /// A key and a response as entities of named mentions. Empty entities do not count.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct Partitions {
        /// The entities of the key.
        pub key: Vec<Vec<String>>,
        /// The entities of the response.
        pub response: Vec<Vec<String>>,
    }

    /// The scores of two partitions.
    #[derive(Serialize)]
    pub struct Played {
        /// The metrics, in the order in which they are shown.
        pub metrics: Vec<PlayedMetric>,
    }

    /// The score of a metric.
    #[derive(Serialize)]
    pub struct PlayedMetric {
        /// The name in requests.
        pub id: &'static str,
        /// The name in tables.
        pub label: &'static str,
        /// One line of help.
        pub summary: &'static str,
        /// The definition with its formula, in Markdown.
        pub definition: String,
        /// The contribution of a mention, in one line; null if counts are not sums over mentions.
        pub share: Option<&'static str>,
        /// Recall; null if it is undefined.
        pub recall: Option<f64>,
        /// Precision; null if it is undefined.
        pub precision: Option<f64>,
        /// F1; null if it is undefined.
        pub f1: Option<f64>,
        /// The counts: one element, two for metrics with two halves, none for a mean of other metrics.
        pub counts: Vec<PlayedCounts>,
        /// The metrics that it is the mean of.
        pub mean_of: Vec<&'static str>,
    }

    /// The counts of a metric, or of one of its halves.
    #[derive(Serialize)]
    pub struct PlayedCounts {
        /// The name of the half; null if there is one.
        pub half: Option<&'static str>,
        /// The numerator and denominator of recall.
        pub recall: ExactRatio,
        /// The numerator and denominator of precision.
        pub precision: ExactRatio,
        /// The expected value by chance, which is subtracted from the sums of numerators and of denominators; null for metrics
        /// that are not corrected for chance.
        pub chance: Option<String>,
        /// The contribution of each key entity to recall; null for empty entities; empty without such terms.
        pub key: Vec<Option<ExactRatio>>,
        /// The contribution of each response entity to precision.
        pub response: Vec<Option<ExactRatio>>,
    }

    /// An exact numerator and denominator, each `2` or `5/3`.
    #[derive(Serialize)]
    pub struct ExactRatio {
        /// The numerator.
        pub numerator: String,
        /// The denominator.
        pub denominator: String,
    }
}

/// An exact number: `2`, `5/3`.
fn exact(sum: &FractionSum) -> String {
    match sum.to_ratio() {
        Some((whole, 1)) => whole.to_string(),
        Some((numerator, denominator)) => format!("{numerator}/{denominator}"),
        None => sum.to_f64().to_string(),
    }
}

impl ExactRatio {
    fn of(numerator: &FractionSum, denominator: &FractionSum) -> ExactRatio {
        ExactRatio { numerator: exact(numerator), denominator: exact(denominator) }
    }
}

/// Answers `play`.
pub fn play(partitions: Partitions) -> Result<Played> {
    let pair = align(&partitions.key, &partitions.response)?;
    let sides = [&partitions.key, &partitions.response];
    let scored: Vec<(&EntityMetric, PartitionScore)> = ENTITY_METRICS
        .iter()
        .map(|&metric| {
            let mut tally = Tally::default();
            let variant = Variant::new(metric.info);
            metric.tally(&pair, &variant, &mut tally);
            (metric, PartitionScore::new(metric, &variant, &Rules::default(), tally))
        })
        .collect();
    let mut metrics: Vec<PlayedMetric> =
        scored.iter().map(|(metric, score)| played(metric, score, &pair, sides)).collect();
    let is_part = |metric: &EntityMetric| CONLL_METRIC.of.iter().any(|part| std::ptr::eq(*part, metric));
    let parts = scored.iter().filter(|(metric, _)| is_part(metric));
    let parts: Vec<PartitionScore> = parts.map(|(_, score)| score.clone()).collect();
    let mean = PartitionScore::mean_of(&parts);
    metrics.push(PlayedMetric {
        id: CONLL_METRIC.info.id,
        label: CONLL_METRIC.info.label,
        summary: CONLL_METRIC.info.summary,
        definition: definition(&CONLL_METRIC.info.page()),
        share: None,
        recall: None,
        precision: None,
        f1: mean.f1(),
        counts: Vec::new(),
        mean_of: CONLL_METRIC.of.iter().map(|metric| metric.info.id).collect(),
    });
    Ok(Played { metrics })
}

/// The part of a metric's page that defines it.
fn definition(page: &str) -> String {
    let after = page.split_once("## Definition\n").map_or("", |split| split.1);
    after.split("\n## ").next().unwrap_or_default().trim().to_owned()
}

fn played(
    metric: &EntityMetric,
    score: &PartitionScore,
    pair: &AlignedEntities,
    sides: [&Vec<Vec<String>>; 2],
) -> PlayedMetric {
    let variant = Variant::new(metric.info);
    let shares = [Side::Key, Side::Response].map(|side| metric.counted_shares(pair, &variant, side));
    let chance = score.tally.as_ref().and_then(|tally| metric.chance(tally));
    let counts = |place: usize, half: Option<&'static str>, counts: &Counts| {
        let terms = |side: Side, at: usize| match shares[at].get(place) {
            Some(shares) => terms(pair, shares, side, sides[at]),
            None => Vec::new(),
        };
        let beyond = |sum: &FractionSum| {
            let mut sum = sum.clone();
            chance.iter().for_each(|chance| sum.subtract(chance));
            sum
        };
        PlayedCounts {
            half,
            recall: ExactRatio::of(&beyond(&counts.recall_num), &beyond(&counts.recall_den)),
            precision: ExactRatio::of(&beyond(&counts.precision_num), &beyond(&counts.precision_den)),
            chance: chance.as_ref().map(exact),
            key: terms(Side::Key, 0),
            response: terms(Side::Response, 1),
        }
    };
    let all = score.tally.as_ref().map(|tally| match metric.halves {
        Some([first, second]) => {
            vec![counts(0, Some(first), &tally.first), counts(1, Some(second), &tally.second)]
        }
        None => vec![counts(0, None, &tally.first)],
    });
    PlayedMetric {
        id: metric.info.id,
        label: metric.info.label,
        summary: metric.info.summary,
        definition: definition(&metric.info.page()),
        share: metric.counted_share(&variant).map(|share| share.summary),
        recall: score.recall(),
        precision: score.precision(),
        f1: score.f1(),
        counts: all.unwrap_or_default(),
        mean_of: Vec::new(),
    }
}

/// The contribution of each entity of a side: the sum of the shares of its mentions; `None` for empty entities, which have
/// no place in the table.
fn terms(
    pair: &AlignedEntities,
    shares: &Shares,
    side: Side,
    entities: &[Vec<String>],
) -> Vec<Option<ExactRatio>> {
    let full = entities.iter().filter(|entity| !entity.is_empty());
    let mut sums = vec![(FractionSum::default(), FractionSum::default()); full.clone().count()];
    let add = |sum: &mut FractionSum, times: u32, share: Share| {
        sum.add_fraction(u128::from(times) * u128::from(share.numerator), share.denominator);
    };
    for (place, cell) in pair.view(shares.view).cells().iter().enumerate() {
        let entity = if side == Side::Key { cell.key } else { cell.response };
        let (found, all) = &mut sums[entity as usize];
        add(found, cell.shared, shares.of_cell(place));
        if let All::OfCells(of_cells) = &shares.all {
            add(all, cell.shared, of_cells[place]);
        }
    }
    if let All::OfEntities(of_entities) = &shares.all {
        for ((entity, (_, all)), share) in full.zip(&mut sums).zip(of_entities) {
            add(all, entity.len() as u32, *share);
        }
    }
    let mut sums = sums.iter();
    let term = |entity: &Vec<String>| {
        if entity.is_empty() { None } else { sums.next().map(|(found, all)| ExactRatio::of(found, all)) }
    };
    entities.iter().map(term).collect()
}
