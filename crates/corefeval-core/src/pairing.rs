//! Pairs key and response documents by id, and compares their words.

use crate::wording::text;
use crate::wording::{line_aside, option_value, plural, quoted};
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::diagnostic::{Code, Diagnostics};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Corpus, Document, DocumentId, Mention};
use crate::settings::{CheckTokens, MissingDocuments, PairDocuments, Place, Settings, ZeroMatch};
use crate::suggest::nearest;

/// A key document and the response document with the same id, if any.
#[derive(Clone, Copy, Debug)]
pub struct DocumentPair<'c> {
    /// The key document.
    pub key: &'c Document,
    /// The response document; `None` is treated as a document without mentions.
    pub response: Option<&'c Document>,
}

/// Pairs the documents of both sides, in the order of the key.
///
/// Documents pair by equal ids. The remaining documents pair by variants of their ids if the variant is unambiguous:
/// the e2e family writes `a_0` for part 0 of `a`, some files omit the part, and formats with one file per document use
/// file names (`bc_cctv_0` for part 0 of `bc/cctv`). A key document without a response is paired with `None`; a
/// response document without a key is left out. Both cause warnings.
///
/// # Errors
///
/// No document has a counterpart.
pub fn pair<'c>(
    key: &'c Corpus,
    response: &'c Corpus,
    diagnostics: &mut Diagnostics,
) -> Result<Vec<DocumentPair<'c>>> {
    pair_by((PairDocuments::Id, MissingDocuments::Count), key, response, diagnostics)
}

/// Pairs the documents of both sides by a rule, in the order of the key. The rule is by id as in [`pair`], in order, or
/// by id unless each side has a single document. Documents that the response lacks are counted or left out.
///
/// # Errors
///
/// No document has a counterpart, or documents are paired in order and the numbers of documents differ.
pub fn pair_by<'c>(
    (rule, missing): (PairDocuments, MissingDocuments),
    key: &'c Corpus,
    response: &'c Corpus,
    diagnostics: &mut Diagnostics,
) -> Result<Vec<DocumentPair<'c>>> {
    let [key, response] = [key, response].map(|side| side.documents.iter().collect::<Vec<_>>());
    pair_documents((rule, missing), &key, &response, diagnostics)
}

