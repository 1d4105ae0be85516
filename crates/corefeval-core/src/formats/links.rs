//! Reads the links format: the notation of the MUC paper, for quick trials without a text.
//!
//! A line holds links (`A-B B-C`, `A - B`, `A-B-C`) or entities (`{A B C}`), separated by spaces; a name alone on a
//! line is a singleton. Entities are the closure of the links. `#` starts a comment, `#begin document NAME` a
//! document; a file without such a line is a single document.
//!
//! The reader keeps the links as written, unless an entity of several mentions is written in braces, because braces do
//! not specify links.

use corefeval_metrics::Closure;

use crate::wording::Text;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::frame::Frame;
use super::{Aspect, FormatSpec, ReadOptions, Reader, utf8};
use crate::diagnostic::{Code, Position};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Corpus, DocumentBuilder, DocumentId, EntityId, Link, Mention, Span, WordsBuilder};

/// `links`.
pub(super) const SPEC: FormatSpec = FormatSpec {
    id: "links",
    summary: "links and entities as the MUC paper writes them: `A-B B-C`, `{A B C}`",
    extensions: &["links"],
    expresses: &[Aspect::EmptyNodes],
    has_links: true,
    link_notation: Some("links such as `A-B-C` in place of `{A B C}`"),
    detect,
    begins_like_others: Some(|_| false),
    reader: |source, options| Box::new(LinksReader::new(source, options)),
    write: Some(super::write::links::WRITER),
    ..FormatSpec::PLAIN
};

/// Returns whether the first line that is not a comment consists of links and entities, and most other lines do too.
pub(super) fn detect(bytes: &[u8]) -> bool {
    let lines = bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let mut lines = lines.filter(|line| !line.is_empty() && !line.starts_with(b"#"));
    if !lines.next().is_some_and(is_of_links) {
        return false;
    }
    // A singleton has a separate line. The title of a text can look like a link, but its sentences do not.
    let is_singleton = |line: &[u8]| !line.contains(&b' ') && !line.contains(&b'\t');
    let (fitting, others): (Vec<&[u8]>, Vec<&[u8]>) =
        lines.partition(|line| is_of_links(line) || is_singleton(line));
    fitting.len() >= others.len() && !super::answers::is_marked(bytes)
}

/// Returns whether a file consists of links and entities, and no line ends in a coreference column.
pub(super) fn has_only_links(bytes: &[u8]) -> bool {
    let in_columns = |line: &[u8]| {
        let is_entity = line.starts_with(b"{") && line.ends_with(b"}");
        let last = line.iter().rposition(u8::is_ascii_whitespace).map(|start| &line[start + 1..]);
        !is_entity && !line.starts_with(b"#") && last.is_some_and(super::columns::is_coreference)
    };
    detect(bytes) && !bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii).any(in_columns)
}

/// Returns whether a line consists of links and entities.
fn is_of_links(line: &[u8]) -> bool {
    let Ok(line) = std::str::from_utf8(line) else { return false };
    if let Some(entity) = line.strip_prefix('{') {
        // Excludes JSON with the quotes of a word processor.
        return !(entity.trim_start().starts_with(['“', '”', '„', '"']) && entity.contains(':'));
    }
    // There may be spaces around hyphens.
    let items: Vec<&str> = line.split_whitespace().collect();
    let line = items.join(" ").replace(" -", "-").replace("- ", "-");
    line.split(' ')
        .all(|item| item.split_once('-').is_some_and(|(a, b)| is_name(a) && b.split('-').all(is_name)))
}

/// Returns whether `text` may name a mention.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| !c.is_whitespace() && !"{}-".contains(c))
}

struct LinksReader {
    frame: Frame,
    begun: Option<(DocumentId, u32)>,
    names: Vec<(String, u32, u32)>,
    by_name: HashMap<String, usize>,
    closure: Closure,
    links: Vec<Link>,
    /// The line of each link; its lower end comes first.
    lines: FxHashMap<Link, u32>,
    /// True if an entity of several mentions is written in braces.
    as_entity: bool,
}

impl LinksReader {
    fn new(source: Arc<str>, options: ReadOptions) -> LinksReader {
        LinksReader {
            frame: Frame::new(source, options),
            begun: None,
            names: Vec::new(),
            by_name: HashMap::new(),
            closure: Closure::default(),
            links: Vec::new(),
            lines: FxHashMap::default(),
            as_entity: false,
        }
    }

