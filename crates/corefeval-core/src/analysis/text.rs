//! The text of a pair of documents, and the annotation of its words.
//!
//! Words come from the key, otherwise from the response. The words of both sides share one numbering, so that any
//! mention can be looked up: empty nodes that only one side has get separate numbers.

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};

use super::cort::CortHeads;
use super::heads::Trees;
use super::task::{CorpusFacts, Fact};
use super::types::{Language, MentionType, PronounCounts, TypeRule, is_pronoun_of, is_pronoun_tag, is_tag};
use crate::matching::Coordinates;
use crate::model::Side;
use crate::model::{
    Document, ENTITY_TYPE, LayerLookup, Layers, LayersOfWord, MENTION_TYPE, Mention, Span, Words,
};
use crate::pairing::DocumentPair;
use crate::scratch::Scratch;
use crate::selection::is_zero;

/// The kind of words in a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WordsAre {
    /// The words of a text.
    #[default]
    Words,
    /// The names of mentions, each once: those of the key, then those that only responses have. There is no text.
    Names,
    /// Positions of words that are not known, such as `4` or `5–7`.
    Positions,
}

/// The words of a pair of documents, by their common numbers.
pub(super) struct PairText<'d> {
    /// The words of the side that the layers are from.
    words: &'d Words,
    layers: Option<LayerLookup<'d>>,
    /// The common numbers, if a side has empty nodes; otherwise words have the same number on both sides.
    coordinates: Option<Coordinates>,
    /// The side that the words are from.
    side: Side,
    /// The words of the response, if some belong to mentions without a place in the text.
    beyond: Option<&'d Words>,
    /// The words of the response, if it has more than the key and the same numbers.
    longer: Option<&'d Words>,
    /// The words of the response, if words are names of mentions. They are numbered after the key's.
    names: Option<LayerLookup<'d>>,
    /// The key, if words are names of mentions.
    named_in: Option<&'d Document>,
    /// True if all words of both sides are in the text and have the same numbers.
    is_plain: bool,
    tagged: bool,
    /// True if any word has a named-entity label; computed on demand.
    labelled: OnceCell<bool>,
    trees: Option<RefCell<Trees<'d>>>,
    /// The heads by the rules of cort, if types follow them.
    cort: Option<RefCell<CortHeads<'d>>>,
    language: Fact<'d, &'static Language>,
}

/// The word that determines the type of a mention.
struct TypeHead<'d> {
    number: u32,
    /// Its annotation; `None` if unknown.
    word: Option<LayersOfWord<'d>>,
    /// Its part of speech; empty if unknown.
    tag: &'d [u8],
}

/// A span of common word numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Range {
    pub(super) start: u32,
    pub(super) end: u32,
}

