//! Solves the core: bidding, then successive shortest augmenting paths.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::mem;
use std::ops::Range;

use super::limit::Limit;
use super::reductions::Graph;
use super::scaling::Auction;
use super::{Bounds, NONE, Weight, fill};

/// The number of passes of the bidding start over the idle bidders.
const BIDDING_PASSES: usize = 4;

/// The number of bids per bidder after which the bidding start no longer follows displaced bidders.
/// Three bidders for the same two items could keep raising the prices by 1.
const BIDS_PER_BIDDER: usize = 8;

/// The same number for large cores, which are then left to auctions without a search.
const BIDS_PER_BIDDER_OF_LARGE: usize = 1;

/// The number of edges of a large core. Searches of a smaller core may examine as many edges, which takes about a
/// millisecond, and in addition `SEARCH_LOOKS_PER_EDGE` for each edge of the core. The rest is left to auctions.
const LARGE: usize = 1 << 16;

/// The number of edges that searches examine for each edge of a core that is not large. Auctions examine 5 to 120, but in an
/// order that makes each examination several times as fast as in a search.
const SEARCH_LOOKS_PER_EDGE: usize = 4;

/// The graph that remains after the reductions, which is solved by bidding and searching.
///
/// Bidders and items are numbered densely, in order. The header of the module states the invariants of `profit`,
/// `price`, `holds` and `holder`.
#[derive(Clone, Debug)]
pub(super) struct Core<W> {
    /// The graph's vertex of each bidder and of each item.
    bidders: Vec<u32>,
    items: Vec<u32>,
    /// The number of each of the graph's vertices among the bidders or items.
    number: Vec<u32>,
    /// The edges of bidder `b`: `targets` and `weights` from `starts[b]` to `starts[b + 1]`.
    starts: Vec<u32>,
    targets: Vec<u32>,
    weights: Vec<W>,
    /// The dual variables.
    profit: Vec<W>,
    price: Vec<W>,
    /// The item of each bidder, and the bidder of each item.
    holds: Vec<u32>,
    holder: Vec<u32>,
    /// The bidders without an item.
    idle: Vec<u32>,
    search: PathSearch<W>,
}

/// The state of a search. It is not cleared between searches.
#[derive(Clone, Debug)]
struct PathSearch<W> {
    /// The number of the current search. The entries of an item are valid if `seen` equals it.
    number: u32,
    seen: Vec<u32>,
    /// The length of the shortest path found to each item, and the bidder before it.
    distance: Vec<W>,
    via: Vec<u32>,
    /// The items found but not visited: those farther away than the current one, and those at the same distance.
    far: BinaryHeap<Reverse<(W, u32)>>,
    near: Vec<u32>,
    /// The visited items.
    visited: Vec<u32>,
}

/// The end of a path that completes a search.
#[derive(Clone, Copy, Debug)]
struct CompletePath<W> {
    length: W,
    /// Its last bidder.
    bidder: u32,
    /// Its last item if that item is free; `NONE` if the last bidder loses its item.
    item: u32,
}

impl<W: Weight> PathSearch<W> {
    /// Starts the next search.
    #[inline]
    fn begin(&mut self) {
        self.number += 1;
        self.far.clear();
        self.near.clear();
        self.visited.clear();
    }

    /// Returns the nearest item found but not visited.
    fn nearest(&mut self) -> Option<u32> {
        if let Some(item) = self.near.pop() {
            return Some(item);
        }
        while let Some(Reverse((length, item))) = self.far.pop() {
            // Otherwise a shorter path was found, and the item was visited already.
            if length == self.distance[item as usize] {
                return Some(item);
            }
        }
        None
    }
}

impl<W: Weight> Core<W> {
    pub(super) fn new() -> Self {
        Self {
            bidders: Vec::new(),
            items: Vec::new(),
            number: Vec::new(),
            starts: Vec::new(),
            targets: Vec::new(),
            weights: Vec::new(),
            profit: Vec::new(),
            price: Vec::new(),
            holds: Vec::new(),
            holder: Vec::new(),
            idle: Vec::new(),
            search: PathSearch {
                number: 0,
                seen: Vec::new(),
                distance: Vec::new(),
                via: Vec::new(),
                far: BinaryHeap::new(),
                near: Vec::new(),
                visited: Vec::new(),
            },
        }
    }

