//! Reads tables: one row per mention, with columns for its name, its entity and optionally its document.
//!
//! Such tables are used in entity resolution and cross-document coreference. Commas, semicolons or tabs separate the
//! cells. The first row names the columns, in any order and possibly with others. Without column names, a row is a
//! mention and its entity, or a document, a mention and its entity. A row takes no memory beyond its name and its
//! mention, so tables of 10⁸ rows can be read. Optional features of the crate add Parquet and Arrow.

#[cfg(feature = "arrow")]
mod arrow;
mod columnar;
mod dispatch;
mod header;
mod missing;
#[cfg(feature = "parquet")]
mod pages;
#[cfg(feature = "parquet")]
mod parquet;
mod splitter;

#[cfg(all(feature = "parquet", feature = "fuzzing"))]
pub use self::parquet::read_in_both_ways;

pub(crate) use self::columnar::{ColumnCells, Columnar};
pub(crate) use self::dispatch::PlainBatches;
use self::header::{FirstRow, names_columns};
pub(crate) use self::missing::{is_missing, is_word_for_missing, read_as_name, why_missing};
pub(crate) use self::splitter::{RowSplitter, SplitRow};
use crate::wording::{Text, option_blank, plural, text};
use std::sync::Arc;

use memchr::memchr;
use rustc_hash::FxHashMap;

use super::file_reader::{ErrorList, both};
use super::frame::has_value;
use super::{Aspect, FormatSpec, ReadOptions, Reader, links, utf8};
use crate::diagnostic::{Code, Diagnostics, Position};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{
    Corpus, DocumentBuilder, DocumentId, ENTITY_TYPE, EntityId, MENTION_TYPE, Mention, MentionDetails,
    NameList, Span, WordsBuilder,
};

/// `table`.
pub(super) const SPEC: FormatSpec = FormatSpec {
    id: "table",
    summary: "one row per mention: columns `mention` and `entity`, optionally `document` and `topic`",
    extensions: &["csv", "tsv", "parquet", "arrow", "arrows", "feather"],
    unread_extensions: match (cfg!(feature = "parquet"), cfg!(feature = "arrow")) {
        (true, true) => &[],
        (true, false) => &["arrow", "arrows", "feather"],
        (false, true) => &["parquet"],
        (false, false) => &["parquet", "arrow", "arrows", "feather"],
    },
    expresses: &[Aspect::Attributes, Aspect::EmptyNodes, Aspect::Topic],
    detect,
    reader: |source, options| Box::new(TableReader::new(source, options)),
    write: Some(super::write::table::WRITER),
    ..FormatSpec::PLAIN
};

/// The separators of cells, in the order in which they are tried.
const DELIMITERS: [u8; 3] = [b'\t', b',', b';'];

/// The names of the columns that are read, in lower case with `_`. If several of these names are present, the first
/// name in the list is used.
const MENTION: &[&str] = &["mention_id", "mention", "record_id", "record", "id"];
const ENTITY: &[&str] = &["entity_id", "cluster_id", "entity", "cluster", "label"];
const DOCUMENT: &[&str] = &["doc_id", "document_id", "document", "doc"];
const TOPIC: &[&str] = &["topic_id", "topic"];
const TYPE_OF_ENTITY: &[&str] = &["entity_type"];
const TYPE_OF_MENTION: &[&str] = &["mention_type"];

/// The columns of a table of counts (see [`counts`](crate::counts)), which has no mentions; `document` may be absent.
pub(crate) const COUNT_COLUMNS: [&str; 4] = ["document", "key", "response", "count"];

/// The hint for errors about columns.
const HINT: &str =
    "name the columns in the first row: `mention` and `entity`, optionally `document` and `topic`";

/// The hint for errors about a first row that is probably a header.
const HINT_OF_HEADER: &str = "rename the columns to `mention` and `entity`, optionally `document`; if this row is a \
    mention, insert a row with these names above it";

