//! Converts entities, which are lists of arbitrary hashable mentions, to documents.
//!
//! A mention becomes a run of words in an artificial text: equal mentions of both sides get the same run. Most mentions
//! are pairs of integers, which are used directly as the first and last word, without a lookup. Other pairs of integers
//! and strings are numbered here. A Python dictionary numbers all other objects, with equality as in Python
//! (`1 == 1.0 == True`); if a document has one such mention, the dictionary numbers all of its mentions.

use std::fmt;
use std::sync::Arc;

use compact_str::ToCompactString;
use corefeval_core::diagnostic::{Code, Diagnostics, Position};
use corefeval_core::model::{Document, DocumentBuilder, DocumentId, EntityId, Mention, Span, WordsBuilder};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::errors::{wrong_type, wrong_value};
use crate::key_table::{BLOCK, KeyTable, TextTable};

/// The largest word that a pair of integers may name directly.
const LAST_WORD: i64 = u32::MAX as i64 - 2;

/// The names of both sides where files have file names.
pub const SIDES: [&str; 2] = ["key", "response"];

/// The mentions of a side as runs of words, with the numbers of its entities and words.
pub struct Numbered {
    /// The mentions in the order of the entities.
    pub mentions: Vec<Mention>,
    /// The number of entities, including those without mentions.
    pub entities: u32,
    /// The number of words, above the last word of any mention.
    pub words: u32,
}

impl Numbered {
    /// Builds the document called `id`, of the side called `side`. Its words are not known.
    pub fn into_document(self, id: &str, side: &str, diagnostics: &mut Diagnostics) -> Document {
        let mut words = WordsBuilder::new(false);
        words.push_unknown(self.words);
        self.into_document_over(words, id, side, diagnostics)
    }

    /// Like [`into_document`](Self::into_document), but each word is a mention and has its name.
    pub fn into_document_of_names(
        self,
        names: &[String],
        id: &str,
        side: &str,
        diagnostics: &mut Diagnostics,
    ) -> Document {
        let mut words = WordsBuilder::names();
        for name in names {
            words.push(name.as_bytes());
            if let Some(layers) = words.layers_mut() {
                layers.form.push(name);
            }
        }
        self.into_document_over(words, id, side, diagnostics)
    }

    fn into_document_over(
        self,
        words: WordsBuilder,
        id: &str,
        side: &str,
        diagnostics: &mut Diagnostics,
    ) -> Document {
        let source: Arc<str> = Arc::from(side);
        let mut document = DocumentBuilder::new(DocumentId::new(id), Arc::clone(&source), 0);
        document.entities = (0..self.entities).map(|entity| entity.to_compact_string()).collect();
        let mut empty = vec![true; self.entities as usize];
        self.mentions.iter().for_each(|mention| empty[mention.entity().index()] = false);
        for (entity, _) in (1..).zip(&empty).filter(|(_, empty)| **empty) {
            diagnostics.add(
                Code::EmptyEntity,
                Some(Position::new(&source, entity, 0)),
                Some(id.to_owned()),
                || "this entity has no mentions".to_owned(),
            );
        }
        document.mentions = self.mentions;
        document.finish(words.finish()).expect("mentions lie within their words and entities")
    }
}

/// The place of an object: `key[3][1]`.
#[derive(Clone, Copy)]
struct ObjectPlace<'n> {
    side: &'n str,
    entity: usize,
    mention: Option<usize>,
}

impl fmt::Display for ObjectPlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.side, self.entity)?;
        self.mention.map_or(Ok(()), |mention| write!(f, "[{mention}]"))
    }
}

/// The name of an object's type for messages.
fn type_of(object: &Bound<'_, PyAny>) -> String {
    object.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string())
}

/// The entities of a side, each a list or a tuple of its mentions.
pub struct EntityObjects<'py, 'n> {
    side: &'n str,
    entities: Vec<Bound<'py, PyAny>>,
}

/// The hint of errors about entities.
const HINT: &str = "entities are lists of mentions: [[(0, 1), (4, 4)], [(7, 9)]]";

