//! What was noticed on the way: counted findings with a code, a place and a remedy.
//!
//! A [`Diagnostic`] is data; how it is shown is for the report and the command. Findings of one
//! code are counted without bound but kept in full only up to [`KEPT_PER_CODE`], so that a file
//! with a million faults costs no memory.

use std::fmt;
use std::sync::Arc;

/// How many findings of one code keep their place and message; all are counted.
pub const KEPT_PER_CODE: usize = 20;

/// A place in a file. Lines and columns count from 1, columns in bytes; 0 stands for the whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The file as it was named, or `-` for standard input.
    pub source: Arc<str>,
    /// The line, from 1; 0 for the whole file.
    pub line: u32,
    /// The column in bytes, from 1; 0 for the whole line.
    pub column: u32,
}

impl Position {
    /// A place in `source`.
    pub fn new(source: &Arc<str>, line: u32, column: u32) -> Position {
        Position { source: Arc::clone(source), line, column }
    }

    /// The place of byte `offset` of `text`, which `source` holds.
    pub(crate) fn in_text(source: &Arc<str>, text: &str, offset: usize) -> Position {
        let before = &text.as_bytes()[..offset.min(text.len())];
        let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        Position::new(source, line as u32, (before.len() - start) as u32 + 1)
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
            if self.column > 0 {
                write!(f, ":{}", self.column)?;
            }
        }
        Ok(())
    }
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Told, and never an error: what was assumed.
    Note,
    /// The score may not mean what it seems to; an error under `--strict`.
    Warning,
}

impl Severity {
    /// As printed.
    pub fn label(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
        }
    }
}

macro_rules! codes {
    ($($(#[$meta:meta])* $variant:ident, $id:literal, $severity:ident, $summary:literal, $remedy:literal;)*) => {
        /// The kind of a finding: the table of all that can be noticed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $($(#[$meta])* #[doc = $summary] $variant,)*
        }

        impl Code {
            /// All codes, in the order in which they are listed.
            pub const ALL: &[Code] = &[$(Code::$variant,)*];

            /// As printed and as the key in JSON.
            pub fn id(self) -> &'static str {
                match self { $(Code::$variant => $id,)* }
            }

            /// What it means, in one sentence.
            pub fn summary(self) -> &'static str {
                match self { $(Code::$variant => $summary,)* }
            }

            /// What to do about it.
            pub fn remedy(self) -> &'static str {
                match self { $(Code::$variant => $remedy,)* }
            }

            /// How much it matters.
            pub fn severity(self) -> Severity {
                match self { $(Code::$variant => Severity::$severity,)* }
            }
        }
    };
}

