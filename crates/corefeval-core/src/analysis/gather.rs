//! Merges the results of several threads.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::iter::repeat_n;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;

use super::antecedents::{FrequentAntecedents, WrongAntecedents, most_frequent};
use super::costs::{Costs, Summed, needs_entities_alone};
use super::documents::corrected_scores;
use super::items::{Item, NONE};
use super::kinds::CorefErrorKind;
use super::link_tally::LinkTally;
use super::links::LinkError;
use super::links::{ComparedLinks, Links, MentionIds, Outcome};
use super::pair::PairErrors;
use super::results::{
    DocumentErrors, EntityErrors, ErrorAnalysis, ErrorRow, Example, KindCounts, OutcomeCounts, OutcomeTable,
    Step,
};
use super::rows::{Found, RowMaker, Types, example};
use super::task::{AnalysisTask, CorpusFacts};
use super::transform::Operations;
use super::types::{Language, MentionType, PronounCounts};
use crate::diagnostic::Diagnostics;
use crate::metrics::Metric;
use crate::model::Side;
use crate::pairing::DocumentPair;
use crate::results::{MetricResult, SideSize};
use crate::score::{Task, results_of_pairs};
use crate::scratch::Scratch;
use crate::selection::is_zero;
use crate::settings::Settings;
use crate::threads::lock;

/// The largest number of wrong antecedents and entities that an analysis keeps.
const MOST: usize = ErrorAnalysis::MOST;

/// The groupings of outcomes: the key in JSON and the title.
const GROUPINGS: [(&str, &str); 4] = [
    ("type", "Type of mention"),
    ("pronoun", "Pronoun"),
    ("entity_type", "Type of entity"),
    ("genre", "Genre"),
];

/// The outcomes of each group of the groupings but the first.
type Outcomes = [FxHashMap<String, OutcomeCounts>; GROUPINGS.len() - 1];

/// The results of some documents.
pub(super) struct PartialAnalysis {
    sizes: [SideSize; 2],
    matched: u64,
    annotated: [u64; 2],
    operations: Operations,
    recall: LinkTally,
    precision: LinkTally,
    costs: Costs,
    /// The outcomes of each type of mention.
    by_type: [OutcomeCounts; MentionType::ALL.len()],
    /// The outcomes of each group of the other groupings.
    outcomes: Outcomes,
    /// Each document with its number.
    documents: Vec<(u32, DocumentErrors)>,
    entities: Vec<EntityErrors>,
    /// The number of key entities with missed links.
    entities_missed: u64,
    /// The missing links and the mentions that an entity must exceed to be kept: more links, or the same number of
    /// links and more mentions. An earlier entity wins a tie.
    exceeded: (u64, u64),
    antecedents: WrongAntecedents,
    /// A buffer for the words of a mention.
    text: String,
    rows: Vec<ErrorRow>,
    compared: ComparedLinks,
    /// True if a document has a text.
    has_text: bool,
    /// True if the type of some mention is known.
    has_types: bool,
    /// True if the mentions of some document have an order.
    has_order: bool,
    /// True if lists of words determine types of mentions in some document.
    uses_lists: bool,
    /// The pronouns that determine the language.
    pronouns: PronounCounts,
    /// True if a side repeats mentions.
    repeats: bool,
    /// The findings of each run of documents that has any, with the number of its first document.
    diagnostics: Vec<(u32, Diagnostics)>,
}

impl PartialAnalysis {
    pub(super) fn new(task: &AnalysisTask) -> PartialAnalysis {
        PartialAnalysis {
            sizes: [SideSize::default(); 2],
            matched: 0,
            annotated: [0; 2],
            operations: Operations::default(),
            recall: LinkTally::default(),
            precision: LinkTally::default(),
            costs: Costs::new(&divided(task).0, &task.settings),
            by_type: Default::default(),
            outcomes: Default::default(),
            documents: Vec::new(),
            entities: Vec::new(),
            entities_missed: 0,
            exceeded: (0, u64::MAX),
            antecedents: WrongAntecedents::default(),
            text: String::new(),
            rows: Vec::new(),
            compared: ComparedLinks::default(),
            has_text: false,
            has_types: false,
            has_order: false,
            uses_lists: false,
            pronouns: PronounCounts::default(),
            repeats: false,
            diagnostics: Vec::new(),
        }
    }

