//! Decides the types of mentions: from the annotation, otherwise from tags and named entities, otherwise from closed
//! word lists.

use std::fmt;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::model::Document;

/// The type of a mention, by which link errors are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MentionType {
    /// Headed by a proper noun or by a word with a named-entity label.
    Name,
    /// Everything else: common nouns, numbers, coordinations, relative pronouns.
    Nominal,
    /// A personal or possessive pronoun, or a zero.
    Pronoun,
    /// Headed by a determiner, such as `this`.
    Demonstrative,
    /// Headed by a verb.
    Verb,
}

impl MentionType {
    /// All types, in the order in which they are shown.
    pub const ALL: [MentionType; 5] = [
        MentionType::Name,
        MentionType::Nominal,
        MentionType::Pronoun,
        MentionType::Demonstrative,
        MentionType::Verb,
    ];

    /// Returns the id used in tables and JSON.
    pub fn id(self) -> &'static str {
        match self {
            MentionType::Name => "name",
            MentionType::Nominal => "nominal",
            MentionType::Pronoun => "pronoun",
            MentionType::Demonstrative => "demonstrative",
            MentionType::Verb => "verb",
        }
    }

    /// Returns whether its antecedent is expected close by: pronouns and demonstratives.
    pub(super) fn is_local(self) -> bool {
        matches!(self, MentionType::Pronoun | MentionType::Demonstrative)
    }

    /// Returns the type that an annotation scheme's own label means; `None` for labels of other kinds, such as
    /// information status.
    pub(super) fn of_label(label: &str) -> Option<MentionType> {
        let label = label.to_uppercase();
        match label.as_str() {
            "NAM" | "NAME" | "NAMED" | "NE" | "PROP" | "PROPER" | "PROPN" => Some(MentionType::Name),
            "NOM" | "NOMINAL" | "NML" | "PRE" | "COMMON" | "NOUN" => Some(MentionType::Nominal),
            "PRO" | "PRON" | "PRONOUN" | "PRN" | "PTV" | "WHQ" => Some(MentionType::Pronoun),
            "DEM" | "DEMONSTRATIVE" => Some(MentionType::Demonstrative),
            "VERB" => Some(MentionType::Verb),
            _ => None,
        }
    }

    /// Returns the type that the tag of a head indicates, in the Penn treebanks (English, Chinese, Arabic) and in
    /// Universal Dependencies. A head with a named-entity label is a name whatever its tag.
    pub(super) fn of_tag(tag: &str) -> MentionType {
        let begins = |prefix: &str| tag.starts_with(prefix);
        if begins("NNP") || begins("PROPN") || begins("NOUN_PROP") || tag == "NR" {
            MentionType::Name
        } else if begins("PRP") || begins("PRON") || tag == "PN" {
            MentionType::Pronoun
        } else if begins("DT") || begins("DEM") || tag == "DET" {
            MentionType::Demonstrative
        } else if begins("VB") || matches!(tag, "VERB" | "AUX" | "VV" | "VA" | "VC" | "VE") {
            MentionType::Verb
        } else {
            MentionType::Nominal
        }
    }
}

/// The rule that decides the type of a mention if it is not annotated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TypeRule {
    /// Its head by Collins' rules, which span errors use too.
    #[default]
    Head,
    /// Its head by the rules of cort, for the same counts by type as cort. Text without a parse falls back to
    /// [`TypeRule::Head`].
    Cort,
}

impl TypeRule {
    /// The choice of a rule, in a line of help.
    pub const SUMMARY: &'static str = "The word that determines the type of a mention";

    /// All rules, with a line of help each.
    pub const ALL: [(TypeRule, &'static str, &'static str); 2] = [
        (TypeRule::Head, "head", "the head by Collins' rules, otherwise the annotated one"),
        (TypeRule::Cort, "cort", "the head by cort's rules, which gives the same counts by type as cort"),
    ];

    /// Returns the id, as typed.
    pub fn id(self) -> &'static str {
        TypeRule::ALL[self as usize].1
    }

    /// Returns the rule with this id.
    pub fn from_id(id: &str) -> Option<TypeRule> {
        TypeRule::ALL.iter().find(|row| row.1 == id).map(|row| row.0)
    }
}

impl fmt::Display for MentionType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.id())
    }
}

/// Returns whether a cell contains a tag.
pub(super) fn is_tag(cell: impl AsRef<[u8]>) -> bool {
    !matches!(cell.as_ref(), b"" | b"-" | b"_" | b"*")
}

