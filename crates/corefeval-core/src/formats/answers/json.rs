//! Reads answers in JSON: strings of mentions by entity, or places in a text that the answer contains.

use rustc_hash::{FxHashMap, FxHashSet};

use super::scan::RawOutline;
use super::value::{Node, NodeValue, ValueReader, read, unescaped};
use crate::diagnostic::Code;
use crate::model::{AnswerBody, AnswerString, Doubt, Mark, MarkedText, Notation};

/// The content of a document of an answer.
pub(super) struct AnswerContent {
    pub(super) notation: Notation,
    pub(super) entities: Vec<String>,
    pub(super) body: AnswerBody,
    /// The places of elements that are neither entities nor mentions.
    odd: Vec<usize>,
    /// The places and ids of entities that were joined with an earlier entity with the same id.
    repeated: Vec<(usize, String)>,
    /// The places of the values from which mentions are read.
    used: Vec<usize>,
    /// The doubts about the entities: place, code and message.
    doubts: Vec<(usize, Code, String)>,
}

impl AnswerContent {
    /// Returns whether it has no mentions.
    fn is_empty(&self) -> bool {
        match &self.body {
            AnswerBody::Text(text) => text.marks.is_empty(),
            AnswerBody::Strings { mentions, .. } => mentions.is_empty(),
        }
    }
}

/// A document of an answer.
pub(super) struct FoundDocument {
    pub(super) id: Option<String>,
    pub(super) at: usize,
    pub(super) found: AnswerContent,
}

/// The documents of an answer, and the errors in its JSON.
#[derive(Default)]
pub(super) struct FoundDocuments {
    pub(super) documents: Vec<FoundDocument>,
    /// The place of text around the JSON.
    pub(super) outside: Option<usize>,
    /// The place of further JSON with mentions in that text.
    pub(super) further: Option<usize>,
    pub(super) repaired: Option<usize>,
    pub(super) cut: Option<usize>,
    /// True if no element could be read, so that every element is a finding.
    unreadable: bool,
    /// True if the documents are part of JSON that cannot be read.
    is_within_json: bool,
    /// The end of the JSON.
    pub(super) end: usize,
    pub(super) findings: Vec<(usize, Code, String)>,
}

/// Returns whether the first bytes of a file are JSON with a structure that only answers have.
pub(super) fn detect(bytes: &[u8]) -> bool {
    let Some(text) = super::first_text(bytes) else { return false };
    let trimmed = text.trim_start();
    if trimmed.starts_with(['{', '[']) || is_tuple(text) {
        let plain = unescaped(text);
        let text = plain.as_ref().map_or(text, |plain| &plain.0);
        let Ok((node, reader)) = read(text, text.len() - text.trim_start().len()) else {
            let found = documents(text, &RawOutline::of(text)).filter(|found| !found.unreadable);
            return found.is_some_and(|found| found.is_within_json)
                && !names_fields_of_others(text)
                && !super::is_marked(bytes);
        };
        let is_mended = reader.mended || plain.is_some();
        if is_of_other_format(&node) || is_mended && names_fields_of_others(text) {
            return false;
        }
        let places = AnswerLines::of(text);
        let documents = shape(&node, &places);
        let is_shape = || !documents.is_empty() || unreadable(&node, &places).is_some();
        return is_own_text(&node)
            || documents.iter().any(|document| !document.found.is_empty())
            || is_alone(&node) && text[reader.at..].trim().is_empty() && is_shape();
    }
    let plain = unescaped(text);
    let text = plain.as_ref().map_or(text, |plain| &plain.0);
    documents(text, &RawOutline::of(text)).is_some_and(|found| !found.unreadable)
}

/// Returns whether a text has the field names of formats other than answers, possibly with damaged quotes.
pub(in crate::formats) fn names_fields_of_others(text: &str) -> bool {
    let is_named = |name: &str| {
        text.match_indices(name)
            .any(|(at, _)| text[..at].ends_with('"') || text[at + name.len()..].starts_with('"'))
    };
    let is_of_type = |(at, kind): (usize, &str)| {
        let value = text[at + kind.len()..].trim_start_matches(|c: char| !c.is_alphanumeric());
        value.starts_with("clusters") || value.starts_with("graph")
    };
    ["sentences", "tokens", "predicted_clusters", "speakers", "links"].into_iter().any(is_named)
        || text.match_indices("type").any(is_of_type)
}

/// Returns whether an object has the fields of a format other than answers.
fn is_of_other_format(node: &Node) -> bool {
    let text_of = |name: &str| node.field(&[name]).and_then(Node::text);
    if matches!(text_of("type"), Some("clusters" | "graph"))
        || node.field(&["links", "predicted_clusters"]).is_some()
    {
        return true;
    }
    // Sentences that are lists of words belong to the jsonlines format.
    let sentences = node.field(&["sentences"]).and_then(Node::list);
    if sentences.is_some_and(|sentences| sentences.iter().any(|sentence| sentence.list().is_some())) {
        return true;
    }
    let places = |name: &str| node.field(&[name]).and_then(Node::list);
    node.field(&["tokens"]).is_some()
        && places("clusters").is_some()
        && node.field(&["clusters_token_offsets", "clusters_char_offsets"]).is_none()
}

/// Returns whether an object is `{"clusters": …}`. A model that found no mentions answers `{"clusters": []}`.
fn is_alone(node: &Node) -> bool {
    node.map().is_some_and(|fields| fields.len() == 1) && node.field(&ENTITIES).is_some()
}

/// Returns whether an object contains a text, even if its mentions come after these bytes.
fn is_own_text(node: &Node) -> bool {
    let list_of_texts = |name: &str| {
        node.field(&[name]).and_then(Node::list).is_some_and(|words| words.iter().any(|w| w.text().is_some()))
    };
    let objects = |name: &str| {
        node.field(&[name])
            .and_then(Node::list)
            .is_some_and(|items| items.iter().any(|item| item.map().is_some()))
    };
    node.field(&["text"]).and_then(Node::text).is_some()
        || list_of_texts("document")
        || objects("sens")
        || objects("sentences")
        || node.field(&["corefs", "clusters_token_offsets", "clusters_char_offsets"]).is_some()
        || (node.cut && node.field(&["text", "document"]).is_some())
}

/// Returns whether a value is a list that contains only strings, like the list of an entity.
fn is_list_of_strings(node: &Node) -> bool {
    node.list().is_some_and(|items| !items.is_empty() && items.iter().all(|item| item.text().is_some()))
}

/// Returns the value that a text starts with.
fn first_value(text: &str) -> Option<Node> {
    read(text, text.len() - text.trim_start().len()).ok().map(|(node, _)| node)
}

/// Returns whether a text starts with a Python tuple of strings, or of lists of strings.
pub(super) fn is_tuple(text: &str) -> bool {
    let has_strings = |node: &Node| {
        let is_of_strings = |item: &Node| item.text().is_some() || is_list_of_strings(item);
        node.list().is_some_and(|items| !items.is_empty() && items.iter().all(is_of_strings))
    };
    text.trim_start().starts_with('(') && first_value(text).is_some_and(|node| has_strings(&node))
}

/// Returns whether a text starts with a list or a tuple of strings only.
pub(super) fn is_flat_list(text: &str) -> bool {
    text.trim_start().starts_with(['[', '('])
        && first_value(text).is_some_and(|node| is_list_of_strings(&node))
}