/// Returns whether the first row names the columns, or names other columns and all rows have the same number of cells.
/// Without names, all rows have two cells or all have three, and no cell is empty or contains spaces.
fn detect(bytes: &[u8]) -> bool {
    let mut lines =
        bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let Some(first) = lines.next() else { return false };
    if DELIMITERS
        .iter()
        .any(|&delimiter| ColumnRoles::named(first, delimiter).is_some_and(|found| found.is_ok()))
    {
        return true;
    }
    // Recognises tables of counts too, so that the error message can mention them.
    if DELIMITERS.iter().any(|&delimiter| names_counts(&names_in(&String::from_utf8_lossy(first), delimiter)))
    {
        return true;
    }
    let Some(&delimiter) = DELIMITERS.iter().find(|delimiter| first.contains(delimiter)) else {
        return false;
    };
    let cells = |line: &[u8]| -> Option<usize> {
        let mut cells = line.split(|&byte| byte == delimiter).map(<[u8]>::trim_ascii);
        let plain = |cell: &[u8]| !cell.is_empty() && !cell.contains(&b' ') && !b"#{[<".contains(&cell[0]);
        cells.try_fold(0, |count, cell| plain(cell).then_some(count + 1))
    };
    let count = cells(first);
    let mut others: Vec<&[u8]> = lines.collect();
    // The last line may be cut.
    if others.len() > 1 {
        others.pop();
    }
    // Recognises tables with other columns too, so that the error message can mention the names.
    let delimiters = |line: &[u8]| memchr::memchr_iter(delimiter, line).count();
    let names = String::from_utf8_lossy(first);
    let names = names_in(&names, delimiter);
    if (ColumnRoles::of_names(&names).is_some() || names_columns(names.into_iter()))
        && others.iter().all(|line| delimiters(line) == delimiters(first))
    {
        return !others.is_empty();
    }
    matches!(count, Some(2 | 3))
        && (delimiter == b'\t' || !others.is_empty())
        && others.iter().all(|line| cells(line) == count)
        && !links::detect(bytes)
}

/// Returns the names in the first line.
fn names_in(line: &str, delimiter: u8) -> Vec<&str> {
    line.split(char::from(delimiter)).map(|cell| cell.trim().trim_matches('"')).collect()
}

/// Returns whether these names identify a table of counts.
fn names_counts(names: &[&str]) -> bool {
    let has = |column: &&str| names.iter().any(|name| name.trim().eq_ignore_ascii_case(column));
    COUNT_COLUMNS.iter().skip(1).all(has)
}

/// The remedy for a table of counts that is given instead of documents.
pub(super) fn hint_of_counts() -> Text {
    text!(
        "score tables of counts on their own: {} instead of key and response",
        option_blank("overlap", "COUNTS")
    )
}

/// The roles of columns.
#[derive(Clone, Debug)]
struct ColumnRoles {
    /// The number of cells in a row.
    cells: usize,
    mention: usize,
    entity: usize,
    document: Option<usize>,
    topic: Option<usize>,
    entity_type: Option<usize>,
    mention_type: Option<usize>,
    /// The assumption made because names are ambiguous or missing.
    assumed: Option<String>,
}

impl ColumnRoles {
    /// Returns the layout that the first line names. Returns `None` if it names none of the columns, and an error
    /// message if it names only one of mention and entity.
    fn named(line: &[u8], delimiter: u8) -> Option<std::result::Result<ColumnRoles, String>> {
        ColumnRoles::of_names(&names_in(&String::from_utf8_lossy(line), delimiter))
    }

