//! A key made only from names, for text without annotation (G_NM-approx of Lin et al. 2010).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::cluster::{MOST_PAIRS_OF_NAMES, cluster};
use super::{NamedSource, Naming, WordAnnotation, has_source, mention_type, names_in};
use crate::diagnostic::{Code, Diagnostics};
use crate::error::{Error, ErrorKind, Result};
use crate::heuristics::Heuristics;
use crate::model::{
    Document, DocumentBuilder, ENTITY_TYPE, EntityId, Mention, MentionDetails, NameLabel, Span, Words,
};
use crate::selection::{Selected, select};
use crate::settings::Settings;
use crate::wording::{plural, quoted, text};

/// A key made from the names of a text, and the response pruned to these names.
#[derive(Clone, Debug)]
pub struct Approximation {
    /// The key, with every name as a mention, and an entity for names that the heuristics join.
    pub key: Document,
    /// The named mentions of the response, each moved to its name.
    pub response: Document,
    /// The number of scored mentions of the response, named or not.
    pub scored: u64,
}

/// Creates the approximated key of a text, and prunes a response to its names.
///
/// Names are from the response's document. A key mention is only the name ("Ingrid Moe"), while a response mention may
/// have more words ("Ingrid Moe, who has run the line"), so each named response mention is replaced by its name. If
/// several mentions contain the same name, the shortest represents it. With [`NamedSource::MentionType`], names are the
/// response's mentions of that type, which are not moved. `settings.named` must be a source, not `Auto`.
///
/// # Errors
/// There are more pairs of names to compare than the limit for a document allows.
pub fn approximate(
    response: &Document,
    settings: &Settings,
    heuristics: Heuristics,
    diagnostics: &mut Diagnostics,
) -> Result<Approximation> {
    let selected = select(response, response, settings, diagnostics);
    let (names, spans, mut places) = match settings.named {
        NamedSource::MentionType => by_types(response),
        source => {
            let names = names_in(response, source, diagnostics).unwrap_or_default();
            let naming = Naming::new(&names, response, response, settings.name_match);
            let places = response.mentions().iter().map(|mention| naming.of(mention)).collect();
            let spans = names.iter().map(|name| name.span).collect();
            (names, spans, places)
        }
    };
    leave_out_unselected(&selected, &mut places);
    let words = response.words();
    let forms: Vec<(Vec<&str>, &str)> =
        names.iter().zip(&spans).map(|(name, &span)| (forms(words, span), name.kind.as_str())).collect();
    let entities = cluster(&forms, heuristics).map_err(|pairs| too_many_pairs(response, pairs))?;
    let key = key_of(response, &names, &entities);
    let response = response_of(response, &names, &places, diagnostics);
    Ok(Approximation { key, response, scored: selected.mentions.len() as u64 })
}

fn too_many_pairs(document: &Document, pairs: u64) -> Error {
    let message = text!(
        "the names of {} make {} pairs that share a word or their first letters, and the key is made by comparing them: \
         the limit is {}",
        quoted(document.id()),
        pairs.to_string(),
        MOST_PAIRS_OF_NAMES.to_string()
    );
    let hint = "divide the text into documents, or score it with an annotated key";
    Error::new(ErrorKind::Settings, message).at(document.position()).hint(hint)
}

/// Like [`approximate`], with an existing key, which may have been corrected. Its mentions are the names, and its
/// entities are used. The key is placed on the words of the response.
pub fn approximate_by(
    key: &Document,
    response: &Document,
    settings: &Settings,
    diagnostics: &mut Diagnostics,
) -> Approximation {
    let selected = select(response, response, settings, diagnostics);
    let mentions = key.mentions().iter().filter(|mention| !mention.parts().is_empty());
    let mut mentions: Vec<&Mention> = mentions.collect();
    mentions.sort_by_key(|mention| (mention.span().start(), mention.span().end()));
    mentions.dedup_by_key(|mention| mention.span());
    let label = |mention: &&Mention| NameLabel { span: mention.span(), kind: kind(mention).into() };
    let names: Vec<NameLabel> = mentions.iter().map(label).collect();
    let entities: Vec<u32> = mentions.iter().map(|mention| mention.entity().index() as u32).collect();
    let naming = Naming::new(&names, response, response, settings.name_match);
    let mut places: Vec<Option<usize>> =
        response.mentions().iter().map(|mention| naming.of(mention)).collect();
    leave_out_unselected(&selected, &mut places);
    let key = key_of(response, &names, &entities);
    let response = response_of(response, &names, &places, diagnostics);
    Approximation { key, response, scored: selected.mentions.len() as u64 }
}

