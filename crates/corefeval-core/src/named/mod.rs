//! Finds named mentions. CONE prunes both sides to them (Lin et al. 2010).
//!
//! This stage lies between scope and selection. It decides for each mention of a pair of documents whether it is named
//! ([`named_mentions`]); selection and metrics use the result. The settings choose the source of names
//! ([`NamedSource`]):
//!
//! - **mention-type**: each side's own types (`NAM` of APF, `PROP` of LitBank and brat). A document without types takes
//!   them from the other side: a mention is named if the other side has a named mention with the same words.
//! - **ne-column**, **upos**, **file**, **rules** find names in the text: the named-entity column of CoNLL-2012
//!   (brackets or BIO), runs of proper nouns, a file of labels ([`NameFile`]), or the rules of [`rules`]. Both sides
//!   have the same text, so the key document's names apply to both; if it has none, the response's names do. Labels of
//!   dates, numbers and other values ([`VALUES`]) are not names.
//!
//! A mention is named if its head is in a name ([`NameMatch::Head`]). "Ingrid Moe, who has run the line" is named; "the
//! island of Skarvoy" and the list "Berge and his wife" are not. The head is the annotated one, otherwise the last word
//! of the mention before its first comma, preposition, conjunction or relative pronoun. These are recognised by tags
//! or, without tags, by a list of English words. With [`NameMatch::Span`] the name must be the whole mention, except
//! for articles, possessives and the possessive ending.
//!
//! [`approximate`](Approximation) makes a key from names alone.

mod approximate;
mod cluster;
mod column;
mod file;
pub mod rules;

use rustc_hash::FxHashSet;

pub use approximate::{Approximation, approximate, approximate_by};
pub use file::NameFile;

use crate::diagnostic::{Code, Diagnostics};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Corpus, Document, Layers, MENTION_TYPE, Mention, NameLabel, Span, Words};
use crate::pairing::DocumentPair;
use crate::settings::{NameMatch, NamedSource, Settings};
use crate::wording::{Text, option, option_blank, option_value, plural, text};

/// Mention types of names.
const NAMED_TYPES: &[&str] = &["NAM", "NAME", "NAMED", "NAMPRE", "NE", "PROP", "PROPER", "PROPN", "BAR"];

/// Mention types of other mentions. Further values, such as information status, are not types.
const OTHER_TYPES: &[&str] = &[
    "NOM", "NOMINAL", "NOMPRE", "NML", "PRE", "PRO", "PRON", "PRONOUN", "PRN", "PTV", "WHQ", "HLS", "CMC",
    "APP", "ARC", "EAP", "MWH", "COMMON", "NOUN", "LIST", "VERB",
];

/// Labels of named-entity annotation that denote values rather than names.
pub const VALUES: &[&str] = &[
    "CARDINAL", "DATE", "DURATION", "MONEY", "NUMBER", "NUMERIC", "ORDINAL", "PERCENT", "QUANTITY", "SET",
    "TIME",
];

/// Tags of parts of speech that are proper nouns.
const PROPER_NOUNS: &[&str] = &["PROPN", "NNP", "NNPS"];

/// The numbers of mentions and named mentions on a side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SideNames {
    /// The scored mentions.
    pub mentions: u64,
    /// The named mentions among them.
    pub named: u64,
    /// Entities with a named mention.
    pub entities: u64,
}

/// The named mentions of both sides, and the source of the names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NamedCounts {
    /// The source of the names.
    pub source: NamedSource,
    /// The numbers of the key.
    pub key: SideNames,
    /// The numbers of the response.
    pub response: SideNames,
}

impl NamedCounts {
    /// Adds the counts of other documents.
    pub(crate) fn add(&mut self, other: &NamedCounts) {
        for (ours, theirs) in [(&mut self.key, &other.key), (&mut self.response, &other.response)] {
            ours.mentions += theirs.mentions;
            ours.named += theirs.named;
            ours.entities += theirs.entities;
        }
    }

    /// Returns whether either side has a named mention.
    pub fn any(&self) -> bool {
        self.key.named + self.response.named > 0
    }

