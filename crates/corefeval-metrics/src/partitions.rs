//! The entry point for callers with entities but without documents: scores one partition against another.

use std::collections::HashMap;
use std::hash::Hash;

use crate::Side;
use crate::aligned::AlignedEntities;
use crate::conll::CONLL_METRIC;
use crate::entity_metrics::ENTITY_METRICS;
use crate::error::{Error, Result};
use crate::info::Variant;
use crate::metric::EntityMetric;
use crate::overlap::{Overlap, close_gaps};
use crate::rules::Rules;
use crate::tally::{Score, Tally};

/// The result of one metric.
#[derive(Clone, Debug)]
pub struct PartitionScore {
    /// Recall, precision and F1, with 0 for undefined values. For a mean of other metrics, each is the mean
    /// of the parts.
    pub score: Score,
    /// For recall, precision and F1: true if the value is defined. The mean of other metrics has only an F1, which is
    /// defined if the F1 of all parts is.
    pub defined: [bool; 3],
    /// The counts; `None` for a mean of other metrics.
    pub tally: Option<Tally>,
}

impl PartitionScore {
    /// Returns recall; `None` if it is undefined because its denominator is 0.
    pub fn recall(&self) -> Option<f64> {
        self.defined[0].then_some(self.score.recall)
    }

    /// Returns precision; `None` if it is undefined because its denominator is 0.
    pub fn precision(&self) -> Option<f64> {
        self.defined[1].then_some(self.score.precision)
    }

    /// Returns F1; `None` if it is undefined because both denominators are 0.
    pub fn f1(&self) -> Option<f64> {
        self.defined[2].then_some(self.score.f1)
    }

    /// Computes the result of a metric from its counts.
    pub fn new(metric: &EntityMetric, variant: &Variant, rules: &Rules, tally: Tally) -> PartitionScore {
        let score = metric.score(&tally.to_real(), variant, rules);
        PartitionScore { score, defined: tally.defined(), tally: Some(tally) }
    }

    /// Returns the mean of other results.
    pub fn mean_of(parts: &[PartitionScore]) -> PartitionScore {
        let defined = [false, false, parts.iter().all(|part| part.defined[2])];
        PartitionScore { score: Score::mean(parts.iter().map(|part| part.score)), defined, tally: None }
    }
}

/// Scores the entities of a response against those of a key, with several metrics and one alignment.
///
/// A mention is any value that can be hashed and compared: a span, a string, a number. Key and response have a
/// mention in common if the values are equal. Empty entities are ignored.
///
/// Metrics have the same names as in the command: `muc`, `b_cubed`, `lea:importance=uniform`, `conll`. Other usual
/// names such as `b3` and `ceafe` are accepted.
///
/// ```
/// let key = [vec!["Ada", "she", "her"], vec!["the pilot", "he"]];
/// let response = [vec!["Ada", "she"], vec!["the pilot", "he", "her"]];
/// let [muc, conll] = &corefeval_metrics::score(&key, &response, &["muc", "conll"])?[..] else { panic!() };
/// assert_eq!(muc.f1(), Some(2.0 / 3.0));
/// assert_eq!(format!("{:.4}", conll.score.f1), "0.7333");
/// # Ok::<(), corefeval_metrics::Error>(())
/// ```
///
/// # Errors
///
/// A metric does not exist or needs more than entities (weights by type, the words of mentions), or a side has a
/// mention more than once.
pub fn score<M: Hash + Eq, E: AsRef<[M]>>(
    key: &[E],
    response: &[E],
    metrics: &[&str],
) -> Result<Vec<PartitionScore>> {
    let wanted = metrics.iter().map(|name| parse(name)).collect::<Result<Vec<Variant>>>()?;
    let pair = align(key, response)?;
    let score = |metric: &'static EntityMetric, variant: Variant| {
        let mut tally = Tally::default();
        metric.tally(&pair, &variant, &mut tally);
        PartitionScore::new(metric, &variant, &Rules::default(), tally)
    };
    let result = |variant: &Variant| match EntityMetric::of(variant.info().id) {
        Some(metric) => score(metric, *variant),
        None => {
            let parts: Vec<PartitionScore> =
                CONLL_METRIC.of.iter().map(|metric| score(metric, Variant::new(metric.info))).collect();
            PartitionScore::mean_of(&parts)
        }
    };
    Ok(wanted.iter().map(result).collect())
}