    /// Copies the edges still alive, grouped by bidder.
    pub(super) fn load(&mut self, graph: &Graph<W>) {
        let rows = graph.rows.len() as u32;
        let vertices = graph.vertices() as u32;
        let alive = |vertex: &u32| graph.degree[*vertex as usize] > 0;
        self.bidders.clear();
        self.bidders.extend((0..rows).filter(alive));
        self.items.clear();
        self.items.extend((rows..vertices).filter(alive));
        // The smaller side bids, because fewer bidders need fewer searches.
        if self.bidders.len() > self.items.len() {
            mem::swap(&mut self.bidders, &mut self.items);
        }
        fill(&mut self.number, vertices as usize, NONE);
        for side in [&self.bidders, &self.items] {
            for (number, &vertex) in (0..).zip(side) {
                self.number[vertex as usize] = number;
            }
        }
        self.starts.clear();
        self.targets.clear();
        self.weights.clear();
        self.starts.push(0);
        for &bidder in &self.bidders {
            let (start, end) = graph.spans[bidder as usize];
            for &index in &graph.incident[start as usize..end as usize] {
                let weight = graph.edges[index as usize].weight;
                if weight > W::ZERO {
                    self.targets.push(self.number[graph.other_end(index, bidder) as usize]);
                    self.weights.push(weight);
                }
            }
            self.starts.push(self.targets.len() as u32);
        }
    }

    /// Copies the assignment to the graph.
    pub(super) fn write_back(&self, graph: &mut Graph<W>) {
        for (&bidder, &item) in self.bidders.iter().zip(&self.holds) {
            if item != NONE {
                let item = self.items[item as usize];
                graph.partner[bidder as usize] = item;
                graph.partner[item as usize] = bidder;
            }
        }
    }

    /// Finds a best assignment and returns its weight, or bounds of it if a limit stops the proof.
    pub(super) fn solve(&mut self, limit: Option<&Limit<W>>) -> Bounds<W> {
        let (bidders, items) = (self.bidders.len(), self.items.len());
        fill(&mut self.profit, bidders, W::ZERO);
        fill(&mut self.price, items, W::ZERO);
        fill(&mut self.holds, bidders, NONE);
        fill(&mut self.holder, items, NONE);
        fill(&mut self.search.seen, items, 0);
        fill(&mut self.search.distance, items, W::ZERO);
        fill(&mut self.search.via, items, NONE);
        self.search.number = 0;

        let settled = self.bid();
        // Bidders with the largest possible loss come first, because they are the least likely to be rearranged later.
        let mut idle = mem::take(&mut self.idle);
        for &bidder in &idle {
            self.profit[bidder as usize] = self.choices(bidder).1;
        }
        idle.sort_unstable_by_key(|&bidder| (Reverse(self.profit[bidder as usize]), bidder));
        let mut looks = self.most_looks();
        let mut auctions = true;
        if self.is_large() && !settled {
            looks = 0;
        }
        // Computing bounds requires an examination of every edge.
        let mut until_bounds = 0;
        let mut stopped = false;
        for &bidder in &idle {
            if let Some(limit) = limit.filter(|_| until_bounds == 0) {
                until_bounds = LARGE + self.targets.len();
                stopped = limit.is_over() || self.slack() <= limit.slack;
                if stopped {
                    break;
                }
            }
            if looks == 0 && auctions {
                if let Some(proved) = self.auction(limit) {
                    stopped = !proved;
                    break;
                }
                // If an auction is impossible, the searches continue.
                auctions = false;
            }
            let cost = self.augment(bidder);
            looks = looks.saturating_sub(cost);
            until_bounds = until_bounds.saturating_sub(cost);
        }
        self.idle = idle;
        if stopped {
            return self.bounds();
        }
        let total = self.sum_of_duals();
        debug_assert_eq!(self.certified_total(), Some(total));
        Bounds { lower: total, upper: total }
    }

