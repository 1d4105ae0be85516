//! Generates the inputs of the benchmark: pairs of a key and a response, from a seed.
//!
//! The inputs are generated because the corpora behind the numbers cannot be redistributed. They keep the properties
//! that matter to a scorer: the layout of the file, the length of lines, documents and sentences, the numbers of
//! mentions and entities, how they nest, how large the largest entity is and how a response differs from its key.
//!
//! A file is made in three steps, each of which depends only on the previous one: a text, the key's entities in the
//! text, and the response's entities as a disturbed copy of the key's. [`render`] then writes one side of all
//! documents. The `bench` module measures the files.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, iter, mem};

use crate::random::Random;
use crate::sizes::{InputShape, Layout, Noise, Size};

/// The seed of the benchmark.
pub const SEED: u64 = 2012;

/// The annotation: key or response.
#[derive(Clone, Copy, Debug)]
pub enum AnnotationSide {
    /// The annotation taken as correct.
    Key,
    /// The annotation to be scored.
    Response,
}

/// The words from `start` to `end`, both included, counted from the start of the document.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct WordSpan {
    start: usize,
    end: usize,
}

impl WordSpan {
    /// Returns whether the two share words and neither contains the other.
    fn crosses(self, other: Self) -> bool {
        let (first, second) = if self < other { (self, other) } else { (other, self) };
        first.start < second.start && second.start <= first.end && first.end < second.end
    }
}

/// The mentions of an entity, in the order of the text.
type SpanList = Vec<WordSpan>;

/// A text with both annotations.
#[derive(Debug)]
pub struct GeneratedDocument {
    id: String,
    part: usize,
    text: Sentences,
    key: Vec<SpanList>,
    response: Vec<SpanList>,
}

impl GeneratedDocument {
    fn entities(&self, side: AnnotationSide) -> &[SpanList] {
        match side {
            AnnotationSide::Key => &self.key,
            AnnotationSide::Response => &self.response,
        }
    }
}

/// A pair of files.
pub struct FilePair {
    /// The key.
    pub key: PathBuf,
    /// The response.
    pub response: PathBuf,
}

/// Makes an input and writes it into a directory as `NAME-key` and `NAME-response`.
///
/// A file that already has the right content is not changed.
pub fn write(size: &Size, directory: &Path, seed: u64) -> Result<FilePair, String> {
    let vocabulary = Vocabulary::new();
    let documents = generate(&size.shape, seed);
    let extension = size.shape.layout.extension();
    let file = |side, side_name: &str| {
        let path = directory.join(format!("{}-{side_name}.{extension}", size.name));
        let content = render(&documents, side, size.shape.layout, &vocabulary);
        write_if_changed(&path, content.as_bytes()).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok::<_, String>(path)
    };
    Ok(FilePair {
        key: file(AnnotationSide::Key, "key")?,
        response: file(AnnotationSide::Response, "response")?,
    })
}

/// Makes an input with several responses to its key, and writes it into a directory as `NAME-key`, `NAME-system-01`,
/// `NAME-system-02` and so on. The responses differ in the seed of their noise. Later ones miss more mentions: one
/// percentage point more for every two systems.
pub fn write_systems(size: &Size, directory: &Path, seed: u64, systems: u64) -> Result<Vec<PathBuf>, String> {
    let vocabulary = Vocabulary::new();
    let mut documents = generate(&size.shape, seed);
    let extension = size.shape.layout.extension();
    let file = |documents: &[GeneratedDocument], side, name: String| {
        let path = directory.join(format!("{}-{name}.{extension}", size.name));
        let content = render(documents, side, size.shape.layout, &vocabulary);
        write_if_changed(&path, content.as_bytes()).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok::<_, String>(path)
    };
    let mut paths = vec![file(&documents, AnnotationSide::Key, "key".to_owned())?];
    for system in 1..=systems {
        let mut random = Random::new(seed + system);
        let noise =
            Noise { dropped: size.shape.noise.dropped + (system as usize - 1) / 2, ..size.shape.noise };
        for document in &mut documents {
            let entities = document.response.len();
            document.response = disturb(&mut random, &document.text, &document.key, entities, &noise);
        }
        paths.push(file(&documents, AnnotationSide::Response, format!("system-{system:02}"))?);
    }
    Ok(paths)
}

