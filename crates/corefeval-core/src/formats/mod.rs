//! Reads and writes coreference formats. Each format has its own module and a row in [`FORMATS`].
//!
//! A reader takes bytes in blocks of whole lines and returns a [`Corpus`]; [`input`](crate::input) provides
//! the bytes. A problem is an error, or a counted finding if the file can still be read. Both give file, line and
//! column.

mod answers;
mod apf;
mod brat;
mod columns;
mod conll;
mod conll_ua;
mod corefud;
mod dependencies;
mod ecb_plus;
mod entity_index;
mod file_reader;
mod frame;
mod json;
mod json_error;
mod jsonlines;
mod lines;
mod links;
mod muc;
mod names;
mod numbering;
pub mod report_columns;
mod semeval;
mod standoff;
mod table;
mod webanno;
mod write;
mod xml;

use crate::wording::{option, quoted, switch, text};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use corefeval_system::mapped::Mapped;
use glob::Pattern;
use rustc_hash::FxHashMap;

use crate::diagnostic::{Code, Diagnostics, Journal, Position};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::model::{Corpus, Document, DocumentId, Notation};
use crate::settings::{FormatTraits, Settings, Switch};
use crate::suggest::one_of;

pub(crate) use answers::{flat_list, is_around_an_answer, is_like_a_mark_of_pipe};
pub(crate) use jsonlines::WHOLE_DOCUMENTS;
#[cfg(all(feature = "parquet", feature = "fuzzing"))]
pub use table::read_in_both_ways;
pub(crate) use table::{
    COUNT_COLUMNS, ColumnCells, Columnar, PlainBatches, PlainColumns, RowSplitter, SplitRow, is_missing,
    is_word_for_missing, plain_columns, read_as_name, trimmed, why_missing,
};
pub(crate) use write::conll_ua::USUAL_COLUMNS;

pub use crate::model::{Annotation, Side, SpanEnd};
use file_reader::ErrorList;
pub use file_reader::FileReader;
use frame::Frame;
use names::{NameCheck, Names};
pub use write::{
    KeyCopy, LossCounts, Outline, Plan, WriteOptions, Written, WrittenTexts, copied_formats, file_names,
};

/// One row of the table of formats.
pub struct FormatSpec {
    /// The name of the format, as the user types it.
    pub id: &'static str,
    /// One line of help.
    pub summary: &'static str,
    /// The usual file extensions, without the dot.
    pub extensions: &'static [&'static str],
    /// The extensions whose files this build does not read.
    pub unread_extensions: &'static [&'static str],
    /// The extension of the file that holds the text, for stand-off formats.
    pub companion: Option<&'static str>,
    /// The annotation that the format can express in addition to words, mentions and entities.
    pub expresses: &'static [Aspect],
    /// True if its files have documents; tables of counts have none.
    pub has_documents: bool,
    /// True if documents have words that can be compared.
    pub has_words: bool,
    /// True if links between mentions, whose closure is the entities, are its usual notation.
    pub has_links: bool,
    /// The way in which its files link mentions, for messages; `None` if they only name entities.
    pub link_notation: Option<&'static str>,
    /// The settings that affect it and not all other formats, by name (see [`Formats::Some`](crate::settings::Formats)).
    pub settings: &'static [&'static str],
    /// For answers of language models, whose mentions have no positions without a key: the notations, as typed
    /// (`bracketed:link`).
    notations: Option<&'static [&'static str]>,
    /// Returns whether the first bytes of a file, at least one, look like this format.
    detect: fn(&[u8]) -> bool,
    /// Set if other formats may have the same first lines (`#begin document`), in which case the file extension
    /// decides. Returns whether bytes that look like this format cannot be in another format with columns.
    begins_like_others: Option<fn(&[u8]) -> bool>,
    /// The names that occur in files of the format. `validate` reports misspelled names.
    names: Names,
    /// The end of the last line of a complete file.
    ending: Ending,
    /// Creates a reader for one file.
    reader: fn(Arc<str>, ReadOptions) -> Box<dyn Reader>,
    /// The writer, if the format can be written.
    write: Option<write::Writer>,
    /// Copies a key file with different mentions, if the format supports it.
    copy: Option<write::copy::Copier>,
}

/// The end of the last line of a complete file; a file that ends differently may be truncated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    /// The last line may end in any way, or the reader of the format checks it.
    Any,
    /// The last line has a line end, as all programs write it.
    Line,
    /// The last line has a line end, and a blank line ends each sentence.
    BlankLine,
}

