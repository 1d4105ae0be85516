//! Reads the jsonlines format of the e2e family: one document per line, entities as lists of word spans.

use crate::wording::text;
use crate::wording::{Text, option_value, plural};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use compact_str::ToCompactString;
use memchr::memchr;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Unexpected, Visitor,
};
use serde_json::value::RawValue;

use super::file_reader::{ErrorList, both};
use super::frame::{Frame, truncated_json};
use super::json::ObjectMembers;
use super::names::Names;
use super::{Aspect, FormatSpec, Reader, SPAN_SETTINGS, json_error, utf8};
use crate::diagnostic::{Code, Position};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{
    Corpus, DocumentBuilder, DocumentId, EntityId, Mention, Side, Span, SpanEnd, TextColumn, Words,
    WordsBuilder,
};

/// `jsonlines`.
pub(super) const SPEC: FormatSpec = FormatSpec {
    id: "jsonlines",
    summary: "one JSON object per line: doc_key, sentences or tokens, clusters or predicted_clusters",
    extensions: &["jsonlines", "jsonl"],
    expresses: &[Aspect::Speakers],
    settings: SPAN_SETTINGS,
    detect,
    names: Names::Json(&FIELDS),
    reader: |source, options| {
        let frame = Frame::new(source, options);
        Box::new(JsonlinesReader { frame, cut: false, whole: false, over_lines: None })
    },
    write: Some(super::write::jsonlines::WRITER),
    copy: Some(super::write::copy::JSONLINES),
    ..FormatSpec::PLAIN
};

fn detect(bytes: &[u8]) -> bool {
    let text = bytes.trim_ascii_start();
    if text.first() != Some(&b'{') {
        return false;
    }
    let second = text[1..].trim_ascii_start().first();
    second == Some(&b'"')
}

/// The rule that malformed files break, as worded in messages.
pub(crate) const WHOLE_DOCUMENTS: &str = "each line should hold a whole document";

/// The hint for objects that are not documents.
const HINT: &str = "each line is one object such as {\"doc_key\": \"a\", \"sentences\": [[\"Ada\", \"slept\"]], \"clusters\": [[[0, 0]]]}";

struct JsonlinesReader {
    frame: Frame,
    /// True if a line was not a whole object because an object spans several lines. In this case, other lines
    /// are not objects either.
    cut: bool,
    /// True if a line was a whole object, in which case all lines should be.
    whole: bool,
    /// An object that spans several lines, from the current line to the end of the file.
    over_lines: Option<Vec<u8>>,
}

/// The largest object over several lines that is searched for errors, in bytes.
const MOST_OVER_LINES: usize = 1 << 20;