/// The hint for paths, which only other functions accept.
const HINT_OF_PATHS: &str = "entities are lists of mentions: [[(0, 1), (4, 4)], [(7, 9)]]; score_files, compare_files and the \
     like take paths, and read(path) makes documents";

impl<'py, 'n> EntityObjects<'py, 'n> {
    /// Accepts any iterable of iterables, and iterates each once.
    pub fn new(object: &Bound<'py, PyAny>, side: &'n str) -> PyResult<EntityObjects<'py, 'n>> {
        let (py, name) = (object.py(), side);
        let text = object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>();
        let refused = |hint: &str| {
            let message = format!("{name} is a {}, not a list of entities", type_of(object));
            Err(wrong_type(py, &message, hint))
        };
        if text || object.hasattr("__fspath__")? {
            return refused(HINT_OF_PATHS);
        }
        if object.is_instance_of::<PyDict>() {
            return refused(HINT);
        }
        let Some(items) = iterated(object)? else { return refused(HINT) };
        let mut entities = Vec::with_capacity(items.len_hint());
        for item in items {
            let item = item?;
            if item.is_exact_instance_of::<PyList>() || item.is_exact_instance_of::<PyTuple>() {
                entities.push(item);
                continue;
            }
            let place = ObjectPlace { side, entity: entities.len(), mention: None };
            let wrong = |item: &Bound<'py, PyAny>| {
                let message = format!("{place} is a {}, not an entity", type_of(item));
                let hint = format!("{HINT}; labels of mentions are an array, or corefeval.Labels(...)");
                wrong_type(py, &message, &hint)
            };
            let text = item.is_instance_of::<PyString>()
                || item.is_instance_of::<PyBytes>()
                || item.is_instance_of::<PyByteArray>();
            if text || item.is_instance_of::<PyDict>() {
                return Err(wrong(&item));
            }
            // The rows of an array are converted together.
            let rows = match item.getattr("ndim").and_then(|ndim| ndim.extract::<usize>()) {
                Ok(2) => item.getattr("tolist").and_then(|tolist| tolist.call0()).ok(),
                _ => None,
            };
            let item = rows.unwrap_or(item);
            let Some(members) = iterated(&item)? else { return Err(wrong(&item)) };
            let members = members.collect::<PyResult<Vec<_>>>()?;
            entities.push(PyList::new(py, members)?.into_any());
        }
        if u32::try_from(entities.len()).is_err() {
            return Err(wrong_value(py, "a document has at most 2^32 - 1 entities", "split the document"));
        }
        Ok(EntityObjects { side, entities })
    }

    /// The number of its mentions.
    fn mentions(&self) -> usize {
        self.entities.iter().map(|members| members.len().unwrap_or(0)).sum()
    }

    /// Its mentions; `number` returns the run of words of each.
    ///
    /// Mentions are processed in blocks, and each step (take the tuples, find their numbers, read them) covers a whole
    /// block, so that many mentions scattered in memory are fetched at once.
    fn numbered(
        &self,
        number: &mut impl FnMut(&EntityBlock<'py, 'n>, &mut Vec<Span>) -> PyResult<bool>,
    ) -> PyResult<Option<Numbered>> {
        let mentions = Vec::with_capacity(self.mentions());
        let mut numbered = Numbered { mentions, entities: self.entities.len() as u32, words: 0 };
        let (mut next, mut spans) = (0, Vec::with_capacity(BLOCK));
        while next < self.entities.len() {
            let mut block = EntityBlock {
                side: self.side,
                mentions: Vec::with_capacity(BLOCK),
                places: Vec::with_capacity(BLOCK),
            };
            while next < self.entities.len() && block.mentions.len() < BLOCK {
                block.take(next, &self.entities[next]);
                next += 1;
            }
            spans.clear();
            if !number(&block, &mut spans)? {
                return Ok(None);
            }
            for (&span, &(entity, place)) in spans.iter().zip(&block.places) {
                numbered.words = numbered.words.max(span.end());
                // Lines are entities and columns mentions, from 1 as in files.
                let mention =
                    Mention::new(span, EntityId::new(entity as usize), entity + 1, place.saturating_add(1));
                numbered.mentions.push(mention);
            }
        }
        Ok(Some(numbered))
    }
}

