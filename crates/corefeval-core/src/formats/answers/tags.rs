//! Reads marks in tags as in XML. The text need not be XML: elements whose end tags name their entity may cross.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::scan::{Parsed, RawOutline, is_numbered, number_end};
use super::structure::{self, ENTITY, Element, MENTIONS};
use crate::diagnostic::Code;
use crate::model::Notation;

/// A tag in the text.
#[derive(Debug)]
struct Tag<'r> {
    name: String,
    range: Range<usize>,
    kind: TagKind<'r>,
}

#[derive(Debug)]
enum TagKind<'r> {
    /// A start tag with its attributes.
    Start(Vec<Attribute<'r>>),
    /// An end tag with the id after it, as in `</m>#1`, and its attributes, which occur only in answers.
    End(Option<&'r str>, Vec<Attribute<'r>>),
    /// A start and end tag in one (`<m/>`), with its attributes.
    Alone(Vec<Attribute<'r>>),
}

/// An attribute of a tag.
#[derive(Debug)]
struct Attribute<'r> {
    /// The name in lower case.
    name: String,
    value: AttributeValue<'r>,
}

#[derive(Clone, Copy, Debug)]
enum AttributeValue<'r> {
    Quoted(&'r str),
    /// A value that lacks quotes, or one quote.
    Bare(&'r str),
    /// The name as spelled, if it has no value.
    Absent(&'r str),
}

/// The opening and the closing quotes around values.
const QUOTES: [(&[char], &[char]); 3] = [
    (&['"'], &['"', '”', '“']),
    (&['\'', '‘', '’', '‚'], &['\'', '’', '‘']),
    (&['“', '”', '„'], &['”', '“', '"']),
];

/// An element whose end tag has not been read.
struct OpenElement {
    name: String,
    entity: Option<String>,
    /// The starts of its tag and of its words.
    at: usize,
    content: usize,
}

impl OpenElement {
    /// Returns the complete element under this name.
    fn ended(&self, name: String, end: usize, mark: Option<usize>) -> Element {
        Element { name, at: self.at, content: self.content, end, mark }
    }
}

/// Finds the tags, and the place of a tag that the end of the text cuts off. Replaces character references.
fn tags_in<'r>(raw: &'r str, outline: &RawOutline, parsed: &mut Parsed) -> (Vec<Tag<'r>>, Option<usize>) {
    let mut tags = Vec::new();
    let mut cut = None;
    let mut at = 0;
    while let Some(next) = raw[at..].find(['<', '&']).map(|next| at + next) {
        at = match outline.removed_at(next) {
            Some(end) => end,
            None if raw.as_bytes()[next] == b'&' => reference(raw, next, parsed),
            None => match tag(raw, next) {
                Some(tag) => {
                    let end = tag.range.end;
                    tags.push(tag);
                    end
                }
                None => match declaration(raw, next) {
                    Some(end) => {
                        parsed.doubts.push((next..end, None));
                        end
                    }
                    None if is_cut_tag(&raw[next..]) => {
                        cut = Some(next);
                        raw.len()
                    }
                    None => next + 1,
                },
            },
        };
    }
    (tags, cut)
}

/// Finds the marks. All notations of the family are read together; `notation` selects the notations that are used.
pub(super) fn parse(raw: &str, outline: &RawOutline, notation: Notation) -> Parsed {
    let mut parsed = Parsed { notation, ..Parsed::default() };
    let (tags, cut) = tags_in(raw, outline, &mut parsed);
    // A bare `<` at the end of a text without tags is text.
    if let Some(start) = cut.filter(|_| !tags.is_empty()) {
        parsed.leave_out(start..raw.len());
        let message = "the answer ends within a tag".to_owned();
        parsed.fault(start, Code::UnclosedMention, message);
    }
    let mut marks = Marks::new(raw, &tags, parsed);
    for (place, tag) in tags.iter().enumerate() {
        if marks.give_id(place) {
            continue;
        }
        // Text may follow an end tag: `</m>#boat`.
        let end = match tag.kind {
            TagKind::End(Some(id), _) => tag.range.end - id.len() - 1,
            _ => tag.range.end,
        };
        marks.parsed.leave_out(tag.range.start..end);
        match &tag.kind {
            TagKind::Alone(attributes) => marks.alone(tag, attributes),
            TagKind::Start(attributes) => marks.start(tag, attributes),
            TagKind::End(Some(id), _) if tag.name == "z" => marks.zero(tag, end, id),
            TagKind::End(after, attributes) => marks.end(place, end, *after, attributes),
        }
    }
    marks.finish()
}

/// The notations of the family. Marks are counted by their places in this list.
const NOTATIONS: [Notation; 4] =
    [Notation::Attribute, Notation::Element, Notation::Seq2seq, Notation::CorefInst];

/// The places in [`NOTATIONS`].
const ATTRIBUTE: usize = 0;
const ELEMENT: usize = 1;
const SEQ2SEQ: usize = 2;
const COREF_INST: usize = 3;

/// The marks of a text, tag by tag.
struct Marks<'r> {
    raw: &'r str,
    tags: &'r [Tag<'r>],
    /// The names of start tags, and those of end tags.
    starts: BTreeSet<&'r str>,
    ends: BTreeSet<&'r str>,
    /// The letters before the number in names of elements that are ids themselves.
    kinds: BTreeSet<String>,
    entities: EntityRules,
    parsed: Parsed,
    /// The elements that have not ended.
    opens: Vec<OpenElement>,
    /// The elements that have ended.
    elements: Vec<Element>,
    /// The notation of each mark.
    notations: Vec<usize>,
    /// A mention that has ended and waits for the id after it.
    pending: Option<(OpenElement, usize)>,
}

