//! The words of a document: their number, their sentences and their annotation.
//!
//! Scoring needs the number of words and a quick check that two files have the same words. Only breakdowns and some
//! matching rules need the words themselves. A reader therefore always counts them and computes a fingerprint, and
//! keeps the [`Layers`] only on request.
//!
//! Some words are not in the text: the empty nodes of CoNLL-U, which represent zeros. They have places among the words,
//! and key and response may have different empty nodes.

use std::sync::Arc;

use compact_str::CompactString;
use corefeval_system::mapped::Mapped;

use super::Span;
use super::kept::{Line, LinesOfColumns, LocatedLines};
use super::line_numbers::LineNumbers;

/// The identity of a word on any side of a pair: the number of words of the text up to and including it and, for empty
/// nodes, the sentence and the number that distinguishes nodes after the same word, from 1. The last two are 0 for other
/// words.
pub(crate) type Slot = (u32, u32, u32);

/// The words of one document.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub struct Words {
    count: u32,
    sentences: Vec<u32>,
    fingerprint: u64,
    unknown: bool,
    names: bool,
    /// The number of words at the end that are not in the text. They belong to mentions without a place.
    beyond: u32,
    layers: Option<Box<Layers>>,
    empty_nodes: Option<Box<EmptyNodes>>,
}

/// The empty nodes, with their dependencies.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
struct EmptyNodes {
    words: Vec<u32>,
    /// The numbers that distinguish empty nodes after the same word, such as the 2 of `8.2`.
    minors: Vec<u32>,
    dependencies: Vec<Dependency>,
}

/// A dependency of an empty node, which may have several (the `DEPS` column of CoNLL-U).
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub struct Dependency {
    /// The empty node.
    pub word: u32,
    /// The head of the node; `None` for the root.
    pub parent: Option<u32>,
    /// The relation, such as `nsubj`.
    pub relation: CompactString,
}

/// An empty node to add to words; see [`Words::with_empty_nodes`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEmptyNode {
    /// The place of the node among all words, including the added empty nodes.
    pub word: u32,
    /// The sentence of the node, from 0, because the place is ambiguous at a sentence boundary.
    pub sentence: u32,
    /// The number that distinguishes empty nodes after the same word, such as the 2 of `8.2`.
    pub number: u32,
}

/// The annotation of the words, one column per kind. A column is empty if the format does not have it.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub struct Layers {
    /// The word as written.
    pub form: TextColumn,
    /// The part of speech.
    pub part_of_speech: TextColumn,
    /// The piece of the bracketed parse at the word (`(NP*`, `*)`).
    pub parse: TextColumn,
    /// The piece of the bracketed named-entity annotation at the word (`(PERSON*`, `*)`).
    pub named_entity: TextColumn,
    /// The speaker or author of the word.
    pub speaker: TextColumn,
    /// The line in the file, from 1.
    pub line: LineNumbers,
    /// The column in bytes, from 1, where each word starts in its line, unless `form` is a column of lines. It is 0
    /// beyond 255, and the list is empty if columns are not known.
    pub form_columns: Vec<u8>,
    /// Names from a separate file, in any order; `None` without such a file.
    pub names: Option<Vec<NameLabel>>,
    /// Multiword tokens as they are spelled (`del` for `de el`), in order.
    pub surfaces: Vec<(Span, CompactString)>,
    /// The words that are not followed by a space, in order, if the format records this.
    pub joined: Option<Vec<u32>>,
    /// The number of values of the file that are not kept here, such as lemmas and comments, if they were counted.
    pub unread: u32,
}

impl Layers {
    /// Returns the layers for many lookups.
    pub(crate) fn lookup(&self) -> LayerLookup<'_> {
        let lines = match &self.form.0 {
            ColumnValues::OfLines(lines, _) => Some(lines.located()),
            ColumnValues::Joined(_) => None,
        };
        LayerLookup { layers: self, lines }
    }

    /// Returns the columns, the words first.
    fn columns_mut(&mut self) -> [&mut TextColumn; 5] {
        let Layers { form, part_of_speech, parse, named_entity, speaker, .. } = self;
        [form, part_of_speech, parse, named_entity, speaker]
    }
}

/// The annotation of the words, for many lookups. If the columns are in lines that were kept, their places are found
/// once, and released with this value.
#[derive(Debug)]
pub(crate) struct LayerLookup<'l> {
    layers: &'l Layers,
    lines: Option<LocatedLines<'l>>,
}

impl<'l> LayerLookup<'l> {
    /// Returns the annotation of a word.
    #[inline]
    pub(crate) fn word(&self, word: u32) -> LayersOfWord<'l> {
        let line = match &self.lines {
            Some(lines) => lines.line(word as usize),
            None => None,
        };
        LayersOfWord { layers: self.layers, word, line }
    }

    /// Returns whether `fits` accepts any value of a column. The values are tested in order.
    pub(crate) fn any(
        &self,
        column: impl Fn(&'l Layers) -> &'l TextColumn,
        fits: impl Fn(&[u8]) -> bool,
    ) -> bool {
        let column = column(self.layers);
        match (&column.0, &self.lines) {
            (ColumnValues::OfLines(lines, place), Some(known)) if std::ptr::eq(&**lines, known.lines()) => {
                known.any(*place, fits)
            }
            _ => column.any(fits),
        }
    }
}