    /// Returns the counts as a sentence.
    pub fn sentence(&self) -> String {
        let [key, response] = [&self.key, &self.response].map(|side| {
            let mentions = plural(side.mentions, "mention", "mentions");
            format!("{} of {mentions}, {}", side.named, plural(side.entities, "entity", "entities"))
        });
        format!("named mentions by {}: key {key}; response {response}", self.source.as_str())
    }

    /// Fails if no mention is named, because a score of 0 would be misleading.
    ///
    /// # Errors
    ///
    /// No mention is named.
    pub fn check(&self) -> Result<()> {
        if self.any() {
            return Ok(());
        }
        let message = format!("no mention is named on either side, by {}", self.source.as_str());
        Err(Error::new(ErrorKind::Pairing, message).coded(Code::NoNames).hint(other_sources()))
    }
}

/// Returns the hint for missing names.
fn other_sources() -> Text {
    let (named, labels) = (option("named"), option_blank("ne-labels", "FILE"));
    text!(
        "name another source with {} (mention-type, ne-column, upos, rules), or give labels with {}",
        named,
        labels
    )
}

/// The flags of named mentions of a pair of documents, in the order of the documents.
#[derive(Clone, Debug, Default)]
pub struct NamedMentions {
    /// The flag of each key mention.
    pub key: Vec<bool>,
    /// The flag of each response mention; empty without a response.
    pub response: Vec<bool>,
}

/// Chooses the source of names: the source in the settings, or for `auto` the first available in the data. Never
/// returns `NamedSource::Auto`.
///
/// The key takes precedence over the responses.
///
/// # Errors
///
/// The data lacks the requested source, or any source for `auto`.
pub fn resolve(wanted: NamedSource, key: Option<&Corpus>, responses: &[&Corpus]) -> Result<NamedSource> {
    let corpora = || key.into_iter().chain(responses.iter().copied());
    let has: Vec<NamedSource> = corpora().flat_map(sources).collect();
    resolve_among(wanted, &has, corpora().flat_map(|corpus| &corpus.documents).next())
}

/// Returns the sources that any document of a corpus has.
pub fn sources(corpus: &Corpus) -> Vec<NamedSource> {
    let mut found = Vec::new();
    add_sources(&mut found, corpus.documents.iter());
    found
}

/// Adds the sources of any of these documents to those already `found`.
pub(crate) fn add_sources<'d>(
    found: &mut Vec<NamedSource>,
    documents: impl Iterator<Item = &'d Document> + Clone,
) {
    for source in ORDER {
        if !found.contains(&source) && documents.clone().any(|document| has_source(document, source)) {
            found.push(source);
        }
    }
}

/// Like [`resolve`], given the available sources and the first document.
///
/// # Errors
///
/// The requested source is not among `sources`, or `sources` is empty with `auto`.
pub fn resolve_among(
    wanted: NamedSource,
    sources: &[NamedSource],
    first: Option<&Document>,
) -> Result<NamedSource> {
    let has = |source: NamedSource| sources.contains(&source);
    let found = match wanted {
        NamedSource::Auto => ORDER.into_iter().find(|&source| has(source)),
        source => Some(source).filter(|&source| has(source)),
    };
    found.ok_or_else(|| {
        let message = match wanted {
            NamedSource::Auto => Text::from(
                "no annotation marks named mentions, and there are no words in which to find names",
            ),
            NamedSource::File => "no file of named-entity labels was given".into(),
            source => text!(
                "neither side has the annotation that {} requires",
                option_value("named", source.as_str())
            ),
        };
        let kind = if wanted == NamedSource::File { ErrorKind::Settings } else { ErrorKind::Pairing };
        let error = Error::new(kind, message).hint(other_sources());
        match first {
            Some(document) => error.at(document.position()),
            None => error,
        }
    })
}

