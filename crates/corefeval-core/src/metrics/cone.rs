//! Scores only the named mentions, by B³ and CEAF (CONE).

use corefeval_metrics::{B_CUBED_METRIC, CEAF_M_METRIC};

use super::{Evidence, MetricSpec, metric_info};

metric_info! {
    /// # CONE B³
    ///
    /// ## What it measures
    ///
    /// B³ of the named mentions only. Names can be found without a key, and their words mostly show which of them refer to
    /// the same entity.
    ///
    /// ## Definition
    ///
    /// Both sides are pruned to their named mentions; an entity left without any is dropped. CONE B³ is
    /// B³ (see `b_cubed`) of the pruned sides: every named mention has the same weight.
    ///
    /// ## Edge cases
    ///
    /// A side without named mentions scores 0. Entities that keep one named mention count as singletons,
    /// regardless of `--singletons`. Split antecedents, which have no name, are left out.
    ///
    /// ## Example
    ///
    /// Key `{A B C 1 2 3 4}`, response `{A B 1 2 3}`, where letters are names: `{A B C}` and `{A B}`, recall
    /// 4/3 over 3, precision 2 over 2.
    ///
    /// ## References
    ///
    /// `lin-2010`.
    ///
    /// ## Other scorers
    ///
    /// No other scorer computes it.
    pub static CONE_B_CUBED = {
        id: "cone_b_cubed",
        label: "CONE B³",
        aliases: &["cone", "cone_b3"],
        summary: "B³ of the named mentions",
        references: &["lin-2010"],
        counts_singletons: true,
    }
}

pub(super) const B_CUBED: MetricSpec = MetricSpec {
    info: &CONE_B_CUBED,
    evidence: Evidence::Named {
        metric: &B_CUBED_METRIC,
        entity_score: "as in b_cubed, for its named mentions; undefined without any",
    },
};

metric_info! {
    /// # CONE CEAF
    ///
    /// ## What it measures
    ///
    /// CEAF of the named mentions only.
    ///
    /// ## Definition
    ///
    /// Both sides are pruned to their named mentions; an entity left without any is dropped. CONE CEAF is
    /// CEAF φ3 (see `ceaf_m`) of the pruned sides.
    ///
    /// ## Edge cases
    ///
    /// The same as for CONE B³ (see `cone_b_cubed`).
    ///
    /// ## Example
    ///
    /// Key `{A B C 1 2 3 4}`, response `{A C 1 2 4} {B 3}`, where letters are names: `{A B C}` and `{A C} {B}`,
    /// recall and precision 2/3.
    ///
    /// ## References
    ///
    /// `lin-2010`; `luo-2005` for CEAF.
    ///
    /// ## Other scorers
    ///
    /// No other scorer computes it.
    pub static CONE_CEAF = {
        id: "cone_ceaf",
        label: "CONE CEAF",
        aliases: &["cone", "cone_ceaf_m"],
        summary: "CEAF φ3 of the named mentions",
        references: &["lin-2010", "luo-2005"],
        counts_singletons: true,
    }
}

pub(super) const CEAF: MetricSpec = MetricSpec {
    info: &CONE_CEAF,
    evidence: Evidence::Named {
        metric: &CEAF_M_METRIC,
        entity_score: "as in ceaf_m, for its named mentions; undefined without any",
    },
};
