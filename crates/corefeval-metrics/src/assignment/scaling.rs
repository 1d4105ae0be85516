//! Auctions with falling increments: for cores in which single searches are too long.
//!
//! Both sides bid. Each vertex has a dual variable, the profit of a bidder or the price of an
//! item. With an increment `ε`, an assignment and its duals are *nearly right* if
//!
//! - `dual(b) ≥ 0`, `dual(i) ≥ 0`, and `dual(b) + dual(i) ≥ weight(b, i) - ε` on each edge;
//! - `dual(b) + dual(i) = weight(b, i)` where `b` has `i`;
//! - the dual of a vertex without partner is 0.
//!
//! An assignment of `k` pairs is then at most `k ε` short of the best. One *round* makes the
//! assignment of the round before nearly right for a smaller `ε`:
//!
//! 1. Pairs stay together if the bidder has no choice that is better by more than `ε`.
//! 2. Each bidder without item takes its best one and leaves itself the profit of its second
//!    choice less `ε`, which raises the item's price by `ε` at least. Whoever had the item bids
//!    next. A bidder to whom no item is worth more than `ε` gets none.
//! 3. Items that nobody has and whose price is still above 0 bid for bidders in the same way
//!    (Bertsekas & Castañon 1992). That leaves no bidder without an item that had one.
//!
//! Weights are multiplied by a number above that of bidders, so that a best assignment is found
//! when `ε` is 1. Long before, the assignment is usually a best one and only the duals are not:
//! [`Auction::prove`] then finds duals that are right without any `ε`, which prove it.

use std::collections::VecDeque;
use std::mem;

use super::NONE;

/// The increment falls by this factor from round to round: 3 bits. Factors of 4 to 16 cost about the same.
const FALL: u32 = 3;

/// A proof is tried once the increment is this many bits below the heaviest weight.
const PROOF_AFTER: u32 = 20;

/// Steps per bidder after which an attempt to prove gives up. Attempts that succeed take two to seven.
const PROOF_STEPS: usize = 10;

/// One side of the graph: bidders or items.
#[derive(Clone, Debug)]
struct Vertices {
    /// Edges of vertex `v`: `targets` and `weights` from `starts[v]` to `starts[v + 1]`.
    starts: Vec<u32>,
    targets: Vec<u32>,
    weights: Vec<i128>,
    dual: Vec<i128>,
    /// The vertex of the other side that each has, or `NONE`.
    partner: Vec<u32>,
}

/// What a vertex gains by its best edge and by its second best, and where the best one leads.
struct BestEdges {
    first: i128,
    second: i128,
    target: u32,
    weight: i128,
}

impl Vertices {
    fn len(&self) -> usize {
        self.partner.len()
    }

    fn edges(&self, vertex: usize) -> impl Iterator<Item = (u32, i128)> {
        let edges = self.starts[vertex] as usize..self.starts[vertex + 1] as usize;
        self.targets[edges.clone()].iter().copied().zip(self.weights[edges].iter().copied())
    }

    /// The weight of the edge between a vertex and what it has.
    fn weight_held(&self, vertex: usize) -> i128 {
        let held = self.partner[vertex];
        self.edges(vertex).find(|edge| edge.0 == held).map_or(0, |edge| edge.1)
    }

    /// The edges seen from the other side.
    fn transposed(&self, others: usize) -> Vertices {
        let mut starts = vec![0; others + 1];
        for &target in &self.targets {
            starts[target as usize + 1] += 1;
        }
        for vertex in 0..others {
            starts[vertex + 1] += starts[vertex];
        }
        let mut place = starts.clone();
        let mut targets = vec![0; self.targets.len()];
        let mut weights = vec![0; self.targets.len()];
        for vertex in 0..self.len() {
            for (target, weight) in self.edges(vertex) {
                let place = &mut place[target as usize];
                targets[*place as usize] = vertex as u32;
                weights[*place as usize] = weight;
                *place += 1;
            }
        }
        Vertices { starts, targets, weights, dual: vec![0; others], partner: vec![NONE; others] }
    }