impl Reader for JsonlinesReader {
    fn feed(&mut self, lines: &[u8]) -> Result<()> {
        if let Some(text) = &mut self.over_lines {
            text.extend_from_slice(lines);
            return match self.over_lines.take_if(|text| text.len() > MOST_OVER_LINES) {
                Some(text) => Err(self.several_lines(&text)),
                None => Ok(()),
            };
        }
        let mut rest = lines;
        while !rest.is_empty() {
            let end = memchr(b'\n', rest).map_or(rest.len(), |place| place + 1);
            let (line, after) = rest.split_at(end);
            rest = after;
            self.frame.line += 1;
            if !line.trim_ascii().is_empty() {
                let read = self.line(line);
                if read.is_err() && self.cut && is_begin(line) {
                    self.over_lines = Some(line.to_vec());
                    return self.feed(after);
                }
                read?;
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Corpus> {
        if let Some(text) = &self.over_lines {
            return Err(self.broken_object(text));
        }
        self.frame.finish("this file has no document", "a jsonlines file has one object per line")
    }

    fn frame(&mut self) -> Option<&mut Frame> {
        Some(&mut self.frame)
    }

    fn resumes(&self) -> bool {
        !self.cut
    }
}

/// Returns whether a line ends with an opening bracket, like the first line of JSON that spans several lines.
fn is_begin(line: &[u8]) -> bool {
    line.ends_with(b"\n") && matches!(line.trim_ascii_end().last(), Some(b'{' | b'['))
}

impl JsonlinesReader {
    fn line(&mut self, line: &[u8]) -> Result<()> {
        let mut json = serde_json::Deserializer::from_slice(line);
        let keep_layers = self.frame.options.keep_layers;
        let visitor = RecordVisitor { keep_layers, count_unread: self.frame.counts_unread() };
        let record = json.deserialize_map(visitor).and_then(|record| json.end().map(|()| record));
        match record {
            Ok(record) => {
                self.whole = true;
                self.document(record, line)
            }
            Err(error) => self.broken_line(line, &error),
        }
    }

    /// Fails with all errors of a line that is not JSON, or not the JSON of a document.
    #[cold]
    fn broken_line(&mut self, line: &[u8], error: &serde_json::Error) -> Result<()> {
        let text = utf8(line, &self.frame.source, self.frame.line, 1)?;
        let Ok(ObjectMembers(fields)) = serde_json::from_str(text) else {
            return Err(self.json_error(error, line));
        };
        self.whole = true;
        let mut errors = ErrorList::default();
        let mut wrong = |piece: &RawValue, error: &serde_json::Error| {
            errors.keep(self.no_document(error, offset(piece, line) + 1))
        };
        let mut record = Record::default();
        let mut seen = [false; FIELDS.len()];
        let mut twice = Vec::new();
        for (field, value) in fields {
            let Some(place) = FIELDS.iter().position(|name| *name == field) else { continue };
            if std::mem::replace(&mut seen[place], true) {
                twice.push((FIELDS[place], offset(value, line) + 1));
                continue;
            }
            match &*field {
                "doc_key" | "doc_id" => match serde_json::from_str::<DocumentName>(value.get()) {
                    Ok(name) => record.id = Some(name.0),
                    Err(error) => {
                        wrong(value, &error)?;
                        record.id =
                            Some(format!("{}#{}", self.frame.options.default_id, self.frame.count() + 1));
                    }
                },
                "clusters" => record.clusters = readable_clusters(value, line, &mut wrong)?,
                "predicted_clusters" => {
                    record.predicted_clusters = readable_clusters(value, line, &mut wrong)?
                }
                "sentences" | "tokens" if field == "sentences" || record.words.is_none() => {
                    record.words = self.readable_words(value, field == "sentences", &mut wrong)?;
                }
                "speakers" if self.frame.options.keep_layers => {
                    match serde_json::from_str::<Option<Speakers>>(value.get()) {
                        Ok(speakers) => record.speakers = speakers.map(|speakers| speakers.0),
                        Err(error) => wrong(value, &error)?,
                    }
                }
                _ => {}
            }
        }
        for (field, column) in twice {
            let error = self.frame.error(column, format!("the field `{field}` is repeated here"));
            errors.keep(error.coded(Code::RepeatedId).hint("keep one of them"))?;
        }
        if errors.is_empty() {
            errors.keep(self.json_error(error, line))?;
        }
        both(errors.finish(), self.document(record, line))
    }

    /// Returns the words of a line with errors, if their number is known.
    fn readable_words(
        &self,
        value: &RawValue,
        nested: bool,
        wrong: &mut impl FnMut(&RawValue, &serde_json::Error) -> Result<()>,
    ) -> Result<Option<Words>> {
        let mut words = WordsBuilder::new(self.frame.options.keep_layers);
        // The visitors word the errors.
        let mut other = WordsBuilder::new(false);
        let lists: Vec<&RawValue> = match serde_json::from_str(value.get()) {
            Ok(lists) if nested => lists,
            Ok(_) => vec![value],
            Err(_) => {
                read_list(value, WordsVisitor { nested, keep_layers: false })
                    .map_or_else(|error| wrong(value, &error), |_| Ok(()))?;
                return Ok(None);
            }
        };
        let mut whole = true;
        for list in lists {
            let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(list.get()) else {
                read_list(list, SentenceVisitor(&mut other)).or_else(|error| wrong(list, &error))?;
                whole = false;
                continue;
            };
            for item in items {
                match serde_json::from_str::<Borrowed<'_>>(item.get()) {
                    Ok(word) => push_word(&mut words, &word.0),
                    Err(error) => {
                        wrong(item, &error)?;
                        push_word(&mut words, "");
                    }
                }
            }
            if nested {
                words.end_sentence();
            }
        }
        Ok(whole.then(|| words.finish()))
    }

    /// Returns the error of an object that is not a document. Leaves out the parser's place, which counts from the
    /// start of the object.
    fn no_document(&self, error: &serde_json::Error, column: u32) -> Error {
        self.frame.error(column, json_error::message(error)).coded(Code::BadJson).hint(HINT)
    }

    fn json_error(&mut self, error: &serde_json::Error, line: &[u8]) -> Error {
        let begins = line.trim_ascii_start().first();
        self.whole |= error.is_data();
        self.cut = !self.whole && (error.is_eof() || begins != Some(&b'{'));
        let ends_early = error.is_eof();
        // The error of a line that ends early is at the end of its text, not after the line feed.
        let column = match error.column() {
            0 if !error.is_data() => line.trim_ascii_end().len() as u32 + 1,
            column => column as u32,
        };
        let position = Position::new(&self.frame.source, self.frame.line, column);
        // Only the last line of a file may lack its line end.
        if ends_early && !line.ends_with(b"\n") {
            let ending = json_error::ending(error).unwrap_or("its last line ends within an object");
            return Error::new(ErrorKind::Format, format!("the file is truncated: {ending}"))
                .coded(Code::CutOff)
                .at(position)
                .hint(truncated_json(&self.frame.options));
        }
        match std::str::from_utf8(line) {
            Ok(line) if !error.is_data() && begins == Some(&b'{') && self.frame.options.accept_answers => {
                let error = self.frame.error(column, json_error::message(error)).coded(Code::BadJson);
                error.hint(json_error::hint(line, &self.frame.options))
            }
            _ => self.no_document(error, column),
        }
    }

    /// Returns the error of an object over several lines: its syntax error or, if it is valid JSON, the error that it
    /// spans several lines.
    #[cold]
    fn broken_object(&self, text: &[u8]) -> Error {
        let text = text.trim_ascii_end();
        let Err(error) = IgnoredAny::deserialize(&mut serde_json::Deserializer::from_slice(text)) else {
            return self.several_lines(text);
        };
        let line = self.frame.line + (error.line() as u32).saturating_sub(1);
        let position = Position::new(&self.frame.source, line, error.column() as u32);
        match json_error::ending(&error) {
            Some(ending) => Error::new(ErrorKind::Format, format!("the file is truncated: {ending}"))
                .coded(Code::CutOff)
                .at(position)
                .hint(truncated_json(&self.frame.options)),
            None => Error::new(ErrorKind::Format, json_error::message(&error))
                .coded(Code::BadJson)
                .at(position)
                .hint(json_error::hint(&String::from_utf8_lossy(text), &self.frame.options)),
        }
    }

    /// Returns the error of an object that is valid JSON but spans several lines.
    fn several_lines(&self, text: &[u8]) -> Error {
        let line = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let column = line.trim_ascii_end().len() as u32 + 1;
        let message = format!("this JSON spans several lines, but {WHOLE_DOCUMENTS}");
        let hint = "write each document on one line: `jq -c . FILE`";
        self.frame.error(column, message).coded(Code::BadJson).hint(hint)
    }

    /// Returns the id of a document, which may have none in the file.
    fn id(&mut self, id: Option<&str>, position: &Position) -> DocumentId {
        if let Some(id) = id {
            return DocumentId::new(id.to_owned());
        }
        let default = &self.frame.options.default_id;
        let name = match self.frame.count() {
            0 => default.clone(),
            count => format!("{default}#{}", count + 1),
        };
        let (place, document) = (Some(position.clone()), Some(name.clone()));
        self.frame.corpus.diagnostics.add(Code::RepeatedEmptyId, place, document, || {
            format!("a document without doc_key is called `{name}`")
        });
        DocumentId::new(name)
    }

    /// The error of a document without clusters.
    fn without_clusters(&self, id: &DocumentId) -> Error {
        let message = format!("the document `{id}` has neither `clusters` nor `predicted_clusters`");
        let error = self.frame.error(1, message).coded(Code::MissingField);
        error.hint(match self.frame.options.accept_answers {
            true => {
                "a document without mentions has \"clusters\": []; an answer is {\"clusters\": [[\"Ines\", \"her\"], \
                 [\"her boat\", \"it\"]]}"
            }
            false => "a document without mentions has \"clusters\": []",
        })
    }

    /// Notes spans with more than two values, each if all errors are requested.
    fn note_extra(
        &mut self,
        id: &DocumentId,
        extra: &[u32],
        position: &Position,
        mut column: impl FnMut(usize) -> u32,
    ) {
        let document = || Some(id.to_string());
        let diagnostics = &mut self.frame.corpus.diagnostics;
        if self.frame.options.all_errors {
            for &span in extra {
                let position = Position::new(&self.frame.source, self.frame.line, column(span as usize));
                diagnostics.add(Code::SpanExtra, Some(position), document(), || {
                    "this span has more than two values; the others were skipped".to_owned()
                });
            }
        } else if !extra.is_empty() {
            diagnostics.add(Code::SpanExtra, Some(position.clone()), document(), || {
                let have = if extra.len() == 1 { "has" } else { "have" };
                let spans = plural(extra.len(), "span", "spans");
                format!("{spans} of `{id}` {have} more than two values; the others were skipped")
            });
        }
    }

    /// Adds the document of a line. Fails with all errors of its entities.
    fn document(&mut self, record: Record, line: &[u8]) -> Result<()> {
        let position = Position::new(&self.frame.source, self.frame.line, 1);
        let id = self.id(record.id.as_deref(), &position);
        let (given, predicted) = (record.clusters.is_some(), record.predicted_clusters.is_some());
        let (clusters, taken, left) = match self.frame.options.side {
            Side::Key => (record.clusters.or(record.predicted_clusters), "clusters", "predicted_clusters"),
            Side::Response => {
                (record.predicted_clusters.or(record.clusters), "predicted_clusters", "clusters")
            }
        };
        let alone = if taken == "clusters" { !given } else { !predicted };
        if given && predicted {
            let document = Some(id.to_string());
            self.frame.corpus.diagnostics.add(Code::TwoClusterings, Some(position.clone()), document, || {
                let side = self.frame.options.side.label();
                format!("`{id}` has `{taken}` and `{left}`; for the {side} `{taken}` was read")
            });
        }
        let mut errors = ErrorList::default();
        let clusters = match clusters {
            Some(clusters) => clusters,
            None => {
                errors.keep(self.without_clusters(&id))?;
                Clusters::default()
            }
        };
        let mut known = record.words;
        if let Some(words) = &mut known {
            words.add_unread(record.unread);
        }
        if let (Some(words), Some(speakers)) = (&mut known, record.speakers) {
            words.set_speakers(speakers);
        }
        let count = known.as_ref().map(Words::count);
        let mut builder = DocumentBuilder::new(id, Arc::clone(&self.frame.source), self.frame.line);
        let mut beyond = 0;
        let mut spans = clusters.spans.iter().enumerate();
        let field = if alone { left } else { taken };
        let mut columns = ColumnFinder { line, field, places: clusters.places };
        self.note_extra(&builder.id, &clusters.extra, &position, |place| columns.of_span(place));
        for (number, &size) in clusters.sizes.iter().enumerate() {
            if size == 0 {
                let document = Some(builder.id.to_string());
                let column = columns.of_entity(number);
                if column == 0 {
                    continue;
                }
                self.frame.corpus.diagnostics.add(
                    Code::EmptyEntity,
                    Some(self.frame.position(column)),
                    document,
                    || format!("entity {number} of `{}` has no mentions", builder.id),
                );
                continue;
            }
            let entity = EntityId::new(builder.entities.len());
            builder.entities.push(number.to_compact_string());
            for (place, &numbers) in spans.by_ref().take(size as usize) {
                let span = self.span(&builder, numbers, number, count, || columns.of_span(place));
                let Some(span) = errors.check(span)? else { continue };
                beyond = beyond.max(span.end());
                // Columns require a second pass over the line, which scoring does not need.
                let column = if self.frame.options.all_errors { columns.of_span(place) } else { 1 };
                builder.mentions.push(Mention::new(span, entity, self.frame.line, column));
            }
        }
        let words = known.unwrap_or_else(|| {
            let mut words = WordsBuilder::new(false);
            words.push_unknown(beyond);
            words.finish()
        });
        self.frame.corpus.documents.push(builder.finish(words)?);
        errors.finish()
    }

    /// Returns the option that sets whether ends of spans are inclusive on this side only.
    fn side_option(&self) -> &'static str {
        match self.frame.options.side {
            Side::Key => "key-span-end",
            Side::Response => "response-span-end",
        }
    }

    /// Returns the span of two numbers, checked against the words.
    fn span(
        &mut self,
        builder: &DocumentBuilder,
        [first, second]: [u32; 2],
        entity: usize,
        count: Option<u32>,
        column: impl FnOnce() -> u32,
    ) -> Result<Span> {
        let exclusive = self.frame.options.span_end == SpanEnd::Exclusive;
        let id = &builder.id;
        let whole =
            Some(second.max(first)).and_then(|end| if exclusive { Some(end) } else { end.checked_add(1) });
        let whole = whole.and_then(|end| Span::new(first.min(second), end));
        let most = count.unwrap_or(MOST_UNKNOWN);
        if let Some(span) = whole.filter(|span| first <= second && span.end() <= most) {
            return Ok(span);
        }
        let position = self.frame.position(column());
        let wrong = |message: String| {
            Error::new(ErrorKind::Format, message).coded(Code::OutOfRange).at(position.clone())
        };
        if exclusive && first == second {
            let message = format!(
                "the span [{first}, {second}] of entity {entity} in `{id}` is empty: its end is read as exclusive"
            );
            return Err(wrong(message).hint(text!("use {}", option_value(self.side_option(), "inclusive"))));
        }
        if first > second {
            let document = Some(id.to_string());
            self.frame.corpus.diagnostics.add(Code::ReversedSpan, Some(position.clone()), document, || {
                format!("the span [{first}, {second}] of entity {entity} in `{id}` ends before it starts; its ends were swapped")
            });
        }
        match (whole, count) {
            (Some(span), Some(count)) if span.end() > count => {
                let message = format!(
                    "the span [{first}, {second}] of entity {entity} in `{id}` ends beyond the text of {}",
                    plural(count, "word", "words")
                );
                let one_past = !exclusive && span.end() == count + 1;
                let hint = if one_past {
                    text!(
                        "are the ends exclusive? then use {}",
                        option_value(self.side_option(), "exclusive")
                    )
                } else {
                    Text::from("words count from 0 over the whole document")
                };
                Err(wrong(message).hint(hint))
            }
            (Some(span), None) if span.end() > MOST_UNKNOWN => {
                let message = format!(
                    "the span [{first}, {second}] of entity {entity} in `{id}` ends beyond {MOST_UNKNOWN} words, the limit for documents without their words"
                );
                Err(wrong(message).hint("add the words as `sentences`, or correct the span"))
            }
            (Some(span), _) => Ok(span),
            (None, _) => {
                Err(wrong(format!("the span [{first}, {second}] of entity {entity} in `{id}` is too large")))
            }
        }
    }
}

/// The fields that the reader uses.
pub(super) const FIELDS: [&str; 7] =
    ["doc_key", "doc_id", "clusters", "predicted_clusters", "sentences", "tokens", "speakers"];

/// Returns the column of a piece of a line, from 0.
fn offset(piece: &RawValue, line: &[u8]) -> u32 {
    (piece.get().as_ptr() as usize).saturating_sub(line.as_ptr() as usize) as u32
}

/// Returns the readable entities of a line with errors, with their places. Passes all errors to `wrong`.
fn readable_clusters(
    value: &RawValue,
    line: &[u8],
    wrong: &mut impl FnMut(&RawValue, &serde_json::Error) -> Result<()>,
) -> Result<Option<Clusters>> {
    if value.get() == "null" {
        return Ok(None);
    }
    let mut clusters = Clusters::default();
    let mut places = ClusterColumns::default();
    let lists: Vec<&RawValue> = match serde_json::from_str(value.get()) {
        Ok(lists) => lists,
        Err(_) => {
            // The deserializer of clusters words the error.
            if let Err(error) = serde_json::from_str::<Clusters>(value.get()) {
                wrong(value, &error)?;
            }
            Vec::new()
        }
    };
    for list in lists {
        let spans: Vec<&RawValue> = match serde_json::from_str(list.get()) {
            Ok(spans) => spans,
            Err(_) => {
                read_list(list, SpansVisitor(&mut Clusters::default()))
                    .or_else(|error| wrong(list, &error))?;
                clusters.sizes.push(0);
                places.entities.push(0);
                continue;
            }
        };
        let (before, given) = (clusters.spans.len(), spans.len());
        for span in spans {
            match read_list(span, SpanVisitor) {
                Ok((ends, extra)) => {
                    if extra {
                        clusters.extra.push(clusters.spans.len() as u32);
                    }
                    clusters.spans.push(ends);
                    places.spans.push(offset(span, line) + 1);
                }
                Err(error) => wrong(span, &error)?,
            }
        }
        clusters.sizes.push((clusters.spans.len() - before) as u32);
        // An entity whose spans all have errors is not reported as empty.
        places.entities.push(if clusters.sizes.last() > Some(&0) || given == 0 {
            offset(list, line) + 1
        } else {
            0
        });
    }
    clusters.places = Some(places);
    Ok(Some(clusters))
}

/// The columns of entities and of their spans in a line; 0 for an entity without a readable span.
#[derive(Default)]
struct ClusterColumns {
    entities: Vec<u32>,
    spans: Vec<u32>,
}

/// Finds the columns of entities and spans when a finding needs them.
struct ColumnFinder<'l> {
    line: &'l [u8],
    field: &'static str,
    places: Option<ClusterColumns>,
}