/// The annotation of a word. If the columns are in lines that were kept, the word's line is searched once for all
/// columns.
#[derive(Clone, Copy)]
pub(crate) struct LayersOfWord<'l> {
    layers: &'l Layers,
    word: u32,
    line: Option<Line<'l>>,
}

impl<'l> LayersOfWord<'l> {
    /// Returns the value in a column; empty without a value.
    #[inline(always)]
    pub(crate) fn get(&self, column: impl Fn(&'l Layers) -> &'l TextColumn) -> &'l str {
        let column = column(self.layers);
        match (&column.0, &self.line) {
            (ColumnValues::OfLines(lines, place), Some(line)) if line.is_of(lines) => line.cell(*place),
            _ => self.get_elsewhere(column),
        }
    }

    /// Like [`get`](Self::get), as bytes, which need not be checked.
    #[inline(always)]
    pub(crate) fn bytes(&self, column: impl Fn(&'l Layers) -> &'l TextColumn) -> &'l [u8] {
        let column = column(self.layers);
        match (&column.0, &self.line) {
            (ColumnValues::OfLines(lines, place), Some(line)) if line.is_of(lines) => {
                line.bytes_of_cell(*place)
            }
            _ => self.get_elsewhere(column).as_bytes(),
        }
    }

    /// Returns the value in a column that is not in the line.
    #[inline(never)]
    fn get_elsewhere(&self, column: &'l TextColumn) -> &'l str {
        column.get(self.word as usize).unwrap_or_default()
    }
}

/// A name in the text and its type.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub struct NameLabel {
    /// The words.
    pub span: Span,
    /// The type in the data (`PERSON`, `ORG`); may be empty.
    pub kind: CompactString,
}

/// A list of many short strings, stored in one string or in the lines of a file.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "state", serde(from = "JoinedValues", into = "JoinedValues"))]
pub struct TextColumn(ColumnValues);

#[derive(Clone, Debug)]
enum ColumnValues {
    Joined(JoinedValues),
    /// A column of lines that were kept as a whole.
    OfLines(Arc<LinesOfColumns>, u32),
}

/// Values stored one after the other.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
struct JoinedValues {
    text: String,
    ends: Vec<u32>,
}

impl JoinedValues {
    fn push(&mut self, value: &str) {
        self.text.push_str(value);
        let end = u32::try_from(self.text.len()).expect("a document's column is below 4 GiB");
        self.ends.push(end);
    }
}

impl Default for TextColumn {
    fn default() -> TextColumn {
        TextColumn(ColumnValues::Joined(JoinedValues::default()))
    }
}

impl From<JoinedValues> for TextColumn {
    fn from(joined: JoinedValues) -> TextColumn {
        TextColumn(ColumnValues::Joined(joined))
    }
}

impl From<TextColumn> for JoinedValues {
    fn from(mut column: TextColumn) -> JoinedValues {
        std::mem::take(column.joined())
    }
}

impl PartialEq for TextColumn {
    fn eq(&self, other: &TextColumn) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for TextColumn {}

impl TextColumn {
    /// Creates a column of the cells at `place`, counted from 0, in `lines`.
    pub(super) fn of_lines(lines: Arc<LinesOfColumns>, place: u32) -> TextColumn {
        TextColumn(ColumnValues::OfLines(lines, place))
    }

    /// Returns the values for appending. Cells of lines are copied into one string first.
    fn joined(&mut self) -> &mut JoinedValues {
        if let ColumnValues::OfLines(..) = self.0 {
            let mut joined = JoinedValues::default();
            self.iter().for_each(|value| joined.push(value));
            self.0 = ColumnValues::Joined(joined);
        }
        match &mut self.0 {
            ColumnValues::Joined(joined) => joined,
            ColumnValues::OfLines(..) => unreachable!("they were joined"),
        }
    }

    /// Appends one value.
    pub fn push(&mut self, value: &str) {
        self.joined().push(value);
    }

    /// Removes the values after the first `count`.
    fn truncate(&mut self, count: usize) {
        if self.len() > count {
            let joined = self.joined();
            joined.ends.truncate(count);
            joined.text.truncate(joined.ends.last().map_or(0, |&end| end as usize));
        }
    }

    /// Returns the value at `index`.
    pub fn get(&self, index: usize) -> Option<&str> {
        match &self.0 {
            ColumnValues::Joined(JoinedValues { text, ends }) => {
                let end = *ends.get(index)? as usize;
                let start = if index == 0 { 0 } else { ends[index - 1] as usize };
                Some(&text[start..end])
            }
            ColumnValues::OfLines(lines, place) => lines.cell(index, *place),
        }
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        match &self.0 {
            ColumnValues::Joined(joined) => joined.ends.len(),
            ColumnValues::OfLines(lines, _) => lines.len(),
        }
    }

