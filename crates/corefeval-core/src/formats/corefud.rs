//! Reads CorefUD: CoNLL-U with entities in the `Entity` attribute of the last column.
//!
//! Supports CorefUD 1.0 to 1.3 and GUM: discontinuous mentions (`e1[1/2]`), empty nodes (`8.1`) with their
//! dependencies, heads, `Bridge` and `SplitAnte`. The line `# global.Entity` defines the fields of an
//! opening bracket. The head is the number of a word within the mention, from 1, and defaults to the
//! first word. If a field is called `minspan`, as in GUM, its first number is the head.
//!
//! Entity names are local to a document, even if a corpus uses them across documents.

use crate::wording::text;
use crate::wording::{Text, option_value, plural};
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;

use memchr::{memchr, memmem};
use rustc_hash::{FxHashMap, FxHashSet};

use super::entity_index::EntityIndex;
use super::file_reader::{ErrorList, both};
use super::frame::Frame;
use super::lines::{self, FindBytes, LineTask, Lines, TabbedLine, count_byte, last_byte, sixteen_from};
use super::names::Names;
use super::numbering::LastNumber;
use super::{Aspect, Ending, FormatSpec, ReadOptions, Reader, ZERO_SETTINGS, utf8};
use crate::diagnostic::{Code, Position};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{
    Bridge, Corpus, Dependency, DocumentBuilder, DocumentId, ENTITY_TYPE, EntityId, Mention, MentionDetails,
    Relations, Span, SplitAntecedent, WordsBuilder,
};

/// The maximum number of words in a multiword token (`1-2`); in treebanks, tokens have at most five.
const MOST_IN_TOKEN: u32 = 1000;

/// `corefud`.
pub(super) const SPEC: FormatSpec = FormatSpec {
    id: "corefud",
    summary: "CorefUD and GUM: CoNLL-U with `Entity=` in the last column",
    extensions: &["conllu"],
    expresses: &[
        Aspect::Heads,
        Aspect::Attributes,
        Aspect::EmptyNodes,
        Aspect::Dependencies,
        Aspect::SplitAntecedents,
        Aspect::Bridges,
        Aspect::PartsOfSpeech,
        Aspect::Speakers,
    ],
    settings: ZERO_SETTINGS,
    detect,
    names: Names::Columns(&[
        "newdoc", "newpar", "sent_id", "text", "speaker", "global.Entity", "Entity", "Bridge", "SplitAnte",
        "eid", "etype", "head", "other", "minspan", "infstat", "identity",
    ]),
    ending: Ending::BlankLine,
    reader: |source, options| Box::new(CorefudReader::new(source, options)),
    write: Some(super::write::corefud::WRITER),
    copy: Some(super::write::copy::COREFUD),
    ..FormatSpec::PLAIN
};

/// Returns whether a file defines the fields of `Entity`, or is CoNLL-U: CoNLL-U comments, then words of ten columns.
fn detect(bytes: &[u8]) -> bool {
    if memmem::find(bytes, b"# global.columns").is_some() {
        return false;
    }
    if memmem::find(bytes, b"# global.Entity").is_some() {
        return true;
    }
    let mut lines = bytes.split(|&byte| byte == b'\n');
    let mut named = false;
    let first = lines.find(|line| {
        named |= [&b"# newdoc"[..], b"# sent_id", b"# text"].iter().any(|start| line.starts_with(start));
        !line.is_empty() && line[0] != b'#'
    });
    named && first.is_some_and(|line| count_byte(line, b'\t') == COLUMNS - 1)
}

/// The number of columns of CoNLL-U.
const COLUMNS: u32 = 10;

/// The fields of an opening bracket.
#[derive(Clone, Debug)]
struct Fields {
    names: Vec<String>,
    id: usize,
    head: Option<usize>,
    /// The position of `id` or `head`, whichever is later.
    last: usize,
}

impl Fields {
    /// Reads `eid-etype-head-other`.
    fn parse(text: &str) -> Option<Fields> {
        let names: Vec<String> = text.trim().split('-').map(str::to_owned).collect();
        let place = |wanted: &[&str]| names.iter().position(|name| wanted.contains(&name.as_str()));
        let id = place(&["eid", "GRP"])?;
        let head = place(&["head"]).or_else(|| place(&["minspan"]));
        Some(Fields { id, head, last: head.map_or(id, |head| head.max(id)), names })
    }

    /// Reads the fields of a line that does not name an id, with the first field as the id.
    fn without_id(text: &str) -> Option<Fields> {
        let (_, others) = text.split_once('-').unwrap_or((text, "etype-head-other"));
        Fields::parse(&format!("eid-{others}"))
    }
}

/// An opening bracket: the start of a mention, or of a part of one.
struct OpenMention {
    /// The entity; `NONE` once the bracket is closed.
    entity: u32,
    /// The part and the number of parts; 1 of 1 for a contiguous mention.
    part: PartNumber,
    /// The previous bracket of the same entity and part that is still open, or `NONE`.
    outer: u32,
    start: u32,
    line: u32,
    column: u32,
    /// The number of the head within the mention, from 1; [`LOST`] for a part of a mention whose earlier parts are
    /// missing.
    head: u32,
    details: Option<Box<OpenDetails>>,
}

/// A head number that no mention has.
const LOST: u32 = 0;

/// The part and the number of parts.
type PartNumber = (u32, u32);

const WHOLE: PartNumber = (1, 1);

const NONE: u32 = u32::MAX;

/// Rare properties of open brackets.
#[derive(Default)]
struct OpenDetails {
    /// The parts before this one.
    before: Vec<Span>,
    attributes: Vec<(String, String)>,
}

/// `Bridge=a<b:relation`, for the mention of `b` that opens on the line.
struct RawBridge {
    anaphor: Box<[u8]>,
    antecedent: Box<[u8]>,
    relation: String,
    line: u32,
    column: u32,
}

/// The sides of an item `a<b` of a list, and its column.
type SidedItem<'v> = (&'v [u8], &'v [u8], u32);

/// `SplitAnte=part<whole`.
struct RawSplit {
    part: Box<[u8]>,
    whole: Box<[u8]>,
    line: u32,
    column: u32,
}

/// An empty node of the current sentence.
struct EmptyNode {
    major: u32,
    minor: u32,
    word: u32,
    line: u32,
    /// The column of the dependencies in the line.
    column: u32,
    /// The range of its dependencies in [`Current::dependencies`].
    dependencies: Range<usize>,
    /// True if it has no dependencies, or depends on a word or the root, directly or through other empty nodes.
    attached: bool,
}

/// A word number as written at the start of its line, followed by a tab.
#[derive(Clone, Copy)]
struct Numeral {
    bytes: u64,
    /// The mask of its bytes among eight bytes.
    mask: u64,
    /// A number with a 1 bit at the last digit.
    last: u64,
    /// The number of words until that digit is 0 again.
    left: u32,
}

impl Numeral {
    const ONE: Numeral = Numeral { bytes: 0x0931, mask: 0xFFFF, last: 1, left: 9 };

    /// A value with which no line starts.
    const NONE: Numeral = Numeral { bytes: 1, mask: u64::MAX, last: 0, left: 1 };

    /// Advances to the next number. The number after 9,999,999 is a value with which no line starts.
    #[inline(always)]
    fn count_up(&mut self) {
        self.left -= 1;
        if self.left == 0 {
            self.carry();
        } else {
            self.bytes += self.last;
        }
    }

    fn carry(&mut self) {
        self.left = 10;
        let mut digit = self.last;
        while digit > 0 && self.bytes & (digit * 0xF) == digit * 9 {
            self.bytes -= digit * 9;
            digit >>= 8;
        }
        self.bytes += digit;
        if digit == 0 && self.mask == u64::MAX {
            *self = Numeral::NONE;
        } else if digit == 0 {
            let bytes = self.bytes << 8 | u64::from(b'1');
            *self = Numeral { bytes, mask: self.mask << 8 | 0xFF, last: self.last << 8, left: 10 };
        }
    }