impl ColumnFinder<'_> {
    fn of_entity(&mut self, number: usize) -> u32 {
        self.places().entities.get(number).copied().unwrap_or(1)
    }

    fn of_span(&mut self, number: usize) -> u32 {
        self.places().spans.get(number).copied().unwrap_or(1)
    }

    #[cold]
    fn places(&mut self) -> &ClusterColumns {
        self.places.get_or_insert_with(|| {
            let fields = serde_json::from_slice::<ObjectMembers<'_>>(self.line).map(|members| members.0);
            let found = fields.unwrap_or_default().into_iter().find(|(name, _)| name == self.field);
            let read = found.map(|(_, value)| readable_clusters(value, self.line, &mut |_, _| Ok(())));
            read.and_then(Result::ok).flatten().and_then(|clusters| clusters.places).unwrap_or_default()
        })
    }
}

/// The maximum number of words of a document whose words are not in the file. Such a document has only positions, so
/// without a limit a few bytes could request any amount of memory.
const MOST_UNKNOWN: u32 = 10_000_000;

/// The fields of a line that the reader uses.
#[derive(Default)]
struct Record {
    id: Option<String>,
    words: Option<Words>,
    speakers: Option<TextColumn>,
    clusters: Option<Clusters>,
    predicted_clusters: Option<Clusters>,
    /// The number of unread fields with a value, if counted.
    unread: u32,
}

