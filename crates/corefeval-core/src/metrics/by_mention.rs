//! What a single mention adds to a metric's counts, for scores by groups of mentions.
//!
//! Recall is what mentions of the key find of what there is to find for them, and precision the same of the response:
//! every count of these metrics is a sum over mentions of one side, so that groups of mentions have counts of their
//! own, which add up to those of the corpus. A link belongs half to each of its two mentions; what is counted for an
//! entity as a whole belongs to its mentions in equal parts.

use super::ceaf::{Similarity, best_map};
use super::{METRICS, Metric};
use crate::error::{Error, ErrorKind};
use crate::formats::Side;
use crate::overlap::{AlignedPair, Cell, Overlap, View};

/// One row of the table of shares.
pub struct MentionShare {
    /// The metric.
    pub id: &'static str,
    /// What a mention adds to the numerator, and to the denominator, in a line: E is its entity, and n the number of
    /// mentions that E shares with the other side's entity that holds the mention (0 where none does).
    pub summary: &'static str,
    /// By half, for one side.
    shares: fn(&AlignedPair, &Metric, Side) -> Vec<Shares>,
}

/// What each mention of a side adds to one pair of counts.
#[derive(Clone, Debug)]
pub(crate) struct Shares {
    /// The table of shared mentions that they follow from.
    pub(crate) view: View,
    /// What a shared mention adds to the numerator, by the cell of the view.
    pub(crate) found: Vec<Share>,
    /// What a mention adds to the denominator.
    pub(crate) all: All,
}

/// What a mention adds to the denominator.
#[derive(Clone, Debug)]
pub(crate) enum All {
    /// By its entity, numbered as on its side.
    OfEntities(Vec<Share>),
    /// By the cell of the view; only shared mentions count.
    OfCells(Vec<Share>),
}

/// A fraction of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Share {
    pub(crate) numerator: u64,
    pub(crate) denominator: u64,
}

const NOTHING: Share = Share { numerator: 0, denominator: 1 };
const ONE: Share = Share { numerator: 1, denominator: 1 };

impl Share {
    /// A fraction; nothing where there is nothing to divide by.
    fn of(numerator: u64, denominator: u64) -> Share {
        if denominator == 0 { NOTHING } else { Share { numerator, denominator } }
    }

    /// Half of a whole number.
    fn half(number: u64) -> Share {
        Share::of(number, 2)
    }
}

/// The metrics whose counts are sums over mentions.
///
/// CEAF's are those of one best map of the entities; where several maps are as good, mentions may do better in
/// another, and only the sums are the same. Weights (`--weights`) and split antecedents have no shares.
pub static MENTION_SHARES: &[MentionShare] = &[
    MentionShare {
        id: "mentions",
        summary: "1 if the other side has it, of 1",
        shares: |pair, _, side| vec![of_cells(pair, side, |_| ONE, |_| ONE)],
    },
    MentionShare {
        id: "muc",
        summary: "(n − 1) / n, of (|E| − 1) / |E|",
        shares: |pair, _, side| {
            let links = |size: u64| Share::of(size - 1, size);
            vec![of_cells(pair, side, |cell| links(cell.shared), links)]
        },
    },
    MentionShare {
        id: "b_cubed",
        summary: "n / |E|, of 1; with weight=entity that / |E|",
        shares: |pair, metric, side| {
            let entities = metric.value("weight") == 1;
            let weight = |size: u64| if entities { size } else { 1 };
            vec![of_cells(
                pair,
                side,
                |cell| Share::of(cell.shared, cell.own * weight(cell.own)),
                |size| Share::of(1, weight(size)),
            )]
        },
    },
    MentionShare {
        id: "ceaf_1",
        summary: "1 / |E| if the best map gives E its equal, of 1 / |E|",
        shares: |pair, _, side| mapped(pair, side, Similarity::Phi1, |_| 1, |_| 1),
    },
    MentionShare {
        id: "ceaf_2",
        summary: "1 / n if the best map gives E the entity of the other side that holds it, of 1 / |E|",
        shares: |pair, _, side| mapped(pair, side, Similarity::Phi2, |_| 1, |_| 1),
    },
    MentionShare {
        id: "ceaf_m",
        summary: "1 if the best map gives E the entity of the other side that holds it, of 1",
        shares: |pair, _, side| {
            let overlap = pair.view(View::Similarity);
            let found = chosen(pair, Similarity::Phi3, overlap);
            vec![of_view(
                pair,
                side,
                View::Similarity,
                |place, _| if found[place] { ONE } else { NOTHING },
                |_| ONE,
            )]
        },
    },
    MentionShare {
        id: "ceaf_e",
        summary: "2 / (|E| + |F|) if the best map gives E the entity F of the other side that holds it, of 1 / |E|",
        shares: |pair, _, side| phi_4(pair, side),
    },
    MentionShare {
        id: "blanc",
        summary: "half of its links that both sides have, of half of its links: coreference links and the others apart",
        shares: |pair, _, side| blanc(pair, side),
    },
    MentionShare {
        id: "lea",
        summary: "(n − 1) / (|E| − 1), of 1; with importance=uniform that / |E|; of a singleton 1 if it is one there",
        shares: |pair, metric, side| {
            let uniform = metric.value("importance") == 1;
            let weight = |size: u64| if uniform { size } else { 1 };
            let found = |cell: SidedCell| match cell.own {
                1 => {
                    if cell.other == 1 {
                        ONE
                    } else {
                        NOTHING
                    }
                }
                size => Share::of(cell.shared - 1, (size - 1) * weight(size)),
            };
            vec![of_cells(pair, side, found, |size| Share::of(1, weight(size)))]
        },
    },
    MentionShare {
        id: "pairwise",
        summary: "half of its links that both sides have, (n − 1) / 2, of (|E| − 1) / 2",
        shares: |pair, _, side| vec![links(pair, side, own_view(side))],
    },
    MentionShare {
        id: "rand",
        summary: "half of its pairs with common mentions on which both sides agree, of half of them; only common mentions count",
        shares: |pair, _, side| rand(pair, side),
    },
];