/// Returns the names of mentions that are one word each, by their words: the text of each, or what `repr` returns if
/// two mentions have the same text. `None` if this is the same.
pub fn names(
    sides: &[EntityObjects<'_, '_>],
    numbered: &[Numbered],
    words: u32,
) -> PyResult<Option<Vec<String>>> {
    let by = |name: &dyn Fn(&Bound<'_, PyAny>) -> PyResult<String>| -> PyResult<Option<Vec<String>>> {
        let mut names: Vec<Option<String>> = vec![None; words as usize];
        for (side, numbered) in sides.iter().zip(numbered) {
            let mut mentions = numbered.mentions.iter();
            for members in &side.entities {
                for (object, mention) in members.try_iter()?.zip(mentions.by_ref()) {
                    let known = &mut names[mention.span().start() as usize];
                    if known.is_none() {
                        *known = Some(name(&object?)?);
                    }
                }
            }
        }
        let Some(names) = names.into_iter().collect::<Option<Vec<String>>>() else { return Ok(None) };
        let mut sorted: Vec<&String> = names.iter().collect();
        sorted.sort_unstable();
        let are_unique = sorted.windows(2).all(|two| two[0] != two[1]);
        Ok(are_unique.then_some(names))
    };
    match by(&|mention| Ok(mention.str()?.to_string()))? {
        Some(names) => Ok(Some(names)),
        None => by(&|mention| Ok(mention.repr()?.to_string())),
    }
}

impl<'py, 'n> EntityObjects<'py, 'n> {
    /// Converts mentions that are pairs of integers in another form to tuples. Entities without such mentions do not
    /// change.
    fn plain(&self, py: Python<'py>, exclusive: bool) -> PyResult<EntityObjects<'py, 'n>> {
        let class = py.import("corefeval.mentions")?.getattr("Mention")?;
        let entity = |members: &Bound<'py, PyAny>| -> PyResult<Bound<'py, PyAny>> {
            let mut changed = false;
            let mut plain = Vec::with_capacity(members.len()?);
            for mention in members.try_iter()? {
                let mention = mention?;
                let pair = as_pair(&mention, &class, exclusive)?;
                changed |= pair.is_some();
                plain.push(pair.unwrap_or(mention));
            }
            Ok(if changed { PyList::new(py, plain)?.into_any() } else { members.clone() })
        };
        let entities = self.entities.iter().map(entity).collect::<PyResult<Vec<_>>>()?;
        Ok(EntityObjects { side: self.side, entities })
    }
}

/// Converts a mention in another form to a tuple: a list, an array, a tuple of NumPy integers, or a `corefeval.Mention`
/// (which becomes its runs of words if it has gaps). Returns `None` for everything else.
fn as_pair<'py>(
    mention: &Bound<'py, PyAny>,
    class: &Bound<'py, PyAny>,
    exclusive: bool,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = mention.py();
    if mention.is_exact_instance_of::<PyString>() || mention.is_exact_instance_of::<PyInt>() {
        return Ok(None);
    }
    if let Ok(tuple) = mention.cast_exact::<PyTuple>() {
        let is_exact = |item: &Bound<'py, PyAny>| item.is_exact_instance_of::<PyInt>();
        if tuple.len() != 2 || tuple.iter().all(|item| is_exact(&item)) {
            return Ok(None);
        }
        let integers: Option<Vec<i64>> = tuple.iter().map(|item| as_integer(&item)).collect();
        return integers.map(|pair| Ok(PyTuple::new(py, pair)?.into_any())).transpose();
    }
    if mention.is_instance(class)? {
        let parts = mention.getattr("parts")?;
        if parts.len()? > 1 {
            return Ok(Some(parts));
        }
        let (start, end): (i64, i64) = mention.getattr("span")?.extract()?;
        return Ok(Some(PyTuple::new(py, [start, end + i64::from(exclusive)])?.into_any()));
    }
    let list = match mention.cast_exact::<PyList>() {
        Ok(list) => list.clone(),
        Err(_) => {
            let Ok(list) = mention.getattr("tolist") else { return Ok(None) };
            let Ok(list) = list.call0()?.cast_into::<PyList>() else { return Ok(None) };
            list
        }
    };
    let integers: Option<Vec<i64>> = list.iter().map(|item| as_integer(&item)).collect();
    match integers {
        Some(integers) if !integers.is_empty() => Ok(Some(PyTuple::new(py, integers)?.into_any())),
        _ => Ok(None),
    }
}

