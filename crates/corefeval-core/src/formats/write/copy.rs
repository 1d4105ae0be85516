//! Copies a key file with different mentions. Everything else stays identical, byte for byte.
//!
//! Shared tasks require responses that are copies of the key file with all its other columns. Only the coreference
//! annotation in lines with words changes. Files are copied document by document, so they can have any length.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, BufRead};

use serde_json::value::RawValue;

use super::conll_ua::USUAL_COLUMNS;
use super::corefud::{self, BracketFields};
use super::losses::{LossCounts, Losses};
use super::{Outline, WriteOptions, conll, conll_ua, jsonlines};
use crate::error::{Error, ErrorKind, Result};
use crate::formats::dependencies::{Dependencies, Head};
use crate::formats::{FORMATS, FormatSpec, without_mark};
use crate::model::{Annotation, Document, Mention};

/// The rules for changing the files of a format when they are copied with different mentions.
#[derive(Clone, Copy)]
pub(in crate::formats) struct Copier {
    /// True if each document is one line, false if each word is one line.
    one_line_per_document: bool,
    /// The changed lines of a document, in order.
    changes: fn(&CopyOf<'_>, &mut Losses<'_>) -> Vec<LineChange>,
}

pub(in crate::formats) const CONLL: Copier =
    Copier { one_line_per_document: false, changes: |copy, losses| last_columns(copy, "-", losses) };
pub(in crate::formats) const SEMEVAL: Copier =
    Copier { one_line_per_document: false, changes: |copy, losses| last_columns(copy, "_", losses) };
pub(in crate::formats) const COREFUD: Copier = Copier { one_line_per_document: false, changes: attributes };
pub(in crate::formats) const CONLL_UA: Copier = Copier { one_line_per_document: false, changes: columns };
pub(in crate::formats) const JSONLINES: Copier = Copier { one_line_per_document: true, changes: clusters };

/// A change of one line.
enum LineChange {
    /// The last column, for any separator of columns.
    LastColumn(String),
    /// Columns by position, from 0, in order.
    Columns(Vec<(usize, String)>),
    /// The attributes `Entity`, `Bridge` and `SplitAnte` of the last column.
    Attributes(String),
    /// The field `predicted_clusters` of an object, or `clusters`.
    Clusters(String),
}

/// A document to copy.
struct CopyOf<'c> {
    /// The document with the key's words and the mentions to write.
    placed: &'c Document,
    /// The names of columns or fields that apply to this document, if a line of the file gives them.
    header: Option<&'c str>,
    /// The lines that may change, in order.
    lines: &'c [&'c [u8]],
    /// True if closing brackets name their mentions.
    crossing: bool,
    options: WriteOptions,
}

/// Copies a key file document by document.
///
/// ```
/// use corefeval_core::formats::{FormatSpec, KeyCopy, LossCounts, Outline, ReadOptions, WriteOptions};
/// let key = b"#begin document (d); part 000\nd  0  0  Ida  NNP   (7)\r\nd  0  1  slept  VBD   -\r\n#end document\n";
/// let options = ReadOptions::with_layers();
/// let format = FormatSpec::named("conll")?;
/// let corpus = format.read(key, "key", options)?;
/// let empty = corpus.documents[0].without_mentions()?;
/// let mut outline = Outline::new(format, WriteOptions::default())?;
/// outline.add(&empty);
/// let mut copy = KeyCopy::new(format, &outline, &key[..])?;
/// let lines = copy.document(&corpus.documents[0], &empty, &mut LossCounts::default())?;
/// assert_eq!(lines, b"#begin document (d); part 000\nd  0  0  Ida  NNP   -\r\nd  0  1  slept  VBD   -\r\n");
/// assert_eq!(copy.finish()?, b"#end document\n");
/// # Ok::<(), corefeval_core::Error>(())
/// ```
pub struct KeyCopy<R> {
    format: &'static FormatSpec,
    copier: Copier,
    options: WriteOptions,
    crossing: bool,
    from: R,
    /// The number of lines copied.
    lines: u32,
    header: Option<String>,
    line: Vec<u8>,
}

/// Returns the names of the formats whose files can be copied with different mentions.
pub fn copied_formats() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().filter(|spec| spec.can_be_copied()).map(|spec| spec.id)
}

impl FormatSpec {
    /// Returns whether key files in this format can be copied with different mentions.
    pub fn can_be_copied(&self) -> bool {
        self.copy.is_some()
    }
}

