//! The metrics: one file each, one row each in [`METRICS`].
//!
//! A metric turns an [`AlignedPair`] into counts ([`Tally`]), which add up over documents, and
//! counts into a [`Score`]. A [`Metric`] is a row together with its parameters; it has one spelling
//! (`b_cubed:weight=entity`), which is what is typed, printed and used as the key in JSON.

mod ace_value;
mod b_cubed;
mod blanc;
mod bridging;
mod by_entity;
mod by_mention;
mod ceaf;
mod cone;
mod lea;
mod links_as_written;
mod mention_overlap;
mod mentions;
mod muc;
mod non_referring;
mod pairwise;
mod rand;
mod splits;
mod weighted;
mod zero_anaphora;

use std::fmt;

pub(crate) use self::ace_value::NO_TYPE;
pub use self::ace_value::{CorpusValues, VALUE_GROUPS, ValueCounts, ValueRow, ValueTable};
pub use self::by_entity::{ENTITY_SCORES, EntityScore};
pub(crate) use self::by_mention::{All, Share, Shares};
pub use self::by_mention::{MENTION_SHARES, MentionShare};
use self::ceaf::FIXED_POINT;
pub use self::splits::{CreditedPair, SplitRules};
pub(crate) use self::weighted::By;
pub use self::weighted::{EntityPairView, EntityView, ceaf_with};
use crate::error::{Error, ErrorKind, Result};
use crate::matching::MentionTable;
use crate::model::Document;
use crate::overlap::AlignedPair;
use crate::pairing::DocumentPair;
use crate::settings::{Rules, Settings};
use crate::suggest::nearest;
use crate::tally::{Counts, RealTally, Score, Tally};

/// One row of the table of metrics.
#[derive(Debug)]
pub struct MetricSpec {
    /// As typed, and the key in JSON.
    pub id: &'static str,
    /// As shown in tables.
    pub label: &'static str,
    /// One line of help.
    pub summary: &'static str,
    /// Keys into the bibliography.
    pub references: &'static [&'static str],
    /// The parameters it takes.
    pub parameters: &'static [ParameterSpec],
    /// How it is computed.
    pub kind: Kind,
}

/// A parameter of a metric, written `id:name=value`.
#[derive(Debug)]
pub struct ParameterSpec {
    /// Its name.
    pub name: &'static str,
    /// Its values, the default first.
    pub values: &'static [&'static str],
    /// One line of help.
    pub summary: &'static str,
}

/// How a metric is computed.
pub enum Kind {
    /// From counts of its own.
    Counted {
        /// Adds what one document counts.
        tally: fn(&AlignedPair, &Metric, &mut Tally),
        /// The score of the sums.
        score: fn(&RealTally, &Metric, &Rules) -> Score,
        /// The names of the two counts, where there are two that are shown.
        halves: Option<[&'static str; 2]>,
        /// What is counted where there are split antecedents; `None` where they do not matter.
        splits: Option<SplitRules>,
    },
    /// From the aligned mentions, which only some formats say enough of.
    OfMentions {
        /// Adds what one document counts.
        tally: fn(&MentionTable, &Metric, &mut Tally),
        /// The score of the sums.
        score: fn(&RealTally, &Metric, &Rules) -> Score,
        /// The formats for which it is among all metrics.
        formats: &'static [&'static str],
        /// Whether a document says what is counted. Where one does not the metric is undefined for all.
        possible: fn(&Document) -> bool,
    },
    /// From the same documents pruned to their named mentions.
    OfNamed {
        /// Adds what one document counts, given the pruned pair.
        tally: fn(&AlignedPair, &Metric, &mut Tally),
        /// The score of the sums.
        score: fn(&RealTally, &Metric, &Rules) -> Score,
    },
    /// From all documents at once, since an entity may have mentions in several.
    OfCorpus {
        /// What is found, with a table for each document.
        values: fn(&[DocumentPair<'_>], &Settings) -> CorpusValues,
        /// The formats for which it is among all metrics.
        formats: &'static [&'static str],
    },
    /// The mean of other metrics' F1.
    Mean(&'static [&'static str]),
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Counted { halves, .. } => {
                f.debug_struct("Counted").field("halves", halves).finish_non_exhaustive()
            }
            Kind::OfMentions { formats, .. } => {
                f.debug_struct("OfMentions").field("formats", formats).finish_non_exhaustive()
            }
            Kind::OfNamed { .. } => f.debug_struct("OfNamed").finish_non_exhaustive(),
            Kind::OfCorpus { formats, .. } => {
                f.debug_struct("OfCorpus").field("formats", formats).finish_non_exhaustive()
            }
            Kind::Mean(parts) => f.debug_tuple("Mean").field(parts).finish(),
        }
    }
}

