//! Reads the CoNLL format: one word per line, coreference in brackets in the last column.
//!
//! Supports every layout found in published data: two or more columns, tabs or runs of spaces, arbitrary ids, items
//! joined by `|` or adjacent. The reader makes one pass over the bytes. Nearly all lines end in `-`; the reader keeps
//! only the fingerprint of their word.

use crate::wording::{Text, plural};
use std::ops::Range;
use std::sync::Arc;

use corefeval_system::mapped::Mapped;
use memchr::{memchr, memrchr};
use rustc_hash::FxHashMap;

use super::columns::{
    HEAD_COLUMNS, begin_line, column, count_columns, end_line, is_blank, is_coreference, is_name_of_conll,
    last_column, trim_end,
};
use super::dependencies::Dependencies;
use super::file_reader::{ErrorList, both};
use super::frame::{Frame, has_value};
use super::lines::{self, FindBytes, LineTask, Lines, count_byte, last_byte};
use super::names::Names;
use super::{Aspect, FormatSpec, ReadOptions, Reader, utf8};
use crate::diagnostic::{Code, Position};
use crate::error::{Error, Result};
use crate::model::{
    Corpus, DocumentBuilder, DocumentId, EntityId, EntityName, KeptLines, LineEnds, Mention, Span,
    WordsBuilder,
};

/// `conll`.
pub(super) const SPEC: FormatSpec = FormatSpec {
    id: "conll",
    summary: "CoNLL-2011/2012 and variants: one word per line, coreference in the last column",
    extensions: &["conll", "key", "response", "v4_gold_conll", "v4_auto_conll", "gold_conll", "auto_conll"],
    expresses: &[Aspect::PartsOfSpeech, Aspect::Parse, Aspect::NamedEntities, Aspect::Speakers],
    detect,
    begins_like_others: Some(is_certain),
    names: Names::Columns(&["begin", "end"]),
    reader: |source, options| Box::new(ConllReader::new(source, options)),
    write: Some(super::write::conll::WRITER),
    copy: Some(super::write::copy::CONLL),
    ..FormatSpec::PLAIN
};

/// Returns whether a document starts somewhere in the first block, or the first line has two or more columns and the
/// last one looks like coreference.
fn detect(bytes: &[u8]) -> bool {
    let (mut first, mut lines, mut fitting) = (None, 0usize, 0usize);
    for line in bytes.split(|&byte| byte == b'\n') {
        let line = trim_end(line);
        if begin_line(line).is_some() {
            // Links files start in the same way.
            return !super::links::has_only_links(bytes);
        }
        if !line.is_empty() && line[0] != b'#' {
            let start = line.iter().rposition(|&byte| is_blank(byte));
            let fits = start.is_some_and(|start| is_only_coreference(&line[start + 1..]));
            first = first.or(Some(fits));
            lines += 1;
            fitting += usize::from(fits);
        }
    }
    // Sentences of an answer can end in brackets too, but most of their lines do not, or the text has marks.
    first == Some(true)
        && 2 * fitting > lines
        && !(lines < 3 && super::answers::is_marked(bytes))
        && !super::answers::is_tuple(bytes)
}

/// Returns whether the first document has a name in brackets or with a part, and its first line of words does not start
/// with the number 1.
fn is_certain(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|&byte| byte == b'\n');
    lines.find_map(begin_line).is_some_and(is_name_of_conll)
        && lines.find(|line| !line.trim_ascii().is_empty()).is_some_and(|word| {
            let first = word.trim_ascii_start().split(|&byte| is_blank(byte)).next();
            first != Some(b"1")
        })
}

/// Returns whether a last column looks like coreference and not like the end of a marked text.
fn is_only_coreference(cell: &[u8]) -> bool {
    is_coreference(cell) && !cell.iter().any(|byte| matches!(byte, b'[' | b']' | b'<' | b'>'))
}

/// An opening bracket: the start of a mention.
#[derive(Clone, Copy)]
struct Open {
    /// The first word; `NONE` once it is closed.
    word: u32,
    line: u32,
    column: u32,
    entity: u32,
    /// The previous bracket of the same entity that is still open.
    outer: u32,
}

const NONE: u32 = u32::MAX;

/// The word numbers of a document, which increase within a sentence unless the column counts something else, such as
/// sentences.
#[derive(Default)]
struct WordNumbers {
    /// The number of the previous word in this sentence.
    before: Option<u64>,
    /// The number of words in this sentence.
    words: u64,
    /// The number of words whose number follows the previous one.
    following: usize,
    /// The words whose number does not follow the previous one: line, column, previous number and number.
    others: Vec<(u32, u32, [u64; 2])>,
    /// The numbers of first words of sentences: line, column, number, and whether it follows the last one of the
    /// previous sentence.
    starts: Vec<(u32, u32, u64, bool)>,
    /// The last number of the previous sentence.
    last: Option<u64>,
    /// The number of sentences with two words or more, and how many of them have first and last word numbers that fit
    /// their length.
    sentences: [usize; 2],
}

impl WordNumbers {
    /// Takes the number of the next word from its line.
    fn take(&mut self, cells: &[u8], tabs: bool, line: u32) {
        let cell = column(cells, tabs, WORD_COLUMN - 1).map(|(start, end)| (start, &cells[start..end]));
        let read = |(start, text)| Some((start, std::str::from_utf8(text).ok()?.parse::<u64>().ok()?));
        let found: Option<(usize, u64)> = cell.and_then(read);
        if let (0, Some((start, number))) = (self.words, found) {
            let follows = self.last.and_then(|last| last.checked_add(1)) == Some(number);
            self.starts.push((line, start as u32 + 1, number, follows));
        }
        self.words += 1;
        if let (Some(before), Some((start, number))) = (self.before, found) {
            match before.checked_add(1) == Some(number) {
                true => self.following += 1,
                false => self.others.push((line, start as u32 + 1, [before, number])),
            }
        }
        self.before = found.map(|(_, number)| number);
    }

    fn end_sentence(&mut self) {
        self.last = self.before.take();
        let words = std::mem::take(&mut self.words);
        if let (2.., Some(last), Some(&(_, _, first, _))) = (words, self.last, self.starts.last()) {
            self.sentences[0] += 1;
            self.sentences[1] += usize::from(first.checked_add(words - 1) == Some(last));
        }
    }

    /// Returns whether the column counts words: most numbers are consecutive, or most sentences have as many words
    /// as their numbers indicate.
    fn count_words(&self) -> bool {
        let [sentences, fitting] = self.sentences;
        (self.following > 0 && self.others.len() <= self.following)
            || (fitting > 0 && 2 * fitting >= sentences)
    }