/// Returns the place where the first JSON cannot be read, and the missing text, which is `None` if the text ends
/// there.
pub(super) fn fault(raw: &str, outline: &RawOutline) -> Option<(usize, Option<&'static str>)> {
    let mut at = 0;
    while let Some(next) = raw[at..].find(['{', '[']).map(|next| at + next) {
        let is_first = raw[..next].trim().is_empty();
        at = match outline.removed_at(next) {
            Some(end) => end,
            None => match read(raw, next) {
                Ok((_, reader)) if reader.cut && !reader.broken => return Some((reader.at, None)),
                Ok((_, reader)) => reader.at,
                Err(error) if error.has_content || is_first => return Some((error.at, error.missing)),
                Err(_) => next + 1,
            },
        };
    }
    None
}

/// Returns all documents of a file.
pub(super) fn documents(raw: &str, outline: &RawOutline) -> Option<FoundDocuments> {
    let mut search = DocumentSearch::new(raw);
    let mut at = 0;
    let mut tuple = is_tuple(raw).then(|| raw.len() - raw.trim_start().len());
    while let Some(next) = tuple.take().or_else(|| Some(at + raw[at..].find(['{', '['])?)) {
        if let Some(end) = outline.removed_at(next) {
            at = end;
            continue;
        }
        let between = raw[at..next].trim();
        if search.is_further(next, between) {
            break;
        }
        match search.take(next) {
            Some(end) => at = end,
            None => break,
        }
    }
    search.finish(at)
}

/// The search for the documents of a file, value by value.
struct DocumentSearch<'r> {
    raw: &'r str,
    places: AnswerLines,
    found: FoundDocuments,
    /// The first value of a known structure without readable elements.
    without: Option<FoundDocuments>,
    /// The first value that other text cuts off.
    broken: Option<FoundDocuments>,
    /// True if that value is an example.
    is_example: bool,
    /// A list of strings on the line before the answer or right after it, which may be an entity of the answer.
    adjacent: Option<usize>,
    /// The first value that cannot be read although it contains strings or numbers.
    failed: Option<usize>,
}

impl<'r> DocumentSearch<'r> {
    fn new(raw: &'r str) -> DocumentSearch<'r> {
        DocumentSearch {
            raw,
            places: AnswerLines::of(raw),
            found: FoundDocuments::default(),
            without: None,
            broken: None,
            is_example: false,
            adjacent: None,
            failed: None,
        }
    }

    fn is_empty(&self) -> bool {
        self.found.documents.is_empty()
    }

    /// Returns whether only spaces precede a place.
    fn is_first(&self, at: usize) -> bool {
        self.raw[..at].trim().is_empty()
    }

    /// Returns whether the value at `next`, after the text `between`, is a second answer. After other text it is a correction
    /// or an example, and only the first answer is used.
    fn is_further(&mut self, next: usize, between: &str) -> bool {
        if self.is_empty() || between.trim_matches([',', ';']).is_empty() {
            return false;
        }
        self.found.further = has_mentions(self.raw, next, &self.places).then_some(next);
        true
    }

    /// Reads the value at `next`. Returns where the search continues, or `None` if the answer is complete.
    fn take(&mut self, next: usize) -> Option<usize> {
        let (node, reader) = match read(self.raw, next) {
            Ok((node, reader)) => one_by_one(self.raw, node, reader),
            Err(error) => {
                self.failed = self.failed.or(error.has_content.then_some(next));
                return if self.is_empty() { Some(next + 1) } else { None };
            }
        };
        let mut documents = shape(&node, &self.places);
        // Empty brackets in a text are not an answer.
        let in_text = !self.is_first(next) && node.field(&ENTITIES).is_none();
        if (in_text || reader.broken) && documents.iter().all(|document| document.found.is_empty()) {
            documents.clear();
        }
        match documents.is_empty() {
            true => self.without_documents(next, &node, reader),
            false => self.with_documents(next, &node, documents, reader),
        }
    }

    /// Takes a value without documents; see [`take`](Self::take).
    fn without_documents(&mut self, next: usize, node: &Node, reader: ValueReader<'_>) -> Option<usize> {
        let is_line = !self.is_empty()
            || self.raw[..next].trim_end_matches([' ', '\t']).ends_with('\n')
            || self.is_first(next);
        if self.adjacent.is_none() && is_line && is_list_of_strings(node) {
            self.adjacent = Some(next);
        }
        if !self.is_empty() {
            return None;
        }
        // The value may contain the answer, for example if it is a bracket of the surrounding text.
        let end = if node.cut { next + 1 } else { reader.at };
        if self.without.is_none() {
            self.without = unreadable(node, &self.places).map(|document| FoundDocuments {
                documents: vec![document],
                repaired: reader.repaired,
                unreadable: true,
                cut: reader.cut.then_some(reader.at),
                end: reader.at,
                findings: guesses(reader.guesses),
                ..FoundDocuments::default()
            });
        }
        if !node.cut {
            self.found.outside = self.found.outside.or(Some(next));
        }
        Some(end)
    }

    /// Takes a value with documents; see [`take`](Self::take).
    fn with_documents(
        &mut self,
        next: usize,
        node: &Node,
        documents: Vec<FoundDocument>,
        reader: ValueReader<'_>,
    ) -> Option<usize> {
        let used = documents.iter().flat_map(|document| &document.found.used).copied().collect();
        let mut skipped = Vec::new();
        skipped_lists(None, node, &used, &mut skipped);
        let unclosed = |at| (at, Code::JsonCut, "a closing bracket is missing here".to_owned());
        skipped.extend(reader.unclosed.map(unclosed));
        skipped.extend(guesses(reader.guesses));
        let is_first = self.is_empty();
        if is_first && !self.is_first(next) {
            let start = || self.raw.find(|c: char| !c.is_whitespace());
            self.found.outside = self.found.outside.or_else(start);
        }
        // A list on the previous line is reported as a list.
        let is_part = is_first && self.adjacent.is_none() && is_within_json(&self.raw[..next]);
        skipped.extend(is_part.then(|| (next, Code::JsonBroken, PART.to_owned())));
        self.found.is_within_json |= is_first && (is_part || self.failed.is_some());
        let cut = reader.cut.then_some(reader.at);
        if (reader.broken || reader.elided) && is_first {
            // If complete JSON follows later, the JSON with dots is an example.
            self.is_example = self.broken.is_none() && reader.elided || self.is_example;
            self.broken.get_or_insert_with(|| FoundDocuments {
                documents,
                outside: self.found.outside,
                is_within_json: self.found.is_within_json,
                repaired: reader.repaired,
                cut,
                findings: skipped,
                end: reader.at,
                ..FoundDocuments::default()
            });
            return Some(reader.at);
        }
        self.found.documents.extend(documents);
        self.found.findings.extend(skipped);
        self.found.repaired = self.found.repaired.or(reader.repaired);
        self.found.cut = self.found.cut.or(cut);
        Some(reader.at)
    }

    /// Returns the documents, with findings about skipped parts. The search ended at `at`.
    fn finish(self, mut at: usize) -> Option<FoundDocuments> {
        let DocumentSearch { raw, mut found, without, broken, is_example, adjacent, failed, .. } = self;
        if found.documents.is_empty() {
            found = broken.or(without)?;
            at = found.end;
        } else if let Some(document) =
            broken.filter(|_| !is_example).and_then(|broken| broken.documents.into_iter().next())
        {
            let message = "JSON that breaks off was skipped, because complete JSON follows: it has mentions";
            found.findings.push((document.at, Code::MentionsSkipped, message.to_owned()));
        }
        if let Some(at) = failed.filter(|_| !found.unreadable) {
            let message =
                "JSON that cannot be read was skipped, apart from complete parts: it may have mentions";
            found.findings.push((at, Code::MentionsSkipped, message.to_owned()));
        }
        found.end = at;
        if let Some(at) = adjacent.filter(|_| !found.unreadable) {
            let message = "a list of strings next to the answer was skipped: it may be an entity";
            found.findings.push((at, Code::MentionsSkipped, message.to_owned()));
        }
        let rest = &raw[at..];
        let after = rest.trim_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';'));
        if after.starts_with(['{', ']', '}', ')', ',', ':', '"'])
            && found.cut.is_none()
            && found.further.is_none()
        {
            let message = "the JSON ends here, and more of it seems to follow";
            found.findings.push((at, Code::JsonBroken, message.to_owned()));
        }
        if !rest.trim().is_empty() {
            found.outside = found.outside.or(Some(at + rest.len() - rest.trim_start().len()));
        }
        report_parts(raw, &mut found);
        Some(found)
    }
}

