//! ACE-value: the value of a response to an application, by entity or by mention.

use std::borrow::Cow;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::{Evidence, MetricSpec, metric_info};
use crate::ace_parameters::{AceName, AceParameters, AceRules, EPSILON};
use crate::formats::Aspect;
use crate::model::{
    AceEntity, AceHead, AceMention, AceMentionType, AceSection, Document, ENTITY_TYPE, EntityId,
    MENTION_TYPE, Side,
};
use crate::pairing::DocumentPair;
use crate::settings::Settings;
use corefeval_metrics::assignment::{Edge, Solver, maximum_weight};
use corefeval_metrics::fraction::FractionSum;
use corefeval_metrics::tally::{RealTally, Score, Tally, harmonic_mean};

metric_info! {
    /// # ACE-value
    ///
    /// ## What it measures
    ///
    /// The value of correct entities minus the cost of errors, as defined by the evaluations of Automatic Content
    /// Extraction: entities have weights by type, class and kind of mention.
    ///
    /// ## Definition
    ///
    /// Mentions whose heads overlap enough may correspond to each other; the value of two mentions is the smaller of
    /// their weights (`mention.*`), minus a share for each attribute that differs (`mention-error.*`). Parameters such
    /// as `confusion.NAM-NOM` set the value of a key mention that the response has with another type, instead of the
    /// smaller weight and its share. The mentions of two entities of a document are paired one to one for the highest
    /// value; spurious mentions have a cost (`false-alarm.mention`). The value of two entities is the value of their
    /// mentions relative to the value of the key's mentions alone, times the weights of level, type and class, minus a
    /// share for each attribute that differs (`attribute-error.*`). Key and response entities are paired one to one
    /// over the whole corpus for the highest sum of values. With V the value of the key against itself: ACE-value = (V
    /// − misses − errors − false alarms) / V; recall = (V − misses − errors) / V; precision = (V − misses − errors) /
    /// (V − misses + false alarms). Parameters: `corefeval list ace`.
    ///
    /// ## Edge cases
    ///
    /// If the key has the value 0, any false alarm gives −9.999. Ratios of costs and the value
    /// stay within ±9.999, as NIST's scripts print them. Comparisons, correlations and explanations show ACE-value in
    /// place of F1. Comparisons recompute it for the documents of each resample; an entity of several documents keeps the
    /// counterpart that it has in the whole corpus. Entities with the same name are one across documents, if the
    /// format defines them so (APF). Only documents of the key count. All annotated mentions count, regardless of
    /// `--singletons` and similar options; `--average` has no effect. If files are paired, each pair has
    /// its own value, and their macro average is the mean of the values.
    ///
    /// In formats other than APF the heads are head words, otherwise the whole mention, in words of the text; zeros are
    /// ignored, and the texts of heads are not compared. An entity takes its type from its first mention that has one,
    /// in capitals. Mention types that start with NAM or PROP are names, NOM nominals, and PRO pronouns; all others
    /// count as names.
    ///
    /// ## Example
    ///
    /// A key of one person with a name and a pronoun, and a response with only the name. The weights are 1 and 0.1, so
    /// the value is 1/1.1.
    ///
    /// ## References
    ///
    /// `doddington-2004`.
    ///
    /// ## Other scorers
    ///
    /// The scores are those of NIST's ace05-eval-v14 and ace07-eval-v01. Their rules for 2008,
    /// and the weights of 2003 and 2004, were not compared with a scorer.
    pub static ACE_VALUE = {
        id: "ace_value",
        label: "ACE-value",
        aliases: &["ace", "acevalue"],
        summary: "the value of entities found, minus the cost of errors (ACE)",
        references: &["doddington-2004"],
        counts_singletons: true,
        matches_mentions: false,
        settings: &["ace", "ace-parameters"],
    }
}

pub(super) const VALUE: MetricSpec = MetricSpec {
    info: &ACE_VALUE,
    evidence: Evidence::Corpus {
        values: entity_values,
        fits: |format| format.can_express(Aspect::AceEntities),
    },
};

metric_info! {
    /// # ACE mention value
    ///
    /// ## What it measures
    ///
    /// The value of mentions, regardless of their entities.
    ///
    /// ## Definition
    ///
    /// [ACE-value](VALUE) where each mention is a separate entity with the attributes of its
    /// entity.
    ///
    /// ## Edge cases
    ///
    /// As for ACE-value.
    ///
    /// ## Example
    ///
    /// A key of one person with a name and a pronoun, and a response with only the name: 1/1.1.
    ///
    /// ## References
    ///
    /// `doddington-2004`.
    ///
    /// ## Other scorers
    ///
    /// NIST's scripts call it the value of entity mentions (EMD).
    pub static ACE_MENTION_VALUE = {
        id: "ace_mention_value",
        label: "ACE mention value",
        aliases: &["emd"],
        summary: "the value of mentions found, minus the cost of errors (ACE)",
        references: &["doddington-2004"],
        counts_singletons: true,
        matches_mentions: false,
        settings: &["ace", "ace-parameters"],
    }
}