    /// Returns whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of bytes of the values, or of the lines that contain them.
    pub(crate) fn bytes(&self) -> u64 {
        match &self.0 {
            ColumnValues::Joined(joined) => joined.text.len() as u64,
            ColumnValues::OfLines(lines, _) => lines.bytes() as u64,
        }
    }

    /// Appends the values of `other`, if any, for the words that start at `start`.
    fn append(&mut self, start: u32, other: &TextColumn) {
        if !other.is_empty() {
            let joined = self.joined();
            joined.ends.resize(start as usize, joined.text.len() as u32);
            other.iter().for_each(|value| joined.push(value));
        }
    }

    /// Returns a copy with `value` inserted at `places`, which are places in the new column. Places beyond its end
    /// are ignored.
    fn with(&self, value: &str, places: impl Iterator<Item = u32>) -> TextColumn {
        let (mut column, mut old) = (TextColumn::default(), 0);
        for place in places {
            while column.len() < place as usize && old < self.len() {
                column.push(self.get(old).unwrap_or_default());
                old += 1;
            }
            if column.len() == place as usize && !self.is_empty() {
                column.push(value);
            }
        }
        (old..self.len()).filter_map(|index| self.get(index)).for_each(|value| column.push(value));
        column
    }

    /// Returns the first value.
    pub(crate) fn first(&self) -> Option<&str> {
        match &self.0 {
            ColumnValues::Joined(_) => self.get(0),
            ColumnValues::OfLines(lines, place) => std::str::from_utf8(lines.first(*place)?).ok(),
        }
    }

    /// Returns whether `fits` accepts any value. The values are tested in order.
    pub(crate) fn any(&self, fits: impl Fn(&[u8]) -> bool) -> bool {
        match &self.0 {
            ColumnValues::Joined(_) => self.iter().any(|value| fits(value.as_bytes())),
            ColumnValues::OfLines(lines, place) => lines.any(*place, fits),
        }
    }

    /// Returns an iterator over all values in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).filter_map(|index| self.get(index))
    }
}

impl Words {
    /// Returns the number of words, empty nodes included.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Returns the first word of each sentence, in order. Empty if the format has no sentences.
    pub fn sentences(&self) -> &[u32] {
        &self.sentences
    }

    /// Returns whether both divide the same text into the same sentences, ignoring empty nodes.
    pub fn same_sentences(&self, other: &Words) -> bool {
        if self.empty_nodes().is_empty() && other.empty_nodes().is_empty() {
            return self.sentences == other.sentences;
        }
        self.sentences_in_text() == other.sentences_in_text()
    }

    /// Returns the first word of each sentence, counted without empty nodes.
    pub(crate) fn sentences_in_text(&self) -> Vec<u32> {
        let empty = self.empty_nodes();
        let starts = self.sentences.iter();
        starts.map(|&start| start - empty.partition_point(|&node| node < start) as u32).collect()
    }

    /// Returns the number of the sentence of `word`, from 0.
    pub fn sentence_of(&self, word: u32) -> u32 {
        let after = self.sentences.partition_point(|&first| first <= word);
        after.saturating_sub(1) as u32
    }

    /// Returns a hash of all words and their annotation; `None` if the words are not known.
    ///
    /// Equal fingerprints mean equal words (except with a chance of about 2⁻⁶⁴). Different
    /// fingerprints only mean that something differs, which may be a tag: compare the
    /// [`layers`](Self::layers).
    pub fn fingerprint(&self) -> Option<u64> {
        (!self.unknown).then_some(self.fingerprint)
    }

    /// Returns whether each word is the name of a mention, as in formats that list mentions without a
    /// text. Such words are identified by name, not by place.
    pub fn are_names(&self) -> bool {
        self.names
    }

    /// Returns the number of words in the text.
    pub fn count_in_text(&self) -> u32 {
        self.count - self.empty_nodes().len() as u32 - self.beyond
    }

    /// Returns the words that are not in the text, in order.
    pub fn empty_nodes(&self) -> &[u32] {
        self.empty_nodes.as_deref().map_or(&[], |nodes| &nodes.words)
    }

    /// Returns the numbers that distinguish empty nodes after the same word (such as the 2 of `8.2`),
    /// in the order of [`empty_nodes`](Self::empty_nodes).
    pub fn empty_node_numbers(&self) -> &[u32] {
        self.empty_nodes.as_deref().map_or(&[], |nodes| &nodes.minors)
    }

    /// Returns whether `word` is not in the text.
    pub fn is_empty_node(&self, word: u32) -> bool {
        self.empty_nodes().binary_search(&word).is_ok()
    }

    /// Returns the identity of each word.
    pub(crate) fn slots(&self) -> impl Iterator<Item = Slot> {
        let mut nodes = self.empty_nodes().iter().zip(self.empty_node_numbers()).peekable();
        let mut text = 0;
        (0..self.count()).map(move |word| match nodes.next_if(|node| *node.0 == word) {
            Some((_, &number)) => (text, self.sentence_of(word), number),
            None => {
                text += 1;
                (text, 0, 0)
            }
        })
    }

