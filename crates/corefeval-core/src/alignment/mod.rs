//! Aligns texts: carries mentions over to the key's words from a response whose text differs slightly.
//!
//! The texts are compared as a whole, at the first of three levels at which they agree: word by word; character by
//! character, ignoring spaces, case and variants of punctuation; or piece by piece with the fewest changes. Mentions
//! are placed on the words that they cover. A mention that cannot be placed is reported and counts as spurious: the
//! document gets an extra word for it after the text.
//!
//! The answer of a language model has no words until it is aligned. Its text is compared in the same way. If it lists
//! strings without repeating the text, the strings are searched for in the key's text.

mod carry;
mod diff;
mod nodes;
mod place;
mod strings;
mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostics, Position};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{
    AnswerBody, AnswerDocument, Corpus, Dependency, Document, DocumentBuilder, EntityId, Mention,
    NewEmptyNode, Notation, Span, TextAlignment, TextLevel, Words,
};
use crate::pairing;
use crate::settings::{
    Align, AlignedShare, ExtraZeros, MinAligned, MissingDocuments, PairDocuments, Settings,
};
use crate::wording::{option_value, quoted, text as worded};

pub use text::{running_sentences, running_text};

/// The options of text alignment.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The differences between the texts that are accepted.
    pub level: Align,
    /// The minimum share of a text's pieces that the key must contain.
    pub min_aligned: f64,
    /// The treatment of empty nodes that the key lacks.
    pub extra_zeros: ExtraZeros,
    /// True if mentions without a place are kept and count as spurious.
    pub keep_unplaced: bool,
    /// The rule for pairing the documents of both sides.
    pub pair_documents: PairDocuments,
}

impl Options {
    /// Returns the options from the settings of a scoring run.
    pub fn of(settings: &Settings) -> Options {
        Options {
            level: settings.align,
            min_aligned: settings.min_aligned.value(),
            extra_zeros: settings.extra_zeros,
            keep_unplaced: true,
            pair_documents: settings.pair_documents,
        }
    }
}

/// Adds the level at which a document agrees to the applied options.
fn noted(applied: TextAlignment, level: TextLevel, (equal, total): (u64, u64)) -> TextAlignment {
    let share = (level == TextLevel::Text).then(|| equal as f64 / total.max(1) as f64);
    applied.and(TextAlignment { level: Some(level), notation: None, aligned: share })
}

/// Records in the settings how the texts of responses were aligned; `None` if none was.
pub fn note(settings: &mut Settings, applied: Option<TextAlignment>) {
    let Some(applied) = applied else {
        settings.min_aligned = MinAligned::default();
        return;
    };
    if let Some(level) = applied.level {
        settings.align = match level {
            TextLevel::Words => Align::Words,
            TextLevel::Characters => Align::Characters,
            TextLevel::Text => Align::Text,
        };
    }
    if let Some(notation) = applied.notation {
        settings.notation = notation;
    }
    // The share is rounded down, so that 1 means all.
    let share = applied.aligned.map(|share| (share * 1e4).floor() / 1e4);
    settings.aligned = share.and_then(AlignedShare::new);
}

/// Returns whether a response must be aligned before pairing: because it is an answer, or because the settings request
/// it.
pub fn is_needed(response: &Corpus, level: Align) -> bool {
    !response.answers.is_empty() || matches!(level, Align::Characters | Align::Text)
}