    /// Returns the sentences that start with a higher number than most: line, column and number. Empty if the column
    /// counts over the whole document.
    fn later_starts(&self) -> Vec<(u32, u32, u64)> {
        let usual = self.starts.iter().map(|start| start.2).min().filter(|&number| number <= 1);
        let Some(usual) = usual else { return Vec::new() };
        let later: Vec<_> = self.starts.iter().filter(|start| start.2 != usual).collect();
        let most = self.starts.len() - later.len();
        let over_the_document = most == 1 && later.iter().all(|start| start.3);
        if most < later.len() || over_the_document {
            return Vec::new();
        }
        later.into_iter().map(|&(line, column, number, _)| (line, column, number)).collect()
    }
}

/// The current document.
struct Current {
    document: DocumentBuilder,
    words: WordsBuilder,
    word_numbers: WordNumbers,
    /// The lines of its words, if layers are kept and all lines have the same columns. The layers refer to these lines.
    kept: Option<KeptLines>,
    opens: Vec<Open>,
    /// The innermost open bracket of each entity, or `NONE`.
    innermost: Vec<u32>,
    /// Entities by id text, for ids that are not small numbers.
    by_name: FxHashMap<Box<[u8]>, u32>,
    /// Entities by id, for ids that are small numbers without leading zeros; `NONE` if a number has no entity.
    by_number: Vec<u32>,
    /// The numbers that have or had an entity in `by_number`.
    numbers: Vec<u32>,
    /// True if a closing id matched the start of a longer open id (`place-1)` for `(place-1-Oslo`).
    linked: bool,
    /// True if a `#begin document` line opened it.
    begun: bool,
    /// Columns in this sentence; 0 before its first line.
    columns: u32,
    /// True if tabs separate the columns of this sentence, and only the last column is used.
    tabs: bool,
    /// Columns on the first line of the document, including an empty last one; 0 before it.
    first_columns: u32,
    /// The last line with an error whose brackets could not be read; 0 for none. Mentions that seem not to open or
    /// close may do so there.
    lost: u32,
}

pub(super) struct ConllReader {
    pub(super) frame: Frame,
    current: Option<Current>,
    spare: Option<Current>,
    /// The memory for the lines of the next document.
    kept_before: KeptLines,
    /// The items of one cell: kind, start and end of the id in the cell, column in the line.
    items: Vec<(ItemKind, u32, u32, u32)>,
    /// True if the file ends within its last line.
    truncated: bool,
    /// True if a line outside documents had an error. Later lines do not repeat the error.
    outside: bool,
    /// The dependencies, if the layout is that of SemEval, which has the word in its second column.
    pub(super) dependencies: Option<Dependencies>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ItemKind {
    Single,
    Open,
    Close,
}

/// The id of an item.
#[derive(Clone, Copy)]
struct Id<'l> {
    /// The id, possibly with its brackets.
    text: &'l [u8],
    /// The id as a small number, if possible.
    number: Option<usize>,
}

impl<'l> Id<'l> {
    /// Returns the id without brackets.
    fn text(&self) -> &'l [u8] {
        let text = self.text.strip_prefix(b"(").unwrap_or(self.text);
        text.strip_suffix(b")").unwrap_or(text)
    }
}

impl ConllReader {
    pub(super) fn new(source: Arc<str>, options: ReadOptions) -> ConllReader {
        ConllReader {
            frame: Frame::new(source, options),
            current: None,
            spare: None,
            kept_before: KeptLines::default(),
            items: Vec::new(),
            truncated: false,
            outside: false,
            dependencies: None,
        }
    }

    pub(super) fn error(&self, column: u32, message: impl Into<Text>) -> Error {
        self.frame.error(column, message)
    }

    fn note(&mut self, code: Code, column: u32, message: impl FnOnce() -> String) {
        let document = self.current.as_ref().map(|current| current.document.id.to_string());
        self.frame.note(code, column, document, message);
    }

    /// Reads a line other than a plain word within a sentence.
    #[inline(always)]
    fn other_line(&mut self, line: &[u8]) -> Result<()> {
        let first = match line {
            [] | [b'\r'] => {
                self.end_sentence();
                return Ok(());
            }
            [b'#', ..] if self.comment(line)? => return Ok(()),
            [first, ..] => *first,
        };
        let Some(current) = &mut self.current else {
            return if trim_end(line).is_empty() { Ok(()) } else { self.word(line) };
        };
        let Some(start) = last_byte(line, b'\t') else { return self.word_line(line) };
        let (described, cell) = (&line[..start], &line[start + 1..]);
        let usual = first != b'#' && !matches!(cell, [] | [.., b' ' | b'\r']);
        if !usual {
            return self.word_line(line);
        }
        let column = start as u32 + 2;
        // Most cells have one item whose id is a number. No other column has such cells, so the columns need not be
        // counted.
        let numbered = if current.tabs { numbered_item(line, cell) } else { None };
        if numbered.is_none() {
            let columns = count_byte(described, b'\t') + 2;
            if current.columns == 0 {
                current.begin_sentence(columns, true, &self.frame.options);
            } else if columns != current.columns {
                return self.word_line(line);
            }
        }
        current.words.push(described);
        let kept = match &mut current.kept {
            // Lines of such sentences are kept whole and not checked.
            Some(kept) if current.tabs => {
                kept.push(line, described, self.frame.line);
                Ok(())
            }
            _ if self.frame.options.keep_layers => self.keep(line, described, true),
            _ => Ok(()),
        };
        let read = match numbered {
            Some((kind, number)) => self.item(kind, Id { text: cell, number: Some(number) }, column),
            None if matches!(cell, b"-" | b"_") => Ok(()),
            None => self.cell(cell, column),
        };
        if kept.is_err() { both(kept, read) } else { read }
    }

    /// Handles a line that starts with `#`. Returns false if the line has a word.
    pub(super) fn comment(&mut self, line: &[u8]) -> Result<bool> {
        let trimmed = trim_end(line);
        if let Some(name) = begin_line(trimmed) {
            let column = (trimmed.len() - name.len()) as u32 + 1;
            if self.frame.options.all_errors && count_byte(name, b'(') != count_byte(name, b')') {
                let line = String::from_utf8_lossy(name).into_owned();
                self.note(Code::Misspelled, column, || {
                    format!("the name `{line}` has an unbalanced bracket")
                });
            }
            let text = utf8(name, &self.frame.source, self.frame.line, column);
            let id = self.document_id(&String::from_utf8_lossy(name));
            let ended = self.end_document(false);
            self.begin(id, true);
            return both(ended, text.map(|_| ())).map(|()| true);
        }
        if end_line(trimmed) {
            if std::mem::take(&mut self.outside) {
                return Ok(true);
            }
            if self.current.is_none() {
                return Err(self
                    .error(1, "a document ends here but never started")
                    .hint("look for a missing `#begin document` line"));
            }
            self.end_document(true)?;
            return Ok(true);
        }
        // `#` may be a word or start one. In that case columns follow; without tabs, the last column must be
        // coreference.
        let columns = memchr(b'\t', line).is_some() || (self.current.is_some() && ends_as_a_word(trimmed));
        if !columns {
            self.frame.count_comment(trimmed, |_, _| false);
        }
        Ok(!columns)
    }

