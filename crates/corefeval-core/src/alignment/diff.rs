//! Aligns two sequences of pieces with the fewest changes.
//!
//! Replacing, dropping and adding a piece cost 1 each. Among the alignments of the lowest cost, the alignment with the
//! fewest gaps is chosen; in a tie, the earliest. From the start, it prefers a pair, then skipping a piece of the key,
//! then skipping a piece of the answer.
//!
//! The complete table of prefixes and suffixes would be quadratic. A cell is computed only if the changes after it,
//! plus a lower bound of the changes before it, are within a budget. The result is the same as with the complete
//! table. There are two bounds:
//!
//! - In texts with few changes, the changes before a cell are known exactly: [`Fronts`] has, for each number of changes
//!   and each diagonal, the furthest place that can be reached (Ukkonen 1985, Myers 1986), in time linear in the texts and
//!   quadratic in the changes. Few cells outside the best alignments are then computed.
//! - Otherwise the bound counts short runs of the key that occur nowhere in the answer: each contains a change. The
//!   budget is the cost of the best alignment in a [`Corridor`] along the long runs that both texts have.
//!
//! If a long text has many changes, either bound leaves too many cells. The alignment in the corridor is then the
//! result. It takes time linear in the texts, and has the fewest changes unless a better alignment leaves the corridor.
//! If an answer contains several copies of the text, the corridor follows the copy, or the parts of copies, with the
//! most common runs. Texts without common runs are aligned only if they are short ([`MOST_CELLS_APART`]).

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

/// A piece of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AnswerPiece {
    /// The number of the piece. Equal pieces have the same number.
    pub(super) symbol: u32,
    /// True if the piece may not belong to the text. Skipping such a piece costs nothing, and it is paired only with an
    /// equal piece.
    pub(super) doubtful: bool,
}

/// The division of an answer into blocks. One run of blocks is aligned.
#[derive(Clone, Debug)]
pub(super) struct AnswerBlocks {
    /// The first piece of each block, in order, starting with 0.
    pub(super) starts: Vec<u32>,
    /// The number of marks in each block.
    pub(super) marks: Vec<u32>,
}

/// The alignment of an answer's pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DiffPath {
    /// The run of the answer's pieces that is aligned.
    pub(super) run: Range<usize>,
    /// The piece of the key that each piece of the answer is paired with. The two may differ.
    pub(super) pairs: Vec<Option<u32>>,
    /// The number of pieces replaced, dropped or added.
    pub(super) changes: u32,
}

/// A cost: changes, then marks outside the run, then gaps, from the highest to the lowest weight.
type Cost = u64;

const CHANGE: Cost = 1 << 40;
const MARK: Cost = 1 << 20;
const GAP: Cost = 1;
const NEVER: Cost = Cost::MAX / 2;

/// The largest number of pieces that costs can represent.
const MOST: usize = 1 << 20;

/// The largest number of cells to compute if a bound leaves few of them.
const MOST_CELLS: u64 = 1 << 28;

/// The largest number of cells to compute for texts without common runs: all cells of two texts of 8,192 pieces.
const MOST_CELLS_APART: u64 = 1 << 26;

/// Returns the largest number of cells to compute along common runs, linear in the texts.
fn most_cells_along(key: usize, answer: usize) -> u64 {
    MOST_CELLS_APART.max(512 * (key as u64 + answer as u64))
}

/// The largest number of cells to compute for an alignment better than the one in the corridor.
const MOST_CELLS_BEYOND: u64 = 1 << 24;

/// The moves from a cell, in the order of preference.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Move {
    Pair,
    PassKey,
    PassAnswer,
}

/// The end of the alignment.
const STOP: u8 = 3;

/// The previous move, which determines whether the next move opens a gap.
const AFTER_PAIR: usize = 0;
const AFTER_KEY: usize = 1;
const AFTER_ANSWER: usize = 2;
/// The state in which only pieces of the key were skipped so far. The alignment cannot end here, because
/// its run would be empty.
const AFTER_KEY_ALONE: usize = 3;
/// The state before the first move.
const BEGIN: usize = 4;

/// The costs from a cell to the end, by the previous move.
type CostsByMove = [Cost; 4];

/// The costs of the moves from a cell to the end, without the cost of opening a gap.
struct Moves {
    pair: Cost,
    key: Cost,
    /// The cost of skipping a piece of the key, if only pieces of the key were skipped so far.
    key_alone: Cost,
    /// The cost of skipping a piece of the answer that is not doubtful.
    answer: Cost,
    /// True if the next piece of the answer is doubtful, so that skipping it costs nothing.
    free: bool,
    stop: Cost,
}

impl Moves {
    /// Returns the cost from the cell to the end after a move, and the move to take. `right` is the cost from the
    /// next column after the same move.
    #[inline]
    fn best(&self, before: usize, right: Cost) -> (Cost, u8) {
        let alone = before == AFTER_KEY_ALONE || before == BEGIN;
        let gap = |opens: bool| if opens { GAP } else { 0 };
        let key = if alone { self.key_alone } else { self.key };
        let pass_key = key + gap(before != AFTER_KEY && before != AFTER_KEY_ALONE);
        // Skipping a doubtful piece does not open a gap.
        let pass_answer = if self.free { right } else { self.answer + gap(before != AFTER_ANSWER) };
        // At the end of the key the alignment may end here, and it does so if that does not cost more.
        let mut best = if alone { (NEVER, STOP) } else { (self.stop, STOP) };
        for (cost, step) in
            [(self.pair, Move::Pair), (pass_key, Move::PassKey), (pass_answer, Move::PassAnswer)]
        {
            if cost < best.0 {
                best = (cost, step as u8);
            }
        }
        (best.0.min(NEVER), best.1)
    }
}

