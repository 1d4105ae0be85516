//! The settings: every choice that affects a score, except the files and the metrics.
//!
//! One table, at [`OPTIONS`] and [`PARAMETERS`], defines the fields of [`Settings`], the options of the command with
//! their help, the rows of profiles, and the fields of the signature.

use std::fmt;

use std::time::Duration;

pub use corefeval_metrics::{CeafBound, Halves, Rules};

use corefeval_metrics::{MetricInfo, WHOLE_GAP};

use crate::ace_parameters::{AceChanges, AceRules};
use crate::choice::{Choice, choice};
use crate::error::{Error, ErrorKind, Result};
use crate::heuristics::Heuristics;
use crate::model::{Annotation, Notation, Side, SpanEnd};
use crate::profiles::Profile;
use crate::suggest::{nearest, one_of};
use crate::weights::{Weights, escaped, unescaped};
use crate::wording::{option, quoted, text};

choice! {
    /// The rule that decides whether a key mention and a response mention match.
    Match {
        #[default]
        Exact = "exact" "same words",
        Head = "head" "same words and head, otherwise the same head (corefud-scorer)",
        Partial = "partial" "same words, otherwise some words of the key mention that include its head or minimum span",
        Craft = "craft" "same words, otherwise a part of the response mention within the first part of the key mention (CRAFT 2019)",
        MinSpan = "min-span" "same minimum span by the key's parse (MINA), same words without a parse",
        Overlap = "overlap" "same words, otherwise the mentions that share the most words, nested or crossing",
        Muc = "muc" "same words, otherwise some words of the key mention that include its whole minimum span (MUC-6, MUC-7)",
    }
}
choice! {
    /// Scores or drops a kind of annotation.
    Keep {
        #[default]
        Keep = "keep" "score them",
        Drop = "drop" "drop them from both sides before matching",
    }
}
choice! {
    /// The matching of zero mentions, which annotators may place differently.
    ZeroMatch {
        #[default]
        Linear = "linear" "by position, like other mentions",
        Dependent = "dependent" "by dependency head in the same sentence, otherwise by position",
        Dependent12 = "dependent-1.2" "by dependency head in the same sentence, otherwise by position; zeros at the same position on both sides can lose their pair (corefud-scorer 1.2)",
    }
}
choice! {
    /// The treatment of key mentions that are marked as optional.
    Optional {
        #[default]
        Count = "count" "like other mentions",
        IfFound = "if-found" "only if the response has them (MUC)",
    }
}
choice! {
    /// The meaning of the second number of a span on one side.
    SideSpanEnd {
        #[default]
        Both = "both" "as set for both sides (span-end)",
        Inclusive = "inclusive" "the last word",
        Exclusive = "exclusive" "one past the last word",
    }
}
choice! {
    /// The rule for pairing key and response documents.
    PairDocuments {
        #[default]
        Auto = "auto" "by id; if each side has a single document, regardless of ids",
        Id = "id" "only by id",
        Order = "order" "in order: the first with the first, the second with the second, regardless of ids",
    }
}
choice! {
    /// The treatment of key documents that the response lacks.
    MissingDocuments {
        #[default]
        Count = "count" "all of their mentions are missed",
        Skip = "skip" "left out of the score",
    }
}
choice! {
    /// The order of the steps that drop mentions. Each step ignores mentions that an earlier step dropped.
    SelectionOrder {
        #[default]
        SingletonsFirst = "singletons-first" "singletons, then zeros; entities that keep one mention stay (corefud-scorer)",
        ZerosFirst = "zeros-first" "zeros, then singletons",
    }
}
choice! {
    /// The treatment of split antecedents.
    SplitAntecedents {
        #[default]
        Drop = "drop" "ignore them",
        Keep = "keep" "count each as one member of its entity, worth the metric's F1 of its parts (Universal Anaphora scorer)",
        Only = "only" "score nothing else",
    }
}
choice! {
    /// The mentions of the parts of split antecedents.
    SplitParts {
        #[default]
        Scored = "scored" "the mentions of their entities that are scored",
        Whole = "whole" "all mentions of their entities, including dropped zeros (Universal Anaphora scorer)",
    }
}
choice! {
    /// The treatment of mentions that only the response has.
    ExtraMentions {
        #[default]
        Count = "count" "against precision",
        InKey = "in-key" "as singletons of the key (scorch)",
    }
}
choice! {
    /// The version of the Universal Anaphora scorer that partial matching follows, where versions differ.
    MatchDetails {
        #[default]
        Ua = "ua-2.0" "partial uses the response's minimum span if the key's does not fit; craft takes mentions by entity (Universal Anaphora scorer 2.0)",
        Corefud = "corefud-1.2" "partial uses the key's minimum span only; craft takes mentions in document order (the copy in corefud-scorer 1.2)",
    }
}
choice! {
    /// Switches a rule off or on.
    Switch {
        #[default]
        No = "no" "off",
        Yes = "yes" "on",
    }
}
choice! {
    /// The copy that is used if one side annotates a mention more than once.
    Duplicates {
        #[default]
        First = "first" "the response's first copy if the key has the mention, otherwise all copies (reference scorer)",
        Last = "last" "all copies stay in their entities, and the other side sees the last one; CEAF counts each copy of the key (Universal Anaphora scorer, the e2e family)",
        LastSets = "last-sets" "all copies stay in their entities, and the other side sees the last one; CEAF compares entities as sets (coval)",
        Distinct = "distinct" "one copy per entity, and the other side sees the last one (corefud-scorer)",
    }
}
choice! {
    /// The unit for counting the position of a mention.
    Place {
        #[default]
        Document = "document" "by words of the document",
        Sentence = "sentence" "by sentences, and by words of the sentence",
    }
}
choice! {
    /// The reaction to different words of key and response.
    CheckTokens {
        #[default]
        Yes = "yes" "different words are an error",
        Warn = "warn" "different words are a warning, a different number of words is an error",
        No = "no" "words are not compared",
    }
}
choice! {
    /// The allowed differences between the text of a response and the key's.
    #[derive(PartialOrd, Ord)]
    Align {
        #[default]
        Auto = "auto" "answers of language models as text, everything else by words",
        Words = "words" "the words are the same",
        Characters = "characters" "the characters are the same, apart from whitespace, case and variants of punctuation",
        Text = "text" "any, if enough of the text matches the key's; mentions move to the words they are aligned with",
    }
}
choice! {
    /// The treatment of empty nodes that only the response has.
    ExtraZeros {
        #[default]
        Drop = "drop" "drop them, with a warning",
        Spurious = "spurious" "count them as spurious, as children of the word before them (CorefUD shared tasks)",
    }
}
choice!(@table Notation {
    Auto = "auto" "the one with the most complete marks",
    Pipe = "pipe" "her|[e1],[e2 boat|e2]",
    Link = "link" "[[her](#1) boat](#2)",
    First = "first" "[2 [1 her] boat]",
    Colon = "colon" "[[her: 1] boat: 2]",
    Hash = "hash" "[[her]#1 boat]#2",
    Double = "double" "[[[[her]]_1 boat]]_2",
    Subscript = "subscript" "[[her]_1 boat]_2",
    Bar = "bar" "[[her | e1] boat | e2]",
    Antecedent = "antecedent" "[ [ her | Ines ] boat ]: the text of the mention before",
    Attribute = "attribute" "<m id=\"2\"><m id=\"1\">her</m> boat</m>",
    Element = "element" "<e2><e1>her</e1> boat</e2>",
    Seq2seq = "seq2seq" "<m> <m> her | 1 </m> boat | 2 </m>, or with the id in the end tag or after it",
    CorefInst = "corefinst" "<m> <m> her </m>#1 boat </m>#2",
    Strings = "strings" "JSON with strings of the key's text",
    OwnText = "own-text" "JSON with a text and positions in it",
});
choice! {
    /// The documents across which entities are compared.
    Scope {
        #[default]
        Document = "document" "within each document",
        Topic = "topic" "across the documents of a topic, where entities with the same name are one",
        Corpus = "corpus" "across all documents, where entities with the same name are one",
    }
}
choice! {
    /// The method of averaging over documents.
    Average {
        #[default]
        Micro = "micro" "from counts summed over documents (what papers report)",
        Macro = "macro" "mean of the documents' scores, over documents where the metric is defined",
        Mentions = "mentions" "mean of the documents' scores, weighted by mentions: recall by the key's, precision by the response's, F1 by both (scorch)",
    }
}
choice!(@table Halves {
    Key = "key" "halves with links in the key (reference scorer)",
    Either = "either" "halves with links on either side (corefud-scorer)",
    Scorch = "scorch" "halves with links in the key; 1 if the key has no links and the response no links between entities (scorch)",
});
choice! {
    /// The singletons that CEAF φ4 includes.
    CeafSingletons {
        #[default]
        Both = "both" "those of both sides",
        KeyOnly = "key-only" "those of the key; it ignores the response's (the e2e family)",
    }
}
choice! {
    /// The entities to score.
    Entities {
        #[default]
        All = "all" "all entities",
        Named = "named" "entities with a named mention (NE-CRR); others are dropped from both sides",
    }
}
choice! {
    /// The annotation that decides whether a mention is named.
    NamedSource {
        #[default]
        Auto = "auto" "the first of these that the data has; labels from a separate file take precedence",
        MentionType = "mention-type" "mention types (NAM, PROP)",
        NeColumn = "ne-column" "the named-entity column",
        Upos = "upos" "the part of speech of the head (PROPN, NNP)",
        File = "file" "named-entity labels from a separate file",
        Rules = "rules" "built-in rules for English: capitals, titles, acronyms",
    }
}
choice! {
    /// The condition for a name to make a mention a named mention.
    NameMatch {
        #[default]
        Head = "head" "the head of the mention is in the name",
        Span = "span" "the name is the whole mention, except articles and possessive endings",
    }
}
choice!(@table SpanEnd {
    Inclusive = "inclusive" "the end of a span is its last word",
    Exclusive = "exclusive" "the end of a span is one past its last word",
});
choice!(@table Annotation {
    Identity = "identity" "identity coreference",
    DiscourseDeixis = "discourse-deixis" "reference to events and propositions",
});

