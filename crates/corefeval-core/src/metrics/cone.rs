//! CONE: B³ and CEAF of the named mentions alone.

use super::{Kind, Metric, MetricSpec, Rules, b_cubed, ceaf};
use crate::overlap::AlignedPair;
use crate::tally::{RealTally, Score, Tally};

/// # CONE B³
///
/// What it measures: B³ as far as names tell it: which mentions are names can be known without a key, and
/// so can, nearly, which of them refer to the same.
///
/// Definition: both sides are pruned to their named mentions; an entity left without any vanishes. CONE B³ is
/// B³ (see `b_cubed`) of what is left: every named mention weighs the same.
///
/// Edge cases: a side without named mentions scores 0. Entities that keep one named mention count as singletons,
/// whatever `--singletons` said of them before. Split antecedents, which have no name, are left out.
///
/// Example: key `{A B C 1 2 3 4}`, response `{A B 1 2 3}`, letters being names: `{A B C}` and `{A B}`, recall
/// 4/3 over 3, precision 2 over 2.
///
/// References: lin-2010.
///
/// Other scorers: none has it.
pub(super) const B_CUBED: MetricSpec = MetricSpec {
    id: "cone_b_cubed",
    label: "CONE B³",
    summary: "B³ of the named mentions",
    references: &["lin-2010"],
    parameters: &[],
    kind: Kind::OfNamed { tally: tally_b_cubed, score },
};

/// # CONE CEAF
///
/// What it measures: CEAF as far as names tell it.
///
/// Definition: both sides are pruned to their named mentions; an entity left without any vanishes. CONE CEAF is
/// CEAF φ3 (see `ceaf_m`) of what is left.
///
/// Edge cases: as of CONE B³ (see `cone_b_cubed`).
///
/// Example: key `{A B C 1 2 3 4}`, response `{A C 1 2 4} {B 3}`, letters being names: `{A B C}` and `{A C} {B}`,
/// 2/3 both ways.
///
/// References: lin-2010; luo-2005 for CEAF.
///
/// Other scorers: none has it.
pub(super) const CEAF: MetricSpec = MetricSpec {
    id: "cone_ceaf",
    label: "CONE CEAF",
    summary: "CEAF φ3 of the named mentions",
    references: &["lin-2010", "luo-2005"],
    parameters: &[],
    kind: Kind::OfNamed { tally: tally_ceaf, score },
};

fn tally_b_cubed(named: &AlignedPair, _: &Metric, into: &mut Tally) {
    b_cubed::tally(named, &Metric::new(&b_cubed::SPEC), into);
}

fn tally_ceaf(named: &AlignedPair, metric: &Metric, into: &mut Tally) {
    ceaf::tally_phi_3(named, metric, into);
}

fn score(tally: &RealTally, _: &Metric, _: &Rules) -> Score {
    tally.first.score()
}
