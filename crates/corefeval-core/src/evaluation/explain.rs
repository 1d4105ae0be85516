//! Explains why scores differ: compares profiles, divides differences into steps, and searches for printed numbers.
//!
//! Two settings differ in rows of the table of options. Switching these rows one by one leads from the first settings
//! to the second. All intermediate settings are scored like requested ones, so the changes add up to the whole
//! difference. Scores are exact fractions ([`exact`](crate::exact)), and the sum is checked.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use crate::analysis::changed_mentions;
use crate::diagnostic::{Diagnostics, Position};
use crate::error::{Error, ErrorKind, Result};
use crate::exact::{self, ExactScore, ExactTally, difference, to_f64};
use crate::input::Input;
use crate::limits::{SMALL, read_small};
use crate::metrics::{self, Metric};
use crate::model::Side;
use crate::named;
use crate::printed::{PrintedScores, WantedNumber};
use crate::profiles::{PROFILES, Print, Profile};
use crate::reports::explain::{
    Against, Chance, DocumentChange, Explanation, Hit, RulePath, RuleStep, RuleSwitch, ScoredSettings, Search,
};
use crate::results::SystemReport;
use crate::score::{DocumentTallies, Task, counted_metrics, score_pairs, tally_documents};
use crate::settings::{
    Average, CheckTokens, Concern, FormatTraits, NamedSource, OPTIONS, OptionSpec, PARAMETERS, Settings,
};
use crate::threads::side_by_side;
use crate::wording::{option_value, quoted, text};

use super::one_key::sides;
use super::options::Values;
use super::reading::{Loaded, Reading};
use super::request::NamedInput;
use super::{
    Evaluation, Joined, NameSources, add_format, check_names, check_possible, documents_of, note_alignment,
    nothing,
};

/// The options of an explanation.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Explain {
    /// The profiles, each with options that override it: `conll`, `corefud|singletons:keep`.
    pub profiles: Vec<String>,
    /// Numbers to search for.
    pub find: Vec<WantedNumber>,
    /// The file with the output of another scorer.
    pub against: Option<String>,
    /// The number of mentions to show for each step; by default as many as fit a short report.
    pub examples: Option<usize>,
}

impl Explain {
    /// Builds the options from the given values.
    ///
    /// # Errors
    ///
    /// An item of `find` is not a number or names an unknown metric; a value of `examples` is not a whole number.
    pub fn with(given: &impl Values) -> Result<Explain> {
        let mut explain = Explain::default();
        for list in given.values("profiles") {
            explain.profiles.extend(list.split(',').map(|item| item.trim().to_owned()));
        }
        for list in given.values("find") {
            explain.find.extend(WantedNumber::list(&list)?);
        }
        explain.against = given.value("against");
        if let Some(number) = given.value("examples") {
            explain.examples = Some(number.parse().map_err(|_| Error::not_valid(&number, "examples"))?);
        }
        Ok(explain)
    }
}

/// The suffix for the name of settings with key and response swapped.
const SWAPPED: &str = " (key and response swapped)";

/// Settings with a name.
#[derive(Clone, Debug)]
struct Named {
    name: String,
    settings: Settings,
    swapped: bool,
    /// The number of rules that differ from the profile.
    rules: usize,
}

impl Named {
    /// Names settings by their profile and the options that differ from it.
    fn new(settings: Settings, swapped: bool) -> Named {
        let usual = Settings::of(settings.profile);
        let differs = |option: &&OptionSpec| {
            option.value(&settings) != option.value(&usual) && option.name != "check-tokens"
        };
        let options: Vec<String> = OPTIONS
            .iter()
            .filter(differs)
            .map(|option| format!("|{}:{}", option.name, option.value(&settings)))
            .collect();
        let end = if swapped { SWAPPED } else { "" };
        let name = format!("{}{}{end}", settings.profile.id, options.concat());
        Named { name, rules: options.len() + usize::from(swapped), settings, swapped }
    }

    /// Returns the part of the settings that scores depend on.
    fn identity(&self) -> (Vec<&'static str>, bool) {
        let values = OPTIONS.iter().filter(|option| option.name != "check-tokens");
        (values.map(|option| option.value(&self.settings)).collect(), self.swapped)
    }
}

/// The scores of one set of settings.
struct Trial {
    /// The settings as requested; the settings in `scored` also record how texts were aligned and names found.
    named: Named,
    scored: ScoredSettings,
    documents: Vec<DocumentTallies>,
    diagnostics: Diagnostics,
    format: String,
}

/// The settings that must be equal to share documents.
type ReadKey = (Vec<Option<String>>, bool);

/// Returns the key for sharing documents that are read under some settings and aligned with the key's text.
fn read_key(settings: &Settings, swapped: bool) -> ReadKey {
    (settings.of_reading(), swapped)
}

/// The corpora as read, key first.
type Corpora = Arc<Vec<Loaded>>;

/// Scores one response under many settings, and reads each file only once per way of reading.
struct Runner<'e> {
    evaluation: &'e Evaluation,
    key: &'e NamedInput,
    response: &'e NamedInput,
    read: Mutex<Vec<(ReadKey, Corpora)>>,
}