/// Aligns a run of blocks of the answer with the key: the run with the fewest changes; in a tie, with the most marks;
/// then the earliest.
pub(super) fn align(key: &[u32], answer: &[AnswerPiece], blocks: &AnswerBlocks) -> DiffPath {
    debug_assert_eq!(blocks.starts.first(), Some(&0));
    if key.len() <= MOST && answer.len() <= MOST {
        if let Some(fronts) = FRONTS.iter().find_map(|&most| Fronts::new(key, answer, blocks, most)) {
            let mut table = CostTable::new(key, answer, blocks, Bound::Fronts(&fronts), fronts.changes);
            if matches!(table.fill(MOST_CELLS), Filled::Fits) {
                return table.trace();
            }
        }
        let inside = align_in_corridor(key, answer, blocks);
        let bound = LowerBound::new(key, answer);
        if let Some(inside) = inside {
            let mut table = CostTable::new(key, answer, blocks, Bound::Runs(&bound), inside.changes);
            return match table.fill(MOST_CELLS_BEYOND) {
                Filled::Fits => table.trace(),
                Filled::Exceeds | Filled::TooMany => inside,
            };
        }
        let least = bound.total().max(key.len().saturating_sub(answer.len()) as u32);
        // The bound is exact if the answer lacks passages, for example because it stops early.
        let mut slack = 16;
        // No alignment costs more than skipping everything.
        let most = (key.len() + answer.len()) as u32;
        loop {
            let budget = least.saturating_add(slack).min(most);
            let mut table = CostTable::new(key, answer, blocks, Bound::Runs(&bound), budget);
            match table.fill(MOST_CELLS_APART) {
                Filled::Fits => return table.trace(),
                Filled::TooMany => break,
                Filled::Exceeds if budget == most => break,
                Filled::Exceeds => slack = (16 + least / 16).max(slack.saturating_mul(4)),
            }
        }
    }
    align_by_anchors(key, answer)
}