    /// Returns the dependencies of the empty node `word`.
    pub fn dependencies(&self, word: u32) -> &[Dependency] {
        let all = self.empty_nodes.as_deref().map_or(&[][..], |nodes| &nodes.dependencies);
        let start = all.partition_point(|dependency| dependency.word < word);
        let length = all[start..].partition_point(|dependency| dependency.word == word);
        &all[start..start + length]
    }

    /// Sets the speakers, if the layers are kept and there is one speaker for each word.
    pub(crate) fn set_speakers(&mut self, speakers: TextColumn) {
        if let Some(layers) = self.layers.as_deref_mut()
            && speakers.len() == self.count as usize
        {
            layers.speaker = speakers;
        }
    }

    /// Returns the column in bytes, from 1, where a word starts in its line; 0 if it is not known.
    pub(crate) fn column_of(&self, word: usize) -> u32 {
        let Some(layers) = self.layers() else { return 0 };
        match &layers.form.0 {
            ColumnValues::OfLines(lines, place) => lines.start(word, *place).unwrap_or(0),
            ColumnValues::Joined(_) => layers.form_columns.get(word).copied().unwrap_or(0).into(),
        }
    }

    /// Counts values of the file that the layers do not keep.
    pub(crate) fn add_unread(&mut self, count: u32) {
        if let Some(layers) = self.layers.as_deref_mut() {
            layers.unread = layers.unread.saturating_add(count);
        }
    }

    /// Returns the number of bytes of the largest layer.
    pub(crate) fn column_bytes(&self) -> u64 {
        let Some(layers) = self.layers() else { return 0 };
        let Layers { form, part_of_speech, parse, named_entity, speaker, .. } = layers;
        let columns = [form, part_of_speech, parse, named_entity, speaker];
        columns.iter().map(|column| column.bytes()).max().unwrap_or(0)
    }

    /// Returns the words with additional empty nodes, which have no other annotation. The nodes must be in order, and
    /// their sentences must have words. `dependencies` are those of all empty nodes. Returns `None` if the nodes are
    /// out of order or lie beyond the words, or if a dependency does not belong to an empty node.
    #[must_use]
    pub fn with_empty_nodes(&self, nodes: &[NewEmptyNode], dependencies: Vec<Dependency>) -> Option<Words> {
        let count = self.count.checked_add(u32::try_from(nodes.len()).ok()?)?;
        let sorted =
            nodes.windows(2).all(|pair| pair[0].word < pair[1].word && pair[0].sentence <= pair[1].sentence);
        if !sorted || nodes.last().is_some_and(|node| node.word >= count) {
            return None;
        }
        // The number of former words before each node.
        let before: Vec<u32> = (0..).zip(nodes).map(|(place, node)| node.word - place).collect();
        let moved = |word: u32| word + before.partition_point(|&place| place <= word) as u32;
        let mut words = self.clone();
        words.count = count;
        for (sentence, start) in (0..).zip(&mut words.sentences) {
            *start += nodes.partition_point(|node| node.sentence < sentence) as u32;
        }
        let old = self.empty_nodes().iter().zip(self.empty_node_numbers());
        let old = old.map(|(&word, &number)| (moved(word), number));
        let mut all: Vec<(u32, u32)> = old.chain(nodes.iter().map(|node| (node.word, node.number))).collect();
        all.sort_unstable();
        let (all, minors): (Vec<u32>, Vec<u32>) = all.into_iter().unzip();
        let known = |dependency: &Dependency| {
            all.binary_search(&dependency.word).is_ok() && dependency.parent.is_none_or(|word| word < count)
        };
        let rises = dependencies.windows(2).all(|pair| pair[0].word <= pair[1].word);
        if !rises || !dependencies.iter().all(known) {
            return None;
        }
        if !all.is_empty() {
            words.empty_nodes = Some(Box::new(EmptyNodes { words: all, minors, dependencies }));
        }
        if let Some(layers) = words.layers.as_deref_mut() {
            let with =
                |column: &TextColumn, value: &str| column.with(value, nodes.iter().map(|node| node.word));
            layers.form_columns.clear();
            let [form, others @ ..] = layers.columns_mut();
            *form = with(form, "_");
            others.into_iter().for_each(|column| *column = with(column, ""));
            if !layers.line.is_empty() {
                let mut lines: Vec<u32> = layers.line.iter().collect();
                nodes.iter().for_each(|node| lines.insert((node.word as usize).min(lines.len()), 0));
                layers.line = lines.into();
            }
            let names = layers.names.iter_mut().flatten().map(|name| &mut name.span);
            for span in names.chain(layers.surfaces.iter_mut().map(|(span, _)| span)) {
                *span = Span::new(moved(span.start()), moved(span.last()) + 1)?;
            }
            layers.joined.iter_mut().flatten().for_each(|word| *word = moved(*word));
        }
        Some(words)
    }

