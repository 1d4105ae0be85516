//! The jsonlines format of the e2e family: a document a line, entities as lists of word spans.

use crate::wording::text;
use crate::wording::{Text, option_value};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use compact_str::ToCompactString;
use memchr::memchr;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Unexpected, Visitor,
};
use serde_json::value::RawValue;

use super::file_reader::ErrorList;
use super::frame::{Frame, TRUNCATED};
use super::{Aspect, FormatSpec, Reader, Skip, json_error, utf8};
use crate::diagnostic::{Code, Position};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{
    Column, Corpus, Document, DocumentBuilder, DocumentId, EntityId, Mention, Side, Span, SpanEnd, Words,
    WordsBuilder,
};

/// `jsonlines`.
pub(super) const SPEC: FormatSpec = FormatSpec {
    id: "jsonlines",
    summary: "a JSON object a line: doc_key, sentences or tokens, clusters or predicted_clusters",
    extensions: &["jsonlines", "jsonl"],
    companion: None,
    expresses: &[Aspect::Speakers],
    detect,
    begins_like_others: false,
    reader: |source, options| {
        Box::new(JsonlinesReader { frame: Frame::new(source, options), cut: false, whole: false })
    },
    write: Some(super::write::jsonlines::WRITER),
};

fn detect(bytes: &[u8]) -> bool {
    let text = bytes.trim_ascii_start();
    if text.first() != Some(&b'{') {
        return false;
    }
    let second = text[1..].trim_ascii_start().first();
    second == Some(&b'"')
}

struct JsonlinesReader {
    frame: Frame,
    /// Whether a line was not a whole object, because an object spans several lines; the other lines are then not
    /// objects either.
    cut: bool,
    /// Whether a line was a whole object, so that all lines should be.
    whole: bool,
}

