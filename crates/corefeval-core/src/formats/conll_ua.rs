//! Reads CoNLL-UA: the "exploded" format of Universal Anaphora, with a column for each kind of anaphora.
//!
//! `# global.columns` names the columns. The column IDENTITY holds the mentions in brackets:
//! `(EntityID=1|MarkableID=m3|Min=4,5|SemType=dn` … `)`. One mention may have several brackets with the same
//! MarkableID. The reader gathers the data of a mention until the document ends, because any later line may add to
//! them.

use crate::wording::text;
use crate::wording::{Text, plural, switch};
use std::sync::Arc;

use compact_str::CompactString;
use memchr::{memchr, memmem};
use rustc_hash::FxHashMap;

use super::file_reader::{ErrorList, both};
use super::frame::{Frame, has_value};
use super::lines::{self, FindBytes, LineTask, Lines, count_byte};
use super::names::Names;
use super::write::conll_ua::{PSEUDO, USUAL_COLUMNS, announces_crossing};
use super::{Aspect, Ending, FormatSpec, ReadOptions, Reader, utf8};
use crate::diagnostic::{Code, Position};
use crate::error::{Error, Result};
use crate::model::{
    Annotation, Bridge, Corpus, DocumentBuilder, DocumentId, EntityId, MENTION_TYPE, Mention, MentionDetails,
    Relations, Span, SplitAntecedent, WordsBuilder,
};

/// `conll-ua`.
pub(super) const SPEC: FormatSpec = FormatSpec {
    id: "conll-ua",
    summary: "Universal Anaphora: CoNLL-U with columns IDENTITY, BRIDGING and DISCOURSE_DEIXIS",
    extensions: &["conllua", "CONLLUA", "conll"],
    expresses: &[
        Aspect::MinSpans,
        Aspect::Attributes,
        Aspect::EmptyNodes,
        Aspect::SplitAntecedents,
        Aspect::Bridges,
        Aspect::NonReferring,
        Aspect::PartsOfSpeech,
        Aspect::Speakers,
    ],
    settings: &[
        "zeros", "zero-match", "split-parts", "order", "match-details", "boundary-crossing", "annotation",
    ],
    detect,
    names: Names::Columns(&[
        "newdoc", "newpar", "sent_id", "text", "speaker", "speaker_id", "turn_id", "global.columns", "ID",
        "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC", "IDENTITY", "BRIDGING",
        "DISCOURSE_DEIXIS", "REFERENCE", "NOM_SEM", "SPLIT", "EntityID", "MarkableID", "Min", "SemType",
        "ElementOf", "Rel", "MentionAnchor", "EntityAnchor",
    ]),
    ending: Ending::BlankLine,
    reader: |source, options| Box::new(UaReader::new(source, options)),
    write: Some(super::write::conll_ua::WRITER),
    copy: Some(super::write::copy::CONLL_UA),
    ..FormatSpec::PLAIN
};

const NONE: u32 = u32::MAX;

/// Returns whether a comment names the columns, including IDENTITY, or a column has mentions in the notation of this
/// format.
fn detect(bytes: &[u8]) -> bool {
    let named = bytes.split(|&byte| byte == b'\n').find_map(columns_line);
    let mut names = named.unwrap_or_default().split(|byte| byte.is_ascii_whitespace());
    names.any(|name| column_name(name).eq_ignore_ascii_case(b"IDENTITY"))
        || [&b"\t(EntityID="[..], b"\t(MarkableID="].iter().any(|cell| memmem::find(bytes, cell).is_some())
}

/// Returns the names in a line `# global.columns = …`.
fn columns_line(line: &[u8]) -> Option<&[u8]> {
    comment_value(line, b"global.columns").flatten()
}

/// Removes the namespace of a name: `MWE` of `PARSEME:MWE`.
fn column_name(name: &[u8]) -> &[u8] {
    name.rsplit(|&byte| byte == b':').next().unwrap_or(name)
}

/// Returns the value of a comment `# NAME = VALUE`: `None` for other comments, `Some(None)` without a value.
fn comment_value<'l>(line: &'l [u8], name: &[u8]) -> Option<Option<&'l [u8]>> {
    let rest = line.strip_prefix(b"#")?.trim_ascii().strip_prefix(name)?;
    match rest.trim_ascii_start().strip_prefix(b"=") {
        Some(value) => Some(Some(value.trim_ascii())),
        None => rest.is_empty().then_some(None),
    }
}

/// The places of the columns that the reader uses.
struct ColumnPlaces {
    id: usize,
    form: usize,
    part_of_speech: [Option<usize>; 2],
    annotation: usize,
    split: Option<usize>,
    bridging: Option<usize>,
    /// The number of columns.
    count: usize,
}

impl ColumnPlaces {
    /// Finds the columns by name. Fails with the name of a required column that is missing.
    fn new(names: &[u8], annotation: Annotation) -> std::result::Result<ColumnPlaces, &'static str> {
        let names: Vec<&[u8]> =
            names.split(u8::is_ascii_whitespace).filter(|name| !name.is_empty()).map(column_name).collect();
        let place = |wanted: &str| names.iter().position(|name| name.eq_ignore_ascii_case(wanted.as_bytes()));
        let needed = |wanted: &'static str| place(wanted).ok_or(wanted);
        let identity = annotation == Annotation::Identity;
        Ok(ColumnPlaces {
            id: needed("ID")?,
            form: needed("FORM")?,
            part_of_speech: [place("UPOS"), place("XPOS")],
            annotation: needed(if identity { "IDENTITY" } else { "DISCOURSE_DEIXIS" })?,
            // Both refer to the mentions in IDENTITY.
            split: place("SPLIT").filter(|_| identity),
            bridging: place("BRIDGING").filter(|_| identity),
            count: names.len(),
        })
    }
}

/// A mention, possibly incomplete.
struct Markable {
    /// The entity; `NONE` if no bracket names it.
    entity: u32,
    line: u32,
    column: u32,
    /// The words of its brackets that have closed: first and one past the last.
    parts: Vec<(u32, u32)>,
    /// Its newest open bracket, or `NONE`.
    innermost: u32,
    /// The words at which its brackets open and close, if mentions may cross. The first closing belongs to the first
    /// opening, and so on, as in the Universal Anaphora scorer.
    openings: Vec<u32>,
    closings: Vec<u32>,
    /// First and last word of the minimum span, from 1, without empty nodes.
    minimum: Option<(u32, u32)>,
    attributes: Vec<(String, String)>,
}

