//! Reads brat standoff: `.ann` files with `.txt` files.
//!
//! Every text-bound annotation (`T`) is a mention. Relations whose type starts with `coref` or
//! `ident`, in any case, and equivalences (`*`) join mentions into entities; other mentions are
//! singletons. The reader keeps relations as links, unless an entity of several mentions is an equivalence or has a name,
//! which do not specify links. Entities are named after their first `T`. An event is read as its trigger. Attributes of
//! a `T` belong to the mention. Other annotation does not concern coreference and is skipped and
//! counted.
//!
//! LitBank writes two `T` for a mention: `PROP_PER` has the types of mention and entity, and a second
//! `T` at the same place has the entity (`Pip-1`) as its type. A mention without the second `T` is a
//! singleton.
//!
//! Offsets count the characters of the text. [`PlainText`] divides it into words.

use corefeval_metrics::Closure;

use crate::wording::{Text, one_line, plural, start_of};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::file_reader::ErrorList;
use super::frame::Frame;
use super::names::Names;
use super::standoff::{PlainText, joined, mention};
use super::xml::companion_text;
use super::{Aspect, Ending, FormatSpec, Reader, utf8};
use crate::diagnostic::{Code, Position};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Corpus, DocumentBuilder, DocumentId, ENTITY_TYPE, EntityId, EntityName, MENTION_TYPE};

/// `brat`.
pub(super) const SPEC: FormatSpec = FormatSpec {
    id: "brat",
    summary: "brat standoff: .ann with .txt, coreference as relations or equivalences; LitBank",
    extensions: &["ann"],
    companion: Some("txt"),
    expresses: &[Aspect::Attributes],
    link_notation: Some("relations such as `Coref Arg1:T2 Arg2:T1` in place of `*<TAB>Equiv T1 T2`"),
    detect,
    names: Names::Relations(&["Coref", "Coreference", "Coreferent", "Ident", "Identity"]),
    ending: Ending::Line,
    reader: |source, options| {
        Box::new(BratReader {
            frame: Frame::new(source, options),
            text: None,
            marks: Vec::new(),
            by_id: FxHashMap::default(),
            links: Vec::new(),
            triggers: FxHashMap::default(),
            attributes: Vec::new(),
            unfinished: None,
            normalised: None,
            lost: FxHashSet::default(),
            lost_text: false,
        })
    },
    write: Some(super::write::brat::WRITER),
    ..FormatSpec::PLAIN
};

/// Returns whether the first line is a mention, a relation, an event, an equivalence or a note.
fn detect(bytes: &[u8]) -> bool {
    let first = bytes.split(|&byte| byte == b'\n').find(|line| !line.trim_ascii().is_empty());
    let Some(Ok(line)) = first.map(std::str::from_utf8) else { return false };
    let Some((id, rest)) = line.split_once('\t') else { return false };
    let mut items = rest.split([' ', '\t']);
    let (_, second) = (items.next(), items.next().unwrap_or_default());
    is_id(id)
        && match id.as_bytes()[0] {
            b'T' => second.parse::<u32>().is_ok(),
            b'R' => second.starts_with("Arg1:"),
            b'E' => rest.contains(":T"),
            b'*' => second.starts_with(['T', 'E']),
            b'#' => rest.contains('\t'),
            _ => false,
        }
}

/// Returns whether `text` may name an annotation: `T1`, `R2`, `#3`, `*`.
fn is_id(text: &str) -> bool {
    let Some(first) = text.chars().next() else { return false };
    let rest = &text[first.len_utf8()..];
    match first {
        '*' => rest.is_empty(),
        '#' => !rest.contains(' '),
        'A'..='Z' => {
            !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        }
        _ => false,
    }
}

/// A text-bound annotation.
struct TextBound {
    id: String,
    kind: String,
    /// The characters, in the order of the file.
    ranges: Vec<Range<u32>>,
    line: u32,
    column: u32,
}

/// Ids that one line assigns to the same entity.
struct LinkedIds {
    ids: Vec<(String, u32)>,
    /// True for a relation, which links one mention to another.
    is_relation: bool,
    line: u32,
}