    /// The best of what a vertex can choose; to choose nothing gains 0.
    fn choose(&self, vertex: u32, others: &Vertices) -> BestEdges {
        let mut choice = BestEdges { first: 0, second: 0, target: NONE, weight: 0 };
        for (target, weight) in self.edges(vertex as usize) {
            let gain = weight - others.dual[target as usize];
            if gain > choice.first {
                choice = BestEdges { first: gain, second: choice.first, target, weight };
            } else if gain > choice.second {
                choice.second = gain;
            }
        }
        choice
    }

    /// Lets the waiting vertices bid, and those they displace, until none waits.
    fn bid(&mut self, others: &mut Vertices, epsilon: i128, waiting: &mut Vec<u32>) {
        while let Some(mut vertex) = waiting.pop() {
            loop {
                let choice = self.choose(vertex, others);
                if choice.first <= epsilon {
                    self.dual[vertex as usize] = 0;
                    break;
                }
                let target = choice.target as usize;
                let kept = (choice.second - epsilon).max(0);
                self.dual[vertex as usize] = kept;
                others.dual[target] = choice.weight - kept;
                self.partner[vertex as usize] = choice.target;
                let displaced = mem::replace(&mut others.partner[target], vertex);
                if displaced == NONE {
                    break;
                }
                self.partner[displaced as usize] = NONE;
                if self.dual[displaced as usize] == 0 {
                    break;
                }
                vertex = displaced;
            }
        }
    }
}

/// A core whose assignment is being found by auctions.
#[derive(Clone, Debug)]
pub(super) struct Auction {
    bidders: Vertices,
    items: Vertices,
    /// What the weights were multiplied by.
    factor: i128,
}

impl Auction {
    /// Sets up an auction of edges as `search::Core` keeps them. `None` if weights times bidders do not fit `i128`.
    pub(super) fn new(
        starts: &[u32],
        targets: &[u32],
        weights: impl Iterator<Item = i128> + Clone,
        items: usize,
    ) -> Option<Auction> {
        let bidders = starts.len() - 1;
        let factor = bidders as i128 + 1;
        // Gains and duals stay between the heaviest weight and its negative.
        weights.clone().max().unwrap_or(0).checked_mul(2 * factor)?;
        let bidders = Vertices {
            starts: starts.to_vec(),
            targets: targets.to_vec(),
            weights: weights.map(|weight| weight * factor).collect(),
            dual: vec![0; bidders],
            partner: vec![NONE; bidders],
        };
        let items = bidders.transposed(items);
        Some(Auction { bidders, items, factor })
    }

    /// Finds a best assignment and the duals that prove it.
    pub(super) fn run(&mut self) {
        let heaviest = self.bidders.weights.iter().copied().max().unwrap_or(0);
        let mut epsilon = (heaviest >> 2).max(1);
        loop {
            self.round(epsilon);
            if epsilon == 1 {
                let proved = self.prove(usize::MAX);
                debug_assert!(proved, "an increment of 1 leaves a best assignment");
                return;
            }
            if epsilon <= (heaviest >> PROOF_AFTER).max(self.factor)
                && self.prove(PROOF_STEPS * self.bidders.len())
            {
                return;
            }
            epsilon = (epsilon >> FALL).max(1);
        }
    }

    /// The item of each bidder, and of each bidder the profit, of each item the price, in the caller's unit.
    pub(super) fn solution(&self) -> (&[u32], impl Iterator<Item = i128>, impl Iterator<Item = i128>) {
        // Right duals of whole multiples stay right when all prices are rounded down to multiples: a difference of
        // prices that is at least a multiple stays so.
        let price = |item: usize| self.items.dual[item].div_euclid(self.factor);
        let profits = (0..self.bidders.len()).map(move |bidder| {
            let held = self.bidders.partner[bidder];
            if held == NONE {
                0
            } else {
                self.bidders.weight_held(bidder) / self.factor - price(held as usize)
            }
        });
        (&self.bidders.partner, profits, (0..self.items.len()).map(price))
    }