/// Adds the findings about the parts of documents: odd elements, repeated ids and doubts.
fn report_parts(raw: &str, found: &mut FoundDocuments) {
    for document in &mut found.documents {
        found.findings.extend(document.found.odd.iter().map(|&at| {
            let message = format!("{} is neither an entity nor a mention; it was left out", element(raw, at));
            (at, Code::BadTag, message)
        }));
        found.findings.extend(document.found.repeated.iter().map(|(at, id)| {
            let message = format!("two entities have the id `{id}`; they were read as one");
            (*at, Code::IdsAlike, message)
        }));
        found.findings.append(&mut document.found.doubts);
        if let AnswerBody::Text(text) = &mut document.found.body {
            found.findings.extend(std::mem::take(&mut text.doubts).into_iter().filter_map(|doubt| {
                let (code, message) = doubt.finding?;
                Some((doubt.start as usize, code, message))
            }));
        }
    }
}

/// Returns whether an object is an entity and not a document. An entity has an id, and its mentions do not name their
/// entities.
fn is_entity_object(node: &Node) -> bool {
    let is_plain = |item: &Node| mention_text(item).is_some() && item.field(&ENTITY).is_none();
    let mentions = node.field(&MENTIONS[..1]).and_then(Node::list);
    node.field(&ENTITY_ID).or(node.field(&NAMES)).and_then(Node::name).is_some()
        && mentions.is_some_and(|items| !items.is_empty() && items.iter().all(is_plain))
        && node.field(&IDS).or(node.field(&OWN_TEXT)).is_none()
}

/// Collects consecutive entities into a list, if they are written as separate objects:
/// `{"id": 1, "mentions": ["Ines"]}`, often one per line. Any other value is returned unchanged.
fn one_by_one<'r>(raw: &'r str, node: Node, mut reader: ValueReader<'r>) -> (Node, ValueReader<'r>) {
    if !is_entity_object(&node) {
        return (node, reader);
    }
    let at = node.at;
    let mut items = vec![node];
    while !reader.cut {
        let rest = raw[reader.at..].trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        let Ok((next, after)) = read(raw, raw.len() - rest.len()) else { break };
        if !rest.starts_with('{') || !is_entity_object(&next) {
            break;
        }
        reader.continue_after(after);
        items.push(next);
    }
    (Node { at, cut: reader.cut, value: NodeValue::List(items) }, reader)
}

/// The message about JSON within other JSON that cannot be read.
const PART: &str = "the JSON around this part of it cannot be read, and was skipped";

/// Returns whether the text before JSON ends as JSON does before a value.
fn is_within_json(before: &str) -> bool {
    let before = before.trim_end();
    let is_value_of_name =
        |quote: &str| before.strip_suffix(':').is_some_and(|before| before.trim_end().ends_with(quote));
    before.ends_with(['[', '{', '(', ',', '"']) || is_value_of_name("\"") || is_value_of_name("'")
}

/// Returns findings about repairs whose meaning is uncertain.
fn guesses(guesses: Vec<(usize, String)>) -> Vec<(usize, Code, String)> {
    guesses.into_iter().map(|(at, message)| (at, Code::JsonBroken, message)).collect()
}

/// Describes the element at a place for a message.
fn element(raw: &str, at: usize) -> String {
    match raw.as_bytes().get(at) {
        Some(b'[' | b'(') => "this list".to_owned(),
        Some(b'{') => "this object".to_owned(),
        _ => {
            let end = raw[at..].find([',', ']', '}', ')', '\n']).map_or(raw.len(), |end| at + end);
            format!("`{}`", raw[at..end].trim_end())
        }
    }
}

/// Adds a finding for each unused list that contains texts or objects. Returns whether any part of this value was used.
fn skipped_lists(
    name: Option<&str>,
    node: &Node,
    used: &FxHashSet<usize>,
    findings: &mut Vec<(usize, Code, String)>,
) -> bool {
    if used.contains(&node.at) {
        return true;
    }
    let before = findings.len();
    let mut any = false;
    match &node.value {
        NodeValue::List(items) => {
            for item in items {
                any |= skipped_lists(name, item, used, findings);
            }
            if !any && has_words(node) {
                findings.truncate(before);
                let list = name.map_or("this list".to_owned(), |name| format!("the list `{name}`"));
                let message = format!("{list} is not among the entities; it was skipped");
                findings.push((node.at, Code::MentionsSkipped, message));
            }
        }
        NodeValue::Map(fields) => {
            let is_text = |(name, value): &&(String, Node)| {
                OWN_TEXT.iter().any(|field| field.eq_ignore_ascii_case(name))
                    && !value.list().is_some_and(|items| items.iter().any(is_part_of_text))
            };
            for (name, value) in fields.iter().filter(|field| !is_text(field)) {
                any |= skipped_lists(Some(name), value, used, findings);
            }
        }
        _ => {}
    }
    any
}

/// Returns whether an object contains a list of entities or mentions, as a sentence may.
fn is_part_of_text(node: &Node) -> bool {
    node.field(&ENTITIES).is_some_and(|list| list.list().is_some() && has_words(list))
}

/// Returns whether a list contains texts or objects.
fn has_words(node: &Node) -> bool {
    node.text().is_some()
        || node.map().is_some()
        || node.list().is_some_and(|items| items.iter().any(has_words))
}

/// Returns the place of JSON with mentions at the start of a line of a marked text.
pub(super) fn place_of_json(raw: &str, outline: &RawOutline) -> Option<usize> {
    let places = AnswerLines::of(raw);
    let begins = |&start: &usize| {
        let rest = raw[start..].trim_start_matches([' ', '\t', '[']);
        rest.starts_with('{') && outline.removed_at(start).is_none() && has_mentions(raw, start, &places)
    };
    places.starts.iter().copied().find(begins)
}

/// Returns whether the value that starts at a place contains mentions.
fn has_mentions(raw: &str, at: usize, places: &AnswerLines) -> bool {
    let start = raw[at..].len() - raw[at..].trim_start().len() + at;
    let Ok((node, _)) = read(raw, start) else { return false };
    shape(&node, places).iter().any(|document| !document.found.is_empty())
}

/// Returns the documents in a value, or in the first object with a known structure within it.
fn shape(node: &Node, places: &AnswerLines) -> Vec<FoundDocument> {
    let found = listed(node, places);
    if !found.is_empty() {
        return found;
    }
    let inner: Vec<&Node> = match &node.value {
        NodeValue::List(items) => items.iter().collect(),
        NodeValue::Map(fields) => fields.iter().map(|field| &field.1).collect(),
        _ => Vec::new(),
    };
    let known = |node: &&Node| node.list().is_some() || node.map().is_some();
    inner
        .into_iter()
        .filter(known)
        .map(|node| within(node, places))
        .find(|found| !found.is_empty())
        .unwrap_or_default()
}

