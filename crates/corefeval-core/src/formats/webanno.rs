//! Reads WebAnno TSV 3, also written by INCEpTION.
//!
//! Coreference is a chain layer (`#T_CH=`) or a relation layer (`#T_RL=`). The reader uses the layers whose name
//! contains `coref`, otherwise all chain layers, otherwise the only relation layer other than syntax. In a chain layer,
//! the words with the same chain and link number (`*->3-1`) form a mention, and chains are entities. In a relation
//! layer, all spans of the layer that it connects (`BT_…`) are mentions, and relations join them into entities. A
//! relation whose type starts with `bridg` is bridging, not identity: it runs from the mention that the cell names to
//! the mention of its line. As in GUM, it is part of a split antecedent if the type contains `aggr`.
//!
//! Relations of identity are kept as links, and so are neighbours in a chain.
//!
//! Other features of the mention's layer become its attributes: `entity` is the type of the entity
//! and `infstat` the type of the mention. Mentions of part of a word are extended to the whole
//! word and counted.

use corefeval_metrics::Closure;

use crate::wording::{Text, plural};
use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::file_reader::{ErrorList, both};
use super::frame::Frame;
use super::names::Names;
use super::standoff::{joined, mention};
use super::{Aspect, Ending, FormatSpec, Reader, ZERO_SETTINGS, utf8};
use crate::diagnostic::{Code, Position};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{
    Bridge, Corpus, DocumentBuilder, DocumentId, ENTITY_TYPE, EntityId, Link, MENTION_TYPE, Relations, Span,
    SplitAntecedent, WordsBuilder,
};

/// `webanno`.
pub(super) const SPEC: FormatSpec = FormatSpec {
    id: "webanno",
    summary: "WebAnno and INCEpTION TSV 3: coreference as a layer of chains or of relations",
    extensions: &["tsv"],
    expresses: &[Aspect::Attributes, Aspect::SplitAntecedents, Aspect::Bridges],
    settings: ZERO_SETTINGS,
    link_notation: Some("relations or chains"),
    detect: |bytes| bytes.starts_with(b"#FORMAT=WebAnno TSV 3"),
    names: Names::Columns(&["FORMAT", "T_SP", "T_CH", "T_RL", "Text", "Sentence.id"]),
    ending: Ending::Line,
    reader: |source, options| {
        let words = WordsBuilder::new(options.keep_layers);
        Box::new(WebannoReader {
            frame: Frame::new(source, options),
            layers: Vec::new(),
            begun: false,
            columns: 3,
            words,
            sentence: String::new(),
            units: FxHashMap::default(),
            found: Vec::new(),
            by_key: FxHashMap::default(),
            by_unit: FxHashMap::default(),
            relations: Vec::new(),
            lost: false,
            numbering: None,
            written: WrittenSentence::default(),
            rest: String::new(),
            within: false,
        })
    },
    write: Some(super::write::webanno::WRITER),
    ..FormatSpec::PLAIN
};

/// The role of a layer of the header.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LayerRole {
    /// The layer is ignored.
    Other,
    /// The spans of the layer are mentions.
    Mentions,
    /// The chains of the layer are entities.
    Chains,
    /// The relations of the layer link the spans of another layer.
    Relations { spans: usize },
}

/// A layer of the header.
struct Layer {
    /// The kind as written: `SP`, `CH` or `RL`.
    kind: [u8; 2],
    name: String,
    features: Vec<String>,
    /// The first column of the layer.
    column: usize,
    role: LayerRole,
    line: u32,
}

/// Identifies a span of a layer.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    /// The number in brackets, for spans of several words or several spans at one place.
    Id(u32),
    /// The line, for other spans.
    Unit(u32),
    /// The numbers of chain and link.
    Link(u32, u32),
}

/// A mention.
struct ChainMention {
    layer: usize,
    key: Key,
    words: Vec<Span>,
    /// True if it covers only part of a word.
    cut: bool,
    attributes: Vec<(String, String)>,
    line: u32,
    column: u32,
}

/// A relation between two spans in a cell. The span of the line is the target.
struct SpanRelation {
    spans: usize,
    kind: String,
    /// The word of the source, `2-5`, and the number of its span there, or 0.
    source: (String, u32),
    target: (u32, u32),
    line: u32,
    column: u32,
}

/// The mentions of entities: numbers in the list of found mentions.
struct Grouped {
    groups: Closure,
    /// The relations of identity and the neighbours in chains.
    links: Vec<[usize; 2]>,
    /// The relations between entities, with anaphor and antecedent.
    beyond: Vec<(usize, usize, SpanRelation)>,
}