/// Returns the first source that any of the pairs has, or `Auto` if none has one.
pub(crate) fn source_of_pairs(pairs: &[DocumentPair<'_>]) -> NamedSource {
    let has = |source: NamedSource| {
        let keys = pairs.iter().any(|pair| has_source(pair.key, source));
        keys || pairs.iter().filter_map(|pair| pair.response).any(|document| has_source(document, source))
    };
    ORDER.into_iter().find(|&source| has(source)).unwrap_or_default()
}

/// The order in which sources are tried.
const ORDER: [NamedSource; 5] = [
    NamedSource::File,
    NamedSource::MentionType,
    NamedSource::NeColumn,
    NamedSource::Upos,
    NamedSource::Rules,
];

/// Returns whether a document contains a source of names.
fn has_source(document: &Document, source: NamedSource) -> bool {
    let layers = document.words().layers();
    match source {
        NamedSource::Auto => false,
        NamedSource::MentionType => document.mentions().iter().any(|mention| mention_type(mention).is_some()),
        NamedSource::NeColumn => layers.is_some_and(|layers| column::has_labels(&layers.named_entity)),
        NamedSource::Upos => {
            layers.is_some_and(|layers| layers.part_of_speech.iter().any(|tag| PROPER_NOUNS.contains(&tag)))
        }
        NamedSource::File => layers.is_some_and(|layers| layers.names.is_some()),
        NamedSource::Rules => {
            !document.words().are_names() && layers.is_some_and(|layers| !layers.form.is_empty())
        }
    }
}

/// Returns whether a mention has a type of names; `None` if it has no known type.
fn mention_type(mention: &Mention) -> Option<bool> {
    let attributes = &mention.details()?.attributes;
    let (_, value) = attributes.iter().find(|attribute| attribute.0 == MENTION_TYPE)?;
    let value = value.to_uppercase();
    let known = |types: &[&str]| types.contains(&value.as_str());
    if known(NAMED_TYPES) { Some(true) } else { known(OTHER_TYPES).then_some(false) }
}

/// Returns the names in the text of a document, in order, or `None` if the document does not have `source`. `source` is
/// never `MentionType`, which classifies mentions, not text.
fn names_in(
    document: &Document,
    source: NamedSource,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<NameLabel>> {
    let words = document.words();
    let layers = words.layers().filter(|_| has_source(document, source))?;
    let mut names = match source {
        NamedSource::NeColumn => column::names(document, layers, diagnostics),
        NamedSource::Upos => proper_nouns(words, layers),
        NamedSource::File => layers.names.clone()?,
        NamedSource::Rules => rules::names(words, layers),
        NamedSource::Auto | NamedSource::MentionType => return None,
    };
    names.retain(|name| !VALUES.contains(&name.kind.to_uppercase().as_str()));
    names.sort_by_key(|name| (name.span.start(), name.span.end()));
    Some(names)
}

/// Returns runs of proper nouns within a sentence.
fn proper_nouns(words: &Words, layers: &Layers) -> Vec<NameLabel> {
    let mut names: Vec<NameLabel> = Vec::new();
    let mut starts = words.sentences().iter().copied().peekable();
    let mut open: Option<u32> = None;
    for word in 0..=words.count() {
        while starts.next_if(|&start| start < word).is_some() {}
        let proper = layers.part_of_speech.get(word as usize).is_some_and(|tag| PROPER_NOUNS.contains(&tag));
        let begins = starts.peek() == Some(&word);
        if let Some(start) = open.filter(|_| !proper || begins || word == words.count()) {
            names.extend(Span::new(start, word).map(|span| NameLabel { span, kind: "".into() }));
            open = None;
        }
        if proper && open.is_none() && word < words.count() {
            open = Some(word);
        }
    }
    names
}

/// Returns which mentions of both sides are named. `settings.named` must be a source, not `Auto`.
pub fn named_mentions(
    pair: DocumentPair<'_>,
    settings: &Settings,
    diagnostics: &mut Diagnostics,
) -> NamedMentions {
    let response = pair.response;
    let Some(names) = names_of_pair(pair, settings.named, diagnostics) else {
        return match settings.named {
            NamedSource::MentionType => by_types(pair),
            _ => NamedMentions {
                key: vec![false; pair.key.mentions().len()],
                response: vec![false; response.map_or(0, |response| response.mentions().len())],
            },
        };
    };
    let (names, of) = names;
    let side = |document: &Document| {
        let names = moved(&names, of.words(), document.words());
        let naming = Naming::new(&names, document, of, settings.name_match);
        document.mentions().iter().map(|mention| naming.of(mention).is_some()).collect()
    };
    NamedMentions { key: side(pair.key), response: response.map(side).unwrap_or_default() }
}

/// Returns the names in the text of a pair, with the document that contains them: the key's, otherwise the response's.
fn names_of_pair<'c>(
    pair: DocumentPair<'c>,
    source: NamedSource,
    diagnostics: &mut Diagnostics,
) -> Option<(Vec<NameLabel>, &'c Document)> {
    let documents = std::iter::once(pair.key).chain(pair.response);
    documents.into_iter().find_map(|document| Some((names_in(document, source, diagnostics)?, document)))
}

/// Decides by each side's mention types, or by the other side's if it has none.
fn by_types(pair: DocumentPair<'_>) -> NamedMentions {
    let own = |document: &Document| -> Option<Vec<bool>> {
        let types: Vec<Option<bool>> = document.mentions().iter().map(mention_type).collect();
        let any = types.iter().any(Option::is_some);
        any.then(|| types.into_iter().map(|kind| kind == Some(true)).collect())
    };
    let runs =
        |mention: &Mention| -> Vec<u64> { mention.parts().iter().map(|part| part.sort_key()).collect() };
    let by_other = |document: &Document, other: &Document, named: &[bool]| -> Vec<bool> {
        let names = other.mentions().iter().zip(named).filter(|(_, named)| **named);
        let names: FxHashSet<Vec<u64>> = names.map(|(mention, _)| runs(mention)).collect();
        document.mentions().iter().map(|mention| names.contains(&runs(mention))).collect()
    };
    let nothing = |document: &Document| vec![false; document.mentions().len()];
    let Some(response) = pair.response else {
        return NamedMentions {
            key: own(pair.key).unwrap_or_else(|| nothing(pair.key)),
            response: Vec::new(),
        };
    };
    match (own(pair.key), own(response)) {
        (Some(key), Some(response)) => NamedMentions { key, response },
        (Some(key), None) => NamedMentions { response: by_other(response, pair.key, &key), key },
        (None, Some(named)) => NamedMentions { key: by_other(pair.key, response, &named), response: named },
        (None, None) => NamedMentions { key: nothing(pair.key), response: nothing(response) },
    }
}

/// Moves names to the words of another document with the same text, which may have different empty nodes.
fn moved(names: &[NameLabel], from: &Words, to: &Words) -> Vec<NameLabel> {
    if from.empty_nodes() == to.empty_nodes() {
        let within = names.iter().filter(|name| name.span.end() <= to.count());
        return within.cloned().collect();
    }
    let in_text: Vec<u32> = (0..to.count()).filter(|&word| !to.is_empty_node(word)).collect();
    let place = |word: u32| {
        let before = from.empty_nodes().partition_point(|&node| node < word);
        in_text.get(word as usize - before).copied()
    };
    let of = |name: &NameLabel| {
        let span = Span::new(place(name.span.start())?, place(name.span.last())? + 1)?;
        Some(NameLabel { span, kind: name.kind.clone() })
    };
    names.iter().filter_map(of).collect()
}

/// Marks a word without a name.
const NONE: u32 = u32::MAX;

/// The names of a document, by word.
struct Naming<'n> {
    names: &'n [NameLabel],
    /// The shortest name that contains each word.
    shortest: Vec<u32>,
    words: WordAnnotation<'n>,
    rule: NameMatch,
}

