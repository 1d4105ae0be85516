//! The metrics: one file each, one row each in [`METRICS`].
//!
//! Metrics that compare entities are in [`corefeval_metrics`]; this module adds those that need more: the words of
//! mentions, names, relations, or all documents at once. A [`Metric`] is a row together with its parameters; it has
//! one spelling (`b_cubed:weight=entity`), which is typed, printed and used as the key in JSON.

mod ace_value;
mod bridging;
mod cone;
mod links_as_written;
mod mention_overlap;
mod non_referring;
mod zero_anaphora;

use std::fmt;
use std::ops::Deref;

use corefeval_metrics::aligned::AlignedEntities;
pub use corefeval_metrics::shares::MentionShare;
use corefeval_metrics::shares::Shares;
use corefeval_metrics::weighed::WeightNeeds;
use corefeval_metrics::{
    BestMaps, CONLL_METRIC, ENTITY_METRICS, MENTIONS_METRIC, MeanMetric, PairsAcross, needs_entities_alone,
};
pub use corefeval_metrics::{
    EntityMetric, EntityPairView, MetricInfo, ObjectMap, ParameterSpec, Side, SingleEntityView, Variant,
    ceaf_of_objects, ceaf_with, find, metric_info,
};

pub(crate) use self::ace_value::UNTYPED;
pub use self::ace_value::{CorpusValues, VALUE_GROUPS, ValueCounts, ValueRow, ValueTable};
use crate::bibliography::with_references;
use crate::error::{Error, ErrorKind, Result};
use crate::formats::FormatSpec;
use crate::matching::MentionTable;
use crate::model::Document;
use crate::overlap::AlignedPair;
use crate::pairing::DocumentPair;
use crate::profiles::Profile;
use crate::settings::{Entities, Halves, Rules, Settings};
use crate::suggest::nearest;
use corefeval_metrics::tally::{RealTally, Score, Tally};

/// One row of the table of metrics. Dereferences to the metric's description.
#[derive(Clone, Copy, Debug)]
pub struct MetricSpec {
    /// The names, help and properties of the metric.
    pub info: &'static MetricInfo,
    /// The data that it is computed from.
    evidence: Evidence,
}

impl MetricSpec {
    /// Returns the page about the metric for readers: in Markdown, with complete references.
    pub fn explanation(&self) -> String {
        with_references(&self.page())
    }
}

impl Deref for MetricSpec {
    type Target = MetricInfo;

    fn deref(&self) -> &MetricInfo {
        self.info
    }
}

/// The data that a metric is computed from.
#[derive(Clone, Copy)]
enum Evidence {
    /// The entities of one document.
    Entities(&'static EntityMetric),
    /// The entities of one document, pruned to their named mentions.
    Named {
        /// The function that computes it.
        metric: &'static EntityMetric,
        /// The score of a single key entity, in a line.
        entity_score: &'static str,
    },
    /// The aligned mentions of one document with their words, which only some formats have.
    Mentions {
        /// Adds the counts of one document.
        tally: fn(&MentionTable, &Variant, &mut Tally),
        /// Returns whether the metric is among all metrics of a format.
        fits: fn(&FormatSpec) -> bool,
        /// Returns whether a document has the annotation that the metric counts. If one lacks it, the metric is undefined
        /// for all.
        possible: fn(&Document) -> bool,
        /// True if it counts mentions by their words or entities, and not other annotation, such as bridging.
        of_entities: bool,
    },
    /// All documents at once, because an entity may have mentions in several.
    Corpus {
        /// The values, with a table for each document.
        values: fn(&[DocumentPair<'_>], &Settings) -> CorpusValues,
        /// Returns whether the metric is among all metrics of a format.
        fits: fn(&FormatSpec) -> bool,
    },
    /// The F1 of other metrics, averaged.
    Mean(&'static MeanMetric),
}

impl fmt::Debug for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Evidence::Entities(_) => "Entities",
            Evidence::Named { .. } => "Named",
            Evidence::Mentions { .. } => "Mentions",
            Evidence::Corpus { .. } => "Corpus",
            Evidence::Mean(_) => "Mean",
        })
    }
}

