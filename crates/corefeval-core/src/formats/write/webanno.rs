//! Writes `webanno`: WebAnno TSV 3.3 with mentions as a layer of spans and coreference as a layer of relations, as in
//! GUM. Each mention is linked to the previous mention of its entity.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use super::Writer;
use super::conll::text_span;
use super::losses::Losses;
use super::text::{self, TextWords};
use crate::diagnostic::Position;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Document, ENTITY_TYPE, EntityId, MENTION_TYPE, Mention, Span};

pub(in crate::formats) const WRITER: Writer = Writer::Files(write);

/// The layers of mentions and of coreference.
const LAYERS: [&str; 2] = ["webanno.custom.Referent", "webanno.custom.Coref"];

/// The attributes that have separate features.
const FEATURES: [(&str, &str); 2] = [(ENTITY_TYPE, "entity"), (MENTION_TYPE, "infstat")];

fn write(document: &Document, stem: &str, losses: &mut Losses<'_>) -> Result<Vec<(&'static str, String)>> {
    let (words, layers) = (document.words(), super::text_of(document, "webanno")?);
    if words.count_in_text() == 0 {
        let message = format!("`{}` has no words, but a webanno file requires some", document.id());
        let error = Error::new(ErrorKind::Format, message).at(document.position());
        return Err(error.hint("leave the document out, or write another format"));
    }
    let renamed = document.id().name() != stem || document.id().part().is_some();
    losses.renamed("the id of the document, replaced by the name of its file", usize::from(renamed));
    let in_text = TextWords::of(words);
    let mut spans: Vec<(Span, &Mention)> = Vec::with_capacity(document.mentions().len());
    for mention in document.mentions() {
        spans.extend(text_span(mention, &in_text, losses).map(|span| (span, mention)));
    }
    spans.sort_by_key(|(span, _)| (span.start(), std::cmp::Reverse(span.end())));
    note_names(document, &spans, losses);
    let features = features(&spans, losses);
    // The cells of each word: one for each feature, then types and places of relations.
    let columns = features.len();
    let mut cells = vec![vec![String::new(); columns + 2]; words.count_in_text() as usize];
    let add = |cell: &mut String, item: &str| {
        if !cell.is_empty() {
            cell.push('|');
        }
        cell.push_str(item);
    };
    for (number, (span, mention)) in (1u32..).zip(&spans) {
        let values = values(mention, &features, losses);
        for word in span.start()..span.end() {
            for (cell, value) in cells[word as usize].iter_mut().zip(&values) {
                add(cell, &format!("{value}[{number}]"));
            }
        }
    }
    let names = unit_names(document);
    for relation in relations(document, &spans, losses) {
        let (source, target) = (spans[relation.source].0, spans[relation.target].0);
        let row = &mut cells[target.start() as usize];
        let (source_number, target_number) = (relation.source + 1, relation.target + 1);
        let place = format!("{}[{source_number}_{target_number}]", names[source.start() as usize]);
        add(&mut row[columns], &relation.kind);
        add(&mut row[columns + 1], &place);
    }
    let mut file = format!("#FORMAT=WebAnno TSV 3.3\n#T_SP={}", LAYERS[0]);
    features.iter().for_each(|feature| _ = write!(file, "|{}", feature.written));
    let _ = write!(file, "\n#T_RL={}|type|BT_{}\n\n", LAYERS[1], LAYERS[0]);
    let (mut start, mut rows) = (0, cells.iter().zip(&names));
    for sentence in text::sentences(words) {
        let in_text = sentence.filter(|&word| !words.is_empty_node(word));
        let forms: Vec<_> = in_text.map(|word| text::form(layers, word, losses)).collect();
        if forms.is_empty() {
            continue;
        }
        let _ = writeln!(file, "\n#Text={}", forms.join(" "));
        for form in &forms {
            let Some((row, name)) = rows.next() else { break };
            // Offsets count the units of UTF-16, as Java does.
            let end = start + form.encode_utf16().count();
            let _ = write!(file, "{name}\t{start}-{end}\t{form}");
            for cell in row {
                file.extend(["\t", if cell.is_empty() { "_" } else { cell }]);
            }
            file.push_str("\t\n");
            start = end + 1;
        }
    }
    Ok(vec![("tsv", file)])
}

/// Returns the id of each word of the text: `2-5` is the fifth word of the second sentence.
fn unit_names(document: &Document) -> Vec<String> {
    let words = document.words();
    let sentences = text::sentences(words)
        .into_iter()
        .map(|sentence| sentence.filter(|&word| !words.is_empty_node(word)).count());
    let sentences = (1..).zip(sentences.filter(|&count| count > 0));
    sentences
        .flat_map(|(sentence, count)| (1..=count).map(move |word| format!("{sentence}-{word}")))
        .collect()
}

/// Counts the entities that are renamed to the number of their first mention.
fn note_names(document: &Document, spans: &[(Span, &Mention)], losses: &mut Losses<'_>) {
    let mut first: FxHashMap<EntityId, usize> = FxHashMap::default();
    for (number, (_, mention)) in (1..).zip(spans) {
        first.entry(mention.entity()).or_insert(number);
    }
    let renamed =
        first.iter().filter(|(entity, number)| document.entity_name(**entity) != number.to_string());
    losses.renamed("names of entities, replaced by the numbers of their first mentions", renamed.count());
}

/// A feature of the layer of mentions.
struct Feature<'d> {
    attribute: &'d str,
    written: &'d str,
}