/// Returns the documents in a value inside another value. Here, a list without a name may be anything.
fn within(node: &Node, places: &AnswerLines) -> Vec<FoundDocument> {
    match &node.value {
        NodeValue::Map(_) if node.field(&ENTITIES).is_some() => shape(node, places),
        NodeValue::Map(fields) => fields
            .iter()
            .map(|field| within(&field.1, places))
            .find(|found| !found.is_empty())
            .unwrap_or_default(),
        NodeValue::List(items) => {
            items.iter().map(|item| within(item, places)).find(|found| !found.is_empty()).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

/// Returns the documents in a value; empty if the structure of the value is unknown.
fn listed(node: &Node, places: &AnswerLines) -> Vec<FoundDocument> {
    if let Some(found) = document(node, places) {
        return vec![FoundDocument { id: id_of(node), at: node.at, found }];
    }
    let list = node
        .list()
        .or_else(|| node.field(&["documents", "predictions", "results", "data"]).and_then(Node::list));
    let Some(items) = list else { return Vec::new() };
    let all: Vec<(&Node, Option<AnswerContent>)> =
        items.iter().map(|item| (item, document(item, places))).collect();
    // Other objects and lists may contain documents.
    let may_be = |item: &Node| match &item.value {
        NodeValue::Map(_) => item.field(&IDS).is_some() || item.field(&ENTITIES).is_some(),
        NodeValue::List(_) => false,
        _ => true,
    };
    let wrong = all.iter().any(|(item, found)| found.is_none() && !item.cut && !may_be(item));
    if wrong || !all.iter().any(|(item, found)| item.map().is_some() && found.is_some()) {
        return Vec::new();
    }
    let (mut documents, mut odd): (Vec<FoundDocument>, Vec<usize>) = (Vec::new(), Vec::new());
    for (item, found) in all {
        match found.map(|found| FoundDocument { id: id_of(item), at: item.at, found }) {
            Some(document) => documents.push(document),
            None if item.cut => {}
            None => match unreadable(item, places) {
                Some(document) => documents.push(document),
                None => odd.push(item.at),
            },
        }
    }
    if let Some(first) = documents.first_mut() {
        first.found.used.extend(&odd);
        first.found.odd.extend(odd);
    }
    documents
}

/// Returns the document of an object with only unreadable entities, which are skipped. Rejects objects with lists of
/// numbers, because the numbers may be places in a text, as in other formats.
fn unreadable(node: &Node, places: &AnswerLines) -> Option<FoundDocument> {
    fn has_places(node: &Node) -> bool {
        let is_part = |item: &Node| item.number().is_some() || has_places(item);
        node.list().is_some_and(|items| items.iter().any(is_part))
    }
    let value = node.field(&ENTITIES)?;
    let odd = match value.list() {
        Some(items) if !items.iter().any(has_places) => items.iter().collect(),
        None if value.map().is_none() => vec![value],
        _ => return None,
    };
    let found = strings(EntityNodes { odd, ..EntityNodes::default() }, places)?;
    Some(FoundDocument { id: id_of(node), at: node.at, found })
}

/// Converts places in a file to lines and columns.
struct AnswerLines {
    starts: Vec<usize>,
}

impl AnswerLines {
    fn of(raw: &str) -> AnswerLines {
        let ends = memchr::memchr_iter(b'\n', raw.as_bytes());
        AnswerLines { starts: std::iter::once(0).chain(ends.map(|end| end + 1)).collect() }
    }

    fn at(&self, at: usize) -> (u32, u32) {
        let line = self.starts.partition_point(|&start| start <= at);
        (line as u32, (at - self.starts[line - 1]) as u32 + 1)
    }
}

/// Returns the id of a document.
fn id_of(node: &Node) -> Option<String> {
    node.field(&IDS).and_then(Node::name)
}

/// The fields that contain entities.
const ENTITIES: [&str; 12] = [
    "clusters", "entities", "coreference_clusters", "coreference_chains", "coreferences", "coreference",
    "coref_clusters", "chains", "corefs", "mentions", "annotations", "clusters_text_mentions",
];

/// Reads a value as a single document, if it has a known structure.
fn document(node: &Node, places: &AnswerLines) -> Option<AnswerContent> {
    if let Some(mut found) = own_text(node, places) {
        found.used = vec![node.at];
        return Some(found);
    }
    if node.map().is_some() {
        if let Some(entities) = by_ids_of_mentions(node) {
            return strings(entities, places);
        }
        for name in ENTITIES {
            if let Some(entities) = node.field(&[name]).and_then(entities) {
                return strings(entities, places);
            }
        }
        // The value is a list of sentences with their mentions.
        let is_sentence = |item: &Node| item.map().is_some() && mention_list(item).is_some_and(is_entity);
        if let Some(sentences) = node.field(&["sentences", "sens", "paragraphs", "lines"])
            && sentences.list().is_some_and(|items| items.iter().any(is_sentence))
        {
            return grouped(sentences, true).and_then(|found| strings(found, places));
        }
        // The value is an object with the names of entities, each with its mentions.
        return by_name(node).and_then(|entities| strings(entities, places));
    }
    entities(node).and_then(|entities| strings(entities, places))
}

/// An entity: name and mentions.
type NamedNodes<'n> = (String, Vec<&'n Node>);

/// The name of an entity in JSON.
enum IdOrName {
    /// A name that no other entity has.
    Id(String),
    /// A name that several entities may have.
    Name(String),
}

/// The fields with the text of a mention.
const TEXT: [&str; 8] = ["text", "mention", "span", "string", "surface", "phrase", "words", "form"];

/// Returns the text of a mention.
fn mention_text(node: &Node) -> Option<&str> {
    match &node.value {
        NodeValue::Text(text) => Some(text),
        // The mentions of a sentence are separate.
        NodeValue::Map(_) if is_part_of_text(node) => None,
        NodeValue::Map(_) => node.field(&TEXT).and_then(Node::text),
        _ => None,
    }
}

/// Returns whether a value is a mention, or the start of a mention that the end of the file cuts off.
fn is_mention(node: &Node) -> bool {
    mention_text(node).is_some() || (node.cut && node.map().is_some())
}

/// The entities of a value, and its elements that are neither entities nor mentions.
#[derive(Default)]
struct EntityNodes<'n> {
    all: Vec<NamedNodes<'n>>,
    odd: Vec<&'n Node>,
    /// The places of the lists with the mentions.
    used: Vec<usize>,
    /// The names of entities: position of the entity in the list, name, place in the file.
    names: Vec<(usize, &'n str, usize)>,
    /// The places and ids of entities that were joined with an earlier entity with the same id.
    repeated: Vec<(usize, String)>,
    /// The doubts about the entities: place, code and message.
    doubts: Vec<(usize, Code, String)>,
}

impl<'n> EntityNodes<'n> {
    /// Adds an entity with the mentions in its list. Entities with equal ids are joined, but not entities with equal
    /// names.
    fn add(&mut self, name: IdOrName, entity: &'n Node, list: &'n Node) {
        self.used.push(list.at);
        let is_name = |field: &str| NAMES.iter().any(|name| name.eq_ignore_ascii_case(field));
        let fields = entity.map().unwrap_or_default().iter().filter(|(field, _)| is_name(field));
        let (name, is_id) = match name {
            IdOrName::Id(id) => (id, true),
            IdOrName::Name(name) => (name, false),
        };
        let known = self.all.iter().position(|known| is_id && known.0 == name);
        let place = known.unwrap_or(self.all.len());
        self.names.extend(fields.filter_map(|(_, value)| Some((place, value.text()?, value.at))));
        let items = list.list().unwrap_or_default();
        let (mentions, odd): (Vec<&Node>, Vec<&Node>) = items.iter().partition(|item| is_mention(item));
        match self.all.get_mut(place) {
            Some(known) => {
                known.1.extend(mentions);
                self.repeated.push((entity.at, name));
            }
            None => self.all.push((name, mentions)),
        }
        self.odd.extend(odd);
    }
}

/// The fields of an entity that hold its name, which may be words of the key.
const NAMES: [&str; 16] = [
    "name", "text", "mention", "entity", "entity_name", "label", "head", "main", "main_mention",
    "representative", "representative_mention", "canonical", "canonical_name", "canonical_form",
    "antecedent", "referent",
];

/// The fields of an entity that hold its mentions.
const MENTIONS: [&str; 8] =
    ["mentions", "members", "mention_list", "spans", "chain", "references", "cluster", "entity"];

/// Returns the value itself if it is a list, or the list of mentions of an object.
fn mention_list(item: &Node) -> Option<&Node> {
    // `{"entity": "e1", "mentions": [...]}` has a name in the other field.
    let fields =
        || MENTIONS.iter().filter_map(|&name| item.field(&[name])).find(|value| value.list().is_some());
    if item.list().is_some() { Some(item) } else { fields() }
}

/// Returns whether a list is an entity: it contains a mention, or is empty.
fn is_entity(list: &Node) -> bool {
    list.list().is_some_and(|items| items.is_empty() || items.iter().any(is_mention))
}

/// The fields of a mention that hold its entity.
const ENTITY: [&str; 9] =
    ["entity", "entity_id", "cluster", "cluster_id", "chain", "chain_id", "coref", "coref_id", "id"];

/// The fields that hold the number of a sentence.
const SENTENCE: [&str; 8] = [
    "sentence", "sentence_index", "sentence_id", "sentence_number", "sent", "sent_id", "sent_index",
    "sentnum",
];

/// Returns whether a mention of a list names its entity.
fn names_entities(list: &Node) -> bool {
    let names = |item: &Node| item.field(&ENTITY[..ENTITY.len() - 1]).and_then(Node::name).is_some();
    list.list().is_some_and(|items| items.iter().any(names))
}

/// Returns whether the mentions of a list name several entities.
fn is_of_several(list: &Node) -> bool {
    let names = |item: &Node| item.field(&ENTITY[..ENTITY.len() - 1]).and_then(Node::name);
    let mut names = list.list().unwrap_or_default().iter().filter_map(names);
    names.next().is_some_and(|first| names.any(|name| name != first))
}

/// Returns whether lists group mentions by something other than their entity, such as their sentence. In this case, the
/// mentions of one list name several entities, or mentions of two lists name the same entity by a number.
fn are_groups(lists: &[&Node]) -> bool {
    let mut of_earlier: FxHashSet<String> = FxHashSet::default();
    lists.iter().any(|list| {
        let names = |item: &Node| item.field(&ENTITY[..ENTITY.len() - 1]).and_then(Node::name);
        let names: FxHashSet<String> = list.list().unwrap_or_default().iter().filter_map(names).collect();
        let is_number = |name: &String| name.bytes().all(|byte| byte.is_ascii_digit());
        let is_again = names.iter().any(|name| is_number(name) && of_earlier.contains(name));
        of_earlier.extend(names);
        is_again || is_of_several(list)
    })
}

/// Returns a doubt about the field from which the entities of mentions were read. The doubt arises if all values of the
/// field are equal or all are different, and another field may be meant. The field may hold labels, or the ids of the
/// mentions themselves.
fn doubt_of_mentions(mentions: &[&Node], at: usize) -> Option<(usize, Code, String)> {
    let of_field = |field: &str| -> Vec<Option<String>> {
        mentions.iter().map(|mention| mention.field(&[field]).and_then(Node::name)).collect()
    };
    let differ = |names: &[Option<String>]| names.iter().flatten().collect::<FxHashSet<_>>().len();
    let used =
        ENTITY.iter().find(|field| mentions.iter().any(|mention| mention.field(&[field]).is_some()))?;
    let names = of_field(used);
    let (count, different) = (mentions.len(), differ(&names));
    let other = |field: &str| {
        let values = of_field(field);
        // Values that differ between all mentions do not group them into entities.
        let groups = differ(&values);
        groups > 1 && groups < values.iter().flatten().count()
    };
    let message = match (different, count) {
        (1, 2..) => {
            let field = ENTITY.iter().chain(&LINKS).find(|field| *field != used && other(field))?;
            format!(
                "`{used}` was read as the entity of each mention, and all have the same; `{field}` was not read"
            )
        }
        (_, 2..) if different == count => {
            let has = |field: &&&str| mentions.iter().any(|mention| mention.field(&[field]).is_some());
            let is_other = |field: &&&str| *field != used && (LINKS.contains(field) || other(field));
            let field = LINKS.iter().chain(&ENTITY).chain(&["label"]).filter(is_other).find(has)?;
            format!(
                "`{used}` was read as the entity of each mention, and no two have the same; `{field}` was not read"
            )
        }
        _ => return None,
    };
    Some((at, Code::BadTag, message))
}

/// Reports mentions whose entity is in a different field from that of most mentions. `{"id": "m5", "text": …}`
/// next to `{"id": "m4", "text": …, "cluster": 4}` is a mention without an entity.
fn doubts_of_fields(mentions: &[&Node]) -> Vec<(usize, Code, String)> {
    let deciding = |mention: &&Node| {
        let field = ENTITY.iter().position(|field| mention.field(&[field]).is_some())?;
        mention.field(&[ENTITY[field]])?.name().filter(|name| !name.is_empty()).map(|_| field)
    };
    let mut counts = [0; ENTITY.len()];
    mentions.iter().filter_map(deciding).for_each(|field| counts[field] += 1);
    // In a tie, the earlier field wins. `id` is the last field, because its name is the least specific.
    let most = (0..counts.len()).max_by_key(|&field| (counts[field], std::cmp::Reverse(field)));
    let most = most.filter(|&most| counts[most] > 0);
    let doubt = |mention: &&Node| {
        let (field, most) = (ENTITY[deciding(mention)?], ENTITY[most?]);
        let message = format!(
            "the entity of this mention was read from `{field}`, and that of most mentions from `{most}`"
        );
        (field != most).then_some((mention.at, Code::BadTag, message))
    };
    mentions.iter().filter_map(doubt).collect()
}

/// The fields of a mention that hold another mention of its entity.
const LINKS: [&str; 5] = ["antecedent", "antecedent_id", "ref", "refers_to", "link"];

/// The fields that hold a text. Their lists of words are not entities.
const OWN_TEXT: [&str; 6] = ["tokens", "words", "sentences", "sens", "document", "text"];

/// The number of fields in [`OWN_TEXT`] whose names cannot be names of entities either.
const NO_ENTITIES: usize = 4;

/// The fields that hold the id of a document.
const IDS: [&str; 5] = ["doc_id", "doc_key", "document_id", "docid", "doc"];

/// Reads the entities of `{"Ada": ["Ada", "she"]}` and `{"Ada": {"mentions": ["Ada", "she"]}}`.
fn by_name(node: &Node) -> Option<EntityNodes<'_>> {
    let fields = node.map()?;
    let lists = || fields.iter().filter_map(|(name, value)| Some((name, mention_list(value)?)));
    let are_sentences = lists().filter(|(name, _)| is_sentence(name)).count() * 2 > lists().count();
    if are_sentences && lists().any(|(_, list)| names_entities(list)) {
        let (groups, others): (Vec<&Node>, Vec<&Node>) =
            fields.iter().map(|field| &field.1).partition(|value| mention_list(value).is_some());
        let id = node.field(&IDS).map(|id| id.at);
        let mut entities = of_groups(groups.into_iter(), node)?;
        entities.odd.extend(others.into_iter().filter(|value| Some(value.at) != id));
        return Some(entities);
    }
    let mut entities = EntityNodes::default();
    // The words of a text that ends before its entities are not mentions.
    let is_text = |name: &str| {
        let names = if node.cut { &OWN_TEXT[..] } else { &OWN_TEXT[..NO_ENTITIES] };
        names.iter().any(|field| field.eq_ignore_ascii_case(name))
    };
    let mut with_lists = fields.iter().filter(|(_, value)| mention_list(value).is_some()).peekable();
    if with_lists.peek().is_some() && with_lists.all(|(name, value)| value.list().is_some() && is_text(name))
    {
        return None;
    }
    for (name, value) in fields {
        match mention_list(value).filter(|list| is_entity(list) && !is_of_several(list)) {
            Some(list) => {
                if are_sentences && is_sentence(name) {
                    let message = format!("`{name}` was read as an entity, {SENTENCE_DOUBT}");
                    entities.doubts.push((value.at, Code::BadTag, message));
                }
                entities.names.push((entities.all.len(), name, value.at));
                entities.add(IdOrName::Id(name.clone()), value, list);
            }
            None => entities.odd.push(value),
        }
    }
    if !entities.odd.is_empty() && node.field(&OWN_TEXT).is_some() {
        return None;
    }
    let id = node.field(&IDS).map(|id| id.at);
    entities.odd.retain(|value| Some(value.at) != id);
    entities.all.iter().any(|entity| !entity.1.is_empty()).then_some(entities)
}

/// Reads the entities of `{"mentions": [{"id": 1, "text": "Ada"}, …], "clusters": [[1, 2], …]}`: lists of mention ids.
/// Mentions that no list contains are skipped.
fn by_ids_of_mentions(node: &Node) -> Option<EntityNodes<'_>> {
    let mentions = node.field(&["mentions", "annotations"])?.list()?;
    let mut known: FxHashMap<String, &Node> = FxHashMap::default();
    for mention in mentions.iter().filter(|mention| !mention.cut) {
        let id = mention.field(&["id", "mention_id"]).and_then(Node::name)?;
        if mention_text(mention).is_none() || known.insert(id, mention).is_some() {
            return None;
        }
    }
    let groups = ENTITIES.iter().filter(|name| !matches!(**name, "mentions" | "annotations"));
    let groups = groups.filter_map(|name| node.field(&[*name])).find(|groups| groups.list().is_some())?;
    let items = groups.list()?;
    let names = names_of(items);
    let mut entities = EntityNodes { used: vec![groups.at], ..EntityNodes::default() };
    for (item, name) in items.iter().zip(names) {
        let list = mention_list(item)?;
        let ids =
            list.list()?.iter().filter(|id| !id.cut).map(Node::name).collect::<Option<Vec<String>>>()?;
        let mentions = ids.iter().map(|id| known.remove(id)).collect::<Option<Vec<&Node>>>()?;
        entities.used.push(list.at);
        entities.all.push((item.field(&ENTITY_ID).and_then(Node::name).unwrap_or(name), mentions));
    }
    entities.odd =
        mentions.iter().filter(|mention| known.values().any(|left| left.at == mention.at)).collect();
    entities.used.extend(node.field(&["mentions", "annotations"]).map(|mentions| mentions.at));
    entities.all.iter().any(|entity| !entity.1.is_empty()).then_some(entities)
}