/// A lower bound of the changes before a cell.
#[derive(Clone, Copy)]
enum Bound<'t> {
    Fronts(&'t Fronts),
    Runs(&'t LowerBound),
    /// No bound, but only cells of the corridor are computed.
    Corridor(&'t Corridor),
}

/// The numbers of changes for which fronts are computed, in turn. The last takes about 50 MB and a tenth of a second.
const FRONTS: [u32; 3] = [64, 512, 4096];

/// The largest number of values in the fronts.
const MOST_FRONTS: usize = 1 << 25;

/// The furthest place in the key that can be reached with a number of changes, on each diagonal. A diagonal is the
/// difference between the numbers of pieces of the answer and of the key before a cell. Doubtful pieces cost as much as
/// others here, although the alignment skips them without cost. A cell may therefore need fewer changes, by up to the
/// number of doubtful pieces before it.
struct Fronts {
    /// The number of changes needed to reach the end of the key and of a block.
    changes: u32,
    /// The place in the key reached on each diagonal, from the lowest diagonal, for each number of changes; `-1` if
    /// none.
    rows: Vec<Vec<i32>>,
    /// The number of doubtful pieces of the answer before each place; empty if there are none.
    doubts: Vec<u32>,
}

impl Fronts {
    /// Computes fronts until one reaches the end. Returns `None` if that takes more than `most` changes.
    fn new(key: &[u32], answer: &[AnswerPiece], blocks: &AnswerBlocks, most: u32) -> Option<Fronts> {
        let (n, m) = (i64::try_from(key.len()).ok()?, i64::try_from(answer.len()).ok()?);
        let most = i64::from(most);
        // One side has this many more pieces than the other, which is a lower bound that needs no computation.
        if n - m > most || (blocks.starts.len() == 1 && m - n > most) {
            return None;
        }
        let mut doubts = Vec::new();
        if answer.iter().any(|piece| piece.doubtful) {
            doubts.push(0);
            let mut count = 0;
            for piece in answer {
                count += u32::from(piece.doubtful);
                doubts.push(count);
            }
        }
        let all_doubts = i64::from(doubts.last().copied().unwrap_or(0));
        let mut ends: Vec<i64> = blocks.starts.iter().map(|&start| i64::from(start)).collect();
        let starts = ends.clone();
        ends.push(m);
        let last_start = starts.last().copied().unwrap_or(0);
        let mut rows: Vec<Vec<i32>> = Vec::new();
        let (mut size, mut changes) = (0, None);
        for d in 0..=most {
            // The lowest diagonal of a row is -d. Beyond the highest diagonal, the rest of the answer is too short.
            let highest = (last_start + d).min(m - n + most - d).min(m);
            let width = usize::try_from(highest + d + 1).unwrap_or(0);
            size += width;
            if size > MOST_FRONTS {
                return None;
            }
            let mut row = vec![-1_i32; width];
            let before = rows.last();
            let at = |k: i64| -> i64 {
                let place = usize::try_from(k + d - 1).ok();
                let found = before.and_then(|before| before.get(place?));
                found.map_or(-1, |&reached| i64::from(reached))
            };
            for (place, reached) in (0..).zip(&mut row) {
                let k: i64 = place - d;
                let (same, left, right) = (at(k), at(k - 1), at(k + 1));
                // A replaced piece, a skipped piece of the answer, or a skipped piece of the key.
                let mut i = (if same < 0 { -1 } else { same + 1 }).max(left).max(if right < 0 {
                    -1
                } else {
                    right + 1
                });
                if i < 0 && starts.binary_search(&k).is_ok() {
                    i = 0;
                }
                i = i.min(n).min(m - k);
                if i < 0 || i + k < 0 {
                    continue;
                }
                let (mut ours, mut theirs) = (i as usize, (i + k) as usize);
                while ours < key.len() && theirs < answer.len() && key[ours] == answer[theirs].symbol {
                    (ours, theirs) = (ours + 1, theirs + 1);
                }
                *reached = i32::try_from(ours).ok()?;
            }
            if changes.is_none() {
                let is_reached = |end: &i64| {
                    let place = usize::try_from(end - n + d).ok();
                    place.and_then(|place| row.get(place)).is_some_and(|&reached| i64::from(reached) >= n)
                };
                if ends.iter().any(is_reached) {
                    changes = Some(d);
                }
            }
            rows.push(row);
            if let Some(changes) = changes.filter(|changes| d == changes + all_doubts) {
                return Some(Fronts { changes: u32::try_from(changes).ok()?, rows, doubts });
            }
        }
        None
    }

    /// Returns whether this number of changes can reach a cell.
    fn reach(&self, i: usize, j: usize, changes: u32) -> bool {
        let free = self.doubts.get(j).copied().unwrap_or(0);
        let d = (changes + free) as usize;
        let row = self.rows.get(d).or(self.rows.last());
        let d = d.min(self.rows.len().saturating_sub(1));
        // The index of the diagonal j - i.
        let place = (j + d).checked_sub(i);
        let reached = row.zip(place).and_then(|(row, place)| row.get(place));
        reached.is_some_and(|&reached| reached >= 0 && reached as usize >= i)
    }
}

/// A lower bound of the changes of each prefix of the key in any alignment.
struct LowerBound {
    /// The number of runs missing from the answer that end at or before each place.
    before: Vec<u32>,
}

impl LowerBound {
    /// Counts disjoint runs of the key, of a few lengths, that the answer lacks. The count is maximal because it always
    /// takes the run that ends first.
    fn new(key: &[u32], answer: &[AnswerPiece]) -> LowerBound {
        let symbols: Vec<u32> = answer.iter().map(|piece| piece.symbol).collect();
        let listed: Vec<(usize, Vec<Vec<u32>>)> = [1, 2, 3, 4, 5, 6, 8, 12]
            .into_iter()
            .filter_map(|length| Some((length, runs_with_doubts(answer, length)?)))
            .collect();
        let known: Vec<(usize, FxHashSet<&[u32]>)> = listed
            .iter()
            .map(|(length, more)| {
                let mut known: FxHashSet<&[u32]> = symbols.windows(*length).collect();
                known.extend(more.iter().map(Vec::as_slice));
                (*length, known)
            })
            .collect();
        let mut before = vec![0; key.len() + 1];
        let mut last = 0;
        for end in 1..=key.len() {
            let is_missing = |(length, known): &(usize, FxHashSet<&[u32]>)| {
                end >= last + length && !known.contains(&key[end - length..end])
            };
            let found = known.iter().any(is_missing);
            before[end] = before[end - 1] + u32::from(found);
            if found {
                last = end;
            }
        }
        LowerBound { before }
    }

    fn total(&self) -> u32 {
        self.before.last().copied().unwrap_or(0)
    }
}

/// Returns the runs of a given length in an answer, with and without doubtful pieces. Returns `None` if there are too
/// many.
fn runs_with_doubts(answer: &[AnswerPiece], length: usize) -> Option<Vec<Vec<u32>>> {
    let mut runs = Vec::new();
    if length == 1 {
        return Some(runs);
    }
    let doubts = answer.iter().enumerate().filter(|(_, piece)| piece.doubtful).map(|(place, _)| place);
    let mut done = 0;
    for doubt in doubts {
        // The runs that start before it and may leave it out, except those found from an earlier doubtful piece.
        let first = (doubt + 1).saturating_sub(length + MOST_DOUBTS).max(done);
        for start in first..doubt {
            extend(answer, start, length, 0, &mut Vec::new(), &mut runs)?;
        }
        done = doubt.max(first);
    }
    Some(runs)
}

/// The largest number of doubtful pieces that a run may leave out.
const MOST_DOUBTS: usize = 6;

/// The largest number of runs that are listed.
const MOST_RUNS: usize = 1 << 18;

/// Adds the runs that start at a place, with and without each doubtful piece. Returns `None` if there are too many.
fn extend(
    answer: &[AnswerPiece],
    at: usize,
    length: usize,
    left_out: usize,
    run: &mut Vec<u32>,
    runs: &mut Vec<Vec<u32>>,
) -> Option<()> {
    if run.len() == length {
        runs.push(run.clone());
        return (runs.len() <= MOST_RUNS).then_some(());
    }
    let Some(piece) = answer.get(at) else { return Some(()) };
    if piece.doubtful {
        if left_out == MOST_DOUBTS {
            return None;
        }
        extend(answer, at + 1, length, left_out + 1, run, runs)?;
    }
    run.push(piece.symbol);
    extend(answer, at + 1, length, left_out, run, runs)?;
    run.pop();
    Some(())
}

/// The result of filling the table: whether an alignment was found within the budget.
enum Filled {
    Fits,
    Exceeds,
    TooMany,
}

/// The costs from cells to the end, row by row from the last: a row for each piece of the key and one for its end.
struct CostTable<'t> {
    key: &'t [u32],
    answer: &'t [AnswerPiece],
    bound: Bound<'t>,
    budget: u32,
    /// The cost of starting or ending at a place of the answer; `NEVER` within a block.
    begin: Vec<Cost>,
    end: Vec<Cost>,
    /// The cells of each row: the first column, and the moves from each cell, two bits for each previous move.
    rows: Vec<(u32, Vec<u8>)>,
    /// The move from each column of the first row if there is no previous move.
    first_moves: Vec<u8>,
    /// The start of the best alignment.
    start: usize,
    cost: Cost,
}

impl<'t> CostTable<'t> {
    fn new(
        key: &'t [u32],
        answer: &'t [AnswerPiece],
        blocks: &AnswerBlocks,
        bound: Bound<'t>,
        budget: u32,
    ) -> CostTable<'t> {
        let mut begin = vec![NEVER; answer.len() + 1];
        let mut end = begin.clone();
        let all: u32 = blocks.marks.iter().sum();
        let mut before = 0;
        for (place, &start) in blocks.starts.iter().enumerate() {
            // Blocks without pieces share a place.
            let (start, cost) = (start as usize, Cost::from(before) * MARK);
            begin[start] = begin[start].min(cost);
            end[start] = Cost::from(all - before) * MARK;
            before += blocks.marks.get(place).copied().unwrap_or(0);
        }
        begin[answer.len()] = begin[answer.len()].min(Cost::from(all) * MARK);
        end[answer.len()] = 0;
        CostTable {
            key,
            answer,
            bound,
            budget,
            begin,
            end,
            rows: Vec::new(),
            first_moves: Vec::new(),
            start: 0,
            cost: NEVER,
        }
    }

    /// Fills the rows from the last to the first.
    fn fill(&mut self, most_cells: u64) -> Filled {
        let (n, m) = (self.key.len(), self.answer.len());
        let mut below: (usize, Vec<CostsByMove>) = (0, Vec::new());
        let mut cells = 0u64;
        self.first_moves = vec![STOP; m + 1];
        let mut right_begin = NEVER;
        self.rows = vec![(0, Vec::new()); n + 1];
        let (mut costs, mut moves): (Vec<CostsByMove>, Vec<u8>) = (Vec::new(), Vec::new());
        for i in (0..=n).rev() {
            let (last, first) = match i == n {
                true => (m, 0),
                // The moves from a cell lead to the same column in the row below or to the next column.
                false => ((below.0 + below.1.len()).saturating_sub(1).min(m), below.0.saturating_sub(1)),
            };
            costs.clear();
            moves.clear();
            let mut right = [NEVER; 4];
            let mut kept: Option<(usize, usize)> = None;
            let mut j = last;
            loop {
                let from = self.moves((i, j), &below, &right);
                if i == 0 {
                    let (cost, chosen) = from.best(BEGIN, right_begin);
                    self.first_moves[j] = chosen;
                    right_begin = cost;
                    let cost = cost + self.begin[j];
                    // In a tie, the earliest start is chosen.
                    if self.begin[j] < NEVER && cost <= self.cost {
                        (self.cost, self.start) = (cost, j);
                    }
                }
                let (mut cell, mut chosen) = ([NEVER; 4], 0u8);
                for (before, least) in cell.iter_mut().enumerate() {
                    let (cost, step) = from.best(before, right[before]);
                    *least = cost;
                    chosen |= step << (2 * before);
                }
                costs.push(cell);
                moves.push(chosen);
                cells += 1;
                let alive = self.is_alive(i, j, cell[AFTER_PAIR]);
                if alive {
                    kept = Some((kept.map_or(costs.len() - 1, |kept| kept.0), costs.len()));
                }
                right = cell;
                // Beyond the cells below, the only possible move is to skip pieces of the answer.
                if j == 0 || (j <= first && !alive) {
                    break;
                }
                j -= 1;
            }
            if cells > most_cells {
                return Filled::TooMany;
            }
            let Some((from, to)) = kept else { return Filled::Exceeds };
            // The columns were visited from right to left.
            let lowest = last + 1 - to;
            self.rows[i] = (lowest as u32, moves[from..to].iter().rev().copied().collect());
            below.0 = lowest;
            below.1.clear();
            below.1.extend(costs[from..to].iter().rev());
        }
        let fits = self.cost < NEVER && (self.cost / CHANGE) as u32 <= self.budget;
        if fits { Filled::Fits } else { Filled::Exceeds }
    }

    /// Returns whether an alignment through a cell can be within the budget.
    fn is_alive(&self, i: usize, j: usize, cost: Cost) -> bool {
        if cost >= NEVER {
            return false;
        }
        let Some(left) = self.budget.checked_sub((cost / CHANGE) as u32) else { return false };
        match self.bound {
            Bound::Fronts(fronts) => fronts.reach(i, j, left),
            // At least this many pieces of the key are skipped before the cell.
            Bound::Runs(bound) => bound.before[i].max(i.saturating_sub(j) as u32) <= left,
            Bound::Corridor(corridor) => corridor.has(i, j),
        }
    }

    /// Returns the costs of the moves from a cell, independent of the previous move.
    #[inline]
    fn moves(&self, (i, j): (usize, usize), below: &(usize, Vec<CostsByMove>), right: &CostsByMove) -> Moves {
        let (n, m) = (self.key.len(), self.answer.len());
        let at = |j: usize| below.1.get(j.wrapping_sub(below.0));
        let mut moves =
            Moves { pair: NEVER, key: NEVER, key_alone: NEVER, answer: NEVER, free: false, stop: NEVER };
        if i < n {
            if j < m
                && let Some(cell) = at(j + 1)
            {
                let piece = self.answer[j];
                if piece.symbol == self.key[i] {
                    moves.pair = cell[AFTER_PAIR];
                } else if !piece.doubtful {
                    moves.pair = cell[AFTER_PAIR] + CHANGE;
                }
            }
            if let Some(cell) = at(j) {
                (moves.key, moves.key_alone) = (cell[AFTER_KEY] + CHANGE, cell[AFTER_KEY_ALONE] + CHANGE);
            }
        } else {
            moves.stop = self.end[j];
        }
        if j < m {
            moves.free = self.answer[j].doubtful;
            moves.answer = right[AFTER_ANSWER] + CHANGE;
        }
        moves
    }

    /// Follows the best moves from the start.
    fn trace(&self) -> DiffPath {
        let (mut i, mut j, mut before) = (0, self.start, BEGIN);
        let mut pairs = vec![None; self.answer.len()];
        loop {
            let (first, moves) = &self.rows[i];
            let bits = moves.get(j.wrapping_sub(*first as usize)).copied().unwrap_or(u8::MAX);
            let step = if before == BEGIN { self.first_moves[j] } else { (bits >> (2 * before)) & STOP };
            match step {
                0 => {
                    pairs[j] = Some(i as u32);
                    (i, j, before) = (i + 1, j + 1, AFTER_PAIR);
                }
                1 => {
                    let alone = before == BEGIN || before == AFTER_KEY_ALONE;
                    (i, before) = (i + 1, if alone { AFTER_KEY_ALONE } else { AFTER_KEY });
                }
                2 => {
                    before = if self.answer[j].doubtful { before } else { AFTER_ANSWER };
                    j += 1;
                }
                _ => break,
            }
        }
        DiffPath { run: self.start..j, pairs, changes: (self.cost / CHANGE) as u32 }
    }
}