    /// Returns the layout that the cells of the first row name, or an error message if it lacks a column or repeats one.
    fn of_names(names: &[&str]) -> Option<std::result::Result<ColumnRoles, String>> {
        let names: Vec<String> =
            names.iter().map(|name| name.trim().to_lowercase().replace(['-', ' '], "_")).collect();
        let (mut assumed, mut repeated) = (None, None);
        let mut find = |known: &[&str]| -> Option<usize> {
            let mut found = known.iter().filter_map(|name| names.iter().position(|other| other == *name));
            let first = found.next()?;
            if names[first + 1..].contains(&names[first]) {
                repeated = Some(names[first].clone());
            }
            if let Some(second) = found.next() {
                let (taken, passed) = (&names[first], &names[second]);
                assumed = Some(format!("both `{taken}` and `{passed}` fit; the column `{taken}` is read"));
            }
            Some(first)
        };
        let (mention, entity) = (find(MENTION), find(ENTITY));
        let (document, topic) = (find(DOCUMENT), find(TOPIC));
        let (entity_type, mention_type) = (find(TYPE_OF_ENTITY), find(TYPE_OF_MENTION));
        if let Some(name) = repeated {
            return Some(Err(format!("the first row names the column `{name}` twice")));
        }
        match (mention, entity) {
            (Some(mention), Some(entity)) => Some(Ok(ColumnRoles {
                cells: names.len(),
                mention,
                entity,
                document,
                topic,
                entity_type,
                mention_type,
                assumed,
            })),
            (None, None) => None,
            (mention, _) => {
                let (there, lacking) =
                    if mention.is_some() { ("mention", "entity") } else { ("entity", "mention") };
                Some(Err(format!(
                    "the first row names a column of the {there} but no column of the {lacking}"
                )))
            }
        }
    }

    /// Returns the number of unread cells of a row that have a value.
    fn unread<'c>(&self, cells: impl Iterator<Item = &'c str>) -> u32 {
        let others = [self.document, self.topic, self.entity_type, self.mention_type];
        let is_read = |place| place == self.mention || place == self.entity || others.contains(&Some(place));
        let cells = cells.enumerate().filter(|&(place, _)| !is_read(place));
        cells.filter(|(_, cell)| has_value(cell.trim_ascii().as_bytes())).count() as u32
    }

    /// Returns the layout of rows without column names.
    fn unnamed(cells: usize) -> Option<ColumnRoles> {
        let (document, mention, what) = match cells {
            2 => (None, 0, "a mention and its entity"),
            3 => (Some(0), 1, "a document, a mention and its entity"),
            _ => return None,
        };
        Some(ColumnRoles {
            cells,
            mention,
            entity: mention + 1,
            document,
            topic: None,
            entity_type: None,
            mention_type: None,
            assumed: Some(format!("the first row does not name columns: each row is read as {what}")),
        })
    }
}

struct TableReader {
    source: Arc<str>,
    /// The bytes of a columnar file, which is parsed when it is complete.
    columnar: Option<(Columnar, Vec<u8>)>,
    line: u32,
    /// The separator of cells; `None` before the first row.
    delimiter: Option<u8>,
    layout: Option<ColumnRoles>,
    /// True if the first row names the columns.
    named: bool,
    /// The first row, as long as it may be a header.
    first: Option<FirstRow>,
    rows: RowDocuments,
    splitter: RowSplitter,
}

impl TableReader {
    fn new(source: Arc<str>, options: ReadOptions) -> TableReader {
        TableReader {
            rows: RowDocuments::new(Arc::clone(&source), &options),
            splitter: RowSplitter::new(Arc::clone(&source)),
            source,
            columnar: None,
            line: 0,
            delimiter: None,
            layout: None,
            named: false,
            first: None,
        }
    }

    fn line(&mut self, line: &[u8]) -> Result<()> {
        self.line = self.line.saturating_add(1);
        match utf8(line, &self.source, self.line, 1) {
            Ok(text) => self.text_line(text),
            Err(error) => both(Err(error), self.text_line(&String::from_utf8_lossy(line))),
        }
    }