codes! {
    FormatAssumed, "format-assumed", Note,
        "The format was told from the first bytes.",
        "name it with --format to be sure";
    LinkedIds, "linked-ids", Note,
        "Entity ids carry a link to a name (`place-1-New_Zealand`), closed by the short id (`place-1)`); the short id is taken.",
        "none needed: this is how GUM writes ids";
    MissingDocument, "missing-document", Warning,
        "A document of the key is not in the response; all of it counts as missed.",
        "add it to the response, or take it out of the key";
    ExtraDocument, "extra-document", Warning,
        "A document of the response is not in the key; it was left out.",
        "take it out of the response, or name it as the key does";
    PairedLoosely, "paired-loosely", Note,
        "Documents were paired although their ids are spelt differently (`a_0` and `a; part 000`, or a part on one side only).",
        "spell the ids alike to be sure";
    MissingFile, "missing-file", Warning,
        "A file of the key has no counterpart in the response; all of it counts as missed.",
        "add it to the response, or take it out of the key; --pair KEY RESPONSE pairs files of any names";
    ExtraFile, "extra-file", Warning,
        "A file of the response has no counterpart in the key; it was left out.",
        "take it out of the response, or name it as the key does";
    FilesPairedLoosely, "files-paired-loosely", Note,
        "Files were paired although their names differ after the first dot (`cs.key.conllu` and `cs.response.conllu`).",
        "name them alike to be sure";
    WordsDiffer, "words-differ", Warning,
        "Key and response have as many words, but not the same.",
        "check that both files hold the same text; --check-tokens no silences this";
    WordsUnchecked, "words-unchecked", Note,
        "One side does not hold its words, so they could not be compared.",
        "none needed";
    SentencesDiffer, "sentences-differ", Warning,
        "Key and response break the same words into different sentences.",
        "use the key's sentence breaks in the response";
    DuplicateMention, "duplicate-mention", Warning,
        "A span is annotated as a mention more than once on one side.",
        "keep one; which one counts until then is a rule of the profile";
    UnclosedMention, "unclosed-mention", Warning,
        "A mention opens and never closes; it was dropped.",
        "close it";
    UnopenedMention, "unopened-mention", Warning,
        "A mention closes that never opened; the bracket was dropped.",
        "open it, or remove the bracket";
    BareId, "bare-id", Warning,
        "An id without a bracket was ignored.",
        "write (id) for a mention of one word, or remove it";
    EmptyId, "empty-id", Warning,
        "A bracket without an id was ignored.",
        "give it the id of an entity";
    ReversedSpan, "reversed-span", Warning,
        "A span ends before it begins; its ends were swapped.",
        "write the smaller end first";
    ColumnCount, "column-count", Warning,
        "A line has not as many columns as the first of its sentence (conll; not looked at where the last column is `-` or one number in brackets) or as the file names (conll-ua); its annotation was read all the same.",
        "look for a cut or joined line";
    NoBeginLine, "no-begin-line", Warning,
        "Words stand outside any document; they were read as a document without a name.",
        "put `#begin document (NAME); part 000` before them, in CoNLL-U and its kin `# newdoc id = NAME`, in muc `<DOC> <DOCNO>NAME</DOCNO>`";
    NoEndLine, "no-end-line", Warning,
        "A document has no `#end document` (in muc no `</DOC>`); the file may be cut short.",
        "check the end of the file";
    RepeatedEmptyId, "unnamed-document", Warning,
        "A document has no id; it was numbered, and pairs with the one of the same number.",
        "name it";
    EmptyEntity, "empty-entity", Warning,
        "An entity has no mentions; it was left out.",
        "remove it";
    SpanExtra, "span-extra", Warning,
        "A span has more than two values; the others were passed over.",
        "write [start, end]";
    FileSkipped, "file-skipped", Note,
        "A file of the directory is neither annotation nor the text of one; it was not read.",
        "none needed, unless it is a text whose annotation is missing";
    PassedOver, "passed-over", Note,
        "Annotation that says nothing of coreference (other relations, events, notes) was passed over.",
        "none needed";
    InsideWord, "inside-word", Warning,
        "A mention begins or ends inside a word; it was given the whole word.",
        "annotate whole words, on both sides";
    EmptySpan, "empty-span", Warning,
        "A mention has no words; it was left out.",
        "give it words, or remove it";
    TextDiffers, "text-differs", Warning,
        "What the annotation calls the text of a mention is not what stands at its place.",
        "check that annotation and text belong together";
    NoGlobalEntity, "no-global-entity", Warning,
        "A file has no line `# global.Entity`; its brackets were read as `eid-etype-head-other`.",
        "put that line at the top";
    NoHeads, "no-heads", Warning,
        "The settings match mentions by head, and one side has none.",
        "use a format with heads, or --match exact";
    NoColumnsLine, "no-columns-line", Warning,
        "A file does not name its columns; the usual ones were assumed.",
        "begin it with `# global.columns = ID FORM …`, which names them all";
    UnnamedClosing, "unnamed-closing", Warning,
        "A closing bracket does not name its mention although mentions may cross; it was ignored.",
        "write the MarkableID before the bracket, or score without --boundary-crossing";
    EntityChanged, "entity-changed", Warning,
        "The brackets of one mention name different entities; the last one counts.",
        "name one entity, or give the mentions ids of their own";
    MinSpan, "min-span", Warning,
        "A minimum span does not lie within its mention; it was left out.",
        "write the first and the last word of it, counted from 1 over the document; in muc its words, as they stand in the mention";
    UnknownId, "unknown-id", Warning,
        "A relation names a mention or an entity that the document does not have; it was left out.",
        "look for a misspelt id, or annotate what it names";
    OtherLink, "other-link", Warning,
        "A link is of another type than identity; it was left out, and its mentions stay.",
        "write TYPE=\"IDENT\" where identity is meant";
    CircularLink, "circular-link", Warning,
        "A chain of links leads back to where it began; its mentions are one entity all the same.",
        "link each mention to an earlier one";
    CircularSplit, "circular-split", Warning,
        "An entity is an element of itself, perhaps by way of others; that element was left out.",
        "take one of the elements out";
    ColumnsAssumed, "columns-assumed", Note,
        "The first row of a table names no columns, or several that fit; which is which was assumed.",
        "name the columns `mention` and `entity`, and `document` where there are several";
    UnknownType, "unknown-type", Warning,
        "An entity has a type or class that ACE does not define; ACE-value weighs it as `other`.",
        "look for a misspelling, or give it a weight (--ace-parameters)";
    LineEnds, "line-ends", Warning,
        "The offsets of an annotation count CR LF as two characters, where ACE counts one; they were read so.",
        "check that key and response belong to the same text";
    TopicMissing, "topic-missing", Warning,
        "Entities are compared across the documents of a topic, and a document has none; it was compared alone.",
        "use a format with topics (a table with a column `topic`, say), or --scope corpus";
    /// Under `--scope topic` and `--scope corpus` names decide.
    EntitiesCross, "entities-cross", Note,
        "Entities of one name in several documents were taken for one, since the scope is larger than a document.",
        "none needed where names hold for the whole corpus; give entities names of their own where they do not (many CoNLL files number them anew in each document)";
    /// In `jsonlines`.
    TwoClusterings, "two-clusterings", Note,
        "A document has clusters both of the key and of a response; those of its side were read.",
        "none needed: one file may serve as key and as response";
    NoMentions, "no-mentions", Warning,
        "A document has no mention on one side.",
        "check that the annotation is where the format has it (in conll the last column)";
    NothingShared, "nothing-shared", Warning,
        "Both sides have mentions, and not one in common.",
        "see that both sides name mentions, count words and end spans alike";
    SingletonsOneSided, "singletons-one-sided", Warning,
        "One side has singletons and the other has none.",
        "score with --singletons drop, or annotate them on both sides";
    MucUndefined, "muc-undefined", Warning,
        "MUC is undefined where a side has no link, and counts as 0 in the CoNLL average.",
        "report the metrics one by one, or leave such documents out";
    UndefinedInPair, "undefined-in-pair", Note,
        "A metric has nothing to count in a pair of files (no zeros, say); its macro average is over the other pairs.",
        "none needed";
    ManyCandidates, "many-candidates", Warning,
        "Hundreds of mentions could be paired with one; only those that share most words were looked at.",
        "check the annotation: no text has so many mentions over one word";
    MetricUndefined, "metric-undefined", Note,
        "A metric has nothing to count on either side; its score is 0, and a dash in tables.",
        "leave it out, or use data that it is about";
    MetricWithoutGroups, "metric-without-groups", Warning,
        "A metric's counts are no sums over mentions, so that it is left out of the rows by groups of mentions.",
        "ask for other metrics; the documentation of groups lists those that have scores by group";
    GroupsOfKey, "groups-of-key", Note,
        "The response does not say what mentions are grouped by; each is in the group of the key's mention that it is aligned with.",
        "write it into the response to have its own groups";
    NotCompared, "not-compared", Note,
        "The counts of the profile's metrics do not add up over documents, so that others are compared.",
        "name the metrics with -m";
    MetricImpossible, "metric-impossible", Warning,
        "A document does not say what a metric counts (which links were written, say), so that it was left out or has no figure.",
        "leave the metric out; links as written are known in the formats muc and links, there without braces";
    TypeMissing, "type-missing", Warning,
        "A mention or an entity has no type, and the weights ask for one; it weighs as what it is paired with, else by default.",
        "annotate types on both sides, or set what else weighs under [default] in the weights";
    TypeUnlisted, "type-unlisted", Note,
        "The weights do not list the type of a mention or an entity; it weighs by default.",
        "list it, or look for a misspelling";
    Unweighted, "unweighted", Note,
        "There are weights, and a metric that does not use them.",
        "none needed; `b_cubed:weight=table` and its like use them";
    WithoutEffect, "without-effect", Warning,
        "An option concerns other formats and has no effect on this one.",
        "leave it out, or check the format";
    /// The signature given with `--settings`.
    NotShown, "not-shown", Warning,
        "The output does not show something that was asked for.",
        "choose another output";
    ProbeIdle, "probe-idle", Warning,
        "A transformation of `probe` leaves the response as it is, or all that it makes is left out.",
        "compare the other rows; with --singletons keep singletons stay";
    OtherOrigin, "other-origin", Warning,
        "The settings given were printed by another version, or for another format.",
        "check that the figures to be compared with were made as these are";
    FewDocuments, "few-documents", Warning,
        "There are few documents to resample: intervals are too narrow, and what resampling says is rough.",
        "use 20 documents or more, or take such figures for orientation";
    FewResamples, "few-resamples", Warning,
        "There are too few resamples for the level: no p-value can be low enough, or intervals end where the resamples do.",
        "make more (--resamples), or lower --confidence";
    UndefinedInResample, "undefined-in-resample", Warning,
        "A metric has nothing to count in some resamples, as few documents have any of it; its intervals are of the other resamples and too narrow.",
        "report it without an interval, or on more documents that it is about";
    LettersMissing, "letters-missing", Warning,
        "A name has letters that figures in PNG cannot show, since DejaVu Sans lacks them; empty boxes stand for them.",
        "use the SVG beside it, or name the systems in Latin letters (NAME=PATH)";
    DocumentsNotShared, "documents-not-shared", Note,
        "Documents that some system lacks were left out of the comparison.",
        "none needed: --shared-documents asks for it";
    SystemLeftOut, "system-left-out", Warning,
        "A response cannot be compared and was left out.",
        "mend it; without --skip-broken this is an error";
    CacheEntry, "cache-entry", Note,
        "An entry of the cache was damaged or is not ours; the system was scored anew.",
        "none needed: the entry was written anew";
    CacheUnwritten, "cache-unwritten", Note,
        "What was scored could not be kept in the cache.",
        "look whether the folder can be written and has room, and whether a response is being written while it is scored";
    NamedByRules, "named-by-rules", Note,
        "Named mentions were told by the built-in rules, which are made for English and see capitals.",
        "give named-entity labels with --ne-labels, or use data that has mention types, a named-entity column or parts of speech";
    BrokenName, "broken-name", Warning,
        "The named-entity column closes what it did not open, or the reverse; the name was left out.",
        "balance the brackets of the column within each sentence";
    NamesLeftOver, "names-left-over", Note,
        "The file of named-entity labels has documents that are not scored.",
        "none needed";
    NoNames, "no-names", Warning,
        "Scores of named mentions were asked for, and no mention is named on either side.",
        "name another source with --named, or give labels with --ne-labels";
    NamesMerged, "names-merged", Note,
        "Several mentions of a document have the same name in them; the shortest stands for it in the approximated comparison.",
        "none needed";
    MentionsDropped, "mentions-dropped", Note,
        "Mentions were left out as the settings ask.",
        "none needed";
    ParseMissing, "parse-missing", Warning,
        "The settings need a parse, and the key has none.",
        "use a key in the full CoNLL-2012 layout";
    NotWritten, "not-written", Warning,
        "The format that is written cannot say something, which was left out.",
        "write a format that can say it, or do without";
    WrittenOtherwise, "written-otherwise", Note,
        "Something is said otherwise than it was, as the format that is written asks (names of entities, say); none of it is lost.",
        "none needed";
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its kind, which gives severity and remedy.
    pub code: Code,
    /// What was found, with names.
    pub message: String,
    /// Where.
    pub position: Option<Position>,
    /// The document, where one is concerned.
    pub document: Option<String>,
}

