//! Auctions with falling increments, for cores in which single searches take too long.
//!
//! Both sides bid. Each vertex has a dual variable: the profit of a bidder or the price of an item.
//! With an increment `ε`, an assignment and its duals are *nearly right* if
//!
//! - `dual(b) ≥ 0`, `dual(i) ≥ 0`, and `dual(b) + dual(i) ≥ weight(b, i) - ε` on each edge;
//! - `dual(b) + dual(i) = weight(b, i)` if `b` has `i`;
//! - the dual of a vertex without a partner is 0.
//!
//! The total of an assignment of `k` pairs is then at most `k ε` below the best. A *round* makes
//! the assignment of the previous round nearly right for a smaller `ε`:
//!
//! 1. Pairs are kept if the bidder has no choice that is better by more than `ε`.
//! 2. Each bidder without an item takes its best one and leaves itself the profit of its second
//!    choice less `ε`, which raises the item's price by at least `ε`. The previous holder of the item
//!    bids next. A bidder to whom no item is worth more than `ε` gets none.
//! 3. Items without a holder whose price is still above 0 bid for bidders in the same way
//!    (Bertsekas & Castañon 1992). Every bidder that had an item still has one.
//!
//! If every vertex has a partner after a round, all prices may rise or fall by the same amount, which all profits make
//! up for. They are moved until the lowest price equals the lowest profit. Otherwise the next round would end with a bidder
//! that gives up and an item that lowers nearly all prices again, which takes as many bids as the rest of the round.
//!
//! With weights multiplied by a number greater than the number of bidders, a best assignment is found when `ε` is 1.
//! The assignment is usually a best one much earlier; only the duals are not yet right. [`Auction::prove`] then finds
//! duals that are right without any `ε`, which prove it.
//!
//! Bids spend most of their time waiting for memory. Rounds therefore use 32 bits at first, for the weights multiplied by
//! that number if this fits, otherwise for as many of their leading bits as fit. In the second case, the total after an
//! increment of 1 may be below the best one. Rounds with 64 bits then continue from it, and rounds with 128 bits if
//! these do not suffice either. Proofs always use the exact weights. Vertices bid in turn, so that the edges of the next
//! ones can be fetched in advance.

use std::collections::VecDeque;
use std::hint::black_box;
use std::mem;

use super::limit::{Clock, Limit};
use super::progress::SEARCH;
use super::{NONE, Weight};

/// The number of bits by which the increment falls from round to round, which is a factor of 8. Factors of
/// 4 to 16 cost about the same.
const FALL: u32 = 3;

/// The number of bits by which the first increment is below the heaviest weight.
const FIRST: u32 = 7;

/// The number of bits by which the increment must be below the heaviest weight before each round ends with a proof.
const PROOF_AFTER: u32 = 24;

/// The number of bids per bidder that makes a round long. A proof is attempted after a long round too: if a vertex has
/// many edges of the same weight, every round is long, but the second may find a best assignment already.
const LONG: usize = 5;

/// The number of steps per bidder after which an attempted proof stops. Successful attempts take two to eight.
const PROOF_STEPS: usize = 20;

/// The largest numbers of bits of a weight that rounds of 32 and 64 bits can add and subtract without overflow.
const NARROW_BITS: u32 = 30;
const WIDE_BITS: u32 = 60;

/// The number of vertices that bid between the fetching of a vertex's edges and its bid.
const AHEAD: usize = 4;

/// An edge at one of its ends: the other end, and the weight in the unit of the rounds.
#[derive(Clone, Copy, Debug)]
struct Neighbour<W> {
    target: u32,
    weight: W,
}

/// One side of the graph, bidders or items.
#[derive(Clone, Debug)]
struct Vertices<W> {
    /// The edges of vertex `v`: `links` from `starts[v]` to `starts[v + 1]`.
    starts: Vec<u32>,
    links: Vec<Neighbour<W>>,
    dual: Vec<W>,
    /// The vertex of the other side that each vertex has, or `NONE`.
    partner: Vec<u32>,
}

/// The gains of a vertex by its best and second best edge, and the best edge.
struct BestEdges<W> {
    first: W,
    second: W,
    best: Neighbour<W>,
}

impl<W: Weight> Vertices<W> {
    fn len(&self) -> usize {
        self.partner.len()
    }

    fn links(&self, vertex: u32) -> &[Neighbour<W>] {
        &self.links[self.starts[vertex as usize] as usize..self.starts[vertex as usize + 1] as usize]
    }

    /// Copies the edges from the other side.
    fn links_from(&mut self, others: &Vertices<W>) {
        self.starts = vec![0; self.len() + 1];
        for link in &others.links {
            self.starts[link.target as usize + 1] += 1;
        }
        for vertex in 0..self.len() {
            self.starts[vertex + 1] += self.starts[vertex];
        }
        let mut place = self.starts.clone();
        self.links = vec![Neighbour { target: NONE, weight: W::ZERO }; others.links.len()];
        for other in 0..others.len() as u32 {
            for &Neighbour { target, weight } in others.links(other) {
                let place = &mut place[target as usize];
                self.links[*place as usize] = Neighbour { target: other, weight };
                *place += 1;
            }
        }
    }