impl<'d> PairText<'d> {
    pub(super) fn new(
        pair: DocumentPair<'d>,
        CorpusFacts { language, types, place, .. }: CorpusFacts<'d>,
    ) -> PairText<'d> {
        let layers =
            |document: &'d Document| document.words().layers().filter(|layers| !layers.form.is_empty());
        let response = pair.response.filter(|_| layers(pair.key).is_none());
        let source = response.filter(|response| layers(response).is_some()).unwrap_or(pair.key);
        let (words, layers) = (source.words(), layers(source));
        let other = pair.response.unwrap_or(pair.key);
        let coordinates = Coordinates::unless_equal(pair.key.words(), other.words(), place);
        let names = pair.response.map(|response| response.words()).filter(|words| words.are_names());
        let names = names.filter(|_| pair.key.words().are_names()).and_then(|words| words.layers());
        let beyond = pair.response.map(Document::words).filter(|words| words.count_beyond() > 0);
        let in_text = other.words().count() - other.words().count_beyond();
        let is_longer = coordinates.is_none() && in_text > source.words().count();
        let longer = Some(other.words()).filter(|_| is_longer && names.is_none());
        let is_plain = coordinates.is_none()
            && beyond.is_none()
            && longer.is_none()
            && names.is_none()
            && !source.words().are_names();
        let cort =
            layers.filter(|_| types == TypeRule::Cort).and_then(|layers| CortHeads::new(words, layers));
        let layers = layers.map(Layers::lookup);
        PairText {
            words,
            named_in: Some(pair.key).filter(|_| source.words().are_names()),
            is_plain,
            coordinates,
            names: names.map(Layers::lookup),
            side: if std::ptr::eq(source, pair.key) { Side::Key } else { Side::Response },
            beyond,
            longer,
            tagged: layers
                .as_ref()
                .is_some_and(|layers| layers.any(|layers| &layers.part_of_speech, |cell| is_tag(cell))),
            labelled: OnceCell::new(),
            trees: layers.as_ref().and_then(|layers| Trees::new(words, layers)).map(RefCell::new),
            cort: cort.map(RefCell::new),
            layers,
            language,
        }
    }

    /// Returns whether the heads of all mentions follow the parse, and are therefore among their words.
    pub(super) fn parses_heads(&self) -> bool {
        self.is_plain && self.trees.is_some()
    }

    /// Returns whether lists of words determine the types of mentions that the annotation does not state.
    pub(super) fn uses_lists(&self) -> bool {
        self.has_text() && !self.tagged
    }

    /// Returns whether the type of a mention is known: annotated, or determined by words of a text.
    pub(super) fn knows_type(&self, document: &Document, mention: &Mention) -> bool {
        self.has_text() || stated_type(mention).is_some() || is_zero(document, mention)
    }

    /// Returns the kind of words in the documents.
    pub(super) fn words_are(&self) -> WordsAre {
        match self.has_words() {
            _ if !self.has_order() => WordsAre::Names,
            true => WordsAre::Words,
            false => WordsAre::Positions,
        }
    }

    /// Returns whether mentions have an order: names of mentions have none.
    pub(super) fn has_order(&self) -> bool {
        self.names.is_none() && !self.words.are_names()
    }

    /// Counts the pronouns of the key, if its words determine the language.
    pub(super) fn count_pronouns(&self, key: &Document, counts: &mut PronounCounts) {
        if let Some(layers) = &self.layers
            && self.side == Side::Key
            && self.uses_lists()
        {
            counts.add_mentions(key, |word| form(layers.word(word)));
        }
    }

    /// Returns the common number of a word of the key or of the response.
    fn number(&self, side: Side, word: u32) -> u32 {
        match &self.coordinates {
            _ if self.names.is_some() && side == Side::Response => self.words.count() + word,
            None => word,
            Some(coordinates) => coordinates.of(side).of(word),
        }
    }

    /// Returns the range from the first to the last word of a mention, in common numbers.
    pub(super) fn range(&self, side: Side, mention: &Mention) -> Range {
        let span = mention.span();
        let start = self.number(side, span.start());
        Range { start, end: self.number(side, span.last()) + 1 }
    }

    /// Returns the place of a word in the text; for an empty node of the other side, `Err` with the place where it would be.
    fn place(&self, number: u32) -> Result<u32, u32> {
        let Some(coordinates) = &self.coordinates else { return Ok(number) };
        let numbers = coordinates.of(self.side);
        let (mut low, mut high) = (0, self.words.count());
        while low < high {
            let middle = low + (high - low) / 2;
            if numbers.of(middle) < number { low = middle + 1 } else { high = middle }
        }
        if low < self.words.count() && numbers.of(low) == number { Ok(low) } else { Err(low) }
    }

    /// Returns the word as written; empty if unknown.
    pub(super) fn form(&self, number: u32) -> &'d str {
        let longer = self.longer.filter(|_| number >= self.words.count());
        match longer.and_then(|words| words.layers()?.form.get(number as usize)) {
            Some(form) => form,
            None => self.annotation(number).map_or("", form),
        }
    }

    /// Returns the end of the words of the text, by common numbers. Mentions of a longer response lie after it.
    pub(super) fn end(&self) -> u32 {
        match self.words.count() {
            0 => 0,
            count => self.number(self.side, count - 1) + 1,
        }
    }

    /// Returns the word as displayed: for an empty node, the symbol of zeros before its form, if it has one.
    pub(super) fn shown(&self, number: u32) -> Cow<'d, str> {
        let form = self.named_in.map_or(self.form(number), |key| key.name_in_file(self.form(number)));
        let is_zero = self.place(number).map_or(true, |word| self.words.is_empty_node(word));
        if is_zero { zero(form) } else { Cow::Borrowed(form) }
    }

    /// Returns a word of the key or of the response as displayed.
    pub(super) fn word(&self, side: Side, word: u32) -> Cow<'d, str> {
        if self.is_plain {
            return Cow::Borrowed(self.layers.as_ref().map_or("", |layers| form(layers.word(word))));
        }
        let is_beyond =
            |words: &&Words| side == Side::Response && word >= words.count() - words.count_beyond();
        match self.beyond.filter(is_beyond).and_then(|words| words.layers()?.form.get(word as usize)) {
            Some(form) => Cow::Borrowed(form),
            None => self.shown(self.number(side, word)),
        }
    }

    /// Returns the annotation of a word; `None` if unknown.
    fn annotation(&self, number: u32) -> Option<LayersOfWord<'d>> {
        if self.is_plain {
            return self.layers.as_ref().map(|layers| layers.word(number));
        }
        if let (Some(names), Some(place)) = (&self.names, number.checked_sub(self.words.count())) {
            return Some(names.word(place));
        }
        Some(self.layers.as_ref()?.word(self.place(number).ok()?))
    }

    /// Returns the sentence of a word, from 0.
    pub(super) fn sentence(&self, number: u32) -> u32 {
        match self.place(number) {
            Ok(word) => self.words.sentence_of(word),
            Err(next) => self.words.sentence_of(next.saturating_sub(1)),
        }
    }

    /// Returns the sentences of words in ascending order, each from 0.
    pub(super) fn sentences(&self, numbers: impl Iterator<Item = u32>) -> Scratch {
        let starts = self.words.sentences();
        let mut started = 0;
        let sentence = |number: u32| {
            let (Ok(word) | Err(word)) = self.place(number).map_err(|next| next.saturating_sub(1));
            while starts.get(started).is_some_and(|&start| start <= word) {
                started += 1;
            }
            (started as u32).saturating_sub(1)
        };
        numbers.map(sentence).collect()
    }

    /// Returns the words of a sentence, by common numbers.
    pub(super) fn sentence_range(&self, sentence: u32) -> Range {
        let starts = self.words.sentences();
        let start = starts.get(sentence as usize).copied().unwrap_or(0);
        let end = starts.get(sentence as usize + 1).copied().unwrap_or(self.words.count());
        let of = |word| self.number(self.side, word);
        Range { start: of(start), end: if end == 0 { 0 } else { of(end - 1) + 1 } }
    }

    /// Returns whether words are known and are not names of mentions, which are in no text.
    pub(super) fn has_text(&self) -> bool {
        self.has_words() && self.has_order()
    }

    /// Returns whether words, or names of mentions, are known.
    pub(super) fn has_words(&self) -> bool {
        self.layers.is_some()
    }

    /// Returns the words of a mention joined by spaces, with an ellipsis in each gap; if words are not known, the numbers of
    /// the first and the last one of each part.
    pub(super) fn of_mention(&self, side: Side, mention: &Mention) -> String {
        if !self.has_words() {
            return mention.parts().iter().map(numbers).collect::<Vec<_>>().join(" … ");
        }
        let mut text = String::with_capacity(8 * mention.word_count() as usize);
        self.write_mention(side, mention, &mut text);
        text
    }

    /// Like [`of_mention`](Self::of_mention), but writes into a reused text.
    pub(super) fn write_mention(&self, side: Side, mention: &Mention, text: &mut String) {
        text.clear();
        match self.layers.as_ref().filter(|_| self.is_plain) {
            Some(layers) => write_words(mention, text, |word, text| text.push_str(form(layers.word(word)))),
            None => write_words(mention, text, |word, text| text.push_str(&self.word(side, word))),
        }
    }

    /// Writes the words of a mention in lower case into a text that is reused.
    pub(super) fn write_lowered(&self, side: Side, mention: &Mention, text: &mut String) {
        self.write_mention(side, mention, text);
        match text.is_ascii() {
            true => text.make_ascii_lowercase(),
            false => *text = text.to_lowercase(),
        }
    }

    /// Returns the runs of words of a mention, by their common numbers.
    pub(super) fn parts(&self, side: Side, mention: &Mention) -> Vec<Range> {
        let range = |part: &Span| Range {
            start: self.number(side, part.start()),
            end: self.number(side, part.last()) + 1,
        };
        mention.parts().iter().map(range).collect()
    }

    /// Returns whether a mention of the key and one of the response have the same words and the same annotated head.
    pub(super) fn are_same(&self, key: &Mention, response: &Mention) -> bool {
        let head = |side: Side, mention: &Mention| mention.head().map(|head| self.number(side, head));
        self.parts(Side::Key, key) == self.parts(Side::Response, response)
            && head(Side::Key, key) == head(Side::Response, response)
    }

    /// Returns a span without articles, possessive endings and punctuation at both ends, for pass 1 of the span errors.
    pub(super) fn trimmed(&self, range: Range) -> Range {
        let Range { mut start, mut end } = range;
        let light = |word: &str| {
            let mut characters = word.chars();
            matches!((characters.next(), characters.next()), (Some(only), None) if !only.is_ascii_alphabetic())
        };
        let leaves = |word: u32, other: &str| {
            let form = self.form(word);
            form == other || light(form)
        };
        while end - start > 1 && leaves(start, "the") {
            start += 1;
        }
        while end - start > 1 && leaves(end - 1, "'s") {
            end -= 1;
        }
        Range { start, end }
    }

    /// Returns the head of a mention: the head of its constituent, otherwise as annotated, otherwise its last word.
    pub(super) fn head(&self, side: Side, mention: &Mention) -> u32 {
        let stated = || mention.head().map(|head| self.number(side, head));
        self.head_of(self.range(side, mention), None, stated)
    }

    /// Returns the head of a range of words. `last` is the annotation of its last word, if it was looked up before, and
    /// `stated` returns the head as annotated.
    fn head_of(&self, range: Range, last: Option<LayersOfWord<'d>>, stated: impl Fn() -> Option<u32>) -> u32 {
        let (Some(trees), Some(layers)) = (&self.trees, &self.layers) else {
            return stated().unwrap_or(range.end - 1);
        };
        if range.end - range.start == 1 {
            return range.start;
        }
        let (Ok(from), Ok(to)) = (self.place(range.start), self.place(range.end - 1)) else {
            return stated().unwrap_or(range.end - 1);
        };
        // If words are not compared, the other side may have more.
        if to >= self.words.count() {
            return stated().unwrap_or(range.end - 1);
        }
        let head = trees.borrow_mut().head(layers, from, to + 1, last);
        head.map_or(range.end - 1, |head| self.number(self.side, head))
    }

    /// Returns the head that determines the type: like [`head`](Self::head), but skips a final possessive.
    fn type_head(&self, side: Side, mention: &Mention) -> TypeHead<'d> {
        let range = self.range(side, mention);
        let last = range.end - 1;
        // Most heads are the last word; its line is then looked up only once.
        let of_last = (mention.head().is_none() || self.trees.is_some()).then(|| self.annotated(last));
        let Some(of_last) = of_last else {
            let stated = || mention.head().map(|head| self.number(side, head));
            return self.annotated(self.head_of(range, None, stated));
        };
        if last == range.start && mention.head().is_none() {
            return of_last;
        }
        let is_ending = |word: LayersOfWord<'d>| {
            let form = word.bytes(|layers| &layers.form);
            form == b"'s" || form == "’s".as_bytes()
        };
        let is_possessive = of_last.tag == b"POS" || of_last.word.is_some_and(is_ending);
        let head = match last > range.start && is_possessive {
            true => self.head_of(Range { end: last, ..range }, None, || None),
            false => {
                let stated = || mention.head().map(|head| self.number(side, head));
                self.head_of(range, of_last.word, stated)
            }
        };
        if head == last { of_last } else { self.annotated(head) }
    }

    /// Returns a word with its annotation.
    fn annotated(&self, number: u32) -> TypeHead<'d> {
        let word = self.annotation(number);
        TypeHead { number, word, tag: word.map_or(b"", tag) }
    }

    /// Returns the head by the rules of cort, if types follow them and the text has a parse.
    fn cort_head(&self, side: Side, mention: &Mention) -> Option<u32> {
        let cort = self.cort.as_ref()?;
        let range = self.range(side, mention);
        let (first, last) = (self.place(range.start).ok()?, self.place(range.end - 1).ok()?);
        if last >= self.words.count() {
            return None;
        }
        let label = |word: u32| self.label(self.number(self.side, word));
        let head = cort.borrow_mut().head(first, last + 1, label);
        Some(self.number(self.side, head))
    }

    /// Returns whether a mention is a pronoun, the only property of mentions that the seven kinds depend on.
    pub(super) fn is_pronoun(&self, document: &Document, side: Side, mention: &Mention) -> bool {
        if is_zero(document, mention) {
            return true;
        }
        if stated_type(mention) == Some(MentionType::Pronoun) {
            return true;
        }
        if mention.word_count() != 1 || !self.has_text() {
            return false;
        }
        let number = self.number(side, mention.span().start());
        let word = self.annotation(number);
        word.is_some_and(|word| is_pronoun_tag(tag(word)))
            || is_pronoun_of(self.form(number), || self.language.get())
    }

    /// Returns the type of a mention: as annotated, otherwise by its head's tag and named-entity label, otherwise by the lists
    /// of words of the language. A mention whose type is not known counts as nominal.
    pub(super) fn type_of(&self, document: &Document, side: Side, mention: &Mention) -> MentionType {
        if let Some(stated) = stated_type(mention) {
            return stated;
        }
        if is_zero(document, mention) {
            return MentionType::Pronoun;
        }
        if !self.has_text() {
            return MentionType::Nominal;
        }
        let head = match self.cort_head(side, mention) {
            Some(head) => self.annotated(head),
            None => self.type_head(side, mention),
        };
        if self.tagged && is_tag(head.tag) {
            let by_tag = MentionType::of_tag(head.tag);
            let is_name = by_tag == MentionType::Name || self.label(head.number).is_some();
            return if is_name { MentionType::Name } else { by_tag };
        }
        let form = self.form(head.number);
        if self.label(head.number).is_some() {
            return MentionType::Name;
        }
        let (language, one) = (self.language.get(), mention.word_count() == 1);
        if one && language.is_demonstrative(form) {
            MentionType::Demonstrative
        } else if one && language.is_pronoun(form) {
            MentionType::Pronoun
        } else if language.capitals && self.is_capital(head.number) {
            MentionType::Name
        } else {
            MentionType::Nominal
        }
    }

    /// Returns whether a word has a capital letter where most words would not.
    fn is_capital(&self, number: u32) -> bool {
        let first = self.sentence_range(self.sentence(number)).start;
        number > first && self.form(number).chars().next().is_some_and(char::is_uppercase)
    }

    /// Returns the named-entity label of a word: the label of the innermost brackets around it, or its BIO tag.
    #[inline]
    pub(super) fn label(&self, number: u32) -> Option<&'d str> {
        self.labels().and_then(|layers| self.label_in(layers, number))
    }

    /// Does the work of [`label`](Self::label) in a document with labels.
    fn label_in(&self, layers: &LayerLookup<'d>, number: u32) -> Option<&'d str> {
        let word = self.place(number).ok()?;
        let cell = |word: u32| layers.word(word).get(|layers| &layers.named_entity);
        if !cell(word).contains(['(', ')', '*']) {
            let tag = Some(cell(word)).filter(|tag| !matches!(*tag, "" | "-" | "_" | "O"))?;
            return Some(tag.split_once(['-', '_']).map_or(tag, |(_, kind)| kind));
        }
        // Brackets that close before the word end labels that do not apply to it.
        let starts = self.words.sentences();
        let first = starts.get(self.words.sentence_of(word) as usize).copied().unwrap_or(0);
        let mut closed = 0;
        for before in (first..=word).rev() {
            let cell = cell(before);
            let closing = cell.matches(')').count();
            if before != word {
                closed += closing;
            }
            for open in cell.rsplit('(').take(cell.matches('(').count()) {
                match closed {
                    0 => return Some(&open[..open.find([')', '*']).unwrap_or(open.len())]),
                    _ => closed -= 1,
                }
            }
        }
        None
    }

    /// Returns the type of a mention's entity, as annotated, otherwise the named-entity label of its head.
    pub(super) fn entity_type(&self, side: Side, mention: &'d Mention) -> Option<&'d str> {
        let stated = mention.attribute(ENTITY_TYPE).filter(|value| !value.is_empty());
        stated.or_else(|| self.labels().and_then(|_| self.label(self.type_head(side, mention).number)))
    }

    /// Returns the layers if any word has a named-entity label.
    #[inline]
    fn labels(&self) -> Option<&LayerLookup<'d>> {
        let layers = self.layers.as_ref()?;
        let is_label = |cell: &[u8]| !matches!(cell, b"" | b"-" | b"_" | b"*" | b"O");
        self.labelled.get_or_init(|| layers.any(|layers| &layers.named_entity, is_label)).then_some(layers)
    }
}

