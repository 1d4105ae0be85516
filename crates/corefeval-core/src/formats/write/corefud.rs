//! Writes `corefud`: CoNLL-U with the entities in the last column.
//!
//! At each word, brackets close before others open, and longer mentions open first. Only their order distinguishes the
//! brackets of one entity, so the writer drops mentions that would be read back as different mentions.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::fmt::Write as _;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::losses::Losses;
use super::renaming::{distinct, entity_names};
use super::{DocumentWriting, Outline, WholeWriter, Writer, text};
use crate::diagnostic::Position;
use crate::error::Result;
use crate::model::{Dependency, Document, ENTITY_TYPE, EntityId, Mention, Span, Words};

pub(in crate::formats) const WRITER: Writer = Writer::Whole(WholeWriter {
    look: |outline, document| {
        for mention in document.mentions() {
            outline.add_attributes(mention, ENTITY_TYPE);
        }
    },
    document: write_document,
    ..WholeWriter::PLAIN
});

/// The fields of an opening bracket, from the attributes of the corpus or from the header of a file.
pub(super) struct BracketFields(Vec<BracketField>);

enum BracketField {
    /// The id of the entity.
    Id,
    /// The type of the entity.
    Type,
    /// The number of the head within the mention.
    Head,
    /// An attribute: its name in the documents, and its name in the file.
    Attribute(String, String),
}

impl BracketFields {
    /// Returns the fields for all attributes of the corpus. An attribute whose values contain hyphens is last,
    /// because only the last field can contain hyphens.
    fn of(outline: &Outline) -> BracketFields {
        let mut attributes: Vec<&str> = outline.attributes.iter().map(String::as_str).collect();
        attributes.sort_by_key(|&name| Some(name) == outline.hyphens.as_deref());
        if attributes.is_empty() {
            attributes.push("other");
        }
        let reserved = ["eid", "GRP", "etype", "entity", "head"];
        let allowed = |c: char| c != '-' && !c.is_whitespace() && !c.is_control();
        let (names, _) = distinct(&attributes, |name| {
            if !name.is_empty() && name.chars().all(allowed) && !reserved.contains(&name) {
                return None;
            }
            let name: String = name.chars().map(|c| if allowed(c) { c } else { '_' }).collect();
            Some(if name.is_empty() || reserved.contains(&name.as_str()) { name + "_" } else { name })
        });
        let own = attributes.into_iter().map(str::to_owned).zip(names);
        let own = own.map(|(name, written)| BracketField::Attribute(name, written));
        BracketFields(
            [BracketField::Id, BracketField::Type, BracketField::Head].into_iter().chain(own).collect(),
        )
    }

    /// Parses the fields that a file names in its line `# global.Entity = eid-etype-head-other`.
    pub(super) fn named(names: &str) -> BracketFields {
        let names: Vec<&str> = names.trim().split('-').collect();
        let has_head = names.contains(&"head");
        let field = |name: &&str| match *name {
            "eid" | "GRP" => BracketField::Id,
            "etype" | "entity" => BracketField::Type,
            "head" => BracketField::Head,
            // The reader takes the head from this field if no other field holds it.
            "minspan" if !has_head => BracketField::Head,
            name => BracketField::Attribute(name.to_owned(), name.to_owned()),
        };
        BracketFields(names.iter().map(field).collect())
    }

    /// Returns the fields as a file names them.
    fn header(&self) -> String {
        let name = |field: &BracketField| match field {
            BracketField::Id => "eid".to_owned(),
            BracketField::Type => "etype".to_owned(),
            BracketField::Head => "head".to_owned(),
            BracketField::Attribute(_, written) => written.clone(),
        };
        self.0.iter().map(name).collect::<Vec<_>>().join("-")
    }