    /// Returns the best choice of a vertex. Choosing nothing gains 0.
    fn choose(&self, vertex: u32, others: &Vertices<W>) -> BestEdges<W> {
        let (mut first, mut second) = (W::ZERO, W::ZERO);
        let mut best = Neighbour { target: NONE, weight: W::ZERO };
        // No branch depends on a gain, so the processor can start on the next vertex while it waits for duals.
        for &link in self.links(vertex) {
            let gain = link.weight - others.dual[link.target as usize];
            second = second.max(gain.min(first));
            best = if gain > first { link } else { best };
            first = first.max(gain);
        }
        BestEdges { first, second, best }
    }

    /// Makes the waiting vertices bid, and the vertices that they displace, until no vertex waits or the time is up.
    /// Returns the number of bids. The duals of this side are only updated if asked, because bids take longer the more
    /// memory they change.
    fn bid(
        &mut self,
        others: &mut Vertices<W>,
        epsilon: W,
        waiting: &mut Vec<u32>,
        updates_duals: bool,
        clock: &mut Clock,
    ) -> usize {
        let mut bids = 0;
        let mut displaced = Vec::new();
        while !waiting.is_empty() && !clock.is_over() {
            for (turn, &vertex) in waiting.iter().enumerate() {
                if let Some(&next) = waiting.get(turn + AHEAD) {
                    black_box(self.links(next).first().map(|link| link.target));
                }
                if clock.ticks_over() {
                    displaced.extend_from_slice(&waiting[turn..]);
                    break;
                }
                bids += 1;
                let BestEdges { first, second, best } = self.choose(vertex, others);
                let kept = (second - epsilon).max(W::ZERO);
                if updates_duals {
                    self.dual[vertex as usize] = kept;
                }
                if first <= epsilon {
                    self.partner[vertex as usize] = NONE;
                    continue;
                }
                others.dual[best.target as usize] = best.weight - kept;
                let previous = mem::replace(&mut others.partner[best.target as usize], vertex);
                if previous != NONE {
                    displaced.push(previous);
                }
            }
            mem::swap(waiting, &mut displaced);
            displaced.clear();
        }
        for &vertex in &*waiting {
            self.partner[vertex as usize] = NONE;
        }
        for (other, &vertex) in (0..).zip(&others.partner) {
            if vertex != NONE {
                self.partner[vertex as usize] = other;
            }
        }
        bids
    }

    /// Returns the dual that remains for a vertex after its partner's; 0 if it has none.
    fn remainder(&self, vertex: u32, others: &Vertices<W>) -> W {
        let held = self.partner[vertex as usize];
        let link = self.links(vertex).iter().find(|link| link.target == held);
        link.map_or(W::ZERO, |link| link.weight - others.dual[held as usize])
    }

    /// Updates the duals after bids that did not.
    fn settle(&mut self, others: &Vertices<W>) {
        for vertex in 0..self.len() as u32 {
            self.dual[vertex as usize] = self.remainder(vertex, others);
        }
    }
}

/// The two sides of a graph for rounds, in a separate unit. The items have no links until they bid. Duals of bidders are
/// only up to date while items bid.
#[derive(Clone, Debug)]
struct Rounds<W> {
    bidders: Vertices<W>,
    items: Vertices<W>,
}

impl<W: Weight> Rounds<W> {
    /// Sets up rounds on a graph with the results so far. `scale` converts weights to the unit of the rounds.
    fn new<V: Weight>(auction: &Auction<V>, scale: impl Fn(i128) -> i128) -> Self {
        let links = auction.targets.iter().zip(&auction.weights);
        let bidders = Vertices {
            starts: auction.starts.clone(),
            links: links
                .map(|(&target, &weight)| Neighbour { target, weight: W::narrow(scale(weight.widen())) })
                .collect(),
            dual: vec![W::ZERO; auction.holds.len()],
            partner: auction.holds.clone(),
        };
        let items = Vertices {
            starts: Vec::new(),
            links: Vec::new(),
            dual: auction.prices.iter().map(|&price| W::narrow(scale(price.widen()))).collect(),
            partner: auction.holders.clone(),
        };
        Self { bidders, items }
    }

    /// Makes the assignment nearly right for an increment, and returns the number of bids. Returns `None` if the time was
    /// up before that.
    fn hold(&mut self, epsilon: W, clock: &mut Clock) -> Option<usize> {
        self.centre();
        let mut waiting = Vec::new();
        for bidder in 0..self.bidders.len() as u32 {
            let held = self.bidders.partner[bidder as usize];
            let (mut first, mut gain) = (W::ZERO, None);
            for link in self.bidders.links(bidder) {
                let by_link = link.weight - self.items.dual[link.target as usize];
                first = first.max(by_link);
                gain = if link.target == held { Some(by_link) } else { gain };
            }
            if let Some(gain) = gain {
                if gain >= W::ZERO && gain >= first - epsilon {
                    continue;
                }
                self.bidders.partner[bidder as usize] = NONE;
                self.items.partner[held as usize] = NONE;
            }
            // Bidders for which no item is worth `epsilon` settle for 0 when they bid.
            waiting.push(bidder);
        }
        let mut bids = self.bidders.bid(&mut self.items, epsilon, &mut waiting, false, clock);
        let free = |item: &u32| {
            self.items.partner[*item as usize] == NONE && self.items.dual[*item as usize] > W::ZERO
        };
        waiting.clear();
        waiting.extend((0..self.items.len() as u32).filter(free));
        if !waiting.is_empty() {
            if self.items.links.is_empty() {
                self.items.links_from(&self.bidders);
            }
            self.bidders.settle(&self.items);
            bids += self.items.bid(&mut self.bidders, epsilon, &mut waiting, true, clock);
        }
        (!clock.is_over()).then_some(bids)
    }