impl<R: BufRead> KeyCopy<R> {
    /// Starts a copy of a file in `format`. `outline` must contain all documents whose mentions are written.
    ///
    /// # Errors
    ///
    /// Files of the format cannot be copied with different mentions.
    pub fn new(format: &'static FormatSpec, outline: &Outline, from: R) -> Result<KeyCopy<R>> {
        let Some(copier) = format.copy else {
            let ids: Vec<&str> = copied_formats().collect();
            let message = format!("the file of a key in {} cannot be copied with other mentions", format.id);
            return Err(Error::new(ErrorKind::Settings, message)
                .hint(format!("formats that can are {}", ids.join(", "))));
        };
        Ok(KeyCopy {
            format,
            copier,
            options: outline.options(),
            crossing: outline.crossing,
            from,
            lines: 0,
            header: None,
            line: Vec::new(),
        })
    }

    /// Returns the next document of the key and the lines before it, with the mentions of `placed`, which has the same
    /// words. Counts everything that the format cannot represent.
    ///
    /// # Errors
    ///
    /// The words of `placed` differ from the key's words, or their lines are unknown; the key cannot be read,
    /// has fewer lines than before, or its lines do not end in LF; a line cannot be changed.
    pub fn document(&mut self, key: &Document, placed: &Document, lost: &mut LossCounts) -> Result<Vec<u8>> {
        let mut copy = Vec::new();
        let (ours, theirs) = (key.words(), placed.words());
        if ours.count() != theirs.count() || ours.empty_nodes() != theirs.empty_nodes() {
            let message = format!("the words of `{}` differ from those of the key", placed.id());
            return Err(Error::new(ErrorKind::Pairing, message).at(placed.position()));
        }
        let lines = lines(key, self.copier)?;
        let first = lines.first().copied().unwrap_or(0);
        while self.lines + 1 < first && self.next()? {
            self.note_header();
            copy.extend_from_slice(&self.line);
        }
        let header = self.header.clone();
        let begin = self.lines + 1;
        let mut read: Vec<Vec<u8>> = Vec::new();
        while lines.last().is_some_and(|&last| self.lines < last) {
            if !self.next()? {
                let message = "the lines of this key do not end in LF, so its words cannot be found again";
                return Err(Error::new(ErrorKind::Format, message).hint("convert its line ends to LF"));
            }
            self.note_header();
            read.push(std::mem::take(&mut self.line));
        }
        let of_words: Vec<&[u8]> = lines.iter().map(|&line| &*read[(line - begin) as usize]).collect();
        let mut losses = Losses::new(placed, self.format.id);
        let (header, crossing, options) = (header.as_deref(), self.crossing, self.options);
        let of_document = CopyOf { placed, header, lines: &of_words, crossing, options };
        losses.unexpressed_mentions();
        let changes = (self.copier.changes)(&of_document, &mut losses);
        losses.add_to(lost);
        let mut changes: BTreeMap<u32, LineChange> = lines.into_iter().zip(changes).collect();
        for (number, line) in (begin..).zip(&read) {
            match changes.remove(&number) {
                None => copy.extend_from_slice(line),
                Some(change) => copy.extend(change.apply(line)?),
            }
        }
        Ok(copy)
    }

    /// Returns the text after the last document.
    ///
    /// # Errors
    ///
    /// The key cannot be read.
    pub fn finish(mut self) -> Result<Vec<u8>> {
        let mut rest = Vec::new();
        self.from.read_to_end(&mut rest).map_err(|error| not_copied(&error))?;
        Ok(rest)
    }

    /// Reads the next line. Returns false at the end.
    fn next(&mut self) -> Result<bool> {
        self.line.clear();
        let read = self.from.read_until(b'\n', &mut self.line).map_err(|error| not_copied(&error))?;
        self.lines += 1;
        Ok(read > 0)
    }

    /// Records the names of columns or fields if the line has them.
    fn note_header(&mut self) {
        let Ok(line) = std::str::from_utf8(&self.line) else { return };
        let Some((name, value)) = line.trim_start_matches('\u{feff}').split_once('=') else { return };
        if matches!(name.trim_start_matches('#').trim(), "global.Entity" | "global.columns") {
            self.header = Some(value.trim().to_owned());
        }
    }
}

fn not_copied(error: &io::Error) -> Error {
    Error::new(ErrorKind::Io, format!("the key cannot be copied: {error}"))
}

/// Returns the lines that may change: the lines of the words, or the line of the document.
fn lines(document: &Document, copier: Copier) -> Result<Vec<u32>> {
    let words = document.words();
    match words.layers().filter(|layers| layers.line.len() == words.count() as usize) {
        _ if copier.one_line_per_document => Ok(vec![document.position().line]),
        _ if words.count() == 0 => Ok(Vec::new()),
        Some(layers) => Ok(layers.line.iter().collect()),
        None => {
            let message = format!("the lines of the words of `{}` are not known", document.id());
            Err(Error::new(ErrorKind::Format, message).at(document.position()))
        }
    }
}

