//! Counts annotation that a format cannot represent, by kind, with the first place of each kind.

use crate::diagnostic::{Code, Diagnostics, Position};
use crate::formats::frame::has_value;
use crate::formats::{Aspect, FORMATS};
use crate::model::{Document, Layers, Mention, Relations, TextColumn};
use crate::wording::{option_blank, switch, text};

/// The losses of all documents of a corpus, by kind, with total number and first place.
#[derive(Clone, Debug, Default)]
pub struct LossCounts(Vec<Loss>);

/// One kind of loss.
#[derive(Clone, Debug)]
struct Loss {
    code: Code,
    format: &'static str,
    what: &'static str,
    count: u64,
    position: Position,
    /// The document with the losses, if only one has them.
    document: Option<String>,
}

impl LossCounts {
    /// Adds the losses as findings, one per kind. Losses of words and mentions come first.
    pub fn report(mut self, diagnostics: &mut Diagnostics) {
        self.0.sort_by_key(|loss| rank(loss.what));
        for Loss { code, format, what, count, position, document } in self.0 {
            diagnostics.add(code, Some(position), document, || match code {
                Code::NotWritten if what == UNREAD => {
                    let onto = option_blank("onto", "KEY");
                    text!("left out: {} ({}); conversion with {} keeps those of a key", what, count, onto)
                }
                Code::NotWritten => text!("{} cannot represent: {} ({})", format, what, count),
                _ if what == UNNAMED => {
                    let option = switch("boundary-crossing");
                    text!(
                        "written differently in {}: {} ({}); read the file with {}",
                        format,
                        what,
                        count,
                        option
                    )
                }
                _ => text!("written differently in {}: {} ({})", format, what, count),
            });
        }
    }
}

/// Annotation that a reader counts but does not keep, so that writers cannot write it.
const UNREAD: &str = "other columns, fields and comments of the input, such as lemmas";

/// Crossing mentions in a file without the header for them.
pub(in crate::formats) const UNNAMED: &str = "mentions that cross, without the header for them";

/// Mentions of a response whose words are not in the text. No format can represent them.
const UNPLACED: &str = "mentions that have no place in the text";

/// The prefixes of losses that change which words and mentions a document has.
const OF_WORDS_AND_MENTIONS: [&str; 8] = [
    "word boundaries", "spaces around words", "empty nodes", "the text;", "mentions that",
    "gaps in mentions", "repeated mentions", "entities without mentions",
];

/// Returns the rank of a loss in lists: first losses of words and mentions, then of their annotation, then of
/// annotation that does not affect any score.
fn rank(what: &str) -> usize {
    let aspect = Aspect::ALL.iter().find(|aspect| aspect.words() == what);
    match aspect {
        _ if OF_WORDS_AND_MENTIONS.iter().any(|start| what.starts_with(start)) => 0,
        Some(aspect) if aspect.is_of_mentions() => 1,
        Some(_) => 2,
        None if what.contains("speakers") || what == UNREAD => 2,
        None => 1,
    }
}

/// Collects the losses of one document.
pub(in crate::formats) struct Losses<'d> {
    document: &'d Document,
    format: &'static str,
    found: Vec<(Code, &'static str, u64, Position)>,
}