/// The word annotation of a document, from its own file or from another file with the same text.
struct WordAnnotation<'d> {
    layers: Option<&'d Layers>,
}

impl<'d> WordAnnotation<'d> {
    fn new(document: &'d Document, other: &'d Document) -> WordAnnotation<'d> {
        let layers = |document: &'d Document| {
            let known = |layers: &&Layers| !layers.form.is_empty() || !layers.part_of_speech.is_empty();
            document.words().layers().filter(known)
        };
        let tagged = |layers: &&Layers| layers.part_of_speech.iter().any(is_tag);
        let own = layers(document);
        let same = document.words().empty_nodes() == other.words().empty_nodes();
        let theirs = layers(other).filter(|_| same);
        // A file with tags is preferred, then the document's own file.
        let layers = own.filter(tagged).or(theirs.filter(tagged)).or(own).or(theirs);
        WordAnnotation { layers }
    }

    fn form(&self, word: u32) -> &'d str {
        self.layers.and_then(|layers| layers.form.get(word as usize)).unwrap_or_default()
    }

    fn tag(&self, word: u32) -> &'d str {
        self.layers.and_then(|layers| layers.part_of_speech.get(word as usize)).unwrap_or_default()
    }

    /// Returns whether the head of a phrase precedes this word.
    fn ends_head(&self, word: u32) -> bool {
        let form = self.form(word).to_lowercase();
        if matches!(form.as_str(), "," | ";" | ":" | "(" | "-lrb-" | "[" | "–" | "—" | "--")
            || self.joins(word)
        {
            return true;
        }
        match self.tag(word) {
            tag if !is_tag(tag) => PREPOSITIONS.contains(&form.as_str()),
            tag => matches!(tag, "IN" | "TO" | "WDT" | "WP" | "WP$" | "WRB" | "ADP" | "SCONJ"),
        }
    }

    /// Returns whether the word is a conjunction.
    fn joins(&self, word: u32) -> bool {
        matches!(self.tag(word), "CC" | "CCONJ")
            || matches!(self.form(word).to_lowercase().as_str(), "and" | "or" | "&")
    }

    /// Returns whether comparisons of names ignore the word: an article, a possessive or its ending.
    fn is_light(&self, word: u32) -> bool {
        matches!(self.tag(word), "DT" | "PRP$" | "POS") || rules::is_light(self.form(word))
    }

    /// Returns the part of a phrase with its head, without light words.
    fn core(&self, phrase: Span) -> Span {
        let end = (phrase.start() + 1..phrase.end()).find(|&word| self.ends_head(word));
        let core = Span::new(phrase.start(), end.unwrap_or(phrase.end())).unwrap_or(phrase);
        self.trimmed(core)
    }

    /// Returns a span without light words at its ends; never empty.
    fn trimmed(&self, span: Span) -> Span {
        let mut words = span.start()..span.end();
        while words.len() > 1 && self.is_light(words.start) {
            words.start += 1;
        }
        while words.len() > 1 && self.is_light(words.end - 1) {
            words.end -= 1;
        }
        Span::new(words.start, words.end).unwrap_or(span)
    }
}