struct RecordVisitor {
    keep_layers: bool,
    count_unread: bool,
}

impl<'de> Visitor<'de> for RecordVisitor {
    type Value = Record;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with doc_key, sentences and clusters")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Record, A::Error> {
        let mut record = Record::default();
        let mut seen = [false; FIELDS.len()];
        let words = |nested| ListSeed(WordsVisitor { nested, keep_layers: self.keep_layers });
        while let Some(field) = map.next_key::<Cow<'de, str>>()? {
            if let Some(place) = FIELDS.iter().position(|name| *name == field)
                && std::mem::replace(&mut seen[place], true)
            {
                return Err(serde::de::Error::custom(format!("the field `{field}` is repeated here")));
            }
            match &*field {
                "doc_key" | "doc_id" => record.id = Some(map.next_value::<DocumentName>()?.0),
                "clusters" => record.clusters = map.next_value()?,
                "predicted_clusters" => record.predicted_clusters = map.next_value()?,
                "sentences" => record.words = Some(map.next_value_seed(words(true))?),
                "tokens" if record.words.is_none() => {
                    record.words = Some(map.next_value_seed(words(false))?);
                }
                "speakers" if self.keep_layers => {
                    record.speakers = map.next_value::<Option<Speakers>>()?.map(|speakers| speakers.0);
                }
                field if self.count_unread && !FIELDS.contains(&field) => {
                    record.unread += u32::from(map.next_value::<Option<IgnoredAny>>()?.is_some());
                }
                _ => _ = map.next_value::<IgnoredAny>()?,
            }
        }
        Ok(record)
    }
}