impl MentionShare {
    /// That of a metric; none where its counts are no sums over mentions, as with weights by type.
    pub fn of(metric: &Metric) -> Option<&'static MentionShare> {
        let plain = !metric.uses_weights() && !metric.credits_words();
        MENTION_SHARES.iter().find(|row| plain && row.id == metric.spec().id)
    }

    /// Whether `metric` has scores by groups of mentions: it has shares, or is the mean of metrics that do.
    pub fn is_there_for(metric: &Metric) -> bool {
        match metric.parts() {
            Some(parts) => parts.iter().all(|part| MentionShare::of(part).is_some()),
            None => MentionShare::of(metric).is_some(),
        }
    }

    /// The error for metrics of which none has scores by groups of mentions.
    pub fn missing(by: &str) -> Error {
        let ids: Vec<&str> = METRICS
            .iter()
            .filter(|spec| MentionShare::is_there_for(&Metric::new(spec)))
            .map(|spec| spec.id)
            .collect();
        Error::new(ErrorKind::Settings, format!("none of these metrics has a score by {by}"))
            .hint(format!("those that have one are {}; weights by type have none", ids.join(", ")))
    }

    /// For each half what the mentions of a side add to it.
    pub(crate) fn shares(&self, pair: &AlignedPair, metric: &Metric, side: Side) -> Vec<Shares> {
        (self.shares)(pair, metric, side)
    }
}

/// A cell as a side sees it.
#[derive(Clone, Copy)]
struct SidedCell {
    /// The size of the side's entity.
    own: u64,
    /// That of the other side's.
    other: u64,
    /// Mentions in common.
    shared: u64,
}

/// The table that a side's own mentions are looked up in.
fn own_view(side: Side) -> View {
    match side {
        Side::Key => View::Recall,
        Side::Response => View::Precision,
    }
}

fn own_sizes(overlap: &Overlap, side: Side) -> &[u32] {
    match side {
        Side::Key => overlap.key_sizes(),
        Side::Response => overlap.response_sizes(),
    }
}

fn sided(overlap: &Overlap, cell: &Cell, side: Side) -> SidedCell {
    let (key, response) =
        (overlap.key_sizes()[cell.key as usize], overlap.response_sizes()[cell.response as usize]);
    let (own, other) = match side {
        Side::Key => (key, response),
        Side::Response => (response, key),
    };
    SidedCell { own: own.into(), other: other.into(), shared: cell.shared.into() }
}

/// Shares by the sizes of a cell and of an entity, in the side's own view.
fn of_cells(
    pair: &AlignedPair,
    side: Side,
    found: impl Fn(SidedCell) -> Share,
    all: impl Fn(u64) -> Share,
) -> Shares {
    of_view(pair, side, own_view(side), |_, cell| found(cell), all)
}