/// The kinds of annotation that only some formats can express.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Aspect {
    /// The head of a mention.
    Heads,
    /// The minimum span of a mention.
    MinSpans,
    /// Attributes of a mention, such as the type of its entity.
    Attributes,
    /// Words that are not in the text.
    EmptyNodes,
    /// Dependencies of empty nodes.
    Dependencies,
    /// Entities that are sums of several entities.
    SplitAntecedents,
    /// Bridging relations.
    Bridges,
    /// Non-referring expressions.
    NonReferring,
    /// Parts of speech.
    PartsOfSpeech,
    /// The bracketed parse.
    Parse,
    /// The named-entity annotation.
    NamedEntities,
    /// Speakers of words.
    Speakers,
    /// The topic of a document.
    Topic,
    /// A genre that the document id does not contain.
    Genre,
    /// ACE's attributes of entities, and the characters of their mentions.
    AceEntities,
}

impl Aspect {
    /// Returns the name of the annotation for messages.
    pub fn words(self) -> &'static str {
        match self {
            Aspect::Heads => "heads of mentions",
            Aspect::MinSpans => "minimum spans",
            Aspect::Attributes => "attributes of mentions",
            Aspect::EmptyNodes => "empty nodes",
            Aspect::Dependencies => "dependencies of empty nodes",
            Aspect::SplitAntecedents => "split antecedents",
            Aspect::Bridges => "bridging relations",
            Aspect::NonReferring => "expressions that refer to nothing",
            Aspect::PartsOfSpeech => "parts of speech",
            Aspect::Parse => "parses of words",
            Aspect::NamedEntities => "named entities",
            Aspect::Speakers => "speakers of words",
            Aspect::Topic => "the topic",
            Aspect::Genre => "the genre",
            Aspect::AceEntities => "entities as ACE describes them, in characters",
        }
    }

    /// Returns whether the annotation belongs to mentions rather than to words or documents.
    pub fn is_of_mentions(self) -> bool {
        use Aspect::{Attributes, Bridges, Heads, MinSpans, NonReferring, SplitAntecedents};
        matches!(self, Heads | MinSpans | Attributes | SplitAntecedents | Bridges | NonReferring)
    }

    /// All aspects, in the order in which losses are listed.
    pub const ALL: &[Aspect] = &[
        Aspect::Heads,
        Aspect::MinSpans,
        Aspect::Attributes,
        Aspect::EmptyNodes,
        Aspect::Dependencies,
        Aspect::SplitAntecedents,
        Aspect::Bridges,
        Aspect::NonReferring,
        Aspect::PartsOfSpeech,
        Aspect::Parse,
        Aspect::NamedEntities,
        Aspect::Speakers,
        Aspect::Topic,
        Aspect::Genre,
        Aspect::AceEntities,
    ];
}

/// All formats. The formats of documents are in the order in which they are tried on a file.
pub static FORMATS: &[FormatSpec] = &[
    webanno::SPEC,
    brat::SPEC,
    apf::SPEC,
    ecb_plus::SPEC,
    muc::SPEC,
    conll_ua::SPEC,
    corefud::SPEC,
    semeval::SPEC,
    conll::SPEC,
    answers::JSON,
    json::SPEC,
    jsonlines::SPEC,
    table::SPEC,
    links::SPEC,
    answers::PIPE,
    answers::BRACKETED,
    answers::TAGGED,
    COUNTS,
];

/// The settings that only affect formats with zeros and split antecedents.
const ZERO_SETTINGS: &[&str] = &["zeros", "zero-match", "split-parts", "order"];

/// The settings that only affect formats whose spans are pairs of numbers, which some programs write with an exclusive end.
const SPAN_SETTINGS: &[&str] = &["span-end", "key-span-end", "response-span-end", "span-end-of"];