/// Returns a whole number of Python or NumPy; `None` for truth values and floats.
fn as_integer(item: &Bound<'_, PyAny>) -> Option<i64> {
    let truth = item.is_instance_of::<PyBool>();
    if truth || item.is_instance_of::<PyFloat>() { None } else { item.extract().ok() }
}

/// Mentions of neighbouring entities.
struct EntityBlock<'py, 'n> {
    side: &'n str,
    mentions: Vec<Bound<'py, PyAny>>,
    /// The entity of each mention and its index there.
    places: Vec<(u32, u32)>,
}

impl<'py, 'n> EntityBlock<'py, 'n> {
    fn take(&mut self, entity: usize, members: &Bound<'py, PyAny>) {
        let before = self.mentions.len();
        if let Ok(list) = members.cast_exact::<PyList>() {
            self.mentions.extend(list.iter());
        } else if let Ok(tuple) = members.cast_exact::<PyTuple>() {
            self.mentions.extend(tuple.iter());
        }
        let count = u32::try_from(self.mentions.len() - before).unwrap_or(u32::MAX);
        self.places.extend((0..count).map(|place| (entity as u32, place)));
    }

    /// The mentions with their places for errors.
    fn placed(&self) -> impl Iterator<Item = (&Bound<'py, PyAny>, ObjectPlace<'n>)> {
        self.mentions.iter().zip(&self.places).map(|(mention, &(entity, place))| {
            (mention, ObjectPlace { side: self.side, entity: entity as usize, mention: Some(place as usize) })
        })
    }

    /// Reads the mentions as pairs of integers; `None` if any has another type, even if it equals such a pair.
    fn pairs(&self, pairs: &mut Vec<(i64, i64)>) -> Option<()> {
        let tuples = self.mentions.iter().map(|mention| {
            let tuple = mention.cast_exact::<PyTuple>().ok()?;
            if tuple.len() != 2 {
                return None;
            }
            Some([tuple.get_borrowed_item(0).ok()?, tuple.get_borrowed_item(1).ok()?])
        });
        let tuples = tuples.collect::<Option<Vec<_>>>()?;
        let integers = tuples
            .iter()
            .map(|pair| Some([pair[0].cast_exact::<PyInt>().ok()?, pair[1].cast_exact::<PyInt>().ok()?]));
        let integers = integers.collect::<Option<Vec<_>>>()?;
        pairs.clear();
        for [first, last] in integers {
            pairs.push((first.extract().ok()?, last.extract().ok()?));
        }
        Some(())
    }
}

/// An iterator with its stated length; `None` if the object is not iterable.
fn iterated<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Items<'py>>> {
    let length = object.len().unwrap_or(0);
    match object.try_iter() {
        Ok(items) => Ok(Some(Items { items, length })),
        Err(error) if error.is_instance_of::<PyTypeError>(object.py()) => Ok(None),
        Err(error) => Err(error),
    }
}

struct Items<'py> {
    items: Bound<'py, pyo3::types::PyIterator>,
    length: usize,
}

impl Items<'_> {
    /// A length for which memory should be reserved.
    fn len_hint(&self) -> usize {
        self.length.min(1 << 20)
    }
}