/// Removes the names of mentions that are not scored.
fn leave_out_unselected(selected: &Selected, places: &mut [Option<usize>]) {
    let mut scored = vec![false; places.len()];
    selected.mentions.iter().for_each(|mention| scored[mention.mention as usize] = true);
    places.iter_mut().zip(scored).filter(|(_, scored)| !scored).for_each(|(place, _)| *place = None);
}

/// Returns the mentions with a type of names; the words to compare for each (its minimum span, which is the head in
/// ACE, otherwise the words before its first comma or preposition); and the index of the name for each mention of the
/// document.
fn by_types(document: &Document) -> (Vec<NameLabel>, Vec<Span>, Vec<Option<usize>>) {
    let vocabulary = WordAnnotation::new(document, document);
    debug_assert!(document.mentions().is_empty() || has_source(document, NamedSource::MentionType));
    let named = document.mentions().iter().enumerate();
    let named =
        named.filter(|(_, mention)| mention_type(mention) == Some(true) && !mention.parts().is_empty());
    let label = |mention: &Mention| NameLabel { span: mention.span(), kind: kind(mention).into() };
    let mut names: Vec<(NameLabel, usize)> = named.map(|(place, mention)| (label(mention), place)).collect();
    names.sort_by_key(|(name, place)| (name.span.start(), name.span.end(), *place));
    let mut places = vec![None; document.mentions().len()];
    let (mut found, mut spans): (Vec<NameLabel>, Vec<Span>) = Default::default();
    for (name, place) in names {
        if found.last().is_none_or(|last| last.span != name.span) {
            let min_span = document.mentions()[place].details().and_then(|d| d.min_span.first().copied());
            spans.push(min_span.unwrap_or_else(|| vocabulary.core(name.span)));
            found.push(name);
        }
        places[place] = Some(found.len() - 1);
    }
    (found, spans, places)
}

/// Returns the type of a mention's entity; empty without one.
fn kind(mention: &Mention) -> &str {
    mention.attribute(ENTITY_TYPE).unwrap_or("")
}

fn forms(words: &Words, span: Span) -> Vec<&str> {
    let form =
        |word: u32| words.layers().and_then(|layers| layers.form.get(word as usize)).unwrap_or_default();
    (span.start()..span.end()).map(form).collect()
}

/// Creates a mention at a name, with its type.
fn mention(name: &NameLabel, entity: EntityId, line: u32, column: u32) -> Mention {
    let mention = Mention::new(name.span, entity, line, column);
    let types = vec![(ENTITY_TYPE.to_owned(), name.kind.to_string())];
    let attributes = if name.kind.is_empty() { Vec::new() } else { types };
    let named = (crate::model::MENTION_TYPE.to_owned(), "NAM".to_owned());
    let attributes = attributes.into_iter().chain([named]).collect();
    let details = MentionDetails { attributes, ..MentionDetails::default() };
    mention.clone().with_details(details).unwrap_or(mention)
}

fn builder(document: &Document) -> DocumentBuilder {
    let mut builder =
        DocumentBuilder::new(document.id().clone(), Arc::clone(document.source()), document.line());
    builder.topic = document.topic().map(str::to_owned);
    builder.genre = document.genre().map(str::to_owned);
    builder
}

