//! Every choice that a score depends on, as one value with one spelling.
//!
//! [`OPTIONS`] is the table of choices: the command's options, the profiles' rows, the signature
//! and the documentation all read it. A signature holds every choice and reads back to equal
//! settings.

use crate::ace_parameters::AceChanges;
use crate::error::{Error, ErrorKind, Result};
use crate::formats::{Annotation, SpanEnd};
use crate::named::Heuristics;
use crate::profiles::Profile;
use crate::suggest::nearest;
use crate::weights::Weights;

/// One row of the table of choices.
#[derive(Debug)]
pub struct OptionSpec {
    /// As typed after `--`, and the field in a signature.
    pub name: &'static str,
    /// One line of help.
    pub summary: &'static str,
    /// Values with a line of help each.
    pub values: &'static [(&'static str, &'static str)],
    /// Whether the command takes it as a flag, which stands for `yes`.
    pub flag: bool,
    /// The formats that it concerns, or none where it concerns all. A signature of others leaves it out
    /// unless it differs from the profile's.
    pub formats: &'static [&'static str],
    get: fn(&Settings) -> &'static str,
    set: fn(&mut Settings, &str) -> bool,
}

macro_rules! choice {
    ($(#[$meta:meta])* $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $id:literal $summary:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum $name { $($(#[$variant_meta])* #[doc = $summary] $variant,)* }
        choice!(@table $name { $($variant = $id $summary,)* });
    };
    (@table $name:ident { $($variant:ident = $id:literal $summary:literal,)* }) => {
        impl Choice for $name {
            const VALUES: &'static [(&'static str, &'static str)] = &[$(($id, $summary),)*];
            fn id(self) -> &'static str {
                match self { $($name::$variant => $id,)* }
            }
            fn from_id(id: &str) -> Option<$name> {
                match id { $($id => Some($name::$variant),)* _ => None }
            }
        }
    };
}

pub(crate) use choice;

/// A choice among named values.
pub(crate) trait Choice: Copy + Sized {
    const VALUES: &'static [(&'static str, &'static str)];
    fn id(self) -> &'static str;
    fn from_id(id: &str) -> Option<Self>;
}

