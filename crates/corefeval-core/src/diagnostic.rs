//! Findings: notes and warnings about the input, counted by code, with a place and a remedy.
//!
//! All findings of a code are counted, but only the first [`KEPT_PER_CODE`] are kept. A file with a million faults
//! therefore does not fill the memory.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::wording::{Part, Text, option, option_blank, option_value, switch, text};

pub use crate::wording::Position;

/// The number of findings of one code that are kept with place and message.
pub const KEPT_PER_CODE: usize = 1000;

/// The importance of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// An assumption or a remark; never an error.
    Note,
    /// The score may be misleading; an error under `--strict`.
    Warning,
    /// The input cannot be scored.
    Error,
}

impl Severity {
    /// Returns the name as printed.
    pub fn label(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

macro_rules! codes {
    ($($(#[$meta:meta])* $variant:ident, $id:literal, $severity:ident, $summary:literal, $remedy:literal $(, $part:expr)*;)*) => {
        /// The kind of a finding.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[$meta])* #[doc = $summary] $variant,)*
        }

        impl Code {
            /// All codes, in the order of lists and reports.
            pub const ALL: &[Code] = &[$(Code::$variant,)*];

            /// Returns the name, as printed and in JSON.
            pub fn id(self) -> &'static str {
                match self { $(Code::$variant => $id,)* }
            }

            /// Describes the finding in one sentence.
            pub fn summary(self) -> &'static str {
                match self { $(Code::$variant => $summary,)* }
            }

            /// Returns how to resolve it, in words for users.
            pub fn remedy(self) -> Text {
                match self { $(Code::$variant => text!($remedy $(, $part)*),)* }
            }

            /// Returns whether there is something to resolve or to add.
            pub fn needs_remedy(self) -> bool {
                self.remedy() != Text::from("none needed")
            }

            /// Returns its severity: a note or a warning.
            pub fn severity(self) -> Severity {
                match self { $(Code::$variant => Severity::$severity,)* }
            }
        }
    };
}

codes! {
    FormatAssumed, "format-assumed", Note,
        "The format was detected from the first bytes of the file.",
        "name it with {}", option("format");
    LinkedIds, "linked-ids", Note,
        "Entity ids contain a link to a name (`place-1-New_Zealand`) and are closed by the short id (`place-1)`); the short id is used.",
        "none needed: GUM writes ids like this";
    MissingDocument, "missing-document", Warning,
        "The response lacks a document of the key; all its mentions count as missed.",
        "add it to the response, or remove it from the key";
    ExtraDocument, "extra-document", Warning,
        "The response has a document that the key lacks; it was ignored.",
        "remove it from the response, or give it the same name as in the key";
    PairedLoosely, "paired-loosely", Note,
        "Documents were paired although their ids differ in spelling (`a_0` and `a; part 000`, or a part on one side only).",
        "use the same ids on both sides";
    MissingFile, "missing-file", Warning,
        "A file of the key has no counterpart in the response; all its mentions count as missed.",
        "add it to the response, or remove it from the key; {} pairs files regardless of their names",
        option_blank("pair", "KEY RESPONSE");
    ExtraFile, "extra-file", Warning,
        "A file of the response has no counterpart in the key; it was ignored.",
        "remove it from the response, or give it the same name as in the key";
    FilesPairedLoosely, "files-paired-loosely", Note,
        "Files were paired although their names differ after the first dot (`cs.key.conllu` and `cs.response.conllu`).",
        "use the same names on both sides";
    WordsDiffer, "words-differ", Warning,
        "Key and response have the same number of words, but not the same words.",
        "check that both files contain the same text; {} silences this", option_value("check-tokens", "no");
    WordsUnchecked, "words-unchecked", Note,
        "One side does not contain its words, so words were not compared.",
        "none needed";
    SentencesDiffer, "sentences-differ", Warning,
        "Key and response split the same words into different sentences.",
        "use the key's sentence breaks in the response";
    DuplicateMention, "duplicate-mention", Warning,
        "One side annotates a span as a mention more than once, or repeats a row of a table or a link.",
        "keep one copy; until then the profile decides which one counts";
    ReadByRow, "read-by-row", Note,
        "Large tables were read row by row, which takes three to five times as long as counting them, and 200 to 300 bytes of memory per row.",
        "keep one copy of each mention, and remove line breaks from cells";
    UnclosedMention, "unclosed-mention", Warning,
        "A mention opens but never closes; it was dropped.",
        "close it";
    UnopenedMention, "unopened-mention", Warning,
        "A closing bracket has no opening bracket; it was ignored.",
        "open the mention, or remove the bracket";
    BareId, "bare-id", Warning,
        "An id without a bracket was ignored.",
        "write (id) for a mention of one word, or remove it";
    EmptyId, "empty-id", Warning,
        "A bracket without an id was ignored.",
        "give it the id of an entity";
    StraySign, "stray-sign", Warning,
        "A cell of coreference has a space, or a `|` without a mention on both sides (reported by `validate` only); it was ignored.",
        "remove it, and look for a mention that is missing";
    ReversedSpan, "reversed-span", Warning,
        "The end of a span is before its start; they were swapped.",
        "write the start first";
    ColumnCount, "column-count", Warning,
        "A line has a different number of columns than the first line of its sentence (conll; more columns are not checked if the last one is `-` or one number in brackets) or than the file declares (conll-ua); its annotation was read.",
        "look for a truncated or joined line";
    /// Reported by `validate` only.
    WordOrder, "word-order", Warning,
        "Word numbers are not consecutive (only in `validate`; in corefud and semeval an error).",
        "separate sentences by blank lines, and look for missing or moved lines";
    /// Reported by `validate` only.
    Misspelled, "misspelled", Warning,
        "A name or a bracket looks like a misspelling of one that the format defines, and was not read (only in \
         `validate`).",
        "correct the spelling, or ignore this if the name is intended";
    /// Reported by `validate` only.
    SameId, "same-id", Warning,
        "Two sentences of a document, or two relations of a file, have the same id; both were read (only in `validate`).",
        "give each a unique id; look for a passage that occurs twice";
    NoBeginLine, "no-begin-line", Warning,
        "Words are outside any document; they were read as a document without a name.",
        "put `#begin document (NAME); part 000` before them, in CoNLL-U and variants `# newdoc id = NAME`, in muc `<DOC> <DOCNO>NAME</DOCNO>`";
    NoEndLine, "no-end-line", Warning,
        "A document has no `#end document` (in muc no `</DOC>`); the file may be truncated.",
        "check the end of the file";
    Truncated, "truncated", Warning,
        "A file ends within its last line or sentence; the missing part counts as not annotated.",
        "copy, download or write the file again; if it is complete, add the ending that the format requires (in \
         CoNLL-U and variants a blank line)";
    RepeatedEmptyId, "unnamed-document", Warning,
        "A document has no id; it was numbered, and pairs with the document of the same number.",
        "give it an id";
    EmptyEntity, "empty-entity", Warning,
        "An entity has no mentions; it was ignored.",
        "remove it";
    SpanExtra, "span-extra", Warning,
        "A span has more than two values; the others were ignored.",
        "write [start, end]";
    FileSkipped, "file-skipped", Note,
        "Entries of a directory that are not annotation or its text (documentation, backups, hidden files) were not read.",
        "none needed, unless it is a text whose annotation is missing";
    PassedOver, "passed-over", Note,
        "Annotation other than coreference (other relations, events, notes) was ignored.",
        "none needed";
    InsideWord, "inside-word", Warning,
        "A mention starts or ends inside a word; it was extended to the whole word.",
        "annotate whole words, on both sides";
    EmptySpan, "empty-span", Warning,
        "A mention has no words; it was ignored.",
        "give it words, or remove it";
    TextDiffers, "text-differs", Warning,
        "The text that the annotation gives for a mention differs from the text at its position.",
        "check that annotation and text belong together";
    NoGlobalEntity, "no-global-entity", Warning,
        "A file has no line `# global.Entity`; its brackets were read as `eid-etype-head-other`.",
        "put that line at the top";
    NoHeads, "no-heads", Warning,
        "The settings match mentions by head, and one side has no heads.",
        "use a format with heads, or {}", option_value("match", "exact");
    NoColumnsLine, "no-columns-line", Warning,
        "A file does not name its columns; the usual columns were assumed.",
        "start it with a line `# global.columns = ID FORM …` that names all columns";
    UnnamedClosing, "unnamed-closing", Warning,
        "A closing bracket does not name its mention although mentions may cross; it was ignored.",
        "write the MarkableID before the bracket, or score without {}", switch("boundary-crossing");
    MisplacedMention, "misplaced-mention", Warning,
        "A mention is on the line of a multiword token (`3-4`), which is not a word; it was ignored.",
        "write it at the words of the token, on the lines that follow";
    EntityChanged, "entity-changed", Warning,
        "The brackets of one mention name different entities; the last one counts.",
        "name one entity, or give each mention its own id";
    MinSpan, "min-span", Warning,
        "A minimum span is not within its mention; it was ignored.",
        "write its first and last word, counted from 1 over the document; in muc its words, as in the mention";
    UnknownId, "unknown-id", Warning,
        "A relation names a mention or an entity that the document does not have; it was ignored.",
        "look for a misspelled id, or annotate the target";
    OtherLink, "other-link", Warning,
        "A link has a type other than identity; it was ignored, and its mentions were kept.",
        "write TYPE=\"IDENT\" for identity";
    CircularLink, "circular-link", Warning,
        "A chain of links is circular; its mentions still form one entity.",
        "link each mention to an earlier one";
    CircularSplit, "circular-split", Warning,
        "An entity is an element of itself, directly or through other entities; that element was ignored.",
        "remove one of the elements";
    ColumnsAssumed, "columns-assumed", Note,
        "The first row of a table does not name the columns, or several fit; the columns were assumed.",
        "name the columns `mention` and `entity`, and `document` if there are several";
    UnknownType, "unknown-type", Warning,
        "An entity has a type or class that ACE does not define; ACE-value gives it the weight of `other`.",
        "look for a misspelling, or give it a weight ({})", option("ace-parameters");
    LineEnds, "line-ends", Warning,
        "The offsets of an annotation count CR LF as two characters, where ACE counts one; they were accepted.",
        "check that key and response belong to the same text";
    TopicMissing, "topic-missing", Warning,
        "Entities are compared across the documents of a topic, and a document has no topic; it was compared separately.",
        "use a format with topics (for example a table with a column `topic`), or {}", option_value("scope", "corpus");
    /// Entities are identified by name under `--scope topic` and `--scope corpus`.
    EntitiesCross, "entities-cross", Note,
        "Entities with the same name in several documents were treated as one, because the scope is larger than a document.",
        "none needed if names are meant to be unique in the corpus; otherwise give entities unique names (many CoNLL files number them from 0 in each document)";
    /// For `jsonlines`.
    TwoClusterings, "two-clusterings", Note,
        "A document has clusters of both the key and a response; those of its side were read.",
        "none needed: one file may be both key and response";
    NoMentions, "no-mentions", Warning,
        "A document has no mentions on one side.",
        "check that the annotation is where its format expects it, such as the last column of CoNLL files";
    NothingShared, "nothing-shared", Warning,
        "Both sides have mentions, but none in common.",
        "check that both sides name mentions, count words and end spans in the same way";
    SpanEnds, "span-ends", Warning,
        "Most mentions of the response would equal a mention of the key if they ended one word earlier or later.",
        "set the meaning of the second number of a span with the option that the message names; for formats \
         without one, correct the file";
    SingletonsOneSided, "singletons-one-sided", Warning,
        "One side has singletons and the other has none.",
        "score with {}, or annotate them on both sides", option_value("singletons", "drop");
    MucUndefined, "muc-undefined", Warning,
        "MUC is 0 if one side has no links, and undefined if neither has any: then the CoNLL average is undefined too.",
        "report the metrics separately, or exclude such documents";
    UndefinedInPair, "undefined-in-pair", Note,
        "A metric is undefined for a pair of files (for example without zeros); its macro average is over the other pairs.",
        "none needed";
    ManyCandidates, "many-candidates", Warning,
        "Hundreds of mentions could match one mention; only those that share the most words were considered.",
        "check the annotation: real texts do not have this many mentions of a single word";
    TiedPairs, "tied-pairs", Note,
        "Several pairings of mentions are equally good; the first in document order was used. corefud-scorer uses the one that its solver finds.",
        "none needed; scores can differ from corefud-scorer's in the second decimal";
    AboveOne, "above-one", Warning,
        "A score exceeds 1: a side repeats a mention and each copy counts, as in the scorer of the profile (BLANC of `coval`: as in the Universal Anaphora scorer).",
        "remove the copies, or use {}, which counts one per entity", option_value("duplicates", "distinct");
    MetricUndefined, "metric-undefined", Note,
        "A metric is undefined, because neither side has any items that it counts; its score is 0, shown as a dash in tables.",
        "leave the metric out, or use data that contains what it counts";
    MetricWithoutGroups, "metric-without-groups", Warning,
        "The counts of a metric are not sums over mentions, so it is not in the rows by groups of mentions.",
        "use other metrics; the documentation of groups lists those with scores by group";
    GroupsOfKey, "groups-of-key", Note,
        "The response lacks the annotation that mentions are grouped by; each mention is in the group of the key mention it is aligned with.",
        "add the annotation to the response to use its own groups";
    NotCompared, "not-compared", Note,
        "The counts of the profile's metrics do not add up over documents, so other metrics are compared.",
        "name the metrics with {}", option("metrics");
    MetricImpossible, "metric-impossible", Warning,
        "A document lacks the annotation that a metric counts (for example the links that were written), so the metric was left out or is undefined.",
        "leave the metric out, or use data with items that it counts; links as written require entities that are written as links, not in braces or clusters";
    TypeMissing, "type-missing", Warning,
        "A mention or an entity has no type, and the weights require one; it takes its counterpart's weight, otherwise the default.",
        "annotate types on both sides, or set the default weight under [default]";
    TypeUnlisted, "type-unlisted", Note,
        "The weights do not list the type of a mention or an entity; it has the default weight.",
        "list it, or look for a misspelling";
    Unweighted, "unweighted", Note,
        "Weights were given, and a metric does not use them.",
        "none needed; `b_cubed:weight=table` and similar metrics use them";
    WithoutEffect, "without-effect", Warning,
        "An option or a field of a signature has no effect on this task, this format or these metrics.",
        "leave it out, or check format and metrics";
    NotShown, "not-shown", Warning,
        "The output does not show something that was requested.",
        "choose another output";
    ProbeIdle, "probe-idle", Warning,
        "A transformation of `probe` does not change the response, or everything that it adds is dropped.",
        "compare the other rows; {} keeps singletons", option_value("singletons", "keep");
    /// The settings of the signature given with `--settings`.
    OtherOrigin, "other-origin", Warning,
        "The given settings were printed by another version, or for another format.",
        "check that the results to compare with were computed in the same way";
    FewDocuments, "few-documents", Warning,
        "Too few documents are resampled: intervals are too narrow, and results are imprecise.",
        "use 20 documents or more (50 for a bootstrap test), or treat these results as indicative";
    KeysDiffer, "keys-differ", Warning,
        "The keys made from the names of several responses differ, so that their scores cannot be compared.",
        "use one key for all: write it with {}, and read it with {}", option("write-key"), option("read-key");
    CountedKeysDiffer, "counted-keys-differ", Warning,
        "The keys of several tables of counts differ, so that their scores cannot be compared.",
        "use one key for all, and count all its mentions in each table, including those that a system lacks";
    RepeatedCount, "repeated-count", Warning,
        "A table of counts has two or more rows for the same entities of a document; their counts were added up.",
        "group by all of `document`, `key` and `response` in the query that counts; if the file joins the tables of \
         several parts, the sum is intended";
    MissingWord, "missing-word", Warning,
        "A cell of a table contains a word that often represents a missing value, such as `NULL`, `None` or `NaN`; it \
         was read as a name.",
        "if values are missing: in a table of counts leave such cells empty, in a table of labels give each of these \
         mentions a separate entity or remove the row; otherwise rename the entity or the document";
    PartsOfOneWork, "parts-of-one-work", Warning,
        "Documents seem to be parts or chapters of one work, which depend on each other, and are resampled as if independent: p-values are too small and intervals too narrow.",
        "keep each work in a separate file and use {}, or name the work as the topic and use {}",
        option_value("unit", "file"), option_value("unit", "topic");
    FewResamples, "few-resamples", Warning,
        "Too few resamples were requested for the confidence level: no p-value can be low enough, or intervals end at the extreme resamples.",
        "increase {}, or lower {}", option("resamples"), option("confidence");
    UndefinedInResample, "undefined-in-resample", Warning,
        "A metric is undefined in some resamples, because few documents contain items that it counts; its intervals use only the other resamples and are too narrow.",
        "report it without an interval, or use more documents that contain what it counts";
    LettersMissing, "letters-missing", Warning,
        "A name or a title has letters that DejaVu Sans lacks or that run from right to left, so the figure is drawn as SVG, but not as PNG or PDF.",
        "use the SVG, or write the names of the systems ({}) and the title in Latin letters", Part::NamedPath;
    NoFigure, "no-figure", Warning,
        "No figure was drawn, because figures show none of the requested metrics.",
        "request other metrics";
    DocumentsNotShared, "documents-not-shared", Note,
        "Documents that some system lacks were excluded from the comparison.",
        "none needed: {} requests it", switch("shared-documents");
    SystemLeftOut, "system-left-out", Warning,
        "A response cannot be compared and was left out.",
        "correct it, or remove it";
    CacheEntry, "cache-entry", Note,
        "An entry of the cache was damaged or from another program; the system was scored again.",
        "none needed: the entry was replaced";
    CacheUnwritten, "cache-unwritten", Note,
        "Scores could not be stored in the cache.",
        "check that the folder is writable and has space, and that no response is being written while it is scored";
    NamedByRules, "named-by-rules", Note,
        "Named mentions were found by the built-in rules, which assume English and rely on capital letters.",
        "give named-entity labels with {}, or use data with mention types, a named-entity column or parts of speech", option("ne-labels");
    BrokenName, "broken-name", Warning,
        "The named-entity column closes a name that it did not open, or vice versa; the name was ignored.",
        "balance the brackets of the column within each sentence";
    NamesLeftOver, "names-left-over", Note,
        "The file of named-entity labels has documents that are not scored.",
        "none needed";
    NoNames, "no-names", Warning,
        "Scores of named mentions were requested, but neither side has a named mention.",
        "use another source with {}, or give labels with {}", option("named"), option("ne-labels");
    NamesMerged, "names-merged", Note,
        "Several mentions of a document contain the same name; the shortest represents it in the approximated comparison.",
        "none needed";
    MentionsDropped, "mentions-dropped", Note,
        "Mentions were dropped as the settings require.",
        "none needed";
    ParseMissing, "parse-missing", Warning,
        "The settings require a parse, but the key has none.",
        "use a key in the complete CoNLL-2012 layout";
    AnswerUnwrapped, "answer-unwrapped", Note,
        "Text around an answer (code fences, sentences before and after, reasoning) was skipped.",
        "none needed";
    MentionsSkipped, "mentions-skipped", Warning,
        "Text around an answer, or a list or a name in its JSON, was skipped, although it may have mentions.",
        "ask for one answer in one piece, in which each entity is a list of all its mentions, and put further answers into separate files";
    AnswerAligned, "answer-aligned", Note,
        "The text of a response differs from the key's; mentions were carried over to the key's words.",
        "none needed; {} sets how much the texts may differ", option("align");
    MentionAmbiguous, "mention-ambiguous", Note,
        "A mention is given by its words, which occur several times in the key; the first free occurrence after the entity's last mention was used.",
        "ask for sentence numbers, or for the marked text";
    JsonRepaired, "json-repaired", Note,
        "An answer is not strict JSON (Python syntax, curly quotes, trailing commas, comments) but was read.",
        "none needed";
    JsonBroken, "json-broken", Warning,
        "The JSON of an answer is damaged (a quote, a colon, a comma or a bracket too few or too many, dots instead of values); it was read as it was probably meant, but mentions and ids may be wrong or missing.",
        "correct the place that the message names, or ask for valid JSON";
    MentionUnplaced, "mention-unplaced", Warning,
        "A mention has no place in the key's text; it counts as spurious.",
        "look for text that the model added or changed, or a mention that it lists too often";
    MentionShrunk, "mention-shrunk", Warning,
        "The key lacks the first or the last words of a mention; the rest was kept.",
        "look for text that the model added";
    WordsJoined, "words-joined", Warning,
        "The first or the last word of a mention in an answer is several words of the key, and the mention has all of them.",
        "separate words with spaces as the key does, so that only the marked word belongs to the mention";
    OffsetWrong, "offset-wrong", Warning,
        "The sentence number or the characters of a mention do not fit its words; the nearest place of the words was used.",
        "do not ask a language model to count characters";
    BadTag, "bad-tag", Warning,
        "A tag, a label or an element of JSON does not name an entity or a mention, or may be a part of the text's structure; unless the message states that it was read, it was dropped.",
        "correct the place that the message names; a mention has one id, written like the others in the answer";
    IdsAlike, "ids-alike", Warning,
        "Two entities of an answer have ids that differ only in letter case, leading zeros, separators or a word such as `entity` before the number, or the same name, or an id contains those of others (`1,2`) or is written unlike all others (`l` among numbers); they were read as different entities. Entities in JSON with the same id were read as one.",
        "if both are one entity, give it one id in the whole answer, and one id to each mention; none needed if they are different";
    JsonCut, "json-cut", Warning,
        "The JSON of an answer lacks closing brackets, often because the answer ends within it; mentions that are complete were kept.",
        "raise the limit of the model's output, or ask for valid JSON";
    TextMissing, "text-missing", Warning,
        "A response lacks a part of the key's text.",
        "add it; look for the place where the response was cut off or skips text";
    TextAdded, "text-added", Warning,
        "A response has text that the key lacks.",
        "annotate the key's text as it is; a model must repeat it without changes";
    TextChanged, "text-changed", Warning,
        "Some words of a response differ from the key's.",
        "annotate the key's text as it is; a model must repeat it without changes";
    TextRepeated, "text-repeated", Warning,
        "A response repeats a passage of the key; the first copy counts.",
        "ask the model to repeat the text once";
    ZeroUnplaced, "zero-unplaced", Warning,
        "A response has an empty node that the key lacks.",
        "none needed if the key's empty nodes are right; in scores {} sets whether its mention is dropped or counts as spurious",
        option("extra-zeros");
    ZeroMoved, "zero-moved", Warning,
        "A zero of a response gets the key's empty node that depends on the same words, which is in a different place.",
        "none needed if zeros match by their dependencies, as in corefud; scores by place change: those of {}, of other profiles, and of the metrics `mention_overlap` and `zero_anaphora`",
        option_value("zero-match", "linear");
    AnswerUnrelated, "answer-unrelated", Error,
        "Too little of a response's text matches the key's; the document was refused.",
        "check that the answer belongs to this key; {} sets how much must match", option("min-aligned");
    NotWritten, "not-written", Warning,
        "The output format cannot represent something, which was dropped.",
        "write a format that can represent it, or ignore this";
    WrittenOtherwise, "written-otherwise", Note,
        "Something is written differently, as the output format requires (for example names of entities); nothing is lost.",
        "none needed";
    NotFound, "not-found", Error,
        "The file does not exist, or the directory has no files to read.",
        "look for a misspelled name";
    NotReadable, "not-readable", Error,
        "A file cannot be read: permission is denied, or it is damaged, too large, or in a format that this build does not support.",
        "check its permissions; fetch or compress it again; gzip -t and zstd -t test it";
    NotText, "not-text", Error,
        "A file is not text.",
        "corefeval reads text, plain or as .gz or .zst";
    Utf16, "utf-16", Error,
        "A file is UTF-16.",
        "convert it to UTF-8, for example with {}", switch("fix");
    NotUtf8, "not-utf-8", Error,
        "A file has bytes that are not UTF-8.",
        "convert the file to UTF-8";
    EmptyFile, "empty-file", Error,
        "A file has no content.",
        "check that it was written to the end";
    UnknownFormat, "unknown-format", Error,
        "The first lines of a file do not match any known format.",
        "name its format with {}", option("format");
    MixedFormats, "mixed-formats", Error,
        "The files of a directory have several formats.",
        "keep one format in a directory, or name it with {}", option("format");
    MissingText, "missing-text", Error,
        "The text file of an annotation is missing.",
        "put the text into the same directory as the annotation";
    RepeatedDocument, "repeated-document", Error,
        "Two documents have the same id.",
        "give each document a unique id or part number";
    CutOff, "cut-off", Error,
        "A file, an element, a list or a quote ends before it is complete.",
        "close it, or copy, download or write the file again";
    NoDocument, "no-document", Error,
        "A file has no document, word or row in this format.",
        "check that it was written to the end, and that its format is right";
    RepeatedId, "repeated-id", Error,
        "Two elements of a file have the same id, or an element has a field twice.",
        "give each a unique id, or remove the copy";
    WordNumber, "word-number", Error,
        "A line does not have the number of the next word.",
        "number words from 1 in each sentence; look for a missing or joined line, or a missing blank line";
    MissingColumn, "missing-column", Error,
        "A line, a row or the header lacks a column that the format requires.",
        "look for a line that was cut off, for spaces instead of tabs, or for a header with different names";
    MissingField, "missing-field", Error,
        "An element, a line or an object lacks an id, a name, an attribute or a field that the format requires.",
        "add the part that the message names";
    BadMarkup, "bad-markup", Error,
        "A tag, an attribute or a character reference is not written as XML and SGML require.",
        "correct the tag; write `&lt;` and `&amp;` for `<` and `&` of the text";
    BadJson, "bad-json", Error,
        "A line or a file is not JSON, or not the JSON of a document.",
        "correct it at the place that the message names; `python -m json.tool` tests it";
    BadValue, "bad-value", Error,
        "The format does not allow a value at this place, or the value contradicts another one.",
        "follow the hint";
    BadMention, "bad-mention", Error,
        "A mention is written in a way that its format does not allow.",
        "correct the mention; if it is intended, use a format that allows it";
    OutOfRange, "out-of-range", Error,
        "An offset, the number of a word or a head lies outside the text or outside its mention.",
        "check how offsets are counted (from 0 or 1, last or next), and that annotation and text belong together";
    Malformed, "malformed", Error,
        "A line does not follow its format, in a way that no other code describes.",
        "follow the message";
    FurtherErrors, "further-errors", Note,
        "Only the first errors of a file are listed (20, in `validate` 1000); the file may not have been read to its end.",
        "correct the listed errors, and look again";
    NoAnnotation, "no-annotation", Error,
        "A file has no mention in any of its documents.",
        "check that the annotation is in the right place; {} scores a file without mentions", switch("allow-empty");
    NoSharedDocument, "no-shared-document", Error,
        "Key and response have no document in common.",
        "check that they annotate the same texts; {} pairs documents in order", option_value("pair-documents", "order");
    OtherWords, "other-words", Error,
        "Key and response of a document do not have the same words.",
        "use the key's words in the response; {} carries mentions over to them", option_value("align", "text");
    OtherSentences, "other-sentences", Error,
        "Key and response of a document split the same words into different sentences.",
        "use the key's sentence breaks in the response; {} skips this check", option_value("check-tokens", "no");
    NotComparable, "not-comparable", Error,
        "Key and response cannot be compared.",
        "use one kind of format on both sides";
    WrongOption, "wrong-option", Error,
        "The value of an option is invalid, or contradicts another option.",
        "change the option that the message names";
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The kind, which determines summary, remedy and severity.
    pub code: Code,
    /// Describes this finding, with names and numbers.
    pub message: Text,
    /// The place in a file.
    pub position: Option<Position>,
    /// The id of the document, if the finding is about one.
    pub document: Option<String>,
}

/// Findings counted by code, with the first few of each.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    groups: Vec<FindingGroup>,
    journal: Option<Journal>,
}