    fn is_large(&self) -> bool {
        self.targets.len() > LARGE
    }

    /// Returns the number of edges that searches examine before an auction, approximately.
    fn most_looks(&self) -> usize {
        let edges = self.targets.len();
        edges.max(LARGE + SEARCH_LOOKS_PER_EDGE * edges.min(LARGE))
    }

    fn sum_of_duals(&self) -> W {
        let sum = |duals: &[W]| duals.iter().fold(W::ZERO, |sum, &dual| sum + dual);
        sum(&self.profit) + sum(&self.price)
    }

    /// Returns the difference between the weight of the assignment and the bound that the prices prove. Profits of
    /// bidders without an item are lowered as far as prices allow.
    fn slack(&mut self) -> W {
        self.settle_profits();
        self.sum_of_duals() - self.weight()
    }

    /// Sets each profit to the largest gain at the current prices, so that profits and prices cover all edges.
    fn settle_profits(&mut self) {
        for bidder in 0..self.bidders.len() as u32 {
            self.profit[bidder as usize] = self.choices(bidder).1;
        }
    }

    /// Returns the weight of the assignment.
    fn weight(&self) -> W {
        (0..self.bidders.len() as u32).fold(W::ZERO, |sum, bidder| sum + self.weight_held(bidder))
    }

    /// Returns the weight of a bidder's item; 0 if it has none.
    fn weight_held(&self, bidder: u32) -> W {
        let held = self.holds[bidder as usize];
        let mut edges = self.edges_of(bidder);
        edges.find(|&edge| self.targets[edge] == held).map_or(W::ZERO, |edge| self.weights[edge])
    }

    /// Returns the bounds of an unfinished assignment. Bidders without an item first take the heaviest free item.
    fn bounds(&mut self) -> Bounds<W> {
        self.settle_profits();
        self.complete();
        Bounds { lower: self.weight(), upper: self.sum_of_duals() }
    }

    /// Assigns the heaviest free item to each bidder without an item.
    fn complete(&mut self) {
        for bidder in 0..self.bidders.len() as u32 {
            if self.holds[bidder as usize] != NONE {
                continue;
            }
            let free = self.edges_of(bidder).filter(|&edge| self.holder[self.targets[edge] as usize] == NONE);
            let heaviest =
                free.reduce(|best, edge| if self.weights[edge] > self.weights[best] { edge } else { best });
            if let Some(edge) = heaviest {
                self.holds[bidder as usize] = self.targets[edge];
                self.holder[self.targets[edge] as usize] = bidder;
            }
        }
    }

    /// Calls `set` with the dual of each vertex of the graph that is in the core.
    pub(super) fn duals(&self, mut set: impl FnMut(u32, W)) {
        let both = [(&self.bidders, &self.profit), (&self.items, &self.price)];
        for (vertices, duals) in both {
            vertices.iter().zip(duals).for_each(|(&vertex, &dual)| set(vertex, dual));
        }
    }

    /// Finds a best assignment by auctions, ignoring the results so far. Returns whether it is proved, which only a
    /// limit can prevent. Returns `None` without any change if the weights are too large for auctions.
    fn auction(&mut self, limit: Option<&Limit<W>>) -> Option<bool> {
        let heaviest = self.weights.iter().map(|weight| weight.widen()).max().unwrap_or(0);
        // In a browser, a small program matters more than the speed of large components.
        if heaviest <= i128::from(i64::MAX / 4) && cfg!(not(target_family = "wasm")) {
            self.auction_in::<i64>(limit)
        } else {
            self.auction_in::<i128>(limit)
        }
    }