choice! {
    /// When two mentions are the same.
    Match {
        #[default]
        Exact = "exact" "the same words",
        Head = "head" "the same words and head, else the same head (corefud-scorer)",
        Partial = "partial" "the same words, else words of the key's mention among which its head or minimum span is",
        Craft = "craft" "the same words, else a part within the first part of the key's mention (CRAFT 2019)",
        MinSpan = "min-span" "the same minimum span by the key's parse (MINA); where there is none, the same words",
        Muc = "muc" "the same words, else words of the key's mention among which all of its minimum span is (MUC-6 and MUC-7)",
    }
}
choice! {
    /// Whether something is scored or left out.
    Keep {
        #[default]
        Keep = "keep" "score them",
        Drop = "drop" "leave them out, on both sides, before anything is matched",
    }
}
choice! {
    /// How zeros are matched, which two annotations may put in different places.
    ZeroMatch {
        #[default]
        Linear = "linear" "as other mentions: in the same place",
        Dependent = "dependent" "by what they depend on, in the same sentence; then as other mentions",
    }
}
choice! {
    /// How mentions of the key count that are marked as optional.
    Optional {
        #[default]
        Count = "count" "as all others",
        IfFound = "if-found" "those that the response lacks are left out of the key (MUC)",
    }
}
choice! {
    /// In which order mentions are left out; what an entity has lost decides whether it is a singleton.
    SelectionOrder {
        #[default]
        SingletonsFirst = "singletons-first" "singletons, then zeros: what zeros leave behind stays (corefud-scorer)",
        ZerosFirst = "zeros-first" "zeros, then singletons",
    }
}
choice! {
    /// Whether split antecedents are scored.
    SplitAntecedents {
        #[default]
        Drop = "drop" "leave them out",
        Keep = "keep" "a member of their entity that is worth what the metric finds of its parts (the Universal Anaphora scorer)",
        Only = "only" "score nothing else",
    }
}
choice! {
    /// A rule that is applied or not.
    Switch {
        #[default]
        No = "no" "off",
        Yes = "yes" "on",
    }
}
choice! {
    /// Which copy of a mention counts that one side annotates more than once.
    Duplicates {
        #[default]
        First = "first" "the response's first copy, if the key has the mention; all copies if not (the reference scorer)",
        Last = "last" "all copies stay in their entities; the other side sees the last one (coval)",
        Distinct = "distinct" "one copy in each entity; the other side sees the last one (corefud-scorer)",
    }
}
choice! {
    /// How the place of a mention is told.
    Place {
        #[default]
        Document = "document" "by word number in the document",
        Sentence = "sentence" "by sentence number and word number in the sentence",
    }
}
choice! {
    /// Whether key and response must have the same words.
    CheckTokens {
        #[default]
        Yes = "yes" "as many words, and the same, or it is an error",
        Warn = "warn" "as many words, or it is an error; other words are a warning",
        No = "no" "do not compare",
    }
}
choice! {
    /// Within what entities are compared.
    Scope {
        #[default]
        Document = "document" "within each document",
        Topic = "topic" "across the documents of a topic: entities of equal name are one",
        Corpus = "corpus" "across all documents: entities of equal name are one",
    }
}
choice! {
    /// How documents add up to a corpus.
    Average {
        #[default]
        Micro = "micro" "counts are summed over documents, then divided (what the field reports)",
        Macro = "macro" "the mean of the documents' scores, over documents where the metric is defined",
        Mentions = "mentions" "the mean of the documents' scores, weighted by mentions: recall by the key's, precision by the response's, F1 by both (scorch)",
    }
}
choice! {
    /// Which halves of BLANC count when one has no links.
    Halves {
        #[default]
        Key = "key" "halves that have links in the key (the reference scorer)",
        Either = "either" "halves that have links on either side (corefud-scorer)",
    }
}
choice! {
    /// Whose singletons CEAF φ4 sees.
    CeafSingletons {
        #[default]
        Both = "both" "those of both sides",
        KeyOnly = "key-only" "those of the key; the response's are left out (the e2e family)",
    }
}
choice! {
    /// Whose rules and parameters ACE-value has.
    AceRules {
        #[default]
        Of2005 = "2005" "the evaluation of 2005",
        Of2007 = "2007" "the evaluation of 2007",
        Of2008 = "2008" "the evaluation of 2008 (not checked against its scorer)",
        Of2004 = "2004" "the evaluation of 2004 (not checked against its scorer)",
        Of2003 = "2003" "the evaluation of 2003 (not checked against its scorer)",
    }
}
choice! {
    /// Which entities are scored.
    Entities {
        #[default]
        All = "all" "all of them",
        Named = "named" "those with a named mention (NE-CRR); the others are left out, on both sides",
    }
}
choice! {
    /// Where it is said which mentions are named.
    NamedSource {
        #[default]
        Auto = "auto" "the first of these that the data has; a file before what stands in the data",
        MentionType = "mention-type" "the types of mentions (NAM, PROP)",
        NeColumn = "ne-column" "the named-entity column",
        Upos = "upos" "the part of speech of the head (PROPN, NNP)",
        File = "file" "a file of named-entity labels (--ne-labels)",
        Rules = "rules" "built-in rules for English: capitals, titles, acronyms",
    }
}
choice! {
    /// When a name makes a mention a named one.
    NameMatch {
        #[default]
        Head = "head" "the head of the mention is in the name",
        Span = "span" "the name is the whole mention, but for articles and possessive endings",
    }
}
choice!(@table SpanEnd {
    Inclusive = "inclusive" "the end of a span is its last word",
    Exclusive = "exclusive" "the end of a span is one past its last word",
});
choice!(@table Annotation {
    Identity = "identity" "identity of reference",
    DiscourseDeixis = "discourse-deixis" "reference to events and propositions",
});