/// Returns the letters before the number in the name of an element.
fn letters(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit())
}

impl<'r> Marks<'r> {
    fn new(raw: &'r str, tags: &'r [Tag<'r>], parsed: Parsed) -> Marks<'r> {
        let starts = tags.iter().filter(|tag| matches!(tag.kind, TagKind::Start(_)));
        let ends = tags.iter().filter(|tag| matches!(tag.kind, TagKind::End(..)));
        let mut marks = Marks {
            raw,
            tags,
            starts: starts.map(|tag| tag.name.as_str()).collect(),
            ends: ends.map(|tag| tag.name.as_str()).collect(),
            kinds: BTreeSet::new(),
            entities: EntityRules::of(tags),
            parsed,
            opens: Vec::new(),
            elements: Vec::new(),
            notations: Vec::new(),
            pending: None,
        };
        let names = marks.starts.iter().filter(|name| marks.is_entity(name));
        marks.kinds = names.map(|name| letters(name).to_owned()).collect();
        marks
    }

    /// Returns whether the name of an element is the id of an entity.
    fn is_entity(&self, name: &str) -> bool {
        name.ends_with(|c: char| c.is_ascii_digit()) && self.starts.contains(name) && self.ends.contains(name)
    }

    /// Adds a mark in a notation, and its element.
    fn mark(&mut self, open: &OpenElement, name: String, end: usize, entity: &str, notation: usize) {
        self.elements.push(open.ended(name, end, Some(self.parsed.marks.len())));
        self.parsed.mark(open.content, end, entity, open.at);
        self.notations.push(notation);
    }

    /// Ends the mention that waits for an id. Returns whether the tag at `place` is its id.
    fn give_id(&mut self, place: usize) -> bool {
        let Some((open, end)) = self.pending.take() else { return false };
        let tag = &self.tags[place];
        let before = self.end_before(place);
        let adjacent = self.raw.get(before..tag.range.start).is_some_and(|gap| gap.trim().is_empty());
        let id = adjacent.then(|| cluster(&tag.name)).flatten();
        let is_start = matches!(tag.kind, TagKind::Start(_));
        if let Some(id) = id.filter(|_| is_start && !self.is_entity(&tag.name)) {
            self.parsed.leave_out(tag.range.clone());
            self.mark(&open, open.name.clone(), end, id, SEQ2SEQ);
            return true;
        }
        self.end_without_id(&open, end);
        false
    }

    /// Ends an element that has no id.
    fn end_without_id(&mut self, open: &OpenElement, end: usize) {
        if !self.entities.without_id(open, &mut self.parsed) {
            self.elements.push(open.ended(open.name.clone(), end, None));
        }
    }

    /// Returns the end of the tag before the one at `place`.
    fn end_before(&self, place: usize) -> usize {
        place.checked_sub(1).map_or(0, |before| self.tags[before].range.end)
    }

    /// Takes a tag that is both start and end.
    fn alone(&mut self, tag: &Tag<'_>, attributes: &[Attribute<'_>]) {
        let is_mention = self.starts.contains(tag.name.as_str()) || MENTIONS.contains(&tag.name.as_str());
        if is_mention && (self.is_entity(&tag.name) || self.entities.named(&tag.name, attributes).is_some()) {
            let message = format!("`<{}/>` is a mention without words", tag.name);
            self.parsed.fault(tag.range.start, Code::EmptySpan, message);
        }
    }

    /// Takes a start tag.
    fn start(&mut self, tag: &Tag<'_>, attributes: &[Attribute<'_>]) {
        let entity = match self.is_entity(&tag.name) {
            true => Some(tag.name.clone()),
            false => self.entities.named(&tag.name, attributes).map(|value| value.text().to_owned()),
        };
        let (at, content) = (tag.range.start, tag.range.end);
        let kind = letters(&tag.name);
        let is_of_kind = kind.len() < tag.name.len() && (self.kinds.contains(kind) || kind == "e");
        if entity.is_none() && is_of_kind && !self.ends.contains(tag.name.as_str()) {
            let message = format!("`<{}>` opens a mention and never closes", tag.name);
            self.parsed.fault(at, Code::UnclosedMention, message);
        } else if entity.is_none() && attributes.iter().any(Attribute::is_odd) {
            let message = format!("`{}` names no entity", &self.raw[tag.range.clone()]);
            self.parsed.fault(at, Code::BadTag, message);
        }
        self.opens.push(OpenElement { name: tag.name.clone(), entity, at, content });
    }

