//! Writes `conll-ua`: the columns of Universal Anaphora, with mentions in IDENTITY (or DISCOURSE_DEIXIS).
//!
//! Mentions are called m1, m2, … in order. If any two mentions of the corpus cross, a header announces this to the
//! reader, and every closing bracket names its mention.

use std::cmp::Reverse;
use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use super::losses::{Losses, UNNAMED};
use super::renaming::entity_names;
use super::text::{self, TextWords};
use super::{WholeWriter, Writer};
use crate::diagnostic::Position;
use crate::error::Result;
use crate::model::{Annotation, Document, DocumentId, EntityId, MENTION_TYPE, Mention, Span, Words};

pub(in crate::formats) const WRITER: Writer = Writer::Whole(WholeWriter {
    look: |outline, document| outline.crossing |= crosses(&markables(document)),
    begin: |outline| {
        let crossing = if outline.crossing { CROSSING } else { "" };
        Ok(format!("# global.columns = {USUAL_COLUMNS}\n{crossing}"))
    },
    document: |text, writing, losses| {
        let document = writing.document;
        let markables = markables(document);
        if crosses(&markables) {
            losses.renamed("mentions that cross, so that closing brackets name theirs", 1);
        }
        let in_text = TextWords::of(document.words());
        let (named, annotation) = (writing.outline.crossing, writing.options.annotation);
        Writing { document, markables, in_text, named, annotation }.write(text, writing.id, losses)
    },
    ..WholeWriter::PLAIN
});

/// Returns the columns of mentions and of bridging relations for each word. If `named` is set, closing brackets
/// name their mentions.
pub(super) fn columns(
    document: &Document,
    named: bool,
    annotation: Annotation,
    losses: &mut Losses<'_>,
) -> (Vec<String>, Vec<String>) {
    let (markables, in_text) = (markables(document), TextWords::of(document.words()));
    if crosses(&markables) {
        // Copies of files lack the header for crossing mentions.
        losses.renamed(UNNAMED, 1);
    }
    Writing { document, markables, in_text, named, annotation }.columns(losses)
}

/// The columns of written files. The reader assumes them if a file does not name its columns.
pub(crate) const USUAL_COLUMNS: &str = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY BRIDGING DISCOURSE_DEIXIS REFERENCE NOM_SEM";

/// The suffix of ids of non-referring entities.
pub(in crate::formats) const PSEUDO: &str = "-Pseudo";

/// The header of a file with crossing mentions.
const CROSSING: &str = "# mentions cross: closing brackets name theirs\n";

/// Returns whether a line is the header of a file with crossing mentions. Earlier versions named an option at its end.
pub(in crate::formats) fn announces_crossing(line: &[u8]) -> bool {
    line.starts_with(CROSSING.trim_end().as_bytes())
}

/// A mention with its brackets.
struct MarkableBrackets<'d> {
    mention: &'d Mention,
    non_referring: bool,
    /// The first and last word of each bracket, in order.
    brackets: Vec<(u32, u32)>,
}

/// Returns the mentions in the order in which they start, including non-referring expressions.
fn markables(document: &Document) -> Vec<MarkableBrackets<'_>> {
    let in_text = TextWords::of(document.words());
    let non_referring = document.relations().map_or(&[][..], |relations| &relations.non_referring);
    let all = document.mentions().iter().map(|mention| (mention, false));
    let all = all.chain(non_referring.iter().map(|mention| (mention, true)));
    let mut markables: Vec<MarkableBrackets<'_>> = all
        .filter(|(mention, _)| !mention.parts().is_empty())
        .map(|(mention, non_referring)| {
            let brackets = brackets(mention, document.words(), &in_text);
            MarkableBrackets { mention, non_referring, brackets }
        })
        .collect();
    markables.sort_by_key(|markable| markable.brackets.first().map(|&(first, last)| (first, Reverse(last))));
    markables
}

/// Returns the first and last word of each bracket of a mention. Empty nodes within a bracket do not belong to its
/// mention, so empty nodes of the mention have separate brackets. Brackets of one mention never nest, because readers
/// expect them in sequence.
fn brackets(mention: &Mention, words: &Words, in_text: &TextWords) -> Vec<(u32, u32)> {
    let mut brackets: Vec<(u32, u32)> = Vec::with_capacity(mention.parts().len());
    let mut open = false;
    for word in mention.parts().iter().flat_map(|part| part.start()..part.end()) {
        let node = words.is_empty_node(word);
        match brackets.last_mut().filter(|_| open && !node) {
            Some(last) if in_text.before(last.1) + 1 == in_text.before(word) => last.1 = word,
            _ => brackets.push((word, word)),
        }
        open = !node;
    }
    brackets
}