impl<'d> Losses<'d> {
    /// Creates an empty collection of losses.
    pub fn new(document: &'d Document, format: &'static str) -> Losses<'d> {
        Losses { document, format, found: Vec::new() }
    }

    /// Counts an omission at a position.
    pub fn lost(&mut self, what: &'static str, position: Position) {
        self.count(Code::NotWritten, what, 1, || position);
    }

    /// Counts an omission that concerns a mention.
    pub fn lost_of(&mut self, what: &'static str, mention: &Mention) {
        self.lost(what, self.document.position_of(mention));
    }

    /// Counts an omission that concerns the whole document.
    pub fn lost_of_document(&mut self, what: &'static str) {
        self.lost(what, self.document.position());
    }

    /// Counts the mentions of the document that are omitted because they have no place in the text.
    pub fn unplaced(&mut self) {
        self.document.unplaced().for_each(|mention| self.lost_of(UNPLACED, mention));
    }

    /// Counts changed names.
    pub fn renamed(&mut self, what: &'static str, count: usize) {
        self.count(Code::WrittenOtherwise, what, count as u64, || self.document.position());
    }

    fn count(&mut self, code: Code, what: &'static str, count: u64, position: impl FnOnce() -> Position) {
        if count == 0 {
            return;
        }
        match self.found.iter_mut().find(|found| (found.0, found.1) == (code, what)) {
            Some(found) => found.2 += count,
            None => self.found.push((code, what, count, position())),
        }
    }

    /// Counts all annotation of the document that the format's row does not list, and entities without
    /// mentions, which no format can represent. In every format, links become entities.
    pub fn unexpressed(&mut self) {
        let mut mentioned = vec![false; self.document.entities().len()];
        let non_referring =
            self.document.relations().into_iter().flat_map(|relations| &relations.non_referring);
        for mention in self.document.mentions().iter().chain(non_referring) {
            mentioned[mention.entity().index()] = true;
        }
        let empty = mentioned.iter().filter(|mentioned| !**mentioned).count() as u64;
        self.count(Code::NotWritten, "entities without mentions", empty, || self.document.position());
        let links = self.document.links().unwrap_or_default().len() as u64;
        self.count(Code::WrittenOtherwise, "links, which became entities", links, || {
            self.document.position()
        });
        let unread = self.document.words().layers().map_or(0, |layers| layers.unread);
        self.count(Code::NotWritten, UNREAD, unread.into(), || self.document.position());
        for aspect in self.unexpressed_aspects() {
            // If the format lacks empty nodes, their dependencies are not reported separately.
            if aspect != Aspect::Dependencies || self.expresses(Aspect::EmptyNodes) {
                self.unexpressed_aspect(aspect);
            }
        }
    }

    /// Counts annotation of mentions that the format's row does not list, if everything else is copied from a file.
    pub fn unexpressed_mentions(&mut self) {
        for aspect in self.unexpressed_aspects().into_iter().filter(|aspect| aspect.is_of_mentions()) {
            self.unexpressed_aspect(aspect);
        }
    }

    fn expresses(&self, aspect: Aspect) -> bool {
        let spec = FORMATS.iter().find(|spec| spec.id == self.format);
        spec.is_none_or(|spec| spec.expresses.contains(&aspect))
    }

    fn unexpressed_aspects(&self) -> Vec<Aspect> {
        Aspect::ALL.iter().copied().filter(|&aspect| !self.expresses(aspect)).collect()
    }

    fn unexpressed_aspect(&mut self, aspect: Aspect) {
        let document = self.document;
        let none = Relations::default();
        let relations = document.relations().unwrap_or(&none);
        let line = |line: u32, column: u32| Position::new(document.source(), line, column);
        let mut mentions = |what: &'static str, has: fn(&Mention) -> bool| {
            for mention in document.mentions().iter().filter(|mention| has(mention)) {
                self.lost_of(what, mention);
            }
        };
        let what = aspect.words();
        match aspect {
            Aspect::Attributes => mentions(what, |mention| !mention.attributes().is_empty()),
            Aspect::MinSpans => mentions(what, |mention| {
                mention.details().is_some_and(|details| !details.min_span.is_empty())
            }),
            Aspect::Heads => mentions(what, |mention| mention.head().is_some()),
            Aspect::Bridges => {
                for bridge in &relations.bridges {
                    self.lost(what, line(bridge.line, bridge.column));
                }
            }
            Aspect::SplitAntecedents => {
                for split in &relations.split_antecedents {
                    self.lost(what, line(split.line, 0));
                }
            }
            Aspect::NonReferring => {
                for mention in &relations.non_referring {
                    self.lost_of(what, mention);
                }
            }
            Aspect::EmptyNodes => {
                let count = document.words().empty_nodes().len() as u64;
                self.count(Code::NotWritten, what, count, || document.position());
            }
            Aspect::Dependencies => {
                let words = document.words();
                let count: usize = words.empty_nodes().iter().map(|&w| words.dependencies(w).len()).sum();
                self.count(Code::NotWritten, what, count as u64, || document.position());
            }
            Aspect::NamedEntities => self.column(what, |layers| &layers.named_entity),
            Aspect::Parse => self.column(what, |layers| &layers.parse),
            Aspect::PartsOfSpeech => self.column(what, |layers| &layers.part_of_speech),
            Aspect::Speakers => self.column(what, |layers| &layers.speaker),
            Aspect::Topic => {
                if document.topic().is_some() {
                    self.lost_of_document(what);
                }
            }
            Aspect::Genre => {
                if document.has_own_genre() {
                    self.lost_of_document(what);
                }
            }
            Aspect::AceEntities => {
                let of_ace: usize = document.ace().iter().map(|section| section.entities.len()).sum();
                self.count(Code::NotWritten, what, of_ace as u64, || document.position());
            }
        }
    }

    fn column(&mut self, what: &'static str, column: fn(&Layers) -> &TextColumn) {
        let document = self.document;
        let Some(layers) = document.words().layers() else { return };
        let count = column(layers).iter().filter(|value| cell_value(value).is_some()).count();
        self.count(Code::NotWritten, what, count as u64, || document.position());
    }

    /// Adds the losses of the document to the losses of other documents.
    pub fn add_to(self, counts: &mut LossCounts) {
        for (code, what, count, position) in self.found {
            match counts.0.iter_mut().find(|loss| (loss.code, loss.what) == (code, what)) {
                Some(loss) => {
                    loss.count += count;
                    loss.document = None;
                }
                None => counts.0.push(Loss {
                    code,
                    format: self.format,
                    what,
                    count,
                    position,
                    document: Some(self.document.id().to_string()),
                }),
            }
        }
    }
}

/// Returns the value of a cell. Some formats write `-`, `_` or `*` for no value.
pub(super) fn cell_value(value: &str) -> Option<&str> {
    has_value(value.as_bytes()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_of_words_and_mentions_come_first() {
        let mut all =
            ["speakers of words", "heads of mentions", "parts of speech", super::super::text::BORDERS];
        all.sort_by_key(|what| rank(what));
        assert_eq!(
            all,
            [super::super::text::BORDERS, "heads of mentions", "speakers of words", "parts of speech"]
        );
    }
}