    /// Returns whether `line` starts with this number.
    #[inline(always)]
    fn begins(self, line: &[u8]) -> bool {
        line.first_chunk().is_some_and(|bytes| u64::from_le_bytes(*bytes) & self.mask == self.bytes)
    }

    /// Returns the length of the number in bytes.
    #[inline(always)]
    fn length(self) -> usize {
        self.mask.count_ones() as usize / 8
    }
}

struct Current {
    document: DocumentBuilder,
    words: WordsBuilder,
    by_name: EntityIndex,
    mentions: Vec<Mention>,
    /// The opened brackets, innermost last. Closed brackets stay in the list until they are at its end, so the last
    /// entry is open.
    opens: Vec<OpenMention>,
    /// The innermost open bracket of each entity that is not a part, or `NONE`.
    innermost: Vec<u32>,
    /// The innermost open bracket of each part of an entity.
    innermost_parts: FxHashMap<(u32, PartNumber), u32>,
    /// Mentions with a closed part and further parts to come, by entity and number of that part, in order of closing.
    unfinished: BTreeMap<(u32, PartNumber), VecDeque<OpenMention>>,
    splits: Vec<RawSplit>,
    bridges: Vec<RawBridge>,
    /// The number of words of the text in this sentence.
    sentence_words: u32,
    /// The number of the next word.
    next: Numeral,
    /// The place of the sentence's start in the document.
    sentence_start: u32,
    empty_nodes: Vec<EmptyNode>,
    /// The dependency cells of the empty nodes, concatenated.
    dependencies: Vec<u8>,
    speaker: String,
    /// The number of the last word, if a line of the sentence had an error.
    doubt: Option<LastNumber>,
    /// True if words or empty nodes of the sentence may be missing because of errors.
    incomplete: bool,
    /// The last line with an error whose number of words is uncertain; 0 for none.
    uncounted: u32,
    /// The first and the last line with brackets that could not be read.
    lost: Option<(u32, u32)>,
}

struct CorefudReader {
    frame: Frame,
    /// True if the file turned out to be in another format.
    is_other: bool,
    fields: Option<Fields>,
    /// The valid `global.Entity` value that `fields` was read from; otherwise empty.
    fields_text: String,
    current: Option<Current>,
    spare: Option<Current>,
}

impl CorefudReader {
    fn new(source: Arc<str>, options: ReadOptions) -> CorefudReader {
        let frame = Frame::new(source, options);
        CorefudReader {
            frame,
            is_other: false,
            fields: None,
            fields_text: String::new(),
            current: None,
            spare: None,
        }
    }

    fn error(&self, column: u32, message: impl Into<Text>) -> Error {
        self.frame.error(column, message)
    }

    fn note(&mut self, code: Code, column: u32, message: impl FnOnce() -> String) {
        let document = self.current.as_ref().map(|current| current.document.id.to_string());
        self.frame.note(code, column, document, message);
    }

    #[inline(always)]
    fn line(&mut self, line: &TabbedLine<'_>) -> Result<()> {
        if let Some(current) = &mut self.current
            && !self.frame.options.keep_layers
            && current.take_word(line)
        {
            let start = line.last_tab + 1;
            return if line.text.len() > start + 1 { self.attributes(line.text, start) } else { Ok(()) };
        }
        self.other_line(line.text)
    }

    fn other_line(&mut self, line: &[u8]) -> Result<()> {
        match line {
            [b'0'..=b'9', ..] => self.word_line(line),
            [] | [b'\r'] => self.end_sentence(),
            [b'#', ..] => self.comment(line.strip_suffix(b"\r").unwrap_or(line)),
            _ if line.iter().all(u8::is_ascii_whitespace) => self.end_sentence(),
            _ => {
                let error = self.error(1, "this line is neither a word, nor a comment, nor empty");
                let hint = "a word's line starts with its number in the sentence; is this another format?";
                self.broken_line(line, error.hint(hint))
            }
        }
    }

    fn comment(&mut self, line: &[u8]) -> Result<()> {
        let current = self.current.as_ref();
        self.frame.count_comment(line, |name, value| match name {
            b"sent_id" => current.is_some_and(|current| is_own_number(value, &current.document.id)),
            // The writer derives the text from the words.
            _ => [&b"newdoc"[..], b"global.Entity", b"speaker", b"text"].contains(&name),
        });
        // Most comments hold the id of the sentence or its text.
        if !matches!(line, [_, _, b'n' | b'g', ..] | [_, _, b's', b'p', ..]) {
            return Ok(());
        }
        let wanted = [&b"# newdoc"[..], b"# global.Entity", b"# speaker", b"# global.columns"];
        let Some(&start) = wanted.iter().find(|start| line.starts_with(start)) else { return Ok(()) };
        let text = utf8(line, &self.frame.source, self.frame.line, 1);
        if start == b"# newdoc"
            && let Err(error) = text
        {
            // The following lines belong to another document in any case.
            let ended = self.end_document();
            self.begin(DocumentId::new(String::from_utf8_lossy(line).into_owned()));
            return both(ended, Err(error));
        }
        let value = text?.split_once('=').map_or("", |(_, value)| value.trim());
        match start {
            b"# newdoc" => {
                let id = match value {
                    "" => self.unnamed_id(),
                    name => DocumentId::new(name),
                };
                let ended = self.end_document();
                self.begin(id);
                return ended;
            }
            // Most files repeat the line in each document.
            b"# global.Entity" if !value.is_empty() && self.fields_text == value => {}
            b"# global.Entity" => {
                self.fields_text.clear();
                let Some(fields) = Fields::parse(value) else {
                    self.fields = Fields::without_id(value);
                    let message = format!("the fields `{value}` of `Entity` do not include the id");
                    return Err(self
                        .error(1, message)
                        .coded(Code::MissingField)
                        .hint("write `# global.Entity = eid-etype-head-other`"));
                };
                self.fields = Some(fields);
                self.fields_text.push_str(value);
            }
            b"# speaker" => {
                if let Some(current) = &mut self.current {
                    value.clone_into(&mut current.speaker);
                }
            }
            _ => {
                self.is_other = true;
                return Err(self
                    .error(1, "this file declares itself CoNLL-U Plus, which is not CorefUD")
                    .hint(text!("read it with {}", option_value("format", "conll-ua"))));
            }
        }
        Ok(())
    }

    /// Returns the id of a document without a name: the default for the first such document, then numbered ids.
    fn unnamed_id(&mut self) -> DocumentId {
        let (id, numbered) = self.frame.unnamed_id();
        if numbered {
            self.note(Code::RepeatedEmptyId, 1, || format!("a document without id is called `{id}`"));
        }
        id
    }

    fn begin(&mut self, id: DocumentId) {
        let mut document = DocumentBuilder::new(id, Arc::clone(&self.frame.source), self.frame.line);
        let before = self.frame.corpus.documents.last();
        document.entities.reserve(before.map_or(0, |before| before.entities().len()));
        let words = WordsBuilder::after(self.frame.words_before(), self.frame.options.keep_layers);
        self.current = Some(match self.spare.take() {
            // Keeps the memory of the previous document.
            Some(spare) => {
                let mut current = Current { document, words, uncounted: 0, lost: None, ..spare };
                current.begin_sentence();
                current
            }
            None => Current {
                document,
                words,
                by_name: EntityIndex::default(),
                mentions: Vec::new(),
                opens: Vec::new(),
                innermost: Vec::new(),
                innermost_parts: FxHashMap::default(),
                unfinished: BTreeMap::new(),
                splits: Vec::new(),
                bridges: Vec::new(),
                sentence_words: 0,
                next: Numeral::ONE,
                sentence_start: 0,
                empty_nodes: Vec::new(),
                dependencies: Vec::new(),
                speaker: String::new(),
                doubt: None,
                incomplete: false,
                uncounted: 0,
                lost: None,
            },
        });
    }