    fn document_id(&mut self, text: &str) -> DocumentId {
        let (name, part) = parse_id(text);
        if name.is_empty() && part.is_none() {
            let id = self.unnamed_id();
            if text.trim().is_empty() {
                self.note(Code::RepeatedEmptyId, 1, || "a document starts here without an id".to_owned());
            }
            return id;
        }
        match part {
            Some(part) => DocumentId::with_part(name, part),
            None => DocumentId::new(name),
        }
    }

    /// Returns the id of a document without a name: the default for the first such document, then numbered ids.
    fn unnamed_id(&mut self) -> DocumentId {
        let (id, numbered) = self.frame.unnamed_id();
        if numbered {
            self.note(Code::RepeatedEmptyId, 1, || format!("a document without id is called `{id}`"));
        }
        id
    }

    fn begin_without_line(&mut self, line: &[u8]) -> Result<()> {
        let trimmed = trim_end(line);
        let start = trimmed.iter().rposition(|&byte| is_blank(byte)).map_or(0, |place| place + 1);
        if !is_coreference(&trimmed[start..]) {
            if std::mem::replace(&mut self.outside, true) {
                return Ok(());
            }
            return Err(self
                .error(1, "words outside any document, and the last column is not coreference")
                .hint("a conll file starts with `#begin document (NAME); part 000`; is it another format?"));
        }
        let id = self.unnamed_id();
        self.begin(id, false);
        self.note(Code::NoBeginLine, 1, || "words outside any document".to_owned());
        Ok(())
    }

    fn begin(&mut self, id: DocumentId, begun: bool) {
        self.outside = false;
        let mut document = DocumentBuilder::new(id, Arc::clone(&self.frame.source), self.frame.line);
        let words = WordsBuilder::after(self.frame.words_before(), self.frame.options.keep_layers);
        let in_lines = self.frame.options.keep_layers && self.dependencies.is_none();
        let kept = in_lines.then(|| std::mem::take(&mut self.kept_before));
        let current = match self.spare.take() {
            // Keeps the memory of the previous document.
            Some(mut spare) => {
                document.mentions = std::mem::take(&mut spare.document.mentions);
                document.entities = std::mem::take(&mut spare.document.entities);
                Current {
                    document,
                    words,
                    word_numbers: WordNumbers::default(),
                    kept,
                    begun,
                    linked: false,
                    tabs: false,
                    columns: 0,
                    first_columns: 0,
                    lost: 0,
                    ..spare
                }
            }
            None => Current {
                document,
                words,
                word_numbers: WordNumbers::default(),
                kept,
                begun,
                opens: Vec::new(),
                innermost: Vec::new(),
                by_name: FxHashMap::default(),
                by_number: Vec::new(),
                numbers: Vec::new(),
                linked: false,
                columns: 0,
                tabs: false,
                first_columns: 0,
                lost: 0,
            },
        };
        self.current = Some(current);
    }

    /// Ends the current document, if any. `closed` means that an `#end document` line ends it.
    fn end_document(&mut self, closed: bool) -> Result<()> {
        let kept = self.finish_layers();
        let Some(mut current) = self.current.take() else { return Ok(()) };
        if !closed && current.begun && !self.truncated {
            let (line, id) = (current.document.line, current.document.id.to_string());
            let message = format!("`{id}` has no `#end document` line");
            let position = Position::new(&self.frame.source, line, 1);
            self.frame.corpus.diagnostics.add(Code::NoEndLine, Some(position), Some(id), || message);
        }
        self.report_numbers(&mut current);
        self.report_unclosed(&mut current);
        if current.linked {
            self.join_linked(&mut current);
        }
        if let Some(dependencies) = &mut self.dependencies {
            dependencies.give_heads(&mut current.document.mentions);
        }
        let mut words = std::mem::take(&mut current.words).finish();
        self.frame.give_unread(&mut words);
        let mut builder = std::mem::replace(
            &mut current.document,
            DocumentBuilder::new(DocumentId::new(""), Arc::clone(&self.frame.source), 0),
        );
        // Lists that grow at the same time are scattered over new memory. The document gets copies of the final size,
        // and the next document reuses the memory in which the lists grew.
        current.document.mentions = std::mem::take(&mut builder.mentions);
        current.document.entities = std::mem::take(&mut builder.entities);
        builder.mentions = in_final_size(&mut current.document.mentions);
        builder.entities = in_final_size(&mut current.document.entities);
        self.frame.corpus.documents.push(builder.finish(words)?);
        current.opens.clear();
        current.innermost.clear();
        current.by_name.clear();
        // Clearing only these entries keeps one large id from slowing down every later document.
        for number in current.numbers.drain(..) {
            current.by_number[number as usize] = NONE;
        }
        self.spare = Some(current);
        kept
    }

    /// Reports word numbers that are not consecutive, unless the column does not count words at all.
    fn report_numbers(&mut self, current: &mut Current) {
        let mut numbers = std::mem::take(&mut current.word_numbers);
        numbers.end_sentence();
        if !numbers.count_words() {
            return;
        }
        let mut note = |line, column, message: String| {
            let position = Position::new(&self.frame.source, line, column);
            let document = Some(current.document.id.to_string());
            self.frame.corpus.diagnostics.add(Code::WordOrder, Some(position), document, || message);
        };
        for (line, column, number) in numbers.later_starts() {
            let why = "is its first word missing, or is there an extra blank line?";
            note(line, column, format!("a sentence starts with word {number}: {why}"));
        }
        for (line, column, [before, number]) in numbers.others {
            let lost = if number == 0 && before > 0 { ": is a blank line missing?" } else { "" };
            note(line, column, format!("word {number} follows word {before} in the same sentence{lost}"));
        }
    }

    fn report_unclosed(&mut self, current: &mut Current) {
        let mut unclosed: Vec<(u32, Open)> = Vec::new();
        for (entity, &innermost) in current.innermost.iter().enumerate() {
            let mut place = innermost;
            while place != NONE {
                let open = current.opens[place as usize];
                if open.line > current.lost {
                    unclosed.push((entity as u32, open));
                }
                place = open.outer;
            }
        }
        unclosed.sort_unstable_by_key(|(_, open)| (open.line, open.column));
        for (entity, open) in unclosed {
            let name = &current.document.entities[entity as usize];
            let position = Position::new(&self.frame.source, open.line, open.column);
            let document = Some(current.document.id.to_string());
            self.frame.corpus.diagnostics.add(Code::UnclosedMention, Some(position), document, || {
                format!("a mention of entity `{name}` opens here but never closes; it was dropped")
            });
        }
    }