pub(super) const MENTION_VALUE: MetricSpec = MetricSpec {
    info: &ACE_MENTION_VALUE,
    evidence: Evidence::Corpus {
        values: mention_values,
        fits: |format| format.can_express(Aspect::AceEntities),
    },
};

/// Values in units of 2⁻⁸⁰. A value is computed in floating point, from integers that do not depend on
/// the order of mentions, and rounded once. After that, only integers are added and compared, so the
/// order of documents has no effect either. ε² = 10⁻¹⁶, the smallest value under the rules, is 10⁸
/// units; values near 1 are as exact as a double. 10⁹ entities of the greatest weights fit.
type FixedPoint = i128;

const UNITS: f64 = (1u128 << 80) as f64;

fn units(value: f64) -> FixedPoint {
    (value * UNITS).round() as FixedPoint
}

fn number(units: FixedPoint) -> f64 {
    units as f64 / UNITS
}

/// The number and cost of a group of entities.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueCounts {
    /// Entities of the key, in each document.
    pub reference: u64,
    /// Unpaired entities of the response.
    pub false_alarm: u64,
    /// Unpaired entities of the key.
    pub miss: u64,
    /// Entities of the key that are paired with an entity of a different type, subtype, class or level.
    pub error: u64,
    value: FixedPoint,
    missed: FixedPoint,
    lost: FixedPoint,
    false_alarms: FixedPoint,
}

/// The scores and costs of a group of entities.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ValueRow {
    /// Recall and precision of unweighted counts of entities.
    pub unweighted: Score,
    /// The costs of false alarms, misses and errors, divided by the value of the key.
    pub costs: [f64; 3],
    /// The share of the key's value that remains.
    pub value: f64,
    /// Value recall, value precision and their harmonic mean.
    pub score: Score,
}

impl ValueCounts {
    fn add(&mut self, other: &ValueCounts) {
        self.reference += other.reference;
        self.false_alarm += other.false_alarm;
        self.miss += other.miss;
        self.error += other.error;
        self.value += other.value;
        self.missed += other.missed;
        self.lost += other.lost;
        self.false_alarms += other.false_alarms;
    }

    /// Returns the scores and costs that follow from the sums.
    pub fn row(&self) -> ValueRow {
        let kept = self.value - self.missed - self.lost;
        let correct = self.reference - self.miss - self.error;
        let plain = |of: u64| if of == 0 { 0.0 } else { correct as f64 / of as f64 };
        let costs = [self.false_alarms, self.missed, self.lost];
        ValueRow {
            unweighted: Score::new(plain(self.reference), plain(correct + self.error + self.false_alarm)),
            costs: costs.map(|cost| limited(cost, self.value)),
            value: limited(kept - self.false_alarms, self.value),
            score: {
                let of = |all: FixedPoint| if all == 0 { 0.0 } else { number(kept.max(0)) / number(all) };
                let (recall, precision) = (of(self.value), of(self.value - self.missed + self.false_alarms));
                Score { recall, precision, f1: harmonic_mean(recall, precision) }
            },
        }
    }

    /// Returns counts that add up over documents. The first pair has, for recall, the value found over the value of the
    /// key, and for precision the value found over itself plus false alarms. The second pair has the costs of errors
    /// and of false alarms.
    pub fn tally(&self) -> Tally {
        // Keeps 62 of the 80 binary digits of values.
        let add = |sum: &mut FractionSum, value: FixedPoint| {
            sum.add_fraction(u128::try_from(value).unwrap_or(0) >> 18, 1 << 62);
        };
        let mut tally = Tally::default();
        let found = self.value - self.missed;
        add(&mut tally.first.recall_num, found);
        add(&mut tally.first.recall_den, self.value);
        add(&mut tally.first.precision_num, found);
        add(&mut tally.first.precision_den, found + self.false_alarms);
        // Confusion weights set by the user may make a pair worth more than the key's own value.
        add(&mut tally.second.recall_num, self.lost);
        add(&mut tally.second.recall_den, -self.lost);
        add(&mut tally.second.precision_num, self.false_alarms);
        tally
    }

    /// Returns the value of the group as a share of the value of all.
    pub fn share(&self, all: &ValueCounts) -> f64 {
        if all.value == 0 { 0.0 } else { number(self.value) / number(all.value) }
    }
}

