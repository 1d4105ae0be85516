//! Finds names by rules, for English text without labels.
//!
//! A name is a run of capitalised words. A word at the start of a sentence or after an opening quotation mark belongs
//! to a name only if it is also capitalised elsewhere, if it precedes a capitalised word and is never in lower case, or
//! if it is a title or an acronym. Titles belong to the name that they precede; words such as `of` join words within a
//! name after a head such as `University`. Months, days and pronouns are not names.
//!
//! Types are `PER` after a title, `ORG` with a corporate suffix or head and for acronyms, and `LOC` with a word for a
//! place; otherwise the type of a longer name in the text that contains the name, otherwise `MISC`. Names in sentences
//! in capitals, such as headlines, are ignored.
//!
//! The rules have no list of names: they miss names in lower case, split titles of works, and guess the types of names
//! without such words. The same text always gives the same names.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Layers, NameLabel, Span, Words};

/// Titles, in lower case and without full stops.
pub(super) const TITLES: &[&str] = &[
    "mr", "mrs", "ms", "miss", "mister", "madam", "dr", "doctor", "prof", "professor", "sir", "dame", "lord",
    "lady", "king", "queen", "prince", "princess", "duke", "duchess", "count", "countess", "baron",
    "baroness", "emperor", "president", "vice-president", "chancellor", "premier", "minister", "senator",
    "sen", "congressman", "congresswoman", "representative", "rep", "governor", "gov", "mayor", "judge",
    "justice", "chairman", "chairwoman", "secretary", "ambassador", "captain", "capt", "colonel", "col",
    "general", "gen", "major", "maj", "lieutenant", "lt", "sergeant", "sgt", "admiral", "adm", "commander",
    "inspector", "officer", "detective", "pope", "cardinal", "bishop", "archbishop", "father", "rev",
    "reverend", "saint", "st", "rabbi", "imam", "sheikh", "coach", "uncle", "aunt", "cousin", "grandma",
    "grandpa",
];

/// Suffixes of companies and persons, which comparisons of names ignore.
pub(super) const SUFFIXES: &[&str] = &[
    "inc", "incorporated", "corp", "corporation", "co", "company", "ltd", "limited", "llc", "llp", "plc",
    "gmbh", "ag", "sa", "nv", "bv", "ab", "as", "oy", "spa", "group", "holdings", "jr", "sr", "ii", "iii",
    "iv", "esq", "phd", "md",
];

/// The suffixes of persons among [`SUFFIXES`].
const PERSON_SUFFIXES: &[&str] = &["jr", "sr", "ii", "iii", "iv", "esq", "phd", "md"];

/// Words that mark the name of an organisation.
const ORGANISATIONS: &[&str] = &[
    "university", "college", "school", "institute", "academy", "bank", "ministry", "department", "bureau",
    "agency", "commission", "committee", "council", "court", "parliament", "congress", "senate", "union",
    "association", "society", "foundation", "federation", "league", "party", "club", "church", "hospital",
    "museum", "library", "press", "times", "post", "line", "lines", "airlines", "airways", "railways",
    "army", "navy", "police", "office", "board", "authority", "organization", "organisation", "fund",
    "exchange", "partners", "industries", "motors", "systems", "technologies", "services",
];

/// Words that mark the name of a place.
const PLACES: &[&str] = &[
    "island", "islands", "isle", "river", "lake", "mount", "mountain", "mountains", "sea", "ocean", "bay",
    "gulf", "cape", "street", "road", "avenue", "square", "park", "city", "county", "valley", "beach",
    "bridge", "airport", "station", "harbour", "harbor", "port", "republic", "kingdom", "states", "province",
    "state", "desert", "canal", "coast", "peninsula", "strait",
];

/// Capitalised words that are not names.
const NO_NAMES: &[&str] = &[
    "i", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "january", "february",
    "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
    "easter", "christmas", "mon", "tue", "wed", "thu", "fri", "sat", "sun", "jan", "feb", "mar", "apr",
    "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "ok", "am", "pm", "a.m", "p.m",
];