/// The fields of an entity that hold its id.
const ENTITY_ID: [&str; 3] = ["id", "entity_id", "cluster_id"];

/// Returns the name of each entity of a list: its id, otherwise its name, otherwise a number. Labels are names if each
/// entity has a different label; otherwise they are types.
fn names_of(items: &[Node]) -> Vec<String> {
    let field = |item: &Node, fields: &[&str]| item.field(fields).and_then(Node::name);
    let labels: Vec<String> = items.iter().filter_map(|item| field(item, &["label"])).collect();
    let all_differ = labels.iter().collect::<FxHashSet<_>>().len() == labels.len();
    let name = |item: &Node| {
        let label = || field(item, &["label"]).filter(|_| all_differ);
        field(item, &["entity", "cluster", "name"]).or_else(label)
    };
    let known: Vec<Option<String>> =
        items.iter().map(|item| field(item, &ENTITY_ID).or_else(|| name(item))).collect();
    let taken: FxHashSet<&String> = known.iter().flatten().collect();
    let mut free = (items.len()..).map(|number| number.to_string()).filter(|number| !taken.contains(number));
    let mut number = |place: usize| {
        let number = place.to_string();
        if taken.contains(&number) { free.next().unwrap_or(number) } else { number }
    };
    known.iter().enumerate().map(|(place, name)| name.clone().unwrap_or_else(|| number(place))).collect()
}