/// The options for reading an input, apart from its format.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Keeps the words and their annotation (see [`Layers`](crate::model::Layers)).
    pub keep_layers: bool,
    /// Counts the values of the file that the layers do not keep, so that writers can report them (requires
    /// `keep_layers`).
    pub count_unread: bool,
    /// The side to read from formats that have key and response in one file.
    pub side: Side,
    /// The meaning of span ends (inclusive or exclusive) in formats that leave this open.
    pub span_end: SpanEnd,
    /// Allows mentions to cross; closing brackets then name their mentions (CoNLL-UA).
    pub boundary_crossing: bool,
    /// The annotation to read from formats that have several kinds.
    pub annotation: Annotation,
    /// The id of a document without a name in the file.
    pub default_id: String,
    /// Accepts answers of language models, whose mentions have no positions until they are aligned.
    pub accept_answers: bool,
    /// The notation of mentions in answers.
    pub notation: Notation,
    /// Includes the file name in the ids of documents in a directory.
    pub ids_by_file: bool,
    /// Skips empty files in a directory; otherwise they are an error.
    pub skip_empty: bool,
    /// The pattern for the files of a directory to read; `None` for all files.
    pub include: Option<Arc<Pattern>>,
    /// The limits on the cost of an input.
    pub limits: Limits,
    /// A list that receives every finding, whereas a corpus keeps only the first of each code.
    pub journal: Option<Journal>,
    /// Reports up to a thousand errors of a file separately, instead of the first twenty.
    pub all_errors: bool,
}

impl ReadOptions {
    /// Returns the default options with all layers kept.
    pub fn with_layers() -> ReadOptions {
        ReadOptions { keep_layers: true, ..ReadOptions::default() }
    }

    /// Returns the default options for answers of language models.
    pub fn of_answers() -> ReadOptions {
        ReadOptions { accept_answers: true, ..ReadOptions::default() }
    }

    /// Returns the options that `settings` gives for the input with these names on `side`. Options that are not set
    /// have their defaults.
    pub fn of(settings: &Settings, side: Side, names: &[&str]) -> ReadOptions {
        ReadOptions {
            side,
            span_end: settings.span_end_of(side, names),
            boundary_crossing: settings.boundary_crossing == Switch::Yes,
            annotation: settings.annotation,
            ids_by_file: settings.ids_by_file == Switch::Yes,
            notation: settings.notation,
            ..ReadOptions::default()
        }
    }

    /// Creates an empty list of findings, which adds to the journal of these options.
    pub(crate) fn findings(&self) -> Diagnostics {
        Diagnostics::with_journal(self.journal.clone())
    }
}

/// Reads one file, block by block.
pub(crate) trait Reader: Send {
    /// Takes the text of the document, before the first block, in stand-off formats
    /// (see [`FormatSpec::companion`]).
    fn companion(&mut self, source: Arc<str>, text: &[u8]) -> Result<()> {
        let _ = (source, text);
        Ok(())
    }

    /// Takes the whole file, before the first block, if it is mapped into memory and all blocks are parts of it. Data
    /// kept from a block can then refer to the file.
    fn mapped(&mut self, file: &Arc<Mapped>) {
        let _ = file;
    }

    /// Takes the next block of whole lines. Only the last line of the file may lack its line end.
    fn feed(&mut self, lines: &[u8]) -> Result<()>;

    /// Returns the documents, at the end of the file.
    fn finish(self: Box<Self>) -> Result<Corpus>;

    /// Returns the documents and the place of reading, in formats that are read line by line.
    fn frame(&mut self) -> Option<&mut Frame> {
        None
    }

    /// Returns the number of the current line, from 1, in formats that are read line by line.
    fn line_number(&mut self) -> Option<&mut u32> {
        self.frame().map(|frame| &mut frame.line)
    }

    /// Returns whether reading can continue with the next lines after an error in [`feed`](Self::feed). A reader that
    /// resumes has taken everything readable from the line with the error, so that this error does not cause further
    /// ones.
    fn resumes(&self) -> bool {
        false
    }
}

impl fmt::Debug for FormatSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)
    }
}

impl FormatSpec {
    /// Returns whether each document starts with a line that contains its id.
    pub(crate) fn has_header_lines(&self) -> bool {
        self.begins_like_others.is_some() || self.ending == Ending::BlankLine
    }

    /// A format of documents with words and no other annotation, which cannot be read or written.
    const PLAIN: FormatSpec = FormatSpec {
        id: "",
        summary: "",
        extensions: &[],
        unread_extensions: &[],
        companion: None,
        expresses: &[],
        has_documents: true,
        has_words: true,
        has_links: false,
        link_notation: None,
        settings: &[],
        notations: None,
        detect: |_| false,
        begins_like_others: None,
        names: Names::Unchecked,
        ending: Ending::Any,
        reader: |source, _| Box::new(OfProgram(source)),
        write: None,
        copy: None,
    };