    /// Moves all prices and profits by the same amount, so that the lowest price and the lowest profit are equal. Does
    /// nothing if a vertex has no partner, because its dual is fixed.
    fn centre(&mut self) {
        if [&self.bidders, &self.items].iter().any(|side| side.partner.contains(&NONE)) {
            return;
        }
        let profits =
            (0..self.bidders.len() as u32).map(|bidder| self.bidders.remainder(bidder, &self.items));
        let least_profit = profits.min().map_or(0, |profit| profit.widen());
        let least_price = self.items.dual.iter().min().map_or(0, |price| price.widen());
        let fall = W::narrow(((least_price - least_profit) / 2).min(least_price));
        for price in &mut self.items.dual {
            *price -= fall;
        }
    }
}

/// Returns the number of rounds from an increment until it is 1.
fn most_rounds(epsilon: i128) -> u32 {
    1 + epsilon.ilog2().div_ceil(FALL)
}

/// The value of one of the caller's units in the unit of the rounds.
#[derive(Clone, Copy, Debug)]
struct Unit {
    /// The factor for the caller's weights, before they are divided by `2^shift`.
    factor: i128,
    shift: u32,
}

impl Unit {
    /// Returns the unit in which the heaviest weight has as many bits as given.
    fn of_leading_bits(heaviest: i128, bits: u32) -> Self {
        let all = i128::BITS - heaviest.leading_zeros();
        // Either the weights are multiplied, or their last bits are dropped.
        Self { factor: 1 << bits.saturating_sub(all), shift: all.saturating_sub(bits) }
    }

    fn scale(self, weight: i128) -> i128 {
        (weight * self.factor) >> self.shift
    }

    fn back(self, dual: i128) -> i128 {
        (dual << self.shift).div_euclid(self.factor)
    }

    /// Returns the value of 1 in another unit, at least 1.
    fn one_in(self, other: Unit) -> i128 {
        (((other.factor << self.shift) / self.factor) >> other.shift).max(1)
    }
}

/// The units of the rounds, from the coarsest to the exact one. Duals of `narrow` fit 32 bits, and those of `wide` 64.
#[derive(Clone, Copy, Debug)]
struct WeightUnits {
    narrow: Unit,
    /// `None` if the previous unit is exact.
    wide: Option<Unit>,
    exact: Option<Unit>,
}

impl WeightUnits {
    fn new(heaviest: i128, bidders: usize) -> Self {
        let exact = Unit { factor: bidders as i128 + 1, shift: 0 };
        let bits = i128::BITS - (heaviest * exact.factor).leading_zeros();
        let leading = |bits| Unit::of_leading_bits(heaviest, bits);
        if bits <= NARROW_BITS {
            Self { narrow: exact, wide: None, exact: None }
        } else if bits <= WIDE_BITS {
            Self { narrow: leading(NARROW_BITS), wide: Some(exact), exact: None }
        } else {
            Self { narrow: leading(NARROW_BITS), wide: Some(leading(WIDE_BITS)), exact: Some(exact) }
        }
    }
}

/// The reason why rounds ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The assignment is proved to be a best one.
    Proved,
    /// The increment reached 1, and no proof was found in this unit.
    Unproved,
    /// A limit was reached.
    Stopped,
}

/// A core whose assignment is being found by auctions. Weights and prices are in the caller's unit.
#[derive(Clone, Debug)]
pub(super) struct Auction<W> {
    starts: Vec<u32>,
    targets: Vec<u32>,
    weights: Vec<W>,
    /// The item of each bidder, and the bidder of each item.
    holds: Vec<u32>,
    holders: Vec<u32>,
    prices: Vec<W>,
}

impl<W: Weight> Auction<W> {
    /// Sets up an auction of edges as `search::Core` stores them. Four times the heaviest weight must fit the type.
    /// Returns `None` if weights times bidders do not fit `i128`.
    pub(super) fn new(starts: &[u32], targets: &[u32], weights: Vec<W>, items: usize) -> Option<Self> {
        let bidders = starts.len() - 1;
        // Gains and duals stay between the heaviest weight and its negative.
        heaviest(&weights).widen().checked_mul(2 * (bidders as i128 + 1))?;
        Some(Auction {
            starts: starts.to_vec(),
            targets: targets.to_vec(),
            weights,
            holds: vec![NONE; bidders],
            holders: vec![NONE; items],
            prices: vec![W::ZERO; items],
        })
    }