/// An opening bracket.
#[derive(Clone, Copy)]
struct OpenMarkable {
    /// The first word; `NONE` once it is closed.
    word: u32,
    markable: u32,
    line: u32,
    column: u32,
    /// The previous bracket of the same mention that is still open.
    outer: u32,
}

/// A place in the file.
#[derive(Clone, Copy)]
struct FilePlace {
    line: u32,
    column: u32,
}

/// A statement that an entity is an element of another entity.
struct ElementOf {
    sum: CompactString,
    part: ElementKey,
    place: FilePlace,
}

/// An entity, identified by one of its mentions or by its id.
enum ElementKey {
    Markable(u32),
    Entity(CompactString),
}

/// One item of the bridging column; missing fields are empty.
#[derive(PartialEq, Eq, Hash, Clone)]
struct Bridging {
    markable: CompactString,
    relation: CompactString,
    mention_anchor: CompactString,
    entity_anchor: CompactString,
}

/// The current document.
struct Current {
    document: DocumentBuilder,
    words: WordsBuilder,
    /// The mentions in the order of their first brackets, which is the Universal Anaphora scorer's order of entities.
    markables: Vec<Markable>,
    by_markable: FxHashMap<CompactString, u32>,
    by_entity: FxHashMap<CompactString, u32>,
    /// Brackets in the order of opening, without closed brackets at the end.
    opens: Vec<OpenMarkable>,
    elements: Vec<ElementOf>,
    bridgings: Vec<(Bridging, FilePlace)>,
    speaker: String,
    /// The number of the previous word, 0 before the first; `None` after a line with an error.
    number: Option<u32>,
    /// True at the start of a sentence, where words may be numbered from 1 again.
    begins: bool,
    /// The last line with an error whose brackets could not be read; 0 for none. Mentions that seem not to open or
    /// close may do so there.
    lost: u32,
}

struct UaReader {
    frame: Frame,
    layout: Option<ColumnPlaces>,
    /// True if a line that names the columns lacks a required column.
    without_layout: bool,
    current: Option<Current>,
    /// True if closing brackets name their mentions, by option or by the header of the file.
    named_closings: bool,
    /// The start and end of the columns of the line.
    columns: Vec<(usize, usize)>,
    /// The columns after the form on the newest line on which no mention starts or ends.
    plain: Vec<u8>,
}

impl UaReader {
    fn new(source: Arc<str>, options: ReadOptions) -> UaReader {
        UaReader {
            named_closings: options.boundary_crossing,
            frame: Frame::new(source, options),
            layout: None,
            without_layout: false,
            current: None,
            columns: Vec::new(),
            plain: Vec::new(),
        }
    }

    fn error(&self, column: u32, message: impl Into<Text>) -> Error {
        self.frame.error(column, message)
    }

    fn place(&self, column: u32) -> FilePlace {
        FilePlace { line: self.frame.line, column }
    }

    fn note(&mut self, code: Code, column: u32, message: impl FnOnce() -> String) {
        let document = self.current.as_ref().map(|current| current.document.id.to_string());
        self.frame.note(code, column, document, message);
    }