    fn error(&self, column: usize, message: impl Into<Text>) -> Error {
        let position = Position::new(&self.frame.source, self.frame.line, column as u32 + 1);
        let hint = "write links as `A-B` and entities as `{A B C}`";
        Error::new(ErrorKind::Format, message).at(position).hint(hint)
    }

    fn line(&mut self, text: &str) -> Result<()> {
        if let Some(comment) = text.trim_start().strip_prefix('#') {
            if let Some(name) = comment.trim_start().strip_prefix("begin document") {
                self.end_document()?;
                self.begun =
                    Some((DocumentId::new(name.trim().trim_matches(['(', ')', ';'])), self.frame.line));
            }
            return Ok(());
        }
        let mut rest = text;
        let (mut items, mut alone) = (0, None);
        loop {
            let place = text.len() - rest.trim_start().len();
            rest = &text[place..];
            if rest.is_empty() {
                break;
            }
            items += 1;
            if let Some(inside) = rest.strip_prefix('{') {
                let Some(end) = inside.find('}') else {
                    return Err(self
                        .error(place, "an entity opens with `{` here and does not close on this line")
                        .coded(Code::CutOff));
                };
                self.entity(&inside[..end], place + 1)?;
                rest = &inside[end + 1..];
            } else {
                let known = self.names.len();
                let (after, mentions) = self.link(text, place)?;
                if mentions == 1 {
                    alone = alone.or(Some(place));
                    self.check_alone(text[place..].trim_end(), known, place);
                }
                rest = after;
            }
            rest = rest.strip_prefix(',').unwrap_or(rest);
        }
        match alone {
            // Two adjacent names are ambiguous: a link or an entity.
            Some(place) if items > 1 => Err(self
                .error(place, "write a singleton on a separate line, an entity as `{A B}`, a link as `A-B`")),
            _ => Ok(()),
        }
    }

    fn entity(&mut self, inside: &str, column: usize) -> Result<()> {
        let mut first = None;
        let mut place = 0;
        let known = self.names.len();
        // True if the entity has a new mention, or joins mentions that earlier lines put into different entities.
        let mut adds = false;
        let mut within = FxHashSet::default();
        for item in inside.split(char::is_whitespace) {
            let name = item.strip_suffix(',').unwrap_or(item);
            if !name.is_empty() {
                let mention = self.mention(name, column + place)?;
                if self.frame.options.all_errors && !within.insert(mention) {
                    self.note_again(column + place, || format!("`{name}` is in this entity twice"));
                }
                let first = *first.get_or_insert(mention);
                adds |= mention >= known || self.closure.find(first) != self.closure.find(mention);
                self.closure.join(first, mention);
                self.as_entity |= mention != first;
            }
            place += item.len() + 1;
        }
        let Some(first) = first else {
            return Err(self
                .error(column - 1, "an entity needs at least one mention")
                .coded(Code::BadMention));
        };
        if !adds {
            let (name, line, _) = &self.names[first];
            let message = format!(
                "this entity is redundant: its mentions are already in one entity (`{name}` at line {line})"
            );
            self.note_again(column - 1, || message);
        }
        Ok(())
    }