    /// Finds a best assignment and the prices that prove it. Returns `false` if a limit stopped the proof.
    pub(super) fn run(&mut self, limit: Option<&Limit<i128>>) -> bool {
        let heaviest = heaviest(&self.weights).widen();
        let WeightUnits { narrow, wide, exact } = WeightUnits::new(heaviest, self.holds.len());
        let mut clock = Clock::new(limit.and_then(|limit| limit.until));
        // The assignment is nearly right for an increment of 1 in the previous unit.
        let begin = (narrow.scale(heaviest) >> FIRST).max(1);
        let begin_wide = wide.map_or(1, |wide| narrow.one_in(wide));
        let begin_exact = wide.zip(exact).map_or(1, |(wide, exact)| wide.one_in(exact));
        let later = [(wide, begin_wide), (exact, begin_exact)];
        let most_later: u32 = later.iter().map(|(unit, begin)| unit.map_or(0, |_| most_rounds(*begin))).sum();
        SEARCH.begin(self.weights.len(), most_rounds(begin) + most_later);
        let mut end = self.rounds::<i32>(narrow, begin, limit, &mut clock);
        if let Some(wide) = wide.filter(|_| end == End::Unproved) {
            end = self.rounds::<i64>(wide, begin_wide, limit, &mut clock);
        }
        if let Some(exact) = exact.filter(|_| end == End::Unproved) {
            end = self.rounds::<i128>(exact, begin_exact, limit, &mut clock);
        }
        debug_assert_ne!(end, End::Unproved, "an increment of 1 leaves a best assignment");
        SEARCH.end();
        end == End::Proved
    }

    /// Runs rounds, starting with an increment, until the assignment is proved, the increment reaches 1, or a limit is
    /// reached. In a unit that is not exact, the last assignment may lack a proof.
    fn rounds<R: Weight>(
        &mut self,
        unit: Unit,
        mut epsilon: i128,
        limit: Option<&Limit<i128>>,
        clock: &mut Clock,
    ) -> End {
        let mut first = self.holds.iter().all(|&item| item == NONE);
        let mut rounds = Rounds::<R>::new(self, |weight| unit.scale(weight));
        let exact = unit.shift == 0 && unit.factor > self.holds.len() as i128;
        let near = unit.scale(heaviest(&self.weights).widen()) >> PROOF_AFTER;
        let near = near.max(if exact { unit.factor } else { 1 });
        // The rounds before the next proof after a long round. Each failure doubles them.
        let (mut wait, mut failures) = (0_u32, 0);
        loop {
            SEARCH.next_round();
            let Some(bids) = rounds.hold(R::narrow(epsilon), clock) else {
                // A round that was interrupted has separated pairs. The previous round is better, if there is one.
                if self.holds.iter().all(|&item| item == NONE) {
                    self.keep(&rounds, unit);
                }
                return End::Stopped;
            };
            let long = wait == 0 && bids > LONG * self.holds.len();
            let attempts = mem::take(&mut first) || long || epsilon <= near;
            wait = wait.saturating_sub(1);
            if limit.is_some() || attempts {
                self.keep(&rounds, unit);
            }
            if limit.is_some_and(|limit| self.slack() <= limit.slack && limit.slack > 0) {
                return End::Stopped;
            }
            if attempts {
                let last = epsilon == 1;
                let steps = if last && exact { usize::MAX } else { PROOF_STEPS * self.holds.len() };
                if self.prove(steps, clock) {
                    return End::Proved;
                }
                if clock.is_over() {
                    return End::Stopped;
                }
                if last {
                    return End::Unproved;
                }
                failures += 1;
                wait = (1 << failures.min(8)) - 1;
            }
            epsilon = (epsilon >> FALL).max(1);
        }
    }

    /// Copies the assignment and the prices from rounds.
    fn keep<R: Weight>(&mut self, rounds: &Rounds<R>, unit: Unit) {
        self.holds.copy_from_slice(&rounds.bidders.partner);
        self.holders.copy_from_slice(&rounds.items.partner);
        for (price, dual) in self.prices.iter_mut().zip(&rounds.items.dual) {
            *price = W::narrow(unit.back(dual.widen()));
        }
    }

    /// Returns the difference between the weight of the assignment and the bound that the prices prove.
    fn slack(&self) -> i128 {
        let mut slack: i128 = self.prices.iter().map(|price| price.widen()).sum();
        for bidder in 0..self.holds.len() {
            let gains = self.edges(bidder).map(|(item, weight)| weight - self.prices[item as usize]);
            slack += (gains.fold(W::ZERO, W::max) - self.weight_held(bidder)).widen();
        }
        slack
    }

    /// Returns the item of each bidder, the profit of each bidder, and the price of each item.
    pub(super) fn solution(&self) -> (&[u32], impl Iterator<Item = W>, &[W]) {
        let profits = (0..self.holds.len()).map(|bidder| match self.holds[bidder] {
            NONE => W::ZERO,
            held => self.weight_held(bidder) - self.prices[held as usize],
        });
        (&self.holds, profits, &self.prices)
    }

    fn edges(&self, bidder: usize) -> impl Iterator<Item = (u32, W)> {
        let edges = self.starts[bidder] as usize..self.starts[bidder + 1] as usize;
        self.targets[edges.clone()].iter().copied().zip(self.weights[edges].iter().copied())
    }