    /// Handles a line that starts with a number: a word, an empty node, or a multiword token.
    fn word_line(&mut self, line: &[u8]) -> Result<()> {
        let line = match line {
            [line @ .., b'\r'] => line,
            line => line,
        };
        let (number, length) = number(line);
        let after = line.get(length).copied().unwrap_or_default();
        if !matches!(after, b'\t' | b'-' | b'.') || count_byte(line, b'\t') != COLUMNS - 1 {
            return self.broken_line(line, self.columns_error(line));
        }
        if self.current.is_none() {
            let id = self.unnamed_id();
            self.begin(id);
        }
        let Some(current) = &mut self.current else { return Ok(()) };
        let mut errors = ErrorList::default();
        match after {
            b'\t' => {
                if number == current.sentence_words + 1 {
                    (current.sentence_words, current.doubt) = (number, None);
                    current.next.count_up();
                } else {
                    let numbered = self.other_number(number);
                    errors.check(numbered)?;
                }
                let rest = &line[length + 1..];
                let end = rest.iter().position(|&byte| byte == b'\t').unwrap_or(rest.len());
                if let Some(current) = &mut self.current {
                    current.words.push(&rest[..end]);
                }
            }
            b'-' => return self.token(line, number, length),
            _ => {
                let node = self.empty_node(line, number, length);
                errors.check(node)?;
            }
        }
        if self.frame.options.keep_layers {
            let kept = self.keep_layers(line);
            errors.check(kept)?;
            if self.frame.counts_unread() {
                self.count_unread(line, after == b'.');
            }
        }
        if let Some(tab) = last_byte(line, b'\t').filter(|tab| tab + 2 < line.len()) {
            let read = self.attributes(line, tab + 1);
            errors.check(read)?;
        }
        errors.finish()
    }

    /// Handles a word whose number does not follow the previous one. This is an error unless an error in an
    /// earlier line explains it.
    #[cold]
    fn other_number(&mut self, number: u32) -> Result<()> {
        let Some(current) = &mut self.current else { return Ok(()) };
        let last = current.last_number();
        if last.precedes(number) {
            (current.sentence_words, current.doubt) = (number, None);
            return Ok(());
        }
        let error = self.order_error(number);
        if let Some(current) = &mut self.current {
            current.miscounted(last.after_error(Some(number), 1..=1), self.frame.line);
        }
        Err(error)
    }

    /// Takes everything readable from a line with the wrong number of columns or without a word number, and fails with
    /// all errors of the line.
    #[cold]
    fn broken_line(&mut self, line: &[u8], error: Error) -> Result<()> {
        if self.current.is_none() {
            let id = self.unnamed_id();
            self.begin(id);
        }
        let mut errors = ErrorList::default();
        errors.keep(error)?;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let (number, length) = number(line);
        let stated =
            Some(number).filter(|_| length > 0 && line.get(length).is_some_and(|&after| is_blank(after)));
        // Joined lines have the columns of all of them.
        let words = (count_byte(line, b'\t') / (COLUMNS - 1)).max(1);
        let form = line.split(|&byte| is_blank(byte)).nth(1).unwrap_or_default();
        // A line without a leading number and without columns may not hold a word at all.
        let least = if stated.is_some() || memchr(b'\t', line).is_some() { words } else { 0 };
        let Some(current) = &mut self.current else { return errors.finish() };
        let before = current.words.count();
        match line.get(length) {
            // A multiword token is not itself a word.
            Some(b'-') if length > 0 => return errors.finish(),
            Some(b'.') if length > 0 => {
                current.incomplete = true;
                current.words.push_empty_node();
            }
            _ => {
                let last = current.last_number();
                match stated.filter(|&number| words == 1 && last.precedes(number)) {
                    Some(number) => {
                        (current.sentence_words, current.doubt, current.next) = (number, None, Numeral::NONE);
                    }
                    None => current.miscounted(last.after_error(stated, least..=words), self.frame.line),
                }
                (0..words).for_each(|_| _ = current.words.push(form));
            }
        }
        let pushed = current.words.count() - before;
        if let Some(layers) = current.words.layers_mut() {
            for _ in 0..pushed {
                layers.form.push("");
                layers.form_columns.push(0);
                layers.part_of_speech.push("");
                layers.speaker.push("");
                layers.line.push(self.frame.line);
            }
        }
        // A line without its first columns, or with spaces instead of tabs, still has its attributes.
        let start = line.iter().rposition(|&byte| is_blank(byte)).map_or(0, |place| place + 1);
        if words == 1 && memmem::find(&line[start..], b"Entity=").is_some() {
            let read = self.attributes(line, start);
            errors.check(read)?;
        } else {
            self.lose_brackets();
        }
        errors.finish()
    }

    /// Records that brackets of this line cannot be read. Mentions that seem not to open or close may do so here.
    #[cold]
    fn lose_brackets(&mut self) {
        let line = self.frame.line;
        if let Some(current) = &mut self.current {
            current.lost = Some((current.lost.map_or(line, |lost| lost.0), line));
        }
    }

    #[cold]
    fn columns_error(&self, line: &[u8]) -> Error {
        let found = count_byte(line, b'\t') + 1;
        let (message, code) = match found {
            COLUMNS => ("this line does not start with the number of a word".to_owned(), Code::WordNumber),
            _ => {
                let message = format!(
                    "this line has {}, but CoNLL-U has {COLUMNS}",
                    plural(found, "column", "columns")
                );
                (message, Code::MissingColumn)
            }
        };
        self.error(1, message)
            .coded(code)
            .hint("columns are separated by single tabs; is the line cut or joined?")
    }

    #[cold]
    fn order_error(&self, number: u32) -> Error {
        let before = self.current.as_ref().map_or(0, |current| current.sentence_words);
        let message = format!("word {number} follows word {before}");
        self.error(1, message)
            .coded(Code::WordNumber)
            .hint("words are numbered from 1 in each sentence; is a blank line missing?")
    }

    fn empty_node(&mut self, line: &[u8], major: u32, length: usize) -> Result<()> {
        let (minor, digits) = number(&line[length + 1..]);
        let Some(current) = &mut self.current else { return Ok(()) };
        let before = current.sentence_words;
        let wrong = if digits == 0
            || line.get(length + 1 + digits) != Some(&b'\t')
            || (major != before
                && !major.checked_add(1).is_some_and(|next| current.last_number().precedes(next)))
        {
            Some((
                format!("an empty node here must be numbered {before}.1 or higher"),
                "an empty node follows the word it is numbered by",
            ))
        } else if current.empty_nodes.last().is_some_and(|last| (last.major, last.minor) >= (major, minor)) {
            let message = "empty nodes after one word are numbered in order, from 1";
            Some((message.to_owned(), "number it after the empty node before it"))
        } else {
            None
        };
        let word = current.words.push_numbered_empty_node(minor);
        if let Some((message, hint)) = wrong {
            // The line may be a word whose number is wrong.
            current.miscounted(current.last_number().after_error(None, 0..=1), self.frame.line);
            return Err(self.error(1, message).coded(Code::WordNumber).hint(hint));
        }
        let mut tabs = memchr::memchr_iter(b'\t', line).skip(7);
        let (start, end) = (tabs.next().unwrap_or(0) + 1, tabs.next().unwrap_or(line.len()));
        let (line_number, column) = (self.frame.line, start as u32 + 1);
        let dependencies = current.dependencies.len()..current.dependencies.len() + (end - start);
        current.dependencies.extend_from_slice(&line[start..end]);
        let node = EmptyNode { major, minor, word, line: line_number, column, dependencies, attached: false };
        current.empty_nodes.push(node);
        Ok(())
    }