    /// Returns the words with additional words after the end of the text, for mentions that have no place in
    /// it. Comparisons of texts ignore these words.
    #[must_use]
    pub fn with_words_beyond(&self, forms: &[&str]) -> Words {
        let mut words = self.clone();
        let more = u32::try_from(forms.len()).unwrap_or(u32::MAX);
        words.count = words.count.checked_add(more).expect("a document has fewer than 2^32 - 1 words");
        words.beyond += more;
        if let Some(layers) = words.layers.as_deref_mut() {
            if !layers.line.is_empty() {
                forms.iter().for_each(|_| layers.line.push(0));
            }
            let [form, others @ ..] = layers.columns_mut();
            for other in others.into_iter().filter(|other| !other.is_empty()) {
                forms.iter().for_each(|_| other.push(""));
            }
            forms.iter().for_each(|text| form.push(text));
        }
        words
    }

    /// Returns the number of words at the end that are not in the text.
    pub fn count_beyond(&self) -> u32 {
        self.beyond
    }

    /// Returns the words without those after the end of the text.
    #[must_use]
    pub fn within_text(&self) -> Words {
        let mut words = self.clone();
        words.count -= words.beyond;
        words.beyond = 0;
        let count = words.count as usize;
        if let Some(layers) = words.layers.as_deref_mut() {
            layers.columns_mut().into_iter().for_each(|column| column.truncate(count));
            layers.line.truncate(count);
        }
        words
    }

    /// Adds names from a separate file, which must lie within the words.
    pub(crate) fn set_names(&mut self, names: Vec<NameLabel>) {
        self.layers.get_or_insert_default().names = Some(names);
    }

    /// Returns whether columns, names, surface forms and joined words lie within the words.
    pub(super) fn has_layers_within(&self) -> bool {
        self.layers().is_none_or(|layers| {
            let Layers { form, part_of_speech, parse, named_entity, speaker, line, .. } = layers;
            let columns = [form, part_of_speech, parse, named_entity, speaker].map(TextColumn::len);
            let Layers { names, surfaces, joined, .. } = layers;
            columns.into_iter().chain([line.len()]).all(|length| length <= self.count as usize)
                && names.iter().flatten().all(|name| name.span.end() <= self.count)
                && surfaces.iter().all(|(span, _)| span.end() <= self.count)
                && joined.iter().flatten().all(|word| *word < self.count)
        })
    }

    /// Returns whether words that were not made by a builder are as valid as the words of a builder.
    #[cfg(feature = "state")]
    pub(super) fn is_whole(&self) -> bool {
        let rises = |numbers: &[u32]| numbers.windows(2).all(|pair| pair[0] <= pair[1]);
        let count = self.count as usize;
        let layers = self.layers().is_none_or(|layers| {
            let Layers { form, part_of_speech, parse, named_entity, speaker, line, .. } = layers;
            [form, part_of_speech, parse, named_entity, speaker].iter().all(|column| {
                let ColumnValues::Joined(JoinedValues { text, ends }) = &column.0 else {
                    return column.len() <= count;
                };
                let whole = ends.iter().all(|&end| text.is_char_boundary(end as usize));
                whole && rises(ends) && column.len() <= count
            }) && line.len() <= count
        });
        let nodes = self.empty_nodes.as_deref().is_none_or(|nodes| {
            let EmptyNodes { words, minors, dependencies } = nodes;
            words.windows(2).all(|pair| pair[0] < pair[1])
                && words.iter().all(|&word| word < self.count)
                && words.len() == minors.len()
                && dependencies.windows(2).all(|pair| pair[0].word <= pair[1].word)
        });
        layers
            && nodes
            && self.has_layers_within()
            && self.beyond <= self.count
            && rises(&self.sentences)
            && self.sentences.iter().all(|&start| start <= self.count)
    }

    /// Returns the mapped file that contains the words, if they were not copied.
    pub(super) fn file(&self) -> Option<&Mapped> {
        match &self.layers()?.form.0 {
            ColumnValues::OfLines(lines, _) => lines.file(),
            ColumnValues::Joined(_) => None,
        }
    }

    /// Returns the annotation of the words, if the reader kept it.
    pub fn layers(&self) -> Option<&Layers> {
        self.layers.as_deref()
    }
}

/// Builds the words of a document in order.
#[derive(Clone, Debug, Default)]
pub struct WordsBuilder {
    words: Words,
    sentence_open: bool,
}

impl WordsBuilder {
    /// Creates a builder that keeps the layers if `keep_layers` is set.
    pub fn new(keep_layers: bool) -> WordsBuilder {
        let layers = keep_layers.then(Box::default);
        WordsBuilder { words: Words { layers, ..Words::default() }, sentence_open: false }
    }

    /// Creates a builder with room for as many sentences as the previous document of the file has.
    pub(crate) fn after(before: Option<&Words>, keep_layers: bool) -> WordsBuilder {
        let mut builder = WordsBuilder::new(keep_layers);
        builder.words.sentences.reserve(before.map_or(0, |words| words.sentences.len()));
        builder
    }

    /// Creates a builder for words whose sentences are not known.
    pub(crate) fn without_sentences(keep_layers: bool) -> WordsBuilder {
        WordsBuilder { sentence_open: true, ..WordsBuilder::new(keep_layers) }
    }