/// Returns the changes of `conll` and `semeval`: the last column, with `empty` for words without mentions.
fn last_columns(copy: &CopyOf<'_>, empty: &str, losses: &mut Losses<'_>) -> Vec<LineChange> {
    let cells = conll::coreference(copy.placed, losses).into_iter();
    cells.map(|cell| LineChange::LastColumn(if cell.is_empty() { empty.to_owned() } else { cell })).collect()
}

/// Returns the changes of `corefud`: attributes of the last column, with the fields that the file defines.
fn attributes(copy: &CopyOf<'_>, losses: &mut Losses<'_>) -> Vec<LineChange> {
    let fields = BracketFields::named(copy.header.unwrap_or("eid-etype-head-other"));
    corefud::annotation(&with_heads(copy), &fields, losses).into_iter().map(LineChange::Attributes).collect()
}

/// Returns the document, with heads from the file's dependencies for contiguous mentions without a head. Responses
/// in other formats have no heads, and shared tasks match mentions by their heads.
fn with_heads<'c>(copy: &CopyOf<'c>) -> Cow<'c, Document> {
    let lacks = |mention: &&mut Mention| mention.head().is_none() && mention.parts().len() == 1;
    if copy.placed.mentions().iter().all(|mention| mention.head().is_some()) {
        return Cow::Borrowed(copy.placed);
    }
    let words = copy.placed.words();
    let starts = words.sentences().iter().map(|&start| start as usize);
    let ends = starts.clone().skip(1).chain([copy.lines.len()]);
    let column =
        |line: &'c [u8], place: usize| line.split(|&byte| byte == b'\t').nth(place).unwrap_or_default();
    let mut dependencies = Dependencies::default();
    for (start, end) in starts.zip(ends) {
        let sentence = copy.lines.get(start..end).unwrap_or_default();
        let places: HashMap<&[u8], u32> =
            (1..).zip(sentence).map(|(place, line)| (column(line, 0), place)).collect();
        for (number, line) in (1..).zip(sentence) {
            let head = match column(line, 6) {
                b"0" => Head::Root,
                head => places.get(head).map_or(Head::Unknown, |&place| Head::Word(place)),
            };
            dependencies.push(head, number);
        }
    }
    Cow::Owned(copy.placed.with_mentions(|mentions| {
        let mut without: Vec<&mut Mention> = mentions.iter_mut().filter(lacks).collect();
        let mut given: Vec<Mention> = without.iter().map(|mention| (**mention).clone()).collect();
        dependencies.give_heads(&mut given);
        without.iter_mut().zip(given).for_each(|(mention, given)| **mention = given);
    }))
}

/// Returns the changes of `conll-ua`: the columns of mentions and of their relations. Other annotation in the file
/// has separate mentions.
fn columns(copy: &CopyOf<'_>, losses: &mut Losses<'_>) -> Vec<LineChange> {
    let names = copy.header.unwrap_or(USUAL_COLUMNS);
    let names = names.split_whitespace().map(|name| name.rsplit(':').next().unwrap_or(name));
    let names: Vec<&str> = names.collect();
    let place = |wanted: &str| names.iter().position(|name| name.eq_ignore_ascii_case(wanted));
    let annotation = copy.options.annotation;
    let (mentions, bridging) = conll_ua::columns(copy.placed, copy.crossing, annotation, losses);
    let identity = annotation == Annotation::Identity;
    let mentions_at = place(if identity { "IDENTITY" } else { "DISCOURSE_DEIXIS" });
    let [bridging_at, split_at] = ["BRIDGING", "SPLIT"].map(|name| place(name).filter(|_| identity));
    if bridging_at.is_none() && bridging.iter().any(|cell| !cell.is_empty()) {
        losses.lost_of_document("bridging relations, for which the file has no column");
    }
    let change = |(mentions, bridging): (String, String)| {
        let all = [(mentions_at, mentions), (bridging_at, bridging), (split_at, String::new())];
        let mut known: Vec<(usize, String)> =
            all.into_iter().filter_map(|(place, cell)| Some((place?, cell))).collect();
        known.sort();
        LineChange::Columns(known)
    };
    mentions.into_iter().zip(bridging).map(change).collect()
}

/// Returns the changes of `jsonlines`: the field with the clusters.
fn clusters(copy: &CopyOf<'_>, losses: &mut Losses<'_>) -> Vec<LineChange> {
    let clusters = jsonlines::clusters(copy.placed, copy.options, losses);
    let clusters = serde_json::to_string(&clusters).unwrap_or_default();
    vec![LineChange::Clusters(clusters)]
}