impl<'py> Iterator for Items<'py> {
    type Item = PyResult<Bound<'py, PyAny>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.items.next()
    }
}

/// The way to number mentions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum MentionKind {
    /// Mentions name runs of words.
    Spans,
    /// Equal mentions have the same number, which is not a position.
    Objects,
}

/// The meaning of the second number of a pair of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// The last word of a span.
    Inclusive,
    /// One past the last word.
    Exclusive,
    /// The last word if the span is valid; invalid spans are arbitrary objects.
    Any,
}

impl Ends {
    /// Returns the ends for spans.
    pub fn of(exclusive: bool) -> Ends {
        if exclusive { Ends::Exclusive } else { Ends::Inclusive }
    }
}

/// The error of an invalid span.
fn no_span(
    py: Python<'_>,
    (first, last): (i64, i64),
    place: Option<ObjectPlace<'_>>,
    exclusive: bool,
) -> PyErr {
    let place = place.map_or_else(String::new, |place| place.to_string());
    let (what, hint) = if first < 0 || last < 0 {
        ("has a negative number", "words count from 0 over the whole document")
    } else if exclusive && first == last {
        ("has no word if ends are exclusive", "leave out span_end, if ends are inclusive")
    } else if first > last {
        ("ends before it starts", "a span is its first and its last word; names of mentions are strings")
    } else {
        ("is beyond the largest word, 2^32 - 3", "words count over the whole document")
    };
    wrong_value(py, &format!("{place} is ({first}, {last}), which {what}"), hint)
}

/// Numbers the mentions of all sides, with equal numbers for equal mentions.
///
/// Invalid spans (reversed, negative) are an error unless [`Ends::Any`] allows them. `ends` contains the ends of each side.
pub fn number<'py, 'n>(
    py: Python<'py>,
    sides: &[EntityObjects<'py, 'n>],
    ends: &[Ends],
) -> PyResult<(Vec<Numbered>, MentionKind)> {
    let exclusive = |side: usize| ends[side] == Ends::Exclusive;
    let mut pairs = Vec::with_capacity(BLOCK);
    let mut as_spans = |side: usize, block: &EntityBlock<'py, 'n>, spans: &mut Vec<Span>| {
        if block.pairs(&mut pairs).is_none() {
            return Ok(false);
        }
        spans.extend(pairs.iter().map_while(|&pair| as_span(pair, exclusive(side))));
        if let (true, Some(&pair)) = (ends[side] != Ends::Any, pairs.get(spans.len())) {
            let place = block.placed().nth(spans.len()).map(|(_, place)| place);
            return Err(no_span(py, pair, place, exclusive(side)));
        }
        Ok(spans.len() == pairs.len())
    };
    if let Some(numbered) = number_with(sides, &mut as_spans)? {
        return Ok((numbered, MentionKind::Spans));
    }
    let texts = has_texts(sides);
    // If the first mention is a string, all mentions are expected to be strings.
    let plain: Vec<EntityObjects<'py, 'n>>;
    let mut sides = sides;
    if !texts {
        let plain_of = |(place, side): (usize, &EntityObjects<'py, 'n>)| side.plain(py, exclusive(place));
        plain = sides.iter().enumerate().map(plain_of).collect::<PyResult<_>>()?;
        sides = &plain;
        if let Some(numbered) = number_with(sides, &mut as_spans)? {
            return Ok((numbered, MentionKind::Spans));
        }
    }
    let expected = if texts { 0 } else { room(sides) };
    let (mut known, mut next, mut keys, mut numbers) =
        (KeyTable::with_room(expected), 0, Vec::new(), Vec::new());
    let by_pair = |_: usize, block: &EntityBlock<'py, 'n>, spans: &mut Vec<Span>| {
        if block.pairs(&mut pairs).is_none() {
            return Ok(false);
        }
        keys.clear();
        keys.extend(pairs.iter().map(|pair| u128::from(pair.0 as u64) << 64 | u128::from(pair.1 as u64)));
        numbers.clear();
        known.number(&keys, &mut next, |number| numbers.push(number));
        numbers.iter().try_for_each(|&number| word(py, number).map(|span| spans.push(span)))?;
        Ok(true)
    };
    if let Some(numbered) = number_with(sides, by_pair)? {
        return Ok((numbered, MentionKind::Objects));
    }
    let mut known = TextTable::with_room(if texts { room(sides) } else { 0 });
    let mut numbers = Vec::new();
    let by_text = |_: usize, block: &EntityBlock<'py, 'n>, spans: &mut Vec<Span>| {
        let texts = block
            .mentions
            .iter()
            .map(|mention| Some(mention.cast_exact::<PyString>().ok()?.to_str().ok()?.as_bytes()));
        let Some(texts) = texts.collect::<Option<Vec<&[u8]>>>() else { return Ok(false) };
        numbers.clear();
        known.number(&texts, &mut numbers);
        numbers.iter().try_for_each(|&number| word(py, number).map(|span| spans.push(span)))?;
        Ok(true)
    };
    if let Some(numbered) = number_with(sides, by_text)? {
        return Ok((numbered, MentionKind::Objects));
    }
    Ok((number_objects(py, sides)?, MentionKind::Objects))
}