    /// Joins entities whose ids differ only in the link after the second hyphen, in documents that
    /// close such ids by their short form.
    fn join_linked(&mut self, current: &mut Current) {
        let document = &mut current.document;
        let mut places: FxHashMap<&str, u32> = FxHashMap::default();
        let mut joined: Vec<u32> = Vec::with_capacity(document.entities.len());
        let mut names: Vec<EntityName> = Vec::new();
        for entity in &document.entities {
            let short = short_id(entity);
            let place = *places.entry(short).or_insert_with(|| {
                names.push(short.into());
                names.len() as u32 - 1
            });
            joined.push(place);
        }
        document.entities = names;
        for mention in &mut document.mentions {
            mention.set_entity(EntityId::new(joined[mention.entity().index()] as usize));
        }
        let position = Position::new(&self.frame.source, document.line, 1);
        let id = document.id.to_string();
        self.frame.corpus.diagnostics.add(Code::LinkedIds, Some(position), Some(id), || {
            "ids such as `place-1-New_Zealand` are read as `place-1`".to_owned()
        });
    }

    /// Handles a line with a word, in a document or outside.
    pub(super) fn word(&mut self, line: &[u8]) -> Result<()> {
        if self.current.is_none() {
            self.begin_without_line(line)?;
        }
        // After an error outside documents, no document is open.
        if self.current.is_some() { self.word_line(line) } else { Ok(()) }
    }