    fn text_line(&mut self, text: &str) -> Result<()> {
        let line = text.as_bytes();
        if !self.splitter.is_within_row() && text.trim_ascii().is_empty() {
            return Ok(());
        }
        let delimiter = match self.delimiter {
            Some(delimiter) => delimiter,
            None => *self.delimiter.insert(self.detect_delimiter(line)?),
        };
        let TableReader { source, splitter, rows, layout, named, first, .. } = self;
        let Some(row) = splitter.add(text, self.line, delimiter)? else { return Ok(()) };
        let (layout, is_first) = match layout {
            Some(layout) => (layout, false),
            None => {
                let (found, is_named) = detect_layout(&row, source)?;
                if let Some(assumed) = &found.assumed {
                    let (line, column) = row.place(0);
                    let position = Position::new(source, line, column);
                    rows.diagnostics.add(Code::ColumnsAssumed, Some(position), None, || assumed.clone());
                }
                *named = is_named;
                let layout = layout.insert(found);
                if is_named {
                    return Ok(());
                }
                *first = FirstRow::of(&row);
                (layout, true)
            }
        };
        row.check_count(layout.cells, source)?;
        let cell = |place: usize| row.cell(place);
        let place = |cell: Option<usize>| cell.map_or((row.place(0).0, 0), |cell| row.place(cell));
        let found = TableRow {
            mention: cell(layout.mention),
            entity: cell(layout.entity),
            document: layout.document.map(cell),
            topic: layout.topic.map(cell),
            entity_type: layout.entity_type.map(cell),
            mention_type: layout.mention_type.map(cell),
            mention_place: row.place(layout.mention),
            entity_place: row.place(layout.entity),
            document_place: place(layout.document),
            topic_place: place(layout.topic),
        };
        let unread = if rows.count_unread { layout.unread(row.cells()) } else { 0 };
        let added = rows.add(&found, unread);
        let mentioned = [found.mention, found.entity];
        if !is_first && first.as_mut().is_some_and(|first| !first.compare(mentioned)) {
            return both(check_first(first, source), added);
        }
        added
    }

    /// Returns the separator of the cells of the first row.
    fn detect_delimiter(&self, line: &[u8]) -> Result<u8> {
        let named = |delimiter: &&u8| matches!(ColumnRoles::named(line, **delimiter), Some(Ok(_)));
        let found = DELIMITERS.iter().find(named).or_else(|| DELIMITERS.iter().find(|d| line.contains(d)));
        found.copied().ok_or_else(|| {
            Error::new(ErrorKind::Format, "this row has one cell; a mention and its entity require two cells")
                .coded(Code::MissingColumn)
                .at(Position::new(&self.source, self.line, 1))
                .hint("separate the cells by commas, semicolons or tabs")
        })
    }
}

/// Fails if the first row is probably a header. It is checked once.
fn check_first(first: &mut Option<FirstRow>, source: &Arc<str>) -> Result<()> {
    let Some((first, names)) = first.take().and_then(FirstRow::header) else { return Ok(()) };
    let message = format!(
        "this row seems to name columns, but none of mentions and entities: it has no digits, unlike all {names} \
         in the next {} rows",
        first.rows
    );
    let (line, column) = first.place;
    Err(Error::new(ErrorKind::Format, message)
        .coded(Code::MissingColumn)
        .at(Position::new(source, line, column))
        .hint(HINT_OF_HEADER))
}

/// Detects the layout from the first row, and whether that row names the columns.
fn detect_layout(row: &SplitRow<'_>, source: &Arc<str>) -> Result<(ColumnRoles, bool)> {
    let names: Vec<&str> = row.cells().collect();
    let error = |message: Text, hint: Text| {
        let (line, column) = row.place(0);
        Error::new(ErrorKind::Format, message)
            .coded(Code::MissingColumn)
            .at(Position::new(source, line, column))
            .hint(hint)
    };
    match ColumnRoles::of_names(&names) {
        Some(Ok(layout)) => Ok((layout, true)),
        _ if names_counts(&names) => {
            Err(error("this is a table of counts, which has no mentions".into(), hint_of_counts()))
        }
        Some(Err(message)) => Err(error(message.into(), HINT.into())),
        None => match ColumnRoles::unnamed(row.count()) {
            Some(_) if names_columns(row.cells()) => Err(error(
                "the first row names columns, but none of mentions and entities".into(),
                HINT_OF_HEADER.into(),
            )),
            Some(layout) => Ok((layout, false)),
            None => {
                let cells = plural(row.count(), "cell", "cells");
                let message = format!(
                    "the first row has {cells} and does not name the columns of mentions and entities"
                );
                Err(error(message.into(), HINT.into()))
            }
        },
    }
}