/// Returns value recall, value precision and ACE-value (instead of F1) from sums of [`ValueCounts::tally`].
pub(super) fn score_of(tally: &RealTally) -> Score {
    let RealTally { first, second } = tally;
    let kept = first.recall_num - second.recall_num + second.recall_den;
    let ratio = |part: f64, whole: f64| if whole == 0.0 { 0.0 } else { part / whole };
    let value = match (kept - second.precision_num, first.recall_den) {
        (0.0, 0.0) => 0.0,
        (part, 0.0) => LIMIT.copysign(part),
        (part, whole) => (part / whole).clamp(-LIMIT, LIMIT),
    };
    let kept = kept.max(0.0);
    Score { recall: ratio(kept, first.recall_den), precision: ratio(kept, first.precision_den), f1: value }
}

/// The largest ratio that is shown.
const LIMIT: f64 = 9.999;

fn limited(part: FixedPoint, whole: FixedPoint) -> f64 {
    match (part, whole) {
        (0, 0) => 0.0,
        (part, 0) => LIMIT.copysign(part as f64),
        (part, whole) => (number(part) / number(whole)).clamp(-LIMIT, LIMIT),
    }
}

/// The groupings of the rows of a [`ValueTable`]; the first is shown.
pub const VALUE_GROUPS: [&str; 6] = ["type", "level", "class", "subtype", "source", "mentions"];

/// The label of entities without a type.
pub(crate) const UNTYPED: &str = "NONE";

/// The counts of a corpus, by group, and of each document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueTable {
    /// All entities.
    pub total: ValueCounts,
    /// For each of [`VALUE_GROUPS`], the groups in order of their names. A pair counts in the groups of the key's
    /// entity.
    pub groups: [BTreeMap<String, ValueCounts>; VALUE_GROUPS.len()],
}

impl ValueTable {
    /// Returns the value recall, value precision and their harmonic mean of all.
    pub fn score(&self) -> Score {
        self.total.row().score
    }

    fn add(&mut self, names: &[String; VALUE_GROUPS.len()], counts: &ValueCounts) {
        self.total.add(counts);
        for (groups, name) in self.groups.iter_mut().zip(names) {
            groups.entry(name.clone()).or_default().add(counts);
        }
    }
}

/// The tables of a corpus.
#[derive(Clone, Debug, Default)]
pub struct CorpusValues {
    /// The tally of all documents.
    pub corpus: ValueTable,
    /// The values of each pair of documents, although entities are paired over the corpus.
    pub documents: Vec<ValueTable>,
    /// The contributions of the entities of each document and side to the value; the key's first.
    entities: BTreeMap<(usize, bool, EntityId), FixedPoint>,
}

impl CorpusValues {
    /// Returns the contribution of each entity of a side to the value of the corpus, with the place of its document. An
    /// entity of the key contributes the value that was found; a false alarm contributes its cost, which is negative.
    /// Empty if the key has no value.
    pub fn contributions(&self, side: Side) -> impl Iterator<Item = (usize, EntityId, f64)> {
        let whole = number(self.corpus.total.value);
        let entities = self.entities.iter().filter(move |_| whole != 0.0);
        let of_side =
            entities.filter(move |((_, of_response, _), _)| *of_response == (side == Side::Response));
        of_side.map(move |(&(document, _, entity), &worth)| (document, entity, number(worth) / whole))
    }
}