/// The cells in which an alignment is searched for, around the long runs that both texts have.
struct Corridor {
    /// The first and the last column of each row.
    rows: Vec<(usize, usize)>,
}

/// The lengths of the common runs that a corridor follows, and the number of cells between two runs above which shorter
/// runs are searched for there.
const LEADS: [usize; 3] = [ANCHOR, 8, 5];
const MOST_BETWEEN: usize = 1 << 16;

/// The distance by which an alignment may deviate from a common run.
const MARGIN: usize = 32;

impl Corridor {
    /// Finds the corridor. Returns `None` if the texts have so little in common that it would have too many cells.
    fn new(key: &[u32], answer: &[AnswerPiece]) -> Option<Corridor> {
        let symbols: Vec<u32> = answer.iter().map(|piece| piece.symbol).collect();
        let (n, m) = (key.len(), answer.len());
        let mut places = vec![(0, 0)];
        lead((0, key), (0, &symbols), &LEADS, &mut places);
        places.push((n, m));
        let mut rows = vec![(m, 0); n + 1];
        let mut cells = 0;
        for step in places.windows(2) {
            let ((above, left), (below, right)) = (step[0], step[1]);
            let (left, right) = (left.saturating_sub(MARGIN), (right + MARGIN).min(m));
            cells += (below - above + 1) as u64 * (right - left + 1) as u64;
            if cells > most_cells_along(n, m) {
                return None;
            }
            for row in &mut rows[above..=below] {
                *row = (row.0.min(left), row.1.max(right));
            }
        }
        Some(Corridor { rows })
    }