/// All metrics, in the order in which they are shown: entity metrics, then the others.
pub static METRICS: &[MetricSpec] = &ALL;

/// The metrics that need more than entities, or average other metrics.
const OTHERS: &[MetricSpec] = &[
    MetricSpec { info: CONLL_METRIC.info, evidence: Evidence::Mean(&CONLL_METRIC) },
    mention_overlap::METRIC,
    zero_anaphora::METRIC,
    non_referring::METRIC,
    bridging::METRIC,
    links_as_written::METRIC,
    cone::B_CUBED,
    cone::CEAF,
    ace_value::VALUE,
    ace_value::MENTION_VALUE,
];

static ALL: [MetricSpec; ENTITY_METRICS.len() + OTHERS.len()] = {
    let mut rows = [OTHERS[0]; ENTITY_METRICS.len() + OTHERS.len()];
    let mut place = 0;
    while place < ENTITY_METRICS.len() {
        let metric = ENTITY_METRICS[place];
        rows[place] = MetricSpec { info: metric.info, evidence: Evidence::Entities(metric) };
        place += 1;
    }
    while place < rows.len() {
        rows[place] = OTHERS[place - ENTITY_METRICS.len()];
        place += 1;
    }
    rows
};

/// A row of [`METRICS`] with its parameters: a value with one spelling.
///
/// ```
/// use corefeval_core::metrics::Metric;
/// let metric = Metric::parse("b_cubed:weight=entity")?;
/// assert_eq!(metric.to_string(), "b_cubed:weight=entity");
/// assert_eq!(Metric::parse("b_cubed:weight=mention")?, Metric::parse("b_cubed")?);
/// // Names that other scorers use are accepted; the id is what is printed.
/// assert_eq!(Metric::parse("B3")?.to_string(), "b_cubed");
/// assert_eq!(Metric::parse("muk").unwrap_err().remedy().as_deref(), Some("did you mean `muc`?"));
/// # Ok::<(), corefeval_core::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Metric {
    spec: &'static MetricSpec,
    variant: Variant,
}

/// Returns the place of the metric to show if there is room for only one: the first mean of others, otherwise the
/// first.
pub fn headline<'m>(metrics: impl IntoIterator<Item = &'m Metric>) -> usize {
    metrics.into_iter().position(Metric::is_mean).unwrap_or(0)
}

/// Returns whether scores depend on which mentions are named.
pub fn need_names(settings: &Settings, metrics: &[Metric]) -> bool {
    settings.entities == Entities::Named || metrics.iter().any(Metric::needs_names)
}

impl Metric {
    /// Creates the metric of one row with the defaults of its parameters.
    pub fn new(spec: &'static MetricSpec) -> Metric {
        Metric { spec, variant: Variant::new(spec.info) }
    }

    /// Returns mention identification.
    pub fn mentions() -> Metric {
        Metric::of(Variant::new(MENTIONS_METRIC.info))
    }

    /// Parses `id` or `id:name=value:name=value`; the id may be any name of the metric.
    ///
    /// # Errors
    ///
    /// The metric, a parameter or a value does not exist.
    pub fn parse(text: &str) -> Result<Metric> {
        let infos = METRICS.iter().map(|spec| spec.info);
        let name = text.trim().split(':').next().unwrap_or_default();
        let variant = Variant::parse(infos.clone(), text).map_err(|error| {
            let names = infos.clone().flat_map(|info| info.aliases.iter().chain([&info.id, &info.label]));
            let known = infos.clone().any(|info| info.is_called(name));
            match nearest(name, names.copied()).filter(|_| !known) {
                Some(near) => {
                    let id = find(infos.clone(), near).map_or(near, |info| info.id);
                    Error::from(error).hint(format!("did you mean `{id}`?"))
                }
                None => error.into(),
            }
        })?;
        Ok(Metric::of(variant))
    }

