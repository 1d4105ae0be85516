//! Scores the mention overlap ratio: the share of the words of mentions that both sides mark.

use super::{Evidence, MetricSpec, Variant, metric_info};
use crate::formats::Aspect;
use crate::matching::{EXAMINED, KEPT, MANY, MentionTable, TableMention, TableSide, shared_words};
use corefeval_metrics::assignment::{Edge, Solver, components};
use corefeval_metrics::tally::Tally;

metric_info! {
    /// # Mention overlap ratio
    ///
    /// ## What it measures
    ///
    /// The agreement of the extents of mentions, in words, regardless of entities and matching rules.
    ///
    /// ## Definition
    ///
    /// Key and response mentions are paired one to one to maximise the number of words that the pairs share. Recall =
    /// shared words / words of all key mentions; precision = shared words / words of all response mentions.
    ///
    /// ## Edge cases
    ///
    /// Words of nested mentions count once for each mention. Each copy of a mention in several entities counts. A side
    /// without mentions has a denominator of 0 and the score 0. If more than 256 mentions of a side cover one word,
    /// which does not occur in real texts, only the 64 that share the most words with a mention are tried.
    ///
    /// ## Example
    ///
    /// Key mentions `[1 2 3]` and `[3]`, response mention `[2 3]`: 2 words shared; recall 2/4,
    /// precision 2/2.
    ///
    /// ## References
    ///
    /// `zabokrtsky-2022`.
    ///
    /// ## Other scorers
    ///
    /// Corefud-scorer calls it MOR. The Universal Anaphora scorer pairs mentions by its
    /// matching rule instead.
    pub static MENTION_OVERLAP = {
        id: "mention_overlap",
        label: "Overlap",
        aliases: &["mor"],
        summary: "words of mentions that both sides mark (MOR)",
        references: &["zabokrtsky-2022"],
    }
}

pub(super) const METRIC: MetricSpec = MetricSpec {
    info: &MENTION_OVERLAP,
    evidence: Evidence::Mentions {
        tally,
        fits: |format| format.can_express(Aspect::EmptyNodes) && format.can_express(Aspect::SplitAntecedents),
        possible: |_| true,
        of_entities: true,
    },
};

fn tally(table: &MentionTable, _: &Variant, into: &mut Tally) {
    let words = |side: &TableSide| -> u64 {
        let all = side.mentions.iter().flat_map(|mention| side.runs(mention));
        all.map(|run| u64::from(run.len())).sum()
    };
    let shared = most_shared_words(table);
    into.first.add_integers((shared, words(&table.key)), (shared, words(&table.response)));
}

/// The mentions of a side that start before the place of a sweep and may not have ended, by start.
#[derive(Default)]
struct OpenMentions {
    places: Vec<u32>,
    /// The number that remained when ended mentions were last removed.
    left: usize,
}

impl OpenMentions {
    fn add(&mut self, place: usize) {
        self.places.push(place as u32);
    }

    /// Returns the mentions that end after `start`; if there are very many, the last that started.
    fn over<'o>(&'o mut self, start: u32, side: &'o [&TableMention]) -> impl Iterator<Item = u32> + 'o {
        let is_open = move |place: &u32| side[*place as usize].end > start;
        // Removes ended mentions once they may be half of all, so that the work is proportional to the mentions.
        if self.places.len() > 2 * self.left {
            self.places.retain(is_open);
            self.left = self.places.len().max(MANY);
        }
        let from = self.places.len().saturating_sub(EXAMINED);
        self.places[from..].iter().copied().filter(is_open)
    }
}

/// Returns the number of words that the best pairs share.
///
/// Mentions with the same words can be paired first: if X has an equal, and A and B are other mentions, then
/// |A ∩ X| + |B ∩ X| ≤ |X| + |A ∩ B|, so pairing X with its equal and A with B is at least as good.
fn most_shared_words(table: &MentionTable) -> u64 {
    let mut total = 0;
    let (key, response) = left_over(table, &mut total);
    // A sweep over both sides from left to right, with the mentions that have not ended.
    let (mut key_open, mut response_open) = (OpenMentions::default(), OpenMentions::default());
    let mut edges: Vec<Edge<i64>> = Vec::new();
    let (mut ours, mut theirs) = (0, 0);
    let edge = |row: u32, column: u32| {
        let (this, that) = (key[row as usize], response[column as usize]);
        let runs = (table.key.runs(this), table.response.runs(that));
        let weight = i64::from(shared_words(runs.0, runs.1));
        (weight > 0).then_some(Edge { row, column, weight })
    };
    // Keeps the best of the edges that start at `before`, all of which one mention added.
    let keep_best = |edges: &mut Vec<Edge<i64>>, before: usize| {
        if edges.len() - before > MANY {
            edges[before..].sort_by_key(|edge| -edge.weight);
            edges.truncate(before + KEPT);
        }
    };
    loop {
        let (this, that) = (key.get(ours), response.get(theirs));
        let key_is_next = match (this, that) {
            (None, None) => break,
            (Some(this), Some(that)) => this.start <= that.start,
            (this, None) => this.is_some(),
            (None, Some(_)) => false,
        };
        let before = edges.len();
        if let (true, Some(this)) = (key_is_next, this) {
            let others = response_open.over(this.start, &response);
            edges.extend(others.filter_map(|other| edge(ours as u32, other)));
            key_open.add(ours);
            ours += 1;
        } else if let Some(that) = that {
            let others = key_open.over(that.start, &key);
            edges.extend(others.filter_map(|other| edge(other, theirs as u32)));
            response_open.add(theirs);
            theirs += 1;
        }
        keep_best(&mut edges, before);
    }
    let ends = edges.iter().map(|edge| (edge.row, edge.column));
    let parts = components(key.len(), response.len(), ends);
    let mut solver = None;
    let (mut own, mut pairs) = (Vec::new(), Vec::new());
    for part in parts.iter() {
        if let [only] = part {
            total += edges[*only as usize].weight;
            continue;
        }
        own.clear();
        own.extend(part.iter().map(|&place| edges[place as usize]));
        pairs.clear();
        total += solver.get_or_insert_with(Solver::<i64>::new).solve(&own, &mut pairs);
    }
    total.unsigned_abs()
}

/// Pairs mentions with the same words, adds their words to the total, and returns the remaining ones.
fn left_over<'t>(
    MentionTable { key, response }: &'t MentionTable,
    total: &mut i64,
) -> (Vec<&'t TableMention>, Vec<&'t TableMention>) {
    // Mentions of one class are adjacent. For each class of the response, its next mention.
    let mut next = vec![0; response.classes()];
    for (place, mention) in response.mentions.iter().enumerate().rev() {
        next[mention.class as usize] = place;
    }
    let mut taken = vec![false; response.mentions.len()];
    let mut ours = Vec::new();
    for mention in &key.mentions {
        let equal = key.equal(mention.class).filter(|&class| {
            let place = next[class as usize];
            response.mentions.get(place).is_some_and(|other| other.class == class)
        });
        let Some(class) = equal else {
            ours.push(mention);
            continue;
        };
        taken[next[class as usize]] = true;
        next[class as usize] += 1;
        *total += key.runs(mention).iter().map(|run| i64::from(run.len())).sum::<i64>();
    }
    let theirs = response.mentions.iter().zip(taken).filter(|(_, taken)| !taken);
    (ours, theirs.map(|(mention, _)| mention).collect())
}