/// Words that are not names at the start of a sentence.
const FUNCTION_WORDS: &[&str] = &[
    "the", "a", "an", "this", "that", "these", "those", "my", "your", "his", "her", "its", "our", "their",
    "some", "any", "every", "each", "all", "both", "no", "he", "she", "it", "we", "you", "they", "who",
    "what", "which", "when", "where", "why", "how", "if", "and", "or", "but", "so", "yet", "then", "there",
    "here", "now", "in", "on", "at", "by", "for", "from", "to", "with", "without", "of", "as", "after",
    "before", "under", "over", "about", "since", "while", "because", "although", "though", "until", "not",
    "yes", "dear", "yours", "please", "one", "two", "three", "many", "most", "more", "such", "another",
    "other", "come", "perhaps", "also", "even", "only", "still", "however", "let", "do", "does", "did", "is",
    "are", "was", "were", "will", "would", "can", "could", "has", "have", "had",
];

/// Lower-case words that may join the parts of a name.
const PARTICLES: &[&str] = &[
    "van", "von", "de", "der", "den", "di", "da", "du", "del", "della", "la", "le", "al", "el", "bin", "ibn",
    "af", "&",
];

/// Returns whether comparisons of names ignore a word: articles, possessives and their ending.
pub(super) fn is_light(form: &str) -> bool {
    matches!(
        form.to_lowercase().as_str(),
        "the"
            | "a"
            | "an"
            | "this"
            | "that"
            | "my"
            | "your"
            | "his"
            | "her"
            | "its"
            | "our"
            | "their"
            | "'s"
            | "’s"
            | "'"
            | "’"
    )
}

/// Returns a word in lower case, without full stops.
pub(super) fn bare(form: &str) -> String {
    form.to_lowercase().replace('.', "")
}

/// Returns the names of a document.
pub fn names(words: &Words, layers: &Layers) -> Vec<NameLabel> {
    let text = RuleContext::new(words, layers);
    let mut names: Vec<(Span, &'static str)> = Vec::new();
    for &(start, end) in &text.sentences {
        let mut word = start;
        while word < end {
            let Some(last) = text.name_from(word, start, end) else {
                word += 1;
                continue;
            };
            names.extend(Span::new(word, last).map(|span| (span, text.kind(span))));
            word = last;
        }
    }
    text.give_types(&mut names);
    names.into_iter().map(|(span, kind)| NameLabel { span, kind: kind.into() }).collect()
}

/// The data that the rules use.
struct RuleContext<'d> {
    forms: Vec<&'d str>,
    /// The first word of each sentence, and the position after its last.
    sentences: Vec<(u32, u32)>,
    /// Words that are capitalised within a sentence.
    capitalised: BTreeSet<&'d str>,
    /// Words in lower case.
    small: BTreeSet<&'d str>,
}

impl<'d> RuleContext<'d> {
    fn new(words: &Words, layers: &'d Layers) -> RuleContext<'d> {
        let forms: Vec<&str> = layers.form.iter().collect();
        let count = (forms.len() as u32).min(words.count());
        let starts = words.sentences().iter().copied().filter(|&start| start < count);
        let mut starts: Vec<u32> = starts.collect();
        if starts.first() != Some(&0) && count > 0 {
            starts.insert(0, 0);
        }
        let ends = starts.iter().skip(1).copied().chain([count]);
        let sentences = starts.iter().copied().zip(ends).filter(|(start, end)| start < end).collect();
        let mut text = RuleContext { forms, sentences, capitalised: BTreeSet::new(), small: BTreeSet::new() };
        for place in 0..text.sentences.len() {
            let (start, end) = text.sentences[place];
            for word in start..end {
                let form = text.forms[word as usize];
                if !is_capitalised(form) {
                    text.small.insert(form);
                } else if !text.is_first(word, start) {
                    text.capitalised.insert(form);
                }
            }
        }
        // Headlines and other sentences in capitals give no evidence of names.
        let forms = &text.forms;
        text.sentences.retain(|&(start, end)| {
            let letters = |form: &&str| form.chars().any(char::is_alphabetic);
            let words = forms[start as usize..end as usize].iter().filter(|form| letters(form));
            let (number, capitals) = words.fold((0, 0), |(number, capitals), form| {
                (
                    number + 1,
                    capitals + u32::from(is_capitalised(form) && !NO_NAMES.contains(&bare(form).as_str())),
                )
            });
            number < 4 || capitals < number
        });
        text
    }

    fn form(&self, word: u32) -> &'d str {
        self.forms.get(word as usize).copied().unwrap_or_default()
    }