/// Returns whether a word with this tag is a pronoun when it is a whole mention.
pub(super) fn is_pronoun_tag(tag: &str) -> bool {
    matches!(
        tag,
        "PRP"
            | "PRP$"
            | "WP"
            | "WP$"
            | "WDT"
            | "WRB"
            | "DT"
            | "PRON"
            | "DET"
            | "PN"
            | "PPER"
            | "PPOSAT"
            | "PDS"
    ) || tag.starts_with("PRON_")
        || tag.starts_with("DEM_PRON")
}

/// Closed word lists of one language, for documents without tags. All words are lower-cased and sorted.
#[derive(Debug)]
pub struct Language {
    /// The language by its ISO 639-1 code; `none` for any other language.
    pub code: &'static str,
    /// Words that are pronouns when they are a whole mention, demonstratives included.
    pub pronouns: &'static [&'static str],
    /// The demonstratives among them.
    pub demonstratives: &'static [&'static str],
    /// True if a capital letter within a sentence marks a name.
    pub capitals: bool,
}

/// The code of the language without lists, for texts in a language that has none.
pub(crate) const NO_LIST: &str = "none";

impl Language {
    /// The choice of a language, in a line of help.
    pub const SUMMARY: &'static str = "Language of text without parts of speech";

    /// Returns whether `word` is a pronoun.
    pub(super) fn is_pronoun(&self, word: &str) -> bool {
        is_pronoun_of(word, || self)
    }

    /// Returns whether `word` is a demonstrative.
    pub(super) fn is_demonstrative(&self, word: &str) -> bool {
        lowered(word, |word| self.demonstratives.contains(&word).then_some(())).is_some()
    }
}

/// Looks the word up in lower case, without allocating for ASCII; words longer than every pronoun are skipped.
fn lowered<T>(word: &str, find: impl Fn(&str) -> Option<T>) -> Option<T> {
    const LONGEST: usize = 24;
    if word.len() > LONGEST {
        return None;
    }
    if !word.is_ascii() {
        return find(&word.to_lowercase());
    }
    let mut buffer = [0; LONGEST];
    let buffer = &mut buffer[..word.len()];
    buffer.copy_from_slice(word.as_bytes());
    buffer.make_ascii_lowercase();
    std::str::from_utf8(buffer).ok().and_then(find)
}

/// All pronouns.
struct PronounList {
    /// The languages of each, a bit for each of [`LANGUAGES`].
    languages: FxHashMap<&'static str, u32>,
    /// The lengths of ASCII pronouns by their first letter, a bit for each length: these distinguish most words.
    lengths: [u32; 256],
}

impl PronounList {
    fn all() -> PronounList {
        let mut all = PronounList { languages: FxHashMap::default(), lengths: [0; 256] };
        for (place, language) in LANGUAGES.iter().enumerate() {
            for pronoun in language.pronouns {
                *all.languages.entry(*pronoun).or_default() |= 1 << place;
                all.lengths[PronounList::first(pronoun)] |= 1 << pronoun.len();
            }
        }
        all
    }

    /// Returns the first byte of a word, the same for both cases of a letter.
    fn first(word: &str) -> usize {
        word.bytes().next().map_or(0, |byte| usize::from(byte | 0x20))
    }

    fn may_have(&self, word: &str) -> bool {
        !word.is_ascii() || word.len() < 32 && self.lengths[PronounList::first(word)] >> word.len() & 1 == 1
    }
}

/// Returns whether `word` is a pronoun of a language, which is determined only if some language has this pronoun.
pub(super) fn is_pronoun_of<'l>(word: &str, language: impl FnOnce() -> &'l Language) -> bool {
    let languages = languages_of_pronoun(word);
    if languages == 0 {
        return false;
    }
    let code = language().code;
    (0..).zip(LANGUAGES).any(|(n, known)| languages >> n & 1 == 1 && known.code == code)
}

/// Returns the languages in which `word` is a pronoun, a bit for each of [`LANGUAGES`]. Searches all languages at once,
/// for looking up every word of a text.
pub(super) fn languages_of_pronoun(word: &str) -> u32 {
    static PRONOUNS: LazyLock<PronounList> = LazyLock::new(PronounList::all);
    if !PRONOUNS.may_have(word) {
        return 0;
    }
    lowered(word, |word| PRONOUNS.languages.get(word).copied()).unwrap_or(0)
}

/// The numbers of mentions of one word that are pronouns, by language.
#[derive(Clone, Debug)]
pub(super) struct PronounCounts {
    /// The number for each of [`LANGUAGES`].
    of_languages: Vec<u64>,
    /// The number for any language.
    words: u64,
}