impl Reader for JsonlinesReader {
    fn feed(&mut self, lines: &[u8]) -> Result<()> {
        let mut rest = lines;
        while !rest.is_empty() {
            let end = memchr(b'\n', rest).map_or(rest.len(), |place| place + 1);
            let (line, after) = rest.split_at(end);
            rest = after;
            self.frame.line += 1;
            if !line.trim_ascii().is_empty() {
                self.line(line)?;
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Corpus> {
        self.frame.finish("this file has no document", "a jsonlines file has an object a line")
    }

    fn take(&mut self) -> Vec<Document> {
        self.frame.take()
    }

    fn line_number(&mut self) -> Option<&mut u32> {
        Some(&mut self.frame.line)
    }

    fn recover(&mut self) -> Skip {
        if self.cut { Skip::File } else { Skip::Line }
    }
}

impl JsonlinesReader {
    fn line(&mut self, line: &[u8]) -> Result<()> {
        let mut json = serde_json::Deserializer::from_slice(line);
        let seed = RecordSeed { keep_layers: self.frame.options.keep_layers };
        let record = seed.deserialize(&mut json).and_then(|record| json.end().map(|()| record));
        let record = record.map_err(|error| match utf8(line, &self.frame.source, self.frame.line, 1) {
            Ok(text) => match self.wrong_spans(text) {
                Err(errors) if error.is_data() => {
                    self.whole = true;
                    errors
                }
                _ => self.json_error(&error, line),
            },
            Err(error) => error,
        })?;
        self.whole = true;
        self.document(record)
    }

    /// Fails with all invalid spans of a line.
    fn wrong_spans(&self, line: &str) -> Result<()> {
        let mut errors = ErrorList::default();
        let fields: BTreeMap<Cow<'_, str>, &RawValue> = serde_json::from_str(line).unwrap_or_default();
        for field in ["clusters", "predicted_clusters"] {
            let Some(clusters) = fields.get(field) else { continue };
            let clusters: Vec<&RawValue> = serde_json::from_str(clusters.get()).unwrap_or_default();
            for cluster in clusters {
                // An entity that is not a list is one error, like an invalid span.
                let spans: Vec<&RawValue> = serde_json::from_str(cluster.get()).unwrap_or_default();
                let list = cluster.get().trim_start().starts_with('[');
                let mut json = serde_json::Deserializer::from_str(cluster.get());
                let whole =
                    SpansSeed(&mut Clusters::default()).deserialize(&mut json).err().filter(|_| !list);
                let wrong = spans.into_iter().filter_map(|span| {
                    serde_json::from_str::<SpanNumbers>(span.get()).err().map(|error| (span, error))
                });
                for (piece, error) in whole.map(|error| (cluster, error)).into_iter().chain(wrong) {
                    let start = (piece.get().as_ptr() as usize).saturating_sub(line.as_ptr() as usize);
                    let before: usize = piece
                        .get()
                        .split_inclusive('\n')
                        .take(error.line().saturating_sub(1))
                        .map(str::len)
                        .sum();
                    errors.keep(self.no_document(&error, (start + before + error.column()) as u32))?;
                }
            }
        }
        errors.finish()
    }

    /// The error of an object that is not a document, without the place that the message has, which counts from the
    /// start of the object.
    fn no_document(&self, error: &serde_json::Error, column: u32) -> Error {
        let hint = "each line is one object such as {\"doc_key\": \"a\", \"sentences\": [[\"Ada\", \"slept\"]], \"clusters\": [[[0, 0]]]}";
        self.frame.error(column, json_error::message(error)).coded(Code::BadJson).hint(hint)
    }

    fn json_error(&mut self, error: &serde_json::Error, line: &[u8]) -> Error {
        let begins = line.trim_ascii_start().first();
        self.whole |= error.is_data();
        self.cut = !self.whole && (error.is_eof() || begins != Some(&b'{'));
        let ends_early = error.is_eof();
        let column = error.column() as u32;
        // The message without its own place, which counts lines from the start of the object.
        let message = error.to_string();
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(text, _)| text);
        let position = Position::new(&self.frame.source, self.frame.line, column);
        if message.starts_with(TWICE) {
            return Error::new(ErrorKind::Format, message)
                .coded(Code::RepeatedId)
                .at(position)
                .hint("keep one of them");
        }
        // Only the last line of a file may lack its line end.
        if ends_early && !line.ends_with(b"\n") {
            let ending = json_error::ending(error).unwrap_or("its last line ends within an object");
            return Error::new(ErrorKind::Format, format!("the file is truncated: {ending}"))
                .coded(Code::CutOff)
                .at(position)
                .hint(TRUNCATED);
        }
        self.no_document(error, column)
    }

    fn document(&mut self, record: Record) -> Result<()> {
        let position = Position::new(&self.frame.source, self.frame.line, 1);
        let id = match &record.id {
            Some(id) => DocumentId::new(id.clone()),
            None => {
                let count = self.frame.count();
                let name = if count == 0 {
                    self.frame.options.default_id.clone()
                } else {
                    format!("{}#{}", self.frame.options.default_id, count + 1)
                };
                self.frame.corpus.diagnostics.add(
                    Code::RepeatedEmptyId,
                    Some(position.clone()),
                    Some(name.clone()),
                    || format!("a document without doc_key is called `{name}`"),
                );
                DocumentId::new(name)
            }
        };
        let both = record.clusters.is_some() && record.predicted_clusters.is_some();
        let (clusters, taken, left) = match self.frame.options.side {
            Side::Key => (record.clusters.or(record.predicted_clusters), "clusters", "predicted_clusters"),
            Side::Response => {
                (record.predicted_clusters.or(record.clusters), "predicted_clusters", "clusters")
            }
        };
        if both {
            let document = Some(id.to_string());
            self.frame.corpus.diagnostics.add(Code::TwoClusterings, Some(position.clone()), document, || {
                let side = self.frame.options.side.label();
                format!("`{id}` has `{taken}` and `{left}`; for the {side} `{taken}` was read")
            });
        }
        let Some(clusters) = clusters else {
            let error = Error::new(
                ErrorKind::Format,
                format!("the document `{id}` has neither `clusters` nor `predicted_clusters`"),
            )
            .coded(Code::MissingField);
            return Err(error.at(position).hint("a document without mentions has \"clusters\": []"));
        };
        let mut known = record.words;
        if let (Some(words), Some(speakers)) = (&mut known, record.speakers) {
            words.set_speakers(speakers);
        }
        let count = known.as_ref().map(Words::count);
        let mut builder = DocumentBuilder::new(id, Arc::clone(&self.frame.source), self.frame.line);
        let mut beyond = 0;
        if clusters.extra > 0 {
            let document = Some(builder.id.to_string());
            self.frame.corpus.diagnostics.add(Code::SpanExtra, Some(position.clone()), document, || {
                format!(
                    "{} spans of `{}` have more than two values; the others were skipped",
                    clusters.extra, builder.id
                )
            });
        }
        let mut spans = clusters.spans.iter();
        let mut errors = ErrorList::default();
        for (number, &size) in clusters.sizes.iter().enumerate() {
            if size == 0 {
                let document = Some(builder.id.to_string());
                self.frame.corpus.diagnostics.add(
                    Code::EmptyEntity,
                    Some(position.clone()),
                    document,
                    || format!("entity {number} of `{}` has no mentions", builder.id),
                );
                continue;
            }
            let entity = EntityId::new(builder.entities.len());
            builder.entities.push(number.to_compact_string());
            for &numbers in spans.by_ref().take(size as usize) {
                let span = self.span(&builder, numbers, number, count);
                let Some(span) = errors.check(span)? else { continue };
                beyond = beyond.max(span.end());
                builder.mentions.push(Mention::new(span, entity, self.frame.line, 1));
            }
        }
        errors.finish()?;
        let words = known.unwrap_or_else(|| {
            let mut words = WordsBuilder::new(false);
            words.push_unknown(beyond);
            words.finish()
        });
        self.frame.corpus.documents.push(builder.finish(words)?);
        Ok(())
    }

    /// The option that sets the meaning of ends on this side alone.
    fn side_option(&self) -> &'static str {
        match self.frame.options.side {
            Side::Key => "key-span-end",
            Side::Response => "response-span-end",
        }
    }

    /// The span of two numbers, checked against the words.
    fn span(
        &mut self,
        builder: &DocumentBuilder,
        [first, second]: [u32; 2],
        entity: usize,
        count: Option<u32>,
    ) -> Result<Span> {
        let exclusive = self.frame.options.span_end == SpanEnd::Exclusive;
        let position = || Position::new(&self.frame.source, self.frame.line, 1);
        let id = &builder.id;
        let wrong =
            |message: String| Error::new(ErrorKind::Format, message).coded(Code::OutOfRange).at(position());
        if exclusive && first == second {
            let message = format!(
                "the span [{first}, {second}] of entity {entity} in `{id}` is empty: its end is read as exclusive"
            );
            return Err(wrong(message).hint(text!("use {}", option_value(self.side_option(), "inclusive"))));
        }
        let (start, end) = if first <= second { (first, second) } else { (second, first) };
        if first > second {
            let document = Some(id.to_string());
            self.frame.corpus.diagnostics.add(Code::ReversedSpan, Some(position()), document, || {
                format!("the span [{first}, {second}] of entity {entity} in `{id}` ends before it begins; its ends were swapped")
            });
        }
        let end = if exclusive { Some(end) } else { end.checked_add(1) };
        let span = end.and_then(|end| Span::new(start, end));
        let position = || Position::new(&self.frame.source, self.frame.line, 1);
        let wrong =
            |message: String| Error::new(ErrorKind::Format, message).coded(Code::OutOfRange).at(position());
        match (span, count) {
            (Some(span), Some(count)) if span.end() > count => {
                let message = format!(
                    "the span [{first}, {second}] of entity {entity} in `{id}` ends beyond the text of {count} words"
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

/// The fields that are read.
const FIELDS: [&str; 7] =
    ["doc_key", "doc_id", "clusters", "predicted_clusters", "sentences", "tokens", "speakers"];

/// The beginning of the message about a repeated field.
const TWICE: &str = "the field `";

/// The largest number of words of a document whose words are not in the file. Then only positions are known, and a
/// few bytes could ask for any amount of memory.
const MOST_UNKNOWN: u32 = 10_000_000;

/// The fields of a line that are used.
struct Record {
    id: Option<String>,
    words: Option<Words>,
    speakers: Option<Column>,
    clusters: Option<Clusters>,
    predicted_clusters: Option<Clusters>,
}

struct RecordSeed {
    keep_layers: bool,
}

impl<'de> DeserializeSeed<'de> for RecordSeed {
    type Value = Record;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<Record, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for RecordSeed {
    type Value = Record;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with doc_key, sentences and clusters")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Record, A::Error> {
        let mut record =
            Record { id: None, words: None, speakers: None, clusters: None, predicted_clusters: None };
        let mut seen = [false; FIELDS.len()];
        while let Some(field) = map.next_key::<Cow<'de, str>>()? {
            if let Some(place) = FIELDS.iter().position(|name| *name == field)
                && std::mem::replace(&mut seen[place], true)
            {
                return Err(serde::de::Error::custom(format!("{TWICE}{field}` is repeated here")));
            }
            match &*field {
                "doc_key" | "doc_id" => record.id = Some(map.next_value::<Name>()?.0),
                "clusters" => record.clusters = map.next_value()?,
                "predicted_clusters" => record.predicted_clusters = map.next_value()?,
                "sentences" => {
                    record.words =
                        Some(map.next_value_seed(WordsSeed { nested: true, keep_layers: self.keep_layers })?)
                }
                "tokens" if record.words.is_none() => {
                    record.words = Some(
                        map.next_value_seed(WordsSeed { nested: false, keep_layers: self.keep_layers })?,
                    );
                }
                "speakers" if self.keep_layers => record.speakers = Some(map.next_value::<Speakers>()?.0),
                _ => _ = map.next_value::<IgnoredAny>()?,
            }
        }
        Ok(record)
    }
}

/// A name written as a string or a number.
struct Name(String);

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Name, D::Error> {
        struct NameVisitor;
        impl Visitor<'_> for NameVisitor {
            type Value = Name;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of the document")
            }
            fn visit_str<E>(self, text: &str) -> std::result::Result<Name, E> {
                Ok(Name(text.to_owned()))
            }
            fn visit_u64<E>(self, number: u64) -> std::result::Result<Name, E> {
                Ok(Name(number.to_string()))
            }
            fn visit_i64<E>(self, number: i64) -> std::result::Result<Name, E> {
                Ok(Name(number.to_string()))
            }
        }
        deserializer.deserialize_any(NameVisitor)
    }
}

/// The entities of a document: lists of `[start, end]`, one after another in one list.
#[derive(Default)]
struct Clusters {
    spans: Vec<[u32; 2]>,
    /// The number of spans in each entity.
    sizes: Vec<u32>,
    /// Spans with further values (labels, scores).
    extra: u64,
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
                while seq.next_element_seed(SpansSeed(&mut clusters))?.is_some() {}
                Ok(clusters)
            }
        }
        deserializer.deserialize_seq(ListsVisitor)
    }
}