    /// Handles a line with a word that the fast path does not cover.
    fn word_line(&mut self, line: &[u8]) -> Result<()> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.iter().all(|&byte| is_blank(byte)) {
            self.end_sentence();
            return Ok(());
        }
        let tabs = memchr(b'\t', line).is_some();
        let found = self.columns_of(line, tabs);
        let Some(current) = &mut self.current else { return Ok(()) };
        let expected = if current.columns == 0 { found } else { current.columns };
        if current.columns == 0 {
            current.begin_sentence(found, tabs, &self.frame.options);
        }
        let (start, end) = last_column(line, tabs, found);
        let cell = &line[start..end];
        if found == 1 && !matches!(cell, b"-" | b"_") && !cell.iter().any(|byte| b"()".contains(byte)) {
            let message = "this line has one column; a word and its coreference require two columns";
            current.words.push(cell);
            current.lost = self.frame.line;
            if expected == found {
                // The next line shows how many columns the sentence has.
                (current.columns, current.tabs) = (0, false);
            }
            let kept = if self.frame.options.keep_layers { self.keep(line, b"", tabs) } else { Ok(()) };
            let error = self
                .error(1, message)
                .coded(Code::MissingColumn)
                .hint("is this another format, or are spaces missing?");
            return both(Err(error), kept);
        }
        let described = trim_end(&line[..start]);
        current.words.push(described);
        let kept = if self.frame.options.keep_layers { self.keep(line, described, tabs) } else { Ok(()) };
        let is_empty = matches!(cell, [] | b"-" | b"_");
        // A number in brackets is coreference in any column.
        let is_sure = is_empty || small_number(Id { text: cell, number: None }.text()).is_some();
        // A truncated line may end in something like an empty coreference cell.
        if found < expected || (found > expected && (!is_sure || self.frame.options.all_errors)) {
            let extra = column(line, tabs, expected).map_or(line.len(), |cell| cell.0);
            self.note(Code::ColumnCount, extra as u32 + 1, || {
                format!(
                    "this line has {}, but the first line of its sentence has {expected}",
                    plural(found, "column", "columns")
                )
            });
        }
        if is_empty {
            return kept;
        }
        let read = self.cell(cell, start as u32 + 1);
        both(kept, read)
    }

    pub(super) fn end_sentence(&mut self) {
        if let Some(current) = &mut self.current {
            current.words.end_sentence();
            current.word_numbers.end_sentence();
            current.columns = 0;
            // The columns of the next line must be counted before the fast path can skip counting.
            current.tabs = false;
        }
    }

    /// Returns the number of columns of a line, including an empty last one, unless other lines show that it is only a
    /// space at the end of the line.
    fn columns_of(&self, line: &[u8], tabs: bool) -> u32 {
        let (sentence, first) = match &self.current {
            Some(current) => (current.columns, current.first_columns),
            None => (0, 0),
        };
        let expected = if sentence > 0 { sentence } else { first };
        let mut found = count_columns(line, tabs);
        let mut rest = line;
        while tabs && expected > 0 && found > expected && rest.last() == Some(&b'\t') {
            rest = &rest[..rest.len() - 1];
            found -= 1;
        }
        found
    }

    /// Reads one coreference cell, such as `(3)|(12|7)`; `column` is where it starts.
    fn cell(&mut self, cell: &[u8], column: u32) -> Result<()> {
        let mut items = std::mem::take(&mut self.items);
        items.clear();
        let mut place = 0;
        while place < cell.len() {
            let from = column + place as u32;
            let opens = cell[place] == b'(';
            if cell[place] == b'|' {
                if self.frame.options.all_errors {
                    self.check_bar(cell, place, from);
                }
                place += 1;
                continue;
            }
            let id_start = place + usize::from(opens);
            let id_end = id_start
                + cell[id_start..].iter().position(|b| b"()|".contains(b)).unwrap_or(cell.len() - id_start);
            let mut id = id_start..id_end;
            let closes = cell.get(id_end) == Some(&b')');
            place = id_end + usize::from(closes);
            let ends = cell[id.clone()].first().into_iter().chain(cell[id.clone()].last());
            if ends.into_iter().any(u8::is_ascii_whitespace) {
                id = self.without_blanks(cell, id, opens || closes, column);
            }
            let kind = match (opens, closes) {
                (true, true) => ItemKind::Single,
                (true, false) => ItemKind::Open,
                (false, true) => ItemKind::Close,
                (false, false) if id.is_empty() => continue,
                (false, false) => {
                    let id = String::from_utf8_lossy(&cell[id]).into_owned();
                    self.note(Code::BareId, from, || format!("`{id}` has no bracket and was ignored"));
                    continue;
                }
            };
            if id.is_empty() {
                self.note(Code::EmptyId, from, || "a bracket without an id was ignored".to_owned());
                continue;
            }
            items.push((kind, id.start as u32, id.end as u32, from));
        }
        let mut errors = ErrorList::default();
        // The order of ids determines the order of entities: one-word mentions, then openings, then closings, as in the
        // reference scorer.
        for wanted in [ItemKind::Single, ItemKind::Open, ItemKind::Close] {
            for &(kind, start, end, column) in &items {
                if kind == wanted {
                    let text = &cell[start as usize..end as usize];
                    let read = self.item(kind, Id { text, number: small_number(text) }, column);
                    errors.check(read)?;
                }
            }
        }
        self.items = items;
        errors.finish()
    }

    /// Reports a bar in a cell that is not between mentions.
    fn check_bar(&mut self, cell: &[u8], place: usize, column: u32) {
        let more = || cell[place + 1..].iter().any(|&byte| byte != b'|' && !is_blank(byte));
        if place == 0 || cell[place - 1] == b'|' || !more() {
            self.note(Code::StraySign, column, || {
                "a `|` without a mention on both sides was ignored".to_owned()
            });
        }
    }

    /// Returns the place of an id without the spaces around it. Reports the spaces unless the brackets contain nothing
    /// else.
    #[cold]
    fn without_blanks(
        &mut self,
        cell: &[u8],
        id: Range<usize>,
        in_brackets: bool,
        column: u32,
    ) -> Range<usize> {
        let start = id.end - cell[id.clone()].trim_ascii_start().len();
        let trimmed = start..start + cell[id.clone()].trim_ascii().len();
        if !trimmed.is_empty() || !in_brackets {
            for blanks in [id.start..trimmed.start, trimmed.end..id.end] {
                if !blanks.is_empty() {
                    let at = column + blanks.start as u32;
                    self.note(Code::StraySign, at, || "a space in a cell was ignored".to_owned());
                }
            }
        }
        trimmed
    }

    fn item(&mut self, kind: ItemKind, id: Id<'_>, column: u32) -> Result<()> {
        let Some(current) = &mut self.current else { return Ok(()) };
        let word = current.words.count() - 1;
        let entity = match current.entity(id, &self.frame.source, self.frame.line, column) {
            Ok(entity) => entity,
            Err(error) => {
                current.lost = self.frame.line;
                return Err(error);
            }
        };
        match kind {
            ItemKind::Single => {
                let span = Span::word(word);
                current.mention(span, entity, self.frame.line, column);
            }
            ItemKind::Open => {
                let outer = current.innermost[entity as usize];
                current.innermost[entity as usize] = current.opens.len() as u32;
                current.opens.push(Open { word, line: self.frame.line, column, entity, outer });
            }
            ItemKind::Close => {
                let place = match current.innermost[entity as usize] {
                    NONE => current.linked_open(id.text()),
                    place => Some(place),
                };
                let Some(place) = place else {
                    current.forget_if_new(entity);
                    if current.lost > 0 {
                        return Ok(());
                    }
                    let id = String::from_utf8_lossy(id.text()).into_owned();
                    self.note(Code::UnopenedMention, column, || {
                        format!(
                            "a mention of entity `{id}` closes here but never opened; the bracket was dropped"
                        )
                    });
                    return Ok(());
                };
                let open = current.opens[place as usize];
                current.innermost[open.entity as usize] = open.outer;
                current.opens[place as usize].word = NONE;
                if open.entity != entity {
                    current.linked = true;
                    current.forget_if_new(entity);
                }
                if let Some(span) = Span::new(open.word, word + 1) {
                    current.mention(span, open.entity, open.line, open.column);
                }
            }
        }
        Ok(())
    }

    /// Keeps the annotation of a word: its line or, if lines differ in their columns, the columns. `described` is the
    /// line without its last column.
    fn keep(&mut self, line: &[u8], described: &[u8], tabs: bool) -> Result<()> {
        if self.frame.counts_unread() {
            self.count_unread(line, tabs);
        }
        let Some(current) = &mut self.current else { return Ok(()) };
        // Lines with fewer columns have the word instead of its number.
        let numbered = !(1..WORD_COLUMN + 2).contains(&current.columns);
        if self.frame.options.all_errors && self.dependencies.is_none() && numbered {
            current.word_numbers.take(line, tabs, self.frame.line);
        }
        if let Some(kept) = &mut current.kept {
            if tabs && current.columns == current.first_columns && kept.has_room() {
                kept.push(line, described, self.frame.line);
                return Ok(());
            }
            let mut lines = current.kept.take().unwrap_or_default();
            let before = self.keep_all(&lines);
            lines.clear();
            self.kept_before = lines;
            return both(before, self.keep_layers(line, self.frame.line));
        }
        self.keep_layers(line, self.frame.line)
    }

    /// Counts the cells after the word that are neither kept nor coreference.
    #[cold]
    fn count_unread(&mut self, line: &[u8], tabs: bool) {
        let semeval = self.dependencies.is_some();
        let columns = count_columns(line, tabs);
        let places = layout(columns, semeval);
        let cells = line.split(|&byte| byte == if tabs { b'\t' } else { b' ' });
        let cells: Vec<&[u8]> = cells.filter(|cell| tabs || !cell.is_empty()).collect();
        let form = places[0].unwrap_or(columns);
        let unread =
            (0..columns.saturating_sub(1)).filter(|place| *place > form && !places.contains(&Some(*place)));
        // The reader keeps predicted heads without gold heads, as the heads of mentions.
        let [gold, predicted] = HEAD_COLUMNS;
        let cell = |place: u32| cells.get(place as usize).copied().unwrap_or_default();
        let unread = unread.filter(|&place| !semeval || place != predicted || has_value(cell(gold)));
        self.frame.count_unread(unread.map(cell));
    }

    /// Stores the columns of the lines kept whole so far.
    fn keep_all(&mut self, lines: &KeptLines) -> Result<()> {
        let Some(current) = &mut self.current else { return Ok(()) };
        current.tabs = false;
        let columns = std::mem::replace(&mut current.columns, current.first_columns);
        let mut errors = ErrorList::default();
        for (line, number) in lines.iter() {
            errors.check(self.keep_layers(line, number))?;
        }
        if let Some(current) = &mut self.current {
            current.columns = columns;
        }
        errors.finish()
    }

    /// Builds the layers from lines that were kept whole.
    fn finish_layers(&mut self) -> Result<()> {
        let Some(current) = &mut self.current else { return Ok(()) };
        let Some(mut lines) = current.kept.take() else { return Ok(()) };
        let Some(layers) = current.words.layers_mut() else { return Ok(()) };
        // A column that no line has is empty in every line.
        let [form, others @ ..] = layout(current.first_columns, false);
        let none = current.first_columns;
        let [pos, parse, speaker, named] = others;
        let places = [form, pos, parse, speaker, named].map(|place| place.unwrap_or(none));
        let kept = match lines.take_columns(current.first_columns, places) {
            Some(([form, pos, parse, speaker, named], numbers)) => {
                (layers.form, layers.part_of_speech, layers.parse) = (form, pos, parse);
                (layers.speaker, layers.named_entity, layers.line) = (speaker, named, numbers);
                Ok(())
            }
            None => self.keep_all(&lines),
        };
        lines.clear();
        self.kept_before = lines;
        kept
    }

    /// Keeps the columns of a line.
    fn keep_layers(&mut self, line: &[u8], number: u32) -> Result<()> {
        let Some(current) = &mut self.current else { return Ok(()) };
        let tabs = memchr(b'\t', line).is_some();
        // Columns are read from left to right, so the line is searched once.
        let (mut passed, mut rest) = (0, 0);
        let mut errors = ErrorList::default();
        let mut value = |place: Option<u32>| -> Result<&str> {
            let found = place.and_then(|place| column(&line[rest..], tabs, place - passed));
            let (Some((start, end)), Some(place)) = (found, place) else { return Ok("") };
            let (start, end) = (rest + start, rest + end);
            (passed, rest) = (place, start);
            let text = utf8(&line[start..end], &self.frame.source, number, start as u32 + 1);
            errors.check(text).map(Option::unwrap_or_default)
        };
        let [form, pos, parse, speaker, named] = layout(current.columns, self.dependencies.is_some());
        let first = form.and_then(|place| column(line, tabs, place)).map_or(0, |(start, _)| start + 1);
        let Some(layers) = current.words.layers_mut() else { return Ok(()) };
        layers.form.push(value(form)?);
        layers.form_columns.push(u8::try_from(first).unwrap_or(0));
        layers.line.push(number);
        layers.part_of_speech.push(value(pos)?);
        layers.parse.push(value(parse)?);
        layers.speaker.push(value(speaker)?);
        layers.named_entity.push(value(named)?);
        errors.finish()
    }
}