fn write_if_changed(path: &Path, content: &[u8]) -> std::io::Result<()> {
    if fs::read(path).is_ok_and(|present| present == content) {
        return Ok(());
    }
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    fs::write(path, content)
}

/// Makes the documents of a shape.
pub fn generate(shape: &InputShape, seed: u64) -> Vec<GeneratedDocument> {
    let mut random = Random::new(seed);
    let weights: Vec<f64> = (0..shape.documents)
        .map(|_| {
            let unit = random.unit();
            0.25 + 3.0 * unit * unit * unit
        })
        .collect();
    let words = apportion(shape.words, &weights);
    let mentions = apportion(shape.mentions, &as_weights(&words));
    let key_entities = apportion(shape.key_entities, &as_weights(&mentions));
    let response_entities = apportion(shape.response_entities, &as_weights(&mentions));
    let whole = |number: usize| number * shape.whole / shape.documents;
    (0..shape.documents)
        .map(|number| {
            let part = (0..number).rev().take_while(|&before| whole(before) == whole(number)).count();
            let text = Sentences::new(&mut random, words[number]);
            let key = annotate(&mut random, &text, mentions[number], key_entities[number], shape.tail);
            let response = disturb(&mut random, &text, &key, response_entities[number], &shape.noise);
            GeneratedDocument { id: document_id(whole(number)), part, text, key, response }
        })
        .collect()
}

/// Divides `total` in proportion to the weights. The shares add up to the total.
fn apportion(total: usize, weights: &[f64]) -> Vec<usize> {
    let sum: f64 = weights.iter().sum();
    let mut before = 0;
    let mut weight = 0.0;
    weights
        .iter()
        .map(|more| {
            weight += more;
            let after = (total as f64 * (weight / sum)).round() as usize;
            after - mem::replace(&mut before, after)
        })
        .collect()
}

fn as_weights(counts: &[usize]) -> Vec<f64> {
    counts.iter().map(|&count| count as f64).collect()
}

/// Returns an identifier like those of CoNLL-2012, whose folders are genre and source.
fn document_id(number: usize) -> String {
    const SOURCES: [&str; 6] = ["bc/cnn", "bn/abc", "mz/sin", "nw/wsj", "tc/swb", "wb/eng"];
    format!("{}_{number:04}", SOURCES[number % SOURCES.len()])
}

/// Made-up words, from frequent and short to rare and long, each with a part of speech.
pub struct Vocabulary {
    words: Vec<String>,
}

/// The binary logarithm of the size of the vocabulary.
const VOCABULARY_BITS: usize = 13;

/// The full stop that ends each sentence: the word of rank 0.
const STOP: u16 = 0;

impl Vocabulary {
    /// Makes the vocabulary, which is always the same.
    pub fn new() -> Self {
        const ONSETS: [&str; 16] =
            ["", "b", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w"];
        const NUCLEI: [&str; 5] = ["a", "e", "i", "o", "u"];
        const CODAS: [&str; 6] = ["", "n", "r", "s", "t", "l"];
        let mut random = Random::new(0);
        let mut seen = BTreeSet::from([".".to_owned()]);
        let mut words = vec![".".to_owned()];
        while words.len() < 1 << VOCABULARY_BITS {
            let syllables = match words.len() {
                0..32 => 1,
                32..768 => 2,
                _ => 3,
            };
            let mut word = String::new();
            for _ in 0..syllables {
                word.push_str(ONSETS[random.below(ONSETS.len())]);
                word.push_str(NUCLEI[random.below(NUCLEI.len())]);
            }
            word.push_str(CODAS[random.below(CODAS.len())]);
            if seen.insert(word.clone()) {
                words.push(word);
            }
        }
        Self { words }
    }

    fn word(&self, rank: u16) -> &str {
        &self.words[usize::from(rank)]
    }

    fn part_of_speech(rank: u16) -> &'static str {
        const TAGS: [&str; 12] = ["NN", "IN", "NNP", "DT", "VB", "JJ", "NNS", "PRP", "RB", "VBD", "CC", "TO"];
        if rank == STOP { "." } else { TAGS[usize::from(rank) % TAGS.len()] }
    }

    /// Draws the rank of a word by Zipf's law: all powers of two are equally likely.
    fn draw(random: &mut Random) -> u16 {
        let half = 1 << random.below(VOCABULARY_BITS);
        (half + random.below(half)) as u16
    }
}