    /// Returns the weight of the edge between a bidder and its item; 0 if it has none.
    fn weight_held(&self, bidder: usize) -> W {
        let held = self.holds[bidder];
        self.edges(bidder).find(|edge| edge.0 == held).map_or(W::ZERO, |edge| edge.1)
    }

    /// Searches for prices that prove that the assignment is optimal, and keeps them if they exist. `steps` limits the
    /// number of bidders that are examined.
    fn prove(&mut self, steps: usize, clock: &mut Clock) -> bool {
        let mut proof = Proof::new(self, steps);
        let proved = proof.settle(self, clock).is_some();
        if proved {
            let Proof { price: prices, zero, .. } = proof;
            for (item, price) in prices.into_iter().enumerate() {
                self.prices[item] = if self.holders[item] == NONE { W::ZERO } else { price - zero };
            }
        }
        proved
    }
}

/// Returns the heaviest weight, at least 0.
fn heaviest<W: Weight>(weights: &[W]) -> W {
    weights.iter().copied().fold(W::ZERO, W::max)
}

/// Prices that rise to the bounds of all edges, as in the algorithm of Bellman and Ford.
///
/// The profit of a bidder follows from its item, so only prices need to be found. The item of bidder `b` with the
/// price `p` and the weight `w` requires a price of at least `v - w + p` at the other end of each other edge of `b`, of
/// weight `v`.
///
/// If the assignment is not a best one, prices require each other to rise without end. The bidders that raised each price
/// last then form a cycle, along which the items can be exchanged for a greater total (Cherkassky & Goldberg 1999).
struct Proof<W> {
    price: Vec<W>,
    /// The price of items without a holder, and the profit of bidders without an item, which must be 0 in the end. It
    /// rises like the prices and is then subtracted from all.
    zero: W,
    /// Twice the heaviest weight, which no price of a proof exceeds: best prices are at most the heaviest weight, and
    /// together with `zero` they may have to rise by as much to be above those at the start.
    highest: W,
    /// The last cause that raised each price, and `zero`.
    causes: Vec<Cause>,
    cause_of_zero: Cause,
    /// The weight of each bidder's item.
    weights: Vec<W>,
    /// The bidders to examine, and whether a bidder is among them.
    waiting: VecDeque<u32>,
    waits: Vec<bool>,
    /// The number of bidders that may still be examined, and that are examined until the next search for a cycle.
    steps: usize,
    until_search: usize,
}

/// The cause of a raised price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    /// Nothing so far.
    Start,
    /// The price of items without a holder.
    Zero,
    /// The item of a bidder.
    Bidder(u32),
}

impl<W: Weight> Proof<W> {
    fn new(auction: &Auction<W>, steps: usize) -> Self {
        let bidders = 0..auction.holds.len() as u32;
        // Items without a holder have a price of 0 already.
        Self {
            price: auction.prices.clone(),
            zero: W::ZERO,
            highest: heaviest(&auction.weights) + heaviest(&auction.weights),
            causes: vec![Cause::Start; auction.holders.len()],
            cause_of_zero: Cause::Start,
            weights: bidders.clone().map(|bidder| auction.weight_held(bidder as usize)).collect(),
            waiting: bidders.filter(|&bidder| auction.holds[bidder as usize] != NONE).collect(),
            waits: auction.holds.iter().map(|&item| item != NONE).collect(),
            steps,
            until_search: auction.holds.len(),
        }
    }

    /// Counts steps. Returns `None` if no steps are left or the prices have no bounds.
    fn step(&mut self, steps: usize, auction: &Auction<W>) -> Option<()> {
        self.steps = self.steps.checked_sub(steps)?;
        self.until_search = self.until_search.saturating_sub(steps);
        if self.until_search == 0 {
            self.until_search = auction.holds.len().div_ceil(4);
            return (!self.has_cycle(auction)).then_some(());
        }
        Some(())
    }

    /// Returns whether causes form a cycle.
    fn has_cycle(&self, auction: &Auction<W>) -> bool {
        // Index 0 is `zero`, and item `i` has the index `i + 1`.
        let mut walks = vec![0_u32; self.causes.len() + 1];
        for start in 0..walks.len() {
            let walk = start as u32 + 1;
            let mut at = start;
            while walks[at] == 0 {
                walks[at] = walk;
                let cause = if at == 0 { self.cause_of_zero } else { self.causes[at - 1] };
                at = match cause {
                    Cause::Start => break,
                    Cause::Zero => 0,
                    Cause::Bidder(bidder) => auction.holds[bidder as usize] as usize + 1,
                };
                if walks[at] == walk {
                    return true;
                }
            }
        }
        false
    }