impl NamedSource {
    /// Returns the name, as typed.
    pub fn as_str(self) -> &'static str {
        self.id()
    }
}

/// The results that a setting can change. A signature names a setting only if it can change the results in the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concern {
    /// All results.
    All,
    /// All results, because the setting chooses how files are read.
    Files,
    /// The metrics that depend on how mentions are selected and matched.
    Mentions,
    /// Results that depend on which mentions are named.
    Names,
    /// Metrics that use weights of types.
    Weights,
    /// The metrics whose rows name the setting.
    OwnMetrics,
}

/// The formats that a setting affects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formats {
    /// All formats.
    All,
    /// The formats whose rows name the setting.
    Some,
    /// The formats with words. Lists of mentions have none that could be compared.
    WithWords,
}

/// The properties of a format that decide which settings affect it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatTraits<'f> {
    /// The name of the format.
    pub id: &'f str,
    /// The settings that affect it and not all other formats, by name.
    pub settings: &'static [&'static str],
    /// True if documents have words that can be compared.
    pub has_words: bool,
}

impl Formats {
    /// Returns whether the setting `name` affects a format.
    fn include(self, name: &str, format: &FormatTraits<'_>) -> bool {
        match self {
            Formats::All => true,
            Formats::Some => format.settings.contains(&name),
            Formats::WithWords => format.has_words,
        }
    }

