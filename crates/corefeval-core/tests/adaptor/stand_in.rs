//! Stands in for the library until it scores partitions: the same metrics from the table of shared
//! mentions, so that the twins have something of another kind to agree with. To be deleted then.

use num_traits::{ToPrimitive, Zero};

use crate::twins::{self, Counts, Entity, Fraction, Score, Tally, fraction, whole};

/// Counts and score of one document.
pub fn score_partitions(
    key: &[Vec<u32>],
    response: &[Vec<u32>],
    metric: &str,
) -> (Tally, [f64; 3]) {
    let (key, response) = (&twins::entities(key), &twins::entities(response));
    let (recall, precision) = (Table::new(key, response), Table::new(response, key));
    let both = |side: &dyn Fn(&Table) -> (Fraction, Fraction)| {
        let (recall, precision) = (side(&recall), side(&precision));
        let counts = Counts {
            recall_num: recall.0,
            recall_den: recall.1,
            precision_num: precision.0,
            precision_den: precision.1,
        };
        (Tally::one(counts.clone()), counts.score())
    };
    let (tally, score) = match metric {
        "mentions" => both(&|t| (whole(t.shared()), whole(t.mentions()))),
        "muc" => both(&|t| {
            (
                t.sum(|c| whole(c.shared - 1)),
                whole(t.mentions() - t.sizes.len()),
            )
        }),
        "b_cubed" => both(&|t| {
            (
                t.sum(|c| fraction(c.shared * c.shared, c.size)),
                whole(t.mentions()),
            )
        }),
        "b_cubed:weight=entity" => both(&|t| {
            (
                t.sum(|c| fraction(c.shared * c.shared, c.size * c.size)),
                whole(t.sizes.len()),
            )
        }),
        "ceaf_1" => both(&|t| {
            let same = |c: &&Cell| c.size == c.shared && c.other_size == c.shared;
            (
                whole(t.cells.iter().filter(same).count()),
                whole(t.sizes.len()),
            )
        }),
        "ceaf_2" => both(&|t| (t.best(|_| whole(1)), whole(t.sizes.len()))),
        "ceaf_m" => both(&|t| (t.best(|c| whole(c.shared)), whole(t.mentions()))),
        "ceaf_e" => both(&|t| {
            (
                t.best(|c| fraction(2 * c.shared, c.size + c.other_size)),
                whole(t.sizes.len()),
            )
        }),
        "lea" => both(&|t| (t.sum(|c| whole(c.size) * c.resolved()), whole(t.mentions()))),
        "lea:importance=uniform" => both(&|t| (t.sum(Cell::resolved), whole(t.sizes.len()))),
        "pairwise" => both(&|t| (whole(t.together_in_both()), whole(t.links()))),
        "rand" => both(&|t| {
            let pairs = pairs(t.shared());
            let agree =
                pairs + 2 * t.together_in_both() - t.common_links(false) - t.common_links(true);
            (whole(agree), whole(pairs))
        }),
        "adjusted_rand" => {
            let (i, n) = (recall.together_in_both(), pairs(recall.shared()));
            let (a, b) = (recall.common_links(false), recall.common_links(true));
            let first = Counts::integers((i, a), (i, b));
            let tally = Tally {
                first,
                second: Counts::integers((n, n), (n, n)),
            };
            let above = whole(i * n) - whole(a * b);
            let share = |den: usize| twins::ratio(&above, &whole(den));
            let (a_room, b_room) = (a * n - a * b, b * n - a * b);
            let f1 = whole(2) * share(a_room + b_room);
            (
                tally,
                Score {
                    recall: share(a_room),
                    precision: share(b_room),
                    f1,
                },
            )
        }
        "blanc" | "blanc:halves=key" | "blanc:halves=either" => {
            let i = recall.together_in_both();
            let first = Counts::integers((i, recall.links()), (i, precision.links()));
            let apart =
                pairs(recall.shared()) + i - recall.common_links(false) - recall.common_links(true);
            let all = |t: &Table| pairs(t.mentions()) - t.links();
            let second = Counts::integers((apart, all(&recall)), (apart, all(&precision)));
            let either = metric == "blanc:halves=either";
            let counted: Vec<Score> = [&first, &second]
                .into_iter()
                .filter(|half| {
                    !half.recall_den.is_zero() || either && !half.precision_den.is_zero()
                })
                .map(Counts::score)
                .collect();
            let mean = |part: fn(&Score) -> &Fraction| {
                twins::ratio(&counted.iter().map(part).sum(), &whole(counted.len()))
            };
            let score = Score {
                recall: mean(|s| &s.recall),
                precision: mean(|s| &s.precision),
                f1: mean(|s| &s.f1),
            };
            (Tally { first, second }, score)
        }
        _ => panic!("no metric `{metric}`"),
    };
    let number = |part: &Fraction| part.to_f64().expect("scores are finite");
    (
        tally,
        [
            number(&score.recall),
            number(&score.precision),
            number(&score.f1),
        ],
    )
}