/// The text of the last mention, if its line does not contain all of it.
struct Unfinished {
    /// The text so far, with one space for each run of spaces.
    given: String,
    /// The progress of comparing the text at its place.
    compared: ComparedText,
    /// True if that text starts with the given text.
    fits: bool,
}

/// The text of a document with one space for each run of spaces, and none at the ends. Any range of it is a slice, so
/// even mentions that cover the whole text are cheap.
struct Normalised {
    text: String,
    /// For each character of the text, and for its end, the byte of the next character that is not a space.
    starts: Vec<u32>,
    /// For each character, and for the end, the byte where the text before it ends, without spaces.
    ends: Vec<u32>,
}

impl Normalised {
    fn new(plain: &PlainText) -> Normalised {
        let whole = plain.slice(&(0..plain.len()));
        let mut normalised =
            Normalised { text: String::with_capacity(whole.len()), starts: Vec::new(), ends: vec![0] };
        let mut blank = false;
        for character in whole.chars() {
            if character.is_whitespace() {
                blank = true;
            } else {
                if std::mem::take(&mut blank) && !normalised.text.is_empty() {
                    normalised.text.push(' ');
                }
                // All spaces before the character start here too.
                normalised.starts.resize(normalised.ends.len(), normalised.text.len() as u32);
                normalised.text.push(character);
            }
            normalised.ends.push(normalised.text.len() as u32);
        }
        normalised.starts.resize(normalised.ends.len(), normalised.text.len() as u32);
        normalised
    }

    /// Returns the text of some characters, with one space for each run of spaces.
    fn slice(&self, range: &Range<u32>) -> &str {
        let (start, end) = (self.starts[range.start as usize], self.ends[range.end as usize]);
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }
}

/// The progress of comparing the text of some ranges: the range, and the byte in its slice.
#[derive(Clone, Copy, Default)]
struct ComparedText {
    range: usize,
    byte: usize,
    /// True if the next character is the space between the texts of two ranges.
    blank: bool,
}

impl ComparedText {
    /// Returns the rest of the text of the current range; empty at the end.
    fn rest<'n>(&mut self, ranges: &[Range<u32>], normalised: &'n Normalised) -> &'n str {
        while let Some(range) = ranges.get(self.range) {
            let slice = normalised.slice(range);
            if self.byte < slice.len() {
                return if self.blank { " " } else { &slice[self.byte..] };
            }
            self.blank |= self.byte > 0;
            (self.range, self.byte) = (self.range + 1, 0);
        }
        ""
    }

    /// Continues over `given`. Returns false if the text of the ranges differs from it or ends.
    fn take(&mut self, given: &str, ranges: &[Range<u32>], normalised: &Normalised) -> bool {
        let mut given = given.as_bytes();
        while !given.is_empty() {
            let rest = self.rest(ranges, normalised).as_bytes();
            let length = rest.len().min(given.len());
            if length == 0 || rest[..length] != given[..length] {
                return false;
            }
            given = &given[length..];
            match std::mem::take(&mut self.blank) {
                true => {}
                false => self.byte += length,
            }
        }
        true
    }
}

struct BratReader {
    frame: Frame,
    text: Option<PlainText>,
    marks: Vec<TextBound>,
    by_id: FxHashMap<String, usize>,
    links: Vec<LinkedIds>,
    /// The triggers of events.
    triggers: FxHashMap<String, String>,
    /// Id, name, value, line.
    attributes: Vec<(String, String, String, u32)>,
    unfinished: Option<Unfinished>,
    /// Created at its first use.
    normalised: Option<Normalised>,
    /// The ids of annotation with errors; an empty id represents annotation without an id.
    lost: FxHashSet<String>,
    /// True if lines without an id may continue the text of a mention with an error.
    lost_text: bool,
}

impl Reader for BratReader {
    fn companion(&mut self, source: Arc<str>, text: &[u8]) -> Result<()> {
        self.text = Some(PlainText::new(companion_text(&source, text)?));
        Ok(())
    }