impl Reader for TableReader {
    fn feed(&mut self, lines: &[u8]) -> Result<()> {
        if self.line == 0 && self.columnar.is_none() {
            self.columnar = Columnar::of(lines).map(|columnar| (columnar, Vec::new()));
        }
        if let Some((_, bytes)) = &mut self.columnar {
            bytes.extend_from_slice(lines);
            return Ok(());
        }
        let mut rest = lines;
        while !rest.is_empty() {
            let end = memchr(b'\n', rest).map_or(rest.len(), |place| place + 1);
            let (line, after) = rest.split_at(end);
            rest = after;
            self.line(line)?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Corpus> {
        if let Some((columnar, bytes)) = self.columnar.take() {
            columnar.read(bytes, &self.source, &mut self.rows)?;
        }
        self.splitter.finish()?;
        check_first(&mut self.first, &self.source)?;
        self.rows.finish()
    }

    fn line_number(&mut self) -> Option<&mut u32> {
        Some(&mut self.line)
    }

    fn resumes(&self) -> bool {
        // Without known columns, every row would repeat the error of the first row.
        self.layout.is_some()
    }
}

/// The columns of a table that contains only mentions and entities, and documents if there are several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlainColumns {
    /// The separator of cells.
    pub delimiter: u8,
    /// The number of cells in a row.
    pub cells: usize,
    /// The places of mention and entity among the cells.
    pub mention: usize,
    pub entity: usize,
    /// The place of the document, if any.
    pub document: Option<usize>,
    /// True if the first row names the columns.
    pub named: bool,
}

/// Returns the columns of a table that starts with these lines. Returns `None` if other columns are read, or if the
/// table has errors.
pub(crate) fn plain_columns(lines: &[u8]) -> Option<PlainColumns> {
    let mut reader = TableReader::new(Arc::from(""), ReadOptions::default());
    reader.feed(lines).ok()?;
    let ColumnRoles { cells, mention, entity, document, topic, entity_type, mention_type, .. } =
        reader.layout?;
    let others = [topic, entity_type, mention_type];
    let plain = reader.columnar.is_none() && mention != entity && others.iter().all(Option::is_none);
    plain.then_some(PlainColumns {
        delimiter: reader.delimiter?,
        cells,
        mention,
        entity,
        document,
        named: reader.named,
    })
}

/// Returns the start and the end of a cell without the spaces around it.
#[inline]
pub(crate) fn trimmed(block: &[u8], start: usize, end: usize) -> (u32, u32) {
    let cell = &block[start..end];
    match cell {
        [first, .., last] if *first > b' ' && *last > b' ' => (start as u32, end as u32),
        _ => {
            let start = start + cell.len() - cell.trim_ascii_start().len();
            (start as u32, (start + block[start..end].trim_ascii().len()) as u32)
        }
    }
}

/// One row.
struct TableRow<'r> {
    mention: &'r str,
    entity: &'r str,
    document: Option<&'r str>,
    topic: Option<&'r str>,
    entity_type: Option<&'r str>,
    mention_type: Option<&'r str>,
    mention_place: (u32, u32),
    entity_place: (u32, u32),
    document_place: (u32, u32),
    topic_place: (u32, u32),
}

/// The documents that the rows form.
struct RowDocuments {
    source: Arc<str>,
    default_id: String,
    /// True if cells of unread columns are counted.
    count_unread: bool,
    documents: Vec<Gathered>,
    by_id: FxHashMap<Box<str>, usize>,
    /// The document of the previous row.
    current: usize,
    diagnostics: Diagnostics,
}

/// A document under construction.
struct Gathered {
    document: DocumentBuilder,
    words: WordsBuilder,
    /// The entities of the last mentions. The document holds the entities that already have numbers.
    entities: NameList,
    /// The number of mentions whose entities are numbered.
    numbered: usize,
    /// The number of bytes of all names of mentions.
    bytes: usize,
    /// The number of cells in columns that are not read.
    unread: u32,
}

impl RowDocuments {
    fn new(source: Arc<str>, options: &ReadOptions) -> RowDocuments {
        RowDocuments {
            source,
            default_id: options.default_id.clone(),
            count_unread: options.count_unread && options.keep_layers,
            documents: Vec::new(),
            by_id: FxHashMap::default(),
            current: 0,
            diagnostics: options.findings(),
        }
    }