/// The message about a group of mentions that is read as an entity.
const SENTENCE_DOUBT: &str = "but may be a sentence with mentions of several";

/// Returns whether a name refers to a part of the text: `sentence 1`.
fn is_sentence(name: &str) -> bool {
    const PARTS: [&str; 7] = ["sentence", "sent", "paragraph", "para", "line", "utterance", "turn"];
    let name = name.trim().to_lowercase();
    let word = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let bare = word.trim_end_matches([' ', '_', '-', '#', '.', ':']);
    word.len() < name.len() && PARTS.contains(&bare)
}

/// Returns whether the objects of a list are sentences: most have a unique number and no other name.
fn are_sentences(items: &[Node]) -> bool {
    let is_named = |item: &Node| {
        ENTITY.iter().chain(&NAMES).any(|field| item.field(&[field]).and_then(Node::name).is_some())
    };
    let groups =
        items.iter().filter(|item| item.map().is_some() && mention_list(item).is_some_and(is_entity));
    let numbers: Vec<String> = groups
        .filter(|item| !is_named(item))
        .filter_map(|item| item.field(&SENTENCE).or_else(|| item.field(&["paragraph", "line"]))?.name())
        .collect();
    let different = numbers.iter().collect::<FxHashSet<_>>().len();
    numbers.len() * 2 > items.len() && different == numbers.len()
}

/// Reads the entities of a list: lists of mentions, objects with mentions, or mentions that name their entity. If at
/// least one element is an entity, other elements are skipped.
fn entities(node: &Node) -> Option<EntityNodes<'_>> {
    match node.list() {
        Some(items) => grouped(node, are_sentences(items)),
        None => by_name(node),
    }
}

/// Reads the entities of mentions in groups that are not entities. Each mention names its entity.
fn of_groups<'n>(groups: impl Iterator<Item = &'n Node>, node: &'n Node) -> Option<EntityNodes<'n>> {
    let (mut each, mut lists) = (Vec::new(), Vec::new());
    for group in groups {
        match mention_list(group).and_then(|list| Some((list, list.list()?))) {
            Some((list, mentions)) => {
                each.extend(mentions);
                lists.push(list.at);
            }
            None => each.push(group),
        }
    }
    let mut entities = of_mentions(each, node)?;
    entities.used.extend(lists);
    let message = "mentions of one list name different entities, or mentions of several lists name the same entity: \
                   each mention was put into the entity that it names, not into the entity of its list";
    entities.doubts.push((node.at, Code::JsonBroken, message.to_owned()));
    Some(entities)
}