/// Like [`pair_by`], for the documents of both sides.
pub(crate) fn pair_documents<'c>(
    (rule, missing): (PairDocuments, MissingDocuments),
    key: &[&'c Document],
    response: &[&'c Document],
    diagnostics: &mut Diagnostics,
) -> Result<Vec<DocumentPair<'c>>> {
    let single = key.len() == 1 && response.len() == 1;
    match rule {
        PairDocuments::Order => return pair_in_order(key, response, diagnostics),
        PairDocuments::Auto if single => return pair_in_order(key, response, diagnostics),
        PairDocuments::Auto | PairDocuments::Id => {}
    }
    // Usually both sides have the same documents in the same order.
    let same =
        key.len() == response.len() && key.iter().zip(response).all(|(one, other)| one.id() == other.id());
    if same {
        let pairs =
            key.iter().zip(response).map(|(key, response)| DocumentPair { key, response: Some(response) });
        let pairs: Vec<DocumentPair<'c>> = pairs.collect();
        pairs.iter().try_for_each(check_names)?;
        return Ok(pairs);
    }
    let mut left: FxHashMap<&DocumentId, &'c Document> =
        response.iter().map(|document| (document.id(), *document)).collect();
    let mut pairs: Vec<DocumentPair<'c>> = key
        .iter()
        .map(|document| DocumentPair { key: document, response: left.remove(document.id()) })
        .collect();
    let unpaired = pairs.iter().any(|pair| pair.response.is_none());
    let mut extra: Vec<&'c Document> =
        response.iter().copied().filter(|document| left.contains_key(document.id())).collect();
    if unpaired && !extra.is_empty() {
        pair_loosely(&mut pairs, &mut extra, DocumentId::with_part_in_name, diagnostics);
        pair_loosely(&mut pairs, &mut extra, |id| id.name().to_owned(), diagnostics);
        pair_loosely(&mut pairs, &mut extra, DocumentId::file_name, diagnostics);
    }
    if pairs.iter().all(|pair| pair.response.is_none())
        && let (Some(ours), Some(theirs)) = (key.first(), response.first())
    {
        let message = "key and response have no document in common";
        let hint = "documents are paired by id and part: are these annotations of the same texts?";
        let in_order = option_value("pair-documents", "order");
        return Err(Error::new(ErrorKind::Pairing, message)
            .coded(Code::NoSharedDocument)
            .at(ours.position())
            .with_place(ours.position(), format!("the key's first document is `{}`", ours.id()))
            .with_place(theirs.position(), format!("the response's first document is `{}`", theirs.id()))
            .hint(match key.len() == response.len() {
                true => text!("{} {} pairs them in order", hint, in_order),
                false => text!("{}", hint),
            }));
    }
    for pair in &pairs {
        check_names(pair)?;
    }
    for pair in pairs.iter().filter(|pair| pair.response.is_none()) {
        let id = pair.key.id().to_string();
        diagnostics.add(Code::MissingDocument, Some(pair.key.position()), Some(id.clone()), || {
            let names: Vec<String> = extra.iter().map(|document| document.id().to_string()).collect();
            let near = nearest(&id, names.iter().map(String::as_str));
            let near = near.map(|name| format!("; is `{name}` meant?")).unwrap_or_default();
            let outcome = match missing {
                MissingDocuments::Count => "its mentions count as missed",
                MissingDocuments::Skip => "it is left out of the score",
            };
            format!("the response has no document `{id}`: {outcome}{near}")
        });
    }
    for document in extra {
        let id = document.id().to_string();
        diagnostics.add(Code::ExtraDocument, Some(document.position()), Some(id.clone()), || {
            format!("the key has no document `{id}`: it was left out")
        });
    }
    leave_out_missing(&mut pairs, missing);
    Ok(pairs)
}

/// Removes the documents that the response lacks, if the rule requires it.
pub(crate) fn leave_out_missing(pairs: &mut Vec<DocumentPair<'_>>, missing: MissingDocuments) {
    if missing == MissingDocuments::Skip {
        pairs.retain(|pair| pair.response.is_some());
    }
}

/// Fails if one side has more documents than the other, so that they cannot be paired in order. The error is at the
/// `first` document of the key.
pub(crate) fn check_counts(counts: [usize; 2], first: Option<&Document>) -> Result<()> {
    if counts[0] != counts[1] {
        let message = format!(
            "{} of the key cannot be paired in order with {} of the response",
            plural(counts[0], "document", "documents"),
            counts[1]
        );
        let error = Error::new(ErrorKind::Pairing, message)
            .hint(text!("pair them by id: {}", option_value("pair-documents", "id")));
        return Err(match first {
            Some(first) => error.at(first.position()),
            None => error,
        });
    }
    Ok(())
}

/// Pairs the first documents of both sides, then the second, and so on. A finding reports pairs with different ids.
fn pair_in_order<'c>(
    key: &[&'c Document],
    response: &[&'c Document],
    diagnostics: &mut Diagnostics,
) -> Result<Vec<DocumentPair<'c>>> {
    check_counts([key.len(), response.len()], key.first().copied())?;
    let pairs = key.iter().zip(response);
    let pairs: Vec<DocumentPair<'c>> =
        pairs.map(|(key, response)| DocumentPair { key, response: Some(response) }).collect();
    for pair in &pairs {
        check_names(pair)?;
        let Some(response) = pair.response.filter(|response| response.id() != pair.key.id()) else {
            continue;
        };
        let id = pair.key.id().to_string();
        diagnostics.add(Code::PairedLoosely, Some(response.position()), Some(id.clone()), || {
            format!("`{}` of the response is paired with `{id}` of the key", response.id())
        });
    }
    Ok(pairs)
}