    /// Raises prices until the bounds of all edges are met. Returns `None` if they have no bounds, or the steps or the time
    /// do not suffice.
    fn settle(&mut self, auction: &Auction<W>, clock: &mut Clock) -> Option<()> {
        loop {
            while let Some(bidder) = self.waiting.pop_front() {
                self.waits[bidder as usize] = false;
                if let Some(&next) = self.waiting.get(AHEAD) {
                    black_box(auction.edges(next as usize).next());
                }
                self.step(1, auction)?;
                if clock.ticks_over() {
                    return None;
                }
                let cause = Cause::Bidder(bidder);
                let held = auction.holds[bidder as usize];
                let base = self.price[held as usize] - self.weights[bidder as usize];
                // A profit is never below 0.
                self.raise_zero(base, cause);
                for (item, weight) in auction.edges(bidder as usize) {
                    self.raise(item, base + weight, cause, auction);
                }
            }
            // No price is below 0, which satisfies bidders without an item.
            self.step(auction.holds.len(), auction)?;
            for (item, &holder) in (0..).zip(&auction.holders) {
                if holder != NONE {
                    self.raise(item, self.zero, Cause::Zero, auction);
                }
            }
            for bidder in (0..auction.holds.len()).filter(|&bidder| auction.holds[bidder] == NONE) {
                for (item, weight) in auction.edges(bidder) {
                    if auction.holders[item as usize] == NONE {
                        // A pair of a bidder and an item without partners would have a positive weight.
                        return None;
                    }
                    self.raise(item, self.zero + weight, Cause::Zero, auction);
                }
            }
            if self.waiting.is_empty() {
                return Some(());
            }
        }
    }

    fn raise(&mut self, item: u32, least: W, cause: Cause, auction: &Auction<W>) {
        if self.price[item as usize] >= least {
            return;
        }
        if least > self.highest {
            // The next step ends the search.
            self.steps = 0;
            return;
        }
        self.price[item as usize] = least;
        let holder = auction.holders[item as usize];
        if holder == NONE {
            return self.raise_zero(least, cause);
        }
        self.causes[item as usize] = cause;
        if !mem::replace(&mut self.waits[holder as usize], true) {
            self.waiting.push_back(holder);
        }
    }