impl Current {
    /// Takes the number of columns from the first line of a sentence. Blocks of plain words with tabs are skipped
    /// quickly, unless their columns must be kept or checked.
    fn begin_sentence(&mut self, columns: u32, tabs: bool, options: &ReadOptions) {
        self.columns = columns;
        if self.first_columns == 0 {
            self.first_columns = columns;
        }
        let in_lines = |kept: &KeptLines| columns == self.first_columns && kept.has_room();
        self.tabs = tabs
            && match options {
                ReadOptions { all_errors: true, .. } | ReadOptions { count_unread: true, .. } => false,
                ReadOptions { keep_layers: true, .. } => self.kept.as_ref().is_some_and(in_lines),
                _ => true,
            };
    }

    /// Returns the entity called `id`, and creates it at its first occurrence.
    #[inline]
    fn entity(&mut self, id: Id<'_>, source: &Arc<str>, line: u32, column: u32) -> Result<u32> {
        if let Some(number) = id.number {
            match self.by_number.get(number) {
                Some(&entity) if entity != NONE => return Ok(entity),
                _ => {}
            }
            let entity = self.new_entity(id.text(), source, line, column)?;
            if self.by_number.len() <= number {
                self.by_number.resize((number + 1).next_power_of_two().max(64), NONE);
            }
            self.by_number[number] = entity;
            self.numbers.push(number as u32);
            return Ok(entity);
        }
        if let Some(&entity) = self.by_name.get(id.text) {
            return Ok(entity);
        }
        let entity = self.new_entity(id.text, source, line, column)?;
        self.by_name.insert(Box::from(id.text), entity);
        Ok(entity)
    }

    fn new_entity(&mut self, id: &[u8], source: &Arc<str>, line: u32, column: u32) -> Result<u32> {
        let name = utf8(id, source, line, column)?;
        self.document.entities.push(name.into());
        self.innermost.push(NONE);
        Ok(self.document.entities.len() as u32 - 1)
    }

    /// Removes an entity that was created for a bracket that was discarded.
    fn forget_if_new(&mut self, entity: u32) {
        let unused = entity as usize + 1 == self.document.entities.len()
            && self.innermost[entity as usize] == NONE
            && !self.used(entity);
        if !unused {
            return;
        }
        if let Some(name) = self.document.entities.pop() {
            self.innermost.pop();
            match small_number(name.as_bytes()) {
                Some(number) => self.by_number[number] = NONE,
                None => _ = self.by_name.remove(name.as_bytes()),
            }
        }
    }

    /// Returns whether a mention belongs to `entity`, the newest entity. Only the newest mentions can.
    fn used(&self, entity: u32) -> bool {
        let newest = EntityId::new(entity as usize);
        self.document.mentions.iter().rev().take(LINKED_DEPTH).any(|mention| mention.entity() == newest)
    }

    fn mention(&mut self, span: Span, entity: u32, line: u32, column: u32) {
        let entity = EntityId::new(entity as usize);
        self.document.mentions.push(Mention::new(span, entity, line, column));
    }

    /// Returns the innermost open bracket whose id is `short` followed by a link, as in GUM. Examines only the newest
    /// brackets, so that the time for a broken file stays linear.
    fn linked_open(&self, short: &[u8]) -> Option<u32> {
        let newest = self.opens.iter().enumerate().rev().take(LINKED_DEPTH);
        for (place, open) in newest {
            let name = &self.document.entities[open.entity as usize];
            if open.word != NONE && name.len() > short.len() && short_id(name).as_bytes() == short {
                return Some(place as u32);
            }
        }
        None
    }
}

/// Returns the columns of word, part of speech, parse, speaker and named entity. Lines of 12 or more columns have the
/// full CoNLL-2012 layout; with fewer columns, only the word is known. In SemEval's layout, the word is in the second
/// column.
fn layout(columns: u32, semeval: bool) -> [Option<u32>; 5] {
    let form = match columns {
        _ if semeval => Some(1),
        0 | 1 => None,
        few if few < WORD_COLUMN + 2 => Some(few - 2),
        _ => Some(WORD_COLUMN),
    };
    let full = columns >= FULL_COLUMNS && !semeval;
    let other = |place| full.then_some(place);
    [form, other(4), other(5), other(9), other(10)]
}

/// Takes words as long as their lines end in a tab and `-`. Returns the number of words, and the first other line, if
/// any.
#[inline(always)]
fn plain_words<'l, F: FindBytes>(
    lines: &mut Lines<'l, F>,
    words: &mut WordsBuilder,
    mut taken: impl FnMut(&[u8]),
) -> (u32, Option<&'l [u8]>) {
    let before = words.count();
    let mut other = None;
    words.extend(std::iter::from_fn(|| match lines.next() {
        Some([described @ .., b'\t', b'-']) => {
            taken(described);
            Some(described)
        }
        line => {
            other = line;
            None
        }
    }));
    (words.count() - before, other)
}

impl ConllReader {
    /// Returns whether the last line of a file is a truncated `#begin document` line, and warns if so.
    pub(super) fn is_cut_begin(&mut self, line: &[u8]) -> bool {
        let is_cut = self.current.is_none() && b"#begin document ".starts_with(line);
        if is_cut {
            self.truncated = true;
            self.note(Code::Truncated, line.len() as u32 + 1, || {
                "the file is truncated within the first line of a document".to_owned()
            });
        }
        is_cut
    }