    fn has(&self, i: usize, j: usize) -> bool {
        let (first, last) = self.rows[i];
        (first..=last).contains(&j)
    }
}

/// Adds the places between and after the pieces of common runs, which increase on both sides.
fn lead(
    (i, key): (usize, &[u32]),
    (j, answer): (usize, &[u32]),
    lengths: &[usize],
    places: &mut Vec<(usize, usize)>,
) {
    let Some((&length, shorter)) = lengths.split_first() else { return };
    if key.len().saturating_mul(answer.len()) <= MOST_BETWEEN {
        return;
    }
    let (mut ours, mut theirs) = (0, 0);
    let whole = (key.len(), answer.len());
    for (first, other) in anchors(key, answer, length).into_iter().chain([whole]) {
        // Runs overlap if they are parts of a longer one. Other overlapping runs are not compatible.
        if first < ours || other < theirs {
            if first + theirs == other + ours {
                (ours, theirs) = (first + length, other + length);
                places.push((i + ours, j + theirs));
            }
            continue;
        }
        lead((i + ours, &key[ours..first]), (j + theirs, &answer[theirs..other]), shorter, places);
        if (first, other) == whole {
            break;
        }
        places.push((i + first, j + other));
        (ours, theirs) = (first + length, other + length);
        places.push((i + ours, j + theirs));
    }
}

/// Aligns texts within their corridor. Returns `None` if they have too little in common.
fn align_in_corridor(key: &[u32], answer: &[AnswerPiece], blocks: &AnswerBlocks) -> Option<DiffPath> {
    let corridor = Corridor::new(key, answer)?;
    let most = (key.len() + answer.len()) as u32;
    let mut table = CostTable::new(key, answer, blocks, Bound::Corridor(&corridor), most);
    matches!(table.fill(MOST_CELLS), Filled::Fits).then(|| table.trace())
}

/// The length of common runs that mark the same place of both texts.
const ANCHOR: usize = 12;