fn entity_values(pairs: &[DocumentPair<'_>], settings: &Settings) -> CorpusValues {
    values(pairs, settings, PairedUnit::Entity)
}

fn mention_values(pairs: &[DocumentPair<'_>], settings: &Settings) -> CorpusValues {
    values(pairs, settings, PairedUnit::Mention)
}

/// The units to pair.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PairedUnit {
    Entity,
    Mention,
}

fn values(pairs: &[DocumentPair<'_>], settings: &Settings, unit: PairedUnit) -> CorpusValues {
    let parameters = AceParameters::new(settings.ace, &settings.ace_changes);
    let rules = ValueRules { parameters: &parameters };
    let mut texts = Vec::new();
    for (document, pair) in pairs.iter().enumerate() {
        // Characters if both sides have them, otherwise words.
        let characters =
            [Some(pair.key), pair.response].into_iter().flatten().all(|side| !side.ace().is_empty());
        let key = sections(pair.key, characters);
        let response = pair.response.map(|side| sections(side, characters)).unwrap_or_default();
        let mut response = response.into_iter();
        texts.extend(
            key.into_iter().map(|key| (document, !characters, key, response.next().unwrap_or_default())),
        );
    }
    let mut names = [NumberedEntities::default(), NumberedEntities::default()];
    let mut solver = Solver::new();
    let texts: Vec<TextElements<'_>> = texts
        .iter()
        .map(|(document, alone, key, response)| {
            let pair = &pairs[*document];
            let place = (*document, *alone);
            let key = names[0].elements(Some(pair.key), key, unit, place, &rules);
            let response = names[1].elements(pair.response, response, unit, place, &rules);
            TextElements::new(*document, key, response, &rules, &mut solver)
        })
        .collect();

    // The gain of each pair of entities over leaving both unpaired, summed over texts.
    let mut edges: BTreeMap<(u32, u32), FixedPoint> = BTreeMap::new();
    for text in &texts {
        for found in &text.found {
            let (row, column) = (text.key[found.key].number, text.response[found.response].number);
            *edges.entry((row, column)).or_default() += found.gain;
        }
    }
    let edges: Vec<_> =
        edges.into_iter().map(|((row, column), weight)| Edge { row, column, weight }).collect();
    let best = maximum_weight(names[0].count(), names[1].count(), &edges);
    let mut partner: Vec<Option<u32>> = vec![None; names[0].count()];
    best.pairs.iter().for_each(|&(row, column)| partner[row as usize] = Some(column));

    let mut values =
        CorpusValues { documents: vec![ValueTable::default(); pairs.len()], ..Default::default() };
    for text in &texts {
        text.count(&partner, &rules, |side, element, counts| {
            let names = element.names();
            values.corpus.add(&names, counts);
            values.documents[text.document].add(&names, counts);
            let place = (text.document, side == Side::Response, element.entity.entity);
            *values.entities.entry(place).or_default() +=
                counts.value - counts.missed - counts.lost - counts.false_alarms;
        });
    }
    values
}

/// Returns the annotation of a document in characters, or otherwise in words.
fn sections(document: &Document, characters: bool) -> Vec<Cow<'_, AceSection>> {
    match characters {
        true => document.ace().iter().map(Cow::Borrowed).collect(),
        false => vec![Cow::Owned(from_words(document))],
    }
}

/// The numbers of the entities of one side, over the corpus.
#[derive(Default)]
struct NumberedEntities<'a> {
    numbers: FxHashMap<(Option<usize>, &'a str), u32>,
    next: u32,
}

impl<'a> NumberedEntities<'a> {
    fn count(&self) -> usize {
        self.next as usize
    }

    /// Returns the entities of a text. Names are local to the document unless the format defines them for the corpus.
    fn elements(
        &mut self,
        document: Option<&'a Document>,
        section: &'a AceSection,
        unit: PairedUnit,
        (place, alone): (usize, bool),
        rules: &ValueRules<'_>,
    ) -> Vec<Valued<'a>> {
        let mut elements = Vec::new();
        for entity in &section.entities {
            match unit {
                PairedUnit::Entity => {
                    let name = document.map_or("", |document| document.entity_name(entity.entity));
                    let number = *self.numbers.entry((alone.then_some(place), name)).or_insert(self.next);
                    self.next = self.next.max(number + 1);
                    elements.push(Valued::new(number, section, entity, &entity.mentions, rules));
                }
                PairedUnit::Mention => {
                    for mention in &entity.mentions {
                        let mentions = std::slice::from_ref(mention);
                        elements.push(Valued::new(self.next, section, entity, mentions, rules));
                        self.next += 1;
                    }
                }
            }
        }
        elements
    }
}

/// An entity in a text, or a mention that counts as one.
struct Valued<'a> {
    number: u32,
    entity: &'a AceEntity,
    mentions: &'a [AceMention],
    source: &'a str,
    level: AceMentionType,
    /// The weight of type and class.
    weight: f64,
    /// The value of each mention paired with itself, and their sum.
    own: Vec<FixedPoint>,
    sum: FixedPoint,
}