    fn error(&self, (line, column): (u32, u32), message: impl Into<Text>) -> Error {
        Error::new(ErrorKind::Format, message).at(Position::new(&self.source, line, column))
    }

    fn add(&mut self, row: &TableRow<'_>, unread: u32) -> Result<()> {
        if is_missing(row.mention) || is_missing(row.entity) || row.document.is_some_and(is_missing) {
            return self.incomplete(row);
        }
        let place = self.document(row)?;
        for (cell, what, at) in [
            (row.document, "a document", row.document_place),
            (Some(row.entity), "an entity", row.entity_place),
        ] {
            if let Some(cell) = cell.filter(|cell| is_word_for_missing(cell)) {
                let position = Position::new(&self.source, at.0, at.1);
                let document = row.document.map(str::to_owned);
                self.diagnostics
                    .add(Code::MissingWord, Some(position), document, || read_as_name(cell, what));
            }
        }
        let bytes = self.documents[place].bytes + row.mention.len();
        if bytes.max(row.entity.len()) > u32::MAX as usize {
            let message =
                "the names of the mentions of one document, or that of an entity, take more than 4 GiB";
            return Err(self
                .error(row.mention_place, message)
                .coded(Code::NotReadable)
                .hint("use shorter names, or name documents"));
        }
        self.documents[place].add(row);
        self.documents[place].unread += unread;
        Ok(())
    }

    /// Fails with all errors of a row without a mention, an entity or a document.
    #[cold]
    fn incomplete(&mut self, row: &TableRow<'_>) -> Result<()> {
        let mut errors = ErrorList::default();
        if is_missing(row.mention) {
            let message = format!("this row names no mention{}", why_missing(row.mention));
            errors.keep(
                self.error(row.mention_place, message)
                    .coded(Code::MissingField)
                    .hint("name the mention, or remove the row"),
            )?;
        }
        if is_missing(row.entity) {
            let why = why_missing(row.entity);
            let message = match row.mention {
                mention if is_missing(mention) => format!("this row has no entity{why}"),
                mention => format!("the mention `{mention}` has no entity{why}"),
            };
            errors.keep(
                self.error(row.entity_place, message)
                    .coded(Code::MissingField)
                    .hint("name its entity (a separate one for a singleton), or remove the row"),
            )?;
        }
        match row.document {
            Some(document) if is_missing(document) => errors.keep(
                self.error(
                    row.document_place,
                    format!("this row names no document{}", why_missing(document)),
                )
                .coded(Code::MissingField)
                .hint("name its document, or remove the column if all rows belong to one document"),
            )?,
            _ => drop(errors.check(self.document(row))?),
        }
        errors.finish()
    }

    /// Returns the position of the row's document, and creates it at its first occurrence.
    fn document(&mut self, row: &TableRow<'_>) -> Result<usize> {
        let id = row.document.unwrap_or(&self.default_id);
        let place = match self.documents.get(self.current) {
            Some(current) if row.document.is_none() || current.document.id.name() == id => self.current,
            _ => match self.by_id.get(id) {
                Some(&place) => place,
                None => {
                    let mut document = DocumentBuilder::new(
                        DocumentId::new(id),
                        Arc::clone(&self.source),
                        row.mention_place.0,
                    );
                    document.topic = row.topic.map(str::to_owned);
                    self.by_id.insert(Box::from(id), self.documents.len());
                    self.documents.push(Gathered::new(document));
                    self.documents.len() - 1
                }
            },
        };
        self.current = place;
        let document = &self.documents[place].document;
        if document.topic.as_deref() != row.topic {
            let topics = [row.topic, document.topic.as_deref()].map(Option::unwrap_or_default);
            let message =
                format!("`{}` is in topic `{}` here but in `{}` before", document.id, topics[0], topics[1]);
            return Err(self
                .error(row.topic_place, message)
                .coded(Code::BadValue)
                .with_place(Position::new(&self.source, document.line, 0), "its first row")
                .hint("a document belongs to one topic; is there a column `document`?"));
        }
        Ok(place)
    }