/// A name written as a string or a number.
struct DocumentName(String);

impl<'de> Deserialize<'de> for DocumentName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<DocumentName, D::Error> {
        struct NameVisitor;
        impl Visitor<'_> for NameVisitor {
            type Value = DocumentName;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of the document")
            }
            fn visit_str<E>(self, text: &str) -> std::result::Result<DocumentName, E> {
                Ok(DocumentName(text.to_owned()))
            }
            fn visit_u64<E>(self, number: u64) -> std::result::Result<DocumentName, E> {
                Ok(DocumentName(number.to_string()))
            }
            fn visit_i64<E>(self, number: i64) -> std::result::Result<DocumentName, E> {
                Ok(DocumentName(number.to_string()))
            }
        }
        deserializer.deserialize_any(NameVisitor)
    }
}

/// Reads one list with a visitor.
fn read_list<'de, V: Visitor<'de>>(list: &'de RawValue, visitor: V) -> serde_json::Result<V::Value> {
    serde_json::Deserializer::from_str(list.get()).deserialize_seq(visitor)
}

/// Reads a list within a value with a visitor.
struct ListSeed<V>(V);

impl<'de, V: Visitor<'de>> DeserializeSeed<'de> for ListSeed<V> {
    type Value = V::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<V::Value, D::Error> {
        deserializer.deserialize_seq(self.0)
    }
}