    #[inline]
    fn any_line(&mut self, line: &[u8]) -> Result<()> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if let Some(current) = &mut self.current
            && let Some(form) = plain_form(line, &self.plain)
        {
            current.words.push(form);
            return Ok(());
        }
        match line.first() {
            Some(b'#') => self.comment(line),
            _ if line.trim_ascii().is_empty() => {
                if let Some(current) = &mut self.current {
                    current.words.end_sentence();
                    current.begins = true;
                }
                Ok(())
            }
            _ => self.word_line(line),
        }
    }

    fn comment(&mut self, line: &[u8]) -> Result<()> {
        let crossing = self.current.is_none() && announces_crossing(line);
        self.frame.count_comment(line, |name, _| {
            let read = [&b"global.columns"[..], b"newdoc", b"speaker", b"speaker_id", b"text"];
            crossing || read.contains(&name)
        });
        if let Some(names) = columns_line(line) {
            let layout = ColumnPlaces::new(names, self.frame.options.annotation).map_err(|missing| {
                self.without_layout = true;
                self.error(1, format!("the line `# global.columns` does not name the column {missing}"))
                    .coded(Code::MissingColumn)
                    .hint(format!("it usually reads `# global.columns = {USUAL_COLUMNS}`"))
            })?;
            self.layout = Some(layout);
            self.plain.clear();
        } else if let Some(id) = newdoc(line) {
            let text = utf8(id, &self.frame.source, self.frame.line, 1);
            let ended = both(text.map(|_| ()), self.end_document());
            let id = String::from_utf8_lossy(id);
            let id = if id.is_empty() {
                let id = self.frame.unnamed_id().0;
                self.note(Code::RepeatedEmptyId, 1, || "a document starts here without an id".to_owned());
                id
            } else {
                DocumentId::new(id.into_owned())
            };
            self.begin(id);
            return ended;
        } else if crossing {
            self.named_closings = true;
        } else if self.frame.options.keep_layers
            && let Some(current) = &mut self.current
            && let Some(name) = comment_value(line, b"speaker").or_else(|| comment_value(line, b"speaker_id"))
        {
            let name = utf8(name.unwrap_or_default(), &self.frame.source, self.frame.line, 1)?;
            current.speaker = name.to_owned();
        }
        Ok(())
    }

    fn begin(&mut self, id: DocumentId) {
        self.current = Some(Current {
            document: DocumentBuilder::new(id, Arc::clone(&self.frame.source), self.frame.line),
            words: WordsBuilder::new(self.frame.options.keep_layers),
            markables: Vec::new(),
            by_markable: FxHashMap::default(),
            by_entity: FxHashMap::default(),
            opens: Vec::new(),
            elements: Vec::new(),
            bridgings: Vec::new(),
            speaker: String::new(),
            number: Some(0),
            begins: true,
            lost: 0,
        });
    }

    /// Handles a line with a word, an empty node or a multiword token.
    fn word_line(&mut self, line: &[u8]) -> Result<()> {
        let layout = match self.layout.take() {
            Some(layout) => layout,
            None => self.usual_layout()?,
        };
        let mut columns = std::mem::take(&mut self.columns);
        let done = self.word(line, &layout, &mut columns);
        self.columns = columns;
        self.layout = Some(layout);
        done
    }

    fn usual_layout(&mut self) -> Result<ColumnPlaces> {
        self.note(Code::NoColumnsLine, 1, || {
            "words without a line `# global.columns` before them".to_owned()
        });
        let layout = ColumnPlaces::new(USUAL_COLUMNS.as_bytes(), self.frame.options.annotation);
        layout.map_err(|missing| {
            self.error(1, format!("the column {missing} is missing")).coded(Code::MissingColumn)
        })
    }

    fn word(&mut self, line: &[u8], layout: &ColumnPlaces, columns: &mut Vec<(usize, usize)>) -> Result<()> {
        split_columns(line, layout, columns);
        let last_needed = layout.annotation.max(layout.form).max(layout.id);
        if columns.len() <= last_needed {
            self.lose_word(line, columns.get(layout.form).copied());
            return Err(self.too_few_columns(columns.len(), layout));
        }
        if self.current.is_none() {
            let id = self.frame.unnamed_id().0;
            self.begin(id);
            self.note(Code::NoBeginLine, 1, || "words outside any document".to_owned());
        }
        let found = columns.len();
        if found != layout.count {
            let extra = columns.get(layout.count).map_or(line.len(), |cell| cell.0) as u32 + 1;
            self.note(Code::ColumnCount, extra, || {
                let has = plural(found, "column", "columns");
                format!("this line has {has}, but `# global.columns` names {}", layout.count)
            });
        }
        let cell = |place: usize| {
            let (start, end) = columns[place];
            (&line[start..end], start as u32 + 1)
        };
        let (id, _) = cell(layout.id);
        let (form, _) = cell(layout.form);
        let (annotation, column) = cell(layout.annotation);
        if is_range(id) {
            if is_empty(annotation) {
                if self.frame.counts_unread() {
                    self.count_unread(line, layout, columns);
                }
                return Ok(());
            }
            self.lose_brackets();
            let message = "a mention is on the line of a multiword token, which is not a word";
            let error = self.error(column, message).coded(Code::BadMention);
            return Err(error.hint("write it at the words that follow"));
        }
        let empty_node = memchr(b'.', id).is_some();
        if self.frame.options.all_errors && !empty_node {
            self.check_number(id, columns[layout.id].0 as u32 + 1);
        }
        let Some(current) = &mut self.current else { return Ok(()) };
        let word = if empty_node { current.words.push_empty_node() } else { current.words.push(form) };
        let mut errors = ErrorList::default();
        if self.frame.options.keep_layers {
            let kept = self.keep_layers(line, layout, columns);
            errors.check(kept)?;
            if self.frame.counts_unread() {
                self.count_unread(line, layout, columns);
            }
        }
        let mut plain = is_empty(annotation) && !empty_node && found == layout.count;
        if !is_empty(annotation) {
            let read = self.annotation(annotation, column, word, empty_node);
            errors.check(read)?;
        }
        for (place, bridging) in [(layout.bridging, true), (layout.split, false)] {
            let Some(place) = place.filter(|&place| place < found) else { continue };
            let (items, column) = cell(place);
            if !is_empty(items) {
                plain = false;
                let read = self.items(items, column, bridging);
                errors.check(read)?;
            }
        }
        // The fast path is not used if layers are kept.
        if plain && (layout.id, layout.form) == (0, 1) && !self.frame.options.keep_layers {
            let rest = &line[columns[1].1..];
            let tabs = count_byte(line, b'\t') as usize;
            self.plain.clear();
            if tabs == 0 || tabs >= layout.annotation && rest.starts_with(b"\t") {
                self.plain.extend_from_slice(rest);
            }
        }
        errors.finish()
    }

    #[cold]
    fn too_few_columns(&self, found: usize, layout: &ColumnPlaces) -> Error {
        let message = format!(
            "this line has {}, but the annotation is in column {}",
            plural(found, "column", "columns"),
            layout.annotation + 1
        );
        let error = self.error(1, message).coded(Code::MissingColumn);
        error.hint("is this another format, or was the line cut?")
    }

    /// Reports the number of a word that does not follow the previous one.
    fn check_number(&mut self, id: &[u8], column: u32) {
        let number = std::str::from_utf8(id).ok().and_then(|id| id.parse::<u32>().ok());
        let Some(current) = &mut self.current else { return };
        let before = std::mem::replace(&mut current.number, number);
        let begins = std::mem::take(&mut current.begins);
        // After an error, any number is accepted.
        let Some(before) = before else { return };
        if begins && number == Some(1) || before.checked_add(1).is_some_and(|next| number == Some(next)) {
            return;
        }
        let id = String::from_utf8_lossy(id).into_owned();
        self.note(Code::WordOrder, column, || format!("word `{id}` follows word {before}"));
    }

    /// Adds a word whose line is truncated before its annotation.
    #[cold]
    fn lose_word(&mut self, line: &[u8], form: Option<(usize, usize)>) {
        if let Some(current) = &mut self.current {
            current.words.push(form.map_or(&[][..], |(start, end)| &line[start..end]));
            if let Some(layers) = current.words.layers_mut() {
                layers.form.push("");
                layers.form_columns.push(0);
                layers.part_of_speech.push("");
                layers.speaker.push(&current.speaker);
                layers.line.push(self.frame.line);
            }
        }
        self.lose_brackets();
    }

    fn has_lost(&self) -> bool {
        self.current.as_ref().is_some_and(|current| current.lost > 0)
    }

    #[cold]
    fn lose_brackets(&mut self) {
        if let Some(current) = &mut self.current {
            (current.lost, current.number) = (self.frame.line, None);
        }
    }

    fn keep_layers(&mut self, line: &[u8], layout: &ColumnPlaces, columns: &[(usize, usize)]) -> Result<()> {
        let Some(current) = &mut self.current else { return Ok(()) };
        let Some(layers) = current.words.layers_mut() else { return Ok(()) };
        let mut errors = ErrorList::default();
        let mut value = |place: usize| {
            let (start, end) = columns[place];
            let text = utf8(&line[start..end], &self.frame.source, self.frame.line, start as u32 + 1);
            errors.check(text).map(Option::unwrap_or_default)
        };
        let mut part_of_speech = "";
        for place in layout.part_of_speech.into_iter().flatten().filter(|&place| place < columns.len()) {
            let tag = value(place)?;
            if part_of_speech.is_empty() && tag != "_" {
                part_of_speech = tag;
            }
        }
        layers.form.push(value(layout.form)?);
        layers.form_columns.push(u8::try_from(columns[layout.form].0 + 1).unwrap_or(0));
        layers.part_of_speech.push(part_of_speech);
        layers.speaker.push(&current.speaker);
        layers.line.push(self.frame.line);
        errors.finish()
    }

    /// Counts the cells of a line that are neither kept nor read.
    #[cold]
    fn count_unread(&mut self, line: &[u8], layout: &ColumnPlaces, columns: &[(usize, usize)]) {
        let cell = |place: usize| columns.get(place).map_or(&[][..], |&(start, end)| &line[start..end]);
        let mut tags = layout.part_of_speech.into_iter().flatten();
        let tag = tags.find(|&place| has_value(cell(place)));
        let places = [Some(layout.id), Some(layout.annotation), tag, layout.split, layout.bridging];
        // The spelling of a multiword token is not kept.
        let is_token = is_range(cell(layout.id));
        let is_read = |place: usize| places.contains(&Some(place)) || place == layout.form && !is_token;
        self.frame.count_unread((0..columns.len()).filter(|&place| !is_read(place)).map(cell));
    }

    /// Reads the brackets of one cell, such as `)(EntityID=1|MarkableID=m1)`.
    fn annotation(&mut self, cell: &[u8], column: u32, word: u32, empty_node: bool) -> Result<()> {
        let text = utf8(cell, &self.frame.source, self.frame.line, column);
        if text.is_err() {
            self.lose_brackets();
        }
        let cell = text?;
        let mut errors = ErrorList::default();
        let opened_before = |open: &OpenMarkable| open.word != word;
        let mut place = 0;
        while place < cell.len() {
            let from = column + place as u32;
            let rest = &cell[place..];
            if let Some(inside) = rest.strip_prefix('(') {
                let end = inside.find(['(', ')']).unwrap_or(inside.len());
                let closes = inside[end..].starts_with(')');
                place += 1 + end + usize::from(closes);
                self.open(&inside[..end], from, word, closes)?;
                continue;
            }
            let end = rest.find(['(', ')']).unwrap_or(rest.len());
            let closes = rest[end..].starts_with(')');
            let id = &rest[..end];
            place += end + usize::from(closes);
            if !closes {
                let id = id.to_owned();
                self.note(Code::BareId, from, || format!("`{id}` has no bracket and was ignored"));
                continue;
            }
            let closed = match id {
                "" => self.close_innermost(from, word),
                id => {
                    let closed = self.close(id, from, word);
                    errors.check(closed)?.flatten()
                }
            };
            if empty_node && closed.as_ref().is_some_and(opened_before) {
                errors.keep(self.zero_error(from))?;
            }
        }
        let open = self.current.as_ref().and_then(|current| current.opens.last()).copied();
        match open.filter(|open| empty_node && !opened_before(open)) {
            Some(open) => both(errors.finish(), Err(self.zero_error(open.column))),
            None => errors.finish(),
        }
    }

    fn zero_error(&self, column: u32) -> Error {
        self.error(column, "a mention of several words starts or ends at an empty node")
            .coded(Code::BadMention)
            .hint(
                "a zero is a separate mention, `(EntityID=…|MarkableID=…)`; other mentions start and end at words",
            )
    }

    /// Reads the inside of an opening bracket, and also closes it if `closes` is set.
    fn open(&mut self, inside: &str, column: u32, word: u32, closes: bool) -> Result<()> {
        let fields = MarkableFields::new(inside);
        let (line, keep_layers) = (self.frame.line, self.frame.options.keep_layers);
        let Some(current) = &mut self.current else { return Ok(()) };
        let known = current.by_markable.get(fields.markable).copied();
        let entity = if fields.entity.is_empty() { NONE } else { current.entity(fields.entity) };
        let markable = known.unwrap_or_else(|| {
            let number = current.markables.len() as u32;
            if !fields.markable.is_empty() {
                current.by_markable.insert(fields.markable.into(), number);
            }
            current.markables.push(Markable {
                entity: NONE,
                line,
                column,
                parts: Vec::new(),
                innermost: NONE,
                openings: Vec::new(),
                closings: Vec::new(),
                minimum: None,
                attributes: if keep_layers { fields.attributes() } else { Vec::new() },
            });
            number
        });
        let mention = &mut current.markables[markable as usize];
        let before = mention.entity;
        if entity != NONE {
            mention.entity = entity;
        }
        for sum in fields.element_of.split(',').filter(|sum| !sum.is_empty()) {
            let place = FilePlace { line, column };
            current.elements.push(ElementOf { sum: sum.into(), part: ElementKey::Markable(markable), place });
        }
        if self.named_closings {
            let mention = &mut current.markables[markable as usize];
            mention.openings.push(word);
            mention.closings.extend(closes.then_some(word));
        } else if closes {
            current.closed(markable, word, word);
        } else {
            let outer = current.markables[markable as usize].innermost;
            current.markables[markable as usize].innermost = current.opens.len() as u32;
            current.opens.push(OpenMarkable { word, markable, line, column, outer });
        }
        if entity == NONE {
            self.note(Code::EmptyId, column, || "a bracket without an EntityID was ignored".to_owned());
        } else if before != NONE && before != entity {
            self.note(Code::EntityChanged, column, || {
                format!(
                    "the mention `{}` belongs to entity `{}` here but to another one before",
                    fields.markable, fields.entity
                )
            });
        }
        // The minimum span belongs to the first bracket.
        if known.is_none() && !fields.minimum.is_empty() {
            self.minimum(fields.minimum, markable, column);
        }
        Ok(())
    }

    /// Reads `4` or `4,5`.
    fn minimum(&mut self, text: &str, markable: u32, column: u32) {
        let mut numbers = text.split(',').map(|number| number.trim().parse::<u32>().ok().filter(|&n| n > 0));
        let first = numbers.next().flatten();
        let last = numbers.next().unwrap_or(first);
        if numbers.next().is_some() {
            self.note(Code::SpanExtra, column, || {
                format!("`Min={text}` has more than two values; the others were skipped")
            });
        }
        match (first, last, &mut self.current) {
            (Some(first), Some(last), Some(current)) => {
                current.markables[markable as usize].minimum = Some((first, last));
            }
            _ => self.note(Code::MinSpan, column, || {
                format!("`Min={text}` is neither a word nor a pair of words")
            }),
        }
    }

    /// Closes the innermost bracket.
    fn close_innermost(&mut self, column: u32, word: u32) -> Option<OpenMarkable> {
        if self.named_closings {
            self.note(Code::UnnamedClosing, column, || {
                "this bracket does not name the mention that it closes and was ignored".to_owned()
            });
            return None;
        }
        let open = self.current.as_mut().and_then(|current| current.opens.last().copied());
        let Some((open, current)) = open.zip(self.current.as_mut()) else {
            if self.has_lost() {
                return None;
            }
            self.note(Code::UnopenedMention, column, || {
                "a mention closes here but never opened; the bracket was dropped".to_owned()
            });
            return None;
        };
        current.close_newest(open.markable, word);
        Some(open)
    }

    /// Closes the newest bracket of the mention called `id`.
    fn close(&mut self, id: &str, column: u32, word: u32) -> Result<Option<OpenMarkable>> {
        if !self.named_closings {
            // Closes that mention in either case, so that later brackets close the right ones.
            let current = self.current.as_mut();
            current.and_then(|current| current.close_newest(*current.by_markable.get(id)?, word));
            self.lose_brackets();
            let message =
                format!("`{id})` names the mention that it closes, as in files with crossing mentions");
            return Err(self
                .error(column, message)
                .coded(Code::BadMention)
                .hint(text!("use {}", switch("boundary-crossing"))));
        }
        let Some(current) = &mut self.current else { return Ok(None) };
        let markable = current.by_markable.get(id).copied();
        let closed = markable.and_then(|markable| current.close_named(markable, word));
        if closed.is_none() && !self.has_lost() {
            self.note(Code::UnopenedMention, column, || {
                format!("the mention `{id}` closes here but never opened; the bracket was dropped")
            });
        }
        Ok(closed)
    }

    /// Reads the items of the bridging column or of the column of split antecedents.
    fn items(&mut self, cell: &[u8], column: u32, bridging: bool) -> Result<()> {
        let cell = utf8(cell, &self.frame.source, self.frame.line, column)?;
        let place = self.place(column);
        let Some(current) = &mut self.current else { return Ok(()) };
        for item in cell.split(['(', ')']).filter(|item| item.contains('=')) {
            let fields = MarkableFields::new(item);
            if bridging {
                let value = |name: &str| CompactString::from(fields.other(name));
                let item = Bridging {
                    markable: fields.markable.into(),
                    relation: value("Rel"),
                    mention_anchor: value("MentionAnchor"),
                    entity_anchor: value("EntityAnchor"),
                };
                current.bridgings.push((item, place));
            } else {
                for sum in fields.element_of.split(',').filter(|sum| !sum.is_empty()) {
                    let part = ElementKey::Entity(fields.entity.into());
                    current.elements.push(ElementOf { sum: sum.into(), part, place });
                }
            }
        }
        Ok(())
    }

    fn end_document(&mut self) -> Result<()> {
        let Some(mut current) = self.current.take() else { return Ok(()) };
        let mut words = std::mem::take(&mut current.words).finish();
        self.frame.give_unread(&mut words);
        let mut findings = Findings {
            source: &self.frame.source,
            document: current.document.id.to_string(),
            corpus: &mut self.frame.corpus,
        };
        current.report_unclosed(&mut findings);
        let empty_nodes = words.empty_nodes();
        let keep_wordless = self.frame.options.boundary_crossing;
        current.gather_mentions(empty_nodes, words.count(), keep_wordless, &mut findings);
        current.gather_split_antecedents(&mut findings);
        current.gather_bridges(empty_nodes, &mut findings);
        self.frame.corpus.documents.push(current.document.finish(words)?);
        Ok(())
    }
}