/// Words that end the search for the head of an English phrase without tags.
const PREPOSITIONS: &[&str] = &[
    "of", "in", "on", "at", "by", "for", "from", "to", "with", "without", "about", "above", "across",
    "after", "against", "along", "among", "around", "as", "before", "behind", "below", "beside", "between",
    "beyond", "during", "inside", "into", "like", "near", "over", "since", "through", "toward", "towards",
    "under", "until", "upon", "within", "who", "whom", "whose", "which", "that", "where", "when",
];

/// The parts of speech of the heads of mentions.
pub(crate) struct HeadTags<'d> {
    words: WordAnnotation<'d>,
}

impl<'d> HeadTags<'d> {
    /// Uses the tags of `document`, or those of `other`, a document with the same text, if it has none.
    pub(crate) fn new(document: &'d Document, other: &'d Document) -> HeadTags<'d> {
        HeadTags { words: WordAnnotation::new(document, other) }
    }

    /// Returns whether a document has tags.
    pub(crate) fn are_in(document: &Document) -> bool {
        let tags = document.words().layers().map(|layers| &layers.part_of_speech);
        tags.is_some_and(|tags| tags.iter().any(is_tag))
    }

    /// Returns the tag of the annotated head, otherwise of the head found by the rules at the top of this file.
    pub(crate) fn of(&self, mention: &Mention) -> Option<&'d str> {
        let min_span = mention.details().and_then(|details| details.min_span.first().copied());
        let phrase = min_span.or(mention.parts().first().copied())?;
        let head = mention.head().unwrap_or_else(|| self.words.core(phrase).last());
        Some(self.words.tag(head)).filter(|tag| is_tag(tag))
    }
}