/// Words in sentences.
#[derive(Debug)]
struct Sentences {
    /// The ranks of the words in the vocabulary.
    words: Vec<u16>,
    /// The first word of each sentence, then the number of words.
    bounds: Vec<usize>,
}

impl Sentences {
    fn new(random: &mut Random, length: usize) -> Self {
        let mut words = Vec::with_capacity(length);
        let mut bounds = vec![0];
        while words.len() < length {
            let sentence = (6 + random.below(25)).min(length - words.len());
            words.extend((1..sentence).map(|_| Vocabulary::draw(random)));
            words.push(STOP);
            bounds.push(words.len());
        }
        Self { words, bounds }
    }

    fn sentences(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        self.bounds.windows(2).map(|pair| pair[0]..pair[1])
    }

    fn sentence_of(&self, word: usize) -> usize {
        self.bounds.partition_point(|&bound| bound <= word) - 1
    }

    /// Returns whether a span lies within a sentence and is no longer than a mention may be.
    fn holds(&self, span: WordSpan) -> bool {
        span.start <= span.end
            && span.end < span.start + LENGTHS.len()
            && span.end < self.words.len()
            && self.sentence_of(span.start) == self.sentence_of(span.end)
    }
}

/// The number of mentions per hundred that have at most one, two, three ... words.
const LENGTHS: [usize; 8] = [48, 70, 81, 88, 92, 95, 98, 100];

/// The mentions of one side, without duplicates and crossing mentions.
struct Mentions<'text> {
    text: &'text Sentences,
    by_sentence: Vec<Vec<WordSpan>>,
}

impl<'text> Mentions<'text> {
    fn new(text: &'text Sentences) -> Self {
        Self { text, by_sentence: vec![Vec::new(); text.bounds.len() - 1] }
    }

    fn sentence(&mut self, span: WordSpan) -> &mut Vec<WordSpan> {
        &mut self.by_sentence[self.text.sentence_of(span.start)]
    }

    fn contains(&self, span: WordSpan) -> bool {
        self.by_sentence[self.text.sentence_of(span.start)].contains(&span)
    }

    /// Adds a mention, unless it exists, crosses another or leaves its sentence.
    fn insert(&mut self, span: WordSpan) -> bool {
        let fits = self.text.holds(span)
            && self.sentence(span).iter().all(|&other| other != span && !other.crosses(span));
        if fits {
            self.sentence(span).push(span);
        }
        fits
    }

    fn remove(&mut self, span: WordSpan) {
        self.sentence(span).retain(|&other| other != span);
    }

    /// Adds a mention at a random place, except those of `avoid`.
    fn insert_anywhere(&mut self, random: &mut Random, avoid: Option<&Self>) -> WordSpan {
        for _ in 0..100_000 {
            let start = random.below(self.text.words.len());
            let draw = random.below(100);
            let longer = LENGTHS.iter().take_while(|&&most| most <= draw).count();
            let span = WordSpan { start, end: start + longer };
            if self.text.holds(span) && avoid.is_none_or(|avoid| !avoid.contains(span)) && self.insert(span) {
                return span;
            }
        }
        panic!("a shape with more mentions than its text has room for");
    }
}

/// Makes the key's entities.
fn annotate(
    random: &mut Random,
    text: &Sentences,
    mentions: usize,
    entities: usize,
    tail: f64,
) -> Vec<SpanList> {
    assert!(2 * entities <= mentions, "a shape with too few mentions");
    let mut taken = Mentions::new(text);
    let spans: Vec<WordSpan> = (0..mentions).map(|_| taken.insert_anywhere(random, None)).collect();
    let weights: Vec<f64> = (1..=entities).map(|k| 1.0 / (k as f64 + tail)).collect();
    let mut rest = spans.into_iter();
    let entities = apportion(mentions - 2 * entities, &weights)
        .into_iter()
        .map(|more| rest.by_ref().take(2 + more).collect())
        .collect();
    in_order(entities)
}