/// Reports findings at the end of a document.
struct Findings<'r> {
    source: &'r Arc<str>,
    document: String,
    corpus: &'r mut Corpus,
}

impl Findings<'_> {
    fn note(&mut self, code: Code, place: FilePlace, message: impl FnOnce() -> String) {
        let position = Position::new(self.source, place.line, place.column);
        self.corpus.diagnostics.add(code, Some(position), Some(self.document.clone()), message);
    }
}

impl Current {
    /// Returns the entity called `id`, and creates it at its first occurrence.
    fn entity(&mut self, id: &str) -> u32 {
        if let Some(&entity) = self.by_entity.get(id) {
            return entity;
        }
        let entity = self.document.entities.len() as u32;
        self.document.entities.push(id.into());
        self.by_entity.insert(id.into(), entity);
        entity
    }

    fn closed(&mut self, markable: u32, first: u32, last: u32) {
        self.markables[markable as usize].parts.push((first, last + 1));
    }

    /// Closes the newest open bracket of a mention.
    fn close_newest(&mut self, markable: u32, word: u32) -> Option<OpenMarkable> {
        let mention = &mut self.markables[markable as usize];
        let open = self.opens.get_mut(mention.innermost as usize)?;
        mention.innermost = open.outer;
        let closed = *open;
        open.word = NONE;
        while self.opens.last().is_some_and(|open| open.word == NONE) {
            self.opens.pop();
        }
        self.closed(markable, closed.word, word);
        Some(closed)
    }