/// Reads the entities of a list whose items may be sentences.
fn grouped(node: &Node, are_sentences: bool) -> Option<EntityNodes<'_>> {
    let items = node.list()?;
    let lists: Vec<&Node> = items.iter().filter_map(mention_list).collect();
    if are_groups(&lists) || are_sentences && lists.iter().any(|list| names_entities(list)) {
        return of_groups(items.iter(), node);
    }
    let mut entities = EntityNodes::default();
    let (mut mentions, mut empty) = (false, true);
    for items in items.iter().map(|item| mention_list(item).and_then(Node::list)) {
        mentions |= items.is_some_and(|items| items.iter().any(is_mention));
        empty &= items.is_some_and(<[Node]>::is_empty);
    }
    if mentions || empty {
        let names = names_of(items);
        for (place, item) in items.iter().enumerate() {
            match mention_list(item).filter(|list| is_entity(list)) {
                Some(list) => {
                    let name = match item.field(&ENTITY_ID).and_then(Node::name) {
                        Some(id) => IdOrName::Id(id),
                        None => IdOrName::Name(names[place].clone()),
                    };
                    let is_empty = list.list().is_none_or(<[Node]>::is_empty);
                    if are_sentences && !is_empty {
                        let what = "this was read as an entity";
                        entities.doubts.push((item.at, Code::BadTag, format!("{what}, {SENTENCE_DOUBT}")));
                    }
                    entities.add(name, item, list);
                }
                None if item.cut => {}
                None => entities.odd.push(item),
            }
        }
        return Some(entities);
    }
    of_mentions(items.iter().collect(), node)
}

/// Reads the entities of mentions that name them; `node` contains these mentions.
fn of_mentions<'n>(items: Vec<&'n Node>, node: &'n Node) -> Option<EntityNodes<'n>> {
    let mut entities = EntityNodes::default();
    let mut known: FxHashMap<String, usize> = FxHashMap::default();
    for &item in &items {
        if item.cut {
            continue;
        }
        let name = item.field(&ENTITY).and_then(Node::name).filter(|name| !name.is_empty());
        let Some(name) = name.filter(|_| mention_text(item).is_some()) else {
            entities.odd.push(item);
            continue;
        };
        let place = *known.entry(name.clone()).or_insert_with(|| {
            let (place, text) = (entities.all.len(), item.field(&ENTITY).and_then(Node::text));
            entities.names.extend(text.map(|text| (place, text, item.at)));
            entities.all.push((name, Vec::new()));
            place
        });
        entities.all[place].1.push(item);
    }
    entities.used.push(node.at);
    let mentions: Vec<&Node> =
        items.into_iter().filter(|item| !item.cut && mention_text(item).is_some()).collect();
    entities.doubts = doubts_of_fields(&mentions);
    if entities.doubts.is_empty() {
        entities.doubts.extend(doubt_of_mentions(&mentions, node.at));
    }
    (!entities.all.is_empty() || entities.odd.is_empty()).then_some(entities)
}

/// Returns mentions by their words. A flat list keeps its order.
fn strings(entities: EntityNodes<'_>, places: &AnswerLines) -> Option<AnswerContent> {
    let odd: Vec<usize> = entities.odd.iter().map(|node| node.at).collect();
    let repeated = entities.repeated;
    let used = odd.iter().copied().chain(entities.used).collect();
    let of_entity = |(entity, name, at): (usize, &str, usize)| {
        let (line, column) = places.at(at);
        let (text, entity) = (name.trim().to_owned(), entity as u32);
        AnswerString { text, entity, sentence: None, start: None, line, column }
    };
    let entity_names = entities.names.into_iter().map(of_entity).collect();
    let mut names = Vec::new();
    let mut strings: Vec<(usize, AnswerString)> = Vec::new();
    for (entity, (name, mentions)) in (0u32..).zip(entities.all) {
        names.push(name);
        for mention in mentions {
            let Some(text) = mention_text(mention).filter(|_| !mention.cut) else { continue };
            let number = |fields: &[&str]| mention.field(fields).and_then(Node::number);
            let (line, column) = places.at(mention.at);
            strings.push((
                mention.at,
                AnswerString {
                    text: text.trim().to_owned(),
                    entity,
                    sentence: number(&SENTENCE),
                    start: number(&[
                        "start", "begin", "start_char", "char_start", "start_offset", "startoffset",
                        "offset", "from",
                    ]),
                    line,
                    column,
                },
            ));
        }
    }
    strings.sort_by_key(|string| string.0);
    let mentions = strings.into_iter().map(|string| string.1).collect();
    let body = AnswerBody::Strings { mentions, names: entity_names };
    let doubts = entities.doubts;
    Some(AnswerContent { notation: Notation::Strings, entities: names, body, odd, repeated, used, doubts })
}

/// A text in an answer, with the bounds of the units that its offsets count.
struct OwnText {
    text: String,
    /// The start and end of each word or character.
    bounds: Vec<(u32, u32)>,
    /// The first unit of each sentence, if numbers count within sentences.
    sentences: Vec<usize>,
    /// True if the units are words.
    of_words: bool,
}

impl OwnText {
    fn of_words<'w>(sentences: impl Iterator<Item = Vec<&'w str>>) -> OwnText {
        let text = String::new();
        let mut own = OwnText { text, bounds: Vec::new(), sentences: Vec::new(), of_words: true };
        for sentence in sentences {
            own.sentences.push(own.bounds.len());
            for word in sentence {
                if !own.text.is_empty() {
                    own.text.push(' ');
                }
                let start = own.text.len() as u32;
                own.text.push_str(word);
                own.bounds.push((start, own.text.len() as u32));
            }
        }
        own
    }

    fn of_characters(text: &str) -> OwnText {
        let ends = text.char_indices().map(|(start, c)| (start as u32, (start + c.len_utf8()) as u32));
        OwnText { bounds: ends.collect(), text: text.to_owned(), sentences: vec![0], of_words: false }
    }
}

/// A mention in the text that the answer contains.
struct OwnMention<'n> {
    /// Its start and end in the units of that text; `None` in a sentence that the text lacks.
    place: Option<(i64, i64)>,
    /// Its place in the file.
    at: usize,
    /// The string of the mention, if given.
    string: Option<&'n str>,
}

/// The entities of a text in an answer, and the elements that are neither entities nor mentions.
#[derive(Default)]
struct OwnEntities<'n> {
    all: Vec<(String, Vec<OwnMention<'n>>)>,
    odd: Vec<usize>,
}

impl<'n> OwnEntities<'n> {
    /// Adds an entity: a list whose items are mentions. Drops items that the end of the file cuts off.
    fn add(
        &mut self,
        name: String,
        node: &'n Node,
        mention: impl Fn(usize, &'n Node) -> Option<OwnMention<'n>>,
    ) {
        let Some(items) = node.list() else {
            self.odd.extend((!node.cut).then_some(node.at));
            return;
        };
        let mut mentions = Vec::new();
        for (number, item) in items.iter().enumerate() {
            match mention(number, item) {
                Some(mention) => mentions.push(mention),
                None => self.odd.extend((!item.cut).then_some(item.at)),
            }
        }
        self.all.push((name, mentions));
    }

    /// Returns these entities, or `None` if they have no mentions and elements of another kind occur.
    fn known(self) -> Option<OwnEntities<'n>> {
        let any = self.all.iter().any(|entity| !entity.1.is_empty());
        (any || self.odd.is_empty()).then_some(self)
    }
}

/// The fields that hold the strings of mentions whose places are in another field.
const STRINGS: [&str; 4] =
    ["clusters_text_mentions", "clusters_strings", "clusters_token_text", "clusters_char_text"];

