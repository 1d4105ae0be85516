//! Documents to convert to another format, one after the other, optionally placed on the words of a key.
//!
//! A corpus need not fit into memory: documents are read, placed and passed on one at a time. Small corpora are kept,
//! so that they are read only once. Key and response are read in parallel. If their documents are in a different order,
//! a response document is kept until its key document is read.

use std::collections::HashMap;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread;

use crate::alignment::{self, Options};
use crate::diagnostic::{Code, Diagnostics};
use crate::error::{Error, ErrorKind, Result};
use crate::formats::{FormatSpec, ReadOptions};
use crate::input::Input;
use crate::model::{Corpus, Document, DocumentBuilder, DocumentId, Side, WordsBuilder};
use crate::pairing;
use crate::settings::MissingDocuments;

/// The number of words to keep in memory.
const KEPT_WORDS: u64 = 1 << 19;

/// The number of documents to read ahead.
const AHEAD: usize = 2;

/// The documents of an input, which can be read any number of times.
pub struct Documents<'i> {
    input: &'i Input,
    format: Option<&'static FormatSpec>,
    /// The format that was read.
    found: OnceLock<&'static FormatSpec>,
    options: ReadOptions,
    onto: Option<Onto<'i>>,
    kept: KeptDocuments,
}

/// The key on whose words documents are placed.
struct Onto<'i> {
    key: &'i Input,
    format: &'static FormatSpec,
    options: Options,
    /// The document of the response that each document of the key is paired with.
    pairs: Vec<Option<DocumentId>>,
}

/// The documents in memory.
enum KeptDocuments {
    /// Not read yet.
    Not,
    /// Too many to keep; their number.
    TooMany(usize),
    /// All documents, each with its key document.
    All(Vec<(Option<Document>, Document)>),
}

/// A function that receives a key document, if any, and the document to write.
pub type EachDocument<'e> = &'e mut dyn FnMut(Option<&Document>, &Document) -> Result<()>;