    /// Closes the first open bracket of a mention, if mentions may cross.
    fn close_named(&mut self, markable: u32, word: u32) -> Option<OpenMarkable> {
        let mention = &mut self.markables[markable as usize];
        let opened = *mention.openings.get(mention.closings.len())?;
        mention.closings.push(word);
        Some(OpenMarkable { word: opened, markable, line: mention.line, column: mention.column, outer: NONE })
    }

    fn report_unclosed(&self, findings: &mut Findings<'_>) {
        for open in self.opens.iter().filter(|open| open.word != NONE && open.line > self.lost) {
            let mention = &self.markables[open.markable as usize];
            let Some(entity) = self.document.entities.get(mention.entity as usize) else { continue };
            let what = if mention.parts.is_empty() { "mention" } else { "part of a mention" };
            findings.note(Code::UnclosedMention, FilePlace { line: open.line, column: open.column }, || {
                format!("a {what} of entity `{entity}` opens here but never closes; it was dropped")
            });
        }
    }

    fn relations(&mut self) -> &mut Relations {
        self.document.relations.get_or_insert_default()
    }

    /// Builds the mentions from their brackets, in order of their starts. Mentions that never close are dropped or kept
    /// without words.
    fn gather_mentions(
        &mut self,
        empty_nodes: &[u32],
        words: u32,
        keep_wordless: bool,
        findings: &mut Findings<'_>,
    ) {
        let pseudo: Vec<bool> = self.document.entities.iter().map(|name| name.ends_with(PSEUDO)).collect();
        for mention in self.markables.iter_mut().filter(|mention| mention.entity != NONE) {
            let place = FilePlace { line: mention.line, column: mention.column };
            let entity = EntityId::new(mention.entity as usize);
            if mention.openings.len() > mention.closings.len() && mention.line > self.lost {
                findings.note(Code::UnclosedMention, place, || {
                    let name = self.document.entities[entity.index()].as_str();
                    let kept = match mention.closings.is_empty() {
                        true if !keep_wordless => "it was dropped",
                        true => "it counts as a mention without words, as in the Universal Anaphora scorer",
                        false => "that part was dropped",
                    };
                    format!("a bracket of a mention of entity `{name}` never closes; {kept}")
                });
            }
            let crossing = mention.openings.iter().zip(&mention.closings);
            let crossing =
                crossing.filter(|(start, end)| start <= end).map(|(&start, &end)| (start, end + 1));
            mention.parts.extend(crossing);
            let runs = runs(&mention.parts, empty_nodes);
            let (Some(first), Some(last)) = (runs.first(), runs.last()) else {
                if let Some(&start) = mention.openings.first().filter(|_| keep_wordless) {
                    let made = Mention::without_words(start, entity, place.line, place.column);
                    self.document.mentions.push(made);
                }
                continue;
            };
            let Some(span) = Span::new(first.start(), last.end()) else { continue };
            let minimum = mention.minimum.and_then(|(first, last)| {
                let start = place_of(first - 1, empty_nodes);
                let end = place_of(last - 1, empty_nodes).saturating_add(1).min(words.saturating_add(1));
                let minimum = Span::new(start, end).filter(|&minimum| span.contains(minimum));
                // Mentions that cross lines with errors may have further, unknown words.
                if minimum.is_none() && self.lost == 0 {
                    findings.note(Code::MinSpan, place, || {
                        let words = match first == last {
                            true => format!("word {first}"),
                            false => format!("words {first} to {last}"),
                        };
                        format!("the minimum span, {words}, does not lie within its mention")
                    });
                }
                minimum
            });
            let details = MentionDetails {
                parts: if runs.len() > 1 { runs } else { Vec::new() },
                min_span: minimum.map_or_else(Vec::new, |minimum| {
                    self::runs(&[(minimum.start(), minimum.end())], empty_nodes)
                }),
                attributes: std::mem::take(&mut mention.attributes),
                without_words: false,
            };
            let mut made = Mention::new(span, entity, place.line, place.column);
            if details != MentionDetails::default() {
                made = made.with_details(details).expect("runs are in order and apart");
            }
            if pseudo[entity.index()] {
                self.document.relations.get_or_insert_default().non_referring.push(made);
            } else {
                self.document.mentions.push(made);
            }
        }
    }