    /// Returns the metric of a variant of one of the rows.
    fn of(variant: Variant) -> Metric {
        let row = METRICS.iter().find(|spec| std::ptr::eq(spec.info, variant.info()));
        let spec = row.unwrap_or_else(|| unreachable!("a variant of a row"));
        Metric { spec, variant }
    }

    /// Returns all metrics that a format has enough information for, with their defaults. Metrics of named mentions are
    /// excluded: the use of names is a separate choice.
    pub fn all_for(format: &str) -> Vec<Metric> {
        let format = FormatSpec::known(format);
        let fits = |spec: &&MetricSpec| match spec.evidence {
            Evidence::Mentions { fits, .. } | Evidence::Corpus { fits, .. } => format.is_some_and(fits),
            Evidence::Named { .. } => false,
            Evidence::Entities(_) | Evidence::Mean(_) => true,
        };
        METRICS.iter().filter(fits).map(Metric::new).collect()
    }

    /// Returns the metrics of a profile.
    ///
    /// # Errors
    ///
    /// A metric does not exist.
    pub fn of_profile(profile: &Profile) -> Result<Vec<Metric>> {
        profile.metrics.iter().map(|id| Metric::parse(id)).collect()
    }

    /// Returns the metrics of all mentions that CONE applies to named mentions, then the metrics of named mentions in the same
    /// order.
    pub fn all_and_named() -> [Vec<Metric>; 2] {
        let pair = |spec: &'static MetricSpec| match spec.evidence {
            Evidence::Named { metric, .. } => {
                Some((Metric::of(Variant::new(metric.info)), Metric::new(spec)))
            }
            _ => None,
        };
        let (all, named) = METRICS.iter().filter_map(pair).unzip();
        [all, named]
    }

    /// Returns the metrics that support weights, each by the whole table.
    pub fn weighted() -> Vec<Metric> {
        METRICS.iter().filter_map(|spec| Variant::weighted(spec.info)).map(Metric::of).collect()
    }

    /// Returns whether it is `other`, or `other` with parameters.
    pub(crate) fn is_variant_of(&self, other: &Metric) -> bool {
        self == other || (other.variant.is_plain() && std::ptr::eq(self.spec, other.spec))
    }

    /// Returns its row.
    pub fn spec(&self) -> &'static MetricSpec {
        self.spec
    }

    /// Returns the label for tables, with the parameters that differ from the default.
    pub fn label(&self) -> String {
        self.variant.label()
    }

    /// Returns whether it compares entities, or averages metrics that do. It may also need weights or the words of
    /// mentions; see [`needs_entities_alone`](Self::needs_entities_alone).
    pub fn compares_entities(&self) -> bool {
        matches!(self.spec.evidence, Evidence::Entities(_) | Evidence::Mean(_))
    }

    /// Returns whether it depends on the mentions of entities with their words and types, and on no other annotation,
    /// such as bridging or the classes of entities.
    pub fn depends_on_entities(&self) -> bool {
        !matches!(self.spec.evidence, Evidence::Mentions { of_entities: false, .. } | Evidence::Corpus { .. })
    }

    /// Returns whether it needs the aligned mentions themselves.
    pub fn needs_mentions(&self) -> bool {
        matches!(self.spec.evidence, Evidence::Mentions { .. })
    }

    /// Returns whether it depends on which mentions are named.
    pub fn needs_names(&self) -> bool {
        matches!(self.spec.evidence, Evidence::Named { .. })
    }

    /// Returns whether it needs all documents at once. Its scores are then not ratios of sums over documents.
    pub fn needs_corpus(&self) -> bool {
        matches!(self.spec.evidence, Evidence::Corpus { .. })
    }

    /// Returns whether it needs the types of mentions and entities.
    pub fn needs_types(&self) -> bool {
        self.needs_corpus() || self.uses_weights()
    }

    /// Checks that it needs no more than the entities of key and response.
    ///
    /// # Errors
    ///
    /// It needs words, names, types or weights.
    pub fn needs_entities_alone(&self) -> Result<()> {
        let needs = match self.spec.evidence {
            Evidence::Entities(_) | Evidence::Mean(_) => return Ok(needs_entities_alone(&self.variant)?),
            Evidence::Named { .. } => "to know which mentions are names",
            Evidence::Mentions { .. } => "documents with the words of mentions",
            Evidence::Corpus { .. } => "documents with the types of entities",
        };
        let message = format!("`{self}` needs {needs}, which partitions do not have");
        Err(Error::new(ErrorKind::Settings, message).hint("score documents"))
    }

    /// Returns whether `document` has the annotation that it counts.
    pub fn is_possible(&self, document: &Document) -> bool {
        match self.spec.evidence {
            Evidence::Mentions { possible, .. } => possible(document),
            _ => true,
        }
    }

    /// Returns whether it uses the weights of types (`--weights`).
    pub fn uses_weights(&self) -> bool {
        self.variant.uses_weights()
    }

    /// Returns whether aligned mentions with different words count the share of the words that both have.
    pub fn credits_words(&self) -> bool {
        self.variant.credits_words()
    }

    /// Returns whether its score measures agreement beyond chance; chance is subtracted from its counts.
    pub(crate) fn is_above_chance(&self) -> bool {
        matches!(self.spec.evidence, Evidence::Entities(metric) if metric.is_above_chance())
    }

    /// Returns whether it maps entities to each other, so that weights of pairs of types matter.
    pub fn maps_entities(&self) -> bool {
        matches!(self.spec.evidence, Evidence::Entities(metric) if metric.maps_entities())
    }

    /// Returns the data on mentions and entities that it needs in addition to the overlap table.
    pub(crate) fn weight_needs(&self) -> WeightNeeds {
        self.variant.weight_needs()
    }

    /// Returns the names of its two counts, if it has two that reports show.
    pub fn halves(&self) -> Option<[&'static str; 2]> {
        match self.spec.evidence {
            Evidence::Entities(metric) => metric.halves,
            _ => None,
        }
    }

    /// Returns the halves that count, for a metric that has two: by its own parameter, otherwise by the rules.
    pub(crate) fn blanc_halves(&self, rules: &Rules) -> Halves {
        match self.variant.value("halves") {
            1 => Halves::Key,
            2 => Halves::Either,
            3 => Halves::Scorch,
            _ => rules.blanc_halves,
        }
    }

    /// Returns its name in the CoNLL reference scorer, if that has it.
    pub fn reference_scorer(&self) -> Option<&'static str> {
        self.spec.reference_scorer.filter(|_| self.variant.is_plain())
    }

    /// Returns whether it is the mean of other metrics, which has only an F1.
    pub fn is_mean(&self) -> bool {
        matches!(self.spec.evidence, Evidence::Mean(_))
    }

    /// Returns the metrics whose F1 it averages, if it is a mean.
    pub fn parts(&self) -> Option<Vec<Metric>> {
        match self.spec.evidence {
            Evidence::Mean(mean) => {
                Some(mean.of.iter().map(|part| Metric::of(Variant::new(part.info))).collect())
            }
            _ => None,
        }
    }

    /// Adds its counts in one document to `into`. A mean and a metric of the whole corpus have no counts. A metric of
    /// mentions adds nothing if the pair has no [table](AlignedPair::table) of them, and a metric of names adds nothing
    /// without a [view](AlignedPair::named_view) of the named mentions; see [`needs_mentions`](Self::needs_mentions)
    /// and [`needs_names`](Self::needs_names).
    pub fn tally(&self, pair: &AlignedPair, into: &mut Tally) {
        match self.spec.evidence {
            Evidence::Entities(metric) => metric.tally(pair, &self.variant, into),
            Evidence::Named { metric, .. } => {
                let named = pair.named_view().into_iter();
                named.for_each(|named| metric.tally(named, &Variant::new(metric.info), into));
            }
            Evidence::Mentions { tally, .. } => {
                pair.table().into_iter().for_each(|table| tally(table, &self.variant, into));
            }
            Evidence::Corpus { .. } | Evidence::Mean(_) => {}
        }
    }

    /// Adds the counts that the parts of documents lack; see [`EntityMetric::tally_across`]. For metrics that compare
    /// entities.
    pub(crate) fn tally_across(&self, pairs: &PairsAcross, into: &mut Tally) {
        if let Evidence::Entities(metric) = self.spec.evidence {
            metric.tally_across(pairs, into);
        }
    }

    /// Returns the score of summed counts; 0 for a mean of other metrics, which has no counts. A metric of the whole
    /// corpus (see [`corpus_values`](Self::corpus_values)) has its value instead of F1.
    pub fn score(&self, tally: &Tally, rules: &Rules) -> Score {
        self.score_real(&tally.to_real(), rules)
    }

    /// Returns the score from summed counts in floating point.
    pub fn score_real(&self, tally: &RealTally, rules: &Rules) -> Score {
        match self.spec.evidence {
            Evidence::Entities(metric) => metric.score(tally, &self.variant, rules),
            Evidence::Named { .. } | Evidence::Mentions { .. } => tally.first.score(),
            Evidence::Corpus { .. } => ace_value::score_of(tally),
            Evidence::Mean(_) => Score::default(),
        }
    }

    /// Returns the upper bound of a score that was not searched to the end; see [`EntityMetric::upper_score`].
    pub fn upper_score(&self, tally: &Tally) -> Option<Score> {
        match self.spec.evidence {
            Evidence::Entities(metric) => metric.upper_score(tally),
            _ => None,
        }
    }

    /// Returns whether `--ceaf-bound` can turn its score, or one that it averages, into bounds.
    pub fn may_have_bounds(&self) -> bool {
        let own = |metric: &Metric| {
            metric.spec.info.settings.contains(&"ceaf-bound")
                && !metric.uses_weights()
                && !metric.credits_words()
        };
        self.parts().map_or_else(|| own(self), |parts| parts.iter().any(own))
    }

    /// Returns the values of all documents at once, if it needs them all.
    pub fn corpus_values(&self, pairs: &[DocumentPair<'_>], settings: &Settings) -> Option<CorpusValues> {
        match self.spec.evidence {
            Evidence::Corpus { values, .. } => Some(values(pairs, settings)),
            _ => None,
        }
    }

    /// Returns the contribution of a single mention to its counts; `None` if they are not sums over mentions.
    pub fn mention_share(&self) -> Option<&'static MentionShare> {
        match self.spec.evidence {
            Evidence::Entities(metric) => metric.mention_share(&self.variant),
            _ => None,
        }
    }

    /// Returns, for each pair of counts, the contribution of each mention of a side.
    pub(crate) fn shares(&self, pair: &AlignedPair, side: Side) -> Vec<Shares> {
        match self.spec.evidence {
            Evidence::Entities(metric) => metric.shares(pair, &self.variant, side),
            _ => Vec::new(),
        }
    }

    /// Returns the amount that an entity without mentions adds to a denominator in scorers written in Python; see
    /// [`EntityMetric::empty_entity`].
    pub fn empty_entity(&self) -> Option<i64> {
        match self.spec.evidence {
            Evidence::Entities(metric) => metric.empty_entity(&self.variant),
            _ => None,
        }
    }

    /// Returns whether a singleton has a link to itself; see [`EntityMetric::has_self_links`].
    pub fn has_self_links(&self) -> bool {
        matches!(self.spec.evidence, Evidence::Entities(metric) if metric.has_self_links())
    }

    /// Returns the best maps of the entities, if it pairs them; see [`EntityMetric::best_maps`].
    pub(crate) fn best_maps(&self, pair: &AlignedPair) -> Option<BestMaps> {
        match self.spec.evidence {
            Evidence::Entities(metric) => metric.best_maps(pair),
            _ => None,
        }
    }

    /// Returns whether it has scores by groups of mentions: single mentions have shares in its counts, or in the counts
    /// of all metrics that it averages.
    pub fn supports_mention_groups(&self) -> bool {
        match self.parts() {
            Some(parts) => parts.iter().all(|part| part.mention_share().is_some()),
            None => self.mention_share().is_some(),
        }
    }

    /// Returns the error if none of the metrics has scores by groups of mentions.
    pub fn without_mention_groups(by: &str) -> Error {
        let supporting = METRICS.iter().map(Metric::new).filter(Metric::supports_mention_groups);
        let ids: Vec<&str> = supporting.map(|metric| metric.spec.id).collect();
        Error::new(ErrorKind::Settings, format!("none of these metrics has a score by {by}"))
            .hint(format!("those that have one are {}; weights by type have none", ids.join(", ")))
    }

    /// Returns the score of a single key entity K, in one line.
    ///
    /// # Errors
    ///
    /// The metric has no score for a single entity.
    pub fn entity_score(&self) -> Result<&'static str> {
        self.entity_score_summary().ok_or_else(|| {
            let rows = METRICS.iter().map(Metric::new);
            let ids: Vec<&str> = rows
                .filter(|metric| metric.entity_score_summary().is_some())
                .map(|metric| metric.spec.id)
                .collect();
            Error::new(ErrorKind::Settings, format!("`{self}` has no score for a single entity"))
                .hint(format!("those that do are {}", ids.join(", ")))
        })
    }

    fn entity_score_summary(&self) -> Option<&'static str> {
        match self.spec.evidence {
            Evidence::Entities(metric) => metric.entity_score,
            Evidence::Named { entity_score, .. } => Some(entity_score),
            _ => None,
        }
    }

    /// Returns the score of each key entity; `None` for an entity without counts.
    pub fn entity_scores(&self, pair: &AlignedPair) -> Vec<Option<f64>> {
        self.of_entities(pair, EntityMetric::entity_scores)
    }

    /// Returns the lowest and the highest score of each key entity over all best maps: CEAF may have several. For all other
    /// metrics both are the score.
    pub fn entity_bounds(&self, pair: &AlignedPair) -> Vec<Option<[f64; 2]>> {
        self.of_entities(pair, EntityMetric::entity_bounds)
    }

    /// Returns a value for each key entity. With a metric of named mentions, entities without any have `None`.
    fn of_entities<T: Clone>(
        &self,
        pair: &AlignedPair,
        values: impl Fn(&EntityMetric, &AlignedEntities) -> Vec<Option<T>>,
    ) -> Vec<Option<T>> {
        match self.spec.evidence {
            Evidence::Entities(metric) => values(metric, pair),
            Evidence::Named { metric, .. } => {
                let mut all = vec![None; pair.recall_view().key_sizes().len()];
                let named = pair.named_view().map(|named| values(metric, named)).unwrap_or_default();
                for (&entity, value) in pair.named_entities().iter().zip(named) {
                    if let Some(place) = all.get_mut(entity as usize) {
                        *place = value;
                    }
                }
                all
            }
            _ => Vec::new(),
        }
    }
}