    /// Returns the number of words so far.
    pub fn count(&self) -> u32 {
        self.words.count
    }

    /// Adds a word, given as its complete annotation in the file except its mentions. Returns the position of the word.
    #[inline(always)]
    pub fn push(&mut self, described: &[u8]) -> u32 {
        let word = self.words.count;
        if !self.sentence_open {
            self.sentence_open = true;
            self.words.sentences.push(word);
        }
        self.words.fingerprint = mix(self.words.fingerprint, described);
        self.words.count = word.checked_add(1).expect("a document has fewer than 2^32 - 1 words");
        word
    }

    /// Adds the word `line[start..end]`; faster than [`push`](Self::push) for short words in longer lines.
    #[inline(always)]
    pub(crate) fn push_within(&mut self, line: &[u8], start: usize, end: usize) {
        let word = self.words.count;
        if !self.sentence_open {
            self.sentence_open = true;
            self.words.sentences.push(word);
        }
        let length = end - start;
        self.words.fingerprint = match line[start..].first_chunk::<16>() {
            Some(chunk) if (1..=16).contains(&length) => {
                let piece = u128::from_le_bytes(*chunk) & FIRST[length];
                mixed(self.words.fingerprint, added(length as u64, &piece.to_le_bytes()))
            }
            _ => mix(self.words.fingerprint, &line[start..end]),
        };
        self.words.count = word.checked_add(1).expect("a document has fewer than 2^32 - 1 words");
    }

    /// Adds words of one sentence.
    #[inline(always)]
    pub fn extend<'w>(&mut self, described: impl Iterator<Item = &'w [u8]>) {
        let (mut fingerprint, mut count) = (self.words.fingerprint, 0u32);
        for word in described {
            fingerprint = mix(fingerprint, word);
            count += 1;
        }
        if count > 0 && !self.sentence_open {
            self.sentence_open = true;
            self.words.sentences.push(self.words.count);
        }
        self.words.fingerprint = fingerprint;
        let count = self.words.count.checked_add(count);
        self.words.count = count.expect("a document has fewer than 2^32 - 1 words");
    }

    /// Creates a builder for words that are names of mentions. Each name must also be pushed to the `form`
    /// of the layers.
    pub fn names() -> WordsBuilder {
        let mut builder = WordsBuilder::without_sentences(true);
        builder.words.names = true;
        builder
    }

    /// Adds `count` unknown words.
    pub fn push_unknown(&mut self, count: u32) {
        self.words.unknown = true;
        self.words.count = self.words.count.checked_add(count).expect("fewer than 2^32 - 1 words");
    }

    /// Adds a word that is not in the text and returns its position. Its number is 1, or one more than the preceding
    /// empty node's if that node follows the same word.
    pub fn push_empty_node(&mut self) -> u32 {
        let nodes = self.words.empty_nodes.as_deref();
        let before = nodes.and_then(|nodes| Some((*nodes.words.last()?, *nodes.minors.last()?)));
        let number = match before {
            Some((word, number)) if word + 1 == self.words.count && self.sentence_open => {
                number.saturating_add(1)
            }
            _ => 1,
        };
        self.push_numbered_empty_node(number)
    }

    /// Adds a word that is not in the text, with this `number` among the empty nodes after the same word, and returns
    /// its position. Empty nodes of key and response are the same if they follow the same word and have the same
    /// number. The fingerprint ignores them.
    pub fn push_numbered_empty_node(&mut self, number: u32) -> u32 {
        let word = self.words.count;
        if !self.sentence_open {
            self.sentence_open = true;
            self.words.sentences.push(word);
        }
        self.words.count = word.checked_add(1).expect("a document has fewer than 2^32 - 1 words");
        let nodes = self.words.empty_nodes.get_or_insert_default();
        nodes.words.push(word);
        nodes.minors.push(number);
        word
    }

    /// Appends the words of a document, which starts a new sentence. `prefix` is put before words that are names.
    pub(crate) fn append(&mut self, other: &Words, prefix: Option<&str>) {
        let base = self.words.count;
        if other.sentences.is_empty() {
            self.words.sentences.push(base);
        }
        self.words.sentences.extend(other.sentences.iter().map(|first| base + first));
        self.words.fingerprint = mix(self.words.fingerprint, &other.fingerprint.to_le_bytes());
        self.words.unknown |= other.unknown;
        self.words.count = base.checked_add(other.count).expect("fewer than 2^32 - 1 words");
        if let Some(nodes) = &other.empty_nodes {
            let ours = self.words.empty_nodes.get_or_insert_default();
            ours.words.extend(nodes.words.iter().map(|word| base + word));
            ours.minors.extend(&nodes.minors);
            ours.dependencies.extend(nodes.dependencies.iter().map(|dependency| Dependency {
                word: base + dependency.word,
                parent: dependency.parent.map(|parent| base + parent),
                relation: dependency.relation.clone(),
            }));
        }
        let (Some(ours), Some(theirs)) = (self.words.layers.as_deref_mut(), other.layers()) else { return };
        match prefix {
            Some(prefix) => theirs.form.iter().for_each(|name| ours.form.push(&format!("{prefix}{name}"))),
            None => ours.form.append(base, &theirs.form),
        }
        ours.unread = ours.unread.saturating_add(theirs.unread);
        ours.form_columns.clear();
        ours.part_of_speech.append(base, &theirs.part_of_speech);
        ours.parse.append(base, &theirs.parse);
        ours.named_entity.append(base, &theirs.named_entity);
        ours.speaker.append(base, &theirs.speaker);
        let moved = |label: &NameLabel| NameLabel { span: label.span.moved(base), kind: label.kind.clone() };
        if let Some(names) = &theirs.names {
            ours.names.get_or_insert_default().extend(names.iter().map(moved));
        }
        let surface = |(span, form): &(Span, CompactString)| (span.moved(base), form.clone());
        ours.surfaces.extend(theirs.surfaces.iter().map(surface));
        if let Some(joined) = &theirs.joined {
            ours.joined.get_or_insert_default().extend(joined.iter().map(|word| word + base));
        }
        if !theirs.line.is_empty() {
            let before = std::mem::take(&mut ours.line);
            let before = before.iter().chain(std::iter::repeat(0)).take(base as usize);
            ours.line = before.chain(theirs.line.iter()).collect();
        }
    }

    /// Adds unknown words of the text, empty nodes, and sentences without words.
    pub(crate) fn fill(&mut self, in_text: u32, empty_nodes: u32, sentences: usize) {
        if in_text > 0 {
            self.push_unknown(in_text);
        }
        self.sentence_open = true;
        for _ in 0..empty_nodes {
            self.push_empty_node();
        }
        self.words.sentences.extend(std::iter::repeat_n(self.words.count, sentences));
    }

    /// Adds a dependency of an empty node. Dependencies must be added in the order of their nodes.
    pub fn push_dependency(&mut self, dependency: Dependency) {
        let dependencies = &mut self.words.empty_nodes.get_or_insert_default().dependencies;
        debug_assert!(dependencies.last().is_none_or(|last| last.word <= dependency.word));
        dependencies.push(dependency);
    }

    /// Ends the sentence; the next word starts another.
    #[inline]
    pub fn end_sentence(&mut self) {
        self.sentence_open = false;
    }

    /// Returns the layers for the reader to append to, if they are kept.
    pub fn layers_mut(&mut self) -> Option<&mut Layers> {
        self.words.layers.as_deref_mut()
    }

    /// Returns the finished words.
    pub fn finish(self) -> Words {
        self.words
    }
}