impl PartialEq for Diagnostics {
    fn eq(&self, other: &Diagnostics) -> bool {
        self.groups == other.groups
    }
}

impl Eq for Diagnostics {}

/// A list of all findings that readers add, which outlives a reader that fails.
#[derive(Clone, Debug, Default)]
pub struct Journal(Arc<Mutex<Vec<Diagnostic>>>);

impl Journal {
    /// Returns the findings in order of addition, and empties the list.
    pub fn take(&self) -> Vec<Diagnostic> {
        // A thread that panicked while it added a finding left a complete list.
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn truncate(&self, length: usize) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).truncate(length);
    }

    fn add(&self, finding: Diagnostic) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(finding);
    }
}

/// All findings of one code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingGroup {
    /// Their code.
    pub code: Code,
    /// The number of findings.
    pub count: u64,
    /// The first findings, at most [`KEPT_PER_CODE`]. Copies of a list share them.
    pub kept: Vec<Arc<Diagnostic>>,
}

impl Diagnostics {
    /// Creates an empty list, whose findings are also added to `journal`, if given.
    pub fn with_journal(journal: Option<Journal>) -> Diagnostics {
        Diagnostics { groups: Vec::new(), journal }
    }

    /// Adds a finding. `message` is called only if the finding is kept.
    pub fn add<T: Into<Text>>(
        &mut self,
        code: Code,
        position: Option<Position>,
        document: Option<String>,
        message: impl FnOnce() -> T,
    ) {
        let journal = self.journal.clone();
        let group = self.group(code);
        group.count += 1;
        let keep = group.kept.len() < KEPT_PER_CODE;
        if keep || journal.is_some() {
            let finding = Diagnostic { code, message: message().into(), position, document };
            if let Some(journal) = journal {
                journal.add(finding.clone());
            }
            if keep {
                group.kept.push(Arc::new(finding));
            }
        }
    }