/// Makes a response from the key.
fn disturb(
    random: &mut Random,
    text: &Sentences,
    key: &[SpanList],
    entities: usize,
    noise: &Noise,
) -> Vec<SpanList> {
    let mut in_key = Mentions::new(text);
    let mut taken = Mentions::new(text);
    let mut mentions: Vec<(WordSpan, usize)> = Vec::new();
    for (entity, spans) in key.iter().enumerate() {
        for &span in spans {
            in_key.insert(span);
            taken.insert(span);
            mentions.push((span, entity));
        }
    }
    let total = mentions.len();
    random.shuffle(&mut mentions);

    for (_, entity) in &mut mentions {
        if random.chance(noise.moved) {
            *entity = random.below(key.len());
        }
    }

    let dropped = random.share(total, noise.dropped);
    for (span, _) in mentions.drain(total - dropped..) {
        taken.remove(span);
    }

    let reshaped = random.share(mentions.len(), noise.reshaped);
    for (span, _) in &mut mentions[..reshaped] {
        taken.remove(*span);
        // Without room for another span, the mention stays unchanged.
        let changed = iter::repeat_with(|| reshape(random, *span))
            .take(20)
            .find(|&other| text.holds(other) && !in_key.contains(other) && taken.insert(other));
        match changed {
            Some(other) => *span = other,
            None => assert!(taken.insert(*span)),
        }
    }

    // If the shape requires it, as many mentions are added as were dropped, so that both sides have exactly the same
    // number.
    let spurious =
        if noise.spurious == noise.dropped { dropped } else { random.share(total, noise.spurious) };
    let mut groups = key.len();
    for number in 0..spurious {
        let span = taken.insert_anywhere(random, Some(&in_key));
        let entity = if random.chance(50) && !mentions.is_empty() {
            mentions[random.below(mentions.len())].1
        } else {
            groups += number % 2;
            groups
        };
        mentions.push((span, entity));
    }

    let mut response = vec![SpanList::new(); groups + 1];
    for (span, entity) in mentions {
        response[entity].push(span);
    }
    response.retain(|entity| !entity.is_empty());
    regroup(random, &mut response, entities, noise.split);
    in_order(response)
}

/// Moves one end of a span by a word or two.
fn reshape(random: &mut Random, span: WordSpan) -> WordSpan {
    let by = 1 + random.below(2);
    let WordSpan { start, end } = span;
    match random.below(4) {
        0 => WordSpan { start: start.saturating_sub(by), end },
        1 => WordSpan { start: start + by, end },
        2 => WordSpan { start, end: end.saturating_sub(by) },
        _ => WordSpan { start, end: end + by },
    }
}

/// Splits and merges entities at random until there are `wanted`, without singletons if possible.
fn regroup(random: &mut Random, entities: &mut Vec<SpanList>, wanted: usize, split: usize) {
    let mut number = 0;
    while number < entities.len() && entities.len() > 1 {
        if entities[number].len() == 1 {
            let alone = entities.swap_remove(number);
            let other = random.below(entities.len());
            entities[other].extend(alone);
        } else {
            number += 1;
        }
    }
    for _ in 0..random.share(entities.len(), split) {
        split_one(random, entities);
    }
    while entities.len() < wanted && split_one(random, entities) {}
    while entities.len() > wanted.max(1) {
        let merged = entities.swap_remove(random.below(entities.len()));
        let other = random.below(entities.len());
        entities[other].extend(merged);
    }
}

/// Cuts an entity of four or more mentions in two; returns false if there is none.
fn split_one(random: &mut Random, entities: &mut Vec<SpanList>) -> bool {
    for _ in 0..1_000 {
        let number = random.below(entities.len());
        let entity = &mut entities[number];
        if entity.len() >= 4 {
            random.shuffle(entity);
            let at = 2 + random.below(entity.len() - 3);
            let rest = entity.split_off(at);
            entities.push(rest);
            return true;
        }
    }
    false
}

/// Sorts mentions in text order, and entities by their first mentions.
fn in_order(mut entities: Vec<SpanList>) -> Vec<SpanList> {
    for entity in &mut entities {
        entity.sort_unstable();
    }
    entities.sort_unstable();
    entities
}

/// Writes one side of the documents.
pub fn render(
    documents: &[GeneratedDocument],
    side: AnnotationSide,
    layout: Layout,
    vocabulary: &Vocabulary,
) -> String {
    let mut out = String::new();
    for document in documents {
        match layout {
            Layout::Conll => render_conll(&mut out, document, side, vocabulary),
            Layout::Corefud => render_corefud(&mut out, document, side, vocabulary),
            Layout::JsonLines => render_json_line(&mut out, document, side, vocabulary),
        }
        .expect("writing to a string cannot fail");
    }
    out
}