    fn finish(self) -> Result<Corpus> {
        if self.documents.is_empty() {
            let error =
                Error::new(ErrorKind::Format, "this file has no row with a mention").coded(Code::NoDocument);
            return Err(error.at(Position::new(&self.source, 0, 0)).hint("write one row per mention"));
        }
        let documents = self.documents.into_iter().map(|mut one| {
            one.number_entities();
            let mut words = one.words.finish();
            words.add_unread(one.unread);
            one.document.finish(words)
        });
        Ok(Corpus {
            documents: documents.collect::<Result<_>>()?,
            diagnostics: self.diagnostics,
            ..Corpus::default()
        })
    }
}

impl Gathered {
    fn new(document: DocumentBuilder) -> Gathered {
        Gathered {
            document,
            words: WordsBuilder::names(),
            entities: NameList::default(),
            numbered: 0,
            bytes: 0,
            unread: 0,
        }
    }

    fn add(&mut self, row: &TableRow<'_>) {
        if self.entities.is_full(self.document.entities.len(), row.entity.len()) {
            self.number_entities();
        }
        let entity = EntityId::new(self.entities.push(row.entity, self.document.entities.len()));
        let word = self.words.push(row.mention.as_bytes());
        if let Some(layers) = self.words.layers_mut() {
            layers.form.push(row.mention);
        }
        self.bytes += row.mention.len();
        let mention = Mention::new(Span::word(word), entity, row.mention_place.0, row.mention_place.1);
        let types = [(ENTITY_TYPE, row.entity_type), (MENTION_TYPE, row.mention_type)];
        let attributes: Vec<(String, String)> = types
            .into_iter()
            .filter_map(|(name, value)| {
                Some((name.to_owned(), value.filter(|value| !value.is_empty())?.to_owned()))
            })
            .collect();
        self.document.mentions.push(match attributes.is_empty() {
            true => mention,
            false => mention
                .clone()
                .with_details(MentionDetails { attributes, ..MentionDetails::default() })
                .unwrap_or(mention),
        });
    }