/// All metrics, in the order in which they are shown.
pub static METRICS: &[MetricSpec] = &[
    mentions::SPEC,
    muc::SPEC,
    b_cubed::SPEC,
    ceaf::PHI_1,
    ceaf::PHI_2,
    ceaf::PHI_3,
    ceaf::PHI_4,
    blanc::SPEC,
    lea::SPEC,
    pairwise::SPEC,
    rand::RAND,
    rand::ADJUSTED_RAND,
    CONLL,
    mention_overlap::SPEC,
    zero_anaphora::SPEC,
    non_referring::SPEC,
    bridging::SPEC,
    links_as_written::SPEC,
    cone::B_CUBED,
    cone::CEAF,
    ace_value::VALUE,
    ace_value::MENTION_VALUE,
];

/// # CoNLL average
///
/// What it measures: nothing of its own; the shared tasks of 2011 and 2012 ranked by it.
///
/// Definition: the mean of the F1 of MUC, B³ and CEAF φ4, each over the whole corpus.
///
/// Edge cases: where a side has no link MUC is 0, so that a perfect response to a key of singletons
/// gets 2/3; a warning says so.
///
/// References: pradhan-2011, pradhan-2014.
///
/// Other scorers: the reference scorer prints no average; coval and corefud-scorer average the same
/// three.
const CONLL: MetricSpec = MetricSpec {
    id: "conll",
    label: "CoNLL",
    summary: "mean of the F1 of MUC, B³ and CEAF φ4",
    references: &["pradhan-2011", "pradhan-2014"],
    parameters: &[],
    kind: Kind::Mean(&["muc", "b_cubed", "ceaf_e"]),
};

/// A row of [`METRICS`] with its parameters: a value with one spelling.
///
/// ```
/// use corefeval_core::metrics::Metric;
/// let metric = Metric::parse("b_cubed:weight=entity").unwrap();
/// assert_eq!(metric.to_string(), "b_cubed:weight=entity");
/// assert_eq!(Metric::parse("b_cubed:weight=mention").unwrap(), Metric::parse("b_cubed").unwrap());
/// assert!(Metric::parse("bcubed").unwrap_err().remedy().unwrap().contains("b_cubed"));
/// ```
#[derive(Clone, Copy)]
pub struct Metric {
    spec: &'static MetricSpec,
    /// For each parameter of the row, the place of its value.
    values: [u8; MAX_PARAMETERS],
}

const MAX_PARAMETERS: usize = 2;

impl Metric {
    /// The metric of one row with the defaults of its parameters.
    pub fn new(spec: &'static MetricSpec) -> Metric {
        Metric { spec, values: [0; MAX_PARAMETERS] }
    }

    /// All metrics that a format says enough for, with their defaults. Those of named mentions are not among
    /// them: that names are looked for, and where, is a choice of its own.
    pub fn all_for(format: &str) -> Vec<Metric> {
        let fits = |spec: &&MetricSpec| match spec.kind {
            Kind::OfMentions { formats, .. } | Kind::OfCorpus { formats, .. } => formats.contains(&format),
            Kind::OfNamed { .. } => false,
            Kind::Counted { .. } | Kind::Mean(_) => true,
        };
        METRICS.iter().filter(fits).map(Metric::new).collect()
    }

    /// Whether it needs the aligned mentions themselves.
    pub fn needs_mentions(&self) -> bool {
        matches!(self.spec.kind, Kind::OfMentions { .. })
    }

    /// Whether `document` says what it counts.
    pub fn is_possible(&self, document: &Document) -> bool {
        match self.spec.kind {
            Kind::OfMentions { possible, .. } => possible(document),
            Kind::Counted { .. } | Kind::OfNamed { .. } | Kind::OfCorpus { .. } | Kind::Mean(_) => true,
        }
    }

    /// Whether it needs to be known which mentions are named.
    pub fn needs_names(&self) -> bool {
        matches!(self.spec.kind, Kind::OfNamed { .. })
    }

    /// Whether it looks at types of mentions and entities.
    pub fn needs_types(&self) -> bool {
        matches!(self.spec.kind, Kind::OfCorpus { .. }) || self.uses_weights()
    }