    /// Creates a format for documents that a program builds. It has no reader or writer and is not in the table.
    pub const fn of_program(id: &'static str, summary: &'static str) -> FormatSpec {
        FormatSpec { id, summary, expresses: Aspect::ALL, ..FormatSpec::PLAIN }
    }

    /// Returns the formats of documents: all except tables of counts.
    pub fn of_documents() -> impl Iterator<Item = &'static FormatSpec> + Clone {
        FORMATS.iter().filter(|spec| spec.has_documents)
    }

    /// Returns whether it can express an annotation.
    pub fn can_express(&self, aspect: Aspect) -> bool {
        self.expresses.contains(&aspect)
    }

    /// Returns its properties that decide which settings affect it.
    pub fn traits(&self) -> FormatTraits<'_> {
        FormatTraits { id: self.id, settings: self.settings, has_words: self.has_words }
    }

    /// Returns the properties of the formats whose ids are joined by `+`, as in a signature.
    pub fn traits_of(joined: &str) -> Vec<FormatTraits<'_>> {
        let of_program = |id| FormatTraits { id, settings: &[], has_words: true };
        let traits = |id| FormatSpec::known(id).map_or(of_program(id), FormatSpec::traits);
        FormatSpec::ids_of(joined).into_iter().map(traits).collect()
    }

    /// Returns the format called `id` if its annotation is known: one of the table, or [`LISTS`]. Documents of other formats
    /// are built by a program and may have any annotation, so that any setting can affect them.
    pub(crate) fn known(id: &str) -> Option<&'static FormatSpec> {
        FormatSpec::of_documents().chain([&LISTS]).find(|spec| spec.id == id)
    }

    /// Splits format ids joined by `+`, as in a signature. The id `ecb+` itself ends in `+`.
    pub(crate) fn ids_of(joined: &str) -> Vec<&str> {
        let mut ids = Vec::new();
        let mut rest = joined;
        while !rest.is_empty() {
            let is_first = |id: &&str| {
                rest.strip_prefix(id).is_some_and(|after| after.is_empty() || after.starts_with('+'))
            };
            let known = FormatSpec::of_documents().map(|spec| spec.id).filter(is_first).map(str::len).max();
            let (id, after) = rest.split_at(known.or_else(|| rest.find('+')).unwrap_or(rest.len()));
            ids.push(id);
            rest = after.strip_prefix('+').unwrap_or(after);
        }
        ids
    }

    /// Returns the format of documents called `id`.
    ///
    /// # Errors
    ///
    /// The format does not exist, or has no documents.
    pub fn named(id: &str) -> Result<&'static FormatSpec> {
        if let Some(spec) = FormatSpec::of_documents().find(|spec| spec.id == id) {
            return Ok(spec);
        }
        // File extensions such as `conllu` and `jsonl` are accepted as names.
        let called: Vec<&'static FormatSpec> = FormatSpec::of_documents()
            .filter(|spec| spec.extensions.first() == Some(&id) || spec.extensions.contains(&id))
            .collect();
        if let [spec] = called[..] {
            return Ok(spec);
        }
        if id == COUNTS.id {
            let message = text!("{} is the format of tables of counts, which have no mentions", quoted(id));
            return Err(Error::new(ErrorKind::Settings, message).hint(table::hint_of_counts()));
        }
        let hint = one_of(id, "the formats are", FormatSpec::of_documents().map(|spec| spec.id));
        Err(Error::new(ErrorKind::Settings, format!("unknown format `{id}`")).hint(hint))
    }

    /// Returns whether the format is for answers of language models, whose mentions have no positions without a key.
    pub fn is_answer(&self) -> bool {
        self.notations.is_some()
    }

    /// Returns the notations of a format for answers, as typed: `bracketed:link`.
    pub fn notations(&self) -> &'static [&'static str] {
        self.notations.unwrap_or_default()
    }

    /// Returns the format that the first bytes of a file look like.
    pub fn detect(bytes: &[u8]) -> Option<&'static FormatSpec> {
        let bytes = without_mark(bytes);
        if is_binary(bytes) {
            return Some(&table::SPEC);
        }
        FORMATS.iter().find(|spec| (spec.detect)(bytes))
    }

    /// Detects the format of the file called `name` from its first bytes. If they fit several formats, the extension
    /// decides.
    pub fn detect_file(name: &str, bytes: &[u8]) -> Option<&'static FormatSpec> {
        let found = FormatSpec::detect(bytes)?;
        let Some(is_certain) = found.begins_like_others else { return Some(found) };
        let name = [".gz", ".zst"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
        let called = |spec: &FormatSpec| spec.extensions.iter().any(|end| name.ends_with(&format!(".{end}")));
        let bytes = without_mark(bytes);
        let is_certain = found.can_be_copied() && is_certain(bytes);
        let mut fits = FORMATS.iter().filter(|spec| {
            spec.begins_like_others.is_some() && called(spec) && !(is_certain && spec.can_be_copied())
        });
        if let Some(spec) = fits.clone().find(|spec| (spec.detect)(bytes)) {
            return Some(spec);
        }
        // Among column formats, an extension that only one of them has decides, even if the columns have errors,
        // unless they certainly belong to another format.
        let own = |spec: &&FormatSpec| {
            [*spec, found].into_iter().all(|spec| spec.can_be_copied())
                && name.ends_with(&format!(".{}", spec.extensions[0]))
        };
        Some(fits.find(own).unwrap_or(found))
    }

    /// Creates a reader of this format for the file called `source`.
    pub fn reader(&self, source: Arc<str>, options: ReadOptions) -> FileReader {
        let all_errors = options.all_errors;
        // Misspelled names are only reported by `validate`, which collects findings in its journal.
        let names =
            options.journal.is_some().then(|| NameCheck::new(self.names, &source, options.findings()));
        FileReader::new((self.reader)(source.clone(), options), source, self.ending, names, all_errors)
    }

    /// Reads a whole file at once. Stand-off formats, whose text is in a second file, fail.
    ///
    /// ```
    /// use corefeval_core::formats::{FormatSpec, ReadOptions};
    /// let text = b"#begin document (note); part 000\nnote\t0\t0\tAda\t(0)\n#end document\n";
    /// let corpus = FormatSpec::named("conll")?.read(text, "note.conll", ReadOptions::default())?;
    /// assert_eq!(corpus.documents[0].mentions().len(), 1);
    /// # Ok::<(), corefeval_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The text is not in the format; the error has line and column.
    pub fn read(&self, bytes: &[u8], source: &str, options: ReadOptions) -> Result<Corpus> {
        let mut reader = self.reader(Arc::from(source), options);
        reader.feed(without_mark(bytes))?;
        reader.finish()
    }
}