    /// Makes the assignment nearly right for an increment.
    fn round(&mut self, epsilon: i128) {
        let mut waiting = Vec::new();
        for bidder in 0..self.bidders.len() {
            let first = self.bidders.choose(bidder as u32, &self.items).first;
            let held = self.bidders.partner[bidder];
            if held != NONE {
                let gain = self.bidders.weight_held(bidder) - self.items.dual[held as usize];
                if gain >= 0 && gain >= first - epsilon {
                    self.bidders.dual[bidder] = gain;
                    continue;
                }
                self.bidders.partner[bidder] = NONE;
                self.items.partner[held as usize] = NONE;
            }
            // Bidders that find nothing worth `epsilon` settle for 0 when they bid.
            waiting.push(bidder as u32);
        }
        self.bidders.bid(&mut self.items, epsilon, &mut waiting);
        let free =
            |item: &u32| self.items.partner[*item as usize] == NONE && self.items.dual[*item as usize] > 0;
        waiting.extend((0..self.items.len() as u32).filter(free));
        self.items.bid(&mut self.bidders, epsilon, &mut waiting);
    }

    /// Looks for duals that prove the assignment to be a best one, and keeps their prices if it finds them.
    ///
    /// If the assignment is not a best one, the prices that the edges ask for rise without end; `steps` bounds how many
    /// bidders are looked at.
    fn prove(&mut self, steps: usize) -> bool {
        let mut proof = Proof::new(&self.bidders, &self.items, steps);
        let proved = proof.settle(&self.bidders, &self.items).is_some();
        if proved {
            for (item, price) in proof.price.into_iter().enumerate() {
                let free = self.items.partner[item] == NONE;
                self.items.dual[item] = if free { 0 } else { price - proof.zero };
            }
        }
        proved
    }
}

/// Prices on their way up to what all edges ask for, as in the algorithm of Bellman and Ford.
///
/// The profit of a bidder is what its item leaves it, so prices are all there is to find. The item of bidder `b` with the
/// price `p` and the weight `w` asks for a price of at least `v - w + p` at the other end of each other edge of `b`, of
/// weight `v`.
struct Proof {
    price: Vec<i128>,
    /// The price of items that nobody has, and the profit of bidders without item, which have to be 0 in the end. It
    /// rises like the others and is then subtracted from all.
    zero: i128,
    /// The weight of what each bidder has.
    weights: Vec<i128>,
    /// Bidders to look at, and whether a bidder is among them.
    waiting: VecDeque<u32>,
    waits: Vec<bool>,
    /// How many bidders may still be looked at.
    steps: usize,
}

impl Proof {
    fn new(bidders: &Vertices, items: &Vertices, steps: usize) -> Self {
        let with = |&bidder: &u32| bidders.partner[bidder as usize] != NONE;
        let waiting: VecDeque<u32> = (0..bidders.len() as u32).filter(with).collect();
        let waits = bidders.partner.iter().map(|&item| item != NONE).collect();
        let weights = (0..bidders.len()).map(|bidder| bidders.weight_held(bidder)).collect();
        // Items that nobody has have a price of 0 already.
        Self { price: items.dual.clone(), zero: 0, weights, waiting, waits, steps }
    }