/// Returns the features of all mentions, at least one.
fn features<'d>(spans: &[(Span, &'d Mention)], losses: &mut Losses<'_>) -> Vec<Feature<'d>> {
    let mut features = vec![Feature { attribute: ENTITY_TYPE, written: "entity" }];
    for (_, mention) in spans {
        for (name, _) in mention.attributes() {
            if features.iter().any(|feature| feature.attribute == name) {
                continue;
            }
            let own = FEATURES.iter().find(|(attribute, _)| attribute == name).map(|(_, written)| *written);
            let written = own.unwrap_or(name);
            if own.is_some() || is_feature(name) {
                features.push(Feature { attribute: name, written });
            } else {
                losses.lost_of("attributes of mentions", mention);
            }
        }
    }
    features
}

/// Returns whether a feature with this name will be read as a feature.
fn is_feature(name: &str) -> bool {
    let plain: String = name.to_lowercase().split(['_', '-']).collect();
    let taken = ["entity", "etype", "entitytype", "infstat", "mentiontype", "referencetype", "value"];
    let wrong = |c: char| "|[]".contains(c) || c.is_whitespace() || c.is_control();
    !name.is_empty()
        && !name.contains(wrong)
        && !taken.contains(&plain.as_str())
        && !["ROLE_", "BT_"].iter().any(|start| name.starts_with(start))
}

/// Returns the value of a mention for each feature, `*` for none.
fn values(mention: &Mention, features: &[Feature<'_>], losses: &mut Losses<'_>) -> Vec<String> {
    let mut values = vec!["*".to_owned(); features.len()];
    let mut seen: Vec<&str> = Vec::new();
    for (name, value) in mention.attributes() {
        // Attributes that cannot be features are already counted as lost.
        let Some(place) = features.iter().position(|feature| feature.attribute == name) else { continue };
        let supported = !matches!(value.as_str(), "" | "*" | "_")
            && !value.ends_with('\\')
            && !value.contains(|c: char| c.is_control() && !"\t\n\r".contains(c));
        if supported && !seen.contains(&name.as_str()) {
            values[place] = escaped(value);
        } else {
            losses.lost_of("attributes of mentions", mention);
        }
        seen.push(name);
    }
    values
}

/// Returns a value with special characters escaped by a backslash.
fn escaped(value: &str) -> String {
    let mut escaped = String::with_capacity(value.len());
    for character in value.chars() {
        match character {
            '\t' => escaped.push_str("\\t"),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\\' | '[' | ']' | '|' | '_' | ';' | '*' | '>' => escaped.extend(['\\', character]),
            _ => escaped.push(character),
        }
    }
    escaped
}

/// A relation between two mentions, given by their positions.
struct MentionRelation {
    kind: String,
    source: usize,
    target: usize,
}

fn relations(
    document: &Document,
    spans: &[(Span, &Mention)],
    losses: &mut Losses<'_>,
) -> Vec<MentionRelation> {
    let mut found = Vec::new();
    let mut last: FxHashMap<EntityId, usize> = FxHashMap::default();
    let mut first: FxHashMap<EntityId, usize> = FxHashMap::default();
    let mut by_words: FxHashMap<&[Span], Vec<usize>> = FxHashMap::default();
    for (number, (_, mention)) in spans.iter().enumerate() {
        if let Some(before) = last.insert(mention.entity(), number) {
            found.push(MentionRelation { kind: "coref".to_owned(), source: before, target: number });
        }
        first.entry(mention.entity()).or_insert(number);
        by_words.entry(mention.parts()).or_default().push(number);
    }
    let Some(relations) = document.relations() else { return found };
    let of_words = |words: &[Span], entity: Option<EntityId>| {
        let all = by_words.get(words)?;
        let own = all.iter().find(|&&number| Some(spans[number].1.entity()) == entity);
        own.or(all.first()).copied()
    };
    for bridge in &relations.bridges {
        let anaphor = of_words(&bridge.anaphor, None);
        let antecedent = match &bridge.antecedent {
            Some(words) => of_words(words, bridge.entity),
            None => bridge.entity.and_then(|entity| first.get(&entity).copied()),
        };
        let (Some(source), Some(target)) = (anaphor, antecedent) else {
            let position = Position::new(document.source(), bridge.line, bridge.column);
            losses.lost("bridging relations", position);
            continue;
        };
        if bridge.antecedent.is_none() {
            losses.renamed("antecedent entities of bridging relations, written as their first mentions", 1);
        }
        let plain = bridge.relation.to_lowercase();
        let fits = plain.starts_with("bridg") && !plain.contains("aggr");
        let mut kind = match bridge.relation.as_str() {
            _ if fits => bridge.relation.clone(),
            "" => "bridge".to_owned(),
            other => format!("bridge:{}", other.replace("aggr", "agr")),
        };
        if kind.contains(char::is_control) || kind.ends_with('\\') {
            kind = "bridge".to_owned();
        }
        losses.renamed("types of bridging relations", usize::from(kind != bridge.relation));
        found.push(MentionRelation { kind: escaped(&kind), source, target });
    }
    for split in &relations.split_antecedents {
        for part in &split.parts {
            match (first.get(&split.entity), first.get(part)) {
                (Some(&source), Some(&target)) => {
                    found.push(MentionRelation { kind: "bridge:aggr".to_owned(), source, target });
                }
                _ => losses.lost("split antecedents", Position::new(document.source(), split.line, 0)),
            }
        }
    }
    found
}
