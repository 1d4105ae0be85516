//! Files of named-entity labels: columns as in CoNLL-2003, or JSON lines as in SciERC and DyGIE.
//!
//! The file must have the same words as the documents. Column files do not name documents, so they must be in the order
//! of the corpus, and `-DOCSTART-` starts each. JSON lines name documents by `doc_key`.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde_json::Value;

use super::column::tagged;
use crate::diagnostic::{Code, Position};
use crate::error::{Error, ErrorKind, Result};
use crate::formats::without_mark;
use crate::model::{Corpus, Document, NameLabel, Span};
use crate::wording::plural;

/// The labels of a file.
#[derive(Clone, Debug)]
pub struct NameFile {
    source: Arc<str>,
    documents: Vec<Labelled>,
    /// True if the file names its documents.
    by_id: bool,
}

/// The labels of a document.
#[derive(Clone, Debug, Default)]
struct Labelled {
    id: String,
    line: u32,
    /// Its words and their lines; `None` if the file does not contain them.
    words: Option<Vec<(String, u32)>>,
    names: Vec<NameLabel>,
}

impl NameFile {
    /// Reads a file called `source`: JSON lines if it starts with `{`, otherwise columns, with the word in the first
    /// and the label in the last.
    ///
    /// ```
    /// use corefeval_core::named::NameFile;
    /// assert!(NameFile::read(b"Ingrid B-PER\nMoe I-PER\nslept O\n", "names.bio").is_ok());
    /// assert!(NameFile::read(b"", "names.bio").is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// The file is not UTF-8, is empty, or has a line that is not in the format.
    pub fn read(bytes: &[u8], source: &str) -> Result<NameFile> {
        let source: Arc<str> = Arc::from(source);
        let text = std::str::from_utf8(without_mark(bytes)).map_err(|error| {
            let line = 1 + bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count() as u32;
            Error::new(ErrorKind::Format, "this is not UTF-8 text")
                .at(Position::new(&source, line, 1))
                .hint("convert the file to UTF-8")
        })?;
        let by_id = text.trim_start().starts_with('{');
        let documents = if by_id { json_lines(text, &source)? } else { columns(text, &source)? };
        if documents.is_empty() {
            let error = Error::new(ErrorKind::Format, "this file of named-entity labels is empty");
            return Err(error.at(Position::new(&source, 1, 1)));
        }
        Ok(NameFile { source, documents, by_id })
    }

    /// Adds the names to the documents of a corpus. Reports documents of the file that the corpus lacks.
    ///
    /// # Errors
    ///
    /// The words of a document differ from the file's, or the file lacks a document or repeats an id.
    pub fn label(&self, corpus: &mut Corpus) -> Result<()> {
        let found = if self.by_id { self.by_id(corpus)? } else { self.in_order(corpus)? };
        for (document, names) in corpus.documents.iter_mut().zip(found) {
            document.set_names(names);
        }
        Ok(())
    }

    fn by_id(&self, corpus: &mut Corpus) -> Result<Vec<Vec<NameLabel>>> {
        let mut places: FxHashMap<&str, usize> = FxHashMap::default();
        for (place, labelled) in self.documents.iter().enumerate() {
            if let Some(first) = places.insert(&labelled.id, place) {
                let message = format!("the labels of `{}` are given a second time", labelled.id);
                return Err(Error::new(ErrorKind::Format, message)
                    .at(self.position(labelled.line))
                    .with_place(self.position(self.documents[first].line), "the first time"));
            }
        }
        let mut used = vec![false; self.documents.len()];
        let mut found = Vec::new();
        for document in &corpus.documents {
            let id = document.id();
            let spellings = [id.with_part_in_name(), id.name().to_owned(), id.to_string()];
            let place = spellings.into_iter().find_map(|id| places.get(id.as_str()).copied());
            let Some(place) = place else {
                let message = format!("this file has no named-entity labels of `{id}`");
                return Err(Error::new(ErrorKind::Pairing, message)
                    .at(self.position(0))
                    .with_place(document.position(), "the document starts here")
                    .hint("documents are found by `doc_key`; one without names has an empty list"));
            };
            used[place] = true;
            let labelled = &self.documents[place];
            if let Some(words) = &labelled.words {
                self.compare(document, words)?;
            }
            let names = self.placed(document, &labelled.names, labelled.line)?;
            found.push(names);
        }
        for (labelled, _) in self.documents.iter().zip(used).filter(|(_, used)| !used) {
            let position = self.position(labelled.line);
            corpus.diagnostics.add(Code::NamesLeftOver, Some(position), Some(labelled.id.clone()), || {
                format!("the labels of `{}` are not used", labelled.id)
            });
        }
        Ok(found)
    }