/// Appends one entity's spans.
struct SpansSeed<'c>(&'c mut Clusters);

impl<'de> DeserializeSeed<'de> for SpansSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for SpansSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an entity: a list of spans")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> std::result::Result<(), A::Error> {
        let before = self.0.spans.len();
        while let Some(span) = seq.next_element::<SpanNumbers>()? {
            self.0.spans.push(span.ends);
            self.0.extra += u64::from(span.extra);
        }
        self.0.sizes.push((self.0.spans.len() - before) as u32);
        Ok(())
    }
}

/// One `[start, end]`, and whether more values follow.
struct SpanNumbers {
    ends: [u32; 2],
    extra: bool,
}

impl<'de> Deserialize<'de> for SpanNumbers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<SpanNumbers, D::Error> {
        struct SpanVisitor;
        impl<'de> Visitor<'de> for SpanVisitor {
            type Value = SpanNumbers;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a span of two whole numbers, [start, end]")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> std::result::Result<SpanNumbers, A::Error> {
                use serde::de::Error as _;
                let start: WordNumber =
                    seq.next_element()?.ok_or_else(|| A::Error::invalid_length(0, &self))?;
                let end: WordNumber =
                    seq.next_element()?.ok_or_else(|| A::Error::invalid_length(1, &self))?;
                let mut extra = false;
                while seq.next_element::<IgnoredAny>()?.is_some() {
                    extra = true;
                }
                Ok(SpanNumbers { ends: [start.0, end.0], extra })
            }
        }
        deserializer.deserialize_seq(SpanVisitor)
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
struct Speakers(Column);