    /// Takes the end tag of a zero, which names its entity.
    fn zero(&mut self, tag: &Tag<'_>, end: usize, id: &str) {
        self.parsed.leave_out(end..tag.range.end);
        self.parsed.zeros.push(tag.range.start);
        self.parsed.mark(tag.range.start, tag.range.end, id, tag.range.start);
        self.notations.push(COREF_INST);
    }

    /// Takes the end tag at `place`, which ends at `tag_end` and may have an id after it.
    fn end(&mut self, place: usize, tag_end: usize, after: Option<&str>, attributes: &[Attribute<'_>]) {
        let tag = &self.tags[place];
        let (name, id) = match self.starts.contains(tag.name.as_str()) {
            true => (tag.name.as_str(), None),
            // `</m1>` is the end of `<m>`.
            false => {
                let bare = letters(&tag.name);
                (bare, Some(&tag.name[bare.len()..]).filter(|id| !id.is_empty()))
            }
        };
        let label = label(self.raw, self.end_before(place), tag.range.start);
        let label = label.filter(|_| !self.id_follows(place));
        let open = self.take_open(name, attributes);
        let names_itself = |open: &OpenElement| open.entity.is_some() || id.is_some();
        let is_label = |after: &str| {
            let number = after.bytes().all(|byte| byte.is_ascii_digit());
            label.is_some() && (self.parsed.notation == Notation::Seq2seq || !number)
        };
        let after =
            after.filter(|after| !open.as_ref().is_some_and(|open| names_itself(open) || is_label(after)));
        if after.is_some() {
            self.parsed.leave_out(tag_end..tag.range.end);
        }
        let Some(open) = open else {
            if after.is_some() || id.is_some() || label.is_some() || self.may_be_mention(tag, name) {
                let message = format!("`</{}>` closes a mention that never opens", tag.name);
                self.parsed.fault(tag.range.start, Code::UnopenedMention, message);
            }
            return;
        };
        let mut end = tag.range.start;
        let named = match (&open.entity, after, id, &label) {
            (Some(entity), ..) => {
                Some((entity.clone(), if self.is_entity(&tag.name) { ELEMENT } else { ATTRIBUTE }))
            }
            (_, Some(id), ..) => Some((id.to_owned(), COREF_INST)),
            (_, _, Some(id), _) => Some((id.to_owned(), SEQ2SEQ)),
            (.., Some((from, id))) => {
                self.parsed.leave_out(*from..tag.range.start);
                end = *from;
                Some(((*id).to_owned(), SEQ2SEQ))
            }
            _ => None,
        };
        match named {
            Some((entity, notation)) => {
                let name = if self.is_entity(&open.name) { letters(&open.name) } else { &open.name };
                self.mark(&open, name.to_owned(), end, &entity, notation);
            }
            None => self.pending = Some((open, end)),
        }
    }

    /// Returns whether an id follows the end tag at `place`, as in `</m> <c1>`. Bars before the end tag are then text.
    fn id_follows(&self, place: usize) -> bool {
        self.tags.get(place + 1).is_some_and(|next| {
            let gap = &self.raw[self.tags[place].range.end..next.range.start];
            let is_start = matches!(next.kind, TagKind::Start(_)) && !self.is_entity(&next.name);
            is_start && gap.trim().is_empty() && cluster(&next.name).is_some()
        })
    }

    /// Removes and returns the element that an end tag ends: the last of its name and entity, otherwise the last of its name.
    fn take_open(&mut self, name: &str, attributes: &[Attribute<'_>]) -> Option<OpenElement> {
        let named = self.entities.named(name, attributes).map(AttributeValue::text);
        let opens = &mut self.opens;
        let place = opens
            .iter()
            .rposition(|open| open.name == name && named.is_some() && open.entity.as_deref() == named)
            .or_else(|| opens.iter().rposition(|open| open.name == name))?;
        Some(opens.remove(place))
    }

    /// Returns whether an end tag without a start tag may belong to a mention.
    fn may_be_mention(&self, tag: &Tag<'_>, name: &str) -> bool {
        MENTIONS.contains(&name)
            || ENTITY.contains(&name)
            || self.entities.naming.contains(name)
            || tag.name.ends_with(|c: char| c.is_ascii_digit())
    }

    /// Returns the marks, with the notation of most of them.
    fn finish(mut self) -> Parsed {
        if let Some((open, end)) = self.pending.take() {
            self.end_without_id(&open, end);
        }
        self.entities.report_doubtful(self.tags, &mut self.parsed);
        for open in &self.opens {
            if open.entity.is_some() || MENTIONS.contains(&open.name.as_str()) {
                let message = format!("`<{}>` opens a mention but never closes", open.name);
                self.parsed.fault(open.at, Code::UnclosedMention, message);
            }
        }
        self.kinds.extend(["e"].iter().chain(&ENTITY).map(|&name| name.to_owned()));
        let skipped = structure::check(self.raw, &self.elements, &self.kinds, &mut self.parsed);
        let mut parsed = std::mem::take(&mut self.parsed);
        let is_entity = |name: &str| self.is_entity(name);
        self.entities.report_other_attributes(self.raw, self.tags, is_entity, &mut parsed);
        let mut counts = [0usize; NOTATIONS.len()];
        for (mark, &notation) in self.notations.iter().enumerate() {
            counts[notation] += usize::from(!skipped.contains(&mark));
        }
        // Without the other notations, the family is at least as complete.
        let most = (0..NOTATIONS.len()).max_by_key(|&place| (counts[place], std::cmp::Reverse(place)));
        parsed.notation = NOTATIONS[most.unwrap_or(0)];
        parsed.sorted()
    }
}

/// Returns the end of an XML declaration or comment, which is skipped unless the key contains it.
fn declaration(raw: &str, at: usize) -> Option<usize> {
    const ENDS: [(&str, &str); 3] = [("<!--", "-->"), ("<?xml", "?>"), ("<!doctype", ">")];
    let (_, end) = ENDS.iter().find(|(start, _)| {
        raw.get(at..at + start.len()).is_some_and(|found| found.eq_ignore_ascii_case(start))
    })?;
    let end = raw[at..].find(end).map(|length| at + length + end.len())?;
    // Comment delimiters around tags may be text.
    (!raw[at + 1..end].contains('<')).then_some(end)
}

/// Returns whether a text starts like a tag, but ends on the same line before the tag is complete.
fn is_cut_tag(text: &str) -> bool {
    let name = text.trim_start_matches(['<', '/']);
    let begins = name.starts_with(|c: char| c.is_alphabetic()) || text.trim_end() == "</";
    begins && !text.trim_end().contains(['>', '\n'])
}

impl<'r> AttributeValue<'r> {
    /// Returns the value without surrounding spaces.
    fn text(self) -> &'r str {
        let (AttributeValue::Quoted(text) | AttributeValue::Bare(text) | AttributeValue::Absent(text)) = self;
        text.trim()
    }
}

/// The rules for how the elements of an answer name entities.
struct EntityRules {
    /// The elements that name an entity.
    naming: BTreeSet<String>,
    /// True if `id` names entities although another attribute could. In this case, ids repeat, which ids of mentions
    /// never do, and the other attribute holds types.
    by_id: bool,
}

impl EntityRules {
    fn of(tags: &[Tag<'_>]) -> EntityRules {
        let mut entities = EntityRules { naming: BTreeSet::new(), by_id: false };
        let mut others: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let (mut elements, mut types) = (0, BTreeSet::new());
        for tag in tags {
            let TagKind::Start(attributes) = &tag.kind else { continue };
            if let Some(other) = entities.named(&tag.name, attributes) {
                entities.naming.insert(tag.name.clone());
                if let Some(id) =
                    attribute(attributes, "id").filter(|_| attribute_of_entity(attributes).is_some())
                {
                    elements += 1;
                    types.insert(other.text());
                    others.entry(id.text()).or_default().insert(other.text());
                }
            }
        }
        let refines = others.values().all(|others| others.len() == 1) && types.len() < others.len();
        entities.by_id = refines && others.len() < elements;
        entities
    }

    /// Returns the attribute that names the entity of an element, without `_id`, and its value.
    fn deciding<'r>(&self, attributes: &[Attribute<'r>]) -> Option<(&'static str, AttributeValue<'r>)> {
        let id = || Some(("id", attribute(attributes, "id")?));
        match self.by_id {
            true => id().or_else(|| attribute_of_entity(attributes)),
            false => attribute_of_entity(attributes).or_else(id),
        }
    }