    /// Counts the cells that are neither kept nor coreference, in a line with a word, an empty node or a token.
    #[cold]
    fn count_unread(&mut self, line: &[u8], is_empty_node: bool) {
        let attribute = |item: &&[u8]| {
            [&b"Entity="[..], b"Bridge=", b"SplitAnte="].iter().any(|start| item.starts_with(start))
        };
        let cells = (0..).zip(line.split(|&byte| byte == b'\t'));
        // Number, form, tag and the dependencies of empty nodes are kept.
        let cells = cells.filter(|(place, _)| !(matches!(place, 0 | 1 | 3) || is_empty_node && *place == 8));
        let values = cells.flat_map(|(place, cell)| {
            let of_last = (place == COLUMNS - 1).then(|| cell.split(|&byte| byte == b'|'));
            let other = of_last.is_none().then_some(cell);
            other.into_iter().chain(of_last.into_iter().flatten().filter(|item| !attribute(item)))
        });
        self.frame.count_unread(values);
    }

    /// Handles a multiword token. Its spelling is stored with its words, which follow on the next lines.
    #[cold]
    fn token(&mut self, line: &[u8], first: u32, length: usize) -> Result<()> {
        let (last, _) = number(&line[length + 1..]);
        if last.saturating_sub(first) >= MOST_IN_TOKEN {
            let message = format!("the token {first}-{last} has more than {MOST_IN_TOKEN} words");
            let hint = "write the numbers of its first and last word, as in 1-2";
            return Err(self.error(1, message).coded(Code::WordNumber).hint(hint));
        }
        let start = last_byte(line, b'\t').map_or(line.len(), |tab| tab + 1);
        let attributes = [&b"Entity="[..], b"Bridge=", b"SplitAnte="];
        let mut column = start as u32 + 1;
        for item in line[start..].split(|&byte| byte == b'|') {
            if let Some(name) = attributes.iter().find(|name| item.starts_with(name)) {
                let name = String::from_utf8_lossy(&name[..name.len() - 1]).into_owned();
                self.note(Code::MisplacedMention, column, || {
                    format!(
                        "`{name}` is on the line of a multiword token, which is not a word, and was ignored"
                    )
                });
            }
            column += item.len() as u32 + 1;
        }
        if !self.frame.options.keep_layers {
            return Ok(());
        }
        let form = line.split(|&byte| byte == b'\t').nth(1).unwrap_or_default();
        let form = utf8(form, &self.frame.source, self.frame.line, 1)?;
        let joined = is_joined(line);
        if self.frame.counts_unread() {
            self.frame.count_unread(std::iter::once(form.as_bytes()));
            self.count_unread(line, false);
        }
        let Some(current) = &mut self.current else { return Ok(()) };
        let start = current.words.count();
        if let (Some(span), Some(layers)) = (
            last.checked_sub(first)
                .and_then(|more| Span::new(start, start.checked_add(more)?.checked_add(1)?)),
            current.words.layers_mut(),
        ) {
            layers.surfaces.push((span, form.into()));
            layers.joined.get_or_insert_default().extend(span.start()..span.last());
            if joined {
                layers.joined.get_or_insert_default().push(span.last());
            }
        }
        Ok(())
    }

    #[cold]
    fn keep_layers(&mut self, line: &[u8]) -> Result<()> {
        let Some(current) = &mut self.current else { return Ok(()) };
        let mut errors = ErrorList::default();
        let mut value = |place: usize| {
            let start = memchr::memchr_iter(b'\t', line).nth(place - 1).map_or(line.len(), |tab| tab + 1);
            let text = line[start..].split(|&byte| byte == b'\t').next().unwrap_or_default();
            let text = utf8(text, &self.frame.source, self.frame.line, start as u32 + 1);
            errors.check(text).map(Option::unwrap_or_default)
        };
        let (form, part_of_speech) = (value(1)?, value(3)?);
        let (word, joined) = (current.words.count() - 1, is_joined(line));
        if let Some(layers) = current.words.layers_mut() {
            let all = layers.joined.get_or_insert_default();
            if joined && all.last().is_none_or(|&last| last < word) {
                all.push(word);
            }
            layers.form.push(form);
            let number = line.iter().position(|&byte| byte == b'\t').unwrap_or(0);
            layers.form_columns.push(u8::try_from(number + 2).unwrap_or(0));
            layers.part_of_speech.push(part_of_speech);
            layers.speaker.push(&current.speaker);
            layers.line.push(self.frame.line);
        }
        errors.finish()
    }

    /// Reads the last column, which starts at `start` in the line.
    fn attributes(&mut self, line: &[u8], start: usize) -> Result<()> {
        let line = match line {
            [line @ .., b'\r'] => line,
            line => line,
        };
        let (cell, column) = (&line[start..], start as u32 + 1);
        let mut errors = ErrorList::default();
        let mut start = 0;
        while start < cell.len() {
            if cell[start..].starts_with(b"Entity=") {
                let cell = LastColumn::new(line, line.len() - cell.len());
                start = self.entities(cell, start + 7, column, &mut errors)? + 1;
                continue;
            }
            let end = find(cell, start, |byte| byte == b'|');
            let item = &cell[start..end];
            let from = column + start as u32;
            if let Some(value) = item.strip_prefix(b"SplitAnte=") {
                let read = self.split_antecedents(value, from + 10);
                errors.check(read)?;
            } else if let Some(value) = item.strip_prefix(b"Bridge=") {
                let read = self.bridges(value, from + 7);
                errors.check(read)?;
            }
            start = end + 1;
        }
        errors.finish()
    }

    /// Reads the brackets of one word, starting at `place`: `(e1-person-1-(e2-…)e3)`. Returns the place where they end.
    /// Fails only if there are too many errors.
    #[inline(always)]
    fn entities(
        &mut self,
        cell: LastColumn<'_>,
        mut place: usize,
        column: u32,
        errors: &mut ErrorList,
    ) -> Result<usize> {
        while let Some(&first) = cell.text.get(place) {
            let from = column + place as u32;
            match first {
                b'|' => break,
                b'(' => {
                    place = self.open(cell, place, column, errors)?;
                    if cell.text.get(place) == Some(&b')') {
                        place += 1;
                        let closed = self.close_last();
                        errors.check(closed)?;
                    }
                }
                _ => {
                    let end = cell.bracket_end(place);
                    let text = &cell.text[place..end];
                    place = end;
                    if cell.text.get(end) == Some(&b')') {
                        place += 1;
                        let closed = self.close(text, from);
                        errors.check(closed)?;
                    } else {
                        let text = String::from_utf8_lossy(text).into_owned();
                        self.note(Code::BareId, from, || format!("`{text}` has no bracket and was ignored"));
                    }
                }
            }
        }
        Ok(place)
    }

    /// Reads the bracket that opens at `place` and returns the end of its text. A bracket with errors is opened too, so
    /// that its closing bracket matches.
    fn open(
        &mut self,
        cell: LastColumn<'_>,
        place: usize,
        column: u32,
        errors: &mut ErrorList,
    ) -> Result<usize> {
        let from = column + place as u32;
        if self.fields.is_none() {
            self.assume_fields(from);
        }
        let Some(fields) = &self.fields else { return Ok(cell.text.len()) };
        let mut head = 1;
        let (mut id, mut id_column) = (&b""[..], from + 1);
        let mut details: Option<Box<OpenDetails>> = None;
        let mut start = place + 1;
        let mut end = start;
        for (place, name) in fields.names.iter().enumerate() {
            // The last field takes the rest, including hyphens.
            let last = place + 1 == fields.names.len();
            let passed_over = place > fields.last && !self.frame.options.keep_layers;
            end = if last || passed_over { cell.bracket_end(start) } else { cell.field_end(start) };
            let field = &cell.text[start..end];
            let from = column + start as u32;
            if place == fields.id {
                (id, id_column) = (field, from);
            } else if Some(place) == fields.head {
                let (value, digits) = number(field);
                if !matches!(field.get(digits), None | Some(b',')) || (digits > 0 && value == 0) {
                    errors.keep(self.bad_head(field, from))?;
                } else if digits > 0 {
                    head = value;
                }
                // Copies of the file contain heads of several words as written.
                if self.frame.options.keep_layers && digits < field.len() {
                    let value = errors.check(utf8(field, &self.frame.source, self.frame.line, from))?;
                    let attribute = (name.to_owned(), value.unwrap_or_default().to_owned());
                    details.get_or_insert_default().attributes.push(attribute);
                }
            } else if self.frame.options.keep_layers && !field.is_empty() {
                let value = errors.check(utf8(field, &self.frame.source, self.frame.line, from))?;
                let name = if matches!(name.as_str(), "etype" | "entity") { ENTITY_TYPE } else { name };
                let attribute = (name.to_owned(), value.unwrap_or_default().to_owned());
                details.get_or_insert_default().attributes.push(attribute);
            }
            if cell.text.get(end) != Some(&b'-') {
                break;
            }
            start = end + 1;
        }
        let (name, part) = match self.part_of(id, id_column) {
            Ok(found) => found,
            Err(error) => {
                errors.keep(error)?;
                self.lose_brackets();
                (id, WHOLE)
            }
        };
        if name.is_empty() {
            errors.keep(self.error(from, "this bracket has no entity id").coded(Code::MissingField))?;
            self.lose_brackets();
        }
        let Some(current) = &mut self.current else { return Ok(end) };
        let entity = match current.entity(name, &self.frame.source, self.frame.line, id_column) {
            Ok(entity) => entity,
            Err(error) => {
                errors.keep(error)?;
                current.new_entity(name, &String::from_utf8_lossy(name))
            }
        };
        let start = current.words.count() - 1;
        if part.0 > 1 {
            self.open_later_part(entity, part, from, id);
            return Ok(end);
        }
        let line = self.frame.line;
        current.opened(OpenMention { entity, part, outer: NONE, start, line, column: from, head, details });
        Ok(end)
    }