/// The entities of a document: lists of `[start, end]`, one after another in one list.
#[derive(Default)]
struct Clusters {
    spans: Vec<[u32; 2]>,
    /// The number of spans in each entity.
    sizes: Vec<u32>,
    /// The places of the spans with further values (labels, scores).
    extra: Vec<u32>,
    /// The columns, if known.
    places: Option<ClusterColumns>,
}

impl<'de> Deserialize<'de> for Clusters {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Clusters, D::Error> {
        struct ListsVisitor;
        impl<'de> Visitor<'de> for ListsVisitor {
            type Value = Clusters;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of entities, each a list of spans")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> std::result::Result<Clusters, A::Error> {
                let mut clusters = Clusters::default();
                while seq.next_element_seed(ListSeed(SpansVisitor(&mut clusters)))?.is_some() {}
                Ok(clusters)
            }
        }
        deserializer.deserialize_seq(ListsVisitor)
    }
}

/// Appends one entity's spans.
struct SpansVisitor<'c>(&'c mut Clusters);

impl<'de> Visitor<'de> for SpansVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an entity: a list of spans")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> std::result::Result<(), A::Error> {
        let before = self.0.spans.len();
        while let Some((ends, extra)) = seq.next_element_seed(ListSeed(SpanVisitor))? {
            if extra {
                self.0.extra.push(self.0.spans.len() as u32);
            }
            self.0.spans.push(ends);
        }
        self.0.sizes.push((self.0.spans.len() - before) as u32);
        Ok(())
    }
}