    /// Reads the last line of a file without a line end. If it is truncated, one warning replaces all others about it.
    #[cold]
    fn last_line(&mut self, line: &[u8]) -> Result<()> {
        self.frame.line += 1;
        let begun = self.current.as_ref().is_some_and(|current| current.begun);
        if self.is_cut_begin(line) {
            return Ok(());
        }
        if !begun || line[0] == b'#' {
            return self.other_line(line);
        }
        let expected = self.current.as_ref().map_or(0, |current| current.columns);
        let found = count_columns(trim_end(line), memchr(b'\t', line).is_some());
        let before = self.frame.corpus.diagnostics.so_far();
        let read = self.other_line(line);
        if found < expected || self.frame.corpus.diagnostics.warnings() > before.0.warnings() {
            self.frame.corpus.diagnostics.back_to(before);
            self.truncated = true;
            self.note(Code::Truncated, line.len() as u32 + 1, || match found < expected {
                true => format!(
                    "the file is truncated: its last line has {found} of {expected} columns, and it has no \
                     `#end document`"
                ),
                false => "the file is truncated within its last line and has no `#end document`".to_owned(),
            });
            return Ok(());
        }
        read
    }
}

/// Reads a block of lines.
struct FeedLines<'r>(&'r mut ConllReader);

impl LineTask for FeedLines<'_> {
    type Output = Result<()>;

    #[inline(always)]
    fn run<F: FindBytes>(self, mut lines: Lines<'_, F>) -> Result<()> {
        let reader = self.0;
        loop {
            // Nearly all lines are words within a sentence at which no mention starts or ends.
            let other = match &mut reader.current {
                Some(current) if current.tabs => {
                    let Current { words, kept, .. } = current;
                    let (plain, other) = match kept {
                        None => plain_words(&mut lines, words, |_| {}),
                        Some(kept) => {
                            let (block, from) = (lines.block(), lines.next_start());
                            let mut ends = LineEnds::default();
                            let (plain, other) =
                                plain_words(&mut lines, words, |described| ends.see(described));
                            let to = other
                                .map_or(block.len(), |line| line.as_ptr().addr() - block.as_ptr().addr());
                            kept.push_lines(
                                block.get(from..to).unwrap_or_default(),
                                plain,
                                reader.frame.line + 1,
                                ends,
                            );
                            (plain, other)
                        }
                    };
                    reader.frame.line += plain;
                    other
                }
                _ => lines.next(),
            };
            let Some(other) = other else { return Ok(()) };
            reader.frame.line += 1;
            reader.other_line(other)?;
        }
    }
}

impl Reader for ConllReader {
    fn mapped(&mut self, file: &Arc<Mapped>) {
        self.kept_before = KeptLines::of_file(file);
    }

    fn feed(&mut self, lines: &[u8]) -> Result<()> {
        let whole = memrchr(b'\n', lines).map_or(0, |end| end + 1);
        lines::run(&lines[..whole], FeedLines(self))?;
        if whole < lines.len() { self.last_line(&lines[whole..]) } else { Ok(()) }
    }

    fn finish(mut self: Box<Self>) -> Result<Corpus> {
        self.end_document(false)?;
        let hint = "a conll file starts with `#begin document (NAME); part 000`";
        self.frame.finish("this file has no document", hint)
    }

    fn frame(&mut self) -> Option<&mut Frame> {
        Some(&mut self.frame)
    }

    fn resumes(&self) -> bool {
        true
    }
}

/// The number of newest mentions or brackets that are searched.
const LINKED_DEPTH: usize = 1024;

/// The column of the word, from 0, in layouts of five or more columns. With fewer columns it is the last but one.
const WORD_COLUMN: u32 = 3;

/// The smallest number of columns of the full CoNLL-2012 layout.
const FULL_COLUMNS: u32 = 12;

/// Moves the contents of a list to memory of exactly their size. Long lists keep their memory, because copying them
/// costs more than it saves.
fn in_final_size<T>(list: &mut Vec<T>) -> Vec<T> {
    const LONG: usize = 1 << 12;
    if list.len() > LONG {
        return std::mem::take(list);
    }
    let mut exact = Vec::with_capacity(list.len());
    exact.append(list);
    exact
}

/// Returns whether a line ends with a column of coreference: `-`, `_`, or brackets around numbers.
fn ends_as_a_word(line: &[u8]) -> bool {
    let Some(blank) = line.iter().rposition(|byte| byte.is_ascii_whitespace()) else { return false };
    let last = &line[blank + 1..];
    let has = |wanted: fn(u8) -> bool| last.iter().any(|&byte| wanted(byte));
    let brackets = has(|byte| matches!(byte, b'(' | b')')) && has(|byte| byte.is_ascii_digit());
    let others = has(|byte| !matches!(byte, b'(' | b')' | b'|' | b'0'..=b'9'));
    matches!(last, b"-" | b"_") || (brackets && !others)
}

/// Parses name and part of `(NAME); part 000`, `NAME; part 0`, `(NAME);` or `NAME`.
fn parse_id(text: &str) -> (&str, Option<u32>) {
    let text = text.trim();
    let (name, rest) = match (text.strip_prefix('('), text.rfind(')')) {
        (Some(_), Some(close)) => (&text[1..close], &text[close + 1..]),
        _ => match text.rfind("; part ") {
            Some(place) => (&text[..place], &text[place..]),
            None => (text.trim_end_matches(';'), ""),
        },
    };
    let part =
        rest.trim_start_matches([';', ' ', '\t']).strip_prefix("part").and_then(|n| n.trim().parse().ok());
    (name.trim(), part)
}

/// Returns the id without a link: `place-1` of `place-1-New_Zealand`. Other ids are returned unchanged.
fn short_id(id: &str) -> &str {
    let mut hyphens = id.match_indices('-').map(|(place, _)| place);
    let (Some(first), Some(second)) = (hyphens.next(), hyphens.next()) else { return id };
    let number = &id[first + 1..second];
    let counted = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    if counted { &id[..second] } else { id }
}

/// Parses an id of at most five digits without a leading zero.
fn small_number(id: &[u8]) -> Option<usize> {
    if id.len() > 5 || id.is_empty() || (id[0] == b'0' && id.len() > 1) {
        return None;
    }
    id.iter()
        .try_fold(0, |number, &byte| byte.is_ascii_digit().then(|| number * 10 + usize::from(byte - b'0')))
}

/// Parses a cell with one item whose id is a small number: `(12`, `12)` or `(12)`. Most cells have this form. `cell` is
/// the end of `line`.
#[inline(always)]
fn numbered_item(line: &[u8], cell: &[u8]) -> Option<(ItemKind, usize)> {
    let (first, last) = (*cell.first()?, *cell.last()?);
    let kind = match (first == b'(', last == b')') {
        (true, true) => ItemKind::Single,
        (true, false) => ItemKind::Open,
        (false, true) => ItemKind::Close,
        (false, false) => return None,
    };
    let length = cell.len().checked_sub(usize::from(first == b'(') + usize::from(last == b')'))?;
    let end = line.len() - usize::from(last == b')');
    let digits = line[..end].last_chunk::<8>()?;
    Some((kind, eight_digits(u64::from_le_bytes(*digits), length)?))
}