    /// Adds the results of these documents, the first of which has the number `first`. They must follow all documents
    /// added so far.
    pub(super) fn add_run(
        &mut self,
        first: u32,
        pairs: &[DocumentPair<'_>],
        task: &AnalysisTask,
        corpus: CorpusFacts<'_>,
    ) {
        let mut diagnostics = Diagnostics::default();
        for (number, &pair) in (first..).zip(pairs) {
            let errors = PairErrors::new(pair, &task.settings, corpus, &mut diagnostics);
            self.add_pair(number, &errors, task);
        }
        if !diagnostics.is_empty() {
            self.diagnostics.push((first, diagnostics));
        }
    }

    fn add_pair(&mut self, number: u32, errors: &PairErrors<'_>, task: &AnalysisTask) {
        let pair = errors.aligned.pair;
        for (sum, document) in self.annotated.iter_mut().zip([Some(pair.key), pair.response]) {
            *sum += document.map_or(0, |document| document.mentions().len() as u64);
        }
        self.has_text |= errors.aligned.text.has_text();
        self.has_types = self.has_types || errors.aligned.knows_types();
        self.has_order |= errors.aligned.text.has_order();
        self.uses_lists |= errors.aligned.text.uses_lists();
        errors.aligned.text.count_pronouns(pair.key, &mut self.pronouns);
        self.repeats |= errors.aligned.repeats;
        let mut id = String::with_capacity(pair.key.id().name().len() + "; part 000".len());
        // Writing to a string cannot fail.
        let _ = write!(id, "{}", pair.key.id());
        self.costs.add_document(number, &id, &errors.corrector(), &task.settings);
        let types = Types::new(errors.linked());
        let links = errors.links(task.tree, &types);
        for (sum, size) in self.sizes.iter_mut().zip(&errors.linked().sizes) {
            let unlinked = if errors.copies.is_some() { size.unlinked } else { links.unlinked };
            sum.add(&SideSize { unlinked, ..*size });
        }

        let mut counts = errors.counts();
        counts.count(CorefErrorKind::MissedLink, links.missing.len() as u64);
        counts.count(CorefErrorKind::WrongLink, links.wrong.len() as u64);
        let operations = Operations {
            correct_span: counts.of(CorefErrorKind::SpanError),
            introduce_mention: errors.items.iter().filter(|item| item.response == NONE).count() as u64,
            remove_mention: errors.items.iter().filter(|item| item.key == NONE).count() as u64,
            split_from_entity: errors.pieces[0],
            merge_into_entity: errors.pieces[1],
        };
        self.operations.add(&operations);
        self.matched +=
            errors.aligned.sizes[0].mentions - operations.introduce_mention - operations.correct_span;
        let [key_links, response_links] = links.total;
        let sentences = &errors.linked().sentences;
        self.recall.count(&links.missing, key_links, sentences, &types);
        self.precision.count(&links.wrong, response_links, sentences, &types);
        let missing = pair.response.is_none();
        self.documents.push((number, DocumentErrors { id, missing, counts, key_links, response_links }));
        self.add_outcomes(errors, &links.outcomes, &types);
        self.add_antecedents(errors, &links.wrong);
        self.add_entities(number, errors, &links.missing);
        if task.rows {
            self.rows.extend(rows(number, errors, &links, task.compared));
        }
        if task.compared {
            self.compared.add(number, errors.linked(), &links);
        }
    }

    fn add_outcomes(&mut self, errors: &PairErrors<'_>, outcomes: &[Option<Outcome>], types: &Types<'_, '_>) {
        let aligned = errors.linked();
        let [by_pronoun, by_entity_type, by_genre] = &mut self.outcomes;
        let mut all = OutcomeCounts::default();
        for ((place, item), outcome) in (0..).zip(&aligned.items).zip(outcomes) {
            let Some(outcome) = outcome.map(OutcomeCounts::one) else { continue };
            let (side, mention) = aligned.mention(item);
            let mention_type = types.of(place);
            self.by_type[mention_type as usize].add(&outcome);
            all.add(&outcome);
            if mention_type.is_local() {
                if is_zero(aligned.document(side), mention) {
                    add_to(by_pronoun, "(zero)", &outcome);
                } else if mention.word_count() == 1 {
                    aligned.text.write_lowered(side, mention, &mut self.text);
                    if !self.text.is_empty() {
                        add_to(by_pronoun, &self.text, &outcome);
                    }
                }
            }
            if let Some(entity_type) = aligned.text.entity_type(side, mention) {
                add_to(by_entity_type, entity_type, &outcome);
            }
        }
        if let Some(genre) = aligned.pair.key.genre().filter(|_| all.any()) {
            add_to(by_genre, genre, &all);
        }
    }

    fn add_antecedents(&mut self, errors: &PairErrors<'_>, wrong: &[LinkError]) {
        let linked = errors.linked();
        if !linked.text.has_words() {
            return;
        }
        // Many links have the same antecedent, so each text is looked up once.
        let mut numbers = Scratch::filled(NONE, linked.items.len());
        for error in wrong {
            let [antecedent, anaphor] = [error.antecedent, error.anaphor].map(|item| {
                let number = &mut numbers[item as usize];
                if *number == NONE {
                    // Wrong links are between mentions of the response.
                    let mention = linked.mention_on(Side::Response, &linked.items[item as usize]);
                    linked.text.write_mention(Side::Response, mention, &mut self.text);
                    *number = self.antecedents.number(&self.text);
                }
                *number
            });
            self.antecedents.count(antecedent, anaphor);
        }
    }

    fn add_entities(&mut self, document: u32, errors: &PairErrors<'_>, missed: &[LinkError]) {
        let aligned = &errors.aligned;
        let mut missed_of = Scratch::filled(0_u64, aligned.key_entities);
        let linked = &errors.linked().items;
        match &errors.copies {
            None => missed
                .iter()
                .for_each(|error| missed_of[linked[error.anaphor as usize].key_entity as usize] += 1),
            // The analysis of copies numbers entities differently; an entity without a first copy has no number here.
            Some(_) => {
                let key = aligned.pair.key;
                let name = |item: &Item| key.mentions()[item.key as usize].entity().index();
                let mut numbers = vec![NONE; key.entities().len()];
                let of_key = aligned.items.iter().filter(|item| item.key != NONE);
                of_key.for_each(|item| numbers[name(item)] = item.key_entity);
                let entities = missed.iter().map(|error| numbers[name(&linked[error.anaphor as usize])]);
                entities.filter(|entity| *entity != NONE).for_each(|entity| missed_of[entity as usize] += 1);
            }
        }
        self.entities_missed += missed_of.iter().filter(|&&missed| missed > 0).count() as u64;
        for (entity, members) in errors.key_members.iter() {
            let missed = missed_of[entity as usize];
            if (missed, members.len() as u64) <= self.exceeded {
                continue;
            }
            let noun = members.iter().find(|item| !errors.is_pronoun(**item));
            let Some(&first) = noun.or(members.first()) else { continue };
            let item = |place: u32| -> &Item { &errors.items[place as usize] };
            let mut parts: Scratch = members.iter().map(|&place| item(place).response_entity).collect();
            parts.sort_unstable();
            parts.dedup();
            let mention = aligned.mention_on(Side::Key, item(first));
            self.entities.push(EntityErrors {
                document,
                entity: aligned.pair.key.entity_name(mention.entity()).to_owned(),
                text: aligned.text.of_mention(Side::Key, mention),
                mentions: members.len() as u64,
                missed,
                parts: parts.iter().filter(|entity| **entity != NONE).count() as u64,
            });
        }
        self.keep_hardest();
    }

    /// Keeps the entities with the most missing links.
    fn keep_hardest(&mut self) {
        if self.entities.len() > 2 * MOST {
            sort_entities(&mut self.entities);
            let last = self.entities.last().map(|entity| (entity.missed, entity.mentions));
            self.exceeded = last.unwrap_or(self.exceeded);
        }
    }

    /// Returns this analysis with its remaining tables counted and its entities sorted: the last step of a thread.
    pub(super) fn completed(mut self, task: &AnalysisTask) -> PartialAnalysis {
        self.costs.count_rest(&task.settings);
        sort_entities(&mut self.entities);
        self
    }

    /// Adds the results of other documents, except wrong antecedents and outcomes, whose parts stay separate.
    fn add(&mut self, other: PartialAnalysis) {
        self.sizes.iter_mut().zip(&other.sizes).for_each(|(sum, size)| sum.add(size));
        self.matched += other.matched;
        self.annotated.iter_mut().zip(other.annotated).for_each(|(sum, number)| *sum += number);
        self.operations.add(&other.operations);
        self.recall.add(other.recall);
        self.precision.add(other.precision);
        self.costs.merge(other.costs);
        self.by_type.iter_mut().zip(&other.by_type).for_each(|(ours, theirs)| ours.add(theirs));
        self.documents.extend(other.documents);
        self.entities.extend(other.entities);
        self.entities_missed += other.entities_missed;
        self.keep_hardest();
        self.rows.extend(other.rows);
        self.compared.append(other.compared);
        self.has_text |= other.has_text;
        self.has_types |= other.has_types;
        self.has_order |= other.has_order;
        self.uses_lists |= other.uses_lists;
        self.pronouns.add(&other.pronouns);
        self.repeats |= other.repeats;
        self.diagnostics.extend(other.diagnostics);
    }

    /// Combines the results of all documents.
    pub(super) fn combined(mut parts: Vec<PartialAnalysis>, task: &AnalysisTask) -> CombinedAnalysis {
        let antecedents = parts.iter_mut().map(|part| std::mem::take(&mut part.antecedents)).collect();
        let outcomes = parts.iter_mut().map(|part| std::mem::take(&mut part.outcomes)).collect();
        let mut parts = parts.into_iter();
        let mut whole = parts.next().unwrap_or_else(|| PartialAnalysis::new(task));
        parts.for_each(|part| whole.add(part));
        whole.documents.sort_unstable_by_key(|(number, _)| *number);
        let chosen = choose_examples(&whole.documents, task.examples);
        CombinedAnalysis {
            costs: Mutex::new(repeat_n(Arc::new(whole.costs.take_sums()), Summed::HALVES).collect()),
            outcomes: Mutex::new(outcomes),
            antecedents: Mutex::new(antecedents),
            chosen,
            whole,
        }
    }
}

/// The results of all documents, and the work that remains.
pub(super) struct CombinedAnalysis {
    whole: PartialAnalysis,
    /// Taken by the task of each half; the last one frees it.
    costs: Mutex<Vec<Arc<Summed>>>,
    /// The outcomes of each part, taken by the task that makes their tables, which also frees them.
    outcomes: Mutex<Vec<Outcomes>>,
    /// The wrong antecedents of each part, taken by the task that finds the most frequent.
    antecedents: Mutex<Vec<WrongAntecedents>>,
    chosen: Vec<Chosen>,
}

/// The result of a task that remains when the results of all documents are combined.
pub(super) enum Remaining {
    Antecedents(FrequentAntecedents),
    Steps(Vec<Step>),
    Outcomes(Vec<OutcomeTable>),
    Examples(Vec<(usize, Example)>),
}

impl CombinedAnalysis {
    /// The number of tasks that remain, without the examples.
    const TASKS: usize = 2 + Summed::HALVES;

