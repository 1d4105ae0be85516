//! Mention overlap ratio: how much of the words of mentions both sides mark.

use super::{Kind, Metric, MetricSpec, Rules};
use crate::matching::assignment::{Edge, Solver, components};
use crate::matching::{MentionTable, TableSide, shared_words};
use crate::tally::{RealTally, Score, Tally};

/// # Mention overlap ratio
///
/// What it measures: how well the extents of mentions agree, in words, whatever entity they are in and
/// whatever rule matches them.
///
/// Definition: key and response mentions are paired one to one such that the words that the pairs share
/// are as many as can be. Recall = shared words / words of all key mentions; precision = shared words /
/// words of all response mentions.
///
/// Edge cases: words of nested mentions count once for each mention. Copies of a mention in several
/// entities count each. A side without mentions has the denominator 0 and the score 0.
///
/// Example: key mentions `[1 2 3]` and `[3]`, response mention `[2 3]`: 2 words shared; recall 2/4,
/// precision 2/2.
///
/// References: zabokrtsky-2022.
///
/// Other scorers: corefud-scorer calls it MOR. The Universal Anaphora scorer pairs mentions by its
/// matching rule instead.
pub(super) const SPEC: MetricSpec = MetricSpec {
    id: "mention_overlap",
    label: "Overlap",
    summary: "words of mentions that both sides mark (MOR)",
    references: &["zabokrtsky-2022"],
    parameters: &[],
    kind: Kind::OfMentions { tally, score, formats: &["corefud", "conll-ua"] },
};

fn tally(table: &MentionTable, _: &Metric, into: &mut Tally) {
    let words = |side: &TableSide| -> u64 {
        let all = side.mentions.iter().flat_map(|mention| side.runs(mention));
        all.map(|run| u64::from(run.len())).sum()
    };
    let shared = most_shared_words(table);
    into.first.add_integers((shared, words(&table.key)), (shared, words(&table.response)));
}

/// The words that the best pairs share.
fn most_shared_words(table: &MentionTable) -> u64 {
    let (key, response) = (&table.key, &table.response);
    // A sweep over both sides from left to right: the mentions that are not over yet.
    let (mut key_open, mut response_open): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
    let mut edges: Vec<Edge<i64>> = Vec::new();
    let (mut ours, mut theirs) = (0, 0);
    loop {
        let (this, that) = (key.mentions.get(ours), response.mentions.get(theirs));
        let key_is_next = match (this, that) {
            (None, None) => break,
            (Some(this), Some(that)) => this.start <= that.start,
            (this, None) => this.is_some(),
            (None, Some(_)) => false,
        };
        let mut edge = |row: u32, column: u32| {
            let runs =
                (key.runs(&key.mentions[row as usize]), response.runs(&response.mentions[column as usize]));
            let weight = i64::from(shared_words(runs.0, runs.1));
            if weight > 0 {
                edges.push(Edge { row, column, weight });
            }
        };
        if let (true, Some(this)) = (key_is_next, this) {
            response_open.retain(|&other| response.mentions[other as usize].end > this.start);
            response_open.iter().for_each(|&other| edge(ours as u32, other));
            key_open.push(ours as u32);
            ours += 1;
        } else if let Some(that) = that {
            key_open.retain(|&other| key.mentions[other as usize].end > that.start);
            key_open.iter().for_each(|&other| edge(other, theirs as u32));
            response_open.push(theirs as u32);
            theirs += 1;
        }
    }
    let ends = edges.iter().map(|edge| (edge.row, edge.column));
    let parts = components(key.mentions.len(), response.mentions.len(), ends);
    let mut solver = Solver::<i64>::new();
    let (mut own, mut pairs) = (Vec::new(), Vec::new());
    let mut total = 0;
    for part in parts.iter() {
        if let [only] = part {
            total += edges[*only as usize].weight;
            continue;
        }
        own.clear();
        own.extend(part.iter().map(|&place| edges[place as usize]));
        pairs.clear();
        total += solver.solve(&own, &mut pairs);
    }
    total.unsigned_abs()
}

fn score(tally: &RealTally, _: &Metric, _: &Rules) -> Score {
    tally.first.score()
}