/// Returns the numbers of the first and the last word of a part of a mention: `7–9`, or `4` for a single word.
fn numbers(part: &Span) -> String {
    match part.len() {
        1 => part.start().to_string(),
        _ => format!("{}–{}", part.start(), part.last()),
    }
}

/// Adds the words of a mention, each with `add`: joined by spaces, with an ellipsis in each gap.
#[inline(always)]
fn write_words(mention: &Mention, text: &mut String, add: impl Fn(u32, &mut String)) {
    for (place, part) in mention.parts().iter().enumerate() {
        if place > 0 {
            text.push_str(" …");
        }
        for word in part.start()..part.end() {
            if !text.is_empty() {
                text.push(' ');
            }
            add(word, text);
        }
    }
}

fn form(word: LayersOfWord<'_>) -> &str {
    word.get(|layers| &layers.form)
}

/// Returns the part of speech; empty if unknown.
fn tag(word: LayersOfWord<'_>) -> &[u8] {
    word.bytes(|layers| &layers.part_of_speech)
}

/// Returns a word that is not in the text, as displayed: the symbol of zeros before its form, if it has one.
pub fn zero(form: &str) -> Cow<'static, str> {
    match form {
        "" | "_" => Cow::Borrowed(ZERO),
        form => Cow::Owned(format!("{ZERO}{form}")),
    }
}

/// The symbol of a zero.
const ZERO: &str = "∅";

/// Returns the annotated type of a mention.
fn stated_type(mention: &Mention) -> Option<MentionType> {
    MentionType::of_label(mention.attribute(MENTION_TYPE)?)
}
