//! Explanations of differences between scores of the same files, as data: profiles side by side, and each difference as
//! a sum of steps, one rule at a time.

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
#[non_exhaustive]
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
    /// The metrics, in display order.
    pub metrics: Vec<Metric>,
    /// The place of the metric that sorts documents and examples.
    pub headline: usize,
    /// The scores under each profile, in the order requested.
    pub profiles: Vec<ScoredSettings>,
    /// The steps from the first profile to each of the others.
    pub paths: Vec<RulePath>,
    /// The target of the search.
    pub search: Option<Search>,
    /// The output of another scorer.
    pub against: Option<Against>,
    /// The number of mentions to show for each step; by default as many as fit a short report.
    pub examples: Option<usize>,
}

impl Explanation {
    /// Returns whether the report has many steps and shows little of each, so that it remains short.
    pub fn is_brief(&self) -> bool {
        let paths = self.paths.iter().chain(self.against.iter().flat_map(Against::steps));
        self.examples.is_none() && paths.map(|path| path.steps.len()).sum::<usize>() > 2
    }
}

/// The scores of the response under one set of settings.
#[derive(Clone, Debug)]
pub struct ScoredSettings {
    /// The name of the settings: the profile, and the options that differ from it.
    pub name: String,
    /// The settings.
    pub settings: Settings,
    /// True if key and response are swapped.
    pub swapped: bool,
    /// The sizes of the key and of the response, after selection.
    pub sizes: [SideSize; 2],
    /// The scores.
    pub results: Vec<MetricResult>,
    /// The scores as exact numbers.
    pub exact: Vec<ExactScore>,
}

/// A change of an option's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleSwitch {
    /// The option.
    pub option: &'static str,
    /// The option's line of help.
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
pub struct RulePath {
    /// The name of the settings that it starts with.
    pub from: String,
    /// The name of the settings after it.
    pub to: String,
    /// The steps that change a score, in the order of the switches.
    pub steps: Vec<RuleStep>,
    /// The switches that do not change any score, in the same order.
    pub idle: Vec<RuleSwitch>,
    /// The total change of all steps.
    pub total: Vec<ExactScore>,
}

/// One switched rule, or several that cannot be switched one by one.
#[derive(Clone, Debug)]
pub struct RuleStep {
    /// The rules.
    pub switches: Vec<RuleSwitch>,
    /// The change of the scores.
    pub change: Vec<ExactScore>,
    /// The scores after the step.
    pub results: Vec<MetricResult>,
    /// The contribution of each document to the change, the largest first; unchanged documents are left out.
    pub documents: Vec<DocumentChange>,
    /// True if the contributions of documents add up to the change.
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
    /// Its contribution to the change of the corpus score, for each metric. Documents are switched one at a time in the
    /// order of the key. An average uses the document's weight times the difference between its score and the corpus's.
    pub adds: Vec<ExactScore>,
    /// Its F1 before and after, by metric.
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
    /// The number of changed mentions.
    pub changed: u32,
    /// The words of the first changed mention.
    pub text: &'s str,
}

impl RuleStep {
    /// Returns the rules as one text: `singletons:drop`, or several of them.
    pub fn name(&self) -> String {
        let each: Vec<String> = self
            .switches
            .iter()
            .map(|switch| format!("{} {} → {}", switch.option, switch.from, switch.to))
            .collect();
        each.join(", ")
    }

    /// Returns the numbers of changed mentions, by change and side.
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

    /// Returns the entities with changed mentions, those with the most changes first, otherwise in the order of the
    /// documents.
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

impl RulePath {
    /// Returns the total change of the steps.
    pub fn sum(&self) -> Vec<ExactScore> {
        let mut sum: Vec<ExactScore> = self.total.iter().map(|_| nothing()).collect();
        for step in &self.steps {
            sum.iter_mut().zip(&step.change).for_each(|(sum, change)| add(sum, change));
        }
        sum
    }
}

impl ScoredSettings {
    /// Returns the differences from other scores.
    pub fn difference(&self, from: &ScoredSettings) -> Vec<ExactScore> {
        self.exact.iter().zip(&from.exact).map(|(ours, theirs)| difference(ours, theirs)).collect()
    }

    /// Returns the format of percentages of the profile's scorer.
    pub fn print(&self) -> Print {
        self.settings.profile.print
    }

    /// Returns the score of a metric, as a double and as an exact number.
    fn score(&self, metric: &Metric, part: usize) -> Option<(f64, &Exact)> {
        let place = self.results.iter().position(|result| result.metric == *metric)?;
        let result = &self.results[place];
        let score = [result.score.recall, result.score.precision, result.figure()][part];
        Some((score, &self.exact[place][part]))
    }

    /// Returns whether a score of a metric is defined.
    pub fn is_defined(&self, metric: &Metric, part: usize) -> bool {
        let result = self.results.iter().find(|result| result.metric == *metric);
        result.is_some_and(|result| result.parts()[part].is_some())
    }