    fn in_order(&self, corpus: &Corpus) -> Result<Vec<Vec<NameLabel>>> {
        // Without -DOCSTART-, a file is one run of words over all documents.
        let split = self.documents.len() > 1;
        let holds_words =
            |document: &&Document| document.words().layers().is_some_and(|l| !l.form.is_empty());
        if !split && corpus.documents.len() > 1 && !corpus.documents.iter().all(|d| holds_words(&d)) {
            let message =
                "the documents do not contain their words, so the labels cannot be divided among them";
            return Err(Error::new(ErrorKind::Pairing, message)
                .at(self.position(1))
                .hint("name the documents: JSON lines with `doc_key`"));
        }
        let mut found = Vec::new();
        let mut used = 0;
        for (place, document) in corpus.documents.iter().enumerate() {
            let labelled = match self.documents.get(if split { place } else { 0 }) {
                Some(labelled) => labelled,
                None => {
                    let message = format!("the file ends before the labels of `{}`", document.id());
                    return Err(Error::new(ErrorKind::Pairing, message)
                        .at(self.position(0))
                        .with_place(document.position(), "the document starts here")
                        .hint("documents are in the order of the corpus, each after -DOCSTART-"));
                }
            };
            let words = labelled.words.as_deref().unwrap_or_default();
            let start = if split { 0 } else { used };
            let count = document.words().count_in_text() as usize;
            let last = split || place + 1 == corpus.documents.len();
            let end = if last { words.len() } else { (start + count).min(words.len()) };
            self.compare(document, &words[start..end])?;
            let (start, end) = (start as u32, end as u32);
            let within =
                labelled.names.iter().filter(|name| name.span.start() >= start && name.span.end() <= end);
            let shifted = within.filter_map(|name| {
                let span = Span::new(name.span.start() - start, name.span.end() - start)?;
                Some(NameLabel { span, kind: name.kind.clone() })
            });
            found.push(self.placed(document, &shifted.collect::<Vec<_>>(), labelled.line)?);
            used = end as usize;
        }
        if split && self.documents.len() > corpus.documents.len() {
            let more = &self.documents[corpus.documents.len()];
            let message = format!(
                "the file has labels of {}, but the corpus has {}",
                plural(self.documents.len(), "document", "documents"),
                corpus.documents.len()
            );
            return Err(Error::new(ErrorKind::Pairing, message)
                .at(self.position(more.line))
                .hint("remove those that the corpus lacks, or name documents: JSON lines with `doc_key`"));
        }
        Ok(found)
    }

    fn position(&self, line: u32) -> Position {
        Position::new(&self.source, line, 0)
    }

    /// Fails at the first word that differs.
    fn compare(&self, document: &Document, words: &[(String, u32)]) -> Result<()> {
        let all = document.words();
        let layers = all.layers();
        let own: Vec<u32> = (0..all.count()).filter(|&word| !all.is_empty_node(word)).collect();
        let form = |place: usize| -> Option<&str> { layers?.form.get(*own.get(place)? as usize) };
        let Some(place) = (0..own.len().max(words.len())).find(|&place| {
            let theirs = words.get(place).map(|word| word.0.as_str());
            // If a document does not contain its words, their number is a minimum.
            match layers.is_some_and(|layers| !layers.form.is_empty()) {
                true => form(place) != theirs,
                false => place < own.len() && theirs.is_none(),
            }
        }) else {
            return Ok(());
        };
        let described = |word: Option<&str>, whose: &str| match word {
            Some(word) => format!("{whose} has `{word}` as word {}", place + 1),
            None => format!("{whose} ends before word {}", place + 1),
        };
        let line = own.get(place).and_then(|&word| layers?.line.get(word as usize));
        let mut position = document.position();
        position.column = 0;
        position.line = line.filter(|&line| line > 0).unwrap_or(position.line);
        let theirs = words.get(place);
        let near = theirs.or(words.last()).map_or(0, |word| word.1);
        let message =
            format!("the named-entity labels do not align with `{}`: not the same words", document.id());
        Err(Error::new(ErrorKind::Pairing, message)
            .at(self.position(near))
            .with_place(
                self.position(near),
                described(theirs.map(|word| word.0.as_str()), "the file of labels"),
            )
            .with_place(position, described(form(place), "the document"))
            .hint("label the same words, in the same order"))
    }