    fn feed(&mut self, lines: &[u8]) -> Result<()> {
        // Takes the text out, so that it can be borrowed while lines are read.
        let Some(text) = self.text.take() else { return Err(self.no_text()) };
        let mut result = Ok(());
        for line in lines.split_inclusive(|&byte| byte == b'\n') {
            self.frame.line += 1;
            result = utf8(line, &self.frame.source, self.frame.line, 1)
                .and_then(|line| self.line(line.trim_end_matches(['\n', '\r']), &text));
            if result.is_err() {
                break;
            }
        }
        self.text = Some(text);
        result
    }

    fn finish(mut self: Box<Self>) -> Result<Corpus> {
        let Some(text) = self.text.take() else { return Err(self.no_text()) };
        self.end_mark();
        self.document(&text)?;
        Ok(self.frame.corpus)
    }

    fn frame(&mut self) -> Option<&mut Frame> {
        Some(&mut self.frame)
    }

    fn resumes(&self) -> bool {
        self.text.is_some()
    }
}

impl BratReader {
    fn no_text(&self) -> Error {
        Error::new(ErrorKind::Format, "brat annotation is read together with its text, which is missing")
            .coded(Code::MissingText)
            .at(Position::new(&self.frame.source, 0, 0))
    }

    fn error(&self, column: usize, message: impl Into<Text>) -> Error {
        let position = Position::new(&self.frame.source, self.frame.line, column as u32 + 1);
        Error::new(ErrorKind::Format, message).at(position)
    }

    fn note(&mut self, code: Code, line: u32, column: u32, message: impl FnOnce() -> String) {
        let position = Position::new(&self.frame.source, line, column);
        self.frame.corpus.diagnostics.add(code, Some(position), None, message);
    }

    fn line(&mut self, line: &str, text: &PlainText) -> Result<()> {
        let Some((id, rest)) = line.split_once('\t').filter(|(id, _)| is_id(id)) else {
            return self.more_text(line);
        };
        self.end_mark();
        self.lost_text = false;
        let column = id.len() + 1;
        match id.as_bytes()[0] {
            b'T' => self.mark(id, rest, column, text),
            b'R' => self.relation(rest, column),
            b'*' => self.equivalence(rest, column),
            b'E' => self.event(id, rest, column),
            b'A' | b'M' => self.attribute(rest, column),
            first => {
                let what = match first {
                    b'#' => "note",
                    b'N' => "normalisation",
                    _ => "line",
                };
                let line = self.frame.line;
                self.note(Code::PassedOver, line, 1, || format!("the {what} `{id}` was skipped"));
                Ok(())
            }
        }
    }

    /// Reads a line without an id, which is blank or continues a mention's text.
    fn more_text(&mut self, line: &str) -> Result<()> {
        if line.trim().is_empty() {
            return Ok(());
        }
        if let (Some(Unfinished { given, compared, fits }), Some(mark), Some(normalised)) =
            (&mut self.unfinished, self.marks.last(), &self.normalised)
            && *fits
            && !compared.rest(&mark.ranges, normalised).is_empty()
        {
            let before = given.len();
            if !given.is_empty() {
                given.push(' ');
            }
            given.push_str(&one_line(line));
            *fits = compared.take(&given[before..], &mark.ranges, normalised);
            return Ok(());
        }
        let first = line.split_whitespace().next().filter(|id| is_id(id));
        if first.is_none() && self.lost_text {
            return Ok(());
        }
        self.lost.insert(first.unwrap_or_default().to_owned());
        let error = self
            .error(0, "this line does not start with an id such as `T1` and a tab")
            .coded(Code::MissingField);
        Err(error.hint("a mention is written `T1<TAB>PER 0 3<TAB>Ada`"))
    }