    /// Returns whether the setting `name` affects one of these formats.
    fn include_any(self, name: &str, formats: &[FormatTraits<'_>]) -> bool {
        let any = formats.iter().any(|format| self.include(name, format));
        any || (formats.is_empty() && self != Formats::Some)
    }
}

/// The stage that applies a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Files are read, and their texts are paired and aligned with the key's.
    Reading,
    /// The mentions that count are selected.
    Selection,
    /// Documents are scored.
    Scoring,
}

/// The properties of a report that decide which settings can affect it.
#[derive(Clone, Debug, Default)]
pub struct Shown<'a> {
    /// The formats of the key, and of responses in other formats.
    pub formats: Vec<FormatTraits<'a>>,
    /// True if every setting of every format can affect the report, because the documents are not from files.
    pub of_program: bool,
    /// The metrics, with means replaced by their parts; `None` if any metric may be shown.
    pub metrics: Option<Vec<&'static MetricInfo>>,
    /// True if results depend on which mentions are named.
    pub names: bool,
    /// True if a metric uses the weights of types.
    pub weights: bool,
}

impl Shown<'_> {
    /// Returns whether the setting `name`, with these formats and this concern, can change the report.
    fn depends_on(&self, name: &str, formats: Formats, concern: Concern) -> bool {
        let by_format = self.of_program || formats.include_any(name, &self.formats);
        let Some(metrics) = self.metrics.as_ref().filter(|_| by_format) else { return by_format };
        match concern {
            Concern::All | Concern::Files => true,
            Concern::Mentions => metrics.iter().any(|info| info.matches_mentions),
            Concern::Names => self.names,
            Concern::Weights => self.weights,
            Concern::OwnMetrics => metrics.iter().any(|info| info.settings.contains(&name)),
        }
    }
}

/// A setting with named values: a row of [`OPTIONS`].
#[derive(Debug)]
pub struct OptionSpec {
    /// The name after `--`, which is also the field of a signature.
    pub name: &'static str,
    /// One line of help.
    pub summary: &'static str,
    /// Values with a line of help each, the default first.
    pub values: &'static [(&'static str, &'static str)],
    /// The stage that applies it.
    pub stage: Stage,
    /// The formats that it affects.
    pub formats: Formats,
    /// The results that it can change.
    pub concern: Concern,
    get: fn(&Settings) -> &'static str,
    set: fn(&mut Settings, &str) -> bool,
}

/// A setting without a list of values, set by options with other names: a row of [`PARAMETERS`].
#[derive(Debug)]
pub struct SettingParameter {
    /// The field of a signature.
    pub name: &'static str,
    /// One line of help.
    pub summary: &'static str,
    /// The stage that applies it.
    pub stage: Stage,
    /// The formats that it affects.
    pub formats: Formats,
    /// The results that it can change.
    pub concern: Concern,
    get: fn(&Settings) -> Option<String>,
    set: fn(&mut Settings, &str) -> Result<()>,
}

impl SettingParameter {
    /// Returns its value in `settings`, if it is set.
    pub fn value(&self, settings: &Settings) -> Option<String> {
        (self.get)(settings)
    }

    /// Returns which of the formats or metrics rule out any effect of it, or `None` if it may have an effect.
    pub fn is_idle_on(&self, formats: &[FormatTraits<'_>], metrics: &[&MetricInfo]) -> Option<String> {
        idle(self.name, self.formats, self.concern, (formats, metrics))
    }

    /// Sets the parameter from a text.
    ///
    /// # Errors
    ///
    /// The text is not a value of the parameter.
    pub fn set(&self, settings: &mut Settings, text: &str) -> Result<()> {
        (self.set)(settings, text)
    }
}

/// The value of a row of [`PARAMETERS`].
trait Parameter: Sized {
    /// Returns the value as in a signature, or `None` if unset.
    fn text(&self) -> Option<String>;

    /// Parses the value in a signature, given the settings so far.
    fn read(text: &str, settings: &Settings) -> Result<Self>;
}

impl Parameter for AceChanges {
    fn text(&self) -> Option<String> {
        (!self.is_empty()).then(|| self.to_string())
    }

    fn read(text: &str, settings: &Settings) -> Result<AceChanges> {
        AceChanges::parse(text, settings.ace)
    }
}

impl Parameter for Option<Weights> {
    fn text(&self) -> Option<String> {
        self.as_ref().map(Weights::to_string)
    }

    fn read(text: &str, _: &Settings) -> Result<Option<Weights>> {
        Weights::parse(text).map(Some)
    }
}

impl Parameter for Option<Heuristics> {
    fn text(&self) -> Option<String> {
        self.as_ref().map(Heuristics::to_string)
    }

    fn read(text: &str, _: &Settings) -> Result<Option<Heuristics>> {
        Heuristics::parse(text).map(Some)
    }
}

/// A share of one, to four decimal places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AlignedShare(u16);

impl AlignedShare {
    /// Returns the share; `None` unless it is between 0 and 1.
    pub fn new(value: f64) -> Option<AlignedShare> {
        (0.0..=1.0).contains(&value).then(|| AlignedShare((value * 1e4).round() as u16))
    }

    /// Returns it as a number.
    pub fn value(self) -> f64 {
        f64::from(self.0) / 1e4
    }

    /// Parses the output of [`Display`](fmt::Display).
    ///
    /// # Errors
    ///
    /// The text is not a share between 0 and 1.
    pub fn parse(name: &str, text: &str) -> Result<AlignedShare> {
        text.trim().parse().ok().and_then(AlignedShare::new).ok_or_else(|| {
            Error::not_valid(text, name).hint("it is a share between 0 and 1, for example 0.5")
        })
    }
}

impl fmt::Display for AlignedShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.value())
    }
}