/// Returns whether any tag of a column is set.
fn is_tag(tag: &str) -> bool {
    !matches!(tag, "" | "-" | "_")
}

impl<'n> Naming<'n> {
    /// Looks up `names` by word. `other` is a document with the same text, whose words are used if `document` has none.
    fn new(
        names: &'n [NameLabel],
        document: &'n Document,
        other: &'n Document,
        rule: NameMatch,
    ) -> Naming<'n> {
        let mut shortest = vec![NONE; document.words().count() as usize];
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by_key(|&place| std::cmp::Reverse(names[place].span.len()));
        for place in order {
            let span = names[place].span;
            shortest[span.start() as usize..span.end() as usize].fill(place as u32);
        }
        Naming { names, shortest, words: WordAnnotation::new(document, other), rule }
    }

    /// Returns the number of the name that makes a mention named.
    fn of(&self, mention: &Mention) -> Option<usize> {
        let first = *mention.parts().first()?;
        if let Ok(exact) = self.exactly(mention.span()) {
            return Some(exact);
        }
        if self.rule == NameMatch::Span {
            let bare = self.words.trimmed(mention.span());
            // Names that equal the mention apart from light words may start up to two words earlier.
            let near = bare.start().saturating_sub(2)..=bare.start();
            return near
                .filter_map(|start| self.starting(start))
                .flatten()
                .find(|&place| self.words.trimmed(self.names[place].span) == bare);
        }
        let min_span = mention.details().and_then(|details| details.min_span.first().copied());
        let phrase = min_span.unwrap_or(first);
        let head = match (mention.head(), min_span) {
            (Some(head), _) => head,
            (None, _) => self.words.core(phrase).last(),
        };
        let place = *self.shortest.get(head as usize).filter(|&&place| place != NONE)? as usize;
        let name = self.names[place].span;
        // A conjunction after the head makes the mention a list. A list is not named unless the name includes the
        // conjunction.
        let joined = (head + 1..mention.span().end()).find(|&word| self.words.ends_head(word));
        if joined.is_some_and(|word| self.words.joins(word) && !(name.start()..name.end()).contains(&word)) {
            return None;
        }
        Some(place)
    }

    /// Returns the name with exactly these words.
    fn exactly(&self, span: Span) -> std::result::Result<usize, usize> {
        let key = (span.start(), span.end());
        self.names.binary_search_by_key(&key, |name| (name.span.start(), name.span.end()))
    }

    /// Returns the names that start with a word.
    fn starting(&self, start: u32) -> Option<impl Iterator<Item = usize>> {
        let from = self.names.partition_point(|name| name.span.start() < start);
        let number = self.names[from..].iter().take_while(|name| name.span.start() == start).count();
        (number > 0).then(|| from..from + number)
    }
}