impl<'a> Valued<'a> {
    fn new(
        number: u32,
        section: &'a AceSection,
        entity: &'a AceEntity,
        mentions: &'a [AceMention],
        rules: &ValueRules<'_>,
    ) -> Valued<'a> {
        // The largest weight; the first of equal ones.
        let levels = AceMentionType::ALL.into_iter().rev();
        let levels = levels.filter(|&kind| mentions.iter().any(|mention| mention.kind == kind));
        let level = levels.max_by(|a, b| rules.mention(*a).total_cmp(&rules.mention(*b)));
        let own: Vec<FixedPoint> =
            mentions.iter().map(|mention| units(rules.mention(mention.kind) + EPSILON)).collect();
        let parameters = rules.parameters;
        Valued {
            number,
            entity,
            mentions,
            source: &section.source,
            level: level.unwrap_or(AceMentionType::Nam),
            weight: parameters.of_type(&entity.kind) * parameters.of_class(entity.class.as_deref()),
            sum: own.iter().sum(),
            own,
        }
    }

    /// Returns the groups it counts in, in the order of [`VALUE_GROUPS`].
    fn names(&self) -> [String; VALUE_GROUPS.len()] {
        let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".to_owned());
        let mentions = match self.mentions.len() {
            count @ (1 | 2) => count.to_string(),
            count => {
                // 3–4, 5–8, 9–16, …
                let most = count.next_power_of_two();
                format!("{}-{most}", most / 2 + 1)
            }
        };
        let source = if self.source.is_empty() { "none" } else { self.source };
        [
            self.entity.kind.clone(),
            self.level.id().to_owned(),
            text(&self.entity.class),
            text(&self.entity.subtype),
            source.to_owned(),
            mentions,
        ]
    }

    /// Returns whether the pair counts as an error: type, subtype, class or level differ.
    fn differs(&self, other: &Valued<'_>) -> bool {
        let (ours, theirs) = (self.entity, other.entity);
        self.level != other.level
            || (&ours.kind, &ours.subtype, &ours.class) != (&theirs.kind, &theirs.subtype, &theirs.class)
    }
}

/// The way in which mentions determine the value of an entity.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Weighting {
    /// The level, shared among the mentions.
    Level,
    /// The sum of the mentions.
    Mentions,
}

/// The parameters, as the rules use them.
struct ValueRules<'p> {
    parameters: &'p AceParameters,
}