/// The minimum share of a text that the key must contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MinAligned(pub AlignedShare);

impl MinAligned {
    /// Returns it as a number.
    pub fn value(self) -> f64 {
        self.0.value()
    }
}

impl Default for MinAligned {
    fn default() -> MinAligned {
        MinAligned(AlignedShare(5_000))
    }
}

impl Parameter for MinAligned {
    fn text(&self) -> Option<String> {
        (*self != MinAligned::default()).then(|| self.0.to_string())
    }

    fn read(text: &str, _: &Settings) -> Result<MinAligned> {
        AlignedShare::parse("min-aligned", text).map(MinAligned)
    }
}

impl Parameter for Option<AlignedShare> {
    fn text(&self) -> Option<String> {
        self.as_ref().map(AlignedShare::to_string)
    }

    fn read(text: &str, _: &Settings) -> Result<Option<AlignedShare>> {
        AlignedShare::parse("aligned", text).map(Some)
    }
}

/// The meaning of the second number of spans in inputs with the same name, if it differs from the other inputs of their
/// side.
///
/// ```
/// use corefeval_core::model::SpanEnd;
/// use corefeval_core::settings::SpanEnds;
/// let ends = SpanEnds::parse("ada=exclusive,b, c=inclusive")?;
/// assert_eq!(ends.of("ada"), Some(SpanEnd::Exclusive));
/// assert_eq!(ends.of("b, c"), Some(SpanEnd::Inclusive));
/// # Ok::<(), corefeval_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpanEnds(Vec<(String, SpanEnd)>);

impl SpanEnds {
    /// Reads a list like `ada=exclusive,bo=inclusive`. Names may contain `,` and `=`.
    ///
    /// # Errors
    ///
    /// The list is not of the form `NAME=END,…`.
    pub fn parse(list: &str) -> Result<SpanEnds> {
        let (mut ends, mut name) = (Vec::new(), String::new());
        let wrong = || {
            Error::not_valid(list, "span-end-of").hint(
                "write the name of an input and the meaning of its ends: NAME=exclusive or NAME=inclusive",
            )
        };
        for piece in list.split(',') {
            name.push_str(piece);
            let known = name.rsplit_once('=').and_then(|(name, end)| Some((name, SpanEnd::from_id(end)?)));
            match known {
                Some(("", _)) => return Err(wrong()),
                Some((whole, end)) => {
                    ends.push((whole.to_owned(), end));
                    name.clear();
                }
                None => name.push(','),
            }
        }
        if name.is_empty() { Ok(SpanEnds(ends)) } else { Err(wrong()) }
    }

    /// Returns the meaning for an input of this name, if set; the last entry takes precedence.
    pub fn of(&self, name: &str) -> Option<SpanEnd> {
        self.0.iter().rev().find(|(own, _)| own == name).map(|(_, end)| *end)
    }

    /// Returns the names of inputs and the meaning of each, as typed.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &'static str)> {
        self.0.iter().map(|(name, end)| (name.as_str(), end.id()))
    }

    /// Returns the names of inputs.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }
}

impl Parameter for SpanEnds {
    fn text(&self) -> Option<String> {
        let one = |(name, end): &(String, SpanEnd)| format!("{}={}", escaped(name), end.id());
        (!self.0.is_empty()).then(|| self.0.iter().map(one).collect::<Vec<_>>().join(","))
    }

    fn read(text: &str, _: &Settings) -> Result<SpanEnds> {
        let mut ends = SpanEnds::parse(text)?;
        for (name, _) in &mut ends.0 {
            *name = unescaped(name).unwrap_or_default();
        }
        Ok(ends)
    }
}

/// Parses a value of `ceaf-bound`: the gap of the bounds that is small enough, the time for a metric in a document, or
/// both.
///
/// ```
/// use corefeval_core::profiles::Profile;
/// use corefeval_core::settings::{CeafBound, Settings};
/// let bound = corefeval_core::settings::ceaf_bound("10s, 0.0010")?;
/// assert_eq!((bound.gap, bound.time.map(|time| time.as_secs())), (Some(1_000), Some(10)));
/// # Ok::<(), corefeval_core::Error>(())
/// ```
///
/// # Errors
///
/// The text contains anything but a gap above 0 and at most 1, in millionths, and a time with its unit, in milliseconds, or
/// two of a kind.
pub fn ceaf_bound(text: &str) -> Result<CeafBound> {
    let mut bound = CeafBound { gap: None, time: None };
    let parts = text.split(',').map(str::trim);
    let taken = |part: &str, bound: &mut CeafBound| match time_of(part) {
        Some(time) => bound.time.replace(time).is_none(),
        None => match part.parse::<f64>() {
            Ok(gap) if gap > 0.0 && gap <= 1.0 => {
                let millionths = (gap * f64::from(WHOLE_GAP)).round() as u32;
                let is_exact = f64::from(millionths) / f64::from(WHOLE_GAP) == gap;
                is_exact && bound.gap.replace(millionths).is_none()
            }
            _ => false,
        },
    };
    for part in parts {
        if !taken(part, &mut bound) {
            let message = text!(
                "{} must be a gap of the bounds above 0 and at most 1, a time with its unit, or both, not {}",
                option("ceaf-bound"),
                quoted(text)
            );
            return Err(Error::new(ErrorKind::Settings, message).hint(
                "for example 0.001 (with at most six decimals), 10s for each document and metric (or ms, m, h), or \
                 0.001,10s",
            ));
        }
    }
    Ok(bound)
}