/// Reads one `[start, end]`, and whether more values follow.
struct SpanVisitor;

impl<'de> Visitor<'de> for SpanVisitor {
    type Value = ([u32; 2], bool);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a span of two whole numbers, [start, end]")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> std::result::Result<Self::Value, A::Error> {
        use serde::de::Error as _;
        let start: WordNumber = seq.next_element()?.ok_or_else(|| A::Error::invalid_length(0, &self))?;
        let end: WordNumber = seq.next_element()?.ok_or_else(|| A::Error::invalid_length(1, &self))?;
        let mut extra = false;
        while seq.next_element::<IgnoredAny>()?.is_some() {
            extra = true;
        }
        Ok(([start.0, end.0], extra))
    }
}

/// The position of a word.
struct WordNumber(u32);

impl<'de> Deserialize<'de> for WordNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<WordNumber, D::Error> {
        struct NumberVisitor;
        impl Visitor<'_> for NumberVisitor {
            type Value = WordNumber;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the position of a word, a whole number from 0")
            }
            fn visit_u64<E: serde::de::Error>(self, number: u64) -> std::result::Result<WordNumber, E> {
                let small = u32::try_from(number)
                    .map_err(|_| E::invalid_value(Unexpected::Unsigned(number), &self))?;
                Ok(WordNumber(small))
            }
        }
        deserializer.deserialize_u32(NumberVisitor)
    }
}