/// Numbers mentions of any kind by their equality in Python.
fn number_objects<'py, 'n>(py: Python<'py>, sides: &[EntityObjects<'py, 'n>]) -> PyResult<Vec<Numbered>> {
    let known = PyDict::new(py);
    let mut checks = Checks::default();
    let by_object = |_: usize, block: &EntityBlock<'py, 'n>, spans: &mut Vec<Span>| {
        for (mention, place) in block.placed() {
            checks.check(mention, place)?;
            let found = match known.get_item(mention) {
                Ok(found) => found,
                Err(error) => return Err(unhashable(py, mention, place, error)),
            };
            let number = match found {
                Some(number) => number.extract::<u32>()?,
                None => {
                    let next = known.len() as u32;
                    known.set_item(mention, next)?;
                    next
                }
            };
            spans.push(word(py, number)?);
        }
        Ok(true)
    };
    number_with(sides, by_object)?
        .ok_or_else(|| wrong_value(py, "a mention has no number", "report this as a fault of corefeval"))
}

/// The number of mentions of the first side, an estimate of the number of distinct mentions on all sides.
fn room(sides: &[EntityObjects<'_, '_>]) -> usize {
    sides.first().map_or(0, EntityObjects::mentions)
}

/// Returns whether the first mention is a string.
fn has_texts(sides: &[EntityObjects<'_, '_>]) -> bool {
    let mut entities = sides.iter().flat_map(|side| &side.entities);
    let first = entities.find_map(|members| members.get_item(0).ok());
    first.is_some_and(|mention| mention.is_exact_instance_of::<PyString>())
}

fn number_with<'py, 'n>(
    sides: &[EntityObjects<'py, 'n>],
    mut number: impl FnMut(usize, &EntityBlock<'py, 'n>, &mut Vec<Span>) -> PyResult<bool>,
) -> PyResult<Option<Vec<Numbered>>> {
    let numbered = |(place, side): (usize, &EntityObjects<'py, 'n>)| {
        side.numbered(&mut |block: &EntityBlock<'py, 'n>, spans: &mut Vec<Span>| number(place, block, spans))
    };
    sides.iter().enumerate().map(numbered).collect()
}

fn as_span((first, last): (i64, i64), exclusive: bool) -> Option<Span> {
    let end = if exclusive { last } else { last.checked_add(1)? };
    let fits = 0 <= first && first < end && end <= LAST_WORD + 1;
    if fits { Span::new(first as u32, end as u32) } else { None }
}

/// The run of words of a numbered mention.
fn word(py: Python<'_>, number: u32) -> PyResult<Span> {
    if i64::from(number) > LAST_WORD {
        return Err(wrong_value(py, "a document has at most 2^32 - 2 mentions", "split the document"));
    }
    Ok(Span::word(number))
}

