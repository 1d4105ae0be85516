//! Decides the types of mentions: from the annotation, otherwise from tags and named entities, otherwise from closed
//! word lists.

use std::fmt;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::other_languages::OTHER_LANGUAGES;
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
    /// Universal Dependencies. A head with a named-entity label is a name regardless of its tag.
    pub(super) fn of_tag(tag: &[u8]) -> MentionType {
        let begins = |prefix: &[u8]| tag.starts_with(prefix);
        if begins(b"NNP") || begins(b"PROPN") || begins(b"NOUN_PROP") || tag == b"NR" {
            MentionType::Name
        } else if begins(b"PRP") || begins(b"PRON") || tag == b"PN" {
            MentionType::Pronoun
        } else if begins(b"DT") || begins(b"DEM") || tag == b"DET" {
            MentionType::Demonstrative
        } else if begins(b"VB") || matches!(tag, b"VERB" | b"AUX" | b"VV" | b"VA" | b"VC" | b"VE") {
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
pub(super) fn is_pronoun_tag(tag: &[u8]) -> bool {
    matches!(
        tag,
        b"PRP"
            | b"PRP$"
            | b"WP"
            | b"WP$"
            | b"WDT"
            | b"WRB"
            | b"DT"
            | b"PRON"
            | b"DET"
            | b"PN"
            | b"PPER"
            | b"PPOSAT"
            | b"PDS"
    ) || tag.starts_with(b"PRON_")
        || tag.starts_with(b"DEM_PRON")
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

/// All pronouns, and the words of [`OTHER_LANGUAGES`].
struct PronounList {
    /// The languages of each, a bit for each of [`LANGUAGES`], followed by [`OTHER_LANGUAGES`].
    languages: FxHashMap<&'static str, u32>,
    /// The lengths of ASCII pronouns by their first letter, a bit for each length: these distinguish most words.
    lengths: [u32; 256],
}

impl PronounList {
    fn all() -> PronounList {
        let mut all = PronounList { languages: FxHashMap::default(), lengths: [0; 256] };
        let mut bit = 1;
        for language in LANGUAGES {
            language.pronouns.iter().for_each(|word| all.add(word, bit));
            bit <<= 1;
        }
        for words in OTHER_LANGUAGES {
            words.split(' ').for_each(|word| all.add(word, bit));
            bit <<= 1;
        }
        all
    }

    fn add(&mut self, word: &'static str, bit: u32) {
        *self.languages.entry(word).or_default() |= bit;
        self.lengths[PronounList::first(word)] |= 1 << word.len();
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
    let languages = languages_of_word(word) & ((1 << LANGUAGES.len()) - 1);
    if languages == 0 {
        return false;
    }
    let code = language().code;
    (0..).zip(LANGUAGES).any(|(n, known)| languages >> n & 1 == 1 && known.code == code)
}

/// Returns the languages that have `word` in their list, a bit for each of [`LANGUAGES`], followed by those of
/// [`OTHER_LANGUAGES`]. Searches all languages at once, for looking up every word of a text.
fn languages_of_word(word: &str) -> u32 {
    static PRONOUNS: LazyLock<PronounList> = LazyLock::new(PronounList::all);
    if !PRONOUNS.may_have(word) {
        return 0;
    }
    lowered(word, |word| PRONOUNS.languages.get(word).copied()).unwrap_or(0)
}

/// The number of all languages.
const ALL: usize = LANGUAGES.len() + OTHER_LANGUAGES.len();

const _: () = assert!(ALL <= u32::BITS as usize, "each language has a bit");

/// The numbers of mentions of one word that are in the list of each language.
#[derive(Clone, Debug, Default)]
pub(super) struct PronounCounts {
    /// The number for each of [`LANGUAGES`], followed by those for [`OTHER_LANGUAGES`].
    of_languages: [u64; ALL],
    /// The number for any language.
    found: u64,
    /// All words.
    words: u64,
}

impl PronounCounts {
    /// Counts the mentions of one word of a document. `form` returns a word as written.
    pub(super) fn add_mentions<'d>(&mut self, document: &Document, form: impl Fn(u32) -> &'d str) {
        for mention in document.mentions().iter().filter(|mention| mention.span().len() == 1) {
            self.add_word(form(mention.span().start()));
        }
    }

    /// Counts a word.
    pub(super) fn add_word(&mut self, word: &str) {
        let mut languages = languages_of_word(word);
        self.words += 1;
        self.found += u64::from(languages != 0);
        while languages != 0 {
            self.of_languages[languages.trailing_zeros() as usize] += 1;
            languages &= languages - 1;
        }
    }

    pub(super) fn add(&mut self, other: &PronounCounts) {
        self.of_languages.iter_mut().zip(&other.of_languages).for_each(|(sum, count)| *sum += count);
        self.found += other.found;
        self.words += other.words;
    }

    /// Returns the number of words that are in some list.
    pub(super) fn found(&self) -> u64 {
        self.found
    }

    /// Returns the language with the most words in its list; `None` if another language has more than any with a list
    /// of pronouns. The first one wins ties.
    fn most(&self) -> Option<usize> {
        let most = (0..ALL).rev().max_by_key(|&place| self.of_languages[place])?;
        Some(most).filter(|&most| most < LANGUAGES.len())
    }

    /// Returns the language of mentions: the one with the most words in its list, unless that language has no list of
    /// pronouns, or the share of pronouns among many words is too small.
    pub(super) fn language(&self) -> &'static Language {
        /// A smaller share may be words of another language. English corpora have 35 or more.
        const LEAST_PERCENT: u64 = 5;
        /// With fewer words, the share is too uncertain.
        const MANY: u64 = 100;
        let of = |place: &usize| 100 * self.of_languages[*place] >= LEAST_PERCENT * self.words;
        let most = self.most().filter(|most| self.words < MANY || of(most));
        most.map_or(&NONE, |most| &LANGUAGES[most])
    }

    /// Returns the language of all words of a text, if it has clearly more pronouns than all others.
    pub(super) fn language_of_text(&self) -> Option<&'static Language> {
        /// A smaller number of pronouns may be words of another language.
        const LEAST: u64 = 5;
        let most = self.most()?;
        let count = self.of_languages[most];
        let others = (0..LANGUAGES.len()).filter(|&place| place != most);
        let second = others.map(|place| self.of_languages[place]).max().unwrap_or(0);
        (count >= LEAST && count > 2 * second).then(|| &LANGUAGES[most])
    }
}

/// The languages with word lists. English comes first: it is the default, and wins ties.
pub static LANGUAGES: &[Language] = &[
    Language {
        code: "en",
        pronouns: &[
            "'em", "all", "anybody", "anyone", "em", "everybody", "everyone", "everything", "few", "he",
            "her", "hers", "herself", "him", "himself", "his", "how", "i", "it", "its", "itself", "many",
            "me", "mine", "most", "my", "myself", "nobody", "none", "noone", "nothing", "one", "our", "ours",
            "ourselves", "several", "she", "some", "somebody", "someone", "something", "that", "their",
            "theirs", "them", "themselves", "these", "they", "this", "those", "thyself", "us", "we", "what",
            "whatever", "when", "where", "which", "who", "whoever", "whom", "whomever", "whose", "ya", "you",
            "your", "yours", "yourself", "yourselves",
        ],
        demonstratives: &["that", "these", "this", "those"],
        capitals: true,
    },
    Language {
        code: "ar",
        pronouns: &[
            "أنا", "أنت", "أنتم", "إياه", "التي", "الذي", "الذين", "ذلك", "نحن", "هؤلاء", "هذا", "هذه", "هم",
            "هما", "هن", "هو", "هي",
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
            "вам", "вами", "вас", "ваш", "вы", "его", "ей", "ему", "ею", "её", "им", "ими", "их", "который",
            "меня", "мне", "мной", "мой", "мы", "нам", "нами", "нас", "наш", "него", "ней", "нему", "них",
            "он", "она", "они", "оно", "свой", "себе", "себя", "собой", "тебе", "тебя", "ты", "это", "этот",
            "я",
        ],
        demonstratives: &["это", "этот"],
        capitals: true,
    },
    Language {
        code: "zh",
        pronouns: &[
            "人家", "他", "他们", "他们自己", "他自己", "你", "你们", "其", "咱们", "大家", "她", "她们",
            "它", "它们", "您", "我", "我们", "自己", "这", "这些", "这里", "那", "那些", "那里",
        ],
        demonstratives: &["这", "这些", "这里", "那", "那些", "那里"],
        capitals: false,
    },
    NONE,
];

/// Any other language.
const NONE: Language = Language { code: NO_LIST, pronouns: &[], demonstratives: &[], capitals: true };

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
        for word in words.chain(["LA", "Él", "ЕГО", "Bergen", "", "unverhältnismäßigkeiten", "Jeg", "СЕ"])
        {
            let lowered = word.to_lowercase();
            let lists = LANGUAGES.iter().map(|known| known.pronouns.to_vec());
            let others = OTHER_LANGUAGES.iter().map(|words| words.split(' ').collect());
            let is_listed = lists.chain(others).map(|list: Vec<&str>| list.contains(&lowered.as_str()));
            let bits = is_listed.enumerate().map(|(n, is_listed)| u32::from(is_listed) << n);
            assert_eq!(languages_of_word(word), bits.sum::<u32>(), "{word}");
        }
    }

    /// Short texts of languages with a list of pronouns and without. A star marks mentions of one word.
    const TEXTS: [(&str, &str); 26] = [
        (
            "en",
            "*Anna said that *she had lost *her keys , but *Per found *them when *he cleared *his desk . *I know *it , *she \
             told *me .",
        ),
        (
            "de",
            "*Anna sagte , dass *sie *ihren Schlüssel verloren habe , aber *Per fand *ihn , als *er *seinen Tisch aufräumte . \
             *Ich weiß *es , sagte *sie .",
        ),
        (
            "es",
            "*Anna dijo que *ella había perdido *sus llaves , pero *Per *las encontró cuando *él ordenaba *su mesa . *Yo *lo \
             sé , *me dijo *ella .",
        ),
        (
            "fr",
            "*Anne a dit qu' *elle avait perdu *ses clés , mais *Per *les a trouvées quand *il rangeait *son bureau . *Je *le \
             sais , *me dit *elle .",
        ),
        (
            "ru",
            "*Анна сказала , что *она потеряла *свой ключ , но *Пер нашёл *его , когда *он убирал *свой стол . *Я *это знаю , \
             сказала *она *мне .",
        ),
        (
            "zh",
            "*安娜 说 *她 丢 了 *她 的 钥匙 , 但是 *佩尔 收拾 *他 的 桌子 时 找到 了 *它 。 *我 知道 *这 , *她 对 *我 说 。",
        ),
        (
            "ar",
            "قالت *آنا إن *هذا هو المفتاح *الذي ضاع ، و *هو عند *بير *الذي وجده . *أنا أعرف *ذلك ، قالت *هي .",
        ),
        (
            "no",
            "*Anna sa at *hun hadde mistet *sin nøkkel , men *Per fant *den da *han ryddet *sitt bord . *Jeg vet *det , sa \
             *hun til *du og *man .",
        ),
        (
            "no",
            "*Anna sagde , at *hun havde mistet *sin nøgle , men *Per fandt *den , da *han ryddede *sit bord . *Jeg ved *det , \
             sagde *hun til *mig .",
        ),
        (
            "sv",
            "*Anna sade att *hon hade tappat *sin nyckel , men *Per hittade *den när *han städade *sitt bord . *Jag vet *det , \
             sade *hon till *mig .",
        ),
        (
            "nl",
            "*Anna zei dat *ze *haar sleutel kwijt was , maar *Per vond *die toen *hij *zijn bureau opruimde . *Ik weet *het , \
             zei *ze tegen *je .",
        ),
        (
            "pt",
            "*Ana disse que *ela tinha perdido *suas chaves , mas *Per encontrou *elas quando *ele arrumava *sua mesa . *Eu \
             sei *isso , *me disse *ela .",
        ),
        (
            "ca",
            "*Anna va dir que *ella havia perdut *les *seves claus , però *Per *les va trobar quan *ell ordenava *la *seva \
             taula . *Jo *ho sé , *em va dir *ella .",
        ),
        (
            "it",
            "*Anna disse che *lei aveva perso *le *sue chiavi , ma *Per *le trovò quando *lui riordinava *la *sua scrivania . \
             *Io *lo so , *mi disse *lei .",
        ),
        (
            "ro",
            "*Ana a spus că *ea și -a pierdut cheile *sale , dar *Per *le -a găsit când *el făcea ordine pe masa *lui . *Eu *o \
             știu , *mi -a spus *ea , *care *se bucura .",
        ),
        (
            "pl",
            "*Anna powiedziała , że *ona zgubiła *swój klucz , ale *Per *go znalazł , gdy *on sprzątał *swoje biurko . *Ja *to \
             wiem , powiedziała *mi *ona o *nich .",
        ),
        (
            "cs",
            "*Anna řekla , že *ona ztratila *svůj klíč , ale *Per *ho našel , když *on uklízel *svůj stůl . *Já *to vím , \
             řekla *mi *ona , *která *se smála .",
        ),
        (
            "fi",
            "*Anna sanoi , että *hän oli kadottanut *sen , mutta *Per löysi *sen , kun *hän siivosi . *Minä tiedän *tämän , \
             *hän sanoi , *joka näki *me ja *he .",
        ),
        (
            "hu",
            "*Anna azt mondta , hogy *ő elvesztette *azt , de *Per megtalálta *ezt , *aki takarított . *Én tudom *ezt , mondta *ő *nekem .",
        ),
        (
            "tr",
            "*Anna , *kendi anahtarını kaybettiğini söyledi , ama *Per *onu *kendi masasında buldu . *Ben *bunu biliyorum , dedi *bana *o .",
        ),
        (
            "uk",
            "*Анна сказала , що *вона загубила *свій ключ , але *Пер знайшов *його , коли *він прибирав *свій стіл . *Я *це \
             знаю , сказала *вона *нам .",
        ),
        (
            "bg",
            "*Анна каза , че *тя е загубила *своя ключ , но *Пер *го намерил , когато *той подреждал *своята маса . *Аз *го \
             знам , каза *ми *тя за *нас .",
        ),
        (
            "hr",
            "*Ana je rekla da je *ona izgubila *svoj ključ , ali *Per *ga je našao kad je *on pospremao *svoj stol . *Ja *to \
             znam , rekla *mi je *ona .",
        ),
        (
            "fa",
            "*آنا گفت که *او کلید *خود را گم کرده است ، اما *پر *آن را پیدا کرد . *این را می‌دانم ، *او گفت .",
        ),
        (
            "ja",
            "*アンナ は *彼女 の 鍵 を なくした が 、 *ペール は *それ を *彼 の 机 で 見つけた 。 *私 は *これ を 知っている 。",
        ),
        (
            "he",
            "*אנה אמרה ש *היא איבדה את המפתח , אבל *פר מצא *אותו כש *הוא סידר . *אני יודעת *זאת , אמרה *היא .",
        ),
    ];

    fn counts<'t>(words: impl Iterator<Item = &'t str>) -> PronounCounts {
        let mut counts = PronounCounts::default();
        words.for_each(|word| counts.add_word(word.trim_start_matches('*')));
        counts
    }

    #[test]
    fn texts_in_a_language_without_a_list_are_not_those_of_a_similar_language() {
        for (code, text) in TEXTS {
            let is_known = LANGUAGES.iter().any(|language| language.code == code);
            let mentions = counts(text.split(' ').filter(|word| word.starts_with('*')));
            if mentions.found() == 0 {
                // No word is in any list; English is the default.
                assert!(["fa", "he", "ja", "tr"].contains(&code), "{code}");
                assert_eq!(mentions.language().code, "en");
            } else {
                assert_eq!(mentions.language().code, if is_known { code } else { NO_LIST }, "{text}");
            }
            let of_text = counts(text.split(' ')).language_of_text().map(|language| language.code);
            assert_eq!(of_text, is_known.then_some(code), "{text}");
        }
    }

    #[test]
    fn few_pronouns_of_many_mentions_are_those_of_another_language() {
        let names = |number: usize| std::iter::repeat_n("Bergen", number);
        let language = |pronouns: usize, others: usize| {
            counts(std::iter::repeat_n("she", pronouns).chain(names(others))).language().code
        };
        assert_eq!([language(5, 95), language(4, 96), language(4, 95)], ["en", NO_LIST, "en"]);
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
            assert_eq!(MentionType::of_tag(tag.as_bytes()), kind, "{tag}");
        }
    }
}