/// Masks that keep the first bytes of sixteen, indexed by the number of bytes kept.
static FIRST: [u128; 17] = {
    let mut masks = [0; 17];
    let mut length = 1;
    while length <= 16 {
        masks[length] = u128::MAX >> (128 - 8 * length);
        length += 1;
    }
    masks
};

/// Mixes one word into the running value, with one multiplication for every sixteen bytes. The length is mixed in too,
/// so that `ab c` and `a bc` differ. Lines of the usual lengths need no loop: their last pieces overlap the previous
/// ones, so that every byte is covered.
#[inline(always)]
fn mix(fingerprint: u64, word: &[u8]) -> u64 {
    let mut sum = word.len() as u64;
    let mut add = |piece: &[u8; 16]| sum = added(sum, piece);
    if let (Some([a, b]), Some([c, d])) = (pieces(word.first_chunk()), pieces(word.last_chunk()))
        && word.len() <= 64
    {
        add(a);
        add(b);
        if word.len() > 48 {
            add(c);
        }
        add(d);
    } else {
        let (chunks, rest) = word.as_chunks::<16>();
        chunks.iter().for_each(&mut add);
        if !rest.is_empty() {
            let mut padded = [0; 16];
            padded[..rest.len()].copy_from_slice(rest);
            add(&padded);
        }
    }
    mixed(fingerprint, sum)
}

#[inline(always)]
fn added(sum: u64, piece: &[u8; 16]) -> u64 {
    sum.rotate_left(29) ^ product(piece)
}

#[inline(always)]
fn mixed(fingerprint: u64, sum: u64) -> u64 {
    (fingerprint ^ sum).wrapping_mul(0x9FB2_1C65_1E98_DF25).rotate_left(31)
}

/// Returns the two halves of 32 bytes.
#[inline(always)]
fn pieces(bytes: Option<&[u8; 32]>) -> Option<[&[u8; 16]; 2]> {
    let bytes = bytes?;
    Some([bytes.first_chunk()?, bytes.last_chunk()?])
}