    /// Counts `count` more findings of `code` without keeping them.
    pub fn count(&mut self, code: Code, count: u64) {
        if count > 0 {
            self.group(code).count += count;
        }
    }

    fn group(&mut self, code: Code) -> &mut FindingGroup {
        let place = match self.groups.binary_search_by_key(&code, |group| group.code) {
            Ok(place) => place,
            Err(place) => {
                self.groups.insert(place, FindingGroup { code, count: 0, kept: Vec::new() });
                place
            }
        };
        &mut self.groups[place]
    }

    /// Appends the findings of `other`.
    pub fn merge(&mut self, other: Diagnostics) {
        for theirs in other.groups {
            let ours = self.group(theirs.code);
            ours.count += theirs.count;
            let room = KEPT_PER_CODE.saturating_sub(ours.kept.len());
            ours.kept.extend(theirs.kept.into_iter().take(room));
        }
    }

    /// Appends the findings of `other` whose codes are new, if both come from the same documents.
    pub(crate) fn merge_others(&mut self, mut other: Diagnostics) {
        other.groups.retain(|theirs| self.groups.iter().all(|ours| ours.code != theirs.code));
        self.merge(other);
    }

    /// Returns the current state, for [`back_to`](Self::back_to): the findings so far and the length of the journal.
    pub(crate) fn so_far(&self) -> (Diagnostics, usize) {
        (self.clone(), self.journal.as_ref().map_or(0, Journal::len))
    }