impl PartialEq for Metric {
    fn eq(&self, other: &Metric) -> bool {
        self.variant == other.variant
    }
}

impl Eq for Metric {}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.variant.fmt(f)
    }
}

impl fmt::Debug for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Metric({self})")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::bibliography::BIBLIOGRAPHY;
    use crate::overlap::align_entities;

    #[test]
    fn empty_entities_add_to_plain_metrics_of_python_scorers() {
        let of = |id: &str| Metric::parse(id).map(|metric| metric.empty_entity());
        assert_eq!(of("muc"), Ok(Some(-1)));
        assert_eq!(of("b_cubed"), Ok(Some(0)));
        assert_eq!(of("ceaf_e"), Ok(Some(1)));
        for other in ["b_cubed:weight=table", "blanc", "conll", "ace_value"] {
            assert_eq!(of(other), Ok(None), "{other}");
        }
    }

    #[test]
    fn rows_are_unique_and_complete() {
        let ids: BTreeSet<_> = METRICS.iter().map(|spec| spec.id).collect();
        let labels: BTreeSet<_> = METRICS.iter().map(|spec| spec.label).collect();
        assert_eq!((ids.len(), labels.len()), (METRICS.len(), METRICS.len()));
        for spec in METRICS {
            let page = spec.page();
            assert!(page.starts_with("# "), "{}: {page}", spec.id);
            let headings =
                ["What it measures", "Definition", "Edge cases", "Example", "References", "Other scorers"];
            let places = headings.map(|heading| page.find(&format!("\n## {heading}\n\n")));
            assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{}: {page}", spec.id);
            for key in spec.references {
                assert!(page.contains(&format!("`{key}`")), "{} lacks {key}", spec.id);
            }
            assert!(!spec.summary.is_empty() && !spec.references.is_empty(), "{}", spec.id);
            assert!(spec.parameters.len() <= corefeval_metrics::MAX_PARAMETERS, "{}", spec.id);
            for parameter in spec.parameters {
                assert!(parameter.values.len() >= 2, "{}:{}", spec.id, parameter.name);
            }
        }
    }

    #[test]
    fn explanations_have_their_references_in_full() {
        for spec in METRICS {
            let explanation = spec.explanation();
            for key in spec.references {
                let works = BIBLIOGRAPHY.iter().flat_map(|subject| subject.references);
                let work = works.into_iter().find(|work| work.key == *key);
                let work = work.unwrap_or_else(|| panic!("{}: {key} is not in the bibliography", spec.id));
                assert!(explanation.contains(&format!("\n- {}\n", work.text)), "{explanation}");
            }
            let is_key = |code: &str| {
                let year = code.rsplit_once('-').map_or("", |parts| parts.1);
                year.len() == 4 && year.parse::<u32>().is_ok()
            };
            let unknown = explanation.split('`').skip(1).step_by(2).find(|code| is_key(code));
            assert_eq!(unknown, None, "{} cites a work that the bibliography lacks", spec.id);
        }
    }

    #[test]
    fn every_spelling_reads_back() {
        for spec in METRICS {
            let mut spellings = vec![spec.id.to_owned()];
            for parameter in spec.parameters {
                let others = parameter.values[1..].iter();
                spellings.extend(others.map(|value| format!("{}:{}={value}", spec.id, parameter.name)));
            }
            for spelling in spellings {
                let metric = Metric::parse(&spelling).expect("a metric");
                assert_eq!((metric.to_string(), Metric::parse(&metric.to_string())), (spelling, Ok(metric)));
            }
        }
    }

    #[test]
    fn usual_names_are_accepted_and_ambiguous_ones_refused() {
        for (typed, meant) in [
            ("BCUBED", "b_cubed"),
            ("b3", "b_cubed"),
            ("B³", "b_cubed"),
            ("ceafe", "ceaf_e"),
            ("CEAF-m", "ceaf_m"),
            ("CEAF φ4", "ceaf_e"),
            ("ceaf_3", "ceaf_m"),
            ("ari", "adjusted_rand"),
            ("mor", "mention_overlap"),
            ("ACE", "ace_value"),
            ("Average", "conll"),
        ] {
            assert_eq!(
                Metric::parse(typed).map(|metric| metric.to_string()),
                Ok(meant.to_owned()),
                "{typed}"
            );
        }
        let parsed = Metric::parse("bcub:weight=entity").map(|metric| metric.to_string());
        assert_eq!(parsed, Ok("b_cubed:weight=entity".to_owned()));
        for spec in METRICS {
            for name in spec.aliases.iter().chain([&spec.label]) {
                match Metric::parse(name) {
                    Ok(metric) => assert_eq!(metric.spec().id, spec.id, "{name}"),
                    Err(error) => {
                        assert!(error.message().ends_with("names more than one metric"), "{name}: {error}");
                        assert!(error.remedy().is_some_and(|hint| hint.contains(spec.id)), "{name}: {error}");
                    }
                }
            }
        }
        assert_eq!(
            Metric::parse("CEAF").unwrap_err().to_string(),
            "`CEAF` names more than one metric\n  hint: choose `ceaf_m` (mentions in common under the best map of \
             entities) or `ceaf_e` (similarity of entities under the best map)"
        );
    }

    #[test]
    fn wrong_names_suggest_the_right_one() {
        for (typed, meant) in [("muk", "muc"), ("ceaf_ee", "ceaf_e"), ("leaf", "lea"), ("bcubbed", "b_cubed")]
        {
            let error = Metric::parse(typed).unwrap_err();
            assert_eq!(
                error.remedy().as_deref(),
                Some(format!("did you mean `{meant}`?").as_str()),
                "{typed}"
            );
        }
        let error = Metric::parse("lea:importance=colour").unwrap_err();
        assert_eq!(
            error.to_string(),
            "`colour` is not a valid value for `lea:importance`\n  hint: its values are `size`, `uniform`, \
             `mention-type`, `entity-type`, `table`"
        );
        assert!(Metric::parse("muc:weight=entity").unwrap_err().to_string().contains("takes no parameters"));
    }

    #[test]
    fn weights_are_known_from_the_parameters() {
        let weighted: Vec<String> = Metric::weighted().iter().map(Metric::to_string).collect();
        assert_eq!(
            weighted,
            ["b_cubed:weight=table", "ceaf_m:weight=table", "ceaf_e:weight=table", "lea:importance=table"]
        );
        for (id, weights, credit) in [
            ("b_cubed:weight=entity", false, false),
            ("b_cubed:weight=entity-type", true, false),
            ("lea:importance=mention-type:split=2", true, false),
            ("lea:split=2", false, false),
            ("ceaf_m:weight=table:credit=words", true, true),
            ("ceaf_e:credit=words", false, true),
        ] {
            let metric = Metric::parse(id).unwrap();
            assert_eq!((metric.uses_weights(), metric.credits_words()), (weights, credit), "{id}");
        }
    }

    #[test]
    fn metrics_report_what_they_need_beyond_entities() {
        for spec in METRICS {
            let metric = Metric::new(spec);
            let needs = metric.needs_mentions() || metric.needs_names() || metric.needs_corpus();
            assert_eq!(metric.needs_entities_alone().is_err(), needs, "{metric}");
        }
        for metric in Metric::weighted() {
            let error = metric.needs_entities_alone().unwrap_err();
            assert!(
                error.to_string().contains("a table of weights, which partitions do not have"),
                "{error}"
            );
        }
    }

    #[test]
    fn mentions_and_entities_have_the_scores_of_their_rows() {
        let shares = |id: &str| Metric::parse(id).expect("a metric").supports_mention_groups();
        assert!(shares("conll") && shares("lea:importance=uniform"));
        assert!(!shares("adjusted_rand") && !shares("ace_value") && !shares("ceaf_m:weight=mention-type"));
        let error = Metric::without_mention_groups("entity-size");
        assert!(error.remedy().is_some_and(|hint| hint.contains("conll")), "{error}");
        let error = Metric::parse("blanc").expect("a metric").entity_score().expect_err("it has none");
        assert!(error.remedy().is_some_and(|remedy| remedy.contains("b_cubed")), "{error}");
        // Key {a b c} {d e}, of which b, c and d are names; response {a b c d} {e}.
        let pair = align_entities(&[vec![0, 1, 2], vec![3, 4]], &[vec![0, 1, 2, 3], vec![4]]);
        let named = align_entities(&[vec![1, 2], vec![3]], &[vec![1, 2, 3]]);
        let alone = align_entities(&[vec![3]], &[vec![3]]);
        let scores = |id: &str, pair: &AlignedPair| Metric::parse(id).expect("a metric").entity_scores(pair);
        let both = pair.with_named(named, vec![0, 1]);
        assert_eq!(scores("cone_b_cubed", &both), [Some(1.0), Some(1.0)]);
        assert_eq!(scores("cone_ceaf", &both), [Some(1.0), Some(0.0)]);
        let last = both.with_named(alone, vec![1]);
        assert_eq!(scores("cone_ceaf", &last), [None, Some(1.0)]);
    }
}