/// Fails if one side names its mentions and the other gives their words, because none could match.
pub(crate) fn check_names(pair: &DocumentPair<'_>) -> Result<()> {
    let Some(response) = pair.response else { return Ok(()) };
    let names = [pair.key, response].map(|document| document.words().are_names());
    if names[0] == names[1] || [pair.key, response].iter().any(|document| document.mentions().is_empty()) {
        return Ok(());
    }
    let describe = |named: bool| if named { "names its mentions" } else { "gives the words of its mentions" };
    let message = format!("key and response of `{}` cannot be compared", pair.key.id());
    Err(Error::new(ErrorKind::Pairing, message)
        .at(pair.key.position())
        .with_place(pair.key.position(), format!("the key {}", describe(names[0])))
        .with_place(response.position(), format!("the response {}", describe(names[1])))
        .hint("use one kind of format on both sides, or convert both to `table`, which makes the same names of words"))
}

/// Pairs the remaining documents by variants of their ids, if exactly one document of each side has the variant and one
/// of the two ids has no part.
fn pair_loosely<'c>(
    pairs: &mut [DocumentPair<'c>],
    extra: &mut Vec<&'c Document>,
    spelling: impl Fn(&DocumentId) -> String,
    diagnostics: &mut Diagnostics,
) {
    let mut candidates: BTreeMap<String, (Vec<usize>, Vec<&'c Document>)> = BTreeMap::new();
    for (place, pair) in pairs.iter().enumerate().filter(|(_, pair)| pair.response.is_none()) {
        candidates.entry(spelling(pair.key.id())).or_default().0.push(place);
    }
    for document in extra.iter() {
        candidates.entry(spelling(document.id())).or_default().1.push(document);
    }
    for (places, documents) in candidates.into_values() {
        let ([place], [document]) = (places.as_slice(), documents.as_slice()) else { continue };
        let key = pairs[*place].key.id();
        if key.part().is_some() && document.id().part().is_some() {
            continue;
        }
        pairs[*place].response = Some(document);
        extra.retain(|other| other.id() != document.id());
        diagnostics.add(Code::PairedLoosely, Some(document.position()), Some(key.to_string()), || {
            format!("`{}` of the response is paired with `{key}` of the key", document.id())
        });
    }
}

/// Returns the pairs whose words must be compared. These are pairs with different fingerprints or counts, and pairs in
/// which one side has no words but a mention beyond the other's text. A finding reports pairs that cannot be compared.
pub fn doubtful_pairs<'c>(
    pairs: &[DocumentPair<'c>],
    settings: &Settings,
    diagnostics: &mut Diagnostics,
) -> Vec<DocumentPair<'c>> {
    let mut doubtful = Vec::new();
    for &pair in pairs {
        let Some(response) = pair.response else { continue };
        // Zeros are matched within a sentence.
        let zeros = settings.zero_match == ZeroMatch::Dependent && !pair.key.words().empty_nodes().is_empty();
        let by_sentence = settings.place == Place::Sentence || zeros;
        let other_sentences = !pair.key.words().same_sentences(response.words());
        let compared = settings.check_tokens != CheckTokens::No && have_sentences(pair.key, response);
        if by_sentence && other_sentences && !compared {
            let id = Some(pair.key.id().to_string());
            diagnostics.add(Code::SentencesDiffer, Some(response.position()), id, || {
                "key and response break into different sentences".to_owned()
            });
        }
        if settings.check_tokens == CheckTokens::No {
            continue;
        }
        let (ours, theirs) = (pair.key.words(), response.words());
        let names = (ours.are_names(), theirs.are_names());
        match (ours.fingerprint(), theirs.fingerprint()) {
            _ if names == (true, true) => {}
            (Some(a), Some(b)) if names == (false, false) => {
                let sentences = compared && other_sentences;
                if a != b || ours.count_in_text() != theirs.count_in_text() || sentences {
                    doubtful.push(pair);
                }
            }
            _ if beyond_other(pair.key, response).is_some() => doubtful.push(pair),
            _ => {
                let id = Some(pair.key.id().to_string());
                diagnostics.add(Code::WordsUnchecked, Some(response.position()), id, || {
                    "the words were not compared: one side does not contain them".to_owned()
                });
            }
        }
    }
    doubtful
}