    /// Returns the entity that the attributes of an element name.
    fn named<'r>(&self, element: &str, attributes: &[Attribute<'r>]) -> Option<AttributeValue<'r>> {
        let named = self.deciding(attributes).map(|deciding| deciding.1);
        // `<m 1>`, `<entity 1>`.
        let alone = || match attributes {
            [Attribute { value: value @ AttributeValue::Absent(text), .. }]
                if text.contains(|c: char| c.is_ascii_digit())
                    && (MENTIONS.contains(&element) || ENTITY.contains(&element)) =>
            {
                Some(*value)
            }
            _ => None,
        };
        named.or_else(alone)
    }

    /// Reports an element that does not name an entity, if it is a mention. Returns whether it is.
    fn without_id(&self, open: &OpenElement, parsed: &mut Parsed) -> bool {
        let is_mention = MENTIONS.contains(&open.name.as_str()) || self.naming.contains(&open.name);
        if is_mention {
            parsed.fault(open.at, Code::EmptyId, "a mention has no id".to_owned());
        }
        is_mention
    }

    /// Reports mentions whose entity is in a different attribute from that of most mentions. `<m id="m5">` next to
    /// `<m id="m4" entity="e4">` is a mention without an entity, and `<m id="1" coref="true">` next to `<m id="1">` may
    /// be a mention of entity 1. `is_entity` accepts names of elements that are ids themselves.
    fn report_other_attributes(
        &self,
        raw: &str,
        tags: &[Tag<'_>],
        is_entity: impl Fn(&str) -> bool,
        parsed: &mut Parsed,
    ) {
        let marks: BTreeSet<usize> = parsed.marks.iter().map(|mark| mark.at).collect();
        let deciding: Vec<(&Tag<'_>, &str)> = tags
            .iter()
            .filter(|tag| marks.contains(&tag.range.start) && !is_entity(&tag.name))
            .filter_map(|tag| match &tag.kind {
                TagKind::Start(attributes) => Some((tag, self.deciding(attributes)?.0)),
                _ => None,
            })
            .collect();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, name) in &deciding {
            *counts.entry(name).or_default() += 1;
        }
        // In a tie, an attribute other than `id` wins, because its name is more specific.
        let most = counts.iter().max_by_key(|(name, count)| (**count, **name != "id"));
        let Some(most) = most.map(|most| *most.0) else { return };
        for (tag, name) in deciding.into_iter().filter(|(_, name)| *name != most) {
            let message = format!(
                "the entity of `{}` was read from `{name}`, and that of most mentions from `{most}`",
                &raw[tag.range.clone()]
            );
            parsed.findings.push((tag.range.start, Code::BadTag, message));
        }
    }

    /// Reports unquoted ids of several words if the first word is also an id (`<m id=1 new>` next to `<m id=1>`), and
    /// numbers after an id (`<m id="entity" 1>`).
    fn report_doubtful(&self, tags: &[Tag<'_>], parsed: &mut Parsed) {
        let ids = tags.iter().filter_map(|tag| match &tag.kind {
            TagKind::Start(attributes) => Some((tag, attributes, self.named(&tag.name, attributes)?)),
            _ => None,
        });
        let ids: Vec<(&Tag<'_>, &Vec<Attribute<'_>>, AttributeValue<'_>)> = ids.collect();
        let known: BTreeSet<&str> = ids.iter().map(|id| id.2.text()).collect();
        let has_values = ids.iter().any(|id| !matches!(id.2, AttributeValue::Absent(_)));
        for (tag, attributes, value) in &ids {
            let id = value.text();
            let mut starts = id.match_indices(char::is_whitespace).map(|(end, _)| id[..end].trim_end());
            let shorter = match value {
                AttributeValue::Bare(_) => starts.find(|start| known.contains(start)),
                _ => None,
            };
            let is_part = |text: &str| text.contains(|c: char| c.is_ascii_digit() || is_quote(c));
            let mut other = attributes.iter().filter_map(|attribute| match attribute.value {
                AttributeValue::Absent(text) if is_part(text) => Some(text),
                _ => None,
            });
            let message = match (shorter, other.next()) {
                (Some(shorter), _) => {
                    format!(
                        "`{id}` was read as an id, and `{shorter}` as another one: ids of several words need quotes"
                    )
                }
                (None, Some(text)) if !matches!(value, AttributeValue::Absent(_)) => {
                    format!("`{text}` may be a part of the id, which was read as `{id}`")
                }
                _ if matches!(value, AttributeValue::Absent(_)) && (has_values || id.contains(is_quote)) => {
                    format!("`{id}` was read as an id, and has no `=` before it")
                }
                _ if matches!(value, AttributeValue::Bare(_)) && has_inner_quote(id) => {
                    format!("`{id}` was read as an id, and has a quote")
                }
                _ => continue,
            };
            parsed.fault(tag.range.start, Code::BadTag, message);
        }
    }
}

/// Returns whether a text contains a quote that is not an apostrophe between letters.
fn has_inner_quote(text: &str) -> bool {
    text.match_indices(is_quote).any(|(place, quote)| {
        let (before, after) = (&text[..place], &text[place + quote.len()..]);
        !(before.ends_with(char::is_alphabetic) && after.starts_with(char::is_alphabetic))
    })
}

impl Attribute<'_> {
    /// Returns whether the attribute may be an id that lacks its `=` or a space: `id"1"`, `(id="1"`.
    fn is_odd(&self) -> bool {
        let is_sign = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':'));
        let names = || ENTITY.iter().any(|name| self.name.starts_with(name));
        self.name.contains(is_sign) || matches!(self.value, AttributeValue::Absent(_)) && names()
    }
}