    /// Returns the language of all documents, by their words.
    pub(super) fn language(&self) -> &'static Language {
        self.whole.pronouns.language()
    }

    /// Returns the number of tasks that remain.
    pub(super) fn tasks(&self) -> usize {
        CombinedAnalysis::TASKS + self.chosen.len()
    }

    /// Runs one of the tasks that remain. Longer tasks come first.
    pub(super) fn run(
        &self,
        number: usize,
        pairs: &[DocumentPair<'_>],
        task: &AnalysisTask,
        corpus: CorpusFacts<'_>,
    ) -> Remaining {
        if let Some(chosen) = number.checked_sub(CombinedAnalysis::TASKS) {
            return Remaining::Examples(examples(&self.chosen[chosen], pairs, task, corpus));
        }
        match number {
            0 => Remaining::Antecedents(most_frequent(&std::mem::take(&mut *lock(&self.antecedents)), MOST)),
            1 => {
                let outcomes = std::mem::take(&mut *lock(&self.outcomes));
                Remaining::Outcomes(outcome_tables(&self.whole.by_type, outcomes))
            }
            _ => {
                let costs = lock(&self.costs).pop().unwrap_or_default();
                Remaining::Steps(costs.steps(number - 2, &divided(task).0, &task.settings))
            }
        }
    }

    /// Completes the analysis with the results of all tasks.
    pub(super) fn finish(
        self,
        remaining: Vec<Remaining>,
        pairs: &[DocumentPair<'_>],
        (task, scored_with): (&AnalysisTask, &Settings),
        corpus: CorpusFacts<'_>,
        diagnostics: &mut Diagnostics,
    ) -> ErrorAnalysis {
        let mut whole = self.whole;
        whole.diagnostics.sort_by_key(|(first, _)| *first);
        whole.diagnostics.into_iter().for_each(|(_, found)| diagnostics.merge(found));
        whole.rows.sort_by_key(|row| row.document);
        whole.compared.sort();
        let documents: Vec<DocumentErrors> =
            whole.documents.into_iter().map(|(_, document)| document).collect();
        let mut counts = KindCounts::default();
        documents.iter().for_each(|document| counts.add(&document.counts));
        let (mut antecedents, mut steps, mut outcomes, mut found) =
            (FrequentAntecedents::default(), Vec::new(), Vec::new(), Vec::new());
        for result in remaining {
            match result {
                Remaining::Antecedents(all) => antecedents = all,
                Remaining::Steps(half) => steps.push(half),
                Remaining::Outcomes(tables) => outcomes = tables,
                Remaining::Examples(examples) => found.extend(examples),
            }
        }
        found.sort_by_key(|&(place, _)| place);
        let examples = found.into_iter().map(|(_, example)| example).collect();
        let mut halves = steps.into_iter();
        let (mut alone, mut sequence) =
            (halves.next().unwrap_or_default(), halves.next().unwrap_or_default());
        add_corrected_scores(alone.iter_mut().chain(&mut sequence), pairs, task, corpus);
        let start = sequence.first().map(|step| step.results.as_slice()).unwrap_or_default();
        let (scored, has_other_settings) = scored_apart(start, whole.repeats, pairs, (task, scored_with));
        sort_entities(&mut whole.entities);
        ErrorAnalysis {
            scored,
            has_other_settings,
            sizes: whole.sizes,
            matched: whole.matched,
            annotated: whole.annotated,
            tree: task.tree,
            has_sentences: whole.has_text,
            has_types: whole.has_types,
            has_order: whole.has_order,
            language: corpus.language.known().filter(|_| whole.uses_lists),
            counts,
            operations: whole.operations,
            recall: whole.recall.into(),
            precision: whole.precision.into(),
            alone,
            sequence,
            outcomes,
            documents,
            entities: whole.entities,
            entities_missed: whole.entities_missed,
            antecedents: antecedents.rows,
            antecedents_repeated: antecedents.repeated,
            rows: whole.rows,
            compared: whole.compared,
            examples,
            ..ErrorAnalysis::default()
        }
    }
}

/// Adds the scores of metrics that do not follow from the entities of aligned mentions to the steps.
fn add_corrected_scores<'s>(
    steps: impl Iterator<Item = &'s mut Step>,
    pairs: &[DocumentPair<'_>],
    task: &AnalysisTask,
    corpus: CorpusFacts<'_>,
) {
    let scores = corrected_scores(pairs, task, corpus, &divided(task).1);
    for (step, scores) in steps.zip(scores) {
        step.results.extend(scores);
        let place = |result: &MetricResult| task.metrics.iter().position(|metric| *metric == result.metric);
        step.results.sort_by_key(place);
    }
}

/// Returns the scores of the response if they differ from the start of the sequence, because mentions are repeated or
/// because scores use different settings from errors, and whether the settings are the reason.
fn scored_apart(
    start: &[MetricResult],
    repeats: bool,
    pairs: &[DocumentPair<'_>],
    (task, scored_with): (&AnalysisTask, &Settings),
) -> (Option<Vec<MetricResult>>, bool) {
    if task.metrics.is_empty() {
        return (None, false);
    }
    let score = |settings: &Settings| {
        let (settings, metrics) = (settings.clone(), task.metrics.clone());
        results_of_pairs(pairs, &Task { settings, metrics, by: None, threads: task.threads })
    };
    // All copies of mentions, and mentions as scores count them.
    let with_copies = repeats.then(|| score(&task.settings));
    if *scored_with != task.settings {
        let found = score(scored_with);
        let of_errors = with_copies.as_deref().unwrap_or(start);
        if of_errors.iter().zip(&found).any(|(ours, found)| ours.score != found.score) {
            return (Some(found), true);
        }
    }
    (with_copies, false)
}

/// Returns the metrics whose costs follow from the entities of aligned mentions, then all others.
fn divided(task: &AnalysisTask) -> (Vec<Metric>, Vec<Metric>) {
    task.metrics.iter().partition(|metric| needs_entities_alone(metric, &task.settings))
}

/// Adds outcomes to those of a group.
fn add_to(table: &mut FxHashMap<String, OutcomeCounts>, group: &str, outcomes: &OutcomeCounts) {
    match table.get_mut(group) {
        Some(counts) => counts.add(outcomes),
        None => drop(table.insert(group.to_owned(), *outcomes)),
    }
}

/// Keeps the [`MOST`] entities with the most missing links, in that order; larger, then earlier ones win ties.
fn sort_entities(entities: &mut Vec<EntityErrors>) {
    fn order(entity: &EntityErrors) -> impl Ord + '_ {
        (Reverse(entity.missed), Reverse(entity.mentions), entity.document, &entity.entity)
    }
    entities.sort_by(|a, b| order(a).cmp(&order(b)));
    entities.truncate(MOST);
}

fn outcome_tables(by_type: &[OutcomeCounts], parts: Vec<Outcomes>) -> Vec<OutcomeTable> {
    let mut parts = parts.into_iter();
    let mut outcomes = parts.next().unwrap_or_default();
    for part in parts {
        for (ours, theirs) in outcomes.iter_mut().zip(part) {
            theirs.into_iter().for_each(|(group, counts)| ours.entry(group).or_default().add(&counts));
        }
    }
    let of_types = MentionType::ALL.iter().zip(by_type).filter(|(_, counts)| counts.any());
    let of_types = of_types.map(|(known, counts)| (known.id().to_owned(), *counts)).collect();
    let others = outcomes.into_iter().map(|groups| {
        let mut rows: Vec<(String, OutcomeCounts)> = groups.into_iter().collect();
        rows.sort_by(|a, b| (Reverse(a.1.errors()), &a.0).cmp(&(Reverse(b.1.errors()), &b.0)));
        rows
    });
    let tables = GROUPINGS.into_iter().zip(std::iter::once(of_types).chain(others));
    let tables = tables.map(|((by, title), rows)| OutcomeTable { by, title, rows });
    tables.filter(|table| !table.rows.is_empty()).collect()
}

/// Returns the errors of a document: by kind, then in the order of the text.
fn rows(document: u32, errors: &PairErrors<'_>, links: &Links, compared: bool) -> Vec<ErrorRow> {
    let is_pronoun = |item| errors.is_pronoun(item);
    let maker = row_maker(document, errors, &is_pronoun, compared);
    found(&maker, errors, links, |_| true).into_iter().map(|found| maker.row(found)).collect()
}

fn row_maker<'e, 'd>(
    document: u32,
    errors: &'e PairErrors<'d>,
    is_pronoun: &'e dyn Fn(u32) -> bool,
    compared: bool,
) -> RowMaker<'e, 'd> {
    RowMaker {
        aligned: &errors.aligned,
        linked: errors.linked(),
        document,
        members: [&errors.key_members, &errors.response_members],
        items: &errors.items,
        is_pronoun,
        ids: compared.then(|| MentionIds::new(errors.linked())),
    }
}

/// Returns the errors of the wanted kinds in the order of rows.
fn found<'e>(
    maker: &RowMaker<'_, '_>,
    errors: &'e PairErrors<'_>,
    links: &'e Links,
    wanted: impl Fn(CorefErrorKind) -> bool,
) -> Vec<Found<'e>> {
    let missing = links.missing.iter().map(|error| Found::Link(CorefErrorKind::MissedLink, error));
    let wrong = links.wrong.iter().map(|error| Found::Link(CorefErrorKind::WrongLink, error));
    let entities = errors.errors.iter().map(Found::Entity);
    let all = errors.spans.iter().map(Found::Span).chain(entities).chain(missing).chain(wrong);
    let mut found: Vec<Found<'_>> = all.filter(|found| wanted(found.kind())).collect();
    maker.sort(&mut found);
    found
}