    /// Assumes the usual fields of brackets in a file that does not name them.
    #[cold]
    fn assume_fields(&mut self, column: u32) {
        self.fields = Fields::parse("eid-etype-head-other");
        self.note(Code::NoGlobalEntity, column, || {
            "read as `eid-etype-head-other`, since no line `# global.Entity` precedes it".to_owned()
        });
    }

    /// The error of a head that is not the number of a word.
    #[cold]
    fn bad_head(&self, field: &[u8], column: u32) -> Error {
        let text = String::from_utf8_lossy(field);
        let message = format!("the head `{text}` is not the number of a word in the mention");
        self.error(column, message).coded(Code::OutOfRange).hint("heads count from 1")
    }

    /// Opens a part of a discontinuous mention other than the first.
    fn open_later_part(&mut self, entity: u32, part: PartNumber, column: u32, id: &[u8]) {
        let before = (entity, (part.0 - 1, part.1));
        let line = self.frame.line;
        let Some(current) = &mut self.current else { return };
        let start = current.words.count() - 1;
        match current.unfinished.get_mut(&before).and_then(VecDeque::pop_front) {
            Some(mut open) => {
                (open.part, open.start) = (part, start);
                current.opened(open);
            }
            None => {
                // If the previous part is still open, it is reported as unclosed at the end.
                let unclosed = current.newest(entity, before.1) != NONE || current.lost.is_some();
                current.opened(OpenMention {
                    entity,
                    part,
                    outer: NONE,
                    start,
                    line,
                    column,
                    head: LOST,
                    details: None,
                });
                if !unclosed {
                    let name = String::from_utf8_lossy(id).into_owned();
                    self.note(Code::UnopenedMention, column, || {
                        format!(
                            "`{name}` opens here, but no part {} closed before; the mention was dropped",
                            part.0 - 1
                        )
                    });
                }
            }
        }
    }