    /// Restores an earlier state, if later findings are to be replaced.
    pub(crate) fn back_to(&mut self, (before, length): (Diagnostics, usize)) {
        *self = before;
        if let Some(journal) = &self.journal {
            journal.truncate(length);
        }
    }

    /// Removes the findings of `code`, which another finding replaces.
    pub fn forget(&mut self, code: Code) {
        self.groups.retain(|group| group.code != code);
    }

    /// Names the system in warnings and in notes without a place. Warnings with a position in one of `key_files`
    /// concern the key and are not changed, except those about missing documents.
    pub fn name_system(&mut self, name: &str, key_files: &BTreeSet<Arc<str>>) {
        for group in &mut self.groups {
            let code = group.code;
            let of_system = |found: &&mut Arc<Diagnostic>| match &found.position {
                Some(place) => {
                    let of_response = code == Code::MissingDocument || !key_files.contains(&place.source);
                    code.severity() > Severity::Note && of_response
                }
                None => code.severity() > Severity::Note || found.document.is_none(),
            };
            for finding in group.kept.iter_mut().filter(of_system) {
                let finding = Arc::make_mut(finding);
                finding.message = text!("{}: {}", name, std::mem::take(&mut finding.message));
            }
        }
    }

    /// Replaces parts of the messages of `code`.
    pub(crate) fn reword(&mut self, code: Code, replacement: impl Fn(&Part) -> Option<Text>) {
        for group in self.groups.iter_mut().filter(|group| group.code == code) {
            for finding in &mut group.kept {
                let finding = Arc::make_mut(finding);
                finding.message = finding.message.replaced(&replacement);
            }
        }
    }