impl NamedSource {
    /// As typed.
    pub fn as_str(self) -> &'static str {
        self.id()
    }
}

impl AceRules {
    /// The year of the evaluation.
    pub fn year(self) -> &'static str {
        self.id()
    }

    /// The rules of the evaluation of a year.
    pub fn of_year(year: &str) -> Option<AceRules> {
        AceRules::from_id(year)
    }
}

/// The rules about scores (not counts) that metrics follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Which halves of BLANC count.
    pub blanc_halves: Halves,
}

/// Every choice that a score depends on, apart from the files and the metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The row that the choices began from.
    pub profile: &'static Profile,
    /// When two mentions are the same.
    pub matching: Match,
    /// Entities of one mention.
    pub singletons: Keep,
    /// Mentions whose head is not in the text.
    pub zeros: Keep,
    /// How zeros are matched.
    pub zero_match: ZeroMatch,
    /// Whether split antecedents are scored.
    pub split_antecedents: SplitAntecedents,
    /// How mentions of the key count that are marked as optional.
    pub optional: Optional,
    /// In which order mentions are left out.
    pub order: SelectionOrder,
    /// Mentions that a side annotates more than once.
    pub duplicates: Duplicates,
    /// Leave out mentions whose parse in the key is a verb phrase.
    pub np_only: Switch,
    /// Leave out mentions within another mention of their entity.
    pub remove_nested: Switch,
    /// How the place of a mention is told.
    pub place: Place,
    /// Whether key and response must have the same words.
    pub check_tokens: CheckTokens,
    /// Within what entities are compared.
    pub scope: Scope,
    /// Which halves of BLANC count.
    pub blanc: Halves,
    /// Whose singletons CEAF φ4 sees.
    pub ceaf: CeafSingletons,
    /// How documents add up.
    pub average: Average,
    /// Whether files pair by name and each pair has scores of its own.
    pub pair_files: Switch,
    /// Whether documents of a directory are called by their file too.
    pub ids_by_file: Switch,
    /// What the second number of a span means, in formats that leave it open.
    pub span_end: SpanEnd,
    /// Whether mentions may cross, so that closing brackets name theirs.
    pub boundary_crossing: Switch,
    /// What the mentions are taken from, in formats with several annotations.
    pub annotation: Annotation,
    /// Which entities are scored.
    pub entities: Entities,
    /// Where it is said which mentions are named; as chosen until [`named::resolve`](crate::named::resolve)
    /// has looked at the data.
    pub named: NamedSource,
    /// When a name makes a mention a named one.
    pub name_match: NameMatch,
    /// Where the key is made from names: by which heuristics.
    pub key_approximate: Option<Heuristics>,
    /// Whose rules and parameters ACE-value has.
    pub ace: AceRules,
    /// The parameters that differ from them.
    pub ace_changes: AceChanges,
    /// What types of mentions and entities weigh, for metrics that ask for it.
    pub weights: Option<Weights>,
}

/// The field of a signature with the parameters of ACE-value that differ.
/// The formats that are scored by ACE-value unless other metrics are asked for.
const ACE: &[&str] = &["apf"];

const ACE_PARAMETERS: &str = "ace-parameters";

/// The field of a signature with the weights of types.
const WEIGHTS: &str = "weights";
/// The field of a signature with the heuristics that made the key from names.
const KEY_APPROXIMATE: &str = "key-approximate";

macro_rules! options {
    ($($name:literal $kind:ty, $field:ident, $flag:literal, $formats:expr, $summary:literal;)*) => {
        /// All choices, in the order of the signature.
        pub static OPTIONS: &[OptionSpec] = &[$(OptionSpec {
            name: $name,
            summary: $summary,
            values: <$kind as Choice>::VALUES,
            flag: $flag,
            formats: $formats,
            get: |settings| settings.$field.id(),
            set: |settings, value| match <$kind as Choice>::from_id(value) {
                Some(choice) => { settings.$field = choice; true }
                None => false,
            },
        },)*];
    };
}