/// Aligns texts that are too long, or differ too much, for one table. The texts are cut at runs of [`ANCHOR`] pieces
/// that occur exactly once in the key, and aligned between these runs. The largest parts are not aligned if all
/// parts together would take too long.
fn align_by_anchors(key: &[u32], answer: &[AnswerPiece]) -> DiffPath {
    let symbols: Vec<u32> = answer.iter().map(|piece| piece.symbol).collect();
    let mut pairs = vec![None; answer.len()];
    let mut parts: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    let (mut i, mut j) = (0, 0);
    for (ours, theirs) in anchors(key, &symbols, ANCHOR).into_iter().chain([(key.len(), answer.len())]) {
        // Anchors may overlap the previous ones.
        if ours < i || theirs < j {
            continue;
        }
        parts.push((i..ours, j..theirs));
        let length = ANCHOR.min(key.len() - ours).min(answer.len() - theirs);
        let same = (0..length).take_while(|&step| key[ours + step] == symbols[theirs + step]).count();
        for step in 0..same {
            pairs[theirs + step] = Some((ours + step) as u32);
        }
        (i, j) = (ours + same, theirs + same);
    }
    let cells = |part: &(Range<usize>, Range<usize>)| part.0.len() as u64 * part.1.len() as u64;
    parts.sort_by_key(cells);
    let mut left = most_cells_along(key.len(), answer.len());
    let mut changes = 0;
    for (ours, theirs) in parts {
        let found = left.checked_sub(ours.len() as u64 * theirs.len() as u64).and_then(|rest| {
            left = rest;
            align_part(&key[ours.clone()], &answer[theirs.clone()])
        });
        let Some(found) = found else {
            changes += (ours.len() + theirs.len()) as u32;
            continue;
        };
        changes += found.changes;
        for (pair, of_part) in pairs[theirs].iter_mut().zip(found.pairs) {
            *pair = of_part.map(|place| place + ours.start as u32);
        }
    }
    DiffPath { run: 0..answer.len(), pairs, changes }
}

/// Aligns the pieces between two anchors. Returns `None` if one side has no pieces there.
fn align_part(key: &[u32], answer: &[AnswerPiece]) -> Option<DiffPath> {
    if key.is_empty() || answer.is_empty() {
        return None;
    }
    let bound = LowerBound { before: vec![0; key.len() + 1] };
    let one = AnswerBlocks { starts: vec![0], marks: vec![0] };
    let mut table = CostTable::new(key, answer, &one, Bound::Runs(&bound), (key.len() + answer.len()) as u32);
    matches!(table.fill(MOST_CELLS), Filled::Fits).then(|| table.trace())
}