/// Carries one document over to the words of a key. Returns `None` if its words equal the key's or are unknown.
///
/// # Errors
///
/// The texts have less in common than the options require.
pub fn carried(
    key: &Document,
    response: &Document,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Result<Option<(Document, TextAlignment)>> {
    carry::carry_document(key, response, options, diagnostics)
}

/// Carries a response over to the words of a key, both read with their words.
///
/// An answer is converted to documents with the key's words. Documents of other formats whose words differ from the
/// key's are carried over as well, if the level allows differences.
///
/// ```
/// use corefeval_core::alignment::{Options, onto};
/// use corefeval_core::formats::{FormatSpec, ReadOptions};
/// use corefeval_core::profiles::Profile;
/// use corefeval_core::settings::Settings;
/// let mut options = ReadOptions::of_answers();
/// options.keep_layers = true;
/// let key = b"#begin document (note); part 000\nIda\t(0)\nsold\t-\nher\t(0)\nboat\t-\n.\t-\n#end document\n";
/// let key = FormatSpec::named("conll")?.read(key, "note.conll", options.clone())?;
/// let answer = FormatSpec::named("bracketed")?.read(b"[Ida](#1) sold [her](#1) boat.", "answer.txt", options)?;
/// let settings = Settings::of(Profile::for_format("conll"));
/// let placed = onto(&key, answer, &Options::of(&settings))?;
/// assert_eq!(placed.documents[0].mentions()[1].span().start(), 2);
/// # Ok::<(), corefeval_core::Error>(())
/// ```
///
/// # Errors
///
/// The words of the key are unknown; the answer contains no document of the key; the texts have less in common
/// than the options require.
pub fn onto(key: &Corpus, response: Corpus, options: &Options) -> Result<Corpus> {
    let mut applied = TextAlignment::default();
    if response.answers.is_empty() {
        return carry::carry(key, response, options);
    }
    if let Some(document) = key.documents.iter().find(|document| document.words().layers().is_none()) {
        let message =
            format!("the words of `{}` are not known, so an answer cannot be placed on them", document.id());
        return Err(Error::new(ErrorKind::Pairing, message)
            .at(document.position())
            .hint("use a key that has the text"));
    }
    let mut diagnostics = response.diagnostics;
    let mut documents = Vec::new();
    let mut lines: BTreeMap<Arc<str>, usize> = BTreeMap::new();
    for answer in &response.answers {
        *lines.entry(Arc::clone(&answer.source)).or_default() += 1;
    }
    for (key, answer) in pair(key, response.answers, options, &mut diagnostics)? {
        // Lines around the documents have no mentions either, so the reader does not warn about them.
        if answer.notation == Notation::Pipe && lines[&answer.source] > 1 && !answer.has_mentions() {
            let id = key.id().to_string();
            let message = || format!("the response has no mention in `{id}`");
            diagnostics.add(Code::NoMentions, Some(answer.position()), Some(id.clone()), message);
        }
        let notation = Some(answer.notation).filter(|notation| *notation != Notation::Auto);
        applied = applied.and(TextAlignment { notation, ..TextAlignment::default() });
        let mut placing = Placing::new(key, &answer, options, &mut diagnostics);
        match &answer.body {
            AnswerBody::Text(text) => {
                let found = place::TextPlacing::new(key, &answer, text, options)?;
                applied = noted(applied, found.level, found.aligned);
                found.place(key, &mut placing);
            }
            AnswerBody::Strings { mentions, names } => strings::place(key, mentions, names, &mut placing),
        }
        documents.push(placing.finish()?);
    }
    Ok(Corpus { documents, diagnostics, answers: Vec::new(), alignment: Some(applied) })
}

/// Places the mentions of a document on the words of a key document, and assigns it the id of that document.
///
/// Its words may differ if the level allows this; its empty nodes may always differ. Mentions of words of the text keep
/// these words. Zeros get the empty nodes of the key that scoring would compare them with; other zeros are dropped with
/// a warning. In a document whose words are not known (jsonlines without sentences), mentions refer to the words of the
/// key by number.
///
/// # Errors
///
/// The texts differ too much, or a mention lies beyond the end of the key's text.
pub fn onto_document(
    key: &Document,
    response: Document,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Result<Document> {
    let placed = match carry::carry_document(key, &response, options, diagnostics)? {
        Some((placed, _)) => placed,
        None if response.words().fingerprint().is_none() && !response.words().are_names() => {
            numbered(key, &response)?
        }
        None => carry::carry_same_text(key, &response, options, diagnostics)?.unwrap_or(response),
    };
    Ok(placed.renamed(key.id().clone()))
}

/// Replaces the words of a document with the words of the key's text that have the same numbers.
fn numbered(key: &Document, response: &Document) -> Result<Document> {
    let words = key.words();
    let in_text: Vec<u32> = (0..words.count()).filter(|&word| !words.is_empty_node(word)).collect();
    let mut builder =
        DocumentBuilder::new(response.id().clone(), Arc::clone(response.source()), response.line());
    builder.entities = response.entities().to_vec();
    builder.topic = key.topic().map(str::to_owned);
    builder.genre = key.genre().filter(|_| key.has_own_genre()).map(str::to_owned);
    for mention in response.mentions() {
        let place = |word: u32| in_text.get(word as usize).copied();
        let span = mention.span();
        let found = place(span.start()).zip(place(span.last()));
        let Some(span) = found.and_then(|(first, last)| Span::new(first, last + 1)) else {
            let count = in_text.len() as u32;
            return Err(pairing::beyond_error(response, mention, key, (count, "the key")));
        };
        builder.mentions.push(Mention::new(span, mention.entity(), mention.line(), mention.column()));
    }
    builder.finish(words.clone())
}

/// Pairs the documents of an answer with those of the key: in order if the options require it; otherwise by id;
/// otherwise in their order, and a single text with the document that shares the most pieces with it.
fn pair<'k>(
    key: &'k Corpus,
    answers: Vec<AnswerDocument>,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Result<Vec<(&'k Document, AnswerDocument)>> {
    if options.pair_documents == PairDocuments::Order {
        pairing::check_counts([key.documents.len(), answers.len()], key.documents.first())?;
        return Ok(key.documents.iter().zip(answers).collect());
    }
    let mut left: BTreeMap<usize, AnswerDocument> = answers.into_iter().enumerate().collect();
    let mut paired: BTreeMap<usize, AnswerDocument> = BTreeMap::new();
    for (place, document) in key.documents.iter().enumerate() {
        let names = spellings(document.id());
        let fits = |answer: &AnswerDocument| answer.id.as_ref().is_some_and(|id| names.contains(id));
        let found = left.iter().find(|(_, answer)| fits(answer)).map(|(number, _)| *number);
        if let Some(answer) = found.and_then(|number| left.remove(&number)) {
            paired.insert(place, answer);
        }
    }
    // Several lines are one document if the key has one document.
    if key.documents.len() == 1
        && paired.is_empty()
        && left.len() > 1
        && left.values().all(|a| a.notation == Notation::Pipe)
    {
        let joined = left.into_values().reduce(|one, other| join(one, other, diagnostics));
        left = joined.into_iter().map(|answer| (0, answer)).collect();
    }
    // Strings alone do not show to which document they belong.
    let named = |answer: &&AnswerDocument| {
        matches!(answer.body, AnswerBody::Strings { .. })
            && answer.id.as_ref().is_some_and(|id| !id.is_empty())
    };
    if paired.is_empty()
        && (key.documents.len() > 1 || left.len() > 1)
        && left.values().all(|answer| named(&answer))
        && let Some((answer, id)) = left.values().find_map(|answer| Some((answer, answer.id.as_ref()?)))
    {
        let message = worded!("the key has no document {}", quoted(id));
        return Err(Error::new(ErrorKind::Pairing, message).at(answer.position()).hint(worded!(
            "documents are paired by id; if the order is the same, use {}",
            option_value("pair-documents", "order")
        )));
    }
    if paired.is_empty() && !left.is_empty() {
        let texts = left.len();
        if let (1, Some(answer)) = (texts, left.get(&0)) {
            let best = most_alike(key, &answer.body);
            paired.extend(left.remove(&0).map(|answer| (best, answer)));
        } else {
            (paired, left) = pair_in_order(key, left, diagnostics);
        }
    }
    if paired.is_empty()
        && let Some(answer) = left.values().next()
    {
        let message = "the answer contains no document of the key";
        return Err(Error::new(ErrorKind::Pairing, message).at(answer.position()));
    }
    report_unpaired(key, left.into_values(), diagnostics);
    let found = paired.into_iter().filter_map(|(place, answer)| Some((key.documents.get(place)?, answer)));
    Ok(found.collect())
}

/// Returns the place of the key's document that shares the most pieces with a text; the first for other answers.
fn most_alike(key: &Corpus, body: &AnswerBody) -> usize {
    match body {
        AnswerBody::Text(text) if key.documents.len() > 1 => {
            let shared = key.documents.iter().map(|document| place::likeness(document, text));
            let best = shared.enumerate().max_by_key(|(place, shared)| (*shared, std::cmp::Reverse(*place)));
            best.map_or(0, |(place, _)| place)
        }
        _ => 0,
    }
}

/// The ways in which an answer may write the id of a document.
fn spellings(id: &crate::model::DocumentId) -> [String; 4] {
    [id.name().to_owned(), id.to_string(), id.file_name(), id.with_part_in_name()]
}

/// Reports documents of the answer that were paired with none of the key.
fn report_unpaired(
    key: &Corpus,
    answers: impl Iterator<Item = AnswerDocument>,
    diagnostics: &mut Diagnostics,
) {
    let is_of_key = |id: &String| key.documents.iter().any(|document| spellings(document.id()).contains(id));
    for answer in answers {
        let message = || match &answer.id {
            Some(id) if is_of_key(id) => {
                format!("document `{id}` is in the answer more than once; the first copy counts")
            }
            Some(id) if !id.is_empty() => format!("document `{id}` is not in the key; it was skipped"),
            _ => "the answer has more documents than the key; this one was skipped".to_owned(),
        };
        diagnostics.add(Code::ExtraDocument, Some(answer.position()), answer.id.clone(), message);
    }
}

/// The documents of an answer by number.
type NumberedAnswers = BTreeMap<usize, AnswerDocument>;

/// Pairs documents of an answer with those of the key in their order. Returns the pairs, and the remaining documents.
///
/// In `pipe`, lines without a mark that are not in the key's document surround the answer. If lines are missing, a
/// line skips documents that differ from it. A line that repeats an earlier line belongs to the document of the
/// earlier line.
fn pair_in_order(
    key: &Corpus,
    answers: NumberedAnswers,
    diagnostics: &mut Diagnostics,
) -> (NumberedAnswers, NumberedAnswers) {
    let (mut paired, mut left) = (NumberedAnswers::new(), NumberedAnswers::new());
    let documents = key.documents.len();
    let is_bare = |answer: &AnswerDocument| match &answer.body {
        AnswerBody::Text(text) => answer.notation == Notation::Pipe && text.marks.is_empty(),
        AnswerBody::Strings { .. } => false,
    };
    let is_like = |place: usize, answer: &AnswerDocument| match (&answer.body, key.documents.get(place)) {
        (AnswerBody::Text(text), Some(document)) => place::is_like(document, text),
        _ => true,
    };
    let complete = answers.len() == documents
        && !answers.values().any(is_bare)
        && !answers
            .values()
            .enumerate()
            .any(|(place, answer)| answer.notation == Notation::Pipe && !is_like(place, answer));
    let (mut next, mut lines) = (0, answers.len());
    for (number, answer) in answers {
        let mut place = Some(next);
        if answer.notation == Notation::Pipe && !complete {
            let last = if documents > next + lines { documents } else { documents.min(next + 1) };
            let like = (next..last).find(|&place| is_like(place, &answer));
            let repeated = |place: &usize| like.is_none() && !is_bare(&answer) && is_like(*place, &answer);
            if let Some(place) = (0..next).rev().find(repeated)
                && let Some(first) = paired.remove(&place)
            {
                paired.insert(place, join(first, answer, diagnostics));
                lines -= 1;
                continue;
            }
            place = like.or(place.filter(|_| !is_bare(&answer)));
        }
        lines -= 1;
        match place {
            Some(place) if place < documents => {
                paired.insert(place, answer);
                next = place + 1;
            }
            Some(_) => {
                left.insert(number, answer);
            }
            None => {
                let message = || "text around the answer was skipped".to_owned();
                diagnostics.add(Code::AnswerUnwrapped, Some(answer.position()), None, message);
            }
        }
    }
    (paired, left)
}

/// Joins two lines into one document.
fn join(mut one: AnswerDocument, other: AnswerDocument, diagnostics: &mut Diagnostics) -> AnswerDocument {
    let known = one.entities.len();
    let entities: Vec<u32> = other
        .entities
        .iter()
        .map(|name| match one.entities.iter().position(|known| known == name) {
            Some(place) => place as u32,
            None => {
                one.entities.push(name.clone());
                one.entities.len() as u32 - 1
            }
        })
        .collect();
    if let (AnswerBody::Text(text), AnswerBody::Text(more)) = (&mut one.body, other.body) {
        text.append(more, &entities);
    }
    one.report_ids_alike(known, diagnostics);
    one
}

/// A mention that is placed on the key's words.
struct PlacedMention {
    entity: u32,
    first: u32,
    last: u32,
    line: u32,
    column: u32,
}

/// A mention without a place.
struct Unplaced {
    entity: u32,
    text: String,
    line: u32,
    column: u32,
    /// The word before it, for an empty node (`None` at the start of the text).
    zero: Option<Option<u32>>,
}

/// A document of an answer whose mentions are being placed.
struct Placing<'p> {
    key: &'p Document,
    answer: &'p AnswerDocument,
    options: &'p Options,
    diagnostics: &'p mut Diagnostics,
    placed: Vec<PlacedMention>,
    known: BTreeSet<(u32, u32, u32)>,
    unplaced: Vec<Unplaced>,
}

impl<'p> Placing<'p> {
    fn new(
        key: &'p Document,
        answer: &'p AnswerDocument,
        options: &'p Options,
        diagnostics: &'p mut Diagnostics,
    ) -> Placing<'p> {
        let (placed, unplaced) = (Vec::new(), Vec::new());
        Placing { key, answer, options, diagnostics, placed, known: BTreeSet::new(), unplaced }
    }

    fn finding(&mut self, code: Code, position: Position, message: impl FnOnce() -> String) {
        self.diagnostics.add(code, Some(position), Some(self.key.id().to_string()), message);
    }

    /// Places a mention. The same words twice in one entity count once.
    fn put(&mut self, entity: u32, first: u32, last: u32, line: u32, column: u32) {
        if self.known.insert((entity, first, last)) {
            self.placed.push(PlacedMention { entity, first, last, line, column });
        }
    }

    /// Reports a mention without a place.
    fn unplaced(&mut self, entity: u32, text: &str, line: u32, column: u32) {
        self.unplaced_because(entity, text, line, column, "the key does not have these words here");
    }

    fn unplaced_because(&mut self, entity: u32, text: &str, line: u32, column: u32, why: &str) {
        let position = Position::new(&self.answer.source, line, column);
        let shown = place::shortened(text);
        let name = &self.answer.entities[entity as usize];
        self.diagnostics.add(Code::MentionUnplaced, Some(position), Some(self.key.id().to_string()), || {
            format!("`{shown}` of entity `{name}` cannot be placed: {why}")
        });
        self.unplaced.push(Unplaced { entity, text: shown, line, column, zero: None });
    }

    /// Adds an empty node that the key lacks, if empty nodes of this kind count as spurious. It has already been
    /// reported.
    fn extra_zero(&mut self, entity: u32, before: Option<u32>, line: u32, column: u32) {
        if self.options.extra_zeros == ExtraZeros::Spurious {
            let text = "_".to_owned();
            self.unplaced.push(Unplaced { entity, text, line, column, zero: Some(before) });
        }
    }

    /// Returns the document with the key's words.
    fn finish(self) -> Result<Document> {
        let Placing { key, answer, options, placed, mut unplaced, .. } = self;
        if !options.keep_unplaced {
            unplaced.clear();
        }
        let (words, moved) = with_zeros(key.words(), &unplaced);
        let text_end = words.count();
        let forms: Vec<&str> = unplaced
            .iter()
            .filter(|mention| mention.zero.is_none())
            .map(|mention| mention.text.as_str())
            .collect();
        let words = words.with_words_beyond(&forms);
        let mut builder = DocumentBuilder::new(key.id().clone(), Arc::clone(&answer.source), answer.line);
        builder.topic = key.topic().map(str::to_owned);
        builder.genre = key.genre().filter(|_| key.has_own_genre()).map(str::to_owned);
        let mut entities: BTreeMap<u32, EntityId> = BTreeMap::new();
        let mut entity_of = |number: u32, builder: &mut DocumentBuilder| {
            *entities
                .entry(number)
                .or_insert_with(|| builder.add_entity(answer.entities[number as usize].as_str()))
        };
        for mention in &placed {
            let entity = entity_of(mention.entity, &mut builder);
            let span = place::span(moved.word(mention.first), moved.word(mention.last));
            if let Some(span) = span {
                builder.mentions.push(Mention::new(span, entity, mention.line, mention.column));
            }
        }
        let (mut next, mut zeros) = (text_end, moved.added.iter());
        for mention in &unplaced {
            let entity = entity_of(mention.entity, &mut builder);
            let word = match mention.zero {
                Some(_) => zeros.next().copied(),
                None => {
                    next += 1;
                    Some(next - 1)
                }
            };
            if let Some(word) = word {
                builder.mentions.push(Mention::new(Span::word(word), entity, mention.line, mention.column));
            }
        }
        builder.finish(words)
    }
}