    /// Reads `PER 0 3<TAB>Ada`, or `PER 0 3;10 14<TAB>Ada Hill` for a mention in parts.
    fn mark(&mut self, id: &str, rest: &str, column: usize, text: &PlainText) -> Result<()> {
        let (head, given) = rest.split_once('\t').unwrap_or((rest, ""));
        let Some((kind, offsets)) = head.split_once(' ').filter(|(kind, _)| !kind.is_empty()) else {
            self.lose(id);
            let error =
                self.error(column, format!("`{id}` has no type and offsets")).coded(Code::MissingField);
            return Err(error.hint("a mention is written `T1<TAB>PER 0 3<TAB>Ada`"));
        };
        let mut place = column + kind.len() + 1;
        let mut ranges = Vec::with_capacity(1);
        let mut errors = ErrorList::default();
        for part in offsets.split(';') {
            let range = self.range(part, place, text);
            ranges.extend(errors.check(range)?);
            place += part.len() + 1;
        }
        let number = self.marks.len();
        if let Some(&first) = self.by_id.get(id) {
            let first = Position::new(&self.frame.source, self.marks[first].line, 1);
            let error = self.error(0, format!("the id `{id}` is repeated here")).coded(Code::RepeatedId);
            errors
                .keep(error.with_place(first, "the first time").hint("give each annotation a unique id"))?;
        }
        if !errors.is_empty() {
            self.lose(id);
            return errors.finish();
        }
        self.by_id.insert(id.to_owned(), number);
        let same = matches!(&ranges[..], [range] if text.slice(range) == given);
        if !same {
            let normalised = self.normalised.get_or_insert_with(|| Normalised::new(text));
            let (given, mut compared) = (one_line(given), ComparedText::default());
            let fits = compared.take(&given, &ranges, normalised);
            self.unfinished = Some(Unfinished { given, compared, fits });
        }
        self.marks.push(TextBound {
            id: id.to_owned(),
            kind: kind.to_owned(),
            ranges,
            line: self.frame.line,
            column: column as u32 + 1,
        });
        Ok(())
    }

    /// Records a mention with an error. Links to it are not reported as errors.
    fn lose(&mut self, id: &str) {
        self.lost.insert(id.to_owned());
        self.lost_text = true;
    }

    /// Returns whether an unknown id may belong to annotation with an error.
    fn is_lost(&self, id: &str) -> bool {
        self.lost.contains(id) || self.lost.contains("")
    }

    /// Reads `0 3`: from the first character to one past the last.
    fn range(&mut self, part: &str, column: usize, text: &PlainText) -> Result<Range<u32>> {
        let numbers = part.split_once(' ').and_then(|(start, end)| {
            let number = |item: &str| item.trim().parse::<u32>().ok();
            Some((number(start)?, number(end)?))
        });
        let Some((start, end)) = numbers else {
            let error = self.error(column, format!("`{part}` are not offsets")).coded(Code::BadValue);
            return Err(error.hint("offsets are two numbers such as `0 3`, several of them `0 3;10 14`"));
        };
        if start.max(end) > text.len() {
            let message = format!(
                "the offsets {start} {end} lie beyond the text of {}",
                plural(text.len(), "character", "characters")
            );
            let error = self.error(column, message).coded(Code::OutOfRange);
            return Err(error.hint(
                "is it the right text? Offsets count characters from 0, the end is one past the last",
            ));
        }
        if end < start {
            let line = self.frame.line;
            self.note(Code::ReversedSpan, line, column as u32 + 1, || {
                format!("the offsets {start} {end} end before they start; they were swapped")
            });
        }
        Ok(start.min(end)..start.max(end))
    }

    /// Compares the text of the last mention's line with the text at its place.
    fn end_mark(&mut self) {
        let (Some(unfinished), Some(mark), Some(normalised)) =
            (self.unfinished.take(), self.marks.last(), &self.normalised)
        else {
            return;
        };
        let Unfinished { given, mut compared, fits } = unfinished;
        if fits && compared.rest(&mark.ranges, normalised).is_empty() {
            return;
        }
        let slices =
            mark.ranges.iter().map(|range| normalised.slice(range)).filter(|slice| !slice.is_empty());
        let mut wanted = String::new();
        for slice in slices {
            if !wanted.is_empty() {
                wanted.push(' ');
            }
            wanted.push_str(&start_of(slice, SHORT));
            if wanted.len() > 4 * SHORT {
                break;
            }
        }
        let (id, line, column) = (mark.id.clone(), mark.line, mark.column);
        self.note(Code::TextDiffers, line, column, || {
            format!(
                "the text of `{id}` is `{}`, but the text at its place is `{}`",
                start_of(&given, SHORT),
                start_of(&wanted, SHORT)
            )
        });
    }