impl<'i> Documents<'i> {
    /// Creates a reader of the documents of an input.
    pub fn of(input: &'i Input, format: Option<&'static FormatSpec>, options: ReadOptions) -> Documents<'i> {
        Documents { input, format, found: OnceLock::new(), options, onto: None, kept: KeptDocuments::Not }
    }

    /// Places the documents on the words of a key. The input is an answer or a file of any format, and its text may
    /// differ from the key's. The resulting documents are the key's, with its order and ids. Documents that the input
    /// lacks have no mentions, and documents that the key lacks are dropped; `diagnostics` counts both. The options may
    /// depend on the key's format.
    ///
    /// ```
    /// use std::sync::{Arc, atomic::AtomicU64};
    /// use corefeval_core::alignment;
    /// use corefeval_core::conversion::Documents;
    /// use corefeval_core::diagnostic::Diagnostics;
    /// use corefeval_core::formats::{FormatSpec, ReadOptions};
    /// use corefeval_core::input::Input;
    /// use corefeval_core::profiles::Profile;
    /// use corefeval_core::settings::Settings;
    /// let input = |name: &str, text: &[u8]| Input::Bytes { name: Arc::from(name), bytes: Arc::from(text) };
    /// let key = input("key.conll", b"#begin document a\nAda -\nslept -\n#end document\n");
    /// let answer = input("answer.txt", b"[Ada](#1) slept");
    /// let mut options = ReadOptions::of_answers();
    /// options.keep_layers = true;
    /// let progress = AtomicU64::new(0);
    /// let mut documents = Documents::of(&answer, None, options);
    /// let placing = |key: &FormatSpec| Ok(alignment::Options::of(&Settings::of(Profile::for_format(key.id))));
    /// documents.onto(&key, placing, &progress, &mut Diagnostics::default())?;
    /// let mut ids = Vec::new();
    /// documents.for_each(&progress, &mut Diagnostics::default(), &mut |_, placed| {
    ///     ids.push((placed.id().to_string(), placed.mentions().len()));
    ///     Ok(())
    /// })?;
    /// assert_eq!(ids, [("a".to_owned(), 1)]);
    /// # Ok::<(), corefeval_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of reading both inputs and of pairing their documents; an answer that has too little in common with
    /// the key's text; the error that `options` returns.
    pub fn onto(
        &mut self,
        key: &'i Input,
        options: impl FnOnce(&'static FormatSpec) -> Result<Options>,
        progress: &AtomicU64,
        diagnostics: &mut Diagnostics,
    ) -> Result<()> {
        let of_key = ReadOptions { side: Side::Key, accept_answers: false, ..self.options.clone() };
        let (ids, _, format) = outline(key, None, &of_key, progress)?;
        let (theirs, rest, _) = outline(self.input, self.format, &self.options, progress)?;
        let (key_ids, response_ids) = (corpus_of(&ids)?, corpus_of(&theirs)?);
        let mut onto = Onto { key, format, options: options(format)?, pairs: Vec::new() };
        if rest.answers.is_empty() {
            let mut found = rest.diagnostics;
            let rules = (onto.options.pair_documents, MissingDocuments::Count);
            let pairs = pairing::pair_by(rules, &key_ids, &response_ids, &mut found)?;
            found.forget(Code::MissingDocument);
            diagnostics.merge(found);
            for pair in pairs {
                match pair.response {
                    Some(other) => onto.pairs.push(Some(other.id().clone())),
                    None => {
                        missing(pair.key, diagnostics)?;
                        onto.pairs.push(None);
                    }
                }
            }
        } else {
            // An answer has few texts, usually one.
            let (key, _) = key.read(Some(format), &of_key, progress)?;
            let placed = alignment::onto(&key, rest, &onto.options)?;
            diagnostics.merge(placed.diagnostics);
            let mut placed: HashMap<DocumentId, Document> =
                placed.documents.into_iter().map(|document| (document.id().clone(), document)).collect();
            let mut all = Vec::new();
            for document in key.documents {
                let own = match placed.remove(document.id()) {
                    Some(placed) => placed,
                    None => missing(&document, diagnostics)?,
                };
                all.push((Some(document), own));
            }
            self.kept = KeptDocuments::All(all);
        }
        self.onto = Some(onto);
        Ok(())
    }

    /// Returns the format that was read, after the first pass over documents that are not placed on a key.
    pub fn format(&self) -> Option<&'static FormatSpec> {
        self.found.get().copied()
    }

    /// Returns the format of the key on whose words the documents are placed.
    pub fn key_format(&self) -> Option<&'static FormatSpec> {
        self.onto.as_ref().map(|onto| onto.format)
    }

    /// Passes the documents to `each` in order. Only the first pass adds the findings of reading and placing to
    /// `diagnostics`.
    ///
    /// # Errors
    ///
    /// The errors of reading and placing, the first that `each` returns, and files whose documents have changed.
    pub fn for_each(
        &mut self,
        progress: &AtomicU64,
        diagnostics: &mut Diagnostics,
        each: EachDocument<'_>,
    ) -> Result<()> {
        if let KeptDocuments::All(all) = &self.kept {
            return all.iter().try_for_each(|(key, document)| each(key.as_ref(), document));
        }
        let first = matches!(self.kept, KeptDocuments::Not);
        let mut kept = first.then(Vec::new);
        let (mut number, mut words) = (0, 0);
        let mut found = Diagnostics::default();
        self.read(progress, &mut found, &mut |key, document| {
            each(key.as_ref(), &document)?;
            number += 1;
            words += u64::from(document.words().count()) + 1;
            match &mut kept {
                Some(all) if words <= KEPT_WORDS => all.push((key, document)),
                kept => *kept = None,
            }
            Ok(())
        })?;
        if first {
            diagnostics.merge(found);
            self.kept = kept.map_or(KeptDocuments::TooMany(number), KeptDocuments::All);
        }
        match self.kept {
            KeptDocuments::TooMany(before) if before != number => Err(changed()),
            _ => Ok(()),
        }
    }

    fn read(
        &self,
        progress: &AtomicU64,
        diagnostics: &mut Diagnostics,
        each: &mut dyn FnMut(Option<Document>, Document) -> Result<()>,
    ) -> Result<()> {
        let Some(onto) = &self.onto else {
            let mut alone = |document: Document| each(None, document);
            let (rest, format) = self.input.for_each(self.format, &self.options, progress, &mut alone)?;
            let _ = self.found.set(format);
            diagnostics.merge(rest.diagnostics);
            return Ok(());
        };
        thread::scope(|scope| {
            let (sender, receiver) = sync_channel::<Document>(AHEAD);
            let read = move || {
                let mut send = |document: Document| sender.send(document).map_err(|_| changed());
                // Errors can be ignored: the file was read before without one, and a missing document is an error on
                // the other side.
                let _ = self.input.for_each(self.format, &self.options, progress, &mut send);
            };
            let mut waiting = Waiting { receiver, documents: HashMap::new() };
            // If no thread can be started, all documents are read first.
            if thread::Builder::new().spawn_scoped(scope, read).is_err() {
                let mut wait = |document: Document| {
                    waiting.documents.insert(document.id().clone(), document);
                    Ok(())
                };
                self.input.for_each(self.format, &self.options, progress, &mut wait)?;
            }
            let mut pairs = onto.pairs.iter();
            let options = ReadOptions { side: Side::Key, accept_answers: false, ..self.options.clone() };
            let mut place = |key: Document| {
                let own = match pairs.next().ok_or_else(changed)? {
                    Some(id) => {
                        let response = waiting.take(id)?;
                        alignment::onto_document(&key, response, &onto.options, diagnostics)?
                    }
                    // Missing documents were counted before.
                    None => key.without_mentions()?,
                };
                each(Some(key), own)
            };
            onto.key.for_each(Some(onto.format), &options, progress, &mut place)?;
            match pairs.next() {
                Some(_) => Err(changed()),
                None => Ok(()),
            }
        })
    }
}