    /// Like [`auction`](Self::auction), with proofs in a type that four times the heaviest weight must fit.
    fn auction_in<V: Weight>(&mut self, limit: Option<&Limit<W>>) -> Option<bool> {
        let weights = self.weights.iter().map(|weight| V::narrow(weight.widen())).collect();
        let mut auction = Auction::<V>::new(&self.starts, &self.targets, weights, self.items.len())?;
        let limit = limit.map(|limit| Limit { slack: limit.slack.widen(), until: limit.until });
        let proved = auction.run(limit.as_ref());
        if !proved {
            // The result of the searches so far may be better than the start of an auction.
            self.complete();
            let found = (self.holds.clone(), self.weight());
            let before = {
                self.settle_profits();
                self.sum_of_duals()
            };
            let duals = (self.profit.clone(), self.price.clone());
            self.take_over(&auction);
            self.settle_profits();
            if self.sum_of_duals() > before {
                (self.profit, self.price) = duals;
            }
            self.complete();
            if self.weight() < found.1 {
                self.holds = found.0;
                self.note_holders();
            }
            return Some(false);
        }
        self.take_over(&auction);
        Some(true)
    }

    /// Copies the assignment and the duals of an auction.
    fn take_over<V: Weight>(&mut self, auction: &Auction<V>) {
        let (holds, profits, prices) = auction.solution();
        self.holds.copy_from_slice(holds);
        self.profit.clear();
        self.profit.extend(profits.map(|profit| W::narrow(profit.widen())));
        self.price.clear();
        self.price.extend(prices.iter().map(|&price| W::narrow(price.widen())));
        self.note_holders();
    }

    fn note_holders(&mut self) {
        self.holder.fill(NONE);
        for (bidder, &item) in (0..).zip(&self.holds) {
            if item != NONE {
                self.holder[item as usize] = bidder;
            }
        }
    }

    fn edges_of(&self, bidder: u32) -> Range<usize> {
        self.starts[bidder as usize] as usize..self.starts[bidder as usize + 1] as usize
    }

    /// Assigns items to most bidders without any search.
    ///
    /// A bidder bids for the item with the highest remaining profit, and offers as much as it can without preferring
    /// its second choice, which may be no item. The previous holder of the item bids next. Bidders in a tie cannot
    /// offer more and wait for the next pass. The bidders without an item remain in `idle`. Returns whether the bids
    /// sufficed.
    fn bid(&mut self) -> bool {
        let large = self.is_large();
        let mut bids = if large { BIDS_PER_BIDDER_OF_LARGE } else { BIDS_PER_BIDDER } * self.bidders.len();
        let mut waiting: Vec<u32> = mem::take(&mut self.idle);
        waiting.clear();
        waiting.extend(0..self.bidders.len() as u32);
        let mut passes = BIDDING_PASSES;
        while passes > 0 && !waiting.is_empty() && !(large && bids == 0) {
            passes -= 1;
            let mut kept = 0;
            for turn in 0..waiting.len() {
                let mut bidder = waiting[turn];
                loop {
                    let (item, first, second) = self.choices(bidder);
                    self.profit[bidder as usize] = second;
                    if item == NONE {
                        break;
                    }
                    self.price[item as usize] += first - second;
                    self.holds[bidder as usize] = item;
                    let displaced = mem::replace(&mut self.holder[item as usize], bidder);
                    if displaced == NONE {
                        break;
                    }
                    self.holds[displaced as usize] = NONE;
                    if first == second || bids == 0 {
                        waiting[kept] = displaced;
                        kept += 1;
                        break;
                    }
                    bids -= 1;
                    bidder = displaced;
                }
            }
            waiting.truncate(kept);
        }
        self.idle = waiting;
        bids > 0
    }

    /// Returns a bidder's best item, the profit that remains with it, and the profit of the second
    /// choice. The item is `NONE` if no item leaves a profit. In a tie, a free item is preferred.
    fn choices(&self, bidder: u32) -> (u32, W, W) {
        let (mut item, mut first, mut second) = (NONE, W::ZERO, W::ZERO);
        let mut held = false;
        let edges = self.edges_of(bidder);
        for (&target, &weight) in self.targets[edges.clone()].iter().zip(&self.weights[edges]) {
            let price = self.price[target as usize];
            if price + second > weight {
                continue;
            }
            let profit = weight - price;
            if profit > first || (profit == first && held && self.holder[target as usize] == NONE) {
                second = first;
                first = profit;
                item = target;
                held = self.holder[target as usize] != NONE;
            } else {
                second = profit;
            }
        }
        (item, first, second)
    }

