//! The explanation of why two scores of the same files differ, as data: profiles side by side, and each difference as a
//! sum of steps, one rule at a time.

use std::collections::BTreeSet;

use crate::analysis::{DocumentChanges, MentionChange};
use crate::diagnostic::Diagnostics;
use crate::exact::{Exact, ExactScore, add, difference, nothing};
use crate::metrics::Metric;
use crate::printed::{PrintedNumber, PrintedScore, PrintedScores, WantedNumber, shown};
use crate::profiles::Print;
use crate::results::{MetricResult, SideSize};
use crate::settings::Settings;
use crate::signature::signature;

/// The explanation of differences between scores of one response.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The name of the response.
    pub name: String,
    /// The key as it was named.
    pub key: String,
    /// The response as it was named.
    pub response: String,
    /// The formats that were read.
    pub format: String,
    /// The findings.
    pub diagnostics: Diagnostics,
    /// The metrics, in the order in which they are shown.
    pub metrics: Vec<Metric>,
    /// The place of the metric that documents and examples are ordered by.
    pub headline: usize,
    /// The scores under each profile, in the order in which they were requested.
    pub profiles: Vec<ScoredSettings>,
    /// The steps from the first to each of the others.
    pub paths: Vec<Path>,
    /// The target of the search.
    pub search: Option<Search>,
    /// The output of another scorer.
    pub against: Option<Against>,
    /// The number of mentions to show for each step; by default as many as keep the report short.
    pub examples: Option<usize>,
}

impl Explanation {
    /// Returns whether the report has many steps and shows little of each, so that it can be read in a minute.
    pub fn is_brief(&self) -> bool {
        let paths = self.paths.iter().chain(self.against.iter().flat_map(Against::steps));
        self.examples.is_none() && paths.map(|path| path.steps.len()).sum::<usize>() > 2
    }
}

/// The scores of the response under some settings.
#[derive(Clone, Debug)]
pub struct ScoredSettings {
    /// The name of the settings: the profile, and the options that differ from it.
    pub name: String,
    /// The settings.
    pub settings: Settings,
    /// Whether key and response are swapped.
    pub swapped: bool,
    /// The sizes of the key and of the response, after selection.
    pub sizes: [SideSize; 2],
    /// The scores.
    pub results: Vec<MetricResult>,
    /// The scores as exact numbers.
    pub exact: Vec<ExactScore>,
}

/// The value of an option, changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    /// The option.
    pub option: &'static str,
    /// Its subject.
    pub summary: &'static str,
    /// Its value before.
    pub from: String,
    /// Its value after.
    pub to: String,
    /// The meaning of the values.
    pub meaning: [&'static str; 2],
}

/// The steps from one score to another, one rule at a time.
#[derive(Clone, Debug)]
pub struct Path {
    /// The name of the settings that it starts with.
    pub from: String,
    /// The name of the settings after it.
    pub to: String,
    /// The steps that change a score, in the order in which rules are switched.
    pub steps: Vec<RuleStep>,
    /// The switches that change no score, in the same order.
    pub idle: Vec<Switch>,
    /// The total change of all steps.
    pub total: Vec<ExactScore>,
}

/// One rule switched, or several that cannot be switched one by one.
#[derive(Clone, Debug)]
pub struct RuleStep {
    /// The rules.
    pub switches: Vec<Switch>,
    /// The change of the scores.
    pub change: Vec<ExactScore>,
    /// The scores after it.
    pub results: Vec<MetricResult>,
    /// The contribution of each document to the change, the largest first; unchanged documents are left out.
    pub documents: Vec<DocumentChange>,
    /// Whether the contributions of documents add up to the change.
    pub additive: bool,
    /// The mentions, split antecedents and valued entities that the rule treats differently, by document, in the order
    /// of `documents`.
    pub mentions: Vec<DocumentChanges>,
    /// A description of the counts, for rules that do not concern mentions.
    pub detail: Option<String>,
}

/// The contribution of a document to a step.
#[derive(Clone, Debug)]
pub struct DocumentChange {
    /// The document's id.
    pub id: String,
    /// Its contribution to the change of the corpus, for each metric: documents are switched one at a time in the order
    /// of the key. To an average it adds its weight times the difference of its score from that of the corpus.
    pub adds: Vec<ExactScore>,
    /// Its own F1 before and after, by metric.
    pub own: [Vec<f64>; 2],
}

/// The mentions of an entity that a step treats differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntityChange<'s> {
    /// The document's id.
    pub document: &'s str,
    /// The side.
    pub side: &'static str,
    /// The name of the entity.
    pub entity: &'s str,
    /// The number of its mentions.
    pub size: u32,
    /// The number of those that change.
    pub changed: u32,
    /// The words of the first of them.
    pub text: &'s str,
}