/// Documents that were read before their turn.
struct Waiting {
    receiver: Receiver<Document>,
    documents: HashMap<DocumentId, Document>,
}

impl Waiting {
    fn take(&mut self, id: &DocumentId) -> Result<Document> {
        loop {
            if let Some(document) = self.documents.remove(id) {
                return Ok(document);
            }
            let document = self.receiver.recv().map_err(|_| changed())?;
            self.documents.insert(document.id().clone(), document);
        }
    }
}

/// Returns the error for files that changed between two reads.
fn changed() -> Error {
    Error::new(ErrorKind::Io, "the documents changed while they were converted")
        .hint("run it again once nothing is writing to these files")
}

/// The properties of a document that pairing needs.
struct PairingFacts {
    id: DocumentId,
    source: Arc<str>,
    line: u32,
}

/// Reads the data of a corpus that pairing requires.
fn outline(
    input: &Input,
    format: Option<&'static FormatSpec>,
    options: &ReadOptions,
    progress: &AtomicU64,
) -> Result<(Vec<PairingFacts>, Corpus, &'static FormatSpec)> {
    let mut known = Vec::new();
    let mut note = |document: Document| {
        known.push(PairingFacts {
            id: document.id().clone(),
            source: Arc::clone(document.source()),
            line: document.line(),
        });
        Ok(())
    };
    let (rest, format) = input.for_each(format, options, progress, &mut note)?;
    Ok((known, rest, format))
}

/// Returns a corpus of documents without contents, for pairing.
fn corpus_of(known: &[PairingFacts]) -> Result<Corpus> {
    let document = |known: &PairingFacts| {
        let builder = DocumentBuilder::new(known.id.clone(), Arc::clone(&known.source), known.line);
        builder.finish(WordsBuilder::new(false).finish())
    };
    Ok(Corpus { documents: known.iter().map(document).collect::<Result<_>>()?, ..Corpus::default() })
}

/// Returns a document without mentions for a key document that the answer lacks, and adds a finding.
fn missing(document: &Document, diagnostics: &mut Diagnostics) -> Result<Document> {
    let id = document.id().to_string();
    diagnostics.add(Code::MissingDocument, Some(document.position()), Some(id.clone()), || {
        format!("the response has no document `{id}`: it is written without mentions")
    });
    document.without_mentions()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A corpus that is too large to keep is read again. If the file was cut short in between, documents are missing.
    #[test]
    fn a_file_that_loses_documents_is_an_error() {
        let words = "\"w\",".repeat(KEPT_WORDS as usize);
        let document = |id: &str, words: &str| {
            format!("{{\"doc_key\":\"{id}\",\"sentences\":[[{words}\"w\"]],\"clusters\":[]}}\n")
        };
        let file = tempfile::NamedTempFile::new().expect("a file");
        let write = |text: String| std::fs::write(file.path(), text).expect("the file can be written");
        write(document("a", &words) + &document("b", ""));
        let input = Input::Path(file.path().to_owned());
        let format = FormatSpec::named("jsonlines").ok();
        let mut documents = Documents::of(&input, format, ReadOptions::default());
        let mut all = || {
            let mut ids = Vec::new();
            let mut note = |_: Option<&Document>, document: &Document| -> Result<()> {
                ids.push(document.id().to_string());
                Ok(())
            };
            let read = documents.for_each(&AtomicU64::new(0), &mut Diagnostics::default(), &mut note);
            read.map(|()| ids)
        };
        let both = Ok(vec!["a".to_owned(), "b".to_owned()]);
        assert_eq!((all(), all()), (both.clone(), both));
        write(document("a", &words));
        assert!(all().is_err_and(|error| error.message().contains("changed while")));
    }
}