impl<'de> Deserialize<'de> for Speakers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Speakers, D::Error> {
        let mut column = Column::default();
        for sentence in Vec::<Vec<String>>::deserialize(deserializer)? {
            sentence.iter().for_each(|speaker| column.push(speaker));
        }
        Ok(Speakers(column))
    }
}

/// Reads words without storing them, unless they are requested.
struct WordsSeed {
    nested: bool,
    keep_layers: bool,
}

impl<'de> DeserializeSeed<'de> for WordsSeed {
    type Value = Words;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<Words, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for WordsSeed {
    type Value = Words;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.nested { "a list of sentences, each a list of words" } else { "a list of words" })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> std::result::Result<Words, A::Error> {
        let mut words = WordsBuilder::new(self.keep_layers);
        if self.nested {
            while seq.next_element_seed(SentenceSeed(&mut words))?.is_some() {
                words.end_sentence();
            }
        } else {
            while let Some(word) = seq.next_element::<Borrowed<'de>>()? {
                push_word(&mut words, &word.0);
            }
        }
        Ok(words.finish())
    }
}

struct SentenceSeed<'w>(&'w mut WordsBuilder);

impl<'de> DeserializeSeed<'de> for SentenceSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for SentenceSeed<'_> {
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

/// A string that borrows from the input if possible (`Cow` alone never does).
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