    /// Returns the digits printed for a metric.
    pub fn prints(&self, metric: &Metric, part: usize, print: Print, digits: u8) -> Option<i64> {
        self.score(metric, part).map(|(score, exact)| shown(score, exact, print, digits))
    }
}

/// The results of a search for printed numbers.
#[derive(Clone, Debug)]
pub struct Search {
    /// The numbers to search for.
    pub wanted: Vec<WantedNumber>,
    /// The numbers that the search accepts, for each wanted number.
    pub chances: Vec<Chance>,
    /// The number of settings that were scored.
    pub tried: usize,
    /// The number of scored settings with distinct scores.
    pub distinct: usize,
    /// The number of settings that could not be scored on these files.
    pub failed: usize,
    /// The largest number of rules that differ from a profile: 2 only if 1 was not enough.
    pub rules: usize,
    /// The settings that print at least one of the numbers, sorted by the most printed numbers, then by the fewest
    /// changed rules.
    pub hits: Vec<Hit>,
    /// The settings nearest to the numbers, if no settings print all of them.
    pub nearest: Option<Hit>,
}

/// The numbers that a search accepts, and their share of all possible wanted numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chance {
    /// The number of distinct printed numbers that the search would find, counting a score both as rounded and as
    /// truncated.
    pub candidates: usize,
    /// The lowest and the highest number, in percent.
    pub spread: [f64; 2],
    /// The probability that the search finds a number drawn at random from their range, with the same number of
    /// decimals.
    pub probability: f64,
}

impl Chance {
    /// Counts the accepted settings whose scores may print a number. Each number is paired with whether its score is
    /// defined. The range depends only on defined scores, and on the wanted number itself if it is found.
    pub fn new(wanted: &PrintedNumber, accepted: impl Iterator<Item = (i64, bool)>) -> Chance {
        let one = 10_i64.pow(u32::from(wanted.digits));
        // Adjusted Rand may be negative, and scores of repeated mentions may exceed 100, but wanted numbers do neither.
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
        // In a range below one percentage point, all numbers are close to each other.
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
    /// The metric, the part and the output format that match each wanted number, if any.
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
    /// Our scores: the first profile.
    pub ours: ScoredSettings,
    /// The settings that print the most of its numbers.
    pub best: Hit,
    /// The largest number of its numbers that a profile prints for the swapped files.
    pub met_if_swapped: usize,
    /// The steps to the nearest settings, with the scores before the first step: ours, or ours for the swapped files if
    /// those were printed. `None` if they are too far away to explain anything.
    pub path: Option<(ScoredSettings, RulePath)>,
    /// The number of settings that were scored.
    pub tried: usize,
}

impl Against {
    /// Returns the steps to the nearest settings.
    pub fn steps(&self) -> Option<&RulePath> {
        self.path.as_ref().map(|(_, path)| path)
    }

    /// Returns whether the nearest settings print at least half of the numbers. With fewer, the scorer probably had
    /// different files.
    pub fn is_near(&self) -> bool {
        2 * self.best.count() >= self.printed.numbers.len()
    }

    /// Returns the number that settings print for a score of the other scorer.
    pub fn number(&self, scored: &ScoredSettings, score: &PrintedScore) -> Option<PrintedNumber> {
        let PrintedScore { metric, part, number, .. } = score;
        let scaled = scored.prints(metric, *part, self.printed.peer.print, number.digits)?;
        let text = format!("{:.*}", usize::from(number.digits), scaled as f64 / number.unit());
        Some(PrintedNumber { text, scaled, digits: number.digits })
    }
}

impl Explanation {
    /// Returns the signature of one of the settings.
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
        // A third and two thirds with one decimal: 33.3 either way, 66.7 rounded and 66.6 truncated. These are three of
        // 33.3, 33.4, …, 66.7.
        let thirds = [(333, true), (333, true), (667, true), (666, true)];
        let expected = Chance { candidates: 3, spread: [33.3, 66.7], probability: 3.0 / 335.0 };
        assert_eq!(chance("66.7", &thirds), expected);
        // 100.5 and -1.0 are not percentages. An undefined score, printed as 0, counts only if 0 is wanted.
        let more = [&thirds[..], &[(1005, true), (-10, true), (0, false)]].concat();
        assert_eq!(chance("66.7", &more), expected);
        let expected = Chance { candidates: 4, spread: [0.0, 66.7], probability: 4.0 / 668.0 };
        assert_eq!(chance("0.0", &more), expected);
        // The range is at least one percentage point wide.
        let expected = Chance { candidates: 2, spread: [50.0, 50.25], probability: 0.02 };
        assert_eq!(chance("50.00", &[(5000, true), (5025, true)]), expected);
        assert_eq!(chance("50", &[]).probability, 0.0);
    }
}