/// The format of lists of mentions from a program, which have no annotation. It is not in the table, because it has no
/// reader.
pub static LISTS: FormatSpec = FormatSpec {
    id: "lists",
    summary: "lists of mentions",
    has_words: false,
    settings: SPAN_SETTINGS,
    ..FormatSpec::PLAIN
};

/// The format of tables of counts (see [`CountTable`](crate::counts::CountTable)).
pub const COUNTS: FormatSpec = FormatSpec {
    id: "overlap",
    summary: "tables of counts of shared mentions: columns `key`, `response`, `count`, optionally `document`",
    extensions: &["csv", "tsv"],
    has_documents: false,
    ..FormatSpec::PLAIN
};

/// A reader that always fails: see [`FormatSpec::of_program`].
struct OfProgram(Arc<str>);

impl Reader for OfProgram {
    fn feed(&mut self, _: &[u8]) -> Result<()> {
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Corpus> {
        let error = Error::new(
            ErrorKind::Format,
            "these documents come from a program and cannot be read from a file",
        );
        Err(error.at(Position::new(&self.0, 0, 0)))
    }
}

/// Returns whether the first bytes belong to a binary file that is read as a table.
pub(crate) fn is_binary(bytes: &[u8]) -> bool {
    Columnar::of(bytes).is_some()
}

/// The first fields of corefeval's reports in JSON, in lines of JSON (`score` with and without rows or pairs, `errors`,
/// `validate`) and in SARIF. A test of the command renders all reports and compares their fields with this list.
pub const REPORTS_IN_JSON: [&[&str]; 8] = [
    &["corefeval"],
    &["name", "id", "metrics"],
    &["name", "key", "response"],
    &["name", "system", "pair"],
    &["system", "document", "kind"],
    &["document", "system", "first"],
    &["code", "severity", "file"],
    &["$schema", "version", "runs"],
];

/// Returns whether a file that starts with these bytes is a report of corefeval.
pub(crate) fn is_report(bytes: &[u8]) -> bool {
    let first = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default().trim_ascii_end();
    report_columns::is_head(first)
        || REPORTS_IN_JSON.iter().any(|fields| json::begins_with_fields(bytes, fields))
}

/// Detects the format of the documents in a JSON list of objects from its first bytes. No format has such lists.
pub(crate) fn listed_format(bytes: &[u8]) -> Option<&'static FormatSpec> {
    let list = without_mark(bytes).trim_ascii_start().strip_prefix(b"[")?;
    if (json::SPEC.detect)(list) {
        return Some(&json::SPEC);
    }
    (jsonlines::SPEC.detect)(list)
        .then_some(&jsonlines::SPEC)
        .filter(|_| jsonlines::FIELDS.iter().any(|name| json::has_field(list, name)))
}