impl ValueRules<'_> {
    fn mention(&self, kind: AceMentionType) -> f64 {
        self.parameters.get(match kind {
            AceMentionType::Nam => AceName::Nam,
            AceMentionType::Nom => AceName::Nom,
            AceMentionType::Pro => AceName::Pro,
        })
    }

    /// Returns whether false-alarm mentions cost their value in the response's entity (2007 and later).
    fn own_costs(&self) -> bool {
        matches!(self.parameters.rules, AceRules::Of2007 | AceRules::Of2008)
    }

    /// Returns the quantity that the pairing of entities maximises.
    fn pairing(&self) -> Weighting {
        match self.parameters.rules {
            AceRules::Of2008 => Weighting::Mentions,
            _ => Weighting::Level,
        }
    }

    /// Returns the value of two mentions whose heads overlap enough.
    fn mentions(
        &self,
        key: (&AceEntity, &AceMention),
        response: (&AceEntity, &AceMention),
    ) -> Option<FixedPoint> {
        let (ours, theirs) = (key.1.head.as_ref()?, response.1.head.as_ref()?);
        let (a, b) = (&ours.characters, &theirs.characters);
        let shared = a.end.min(b.end).saturating_sub(a.start.max(b.start));
        let overlap = f64::from(shared) / f64::from((a.end - a.start).max(b.end - b.start).max(1));
        let least_text = self.parameters.get(AceName::Text);
        if overlap < self.parameters.get(AceName::Overlap)
            || least_text > 0.0 && text_agreement(&ours.text, &theirs.text) < least_text
        {
            return None;
        }
        let place = |kind: AceMentionType| match kind {
            AceMentionType::Nam => 0,
            AceMentionType::Nom => 1,
            AceMentionType::Pro => 2,
        };
        let confusion = self.parameters.confusion(place(key.1.kind), place(response.1.kind));
        let weight = confusion.unwrap_or_else(|| self.mention(key.1.kind).min(self.mention(response.1.kind)));
        let role = |(entity, mention): (&'_ AceEntity, &'_ AceMention)| -> String {
            mention.role.as_ref().unwrap_or(&entity.kind).clone()
        };
        let differs = [
            (AceName::MentionType, key.1.kind != response.1.kind && confusion.is_none()),
            (AceName::Role, role(key) != role(response)),
            (AceName::Style, key.1.metonymic != response.1.metonymic),
        ];
        let kept = differs.iter().filter(|(_, differs)| *differs).map(|(name, _)| self.parameters.get(*name));
        Some(units(kept.fold(weight + overlap * EPSILON, |value, factor| value * factor)))
    }

    /// Returns the value of two entities without the value of their mentions; `factor` multiplies the weights.
    fn entities(&self, key: &Valued<'_>, response: &Valued<'_>, factor: f64) -> f64 {
        let (ours, theirs) = (key.entity, response.entity);
        let differs = [
            (AceName::Type, ours.kind != theirs.kind),
            (AceName::Subtype, ours.subtype != theirs.subtype),
            (AceName::Class, ours.class != theirs.class),
        ];
        let kept = differs.iter().filter(|(_, differs)| *differs).map(|(name, _)| self.parameters.get(*name));
        kept.fold((key.weight.min(response.weight) * factor).max(EPSILON), |value, factor| value * factor)
    }

    /// Returns the value of a mention within its entity.
    fn norm(&self, value: f64, element: &Valued<'_>, weighting: Weighting) -> f64 {
        match weighting {
            Weighting::Level => value * self.mention(element.level) / number(element.sum),
            Weighting::Mentions => value,
        }
    }

    /// Returns the value of a key entity paired with itself.
    fn own_value(&self, key: &Valued<'_>) -> FixedPoint {
        let value = self.entities(key, key, 1.0);
        if self.own_costs() {
            let norm = self.norm(value, key, Weighting::Level);
            return key.own.iter().map(|&own| units(norm * number(own))).sum();
        }
        units(value * self.mention(key.level))
    }

    /// Returns the cost of each unpaired mention of a response entity; positive.
    fn mention_costs(
        &self,
        response: &Valued<'_>,
        matched: &[bool],
        weighting: Weighting,
    ) -> Vec<FixedPoint> {
        let factor = |matched: bool| if matched { self.parameters.get(AceName::Matched) } else { 1.0 };
        let share = if self.own_costs() {
            let norm = self.norm(self.entities(response, response, 1.0), response, weighting);
            self.parameters.get(AceName::EntityFalseAlarm) * norm
        } else {
            self.parameters.get(AceName::MentionFalseAlarm)
        };
        let costs = response.own.iter().zip(matched);
        costs.map(|(&own, &matched)| units(share * number(own) * factor(matched))).collect()
    }

    /// Returns the cost of an unpaired response entity; positive.
    fn false_alarm(&self, response: &Valued<'_>, matched: &[bool], weighting: Weighting) -> FixedPoint {
        if self.own_costs() {
            return self.mention_costs(response, &vec![false; matched.len()], weighting).iter().sum();
        }
        let costs: FixedPoint = self.mention_costs(response, matched, weighting).iter().sum();
        let value = self.entities(response, response, self.parameters.get(AceName::EntityFalseAlarm));
        units(value * self.mention(response.level) * (number(costs) / number(response.sum)))
    }

    /// Returns the value of two entities under the best pairing of their mentions.
    fn value(
        &self,
        key: &Valued<'_>,
        response: &Valued<'_>,
        candidates: &[MentionCandidate],
        costs: &[FixedPoint],
        weighting: Weighting,
        solver: &mut Solver<FixedPoint>,
    ) -> FixedPoint {
        let value = self.entities(key, response, 1.0);
        let norm = self.norm(value, key, weighting);
        let worth = |candidate: &MentionCandidate| match self.own_costs() {
            true => units(norm * number(candidate.worth)),
            false => candidate.worth,
        };
        let edges: Vec<Edge<FixedPoint>> = candidates
            .iter()
            .map(|candidate| Edge {
                row: candidate.key_mention,
                column: candidate.response_mention,
                weight: worth(candidate) + costs[candidate.response_mention as usize],
            })
            .collect();
        // A paired mention counts through its edge and has no cost.
        let total = solver.solve(&edges, &mut Vec::new()) - costs.iter().sum::<FixedPoint>();
        if self.own_costs() {
            return total;
        }
        let level = self.mention(key.level).min(self.mention(response.level));
        units(value * level * (number(total) / number(key.sum)))
    }
}

/// Two mentions that may correspond to each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct MentionCandidate {
    key: usize,
    response: usize,
    key_mention: u32,
    response_mention: u32,
    worth: FixedPoint,
}

/// Two entities with mentions that may correspond to each other.
struct EntityPair {
    key: usize,
    response: usize,
    /// The gain over leaving both unpaired, which the pairing of entities maximises.
    gain: FixedPoint,
    value: FixedPoint,
}

/// The elements of both sides of one text.
struct TextElements<'a> {
    document: usize,
    key: Vec<Valued<'a>>,
    response: Vec<Valued<'a>>,
    /// In order of key, then response.
    found: Vec<EntityPair>,
    /// The cost of each unpaired element of the response.
    false_alarms: Vec<FixedPoint>,
}