/// Parses the name of a metric that needs only entities.
fn parse(name: &str) -> Result<Variant> {
    let infos = ENTITY_METRICS.iter().map(|metric| metric.info).chain([CONLL_METRIC.info]);
    let variant = Variant::parse(infos, name)?;
    needs_entities_alone(&variant)?;
    Ok(variant)
}

/// Fails if a variant of an entity metric needs more than entities.
///
/// # Errors
///
/// The metric uses weights by type or credits words.
pub fn needs_entities_alone(variant: &Variant) -> Result<()> {
    let needs = match (variant.uses_weights(), variant.credits_words()) {
        (true, _) => "the types of mentions and entities, and a table of weights",
        (_, true) => "the words of mentions",
        (false, false) => return Ok(()),
    };
    Err(Error::metric(
        format!("`{variant}` needs {needs}, which partitions do not have"),
        format!("use `{}`, or score documents", Variant::new(variant.info())),
    ))
}

/// Aligns the entities of key and response by equal mentions. Empty entities are ignored.
///
/// ```
/// let pair = corefeval_metrics::align(&[vec!['a', 'b'], vec!['c']], &[vec!['a'], vec!['b', 'c']])?;
/// assert_eq!(pair.recall_view().cells().len(), 3);
/// let error = corefeval_metrics::align(&[vec!['a', 'b'], vec!['a']], &[]).unwrap_err();
/// assert!(error.to_string().starts_with("the key has a mention twice: mention 0 of entity 1 is mention 0 of entity 0"));
/// # Ok::<(), corefeval_metrics::Error>(())
/// ```
///
/// # Errors
///
/// A side has a mention more than once.
pub fn align<M: Hash + Eq, E: AsRef<[M]>>(key: &[E], response: &[E]) -> Result<AlignedEntities> {
    let ours = places(key, Side::Key)?;
    let theirs = places(response, Side::Response)?;
    let sizes = |side: &[E]| -> (Vec<u32>, Vec<u32>) {
        let mut sizes = side.iter().map(|entity| entity.as_ref().len() as u32).collect();
        let numbers = close_gaps(&mut sizes);
        (sizes, numbers)
    };
    let ((key_sizes, key_numbers), (response_sizes, response_numbers)) = (sizes(key), sizes(response));
    let mentions = response.iter().flat_map(|entity| entity.as_ref());
    let shared: Vec<(u32, u32)> = mentions
        .filter_map(|mention| {
            let (ours, theirs) = (ours.get(mention)?, theirs.get(mention)?);
            Some((key_numbers[ours.0], response_numbers[theirs.0]))
        })
        .collect();
    Ok(AlignedEntities::new(Overlap::new(key_sizes, response_sizes, shared.iter().copied())))
}