impl<'e> Runner<'e> {
    fn inputs(&self, swapped: bool) -> [(&'e Input, Side); 2] {
        let (key, response) = (&self.key.input, &self.response.input);
        match swapped {
            false => [(key, Side::Key), (response, Side::Response)],
            true => [(response, Side::Key), (key, Side::Response)],
        }
    }

    /// Returns the evaluation under these settings.
    fn evaluation(&self, settings: &Settings, swapped: bool) -> Evaluation {
        let request = self.evaluation.request.clone().with_settings(settings.clone());
        let request = match swapped {
            false => request,
            true => request.swapped(self.key, self.response),
        };
        self.evaluation.of(request)
    }

    /// Returns the documents as these settings read them, with all their words.
    fn corpora(&self, settings: &Settings, swapped: bool) -> Result<Corpora> {
        let key = read_key(settings, swapped);
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, corpora)) = read.iter().find(|known| known.0 == key) {
            return Ok(Arc::clone(corpora));
        }
        let evaluation = self.evaluation(settings, swapped);
        let reading = Reading::new(&evaluation, settings).with_layers();
        let corpora = Arc::new(reading.read_all(&self.inputs(swapped))?);
        read.push((key, Arc::clone(&corpora)));
        Ok(corpora)
    }

    /// Passes the paired documents to `work`, with the settings as applied. Words are compared only if `checked`, since
    /// once is enough.
    fn with_pairs<T>(
        &self,
        named: &Named,
        metrics: &[Metric],
        checked: bool,
        work: impl FnOnce(&Joined<'_>, &Settings, &mut Diagnostics) -> Result<T>,
    ) -> Result<(T, Diagnostics)> {
        let corpora = self.corpora(&named.settings, named.swapped)?;
        let evaluation = self.evaluation(&named.settings, named.swapped);
        let [(key, key_format), (response, _)] = corpora.as_slice() else { return Err(nothing()) };
        let mut settings = evaluation.request.settings(Some(key_format.id))?;
        let mut diagnostics = key.diagnostics.clone();
        diagnostics.merge(response.diagnostics.clone());
        note_alignment(&mut settings, &[key, response]);
        if metrics::need_names(&settings, metrics) {
            let all = [key, response];
            let names = NameSources::of(&all);
            settings.named = named::resolve_among(settings.named, &(names.sources)(), names.first)?;
        } else {
            settings.named = NamedSource::Auto;
        }
        let mut pairing = settings.clone();
        if !checked {
            pairing.check_tokens = CheckTokens::No;
        }
        let reading = Reading::new(&evaluation, &settings).with_layers();
        let [ours, theirs] = self.inputs(named.swapped).map(|input| input.0);
        let pairs = reading.pair(&pairing, [(ours, key), (theirs, response)], &mut diagnostics)?;
        let joined = Joined::new(pairs, &settings, &mut diagnostics)?;
        let found = work(&joined, &settings, &mut diagnostics)?;
        Ok((found, diagnostics))
    }

    /// Returns the scores under the given settings.
    fn score(&self, named: &Named, metrics: &[Metric], threads: usize, checked: bool) -> Result<Trial> {
        let ((SystemReport { results, sizes, .. }, documents, settings), diagnostics) =
            self.with_pairs(named, metrics, checked, |joined, settings, diagnostics| {
                let task = Task { settings: settings.clone(), metrics: metrics.to_vec(), by: None, threads };
                let pairs = &joined.pairs();
                let (mut report, documents) = tally_documents(pairs, &task, diagnostics);
                check_names(&report)?;
                joined.count_texts(&mut report.sizes);
                if metrics.iter().any(Metric::needs_corpus) {
                    report.results = score_pairs(pairs, &task, &mut Diagnostics::default())?.results;
                }
                Ok((report, documents, settings.clone()))
            })?;
        let exact = exact::of_results(&results, &counted_metrics(metrics), &documents, &settings);
        let corpora = self.corpora(&named.settings, named.swapped)?;
        let mut format = String::new();
        for (_, spec) in corpora.iter() {
            match format.is_empty() {
                true => format.push_str(spec.id),
                false => add_format(&mut format, spec),
            }
        }
        let (name, swapped) = (named.name.clone(), named.swapped);
        let scored = ScoredSettings { name, settings, swapped, sizes, results, exact };
        Ok(Trial { named: named.clone(), scored, documents, diagnostics, format })
    }

    /// Returns the steps from one set of settings to another.
    fn path(&self, from: &Trial, to: &Trial, asked: &PathTask<'_>) -> Result<RulePath> {
        let metrics = asked.metrics;
        let (mut steps, mut idle, mut waiting) = (Vec::new(), Vec::new(), Vec::<RuleSwitch>::new());
        let mut settings = from.named.settings.clone();
        let mut before: Option<Trial> = None;
        let target = &to.named.settings;
        let mut switches: Vec<RuleSwitch> =
            OPTIONS.iter().filter_map(|option| switch_of(option, &settings, target)).collect();
        switches.extend(parameter_switch(&settings, target));
        let last = switches.len();
        for (place, switch) in (1..).zip(switches) {
            match OPTIONS.iter().find(|option| option.name == switch.option) {
                Some(_) => settings.set(switch.option, &switch.to)?,
                None => take_parameters(&mut settings, target),
            }
            waiting.push(switch);
            let named = Named::new(settings.clone(), from.named.swapped);
            let scored = match self.score(&named, metrics, asked.threads, false) {
                Ok(scored) => scored,
                // The rule conflicts with a later one, so both are switched together.
                Err(_) if place < last => continue,
                Err(error) => return Err(error),
            };
            let was = before.as_ref().unwrap_or(from);
            let change = scored.scored.difference(&was.scored);
            let switches = std::mem::take(&mut waiting);
            let is_same = change.iter().flatten().all(|part| *part == exact::nothing()[0]);
            if is_same && newly_defined(was, &scored, metrics).is_none() {
                idle.extend(switches);
            } else {
                steps.push(self.step(switches, change, was, &scored, asked)?);
            }
            before = Some(scored);
        }
        let path = RulePath {
            from: from.scored.name.clone(),
            to: to.scored.name.clone(),
            steps,
            idle,
            total: to.scored.difference(&from.scored),
        };
        // This holds by construction, unless something outside these settings affects the scores.
        if path.sum() != path.total {
            let message = format!(
                "the steps from {} to {} do not add up to the difference: a rule is missing from the settings",
                path.from, path.to
            );
            return Err(Error::new(ErrorKind::Settings, message)
                .hint("this is a fault of corefeval: please report it with the files"));
        }
        Ok(path)
    }

    /// Returns a step, with the documents and mentions that it changes.
    fn step(
        &self,
        switches: Vec<RuleSwitch>,
        change: Vec<ExactScore>,
        before: &Trial,
        after: &Trial,
        asked: &PathTask<'_>,
    ) -> Result<RuleStep> {
        let metrics = asked.metrics;
        let (documents, additive) = document_changes(before, after, metrics);
        let mut documents = documents;
        // The headline metric decides, if the rule changes it.
        let is_changed = |place: &usize| change[*place][2] != exact::nothing()[2];
        let headline = Some(asked.headline).filter(is_changed);
        let headline = headline.or_else(|| (0..metrics.len()).find(is_changed)).unwrap_or(asked.headline);
        let weight = |document: &DocumentChange| {
            let own = document.own[1][headline] - document.own[0][headline];
            if additive { to_f64(&document.adds[headline][2]).abs() } else { own.abs() }
        };
        documents.sort_by(|one, other| weight(other).total_cmp(&weight(one)));
        let is_valued = |(metric, change): &(&Metric, &ExactScore)| {
            metric.needs_corpus() && change[2] != exact::nothing()[2]
        };
        let valued = metrics.iter().zip(&change).find(is_valued).map(|(metric, _)| metric);
        let mut mentions = self
            .with_pairs(&before.named, metrics, false, |ours, ours_settings, _| {
                let compared =
                    self.with_pairs(&after.named, metrics, false, |theirs, theirs_settings, _| {
                        let (ours, theirs) = (ours.pairs(), theirs.pairs());
                        Ok(changed_mentions((&ours, ours_settings), (&theirs, theirs_settings), valued))
                    })?;
                Ok(compared.0)
            })?
            .0;
        let order: BTreeMap<&str, usize> =
            documents.iter().enumerate().map(|(place, document)| (document.id.as_str(), place)).collect();
        mentions.sort_by_key(|document| order.get(document.id.as_str()).copied().unwrap_or(usize::MAX));
        let texts = [newly_defined(before, after, metrics), detail(&switches, after, metrics, headline)];
        let texts: Vec<String> = texts.into_iter().flatten().collect();
        let detail = (!texts.is_empty()).then(|| texts.join("; "));
        let results = after.scored.results.clone();
        Ok(RuleStep { switches, change, results, documents, additive, mentions, detail })
    }
}