    /// Reads `id` or `id:name=value:name=value`.
    pub fn parse(text: &str) -> Result<Metric> {
        let mut fields = text.trim().split(':');
        let id = fields.next().unwrap_or_default();
        let Some(spec) = METRICS.iter().find(|spec| spec.id == id) else {
            let names = METRICS.iter().flat_map(|spec| [spec.id, spec.label]);
            let hint = match nearest(id, names.chain(ALIASES.iter().map(|alias| alias.0))) {
                Some(name) => format!("did you mean `{}`?", id_of(name)),
                None => format!("the metrics are {}", list(METRICS.iter().map(|spec| spec.id))),
            };
            let error = Error::new(ErrorKind::Settings, format!("there is no metric `{id}`"));
            return Err(error.hint(hint));
        };
        let mut metric = Metric::new(spec);
        for field in fields {
            metric.set(field)?;
        }
        Ok(metric)
    }

    fn set(&mut self, field: &str) -> Result<()> {
        let (name, value) = field.split_once('=').unwrap_or((field, ""));
        let id = self.spec.id;
        let wrong = |message: String| Error::new(ErrorKind::Settings, message);
        let Some(place) = self.spec.parameters.iter().position(|p| p.name == name) else {
            let error = wrong(format!("`{id}` has no parameter `{name}`"));
            return Err(match self.spec.parameters {
                [] => error.hint(format!("`{id}` takes no parameters")),
                some => error.hint(format!("its parameters are {}", list(some.iter().map(|p| p.name)))),
            });
        };
        let parameter = &self.spec.parameters[place];
        let Some(chosen) = parameter.values.iter().position(|&v| v == value) else {
            let error = wrong(format!("`{value}` is no value of `{id}:{name}`"));
            return Err(error.hint(format!("its values are {}", list(parameter.values.iter().copied()))));
        };
        self.values[place] = chosen as u8;
        Ok(())
    }

    /// Its row.
    pub fn spec(&self) -> &'static MetricSpec {
        self.spec
    }

    /// The place of the value of parameter `name` among its values; 0 is the default.
    fn value(&self, name: &str) -> u8 {
        let place = self.spec.parameters.iter().position(|parameter| parameter.name == name);
        place.map_or(0, |place| self.values[place])
    }

    /// Whether all parameters have their defaults.
    fn is_plain(&self) -> bool {
        self.values == [0; MAX_PARAMETERS]
    }

    /// As shown in tables: the label, with parameters that are not the default.
    pub fn label(&self) -> String {
        let spelling = self.to_string();
        match spelling.split_once(':') {
            Some((_, parameters)) => format!("{} ({parameters})", self.spec.label),
            None => self.spec.label.to_owned(),
        }
    }

    /// Adds to `into` what the metric counts in one document.
    pub fn tally(&self, pair: &AlignedPair, into: &mut Tally) {
        match self.spec.kind {
            Kind::Counted { tally, ref splits, .. } => match (pair.splits(), splits) {
                (Some(found), Some(rules)) => splits::tally(self, rules, pair, found, into),
                _ => tally(pair, self, into),
            },
            Kind::OfMentions { tally, .. } => {
                pair.table().into_iter().for_each(|table| tally(table, self, into))
            }
            Kind::OfNamed { tally, .. } => {
                pair.named_view().into_iter().for_each(|named| tally(named, self, into))
            }
            Kind::OfCorpus { .. } | Kind::Mean(_) => {}
        }
    }

    /// The score of summed counts; 0 for a mean of other metrics and for one of the whole corpus
    /// (see [`corpus_values`](Self::corpus_values)), which have no counts that add up.
    pub fn score(&self, tally: &Tally, rules: &Rules) -> Score {
        self.score_real(&tally.to_real(), rules)
    }

    /// The score of summed counts that are doubles.
    pub fn score_real(&self, tally: &RealTally, rules: &Rules) -> Score {
        match self.spec.kind {
            Kind::Counted { score, .. } | Kind::OfMentions { score, .. } | Kind::OfNamed { score, .. } => {
                score(tally, self, rules)
            }
            Kind::OfCorpus { .. } | Kind::Mean(_) => Score::default(),
        }
    }

    /// The metrics whose F1 it averages, if it is a mean.
    pub fn parts(&self) -> Option<Vec<Metric>> {
        match self.spec.kind {
            Kind::Counted { .. } | Kind::OfMentions { .. } | Kind::OfNamed { .. } | Kind::OfCorpus { .. } => {
                None
            }
            Kind::Mean(ids) => {
                let rows = METRICS.iter().filter(|spec| ids.contains(&spec.id));
                Some(rows.map(Metric::new).collect())
            }
        }
    }
}

impl PartialEq for Metric {
    fn eq(&self, other: &Metric) -> bool {
        self.spec.id == other.spec.id && self.values == other.values
    }
}