    /// Returns whether a word is the first of its sentence, ignoring quotation marks and similar characters.
    fn is_first(&self, word: u32, start: u32) -> bool {
        word == start
            || (start..word).all(|word| !self.form(word).chars().any(char::is_alphanumeric))
            || matches!(self.form(word - 1), "``" | "\"" | "“" | "‘" | "«" | "„" | "`" | ":")
    }

    /// Returns the position after the name that starts at a word.
    fn name_from(&self, word: u32, start: u32, end: u32) -> Option<u32> {
        if !self.is_part(word, start, end) {
            return None;
        }
        let mut last = word + 1;
        loop {
            if last < end && self.is_part(last, start, end) {
                last += 1;
                continue;
            }
            let of = last < end && self.form(last) == "of" && {
                let head = bare(self.form(last - 1));
                ORGANISATIONS.contains(&head.as_str()) || PLACES.contains(&head.as_str())
            };
            // One or two particles, and a capitalised word.
            let small = (last..end).take(2).take_while(|&word| {
                PARTICLES.contains(&self.form(word)) || (of && matches!(self.form(word), "of" | "the"))
            });
            let next = last + small.count() as u32;
            if next > last && next < end && self.is_part(next, start, end) {
                last = next + 1;
                continue;
            }
            // A title alone is not a name.
            let alone = last == word + 1 && TITLES.contains(&bare(self.form(word)).as_str());
            let known = self.capitalised.contains(self.form(word))
                && !self.small.contains(self.form(word).to_lowercase().as_str());
            return (!alone || (known && !self.is_first(word, start))).then_some(last);
        }
    }

    /// Returns whether a word can be part of a name.
    fn is_part(&self, word: u32, start: u32, end: u32) -> bool {
        let form = self.form(word);
        let lower = form.to_lowercase();
        if !is_capitalised(form) || NO_NAMES.contains(&bare(form).as_str()) {
            return false;
        }
        if !self.is_first(word, start) {
            // Articles may be within titles of works and the like.
            return !FUNCTION_WORDS.contains(&lower.as_str()) || is_acronym(form);
        }
        if FUNCTION_WORDS.contains(&lower.as_str()) {
            return false;
        }
        let before_capital = word + 1 < end
            && is_capitalised(self.form(word + 1))
            && !NO_NAMES.contains(&bare(self.form(word + 1)).as_str());
        self.capitalised.contains(form)
            || is_acronym(form)
            || (before_capital
                && (TITLES.contains(&bare(form).as_str()) || !self.small.contains(lower.as_str())))
    }