impl RuleStep {
    /// The rules as one text: `singletons:drop`, or several of them.
    pub fn name(&self) -> String {
        let each: Vec<String> = self
            .switches
            .iter()
            .map(|switch| format!("{} {} → {}", switch.option, switch.from, switch.to))
            .collect();
        each.join(", ")
    }

    /// The numbers of mentions that change, by change and side.
    pub fn counts(&self) -> Vec<(MentionChange, crate::model::Side, u64)> {
        let sides = [crate::model::Side::Key, crate::model::Side::Response];
        let all = || self.mentions.iter().flat_map(|document| &document.mentions);
        let kinds = MentionChange::ALL.into_iter().flat_map(|change| sides.map(|side| (change, side)));
        let counted = kinds.map(|(change, side)| {
            let count = all().filter(|mention| mention.change == change && mention.side == side).count();
            (change, side, count as u64)
        });
        counted.filter(|(.., count)| *count > 0).collect()
    }

    /// The entities with changed mentions, those with most changes first, otherwise in the order of the documents.
    pub fn entities(&self) -> Vec<EntityChange<'_>> {
        let mut entities: Vec<EntityChange<'_>> = Vec::new();
        for document in &self.mentions {
            let start = entities.len();
            let mut places = std::collections::BTreeMap::new();
            for mention in &document.mentions {
                let side = mention.side.label();
                let place = *places.entry((side, mention.entity.as_str())).or_insert_with(|| {
                    entities.push(EntityChange {
                        document: &document.id,
                        side,
                        entity: &mention.entity,
                        size: mention.entity_size,
                        changed: 0,
                        text: &mention.text,
                    });
                    entities.len() - 1
                });
                debug_assert!(place >= start);
                entities[place].changed += 1;
            }
        }
        entities.sort_by_key(|entity| std::cmp::Reverse(entity.changed));
        entities
    }
}

impl Path {
    /// The total change of the steps.
    pub fn sum(&self) -> Vec<ExactScore> {
        let mut sum: Vec<ExactScore> = self.total.iter().map(|_| nothing()).collect();
        for step in &self.steps {
            sum.iter_mut().zip(&step.change).for_each(|(sum, change)| add(sum, change));
        }
        sum
    }
}

impl ScoredSettings {
    /// The differences from other scores.
    pub fn difference(&self, from: &ScoredSettings) -> Vec<ExactScore> {
        self.exact.iter().zip(&from.exact).map(|(ours, theirs)| difference(ours, theirs)).collect()
    }

    /// The format of percentages of the profile's scorer.
    pub fn print(&self) -> Print {
        self.settings.profile.print
    }

    /// The score of a metric: doubles, and exact numbers.
    fn score(&self, metric: &Metric, part: usize) -> Option<(f64, &Exact)> {
        let place = self.results.iter().position(|result| result.metric == *metric)?;
        let result = &self.results[place];
        let score = [result.score.recall, result.score.precision, result.figure()][part];
        Some((score, &self.exact[place][part]))
    }

    /// Returns whether a score of a metric has something to count.
    pub fn is_defined(&self, metric: &Metric, part: usize) -> bool {
        let result = self.results.iter().find(|result| result.metric == *metric);
        result.is_some_and(|result| result.parts()[part].is_some())
    }

    /// The digits that are printed for a metric.
    pub fn prints(&self, metric: &Metric, part: usize, print: Print, digits: u8) -> Option<i64> {
        self.score(metric, part).map(|(score, exact)| shown(score, exact, print, digits))
    }
}

/// The results of a search for printed numbers.
#[derive(Clone, Debug)]
pub struct Search {
    /// The numbers to look for.
    pub wanted: Vec<WantedNumber>,
    /// For each of them, the numbers that the search accepts.
    pub chances: Vec<Chance>,
    /// The number of settings that were scored.
    pub tried: usize,
    /// The number of those with distinct scores.
    pub distinct: usize,
    /// The number of settings that could not be scored on these files.
    pub failed: usize,
    /// The largest number of rules by which the scored settings differ from a profile: 2 only if 1 did not suffice.
    pub rules: usize,
    /// The settings that print at least one of the numbers: those that print most of them first, then those that change
    /// the fewest rules.
    pub hits: Vec<Hit>,
    /// The settings nearest to the numbers, if none prints all of them.
    pub nearest: Option<Hit>,
}

/// The numbers that a search accepts, and their share of all numbers that could have been looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chance {
    /// The number of printed numbers that the search would find, each of them once: of a score as rounded and as cut.
    pub candidates: usize,
    /// The lowest and the highest, in percent.
    pub spread: [f64; 2],
    /// The probability that the search finds a number with as many decimals that is drawn from their range.
    pub probability: f64,
}