/// Returns whether both documents have sentences, which can then be compared.
fn have_sentences(key: &Document, response: &Document) -> bool {
    [key, response].iter().all(|document| document.words().sentences().first() == Some(&0))
}

/// Returns the first mention of a document without words that ends beyond the text of the other document. Also returns
/// that document, and whether it is the response.
fn beyond_other<'d>(key: &'d Document, response: &'d Document) -> Option<(&'d Document, &'d Mention, bool)> {
    let (own, other) = match (key.words().fingerprint(), response.words().fingerprint()) {
        (Some(_), None) => (response, key),
        (None, Some(_)) => (key, response),
        _ => return None,
    };
    if own.words().are_names() || other.words().are_names() {
        return None;
    }
    // Empty nodes may have been counted as words.
    let count = other.words().count() - other.words().count_beyond();
    let mention = own.mentions().iter().find(|mention| mention.span().end() > count)?;
    Some((own, mention, std::ptr::eq(own, response)))
}

/// Returns the error for a mention of a document without words that ends beyond the text of the other document, which
/// has `count` words and is called `label`.
pub(crate) fn beyond_error(
    own: &Document,
    mention: &Mention,
    other: &Document,
    (count, label): (u32, &str),
) -> Error {
    let message = format!(
        "this mention ends at word {} of `{}`, but {label} has {}",
        mention.span().end(),
        other.id(),
        plural(count, "word", "words")
    );
    Error::new(ErrorKind::Pairing, message)
        .coded(Code::OutOfRange)
        .at(own.position_of(mention))
        .with_place(other.position(), label.to_owned())
        .hint("are the ends of spans exclusive? were empty nodes counted?")
}

/// Compares a pair word by word, then sentence by sentence. `key` and `response` are the documents of the pair with
/// their layers. Differences are an error or a warning, depending on the settings.
///
/// # Errors
///
/// The numbers of words differ; a mention of a side without words lies beyond the text of the other; words or sentences
/// differ and `check-tokens` is `yes`.
pub fn compare_words(
    pair: DocumentPair<'_>,
    key: &Document,
    response: &Document,
    settings: &Settings,
    diagnostics: &mut Diagnostics,
) -> Result<()> {
    if let Some((own, mention, is_response)) = beyond_other(key, response) {
        let (other, label) = if is_response { (key, "the key") } else { (response, "the response") };
        return Err(beyond_error(own, mention, other, (other.words().count_in_text(), label)));
    }
    let Some(difference) = first_difference(key, response) else {
        return compare_sentences(pair, key, response, settings, diagnostics);
    };
    let as_many = key.words().count_in_text() == response.words().count_in_text();
    if !as_many || settings.check_tokens == CheckTokens::Yes {
        return Err(words_error(pair, &difference));
    }
    let id = pair.key.id().to_string();
    let mut position = response.position();
    if let Some(word) = difference.response.as_ref().filter(|word| word.line > 0) {
        (position.line, position.column) = (word.line, word.column);
    }
    diagnostics.add(Code::WordsDiffer, Some(position), Some(id.clone()), || {
        let word = |side: &Option<WrittenWord>| side.as_ref().map_or(String::new(), |word| word.form.clone());
        let mut there = pair.key.position();
        there.line = difference.key.as_ref().map_or(0, |word| word.line);
        let (theirs, ours) = (word(&difference.response), word(&difference.key));
        text!(
            "the words of {} differ first here: {}, where the key has {}{}",
            quoted(id),
            quoted(theirs),
            quoted(ours),
            line_aside("", there, " there")
        )
    });
    Ok(())
}