/// Returns whether a value may be quoted with this character.
fn is_quote(c: char) -> bool {
    QUOTES.iter().any(|(open, close)| open.contains(&c) || close.contains(&c))
}

/// Returns the value of the attribute `wanted`, whose name may end in `_id`.
fn attribute<'r>(attributes: &[Attribute<'r>], wanted: &str) -> Option<AttributeValue<'r>> {
    let is_wanted =
        |name: &str| name.strip_prefix(wanted).is_some_and(|rest| matches!(rest, "" | "_id" | "-id" | "id"));
    let mut values =
        attributes.iter().filter(|attribute| is_wanted(&attribute.name)).map(|found| found.value);
    values.find(|value| !matches!(value, AttributeValue::Absent(_)) && !value.text().is_empty())
}

/// Returns the first attribute other than `id` that names an entity, and its value.
fn attribute_of_entity<'r>(attributes: &[Attribute<'r>]) -> Option<(&'static str, AttributeValue<'r>)> {
    let names = ENTITY.iter().filter(|name| **name != "id");
    names.copied().find_map(|wanted| Some((wanted, attribute(attributes, wanted)?)))
}

/// Returns the id of `<c1>`.
fn cluster(name: &str) -> Option<&str> {
    let digits = name.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    (digits.len() < name.len() && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
        .then_some(digits)
}

/// Returns the id before an end tag, as in `her | 1 </m>`, and the place where the text before its bar ends.
fn label(raw: &str, before: usize, end: usize) -> Option<(usize, &str)> {
    let text = raw.get(before..end)?;
    let bar = text.rfind('|')?;
    let id = text[bar + 1..].trim();
    // A bar within a word is text.
    let apart = text[..bar].is_empty() || text[..bar].ends_with(char::is_whitespace);
    let is_id = |id: &str| !id.is_empty() && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let valid = apart && (is_id(id) || is_numbered(id));
    valid.then(|| (before + text[..bar].trim_end().len(), id))
}

/// Reads the tag at a place.
fn tag(raw: &str, at: usize) -> Option<Tag<'_>> {
    let bytes = raw.as_bytes();
    let is_end = bytes.get(at + 1) == Some(&b'/');
    let start = at + 1 + usize::from(is_end);
    let name_end =
        start + raw[start..].find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':')))?;
    let name = raw[start..name_end].to_lowercase();
    if !name.starts_with(|c: char| c.is_alphabetic()) {
        return None;
    }
    let mut place = name_end;
    let skip = |place: usize| place + (raw[place..].len() - raw[place..].trim_start().len());
    let mut attributes: Vec<Attribute<'_>> = Vec::new();
    loop {
        place = skip(place);
        match bytes.get(place)? {
            b'>' => break,
            b'/' if bytes.get(place + 1) == Some(&b'>') && !is_end => {
                return Some(Tag { name, range: at..place + 2, kind: TagKind::Alone(attributes) });
            }
            _ => {}
        }
        let end =
            place + raw[place..].find(|c: char| c.is_whitespace() || matches!(c, '=' | '>' | '<' | '/'))?;
        let spelled = &raw[place..end];
        if spelled.is_empty() {
            return None;
        }
        place = skip(end);
        if bytes.get(place) != Some(&b'=') {
            // `<m id:1>`, `<m #1>`.
            let (name, value) = match spelled.split_once(':') {
                Some((name, value)) => (name, AttributeValue::Bare(value)),
                None => (spelled, AttributeValue::Absent(spelled.trim_start_matches('#'))),
            };
            attributes.push(Attribute { name: name.to_lowercase(), value });
            continue;
        }
        let (value, end) = value(raw, skip(place + 1))?;
        attributes.push(Attribute { name: spelled.to_lowercase(), value });
        place = end;
    }
    let end = place + 1;
    if !is_end {
        return Some(Tag { name, range: at..end, kind: TagKind::Start(attributes) });
    }
    let mut after = None;
    if matches!(bytes.get(end), Some(b'#' | b'@')) {
        let start = end + 1;
        let word = |at: usize| at + raw[at..].bytes().take_while(u8::is_ascii_alphanumeric).count();
        let mut last = word(start);
        while last > start && bytes.get(last) == Some(&b'_') && word(last + 1) > last + 1 {
            last = word(last + 1);
        }
        if last > start {
            after = Some(&raw[start..number_end(raw, start, last)]);
        }
    }
    let end = end + after.map_or(0, |id| 1 + id.len());
    Some(Tag { name, range: at..end, kind: TagKind::End(after, attributes) })
}