impl Default for PronounCounts {
    fn default() -> PronounCounts {
        PronounCounts { of_languages: vec![0; LANGUAGES.len()], words: 0 }
    }
}

impl PronounCounts {
    /// Counts the mentions of a document. `form` returns a word as written.
    pub(super) fn add_mentions<'d>(&mut self, document: &Document, form: impl Fn(u32) -> &'d str) {
        for mention in document.mentions().iter().filter(|mention| mention.span().len() == 1) {
            let mut languages = languages_of_pronoun(form(mention.span().start()));
            self.words += u64::from(languages != 0);
            while languages != 0 {
                self.of_languages[languages.trailing_zeros() as usize] += 1;
                languages &= languages - 1;
            }
        }
    }

    pub(super) fn add(&mut self, other: &PronounCounts) {
        self.of_languages.iter_mut().zip(&other.of_languages).for_each(|(sum, count)| *sum += count);
        self.words += other.words;
    }

    pub(super) fn words(&self) -> u64 {
        self.words
    }

    /// Returns the language with most pronouns. The first one wins ties.
    pub(super) fn language(&self) -> &'static Language {
        let best = (0..LANGUAGES.len()).rev().max_by_key(|&place| self.of_languages[place]);
        &LANGUAGES[best.unwrap_or(0)]
    }
}