    /// Joins the statements that an entity is an element of another, and removes duplicates and cycles.
    fn gather_split_antecedents(&mut self, findings: &mut Findings<'_>) {
        let mut sums: Vec<SplitAntecedent> = Vec::new();
        let mut places: FxHashMap<u32, usize> = FxHashMap::default();
        let mut written = Vec::new();
        for ElementOf { sum, part, place } in std::mem::take(&mut self.elements) {
            let lost = self.lost > 0;
            let unknown = |findings: &mut Findings<'_>, id: &str| {
                if lost {
                    return;
                }
                findings.note(Code::UnknownId, place, || {
                    format!("`{id}` is neither an entity with elements nor an element")
                });
            };
            let part = match part {
                ElementKey::Markable(markable) => self.markables[markable as usize].entity,
                ElementKey::Entity(id) => match self.by_entity.get(&id) {
                    Some(&entity) => entity,
                    None => {
                        unknown(findings, &id);
                        continue;
                    }
                },
            };
            let Some(&entity) = self.by_entity.get(&sum) else {
                unknown(findings, &sum);
                continue;
            };
            if part == NONE {
                continue;
            }
            let at = *places.entry(entity).or_insert_with(|| {
                let entity = EntityId::new(entity as usize);
                sums.push(SplitAntecedent { entity, parts: Vec::new(), line: place.line });
                written.push(place);
                sums.len() - 1
            });
            sums[at].parts.push(EntityId::new(part as usize));
        }
        if sums.is_empty() {
            return;
        }
        for sum in &mut sums {
            sum.parts.sort_unstable();
            sum.parts.dedup();
        }
        for (sum, part) in cycles(&sums, &places) {
            let entity = sums[sum].entity;
            sums[sum].parts.retain(|&other| other != part);
            let (part, entity) =
                (&self.document.entities[part.index()], &self.document.entities[entity.index()]);
            findings.note(Code::CircularSplit, written[sum], || match part == entity {
                true => format!("entity `{part}` is an element of itself"),
                false => format!(
                    "entity `{part}` is an element of `{entity}`, which is itself an element of `{part}`"
                ),
            });
        }
        sums.retain(|sum| !sum.parts.is_empty());
        self.relations().split_antecedents = sums;
    }

    fn gather_bridges(&mut self, empty_nodes: &[u32], findings: &mut Findings<'_>) {
        let bridgings = std::mem::take(&mut self.bridgings);
        // Each bracket of a discontinuous mention repeats the item. Only the last copy is used. Among mentions of the
        // same words, the mention whose first copy is last is used.
        let (mut firsts, mut lasts) = (FxHashMap::default(), FxHashMap::default());
        for (place, (item, _)) in bridgings.iter().enumerate() {
            firsts.entry(item.markable.clone()).or_insert(place);
            lasts.insert(item.clone(), place);
        }
        let mut items: Vec<(usize, usize)> =
            lasts.values().map(|&last| (firsts[&bridgings[last].0.markable], last)).collect();
        items.sort_unstable();
        let mut bridges = Vec::new();
        for (_, item) in items {
            let (item, place) = &bridgings[item];
            let place = *place;
            let words = |id: &str| {
                let markable = self.by_markable.get(id).map(|&markable| &self.markables[markable as usize]);
                let known = markable.filter(|mention| mention.entity != NONE && !mention.parts.is_empty());
                known.map(|mention| runs(&mention.parts, empty_nodes))
            };
            let given = |text: &CompactString| !matches!(text.as_str(), "" | "_" | "-");
            let antecedent = given(&item.mention_anchor).then(|| words(&item.mention_anchor));
            let entity = given(&item.entity_anchor).then(|| self.by_entity.get(&item.entity_anchor));
            let mut unknown = |what: &str, id: &str| {
                if self.lost > 0 {
                    return;
                }
                findings.note(Code::UnknownId, place, || {
                    format!("the {what} `{id}` of this bridging relation does not exist")
                });
            };
            if entity == Some(None) {
                unknown("entity", &item.entity_anchor);
            }
            let antecedent = match antecedent {
                Some(None) => {
                    unknown("mention", &item.mention_anchor);
                    continue;
                }
                Some(words) => words,
                None => None,
            };
            let Some(anaphor) = words(&item.markable) else {
                unknown("mention", &item.markable);
                continue;
            };
            bridges.push(Bridge {
                anaphor,
                antecedent,
                entity: entity.flatten().map(|&entity| EntityId::new(entity as usize)),
                relation: item.relation.to_string(),
                line: place.line,
                column: place.column,
            });
        }
        if !bridges.is_empty() {
            self.relations().bridges = bridges;
        }
    }
}