/// Returns the places of runs of this length that occur exactly once in the key: the longest chain in the order of
/// both. An answer that repeats the text contains such a run several times, and the chain takes the copy that agrees
/// with the other runs.
fn anchors(key: &[u32], answer: &[u32], length: usize) -> Vec<(usize, usize)> {
    // The place of each run in the key, if it occurs once, and its last place in the answer so far.
    let mut runs: FxHashMap<&[u32], (Option<usize>, Option<usize>)> = FxHashMap::default();
    for (place, run) in key.windows(length).enumerate() {
        runs.entry(run).and_modify(|known| known.0 = None).or_insert((Some(place), None));
    }
    // The previous place in the answer with the same run, for each place.
    let mut earlier = vec![None; answer.len()];
    for (place, run) in answer.windows(length).enumerate() {
        if let Some((Some(_), last)) = runs.get_mut(run) {
            earlier[place] = last.replace(place);
        }
    }
    let mut common: Vec<(usize, usize)> = Vec::new();
    for (place, run) in key.windows(length).enumerate() {
        if let Some(&(Some(_), mut next)) = runs.get(run) {
            // Tries the places from the last to the first, so that a chain contains only one of them.
            while let Some(other) = next {
                common.push((place, other));
                next = earlier[other];
            }
        }
    }
    // The longest chain that increases on both sides: the last element for each length, and the
    // predecessor of each element.
    let (mut tails, mut came): (Vec<usize>, Vec<Option<usize>>) = (Vec::new(), vec![None; common.len()]);
    for (place, &(_, other)) in common.iter().enumerate() {
        let length = tails.partition_point(|&tail| common[tail].1 < other);
        came[place] = length.checked_sub(1).map(|before| tails[before]);
        match tails.get_mut(length) {
            Some(tail) => *tail = place,
            None => tails.push(place),
        }
    }
    let mut chain = Vec::new();
    let mut next = tails.last().copied();
    while let Some(place) = next {
        chain.push(common[place]);
        next = came[place];
    }
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The costs from each cell to the end, for all prefixes of both sequences, without any bound.
    struct Plain<'t> {
        key: &'t [u32],
        answer: &'t [AnswerPiece],
        end: usize,
        /// The changes and gaps to the end from each cell after each move.
        costs: Vec<[(u32, u32); 3]>,
    }

    impl Plain<'_> {
        fn new<'t>(key: &'t [u32], answer: &'t [AnswerPiece], end: usize) -> Plain<'t> {
            let mut plain = Plain { key, answer, end, costs: vec![[(0, 0); 3]; (key.len() + 1) * (end + 1)] };
            for i in (0..=key.len()).rev() {
                for j in (0..=end).rev() {
                    for before in 0..3 {
                        plain.costs[i * (end + 1) + j][before] = plain
                            .choices(i, j, before)
                            .into_iter()
                            .map(|choice| choice.0)
                            .min()
                            .unwrap_or((0, 0));
                    }
                }
            }
            plain
        }

        /// Returns the moves from a cell in the order of preference, each with its cost and its target.
        fn choices(&self, i: usize, j: usize, before: usize) -> Vec<((u32, u32), usize, usize, usize)> {
            let cost = |i: usize, j: usize, after: usize| self.costs[i * (self.end + 1) + j][after];
            let mut choices = Vec::new();
            if i < self.key.len() && j < self.end {
                let equal = self.key[i] == self.answer[j].symbol;
                if equal || !self.answer[j].doubtful {
                    let (changes, gaps) = cost(i + 1, j + 1, 0);
                    choices.push(((changes + u32::from(!equal), gaps), i + 1, j + 1, 0));
                }
            }
            if i < self.key.len() {
                let (changes, gaps) = cost(i + 1, j, 1);
                choices.push(((changes + 1, gaps + u32::from(before != 1)), i + 1, j, 1));
            }
            if j < self.end {
                if self.answer[j].doubtful {
                    choices.push((cost(i, j + 1, before), i, j + 1, before));
                } else {
                    let (changes, gaps) = cost(i, j + 1, 2);
                    choices.push(((changes + 1, gaps + u32::from(before != 2)), i, j + 1, 2));
                }
            }
            choices
        }

        fn best(&self, start: usize) -> (u32, u32) {
            self.costs[start][0]
        }

        fn pairs(&self, start: usize) -> Vec<Option<u32>> {
            let mut pairs = vec![None; self.answer.len()];
            let (mut i, mut j, mut before) = (0, start, 0);
            while i < self.key.len() || j < self.end {
                let best = self.costs[i * (self.end + 1) + j][before];
                let choices = self.choices(i, j, before);
                let chosen = choices.into_iter().find(|choice| choice.0 == best).unwrap();
                if chosen.1 == i + 1 && chosen.2 == j + 1 {
                    pairs[j] = Some(i as u32);
                }
                (i, j, before) = (chosen.1, chosen.2, chosen.3);
            }
            pairs
        }
    }

    /// Returns the fewest changes, marks outside and gaps over all runs of blocks.
    fn plain(key: &[u32], answer: &[AnswerPiece], blocks: &AnswerBlocks) -> ((u32, u32, u32), usize) {
        let mut ends: Vec<usize> = blocks.starts.iter().map(|&start| start as usize).collect();
        ends.push(answer.len());
        let all: u32 = blocks.marks.iter().sum();
        let mut best = ((u32::MAX, 0, 0), 0);
        for (from, &start) in ends.iter().enumerate() {
            for (to, &end) in ends.iter().enumerate().skip(from) {
                let inside: u32 = blocks.marks[from..to].iter().sum();
                let (changes, gaps) = Plain::new(key, answer, end).best(start);
                // A run needs at least one piece that is not doubtful.
                if answer[start..end].iter().all(|piece| piece.doubtful) && changes as usize == key.len() {
                    continue;
                }
                best = best.min(((changes, all - inside, gaps), start));
            }
        }
        best
    }

    /// A generator of pseudo-random numbers.
    struct TestRandom(u64);

    impl TestRandom {
        fn below(&mut self, most: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % most
        }
    }

    fn certain(symbols: &[u32]) -> Vec<AnswerPiece> {
        symbols.iter().map(|&symbol| AnswerPiece { symbol, doubtful: false }).collect()
    }

    fn one_block() -> AnswerBlocks {
        AnswerBlocks { starts: vec![0], marks: vec![0] }
    }

    #[test]
    fn all_runs_and_alignments_are_not_better() {
        let mut numbers = TestRandom(7);
        for round in 0..2000 {
            let letters = 2 + numbers.below(5);
            let key: Vec<u32> = (0..numbers.below(14)).map(|_| numbers.below(letters) as u32).collect();
            let answer: Vec<AnswerPiece> = (0..numbers.below(16))
                .map(|_| AnswerPiece {
                    symbol: numbers.below(letters) as u32,
                    doubtful: numbers.below(6) == 0,
                })
                .collect();
            let mut starts = vec![0];
            for place in 1..answer.len() as u32 {
                if numbers.below(5) == 0 {
                    starts.push(place);
                }
            }
            let marks = starts.iter().map(|_| numbers.below(3) as u32).collect();
            if answer.iter().all(|piece| piece.doubtful) {
                continue;
            }
            let blocks = AnswerBlocks { starts, marks };
            let found = align(&key, &answer, &blocks);
            let (best, _) = plain(&key, &answer, &blocks);
            assert_eq!(found.changes, best.0, "round {round}: {key:?} {answer:?} {blocks:?}");
            // The pairs are the earliest best pairs of the run.
            let run = Plain::new(&key, &answer, found.run.end);
            assert_eq!(run.best(found.run.start).0, best.0, "round {round}");
            assert_eq!(run.best(found.run.start).1, best.2, "round {round}: gaps");
            assert_eq!(found.pairs, run.pairs(found.run.start), "round {round}: {key:?} {answer:?}");
        }
    }

    #[test]
    fn the_first_of_equal_copies_counts() {
        let found = align(&[1, 2], &certain(&[1, 2, 3, 1, 2]), &one_block());
        assert_eq!(found.pairs, [Some(0), Some(1), None, None, None]);
        let found = align(&[1, 1], &certain(&[1]), &one_block());
        assert_eq!(found.pairs, [Some(0)]);
    }

    #[test]
    fn doubtful_pieces_cost_nothing_and_pair_only_with_equal_ones() {
        let piece = |symbol, doubtful| AnswerPiece { symbol, doubtful };
        let answer = [piece(9, true), piece(1, false), piece(8, true), piece(2, false)];
        assert_eq!(align(&[1, 2], &answer, &one_block()).changes, 0);
        assert_eq!(align(&[9, 1, 2], &answer, &one_block()).pairs, [Some(0), Some(1), None, Some(2)]);
        assert_eq!(align(&[7, 1, 2], &answer, &one_block()).pairs, [None, Some(1), None, Some(2)]);
    }

    /// Generates a text of words distributed as in a language: few are frequent.
    fn text(length: usize, numbers: &mut TestRandom) -> Vec<u32> {
        (0..length).map(|_| (numbers.below(1000) * numbers.below(1000) / 700) as u32).collect()
    }

    /// Returns the text with a share of its pieces replaced, dropped and added.
    fn changed(key: &[u32], per_thousand: u64, numbers: &mut TestRandom) -> Vec<AnswerPiece> {
        let mut answer = Vec::new();
        for &symbol in key {
            if numbers.below(1000) >= per_thousand {
                answer.push(symbol);
                continue;
            }
            match numbers.below(3) {
                0 => {}
                1 => answer.push(5000 + numbers.below(100) as u32),
                _ => answer.extend([symbol, numbers.below(1000) as u32]),
            }
        }
        certain(&answer)
    }

    #[test]
    fn long_texts_are_aligned_exactly() {
        let mut numbers = TestRandom(3);
        let key = text(600, &mut numbers);
        for per_thousand in [10, 50, 200] {
            let answer = changed(&key, per_thousand, &mut numbers);
            let found = align(&key, &answer, &one_block());
            let plain = Plain::new(&key, &answer, answer.len());
            assert_eq!(found.changes, plain.best(0).0);
            assert_eq!(found.pairs, plain.pairs(0));
        }
    }

    #[test]
    fn alignments_in_a_corridor_are_exact() {
        let mut numbers = TestRandom(11);
        for round in 0..4 {
            let key = text(600, &mut numbers);
            for per_thousand in [10, 50, 200] {
                let mut answer = changed(&key, per_thousand, &mut numbers);
                for piece in &mut answer {
                    piece.doubtful = numbers.below(200) == 0;
                }
                // The answer is surrounded by text in separate blocks.
                let around = certain(&text(30, &mut numbers));
                let starts = vec![0, around.len() as u32, (around.len() + answer.len()) as u32];
                let blocks = AnswerBlocks { starts, marks: vec![0, 3, 0] };
                let answer = [&around[..], &answer, &around].concat();
                let inside = align_in_corridor(&key, &answer, &blocks).expect("common runs");
                let bound = LowerBound::new(&key, &answer);
                let mut table = CostTable::new(&key, &answer, &blocks, Bound::Runs(&bound), inside.changes);
                assert!(matches!(table.fill(MOST_CELLS), Filled::Fits));
                assert_eq!(inside, table.trace(), "round {round}: {per_thousand}");
            }
        }
    }

    #[test]
    fn corridors_are_narrow_for_any_share_of_changes() {
        let mut numbers = TestRandom(17);
        let key = text(40_000, &mut numbers);
        for (per_thousand, share) in [(10, 2), (50, 1), (200, 1), (400, 1)] {
            let answer = changed(&key[..key.len() / share], per_thousand, &mut numbers);
            let corridor = Corridor::new(&key, &answer).expect("common runs");
            let cells: usize = corridor.rows.iter().map(|(first, last)| last - first + 1).sum();
            assert!(cells < 400 * key.len(), "{per_thousand}: {cells} cells");
        }
        // The texts have nothing in common, so the corridor would contain every cell.
        let other = certain(&vec![7777; 40_000]);
        assert!(Corridor::new(&key, &other).is_none());
    }

    #[test]
    fn repeated_texts_have_a_corridor_along_one_copy_at_a_time() {
        let mut numbers = TestRandom(29);
        let key = text(600, &mut numbers);
        for (copies, per_thousand) in [(2, 10), (3, 50), (9, 200)] {
            let answer: Vec<AnswerPiece> =
                (0..copies).flat_map(|_| changed(&key, per_thousand, &mut numbers)).collect();
            let inside = align_in_corridor(&key, &answer, &one_block()).expect("common runs");
            let plain = Plain::new(&key, &answer, answer.len());
            let best = plain.best(0).0;
            // Parts of many copies can fit better than the parts with the most common runs.
            let most = if copies <= 3 { best } else { best + best / 100 };
            assert!((best..=most).contains(&inside.changes), "{copies} copies: {} {best}", inside.changes);
            assert_eq!(align(&key, &answer, &one_block()).pairs, plain.pairs(0), "{copies} copies");
        }
        // Only one of several copies of a long text is aligned, and few cells are computed.
        let key = text(10_000, &mut numbers);
        for copies in [2, 10] {
            let answer: Vec<AnswerPiece> =
                (0..copies).flat_map(|_| changed(&key, 10, &mut numbers)).collect();
            let corridor = Corridor::new(&key, &answer).expect("common runs");
            let cells: usize = corridor.rows.iter().map(|(first, last)| last - first + 1).sum();
            assert!(cells < 512 * answer.len(), "{copies} copies: {cells} cells");
            let found = align_in_corridor(&key, &answer, &one_block()).expect("within the cells");
            let paired = found.pairs.iter().flatten().count();
            assert!(paired > 9_900, "{copies} copies: {paired} pairs");
        }
    }

    #[test]
    fn texts_too_different_for_one_table_are_cut_at_anchors() {
        let mut numbers = TestRandom(5);
        let key = text(3000, &mut numbers);
        let answer = changed(&key, 30, &mut numbers);
        let (exact, cut) = (align(&key, &answer, &one_block()), align_by_anchors(&key, &answer));
        let same = exact.pairs.iter().zip(&cut.pairs).filter(|(one, other)| one == other).count();
        assert!(
            cut.changes >= exact.changes && cut.changes <= exact.changes + 5,
            "{} {}",
            cut.changes,
            exact.changes
        );
        assert!(same + 10 >= answer.len(), "{same} of {}", answer.len());
    }
}