    /// Removes `[1/2]` from an id.
    #[inline(always)]
    fn part_of<'t>(&self, id: &'t [u8], column: u32) -> Result<(&'t [u8], PartNumber)> {
        match id {
            [inside @ .., b']'] => self.parse_part(id, inside, column),
            id => Ok((id, WHOLE)),
        }
    }

    fn parse_part<'t>(&self, id: &[u8], inside: &'t [u8], column: u32) -> Result<(&'t [u8], PartNumber)> {
        let parsed = (|| {
            let bracket = memchr::memrchr(b'[', inside)?;
            let (part, slash) = number(&inside[bracket + 1..]);
            let rest = inside[bracket + 1 + slash..].strip_prefix(b"/")?;
            let (parts, digits) = number(rest);
            let whole = digits == rest.len() && part >= 1 && part <= parts;
            whole.then_some((&inside[..bracket], (part, parts)))
        })();
        parsed.ok_or_else(|| {
            let text = String::from_utf8_lossy(id).into_owned();
            let message = format!("`{text}` does not give the part and the number of parts, as in `e1[1/2]`");
            self.error(column, message).coded(Code::BadValue)
        })
    }

    fn close(&mut self, text: &[u8], column: u32) -> Result<()> {
        let (name, part) = match self.part_of(text, column) {
            Ok(found) => found,
            Err(error) => {
                // Closes the bracket that opened with the same error, if any.
                self.lose_brackets();
                return both(Err(error), self.close_part(text, (text, WHOLE), column));
            }
        };
        self.close_part(text, (name, part), column)
    }

    /// Closes the innermost bracket of a part of an entity.
    #[inline(always)]
    fn close_part(&mut self, text: &[u8], (name, part): (&[u8], PartNumber), column: u32) -> Result<()> {
        let Some(current) = &mut self.current else { return Ok(()) };
        let place = current.by_name.get(name).map_or(NONE, |entity| current.newest(entity, part));
        if place == NONE && current.lost.is_some() {
            return Ok(());
        }
        if place == NONE {
            let id = String::from_utf8_lossy(text).into_owned();
            self.note(Code::UnopenedMention, column, || {
                format!("a mention of entity `{id}` closes here but never opened; the bracket was dropped")
            });
            return Ok(());
        }
        let open = current.closed(place);
        self.finish_mention(open)
    }

    /// Closes the mention that was opened last.
    #[inline(always)]
    fn close_last(&mut self) -> Result<()> {
        let Some(current) = &mut self.current else { return Ok(()) };
        let Some(newest) = current.opens.len().checked_sub(1) else { return Ok(()) };
        let open = current.closed(newest as u32);
        self.finish_mention(open)
    }

    /// Handles a closed bracket. The mention is complete, or waits for its next part.
    #[inline]
    fn finish_mention(&mut self, open: OpenMention) -> Result<()> {
        let Some(current) = &mut self.current else { return Ok(()) };
        let Some(span) = Span::new(open.start, current.words.count()) else { return Ok(()) };
        if open.details.is_some() || open.part != WHOLE || open.head > span.len() {
            return self.finish_part(open, span);
        }
        let mention = Mention::new(span, EntityId::new(open.entity as usize), open.line, open.column);
        current.mentions.push(mention.with_head(span.start() + open.head - 1));
        Ok(())
    }

    /// The part of [`finish_mention`](Self::finish_mention) for parts of mentions, and for mentions with attributes or
    /// a wrong head.
    fn finish_part(&mut self, mut open: OpenMention, span: Span) -> Result<()> {
        let Some(current) = &mut self.current else { return Ok(()) };
        if open.head == LOST {
            if open.part.0 < open.part.1 {
                current.unfinished.entry((open.entity, open.part)).or_default().push_back(open);
            }
            return Ok(());
        }
        let mut details = open.details.take().unwrap_or_default();
        let before = &mut details.before;
        let mut errors = ErrorList::default();
        match before.last().copied() {
            Some(last) if last.end() > span.start() => {
                let error = self.frame.error(0, "the parts of this mention share words");
                errors.keep(error.coded(Code::BadMention))?;
            }
            // Parts without a gap between them are joined.
            Some(last) if last.end() == span.start() => {
                before.pop();
                before.extend(Span::new(last.start(), span.end()));
            }
            Some(_) => before.push(span),
            None if open.part != WHOLE => before.push(span),
            None => {}
        }
        if open.part.0 < open.part.1 {
            open.details = Some(details);
            current.unfinished.entry((open.entity, open.part)).or_default().push_back(open);
            return errors.finish();
        }
        let OpenDetails { before, attributes } = *details;
        let first = before.first().map_or(span, |first| *first);
        let whole = Span::new(first.start(), span.end()).unwrap_or(span);
        let parts = if before.len() > 1 { before } else { Vec::new() };
        let mention = Mention::new(whole, EntityId::new(open.entity as usize), open.line, open.column);
        let runs = if parts.is_empty() { std::slice::from_ref(&whole) } else { &parts };
        let head = nth_word(runs, open.head);
        // A mention that crosses lines with errors may have further, unknown words.
        if head.is_none() && current.uncounted < open.line {
            let count: u32 = runs.iter().map(|run| run.len()).sum();
            let words = plural(count, "word", "words");
            let message = format!("the head is word {} of a mention of {words}", open.head);
            errors.keep(
                Error::new(ErrorKind::Format, message)
                    .coded(Code::OutOfRange)
                    .at(Position::new(&self.frame.source, open.line, open.column))
                    .hint("heads count from 1, over all words of the mention, empty nodes included"),
            )?;
        }
        let mut mention = mention.with_head(head.unwrap_or(whole.start()));
        if !parts.is_empty() || !attributes.is_empty() {
            let details = MentionDetails { parts, attributes, ..MentionDetails::default() };
            mention = mention
                .with_details(details)
                .ok_or_else(|| self.error(0, "parts out of order").coded(Code::BadMention))?;
        }
        if let Some(current) = &mut self.current {
            current.mentions.push(mention);
        }
        errors.finish()
    }

    /// Returns the two sides of each item `a<b` of a list, with its column. `usage` is the error for other items.
    fn sided_items<'v>(
        &self,
        value: &'v [u8],
        column: u32,
        usage: &'static str,
    ) -> Result<Vec<SidedItem<'v>>> {
        let (mut start, mut items, mut errors) = (0, Vec::new(), ErrorList::default());
        for item in value.split(|&byte| byte == b',') {
            let from = column + start as u32;
            start += item.len() + 1;
            match memchr(b'<', item) {
                Some(place) => items.push((&item[..place], &item[place + 1..], from)),
                None => errors.keep(self.error(from, usage).coded(Code::BadValue))?,
            }
        }
        errors.finish().map(|()| items)
    }

    /// Reads `a<c,b<c`: entity c is the sum of entities a and b.
    fn split_antecedents(&mut self, value: &[u8], column: u32) -> Result<()> {
        let line = self.frame.line;
        let items = self.sided_items(value, column, "a split antecedent is written `part<whole`")?;
        if let Some(current) = &mut self.current {
            let splits = items.into_iter().map(|(part, whole, column)| RawSplit {
                part: Box::from(part),
                whole: Box::from(whole),
                line,
                column,
            });
            current.splits.extend(splits);
        }
        Ok(())
    }

    /// Reads `a<c:part,b<d`: the mention of c that opens here refers through a.
    fn bridges(&mut self, value: &[u8], column: u32) -> Result<()> {
        let usage = "a bridge is written `antecedent<anaphor` or `…:relation`";
        for (antecedent, rest, from) in self.sided_items(value, column, usage)? {
            let end = memchr(b':', rest).unwrap_or(rest.len());
            let relation =
                utf8(rest.get(end + 1..).unwrap_or_default(), &self.frame.source, self.frame.line, from)?;
            let bridge = RawBridge {
                anaphor: Box::from(&rest[..end]),
                antecedent: Box::from(antecedent),
                relation: relation.to_owned(),
                line: self.frame.line,
                column: from,
            };
            if let Some(current) = &mut self.current {
                current.bridges.push(bridge);
            }
        }
        Ok(())
    }

    fn end_sentence(&mut self) -> Result<()> {
        let Some(current) = &mut self.current else { return Ok(()) };
        current.words.end_sentence();
        let resolved = if current.empty_nodes.is_empty() { Ok(()) } else { self.resolve_dependencies() };
        if let Some(current) = &mut self.current {
            current.begin_sentence();
        }
        resolved
    }

    /// Reads the dependencies of the sentence's empty nodes, once all its words are known.
    fn resolve_dependencies(&mut self) -> Result<()> {
        let Some(current) = &mut self.current else { return Ok(()) };
        let (mut nodes, all) =
            (std::mem::take(&mut current.empty_nodes), std::mem::take(&mut current.dependencies));
        let resolved = self.resolve(&mut nodes, &all);
        if let Some(current) = &mut self.current {
            // The lists are returned later, so that their memory is reused.
            (current.empty_nodes, current.dependencies) = (nodes, all);
        }
        resolved
    }

    fn resolve(&mut self, nodes: &mut [EmptyNode], all: &[u8]) -> Result<()> {
        let Some(current) = &mut self.current else { return Ok(()) };
        let (start, count) = (current.sentence_start, current.sentence_words);
        // Words and empty nodes on lines with errors are unknown.
        let complete = !current.incomplete;
        let mut errors = ErrorList::default();
        // Nodes are in order of their numbers, and so of their words.
        let place = |nodes: &[EmptyNode], major: u32, minor: Option<u32>| -> Option<u32> {
            match minor {
                Some(minor) => {
                    let found = nodes.binary_search_by_key(&(major, minor), |node| (node.major, node.minor));
                    found.ok().map(|node| nodes[node].word)
                }
                None if major == 0 || major > count || !complete => None,
                None => Some(start + major - 1 + nodes.partition_point(|node| node.major < major) as u32),
            }
        };
        // Finds the empty nodes that ultimately depend on a word or the root.
        let mut children: Vec<(usize, usize)> = Vec::new();
        for index in 0..nodes.len() {
            let node = &nodes[index];
            let (line, word, mut column) = (node.line, node.word, node.column);
            let own = &all[node.dependencies.clone()];
            let mut attached = matches!(own, [] | [b'_']);
            for item in own.split(|&byte| byte == b'|') {
                let from = column;
                column += item.len() as u32 + 1;
                if matches!(item, [] | [b'_']) {
                    continue;
                }
                let text = errors.check(utf8(item, &self.frame.source, line, from))?;
                let Some(text) = text else { continue };
                let wrong = |message: String| {
                    let at = Position::new(&self.frame.source, line, from);
                    let hint = "dependencies are written `8:nsubj` or `8.1:nsubj`, joined by `|`";
                    Error::new(ErrorKind::Format, message).coded(Code::BadValue).at(at).hint(hint)
                };
                let (parent, relation) = text.split_once(':').unwrap_or((text, ""));
                let (major, minor) = match parent.split_once('.') {
                    Some((major, minor)) => (major, Some(minor)),
                    None => (parent, None),
                };
                let minor = minor.map(str::parse::<u32>).transpose();
                let (Ok(major), Ok(minor)) = (major.parse::<u32>(), minor) else {
                    errors.keep(wrong(format!("`{parent}` is not the number of a word")))?;
                    continue;
                };
                let head = match (major, minor) {
                    (0, None) => None,
                    _ => match place(nodes, major, minor) {
                        Some(word) => Some(word),
                        None if complete => {
                            errors.keep(wrong(format!("the sentence has no word `{parent}`")))?;
                            continue;
                        }
                        None => continue,
                    },
                };
                let parent = head.and_then(|head| nodes.binary_search_by_key(&head, |node| node.word).ok());
                match parent {
                    Some(parent) => children.push((parent, index)),
                    None => attached = true,
                }
                current.words.push_dependency(Dependency { word, parent: head, relation: relation.into() });
            }
            nodes[index].attached = attached;
        }
        if !children.is_empty() {
            children.sort_unstable();
            attach_descendants(nodes, &children);
        }
        errors.finish()?;
        if let Some(node) = nodes.iter().find(|node| !node.attached).filter(|_| complete) {
            return Err(self.cycle_error(node));
        }
        Ok(())
    }

    fn cycle_error(&self, node: &EmptyNode) -> Error {
        let message = format!("the empty node {}.{} depends on itself, in a cycle", node.major, node.minor);
        let at = Position::new(&self.frame.source, node.line, node.column);
        let error = Error::new(ErrorKind::Format, message).coded(Code::BadValue).at(at);
        error.hint("let it depend on a word of the text, or on the root (0:root)")
    }

    fn end_document(&mut self) -> Result<()> {
        let ended = self.end_sentence();
        let Some(mut current) = self.current.take() else { return ended };
        let opens = current.opens.iter().filter(|open| open.entity != NONE).map(|open| (open, false));
        let unclosed = opens.chain(current.unfinished.values().flatten().map(|open| (open, true)));
        // A lost mention already has its warning.
        let last_lost = current.lost.map_or(0, |lost| lost.1);
        let mut unclosed: Vec<(&OpenMention, bool)> =
            unclosed.filter(|(open, _)| open.head != LOST && open.line > last_lost).collect();
        unclosed.sort_by_key(|(open, _)| (open.line, open.column));
        for (open, lacks_parts) in unclosed {
            let name = &current.document.entities[open.entity as usize];
            let position = Position::new(&self.frame.source, open.line, open.column);
            let document = Some(current.document.id.to_string());
            let (part, parts) = open.part;
            let how = match lacks_parts {
                true => format!("and its part {} of {parts} is missing", part + 1),
                false if part > 1 => format!("and its part {part} of {parts} never closes"),
                false => "and never closes".to_owned(),
            };
            self.frame.corpus.diagnostics.add(Code::UnclosedMention, Some(position), document, || {
                format!("a mention of entity `{name}` opens here {how}; it was dropped")
            });
        }
        current.document.mentions = current.mentions.drain(..).collect();
        if !current.splits.is_empty() || !current.bridges.is_empty() {
            let relations = self.relations(&current);
            current.document.relations = Some(Box::new(relations));
        }
        let mut words = std::mem::take(&mut current.words).finish();
        self.frame.give_unread(&mut words);
        let next = DocumentBuilder::new(DocumentId::new(""), Arc::clone(&self.frame.source), 0);
        let document = std::mem::replace(&mut current.document, next);
        self.frame.corpus.documents.push(document.finish(words)?);
        current.by_name.clear();
        current.opens.clear();
        current.innermost.clear();
        current.innermost_parts.clear();
        current.unfinished.clear();
        current.splits.clear();
        current.bridges.clear();
        self.spare = Some(current);
        ended
    }

    /// Resolves the names in `SplitAnte` and `Bridge`.
    fn relations(&mut self, current: &Current) -> Relations {
        let mut relations = Relations::default();
        let diagnostics = &mut self.frame.corpus.diagnostics;
        let id = current.document.id.to_string();
        let mut entity = |name: &[u8], line: u32, column: u32| {
            let found = current.by_name.get(name).map(|entity| EntityId::new(entity as usize));
            if found.is_none() && current.lost.is_none() {
                let position = Position::new(&self.frame.source, line, column);
                diagnostics.add(Code::UnknownId, Some(position), Some(id.clone()), || {
                    format!("this document has no entity `{}`", String::from_utf8_lossy(name))
                });
            }
            found
        };
        let mut places: FxHashMap<EntityId, usize> = FxHashMap::default();
        let mut known: FxHashSet<(EntityId, EntityId)> = FxHashSet::default();
        for &RawSplit { ref part, ref whole, line, column } in &current.splits {
            let (Some(part), Some(whole)) = (entity(part, line, column), entity(whole, line, column)) else {
                continue;
            };
            let place = *places.entry(whole).or_insert_with(|| {
                relations.split_antecedents.push(SplitAntecedent { entity: whole, parts: Vec::new(), line });
                relations.split_antecedents.len() - 1
            });
            if known.insert((whole, part)) {
                relations.split_antecedents[place].parts.push(part);
            }
        }
        let mut opened: FxHashMap<(EntityId, u32), &Mention> = FxHashMap::default();
        for mention in &current.document.mentions {
            opened.entry((mention.entity(), mention.line())).or_insert(mention);
        }
        let mut dangling = Vec::new();
        for bridge in &current.bridges {
            let (line, column) = (bridge.line, bridge.column);
            let (Some(antecedent), Some(anaphor)) =
                (entity(&bridge.antecedent, line, column), entity(&bridge.anaphor, line, column))
            else {
                continue;
            };
            let Some(mention) = opened.get(&(anaphor, line)) else {
                if current.lost.is_none() {
                    dangling.push(bridge);
                }
                continue;
            };
            relations.bridges.push(Bridge {
                anaphor: mention.parts().to_vec(),
                antecedent: None,
                entity: Some(antecedent),
                relation: bridge.relation.clone(),
                line,
                column,
            });
        }
        for bridge in dangling {
            let position = Position::new(&self.frame.source, bridge.line, bridge.column);
            self.frame.corpus.diagnostics.add(Code::UnknownId, Some(position), Some(id.clone()), || {
                let name = String::from_utf8_lossy(&bridge.anaphor);
                format!("no mention of entity `{name}` opens on this line")
            });
        }
        relations
    }
}