/// Speakers as the e2e family writes them: lists as long as the sentences.
struct Speakers(TextColumn);

impl<'de> Deserialize<'de> for Speakers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Speakers, D::Error> {
        let mut column = TextColumn::default();
        for sentence in Vec::<Vec<String>>::deserialize(deserializer)? {
            sentence.iter().for_each(|speaker| column.push(speaker));
        }
        Ok(Speakers(column))
    }
}

/// Reads words without storing them, unless they are requested.
struct WordsVisitor {
    nested: bool,
    keep_layers: bool,
}

impl<'de> Visitor<'de> for WordsVisitor {
    type Value = Words;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.nested { "a list of sentences, each a list of words" } else { "a list of words" })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> std::result::Result<Words, A::Error> {
        let mut words = WordsBuilder::new(self.keep_layers);
        if self.nested {
            while seq.next_element_seed(ListSeed(SentenceVisitor(&mut words)))?.is_some() {
                words.end_sentence();
            }
        } else {
            SentenceVisitor(&mut words).visit_seq(seq)?;
        }
        Ok(words.finish())
    }
}

struct SentenceVisitor<'w>(&'w mut WordsBuilder);

impl<'de> Visitor<'de> for SentenceVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sentence: a list of words")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> std::result::Result<(), A::Error> {
        while let Some(word) = seq.next_element::<Borrowed<'de>>()? {
            push_word(self.0, &word.0);
        }
        Ok(())
    }
}

/// A string that borrows from the input if possible. A deserialized `Cow` never borrows.
struct Borrowed<'de>(Cow<'de, str>);

impl<'de> Deserialize<'de> for Borrowed<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Borrowed<'de>, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Borrowed<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a word, a string")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> std::result::Result<Borrowed<'de>, E> {
                Ok(Borrowed(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> std::result::Result<Borrowed<'de>, E> {
                Ok(Borrowed(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(TextVisitor)
    }
}

fn push_word(words: &mut WordsBuilder, form: &str) {
    words.push(form.as_bytes());
    if let Some(layers) = words.layers_mut() {
        layers.form.push(form);
        layers.line.push(0);
    }
}