    /// Returns the position of the field for an attribute.
    fn attribute(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|field| match field {
            BracketField::Id | BracketField::Head => false,
            BracketField::Type => name == ENTITY_TYPE,
            BracketField::Attribute(own, _) => own == name,
        })
    }

    /// Returns the opening bracket of a later part of a mention.
    fn continuing(&self, id: &str) -> String {
        let before = self.0.iter().take_while(|field| !matches!(field, BracketField::Id)).count();
        format!("{}{id}", "-".repeat(before))
    }

    /// Returns the opening bracket of a mention.
    fn opening(&self, id: &str, mention: &Mention, losses: &mut Losses<'_>) -> String {
        let mut values = vec![Cow::Borrowed(""); self.0.len()];
        let number = mention.head().map(|head| head_number(mention, head));
        let head_place = self.0.iter().position(|field| matches!(field, BracketField::Head));
        for (name, value) in mention.attributes() {
            // The field of the head may hold several words (`2,3`). The first of them is the head.
            let is_list = matches!(name.as_str(), "head" | "minspan")
                && value.split_once(',').is_some_and(|(first, _)| first.parse().ok() == number.flatten());
            if let Some(place) = head_place.filter(|_| is_list && self.attribute(name).is_none()) {
                values[place] = Cow::Borrowed(value);
                continue;
            }
            let place = self.attribute(name);
            let last = place.is_some_and(|place| place + 1 == values.len());
            let supported = |c: char| !"()|".contains(c) && !c.is_control() && (last || c != '-');
            match place.filter(|&place| values[place].is_empty()) {
                Some(place) if !value.is_empty() && value.chars().all(supported) => {
                    values[place] = Cow::Borrowed(value);
                    if matches!(&self.0[place], BracketField::Attribute(own, written) if own != written) {
                        losses.renamed("names of attributes", 1);
                    }
                }
                _ => losses.lost_of("attributes of mentions", mention),
            }
        }
        for (field, value) in self.0.iter().zip(&mut values) {
            match field {
                BracketField::Id => *value = Cow::Borrowed(id),
                BracketField::Head if value.is_empty() => {
                    *value = Cow::Owned(number.flatten().unwrap_or(1).to_string());
                }
                BracketField::Head | BracketField::Type | BracketField::Attribute(..) => {}
            }
        }
        match number {
            None => losses.renamed("mentions without a head, written with the first word as head", 1),
            Some(None) => losses.lost_of("heads outside of their mentions", mention),
            Some(Some(1)) => {}
            Some(Some(_)) if head_place.is_some() => {}
            Some(Some(_)) => losses.lost_of("heads of mentions", mention),
        }
        values.join("-")
    }
}

/// Returns the number of a word within a mention, from 1.
fn head_number(mention: &Mention, word: u32) -> Option<u32> {
    let mut before = 0;
    for part in mention.parts() {
        if (part.start()..part.end()).contains(&word) {
            return Some(before + word - part.start() + 1);
        }
        before += part.len();
    }
    None
}

fn write_document(text: &mut String, writing: &DocumentWriting<'_>, losses: &mut Losses<'_>) -> Result<()> {
    let (document, id) = (writing.document, writing.id);
    let (words, layers) = writing.text()?;
    let fields = &BracketFields::of(writing.outline);
    match id.name() {
        "" => text.push_str("# newdoc\n"),
        name => _ = writeln!(text, "# newdoc id = {name}"),
    }
    let _ = writeln!(text, "# global.Entity = {}", fields.header());
    let misc = annotation(document, fields, losses);
    for (number, sentence) in (1..).zip(text::sentences(words)) {
        // A slash would name a zone.
        let name = if id.name().is_empty() { "s".to_owned() } else { id.name().replace('/', "_") };
        let _ = writeln!(text, "# sent_id = {name}-{number}");
        let speaker = text::sentence_speaker(layers, sentence.clone(), losses);
        if !speaker.is_empty() {
            let _ = writeln!(text, "# speaker = {speaker}");
        }
        let in_text = sentence.clone().filter(|&word| !words.is_empty_node(word));
        let forms: Vec<_> = in_text.map(|word| layers.form.get(word as usize).unwrap_or("_")).collect();
        let _ = writeln!(text, "# text = {}", forms.join(" ").replace(char::is_control, "_"));
        let numbers = word_numbers(words, sentence.clone(), losses);
        let dependencies = dependencies(words, sentence.clone(), &numbers, losses);
        for ((word, number), dependencies) in sentence.zip(&numbers).zip(&dependencies) {
            let form = text::form(layers, word, losses);
            let tag = text::cell(&layers.part_of_speech, word, "_", losses);
            let misc = match misc[word as usize].as_str() {
                "" => "_",
                misc => misc,
            };
            let _ = writeln!(text, "{number}\t{form}\t_\t{tag}\t_\t_\t_\t_\t{dependencies}\t{misc}");
        }
        text.push('\n');
    }
    if words.count() == 0 {
        text.push('\n');
    }
    Ok(())
}