/// The data that all steps of a path share.
struct PathTask<'t> {
    metrics: &'t [Metric],
    headline: usize,
    threads: usize,
}

/// Returns the switch of an option from its value in `from` to its value in `to`, if they differ.
fn switch_of(option: &'static OptionSpec, from: &Settings, to: &Settings) -> Option<RuleSwitch> {
    let (from, to) = (option.value(from), option.value(to));
    let meaning = |id: &str| option.values.iter().find(|value| value.0 == id).map_or("", |value| value.1);
    (from != to).then_some(RuleSwitch {
        option: option.name,
        summary: option.summary,
        from: from.to_owned(),
        to: to.to_owned(),
        meaning: [meaning(from), meaning(to)],
    })
}

/// Returns one switch for all settings without a list of values.
fn parameter_switch(from: &Settings, to: &Settings) -> Option<RuleSwitch> {
    let listed = |settings: &Settings| -> String {
        let own =
            settings.list().into_iter().filter(|(name, _)| PARAMETERS.iter().any(|row| row.name == *name));
        own.map(|(name, value)| format!("{name}:{value}")).collect::<Vec<_>>().join("|")
    };
    let (from, to) = (listed(from), listed(to));
    (from != to).then_some(RuleSwitch {
        option: "parameters",
        summary: "weights and parameters",
        from,
        to,
        meaning: ["", ""],
    })
}

/// Copies the settings without a list of values.
fn take_parameters(settings: &mut Settings, from: &Settings) {
    settings.ace_changes = from.ace_changes;
    settings.weights = from.weights.clone();
    settings.min_aligned = from.min_aligned;
    settings.span_ends = from.span_ends.clone();
    settings.aligned = from.aligned;
}