fn render_conll(
    out: &mut String,
    document: &GeneratedDocument,
    side: AnnotationSide,
    vocabulary: &Vocabulary,
) -> std::fmt::Result {
    let GeneratedDocument { id, part, text, .. } = document;
    let cells = coreference_column(text, document.entities(side), |id, _| format!("({id}"), "|");
    writeln!(out, "#begin document ({id}); part {part:03}")?;
    for sentence in text.sentences() {
        let (first, last) = (sentence.start, sentence.end - 1);
        for word in sentence {
            let rank = text.words[word];
            write!(out, "{id}\t{part}\t{}\t{}\t", word - first, vocabulary.word(rank))?;
            write!(out, "{}\t", Vocabulary::part_of_speech(rank))?;
            let parse = match (word == first, word == last) {
                (true, true) => "(TOP(S*))",
                (true, false) => "(TOP(S*",
                (false, true) => "*))",
                (false, false) if (word - first) % 3 == 1 => "(NP*)",
                (false, false) => "*",
            };
            let cell = if cells[word].is_empty() { "-" } else { &cells[word] };
            writeln!(out, "{parse}\t-\t-\t-\t-\t*\t*\t{cell}")?;
        }
        out.push('\n');
    }
    writeln!(out, "#end document")
}

fn render_corefud(
    out: &mut String,
    document: &GeneratedDocument,
    side: AnnotationSide,
    vocabulary: &Vocabulary,
) -> std::fmt::Result {
    let GeneratedDocument { id, text, .. } = document;
    // The head is the rarest word, so that a mention whose boundary has moved mostly keeps it.
    let open = |id: usize, span: WordSpan| {
        let words = &text.words[span.start..=span.end];
        let head = (0..words.len()).max_by_key(|&place| (words[place], place)).map_or(1, |place| place + 1);
        format!("(e{id}-person-{head}-new")
    };
    let cells = coreference_column(text, document.entities(side), open, "");
    writeln!(out, "# newdoc id = {id}\n# global.Entity = eid-etype-head-other")?;
    for (number, sentence) in text.sentences().enumerate() {
        let first = sentence.start;
        let empty_after = match side {
            AnnotationSide::Key => 1,
            AnnotationSide::Response => 2,
        };
        writeln!(out, "# sent_id = {id}-{number}")?;
        for word in sentence {
            let (place, rank) = (word - first + 1, text.words[word]);
            let form = vocabulary.word(rank);
            let tag = Vocabulary::part_of_speech(rank);
            let misc = match cells[word].as_str() {
                "" => "_".to_owned(),
                brackets => format!("Entity={brackets}"),
            };
            writeln!(out, "{place}\t{form}\t{form}\t{tag}\t_\tCase=Nom\t{}\tdep\t_\t{misc}", place - 1)?;
            if first % 10 == 0 && place == empty_after {
                writeln!(out, "{place}.1\t_\t_\tPRON\t_\t_\t_\t_\t{place}:nsubj\t_")?;
            }
        }
        out.push('\n');
    }
    Ok(())
}

/// Returns the last column: `(3` opens entity 3, `3)` closes it, `(3)` is a mention of one word. `open` writes the
/// opening bracket, and `joint` separates two brackets.
fn coreference_column(
    text: &Sentences,
    entities: &[SpanList],
    open_bracket: impl Fn(usize, WordSpan) -> String,
    joint: &str,
) -> Vec<String> {
    let prefix = |id: usize| if joint.is_empty() { format!("e{id})") } else { format!("{id})") };
    let mut mentions: Vec<(WordSpan, usize)> = entities
        .iter()
        .enumerate()
        .flat_map(|(id, spans)| spans.iter().map(move |&span| (span, id)))
        .collect();
    // The longest mention that opens at a word comes first.
    mentions.sort_unstable_by_key(|&(span, _)| (span.start, text.words.len() - span.end));
    let mut coming = mentions.into_iter().peekable();
    let mut open: Vec<(WordSpan, usize)> = Vec::new();
    (0..text.words.len())
        .map(|word| {
            let mut parts = Vec::new();
            while let Some((span, id)) = coming.next_if(|(span, _)| span.start == word) {
                if span.end == word {
                    parts.push(open_bracket(id, span) + ")");
                } else {
                    parts.push(open_bracket(id, span));
                    open.push((span, id));
                }
            }
            while let Some((_, id)) = open.pop_if(|(span, _)| span.end == word) {
                parts.push(prefix(id));
            }
            parts.join(joint)
        })
        .collect()
}