    /// Sets the position of findings that have none.
    pub fn place(&mut self, position: &Position) {
        let kept = self.groups.iter_mut().flat_map(|group| &mut group.kept);
        for finding in kept.filter(|finding| finding.position.is_none()) {
            Arc::make_mut(finding).position = Some(position.clone());
        }
    }

    /// Returns the findings by code, in the order of [`Code::ALL`].
    pub fn groups(&self) -> &[FindingGroup] {
        &self.groups
    }

    /// Returns the number of warnings.
    pub fn warnings(&self) -> u64 {
        let warnings = self.groups.iter().filter(|group| group.code.severity() == Severity::Warning);
        warnings.map(|group| group.count).sum()
    }

    /// Returns whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_have_a_remedy() {
        let ids: BTreeSet<_> = Code::ALL.iter().map(|code| code.id()).collect();
        assert_eq!(ids.len(), Code::ALL.len());
        for code in Code::ALL {
            assert!(code.summary().ends_with(['.', ')']), "{}", code.id());
            assert!(!code.remedy().is_empty(), "{}", code.id());
            assert!(code.id().bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'));
        }
    }

    #[test]
    fn all_are_counted_and_the_first_kept() {
        let mut diagnostics = Diagnostics::default();
        for number in 0..2 * KEPT_PER_CODE {
            diagnostics.add(Code::BareId, None, None, || format!("finding {number}"));
        }
        let mut more = Diagnostics::default();
        more.add(Code::BareId, None, None, || "later".to_owned());
        more.add(Code::FormatAssumed, None, None, || "read as conll".to_owned());
        diagnostics.merge(more);
        assert_eq!(diagnostics.groups()[0].code, Code::FormatAssumed);
        let all = 2 * KEPT_PER_CODE as u64 + 1;
        assert_eq!(diagnostics.groups()[1].count, all);
        assert_eq!(diagnostics.groups()[1].kept.len(), KEPT_PER_CODE);
        assert_eq!(diagnostics.groups()[1].kept[0].message.to_string(), "finding 0");
        assert_eq!(diagnostics.warnings(), all);
    }
}