    /// Adds one more bidder to the assignment, rearranging others along a shortest path. Returns the number of examined
    /// edges.
    ///
    /// Path lengths are sums of `profit + price - weight`, which are never negative and are 0
    /// between a holder and its item. A path may end at a free item, or at a bidder that loses its
    /// item, which costs its profit.
    fn augment(&mut self, start: u32) -> usize {
        let (path, looks) = self.shortest_path(start);
        self.adjust_duals(start, path.length);
        self.pass_on_items(start, path);
        looks
    }

    /// Returns the shortest complete path from a bidder without an item, and the number of examined edges.
    #[inline]
    fn shortest_path(&mut self, start: u32) -> (CompletePath<W>, usize) {
        let mut looks = 0;
        self.search.begin();

        // The bidder has no item, so its profit may be lowered as far as prices allow.
        let (_, profit, _) = self.choices(start);
        self.profit[start as usize] = profit;
        let mut shortest = CompletePath { length: profit, bidder: start, item: NONE };

        let mut bidder = start;
        let mut distance = W::ZERO;
        while distance < shortest.length {
            looks += self.visit(bidder, distance, &mut shortest);

            // Continues with the nearest item, and from it with its holder.
            let Some(item) = self.search.nearest() else { break };
            distance = self.search.distance[item as usize];
            if distance >= shortest.length {
                break;
            }
            self.search.visited.push(item);
            bidder = self.holder[item as usize];
            let without = distance + self.profit[bidder as usize];
            if without < shortest.length {
                shortest = CompletePath { length: without, bidder, item: NONE };
            }
        }
        (shortest, looks)
    }

    /// Visits a bidder at a distance from the start: examines the ends of its edges, and shortens the complete path if one
    /// of them is free. Returns the number of its edges.
    #[inline]
    fn visit(&mut self, bidder: u32, distance: W, shortest: &mut CompletePath<W>) -> usize {
        let profit = self.profit[bidder as usize];
        let edges = self.edges_of(bidder);
        let looks = edges.len();
        let search = &mut self.search;
        for (&item, &weight) in self.targets[edges.clone()].iter().zip(&self.weights[edges]) {
            let at = item as usize;
            let step = profit + (self.price[at] - weight);
            if step >= shortest.length - distance {
                continue;
            }
            let length = distance + step;
            if search.seen[at] == search.number && length >= search.distance[at] {
                continue;
            }
            if self.holder[at] == NONE {
                *shortest = CompletePath { length, bidder, item };
                continue;
            }
            search.seen[at] = search.number;
            search.distance[at] = length;
            search.via[at] = bidder;
            if length == distance {
                search.near.push(item);
            } else {
                search.far.push(Reverse((length, item)));
            }
        }
        looks
    }

    /// Adjusts the duals, so that the path of this length has length 0 and no edge has a negative length.
    #[inline]
    fn adjust_duals(&mut self, start: u32, length: W) {
        self.profit[start as usize] -= length;
        for &item in &self.search.visited {
            let slack = length - self.search.distance[item as usize];
            self.price[item as usize] += slack;
            self.profit[self.holder[item as usize] as usize] -= slack;
        }
    }

    /// Follows the path back to its start: each bidder on it passes its item on and takes the next one.
    #[inline]
    fn pass_on_items(&mut self, start: u32, path: CompletePath<W>) {
        let (mut bidder, mut item) = (path.bidder, path.item);
        loop {
            let passed_on = mem::replace(&mut self.holds[bidder as usize], item);
            if item != NONE {
                self.holder[item as usize] = bidder;
            }
            if bidder == start {
                return;
            }
            item = passed_on;
            bidder = self.search.via[item as usize];
        }
    }