/// Returns the first column of a sentence: `8` for a word, `8.1` for an empty node.
fn word_numbers(words: &Words, sentence: Range<u32>, losses: &mut Losses<'_>) -> Vec<String> {
    let (mut major, mut minor) = (0, 0);
    let mut nodes = words.empty_nodes().partition_point(|&node| node < sentence.start);
    let number = |word: u32| {
        if words.empty_nodes().get(nodes) == Some(&word) {
            let wanted = words.empty_node_numbers().get(nodes).copied().unwrap_or(1);
            nodes += 1;
            if minor > 0 && wanted <= minor {
                losses.renamed("numbers of empty nodes", 1);
            }
            minor = if minor > 0 { wanted.max(minor + 1) } else { wanted };
            return format!("{major}.{minor}");
        }
        (major, minor) = (major + 1, 0);
        major.to_string()
    };
    sentence.map(number).collect()
}

/// Returns the dependencies of a sentence's empty nodes, `_` for words.
fn dependencies(
    words: &Words,
    sentence: Range<u32>,
    numbers: &[String],
    losses: &mut Losses<'_>,
) -> Vec<String> {
    let nodes: Vec<u32> = sentence.clone().filter(|&word| words.is_empty_node(word)).collect();
    let supported = |dependency: &&Dependency| {
        dependency.parent.is_none_or(|parent| sentence.contains(&parent))
            && !dependency.relation.contains(|c: char| c == '|' || c.is_control())
    };
    let kept = |node: u32| words.dependencies(node).iter().filter(supported);
    // Marks the nodes that depend on a word or the root, directly or through other nodes. All other nodes form
    // cycles.
    let mut attached: Vec<bool> = nodes.iter().map(|&node| kept(node).next().is_none()).collect();
    for _ in 0..nodes.len() {
        for (place, &node) in nodes.iter().enumerate() {
            let node_of = |dependency: &Dependency| nodes.binary_search(&dependency.parent?).ok();
            let found =
                kept(node).any(|dependency| node_of(dependency).is_none_or(|parent| attached[parent]));
            attached[place] |= found;
        }
    }
    let cell = |word: u32| {
        let Ok(place) = nodes.binary_search(&word) else { return "_".to_owned() };
        let mut cell = String::new();
        for dependency in kept(word).filter(|_| attached[place]) {
            let number = |parent: u32| numbers[(parent - sentence.start) as usize].as_str();
            let relation = dependency.relation.as_str();
            let bar = if cell.is_empty() { "" } else { "|" };
            let colon = if relation.is_empty() { "" } else { ":" };
            cell.extend([bar, dependency.parent.map_or("0", number), colon, relation]);
        }
        let lost = words.dependencies(word).len() - if attached[place] { kept(word).count() } else { 0 };
        (0..lost).for_each(|_| losses.lost_of_document("dependencies of empty nodes"));
        if cell.is_empty() { "_".to_owned() } else { cell }
    };
    sentence.clone().map(cell).collect()
}

/// One run of words of a mention.
#[derive(Clone, Copy)]
struct WordRun {
    mention: usize,
    /// The number of the part, from 1, and the number of parts.
    label: (u32, u32),
    span: Span,
    /// The start of the mention's next part; the largest number after the last part.
    next: u32,
}

impl WordRun {
    /// Returns the sort key of opening brackets. Longer runs open first. A bracket closes the newest open bracket, so
    /// among equal runs, the part whose mention continues first must open last.
    fn opening(&self) -> (u32, Reverse<u32>, u32) {
        let alone = self.span.len() == 1;
        (self.span.start(), Reverse(self.span.end()), if alone { self.next } else { u32::MAX - self.next })
    }

    fn closing(&self) -> (u32, Reverse<u32>) {
        (self.span.last(), Reverse(self.span.start()))
    }
}