impl Current {
    /// Discards the state of the previous sentence.
    fn begin_sentence(&mut self) {
        self.speaker.clear();
        self.empty_nodes.clear();
        self.dependencies.clear();
        self.sentence_words = 0;
        self.next = Numeral::ONE;
        self.sentence_start = self.words.count();
        (self.doubt, self.incomplete) = (None, false);
    }

    fn last_number(&self) -> LastNumber {
        self.doubt.unwrap_or(LastNumber::known(self.sentence_words))
    }

    /// Records that the last word may have one of several numbers after an error in `line`.
    fn miscounted(&mut self, last: LastNumber, line: u32) {
        (self.sentence_words, self.doubt) = (last.most(), Some(last));
        (self.next, self.incomplete, self.uncounted) = (Numeral::NONE, true, line);
    }

    #[inline]
    fn entity(&mut self, name: &[u8], source: &Arc<str>, line: u32, column: u32) -> Result<u32> {
        if let Some(entity) = self.by_name.get(name) {
            return Ok(entity);
        }
        Ok(self.new_entity(name, utf8(name, source, line, column)?))
    }

    fn new_entity(&mut self, name: &[u8], text: &str) -> u32 {
        let entity = self.document.entities.len() as u32;
        self.document.entities.push(text.into());
        self.innermost.push(NONE);
        self.by_name.insert(name, entity);
        entity
    }

    /// Returns the innermost open bracket of an entity and part, or `NONE`.
    #[inline(always)]
    fn newest(&self, entity: u32, part: PartNumber) -> u32 {
        match part {
            WHOLE => self.innermost[entity as usize],
            part => self.innermost_parts.get(&(entity, part)).copied().unwrap_or(NONE),
        }
    }

    #[inline(always)]
    fn set_newest(&mut self, entity: u32, part: PartNumber, place: u32) {
        match part {
            WHOLE => self.innermost[entity as usize] = place,
            part => self.set_newest_part(entity, part, place),
        }
    }

    #[cold]
    fn set_newest_part(&mut self, entity: u32, part: PartNumber, place: u32) {
        match place {
            NONE => _ = self.innermost_parts.remove(&(entity, part)),
            place => _ = self.innermost_parts.insert((entity, part), place),
        }
    }

    /// Records a bracket that has opened.
    #[inline(always)]
    fn opened(&mut self, mut open: OpenMention) {
        open.outer = self.newest(open.entity, open.part);
        self.set_newest(open.entity, open.part, self.opens.len() as u32);
        self.opens.push(open);
    }

    /// Removes the bracket at `place`, which is the innermost of its entity and part.
    #[inline(always)]
    fn closed(&mut self, place: u32) -> OpenMention {
        // The bracket is nearly always the last one.
        let taken = if place as usize + 1 == self.opens.len()
            && let Some(open) = self.opens.pop()
        {
            open
        } else {
            let open = &mut self.opens[place as usize];
            let taken = OpenMention { details: open.details.take(), ..*open };
            open.entity = NONE;
            taken
        };
        self.set_newest(taken.entity, taken.part, taken.outer);
        while self.opens.last().is_some_and(|open| open.entity == NONE) {
            self.opens.pop();
        }
        taken
    }