    /// Returns the weight of the assignment if the duals prove that no assignment is heavier.
    fn certified_total(&self) -> Option<W> {
        let mut total = W::ZERO;
        for bidder in 0..self.bidders.len() as u32 {
            let profit = self.profit[bidder as usize];
            let holds = self.holds[bidder as usize];
            let mut idle = true;
            for edge in self.edges_of(bidder) {
                let (item, weight) = (self.targets[edge], self.weights[edge]);
                if profit + self.price[item as usize] < weight {
                    return None;
                }
                if item == holds {
                    idle = false;
                    total += weight;
                    let tight = profit + self.price[item as usize] == weight;
                    if !tight || self.holder[item as usize] != bidder {
                        return None;
                    }
                }
            }
            if profit < W::ZERO || (idle && (holds != NONE || profit != W::ZERO)) {
                return None;
            }
        }
        for (item, &price) in (0..).zip(&self.price) {
            let holder = self.holder[item as usize];
            let consistent = holder == NONE || self.holds[holder as usize] == item;
            if price < W::ZERO || !consistent || (holder == NONE && price != W::ZERO) {
                return None;
            }
        }
        Some(total)
    }
}

#[cfg(test)]
mod tests {
    use super::super::reductions::tests::{CYCLE, load};
    use super::super::{Edge, Solver};
    use super::*;

    /// The core alone, without reductions, solves graphs that reductions would have solved.
    #[test]
    fn the_core_needs_no_reductions() {
        let mut core = Core::new();
        for (edges, total) in [
            (&CYCLE[..], 15),
            (&[(0, 0, 3), (1, 0, 5), (1, 1, 4), (2, 1, 3)], 8),
            (&[(0, 0, 2), (1, 0, 7), (2, 0, 7), (3, 0, 4)], 7),
            (&[(0, 0, 9), (0, 1, 5), (1, 0, 4), (1, 1, 1)], 10),
            (&[(0, 0, 8), (0, 1, 5), (1, 0, 4), (1, 1, 1)], 9),
            (&[], 0),
        ] {
            let graph = load(edges);
            core.load(&graph);
            assert_eq!(core.solve(None).lower, total, "{edges:?}");
            assert_eq!(core.certified_total(), Some(total), "{edges:?}");
        }
    }

    /// All small weights on a complete 3 × 3 graph: the core alone agrees with the whole solver.
    #[test]
    fn the_core_alone_agrees_with_the_whole() {
        let mut core = Core::new();
        let mut solver = Solver::new();
        for code in 0..3_i64.pow(9) {
            let cells = (0..9).map(|cell| (cell / 3, cell % 3, code / 3_i64.pow(cell) % 3));
            let graph = load(&cells.clone().collect::<Vec<_>>());
            core.load(&graph);
            let edges: Vec<_> = cells.map(|(row, column, weight)| Edge { row, column, weight }).collect();
            let total = core.solve(None).lower;
            assert_eq!(total, solver.solve(&edges, &mut Vec::new()), "{code}");
            assert_eq!(core.auction(None), Some(true));
            assert_eq!(core.certified_total(), Some(total), "{code}");
        }
    }

    /// On random graphs of every size that is fast enough, auctions and searches agree, and the duals prove the result.
    #[test]
    fn auctions_prove_the_results_of_searches() {
        let mut core = Core::new();
        let mut state = 1_u64;
        let mut random = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for size in [1, 2, 3, 5, 10, 30, 100, 300, 1_000] {
            for degree in [1, 2, 5, 10] {
                for heaviest in [1, 3, 1 << 20, 1 << 40] {
                    let items = 1 + random(2 * size);
                    let edge = |_| (random(size) as u32, random(items) as u32, 1 + random(heaviest) as i64);
                    let graph = load(&(0..size * degree).map(edge).collect::<Vec<_>>());
                    core.load(&graph);
                    let total = core.solve(None).lower;
                    assert_eq!(core.certified_total(), Some(total));
                    assert_eq!(core.auction(None), Some(true));
                    assert_eq!(core.certified_total(), Some(total), "{size} {degree} {heaviest}");
                }
            }
        }
    }