impl<'a> TextElements<'a> {
    fn new(
        document: usize,
        key: Vec<Valued<'a>>,
        response: Vec<Valued<'a>>,
        rules: &ValueRules<'_>,
        solver: &mut Solver<FixedPoint>,
    ) -> TextElements<'a> {
        let candidates = candidates(&key, &response, rules);
        let mut matched: Vec<Vec<bool>> =
            response.iter().map(|side| vec![false; side.mentions.len()]).collect();
        for candidate in &candidates {
            matched[candidate.response][candidate.response_mention as usize] = true;
        }
        let costs = |weighting: Weighting| -> (Vec<Vec<FixedPoint>>, Vec<FixedPoint>) {
            let sides = || response.iter().zip(&matched);
            let mentions = sides().map(|(side, matched)| rules.mention_costs(side, matched, weighting));
            let whole = sides().map(|(side, matched)| rules.false_alarm(side, matched, weighting));
            (mentions.collect(), whole.collect())
        };
        let (mention_costs, false_alarms) = costs(Weighting::Level);
        let by_mentions = (rules.pairing() == Weighting::Mentions).then(|| costs(Weighting::Mentions));
        let same = |a: &MentionCandidate, b: &MentionCandidate| (a.key, a.response) == (b.key, b.response);
        let found = candidates.chunk_by(same).map(|group| {
            let (ours, theirs) = (group[0].key, group[0].response);
            let (a, b) = (&key[ours], &response[theirs]);
            let value = rules.value(a, b, group, &mention_costs[theirs], Weighting::Level, solver);
            let gain = match &by_mentions {
                None => value + false_alarms[theirs],
                Some((mentions, whole)) => {
                    let weighting = Weighting::Mentions;
                    rules.value(a, b, group, &mentions[theirs], weighting, solver) + whole[theirs]
                }
            };
            EntityPair { key: ours, response: theirs, gain, value }
        });
        let found = found.collect();
        TextElements { document, key, response, found, false_alarms }
    }

    /// Counts the elements, where `partner` has the response's entity for each of the key's.
    fn count(
        &self,
        partner: &[Option<u32>],
        rules: &ValueRules<'_>,
        mut add: impl FnMut(Side, &Valued<'_>, &ValueCounts),
    ) {
        let mut pairs: Vec<Option<&EntityPair>> = vec![None; self.key.len()];
        let mut taken = vec![false; self.response.len()];
        for found in &self.found {
            if partner[self.key[found.key].number as usize] == Some(self.response[found.response].number) {
                pairs[found.key] = Some(found);
                taken[found.response] = true;
            }
        }
        let least = units(rules.parameters.get(AceName::Cost));
        for (key, pair) in self.key.iter().zip(pairs) {
            let value = rules.own_value(key);
            let mut counts = ValueCounts { reference: 1, value, ..ValueCounts::default() };
            match pair {
                Some(found) => {
                    counts.error = u64::from(key.differs(&self.response[found.response]));
                    counts.lost = Some(value - found.value).filter(|&lost| lost >= least).unwrap_or(0);
                }
                None => (counts.miss, counts.missed) = (1, value),
            }
            add(Side::Key, key, &counts);
        }
        for ((response, taken), &cost) in self.response.iter().zip(taken).zip(&self.false_alarms) {
            if !taken {
                let counts = ValueCounts { false_alarm: 1, false_alarms: cost, ..ValueCounts::default() };
                add(Side::Response, response, &counts);
            }
        }
    }
}

/// Returns all mentions of both sides that may correspond to each other, in order. Sweeps heads from left to right, so
/// that only heads that share a character are compared.
fn candidates(key: &[Valued<'_>], response: &[Valued<'_>], rules: &ValueRules<'_>) -> Vec<MentionCandidate> {
    type HeadPlace = (u32, u32, usize, u32);
    let places = |side: &[Valued<'_>]| -> Vec<HeadPlace> {
        let mut places: Vec<HeadPlace> = Vec::new();
        for (number, element) in side.iter().enumerate() {
            for (place, mention) in (0..).zip(element.mentions) {
                if let Some(AceHead { characters, .. }) = &mention.head {
                    places.push((characters.start, characters.end, number, place));
                }
            }
        }
        places.sort_unstable();
        places
    };
    let (ours, theirs) = (places(key), places(response));
    let mut candidates = Vec::new();
    let mut compare = |a: &HeadPlace, b: &HeadPlace| {
        let mentions = (&key[a.2].mentions[a.3 as usize], &response[b.2].mentions[b.3 as usize]);
        let worth = rules.mentions((key[a.2].entity, mentions.0), (response[b.2].entity, mentions.1));
        candidates.extend(worth.map(|worth| MentionCandidate {
            key: a.2,
            response: b.2,
            key_mention: a.3,
            response_mention: b.3,
            worth,
        }));
    };
    let (mut open_ours, mut open_theirs): (Vec<HeadPlace>, Vec<HeadPlace>) = (Vec::new(), Vec::new());
    let (mut a, mut b) = (ours.iter().peekable(), theirs.iter().peekable());
    loop {
        let key_is_next = match (a.peek(), b.peek()) {
            (None, None) => break,
            (Some(this), Some(that)) => this.0 <= that.0,
            (this, None) => this.is_some(),
            (None, Some(_)) => false,
        };
        if key_is_next {
            let Some(this) = a.next() else { break };
            open_theirs.retain(|other| other.1 > this.0);
            open_theirs.iter().for_each(|other| compare(this, other));
            open_ours.push(*this);
        } else {
            let Some(that) = b.next() else { break };
            open_ours.retain(|other| other.1 > that.0);
            open_ours.iter().for_each(|other| compare(other, that));
            open_theirs.push(*that);
        }
    }
    candidates.sort_unstable();
    candidates
}