/// Returns the coreference attributes of the last column at each word.
pub(super) fn annotation(
    document: &Document,
    fields: &BracketFields,
    losses: &mut Losses<'_>,
) -> Vec<String> {
    let related =
        document.relations().is_some_and(|r| !r.split_antecedents.is_empty() || !r.bridges.is_empty());
    let signs = if related { "()|[]-<,:" } else { "()|[]-" };
    let allowed = |c: char| !signs.contains(c) && !c.is_whitespace() && !c.is_control();
    let names = entity_names(document, allowed, |_| true, losses);
    let mut by_entity: Vec<Vec<WordRun>> = vec![Vec::new(); document.entities().len()];
    for (number, mention) in document.mentions().iter().enumerate() {
        let runs = mention.parts();
        if runs.is_empty() {
            losses.lost_of("mentions that have no words", mention);
        }
        let parts = runs.iter().enumerate().map(|(place, &span)| WordRun {
            mention: number,
            label: (place as u32 + 1, runs.len() as u32),
            span,
            next: runs.get(place + 1).map_or(u32::MAX, |next| next.start()),
        });
        by_entity[mention.entity().index()].extend(parts);
    }
    for parts in &mut by_entity {
        parts.sort_by_key(WordRun::opening);
        while let Some(mention) = misread(parts) {
            losses.lost_of("mentions that cross another of their entity", &document.mentions()[mention]);
            parts.retain(|part| part.mention != mention);
        }
    }
    let mut parts: Vec<WordRun> = by_entity.into_iter().flatten().collect();
    parts.sort_by_key(WordRun::opening);
    let mut cells: Vec<String> = vec![String::new(); document.words().count() as usize];
    let id = |part: &WordRun| {
        let name = &names[document.mentions()[part.mention].entity().index()];
        match part.label {
            (1, 1) => name.clone(),
            (number, of) => format!("{name}[{number}/{of}]"),
        }
    };
    let mut closing: Vec<&WordRun> = parts.iter().filter(|part| part.span.len() > 1).collect();
    closing.sort_by_key(|part| part.closing());
    for part in closing {
        cells[part.span.last() as usize].extend([id(part).as_str(), ")"]);
    }
    for part in &parts {
        let opening = match part.label.0 {
            1 => fields.opening(&id(part), &document.mentions()[part.mention], losses),
            _ => fields.continuing(&id(part)),
        };
        let close = if part.span.len() == 1 { ")" } else { "" };
        cells[part.span.start() as usize].extend(["(", opening.as_str(), close]);
    }
    for cell in cells.iter_mut().filter(|cell| !cell.is_empty()) {
        cell.insert_str(0, "Entity=");
    }
    relations(document, &names, &parts, &mut cells, losses);
    cells
}

/// Returns a mention that the reader would mistake for another, if any. `parts` are the parts of one entity in the
/// order in which they open.
fn misread(parts: &[WordRun]) -> Option<usize> {
    if parts.len() < 2 {
        return None;
    }
    let mut closing: Vec<&WordRun> = parts.iter().filter(|part| part.span.len() > 1).collect();
    closing.sort_by_key(|part| part.closing());
    let mut closing = closing.into_iter().peekable();
    // The reader uses this order too.
    let mut open: Vec<&WordRun> = Vec::new();
    let mut unfinished: Vec<&WordRun> = Vec::new();
    let close = |part: &WordRun, open: &mut Vec<&WordRun>| -> bool {
        let newest = open.iter().rposition(|other| other.label == part.label);
        newest.is_some_and(|newest| open.remove(newest).span.last() == part.span.last())
    };
    // The reader closes the part that closes here, except that it may close an equal part instead, which the
    // order shows.
    for part in parts {
        while let Some(ended) = closing.next_if(|ended| ended.span.last() <= part.span.start()) {
            let newest = open.iter().rposition(|other| other.label == ended.label);
            let Some(closed) = newest.map(|newest| open[newest]) else { return Some(ended.mention) };
            if !close(ended, &mut open) {
                return Some(ended.mention);
            }
            if closed.label.0 < closed.label.1 {
                unfinished.push(closed);
            }
        }
        if part.label.0 > 1 {
            let before = (part.label.0 - 1, part.label.1);
            let place = unfinished.iter().position(|other| other.label == before);
            match place.map(|place| unfinished.remove(place)) {
                Some(other) if other.mention == part.mention => {}
                _ => return Some(part.mention),
            }
        }
        match part.span.len() {
            1 if part.label.0 < part.label.1 => unfinished.push(part),
            1 => {}
            _ => open.push(part),
        }
    }
    closing.find(|ended| !close(ended, &mut open)).map(|ended| ended.mention)
}

