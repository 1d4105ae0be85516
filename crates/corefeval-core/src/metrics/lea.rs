//! LEA: how important an entity is, times how well it is resolved.

use super::{Kind, Metric, MetricSpec, ParameterSpec, Rules, add_weights, pairs};
use crate::fraction::FractionSum;
use crate::overlap::{AlignedPair, Cell};
use crate::tally::{Score, Tally};

/// # LEA
///
/// What it measures: for each entity, the share of its coreference links that the other side has,
/// weighted by how important the entity is.
///
/// Definition: recall = Σ importance(K) · Σ links(K ∩ R) / links(K) / Σ importance(K) over key
/// entities K and all response entities R, where n mentions have links(n) = n (n − 1) / 2; a
/// singleton has one link to itself, which only the same singleton resolves. Precision with key and
/// response exchanged. `importance=size` (the paper's) is |K|; `importance=uniform` is 1.
///
/// Edge cases: a side without mentions scores 0. A mention that the other side puts in no entity
/// resolves nothing.
///
/// Example: key `{a b c} {d e f g}`, response `{a b} {c d} {f g h i}`: recall (3·1/3 + 4·1/6)/7,
/// precision (2·1 + 2·0 + 4·1/6)/8.
///
/// References: moosavi-2016.
///
/// Other scorers: the LEA branch of the reference scorer and coval agree. The Universal Anaphora
/// scorer adds a weight for entities with split antecedents.
pub(super) const SPEC: MetricSpec = MetricSpec {
    id: "lea",
    label: "LEA",
    summary: "link-based entity-aware: importance of each entity times its resolved links",
    references: &["moosavi-2016"],
    parameters: &[ParameterSpec {
        name: "importance",
        values: &["size", "uniform"],
        summary: "what an entity weighs: its mentions, or one",
    }],
    kind: Kind::Counted { tally, score, halves: None },
};

fn tally(pair: &AlignedPair, metric: &Metric, into: &mut Tally) {
    let uniform = metric.value("importance") == 1;
    let recall = pair.recall_view();
    let precision = pair.precision_view();
    let counts = &mut into.first;
    let sides = |cell: &Cell| (cell.key, cell.response);
    add_side(
        &mut counts.recall_num,
        recall.cells(),
        sides,
        (recall.key_sizes(), recall.response_sizes()),
        uniform,
    );
    let sides = |cell: &Cell| (cell.response, cell.key);
    add_side(
        &mut counts.precision_num,
        precision.cells(),
        sides,
        (precision.response_sizes(), precision.key_sizes()),
        uniform,
    );
    add_weights(pair, uniform, counts);
}

fn add_side(
    sum: &mut FractionSum,
    cells: &[Cell],
    sides: impl Fn(&Cell) -> (u32, u32),
    (sizes, other_sizes): (&[u32], &[u32]),
    uniform: bool,
) {
    for cell in cells {
        let (entity, other) = sides(cell);
        let size = u64::from(sizes[entity as usize]);
        if size == 1 {
            sum.add_integer(i128::from(other_sizes[other as usize] == 1));
        } else if cell.shared > 1 {
            let resolved = u128::from(pairs(cell.shared.into()));
            // |K| · resolved / (|K| (|K| − 1) / 2) = 2 · resolved / (|K| − 1)
            match uniform {
                true => sum.add_fraction(resolved, pairs(size)),
                false => sum.add_fraction(2 * resolved, size - 1),
            }
        }
    }
}

fn score(tally: &Tally, _: &Metric, _: &Rules) -> Score {
    tally.first.score()
}