/// Returns the length of the longest run that two heads share in capitals, divided by the length of the longer head. If
/// both are ASCII, only letters and digits count.
fn text_agreement(key: &str, response: &str) -> f64 {
    let ascii = key.is_ascii() && response.is_ascii();
    let characters = |text: &str| -> Vec<char> {
        let upper = text.chars().flat_map(char::to_uppercase);
        upper.filter(|character| !ascii || character.is_ascii_alphanumeric()).collect()
    };
    let (key, response) = (characters(key), characters(response));
    if key == response {
        return 1.0;
    }
    let mut longest = 0u32;
    // For each place of the response, the run that ends there and with the key's character.
    let mut runs = vec![0u32; response.len() + 1];
    for ours in &key {
        for (place, theirs) in response.iter().enumerate().rev() {
            runs[place + 1] = if ours == theirs { runs[place] + 1 } else { 0 };
            longest = longest.max(runs[place + 1]);
        }
    }
    f64::from(longest) / key.len().max(response.len()) as f64
}

/// Returns the annotation of a format other than ACE's, in words.
fn from_words(document: &Document) -> AceSection {
    let words = document.words();
    let mut entities: Vec<AceEntity> = Vec::new();
    let mut places: Vec<Option<usize>> = vec![None; document.entities().len()];
    for mention in document.mentions() {
        let in_text = |word: u32| word - words.empty_nodes().partition_point(|&node| node < word) as u32;
        let span = mention.span();
        let (start, end) = mention.head().map_or((span.start(), span.end()), |head| (head, head + 1));
        let characters = in_text(start)..in_text(end);
        if characters.is_empty() || mention.parts().is_empty() {
            continue;
        }
        let kind = mention.attribute(ENTITY_TYPE).unwrap_or_default().to_uppercase();
        let place = *places[mention.entity().index()].get_or_insert_with(|| {
            entities.push(AceEntity {
                entity: mention.entity(),
                kind: String::new(),
                subtype: None,
                class: None,
                names: Vec::new(),
                mentions: Vec::new(),
            });
            entities.len() - 1
        });
        let entity = &mut entities[place];
        if entity.kind.is_empty() {
            entity.kind = kind;
        }
        entity.mentions.push(AceMention {
            kind: mention_type(mention.attribute(MENTION_TYPE).unwrap_or_default()),
            role: None,
            metonymic: false,
            head: Some(AceHead { characters, text: String::new() }),
        });
    }
    for entity in entities.iter_mut().filter(|entity| entity.kind.is_empty()) {
        entity.kind = UNTYPED.to_owned();
    }
    AceSection { source: document.genre().unwrap_or_default().to_owned(), entities }
}

fn mention_type(written: &str) -> AceMentionType {
    let written = written.to_uppercase();
    if written.starts_with("NOM") {
        AceMentionType::Nom
    } else if written.starts_with("PRO") && !written.starts_with("PROP") {
        AceMentionType::Pro
    } else {
        AceMentionType::Nam
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_agree_by_their_longest_run() {
        for (key, response, agreement) in [
            ("Lisbon", "lisbon", 1.0),
            ("U.S.", "US", 1.0),
            ("...", "", 1.0),
            ("Lisbon", "...", 0.0),
            ("minister", "ministe", 7.0 / 8.0),
            ("abcxabcd", "abcd", 0.5),
            ("Łódź", "Łódz", 0.75),
        ] {
            assert_eq!(text_agreement(key, response), agreement, "{key} {response}");
            assert_eq!(text_agreement(response, key), agreement, "{response} {key}");
        }
    }

    #[test]
    fn types_of_mentions_are_read_in_any_spelling() {
        use AceMentionType::{Nam, Nom, Pro};
        for (written, kind) in [
            ("PROP", Nam),
            ("NAM", Nam),
            ("NOM", Nom),
            ("nominal", Nom),
            ("PRON", Pro),
            ("PRO", Pro),
            ("", Nam),
        ] {
            assert_eq!(mention_type(written), kind, "{written}");
        }
    }
}