/// Returns the contribution of each document to a change, and whether the contributions add up.
///
/// Counts of documents add up, but scores do not. Documents are therefore switched one at a time in the order of the
/// key, and each contributes its change of the corpus score. Averages use the documents' weighted scores instead.
fn document_changes(before: &Trial, after: &Trial, metrics: &[Metric]) -> (Vec<DocumentChange>, bool) {
    let (was, is) = (&before.scored.settings, &after.scored.settings);
    let counted = counted_metrics(metrics);
    let mut left: BTreeMap<&str, &DocumentTallies> =
        after.documents.iter().map(|document| (document.id.as_str(), document)).collect();
    let none = |id: &str| DocumentTallies::nothing(id.to_owned(), counted.len());
    let mut pairs: Vec<(String, DocumentTallies, DocumentTallies)> = Vec::new();
    for document in &before.documents {
        let now = left.remove(document.id.as_str()).cloned().unwrap_or_else(|| none(&document.id));
        pairs.push((document.id.clone(), document.clone(), now));
    }
    let added = after.documents.iter().filter(|document| left.contains_key(document.id.as_str()));
    pairs.extend(added.map(|document| (document.id.clone(), none(&document.id), document.clone())));
    let own = |document: &DocumentTallies, settings: &Settings| -> Vec<f64> {
        let scores = crate::score::document_scores(metrics, std::slice::from_ref(document), settings);
        scores.into_iter().flatten().map(|score| score.score.f1).collect()
    };
    let exact_of = |document: &DocumentTallies| -> Vec<ExactTally> {
        document.tallies.iter().map(ExactTally::of).collect()
    };
    let mut running: Vec<ExactTally> = {
        let mut totals = none("").tallies;
        for (_, was, _) in &pairs {
            totals.iter_mut().zip(&was.tallies).for_each(|(total, tally)| total.add(tally));
        }
        totals.iter().map(ExactTally::of).collect()
    };
    let rules = is.rules();
    let mut score = exact::scores(metrics, &counted, &running, &rules);
    // A rule for computing scores from counts, such as the rule for BLANC's halves, changes the sum but no document.
    let of_counts = was.average == Average::Micro
        && is.average == Average::Micro
        && score == exact::scores(metrics, &counted, &running, &was.rules());
    let sides = [0, 1].map(|side| -> Vec<&DocumentTallies> {
        pairs.iter().map(|(_, ours, theirs)| if side == 0 { ours } else { theirs }).collect()
    });
    let of_averages = match (was.average, is.average) {
        (Average::Micro, Average::Micro) => None,
        _ => exact::shares_of_averages(metrics, &counted, [(&sides[0], was), (&sides[1], is)]),
    };
    let mut of_averages = of_averages.map(Vec::into_iter);
    // Metrics that need all documents at once pair entities across documents, so their changes do not add up.
    let additive = (of_counts || of_averages.is_some()) && !metrics.iter().any(Metric::needs_corpus);
    let mut changes = Vec::new();
    for (id, ours, theirs) in &pairs {
        let written = |document: &DocumentTallies| format!("{:?}", document.tallies);
        let own = [own(ours, was), own(theirs, is)];
        let same_counts = written(ours) == written(theirs);
        let mut adds = of_averages.as_mut().filter(|_| additive).and_then(Iterator::next);
        if !same_counts && additive && of_counts {
            for ((total, before), after) in running.iter_mut().zip(exact_of(ours)).zip(exact_of(theirs)) {
                total.replace(&before, &after);
            }
            let next = exact::scores(metrics, &counted, &running, &rules);
            adds = Some(next.iter().zip(&score).map(|(next, score)| difference(next, score)).collect());
            score = next;
        }
        let adds = adds.unwrap_or_else(|| vec![exact::nothing(); metrics.len()]);
        if !same_counts || own[0] != own[1] || adds.iter().any(|adds| *adds != exact::nothing()) {
            changes.push(DocumentChange { id: id.clone(), adds, own });
        }
    }
    (changes, additive)
}

/// Names the metrics that are defined on only one side of a step. Exact scores may still be equal, because an undefined
/// score counts as 0.
fn newly_defined(before: &Trial, after: &Trial, metrics: &[Metric]) -> Option<String> {
    let defined = |scored: &Trial, place: usize| scored.scored.results[place].is_defined();
    let of = |is_defined: bool| -> Option<String> {
        let changes =
            |place: &usize| defined(before, *place) != is_defined && defined(after, *place) == is_defined;
        let labels: Vec<String> =
            (0..metrics.len()).filter(changes).map(|place| metrics[place].label()).collect();
        let what = if is_defined {
            "undefined before and defined after"
        } else {
            "defined before and undefined after"
        };
        (!labels.is_empty()).then(|| format!("{what} the rule is switched: {}", labels.join(", ")))
    };
    let texts: Vec<String> = [of(true), of(false)].into_iter().flatten().collect();
    (!texts.is_empty()).then(|| texts.join("; "))
}

/// Describes the effect of a rule on counts, if it does not affect mentions.
fn detail(switches: &[RuleSwitch], after: &Trial, metrics: &[Metric], headline: usize) -> Option<String> {
    let [switch] = switches else { return None };
    let is_of_halves =
        |metric: &Metric| metric.halves().is_some() && metric.spec().info.settings.contains(&switch.option);
    let of_halves = metrics.iter().position(is_of_halves);
    match (switch.option, of_halves) {
        (_, Some(place)) => {
            let tally = after.scored.results.get(place)?.tally.as_ref()?;
            let half = |counts: &corefeval_metrics::tally::Counts| {
                format!("{} in the key and {} in the response", counts.recall_den, counts.precision_den)
            };
            Some(format!(
                "coreference links: {}; non-coreference links: {}",
                half(&tally.first),
                half(&tally.second)
            ))
        }
        ("average", _) => {
            let settings = &after.scored.settings;
            let scores = crate::score::document_scores(metrics, &after.documents, settings);
            let own: Vec<f64> = scores.iter().filter_map(|scores| scores.get(headline)?.part(2)).collect();
            if own.len() < 2 {
                return None;
            }
            let (low, high) =
                (own.iter().copied().fold(1.0, f64::min), own.iter().copied().fold(0.0, f64::max));
            let defined = if own.len() < scores.len() { " where it is defined" } else { "" };
            Some(format!(
                "{} of the {} documents{defined} is between {:.2} and {:.2}",
                metrics[headline].label(),
                own.len(),
                100.0 * low,
                100.0 * high
            ))
        }
        _ => None,
    }
}

