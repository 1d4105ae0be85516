//! The table of entity metrics: one row for each metric, whose code is in a separate file.

use crate::metric::EntityMetric;
use crate::{b_cubed, blanc, ceaf, lea, mentions, muc, pairwise, rand};

/// All entity metrics, in the order in which they are shown.
pub static ENTITY_METRICS: &[&EntityMetric] = &[
    &mentions::METRIC,
    &muc::METRIC,
    &b_cubed::METRIC,
    &ceaf::PHI_1,
    &ceaf::PHI_2,
    &ceaf::PHI_3,
    &ceaf::PHI_4,
    &blanc::METRIC,
    &lea::METRIC,
    &pairwise::METRIC,
    &rand::RAND_METRIC,
    &rand::ADJUSTED_RAND_METRIC,
];

impl EntityMetric {
    /// Returns the metric with an id. Aliases are not accepted.
    pub fn of(id: &str) -> Option<&'static EntityMetric> {
        ENTITY_METRICS.iter().find(|metric| metric.info.id == id).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aligned::AlignedEntities;
    use crate::info::Variant;
    use crate::overlap::Overlap;
    use crate::tally::Tally;

    /// Denominators are linear in the size of an entity, so sizes 1 and 2 determine the value for size 0.
    #[test]
    fn empty_entities_continue_the_denominators() {
        let rows = ENTITY_METRICS.iter().filter_map(|metric| Some((metric, metric.empty_entity?)));
        let found: Vec<&str> = rows.clone().map(|(metric, _)| metric.info.id).collect();
        assert_eq!(found, ["muc", "b_cubed", "ceaf_m", "ceaf_e", "lea"]);
        for (metric, empty) in rows {
            let [one, two] = [1, 2].map(|size| {
                let pair = AlignedEntities::new(Overlap::new(vec![size], vec![size], std::iter::empty()));
                let mut tally = Tally::default();
                metric.tally(&pair, &Variant::new(metric.info), &mut tally);
                [tally.first.recall_den.to_f64(), tally.first.precision_den.to_f64()]
            });
            let expected = [0, 1].map(|side| 2.0 * one[side] - two[side]);
            assert_eq!([empty as f64; 2], expected, "{}", metric.info.id);
        }
    }
}