struct WebannoReader {
    frame: Frame,
    layers: Vec<Layer>,
    /// True if a word has been read.
    begun: bool,
    /// The number of columns of a line.
    columns: usize,
    words: WordsBuilder,
    /// The number of the current sentence.
    sentence: String,
    /// The numbers of lines by their ids, `2-5` or `2-5.1`.
    units: FxHashMap<String, u32>,
    found: Vec<ChainMention>,
    by_key: FxHashMap<(usize, Key), usize>,
    /// The first spans that start on a line, by layer and line.
    by_unit: FxHashMap<(usize, u32), usize>,
    relations: Vec<SpanRelation>,
    /// True if mentions are missing because of lines with errors.
    lost: bool,
    /// The numbers of sentence and word in the previous line, if it had no error.
    numbering: Option<(u32, u32)>,
    /// The current sentence, if its text is compared with its words.
    written: WrittenSentence,
    /// The text of the current sentence after the words read so far. Empty after a word that differs from the text.
    rest: String,
    /// True once a word of that sentence is read. Until then, its text may continue on further lines.
    within: bool,
}

impl Reader for WebannoReader {
    fn feed(&mut self, lines: &[u8]) -> Result<()> {
        for line in lines.split_inclusive(|&byte| byte == b'\n') {
            self.frame.line += 1;
            let source = Arc::clone(&self.frame.source);
            let text = utf8(line, &source, self.frame.line, 1);
            self.lost |= text.is_err();
            let line = text?.trim_end_matches(['\n', '\r']);
            if line.trim().is_empty() {
                continue;
            }
            match line.strip_prefix('#') {
                // A word line starts with a digit, so this is never a word.
                Some(header) => self.header(header)?,
                None => self.row(line)?,
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Corpus> {
        if self.words.count() == 0 {
            let error = Error::new(ErrorKind::Format, "this file has no words").coded(Code::NoDocument);
            return Err(error.at(Position::new(&self.frame.source, 0, 0)));
        }
        if !self.rest.trim().is_empty() && !self.lost {
            let message = || "the file is truncated: its last sentence lacks words of its `#Text`".to_owned();
            self.frame.note(Code::Truncated, 0, None, message);
        }
        self.document()?;
        Ok(self.frame.corpus)
    }

    fn frame(&mut self) -> Option<&mut Frame> {
        Some(&mut self.frame)
    }

    fn resumes(&self) -> bool {
        // Lines cannot be read without the layers.
        self.begun
    }
}

impl WebannoReader {
    fn error(&self, column: usize, message: impl Into<Text>) -> Error {
        let position = Position::new(&self.frame.source, self.frame.line, column as u32 + 1);
        Error::new(ErrorKind::Format, message).at(position)
    }

    /// Handles a line of the header, after its `#`. Skips unknown lines.
    fn header(&mut self, header: &str) -> Result<()> {
        if let Some(text) = header.strip_prefix("Text=") {
            if std::mem::take(&mut self.within) {
                self.rest.clear();
            }
            self.rest.push_str(text);
            if !self.frame.options.all_errors {
                return Ok(());
            }
            if !self.written.rows.is_empty() {
                self.compare_text();
            }
            // The text of a sentence can cover several such lines.
            self.written.lines.push(text.to_owned());
            return Ok(());
        }
        if let Some(version) = header.strip_prefix("FORMAT=") {
            if !version.starts_with("WebAnno TSV 3") {
                let error =
                    self.error(8, format!("this is `{version}`, not WebAnno TSV 3")).coded(Code::BadValue);
                return Err(error.hint("export it as WebAnno TSV v3.3"));
            }
            return Ok(());
        }
        let kinds = [("T_SP=", b"SP"), ("T_CH=", b"CH"), ("T_RL=", b"RL")];
        let layer = kinds.iter().find_map(|(prefix, kind)| Some((header.strip_prefix(prefix)?, **kind)));
        let Some((layer, kind)) = layer else { return Ok(()) };
        if self.begun {
            let error = self.error(0, "a layer is declared after the first word");
            return Err(error.hint("one file holds one document; put each into a separate file"));
        }
        let mut parts = layer.split('|').map(str::trim);
        let name = parts.next().unwrap_or_default().to_owned();
        let mut features: Vec<String> = parts.map(str::to_owned).collect();
        if features.is_empty() {
            features.push(String::new());
        }
        let column = self.columns;
        self.columns += features.len();
        self.layers.push(Layer {
            kind,
            name,
            features,
            column,
            role: LayerRole::Other,
            line: self.frame.line,
        });
        Ok(())
    }

    /// Chooses the layers to read, at the first word.
    fn choose_layers(&mut self) -> Result<()> {
        let called = |layer: &Layer| layer.name.to_lowercase().contains("coref");
        let links = |layer: &Layer| layer.kind == *b"CH" || layer.kind == *b"RL";
        let numbers = |wanted: &dyn Fn(&Layer) -> bool| -> Vec<usize> {
            (0..self.layers.len()).filter(|&number| wanted(&self.layers[number])).collect()
        };
        let mut chosen = numbers(&|layer| links(layer) && called(layer));
        if chosen.is_empty() {
            chosen = numbers(&|layer| layer.kind == *b"CH");
        }
        if chosen.is_empty() {
            let plain = |layer: &Layer| layer.kind == *b"RL" && !layer.name.contains(".syntax.");
            chosen = numbers(&plain);
            if chosen.len() > 1 {
                chosen.clear();
            }
        }
        if chosen.is_empty() {
            let names: Vec<&str> = self.layers.iter().map(|layer| layer.name.as_str()).collect();
            let message = match names.as_slice() {
                [] => "the header declares no layers".to_owned(),
                names => format!("none of the layers declares coreference: {}", names.join(", ")),
            };
            return Err(self.error(0, message).coded(Code::MissingField).hint(
                "export coreference as a layer of chains (#T_CH=), or of relations (#T_RL=) with `coref` in its name",
            ));
        }
        for number in chosen {
            if self.layers[number].kind == *b"CH" {
                self.layers[number].role = LayerRole::Chains;
                continue;
            }
            let layer = &self.layers[number];
            let base = layer.features.iter().find_map(|feature| feature.strip_prefix("BT_"));
            let spans = base.and_then(|base| {
                self.layers.iter().position(|other| other.kind == *b"SP" && other.name == base)
            });
            let Some(spans) = spans else {
                let message = match base {
                    Some(base) => {
                        format!("the layer `{base}`, whose spans `{}` links, is not declared", layer.name)
                    }
                    None => format!("the layer `{}` does not name the spans that it relates", layer.name),
                };
                let position = Position::new(&self.frame.source, layer.line, 1);
                return Err(Error::new(ErrorKind::Format, message)
                    .coded(Code::BadValue)
                    .at(position)
                    .hint("a layer of relations ends in `|BT_` and the name of a layer of spans (#T_SP=)"));
            };
            self.layers[number].role = LayerRole::Relations { spans };
            self.layers[spans].role = LayerRole::Mentions;
        }
        Ok(())
    }

    /// Handles the line of a word, `2-5<TAB>10-14<TAB>boat<TAB>…`, or of part of a word, `2-5.1<TAB>…`.
    fn row(&mut self, line: &str) -> Result<()> {
        if !self.begun {
            self.choose_layers()?;
            self.begun = true;
        }
        let cells: Vec<&str> = line.split('\t').collect();
        let unit = cells[0];
        let (sentence, rest) = self.word_number(&cells, line)?;
        if self.frame.options.all_errors {
            self.check_row(&cells);
        }
        let mut errors = ErrorList::default();
        if !is_place_in_text(cells[1]) {
            let error = self
                .error(unit.len() + 1, format!("`{}` is not a place in the text", cells[1]))
                .coded(Code::BadValue);
            errors.keep(
                error.hint("the second column has the first and the last character, such as `10-14`"),
            )?;
        }
        let number = self.units.len() as u32;
        if self.units.contains_key(unit) {
            self.lost = true;
            let error = self.error(0, format!("the word `{unit}` is repeated here")).coded(Code::RepeatedId);
            errors.keep(error.hint("one file holds one document; put each into a separate file"))?;
            return errors.finish();
        }
        self.units.insert(unit.to_owned(), number);
        let is_part = rest.contains('.');
        if !is_part {
            self.within = true;
            let rest = cells.get(2).and_then(|word| self.rest.trim_start().strip_prefix(word));
            self.rest = rest.unwrap_or_default().to_owned();
        }
        let word = if is_part {
            // A missing word may be on a line with an error.
            if self.words.count() == 0 {
                let error = self.error(0, format!("`{unit}` is part of a word that the file lacks"));
                let known = std::mem::replace(&mut self.lost, true);
                let missing = if known { Ok(()) } else { Err(error.coded(Code::WordNumber)) };
                return both(errors.finish(), missing);
            }
            self.words.count() - 1
        } else {
            if sentence != self.sentence {
                self.words.end_sentence();
                sentence.clone_into(&mut self.sentence);
            }
            let word = self.words.push(cells[2].as_bytes());
            if let Some(layers) = self.words.layers_mut() {
                layers.form.push(cells[2]);
                layers.line.push(self.frame.line);
            }
            word
        };
        // A place between two characters covers no word.
        let empty = cells[1].split_once('-').is_some_and(|(start, end)| is_part && start == end);
        let place = CellLinePlace { word: (!empty).then(|| Span::word(word)), unit: number, is_part };
        self.annotation(&cells, &place, &mut errors)?;
        errors.finish()
    }

    /// Checks the cells of a line, and returns the numbers of its sentence and of its word.
    fn word_number<'l>(&mut self, cells: &[&'l str], line: &str) -> Result<(&'l str, &'l str)> {
        let unit = cells[0];
        let Some((sentence, rest)) = unit
            .split_once('-')
            .filter(|(sentence, rest)| is_number(sentence) && rest.split('.').all(is_number))
        else {
            (self.lost, self.numbering) = (true, None);
            let error =
                self.error(0, format!("`{unit}` is not the number of a word")).coded(Code::WordNumber);
            return Err(
                error.hint("a line starts with the numbers of sentence and word, such as `2-5`, and a tab")
            );
        };
        if cells.len() < self.columns {
            (self.lost, self.numbering) = (true, None);
            let message = format!(
                "this line has {}, but the layers in the header require {}",
                plural(cells.len(), "column", "columns"),
                self.columns
            );
            return Err(self
                .error(line.len(), message)
                .coded(Code::MissingColumn)
                .hint("is the line cut short?"));
        }
        // Lines end with a tab.
        let found = cells.len() - usize::from(cells.last() == Some(&""));
        if found != self.columns {
            self.frame.note(Code::ColumnCount, line.len() as u32, None, || {
                format!(
                    "this line has {}, but the layers in the header require {}",
                    plural(found, "column", "columns"),
                    self.columns
                )
            });
        }
        Ok((sentence, rest))
    }

    /// Reads the cells of all layers.
    fn annotation(&mut self, cells: &[&str], place: &CellLinePlace, errors: &mut ErrorList) -> Result<()> {
        let mut columns = Vec::with_capacity(cells.len());
        let mut column = 0;
        for cell in cells {
            columns.push(column);
            column += cell.len() + 1;
        }
        for layer in 0..self.layers.len() {
            match self.layers[layer].role {
                LayerRole::Other if self.frame.counts_unread() => {
                    let other = &self.layers[layer];
                    let cells = cells.iter().skip(other.column).take(other.features.len());
                    self.frame.count_unread(cells.map(|cell| cell.as_bytes()));
                }
                LayerRole::Other => {}
                LayerRole::Mentions => self.spans(layer, cells, &columns, place),
                LayerRole::Chains => {
                    let read = self.links(layer, cells, &columns, place);
                    errors.check(read)?;
                }
                LayerRole::Relations { spans } => {
                    let read = self.arrows(layer, spans, cells, &columns, place.unit);
                    errors.check(read)?;
                }
            }
        }
        Ok(())
    }

    /// Reports cells that may be damaged: numbers out of order, and unbalanced brackets.
    fn check_row(&mut self, cells: &[&str]) {
        let Some((sentence, word)) = cells[0].split_once('-') else { return };
        let numbers = (sentence.parse::<u32>(), word.split('.').next().unwrap_or_default().parse::<u32>());
        if let (Ok(sentence), Ok(word)) = numbers {
            let is_part = cells[0].contains('.');
            let follows = match self.numbering {
                Some((last, before)) if last == sentence => word == before + u32::from(!is_part),
                Some((last, _)) => last.checked_add(1) == Some(sentence) && word == 1,
                None => word == 1 || self.lost,
            };
            if !follows {
                let unit = cells[0].to_owned();
                let before = self.numbering.map(|(sentence, word)| format!("`{sentence}-{word}`"));
                self.frame.note(Code::WordOrder, 1, None, || match before {
                    Some(before) => format!("the word `{unit}` follows {before}"),
                    None => format!("the first word is `{unit}`"),
                });
            }
            self.numbering = Some((sentence, word));
        }
        let mut column = 1;
        for (place, cell) in cells.iter().enumerate() {
            if place == 1
                && let Some((start, end)) = cell.split_once('-')
                && let (Ok(start), Ok(end)) = (start.parse(), end.parse())
            {
                let form = cells[2].to_owned();
                self.written.rows.push(WordRow {
                    form,
                    characters: (start, end),
                    place: (self.frame.line, column),
                    is_part: cells[0].contains('.'),
                });
            }
            let mut from = column;
            for item in split(cell, '|').filter(|_| place > 2) {
                let value = numbered(item).0;
                let mut signs = value.char_indices().filter(|sign| matches!(sign.1, '[' | ']'));
                if signs.any(|(at, _)| !value[..at].ends_with('\\'))
                    && !value.contains("->")
                    && !is_arrow(item)
                {
                    self.frame.note(Code::Misspelled, from, None, || {
                        format!("`{item}` has an unbalanced bracket and no mention number")
                    });
                }
                from += item.len() as u32 + 1;
            }
            column += cell.len() as u32 + 1;
        }
    }

    /// Compares the words of a sentence with its text, at the end of the sentence.
    fn compare_text(&mut self) {
        let written = std::mem::take(&mut self.written);
        for (row, found) in written.misfits() {
            let WordRow { form, characters: (start, end), place: (line, column), .. } = &written.rows[row];
            let position = Position::new(&self.frame.source, *line, *column);
            self.frame.corpus.diagnostics.add(Code::TextDiffers, Some(position), None, || match found {
                Some(found) => format!("the text at the characters {start}-{end} of `{form}` is `{found}`"),
                None => {
                    format!("the characters {start}-{end} of `{form}` are not in the text of its sentence")
                }
            });
        }
    }

    /// Returns the span with this key, after adding the word of this line to it.
    fn span(&mut self, layer: usize, key: Key, place: &CellLinePlace, column: usize) -> usize {
        let number = self.found.len();
        let found = *self.by_key.entry((layer, key)).or_insert(number);
        if found == number {
            self.found.push(ChainMention {
                layer,
                key,
                words: Vec::with_capacity(1),
                cut: false,
                attributes: Vec::new(),
                line: self.frame.line,
                column: column as u32 + 1,
            });
            self.by_unit.entry((layer, place.unit)).or_insert(number);
        }
        let span = &mut self.found[found];
        if let Some(word) = place.word
            && span.words.last() != Some(&word)
        {
            span.words.push(word);
        }
        span.cut |= place.is_part;
        found
    }

    /// Reads the cells of a layer of spans.
    fn spans(&mut self, layer: usize, cells: &[&str], columns: &[usize], place: &CellLinePlace) {
        let Layer { column: first, features, .. } = &self.layers[layer];
        let (first, count) = (*first, features.len());
        for feature in 0..count {
            let cell = cells[first + feature];
            // The column after a role contains the places of other spans.
            let slots = feature > 0 && self.layers[layer].features[feature - 1].starts_with("ROLE_");
            if cell == "_" || cell.is_empty() || slots {
                continue;
            }
            for item in split(cell, '|') {
                let (value, id) = numbered(item);
                let key = id.map_or(Key::Unit(place.unit), Key::Id);
                let found = self.span(layer, key, place, columns[first + feature]);
                self.attribute(found, layer, feature, value);
            }
        }
    }

    fn attribute(&mut self, found: usize, layer: usize, feature: usize, value: &str) {
        let Layer { name: layer, features, .. } = &self.layers[layer];
        let feature = features[feature].as_str();
        if value == "*"
            || value == "_"
            || value.is_empty()
            || feature.is_empty()
            || feature.starts_with("ROLE_")
        {
            return;
        }
        let plain: String = feature.to_lowercase().split(['_', '-']).collect();
        let name = match plain.as_str() {
            "entity" | "etype" | "entitytype" => ENTITY_TYPE,
            "value" if layer.ends_with(".NamedEntity") => ENTITY_TYPE,
            "infstat" | "mentiontype" | "referencetype" => MENTION_TYPE,
            _ => feature,
        };
        let attributes = &mut self.found[found].attributes;
        if attributes.iter().all(|(known, _)| known != name) {
            attributes.push((name.to_owned(), unescaped(value)));
        }
    }

    /// Reads the cells of a layer of chains: `*->3-1` and `pron[3]`.
    fn links(
        &mut self,
        layer: usize,
        cells: &[&str],
        columns: &[usize],
        place: &CellLinePlace,
    ) -> Result<()> {
        let Layer { column: first, features, .. } = &self.layers[layer];
        let (first, count) = (*first, features.len());
        let linking = (0..count).find(|&feature| cells[first + feature].contains("->"));
        let Some(linking) = linking else {
            let odd = (0..count).find(|&feature| !matches!(cells[first + feature], "_" | ""));
            return match odd {
                None => Ok(()),
                Some(feature) => {
                    let message = format!("`{}` lacks the numbers of chain and link", cells[first + feature]);
                    Err(self
                        .error(columns[first + feature], message)
                        .coded(Code::BadValue)
                        .hint("a link of a chain is written `*->3-1`"))
                }
            };
        };
        let mut members = Vec::new();
        let mut errors = ErrorList::default();
        let mut column = columns[first + linking];
        for item in split(cells[first + linking], '|') {
            let numbers = item.rfind("->").and_then(|arrow| {
                let (chain, link) = numbered(&item[arrow + 2..]).0.split_once('-')?;
                Some((chain.parse::<u32>().ok()?, link.parse::<u32>().ok()?))
            });
            let Some((chain, link)) = numbers else {
                let error = self
                    .error(column, format!("`{item}` lacks the numbers of chain and link"))
                    .coded(Code::BadValue);
                errors.keep(error.hint("a link of a chain is written `*->3-1`"))?;
                column += item.len() + 1;
                continue;
            };
            members.push(self.span(layer, Key::Link(chain, link), place, column));
            column += item.len() + 1;
        }
        errors.finish()?;
        for feature in (0..count).filter(|&feature| feature != linking) {
            for (item, &found) in split(cells[first + feature], '|').zip(&members) {
                self.attribute(found, layer, feature, numbered(item).0);
            }
        }
        Ok(())
    }

    /// Reads the cells of a layer of relations: types, and `2-5[10_3]`, which names span 10 at word 2-5 and span 3 of
    /// this line.
    fn arrows(
        &mut self,
        layer: usize,
        spans: usize,
        cells: &[&str],
        columns: &[usize],
        unit: u32,
    ) -> Result<()> {
        let Layer { column: first, features, .. } = &self.layers[layer];
        let last = first + features.len() - 1;
        // Features are sorted by name. The type is the feature with one of these names, otherwise the first feature.
        let named = |feature: &String| matches!(feature.as_str(), "type" | "relation" | "Relation" | "label");
        let kind = features.iter().position(named).unwrap_or(0);
        let kinds = if features.len() > 1 { cells[first + kind] } else { "_" };
        if cells[last] == "_" || cells[last].is_empty() {
            return Ok(());
        }
        let mut kinds = split(kinds, '|');
        let mut errors = ErrorList::default();
        let mut column = columns[last];
        for item in split(cells[last], '|') {
            let kind = kinds.next().map_or("", |kind| numbered(kind).0);
            let kind = if kind == "*" || kind == "_" { String::new() } else { unescaped(kind) };
            let (word, ids) = match item.strip_suffix(']').and_then(|item| item.split_once('[')) {
                Some((word, ids)) => {
                    (word, ids.split_once('_').map(|(a, b)| (a.parse().ok(), b.parse().ok())))
                }
                None => (item, Some((Some(0), Some(0)))),
            };
            let (Some((Some(source), Some(target))), true) = (ids, word.contains('-')) else {
                let error = self
                    .error(column, format!("`{item}` is not the place of a mention"))
                    .coded(Code::BadValue);
                errors.keep(error.hint("a relation names a word and two spans, such as `2-5[10_3]`"))?;
                column += item.len() + 1;
                continue;
            };
            self.relations.push(SpanRelation {
                spans,
                kind,
                source: (word.to_owned(), source),
                target: (unit, target),
                line: self.frame.line,
                column: column as u32 + 1,
            });
            column += item.len() + 1;
        }
        errors.finish()
    }

    /// Returns the span with this number on a line, or the only span without a number.
    fn resolve(&self, spans: usize, unit: Option<u32>, id: u32) -> Option<usize> {
        let unit = unit.map(|unit| {
            self.by_key.get(&(spans, Key::Unit(unit))).or_else(|| self.by_unit.get(&(spans, unit)))
        });
        match id {
            0 => unit.flatten().copied(),
            id => self.by_key.get(&(spans, Key::Id(id))).copied(),
        }
    }

    /// Returns the links of each chain of each layer in order: their numbers and their mentions.
    fn chains(&self) -> BTreeMap<(usize, u32), Vec<(u32, usize)>> {
        let mut chains: BTreeMap<(usize, u32), Vec<(u32, usize)>> = BTreeMap::new();
        for (number, found) in self.found.iter().enumerate() {
            if let Key::Link(chain, link) = found.key {
                chains.entry((found.layer, chain)).or_default().push((link, number));
            }
        }
        chains.values_mut().for_each(|links| links.sort_unstable());
        chains
    }

    /// Reports links of chains whose numbers have gaps.
    fn check_chains(&mut self) {
        let mut jumps = Vec::new();
        for ((_, chain), links) in self.chains() {
            let before = std::iter::once(0).chain(links.iter().map(|link| link.0));
            for (before, &(link, number)) in before.zip(&links) {
                if before + 1 != link {
                    jumps.push((number, chain, link));
                }
            }
        }
        jumps.sort_unstable();
        for (number, chain, link) in jumps {
            let found = &self.found[number];
            let position = Position::new(&self.frame.source, found.line, found.column);
            self.frame.corpus.diagnostics.add(Code::UnknownId, Some(position), None, || {
                format!("the chain {chain} has a link {link} but no link {}", link.saturating_sub(1))
            });
        }
    }

    fn document(&mut self) -> Result<()> {
        if self.frame.options.all_errors {
            self.compare_text();
            if !self.lost {
                self.check_chains();
            }
        }
        let Grouped { mut groups, links, beyond } = self.grouped();
        let id = DocumentId::new(self.frame.options.default_id.clone());
        let mut document = DocumentBuilder::new(id, Arc::clone(&self.frame.source), 1);
        let ends = self.add_mentions(&mut document, &mut groups);
        document.links = Some(links_of(links, &ends));
        let relations = relations_of(beyond, &ends);
        if !relations.bridges.is_empty() || !relations.split_antecedents.is_empty() {
            document.relations = Some(Box::new(relations));
        }
        let words = std::mem::take(&mut self.words).finish();
        self.frame.add_document(document, words)
    }
    /// Groups the mentions of entities.
    fn grouped(&mut self) -> Grouped {
        let mut groups = Closure::new(self.found.len());
        let chains = self.chains();
        let neighbours = chains.values().flat_map(|links| links.windows(2));
        let mut links: Vec<[usize; 2]> = neighbours.map(|two| [two[1].1, two[0].1]).collect();
        links.iter().for_each(|&[one, other]| groups.join(one, other));
        let mut beyond = Vec::new();
        for relation in std::mem::take(&mut self.relations) {
            let (word, id) = &relation.source;
            let source = self.resolve(relation.spans, self.units.get(word).copied(), *id);
            let target = self.resolve(relation.spans, Some(relation.target.0), relation.target.1);
            let (Some(source), Some(target)) = (source, target) else {
                if self.lost {
                    continue;
                }
                let position = Some(Position::new(&self.frame.source, relation.line, relation.column));
                self.frame.corpus.diagnostics.add(Code::UnknownId, position, None, || match source {
                    None if *id == 0 => format!("no mention at the word `{word}`"),
                    None => format!("no mention {id} at the word `{word}`"),
                    Some(_) => format!("no mention {} on this line", relation.target.1),
                });
                continue;
            };
            if relation.kind.to_lowercase().starts_with("bridg") {
                beyond.push((source, target, relation));
            } else {
                groups.join(source, target);
                links.push([source, target]);
            }
        }
        Grouped { groups, links, beyond }
    }

    /// Adds the mentions to a document, with their entities. Returns the entity and the words of each found mention, which
    /// are empty if it was left out.
    fn add_mentions(
        &mut self,
        document: &mut DocumentBuilder,
        groups: &mut Closure,
    ) -> Vec<(Option<EntityId>, Vec<Span>)> {
        let layers = self.found.iter().map(|found| found.layer);
        let mut layers: Vec<usize> = layers.collect();
        layers.dedup();
        let several = layers.len() > 1;
        let names: FxHashMap<u32, &String> = self.units.iter().map(|(name, &unit)| (unit, name)).collect();
        let mut entities: Vec<Option<EntityId>> = vec![None; self.found.len()];
        let mut runs: Vec<Vec<Span>> = Vec::with_capacity(self.found.len());
        for number in 0..self.found.len() {
            let found = &mut self.found[number];
            let what = match found.key {
                Key::Id(id) => id.to_string(),
                Key::Unit(unit) => names.get(&unit).map(|name| name.to_string()).unwrap_or_default(),
                Key::Link(chain, _) => chain.to_string(),
            };
            let what = match self.layers[found.layer].name.rsplit('.').next() {
                Some(layer) if several => format!("{layer}:{what}"),
                _ => what,
            };
            let position = || Some(Position::new(&self.frame.source, found.line, found.column));
            let words = joined(std::mem::take(&mut found.words));
            if words.is_empty() {
                self.frame.corpus.diagnostics.add(Code::EmptySpan, position(), None, || {
                    format!("the mention {what} has no words; it was left out")
                });
            } else {
                if found.cut {
                    self.frame.corpus.diagnostics.add(Code::InsideWord, position(), None, || {
                        format!("the mention {what} covers part of a word; it was extended to the whole word")
                    });
                }
                let root = groups.find(number);
                let entity = *entities[root].get_or_insert_with(|| document.add_entity(what.as_str()));
                let attributes = std::mem::take(&mut found.attributes);
                document.mentions.extend(mention(
                    words.clone(),
                    entity,
                    (found.line, found.column),
                    attributes,
                ));
            }
            runs.push(words);
        }
        let entity = |(number, words)| (entities[groups.find(number)], words);
        runs.into_iter().enumerate().map(entity).collect()
    }
}

/// Returns links between found mentions as links between mentions of the document. A link does not remain if an end was left out.
fn links_of(links: Vec<[usize; 2]>, ends: &[(Option<EntityId>, Vec<Span>)]) -> Vec<Link> {
    let mut next = 0;
    let places: Vec<Option<u32>> = ends
        .iter()
        .map(|(_, words)| {
            let place = next;
            next += u32::from(!words.is_empty());
            (!words.is_empty()).then_some(place)
        })
        .collect();
    links.into_iter().filter_map(|[one, other]| Some([places[one]?, places[other]?])).collect()
}

/// Returns the relations between entities, given the entity and the words of each mention.
fn relations_of(
    beyond: Vec<(usize, usize, SpanRelation)>,
    ends: &[(Option<EntityId>, Vec<Span>)],
) -> Relations {
    let mut relations = Relations::default();
    let mut sums: FxHashMap<EntityId, usize> = FxHashMap::default();
    let mut summed: FxHashSet<(EntityId, EntityId)> = FxHashSet::default();
    for (anaphor, antecedent, relation) in beyond {
        let ((whole, anaphor), (part, antecedent)) = (&ends[anaphor], &ends[antecedent]);
        if anaphor.is_empty() || antecedent.is_empty() {
            continue;
        }
        if let (Some(whole), Some(part)) = (*whole, *part)
            && relation.kind.to_lowercase().contains("aggr")
        {
            let number = relations.split_antecedents.len();
            let sum = *sums.entry(whole).or_insert(number);
            if sum == number {
                let line = relation.line;
                relations.split_antecedents.push(SplitAntecedent { entity: whole, parts: Vec::new(), line });
            }
            if summed.insert((whole, part)) {
                relations.split_antecedents[sum].parts.push(part);
            }
        } else {
            relations.bridges.push(Bridge {
                anaphor: anaphor.clone(),
                antecedent: Some(antecedent.clone()),
                entity: *part,
                relation: relation.kind,
                line: relation.line,
                column: relation.column,
            });
        }
    }
    relations
}

/// Returns whether a cell has the first and the last character of a word, as in `10-14`.
fn is_place_in_text(cell: &str) -> bool {
    cell.split_once('-').is_some_and(|(start, end)| is_number(start) && is_number(end))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether an item is the place of another mention, such as `2-5[10_3]`.
fn is_arrow(item: &str) -> bool {
    let ids = item.strip_suffix(']').and_then(|item| item.split_once('['));
    ids.is_some_and(|(_, ids)| ids.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_'))
}

/// A word as written on its line.
struct WordRow {
    form: String,
    /// The first character, and one past the last.
    characters: (i64, i64),
    /// The line, and the column of the characters.
    place: (u32, u32),
    is_part: bool,
}

/// Splits a text into the units that one variant of offsets counts.
type OffsetUnits<'u> = &'u dyn Fn(&str) -> Vec<u32>;

/// The text of a sentence and its words.
#[derive(Default)]
struct WrittenSentence {
    /// The lines of its text.
    lines: Vec<String>,
    rows: Vec<WordRow>,
}

impl WrittenSentence {
    /// Returns the words that differ from the text at their offsets, each with that text, if any.
    ///
    /// Offsets may count characters as Java or as Python does, with or without escapes and line ends. The variant that
    /// fits the file best is used. Offsets count from the start of the document. The start of the sentence is inferred
    /// from most of its words.
    fn misfits(&self) -> Vec<(usize, Option<String>)> {
        let java = |text: &str| text.encode_utf16().map(u32::from).collect::<Vec<u32>>();
        let python = |text: &str| text.chars().map(u32::from).collect::<Vec<u32>>();
        let ways: [OffsetUnits<'_>; 4] =
            [&java, &python, &|text| java(&unescaped(text)), &|text| python(&unescaped(text))];
        let mut best: Option<Vec<(usize, Option<String>)>> = None;
        let joints = if self.lines.len() > 1 { &["\n", "\r\n", ""][..] } else { &[""] };
        for (joint, way) in joints.iter().flat_map(|joint| ways.iter().map(move |way| (joint, way))) {
            let misfits = self.misfits_in(&self.lines.join(joint), way);
            if best.as_ref().is_none_or(|best| misfits.len() < best.len()) {
                best = Some(misfits);
            }
            if best.as_ref().is_some_and(Vec::is_empty) {
                break;
            }
        }
        best.unwrap_or_default()
    }

    fn misfits_in(&self, text: &str, units: OffsetUnits<'_>) -> Vec<(usize, Option<String>)> {
        let text = units(text);
        let forms: Vec<Vec<u32>> = self.rows.iter().map(|row| units(&row.form)).collect();
        let mut starts: FxHashMap<i64, usize> = FxHashMap::default();
        let mut from = 0;
        for (row, form) in self.rows.iter().zip(&forms).filter(|(row, form)| !row.is_part && !form.is_empty())
        {
            if let Some(at) = text[from..].windows(form.len()).position(|window| window == form) {
                *starts.entry(row.characters.0 - (from + at) as i64).or_default() += 1;
                from += at + form.len();
            }
        }
        let start = starts.into_iter().max_by_key(|&(start, count)| (count, std::cmp::Reverse(start)));
        let start = start.map_or(0, |(start, _)| start);
        let mut misfits = Vec::new();
        for (number, (row, form)) in self.rows.iter().zip(&forms).enumerate() {
            let (first, end) = row.characters;
            if self.lines.is_empty() {
                if end - first != form.len() as i64 {
                    misfits.push((number, None));
                }
                continue;
            }
            let range = usize::try_from(first - start).ok().zip(usize::try_from(end - start).ok());
            let found = range.and_then(|(first, end)| text.get(first..end));
            if found != Some(form.as_slice()) {
                let shown = |found: &[u32]| found.iter().filter_map(|&unit| char::from_u32(unit)).collect();
                misfits.push((number, found.map(shown)));
            }
        }
        misfits
    }
}

/// The place of a line.
struct CellLinePlace {
    /// The word, unless the place is between two characters.
    word: Option<Span>,
    unit: u32,
    /// True if the line is part of a word.
    is_part: bool,
}

/// Returns the parts of a cell between separators that are not escaped by a backslash.
fn split(cell: &str, separator: char) -> impl Iterator<Item = &str> {
    let mut rest = Some(cell);
    std::iter::from_fn(move || {
        let text = rest?;
        let mut escaped = false;
        for (place, character) in text.char_indices() {
            if character == separator && !escaped {
                rest = Some(&text[place + character.len_utf8()..]);
                return Some(&text[..place]);
            }
            escaped = character == '\\' && !escaped;
        }
        rest = None;
        Some(text)
    })
}

/// Splits an item into a value and the number in brackets after it.
fn numbered(item: &str) -> (&str, Option<u32>) {
    let parts = item.strip_suffix(']').and_then(|item| {
        let (value, id) = item.rsplit_once('[')?;
        // An escaped bracket is part of the value.
        (!value.ends_with('\\')).then_some((value, id.parse().ok()?))
    });
    match parts {
        Some((value, id)) => (value, Some(id)),
        None => (item, None),
    }
}

/// Removes the backslashes from a value.
fn unescaped(value: &str) -> String {
    let mut plain = String::with_capacity(value.len());
    let mut characters = value.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            plain.push(character);
            continue;
        }
        match characters.next() {
            Some('t') => plain.push('\t'),
            Some('n') => plain.push('\n'),
            Some('r') => plain.push('\r'),
            Some(other) => plain.push(other),
            None => {}
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_split_numbered_and_unescaped() {
        let parts: Vec<&str> = split(r"a\|b[1]|c\\|d", '|').collect();
        assert_eq!(parts, [r"a\|b[1]", r"c\\", "d"]);
        assert_eq!(numbered(r"a\|b[1]"), (r"a\|b", Some(1)));
        assert_eq!(numbered(r"a\[1\]"), (r"a\[1\]", None));
        assert_eq!(numbered("a[b]"), ("a[b]", None));
        assert_eq!(unescaped(r"a\|b\t\\"), "a|b\t\\");
    }
}