    fn raise_zero(&mut self, least: W, cause: Cause) {
        if self.zero < least {
            self.zero = least;
            self.cause_of_zero = cause;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates an auction of (bidder, item, weight) edges, which are in order of bidder.
    fn auction(bidders: usize, items: usize, edges: &[(u32, u32, i128)]) -> Auction<i128> {
        let starts: Vec<u32> = (0..=bidders)
            .map(|bidder| edges.partition_point(|edge| (edge.0 as usize) < bidder) as u32)
            .collect();
        let targets: Vec<u32> = edges.iter().map(|edge| edge.1).collect();
        Auction::new(&starts, &targets, edges.iter().map(|edge| edge.2).collect(), items)
            .expect("small weights")
    }

    /// Two bidders prefer the same item, by 3 and by 1. The bidder that loses less gets the other item.
    #[test]
    fn the_bidder_with_less_to_lose_gives_way() {
        let mut auction = auction(2, 2, &[(0, 0, 5), (0, 1, 2), (1, 0, 4), (1, 1, 3)]);
        auction.run(None);
        let (holds, profits, prices) = auction.solution();
        assert_eq!(holds, [0, 1]);
        let total = profits.sum::<i128>() + prices.iter().sum::<i128>();
        assert_eq!(total, 8);
    }

    /// Three bidders for one item: two get none, and the price is at least the value for the second.
    #[test]
    fn bidders_go_without() {
        let mut auction = auction(3, 1, &[(0, 0, 3), (1, 0, 7), (2, 0, 5)]);
        auction.run(None);
        let (holds, profits, prices) = auction.solution();
        assert_eq!(holds, [NONE, 0, NONE]);
        let profits: Vec<_> = profits.collect();
        assert!((5..=7).contains(&prices[0]));
        assert_eq!(profits, [0, 7 - prices[0], 0]);
    }

    /// An item whose price was raised and that was then given up has the price 0 again, and the next bidder
    /// gets it for that price.
    #[test]
    fn items_without_a_holder_have_the_price_0() {
        let mut auction = auction(2, 3, &[(0, 0, 4), (0, 1, 4), (1, 0, 4), (1, 1, 4), (1, 2, 1)]);
        auction.run(None);
        let (holds, _, prices) = auction.solution();
        assert!(holds.iter().all(|&item| item < 2));
        assert_eq!(prices.last(), Some(&0));
    }

    /// Weights that are too large to be multiplied are left to the searches.
    #[test]
    fn weights_too_large_are_refused() {
        assert!(Auction::new(&[0, 1], &[0], vec![i128::MAX / 3], 1).is_none());
    }

    /// If all items are worth the same to a bidder, every round is long. The assignment is proved after the first such
    /// round, whose increment is still large.
    #[test]
    fn a_long_round_may_be_the_last() {
        let mut state = 3_u64;
        let mut random = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        // Each mention of an item is in a random bidder; items are entities of ten mentions.
        let size = 5_000;
        let mut found: Vec<(u32, u32)> =
            (0..10 * size).map(|mention| (random(size) as u32, (mention / 10) as u32)).collect();
        found.sort_unstable();
        let mut sizes = vec![10_i128; size as usize];
        found.iter().for_each(|pair| sizes[pair.0 as usize] += 1);
        found.dedup();
        let worth = |bidder: u32| 1_000_000_000 / sizes[bidder as usize];
        let edges: Vec<_> = found.iter().map(|&(bidder, item)| (bidder, item, worth(bidder))).collect();
        let mut auction = auction(size as usize, size as usize, &edges);
        let unit = Unit { factor: i128::from(size) + 1, shift: 0 };
        let heaviest = unit.scale(edges.iter().map(|edge| edge.2).max().expect("an edge"));
        let mut rounds = Rounds::<i64>::new(&auction, |weight| unit.scale(weight));
        let mut hold = |shift: u32| rounds.hold((heaviest >> shift) as i64, &mut Clock::default());
        let [first, second] = [2, 5].map(|shift| hold(shift).expect("no time limit"));
        assert!(first < LONG * size as usize && second > LONG * size as usize, "{first} and {second} bids");
        auction.keep(&rounds, unit);
        assert!(auction.prove(PROOF_STEPS * size as usize, &mut Clock::default()));
        let (holds, profits, prices) = auction.solution();
        let held = edges.iter().filter(|edge| holds[edge.0 as usize] == edge.1);
        assert_eq!(
            held.map(|edge| edge.2).sum::<i128>(),
            profits.sum::<i128>() + prices.iter().sum::<i128>()
        );
    }

    /// Prices of a wrong assignment rise without end until the steps are used up.
    #[test]
    fn a_wrong_assignment_is_not_proved() {
        let mut auction = auction(2, 2, &[(0, 0, 5), (0, 1, 2), (1, 0, 4), (1, 1, 3)]);
        auction.holds = vec![1, 0];
        auction.holders = vec![1, 0];
        assert!(!auction.prove(1_000, &mut Clock::default()));
        // The two prices raise each other, which ends the search without any limit.
        let mut proof = Proof::new(&auction, usize::MAX);
        assert!(proof.settle(&auction, &mut Clock::default()).is_none());
        assert!(proof.has_cycle(&auction) && proof.steps > usize::MAX - 10);
        auction.holds = vec![0, 1];
        auction.holders = vec![0, 1];
        assert!(auction.prove(1_000, &mut Clock::default()));
    }

    /// 64 bits contain only the leading digits of these weights, and the exact rounds resolve the rest.
    #[test]
    fn weights_beyond_64_bits_are_assigned_exactly() {
        let mut state = 1_u64;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            i128::from(state >> 33)
        };
        for size in [2_usize, 5, 20, 200] {
            for leading in [0, 1 << 90] {
                // Weights that differ only in their last bits, then weights that differ everywhere.
                let mut edges = Vec::new();
                for bidder in 0..size as u32 {
                    let mut items: Vec<u32> = (0..6).map(|_| random() as u32 % size as u32).collect();
                    items.sort_unstable();
                    items.dedup();
                    let weight = if leading == 0 { random() << 60 } else { leading + random() % 8 };
                    edges.extend(items.into_iter().map(|item| (bidder, item, weight + random() % 8)));
                }
                let mut auction = auction(size, size, &edges);
                auction.run(None);
                let (holds, profits, prices) = auction.solution();
                let profits: Vec<i128> = profits.collect();
                let mut total = 0;
                for &(bidder, item, weight) in &edges {
                    assert!(profits[bidder as usize] + prices[item as usize] >= weight);
                    total += if holds[bidder as usize] == item { weight } else { 0 };
                }
                assert!(profits.iter().chain(prices).all(|&dual| dual >= 0));
                assert_eq!(total, profits.iter().chain(prices).sum::<i128>(), "{size} bidders");
            }
        }
    }

    /// The assignment has the weight 2 + 4 + 0; prices and gains at these prices add up to 3 + 1 + 2 + 2 + 0.
    #[test]
    fn the_slack_is_the_bound_of_the_prices_minus_the_assignment() {
        let mut auction = auction(3, 2, &[(0, 0, 5), (0, 1, 2), (1, 0, 4), (1, 1, 3), (2, 1, 1)]);
        auction.holds = vec![1, 0, NONE];
        auction.holders = vec![1, 0];
        auction.prices = vec![3, 1];
        assert_eq!(auction.slack(), 8 - 6);
        // The best assignment, and prices that prove it.
        auction.holds = vec![0, 1, NONE];
        auction.holders = vec![0, 1];
        assert_eq!(auction.slack(), 0);
    }

    /// A bidder without a choice that is better by more than the increment keeps its item. All prices rise by the same
    /// amount, until they are in the middle.
    #[test]
    fn pairs_that_are_nearly_right_stay_together() {
        let mut auction = auction(2, 2, &[(0, 0, 5), (0, 1, 2), (1, 0, 4), (1, 1, 3)]);
        (auction.holds, auction.holders) = (vec![0, 1], vec![0, 1]);
        // The second bidder gains 3 by either item, then 2 by its own, then 1.
        for (prices, stay) in [([1, 0], true), ([1, 1], true), ([1, 2], false)] {
            auction.prices = prices.to_vec();
            let mut rounds = Rounds::<i128>::new(&auction, |weight| weight);
            assert!(rounds.hold(1, &mut Clock::default()).is_some());
            let dual = rounds.items.dual;
            assert_eq!(dual[1] - dual[0] == prices[1] - prices[0], stay, "{prices:?} {dual:?}");
        }
    }

    /// The bidder could have the free item for 5 instead of the other for 2: the price of free items raises itself.
    #[test]
    fn a_wrong_assignment_may_leave_a_better_item_free() {
        let mut auction = auction(1, 2, &[(0, 0, 2), (0, 1, 5)]);
        (auction.holds, auction.holders) = (vec![0], vec![0, NONE]);
        let mut proof = Proof::new(&auction, usize::MAX);
        assert!(proof.settle(&auction, &mut Clock::default()).is_none());
        assert!(proof.has_cycle(&auction));
        assert!(proof.causes.contains(&Cause::Zero) && proof.cause_of_zero == Cause::Bidder(0));
    }

    /// Prices of 6 and 9 and profits of 2 and 4 meet at 4. A vertex without a partner keeps all prices as they are.
    #[test]
    fn prices_move_to_the_middle_if_all_vertices_have_partners() {
        let mut auction = auction(2, 2, &[(0, 0, 8), (0, 1, 1), (1, 1, 13)]);
        (auction.holds, auction.holders) = (vec![0, 1], vec![0, 1]);
        auction.prices = vec![6, 9];
        let mut rounds = Rounds::<i32>::new(&auction, |weight| weight);
        rounds.centre();
        assert_eq!(rounds.items.dual, [4, 7]);
        assert_eq!([0, 1].map(|bidder| rounds.bidders.remainder(bidder, &rounds.items)), [4, 6]);
        rounds.centre();
        assert_eq!(rounds.items.dual, [4, 7]);
        (auction.holds, auction.holders) = (vec![0, NONE], vec![0, NONE]);
        let mut rounds = Rounds::<i32>::new(&auction, |weight| weight);
        rounds.centre();
        assert_eq!(rounds.items.dual, [6, 9]);
    }

    /// In each unit, the heaviest weight has at most the bits that its type can add, and the last unit distinguishes
    /// totals that differ by 1.
    #[test]
    fn units_fit_their_types_and_end_with_an_exact_one() {
        for bits in 1..=100 {
            for bidders in [1, 1_000, 1 << 20] {
                let heaviest = (1_i128 << bits) - 1;
                let WeightUnits { narrow, wide, exact } = WeightUnits::new(heaviest, bidders);
                let last = exact.or(wide).unwrap_or(narrow);
                assert!(last.shift == 0 && last.factor == bidders as i128 + 1, "{bits}");
                assert!(narrow.scale(heaviest) < 1 << NARROW_BITS);
                assert!(wide.is_none_or(|wide| wide.scale(heaviest) < 1 << WIDE_BITS));
                assert!(exact.is_none() || wide.is_some());
                for (before, after) in [(Some(narrow), wide), (wide, exact)] {
                    let Some((before, after)) = before.zip(after) else { continue };
                    assert!(before.scale(heaviest) >= 1 << (NARROW_BITS - 1), "{bits} bits are used up");
                    let one = before.one_in(after);
                    assert!(one >= 1 && one <= after.scale(heaviest).max(1));
                }
            }
        }
    }

    #[test]
    fn increments_fall_to_one() {
        for start in (1..300).chain([i128::MAX >> 40, 1 << 60, (1 << 60) - 1]) {
            let falling = std::iter::successors(Some(start), |&epsilon| {
                (epsilon > 1).then(|| (epsilon >> FALL).max(1))
            });
            assert_eq!(falling.count(), most_rounds(start) as usize, "{start}");
        }
    }

    /// If a difference between the bounds is accepted, an auction stops after its first round; otherwise it
    /// continues to the proof.
    #[test]
    fn an_auction_stops_when_its_bounds_are_near_enough() {
        let edges = [(0, 0, 5), (0, 1, 2), (1, 0, 4), (1, 1, 3)];
        let run = |slack| auction(2, 2, &edges).run(Some(&Limit { slack, until: None }));
        assert!(!run(100));
        assert!(run(0));
    }

    /// 64 bits contain these weights, but not the weights multiplied by the number of bidders.
    #[test]
    fn weights_of_almost_64_bits_are_assigned_exactly() {
        let mut state = 2_u64;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            i128::from(state >> 33)
        };
        for (size, similar) in
            [(10_usize, false), (50, false), (200, false), (10, true), (50, true), (200, true)]
        {
            let mut edges = Vec::new();
            for bidder in 0..size as u32 {
                let mut items: Vec<u32> = (0..6).map(|_| random() as u32 % size as u32).collect();
                items.sort_unstable();
                items.dedup();
                // Weights that differ only in their last bits, or everywhere.
                let mut weight =
                    || if similar { (1 << 57) + random() % 8 } else { (random() << 27) + random() % 8 };
                edges.extend(items.into_iter().map(|item| (bidder, item, weight())));
            }
            let mut auction = auction(size, size, &edges);
            assert!(auction.run(None));
            let (holds, profits, prices) = auction.solution();
            let profits: Vec<i128> = profits.collect();
            assert!(edges.iter().all(|edge| profits[edge.0 as usize] + prices[edge.1 as usize] >= edge.2));
            assert!(profits.iter().chain(prices).all(|&dual| dual >= 0));
            let held = edges.iter().filter(|edge| holds[edge.0 as usize] == edge.1);
            let total: i128 = held.map(|edge| edge.2).sum();
            assert_eq!(total, profits.iter().chain(prices).sum::<i128>(), "{size} bidders");
        }
    }
}