/// Returns the name of the option that sets the format of an input. The response has a separate option, because a
/// key is never an answer and `format` applies to both sides.
pub(crate) fn name_of_format_option(side: Side) -> &'static str {
    if side == Side::Response { "response-format" } else { "format" }
}

/// Returns the bytes without a byte order mark at the start.
pub fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

/// Fails if documents of the corpus share an id. The error lists all places.
fn check_unique_ids(corpus: &Corpus) -> Result<()> {
    let mut seen: FxHashMap<&DocumentId, &Document> = FxHashMap::default();
    let mut errors = ErrorList::default();
    for document in &corpus.documents {
        let first = *seen.entry(document.id()).or_insert(document);
        if !std::ptr::eq(first, document) {
            errors.keep(repeated(document, first.position()))?;
        }
    }
    errors.finish()
}

/// Returns the name of a file up to its first dot, which is the id of a document without a name.
pub(crate) fn stem(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    name.split('.').next().unwrap_or_default().to_owned()
}

/// Returns the error of a document whose id another document at `first` already uses.
pub(crate) fn repeated(document: &Document, first: Position) -> Error {
    let message = format!("the document `{}` is repeated here", document.id());
    let (one, other) = (Path::new(&*first.source), Path::new(&**document.source()));
    let hint = if one == other {
        "give each document a unique id or part number".into()
    } else if stem(one) == stem(other) && one.parent() != other.parent() {
        // The same file in several directories: ids with the names of files are the same as well.
        text!(
            "name one of the directories; compare with {} if each directory is a system, and with {} if each is a run of one",
            option("systems"),
            option("runs")
        )
    } else {
        text!(
            "use {} to distinguish them, or score file by file with {}; compare with {} if each file is a system, and with {} if each is a run of one",
            switch("ids-by-file"),
            switch("pair-files"),
            option("systems"),
            option("runs")
        )
    };
    Error::new(ErrorKind::Format, message)
        .coded(Code::RepeatedDocument)
        .at(document.position())
        .with_place(first, "the first time")
        .hint(hint)
}

/// Checks a complete corpus for errors that any format can have.
pub(crate) fn check_corpus(corpus: &Corpus) -> Result<()> {
    check_unique_ids(corpus)
}

/// Returns the text of `bytes`. Fails at the first byte that is not UTF-8.
pub(crate) fn utf8<'b>(bytes: &'b [u8], source: &Arc<str>, line: u32, column: u32) -> Result<&'b str> {
    std::str::from_utf8(bytes).map_err(|error| {
        let at = column + error.valid_up_to() as u32;
        not_utf8(Position::new(source, line, at))
    })
}

/// The error of a byte that is not UTF-8.
fn not_utf8(position: Position) -> Error {
    Error::new(ErrorKind::Format, "this is not UTF-8 text")
        .coded(Code::NotUtf8)
        .at(position)
        .hint("convert the file to UTF-8")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::settings::{Formats, OPTIONS, PARAMETERS};

    #[test]
    fn rows_are_unique_and_complete() {
        let ids: BTreeSet<_> = FORMATS.iter().map(|spec| spec.id).collect();
        assert_eq!(ids.len(), FORMATS.len());
        assert!(FORMATS.iter().all(|spec| !spec.summary.is_empty() && !spec.extensions.is_empty()));
        let named: BTreeSet<_> = FORMATS.iter().flat_map(|spec| spec.settings).copied().collect();
        let own = |formats| formats == Formats::Some;
        let options = OPTIONS.iter().filter(|row| own(row.formats)).map(|row| row.name);
        let parameters = PARAMETERS.iter().filter(|row| own(row.formats)).map(|row| row.name);
        assert_eq!(named, options.chain(parameters).collect());
    }

    #[test]
    fn an_unknown_format_suggests_the_nearest() {
        let error = FormatSpec::named("connl").expect_err("no such format");
        assert_eq!(error.remedy().as_deref(), Some("did you mean `conll`?"));
    }
}