/// The formats with zeros and with entities that are the sum of others.
const WITH_ZEROS: &[&str] = &["corefud", "conll-ua", "webanno"];

/// What concerns scores of named mentions: a signature has it where such are computed.
const NAMED: &[&str] = &["named mentions"];

/// What does not concern the format: a signature has it only where it differs from the profile's.
const SEVERAL_FILES: &[&str] = &["several files"];

options! {
    "match" Match, matching, false, &[], "when two mentions are the same";
    "singletons" Keep, singletons, false, &[], "entities of one mention";
    "zeros" Keep, zeros, false, WITH_ZEROS, "mentions whose head is not in the text";
    "zero-match" ZeroMatch, zero_match, false, WITH_ZEROS, "how zeros are matched";
    "split-antecedents" SplitAntecedents, split_antecedents, false, WITH_ZEROS, "entities that are the sum of others";
    "optional" Optional, optional, false, &["muc"], "how mentions of the key count that are marked as optional (muc)";
    "order" SelectionOrder, order, false, WITH_ZEROS, "in which order mentions are left out";
    "duplicates" Duplicates, duplicates, false, &[], "which copy of a repeated mention counts";
    "np-only" Switch, np_only, true, &[], "leave out mentions whose parse in the key is a verb phrase";
    "remove-nested" Switch, remove_nested, true, &[], "leave out mentions within another mention of their entity";
    "place" Place, place, false, &[], "how the place of a mention is told";
    "check-tokens" CheckTokens, check_tokens, false, &[], "whether key and response must have the same words";
    "scope" Scope, scope, false, &[], "within what entities are compared";
    "blanc" Halves, blanc, false, &[], "which halves of BLANC count when one has no links";
    "ceaf-singletons" CeafSingletons, ceaf, false, &["jsonlines"], "whose singletons CEAF φ4 sees";
    "average" Average, average, false, &[], "how documents add up to a corpus";
    "pair-files" Switch, pair_files, true, SEVERAL_FILES, "pair the files of two directories by name and score each pair; the mean of their scores is the macro average";
    "ids-by-file" Switch, ids_by_file, true, SEVERAL_FILES, "call the documents of a directory by their file too (`en_gum/GUM_1`), where several files use the same ids";
    "entities" Entities, entities, false, NAMED, "which entities are scored";
    "named" NamedSource, named, false, NAMED, "where it is said which mentions are named (CONE)";
    "name-match" NameMatch, name_match, false, NAMED, "when a name makes a mention a named one (CONE)";
    "span-end" SpanEnd, span_end, false, &["jsonlines"], "what the second number of a span means (jsonlines)";
    "boundary-crossing" Switch, boundary_crossing, true, &["conll-ua"], "mentions may cross: closing brackets name theirs (conll-ua)";
    "annotation" Annotation, annotation, false, &["conll-ua"], "what the mentions are taken from (conll-ua)";
    "ace" AceRules, ace, false, ACE, "whose rules and parameters ACE-value has";
}

impl OptionSpec {
    /// Its value in `settings`.
    pub fn value(&self, settings: &Settings) -> &'static str {
        (self.get)(settings)
    }

    /// Whether it is about pairs of files, of whatever format.
    pub fn concerns_files(&self) -> bool {
        self.formats == SEVERAL_FILES
    }

    /// Whether it concerns scores of named mentions alone.
    pub fn concerns_names(&self) -> bool {
        self.formats == NAMED
    }

    /// The ids of its values.
    pub fn ids(&self) -> impl Iterator<Item = &'static str> {
        self.values.iter().map(|value| value.0)
    }
}