    /// Returns the type that the words of a name indicate; empty without indication.
    fn kind(&self, span: Span) -> &'static str {
        let bare: Vec<String> = (span.start()..span.end()).map(|word| bare(self.form(word))).collect();
        let any = |list: &[&str]| bare.iter().any(|word| list.contains(&word.as_str()));
        if any(PERSON_SUFFIXES) || (bare.len() > 1 && TITLES.contains(&bare[0].as_str())) {
            "PER"
        } else if bare.len() > 1 && any(SUFFIXES) || any(ORGANISATIONS) {
            "ORG"
        } else if bare.len() > 1 && any(PLACES) {
            "LOC"
        } else if bare.len() == 1 && is_acronym(self.form(span.start())) {
            "ORG"
        } else {
            ""
        }
    }

    /// Gives names without a type the type of names with the same last word, otherwise the type of names that contain
    /// all their words, if these have a single type.
    fn give_types(&self, names: &mut [(Span, &'static str)]) {
        let mut by_word: BTreeMap<&str, BTreeSet<&'static str>> = BTreeMap::new();
        for (span, kind) in names.iter().filter(|name| !name.1.is_empty()) {
            for word in span.start()..span.end() {
                by_word.entry(self.form(word)).or_default().insert(kind);
            }
        }
        for (span, kind) in names.iter_mut().filter(|name| name.1.is_empty()) {
            let of = |word: u32| by_word.get(self.form(word)).filter(|kinds| kinds.len() == 1);
            let known = of(span.last()).and_then(|kinds| kinds.first());
            *kind = known.copied().unwrap_or("MISC");
        }
    }
}

/// Returns whether a word starts with a capital letter.
fn is_capitalised(form: &str) -> bool {
    form.chars().next().is_some_and(char::is_uppercase)
}

/// Returns whether a word consists of two or more capital letters, with or without full stops.
pub(super) fn is_acronym(form: &str) -> bool {
    let letters = form.chars().filter(|&character| character != '.').count();
    letters >= 2 && form.chars().all(|character| character == '.' || character.is_uppercase())
}

#[cfg(test)]
mod tests {
    use crate::formats::{FormatSpec, ReadOptions};

    /// Returns the names of sentences, with their types.
    fn names(sentences: &[&str]) -> Vec<String> {
        let sentence = |text: &&str| -> String {
            text.split(' ').map(|word| format!("{word}\t-\n")).chain(["\n".to_owned()]).collect()
        };
        let text: String = sentences.iter().map(sentence).collect();
        let text = format!("#begin document (d); part 000\n{text}#end document\n");
        let options = ReadOptions::with_layers();
        let corpus = FormatSpec::named("conll").unwrap().read(text.as_bytes(), "d", options).unwrap();
        let (words, layers) = (corpus.documents[0].words(), corpus.documents[0].words().layers().unwrap());
        let form = |word: u32| layers.form.get(word as usize).unwrap_or_default();
        let name = |name: &crate::model::NameLabel| {
            let words: Vec<&str> = (name.span.start()..name.span.end()).map(form).collect();
            format!("{}/{}", words.join(" "), name.kind)
        };
        super::names(words, layers).iter().map(name).collect()
    }

    #[test]
    fn capitals_within_sentences_are_names() {
        let found =
            names(&["Then Mr. Olav Berge left Skarvoy .", "Berge wrote to the Hamre Line .", "It replied ."]);
        assert_eq!(found, ["Mr. Olav Berge/PER", "Skarvoy/MISC", "Berge/PER", "Hamre Line/ORG"]);
    }

    #[test]
    fn capitals_at_sentence_starts_are_weak_evidence() {
        assert!(names(&["Ships came .", "They left ."]).is_empty());
        // Capitalised elsewhere; before a capital and never in lower case; in lower case elsewhere.
        assert_eq!(names(&["Lise laughed .", "He told Lise ."]), ["Lise/MISC", "Lise/MISC"]);
        assert_eq!(names(&["Ingrid Moe slept ."]), ["Ingrid Moe/MISC"]);
        assert_eq!(names(&["Old Lise slept .", "An old man ."]), ["Lise/MISC"]);
        assert_eq!(names(&["NATO met .", "`` Lindau ''"]), ["NATO/ORG"]);
    }

    #[test]
    fn particles_join_and_months_do_not() {
        let found = names(&[
            "We saw Vincent van Gogh and the University of Oslo in May .",
            "In the Bay of Biscay I slept .",
        ]);
        assert_eq!(found, ["Vincent van Gogh/MISC", "University of Oslo/ORG", "Bay of Biscay/LOC"]);
        assert!(names(&["FERRY LINE ENDS SERVICE TODAY"]).is_empty());
    }
}