    /// Reads `Coref Arg1:T1 Arg2:T2`.
    fn relation(&mut self, rest: &str, column: usize) -> Result<()> {
        let (kind, items) = rest.split_once(' ').unwrap_or((rest, ""));
        let lower = kind.to_lowercase();
        let line = self.frame.line;
        if !lower.starts_with("coref") && !lower.starts_with("ident") {
            self.note(Code::PassedOver, line, column as u32 + 1, || {
                format!("a relation `{kind}` was skipped")
            });
            return Ok(());
        }
        let mut ids = Vec::new();
        let mut errors = ErrorList::default();
        let mut place = column + kind.len() + 1;
        for item in items.trim_end().split(' ') {
            match item.split_once(':') {
                Some((_, id)) if is_id(id) => ids.push((id.to_owned(), place as u32 + 1)),
                _ if item.trim().is_empty() => {}
                _ => {
                    let error = self
                        .error(place, format!("`{item}` is not an argument of a relation"))
                        .coded(Code::BadValue);
                    errors.keep(error.hint("a relation is written `R1<TAB>Coref Arg1:T1 Arg2:T2`"))?;
                }
            }
            place += item.len() + 1;
        }
        errors.finish()?;
        if ids.len() != 2 {
            let error = self
                .error(column, format!("a relation has two arguments, but this one has {}", ids.len()))
                .coded(Code::BadValue);
            return Err(error.hint("a relation is written `R1<TAB>Coref Arg1:T1 Arg2:T2`"));
        }
        if let [(first, _), (second, column)] = &ids[..]
            && first == second
        {
            let (message, column) = (format!("a relation links `{first}` to itself"), *column);
            self.note(Code::CircularLink, line, column, || message);
        }
        self.links.push(LinkedIds { ids, is_relation: true, line });
        Ok(())
    }

    /// Reads `Equiv T1 T2 T3`, under any name.
    fn equivalence(&mut self, rest: &str, column: usize) -> Result<()> {
        let mut place = column;
        let mut ids = Vec::new();
        let mut errors = ErrorList::default();
        for (number, item) in rest.trim_end().split(' ').enumerate() {
            if number > 0 && !item.is_empty() {
                if !is_id(item) {
                    let error = self
                        .error(place, format!("`{item}` is not an id of an annotation"))
                        .coded(Code::BadValue);
                    errors.keep(error.hint("an equivalence is written `*<TAB>Equiv T1 T2`"))?;
                }
                ids.push((item.to_owned(), place as u32 + 1));
            }
            place += item.len() + 1;
        }
        errors.finish()?;
        self.links.push(LinkedIds { ids, is_relation: false, line: self.frame.line });
        Ok(())
    }

    /// Reads `Attack:T3 Agent:T1`; the event is read as its trigger.
    fn event(&mut self, id: &str, rest: &str, column: usize) -> Result<()> {
        let trigger = rest.split(' ').next().and_then(|item| item.split_once(':'));
        let Some((_, trigger)) = trigger.filter(|(_, trigger)| is_id(trigger)) else {
            self.lost.insert(id.to_owned());
            let error =
                self.error(column, format!("the event `{id}` has no trigger")).coded(Code::MissingField);
            return Err(error.hint("an event is written `E1<TAB>Attack:T3 Agent:T1`"));
        };
        self.triggers.insert(id.to_owned(), trigger.to_owned());
        let line = self.frame.line;
        self.note(Code::PassedOver, line, 1, || format!("the arguments of the event `{id}` were skipped"));
        Ok(())
    }

    /// Reads `Negated T1` or `Number T1 Plural`.
    fn attribute(&mut self, rest: &str, column: usize) -> Result<()> {
        let mut items = rest.trim_end().splitn(3, ' ');
        let (Some(name), Some(id)) = (items.next(), items.next()) else {
            let error =
                self.error(column, "this attribute belongs to no annotation").coded(Code::MissingField);
            return Err(error.hint("an attribute is written `A1<TAB>Number T1 Plural`"));
        };
        let value = items.next().unwrap_or("true");
        self.attributes.push((id.to_owned(), name.to_owned(), value.to_owned(), self.frame.line));
        Ok(())
    }