impl Settings {
    /// The settings of a profile.
    ///
    /// ```
    /// use corefeval_core::profiles::Profile;
    /// use corefeval_core::settings::Settings;
    /// let mut settings = Settings::of(Profile::named("conll")?);
    /// settings.set("singletons", "drop")?;
    /// let signature = settings.signature("conll");
    /// assert_eq!(Settings::from_signature(&signature)?, settings);
    /// # Ok::<(), corefeval_core::Error>(())
    /// ```
    pub fn of(profile: &'static Profile) -> Settings {
        let mut settings = Settings {
            profile,
            matching: Match::default(),
            singletons: Keep::default(),
            zeros: Keep::default(),
            zero_match: ZeroMatch::default(),
            split_antecedents: SplitAntecedents::default(),
            optional: Optional::default(),
            order: SelectionOrder::default(),
            duplicates: Duplicates::default(),
            np_only: Switch::default(),
            remove_nested: Switch::default(),
            place: Place::default(),
            check_tokens: CheckTokens::default(),
            scope: Scope::default(),
            blanc: Halves::default(),
            ceaf: CeafSingletons::default(),
            average: Average::default(),
            pair_files: Switch::default(),
            ids_by_file: Switch::default(),
            span_end: SpanEnd::default(),
            boundary_crossing: Switch::default(),
            annotation: Annotation::default(),
            entities: Entities::default(),
            named: NamedSource::default(),
            name_match: NameMatch::default(),
            key_approximate: None,
            ace: AceRules::default(),
            ace_changes: AceChanges::default(),
            weights: None,
        };
        for &(name, value) in profile.choices {
            let set = settings.set(name, value);
            debug_assert_eq!(set, Ok(()), "the row of profile {}", profile.id);
        }
        settings
    }

    /// Sets one choice by name.
    pub fn set(&mut self, name: &str, value: &str) -> Result<()> {
        let Some(option) = OPTIONS.iter().find(|option| option.name == name) else {
            let error = Error::new(ErrorKind::Settings, format!("there is no option `{name}`"));
            return Err(match nearest(name, OPTIONS.iter().map(|option| option.name)) {
                Some(near) => error.hint(format!("did you mean `{near}`?")),
                None => error,
            });
        };
        if (option.set)(self, value) {
            return Ok(());
        }
        let error = Error::new(ErrorKind::Settings, format!("`{value}` is no value of `{name}`"));
        let hint = match nearest(value, option.ids()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("its values are {}", option.ids().collect::<Vec<_>>().join(", ")),
        };
        Err(error.hint(hint))
    }

    /// Everything in one line: version, profile, format, then every choice that concerns the format
    /// (`conll`, or `conll+jsonlines` where key and response differ).
    pub fn signature(&self, format: &str) -> String {
        self.signature_with(format, false)
    }

    /// As [`signature`](Self::signature); with the rules of ACE-value where figures are of it, whatever the format.
    pub fn signature_with(&self, format: &str, ace: bool) -> String {
        let mut text = format!("corefeval:{}|profile:{}|format:{format}", crate::VERSION, self.profile.id);
        let usual = Settings::of(self.profile);
        for option in OPTIONS {
            let value = option.value(self);
            let concerns =
                option.formats.is_empty() || format.split('+').any(|name| option.formats.contains(&name));
            let concerns = concerns || (option.concerns_names() && self.named != NamedSource::Auto);
            let concerns = concerns || (ace && option.formats == ACE);
            if concerns || value != option.value(&usual) {
                text.push('|');
                text.push_str(option.name);
                text.push(':');
                text.push_str(value);
            }
        }
        if !self.ace_changes.is_empty() {
            text.push_str(&format!("|{ACE_PARAMETERS}:{}", self.ace_changes));
        }
        if let Some(weights) = self.weights {
            text.push_str(&format!("|{WEIGHTS}:{weights}"));
        }
        if let Some(heuristics) = self.key_approximate {
            text.push_str(&format!("|{KEY_APPROXIMATE}:{heuristics}"));
        }
        text
    }