impl LineChange {
    /// Returns the line with the change applied.
    fn apply(&self, line: &[u8]) -> Result<Vec<u8>> {
        let content = line.strip_suffix(b"\n").unwrap_or(line);
        let content = content.strip_suffix(b"\r").unwrap_or(content);
        let end = &line[content.len()..];
        let mut new = Vec::with_capacity(line.len() + 16);
        match self {
            LineChange::LastColumn(cell) => {
                // A tab at the end starts an empty last column; trailing spaces do not.
                let blanks = content.iter().rev().take_while(|byte| **byte == b' ').count();
                let (column, blanks) = content.split_at(content.len() - blanks);
                let start =
                    column.iter().rposition(|byte| matches!(byte, b'\t' | b' ')).map_or(0, |at| at + 1);
                new.extend([&column[..start], cell.as_bytes(), blanks].concat());
            }
            LineChange::Columns(cells) => {
                let places = columns_of(content, cells.first().map_or(0, |cell| cell.0));
                let mut copied = 0;
                for (place, cell) in cells {
                    let Some(&(from, to)) = places.get(*place) else { continue };
                    let old = &content[from..to];
                    let cell = match cell.as_bytes() {
                        b"" if matches!(old, b"" | b"_" | b"-") => old,
                        b"" => b"_",
                        cell => cell,
                    };
                    new.extend([&content[copied..from], cell].concat());
                    copied = to;
                }
                new.extend_from_slice(&content[copied..]);
            }
            LineChange::Attributes(items) => {
                let start = content.iter().rposition(|byte| *byte == b'\t').map_or(0, |at| at + 1);
                new.extend([&content[..start], &with_attributes(&content[start..], items)].concat());
            }
            LineChange::Clusters(clusters) => {
                let (from, to) = clusters_of(content)?;
                new.extend([&content[..from], clusters.as_bytes(), &content[to..]].concat());
            }
        }
        new.extend_from_slice(end);
        Ok(new)
    }
}

/// Returns the columns of a line, without surrounding spaces: between tabs if there are enough of them, otherwise
/// between spaces.
fn columns_of(content: &[u8], least: usize) -> Vec<(usize, usize)> {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let mut columns = Vec::new();
    if content.iter().filter(|byte| **byte == b'\t').count() >= least {
        let mut start = 0;
        for cell in content.split(|byte| *byte == b'\t') {
            let from = start + cell.len() - cell.trim_ascii_start().len();
            columns.push((from, from + cell.trim_ascii().len()));
            start += cell.len() + 1;
        }
        return columns;
    }
    let mut end = 0;
    while let Some(blanks) = content[end..].iter().position(|byte| !is_blank(byte)) {
        let start = end + blanks;
        end = content[start..].iter().position(is_blank).map_or(content.len(), |length| start + length);
        columns.push((start, end));
    }
    columns
}

/// The attributes that annotate coreference.
const ATTRIBUTES: [&[u8]; 3] = [b"Bridge", b"Entity", b"SplitAnte"];

/// Returns the last column of CoNLL-U with new coreference attributes, each in its old place if it has one, otherwise
/// in alphabetical order.
fn with_attributes(column: &[u8], items: &str) -> Vec<u8> {
    let name = |item: &[u8]| item.split(|byte| *byte == b'=').next().unwrap_or_default().to_owned();
    let mut left: Vec<&[u8]> = items.split('|').filter(|item| !item.is_empty()).map(str::as_bytes).collect();
    let mut new: Vec<&[u8]> = Vec::new();
    let old = column.split(|byte| *byte == b'|').filter(|item| !matches!(*item, b"" | b"_"));
    for item in old {
        if !ATTRIBUTES.contains(&name(item).as_slice()) {
            new.push(item);
        } else if let Some(place) = left.iter().position(|other| name(other) == name(item)) {
            new.push(left.remove(place));
        }
    }
    for item in left {
        let later = |other: &&[u8]| name(other).to_ascii_lowercase() > name(item).to_ascii_lowercase();
        let place = new.iter().position(later).unwrap_or(new.len());
        new.insert(place, item);
    }
    match new.is_empty() {
        true if matches!(column, b"" | b"_") => column.to_vec(),
        true => b"_".to_vec(),
        false => new.join(&b'|'),
    }
}

/// Returns the place of the clusters in the line of an object.
fn clusters_of(content: &[u8]) -> Result<(usize, usize)> {
    let wrong = |message: String| Error::new(ErrorKind::Format, message);
    let fields: BTreeMap<String, &RawValue> = serde_json::from_slice(without_mark(content))
        .map_err(|error| wrong(format!("the key changed while it was copied: {error}")))?;
    // The reader uses this field in responses.
    let found = fields.get("predicted_clusters").or_else(|| fields.get("clusters"));
    let Some(found) = found.map(|value| value.get()) else {
        return Err(wrong("this line has neither `clusters` nor `predicted_clusters`".to_owned()));
    };
    let start = found.as_ptr() as usize - content.as_ptr() as usize;
    Ok((start, start + found.len()))
}