    /// Takes the word of a line if it is the next word of the sentence and the line has the usual columns.
    #[inline(always)]
    fn take_word(&mut self, line: &TabbedLine<'_>) -> bool {
        // Ignores the first tab, which belongs to the number.
        let tabs = line.first_tabs & line.first_tabs.wrapping_sub(1);
        if line.tabs != COLUMNS - 1 || tabs == 0 || !self.next.begins(line.text) {
            return false;
        }
        self.words.push_within(line.text, self.next.length(), tabs.trailing_zeros() as usize);
        self.sentence_words += 1;
        self.next.count_up();
        true
    }
}

/// Returns the `number`th word of `runs`, from 1.
fn nth_word(runs: &[Span], number: u32) -> Option<u32> {
    let mut left = number.checked_sub(1)?;
    for run in runs {
        if left < run.len() {
            return Some(run.start() + left);
        }
        left -= run.len();
    }
    None
}

/// Marks the empty nodes that depend on an attached one, directly or not. `edges` are sorted pairs of a parent and a
/// child.
fn attach_descendants(nodes: &mut [EmptyNode], edges: &[(usize, usize)]) {
    let mut reached: Vec<usize> = (0..nodes.len()).filter(|&index| nodes[index].attached).collect();
    while let Some(parent) = reached.pop() {
        let first = edges.partition_point(|edge| edge.0 < parent);
        for &(_, child) in edges[first..].iter().take_while(|edge| edge.0 == parent) {
            if !std::mem::replace(&mut nodes[child].attached, true) {
                reached.push(child);
            }
        }
    }
}

/// Returns the number at the start of `text`, and its count of digits. Numbers that are too large become the maximum.
#[inline(always)]
fn number(text: &[u8]) -> (u32, usize) {
    let mut value = 0u32;
    for (place, byte) in text.iter().enumerate() {
        match byte {
            b'0'..=b'9' => value = value.saturating_mul(10).saturating_add(u32::from(byte - b'0')),
            _ => return (value, place),
        }
    }
    (value, text.len())
}

/// Returns the first place at or after `start` with a wanted byte, or the end.
#[inline(always)]
fn find(text: &[u8], start: usize, wanted: impl Fn(u8) -> bool) -> usize {
    let mut place = start;
    while place < text.len() && !wanted(text[place]) {
        place += 1;
    }
    place
}

/// The last column of a line, and the kinds of its first 64 bytes, one bit per byte.
#[derive(Clone, Copy)]
struct LastColumn<'l> {
    text: &'l [u8],
    /// The end of a bracket: another bracket, or the end of the attribute.
    brackets: u64,
    hyphens: u64,
}

impl<'l> LastColumn<'l> {
    #[inline(always)]
    fn new(line: &'l [u8], start: usize) -> LastColumn<'l> {
        let mut cell = LastColumn { text: &line[start..], brackets: 0, hyphens: 0 };
        for place in (0..cell.text.len().min(64)).step_by(16) {
            let [open, close, bar, hyphen] = sixteen_from(line, start + place, [b'(', b')', b'|', b'-']);
            cell.brackets |= (open | close | bar) << place;
            cell.hyphens |= hyphen << place;
        }
        cell
    }

    /// Returns the end of the text of a bracket that continues at `start`.
    #[inline(always)]
    fn bracket_end(&self, start: usize) -> usize {
        self.find(start, self.brackets, |byte| matches!(byte, b'(' | b')' | b'|'))
    }

    /// Returns the end of a field of an opening bracket.
    #[inline(always)]
    fn field_end(&self, start: usize) -> usize {
        self.find(start, self.brackets | self.hyphens, |byte| matches!(byte, b'(' | b')' | b'|' | b'-'))
    }

    #[inline(always)]
    fn find(&self, start: usize, marks: u64, wanted: impl Fn(u8) -> bool) -> usize {
        let ahead = if start < 64 { marks >> start } else { 0 };
        match ahead {
            0 => find(self.text, start.max(64).min(self.text.len()), wanted),
            ahead => start + ahead.trailing_zeros() as usize,
        }
    }
}

/// Reads a block of lines.
struct FeedLines<'r>(&'r mut CorefudReader);

impl LineTask for FeedLines<'_> {
    type Output = Result<()>;

    #[inline(always)]
    fn run<F: FindBytes>(self, lines: Lines<'_, F>) -> Result<()> {
        let reader = self.0;
        for line in lines.tabbed() {
            reader.frame.line += 1;
            reader.line(&line)?;
        }
        Ok(())
    }
}

impl Reader for CorefudReader {
    fn feed(&mut self, lines: &[u8]) -> Result<()> {
        let before = self.frame.line;
        lines::run(lines, FeedLines(self)).map_err(|error| {
            let cut = self.frame.cut_line(lines, before).filter(|line| line[0].is_ascii_digit());
            match cut.map(|line| count_byte(line, b'\t') + 1) {
                Some(found) if found < COLUMNS => self.frame.truncated(found, COLUMNS),
                _ => error,
            }
        })
    }

    fn finish(mut self: Box<Self>) -> Result<Corpus> {
        self.end_document()?;
        let hint = "a CorefUD file has lines of ten columns, and `Entity=` in the last";
        self.frame.finish("this file has no words", hint)
    }

    fn frame(&mut self) -> Option<&mut Frame> {
        Some(&mut self.frame)
    }

    fn resumes(&self) -> bool {
        !self.is_other
    }
}

fn is_blank(byte: u8) -> bool {
    byte == b'\t' || byte == b' '
}

/// Returns whether a line declares that no space follows its word.
fn is_joined(line: &[u8]) -> bool {
    let misc = line.rsplit(|&byte| byte == b'\t').next().unwrap_or_default();
    misc.split(|&byte| byte == b'|').any(|item| item.trim_ascii() == b"SpaceAfter=No")
}

/// Returns whether `name` looks like a sentence name that the writer creates.
fn is_own_number(name: &[u8], document: &DocumentId) -> bool {
    let document =
        if document.name().is_empty() { "s".to_owned() } else { document.name().replace('/', "_") };
    let number = name.strip_prefix(document.as_bytes()).and_then(|rest| rest.strip_prefix(b"-"));
    number.is_some_and(|number| number.iter().all(u8::is_ascii_digit) && !number.starts_with(b"0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_cells_match_a_plain_search() {
        let pieces =
            ["(e1-a-1-b-c", "e1)", ")", "|Bridge=x<y:z", "-", "abcdefghijklmnopqrstuvwxyz", "(e2[1/2]-x"];
        for number in 0..7usize.pow(4) {
            let piece = |place: u32| pieces[number / 7usize.pow(place) % 7];
            let cell = [piece(0), piece(1), piece(2), piece(3)].concat();
            for before in ["", "1\tword\t_\t_\t"] {
                let line = format!("{before}{cell}");
                let found = LastColumn::new(line.as_bytes(), before.len());
                for start in 0..=cell.len() {
                    let plain =
                        |marks: &[char]| cell[start..].find(marks).map_or(cell.len(), |end| start + end);
                    assert_eq!(found.bracket_end(start), plain(&['(', ')', '|']), "{cell} {start}");
                    assert_eq!(found.field_end(start), plain(&['(', ')', '|', '-']), "{cell} {start}");
                }
            }
        }
    }

    #[test]
    fn numerals_count_up() {
        let mut numeral = Numeral::ONE;
        for number in 1..12_345 {
            let line = format!("{number}\twordword");
            assert!(numeral.begins(line.as_bytes()), "{number}");
            assert!(!numeral.begins(format!("1{line}").as_bytes()), "{number}");
            assert_eq!(numeral.length(), number.to_string().len() + 1);
            numeral.count_up();
        }
        let text = u64::from_le_bytes(*b"9999999\t");
        let mut numeral = Numeral { bytes: text, mask: u64::MAX, last: 1 << 48, left: 1 };
        for _ in 0..3 {
            numeral.count_up();
            assert!(!numeral.begins(b"10000000\tword") && !numeral.begins(b"0000000\tword"));
        }
    }
}