/// Reads texts with places in them, as libraries write them.
fn own_text(node: &Node, places: &AnswerLines) -> Option<AnswerContent> {
    let words = |node: &'_ Node| -> Option<Vec<String>> {
        node.list()?.iter().map(|word| word.text().map(str::to_owned)).collect()
    };
    let words_of = |names: &[&str]| -> Option<OwnText> {
        let all = words(node.field(names)?)?;
        Some(OwnText::of_words(std::iter::once(all.iter().map(String::as_str).collect())))
    };
    // Numbers of words in the document, with inclusive ends.
    if let (Some(own), Some(clusters)) =
        (words_of(&["tokens", "document", "words"]), node.field(&["clusters_token_offsets", "clusters"]))
        && let Some(spans) = spans(clusters, node.field(&STRINGS))
    {
        return own_found(&own, spans, true, places);
    }
    if let Some(text) = node.field(&["text"]).and_then(Node::text) {
        let own = OwnText::of_characters(text);
        let strings = node.field(&STRINGS);
        if let Some(spans) =
            node.field(&["clusters_char_offsets"]).and_then(|clusters| spans(clusters, strings))
        {
            return own_found(&own, spans, true, places);
        }
        if let Some(spans) = node.field(&["clusters"]).and_then(|clusters| spans(clusters, strings)) {
            return own_found(&own, spans, false, places);
        }
        // One field for each entity.
        if let Some(fields) = node.field(&["spans"]).and_then(Node::map) {
            let fields = fields.iter().filter(|(name, _)| name.starts_with("coref_clusters"));
            let mut entities = OwnEntities::default();
            for (name, mentions) in fields {
                entities.add(name.clone(), mentions, |_, mention| {
                    let number = |field: &str| mention.field(&[field]).and_then(Node::number);
                    let place = Some((number("start")?, number("end")?));
                    Some(OwnMention { place, at: mention.at, string: mention_text(mention) })
                });
            }
            if !entities.all.is_empty() {
                return own_found(&own, entities, false, places);
            }
        }
    }
    of_sentences(node, places)
}

/// Reads places that give a sentence and words within it: ELIT and CoreNLP.
fn of_sentences(node: &Node, places: &AnswerLines) -> Option<AnswerContent> {
    let sentences = node.field(&["sens", "sentences"])?.list()?;
    let mut all: Vec<Vec<&str>> = Vec::new();
    for sentence in sentences {
        let tokens = sentence.field(&["tok", "tokens"])?.list()?;
        let words: Option<Vec<&str>> = tokens
            .iter()
            .map(|token| token.text().or_else(|| token.field(&["word", "originalText", "text"])?.text()))
            .collect();
        all.push(words?);
    }
    let own = OwnText::of_words(all.into_iter());
    let mut entities = OwnEntities::default();
    let absolute = |sentence: i64, [from, to]: [i64; 2]| -> Option<(i64, i64)> {
        let first = *own.sentences.get(usize::try_from(sentence).ok()?)? as i64;
        Some((first.checked_add(from)?, first.checked_add(to)?))
    };
    if let Some(clusters) = node.field(&["coref"]).and_then(Node::list) {
        for (place, cluster) in clusters.iter().enumerate() {
            entities.add(place.to_string(), cluster, |_, mention| {
                let items = mention.list()?;
                let numbers: Vec<i64> = items.iter().filter_map(Node::number).collect();
                let [sentence, from, to, ..] = numbers[..] else { return None };
                let string = items.get(3).and_then(Node::text);
                Some(OwnMention { place: absolute(sentence, [from, to]), at: mention.at, string })
            });
        }
    } else {
        for (name, chain) in node.field(&["corefs"])?.map()? {
            entities.add(name.clone(), chain, |_, mention| {
                // The numbers count from 1.
                let number = |field: &str| Some(mention.field(&[field])?.number()?.saturating_sub(1));
                let words = [number("startIndex")?, number("endIndex")?];
                let place = absolute(number("sentNum")?, words);
                Some(OwnMention { place, at: mention.at, string: mention_text(mention) })
            });
        }
    }
    own_found(&own, entities, false, places)
}

/// Reads lists of pairs of numbers, with their strings if given. Drops a truncated span.
fn spans<'n>(clusters: &'n Node, strings: Option<&'n Node>) -> Option<OwnEntities<'n>> {
    let mut entities = OwnEntities::default();
    for (place, cluster) in clusters.list()?.iter().enumerate() {
        let strings = strings.and_then(|strings| strings.list()?.get(place)?.list());
        entities.add(place.to_string(), cluster, |number, mention| {
            let numbers: Option<Vec<i64>> = mention.list()?.iter().map(Node::number).collect();
            let [from, to] = numbers?[..] else { return None };
            let string = strings.and_then(|strings| strings.get(number)?.text());
            Some(OwnMention { place: Some((from, to)), at: mention.at, string })
        });
    }
    entities.known()
}

/// Returns the marks of mentions in a text in the answer. The strings of the mentions, if any, determine whether ends
/// are inclusive.
fn own_found(
    own: &OwnText,
    entities: OwnEntities<'_>,
    inclusive: bool,
    places: &AnswerLines,
) -> Option<AnswerContent> {
    let text_of = |from: i64, to: i64| -> Option<&str> {
        let first = own.bounds.get(usize::try_from(from).ok()?)?;
        let last = own.bounds.get(usize::try_from(to.checked_sub(1)?).ok()?)?;
        own.text.get(first.0 as usize..last.1 as usize)
    };
    let fits = |inclusive: bool| {
        let mentions = entities.all.iter().flat_map(|entity| &entity.1);
        let fits = mentions.filter(|mention| {
            let Some((from, to)) = mention.place else { return false };
            let to = to.saturating_add(i64::from(inclusive));
            mention.string.is_some() && text_of(from, to) == mention.string
        });
        fits.count()
    };
    let inclusive = match (fits(true), fits(false)) {
        (with, without) if with != without => with > without,
        _ => inclusive,
    };
    let mut text = MarkedText {
        text: own.text.clone(),
        blocks: vec![0],
        whole_words: own.of_words,
        ..MarkedText::default()
    };
    let bare = |text: &str| text.split_whitespace().collect::<String>();
    let doubt = |at: usize, message: String| {
        let (start, end) = (at as u32, at as u32);
        Doubt { start, end, finding: Some((Code::OffsetWrong, message)) }
    };
    let mut names = Vec::new();
    for (entity, (name, mentions)) in (0u32..).zip(entities.all) {
        names.push(name);
        for mention in mentions {
            let (line, column) = places.at(mention.at);
            let bound = |place: i64| own.bounds.get(usize::try_from(place).ok()?);
            let bounds = mention.place.and_then(|(from, to)| {
                let last = to.checked_sub(i64::from(!inclusive))?;
                Some((bound(from)?.0, bound(last)?.1))
            });
            match bounds {
                Some((start, end)) if start < end => {
                    text.marks.push(Mark { start, end, zeros: None, entity, line, column });
                    let words = &own.text[start as usize..end as usize];
                    if let Some(string) = mention.string.filter(|string| bare(string) != bare(words)) {
                        let message =
                            format!("`{words}` is at this place, but the string next to it is `{string}`");
                        text.doubts.push(doubt(mention.at, message));
                    }
                }
                _ => {
                    let place = match mention.place {
                        Some((from, to)) => format!("place [{from}, {to}]"),
                        None => "such sentence".to_owned(),
                    };
                    let message = format!("the text has no {place}: the mention was dropped");
                    text.doubts.push(doubt(mention.at, message));
                }
            }
        }
    }
    let body = AnswerBody::Text(text);
    Some(AnswerContent {
        notation: Notation::OwnText,
        entities: names,
        body,
        odd: entities.odd,
        repeated: Vec::new(),
        used: Vec::new(),
        doubts: Vec::new(),
    })
}