    /// Numbers the entities of the mentions. Until then, mentions refer to the places of the names.
    fn number_entities(&mut self) {
        let numbers = self.entities.settle(&mut self.document.entities);
        for mention in &mut self.document.mentions[self.numbered..] {
            mention.set_entity(EntityId::new(numbers[mention.entity().index()] as usize));
        }
        self.numbered = self.document.mentions.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Corpus> {
        SPEC.read(text.as_bytes(), "x.csv", ReadOptions::default())
    }

    #[test]
    fn an_unclosed_quote_does_not_consume_the_whole_file() {
        let text = format!("mention,entity\n\"a,e1\n{}", "bcdefghi,e1\n".repeat(2 * splitter::LONGEST / 12));
        let mut reader = TableReader::new(Arc::from("x.csv"), ReadOptions::default());
        let error = reader.feed(text.as_bytes()).unwrap_err();
        assert_eq!(error.position().map(|position| position.line), Some(2));
    }

    #[test]
    fn assumptions_about_columns_are_reported() {
        for (text, expected) in [
            ("a,e1\nb,e1\n", "a mention and its entity"),
            ("d\ta\te1\n", "a document, a mention and its entity"),
            ("mention,entity,cluster_id\na,x,e1\n", "`cluster_id` and `entity`"),
        ] {
            let corpus = read(text).unwrap();
            let groups = corpus.diagnostics.groups();
            assert_eq!(groups[0].code, Code::ColumnsAssumed);
            assert!(
                groups[0].kept[0].message.to_string().contains(expected),
                "{}",
                groups[0].kept[0].message
            );
        }
        assert!(read("mention,entity\na,e1\n").unwrap().diagnostics.is_empty());
    }

    #[test]
    fn a_header_of_other_names_is_an_error() {
        let long = |first: &str, other: usize| {
            let rows = (0..200).map(|row| match row {
                _ if row == other => "she,Anna\n".to_owned(),
                _ => format!("she {row},{row}\n"),
            });
            std::iter::once(first.to_owned()).chain(rows).collect::<String>()
        };
        for (text, wanted) in [
            ("token,grp\n", "the first row names columns"),
            ("doc\tspan_id\tchain\nd1\tm1\te1\n", "the first row names columns"),
            ("\"Span ID\";\"Gold Class\"\nx;y\n", "the first row names columns"),
            ("w,c\nshe,1\nher,1\nhe,2\nhim,2\nhis,2\n", "unlike all entities in the next 5 rows"),
            ("mention,entity,entity\na,x,y\n", "names the column `entity` twice"),
            ("id,Entity,cluster,entity\n1,x,y,z\n", "names the column `entity` twice"),
            ("w,c\n\nm1,Anna\nm2,Bob\nm3,Bob\nm4,Bob\nm5,Eve\n", "unlike all mentions in the next 5 rows"),
            ("d,w,c\nx,she,Q1\nx,he,Q2\nx,her,Q1\nx,him,Q2\nx,his,Q2\n", "unlike all entities"),
            (&long("w,c\n", 150), "in the next 100 rows"),
        ] {
            let error = read(text).unwrap_err();
            let place = error.position().map(|place| (place.line, place.column));
            assert_eq!((error.code(), place), (Code::MissingColumn, Some((1, 1))), "{text}");
            assert!(error.message().contains(wanted), "{error}");
        }
        for text in [
            "1,7\n2,7\n3,8\n",
            "she,7\nher,7\nhe,8\n",
            "she,Anna\nher,Anna\nhe,Bob\n",
            "m1,Anna\nm2,Anna\nm3,Bob\n",
            "m1,NIL\nm2,Q1\nm3,Q2\n",
            "she,NIL\nher,Q1\nhe,Anna\n",
            "Obama\tNIL\nBush\tQ207\nClinton\tQ1124\n",
            "group,group\ngroups,group\n",
            "w,c\n",
            "w,c\nshe,1\n",
            "d,a,x\nd,b,x\n",
            "d1,token,group\nd1,1,2\nd1,3,4\n",
            &long("w,c\n", 50),
        ] {
            let corpus = read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(corpus.diagnostics.groups()[0].code, Code::ColumnsAssumed, "{text}");
        }
    }

    #[test]
    fn errors_have_the_column_of_their_cell() {
        for (text, line, column) in [
            ("mention,entity\na,e1\nb,e1,c\n", 3, 6),
            ("document,mention,entity\nd,a,e1\nd,b\n", 3, 4),
            ("mention,entity\n\"a\"\"b\",e1\nc,\"e1\nd,e1\n", 3, 3),
            ("mention,entity\n\"a\"\"b,e1\nd,e1\n", 2, 1),
            ("mention,document,topic,entity\na,d,t1,e\nb,d,t2,e\n", 3, 5),
            ("mention,document,entity\na,d,e\nb, ,e\n", 3, 3),
            ("mention,entity\n\"a\"b,e1\n", 2, 4),
            ("mention,entity\nc,\"a\" \"b\"\n", 2, 7),
            // The first quote opens a cell that the second one closes.
            ("mention,entity\nc,\"e1\n\"d\",e1\n", 2, 3),
            ("mention,entity\n\"c,e1\nd,\"e1\"\n", 2, 1),
        ] {
            let error = read(text).unwrap_err();
            let position = error.position().unwrap();
            assert_eq!((position.line, position.column), (line, column), "{text}: {error}");
        }
    }

    #[test]
    fn topics_and_types_are_kept() {
        let text =
            "topic,document,mention,entity,entity_type,mention_type\nt1,d1,a,e1,PER,NAM\nt1,d1,b,e1,,\n";
        let corpus = read(text).unwrap();
        let document = &corpus.documents[0];
        assert_eq!(document.topic(), Some("t1"));
        let [first, second] = document.mentions() else { panic!("two mentions") };
        let attributes =
            [(ENTITY_TYPE, "PER"), (MENTION_TYPE, "NAM")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        assert_eq!(first.details().map(|details| details.attributes.as_slice()), Some(&attributes[..]));
        assert!(second.details().is_none());
    }
}