impl Chance {
    /// Counts the accepted settings whose scores may print a number. Each number is paired with whether its score is
    /// defined: only defined scores, and the wanted number itself if it is found, determine the range.
    pub fn new(wanted: &PrintedNumber, accepted: impl Iterator<Item = (i64, bool)>) -> Chance {
        let one = 10_i64.pow(u32::from(wanted.digits));
        // Adjusted Rand may be negative, and scores of repeated mentions exceed 100; no wanted number does.
        let possible = accepted.filter(|(shown, _)| (0..=100 * one).contains(shown));
        let (mut numbers, mut range) = (BTreeSet::new(), BTreeSet::new());
        for (shown, is_defined) in possible {
            numbers.insert(shown);
            if is_defined || shown == wanted.scaled {
                range.insert(shown);
            }
        }
        let Some((&low, &high)) = range.first().zip(range.last()) else {
            return Chance { candidates: 0, spread: [0.0; 2], probability: 0.0 };
        };
        let candidates = numbers.range(low..=high).count();
        // In a range of less than a point, all numbers are close to each other.
        let drawn = (high - low + 1).max(one);
        let spread = [low, high].map(|end| end as f64 / wanted.unit());
        Chance { candidates, spread, probability: candidates as f64 / drawn as f64 }
    }
}

/// Settings that print a wanted number.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The scores.
    pub scored: ScoredSettings,
    /// The number of rules that differ from the profile.
    pub rules: usize,
    /// For each number of the search, the metric, the part and the printed text, if it is hit.
    pub numbers: Vec<Option<(Metric, usize, Print)>>,
    /// The names of other settings with the same scores.
    pub same: Vec<String>,
}

impl Hit {
    /// Returns the number of hits.
    pub fn count(&self) -> usize {
        self.numbers.iter().flatten().count()
    }
}

/// The output of another scorer, compared with ours.
#[derive(Clone, Debug)]
pub struct Against {
    /// Its printed scores.
    pub printed: PrintedScores,
    /// Ours: the first of the profiles.
    pub ours: ScoredSettings,
    /// The settings that print most of its numbers.
    pub best: Hit,
    /// The largest number of its numbers that a profile prints of the swapped files.
    pub met_if_swapped: usize,
    /// The steps to them, with the scores before the first step: ours, or ours of the swapped files if those are the
    /// files that were printed. `None` if they are too far away to explain anything.
    pub path: Option<(ScoredSettings, Path)>,
    /// The number of settings that were scored.
    pub tried: usize,
}

impl Against {
    /// The steps to the nearest settings.
    pub fn steps(&self) -> Option<&Path> {
        self.path.as_ref().map(|(_, path)| path)
    }

    /// Returns whether the nearest settings print at least half of the numbers. With fewer, the scorer probably had other
    /// files.
    pub fn is_near(&self) -> bool {
        2 * self.best.count() >= self.printed.numbers.len()
    }

    /// A number that settings print, and that of the other scorer.
    pub fn number(&self, scored: &ScoredSettings, score: &PrintedScore) -> Option<PrintedNumber> {
        let PrintedScore { metric, part, number, .. } = score;
        let scaled = scored.prints(metric, *part, self.printed.peer.print, number.digits)?;
        let text = format!("{:.*}", usize::from(number.digits), scaled as f64 / number.unit());
        Some(PrintedNumber { text, scaled, digits: number.digits })
    }
}

impl Explanation {
    /// The signature of one of the settings.
    pub fn signature_of(&self, scored: &ScoredSettings) -> String {
        signature(&scored.settings, &self.format, &self.metrics)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_follow_from_the_share_of_accepted_numbers() {
        let chance = |wanted: &str, accepted: &[(i64, bool)]| {
            Chance::new(&PrintedNumber::parse(wanted).unwrap(), accepted.iter().copied())
        };
        // A third and two thirds with one decimal: 33.3 either way, 66.7 rounded and 66.6 cut. Three of 33.3, 33.4, …, 66.7.
        let thirds = [(333, true), (333, true), (667, true), (666, true)];
        let expected = Chance { candidates: 3, spread: [33.3, 66.7], probability: 3.0 / 335.0 };
        assert_eq!(chance("66.7", &thirds), expected);
        // 100.5 and -1.0 are not percentages; an undefined score, printed as 0, counts only if 0 is looked for.
        let more = [&thirds[..], &[(1005, true), (-10, true), (0, false)]].concat();
        assert_eq!(chance("66.7", &more), expected);
        let expected = Chance { candidates: 4, spread: [0.0, 66.7], probability: 4.0 / 668.0 };
        assert_eq!(chance("0.0", &more), expected);
        // The range is at least a point wide.
        let expected = Chance { candidates: 2, spread: [50.0, 50.25], probability: 0.02 };
        assert_eq!(chance("50.00", &[(5000, true), (5025, true)]), expected);
        assert_eq!(chance("50", &[]).probability, 0.0);
    }
}