/// The fields of a bracket: `EntityID=1|MarkableID=m3|Min=4,5`.
struct MarkableFields<'l> {
    text: &'l str,
    entity: &'l str,
    markable: &'l str,
    minimum: &'l str,
    element_of: &'l str,
}

impl<'l> MarkableFields<'l> {
    fn new(text: &'l str) -> MarkableFields<'l> {
        // There may be an `@` between two opening brackets.
        let text = text.strip_suffix('@').unwrap_or(text);
        let mut fields = MarkableFields { text, entity: "", markable: "", minimum: "", element_of: "" };
        for (name, value) in fields.pairs() {
            if let Some(field) = fields.field(name) {
                *field = value;
            }
        }
        fields
    }

    /// Returns the names and values in order.
    fn pairs(&self) -> impl Iterator<Item = (&'l str, &'l str)> + use<'l> {
        self.text.split('|').filter_map(|field| field.split_once('='))
    }

    /// Returns the place of the field called `name`, if it is stored separately.
    fn field(&mut self, name: &str) -> Option<&mut &'l str> {
        let is = |wanted: &str| name.eq_ignore_ascii_case(wanted);
        match () {
            () if is("EntityID") => Some(&mut self.entity),
            () if is("MarkableID") => Some(&mut self.markable),
            () if is("Min") => Some(&mut self.minimum),
            () if is("ElementOf") => Some(&mut self.element_of),
            () => None,
        }
    }

    /// Returns the value of another field, if any.
    fn other(&self, name: &str) -> &'l str {
        self.pairs().find(|pair| pair.0.eq_ignore_ascii_case(name)).map_or("", |pair| pair.1)
    }

    /// Returns the fields that are not stored separately. SemType records whether a mention is
    /// discourse-new, discourse-old, a predicate or an expletive. It is therefore the type of the
    /// mention, not of its entity.
    fn attributes(&self) -> Vec<(String, String)> {
        let mut known = MarkableFields::new("");
        let others = self.pairs().filter(|pair| known.field(pair.0).is_none());
        others
            .map(|(name, value)| {
                let name = if name.eq_ignore_ascii_case("SemType") { MENTION_TYPE } else { name };
                (name.to_owned(), value.to_owned())
            })
            .collect()
    }
}

/// Returns the words of brackets as runs in order. An empty node within a bracket is not a word of the mention, unless
/// it has a separate bracket.
fn runs(parts: &[(u32, u32)], empty_nodes: &[u32]) -> Vec<Span> {
    // Nearly all mentions take this path.
    if let (&[(start, end)], []) = (parts, empty_nodes) {
        return Vec::from_iter(Span::new(start, end));
    }
    let mut pieces: Vec<(u32, u32)> = Vec::with_capacity(parts.len());
    for &(start, end) in parts {
        let mut start = start;
        if end - start > 1 {
            let inside = empty_nodes.partition_point(|&node| node < start);
            for &node in empty_nodes[inside..].iter().take_while(|&&node| node < end) {
                pieces.push((start, node));
                start = node + 1;
            }
        }
        pieces.push((start, end));
    }
    pieces.retain(|piece| piece.0 < piece.1);
    pieces.sort_unstable();
    let mut runs: Vec<Span> = Vec::with_capacity(pieces.len());
    for (start, end) in pieces {
        let joined = match runs.last() {
            Some(last) if start <= last.end() => Span::new(last.start(), end.max(last.end())),
            _ => None,
        };
        match joined {
            Some(joined) => {
                runs.pop();
                runs.push(joined);
            }
            None => runs.extend(Span::new(start, end)),
        }
    }
    runs
}