/// Finds hashable objects that are mentions only by mistake.
#[derive(Default)]
struct Checks<'n> {
    /// The length of the first mention that is a tuple of integers, and its place.
    ints: Option<(usize, ObjectPlace<'n>)>,
}

impl<'n> Checks<'n> {
    fn check(&mut self, mention: &Bound<'_, PyAny>, place: ObjectPlace<'n>) -> PyResult<()> {
        let py = mention.py();
        if let Ok(tuple) = mention.cast::<PyTuple>() {
            let mut integers = !tuple.is_empty();
            for item in tuple.iter_borrowed() {
                let integer = item.is_exact_instance_of::<PyInt>();
                integers &= integer;
                if !integer {
                    check_value(&item, place)?;
                }
            }
            let length = tuple.len();
            match self.ints {
                Some((other, first)) if integers && other != length => {
                    let message =
                        format!("{place} is a span of {length} numbers, and {first} is one of {other}");
                    let hint =
                        "spans are pairs of numbers; for mentions that are sets of words use frozenset";
                    return Err(wrong_value(py, &message, hint));
                }
                None if integers => self.ints = Some((length, place)),
                _ => {}
            }
            return Ok(());
        }
        if mention.is_none() {
            let message = format!("{place} is None, which is not a mention");
            return Err(wrong_value(
                py,
                &message,
                "leave it out; mentions that a side lacks count as missing",
            ));
        }
        check_value(mention, place)
    }
}

/// Refuses NaN, which is not equal to itself, and tensors, which are equal by identity.
fn check_value(value: &Bound<'_, PyAny>, place: ObjectPlace<'_>) -> PyResult<()> {
    let py = value.py();
    if value.is_exact_instance_of::<PyString>() || value.is_exact_instance_of::<PyInt>() {
        return Ok(());
    }
    if let Ok(number) = value.cast::<PyFloat>() {
        if number.value().is_nan() {
            let message = format!("{place} is not a number (NaN), which is equal to nothing");
            return Err(wrong_value(py, &message, "leave out objects that are not mentions"));
        }
        return Ok(());
    }
    if value.hasattr("__dlpack__")? {
        let message = format!("{place} contains a {}, whose values are not compared", type_of(value));
        return Err(wrong_type(py, &message, "make it a number or a tuple of numbers: tensor.tolist()"));
    }
    Ok(())
}

/// The text of a list or an array of numbers, if some are not integers.
fn fractions(mention: &Bound<'_, PyAny>) -> Option<String> {
    let list = match mention.cast_exact::<PyList>() {
        Ok(list) => list.clone(),
        Err(_) => mention.call_method0("tolist").ok()?.cast_into::<PyList>().ok()?,
    };
    let is_number = |item: Bound<'_, PyAny>| item.is_instance_of::<PyFloat>() || as_integer(&item).is_some();
    (!list.is_empty() && list.iter().all(is_number)).then(|| list.to_string())
}

fn unhashable(py: Python<'_>, mention: &Bound<'_, PyAny>, place: ObjectPlace<'_>, error: PyErr) -> PyErr {
    if !error.is_instance_of::<PyTypeError>(py) {
        return error;
    }
    let raised = match fractions(mention) {
        Some(text) => {
            let message = format!("{place} is {text}, and places are whole numbers");
            wrong_type(py, &message, "a span is the numbers of its first and its last word: (0, 1)")
        }
        None => {
            let message =
                format!("{place} is a {}, which is not hashable and cannot be a mention", type_of(mention));
            let nested = mention.cast::<PyList>().is_ok_and(|list| {
                !list.is_empty()
                    && list.iter().all(|item| item.cast::<PyList>().is_ok() || item.cast::<PyTuple>().is_ok())
            });
            let hint = match nested {
                true => {
                    "for several documents give a dictionary of entities by id, or a list of corefeval.Document"
                }
                false => "spans are tuples: (0, 1), tuple(mention)",
            };
            wrong_type(py, &message, hint)
        }
    };
    raised.set_cause(py, Some(error));
    raised
}