/// Writes `Bridge` and `SplitAnte` into the cells.
fn relations(
    document: &Document,
    names: &[String],
    parts: &[WordRun],
    cells: &mut [String],
    losses: &mut Losses<'_>,
) {
    let Some(relations) = document.relations() else { return };
    let written: Vec<&WordRun> = parts.iter().filter(|part| part.label.0 == 1).collect();
    // The first word at which each entity opens.
    let mut first: FxHashMap<EntityId, u32> = FxHashMap::default();
    let entity_of = |part: &WordRun| document.mentions()[part.mention].entity();
    for part in &written {
        first.entry(entity_of(part)).or_insert(part.span.start());
    }
    let position = |line: u32, column: u32| Position::new(document.source(), line, column);
    let mut bridges = vec![Vec::new(); cells.len()];
    let antecedents = Antecedents::new(document, &written);
    for bridge in &relations.bridges {
        let at = position(bridge.line, bridge.column);
        let named = bridge.antecedent.as_deref().and_then(|words| antecedents.entity_of(words));
        let entity = bridge.entity.or(named).filter(|entity| first.contains_key(entity));
        let supported = !bridge.relation.contains(|c: char| "|,".contains(c) || c.is_control());
        let anaphor = antecedents.anaphor(&bridge.anaphor);
        let (Some(entity), Some(anaphor), true) = (entity, anaphor, supported) else {
            losses.lost("bridging relations", at);
            continue;
        };
        if bridge.antecedent.is_some() {
            losses.lost("antecedent mentions of bridging relations (their entities are named)", at);
        }
        let colon = if bridge.relation.is_empty() { "" } else { ":" };
        let (antecedent, name) = (&names[entity.index()], &names[entity_of(anaphor).index()]);
        let item = format!("{antecedent}<{name}{colon}{}", bridge.relation);
        bridges[anaphor.span.start() as usize].push(item);
    }
    for (cell, bridges) in cells.iter_mut().zip(bridges).filter(|(_, bridges)| !bridges.is_empty()) {
        *cell = format!("Bridge={}|{cell}", bridges.join(","));
    }
    let mut splits = vec![Vec::new(); cells.len()];
    for split in &relations.split_antecedents {
        let Some(&word) = first.get(&split.entity) else {
            losses.lost("split antecedents", position(split.line, 0));
            continue;
        };
        for part in &split.parts {
            if first.contains_key(part) {
                let item = format!("{}<{}", names[part.index()], names[split.entity.index()]);
                splits[word as usize].push(item);
            } else {
                losses.lost("split antecedents", position(split.line, 0));
            }
        }
    }
    for (cell, splits) in cells.iter_mut().zip(splits).filter(|(_, splits)| !splits.is_empty()) {
        cell.push_str(&format!("|SplitAnte={}", splits.join(",")));
    }
}

/// The mentions by their words, for finding the antecedents of bridging relations.
struct Antecedents<'p> {
    document: &'p Document,
    by_words: FxHashMap<&'p [Span], Vec<&'p WordRun>>,
    /// The first mention to close, by entity and first word. A bridging relation on that line refers to it. `None` if
    /// several close first at the same place.
    meant: FxHashMap<(EntityId, u32), Option<&'p WordRun>>,
}

impl<'p> Antecedents<'p> {
    /// Collects the mentions. `written` holds the first part of each mention.
    fn new(document: &'p Document, written: &[&'p WordRun]) -> Antecedents<'p> {
        let mention = |part: &WordRun| &document.mentions()[part.mention];
        let mut by_words: FxHashMap<&[Span], Vec<&WordRun>> = FxHashMap::default();
        let mut meant: FxHashMap<(EntityId, u32), Option<&WordRun>> = FxHashMap::default();
        let mut ends: FxHashMap<(EntityId, u32), u32> = FxHashMap::default();
        for &part in written {
            let (span, entity) = (mention(part).span(), mention(part).entity());
            by_words.entry(mention(part).parts()).or_default().push(part);
            let place = (entity, span.start());
            let before = ends.get(&place).copied().unwrap_or(u32::MAX);
            if span.end() < before {
                ends.insert(place, span.end());
                meant.insert(place, Some(part));
            } else if span.end() == before {
                let known = meant.get(&place).copied().flatten();
                if !known.is_some_and(|known| mention(known).same_words(mention(part))) {
                    meant.insert(place, None);
                }
            }
        }
        Antecedents { document, by_words, meant }
    }

    fn entity_of(&self, words: &[Span]) -> Option<EntityId> {
        let part = self.by_words.get(words)?.first()?;
        Some(self.document.mentions()[part.mention].entity())
    }

    fn anaphor(&self, words: &[Span]) -> Option<&'p WordRun> {
        self.by_words.get(words)?.iter().copied().find(|part| {
            let mention = &self.document.mentions()[part.mention];
            let meant = self.meant.get(&(mention.entity(), mention.span().start())).copied().flatten();
            meant.is_some_and(|meant| self.document.mentions()[meant.mention].same_words(mention))
        })
    }
}