/// Compares the starts of the sentences of two documents with the same words.
fn compare_sentences(
    pair: DocumentPair<'_>,
    key: &Document,
    response: &Document,
    settings: &Settings,
    diagnostics: &mut Diagnostics,
) -> Result<()> {
    if key.words().same_sentences(response.words()) || !have_sentences(key, response) {
        return Ok(());
    }
    let (ours, theirs) = (key.words().sentences_in_text(), response.words().sentences_in_text());
    let place = ours.iter().zip(&theirs).take_while(|(a, b)| a == b).count();
    let describe = |document: &Document, [starts, others]: [&[u32]; 2], label: &str| {
        let mut position = document.position();
        position.column = 0;
        let own = starts.get(place);
        // If this side has no sentence there, use the place of the other side's sentence.
        let start = own.or(others.get(place)).copied().unwrap_or(0);
        let words = document.words();
        let place_of = (start..words.count()).find(|&word| {
            let before = words.empty_nodes().partition_point(|&node| node < word) as u32;
            word - before == start && !words.is_empty_node(word)
        });
        let word = place_of.unwrap_or(start) as usize;
        if let Some(layers) = words.layers() {
            position.line = layers.line.get(word).unwrap_or(position.line);
            position.column = words.column_of(word);
        }
        if own.is_none() {
            return (position, format!("the {label} has {}", plural(starts.len(), "sentence", "sentences")));
        }
        let form = words.layers().and_then(|layers| layers.form.get(word)).unwrap_or_default();
        (position, format!("sentence {} of the {label} starts at word {}, `{form}`", place + 1, start + 1))
    };
    let (our_place, our_text) = describe(key, [&ours, &theirs], "key");
    let (their_place, their_text) = describe(response, [&theirs, &ours], "response");
    let id = pair.key.id().to_string();
    if settings.check_tokens == CheckTokens::Yes {
        let message = format!("key and response of `{id}` do not align: the same words, but other sentences");
        return Err(Error::new(ErrorKind::Pairing, message)
            .coded(Code::OtherSentences)
            .at(pair.key.position())
            .with_place(our_place, our_text)
            .with_place(their_place, their_text)
            .hint(text!(
                "use the key's sentence breaks in the response; {} skips this check",
                option_value("check-tokens", "no")
            )));
    }
    diagnostics.add(Code::SentencesDiffer, Some(their_place), Some(id), || {
        text!("{}, while {}{}", their_text, our_text, line_aside("", our_place, " there"))
    });
    Ok(())
}

/// The first difference between the words of two documents: the position in the text, and the word and line on both
/// sides (`None` after the end). Requires the layers of both documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordDifference {
    /// The position of the word in the text, from 0; empty nodes are not counted.
    pub word: u32,
    /// The word in the key.
    pub key: Option<WrittenWord>,
    /// The word in the response.
    pub response: Option<WrittenWord>,
}

/// A word and its place in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenWord {
    /// The word.
    pub form: String,
    /// The line of the word, from 1; 0 if it is not known.
    pub line: u32,
    /// The column of the word in bytes, from 1; 0 if it is not known.
    pub column: u32,
}

/// Returns the first word that differs between two documents, or `None` if all words are equal or the words of a side
/// were not kept.
pub fn first_difference(key: &Document, response: &Document) -> Option<WordDifference> {
    let at = |document: &Document, word: usize| -> Option<WrittenWord> {
        let layers = document.words().layers()?;
        let form = layers.form.get(word)?.to_owned();
        let line = layers.line.get(word).unwrap_or(0);
        Some(WrittenWord { form, line, column: document.words().column_of(word) })
    };
    key.words().layers()?;
    response.words().layers()?;
    let in_text = |document: &Document| {
        let words = document.words();
        let all = (0..words.count()).filter(|&word| !words.is_empty_node(word));
        all.map(|word| word as usize).collect::<Vec<_>>()
    };
    let (key_words, response_words) = (in_text(key), in_text(response));
    (0..key_words.len().max(response_words.len())).find_map(|word| {
        let ours = key_words.get(word).and_then(|&word| at(key, word));
        let theirs = response_words.get(word).and_then(|&word| at(response, word));
        let same = ours.as_ref().map(|word| &word.form) == theirs.as_ref().map(|word| &word.form);
        (!same).then_some(WordDifference { word: word as u32, key: ours, response: theirs })
    })
}