/// Reads the attribute value that starts at a place, and returns it with its end. A value without quotes, or without
/// its last quote, extends to the next `name=` or to the end of the tag.
fn value(raw: &str, place: usize) -> Option<(AttributeValue<'_>, usize)> {
    let rest = &raw[place..];
    let first = rest.chars().next()?;
    let quotes = QUOTES.iter().find(|(open, _)| open.contains(&first));
    let start = quotes.map_or(0, |_| first.len_utf8());
    let inner = &rest[start..];
    let tag_end = inner.find(['>', '<']).unwrap_or(inner.len());
    if let Some((_, close)) = quotes {
        // An apostrophe within a value is followed by a letter, but not by the next `name=`.
        let closes = |end: usize, quote: &str| {
            let after = &inner[end + quote.len()..];
            let rest = after.trim_start_matches(char::is_alphanumeric);
            !matches!(quote, "'" | "’" | "‘")
                || rest.len() == after.len()
                || rest.trim_start().starts_with('=')
        };
        let mut ends = inner.match_indices(*close).filter(|(end, quote)| closes(*end, quote));
        // A value may contain `>`, but not a tag or a line end.
        let end = ends.next().filter(|(end, quote)| {
            let after = inner[end + quote.len()..].chars().next();
            *end <= tag_end
                || !inner[..*end].contains(['<', '\n'])
                    && after.is_some_and(|c| c.is_whitespace() || matches!(c, '>' | '/'))
        });
        if let Some((end, quote)) = end {
            return Some((AttributeValue::Quoted(&inner[..end]), place + start + end + quote.len()));
        }
    }
    let text = &inner[..tag_end];
    let mut end = text.trim_end().strip_suffix('/').map_or(text.len(), str::len);
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
    for (equals, _) in text.match_indices('=') {
        let before = text[..equals].trim_end();
        let name = before.len() - before.trim_end_matches(is_name).len();
        let value = &before[..before.len() - name];
        if name > 0 && value.ends_with(char::is_whitespace) {
            end = end.min(value.len());
            break;
        }
    }
    let value = AttributeValue::Bare(text[..end].trim().trim_end_matches(is_quote));
    Some((value, place + start + end))
}

/// Replaces the character reference at a place. Returns the place after it.
fn reference(raw: &str, at: usize, parsed: &mut Parsed) -> usize {
    let rest = &raw.as_bytes()[at + 1..];
    let Some(length) = rest.iter().take(10).position(|&byte| byte == b';') else { return at + 1 };
    let name = &raw[at + 1..at + 1 + length];
    let character = match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some('\u{A0}'),
        // HTML characters that models use in running text.
        "lsquo" => Some('‘'),
        "rsquo" => Some('’'),
        "ldquo" => Some('“'),
        "rdquo" => Some('”'),
        "laquo" => Some('«'),
        "raquo" => Some('»'),
        "ndash" => Some('–'),
        "mdash" => Some('—'),
        "hellip" => Some('…'),
        _ => name.strip_prefix('#').and_then(|number| {
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok(),
                None => number.parse().ok(),
            };
            char::from_u32(code?)
        }),
    };
    match character {
        Some(character) => {
            parsed.edits.push((at..at + length + 2, character.to_string()));
            at + length + 2
        }
        None => at + 1,
    }
}