    /// The settings that [`signature`](Self::signature) printed. Fields of later versions are an
    /// error, fields that are not there keep the profile's value.
    pub fn from_signature(signature: &str) -> Result<Settings> {
        let wrong = |message: String| Error::new(ErrorKind::Settings, message);
        let fields: Vec<(&str, &str)> = signature
            .trim()
            .split('|')
            .map(|field| {
                field.split_once(':').ok_or_else(|| wrong(format!("`{field}` is no field of a signature")))
            })
            .collect::<Result<_>>()?;
        let field = |name: &str| fields.iter().find(|field| field.0 == name).map(|field| field.1);
        let profile = field("profile").ok_or_else(|| wrong("the signature names no profile".to_owned()))?;
        let mut settings = Settings::of(Profile::named(profile)?);
        if let Some(&(name, _)) = fields
            .iter()
            .enumerate()
            .find(|(place, field)| fields[..*place].iter().any(|f| f.0 == field.0))
            .map(|f| f.1)
        {
            return Err(wrong(format!("the signature has `{name}` twice")));
        }
        for &(name, value) in &fields {
            if !matches!(
                name,
                "corefeval" | "profile" | "format" | ACE_PARAMETERS | WEIGHTS | KEY_APPROXIMATE
            ) {
                settings.set(name, value)?;
            }
        }
        if let Some(changes) = field(ACE_PARAMETERS) {
            settings.ace_changes = AceChanges::parse(changes, settings.ace)?;
        }
        settings.weights = field(WEIGHTS).map(Weights::parse).transpose()?;
        settings.key_approximate = field(KEY_APPROXIMATE).map(Heuristics::parse).transpose()?;
        Ok(settings)
    }

    /// The rules about scores.
    pub fn rules(&self) -> Rules {
        Rules { blanc_halves: self.blanc }
    }

    /// Whether the key's layers are needed.
    pub fn needs_layers(&self) -> bool {
        self.np_only == Switch::Yes || self.matching == Match::MinSpan
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::profiles::PROFILES;

    #[test]
    fn rows_are_unique_and_every_value_reads_back() {
        let names: BTreeSet<_> = OPTIONS.iter().map(|option| option.name).collect();
        assert_eq!(names.len(), OPTIONS.len());
        for option in OPTIONS {
            for value in option.ids() {
                let mut settings = Settings::of(&PROFILES[0]);
                settings.set(option.name, value).unwrap();
                assert_eq!(option.value(&settings), value);
                assert_eq!(Settings::from_signature(&settings.signature("conll")), Ok(settings));
            }
        }
    }

    #[test]
    fn changed_parameters_read_back() {
        let mut settings = Settings::of(&PROFILES[0]);
        settings.ace = AceRules::Of2007;
        settings.ace_changes = AceChanges::parse("mention.NOM=0.2,least.text=0", settings.ace).unwrap();
        let signature = settings.signature("apf");
        assert!(signature.ends_with("|ace:2007|ace-parameters:mention.NOM=0.2,least.text=0"), "{signature}");
        assert_eq!(Settings::from_signature(&signature), Ok(settings));
    }

    #[test]
    fn weights_read_back() {
        let mut settings = Settings::of(&PROFILES[0]);
        let file = "mention-type.\"a|b:c\" = 0.5\ndefault.entity-type = 2";
        settings.weights = Some(Weights::read(file, "w.toml").unwrap());
        let signature = settings.signature("conll");
        assert!(
            signature.ends_with("|weights:mention-type.a%7Cb%3Ac=0.5,default.entity-type=2"),
            "{signature}"
        );
        assert_eq!(Settings::from_signature(&signature), Ok(settings));
    }

    #[test]
    fn wrong_names_bring_the_right_one() {
        let mut settings = Settings::of(&PROFILES[0]);
        let error = settings.set("singleton", "drop").unwrap_err();
        assert_eq!(error.remedy(), Some("did you mean `singletons`?"));
        let error = settings.set("average", "micron").unwrap_err();
        assert_eq!(error.remedy(), Some("did you mean `micro`?"));
    }
}