    /// Returns the position of the `T` that an id refers to.
    fn resolve(&self, id: &str) -> Option<usize> {
        let id = self.triggers.get(id).map_or(id, String::as_str);
        self.by_id.get(id).copied()
    }

    fn document(&mut self, text: &PlainText) -> Result<()> {
        let (mut groups, mut links) = self.join_links();
        let mut attributes = self.attributes_of_marks();
        let roles = roles(&self.marks);
        let mut names: FxHashMap<&str, usize> = FxHashMap::default();
        for (number, role) in roles.iter().enumerate() {
            if let Some(name) = role.entity {
                let first = *names.entry(name).or_insert(number);
                groups.join(first, number);
                links = links.filter(|_| first == number);
            }
        }
        let mut group_names: Vec<Option<EntityName>> = vec![None; self.marks.len()];
        for (number, role) in roles.iter().enumerate() {
            if let Some(name) = role.entity {
                group_names[groups.find(number)].get_or_insert_with(|| name.into());
            }
        }

        let id = DocumentId::new(self.frame.options.default_id.clone());
        let mut document = DocumentBuilder::new(id, Arc::clone(&self.frame.source), 0);
        let mut entities: Vec<Option<EntityId>> = vec![None; self.marks.len()];
        let mut mentions: Vec<Option<u32>> = vec![None; self.marks.len()];
        for (number, (mark, role)) in self.marks.iter().zip(&roles).enumerate() {
            if !role.is_mention {
                continue;
            }
            let position = || Some(Position::new(&self.frame.source, mark.line, mark.column));
            let diagnostics = &mut self.frame.corpus.diagnostics;
            let mut parts = Vec::with_capacity(mark.ranges.len());
            let mut cut = false;
            for range in &mark.ranges {
                if let Some((span, whole)) = text.words_in(range) {
                    parts.push(span);
                    cut |= !whole;
                }
            }
            if parts.is_empty() {
                diagnostics.add(Code::EmptySpan, position(), None, || {
                    format!("`{}` has no words; it was left out", mark.id)
                });
                continue;
            }
            if cut {
                diagnostics.add(Code::InsideWord, position(), None, || {
                    let text = one_line(&text_of(text, &mark.ranges));
                    format!(
                        "`{}` (`{}`) starts or ends inside a word; it was extended to the whole word",
                        mark.id,
                        start_of(&text, SHORT)
                    )
                });
            }
            let root = groups.find(number);
            let entity = *entities[root].get_or_insert_with(|| {
                let name = group_names[root].take().unwrap_or_else(|| mark.id.as_str().into());
                document.add_entity(name)
            });
            let mut pairs = Vec::new();
            if let Some(kind) = role.entity_type {
                pairs.push((ENTITY_TYPE.to_owned(), kind.to_owned()));
            }
            if let Some(kind) = role.mention_type {
                pairs.push((MENTION_TYPE.to_owned(), kind.to_owned()));
            }
            pairs.append(&mut attributes[number]);
            if let Some(made) = mention(joined(parts), entity, (mark.line, mark.column), pairs) {
                mentions[number] = Some(document.mentions.len() as u32);
                document.mentions.push(made);
            }
        }
        let linked = |[one, other]: [usize; 2]| Some([mentions[one]?, mentions[other]?]);
        document.links = links.map(|links| links.into_iter().filter_map(linked).collect());
        let words = text.to_words(self.frame.options.keep_layers);
        self.frame.add_document(document, words)
    }

    /// Returns the closure of the links between marks, and the links. The latter are unknown if an equivalence joins
    /// several marks.
    fn join_links(&mut self) -> (Closure, Option<Vec<[usize; 2]>>) {
        let mut groups = Closure::new(self.marks.len());
        let mut links = Some(Vec::new());
        for link in std::mem::take(&mut self.links) {
            let mut first = None;
            for (id, column) in &link.ids {
                match self.resolve(id) {
                    Some(mark) => {
                        if let Some(first) = first.filter(|first| *first != mark) {
                            links = links.filter(|_| link.is_relation);
                            links.iter_mut().for_each(|links| links.push([first, mark]));
                        }
                        groups.join(*first.get_or_insert(mark), mark);
                    }
                    None if self.is_lost(id) => {}
                    None => self.note(Code::UnknownId, link.line, *column, || {
                        format!("`{id}` is linked here, but is not in the file")
                    }),
                }
            }
        }
        (groups, links)
    }