    /// Large cores, most of which are left to auctions, have the totals that searches find.
    #[test]
    fn large_cores_have_the_totals_of_searches() {
        let mut state = 5_u64;
        let mut random = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let mut settled = [0, 0];
        for (bidders, items, degree) in
            [(300, 300, 300), (2_000, 2_000, 40), (1_500, 1_600, 50), (9_000, 9_000, 8)]
        {
            for heaviest in [1, 20, 1 << 40] {
                let mut edges = Vec::new();
                for row in 0..bidders {
                    edges.extend((0..degree).map(|_| {
                        (row as u32, random(items) as u32, (1 << 40) + 1 + random(heaviest) as i64)
                    }));
                }
                let mut core = Core::new();
                core.load(&load(&edges));
                let total = core.solve(None).lower;
                assert_eq!(core.certified_total(), Some(total));
                let large = core.is_large();
                for duals in [&mut core.profit, &mut core.price] {
                    duals.fill(0);
                }
                for partners in [&mut core.holds, &mut core.holder] {
                    partners.fill(NONE);
                }
                settled[usize::from(core.bid() && large)] += 1;
                for bidder in mem::take(&mut core.idle) {
                    core.augment(bidder);
                }
                assert_eq!(core.certified_total(), Some(total), "{bidders} {degree} {heaviest}");
            }
        }
        assert!(settled[0] >= 3 && settled[1] >= 3, "{settled:?}");
    }

    /// Auctions that stop at a gap or immediately leave an assignment and prices that bound the total.
    #[test]
    fn auctions_stop_with_bounds() {
        let mut core = Core::new();
        let mut state = 1_u64;
        let mut random = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let mut open = 0;
        for case in 0..200_u64 {
            // The time is checked once in a thousand bids.
            let (size, degree) = (1 + random(if case < 190 { 60 } else { 2_000 }), 1 + random(10));
            let heaviest = [3, 1_000, 1 << 40][case as usize % 3];
            let edge = |_| (random(size) as u32, random(size) as u32, 1 + random(heaviest) as i64);
            let graph = load(&(0..size * degree).map(edge).collect::<Vec<_>>());
            core.load(&graph);
            let total = core.solve(None).lower;
            let now = Some(std::time::Instant::now());
            for (slack, until) in [(0, now), (heaviest as i64, None), (heaviest as i64 * 5, now)] {
                core.solve(Some(&Limit { slack: 0, until: now }));
                let proved = core.auction(Some(&Limit { slack, until }));
                let Bounds { lower, upper } = core.bounds();
                assert!(lower <= total && total <= upper, "{lower} {total} {upper}");
                assert!(proved == Some(false) || lower == upper);
                assert!(until.is_some() || upper - lower <= slack, "{lower} {upper} {slack}");
                open += usize::from(lower < upper);
            }
        }
        assert!(open > 10, "only {open} auctions stopped before their end");
    }

    /// A certificate with any error is rejected.
    #[test]
    fn a_wrong_certificate_is_refused() {
        let mut core = Core::new();
        core.load(&load(&CYCLE));
        core.solve(None);
        assert_eq!(core.certified_total(), Some(15));
        for spoil in [
            |core: &mut Core<i64>| core.profit[0] -= 1,
            |core: &mut Core<i64>| core.price[0] += 1,
            |core: &mut Core<i64>| core.holds[0] = NONE,
            |core: &mut Core<i64>| core.holder[0] = NONE,
            |core: &mut Core<i64>| core.holds.swap(0, 1),
        ] {
            let mut spoilt = core.clone();
            spoil(&mut spoilt);
            assert_eq!(spoilt.certified_total(), None);
        }
    }

    /// An auction whose time is up before it starts leaves the proof incomplete: two thousand bidders need more bids
    /// than there are between two checks of the time.
    #[test]
    fn an_auction_without_time_is_not_proved() {
        let mut core = Core::new();
        let mut state = 3_u64;
        let mut random = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let edge = |_| (random(2_000) as u32, random(2_000) as u32, 1 + random(1 << 30) as i64);
        core.load(&load(&(0..20_000).map(edge).collect::<Vec<_>>()));
        let now = Some(std::time::Instant::now());
        core.solve(Some(&Limit { slack: 0, until: now }));
        assert_eq!(core.auction(Some(&Limit { slack: 0, until: now })), Some(false));
        let Bounds { lower, upper } = core.bounds();
        assert!(lower < upper);
        assert_eq!(core.auction(None), Some(true));
    }