/// Returns the options that a search may switch, each with its values.
fn searched_options(formats: &[FormatTraits<'_>], metrics: &[Metric]) -> Vec<&'static OptionSpec> {
    let infos = crate::signature::counted(metrics);
    let concerned = |option: &&OptionSpec| match option.concern {
        Concern::Mentions | Concern::OwnMetrics => true,
        Concern::All => {
            matches!(option.name, "average" | "missing-documents" | "scope")
                || option.name.ends_with("span-end")
        }
        Concern::Files | Concern::Names | Concern::Weights => false,
    };
    OPTIONS.iter().filter(concerned).filter(|option| option.is_idle_on(formats, &infos).is_none()).collect()
}

/// Returns the settings that a search tries, without duplicates: first the bases, then settings one rule away from a
/// base, then all with both sides swapped.
fn candidates(bases: &[Settings], options: &[&'static OptionSpec]) -> Vec<Named> {
    let mut known = BTreeSet::new();
    let mut found: Vec<Named> = Vec::new();
    let mut add = |named: Named| {
        if known.insert(named.identity()) {
            found.push(named);
        }
    };
    bases.iter().for_each(|base| add(Named::new(base.clone(), false)));
    for base in bases {
        for next in one_rule_away(base, options) {
            add(Named::new(next, false));
        }
    }
    bases.iter().for_each(|base| add(Named::new(base.clone(), true)));
    found
}

/// Returns the settings that differ from `base` in one of these options.
fn one_rule_away(base: &Settings, options: &[&'static OptionSpec]) -> Vec<Settings> {
    let mut found = Vec::new();
    for option in options {
        for value in option.ids().filter(|value| *value != option.value(base)) {
            let mut next = base.clone();
            if next.set(option.name, value).is_ok() {
                found.push(next);
            }
        }
    }
    found
}

/// The settings scored so far in a search.
struct Tried {
    /// The candidates with different scores, in the order of the search.
    distinct: Vec<TriedSettings>,
    tried: usize,
    failed: usize,
    /// The largest number of rules that differ from a profile.
    rules: usize,
}

/// Settings with scores that no earlier settings have.
struct TriedSettings {
    scored: ScoredSettings,
    /// The number of rules that differ from the profile.
    rules: usize,
    /// The cost, for ranking: the number of rules that differ, plus a constant if the profile is for other formats.
    cost: usize,
    /// The names of other settings with the same scores.
    same: Vec<String>,
}

/// The task of a search.
struct SearchTask<'t> {
    metrics: &'t [Metric],
    /// The formats, the key's first.
    formats: &'t [FormatTraits<'t>],
    threads: usize,
    /// The likelier profiles.
    likely: &'t [&'static str],
}

impl Runner<'_> {
    /// Scores candidates in parallel.
    fn try_all(&self, all: &[Named], task: &SearchTask<'_>, into: &mut Tried) {
        let score = |place: usize| self.score(&all[place], task.metrics, 1, false).ok();
        let scored = side_by_side(task.threads, all.len(), score);
        let mut known: BTreeMap<Vec<ExactScore>, usize> =
            into.distinct.iter().enumerate().map(|(place, row)| (row.scored.exact.clone(), place)).collect();
        for (named, scored) in all.iter().zip(scored) {
            into.tried += 1;
            let Some(Trial { scored, .. }) = scored else {
                into.failed += 1;
                continue;
            };
            let likely = task.likely.contains(&named.settings.profile.id);
            let cost = named.rules + if likely { 0 } else { 2 };
            match known.get(&scored.exact) {
                None => {
                    known.insert(scored.exact.clone(), into.distinct.len());
                    into.distinct.push(TriedSettings { scored, rules: named.rules, cost, same: Vec::new() });
                }
                // If several settings score the same, the likeliest is shown.
                Some(&place) if cost < into.distinct[place].cost => {
                    let row = &mut into.distinct[place];
                    row.same.insert(0, std::mem::replace(&mut row.scored, scored).name);
                    (row.rules, row.cost) = (named.rules, cost);
                }
                Some(&place) => into.distinct[place].same.push(named.name.clone()),
            }
        }
    }

    /// Scores the candidates of a search. If `enough` is not found, adds settings two rules away from the first base.
    fn search(
        &self,
        bases: &[Settings],
        task: &SearchTask<'_>,
        enough: impl Fn(&ScoredSettings) -> bool,
    ) -> Tried {
        let options = searched_options(task.formats, task.metrics);
        let first = candidates(bases, &options);
        let mut tried = Tried { distinct: Vec::new(), tried: 0, failed: 0, rules: 1 };
        self.try_all(&first, task, &mut tried);
        if tried.distinct.iter().any(|row| enough(&row.scored)) {
            return tried;
        }
        let mut seen: BTreeSet<_> = first.iter().map(Named::identity).collect();
        let mut second = Vec::new();
        for base in bases.iter().take(1) {
            for next in one_rule_away(base, &options) {
                for next in one_rule_away(&next, &options) {
                    let named = Named::new(next, false);
                    if seen.insert(named.identity()) {
                        second.push(named);
                    }
                }
            }
        }
        self.try_all(&second, task, &mut tried);
        tried.rules = 2;
        tried
    }
}

/// Returns the metrics that a wanted number may belong to.
fn metrics_of<'m>(wanted: &WantedNumber, all: &'m [Metric]) -> impl Iterator<Item = &'m Metric> {
    let named = wanted.metric;
    all.iter().filter(move |metric| named.is_none_or(|named| named == **metric))
}

/// Returns the parts of a metric that a wanted number may belong to.
fn parts_of(wanted: &WantedNumber, metric: &Metric) -> std::ops::Range<usize> {
    match wanted.part {
        Some(part) => part..part + 1,
        None if metric.is_mean() => 2..3,
        None => 0..3,
    }
}

/// Returns all numbers that settings print and that a wanted number may match. The settings' own profile comes first,
/// and F1 comes before precision and recall, because it is printed most often.
fn all_printed<'a>(
    scored: &'a ScoredSettings,
    wanted: &'a WantedNumber,
    metrics: &'a [Metric],
) -> impl Iterator<Item = (Metric, usize, Print, i64)> + 'a {
    let own = scored.print();
    let other = if own == Print::Cut { Print::Rounded } else { Print::Cut };
    [own, other].into_iter().flat_map(move |print| {
        metrics_of(wanted, metrics).flat_map(move |metric| {
            parts_of(wanted, metric).rev().filter_map(move |part| {
                Some((*metric, part, print, scored.prints(metric, part, print, wanted.number.digits)?))
            })
        })
    })
}