/// Multiplies the two halves of a chunk, and folds the two halves of the product together.
#[inline(always)]
fn product(chunk: &[u8; 16]) -> u64 {
    let whole = u128::from_le_bytes(*chunk);
    let (low, high) = (whole as u64 ^ 0xA076_1D64_78BD_642F, (whole >> 64) as u64 ^ 0xE703_7ED1_A0B4_28DB);
    let product = u128::from(low) * u128::from(high);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fingerprint(words: &[&str]) -> Option<u64> {
        let mut builder = WordsBuilder::new(false);
        for word in words {
            builder.push(word.as_bytes());
        }
        builder.finish().fingerprint()
    }

    #[test]
    fn the_fingerprint_depends_on_words_their_order_and_their_borders() {
        assert_eq!(fingerprint(&["a", "bc"]), fingerprint(&["a", "bc"]));
        assert_ne!(fingerprint(&["ab", "c"]), fingerprint(&["a", "bc"]));
        assert_ne!(fingerprint(&["a", "b"]), fingerprint(&["b", "a"]));
        assert_ne!(fingerprint(&["a"]), fingerprint(&["a", ""]));
        assert_ne!(fingerprint(&["ferry-boat"]), fingerprint(&["ferry-boats"]));
    }

    #[test]
    fn a_word_within_a_line_is_the_word_alone() {
        let line = b"3\tincomprehensible-ness\t_\t_\t_";
        for start in 0..line.len() {
            for end in start..line.len() {
                let mut within = WordsBuilder::new(false);
                within.push_within(line, start, end);
                let mut alone = WordsBuilder::new(false);
                alone.push(&line[start..end]);
                assert_eq!(within.finish().fingerprint(), alone.finish().fingerprint(), "{start}..{end}");
            }
        }
    }

    #[test]
    fn sentences_are_found_by_word() {
        let mut builder = WordsBuilder::new(false);
        for (word, last) in [("One", false), (".", true), ("Two", false), (".", true)] {
            builder.push(word.as_bytes());
            if last {
                builder.end_sentence();
            }
        }
        let words = builder.finish();
        assert_eq!(words.sentences(), [0, 2]);
        assert_eq!([0, 1, 2, 3].map(|word| words.sentence_of(word)), [0, 0, 1, 1]);
    }

    #[test]
    fn empty_nodes_have_places_and_no_part_in_the_fingerprint() {
        let mut builder = WordsBuilder::new(false);
        builder.push(b"Came");
        let zero = builder.push_empty_node();
        let dependency =
            |relation: &str| Dependency { word: zero, parent: Some(0), relation: relation.into() };
        builder.push_dependency(dependency("nsubj"));
        builder.push_dependency(dependency("nsubj:xsubj"));
        builder.push(b".");
        let words = builder.finish();
        assert_eq!((words.count(), words.count_in_text(), words.empty_nodes()), (3, 2, &[1][..]));
        assert!(words.is_empty_node(1) && !words.is_empty_node(2));
        assert_eq!(words.dependencies(1).len(), 2);
        assert!(words.dependencies(0).is_empty());
        assert_eq!(words.fingerprint(), fingerprint(&["Came", "."]));
    }

    #[test]
    fn empty_nodes_are_added() {
        let mut builder = WordsBuilder::new(true);
        for (word, last) in [("Came", false), ("late", true), ("Left", false), ("now", false)] {
            builder.push(word.as_bytes());
            builder.layers_mut().unwrap().form.push(word);
            if last {
                builder.end_sentence();
            }
        }
        let words = builder.finish();
        let node = |word, sentence, number| NewEmptyNode { word, sentence, number };
        let nodes = [node(0, 0, 1), node(3, 0, 1), node(4, 1, 1), node(6, 1, 1)];
        let dependency = Dependency { word: 4, parent: Some(5), relation: "nsubj".into() };
        let more = words.with_empty_nodes(&nodes, vec![dependency.clone()]).unwrap();
        assert_eq!((more.count(), more.empty_nodes()), (8, &[0, 3, 4, 6][..]));
        assert_eq!((more.sentences(), more.fingerprint()), (&[0, 4][..], words.fingerprint()));
        assert_eq!(more.dependencies(4), [dependency]);
        let form: Vec<&str> = more.layers().unwrap().form.iter().collect();
        assert_eq!(form, ["_", "Came", "late", "_", "_", "Left", "_", "now"]);
        let again = more.with_empty_nodes(&[node(1, 0, 2)], Vec::new()).unwrap();
        assert_eq!(
            (again.empty_nodes(), again.empty_node_numbers()),
            (&[0, 1, 4, 5, 7][..], &[1, 2, 1, 1, 1][..])
        );
        for wrong in
            [vec![node(9, 1, 1)], vec![node(3, 0, 1), node(0, 0, 1)], vec![node(3, 1, 1), node(4, 0, 1)]]
        {
            assert_eq!(words.with_empty_nodes(&wrong, Vec::new()).map(|words| words.count()), None);
        }
        let of_word = Dependency { word: 1, parent: None, relation: "root".into() };
        assert!(words.with_empty_nodes(&nodes, vec![of_word]).is_none());
    }

    #[test]
    fn a_column_gives_back_what_was_pushed() {
        let mut column = TextColumn::default();
        for value in ["The", "", "ferry"] {
            column.push(value);
        }
        assert_eq!(column.iter().collect::<Vec<_>>(), ["The", "", "ferry"]);
        assert_eq!(column.get(3), None);
    }
}