    /// Raises prices until all edges have what they ask for. `None` if the steps do not suffice.
    fn settle(&mut self, bidders: &Vertices, items: &Vertices) -> Option<()> {
        loop {
            while let Some(bidder) = self.waiting.pop_front() {
                self.waits[bidder as usize] = false;
                self.steps = self.steps.checked_sub(1)?;
                let bidder = bidder as usize;
                let held = bidders.partner[bidder];
                let base = self.price[held as usize] - self.weights[bidder];
                // A profit is not below 0.
                self.zero = self.zero.max(base);
                for (item, weight) in bidders.edges(bidder) {
                    match items.partner[item as usize] {
                        NONE => self.zero = self.zero.max(base + weight),
                        holder => self.raise(item, base + weight, holder),
                    }
                }
            }
            // No price is below 0, and bidders without item are content with that.
            self.steps = self.steps.checked_sub(bidders.len())?;
            for (item, &holder) in (0..).zip(&items.partner) {
                if holder != NONE {
                    self.raise(item, self.zero, holder);
                }
            }
            for bidder in (0..bidders.len()).filter(|&bidder| bidders.partner[bidder] == NONE) {
                for (item, weight) in bidders.edges(bidder) {
                    match items.partner[item as usize] {
                        // Such a pair would weigh something.
                        NONE => return None,
                        holder => self.raise(item, self.zero + weight, holder),
                    }
                }
            }
            if self.waiting.is_empty() {
                return Some(());
            }
        }
    }

    fn raise(&mut self, item: u32, least: i128, holder: u32) {
        if self.price[item as usize] < least {
            self.price[item as usize] = least;
            if !mem::replace(&mut self.waits[holder as usize], true) {
                self.waiting.push_back(holder);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An auction of (bidder, item, weight) edges, which are in order of bidder.
    fn auction(bidders: usize, items: usize, edges: &[(u32, u32, i128)]) -> Auction {
        let starts: Vec<u32> = (0..=bidders)
            .map(|bidder| edges.partition_point(|edge| (edge.0 as usize) < bidder) as u32)
            .collect();
        let targets: Vec<u32> = edges.iter().map(|edge| edge.1).collect();
        Auction::new(&starts, &targets, edges.iter().map(|edge| edge.2), items).expect("small weights")
    }

    /// Two bidders prefer the same item, by 3 and by 1. The one with less to lose gets the other.
    #[test]
    fn the_bidder_with_less_to_lose_gives_way() {
        let mut auction = auction(2, 2, &[(0, 0, 5), (0, 1, 2), (1, 0, 4), (1, 1, 3)]);
        auction.run();
        let (holds, profits, prices) = auction.solution();
        assert_eq!(holds, [0, 1]);
        let total = profits.sum::<i128>() + prices.sum::<i128>();
        assert_eq!(total, 8);
    }

    /// Three bidders for one item: two go without, and the price is at least what the second would give.
    #[test]
    fn bidders_go_without() {
        let mut auction = auction(3, 1, &[(0, 0, 3), (1, 0, 7), (2, 0, 5)]);
        auction.run();
        let (holds, profits, prices) = auction.solution();
        assert_eq!(holds, [NONE, 0, NONE]);
        let (profits, prices): (Vec<_>, Vec<_>) = (profits.collect(), prices.collect());
        assert!((5..=7).contains(&prices[0]));
        assert_eq!(profits, [0, 7 - prices[0], 0]);
    }

    /// An item that was raised and then left is worth 0 again, and whoever wants it gets it for nothing.
    #[test]
    fn items_that_nobody_has_cost_nothing() {
        let mut auction = auction(2, 3, &[(0, 0, 4), (0, 1, 4), (1, 0, 4), (1, 1, 4), (1, 2, 1)]);
        auction.run();
        let (holds, _, prices) = auction.solution();
        assert!(holds.iter().all(|&item| item < 2));
        assert_eq!(prices.last(), Some(0));
    }

    /// A weight beyond what can be multiplied is left to the searches.
    #[test]
    fn weights_too_large_are_refused() {
        assert!(Auction::new(&[0, 1], &[0], [i128::MAX / 3].into_iter(), 1).is_none());
    }

    /// Prices of a wrong assignment rise without end; the steps run out.
    #[test]
    fn a_wrong_assignment_is_not_proved() {
        let mut auction = auction(2, 2, &[(0, 0, 5), (0, 1, 2), (1, 0, 4), (1, 1, 3)]);
        auction.bidders.partner = vec![1, 0];
        auction.items.partner = vec![1, 0];
        assert!(!auction.prove(1_000));
        auction.bidders.partner = vec![0, 1];
        auction.items.partner = vec![0, 1];
        assert!(auction.prove(1_000));
    }
}