/// Returns the error for a pair whose words differ, with the first difference on both sides.
fn words_error(pair: DocumentPair<'_>, difference: &WordDifference) -> Error {
    let Some(response) = pair.response else {
        return Error::new(ErrorKind::Pairing, "a document without response has no words to compare");
    };
    let counts = (pair.key.words().count_in_text(), response.words().count_in_text());
    let what = if counts.0 == counts.1 {
        "not the same words".to_owned()
    } else {
        format!("{} in the key and {} in the response", plural(counts.0, "word", "words"), counts.1)
    };
    let message = format!("key and response of `{}` do not align: {what}", pair.key.id());
    let mut error = Error::new(ErrorKind::Pairing, message).coded(Code::OtherWords).at(pair.key.position());
    {
        let side = |document: &Document, label: &str, word: &Option<WrittenWord>| {
            let mut position = document.position();
            position.column = word.as_ref().map_or(0, |word| word.column);
            let text = match word {
                Some(WrittenWord { form, line, .. }) => {
                    if *line > 0 {
                        position.line = *line;
                    }
                    format!("the {label} has `{form}` as word {}", difference.word + 1)
                }
                None => {
                    let last = document.words().count().checked_sub(1);
                    if let Some((last, line)) = last.and_then(|last| {
                        let layers = document.words().layers()?;
                        Some((last as usize, layers.line.get(last as usize)?))
                    }) {
                        (position.line, position.column) = (line, document.words().column_of(last));
                    }
                    format!("the {label} ends before word {}", difference.word + 1)
                }
            };
            (position, text)
        };
        let (position, text) = side(pair.key, "key", &difference.key);
        error = error.with_place(position, text);
        let (position, text) = side(response, "response", &difference.response);
        error = error.with_place(position, text);
    }
    if counts.0 != counts.1 {
        return error.hint(text!(
            "score the same text on both sides; {} carries the mentions over, and {} would compare places that cannot \
             correspond after this word",
            option_value("align", "text"),
            option_value("check-tokens", "no")
        ));
    }
    error.hint(text!(
        "score the same text on both sides; {} carries the mentions over, and {} skips this check",
        option_value("align", "text"),
        option_value("check-tokens", "no")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{FormatSpec, ReadOptions};

    fn corpus(ids: &[&str]) -> Corpus {
        let text: String =
            ids.iter().map(|id| format!("#begin document {id}\nw\t(0)\n#end document\n")).collect();
        FormatSpec::named("conll").unwrap().read(text.as_bytes(), "x", ReadOptions::default()).unwrap()
    }

    fn paired(key: &[&str], response: &[&str]) -> (Vec<Option<String>>, Diagnostics) {
        let (key, response) = (corpus(key), corpus(response));
        let mut diagnostics = Diagnostics::default();
        let pairs = pair(&key, &response, &mut diagnostics).unwrap();
        let ids = pairs.iter().map(|pair| pair.response.map(|document| document.id().to_string()));
        (ids.collect(), diagnostics)
    }

    #[test]
    fn variants_of_ids_pair_if_unambiguous() {
        let (pairs, diagnostics) =
            paired(&["(a); part 000", "(a); part 001", "(b); part 000"], &["a_1", "a_0", "b"]);
        let ids = ["a_0", "a_1", "b"].map(|id| Some(id.to_owned()));
        assert_eq!(pairs, ids);
        assert_eq!(diagnostics.groups()[0].code, Code::PairedLoosely);
        assert_eq!(diagnostics.warnings(), 0);
    }

    #[test]
    fn equal_ids_pair_first_and_ambiguous_ones_do_not_pair() {
        let (pairs, diagnostics) = paired(&["(a); part 000", "(a); part 001", "(c)"], &["a", "(c)"]);
        assert_eq!(pairs, [None, None, Some("c".to_owned())]);
        assert_eq!(diagnostics.warnings(), 3);
        let (pairs, _) = paired(&["(a); part 000", "(b)"], &["(a); part 002", "(b)"]);
        assert_eq!(pairs, [None, Some("b".to_owned())]);
        let (pairs, _) =
            paired(&["(bc/a.b); part 001", "(bc/c); part 000", "(d)"], &["bc_a_b_1", "bc_c_0", "d"]);
        assert_eq!(pairs, ["bc_a_b_1", "bc_c_0", "d"].map(|id| Some(id.to_owned())));
    }
}
