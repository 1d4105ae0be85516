//! Validation: finds problems in a file, with the offending text, and corrects them without changing the meaning.
//!
//! Readers find most problems. This module adds the problems that require a whole document, extracts the offending text
//! from its line ([`Excerpt`]), and makes safe corrections ([`fixes`]).

mod excerpt;
pub mod fixes;

use std::collections::BTreeMap;

use crate::diagnostic::{Code, Diagnostic, Diagnostics, Severity};
use crate::error::Error;
use crate::matching::{describe, where_copied};
use crate::model::{Corpus, Document, Mention};
use crate::wording::{Position, Text, text};

pub use excerpt::{Excerpt, add_excerpts};

/// A finding about a file, or about two files to be scored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The stable code, which has a page in the documentation.
    pub code: &'static str,
    /// Its severity.
    pub severity: Severity,
    /// The place.
    pub position: Option<Position>,
    /// Further places, each with a description.
    pub related: Vec<(Position, Text)>,
    /// The id of the document, if the finding concerns one.
    pub document: Option<String>,
    /// The problem.
    pub message: Text,
    /// The remedy.
    pub remedy: Option<Text>,
    /// The offending text in its line, if it has a line.
    pub excerpt: Option<Excerpt>,
    /// The number of further findings like this one, which are counted but not listed.
    pub more: u64,
    /// True if `--fix` corrects it.
    pub fixable: bool,
}

impl Finding {
    /// Returns a finding of a reader or of a later stage.
    pub fn of(found: Diagnostic) -> Finding {
        let Diagnostic { code, message, position, document } = found;
        Finding {
            code: code.id(),
            severity: code.severity(),
            position,
            related: Vec::new(),
            document,
            message,
            remedy: Some(code.remedy()),
            excerpt: None,
            more: 0,
            fixable: false,
        }
    }

    /// Returns an error as a finding.
    pub fn of_error(error: &Error) -> Finding {
        let code = error.code().id();
        // Some messages already contain their code.
        let (message, named) = (error.message(), format!(" [{code}]"));
        let message = match message.strip_suffix(&named) {
            Some(message) => Text::from(message.to_owned()),
            None => error.message_text().clone(),
        };
        Finding {
            code,
            // The place where the list of errors stops is not itself an error.
            severity: match error.code() {
                Code::FurtherErrors => Severity::Note,
                _ => Severity::Error,
            },
            position: error.position().cloned(),
            related: error.related().to_vec(),
            document: None,
            message,
            remedy: Some(error.remedy_text().cloned().unwrap_or_else(|| error.code().remedy())),
            excerpt: None,
            more: 0,
            fixable: false,
        }
    }

    /// Returns an error and the further errors of the same input as findings.
    pub fn of_errors(error: &Error) -> Vec<Finding> {
        std::iter::once(error).chain(error.others()).map(Finding::of_error).collect()
    }

    /// Returns findings of a later stage. Findings that were counted but not kept are added to the count of the last
    /// finding with their code.
    pub fn all(diagnostics: &Diagnostics) -> Vec<Finding> {
        let mut all = Vec::new();
        for group in diagnostics.groups() {
            all.extend(group.kept.iter().map(|found| Finding::of(Diagnostic::clone(found))));
            let more = group.count - group.kept.len() as u64;
            if let Some(last) = all.last_mut().filter(|_| more > 0) {
                last.more = more;
            }
        }
        all
    }

    /// Returns the sort key of findings of a file: the place, then the severity, then the code.
    pub fn order(&self) -> (u32, u32, std::cmp::Reverse<Severity>, &'static str) {
        let place = self.position.as_ref().map_or((0, 0), |position| (position.line, position.column));
        (place.0, place.1, std::cmp::Reverse(self.severity), self.code)
    }
}

/// Finds problems that require a whole document: mentions annotated more than once.
pub fn check_documents(corpus: &Corpus, diagnostics: &mut Diagnostics) {
    corpus.documents.iter().for_each(|document| find_copies(document, diagnostics));
}

fn find_copies(document: &Document, diagnostics: &mut Diagnostics) {
    let forms = document.words().layers().filter(|_| document.words().are_names()).map(|layers| &layers.form);
    // Names are compared as texts, other mentions by their places.
    let mut first_by_words: BTreeMap<(Option<&str>, Vec<u64>), &Mention> = BTreeMap::new();
    for mention in document.mentions() {
        let name = forms.and_then(|forms| forms.get(mention.span().start() as usize));
        let parts = if name.is_some() { &[] } else { mention.parts() };
        let words = (name, parts.iter().map(|part| part.sort_key()).collect());
        let Some(first) = first_by_words.get(&words) else {
            first_by_words.insert(words, mention);
            continue;
        };
        let position = document.position_of(mention);
        diagnostics.add(Code::DuplicateMention, Some(position), Some(document.id().to_string()), || {
            text!("{} is annotated {}", describe(document, mention), where_copied(document, mention, first))
        });
    }
}

/// Returns whether two readings of a file have the same documents: ids, words, mentions, entities and relations. Lines
/// and columns may differ, and so may names of entities, because some formats number them.
pub fn same_documents(one: &Corpus, other: &Corpus) -> bool {
    let described = |document: &Document| {
        let words = document.words();
        let mentions: Vec<_> = document
            .mentions()
            .iter()
            .map(|mention| {
                (mention.parts().to_vec(), mention.entity(), mention.head(), mention.details().cloned())
            })
            .collect();
        let relations = document.relations();
        let splits = relations.map(|relations| {
            let splits = relations.split_antecedents.iter();
            splits.map(|split| (split.entity, split.parts.clone())).collect::<Vec<_>>()
        });
        let counts = relations.map(|relations| (relations.bridges.len(), relations.non_referring.len()));
        format!(
            "{:?}",
            (
                document.id(),
                (
                    words.count(),
                    words.fingerprint(),
                    words.sentences().to_vec(),
                    words.empty_nodes().to_vec()
                ),
                mentions,
                document.entities().len(),
                (splits, counts, document.topic(), document.genre()),
            )
        )
    };
    one.documents.len() == other.documents.len()
        && one.documents.iter().zip(&other.documents).all(|(one, other)| described(one) == described(other))
}