fn key_of(document: &Document, names: &[NameLabel], entities: &[u32]) -> Document {
    let mut made = builder(document);
    let count = entities.iter().max().map_or(0, |last| last + 1);
    made.entities = (0..count).map(|entity| entity.to_string().into()).collect();
    let line = |word: u32| {
        let line = document.words().layers().and_then(|layers| layers.line.get(word as usize));
        line.unwrap_or(document.line())
    };
    for (name, &entity) in names.iter().zip(entities) {
        made.mentions.push(mention(name, EntityId::new(entity as usize), line(name.span.start()), 1));
    }
    made.finish(document.words().clone()).expect("its mentions are of the words of a document")
}

fn response_of(
    document: &Document,
    names: &[NameLabel],
    places: &[Option<usize>],
    diagnostics: &mut Diagnostics,
) -> Document {
    // The shortest mention of each name; the first one wins ties.
    let mut by_name: BTreeMap<usize, usize> = BTreeMap::new();
    let length = |place: usize| document.mentions()[place].word_count();
    let mut merged = 0;
    for (place, name) in places.iter().enumerate() {
        let Some(name) = *name else { continue };
        let known = by_name.entry(name).or_insert(place);
        if *known != place {
            merged += 1;
            if length(place) < length(*known) {
                *known = place;
            }
        }
    }
    if merged > 0 {
        let id = document.id().to_string();
        diagnostics.add(Code::NamesMerged, Some(document.position()), Some(id.clone()), || {
            let contain = if merged == 1 { "contains" } else { "contain" };
            let mentions = plural(merged, "mention", "mentions");
            format!("{mentions} of `{id}` {contain} the same name as a shorter one")
        });
        diagnostics.count(Code::NamesMerged, merged - 1);
    }
    let mut made = builder(document);
    made.entities = document.entities().to_vec();
    for (name, place) in by_name {
        let old = &document.mentions()[place];
        made.mentions.push(mention(&names[name], old.entity(), old.line(), old.column()));
    }
    made.finish(document.words().clone()).expect("its mentions are of the words of a document")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{FormatSpec, ReadOptions};
    use crate::profiles::Profile;

    #[test]
    fn a_response_is_moved_to_its_names() {
        let rows = [
            "Ingrid\t(PERSON*\t(0", "Moe\t*)\t-", ",\t*\t-", "who\t*\t-", "left\t*\t0)", "and\t*\t-",
            "Moe\t(PERSON*)\t(1|(0)", "'s\t*\t-", "dog\t*\t1)", "saw\t*\t-", "her\t*\t(0)", "in\t*\t-",
            "Lindau\t(GPE*)\t-",
        ];
        let line = |(n, row): (usize, &&str)| {
            let cells: Vec<&str> = row.split('\t').collect();
            format!("d\t0\t{n}\t{}\t-\t-\t-\t-\t-\t-\t{}\t*\t{}\n", cells[0], cells[1], cells[2])
        };
        let lines: String = rows.iter().enumerate().map(line).collect();
        let text = format!("#begin document (d); part 000\n{lines}\n#end document\n");
        let options = ReadOptions::with_layers();
        let corpus = FormatSpec::named("conll").unwrap().read(text.as_bytes(), "d", options).unwrap();
        let mut settings = Settings::of(Profile::for_format("conll"));
        settings.named = NamedSource::NeColumn;
        let mut diagnostics = Diagnostics::default();
        let made =
            approximate(&corpus.documents[0], &settings, Heuristics::default(), &mut diagnostics).unwrap();
        let mentions = |document: &Document| -> Vec<(u32, u32, usize)> {
            let place = |m: &Mention| (m.span().start(), m.span().end(), m.entity().index());
            document.mentions().iter().map(place).collect()
        };
        assert_eq!(mentions(&made.key), [(0, 2, 0), (6, 7, 0), (12, 13, 1)]);
        let entity = |document: &Document, name: &str| {
            document.entities().iter().position(|other| other == name).unwrap()
        };
        let moe = entity(&made.response, "0");
        assert_eq!(mentions(&made.response), [(0, 2, moe), (6, 7, moe)]);
    }
}