impl Eq for Metric {}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.spec.id)?;
        for (parameter, &value) in self.spec.parameters.iter().zip(&self.values) {
            if value != 0 {
                write!(f, ":{}={}", parameter.name, parameter.values[value as usize])?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Metric({self})")
    }
}

/// Names that other scorers use, for the sake of a good hint; they are not accepted.
const ALIASES: &[(&str, &str)] = &[
    ("bcub", "b_cubed"),
    ("bcubed", "b_cubed"),
    ("b3", "b_cubed"),
    ("ceafe", "ceaf_e"),
    ("ceaf4", "ceaf_e"),
    ("ceafm", "ceaf_m"),
    ("ceaf3", "ceaf_m"),
    ("ceaf", "ceaf_e"),
    ("mention", "mentions"),
    ("ari", "adjusted_rand"),
    ("links", "pairwise"),
    ("avg", "conll"),
    ("average", "conll"),
    ("mor", "mention_overlap"),
    ("zero", "zero_anaphora"),
    ("zeros", "zero_anaphora"),
    ("cone", "cone_b_cubed"),
    ("cone_b3", "cone_b_cubed"),
    ("cone_ceaf_m", "cone_ceaf"),
    ("ace", "ace_value"),
    ("acevalue", "ace_value"),
    ("emd", "ace_mention_value"),
];

/// The id behind an id, a label or an alias.
fn id_of(name: &str) -> &str {
    let alias = ALIASES.iter().find(|alias| alias.0 == name).map(|alias| alias.1);
    let label = METRICS.iter().find(|spec| spec.label == name).map(|spec| spec.id);
    alias.or(label).unwrap_or(name)
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Adds the denominators of metrics that weigh entities by their mentions, or (`uniform`) all alike.
fn add_weights(pair: &AlignedPair, uniform: bool, counts: &mut Counts) {
    let (recall, precision) = (pair.recall_view(), pair.precision_view());
    let (key, response) = match uniform {
        true => (recall.key_sizes().len() as u64, precision.response_sizes().len() as u64),
        false => (recall.key_mentions(), precision.response_mentions()),
    };
    counts.add_integers((0, key), (0, response));
}

/// Pairs of `n` things: n (n − 1) / 2.
fn pairs(n: u64) -> u64 {
    n * n.saturating_sub(1) / 2
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn rows_are_unique_and_complete() {
        let ids: BTreeSet<_> = METRICS.iter().map(|spec| spec.id).collect();
        let labels: BTreeSet<_> = METRICS.iter().map(|spec| spec.label).collect();
        assert_eq!((ids.len(), labels.len()), (METRICS.len(), METRICS.len()));
        for spec in METRICS {
            assert!(!spec.summary.is_empty() && !spec.references.is_empty(), "{}", spec.id);
            assert!(spec.parameters.len() <= MAX_PARAMETERS, "{}", spec.id);
            for parameter in spec.parameters {
                assert!(parameter.values.len() >= 2, "{}:{}", spec.id, parameter.name);
            }
        }
    }

    #[test]
    fn every_reference_is_in_the_bibliography() {
        let bibliography = include_str!("../../../../docs/bibliography.md");
        for spec in METRICS {
            for key in spec.references {
                assert!(bibliography.contains(&format!("| `{key}` |")), "{}: {key}", spec.id);
            }
        }
    }

    #[test]
    fn every_spelling_reads_back() {
        for spec in METRICS {
            let mut all = vec![Metric::new(spec)];
            for (place, parameter) in spec.parameters.iter().enumerate() {
                for value in 0..parameter.values.len() {
                    let mut metric = Metric::new(spec);
                    metric.values[place] = value as u8;
                    all.push(metric);
                }
            }
            for metric in all {
                assert_eq!(Metric::parse(&metric.to_string()), Ok(metric));
            }
        }
    }

    #[test]
    fn wrong_names_bring_the_right_one() {
        for (typed, meant) in [("muk", "muc"), ("ceafe", "ceaf_e"), ("B³", "b_cubed"), ("leaf", "lea")] {
            let error = Metric::parse(typed).unwrap_err();
            assert_eq!(error.remedy(), Some(format!("did you mean `{meant}`?").as_str()), "{typed}");
        }
        let error = Metric::parse("lea:importance=colour").unwrap_err();
        assert_eq!(
            error.to_string(),
            "`colour` is no value of `lea:importance`\n  hint: its values are `size`, `uniform`, `mention-type`, `entity-type`, `table`"
        );
        assert!(Metric::parse("muc:weight=entity").unwrap_err().to_string().contains("takes no parameters"));
    }
}
