//! The table of entity metrics: one row for each metric, which has a separate file.

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
    /// The metric with an id; aliases are not accepted.
    pub fn of(id: &str) -> Option<&'static EntityMetric> {
        ENTITY_METRICS.iter().find(|metric| metric.info.id == id).copied()
    }
}
