//! Stands in for the library until it scores partitions: the same metrics from the table of shared
//! mentions, so that the twins have something of another kind to agree with. To be deleted then.

use num_traits::{ToPrimitive, Zero};

use crate::twins::{self, Counts, Entity, Fraction, fraction, whole};

pub use crate::twins::Tally;

/// Counts of one document.
pub fn tally(key: &[Vec<u32>], response: &[Vec<u32>], metric: &str) -> Tally {
    let (key, response) = (&twins::entities(key), &twins::entities(response));
    let (recall, precision) = (Table::new(key, response), Table::new(response, key));
    let both = |side: &dyn Fn(&Table) -> (Fraction, Fraction)| {
        let (recall, precision) = (side(&recall), side(&precision));
        Tally::one(Counts {
            recall_num: recall.0,
            recall_den: recall.1,
            precision_num: precision.0,
            precision_den: precision.1,
        })
    };
    let (in_key, in_response) = (recall.common_links(), precision.common_links());
    let (in_both, pairs) = (recall.together_in_both(), pairs(recall.shared()));
    match metric {
        "mentions" => both(&|t| (whole(t.shared()), whole(t.mentions()))),
        "muc" => both(&|t| {
            (
                t.sum(|c| whole(c.shared - 1)),
                whole(t.mentions() - t.entities()),
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
                whole(t.entities()),
            )
        }),
        "ceaf_1" => both(&|t| (t.sum(|c| whole(c.equal())), whole(t.entities()))),
        "ceaf_2" => both(&|t| (t.best(|_| whole(1)), whole(t.entities()))),
        "ceaf_m" => both(&|t| (t.best(|c| whole(c.shared)), whole(t.mentions()))),
        "ceaf_e" => both(&|t| {
            (
                t.best(|c| fraction(2 * c.shared, c.size + c.other_size)),
                whole(t.entities()),
            )
        }),
        "lea" => both(&|t| (t.sum(|c| whole(c.size) * c.resolved()), whole(t.mentions()))),
        "lea:importance=uniform" => both(&|t| (t.sum(Cell::resolved), whole(t.entities()))),
        "pairwise" => both(&|t| (whole(in_both), whole(t.links()))),
        "rand" => both(&|_| {
            (
                whole(pairs + 2 * in_both - in_key - in_response),
                whole(pairs),
            )
        }),
        "adjusted_rand" => Tally {
            first: Counts::integers((in_both, in_key), (in_both, in_response)),
            second: Counts::integers((pairs, pairs), (pairs, pairs)),
        },
        "blanc" | "blanc:halves=key" | "blanc:halves=either" => {
            let apart = pairs + in_both - in_key - in_response;
            Tally {
                first: Counts::integers((in_both, recall.links()), (in_both, precision.links())),
                second: Counts::integers(
                    (apart, recall.non_links()),
                    (apart, precision.non_links()),
                ),
            }
        }
        _ => panic!("no metric `{metric}`"),
    }
}

/// Recall, precision and F1 of summed counts.
pub fn score(tally: &Tally, metric: &str) -> [f64; 3] {
    let number = |part: &Fraction| part.to_f64().expect("counts are finite");
    let ratio = |numerator: f64, denominator: f64| {
        if denominator == 0.0 {
            0.0
        } else {
            numerator / denominator
        }
    };
    let of = |counts: &Counts| {
        let recall = ratio(number(&counts.recall_num), number(&counts.recall_den));
        let precision = ratio(number(&counts.precision_num), number(&counts.precision_den));
        [
            recall,
            precision,
            ratio(2.0 * recall * precision, recall + precision),
        ]
    };
    match metric.split(':').next() {
        Some("blanc") => {
            let either = metric == "blanc:halves=either";
            let halves: Vec<[f64; 3]> = [&tally.first, &tally.second]
                .into_iter()
                .filter(|half| {
                    !half.recall_den.is_zero() || either && !half.precision_den.is_zero()
                })
                .map(of)
                .collect();
            [0, 1, 2].map(|part| {
                ratio(
                    halves.iter().map(|half| half[part]).sum(),
                    halves.len() as f64,
                )
            })
        }
        Some("adjusted_rand") => {
            let counts = &tally.first;
            let (i, n) = (number(&counts.recall_num), number(&tally.second.recall_den));
            let (a, b) = (number(&counts.recall_den), number(&counts.precision_den));
            let rooms = [
                a * n - a * b,
                b * n - a * b,
                ((a + b) * n - 2.0 * a * b) / 2.0,
            ];
            rooms.map(|room| ratio(i * n - a * b, room))
        }
        _ => of(&tally.first),
    }
}

struct Cell {
    entity: usize,
    other: usize,
    size: usize,
    other_size: usize,
    shared: usize,
}

impl Cell {
    /// 1 if the two entities are equal.
    fn equal(&self) -> usize {
        usize::from(self.size == self.shared && self.other_size == self.shared)
    }

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
            cells,
        }
    }

    fn entities(&self) -> usize {
        self.sizes.len()
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

    fn non_links(&self) -> usize {
        pairs(self.mentions()) - self.links()
    }

    /// Pairs of common mentions that corefer on this side.
    fn common_links(&self) -> usize {
        let mut common = vec![0; self.entities()];
        for cell in &self.cells {
            common[cell.entity] += cell.shared;
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