/// The errors of one document to show. Each has its kind, its index among the errors of its kind in the document, and
/// its index among all errors that are shown.
struct Chosen {
    document: usize,
    errors: Vec<(CorefErrorKind, u64, usize)>,
}

/// Returns the chosen errors of a document with their sentences, each with its index among all errors that are shown.
/// The document is analysed again: few documents are, and only their errors need words.
fn examples(
    chosen: &Chosen,
    pairs: &[DocumentPair<'_>],
    task: &AnalysisTask,
    corpus: CorpusFacts<'_>,
) -> Vec<(usize, Example)> {
    // The analysis of the document has reported all findings.
    let mut discarded = Diagnostics::default();
    let errors = PairErrors::new(pairs[chosen.document], &task.settings, corpus, &mut discarded);
    let is_chosen = |kind: CorefErrorKind| chosen.errors.iter().any(|(other, ..)| *other == kind);
    let links = match chosen.errors.iter().any(|(kind, ..)| kind.is_link()) {
        true => errors.links(task.tree, &Types::new(errors.linked())),
        false => Links::default(),
    };
    let is_pronoun = |item| errors.is_pronoun(item);
    let maker = row_maker(chosen.document as u32, &errors, &is_pronoun, task.compared);
    let found = found(&maker, &errors, &links, is_chosen);
    let example = |&(kind, of_kind, place): &(CorefErrorKind, u64, usize)| {
        let error = found.iter().filter(|found| found.kind() == kind).nth(of_kind as usize)?;
        Some((place, example(maker.row(*error), &errors.aligned)))
    };
    chosen.errors.iter().filter_map(example).collect()
}

/// Chooses this many errors of each kind, evenly spread over all errors of the kind, but from the same documents as the
/// other kinds where possible, because each document is analysed again. Returns them by document.
fn choose_examples(documents: &[(u32, DocumentErrors)], wanted: usize) -> Vec<Chosen> {
    let mut chosen: BTreeMap<usize, Vec<(CorefErrorKind, u64, usize)>> = BTreeMap::new();
    let mut number_of_all = 0;
    let spread = |nth: u64, number: u64, all: u64| (2 * nth + 1) * all / (2 * number);
    let of_all_kinds = Running::new(documents.iter().map(|(_, document)| document.counts.sum()));
    for spec in super::kinds::COREF_ERRORS {
        let of_kind = Running::new(documents.iter().map(|(_, document)| document.counts.of(spec.kind)));
        let all = of_kind.sum();
        let number = all.min(wanted as u64);
        let mut next = 0;
        for nth in 0..number {
            let shared = of_all_kinds.group_of(spread(nth, number, of_all_kinds.sum()));
            let in_shared = of_kind.places(shared);
            let mut place = spread(nth, number, all);
            if !in_shared.is_empty() {
                place = place.clamp(in_shared.start, in_shared.end - 1);
            }
            // No error is chosen twice, and enough are left for the others.
            place = place.clamp(next, all - (number - nth));
            next = place + 1;
            let document = of_kind.group_of(place);
            let index = place - of_kind.places(document).start;
            chosen.entry(document).or_default().push((spec.kind, index, number_of_all));
            number_of_all += 1;
        }
    }
    chosen.into_iter().map(|(document, errors)| Chosen { document, errors }).collect()
}

/// The sizes of groups, added up.
struct Running {
    /// The end of each group.
    ends: Vec<u64>,
}

impl Running {
    fn new(sizes: impl Iterator<Item = u64>) -> Running {
        let add = |sum: &mut u64, size: u64| {
            *sum += size;
            Some(*sum)
        };
        Running { ends: sizes.scan(0, add).collect() }
    }

    fn sum(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Returns the group of an item, by the place of the item among all.
    fn group_of(&self, place: u64) -> usize {
        self.ends.partition_point(|&end| end <= place)
    }

    /// Returns the places of the items of a group among all.
    fn places(&self, group: usize) -> Range<u64> {
        let start = if group == 0 { 0 } else { self.ends[group - 1] };
        start..self.ends[group]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Documents with these numbers of errors of two kinds.
    fn documents(counts: &[[u64; 2]]) -> Vec<(u32, DocumentErrors)> {
        let document = |(number, [spans, links]): (u32, &[u64; 2])| {
            let mut counts = KindCounts::default();
            counts.count(CorefErrorKind::SpanError, *spans);
            counts.count(CorefErrorKind::MissedLink, *links);
            let id = number.to_string();
            (number, DocumentErrors { id, missing: false, counts, key_links: 0, response_links: 0 })
        };
        (0..).zip(counts).map(document).collect()
    }

    fn chosen(counts: &[[u64; 2]], wanted: usize) -> Vec<(usize, CorefErrorKind, u64)> {
        let chosen = choose_examples(&documents(counts), wanted);
        let of_document = |chosen: Chosen| {
            chosen.errors.into_iter().map(move |(kind, index, _)| (chosen.document, kind, index))
        };
        chosen.into_iter().flat_map(of_document).collect()
    }

    #[test]
    fn examples_are_spread_over_few_documents() {
        use CorefErrorKind::{MissedLink, SpanError};
        // A quarter of all errors is reached in document 1, and three quarters in document 3.
        let counts = [[0, 8], [1, 9], [2, 6], [2, 12], [9, 1]];
        let expected = [(1, SpanError, 0), (1, MissedLink, 1), (3, SpanError, 1), (3, MissedLink, 4)];
        assert_eq!(chosen(&counts, 2), expected);
        assert_eq!(
            chosen(&[[0, 8], [3, 0], [0, 8]], 2),
            [(0, MissedLink, 4), (1, SpanError, 0), (1, SpanError, 2), (2, MissedLink, 4)],
            "documents without errors of a kind"
        );
    }

    #[test]
    fn no_error_is_chosen_twice() {
        let mut random = 1u64;
        let mut below = |count: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) % count
        };
        for _ in 0..500 {
            let counts: Vec<[u64; 2]> = (0..1 + below(6)).map(|_| [below(4), below(9)]).collect();
            let wanted = below(7);
            let mut found = chosen(&counts, wanted as usize);
            let all = [0, 1].map(|kind| counts.iter().map(|counts| counts[kind]).sum::<u64>().min(wanted));
            assert_eq!(found.len() as u64, all[0] + all[1]);
            for &(document, kind, index) in &found {
                assert!(index < counts[document][usize::from(kind == CorefErrorKind::MissedLink)]);
            }
            found.sort_unstable();
            found.dedup();
            assert_eq!(found.len() as u64, all[0] + all[1], "{counts:?}");
        }
    }
}