/// Returns the output format in which settings print a wanted number.
fn printed_in(
    scored: &ScoredSettings,
    wanted: &WantedNumber,
    metrics: &[Metric],
) -> Option<(Metric, usize, Print)> {
    let mut all = all_printed(scored, wanted, metrics);
    let found = all.find(|(.., shown)| *shown == wanted.number.scaled);
    found.map(|(metric, part, print, _)| (metric, part, print))
}

/// Computes the [`Chance`] of a wanted number from all numbers that the search accepts.
fn chance(wanted: &WantedNumber, tried: &Tried, metrics: &[Metric]) -> Chance {
    let rows = tried.distinct.iter();
    let accepted = rows.flat_map(|TriedSettings { scored, .. }| {
        all_printed(scored, wanted, metrics).map(|(metric, part, _, shown)| {
            // Undefined scores are printed as 0 and may be hits, but do not extend the range of scores.
            (shown, scored.is_defined(&metric, part))
        })
    });
    Chance::new(&wanted.number, accepted)
}

impl Evaluation {
    /// Explains why the scores of one response differ between profiles, from printed numbers, or from another scorer's
    /// output.
    ///
    /// ```
    /// use corefeval_core::evaluation::{Evaluation, Explain, Request};
    /// # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    /// # let (key, response) = (format!("{folder}/key.conll"), format!("{folder}/alder.conll"));
    /// let mut explain = Explain::default();
    /// explain.profiles = vec!["conll".to_owned(), "conll|singletons:drop".to_owned()];
    /// let report = Evaluation::new(Request::files(&key, [response.as_str()])?)?.explain(&explain)?;
    /// let step = &report.paths[0].steps[0];
    /// assert_eq!(step.name(), "singletons keep → drop");
    /// assert_eq!(step.change, report.paths[0].total);
    /// # Ok::<(), corefeval_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of reading the inputs and of pairing their documents. The request has several responses. Numbers or
    /// another scorer's output cannot be read.
    pub fn explain(&self, explain: &Explain) -> Result<Explanation> {
        self.require_exact()?;
        let before = self.settings_before()?;
        let Some((key, [response])) = self.one_key(&before) else {
            let message = "differences are explained for one key and one response";
            let hint = "explain responses and pairs of files one by one, each given as a path";
            return Err(Error::new(ErrorKind::Settings, message).hint(hint));
        };
        self.refuse_groups("an explanation")?;
        let listed = profiles(&explain.profiles, self)?;
        let runner = Runner { evaluation: self, key, response, read: Mutex::default() };
        let reading = Reading::new(self, &before).with_layers();
        let first = reading.read_all(&sides(key, std::slice::from_ref(response)))?;
        let formats: Vec<FormatTraits<'_>> = first.iter().map(|(_, format)| format.traits()).collect();
        let Some(&FormatTraits { id: format, .. }) = formats.first() else { return Err(nothing()) };
        let own = self.request.settings(Some(format))?;
        // Texts were aligned under the profile for the key's format, which was unknown before the files were read.
        let applied = Settings {
            align: own.align,
            extra_zeros: own.extra_zeros,
            min_aligned: own.min_aligned,
            pair_documents: own.pair_documents,
            ..before.clone()
        };
        let read = (read_key(&applied, false), Arc::new(first));
        runner.read.lock().unwrap_or_else(PoisonError::into_inner).push(read);
        let alone = !explain.find.is_empty() || explain.against.is_some();
        let named = match (listed, alone) {
            (Some(listed), _) => listed,
            (None, true) => vec![own.clone()],
            (None, false) => self.usual_profiles(&own, format)?,
        };
        let printed = explain.against.as_ref().map(|path| read_printed(path, format)).transpose()?;
        let mut metrics = self.shared_metrics(&named, format)?;
        let corpora = runner.corpora(&own, false)?;
        let sides: Vec<_> = corpora.iter().map(|(corpus, _)| corpus).collect();
        let mut noticed = Diagnostics::default();
        let documents = documents_of(&sides);
        self.request.warn_of_unused_fields(&[], "scores", &mut noticed);
        self.keep_possible(&mut metrics, &documents, &mut noticed)?;
        let asked: Vec<Metric> = explain.find.iter().filter_map(|wanted| wanted.metric).collect();
        check_possible(&asked, &documents)?;
        let of_print = printed.iter().flat_map(|printed| printed.numbers.iter().map(|number| number.metric));
        let possible = |metric: &Metric| super::impossible_in(metric, &documents).is_none();
        for metric in asked.into_iter().chain(of_print.filter(possible)) {
            if !metrics.contains(&metric) {
                metrics.push(metric);
            }
        }
        let headline = metrics::headline(&metrics);
        let threads = self.request.threads;
        let task = PathTask { metrics: &metrics, headline, threads };
        let mut scored = Vec::new();
        for settings in named {
            scored.push(runner.score(&Named::new(settings, false), &metrics, threads, true)?);
        }
        let Some((ours, others)) = scored.split_first() else { return Err(nothing()) };
        let diagnostics = joint_findings(ours, noticed, others);
        let paths = others.iter().map(|other| runner.path(ours, other, &task)).collect::<Result<_>>()?;
        let find = || self.find(&runner, &explain.find, (&metrics, &formats));
        let search = (!explain.find.is_empty()).then(find).transpose()?;
        let against = |printed| self.against(&runner, printed, ours, (&metrics, &formats, &task));
        let against = printed.map(against).transpose()?;
        self.refuse_warnings(&diagnostics)?;
        let format = ours.format.clone();
        Ok(Explanation {
            name: response.name.clone(),
            key: key.path.clone(),
            response: response.path.clone(),
            format,
            diagnostics,
            headline,
            profiles: scored.into_iter().map(|scored| scored.scored).collect(),
            paths,
            search,
            against,
            metrics,
            examples: explain.examples,
        })
    }