    /// Returns the attributes of each mark.
    fn attributes_of_marks(&mut self) -> Vec<Vec<(String, String)>> {
        let mut attributes: Vec<Vec<(String, String)>> = vec![Vec::new(); self.marks.len()];
        for (id, name, value, line) in std::mem::take(&mut self.attributes) {
            match self.resolve(&id) {
                Some(mark) => {
                    let plain: String = name.to_lowercase().split(['_', '-']).collect();
                    let name = if plain == "mentiontype" { MENTION_TYPE.to_owned() } else { name };
                    attributes[mark].push((name, value));
                }
                None if self.is_lost(&id) => {}
                None => self.note(Code::PassedOver, line, 1, || {
                    format!("an attribute of `{id}`, which is not a mention, was skipped")
                }),
            }
        }
        attributes
    }
}

/// The role of a `T`.
struct Role<'m> {
    is_mention: bool,
    /// The entity that it names or belongs to.
    entity: Option<&'m str>,
    entity_type: Option<&'m str>,
    mention_type: Option<&'m str>,
}

/// Distinguishes mentions from LitBank's second `T`, which names the entity of the mention at that place.
fn roles(marks: &[TextBound]) -> Vec<Role<'_>> {
    let named = marks.iter().filter(|mark| names_entity(&mark.kind)).count();
    let typed = marks.iter().any(|mark| litbank_types(&mark.kind).is_some());
    let litbank = named > 0 && (typed || named == marks.len());
    let mut roles: Vec<Role<'_>> = Vec::with_capacity(marks.len());
    // Among several mentions at one place, the first takes the first name.
    let mut waiting: FxHashMap<&[Range<u32>], VecDeque<usize>> = FxHashMap::default();
    for (number, mark) in marks.iter().enumerate() {
        let (mention_type, entity_type) = match litbank_types(&mark.kind) {
            Some((mention, entity)) => (Some(mention), Some(entity)),
            None if litbank && names_entity(&mark.kind) => (None, None),
            None => (None, Some(mark.kind.as_str())),
        };
        if litbank && mention_type.is_some() {
            waiting.entry(&mark.ranges).or_default().push_back(number);
        }
        roles.push(Role { is_mention: true, entity: None, entity_type, mention_type });
    }
    if litbank {
        for (number, mark) in marks.iter().enumerate().filter(|(_, mark)| names_entity(&mark.kind)) {
            roles[number].entity = Some(&mark.kind);
            if let Some(mention) = waiting.get_mut(&mark.ranges[..]).and_then(VecDeque::pop_front) {
                roles[mention].entity = Some(&mark.kind);
                roles[number].is_mention = false;
            }
        }
    }
    roles
}

/// Splits `PROP_PER` into the types of mention and entity.
fn litbank_types(kind: &str) -> Option<(&str, &str)> {
    let (mention, entity) = kind.split_once('_')?;
    (matches!(mention, "PROP" | "NOM" | "PRON") && !entity.is_empty()).then_some((mention, entity))
}

/// Returns whether a type is the name of an entity, such as `Pip-1`.
fn names_entity(kind: &str) -> bool {
    let number = kind.rsplit_once('-').filter(|(name, _)| !name.is_empty());
    number.is_some_and(|(_, number)| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns the start of the text at these ranges, for messages.
fn text_of(text: &PlainText, ranges: &[Range<u32>]) -> String {
    let mut found = String::new();
    for range in ranges {
        let end = range.end.min(range.start.saturating_add(4 * SHORT as u32));
        if !found.is_empty() {
            found.push(' ');
        }
        found.push_str(text.slice(&(range.start..end)));
        if found.len() > 4 * SHORT {
            break;
        }
    }
    found
}

/// The maximum number of characters of a text that a message shows.
const SHORT: usize = 60;