/// Findings, counted by code, the first few of each kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    groups: Vec<Group>,
}

/// All findings of one code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Their code.
    pub code: Code,
    /// How many.
    pub count: u64,
    /// The first of them.
    pub kept: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Adds one finding; `message` is only called when the finding is kept.
    pub fn add(
        &mut self,
        code: Code,
        position: Option<Position>,
        document: Option<String>,
        message: impl FnOnce() -> String,
    ) {
        let group = self.group(code);
        group.count += 1;
        if group.kept.len() < KEPT_PER_CODE {
            group.kept.push(Diagnostic { code, message: message(), position, document });
        }
    }

    /// Counts `count` further findings of `code` of which nothing more is known.
    pub fn count(&mut self, code: Code, count: u64) {
        if count > 0 {
            self.group(code).count += count;
        }
    }

    fn group(&mut self, code: Code) -> &mut Group {
        let place = match self.groups.binary_search_by_key(&code, |group| group.code) {
            Ok(place) => place,
            Err(place) => {
                self.groups.insert(place, Group { code, count: 0, kept: Vec::new() });
                place
            }
        };
        &mut self.groups[place]
    }

    /// Takes over the findings of `other`, after one's own.
    pub fn merge(&mut self, other: Diagnostics) {
        for theirs in other.groups {
            let ours = self.group(theirs.code);
            ours.count += theirs.count;
            let room = KEPT_PER_CODE.saturating_sub(ours.kept.len());
            ours.kept.extend(theirs.kept.into_iter().take(room));
        }
    }

    /// Forgets the findings of `code`, where something else will be said of them.
    pub fn forget(&mut self, code: Code) {
        self.groups.retain(|group| group.code != code);
    }

    /// Gives `position` to the findings that have none.
    pub fn place(&mut self, position: &Position) {
        let kept = self.groups.iter_mut().flat_map(|group| &mut group.kept);
        kept.for_each(|finding| {
            finding.position = finding.position.take().or_else(|| Some(position.clone()))
        });
    }

    /// The findings by code, in the order of [`Code::ALL`].
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// How many findings are warnings.
    pub fn warnings(&self) -> u64 {
        let warnings = self.groups.iter().filter(|group| group.code.severity() == Severity::Warning);
        warnings.map(|group| group.count).sum()
    }

    /// Whether nothing was noticed.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn codes_are_unique_and_say_what_to_do() {
        let ids: BTreeSet<_> = Code::ALL.iter().map(|code| code.id()).collect();
        assert_eq!(ids.len(), Code::ALL.len());
        for code in Code::ALL {
            assert!(code.summary().ends_with(['.', ')']), "{}", code.id());
            assert!(!code.remedy().is_empty(), "{}", code.id());
            assert!(code.id().bytes().all(|b| b.is_ascii_lowercase() || b == b'-'));
        }
    }

    #[test]
    fn all_are_counted_and_the_first_kept() {
        let mut diagnostics = Diagnostics::default();
        for number in 0..100 {
            diagnostics.add(Code::BareId, None, None, || format!("finding {number}"));
        }
        let mut more = Diagnostics::default();
        more.add(Code::BareId, None, None, || "later".to_owned());
        more.add(Code::FormatAssumed, None, None, || "read as conll".to_owned());
        diagnostics.merge(more);
        assert_eq!(diagnostics.groups()[0].code, Code::FormatAssumed);
        assert_eq!(diagnostics.groups()[1].count, 101);
        assert_eq!(diagnostics.groups()[1].kept.len(), KEPT_PER_CODE);
        assert_eq!(diagnostics.groups()[1].kept[0].message, "finding 0");
        assert_eq!(diagnostics.warnings(), 101);
    }
}