/// Returns the time in a text with a unit.
fn time_of(text: &str) -> Option<Duration> {
    let units = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    let (number, seconds) = units
        .iter()
        .find_map(|&(unit, seconds)| Some((text.strip_suffix(unit)?.trim().parse::<f64>().ok()?, seconds)))?;
    let exact = number * seconds * 1000.0;
    let milliseconds = exact.round();
    let is_whole = (exact - milliseconds).abs() < 1e-6 * milliseconds.max(1.0);
    (is_whole && (0.0..=1e12).contains(&milliseconds)).then(|| Duration::from_millis(milliseconds as u64))
}

impl Parameter for Option<CeafBound> {
    fn text(&self) -> Option<String> {
        let CeafBound { gap, time } = (*self)?;
        let gap = gap.map(|gap| (f64::from(gap) / f64::from(WHOLE_GAP)).to_string());
        let time = time.map(|time| format!("{}s", time.as_millis() as f64 / 1000.0));
        Some(gap.into_iter().chain(time).collect::<Vec<_>>().join(","))
    }

    fn read(text: &str, _: &Settings) -> Result<Option<CeafBound>> {
        ceaf_bound(text).map(Some)
    }
}

macro_rules! settings {
    (
        options { $($name:literal $field:ident: $kind:ty, $stage:expr, $formats:expr, $concern:expr, $summary:literal;)* }
        parameters { $($other:literal $other_field:ident: $other_kind:ty, $other_stage:expr, $other_formats:expr, $other_concern:expr, $other_summary:literal;)* }
    ) => {
        /// Every choice that affects a score, except the files and the metrics.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Settings {
            /// The profile, which gives the defaults.
            pub profile: &'static Profile,
            $(#[doc = $summary] pub $field: $kind,)*
            $(#[doc = $other_summary] pub $other_field: $other_kind,)*
        }

        /// The settings with named values, in the order of the signature.
        pub static OPTIONS: &[OptionSpec] = &[$(OptionSpec {
            name: $name,
            summary: $summary,
            values: <$kind as Choice>::VALUES,
            stage: $stage,
            formats: $formats,
            concern: $concern,
            get: |settings| settings.$field.id(),
            set: |settings, value| match <$kind as Choice>::from_id(value) {
                Some(choice) => { settings.$field = choice; true }
                None => false,
            },
        },)*];

        /// The other settings, which follow in the signature.
        pub static PARAMETERS: &[SettingParameter] = &[$(SettingParameter {
            name: $other,
            summary: $other_summary,
            stage: $other_stage,
            formats: $other_formats,
            concern: $other_concern,
            get: |settings| Parameter::text(&settings.$other_field),
            set: |settings, text| {
                settings.$other_field = Parameter::read(text, settings)?;
                Ok(())
            },
        },)*];

        impl Settings {
            /// Returns the settings with the default of each type.
            fn plain(profile: &'static Profile) -> Settings {
                Settings {
                    profile,
                    $($field: <$kind>::default(),)*
                    $($other_field: <$other_kind>::default(),)*
                }
            }
        }
    };
}

settings! {
    options {
        "match" matching: Match, Stage::Scoring, Formats::All, Concern::Mentions, "how key and response mentions are matched";
        "match-details" match_details: MatchDetails, Stage::Scoring, Formats::Some, Concern::Mentions, "the version of the scorer that partial matching follows (conll-ua)";
        "singletons" singletons: Keep, Stage::Selection, Formats::All, Concern::Mentions, "entities with one mention";
        "zeros" zeros: Keep, Stage::Selection, Formats::Some, Concern::Mentions, "mentions whose head is not in the text";
        "zero-match" zero_match: ZeroMatch, Stage::Scoring, Formats::Some, Concern::Mentions, "how zeros match";
        "split-antecedents" split_antecedents: SplitAntecedents, Stage::Selection, Formats::All, Concern::Mentions, "antecedents that \
         consist of several entities";
        "split-parts" split_parts: SplitParts, Stage::Scoring, Formats::Some, Concern::Mentions, "the mentions of the parts of split antecedents";
        "optional" optional: Optional, Stage::Scoring, Formats::Some, Concern::Mentions, "how to count optional mentions of the key (muc)";
        "order" order: SelectionOrder, Stage::Selection, Formats::Some, Concern::Mentions, "the order in which mentions are dropped";
        "duplicates" duplicates: Duplicates, Stage::Scoring, Formats::All, Concern::Mentions, "the copy of a repeated mention that counts";
        "extra-mentions" extra_mentions: ExtraMentions, Stage::Scoring, Formats::All, Concern::Mentions, "how to count mentions that only the response has";
        "np-only" np_only: Switch, Stage::Selection, Formats::All, Concern::Mentions, "drop mentions that are verb phrases in the key's parse";
        "remove-nested" remove_nested: Switch, Stage::Selection, Formats::All, Concern::Mentions, "drop mentions nested in another mention of their entity";
        "place" place: Place, Stage::Scoring, Formats::WithWords, Concern::Mentions, "how the position of a mention is counted";
        "pair-documents" pair_documents: PairDocuments, Stage::Reading, Formats::All, Concern::All, "how the documents of key and response are paired";
        "missing-documents" missing_documents: MissingDocuments, Stage::Scoring, Formats::All, Concern::All, "how to count key documents that the response lacks";
        "check-tokens" check_tokens: CheckTokens, Stage::Scoring, Formats::WithWords, Concern::All, "check that key and response have the same words";
        "align" align: Align, Stage::Reading, Formats::WithWords, Concern::All, "how much the text of a response may differ from the key's";
        "notation" notation: Notation, Stage::Reading, Formats::Some, Concern::All, "how the answer of a language model writes its mentions";
        "extra-zeros" extra_zeros: ExtraZeros, Stage::Reading, Formats::Some, Concern::Mentions, "empty nodes of an answer that the key lacks";
        "scope" scope: Scope, Stage::Scoring, Formats::All, Concern::All, "the documents across which entities are compared";
        "blanc" blanc: Halves, Stage::Scoring, Formats::All, Concern::OwnMetrics, "the halves of BLANC that count if one has no links";
        "ceaf-singletons" ceaf: CeafSingletons, Stage::Scoring, Formats::All, Concern::OwnMetrics, "the singletons that CEAF φ4 counts";
        "average" average: Average, Stage::Scoring, Formats::All, Concern::All, "how the scores of documents are combined";
        "pair-files" pair_files: Switch, Stage::Scoring, Formats::All, Concern::Files, "pair the files of two directories by name and score each pair; the macro average is over pairs";
        "ids-by-file" ids_by_file: Switch, Stage::Reading, Formats::All, Concern::Files, "prefix document ids with their file (`en_gum/GUM_1`), for files that use the same ids";
        "entities" entities: Entities, Stage::Selection, Formats::All, Concern::Names, "the entities to score";
        "named" named: NamedSource, Stage::Scoring, Formats::All, Concern::Names, "the annotation that decides whether a mention is named (CONE)";
        "name-match" name_match: NameMatch, Stage::Scoring, Formats::All, Concern::Names, "the part of a mention that must be a name (CONE)";
        "span-end" span_end: SpanEnd, Stage::Reading, Formats::Some, Concern::All, "the meaning of the second number of a span (jsonlines)";
        "key-span-end" key_span_end: SideSpanEnd, Stage::Reading, Formats::Some, Concern::All, "the meaning of the second number of a span in the key (jsonlines)";
        "response-span-end" response_span_end: SideSpanEnd, Stage::Reading, Formats::Some, Concern::All, "the meaning of the second number of a span in the response (jsonlines)";
        "boundary-crossing" boundary_crossing: Switch, Stage::Reading, Formats::Some, Concern::All, "mentions may cross: closing brackets name their mention (conll-ua)";
        "annotation" annotation: Annotation, Stage::Reading, Formats::Some, Concern::All, "the annotation to score (conll-ua)";
        "ace" ace: AceRules, Stage::Scoring, Formats::All, Concern::OwnMetrics, "the evaluation whose rules and parameters ACE-value uses";
    }
    parameters {
        "ace-parameters" ace_changes: AceChanges, Stage::Scoring, Formats::All, Concern::OwnMetrics, "parameters of ACE-value that differ from the evaluation's";
        "weights" weights: Option<Weights>, Stage::Scoring, Formats::All, Concern::Weights, "weights of mention and entity types, for metrics that use them";
        "span-end-of" span_ends: SpanEnds, Stage::Reading, Formats::Some, Concern::All, "the meaning of the second number of a span in the inputs with these names (jsonlines)";
        "min-aligned" min_aligned: MinAligned, Stage::Reading, Formats::All, Concern::All, "the minimum share of a response's text that must match the key's";
        "aligned" aligned: Option<AlignedShare>, Stage::Scoring, Formats::All, Concern::All, "the share of the aligned texts that the key contains";
        "ceaf-bound" ceaf_bound: Option<CeafBound>, Stage::Scoring, Formats::All, Concern::OwnMetrics, "the limit at which CEAF φ3 and φ4 stop, with bounds instead of scores";
        "key-approximate" key_approximate: Option<Heuristics>, Stage::Scoring, Formats::All, Concern::All, "heuristics that clustered the names of a key made from names";
    }
}

/// Returns which of the formats or metrics of a report rule out any effect of a setting with these formats and this
/// concern, or `None` if it may have an effect.
fn idle(
    name: &str,
    own: Formats,
    concern: Concern,
    (formats, metrics): (&[FormatTraits<'_>], &[&MetricInfo]),
) -> Option<String> {
    let by_format = !formats.is_empty() && !own.include_any(name, formats);
    let of_others = || !metrics.iter().any(|info| info.settings.contains(&name));
    let by_metrics = concern == Concern::OwnMetrics && of_others();
    let metrics = by_metrics.then(|| "these metrics".to_owned());
    let mut distinct: Vec<&str> = formats.iter().map(|format| format.id).collect();
    distinct.dedup();
    by_format.then(|| distinct.join(" and ")).or(metrics)
}

impl OptionSpec {
    /// Returns its value in `settings`.
    pub fn value(&self, settings: &Settings) -> &'static str {
        (self.get)(settings)
    }

    /// Returns whether it is a flag on the command line, meaning `yes`.
    pub fn is_flag(&self) -> bool {
        matches!(self.values, [("no", _), ("yes", _)])
    }

    /// Returns whether it concerns pairs of files, in any format.
    pub fn concerns_files(&self) -> bool {
        self.concern == Concern::Files
    }

    /// Returns whether it affects only scores of named mentions.
    pub fn concerns_names(&self) -> bool {
        self.concern == Concern::Names
    }

    /// Returns which of the formats or metrics rule out any effect of it, or `None` if it may have an effect.
    pub fn is_idle_on(&self, formats: &[FormatTraits<'_>], metrics: &[&MetricInfo]) -> Option<String> {
        idle(self.name, self.formats, self.concern, (formats, metrics))
    }

    /// Returns whether it affects a format.
    pub fn affects(&self, format: &FormatTraits<'_>) -> bool {
        self.formats.include(self.name, format)
    }

    /// Returns the names of its values.
    pub fn ids(&self) -> impl Iterator<Item = &'static str> {
        self.values.iter().map(|value| value.0)
    }
}

impl Settings {
    /// Returns the settings of a profile.
    ///
    /// ```
    /// use corefeval_core::formats::FormatSpec;
    /// use corefeval_core::profiles::Profile;
    /// use corefeval_core::settings::{Settings, Shown};
    /// let mut settings = Settings::of(Profile::named("conll")?);
    /// settings.set("singletons", "drop")?;
    /// let shown = Shown { formats: FormatSpec::traits_of("conll"), ..Shown::default() };
    /// let signature = settings.signature(&shown);
    /// assert!(signature.ends_with("|profile:conll|format:conll|singletons:drop"));
    /// assert_eq!(Settings::from_signature(&signature)?, settings);
    /// # Ok::<(), corefeval_core::Error>(())
    /// ```
    pub fn of(profile: &'static Profile) -> Settings {
        let mut settings = Settings::plain(profile);
        for &(name, value) in profile.choices {
            let set = settings.set(name, value);
            debug_assert_eq!(set, Ok(()), "the row of profile {}", profile.id);
        }
        settings
    }

    /// Returns these settings without a selection of mentions, for documents that have only the selected ones.
    ///
    /// ```
    /// use corefeval_core::profiles::Profile;
    /// use corefeval_core::settings::{Keep, Settings};
    /// let mut settings = Settings::of(Profile::named("conll")?);
    /// settings.set("singletons", "drop")?;
    /// assert_eq!(settings.without_selection().singletons, Keep::Keep);
    /// # Ok::<(), corefeval_core::Error>(())
    /// ```
    pub fn without_selection(&self) -> Settings {
        let mut settings = self.clone();
        for row in OPTIONS.iter().filter(|row| row.stage == Stage::Selection) {
            let set = (row.set)(&mut settings, row.values[0].0);
            debug_assert!(set, "the first value of {}", row.name);
        }
        settings
    }

    /// Returns the meaning of the second number of a span on a side, in an input of these names.
    pub fn span_end_of(&self, side: Side, names: &[&str]) -> SpanEnd {
        if let Some(end) = names.iter().find_map(|name| self.span_ends.of(name)) {
            return end;
        }
        let own = match side {
            Side::Key => self.key_span_end,
            Side::Response => self.response_span_end,
        };
        match own {
            SideSpanEnd::Both => self.span_end,
            SideSpanEnd::Inclusive => SpanEnd::Inclusive,
            SideSpanEnd::Exclusive => SpanEnd::Exclusive,
        }
    }

    /// Returns the values of the settings that affect reading. Equal values can share documents.
    pub fn of_reading(&self) -> Vec<Option<String>> {
        let options = OPTIONS.iter().filter(|row| row.stage == Stage::Reading);
        let parameters = PARAMETERS.iter().filter(|row| row.stage == Stage::Reading);
        let options = options.map(|option| Some(option.value(self).to_owned()));
        options.chain(parameters.map(|row| (row.get)(self))).collect()
    }

    /// Returns whether the setting `name` affects reading.
    pub fn is_of_reading(name: &str) -> bool {
        let mut stages = OPTIONS
            .iter()
            .map(|row| (row.name, row.stage))
            .chain(PARAMETERS.iter().map(|row| (row.name, row.stage)));
        stages.any(|row| row == (name, Stage::Reading))
    }

    /// Sets one of [`OPTIONS`] by name.
    ///
    /// # Errors
    ///
    /// The option does not exist, or the value is not one of its values.
    pub fn set(&mut self, name: &str, value: &str) -> Result<()> {
        let Some(option) = OPTIONS.iter().find(|option| option.name == name) else {
            let error = Error::new(ErrorKind::Settings, format!("unknown option `{name}`"));
            return Err(match nearest(name, OPTIONS.iter().map(|option| option.name)) {
                Some(near) => error.hint(format!("did you mean `{near}`?")),
                None => error,
            });
        };
        if (option.set)(self, value) {
            return Ok(());
        }
        Err(Error::not_valid(value, name).hint(one_of(value, "its values are", option.ids())))
    }

    /// Returns all settings with their values: the profile, [`OPTIONS`], and the [`PARAMETERS`] that are set.
    pub fn list(&self) -> Vec<(&'static str, String)> {
        let profile = ("profile", self.profile.id.to_owned());
        let options = OPTIONS.iter().map(|option| (option.name, option.value(self).to_owned()));
        let parameters = PARAMETERS.iter().filter_map(|row| Some((row.name, (row.get)(self)?)));
        std::iter::once(profile).chain(options).chain(parameters).collect()
    }

    /// Returns one line with the version, the profile, the format, and the settings that differ from the profile and
    /// can change the report. [`from_signature`](Self::from_signature) reads it back.
    pub fn signature(&self, shown: &Shown<'_>) -> String {
        let usual = Settings::of(self.profile);
        let options = OPTIONS.iter().filter(|option| option.value(self) != option.value(&usual));
        let options = options.filter(|option| shown.depends_on(option.name, option.formats, option.concern));
        let options = options.map(|option| (option.name, option.value(self).to_owned()));
        let parameters = PARAMETERS.iter().filter(|row| shown.depends_on(row.name, row.formats, row.concern));
        let parameters = parameters.filter_map(|row| Some((row.name, (row.get)(self)?)));
        let formats: Vec<&str> = shown.formats.iter().map(|format| format.id).collect();
        let mut text = format!(
            "corefeval:{}|profile:{}|format:{}",
            crate::version::VERSION,
            self.profile.id,
            formats.join("+")
        );
        for (name, value) in options.chain(parameters) {
            text.extend(["|", name, ":", &value]);
        }
        text
    }

    /// Reads the settings that [`signature`](Self::signature) printed. Settings that are not named have the profile's
    /// value.
    ///
    /// # Errors
    ///
    /// A field is not of the form `name:value` or occurs twice; the profile is missing or unknown; a name is unknown,
    /// such as one of a later version; or a value is invalid.
    pub fn from_signature(signature: &str) -> Result<Settings> {
        let wrong = |message: String| Error::new(ErrorKind::Settings, message);
        let fields: Vec<(&str, &str)> = signature
            .trim()
            .split('|')
            .map(|field| {
                let error = || wrong(format!("`{field}` is not a field of a signature"));
                field.split_once(':').ok_or_else(error)
            })
            .collect::<Result<_>>()?;
        let field = |name: &str| fields.iter().find(|field| field.0 == name).map(|field| field.1);
        let profile =
            field("profile").ok_or_else(|| wrong("the signature does not name a profile".to_owned()))?;
        let mut settings = Settings::of(Profile::named(profile)?);
        let twice = fields.iter().enumerate().find(|(place, field)| {
            let before = &fields[..*place];
            before.iter().any(|other| other.0 == field.0)
        });
        if let Some((_, (name, _))) = twice {
            return Err(wrong(format!("the signature has `{name}` twice")));
        }
        let is_parameter = |name: &str| PARAMETERS.iter().any(|row| row.name == name);
        for &(name, value) in &fields {
            if !matches!(name, "corefeval" | "profile" | "format") && !is_parameter(name) {
                settings.set(name, value)?;
            }
        }
        for row in PARAMETERS {
            if let Some(text) = field(row.name) {
                row.set(&mut settings, text)?;
            }
        }
        Ok(settings)
    }

    /// Returns the settings for turning counts into scores.
    pub fn rules(&self) -> Rules {
        Rules { blanc_halves: self.blanc }
    }

    /// Returns whether the texts of responses in any format may differ from the key's, so that they must be compared as
    /// texts.
    pub fn aligns_texts(&self) -> bool {
        matches!(self.align, Align::Characters | Align::Text)
    }

    /// Returns whether matching or selection needs the key's layers.
    pub fn needs_layers(&self) -> bool {
        self.np_only == Switch::Yes || self.matching == Match::MinSpan
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::metrics::Metric;

    use super::*;
    use crate::formats::{FORMATS, FormatSpec};
    use crate::profiles::PROFILES;

    /// A report that any setting can affect.
    fn anything() -> Shown<'static> {
        Shown { formats: FORMATS.iter().map(FormatSpec::traits).collect(), ..Shown::default() }
    }

    #[test]
    fn rows_are_unique_and_every_value_reads_back() {
        let names: BTreeSet<_> = OPTIONS.iter().map(|option| option.name).collect();
        assert_eq!(names.len(), OPTIONS.len());
        for option in OPTIONS {
            for value in option.ids() {
                let mut settings = Settings::of(&PROFILES[0]);
                settings.set(option.name, value).unwrap();
                assert_eq!(option.value(&settings), value);
                assert_eq!(Settings::from_signature(&settings.signature(&anything())), Ok(settings));
            }
        }
    }

    #[test]
    fn a_signature_names_only_settings_that_differ_and_can_matter() {
        let mut settings = Settings::of(Profile::named("corefud").unwrap());
        let named = |settings: &Settings, shown: &Shown<'_>| {
            let signature = settings.signature(shown);
            signature.split_once("|format:").unwrap().1.to_owned()
        };
        let shown = |format: &'static str, metric| {
            let info = Metric::parse(metric).unwrap().spec().info;
            Shown { formats: FormatSpec::traits_of(format), metrics: Some(vec![info]), ..Shown::default() }
        };
        assert_eq!(named(&settings, &shown("corefud", "muc")), "corefud");
        for (name, value) in [("zeros", "drop"), ("blanc", "key"), ("ace", "2007"), ("named", "upos")] {
            settings.set(name, value).unwrap();
        }
        assert_eq!(named(&settings, &shown("corefud", "muc")), "corefud|zeros:drop");
        assert_eq!(named(&settings, &shown("conll", "muc")), "conll");
        assert_eq!(named(&settings, &shown("conll+corefud", "blanc")), "conll+corefud|zeros:drop|blanc:key");
        assert_eq!(named(&settings, &shown("apf", "ace_value")), "apf|ace:2007");
        let names = Shown { names: true, ..shown("conll", "cone_ceaf") };
        assert_eq!(named(&settings, &names), "conll|named:upos");
        assert!(named(&settings, &anything()).ends_with("|zeros:drop|blanc:key|named:upos|ace:2007"));
    }

    #[test]
    fn changed_parameters_read_back() {
        let mut settings = Settings::of(&PROFILES[0]);
        settings.ace = AceRules::Of2007;
        settings.ace_changes = AceChanges::parse("mention.NOM=0.2,least.text=0", settings.ace).unwrap();
        let signature = settings.signature(&anything());
        assert!(signature.ends_with("|ace:2007|ace-parameters:mention.NOM=0.2,least.text=0"), "{signature}");
        assert_eq!(Settings::from_signature(&signature), Ok(settings));
    }

    #[test]
    fn weights_read_back() {
        let mut settings = Settings::of(&PROFILES[0]);
        let file = "mention-type.\"a|b:c\" = 0.5\ndefault.entity-type = 2";
        settings.weights = Some(Weights::read(file, "w.toml").unwrap());
        let signature = settings.signature(&anything());
        assert!(
            signature.ends_with("|weights:mention-type.a%7Cb%3Ac=0.5,default.entity-type=2"),
            "{signature}"
        );
        assert_eq!(Settings::from_signature(&signature), Ok(settings));
    }

    #[test]
    fn wrong_names_suggest_the_right_one() {
        let mut settings = Settings::of(&PROFILES[0]);
        let error = settings.set("singleton", "drop").unwrap_err();
        assert_eq!(error.remedy().as_deref(), Some("did you mean `singletons`?"));
        let error = settings.set("average", "micron").unwrap_err();
        assert_eq!(error.remedy().as_deref(), Some("did you mean `micro`?"));
    }
}