/// Warns that names were found by rules.
pub fn warn_of_rules(settings: &Settings, diagnostics: &mut Diagnostics) {
    if settings.named == NamedSource::Rules {
        diagnostics.add(Code::NamedByRules, None, None, || {
            "named mentions were found by the built-in rules for English".to_owned()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{FormatSpec, ReadOptions};
    use crate::profiles::Profile;

    fn read(format: &str, text: &str) -> Corpus {
        let options = ReadOptions::with_layers();
        FormatSpec::named(format).unwrap().read(text.as_bytes(), "test", options).unwrap()
    }

    /// Creates a CoNLL-2012 document from cells for word, tag, named entity and coreference.
    fn conll(rows: &[[&str; 4]]) -> Corpus {
        let line = |(n, [word, tag, name, coreference]): (usize, &[&str; 4])| {
            format!("d\t0\t{n}\t{word}\t{tag}\t-\t-\t-\t-\t-\t{name}\t*\t{coreference}\n")
        };
        let lines: String = rows.iter().enumerate().map(line).collect();
        read("conll", &format!("#begin document (d); part 000\n{lines}\n#end document\n"))
    }

    fn named(key: &Corpus, response: &Corpus, source: NamedSource, rule: NameMatch) -> NamedMentions {
        let mut settings = Settings::of(Profile::for_format("conll"));
        (settings.named, settings.name_match) = (source, rule);
        let pair = DocumentPair { key: &key.documents[0], response: response.documents.first() };
        named_mentions(pair, &settings, &mut Diagnostics::default())
    }

    const FERRY: &[[&str; 4]] = &[
        ["The", "DT", "(ORG*", "(0"],
        ["Hamre", "NNP", "*", "-"],
        ["Line", "NNP", "*)", "0)"],
        ["and", "CC", "*", "-"],
        ["the", "DT", "*", "(1"],
        ["island", "NN", "*", "-"],
        ["of", "IN", "*", "-"],
        ["Skarvoy", "NNP", "(GPE*)", "(2)|1)"],
        ["told", "VBD", "*", "-"],
        ["Ingrid", "NNP", "(PERSON*", "(3"],
        ["Moe", "NNP", "*)", "-"],
        [",", ",", "*", "-"],
        ["who", "WP", "*", "-"],
        ["left", "VBD", "*", "3)"],
        ["Berge", "NNP", "(PERSON*)", "(4"],
        ["and", "CC", "*", "-"],
        ["his", "PRP$", "*", "-"],
        ["wife", "NN", "*", "4)"],
        ["Tuesday", "NNP", "(DATE*)", "(5)"],
    ];

    /// The mentions, by their end: the line, Skarvoy, the island of it, Moe, the Berges, Tuesday.
    #[test]
    fn a_mention_is_named_by_its_head() {
        let key = conll(FERRY);
        let found = named(&key, &key, NamedSource::NeColumn, NameMatch::Head);
        assert_eq!(found.key, [true, true, false, true, false, false]);
        assert_eq!(found.key, found.response);
        let found = named(&key, &key, NamedSource::NeColumn, NameMatch::Span);
        assert_eq!(found.key, [true, true, false, false, false, false]);
        // Proper nouns include dates.
        let found = named(&key, &key, NamedSource::Upos, NameMatch::Head);
        assert_eq!(found.key, [true, true, false, true, false, true]);
    }

    #[test]
    fn heads_are_found_without_tags() {
        let bare: Vec<[&str; 4]> = FERRY.iter().map(|row| [row[0], "-", row[2], row[3]]).collect();
        let key = conll(&bare);
        let found = named(&key, &key, NamedSource::NeColumn, NameMatch::Head);
        assert_eq!(found.key, [true, true, false, true, false, false]);
    }

    /// The key's names apply to a response without names, and vice versa.
    #[test]
    fn names_of_one_side_apply_to_both() {
        let with = conll(FERRY);
        let without: String = FERRY.iter().map(|row| format!("{}\t{}\n", row[0], row[3])).collect();
        let without = read("conll", &format!("#begin document (d); part 000\n{without}#end document\n"));
        for (key, response) in [(&with, &without), (&without, &with)] {
            let found = named(key, response, NamedSource::NeColumn, NameMatch::Head);
            assert_eq!(found.key, [true, true, false, true, false, false]);
            assert_eq!(found.key, found.response);
        }
    }

    #[test]
    fn the_first_available_source_is_used() {
        let with = conll(FERRY);
        let bare = conll(&[["Hamre", "-", "*", "(0)"]]);
        let nothing = read("links", "A-B");
        let source = |key: &Corpus, response: &Corpus| resolve(NamedSource::Auto, Some(key), &[response]);
        assert_eq!(source(&with, &bare), Ok(NamedSource::NeColumn));
        assert_eq!(source(&bare, &with), Ok(NamedSource::NeColumn));
        assert_eq!(source(&bare, &bare), Ok(NamedSource::Rules));
        assert!(source(&nothing, &nothing).unwrap_err().remedy().unwrap().contains("--ne-labels"));
        let forced = resolve(NamedSource::Upos, Some(&bare), &[&bare]).unwrap_err();
        assert!(forced.message().contains("upos"), "{forced}");
    }
}