    /// A function that puts an error into a proof.
    type Spoil = fn(&mut Core<i64>);

    /// Row 0 has column 0 for 5, of which it keeps 1; row 1 could have it for 3 and has no column. Column 1 is free.
    #[test]
    fn each_part_of_a_certificate_is_needed() {
        let mut core = Core::new();
        core.load(&load(&[(0, 0, 5), (0, 1, 1), (1, 0, 3)]));
        (core.profit, core.price) = (vec![1, 0], vec![4, 0]);
        (core.holds, core.holder) = (vec![0, NONE], vec![0, NONE]);
        assert_eq!(core.certified_total(), Some(5));
        let refused: [(&str, Spoil); 7] = [
            ("an edge that is not covered", |core| core.profit[0] = 0),
            ("a pair that is not tight", |core| core.profit[0] = 2),
            ("a bidder without an item that has a profit", |core| core.profit[1] = 1),
            ("an item that the bidder has no edge to", |core| core.holds[1] = 1),
            ("a pair that the item does not know of", |core| core.holder[0] = 1),
            ("an item that thinks it is held", |core| core.holder[1] = 0),
            ("a free item with a price", |core| core.price[1] = 1),
        ];
        for (error, spoil) in refused {
            let mut spoilt = core.clone();
            spoil(&mut spoilt);
            assert_eq!(spoilt.certified_total(), None, "{error}");
        }
        // Tight pairs with a profit or a price below 0.
        core.load(&load(&[(0, 0, 5), (1, 1, 5)]));
        (core.holds, core.holder) = (vec![0, 1], vec![0, 1]);
        for (profit, price, total) in [(0, 5, Some(10)), (5, 0, Some(10)), (-1, 6, None), (6, -1, None)] {
            (core.profit, core.price) = (vec![profit, 2], vec![price, 3]);
            assert_eq!(core.certified_total(), total, "{profit} {price}");
        }
    }

    /// Each bidder without an item gets the heaviest free item, the first one in a tie.
    #[test]
    fn bidders_without_items_take_the_heaviest_free_ones() {
        let mut core = Core::new();
        core.load(&load(&[(0, 0, 3), (0, 1, 7), (0, 2, 7), (0, 3, 5), (1, 1, 9), (1, 2, 4), (1, 3, 6)]));
        core.solve(None);
        core.holds.fill(NONE);
        core.holder.fill(NONE);
        core.complete();
        assert_eq!(core.holds, [1, 3]);
        assert_eq!(core.holder, [NONE, 0, NONE, 1]);
        assert_eq!(core.weight(), 7 + 6);
    }

    /// An auction that is interrupted keeps the best known result: its bounds are at least as tight as the previous
    /// ones.
    #[test]
    fn auctions_never_worsen_bounds() {
        let mut core = Core::new();
        let mut state = 7_u64;
        let mut random = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let (mut better, mut same) = (0, 0);
        for case in 0..300 {
            let (size, degree) = (2 + random(60), 1 + random(8));
            let heaviest = [3, 1_000, 1 << 40][case % 3];
            let edge = |_| (random(size) as u32, random(size) as u32, 1 + random(heaviest) as i64);
            core.load(&load(&(0..size * degree).map(edge).collect::<Vec<_>>()));
            let now = Some(std::time::Instant::now());
            for slack in [heaviest as i64 / 4, heaviest as i64, heaviest as i64 * 5] {
                let before = core.solve(Some(&Limit { slack: 0, until: now }));
                core.auction(Some(&Limit { slack, until: None }));
                let after = core.bounds();
                assert!(before.lower <= after.lower && after.upper <= before.upper, "{before:?} {after:?}");
                better += usize::from(before.lower < after.lower || after.upper < before.upper);
                same += usize::from(before == after);
            }
        }
        assert!(better > 20 && same > 20, "{better} {same}");
    }
}