/// The languages with word lists. English comes first: it is the default, and wins ties.
pub static LANGUAGES: &[Language] = &[
    Language {
        code: "en",
        pronouns: &[
            "'em",
            "all",
            "anybody",
            "anyone",
            "em",
            "everybody",
            "everyone",
            "everything",
            "few",
            "he",
            "her",
            "hers",
            "herself",
            "him",
            "himself",
            "his",
            "how",
            "i",
            "it",
            "its",
            "itself",
            "many",
            "me",
            "mine",
            "most",
            "my",
            "myself",
            "nobody",
            "none",
            "noone",
            "nothing",
            "one",
            "our",
            "ours",
            "ourselves",
            "several",
            "she",
            "some",
            "somebody",
            "someone",
            "something",
            "that",
            "their",
            "theirs",
            "them",
            "themselves",
            "these",
            "they",
            "this",
            "those",
            "thyself",
            "us",
            "we",
            "what",
            "whatever",
            "when",
            "where",
            "which",
            "who",
            "whoever",
            "whom",
            "whomever",
            "whose",
            "ya",
            "you",
            "your",
            "yours",
            "yourself",
            "yourselves",
        ],
        demonstratives: &["that", "these", "this", "those"],
        capitals: true,
    },
    Language {
        code: "ar",
        pronouns: &[
            "أنا",
            "أنت",
            "أنتم",
            "إياه",
            "التي",
            "الذي",
            "الذين",
            "ذلك",
            "نحن",
            "هؤلاء",
            "هذا",
            "هذه",
            "هم",
            "هما",
            "هن",
            "هو",
            "هي",
        ],
        demonstratives: &["ذلك", "هؤلاء", "هذا", "هذه"],
        capitals: false,
    },
    Language {
        code: "de",
        pronouns: &[
            "das", "dem", "den", "denen", "der", "deren", "dessen", "dich", "die", "diese", "diesem",
            "diesen", "dieser", "dieses", "dir", "du", "er", "es", "euch", "euer", "ich", "ihm", "ihn",
            "ihnen", "ihr", "ihre", "ihrem", "ihren", "ihrer", "ihres", "man", "mein", "meine", "mich",
            "mir", "sein", "seine", "seinem", "seinen", "seiner", "seines", "selbst", "sich", "sie", "uns",
            "unser", "unsere", "was", "wem", "wen", "wer", "wir",
        ],
        demonstratives: &["das", "diese", "diesem", "diesen", "dieser", "dieses"],
        capitals: false,
    },
    Language {
        code: "es",
        pronouns: &[
            "aquel", "aquella", "aquello", "cual", "cuyo", "ella", "ellas", "ello", "ellos", "esa", "ese",
            "eso", "esta", "este", "esto", "la", "las", "le", "les", "lo", "los", "me", "mi", "mis", "nos",
            "nosotros", "nuestra", "nuestro", "os", "que", "quien", "se", "su", "sus", "suya", "suyo", "te",
            "tu", "tus", "tú", "usted", "ustedes", "vosotros", "yo", "él", "ésta", "éste",
        ],
        demonstratives: &[
            "aquel", "aquella", "aquello", "esa", "ese", "eso", "esta", "este", "esto", "ésta", "éste",
        ],
        capitals: true,
    },
    Language {
        code: "fr",
        pronouns: &[
            "ce", "ceci", "cela", "celle", "celles", "celui", "ceux", "dont", "elle", "elles", "en", "eux",
            "il", "ils", "j'", "je", "l'", "la", "le", "les", "leur", "leurs", "lui", "m'", "ma", "me",
            "mes", "moi", "mon", "nos", "notre", "nous", "on", "qui", "s'", "sa", "se", "ses", "soi", "son",
            "t'", "ta", "te", "tes", "toi", "ton", "tu", "vos", "votre", "vous", "y", "ça",
        ],
        demonstratives: &["ce", "ceci", "cela", "celle", "celles", "celui", "ceux", "ça"],
        capitals: true,
    },
    Language {
        code: "ru",
        pronouns: &[
            "вам",
            "вами",
            "вас",
            "ваш",
            "вы",
            "его",
            "ей",
            "ему",
            "ею",
            "её",
            "им",
            "ими",
            "их",
            "который",
            "меня",
            "мне",
            "мной",
            "мой",
            "мы",
            "нам",
            "нами",
            "нас",
            "наш",
            "него",
            "ней",
            "нему",
            "них",
            "он",
            "она",
            "они",
            "оно",
            "свой",
            "себе",
            "себя",
            "собой",
            "тебе",
            "тебя",
            "ты",
            "это",
            "этот",
            "я",
        ],
        demonstratives: &["это", "этот"],
        capitals: true,
    },
    Language {
        code: "zh",
        pronouns: &[
            "人家",
            "他",
            "他们",
            "他们自己",
            "他自己",
            "你",
            "你们",
            "其",
            "咱们",
            "大家",
            "她",
            "她们",
            "它",
            "它们",
            "您",
            "我",
            "我们",
            "自己",
            "这",
            "这些",
            "这里",
            "那",
            "那些",
            "那里",
        ],
        demonstratives: &["这", "这些", "这里", "那", "那些", "那里"],
        capitals: false,
    },
    Language { code: NO_LIST, pronouns: &[], demonstratives: &[], capitals: true },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_lists_are_sorted_and_lower_case() {
        for language in LANGUAGES {
            let sorted = language.pronouns.windows(2).all(|two| two[0] < two[1]);
            assert!(sorted, "{}: {:?}", language.code, {
                let mut words = language.pronouns.to_vec();
                words.sort_unstable();
                words.dedup();
                words
            });
            assert!(language.pronouns.iter().all(|word| word.to_lowercase() == *word), "{}", language.code);
            let listed = |word: &&&str| language.pronouns.contains(*word);
            assert!(language.demonstratives.iter().all(|word| listed(&word)), "{}", language.code);
        }
    }

    #[test]
    fn one_search_finds_the_languages_of_a_pronoun() {
        let words = LANGUAGES.iter().flat_map(|language| language.pronouns).copied();
        for word in words.chain(["LA", "Él", "ЕГО", "Bergen", "", "unverhältnismäßigkeiten"]) {
            let lowered = word.to_lowercase();
            let is_listed = |known: &Language| known.pronouns.contains(&lowered.as_str());
            let bits = LANGUAGES.iter().enumerate().map(|(n, known)| u32::from(is_listed(known)) << n);
            assert_eq!(languages_of_pronoun(word), bits.sum::<u32>(), "{word}");
        }
    }

    #[test]
    fn case_does_not_matter_to_pronouns() {
        let english = &LANGUAGES[0];
        assert!(english.is_pronoun("US") && english.is_pronoun("It") && !english.is_pronoun("Bergen"));
        let spanish = LANGUAGES.iter().find(|language| language.code == "es").unwrap();
        assert!(spanish.is_pronoun("Él"));
    }

    #[test]
    fn tags_of_all_treebanks_have_a_type() {
        for (tag, kind) in [
            ("NNPS", MentionType::Name),
            ("PROPN", MentionType::Name),
            ("NR", MentionType::Name),
            ("PRP$", MentionType::Pronoun),
            ("PN", MentionType::Pronoun),
            ("DT", MentionType::Demonstrative),
            ("VBD", MentionType::Verb),
            ("WP", MentionType::Nominal),
            ("CD", MentionType::Nominal),
        ] {
            assert_eq!(MentionType::of_tag(tag), kind, "{tag}");
        }
    }
}
