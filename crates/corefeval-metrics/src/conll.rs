//! The CoNLL average.

use crate::info::MetricInfo;
use crate::metric::EntityMetric;
use crate::{b_cubed, ceaf, metric_info, muc};

metric_info! {
    /// # CoNLL average
    ///
    /// ## What it measures
    ///
    /// A summary of three metrics, by which the shared tasks of 2011 and 2012 ranked systems.
    ///
    /// ## Definition
    ///
    /// The mean of the F1 of MUC, B³ and CEAF φ4, each over the whole corpus.
    ///
    /// ## Edge cases
    ///
    /// If a side has no links, MUC is 0, so a perfect response to a key of singletons
    /// scores 2/3, with a warning.
    ///
    /// ## Example
    ///
    /// Key `{a b c} {d e}`, response `{a b} {c d e}`: MUC 2/3, B³ 11/15 and CEAF φ4 4/5, so 11/15.
    ///
    /// ## References
    ///
    /// `pradhan-2011`, `pradhan-2014`.
    ///
    /// ## Other scorers
    ///
    /// The reference scorer prints no average; coval and corefud-scorer average the same
    /// three.
    pub static CONLL = {
        id: "conll",
        label: "CoNLL",
        aliases: &["avg", "average", "conll_f1", "conll_score"],
        summary: "mean of the F1 of MUC, B³ and CEAF φ4",
        references: &["pradhan-2011", "pradhan-2014"],
        counts_singletons: true,
    }
}

/// A metric that is the mean of the F1 of other metrics.
#[derive(Debug)]
pub struct MeanMetric {
    /// The names, help and properties of the metric.
    pub info: &'static MetricInfo,
    /// The metrics that it averages.
    pub of: &'static [&'static EntityMetric],
}

/// The CoNLL average.
pub static CONLL_METRIC: MeanMetric =
    MeanMetric { info: &CONLL, of: &[&muc::METRIC, &b_cubed::METRIC, &ceaf::PHI_4] };