/// Reads the number that the last `length` of eight bytes spell, if they are at most five digits without a leading
/// zero. All digits are read at once, because their number is hard to predict.
#[inline(always)]
fn eight_digits(bytes: u64, length: usize) -> Option<usize> {
    const ZEROS: u64 = 0x3030_3030_3030_3030;
    if length == 0 || length > 5 {
        return None;
    }
    let mask = u64::MAX << (8 * (8 - length));
    let text = bytes & mask | ZEROS & !mask;
    // Every byte is a digit if neither the sum nor the difference reaches its top bit.
    let others =
        (text.wrapping_add(0x4646_4646_4646_4646) | text.wrapping_sub(ZEROS)) & 0x8080_8080_8080_8080;
    let leading_zero = length > 1 && (text >> (8 * (8 - length))) & 0xFF == u64::from(b'0');
    if others != 0 || leading_zero {
        return None;
    }
    // Combines digits into pairs, pairs into groups of four, and these into the number.
    let ones = text & 0x0F0F_0F0F_0F0F_0F0F;
    let pairs = (ones.wrapping_mul(10) + (ones >> 8)) & 0x00FF_00FF_00FF_00FF;
    let fours = (pairs.wrapping_mul(100) + (pairs >> 16)) & 0x0000_FFFF_0000_FFFF;
    Some(((fours & 0xFFFF) * 10_000 + (fours >> 32)) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_in_every_spelling() {
        for (text, name, part) in [
            ("(bc/cctv/00/cctv_0000); part 000", "bc/cctv/00/cctv_0000", Some(0)),
            ("(a,b:c (d)); part 12", "a,b:c (d)", Some(12)),
            ("(LuoTestCase);", "LuoTestCase", None),
            ("0", "0", None),
            ("plain; part 1", "plain", Some(1)),
            ("();", "", None),
        ] {
            assert_eq!(parse_id(text), (name, part), "{text}");
        }
    }

    #[test]
    fn numbered_items_agree_with_reading_digit_by_digit() {
        for id in [
            "0", "7", "12", "345", "6789", "10203", "99999", "007", "00", "123456", "1a", "a1", "/", ":", "",
            "1:2",
        ] {
            for (cell, kind) in [("(ID", 1), ("ID)", 2), ("(ID)", 0)] {
                let cell = cell.replace("ID", id);
                let line = format!("doc\t0\t3\tword\t{cell}");
                let item = numbered_item(line.as_bytes(), cell.as_bytes());
                let item = item.map(|(kind, number)| (kind as usize, number));
                assert_eq!(item, small_number(id.as_bytes()).map(|number| (kind, number)), "{cell}");
            }
        }
    }

    #[test]
    fn short_ids() {
        assert_eq!(short_id("place-1-New_Zealand"), "place-1");
        assert_eq!(short_id("a-b-c"), "a-b-c");
        assert_eq!(short_id("place-1"), "place-1");
    }

    /// Returns the words of a text with their annotation.
    fn layers(text: &[u8]) -> Result<Vec<[String; 6]>> {
        let options = ReadOptions::with_layers();
        let corpus = SPEC.read(text, "x", options)?;
        let rows = corpus.documents.iter().flat_map(|document| {
            let layers = document.words().layers().expect("they were kept");
            (0..document.words().count() as usize).map(|word| {
                let [form, pos, parse, speaker, named] = [
                    &layers.form, &layers.part_of_speech, &layers.parse, &layers.speaker,
                    &layers.named_entity,
                ]
                .map(|column| column.get(word).expect("one for each word").to_owned());
                [form, pos, parse, speaker, named, layers.line.get(word).unwrap().to_string()]
            })
        });
        Ok(rows.collect())
    }

    #[test]
    fn layers_do_not_depend_on_how_lines_are_kept() {
        let full = |word: &str, coreference: &str| {
            format!("d\t0\t0\t{word}\tNN\t(NP*)\t-\t-\t-\tAda\t(ORG)\t{coreference}\n")
        };
        let known = |word: &str, line: u32| {
            [word, "NN", "(NP*)", "Ada", "(ORG)"].map(str::to_owned).into_iter().chain([line.to_string()])
        };
        let row = |word: &str, line: u32| -> [String; 6] {
            known(word, line).collect::<Vec<_>>().try_into().expect("six cells")
        };
        let begin = "#begin document (d); part 000\n";
        let sentences = format!(
            "{}{}{}\n{}{}",
            full("a", "-"),
            full("b", "(0"),
            full("c", "-"),
            full("é", "0)"),
            full("e", "-")
        );
        let rows = vec![row("a", 2), row("b", 3), row("c", 4), row("é", 6), row("e", 7)];
        let of = |text: String| layers(text.as_bytes()).expect("the text is valid");
        assert_eq!(of(format!("{begin}{sentences}#end document\n")), rows);
        assert_eq!(of(format!("{begin}{}", sentences.trim_end())), rows, "no last line feed");
        let crlf = format!("{begin}{sentences}").replace('\n', "\r\n");
        assert_eq!(of(crlf), rows);
        let blanks = format!("{begin}{sentences}").replace('\t', "  ");
        assert_eq!(of(blanks), rows);
        // Lines with different columns, or without tabs, stop the reader from keeping lines whole.
        let few = [["x", "", "", "", "", "9"], ["y", "", "", "", "", "10"]].map(|row| row.map(str::to_owned));
        let mixed: Vec<_> = rows.iter().cloned().chain(few).collect();
        assert_eq!(of(format!("{begin}{sentences}\nx\t-\ny\t-\n")), mixed);
        assert_eq!(of(format!("{begin}{sentences}\nx -\ny -\n")), mixed);
        let twice = format!("{begin}{sentences}#end document\n#begin document (e);\n{}", full("f", "-"));
        assert_eq!(of(twice).len(), 6);
    }

    #[test]
    fn layers_have_to_be_utf_8() {
        let mut text = b"#begin document (d);\nd\t0\t0\ta\tNN\t*\tlemma\t-\t-\t-\t*\t(0)\n".to_vec();
        let place = text.iter().position(|&byte| byte == b'l').expect("the lemma");
        text[place] = 0xff;
        assert!(layers(&text).is_ok(), "nothing is kept of the column");
        let place = text.iter().position(|&byte| byte == b'N').expect("the tag");
        text[place] = 0xff;
        let error = layers(&text).expect_err("the tag is kept");
        assert!(error.to_string().contains('2'), "{error}");
    }
}