/// Shares by the place and the sizes of a cell, and by the size of an entity.
fn of_view(
    pair: &AlignedPair,
    side: Side,
    view: View,
    found: impl Fn(usize, SidedCell) -> Share,
    all: impl Fn(u64) -> Share,
) -> Shares {
    let overlap = pair.view(view);
    let cells = overlap.cells().iter().enumerate();
    let found = cells.map(|(place, cell)| found(place, sided(overlap, cell, side))).collect();
    let sizes = own_sizes(pair.view(own_view(side)), side).iter();
    Shares { view, found, all: All::OfEntities(sizes.map(|&size| all(size.into())).collect()) }
}

/// For each cell whether the best map pairs its entities.
fn chosen(pair: &AlignedPair, similarity: Similarity, overlap: &Overlap) -> Vec<bool> {
    let mut chosen = vec![false; overlap.cells().len()];
    for (key, response) in best_map(pair, similarity) {
        chosen[overlap.place(key, response)] = true;
    }
    chosen
}

/// Of a similarity that counts entities: what the best map gives E is shared by the mentions in common.
fn mapped(
    pair: &AlignedPair,
    side: Side,
    similarity: Similarity,
    found: impl Fn(SidedCell) -> u64,
    all: impl Fn(u64) -> u64,
) -> Vec<Shares> {
    let chosen = chosen(pair, similarity, pair.view(View::Similarity));
    let share = |place: usize, cell: SidedCell| match chosen[place] {
        true => Share::of(found(cell), cell.shared),
        false => NOTHING,
    };
    vec![of_view(pair, side, View::Similarity, share, |size| Share::of(all(size), size))]
}

fn phi_4(pair: &AlignedPair, side: Side) -> Vec<Shares> {
    let chosen = chosen(pair, Similarity::Phi4, pair.view(View::Similarity));
    let share = |place: usize, cell: SidedCell| match chosen[place] {
        true => Share::of(2, cell.own + cell.other),
        false => NOTHING,
    };
    // Where singletons of the response are left out they count nothing.
    let dropped = pair.drops_response_singletons() && side == Side::Response;
    let all = |size: u64| if dropped && size == 1 { NOTHING } else { Share::of(1, size) };
    vec![of_view(pair, side, View::Similarity, share, all)]
}

/// Half of each coreference link, those in common as `view` counts them.
fn links(pair: &AlignedPair, side: Side, view: View) -> Shares {
    of_view(pair, side, view, |_, cell| Share::half(cell.shared - 1), |size| Share::half(size - 1))
}

/// For each cell the pairs that one of its mentions makes with common mentions that are with it on neither side.
fn apart_on_both(overlap: &Overlap) -> Vec<u64> {
    let shared = overlap.shared_mentions();
    let key: Vec<u64> = overlap.key_shared().map(u64::from).collect();
    let response = overlap.response_shared();
    let apart = |cell: &Cell| {
        let together = key[cell.key as usize] + u64::from(response[cell.response as usize]);
        shared + u64::from(cell.shared) - together
    };
    overlap.cells().iter().map(apart).collect()
}

fn blanc(pair: &AlignedPair, side: Side) -> Vec<Shares> {
    // Links in common are those of the view for recall on both sides.
    let together = links(pair, side, View::Recall);
    let apart = apart_on_both(pair.view(View::Recall));
    let own = pair.view(own_view(side));
    let mentions = match side {
        Side::Key => own.key_mentions(),
        Side::Response => own.response_mentions(),
    };
    let others = of_view(
        pair,
        side,
        View::Recall,
        |place, _| Share::half(apart[place]),
        |size| Share::half(mentions - size),
    );
    vec![together, others]
}

fn rand(pair: &AlignedPair, side: Side) -> Vec<Shares> {
    let overlap = pair.view(View::Similarity);
    let apart = apart_on_both(overlap);
    let shared = overlap.shared_mentions();
    let shares = of_view(
        pair,
        side,
        View::Similarity,
        |place, cell| Share::half(apart[place] + cell.shared - 1),
        |_| NOTHING,
    );
    let all = vec![Share::half(shared.saturating_sub(1)); overlap.cells().len()];
    vec![Shares { all: All::OfCells(all), ..shares }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_of_metrics() {
        for row in MENTION_SHARES {
            let metric = Metric::parse(row.id).expect("a metric");
            assert!(MentionShare::of(&metric).is_some() && !row.summary.is_empty());
        }
        let there = |id: &str| MentionShare::is_there_for(&Metric::parse(id).expect("a metric"));
        assert!(there("conll") && there("lea:importance=uniform"));
        assert!(!there("adjusted_rand") && !there("ace_value") && !there("ceaf_m:weight=mention-type"));
        assert!(MentionShare::missing("entity-size").remedy().is_some_and(|hint| hint.contains("conll")));
    }
}