/// Renders a document as JSON. Words consist of letters and full stops, so they need no escaping.
fn render_json_line(
    out: &mut String,
    document: &GeneratedDocument,
    side: AnnotationSide,
    vocabulary: &Vocabulary,
) -> std::fmt::Result {
    let separator = |number| if number == 0 { "" } else { ", " };
    write!(out, "{{\"doc_key\": \"{}\", \"sentences\": [", document.id)?;
    for (number, sentence) in document.text.sentences().enumerate() {
        write!(out, "{}[", separator(number))?;
        for (number, &rank) in document.text.words[sentence].iter().enumerate() {
            write!(out, "{}\"{}\"", separator(number), vocabulary.word(rank))?;
        }
        out.push(']');
    }
    out.push_str("], \"clusters\": [");
    for (number, entity) in document.entities(side).iter().enumerate() {
        write!(out, "{}[", separator(number))?;
        for (number, WordSpan { start, end }) in entity.iter().enumerate() {
            write!(out, "{}[{start}, {end}]", separator(number))?;
        }
        out.push(']');
    }
    out.push_str("]}\n");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sizes::SIZES;
    use std::collections::{BTreeMap, BTreeSet};

    /// One side, read back from a file; the reader shares no code with the writer.
    #[derive(Default)]
    struct Read {
        documents: usize,
        /// The words and ends of sentences.
        text: Vec<String>,
        words: usize,
        /// The entities by document and number in the file.
        entities: BTreeMap<(usize, usize), Vec<(usize, usize)>>,
    }

    impl Read {
        fn new(content: &str, layout: Layout) -> Self {
            match layout {
                Layout::Conll => Self::conll(content),
                Layout::Corefud => Self::corefud(content),
                Layout::JsonLines => Self::json_lines(content),
            }
        }

        /// Opens a mention, closes one, or both.
        fn bracket(&mut self, open: &mut Vec<(usize, usize)>, part: &str, id: usize) {
            if part.starts_with('(') {
                open.push((id, self.words));
            }
            if part.ends_with(')') {
                let (opened, start) = open.pop().expect("an open mention");
                assert_eq!(opened, id, "crossing mentions at word {}", self.words);
                let entity = self.entities.entry((self.documents, id)).or_default();
                entity.push((start, self.words));
            }
        }

        fn corefud(content: &str) -> Self {
            let mut read = Self::default();
            let mut open: Vec<(usize, usize)> = Vec::new();
            for line in content.lines() {
                if line.starts_with("# newdoc") {
                    read.documents += 1;
                } else if line.is_empty() {
                    assert!(open.is_empty(), "unclosed at the end of a sentence: {open:?}");
                    read.text.push(String::new());
                } else if !line.starts_with('#') {
                    let columns: Vec<&str> = line.split('\t').collect();
                    assert_eq!(columns.len(), 10, "{line}");
                    if columns[0].contains('.') {
                        continue;
                    }
                    read.text.push(columns[1].to_owned());
                    let brackets = columns[9].strip_prefix("Entity=").unwrap_or_default();
                    let mut parts = brackets.replace('(', " (").replace(')', ") ");
                    parts.push(' ');
                    for part in parts.split_whitespace() {
                        let id = part.trim_matches(['(', ')']).split('-').next().expect("an id");
                        let id = id[1..].parse().expect("a number");
                        read.bracket(&mut open, part, id);
                    }
                    read.words += 1;
                }
            }
            read
        }

        fn conll(content: &str) -> Self {
            let mut read = Self::default();
            let mut open: Vec<(usize, usize)> = Vec::new();
            for line in content.lines() {
                if line.starts_with("#begin document (") {
                    read.documents += 1;
                } else if line == "#end document" || line.is_empty() {
                    assert!(open.is_empty(), "unclosed at the end of a sentence: {open:?}");
                    read.text.push(String::new());
                } else {
                    let columns: Vec<&str> = line.split('\t').collect();
                    assert_eq!(columns.len(), 13, "{line}");
                    read.text.push(columns[3].to_owned());
                    for part in columns[12].split('|').filter(|&part| part != "-") {
                        let id = part.trim_matches(['(', ')']).parse().expect("a number");
                        read.bracket(&mut open, part, id);
                    }
                    read.words += 1;
                }
            }
            read
        }

        fn json_lines(content: &str) -> Self {
            let mut read = Self::default();
            for line in content.lines() {
                let (before, clusters) = line.split_once("], \"clusters\": [").expect("clusters");
                let (_, sentences) = before.split_once("\"sentences\": [").expect("sentences");
                let offset = read.words;
                for sentence in sentences.split("], [") {
                    for word in sentence.trim_matches(['[', ']']).split(", ") {
                        read.text.push(word.trim_matches('"').to_owned());
                        read.words += 1;
                    }
                    read.text.push(String::new());
                }
                for (id, entity) in clusters.split("]], [[").enumerate() {
                    let spans = entity.split("], [").map(|span| {
                        let (start, end) = span.split_once(", ").expect("two ends");
                        let number = |end: &str| {
                            let digits = end.trim_matches(['[', ']', '}']);
                            offset + digits.parse::<usize>().expect("a number")
                        };
                        (number(start), number(end))
                    });
                    read.entities.insert((read.documents, id), spans.collect());
                }
                read.documents += 1;
            }
            read
        }

        fn mentions(&self) -> BTreeSet<(usize, usize)> {
            self.entities.values().flatten().copied().collect()
        }

        fn mention_count(&self) -> usize {
            self.entities.values().map(Vec::len).sum()
        }
    }

    fn both_sides(shape: &InputShape, seed: u64) -> [String; 2] {
        let documents = generate(shape, seed);
        let vocabulary = Vocabulary::new();
        [AnnotationSide::Key, AnnotationSide::Response]
            .map(|side| render(&documents, side, shape.layout, &vocabulary))
    }

    /// Returns the FNV-1a hash, which is the same in every release of the compiler.
    fn hash(content: &str) -> u64 {
        content
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    }

    fn tiny(layout: Layout) -> InputShape {
        InputShape {
            layout,
            documents: 3,
            whole: if matches!(layout, Layout::Conll) { 2 } else { 3 },
            words: 900,
            mentions: 120,
            key_entities: 24,
            response_entities: 20,
            tail: 0.0,
            noise: Noise { dropped: 10, spurious: 10, reshaped: 10, moved: 10, split: 10 },
        }
    }

    fn assert_shape(shape: &InputShape, [key, response]: &[String; 2]) {
        let key = Read::new(key, shape.layout);
        let response = Read::new(response, shape.layout);
        assert!(key.text == response.text, "key and response differ in words");
        for (read, entities) in [(&key, shape.key_entities), (&response, shape.response_entities)] {
            assert_eq!(read.documents, shape.documents);
            assert_eq!(read.words, shape.words);
            assert_eq!(read.mention_count(), shape.mentions);
            assert_eq!(read.mentions().len(), shape.mentions, "a mention occurs twice");
            assert_eq!(read.entities.len(), entities);
            assert!(read.entities.values().all(|entity| entity.len() > 1));
            let lengths = read.mentions().into_iter().map(|(start, end)| end + 1 - start);
            assert!(lengths.max() <= Some(8));
        }
        let noise = &shape.noise;
        let shared = key.mentions().intersection(&response.mentions()).count();
        let expected = shape.mentions * (100 - noise.dropped) * (100 - noise.reshaped) / 10_000;
        assert!(
            shared.abs_diff(expected) * 100 <= shape.mentions * 2,
            "{shared} mentions are shared, expected {expected}"
        );
    }

    #[test]
    fn every_size_has_the_documented_shape() {
        for size in SIZES {
            let sides = both_sides(&size.shape, SEED);
            assert_shape(&size.shape, &sides);
            for side in sides {
                let megabytes = side.len() as f64 / 1e6;
                let off = (megabytes / size.megabytes - 1.0).abs();
                assert!(off < 0.03, "{}: {megabytes} MB", size.name);
            }
        }
    }

    #[test]
    fn any_seed_gives_the_shape() {
        for seed in 0..50 {
            for layout in [Layout::Conll, Layout::Corefud, Layout::JsonLines] {
                let shape = tiny(layout);
                assert_shape(&shape, &both_sides(&shape, seed));
            }
        }
    }

    /// After a deliberate change to the generated files, update the numbers. Times recorded before can then no longer
    /// be compared with later ones.
    #[test]
    fn the_same_seed_gives_the_same_bytes() {
        let [key, response] = both_sides(&tiny(Layout::Conll), SEED).map(|side| hash(&side));
        assert_eq!((key, response), (9_352_161_128_575_984_823, 8_427_118_128_746_510_696));
        let [key, response] = both_sides(&tiny(Layout::JsonLines), SEED).map(|side| hash(&side));
        assert_eq!((key, response), (9_052_153_386_757_845_043, 11_428_124_323_619_592_101));
    }

    #[test]
    fn systems_differ_from_each_other_and_not_from_run_to_run() {
        let size = Size {
            name: "few",
            summary: "for this test",
            shape: tiny(Layout::Conll),
            megabytes: 0.0,
            least_speed: 1.0,
        };
        let directory = std::env::temp_dir().join(format!("corefeval-dev-{}", std::process::id()));
        let read = || -> Vec<String> {
            let paths = write_systems(&size, &directory, 1, 3).unwrap();
            paths.iter().map(|path| fs::read_to_string(path).unwrap()).collect()
        };
        let files = read();
        let heads: Vec<&str> = files[0].lines().filter(|line| line.starts_with("#begin")).collect();
        let wanted = ["(bc/cnn_0000); part 000", "(bc/cnn_0000); part 001", "(bn/abc_0001); part 000"];
        assert!(heads.iter().zip(wanted).all(|(head, wanted)| head.ends_with(wanted)), "{heads:?}");
        assert_eq!(files, read());
        assert_eq!(files.iter().collect::<BTreeSet<_>>().len(), 4);
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn all_layouts_represent_the_same_annotation() {
        let [conll, corefud, json] = [Layout::Conll, Layout::Corefud, Layout::JsonLines].map(|layout| {
            let [_, response] = both_sides(&tiny(layout), SEED);
            Read::new(&response, layout)
        });
        let partition = |read: &Read| {
            let entities = read.entities.values().cloned().map(|mut entity| {
                entity.sort_unstable();
                entity
            });
            entities.collect::<BTreeSet<_>>()
        };
        assert_eq!(partition(&conll), partition(&json));
        assert_eq!(partition(&conll), partition(&corefud));
    }

    #[test]
    fn the_book_has_an_entity_of_four_thousand() {
        let book = SIZES.iter().find(|size| size.name == "book").expect("book");
        let documents = generate(&book.shape, SEED);
        let largest = documents[0].key.iter().map(Vec::len).max();
        assert!(largest.is_some_and(|mentions| (3_800..4_200).contains(&mentions)));
    }

    /// More than four in five of the key's entities are connected through shared mentions.
    #[test]
    fn the_entities_make_one_giant_component() {
        fn root(parents: &mut [usize], mut node: usize) -> usize {
            while parents[node] != node {
                parents[node] = parents[parents[node]];
                node = parents[node];
            }
            node
        }
        let size = SIZES.iter().find(|size| size.name == "entities");
        let documents = generate(&size.expect("entities").shape, SEED);
        let GeneratedDocument { key, response, .. } = &documents[0];
        let of_mention: BTreeMap<WordSpan, usize> = key
            .iter()
            .enumerate()
            .flat_map(|(id, entity)| entity.iter().map(move |&span| (span, id)))
            .collect();
        let mut parents: Vec<usize> = (0..key.len()).collect();
        for entity in response {
            for pair in entity.windows(2) {
                let first = root(&mut parents, of_mention[&pair[0]]);
                let second = root(&mut parents, of_mention[&pair[1]]);
                parents[second] = first;
            }
        }
        let mut sizes = vec![0; key.len()];
        for entity in 0..key.len() {
            sizes[root(&mut parents, entity)] += 1;
        }
        sizes.sort_unstable();
        let (giant, others) = sizes.split_last().expect("components");
        assert!(giant * 5 > key.len() * 4, "{giant}");
        assert!(others.last() < Some(&100));
    }

    #[test]
    fn shares_add_up() {
        assert_eq!(apportion(10, &[1.0, 1.0, 2.0]), [3, 2, 5]);
        assert_eq!(apportion(0, &[1.0]), [0]);
        assert_eq!(apportion(7, &[0.3; 11]).iter().sum::<usize>(), 7);
    }

    #[test]
    fn spans_cross_if_they_overlap_without_nesting() {
        let span = |start, end| WordSpan { start, end };
        assert!(span(1, 3).crosses(span(3, 5)));
        assert!(span(3, 5).crosses(span(1, 3)));
        for other in [span(1, 2), span(2, 2), span(1, 3), span(0, 4), span(4, 6), span(3, 3)] {
            assert!(!span(1, 3).crosses(other) && !other.crosses(span(1, 3)));
        }
    }
}