    /// Converts names over the words of the text to names over all words, including empty nodes.
    fn placed(&self, document: &Document, names: &[NameLabel], line: u32) -> Result<Vec<NameLabel>> {
        let all = document.words();
        let own: Vec<u32> = (0..all.count()).filter(|&word| !all.is_empty_node(word)).collect();
        let place = |name: &NameLabel| {
            let (start, last) = (name.span.start() as usize, name.span.last() as usize);
            let (start, last) = (*own.get(start)?, *own.get(last)?);
            Some(NameLabel { span: Span::new(start, last + 1)?, kind: name.kind.clone() })
        };
        let place = |name: &NameLabel| {
            place(name).ok_or_else(|| {
                let (start, last) = (name.span.start(), name.span.last());
                let message = format!(
                    "the name [{start}, {last}] is outside the {} of `{}`",
                    plural(own.len(), "word", "words"),
                    document.id()
                );
                Error::new(ErrorKind::Pairing, message)
                    .at(self.position(line))
                    .with_place(document.position(), "the document starts here")
            })
        };
        names.iter().map(place).collect()
    }
}

/// Parses documents in columns, with the word first, the label last, and spaces or tabs in between. An empty line ends
/// a sentence.
fn columns(text: &str, source: &Arc<str>) -> Result<Vec<Labelled>> {
    struct OpenName<'t> {
        line: u32,
        words: Vec<(String, u32)>,
        tags: Vec<&'t str>,
        names: Vec<NameLabel>,
    }
    impl OpenName<'_> {
        fn end_sentence(&mut self) {
            let first = (self.words.len() - self.tags.len()) as u32;
            let tags = std::mem::take(&mut self.tags);
            self.names.extend(tagged(first, tags.into_iter()));
        }
    }
    let mut documents = Vec::new();
    let mut open = OpenName { line: 1, words: Vec::new(), tags: Vec::new(), names: Vec::new() };
    let close = |open: &mut OpenName<'_>, documents: &mut Vec<Labelled>, line: u32| {
        open.end_sentence();
        let (words, names) = (std::mem::take(&mut open.words), std::mem::take(&mut open.names));
        if !words.is_empty() {
            let id = format!("document {}", documents.len() + 1);
            documents.push(Labelled { id, line: open.line, words: Some(words), names });
        }
        open.line = line;
    };
    for (number, line) in (1u32..).zip(text.lines()) {
        let mut cells = line.split_whitespace();
        let Some(word) = cells.next() else {
            open.end_sentence();
            continue;
        };
        if word == "-DOCSTART-" {
            close(&mut open, &mut documents, number);
            continue;
        }
        let Some(tag) = cells.next_back() else {
            let message = format!("the word `{word}` has no label");
            return Err(Error::new(ErrorKind::Format, message)
                .at(Position::new(source, number, 1))
                .hint("write word and label in columns, with O for words outside names"));
        };
        open.words.push((word.to_owned(), number));
        open.tags.push(tag);
    }
    close(&mut open, &mut documents, 0);
    Ok(documents)
}

/// Parses documents in JSON lines: `doc_key`, `ner` as lists of `[first, last, type]` by sentence or as one list, and
/// optionally `sentences`.
fn json_lines(text: &str, source: &Arc<str>) -> Result<Vec<Labelled>> {
    let mut documents = Vec::new();
    for (number, line) in (1u32..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = |message: String| {
            Error::new(ErrorKind::Format, message)
                .at(Position::new(source, number, 0))
                .hint("a line is {\"doc_key\": \"NAME\", \"ner\": [[[first, last, \"PER\"], ...], ...]}, words counted over the document from 0")
        };
        let object: Value =
            serde_json::from_str(line).map_err(|error| wrong(format!("this is not JSON: {error}")))?;
        let id = object["doc_key"].as_str().ok_or_else(|| wrong("no `doc_key`".to_owned()))?;
        let words = match object.get("sentences").or(object.get("tokens")) {
            None => None,
            Some(value) => {
                let mut words = Vec::new();
                flat_words(value, number, &mut words)
                    .ok_or_else(|| wrong("`sentences` is not a list of lists of words".to_owned()))?;
                Some(words)
            }
        };
        let list = object.get("ner").or(object.get("predicted_ner")).and_then(Value::as_array);
        let list = list.ok_or_else(|| wrong("the list `ner` is missing".to_owned()))?;
        let mut names = Vec::new();
        for item in list {
            let one = item.as_array().ok_or_else(|| wrong(format!("`{item}` is not a name")))?;
            let is_name = one.first().is_some_and(Value::is_u64);
            for item in if is_name { std::slice::from_ref(item) } else { one } {
                let name = || -> Option<NameLabel> {
                    let number = |place: usize| u32::try_from(item.get(place)?.as_u64()?).ok();
                    let span = Span::new(number(0)?, number(1)?.checked_add(1)?)?;
                    Some(NameLabel { span, kind: item.get(2)?.as_str()?.into() })
                };
                names.push(name().ok_or_else(|| wrong(format!("`{item}` is not a name")))?);
            }
        }
        documents.push(Labelled { id: id.to_owned(), line: number, words, names });
    }
    Ok(documents)
}