struct Cell {
    entity: usize,
    other: usize,
    size: usize,
    other_size: usize,
    shared: usize,
}

impl Cell {
    /// The share of the entity's links that this cell resolves.
    fn resolved(&self) -> Fraction {
        match (self.size, self.other_size) {
            (1, 1) => whole(1),
            (1, _) => whole(0),
            _ => fraction(pairs(self.shared), pairs(self.size)),
        }
    }
}

struct Table {
    sizes: Vec<usize>,
    others: usize,
    cells: Vec<Cell>,
}

impl Table {
    fn new(entities: &[Entity], others: &[Entity]) -> Table {
        let mut cells = Vec::new();
        for (entity, members) in entities.iter().enumerate() {
            for (other, other_members) in others.iter().enumerate() {
                let shared = members.intersection(other_members).count();
                if shared > 0 {
                    let (size, other_size) = (members.len(), other_members.len());
                    cells.push(Cell {
                        entity,
                        other,
                        size,
                        other_size,
                        shared,
                    });
                }
            }
        }
        Table {
            sizes: entities.iter().map(Entity::len).collect(),
            others: others.len(),
            cells,
        }
    }

    fn mentions(&self) -> usize {
        self.sizes.iter().sum()
    }

    fn shared(&self) -> usize {
        self.cells.iter().map(|cell| cell.shared).sum()
    }

    fn links(&self) -> usize {
        self.sizes.iter().map(|&size| pairs(size)).sum()
    }

    fn together_in_both(&self) -> usize {
        self.cells.iter().map(|cell| pairs(cell.shared)).sum()
    }

    /// Pairs of common mentions that corefer on this side, or on the other.
    fn common_links(&self, on_the_other: bool) -> usize {
        let mut common = vec![
            0;
            if on_the_other {
                self.others
            } else {
                self.sizes.len()
            }
        ];
        for cell in &self.cells {
            common[if on_the_other {
                cell.other
            } else {
                cell.entity
            }] += cell.shared;
        }
        common.into_iter().map(pairs).sum()
    }

    fn sum(&self, term: impl Fn(&Cell) -> Fraction) -> Fraction {
        self.cells.iter().map(term).sum()
    }

    /// The best one-to-one choice of cells: while a path of alternating cells, outside and inside
    /// the choice, adds to the total, take the one that adds most.
    fn best(&self, weight: impl Fn(&Cell) -> Fraction) -> Fraction {
        let weights: Vec<Fraction> = self.cells.iter().map(weight).collect();
        let mut chosen = vec![false; self.cells.len()];
        let mut total = Fraction::zero();
        loop {
            let taken_by = |entity: usize| {
                (0..chosen.len()).find(|&c| chosen[c] && self.cells[c].entity == entity)
            };
            let taken_from = |other: usize| {
                (0..chosen.len()).find(|&c| chosen[c] && self.cells[c].other == other)
            };
            // By entity of this side: the greatest gain of a path that ends by freeing it, and how.
            let mut gains: Vec<Option<(Fraction, Vec<usize>)>> = (0..self.sizes.len())
                .map(|entity| {
                    taken_by(entity)
                        .is_none()
                        .then(|| (Fraction::zero(), Vec::new()))
                })
                .collect();
            let mut best = (Fraction::zero(), Vec::new());
            for _ in 0..=self.sizes.len() {
                for (cell, Cell { entity, other, .. }) in self.cells.iter().enumerate() {
                    let Some((gain, path)) = &gains[*entity] else {
                        continue;
                    };
                    if chosen[cell] || path.contains(&cell) {
                        continue;
                    }
                    let mut gain = gain + &weights[cell];
                    let mut path = [path.as_slice(), &[cell]].concat();
                    match taken_from(*other) {
                        None if gain > best.0 => best = (gain, path),
                        None => {}
                        Some(given_up) => {
                            gain -= &weights[given_up];
                            path.push(given_up);
                            let freed = &mut gains[self.cells[given_up].entity];
                            if freed.as_ref().is_none_or(|old| gain > old.0) {
                                *freed = Some((gain, path));
                            }
                        }
                    }
                }
            }
            if best.0.is_zero() {
                return total;
            }
            total += best.0;
            for cell in best.1 {
                chosen[cell] = !chosen[cell];
            }
        }
    }
}

fn pairs(n: usize) -> usize {
    n * n.saturating_sub(1) / 2
}