/// Returns the place of each mention of a side: its entity, and its index there.
fn places<M: Hash + Eq, E: AsRef<[M]>>(entities: &[E], side: Side) -> Result<HashMap<&M, (usize, usize)>> {
    let mut places = HashMap::new();
    for (entity, members) in entities.iter().enumerate() {
        for (index, mention) in members.as_ref().iter().enumerate() {
            if let Some(first) = places.insert(mention, (entity, index)) {
                return Err(Error::RepeatedMention { side, first, second: (entity, index) });
            }
        }
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Key {a b c} {d e f g}, response {a b} {c d} {f g h i}: the example of the LEA paper.
    #[test]
    fn several_metrics_by_hand() {
        let key = ["abc", "defg"].map(|entity| entity.chars().collect::<Vec<char>>());
        let response = ["ab", "cd", "fghi"].map(|entity| entity.chars().collect::<Vec<char>>());
        let scores = score(&key, &response, &["mentions", "muc", "lea", "b_cubed"]).expect("scores");
        let ratios: Vec<_> = scores
            .iter()
            .map(|found| {
                let counts = &found.tally.as_ref().expect("counts").first;
                [&counts.recall_num, &counts.recall_den, &counts.precision_num, &counts.precision_den]
                    .map(|sum| sum.to_ratio().expect("a small fraction"))
            })
            .collect();
        assert_eq!(
            ratios,
            [
                [(6, 1), (7, 1), (6, 1), (8, 1)],
                [(2, 1), (5, 1), (2, 1), (5, 1)],
                [(5, 3), (7, 1), (8, 3), (8, 1)],
                [(35, 12), (7, 1), (4, 1), (8, 1)],
            ]
        );
    }

    #[test]
    fn undefined_scores_differ_from_0() {
        let (singletons, wrong) = ([vec![1], vec![2]], [vec![3, 4]]);
        let scores = score(&singletons, &wrong, &["muc", "b_cubed", "conll"]).expect("scores");
        assert_eq!((scores[0].recall(), scores[0].precision(), scores[0].f1()), (None, Some(0.0), Some(0.0)));
        assert_eq!(scores[1].f1(), Some(0.0));
        assert_eq!((scores[2].recall(), scores[2].f1()), (None, Some(0.0)));
        let nothing: [Vec<u8>; 1] = [vec![]];
        let scores = score(&nothing, &nothing, &["muc", "mentions", "conll"]).expect("scores");
        assert!(scores.iter().all(|found| found.f1().is_none() && found.score == Score::default()));
    }

    #[test]
    fn empty_entities_do_not_count() {
        let with = score(&[vec![], vec![1, 2]], &[vec![1], vec![], vec![2]], &["ceaf_e"]).expect("scores");
        let without = score(&[vec![1, 2]], &[vec![1], vec![2]], &["ceaf_e"]).expect("scores");
        assert_eq!(with[0].score, without[0].score);
    }

    #[test]
    fn repeated_mentions_are_errors_that_name_both_places() {
        let error = score(&[vec!["a", "b"]], &[vec!["a"], vec!["b", "c", "b"]], &["muc"]).unwrap_err();
        let places = Error::RepeatedMention { side: Side::Response, first: (1, 0), second: (1, 2) };
        assert_eq!(error, places);
        assert_eq!(
            error.to_string(),
            "the response has a mention twice: mention 2 of entity 1 is mention 0 of entity 1 again (counted from 0)\n  \
             hint: list each mention once on each side, in one entity"
        );
    }

    #[test]
    fn metrics_that_need_more_than_partitions_are_rejected() {
        let refused = |metric: &str| score(&[vec![1]], &[vec![1]], &[metric]).unwrap_err().to_string();
        assert_eq!(
            refused("b_cubed:weight=table"),
            "`b_cubed:weight=table` needs the types of mentions and entities, and a table of weights, which partitions \
             do not have\n  hint: use `b_cubed`, or score documents"
        );
        assert!(refused("ceaf_e:credit=words").contains("needs the words of mentions"));
        assert!(refused("ceaf").contains("choose `ceaf_m`"));
        assert!(refused("xyz").starts_with("unknown metric `xyz`"));
    }

    #[test]
    fn the_mean_is_that_of_its_parts() {
        let (key, response) = ([vec![1, 2, 3], vec![4, 5]], [vec![1, 2], vec![3, 4, 5]]);
        let found = score(&key, &response, &["conll", "muc", "b3", "ceafe"]).expect("scores");
        let parts = found[1..].iter().map(|found| found.score);
        assert_eq!(found[0].score, Score::mean(parts));
        assert!((found[0].score.f1 - 11.0 / 15.0).abs() < 1e-15 && found[0].tally.is_none());
    }
}