/// Collects the words of a list, or of the lists in it.
fn flat_words(value: &Value, line: u32, words: &mut Vec<(String, u32)>) -> Option<()> {
    for item in value.as_array()? {
        match item {
            Value::String(word) => words.push((word.clone(), line)),
            Value::Array(inner) => {
                for word in inner {
                    words.push((word.as_str()?.to_owned(), line));
                }
            }
            _ => return None,
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{FormatSpec, ReadOptions};

    fn corpus(texts: &[&str]) -> Corpus {
        let document = |(n, text): (usize, &&str)| {
            let words: String = text.split(' ').map(|word| format!("{word}\t-\n")).collect();
            format!("#begin document (d{n}); part 000\n{words}#end document\n")
        };
        let text: String = texts.iter().enumerate().map(document).collect();
        let options = ReadOptions::with_layers();
        FormatSpec::named("conll").unwrap().read(text.as_bytes(), "key.conll", options).unwrap()
    }

    fn labelled(texts: &[&str], file: &str) -> Result<Vec<Vec<(u32, u32, String)>>> {
        let mut corpus = corpus(texts);
        NameFile::read(file.as_bytes(), "names")?.label(&mut corpus)?;
        let name = |name: &NameLabel| (name.span.start(), name.span.end(), name.kind.to_string());
        let names = |document: &Document| {
            document.words().layers().unwrap().names.iter().flatten().map(name).collect()
        };
        Ok(corpus.documents.iter().map(names).collect())
    }

    const TEXTS: &[&str] = &["Ingrid Moe slept", "Then Olav came"];

    #[test]
    fn columns_and_json_lines_agree() {
        let wanted = vec![vec![(0, 2, "PER".to_owned())], vec![(1, 2, "PER".to_owned())]];
        let plain = "Ingrid NNP B-PER\nMoe NNP I-PER\nslept VBD O\n\nThen RB O\nOlav NNP B-PER\ncame VBD O\n";
        assert_eq!(labelled(TEXTS, plain), Ok(wanted.clone()));
        let split = "-DOCSTART- O\n\nIngrid B-PER\nMoe I-PER\nslept O\n\n-DOCSTART- O\n\nThen O\nOlav B-PER\ncame O\n";
        assert_eq!(labelled(TEXTS, split), Ok(wanted.clone()));
        let json = "{\"doc_key\":\"d1\",\"ner\":[[[1,1,\"PER\"]]]}\n{\"doc_key\":\"d0_0\",\"sentences\":[[\"Ingrid\",\"Moe\"],[\"slept\"]],\"ner\":[[[0,1,\"PER\"]],[]]}\n";
        assert_eq!(labelled(TEXTS, json), Ok(wanted));
    }

    #[test]
    fn words_that_do_not_align_are_named_on_both_sides() {
        let error = labelled(TEXTS, "Ingrid B-PER\nMo I-PER\nslept O\n").unwrap_err();
        assert_eq!(error.position().map(|position| position.line), Some(2));
        assert_eq!(error.related().len(), 2);
        assert!(error.related()[1].1.to_string().contains("`Moe` as word 2"), "{error}");
        assert_eq!(error.related()[1].0.line, 3, "{error}");
        for (file, part) in [
            ("Ingrid B-PER\nMoe I-PER\nslept O\nThen O\n", "ends before word 2"),
            ("Ingrid\n", "no label"),
            (
                "-DOCSTART-\nIngrid O\nMoe O\nslept O\n-DOCSTART-\nThen O\nOlav O\ncame O\n-DOCSTART-\nEnd O\n",
                "3 documents",
            ),
            ("{\"doc_key\":\"d0\",\"ner\":[]}\n", "no named-entity labels of `d1"),
            ("{\"doc_key\":\"d0\",\"ner\":[[2,3,\"PER\"]]}\n{\"doc_key\":\"d1\",\"ner\":[]}\n", "is outside"),
            ("{\"doc_key\":\"d0\",\"ner\":[[2,1,\"PER\"]]}\n", "is not a name"),
            ("{\"doc_key\":\"d0\",\"ner\":[]}\n{\"doc_key\":\"d0\",\"ner\":[]}\n", "second time"),
            ("{\"ner\":[]}\n", "no `doc_key`"),
            ("{nonsense\n", "not JSON"),
            ("\n\n", "empty"),
        ] {
            let error = labelled(TEXTS, file).unwrap_err();
            assert!(error.to_string().contains(part), "{file}: {error}");
        }
    }
}
