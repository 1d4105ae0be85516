//! Scores whether zeros are resolved to the right entity.

use super::{Evidence, MetricSpec, Variant, metric_info};
use crate::formats::Aspect;
use crate::matching::MentionTable;
use corefeval_metrics::tally::Tally;

metric_info! {
    /// # Zero anaphora
    ///
    /// ## What it measures
    ///
    /// The share of anaphoric zeros that find an antecedent of their entity; the
    /// anaphor-decomposable score of pronouns, over zeros.
    ///
    /// ## Definition
    ///
    /// An anaphor is a zero that is not the first mention of its entity. A key anaphor is *correct* if its response
    /// mention is not a first mention and shares its response entity with the response mention of some earlier mention
    /// of the key entity. It is a *wrong link* if its response mention is not a first mention but shares no such
    /// entity, and *missing* if its response mention is a first mention or does not exist. A response anaphor whose key
    /// mention is not an anaphor of the key is *spurious*. Recall = correct / (correct + wrong link + missing);
    /// precision = correct / (correct + wrong link + spurious).
    ///
    /// A key mention's response mention is the mention with the same words, if any, otherwise the mention that it is
    /// aligned with.
    ///
    /// ## Edge cases
    ///
    /// A corpus without zeros has the denominators 0 and the score 0.
    ///
    /// ## Example
    ///
    /// Key `{the cook, ∅₁, ∅₂}`, response `{the cook, ∅₁} {a boy, ∅₂}`: ∅₁ is correct, ∅₂ a wrong
    /// link; recall 1/2, precision 1/2.
    ///
    /// ## References
    ///
    /// `tuggener-2014`, `zabokrtsky-2022`.
    ///
    /// ## Other scorers
    ///
    /// Corefud-scorer gives the same results.
    pub static ZERO_ANAPHORA = {
        id: "zero_anaphora",
        label: "Zeros",
        aliases: &["zero", "zeros"],
        summary: "zeros linked to an antecedent of their entity (anaphor-decomposable)",
        references: &["tuggener-2014", "zabokrtsky-2022"],
    }
}

pub(super) const METRIC: MetricSpec = MetricSpec {
    info: &ZERO_ANAPHORA,
    evidence: Evidence::Mentions {
        tally,
        fits: |format| format.can_express(Aspect::EmptyNodes) && format.can_express(Aspect::SplitAntecedents),
        possible: |_| true,
        of_entities: true,
    },
};

fn tally(table: &MentionTable, _: &Variant, into: &mut Tally) {
    let (key, response) = (&table.key, &table.response);
    // The classes that are the first mention of some response entity.
    let mut first = vec![false; response.classes()];
    let mut begun = Vec::new();
    for mention in &response.mentions {
        if begin(&mut begun, mention.entity) {
            first[mention.class as usize] = true;
        }
    }
    let (starts, by_entity) = members(table);
    let mut covered = vec![false; response.classes()];
    let (mut correct, mut wrong_links, mut missing, mut spurious) = (0, 0, 0, 0);
    // For each response entity, the number of the key entity in which it occurred last, from 1.
    let mut met: Vec<u32> = vec![0; begun.len()];
    for (number, ends) in (1..).zip(starts.windows(2)) {
        let entity = &by_entity[ends[0] as usize..ends[1] as usize];
        let mentions = || entity.iter().map(|&place| &key.mentions[place as usize]);
        if !mentions().skip(1).any(|mention| mention.zero) {
            continue;
        }
        for (place, mention) in mentions().enumerate() {
            let found = key.equal(mention.class).or_else(|| key.partner(mention.class));
            if place > 0 && mention.zero {
                match found {
                    Some(class) if first[class as usize] => missing += 1,
                    Some(class) if met[response.entity(class) as usize] == number => correct += 1,
                    Some(_) => wrong_links += 1,
                    None => missing += 1,
                }
                if let Some(class) = found {
                    covered[class as usize] = true;
                }
            }
            if let Some(class) = found {
                met[response.entity(class) as usize] = number;
            }
        }
    }
    for mention in response.mentions.iter().filter(|mention| mention.zero) {
        let class = mention.class as usize;
        spurious += u64::from(!first[class] && !covered[class]);
    }
    into.first.add_integers(
        (correct, correct + wrong_links + missing),
        (correct, correct + wrong_links + spurious),
    );
}

/// Returns whether an entity occurs for the first time.
fn begin(begun: &mut Vec<bool>, entity: u32) -> bool {
    let entity = entity as usize;
    if begun.len() <= entity {
        begun.resize(entity + 1, false);
    }
    !std::mem::replace(&mut begun[entity], true)
}

/// Returns the place where each key entity's mentions start in the following list of places, and that list.
fn members(table: &MentionTable) -> (Vec<u32>, Vec<u32>) {
    let mentions = &table.key.mentions;
    let count = mentions.iter().map(|mention| mention.entity as usize + 1).max().unwrap_or(0);
    let mut starts = vec![0; count + 1];
    for mention in mentions {
        starts[mention.entity as usize + 1] += 1;
    }
    for entity in 0..count {
        starts[entity + 1] += starts[entity];
    }
    let mut next = starts.clone();
    let mut members = vec![0; mentions.len()];
    for (place, mention) in (0..).zip(mentions) {
        let next = &mut next[mention.entity as usize];
        members[*next as usize] = place;
        *next += 1;
    }
    (starts, members)
}