/// The places of words after empty nodes were added.
struct Moved {
    /// The words before which nodes were added, in the old numbers, in order.
    before: Vec<u32>,
    /// The added nodes, in the order in which they were requested.
    added: Vec<u32>,
}

impl Moved {
    fn word(&self, word: u32) -> u32 {
        word + self.before.partition_point(|&place| place <= word) as u32
    }
}

/// Returns the key's words, with an empty node after the preceding word for each mention that needs a new one.
fn with_zeros(words: &Words, unplaced: &[Unplaced]) -> (Words, Moved) {
    let wanted: Vec<Option<u32>> = unplaced.iter().filter_map(|mention| mention.zero).collect();
    if wanted.is_empty() {
        return (words.clone(), Moved { before: Vec::new(), added: Vec::new() });
    }
    // New nodes come after the existing ones, in order, with the number of each request.
    let place = |after: Option<u32>| {
        let mut place = after.map_or(0, |word| word + 1);
        while words.is_empty_node(place) {
            place += 1;
        }
        place
    };
    let mut places: Vec<(u32, Option<u32>, usize)> =
        wanted.iter().enumerate().map(|(number, &after)| (place(after), after, number)).collect();
    places.sort_unstable();
    let before: Vec<u32> = places.iter().map(|place| place.0).collect();
    let moved = Moved { before, added: Vec::new() };
    let mut added = vec![0; wanted.len()];
    let (mut nodes, mut dependencies): (Vec<NewEmptyNode>, Vec<Dependency>) = (Vec::new(), Vec::new());
    for (offset, &(place, after, number)) in (0u32..).zip(&places) {
        let existing = words.empty_nodes().iter().zip(words.empty_node_numbers());
        let first = after.map_or(0, |word| word + 1);
        let last =
            existing.filter(|(node, _)| (first..place).contains(*node)).map(|(_, number)| *number).max();
        let same = nodes.iter().rev().take_while(|node| node.word + 1 == place + offset).count() as u32;
        let word = place + offset;
        added[number] = word;
        let sentence = words.sentence_of(after.unwrap_or(0));
        nodes.push(NewEmptyNode { word, sentence, number: last.unwrap_or(0) + same + 1 });
        let parent = after.map(|word| moved.word(word));
        dependencies.push(Dependency { word, parent, relation: "dep".into() });
    }
    for &node in words.empty_nodes() {
        dependencies.extend(words.dependencies(node).iter().map(|dependency| Dependency {
            word: moved.word(dependency.word),
            parent: dependency.parent.map(|parent| moved.word(parent)),
            relation: dependency.relation.clone(),
        }));
    }
    dependencies.sort_by_key(|dependency| dependency.word);
    match words.with_empty_nodes(&nodes, dependencies) {
        Some(words) => (words, Moved { added, ..moved }),
        None => (words.clone(), Moved { before: Vec::new(), added: Vec::new() }),
    }
}

/// Returns the documents of the key with the response documents paired with them.
fn pairs<'c>(
    key: &'c Corpus,
    response: &'c Corpus,
    options: &Options,
) -> Result<Vec<(&'c Document, &'c Document)>> {
    let rules = (options.pair_documents, MissingDocuments::Count);
    let pairs = pairing::pair_by(rules, key, response, &mut Diagnostics::default())?;
    Ok(pairs.into_iter().filter_map(|pair| Some((pair.key, pair.response?))).collect())
}