    /// Reads `A-B`, `A - B` or `A-B-C` at `place`, or a single name. Returns the rest of the line and the number of
    /// names.
    fn link<'t>(&mut self, text: &'t str, mut place: usize) -> Result<(&'t str, usize)> {
        let mut before = None;
        for mentions in 1.. {
            let rest = &text[place..];
            let end = rest.find(|c: char| c.is_whitespace() || "-{}".contains(c)).unwrap_or(rest.len());
            let name = rest[..end].strip_suffix(',').unwrap_or(&rest[..end]);
            let mention = self.mention(name, place)?;
            if let Some(before) = before {
                self.closure.join(before, mention);
                self.links.push([before as u32, mention as u32]);
                self.check_link(before, mention, place);
            }
            before = Some(mention);
            let after = &rest[end..];
            let Some(next) = after.trim_start().strip_prefix('-').filter(|_| end == name.len()) else {
                return Ok((after, mentions));
            };
            place = text.len() - next.trim_start().len();
        }
        Ok(("", 0))
    }

    /// Reports a single name that occurs in an earlier line; `known` is the number of earlier names.
    fn check_alone(&mut self, name: &str, known: usize, column: usize) {
        if let Some(&mention) = self.by_name.get(name).filter(|&&mention| mention < known) {
            let line = self.names[mention].1;
            self.note_again(column, || format!("`{name}` is redundant: it is already at line {line}"));
        }
    }

    /// Reports a link that was written before, or a link between a mention and itself.
    fn check_link(&mut self, before: usize, mention: usize, column: usize) {
        if !self.frame.options.all_errors {
            return;
        }
        let (line, ends) = (self.frame.line, [before.min(mention) as u32, before.max(mention) as u32]);
        let first = match self.lines.entry(ends) {
            Entry::Vacant(free) => {
                free.insert(line);
                None
            }
            Entry::Occupied(first) => Some(*first.get()),
        };
        let [one, other] = [before, mention].map(|mention| &self.names[mention].0);
        let message = match first {
            _ if before == mention => format!("`{one}` is linked to itself"),
            Some(first) => format!("`{one}` and `{other}` are linked twice (first at line {first})"),
            None => return,
        };
        self.note_again(column, || message);
    }

    /// Reports a repetition without effect, in a validation.
    fn note_again(&mut self, column: usize, message: impl FnOnce() -> String) {
        if !self.frame.options.all_errors {
            return;
        }
        let document = self.begun.as_ref().map(|begun| begun.0.to_string());
        self.frame.note(Code::DuplicateMention, column as u32 + 1, document, message);
    }

    fn mention(&mut self, name: &str, column: usize) -> Result<usize> {
        if !is_name(name) {
            let (message, code) = match name {
                "" => ("the name of a mention is missing here".to_owned(), Code::MissingField),
                _ => {
                    let wrong = "is not the name of a mention: names have no hyphens or braces";
                    (format!("`{name}` {wrong}"), Code::BadValue)
                }
            };
            return Err(self.error(column, message).coded(code));
        }
        if let Some(&mention) = self.by_name.get(name) {
            return Ok(mention);
        }
        let mention = self.closure.add();
        self.names.push((name.to_owned(), self.frame.line, column as u32 + 1));
        self.by_name.insert(name.to_owned(), mention);
        Ok(mention)
    }

    fn end_document(&mut self) -> Result<()> {
        let (id, line) = match self.begun.take() {
            Some(begun) => begun,
            None if self.names.is_empty() => return Ok(()),
            None => (DocumentId::new(self.frame.options.default_id.clone()), 1),
        };
        let mut document = DocumentBuilder::new(id, Arc::clone(&self.frame.source), line);
        let mut words = WordsBuilder::names();
        let mut entities: Vec<Option<EntityId>> = vec![None; self.names.len()];
        for mention in 0..self.names.len() {
            let root = self.closure.find(mention);
            let (name, line, column) = &self.names[mention];
            let entity = *entities[root].get_or_insert_with(|| document.add_entity(name));
            let word = words.push(name.as_bytes());
            if let Some(layers) = words.layers_mut() {
                layers.form.push(name);
                layers.line.push(*line);
            }
            document.mentions.push(Mention::new(Span::word(word), entity, *line, *column));
        }
        let links = std::mem::take(&mut self.links);
        document.links = (!std::mem::take(&mut self.as_entity)).then_some(links);
        self.names.clear();
        self.by_name.clear();
        self.lines.clear();
        self.closure.clear();
        self.frame.corpus.documents.push(document.finish(words.finish())?);
        Ok(())
    }
}

impl Reader for LinksReader {
    fn feed(&mut self, lines: &[u8]) -> Result<()> {
        for line in lines.split_inclusive(|&byte| byte == b'\n') {
            self.frame.line += 1;
            let line = utf8(line, &self.frame.source, self.frame.line, 1)?.trim_end_matches(['\n', '\r']);
            self.line(line)?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Corpus> {
        self.end_document()?;
        if self.frame.corpus.documents.is_empty() {
            self.frame.line = 0;
            let error =
                Error::new(ErrorKind::Format, "this file has no links or entities").coded(Code::NoDocument);
            return Err(error.at(Position::new(&self.frame.source, 0, 0)));
        }
        Ok(self.frame.corpus)
    }

    fn frame(&mut self) -> Option<&mut Frame> {
        Some(&mut self.frame)
    }

    fn resumes(&self) -> bool {
        true
    }
}