/// Returns the place of a word of the text among all words, empty nodes included.
fn place_of(word: u32, empty_nodes: &[u32]) -> u32 {
    // The number of words of the text before the empty node at `place` in the list is its own place
    // minus the number of empty nodes before it.
    let (mut low, mut high) = (0, empty_nodes.len());
    while low < high {
        let middle = (low + high) / 2;
        if empty_nodes[middle] - middle as u32 <= word {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    word.saturating_add(low as u32)
}

/// Returns the parts that lead back to their own sum. The caller removes them, so that no sum is part of itself.
fn cycles(sums: &[SplitAntecedent], places: &FxHashMap<u32, usize>) -> Vec<(usize, EntityId)> {
    const NEW: u8 = 0;
    const UNDER_WAY: u8 = 1;
    const DONE: u8 = 2;
    let mut state = vec![NEW; sums.len()];
    let mut found = Vec::new();
    for first in 0..sums.len() {
        if state[first] != NEW {
            continue;
        }
        state[first] = UNDER_WAY;
        let mut path = vec![(first, 0)];
        while let Some((sum, next)) = path.last_mut() {
            let Some(&part) = sums[*sum].parts.get(*next) else {
                state[*sum] = DONE;
                path.pop();
                continue;
            };
            *next += 1;
            match places.get(&(part.index() as u32)) {
                Some(&inner) if state[inner] == UNDER_WAY => found.push((*sum, part)),
                Some(&inner) if state[inner] == NEW => {
                    state[inner] = UNDER_WAY;
                    path.push((inner, 0));
                }
                _ => {}
            }
        }
    }
    found
}

/// Returns the text after `# newdoc`, `id` and `=`, if the line starts a document.
fn newdoc(line: &[u8]) -> Option<&[u8]> {
    let rest = line.strip_prefix(b"#")?.trim_ascii().strip_prefix(b"newdoc")?;
    if !rest.first().is_none_or(|byte| byte.is_ascii_whitespace()) {
        return None;
    }
    let rest = rest.trim_ascii_start();
    let id = rest.strip_prefix(b"id").and_then(|rest| rest.trim_ascii_start().strip_prefix(b"="));
    Some(id.unwrap_or_default().trim_ascii())
}

/// Returns the form of a line whose id is a number and which ends with `plain`; `None` for other lines.
#[inline]
fn plain_form<'l>(line: &'l [u8], plain: &[u8]) -> Option<&'l [u8]> {
    let described = line.strip_suffix(plain)?;
    let separator = *plain.first()?;
    let id = described.iter().position(|byte| !byte.is_ascii_digit()).filter(|&end| end > 0)?;
    let rest = &described[id..];
    if separator == b'\t' {
        let form = rest.strip_prefix(b"\t")?;
        return (memchr(b'\t', form).is_none() && form.trim_ascii().len() == form.len()).then_some(form);
    }
    let start = rest.iter().position(|&byte| byte != b' ')?;
    let form = &rest[start..];
    (start > 0 && !form.iter().any(|&byte| is_blank(byte))).then_some(form)
}

/// Returns the start and end of the columns of a line: between tabs if there are enough of them, otherwise between runs
/// of spaces.
fn split_columns(line: &[u8], layout: &ColumnPlaces, columns: &mut Vec<(usize, usize)>) {
    columns.clear();
    let tabs = count_byte(line, b'\t') as usize;
    if tabs >= layout.annotation {
        let mut start = 0;
        for end in memchr::memchr_iter(b'\t', line).chain([line.len()]) {
            let cell = &line[start..end];
            let left = start + (cell.len() - cell.trim_ascii_start().len());
            columns.push((left, left + cell.trim_ascii().len()));
            start = end + 1;
        }
        while columns.len() > layout.count && columns.last().is_some_and(|&(start, end)| start == end) {
            columns.pop();
        }
        return;
    }
    let mut end = 0;
    while let Some(skipped) = line[end..].iter().position(|&byte| !is_blank(byte)) {
        let start = end + skipped;
        end =
            line[start..].iter().position(|&byte| is_blank(byte)).map_or(line.len(), |length| start + length);
        columns.push((start, end));
    }
}

fn is_blank(byte: u8) -> bool {
    byte == b'\t' || byte == b' '
}

/// Returns whether a cell is empty.
fn is_empty(cell: &[u8]) -> bool {
    matches!(cell, [] | b"_" | b"-")
}

/// Returns whether an id belongs to a multiword token, such as `3-4`.
fn is_range(id: &[u8]) -> bool {
    let number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    memchr(b'-', id).is_some_and(|hyphen| number(&id[..hyphen]) && number(&id[hyphen + 1..]))
}

/// Reads a block of lines.
struct FeedLines<'r>(&'r mut UaReader);

impl LineTask for FeedLines<'_> {
    type Output = Result<()>;

    #[inline(always)]
    fn run<F: FindBytes>(self, lines: Lines<'_, F>) -> Result<()> {
        let reader = self.0;
        for line in lines {
            reader.frame.line += 1;
            reader.any_line(line)?;
        }
        Ok(())
    }
}

impl Reader for UaReader {
    fn feed(&mut self, lines: &[u8]) -> Result<()> {
        let before = self.frame.line;
        lines::run(lines, FeedLines(self)).map_err(|error| {
            let expected = self.layout.as_ref().map_or(0, |layout| layout.count);
            let cut = self.frame.cut_line(lines, before).filter(|line| line[0] != b'#');
            match cut.map(|_| self.columns.len()) {
                Some(found) if found < expected => self.frame.truncated(found as u32, expected as u32),
                _ => error,
            }
        })
    }

    fn finish(mut self: Box<Self>) -> Result<Corpus> {
        self.end_document()?;
        let hint = "a conll-ua file starts with `# global.columns = …`, a document with `# newdoc id = NAME`";
        self.frame.finish("this file has no document", hint)
    }

    fn frame(&mut self) -> Option<&mut Frame> {
        Some(&mut self.frame)
    }

    fn resumes(&self) -> bool {
        !self.without_layout
    }
}