    /// Returns the profiles compared by default: the format's profile, and those of other scorers for the same files.
    fn usual_profiles(&self, own: &Settings, format: &str) -> Result<Vec<Settings>> {
        let mut all = vec![own.clone()];
        for id in own.profile.compared_with {
            all.push(self.request.under(Profile::named(id)?).settings(Some(format))?);
        }
        Ok(all)
    }

    /// Returns the requested metrics; by default, the metrics that all profiles share.
    fn shared_metrics(&self, all: &[Settings], format: &str) -> Result<Vec<Metric>> {
        let Some(first) = all.first() else { return Err(nothing()) };
        let request = self.request.clone().with_settings(first.clone());
        if self.request.has_metrics() {
            return self.request.metrics_for(first, format);
        }
        let mut metrics = request.metrics_for(first, format)?;
        metrics.retain(|metric| {
            all.iter().all(|settings| settings.profile.metrics.contains(&metric.to_string().as_str()))
                || metric.uses_weights()
        });
        if metrics.is_empty() {
            let names: Vec<&str> = all.iter().map(|settings| settings.profile.id).collect();
            let message = format!("the profiles {} have no metric in common", names.join(", "));
            let error = Error::new(ErrorKind::Settings, message);
            return Err(
                error.hint(text!("name the metrics, for example {}", option_value("metrics", "conll")))
            );
        }
        Ok(metrics)
    }

    /// Returns the settings that a search starts with: these, then all profiles.
    fn bases(&self, first: &[&str], format: &str) -> Result<Vec<Settings>> {
        let mut bases = vec![];
        for id in first {
            bases.push(self.request.under(Profile::named(id)?).settings(Some(format))?);
        }
        bases.push(self.request.settings(Some(format))?);
        for profile in PROFILES {
            bases.push(self.request.under(profile).settings(Some(format))?);
        }
        Ok(bases)
    }