/// Returns the brackets of more than one word, with the numbers of their mentions, in the order in which they open.
fn long_brackets(markables: &[MarkableBrackets<'_>]) -> Vec<(u32, u32, usize)> {
    let mut brackets: Vec<(u32, u32, usize)> = Vec::new();
    for (number, markable) in markables.iter().enumerate() {
        let long = markable.brackets.iter().filter(|(first, last)| first < last);
        brackets.extend(long.map(|&(first, last)| (first, last, number)));
    }
    brackets.sort_by_key(|&(first, last, number)| (first, Reverse(last), number));
    brackets
}

/// Returns whether brackets cross. At each word, brackets close before others open.
fn crosses(markables: &[MarkableBrackets<'_>]) -> bool {
    let mut open: Vec<u32> = Vec::new();
    for (first, last, _) in long_brackets(markables) {
        while open.last().is_some_and(|&end| end <= first) {
            open.pop();
        }
        if open.last().is_some_and(|&end| end < last) {
            return true;
        }
        open.push(last);
    }
    false
}

/// The current document.
struct Writing<'d> {
    document: &'d Document,
    markables: Vec<MarkableBrackets<'d>>,
    in_text: TextWords,
    /// True if closing brackets name their mentions.
    named: bool,
    annotation: Annotation,
}

impl Writing<'_> {
    fn write(&self, text: &mut String, id: &DocumentId, losses: &mut Losses<'_>) -> Result<()> {
        let (words, layers) = (self.document.words(), super::text_of(self.document, "conll-ua")?);
        for mention in self.document.mentions().iter().filter(|mention| mention.parts().is_empty()) {
            losses.lost_of("mentions that have no words", mention);
        }
        let _ = writeln!(text, "# newdoc id = {}", id.name());
        let (mentions, bridging) = self.columns(losses);
        let mut nodes = words.empty_nodes().iter().zip(words.empty_node_numbers());
        let (mut number, mut speaker) = (0, String::new());
        for sentence in text::sentences(words) {
            let new = text::sentence_speaker(layers, sentence.clone(), losses);
            if new != speaker {
                let _ = writeln!(text, "{}", format!("# speaker = {new}").trim_end());
                speaker = new;
            }
            let mut minor = 0;
            for word in sentence {
                let id = if words.is_empty_node(word) {
                    minor += 1;
                    if nodes.next().is_some_and(|(_, &wanted)| wanted != minor) {
                        losses.renamed("numbers of empty nodes", 1);
                    }
                    format!("{number}.{minor}")
                } else {
                    (number, minor) = (number + 1, 0);
                    number.to_string()
                };
                let form = text::form(layers, word, losses);
                if form.trim_ascii() != form {
                    losses.lost_of_document("spaces around words");
                }
                let tag = text::cell(&layers.part_of_speech, word, "_", losses);
                let cell = |cells: &[String]| match cells[word as usize].as_str() {
                    "" => "_".to_owned(),
                    cell => cell.to_owned(),
                };
                let (mentions, bridging) = (cell(&mentions), cell(&bridging));
                let (identity, deixis) = match self.annotation {
                    Annotation::Identity => (mentions.as_str(), "_"),
                    Annotation::DiscourseDeixis => ("_", mentions.as_str()),
                };
                let _ = writeln!(
                    text,
                    "{id}\t{form}\t_\t{tag}\t_\t_\t_\t_\t_\t_\t{identity}\t{bridging}\t{deixis}\t_\t_"
                );
            }
            text.push('\n');
        }
        Ok(())
    }

    /// Returns the names of the entities in the output.
    fn names(&self, losses: &mut Losses<'_>) -> Vec<String> {
        let mut pseudo = vec![false; self.document.entities().len()];
        for markable in self.markables.iter().filter(|markable| markable.non_referring) {
            pseudo[markable.mention.entity().index()] = true;
        }
        let allowed = |c: char| !"()|,@".contains(c) && !c.is_whitespace() && !c.is_control();
        let fits = |name: &str| !matches!(name, "_" | "-") && !name.ends_with(PSEUDO);
        // The ending is removed for the comparison and added again.
        let either = |name: &str| fits(name.strip_suffix(PSEUDO).unwrap_or(name));
        let mut names = entity_names(self.document, allowed, either, losses);
        let mut changed = 0;
        for (name, pseudo) in names.iter_mut().zip(pseudo) {
            if name.ends_with(PSEUDO) != pseudo {
                changed += 1;
                *name = if pseudo { format!("{name}{PSEUDO}") } else { format!("{name}_") };
            }
        }
        losses.renamed("names of entities", changed);
        names
    }

    /// Returns the columns of mentions and of bridging relations.
    fn columns(&self, losses: &mut Losses<'_>) -> (Vec<String>, Vec<String>) {
        let names = self.names(losses);
        let sums = self.sums(&names, losses);
        let count = self.document.words().count() as usize;
        let mut cells = vec![String::new(); count];
        let mut closing = long_brackets(&self.markables);
        closing.sort_by_key(|&(first, last, number)| (last, Reverse(first), Reverse(number)));
        for &(_, last, number) in &closing {
            self.close(&mut cells[last as usize], number);
        }
        let mut opening: Vec<(u32, u32, usize, usize)> = Vec::new();
        for (number, markable) in self.markables.iter().enumerate() {
            let brackets = markable.brackets.iter().enumerate();
            opening.extend(brackets.map(|(place, &(first, last))| (first, last, number, place)));
        }
        opening.sort_by_key(|&(first, last, number, _)| (first, Reverse(last), number));
        for (first, last, number, place) in opening {
            let mention = self.markables[number].mention;
            let cell = &mut cells[first as usize];
            let _ = write!(cell, "(EntityID={}|MarkableID=m{}", names[mention.entity().index()], number + 1);
            if place == 0 {
                self.more(cell, mention, losses);
                if let Some(sums) = sums.get(&number) {
                    let _ = write!(cell, "|ElementOf={}", sums.join(","));
                }
            }
            if first == last {
                cell.push(')');
            }
        }
        (cells, self.bridging(&names, losses))
    }

    fn close(&self, cell: &mut String, number: usize) {
        if self.named {
            let _ = write!(cell, "m{}", number + 1);
        }
        cell.push(')');
    }

    /// Writes the attributes of a mention into its first bracket.
    fn more(&self, cell: &mut String, mention: &Mention, losses: &mut Losses<'_>) {
        let Some(details) = mention.details() else { return };
        if !details.min_span.is_empty() {
            match self.minimum(mention, &details.min_span) {
                Some((first, last)) if first == last => _ = write!(cell, "|Min={first}"),
                Some((first, last)) => _ = write!(cell, "|Min={first},{last}"),
                None => losses.lost_of("minimum spans with gaps or words that are not in the text", mention),
            }
        }
        let reserved = ["EntityID", "MarkableID", "Min", "ElementOf", "SemType"];
        for (name, value) in &details.attributes {
            let mut supported = !name.is_empty() && !name.contains('=');
            supported &= !reserved.iter().any(|reserved| reserved.eq_ignore_ascii_case(name));
            let wrong = |c: char| "()|@".contains(c) || c.is_control();
            supported &= ![name, value].into_iter().any(|text| text.contains(wrong) || text.trim() != text);
            if supported {
                let name = if name == MENTION_TYPE { "SemType" } else { name };
                let _ = write!(cell, "|{name}={value}");
            } else {
                losses.lost_of("attributes of mentions", mention);
            }
        }
    }

    /// Returns the first and last word of a minimum span, as numbers in the output.
    fn minimum(&self, mention: &Mention, min_span: &[Span]) -> Option<(u32, u32)> {
        let in_text = &self.in_text;
        let runs = in_text.runs(min_span);
        let [run] = runs.as_slice() else { return None };
        let words: u32 = min_span.iter().map(|span| span.len()).sum();
        let within =
            mention.span().contains(Span::new(in_text.place(run.start()), in_text.place(run.last()) + 1)?);
        (words == run.len() && within).then_some((run.start() + 1, run.end()))
    }

    /// Returns the split antecedents that each mention is an element of. They are written at the first mention of each
    /// element.
    fn sums(&self, names: &[String], losses: &mut Losses<'_>) -> FxHashMap<usize, Vec<String>> {
        let mut sums_of: FxHashMap<usize, Vec<String>> = FxHashMap::default();
        let Some(relations) = self.document.relations() else { return sums_of };
        let mut first: FxHashMap<EntityId, usize> = FxHashMap::default();
        for (number, markable) in self.markables.iter().enumerate() {
            first.entry(markable.mention.entity()).or_insert(number);
        }
        let mut parts: FxHashMap<EntityId, Vec<EntityId>> = FxHashMap::default();
        for split in &relations.split_antecedents {
            for &part in &split.parts {
                let known = first.contains_key(&split.entity) && !leads_to(&parts, part, split.entity);
                match first.get(&part).filter(|_| known) {
                    Some(&number) => {
                        parts.entry(split.entity).or_default().push(part);
                        let sums = sums_of.entry(number).or_default();
                        let name = &names[split.entity.index()];
                        if !sums.contains(name) {
                            sums.push(name.clone());
                        }
                    }
                    None => {
                        let position = Position::new(self.document.source(), split.line, 0);
                        losses.lost("split antecedents", position);
                    }
                }
            }
        }
        sums_of
    }

    /// Returns the column of bridging relations.
    fn bridging(&self, names: &[String], losses: &mut Losses<'_>) -> Vec<String> {
        let mut cells = vec![String::new(); self.document.words().count() as usize];
        if self.annotation != Annotation::Identity {
            let bridges = self.document.relations().map_or(&[][..], |relations| &relations.bridges);
            for bridge in bridges {
                let position = Position::new(self.document.source(), bridge.line, bridge.column);
                losses.lost("bridging relations", position);
            }
            return cells;
        }
        let Some(relations) = self.document.relations() else { return cells };
        let mut by_words: FxHashMap<&[Span], Vec<usize>> = FxHashMap::default();
        let mut mentioned = vec![false; names.len()];
        for (number, markable) in self.markables.iter().enumerate() {
            by_words.entry(markable.mention.parts()).or_default().push(number);
            mentioned[markable.mention.entity().index()] = true;
        }
        let mut opening: Vec<(u32, u32, usize, String)> = Vec::new();
        for bridge in &relations.bridges {
            let all = |words: &[Span]| by_words.get(words).map_or(&[][..], Vec::as_slice);
            let entity = |&&number: &&usize| Some(self.markables[number].mention.entity()) == bridge.entity;
            let antecedent = bridge.antecedent.as_deref().map(|words| {
                let all = all(words);
                all.iter().find(entity).or(all.first()).copied()
            });
            let wrong = |c: char| "()|@".contains(c) || c.is_control();
            let supported = !bridge.relation.contains(wrong) && bridge.relation.trim() == bridge.relation;
            let known = bridge.entity.is_none_or(|entity| mentioned[entity.index()]);
            let (Some(&anaphor), true) =
                (all(&bridge.anaphor).first(), supported && known && antecedent != Some(None))
            else {
                let position = Position::new(self.document.source(), bridge.line, bridge.column);
                losses.lost("bridging relations", position);
                continue;
            };
            let mut item = format!("(MarkableID=m{}", anaphor + 1);
            if !bridge.relation.is_empty() {
                let _ = write!(item, "|Rel={}", bridge.relation);
            }
            if let Some(antecedent) = antecedent.flatten() {
                let _ = write!(item, "|MentionAnchor=m{}", antecedent + 1);
            }
            if let Some(entity) = bridge.entity {
                let _ = write!(item, "|EntityAnchor={}", names[entity.index()]);
            }
            for &(first, last) in &self.markables[anaphor].brackets {
                opening.push((first, last, anaphor, item.clone()));
            }
        }
        opening.sort_by_key(|&(first, last, number, _)| (last, Reverse(first), Reverse(number)));
        for (first, last, number, _) in &opening {
            if first < last {
                self.close(&mut cells[*last as usize], *number);
            }
        }
        opening.sort_by_key(|&(first, last, number, _)| (first, Reverse(last), number));
        for (first, last, _, item) in opening {
            cells[first as usize].extend([item.as_str(), if first == last { ")" } else { "" }]);
        }
        cells
    }
}

/// Returns whether `from` is `to` or a sum that contains `to`, directly or not.
fn leads_to(parts: &FxHashMap<EntityId, Vec<EntityId>>, from: EntityId, to: EntityId) -> bool {
    let mut seen = vec![from];
    let mut place = 0;
    while let Some(&entity) = seen.get(place) {
        if entity == to {
            return true;
        }
        place += 1;
        for &part in parts.get(&entity).into_iter().flatten() {
            if !seen.contains(&part) {
                seen.push(part);
            }
        }
    }
    false
}