    /// Searches for settings that print the wanted numbers.
    fn find(
        &self,
        runner: &Runner<'_>,
        wanted: &[WantedNumber],
        (metrics, formats): (&[Metric], &[FormatTraits<'_>]),
    ) -> Result<Search> {
        let format = formats.first().map(|format| format.id).unwrap_or_default();
        let named: Vec<Metric> = wanted.iter().filter_map(|wanted| wanted.metric).collect();
        let searched: Vec<Metric> = match named.len() == wanted.len() {
            true => metrics.iter().filter(|metric| named.contains(metric)).copied().collect(),
            false => metrics.to_vec(),
        };
        let all_in = |scored: &ScoredSettings| {
            wanted.iter().all(|wanted| printed_in(scored, wanted, &searched).is_some())
        };
        let bases = self.bases(&[], format)?;
        let own = self.request.settings(Some(format))?;
        // Scorers that are commonly run on the same files are likelier explanations.
        let likely = [&[own.profile.id], own.profile.compared_with].concat();
        let task = SearchTask { metrics: &searched, formats, threads: self.request.threads, likely: &likely };
        let tried = runner.search(&bases, &task, all_in);
        let chances = wanted.iter().map(|wanted| chance(wanted, &tried, &searched)).collect();
        let hit = |row: &TriedSettings| Hit {
            numbers: wanted.iter().map(|wanted| printed_in(&row.scored, wanted, &searched)).collect(),
            scored: row.scored.clone(),
            rules: row.rules,
            same: row.same.clone(),
        };
        let own_print =
            |hit: &Hit| hit.numbers.iter().flatten().all(|(.., print)| *print == hit.scored.print());
        let mut rows: Vec<(usize, Hit)> = tried.distinct.iter().map(|row| (row.cost, hit(row))).collect();
        rows.retain(|(_, hit)| hit.count() > 0);
        // The sort is stable: the earlier profile wins ties.
        rows.sort_by_key(|(cost, hit)| (std::cmp::Reverse(hit.count()), *cost, !own_print(hit)));
        let hits: Vec<Hit> = rows.into_iter().map(|(_, hit)| hit).collect();
        let distance = |scored: &ScoredSettings| -> f64 {
            let of = |wanted: &WantedNumber| {
                let metrics = metrics_of(wanted, &searched);
                let all = metrics.flat_map(|metric| {
                    parts_of(wanted, metric)
                        .filter(|part| scored.is_defined(metric, *part))
                        .filter_map(|part| scored.prints(metric, part, Print::Rounded, wanted.number.digits))
                });
                let unit = wanted.number.unit();
                all.map(|shown| (shown - wanted.number.scaled).abs() as f64 / unit)
                    .fold(f64::INFINITY, f64::min)
            };
            wanted.iter().map(of).sum()
        };
        let nearest = match hits.first().is_some_and(|hit| hit.count() == wanted.len()) {
            true => None,
            false => {
                let rows = tried.distinct.iter();
                rows.min_by(|one, other| distance(&one.scored).total_cmp(&distance(&other.scored))).map(hit)
            }
        };
        Ok(Search {
            wanted: wanted.to_vec(),
            chances,
            tried: tried.tried,
            distinct: tried.distinct.len(),
            failed: tried.failed,
            rules: tried.rules,
            hits,
            nearest,
        })
    }

    /// Searches for the settings behind another scorer's numbers, and explains the steps from ours to them.
    fn against(
        &self,
        runner: &Runner<'_>,
        printed: PrintedScores,
        ours: &Trial,
        (metrics, formats, task): (&[Metric], &[FormatTraits<'_>], &PathTask<'_>),
    ) -> Result<Against> {
        let format = formats.first().map(|format| format.id).unwrap_or_default();
        let searched: Vec<Metric> = metrics
            .iter()
            .filter(|metric| printed.numbers.iter().any(|number| number.metric == **metric))
            .copied()
            .collect();
        let (peer, numbers) = (printed.peer, printed.numbers.clone());
        let hits = |scored: &ScoredSettings| {
            let hit = |number: &crate::printed::PrintedScore| {
                let digits = number.number.digits;
                scored.prints(&number.metric, number.part, peer.print, digits) == Some(number.number.scaled)
            };
            numbers
                .iter()
                .map(|number| hit(number).then_some((number.metric, number.part, peer.print)))
                .collect::<Vec<_>>()
        };
        let profiles: Vec<&'static str> =
            printed.peers().flat_map(|peer| peer.profiles.iter().copied()).collect();
        let bases = self.bases(&profiles, format)?;
        let count = |scored: &ScoredSettings| hits(scored).into_iter().flatten().count();
        let threads = self.request.threads;
        let search = SearchTask { metrics: &searched, formats, threads, likely: &profiles };
        let tried = runner.search(&bases, &search, |scored| count(scored) == numbers.len());
        let distance = |scored: &ScoredSettings| -> f64 {
            let of = |number: &crate::printed::PrintedScore| {
                let digits = number.number.digits;
                let shown = scored.prints(&number.metric, number.part, peer.print, digits);
                shown.map_or(0.0, |shown| (shown - number.number.scaled).abs() as f64 / number.number.unit())
            };
            numbers.iter().map(of).sum()
        };
        let best = tried.distinct.iter().min_by(|one, other| {
            let by_count = count(&other.scored).cmp(&count(&one.scored));
            by_count
                .then_with(|| distance(&one.scored).total_cmp(&distance(&other.scored)))
                .then(one.cost.cmp(&other.cost))
        });
        let Some(TriedSettings { scored: found, rules, same, .. }) = best else { return Err(nothing()) };
        let is_swapped =
            |row: &&TriedSettings| row.scored.swapped || row.same.iter().any(|name| name.ends_with(SWAPPED));
        let swapped = tried.distinct.iter().filter(is_swapped);
        let met_if_swapped = swapped.map(|row| count(&row.scored)).max().unwrap_or(0);
        let named = Named {
            name: found.name.clone(),
            settings: found.settings.clone(),
            swapped: found.swapped,
            rules: *rules,
        };
        // Scores again with all metrics of the report.
        let whole = runner.score(&named, metrics, task.threads, false)?;
        let numbers = hits(&whole.scored);
        let best = Hit { scored: whole.scored.clone(), rules: *rules, numbers, same: same.clone() };
        let ours_scored = ours.scored.clone();
        let tried = tried.tried;
        let mut against = Against { printed, ours: ours_scored, best, met_if_swapped, path: None, tried };
        if !against.is_near() {
            return Ok(against);
        }
        // Rules are traced with key and response in the other scorer's order.
        let swapped = match found.swapped {
            true => {
                let named = Named::new(ours.scored.settings.clone(), true);
                Some(runner.score(&named, metrics, task.threads, false)?)
            }
            false => None,
        };
        let start = swapped.as_ref().unwrap_or(ours);
        let path = runner.path(start, &whole, task)?;
        against.path = Some((start.scored.clone(), path));
        Ok(against)
    }
}

/// Returns the findings of all settings. Codes that the first settings also report belong to the same findings.
fn joint_findings(first: &Trial, noticed: Diagnostics, others: &[Trial]) -> Diagnostics {
    let mut diagnostics = first.diagnostics.clone();
    diagnostics.merge(noticed);
    for other in others {
        let mut own = other.diagnostics.clone();
        let known: Vec<_> = diagnostics.groups().iter().map(|group| group.code).collect();
        known.into_iter().for_each(|code| own.forget(code));
        diagnostics.merge(own);
    }
    diagnostics
}

/// Returns the settings of the named profiles, each with options after bars.
fn profiles(items: &[String], evaluation: &Evaluation) -> Result<Option<Vec<Settings>>> {
    if items.is_empty() {
        return Ok(None);
    }
    let mut all: Vec<Settings> = Vec::new();
    for item in items {
        let mut fields = item.split('|');
        let profile = Profile::named(fields.next().unwrap_or_default())?;
        let mut request = evaluation.request.under(profile);
        for field in fields {
            let Some((name, value)) = field.split_once(':') else {
                let message = text!("{} in {} is not an option with a value", quoted(field), quoted(item));
                let error = Error::new(ErrorKind::Settings, message);
                return Err(
                    error.hint("write a profile and the settings that differ from it: conll|singletons:drop")
                );
            };
            request = request.choose(name.trim(), value.trim())?;
        }
        let settings = request.settings(None)?;
        if all.contains(&settings) {
            let error = Error::new(ErrorKind::Settings, text!("{} is named twice", quoted(item)));
            return Err(error.hint("name each profile once"));
        }
        all.push(settings);
    }
    Ok(Some(all))
}

/// Reads the output of another scorer.
fn read_printed(path: &str, format: &str) -> Result<PrintedScores> {
    let place = || Position::new(&path.into(), 0, 0);
    let bytes = match path {
        "-" => {
            let mut bytes = Vec::new();
            let read = std::io::Read::read_to_end(
                &mut std::io::Read::take(std::io::stdin().lock(), SMALL),
                &mut bytes,
            );
            read.map(|_| bytes)
        }
        path => read_small(std::path::Path::new(path), SMALL),
    };
    let bytes = bytes.map_err(|error| {
        Error::new(ErrorKind::Io, format!("the scorer's output cannot be read: {error}")).at(place())
    })?;
    PrintedScores::read(&String::from_utf8_lossy(&bytes), path, format)
}
